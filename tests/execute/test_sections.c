/* test_sections.c - sections: crossings whose times and states are known, runs that end at them, what is asked about
 * them. SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow of the oscillator is exact in a splitting with a second part that does nothing, so that its crossings are
 * known to round-off; the free particle has exact zeros at steps that are powers of two. Linked with --wrap=malloc and
 * its kin, so that each allocation can be made to fail. */
#define _DEFAULT_SOURCE
#include "support/share.h"
#include "support/judged.h"
#include "plot/plot.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
#define PI          3.14159265358979323846

static const lbr_result *run(int i) { return &e.x.run[i].result; }

/* All claims of a text hold. */
static void holds(const char *what, const char *text)
{
    int good = judge(text) && e.n > 0;

    ok(good, "%s: %lld claims", what, (long long)e.n);
    for (int64_t k = 0; good && k < e.n; k++)
        if (!ok(e.verdict[k].holds, "... %s", e.verdict[k].text))
            printf("# value %.17g\n", e.verdict[k].n ? e.verdict[k].value[0] : NAN);
    for (int i = 0; i < e.x.nruns && good; i++)
        if (run(i)->exit) printf("# %s\n", run(i)->text);
    finish();
}

#define OSCILLATOR "canonical q, p\npart a = (p^2 + q^2)/2\npart b = 0*q\nstart q = 1\n"
#define FREE       "canonical q, p\nH = p^2/2\nstart q = -1, p = 1\n"
#define PENDULUM   "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1\n"

/* --- where crossings are ----------------------------------------------------------------------------------------- */

static void known_times(void)
{
    holds("the oscillator",
          OSCILLATOR "section any: q = 0\n"
                     "section up: q = 0, p > 0\n"
                     "section down: 0 = q, p < 0\n"
                     "section rising: q = 0, q' > 0\n"
                     "section turn: q' = 0\n"
                     "section both: q = 0, p > 0 or p < 0, not q > 1\n"
                     "section never: q = 0, p > 2\nsection level: q = 1/2, p < 0\nsection strobe: sin(t) = 0\n"
                     "run method = strang, step = 0.1, time = 20\n"
                     "claim count(any) = 6\n"
                     "claim count(up) = 3\n"
                     "claim count(down) = 3\n"
                     "claim count(rising) = 3\n"
                     "claim count(turn) = 6\n"
                     "claim count(both) = 6\n"
                     "claim count(never) = 0\n"
                     "claim count(level) = 4\n"
                     "claim max(abs(any.t - (floor(any.t/pi) + 0.5)*pi)) < 1e-14\n"
                     "claim max(abs(up.t - (floor(up.t/pi) + 0.5)*pi)) < 1e-14\n"
                     "claim first(down.t) < 1.6\n"
                     "claim first(up.t) > 4.7\n"
                     "claim max(abs(any.q)) < 1e-16\n"
                     "claim max(abs(abs(any.p) - 1)) < 1e-14\n"
                     "claim min(up.p) > 0.99\n"
                     "claim max(down.p) < -0.99\n"
                     "claim max(abs(rising.t - up.t)) = 0\n"
                     "claim max(abs(turn.p)) < 1e-16\n"
                     "claim max(abs(turn.t - floor(turn.t/pi + 0.5)*pi)) < 1e-14\n"
                     "claim first(turn.t) > 3\n"
                     "claim abs(first(level.t) - pi/3) < 1e-15\n"
                     "claim max(abs(level.q - 0.5)) < 2e-16\n"
                     "claim max(abs(level.H - 0.5)) < 1e-14\n"
                     "claim count(strobe) = 6\nclaim max(abs(strobe.t - floor(strobe.t/pi + 0.5)*pi)) < 1e-14\n"
                     "claim count(any.p > 0) = 3\n"
                     "claim when(any) = first(any.t)\n"
                     "claim when(never) > 1e300\n"
                     "claim min(any.h) = 0.1\n");
    /* What is located is on the method's own curve, not between samples: with an order of 8 at h = 0.2 to 1e-9, where a
     * straight line would be off by 1e-3. */
    holds("a method of high order", PENDULUM "section any: q = 0\n"
                                             "run method = kahan-li-8-17, time = 60\n"
                                             "run a: step = 0.2\n"
                                             "run b: step = 0.05\n"
                                             "claim count(a.any) = count(b.any)\n"
                                             "claim abs(last(a.any.t) - last(b.any.t)) < 1e-9\n"
                                             "claim max(abs(a.any.H - b.any.H)) < 1e-9\n"
                                             "claim max(abs(a.any.q)) < 1e-15\n");
    holds("the error of a crossing has the order of the method",
          PENDULUM "section any: q = 0\n"
                   "run step = 0.01, time = 8\n"
                   "run v[k = 1..3]: method = stormer-verlet, step = 0.2/2^k\n"
                   "run g[k = 1..3]: method = gauss:2, step = 0.4/2^k\n"
                   "run ref: method = gauss:6\n"
                   "claim 1.9 < exponent(v.step, abs(last(v.any.t) - last(ref.any.t))) < 2.1\n"
                   "claim 3.9 < exponent(g.step, abs(last(g.any.t) - last(ref.any.t))) < 4.1\n"
                   "claim max(abs(g.any.q)) < 1e-15\nclaim count(v.any) = 2\n");
}

