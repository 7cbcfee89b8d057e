/* analyse.c - choosing the algebra for a method: trees, words or simplifying assumptions. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"

#include <stdio.h>
#include <string.h>

enum { CONJUGATE_MOST = 8, WORDS_MOST = 10, TREES_MOST = 12, COLOURED_MOST = 10, STEPS_MOST = 5000, TABLEAU_MOST = 100, NEAR_STEPS = 200, NEAR_PARTS = 4, GENERAL_STAGES = 64 };

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

static lbr_finding order_of(const lbr_order *o, const char *by)
{
    lbr_finding f = { .value = o->order, .by = by, .residual = o->residual, .constant = o->exact ? o->constant : 0 };

    if (o->exact) snprintf(f.detail, sizeof f.detail, "%s", o->detail);
    else snprintf(f.detail, sizeof f.detail, "at least: the search ends there");
    return f;
}

/* A property that holds where the residual is small. */
static lbr_finding small(double residual, double tolerance, const char *what)
{
    lbr_finding f = { .value = residual <= tolerance, .by = "theorem", .residual = residual <= tolerance ? residual : 0 };

    snprintf(f.detail, sizeof f.detail, "%s: residual %.1e", what, residual);
    return f;
}

static lbr_finding told(int value, const char *why)
{
    lbr_finding f = { .value = value, .by = "theorem" };

    snprintf(f.detail, sizeof f.detail, "%s", why);
    return f;
}

lbr_finding lbr_found_order(const lbr_order *o, const char *by) { return order_of(o, by); }
lbr_finding lbr_found_small(double residual, double tolerance, const char *what) { return small(residual, tolerance, what); }
lbr_finding lbr_found_told(int value, const char *why) { return told(value, why); }

/* Digits to which all conditions hold that are found to hold; 31 is as many as the arithmetic has. */
static lbr_finding digits_of(const lbr_analysis *a)
{
    const lbr_finding *all[] = { &a->order, &a->order_again, &a->quadratic, &a->near, &a->symmetric, &a->symplectic, &a->separable, &a->symplectic_separable, &a->constraints };
    lbr_finding f = { .value = 31, .by = a->order.by };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) if (all[i]->value > 0 && all[i]->residual > f.residual) f.residual = all[i]->residual;
    if (f.residual > 1e-31) f.value = (int)floor(-log10(f.residual));
    snprintf(f.detail, sizeof f.detail, "largest residual of a condition that holds: %.1e", f.residual);
    return f;
}

/* --- conjugate to a symplectic method ------------------------------------------------------------------------- */

static double asymplectic(const lbr_tableau *t, lbr_arena *arena)
{
    const lbr_tableau *reduced = t ? lbr_tableau_reduce(t, arena) : NULL;

    return reduced ? lbr_symplectic_residual((int)reduced->s, reduced->A, reduced->b) : -1;
}

lbr_status lbr_analyse_conjugate(const lbr_tableau *t, double tolerance, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    double itself = asymplectic(t, arena), between = asymplectic(lbr_tableau_between_eulers(t, arena), arena);
    lbr_order o;

    if (itself < 0 || between < 0) return no_memory(m);
    if (itself <= tolerance) return *out = told(LBR_ALL_ORDERS, "it is symplectic itself"), LBR_OK;
    if (between <= tolerance) return *out = told(LBR_ALL_ORDERS, "symplectic between half a step of explicit Euler and back (HLW VI.8.1)"), LBR_OK;
    if (lbr_conjugate_order((int)t->s, t->A, t->b, CONJUGATE_MOST, tolerance, &o)) return no_memory(m);
    *out = order_of(&o, "trees");
    return LBR_OK;
}

/* --- Runge-Kutta: one step ----------------------------------------------------------------------------------- */

