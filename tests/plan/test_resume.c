/* test_resume.c - runs that go on from checkpoints: the bits of a run that was never interrupted, or a refusal.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/executed.h"
#include "io/checkpoint_file.h"

static uint64_t seed = 88172645463325252u;
static int64_t random_below(int64_t n)
{
    return seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17, (int64_t)(seed % (uint64_t)n);
}

static int same_monitor(const lbr_monitor *a, const lbr_monitor *b)
{
    return a->len == b->len && same_bits(a->len, a->first, b->first) && same_bits(a->len, a->last, b->last) &&
           same_bits(1, &a->worst, &b->worst);
}

/* All that must not depend on interruptions. */
static int same_result(const lbr_result *a, const lbr_result *b)
{
    return a->steps == b->steps && same_bits(1, &a->t, &b->t) && a->dim == b->dim && same_bits(a->dim, a->y, b->y) &&
           same_monitor(&a->energy, &b->energy) && same_monitor(&a->invariant[0], &b->invariant[0]) &&
           same_monitor(&a->invariant[1], &b->invariant[1]) && !memcmp(&a->stats, &b->stats, sizeof a->stats);
}

/* --- going on ---------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t flag;
static int64_t flag_at;
static int raise_flag(const lbr_view *v, void *ctx)
{
    if (v->n >= flag_at) flag = 1;
    return 0;
}
static int stop_there(const lbr_view *v, void *ctx) { return v->n == *(int64_t *)ctx; }

/* Runs to `steps` in pieces that end anywhere, in one of three ways. */
static int in_pieces(lbr_job job, lbr_result *r, int64_t *pieces)
{
    int64_t all = job.steps, at = 0;
    int code;

    for (*pieces = 0;; ++*pieces) {
        int64_t next = at + random_below(all / 3) - 1;

        next = next < at ? at : next < all ? next : all;
        job.resume = *pieces ? "pieces.save" : NULL;
        job.steps = all, job.stop = NULL, job.interrupt = NULL;
        if (*pieces % 3 == 0) job.steps = next;
        else if (*pieces % 3 == 1) job.stop = stop_there, job.stop_ctx = &next;
        else flag = 0, flag_at = next, job.stop = raise_flag, job.interrupt = &flag;
        code = lbr_execute(&job, r);
        at = r->steps;
        if (at >= all || (code && code != 130)) return code;
        lbr_result_free(r);
    }
}

static void pieces(void)
{
    static const struct {
        const char *method, *option, *value;
    } row[] = { { "stormer-verlet", "compensated", "no" }, { "stormer-verlet", "compensated", "yes" },
                { "gauss:2", "solver", "auto" },           { "gauss:2", "solver", "newton" },
                { "gauss:2", "compensated", "yes" },       { "kahan-li-8-17", "compensated", "no" },
                { "kahan-li-8-17", "compensated", "yes" }, { "rk4", "monitor", "samples" } };

    for (int i = 0; i < COUNT(row); i++) {
        lbr_system s = kepler(&none);
        lbr_job job = job_of(&s);
        lbr_result a, b;
        int64_t n;
        int code;

        job.method = row[i].method, job.steps = 1000, job.force = 1, job.out = "whole.csv",
        job.checkpoint = "whole.save";
        lbr_option_set(&job.options, row[i].option, row[i].value);
        lbr_execute(&job, &a);
        job.out = "pieces.csv", job.checkpoint = "pieces.save";
        code = in_pieces(job, &b, &n);
        ok(!code && same_result(&a, &b), "%s, %s = %s: the same in %lld pieces%s%s", row[i].method, row[i].option,
           row[i].value, (long long)n + 1, code ? ": " : "", b.text);
        ok(!strcmp(slurp("whole.csv"), slurp("pieces.csv")) && strlen(slurp("whole.csv")) > 1000, "and the same file");
        lbr_result_free(&a), lbr_result_free(&b);
    }
}

