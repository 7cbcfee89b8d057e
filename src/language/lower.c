/* lower.c - expressions read: each kind of node of the text becomes a value. SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lbr_status lbr_lower_init(lbr_lower *lo, lbr_dag *dag, lbr_arena *arena)
{
    *lo = (lbr_lower){ .dag = dag, .arena = arena, .state = -1, .rate = -1 };
    lo->at.guard = lbr_dag_const(dag, 1);
    return dag->status;
}

void lbr_local_pop(lbr_lower *lo, int n) { lo->at.nlocals -= n; }
void lbr_local_pop_to(lbr_lower *lo, int n) { lo->at.nlocals = n; }

lbr_reading lbr_lower_enter(lbr_lower *lo, const lbr_line *line, unsigned where)
{
    lbr_reading before = lo->at;

    lo->at = (lbr_reading){ .file = line->file,
                            .folder = line->folder,
                            .order = line->order,
                            .floor = where & LBR_WHERE_AROUND ? before.floor : before.nlocals,
                            .where = where & ~(unsigned)LBR_WHERE_AROUND,
                            .nlocals = before.nlocals,
                            .guard = lbr_dag_const(lo->dag, 1) };
    if (line->order < LBR_AFTER_ALL) lo->last = line->order;
    return before;
}

lbr_status lbr_lower_leave(lbr_lower *lo, const lbr_reading *before)
{
    lbr_status status = lo->dag->status == LBR_ENOMEM ? LBR_ENOMEM : lo->at.failed ? LBR_EARG : LBR_OK;

    lo->at = *before;
    return status;
}

unsigned lbr_lower_allow(lbr_lower *lo, unsigned where)
{
    unsigned before = lo->at.where;

    lo->at.where = where;
    return before;
}

static void *fail(lbr_lower *lo, lbr_file *file, lbr_place place, const char *format, va_list ap)
{
    char text[LBR_MESSAGE];

    if (lo->at.failed) return NULL;
    lo->at.failed = 1;
    if (lo->quiet) return NULL;
    vsnprintf(text, sizeof text, format, ap);
    lbr_file_error(file, place, "%s", text);
    return NULL;
}

void *lbr_lower_fail(lbr_lower *lo, lbr_place place, const char *format, ...)
{
    va_list ap;

    va_start(ap, format), fail(lo, lo->at.file, place, format, ap), va_end(ap);
    return NULL;
}

void *lbr_lower_fail_in(lbr_lower *lo, lbr_file *file, lbr_place place, const char *format, ...)
{
    va_list ap;

    va_start(ap, format), fail(lo, file, place, format, ap), va_end(ap);
    return NULL;
}

void *lbr_lower_no_memory(lbr_lower *lo)
{
    lo->at.failed = 1, lo->dag->status = LBR_ENOMEM;
    return NULL;
}

void *lbr_lower_refused(lbr_lower *lo, lbr_place place, const lbr_message *why)
{
    return why->status == LBR_ENOMEM ? lbr_lower_no_memory(lo) : lbr_lower_fail(lo, place, "%s", why->text);
}

/* The graph has met a limit, or there is no memory. */
void *lbr_lower_broken(lbr_lower *lo, lbr_place place)
{
    lbr_message why = lo->dag->message;

    why.status = lo->dag->status;
    return lbr_lower_refused(lo, place, &why);
}

/* --- names and indices ------------------------------------------------------------------------------------------- */

