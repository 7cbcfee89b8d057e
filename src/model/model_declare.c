/* model_declare.c - parameters, abbreviations and variables. SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"

#include <string.h>

/* --- constants --------------------------------------------------------------------------------------------------- */

static int too_long(lbr_model *m, lbr_place place)
{
    lbr_lower_fail(
        &m->lo, place,
        "the constants of this text take too long: the limit is %d evaluations" LBR_RAISED(LBR_MOST_EVALUATIONS),
        LBR_MOST_EVALUATIONS);
    return 0;
}

static int kept(lbr_model *m, const lbr_value *v, lbr_place place, lbr_shape *shape, double **data)
{
    *shape = v->shape;
    if (m->lo.evaluations > LBR_MOST_EVALUATIONS) return too_long(m, place);
    *data = lbr_arena_alloc(&m->arena, lbr_shape_size(shape), sizeof **data);
    if (!*data) {
        lbr_lower_no_memory(&m->lo);
        return 0;
    }
    if (v->row) return lbr_lower_fail(&m->lo, place, "a row cannot be kept; take its transpose"), 0;
    if (lbr_value_constants(&m->lo, v, *data)) return 1;
    if (m->lo.evaluations > LBR_MOST_EVALUATIONS) return too_long(m, place);
    lbr_lower_fail(&m->lo, place, "this must be a constant: numbers and parameters only");
    return 0;
}

int lbr_model_constants(lbr_model *m, const lbr_node *node, lbr_shape *shape, double **data)
{
    unsigned before = lbr_lower_allow(&m->lo, m->lo.at.where | LBR_WHERE_CONSTANT);
    const lbr_value *v = lbr_lower_value(&m->lo, node);

    lbr_lower_allow(&m->lo, before);
    return v && kept(m, v, node->first, shape, data);
}

static const lbr_change *change_of(const lbr_model *m, const char *name)
{
    for (int k = m->nchanges - 1; k >= 0; k--)
        if (!strcmp(m->change[k].name, name)) return m->change + k;
    return NULL;
}

static void declare_param(lbr_model *m, const lbr_item *item)
{
    lbr_symbol *s = lbr_symbol_add(&m->lo, item->target.name, LBR_SYM_PARAM, item->target.place);
    const lbr_change *c;
    const lbr_value *v;
    lbr_shape shape;
    double *data;
    unsigned before;
    int number;

    if (!s) return;
    number = (int)(s - m->lo.symbol);
    s->item = item, s->text = item->value;
    if ((c = change_of(m, s->name))) {
        s->value = lbr_value_data(&m->lo, c->data, &c->shape);
        return;
    }
    before = lbr_lower_allow(&m->lo, LBR_WHERE_CONSTANT);
    v = lbr_symbol_value(&m->lo, s, item->target.place);
    if (v && kept(m, v, item->value->first, &shape, &data))
        m->lo.symbol[number].value = lbr_value_data(&m->lo, data, &shape);
    else m->lo.symbol[number].faulty = 1;
    lbr_lower_allow(&m->lo, before);
}

/* --- abbreviations: looked at when they are used ----------------------------------------------------------------- */

/* The names in a function's text must be known where it is defined. */
static int names_known(lbr_model *m, const lbr_item *f, const lbr_node *node)
{
    lbr_lower *lo = &m->lo;
    int pushed = 0, good = 1;

    if (node->kind == LBR_NODE_NAME || node->kind == LBR_NODE_CALL) {
        const lbr_symbol *s = lbr_symbol_find(lo, node->text);
        int local = !strcmp(node->text, "pi") || !strcmp(node->text, "t") ||
                    (node->kind == LBR_NODE_CALL && lbr_function_exists(node->text));

        for (int k = lo->at.nlocals - 1; k >= lo->at.floor && !local; k--)
            local = !strcmp(lo->local[k].name, node->text);
        if (node->kind == LBR_NODE_CALL && !strcmp(node->text, f->target.name))
            return lbr_lower_fail(lo, node->place, "recursion: '%.60s' calls itself", node->text), 0;
        if (!s && !local) return lbr_name_unknown(lo, node->text, node->place, node->kind == LBR_NODE_CALL), 0;
    }
    for (int k = 0; k < node->n && good; k++) {
        good = names_known(m, f, node->arg[k]);
        if (node->arg[k]->kind == LBR_NODE_BINDER)
            pushed += lbr_local_push(lo, node->arg[k]->text, lbr_value_number(lo, 1), 1);
    }
    lbr_local_pop(lo, pushed);
    return good;
}

