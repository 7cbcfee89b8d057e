/* choose.c - which instance of the templates a plan uses. SPDX-License-Identifier: BSD-3-Clause */
#include "instances.h"

const lbr_instance *lbr_instance_choose(lbr_setup *setup, int64_t n)
{
    const lbr_instance *all = lbr_instances_baseline, *one;
    const char *text;
    lbr_isa isa = lbr_isa_choose(setup->isa, &text);

#ifdef LBR_HAVE_V3
    if (isa == LBR_ISA_V3) all = lbr_instances_v3;
#endif
#ifdef LBR_HAVE_V4
    if (isa == LBR_ISA_V4) all = lbr_instances_v4;
#endif
    (void)isa;
    for (one = all; one->width && one->width != n; one++) ;
    setup->instance = one->width ? lbr_arena_format(setup->arena, "%s, n = %d compiled in", text, (int)n)
                                 : lbr_arena_format(setup->arena, "%s, n at run time", text);
    return setup->instance ? one : NULL;
}
