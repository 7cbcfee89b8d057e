/* bound_system.h - a system as the steppers see it: checked, copied, every callback in its place.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_BOUND_SYSTEM_H
#define LBR_CORE_BOUND_SYSTEM_H
#include "libration/observe.h"
#include "libration/system.h"
#include "text.h"

typedef enum { LBR_DRIFT_UNIFORM, LBR_DRIFT_MASS, LBR_DRIFT_VELOCITY } lbr_drift;

typedef struct lbr_bound {
    lbr_system s;    /* a copy; what a shorter struct lacks is zero */
    int separable;   /* force, and velocity or inverse_mass */
    int partitioned; /* positions and momenta with some way to get both rates */
    lbr_drift drift; /* how q' follows from p where separable */
    double factor;   /* LBR_DRIFT_UNIFORM: the one inverse mass */
    lbr_fn field;
    void *ctx;                         /* the whole field: the system's own, or put together from force and the like */
    int64_t forces, gradients, fields; /* what one call of it counts as */
} lbr_bound;

/* Checks and resolves; the caller's struct is copied. Pass a `bound` that does not move afterwards (its address is a
 * context). */
lbr_status lbr_bound_init(lbr_bound *bound, const lbr_system *system, lbr_message *message);

/* Adds n calls of bound->field to the counts. */
void lbr_bound_count(const lbr_bound *bound, lbr_stats *stats, int64_t n);

/* -H_q into out (nq), or H_p; for partitioned systems. `work` has dim entries. */
int lbr_bound_rate_p(const lbr_bound *bound, double t, const double *y, double *out, double *work);
int lbr_bound_rate_q(const lbr_bound *bound, double t, const double *y, double *out, double *work);
void lbr_bound_count_rate(const lbr_bound *bound, lbr_stats *stats, int64_t n);

/* n structs that begin with their size, as an array of structs of `full` bytes: what older, shorter ones lack is zero,
 * and what is beyond is left away (lbr_known has seen it). NULL: no memory. */
void *lbr_full_array(lbr_arena *arena, const void *first, int64_t n, size_t full);
/* Element i of an array of structs that begin with their size, of which all have that of the first. */
static inline const void *lbr_strided(const void *first, int64_t i)
{
    return (const char *)first + (size_t)i * *(const size_t *)first;
}
/* Whether a named piece of y is a rotation. */
int lbr_has_rotations(const lbr_system *system);
const lbr_part *lbr_bound_part(const lbr_bound *bound, int64_t i);
const lbr_map_def *lbr_bound_map(const lbr_bound *bound, int64_t i);
const lbr_invariant *lbr_bound_invariant(const lbr_bound *bound, int64_t i);
/* Their contexts: their own, or the system's; why a part has no flow; its field, or NULL. */
void *lbr_bound_part_ctx(const lbr_bound *bound, int64_t i);
void *lbr_bound_invariant_ctx(const lbr_bound *bound, int64_t i);
lbr_fn lbr_bound_invariant_gradient(const lbr_bound *bound, int64_t i); /* or NULL */
const char *lbr_bound_part_missing(const lbr_bound *bound, int64_t i);
/* A part's own field, or NULL. */
lbr_fn lbr_bound_part_field(const lbr_bound *bound, int64_t i);
/* Whether H depends on t itself, as is told; where it changes and nothing is told of t, it may. */
int lbr_bound_energy_of_time(const lbr_bound *bound);
/* What the flow of a part needs for h, outside of steps; not 0: there is no memory. */
int lbr_bound_part_prepare(const lbr_bound *bound, int64_t i, double h);

/* The first component of y that is not finite, or -1. */
int64_t lbr_bound_nonfinite(int64_t n, const double *y);

/* Components of a block. */
int64_t lbr_block_length(const lbr_block *b);

/* Which of the system's functions a call of bound->field calls, for sentences: "field", "force", ... */
const char *lbr_bound_functions(const lbr_bound *b);
/* Of a system without a whole field, or without positions and momenta: what it gives instead, for a sentence about it:
 * "gives force without nq, ...". */
const char *lbr_bound_lacks(const lbr_bound *b);
#endif
