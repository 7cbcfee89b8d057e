/* result.c - what came of a run: its work, and all of it given back. SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include <string.h>

void lbr_result_free(lbr_result *r)
{
    for (int64_t k = 0; k < r->nevents; k++) lbr_mem_free(r->events[k].t), lbr_mem_free(r->events[k].y);
    lbr_mem_free(r->grown);
    lbr_arena_free(&r->arena);
    memset(r, 0, sizeof *r);
}

static int64_t called(const lbr_stats *s) { return s->force + s->field + s->gradient; }

int64_t lbr_evaluations(const lbr_stats *s) { return called(s) ? called(s) : s->flow + s->map; }

const char *lbr_evaluations_unit(const lbr_stats *s)
{
    return called(s) ? "" : s->flow ? " flows" : s->map ? " maps" : "";
}
