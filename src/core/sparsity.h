/* sparsity.h - the pattern of a field's Jacobian, and its colours. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_SPARSITY_H
#define LBR_CORE_SPARSITY_H
#include "bound_system.h"
#include "mem.h"
#include "pattern.h"

/* A system of the library's own finds its pattern when somebody needs it: `out`, in the arena; row NULL: all entries
 * may be there. Callable by several threads at once. LBR_ENOMEM. */
struct lbr_sparsity_inside {
    lbr_status (*find)(void *ctx, lbr_pattern *out, lbr_arena *arena);
    void *ctx;
};

/* What is wrong with the pattern that a system gives. */
lbr_status lbr_sparsity_check(const lbr_bound *bound, lbr_message *message);
/* The pattern of the whole field's Jacobian, n = dim; row NULL: it is not known, or dense. It may be the caller's own.
 */
lbr_status lbr_sparsity_of_field(lbr_pattern *out, const lbr_bound *bound, lbr_arena *arena, lbr_message *message);

/* Colours 0 .. count - 1 for the columns of p, which are given by their rows (first[n+1], row), so that no row has two
 * of one colour: each the first one that is free. LBR_ENOMEM. */
lbr_status lbr_pattern_colours(const lbr_pattern *p, const int64_t *first, const int64_t *row, int64_t *colour,
                               int64_t *count);
#endif