static const lbr_value *name_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v;
    lbr_symbol *s;

    for (int i = lo->at.nlocals - 1; i >= lo->at.floor; i--)
        if (!strcmp(lo->local[i].name, node->text)) return lo->local[i].value;
    if (lo->at.dialect && lo->at.dialect->name(lo, node, &v, lo->at.dialect->ctx)) return v;
    if (!strcmp(node->text, "pi")) return lbr_value_number(lo, 3.14159265358979323846);
    if (!strcmp(node->text, "t")) {
        if (lo->at.where & LBR_WHERE_CONSTANT)
            return lbr_lower_fail_in(lo, lo->user.line ? lo->user_file : lo->at.file,
                                     lo->user.line ? lo->user : node->place,
                                     "the time t has no value here: only constants and parameters do");
        return lbr_value_scalar(lo, lbr_dag_time(lo->dag));
    }
    s = lbr_symbol_find(lo, node->text);
    if (s && lbr_symbol_before(lo, s, node->place))
        return lbr_mentions_fit(lo, s, node->place) ? lbr_symbol_value(lo, s, node->place) : NULL;
    if (s)
        return lbr_lower_fail(lo, node->place, "'%.60s' is used before it is declared (line %d)", node->text,
                              s->place.line);
    if (lbr_function_exists(node->text))
        return lbr_lower_fail(lo, node->place, "'%.60s' is a function: write %.60s(...)", node->text, node->text);
    return lbr_name_unknown(lo, node->text, node->place, 0);
}

/* A quantity is called. It may hide a function of the language. */
static void *no_function(lbr_lower *lo, const lbr_symbol *s, const lbr_node *node)
{
    static const char *const what[] = { [LBR_SYM_PARAM] = "parameter",
                                        [LBR_SYM_LET] = "abbreviation",
                                        [LBR_SYM_FUNCTION] = "function",
                                        [LBR_SYM_VARIABLE] = "variable",
                                        [LBR_SYM_PART] = "part",
                                        [LBR_SYM_H] = "Hamiltonian",
                                        [LBR_SYM_CONSTRAINT] = "constraint",
                                        [LBR_SYM_INVARIANT] = "invariant",
                                        [LBR_SYM_OBSERVED] = "observed quantity",
                                        [LBR_SYM_MEASURE] = "measure" };

    if (!lbr_function_exists(node->text) && !lbr_function_of_runs(node->text, node->n))
        return lbr_lower_fail(lo, node->place, "'%.60s' is not a function", node->text);
    return lbr_lower_fail(
        lo, node->place,
        "'%.60s' is not a function here: the %s of that name, declared at line %d%s%s, hides it; give "
        "that another name",
        node->text, what[s->kind], s->place.line, s->file && s->file != lo->at.file ? " of " : "",
        s->file && s->file != lo->at.file ? s->file->name : "");
}

static const lbr_value *call_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v;
    lbr_symbol *s = lbr_symbol_find(lo, node->text);
    int known;

    if (node->n && node->arg[0]->kind == LBR_NODE_BINDER) return lbr_call_sum(lo, node);
    if (s && lbr_symbol_before(lo, s, node->place)) {
        if (s->kind == LBR_SYM_FUNCTION)
            return lbr_mentions_fit(lo, s, node->place) ? lbr_symbol_call(lo, s, node) : NULL;
        return s->faulty ? (lo->at.failed = 1, NULL) : no_function(lo, s, node);
    }
    if (lo->at.dialect && lo->at.dialect->call(lo, node, &v, lo->at.dialect->ctx)) return v;
    v = lbr_call_function(lo, node, &known);
    if (known) return v;
    if (s)
        return lbr_lower_fail(lo, node->place, "'%.60s' is used before it is declared (line %d)", node->text,
                              s->place.line);
    return lbr_name_unknown(lo, node->text, node->place, 1);
}

/* An index, checked. Under a condition it may leave its range where the condition fails: what is read there and thrown
 * away must be an element of this array too, not of its neighbour in the state, on which nothing depends. -1 after an
 * error. */
static lbr_ref checked_index(lbr_lower *lo, const lbr_node *node, int64_t n)
{
    lbr_dag *d = lo->dag;
    lbr_ref index = lbr_lower_scalar(lo, node);
    double from, to;

    if (index < 0 || !lbr_check_index(lo, index, n, node->first)) return -1;
    if (lbr_dag_is_const(d, lo->at.guard, &from)) return index;
    lbr_index_range(d, index, &from, &to);
    if (from < 1) index = lbr_dag_op(d, LBR_OP_MAX, index, lbr_dag_const(d, 1), 0);
    if (to > (double)n) index = lbr_dag_op(d, LBR_OP_MIN, index, lbr_dag_const(d, (double)n), 0);
    return index;
}

