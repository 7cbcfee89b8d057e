/* projected.c - what is known of a projected method, from what is known of the method. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"

/* Order is kept (HLW IV.4, V.4); symmetry where every projection is symmetric; nothing else. A projection when one looks changes no trajectory. */
lbr_status lbr_analyse_projected(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    static const lbr_finding none = { .value = -1, .by = "theorem" };
    lbr_flat plain;
    lbr_status status = lbr_flat_unprojected(f, &plain, arena, m);

    if (status || (status = lbr_analyse(&plain, tolerance, arena, out, m))) return status;
    if (f->projected & LBR_PROJECTED_STANDARD) out->symmetric = lbr_found_told(0, "a standard projection is not undone by a step back (HLW V.4)");
    out->order_again = out->quadratic = out->near = out->separable = out->symplectic_separable = out->conjugate = out->volume = none;
    out->symplectic = lbr_found_told(0, "a projection is not symplectic in general (HLW IV.4)");
    out->is_explicit = lbr_found_told(0, "the projection is found by Newton's method");
    out->constraints = lbr_found_told(1, "they are projected onto (HLW IV.4)");
    return LBR_OK;
}

void lbr_describe_projected(int projected, lbr_method_info *i)
{
    if (projected & LBR_PROJECTED_STANDARD) i->symmetric = 0;
    i->symplectic = 0, i->conjugate_symplectic = -1, i->volume_preserving = "", i->order_near = "", i->order_quadratic = i->order;
    i->explicitness = "never", i->constraints = 1, i->source = "HLW IV.4, V.4 (Hairer 2000)", i->about = "projected onto constraints or invariants";
}