static void changes(void)
{
    lbr_system s = kepler(&none);
    lbr_job job = job_of(&s), other;
    static const double times[] = { 0, 0.07, 0.14, 0.21, 0.28, 0.3 };
    lbr_result r;
    const char *text;
    int good = 1;

    job.checkpoint = "c.save", job.out = "c.csv", job.steps = 25;
    ok(run(&job) == 0 && run(&job) == 2 && strstr(said, "c.csv"), "an output that exists stays: %s", said);
    job.resume = "c.save", job.steps = 30;
    job.method = "rk4";
    ok(run(&job) == 2, "the checkpoint of another run is not replaced: %s", said);
    job.checkpoint = NULL;
    ok(run(&job) == 2 && strstr(said, "method") && strstr(said, "stormer-verlet"), "another method: %s", said);
    job.method = "stormer-verlet", job.options.compensated = 1;
    ok(run(&job) == 2 && strstr(said, "option") && strstr(said, "compensated=yes"), "another option: %s", said);
    job.options.compensated = 0, job.h = 0.02;
    ok(run(&job) == 2 && strstr(said, "step") && strstr(said, "0.02"), "another step: %s", said);
    job.h = 0.01, job.t0 = 1;
    ok(run(&job) == 2 && strstr(said, "time at the start"), "another time: %s", said);
    job.t0 = 0, job.digest = 43;
    ok(run(&job) == 2 && strstr(said, "another model"), "another model: %s", said);
    job.digest = 42, job.steps = 24;
    ok(run(&job) == 2 && strstr(said, "25 steps already"), "fewer steps than are done: %s", said);
    job.steps = 30, s.name = "other";
    ok(run(&job) == 0, "a name is for people%s", said);
    s.name = "kepler", s.energy = NULL;
    ok(run(&job) == 2 && strstr(said, "monitors"), "other monitors: %s", said);
    s = kepler(&none), other = job, other.out = "new.csv", other.every = 10, other.keep = 1,
    other.options.monitor = LBR_MONITOR_SAMPLES, other.kernel = "compiled";
    ok(lbr_execute(&other, &r) == 0 && r.nsamples == 2 && r.sample[0] == 0.25,
       "another file begins where the run goes on: %s", r.note);
    ok(r.nwarnings == 1 && strstr(r.warning[0], "monitor") && strstr(r.note, "kernel"),
       "it is said what is not known, and that the kernel is another");
    lbr_result_free(&r);
    job.every = 5, job.options.isa = 1;
    ok(run(&job) == 2 && strstr(said, "every") && strstr(said, "'7' there, '5' here"),
       "samples of one file are equally far apart: %s", said);
    job.every = 7;
    ok(run(&job) == 0 && !*noted && !*warned, "what has no influence on bits may differ");
    text = slurp("c.csv");
    for (int i = 0; i < COUNT(times); i++) good &= (text = strchr(text, '\n')) && fabs(atof(++text) - times[i]) < 1e-12;
    ok(good && !strchr(strchr(text, '\n') + 1, '\n'), "the file goes on behind the samples that were due");
    ok(run(&(lbr_job){ .model = "kepler",
                       .method = "stormer-verlet",
                       .system = &s,
                       .options = job.options,
                       .h = 0.01,
                       .steps = 25,
                       .every = 7,
                       .digest = 42,
                       .resume = "c.save" }) == 0,
       "nothing left to do is fine");
}

static void versions(void)
{
    lbr_system s = kepler(&none);
    lbr_job job = job_of(&s);
    lbr_saved saved;
    lbr_message why;
    void *memory;
    double *extra;

    job.checkpoint = "v.save", job.steps = 50, run(&job);
    ok(!lbr_saved_read("v.save", &saved, &memory, &why) && saved.steps == 50 && saved.records == 0 && !*saved.out,
       "a checkpoint can be read");
    saved.library = "0.0.9", lbr_saved_write("v2.save", &saved, 1, &why);
    job.checkpoint = NULL, job.resume = "v2.save";
    ok(run(&job) == 0 && strstr(warned, "0.0.9"), "another version goes on, with a warning: %s", warned);
    saved.steps = 49, lbr_saved_write("v2.save", &saved, 1, &why);
    ok(run(&job) == 2 && strstr(said, "contradicts"), "a count that is not the state's: %s", said);
    saved.steps = 50, extra = (double *)saved.extra;
    for (int64_t i = 0; i < saved.nextra; i++) {
        double kept = extra[i];

        extra[i] = NAN, lbr_saved_write("v2.save", &saved, 1, &why), extra[i] = kept;
        if (run(&job) != 2) ok(0, "number %lld of the monitors may be NaN", (long long)i);
    }
    saved.nextra--, lbr_saved_write("v2.save", &saved, 1, &why);
    ok(run(&job) == 2 && strstr(said, "monitors"), "hostile monitors: %s", said);
    saved.nextra++, saved.nstate -= 8, lbr_saved_write("v2.save", &saved, 1, &why);
    ok(run(&job) == 2, "a state that is too short: %s", said);
    lbr_mem_free(memory);
}

static void tests(void) { pieces(), changes(), versions(); }

int main(void) { return in_a_folder(tests); }
