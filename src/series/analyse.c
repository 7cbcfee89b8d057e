/* analyse.c - choosing the algebra for a method: trees, words or simplifying assumptions.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "libration/series.h"
#include "plan/kind.h"

#include <stdio.h>
#include <string.h>

enum { CONJUGATE_MOST = 8, TREES_MOST = 12, GENERAL_STAGES = 64 };

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

lbr_finding lbr_found_order(const lbr_order *o, const char *by)
{
    lbr_finding f = { .value = o->order, .by = by, .residual = o->residual, .constant = o->exact ? o->constant : 0 };

    if (o->exact) snprintf(f.detail, sizeof f.detail, "%s", o->detail);
    else snprintf(f.detail, sizeof f.detail, "at least: the search ends there");
    return f;
}

/* A property that holds where the residual is small. */
lbr_finding lbr_found_small(double residual, double tolerance, const char *what)
{
    lbr_finding f = { .value = residual <= tolerance,
                      .by = "theorem",
                      .residual = residual <= tolerance ? residual : 0 };

    snprintf(f.detail, sizeof f.detail, "%s: residual %.1e", what, residual);
    return f;
}

lbr_finding lbr_found_told(int value, const char *why)
{
    lbr_finding f = { .value = value, .by = "theorem" };

    snprintf(f.detail, sizeof f.detail, "%s", why);
    return f;
}

/* Digits to which all conditions hold that are found to hold; 31 is as many as the arithmetic has. */
lbr_finding lbr_found_digits(const lbr_analysis *a)
{
    const lbr_finding *all[] = { &a->order,      &a->order_again, &a->quadratic, &a->near,
                                 &a->symmetric,  &a->symplectic,  &a->separable, &a->symplectic_separable,
                                 &a->constraints };
    lbr_finding f = { .value = 31, .by = a->order.by };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->value > 0 && all[i]->residual > f.residual) f.residual = all[i]->residual;
    if (f.residual > 1e-31) f.value = (int)floor(-log10(f.residual));
    snprintf(f.detail, sizeof f.detail, "largest residual of a condition that holds: %.1e", f.residual);
    return f;
}

/* --- conjugate to a symplectic method ---------------------------------------------------------------------------- */

static double asymplectic(const lbr_tableau *t, lbr_arena *arena)
{
    const lbr_tableau *reduced = t ? lbr_tableau_reduce(t, arena) : NULL;

    return reduced ? lbr_symplectic_residual((int)reduced->s, reduced->A, reduced->b) : -1;
}

lbr_status lbr_analyse_conjugate(const lbr_tableau *t, double tolerance, lbr_arena *arena, lbr_finding *out,
                                 lbr_message *m)
{
    double itself = asymplectic(t, arena), between = asymplectic(lbr_tableau_between_eulers(t, arena), arena);
    lbr_order o;

    if (itself < 0 || between < 0) return no_memory(m);
    if (itself <= tolerance) return *out = lbr_found_told(LBR_ALL_ORDERS, "it is symplectic itself"), LBR_OK;
    if (between <= tolerance)
        return *out = lbr_found_told(LBR_ALL_ORDERS,
                                     "symplectic between half a step of explicit Euler and back (HLW VI.8.1)"),
               LBR_OK;
    if (lbr_conjugate_order((int)t->s, t->A, t->b, CONJUGATE_MOST, tolerance, &o)) return no_memory(m);
    *out = lbr_found_order(&o, "trees");
    return LBR_OK;
}

/* --- Runge-Kutta: one step --------------------------------------------------------------------------------------- */

/* The condition for symplecticity is necessary only where no two stages are the same (HLW VI.7.10): Lobatto IIIB with
 * two stages is the midpoint rule. */
