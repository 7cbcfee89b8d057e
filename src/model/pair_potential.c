/* pair_potential.c - potentials that are sums over distances: found in H, where it is written out.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * H is taken apart into its terms. One that has positions in it must have them in one sum of squares of differences
 * alone, s = |q_i - q_j|^2, or |q_i|^2, which something constant may be added to. With s_k in place of that the terms
 * are functions of one number each, and the gradient of their sum has all slopes.
 *
 * Graphs are as deep as sums are long, and what is common is one node: nothing calls itself here, and a term's nodes
 * are gone through once each. */
#include "graph/derive.h"
#include "structure.h"
#include "model_system.h"

#include <string.h>

enum { MOST_SPACE = 64 };       /* squares in a sum */
enum { MOST_PIECES = 1 << 18 }; /* of H, of which something common is several: with more it is no sum over distances */
/* What a node has in it: positions, momenta; and of which that must be asked. */
enum { HAS_Q = 1, HAS_P = 2, ASK_Q = 4, ASK_P = 8 };

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

/* A part of H that is still to be taken apart; of an FMA, its product alone. */
typedef struct piece {
    lbr_ref node;
    int product;
    double factor;
} piece;

typedef struct search {
    lbr_model *m;
    lbr_dag *d;
    unsigned char *has; /* of each node */
    lbr_ref *image;     /* of each node that has been gone through in this turn */
    int32_t *seen, turn;
    int64_t known, room_has, room_image, room_seen;
    lbr_ref *stack;
    piece *piece;
    int64_t nstack, room_stack, npieces, room_pieces;
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

/* From the left; a sum of more than so many numbers has too many squares. */
static int add_squares(const search *z, lbr_ref x, square *q)
{
    lbr_ref later[2 * MOST_SPACE];
    int n = 0;

    for (later[n++] = x; n > 0;) {
        const lbr_dag_node *a = z->d->node + (x = later[--n]);
        double c;

        if (lbr_dag_is_const(z->d, x, &c)) q->shift += c;
        else if (a->op == LBR_OP_ADD && n + 2 <= 2 * MOST_SPACE) later[n++] = a->b, later[n++] = a->a;
        else if ((a->op != LBR_OP_MUL && a->op != LBR_OP_FMA) || a->a != a->b || !add_difference(z, a->a, q)) return 0;
        else if (a->op == LBR_OP_FMA) later[n++] = a->c;
    }
    return 1;
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

static int no_memory(search *z) { return z->d->status = lbr_fail(&z->d->message, LBR_ENOMEM, "out of memory"), 0; }

/* Room for what is known of all nodes. */
static int room(search *z)
{
    int64_t n = z->known, more = z->d->n - n;

    return (LBR_ROOM(NULL, z->has, n, z->room_has, more) && LBR_ROOM(NULL, z->image, n, z->room_image, more) &&
            LBR_ROOM(NULL, z->seen, n, z->room_seen, more)) ||
           no_memory(z);
}

/* What the nodes have that came since: operands are earlier than what is made of them. */
static int learn(search *z)
{
    if (!room(z)) return 0;
    for (; z->known < z->d->n; z->known++) {
        const lbr_dag_node *n = z->d->node + z->known;
        const lbr_ref of[3] = { n->a, n->b, n->c };
        unsigned char *has = z->has + z->known;
        double i;

        if (n->op == LBR_OP_LOAD && n->k == z->m->lo.state && lbr_dag_is_const(z->d, n->a, &i))
            *has = i < (double)z->m->nq ? HAS_Q : i < 2.0 * (double)z->m->nq ? HAS_P : 0;
        else if (n->op == LBR_OP_LOAD) *has = n->deps & z->d->array[z->m->lo.state].deps ? ASK_Q | ASK_P : 0;
        else
            for (int k = 0; k < lbr_op_operands[n->op]; k++) *has |= z->has[of[k]];
    }
    return 1;
}

/* Whether x has positions (HAS_Q) or momenta (HAS_P) in it; also where memory is gone. */
static int touches(search *z, lbr_ref x, int what)
{
    int64_t from = what == HAS_Q ? 0 : z->m->nq;

    if (!learn(z) || z->has[x] & what) return 1;
    if (!(z->has[x] & what << 2)) return 0;
    z->has[x] &= (unsigned char)~(what << 2);
    if (!lbr_touches_node(&z->m->lo, x, z->m->lo.state, from, from + z->m->nq)) return 0;
    return z->has[x] |= (unsigned char)what, 1;
}

static int push(search *z, lbr_ref x)
{
    if (!LBR_ROOM(NULL, z->stack, z->nstack, z->room_stack, 1)) return no_memory(z);
    return z->stack[z->nstack++] = x, 1;
}

/* The one sum of squares that x has positions in; t->s is 0 before it is found. */
static int find(search *z, lbr_ref x, term *t)
{
    z->turn++, z->nstack = 0;
    if (!push(z, x)) return 0;
    while (z->nstack) {
        const lbr_dag_node *n = z->d->node + (x = z->stack[--z->nstack]);
        const lbr_ref of[3] = { n->a, n->b, n->c };
        square q = { .n = 0 };

        if (!touches(z, x, HAS_Q) || z->seen[x] == z->turn) continue;
        z->seen[x] = z->turn;
        if (!t->s && add_squares(z, x, &q) && (sort(&q), is_distance(&q, 0, q.n, t))) t->s = x;
        if (x == t->s) continue;
        if (n->op == LBR_OP_LOAD || n->op >= LBR_OP_SUM) return 0;
        for (int i = lbr_op_operands[n->op]; i-- > 0;)
            if (!push(z, of[i])) return 0;
    }
    return 1;
}

static int add_term(search *z, lbr_ref x, double factor)
{
    term t = { 0 };
    int64_t k = 0;

    if (!touches(z, x, HAS_Q)) return 1;
    if (touches(z, x, HAS_P) || z->d->node[x].deps & LBR_DEP_TIME || !find(z, x, &t) || !t.s) return 0;
    if (z->n && t.space != z->term->space) return 0;
    while (k < z->n && z->term[k].s != t.s) k++; /* terms of one distance belong together */
    if (k == z->most) return 0;
    if (k == z->n) z->term[z->n++] = t;
    x = lbr_dag_mul(z->d, lbr_dag_const(z->d, factor), x);
    z->term[k].node = lbr_dag_add(z->d, z->term[k].node, x);
    return !z->d->status;
}

static int later(search *z, lbr_ref x, double factor, int product)
{
    if (!LBR_ROOM(NULL, z->piece, z->npieces, z->room_pieces, 1)) return no_memory(z);
    return z->piece[z->npieces++] = (piece){ x, product, factor }, 1;
}

/* A product, or that of an FMA. */
static int take_product(search *z, lbr_ref x, double factor)
{
    const lbr_dag_node n = z->d->node[x];
    double c;

    if (lbr_dag_is_const(z->d, n.a, &c)) return later(z, n.b, c * factor, 0);
    if (lbr_dag_is_const(z->d, n.b, &c)) return later(z, n.a, c * factor, 0);
    return add_term(z, n.op == LBR_OP_FMA ? lbr_dag_mul(z->d, n.a, n.b) : x, factor);
}

/* Sums, and products and quotients with constants, are taken apart; what is put away last comes first. */
static int take(search *z, lbr_ref x, double factor)
{
    const lbr_dag_node n = z->d->node[x];
    square q = { .factor = factor };
    double c;

    if (touches(z, x, HAS_Q) && z->nplain < z->most && add_squares(z, x, &q))
        return sort(&q), z->plain[z->nplain++] = q, 1;
    switch (n.op) {
    case LBR_OP_ADD: return later(z, n.b, factor, 0) && later(z, n.a, factor, 0);
    case LBR_OP_SUB: return later(z, n.b, -factor, 0) && later(z, n.a, factor, 0);
    case LBR_OP_NEG: return later(z, n.a, -factor, 0);
    case LBR_OP_MUL: return take_product(z, x, factor);
    case LBR_OP_DIV: return lbr_dag_is_const(z->d, n.b, &c) ? later(z, n.a, factor / c, 0) : add_term(z, x, factor);
    case LBR_OP_FMA: return later(z, x, factor, 1) && later(z, n.c, factor, 0);
    default: return add_term(z, x, factor);
    }
}

static int terms(search *z, lbr_ref x)
{
    int64_t n = 0;
    int good = later(z, x, 1, 0);

    for (; good && z->npieces && !z->d->status; n++) {
        piece p = z->piece[--z->npieces];

        good = n < MOST_PIECES && (p.product ? take_product : take)(z, p.node, p.factor);
    }
    return good && !z->d->status;
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

/* Input k of the directions, which stands for t->s. */
static lbr_ref distance(search *z, const term *t, int64_t k)
{
    lbr_ref a = lbr_dag_const(z->d, (double)k), b = lbr_dag_const(z->d, t->shift);

    a = lbr_dag_load(z->d, z->m->direction, a);
    return lbr_dag_add(z->d, a, b);
}

/* An operand that has no image in this turn, from the left; -1: all have. */
static lbr_ref waiting(const search *z, const lbr_dag_node *n)
{
    const lbr_ref of[3] = { n->a, n->b, n->c };

    for (int i = 0; i < lbr_op_operands[n->op]; i++)
        if (z->seen[of[i]] != z->turn) return of[i];
    return -1;
}

/* The node t->node with input k of the directions in place of t->s. */
static lbr_ref replaced(search *z, const term *t, int64_t k)
{
    z->turn++, z->nstack = 0;
    if (!push(z, t->node)) return 0;
    while (z->nstack) {
        lbr_ref x = z->stack[z->nstack - 1], y = x, of;
        const lbr_dag_node n = z->d->node[x];
        int inside = touches(z, x, HAS_Q) && lbr_op_operands[n.op];

        if (z->d->status) return 0;
        if (x == t->s) y = distance(z, t, k);
        else if (inside && (n.op == LBR_OP_LOAD || n.op >= LBR_OP_SUM)) return z->lost = 1, 0;
        else if (inside && (of = waiting(z, &n)) >= 0) {
            if (!push(z, of)) return 0;
            continue;
        } else if (inside)
            y = lbr_dag_op(z->d, (lbr_op)n.op, z->image[n.a], lbr_op_operands[n.op] > 1 ? z->image[n.b] : 0,
                           lbr_op_operands[n.op] > 2 ? z->image[n.c] : 0);
        z->seen[x] = z->turn, z->image[x] = y, z->nstack--;
    }
    return z->image[t->node];
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
        if (z->term[k].node) x = lbr_dag_add(z->d, x, replaced(z, &z->term[k], k));
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

static int pairs(search *z, lbr_message *message)
{
    lbr_functions *s = z->m->functions;

    if (!terms(z, z->m->h) || !plain_terms(z) || !z->n)
        return !z->d->status || (lbr_fail(message, z->d->status, "out of memory"), 0);
    if (!make(z, message)) return 0;
    if (z->lost) return 1;
    s->pairs.slopes = call_slopes, s->system.pairs = &s->pairs;
    return 1;
}

int lbr_functions_pairs(lbr_model *m, lbr_message *message)
{
    search z = { .m = m, .d = &m->dag, .most = m->dim };
    int good;

    if (m->dim > 512) return 1; /* sums are loops then */
    z.term = lbr_arena_alloc(&m->arena, z.most, sizeof *z.term),
    z.plain = lbr_arena_alloc(&m->arena, z.most, sizeof *z.plain);
    if (!z.term || !z.plain) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    good = pairs(&z, message);
    lbr_mem_free(z.has), lbr_mem_free(z.image), lbr_mem_free(z.seen), lbr_mem_free(z.stack), lbr_mem_free(z.piece);
    return good;
}
