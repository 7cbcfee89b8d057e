/* map.c - maps that a system brings, as code: used by name, like methods of the catalogue.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"

/* Where the map has no adjoint, the equation Phi_-h(y1) = y0 is solved. */
static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_map_def *map = b->own;
    const lbr_atom_kind *kind = s->adjoint && !map->adjoint ? &lbr_atom_inverse : &lbr_atom_map;

    lbr_bind_step(
        p, to,
        (lbr_atom){ .kind = kind, .data = map, .adjoint = s->adjoint && map->adjoint != map->map, .moves_time = 1 },
        s->c);
    return LBR_OK;
}

static int self_adjoint(const lbr_base *b, lbr_arena *arena)
{
    return (void)arena, ((const lbr_map_def *)b->own)->symmetric;
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    const lbr_map_def *map = f->base->own;

    (void)arena, (void)m;
    i->explicitness = lbr_flat_back(f) && !map->adjoint ? "never" : "always";
    if (f->nbases == 1 && f->kernel.n == 1)
        i->family = "own", i->about = "a map of the system, which promises its order and symmetry";
    return LBR_OK;
}

/* From what it promises. */
static lbr_status analyse(const lbr_flat *f, const lbr_sequence *l, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_map_def *map = f->base->own;

    (void)arena;
    if (map->order < 1)
        return lbr_fail(
            m, LBR_EUNFIT,
            "the map '%s' of the system promises no order, so that nothing can be said of methods that are made of it",
            map->name);
    return lbr_analyse_composed(l, map->order, map->symmetric, map->symplectic, out, m);
}

static lbr_status volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    (void)f, (void)arena, (void)m;
    if (symplectic > 0) *out = lbr_found_volume(symplectic);
    return LBR_OK;
}

const lbr_kind lbr_kind_map[] = { { .name = "map",
                                    .type = LBR_MAP,
                                    .maps_of_systems = 1,
                                    .self_adjoint = self_adjoint,
                                    .needs = "map",
                                    .describe = describe,
                                    .bind = bind,
                                    .takes_constraints = 1,
                                    .analyse = analyse,
                                    .volume = volume },
                                  { .name = NULL } };
