/* cfile.c - a system written in C: its file compiled or found in the cache, loaded, and kept as text.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The preprocessor sees the file every time: what it makes of it is the text for kernels (fuse_c.c), and its digest
 * tells whether the file, or anything that it includes, has changed. A compiler that has something to say says it every
 * time: then nothing is kept. */
#define _GNU_SOURCE /* dladdr */
#include "cfile.h"
#include "cache.h"
#include "command.h"
#include "compiler.h"
#include "entry.h"
#include "included.h"
#include "object.h"
#include "regular_file.h"
#include "stepper/stepper.h"
#include "core/clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { USUAL_SECONDS = 120, MOST_SAID = 64 << 10, MOST_BYTES = 256 << 20, MORE = 16 };
static const int64_t memory = INT64_C(4) << 30;

/* A function whose results depend on who computes them, the compiler or the library, is no builtin; sqrt, fabs, fma,
 * memcpy and the like are. */
#define NO(name) "-fno-builtin-" #name
const char *const lbr_cfile_flags[LBR_CFILE_FLAGS] = {
    "-fbuiltin", NO(acos),  NO(acosh), NO(asin), NO(asinh), NO(atan),   NO(atan2), NO(atanh), NO(cbrt),   NO(cos),
    NO(cosh),    NO(erf),   NO(erfc),  NO(exp),  NO(exp2),  NO(exp10),  NO(expm1), NO(hypot), NO(lgamma), NO(log),
    NO(log10),   NO(log1p), NO(log2),  NO(pow),  NO(sin),   NO(sincos), NO(sinh),  NO(tan),   NO(tanh),   NO(tgamma),
    NO(cabs),    NO(cexp),  NO(cpow),  NO(sinf), NO(cosf),  NO(expf),   NO(logf),  NO(powf),
};

/* What the object has beside the file: the address of lbr_model, or NULL, and a function that is its system's `fuse`.
 * That gets no word about which file it is asked for, but stands in the file's own object. */
typedef struct beside {
    int (*model)(lbr_system *);
    int (*fuse)(const lbr_kernel_request *, lbr_kernel *, void *);
    lbr_cfile *self;
} beside;
static const char beside_text[] = "extern int lbr_model(void *) __attribute__((weak));\n"
                                  "static int fuse(const void *request, void *kernel, void *ctx);\n"
                                  "struct file { int (*answer)(const void *, void *, struct file *); };\n"
                                  "static struct { int (*model)(void *); int (*fuse)(const void *, void *, void *); "
                                  "struct file *self; } lbr_beside = { lbr_model, fuse, 0 };\n"
                                  "static int fuse(const void *request, void *kernel, void *ctx) { (void)ctx; return "
                                  "lbr_beside.self->answer(request, kernel, lbr_beside.self); }\n";

typedef struct job {
    const char *path;
    lbr_cfile *file;
    lbr_compiler compiler;
    lbr_folder folder;
    lbr_digest key;
    char source[LBR_PATH + 2], plain[LBR_PATH + 16], rule[LBR_PATH + 16], other[LBR_PATH + 16], log[LBR_PATH + 16],
        library[LBR_PATH + LBR_ENTRY_NAME];
    char *said;
    lbr_message *message;
} job;

/* --- the compiler ------------------------------------------------------------------------------------------------ */

/* What the compiler said in its last call, as far as it is sensible to show. */
static void listen(job *j)
{
    size_t n = 0;

    lbr_mem_free(j->said);
    j->said = lbr_regular_read(j->log, MOST_SAID, 0, &n);
    while (n && j->said[n - 1] == '\n') j->said[--n] = 0;
    if (!n) lbr_mem_free(j->said), j->said = NULL;
}

/* The flags of kernels, except that warnings are for the user here. */
static lbr_status choose(job *j, const char *include)
{
    const char *flag[LBR_CFILE_FLAGS + 1];
    lbr_status status;
    int n = 0;

    memcpy(flag, lbr_cfile_flags, sizeof lbr_cfile_flags), flag[LBR_CFILE_FLAGS] = include;
    if ((status = lbr_compiler_find(&j->compiler, j->message))) return status;
    if ((status = lbr_compiler_flags(&j->compiler, j->file->isa, flag, LBR_CFILE_FLAGS + (*include != 0), j->message)))
        return status;
    for (int i = 0; i < j->compiler.nflags; i++)
        if (strcmp(j->compiler.flag[i], "-w")) j->compiler.flag[n++] = j->compiler.flag[i];
    j->compiler.nflags = n;
    j->compiler.seconds = lbr_compiler_seconds(USUAL_SECONDS);
    return LBR_OK;
}

