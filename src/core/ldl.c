/* ldl.c - L D L^T and its solutions, in numbers. SPDX-License-Identifier: BSD-3-Clause
 *
 * Every sum is taken in an order that the structure alone decides. */
#include "ldl.h"

#include <float.h>
#include <string.h>

/* NaN is refused by each comparison. */
static inline int good(double d, double diagonal, double tiny)
{
    return d > tiny * diagonal && d >= DBL_MIN && d <= DBL_MAX;
}

static void spread(const lbr_ldl *ldl, const double *S, double *factor)
{
    memset(factor, 0, (size_t)ldl->size * sizeof *factor);
    for (int64_t e = 0; e < ldl->entries; e++) factor[ldl->place[e]] = S[e];
}

/* --- bands: row i is L[i][i-w..i-1], 1/d ------------------------------------------------------------------------- */

static int64_t factor_diagonal(const lbr_ldl *ldl, const double *S, double *factor)
{
    for (int64_t i = 0; i < ldl->n; i++) {
        if (!good(S[i], S[i], ldl->tiny)) return i;
        factor[i] = 1 / S[i];
    }
    return -1;
}

/* A tridiagonal matrix from both ends to the middle: two recurrences that do not wait for each other take half the
 * time. The last pivot is that of equation `middle`. Above it factor[2 i] is L[i][i-1], below it L[i-1][i]. */
static inline int64_t middle(const lbr_ldl *ldl) { return ldl->n - ldl->n / 2; }

/* s[2 i] is the diagonal, s[2 i - 1] left of it. */
static int64_t factor_tridiagonal(const lbr_ldl *ldl, const double *S, double *factor)
{
    int64_t n = ldl->n, m = middle(ldl), i = 0, j = n - 1;
    const double *s = ldl->full ? S : factor + 1;
    double d, e;

    if (!ldl->full) spread(ldl, S, factor);
    factor[0] = 0, d = s[0], e = s[2 * n - 2];
    if (!good(d, d, ldl->tiny)) return 0;
    if (m < n - 1 && !good(e, e, ldl->tiny)) return n - 1;
    while (j > m) {
        double a = s[2 * i + 2], b = s[2 * i + 1], l = b / d, f = s[2 * j - 2], g = s[2 * j - 1], k = g / e;

        factor[2 * i + 1] = 1 / d, factor[2 * i + 2] = l, d = a - l * b, i++;
        factor[2 * j + 1] = 1 / e, factor[2 * j] = k, e = f - k * g, j--;
        if (!good(d, a, ldl->tiny)) return i;
        if (j > m && !good(e, f, ldl->tiny)) return j;
    }
    for (; i < m; i++) {
        double a = s[2 * i + 2], b = s[2 * i + 1], l = b / d, f = i + 1 < m ? a : e;

        factor[2 * i + 1] = 1 / d, factor[2 * i + 2] = l, d = f - l * b;
        if (!good(d, a, ldl->tiny)) return i + 1;
    }
    factor[2 * m + 1] = 1 / d;
    return -1;
}

static int64_t factor_band(const lbr_ldl *ldl, const double *S, double *factor)
{
    int64_t w = ldl->band;

    spread(ldl, S, factor);
    for (int64_t i = 0; i < ldl->n; i++) {
        double *row = factor + i * (w + 1) + w, d; /* row[-k] is L[i][i-k]; first L D */
        int64_t k0 = i < w ? i : w;

        d = row[0];
        for (int64_t k = k0; k > 0; k--) {
            const double *other = row - k * (w + 1);
            double u = row[-k];

            for (int64_t j = k0; j > k; j--) u -= row[-j] * other[k - j];
            row[-k] = u;
        }
        for (int64_t k = k0; k > 0; k--) {
            double u = row[-k];

            row[-k] = u * row[-k * (w + 1)];
            d -= u * row[-k];
        }
        if (!good(d, S[ldl->row[i + 1] - 1], ldl->tiny)) return i;
        row[0] = 1 / d;
    }
    return -1;
}

static void solve_diagonal(const lbr_ldl *ldl, const double *factor, double *x)
{
    for (int64_t i = 0; i < ldl->n; i++) x[i] *= factor[i];
}