/* Each event is a shortened step of the same map from the step before it. */
static void shortened(void)
{
    static const char *const method[] = { "stormer-verlet", "gauss:2", "rk4", "kahan-li-6-9", "symplectic-euler" };

    for (int m = 0; m < COUNT(method); m++) {
        char text[500];
        double worst = 0;
        lbr_plan *plan = NULL;
        const lbr_events *v = NULL;

        snprintf(text, sizeof text,
                 "%ssection any: q = 1/4\n"
                 "run method = %s, step = 0.125, time = 40\n"
                 "claim count(any) = 12 and max(abs(any.q)) < 1\n",
                 PENDULUM, method[m]);
        if (!ok(judge(text) && e.verdict[0].holds && (v = lbr_result_events(run(0), "any")), "%s: 12 events",
                method[m])) {
            finish();
            continue;
        }
        lbr_plan_create(&plan, e.x.run[0].job.method, e.x.run[0].job.system, NULL);
        for (int64_t i = 0; i < v->count; i++) {
            int64_t n = (int64_t)floor(v->t[i] / 0.125);
            double y[2] = { run(0)->sample[n * run(0)->ncolumns + 1], run(0)->sample[n * run(0)->ncolumns + 2] };

            lbr_map(plan, (double)n * 0.125, v->t[i] - (double)n * 0.125, y);
            worst = fmax(worst,
                         fmax(fmax(fabs(y[0] - v->y[2 * i]), fabs(y[1] - v->y[2 * i + 1])), fabs(v->y[2 * i] - 0.25)));
        }
        near(worst, 0, 1e-14, "... each is a shortened step from the step before, and on the surface");
        lbr_plan_free(plan);
        finish();
    }
}

/* --- zeros, touches, jumps --------------------------------------------------------------------------------------- */

static void zeros(void)
{
    holds("exact zeros", FREE "section hit: q = 0\n"
                              "section back: -q = 0\n"
                              "section later: q = 1/2\n"
                              "section touch: q^2 = 0\n"
                              "section end: q = 1\n"
                              "section begin: q = -1\n"
                              "section cubed: q^3 = 0\n"
                              "section rest: max(abs(q) - 1/4, 0)*q = 0\n"
                              "section behind: q = 0.9999999999\nrun method = stormer-verlet, step = 0.125, time = 2\n"
                              "claim count(hit) = 1\n"
                              "claim last(hit.t) = 1\n"
                              "claim last(hit.q) = 0\n"
                              "claim count(back) = 1\n"
                              "claim count(later) = 1\n"
                              "claim last(later.t) = 1.5\n"
                              "claim count(touch) = 0\n"
                              "claim count(end) = 1\n"
                              "claim last(end.t) = 2\n"
                              "claim count(begin) = 0\n"
                              "claim count(cubed) = 1\n"
                              "claim count(rest) = 1\n"
                              "claim last(rest.t) = 1.25\n"
                              "claim count(behind) = 1\n");
    holds("grazing", OSCILLATOR
          "section top: q = 1\n"
          "section beyond: q = 1.000001\n"
          "section inside: q = 0.99999999\n"
          "section twice: q = 0.9\n"
          "run method = strang, step = 0.1, time = 20\n"
          "claim count(top) = 0\n"
          "claim count(beyond) = 0\n"
          "claim count(inside) = 1\n"
          "claim count(twice) = 7\n"); /* inside: the way out of the start; later both ways are in one step */
    holds("jumps and poles are no crossings",
          FREE "section angle: mod(q + 1.5, 1) - 0.5 = 0\n"
               "section pole: 1/(q + 0.3) = 0\n"
               "section tangent: tan(4*q + 0.3) = 0\n"
               "section floor: floor(q) + 0.5 = 0\n"
               "run method = stormer-verlet, step = 0.0625, time = 2.5\n"
               "claim count(angle) = 2\n"
               "claim max(abs(angle.t - [1, 2][1] - floor(angle.t - 0.5))) < 1e-15\n"
               "claim count(pole) = 0\n"
               "claim count(tangent) = 4\n"
               "claim count(floor) = 0\n");
}

/* The end of a run has the care that its start has: whole periods have as many strobes, whatever rounding does to the
 * last step. Without it a part of these sweeps has one too few. */
