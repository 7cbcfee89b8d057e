/* model_constraint.c - constraints and families of them: a few are written out, many stay loops.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A family of more than LBR_UNROLLED members over ranges that do not depend on each other becomes entries of the array
 * g in loops, if its members are made of components of the state directly: then each derivative of a member is one
 * expression, and its column an expression of the indices. All others (triangles, random numbers, long sums, linear
 * systems) are written out. */
#include "model_inside.h"
#include "graph/dag_walk.h"
#include "structure.h"

#include <stdio.h>
#include <string.h>

enum { SHORT = 8 }; /* members of a range that is written out inside a long family */

typedef struct family {
    lbr_model *m;
    const lbr_item *item;
    int64_t count, index[LBR_RANK]; /* equations so far; where we are */
    int64_t from[LBR_RANK], size[LBR_RANK],
        parts;            /* ranges, if they do not depend on each other; equations of a member */
    lbr_ref at[LBR_RANK]; /* the index of a loop; 0: index[] is the number */
    int vector;           /* a member is a vector, also of one */
    lbr_entry *entry;
    int nentries;
} family;

/* --- what it is made of ------------------------------------------------------------------------------------------ */

/* Whether an expression names a momentum, directly: where. */
static const lbr_node *momentum_in(const lbr_model *m, const lbr_node *node)
{
    const lbr_node *found = NULL;
    const lbr_variable *x = node->kind == LBR_NODE_NAME ? lbr_model_variable(m, node->text) : NULL;

    if (x && (x->kind == LBR_VAR_MOMENTUM || x->kind == LBR_VAR_ANGULAR)) return node;
    for (int k = 0; k < node->n && !found; k++) found = momentum_in(m, node->arg[k]);
    return found;
}

/* Whether a range in an expression has this name (or, kind LBR_NODE_NAME: whether it is used). */
static int has(const lbr_node *node, lbr_node_kind kind, const char *name)
{
    int found = node->kind == kind && !strcmp(node->text, name);

    for (int k = 0; k < node->n && !found; k++) found = has(node->arg[k], kind, name);
    return found;
}

/* --- members and their names ------------------------------------------------------------------------------------- */

/* link[2], and link[2,1] if it is a vector. */
static const char *member_name(const family *s, int64_t component)
{
    const lbr_target *t = &s->item->target;
    int64_t index[LBR_RANK + 1];
    int n = t->n;

    if (n) memcpy(index, s->index, (size_t)n * sizeof *index);
    if (component) index[n++] = component;
    return n ? lbr_arena_component(&s->m->arena, t->name, n, index) : t->name;
}

static int add_name(family *s, int64_t component)
{
    lbr_model *m = s->m;
    const char **name = lbr_model_push(m, &m->member, &m->nmembers, sizeof *name);

    if (name && !(*name = member_name(s, component))) lbr_lower_no_memory(&m->lo);
    return name && *name;
}

static int room_for(family *s, int64_t n)
{
    if (n <= LBR_MOST_COMPONENTS - s->m->m - s->count) return 1;
    lbr_lower_fail(&s->m->lo, s->item->target.place, "too many constraints");
    return 0;
}

static void add_constraint(family *s)
{
    lbr_model *m = s->m;
    const lbr_value *v = lbr_lower_value(&m->lo, s->item->value);

    if (!v) return;
    for (int64_t k = 0; k < lbr_shape_size(&v->shape) && !m->lo.at.failed; k++) {
        lbr_ref x = lbr_value_at(&m->lo, v, k);

        if (x < 0) {
            m->lo.at.failed = 1;
            return;
        }
        if (!room_for(s, 1)) return;
        lbr_dag_entry(&m->dag, m->g, (lbr_entry){ 0, lbr_dag_const(&m->dag, (double)(m->m + s->count)), x, 0 });
        s->count++;
        if (!add_name(s, v->shape.rank ? k + 1 : 0)) return;
    }
}

