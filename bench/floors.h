/* floors.h - the systems that are measured, and loops written by hand for them.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H
#include <stdio.h>
#include "../tests/support/problems.h"

/* systems.c: one machine code of every force, for the library, floors and peers. */
enum { HENON_HEILES, KEPLER, SOLAR, SYSTEMS };
problem bench_system(int i);

/* Coefficients: b alone for a composition, all for a Gauss method of up to eight stages: A A, b A, and the first
 * iterate, from the last step (HLW VIII.6.3) or from the last two (HLW VIII.7.1): the last, the one before. */
typedef struct table {
    double AA[64], b[17], c[8], bA[8], SS[64], last[64], before[64];
} table;

/* y becomes y after n steps from t = 0; non-zero if a call failed. */
typedef int (*floor_fn)(const lbr_system *system, const table *tab, double h, int64_t n, double *y);

typedef struct floor_row {
    const char *method;
    int64_t nq;
    floor_fn run[2];
} floor_row;

/* floors.c, compiled twice; ended by a row without a name. Loops over components with vector instructions, or not. */
extern const floor_row floors_contract_off[], floors_contract_fast[];

/* The same with the force written into the loop; the third variant has vector instructions outside of loops too. */
typedef struct inlined_row {
    const char *system, *method;
    floor_fn run[3];
} inlined_row;
extern const inlined_row inlined_contract_off[], inlined_contract_fast[];

/* pairs.c: with vectors written by hand. One step of the outer solar system, eight pairs at a time; and the force on
 * n bodies of mass 1/n with distances softened by `soft`, each pair once, in plain C and with vectors. */
/* Hénon-Heiles, `width` states side by side (8, 16, 24, 32). 0, or 1: not for this width. */
int by_hand_lanes(int64_t width, int64_t stages, const double *A, const double *B, int64_t n, double *y);
int by_hand_solar(const lbr_system *system, const table *tab, double h, int64_t n, double *y);
/* stages.c: gauss:8 on Kepler's problem and on the outer solar system, with its stages in one vector; in two of four.
 */
int by_hand_stages_kepler_contract_off(const lbr_system *system, const table *tab, double h, int64_t n, double *y);
int by_hand_stages_solar_contract_off(const lbr_system *system, const table *tab, double h, int64_t n, double *y);
int by_hand_stages_kepler_contract_fast(const lbr_system *system, const table *tab, double h, int64_t n, double *y);
int by_hand_stages_solar_contract_fast(const lbr_system *system, const table *tab, double h, int64_t n, double *y);
typedef void (*pairs_fn)(int n, double soft, const double *q, double *f);
typedef struct pairs_row {
    const char *name;
    int plain;
    pairs_fn force;
} pairs_row;
extern const pairs_row by_hand_pairs[];
#endif
