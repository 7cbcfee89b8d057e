/* csystem.c - a system written in C: compiled, loaded, asked. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE                                  /* mkdtemp, readlink, dlsym */
#include "csystem.h"
#include "executing.h"
#include "io/whole.h"
#include "kernel/command.h"
#include "model/table.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LBR_SOURCE_INCLUDE                               /* of the build: where libration.h is, if not beside the tool */
#define LBR_SOURCE_INCLUDE ""
#endif
#ifndef LBR_INSTALL_INCLUDE
#define LBR_INSTALL_INCLUDE ""
#endif

enum { PATH = 4096, MOST_SOURCE = 64 << 20, MOST_SAID = 64 << 10, ARGUMENTS = 24 };

/* --- a folder of our own ------------------------------------------------------------------------------------ */

typedef struct folder { char path[PATH], library[PATH + 16], log[PATH + 16]; } folder;

static int make_folder(folder *f)
{
    const char *base = getenv("TMPDIR");

    if (snprintf(f->path, sizeof f->path, "%s/libration-XXXXXX", base && *base ? base : "/tmp") >= PATH || !mkdtemp(f->path)) return 1;
    snprintf(f->library, sizeof f->library, "%s/model.so", f->path);
    snprintf(f->log, sizeof f->log, "%s/said", f->path);
    return 0;
}

/* What compilers put there are plain files. */
static void remove_folder(const folder *f)
{
    DIR *d = opendir(f->path);
    const struct dirent *entry;

    while (d && (entry = readdir(d))) unlinkat(dirfd(d), entry->d_name, 0);
    if (d) closedir(d);
    rmdir(f->path);
}

/* --- compiling ----------------------------------------------------------------------------------------------- */

static int has_header(const char *dir)
{
    char path[2 * PATH];

    return snprintf(path, sizeof path, "%s/libration.h", dir) < (int)sizeof path && !access(path, R_OK);
}

/* -I and where libration.h is: as the environment says, beside the tool that is running, or where it was built; "" if nowhere. */
static void include_flag(char flag[PATH + 2])
{
    char self[PATH];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 32);
    const char *told = getenv("LIBRATION_INCLUDE"), *place[] = { self, LBR_SOURCE_INCLUDE, LBR_INSTALL_INCLUDE };
    char *slash;

    flag[0] = 0;
    self[n > 0 ? n : 0] = 0;
    if ((slash = strrchr(self, '/'))) strcpy(slash, "/../include");
    if (told && *told) snprintf(flag, PATH + 2, "-I%s", told);
    for (size_t i = 0; !*flag && i < sizeof place / sizeof *place; i++)
        if (*place[i] && has_header(place[i])) snprintf(flag, PATH + 2, "-I%s", place[i]);
}

static double seconds_allowed(void)
{
    const char *text = getenv("LIBRATION_CC_SECONDS");
    double s = text ? atof(text) : 0;

    return s > 0 && s < 86400 ? s : 120;
}

static int compile(lbr_csystem *c, const folder *f, const char *path, const volatile sig_atomic_t *interrupt)
{
    const char *cc = getenv("LIBRATION_CC"), *argv[ARGUMENTS] = { cc && *cc ? cc : "cc", "-O2", "-std=c17", "-ffp-contract=off", "-fPIC", "-shared" };
    char include[PATH + 2], source[PATH + 2];
    int n = 6, why;
    double began = lbr_clock();
    lbr_command command = { argv, f->log, f->path, seconds_allowed(), INT64_C(4) << 30, interrupt };

    if (snprintf(source, sizeof source, "%s%s", *path == '/' ? "" : "./", path) >= (int)sizeof source) return LBR_COMMAND_MACHINE;
    include_flag(include);
    if (*include) argv[n++] = include;
    argv[n++] = "-o", argv[n++] = f->library;
    argv[n++] = source;                                  /* begins with / or ./ : never taken for a flag */
    argv[n] = "-lm";
    why = lbr_command_run(&command);
    c->seconds = lbr_clock() - began;
    return why;
}

