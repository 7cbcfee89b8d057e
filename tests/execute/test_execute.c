/* test_execute.c - one run of a system by the tool's machinery: samples, monitors, failures.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin, so that each allocation can be made to fail. */
#define _DEFAULT_SOURCE
#include "support/executed.h"
#include "support/heap.h"
#include "execute/executing.h"

/* --- samples and monitors ---------------------------------------------------------------------------------------- */

static void samples(void)
{
    static const char *const want[] = { "t",    "q[1]",   "q[2]",   "p[1]",   "p[2]",   "H",      "L",     "A[1]",
                                        "A[2]", "d[1,1]", "d[1,2]", "d[1,3]", "d[2,1]", "d[2,2]", "d[2,3]" };
    lbr_system s = kepler(&none);
    lbr_quantity d = { "d", 2, matrix, 6, distances, (void *)&none };
    lbr_job job = job_of(&s);
    lbr_result r;
    lbr_plan *plan;
    double y[4], t;
    int good;

    job.keep = 1, job.observed = &d, job.nobserved = 1;
    good = lbr_execute(&job, &r) == 0;
    ok(good && r.steps == 100 && r.ncolumns == COUNT(want), "a run with %lld columns", (long long)r.ncolumns);
    good = 1;
    for (int i = 0; i < COUNT(want); i++) good &= !strcmp(r.column[i], want[i]);
    ok(good && !strcmp(r.component[3], "p[2]"), "named t, state, H, invariants, observed");
    ok(r.nsamples == 16 && r.sample[15 * r.ncolumns] == 1 && r.sample[14 * r.ncolumns] == fma(98, 0.01, 0),
       "the start, each 7th, and the last");
    lbr_plan_create(&plan, "stormer-verlet", &s, NULL);
    lbr_start(plan, 0, 0.01, start), lbr_run(plan, 49, 0, NULL, NULL), lbr_read(plan, &t, y);
    ok(r.sample[7 * r.ncolumns] == t && same_bits(4, &r.sample[7 * r.ncolumns + 1], y),
       "with the values of a run by hand");
    ok(r.sample[7 * r.ncolumns + 14] == 6 * sqrt(y[0] * y[0] + y[1] * y[1]), "observed ones too");
    lbr_plan_free(plan), lbr_result_free(&r);

    job.record = (const int64_t[]){ 5, 2, 5, 0 }, job.nrecord = 4;
    ok(lbr_execute(&job, &r) == 0 && r.ncolumns == 3 && !strcmp(r.column[0], "t") && !strcmp(r.column[1], "H") &&
           !strcmp(r.column[2], "q[2]"),
       "what is to be recorded, in its order, and the time");
    ok(r.sample[1] == r.energy.first[0], "with their values");
    lbr_result_free(&r);
    job.record = (const int64_t[]){ 15 }, job.nrecord = 1;
    ok(run(&job) == 2 && strstr(said, "column 15"), "a column that is not there: %s", said);
}

static int field_of_six(double t, const double *y, double *out, void *ctx)
{
    for (int i = 0; i < 6; i++) out[i] = -y[i];
    return 0;
}

static void names_of_blocks(void)
{
    static const int64_t two[1] = { 2 };
    static const lbr_block blocks[] = { { sizeof *blocks, "psi", LBR_COMPLEX, 1, two },
                                        { sizeof *blocks, "z", LBR_VECTOR, 1, two } };
    static const double y[6] = { 1, 2, 3, 4, 5, 6 };
    static const lbr_invariant nameless = {
        .size = sizeof nameless, .len = 1, .value = momentum, .ctx = (void *)&none
    };
    static const lbr_invariants list = { sizeof list, 1, &nameless };
    lbr_system s = LBR_SYSTEM(.dim = 6, .field = field_of_six, .blocks = blocks, .nblocks = 2, .invariants = &list);
    lbr_job job = job_of(&s);
    lbr_result r;

    job.method = "rk4", job.y0 = y, job.out = "blocks.csv";
    ok(lbr_execute(&job, &r) == 0 && !r.has_energy &&
           !strncmp(slurp("blocks.csv"), "t,psi[1].re,psi[1].im,psi[2].re,psi[2].im,z[1],z[2],invariant1\n", 62),
       "names of blocks, and of what has none");
    lbr_result_free(&r);
}

/* Errors over every k-th step, by a loop of our own. */
typedef struct watch {
    double H0, A0[2], H, A;
    int64_t every;
} watch;

