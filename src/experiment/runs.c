/* runs.c - the runs of a file: which there are, and each with its model. SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"
#include "kernel/fuse.h"
#include "csystem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether a graph has met its end that way: what was said of the text then is not the reason. */
static int out_of_memory(const lbr_experiment *x)
{
    int gone = x->base && x->base->dag.status == LBR_ENOMEM;

    for (int k = 0; k < x->nruns && !gone; k++) gone = x->run[k].model && x->run[k].model->dag.status == LBR_ENOMEM;
    return gone;
}

enum { FEW = 100 };                                      /* runs whose functions are kept                              */

lbr_status lbr_experiment_fail(lbr_experiment *x, lbr_status status)
{
    int errors = 0;

    if (out_of_memory(x)) return snprintf(x->message, sizeof x->message, "out of memory"), LBR_ENOMEM;
    for (int k = 0; k < x->source->nfiles; k++) errors += x->source->file[k]->nerrors;
    if (errors) lbr_source_report(x->source);
    if ((errors || !x->message[0]) && x->source->message) snprintf(x->message, sizeof x->message, "%s", x->source->message);
    if (x->message[0]) return status;
    snprintf(x->message, sizeof x->message, "out of memory");        /* whoever has nothing to say had no memory       */
    return LBR_ENOMEM;
}

static lbr_status say(lbr_experiment *x, lbr_file *file, lbr_place place, const char *text, const char *name)
{
    lbr_file_error(file, place, text, name);
    return lbr_experiment_fail(x, LBR_EARG);
}

/* --- changed models ----------------------------------------------------------------------------------------------------------------------- */

typedef struct changes { lbr_change *item;  int n, most; } changes;

static int add_changes(lbr_experiment *x, lbr_model *m, lbr_file *file, const lbr_item *item, changes *all)
{
    lbr_change *some, *more;
    int n = lbr_model_change(m, file, item, &some);

    if (n < 0) return 0;
    if (all->n + n > all->most) {
        more = lbr_arena_alloc(&x->arena, 2 * (all->n + n), sizeof *more);
        if (!more) return 0;
        if (all->n) memcpy(more, all->item, (size_t)all->n * sizeof *more);
        all->item = more, all->most = 2 * (all->n + n);
    }
    if (n) memcpy(all->item + all->n, some, (size_t)n * sizeof *more);
    all->n += n;
    return 1;
}

/* Whether a file that uses the file of this line has given the name anew: that is nearer. */
static int used_anew(const lbr_experiment *x, const lbr_line *line, const char *name)
{
    for (int i = 0; i < x->source->nlines; i++) {
        const lbr_line *l = x->source->line + i;

        for (int k = 0; l->statement->kind == LBR_ST_USE && l->depth < line->depth && k < l->statement->n; k++)
            if (l->statement->item[k].target.name && !strcmp(l->statement->item[k].target.name, name)) return 1;
    }
    return 0;
}

/* What a run statement changes of the model. */
static int line_changes(lbr_experiment *x, lbr_model *m, const lbr_line *line, changes *all)
{
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_item *item = line->statement->item + k;

        if (!item->target.name || lbr_setting_known(m, item->target.name) || used_anew(x, line, item->target.name)) continue;
        if (!add_changes(x, m, line->file, item, all)) return 0;
    }
    return 1;
}

/* The model with what it has been changed to before, and more. */
static lbr_status changed(lbr_experiment *x, lbr_model *m, const changes *more, lbr_model **out)
{
    changes all = { .item = lbr_arena_alloc(&x->arena, m->nchanges + more->n + 1, sizeof *all.item) };

    if (!all.item) return LBR_ENOMEM;
    for (int k = 0; k < m->nchanges; k++) {
        int replaced = 0;

        for (int j = 0; j < more->n; j++) replaced |= m->change[k].prime == more->item[j].prime && !strcmp(m->change[k].name, more->item[j].name);
        if (!replaced) all.item[all.n++] = m->change[k];
    }
    for (int j = 0; j < more->n; j++) all.item[all.n++] = more->item[j];
    return lbr_model_make(out, x->source, all.item, all.n);
}

static lbr_status rebase(lbr_experiment *x, const changes *more)
{
    lbr_model *next;
    lbr_status status;

    if (!more->n) return LBR_OK;
    if ((status = changed(x, x->base, more, &next))) return lbr_experiment_fail(x, status);
    lbr_model_free(x->base);
    x->base = next;
    return LBR_OK;
}

