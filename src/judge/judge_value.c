/* judge_value.c - expressions of measures and claims: read by the language, run for every element of what is in them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"
#include "program/code.h"

#include <math.h>
#include <string.h>

void *lbr_frame_no_memory(lbr_frame *f)
{
    f->j->no_memory = f->lo->at.failed = 1;
    return NULL;
}

void *lbr_frame_fail(lbr_frame *f, lbr_place place, const lbr_message *why)
{
    return why->status == LBR_ENOMEM ? lbr_frame_no_memory(f) : lbr_lower_fail(f->lo, place, "%s", why->text);
}

/* --- contexts ---------------------------------------------------------------------------------------------------- */

void lbr_frame_open(lbr_frame *f, lbr_judgement *j, int run, lbr_file *file, int known)
{
    lbr_lower *lo = run < 0 ? &j->x->base->lo : &lbr_judge_trial(j, run)->model->lo;
    lbr_line line = lbr_line_after(file, NULL);

    *f = (lbr_frame){ .j = j, .lo = lo, .run = run, .known = known, .dialect = lbr_judge_dialect };
    f->before = lbr_lower_enter(lo, &line, LBR_WHERE_MEASURE);
    f->ieee = lo->dag->ieee, lo->dag->ieee = 1;
    if (!j->dry) lo->steps = lo->evaluations = 0; /* what was read before anything ran has been counted */
}

int lbr_frame_close(lbr_frame *f)
{
    lbr_status status = lbr_lower_leave(f->lo, &f->before);

    f->lo->dag->ieee = f->ieee;

    if (status == LBR_ENOMEM) f->j->no_memory = 1;
    return !status;
}

/* --- operands: inputs of the graph that are used in turn --------------------------------------------------------- */

static lbr_pool *pool_of(lbr_frame *f)
{
    return f->run >= 0 && lbr_judge_trial(f->j, f->run)->owns
               ? &f->j->seen[lbr_judge_trial(f->j, f->run) - f->j->x->run].pool
               : &f->j->pool;
}

static int place_in(lbr_frame *f, lbr_pool *p, int64_t size)
{
    for (int k = 0; k < p->n; k++)
        if (!p->item[k].busy && p->item[k].size == size) return k;
    if (!LBR_ROOM(&f->j->arena, p->item, p->n, p->most, 1)) return lbr_frame_no_memory(f), -1;
    p->item[p->n].array = lbr_dag_input(f->lo->dag, size), p->item[p->n].size = size, p->item[p->n].busy = 0;
    return p->item[p->n].array < 0 ? -1 : p->n++;
}

/* A quantity that is recorded in part: its elements are looked for one by one. */
typedef struct recorded {
    lbr_value value;
    lbr_judgement *j;
    const lbr_trace *s;
    lbr_file *file;
    lbr_place place;
    int lacks; /* what is left out is no number, as another run has it; else it is a mistake */
} recorded;

static lbr_ref recorded_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    const recorded *r = (const recorded *)v;
    const lbr_trial *trial = lbr_judge_trial(r->j, r->s->run);
    int64_t at = 0, column = -1;
    int fixed = 1;
    double x;

    for (int k = 0; k < v->shape.rank && fixed; k++)
        if ((fixed = lbr_dag_is_const(lo->dag, index[k], &x))) at = at * v->shape.n[k] + (int64_t)x - 1;
    if (fixed) column = lbr_judge_kept(trial, r->s->first + at);
    if (column >= 0) return lbr_dag_load(lo->dag, v->array, lbr_dag_const(lo->dag, (double)column));
    if (r->lacks) return lbr_dag_const(lo->dag, NAN);
    if (fixed)
        lbr_lower_fail_in(
            lo, r->file, r->place, "component %lld of '%.60s' is not recorded: the record of %s%.60s leaves it out",
            (long long)at + 1, r->s->name, trial->label ? "run " : "the run", trial->label ? trial->label : "");
    else
        lbr_lower_fail_in(lo, r->file, r->place, "'%.60s' is not recorded as a whole, which this sum needs",
                          r->s->name);
    return -1;
}