/* What the compiler said, as far as it is sensible to show. */
static void listen(lbr_csystem *c, const folder *f)
{
    FILE *log = fopen(f->log, "r");
    size_t n;

    if (!log || !(c->said = lbr_mem_alloc(MOST_SAID + 1))) {
        if (log) fclose(log);
        return;
    }
    n = fread(c->said, 1, MOST_SAID, log);
    while (n && c->said[n - 1] == '\n') n--;
    c->said[n] = 0;
    fclose(log);
    if (!n) lbr_mem_free(c->said), c->said = NULL;
}

static int compile_failed(int why, const char *path, lbr_message *m)
{
    const char *cc = getenv("LIBRATION_CC");

    if (!cc || !*cc) cc = "cc";
    switch (why) {
    case LBR_COMMAND_MISSING: return lbr_fail(m, LBR_EARG, "there is no compiler '%.200s'; LIBRATION_CC names another one", cc), LBR_EXIT_INPUT;
    case LBR_COMMAND_LATE: return lbr_fail(m, LBR_EARG, "the compiler '%.120s' was ended: '%.200s' took more than %g seconds (LIBRATION_CC_SECONDS)", cc, path, seconds_allowed()), LBR_EXIT_INPUT;
    case LBR_COMMAND_INTERRUPTED: return lbr_fail(m, LBR_STOPPED, "interrupted while '%.200s' was compiled", path), LBR_EXIT_INTERRUPTED;
    case LBR_COMMAND_MACHINE: return lbr_fail(m, LBR_EIO, "the compiler '%.200s' could not be started", cc), LBR_EXIT_MACHINE;
    default: return lbr_fail(m, LBR_EARG, "'%.200s' could not be compiled by '%.120s'", path, cc), LBR_EXIT_INPUT;
    }
}

/* --- loading --------------------------------------------------------------------------------------------------- */

static int load(lbr_csystem *c, const folder *f, const char *path, lbr_message *m)
{
    void *handle = dlopen(f->library, RTLD_NOW | RTLD_LOCAL);
    int (*model)(lbr_system *out), status;

    if (!handle) return lbr_fail(m, LBR_EARG, "'%.120s' could not be loaded: %.300s", path, dlerror()), LBR_EXIT_INPUT;
    *(void **)&model = dlsym(handle, "lbr_model");       /* never closed: the system points into it */
    if (!model) return lbr_fail(m, LBR_EARG, "'%.200s' does not define int lbr_model(lbr_system *out)", path), LBR_EXIT_INPUT;
    lbr_system_init(&c->system);
    if ((status = model(&c->system))) return lbr_fail(m, LBR_EARG, "lbr_model of '%.200s' returned %d; 0 means that all is well", path, status), LBR_EXIT_INPUT;
    return LBR_EXIT_DONE;
}

int lbr_csystem_load(lbr_csystem *c, const char *path, const volatile sig_atomic_t *interrupt, lbr_message *m)
{
    folder f;
    char *source = NULL;
    size_t size = 0;
    lbr_status status;
    int why, code;

    memset(c, 0, sizeof *c);
    if ((status = lbr_whole_read(path, MOST_SOURCE, &source, &size, m))) return status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT;
    c->digest = lbr_hash(LBR_HASH, source, size);
    lbr_mem_free(source);
    if (make_folder(&f)) return lbr_fail(m, LBR_EIO, "there is no place for temporary files (TMPDIR)"), LBR_EXIT_MACHINE;
    why = compile(c, &f, path, interrupt);
    listen(c, &f);
    code = why ? compile_failed(why, path, m) : load(c, &f, path, m);
    remove_folder(&f);
    return code;
}

lbr_status lbr_start_read(const char *path, int64_t n, double *y, lbr_message *m)
{
    double *data;
    int64_t rows, columns;
    lbr_message why;
    lbr_status status = lbr_table_read(path, &data, &rows, &columns, &why);

    if (status) return lbr_fail(m, status, "'%.200s': %.250s", path, why.text);
    if (rows != 1 || columns != n)
        status = lbr_fail(m, LBR_EARG, "'%.200s' has %lld rows of %lld numbers; the start is one row of %lld", path, (long long)rows, (long long)columns, (long long)n);
    else memcpy(y, data, (size_t)n * sizeof *y);
    lbr_mem_free(data);
    return status;
}
