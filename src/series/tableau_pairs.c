/* tableau_pairs.c - what is true of a pair of tableaux, for positions and momenta or for two parts.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "stepper/prk.h"

/* Trees with two colours are many: 19 000 of order 8. Those for H = T(p) + V(q) are fewer. */
enum { COLOURED_MOST = 10, SEPARABLE_MOST = 10, TREES_STAGES = 36 };

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

/* Trees where they reach, else the assumptions, which take the same weights for granted. */
static int order(const lbr_tableau *q, const lbr_tableau *p, lbr_analysis *out)
{
    int s = (int)q->s;
    lbr_order o = { .order = 0 };

    if (lbr_weights_residual(s, q->b, p->b) <= out->tolerance &&
        lbr_assumptions_pair(s, q->A, p->A, q->b, q->c, out->tolerance / 100, &o))
        return -1;
    out->order = lbr_found_order(&o, "assumptions");
    if (s > TREES_STAGES || out->order.value > SEPARABLE_MOST) return 0;
    if (out->order.value <= COLOURED_MOST) {
        if (lbr_trees_order(LBR_TREES_BICOLOURED, s, q->A, q->b, p->A, p->b, COLOURED_MOST, out->tolerance, &o))
            return -1;
        if (o.exact || o.order > out->order.value) out->order = lbr_found_order(&o, "trees");
    }
    if (lbr_trees_order(LBR_TREES_SEPARABLE, s, q->A, q->b, p->A, p->b, SEPARABLE_MOST, out->tolerance, &o)) return -1;
    out->separable = lbr_found_order(&o, "trees");
    if (lbr_trees_order(LBR_TREES_NYSTROM, s, q->A, q->b, p->A, p->b, SEPARABLE_MOST, out->tolerance, &o)) return -1;
    out->quadratic = lbr_found_order(&o, "trees");
    return 0;
}

/* What two parts need among each other, and each by itself; for q and p also the same weights, unless H = T(p) + V(q).
 * The conditions are necessary only where no two stages are the same. */
lbr_status lbr_analyse_pair_symplectic(const lbr_tableau *q, const lbr_tableau *p, int additive, lbr_arena *arena,
                                       lbr_analysis *out, lbr_message *m)
{
    double across, both;
    int s;

    if (lbr_pair_reduce(&q, &p, arena)) return no_memory(m);
    s = (int)q->s;
    across = lbr_symplectic_pair_residual(s, q->A, q->b, p->A, p->b);
    if (additive) {
        both = fmax(lbr_symplectic_residual(s, q->A, q->b), lbr_symplectic_residual(s, p->A, p->b));
        out->symplectic = lbr_found_small(
            fmax(across, both), out->tolerance,
            "b_i a_ij + b_j a_ji = b_i b_j within and across the tableaux (HLW VI.4.2, VI.4.3)");
    } else {
        both = fmax(across, lbr_weights_residual(s, q->b, p->b));
        out->symplectic_separable = lbr_found_small(across, out->tolerance,
                                                    "b_i a^_ij + b^_j a_ji = b_i b^_j (HLW VI.4.3)");
        out->symplectic = lbr_found_small(both, out->tolerance,
                                          "b_i a^_ij + b^_j a_ji = b_i b^_j and b = b^ (HLW VI.4.3, VI.4.4)");
    }
    return LBR_OK;
}

lbr_status lbr_analyse_pair(const lbr_tableau *q, const lbr_tableau *p, int additive, lbr_arena *arena,
                            lbr_analysis *out, lbr_message *m)
{
    static const char *const what[2][2] = {
        { "stages depend on each other, also for H = T(p) + V(q)",
          "for H = T(p) + V(q): each stage follows from those before" },
        { "stages depend on each other", "each stage follows from those before" },
    };
    int s = (int)q->s, is_explicit;
    int64_t *room = lbr_arena_alloc(arena, 4 * q->s, sizeof *room);
    lbr_finding none = out->separable;

    if (!room || order(q, p, out)) return no_memory(m);
    if (additive) out->separable = out->quadratic = none;
    is_explicit = lbr_pair_order(s, q->A, p->A, !additive, room) > 0;
    out->is_explicit = lbr_found_told(is_explicit, what[additive][is_explicit]);
    out->symmetric = lbr_found_small(fmax(lbr_symmetric_residual(s, q->A, q->b), lbr_symmetric_residual(s, p->A, p->b)),
                                     out->tolerance, "a*_ij = a_ij for both (HLW V.2.4)");
    return lbr_analyse_pair_symplectic(q, p, additive, arena, out, m);
}
