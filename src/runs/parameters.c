/* parameters.c - the parameters of a model and their values. SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

lbr_status lbr_parameters_list(lbr_model *m, lbr_arena *arena, const lbr_parameter *const **list, int64_t *n)
{
    lbr_lower *lo = &m->lo;
    const lbr_parameter **all = lbr_arena_alloc(arena, lo->nsymbols + 1, sizeof *all);

    *list = all, *n = 0;
    if (!all) return LBR_ENOMEM;
    for (int k = 0; k < lo->nsymbols; k++) {
        const lbr_symbol *s = lo->symbol + k;
        lbr_parameter *p;
        lbr_reading before;
        double *value;

        if (s->kind != LBR_SYM_PARAM || !s->value) continue;
        if (!(p = lbr_arena_alloc(arena, 1, sizeof *p))) return LBR_ENOMEM;
        *p = (lbr_parameter){ s->name, s->value->shape.rank, s->value->shape.n, lbr_shape_size(&s->value->shape),
                              NULL };
        if (!(value = lbr_arena_alloc(arena, p->n + 1, sizeof *value))) return LBR_ENOMEM;
        before = lbr_model_enter(m);
        if (lbr_value_constants(lo, s->value, value)) p->value = value;
        if (lbr_lower_leave(lo, &before) == LBR_ENOMEM) return LBR_ENOMEM;
        all[(*n)++] = p;
    }
    return LBR_OK;
}
