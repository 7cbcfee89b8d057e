/* system.h - what is integrated, with whatever structure is known about it. SPDX-License-Identifier: BSD-3-Clause
 *
 * A plain struct, yours: fill what you know, leave the rest out. A plan copies the struct itself and borrows
 * what it points to until the plan is freed. Callbacks are pure functions of their arguments; they return 0,
 * or anything else to fail. Every struct begins with its size and only grows at its end; in arrays the
 * library strides by the first element's size, and so does whoever reads those of a system that the library gives
 * (lbr_problem_system). A shorter one, of an older header, lacks what is new; a longer one, of a newer header, is
 * refused where it has anything but zeros in what this library does not know. */
#ifndef LIBRATION_SYSTEM_H
#define LIBRATION_SYSTEM_H
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*lbr_fn)(double t, const double *y, double *out, void *ctx);
typedef int (*lbr_dfn)(double t, const double *y, const double *v, double *out,
                       void *ctx); /* a derivative applied to v */
typedef int (*lbr_ddfn)(double t, const double *y, const double *v, const double *w, double *out,
                        void *ctx); /* a second one */
typedef int (*lbr_block_fn)(int64_t w, const double *t, const double *y, double *out,
                            void *ctx);                              /* w states: y[i*w + lane] */
typedef int (*lbr_map_fn)(double t, double h, double *y, void *ctx); /* y becomes Phi_h(y) */
typedef int (*lbr_increment_fn)(double t, double h, const double *y, double *dy, void *ctx); /* dy = Phi_h(y) - y */

typedef enum { LBR_POSITION, LBR_MOMENTUM, LBR_VECTOR, LBR_MATRIX, LBR_ROTATION, LBR_COMPLEX } lbr_block_kind;

/* A named piece of y. Rank 0 is a scalar; components are named q, q[2], q[2,3], psi[2].re, Q[2].e0. */
typedef struct lbr_block {
    size_t size;
    const char *name;
    lbr_block_kind kind;
    int64_t rank;
    const int64_t *shape;
} lbr_block;

/* g(q) = 0 with multipliers: p' = -H_q - G^T lambda (HLW VII.1.9). */
typedef struct lbr_constraints {
    size_t size;
    int64_t m;
    const char *const *names; /* names: m, or NULL */
    lbr_fn g, G;              /* both take q; G: nnz values in the order of the pattern */
    int64_t nnz;
    const int64_t *row, *col; /* by rows, 0-based, row[m+1], col ascending; NULL: dense */
    int (*g2)(double t, const double *q, const double *u, const double *v, double *out, void *ctx); /* m: g''(u, v) */
    int (*g2t)(double t, const double *q, const double *lambda, const double *v, double *out,
               void *ctx); /* nq: sum lambda_i g_i'' v */
} lbr_constraints; /* g2, g2t NULL: differences of G. Steps that keep constraints need neither; multipliers, reduced(M)
                    * and tangent maps then have about 11 digits. */

/* g(t, y) = 0 that the solutions of y' = f(y) keep, for projections (HLW IV.4). */
typedef struct lbr_manifold {
    size_t size;
    int64_t m;
    const char *const *names; /* names: m, or NULL */
    lbr_fn g, G;              /* G: nnz values in the order of the pattern; NULL: differences of g */
    int64_t nnz;
    const int64_t *row, *col; /* by rows, 0-based, row[m+1], col ascending; NULL: dense */
} lbr_manifold;

/* Rigid bodies: H = p^T M^-1 p/2 + sum y_k^2/(2 I_k) + V(q, Q). The state has nq positions and as many momenta, then a
 * unit quaternion (e0, e1, e2, e3) for each attitude Q, body to space, then each body's angular momentum in its own
 * axes, unless other places are given. */
typedef struct lbr_bodies {
    size_t size;
    int64_t n;             /* bodies */
    const double *inertia; /* 3 n principal moments */
    lbr_fn forces;         /* takes y: nq forces, then the torque on each body in its own axes, 3 n; NULL: none */
    int64_t nq;
    const double *inverse_mass;         /* positions beside them: nq numbers */
    const int64_t *attitude, *momentum; /* n places in y each; NULL: as above */
} lbr_bodies;

