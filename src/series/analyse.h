/* analyse.h - what algebra finds out about a flattened method. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_SERIES_ANALYSE_H
#define LBR_SERIES_ANALYSE_H
#include "libration/series.h"
#include "order.h"
#include "plan/flatten.h"

/* One finding: a value, how it was found, and what decided it. */
typedef struct lbr_finding {
    int value;      /* -1: does not apply */
    const char *by; /* "trees", "words", "assumptions", "theorem" */
    char detail[200];
    double residual;
    double constant; /* of an order: the error constant (lbr_order) */
} lbr_finding;

typedef struct lbr_analysis {
    lbr_finding order, order_again; /* the same by another way, where there is one */
    lbr_finding quadratic;          /* order for quadratic T(p) */
    lbr_finding symmetric, symplectic;
    lbr_finding separable, symplectic_separable; /* of a pair: for H = T(p) + V(q) */
    lbr_finding is_explicit;                     /* of a tableau; of a pair: for H = T(p) + V(q) */
    lbr_finding digits;                          /* to how many the conditions hold */
    lbr_finding near;                            /* splittings: order where the first part is large (lbr_near_order) */
    double tolerance;                            /* conditions hold where their residual is at most this */
    lbr_finding conjugate;   /* to which order it is conjugate to a symplectic method; LBR_ALL_ORDERS */
    lbr_finding volume;      /* for which fields it keeps the volume; LBR_VOLUME_... */
    lbr_finding constraints; /* of a pair: whether it keeps them */
} lbr_analysis;

/* How far algebra goes: words, trees of two colours, steps of a list, stages of a tableau of several steps, parts and
 * their steps. */
enum {
    LBR_WORDS_MOST = 10,
    LBR_COLOURED_MOST = 10,
    LBR_STEPS_MOST = 5000,
    LBR_TOGETHER_MOST = 100,
    LBR_NEAR_STEPS = 200,
    LBR_NEAR_PARTS = 4
};

/* Steps of one basic map, flag: of its adjoint; or flows, flag: of which part, neighbours of the same part merged. -1:
 * out of memory. */
typedef struct lbr_sequence {
    int n;
    lbr_dd *c;
    unsigned char *flag;
} lbr_sequence;
int lbr_sequence_new(lbr_arena *arena, int64_t n, lbr_sequence *l);
void lbr_sequence_push(lbr_sequence *l, lbr_dd c, int flag);

/* The order of steps c of a map of known order, or, at flags, of its adjoint: out->order. */
lbr_status lbr_analyse_composition(int n, const lbr_dd *c, const unsigned char *flag, int order, int symmetric,
                                   lbr_analysis *out, lbr_message *message);
/* The same with symmetry and symplecticity. */
lbr_status lbr_analyse_composed(const lbr_sequence *l, int order, int symmetric, int symplectic, lbr_analysis *out,
                                lbr_message *message);

/* One step of a Nystrom method. */
lbr_status lbr_analyse_nystrom(const lbr_nystrom *n, lbr_arena *arena, lbr_analysis *out, lbr_message *message);
/* One step of a tableau. */
lbr_status lbr_analyse_tableau(const lbr_tableau *t, lbr_arena *arena, lbr_analysis *out, lbr_message *message);
/* One step of a pair of tableaux, for positions and momenta, or additive: for two parts (tableau_pairs.c). */
lbr_status lbr_analyse_pair(const lbr_tableau *q, const lbr_tableau *p, int additive, lbr_arena *arena,
                            lbr_analysis *out, lbr_message *message);
/* Only whether it is symplectic. */
lbr_status lbr_analyse_pair_symplectic(const lbr_tableau *q, const lbr_tableau *p, int additive, lbr_arena *arena,
                                       lbr_analysis *out, lbr_message *message);

/* Findings: an order; a property that holds where a residual is small; something known without arithmetic. */
lbr_finding lbr_found_order(const lbr_order *o, const char *by);
lbr_finding lbr_found_small(double residual, double tolerance, const char *what);
lbr_finding lbr_found_told(int value, const char *why);
/* To how many digits all conditions hold that are found to hold. */
lbr_finding lbr_found_digits(const lbr_analysis *a);

/* How well the coefficients of a method are known: LBR_RESIDUAL, or more where tables of the user claim fewer digits. A
 * condition adds up several of them, and five digits are left for that. */
double lbr_flat_tolerance(const lbr_flat *flat);
/* tolerance: LBR_RESIDUAL, or more where coefficients are not known so well. LBR_EUNFIT: nothing can be said, the
 * message says why. */
lbr_status lbr_analyse(const lbr_flat *flat, double tolerance, lbr_arena *arena, lbr_analysis *out,
                       lbr_message *message);

/* Of one step of a tableau: a finding as in lbr_analysis.conjugate. */
lbr_status lbr_analyse_conjugate(const lbr_tableau *t, double tolerance, lbr_arena *arena, lbr_finding *out,
                                 lbr_message *message);
/* chi^-1, the method and chi as one tableau, chi: half a step of explicit Euler (HLW VI.8.1). NULL: out of memory. */
lbr_tableau *lbr_tableau_between_eulers(const lbr_tableau *t, lbr_arena *arena);

/* For which fields it keeps the volume; whether it keeps constraints. *out stays as it is where nothing can be said. */
lbr_status lbr_analyse_volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out,
                              lbr_message *message);
lbr_status lbr_analyse_constraints(const lbr_flat *f, double tolerance, lbr_arena *arena, lbr_finding *out,
                                   lbr_message *message);
/* What holds of methods that are no exception: for canonical systems, if it is symplectic. */
lbr_finding lbr_found_volume(int symplectic);

/* The same method without the outermost of the kinds around it. */
lbr_status lbr_flat_inside(const lbr_flat *f, lbr_flat *inner, lbr_arena *arena, lbr_message *message);

/* The same method with stages that are always equal taken together, since conditions on tableaux are meant for those.
 */
lbr_tableau *lbr_tableau_reduce(const lbr_tableau *t, lbr_arena *arena);
/* The same for stages that are equal in both tableaux of a pair; u may be NULL. -1: out of memory. */
int lbr_pair_reduce(const lbr_tableau **t, const lbr_tableau **u, lbr_arena *arena);

/* stage_times.c: whether stages have times that are not where they are; whether the method is symplectic for H that
 * depends on t, then. -1: out of memory. */
int lbr_tableau_timed(const lbr_tableau *t);
double lbr_timed_asymmetry(const lbr_tableau *t); /* the largest |c_i + c_(s+1-i) - 1| then; else 0 */
int lbr_timed_symplectic(const lbr_tableau *t, double tolerance, lbr_arena *arena);
/* Several Runge-Kutta methods: whether they are few enough; as one (combined_tableaux.c). */
int lbr_mixes_tableaux(const lbr_flat *f);
lbr_status lbr_analyse_mixed(const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *message);

/* Conditions hold where their residual is below this, if all digits of the coefficients are there. */
#define LBR_RESIDUAL 1e-24
#endif