static int watching(const lbr_view *v, void *ctx)
{
    watch *w = ctx;
    double H, A[2];

    lbr_view_energy(v, &H), lbr_view_invariant(v, 1, A);
    if (v->n == 0) w->H0 = H, w->A0[0] = A[0], w->A0[1] = A[1];
    if (v->n % w->every && v->n != 100) return 0;
    w->H = fmax(w->H, fabs(H - w->H0)), w->A = fmax(w->A, hypot(A[0] - w->A0[0], A[1] - w->A0[1]));
    return 0;
}

static void monitors(void)
{
    static const int64_t every[] = { 1, 7 };
    lbr_system s = kepler(&none);
    lbr_job job = job_of(&s);
    lbr_result r;
    double seen = 0;

    for (int mode = 0; mode < 2; mode++) {
        watch w = { .every = every[mode] };
        lbr_plan *plan;

        lbr_plan_create(&plan, "stormer-verlet", &s, NULL);
        lbr_start(plan, 0, 0.01, start), lbr_run(plan, 100, 1, watching, &w);
        job.options.monitor = mode, lbr_execute(&job, &r);
        ok(r.energy.worst == w.H && r.energy.first[0] == w.H0, "monitor %s: the energy error",
           mode ? "samples" : "every");
        near(r.invariant[1].worst, w.A, 1e-15 * w.A, "and that of a vector, as a norm");
        ok(r.invariant[0].worst < 1e-14 && r.invariant[1].worst > 1e-4, "kept ones and others are told apart");
        if (mode) ok(r.energy.worst < seen, "fewer looks see less");
        seen = r.energy.worst;
        lbr_result_free(&r), lbr_plan_free(plan);
    }
    job.options.monitor = LBR_MONITOR_OFF, lbr_execute(&job, &r);
    ok(isnan(r.energy.worst) && isnan(r.invariant[0].worst) && isfinite(r.energy.last[0]),
       "monitor off: no errors, but the final values");
    lbr_result_free(&r);
    job.steps = 0, job.options.monitor = 0;
    ok(lbr_execute(&job, &r) == 0 && r.steps == 0 && r.energy.worst == 0 && same_bits(4, r.y, start),
       "no steps: the start is reported");
    lbr_result_free(&r);
    s.energy = NULL, s.invariants = &(lbr_invariants){
        sizeof invariants, 1, &(lbr_invariant){ .size = sizeof *items, .name = "H", .len = 1, .value = energy }
    };
    job.steps = 100, lbr_execute(&job, &r);
    ok(r.has_energy && r.energy.worst > 0 && r.energy.worst == r.invariant[0].worst,
       "without a Hamiltonian, the invariant H is the energy");
    lbr_result_free(&r);
}

/* --- what is refused, and what fails on the way ------------------------------------------------------------------ */

static void refusals(void)
{
    static const double bad[4] = { 0.4, 0, NAN, 2 }, centre[4] = { 0, 0, 0, 1 };
    const struct {
        const char *what, *word;
        lbr_job change;
        fault x;
    } row[] = {
        { "a method that is not there", "stormer-verlet", { .method = "stormer-verlot" }, { 0 } },
        { "a method that does not fit", "part", { .method = "split(strang,A,B)" }, { 0 } },
        { "no steps at all", "-1 steps", { .steps = -1 }, { 0 } },
        { "no samples", "every 0", { .every = -1 }, { 0 } },
        { "a step that is not finite", "step is inf", { .h = INFINITY }, { 0 } },
        { "times beyond all numbers", "beyond", { .h = 1e308 }, { 0 } },
        { "a start that is not finite", "p[1]", { .y0 = bad }, { 0 } },
        { "a field that is not finite at the start", "p[1]", { .y0 = centre }, { 0 } },
        { "a force that fails at the start", "start", { .steps = 0 }, { .force = 1, .at = -1 } },
        { "an energy that fails at the start", "H at the start", { .steps = 0 }, { .energy = 1, .at = -1 } },
        { "an energy that is NaN at the start", "H at the start", { .steps = 0 }, { .energy = 2, .at = -1 } },
        { "an invariant that fails at the start", "L at the start", { .steps = 0 }, { .L = 1, .at = -1 } },
        { "an invariant that is infinite at the start", "A[2] at the start", { .steps = 0 }, { .A = 1, .at = -1 } },
        { "an output of another kind", ".csv", { .out = "x.txt" }, { 0 } },
        { "an output in no folder", "nowhere", { .out = "nowhere/x.csv" }, { 0 } },
        { "a checkpoint in no folder", "nowhere", { .checkpoint = "nowhere/x" }, { 0 } },
        { "one file for two", "both", { .out = "two.csv", .checkpoint = "two.csv" }, { 0 } },
        { "a checkpoint that is not there", "absent", { .resume = "absent" }, { 0 } },
    };

    for (int i = 0; i < COUNT(row); i++) {
        lbr_system s = kepler(&row[i].x);
        lbr_job job = job_of(&s);
        const lbr_job *c = &row[i].change;

        if (c->method) job.method = c->method;
        if (c->steps) job.steps = c->steps;
        if (c->every) job.every = 0;
        if (c->h != 0) job.h = c->h;
        if (c->y0) job.y0 = c->y0;
        job.out = c->out ? c->out : "refused.csv", job.checkpoint = c->checkpoint, job.resume = c->resume;
        ok(run(&job) == 2 && strstr(said, row[i].word) && access(job.out, F_OK), "%s: %s", row[i].what, said);
    }
}