/* One part of the field, by its exact flow. `increment` gives the flow as y(s) - y(0), which compensated sums need. */
typedef struct lbr_part {
    size_t size;
    const char *name;
    lbr_map_fn flow;
    lbr_increment_fn increment; /* flow NULL: it is not known, and a method that needs it says so */
    void *ctx;                  /* of its functions; NULL: the system's */
    const char *missing;        /* without a flow: why, or NULL */
    lbr_fn field; /* its share of the field, for additive methods and for steps that are not exact; or NULL */
    int (*prepare)(double h, void *ctx); /* called before steps in which the flow goes by h, never inside one: it may
                                            allocate; not 0: no memory. Or NULL */
} lbr_part;
typedef struct lbr_parts {
    size_t size;
    int64_t count;
    const lbr_part *part;
    int64_t clock; /* the part with which the time moves; the others see it at rest */
} lbr_parts;

/* Quantities that the exact solution keeps; each has `len` components. gradient: len x dim, by rows; NULL: differences.
 */
typedef struct lbr_invariant {
    size_t size;
    const char *name;
    int64_t len;
    lbr_fn value;
    void *ctx;
    lbr_fn gradient;
} lbr_invariant; /* ctx NULL: the system's */
typedef struct lbr_invariants {
    size_t size;
    int64_t count;
    const lbr_invariant *item;
} lbr_invariants;

/* A map of your own, used by name in method expressions. Without `adjoint`, adjoint(name) solves
 * Phi_{-h}(y1) = y0; a symmetric map names itself there. order and the two claims are what you promise. */
typedef struct lbr_map_def {
    size_t size;
    const char *name;
    lbr_map_fn map, adjoint;
    lbr_increment_fn increment;
    int order, symmetric, symplectic;
} lbr_map_def;

/* What a program needs to run the system without being told more: `libration run mysystem.c`. */
typedef struct lbr_defaults {
    size_t size;
    double t0;
    const double *y0; /* the start: dim numbers */
    const char *method;
    double step;
    int64_t steps; /* NULL, 0, 0: must be given by the user */
} lbr_defaults;

/* L(t, q, q'), with p = dL/dq', by its derivatives; or a discrete one, L_h(q0, q1) for a step from t to t + h, by D1
 * and D2, the derivatives in q0 and in q1 (HLW VI.6.11). nq numbers each. */
typedef int (*lbr_discrete_fn)(double t, double h, const double *q0, const double *q1, double *out, void *ctx);
typedef struct lbr_lagrangian {
    size_t size;
    lbr_dfn dLdq, dLdv;     /* take (t, q, q'); NULL: unknown */
    lbr_discrete_fn D1, D2; /* for variational(own); NULL: unknown */
} lbr_lagrangian;

/* y' = B(y) grad H(y), B skew (HLW VII.2.10), for methods that keep H; `energy` is needed too. Canonical systems need
 * none: B is theirs, and H_q, H_p are known otherwise. */
typedef struct lbr_poisson {
    size_t size;
    lbr_fn gradient;   /* of H: dim numbers */
    lbr_dfn structure; /* B(y) v: dim numbers */
} lbr_poisson;

/* A potential that is a sum over distances, V = sum_k V_k(|q_i - q_j|), for methods that keep energy and momenta (HLW
 * V.5.4): particles are `space` neighbouring components of q, from first[k] and from second[k] on (0-based); second[k]
 * = -1: the origin. Masses, force and energy are needed too. slopes takes squares s_k of the distances and gives
 * dV_k/ds_k; both arrays have room for count numbers, or dim if that is more. */
typedef struct lbr_pairs {
    size_t size;
    int64_t count, space;
    const int64_t *first, *second;
    lbr_fn slopes;
} lbr_pairs;