static void declare_let(lbr_model *m, const lbr_item *item)
{
    lbr_symbol *s = lbr_symbol_add(&m->lo, item->target.name, item->nparams ? LBR_SYM_FUNCTION : LBR_SYM_LET,
                                   item->target.place);
    int number, nlocals = m->lo.at.nlocals;

    if (!s) return;
    number = (int)(s - m->lo.symbol);
    s->item = item, s->text = item->value, s->mentions = lbr_mentions_of(&m->lo, item);
    if (!item->nparams) return;
    if (s->mentions & LBR_MENTIONS_RUNS) {
        lbr_lower_fail(&m->lo, item->value->first,
                       "a function is of numbers and arrays: what is measured over runs has no place in it");
        s->faulty = 1;
        return;
    }
    for (int k = 0; k < item->nparams; k++) {
        for (int j = 0; j < k; j++)
            if (!strcmp(item->param[j], item->param[k]))
                lbr_lower_fail(&m->lo, item->param_place[k], "'%.60s' is an argument already", item->param[k]);
        lbr_local_push(&m->lo, item->param[k], lbr_value_number(&m->lo, 1), 0);
    }
    if (!names_known(m, item, item->value)) m->lo.symbol[number].faulty = 1;
    lbr_local_pop_to(&m->lo, nlocals);
}

/* --- variables --------------------------------------------------------------------------------------------------- */

static int shape_of(lbr_model *m, const lbr_target *target, lbr_shape *shape)
{
    double size = 1;

    *shape = (lbr_shape){ 0 };
    if (target->n > LBR_RANK - 2) return lbr_lower_fail(&m->lo, target->place, "at most %d indices", LBR_RANK - 2), 0;
    for (int k = 0; k < target->n; k++) {
        if (target->index[k]->kind == LBR_NODE_BINDER)
            return lbr_lower_fail(&m->lo, target->index[k]->first, "expected a size here, not a range"), 0;
        if (!lbr_lower_integer(&m->lo, target->index[k], "a size", 1, LBR_MOST_COMPONENTS, shape->n + k)) return 0;
        if ((size *= (double)shape->n[k]) > LBR_MOST_COMPONENTS)
            return lbr_lower_fail(&m->lo, target->place,
                                  "'%.60s' is too large: the limit is %d components" LBR_RAISED(LBR_MOST_COMPONENTS),
                                  target->name, LBR_MOST_COMPONENTS),
                   0;
    }
    shape->rank = target->n;
    return 1;
}

/* Adds a variable; its number, or -1. */
static int declare_variable(lbr_model *m, const lbr_target *target, lbr_variable_kind kind)
{
    lbr_variable x = { .name = target->name,
                       .kind = kind,
                       .pair = -1,
                       .file = m->lo.at.file,
                       .place = target->place,
                       .order = m->lo.at.order };
    lbr_symbol *s;

    if (!shape_of(m, target, &x.shape)) {
        s = lbr_symbol_add(&m->lo, target->name, LBR_SYM_VARIABLE, target->place);
        if (s) s->faulty = 1;
        return -1;
    }
    s = lbr_symbol_add(&m->lo, target->name, LBR_SYM_VARIABLE, target->place);
    if (!s) return -1;
    if (!LBR_ROOM(&m->arena, m->variable, m->nvariables, m->most_variables, 1)) {
        lbr_lower_no_memory(&m->lo);
        return -1;
    }
    s->variable = m->nvariables;
    m->variable[m->nvariables] = x;
    return m->nvariables++;
}

static void declare_pair(lbr_model *m, const lbr_statement *st, int k)
{
    int rotation = st->kind == LBR_ST_ROTATION, a, b;
    const lbr_target *second = &st->item[k + 1].target;

    a = declare_variable(m, &st->item[k].target, rotation ? LBR_VAR_ATTITUDE : LBR_VAR_POSITION);
    b = declare_variable(m, second, rotation ? LBR_VAR_ANGULAR : LBR_VAR_MOMENTUM);
    if (a < 0 || b < 0) return;
    m->variable[a].pair = b, m->variable[b].pair = a;
    if (!lbr_shape_equal(&m->variable[a].shape, &m->variable[b].shape)) {
        lbr_lower_fail(&m->lo, second->place, "a pair must have equal shapes: '%.40s' and '%.40s' differ",
                       m->variable[a].name, m->variable[b].name);
        return;
    }
    if (rotation && m->variable[a].shape.rank > 1)
        lbr_lower_fail(&m->lo, st->item[k].target.place, "rotation Q, y or rotation Q[n], y[n]: at most one index");
}

