/* pair_potential.c - potentials that are sums over distances: found in H, where it is written out.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * H is taken apart into its terms. One that has positions in it must have them in one sum of squares of differences
 * alone, s = |q_i - q_j|^2, or |q_i|^2, which something constant may be added to. With s_k in place of that the terms
 * are functions of one number each, and the gradient of their sum has all slopes. */
#include "graph/derive.h"
#include "structure.h"
#include "system.h"

#include <string.h>

enum { MOST_SPACE = 64 }; /* squares in a sum */

/* node, with s in it, or 0; and factor times s. */
typedef struct term {
    lbr_ref node, s;
    double shift, factor;
    int64_t first, second, space;
} term;
typedef struct square {
    int64_t a[MOST_SPACE], b[MOST_SPACE];
    int n;
    double shift, factor;
} square;

typedef struct search {
    lbr_model *m;
    lbr_dag *d;
    term *term;
    int64_t n, most;
    int lost; /* a position that is in no s after all */
    square *plain;
    int64_t nplain; /* terms that are sums of squares themselves */
} search;

/* --- sums of squares --------------------------------------------------------------------------------------------- */

/* A component of the positions; -1: something else. */
static int64_t position(const search *z, lbr_ref x)
{
    const lbr_dag_node *n = z->d->node + x;
    double i;

    if (n->op != LBR_OP_LOAD || n->k != z->m->lo.state || !lbr_dag_is_const(z->d, n->a, &i)) return -1;
    return i < (double)z->m->nq ? (int64_t)i : -1;
}

static int add_difference(const search *z, lbr_ref x, square *q)
{
    const lbr_dag_node *n = z->d->node + x;
    int64_t a = position(z, x), b = -1;

    if (a < 0 && n->op == LBR_OP_SUB) a = position(z, n->a), b = position(z, n->b), a = b < 0 ? -1 : a;
    if (a < 0 || q->n == MOST_SPACE) return 0;
    if (b > a || b < 0) q->a[q->n] = a, q->b[q->n++] = b;
    else q->a[q->n] = b, q->b[q->n++] = a; /* the lower one first: |q_i - q_j| has no order */
    return 1;
}

static int add_squares(const search *z, lbr_ref x, square *q)
{
    const lbr_dag_node *n = z->d->node + x;
    double c;

    if (lbr_dag_is_const(z->d, x, &c)) return q->shift += c, 1;
    switch (n->op) {
    case LBR_OP_MUL: return n->a == n->b && add_difference(z, n->a, q);
    case LBR_OP_FMA: return n->a == n->b && add_difference(z, n->a, q) && add_squares(z, n->c, q);
    case LBR_OP_ADD: return add_squares(z, n->a, q) && add_squares(z, n->b, q);
    default: return 0;
    }
}

/* In the order of their components. */
static void sort(square *q)
{
    for (int i = 1; i < q->n; i++)
        for (int k = i; k > 0 && (q->b[k] < q->b[k - 1] || (q->b[k] == q->b[k - 1] && q->a[k] < q->a[k - 1])); k--) {
            int64_t a = q->a[k], b = q->b[k];

            q->a[k] = q->a[k - 1], q->b[k] = q->b[k - 1], q->a[k - 1] = a, q->b[k - 1] = b;
        }
}

/* Whether n of them, from one on, are neighbouring components of two particles, each once. */
static int is_distance(const square *q, int from, int n, term *t)
{
    const int64_t *a = q->a + from, *b = q->b + from;

    if (n < 1 || from + n > q->n || (b[0] >= 0 && b[0] < a[0] + n)) return 0;
    for (int i = 1; i < n; i++)
        if (a[i] != a[0] + i || b[i] != (b[0] < 0 ? -1 : b[0] + i)) return 0;
    return t->first = a[0], t->second = b[0], t->space = n, t->shift = q->shift, 1;
}

/* --- terms ------------------------------------------------------------------------------------------------------- */

