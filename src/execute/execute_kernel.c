/* execute_kernel.c - machine code for a run: at hand, or compiled, and compared. SPDX-License-Identifier: BSD-3-Clause
 *
 * A run begins with what is at hand: a kernel of the cache, or none. What is missing is compiled beside it (option
 * compile: auto) as soon as the run is known to last longer than that takes, or before the first step (wait). Then a
 * second plan is made, which finds it, and the state is moved over as bytes. Bits are the same, so that nobody can tell
 * but by the time.
 *
 * That they are the same is not taken for granted: compilers have made wrong kernels. The first steps from the run's
 * own state are made by both, the kernel and what it replaces, and all that is saved and watched is compared to the
 * last bit. A kernel that differs is refused. */
#include "executing.h"
#include "core/rounding.h"
#include "kernel/compiler.h"
#include "core/clock.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many steps are compared, and the seconds after which one is enough; so many steps are worth a comparison of their
 * own, though the kernel was compared in an earlier run. */
enum { COMPARED = 16, MANY = 100000 };
static const double enough = 0.002;

/* What compiling takes, about: seconds for the templates alone, and for every byte of text beyond theirs. */
static const double always = 0.1, per_byte = 2e-5, templates = 35000;
/* Seconds of steps after which it is known how long the others will take. */
static const double settled = 0.01;

static int fused(const lbr_plan *plan) { return !strcmp(lbr_plan_kernel(plan), "fused"); }

/* --- plans ------------------------------------------------------------------------------------------------------- */

static lbr_status make(lbr_exec *e, int how, lbr_plan **plan)
{
    const lbr_job *job = e->job;

    return lbr_native_plan(job->native, job->native_ctx, how, job->method, job->system, &job->options, plan,
                           &e->kernel.report);
}

static void name_kernel(lbr_exec *e)
{
    lbr_result *r = e->result;

    r->kernel = fused(e->plan) ? "fused" : e->kernel.report.functions ? "compiled" : e->job->native->plain;
    if (r->kernel == e->job->native->plain) r->kernel_from = -1;
    else if (r->kernel_from < 0) r->kernel_from = e->state ? lbr_state_count(e->state) : 0;
}

static void interpret(const lbr_exec *e, int on)
{
    if (e->job->native->interpret) e->job->native->interpret(e->job->native_ctx, on);
}

lbr_status lbr_execute_native(lbr_model *model, lbr_job *job, const volatile sig_atomic_t *interrupt)
{
    lbr_status status = lbr_kernels_enable(model, interrupt);

    if (status) return status;
    lbr_kernels_ask(model, LBR_KERNELS_NONE, NULL); /* but for plans of runs: they compare what they get */
    job->native = &lbr_native_model, job->native_ctx = model;
    return LBR_OK;
}

/* In extended precision there is nothing to go on with. */
static int no_kernel(lbr_exec *e)
{
    const lbr_message *m = &e->kernel.report.message;
    int stopped = m->status == LBR_STOPPED;
    lbr_message why = *m;

    e->kernel.report.message.text[0] = 0;
    return lbr_exec_end(e, stopped ? LBR_EXIT_INTERRUPTED : lbr_exit_before(m->status), m->status,
                        "no extended precision: %s", why.text);
}

int lbr_exec_plan(lbr_exec *e)
{
    const lbr_job *job = e->job;
    int native = job->native && job->options.compile != LBR_NATIVE_NO;
    lbr_status status;

    if (job->options.precision && (!native || !job->native->low))
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EUNFIT,
                            "extended precision is for models, whose functions are compiled for it: %s",
                            native ? "a system in C has doubles" : "without a compiler there is none");
    if (native) status = make(e, job->options.precision ? LBR_COMPILE_WAIT : LBR_COMPILE_LOOK, &e->plan);
    else status = lbr_plan_create(&e->plan, job->method, job->system, &job->options);
    if (status && job->options.precision && e->kernel.report.message.text[0]) return no_kernel(e);
    if (status) return lbr_exec_end(e, lbr_exit_before(status), status, "%s", lbr_plan_message(e->plan));
    if (native) name_kernel(e), interpret(e, e->kernel.report.untried > 0); /* until it is known to be right */
    e->state = lbr_plan_state(e->plan);
    return 0;
}