static void solve_tridiagonal(const lbr_ldl *ldl, const double *factor, double *x)
{
    int64_t n = ldl->n, m = middle(ldl), i = 0, j = n - 1;
    double y = x[0], z = x[n - 1];

    for (; j > m; i++, j--) {
        x[i + 1] = y = x[i + 1] - factor[2 * i + 2] * y;
        x[j - 1] = z = x[j - 1] - factor[2 * j] * z;
    }
    for (; i < m; i++) x[i + 1] = y = x[i + 1] - factor[2 * i + 2] * y;
    x[m] = y = z = x[m] * factor[2 * m + 1];
    for (i = j = m; j < n - 1;) {
        i--, j++;
        x[i] = y = x[i] * factor[2 * i + 1] - factor[2 * i + 2] * y;
        x[j] = z = x[j] * factor[2 * j + 1] - factor[2 * j] * z;
    }
    while (i-- > 0) x[i] = y = x[i] * factor[2 * i + 1] - factor[2 * i + 2] * y;
}

static void solve_band(const lbr_ldl *ldl, const double *factor, double *x)
{
    int64_t n = ldl->n, w = ldl->band;

    for (int64_t i = 1; i < n; i++) {
        const double *row = factor + i * (w + 1) + w;

        for (int64_t k = i < w ? i : w; k > 0; k--) x[i] -= row[-k] * x[i - k];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *row = factor + i * (w + 1) + w;

        x[i] *= row[0];
        for (int64_t k = n - 1 - i < w ? n - 1 - i : w; k > 0; k--) x[i] -= row[k * (w + 1) - k] * x[i + k];
    }
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

/* y -= A c, for `columns` columns of A. */
__attribute__((always_inline)) static inline void subtract_any(int64_t rows, int64_t columns, const double *restrict A,
                                                               int64_t height, const double *restrict c,
                                                               double *restrict y)
{
    for (; columns >= 4; columns -= 4, A += 4 * height, c += 4) {
        const double *restrict a0 = A, *restrict a1 = A + height, *restrict a2 = A + 2 * height,
                               *restrict a3 = A + 3 * height;
        double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];

        for (int64_t b = 0; b < rows; b++) y[b] -= (a0[b] * c0 + a1[b] * c1) + (a2[b] * c2 + a3[b] * c3);
    }
    for (; columns > 0; columns--, A += height, c++)
        for (int64_t b = 0; b < rows; b++) y[b] -= A[b] * c[0];
}

#ifdef __x86_64__ /* most of the work on a cloth: four rows at a time, the same bits */
__attribute__((target("avx2"))) static void subtract_wide(int64_t rows, int64_t columns, const double *A,
                                                          int64_t height, const double *c, double *y)
{
    subtract_any(rows, columns, A, height, c, y);
}
int lbr_ldl_wide(void) { return !!__builtin_cpu_supports("avx2"); }
#else
    #define subtract_wide subtract_any
int lbr_ldl_wide(void) { return 0; }
#endif

static void subtract(const lbr_ldl *ldl, int64_t rows, int64_t columns, const double *A, int64_t height,
                     const double *c, double *y)
{
    if (ldl->wide) subtract_wide(rows, columns, A, height, c, y);
    else subtract_any(rows, columns, A, height, c, y);
}

/* A block of one column, with pivot d: it is divided by it on the way. Gives the diagonal of its first other row as it
 * is then. */
static inline double factor_thin(const lbr_ldl *ldl, const lbr_ldl_block *s, double d, double *factor)
{
    double *restrict column = factor + s->start, next = 0;

    for (const lbr_ldl_update *u = ldl->update + s->update, *end = ldl->update + s[1].update; u < end; u++) {
        const lbr_ldl_block *t = ldl->block + u->to;
        const int32_t *to = ldl->to + u->place - u->first;

        for (int32_t a = u->first; a < u->end; a++) {
            double *restrict target = factor + t->start + (int64_t)to[a] * t->height, v = column[a], l = v / d;
            double diagonal = target[to[a]] -= l * v;

            if (a == 1) next = diagonal;
            for (int32_t b = a + 1; b < s->height; b++) target[to[b]] -= l * column[b];
            column[a] = l;
        }
    }
    column[0] = 1 / d;
    return next;
}

/* The columns of a block by those before them in it; the equation of the block that fails, or the number of equations.
 * The columns are still L D, with 1/d on the diagonal; c has room for one number for each. */
