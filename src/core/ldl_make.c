/* ldl_make.c - the structure of L D L^T for a pattern: a band as it comes, or blocks of columns.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Theory of the second: J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl.
 * 11 (1990). The parent of a column is the first row below the diagonal of its L; row i of L has the columns on the
 * paths in this tree from those of row i of the matrix up to i. */
#include "ldl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { WIDEST = 8 }; /* of bands: beyond, blocks are as fast */

int64_t lbr_ldl_size(const lbr_ldl *ldl) { return ldl->size; }

static int64_t bandwidth(int64_t n, const int64_t *row, const int64_t *col)
{
    int64_t w = 0;

    for (int64_t i = 0; i < n; i++)
        if (i - col[row[i]] > w) w = i - col[row[i]];
    return w;
}

static lbr_status begin(lbr_ldl *ldl, int64_t n, const int64_t *row, lbr_arena *arena, int64_t **place)
{
    int64_t *mine = lbr_arena_alloc(arena, n + 1, sizeof *mine);

    *place = lbr_arena_alloc(arena, row[n], sizeof **place);
    if (!mine || !*place) return LBR_ENOMEM;
    memcpy(mine, row, (size_t)(n + 1) * sizeof *mine);
    *ldl = (lbr_ldl){ .n = n,
                      .entries = row[n],
                      .row = mine,
                      .place = *place,
                      .band = -1,
                      .wide = lbr_ldl_wide(),
                      .tiny = fmax(1e-13, (double)n * DBL_EPSILON) };
    return LBR_OK;
}

lbr_status lbr_ldl_make(lbr_ldl *ldl, int64_t n, const int64_t *row, const int64_t *col, lbr_arena *arena)
{
    int64_t w = bandwidth(n, row, col), all = n * (w + 1) - w * (w + 1) / 2, *place;
    lbr_status status;

    if (w > 1 && (w > WIDEST || 3 * row[n] < 2 * all)) return lbr_ldl_make_blocks(ldl, n, row, col, arena);
    if ((status = begin(ldl, n, row, arena, &place))) return status;
    ldl->band = w, ldl->size = n * (w + 1), ldl->stored = all, ldl->full = row[n] == all;
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = row[i]; e < row[i + 1]; e++) place[e] = i * (w + 1) + w - (i - col[e]);
    return LBR_OK;
}

/* --- the tree of columns ----------------------------------------------------------------------------------------- */

/* All of this in the order of elimination; blocks and their rows once they are known. */
typedef struct work {
    int64_t n, *order, *at;               /* who is k-th; when is whose turn */
    int64_t *start, *list;                /* the matrix below the diagonal, by rows */
    int64_t *parent, *height;             /* of columns: the tree; entries of L */
    int64_t *block, *above, *rows, *fill; /* whose block; of blocks: their parents, rows and how many are in */
    int64_t *mark, *other;
    lbr_ldl_block *blocks;
    lbr_arena *arena;
} work;

static int work_make(work *w, int64_t n, int64_t entries, lbr_arena *arena)
{
    int64_t **array[] = { &w->order, &w->at,    &w->start, &w->parent, &w->height,
                          &w->block, &w->above, &w->fill,  &w->mark,   &w->other };

    *w = (work){ .n = n, .list = lbr_arena_alloc(arena, entries - n, sizeof *w->list), .arena = arena };
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        if (!(*array[i] = lbr_arena_alloc(arena, n + 2, sizeof **array[i]))) return 0;
    return w->list != NULL;
}

/* The matrix in the order of elimination. */
static void permute(work *w, const int64_t *row, const int64_t *col)
{
    int64_t *start = w->start;

    memset(start, 0, (size_t)(w->n + 2) * sizeof *start);
    for (int64_t k = 0; k < w->n; k++) w->at[w->order[k]] = k;
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t e = row[i]; e < row[i + 1] - 1; e++) {
            int64_t a = w->at[i], b = w->at[col[e]];
            start[(a > b ? a : b) + 2]++;
        }
    for (int64_t k = 0; k < w->n; k++) start[k + 2] += start[k + 1];
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t e = row[i]; e < row[i + 1] - 1; e++) {
            int64_t a = w->at[i], b = w->at[col[e]];
            w->list[start[(a > b ? a : b) + 1]++] = a > b ? b : a;
        }
}

