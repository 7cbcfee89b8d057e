/* dag.h - expressions as a graph of scalars. SPDX-License-Identifier: BSD-3-Clause
 *
 * A node is one scalar operation on earlier nodes; equal nodes are one node, so that what is common is computed once.
 * Sums over many terms stay loops: a loop has an index, which is a node, and bounds; a node that depends on the index
 * belongs to the loop (its scope), and lbr_dag_reduce sums it away. Loops form a tree: the parent of a loop is the one
 * it stands in, and the operands of a node stand in loops that contain each other. Loop 0 is no loop: the top.
 *
 * Arrays are the inputs (the state, a direction, ...), constant data, or made by the program itself: zero, then entries
 * in order, each for all iterations of its loop (and of the loops around it). An array is complete before it is read:
 * whatever loads from it is a later node. Derivatives (derive.h) are new nodes and new arrays of the same graph.
 *
 * The constructors simplify: constants are folded (by the functions of op.h, which the interpreter uses too), 0 and 1
 * vanish, products that are added become fma. What they do is part of the definition of a model's bits: interpreter and
 * compiled code evaluate the same graph. Once memory or the limit of nodes is gone every constructor returns node 0
 * (loop 0, array -1) and dag->status says so. */
#ifndef LBR_GRAPH_DAG_H
#define LBR_GRAPH_DAG_H
#include "core/mem.h"
#include "core/text.h"

typedef int32_t lbr_ref; /* a node; 0 is the constant 0 */
#ifndef LBR_MOST_NODES
    #define LBR_MOST_NODES 2000000
#endif
enum { LBR_MOST_LOOPS = 100000 };

/* X(name, operands, what C and people call it) */
/* clang-format off */
#define LBR_OP_LIST(X)                                                                                                 \
    X(CONST, 0, "constant") X(TIME, 0, "t") X(INDEX, 0, "index")                                                       \
    X(LOAD, 1, "load") /* element a of array k; a is a node with an integer value, 0-based */                          \
    X(NEG, 1, "-") X(ABS, 1, "fabs") X(SQRT, 1, "sqrt") X(CBRT, 1, "cbrt") X(EXP, 1, "exp") X(LOG, 1, "log")           \
    X(SIN, 1, "sin") X(COS, 1, "cos") X(TAN, 1, "tan") X(ASIN, 1, "asin") X(ACOS, 1, "acos") X(ATAN, 1, "atan")        \
    X(SINH, 1, "sinh") X(COSH, 1, "cosh") X(TANH, 1, "tanh") X(ASINH, 1, "asinh") X(ACOSH, 1, "acosh")                 \
    X(ATANH, 1, "atanh") X(ERF, 1, "erf") X(FLOOR, 1, "floor") X(SIGN, 1, "sign") X(NOT, 1, "not")                     \
    X(ADD, 2, "+") X(SUB, 2, "-") X(MUL, 2, "*") X(DIV, 2, "/") X(POW, 2, "pow") X(ATAN2, 2, "atan2")                  \
    X(HYPOT, 2, "hypot") X(MIN, 2, "min") X(MAX, 2, "max") X(MOD, 2, "mod") /* mod: in [0, b) */                       \
    X(LT, 2, "<") X(LE, 2, "<=") X(EQ, 2, "=") X(AND, 2, "and") X(OR, 2, "or") /* conditions: 1 or 0 */                \
    X(FMA, 3, "fma") X(SELECT, 3, "select") /* a*b + c;  a ? b : c, both evaluated */                                  \
    X(SUM, 1, "sum") X(PROD, 1, "prod") X(LARGEST, 1, "max") X(SMALLEST, 1, "min")      /* of a over loop k */
#define LBR_OP_ENUM(name, n, text) LBR_OP_##name,
/* clang-format on */
typedef enum { LBR_OP_LIST(LBR_OP_ENUM) LBR_OPS } lbr_op;

/* What a node depends on, a set of bits; inputs bring their own. */
enum {
    LBR_DEP_TIME = 1,
    LBR_DEP_INPUT = 2
}; /* LBR_DEP_INPUT << i: input array i, i < 30 (later ones share the last bit) */

typedef struct lbr_dag_node {
    uint8_t op;
    int32_t a, b, c; /* operands */
    int32_t k;       /* the array of LOAD, the loop of INDEX and of SUM and kin */
    int32_t scope;   /* the innermost loop it depends on; 0: none */
    uint32_t deps;
    double value; /* of CONST */
} lbr_dag_node;

typedef struct lbr_loop {
    int32_t parent, level; /* level 0: the top */
    lbr_ref lo, hi, index; /* runs lo, lo + 1 .. hi (both integers); empty if hi < lo */
} lbr_loop;

/* For all iterations of the loop and of those around it: array[index] = value, or += value. */
typedef struct lbr_entry {
    int32_t loop;
    lbr_ref index, value;
    int add;
} lbr_entry;

typedef enum {
    LBR_ARRAY_INPUT, /* given with each call */
    LBR_ARRAY_DATA,  /* constants */
    LBR_ARRAY_MADE,  /* zero, then the entries */
    LBR_ARRAY_SOLVE, /* x of A x = b (or A^T x = b): arrays a = A [rows,rows], b [rows,cols], all by rows */
    LBR_ARRAY_DET,   /* one element: the determinant of a [rows,rows] */
    LBR_ARRAY_EIGEN  /* rows elements: the eigenvalues of symmetric a, ascending */
} lbr_array_kind;

