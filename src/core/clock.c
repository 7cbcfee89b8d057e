/* clock.c - the time that something takes. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "clock.h"

#include <time.h>

double lbr_seconds(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
