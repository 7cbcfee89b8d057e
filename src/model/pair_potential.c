/* pair_potential.c - potentials that are sums over distances, found in H. SPDX-License-Identifier: BSD-3-Clause
 *
 * H is taken apart into its terms, of sums that are loops one after the other, so that the first one that is no such
 * term ends the search. One that has positions in it must have them in one sum of squares of differences
 * alone, s = |q_i - q_j|^2, or |q_i|^2, which something constant may be added to. With s_k in place of that the terms
 * are functions of one number each, and the gradient of their sum has all slopes.
 *
 * Graphs are as deep as sums are long, and what is common is one node: nothing calls itself here, and a term's nodes
 * are gone through once each. */
#include "graph/derive.h"
#include "graph/rolled.h"
#include "loop_terms.h"
#include "squares.h"
#include "structure.h"
#include "model_system.h"

#include <string.h>

enum { MOST_PIECES = 1 << 18 }; /* of H, of which something common is several: with more it is no sum over distances */
enum { MOST_TERMS = 25000 };    /* more than 200 particles have pairs: with more, the graph would be too large */
/* What a node has in it: positions, momenta; and of which that must be asked. */
enum { HAS_Q = 1, HAS_P = 2, ASK_Q = 4, ASK_P = 8 };

/* node, with s in it, or 0; and factor times s. */
typedef struct term {
    lbr_ref node, s;
    double shift, factor;
    int64_t first, second, space;
} term;
/* A sum of squares, whose components are among those that are kept, from one on. */
typedef struct plain {
    int64_t from;
    int n;
    double shift, factor;
} plain;

/* A part of H that is still to be taken apart; of an FMA, its product alone; of a loop, its terms from one on. */
typedef struct piece {
    lbr_ref node;
    int product;
    double factor;
    lbr_loop_terms *loop;
    int64_t from;
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
    int32_t *place; /* 1 + the term whose s a node is, or 0 */
    int64_t n, room_term, room_place;
    int lost;     /* a position that is in no s after all */
    plain *plain; /* terms that are sums of squares themselves */
    int32_t *a, *b;
    int64_t nplain, room_plain, nsquares, room_a, room_b;
    int64_t looped; /* terms of loops so far, sums in sums among them */
    int input;      /* the squares of all distances */
} search;

/* Whether n of them, from one on, are neighbouring components of two particles, each once. */
static int is_distance(const lbr_squares *q, int from, int n, term *t)
{
    const int32_t *a = q->a + from, *b = q->b + from;

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
            LBR_ROOM(NULL, z->seen, n, z->room_seen, more) && LBR_ROOM(NULL, z->place, n, z->room_place, more)) ||
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
        lbr_squares q;

        if (!touches(z, x, HAS_Q) || z->seen[x] == z->turn) continue;
        z->seen[x] = z->turn;
        if (!t->s && lbr_squares_of(z->m, x, &q) && is_distance(&q, 0, q.n, t)) t->s = x;
        if (x == t->s) continue;
        if (n->op == LBR_OP_LOAD || n->op >= LBR_OP_SUM) return 0;
        for (int i = lbr_op_operands[n->op]; i-- > 0;)
            if (!push(z, of[i])) return 0;
    }
    return 1;
}

static int new_term(search *z, const term *t)
{
    if (z->n == MOST_TERMS) return 0;
    if (!LBR_ROOM(NULL, z->term, z->n, z->room_term, 1)) return no_memory(z);
    return z->term[z->n++] = *t, 1;
}

static int add_term(search *z, lbr_ref x, double factor)
{
    term t = { 0 };
    int64_t k;

    if (!touches(z, x, HAS_Q)) return 1;
    if (touches(z, x, HAS_P) || z->d->node[x].deps & LBR_DEP_TIME || !find(z, x, &t) || !t.s) return 0;
    if (z->n && t.space != z->term->space) return 0;
    k = z->place[t.s] ? z->place[t.s] - 1 : z->n; /* terms of one distance belong together */
    if (k == z->n && !new_term(z, &t)) return 0;
    z->place[t.s] = (int32_t)k + 1;
    x = lbr_dag_mul(z->d, lbr_dag_const(z->d, factor), x);
    z->term[k].node = lbr_dag_add(z->d, z->term[k].node, x);
    return !z->d->status;
}

static int later(search *z, lbr_ref x, double factor, int product)
{
    if (!LBR_ROOM(NULL, z->piece, z->npieces, z->room_pieces, 1)) return no_memory(z);
    return z->piece[z->npieces++] = (piece){ .node = x, .product = product, .factor = factor }, 1;
}

