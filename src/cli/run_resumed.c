/* run_resumed.c - what a run that went on from a checkpoint cannot tell: samples from before are not in one, and half a
 * run proves nothing. SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <string.h>

static int has(const lbr_source *source, lbr_statement_kind kind)
{
    for (int k = 0; source && k < source->nextra; k++)
        if (source->extra[k].statement->kind == kind) return 1;
    return 0;
}

int run_left_out(const run_settings *s, const lbr_source *source, lbr_result *r)
{
    const struct {
        const char *name;
        int wanted;
    } part[] = { { "claims", !s->run && has(source, LBR_ST_CLAIM) },
                 { "tables", !s->run && has(source, LBR_ST_TABLE) },
                 { "measures", s->json && has(source, LBR_ST_MEASURE) },
                 { "the picture", s->plot != NULL } };
    char list[100] = "";
    int n = 0;

    if (!r->y || r->begin <= 0) return 0;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (part[k].wanted) {
            size_t used = strlen(list);

            snprintf(list + used, sizeof list - used, "%s%s", n++ ? ", " : "", part[k].name);
        }
    if (n)
        lbr_result_warn(r,
                        "the run went on from step %lld, and samples from before are not in a checkpoint: left out "
                        "are %s",
                        (long long)r->begin, list);
    return 1;
}
