/* random.h - random numbers that are functions of a seed and indices. SPDX-License-Identifier: BSD-3-Clause
 *
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011). Key: the low and the high 32 bits of the seed, so (seed, 0) for
 * seeds below 2^32. Counter: the indices modulo 2^32 (negative ones: two's complement), missing ones 0. No library
 * function but sqrt and fma is called, which are exact to the last bit by their definition: the same numbers on every
 * machine. */
#ifndef LBR_LANGUAGE_RANDOM_H
#define LBR_LANGUAGE_RANDOM_H
#include <stdint.h>

enum { LBR_RANDOM_INDICES = 4 }; /* at most so many; with more the numbers are NaN */

/* Uniform in (0, 1): an odd multiple of 2^-53, so that u and 1 - u are equally likely and both exact. */
double lbr_random(uint64_t seed, const int64_t *index, int n);
/* Normal with mean 0 and variance 1: the quantile of lbr_random, which is never farther out than 8.21. */
double lbr_normal(uint64_t seed, const int64_t *index, int n);

/* The x below which a normal number lies with probability u, to less than three units in the last place; exactly odd
 * under u -> 1 - u. Outside (0, 1): NaN. */
double lbr_normal_quantile(double u);
void lbr_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
#endif
