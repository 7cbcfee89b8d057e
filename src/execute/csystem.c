/* csystem.c - a system written in C: compiled, loaded, asked. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* readlink */
#include "csystem.h"
#include "io/whole_file.h"
#include "kernel/fuse_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef LBR_SOURCE_INCLUDE /* of the build: where libration.h is, if not beside the tool */
    #define LBR_SOURCE_INCLUDE ""
#endif
#ifndef LBR_INSTALL_INCLUDE
    #define LBR_INSTALL_INCLUDE ""
#endif

enum { PATH = 4096, MOST_SOURCE = 64 << 20 };

/* --- where the header is ----------------------------------------------------------------------------------------- */

static int has_header(const char *dir)
{
    char path[2 * PATH];

    return snprintf(path, sizeof path, "%s/libration.h", dir) < (int)sizeof path && !access(path, R_OK);
}

/* -I and where libration.h is: as the environment says, beside the tool that is running, or where it was built; "" if
 * nowhere. */
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

/* --- compiling, loading, asking ---------------------------------------------------------------------------------- */

static const int exit_of[][2] = { { LBR_EIO, LBR_EXIT_MACHINE },
                                  { LBR_ENOMEM, LBR_EXIT_MACHINE },
                                  { LBR_STOPPED, LBR_EXIT_INTERRUPTED } };

static int exit_for(lbr_status status)
{
    for (size_t i = 0; i < sizeof exit_of / sizeof *exit_of; i++)
        if (exit_of[i][0] == (int)status) return exit_of[i][1];
    return LBR_EXIT_INPUT;
}

static int ask(lbr_csystem *c, const char *path, lbr_message *m)
{
    int status;

    if (!c->file->model)
        return lbr_fail(m, LBR_EARG, "'%.200s' does not define int lbr_model(lbr_system *out)", path), LBR_EXIT_INPUT;
    lbr_system_init(&c->system);
    if ((status = c->file->model(&c->system)))
        return lbr_fail(m, LBR_EARG, "lbr_model of '%.200s' returned %d; 0 means that all is well", path, status),
               LBR_EXIT_INPUT;
    lbr_cfuse_enable(c->file, &c->system);
    c->seconds = c->file->seconds;
    lbr_cfuse_ask(c->file, LBR_KERNELS_NONE, NULL); /* but for plans of runs: they compare what they get */
    return LBR_EXIT_DONE;
}

int lbr_csystem_load(lbr_csystem *c, const char *path, int isa, const volatile sig_atomic_t *interrupt, lbr_message *m)
{
    char *source = NULL, include[PATH + 2];
    size_t size = 0;
    lbr_status status;

    memset(c, 0, sizeof *c);
    if ((status = lbr_whole_read(path, MOST_SOURCE, &source, &size, m)))
        return status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT;
    lbr_mem_free(source); /* it can be read, which compilers would say in worse words */
    include_flag(include);
    c->file = lbr_cfile_load(path, isa, include, interrupt, &c->said, &status, m);
    if (c->file) c->digest = c->file->digest;
    return c->file ? ask(c, path, m) : exit_for(status);
}

const char *lbr_csystem_files(const lbr_csystem *c) { return c->file->names; }
