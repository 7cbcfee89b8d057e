/* nystrom_fuse.c - Nystrom steps compiled around a system's own functions: what their templates are told.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "nystrom_steps.h"

/* The pattern of an explicit method that is small. */
static const char *pattern(const lbr_nys *y, lbr_setup *set)
{
    const char *rows, *columns;

    if (!y->method->is_explicit || y->s * y->nq > LBR_FUSED_LOCAL) return "";
    rows = lbr_fuse_list(set->arena, y->s + 3, y->row);
    columns = lbr_fuse_list(set->arena, y->nonzero, y->col);
    return rows && columns ? lbr_arena_format(set->arena,
                                              "#define ROWS %s\n"
                                              "#define COLUMNS %s\n",
                                              rows, columns)
                           : NULL;
}

static const char *defines(const lbr_nys *y, lbr_setup *set)
{
    int64_t size = y->method->is_explicit ? y->s * y->nq : y->nz;
    int local = 2 * y->nq <= LBR_FUSED_MOST && size <= LBR_FUSED_LOCAL,
        unrolled = local && y->s <= LBR_FUSED_STAGES && size <= LBR_FUSED_UNROLLED;
    const char *rows = pattern(y, set);

    if (!rows) return NULL;
    return lbr_arena_format(set->arena,
                            "#define NQ %lld\n"
                            "#define STAGES %lld\n"
                            "#define DRIFT %d\n"
                            "#define COMPENSATED %d\n"
                            "#define UNROLL%s\n"
                            "%s%s",
                            (long long)y->nq, (long long)y->s, y->kind, set->compensated,
                            unrolled && y->method->is_explicit ? " _Pragma(\"GCC unroll 8\")" : "",
                            local ? "#define LOCAL\n" : "", rows);
}

lbr_status lbr_nys_fuse(lbr_nys *y, lbr_setup *set, int alone)
{
    int is_explicit = y->method->is_explicit, field = y->kind == LBR_NYSTROM_FIELD;
    lbr_fusing ask = { .file = is_explicit ? "enystrom.inc" : "inystrom.inc",
                       .uses = field ? LBR_USES_FIELD : LBR_USES_FORCE,
                       .n = field ? 2 * y->nq : y->nq,
                       .watch = alone };
    lbr_fused fused;
    lbr_status status;

    if (!set->sys.s.inside || (!is_explicit && set->solver == LBR_SOLVER_NEWTON)) return LBR_OK;
    if (!(ask.defines = defines(y, set))) return LBR_ENOMEM;
    if ((status = lbr_fuse(set, &ask, &fused)) || !fused.entry) return status;
    if (is_explicit) y->run = (lbr_nystrom_fn)fused.entry;
    else y->solve = (lbr_inystrom_fn)fused.entry;
    y->ctx = fused.ctx, y->watches = fused.watches;
    return LBR_OK;
}
