/* judge_quantity.c - what a run has: samples, results, a reference solution. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"
#include "execute/reference.h"
#include "execute/round_off.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lbr_trial *lbr_judge_trial(lbr_judgement *j, int run)
{
    return j->x->run + (j->dry ? j->family[j->seen[run].family].first : run);
}

/* A run that failed has samples up to there; nothing said of them counts. */
static int missing(const lbr_trial *r) { return !r->done || r->result.exit != LBR_EXIT_DONE; }

/* --- samples ----------------------------------------------------------------------------------------------------- */

static lbr_trace *clock_of(lbr_frame *f, lbr_arena *arena)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    lbr_trace *s = lbr_trace_new(arena, NULL, 1);
    double *t;

    if (!s) return lbr_frame_no_memory(f);
    s->sampled = s->stored = 1, s->name = r->label ? r->label : "t";
    if (f->j->dry) return s;
    if (!(t = lbr_arena_alloc(arena, r->result.nsamples, sizeof *t))) return lbr_frame_no_memory(f);
    for (int64_t i = 0; i < r->result.nsamples; i++) t[i] = r->result.sample[i * r->result.ncolumns];
    s->strand[0] = (lbr_strand){ .n = r->result.nsamples, .t = t, .data = t, .stride = 1, .missing = missing(r) };
    return s;
}

const lbr_trace *lbr_frame_clock(lbr_frame *f)
{
    lbr_seen *seen = f->j->seen + f->run;

    if (f->section) return lbr_event_clock(f);
    if (f->j->dry) return clock_of(f, f->j->scratch);
    return seen->clock ? seen->clock : (seen->clock = clock_of(f, &f->j->arena));
}

int64_t lbr_judge_kept(const lbr_trial *r, int64_t c)
{
    int64_t lo = 0, hi = r->job.nrecord;

    if (!r->job.record || !c) return c;
    while (lo < hi) { /* they are in order, and t stands before them */
        int64_t mid = (lo + hi) / 2;

        if (r->job.record[mid] == c) return mid + 1;
        if (r->job.record[mid] < c) lo = mid + 1;
        else hi = mid;
    }
    return -1;
}

static int64_t kept_of(const lbr_trial *r, int64_t first, int64_t n)
{
    int64_t kept = 0;

    for (int64_t k = 0; k < n && r->job.record; k++) kept += lbr_judge_kept(r, first + k) >= 0;
    return r->job.record ? kept : n;
}

/* `n` columns of a full record from `first` on, which are kept; or, partial, all that is kept. */
static const lbr_trace *columns(lbr_frame *f, int64_t first, const lbr_shape *shape, const char *name, int partial)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    const lbr_trace *clock = lbr_frame_clock(f);
    lbr_shape all = { 1, { r->job.nrecord + 1 } };
    lbr_trace *s = clock ? lbr_trace_new(f->j->scratch, partial ? &all : shape, 1) : NULL;

    if (!clock) return NULL;
    if (!s) return lbr_frame_no_memory(f);
    s->sampled = s->stored = 1, s->name = name;
    if (partial) s->partial = 1, s->run = f->run, s->first = first, s->whole = *shape;
    if (f->j->dry) return s;
    s->strand[0] = clock->strand[0];
    s->strand[0].data = r->result.sample ? r->result.sample + (partial ? 0 : lbr_judge_kept(r, first)) : NULL,
    s->strand[0].stride = r->result.ncolumns;
    return s;
}

/* No numbers, at all times. */
static lbr_strand nothing_at(lbr_frame *f, lbr_strand clock, int64_t size)
{
    double *data = lbr_arena_alloc(f->j->scratch, size, sizeof *data);

    if (!data) lbr_frame_no_memory(f);
    for (int64_t k = 0; data && k < size; k++) data[k] = NAN;
    return (lbr_strand){ .n = clock.n, .t = clock.t, .data = data, .missing = 1 };
}

/* Kept for claims; of a reference solution, which nobody has chosen to be without, it is a warning too. */
static int told(lbr_frame *f, const char *why, int reference)
{
    lbr_seen *seen = f->j->seen + f->run;

    if (reference) lbr_result_warn(&lbr_judge_trial(f->j, f->run)->result, "%s", why);
    return seen->why || (seen->why = lbr_arena_text(&f->j->arena, why));
}

