/* runs.c - the runs of a file: which there are, and each with its model. SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 100 }; /* runs whose functions are kept */

static lbr_status say(lbr_experiment *x, lbr_file *file, lbr_place place, const char *text, const char *name)
{
    lbr_file_error(file, place, text, name);
    return lbr_experiment_fail(x, LBR_EARG);
}

/* Runs by their labels, or families by their names: 1 more than the number of the (first) run, 0: none. */
typedef struct table {
    int *slot;
    uint64_t mask;
} table;

static int table_open(lbr_experiment *x, table *t, int64_t n)
{
    for (t->mask = 15; t->mask < 2 * (uint64_t)n; t->mask = 2 * t->mask + 1)
        ;
    return (t->slot = lbr_arena_alloc(&x->arena, (int64_t)t->mask + 1, sizeof *t->slot)) != NULL;
}

static int *slot_of(const lbr_experiment *x, const table *t, const char *name, int family)
{
    uint64_t i = lbr_hash(LBR_HASH, name, strlen(name)) & t->mask;

    while (t->slot[i] && strcmp(family ? x->run[t->slot[i] - 1].family : x->run[t->slot[i] - 1].label, name))
        i = (i + 1) & t->mask;
    return t->slot + i;
}

/* --- which runs there are ---------------------------------------------------------------------------------------- */

static lbr_status too_many(lbr_experiment *x)
{
    return lbr_experiment_say(x, LBR_EARG, "more than %d runs in a file, which is the limit" LBR_RAISED(LBR_MOST_RUNS),
                              LBR_MOST_RUNS);
}

static lbr_status add_run(lbr_experiment *x, lbr_trial run)
{
    if (x->nruns >= LBR_MOST_RUNS) return too_many(x);
    if (!LBR_ROOM_FOR_ONE(NULL, x->run, x->nruns)) return lbr_experiment_fail(x, LBR_ENOMEM);
    x->run[x->nruns++] = run;
    return LBR_OK;
}

static lbr_status members(lbr_experiment *x, lbr_trial *r, int k)
{
    lbr_lower *lo = &x->base->lo;
    const lbr_target *t = &r->line->statement->target;
    const lbr_node *b;
    int64_t from, to;
    lbr_status status = LBR_OK;

    if (k == t->n)
        return r->label = lbr_arena_component(&x->arena, r->family, r->nindex, r->index),
               r->label ? add_run(x, *r) : lbr_experiment_fail(x, LBR_ENOMEM);
    b = t->index[k];
    if (b->kind != LBR_NODE_BINDER || k >= LBR_RANK)
        return say(x, r->line->file, b->first, "expected a range here, as in %.40s[k = 1..4]", t->name);
    if (!lbr_lower_integer(lo, b->arg[0], "the beginning of a range", -1000000000, 1000000000, &from))
        return lbr_experiment_fail(x, LBR_EARG);
    if (!lbr_lower_integer(lo, b->arg[1], "the end of a range", -1000000000, 1000000000, &to))
        return lbr_experiment_fail(x, LBR_EARG);
    if (to - from >= LBR_MOST_RUNS) return too_many(x); /* nobody waits for them to be counted */
    for (int64_t i = from; i <= to && !status; i++) {
        int inner = k + 1 < t->n; /* whose range may depend on this one */

        r->index[k] = i, r->index_name[k] = b->text, r->nindex = k + 1;
        if (inner && !lbr_local_push(lo, b->text, lbr_value_number(lo, (double)i), 1))
            return lbr_experiment_fail(x, LBR_ENOMEM);
        status = members(x, r, k + 1);
        lbr_local_pop(lo, inner);
    }
    return status;
}

static lbr_status named_run(lbr_experiment *x, const lbr_line *line, const lbr_trial *like, const table *families)
{
    lbr_trial r = *like;
    lbr_reading reading;
    lbr_status status;
    int before = x->nruns;

    if (*slot_of(x, families, line->statement->target.name, 1))
        return say(x, line->file, line->statement->target.place, "there is a run '%.60s' already",
                   line->statement->target.name);
    r.family = line->statement->target.name, r.line = line, r.nindex = 0;
    reading = lbr_lower_enter(&x->base->lo, line, 0);
    status = members(x, &r, 0);
    lbr_lower_leave(&x->base->lo, &reading);
    if (status) return status;
    *slot_of(x, families, r.family, 1) = before + 1;
    return x->nruns > before
               ? LBR_OK
               : say(x, line->file, line->statement->target.place, "'%.60s' is an empty family of runs", r.family);
}

