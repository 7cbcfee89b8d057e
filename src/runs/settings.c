/* settings.c - what a run is told, and by whom: the command line, the run, the default run, the file that is used.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const lbr_option *option_named(const char *name)
{
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o))
        if (!strcmp(o->name, name)) return o;
    return NULL;
}

int lbr_setting_known(const lbr_model *m, const char *name)
{
    if (lbr_setting_of(name) >= 0) return 1;
    return option_named(name) && !lbr_symbol_find((lbr_lower *)&m->lo, name); /* an option yields to a quantity */
}

/* Statement k of those that speak for a run, the nearest first; NULL after the last. */
static const lbr_line *line_of(const lbr_trial *r, int k)
{
    if (r->line && k-- == 0) return r->line;
    return k < r->nabove ? r->above[k] : NULL;
}

static const lbr_item *item_in(const lbr_line *line, const char *name)
{
    for (int k = 0; k < line->statement->n; k++)
        if (line->statement->item[k].target.name && !strcmp(line->statement->item[k].target.name, name) &&
            !line->statement->item[k].target.n)
            return line->statement->item + k;
    return NULL;
}

/* Each setting once in a statement, and without index or prime: what is not read must not be there. */
static int form_of(lbr_trial *r, const lbr_line *line)
{
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_target *t = &line->statement->item[k].target;

        if (!t->name || !lbr_setting_known(r->model, t->name)) continue;
        if (t->n || t->prime)
            return lbr_file_error(line->file, t->place, "'%.60s' is a setting: it has no components and no rate",
                                  t->name),
                   0;
        for (int j = 0; j < k; j++)
            if (line->statement->item[j].target.name && !strcmp(line->statement->item[j].target.name, t->name))
                return lbr_file_error(line->file, t->place, "'%.60s' is set twice here", t->name), 0;
    }
    return 1;
}

static int forms_of(lbr_trial *r)
{
    const lbr_line *line;
    int good = 1;

    for (int k = 0; good && (line = line_of(r, k)); k++) good = form_of(r, line);
    return good;
}

/* The nearest setting of a name, and where. */
static const lbr_item *setting(const lbr_trial *r, const char *name, const lbr_line **where)
{
    const lbr_line *line;

    for (int k = 0; (line = line_of(r, k)); k++) {
        const lbr_item *item = item_in(line, name);

        if (item) return *where = line, item;
    }
    return NULL;
}

static int number(lbr_trial *r, const lbr_line *line, const lbr_item *item, double *value)
{
    lbr_lower *lo = &r->model->lo;
    lbr_reading before = lbr_lower_enter(lo, line, LBR_WHERE_AROUND);

    if (item->value) lbr_lower_constant(lo, item->value, value);
    else lbr_lower_fail(lo, item->target.place, "expected a number");
    return !lbr_lower_leave(lo, &before);
}

static int count(lbr_trial *r, const lbr_line *line, const lbr_item *item, int64_t least, int64_t *value)
{
    lbr_lower *lo = &r->model->lo;
    lbr_reading before = lbr_lower_enter(lo, line, LBR_WHERE_AROUND);

    if (item->value) lbr_lower_integer(lo, item->value, item->target.name, least, INT64_C(1) << 53, value);
    else lbr_lower_fail(lo, item->target.place, "expected a number");
    return !lbr_lower_leave(lo, &before);
}

/* --- step, steps, time: two determine the third ------------------------------------------------------------------ */

typedef struct span {
    double step, time;
    int64_t steps;
    int known;
} span; /* NaN and -1: not known */

static int line_span(lbr_trial *r, const lbr_line *line, span *s)
{
    const lbr_item *step = item_in(line, "step"), *steps = item_in(line, "steps"), *time = item_in(line, "time");

    if (step && steps && time)
        return lbr_file_error(line->file, time->target.place, "step, steps and time: two of them determine the third"),
               0;
    if (step && s->known < 2 && isnan(s->step)) {
        if (!number(r, line, step, &s->step)) return 0;
        s->known++;
    }
    if (steps && s->known < 2 && s->steps < 0) {
        if (!count(r, line, steps, 0, &s->steps)) return 0;
        s->known++;
    }
    if (time && s->known < 2 && isnan(s->time)) {
        if (!number(r, line, time, &s->time)) return 0;
        s->known++;
    }
    return 1;
}

