/* runge_kutta.c - Runge-Kutta methods: one tableau for the whole field (HLW II.1).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"

extern const lbr_row lbr_rows_runge_kutta[];

static lbr_status flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out)
{
    lbr_base base = { .kind = x->kind,
                      .tableau = lbr_flatten_new_tableau(c, x->s, x->A, x->b, x->c),
                      .claims = *claims };

    return base.tableau ? lbr_flatten_base(c, base, &out->kernel) : lbr_flatten_no_memory(c);
}

/* --- of a system ------------------------------------------------------------------------------------------------- */

static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_tableau *t = b->tableau;

    if (!p->setup.sys.field)
        return lbr_fail(&p->message, LBR_EUNFIT, "method '%s' needs the whole vector field, but system '%s' %s%s",
                        p->flat.name, lbr_bind_system(p), lbr_bound_lacks(&p->setup.sys),
                        p->setup.sys.s.lagrangian ? "; variational(gauss:s) takes its Lagrangian" : "");
    if (lbr_bind_adjoints(p, b, s)) return lbr_bind_no_memory(p);
    if (s->adjoint) t = b->adjoint;
    lbr_bind_step(
        p, to,
        (lbr_atom){
            .kind = &lbr_atom_runge_kutta, .tableau = t, .adjoint = s->adjoint && t != b->tableau, .moves_time = 1 },
        s->c);
    return LBR_OK;
}

static int field_alone(const lbr_base *b) { return (void)b, 1; }

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    int follows = f->base->tableau->is_explicit && !lbr_flat_back(f);

    (void)arena, (void)m;
    for (int64_t k = 0; k < f->kernel.n; k++) {
        const lbr_tableau *t = f->base[f->kernel.step[k].base].tableau;

        follows &= !t || t->is_explicit;
    }
    i->explicitness = follows ? "always" : "never";
    return LBR_OK;
}

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

static lbr_status analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_tableau *t = adjoint ? lbr_tableau_adjoint(b->tableau, arena) : b->tableau;

    return t ? lbr_analyse_tableau(t, arena, out, m) : no_memory(m);
}

/* A composition may be symplectic although its steps are not: so are two half steps of implicit and explicit Euler. */
static lbr_status together(const lbr_sequence *l, lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_tableau *adjoint = lbr_tableau_adjoint(b->tableau, arena), *all;
    const lbr_tableau **part = lbr_arena_alloc(arena, l->n, sizeof *part);

    if (b->tableau->s * l->n > LBR_TOGETHER_MOST) return LBR_OK;
    if (!adjoint || !part) return no_memory(m);
    for (int k = 0; k < l->n; k++) part[k] = l->flag[k] ? adjoint : b->tableau;
    if (!(all = lbr_tableau_compose(l->n, l->c, part, arena)) || !(all = lbr_tableau_reduce(all, arena)))
        return no_memory(m);
    out->symplectic = lbr_found_small(lbr_symplectic_residual((int)all->s, all->A, all->b), out->tolerance,
                                      "b_i a_ij + b_j a_ji = b_i b_j for all steps as one tableau (HLW VI.4.2)");
    return lbr_analyse_conjugate(all, out->tolerance, arena, &out->conjugate, m);
}

static int timed(const lbr_base *b, lbr_tableau *t) { return *t = *b->tableau, lbr_tableau_timed(t); }

static lbr_status conjugate(const lbr_base *b, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    return lbr_analyse_conjugate(b->tableau, LBR_RESIDUAL, arena, out, m);
}

/* Symplectic tableaux with one stage or two that differ keep the volume for y' = f(z), z' = g(y) too (HLW VI.9.4). */
static lbr_status volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    const lbr_tableau *t = lbr_tableau_reduce(f->base->tableau, arena);

    if (!t) return no_memory(m);
    *out = lbr_found_volume(symplectic);
    if (symplectic && t->s <= 2 && lbr_symplectic_residual((int)t->s, t->A, t->b) <= LBR_RESIDUAL)
        *out = lbr_found_told(LBR_VOLUME_PARTITIONED, "symplectic, with at most two stages (HLW VI.9.4)");
    return LBR_OK;
}

const lbr_kind lbr_kind_runge_kutta[] = { { .name = "runge-kutta",
                                            .formless = 1,
                                            .rows = lbr_rows_runge_kutta,
                                            .type = LBR_MAP,
                                            .read = lbr_read_tableau,
                                            .flatten = flatten,
                                            .self_adjoint = lbr_tableaux_self_adjoint,
                                            .needs = "field",
                                            .describe = describe,
                                            .cost = lbr_tableaux_cost,
                                            .bind = bind,
                                            .field_alone = field_alone,
                                            .analyse_one = analyse,
                                            .analyse_together = together,
                                            .mixes = lbr_mixes_tableaux,
                                            .analyse_mixed = lbr_analyse_mixed,
                                            .timed = timed,
                                            .conjugate = conjugate,
                                            .volume = volume },
                                          { .name = NULL } };