static void strobes(void)
{
    holds("strobes", FREE "section strobe: sin(t/2) = 0\n"
                          "run method = stormer-verlet, step = 2*pi/24, steps = 24\n"
                          "run v[k = 1..300]: steps = 24*k\n"
                          "run back[k = 1..50]: step = -2*pi/24, steps = 24*k\n"
                          "run late[k = 1..50]: t = 2e7*pi, steps = 24*k\n"
                          "run on[k = 1..50]: from = v[k]\n"
                          "run short: step = (2*pi - 1e-8)/24\n"
                          "claim all[k = 1..300]: count(v[k].strobe) = k\n"
                          "claim behind[k = 1..50]: count(back[k].strobe) = k\n"
                          "claim far[k = 1..50]: count(late[k].strobe) = k\n"
                          "claim once[k = 1..50]: count(on[k].strobe) = 1\n"
                          "claim located[k = 1..300]: last(v[k].strobe.t) <= last(v[k].t)\n"
                          "claim count(short.strobe) = 0\n");
    holds("jumps and failures behind the end are none of the run's",
          FREE "section jump: floor(t - 1e-12) = 0.5\n"
               "section angle: mod(t - 1e-12, 1) = 0.5\n"
               "section wall: sqrt(-q) = -1\n"
               "section just: t - 1e-12 = 1\n"
               "run method = stormer-verlet, step = 0.125, steps = 8\n"
               "claim count(jump) = 0\n"
               "claim count(angle) = 1\n"
               "claim count(wall) = 0\n"
               "claim count(just) = 1\n"
               "claim last(just.t) = 1\n");
}

/* --- directions -------------------------------------------------------------------------------------------------- */

static void directions(void)
{
    holds("backwards", OSCILLATOR "section up: q = 0, p > 0\n"
                                  "section down: q = 0, q' < 0\n"
                                  "run method = strang, step = -0.1, time = 20\n"
                                  "claim count(up) = 3\n"
                                  "claim abs(first(up.t) + pi/2) < 1e-14\n"
                                  "claim abs(first(down.t) + 3*pi/2) < 1e-14\n"
                                  "claim max(up.t) < 0\n"
                                  "claim max(abs(up.p - 1)) < 1e-14\n");
    holds("there and back", OSCILLATOR "section cut: q = 1/3\n"
                                       "run method = strang, step = 0.1, time = 30\n"
                                       "run there: step = 0.1\n"
                                       "run back: from = there, step = -0.1\n"
                                       "claim count(there.cut) = 9\n"
                                       "claim count(back.cut) = 9\n"
                                       "claim abs(first(there.cut.t) - last(back.cut.t)) < 1e-13\n"
                                       "claim abs(last(there.cut.p) - first(back.cut.p)) < 1e-13\n");
    /* Shortened steps from the two ends of a step agree up to the error of one step; the trajectory of a method that is
     * not symmetric does not come back at all. */
    holds("up to the error of one step",
          PENDULUM "section cut: q = 1/3\nrun time = 30\n"
                   "run there: method = gauss:2, step = 0.1\n"
                   "run back: from = there, method = gauss:2, step = -0.1\n"
                   "run there4: method = gauss:2, step = 0.025\n"
                   "run back4: from = there4, method = gauss:2, step = -0.025\n"
                   "run away: method = rk4, step = 0.1\nrun astray: from = away, method = rk4, step = -0.1\n"
                   "claim count(there.cut) = count(back.cut)\n"
                   "claim abs(first(there.cut.t) - last(back.cut.t)) < 1e-8\n"
                   "claim abs(first(there4.cut.t) - last(back4.cut.t)) < 2e-11\n"
                   "claim abs(last(there.cut.p) - first(back.cut.p)) < 1e-8\n"
                   "claim abs(first(away.cut.t) - last(astray.cut.t)) > 1e-7\n");
}

static void rates(void)
{
    static const struct {
        const char *what, *model, *method;
    } row[] = {
        { "pairs", "canonical q, p\nH = p^2/2 - cos(q)\nlet v = p, w = -sin(q)\nstart q = 1\n", "gauss:2" },
        { "pairs that do not separate",
          "canonical q, p\n"
          "H = p^2/2*(1 + q^2/4) - cos(q)\n"
          "let v = p*(1 + q^2/4), w = -sin(q) - p^2*q/4\n"
          "start q = 1\n",
          "gauss:2" },
        { "damping",
          "canonical q, p\n"
          "H = p^2/2 - cos(q)\n"
          "rayleigh = 0.05*q'^2\n"
          "let v = p, w = -sin(q) - 0.1*p\n"
          "start q = 1\n",
          "gauss:2" },
        { "parts",
          "canonical q, p\n"
          "part T = p^2/2\n"
          "part U = -cos(q)\n"
          "let v = p, w = -sin(q)\n"
          "start q = 1\n",
          "split(strang, T, U)" },
        { "a Lagrangian", "canonical q, p\nL = q'^2 + cos(q)\nlet v = p/2, w = -sin(q)\nstart q = 1\n", "gauss:2" },
        { "rates", "state q, p\nlet v = p, w = -sin(q)\nq' = v, p' = w\nstart q = 1\n", "rk4" },
        { "a partition",
          "state q, p\n"
          "partition p\n"
          "let v = p, w = -sin(q)\n"
          "q' = v, p' = w\n"
          "start q = 1\n",
          "stormer-verlet" },
        { "parts of a field",
          "state q, p\n"
          "let v = p, w = -sin(q)\n"
          "part a: q' = v\n"
          "part b: p' = w\n"
          "start q = 1\n",
          "split(strang, a, b)" },
        { "brackets",
          "state q, p\n"
          "poisson {q, p} = 1 + q^2/10\n"
          "H = p^2/2 - cos(q)\n"
          "let v = (1 + q^2/10)*p, w = -(1 + q^2/10)*sin(q)\n"
          "start q = 1\n",
          "gauss:2" },
    };
    char text[1000];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(text, sizeof text,
                 "%ssection a: q' = 0.1, p' < 0\n"
                 "section b: v = 0.1, w < 0\n"
                 "section c: q = 0.2, p*q' - 0.1 > 0 and p' < 0\n"
                 "section d: q = 0.2, v*p - 0.1 > 0, w < 0\n"
                 "run method = %s, step = 0.05, time = 30\n"
                 "claim count(a) > 2\n"
                 "claim count(c) > 2\n"
                 "claim count(a) = count(b)\n"
                 "claim count(c) = count(d)\n"
                 "claim max(abs(a.t - b.t)) < 1e-14\n"
                 "claim max(abs(c.t - d.t)) = 0\n"
                 "claim max(abs(a.v - 0.1)) < 1e-15\n",
                 row[i].model, row[i].method);
        holds(row[i].what, text);
    }
}

