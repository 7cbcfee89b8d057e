/* sparse_lu_make.c - the structure of sparse LU for a pattern: order, fill, places. SPDX-License-Identifier:
 * BSD-3-Clause
 *
 * The tree of columns is that of ldl_make.c (Liu 1990): row i of L has the columns on the paths in it from those of row
 * i of the matrix up to i. */
#include "ldl.h"
#include "sparse_lu.h"

#include <string.h>

typedef struct work {
    int64_t n, *row, *col; /* J + J^T with its diagonal: the lower triangle, as ldl.h takes it */
    int64_t *order, *at;   /* who is k-th; when is whose turn */
    int64_t *first, *list; /* the same by turns: row k, below the diagonal */
    int64_t *parent, *mark, *fill;
} work;

/* Entries (i, j) and (j, i) of J are one of the triangle; entries that are there twice are left. */
static int symmetrise(work *w, const lbr_pattern *p, lbr_arena *arena)
{
    int64_t n = w->n, *head = lbr_arena_alloc(arena, n + 1, sizeof *head), *other, all = 0;

    w->row = lbr_arena_alloc(arena, n + 1, sizeof *w->row);
    w->col = lbr_arena_alloc(arena, p->nnz + n, sizeof *w->col);
    other = lbr_arena_alloc(arena, p->nnz, sizeof *other);
    if (!head || !w->row || !w->col || !other) return 0;
    for (int64_t i = 0; i < n; i++) /* the upper triangle by columns: rows ascend in each */
        for (int64_t e = p->row[i]; e < p->row[i + 1]; e++) head[p->col[e] + 1] += p->col[e] > i;
    for (int64_t i = 0; i < n; i++) head[i + 1] += head[i], w->mark[i] = head[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = p->row[i]; e < p->row[i + 1]; e++)
            if (p->col[e] > i) other[w->mark[p->col[e]]++] = i;
    for (int64_t i = 0; i < n; i++) {
        int64_t a = p->row[i], b = head[i];

        while (a < p->row[i + 1] || b < head[i + 1]) {
            int64_t x = a < p->row[i + 1] && p->col[a] < i ? p->col[a] : i, y = b < head[i + 1] ? other[b] : i;

            if (x == i && y == i) break;
            w->col[all++] = x < y ? x : y;
            a += x <= y, b += y <= x;
        }
        w->col[all++] = i, w->row[i + 1] = all;
    }
    return 1;
}

static int by_turns(work *w, lbr_arena *arena)
{
    int64_t n = w->n;

    w->list = lbr_arena_alloc(arena, w->row[n] - n, sizeof *w->list);
    if (!w->list) return 0;
    for (int64_t k = 0; k < n; k++) w->at[w->order[k]] = k;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = w->row[i]; e < w->row[i + 1] - 1; e++) {
            int64_t a = w->at[i], b = w->at[w->col[e]];
            w->first[(a > b ? a : b) + 1]++;
        }
    for (int64_t k = 0; k < n; k++) w->first[k + 1] += w->first[k], w->fill[k] = w->first[k];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = w->row[i]; e < w->row[i + 1] - 1; e++) {
            int64_t a = w->at[i], b = w->at[w->col[e]];
            w->list[w->fill[a > b ? a : b]++] = a > b ? b : a;
        }
    return 1;
}

static void tree(work *w)
{
    int64_t *root = w->fill;

    for (int64_t i = 0; i < w->n; i++) {
        w->parent[i] = root[i] = -1;
        for (int64_t e = w->first[i]; e < w->first[i + 1]; e++)
            for (int64_t j = w->list[e], next; j >= 0 && j != i; j = next) {
                next = root[j], root[j] = i;
                if (next < 0) w->parent[j] = i;
            }
    }
}