static int32_t factor_inside(const lbr_ldl *ldl, const lbr_ldl_block *s, const double *S, double *block, double *c)
{
    int64_t height = s->height;

    for (int32_t j = 0; j < s->width; j++) {
        double *column = block + j * height, d;

        for (int32_t k = 0; k < j; k++) c[k] = block[k * height + j] * block[k * height + k];
        subtract(ldl, height - j, j, block + j, height, c, column + j);
        d = column[j];
        if (!good(d, S[ldl->row[ldl->index[s->rows + j] + 1] - 1], ldl->tiny)) return j;
        column[j] = 1 / d;
    }
    return s->width;
}

/* What a block does to the columns of its other rows. */
static void factor_outside(const lbr_ldl *ldl, const lbr_ldl_block *s, double *factor, double *sum, double *c)
{
    const double *block = factor + s->start;
    int64_t height = s->height, last = height - 1;

    for (const lbr_ldl_update *u = ldl->update + s->update, *end = ldl->update + s[1].update; u < end; u++) {
        const lbr_ldl_block *t = ldl->block + u->to;
        const int32_t *to = ldl->to + u->place - u->first;

        for (int32_t a = u->first; a < u->end; a++) {
            double *target = factor + t->start + (int64_t)to[a] * t->height;

            for (int32_t k = 0; k < s->width; k++) c[k] = block[k * height + a] * block[k * height + k];
            if (to[last] - to[a] == last - a) {
                subtract(ldl, height - a, s->width, block + a, height, c, target + to[a]);
                continue;
            }
            memset(sum, 0, (size_t)(height - a) * sizeof *sum);
            subtract(ldl, height - a, s->width, block + a, height, c, sum);
            for (int32_t b = a; b < height; b++) target[to[b]] += sum[b - a];
        }
    }
}

/* Where block s hands on to the next one: its first other row is the next one's first column. What is handed on stays
 * in a register, because in long thin trees everything waits for it. */
static inline int hands_on(const lbr_ldl *ldl, const lbr_ldl_block *s)
{
    return s->height > s->width && ldl->index[s->rows + s->width] == ldl->index[s[1].rows];
}

static int64_t factor_wide(const lbr_ldl *ldl, const lbr_ldl_block *s, const double *S, double *factor)
{
    double *block = factor + s->start, *c = factor + ldl->scratch;
    int32_t done = factor_inside(ldl, s, S, block, c);

    if (done < s->width) return ldl->index[s->rows + done];
    factor_outside(ldl, s, factor, c + s->width, c);
    for (int32_t k = 0; k < s->width; k++, block += s->height)
        for (int32_t b = k + 1; b < s->height; b++) block[b] *= block[k];
    return -1;
}

static int64_t factor_blocks(const lbr_ldl *ldl, const double *S, double *factor)
{
    double d = 0;
    int handed = 0;

    spread(ldl, S, factor);
    for (const lbr_ldl_block *s = ldl->block, *end = s + ldl->blocks; s < end; s++) {
        int64_t i = ldl->index[s->rows];

        if (s->width > 1) {
            if ((i = factor_wide(ldl, s, S, factor)) >= 0) return i;
            handed = 0;
            continue;
        }
        if (!handed) d = factor[s->start];
        if (!good(d, S[ldl->row[i + 1] - 1], ldl->tiny)) return i;
        d = factor_thin(ldl, s, d, factor);
        handed = hands_on(ldl, s);
    }
    return -1;
}

/* Four columns of a block at once, of `rows` rows from their own diagonal on; c is the first. */
static void forward_four(const int32_t *index, int32_t rows, const double *c, int64_t height, double *x)
{
    const double *c1 = c + height, *c2 = c1 + height, *c3 = c2 + height;
    double y0 = x[index[0]], y1 = x[index[1]] - c[1] * y0, y2 = x[index[2]] - c[2] * y0 - c1[2] * y1;
    double y3 = x[index[3]] - c[3] * y0 - c1[3] * y1 - c2[3] * y2;

    x[index[1]] = y1, x[index[2]] = y2, x[index[3]] = y3;
    for (int32_t b = 4; b < rows; b++) x[index[b]] -= (c[b] * y0 + c1[b] * y1) + (c2[b] * y2 + c3[b] * y3);
}

