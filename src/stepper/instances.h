/* instances.h - the templates (*.inc) instantiated: for fixed n and run-time n, per instruction set. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_INSTANCES_H
#define LBR_STEPPER_INSTANCES_H
#include "stepper.h"

/* One drift and one kick, multiplied by h: A and B with their low parts, and the time C of the kick. */
typedef struct lbr_stage { double A, Al, B, Bl, C; } lbr_stage;

typedef struct lbr_driftkick_args {
    int64_t nq;
    double t0, h;
    const lbr_stage *stage, *end;
    const double *m;
    lbr_fn force, velocity;
    void *ctx;
    double *v;
} lbr_driftkick_args;

typedef struct lbr_erk_args {
    int64_t dim, stages;
    double t0, h;
    const double *A, *B, *C;
    const int64_t *row, *col;
    lbr_fn field;
    void *ctx;
    double *K, *x;
} lbr_erk_args;

typedef struct lbr_irk_args {
    int64_t dim, stages, implicit, split, most;
    double t0, h, noise;
    const double *A, *B, *C, *S;
    lbr_fn field;
    void *ctx;
    double *Z, *x;
    int64_t iterations, worst, evaluations;        /* added up, not cleared            */
    double residual;  int bad;  int64_t last;      /* of the last solve; its iterations */
} lbr_irk_args;

typedef int (*lbr_driftkick_fn)(const lbr_driftkick_args *, int64_t k0, int64_t n, double *q, double *p, double *f, double *eq, double *ep);
typedef int (*lbr_erk_fn)(const lbr_erk_args *, int64_t k0, int64_t n, double *y, double *e);
typedef int64_t (*lbr_irk_fn)(lbr_irk_args *, int64_t k0, int64_t n, double *y, double *e, double *F);

/* The widths with an instance of their own; the last, 0, is for any n. */
#define LBR_WIDTHS(X) X(1) X(2) X(3) X(4) X(6) X(0)
enum { LBR_NWIDTHS = 6 };

/* For one width: [compensated], and for drift-kick [how T'(p) is had][compensated]. */
typedef struct lbr_instance {
    int64_t width;
    lbr_driftkick_fn driftkick[3][2];
    lbr_erk_fn erk[2];
    lbr_irk_fn irk[2];
} lbr_instance;

extern const lbr_instance lbr_instances_baseline[LBR_NWIDTHS], lbr_instances_v3[LBR_NWIDTHS], lbr_instances_v4[LBR_NWIDTHS];

/* The instance for n under the setup's instruction set; says in setup->instance which one. NULL: out of memory. */
const lbr_instance *lbr_instance_choose(lbr_setup *setup, int64_t n);
#endif