/* --- the same bits ----------------------------------------------------------------------------------------------- */

/* A trial: a state of a plan (its own, or one that was made for this), what it watches, and all that is looked at at
 * its end: energy, invariants, what is observed, surfaces and conditions of sections. */
typedef struct trial {
    lbr_state *state, *made;
    double *worst, *y, *value;
    lbr_status status;
} trial;

static int64_t watched(const lbr_exec *e) { return e->result->has_energy + e->result->ninvariants; }

/* Numbers behind the state in a trial's y. */
static int64_t looked_at(const lbr_exec *e)
{
    int64_t n = e->at_observed - e->at_energy + 2 * e->job->ncuts;

    for (int64_t i = 0; i < e->job->nobserved; i++) n += e->job->observed[i].len;
    return n;
}

static int open_trial(lbr_exec *e, trial *x, lbr_plan *plan)
{
    int64_t values = looked_at(e), n = watched(e);
    size_t size;
    const void *bytes = lbr_state_bytes(e->state, &size);

    x->y = lbr_mem_alloc((size_t)(e->sys.dim + values + n + 1) * sizeof *x->y);
    if (!x->y || !bytes || (plan == e->plan && lbr_state_create(&x->made, plan))) return 1;
    x->state = x->made ? x->made : lbr_plan_state(plan);
    if (lbr_state_restore(x->state, bytes, size)) return 1;
    x->value = x->y + e->sys.dim, x->worst = x->value + values;
    if (!e->first) return 0;
    memcpy(x->worst, e->worst, (size_t)n * sizeof *x->worst);
    return lbr_state_watch(x->state, e->first, x->worst) != LBR_OK;
}

static void close_trial(trial *x)
{
    if (x->state && !x->made) lbr_state_watch(x->state, NULL, NULL);
    lbr_state_free(x->made), lbr_mem_free(x->y);
}

/* What is seen where it is. What has no value there says so in both ways. */
static void values(lbr_exec *e, trial *x)
{
    double t, *at = x->value;

    memset(at, 0, (size_t)looked_at(e) * sizeof *at);
    if (lbr_state_read(x->state, &t, x->y)) return;
    if (e->sys.energy) x->status |= e->sys.energy(t, x->y, at++, e->sys.ctx) != 0;
    for (int64_t i = 0; i < e->result->ninvariants; i++) {
        const lbr_invariant *v = lbr_exec_invariant(e, i);

        x->status |= v->value(t, x->y, at, v->ctx ? v->ctx : e->sys.ctx) != 0;
        at += v->len;
    }
    for (int64_t i = 0; i < e->job->nobserved; i++) {
        const lbr_quantity *o = &e->job->observed[i];

        if (o->value(t, x->y, at, o->ctx)) memset(at, 0, (size_t)o->len * sizeof *at);
        at += o->len;
    }
    for (int64_t i = 0; i < e->job->ncuts; i++, at += 2) {
        const lbr_section *c = &e->job->cut[i].at;

        if (c->surface(t, x->y, at, c->ctx)) at[0] = 0;
        if (c->holds && c->holds(t, x->y, at + 1, c->holds_ctx)) at[1] = 0;
    }
}

/* Whatever it does to the processor's mode is undone, and seen: the next steps would have other numbers. */
static void advance(lbr_exec *e, trial *x, int64_t n, int interpreted)
{
    fenv_t before;
    int saved = !fegetenv(&before);

    interpret(e, interpreted);
    x->status = lbr_state_run(x->state, n, 0, NULL, NULL);
    values(e, x);
    interpret(e, 0);
    if (!lbr_rounding_usual()) x->status = LBR_EUNFIT;
    if (saved) fesetenv(&before);
}

static int same(lbr_exec *e, trial *a, trial *b)
{
    size_t size, other, numbers = (size_t)(e->sys.dim + looked_at(e)) * sizeof *a->y;
    const void *x = lbr_state_bytes(a->state, &size), *y = lbr_state_bytes(b->state, &other);

    if (a->status != b->status || size != other) return 0;
    if (memcmp(x, y, size) || memcmp(a->y, b->y, numbers)) return 0;
    return !e->first || !memcmp(a->worst, b->worst, (size_t)watched(e) * sizeof *a->worst);
}