lbr_status lbr_analyse_tableau(const lbr_tableau *t, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_tableau *reduced = lbr_tableau_reduce(t, arena);
    int s = (int)t->s;
    lbr_order o;

    if (!reduced || lbr_assumptions_order(s, t->A, t->b, t->c, out->tolerance / 100, &o)) return no_memory(m);
    out->order = lbr_found_order(&o, "assumptions");
    if (o.order <= TREES_MOST) {
        if (lbr_trees_order(LBR_TREES_ROOTED, s, t->A, t->b, NULL, NULL, TREES_MOST, out->tolerance, &o))
            return no_memory(m);
        out->order = lbr_found_order(&o, "trees");
    }
    if (lbr_tableau_timed(t)) {
        if (lbr_trees_timed(s, t->A, t->b, t->c, LBR_COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        if (o.order < out->order.value) out->order = lbr_found_order(&o, "trees");
    }
    if (out->order.value <= LBR_COLOURED_MOST) {
        if (lbr_trees_order(LBR_TREES_NYSTROM, s, t->A, t->b, t->A, t->b, LBR_COLOURED_MOST, out->tolerance, &o))
            return no_memory(m);
        out->quadratic = lbr_found_order(&o, "trees");
    }
    out->is_explicit = lbr_found_told(t->is_explicit, t->is_explicit ? "A is strictly lower triangular"
                                                                     : "A is not strictly lower triangular");
    out->symmetric = lbr_found_small(fmax(lbr_symmetric_residual(s, t->A, t->b), lbr_timed_asymmetry(t)),
                                     out->tolerance, "a*_ij = a_ij (HLW V.2.4)");
    out->symplectic = lbr_found_small(lbr_symplectic_residual((int)reduced->s, reduced->A, reduced->b), out->tolerance,
                                      "b_i a_ij + b_j a_ji = b_i b_j (HLW VI.4.2)");
    return lbr_analyse_conjugate(t, out->tolerance, arena, &out->conjugate, m);
}

/* --- Nystrom: one step ------------------------------------------------------------------------------------------- */

/* Stages that are always equal taken together, as for tableaux; c goes along as a stage of its own, whose row is like
 * no other. */
static lbr_status nystrom_symplectic(const lbr_nystrom *n, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    int64_t s = n->s, S = s + 1;
    lbr_dd *A = lbr_arena_alloc(arena, S * S, sizeof *A), *b = lbr_arena_alloc(arena, 2 * S, sizeof *b),
           *c = lbr_arena_alloc(arena, S, sizeof *c);
    lbr_tableau *one, *two;

    if (!A || !b || !c) return no_memory(m);
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < s; j++) A[i * S + j] = n->A[i * s + j];
        A[i * S + s] = n->c[i], b[i] = n->b[i], b[S + i] = n->bbar[i];
    }
    A[S * S - 1] = dd(1000);
    one = lbr_tableau_reduce(&(lbr_tableau){ .s = S, .A = A, .b = b }, arena),
    two = lbr_tableau_reduce(&(lbr_tableau){ .s = S, .A = A, .b = b + S }, arena);
    if (!one || !two) return no_memory(m);
    for (int64_t i = 0; i < one->s - 1; i++) c[i] = one->A[i * one->s + one->s - 1];
    out->symplectic = lbr_found_small(
        lbr_nystrom_symplectic_residual((int)one->s - 1, (int)one->s, one->A, two->b, one->b, c), out->tolerance,
        "b_i (bbar_j - a_ij) = b_j (bbar_i - a_ji), bbar = b (1 - c) (HLW VI.4.5)");
    return LBR_OK;
}

/* The order for y'' = g(t, y, y') where the method is for it. */
static lbr_status general_nystrom(const lbr_nystrom *n, lbr_analysis *out, lbr_message *m)
{
    int s = (int)n->s;
    lbr_order o = { 0 };

    if (lbr_nystrom_induced_residual(s, n->A, n->Ahat, n->bbar, n->b, n->c) <= out->tolerance &&
        lbr_assumptions_order(s, n->Ahat, n->b, n->c, out->tolerance / 100, &o))
        return no_memory(m);
    out->order = lbr_found_order(&o, "assumptions");
    if (o.order > LBR_COLOURED_MOST || s > GENERAL_STAGES) return LBR_OK;
    if (lbr_trees_nystrom(s, n->A, n->Ahat, n->bbar, n->b, n->c, LBR_COLOURED_MOST, out->tolerance, &o))
        return no_memory(m);
    out->order = lbr_found_order(&o, "trees");
    return LBR_OK;
}

