/* inspect.h - a system compared with itself: what the comparisons share. SPDX-License-Identifier: BSD-3-Clause
 *
 * A comparison is a row of a table (lbr_inspector). It calls functions of the system in one of three looks (at the
 * start, near it or later, at another time), works out what they should give, and hands both to lbr_inspect_compare,
 * which knows what is near enough and writes findings. */
#ifndef LBR_INSPECT_INSPECT_H
#define LBR_INSPECT_INSPECT_H
#include "libration/check.h"
#include "core/bound_system.h"
#include "core/mem.h"

#include <math.h>

enum {
    LBR_INSPECT_LEVELS = 10,  /* steps of a difference, each a quarter of the one before */
    LBR_INSPECT_COLUMNS = 64, /* of a derivative, at most; then some are left out */
    LBR_INSPECT_PAIRS = 400,  /* of directions, of a second derivative */
    LBR_INSPECT_TOLD = 10     /* numbers of one function that are told to be wrong */
};

/* What the numbers of a vector are: components of the state from one on, constraints, equations of the manifold,
 * components of a quantity; nothing that has a name. */
typedef enum {
    LBR_NUMBERING_NONE,
    LBR_NUMBERING_STATE,
    LBR_NUMBERING_CONSTRAINT,
    LBR_NUMBERING_MANIFOLD,
    LBR_NUMBERING_QUANTITY
} lbr_numbering_kind;
typedef struct lbr_numbering {
    lbr_numbering_kind kind;
    int64_t from;
    const lbr_invariant *quantity;
} lbr_numbering;

typedef struct lbr_inspection {
    lbr_system_report report; /* first, so that one pointer is the other */
    lbr_bound b;
    lbr_constraints constraints; /* whole copies of what callers may have in an older form; size 0: there is none */
    lbr_manifold manifold;
    lbr_bodies bodies;
    lbr_lagrangian lagrangian;
    lbr_poisson poisson;
    lbr_pairs pairs;
    lbr_defaults defaults;
    const lbr_part *part;
    const lbr_map_def *map;
    const lbr_invariant *invariant, *observed;

    lbr_arena arena, scratch; /* of the report; of one comparison */
    const lbr_system_finding **list;
    int64_t most;
    lbr_message why; /* its status: memory is gone */

    double t, *point[2], *size; /* where; how large the components are */
    double later_t, *later;     /* a point of the solution; NULL: it is not known */
    double other_t;             /* another time; NaN: there is none */
    int at;                     /* which look this is: at y, at another point, at another time */
    const double *y;            /* the point */

    const char *what, *against;            /* what is compared now, and with what */
    int64_t first, compared, rough, wrong; /* its first finding; how many numbers */
    double largest;                        /* of all numbers that were compared */
    int settled;                           /* something has been said that is no number */
    const char *(*remark)(const struct lbr_inspection *z, int64_t row, int64_t column); /* on a wrong number; or NULL */
} lbr_inspection;

enum { LBR_ANYWHERE, LBR_ONLY_THERE, LBR_ON_SOLUTION };

/* A row of the table. count: how many such things the system has; run compares thing k at the point y. */
typedef struct lbr_inspector {
    const char *what;    /* with %s where its name comes */
    const char *against; /* "differences of g" */
    int64_t (*count)(const lbr_inspection *z);
    const char *(*name)(const lbr_inspection *z, int64_t k);
    void (*run)(lbr_inspection *z, int64_t k);
    int where; /* LBR_ANYWHERE: at y, near it, and near it at another time; LBR_ONLY_THERE: it need not be so near y;
                  LBR_ON_SOLUTION: at y, and where the solution is later */
} lbr_inspector;
extern const lbr_inspector lbr_inspect_incomplete[], lbr_inspect_rates[], lbr_inspect_slopes[], lbr_inspect_patterns[],
    lbr_inspect_surfaces[], lbr_inspect_quantities[], lbr_inspect_flows[], lbr_inspect_maps[], lbr_inspect_orders[],
    lbr_inspect_structures[], lbr_inspect_lagrangians[], lbr_inspect_bodies_rows[];

/* --- findings (findings.c) -----------------------------------------------------------------------------------------
 */

void lbr_inspect_begin(lbr_inspection *z, const char *what, const char *against);
void lbr_inspect_end(lbr_inspection *z);
/* m numbers and what they should be; error: how far these may be off, NULL: not at all. column: which of `columns`, -1
 * none, -2 a direction of all. */
void lbr_inspect_compare(lbr_inspection *z, lbr_numbering rows, lbr_numbering columns, int64_t column, int64_t m,
                         const double *given, const double *expected, const double *error);