static lbr_status failed(const job *j, int why)
{
    lbr_message *m = j->message;
    const char *cc = j->compiler.name;

    switch (why) {
    case LBR_COMMAND_MISSING:
        return lbr_fail(m, LBR_EUNFIT,
                        "there is no compiler '%.200s' that could be run; LIBRATION_CC names another one", cc);
    case LBR_COMMAND_LATE:
        return lbr_fail(m, LBR_EARG,
                        "the compiler '%.120s' was ended: '%.200s' took more than %g seconds (LIBRATION_CC_SECONDS)",
                        cc, j->path, j->compiler.seconds);
    case LBR_COMMAND_INTERRUPTED: return lbr_fail(m, LBR_STOPPED, "interrupted while '%.200s' was compiled", j->path);
    case LBR_COMMAND_MACHINE: return lbr_fail(m, LBR_EIO, "the compiler '%.200s' could not be started", cc);
    default: return lbr_fail(m, LBR_EARG, "'%.200s' could not be compiled by '%.120s'", j->path, cc);
    }
}

/* Calls it with its flags and `more`; LBR_COMMAND_... or 0. */
static int call(job *j, const char *const *more)
{
    const char *argv[1 + LBR_COMPILER_FLAGS + MORE + 1] = { j->compiler.path };
    lbr_command command = { argv, j->log, j->folder.path, j->compiler.seconds, memory, j->file->interrupt, 0 };
    int n = 1, why;

    for (int i = 0; i < j->compiler.nflags; i++) argv[n++] = j->compiler.flag[i];
    for (int i = 0; i < MORE && more[i]; i++) argv[n++] = more[i];
    why = lbr_command_run(&command);
    listen(j);
    return why;
}

/* What the file consists of, by its own files or, where the compiler does not tell them, by all that the preprocessor
 * has made of them. */
static void identify(job *j, const char *include, size_t size)
{
    lbr_cfile *file = j->file;

    file->digest = lbr_included_digest(j->rule, *include ? include + strlen("-I") : "");
    file->names = lbr_included_names(j->rule);
    if (!file->digest && file->text) file->digest = lbr_hash(LBR_HASH, file->text, size);
    if (!file->digest) lbr_included_file(j->source, &file->digest);
}

/* The text, and the key. Without a text (what is wrong with the file is said when it is compiled; the disk may be full)
 * the key is one that nobody else has. */
static lbr_status preprocess(job *j, const char *include)
{
    const char *const more[] = { "-E", "-P", "-MMD", "-MF", j->rule, "-MT", "it", "-o", j->plain, j->source, NULL };
    int why = call(j, more);
    lbr_cfile *file = j->file;
    size_t size = 0;
    lbr_digester d;

    if (why && why != LBR_COMMAND_FAILED) return failed(j, why);
    if (!why) file->text = lbr_regular_read(j->plain, MOST_BYTES, 1, &size);
    identify(j, include, size);
    file->outside = file->text && strstr(file->text, "incbin");
    lbr_digest_begin(&d);
    lbr_digest_text(&d, "libration file 1"), lbr_digest_text(&d, lbr_version()),
        lbr_digest_text(&d, lbr_object_probe()), lbr_digest_text(&d, beside_text);
    lbr_compiler_digest(&j->compiler, &d);
    if (file->text) lbr_digest_add(&d, file->text, size);
    else lbr_digest_text(&d, j->folder.path);
    lbr_digest_end(&d, &j->key);
    return LBR_OK;
}

/* Whether what the compiler has left can be loaded without harm. */
static lbr_status inspect(const job *j)
{
    int64_t size;
    int fd = lbr_regular_open(j->library, &size), good = fd >= 0 && lbr_object_whole(fd, size);

    if (fd >= 0) close(fd);
    return good ? LBR_OK
                : lbr_fail(j->message, LBR_EARG,
                           "what the compiler '%.120s' made of '%.200s' is no shared object, or not all of it",
                           j->compiler.name, j->path);
}

static lbr_status compile(job *j)
{
    const char *const more[] = { "-shared", "-o", j->library, j->source, j->other, "-lm", NULL };
    FILE *f = fopen(j->other, "wxe");
    char hex[LBR_DIGEST_HEX];
    int why, bad = !f || fputs(beside_text, f) < 0 || lbr_object_export(f, &j->key, "lbr_beside");

    if ((f && fclose(f)) || bad)
        return lbr_fail(j->message, LBR_EIO, "nothing could be written to '%.200s'", j->folder.path);
    lbr_digest_hex(&j->key, hex);
    snprintf(j->library, sizeof j->library, "%s/%s.so", j->folder.path, hex);
    return (why = call(j, more)) ? failed(j, why) : inspect(j);
}