/* The run without a name, and those of used files: what holds where a run says nothing. Their changes are made first.
 */
static lbr_status defaults(lbr_experiment *x, lbr_trial *like)
{
    const lbr_line *own = NULL;
    lbr_status status;

    for (int k = 0; k < x->source->nextra; k++) {
        const lbr_statement *st = x->source->extra[k].statement;

        if (st->kind != LBR_ST_RUN || st->faulty || st->target.name) continue;
        if (own) return say(x, x->source->extra[k].file, st->place, "a second run without a name%s", "");
        own = x->source->extra + k;
        for (int i = 0; i < st->n; i++)
            if (st->item[i].target.name && !strcmp(st->item[i].target.name, "from"))
                return say(x, own->file, st->item[i].target.place,
                           "'%s' stands in a run with a name: another run must be before it", "from");
    }
    if (!(like->above = lbr_arena_alloc(&x->arena, x->source->nfirst + 1, sizeof *like->above)))
        return lbr_experiment_fail(x, LBR_ENOMEM);
    if (own) like->above[like->nabove++] = own;
    for (int k = x->source->nfirst - 1; k >= 0; k--) like->above[like->nabove++] = x->source->first_run + k;
    for (int k = like->nabove - 1; k >= 0; k--)
        if ((status = lbr_base_change(x, like->above[k]))) return status;
    return LBR_OK;
}

/* --- the runs ---------------------------------------------------------------------------------------------------- */

/* "v[2]", of an expression in this run's statement. */
static lbr_status name_of_run(lbr_experiment *x, const lbr_trial *r, const lbr_node *node, char *name, size_t size)
{
    lbr_lower *lo = &x->base->lo;
    lbr_reading before = lbr_lower_enter(lo, r->line, 0);
    size_t at = (size_t)snprintf(name, size, "%.100s", node->kind == LBR_NODE_NAME ? node->text : node->arg[0]->text);
    lbr_status status;

    lbr_trial_bind(r, lo);
    for (int k = 1; node->kind == LBR_NODE_INDEX && k < node->n; k++) {
        int64_t i;

        if (!lbr_lower_integer(lo, node->arg[k], "an index", -1000000000, 1000000000, &i)) break;
        at += (size_t)snprintf(name + at, size - at, "%s%lld%s", k > 1 ? "," : "[", (long long)i,
                               k == node->n - 1 ? "]" : "");
    }
    status = lbr_lower_leave(lo, &before);
    return status ? lbr_experiment_fail(x, status) : LBR_OK;
}

static lbr_status find_from(lbr_experiment *x, lbr_trial *r, const table *before)
{
    const lbr_item *item = NULL;
    const lbr_line *line = r->line;
    lbr_status status;
    lbr_node *node;
    char name[256];

    r->from = -1;
    for (int k = 0; line && k < line->statement->n; k++)
        if (line->statement->item[k].target.name && !strcmp(line->statement->item[k].target.name, "from"))
            item = line->statement->item + k;
    if (!item || !item->value) return LBR_OK;
    node = item->value;
    if (node->kind != LBR_NODE_NAME && (node->kind != LBR_NODE_INDEX || node->arg[0]->kind != LBR_NODE_NAME))
        return say(x, line->file, node->first, "expected the name of a run: from = a, or from = v[2]%s", "");
    if (node->n > 1 + LBR_RANK) return say(x, line->file, node->first, "too many indices%s", "");
    if ((status = name_of_run(x, r, node, name, sizeof name))) return status;
    r->from = *slot_of(x, before, name, 0) - 1;
    return r->from >= 0
               ? LBR_OK
               : say(x, line->file, node->first, "there is no run '%.60s' before this one to go on from", name);
}

