/* model_define.c - the equations and the quantities of a model. SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"
#include "graph/derive.h"
#include "section.h"
#include "structure.h"

#include <string.h>

enum { MOST_PARTS = 1000 };

/* --- lists that grow --------------------------------------------------------------------------------------------- */

void *lbr_model_push(lbr_model *m, void *list, int *n, size_t size)
{
    char **p = list;

    if (!lbr_room(&m->arena, list, size, *n, 1, NULL, 0)) {
        lbr_lower_no_memory(&m->lo);
        return NULL;
    }
    return *p + (size_t)(*n)++ * size;
}

/* A scalar of the top. */
static lbr_ref scalar(lbr_model *m, const lbr_node *node, unsigned where)
{
    unsigned before = lbr_lower_allow(&m->lo, where);
    lbr_ref x = lbr_lower_scalar(&m->lo, node);

    lbr_lower_allow(&m->lo, before);
    return x;
}

static void name_quantity(lbr_model *m, const char *name, lbr_symbol_kind kind, lbr_place place, const lbr_value *value)
{
    lbr_symbol *s = lbr_symbol_add(&m->lo, name, kind, place);

    if (s) s->value = value, s->faulty = !value;
}

/* --- energies and parts ------------------------------------------------------------------------------------------ */

/* One energy: H, L, or parts. */
static int second_energy(lbr_model *m, const lbr_statement *st)
{
    const char *what = m->has_l ? "Lagrangian" : m->nparts ? "part" : "Hamiltonian";

    if (!m->has_h && !m->has_l) return 0;
    if (m->has_h && st->kind == LBR_ST_H && !m->nparts)
        lbr_lower_fail(&m->lo, st->place, "a second Hamiltonian: the first one is at line %d", m->h_place.line);
    else if (m->has_l && st->kind == LBR_ST_L)
        lbr_lower_fail(&m->lo, st->place, "a second Lagrangian: the first one is at line %d", m->h_place.line);
    else
        lbr_lower_fail(&m->lo, st->place, "there is a %s already, at line %d; H, L and parts exclude each other", what,
                       m->h_place.line);
    return 1;
}

/* The name of a momentum, for messages. */
static const char *momentum_of(const lbr_model *m)
{
    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind != LBR_VAR_POSITION) return m->variable[k].name;
    return "momenta";
}

/* Whoever gives both wants to watch the energy. */
static void rates_and(lbr_model *m, lbr_place place, const char *what, int energy)
{
    lbr_lower_fail(&m->lo, place, "rates and %s exclude each other%s", what,
                   energy ? ": an energy that is only looked at is 'invariant H = ...'" : "");
}

static void define_energy(lbr_model *m, const lbr_statement *st)
{
    lbr_ref x;

    if (second_energy(m, st)) return;
    if (m->rates_given) {
        rates_and(m, st->place, st->kind == LBR_ST_L ? "L" : "H", st->kind == LBR_ST_H);
        return;
    }
    m->h_file = m->lo.at.file, m->h_place = st->place;
    *(st->kind == LBR_ST_L ? &m->has_l : &m->has_h) = 1;
    x = scalar(m, st->value, st->kind == LBR_ST_L ? LBR_WHERE_RATE | LBR_WHERE_VELOCITY : 0);
    if (st->kind == LBR_ST_L && x >= 0 && m->dim > m->nq && lbr_touches_node(&m->lo, x, m->lo.state, m->nq, m->dim) &&
        !m->dag.status)
        lbr_lower_fail(&m->lo, st->value->first,
                       "L is made of positions and velocities: of these only, and not of %.60s", momentum_of(m));
    if (st->kind == LBR_ST_L) m->l = x;
    else m->h = x, name_quantity(m, "H", LBR_SYM_H, st->place, x < 0 ? NULL : lbr_value_scalar(&m->lo, x));
}

static void define_rayleigh(lbr_model *m, const lbr_statement *st)
{
    if (m->rayleigh >= 0) lbr_lower_fail(&m->lo, st->place, "a second dissipation function");
    else m->rayleigh = scalar(m, st->value, LBR_WHERE_RATE | LBR_WHERE_VELOCITY);
}

