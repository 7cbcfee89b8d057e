/* model_inside.h - a model with its parameters fixed: variables, equations, quantities, start.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_MODEL_INSIDE_H
#define LBR_MODEL_MODEL_INSIDE_H
#include "libration.h"
#include "language/lower.h"
#include "syntax/source.h"

/* A parameter or the start of a variable that is given anew: a constant. */
typedef struct lbr_change {
    const char *name;
    lbr_file *file;
    lbr_place place;
    int nindex;
    int64_t index[LBR_RANK]; /* of a variable: the components that are set, from 1 */
    int prime;               /* a velocity */
    lbr_shape shape;
    const double *data;
} lbr_change;

/* A quantity of the model: an invariant, something observed. */
typedef struct lbr_named {
    const char *name;
    lbr_file *file;
    lbr_place place;
    const lbr_value *value;
} lbr_named;

/* Members of a constraint: elements first .. first + count - 1 of all, by these entries of the array g. */
typedef struct lbr_constraint_def {
    const char *name;
    lbr_file *file;
    lbr_place place;
    int64_t first, count;
    int family;
    lbr_place value_place;
    int entry, nentries;
} lbr_constraint_def;

typedef struct lbr_part_def {
    const char *name;
    lbr_file *file;
    lbr_place place;
    lbr_ref h;          /* its Hamiltonian, or -1 */
    int field;          /* its field: a made array, or -1 until it is needed */
    int flow, duration; /* the state after a time, given by hand; the input that is the time; -1 */
} lbr_part_def;

/* {row, col} = value, for all iterations of a loop. */
typedef struct lbr_bracket_def {
    int loop;
    lbr_ref row, col, value;
    int mirrored;
    lbr_file *file;
    lbr_place place;
} lbr_bracket_def;

/* What was found about the equations (structure.c). */
typedef struct lbr_structure {
    int separable, quadratic, diagonal_mass; /* H = T(p) + V(q, t); T quadratic; its matrix diagonal */
    int autonomous;                          /* t does not occur */
} lbr_structure;

typedef struct lbr_model {
    lbr_source *source;
    lbr_arena arena;
    lbr_dag dag;
    lbr_lower lo;
    lbr_variable *variable;
    int nvariables, most_variables;
    int64_t dim, nq, nfirst; /* components; positions of pairs; what partitioned methods treat like positions */
    int direction, second, multiplier; /* inputs: directions for derivatives, one number per constraint */
    int has_h, has_l;
    lbr_ref h, l, rayleigh; /* rayleigh -1: none; h: also the sum of parts, and what follows from L */
    lbr_file *h_file;
    lbr_place h_place;
    lbr_part_def *part;
    int nparts;
    int rates;
    int rates_given; /* the field given by rates, a made array, open while reading */
    lbr_bracket_def *bracket;
    int nbrackets;
    lbr_constraint_def *constraint;
    int nconstraints;
    int64_t m;
    int g; /* g: made array of m */
    const char **member;
    int nmembers; /* the names of these m: hook, link[2], warp[2,1] */
    lbr_named *invariant;
    int ninvariants;
    lbr_named *observed;
    int nobserved;
    int reverse; /* the reversed state, a made array, or -1 */
    const lbr_line **section;
    int nsections;
    int32_t *section_slot; /* sections by their names (section.c) */
    int64_t section_slots;
    const lbr_line **method;
    int nmethods; /* method statements */
    const lbr_change *change;
    int nchanges;
    double t0, *y0; /* the start */
    int started;
    lbr_structure structure;
    int extended;                    /* its functions are made for more digits than doubles have */
    uint64_t digest;                 /* of texts, changes and the data that is read */
    struct lbr_functions *functions; /* of model_system.c */
} lbr_model;

/* Reads all statements with these changes (copied). On failure *model is NULL and source->message says why: LBR_EARG,
 * LBR_ENOMEM. */
