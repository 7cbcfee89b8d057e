/* problem.c - models from C: opened, changed, asked (libration/model.h). SPDX-License-Identifier: BSD-3-Clause */
#include "problem.h"
#include "core/number.h"
#include "model/section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- life -------------------------------------------------------------------------------------------------------- */

static lbr_status no_memory(lbr_problem *p)
{
    return snprintf(p->message, sizeof p->message, "out of memory"), LBR_ENOMEM;
}

/* The sentence of a failure; whoever has nothing to say had no memory. */
static lbr_status fail(lbr_problem *p, lbr_status status, const char *text)
{
    if (!text || !*text) return no_memory(p);
    snprintf(p->message, sizeof p->message, "%s", text);
    for (size_t n = strlen(p->message); n && p->message[n - 1] == '\n'; n--) p->message[n - 1] = 0; /* cut off there */
    return status;
}

/* The runs with all that has been set. */
static lbr_status read(lbr_problem *p)
{
    lbr_overrides over = p->over;
    lbr_status status;

    if (p->nsets) over.set = p->set, over.nsets = p->nsets;
    p->ready = NULL, p->described = 0, p->source.nmistakes = 0, p->message[0] = 0;
    p->chosen = -1;
    p->good = !(status = lbr_experiment_open(&p->x, &p->source, &over));
    if (status) return fail(p, status, p->x.message);
    for (int k = 0; p->run && k < p->x.nruns; k++)
        if (p->x.run[k].label && !strcmp(p->x.run[k].label, p->run)) p->chosen = k;
    if (!p->run || p->chosen >= 0) return LBR_OK;
    snprintf(p->message, sizeof p->message, "run '%.60s', which was chosen, would not be there any more", p->run);
    return LBR_EARG;
}

/* What is asked for from C: whatever the file says, which need not be all that a run needs. */
static const lbr_overrides from_c = { .step = NAN, .time = NAN, .steps = -1, .every = -1, .partial = 1 };

static lbr_status made(lbr_problem **problem, const lbr_overrides *over)
{
    if (!problem) return LBR_EARG;
    if (!(*problem = lbr_mem_alloc(sizeof **problem))) return LBR_ENOMEM;
    (*problem)->over = *over;
    return LBR_OK;
}

lbr_status lbr_problem_open(lbr_problem **problem, const char *what)
{
    return lbr_problem_open_with(problem, what, &from_c);
}

lbr_status lbr_problem_open_with(lbr_problem **problem, const char *what, const lbr_overrides *over)
{
    lbr_status status = made(problem, over);
    lbr_problem *p;

    if (status) return status;
    p = *problem;
    if (!what || !*what) return fail(p, LBR_EARG, "there is no name of a model");
    if ((status = lbr_source_open(&p->source, what))) return fail(p, status, p->source.message);
    return read(p);
}

lbr_status lbr_problem_text(lbr_problem **problem, const char *name, const char *text, const char *folder)
{
    return lbr_problem_text_with(problem, name, text, folder, &from_c);
}

lbr_status lbr_problem_text_with(lbr_problem **problem, const char *name, const char *text, const char *folder,
                                 const lbr_overrides *over)
{
    lbr_status status = made(problem, over);
    lbr_problem *p;
    char *own;

    if (status) return status;
    p = *problem;
    if (!text) return fail(p, LBR_EARG, "there is no text");
    if (!name || !*name) name = "model";
    if (!(own = lbr_arena_text(&p->arena, text)) || !(name = lbr_arena_text(&p->arena, name)) ||
        (folder && !(folder = lbr_arena_text(&p->arena, folder))))
        return no_memory(p);
    if ((status = lbr_source_text(&p->source, name, own, strlen(own), folder)))
        return fail(p, status, p->source.message);
    return read(p);
}

void lbr_problem_free(lbr_problem *p)
{
    if (!p) return;
    if (p->x.source) lbr_experiment_free(&p->x);
    lbr_source_free(&p->source);
    lbr_arena_free(&p->arena);
    lbr_mem_free(p);
}

const char *lbr_problem_message(const lbr_problem *p) { return p ? p->message : lbr_status_text(LBR_ENOMEM); }