static void rates_of(lbr_model *m, const lbr_statement *st, int array)
{
    for (int k = 0; k < st->n && !m->lo.at.failed; k++) {
        const lbr_target *t = &st->item[k].target;
        const lbr_symbol *s = lbr_symbol_find(&m->lo, t->name);

        if (!s || s->order > m->lo.at.order) {
            lbr_name_unknown(&m->lo, t->name, t->place, 0);
            return;
        }
        if (s->faulty) {
            m->lo.at.failed = 1;
            return;
        }
        if (s->kind != LBR_SYM_VARIABLE || m->variable[s->variable].kind != LBR_VAR_STATE) {
            lbr_lower_fail(&m->lo, t->place, "a rate is given for variables of state, and '%.60s' is none", t->name);
            return;
        }
        lbr_model_assign(&(lbr_assignment){ m, t, st->item[k].value, m->variable + s->variable, array,
                                            m->variable[s->variable].offset, 0 });
    }
}

static void define_part(lbr_model *m, const lbr_statement *st)
{
    lbr_part_def *p;
    lbr_ref x = -1;
    int field = -1;

    if (m->has_l || (m->has_h && !m->nparts) || (m->rates_given && !m->nparts)) {
        lbr_lower_fail(&m->lo, st->place, "parts and %s exclude each other",
                       m->has_l   ? "L"
                       : m->has_h ? "H"
                                  : "rates of the whole field");
        return;
    }
    if (m->nparts == MOST_PARTS) {
        lbr_lower_fail(&m->lo, st->place, "too many parts: the limit is %d", MOST_PARTS);
        return;
    }
    if (m->nparts && (m->part[0].field < 0) != (st->value != NULL)) {
        lbr_lower_fail(&m->lo, st->place, "parts are all energies or all fields");
        return;
    }
    if (st->value) x = scalar(m, st->value, 0);
    else {
        field = lbr_dag_array(&m->dag, m->dim);
        rates_of(m, st, field);
        lbr_dag_close(&m->dag, field);
    }
    name_quantity(m, st->text, LBR_SYM_PART, st->text_place.line ? st->text_place : st->place,
                  x < 0 ? NULL : lbr_value_scalar(&m->lo, x));
    if (!(p = lbr_model_push(m, &m->part, &m->nparts, sizeof *p))) return;
    *p = (lbr_part_def){ st->text, m->lo.at.file, st->place, x, field, -1, -1 };
    if (st->value) {
        lbr_symbol *s = lbr_symbol_find(&m->lo, "H");

        m->h = m->nparts == 1 ? x : m->h < 0 || x < 0 ? -1 : lbr_dag_add(&m->dag, m->h, x);
        if (m->nparts == 1) m->h_file = m->lo.at.file, m->h_place = st->place, m->has_h = 1;
        if (!s || s->expected)
            name_quantity(m, "H", LBR_SYM_H, st->place, m->h < 0 ? NULL : lbr_value_scalar(&m->lo, m->h));
        else if (s->kind == LBR_SYM_H)
            s->value = m->h < 0 ? NULL : lbr_value_scalar(&m->lo, m->h), s->faulty |= m->h < 0;
    } else m->rates_given = 1;
}

/* --- flows ------------------------------------------------------------------------------------------------------- */

/* An array of the state that begins as the state: what is not set stays. */
typedef struct holes {
    lbr_model *m;
    char *set;
} holes;

static int fill_hole(int64_t at, void *ctx)
{
    holes *h = ctx;

    if (at >= 0 && at < h->m->dim) h->set[at] = 1;
    return 1;
}

