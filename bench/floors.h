/* floors.h - the systems that are measured, and loops written by hand for them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_FLOORS_H
#define BENCH_FLOORS_H
#include <stdio.h>
#include "../tests/problems.h"

/* systems.c: one machine code of every force, for the library, floors and peers. */
enum { HENON_HEILES, KEPLER, SOLAR, SYSTEMS };
problem bench_system(int i);

/* Coefficients: b alone for a composition, all for a Runge-Kutta method; S is its first iterate (HLW VIII.6.3). */
typedef struct table { double A[36], b[17], c[6], S[36]; } table;

/* y becomes y after n steps from t = 0; non-zero if a call failed. */
typedef int (*floor_fn)(const lbr_system *system, const table *tab, double h, int64_t n, double *y);

typedef struct floor_row { const char *method;  int64_t nq;  floor_fn run[2]; } floor_row;

/* floors.c, compiled twice; ended by a row without a name. */
extern const floor_row floors_contract_off[], floors_contract_fast[];
#endif