/* n more steps of both. */
static int both(lbr_exec *e, trial *plain, trial *native, int64_t n)
{
    advance(e, plain, n, 1), advance(e, native, n, 0);
    return same(e, plain, native);
}

/* What comes of a comparison. Where no step could be made nothing was compared, which is no agreement. */
enum { AGREES, DIFFERS, NO_STEP, NO_MEMORY };

/* Whether the first steps from e->state have the same bits under the new plan as under one without kernels. */
static int agrees(lbr_exec *e, lbr_plan *plan, lbr_plan *plain)
{
    trial a = { 0 }, b = { 0 };
    int64_t left = e->job->steps - lbr_state_count(e->state), n = left < COMPARED ? left : COMPARED;
    double began = lbr_seconds();
    int found = NO_MEMORY;

    if (!open_trial(e, &a, plain) && !open_trial(e, &b, plan)) {
        found = both(e, &a, &b, 1) ? AGREES : DIFFERS;
        if (found == AGREES && lbr_state_count(a.state) == lbr_state_count(e->state)) found = NO_STEP;
        if (found == AGREES && !a.status && n > 1 && lbr_seconds() < began + enough)
            found = both(e, &a, &b, n - 1) ? AGREES : DIFFERS;
    }
    close_trial(&a), close_trial(&b);
    return found;
}

/* Compares with the run's own plan, or with another one if that is fused, and remembers what came of it. */
static int compare(lbr_exec *e, lbr_plan *plan)
{
    const lbr_job *job = e->job;
    lbr_plan *plain = NULL;
    lbr_system without = e->sys;
    int found = NO_MEMORY;

    without.size = sizeof without, without.inside = NULL;
    if (!fused(e->plan) && plan != e->plan) found = agrees(e, plan, e->plan);
    else if (!lbr_plan_create(&plain, job->method, &without, &job->options)) found = agrees(e, plan, plain);
    lbr_plan_free(plain);
    if (found <= DIFFERS) job->native->judge(job->native_ctx, found == AGREES);
    if (found == DIFFERS) e->kernel.report.functions = 0; /* they are forgotten */
    e->kernel.report.untried = 0;
    return found;
}

/* --- taking over ------------------------------------------------------------------------------------------------- */

/* The trajectory, what is watched of it, and what looks for crossings go over to another plan. */
static int move(lbr_exec *e, lbr_plan *plan)
{
    lbr_state *map = NULL, *state = lbr_plan_state(plan);
    size_t size;
    const void *bytes = lbr_state_bytes(e->state, &size);
    lbr_status status = bytes ? lbr_state_restore(state, bytes, size) : LBR_ENOMEM;
    lbr_plan *before;
    int code;

    if (!status && e->first) status = lbr_state_watch(state, e->first, e->worst);
    if (!status && e->cross.step.map) status = lbr_state_create(&map, plan);
    if (status) {
        lbr_exec_end(e, LBR_EXIT_MACHINE, status, "a run could not go on with its kernel: %.300s",
                     lbr_state_message(state));
        return lbr_plan_free(plan), e->result->exit;
    }
    if (map) lbr_state_free(e->cross.step.map), e->cross.step.map = map;
    before = e->plan;
    e->plan = plan, e->state = state;
    code = lbr_exec_rounding_move(e);
    lbr_plan_free(before);
    name_kernel(e);
    return code;
}

static void refused(lbr_exec *e)
{
    lbr_result_note(e->result,
                    "a kernel made by the compiler '%.100s' gives other numbers than %s and is not used; "
                    "it is compiled again with less optimisation",
                    lbr_compiler_name(), e->job->native->interpret ? "the interpreter" : "the system's functions");
}

/* What was loaded has not been compared: nobody uses it. */
static void unused(lbr_exec *e) { e->kernel.report.pending = 0, e->kernel.report.functions = 0, interpret(e, 1); }

/* The first step fails without a kernel, so that nothing can be said of one. */
static int uncompared(lbr_exec *e)
{
    lbr_system plain = e->sys;
    lbr_plan *plan;

    unused(e);
    if (!fused(e->plan)) return 0;
    plain.size = sizeof plain, plain.inside = NULL;
    if (!lbr_plan_create(&plan, e->job->method, &plain, &e->job->options)) return move(e, plan);
    lbr_plan_free(plan);
    return lbr_exec_no_memory(e);
}

