/* ldl_order.c - in which order to eliminate: none fills less if the pattern is chordal, minimum degree otherwise.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Eliminating a vertex of the graph of a matrix joins its neighbours to each other; the edges that come in are the
 * fill. A chordal graph (a tree, a tree of joints with many bodies each, a band) has an order without any, and maximum
 * cardinality search finds it (Tarjan and Yannakakis 1984). Otherwise the vertex with the fewest neighbours goes next,
 * as in Amestoy, Davis and Duff 1996: an eliminated vertex becomes an "element", the clique of its neighbours, kept as
 * a list; degrees are bounds; vertices that cannot be told apart are one. */
#include "ldl.h"

#include <math.h>
#include <string.h>

/* --- graphs and lists by a number -------------------------------------------------------------------------------- */

typedef struct graph {
    int64_t n, *start, *list;
} graph;

static int graph_make(graph *g, int64_t n, const int64_t *row, const int64_t *col, lbr_arena *arena)
{
    int64_t *fill;

    *g = (graph){ n, lbr_arena_alloc(arena, n + 1, sizeof *g->start),
                  lbr_arena_alloc(arena, 2 * (row[n] - n), sizeof *g->list) };
    if (!g->start || !g->list || !(fill = lbr_arena_alloc(arena, n, sizeof *fill))) return 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = row[i]; e < row[i + 1] - 1; e++) fill[i]++, fill[col[e]]++;
    for (int64_t i = 0; i < n; i++) g->start[i + 1] = g->start[i] + fill[i], fill[i] = g->start[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = row[i]; e < row[i + 1] - 1; e++) g->list[fill[i]++] = col[e], g->list[fill[col[e]]++] = i;
    return 1;
}

/* Vertices in lists, one list for each number; -1 ends a list. What was put last is first. */
typedef struct lists {
    int64_t *head, *next, *before;
} lists;

static int lists_make(lists *l, int64_t n, lbr_arena *arena)
{
    l->head = lbr_arena_alloc(arena, n, sizeof *l->head);
    l->next = lbr_arena_alloc(arena, n, sizeof *l->next);
    l->before = lbr_arena_alloc(arena, n, sizeof *l->before);
    if (!l->head || !l->next || !l->before) return 0;
    for (int64_t i = 0; i < n; i++) l->head[i] = -1;
    return 1;
}

static void put(lists *l, int64_t number, int64_t v)
{
    int64_t first = l->head[number];

    l->next[v] = first, l->before[v] = -1, l->head[number] = v;
    if (first >= 0) l->before[first] = v;
}

static void take(lists *l, int64_t number, int64_t v)
{
    if (l->before[v] < 0) l->head[number] = l->next[v];
    else l->next[l->before[v]] = l->next[v];
    if (l->next[v] >= 0) l->before[l->next[v]] = l->before[v];
}

/* --- chordal graphs ---------------------------------------------------------------------------------------------- */

/* Maximum cardinality search: from the end, always a vertex that has most neighbours in the order already. */
static void search(const graph *g, lists *l, int64_t *count, int64_t *at, int64_t *order)
{
    int64_t most = 0;

    for (int64_t v = 0; v < g->n; v++) put(l, 0, v), at[v] = -1;
    for (int64_t k = g->n - 1; k >= 0; k--, most++) {
        int64_t v;

        if (most >= g->n) most = g->n - 1;
        while (l->head[most] < 0) most--;
        v = l->head[most];
        take(l, most, v);
        order[k] = v, at[v] = k;
        for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) {
            int64_t u = g->list[e];

            if (at[u] < 0) take(l, count[u], u), put(l, ++count[u], u);
        }
    }
}

/* Whether nothing fills in: of the neighbours of a vertex that come later, the first one knows all the others. */
static int fills_nothing(const graph *g, lists *l, const int64_t *at, const int64_t *order, int64_t *mark)
{
    for (int64_t v = 0; v < g->n; v++) l->head[v] = mark[v] = -1;
    for (int64_t v = 0; v < g->n; v++) {
        int64_t first = g->n;

        for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
            if (at[g->list[e]] > at[v] && at[g->list[e]] < first) first = at[g->list[e]];
        if (first < g->n) put(l, order[first], v);
    }
    for (int64_t f = 0; f < g->n; f++) {
        mark[f] = f;
        for (int64_t e = g->start[f]; e < g->start[f + 1]; e++) mark[g->list[e]] = f;
        for (int64_t v = l->head[f]; v >= 0; v = l->next[v])
            for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
                if (at[g->list[e]] > at[v] && mark[g->list[e]] != f) return 0;
    }
    return 1;
}

/* --- minimum degree ---------------------------------------------------------------------------------------------- */

/* A vertex is VARIABLE until it is eliminated, ELEMENT then; OVER when it is part of another one, or told by others. */
enum kind { VARIABLE, ELEMENT, OVER };

