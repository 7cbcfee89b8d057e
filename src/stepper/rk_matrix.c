/* rk_matrix.c - what Newton's matrix is made of, found when the plan is made: pattern, colours, eigenvalues, room.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rk_products.h"
#include "core/schur.h"
#include "core/sparsity.h"

/* Dense matrices: `auto` makes none beyond AUTO rows in all, and nobody gets one beyond MOST rows each: there products
 * have to do. A matrix of more than LARGE rows is made
 * only where products have failed. Below LEAST components a pattern saves nothing. Of sparse factors: numbers for
 * `auto`, and in any case; and of products, for `auto`. */
enum { AUTO = 600, MOST = 4000, LARGE = 1000, LEAST = 16 };
#define PRODUCTS_AUTO (INT64_C(1) << 23)
enum { SMALL_PRICE = 12 }; /* of a matrix of a few components */
#define NUMBERS_AUTO (INT64_C(1) << 25)
#define NUMBERS_MOST (INT64_C(1) << 36)
enum { FEWER = 4 }; /* so many times fewer products than those of dense matrices */

/* --- the pattern ------------------------------------------------------------------------------------------------- */

/* Rows and places by columns. */
static int by_columns(lbr_rk_matrix *m, lbr_arena *arena)
{
    const lbr_pattern *p = &m->J;
    int64_t n = p->n, *first = lbr_arena_alloc(arena, n + 2, sizeof *first),
            *row = lbr_arena_alloc(arena, p->nnz, sizeof *row), *entry = lbr_arena_alloc(arena, p->nnz, sizeof *entry);

    if (!first || !row || !entry) return 0;
    for (int64_t e = 0; e < p->nnz; e++) first[p->col[e] + 2]++;
    for (int64_t c = 0; c < n; c++) first[c + 2] += first[c + 1];
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = p->row[i]; e < p->row[i + 1]; e++) {
            int64_t to = first[p->col[e] + 1]++;

            row[to] = i, entry[to] = e;
        }
    m->first = first, m->row = row, m->entry = entry;
    return 1;
}

/* The pattern of the field, its colours, its factors. A pattern that saves nothing is left away. */
static lbr_status find_pattern(const lbr_rk *rk, lbr_rk_matrix *m, lbr_setup *set, lbr_message *message)
{
    int64_t n = rk->n, *colour, *start, *column;
    lbr_status status;

    m->entries = n * n, m->colours = n;
    if (rk->sys != &set->sys || n < LEAST) return LBR_OK;
    if ((status = lbr_sparsity_of_field(&m->J, rk->sys, set->arena, message)) || !m->J.row) return status;
    colour = lbr_arena_alloc(set->arena, n, sizeof *colour);
    start = lbr_arena_alloc(set->arena, n + 2, sizeof *start), column = lbr_arena_alloc(set->arena, n, sizeof *column);
    if (!colour || !start || !column || !by_columns(m, set->arena))
        return lbr_fail(message, LBR_ENOMEM, "out of memory for the pattern of the Jacobian");
    if (lbr_pattern_colours(&m->J, m->first, m->row, colour, &m->colours))
        return lbr_fail(message, LBR_ENOMEM, "out of memory for the pattern of the Jacobian");
    for (int64_t c = 0; c < n; c++) start[colour[c] + 2]++;
    for (int64_t k = 0; k < m->colours; k++) start[k + 2] += start[k + 1];
    for (int64_t c = 0; c < n; c++) column[start[colour[c] + 1]++] = c;
    m->start = start, m->column = column, m->entries = m->J.nnz;
    return LBR_OK;
}

/* Whether sparse factors have far fewer products than dense ones. */
static lbr_status find_factors(lbr_rk_matrix *m, lbr_setup *set, lbr_message *message)
{
    int asked = set->solver == LBR_SOLVER_NEWTON;
    double n = (double)m->J.n, most = fmin(n * n / FEWER, (double)(asked ? NUMBERS_MOST : NUMBERS_AUTO) / 4);

    if (lbr_sparse_lu_make(&m->lu, &m->J, (int64_t)most, set->arena))
        return lbr_fail(message, LBR_ENOMEM, "out of memory for the structure of the Jacobian's factors");
    m->sparse = m->lu.of && FEWER * m->lu.products < n * n * n / 3 && (asked || FEWER * m->colours <= m->J.n);
    return LBR_OK;
}

/* --- the tableau ------------------------------------------------------------------------------------------------- */

/* The eigenvalues of rows k and k + 1, a complex pair, with the left eigenvector that is better to be had. */
static void find_pair(const double *R, int64_t s, int64_t k, lbr_rk_rows *r)
{
    const double *x = R + k * s + k, half = (x[0] - x[s + 1]) / 2, re = (x[0] + x[s + 1]) / 2,
                 im = sqrt(fabs(half * half + x[1] * x[s]));

    r->count = 2, r->value[0] = re, r->value[1] = im;
    r->second = fabs(x[1]) > fabs(x[s]);
    r->mix[0] = r->second ? half / x[1] : -half / x[s];
    r->mix[1] = im / (r->second ? x[1] : x[s]);
}

