/* composition_levels.c - compositions of compositions: the order level by level, however long the list.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of steps that consists of equal blocks, each a multiple of the first, composes the map of one block. If that
 * has order p, the composition has order p+1 if and only if sum g = 1 and sum g^(p+1) = 0 over the multiples g (HLW
 * Theorem II.4.1); a symmetric one then has order p+2. So the triple jump of order 20, with 19683 steps, is nine levels
 * of three. */
#include "order.h"
#include "core/mem.h"

#include <stdio.h>
#include <string.h>

enum { MOST_AT_ONCE = 1000, BY_WORDS = 10 }; /* steps of one level; the highest order that words decide */

typedef struct level {
    int n;
    lbr_dd *c;
    unsigned char *adjoint;
    int order, symmetric;
    double residual;
} level;

static lbr_dd sum(const lbr_dd *c, int n)
{
    lbr_dd s = dd(0);

    for (int i = 0; i < n; i++) s = dd_add(s, c[i]);
    return s;
}

/* Are all blocks of length m multiples of the first? Then g has the multiples: how long a block is in units of the
 * whole. */
static int blocks(const level *l, int m, double tol, lbr_dd *g)
{
    lbr_dd first = sum(l->c, m);

    if (fabs(first.hi) < 1e-6) return 0;
    for (int k = 0; k < l->n / m; k++) {
        lbr_dd ratio;

        g[k] = sum(l->c + k * m, m), ratio = dd_div(g[k], first);
        for (int i = 0; i < m; i++) {
            if (fabs(dd_double(dd_sub(l->c[k * m + i], dd_mul(ratio, l->c[i])))) > tol) return 0;
            if (l->adjoint && l->adjoint[k * m + i] != l->adjoint[i]) return 0;
        }
    }
    return 1;
}

static double misses(const level *l, int power, lbr_dd wanted)
{
    lbr_dd s = dd(0);

    for (int i = 0; i < l->n; i++) s = dd_add(s, dd_pow(l->c[i], power));
    return fabs(dd_double(dd_sub(s, wanted)));
}

/* The order of one level: by words as far as they reach, else by the theorem. */
static int order_of(const level *l, double tol, lbr_order *out)
{
    int p = l->order, next = p + (l->symmetric && p % 2 == 0 ? 3 : 2);
    double one = misses(l, 1, dd(1)), zero = misses(l, p + 1, dd(0));

    *out = (lbr_order){ .order = 0 };
    if (p < BY_WORDS - 1)
        return lbr_words_composition(l->n, l->c, l->symmetric ? NULL : l->adjoint, p, l->symmetric, BY_WORDS, tol, out);
    if (one > tol)
        out->exact = 1, out->failing = one, snprintf(out->detail, sizeof out->detail, "sum g = 1: residual %.1e", one);
    else if (zero > tol)
        out->order = p, out->exact = 1, out->failing = zero,
        snprintf(out->detail, sizeof out->detail, "sum g^%d = 0: residual %.1e", p + 1, zero);
    else out->order = next - 1, out->failing = misses(l, next, dd(0)), out->exact = out->failing > tol;
    if (out->order == next - 1)
        snprintf(out->detail, sizeof out->detail, "sum g^%d = 0: residual %.1e", next, out->failing);
    out->constant = out->failing;
    out->residual = fmax(one <= tol ? one : 0, zero <= tol ? zero : 0);
    return 0;
}

/* Takes the innermost level off: what is left composes it. 1: there was one; -1: memory. */
static int inside(level *l, double tol, lbr_arena *arena, lbr_order *out)
{
    lbr_dd *g = lbr_arena_alloc(arena, l->n, sizeof *g), whole;
    level inner = *l;

    if (!g) return -1;
    for (inner.n = 2; inner.n <= l->n / 2; inner.n++) {
        if (l->n % inner.n || !blocks(l, inner.n, tol, g)) continue;
        if (inner.n > MOST_AT_ONCE) return 0;
        if (!(inner.c = lbr_arena_alloc(arena, inner.n, sizeof *inner.c))) return -1;
        whole = sum(l->c, inner.n);
        for (int i = 0; i < inner.n; i++) inner.c[i] = dd_div(l->c[i], whole);
        if (order_of(&inner, tol, out)) return -1;
        if (!out->order) return 0;
        l->symmetric = (l->symmetric ? lbr_palindrome_residual(inner.n, inner.c, NULL)
                        : l->adjoint ? lbr_alternation_residual(inner.n, inner.c, l->adjoint)
                                     : INFINITY) <= tol;
        l->n /= inner.n, l->c = g, l->order = out->order, l->residual = fmax(l->residual, out->residual);
        l->adjoint = NULL; /* all blocks are alike */
        return 1;
    }
    return 0;
}

int lbr_nested_order(int n, const lbr_dd *c, const unsigned char *adjoint, int base_order, int base_symmetric,
                     double tol, lbr_order *out)
{
    lbr_arena arena = { NULL };
    level l = { n, NULL, NULL, base_order, base_symmetric, 0 };
    int state = -1, levels = 0;
    char text[sizeof out->detail];

    *out = (lbr_order){ .order = 0 };
    l.c = lbr_arena_alloc(&arena, n, sizeof *l.c);
    l.adjoint = adjoint ? lbr_arena_alloc(&arena, n, 1) : NULL;
    if (l.c && (!adjoint || l.adjoint)) {
        memcpy(l.c, c, (size_t)n * sizeof *c);
        if (adjoint) memcpy(l.adjoint, adjoint, (size_t)n);
        while ((state = inside(&l, tol, &arena, out)) == 1) levels++;
        if (!state && l.n <= MOST_AT_ONCE && levels > 0) state = order_of(&l, tol, out);
        else if (!state) *out = (lbr_order){ .order = 0 };
    }
    lbr_arena_free(&arena);
    if (out->order) {
        memcpy(text, out->detail, sizeof text);
        snprintf(out->detail, sizeof out->detail, "%d levels; of the last, %.150s", levels + 1, text);
        out->residual = fmax(out->residual, l.residual);
    }
    return state < 0 ? -1 : 0;
}
