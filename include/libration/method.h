/* method.h - how to integrate: the catalogue. SPDX-License-Identifier: BSD-3-Clause
 *
 * A method is named by an expression: stormer-verlet, gauss:6, compose(kahan-li-8-17, midpoint),
 * adjoint(symplectic-euler), split(strang, A, B), process(KERNEL, PROCESSOR), pair(M, N), hager(M). A row of the
 * catalogue is constant data: coefficients as decimal text (or "1/6"), and what is claimed of them; lbr_certify checks
 * the claims. */
#ifndef LIBRATION_METHOD_H
#define LIBRATION_METHOD_H
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* table: coefficients. map: a one-step method. scheme: anything else. */
typedef enum { LBR_TABLE, LBR_MAP, LBR_SCHEME } lbr_type;

/* Texts. This struct stays as it is, and so does lbr_named_list: arrays of them are given. */
typedef struct lbr_list {
    int64_t n;
    const char *const *text;
} lbr_list;

/* The form of a table says which lists it has, and what becomes of them:
 *
 *     "runge-kutta"      A (s*s, by rows), b (s), c (s; empty: row sums)
 *     "composition"      b: steps of one map, in order of application
 *     "alternation"      b: steps of a map and, at odd places, of its adjoint: HLW II.4.6
 *     "partitioned"      the same over symplectic Euler (p implicit) and its adjoint: a map for canonical systems
 *     "processor"        b: steps of the kernel's map, before reading: HLW V.3.3
 *     "corrector"        the same, of the map that the kernel alternates with its adjoint, and at odd places of that
 *     "nystrom"          A (s*s), bbar, b, c of HLW II.2.11 for y'' = g(t, y), with Ahat for y'' = g(t, y, y');
 *                        A empty: b_j (c_i - c_j) for j < i, kicks b at times c
 *     "constrained"      A for positions, Ahat for momenta, with the same b; for systems with constraints: HLW VII.1.27
 *     "generating-s1"
 *         b: of h H, h^2 H_P H_q, and h^3 times H_PP(H_q, H_q), H_Pq(H_P, H_q), H_qq(H_P, H_P): HLW VI.5.22
 *     "generating-s3"    b: of h H and h^3 H''(f, f), f = J^-1 grad H; with c: of h H(w + h c f(w)): HLW VI.5.23
 *
 * Rows of the catalogue have others too, one for each kind of method: they are not for tables of yours. */
typedef struct lbr_method {
    size_t size;
    const char *name;           /* of a family: "gauss", its members are gauss:1, gauss:2, ... */
    const char *family;         /* for tables of methods: "Gauss", "composition", ... */
    const char *source, *about; /* where it comes from; one line on what it is */
    const char *form;           /* see above; NULL: "runge-kutta" */
    int half;                   /* b is the first half of a palindrome: of odd length (1), of even length (2) */
    lbr_list A, b, c;
    int order, order_quadratic;        /* claims; order_quadratic: for T(p) quadratic, 0 if the same */
    int symmetric, symplectic, digits; /* digits: to which the certificate holds; 31 is as far as it goes */
    int is_explicit; /* a tableau: claimed to be strictly lower triangular; a pair: explicit for H = T(p) + V(q) */
    const char *free_entries; /* that the claims do not determine, such as "A[1,1]"; separated by blanks */
    const char *kernel;       /* a processor: the kernel that it belongs to; an alternation: the map that it
                                 is over when it stands alone (NULL: the parts) */
    int first, last, stride;  /* a family: its members k */
    const char *aliases;      /* other spellings, separated by blanks */
    int most;                 /* a family: members from last to most exist too, but are not listed */
    const char *order_near;   /* where all parts but the first are small: "8,4"; NULL: nothing is claimed */
    lbr_list bbar, Ahat;      /* Nystrom: weights of y (empty: b_i (1 - c_i)); stages of y' (empty: no y' in g) */
    int constraints;          /* claimed to keep constraints */
} lbr_method;

/* The rows of the catalogue: i = 0 .. lbr_catalogue_size() - 1. Constant, never freed. */
LBR_API int64_t lbr_catalogue_size(void);
LBR_API const lbr_method *lbr_catalogue(int64_t i);

/* What is known of a method expression without a system. All text lives until lbr_method_free. What it needs of a
 * system is said by these words:
 *
 *     field                field, or what it can be made of
 *     partition            nq, with force and inverse_mass or velocity, with dHdq and dHdp, or with field
 *     quadratic-kinetic    nq, force and inverse_mass
 *     hessian              hessian_vec
 *     third-derivatives    third
 *     parts                parts, with flows or fields as the method says
 *     constraints          constraints
 *     manifold             something to project onto: manifold, constraints or invariants
 *     rotation             bodies
 *     reduced-body         an energy that is quadratic in the components of so(n)* or se(3)*
 *     poisson              energy, and poisson or canonical variables
 *     pairs                pairs and energy
 *     lagrangian           lagrangian, or force and inverse_mass
 *     map                  maps, with the one that is named
 *     quadratic            a field that is a polynomial of degree two
 *     divergence-free      a field without divergence, and field_jvp
 *     constant-step        a step that does not change on the way */
typedef struct lbr_method_info {
    const char *name; /* canonical spelling */
    const char *family, *source, *about;
    lbr_type type;
    int order, order_quadratic, stages, symmetric, symplectic, digits;
    const char *explicitness; /* "always", "separable", "never" */
    const char *needs;        /* words, separated by blanks: see above */
    const char *free_entries; /* coefficients that the claims do not determine; "" if there are none */
    int64_t nlists;           /* coefficients: named lists of decimal text, expanded, matrices by rows */
    const struct lbr_named_list {
        const char *name;
        lbr_list list;
    } * lists;
    const char *message;           /* on failure: a sentence */
    const char *order_near;        /* splittings whose first part is large: "(8,4)"; "" if it does not apply */
    int conjugate_symplectic;      /* to which order; LBR_ALL_ORDERS; -1: not known */
    const char *volume_preserving; /* "no", "canonical", "partitioned", "parts", "yes"; "": not known */
    int constraints;               /* of a pair of tableaux: whether it keeps them; -1: does not apply */
    int energy;                    /* H is kept, being projected onto */
    const char *note;              /* a sentence, where it does not do what its name suggests; "" otherwise */
} lbr_method_info;
/* Of a property that holds to every order. */
enum { LBR_ALL_ORDERS = 1000000 };

/* On failure *info still holds the message and must be freed; NULL only when memory is gone. */
LBR_API lbr_status lbr_method_describe(const lbr_method_info **info, const char *expression);
LBR_API void lbr_method_free(const lbr_method_info *info);

#ifdef __cplusplus
}
#endif
#endif