/* The terms of a loop. One over momenta alone has none that count. */
static int take_loop(search *z, lbr_ref x, double factor)
{
    lbr_loop_terms *t;

    if (!touches(z, x, HAS_Q)) return 1;
    if (lbr_loop_terms_most(z->d, x) > 2.0 * MOST_TERMS || !later(z, x, factor, 0)) return 0;
    if (!(t = z->piece[z->npieces - 1].loop = lbr_mem_alloc(sizeof *t))) return no_memory(z);
    if (!lbr_loop_terms_open(t, z->d, x)) return 0;
    return z->piece[z->npieces - 1].from = t->lo, 1;
}

/* The next one of them, which is taken before those that follow it. */
static int next_of_loop(search *z)
{
    piece *p = &z->piece[z->npieces - 1];
    lbr_ref x;

    if (p->from > p->loop->hi) {
        lbr_loop_terms_free(p->loop), lbr_mem_free(p->loop);
        return z->npieces--, 1;
    }
    if (z->looped++ == 2 * MOST_TERMS || z->d->n > z->d->limit / 2 || z->d->nloops > LBR_MOST_LOOPS / 2) return 0;
    x = lbr_loop_term(p->loop, p->from++);
    return !z->d->status && later(z, x, p->factor, 0);
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

static int keep(search *z, const lbr_squares *q, double factor)
{
    if (!LBR_ROOM(NULL, z->plain, z->nplain, z->room_plain, 1) || !LBR_ROOM(NULL, z->a, z->nsquares, z->room_a, q->n) ||
        !LBR_ROOM(NULL, z->b, z->nsquares, z->room_b, q->n))
        return no_memory(z);
    memcpy(z->a + z->nsquares, q->a, (size_t)q->n * sizeof *q->a);
    memcpy(z->b + z->nsquares, q->b, (size_t)q->n * sizeof *q->b);
    z->plain[z->nplain++] = (plain){ z->nsquares, q->n, q->shift, factor };
    return z->nsquares += q->n, 1;
}

/* Sums, and products and quotients with constants, are taken apart; what is put away last comes first. */
static int take(search *z, lbr_ref x, double factor)
{
    const lbr_dag_node n = z->d->node[x];
    lbr_squares q;
    double c;

    if (touches(z, x, HAS_Q) && z->nplain < MOST_TERMS && lbr_squares_of(z->m, x, &q)) return keep(z, &q, factor);
    switch (n.op) {
    case LBR_OP_ADD: return later(z, n.b, factor, 0) && later(z, n.a, factor, 0);
    case LBR_OP_SUB: return later(z, n.b, -factor, 0) && later(z, n.a, factor, 0);
    case LBR_OP_NEG: return later(z, n.a, -factor, 0);
    case LBR_OP_MUL: return take_product(z, x, factor);
    case LBR_OP_DIV: return lbr_dag_is_const(z->d, n.b, &c) ? later(z, n.a, factor / c, 0) : add_term(z, x, factor);
    case LBR_OP_FMA: return later(z, x, factor, 1) && later(z, n.c, factor, 0);
    case LBR_OP_SUM: return take_loop(z, x, factor);
    default: return add_term(z, x, factor);
    }
}

static int terms(search *z, lbr_ref x)
{
    int64_t n = 0;
    int good = later(z, x, 1, 0);

    for (; good && z->npieces && !z->d->status; n++) {
        piece p = z->piece[z->npieces - 1];

        if (p.loop) {
            good = next_of_loop(z);
            continue;
        }
        z->npieces--;
        good = n < MOST_PIECES && (p.product ? take_product : take)(z, p.node, p.factor);
    }
    return good && !z->d->status;
}

/* Where a term of this distance is or would be, among places that are more than there are terms: 1 + its number. */
static int32_t *place_of(const search *z, int32_t *place, int64_t places, const term *t)
{
    uint64_t hash = lbr_hash(lbr_hash(LBR_HASH, &t->first, sizeof t->first), &t->second, sizeof t->second);
    int64_t k = (int64_t)(hash % (uint64_t)places);

    while (place[k] && (z->term[place[k] - 1].first != t->first || z->term[place[k] - 1].second != t->second))
        k = (k + 1) % places;
    return place + k;
}

/* Those that follow and are of fewer components, as of a sum over all components that is a loop, until there are enough
 * for one distance: one sum of squares. How many are taken. */
static int64_t join(const search *z, int64_t i, int64_t space, lbr_squares *all)
{
    const plain *first = z->plain + i, *p = first;

    all->n = 0, all->shift = first->shift;
    do {
        memcpy(all->a + all->n, z->a + p->from, (size_t)p->n * sizeof *all->a);
        memcpy(all->b + all->n, z->b + p->from, (size_t)p->n * sizeof *all->b);
        all->n += p->n;
    } while (++p < z->plain + z->nplain && all->n + p->n <= space && p->factor == first->factor && p->shift == 0);
    return p - first;
}

/* The most components that make a distance, from the first one on. */
static int longest(const lbr_squares *q)
{
    int n = q->n;

    while (n > 1 && !is_distance(q, 0, n, &(term){ 0 })) n--;
    return n;
}

/* Sums of squares are of as many components as the other terms, several at once; alone, each is one distance, or as
 * many as there must be. */
static int add_plain(search *z, int32_t *place, int64_t places)
{
    int64_t space = z->n ? z->term->space : 1;

    for (int64_t i = z->n; i-- > 0;) *place_of(z, place, places, z->term + i) = (int32_t)i + 1;
    for (int64_t i = 0, taken; i < z->nplain; i += taken) {
        double factor = z->plain[i].factor;
        lbr_squares q;

        taken = join(z, i, space, &q);
        if (!i && !z->n) space = longest(&q);
        for (int from = 0; from < q.n; from += (int)space) {
            term t = { .factor = factor };
            int32_t *other;

            if (!is_distance(&q, from, (int)space, &t)) return 0;
            if (*(other = place_of(z, place, places, &t))) z->term[*other - 1].factor += factor;
            else if (!new_term(z, &t)) return 0;
            else *other = (int32_t)z->n;
        }
    }
    return 1;
}

static int plain_terms(search *z)
{
    int64_t places = 2 * MOST_TERMS + 1;
    int32_t *place = z->nplain ? lbr_mem_alloc((size_t)places * sizeof *place) : NULL;
    int good = !z->nplain || (place ? add_plain(z, place, places) : no_memory(z));

    lbr_mem_free(place);
    return good;
}

/* --- slopes ------------------------------------------------------------------------------------------------------ */

/* Element k of the squares, which stands for t->s. */
static lbr_ref distance(search *z, const term *t, int64_t k)
{
    lbr_ref a = lbr_dag_const(z->d, (double)k), b = lbr_dag_const(z->d, t->shift);

    a = lbr_dag_load(z->d, z->input, a);
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

/* The node t->node with element k of the squares in place of t->s. */
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

/* Slopes that are many and alike, as loops. */
static int rolled(lbr_dag *d, int slopes)
{
    int array;

    if (slopes < 0 || d->array[slopes].size <= LBR_UNROLLED) return slopes;
    if ((array = lbr_dag_array(d, d->array[slopes].size)) < 0) return -1;
    lbr_dag_roll(d, array, d->array[slopes].entry, d->array[slopes].nentries);
    lbr_dag_close(d, array);
    return d->status ? -1 : array;
}

static int make(search *z, lbr_message *message)
{
    lbr_functions *s = z->m->functions;
    int64_t *first = lbr_arena_alloc(&z->m->arena, z->n, sizeof *first),
            *second = lbr_arena_alloc(&z->m->arena, z->n, sizeof *second);
    lbr_ref sum = 0, x;
    int slopes;

    z->input = lbr_dag_input(z->d, z->n); /* before the array of arrays is looked at: it may move */
    s->apart = z->d->array[z->input].input;
    if (z->d->status) return lbr_fail(message, z->d->status, "out of memory"), 0;
    if (!first || !second) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int64_t k = 0; k < z->n; k++) {
        first[k] = z->term[k].first, second[k] = z->term[k].second;
        x = lbr_dag_load(z->d, z->input, lbr_dag_const(z->d, (double)k));
        x = lbr_dag_mul(z->d, lbr_dag_const(z->d, z->term[k].factor), x);
        if (z->term[k].node) x = lbr_dag_add(z->d, x, replaced(z, &z->term[k], k));
        if (z->lost) return 1;
        sum = lbr_dag_add(z->d, sum, x);
    }
    slopes = rolled(z->d, lbr_gradient(z->d, sum, z->input));
    if (!lbr_function_make(z->m, &s->slopes, slopes, -1, 0, message)) return 0;
    s->pairs = (lbr_pairs){ sizeof s->pairs, z->n, z->term->space, first, second, NULL };
    return 1;
}

static int call_slopes(double t, const double *s, double *out, void *ctx)
{
    const lbr_functions *f = ctx;
    const double *input[LBR_MODEL_INPUTS] = { NULL };

    input[f->apart] = s;
    return lbr_code_run(f->slopes.code, t, input, out);
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

static void release(search *z)
{
    while (z->npieces--)
        if (z->piece[z->npieces].loop)
            lbr_loop_terms_free(z->piece[z->npieces].loop), lbr_mem_free(z->piece[z->npieces].loop);
    lbr_mem_free(z->has), lbr_mem_free(z->image), lbr_mem_free(z->seen), lbr_mem_free(z->place);
    lbr_mem_free(z->stack), lbr_mem_free(z->piece), lbr_mem_free(z->term);
    lbr_mem_free(z->plain), lbr_mem_free(z->a), lbr_mem_free(z->b);
}

int lbr_functions_pairs(lbr_model *m, lbr_message *message)
{
    search z = { .m = m, .d = &m->dag };
    int good;

    if (m->nq > 3 * MOST_TERMS) return 1; /* a term of each particle in space would be too many */
    good = pairs(&z, message);
    release(&z);
    return good;
}