/* Of canonical x, y, px, py nobody wants the pairs that it is: x with y, px with py. */
static void check_position(lbr_model *m, const lbr_target *t)
{
    const lbr_symbol *s = *t->name == 'p' && t->name[1] ? lbr_symbol_find(&m->lo, t->name + 1) : NULL;

    if (s && s->kind == LBR_SYM_VARIABLE && !s->faulty && m->variable[s->variable].kind != LBR_VAR_STATE)
        lbr_lower_fail(&m->lo, t->place,
                       "'%.40s' stands where a position is expected, and '%.40s' is a variable: each position is "
                       "followed by its own momentum, as in canonical %.40s, %.40s, ...",
                       t->name, s->name, s->name, t->name);
}

static void declare_pairs(lbr_model *m, const lbr_statement *st)
{
    if (st->n % 2)
        lbr_lower_fail(&m->lo, st->item[st->n - 1].target.place, "variables come in pairs here: '%.60s' has no partner",
                       st->item[st->n - 1].target.name);
    for (int k = 0; k + 1 < st->n; k += 2) declare_pair(m, st, k);
    for (int k = 0; k + 1 < st->n && st->kind == LBR_ST_CANONICAL; k += 2) check_position(m, &st->item[k].target);
}

const lbr_symbol *lbr_model_set(lbr_model *m, const lbr_target *t)
{
    const lbr_symbol *s = lbr_symbol_find(&m->lo, t->name);

    if (!s) lbr_name_unknown(&m->lo, t->name, t->place, 0);
    else if (s->faulty) m->lo.at.failed = 1;
    return s && !s->faulty ? s : NULL;
}

static void declare_partition(lbr_model *m, const lbr_statement *st)
{
    for (int k = 0; k < st->n; k++) {
        const lbr_target *t = &st->item[k].target;
        const lbr_symbol *s = lbr_model_set(m, t);

        if (!s) return;
        if (s->kind != LBR_SYM_VARIABLE || m->variable[s->variable].kind != LBR_VAR_STATE) {
            lbr_lower_fail(&m->lo, t->place, "partition names variables of state, and '%.60s' is none", t->name);
            return;
        }
        m->variable[s->variable].last = 1;
    }
}

/* Names of a faulty statement count as known. */
static void declare_faulty(lbr_model *m, const lbr_statement *st)
{
    for (int k = 0; k < st->n; k++) {
        lbr_symbol *s = st->item[k].target.name && !lbr_symbol_find(&m->lo, st->item[k].target.name)
                            ? lbr_symbol_add(&m->lo, st->item[k].target.name, LBR_SYM_LET, st->item[k].target.place)
                            : NULL;

        if (s) s->faulty = 1;
    }
}

static int declares(lbr_statement_kind kind)
{
    return kind == LBR_ST_PARAM || kind == LBR_ST_LET || kind == LBR_ST_CANONICAL || kind == LBR_ST_ROTATION ||
           kind == LBR_ST_STATE || kind == LBR_ST_CONSTRAINT || kind == LBR_ST_INVARIANT || kind == LBR_ST_OBSERVE;
}

/* Rates in it are known before it is read. */
static void observes(lbr_model *m, const lbr_item *item)
{
    lbr_symbol *s = lbr_symbol_find(&m->lo, item->target.name);

    if (s && s->kind == LBR_SYM_OBSERVED) s->mentions = lbr_mentions_of(&m->lo, item) & LBR_MENTIONS_RATES;
}