static void each_member(family *s, int k)
{
    lbr_lower *lo = &s->m->lo;
    const lbr_target *t = &s->item->target;
    int64_t from, to;

    if (lo->at.failed) return;
    if (k == t->n) {
        add_constraint(s);
        return;
    }
    if (t->index[k]->kind != LBR_NODE_BINDER) {
        lbr_lower_fail(lo, t->index[k]->first, "expected a range here, as in %.40s[i = 1..n]", t->name);
        return;
    }
    if (!lbr_lower_integer(lo, t->index[k]->arg[0], "the beginning of a range", -LBR_MOST_COMPONENTS,
                           LBR_MOST_COMPONENTS, &from))
        return;
    if (!lbr_lower_integer(lo, t->index[k]->arg[1], "the end of a range", -LBR_MOST_COMPONENTS, LBR_MOST_COMPONENTS,
                           &to))
        return;
    for (int64_t i = from; i <= to && !lo->at.failed && !lo->dag->status; i++) {
        if (!lbr_local_push(lo, t->index[k]->text, lbr_value_number(lo, (double)i), 1)) return;
        s->index[k] = i;
        each_member(s, k + 1);
        lbr_local_pop(lo, 1);
    }
}

/* --- loops ------------------------------------------------------------------------------------------------------- */

/* The ranges, if each is known by itself; how many members. 0: they are not, or something is wrong. */
static int64_t members_of(family *s)
{
    lbr_lower *lo = &s->m->lo;
    const lbr_target *t = &s->item->target;
    int64_t n = t->n > 0, to;

    for (int k = 0; k < t->n; k++) {
        const lbr_node *range = t->index[k];

        if (range->kind != LBR_NODE_BINDER) return 0;
        for (int j = 0; j < k; j++)
            if (has(range->arg[0], LBR_NODE_NAME, t->index[j]->text) ||
                has(range->arg[1], LBR_NODE_NAME, t->index[j]->text))
                return 0;
        if (!lbr_lower_integer(lo, range->arg[0], "", -LBR_MOST_COMPONENTS, LBR_MOST_COMPONENTS, &s->from[k])) return 0;
        if (!lbr_lower_integer(lo, range->arg[1], "", -LBR_MOST_COMPONENTS, LBR_MOST_COMPONENTS, &to)) return 0;
        s->size[k] = to < s->from[k] ? 0 : to - s->from[k] + 1;
        n = s->size[k] && n > LBR_MOST_COMPONENTS / s->size[k] ? LBR_MOST_COMPONENTS + 1 : n * s->size[k];
    }
    return n;
}

/* Where equation `part` of the member stands: in loops, an expression of their indices. */
static lbr_ref place_of(const family *s, int64_t part)
{
    lbr_dag *d = &s->m->dag;
    int64_t step = s->parts, stride[LBR_RANK], first = s->m->m + part;
    int n = s->item->target.n;
    lbr_ref at;

    for (int k = n; k-- > 0; step *= s->size[k]) {
        stride[k] = step;
        first += step * ((s->at[k] ? 0 : s->index[k]) - s->from[k]);
    }
    at = lbr_dag_const(d, (double)first);
    for (int k = 0; k < n; k++)
        if (s->at[k]) at = lbr_dag_add(d, at, lbr_dag_mul(d, s->at[k], lbr_dag_const(d, (double)stride[k])));
    return at;
}

static int loop_member(family *s)
{
    lbr_lower *lo = &s->m->lo;
    const lbr_value *v = lbr_lower_value(lo, s->item->value);
    int64_t n = v ? lbr_shape_size(&v->shape) : 0;

    if (n < 1 || n > LBR_UNROLLED || (s->parts && s->parts != n)) return 0;
    s->parts = n, s->vector = v->shape.rank > 0;
    for (int64_t k = 0; k < n; k++) {
        lbr_ref x = lbr_value_at(lo, v, k);
        lbr_entry *e = x < 0 ? NULL : lbr_model_push(s->m, &s->entry, &s->nentries, sizeof *e);

        if (!e) return 0;
        *e = (lbr_entry){ lo->at.loop, place_of(s, k), x, 0 };
    }
    return 1;
}

static int nest(family *s, int k)
{
    lbr_lower *lo = &s->m->lo;
    lbr_dag *d = lo->dag;
    int outer = lo->at.loop, looped, good = 1;

    if (k == s->item->target.n) return loop_member(s);
    looped = s->size[k] > SHORT;
    if (looped)
        lo->at.loop = lbr_dag_loop(d, outer, lbr_dag_const(d, (double)s->from[k]),
                                   lbr_dag_const(d, (double)(s->from[k] + s->size[k] - 1)));
    s->at[k] = looped ? d->loop[lo->at.loop].index : 0;
    for (int64_t i = 0; i < (looped ? 1 : s->size[k]) && good && !d->status; i++) {
        const lbr_value *v = looped ? lbr_value_scalar(lo, s->at[k]) : lbr_value_number(lo, (double)(s->from[k] + i));

        s->index[k] = s->from[k] + i;
        good = v && lbr_local_push(lo, s->item->target.index[k]->text, v, 1) && nest(s, k + 1);
        lbr_local_pop(lo, good);
    }
    lo->at.loop = outer;
    return good && !d->status;
}