typedef struct quotient {
    graph g; /* a vertex' place in g.list: its variables from the left, its elements from the right */
    int64_t *variables, *elements; /* how many */
    unsigned char *kind;
    int64_t *weight, *degree;           /* of variables: how many vertices; neighbours besides themselves at most */
    int64_t *also, *last;               /* chain of the vertices in it */
    int64_t **members, *count, *size;   /* of elements: list; its length; vertices in it */
    int64_t *mark, stamp, *left, *seen; /* marks; vertices of an element outside the newest, if seen */
    lists by_degree, by_hash;
    int64_t *hash, *scratch;
    lbr_arena *arena;
} quotient;

static int quotient_make(quotient *q, const graph *g, lbr_arena *arena)
{
    int64_t n = g->n,
            **array[] = { &q->variables, &q->elements, &q->weight, &q->degree, &q->also, &q->last,   &q->count,
                          &q->size,      &q->mark,     &q->left,   &q->seen,   &q->hash, &q->scratch };

    *q = (quotient){ .g = *g, .arena = arena };
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        if (!(*array[i] = lbr_arena_alloc(arena, n, sizeof **array[i]))) return 0;
    q->kind = lbr_arena_alloc(arena, n, sizeof *q->kind);
    q->members = lbr_arena_alloc(arena, n, sizeof *q->members);
    return q->kind && q->members && lists_make(&q->by_degree, n, arena) && lists_make(&q->by_hash, n, arena);
}

/* Vertices that know nearly everybody come last: their lists would be read again and again. */
static void start_degrees(quotient *q)
{
    double many = fmax(16, 10 * sqrt((double)q->g.n));

    for (int64_t v = 0; v < q->g.n; v++) {
        q->variables[v] = q->g.start[v + 1] - q->g.start[v];
        q->weight[v] = 1, q->also[v] = -1, q->last[v] = v;
        q->kind[v] = (double)q->variables[v] > many ? OVER : VARIABLE;
    }
    for (int64_t v = q->g.n - 1; v >= 0; v--) {
        if (q->kind[v] != VARIABLE) continue;
        for (int64_t e = q->g.start[v]; e < q->g.start[v + 1]; e++) q->degree[v] += q->kind[q->g.list[e]] == VARIABLE;
        put(&q->by_degree, q->degree[v], v);
    }
}

static void join(quotient *q, int64_t v, int64_t into)
{
    q->also[q->last[into]] = v, q->last[into] = q->last[v];
    q->weight[into] += q->weight[v];
    q->kind[v] = OVER;
}

static int64_t gather(quotient *q, int64_t count, const int64_t *list, int64_t length, int64_t p)
{
    for (int64_t k = 0; k < length; k++) {
        int64_t v = list[k];

        if (q->kind[v] != VARIABLE || q->mark[v] == q->stamp) continue;
        take(&q->by_degree, q->degree[v], v);
        q->mark[v] = q->stamp, q->scratch[count++] = v, q->size[p] += q->weight[v];
    }
    return count;
}

/* p becomes the element of its neighbours; the elements that it knew are part of it. */
static int element(quotient *q, int64_t p)
{
    const int64_t *list = q->g.list + q->g.start[p], *end = q->g.list + q->g.start[p + 1];
    int64_t count;

    take(&q->by_degree, q->degree[p], p);
    q->kind[p] = ELEMENT, q->stamp++;
    count = gather(q, 0, list, q->variables[p], p);
    for (int64_t k = 1; k <= q->elements[p]; k++) {
        int64_t e = end[-k];

        if (q->kind[e] == ELEMENT) count = gather(q, count, q->members[e], q->count[e], p), q->kind[e] = OVER;
    }
    if (!(q->members[p] = lbr_arena_alloc(q->arena, count, sizeof **q->members))) return 0;
    memcpy(q->members[p], q->scratch, (size_t)count * sizeof *q->scratch);
    q->count[p] = count;
    return 1;
}

/* How much of the other elements of its variables is outside p. */
static void outside(quotient *q, int64_t p)
{
    for (int64_t k = 0; k < q->count[p]; k++) {
        int64_t v = q->members[p][k];
        const int64_t *end = q->g.list + q->g.start[v + 1];

        for (int64_t j = 1; j <= q->elements[v]; j++) {
            int64_t e = end[-j];

            if (q->kind[e] != ELEMENT) continue;
            if (q->seen[e] != q->stamp) q->seen[e] = q->stamp, q->left[e] = q->size[e];
            q->left[e] -= q->weight[v];
        }
    }
}