static const lbr_value *index_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = lbr_lower_value(lo, node->arg[0]);
    lbr_ref index[LBR_RANK];
    int n = node->n - 1;

    if (!v) return NULL;
    if (n > v->shape.rank)
        return lbr_lower_fail(lo, node->arg[1]->first,
                              v->shape.rank ? "too many indices for %s" : "%s has no components",
                              lbr_shape_text(lo, v));
    if (v->row)
        return lbr_lower_fail(lo, node->arg[1]->first,
                              "a row is added, scaled, multiplied and transposed, not indexed");
    for (int k = 0; k < n; k++) {
        index[k] = checked_index(lo, node->arg[k + 1], v->shape.n[k]);
        if (index[k] < 0) return NULL;
    }
    return lbr_value_slice(lo, v, index, n);
}

/* The variable that a name stands for, where only a variable will do; NULL, without an error, if it is none. */
const lbr_variable *lbr_lower_variable(lbr_lower *lo, const lbr_node *name)
{
    const lbr_symbol *s = name->kind == LBR_NODE_NAME ? lbr_symbol_find(lo, name->text) : NULL;

    for (int i = lo->at.nlocals - 1; i >= lo->at.floor && s; i--)
        if (!strcmp(lo->local[i].name, name->text)) s = NULL;
    if (!s || s->kind != LBR_SYM_VARIABLE || s->order > lo->at.order) return NULL;
    if (s->faulty || !lo->variable) return lo->at.failed = s->faulty, NULL;
    return lo->variable + s->variable;
}

/* q' or q[i,j]': the same components of the velocities. */
static const lbr_value *prime_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_node *at = node->arg[0], *name = at->kind == LBR_NODE_INDEX ? at->arg[0] : at;
    const lbr_variable *x = lbr_lower_variable(lo, name);
    const lbr_value *v;
    lbr_ref index[LBR_RANK];

    if (!lbr_rates_allowed(lo))
        return lbr_lower_fail(lo, node->place,
                              "a derivative (') stands only in L, rayleigh, sections, observe, measures, plots and "
                              "tables, in abbreviations for these, and on left sides");
    if (!x) return lbr_lower_fail(lo, node->place, "only a variable of the state, or components of it, can have a '");
    if (lo->at.where & LBR_WHERE_VELOCITY && x->kind != LBR_VAR_POSITION)
        return lbr_lower_fail(lo, node->place, "velocities are of positions, and '%.60s' is none", x->name);
    if (x->kind == LBR_VAR_ATTITUDE)
        return lbr_lower_fail(lo, node->place, "the rate of an attitude comes with a later version");
    v = lbr_value_view(lo, lo->rate, x->offset, &x->shape);
    if (!v || at == name) return v;
    if (at->n - 1 > v->shape.rank)
        return lbr_lower_fail(lo, at->arg[1]->first, "too many indices for %s", lbr_shape_text(lo, v));
    for (int k = 0; k < at->n - 1; k++) {
        index[k] = checked_index(lo, at->arg[k + 1], v->shape.n[k]);
        if (index[k] < 0) return NULL;
    }
    return lbr_value_slice(lo, v, index, at->n - 1);
}

static const lbr_value *list_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value **item = lbr_arena_alloc(lo->arena, node->n, sizeof *item);

    if (!item) return lbr_lower_no_memory(lo);
    for (int k = 0; k < node->n; k++) {
        if (!(item[k] = lbr_lower_value(lo, node->arg[k]))) return NULL;
        if (item[k]->row) return lbr_lower_fail(lo, node->arg[k]->first, "a row cannot be an element of a list");
        if (!lbr_shape_equal(&item[k]->shape, &item[0]->shape))
            return lbr_lower_fail(lo, node->arg[k]->first,
                                  "the elements of a list must have equal shapes: this one is %s, the first one %s",
                                  lbr_shape_text(lo, item[k]), lbr_shape_text(lo, item[0]));
    }
    if (item[0]->shape.rank == LBR_RANK) return lbr_lower_fail(lo, node->place, "at most %d indices", LBR_RANK);
    return lbr_value_list(lo, item, node->n);
}

