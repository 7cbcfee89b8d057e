/* constrained.c - whether a pair of tableaux keeps constraints, and what eliminating multipliers does to a method. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "stepper/constrained.h"

#include <math.h>
#include <stdio.h>

static double larger(double a, lbr_dd x) { return fmax(a, fabs(x.hi)); }

/* The largest |x_i,j| of column j. */
static double column(const lbr_tableau *v, int64_t j)
{
    double most = 0;

    for (int64_t i = 0; i < v->s; i++) most = larger(most, v->A[i * v->s + j]);
    return most;
}

/* How well a_1j = 0, a_sj = b_j, the same weights and a^_is = 0 hold (Hairer 2003, (2.10); there A and A^ have each other's names). For implicit
 * Euler, whose multipliers act at stages 2..s, it is a^_i1 = 0. */
static double residual(const lbr_tableau *q, const lbr_tableau *v)
{
    int64_t s = q->s;
    double most = fmin(column(v, s - 1), column(v, 0));

    for (int64_t j = 0; j < s; j++) {
        most = larger(most, q->A[j]);
        most = larger(most, dd_sub(q->A[(s - 1) * s + j], q->b[j]));
        most = larger(most, dd_sub(q->b[j], v->b[j]));
    }
    return most;
}

static lbr_status one(const lbr_tableau *q, const lbr_tableau *v, double tolerance, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    lbr_message lacks;
    lbr_jay jay;
    lbr_status status = q && v ? lbr_jay_make(&jay, q, v, arena, &lacks) : LBR_ENOMEM;

    if (status == LBR_EUNFIT) return *out = lbr_found_told(0, lacks.text), LBR_OK;
    if (status) return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying");
    *out = lbr_found_small(residual(q, v), tolerance, "a_1j = 0, a_sj = b_j, a^_is = 0, A A^ invertible (Hairer 2003, 2.10)");
    return LBR_OK;
}

lbr_status lbr_analyse_constraints(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    lbr_base *b = f->base;
    int forth = 0, back = 0;
    lbr_status status = LBR_OK;

    if (f->reduced) return *out = lbr_found_told(0, "multipliers are eliminated, and numerical solutions drift off (HLW VII.1.18)"), LBR_OK;
    if (f->nbases != 1 || b->kind != LBR_BASE_PAIR) return LBR_OK;
    for (int64_t k = 0; k < f->kernel.n; k++) *(f->kernel.step[k].adjoint ? &back : &forth) = 1;
    if (back) status = one(lbr_tableau_adjoint(b->tableau, arena), lbr_tableau_adjoint(b->second, arena), tolerance, arena, out, m);
    if (!status && forth && (!back || out->value > 0)) status = one(b->tableau, b->second, tolerance, arena, out, m);
    return status;
}

/* The equation under constraints is not Hamiltonian off the manifold and not T(p) + V(q): what is known of any field is left. */
void lbr_analyse_reduced(lbr_analysis *a)
{
    static const lbr_finding none = { .value = -1, .by = "theorem" };

    a->order_again = a->quadratic = a->near = a->separable = a->symplectic_separable = a->conjugate = a->volume = none;
    a->symplectic = lbr_found_told(0, "the equation without multipliers is not Hamiltonian off the manifold (HLW VII.1.18)");
}
