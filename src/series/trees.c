/* trees.c - the order of Runge-Kutta, partitioned and drift-kick methods, from rooted trees.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A tree is a root with a multiset of smaller trees, its sons. With the weights u at the stages and v = A u,
 *
 *     u(tau) = prod v(son),   phi(tau) = b^T u(tau),   gamma(tau) = |tau| prod gamma(son),   HLW III.1.13-1.15
 *
 * and a method has order p if phi gamma = 1 for all trees up to p vertices (HLW III.1.18, III.2.8). A tree is kept as
 * the tree without its last son, and that son: so u costs one product per stage, and each multiset comes up once if
 * sons come in falling order. */
#include "order.h"

#include "core/mem.h"

#include <stdio.h>
#include <string.h>

enum { MAX = 13, DRIFT = 0 };

typedef struct tree {
    const struct tree *rest, *son; /* both NULL for the single vertex */
    double gamma;                  /* an integer below 14! */
    int order, colour, id;         /* ids rise with the order */
    lbr_dd *u, *v;                 /* NULL in the highest order, which has no fathers */
} tree;

/* A method as trees see it. A splitting is a partitioned method with a_ij = b_j for the steps j of the other colour
 * that come before i: instead of A it has, for each step, their number. A Nystrom method is one whose c is given: a
 * q-vertex takes from its son, a p-vertex, what is at the stages themselves, and gives A u; a leaf gives c. */
typedef struct {
    int len[2];
    const lbr_dd *b[2], *A[2];
    const int *before[2];
    const lbr_dd *c;
} method;

typedef struct {
    lbr_trees kind;
    int trees, count[MAX + 1];
    tree *level[MAX + 1];
    lbr_arena arena;
} forest;

static int highest(lbr_trees kind, int max)
{
    int top = kind == LBR_TREES_ROOTED ? MAX : 10;
    return max < 1 ? 1 : max > top ? top : max;
}

/* May `son` be the next son of the root of `rest`? */
static int fits(lbr_trees kind, const tree *rest, const tree *son)
{
    if (rest->son && son->id > rest->son->id) return 0;
    if (kind == LBR_TREES_TIMED) return rest->colour != DRIFT;
    if (kind == LBR_TREES_GENERAL_NYSTROM ? rest->colour == DRIFT && son->colour == DRIFT
                                          : kind >= LBR_TREES_SEPARABLE && son->colour == rest->colour)
        return 0;
    return kind < LBR_TREES_NYSTROM || rest->colour != DRIFT || !rest->son;
}

static tree plant(const tree *rest, const tree *son, int id)
{
    int n = rest->order + son->order;
    return (tree){ .rest = rest,
                   .son = son,
                   .order = n,
                   .colour = rest->colour,
                   .id = id,
                   .gamma = rest->gamma / rest->order * son->gamma * n };
}

/* Counts the trees of order n > 1, and writes them down if there is a place. */
static int join(const forest *f, int n, tree *out)
{
    int found = 0;

    for (int k = 1; k < n; k++)
        for (const tree *son = f->level[k]; son < f->level[k] + f->count[k]; son++)
            for (const tree *rest = f->level[n - k]; rest < f->level[n - k] + f->count[n - k]; rest++)
                if (fits(f->kind, rest, son)) {
                    if (out) out[found] = plant(rest, son, f->trees + found);
                    found++;
                }
    return found;
}

/* All trees of order n, when those of lower order are there. */
static int grow(forest *f, int n)
{
    int count = n > 1 ? join(f, n, NULL) : f->kind == LBR_TREES_ROOTED ? 1 : 2;
    tree *level = lbr_arena_alloc(&f->arena, count, sizeof *level);

    if (!level) return -1;
    if (n > 1) join(f, n, level);
    else
        for (int i = 0; i < count; i++) level[i] = (tree){ .gamma = 1, .order = 1, .colour = i, .id = i };
    f->level[n] = level;
    f->count[n] = count;
    f->trees += count;
    return 0;
}

/* Room for u and v of every tree of order n. As u lives on the root's colour and v, in a splitting, on the other one,
 * both together have the length of the method. */