/* --- on two surfaces at once ------------------------------------------------------------------------------------- */

/* Thrown upwards: at t = 1 it is at its highest point, without any error, and falls back. */
static void on_both(void)
{
    static const struct {
        const char *how;
        int top, vtop, falls, half;
    } row[] = { { "time = 1", 1, 1, 1, 1 },
                { "time = 2, until = vtop", 1, 1, 1, 1 },
                { "time = 2, until = half", 1, 1, 1, 1 },
                { "time = 2, until = falls", 1, 1, 1, 1 },
                { "time = 2", 0, 1, 1, 1 },
                { "time = 2, until = top", 0, 1, 1, 1 },
                { "time = 1, step = 0.125, until = vtop", 1, 1, 1, 1 } };
    static const char *const name[] = { "top", "vtop", "falls", "half", "rising" };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int want[] = { row[i].top, row[i].vtop, row[i].falls, row[i].half, 0 };
        char text[900];

        snprintf(text, sizeof text,
                 "canonical q, p\nH = p^2/2 + q\nstart q = 0, p = 1\n"
                 "section top: q = 0.5\nsection vtop: p = 0\nsection falls: 2*p = 0, q > 0\nsection half: t = 1\n"
                 "section rising: q = 0.5, p > 0\nrun method = stormer-verlet, step = 0.25\nrun a: %s\n"
                 "claim count(a.top) + count(a.vtop) + count(a.falls) + count(a.half) + count(a.rising) > 0\n",
                 row[i].how);
        if (!ok(judge(text), "%s", row[i].how)) printf("# %s\n", e.x.message);
        for (int k = 0; k < 5 && e.x.nruns; k++) {
            const lbr_events *v = lbr_result_events(&e.x.run[0].result, name[k]);

            ok(v && v->count == want[k], "%s: %s has %d events (%d)", row[i].how, name[k], v ? (int)v->count : -1,
               want[k]);
        }
        finish();
    }
}

/* --- until ------------------------------------------------------------------------------------------------------- */

static void until(void)
{
    holds("a run that ends at an event",
          OSCILLATOR "observe r = q^2 + p^2\n"
                     "section up: q = 0, p > 0\n"
                     "section any: q = 0\n"
                     "section far: q = 7\n"
                     "section late: p = 1 - 1e-12, q < 0\n"
                     "run method = strang, step = 0.1, time = 20\n"
                     "run a: until = up\n"
                     "run b: from = a, until = any\n"
                     "run c: from = b, until = up\n"
                     "run d: from = c, until = any, step = -0.1\n"
                     "run f: until = far\n"
                     "run g: every = 1000, until = up\n"
                     "claim abs(last(a.t) - 3*pi/2) < 1e-14\n"
                     "claim abs(last(a.q)) < 1e-16\n"
                     "claim abs(last(a.p) - 1) < 1e-14\n"
                     "claim a.steps = 47\n"
                     "claim count(a.t > -1) = 49\n"
                     "claim abs(last(a.r) - 1) < 1e-14\n"
                     "claim count(a.up) = 1\nclaim first(a.up.t) = last(a.t)\nclaim count(a.any) = 2\n"
                     "claim abs(last(b.t) - last(a.t) - pi) < 1e-14\n"
                     "claim abs(last(c.t) - last(b.t) - pi) < 1e-14\n"
                     "claim abs(last(d.t) - last(c.t) + pi) < 1e-14\n"
                     "claim f.steps = 200\n"
                     "claim count(f.far) = 0\n"
                     "claim count(g.t > -1) = 2\n"
                     "claim last(g.t) = last(a.t)\n"
                     "claim last(g.q) = last(a.q)\n");
    holds("at a step", FREE "section hit: q = 0\n"
                            "section next: q = 0.01\n"
                            "section before: q = -0.01\n"
                            "run method = stormer-verlet, step = 0.125, time = 2, until = hit\n"
                            "claim last(t) = 1\n"
                            "claim steps = 8\n"
                            "claim count(t > -1) = 9\n"
                            "claim count(hit) = 1\n"
                            "claim count(next) = 0\n"
                            "claim count(before) = 1\n"
                            "claim last(q) = 0\n");
    holds("all runs of a sweep", OSCILLATOR "section up: q = 0, p > 0\n"
                                            "run v[k = 1..4]: method = strang, step = 0.1*k, time = 20, until = up\n"
                                            "claim max(abs(last(v.t) - 3*pi/2)) < 1e-14\n"
                                            "claim count(v.up) = 1\n"
                                            "claim v[4].steps = 11\n"
                                            "claim max(count(v.up)) = 1\n");
}

