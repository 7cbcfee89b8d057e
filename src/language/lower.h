/* lower.h - from the text of an expression to nodes of the graph: names, shapes, values.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A value has a shape and gives its elements as nodes when they are asked for: an array of a million elements costs
 * nothing until somebody wants one. Indices count from 1 and are nodes too, constants or indices of loops. A function
 * that fails has put an error into the file and gives NULL (or a node below 0). */
#ifndef LBR_LANGUAGE_LOWER_H
#define LBR_LANGUAGE_LOWER_H
#include "syntax/source.h"
#include "graph/dag.h"
#include "setting_words.h"

/* Limits that a build may raise: components of one array; evaluations of constants, while loading. */
#ifndef LBR_MOST_COMPONENTS
    #define LBR_MOST_COMPONENTS 10000000
#endif
#ifndef LBR_MOST_EVALUATIONS
    #define LBR_MOST_EVALUATIONS 100000000
#endif

enum {
    LBR_RANK = 8,              /* dimensions of an array */
    LBR_UNROLLED = 64,         /* sums and arrays of up to so many terms are written out ... */
    LBR_WRITTEN_OUT = 2000,    /* ... that come to at most so many operations */
    LBR_MOST_STEPS = 20000000, /* expressions that are looked at, elements that are asked for */
    LBR_MOST_VALUES = 3000000  /* values that are kept meanwhile */
};

typedef struct lbr_shape {
    int rank;
    int64_t n[LBR_RANK];
} lbr_shape;

typedef struct lbr_value lbr_value;
typedef struct lbr_lower lbr_lower;

/* How a kind of value gives an element; index[0 .. rank-1]. */
typedef lbr_ref lbr_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index);

struct lbr_value {
    lbr_shape shape;
    int row;       /* v^T of a vector */
    int condition; /* true or false, not a number */
    lbr_element *element;
    lbr_ref (*flat)(lbr_lower *lo, const lbr_value *v,
                    lbr_ref f); /* element f, from 0, by rows; NULL: by its indices */
    lbr_ref node;               /* of a scalar */
    const lbr_value *a, *b, *c; /* what it is made of */
    const lbr_value **list;
    int64_t nlist;
    int array;
    int64_t offset, stride[LBR_RANK];
    lbr_ref base; /* of a view */
    lbr_op op;    /* of a reduction, of an operation on each element */
    int loop;     /* of a reduction: its loop; otherwise the loop it was made in */
    lbr_ref index[LBR_RANK];
    int nindex;                      /* of a slice */
    const struct lbr_symbol *symbol; /* of a family */
    lbr_ref *cache;                  /* elements asked for before, + 1, if there are few */
    int stored;                      /* the array that holds all elements, + 1; 0: none */
    struct lbr_recent *recent;       /* elements asked for last at indices of loops */
};

/* What a name stands for. */
typedef enum {
    LBR_SYM_PARAM,
    LBR_SYM_LET,
    LBR_SYM_FUNCTION,
    LBR_SYM_VARIABLE,
    LBR_SYM_PART,
    LBR_SYM_H,
    LBR_SYM_CONSTRAINT,
    LBR_SYM_INVARIANT,
    LBR_SYM_OBSERVED,
    LBR_SYM_MEASURE
} lbr_symbol_kind;

typedef struct lbr_symbol {
    const char *name;
    uint64_t hash;
    lbr_symbol_kind kind;
    lbr_file *file;
    lbr_place place; /* where it is declared */
    int order;       /* number of its statement: used only in later ones */
    int faulty;      /* its statement has an error: nothing more is said of it */
    const lbr_item *item;
    const lbr_node *text;   /* its definition */
    const lbr_value *value; /* once it is known */
    unsigned mentions;      /* what its definition speaks of: a set of LBR_MENTIONS */
    int busy;               /* being looked at: a second time is recursion */
    int variable;           /* of a variable: its number in the model */
    int expected;           /* its statement is still to be read */
    int materialised;       /* of a family: decided whether it is worked out as a whole */
} lbr_symbol;

