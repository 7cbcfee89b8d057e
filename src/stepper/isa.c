/* isa.c - which instruction sets are built in and can run here. SPDX-License-Identifier: BSD-3-Clause */
#include "stepper.h"

/* clang 14 does not know the names of the levels, so their features are asked for one by one. */
#define HAS(feature) !!__builtin_cpu_supports(feature)
#define V3           (HAS("avx2") && HAS("fma") && HAS("bmi") && HAS("bmi2"))
#define V4           (V3 && HAS("avx512f") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512dq") && HAS("avx512vl"))

static const char *const names[] = { "auto", "baseline", "v3", "v4" };

int lbr_isa_there(int option)
{
    switch (option) {
#ifdef LBR_HAVE_V3
    case LBR_ISA_V3: return V3;
#endif
#ifdef LBR_HAVE_V4
    case LBR_ISA_V4: return V4;
#endif
    case LBR_ISA_AUTO:
    case LBR_ISA_BASELINE: return 1;
    default: return 0;
    }
}

lbr_isa lbr_isa_choose(int option, const char **text)
{
    lbr_isa isa = (lbr_isa)option;

    if (isa == LBR_ISA_AUTO)
        isa = lbr_isa_there(LBR_ISA_V4) ? LBR_ISA_V4 : lbr_isa_there(LBR_ISA_V3) ? LBR_ISA_V3 : LBR_ISA_BASELINE;
    *text = names[isa];
    return isa;
}
