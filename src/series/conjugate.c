/* conjugate.c - to which order a Runge-Kutta method is conjugate to a symplectic one (HLW VI.8).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * With coefficients a of the method's B-series, c of chi_h and b of chi_h o Phi_h o chi_h^-1, and the sum over
 * subtrees with the root,
 *
 *     b(tau) = a(tau) + sum (c(theta) a(tau \ theta) - b(theta) c(tau \ theta)),   theta neither empty nor tau,
 *         HLW III.1.38, VI.8.4
 *     b(u, v) = b(u) b(v) - b(u o v) - b(v o u) = 0   for all |u| + |v| <= r   HLW VI.7.4
 *
 * is looked for, order by order: where the lower ones hold, those of order n are linear equations for c of order n -
 * 1, and what is free in c (a symplectic change of variables, a shift of time) does not matter later on. */
#include "analyse.h"

#include <stdio.h>
#include <string.h>

enum { MAX = 8, TREES = 1 + 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115 }; /* of up to MAX vertices, and none for 0 */

typedef struct tree {
    int order, nsons;
    short son[MAX];
} tree; /* sons ascending, by number */
typedef struct cut {
    int theta, n;
    short rest[MAX];
} cut; /* a subtree with the root, and what is left when it is taken away */

typedef struct calculus {
    int n, first[MAX + 2]; /* trees of order k are first[k] .. first[k + 1] - 1 */
    tree tree[TREES];
    cut *cut[TREES];
    int ncuts[TREES]; /* of each tree, itself among them */
    lbr_dd a[TREES], b[TREES], c[TREES];
    lbr_arena arena;
} calculus;

/* --- trees ------------------------------------------------------------------------------------------------------- */

static void sort(short *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            short swap = x[j];
            x[j] = x[j - 1], x[j - 1] = swap;
        }
}

/* The number of the tree with these sons. */
static int find(const calculus *k, const short *son, int n)
{
    tree t = { .order = 1, .nsons = n };

    memcpy(t.son, son, (size_t)n * sizeof *son);
    sort(t.son, n);
    for (int i = 0; i < n; i++) t.order += k->tree[son[i]].order;
    for (int i = k->first[t.order]; i < k->n; i++)
        if (k->tree[i].nsons == n && !memcmp(k->tree[i].son, t.son, (size_t)n * sizeof *son)) return i;
    return -1;
}

/* All trees with `left` more vertices, whose further sons have numbers from `from` on. */
static void grow(calculus *k, tree t, int left, int from)
{
    if (!left) k->tree[k->n++] = t;
    for (int i = from; i < k->first[t.order] && left; i++) {
        tree more = t;

        if (k->tree[i].order > left) break;
        more.son[more.nsons++] = (short)i;
        grow(k, more, left - k->tree[i].order, i);
    }
}

/* u o v: v becomes one more son of u. */
static int product(const calculus *k, int u, int v)
{
    short son[MAX];
    int n = k->tree[u].nsons;

    memcpy(son, k->tree[u].son, (size_t)n * sizeof *son);
    son[n] = (short)v;
    return find(k, son, n + 1);
}

/* --- subtrees with the root -------------------------------------------------------------------------------------- */

typedef struct pick {
    int n;
    short son[MAX];
    int m;
    short rest[MAX];
} pick;

/* Sons from number i on: each is taken away, or stays with one of its own subtrees. */
static void choose(calculus *k, int t, int i, pick p)
{
    if (i == k->tree[t].nsons) {
        cut *c = &k->cut[t][k->ncuts[t]++];

        *c = (cut){ .theta = find(k, p.son, p.n), .n = p.m };
        memcpy(c->rest, p.rest, sizeof c->rest);
        return;
    }
    for (int j = -1; j < k->ncuts[k->tree[t].son[i]]; j++) {
        const cut *c = j < 0 ? NULL : &k->cut[k->tree[t].son[i]][j];
        pick q = p;

        if (!c) q.rest[q.m++] = k->tree[t].son[i];
        else {
            q.son[q.n++] = (short)c->theta;
            for (int l = 0; l < c->n; l++) q.rest[q.m++] = c->rest[l];
        }
        choose(k, t, i + 1, q);
    }
}