/* v of p: its lists without what p tells, its hash, and the smaller of two bounds for its neighbours outside p. */
static void shorten(quotient *q, int64_t p, int64_t v)
{
    int64_t *list = q->g.list + q->g.start[v], *end = q->g.list + q->g.start[v + 1], variables = 0, elements = 0,
            degree = 0, hash = p;

    for (int64_t k = 0; k < q->variables[v]; k++) {
        int64_t u = list[k];

        if (q->kind[u] == VARIABLE && q->mark[u] != q->stamp) list[variables++] = u, hash += u, degree += q->weight[u];
    }
    for (int64_t k = 1; k <= q->elements[v]; k++) {
        int64_t e = end[-k];

        if (q->kind[e] == ELEMENT && !q->left[e]) q->kind[e] = OVER;
        if (q->kind[e] == ELEMENT) end[-++elements] = e, hash += e, degree += q->left[e];
    }
    end[-++elements] = p; /* there is room: p, or an element that is part of p, was in a list */
    q->variables[v] = variables, q->elements[v] = elements, q->hash[v] = hash % q->g.n;
    if (degree < q->degree[v]) q->degree[v] = degree;
}

static int same(quotient *q, int64_t u, int64_t v)
{
    const int64_t *a = q->g.list + q->g.start[u], *b = q->g.list + q->g.start[v], *ea = q->g.list + q->g.start[u + 1],
                  *eb = q->g.list + q->g.start[v + 1];

    if (q->variables[u] != q->variables[v] || q->elements[u] != q->elements[v]) return 0;
    q->stamp++;
    for (int64_t k = 0; k < q->variables[u]; k++) q->mark[a[k]] = q->stamp;
    for (int64_t k = 1; k <= q->elements[u]; k++) q->mark[ea[-k]] = q->stamp;
    for (int64_t k = 0; k < q->variables[v]; k++)
        if (q->mark[b[k]] != q->stamp) return 0;
    for (int64_t k = 1; k <= q->elements[v]; k++)
        if (q->mark[eb[-k]] != q->stamp) return 0;
    return 1;
}

/* Joins the variables of p that have the same lists; those that know nothing but p are eliminated with it. */
static void join_alike(quotient *q, int64_t p)
{
    for (int64_t k = 0; k < q->count[p]; k++) {
        int64_t v = q->members[p][k], u;

        if (!q->variables[v] && q->elements[v] == 1) {
            q->size[p] -= q->weight[v], join(q, v, p);
            continue;
        }
        for (u = q->by_hash.head[q->hash[v]]; u >= 0 && !same(q, u, v); u = q->by_hash.next[u]) continue;
        if (u >= 0) join(q, v, u);
        else put(&q->by_hash, q->hash[v], v);
    }
}

static int eliminate(quotient *q, int64_t p, int64_t remaining)
{
    int64_t count = 0;

    if (!element(q, p)) return 0;
    outside(q, p);
    for (int64_t k = 0; k < q->count[p]; k++) shorten(q, p, q->members[p][k]);
    join_alike(q, p);
    for (int64_t k = 0; k < q->count[p]; k++) {
        int64_t v = q->members[p][k], most = remaining - q->weight[p] - q->weight[v];

        if (q->kind[v] != VARIABLE) continue;
        take(&q->by_hash, q->hash[v], v);
        q->degree[v] += q->size[p] - q->weight[v];
        if (q->degree[v] > most) q->degree[v] = most;
        put(&q->by_degree, q->degree[v], v);
        q->members[p][count++] = v;
    }
    q->count[p] = count;
    return 1;
}

static int minimum_degree(quotient *q, int64_t *order)
{
    int64_t n = q->g.n, done = 0, least = 0, all = 0;

    start_degrees(q);
    for (int64_t v = 0; v < n; v++) all += q->kind[v] == VARIABLE;
    for (int64_t v = 0, last = all; v < n; v++)
        if (q->kind[v] != VARIABLE) order[last++] = v;
    while (done < all) {
        int64_t p;

        while (q->by_degree.head[least] < 0) least++;
        p = q->by_degree.head[least];
        if (!eliminate(q, p, all - done)) return 0;
        for (int64_t v = p; v >= 0; v = q->also[v]) order[done++] = v;
        for (int64_t k = 0; k < q->count[p]; k++)
            if (q->degree[q->members[p][k]] < least) least = q->degree[q->members[p][k]];
    }
    return 1;
}

lbr_status lbr_ldl_order(int64_t n, const int64_t *row, const int64_t *col, int64_t *order)
{
    lbr_arena arena = { NULL };
    graph g;
    lists l;
    quotient q;
    int64_t *count = lbr_arena_alloc(&arena, n, sizeof *count), *at = lbr_arena_alloc(&arena, n, sizeof *at);
    int done = n && count && at && graph_make(&g, n, row, col, &arena) && lists_make(&l, n, &arena);

    if (done) search(&g, &l, count, at, order);
    if (done && !fills_nothing(&g, &l, at, order, count))
        done = quotient_make(&q, &g, &arena) && minimum_degree(&q, order);
    lbr_arena_free(&arena);
    return done || !n ? LBR_OK : LBR_ENOMEM;
}
