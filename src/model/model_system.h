/* model_system.h - a model as the system that plans take: its functions, interpreted.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_MODEL_SYSTEM_H
#define LBR_MODEL_MODEL_SYSTEM_H
#include "model_inside.h"
#include "core/sparsity.h"
#include "program/code.h"

/* The inputs of a model's graph: the state, two directions, velocities, multipliers; then, where they are needed, the
 * duration of flows given by hand and squares of distances. */
enum { LBR_MODEL_INPUTS = 7 };

/* A function of the model: len numbers, an array or a node of its graph. multiplied: multipliers are in it, those of
 * these functions; or NULL. gradient: of an invariant, its derivatives, by rows; or NULL. */
typedef struct lbr_function {
    lbr_code *code;
    int64_t len, shift;
    int array;
    lbr_ref node;
    struct lbr_functions *multiplied;
    const struct lbr_function *gradient;
} lbr_function;

typedef struct lbr_observed {
    const char *name;
    lbr_shape shape;
    int64_t len;
    lbr_function f;
} lbr_observed;

typedef struct lbr_constraint_functions {
    lbr_function g, G, g2, g2t;
} lbr_constraint_functions;

typedef struct lbr_functions {
    lbr_system system;
    lbr_function energy, force, velocity, dHdq, dHdp, field, field_jvp, force_jvp, hessian_vec, third, dLdq, dLdv;
    lbr_function g, residual; /* constraints; and behind them, how much rounding of y may change each */
    double *inverse_mass;
    lbr_lagrangian lagrangian;
    lbr_pairs pairs;
    lbr_sparsity sparsity;
    struct lbr_sparsity_inside finder; /* of the pattern of the field's Jacobian */
    lbr_function slopes;               /* of a potential that is a sum over distances ... */
    int apart;                         /* ... whose squares are this input */
    lbr_poisson poisson;
    lbr_function gradient, structure; /* of H; B(y) times a vector */
    lbr_block *block;
    lbr_invariants invariants;
    lbr_invariant *invariant;
    lbr_function *invariant_function;
    lbr_observed *observed;
    lbr_invariants quantities;
    lbr_invariant *quantity; /* both: what is observed */
    lbr_parts parts;
    lbr_part *part;
    struct lbr_part_flow *flow;
    lbr_constraints constraints;
    lbr_constraint_functions *constraint;
    lbr_manifold manifold;
    lbr_bodies bodies;
    lbr_function forces;               /* of rigid bodies */
    struct lbr_multiplied *multiplied; /* what finds multipliers, once it is asked for */
    struct lbr_section_code *section;  /* of section.h, once one is asked for */
    lbr_function *made;
    int nmade, most_made; /* all of them, to be freed */
    void *kernels;
    void (*kernels_free)(void *); /* machine code for them, of another layer */
    int along;                    /* the field along which rates are, + 1; 0: it has not been made */
    int complete;                 /* without an error */
} lbr_functions;

/* The system of a model; it lives as long as the model. NULL: *message says why, and a second try is refused. */
const lbr_system *lbr_model_system(lbr_model *model, lbr_message *message);
/* After that: observed quantity i. */
const lbr_observed *lbr_model_observed(const lbr_model *model, int i);
/* Its lbr_fn; ctx is the lbr_function. */
int lbr_function_call(double t, const double *y, double *out, void *ctx);

/* After that: makes what finds multipliers (0: the message says why not), for functions that contain them. */
int lbr_multiplied_open(lbr_model *model, lbr_message *message);
/* The multipliers at a state, one for each constraint (HLW VII.1.11), until the next call; NULL: they have no values
 * there. */
const double *lbr_multiplied_at(lbr_functions *functions, double t, const double *y);

/* Along the flow, with the forces of constraints, after that: rates in a node, in an array, become components of the
 * field. 0: the message says why not. */
int lbr_flow_node(lbr_model *model, lbr_ref *node, lbr_message *message); /* flow_rates.c */
int lbr_flow_array(lbr_model *model, int *array, lbr_message *message);

/* --- inside ------------------------------------------------------------------------------------------------------ */

/* A function of the state with one made array, or (array -1) one node, as its value; both -1: what went wrong before is
 * said. `shift`: see code.h. 0 after an error. */
int lbr_function_make(lbr_model *m, lbr_function *f, int array, lbr_ref node, int64_t shift, lbr_message *message);
/* The derivative of an array in a direction: m->direction or m->second. */
int lbr_function_tangent(lbr_model *m, lbr_function *f, int array, int direction, lbr_message *message);
/* B(y) v, v: the input m->direction. An array, or -1. */
int lbr_model_structure(lbr_model *m); /* hamiltonian.c */
/* The whole field: rates that are given, from brackets, from H with its damping, or the sum of the parts' fields. An
 * array, or -1. */
int lbr_model_field(lbr_model *m);
/* What of the system they make: 0 after an error. */
int lbr_functions_pairs(lbr_model *m,
                        lbr_message *message); /* pair_potential.c: none, where the potential is something else */
int lbr_functions_parts(lbr_model *m, lbr_message *message);                 /* flows.c */
const lbr_function *lbr_constraint_jacobian(const lbr_functions *functions); /* the values of G */
int lbr_constrained_field(lbr_model *m, int field);                          /* with -G^T lambda: an array, or -1 */
int lbr_functions_constraints(lbr_model *m, lbr_message *message);           /* constraint.c */
int lbr_model_turns(const lbr_model *m);                                     /* it has rigid bodies */
int lbr_functions_bodies(lbr_model *m, lbr_message *message);                /* rigid_bodies.c */
void lbr_functions_pattern(lbr_functions *functions);                        /* jacobian_pattern.c */
void lbr_functions_free(lbr_model *m);
void lbr_part_flows_free(lbr_model *m);
#endif
