/* nystrom.c - Nystrom methods, for y'' = g: from tables, tableaux, kicks and drifts (HLW II.2.3).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"

#include <math.h>
#include <string.h>

typedef struct made {
    lbr_nystrom n;
    lbr_dd *A, *Ahat, *bbar, *b, *c;
} made; /* n first, so that one pointer is the other */

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
        for (int64_t j = i; j < m->n.s; j++)
            m->n.is_explicit &= m->n.A[i * m->n.s + j].hi == 0 && (!m->n.Ahat || m->n.Ahat[i * m->n.s + j].hi == 0);
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
            for (int64_t i = 0; i < s; i++)
                m->A[i * s + j] = dd_add(m->A[i * s + j], dd_mul(t->A[i * s + k], t->A[k * s + j]));
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
 *     c*_i = 1 - c_i',  b*_i = b_i',  bbar*_i = b_i' - bbar_i',
 *     a*_ij = a_i'j' - bbar_j' + (1 - c_i') b_j',  ahat*_ij = b_j' - ahat_i'j'. */
const lbr_nystrom *lbr_nystrom_adjoint(const lbr_nystrom *n, lbr_arena *arena)
{
    int64_t s = n->s, same = 1;
    made *m = new_nystrom(s, n->Ahat != NULL, arena);
    lbr_dd *time = n->time ? lbr_arena_alloc(arena, s, sizeof *time) : NULL;

    if (!m || (n->time && !time)) return NULL;
    m->n.time = time;
    for (int64_t i = 0; time && i < s; i++)
        time[i] = dd_sub(dd(1), n->time[s - 1 - i]), same &= near(time[i], n->time[i]);
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

static int same_list(const lbr_dd *a, const lbr_dd *b, int64_t n)
{
    return a == b || (a && b && !memcmp(a, b, (size_t)n * sizeof *a));
}

static int same(const lbr_base *x, const lbr_base *y)
{
    const lbr_nystrom *a = x->own, *b = y->own;

    return a->s == b->s && same_list(a->A, b->A, a->s * a->s) && same_list(a->Ahat, b->Ahat, a->s * a->s) &&
           same_list(a->bbar, b->bbar, a->s) && same_list(a->b, b->b, a->s) && same_list(a->c, b->c, a->s) &&
           same_list(a->time, b->time, a->s);
}

/* --- in method expressions --------------------------------------------------------------------------------------- */

static lbr_status enter(lbr_flattening *c, const lbr_method *claims, const lbr_nystrom *n, lbr_steps *out)
{
    return n ? lbr_flatten_base(c, (lbr_base){ .kind = lbr_kind_find("nystrom"), .own = n, .claims = *claims }, out)
             : lbr_flatten_no_memory(c);
}

/* Kicks b_j at the times c_j, explicit and symplectic: a_ij = b_j (c_i - c_j) for j < i (HLW VI.4.5). */
static int kicks(lbr_numbers *x, lbr_arena *arena)
{
    int64_t s = x->s;

    if (!(x->A = lbr_arena_alloc(arena, s * s, sizeof *x->A))) return -1;
    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < i; j++) x->A[i * s + j] = dd_mul(x->b[j], dd_sub(x->c[i], x->c[j]));
    return 0;
}