/* A run with a checkpoint in the middle, and one that has ended at its event and is asked to go on. */
static void checkpoints(void)
{
    static const char text[] = PENDULUM "section any: q = 0.3, p > 0\n"
                                        "run a: method = gauss:2, step = 0.1, time = 50, until = any\n"
                                        "run b: method = gauss:2, step = 0.1, time = 50\n";
    const char *file = "sections.lbrc";
    lbr_result whole, part, rest, again;
    lbr_job job;

    unlink(file);
    ok(open_text(text) && !lbr_experiment_prepare(&e.x, 0), "a run until an event");
    job = e.x.run[0].job;
    ok(lbr_execute(&job, &whole) == 0 && whole.ended && whole.steps > 10 && whole.nevents == 1 &&
           whole.events[0].count == 1,
       "ends there");
    job.checkpoint = file, job.steps = 10;
    ok(lbr_execute(&job, &part) == 0 && !part.ended && part.events[0].count == 0,
       "its first ten steps, with a checkpoint: not there yet");
    job.resume = file, job.steps = 500;
    ok(lbr_execute(&job, &rest) == 0 && rest.ended, "going on: the same event, bit by bit");
    ok(rest.steps == whole.steps && rest.t == whole.t, "at the same step and time");
    ok(!memcmp(rest.y, whole.y, 2 * sizeof *rest.y), "in the same state");
    ok(!memcmp(&rest.stats, &whole.stats, sizeof rest.stats) && rest.energy.worst == whole.energy.worst,
       "with the same statistics");
    ok(lbr_execute(&job, &again) == 0 && again.ended && again.steps == whole.steps && again.t == whole.t,
       "from the checkpoint of its end: there again");
    ok(!memcmp(again.y, whole.y, 2 * sizeof *again.y) && !memcmp(&again.stats, &whole.stats, sizeof again.stats),
       "with the same state and statistics");
    ok(whole.begin == 0 && part.begin == 0 && rest.begin == 10 && again.begin == whole.steps,
       "a result tells from which step on it was made");
    lbr_result_free(&part), lbr_result_free(&rest), lbr_result_free(&again);
    job.ncuts = 0;
    ok(lbr_execute(&job, &part) == 0 && part.steps == 500 && !part.nevents, "without looking for sections it goes on");
    lbr_result_free(&part);
    ok(!lbr_experiment_prepare(&e.x, 1) &&
           (job = e.x.run[1].job, job.checkpoint = file, job.force = 1, job.steps = 7, lbr_execute(&job, &part) == 0),
       "a checkpoint without sections");
    lbr_result_free(&part);
    job = e.x.run[0].job, job.resume = file, ((lbr_cut *)job.cut)->keep = 0;
    ok(lbr_execute(&job, &part) == 0 && part.ended && part.t == whole.t,
       "is one for a run with them, which sees where it is: %s", part.text);
    lbr_result_free(&part), lbr_result_free(&whole);
    unlink(file);
    finish();
}

/* --- the trajectory is not touched ------------------------------------------------------------------------------- */

static void untouched(void)
{
    static const char *const method[] = {
        "stormer-verlet", "gauss:3", "rk4", "kahan-li-8-17", "compose(yoshida-6-7, midpoint)", "explicit-euler"
    };

    for (int m = 0; m < COUNT(method); m++) {
        char text[600];
        int same;

        snprintf(text, sizeof text,
                 "%ssection any: q = 0\n"
                 "section turn: q' = 0\n"
                 "run method = %s, step = 0.1, time = 100, every = 7\n"
                 "run a: every = 7\n"
                 "run b: every = 7\n"
                 "claim count(a.any) > 3 and count(a.turn.q > 0) > 1\n",
                 PENDULUM, method[m]);
        same = judge(text) && e.verdict[0].holds && run(0)->nevents == 2 && run(1)->nevents == 0 &&
               !memcmp(run(0)->y, run(1)->y, 2 * sizeof(double)) &&
               !memcmp(&run(0)->stats, &run(1)->stats, sizeof run(0)->stats) && run(0)->nsamples == run(1)->nsamples &&
               !memcmp(run(0)->sample, run(1)->sample,
                       (size_t)(run(0)->nsamples * run(0)->ncolumns) * sizeof(double)) &&
               run(0)->energy.worst == run(1)->energy.worst;
        ok(same, "%s: the same samples, state, counts and errors as without sections", method[m]);
        finish();
    }
}

