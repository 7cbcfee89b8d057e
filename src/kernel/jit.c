/* jit.c - plans with machine code for whoever calls from C (libration/jit.h). SPDX-License-Identifier: BSD-3-Clause */
#include "libration/jit.h"
#include "native.h"
#include "core/rounding.h"
#include "runs/problem.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { COMPARED = 16 }; /* steps that are compared */

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
    if (!lbr_state_read(state, &x->t, x->y)) {
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

static int same(const wish *w, lbr_state *a, lbr_state *b, const trial *x, const trial *y)
{
    size_t n, m, numbers = (size_t)(w->system->dim + looked_at(w->system)) * sizeof *x->y;
    const void *p = lbr_state_bytes(a, &n), *q = lbr_state_bytes(b, &m);

    return x->status == y->status && n == m && p && q && !memcmp(p, q, n) && !memcmp(x->y, y->y, numbers);
}

/* Whether the plan does what one without machine code does; -1: there was no memory. */
static int agrees(const wish *w, lbr_plan *plan)
{
    int64_t dim = w->system->dim, all = dim + looked_at(w->system);
    double *room = lbr_mem_alloc(2 * (size_t)all * sizeof *room);
    trial plain = { .y = room, .value = room + dim }, native = { .y = room + all, .value = room + all + dim };
    lbr_system without = *w->system;
    lbr_plan *other = NULL;
    lbr_state *a = NULL, *b = NULL; /* the plans' own are not touched */
    int good = -1;

    without.inside = NULL;
    if (room && !lbr_plan_create(&other, w->method, &without, w->options) && !lbr_state_create(&a, other) &&
        !lbr_state_create(&b, plan)) {
        advance(w, a, 1, &plain), advance(w, b, 0, &native);
        good = same(w, a, b, &plain, &native);
    }
    lbr_state_free(a), lbr_state_free(b), lbr_plan_free(other), lbr_mem_free(room);
    return good;
}

lbr_status lbr_jit_plan(lbr_plan **plan, const char *method, lbr_problem *p, const lbr_options *options, double h,
                        const char **note)
{
    wish w = { .method = method, .options = options };
    lbr_kernels_report report = { 0 };
    lbr_options standard;
    lbr_status status;
    int good = 1;

    if (note) *note = "";
    if (!plan || !p) return LBR_EARG;
    *plan = NULL;
    if (!(w.system = lbr_problem_system(p))) return p->good ? p->status : LBR_EARG;
    if (!options) lbr_options_init(&standard), w.options = &standard;
    w.model = p->ready->model, w.h = h != 0 ? h : w.system->defaults->step;
    if ((status = lbr_kernels_enable(w.model, NULL))) return status;
    p->system.inside = w.model->functions->system.inside;
    do {
        lbr_plan_free(*plan), *plan = NULL;
        status = lbr_native_plan(&lbr_native_model, w.model, LBR_COMPILE_WAIT, method, w.system, w.options, plan,
                                 &report);
        if (status || !report.untried) break;
        good = w.h != 0 && isfinite(w.h) ? agrees(&w, *plan) : -2;
        if (good >= 0) lbr_kernels_judge(w.model, good);
    } while (!good);
    lbr_fail(&p->note, LBR_OK, "%s", report.message.text);
    if (!status && !*p->note.text && strcmp(lbr_plan_kernel(*plan), "fused"))
        lbr_fail(&p->note, LBR_OK, "steps of this method are not compiled with this model%s",
                 report.functions ? "; its functions are" : "");
    if (!status && good < 0) { /* it was not compared, and is not used */
        lbr_plan_free(*plan), *plan = NULL;
        lbr_kernels_interpret(w.model, 1);
        lbr_fail(&p->note, LBR_OK,
                 good == -1 ? "there is not enough memory for a kernel" : "a kernel cannot be compared without a step");
        status = lbr_plan_create(plan, method, w.system, w.options);
    }
    if (note) *note = p->note.text;
    return status;
}