static int how_long(lbr_experiment *x, lbr_trial *r)
{
    span s = { x->over.step, x->over.time, x->over.steps,
               (!isnan(x->over.step)) + (!isnan(x->over.time)) + (x->over.steps >= 0) };
    const lbr_line *line;
    lbr_message why = { 0 };
    lbr_job *job = &r->job;

    for (int k = 0; s.known < 2 && (line = line_of(r, k)); k++)
        if (!line_span(r, line, &s)) return 0;
    if (s.known < 2 && x->over.partial)
        return job->h = isnan(s.step) ? 0 : s.step, job->steps = s.steps < 0 ? 0 : s.steps, 1;
    if (s.known < 2)
        return lbr_experiment_say(x, LBR_EARG, "%s: of step, steps and time two are needed",
                                  r->label ? r->label : x->source->name),
               0;
    job->h = s.step, job->steps = s.steps;
    if (isnan(s.step) && s.steps == 0 && x->over.steps)
        return lbr_experiment_say(x, LBR_EARG, "%s: time cannot be divided into 0 steps; give a step",
                                  r->label ? r->label : x->source->name),
               0;
    if (isnan(s.step)) job->h = s.time / (double)(s.steps ? s.steps : 1); /* --steps 0: the start, whatever the step */
    if (!isfinite(job->h) || job->h == 0)
        return lbr_experiment_say(x, LBR_EARG, "%s: the step is %g; it must be finite and not zero",
                                  r->label ? r->label : x->source->name, job->h),
               0;
    if (s.steps >= 0) return 1;
    if (!lbr_span(s.time, job->options.land, &job->h, &job->steps, &why, &r->note)) return 1;
    return lbr_experiment_say(x, LBR_EARG, "%s: %s", r->label ? r->label : x->source->name, why.text), 0;
}

/* --- options ----------------------------------------------------------------------------------------------------- */

static int line_options(lbr_trial *r, const lbr_line *line)
{
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_item *item = line->statement->item + k;
        const lbr_option *o = item->target.name && !lbr_symbol_find(&r->model->lo, item->target.name)
                                  ? option_named(item->target.name)
                                  : NULL;
        char text[64];
        int64_t v;

        if (!o) continue;
        snprintf(text, sizeof text, "%.60s", item->source ? item->source : "");
        if (o->type == LBR_OPTION_COUNT) {
            if (!count(r, line, item, 0, &v)) return 0;
            snprintf(text, sizeof text, "%lld", (long long)v);
        }
        if (!lbr_option_set(&r->job.options, o->name, text)) continue;
        lbr_file_error(line->file, item->target.place, "%s has no value '%.40s'; it is one of: %s", o->name, text,
                       o->values);
        return 0;
    }
    return 1;
}

static int options_of(lbr_experiment *x, lbr_trial *r)
{
    lbr_options_init(&r->job.options);
    for (int k = r->nabove + (r->line != NULL) - 1; k >= 0; k--)
        if (!line_options(r, line_of(r, k))) return 0;
    for (int k = 0; k < x->over.noptions; k++)
        lbr_option_set(&r->job.options, x->over.option[k].name, x->over.option[k].value);
    r->job.options.methods = r->table, r->job.options.nmethods = x->nmethods;
    return 1;
}

int lbr_settings_extended(lbr_experiment *x, lbr_trial *r)
{
    const lbr_line *line;
    const lbr_item *item = setting(r, "precision", &line);
    int extended = item && item->source && !lbr_symbol_find(&r->model->lo, "precision") &&
                   !strcmp(item->source, "extended");

    for (int k = 0; k < x->over.noptions; k++)
        if (!strcmp(x->over.option[k].name, "precision")) extended = !strcmp(x->over.option[k].value, "extended");
    return extended;
}