static int same(const lbr_rk_rows *a, const lbr_rk_rows *b)
{
    return a->count == b->count && a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

/* The systems that A falls into. 0: it does not. */
static int64_t find_rows(lbr_rk_matrix *m, int64_t s)
{
    double size = 0;
    int64_t count = 0;

    for (int64_t i = 0; i < s * s; i++) size = fmax(size, fabs(m->R[i]));
    for (int64_t k = 0; k < s; count++) {
        lbr_rk_rows *r = m->rows + count;

        *r = (lbr_rk_rows){ .row = k, .count = 1, .value = { m->R[k * s + k] }, .made = 1 };
        if (k + 1 < s && m->R[(k + 1) * s + k] != 0) find_pair(m->R, s, k, r);
        else if (fabs(r->value[0]) <= 1e-14 * size) r->factor = -1, r->made = 0;
        for (int64_t j = 0; j < count && r->made; j++) r->made = !same(m->rows + j, r);
        k += r->count;
    }
    return count;
}

static int take_apart(const lbr_rk *rk, lbr_rk_matrix *m, lbr_arena *arena)
{
    int64_t s = rk->s;
    double *A = lbr_arena_alloc(arena, s * s, sizeof *A), *room = lbr_arena_alloc(arena, s, sizeof *room);

    m->Q = lbr_arena_alloc(arena, s * s, sizeof *m->Q), m->R = lbr_arena_alloc(arena, s * s, sizeof *m->R);
    m->rows = lbr_arena_alloc(arena, s, sizeof *m->rows);
    if (!A || !room || !m->Q || !m->R || !m->rows) return 0;
    for (int64_t i = 0; i < s * s; i++) A[i] = rk->tableau->A[i].hi;
    if (!rk->second && !lbr_schur(s, A, m->Q, m->R, room)) m->nrows = find_rows(m, s);
    return 1;
}

/* --- room -------------------------------------------------------------------------------------------------------- */

/* Doubles of all factorisations, and where each begins; what they cost, in products of numbers. */
static double lay_out(lbr_rk_matrix *m, int64_t n)
{
    double cost = 0;

    m->factors = 0;
    for (int64_t k = 0; k < m->nrows; k++) {
        lbr_rk_rows *r = m->rows + k;

        for (int64_t j = 0; j < k && !r->made && r->factor >= 0; j++)
            if (same(m->rows + j, r)) r->factor = m->rows[j].factor;
        if (!r->made) continue;
        r->factor = m->factors;
        m->factors += m->sparse ? lbr_sparse_lu_size(&m->lu, r->count == 2) : r->count * n * n + n;
        cost += (r->count == 2 ? 4 : 1) * (m->sparse ? m->lu.products : (double)n * (double)n * (double)n / 3);
    }
    return cost;
}

static lbr_status refused(const lbr_rk_matrix *m, lbr_message *message)
{
    return lbr_fail(message, LBR_ENOMEM,
                    "there is no memory for %s of Newton's method (%.0f MB). Use solver = fixed-point",
                    m->sparse        ? "the factors of the sparse matrix"
                    : m->by_products ? "the vectors"
                                     : "the dense matrix",
                    ceil(8e-6 * (double)m->factors));
}

/* Whether memory for a state with these factors could be had. */
static int there_is_room(int64_t doubles)
{
    void *p;

    if (doubles < INT64_C(1) << 23) return 1;
    if (doubles > NUMBERS_MOST || !(p = lbr_mem_alloc((size_t)doubles * sizeof(double)))) return 0;
    lbr_mem_free(p);
    return 1;
}

static void by_products(const lbr_rk *rk, lbr_rk_matrix *m)
{
    m->by_products = 1, m->nrows = 0;
    m->entries = lbr_rk_products_point(rk), m->factors = lbr_rk_products_size(rk);
}

static void with_matrix(const lbr_rk *rk, lbr_rk_matrix *m)
{
    int64_t n = rk->n;
    double cost = lay_out(m, n);

    m->full = rk->sn <= AUTO || !m->nrows;
    m->price = n <= LEAST ? SMALL_PRICE : (double)m->colours + 1 + cost / (4 * (double)m->entries);
    if (m->full && m->factors < rk->sn * rk->sn + rk->sn) m->factors = rk->sn * rk->sn + rk->sn;
}

/* Of a large matrix, for which there is room: products come first. */
static void with_both(const lbr_rk *rk, lbr_rk_matrix *m)
{
    const int64_t point = lbr_rk_products_point(rk), room = lbr_rk_products_size(rk);

    m->products_first = 1;
    if (m->entries < point) m->entries = point;
    if (m->factors < room) m->factors = room;
}

lbr_status lbr_rk_matrix_make(lbr_rk *rk, lbr_setup *set, lbr_message *message)
{
    lbr_rk_matrix *m;
    int asked = set->solver == LBR_SOLVER_NEWTON;
    int64_t rows;
    lbr_status status;

    if (set->solver == LBR_SOLVER_FIXED_POINT) return LBR_OK;
    if (!(m = lbr_arena_alloc(set->arena, 1, sizeof *m)) || !take_apart(rk, m, set->arena) ||
        lbr_rk_weights(rk->tableau, set->arena, &m->weights[0]) ||
        lbr_rk_weights(rk->second ? rk->second : rk->tableau, set->arena, &m->weights[1]))
        return lbr_fail(message, LBR_ENOMEM, "out of memory for the plan");
    if ((status = find_pattern(rk, m, set, message))) return status;
    if (m->J.row && m->nrows && (status = find_factors(m, set, message))) return status;
    rk->matrix = m;
    rows = m->nrows ? rk->n : rk->sn;
    if (!m->sparse && (rows > MOST || (!asked && rk->sn > AUTO))) by_products(rk, m);
    else with_matrix(rk, m);
    if (!m->sparse && !m->by_products && rows > LARGE) with_both(rk, m);
    rk->newton = asked || m->factors <= (m->by_products ? PRODUCTS_AUTO : m->sparse ? NUMBERS_AUTO : INT64_MAX);
    if (rk->newton && !there_is_room(m->factors)) {
        if (asked) return refused(m, message);
        rk->newton = 0;
    }
    return LBR_OK;
}