static lbr_status read_table(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    int64_t s = x->s = r->b.n;
    lbr_status status;

    if (s > LBR_TABLEAU_LARGEST)
        return lbr_fail(m, LBR_EMETHOD, "table '%s' has %lld stages; at most %d are taken", r->name, (long long)s,
                        LBR_TABLEAU_LARGEST);
    if ((status = lbr_read_exactly(r, "b", r->b, s, &x->b, arena, m)) ||
        (status = lbr_read_exactly(r, "c", r->c, s, &x->c, arena, m)))
        return status;
    if (r->A.n ? (status = lbr_read_exactly(r, "A", r->A, s * s, &x->A, arena, m)) != LBR_OK : kicks(x, arena))
        return r->A.n ? status : lbr_fail(m, LBR_ENOMEM, "out of memory while reading a table");
    if (r->Ahat.n && (status = lbr_read_exactly(r, "Ahat", r->Ahat, s * s, &x->Ahat, arena, m))) return status;
    if (r->bbar.n) return lbr_read_exactly(r, "bbar", r->bbar, s, &x->bbar, arena, m);
    if (!(x->bbar = lbr_arena_alloc(arena, s, sizeof *x->bbar)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory while reading a table");
    for (int64_t i = 0; i < s; i++) x->bbar[i] = dd_mul(x->b[i], dd_sub(dd(1), x->c[i])); /* HLW III.2.15 */
    return LBR_OK;
}

static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    return enter(c, claims, lbr_nystrom_of_numbers(x, c->arena), &out->kernel);
}

enum { MOST_KICKS = 128 };

/* Kicks and drifts as one method: all steps are of symplectic Euler and make one step. */
static lbr_status of_kicks(lbr_flattening *c, const lbr_method *claims, lbr_steps one, lbr_steps *out)
{
    lbr_dd time = dd(0);

    for (int64_t i = 0; i < one.n; i++) time = dd_add(time, one.step[i].c);
    if (one.n > MOST_KICKS || fabs(time.hi - 1) > 1e-5)
        return lbr_fail(c->m, LBR_EMETHOD, "nystrom takes up to %d steps of symplectic Euler that make one step",
                        MOST_KICKS);
    return enter(c, claims, lbr_nystrom_of_steps(one, c->arena), out);
}

/* What a method is for y'' = g: of a Runge-Kutta method the induced one, of kicks and drifts their sums. The bases of
 * what is inside are of no use afterwards. */
static lbr_status nystrom(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    const lbr_method claims = { LBR_SIZED, .name = e->name, .family = "Nystrom", .source = "HLW II.2.10",
                                .about = "what a method is for y'' = g" };
    int64_t before = c->flat->nbases, kicks = 1;
    const lbr_base *base;
    lbr_tableau *t;
    lbr_steps one;
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_operand(c, e->arg[0], &one))) return status;
    for (int64_t i = 0; i < one.n; i++) kicks &= c->flat->base[one.step[i].base].kind == lbr_kind_find("partitioned");
    base = one.n ? &c->flat->base[one.step->base] : NULL;
    c->flat->nbases = before;
    if (base && kicks) return of_kicks(c, &claims, one, &out->kernel);
    if (one.n != 1 || !base->tableau || base->second || one.step->c.hi != 1 || one.step->c.lo != 0)
        return lbr_fail(c->m, LBR_EMETHOD,
                        "nystrom takes a Runge-Kutta method, or kicks and drifts; '%s' is neither (tableau(METHOD) "
                        "makes one of a composition)",
                        e->arg[0]->name);
    t = one.step->adjoint ? lbr_tableau_adjoint(base->tableau, c->arena) : base->tableau;
    return t ? enter(c, &claims, lbr_nystrom_of_tableau(t, c->arena), &out->kernel) : lbr_flatten_no_memory(c);
}

/* burton-scherer:s(theta = a_1s) */
static lbr_status burton_scherer(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_method claims = { LBR_SIZED, .name = e->name, .family = "Nystrom",
                          .source = "HLW III, exercise 9 (Burton & Scherer 1998)",
                          .about = "Gauss points and one parameter" };
    lbr_numbers x;
    lbr_dd theta;

    if (e->nargs != 1 || e->arg[0]->name || !e->arg[0]->key || strcmp(e->arg[0]->key, "theta") ||
        lbr_dd_read(e->arg[0]->number, &theta))
        return lbr_flatten_misused(c, e);
    if (e->k < 1 || e->k > LBR_BURTON_SCHERER_MOST)
        return lbr_fail(c->m, LBR_EMETHOD, "burton-scherer goes from burton-scherer:1 to burton-scherer:%d",
                        LBR_BURTON_SCHERER_MOST);
    return lbr_burton_scherer(e->k, theta, &claims, &x, c->arena)
               ? lbr_flatten_no_memory(c)
               : enter(c, &claims, lbr_nystrom_of_numbers(&x, c->arena), &out->kernel);
}

/* --- of a system ------------------------------------------------------------------------------------------------- */