/* --- sweeps, pictures, tables, reports --------------------------------------------------------------------------- */

static void asked(void)
{
    static const char text[] = OSCILLATOR "param w = 1\n"
                                          "section up: q = 0, p > 0\n"
                                          "section other: p = 0\n"
                                          "section q: q = 0\n"
                                          "measure turns = count(up), span = last(up.t) - first(up.t)\n"
                                          "run method = strang, time = 20\n"
                                          "run a: step = 0.1\n"
                                          "run v[k = 1..3]: step = 0.1*k\n"
                                          "run z: step = 0.5, time = 1\n"
                                          "run u: step = 0.1, until = other\n"
                                          "plot dots: of = [a.up, v.up], x = q, y = p, style = dots\n"
                                          "plot times: of = v.up, x = t, y = [p, H]\n"
                                          "plot samples: of = [a, a.up], x = t, y = p\n"
                                          "table one: of = v.up, columns = [step(1), mean(p), max(abs(q))]\n"
                                          "claim count(v.up) = 3\n"
                                          "claim min(count(v.up)) = 3\n"
                                          "claim max(abs(last(v.up.t) - 11*pi/2)) < 1e-13\n"
                                          "claim v[2].turns = 3\n"
                                          "claim abs(a.span - 4*pi) < 1e-13\n"
                                          "claim count(z.up) = 0\n"
                                          "claim z.turns = 0\n"
                                          "claim a.up.w = 1\n"
                                          "claim max(abs(a.up.H - 0.5)) < 1e-14\n"
                                          "claim norm(last([a.up.q, a.up.p]) - [0, 1]) < 1e-14\n"
                                          "claim max(a.up.p - v[1].up.p) = 0\n"
                                          "claim count(a.q.t > 3) = 5\n"
                                          "claim slope(a.up.t, a.up.t) = 1\n"
                                          "claim abs(at(a.up.t, 6) - 6) < 1e-13\n"
                                          "claim count(window(a.up.t, 4, 12) > 0) = 2\n"
                                          "claim last(a.q) > 0\n";
    static char buffer[4000];
    char fixed[sizeof text + 10], *at;
    lbr_plot plot = { 0 };
    lbr_arena scratch = { 0 };
    FILE *out;
    size_t n;

    memcpy(fixed, text, sizeof text); /* table columns are of events: numbers of the run are not there */
    at = strstr(fixed, "step(1), "), memmove(at, at + 9, strlen(at + 9) + 1);
    holds("sweeps and expressions", fixed);
    ok(judge(fixed), "again");
    e.j->scratch = &scratch;
    ok(lbr_plot_build(e.j, 0, &plot) && plot.ncurves == 4 && plot.curve[0].n == 3 && fabs(plot.curve[3].x[2]) < 1e-14 &&
           fabs(plot.curve[3].y[2] - 1) < 1e-14,
       "a plot of events: dots where they are");
    ok(lbr_plot_build(e.j, 1, &plot) && plot.ncurves == 6 && fabs(plot.curve[0].x[0] - 1.5 * PI) < 1e-14 &&
           fabs(plot.curve[3].y[0] - 0.5) < 1e-14,
       "over their times");
    ok(lbr_plot_build(e.j, 2, &plot) && plot.ncurves == 2 && plot.curve[0].n == 201 && plot.curve[1].n == 3,
       "beside samples");
    e.j->scratch = NULL, lbr_arena_free(&scratch);
    out = tmpfile(), e.status = lbr_judge_tables(e.j, out), rewind(out), n = fread(buffer, 1, sizeof buffer - 1, out),
    buffer[n] = 0, fclose(out);
    ok(!e.status && strstr(buffer, "\nv[3]") && strstr(buffer, "        1  "), "a table of events");
    ok(run(0)->nevents == 2 && run(4)->nevents == 1 && run(5)->nevents == 2 && lbr_result_events(run(5), "other") &&
           !lbr_result_events(run(0), "other"),
       "only what is asked for is watched");
    out = tmpfile();
    {
        lbr_json j = { .out = out };

        lbr_json_open(&j, NULL, '{'), lbr_report_keys(&j, run(0), NULL, 0), lbr_json_close(&j, '}'),
            lbr_report_table(out, (const lbr_result *const[]){ run(0), run(4) }, 2);
    }
    rewind(out), n = fread(buffer, 1, sizeof buffer - 1, out), buffer[n] = 0, fclose(out);
    ok(strstr(buffer, "\"sections\": {") && strstr(buffer, "\"up\": {") && strstr(buffer, "\"count\": 3"),
       "reported to programs");
    ok(strstr(buffer, "events") && strstr(buffer, "3 up") && strstr(buffer, "0 up"), "and to people");
    finish();
}

