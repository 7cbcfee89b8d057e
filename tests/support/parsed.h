/* parsed.h - what the tests of the parser share: a text that is read, and the files of tests/data/models.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef PARSED_H
#define PARSED_H
#include "tap.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "syntax/ast.h"

#ifndef LBR_TEST_DATA
    #define LBR_TEST_DATA "tests/data"
#endif
#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct {
    lbr_arena arena;
    lbr_file file;
    lbr_status status;
} parsed;

__attribute__((unused)) static const lbr_file *parse_bytes(parsed *a, const char *text, size_t n)
{
    *a = (parsed){ 0 };
    a->status = lbr_file_parse(&a->file, "m.lbr", text, n, &a->arena);
    return &a->file;
}

__attribute__((unused)) static const lbr_file *parse(parsed *a, const char *text)
{
    return parse_bytes(a, text, strlen(text));
}

__attribute__((unused)) static void forget(parsed *a) { lbr_arena_free(&a->arena); }

/* --- the models -------------------------------------------------------------------------------------------------- */

typedef struct {
    char name[300];
    char *text;
    size_t size;
} model;

static int by_name(const void *a, const void *b) { return strcmp(((const model *)a)->name, ((const model *)b)->name); }

static int read_model(model *m, const char *folder, const char *name)
{
    char path[1000];
    FILE *f;

    snprintf(m->name, sizeof m->name, "%s%s", folder, name);
    snprintf(path, sizeof path, "%s/models/%s", LBR_TEST_DATA, m->name);
    if (!strstr(name, ".lbr") || !(f = fopen(path, "rb"))) return 0;
    m->text = calloc(1, (1 << 16) + 1); /* ends in 0, for sscanf */
    m->size = m->text ? fread(m->text, 1, 1 << 16, f) : 0;
    fclose(f);
    return 1;
}

/* The models of a folder ("" or one that ends in a slash), by name. */
__attribute__((unused)) static int read_models(model *m, int most, const char *folder)
{
    char path[600];
    struct dirent *entry;
    DIR *d;
    int n = 0;

    snprintf(path, sizeof path, "%s/models/%s", LBR_TEST_DATA, folder);
    if (!(d = opendir(path))) return 0;
    while (n < most && (entry = readdir(d))) n += read_model(&m[n], folder, entry->d_name);
    closedir(d);
    qsort(m, (size_t)n, sizeof *m, by_name);
    return n;
}

__attribute__((unused)) static void free_models(model *m, int n)
{
    while (n > 0) free(m[--n].text);
}
#endif