lbr_status lbr_model_make(lbr_model **model, lbr_source *source, const lbr_change *change, int nchanges);
void lbr_model_free(lbr_model *model);

/* Reads on (lbr_lower_enter) in the model as a whole, outside of its statements: what is found then is said of the last
 * file. */
lbr_reading lbr_model_enter(lbr_model *m);

/* A new value for a parameter or a variable, in this line, worked out in this model with the indices bound as they are
 * now
 * (lbr_local_push on model->lo). Gives the number of changes (a family on the left side makes several), -1 after an
 * error. */
int lbr_model_change(lbr_model *model, const lbr_line *line, const lbr_item *item, lbr_change **change);

/* Whether a state is on the manifold of state variables to 1e-8 (scaled). LBR_OK; LBR_EARG: the message says which
 * constraint it is off. Constraints of positions are looked at by plans. */
lbr_status lbr_model_consistent(lbr_model *m, double t, const double *y, lbr_message *message);

/* B(y) grad f, or (f_p, -f_q) and the motion of rigid bodies: a made array, or -1. */
int lbr_model_body_forces(lbr_model *m, lbr_ref f); /* forces and torques of f: an array, or -1 */
int lbr_model_hamiltonian_field(lbr_model *m, lbr_ref f);
int lbr_model_mirror(lbr_model *m); /* which brackets stand for {y, x} too; 0: one is given twice */
const lbr_value *lbr_model_bracket(lbr_lower *lo, const lbr_node *node, const lbr_value *f, const lbr_value *g,
                                   void *ctx);

/* --- inside: the statements -------------------------------------------------------------------------------------- */

/* Parameters, abbreviations and variables: lines from .. to - 1. */
int lbr_model_declare(lbr_model *m, int to);
/* Where the components of variables are; inputs. */
int lbr_model_layout(lbr_model *m);
/* Everything else but the start. */
int lbr_model_define(lbr_model *m);
int lbr_model_finish(lbr_model *m); /* rates complete, H from L, brackets */
int lbr_model_starts(lbr_model *m);
/* The momenta at the start that give these velocities, by H, or by L where there is no H. 1: they stand in y0; 0: there
 * are none, or no memory (dag.status); -1: it takes too long. */
int lbr_model_momenta(lbr_model *m, const double *v);
int lbr_model_poisson_check(lbr_model *m); /* brackets at the start: antisymmetry, Jacobi identity */
int lbr_model_holonomic(lbr_model *m);     /* constraints of pairs: without momenta and t */
int lbr_model_involution(lbr_model *m);    /* reverse twice is nothing, at the start */
/* What a statement sets by this name; NULL: there is none, or it is faulty, and the statement has failed. */
const lbr_symbol *lbr_model_set(lbr_model *m, const lbr_target *t);
const lbr_variable *lbr_model_variable(const lbr_model *m, const char *name);

/* One more element of a list in the arena; the list moves when its size is a power of two. NULL: no memory. */
void *lbr_model_push(lbr_model *m, void *list, int *n, size_t size);
/* {x, y} = value of a poisson statement. */
void lbr_model_bracket_define(lbr_model *m, const lbr_item *item);
/* c = value, c[i = 1..n] = value of a constraint statement. */
void lbr_model_constraint_define(lbr_model *m, const lbr_item *item);

/* target = value for all indices of the target, into array[offset of the variable ..]; `entry` tells each entry made. 0
 * after an error. */
typedef struct lbr_assignment {
    lbr_model *m;
    const lbr_target *target;
    const lbr_node *value;
    const lbr_variable *variable;
    int array;
    int64_t offset; /* component 0 of the variable is array[offset] */
    int spread;     /* a number may fill an array */
} lbr_assignment;
int lbr_model_assign(const lbr_assignment *a);

/* The value of constants of any shape in new memory; the shape in *shape. 0 after an error. */
int lbr_model_constants(lbr_model *m, const lbr_node *node, lbr_shape *shape, double **data);
#endif
