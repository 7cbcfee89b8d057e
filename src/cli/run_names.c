/* run_names.c - the names of runs in the names of files, without brackets (--names plain).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* Other characters, such as the sign of an index, disturb nobody. */
const char *run_plain_name(lbr_arena *arena, const char *label)
{
    char *text = lbr_arena_format(arena, "%s", label), *to = text;

    if (!text) return NULL;
    for (const char *c = text; *c; c++)
        if (*c != ']') *to++ = (char)(*c == '[' || *c == ',' ? '_' : *c);
    *to = 0;
    return text;
}

typedef struct both {
    const char *label, *plain;
} both;

static int by_plain(const void *a, const void *b) { return strcmp(((const both *)a)->plain, ((const both *)b)->plain); }

int run_plain_apart(lbr_arena *arena, const char *const *label, int64_t n)
{
    both *list = lbr_arena_alloc(arena, n, sizeof *list);

    for (int64_t i = 0; list && i < n; i++)
        if (!(list[i] = (both){ label[i], run_plain_name(arena, label[i]) }).plain) list = NULL;
    if (!list) return complain("out of memory"), LBR_EXIT_MACHINE;
    qsort(list, (size_t)n, sizeof *list, by_plain);
    for (int64_t i = 1; i < n; i++)
        if (!by_plain(list + i - 1, list + i))
            return complain("with --names plain the files of runs %.100s and %.100s would both be those of %.100s",
                            list[i - 1].label, list[i].label, list[i].plain);
    return LBR_EXIT_DONE;
}