int lbr_problem_mistake(const lbr_problem *p, int64_t i, lbr_mistake *mistake)
{
    size_t size = mistake ? mistake->size : 0;

    if (!p || !mistake || i < 0 || i >= p->source.nmistakes || !p->message[0]) return 0;
    if (size < sizeof size || size > sizeof *mistake) size = sizeof *mistake;
    memcpy(mistake, p->source.mistake + i, size);
    mistake->size = size;
    return 1;
}

/* --- what is changed --------------------------------------------------------------------------------------------- */

/* Reads the runs again. What fails leaves everything as it was, but for what is said: systems and plans stay good. */
static lbr_status again(lbr_problem *p, const lbr_pair *set, int nsets)
{
    lbr_problem *before;
    lbr_status status;

    if (!p->good) return LBR_EARG; /* it never was one: the message says why */
    if (!(before = lbr_mem_alloc(sizeof *before))) return no_memory(p);
    *before = *p;
    p->set = set, p->nsets = nsets;
    if (!(status = read(p))) lbr_experiment_free(&before->x);
    else {
        lbr_experiment_free(&p->x);
        p->x = before->x, p->set = before->set, p->nsets = before->nsets, p->ready = before->ready;
        p->described = before->described, p->chosen = before->chosen, p->good = 1;
    }
    lbr_mem_free(before);
    return status;
}

/* What is not given; a problem that never was one keeps the sentence that says why. */
static lbr_status unnamed(lbr_problem *p, const char *what)
{
    if (!p->good) return LBR_EARG;
    p->source.nmistakes = 0;
    return snprintf(p->message, sizeof p->message, "something is to be set, and there is no %s", what), LBR_EARG;
}

lbr_status lbr_problem_set(lbr_problem *p, const char *name, const char *value)
{
    lbr_pair *set;
    int n = 0;

    if (!p) return LBR_EARG;
    if (!name || !value) return unnamed(p, name ? "value" : "name");
    if (!(set = lbr_arena_alloc(&p->arena, p->nsets + 1, sizeof *set))) return no_memory(p);
    for (int k = 0; k < p->nsets; k++)
        if (strcmp(p->set[k].name, name)) set[n++] = p->set[k];
    set[n++] = (lbr_pair){ lbr_arena_text(&p->arena, name), lbr_arena_text(&p->arena, value) };
    if (!set[n - 1].name || !set[n - 1].value) return no_memory(p);
    return again(p, set, n);
}

lbr_status lbr_problem_set_number(lbr_problem *p, const char *name, double value)
{
    char text[LBR_NUMBER + 1] = "";

    if (p && name && !isfinite(value)) {
        if (p->good) snprintf(p->message, sizeof p->message, "%.60s = %g: a value must be finite", name, value);
        p->source.nmistakes = p->good ? 0 : p->source.nmistakes;
        return LBR_EARG;
    }
    lbr_number_write(text, value);
    return lbr_problem_set(p, name, text);
}

const char *lbr_problem_run(const lbr_problem *p, int64_t i)
{
    return p && p->x.named && i >= 0 && i < p->x.nruns ? p->x.run[i].label : NULL;
}

/* Why a run cannot be chosen by this name. */
static lbr_status no_such_run(lbr_problem *p, const char *run)
{
    int k = p->x.named ? lbr_experiment_find(&p->x, run) : -1;

    p->source.nmistakes = 0;
    if (k >= 0)
        snprintf(p->message, sizeof p->message, "'%.60s' is a family of runs: choose one of them, such as '%.60s'", run,
                 p->x.run[k].label);
    else
        snprintf(p->message, sizeof p->message, "there is no run '%.60s' in this file%s", run,
                 p->x.named ? "" : ": its run has no name");
    return LBR_EARG;
}

lbr_status lbr_problem_choose(lbr_problem *p, const char *run)
{
    int chosen = -1;

    if (!p || !p->good) return LBR_EARG;
    for (int k = 0; run && k < p->x.nruns; k++)
        if (p->x.run[k].label && !strcmp(p->x.run[k].label, run)) chosen = k;
    if (run && chosen < 0) return no_such_run(p, run);
    if (run && !(run = lbr_arena_text(&p->arena, run))) return no_memory(p);
    p->run = run, p->chosen = chosen, p->ready = NULL, p->described = 0, p->message[0] = 0;
    return LBR_OK;
}

/* --- what is asked ----------------------------------------------------------------------------------------------- */