static int stiff(double t, const double *y, double *f, void *ctx)
{
    f[0] = y[1], f[1] = -1e6 * sin(y[0]);
    return 0;
}

static void failures(void)
{
    const struct {
        const char *what, *component;
        fault x;
        int64_t step, samples;
        lbr_status status;
    } row[] = {
        { "a force that fails", "", { .force = 1, .at = 0.255 }, 26, 5, LBR_ECALLBACK },
        { "a force that becomes infinite", "p[2]", { .force = 2, .at = 0.255 }, 26, 5, LBR_ENONFINITE },
        { "an energy that fails", "H", { .energy = 1, .at = 0.255 }, 26, 5, LBR_ENONFINITE },
        { "an energy that becomes NaN", "H", { .energy = 2, .at = 0.255 }, 26, 5, LBR_ENONFINITE },
        { "an invariant that fails", "L", { .L = 1, .at = 0.255 }, 26, 5, LBR_ENONFINITE },
        { "a component that becomes infinite", "A[2]", { .A = 1, .at = 0.255 }, 26, 5, LBR_ENONFINITE },
    };
    lbr_result r;

    for (int i = 0; i < COUNT(row); i++) {
        lbr_system s = kepler(&row[i].x);
        lbr_job job = job_of(&s);

        job.keep = 1;
        ok(lbr_execute(&job, &r) == 3 && r.status == row[i].status, "%s: 3; %s", row[i].what, r.text);
        ok(r.failed_step == row[i].step && !strcmp(r.failed_component, row[i].component),
           "at step %lld, component '%s'", (long long)r.failed_step, r.failed_component);
        ok(r.nsamples == row[i].samples && r.steps == 25, "with the samples up to there: %lld, %lld steps",
           (long long)r.nsamples, (long long)r.steps);
        near(r.failed_t, row[i].x.force ? 0.25 : 0.26, 1e-15, "and the time");
        lbr_result_free(&r);
    }
    {
        fault x = { .observed = 1, .at = 0.255 };
        lbr_system s = kepler(&x);
        lbr_quantity d = { "d", 2, matrix, 6, distances, &x };
        lbr_job job = job_of(&s);

        job.keep = 1, job.observed = &d, job.nobserved = 1;
        ok(lbr_execute(&job, &r) == 0 && isfinite(r.sample[3 * r.ncolumns + 9]) && isnan(r.sample[4 * r.ncolumns + 9]),
           "what is only observed may be without a value");
        lbr_result_free(&r);
    }
    {
        lbr_system s = LBR_SYSTEM(.dim = 2, .field = stiff);
        lbr_job job = job_of(&s);

        job.method = "gauss:2", job.h = 0.1, lbr_option_set(&job.options, "solver", "fixed-point");
        ok(lbr_execute(&job, &r) == 3 && r.status == LBR_ENOCONV && r.failed_step == 1 && r.failed_t == 0 &&
               !strcmp(r.failed_component, "y[2]"),
           "equations that are not solved: %s", r.text);
        lbr_result_free(&r);
    }
}

/* The library's own account of a failure. */
static void account(void)
{
    fault x = { .force = 2, .at = 0.255 };
    lbr_system s = kepler(&x);
    lbr_plan *plan;
    lbr_state *state;
    const lbr_failure *f;

    lbr_plan_create(&plan, "stormer-verlet", &s, NULL);
    state = lbr_plan_state(plan);
    ok(!lbr_state_failure(NULL) && !lbr_state_failure(state), "no failure before there is one");
    lbr_start(plan, 0, 0.01, start);
    ok(lbr_run(plan, 20, 0, NULL, NULL) == LBR_OK && !lbr_state_failure(state), "none after a good run");
    ok(lbr_run(plan, 20, 0, NULL, NULL) == LBR_ENONFINITE, "a run that fails");
    ok((f = lbr_state_failure(state)) && f->size == sizeof *f, "tells what has failed");
    ok(f->step == 26 && f->component == 3 && f->t == fma(25, 0.01, 0),
       "step, time and component of the one that failed");
    ok(lbr_run(plan, 0, 0, NULL, NULL) == LBR_OK && !lbr_state_failure(state), "gone with the next run");
    lbr_run(plan, 9, 0, NULL, NULL);
    ok(lbr_state_failure(state) && !lbr_start(plan, 0, 0.01, start) && !lbr_state_failure(state),
       "and with a new start");
    lbr_plan_free(plan);
}