const lbr_trace *lbr_frame_lacks(lbr_frame *f, lbr_place place, const lbr_shape *shape, int others, const char *format,
                                 ...)
{
    const lbr_trace *clock = lbr_frame_clock(f);
    lbr_trace *s;
    char why[LBR_MESSAGE];
    va_list ap;

    va_start(ap, format), vsnprintf(why, sizeof why, format, ap), va_end(ap);
    if (f->named || !others) return lbr_lower_fail(f->lo, place, "%s", why);
    if (!clock) return NULL;
    if (!(s = lbr_trace_new(f->j->scratch, shape, 1))) return lbr_frame_no_memory(f);
    s->sampled = s->stored = 1;
    if (f->j->dry) return s;
    if (!told(f, why, 0)) return lbr_frame_no_memory(f);
    s->strand[0] = nothing_at(f, clock->strand[0], s->size);
    return f->lo->at.failed ? NULL : s;
}

const lbr_trace *lbr_frame_state(lbr_frame *f, lbr_place place)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    lbr_shape shape = { 1, { r->model->dim } };

    if (f->section) return lbr_event_state(f);
    if (kept_of(r, 1, r->model->dim) < r->model->dim)
        return lbr_frame_lacks(f, place, &shape, lbr_judge_recorded(f->j, NULL),
                               "this needs the whole state, and the run's record leaves some of it out");
    return columns(f, 1, &shape, r->label, 0);
}

/* lambda.c: where the multipliers of c are, if they begin at `at`. */
static int64_t find_multiplier(const lbr_trial *r, const char *name, int64_t at, lbr_shape *shape)
{
    const lbr_model *m = r->model;

    for (int k = 0; k < m->nconstraints && r->job.system && r->job.system->constraints && !strncmp(name, "lambda.", 7);
         k++) {
        const lbr_constraint_def *c = m->constraint + k;

        if (!strcmp(c->name, name + 7))
            return *shape = (lbr_shape){ c->family || c->count != 1, { c->count } }, at + c->first;
    }
    return 0;
}

/* Where a quantity stands in a full record, in the order of execute.h. 0: nowhere. */
static int64_t find(const lbr_trial *r, const char *name, lbr_shape *shape)
{
    const lbr_model *m = r->model;
    int energy = m->has_h || (m->has_l && m->h >= 0);
    const lbr_variable *v = lbr_model_variable(m, name);
    int64_t at = 1 + m->dim;

    if (v) return v->kind == LBR_VAR_ATTITUDE ? 0 : (*shape = v->shape, 1 + v->offset);
    if (energy && !strcmp(name, "H")) return *shape = (lbr_shape){ 0 }, at;
    at += energy;
    for (int k = 0; k < m->ninvariants; at += lbr_shape_size(&m->invariant[k++].value->shape))
        if (!strcmp(m->invariant[k].name, name)) return *shape = m->invariant[k].value->shape, at;
    for (int k = 0; k < m->nobserved; at += lbr_shape_size(&m->observed[k++].value->shape))
        if (!strcmp(m->observed[k].name, name)) return *shape = m->observed[k].value->shape, at;
    return find_multiplier(r, name, at, shape);
}

int lbr_judge_recorded(lbr_judgement *j, const char *name)
{
    int n = 0;

    for (int k = 0; k < j->nfamilies; k++) {
        const lbr_trial *r = j->x->run + j->family[k].first;
        lbr_shape shape = { 1, { r->model->dim } };
        int64_t first = name ? find(r, name, &shape) : 1;

        n += first && kept_of(r, first, lbr_shape_size(&shape)) == lbr_shape_size(&shape);
    }
    return n;
}

