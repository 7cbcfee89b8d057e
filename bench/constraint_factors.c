/* constraint_factors.c - sparse L D L^T: chains against a loop written by hand, and how work grows on trees, loops and
 * cloths. SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the inside of the library. */
#include "bench.h"
#include "../tests/support/patterns.h"

#include "core/ldl.h"

typedef lbr_status (*maker)(lbr_ldl *, int64_t, const int64_t *, const int64_t *, lbr_arena *);

/* The chain by hand: diagonal a, neighbours b. */
typedef struct chain {
    int64_t n;
    double *a, *b, *l, *d, *x;
} chain;

__attribute__((noinline)) static void by_hand_factor(const chain *c)
{
    double d = c->a[0];

    c->d[0] = 1 / d;
    for (int64_t i = 1; i < c->n; i++) {
        c->l[i] = c->b[i] / d;
        d = c->a[i] - c->l[i] * c->b[i];
        c->d[i] = 1 / d;
    }
}

__attribute__((noinline)) static void by_hand_solve(const chain *c)
{
    for (int64_t i = 1; i < c->n; i++) c->x[i] -= c->l[i] * c->x[i - 1];
    for (int64_t i = 0; i < c->n; i++) c->x[i] *= c->d[i];
    for (int64_t i = c->n - 2; i >= 0; i--) c->x[i] -= c->l[i + 1] * c->x[i + 1];
}

typedef struct timed {
    const lbr_ldl *ldl;
    const double *S, *b;
    double *factor, *x;
    chain by_hand;
} timed;

static void do_factor(const timed *t) { lbr_ldl_factor(t->ldl, t->S, t->factor); }
static void do_solve(const timed *t)
{
    memcpy(t->x, t->b, (size_t)t->ldl->n * sizeof *t->x), lbr_ldl_solve(t->ldl, t->factor, t->x);
}
static void do_hand_factor(const timed *t) { by_hand_factor(&t->by_hand); }
static void do_hand_solve(const timed *t)
{
    memcpy(t->x, t->b, (size_t)t->by_hand.n * sizeof *t->x), by_hand_solve(&t->by_hand);
}

enum { ROUNDS = 200 };

/* Nanoseconds per unknown: the least of many short rounds. */
static double ns(void (*what)(const timed *), const timed *t, int64_t n)
{
    int64_t repeat = 50000 / t->ldl->stored + 1;
    double best = INFINITY;

    for (int r = 0; r < ROUNDS; r++) {
        double begin = now();

        for (int64_t k = 0; k < repeat; k++) what(t);
        best = fmin(best, (now() - begin) / (double)(repeat * n) * 1e9);
    }
    return best;
}

/* Multiplications of a factorisation: the sum of the squares of the columns' lengths. */
static double work(const lbr_ldl *ldl)
{
    double sum = 0;

    for (int64_t s = 0; s < ldl->blocks; s++)
        for (int32_t k = 0; k < ldl->block[s].width; k++)
            sum += 0.5 * (double)(ldl->block[s].height - k) * (double)(ldl->block[s].height - k);
    return ldl->blocks ? sum : (double)ldl->stored * (double)(ldl->band + 1) / 2;
}

static chain chain_values(const pattern *p, const double *S, double *room)
{
    chain c = { p->n, room, room + p->n, room + 2 * p->n, room + 3 * p->n, room + 4 * p->n };

    for (int64_t i = 0; i < p->n; i++) c.a[i] = S[2 * i], c.b[i] = i ? S[2 * i - 1] : 0;
    return c;
}

static void measure(const char *name, pattern p, maker make, int hand)
{
    double *S = values_of(&p, 0.1), *room = calloc((size_t)(6 * p.n), sizeof *room), begin = now(), made;
    lbr_arena arena = { NULL };
    lbr_ldl ldl;
    timed t = { .ldl = &ldl, .S = S, .b = room + 5 * p.n, .x = room + 4 * p.n };

    if (make(&ldl, p.n, p.row, p.col, &arena)) exit(1);
    made = now() - begin;
    for (int64_t i = 0; i < p.n; i++) room[5 * p.n + i] = uniform();
    t.factor = calloc((size_t)lbr_ldl_size(&ldl), sizeof *t.factor);
    if (hand) t.by_hand = chain_values(&p, S, room);
    printf("%-16s %7lld %9.1f %8.2f %10.1f %9.2f %9.2f", name, (long long)p.n, 1e3 * made,
           (double)ldl.stored / (double)p.row[p.n], work(&ldl) / (double)p.n, ns(do_factor, &t, p.n),
           ns(do_solve, &t, p.n));
    if (hand) printf(" %9.2f %9.2f", ns(do_hand_factor, &t, p.n), ns(do_hand_solve, &t, p.n));
    printf("\n");
    lbr_arena_free(&arena), pattern_free(&p), free(S), free(room), free(t.factor);
}

int main(void)
{
    static const int64_t chains[] = { 10, 100, 1000, 100000 }, cloths[] = { 10, 20, 40, 100 };

    printf("L D L^T: making the structure in ms, entries of L / of the matrix, products, factorising and solving in "
           "ns, all three per unknown\n"
           "\n");
    printf("%-16s %7s %9s %8s %10s %9s %9s %9s %9s\n", "", "N", "make", "L / S", "products", "factor", "solve",
           "by hand", "by hand");
    for (int k = 0; k < 4; k++) measure("chain", chain_of(chains[k]), lbr_ldl_make, 1);
    for (int k = 0; k < 4; k++) measure("chain, blocks", chain_of(chains[k]), lbr_ldl_make_blocks, 0);
    for (int k = 0; k < 4; k++) measure("loop", loop_of(chains[k]), lbr_ldl_make, 0);
    for (int k = 1; k < 4; k++) measure("tree", tree_of(chains[k], chains[k]), lbr_ldl_make, 0);
    for (int k = 0; k < 4; k++) measure("cloth", cloth_of(cloths[k]), lbr_ldl_make, 0);
    return 0;
}