lbr_status lbr_analyse_nystrom(const lbr_nystrom *n, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    int s = (int)n->s;
    lbr_status status;
    lbr_order o;

    if (lbr_nystrom_assumptions(s, n->A, n->bbar, n->b, n->c, out->tolerance / 100, &o)) return no_memory(m);
    out->quadratic = lbr_found_order(&o, "assumptions");
    if (o.order <= LBR_COLOURED_MOST) {
        if (lbr_trees_nystrom(s, n->A, NULL, n->bbar, n->b, n->c, LBR_COLOURED_MOST, out->tolerance, &o))
            return no_memory(m);
        out->quadratic = lbr_found_order(&o, "trees");
    }
    out->order = out->quadratic;
    if (n->Ahat && (status = general_nystrom(n, out, m))) return status;
    if (n->Ahat && n->time) {
        if (lbr_trees_timed(s, n->Ahat, n->b, n->time, LBR_COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        if (o.order < out->order.value) out->order = out->quadratic = lbr_found_order(&o, "trees");
    }
    out->is_explicit = lbr_found_told(n->is_explicit, n->is_explicit ? "A is strictly lower triangular"
                                                                     : "A is not strictly lower triangular");
    out->symmetric = lbr_found_small(lbr_nystrom_symmetric_residual(s, n->A, n->Ahat, n->bbar, n->b, n->c),
                                     out->tolerance, "the adjoint has the same coefficients (HLW V.2)");
    return nystrom_symplectic(n, arena, out, m);
}

/* --- sequences of steps of one basic map ------------------------------------------------------------------------- */

int lbr_sequence_new(lbr_arena *arena, int64_t n, lbr_sequence *l)
{
    l->n = 0;
    l->c = lbr_arena_alloc(arena, n, sizeof *l->c);
    l->flag = lbr_arena_alloc(arena, n, 1);
    return l->c && l->flag ? 0 : -1;
}

static void add_steps(lbr_sequence *to, lbr_steps from)
{
    for (int64_t i = 0; i < from.n; i++)
        if (from.step[i].c.hi != 0)
            to->c[to->n] = from.step[i].c, to->flag[to->n++] = (unsigned char)from.step[i].adjoint;
}

/* Everything that one step consists of; flag: the adjoint. */
static int whole(const lbr_flat *f, lbr_arena *arena, lbr_sequence *l)
{
    if (lbr_sequence_new(arena, f->pre.n + f->kernel.n + f->post.n, l)) return -1;
    add_steps(l, f->pre), add_steps(l, f->kernel), add_steps(l, f->post);
    return 0;
}

void lbr_sequence_push(lbr_sequence *l, lbr_dd c, int flag)
{
    if (l->n > 0 && l->flag[l->n - 1] == flag) l->c[l->n - 1] = dd_add(l->c[l->n - 1], c);
    else l->c[l->n] = c, l->flag[l->n++] = (unsigned char)flag;
    if (fabs(l->c[l->n - 1].hi) < 1e-28) l->n--;
}

/* By words, as far as they reach and round-off lets them; then level by level. */
lbr_status lbr_analyse_composition(int n, const lbr_dd *c, const unsigned char *flag, int order, int symmetric,
                                   lbr_analysis *out, lbr_message *m)
{
    lbr_order o = { .order = 0 }, nested;

    if (n <= LBR_STEPS_MOST && lbr_words_composition(n, c, flag, order, symmetric, LBR_WORDS_MOST, out->tolerance, &o))
        return no_memory(m);
    out->order = lbr_found_order(&o, "words");
    if (lbr_nested_order(n, c, flag, order, symmetric, out->tolerance, &nested)) return no_memory(m);
    if (nested.order > o.order) out->order = lbr_found_order(&nested, "theorem");
    if (!out->order.value && n > LBR_STEPS_MOST)
        return lbr_fail(m, LBR_EUNFIT,
                        "it has more than %d steps of its basic map, and no levels; that is too many to certify",
                        LBR_STEPS_MOST);
    return LBR_OK;
}

/* Steps of some map of known order. */
lbr_status lbr_analyse_composed(const lbr_sequence *l, int order, int symmetric, int symplectic, lbr_analysis *out,
                                lbr_message *m)
{
    lbr_status status = lbr_analyse_composition(l->n, l->c, symmetric ? NULL : l->flag, order, symmetric, out, m);

    if (status) return status;
    if (out->order.value >= LBR_WORDS_MOST && order > out->order.value)
        out->order.value = order; /* steps of a map of order p that make one step have it too */
    out->symmetric = symmetric ? lbr_found_small(lbr_palindrome_residual(l->n, l->c, NULL), out->tolerance,
                                                 "steps of a symmetric map read the same backwards")
                               : lbr_found_small(lbr_alternation_residual(l->n, l->c, l->flag), out->tolerance,
                                                 "map and adjoint alternate and read the same backwards");
    out->symplectic = lbr_found_told(symplectic, symplectic ? "a composition of symplectic maps (HLW VI.3)"
                                                            : "the basic map is not symplectic");
    return LBR_OK;
}

double lbr_flat_tolerance(const lbr_flat *f)
{
    return f->digits > 0 && f->digits < 29 ? pow(10, 5 - f->digits) : LBR_RESIDUAL;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

/* Steps of one basic map: its kind's own way, or from what is true of one step. */
static lbr_status steps_of(const lbr_flat *f, const lbr_sequence *l, lbr_arena *arena, lbr_analysis *out,
                           lbr_message *m)
{
    lbr_base *b = f->base;
    lbr_analysis one = *out;
    lbr_status status;

    if (b->kind->analyse) return b->kind->analyse(f, l, arena, out, m);
    if (l->n == 1 && l->c[0].hi == 1 && l->c[0].lo == 0) return b->kind->analyse_one(b, l->flag[0], arena, out, m);
    if ((status = b->kind->analyse_one(b, 0, arena, &one, m))) return status;
    status = lbr_analyse_composed(l, one.order.value, one.symmetric.value, one.symplectic.value, out, m);
    return status || one.symplectic.value || !b->kind->analyse_together
               ? status
               : b->kind->analyse_together(l, b, arena, out, m);
}

lbr_finding lbr_found_volume(int symplectic)
{
    if (symplectic > 0) return lbr_found_told(LBR_VOLUME_CANONICAL, "it is symplectic (HLW VI.9.1)");
    return lbr_found_told(LBR_VOLUME_NEVER, "no method of this kind does, already for linear fields (HLW IV.3.2)");
}

lbr_status lbr_analyse_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    if (f->nbases != 1) return LBR_OK;
    if (f->base->kind->volume) return f->base->kind->volume(f, symplectic, arena, out, m);
    *out = lbr_found_volume(symplectic);
    return LBR_OK;
}

lbr_status lbr_analyse_constraints(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_finding *out,
                                   lbr_message *m)
{
    return f->nbases == 1 && f->base->kind->constraints ? f->base->kind->constraints(f, tolerance, arena, out, m)
                                                        : LBR_OK;
}

lbr_status lbr_flat_inside(const lbr_flat *f, lbr_flat *inner, lbr_arena *arena, lbr_message *m)
{
    *inner = *f;
    inner->naround--;
    return f->around[inner->naround]->inside(f, inner, arena, m);
}

lbr_status lbr_analyse(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_finding none = { .value = -1, .by = "theorem" };
    lbr_status status;
    lbr_sequence l;

    *out = (lbr_analysis){ none, none, none, none, none, none, none, none, none, none, tolerance, none, none, none };
    if (f->naround > 0) return f->around[f->naround - 1]->analyse_around(f, tolerance, arena, out, m);
    if (f->nbases > 1 && f->base->kind->mixes && f->base->kind->mixes(f)) {
        if (!(status = f->base->kind->analyse_mixed(f, arena, out, m))) out->digits = lbr_found_digits(out);
        return status;
    }
    if (f->nbases != 1)
        return lbr_fail(m, LBR_EUNFIT, "'%s' mixes several basic maps; its order cannot be decided by words", f->name);
    if (whole(f, arena, &l)) return no_memory(m);
    if (l.n == 0) return lbr_fail(m, LBR_EMETHOD, "method '%s' does nothing: all its steps are zero", f->name);
    if ((status = steps_of(f, &l, arena, out, m))) return status;
    if (out->conjugate.value < 0 && out->symplectic.value > 0)
        out->conjugate = lbr_found_told(LBR_ALL_ORDERS, "it is symplectic itself");
    if ((status = lbr_analyse_volume(f, out->symplectic.value, arena, &out->volume, m))) return status;
    if ((status = lbr_analyse_constraints(f, tolerance, arena, &out->constraints, m))) return status;
    out->digits = lbr_found_digits(out);
    return LBR_OK;
}