static const lbr_value *in_part(lbr_frame *f, const lbr_operand *o, lbr_place place)
{
    recorded *r = lbr_arena_alloc(f->lo->arena, 1, sizeof *r);

    if (!r) return lbr_frame_no_memory(f);
    *r = (recorded){
        { .shape = o->value->whole, .element = recorded_element, .loop = f->lo->at.loop, .array = o->array },
        f->j,
        o->value,
        f->lo->at.file,
        place,
        !f->named && lbr_judge_recorded(f->j, o->value->name)
    };
    return &r->value;
}

const lbr_value *lbr_frame_operand(lbr_frame *f, const lbr_trace *s, lbr_place place)
{
    lbr_pool *p = pool_of(f);
    lbr_value *v;
    int k = 0, at;

    while (k < f->n && f->operand[k].value != s) k++;
    if (k == f->n) {
        if (!LBR_ROOM(f->j->scratch, f->operand, f->n, f->most, 1)) return lbr_frame_no_memory(f);
        if ((at = place_in(f, p, s->size)) < 0) return NULL;
        p->item[at].busy = 1;
        f->operand[f->n++] = (lbr_operand){ s, p->item[at].array, at };
    }
    if (s->partial) return in_part(f, f->operand + k, place);
    v = (lbr_value *)lbr_value_view(f->lo, f->operand[k].array, 0, &s->shape);
    if (v) v->row = s->row;
    return v;
}

static void release(lbr_frame *f)
{
    lbr_pool *p = pool_of(f);

    for (int k = 0; k < f->n; k++) p->item[f->operand[k].place].busy = 0;
}

/* --- one expression ---------------------------------------------------------------------------------------------- */

typedef struct work {
    lbr_frame *f;
    const lbr_trace *state, *clock; /* NULL: not needed */
    lbr_model *multiplied;          /* whose multipliers are in it; NULL: none */
    lbr_output out;
    uint32_t deps;
} work;

/* What is to be computed, and what it depends on. */
static int output_of(work *w, const lbr_value *v, const lbr_node *node)
{
    lbr_lower *lo = w->f->lo;

    w->out = v->shape.rank ? (lbr_output){ lbr_value_store(lo, v), 0, 0 } : (lbr_output){ -1, v->node, 0 };
    if (lo->dag->status) lbr_lower_broken(lo, node->first);
    if ((v->shape.rank && w->out.array < 0) || lo->at.failed || !lbr_check_duties(lo)) return lo->at.failed = 1, 0;
    if (!v->shape.rank && lo->dag->node[v->node].scope)
        return lbr_lower_fail(lo, node->first, "this depends on an index where it cannot"), 0;
    w->deps = v->shape.rank ? lo->dag->array[w->out.array].deps : lo->dag->node[v->node].deps;
    return 1;
}

/* Rates are along the flow: components of the field, in which multipliers may be. */
static int along_the_flow(work *w, const lbr_node *node)
{
    lbr_frame *f = w->f;
    lbr_dag *d = f->lo->dag;
    lbr_model *m = f->lo->model;
    lbr_message why = { 0 };

    if (!m || f->lo->rate < 0 || !(w->deps & d->array[f->lo->rate].deps)) return 1;
    w->deps = (w->deps & ~d->array[f->lo->rate].deps) | d->array[f->lo->state].deps | LBR_DEP_TIME;
    if (f->j->dry || f->run < 0) return 1;
    if (!lbr_model_system(m, &why) ||
        !(w->out.array < 0 ? lbr_flow_node(m, &w->out.node, &why) : lbr_flow_array(m, &w->out.array, &why)))
        return lbr_frame_fail(f, node->first, &why), 0;
    w->deps |= w->out.array < 0 ? d->node[w->out.node].deps : d->array[w->out.array].deps;
    return 1;
}

/* Multipliers follow from the state: whoever has them needs it. */
static int has_multipliers(work *w, const lbr_node *node)
{
    lbr_frame *f = w->f;
    lbr_model *m = f->lo->model;
    lbr_message why = { 0 };

    if (!m || m->multiplier < 0 || !(w->deps & f->lo->dag->array[m->multiplier].deps)) return 1;
    w->deps = (w->deps & ~f->lo->dag->array[m->multiplier].deps) | f->lo->dag->array[f->lo->state].deps | LBR_DEP_TIME;
    w->multiplied = m;
    if (f->j->dry || f->run < 0) return 1;
    return (lbr_model_system(m, &why) && lbr_multiplied_open(m, &why)) || (lbr_frame_fail(f, node->first, &why), 0);
}