/* --set NAME=VALUE: read like a start statement. */
static lbr_status command_line(lbr_experiment *x, changes *all)
{
    for (int k = 0; k < x->over.nsets; k++) {
        char *text = lbr_arena_format(&x->arena, "start %s = %s\n", x->over.set[k].name, x->over.set[k].value), *name = lbr_arena_format(&x->arena, "--set %s", x->over.set[k].name);
        lbr_file *file = text && name ? lbr_source_add(x->source, name, text) : NULL;

        if (!file) return lbr_experiment_fail(x, LBR_EARG);
        if (lbr_setting_known(x->base, x->over.set[k].name))
            return snprintf(x->message, sizeof x->message, "--set gives parameters and variables anew; '%.60s' is a setting, given as --%.60s", x->over.set[k].name, x->over.set[k].name), LBR_EARG;
        if (file->nstatements != 1 || file->statement->faulty || file->statement->n != 1) return snprintf(x->message, sizeof x->message, "--set %s=%s: expected NAME=VALUE", x->over.set[k].name, x->over.set[k].value), LBR_EARG;
        if (!add_changes(x, x->base, file, file->statement->item, all)) return lbr_experiment_fail(x, LBR_EARG);
    }
    return LBR_OK;
}

/* Runs by their labels, or families by their names: 1 more than the number of the (first) run, 0: none. */
typedef struct table { int *slot;  uint64_t mask; } table;

static int table_open(lbr_experiment *x, table *t, int64_t n)
{
    for (t->mask = 15; t->mask < 2 * (uint64_t)n; t->mask = 2 * t->mask + 1) ;
    return (t->slot = lbr_arena_alloc(&x->arena, (int64_t)t->mask + 1, sizeof *t->slot)) != NULL;
}

static int *slot_of(const lbr_experiment *x, const table *t, const char *name, int family)
{
    uint64_t i = lbr_hash(LBR_HASH, name, strlen(name)) & t->mask;

    while (t->slot[i] && strcmp(family ? x->run[t->slot[i] - 1].family : x->run[t->slot[i] - 1].label, name)) i = (i + 1) & t->mask;
    return t->slot + i;
}

/* --- which runs there are ------------------------------------------------------------------------------------------------------------------------ */

static lbr_status add_run(lbr_experiment *x, lbr_trial run)
{
    lbr_trial *more;

    if (x->nruns >= LBR_MOST_RUNS) return snprintf(x->message, sizeof x->message, "more than %d runs in a file, which is the limit" LBR_RAISED(LBR_MOST_RUNS), LBR_MOST_RUNS), LBR_EARG;
    if (!(x->nruns & (x->nruns - 1))) {
        more = lbr_mem_alloc((size_t)(x->nruns ? 2 * x->nruns : 1) * sizeof *more);
        if (!more) return lbr_experiment_fail(x, LBR_ENOMEM);
        if (x->nruns) memcpy(more, x->run, (size_t)x->nruns * sizeof *more);
        lbr_mem_free(x->run);
        x->run = more;
    }
    x->run[x->nruns++] = run;
    return LBR_OK;
}