/* A name that is bound while an expression is read: an index, an argument of a function. */
typedef struct lbr_local {
    const char *name;
    const lbr_value *value;
    int is_index;
} lbr_local;

/* What reads expressions outside a model's own vocabulary: measures and claims (names of runs, reductions of series).
 * Each is asked first; 0: not mine. 1: *value is set, or NULL after an error. */
typedef struct lbr_dialect {
    int (*name)(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx);
    int (*call)(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx);
    int (*member)(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx);
    void *ctx;
} lbr_dialect;

/* Where indices were not constants: what must hold in every iteration before anything runs. */
typedef struct lbr_duty {
    lbr_ref index, guard;
    int loop;
    int64_t n;
    lbr_file *file;
    lbr_place place;
} lbr_duty;

typedef enum {
    LBR_WHERE_MODEL,
    LBR_WHERE_RATE = 1,
    LBR_WHERE_OBSERVED = 2,
    LBR_WHERE_CONSTANT = 4,
    LBR_WHERE_MEASURE = 8,
    LBR_WHERE_VELOCITY = 16,
    LBR_WHERE_AROUND = 32 /* for lbr_lower_enter: names that are bound around it are seen */
} lbr_where;

/* A statement that is being read, and where in it the reader stands. It is entered and left as a whole, by
 * lbr_lower_enter and lbr_lower_leave (and by names.c, for definitions inside it): nobody else sets file, folder, order
 * and floor, or says that nothing has failed; `where` is set by lbr_lower_allow, too. */
typedef struct lbr_reading {
    lbr_file *file;
    const char *folder; /* for read */
    int order;          /* the statement's number */
    int floor;          /* locals from here on are seen */
    unsigned where;     /* what is allowed: a set of lbr_where */
    int failed;         /* it has an error */
    int nlocals;        /* names that are bound */
    int loop;           /* the loop we stand in */
    int drawn;          /* all loops are written out */
    lbr_ref guard;      /* the conditions we stand under, 1 if none */
    const lbr_dialect *dialect;
} lbr_reading;

struct lbr_lower {
    lbr_dag *dag;
    lbr_arena *arena;
    lbr_reading at; /* what is read now */
    int last;       /* the number of the model's statement that was entered last */
    int quiet;      /* errors are not told: something is tried */
    lbr_symbol *symbol;
    int nsymbols, most_symbols;
    int *table;
    int table_size;
    lbr_local *local;
    int most_locals;
    lbr_file *user_file;
    lbr_place user; /* where the statement uses the definition we are in; line 0: in none */
    lbr_duty *duty;
    int nduties, most_duties;
    int64_t evaluations, steps, values, looked; /* counted against the limits */
    struct lbr_memo *memo;                      /* values of families and functions at given nodes */
    int state, rate;                            /* inputs: the state and the velocities */
    const struct lbr_variable *variable;
    int nvariables;
    const lbr_value *(*bracket)(lbr_lower *lo, const lbr_node *node, const lbr_value *f, const lbr_value *g, void *ctx);
    const lbr_value *(*multiplier)(lbr_lower *lo, const lbr_node *node, void *ctx);
    void *model;
    uint64_t data; /* digest of what read has brought, 0: nothing */
    int depth;     /* of functions in functions */
    int asked;     /* random was asked for at an index of a loop: what was made is worthless */
    int members;   /* of families, that are being worked out for each other */
};

/* A variable of the state. */
typedef enum { LBR_VAR_POSITION, LBR_VAR_MOMENTUM, LBR_VAR_STATE, LBR_VAR_ATTITUDE, LBR_VAR_ANGULAR } lbr_variable_kind;
typedef struct lbr_variable {
    const char *name;
    lbr_variable_kind kind;
    lbr_shape shape;      /* in expressions; an attitude is [3,3] or [n,3,3] */
    int64_t size, offset; /* components in the state, and where they begin */
    int pair;             /* the other one of a canonical or rotation pair, or -1 */
    int last;             /* of a partition: treated like a momentum */
    lbr_file *file;
    lbr_place place;
    int order;
} lbr_variable;