/* --- operators --------------------------------------------------------------------------------------------------- */

static const lbr_value *chain_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = lbr_lower_value(lo, node->arg[0]);

    for (int k = 1; k < node->n && v; k++) {
        const lbr_value *w = lbr_lower_value(lo, node->arg[k]);
        char op = node->text[k - 1];

        if (!w) return NULL;
        if (op == '+' || op == '-') v = lbr_value_add(lo, v, w, op == '-', node->at[k - 1]);
        else v = op == '*' ? lbr_value_mul(lo, v, w, node->at[k - 1]) : lbr_value_div(lo, v, w, node->at[k - 1]);
    }
    return v;
}

static lbr_ref comparison(lbr_lower *lo, char op, lbr_ref a, lbr_ref b)
{
    lbr_dag *d = lo->dag;

    switch (op) {
    case '=': return lbr_dag_op(d, LBR_OP_EQ, a, b, 0);
    case '!': return lbr_dag_op(d, LBR_OP_NOT, lbr_dag_op(d, LBR_OP_EQ, a, b, 0), 0, 0);
    case '<': return lbr_dag_op(d, LBR_OP_LT, a, b, 0);
    case 'l': return lbr_dag_op(d, LBR_OP_LE, a, b, 0);
    case '>': return lbr_dag_op(d, LBR_OP_LT, b, a, 0);
    default: return lbr_dag_op(d, LBR_OP_LE, b, a, 0);
    }
}

static const lbr_value *truth(lbr_lower *lo, lbr_ref node)
{
    lbr_value *v = (lbr_value *)lbr_value_scalar(lo, node);

    if (v) v->condition = 1;
    return v;
}

static const lbr_value *compare_value(lbr_lower *lo, const lbr_node *node)
{
    lbr_ref all = lbr_dag_const(lo->dag, 1), a = lbr_lower_scalar(lo, node->arg[0]);

    for (int k = 1; k < node->n && a >= 0; k++) {
        lbr_ref b = lbr_lower_scalar(lo, node->arg[k]);

        if (b < 0) return NULL;
        all = lbr_dag_op(lo->dag, LBR_OP_AND, all, comparison(lo, node->text[k - 1], a, b), 0);
        a = b;
    }
    return a < 0 ? NULL : truth(lo, all);
}

static const lbr_value *logic_value(lbr_lower *lo, const lbr_node *node)
{
    lbr_ref all = lbr_lower_condition(lo, node->arg[0]);

    if (all >= 0 && node->kind == LBR_NODE_NOT) all = lbr_dag_op(lo->dag, LBR_OP_NOT, all, 0, 0);
    for (int k = 1; k < node->n && all >= 0; k++) {
        lbr_ref next = lbr_lower_condition(lo, node->arg[k]);

        all = next < 0 ? -1 : lbr_dag_op(lo->dag, node->kind == LBR_NODE_AND ? LBR_OP_AND : LBR_OP_OR, all, next, 0);
    }
    return all < 0 ? NULL : truth(lo, all);
}

static const lbr_value *negate_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = lbr_lower_value(lo, node->arg[0]);

    return v ? lbr_value_neg(lo, v) : NULL;
}

static const lbr_value *power_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *a = lbr_lower_value(lo, node->arg[0]), *b = a ? lbr_lower_value(lo, node->arg[1]) : NULL;

    return b ? lbr_value_power(lo, a, b, node->place) : NULL;
}

static const lbr_value *transpose_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = lbr_lower_value(lo, node->arg[0]);

    return v ? lbr_value_transpose(lo, v, node->place) : NULL;
}

static const lbr_value *number_value(lbr_lower *lo, const lbr_node *node) { return lbr_value_number(lo, node->number); }

static const lbr_value *string_value(lbr_lower *lo, const lbr_node *node)
{
    return lbr_lower_fail(lo, node->place, "a text is not a value");
}

