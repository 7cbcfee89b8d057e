/* derived.c - order, symmetry and symplecticity of maps that are made of more than rates. SPDX-License-Identifier: BSD-3-Clause
 *
 * Generating functions: the order is that to which S agrees with the solution of the Hamilton-Jacobi equation (HLW VI.5.18, VI.5.20),
 *
 *     S^1 = h H + h^2/2 H_P H_q + h^3/6 (H_PP(H_q, H_q) + H_Pq(H_P, H_q) + H_qq(H_P, H_P)) + O(h^4),
 *     S^3 = h H + h^3/24 H''(f, f) + O(h^5),        f = J^-1 grad H,
 *
 * whose terms are independent; H at points w + h c f has sum b c^k/k! of h^(k+1) H^(k)(f, .., f), and H'(f) = 0.
 * Variational methods on the stages of a tableau are partitioned Runge-Kutta methods (HLW VI.6.4). */
#include "analyse.h"

#include <stdio.h>
#include <string.h>

typedef struct condition { int order;  const char *term;  double want; } condition;

/* A condition that does not hold ends the order below it. */
static int fails(const condition *k, lbr_dd value, lbr_analysis *out)
{
    double r = fabs(dd_double(dd_sub(value, dd_div(dd(1), dd(k->want)))));

    if (k->want == 0) r = fabs(dd_double(value));
    if (r <= out->tolerance) return out->order.residual = fmax(out->order.residual, r), 0;
    snprintf(out->order.detail, sizeof out->order.detail, "term %s of S, order %d: residual %.1e", k->term, k->order, r);
    return 1;
}

/* want: one over the coefficient; 0: there is none. */
static const condition first_kind[] = {
    { 1, "h H", 1 }, { 2, "h^2 H_P H_q", 2 }, { 3, "h^3 H_PP(H_q, H_q)", 6 }, { 3, "h^3 H_Pq(H_P, H_q)", 6 }, { 3, "h^3 H_qq(H_P, H_P)", 6 },
};
static const condition third_kind[] = { { 1, "h H", 1 }, { 3, "h^3 H''(f, f)", 24 }, { 4, "h^4 H'''(f, f, f)", 0 } };
enum { FIRST = sizeof first_kind / sizeof *first_kind, THIRD = sizeof third_kind / sizeof *third_kind };

/* sum b c^k/k!, k = 0, 2, 3. */
static lbr_dd moment(const lbr_derived *d, int k)
{
    lbr_dd sum = dd(0);

    for (int64_t i = 0; i < d->n; i++) {
        lbr_dd x = d->b[i];

        for (int j = 1; j <= k; j++) x = dd_div(dd_mul(x, d->c[i]), dd(j));
        sum = dd_add(sum, x);
    }
    return sum;
}

/* b_{n+1-i} = b_i, c_{n+1-i} = -c_i: S^3 is odd in h (HLW VI.5.21). */
static double even(const lbr_derived *d)
{
    double r = 0;

    for (int64_t i = 0; d->c && i < d->n; i++) {
        r = fmax(r, fabs(dd_double(dd_sub(d->b[i], d->b[d->n - 1 - i]))));
        r = fmax(r, fabs(dd_double(dd_add(d->c[i], d->c[d->n - 1 - i]))));
    }
    return r;
}

static void order_of_s1(const lbr_derived *d, lbr_analysis *out)
{
    for (int i = 0; i < FIRST; i++) {
        if (fails(&first_kind[i], i < d->n ? d->b[i] : dd(0), out)) return;
        if (i == FIRST - 1 || first_kind[i + 1].order > first_kind[i].order) out->order.value = first_kind[i].order;
    }
    snprintf(out->order.detail, sizeof out->order.detail, "term of S of order 4: there is none");
}

/* There is no term of order 2, and none of order 4: a method of order 1 has order 2, one that is of order 3 and odd 4. */
static void order_of_s3(const lbr_derived *d, lbr_analysis *out)
{
    static const int power[] = { 0, 2, 3 };

    for (int i = 0; i < THIRD; i++) {
        lbr_dd value = d->c ? moment(d, power[i]) : i < d->n ? d->b[i] : dd(0);

        if (fails(&third_kind[i], value, out)) return;
        out->order.value = i == 0 ? 2 : third_kind[i].order;
    }
    snprintf(out->order.detail, sizeof out->order.detail, "term of S of order 5: not of this form");
}

static lbr_status generating(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    double r = even(d);

    (void)arena, (void)m;
    out->order.value = 0;
    if (d->which == 1) order_of_s1(d, out);
    else order_of_s3(d, out);
    out->symmetric.value = d->which == 3 && r <= out->tolerance, out->symmetric.residual = out->symmetric.value ? r : 0;
    if (d->which == 1) snprintf(out->symmetric.detail, sizeof out->symmetric.detail, "the adjoint has Q implicit in place of P (HLW VI.5.7)");
    else snprintf(out->symmetric.detail, sizeof out->symmetric.detail, "S^3 is odd in h (HLW VI.5.21): residual %.1e", r);
    out->symplectic.value = 1;
    snprintf(out->symplectic.detail, sizeof out->symplectic.detail, "any generating function gives a symplectic map (HLW VI.5.3)");
    return LBR_OK;
}

/* --- variational methods ------------------------------------------------------------------------------------------ */