/* Lengths of the columns and rows of L, summed up; 0: more than `most`. */
static int count(work *w, lbr_sparse_lu *lu, int64_t *start, int64_t *left, int64_t most)
{
    int64_t n = w->n;

    for (int64_t k = 0; k < n; k++) w->mark[k] = -1;
    for (int64_t i = 0; i < n; i++) {
        w->mark[i] = i, left[i + 1] = left[i];
        for (int64_t e = w->first[i]; e < w->first[i + 1]; e++)
            for (int64_t j = w->list[e]; w->mark[j] != i; j = w->parent[j])
                w->mark[j] = i, start[j + 1]++, left[i + 1]++;
        if (left[i + 1] > most) return lu->stored = left[i + 1], 0;
    }
    for (int64_t k = 0; k < n; k++) {
        double height = (double)start[k + 1];

        lu->products += height * (height + 1);
        start[k + 1] += start[k];
    }
    lu->stored = start[n];
    return 1;
}

static void fill(work *w, const int64_t *start, const int64_t *left, int32_t *index, lbr_sparse_left *of)
{
    int64_t n = w->n;

    for (int64_t k = 0; k < n; k++) w->mark[k] = -1, w->fill[k] = start[k];
    for (int64_t i = 0; i < n; i++) {
        int64_t to = left[i];

        w->mark[i] = i;
        for (int64_t e = w->first[i]; e < w->first[i + 1]; e++)
            for (int64_t j = w->list[e]; w->mark[j] != i; j = w->parent[j]) {
                w->mark[j] = i;
                of[to++] = (lbr_sparse_left){ w->fill[j], start[j + 1] };
                index[w->fill[j]++] = (int32_t)i;
            }
    }
}

/* Entry (i, j) of J: a pivot, an entry of L, or one of U. */
static void places(const work *w, const lbr_sparse_lu *lu, const lbr_pattern *p, int64_t *place)
{
    int64_t n = w->n;

    for (int64_t i = 0; i < n; i++)
        for (int64_t e = p->row[i]; e < p->row[i + 1]; e++) {
            int64_t a = w->at[i], b = w->at[p->col[e]], c = a < b ? a : b, r = a < b ? b : a, low = lu->start[c],
                    high = lu->start[c + 1] - 1;

            while (low < high) {
                int64_t middle = (low + high) / 2;

                if (lu->index[middle] < r) low = middle + 1;
                else high = middle;
            }
            place[e] = a == b ? a : n + low + (a < b ? lu->stored : 0);
        }
}

static lbr_status make(lbr_sparse_lu *lu, work *w, const lbr_pattern *p, int64_t most, lbr_arena *arena,
                       lbr_arena *scratch)
{
    int64_t n = w->n, **mine[] = { &w->at, &w->first, &w->parent, &w->mark, &w->fill }, *start, *left, *place;
    int32_t *index;
    lbr_sparse_left *of;
    lbr_status status;

    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        if (!(*mine[i] = lbr_arena_alloc(scratch, n + 1, sizeof **mine[i]))) return LBR_ENOMEM;
    lu->order = w->order = lbr_arena_alloc(arena, n, sizeof *w->order);
    lu->start = start = lbr_arena_alloc(arena, n + 1, sizeof *start);
    lu->left = left = lbr_arena_alloc(arena, n + 1, sizeof *left);
    lu->place = place = lbr_arena_alloc(arena, p->nnz, sizeof *place);
    if (!w->order || !start || !left || !place || !symmetrise(w, p, scratch)) return LBR_ENOMEM;
    if ((status = lbr_ldl_order(n, w->row, w->col, w->order))) return status;
    if (!by_turns(w, scratch)) return LBR_ENOMEM;
    tree(w);
    if (!count(w, lu, start, left, most)) return LBR_OK;
    lu->index = index = lbr_arena_alloc(arena, lu->stored, sizeof *index);
    lu->of = of = lbr_arena_alloc(arena, lu->stored, sizeof *of);
    if (!index || !of) return LBR_ENOMEM;
    fill(w, start, left, index, of);
    places(w, lu, p, place);
    return LBR_OK;
}

lbr_status lbr_sparse_lu_make(lbr_sparse_lu *lu, const lbr_pattern *p, int64_t most, lbr_arena *arena)
{
    lbr_arena scratch = { NULL };
    work w = { .n = p->n };
    lbr_status status;

    *lu = (lbr_sparse_lu){ .n = p->n, .entries = p->nnz };
    if (p->n >= INT32_MAX) return LBR_ENOMEM;
    status = make(lu, &w, p, most, arena, &scratch);
    lbr_arena_free(&scratch);
    return status;
}
