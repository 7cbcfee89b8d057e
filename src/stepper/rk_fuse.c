/* rk_fuse.c - Runge-Kutta steps compiled around a system's own functions: what their templates are told.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "rk.h"

#include <string.h>

/* The pattern of an explicit tableau that is small. */
static const char *pattern(const lbr_rk *rk, lbr_setup *set)
{
    const char *rows, *columns;

    if (!rk->is_explicit || rk->sn > LBR_FUSED_LOCAL) return "";
    if (rk->second)
        return (rows = lbr_fuse_list(set->arena, rk->nodes, rk->order))
                   ? lbr_arena_format(set->arena, "#define ORDER %s\n", rows)
                   : NULL;
    rows = lbr_fuse_list(set->arena, rk->s + 1, rk->row);
    columns = lbr_fuse_list(set->arena, rk->nonzero > 0 ? rk->nonzero : 1, rk->col);
    return rows && columns ? lbr_arena_format(set->arena,
                                              "#define ROWS %s\n"
                                              "#define COLUMNS %s\n",
                                              rows, columns)
                           : NULL;
}

/* Force and velocity of implicit steps, one by one; where there is none, velocities are those of field.inc. */
static const char *turns(const lbr_rk *rk)
{
    if (!rk->turns) return "";
    return lbr_rk_drift(rk->sys) == 2 ? "#define TURNS 1\n"
                                        "#define HALF_P(t, q, f) FORCE(t, q, f)\n"
                                        "#define HALF_Q(t, p, v) VELOCITY(t, p, v)\n"
                                      : "#define TURNS 1\n"
                                        "#define HALF_P(t, q, f) FORCE(t, q, f)\n"
                                        "#define HALF_Q(t, p, v) (SUB(rates)(NQ, a->m, p, v), 0)\n";
}

/* Whether all arrays of a step are local variables. */
static int is_local(const lbr_rk *rk) { return rk->n <= LBR_FUSED_MOST && rk->sn <= LBR_FUSED_LOCAL; }

/* Whether stages stand side by side, where that can be done: there are some, and all their numbers fit into the cache
 * that is nearest. */
static int side_by_side(const lbr_rk *rk)
{
    enum { MOST = 64, IN_CACHE = 1024 };

    return rk->s > 1 && rk->implicit == 0 && rk->n <= MOST && rk->sn <= IN_CACHE;
}

static const char *defines(const lbr_rk *rk, lbr_setup *set)
{
    const lbr_bound *b = &set->sys;
    int local = is_local(rk), unrolled = local && rk->s <= LBR_FUSED_STAGES && rk->sn <= LBR_FUSED_UNROLLED;
    const char *rows = pattern(rk, set);

    if (!rows) return NULL;
    return lbr_arena_format(set->arena,
                            "#define N %lld\n"
                            "#define NQ %lld\n"
                            "#define STAGES %lld\n"
                            "#define IMPLICIT %lld\n"
                            "#define SPLIT %lld\n"
                            "#define PAIR %d\n"
                            "#define DRIFT %d\n"
                            "#define HALVES %d\n"
                            "#define WHOLE %d\n"
                            "#define COMPENSATED %d\n"
                            "#define UNROLL%s\n"
                            "#define CAN_TURN %d\n"
                            "%s%s%s",
                            (long long)rk->n, (long long)b->s.nq, (long long)rk->s, (long long)rk->implicit,
                            (long long)rk->split, rk->second != NULL, lbr_rk_drift(b), rk->halves,
                            rk->n <= LBR_FUSED_MOST, set->compensated,
                            unrolled && rk->is_explicit ? " _Pragma(\"GCC unroll 8\")" : "", rk->turns, turns(rk),
                            local ? "#define LOCAL\n" : "", rows);
}

/* The functions that the field is made of, as lbr_bound has it; 0: it is made of others. apart: force and velocity one
 * by one. */
static unsigned uses(const lbr_bound *b, int apart)
{
    if (b->s.field && !apart) return LBR_USES_FIELD;
    if (!b->separable) return 0;
    return LBR_USES_FORCE | (b->s.inverse_mass ? 0 : LBR_USES_VELOCITY);
}

lbr_status lbr_rk_fuse(lbr_rk *rk, lbr_setup *set, int alone)
{
    int is_explicit = rk->is_explicit;
    lbr_fusing ask = { .file = is_explicit   ? rk->second ? "prk.inc" : "erk.inc"
                               : rk->reduced ? "irk2.inc"
                                             : "irk.inc",
                       .uses = uses(&set->sys, rk->halves),
                       .n = rk->n,
                       .whole = !set->sys.s.field && !rk->reduced && !rk->halves,
                       .watch = alone };
    lbr_fused fused;
    lbr_status status;

    if (!set->sys.s.inside || rk->sys != &set->sys || !ask.uses || (!is_explicit && set->solver == LBR_SOLVER_NEWTON))
        return LBR_OK;
    if (!(ask.defines = defines(rk, set))) return LBR_ENOMEM;
    if (rk->reduced && side_by_side(rk)) ask.rows = "irk2_rows.inc", ask.stages = rk->s;
    if ((status = lbr_fuse(set, &ask, &fused)) || !fused.entry) return status;
    if (is_explicit && rk->second) rk->prk = (lbr_prk_fn)fused.entry;
    else if (is_explicit) rk->erk = (lbr_erk_fn)fused.entry;
    else rk->irk = (lbr_irk_fn)fused.entry;
    rk->ctx = fused.ctx, rk->watches = fused.watches;
    return LBR_OK;
}

/* For many states at once, explicit methods only: what an implicit one iterates, it would iterate for all until the
 * last is content. */
lbr_status lbr_rk_lanes(const lbr_rk *rk, const lbr_setup *set, lbr_lanes *l, lbr_arena *arena, lbr_message *m)
{
    int64_t n = rk->n;
    lbr_setup copy = *set; /* texts go to another arena */
    lbr_fusing ask = { .file = "erk.inc", .uses = uses(&set->sys, 0), .n = n, .whole = !set->sys.s.field };
    double *mass = lbr_arena_alloc(arena, 64 * n, sizeof *mass);
    const char *rows;
    lbr_status status;

    if (!rk->is_explicit || rk->second || !ask.uses || rk->sn > LBR_FUSED_LOCAL)
        return lbr_fail(m, LBR_EUNFIT, "only explicit methods with few stages run many states at once");
    copy.arena = arena;
    rows = pattern(rk, &copy);
    ask.defines = !rows ? NULL
                        : lbr_arena_format(arena,
                                           "#define ARGS lbr_erk_args\n"
                                           "#define ONE %lld\n"
                                           "#define N (GROUPS*ONE)\n"
                                           "#define WHOLE 1\n"
                                           "#define NQ %lld\n"
                                           "#define STAGES %lld\n"
                                           "#define DRIFT %d\n"
                                           "#define COMPENSATED %d\n"
                                           "#define UNROLL _Pragma(\"GCC unroll 16\")\n"
                                           "#define LOCAL\n"
                                           "%s",
                                           (long long)n, (long long)set->sys.s.nq, (long long)rk->s,
                                           lbr_rk_drift(&set->sys), set->compensated, rows);
    if (!ask.defines || !mass) return lbr_fail(m, LBR_ENOMEM, "out of memory");
    if ((status = lbr_fuse_lanes(set, &ask, l, m))) return status;
    for (int64_t i = 0; i < set->sys.s.nq && set->sys.s.inverse_mass; i++) mass[i] = set->sys.s.inverse_mass[i];
    l->segment = n, l->m = mass;
    return LBR_OK;
}