int lbr_experiment_find(const lbr_experiment *x, const char *name)
{
    for (int k = 0; k < x->nruns; k++)
        if (x->run[k].label && (!strcmp(x->run[k].label, name) || !strcmp(x->run[k].family, name))) return k;
    return -1;
}

static lbr_status no_such_run(lbr_experiment *x, const char *name)
{
    const char *best = NULL;
    int least = 4;

    for (int k = 0; k < x->nruns && k < 1000 && x->named; k++) {
        if (lbr_text_distance(name, x->run[k].family) < least) least = lbr_text_distance(name, best = x->run[k].family);
        if (lbr_text_distance(name, x->run[k].label) < least) least = lbr_text_distance(name, best = x->run[k].label);
    }
    if (best)
        return lbr_experiment_say(x, LBR_EARG, "--run: there is no run '%.60s' in this file; did you mean '%.60s'?",
                                  name, best);
    return lbr_experiment_say(x, LBR_EARG, "--run: there is no run '%.60s' in this file%s", name,
                              x->named ? "" : ": its run has no name");
}

lbr_status lbr_experiment_open(lbr_experiment *x, lbr_source *source, const lbr_overrides *over)
{
    lbr_trial like = { .from = -1 };
    table families, before;
    lbr_status status;

    *x = (lbr_experiment){ .source = source, .over = *over };
    if ((status = lbr_model_make(&x->base, source, NULL, 0))) return lbr_experiment_fail(x, status);
    if ((status = defaults(x, &like)) || (status = lbr_base_given(x))) return status;
    if (!lbr_method_tables(x)) return lbr_experiment_fail(x, LBR_EARG);
    if (!table_open(x, &families, source->nextra)) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (int k = 0; k < source->nextra; k++) {
        const lbr_statement *st = source->extra[k].statement;

        if (st->kind == LBR_ST_RUN && !st->faulty && st->target.name &&
            (status = named_run(x, source->extra + k, &like, &families)))
            return status;
    }
    x->named = x->nruns > 0, x->shared = like;
    if (!x->named && (status = add_run(x, like))) return status;
    if (!table_open(x, &before, x->nruns)) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (int k = 0; k < x->nruns && x->named; k++) {
        if ((status = find_from(x, x->run + k, &before))) return status;
        *slot_of(x, &before, x->run[k].label, 0) = k + 1;
    }
    return over->run && lbr_experiment_find(x, over->run) < 0 ? no_such_run(x, over->run) : LBR_OK;
}

/* A family of constraints may be empty for some parameters, but not all that there are. */
static lbr_status constrained(lbr_experiment *x, const lbr_model *m)
{
    if (!m->nconstraints || m->m) return LBR_OK;
    return say(x, m->constraint->file, m->constraint->place,
               "'%.60s' is an empty family, and there is no other constraint: its range must have members",
               m->constraint->name);
}

/* Option project_start. Where another run has ended one goes on from there, as it is, if that can be. */
static lbr_status projected(lbr_experiment *x, lbr_trial *r)
{
    lbr_message why = { 0 };
    lbr_status status;
    double *y = lbr_arena_alloc(&x->arena, r->model->dim, sizeof *y);

    if (!y) return lbr_experiment_fail(x, LBR_ENOMEM);
    memcpy(y, r->job.y0, (size_t)r->model->dim * sizeof *y);
    if ((status = lbr_start_project(&r->job, r->from >= 0, y, &why)))
        return lbr_experiment_say(x, status, "%s: %s", x->source->name, why.text);
    r->job.y0 = y, r->job.y0_low = NULL;
    return LBR_OK;
}