/* --- record: columns by their names ------------------------------------------------------------------------------ */

/* "M[2,1]" is one of "M", "M[2]" and "M[2,1]"; "Q[2].e0" one of "Q" and "Q[2]". */
static int column_is(const char *column, const char *name)
{
    size_t n = strlen(name);

    if (n && name[n - 1] == ']' && !strncmp(column, name, n - 1) && column[n - 1] == ',') return 1;
    return !strncmp(column, name, n) && (!column[n] || (column[n] == '[' && !strchr(name, '[')) || column[n] == '.');
}

static const char multipliers[] = "lambda."; /* how the names of their columns begin */

/* "q", "q[2]", "q[2,1]", "lambda.c" of an expression. */
static void write_column(lbr_lower *lo, const lbr_node *node, char *text, size_t size)
{
    const lbr_node *name = node->kind == LBR_NODE_INDEX ? node->arg[0] : node, *of = name;
    char whole[128];
    int64_t index[LBR_RANK];
    int n = node == name ? 0 : node->n - 1;
    int lambda = of->kind == LBR_NODE_CALL && !strcmp(of->text, "multiplier") && of->n == 1;

    if (lambda) of = of->arg[0];
    if (of->kind != LBR_NODE_NAME) {
        lbr_lower_fail(lo, node->first, "record names quantities, or components of them");
        return;
    }
    if (node->n > 1 + LBR_RANK) {
        lbr_lower_fail(lo, node->first, "at most %d indices", LBR_RANK);
        return;
    }
    for (int k = 0; k < n; k++)
        if (!lbr_lower_integer(lo, node->arg[k + 1], "an index", 1, LBR_MOST_COMPONENTS, index + k)) return;
    snprintf(whole, sizeof whole, "%s%.100s", lambda ? multipliers : "", of->text);
    lbr_component_name(text, size, whole, n, index);
}

static int column_name(lbr_trial *r, const lbr_line *line, const lbr_node *node, char *text, size_t size)
{
    lbr_reading before = lbr_lower_enter(&r->model->lo, line, LBR_WHERE_AROUND);

    write_column(&r->model->lo, node, text, size);
    return !lbr_lower_leave(&r->model->lo, &before);
}

/* M[2,1]: element k of an array. */
static const char *element_name(const char *name, int64_t rank, const int64_t *shape, int64_t k, char *text,
                                size_t size)
{
    int64_t index[LBR_RANK] = { 0 };
    char some[101];

    snprintf(some, sizeof some, "%s", name);
    lbr_component_index(k, (int)rank, shape, index);
    lbr_component_name(text, size, some, (int)rank, index);
    return text;
}

/* The name of column k of the full record; NULL after the last. */
static const char *column_at(const lbr_trial *r, int64_t k, char *text, size_t size)
{
    const lbr_system *s = r->job.system;
    int64_t dim = s->dim;

    if (k == 0) return "t";
    if (--k < dim) return lbr_system_component(s, k, text, size);
    k -= dim;
    if (s->energy && k-- == 0) return "H";
    for (int64_t i = 0; s->invariants && i < s->invariants->count; i++) {
        const lbr_invariant *v = s->invariants->item + i;

        if (k < v->len) return lbr_component_name(text, size, v->name, v->len > 1, &(int64_t){ k + 1 }), text;
        k -= v->len;
    }
    for (int64_t i = 0; i < r->job.nobserved; i++) {
        if (k < r->observed[i].len)
            return element_name(r->observed[i].name, r->observed[i].rank, r->observed[i].shape, k, text, size);
        k -= r->observed[i].len;
    }
    if (s->constraints && k < s->constraints->m)
        return snprintf(text, size, "%s%.100s", multipliers, s->constraints->names[k]), text;
    return NULL;
}