static void unwatched(void)
{
    static char buffer[4000];
    FILE *out = tmpfile();
    size_t n;

    ok(judge(OSCILLATOR "section up: q = 0\n"
                        "run method = strang, step = 0.1, time = 2\n"
                        "claim steps = 20\n") &&
           !run(0)->nevents,
       "a section of which nobody speaks is not looked for");
    {
        lbr_json j = { .out = out };

        lbr_json_open(&j, NULL, '{'), lbr_report_keys(&j, run(0), NULL, 0), lbr_json_close(&j, '}'),
            lbr_report_table(out, (const lbr_result *const[]){ run(0) }, 1);
    }
    rewind(out), n = fread(buffer, 1, sizeof buffer - 1, out), buffer[n] = 0, fclose(out);
    ok(strstr(buffer, "\"sections\": {}") && strstr(buffer, "\"events\": {}"), "and not reported");
    finish();
}

/* --- mistakes ---------------------------------------------------------------------------------------------------- */

static void mistakes(void)
{
    static const char head[] = OSCILLATOR "section cut: q = 0\n"
                                          "section other: p = 0\n"
                                          "run a: method = strang, step = 0.1, time = 2\n"
                                          "run v[k = 1..2]: method = strang, step = 0.1, time = 2\n"; /* 8 lines */
    static const struct {
        const char *text, *place, *what;
    } row[] = {
        { "claim count(a.cutt) > 1", ":9:14:", "no section 'cutt'; did you mean 'cut'" },
        { "claim last(a.cutt.q) > 1", ":9:13:", "did you mean 'cut'" },
        { "claim count(a.nothing) > 1", ":9:14:", "no section 'nothing'" },
        { "claim a.cut > 1", ":9:8:", "is a section, not a quantity" },
        { "claim last(a.cut) > 1", ":9:13:", "is a section, not a quantity" },
        { "claim count(cut) > 1", ":9:13:", "is a section, not a quantity: take count(a.cut)" },
        { "claim cut > 1", ":9:7:", "quantity at its events, a.cut.t" },
        { "measure n = last(cut)", ":9:18:", "is a section, not a quantity: take count(cut)" },
        { "claim last(a.cut.other) > 1", ":9:17:", "is a section" },
        { "claim last(cut.q) > 1", ":9:12:", "write a.cut.q" },
        { "claim last(a.cut.steps) > 1", ":9:17:", "whole run" },
        { "claim last(a.cut.error) > 1", ":9:17:", "whole run" },
        { "claim last(a.cut.zz) > 1", ":9:17:", "zz" },
        { "measure m = max(q)\n"
          "claim last(a.cut.m) > 1",
          ":10:17:", "measured over a run" },
        { "claim last(a.q.p) > 1", ":9:15:", "no quantities of its own" },
        { "claim last(a.cut.exact.q) > 1", ":9:", "" },
        { "claim last(b.cut.q) > 1", ":9:12:", "no run 'b'" },
        { "claim count(v[3].cut) > 1", ":9:15:", "v[3]" },
        { "plot of = a.cutt, x = q, y = p", ":9:12:", "did you mean 'cut'" },
        { "plot of = b.cut, x = q, y = p", ":9:11:", "no run 'b'" },
        { "plot of = a.cut, x = q, y = steps", ":9:29:", "whole run" },
        { "table of = a.cut, columns = [q]", ":9:30:", "series" },
        { "claim a.steps > 1 against until = cutt", ":9:35:", "did you mean 'cut'" },
        { "claim a.steps > 1 against until = 3", ":9:27:", "section" },
        { "run w: method = strang, step = 0.1, time = 2, until = cutt", ":9:55:", "did you mean 'cut'" },
        { "run w: method = strang, step = 0.1, time = 2, until = zzzzz", ":9:55:", "no section 'zzzzz'" },
        { "run w: method = strang, step = 0.1, time = 2, until = 3", ":9:55:", "until = cut" },
        { "run w: method = strang, step = 0.1, time = 2, until = cut, until = cut", ":9:60:", "twice" },
        { "run w: method = strang, step = 0.1, time = 2, until = cut\n"
          "claim last(w.error) < 1",
          ":10:13:", "until" },
        { "claim max(a.cut.q - a.q) < 1", "", "" },
        { "claim a.steps > 1 against until = cut", "", "" },
        { "measure n = count(a.cut)", ":9:", "in a measure" },
    };
    static char text[2000];

    for (int i = 0; i < COUNT(row); i++) {
        int opened;

        snprintf(text, sizeof text, "%s%s\n", head, row[i].text);
        opened = open_text(text);
        for (int k = 0; opened && k < e.x.nruns; k++) opened = !lbr_experiment_ready(&e.x, k);
        if (!*row[i].place) ok(opened, "%s: nothing is wrong before it runs", row[i].text);
        else if (!ok(!opened && strstr(e.x.message, row[i].place) && strstr(e.x.message, row[i].what), "%s",
                     row[i].text))
            printf("# %s\n", e.x.message);
        finish();
    }
    snprintf(text, sizeof text, "%sclaim max(a.cut.q - a.q) < 1\n", head);
    ok(!judge(text) && e.status == LBR_EARG && strstr(e.x.message, "not sampled at the same times"),
       "events and samples do not go together");
    finish();
}