/* Whether it depends on components of the state that are no momenta, directly, and not on t. */
static int direct(lbr_model *m, lbr_ref g)
{
    lbr_dag *d = &m->dag;
    lbr_reach reach = { 0 };
    int good = !(d->node[g].deps & LBR_DEP_TIME) &&
               !lbr_reach_nodes(&reach, d, (lbr_interest){ .deps = d->array[m->lo.state].deps }, &g, 1);

    for (int32_t i = 0; i < reach.n && good; i++) {
        const lbr_dag_node *n = d->node + reach.node[i];

        good = n->op < LBR_OP_SUM && (n->op != LBR_OP_LOAD || n->k == m->lo.state);
    }
    lbr_reach_free(&reach);
    for (int k = 0; k < m->nvariables && good; k++) {
        const lbr_variable *x = m->variable + k;

        if (x->kind == LBR_VAR_MOMENTUM || x->kind == LBR_VAR_ANGULAR)
            good = !lbr_touches_node(&m->lo, g, m->lo.state, x->offset, x->offset + x->size);
    }
    return good;
}

/* Tries; what is wrong is said where it is written out. */
static int as_loops(family *s)
{
    lbr_lower *lo = &s->m->lo;
    int nduties = lo->nduties, asked = lo->asked, nlocals = lo->at.nlocals, good;

    lo->quiet = 1, lo->asked = 0;
    good = members_of(s) > LBR_UNROLLED && nest(s, 0) && !lo->asked && !lo->at.failed;
    for (int k = 0; k < s->nentries && good; k++) good = direct(s->m, s->entry[k].value);
    lo->quiet = 0, lo->at.failed = 0, lo->asked = asked, lbr_local_pop_to(lo, nlocals);
    if (!good && lo->nduties > nduties) lo->nduties = nduties;
    return good && !lo->dag->status;
}

static void take_loops(family *s)
{
    lbr_model *m = s->m;
    int64_t all = s->parts;
    int n = s->item->target.n;

    for (int k = 0; k < n; k++)
        all = all > LBR_MOST_COMPONENTS / s->size[k] ? LBR_MOST_COMPONENTS + 1 : all * s->size[k];
    if (!room_for(s, all)) return;
    for (int k = 0; k < s->nentries; k++) lbr_dag_entry(&m->dag, m->g, s->entry[k]);
    for (; s->count < all; s->count++) {
        int64_t rest = s->count / s->parts;

        for (int k = n; k-- > 0; rest /= s->size[k]) s->index[k] = s->from[k] + rest % s->size[k];
        if (!add_name(s, s->vector ? s->count % s->parts + 1 : 0)) return;
    }
}

void lbr_model_constraint_define(lbr_model *m, const lbr_item *item)
{
    lbr_symbol *s = lbr_symbol_add(&m->lo, item->target.name, LBR_SYM_CONSTRAINT, item->target.place);
    const lbr_node *p = momentum_in(m, item->value);
    family all = { .m = m, .item = item };
    int before = m->g < 0 ? 0 : m->dag.array[m->g].nentries;
    lbr_constraint_def *c;

    if (!s) return;
    for (int k = 0; k < item->target.n && p; k++)
        if (has(item->target.index[k], LBR_NODE_BINDER, p->text)) p = NULL;
    if (p && has(item->value, LBR_NODE_BINDER, p->text))
        p = NULL;  /* perhaps an index: the graph will show it (lbr_model_holonomic) */
    s->faulty = 1; /* until it is known */
    if (p) {
        lbr_lower_fail(&m->lo, p->first,
                       "a constraint is made of positions and attitudes only, and '%.60s' is a momentum", p->text);
        return;
    }
    if (as_loops(&all)) take_loops(&all);
    else each_member(&all, 0);
    if (m->lo.at.failed || m->dag.status || !(c = lbr_model_push(m, &m->constraint, &m->nconstraints, sizeof *c))) {
        m->m += all.count;
        return;
    }
    *c = (lbr_constraint_def){ item->target.name,
                               m->lo.at.file,
                               item->target.place,
                               m->m,
                               all.count,
                               item->target.n > 0,
                               item->value->first,
                               before,
                               m->dag.array[m->g].nentries - before };
    m->m += all.count;
    lbr_symbol_find(&m->lo, item->target.name)->faulty = 0;
}