/* The condition for symplecticity is necessary only where no two stages are the same (HLW VI.7.10): Lobatto IIIB with two stages is the midpoint rule. */
static lbr_status runge_kutta(const lbr_tableau *t, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_tableau *reduced = lbr_tableau_reduce(t, arena);
    int s = (int)t->s;
    lbr_order o;

    if (!reduced || lbr_assumptions_order(s, t->A, t->b, t->c, out->tolerance / 100, &o)) return no_memory(m);
    out->order = order_of(&o, "assumptions");
    if (o.order <= TREES_MOST) {
        if (lbr_trees_order(LBR_TREES_ROOTED, s, t->A, t->b, NULL, NULL, TREES_MOST, out->tolerance, &o)) return no_memory(m);
        out->order = order_of(&o, "trees");
    }
    if (lbr_tableau_timed(t)) {
        if (lbr_trees_timed(s, t->A, t->b, t->c, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        if (o.order < out->order.value) out->order = order_of(&o, "trees");
    }
    if (out->order.value <= COLOURED_MOST) {
        if (lbr_trees_order(LBR_TREES_NYSTROM, s, t->A, t->b, t->A, t->b, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        out->quadratic = order_of(&o, "trees");
    }
    out->is_explicit = told(t->is_explicit, t->is_explicit ? "A is strictly lower triangular" : "A is not strictly lower triangular");
    out->symmetric = small(fmax(lbr_symmetric_residual(s, t->A, t->b), lbr_timed_asymmetry(t)), out->tolerance, "a*_ij = a_ij (HLW V.2.4)");
    out->symplectic = small(lbr_symplectic_residual((int)reduced->s, reduced->A, reduced->b), out->tolerance, "b_i a_ij + b_j a_ji = b_i b_j (HLW VI.4.2)");
    return lbr_analyse_conjugate(t, out->tolerance, arena, &out->conjugate, m);
}

lbr_status lbr_analyse_tableau(const lbr_tableau *t, lbr_arena *arena, lbr_analysis *out, lbr_message *m) { return runge_kutta(t, arena, out, m); }

/* --- Nystrom: one step ---------------------------------------------------------------------------------------- */

/* Stages that are always equal taken together, as for tableaux; c goes along as a stage of its own, whose row is like no other. */
static lbr_status nystrom_symplectic(const lbr_nystrom *n, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    int64_t s = n->s, S = s + 1;
    lbr_dd *A = lbr_arena_alloc(arena, S * S, sizeof *A), *b = lbr_arena_alloc(arena, 2 * S, sizeof *b), *c = lbr_arena_alloc(arena, S, sizeof *c);
    lbr_tableau *one, *two;

    if (!A || !b || !c) return no_memory(m);
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < s; j++) A[i * S + j] = n->A[i * s + j];
        A[i * S + s] = n->c[i], b[i] = n->b[i], b[S + i] = n->bbar[i];
    }
    A[S * S - 1] = dd(1000);
    one = lbr_tableau_reduce(&(lbr_tableau){ .s = S, .A = A, .b = b }, arena), two = lbr_tableau_reduce(&(lbr_tableau){ .s = S, .A = A, .b = b + S }, arena);
    if (!one || !two) return no_memory(m);
    for (int64_t i = 0; i < one->s - 1; i++) c[i] = one->A[i * one->s + one->s - 1];
    out->symplectic = small(lbr_nystrom_symplectic_residual((int)one->s - 1, (int)one->s, one->A, two->b, one->b, c), out->tolerance,
                            "b_i (bbar_j - a_ij) = b_j (bbar_i - a_ji), bbar = b (1 - c) (HLW VI.4.5)");
    return LBR_OK;
}

/* The order for y'' = g(t, y, y') where the method is for it. */
static lbr_status general_nystrom(const lbr_nystrom *n, lbr_analysis *out, lbr_message *m)
{
    int s = (int)n->s;
    lbr_order o = { 0 };

    if (lbr_nystrom_induced_residual(s, n->A, n->Ahat, n->bbar, n->b, n->c) <= out->tolerance && lbr_assumptions_order(s, n->Ahat, n->b, n->c, out->tolerance / 100, &o)) return no_memory(m);
    out->order = order_of(&o, "assumptions");
    if (o.order > COLOURED_MOST || s > GENERAL_STAGES) return LBR_OK;
    if (lbr_trees_nystrom(s, n->A, n->Ahat, n->bbar, n->b, n->c, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
    out->order = order_of(&o, "trees");
    return LBR_OK;
}

static lbr_status nystrom(const lbr_nystrom *n, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    int s = (int)n->s;
    lbr_status status;
    lbr_order o;

    if (lbr_nystrom_assumptions(s, n->A, n->bbar, n->b, n->c, out->tolerance / 100, &o)) return no_memory(m);
    out->quadratic = order_of(&o, "assumptions");
    if (o.order <= COLOURED_MOST) {
        if (lbr_trees_nystrom(s, n->A, NULL, n->bbar, n->b, n->c, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        out->quadratic = order_of(&o, "trees");
    }
    out->order = out->quadratic;
    if (n->Ahat && (status = general_nystrom(n, out, m))) return status;
    if (n->Ahat && n->time) {
        if (lbr_trees_timed(s, n->Ahat, n->b, n->time, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        if (o.order < out->order.value) out->order = out->quadratic = order_of(&o, "trees");
    }
    out->is_explicit = told(n->is_explicit, n->is_explicit ? "A is strictly lower triangular" : "A is not strictly lower triangular");
    out->symmetric = small(lbr_nystrom_symmetric_residual(s, n->A, n->Ahat, n->bbar, n->b, n->c), out->tolerance, "the adjoint has the same coefficients (HLW V.2)");
    return nystrom_symplectic(n, arena, out, m);
}

/* --- sequences of steps of one basic map ------------------------------------------------------------------------ */

typedef struct list { int n; lbr_dd *c; unsigned char *flag; } list;

static int new_list(lbr_arena *arena, int64_t n, list *l)
{
    l->n = 0;
    l->c = lbr_arena_alloc(arena, n, sizeof *l->c);
    l->flag = lbr_arena_alloc(arena, n, 1);
    return l->c && l->flag ? 0 : -1;
}

static void add_steps(list *to, lbr_steps from)
{
    for (int64_t i = 0; i < from.n; i++)
        if (from.step[i].c.hi != 0) to->c[to->n] = from.step[i].c, to->flag[to->n++] = (unsigned char)from.step[i].adjoint;
}

/* Everything that one step consists of; flag: the adjoint. */
static int whole(const lbr_flat *f, lbr_arena *arena, list *l)
{
    if (new_list(arena, f->pre.n + f->kernel.n + f->post.n, l)) return -1;
    add_steps(l, f->pre), add_steps(l, f->kernel), add_steps(l, f->post);
    return 0;
}

static void push(list *l, lbr_dd c, int kick)
{
    if (l->n > 0 && l->flag[l->n - 1] == kick) l->c[l->n - 1] = dd_add(l->c[l->n - 1], c);
    else l->c[l->n] = c, l->flag[l->n++] = (unsigned char)kick;
    if (fabs(l->c[l->n - 1].hi) < 1e-28) l->n--;
}

/* Steps of symplectic Euler (kick, drift) and its adjoint as merged kicks and drifts; flag: a kick. */
static int kicks_and_drifts(const list *l, lbr_arena *arena, list *out)
{
    if (new_list(arena, 2 * l->n, out)) return -1;
    for (int i = 0; i < l->n; i++) push(out, l->c[i], !l->flag[i]), push(out, l->c[i], l->flag[i]);
    return 0;
}

/* By words, as far as they reach and round-off lets them; then level by level. */
static lbr_status composition_order(int n, const lbr_dd *c, const unsigned char *flag, int order, int symmetric, lbr_analysis *out, lbr_message *m)
{
    lbr_order o = { .order = 0 }, nested;

    if (n <= STEPS_MOST && lbr_words_composition(n, c, flag, order, symmetric, WORDS_MOST, out->tolerance, &o)) return no_memory(m);
    out->order = order_of(&o, "words");
    if (lbr_nested_order(n, c, flag, order, symmetric, out->tolerance, &nested)) return no_memory(m);
    if (nested.order > o.order) out->order = order_of(&nested, "theorem");
    if (!out->order.value && n > STEPS_MOST) return lbr_fail(m, LBR_EUNFIT, "it has more than %d steps of its basic map, and no levels; that is too many to certify", STEPS_MOST);
    return LBR_OK;
}

static lbr_status partitioned(const list *l, const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    int table = f->is_row && f->numbers.form == LBR_COMPOSITION;
    lbr_order o;
    lbr_status status;
    list kd;

    if (kicks_and_drifts(l, arena, &kd)) return no_memory(m);
    if ((status = table ? composition_order((int)f->numbers.s, f->numbers.b, NULL, 2, 1, out, m) : composition_order(l->n, l->c, l->flag, 1, 0, out, m))) return status;
    if (out->order.value <= COLOURED_MOST && kd.n <= STEPS_MOST) {
        if (lbr_trees_splitting(kd.n, kd.c, kd.flag, 0, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        out->order_again = order_of(&o, "trees");
        if (lbr_trees_splitting(kd.n, kd.c, kd.flag, 1, COLOURED_MOST, out->tolerance, &o)) return no_memory(m);
        out->quadratic = order_of(&o, "trees");
    }
    out->symmetric = small(lbr_palindrome_residual(kd.n, kd.c, kd.flag), out->tolerance, "kicks and drifts read the same backwards");
    out->symplectic = told(1, "a composition of symplectic maps (HLW VI.3)");
    return LBR_OK;
}

/* The letter of a part: how many different names come before it. */
static int letter_of(const lbr_flat *f, const char *name)
{
    const char *seen[NEAR_PARTS] = { NULL };
    int n = 0;

    for (int64_t b = 0; b < f->nbases; b++)
        for (int64_t k = 0; k < f->base[b].nparts; k++) {
            int i = 0;

            while (i < n && strcmp(seen[i], f->base[b].part[k])) i++;
            if (!strcmp(name, f->base[b].part[k])) return i;
            if (i == n && n < NEAR_PARTS) seen[n++] = f->base[b].part[k];
        }
    return n;
}

/* Steps of parts one by one, neighbours of the same part merged; flag: which part. All of them if they are not named: as if there were two. */
static int flows(const lbr_flat *f, lbr_arena *arena, list *out, int *letters)
{
    const lbr_steps *all[] = { &f->pre, &f->kernel, &f->post };

    *letters = 2;
    if (new_list(arena, NEAR_PARTS * (f->pre.n + f->kernel.n + f->post.n), out)) return -1;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < all[a]->n; i++) {
            const lbr_step *s = &all[a]->step[i];
            const lbr_base *b = &f->base[s->base];
            int64_t n = b->nparts ? b->nparts : 2;

            for (int64_t k = 0; k < n; k++) {
                int64_t j = s->adjoint ? n - 1 - k : k;
                int letter = b->nparts ? letter_of(f, b->part[j]) : (int)j;

                push(out, s->c, letter);
                if (letter >= *letters) *letters = letter + 1;
            }
        }
    return 0;
}

/* Is a part stepped by a Runge-Kutta method? */
static int mixed(const lbr_base *b)
{
    for (int64_t k = 0; k < b->nparts; k++) if (b->by[k]) return 1;
    return 0;
}

/* Steps of parts by symplectic methods are symplectic, where the parts are Hamiltonian. */
static int symplectic_steps(const lbr_base *b, double tolerance)
{
    for (int64_t k = 0; k < b->nparts; k++) if (b->by[k] && lbr_symplectic_residual((int)b->by[k]->s, b->by[k]->A, b->by[k]->b) > tolerance) return 0;
    return 1;
}

/* Parts that words can tell apart. */
static int few_parts(const lbr_flat *f)
{
    for (int64_t b = 0; b < f->nbases; b++) {
        if (f->base[b].kind != LBR_BASE_PARTS || mixed(&f->base[b]) || f->base[b].nparts > NEAR_PARTS || (f->nbases > 1 && !f->base[b].nparts)) return 0;
        for (int64_t k = 0; k < f->base[b].nparts; k++) if (letter_of(f, f->base[b].part[k]) >= NEAR_PARTS) return 0;
    }
    return f->pre.n + f->kernel.n + f->post.n <= NEAR_STEPS;
}

static lbr_status near_order(const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_order o;
    list all;
    int letters;

    if (!few_parts(f) || f->base->nparts == 1) return LBR_OK;
    if (flows(f, arena, &all, &letters) || lbr_near_order(all.n, all.c, all.flag, letters, out->order.value, out->tolerance, &o)) return no_memory(m);
    out->near = order_of(&o, "words");
    return LBR_OK;
}

/* Different selections of parts, as in processors made of single ones. */
static lbr_status selections(const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_order o;
    list all;
    int letters;

    if (flows(f, arena, &all, &letters) || lbr_words_splitting(all.n, all.c, all.flag, letters, WORDS_MOST, out->tolerance, &o)) return no_memory(m);
    out->order = order_of(&o, "words");
    out->symmetric = small(lbr_palindrome_residual(all.n, all.c, all.flag), out->tolerance, "flows of parts read the same backwards");
    out->symplectic = told(1, "a composition of exact flows, symplectic where the parts are Hamiltonian (HLW VI.2)");
    return near_order(f, arena, out, m);
}

static lbr_status parts(const lbr_flat *f, const list *l, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_status status = composition_order(l->n, l->c, l->flag, 1, 0, out, m);

    if (status) return status;
    out->symmetric = small(lbr_alternation_residual(l->n, l->c, l->flag), out->tolerance, "forth and back alternate and read the same backwards");
    out->symplectic = told(1, "a composition of exact flows, symplectic where the parts are Hamiltonian (HLW VI.2)");
    if (mixed(f->base)) {
        int good = symplectic_steps(f->base, out->tolerance);

        out->symplectic = told(good, good ? "steps of parts are symplectic where the parts are Hamiltonian (HLW VI.4)" : "a part is stepped by a method that is not symplectic");
    }
    return near_order(f, arena, out, m);
}

/* Steps of some map of known order. */
static lbr_status composed(const list *l, int order, int symmetric, int symplectic, lbr_analysis *out, lbr_message *m)
{
    lbr_status status = composition_order(l->n, l->c, symmetric ? NULL : l->flag, order, symmetric, out, m);

    if (status) return status;
    if (out->order.value >= WORDS_MOST && order > out->order.value) out->order.value = order;      /* steps of a map of order p that make one step have it too */
    out->symmetric = symmetric ? small(lbr_palindrome_residual(l->n, l->c, NULL), out->tolerance, "steps of a symmetric map read the same backwards")
                               : small(lbr_alternation_residual(l->n, l->c, l->flag), out->tolerance, "map and adjoint alternate and read the same backwards");
    out->symplectic = told(symplectic, symplectic ? "a composition of symplectic maps (HLW VI.3)" : "the basic map is not symplectic");
    return LBR_OK;
}

lbr_status lbr_analyse_composed(int n, lbr_dd *c, unsigned char *adjoint, const lbr_analysis *of, lbr_analysis *out, lbr_message *m)
{
    list l = { n, c, adjoint };
    lbr_finding digits;
    lbr_status status = composed(&l, of->order.value, of->symmetric.value, of->symplectic.value, out, m);

    if (!status && (digits = digits_of(out)).value < of->digits.value) out->digits = digits;
    return status;
}

/* A composition may be symplectic although its steps are not: so are two half steps of implicit and explicit Euler. */
static lbr_status symplectic_together(const list *l, lbr_tableau *t, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_tableau *adjoint = lbr_tableau_adjoint(t, arena), *all;
    const lbr_tableau **part = lbr_arena_alloc(arena, l->n, sizeof *part);

    if (!adjoint || !part) return no_memory(m);
    for (int k = 0; k < l->n; k++) part[k] = l->flag[k] ? adjoint : t;
    if (!(all = lbr_tableau_compose(l->n, l->c, part, arena)) || !(all = lbr_tableau_reduce(all, arena))) return no_memory(m);
    out->symplectic = small(lbr_symplectic_residual((int)all->s, all->A, all->b), out->tolerance, "b_i a_ij + b_j a_ji = b_i b_j for all steps as one tableau (HLW VI.4.2)");
    return lbr_analyse_conjugate(all, out->tolerance, arena, &out->conjugate, m);
}

static lbr_status over_tableau(const list *l, const lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_analysis inner = { .tolerance = out->tolerance };
    lbr_status status;
    lbr_tableau *t = b->tableau;

    if (l->n == 1 && l->flag[0] && !(t = lbr_tableau_adjoint(t, arena))) return no_memory(m);
    if (l->n == 1 && l->c[0].hi == 1 && l->c[0].lo == 0) return runge_kutta(t, arena, out, m);
    if ((status = runge_kutta(b->tableau, arena, &inner, m))) return status;
    if ((status = composed(l, inner.order.value, inner.symmetric.value, inner.symplectic.value, out, m))) return status;
    return inner.symplectic.value || t->s * l->n > TABLEAU_MOST ? LBR_OK : symplectic_together(l, t, arena, out, m);
}

static lbr_status over_derived(const list *l, const lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_analysis inner = *out;
    lbr_status status = lbr_analyse_derived(b->derived, arena, &inner, m);

    if (status) return status;
    if (l->n == 1 && l->c[0].hi == 1 && l->c[0].lo == 0) return *out = inner, LBR_OK;
    return composed(l, inner.order.value, inner.symmetric.value, inner.symplectic.value, out, m);
}

/* All steps as one pair. */
static lbr_status pair_together(const list *l, const lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_tableau *all[2], **part = lbr_arena_alloc(arena, l->n, sizeof *part);

    for (int i = 0; i < 2; i++) {
        lbr_tableau *t = i ? b->second : b->tableau, *adjoint = lbr_tableau_adjoint(t, arena);

        if (!part || !adjoint) return no_memory(m);
        for (int k = 0; k < l->n; k++) part[k] = l->flag[k] ? adjoint : t;
        if (!(all[i] = lbr_tableau_compose(l->n, l->c, part, arena))) return no_memory(m);
    }
    return lbr_analyse_pair_symplectic(all[0], all[1], b->kind == LBR_BASE_ADDITIVE, arena, out, m);
}

static lbr_status over_pair(const list *l, const lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_analysis inner = { .tolerance = out->tolerance };
    lbr_status status;
    lbr_tableau *q = b->tableau, *p = b->second;

    if (l->n == 1 && l->flag[0] && (!(q = lbr_tableau_adjoint(q, arena)) || !(p = lbr_tableau_adjoint(p, arena)))) return no_memory(m);
    if (l->n == 1 && l->c[0].hi == 1 && l->c[0].lo == 0) return lbr_analyse_pair(q, p, b->kind == LBR_BASE_ADDITIVE, arena, out, m);
    if ((status = lbr_analyse_pair(b->tableau, b->second, b->kind == LBR_BASE_ADDITIVE, arena, &inner, m))) return status;
    if ((status = composed(l, inner.order.value, inner.symmetric.value, inner.symplectic.value, out, m))) return status;
    return inner.symplectic.value || q->s * l->n > TABLEAU_MOST ? LBR_OK : pair_together(l, b, arena, out, m);
}

static lbr_status over_nystrom(const list *l, const lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_analysis inner = { .tolerance = out->tolerance };
    const lbr_nystrom *n = l->n == 1 && l->flag[0] ? lbr_nystrom_adjoint(b->nystrom, arena) : b->nystrom;
    lbr_status status;

    if (!n) return no_memory(m);
    if (l->n == 1 && l->c[0].hi == 1 && l->c[0].lo == 0) return nystrom(n, arena, out, m);
    if ((status = nystrom(b->nystrom, arena, &inner, m))) return status;
    return composed(l, inner.order.value, inner.symmetric.value, inner.symplectic.value, out, m);
}

double lbr_flat_tolerance(const lbr_flat *f) { return f->digits > 0 && f->digits < 29 ? pow(10, 5 - f->digits) : LBR_RESIDUAL; }

/* Of a map of the user's, from what it promises. */
static lbr_status over_map(const list *l, const lbr_map_def *map, lbr_analysis *out, lbr_message *m)
{
    if (map->order < 1) return lbr_fail(m, LBR_EUNFIT, "the map '%s' of the system promises no order, so that nothing can be said of methods that are made of it", map->name);
    return composed(l, map->order, map->symmetric, map->symplectic, out, m);
}

lbr_status lbr_analyse(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_finding none = { .value = -1, .by = "theorem" };
    const lbr_base *b = f->base;
    lbr_status status = LBR_OK;
    list l;

    *out = (lbr_analysis){ none, none, none, none, none, none, none, none, none, none, tolerance, none, none, none };
    if (f->projected) return lbr_analyse_projected(f, tolerance, arena, out, m);
    if (f->nbases > 1 && few_parts(f)) {
        if (!(status = selections(f, arena, out, m))) out->digits = digits_of(out);
        return status;
    }
    if (lbr_mixes_tableaux(f)) {
        if ((status = lbr_analyse_mixed(f, arena, out, m))) return status;
        if (f->reduced) lbr_analyse_reduced(out);
        return out->digits = digits_of(out), LBR_OK;
    }
    if (f->nbases != 1) return lbr_fail(m, LBR_EUNFIT, "'%s' mixes several basic maps; its order cannot be decided by words", f->name);
    if (whole(f, arena, &l)) return no_memory(m);
    if (l.n == 0) return lbr_fail(m, LBR_EMETHOD, "method '%s' does nothing: all its steps are zero", f->name);
    switch (b->kind) {
    case LBR_BASE_EULER: status = partitioned(&l, f, arena, out, m); break;
    case LBR_BASE_PARTS: status = parts(f, &l, arena, out, m); break;
    case LBR_BASE_PAIR: case LBR_BASE_ADDITIVE: status = over_pair(&l, b, arena, out, m); break;
    case LBR_BASE_RUNGE_KUTTA: status = over_tableau(&l, b, arena, out, m); break;
    case LBR_BASE_NYSTROM: status = over_nystrom(&l, b, arena, out, m); break;
    case LBR_BASE_MAP: status = over_map(&l, b->map, out, m); break;
    case LBR_BASE_DERIVED: status = over_derived(&l, b, arena, out, m); break;
    case LBR_BASE_RIGID: status = composed(&l, 2, 1, 1, out, m); break;        /* exact flows there and back */
    case LBR_BASE_PROJECTED: break;                  /* not here any more */
    }
    if (!status && out->conjugate.value < 0 && out->symplectic.value > 0) out->conjugate = told(LBR_ALL_ORDERS, "it is symplectic itself");
    if (!status) status = lbr_analyse_volume(f, out->symplectic.value, arena, &out->volume, m);
    if (!status) status = lbr_analyse_constraints(f, tolerance, arena, &out->constraints, m);
    if (!status && f->reduced) lbr_analyse_reduced(out);
    if (!status) out->digits = digits_of(out);
    return status;
}