/* Adds what is not written by any entry. */
static void complete(lbr_model *m, int array)
{
    holes h = { m, lbr_arena_alloc(&m->arena, m->dim + 1, 1) };
    const lbr_array *a = m->dag.array + array;
    lbr_dag *d = &m->dag;

    if (!h.set) {
        m->dag.status = LBR_ENOMEM;
        return;
    }
    for (int k = 0; k < a->nentries; k++) lbr_each_index(&m->lo, a->entry[k].loop, a->entry[k].index, fill_hole, &h);
    for (int64_t i = 0, j; i < m->dim && !d->status; i = j) { /* stretches of them */
        int loop = 0;

        for (j = i; j < m->dim && !h.set[j]; j++)
            ;
        if (j - i > LBR_UNROLLED)
            loop = lbr_dag_loop(d, 0, lbr_dag_const(d, (double)i), lbr_dag_const(d, (double)(j - 1)));
        for (int64_t k = i; k < (loop ? i + 1 : j); k++) {
            lbr_ref at = loop ? d->loop[loop].index : lbr_dag_const(d, (double)k);

            lbr_dag_entry(d, array, (lbr_entry){ loop, at, lbr_dag_load(d, m->lo.state, at), 0 });
        }
        if (j == i) j++;
    }
}

static void assign_all(lbr_model *m, const lbr_statement *st, int array, const char *what)
{
    for (int k = 0; k < st->n && !m->lo.at.failed; k++) {
        const lbr_target *t = &st->item[k].target;
        const lbr_symbol *s = lbr_model_set(m, t);

        if (!s) return;
        if (s->kind != LBR_SYM_VARIABLE) {
            lbr_lower_fail(&m->lo, t->place, "'%.60s' is not a variable", t->name);
            return;
        }
        if (t->prime) {
            lbr_lower_fail(&m->lo, t->place, "%s gives values, not rates", what);
            return;
        }
        if (m->variable[s->variable].kind == LBR_VAR_ATTITUDE) {
            lbr_lower_fail(&m->lo, t->place, "attitudes in %s come with a later version", what);
            return;
        }
        lbr_model_assign(&(lbr_assignment){ m, t, st->item[k].value, m->variable + s->variable, array,
                                            m->variable[s->variable].offset, 0 });
    }
}

static void define_flow(lbr_model *m, const lbr_statement *st)
{
    lbr_part_def *p = NULL;
    int array, nlocals;

    for (int k = 0; k < m->nparts; k++)
        if (!strcmp(m->part[k].name, st->text)) p = m->part + k;
    if (!p) {
        lbr_lower_fail(&m->lo, st->text_place.line ? st->text_place : st->place, "there is no part '%.60s'", st->text);
        return;
    }
    if (p->flow >= 0) {
        lbr_lower_fail(&m->lo, st->place, "the flow of '%.60s' is given already", st->text);
        return;
    }
    for (int k = 0; k < m->nparts; k++) /* one input is the time of all of them */
        if (m->part[k].duration >= 0) p->duration = m->part[k].duration;
    if (p->duration < 0) p->duration = lbr_dag_input(&m->dag, 1);
    nlocals = m->lo.at.nlocals;
    lbr_local_push(&m->lo, st->text2, lbr_value_scalar(&m->lo, lbr_dag_load(&m->dag, p->duration, 0)), 0);
    array = lbr_dag_array(&m->dag, m->dim);
    assign_all(m, st, array, "flow");
    lbr_local_pop_to(&m->lo, nlocals);
    if (!m->lo.at.failed) complete(m, array);
    lbr_dag_close(&m->dag, array);
    p->flow = array;
}

static void define_reverse(lbr_model *m, const lbr_statement *st)
{
    if (m->reverse >= 0) {
        lbr_lower_fail(&m->lo, st->place, "a second reverse");
        return;
    }
    m->reverse = lbr_dag_array(&m->dag, m->dim);
    assign_all(m, st, m->reverse, "reverse");
    if (!m->lo.at.failed) complete(m, m->reverse);
    lbr_dag_close(&m->dag, m->reverse);
}

/* --- quantities -------------------------------------------------------------------------------------------------- */

/* All elements are looked at once, so that what is wrong in them is found; constants are worked out. */
static void look_at_all(lbr_model *m, const lbr_value *v, lbr_place place)
{
    int array = v && v->shape.rank && !m->lo.at.failed && !v->loop ? lbr_value_store(&m->lo, v) : -1;
    int64_t n = array < 0 ? 0 : lbr_shape_size(&v->shape);
    double *out;

    if (n <= LBR_UNROLLED || m->dag.array[array].deps) return;
    if (!(out = lbr_mem_alloc((size_t)n * sizeof *out))) {
        lbr_lower_no_memory(&m->lo);
        return;
    }
    if (!lbr_value_constants(&m->lo, v, out) && !m->lo.at.failed)
        lbr_lower_fail(&m->lo, place,
                       m->lo.evaluations > LBR_MOST_EVALUATIONS
                           ? "the constants of this text take too long: the limit is %d evaluations" LBR_RAISED(
                                 LBR_MOST_EVALUATIONS)
                           : "not all of these constants are numbers",
                       LBR_MOST_EVALUATIONS);
    lbr_mem_free(out);
}

