/* jacobian_pattern.c - the pattern of the Jacobian of a model's field, when somebody needs it.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core/sparsity.h"
#include "program/code_pattern.h"
#include "model_system.h"

#include <string.h>

/* q' = v(p), p' = f(q). */
static lbr_status of_both(const lbr_functions *s, lbr_pattern *out, lbr_arena *arena)
{
    int64_t n = s->system.nq, *row, *col;
    lbr_pattern v, f;
    lbr_status status = lbr_code_pattern(s->velocity.code, 2 * n, n, n, &v, arena);

    *out = (lbr_pattern){ 0 };
    if (!status) status = lbr_code_pattern(s->force.code, 2 * n, n, 0, &f, arena);
    if (status || !v.row || !f.row) return status;
    row = lbr_arena_alloc(arena, 2 * n + 1, sizeof *row), col = lbr_arena_alloc(arena, v.nnz + f.nnz, sizeof *col);
    if (!row || !col) return LBR_ENOMEM;
    for (int64_t i = 0; i <= n; i++) row[i] = v.row[i], row[n + i] = v.nnz + f.row[i];
    memcpy(col, v.col, (size_t)v.nnz * sizeof *col), memcpy(col + v.nnz, f.col, (size_t)f.nnz * sizeof *col);
    *out = (lbr_pattern){ 2 * n, 2 * n, v.nnz + f.nnz, row, col };
    return LBR_OK;
}

static lbr_status find(void *ctx, lbr_pattern *out, lbr_arena *arena)
{
    const lbr_functions *s = ctx;

    *out = (lbr_pattern){ 0 };
    if (s->field.code)
        return s->field.multiplied ? LBR_OK
                                   : lbr_code_pattern(s->field.code, s->system.dim, s->system.dim, 0, out, arena);
    if (!s->force.code || s->force.multiplied) return LBR_OK;
    if (s->system.inverse_mass) return lbr_code_pattern(s->force.code, s->system.nq, s->system.nq, 0, out, arena);
    return s->velocity.code ? of_both(s, out, arena) : LBR_OK;
}

void lbr_functions_pattern(lbr_functions *s)
{
    s->finder = (struct lbr_sparsity_inside){ find, s };
    s->sparsity = (lbr_sparsity){ .size = sizeof s->sparsity, .n = s->system.dim, .inside = &s->finder };
    s->system.jacobian = &s->sparsity;
}
