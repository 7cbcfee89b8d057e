/* volume.c - for which fields a method keeps the volume, where the exact flow does. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "libration/series.h"

/* Whether a tableau is symplectic and has at most two stages that differ; -1: out of memory. */
static int is_small(const lbr_tableau *t, lbr_arena *arena)
{
    const lbr_tableau *reduced = lbr_tableau_reduce(t, arena);

    return !reduced ? -1 : reduced->s <= 2 && lbr_symplectic_residual((int)reduced->s, reduced->A, reduced->b) <= LBR_RESIDUAL;
}

/* symplectic: as found. *out stays as it is where nothing can be said. Steps of symplectic Euler, and of symplectic tableaux with one or two stages, keep it for y' = f(z), z' = g(y) too (HLW VI.9.4). */
lbr_status lbr_analyse_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    const lbr_base *b = f->base;
    int small;

    if (f->nbases != 1) return LBR_OK;
    if (b->kind == LBR_BASE_DERIVED && b->derived->kind == &lbr_atom_volume)
        return *out = lbr_found_told(LBR_VOLUME_ALWAYS, "a composition of maps that are symplectic in two components each (HLW VI.9.3)"), LBR_OK;
    if (b->kind == LBR_BASE_DERIVED && b->derived->kind == &lbr_atom_moser_veselov)
        return *out = lbr_found_told(LBR_VOLUME_ALWAYS, "a Poisson map that keeps the Casimirs, on the duals of unimodular algebras"), LBR_OK;
    if (b->kind == LBR_BASE_PARTS && !b->by) return *out = lbr_found_told(LBR_VOLUME_PARTS, "a composition of exact flows"), LBR_OK;
    if (b->kind == LBR_BASE_EULER) return *out = lbr_found_told(LBR_VOLUME_PARTITIONED, "steps that change positions or momenta alone (HLW VI.9)"), LBR_OK;
    if (b->kind == LBR_BASE_RUNGE_KUTTA && symplectic) {
        if ((small = is_small(b->tableau, arena)) < 0) return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying");
        if (small) return *out = lbr_found_told(LBR_VOLUME_PARTITIONED, "symplectic, with at most two stages (HLW VI.9.4)"), LBR_OK;
    }
    if ((b->kind == LBR_BASE_MAP || b->kind == LBR_BASE_PARTS) && symplectic <= 0) return LBR_OK;
    *out = lbr_found_told(symplectic > 0 ? LBR_VOLUME_CANONICAL : LBR_VOLUME_NEVER,
                          symplectic > 0 ? "it is symplectic (HLW VI.9.1)" : "no method of this kind does, already for linear fields (HLW IV.3.2)");
    return LBR_OK;
}

const char *lbr_volume_text(int code)
{
    static const char *const text[] = { "no", "canonical", "partitioned", "parts", "yes" };

    return code >= 0 && code <= LBR_VOLUME_ALWAYS ? text[code] : "";
}