/* A run of which this is expected; its message is shown. */
static int ends(const char *text, int code, int64_t steps, const char *words)
{
    int good = judge(text) && run(0)->exit == code && strstr(run(0)->text, words) &&
               (code != LBR_EXIT_NUMERICS || run(0)->steps == steps);

    if (!good) printf("# exit %d after %lld steps: %s\n", run(0)->exit, (long long)run(0)->steps, run(0)->text);
    return good;
}

static void failures(void)
{
    ok(ends(FREE "section bad: sqrt(q + 0.5) = 1\n"
                 "run method = stormer-verlet, step = 0.125, time = 2\n"
                 "claim count(bad) > 0\n",
            LBR_EXIT_INPUT, 0, "section 'bad'"),
       "a surface without a value at the start is refused");
    finish();
    ok(ends(FREE "section bad: sqrt(0.5 - q) = 9\n"
                 "run method = stormer-verlet, step = 0.125, time = 2\n"
                 "claim count(bad) = 0\n",
            LBR_EXIT_NUMERICS, 13, "section 'bad'") &&
           !e.verdict[0].holds && run(0)->failed_step == 13,
       "one that loses it on the way ends the run");
    finish();
    ok(ends(FREE "section bad: if(q < -0.2, -1, if(q < 0.1, sqrt(-1 - q^2), 1)) = 0\n"
                 "run method = stormer-verlet, step = 0.5, q = -1.25, time = 2\n"
                 "claim count(bad) = 0\n",
            LBR_EXIT_NUMERICS, 3, "inside the step") &&
           run(0)->failed_step == 3,
       "so does one that has none within a step");
    finish();
    ok(ends("canonical q, p\n"
            "H = p^2/2 - q^6\n"
            "start q = 2\n"
            "section s: q = 3\n"
            "run method = explicit-euler, step = 1, steps = 20\n"
            "claim count(s) < 9\n",
            LBR_EXIT_NUMERICS, 5, "") &&
           !e.verdict[0].holds && e.verdict[0].note,
       "a failed run has no events to speak of");
    finish();
}

/* Every allocation may fail: an error each time, and nothing is left behind. */
static void memory(void)
{
    static const char text[] = OSCILLATOR "section cut: q = 0, q' > 0\n"
                                          "run a: method = strang, step = 0.5, time = 200\n"
                                          "run b: from = a, method = strang, step = 0.5, time = 20, until = cut\n"
                                          "claim count(a.cut) = 32\n"
                                          "claim max(abs(a.cut.q)) < 1e-14\n";
    long k = 0, live = heap.live;
    int good = 1;

    if (!heap_wrapped()) return;
    for (k = 1; good; k++) {
        int done;

        heap.calls = 0, heap.refuse = k, heap.refused = 0;
        done = judge(text);
        good = heap.refused ? (!done && e.status == LBR_ENOMEM) || e.failed
                            : done; /* a function that gets no memory when it is first called has no value */
        if (!good) printf("# allocation %ld: status %d, %s\n", k, e.status, e.x.message);
        finish();
        good = good && heap.live == live;
        if (!heap.refused) break;
    }
    heap.refuse = 0;
    ok(good && k > 100, "each of %ld allocations may fail", k - 1);
}

/* HLW I.3: 46 865 cuts until 300 000, a tenth of that where it takes long. */
static void henon_heiles(void)
{
    const char *time = SHARE_SANITIZED ? "30000" : "300000", *count = SHARE_SANITIZED ? "4686" : "46865";
    char text[1000];

    snprintf(text, sizeof text,
             "param E = 1/12\n"
             "canonical q[2], p[2]\n"
             "let U = sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n"
             "H = sq(p)/2 + U\n"
             "section cut: q[1] = 0, p[1] > 0\n"
             "start q = [0, 0.25], p = [sqrt(2*E - 2*U - 0.16^2), 0.16]\n"
             "run method = compose(kahan-li-6-9, stormer-verlet), step = 0.2, time = %s, every = 100000\n"
             "claim count(cut) = %s\n"
             "claim abs(last(cut.t)/count(cut) - 6.40126) < 1e-3\n"
             "claim max(abs(cut.q[1])) < 1e-15\n",
             time, count);
    holds("Henon-Heiles", text);
}

int main(void)
{
    keep_samples = 1;
    known_times();
    shortened();
    zeros();
    directions();
    strobes();
    rates();
    until();
    on_both();
    checkpoints();
    untouched();
    asked();
    unwatched();
    mistakes();
    failures();
    memory();
    henon_heiles();
    return tap_done();
}
