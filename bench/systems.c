/* systems.c - the systems that are measured: one machine code of each force for the library, floors and peers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "floors.h"

/* The list that this file is in is compiled twice; once is enough. */
#define ONCE_contract_off 1
#define GLUE_(a, b)       a##b
#define GLUE(a, b)        GLUE_(a, b)
#if GLUE(ONCE_, LBR_FLOOR)
problem bench_system(int i)
{
    static problem (*const make[SYSTEMS])(void) = { henon_heiles, kepler, solar_system };
    return make[i]();
}
#endif