static void define_named(lbr_model *m, const lbr_item *item, lbr_symbol_kind kind, lbr_named **list, int *n,
                         unsigned where)
{
    lbr_symbol *s = lbr_symbol_add(&m->lo, item->target.name, kind, item->target.place);
    const lbr_value *v;
    lbr_named *q;
    unsigned before;

    if (!s) return;
    s->item = item, s->text = item->value;
    before = lbr_lower_allow(&m->lo, where);
    v = lbr_symbol_value(&m->lo, s, item->target.place);
    lbr_lower_allow(&m->lo, before);
    if (v && v->row) lbr_lower_fail(&m->lo, item->value->first, "a row cannot be kept; take its transpose"), v = NULL;
    look_at_all(m, v, item->value->first);
    if (v && (q = lbr_model_push(m, list, n, sizeof *q)))
        *q = (lbr_named){ item->target.name, m->lo.at.file, item->target.place, v };
}

/* --- sections ---------------------------------------------------------------------------------------------------- */

static void define_section(lbr_model *m, const lbr_line *line)
{
    const lbr_statement *st = line->statement;
    unsigned before;

    if (lbr_model_section(m, st->text) >= 0) {
        lbr_lower_fail(&m->lo, st->place, "there is a section '%.60s' already", st->text);
        return;
    }
    before = lbr_lower_allow(&m->lo, LBR_WHERE_RATE);
    lbr_lower_condition(&m->lo, st->value);
    for (int k = 0; k < st->nmore && !m->lo.at.failed; k++) lbr_lower_condition(&m->lo, st->more[k]);
    lbr_lower_allow(&m->lo, before);
    if (!m->lo.at.failed) lbr_model_section_add(m, line);
}

static void define_method(lbr_model *m, const lbr_line *line)
{
    const lbr_line **s;

    for (int k = 0; k < m->nmethods; k++)
        if (!strcmp(m->method[k]->statement->text, line->statement->text)) {
            lbr_lower_fail(&m->lo, line->statement->place, "there is a method '%.60s' already", line->statement->text);
            return;
        }
    if ((s = lbr_model_push(m, &m->method, &m->nmethods, sizeof *s))) *s = line;
}

static int has_pairs(const lbr_model *m)
{
    int found = 0;

    for (int k = 0; k < m->nvariables; k++) found |= m->variable[k].kind != LBR_VAR_STATE;
    return found;
}

static const lbr_value *multiplier_of(lbr_lower *lo, const lbr_node *node, void *ctx)
{
    const lbr_model *m = ctx;
    const lbr_node *name = node->arg[0];
    const lbr_symbol *s;

    for (int k = 0; k < m->nconstraints && name->kind == LBR_NODE_NAME; k++)
        if (!strcmp(m->constraint[k].name, name->text)) {
            if (!has_pairs(m))
                return lbr_lower_fail(lo, name->first,
                                      "'%.60s' is a manifold of state variables, which has no multiplier", name->text);
            return lbr_value_view(
                lo, m->multiplier, m->constraint[k].first,
                &(lbr_shape){ m->constraint[k].family || m->constraint[k].count != 1, { m->constraint[k].count } });
        }
    s = name->kind == LBR_NODE_NAME ? lbr_symbol_find(lo, name->text) : NULL;
    if (s && s->kind == LBR_SYM_CONSTRAINT && s->faulty) return lo->at.failed = 1, NULL;
    return lbr_lower_fail(lo, name->first, "multiplier needs the name of a constraint");
}

/* --- all statements ---------------------------------------------------------------------------------------------- */