/* A second plan and its state take memory that there may not be: then the run goes on as it is. */
static int without(lbr_exec *e)
{
    unused(e);
    lbr_result_note(e->result, "there is not enough memory for a kernel: the run goes on without");
    return fused(e->plan) ? lbr_exec_no_memory(e) : 0;
}

/* Another plan, with kernels that were compared; those that are not good are asked for again with less, until there are
 * none. */
static int change(lbr_exec *e, int how)
{
    lbr_plan *plan;
    int found;

    for (;;) {
        if (make(e, how, &plan)) return lbr_plan_free(plan), without(e);
        if (!e->kernel.report.untried || (found = compare(e, plan)) == AGREES) break;
        lbr_plan_free(plan);
        if (found != DIFFERS) return found == NO_STEP ? uncompared(e) : without(e);
        refused(e);
    }
    if (fused(plan) || fused(e->plan)) return move(e, plan);
    lbr_plan_free(plan);
    name_kernel(e);
    return 0;
}

int lbr_exec_kernel_first(lbr_exec *e)
{
    const lbr_job *job = e->job;
    int code = 0, found = AGREES;

    if (!job->native || job->options.compile == LBR_NATIVE_NO || lbr_state_count(e->state) >= job->steps) return 0;
    if (e->low) return lbr_exec_extended_first(e);
    if (e->kernel.report.untried || (e->result->kernel_from >= 0 && job->steps - lbr_state_count(e->state) >= MANY))
        found = compare(e, e->plan);
    interpret(e, 0);
    if (found > DIFFERS) return found == NO_STEP ? uncompared(e) : without(e);
    if (found == DIFFERS) refused(e), code = change(e, LBR_COMPILE_LOOK);
    if (!code && e->kernel.report.pending && job->options.compile == LBR_NATIVE_WAIT)
        code = change(e, LBR_COMPILE_WAIT);
    return code;
}

/* Whether the rest of the run, or of runs like it, takes longer than compiling. */
static int worth(const lbr_exec *e)
{
    int64_t done = lbr_state_count(e->state) - e->begin, left = e->job->steps - lbr_state_count(e->state);
    double more = (double)e->kernel.report.bytes - templates,
           cost = fmax(always + per_byte * (more > 0 ? more : 0), 2 * e->kernel.report.at_least);
    double seconds = e->result->seconds, spent = seconds;

    if (e->job->spent && e->job->spent->key == e->kernel.report.key) spent += e->job->spent->seconds;
    return spent > cost || (seconds > settled && seconds / (double)done * (double)left > cost);
}

int lbr_exec_kernel(lbr_exec *e)
{
    int working;

    if (!e->kernel.report.pending || e->job->options.compile != LBR_NATIVE_AUTO) return 0;
    if (!e->kernel.begun) {
        if (!worth(e)) return 0;
        e->kernel.begun = 1, e->kernel.working = -1;
        if (change(e, LBR_COMPILE_BESIDE)) return e->result->exit;
        return e->kernel.working = lbr_compile_poll(), 0;
    }
    working = lbr_compile_poll();
    if (working && working >= e->kernel.working) return 0;
    e->kernel.working = working;
    return change(e, working ? LBR_COMPILE_LOOK : LBR_COMPILE_BESIDE);
}

void lbr_exec_kernel_told(lbr_exec *e)
{
    const lbr_native *native = e->job->native;
    lbr_result *r = e->result;
    const lbr_kernels_report *k = &e->kernel.report;

    if (!native) return;
    r->compile_seconds += k->seconds;
    if (e->job->spent && r->kernel == native->plain) {
        double before = e->job->spent->key == e->kernel.report.key ? e->job->spent->seconds : 0;

        *e->job->spent = (lbr_spent){ e->kernel.report.key, before + r->seconds };
    }
    if (k->message.text[0] && !(e->job->interrupt && *e->job->interrupt)) { /* whoever interrupts knows why */
        const char *what = !k->refused || fused(e->plan) ? "" : k->functions ? native->alone : native->without;

        lbr_result_note(r, "%s%.460s", what, k->message.text);
    }
}
