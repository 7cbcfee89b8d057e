/* rounding.h - whether the processor rounds to nearest. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_ROUNDING_H
#define LBR_CORE_ROUNDING_H

/* By trying it: there is more than one place where a processor keeps its mode. */
static inline int lbr_rounding_usual(void)
{
    const volatile double one = 1, part = 0x1.8p-53;

    return one + part == 1 + 0x1p-52 && -one - part == -1 - 0x1p-52;
}
#endif
