/* pictures.h - a folder for tests of pictures, programs in gnuplot's place, and something to draw.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PICTURES_H
#define PICTURES_H
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plot/plot_parts.h"
#include "io/whole_file.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* --- a folder of our own, and one inside where temporary folders come and must go -------------------------------- */

static char scratch[64], real_path[4096];
static int installed;
static lbr_message message;

static const char *in(const char *name)
{
    static char path[8][512];
    static int k;

    k = (k + 1) % 8;
    snprintf(path[k], sizeof path[k], "%s/%s", scratch, name);
    return path[k];
}

static int entries(const char *folder)
{
    DIR *d = opendir(folder);
    int n = 0;

    while (d && readdir(d)) n++;
    if (d) closedir(d);
    return n - 2;
}

static int clean(void) { return entries(in("tmp")) == 0; }
static int there(const char *path)
{
    struct stat s;
    return !lstat(path, &s);
}

__attribute__((unused)) static char *content(const char *path, size_t *n)
{
    char *bytes;
    lbr_message m;

    return lbr_whole_read(path, 1 << 28, &bytes, n, &m) ? NULL : bytes;
}

static void make(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    if (f) fputs(text, f), fclose(f), chmod(path, mode);
}

/* A program in gnuplot's place. */
__attribute__((unused)) static void pretend(const char *body)
{
    char text[4096];

    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", body);
    make(in("fake"), text, 0700);
    setenv("LIBRATION_GNUPLOT", in("fake"), 1);
}
__attribute__((unused)) static void honest(void) { unsetenv("LIBRATION_GNUPLOT"), setenv("PATH", real_path, 1); }

static void start(void)
{
    lbr_arena arena = { 0 };
    const char *program;

    snprintf(scratch, sizeof scratch, "/tmp/test_plot-XXXXXX");
    if (!mkdtemp(scratch) || mkdir(in("tmp"), 0700)) exit(1);
    setenv("TMPDIR", in("tmp"), 1);
    unsetenv("LIBRATION_GNUPLOT");
    snprintf(real_path, sizeof real_path, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    installed = lbr_gnuplot_find(&program, &arena, &message) == LBR_OK;
    lbr_arena_free(&arena);
}

static void forget(const char *folder)
{
    DIR *d = opendir(folder);

    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(folder);
}

static int need(const char *what)
{
    if (!installed) tap_ok(1, __FILE__, __LINE__, "%s # SKIP gnuplot is not installed", what);
    return installed;
}

/* --- something to draw ------------------------------------------------------------------------------------------- */

enum { N = 200 };
static double T[N], A[N], B[N];
static lbr_curve pair[2];

static lbr_plot simple(void)
{
    for (int i = 0; i < N; i++) T[i] = 0.1 * i, A[i] = sin(T[i]), B[i] = 0.5 * cos(T[i]);
    pair[0] = (lbr_curve){ "a", N, T, A, NULL }, pair[1] = (lbr_curve){ "b", N, T, B, NULL };
    return (lbr_plot){ .title = "title", .xlabel = "t", .ylabel = "y", .curve = pair, .ncurves = 2 };
}

static lbr_status write_to(const lbr_plot *p, const char *name, int keep, int force)
{
    message.text[0] = 0;
    return lbr_plot_write(p, in(name), keep, force, &message);
}
#endif