/* Marks the columns that one element of the list names. */
static int mark(lbr_trial *r, const lbr_line *line, const lbr_node *node, int64_t n, char *kept)
{
    char text[256], want[256];
    size_t length = sizeof multipliers - 1;
    int found = 0, lambda;

    if (!column_name(r, line, node, want, sizeof want)) return 0;
    lambda = !strncmp(want, multipliers, length);
    for (int64_t k = 0; k < n; k++) /* what is called lambda is no multiplier */
        if (column_is(column_at(r, k, text, sizeof text), want) && lambda == !strncmp(text, multipliers, length))
            found = kept[k] = 1;
    if (!found && lambda)
        return lbr_file_error(line->file, node->first,
                              "there is no constraint '%.60s' whose multiplier could be recorded", want + length),
               0;
    return found || (lbr_file_error(line->file, node->first, "there is no quantity '%.60s' to record", want), 0);
}

static int record_of(lbr_experiment *x, lbr_trial *r)
{
    const lbr_line *line;
    const lbr_item *item = setting(r, "record", &line);
    int64_t n = 0, *column, count_of = 0;
    char text[256], *kept;

    if (!item) return 1;
    if (!item->value || item->value->kind != LBR_NODE_LIST)
        return lbr_file_error(line->file, item->target.place, "expected a list: record = [H, q[1]]"), 0;
    while (column_at(r, n, text, sizeof text)) n++;
    column = lbr_arena_alloc(&x->arena, n, sizeof *column), kept = lbr_arena_alloc(&x->arena, n, 1);
    if (!column || !kept) return lbr_experiment_no_memory(x);
    for (int i = 0; i < item->value->n; i++)
        if (!mark(r, line, item->value->arg[i], n, kept)) return 0;
    for (int64_t k = 0; k < n; k++) /* in the order of the record */
        if (kept[k]) column[count_of++] = k;
    r->job.record = column, r->job.nrecord = count_of;
    return 1;
}

/* --- the rest ---------------------------------------------------------------------------------------------------- */

static int later(const lbr_trial *r, const char *name, const char *what)
{
    const lbr_line *line;
    const lbr_item *item = setting(r, name, &line);

    return !item || (lbr_file_error(line->file, item->target.place, "%s", what), 0);
}

static int until_of(lbr_trial *r)
{
    const lbr_line *line = NULL;
    const lbr_item *item = setting(r, "until", &line);

    return lbr_section_until(r, line, item);
}

static int method_of(lbr_experiment *x, lbr_trial *r)
{
    const lbr_line *line;
    const lbr_item *item = setting(r, "method", &line);

    if (x->over.method) return (r->job.method = lbr_method_given(x, r->model, "--method", x->over.method)) != NULL;
    if (!item && x->over.partial) return 1;
    if (!item || !item->method)
        return lbr_experiment_say(x, LBR_EARG, "%s: no method is given; --method M gives one",
                                  r->label ? r->label : x->source->name),
               0;
    return (r->job.method = lbr_method_text(x, r->model, line->file, item->method)) &&
           lbr_method_checked(x, r->model, line->file, item->method, r->table);
}

static int every_of(lbr_experiment *x, lbr_trial *r)
{
    const lbr_line *line;
    const lbr_item *item = setting(r, "every", &line);

    r->job.every = 1;
    if (x->over.every > 0) return r->job.every = x->over.every, 1;
    return !item || count(r, line, item, 1, &r->job.every);
}

int lbr_settings_job(lbr_experiment *x, lbr_trial *r)
{
    lbr_reading before;
    int good;

    if (!lbr_method_tables_of(x, r->model, &r->table))
        return 0; /* before the run's indices are known: tables are the file's */
    before = r->line ? lbr_lower_enter(&r->model->lo, r->line, 0) : lbr_model_enter(r->model);
    lbr_trial_bind(r, &r->model->lo);
    good = forms_of(r) &&
           later(r, "control", "variable steps (control) come with a later version; without it steps are constant") &&
           until_of(r) && options_of(x, r) && method_of(x, r) && how_long(x, r) && every_of(x, r) && record_of(x, r);
    lbr_lower_leave(&r->model->lo, &before);
    return good;
}