static lbr_status variational(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    if (d->which == LBR_DISCRETE_OWN) return lbr_fail(m, LBR_EUNFIT, "variational(own) is what the system makes of it: nothing can be said of it without");
    if (d->tableau) {
        lbr_finding none = out->is_explicit;
        lbr_status status = lbr_analyse_pair(d->tableau, d->second, 0, arena, out, m);

        return out->is_explicit = none, status;         /* an equation is solved in any case */
    }
    out->order = lbr_found_told(2, "consistent and symmetric, L at both ends (HLW VI.6.2)");
    out->symmetric = lbr_found_told(1, "L_h(q0, q1) = -L_-h(q1, q0)");
    out->symplectic = lbr_found_told(1, "L_h is a generating function (HLW VI.6.1)");
    return LBR_OK;
}

/* --- volume --------------------------------------------------------------------------------------------------------- */

static lbr_status volume(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)d, (void)arena, (void)m;
    out->order.value = 1, out->symmetric.value = out->symplectic.value = 0;
    snprintf(out->order.detail, sizeof out->order.detail, "one step of symplectic Euler for each pair of neighbours (HLW VI.9.4)");
    snprintf(out->symmetric.detail, sizeof out->symmetric.detail, "the adjoint goes through the components the other way");
    snprintf(out->symplectic.detail, sizeof out->symplectic.detail, "it keeps the volume (HLW VI.9.3), which is less");
    return LBR_OK;
}

/* --- SHAKE --------------------------------------------------------------------------------------------------------- */

static lbr_status shake(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    (void)d, (void)arena, (void)m;
    out->order = lbr_found_told(2, "its positions are those of RATTLE (HLW VII.1.24), its momenta are central differences of them");
    out->symmetric = lbr_found_told(1, "the formula is the same with q_{n+1} and q_{n-1} exchanged");
    out->symplectic = lbr_found_told(0, "its momenta are not on the manifold of constraints");
    return LBR_OK;
}

/* --- quadratic fields ---------------------------------------------------------------------------------------------- */

/* Where f is quadratic, 2 f((y + Y)/2) - f(y)/2 - f(Y)/2 is what Kahan makes of it: then it is this Runge-Kutta method. */
static lbr_status kahan(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_dd A[] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { -0.25, 0 }, { 1, 0 }, { -0.25, 0 }, { -0.5, 0 }, { 2, 0 }, { -0.5, 0 } }, c[] = { { 0, 0 }, { 0.5, 0 }, { 1, 0 } };
    const lbr_tableau same = { 3, 0, A, A + 6, c };
    lbr_finding none = out->is_explicit;
    lbr_status status = lbr_analyse_tableau(&same, arena, out, m);

    (void)d;
    out->is_explicit = out->conjugate = none;           /* a system is solved; what holds for all fields is less than what holds for these */
    return status;
}

/* --- reduced rigid bodies ------------------------------------------------------------------------------------------ */

/* The free step is symmetric and of order 2; with kicks b before and after it is a splitting. */
static lbr_status moser_veselov(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    double one = fabs(dd_double(dd_sub(dd_add(d->b[0], d->b[1]), dd(1)))), even = fabs(dd_double(dd_sub(d->b[0], d->b[1])));

    (void)arena, (void)m;
    out->order = lbr_found_told(one > out->tolerance ? 0 : even > out->tolerance ? 1 : 2, "RATTLE, reduced: kicks around the free step, which is symmetric (McLachlan & Scovel 1994, 6.2)");
    out->order.residual = out->order.value == 2 ? fmax(one, even) : out->order.value ? one : 0;
    out->symmetric = lbr_found_small(even, out->tolerance, "the same kick before and after");
    out->symplectic = lbr_found_told(1, "a Poisson map for the bracket of so(n)* or se(3)* (McLachlan & Scovel 1994, Corollary 4)");
    return LBR_OK;
}

/* --- two steps ----------------------------------------------------------------------------------------------------- */

/* Between p_n = (q_{n+1} - q_{n-1})/2h it is kick, drift, kick (HLW I.1.17). */
static lbr_status two_step(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_dd c[] = { { 0.5, 0 }, { 1, 0 }, { 0.5, 0 } };
    static const unsigned char kick[] = { 1, 0, 1 };
    lbr_order o;

    (void)d, (void)arena;
    if (lbr_trees_splitting(3, c, kick, 1, 4, out->tolerance, &o)) return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying");
    out->order = out->quadratic = lbr_found_order(&o, "trees");
    out->symmetric = lbr_found_small(lbr_palindrome_residual(3, c, kick), out->tolerance, "q_{n+1} and q_{n-1} have the same part in it; kick, drift, kick");
    out->symplectic = lbr_found_told(1, "with p_n = (q_{n+1} - q_{n-1})/2h it is kick, drift, kick (HLW I.1.17)");
    return LBR_OK;
}

/* --- all of them ------------------------------------------------------------------------------------------------------ */

lbr_status lbr_analyse_derived(const lbr_derived *d, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const struct { const lbr_atom_kind *kind; lbr_status (*analyse)(const lbr_derived *, lbr_arena *, lbr_analysis *, lbr_message *); } all[] = {
        { &lbr_atom_generating, generating }, { &lbr_atom_variational, variational }, { &lbr_atom_volume, volume }, { &lbr_atom_shake, shake }, { &lbr_atom_kahan, kahan }, { &lbr_atom_moser_veselov, moser_veselov }, { &lbr_atom_two_step, two_step },
    };
    size_t i = 0;

    while (all[i].kind != d->kind) i++;
    return all[i].analyse(d, arena, out, m);
}