/* Liu 1990, algorithm 4.2: the paths that were gone before are cut short. */
static void tree(work *w)
{
    int64_t *root = w->other;

    for (int64_t i = 0; i < w->n; i++) {
        w->parent[i] = root[i] = -1;
        for (int64_t e = w->start[i]; e < w->start[i + 1]; e++)
            for (int64_t j = w->list[e], next; j >= 0 && j != i; j = next) {
                next = root[j], root[j] = i;
                if (next < 0) w->parent[j] = i;
            }
    }
}

/* Children right before their parents, which moves no entry of L in or out: columns that share rows become neighbours.
 */
static void postorder(work *w)
{
    int64_t *first = w->fill, *next = w->block, *stack = w->other, *order = w->above, depth = 0, k = 0;

    for (int64_t j = 0; j <= w->n; j++) first[j] = -1;
    for (int64_t j = w->n - 1; j >= 0; j--) {
        int64_t p = w->parent[j] < 0 ? w->n : w->parent[j];
        next[j] = first[p], first[p] = j;
    }
    for (stack[depth++] = w->n; depth;) {
        int64_t j = stack[depth - 1], child = first[j];

        if (child >= 0) first[j] = next[child], stack[depth++] = child;
        else if (depth--, j < w->n) order[k++] = w->order[j];
    }
    memcpy(w->order, order, (size_t)w->n * sizeof *order);
}

