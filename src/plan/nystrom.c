/* nystrom.c - Nystrom methods made of other things: tables, tableaux, kicks and drifts, their adjoints. SPDX-License-Identifier: BSD-3-Clause */
#include "operators.h"

#include <math.h>
#include <string.h>

typedef struct made { lbr_nystrom n;  lbr_dd *A, *Ahat, *bbar, *b, *c; } made;      /* n first, so that one pointer is the other */

static made *new_nystrom(int64_t s, int general, lbr_arena *arena)
{
    made *m = lbr_arena_alloc(arena, 1, sizeof *m);

    if (!m) return NULL;
    m->A = lbr_arena_alloc(arena, s * s, sizeof *m->A);
    m->Ahat = general ? lbr_arena_alloc(arena, s * s, sizeof *m->Ahat) : NULL;
    m->bbar = lbr_arena_alloc(arena, s, sizeof *m->bbar);
    m->b = lbr_arena_alloc(arena, s, sizeof *m->b);
    m->c = lbr_arena_alloc(arena, s, sizeof *m->c);
    if (!m->A || (general && !m->Ahat) || !m->bbar || !m->b || !m->c) return NULL;
    m->n = (lbr_nystrom){ .s = s, .A = m->A, .Ahat = m->Ahat, .bbar = m->bbar, .b = m->b, .c = m->c };
    return m;
}

/* Explicit where both matrices are strictly lower triangular. */
static const lbr_nystrom *finished(made *m)
{
    m->n.is_explicit = 1;
    for (int64_t i = 0; i < m->n.s; i++)
        for (int64_t j = i; j < m->n.s; j++) m->n.is_explicit &= m->n.A[i * m->n.s + j].hi == 0 && (!m->n.Ahat || m->n.Ahat[i * m->n.s + j].hi == 0);
    return &m->n;
}

const lbr_nystrom *lbr_nystrom_of_numbers(const lbr_numbers *x, lbr_arena *arena)
{
    made *m = lbr_arena_alloc(arena, 1, sizeof *m);

    if (!m) return NULL;
    m->n = (lbr_nystrom){ .s = x->s, .A = x->A, .Ahat = x->Ahat, .bbar = x->bbar, .b = x->b, .c = x->c };
    return finished(m);
}

const lbr_nystrom *lbr_nystrom_of_tableau(const lbr_tableau *t, lbr_arena *arena)
{
    int64_t s = t->s;
    made *m = new_nystrom(s, 1, arena);

    if (!m) return NULL;
    memcpy(m->Ahat, t->A, (size_t)(s * s) * sizeof *t->A), memcpy(m->b, t->b, (size_t)s * sizeof *t->b);
    for (int64_t i = 0; i < s; i++) {
        m->c[i] = lbr_tableau_place(t, i);
        if (m->c[i].hi != t->c[i].hi) m->n.time = t->c;
    }
    for (int64_t k = 0; k < s; k++)
        for (int64_t j = 0; j < s; j++) {
            m->bbar[j] = dd_add(m->bbar[j], dd_mul(t->b[k], t->A[k * s + j]));
            for (int64_t i = 0; i < s; i++) m->A[i * s + j] = dd_add(m->A[i * s + j], dd_mul(t->A[i * s + k], t->A[k * s + j]));
        }
    return finished(m);
}

/* A kick of `by` at `time`, which joins one that is there already. */
static int64_t kick(made *m, int64_t s, lbr_dd time, lbr_dd by)
{
    int joins = s > 0 && fabs(dd_double(dd_sub(m->c[s - 1], time))) < 1e-28;

    if (joins) m->b[s - 1] = dd_add(m->b[s - 1], by);
    else m->c[s] = time, m->b[s++] = by;
    return s > 0 && fabs(m->b[s - 1].hi) < 1e-28 ? s - 1 : s;
}