/* The time and the state, if they are in it; nothing else of a model has values here. */
static int own_inputs(work *w, const lbr_node *node)
{
    lbr_frame *f = w->f;
    lbr_dag *d = f->lo->dag;
    uint32_t state = f->lo->state >= 0 ? d->array[f->lo->state].deps : 0, known = LBR_DEP_TIME | state;

    for (int k = 0; k < f->n; k++) known |= d->array[f->operand[k].array].deps;
    if (w->deps & ~known)
        return lbr_lower_fail(f->lo, node->first, "this has a value only in observe: give it a name there"), 0;
    if ((w->deps & (LBR_DEP_TIME | state)) && f->run < 0)
        return lbr_lower_fail(f->lo, node->first,
                              "this depends on the state of a run: measure it, and take a.x of a run a"),
               0;
    if (w->deps & (LBR_DEP_TIME | state)) w->clock = lbr_frame_clock(f);
    if (w->deps & state)
        w->state = f->exact == LBR_OF_EXTENDED ? lbr_frame_extended(f, node->first)
                   : f->exact                  ? lbr_frame_exact(f, node->first)
                                               : lbr_frame_state(f, node->first);
    return !f->lo->at.failed;
}

/* The operands, the times of the samples. */
static int fit(work *w, lbr_trace *s, const lbr_node *node)
{
    lbr_frame *f = w->f;
    const lbr_trace **in = lbr_arena_alloc(f->j->scratch, f->n + 2, sizeof *in);
    lbr_message why = { 0 };
    int n = 0;

    if (!in) return lbr_frame_no_memory(f), 0;
    if (w->clock) in[n++] = w->clock;
    if (w->state) in[n++] = w->state;
    for (int k = 0; k < f->n; k++) in[n++] = f->operand[k].value;
    if (n == 1) s->name = in[0]->name;
    return !lbr_trace_fit(s, in, n, f->j->dry, f->j->scratch, &why) || (lbr_frame_fail(f, node->first, &why), 0);
}

/* One strand: sample after sample. A matrix that cannot be solved with has no solution. */
static int strand_of(work *w, lbr_code *code, const double **input, lbr_trace *s, int64_t m)
{
    lbr_frame *f = w->f;
    lbr_dag *d = f->lo->dag;
    lbr_strand *strand = s->strand + m;
    double *data = lbr_arena_alloc(f->j->scratch, strand->n * s->size, sizeof *data);

    if (!data) return lbr_frame_no_memory(f), 0;
    for (int64_t i = 0; i < strand->n; i++) {
        int lacks = 0;

        if (w->state) input[d->array[f->lo->state].input] = lbr_trace_at(w->state, 0, i);
        if (w->multiplied)
            lacks = !(input[d->array[w->multiplied->multiplier].input] = lbr_multiplied_at(
                          w->multiplied->functions, *lbr_trace_at(w->clock, 0, i), lbr_trace_at(w->state, 0, i)));
        for (int k = 0; k < f->n; k++)
            input[d->array[f->operand[k].array].input] = lbr_trace_at(f->operand[k].value, m, i);
        if (lacks || lbr_code_run(code, w->clock ? *lbr_trace_at(w->clock, 0, i) : 0, input, data + i * s->size))
            for (int64_t k = 0; k < s->size; k++) data[i * s->size + k] = NAN;
    }
    strand->data = data, strand->stride = s->sampled ? s->size : 0;
    return 1;
}

static const lbr_trace *computed(lbr_frame *f, const lbr_value *v, const lbr_node *node)
{
    work w = { .f = f };
    lbr_trace *s = lbr_trace_new(f->j->scratch, &v->shape, 1);
    const double **input;
    lbr_message why = { 0 };
    lbr_code *code;
    int good = 1;

    if (!s) return lbr_frame_no_memory(f);
    if (!output_of(&w, v, node) || !along_the_flow(&w, node) || !has_multipliers(&w, node) || !own_inputs(&w, node) ||
        !fit(&w, s, node))
        return NULL;
    s->row = v->row;
    if (f->j->dry) return s;
    if (!(input = lbr_arena_alloc(f->j->scratch, f->lo->dag->ninputs + 1, sizeof *input)))
        return lbr_frame_no_memory(f);
    if (lbr_code_make(&code, f->lo->dag, &w.out, 1, 0, &why)) return lbr_frame_fail(f, node->first, &why);
    for (int64_t m = 0; m < s->members && good; m++) good = strand_of(&w, code, input, s, m);
    lbr_code_free(code);
    return good ? s : NULL;
}