static const char *label_of(lbr_experiment *x, const lbr_trial *r)
{
    char text[256];
    size_t at = (size_t)snprintf(text, sizeof text, "%.100s", r->family);

    for (int k = 0; k < r->nindex && at < sizeof text; k++) at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", k ? "," : "[", (long long)r->index[k]);
    if (r->nindex && at < sizeof text) snprintf(text + at, sizeof text - at, "]");
    return lbr_arena_text(&x->arena, text);
}

static lbr_status members(lbr_experiment *x, lbr_trial *r, int k)
{
    lbr_lower *lo = &x->base->lo;
    const lbr_target *t = &r->line->statement->target;
    const lbr_node *b;
    int64_t from, to;
    lbr_status status = LBR_OK;

    if (k == t->n) return r->label = label_of(x, r), r->label ? add_run(x, *r) : lbr_experiment_fail(x, LBR_ENOMEM);
    b = t->index[k];
    if (b->kind != LBR_NODE_BINDER || k >= LBR_RANK) return say(x, r->line->file, b->first, "expected a range here, as in %.40s[k = 1..4]", t->name);
    if (!lbr_lower_integer(lo, b->arg[0], "the beginning of a range", -1000000000, 1000000000, &from)) return lbr_experiment_fail(x, LBR_EARG);
    if (!lbr_lower_integer(lo, b->arg[1], "the end of a range", -1000000000, 1000000000, &to)) return lbr_experiment_fail(x, LBR_EARG);
    for (int64_t i = from; i <= to && !status; i++) {
        int inner = k + 1 < t->n;                        /* whose range may depend on this one                         */

        r->index[k] = i, r->index_name[k] = b->text, r->nindex = k + 1;
        if (inner && !lbr_local_push(lo, b->text, lbr_value_number(lo, (double)i), 1)) return lbr_experiment_fail(x, LBR_ENOMEM);
        status = members(x, r, k + 1);
        lo->nlocals -= inner;
    }
    return status;
}

static lbr_status named_run(lbr_experiment *x, const lbr_line *line, const lbr_trial *like, const table *families)
{
    lbr_trial r = *like;
    lbr_status status;
    int before = x->nruns;

    if (*slot_of(x, families, line->statement->target.name, 1)) return say(x, line->file, line->statement->target.place, "there is a run '%.60s' already", line->statement->target.name);
    r.family = line->statement->target.name, r.line = line, r.nindex = 0;
    x->base->lo.file = line->file, x->base->lo.failed = 0, x->base->lo.order = x->source->nlines + 1, x->base->lo.nlocals = x->base->lo.floor = 0;
    if ((status = members(x, &r, 0))) return status;
    *slot_of(x, families, r.family, 1) = before + 1;
    return x->nruns > before ? LBR_OK : say(x, line->file, line->statement->target.place, "'%.60s' is an empty family of runs", r.family);
}

/* The run without a name, and those of used files: what holds where a run says nothing. Their changes are made first. */
static lbr_status defaults(lbr_experiment *x, lbr_trial *like)
{
    const lbr_line *own = NULL;
    lbr_status status;
    changes all = { 0 };

    for (int k = 0; k < x->source->nextra; k++) {
        const lbr_statement *st = x->source->extra[k].statement;

        if (st->kind != LBR_ST_RUN || st->faulty || st->target.name) continue;
        if (own) return say(x, x->source->extra[k].file, st->place, "a second run without a name%s", "");
        own = x->source->extra + k;
        for (int i = 0; i < st->n; i++)
            if (st->item[i].target.name && !strcmp(st->item[i].target.name, "from")) return say(x, own->file, st->item[i].target.place, "'%s' stands in a run with a name: another run must be before it", "from");
    }
    if (!(like->above = lbr_arena_alloc(&x->arena, x->source->nfirst + 1, sizeof *like->above))) return lbr_experiment_fail(x, LBR_ENOMEM);
    if (own) like->above[like->nabove++] = own;
    for (int k = x->source->nfirst - 1; k >= 0; k--) like->above[like->nabove++] = x->source->first_run + k;
    for (int k = like->nabove - 1; k >= 0; k--) {
        all.n = 0;
        if (!line_changes(x, x->base, like->above[k], &all)) return lbr_experiment_fail(x, LBR_EARG);
        if ((status = rebase(x, &all))) return status;
    }
    return LBR_OK;
}

/* --- the runs ------------------------------------------------------------------------------------------------------------------------------------------- */

static lbr_status find_from(lbr_experiment *x, lbr_trial *r, const table *before)
{
    const lbr_item *item = NULL;
    const lbr_line *line = r->line;
    lbr_node *node;
    char name[256];
    size_t at;

    r->from = -1;
    for (int k = 0; line && k < line->statement->n; k++)
        if (line->statement->item[k].target.name && !strcmp(line->statement->item[k].target.name, "from")) item = line->statement->item + k;
    if (!item || !item->value) return LBR_OK;
    node = item->value;
    if (node->kind != LBR_NODE_NAME && (node->kind != LBR_NODE_INDEX || node->arg[0]->kind != LBR_NODE_NAME)) return say(x, line->file, node->first, "expected the name of a run: from = a, or from = v[2]%s", "");
    if (node->n > 1 + LBR_RANK) return say(x, line->file, node->first, "too many indices%s", "");
    at = (size_t)snprintf(name, sizeof name, "%.100s", node->kind == LBR_NODE_NAME ? node->text : node->arg[0]->text);
    x->base->lo.file = line->file, x->base->lo.failed = 0, x->base->lo.order = x->source->nlines + 1, x->base->lo.nlocals = 0;
    for (int k = 0; k < r->nindex; k++) lbr_local_push(&x->base->lo, r->index_name[k], lbr_value_number(&x->base->lo, (double)r->index[k]), 1);
    for (int k = 1; node->kind == LBR_NODE_INDEX && k < node->n; k++) {
        int64_t i;

        if (!lbr_lower_integer(&x->base->lo, node->arg[k], "an index", -1000000000, 1000000000, &i)) return lbr_experiment_fail(x, LBR_EARG);
        at += (size_t)snprintf(name + at, sizeof name - at, "%s%lld%s", k > 1 ? "," : "[", (long long)i, k == node->n - 1 ? "]" : "");
    }
    x->base->lo.nlocals = 0;
    r->from = *slot_of(x, before, name, 0) - 1;
    return r->from >= 0 ? LBR_OK : say(x, line->file, node->first, "there is no run '%.60s' before this one to go on from", name);
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
    if (best) snprintf(x->message, sizeof x->message, "--run: there is no run '%.60s' in this file; did you mean '%.60s'?", name, best);
    else snprintf(x->message, sizeof x->message, "--run: there is no run '%.60s' in this file%s", name, x->named ? "" : ": its run has no name");
    return LBR_EARG;
}

lbr_status lbr_experiment_open(lbr_experiment *x, lbr_source *source, const lbr_overrides *over)
{
    lbr_trial like = { .from = -1 };
    changes set = { 0 };
    table families, before;
    lbr_status status;

    *x = (lbr_experiment){ .source = source, .over = *over };
    if ((status = lbr_model_make(&x->base, source, NULL, 0))) return lbr_experiment_fail(x, status);
    if ((status = defaults(x, &like)) || (status = command_line(x, &set)) || (status = rebase(x, &set))) return status;
    if (!lbr_method_tables(x)) return lbr_experiment_fail(x, LBR_EARG);
    if (!table_open(x, &families, source->nextra)) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (int k = 0; k < source->nextra; k++) {
        const lbr_statement *st = source->extra[k].statement;

        if (st->kind == LBR_ST_RUN && !st->faulty && st->target.name && (status = named_run(x, source->extra + k, &like, &families))) return status;
    }
    x->named = x->nruns > 0;
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
    return say(x, m->constraint->file, m->constraint->place, "'%.60s' is an empty family, and there is no other constraint: its range must have members", m->constraint->name);
}

static lbr_status own_model(lbr_experiment *x, lbr_trial *r)
{
    changes all = { 0 };
    lbr_status status = LBR_OK;
    int good = 1;

    r->model = x->base;
    if (!r->line) return LBR_OK;
    for (int k = 0; k < r->nindex; k++) lbr_local_push(&x->base->lo, r->index_name[k], lbr_value_number(&x->base->lo, (double)r->index[k]), 1);
    good = line_changes(x, x->base, r->line, &all);
    x->base->lo.nlocals = 0;
    if (!good) return lbr_experiment_fail(x, LBR_EARG);
    if (all.n && x->over.nsets) {                        /* the command line comes last: the base has its values       */
        changes set = { 0 };

        if ((status = command_line(x, &set))) return status;
        for (int k = 0; k < set.n; k++) {
            lbr_change *more = lbr_arena_alloc(&x->arena, all.n + 1, sizeof *more);
            int kept = 0;

            if (!more) return lbr_experiment_fail(x, LBR_ENOMEM);
            for (int j = 0; j < all.n; j++)
                if (strcmp(all.item[j].name, set.item[k].name) || all.item[j].prime != set.item[k].prime) more[kept++] = all.item[j];
            all = (changes){ .item = more, .n = kept };
        }
    }
    if (!all.n) return LBR_OK;
    if ((status = changed(x, x->base, &all, &r->model))) return r->model = NULL, lbr_experiment_fail(x, status);
    r->owns = 1;
    return LBR_OK;
}

/* What a claim's `against` changes comes after everything else. */
static lbr_status varied_model(lbr_experiment *x, lbr_trial *r)
{
    changes more = { .item = (lbr_change *)r->varied, .n = r->nvaried };
    lbr_model *next;
    lbr_status status;

    if (!more.n) return LBR_OK;
    if ((status = changed(x, r->model, &more, &next))) return lbr_experiment_fail(x, status);
    if (r->owns) lbr_model_free(r->model);
    r->model = next, r->owns = 1;
    return LBR_OK;
}

/* Option project_start. Where another run has ended one goes on from there, as it is, if that can be. */
static lbr_status projected(lbr_experiment *x, lbr_trial *r)
{
    lbr_message why = { 0 };
    lbr_status status;
    double *y = lbr_arena_alloc(&x->arena, r->model->dim, sizeof *y);

    if (!y) return lbr_experiment_fail(x, LBR_ENOMEM);
    memcpy(y, r->job.y0, (size_t)r->model->dim * sizeof *y);
    if ((status = lbr_start_project(&r->job, r->from >= 0, y, &why))) return snprintf(x->message, sizeof x->message, "%s: %s", x->source->name, why.text), status;
    r->job.y0 = y;
    return LBR_OK;
}

static lbr_status where_from(lbr_experiment *x, lbr_trial *r)
{
    lbr_message why = { 0 };
    lbr_status status;

    r->job.t0 = r->model->t0, r->job.y0 = r->model->y0;
    if (r->from >= 0) {
        const lbr_result *before = &x->run[r->from].result;

        if (!x->run[r->from].done || before->exit) return snprintf(x->message, sizeof x->message, "%s: run %s, at whose end it starts, has failed", r->label, x->run[r->from].label), LBR_EARG;
        if (before->dim != r->model->dim) return snprintf(x->message, sizeof x->message, "%s: run %s has another number of components", r->label, x->run[r->from].label), LBR_EARG;
        r->job.t0 = before->t, r->job.y0 = before->y;
    }
    if (x->over.start) {
        r->start = lbr_arena_alloc(&x->arena, r->model->dim, sizeof *r->start);
        if (!r->start) return lbr_experiment_fail(x, LBR_ENOMEM);
        if ((status = lbr_start_read(x->over.start, r->model->dim, r->start, &why))) return snprintf(x->message, sizeof x->message, "%s", why.text), status;
        r->job.y0 = r->start;
    }
    if (r->job.options.project_start && (status = projected(x, r))) return status;
    if (r->from < 0 && (status = lbr_model_consistent(r->model, r->job.t0, r->job.y0, &why)))
        return snprintf(x->message, sizeof x->message, "%s: %s", x->source->name, why.text), status;
    return LBR_OK;
}

lbr_status lbr_experiment_ready(lbr_experiment *x, int i)
{
    lbr_trial *r = x->run + i;
    lbr_message why = { 0 };
    lbr_status status;

    x->message[0] = 0;
    if (r->ready) return LBR_OK;
    if ((status = own_model(x, r)) || (status = varied_model(x, r)) || (status = constrained(x, r->model))) return status;
    r->job = (lbr_job){ .name = r->label, .model = x->source->name, .digest = r->model->digest, .kernel = "interpreter" };
    if (!(r->job.system = lbr_model_system(r->model, &why))) return snprintf(x->message, sizeof x->message, "%s: %s", x->source->name, why.text), why.status == LBR_ENOMEM ? LBR_ENOMEM : LBR_EARG;
    r->job.lossy = r->model->rayleigh >= 0 || !r->model->structure.autonomous;
    if (x->over.compile && lbr_kernels_enable(r->model, x->over.interrupt)) return lbr_experiment_fail(x, LBR_ENOMEM);
    lbr_kernels_ask(r->model, LBR_KERNELS_NONE);                     /* but for plans of runs: they compare what they get */
    if (x->over.compile) r->job.native = &lbr_native_model, r->job.native_ctx = r->model, r->job.spent = &x->spent;
    r->observed = lbr_arena_alloc(&x->arena, r->model->nobserved + 1, sizeof *r->observed);
    if (!r->observed) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (int k = 0; k < r->model->nobserved; k++) {
        const lbr_observed *o = lbr_model_observed(r->model, k);

        r->observed[k] = (lbr_quantity){ o->name, o->shape.rank, o->shape.n, o->len, lbr_function_call, (void *)&o->f };
    }
    r->job.observed = r->observed, r->job.nobserved = r->model->nobserved;
    if (r->model->nconstraints && !r->job.system->constraints) r->job.residual = lbr_function_call, r->job.residual_ctx = &r->model->functions->residual, r->job.nresidual = r->model->m;
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
    r->model->functions = NULL, r->job.system = NULL, r->job.observed = NULL, r->job.nobserved = 0, r->job.cut = NULL, r->job.ncuts = 0;
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