static void backward_four(const int32_t *index, int32_t rows, const double *c, int64_t height, double *x)
{
    const double *c1 = c + height, *c2 = c1 + height, *c3 = c2 + height;
    double y0 = x[index[0]] * c[0], y1 = x[index[1]] * c1[1], y2 = x[index[2]] * c2[2], y3 = x[index[3]] * c3[3];

    for (int32_t b = 4; b < rows; b++) {
        double z = x[index[b]];

        y0 -= c[b] * z, y1 -= c1[b] * z, y2 -= c2[b] * z, y3 -= c3[b] * z;
    }
    y2 -= c2[3] * y3;
    y1 -= c1[3] * y3 + c1[2] * y2;
    y0 -= c[3] * y3 + c[2] * y2 + c[1] * y1;
    x[index[0]] = y0, x[index[1]] = y1, x[index[2]] = y2, x[index[3]] = y3;
}

static void forward_wide(const lbr_ldl *ldl, const lbr_ldl_block *s, const double *factor, double *x)
{
    const int32_t *index = ldl->index + s->rows;
    const double *column = factor + s->start;
    int32_t width = s->width, height = s->height, k = 0;

    for (; k + 4 <= width; k += 4, column += 4 * (int64_t)height)
        forward_four(index + k, height - k, column + k, height, x);
    for (; k < width; k++, column += height) {
        double y = x[index[k]];

        for (int32_t b = k + 1; b < height; b++) x[index[b]] -= column[b] * y;
    }
}

static void backward_wide(const lbr_ldl *ldl, const lbr_ldl_block *s, const double *factor, double *x)
{
    const int32_t *index = ldl->index + s->rows;
    int32_t height = s->height, k = s->width, fours = s->width / 4 * 4;
    const double *column = factor + s->start + (int64_t)k * height;

    while (k-- > fours) {
        double y = x[index[k]] * (column -= height)[k];

        for (int32_t b = k + 1; b < height; b++) y -= column[b] * x[index[b]];
        x[index[k]] = y;
    }
    for (k = fours - 4; k >= 0; k -= 4)
        backward_four(index + k, height - k, factor + s->start + (int64_t)k * height + k, height, x);
}

static void solve_forward(const lbr_ldl *ldl, const double *factor, double *x)
{
    double y = 0;
    int handed = 0;

    for (const lbr_ldl_block *s = ldl->block, *end = s + ldl->blocks; s < end; s++) {
        const int32_t *index = ldl->index + s->rows;
        const double *column = factor + s->start;
        int32_t height = s->height;
        double z;

        if (s->width > 1) {
            forward_wide(ldl, s, factor, x), handed = 0;
            continue;
        }
        z = handed ? y : x[index[0]];
        if (height > 1) x[index[1]] = y = x[index[1]] - column[1] * z;
        for (int32_t b = 2; b < height; b++) x[index[b]] -= column[b] * z;
        handed = hands_on(ldl, s);
    }
}

static void solve_backward(const lbr_ldl *ldl, const double *factor, double *x)
{
    double y = 0;

    for (const lbr_ldl_block *s = ldl->block + ldl->blocks; s-- > ldl->block;) {
        const int32_t *index = ldl->index + s->rows;
        const double *column = factor + s->start;
        double z;

        if (s->width > 1) {
            backward_wide(ldl, s, factor, x), y = x[index[0]];
            continue;
        }
        z = x[index[0]] * column[0];
        for (int32_t b = s->height - 1; b > 1; b--) z -= column[b] * x[index[b]];
        if (s->height > 1) z -= column[1] * (hands_on(ldl, s) ? y : x[index[1]]);
        x[index[0]] = y = z;
    }
}

/* --- whichever it is --------------------------------------------------------------------------------------------- */

int64_t lbr_ldl_factor(const lbr_ldl *ldl, const double *S, double *factor)
{
    if (ldl->band < 0) return factor_blocks(ldl, S, factor);
    if (ldl->band == 0) return factor_diagonal(ldl, S, factor);
    return ldl->band == 1 ? factor_tridiagonal(ldl, S, factor) : factor_band(ldl, S, factor);
}

void lbr_ldl_solve(const lbr_ldl *ldl, const double *factor, double *x)
{
    if (ldl->band < 0) solve_forward(ldl, factor, x), solve_backward(ldl, factor, x);
    else if (ldl->band == 0) solve_diagonal(ldl, factor, x);
    else if (ldl->band == 1) solve_tridiagonal(ldl, factor, x);
    else solve_band(ldl, factor, x);
}