static int furnish(forest *f, int n, const method *m)
{
    size_t len = (size_t)m->len[0] + (size_t)m->len[1];
    lbr_dd *room = lbr_arena_alloc(&f->arena, f->count[n], len * sizeof *room);

    if (!room) return -1;
    for (tree *t = f->level[n]; t < f->level[n] + f->count[n]; t++, room += len) {
        t->u = room;
        t->v = room + m->len[t->colour];
    }
    return 0;
}

/* phi(tau), and u(tau) where it is kept. */
static lbr_dd weigh(const method *m, const tree *t)
{
    const lbr_dd *b = m->b[t->colour], *v = !t->son ? NULL : m->c && t->colour == DRIFT ? t->son->u : t->son->v;
    lbr_dd phi = dd(0);

    for (int i = 0; i < m->len[t->colour]; i++) {
        lbr_dd u = v ? dd_mul(t->rest->u[i], v[i]) : dd(1);
        if (t->u) t->u[i] = u;
        phi = dd_add(phi, dd_mul(b[i], u));
    }
    return m->c && !t->son && t->colour == DRIFT ? dd(1) : phi; /* y1 = y + h y' + ... */
}

/* v = A u: a product with a matrix, or sums over the steps before. */
static void collect(const method *m, const tree *t)
{
    const lbr_dd *A = m->A[t->colour], *b = m->b[t->colour];
    int own = m->len[t->colour], father = m->len[!t->colour];
    lbr_dd sum = dd(0);

    for (int i = 0, j = 0; i < father; i++) {
        if (m->c && !t->son && t->colour == DRIFT) {
            sum = m->c[i];
        } else if (m->c && !A) { /* p' does not depend on p */
            sum = dd(0);
        } else if (A) {
            for (sum = dd(0), j = 0; j < own; j++) sum = dd_add(sum, dd_mul(A[i * own + j], t->u[j]));
        } else {
            for (; j < m->before[!t->colour][i]; j++) sum = dd_add(sum, dd_mul(b[j], t->u[j]));
        }
        t->v[i] = sum;
    }
}

/* "[[.],.]", or with colours "[[p]q,p]p". At most 4 characters per vertex. */
static void draw(const tree *t, int coloured, char *text);

static void draw_sons(const tree *t, int coloured, char *text)
{
    if (t->rest->son) {
        draw_sons(t->rest, coloured, text);
        strcat(text, ",");
    }
    draw(t->son, coloured, text);
}

static void draw(const tree *t, int coloured, char *text)
{
    if (t->son) {
        strcat(text, "[");
        draw_sons(t, coloured, text);
        strcat(text, "]");
    }
    if (coloured) strcat(text, t->colour == DRIFT ? "q" : "p");
    else if (!t->son) strcat(text, ".");
}

/* Does the condition of t hold? If not, `out` says so. */
static int holds(const method *m, const tree *t, int coloured, double tol, double *worst, lbr_order *out)
{
    lbr_dd r = dd_sub(dd_scale(t->gamma, weigh(m, t)), dd(1));
    double size = fabs(dd_double(r));
    char text[4 * (MAX + 1) + 1] = "";

    if (size <= tol) {
        *worst = fmax(*worst, size);
        return 1;
    }
    draw(t, coloured, text);
    snprintf(out->detail, sizeof out->detail, "tree %s of order %d: residual %.1e", text, t->order, size);
    out->failing = size;
    out->constant = size / t->gamma;
    out->exact = 1;
    return 0;
}

/* The largest phi - 1/gamma of the trees of order n. */
static double largest(const forest *f, int n, const method *m)
{
    double most = 0;

    for (int i = 0; i < f->count[n]; i++) {
        const tree *t = &f->level[n][i];

        most = fmax(most, fabs(dd_double(dd_sub(dd_scale(t->gamma, weigh(m, t)), dd(1)))) / t->gamma);
    }
    return most;
}

/* The bushes of order n with leaves of one colour: what is left when the trees of order n are too many. */
static int bushes(forest *f, int n, const method *m, double tol, lbr_order *out)
{
    int longest = m->len[0] > m->len[1] ? m->len[0] : m->len[1];
    lbr_dd *u = lbr_arena_alloc(&f->arena, longest, sizeof *u);
    double worst = 0;

    if (!u) return -1;
    for (int i = 0; i < f->count[1]; i++)
        for (int j = 0; j < f->count[1]; j++) {
            const tree *leaf = &f->level[1][j];
            tree bush[MAX + 2] = { [1] = f->level[1][i] };
            int k = 1;

            for (; k < n && fits(f->kind, &bush[k], leaf); k++) {
                bush[k + 1] = plant(&bush[k], leaf, f->trees);
                bush[k + 1].u = u; /* one place for all: entry i is read before it is written */
                if (k + 1 < n) weigh(m, &bush[k + 1]);
            }
            if (k == n && !holds(m, &bush[n], f->kind != LBR_TREES_ROOTED, tol, &worst, out)) return 0;
        }
    snprintf(out->detail, sizeof out->detail, "all conditions up to order %d hold", out->order);
    return 0;
}

