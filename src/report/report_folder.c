/* report_folder.c - where a report goes: a folder of its own, and one for pictures on their way into it.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* mkdtemp */
#include "report_html.h"
#include "io/file.h"
#include "io/whole_file.h"
#include "kernel/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char lbr_report_mark[] = "<meta name=\"generator\" content=\"libration reproduce\">";

/* What is there is a page that we have written. */
static int ours(const char *path)
{
    char start[1024];
    FILE *f = lbr_file_kind(path) == LBR_FILE_REGULAR ? fopen(path, "r") : NULL;
    size_t n = f ? fread(start, 1, sizeof start - 1, f) : 0;

    start[n] = 0;
    if (f) fclose(f);
    return strstr(start, lbr_report_mark) != NULL;
}

/* The name of something in a folder that is not the page, or "". -1: it cannot be read. */
static int stranger(const char *folder, char name[256])
{
    DIR *d = opendir(folder);
    struct dirent *e;

    *name = 0;
    if (!d) return -1;
    while (!*name && (e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, "index.html"))
            snprintf(name, 256, "%.255s", e->d_name);
    closedir(d);
    return 0;
}

static lbr_status accept_folder(const lbr_report_folder *f, int force, lbr_message *message)
{
    char name[256];

    if (stranger(f->folder, name)) return lbr_file_fail(message, "read the folder", f->folder, errno);
    if (*name)
        return lbr_fail(message, LBR_EARG, "%.200s holds other files (%.200s): a report gets a folder of its own",
                        f->folder, name);
    if (lbr_file_kind(f->page) == LBR_FILE_NONE) return LBR_OK;
    if (!ours(f->page)) return lbr_fail(message, LBR_EARG, "%.300s is not a report: it is not replaced", f->page);
    return lbr_whole_check(f->page, force, message);
}

lbr_status lbr_report_folder_open(lbr_report_folder *f, const char *folder, int force, lbr_message *message)
{
    int kind = lbr_file_kind(folder);
    lbr_status status = LBR_OK;

    *f = (lbr_report_folder){ .folder = folder };
    f->page = lbr_arena_format(&f->arena, "%s/index.html", folder);
    f->pictures = lbr_arena_format(&f->arena, "%s/libration-XXXXXX", lbr_folder_base());
    if (!f->page || !f->pictures) return lbr_fail(message, LBR_ENOMEM, "out of memory");
    if (kind == LBR_FILE_FOLDER) status = accept_folder(f, force, message);
    else if (kind != LBR_FILE_NONE) status = lbr_fail(message, LBR_EARG, "%.300s is there and is not a folder", folder);
    else if (mkdir(folder, 0777)) status = lbr_file_fail(message, "make the folder", folder, errno);
    else f->made = 1;
    if (status) return f->pictures = NULL, status;
    if (mkdtemp(f->pictures)) return LBR_OK;
    status = lbr_file_fail(message, "make the folder", f->pictures, errno);
    return f->pictures = NULL, status;
}

void lbr_report_folder_close(lbr_report_folder *f)
{
    DIR *d = f->pictures ? opendir(f->pictures) : NULL;
    struct dirent *e;

    while (d && (e = readdir(d))) unlinkat(dirfd(d), e->d_name, 0); /* what a process that was ended has left */
    if (d) closedir(d);
    if (f->pictures) rmdir(f->pictures);
    if (f->made) rmdir(f->folder); /* only if there is no page */
    lbr_arena_free(&f->arena);
}

lbr_status lbr_report_write(const lbr_reproduction *r, int n, const lbr_report_about *about, const char *path,
                            int force, lbr_message *message)
{
    lbr_text page = { 0 };
    lbr_status status;

    lbr_report_html(&page, r, n, about);
    status = page.status ? lbr_fail(message, LBR_ENOMEM, "out of memory for the report")
                         : lbr_whole_write(path, page.text, page.length, force, message);
    lbr_text_free(&page);
    return status;
}