static int64_t count(work *w)
{
    int64_t all = w->n;

    for (int64_t i = 0; i < w->n; i++) w->height[i] = 1, w->mark[i] = -1;
    for (int64_t i = 0; i < w->n; i++) {
        w->mark[i] = i;
        for (int64_t e = w->start[i]; e < w->start[i + 1]; e++)
            for (int64_t j = w->list[e]; w->mark[j] != i; j = w->parent[j]) w->mark[j] = i, w->height[j]++, all++;
    }
    return all;
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

/* A column with the rows of the one before it, except that one, is in its block. */
static int64_t cut(work *w)
{
    int64_t blocks = 0;

    for (int64_t j = 0; j < w->n; j++) {
        int more = j && w->parent[j - 1] == j && w->height[j - 1] == w->height[j] + 1;
        w->block[j] = more ? blocks - 1 : blocks++;
    }
    return blocks;
}

static lbr_status lay_out(lbr_ldl *ldl, work *w, lbr_arena *arena)
{
    int64_t tall = 0, wide = 0, size = 0, rows = 0;
    lbr_ldl_block *b;

    ldl->blocks = cut(w);
    if (!(ldl->block = w->blocks = b = lbr_arena_alloc(arena, ldl->blocks + 1, sizeof *b))) return LBR_ENOMEM;
    for (int64_t j = 0; j < w->n; j++) {
        int64_t s = w->block[j];

        if (!b[s].width++) b[s].height = (int32_t)w->height[j];
        w->above[s] = w->parent[j] < 0 ? -1 : w->block[w->parent[j]];
    }
    for (int64_t s = 0; s < ldl->blocks; s++) {
        b[s].start = size, b[s].rows = rows;
        size += (int64_t)b[s].height * b[s].width, rows += b[s].height;
        if (b[s].height > tall) tall = b[s].height;
        if (b[s].width > wide) wide = b[s].width;
    }
    b[ldl->blocks].rows = rows, b[ldl->blocks].start = size;
    ldl->scratch = size, ldl->size = size + tall + wide;
    return (w->rows = lbr_arena_alloc(w->arena, rows, sizeof *w->rows)) ? LBR_OK : LBR_ENOMEM;
}

/* The rows of each block, ascending. */
static void fill_rows(const lbr_ldl *ldl, work *w)
{
    for (int64_t s = 0; s < ldl->blocks; s++) w->fill[s] = ldl->block[s].rows, w->mark[s] = -1;
    for (int64_t i = 0; i < w->n; i++) {
        int64_t mine = w->block[i];

        w->rows[w->fill[mine]++] = i, w->mark[mine] = i;
        for (int64_t e = w->start[i]; e < w->start[i + 1]; e++)
            for (int64_t s = w->block[w->list[e]]; w->mark[s] != i; s = w->above[s])
                w->mark[s] = i, w->rows[w->fill[s]++] = i;
    }
}

/* Which row of block s is row i. */
static int64_t position(const work *w, int64_t s, int64_t i)
{
    const int64_t *rows = w->rows + w->blocks[s].rows;
    int64_t low = 0, high = w->blocks[s].height - 1;

    while (low < high) {
        int64_t middle = (low + high) / 2;

        if (rows[middle] < i) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void places(const work *w, const int64_t *row, const int64_t *col, int64_t *place)
{
    for (int64_t i = 0; i < w->n; i++)
        for (int64_t e = row[i]; e < row[i + 1]; e++) {
            int64_t a = w->at[i], b = w->at[col[e]], r = a > b ? a : b, c = a > b ? b : a, s = w->block[c];

            place[e] = w->blocks[s].start + (c - w->rows[w->blocks[s].rows]) * w->blocks[s].height + position(w, s, r);
        }
}

/* For each block, the blocks that its rows belong to, and where these rows are there. Without arrays, only counts. */
static void updates(const lbr_ldl *ldl, const work *w, lbr_ldl_update *update, int32_t *to, int64_t *n_update,
                    int64_t *n_to)
{
    *n_update = *n_to = 0;
    for (int64_t s = 0; s < ldl->blocks; s++) {
        int32_t height = w->blocks[s].height;
        const int64_t *rows = w->rows + w->blocks[s].rows;

        w->blocks[s].update = *n_update;
        for (int32_t a = w->blocks[s].width, end; a < height; a = end) {
            int64_t t = w->block[rows[a]];

            for (end = a; end < height && w->block[rows[end]] == t; end++) continue;
            if (update) update[*n_update] = (lbr_ldl_update){ *n_to, (int32_t)t, a, end };
            for (int32_t b = a; b < height && to; b++) to[*n_to + b - a] = (int32_t)position(w, t, rows[b]);
            ++*n_update, *n_to += height - a;
        }
    }
    w->blocks[ldl->blocks].update = *n_update;
}

static lbr_status connect(lbr_ldl *ldl, const work *w, lbr_arena *arena)
{
    int64_t n_update, n_to, rows = ldl->block[ldl->blocks].rows;
    lbr_ldl_update *update;
    int32_t *to, *index = lbr_arena_alloc(arena, rows, sizeof *index);

    updates(ldl, w, NULL, NULL, &n_update, &n_to);
    update = lbr_arena_alloc(arena, n_update, sizeof *update);
    to = lbr_arena_alloc(arena, n_to, sizeof *to);
    if (!update || !to || !index) return LBR_ENOMEM;
    updates(ldl, w, update, to, &n_update, &n_to);
    for (int64_t k = 0; k < rows; k++) index[k] = (int32_t)w->order[w->rows[k]];
    ldl->update = update, ldl->to = to, ldl->index = index;
    return LBR_OK;
}

lbr_status lbr_ldl_make_blocks(lbr_ldl *ldl, int64_t n, const int64_t *row, const int64_t *col, lbr_arena *arena)
{
    lbr_arena scratch = { NULL };
    int64_t *place;
    work w;
    lbr_status status = n >= INT32_MAX ? LBR_ENOMEM : begin(ldl, n, row, arena, &place);

    if (!status && !work_make(&w, n, row[n], &scratch)) status = LBR_ENOMEM;
    if (!status) status = lbr_ldl_order(n, row, col, w.order);
    if (!status) {
        permute(&w, row, col), tree(&w), postorder(&w);
        permute(&w, row, col), tree(&w);
        ldl->stored = count(&w);
        status = lay_out(ldl, &w, arena);
    }
    if (!status) {
        fill_rows(ldl, &w), places(&w, row, col, place);
        status = connect(ldl, &w, arena);
    }
    lbr_arena_free(&scratch);
    return status;
}
