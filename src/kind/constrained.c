/* constrained.c - methods for systems with constraints, as pairs of tableaux. SPDX-License-Identifier: BSD-3-Clause
 *
 * A is for the positions, Ahat for the momenta, with the weights b of both (Hairer 2003, (2.6)-(2.10); HLW VII.1). The
 * first stage is the beginning of the step, the last one its end; where multipliers act is said in
 * stepper/constrained_tableaux.c. */
#include "shared.h"

LBR_LIST(first_b, "1", "0");
LBR_LIST(first_A, "0", "0", "1", "0");
LBR_LIST(first_Ahat, "1", "0", "1", "0");
LBR_LIST(implicit_b, "0", "1");
LBR_LIST(implicit_A, "0", "0", "0", "1");
LBR_LIST(implicit_Ahat, "0", "1", "0", "1");
LBR_LIST(rattle_b, "1/2", "1/2");
LBR_LIST(rattle_A, "0", "0", "1/2", "1/2");
LBR_LIST(rattle_Ahat, "1/2", "0", "1/2", "0");

#define ROW(name_, list, order_, symmetric_, symplectic_, explicit_, free_, source_, about_) \
    {                                                                                        \
        .m = {                                                                               \
            LBR_SIZED,                                                                       \
            .name = name_,                                                                   \
            .family = "constrained",                                                         \
            .form = "constrained",                                                           \
            .source = source_,                                                               \
            .about = about_,                                                                 \
            .A = LBR_TEXTS(list##_A),                                                        \
            .b = LBR_TEXTS(list##_b),                                                        \
            .Ahat = LBR_TEXTS(list##_Ahat),                                                  \
            .order = order_,                                                                 \
            .symmetric = symmetric_,                                                         \
            .symplectic = symplectic_,                                                       \
            .is_explicit = explicit_,                                                        \
            .free_entries = free_,                                                           \
            .digits = 31,                                                                    \
            .constraints = 1                                                                 \
        }                                                                                    \
    }

static const lbr_row rows[] = {
    ROW("rattle", rattle, 2, 1, 1, 1, NULL, "HLW VII.1.26 (Andersen 1983, Jay 1994, Reich 1993)",
        "Stormer-Verlet on the manifold of constraints, for any H"),
    ROW("constrained-euler", first, 1, 0, 1, 1, "Ahat[2,1]", "HLW VII.1.19, VII.1.20 (Reich 1993)",
        "symplectic Euler, p implicit, on the manifold of constraints"),
    ROW("constrained-implicit-euler", implicit, 1, 0, 0, 0, "Ahat[1,2] Ahat[2,2]", "HLW VII.1, after (1.22)",
        "implicit Euler with constraints: loses energy; a counter-example"),
    LBR_END
};

/* Two tableaux with the same weights. The time is a position. */
static lbr_status read_table(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_status status = lbr_read_tableau(r, x, arena, m);

    if (status) return status;
    x->b2 = x->b, x->c2 = x->c;
    return lbr_read_exactly(r, "Ahat", r->Ahat, x->s * x->s, &x->A2, arena, m);
}

static lbr_status bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to)
{
    const lbr_system *sys = &p->setup.sys.s;

    if (p->setup.sys.partitioned && !sys->constraints && !sys->bodies && !lbr_has_rotations(sys))
        return lbr_fail(
            &p->message, LBR_EUNFIT,
            "method '%s' is for systems with constraints, and system '%s' has none; stormer-verlet, gauss:s and "
            "lobatto-3a-3b:s are for such systems",
            p->flat.name, lbr_bind_system(p));
    return lbr_pair_bind(p, b, s, to);
}

static const char *const offers[] = { "rattle", "compose(TABLE, rattle)", "constrained-euler", NULL };

const lbr_kind lbr_kind_constrained[] = { { .name = "constrained",
                                            .rows = rows,
                                            .type = LBR_MAP,
                                            .read = read_table,
                                            .flatten = lbr_pair_flatten,
                                            .self_adjoint = lbr_tableaux_self_adjoint,
                                            .needs = "constraints",
                                            .explicitness = "separable",
                                            .describe = lbr_pair_describe,
                                            .cost = lbr_tableaux_cost,
                                            .bind = bind,
                                            .terms = lbr_pair_terms,
                                            .takes_constraints = 1,
                                            .offers = { [LBR_OFFERS_CONSTRAINTS] = offers },
                                            .analyse_one = lbr_pair_analyse,
                                            .analyse_together = lbr_pair_together,
                                            .constraints = lbr_pair_constraints },
                                          { .name = NULL } };