static lbr_status where_from(lbr_experiment *x, lbr_trial *r)
{
    lbr_message why = { 0 };
    lbr_status status;

    r->job.t0 = r->model->t0, r->job.y0 = r->model->y0;
    if (r->from >= 0) {
        const lbr_result *before = &x->run[r->from].result;

        if (!x->run[r->from].done || before->exit)
            return lbr_experiment_say(x, LBR_EARG, "%s: run %s, at whose end it starts, has failed", r->label,
                                      x->run[r->from].label);
        if (before->dim != r->model->dim)
            return lbr_experiment_say(x, LBR_EARG, "%s: run %s has another number of components", r->label,
                                      x->run[r->from].label);
        r->job.t0 = before->t, r->job.y0 = before->y;
        if (r->job.options.precision) r->job.y0_low = before->low;
    }
    if (x->over.start) {
        r->start = lbr_arena_alloc(&x->arena, r->model->dim, sizeof *r->start);
        if (!r->start) return lbr_experiment_fail(x, LBR_ENOMEM);
        if ((status = lbr_start_read(x->over.start, r->model->dim, r->start, &why)))
            return lbr_experiment_say(x, status, "%s", why.text);
        r->job.y0 = r->start, r->job.y0_low = NULL;
    }
    if (r->job.options.project_start && (status = projected(x, r))) return status;
    if (r->from < 0 && (status = lbr_model_consistent(r->model, r->job.t0, r->job.y0, &why)))
        return lbr_experiment_say(x, status, "%s: %s", x->source->name, why.text);
    return LBR_OK;
}

lbr_status lbr_experiment_ready(lbr_experiment *x, int i) { return lbr_trial_ready(x, x->run + i); }

lbr_status lbr_trial_ready(lbr_experiment *x, lbr_trial *r)
{
    lbr_message why = { 0 };
    lbr_status status;

    lbr_experiment_anew(x);
    if (r->ready) return LBR_OK;
    if ((status = lbr_trial_model(x, r)) || (status = constrained(x, r->model))) return status;
    if (lbr_settings_extended(x, r) && (status = lbr_trial_extended(x, r))) return status;
    r->job = (lbr_job){
        .name = r->label, .model = x->source->name, .digest = r->model->digest, .kernel = "interpreter"
    };
    if (!(r->job.system = lbr_model_system(r->model, &why))) return lbr_experiment_refused(x, &why);
    r->job.lossy = r->model->rayleigh >= 0 || !r->model->structure.autonomous;
    r->job.spent = &x->spent;
    if (x->over.native && x->over.native(r->model, &r->job, x->over.interrupt))
        return lbr_experiment_fail(x, LBR_ENOMEM);
    r->observed = lbr_arena_alloc(&x->arena, r->model->nobserved + 1, sizeof *r->observed);
    if (!r->observed) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (int k = 0; k < r->model->nobserved; k++) {
        const lbr_observed *o = lbr_model_observed(r->model, k);

        r->observed[k] = (lbr_quantity){ o->name, o->shape.rank, o->shape.n, o->len, lbr_function_call, (void *)&o->f };
    }
    r->job.observed = r->observed, r->job.nobserved = r->model->nobserved;
    if (r->model->nconstraints && !r->job.system->constraints)
        r->job.residual = lbr_function_call, r->job.residual_ctx = &r->model->functions->residual,
        r->job.nresidual = r->model->m;
    if (!lbr_settings_job(x, r)) return lbr_experiment_fail(x, LBR_EARG);
    r->ready = 1;
    return LBR_OK;
}

lbr_status lbr_experiment_prepare(lbr_experiment *x, int i)
{
    lbr_status status = lbr_experiment_ready(x, i);

    if (status || (status = where_from(x, x->run + i))) return status;
    return lbr_sections_attach(x, x->run + i);
}

void lbr_experiment_trim(lbr_experiment *x, int i)
{
    lbr_trial *r = x->run + i;

    if (!r->owns || x->nruns < FEW) return;
    lbr_functions_free(r->model);
    r->model->functions = NULL, r->job.system = NULL, r->job.observed = NULL, r->job.nobserved = 0, r->job.cut = NULL,
    r->job.ncuts = 0;
}

const lbr_system *lbr_experiment_system(lbr_experiment *x, lbr_trial *r, lbr_message *message)
{
    (void)x;
    if (!r->job.system && r->model) r->job.system = lbr_model_system(r->model, message);
    return r->job.system;
}

void lbr_experiment_free(lbr_experiment *x)
{
    for (int k = 0; k < x->nruns; k++) {
        if (x->run[k].done) lbr_result_free(&x->run[k].result);
        if (x->run[k].owns) lbr_model_free(x->run[k].model);
    }
    lbr_mem_free(x->run);
    lbr_model_free(x->base);
    lbr_arena_free(&x->arena);
}
