/* vary.c - a claim under the settings that must break it: its runs again, then its verdict.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The settings count as nearer than those of the run itself, but for nothing else: the command line is nearer still. In
 * them the run's own step, steps, time, every and parameters are known: against step = 4*step. */
#include "judge/judging.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What `against` says of one run. */
typedef struct variation {
    lbr_overrides over;
    lbr_pair *option;
    const char *method;
    const lbr_item *until;
    lbr_change *change;
    int nchanges, most_changes;
} variation;

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* The names that settings may use, beside the model's: the claim's indices, and how the run is made. */
static int bind(const lbr_claim *c, lbr_trial *r)
{
    const struct {
        const char *name;
        double value;
    } own[] = { { "step", r->job.h },
                { "steps", (double)r->job.steps },
                { "time", r->job.h * (double)r->job.steps },
                { "every", (double)r->job.every } };
    lbr_lower *lo = &r->model->lo;

    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!lbr_local_push(lo, own[k].name, lbr_value_number(lo, own[k].value), 1)) return 0;
    for (int k = 0; k < c->nindex; k++)
        if (!lbr_local_push(lo, c->line->statement->target.index[k]->text, lbr_value_number(lo, (double)c->index[k]),
                            1))
            return 0;
    return 1;
}

static int number(lbr_lower *lo, const lbr_item *item, double *value)
{
    return item->value ? lbr_lower_constant(lo, item->value, value)
                       : (lbr_lower_fail(lo, item->target.place, "expected a number"), 0);
}

static int count(lbr_lower *lo, const lbr_item *item, int64_t least, int64_t *value)
{
    return item->value ? lbr_lower_integer(lo, item->value, item->target.name, least, INT64_C(1) << 53, value)
                       : (lbr_lower_fail(lo, item->target.place, "expected a number"), 0);
}

/* An option of the library: 0 after an error. */
static int option(lbr_experiment *x, lbr_lower *lo, const lbr_item *item, variation *v)
{
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o)) {
        const char *text = item->source;
        int64_t n;

        if (strcmp(o->name, item->target.name)) continue;
        if (o->type == LBR_OPTION_COUNT) {
            if (!count(lo, item, 0, &n)) return 0;
            text = lbr_arena_format(&x->arena, "%lld", (long long)n);
        }
        if (!text) return lbr_experiment_no_memory(x);
        v->option[v->over.noptions++] = (lbr_pair){ o->name, text };
        return 1;
    }
    return lbr_lower_fail(lo, item->target.place, "against cannot change '%.60s'", item->target.name), 0;
}

static int change(lbr_experiment *x, lbr_trial *r, const lbr_claim *c, const lbr_item *item, variation *v)
{
    lbr_change *some;
    int n = lbr_model_change(r->model, c->line, item, &some);

    if (n <= 0) return !n;
    if (!LBR_ROOM(&x->arena, v->change, v->nchanges, v->most_changes, n)) return lbr_experiment_no_memory(x);
    memcpy(v->change + v->nchanges, some, (size_t)n * sizeof *some);
    v->nchanges += n;
    return 1;
}

static int setting(lbr_experiment *x, lbr_trial *r, const lbr_claim *c, const lbr_item *item, variation *v)
{
    lbr_lower *lo = &r->model->lo;

    if (!lbr_setting_known(r->model, item->target.name)) return change(x, r, c, item, v);
    switch (lbr_setting_of(item->target.name)) {
    case LBR_SETTING_METHOD:
        return item->method && (v->method = lbr_method_text(x, r->model, c->line->file, item->method));
    case LBR_SETTING_STEP: return number(lo, item, &v->over.step);
    case LBR_SETTING_TIME: return number(lo, item, &v->over.time);
    case LBR_SETTING_STEPS: return count(lo, item, 0, &v->over.steps);
    case LBR_SETTING_EVERY: return count(lo, item, 1, &v->over.every);
    case LBR_SETTING_UNTIL: return v->until = item, 1;
    default: return option(x, lo, item, v);
    }
}

/* All settings of the claim for a run that is ready. */
static lbr_status read(lbr_judgement *j, const lbr_claim *c, lbr_trial *r, variation *v)
{
    const lbr_statement *st = c->line->statement;
    lbr_experiment *x = j->x;
    lbr_reading before;
    lbr_status status;
    int good;

    *v = (variation){ .over = x->over,
                      .option = lbr_arena_alloc(&x->arena, x->over.noptions + st->n + 1, sizeof *v->option) };
    if (!v->option) return lbr_experiment_fail(x, LBR_ENOMEM);
    v->over.noptions = 0;
    before = lbr_lower_enter(&r->model->lo, c->line, 0);
    good = bind(c, r);
    for (int k = 0; k < st->n && good; k++) good = setting(x, r, c, st->item + k, v);
    status = lbr_lower_leave(&r->model->lo, &before);
    for (int k = 0; k < x->over.noptions; k++) v->option[v->over.noptions++] = x->over.option[k];
    v->over.option = v->option;
    return good ? LBR_OK : lbr_experiment_fail(x, status == LBR_ENOMEM ? LBR_ENOMEM : LBR_EARG);
}

/* --- counting ---------------------------------------------------------------------------------------------------- */

static lbr_status cost_of(lbr_judgement *j, const lbr_claim *c, int i, double *cost)
{
    lbr_experiment *x = j->x;
    lbr_overrides over = x->over;
    lbr_trial r = x->run[i];
    lbr_status status;
    variation v;

    lbr_experiment_anew(x);
    if ((status = read(j, c, &r, &v))) return status;
    x->over = v.over;
    if (!lbr_settings_job(x, &r)) status = lbr_experiment_fail(x, LBR_EARG);
    x->over = over;
    if (v.method) r.job.method = v.method;
    if (!status) *cost += lbr_run_cost(&r.job);
    return status;
}