/* What has its equations read later. H may stand several times: that is said there. */
static void expect_names(lbr_model *m, const lbr_statement *st)
{
    static const lbr_symbol_kind kind[] = { [LBR_ST_CONSTRAINT] = LBR_SYM_CONSTRAINT,
                                            [LBR_ST_INVARIANT] = LBR_SYM_INVARIANT,
                                            [LBR_ST_OBSERVE] = LBR_SYM_OBSERVED };

    if (st->kind == LBR_ST_PART)
        lbr_symbol_expect(&m->lo, st->text, LBR_SYM_PART, st->text_place.line ? st->text_place : st->place);
    if (st->kind == LBR_ST_H || (st->kind == LBR_ST_PART && st->value)) {
        if (!lbr_symbol_find(&m->lo, "H")) lbr_symbol_expect(&m->lo, "H", LBR_SYM_H, st->place);
    } else
        for (int k = 0; st->kind != LBR_ST_PART && k < st->n; k++) {
            lbr_symbol_expect(&m->lo, st->item[k].target.name, kind[st->kind], st->item[k].target.place);
            if (st->kind == LBR_ST_OBSERVE) observes(m, st->item + k);
        }
}

/* --- names of indices and arguments ------------------------------------------------------------------------------ */

static void check_local(lbr_model *m, const char *name, lbr_place place)
{
    if (lbr_name_reserved(name))
        lbr_lower_fail(&m->lo, place, "'%.60s' %s and cannot be a name", name, lbr_name_reserved(name));
}

static void check_binders(lbr_model *m, const lbr_node *node)
{
    if (!node || m->lo.at.failed) return;
    if (node->kind == LBR_NODE_BINDER) check_local(m, node->text, node->first);
    for (int k = 0; k < node->n; k++) check_binders(m, node->arg[k]);
}

static void check_target(lbr_model *m, const lbr_target *t)
{
    for (int k = 0; k < t->n; k++) check_binders(m, t->index[k]);
}

/* Indices, arguments of functions and the time of a flow hide other names, but not words of the language. */
static void check_locals(lbr_model *m, const lbr_statement *st)
{
    if (st->kind == LBR_ST_FLOW) check_local(m, st->text2, st->text2_place.line ? st->text2_place : st->place);
    check_binders(m, st->value);
    for (int k = 0; k < st->nmore; k++) check_binders(m, st->more[k]);
    for (int k = 0; k < st->n && st->kind != LBR_ST_METHOD; k++) {
        const lbr_item *item = st->item + k;

        check_target(m, &item->target), check_target(m, &item->second), check_binders(m, item->value);
        for (int j = 0; j < item->nparams; j++) check_local(m, item->param[j], item->param_place[j]);
    }
}

static void declare_one(lbr_model *m, const lbr_statement *st)
{
    if (st->faulty) {
        if (declares(st->kind)) declare_faulty(m, st);
        return;
    }
    check_locals(m, st);
    switch (st->kind) {
    case LBR_ST_PARAM:
        for (int k = 0; k < st->n && !m->dag.status; k++) declare_param(m, st->item + k);
        return;
    case LBR_ST_LET:
        for (int k = 0; k < st->n; k++) declare_let(m, st->item + k);
        return;
    case LBR_ST_CANONICAL:
    case LBR_ST_ROTATION: declare_pairs(m, st); return;
    case LBR_ST_STATE:
        for (int k = 0; k < st->n; k++) declare_variable(m, &st->item[k].target, LBR_VAR_STATE);
        return;
    case LBR_ST_PARTITION: declare_partition(m, st); return;
    case LBR_ST_H:
    case LBR_ST_PART:
    case LBR_ST_CONSTRAINT:
    case LBR_ST_INVARIANT:
    case LBR_ST_OBSERVE: expect_names(m, st); return;
    default: return;
    }
}

int lbr_model_declare(lbr_model *m, int to)
{
    for (int k = 0; k < to && !m->dag.status && m->lo.evaluations <= LBR_MOST_EVALUATIONS; k++) {
        lbr_line *line = m->source->line + k;
        lbr_reading before = lbr_lower_enter(&m->lo, line, 0);

        declare_one(m, line->statement);
        line->failed = m->lo.at.failed;
        lbr_lower_leave(&m->lo, &before);
    }
    return !m->dag.status && m->lo.evaluations <= LBR_MOST_EVALUATIONS;
}

/* --- the state --------------------------------------------------------------------------------------------------- */

static int rank_of(const lbr_variable *x) /* its place in the state */
{
    static const int order[] = { [LBR_VAR_POSITION] = 0,
                                 [LBR_VAR_MOMENTUM] = 1,
                                 [LBR_VAR_ATTITUDE] = 2,
                                 [LBR_VAR_STATE] = 2,
                                 [LBR_VAR_ANGULAR] = 2 };

    return x->last ? 3 : order[x->kind];
}