/* --- special_functions.c ------------------------------------------------------------------------------------------ */

/* if(c, a, b); the numbers of a file. */
const lbr_value *lbr_lower_choice(lbr_lower *lo, const lbr_node *node);
const lbr_value *lbr_lower_table(lbr_lower *lo, const lbr_node *node);

/* --- lower.c ----------------------------------------------------------------------------------------------------- */

lbr_status lbr_lower_init(lbr_lower *lo, lbr_dag *dag, lbr_arena *arena);
/* Begins to read a statement, or something that belongs to one (a setting, an expression of a claim): its file, folder
 * and number are the line's, `where` is allowed, nothing is bound, nothing has failed. Gives what was there. */
lbr_reading lbr_lower_enter(lbr_lower *lo, const lbr_line *line, unsigned where);
/* Puts that back. LBR_OK; LBR_EARG: there was an error, which is in its file; LBR_ENOMEM. */
lbr_status lbr_lower_leave(lbr_lower *lo, const lbr_reading *before);
/* What is allowed from here on; gives what was allowed before. */
unsigned lbr_lower_allow(lbr_lower *lo, unsigned where);

/* An error at a place of the statement, once. NULL always. */
void *lbr_lower_fail(lbr_lower *lo, lbr_place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same where the place is in another file. */
void *lbr_lower_fail_in(lbr_lower *lo, lbr_file *file, lbr_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* There is no memory: the graph's status says so, and nothing is said of the text. NULL always. */
void *lbr_lower_no_memory(lbr_lower *lo);
/* Something below has failed for this reason: no memory, or an error at a place. NULL always. */
void *lbr_lower_refused(lbr_lower *lo, lbr_place place, const lbr_message *why);
/* The same for the graph itself, whose status is set. NULL always. */
void *lbr_lower_broken(lbr_lower *lo, lbr_place place);
/* A value, or NULL. */
const lbr_value *lbr_lower_value(lbr_lower *lo, const lbr_node *node);
/* A scalar, or -1. */
lbr_ref lbr_lower_scalar(lbr_lower *lo, const lbr_node *node);
lbr_ref lbr_lower_condition(lbr_lower *lo, const lbr_node *node);
/* A number that is known now; 0 if not. */
int lbr_lower_constant(lbr_lower *lo, const lbr_node *node, double *value);
/* An integer in a range that is known now. */
int lbr_lower_integer(lbr_lower *lo, const lbr_node *node, const char *what, int64_t lo_, int64_t hi, int64_t *value);

/* The variable of the state that a name stands for; NULL if it stands for anything else. */
const struct lbr_variable *lbr_lower_variable(lbr_lower *lo, const lbr_node *name);

/* --- names.c ----------------------------------------------------------------------------------------------------- */

lbr_symbol *lbr_symbol_find(lbr_lower *lo, const char *name);
/* A new quantity; NULL: the name is taken or reserved, and an error says so. */
lbr_symbol *lbr_symbol_add(lbr_lower *lo, const char *name, lbr_symbol_kind kind, lbr_place place);
/* The same ahead of its statement, so that names are taken in the order of the text. */
void lbr_symbol_expect(lbr_lower *lo, const char *name, lbr_symbol_kind kind, lbr_place place);
/* Whether it is declared before this place of the statement being read. */
int lbr_symbol_before(const lbr_lower *lo, const lbr_symbol *s, lbr_place place);
/* Why a name cannot be a quantity, or NULL. */
const char *lbr_name_reserved(const char *name);
const lbr_value *lbr_symbol_value(lbr_lower *lo, lbr_symbol *s, lbr_place place);
const lbr_value *lbr_symbol_call(lbr_lower *lo, lbr_symbol *s, const lbr_node *node); /* a function of the user */
/* "there is no name 'x'", with the nearest one; role 0: of a value, 1: of a function, 2: of something to set. */
void *lbr_name_unknown(lbr_lower *lo, const char *name, lbr_place place, int role);
/* A name is bound, inside what has been bound before; 0: there is no memory. The last n are forgotten again; or all
 * that were bound since there were n of them (at.nlocals). */
int lbr_local_push(lbr_lower *lo, const char *name, const lbr_value *value, int is_index);
void lbr_local_pop(lbr_lower *lo, int n);
void lbr_local_pop_to(lbr_lower *lo, int n);
/* The indices of a family's left side, as loops or constants; how many elements. */
int lbr_family_shape(lbr_lower *lo, const lbr_target *target, lbr_shape *shape);

/* --- mentions.c: what an expression speaks of -------------------------------------------------------------------- */

/* Rates, which have a value along the flow; what only runs have: measures, functions of series, a.x. */
enum { LBR_MENTIONS_RATES = 1, LBR_MENTIONS_RUNS = 2 };
/* Of an expression in the file that is being read, with the names that are known so far. */
unsigned lbr_mentions(lbr_lower *lo, const lbr_node *node);
unsigned lbr_mentions_of(lbr_lower *lo, const lbr_item *item); /* the right side of a definition */
/* Whether a rate may stand here; whether what has a name may, for what it mentions (0 after an error). */
int lbr_rates_allowed(const lbr_lower *lo);
int lbr_mentions_fit(lbr_lower *lo, const lbr_symbol *s, lbr_place place);
/* Whether it can be derived: 0 after an error. */
int lbr_derivable(lbr_lower *lo, const lbr_node *node);
/* Whether a call of so many arguments is one of a series or a run. */
int lbr_function_of_runs(const char *name, int arguments);

/* --- value.c ----------------------------------------------------------------------------------------------------- */

const lbr_value *lbr_value_scalar(lbr_lower *lo, lbr_ref node);
const lbr_value *lbr_value_number(lbr_lower *lo, double x);
const lbr_value *lbr_value_view(lbr_lower *lo, int array, int64_t offset, const lbr_shape *shape);
const lbr_value *lbr_value_data(lbr_lower *lo, const double *data, const lbr_shape *shape);
const lbr_value *lbr_value_list(lbr_lower *lo, const lbr_value **item, int64_t n);
const lbr_value *lbr_value_new(lbr_lower *lo, const lbr_shape *shape, lbr_element *element);
lbr_value *lbr_value_open(lbr_lower *lo, const lbr_shape *shape, lbr_element *element);
const lbr_value *lbr_value_slice(lbr_lower *lo, const lbr_value *v, const lbr_ref *index, int n);
lbr_ref lbr_value_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index);
/* Element f (a node, from 0) of all elements by rows. */
lbr_ref lbr_value_flat(lbr_lower *lo, const lbr_value *v, lbr_ref f);
lbr_ref lbr_value_at(lbr_lower *lo, const lbr_value *v, int64_t k); /* the same for a constant */
int64_t lbr_shape_size(const lbr_shape *shape);
int lbr_shape_equal(const lbr_shape *a, const lbr_shape *b);
char *lbr_shape_text(lbr_lower *lo, const lbr_value *v); /* "a number", "[3]", "[3,3]", "a row [3]" */
/* An array of the program that holds all elements: views of a whole array are that array. */
int lbr_value_store(lbr_lower *lo, const lbr_value *v);
/* Entries that put all elements at array[offset ..]. */
void lbr_value_entries(lbr_lower *lo, const lbr_value *v, int array, int64_t offset, int add);
/* Sum over all elements f of a (times b, if b): dot, sq, trace and the like. */
lbr_ref lbr_value_dot(lbr_lower *lo, const lbr_value *a, const lbr_value *b);
/* All elements are constants: their values. */
int lbr_value_constants(lbr_lower *lo, const lbr_value *v, double *out);

/* --- arithmetic.c: operators ------------------------------------------------------------------------------------- */

const lbr_value *lbr_value_add(lbr_lower *lo, const lbr_value *a, const lbr_value *b, int minus, lbr_place place);
const lbr_value *lbr_value_mul(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place);
const lbr_value *lbr_value_div(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place);
const lbr_value *lbr_value_neg(lbr_lower *lo, const lbr_value *a);
const lbr_value *lbr_value_power(lbr_lower *lo, const lbr_value *a, const lbr_value *b, lbr_place place);
const lbr_value *lbr_value_transpose(lbr_lower *lo, const lbr_value *a, lbr_place place);
/* known_conditions.c: 1 where a condition is known, 0 where it is not, for want of numbers. */
lbr_ref lbr_condition_known(lbr_dag *dag, lbr_ref condition);
const lbr_value *lbr_value_choose(lbr_lower *lo, lbr_ref condition, const lbr_value *a, const lbr_value *b);
/* An operation of scalars, with a check: a constant result must be a number. -1 after an error. */
lbr_ref lbr_apply(lbr_lower *lo, lbr_op op, lbr_ref a, lbr_ref b, lbr_place place, const char *name);

/* --- functions.c, sums.c ----------------------------------------------------------------------------------------- */

/* Calls of the language's own functions; `known` is 0 if there is none of this name. */
const lbr_value *lbr_call_function(lbr_lower *lo, const lbr_node *node, int *known);
const lbr_value *lbr_call_sum(lbr_lower *lo, const lbr_node *node);
int lbr_function_exists(const char *name);
/* A quaternion's matrix, nine nodes by rows. */
void lbr_rotation_matrix(lbr_lower *lo, const lbr_ref *e, lbr_ref *x);
/* The names of all functions, one after the other; NULL after the last. */
const char *lbr_function_name(int i);

/* --- cost.c: evaluations before they are made -------------------------------------------------------------------- */

/* Of an array or (array < 0) a node: calls of the C library, and eight simple operations for one of these. NaN: no
 * memory. */
double lbr_cost(const lbr_dag *dag, int array, lbr_ref node);
/* Whether evaluating an array so often stays within the limit: for what is looked at while loading, and may be left. */
int lbr_affordable(lbr_dag *dag, int array, double times);
/* Counts against the limit of evaluations; 0 if it would be exceeded, then for all that follows. */
int lbr_spend(lbr_lower *lo, double cost);
/* Works out an array or (array < 0) a node now, and counts the evaluations as they are made. LBR_EUNFIT: the limit was
 * met; LBR_ENONFINITE: a matrix that cannot be solved with; others: the message says why. */
lbr_status lbr_evaluate(lbr_lower *lo, int array, lbr_ref node, double t, const double *const *input, double *out,
                        lbr_message *message);

/* A made array of constants is worked out here, once, and is a table from then on; what is wrong with it is said where
 * it is used. */
void lbr_settle(lbr_lower *lo, int array);

/* --- index_check.c ------------------------------------------------------------------------------------------------ */

/* An index must be an integer in 1..n; at once if it is constant, otherwise it becomes a duty. 0 after an error. */
int lbr_check_index(lbr_lower *lo, lbr_ref index, int64_t n, lbr_place place);
/* All duties, for every iteration. 0 after an error. */
int lbr_check_duties(lbr_lower *lo);
/* The values an index can have. */
void lbr_index_range(const lbr_dag *dag, lbr_ref index, double *from, double *to);
/* How often the body of a loop runs, counted; -1: that is not known before it runs. */
double lbr_loop_times(const lbr_dag *dag, int loop);
/* The values of an index, exactly: where that does not follow from the expression its values are looked at, one by one.
 */
void lbr_index_hull(lbr_lower *lo, lbr_ref index, double *from, double *to);
/* Whether one of them is in from .. to - 1. */
int lbr_index_meets(lbr_lower *lo, lbr_ref index, double from, double to);
/* Folds what depends on nothing but loops: runs it. */
lbr_ref lbr_fold(lbr_lower *lo, lbr_ref node, lbr_place place);
/* Visits array indices that an entry writes, in order; stops when visit gives 0. */
int lbr_each_index(lbr_lower *lo, int loop, lbr_ref index, int (*visit)(int64_t at, void *ctx), void *ctx);
/* A `visit` that marks each of n places. */
typedef struct lbr_marks {
    char *mark;
    int64_t n;
} lbr_marks;
int lbr_mark_index(int64_t at, void *marks);
#endif