/* --- the rest ---------------------------------------------------------------------------------------------------- */

static void spans(void)
{
    static const struct {
        double time, h;
        int land;
        int64_t steps;
        int note, fails;
    } row[] = { { 10, 0.1, 0, 100, 0, 0 },
                { 10, 0.1, 1, 100, 0, 0 },
                { 10.05, 0.1, 0, 100, 1, 0 },
                { 10.05, 0.1, 1, 101, 0, 0 },
                { 10, 0.1 * (1 + 5e-12), 0, 100, 0, 0 },
                { 10, 0.1 * (1 + 5e-10), 0, 99, 1, 0 },
                { 1e6, 1e-6 * 3, 0, 333333333333, 1, 0 },
                { 0.3, 0.1, 0, 3, 0, 0 },
                { 0, 0.1, 1, 0, 0, 0 },
                { 0.05, 0.1, 0, 0, 1, 0 },
                { 10, -0.1, 0, 100, 0, 0 },
                { -10, -0.1, 1, 100, 0, 0 },
                { -10, 0.1, 0, 0, 0, 1 },
                { 1, 0, 0, 0, 0, 1 },
                { NAN, 1, 0, 0, 0, 1 },
                { 1e300, 1e-3, 0, 0, 0, 1 } };

    for (int i = 0; i < COUNT(row); i++) {
        lbr_message why = { 0 }, note = { 0 };
        double h = row[i].h;
        int64_t n = -1;
        lbr_status status = lbr_span(row[i].time, row[i].land, &h, &n, &why, &note);

        ok(row[i].fails ? status == LBR_EARG && *why.text : !status && n == row[i].steps && !*note.text == !row[i].note,
           "a time of %g in steps of %.17g%s: %lld %s%s", row[i].time, row[i].h, row[i].land ? ", landing" : "",
           (long long)n, why.text, note.text);
        if (!status && row[i].land && n)
            near(fabs((double)n * h), fabs(row[i].time), 4e-16 * fabs(row[i].time), "and it ends there");
        if (!status && !row[i].land) ok(h == row[i].h, "with the step as it is");
    }
}

static void allocations(void)
{
    lbr_system s = kepler(&none);
    lbr_quantity d = { "d", 2, matrix, 6, distances, (void *)&none };
    lbr_job job = job_of(&s);
    lbr_result r;
    long n = 0, before;
    int good = 1, code;

    job.observed = &d, job.nobserved = 1, job.keep = 1, job.force = 1, job.every = 1, job.out = "f.csv",
    job.checkpoint = "f.save", job.name = "run";
    before = heap.live;
    do {
        heap.calls = heap.refused = 0, heap.refuse = ++n;
        job.resume = NULL, code = lbr_execute(&job, &r);
        good &= code == 0 || (heap.refused && code == 4 && *r.text); /* not to be sure of a folder is no failure */
        lbr_result_free(&r);
        if (!code) {
            job.resume = "f.save", code = lbr_execute(&job, &r);
            good &= code == 0 || (heap.refused && code == 4 && *r.text);
            lbr_result_free(&r);
        }
        heap.refuse = 0;
        good &= heap.live == before;
        if (!good) printf("# allocation %ld: %d, %ld left\n", n, code, heap.live - before);
    } while (heap.refused && good && n < 1000);
    ok(good && n > 30, "each of %ld allocations may fail: status 4, and nothing is left", n - 1);
}

/* --- progress ---------------------------------------------------------------------------------------------------- */

static void progress(void)
{
    lbr_progress_of of = { .run = 1, .runs = 1 };

    ok(lbr_progress_part(&of, 0, 25, 100) == 0.25, "of one run the part of its steps");
    ok(lbr_progress_part(&of, 50, 75, 100) == 0.5, "since it goes on");
    of = (lbr_progress_of){ .run = 4, .runs = 4, .before = 30, .all = 1030 };
    ok(fabs(lbr_progress_part(&of, 0, 500, 1000) - 530.0 / 1030) < 1e-15, "of several the part of all steps");
    of = (lbr_progress_of){ .run = 2, .runs = 4, .before = 100 };
    ok(fabs(lbr_progress_part(&of, 0, 50, 100) - 1.5 / 4) < 1e-15, "of others that are not known, as of these");
}

static void tests(void)
{
    progress(), samples(), names_of_blocks(), monitors();
    refusals(), failures(), account();
    spans(), allocations();
}

int main(void) { return in_a_folder(tests); }