static int plant(calculus *k, int max)
{
    k->n = 1; /* 0: no tree */
    for (int order = 1; order <= max; order++) {
        k->first[order] = k->n;
        for (int o = order + 1; o < MAX + 2; o++) k->first[o] = TREES;
        grow(k, (tree){ .order = order }, order - 1, 1);
        k->first[order + 1] = k->n;
    }
    for (int t = 1; t < k->n; t++) {
        int64_t many = 1;

        for (int i = 0; i < k->tree[t].nsons; i++) many *= 1 + k->ncuts[k->tree[t].son[i]];
        if (!(k->cut[t] = lbr_arena_alloc(&k->arena, many, sizeof *k->cut[t]))) return -1;
        choose(k, t, 0, (pick){ 0 });
    }
    return 0;
}

/* --- coefficients ------------------------------------------------------------------------------------------------ */

/* a(tau) = b^T u, u_i = prod (A u(son))_i (HLW III.1.13). */
static int weigh(calculus *k, int s, const lbr_dd *A, const lbr_dd *b)
{
    lbr_dd *u = lbr_arena_alloc(&k->arena, (int64_t)k->n * s, 2 * sizeof *u);

    if (!u) return -1;
    for (int t = 1; t < k->n; t++) {
        lbr_dd *mine = u + 2 * t * s, *sum = mine + s;

        for (int i = 0; i < s; i++) {
            mine[i] = dd(1);
            for (int j = 0; j < k->tree[t].nsons; j++) mine[i] = dd_mul(mine[i], u[2 * k->tree[t].son[j] * s + s + i]);
            k->a[t] = dd_add(k->a[t], dd_mul(b[i], mine[i]));
        }
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) sum[i] = dd_add(sum[i], dd_mul(A[i * s + j], mine[j]));
    }
    return 0;
}

static lbr_dd times(const lbr_dd *x, const cut *c, lbr_dd by)
{
    for (int i = 0; i < c->n; i++) by = dd_mul(by, x[c->rest[i]]);
    return by;
}

static lbr_dd conjugate(const calculus *k, int t)
{
    lbr_dd sum = k->a[t];

    for (const cut *c = k->cut[t]; c < k->cut[t] + k->ncuts[t]; c++) {
        if (c->theta == t) continue;
        sum = dd_add(sum, dd_sub(times(k->a, c, k->c[c->theta]), times(k->c, c, k->b[c->theta])));
    }
    return sum;
}

/* --- one order --------------------------------------------------------------------------------------------------- */

enum { UNKNOWNS = 48, PAIRS = 200 }; /* trees of order MAX - 1; pairs of trees with MAX vertices together */

typedef struct equations {
    int n, m;
    lbr_dd M[PAIRS][UNKNOWNS + 1];
    int u[PAIRS], v[PAIRS];
} equations;

/* b(u, v) of order n into column j. */
static void column(calculus *k, equations *e, int n, int j)
{
    for (int t = k->first[n]; t < k->first[n + 1]; t++) k->b[t] = conjugate(k, t);
    e->m = 0;
    for (int u = 1; 2 * k->tree[u].order <= n; u++)
        for (int o = n - k->tree[u].order, v = k->first[o] > u ? k->first[o] : u; v < k->first[o + 1]; v++, e->m++) {
            e->M[e->m][j] = dd_sub(dd_mul(k->b[u], k->b[v]), dd_add(k->b[product(k, u, v)], k->b[product(k, v, u)]));
            e->u[e->m] = u, e->v[e->m] = v;
        }
}

/* Gauss with all pivots; rows without one say whether there is a solution: the largest right side among them. */
static double eliminate(equations *e, double tol, lbr_dd *x, int *where)
{
    int pivot[UNKNOWNS], rank = 0;
    double worst = 0;

    for (; rank < e->n && rank < e->m; rank++) {
        int row = rank, col = 0;
        double most = 0;

        for (int i = rank; i < e->m; i++)
            for (int j = 0; j < e->n; j++)
                if (fabs(e->M[i][j].hi) > most) most = fabs(e->M[i][j].hi), row = i, col = j;
        if (most <= tol) break;
        for (int j = 0; j <= e->n; j++) {
            lbr_dd swap = e->M[rank][j];
            e->M[rank][j] = e->M[row][j], e->M[row][j] = swap;
        }
        {
            int swap = e->u[rank];
            e->u[rank] = e->u[row], e->u[row] = swap, swap = e->v[rank], e->v[rank] = e->v[row], e->v[row] = swap;
        }
        pivot[rank] = col;
        for (int i = 0; i < e->m; i++) {
            lbr_dd f = dd_div(e->M[i][col], e->M[rank][col]);

            if (i == rank || e->M[i][col].hi == 0) continue;
            for (int j = 0; j <= e->n; j++) e->M[i][j] = dd_sub(e->M[i][j], dd_mul(f, e->M[rank][j]));
            e->M[i][col] = dd(0);
        }
    }
    for (int j = 0; j < e->n; j++) x[j] = dd(0);
    for (int i = 0; i < rank; i++) x[pivot[i]] = dd_neg(dd_div(e->M[i][e->n], e->M[i][pivot[i]]));
    for (int i = rank; i < e->m; i++)
        if (fabs(e->M[i][e->n].hi) > worst) worst = fabs(e->M[i][e->n].hi), *where = i;
    return worst;
}