/* l_j moves y' by b_j and thus the stages after it by b_j (c_i - c_j). */
const lbr_nystrom *lbr_nystrom_of_steps(lbr_steps steps, lbr_arena *arena)
{
    made *m = new_nystrom(steps.n, 0, arena);
    lbr_dd time = dd(0);
    int64_t s = 0;

    if (!m) return NULL;
    for (int64_t k = 0; k < steps.n; k++) {
        lbr_dd c = steps.step[k].c;

        if (!steps.step[k].adjoint) s = kick(m, s, time, c);
        time = dd_add(time, c);
        if (steps.step[k].adjoint) s = kick(m, s, time, c);
    }
    m->n.s = s;
    for (int64_t i = 0; i < s; i++) {
        m->bbar[i] = dd_mul(m->b[i], dd_sub(dd(1), m->c[i]));
        for (int64_t j = 0; j < i; j++) m->A[i * s + j] = dd_mul(m->b[j], dd_sub(m->c[i], m->c[j]));
    }
    return finished(m);
}

static int near(lbr_dd a, lbr_dd b) { return fabs(dd_double(dd_sub(a, b))) < 1e-26; }

/* y and y1 exchanged, h with the other sign, the stages in reverse order (HLW II.3): with i' = s + 1 - i
 *     c*_i = 1 - c_i',  b*_i = b_i',  bbar*_i = b_i' - bbar_i',  a*_ij = a_i'j' - bbar_j' + (1 - c_i') b_j',  ahat*_ij = b_j' - ahat_i'j'. */
const lbr_nystrom *lbr_nystrom_adjoint(const lbr_nystrom *n, lbr_arena *arena)
{
    int64_t s = n->s, same = 1;
    made *m = new_nystrom(s, n->Ahat != NULL, arena);
    lbr_dd *time = n->time ? lbr_arena_alloc(arena, s, sizeof *time) : NULL;

    if (!m || (n->time && !time)) return NULL;
    m->n.time = time;
    for (int64_t i = 0; time && i < s; i++) time[i] = dd_sub(dd(1), n->time[s - 1 - i]), same &= near(time[i], n->time[i]);
    for (int64_t i = 0, u = s - 1; i < s; i++, u--) {
        m->c[i] = dd_sub(dd(1), n->c[u]);
        m->b[i] = n->b[u];
        m->bbar[i] = dd_sub(n->b[u], n->bbar[u]);
        same &= near(m->c[i], n->c[i]) && near(m->b[i], n->b[i]) && near(m->bbar[i], n->bbar[i]);
        for (int64_t j = 0, v = s - 1; j < s; j++, v--) {
            lbr_dd a = dd_add(dd_sub(n->A[u * s + v], n->bbar[v]), dd_mul(dd_sub(dd(1), n->c[u]), n->b[v]));

            m->A[i * s + j] = fabs(a.hi) < 1e-28 ? dd(0) : a;
            same &= near(a, n->A[i * s + j]);
            if (!n->Ahat) continue;
            a = dd_sub(n->b[v], n->Ahat[u * s + v]);
            m->Ahat[i * s + j] = fabs(a.hi) < 1e-28 ? dd(0) : a;
            same &= near(a, n->Ahat[i * s + j]);
        }
    }
    return same ? n : finished(m);
}

static int same_list(const lbr_dd *a, const lbr_dd *b, int64_t n) { return a == b || (a && b && !memcmp(a, b, (size_t)n * sizeof *a)); }

int lbr_nystrom_same(const lbr_nystrom *a, const lbr_nystrom *b)
{
    if (!a || !b) return a == b;
    return a->s == b->s && same_list(a->A, b->A, a->s * a->s) && same_list(a->Ahat, b->Ahat, a->s * a->s) && same_list(a->bbar, b->bbar, a->s)
        && same_list(a->b, b->b, a->s) && same_list(a->c, b->c, a->s) && same_list(a->time, b->time, a->s);
}

/* --- in method expressions ------------------------------------------------------------------------------------------ */

