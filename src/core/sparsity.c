/* sparsity.c - the pattern of a field's Jacobian, and its colours. SPDX-License-Identifier: BSD-3-Clause */
#include "sparsity.h"

#include <string.h>

/* --- what a system gives ----------------------------------------------------------------------------------------- */

static lbr_pattern given(const lbr_sparsity *s) { return (lbr_pattern){ s->n, s->n, s->nnz, s->row, s->col }; }

/* Whether the field is put together from a force and masses. */
static int by_masses(const lbr_bound *b) { return b->separable && b->s.inverse_mass && !b->s.field; }

static size_t known(const lbr_sparsity *s) { return s->size < offsetof(lbr_sparsity, inside) ? 0 : s->size; }

lbr_status lbr_sparsity_check(const lbr_bound *b, lbr_message *m)
{
    const lbr_sparsity *s = b->s.jacobian;
    lbr_pattern p;

    if (!s) return LBR_OK;
    if (!known(s)) return lbr_fail(m, LBR_EARG, "the pattern of the field's Jacobian has no proper size");
    if (s->size >= sizeof *s && s->inside) return LBR_OK;
    if (s->n != b->s.dim && !(s->n == b->s.nq && by_masses(b)))
        return lbr_fail(m, LBR_EARG, "the pattern of the Jacobian has n = %lld: it must be the dimension %lld%s",
                        (long long)s->n, (long long)b->s.dim,
                        by_masses(b) ? ", or the number of positions, for that of the force alone"
                        : s->n == b->s.nq
                            ? "; n = nq, the force alone, is for systems with force and inverse_mass and no field"
                            : "");
    if (!s->row || !s->col) return lbr_fail(m, LBR_EARG, "the pattern of the Jacobian needs row and col");
    p = given(s);
    return lbr_pattern_check(&p, s->n == b->s.dim ? "the field's" : "the force's", "components", m);
}

/* q' = m p, p' = f(q): masses above, the force below. */
static lbr_status with_masses(lbr_pattern *p, lbr_arena *arena)
{
    int64_t n = p->n, *row = lbr_arena_alloc(arena, 2 * n + 1, sizeof *row),
            *col = lbr_arena_alloc(arena, p->nnz + n, sizeof *col);

    if (!row || !col) return LBR_ENOMEM;
    for (int64_t i = 0; i <= n; i++) row[i] = i, row[n + i] = n + p->row[i];
    for (int64_t i = 0; i < n; i++) col[i] = n + i;
    memcpy(col + n, p->col, (size_t)p->nnz * sizeof *col);
    *p = (lbr_pattern){ 2 * n, 2 * n, p->nnz + n, row, col };
    return LBR_OK;
}

lbr_status lbr_sparsity_of_field(lbr_pattern *out, const lbr_bound *b, lbr_arena *arena, lbr_message *m)
{
    const lbr_sparsity *s = b->s.jacobian;
    lbr_status status = LBR_OK;

    *out = (lbr_pattern){ 0 };
    if (!s) return LBR_OK;
    if (s->size >= sizeof *s && s->inside) status = s->inside->find(s->inside->ctx, out, arena);
    else *out = given(s);
    if (!status && out->row && out->n != b->s.dim) {
        if (by_masses(b)) status = with_masses(out, arena);
        else *out = (lbr_pattern){ 0 };
    }
    return status ? lbr_fail(m, status, "out of memory for the pattern of the Jacobian") : LBR_OK;
}

/* --- colours ----------------------------------------------------------------------------------------------------- */

/* A row with a quarter of all columns has as many colours, and looking for better ones would take n^2. */
static int is_wide(const lbr_pattern *p)
{
    double work = 0;

    for (int64_t i = 0; i < p->m; i++) {
        int64_t width = p->row[i + 1] - p->row[i];

        if (width > 64 && 4 * width > p->n) return 1;
        work += (double)width * (double)width;
    }
    return work > 1e9;
}

lbr_status lbr_pattern_colours(const lbr_pattern *p, const int64_t *first, const int64_t *row, int64_t *colour,
                               int64_t *count)
{
    int64_t *used, c;

    *count = p->n;
    for (c = 0; c < p->n; c++) colour[c] = c;
    if (is_wide(p)) return LBR_OK;
    if (!(used = lbr_mem_alloc((size_t)p->n * sizeof *used))) return LBR_ENOMEM;
    for (c = *count = 0; c < p->n; c++) { /* used[k] is c: by a neighbour of column c */
        int64_t k = 0;

        for (int64_t e = first[c]; e < first[c + 1]; e++)
            for (int64_t x = p->row[row[e]]; x < p->row[row[e] + 1] && p->col[x] < c; x++) used[colour[p->col[x]]] = c;
        while (k < *count && used[k] == c) k++;
        colour[c] = k;
        if (k == *count) ++*count;
    }
    lbr_mem_free(used);
    return LBR_OK;
}
