/* code_order.c - the order in which the entries of an array are taken. SPDX-License-Identifier: BSD-3-Clause */
#include "code.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
    const lbr_dag *dag;
    const int32_t *first;
    lbr_entry entry;
    int32_t seq;
} place;

/* The loop of this level that a loop is or stands in; 0 if it does not reach so deep. */
static int around(const lbr_dag *dag, int loop, int level)
{
    while (dag->loop[loop].level > level) loop = dag->loop[loop].parent;
    return dag->loop[loop].level == level ? loop : 0;
}

/* Level by level: whose loop came first; what stands in the outer loop itself comes last. */
static int earlier(const void *x, const void *y)
{
    const place *a = x, *b = y;

    for (int level = 1; a->entry.loop != b->entry.loop; level++) {
        int p = around(a->dag, a->entry.loop, level), q = around(a->dag, b->entry.loop, level);

        if (p == q) continue;
        return !p || (q && a->first[p] > a->first[q]) ? 1 : -1;
    }
    return (a->seq > b->seq) - (a->seq < b->seq);
}

lbr_status lbr_code_entry_order(const lbr_dag *dag, int array, lbr_entry *sorted)
{
    const lbr_array *a = &dag->array[array];
    size_t n = (size_t)a->nentries;
    int32_t *first;
    place *p;
    int all = 1;

    for (size_t i = 0; i < n; i++) all &= a->entry[i].add, sorted[i] = a->entry[i];
    if (!all || n < 2) return LBR_OK;
    first = lbr_mem_alloc((size_t)dag->nloops * sizeof *first), p = lbr_mem_alloc(n * sizeof *p);
    for (size_t i = n; first && p && i-- > 0;) {
        p[i] = (place){ dag, first, a->entry[i], (int32_t)i };
        for (int loop = a->entry[i].loop; loop; loop = dag->loop[loop].parent) first[loop] = (int32_t)i;
    }
    if (first && p) qsort(p, n, sizeof *p, earlier);
    for (size_t i = 0; first && p && i < n; i++) sorted[i] = p[i].entry;
    lbr_mem_free(first), lbr_mem_free(p);
    return first && p ? LBR_OK : LBR_ENOMEM;
}