static lbr_status no_memory(lbr_flattening *c) { return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method"); }

lbr_status lbr_flatten_nystrom(lbr_flattening *c, const lbr_method *claims, const lbr_nystrom *n, lbr_steps *out)
{
    return n ? lbr_flatten_base(c, (lbr_base){ .kind = LBR_BASE_NYSTROM, .nystrom = n, .claims = *claims }, out) : no_memory(c);
}

enum { MOST_KICKS = 128 };

/* Kicks and drifts as one method: all steps are of symplectic Euler and make one step. */
static lbr_status of_kicks(lbr_flattening *c, const lbr_method *claims, lbr_steps one, lbr_steps *out)
{
    lbr_dd time = dd(0);

    for (int64_t i = 0; i < one.n; i++) time = dd_add(time, one.step[i].c);
    if (one.n > MOST_KICKS || fabs(time.hi - 1) > 1e-5) return lbr_fail(c->m, LBR_EMETHOD, "nystrom takes up to %d steps of symplectic Euler that make one step", MOST_KICKS);
    return lbr_flatten_nystrom(c, claims, lbr_nystrom_of_steps(one, c->arena), out);
}

/* What a method is for y'' = g: of a Runge-Kutta method the induced one, of kicks and drifts their sums. The bases of what is inside are of no use
 * afterwards. */
lbr_status lbr_operator_nystrom(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    const lbr_method claims = { LBR_SIZED, .name = e->name, .family = "Nystrom", .source = "HLW II.2.10", .about = "what a method is for y'' = g" };
    int64_t before = c->flat->nbases, kicks = 1;
    const lbr_base *base;
    lbr_tableau *t;
    lbr_steps one;
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, "nystrom");
    if ((status = lbr_flatten_operand(c, e->arg[0], &one))) return status;
    for (int64_t i = 0; i < one.n; i++) kicks &= c->flat->base[one.step[i].base].kind == LBR_BASE_EULER;
    base = one.n ? &c->flat->base[one.step->base] : NULL;
    c->flat->nbases = before;
    if (base && kicks) return of_kicks(c, &claims, one, &out->kernel);
    if (one.n != 1 || base->kind != LBR_BASE_RUNGE_KUTTA || one.step->c.hi != 1 || one.step->c.lo != 0)
        return lbr_fail(c->m, LBR_EMETHOD, "nystrom takes a Runge-Kutta method, or kicks and drifts; '%s' is neither (tableau(METHOD) makes one of a composition)", e->arg[0]->name);
    t = one.step->adjoint ? lbr_tableau_adjoint(base->tableau, c->arena) : base->tableau;
    return t ? lbr_flatten_nystrom(c, &claims, lbr_nystrom_of_tableau(t, c->arena), &out->kernel) : no_memory(c);
}

/* burton-scherer:s(theta = a_1s) */
lbr_status lbr_operator_burton_scherer(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_method claims = { LBR_SIZED, .name = e->name, .family = "Nystrom", .source = "HLW III, exercise 9 (Burton & Scherer 1998)", .about = "Gauss points and one parameter" };
    lbr_numbers x;
    lbr_dd theta;

    if (e->nargs != 1 || e->arg[0]->name || !e->arg[0]->key || strcmp(e->arg[0]->key, "theta") || lbr_dd_read(e->arg[0]->number, &theta)) return lbr_flatten_misused(c, "burton-scherer");
    if (e->k < 1 || e->k > LBR_BURTON_SCHERER_MOST) return lbr_fail(c->m, LBR_EMETHOD, "burton-scherer goes from burton-scherer:1 to burton-scherer:%d", LBR_BURTON_SCHERER_MOST);
    return lbr_burton_scherer(e->k, theta, &claims, &x, c->arena) ? no_memory(c) : lbr_flatten_nystrom(c, &claims, lbr_nystrom_of_numbers(&x, c->arena), &out->kernel);
}