/* --- loading ----------------------------------------------------------------------------------------------------- */

/* What was compiled: from the cache, if it is kept there, since folders for temporary files may forbid running what is
 * in them. */
static beside *load_new(job *j, int cache)
{
    lbr_message note = { 0 }, why = { 0 };
    const char *reason;
    beside *b = NULL;

    if (cache >= 0 && !j->said && !lbr_entry_keep(cache, &j->key, j->library, &note))
        b = lbr_entry_load(cache, &j->key, &note);
    if (b || (b = lbr_object_load(j->library, &j->key, &why))) return b;
    reason = strstr(why.text, ": ");
    lbr_fail(j->message, LBR_EARG, "'%.120s' could not be loaded: %.300s", j->path, reason ? reason + 2 : why.text);
    return NULL;
}

/* While its folder is there: the object's bytes. Without them there are no names, and so no kernels. */
static lbr_cfile *settle(job *j, beside *b)
{
    lbr_cfile *file = j->file;
    Dl_info info;

    if (b->self) { /* the loader has given an object that was there before */
        b->self->seconds = file->seconds, b->self->interrupt = file->interrupt, b->self->digest = file->digest;
        lbr_mem_free(b->self->names), b->self->names = file->names, file->names = NULL;
        return b->self;
    }
    file->model = b->model, file->inside.fuse = b->fuse;
    if (dladdr(b, &info) && info.dli_fname)
        file->base = info.dli_fbase, file->object = lbr_regular_read(info.dli_fname, MOST_BYTES, 1, &file->size);
    if (file->outside && file->object) file->digest = lbr_hash(file->digest, file->object, file->size);
    j->file = NULL;
    return b->self = file;
}

static lbr_cfile *obtain(job *j, const char *include, lbr_status *status)
{
    double began = lbr_seconds();
    lbr_message note = { 0 };
    lbr_cfile *file = NULL;
    beside *b = NULL;
    int cache = -1;

    if ((*status = preprocess(j, include))) return NULL;
    if (j->file->text && !j->said && !j->file->outside) lbr_cache_open(1, &cache, &note);
    if (cache >= 0) b = lbr_entry_load(cache, &j->key, &note);
    if (!b && !(*status = compile(j))) {
        b = load_new(j, cache);
        j->file->seconds = lbr_seconds() - began;
        if (!b) *status = LBR_EARG;
    }
    if (b) file = settle(j, b);
    if (cache >= 0) close(cache);
    return file;
}

static void forget(lbr_cfile *file)
{
    if (file) lbr_mem_free(file->text), lbr_mem_free(file->object), lbr_mem_free(file->names);
    lbr_mem_free(file);
}

lbr_cfile *lbr_cfile_load(const char *path, int isa, const char *include, const volatile sig_atomic_t *interrupt,
                          char **said, lbr_status *status, lbr_message *m)
{
    job j = { .path = path, .file = lbr_mem_alloc(sizeof *j.file), .message = m };
    lbr_cfile *file = NULL;
    const char *name;

    *said = NULL;
    if (!j.file) return *status = lbr_fail(m, LBR_ENOMEM, "out of memory"), NULL;
    j.file->isa = lbr_isa_choose(lbr_isa_there(isa) ? isa : LBR_ISA_AUTO, &name), j.file->interrupt = interrupt;
    *status = LBR_OK;
    if (snprintf(j.source, sizeof j.source, "%s%s", *path == '/' ? "" : "./", path) >= (int)sizeof j.source)
        *status = lbr_fail(m, LBR_EARG, "'%.200s' is too long a name", path);
    if (!*status) *status = choose(&j, include);
    if (!*status) *status = lbr_folder_make(&j.folder, m);
    if (!*status) {
        snprintf(j.plain, sizeof j.plain, "%s/plain.i", j.folder.path),
            snprintf(j.other, sizeof j.other, "%s/beside.c", j.folder.path);
        snprintf(j.log, sizeof j.log, "%s/said", j.folder.path),
            snprintf(j.rule, sizeof j.rule, "%s/rule", j.folder.path);
        file = obtain(&j, include, status);
    }
    lbr_folder_remove(&j.folder);
    forget(j.file);
    *said = j.said;
    return file;
}