static const lbr_value *member_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v;

    if (lo->at.dialect && lo->at.dialect->member(lo, node, &v, lo->at.dialect->ctx)) return v;
    return lbr_lower_fail(lo, node->place,
                          "'.%.60s' is a quantity of a run, and runs are seen only in measures, plots and claims",
                          node->text);
}

static const lbr_value *binder_value(lbr_lower *lo, const lbr_node *node)
{
    return lbr_lower_fail(lo, node->place, "a range stands only in sum, prod, max, min and on left sides");
}

/* --- all together ------------------------------------------------------------------------------------------------ */

static const lbr_value *any_value(lbr_lower *lo, const lbr_node *node)
{
    static const lbr_value *(*const reader[])(lbr_lower *, const lbr_node *) = {
        [LBR_NODE_NUMBER] = number_value, [LBR_NODE_STRING] = string_value,       [LBR_NODE_NAME] = name_value,
        [LBR_NODE_CALL] = call_value,     [LBR_NODE_INDEX] = index_value,         [LBR_NODE_MEMBER] = member_value,
        [LBR_NODE_PRIME] = prime_value,   [LBR_NODE_TRANSPOSE] = transpose_value, [LBR_NODE_NEGATE] = negate_value,
        [LBR_NODE_POWER] = power_value,   [LBR_NODE_CHAIN] = chain_value,         [LBR_NODE_COMPARE] = compare_value,
        [LBR_NODE_NOT] = logic_value,     [LBR_NODE_AND] = logic_value,           [LBR_NODE_OR] = logic_value,
        [LBR_NODE_LIST] = list_value,     [LBR_NODE_BINDER] = binder_value,
    };
    const lbr_value *v;

    if (lo->at.failed) return NULL;
    if (++lo->steps > LBR_MOST_STEPS)
        return lbr_lower_fail(
            lo, node->first,
            "this text takes too long to read: the limit is %d expressions, counted as often as they are used",
            LBR_MOST_STEPS);
    v = reader[node->kind](lo, node);
    if (lo->dag->status && !lo->at.failed) lbr_lower_broken(lo, node->first);
    return lo->at.failed ? NULL : v;
}

const lbr_value *lbr_lower_value(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = any_value(lo, node);

    if (v && v->condition)
        return lbr_lower_fail(lo, node->first,
                              "a condition is not a value: it stands only in if, count, when, claim and section");
    return v;
}

lbr_ref lbr_lower_scalar(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = lbr_lower_value(lo, node);

    if (!v) return -1;
    if (v->shape.rank)
        return lbr_lower_fail(lo, node->first, "expected a number here, not %s: the shapes do not fit",
                              lbr_shape_text(lo, v)),
               -1;
    return v->node;
}

lbr_ref lbr_lower_condition(lbr_lower *lo, const lbr_node *node)
{
    const lbr_value *v = any_value(lo, node);

    if (!v) return -1;
    if (!v->condition) return lbr_lower_fail(lo, node->first, "expected a condition here, such as x < 1"), -1;
    return v->node;
}

int lbr_lower_constant(lbr_lower *lo, const lbr_node *node, double *value)
{
    lbr_ref x = lbr_lower_scalar(lo, node);

    x = x < 0 ? -1 : lbr_fold(lo, x, node->first);
    if (x < 0) return 0;
    if (!lbr_dag_is_const(lo->dag, x, value))
        return lbr_lower_fail(lo, node->first, "this must be a constant: numbers and parameters only"), 0;
    return 1;
}

int lbr_lower_integer(lbr_lower *lo, const lbr_node *node, const char *what, int64_t from, int64_t to, int64_t *value)
{
    double x;

    if (!lbr_lower_constant(lo, node, &x)) return 0;
    if (x != rint(x)) return lbr_lower_fail(lo, node->first, "%s must be an integer, not %.17g", what, x), 0;
    if (x < (double)from || x > (double)to)
        return lbr_lower_fail(lo, node->first, "%s must be in the range %lld..%lld, not %.17g", what, (long long)from,
                              (long long)to, x),
               0;
    *value = (int64_t)x;
    return 1;
}