/* c of order n - 1, so that b(u, v) = 0 for |u| + |v| = n; what is left of it. */
static double solve(calculus *k, equations *e, int n, double tol, int *where)
{
    int from = k->first[n - 1];
    double left;

    e->n = k->first[n] - from;
    column(k, e, n, e->n);
    for (int j = 0; j < e->n; j++) {
        k->c[from + j] = dd(1), column(k, e, n, j), k->c[from + j] = dd(0);
        for (int i = 0; i < e->m; i++) e->M[i][j] = dd_sub(e->M[i][j], e->M[i][e->n]);
    }
    left = eliminate(e, tol, k->c + from, where);
    for (int t = k->first[n]; t < k->first[n + 1]; t++) k->b[t] = conjugate(k, t);
    return left;
}

static void draw(const calculus *k, int t, char *text)
{
    if (!k->tree[t].nsons) strcat(text, ".");
    for (int i = 0; i < k->tree[t].nsons; i++) strcat(text, i ? "," : "["), draw(k, k->tree[t].son[i], text);
    if (k->tree[t].nsons) strcat(text, "]");
}

static void search(calculus *k, equations *e, int max, double tol, lbr_order *out)
{
    int where = 0;

    *out = (lbr_order){ .order = 1 };
    k->b[1] = k->a[1];
    for (int n = 2; n <= max; n++) {
        double left = solve(k, e, n, tol, &where);
        char text[8 * MAX] = "";

        if (left <= tol) {
            out->order = n, out->residual = fmax(out->residual, left);
            continue;
        }
        draw(k, e->u[where], text), strcat(text, ", "), draw(k, e->v[where], text);
        out->exact = 1, out->failing = left;
        snprintf(out->detail, sizeof out->detail, "a(%s) of order %d: %.1e whatever chi is", text, n, left);
        return;
    }
    snprintf(out->detail, sizeof out->detail, "at least: the search ends there");
}

int lbr_conjugate_order(int s, const lbr_dd *A, const lbr_dd *b, int max, double tol, lbr_order *out)
{
    calculus *k = lbr_mem_alloc(sizeof *k);
    equations *e = lbr_mem_alloc(sizeof *e);
    int bad = !k || !e || (max = max < 1 ? 1 : max > MAX ? MAX : max, plant(k, max)) || weigh(k, s, A, b);

    if (!bad) search(k, e, max, tol, out);
    if (k) lbr_arena_free(&k->arena);
    lbr_mem_free(k), lbr_mem_free(e);
    return bad ? -1 : 0;
}

/* chi^-1 (implicit Euler over -h/2), the method, chi (explicit Euler over h/2) as one tableau: so the trapezoidal rule
 * becomes the midpoint rule (HLW VI.8.1). */
lbr_tableau *lbr_tableau_between_eulers(const lbr_tableau *t, lbr_arena *arena)
{
    int64_t s = t->s, S = s + 2;
    lbr_dd *A = lbr_arena_alloc(arena, S * S, sizeof *A), *b = lbr_arena_alloc(arena, S, sizeof *b);
    lbr_tableau *out = lbr_arena_alloc(arena, 1, sizeof *out);

    if (!A || !b || !out) return NULL;
    for (int64_t i = 0; i < S; i++) {
        b[i] = i == 0 ? dd(-0.5) : i == S - 1 ? dd(0.5) : t->b[i - 1];
        A[i * S] = dd(-0.5);
        for (int64_t j = 1; j <= s && i > 0; j++) A[i * S + j] = i == S - 1 ? t->b[j - 1] : t->A[(i - 1) * s + j - 1];
    }
    *out = (lbr_tableau){ .s = S, .A = A, .b = b };
    return out;
}