/* Option project_start of the file. */
static lbr_status projected(lbr_problem *p, lbr_trial *r)
{
    size_t size = (size_t)r->model->dim * sizeof(double);
    lbr_message why = { 0 };
    double *y;

    if (!r->job.options.project_start || !r->job.method || r->job.h == 0) return LBR_OK;
    if (!(y = lbr_arena_alloc(&p->x.arena, r->model->dim, sizeof *y))) return p->status = no_memory(p);
    memcpy(y, r->model->y0, size);
    r->job.t0 = r->model->t0, r->job.y0 = r->model->y0;
    if ((p->status = lbr_start_project(&r->job, 0, y, &why))) return fail(p, p->status, why.text);
    p->defaults.y0 = y;
    return LBR_OK;
}

/* The run that was chosen, with its model and settings; NULL after an error. */
static lbr_trial *ready(lbr_problem *p)
{
    lbr_trial *r;
    lbr_status status;

    if (p->ready || !p->good) return p->ready;
    r = p->chosen >= 0 ? p->x.run + p->chosen : p->x.named ? &p->x.shared : p->x.run;
    p->message[0] = 0;
    if ((status = lbr_trial_ready(&p->x, r))) return p->status = fail(p, status, p->x.message), NULL;
    p->defaults = (lbr_defaults){ .size = sizeof p->defaults,
                                  .t0 = r->model->t0,
                                  .y0 = r->model->y0,
                                  .method = r->job.method,
                                  .step = r->job.h,
                                  .steps = r->job.steps };
    p->system = *r->job.system;
    p->system.defaults = &p->defaults;
    return projected(p, r) ? NULL : (p->ready = r);
}

const lbr_system *lbr_problem_system(lbr_problem *p) { return p && ready(p) ? &p->system : NULL; }

const char *lbr_problem_method(lbr_problem *p, const char *expression)
{
    lbr_trial *r = p && expression ? ready(p) : NULL;
    const char *text;

    if (!r) return NULL;
    lbr_experiment_anew(&p->x), p->source.nmistakes = 0, p->message[0] = 0;
    if ((text = lbr_method_given(&p->x, r->model, "method", expression))) return text;
    lbr_experiment_fail(&p->x, LBR_EARG);
    return fail(p, LBR_EARG, p->x.message), NULL;
}

static lbr_status sections(lbr_problem *p, lbr_model *m)
{
    lbr_section *all = lbr_arena_alloc(&p->x.arena, m->nsections + 1, sizeof *all);
    const lbr_section **list = lbr_arena_alloc(&p->x.arena, m->nsections + 1, sizeof *list);
    lbr_message why = { 0 };

    if (!all || !list) return no_memory(p);
    for (int k = 0; k < m->nsections; k++) {
        const lbr_section_code *s = lbr_section_functions(m, k, &why);

        if (!s) return fail(p, why.status == LBR_ENOMEM ? LBR_ENOMEM : LBR_EARG, why.text);
        all[k] = lbr_section_of(s), list[k] = all + k;
    }
    p->info.nsections = m->nsections, p->info.section = list;
    return LBR_OK;
}

lbr_status lbr_problem_describe(lbr_problem *p, const lbr_problem_info **info)
{
    lbr_trial *r;
    const lbr_structure *found;
    lbr_status status;

    if (!p || !info) return LBR_EARG;
    *info = NULL;
    if (!(r = ready(p))) return p->good ? p->status : LBR_EARG;
    if (!p->described) {
        found = &r->model->structure;
        p->info = (lbr_problem_info){ .name = p->source.name,
                                      .title = p->source.title ? p->source.title : "",
                                      .source = p->source.origin ? p->source.origin : "",
                                      .run = r->label,
                                      .from = r->from >= 0 ? p->x.run[r->from].label : NULL,
                                      .options = &r->job.options,
                                      .every = r->job.every,
                                      .until = r->until - 1,
                                      .separable = found->separable,
                                      .quadratic = found->quadratic,
                                      .diagonal_mass = found->diagonal_mass,
                                      .autonomous = found->autonomous,
                                      .damped = r->model->rayleigh >= 0 };
        if ((status = lbr_parameters_list(r->model, &p->x.arena, &p->info.parameter, &p->info.nparameters)))
            return no_memory(p);
        if ((status = sections(p, r->model))) return status;
        p->described = 1;
    }
    *info = &p->info;
    return LBR_OK;
}
