/* shared.h - what several kinds of methods have in common. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KIND_SHARED_H
#define LBR_KIND_SHARED_H
#include "plan/kind.h"
#include "series/analyse.h"

/* --- kinds with one tableau or two (two_tableaux.c) -------------------------------------------------------------- */

/* The first two arguments of an operator: Runge-Kutta methods with as many stages. */
lbr_status lbr_flatten_two_tableaux(lbr_flattening *c, lbr_expr *e, lbr_base *base);
/* lbr_kind.self_adjoint and .cost. */
int lbr_tableaux_self_adjoint(const lbr_base *b, lbr_arena *arena);
double lbr_tableaux_cost(const lbr_base *b, const lbr_step *s, const lbr_step *before, const lbr_system *system);
/* "never" where stages depend on each other; halves: for H = T(p) + V(q). */
lbr_status lbr_describe_pair(const lbr_flat *f, int halves, lbr_arena *arena, lbr_method_info *i, lbr_message *m);
/* lbr_kind.analyse_one and .analyse_together of two tableaux; additive: for two parts, else for positions and momenta.
 */
lbr_status lbr_analyse_two_tableaux(lbr_base *b, int additive, int adjoint, lbr_arena *arena, lbr_analysis *out,
                                    lbr_message *m);
lbr_status lbr_analyse_two_together(const lbr_sequence *l, lbr_base *b, int additive, lbr_arena *arena,
                                    lbr_analysis *out, lbr_message *m);

/* --- positions and momenta by two tableaux (pair.c) -------------------------------------------------------------- */

lbr_status lbr_pair_bind(lbr_plan *p, lbr_base *b, const lbr_step *s, lbr_program *to);
int64_t lbr_pair_terms(const lbr_base *b, const lbr_system *system);
lbr_status lbr_pair_flatten(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_whole *out);
lbr_status lbr_pair_describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m);
lbr_status lbr_pair_analyse(lbr_base *b, int adjoint, lbr_arena *arena, lbr_analysis *out, lbr_message *m);
lbr_status lbr_pair_together(const lbr_sequence *l, lbr_base *b, lbr_arena *arena, lbr_analysis *out, lbr_message *m);
lbr_status lbr_pair_constraints(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_finding *out,
                                lbr_message *m);

/* --- rigid bodies (rigid.c) -------------------------------------------------------------------------------------- */

/* The energy of a system, or its invariant named H, with its context; NULL: it has neither. */
lbr_fn lbr_bind_energy(const lbr_bound *b, void **ctx);
/* LBR_EUNFIT: method and system, and why. */
lbr_status lbr_bind_no_bodies(lbr_plan *p, const char *why);
/* The end of such a sentence. */
extern const char lbr_other_bodies[];
/* A kick, or what moves attitudes between kicks; clock: the time moves with it. */
lbr_status lbr_bind_body(lbr_plan *p, const lbr_atom_kind *kind, int64_t index, int clock, lbr_dd c, lbr_program *to);

/* --- steps of symplectic Euler, and of parts --------------------------------------------------------------------- */

/* One step of symplectic Euler (symplectic_euler.c); of all parts, one after the other (parts.c). */
lbr_status lbr_flatten_euler(lbr_flattening *c, lbr_steps *out);
lbr_status lbr_flatten_all_parts(lbr_flattening *c, lbr_steps *out);
/* Stormer-Verlet, drift first. */
lbr_status lbr_flatten_verlet(lbr_flattening *c, lbr_steps *out);
/* How many stages: a step of the map and one of its adjoint are one. */
int lbr_alternation_stages(const lbr_numbers *x);
/* The index of a part, or a sentence. */
lbr_status lbr_bind_part(lbr_plan *p, const char *name, int64_t *index);

/* The claim "k,2" of near-integrable splittings, k = 2, 4, ..., 20 (near_integrable_rows.c). */
const char *lbr_near_two(int k);

/* --- Nystrom methods (nystrom.c) --------------------------------------------------------------------------------- */

/* Of numbers; of a tableau for y' (HLW II.2.10); of steps of symplectic Euler and its adjoint; the adjoint, which is
 * the same one if it is symmetric. NULL: out of memory. */
const lbr_nystrom *lbr_nystrom_of_numbers(const lbr_numbers *x, lbr_arena *arena);
const lbr_nystrom *lbr_nystrom_of_tableau(const lbr_tableau *t, lbr_arena *arena);
const lbr_nystrom *lbr_nystrom_of_steps(lbr_steps steps, lbr_arena *arena);
const lbr_nystrom *lbr_nystrom_adjoint(const lbr_nystrom *n, lbr_arena *arena);
/* The member of the family of Burton and Scherer with s stages and a_1s = theta (nystrom_rows.c). 0, or -1: out of
 * memory. */
int lbr_burton_scherer(int s, lbr_dd theta, lbr_method *claims, lbr_numbers *numbers, lbr_arena *arena);
enum { LBR_BURTON_SCHERER_MOST = 16 };

/* --- projected methods (project_order.c) ------------------------------------------------------------------------- */

/* lbr_kind.analyse_around. */
lbr_status lbr_project_analyse(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_analysis *out,
                               lbr_message *m);

/* --- reduced(M) (reduced.c) -------------------------------------------------------------------------------------- */

/* The plan's system becomes the differential equation under its constraints; whether all basic maps need the field
 * alone. */
lbr_status lbr_reduce(lbr_plan *plan);
int lbr_reducible(const lbr_flat *flat);
#endif
