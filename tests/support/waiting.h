/* waiting.h - a clock and a rest, for tests that wait for other programs. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_WAITING_H
#define TEST_WAITING_H
#include <math.h>
#include <time.h>

__attribute__((unused)) static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((unused)) static void rest(double s)
{
    nanosleep(&(struct timespec){ (time_t)s, (long)(1e9 * (s - floor(s))) }, NULL);
}
#endif