/* Whether something in a sum over indices must be known when it is read: a run, the argument of a reduction. Then sums
 * are written out. */
static int spelled_out(const lbr_node *node, int inside)
{
    int here = node->kind == LBR_NODE_CALL && node->n && node->arg[0]->kind == LBR_NODE_BINDER;

    if (inside &&
        (node->kind == LBR_NODE_MEMBER || (node->kind == LBR_NODE_CALL && !here && lbr_judge_calls(node->text))))
        return 1;
    for (int k = 0; k < node->n; k++)
        if (spelled_out(node->arg[k], inside || here)) return 1;
    return 0;
}

/* The members of a family, as a list of lists. */
static const lbr_value *members(lbr_lower *lo, const lbr_item *item, const lbr_shape *shape, int d)
{
    const lbr_value **list;

    if (d == shape->rank) return lbr_lower_value(lo, item->value);
    if (!(list = lbr_arena_alloc(lo->arena, shape->n[d], sizeof *list))) return lbr_lower_no_memory(lo);
    for (int64_t k = 0; k < shape->n[d]; k++) {
        if (!lbr_local_push(lo, item->target.index[d]->text, lbr_value_number(lo, (double)(k + 1)), 1) ||
            !(list[k] = members(lo, item, shape, d + 1)))
            return NULL;
        lbr_local_pop(lo, 1);
        if (list[k]->row || !lbr_shape_equal(&list[k]->shape, &list[0]->shape))
            return lbr_lower_fail(lo, item->value->first, "the members of '%.60s' must have equal shapes",
                                  item->target.name);
        if (list[k]->shape.rank == LBR_RANK)
            return lbr_lower_fail(lo, item->value->first, "at most %d indices", LBR_RANK);
    }
    return lbr_value_list(lo, list, shape->n[d]);
}

static const lbr_value *family(lbr_lower *lo, const lbr_item *item)
{
    lbr_shape shape;

    if (!lbr_family_shape(lo, &item->target, &shape)) return NULL;
    if (!lbr_shape_size(&shape))
        return lbr_lower_fail(lo, item->target.place, "'%.60s' has no elements", item->target.name);
    return members(lo, item, &shape, 0);
}

static const lbr_trace *worked_out(lbr_frame *f, const lbr_node *node, const lbr_item *item)
{
    lbr_frame g = *f;
    lbr_lower *lo = f->lo;
    const lbr_dialect *outer = lo->at.dialect;
    int drawn = lo->at.drawn, loop = lo->at.loop;
    const lbr_value *v;
    const lbr_trace *s;

    g.operand = NULL, g.n = g.most = 0, g.dialect.ctx = &g, lo->at.dialect = &g.dialect;
    lo->at.drawn = drawn || spelled_out(node, 0), lo->at.loop = 0;
    v = item && item->target.n ? family(lo, item) : lbr_lower_value(lo, node);
    s = v && !lo->at.failed ? computed(&g, v, node) : NULL;
    release(&g);
    lo->at.dialect = outer, lo->at.drawn = drawn, lo->at.loop = loop;
    if (!s) lo->at.failed = 1;
    return s;
}

/* What stands for a series by itself needs no program: a.x, max(...), 0.1. */
static int plain(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    switch (node->kind) {
    case LBR_NODE_MEMBER: *s = lbr_frame_member(f, node); break;
    case LBR_NODE_CALL:
        if (!lbr_frame_called(f, node, s)) return 0;
        break;
    case LBR_NODE_NUMBER:
        if (!(*s = lbr_trace_number(f->j->scratch, node->number))) lbr_frame_no_memory(f);
        break;
    default: return 0;
    }
    if (!*s) f->lo->at.failed = 1;
    return !*s || !(*s)->partial;
}

const lbr_trace *lbr_frame_value(lbr_frame *f, const lbr_node *node)
{
    const lbr_trace *s;

    return plain(f, node, &s) ? s : worked_out(f, node, NULL);
}

const lbr_trace *lbr_frame_family(lbr_frame *f, const lbr_item *item) { return worked_out(f, item->value, item); }