static int touches(const search *z, lbr_ref x, int64_t from, int64_t to)
{
    return lbr_touches_node(&z->m->lo, x, z->m->lo.state, from, to);
}

/* The one sum of squares that x has positions in; t->s is 0 before it is found. */
static int find(const search *z, lbr_ref x, term *t)
{
    const lbr_dag_node *n = z->d->node + x;
    const lbr_ref of[3] = { n->a, n->b, n->c };
    square q = { .n = 0 };

    if (!touches(z, x, 0, z->m->nq)) return 1;
    if (x == t->s) return 1;
    if (!t->s && add_squares(z, x, &q) && (sort(&q), is_distance(&q, 0, q.n, t))) return t->s = x, 1;
    if (n->op == LBR_OP_LOAD || n->op >= LBR_OP_SUM) return 0;
    for (int i = 0; i < lbr_op_operands[n->op]; i++)
        if (!find(z, of[i], t)) return 0;
    return 1;
}

static int add_term(search *z, lbr_ref x, double factor)
{
    term t = { 0 };
    int64_t k = 0;

    if (!touches(z, x, 0, z->m->nq)) return 1;
    if (touches(z, x, z->m->nq, 2 * z->m->nq) || z->d->node[x].deps & LBR_DEP_TIME || !find(z, x, &t) || !t.s) return 0;
    if (z->n && t.space != z->term->space) return 0;
    while (k < z->n && z->term[k].s != t.s) k++; /* terms of one distance belong together */
    if (k == z->most) return 0;
    if (k == z->n) z->term[z->n++] = t;
    x = lbr_dag_mul(z->d, lbr_dag_const(z->d, factor), x);
    z->term[k].node = lbr_dag_add(z->d, z->term[k].node, x);
    return !z->d->status;
}

/* Sums, and products and quotients with constants, are taken apart. */
static int terms(search *z, lbr_ref x, double factor)
{
    const lbr_dag_node n = z->d->node[x];
    square q = { .factor = factor };
    double c;

    if (touches(z, x, 0, z->m->nq) && z->nplain < z->most && add_squares(z, x, &q))
        return sort(&q), z->plain[z->nplain++] = q, 1;
    switch (n.op) {
    case LBR_OP_ADD: return terms(z, n.a, factor) && terms(z, n.b, factor);
    case LBR_OP_SUB: return terms(z, n.a, factor) && terms(z, n.b, -factor);
    case LBR_OP_NEG: return terms(z, n.a, -factor);
    case LBR_OP_MUL:
        return lbr_dag_is_const(z->d, n.a, &c)   ? terms(z, n.b, c * factor)
               : lbr_dag_is_const(z->d, n.b, &c) ? terms(z, n.a, c * factor)
                                                 : add_term(z, x, factor);
    case LBR_OP_DIV: return lbr_dag_is_const(z->d, n.b, &c) ? terms(z, n.a, factor / c) : add_term(z, x, factor);
    case LBR_OP_FMA:
        if (!terms(z, n.c, factor)) return 0;
        if (lbr_dag_is_const(z->d, n.a, &c)) return terms(z, n.b, c * factor);
        if (lbr_dag_is_const(z->d, n.b, &c)) return terms(z, n.a, c * factor);
        x = lbr_dag_mul(z->d, n.a, n.b);
        return add_term(z, x, factor);
    default: return add_term(z, x, factor);
    }
}

/* The term that is of the same distance, or NULL. */
static term *same_pair(search *z, const term *t)
{
    for (int64_t k = 0; k < z->n; k++)
        if (z->term[k].node && z->term[k].first == t->first && z->term[k].second == t->second) return &z->term[k];
    return NULL;
}