/* What is near enough. */
double lbr_inspect_tolerance(double given, double expected, double error, double largest);
/* A finding that is no number: it is wrong (0), or cannot be compared (-1). */
void lbr_inspect_say(lbr_inspection *z, int holds, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A number by its name; a wrong one, with a sentence of its own. */
const char *lbr_inspect_name(const lbr_inspection *z, lbr_numbering axis, int64_t i, char *text, size_t size);
void lbr_inspect_wrong(lbr_inspection *z, lbr_numbering rows, int64_t row, lbr_numbering columns, int64_t column,
                       double given, double expected, const char *but);

/* --- calls (findings.c) --------------------------------------------------------------------------------------------
 */

/* Numbers of one comparison, all zero; NULL: memory is gone, and z->why says so. */
double *lbr_inspect_room(lbr_inspection *z, int64_t n);
/* What is n numbers behind it, of numbers that may not be there. */
static inline double *lbr_after(double *room, int64_t n) { return room ? room + n : NULL; }
/* A function with n numbers in and m out. */
typedef struct lbr_mapping lbr_mapping;
struct lbr_mapping {
    int (*call)(const lbr_mapping *self, double t, const double *x, double *out);
    int64_t n, m;
    lbr_inspection *z;
    const char *name; /* for sentences */
    lbr_fn fn;        /* what it needs, some of it */
    lbr_dfn dfn;
    lbr_ddfn ddfn;
    void *ctx;
    const double *at, *u;
    double *room;
    int64_t item;
};
/* That of an lbr_fn itself. */
lbr_mapping lbr_mapping_fn(lbr_inspection *z, const char *name, lbr_fn fn, void *ctx, int64_t n, int64_t m);
/* Its values at x. 0: they are there and all is well; otherwise a finding says what is wrong (at y), or nothing is said
 * (near y). */
int lbr_inspect_call(lbr_inspection *z, const lbr_mapping *f, const double *x, double *out);

/* --- differences (extrapolated.c)
 * --------------------------------------------------------------------------------------- */

/* The limit for s -> 0 of (F(s) - F(-s))/(2 s), or of (F(s) + F(-s))/2 if `even`: m numbers, and how far they may be
 * off (infinite: nothing is known). Steps begin with e. given: what is expected to come out, which saves calls; or
 * NULL. 1: F fails however small s is, or memory is gone. */
typedef int lbr_curve_fn(void *ctx, double s, double *out);
int lbr_inspect_limit(lbr_inspection *z, lbr_curve_fn *F, void *ctx, int64_t m, double e, int even, const double *given,
                      double *limit, double *error);
/* Where a map of the step h leads from y, a curve with s = h; the map takes h from here. */
typedef struct lbr_trail {
    lbr_mapping map;
    const double *y;
    double h;
} lbr_trail;
int lbr_inspect_on_trail(void *ctx, double s, double *out);
/* F'(x) v, and dF/dt with it if `tau` is 1. */
int lbr_inspect_slope(lbr_inspection *z, const lbr_mapping *F, const double *x, const double *v, double tau, double e,
                      const double *given, double *slope, double *error);
/* All columns (some, if there are many) of D, a linear map, against differences of F at x. from: which components of
 * the state the numbers of x are, for steps. */
void lbr_inspect_derivative(lbr_inspection *z, const lbr_mapping *F, const lbr_mapping *D, const double *x,
                            lbr_numbering rows, lbr_numbering columns);
/* A direction with all components, of the size that these have; k: which one. */
void lbr_inspect_direction(const lbr_inspection *z, int64_t from, int64_t n, int64_t k, double *v);

/* --- more than one needs ----------------------------------------------------------------------------------------- */

/* H', dim numbers: by dHdq and dHdp, force and velocity or masses, the gradient of poisson. call: NULL if there is
 * none. */
lbr_mapping lbr_inspect_gradient(lbr_inspection *z);
/* The field with what constraints do to it, at z->y. 0: it is there; 1: it is not, for a reason that is told or known.
 */
int lbr_inspect_rates_at(lbr_inspection *z, double *f);
/* A step in time that is small for rates f. */
double lbr_inspect_time(const lbr_inspection *z, const double *f);
/* Whether F, a function of the state, stays what it is along solutions. */
void lbr_inspect_kept(lbr_inspection *z, const lbr_mapping *F, lbr_numbering rows);
/* u.v as a linear map of v. */
lbr_mapping lbr_inspect_dot(lbr_inspection *z, const char *name, const double *u, int64_t n);
/* A matrix of n columns, M[i*n + j], against its transpose times `sign`. */
void lbr_inspect_symmetric(lbr_inspection *z, lbr_numbering rows, int64_t n, const double *M, const double *error,
                           int sign);
/* The rates of rigid bodies, from moments, masses and forces; with y'. */
int lbr_inspect_body_rates(lbr_inspection *z, double t, const double *y, double *out);
/* y, moved so that its quaternions have length 1. */
void lbr_inspect_unit(const lbr_inspection *z, double *y);

/* Equations g = 0 and their derivative, on a pattern or without. */
typedef struct lbr_equations {
    lbr_numbering rows;
    int64_t m, n, nnz;
    lbr_fn g, G;
    const int64_t *row, *col;
    const char *what;
} lbr_equations;
lbr_equations lbr_inspect_constraints(const lbr_inspection *z);
lbr_equations lbr_inspect_manifold(const lbr_inspection *z);
/* out (m) = G v; out (n) = G^T u. */
void lbr_equations_times(const lbr_equations *s, const double *G, const double *v, double *out);
void lbr_equations_transposed(const lbr_equations *s, const double *G, const double *u, double *out);
/* Whether its pattern can be used. */
int lbr_equations_is_whole(const lbr_equations *s);
/* How many numbers G gives. */
static inline int64_t lbr_equations_size(const lbr_equations *s) { return s->row ? s->nnz : s->m * s->n; }
/* On constraints, on a manifold, with attitudes: what holds there need not hold near it. */
int lbr_inspect_is_bound(const lbr_inspection *z);
static inline double lbr_random_sign(uint64_t k)
{
    k = (k + 1) * UINT64_C(0x9E3779B97F4A7C15), k ^= k >> 31, k *= UINT64_C(0xBF58476D1CE4E5B9), k ^= k >> 29;
    return ((k & 1) ? 1 : -1) * (0.5 + 0.5 * (double)(k >> 11) * 0x1p-53);
}
#endif
