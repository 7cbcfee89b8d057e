/* jit.c - plans with machine code for whoever calls from C (libration/jit.h). SPDX-License-Identifier: BSD-3-Clause */
#include "libration/jit.h"
#include "native.h"
#include "core/rounding.h"
#include "runs/problem.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { COMPARED = 16 };            /* steps that are compared */
enum { DIFFERS, AGREES, UNKNOWN }; /* what comes of it */

/* What is asked for. */
typedef struct wish {
    const char *method;
    const lbr_system *system;
    const lbr_options *options;
    double h;
    lbr_model *model;
} wish;

/* Where a plan gets to: the bytes of its state, H and the invariants. */
typedef struct trial {
    lbr_status status;
    double t, *y, *value;
} trial;

static int64_t looked_at(const lbr_system *s)
{
    int64_t n = s->energy != NULL;

    for (int64_t i = 0; s->invariants && i < s->invariants->count; i++) n += s->invariants->item[i].len;
    return n;
}

/* The first steps, whatever they do to the processor's mode. */
static void advance(const wish *w, lbr_state *state, int interpreted, trial *x)
{
    const lbr_system *s = w->system;
    double *at = x->value;
    fenv_t before;
    int saved = !fegetenv(&before);

    lbr_kernels_interpret(w->model, interpreted);
    x->status = lbr_state_start(state, s->defaults->t0, w->h, s->defaults->y0);
    if (!x->status) x->status = lbr_state_run(state, COMPARED, 0, NULL, NULL);
    if (lbr_state_count(state) && !lbr_state_read(state, &x->t, x->y)) {
        if (s->energy && s->energy(x->t, x->y, at++, s->ctx)) at[-1] = 0;
        for (int64_t i = 0; s->invariants && i < s->invariants->count; at += s->invariants->item[i++].len) {
            const lbr_invariant *v = s->invariants->item + i;

            if (v->value(x->t, x->y, at, v->ctx ? v->ctx : s->ctx)) memset(at, 0, (size_t)v->len * sizeof *at);
        }
    }
    lbr_kernels_interpret(w->model, 0);
    if (!lbr_rounding_usual()) x->status = LBR_EUNFIT;
    if (saved) fesetenv(&before);
}

/* The same bits, but for those of NaN. */
static int equal(int64_t n, const double *a, const double *b)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) return 0;
    return 1;
}

static int same(const wish *w, lbr_state *a, lbr_state *b, const trial *x, const trial *y)
{
    size_t n, m;
    const void *p = lbr_state_bytes(a, &n), *q = lbr_state_bytes(b, &m);

    return x->status == y->status && n == m && p && q && !memcmp(p, q, n) &&
           equal(w->system->dim + looked_at(w->system), x->y, y->y);
}

/* Whether the plan does what one without machine code does. UNKNOWN, and why: that one gets nowhere, or there is no
 * memory. */
static int compare(const wish *w, lbr_plan *plan, lbr_message *why)
{
    int64_t dim = w->system->dim, all = dim + looked_at(w->system);
    double *room = lbr_mem_alloc(2 * (size_t)all * sizeof *room);
    trial plain = { .y = room, .value = room + dim }, native = { .y = room + all, .value = room + all + dim };
    lbr_system without = *w->system;
    lbr_plan *other = NULL;
    lbr_state *a = NULL, *b = NULL; /* the plans' own are not touched */
    int found = UNKNOWN;

    without.inside = NULL;
    lbr_fail(why, LBR_OK, "there is not enough memory for a kernel");
    if (w->h == 0 || !isfinite(w->h)) lbr_fail(why, LBR_OK, "a kernel cannot be compared without a step");
    else if (room && !lbr_plan_create(&other, w->method, &without, w->options) && !lbr_state_create(&a, other) &&
             !lbr_state_create(&b, plan)) {
        advance(w, a, 1, &plain);
        if (!lbr_state_count(a))
            lbr_fail(why, LBR_OK, "a kernel cannot be compared at the problem's start: %.400s", lbr_state_message(a));
        else advance(w, b, 0, &native), found = same(w, a, b, &plain, &native) ? AGREES : DIFFERS;
    }
    lbr_state_free(a), lbr_state_free(b), lbr_plan_free(other), lbr_mem_free(room);
    return found;
}

/* The plan with kernels that were compared. Those that differ are asked for again with less, until there are none;
 * those that could not be compared are forgotten, and nothing is remembered of them: why is what *why says. */
static lbr_status make(const wish *w, lbr_plan **plan, lbr_kernels_report *report, lbr_message *why)
{
    lbr_status status;
    int found = AGREES;

    do {
        lbr_plan_free(*plan), *plan = NULL;
        status = lbr_native_plan(&lbr_native_model, w->model, LBR_COMPILE_WAIT, w->method, w->system, w->options, plan,
                                 report);
        if (status || !report->untried) return status;
        found = compare(w, *plan, why);
        if (found == UNKNOWN) lbr_kernels_forget(w->model);
        else lbr_kernels_judge(w->model, found == AGREES), why->text[0] = 0;
    } while (found == DIFFERS);
    if (found == AGREES) return LBR_OK;
    lbr_plan_free(*plan), *plan = NULL;
    return lbr_plan_create(plan, w->method, w->system, w->options); /* nobody asks for kernels now */
}

lbr_status lbr_jit_plan(lbr_plan **plan, const char *method, lbr_problem *p, const lbr_options *options, double h,
                        const char **note)
{
    wish w = { .method = method, .options = options };
    lbr_kernels_report report = { 0 };
    lbr_options standard;
    lbr_message why = { 0 };
    lbr_status status;

    if (note) *note = "";
    if (!plan || !p) return LBR_EARG;
    *plan = NULL;
    if (!(w.system = lbr_problem_system(p))) return p->good ? p->status : LBR_EARG;
    if (!options) lbr_options_init(&standard), w.options = &standard;
    w.model = p->ready->model, w.h = h != 0 ? h : w.system->defaults->step;
    if ((status = lbr_kernels_enable(w.model, NULL))) return status;
    p->system.inside = w.model->functions->system.inside;
    status = make(&w, plan, &report, &why);
    lbr_fail(&p->note, LBR_OK, "%s", why.text[0] ? why.text : report.message.text);
    if (!status && !*p->note.text && strcmp(lbr_plan_kernel(*plan), "fused"))
        lbr_fail(&p->note, LBR_OK, "steps of this method are not compiled with this model%s",
                 report.functions ? "; its functions are" : "");
    if (note) *note = p->note.text;
    return status;
}