static int search(forest *f, const method *m, int max, double tol, lbr_order *out)
{
    double worst = 0;

    *out = (lbr_order){ .order = 0 };
    for (int n = 1; n <= max; n++) {
        int keep = n < max || n == 1;

        if (grow(f, n) || (keep && furnish(f, n, m))) return -1;
        for (int i = 0; i < f->count[n]; i++)
            if (!holds(m, &f->level[n][i], f->kind != LBR_TREES_ROOTED, tol, &worst, out))
                return out->constant = largest(f, n, m), 0;
        for (int i = 0; keep && i < f->count[n]; i++) collect(m, &f->level[n][i]);
        out->order = n;
        out->residual = worst;
    }
    return bushes(f, max + 1, m, tol, out);
}

int64_t lbr_trees_count(lbr_trees kind, int order)
{
    forest f = { .kind = kind };
    int failed = 0, top = highest(kind, order);

    for (int n = 1; n <= top && !failed; n++) failed = grow(&f, n);
    lbr_arena_free(&f.arena);
    return failed ? -1 : f.count[top];
}

int lbr_trees_order(lbr_trees kind, int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *A2, const lbr_dd *b2,
                    int max, double tol, lbr_order *out)
{
    forest f = { .kind = kind };
    method m = { .len = { s, s }, .A = { A, A2 }, .b = { b, b2 } };
    int failed = search(&f, &m, highest(kind, max), tol, out);

    lbr_arena_free(&f.arena);
    return failed;
}

int lbr_trees_nystrom(int s, const lbr_dd *A, const lbr_dd *Ahat, const lbr_dd *bbar, const lbr_dd *b, const lbr_dd *c,
                      int max, double tol, lbr_order *out)
{
    forest f = { .kind = Ahat ? LBR_TREES_GENERAL_NYSTROM : LBR_TREES_NYSTROM };
    method m = { .len = { s, s }, .A = { A, Ahat }, .b = { bbar, b }, .c = c };
    int failed = search(&f, &m, highest(f.kind, max), tol, out);

    lbr_arena_free(&f.arena);
    return failed;
}

int lbr_trees_timed(int s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *c, int max, double tol, lbr_order *out)
{
    forest f = { .kind = LBR_TREES_TIMED };
    method m = { .len = { s, s }, .A = { A, A }, .b = { b, b }, .c = c };
    int failed = search(&f, &m, highest(f.kind, max), tol, out);

    lbr_arena_free(&f.arena);
    return failed;
}

/* Sorts the steps by colour. */
static int sort(forest *f, method *m, int n, const lbr_dd *c, const unsigned char *kick)
{
    lbr_dd *b = lbr_arena_alloc(&f->arena, 2 * (int64_t)n, sizeof *b);
    int *before = lbr_arena_alloc(&f->arena, 2 * (int64_t)n, sizeof *before);

    if (!b || !before) return -1;
    for (int i = 0; i < 2; i++) m->b[i] = b + i * n, m->before[i] = before + i * n;
    for (int k = 0; k < n; k++) {
        int colour = kick[k] != 0, at = colour * n + m->len[colour]++;

        b[at] = c[k];
        before[at] = m->len[!colour];
    }
    return 0;
}

int lbr_trees_splitting(int n, const lbr_dd *c, const unsigned char *kick, int quadratic, int max, double tol,
                        lbr_order *out)
{
    forest f = { .kind = quadratic ? LBR_TREES_NYSTROM : LBR_TREES_SEPARABLE };
    method m = { .len = { 0, 0 } };
    int failed = sort(&f, &m, n, c, kick) || search(&f, &m, highest(f.kind, max), tol, out);

    lbr_arena_free(&f.arena);
    return failed ? -1 : 0;
}