int lbr_frame_column(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    lbr_shape shape = { 0 };
    int64_t first = find(r, node->text, &shape), n = lbr_shape_size(&shape), kept = first ? kept_of(r, first, n) : 0;

    *s = NULL;
    if (!first) return 0;
    if (!kept && (lbr_symbol_find(f->lo, node->text) || strchr(node->text, '.')) &&
        kept_of(r, 1, r->model->dim) == r->model->dim)
        return 0; /* worked out again */
    if (!kept)
        *s = lbr_frame_lacks(f, node->place, &shape, lbr_judge_recorded(f->j, node->text),
                             "'%.60s' is not recorded: the record of %s%.60s leaves it out", node->text,
                             r->label ? "run " : "the run", r->label ? r->label : "");
    else *s = columns(f, first, &shape, node->text, kept < n);
    return 1;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

static double worst(const lbr_result *r) { return r->has_energy ? r->energy.worst : NAN; }

static double result_of(const lbr_result *r, const char *name)
{
    const struct {
        const char *name;
        double value;
    } row[] = { { "h", r->h },
                { "step", r->h },
                { "steps", (double)r->steps },
                { "evaluations", (double)lbr_evaluations(&r->stats) },
                { "iterations", (double)r->stats.iterations },
                { "first_error", r->first_error },
                { "seconds", r->seconds },
                { "energy_error", worst(r) } };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        if (!strcmp(row[k].name, name)) return row[k].value;
    return NAN;
}

static int has_energy(const lbr_trial *r)
{
    lbr_shape shape;

    return find(r, "H", &shape) > 0;
}

/* h is a series, as it will be with steps that vary. */
static const lbr_trace *step_series(lbr_frame *f, lbr_trace *number)
{
    const lbr_trace *clock = lbr_frame_clock(f);

    if (!clock) return NULL;
    number->sampled = 1, number->stored = clock->stored;
    number->strand[0].n = clock->strand[0].n, number->strand[0].t = clock->strand[0].t,
    number->strand[0].missing = clock->strand[0].missing;
    return number;
}

int lbr_frame_result(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    lbr_trace *number;

    *s = NULL;
    if (!strcmp(node->text, "t")) return *s = lbr_frame_clock(f), 1;
    if (f->section && strcmp(node->text, "h"))
        return lbr_lower_fail(f->lo, node->place, "'%.60s' is of the whole run: it has no values at events",
                              node->text),
               1;
    if (!strcmp(node->text, "error")) return *s = lbr_frame_error(f, node->place), 1;
    if (!strcmp(node->text, "roundoff")) return *s = lbr_frame_roundoff(f, node->place), 1;
    if (!strcmp(node->text, "exact"))
        return lbr_lower_fail(f->lo, node->place, "exact has the quantities of a run: write exact.%.60s",
                              r->model->nvariables ? r->model->variable[0].name : "q"),
               1;
    if (!strcmp(node->text, "method"))
        return lbr_lower_fail(f->lo, node->place, "the method is a text: it stands only in the columns of a table"), 1;
    if (!strcmp(node->text, "energy_error") && !has_energy(r))
        return lbr_lower_fail(f->lo, node->place, "the model has no H, and so no energy_error"), 1;
    if (!(number = lbr_trace_number(f->j->scratch, f->j->dry ? 0 : result_of(&r->result, node->text))))
        return lbr_frame_no_memory(f), 1;
    number->name = node->text, number->strand[0].missing = !f->j->dry && missing(r);
    return *s = strcmp(node->text, "h") ? number : step_series(f, number), 1;
}

/* --- against the truth ------------------------------------------------------------------------------------------- */

static const char open_end[] = "a run with until has no reference solution: it may end between two steps";

/* Whether a run of another statement goes to its end. */
static int others_end(const lbr_judgement *j)
{
    int n = 0;

    for (int k = 0; k < j->nfamilies; k++) n += !j->x->run[j->family[k].first].until;
    return n;
}

const lbr_trace *lbr_frame_exact(lbr_frame *f, lbr_place place)
{
    lbr_trial *r = lbr_judge_trial(f->j, f->run);
    const lbr_trace *clock = lbr_frame_clock(f);
    lbr_trace *s = lbr_trace_new(f->j->scratch, &(lbr_shape){ 1, { r->model->dim } }, 1);
    const double *sample = NULL;
    double error = INFINITY;
    lbr_message why = { 0 };
    lbr_status status = LBR_OK;

    if (!s) return lbr_frame_no_memory(f);
    if (!clock) return NULL;
    if (r->until && !f->j->dry) lbr_result_warn(&r->result, "%s", open_end);
    if (r->until) return lbr_frame_lacks(f, place, &s->shape, others_end(f->j), "%s", open_end);
    s->sampled = s->stored = 1, s->name = "exact";
    if (f->j->dry) return s;
    if (!missing(r) && (status = lbr_reference(f->j->x, r, &sample, &error, &why)) == LBR_ENOMEM)
        return lbr_frame_no_memory(f);
    if (status)
        return lbr_lower_fail(f->lo, place, "no reference solution: %s",
                              why.text[0] ? why.text : lbr_status_text(status));
    if (why.text[0] && !told(f, why.text, 1)) return lbr_frame_no_memory(f);
    s->strand[0] = clock->strand[0];
    s->strand[0].data = sample, s->strand[0].stride = r->model->dim, s->strand[0].missing = 0;
    if (!sample || !(error <= LBR_REFERENCE_GOOD)) s->strand[0] = nothing_at(f, clock->strand[0], r->model->dim);
    return f->lo->at.failed ? NULL : s;
}

const lbr_trace *lbr_frame_error(lbr_frame *f, lbr_place place)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    const lbr_trace *exact = lbr_frame_exact(f, place), *state = exact ? lbr_frame_state(f, place) : NULL;
    lbr_trace *s = state ? lbr_trace_new(f->j->scratch, NULL, 1) : NULL;
    double *data;

    if (!state) return NULL;
    if (!s) return lbr_frame_no_memory(f);
    s->sampled = s->stored = 1, s->name = "error";
    if (f->j->dry) return s;
    s->strand[0] = exact->strand[0];
    if (!(data = lbr_arena_alloc(f->j->scratch, s->strand[0].n, sizeof *data))) return lbr_frame_no_memory(f);
    for (int64_t i = 0; i < s->strand[0].n; i++)
        data[i] = lbr_trace_distance(lbr_trace_at(exact, 0, i), lbr_trace_at(state, 0, i), r->model->dim);
    s->strand[0].data = data, s->strand[0].stride = 1;
    return s;
}