/* Sums of squares are of as many components as the other terms, several at once; alone, each is one distance. */
static int plain_terms(search *z)
{
    int64_t space = z->n ? z->term->space : 0;

    for (int64_t i = 0; i < z->nplain; i++) {
        const square *q = &z->plain[i];

        if (!space) space = q->n;
        for (int from = 0; from < q->n; from += (int)space) {
            term t = { .factor = q->factor }, *other;

            if (!is_distance(q, from, (int)space, &t)) return 0;
            if ((other = same_pair(z, &t))) other->factor += q->factor;
            else if (z->n == z->most) return 0;
            else z->term[z->n++] = t;
        }
    }
    return 1;
}

/* --- slopes ------------------------------------------------------------------------------------------------------ */

/* The node with input k of the directions in place of t->s. */
static lbr_ref replaced(search *z, const term *t, int64_t k, lbr_ref x)
{
    const lbr_dag_node n = z->d->node[x];
    int operands = lbr_op_operands[n.op];
    lbr_ref a, b, c;

    if (x == t->s) {
        a = lbr_dag_const(z->d, (double)k), b = lbr_dag_const(z->d, t->shift);
        a = lbr_dag_load(z->d, z->m->direction, a);
        return lbr_dag_add(z->d, a, b);
    }
    if (!operands || !touches(z, x, 0, z->m->nq)) return x;
    if (n.op == LBR_OP_LOAD || n.op >= LBR_OP_SUM) return z->lost = 1, 0;
    a = replaced(z, t, k, n.a), b = operands > 1 ? replaced(z, t, k, n.b) : 0,
    c = operands > 2 ? replaced(z, t, k, n.c) : 0;
    return lbr_dag_op(z->d, (lbr_op)n.op, a, b, c);
}

static int make(search *z, lbr_message *message)
{
    lbr_functions *s = z->m->functions;
    int64_t *first = lbr_arena_alloc(&z->m->arena, z->n, sizeof *first),
            *second = lbr_arena_alloc(&z->m->arena, z->n, sizeof *second);
    lbr_ref sum = 0, x;
    int slopes;

    if (!first || !second) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int64_t k = 0; k < z->n; k++) {
        first[k] = z->term[k].first, second[k] = z->term[k].second;
        x = lbr_dag_load(z->d, z->m->direction, lbr_dag_const(z->d, (double)k));
        x = lbr_dag_mul(z->d, lbr_dag_const(z->d, z->term[k].factor), x);
        if (z->term[k].node) x = lbr_dag_add(z->d, x, replaced(z, &z->term[k], k, z->term[k].node));
        if (z->lost) return 1;
        sum = lbr_dag_add(z->d, sum, x);
    }
    slopes = lbr_gradient(z->d, sum, z->m->direction);
    if (!lbr_function_make(z->m, &s->slopes, slopes, -1, 0, message)) return 0;
    s->pairs = (lbr_pairs){ sizeof s->pairs, z->n, z->term->space, first, second, NULL };
    return 1;
}

/* Input 1 in place of the state. */
static int call_slopes(double t, const double *s, double *out, void *ctx)
{
    const double *input[LBR_MODEL_INPUTS] = { NULL, s };

    return lbr_code_run(((lbr_functions *)ctx)->slopes.code, t, input, out);
}

int lbr_functions_pairs(lbr_model *m, lbr_message *message)
{
    search z = { .m = m, .d = &m->dag, .most = m->dim };

    if (m->dim > 512) return 1; /* sums are loops then */
    z.term = lbr_arena_alloc(&m->arena, z.most, sizeof *z.term),
    z.plain = lbr_arena_alloc(&m->arena, z.most, sizeof *z.plain);
    if (!z.term || !z.plain) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    if (!terms(&z, m->h, 1) || !plain_terms(&z) || !z.n)
        return !m->dag.status || (lbr_fail(message, m->dag.status, "out of memory"), 0);
    if (!make(&z, message)) return 0;
    if (z.lost) return 1;
    m->functions->pairs.slopes = call_slopes, m->functions->system.pairs = &m->functions->pairs;
    return 1;
}