static void define_lets(lbr_model *m, const lbr_statement *st)
{
    for (int k = 0; k < st->n && !m->lo.at.failed; k++) {
        lbr_symbol *s = lbr_symbol_find(&m->lo, st->item[k].target.name);
        unsigned before;

        if (!s || s->kind != LBR_SYM_LET || s->item != st->item + k || s->mentions & LBR_MENTIONS_RUNS) continue;
        before = lbr_lower_allow(&m->lo, s->mentions & LBR_MENTIONS_RATES ? LBR_WHERE_OBSERVED : 0);
        look_at_all(m, lbr_symbol_value(&m->lo, s, st->item[k].target.place), st->item[k].value->first);
        lbr_lower_allow(&m->lo, before);
    }
}

static void define_one(lbr_model *m, const lbr_line *line)
{
    const lbr_statement *st = line->statement;

    switch (st->kind) {
    case LBR_ST_LET: define_lets(m, st); return;
    case LBR_ST_H:
    case LBR_ST_L: define_energy(m, st); return;
    case LBR_ST_RAYLEIGH: define_rayleigh(m, st); return;
    case LBR_ST_PART: define_part(m, st); return;
    case LBR_ST_RATES:
        if (m->nparts || m->has_h || m->has_l)
            rates_and(m, st->place, m->nparts ? "parts" : m->has_l ? "L" : "H", m->has_h && !m->nparts);
        else m->rates_given = 1, rates_of(m, st, m->rates);
        return;
    case LBR_ST_POISSON:
        for (int k = 0; k < st->n && !m->lo.at.failed; k++) lbr_model_bracket_define(m, st->item + k);
        return;
    case LBR_ST_FLOW: define_flow(m, st); return;
    case LBR_ST_CONSTRAINT:
        for (int k = 0; k < st->n && !m->lo.at.failed; k++) lbr_model_constraint_define(m, st->item + k);
        return;
    case LBR_ST_INVARIANT:
        for (int k = 0; k < st->n && !m->lo.at.failed; k++)
            define_named(m, st->item + k, LBR_SYM_INVARIANT, &m->invariant, &m->ninvariants, 0);
        return;
    case LBR_ST_OBSERVE:
        for (int k = 0; k < st->n && !m->lo.at.failed; k++)
            define_named(m, st->item + k, LBR_SYM_OBSERVED, &m->observed, &m->nobserved, LBR_WHERE_OBSERVED);
        return;
    case LBR_ST_REVERSE: define_reverse(m, st); return;
    case LBR_ST_SECTION: define_section(m, line); return;
    case LBR_ST_METHOD: define_method(m, line); return;
    default: return;
    }
}

/* What a statement with an error has not come to: nothing is said of it where it is used. */
static void give_up(lbr_model *m, int order)
{
    for (int k = 0; k < m->lo.nsymbols; k++)
        if (m->lo.symbol[k].expected && m->lo.symbol[k].order == order)
            m->lo.symbol[k].expected = 0, m->lo.symbol[k].faulty = 1;
}

int lbr_model_define(lbr_model *m)
{
    m->h = m->l = m->rayleigh = -1, m->reverse = -1;
    m->lo.multiplier = multiplier_of, m->lo.bracket = lbr_model_bracket;
    m->rates = lbr_dag_array(&m->dag, m->dim),
    m->g = lbr_dag_array(&m->dag, LBR_MOST_COMPONENTS); /* as many as will be found */
    for (int k = 0; k < m->source->nlines && !m->dag.status; k++) {
        const lbr_line *line = m->source->line + k;
        lbr_reading before = lbr_lower_enter(&m->lo, line, 0);

        if (!line->statement->faulty && !line->failed) define_one(m, line);
        if (m->lo.at.failed || line->failed) give_up(m, line->order);
        if (!m->lo.at.failed) lbr_check_duties(&m->lo);
        m->lo.nduties = 0;
        lbr_lower_leave(&m->lo, &before);
    }
    if (m->dag.status) return 0; /* an array that found no memory is -1 */
    lbr_dag_close(&m->dag, m->rates);
    m->dag.array[m->g].size = m->m;
    lbr_dag_close(&m->dag, m->g);
    return !m->dag.status;
}