/* --- against extended precision ---------------------------------------------------------------------------------- */

static const char open_rounding[] = "a run with until has none in extended precision: it may end between two steps";

/* The states at the samples; *low: their low parts. */
static const lbr_trace *extended(lbr_frame *f, lbr_place place, const double **low)
{
    lbr_trial *r = lbr_judge_trial(f->j, f->run);
    const lbr_trace *clock = lbr_frame_clock(f);
    lbr_trace *s = lbr_trace_new(f->j->scratch, &(lbr_shape){ 1, { r->model->dim } }, 1);
    const double *sample = NULL;
    lbr_message why = { 0 };
    lbr_status status = LBR_OK;

    if (!s) return lbr_frame_no_memory(f);
    if (!clock) return NULL;
    if (r->until) return lbr_frame_lacks(f, place, &s->shape, others_end(f->j), "%s", open_rounding);
    s->sampled = s->stored = 1, s->name = "extended";
    if (f->j->dry) return s;
    if (!missing(r)) status = lbr_extended_samples(f->j->x, r, &sample, low, &why);
    if (status == LBR_ENOMEM) return lbr_frame_no_memory(f);
    if (status == LBR_STOPPED) return lbr_lower_fail(f->lo, place, "no extended precision: %s", why.text);
    if (status && !told(f, why.text, 1)) return lbr_frame_no_memory(f);
    s->strand[0] = clock->strand[0];
    s->strand[0].data = sample, s->strand[0].stride = r->model->dim, s->strand[0].missing = 0;
    if (!sample) s->strand[0] = nothing_at(f, clock->strand[0], r->model->dim);
    return f->lo->at.failed ? NULL : s;
}

const lbr_trace *lbr_frame_extended(lbr_frame *f, lbr_place place)
{
    const double *low;

    return extended(f, place, &low);
}

const lbr_trace *lbr_frame_roundoff(lbr_frame *f, lbr_place place)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    const double *low = NULL;
    const lbr_trace *truth = extended(f, place, &low), *state = truth ? lbr_frame_state(f, place) : NULL;
    lbr_trace *s = state ? lbr_trace_new(f->j->scratch, NULL, 1) : NULL;
    int64_t dim = r->model->dim;
    double *data;

    if (!state) return NULL;
    if (!s) return lbr_frame_no_memory(f);
    s->sampled = s->stored = 1, s->name = "roundoff";
    if (f->j->dry) return s;
    s->strand[0] = truth->strand[0];
    if (!(data = lbr_arena_alloc(f->j->scratch, s->strand[0].n, sizeof *data))) return lbr_frame_no_memory(f);
    for (int64_t i = 0; i < s->strand[0].n && low; i++) /* its own rounding is none */
        data[i] = r->job.options.precision ? 0
                                           : lbr_distance_from_pair(dim, lbr_trace_at(state, 0, i),
                                                                    lbr_trace_at(truth, 0, i), low + i * dim);
    for (int64_t i = 0; i < s->strand[0].n && !low; i++) data[i] = NAN;
    s->strand[0].data = data, s->strand[0].stride = 1, s->strand[0].missing |= state->strand[0].missing;
    return s;
}