/* Which entries of a Jacobian may be other than zero, for Newton's method: it then takes few calls to find the
 * Jacobian, and sparse factors. An entry too many does no harm, one that is missing is reported. */
typedef struct lbr_sparsity {
    size_t size;
    int64_t n;                /* rows and columns: dim, of field'; or nq, of force', where q' = inverse_mass .* p */
    int64_t nnz;              /* entries */
    const int64_t *row, *col; /* by rows, 0-based, row[n+1], col ascending */
    const struct lbr_sparsity_inside *inside; /* NULL */
} lbr_sparsity;

/* What a system of the library's own has beside all this. */
typedef struct lbr_inside lbr_inside;

typedef struct lbr_system {
    size_t size;
    const char *name;
    void *ctx;       /* LBR_SYSTEM(...) fills size, in C++ lbr_system_init */
    int64_t dim, nq; /* length of y; positions, 0 if not partitioned */
    const lbr_block *blocks;
    int64_t nblocks; /* named pieces of y; NULL: q then p, or one vector */
    lbr_fn field, energy, force, velocity, dHdq,
        dHdp;                              /* force takes q, velocity p (and not t); dHdq, dHdp take (q, p) */
    const double *inverse_mass;            /* nq numbers: velocity is inverse_mass .* p, no call is made */
    lbr_dfn field_jvp;                     /* field'(y) v: y, v and out have dim numbers */
    lbr_dfn force_jvp;                     /* force'(q) v: nq numbers each */
    lbr_dfn hessian_vec;                   /* H''(y) v: dim numbers each, positions first */
    lbr_block_fn field_block, force_block; /* optional: many states at once; implicit methods ask for all stages so */
    const lbr_constraints *constraints;
    const lbr_parts *parts; /* exact flows of parts */
    const lbr_invariants *invariants;
    const lbr_poisson *poisson;
    const lbr_map_def *maps;
    int64_t nmaps;            /* maps of your own */
    const lbr_inside *inside; /* NULL */
    const lbr_defaults *defaults;
    lbr_ddfn third;                   /* H'''(v, w), a vector as long as y: hessian_vec differentiated */
    const lbr_lagrangian *lagrangian; /* for variational methods */
    const lbr_manifold *manifold;     /* for projections */
    const lbr_bodies *bodies;         /* rigid bodies */
    const lbr_invariants *observed;   /* other quantities, by name; a projection can be told to move along one */
    const char
        *energy_changes;    /* why the solution does not keep H: "it depends on t"; NULL: it does, as far as is known */
    const lbr_pairs *pairs; /* the potential is a sum over distances */
    const lbr_sparsity *jacobian; /* the pattern of the field's Jacobian, or the force's */
    int energy_of_time; /* whether H depends on t itself: 1 it does, -1 it does not; 0: not told, so that it may where
                           energy_changes says anything. What is true only without t is claimed only without it */
} lbr_system;

/* A system in C, with its size filled in; C++ has no such thing and calls lbr_system_init. */
#ifndef __cplusplus
    #define LBR_SYSTEM(...) \
        (lbr_system) { .size = sizeof(lbr_system), __VA_ARGS__ }
#endif
/* All zero but size, which is that of the caller's own header, whatever library it meets: bindings pass the size of
 * their struct. */
LBR_API void lbr_system_init_sized(lbr_system *system, size_t size);
static inline void lbr_system_init(lbr_system *system) { lbr_system_init_sized(system, sizeof *system); }

/* What a file for `libration run FILE.c` defines; the library does not. The tool compiles the file, calls this function
 * once or more, and runs the system that it fills in; *out comes with its size and zeros. What it points to (data,
 * `defaults`) must outlive the call, so it is static. 0: all is well. The tool takes C alone, by -std=c17; the name is
 * that of C also where a C++ compiler reads it, and may be hidden. */
#ifndef LBR_INSIDE /* of the library, which has another thing of this name */
int lbr_model(lbr_system *out);
#endif

/* The name of component i of y, cut to fit `size` bytes; returns text. */
LBR_API const char *lbr_system_component(const lbr_system *system, int64_t i, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