typedef struct lbr_array {
    lbr_array_kind kind;
    int64_t size;
    const double *data;
    int zeros; /* of DATA; 1: nothing but zeros, 2: not, 0: not yet looked at */
    lbr_entry *entry;
    int nentries, most;
    int a, b;
    int64_t rows, cols;
    int transposed;
    int input; /* of INPUT: its number */
    uint32_t deps;
    lbr_ref born;     /* nodes from this one on may load from it; 0: still open */
    int flat;         /* made, and every entry stands in no loop at a constant index: loads give the nodes themselves */
    lbr_ref *element; /* these nodes, once it is closed and if it is flat */
} lbr_array;

typedef struct lbr_dag {
    lbr_arena *arena; /* data of arrays, entries */
    lbr_dag_node *node;
    int32_t n, most;
    int32_t *table;
    int32_t table_size; /* hash table of nodes */
    lbr_loop *loop;
    int32_t nloops, most_loops;
    int32_t *loop_table;
    int32_t loop_table_size;
    lbr_array *array;
    int32_t narrays, most_arrays;
    int ninputs;
    int32_t limit; /* of nodes */
    int ieee;      /* what depends on inputs may be infinite or no number: 0*x and x - x are kept (dag_fold.c) */
    int unrounded; /* constants are worked out only where nothing is rounded: for more digits than doubles have */
    lbr_status status;
    lbr_message message;
} lbr_dag;

lbr_status lbr_dag_init(lbr_dag *dag, lbr_arena *arena);
void lbr_dag_free(lbr_dag *dag);

/* --- nodes ------------------------------------------------------------------------------------------------------- */

lbr_ref lbr_dag_const(lbr_dag *dag, double value);
lbr_ref lbr_dag_time(lbr_dag *dag);
lbr_ref lbr_dag_load(lbr_dag *dag, int array, lbr_ref index);
/* Any operation of one, two or three operands, simplified. */
lbr_ref lbr_dag_op(lbr_dag *dag, lbr_op op, lbr_ref a, lbr_ref b, lbr_ref c);
/* Shorthands. add and sub fuse a product that is added; power makes products, binary from the left, for |n| <= 16, else
 * pow. */
lbr_ref lbr_dag_add(lbr_dag *dag, lbr_ref a, lbr_ref b);
lbr_ref lbr_dag_sub(lbr_dag *dag, lbr_ref a, lbr_ref b);
lbr_ref lbr_dag_mul(lbr_dag *dag, lbr_ref a, lbr_ref b);
lbr_ref lbr_dag_div(lbr_dag *dag, lbr_ref a, lbr_ref b);
lbr_ref lbr_dag_neg(lbr_dag *dag, lbr_ref a);
lbr_ref lbr_dag_power(lbr_dag *dag, lbr_ref a, int n);
/* Is it a constant? Then its value. */
int lbr_dag_is_const(const lbr_dag *dag, lbr_ref a, double *value);
/* How many operands a, b, c an operation has. */
extern const uint8_t lbr_op_operands[LBR_OPS];

/* The sum of n terms in the order of the language: up to 8 from the left, more in 8 partial sums (term k goes to k mod
 * 8), added as ((0+4)+(2+6))+((1+5)+(3+7)); products are fused with it. 0 terms: 0. */
lbr_ref lbr_dag_sum(lbr_dag *dag, const lbr_ref *term, int64_t n);

/* --- loops ------------------------------------------------------------------------------------------------------- */

/* The loop lo..hi inside parent; equal ones are one. Its index is dag->loop[...].index. */
int lbr_dag_loop(lbr_dag *dag, int parent, lbr_ref lo, lbr_ref hi);
/* SUM, PROD, LARGEST or SMALLEST of body over the loop. The result belongs to the loop's parent (never further out). */
lbr_ref lbr_dag_reduce(lbr_dag *dag, lbr_op op, int loop, lbr_ref body);
/* Whether loop `inner` is `outer` or stands in it. */
int lbr_dag_within(const lbr_dag *dag, int inner, int outer);

/* --- arrays ------------------------------------------------------------------------------------------------------ */

int lbr_dag_input(lbr_dag *dag, int64_t size);
int lbr_dag_data(lbr_dag *dag, const double *data, int64_t size); /* data is borrowed */
int lbr_dag_array(lbr_dag *dag, int64_t size);                    /* made: open for entries ... */
void lbr_dag_entry(lbr_dag *dag, int array, lbr_entry entry);
void lbr_dag_close(lbr_dag *dag, int array);                     /* ... until here; then it can be read */
void lbr_dag_known(lbr_dag *dag, int array, const double *data); /* its elements are these: now it is data */
int lbr_dag_solve(lbr_dag *dag, int a, int b, int64_t rows, int64_t cols, int transposed);
int lbr_dag_det(lbr_dag *dag, int a, int64_t rows);
int lbr_dag_eigen(lbr_dag *dag, int a, int64_t rows);
/* A node all of whose loads from array `from` become loads from array `to` (of the same size), also inside made arrays.
 */
lbr_ref lbr_dag_replace(lbr_dag *dag, lbr_ref node, int from, int to);
#endif