/* An attitude: a quaternion in the state, a matrix in expressions. */
static lbr_ref attitude_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    lbr_dag *d = lo->dag;
    lbr_ref e[4], x[9], at = lbr_dag_const(d, (double)v->offset), chosen = 0;
    const lbr_ref *ij = index + v->shape.rank - 2;
    double i, j;

    if (v->shape.rank == 3)
        at = lbr_dag_add(d, at, lbr_dag_mul(d, lbr_dag_sub(d, index[0], lbr_dag_const(d, 1)), lbr_dag_const(d, 4)));
    for (int k = 0; k < 4; k++) e[k] = lbr_dag_load(d, v->array, lbr_dag_add(d, at, lbr_dag_const(d, k)));
    lbr_rotation_matrix(lo, e, x);
    if (lbr_dag_is_const(d, ij[0], &i) && lbr_dag_is_const(d, ij[1], &j)) return x[3 * (int)i + (int)j - 4];
    for (int k = 0; k < 9; k++) {
        lbr_ref row = lbr_dag_op(d, LBR_OP_EQ, ij[0], lbr_dag_const(d, k / 3 + 1), 0),
                col = lbr_dag_op(d, LBR_OP_EQ, ij[1], lbr_dag_const(d, k % 3 + 1), 0);
        lbr_ref is = lbr_dag_op(d, LBR_OP_AND, row, col, 0);

        chosen = lbr_dag_op(d, LBR_OP_SELECT, is, x[k], chosen);
    }
    return chosen;
}

static void give_value(lbr_model *m, lbr_symbol *s)
{
    const lbr_variable *x;
    lbr_value *v;

    if (s->faulty) return;
    x = m->variable + s->variable;
    if (x->kind != LBR_VAR_ATTITUDE) {
        s->value = lbr_value_view(&m->lo, m->lo.state, x->offset, &x->shape);
        return;
    }
    v = lbr_value_open(&m->lo, &x->shape, attitude_element);
    if (v) v->array = m->lo.state, v->offset = x->offset;
    s->value = v;
}

int lbr_model_layout(lbr_model *m)
{
    int64_t at = 0;

    for (int k = 0; k < m->nvariables; k++) {
        lbr_variable *x = m->variable + k;

        x->size = lbr_shape_size(&x->shape);
        if (x->kind == LBR_VAR_ATTITUDE)
            x->size *= 4, x->shape.n[x->shape.rank] = x->shape.n[x->shape.rank + 1] = 3, x->shape.rank += 2;
        if (x->kind == LBR_VAR_ANGULAR) x->size *= 3, x->shape.n[x->shape.rank++] = 3;
        if (x->kind == LBR_VAR_POSITION) m->nq += x->size;
    }
    for (int r = 0; r < 4; r++) {
        for (int k = 0; k < m->nvariables; k++)
            if (rank_of(m->variable + k) == r) m->variable[k].offset = at, at += m->variable[k].size;
        if (r == 2) m->nfirst = at;
    }
    if (m->nfirst == at) m->nfirst = 0; /* no partition */
    m->dim = at;
    if (at > LBR_MOST_COMPONENTS) {
        lbr_lower_fail(&m->lo, m->variable[0].place,
                       "the state is too large: the limit is %d components" LBR_RAISED(LBR_MOST_COMPONENTS),
                       LBR_MOST_COMPONENTS);
        return 0;
    }
    m->lo.state = lbr_dag_input(&m->dag, at), m->direction = lbr_dag_input(&m->dag, at),
    m->lo.rate = lbr_dag_input(&m->dag, at);
    m->second = lbr_dag_input(&m->dag, at), m->multiplier = lbr_dag_input(&m->dag, LBR_MOST_COMPONENTS);
    m->lo.variable = m->variable, m->lo.nvariables = m->nvariables;
    for (int k = 0; k < m->lo.nsymbols; k++)
        if (m->lo.symbol[k].kind == LBR_SYM_VARIABLE) give_value(m, m->lo.symbol + k);
    return !m->dag.status;
}

const lbr_variable *lbr_model_variable(const lbr_model *m, const char *name)
{
    for (int k = 0; k < m->nvariables; k++)
        if (!strcmp(m->variable[k].name, name)) return m->variable + k;
    return NULL;
}