/* y'' = g needs q' = M^-1 p, which inverse_mass says, and p' by a force, or by a field where g may have y' in it. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_system *sys = &p->setup.sys.s;
    const lbr_nystrom *n = b->own;
    int masses = sys->nq > 0 && sys->inverse_mass, special = masses && sys->force;

    if (s->adjoint && !b->bound[1] && !(b->bound[1] = lbr_nystrom_adjoint(n, &p->arena))) return lbr_bind_no_memory(p);
    if (s->adjoint) n = b->bound[1];
    if (!masses || (!special && !sys->field))
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' is for q'' = g and needs positions whose rates are known to be q' = inverse_mass "
                        ".* p, with a force or a field, but system '%s' %s; "
                        "rk4, midpoint and gauss:s take any field",
                        p->flat.name, lbr_bind_system(p),
                        !sys->nq  ? "has no partition"
                        : !masses ? "gives no inverse_mass"
                                  : "gives neither");
    if (!special && !n->Ahat)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' is for q'' = g(t, q), but system '%s' gives a field in which p' may depend on p; "
                        "nystrom-4-general, gauss-nystrom:s and nystrom(rk4) "
                        "are for q'' = g(t, q, q')",
                        p->flat.name, lbr_bind_system(p));
    lbr_bind_step(p, to, (lbr_atom){ .kind = &lbr_atom_nystrom, .data = n, .index = !special, .moves_time = 1 }, s->c);
    return LBR_OK;
}

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static int self_adjoint(const lbr_base *b, lbr_arena *arena)
{
    const lbr_nystrom *n = lbr_nystrom_adjoint(b->own, arena);

    return n ? n == b->own : -1;
}

static double cost(const lbr_base *b, const lbr_step *s, const lbr_step *before, const lbr_system *system)
{
    const lbr_nystrom *n = b->own;

    (void)before, (void)system;
    return (double)n->s * (n->is_explicit && !s->adjoint ? 1 : LBR_GUESSED_ITERATIONS);
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    const lbr_nystrom *n = f->base->own;

    (void)arena, (void)m;
    i->explicitness = n->is_explicit && !lbr_flat_back(f) ? "always" : "never";
    return LBR_OK;
}

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_nystrom *n = adjoint ? lbr_nystrom_adjoint(b->own, arena) : b->own;

    return n ? lbr_analyse_nystrom(n, arena, out, m) : lbr_fail(m, LBR_ENOMEM, "out of memory while certifying");
}

static int timed(const lbr_base *b, lbr_tableau *t)
{
    const lbr_nystrom *n = b->own;

    *t = (lbr_tableau){ .s = n->s, .A = n->Ahat, .b = n->b, .c = n->time };
    return n->time != NULL;
}

/* A of kicks has no numbers of its own: it is written out. */
static int lists(const lbr_base *b, lbr_named_numbers *to)
{
    const lbr_nystrom *n = b->own;
    int64_t s = n->s;

    to[0] = (lbr_named_numbers){ "A", s * s, n->A }, to[1] = (lbr_named_numbers){ "bbar", s, n->bbar };
    to[2] = (lbr_named_numbers){ "b", s, n->b }, to[3] = (lbr_named_numbers){ "c", s, n->c };
    to[4] = (lbr_named_numbers){ "Ahat", s * s, n->Ahat };
    return n->Ahat ? 5 : 4;
}

static const lbr_operator operators[] = {
    { .name = "nystrom",
      .run = nystrom,
      .keeps = 1,
      .use = "nystrom(METHOD), such as nystrom(gauss:3) or nystrom(kahan-li-8-17)" },
    { .name = "burton-scherer",
      .run = burton_scherer,
      .use = "burton-scherer:s or burton-scherer:s(theta = NUMBER), such as burton-scherer:2(theta = 0.05)" },
    { .name = NULL }
};

extern const lbr_row lbr_rows_nystrom[];

const lbr_kind lbr_kind_nystrom[] = { { .name = "nystrom",
                                        .rows = lbr_rows_nystrom,
                                        .operators = operators,
                                        .type = LBR_MAP,
                                        .read = read_table,
                                        .flatten = flatten,
                                        .same = same,
                                        .self_adjoint = self_adjoint,
                                        .needs = "quadratic-kinetic",
                                        .describe = describe,
                                        .cost = cost,
                                        .bind = bind,
                                        .analyse_one = analyse,
                                        .timed = timed,
                                        .lists = lists },
                                      { .name = NULL } };