lbr_status lbr_vary_cost(lbr_judgement *j, int64_t k, double *evaluations)
{
    lbr_status status = LBR_OK;

    *evaluations = 0;
    for (int i = 0; i < j->x->nruns && !status; i++)
        if (lbr_judge_speaks(j, k, i) && !(status = lbr_experiment_ready(j->x, i)))
            status = cost_of(j, j->claim + k, i, evaluations);
    return status;
}

/* --- running ----------------------------------------------------------------------------------------------------- */

/* Run i becomes another one, ready to be made; what it was stays with the caller. */
static lbr_status vary(lbr_judgement *j, const lbr_claim *c, int i, lbr_trial *was)
{
    lbr_experiment *x = j->x;
    lbr_overrides over = x->over;
    lbr_trial *r = x->run + i;
    lbr_status status;
    variation v;

    lbr_experiment_anew(x);
    r->model = NULL, r->owns = r->ready = r->done = 0, r->start = NULL, r->note.text[0] = 0; /* these are not its own */
    memset(&r->result, 0, sizeof r->result);
    if ((status = read(j, c, was, &v))) return status;
    r->varied = v.change, r->nvaried = v.nchanges;
    x->over = v.over;
    status = lbr_experiment_ready(x, i);
    x->over = over;
    if (v.method) r->job.method = v.method;
    if (!status && v.until && !lbr_section_until(r, c->line, v.until)) status = lbr_experiment_fail(x, LBR_EARG);
    return status;
}

static lbr_status no_memory(lbr_bite *bite) { return lbr_fail(&bite->message, LBR_ENOMEM, "out of memory"); }

/* Whether it speaks of failures: then a run that fails may be what it says. */
static int speaks_of_failure(const lbr_node *node)
{
    if (node->kind == LBR_NODE_CALL && !strcmp(node->text, "failed")) return 1;
    for (int k = 0; k < node->n; k++)
        if (speaks_of_failure(node->arg[k])) return 1;
    return 0;
}

/* One run of it. *decided is set once nothing more is to be found out. */
static lbr_status one(lbr_judgement *j, const lbr_claim *c, int i, lbr_trial *was, const lbr_reproducing *how,
                      lbr_bite *bite, int *decided)
{
    lbr_experiment *x = j->x;
    lbr_status status = vary(j, c, i, was);
    const lbr_result *result = &x->run[i].result;
    const char *name = x->run[i].label ? x->run[i].label : "the run";
    int code = status ? LBR_EXIT_INPUT : lbr_reproduce_run(x, j, i, how);

    lbr_judge_forget(j, i);
    if (status == LBR_ENOMEM) return no_memory(bite);
    switch (code) {
    case LBR_EXIT_DONE: return LBR_OK;
    case LBR_EXIT_INTERRUPTED: return LBR_STOPPED;
    case LBR_EXIT_MACHINE:
        return lbr_fail(&bite->message, LBR_ENOMEM, "%.100s: %.400s", name, x->run[i].done ? result->text : x->message);
    case LBR_EXIT_NUMERICS:
        if (speaks_of_failure(c->line->statement->value)) return LBR_OK;
        *decided = bite->bites = 1;
        return lbr_fail(&bite->message, LBR_OK, "%.100s fails: %.390s", name, result->text);
    default:
        *decided = 1;
        return lbr_fail(&bite->message, LBR_OK, "%.100s: %.400s", name, x->run[i].done ? result->text : x->message);
    }
}

static void restore(lbr_judgement *j, int i, const lbr_trial *was)
{
    lbr_trial *r = j->x->run + i;

    if (r->done) lbr_result_free(&r->result);
    if (r->owns) lbr_model_free(r->model);
    *r = *was;
    lbr_judge_forget(j, i);
}

static lbr_status judge(lbr_judgement *j, int64_t k, lbr_bite *bite)
{
    lbr_status status = lbr_judge_claim(j, k, &bite->verdict);

    if (!status) {
        bite->bites = !bite->verdict.holds && !bite->verdict.unknown;
        if (bite->verdict.unknown) lbr_fail(&bite->message, LBR_OK, "%.500s", bite->verdict.note);
    } else if (status == LBR_ENOMEM) return no_memory(bite);
    else lbr_fail(&bite->message, status, "%.500s", j->x->message);
    return LBR_OK;
}

lbr_status lbr_vary_bite(lbr_judgement *j, int64_t k, const lbr_reproducing *how, lbr_bite *bite)
{
    lbr_experiment *x = j->x;
    lbr_trial *was = lbr_mem_alloc((size_t)x->nruns * sizeof *was);
    char *taken = lbr_mem_alloc((size_t)x->nruns);
    lbr_status status = LBR_OK;
    int decided = 0;

    *bite = (lbr_bite){ .bites = -1 };
    if (!was || !taken) status = no_memory(bite);
    for (int i = 0; i < x->nruns && !status && !decided; i++) {
        if (!lbr_judge_speaks(j, k, i)) continue;
        was[i] = x->run[i], taken[i] = 1;
        status = one(j, j->claim + k, i, was + i, how, bite, &decided);
    }
    if (!status && !decided) status = judge(j, k, bite);
    for (int i = 0; taken && i < x->nruns; i++)
        if (taken[i]) restore(j, i, was + i);
    lbr_mem_free(was), lbr_mem_free(taken);
    return status;
}
