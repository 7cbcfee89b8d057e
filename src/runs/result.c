/* result.c - what came of a run, given back. SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"

#include <string.h>

void lbr_result_free(lbr_result *r)
{
    for (int64_t k = 0; k < r->nevents; k++) lbr_mem_free(r->events[k].t), lbr_mem_free(r->events[k].y);
    lbr_mem_free(r->grown);
    lbr_arena_free(&r->arena);
    memset(r, 0, sizeof *r);
}
