/* test_judge.c - measures, plots, tables and claims on runs whose values are known.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The free particle is followed without any error by Verlet at steps that are powers of two, so that most values are
 * exact. Linked with --wrap=malloc and its kin, so that each allocation can be made to fail. */
#define _DEFAULT_SOURCE
#include "support/judged.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char model[] = "param  mass = 1, n = 2\n"
                            "canonical q[n], p[n]\n"
                            "let    W(x) = x^2 + q[1], double = 2*q, part_sum[k = 1..2] = q[k] + t\n"
                            "H = sq(p)/(2*mass)\n"
                            "invariant P = p, C = cross(q, p)\n"
                            "observe far = norm(q), M = [[q[1], q[2]], [p[1], p[2]]]\n"
                            "start  q = [0, 1], p = [1, -2]\n"
                            "run    method = stormer-verlet, time = 2\n"
                            "run    a: step = 0.125\n"
                            "run    b: step = 0.0625, every = 2\n"
                            "run    c: step = 0.25\n"
                            "run    v[k = 1..3]: step = 1/2^k\n"
                            "run    g[i = 1..2, j = 1..3]: step = 0.5, p = [i, j]\n"; /* lines 1 to 13 */

/* --- functions of the table -------------------------------------------------------------------------------------- */

/* `value`, and that it is this: the claim value = NUMBER must hold to 1e-13, and value > NUMBER + 1e-12 must not. */
typedef struct known {
    const char *text;
    double value;
} known;

static void values(const char *what, const char *measures, const known *k, int n)
{
    static char text[100000];
    size_t at = (size_t)snprintf(text, sizeof text, "%s%s", model, measures);

    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "claim %s < %.17g\n"
                               "claim %s > %.17g\n",
                               k[i].text, k[i].value + 1e-12, k[i].text, k[i].value + 1e-12);
    if (!ok(judge(text) && e.n == 2 * n, "%s: %d values", what, n)) {
        printf("# %s\n", e.x.message), finish();
        return;
    }
    for (int i = 0; i < n; i++) {
        ok(e.verdict[2 * i].holds && !e.verdict[2 * i + 1].holds && e.verdict[2 * i].n == 1, "%s is %g, and not more",
           k[i].text, k[i].value);
        near(e.verdict[2 * i].value[0], k[i].value, 1e-13, "its value is told");
    }
    finish();
}

static void from_series(void)
{
    static const known k[] = {
        { "first(a.q[1])", 0 },
        { "last(a.q[1])", 2 },
        { "mean(a.q[1])", 1 },
        { "norm(mean(a.q) - [1, -1])", 0 },
        { "norm(last(a.M)[1] - [2, -3])", 0 },
        { "min(a.q[2])", -3 },
        { "max(a.q[2])", 1 },
        { "spread(a.q[2])", 4 },
        { "rms(a.q[1])", 1.1726039399558574 },
        { "drift(a.q)", 4.4721359549995796 },
        { "drift(a.q[1])", 2 },
        { "drift(a.P)", 0 },
        { "count(a.q[1] > 1)", 8 },
        { "count(a.q[1] >= 1 and a.q[2] < -2)", 4 },
        { "count(a.q[1] < 0.5 or not a.q[1] < 1.5)", 9 },
        { "count(0.5 < a.q[1] <= 1)", 4 },
        { "at(a.q[1], 0.3)", 0.3 },
        { "at(a.q, 1.5)[2]", -2 },
        { "at(a.q[1], 2)", 2 },
        { "mean(window(a.q[1], 0.5, 1))", 0.75 },
        { "last(window(a.q[1], 0, 1.01))", 1 },
        { "first(window(a.t, 0.5, 2))", 0.5 },
        { "when(a.q[1] > 0.9)", 1 },
        { "slope(a.t, a.q[2])", -2 },
        { "exponent(window(a.t, 0.5, 2), window(a.q[1]^3, 0.5, 2))", 3 },
        { "max(a.far)", 3.6055512754639891 },
        { "min(a.h)", 0.125 },
        { "min(max(a.q[1]), max(b.q[1]), 7)", 2 },
        { "max(abs(a.q[1] - b.q[1]))", 0 },
        { "a.step*a.steps", 2 },
        { "a.evaluations", 17 },
        { "a.energy_error", 0 },
        { "a.mass + mass", 2 },
        { "last(a.C)", -1 },
    };

    values("from a series", "", k, sizeof k / sizeof *k);
}

static void expressions(void)
{
    static const known k[] = {
        { "max(abs(a.w - a.w2))", 0 },
        { "last(sum(i = 1..2, a.q[i]))", -1 },
        { "last(max(i = 1..2, a.q[i]))", 2 },
        { "last(dot(a.q, a.p))", 8 },
        { "last((a.q*a.p^T)[2, 1])", -3 },
        { "last(if(a.q[1] > 1, a.q[2], 7))", -3 },
        { "first(if(a.q[1] > 1, a.q[2], 7))", 7 },
        { "last([a.q[1], 5])[2]", 5 },
        { "last(a.double)[1]", 4 },
        { "last(a.part_sum)[2]", -1 },
        { "last(eigenvalues([[a.q[1], 0], [0, 1]])[2])", 2 },
        { "if(failed(a), 1, 2)", 2 },
        { "a.s[2]", -1 },
        { "a.both[2,1]", 4 },
        { "last(a.series[2])", -6 },
        { "last(a.hidden)", 3 },
        { "sum(k = 1..3, v[k].step)", 0.875 },
        { "max(i = 1..2, j = 1..3, last(g[i,j].p[2]))", 3 },
        { "sum(k = 1..70, max(a.q[1])*k)", 4970 },
    };

    values("expressions",
           "measure w = W(q[2]), w2 = q[2]^2 + q[1], s[k = 1..2] = mean(q[k]), both[i = 1..2, j = 1..2] = "
           "i^2*last(q[j])/2\n"
           "measure series[k = 1..2] = q[k]*k, hidden = q[1] + max(q[2])\n",
           k, sizeof k / sizeof *k);
}

static void lists(void)
{
    static const known k[] = {
        { "max(v.step)", 0.5 },
        { "first(v.step)", 0.5 },
        { "last(v.step)", 0.125 },
        { "mean(v.step)", 0.875 / 3 },
        { "spread(v.step)", 0.375 },
        { "rms(v.x)", 0.3636957900300014 },
        { "exponent(v.step, v.x)", 3 },
        { "slope(v.step, 2*v.step + 1)", 2 },
        { "count(v.step < 0.3)", 2 },
        { "max(drift(v.q))", 4.4721359549995796 },
        { "min(count(v.q[1] > 1))", 2 },
        { "max(max(v.q[1]))", 2 },
        { "max(last(g.p)[2])", 3 },
        { "max(last(g[2].p)[1])", 2 },
        { "count(last(g[1].p)[2] > 1)", 2 },
        { "last(g[2,3].p[1])", 2 },
        { "max(v.step - v[2].step)", 0.25 },
        { "drift(g.e1)", 1 },
    };

    values("lists", "measure x = 5*step^3, e1 = first(p[1])\n", k, sizeof k / sizeof *k);
}

/* --- claims ------------------------------------------------------------------------------------------------------ */

static void claims(void)
{
    static const struct {
        const char *claim;
        int holds;
        int64_t n;
        int list;
    } row[] = {
        { "v.step < 0.6", 1, 3, 1 },
        { "v.step < 0.5", 0, 3, 1 },
        { "0.1 < v.step < 1", 1, 3, 1 },
        { "0.9 < 1 < 1.1", 1, 1, 0 },
        { "0.9 < 2 < 1.1", 0, 1, 0 },
        { "v.step < 2*v.step", 1, 3, 1 },
        { "v.step < v[1].step", 0, 3, 1 },
        { "a.q[1] >= 0", 1, 0, 0 },
        { "a.q[1] > 0", 0, 0, 0 },
        { "not v.step > 1", 1, 0, 0 },
        { "1 = 1 and 2 != 3", 1, 0, 0 },
        { "1 > 1 or 2 >= 3", 0, 0, 0 },
        { "1 >= 1", 1, 1, 0 },
        { "not failed(a)", 1, 0, 0 },
        { "failed(v)", 0, 0, 0 },
        { "at(a.q[1], 5) < 1e9", 0, 1, 0 },
        { "not at(a.q[1], 5) < 1e9", 0, 0, 0 },
        { "at(a.q[1], 5) != 1", 0, 1, 0 },
        { "when(a.q[1] > 9) > 1e300", 1, 1, 0 },
        { "mean(window(a.q[1], 7, 8)) < 1", 0, 1, 0 },
        { "count(window(a.q[1], 7, 8) > 0) = 0", 0, 1, 0 },
    };
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", model);

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "claim %s\n", row[i].claim);
    snprintf(
        text + at, sizeof text - at,
        "claim \"label\": 1 = 1 against method = midpoint, step = 1, mass = 3, q = [1, 1], solver = newton, steps = 3\n"
        "claim name: 2 = 2\n"
        "claim each[k = 2..3, l = k..3] \"less\": v[k].step <= 1/2^l against method = gauss:k\n"
        "claim up[k = 1..2]: v[k].step > v[k+1].step\n");
    if (!ok(judge(text), "claims of all kinds")) {
        printf("# %s\n", e.x.message), finish();
        return;
    }
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        ok(e.verdict[i].holds == row[i].holds && e.verdict[i].n == row[i].n && e.verdict[i].list == row[i].list &&
               !strcmp(e.verdict[i].text, row[i].claim),
           "%s: %s", row[i].claim, row[i].holds ? "holds" : "does not hold");
    {
        const lbr_verdict *v = e.verdict + sizeof row / sizeof *row;

        ok(!strcmp(v[0].text, "label") && !strcmp(v[1].text, "2 = 2") && v[0].holds && v[1].holds,
           "a label, or the source");
        ok(!strcmp(v[2].text, "each[2,2]: less") && v[2].holds && !strcmp(v[3].text, "each[2,3]: less") &&
               !v[3].holds && v[4].holds,
           "a family, each member for itself, its ranges triangular");
        ok(!strcmp(v[6].text, "up[2]: v[k].step > v[k+1].step") && v[6].holds && v[6].value[0] == 0.25,
           "and without a label");
        ok(lbr_judge_speaks(e.j, (int64_t)(v - e.verdict) + 6, 5) &&
               !lbr_judge_speaks(e.j, (int64_t)(v - e.verdict) + 6, 3) &&
               lbr_judge_line(e.j, (int64_t)(v - e.verdict))->statement->n == 6,
           "which runs a claim speaks of, and its settings");
    }
    ok(e.verdict[0].value[2] == 0.125 && e.verdict[2].value[0] == 0.5, "values of lists; the middle of a chain");
    finish();
}

/* Of a claim about a sweep that does not hold: which member breaks it. */
static void breakers(void)
{
    static const struct {
        const char *claim, *note;
    } row[] = {
        { "max(v.q[2]) < 4", "not so for v[3]: 10" },
        { "first(v.q[2]) > 4", "not so for v[1]: 1, and 3 more" },
        { "v.q[2] < 4", "not so for v[3]" },
        { "4 > max(v.q[2])", "not so for v[3]" },
        { "w.step < v.step/2", "not so for w[1]: 0.25, and 4 more" },
        { "max(v.q[2]) < 4 and 1 = 1", "not so for v[3]" },
        { "at(v.q[2], 77) < 4", "v.q is not a number" },
        { "max(max(v.q[2])) < 4", NULL },
        { "v[3].step > 1", NULL },
        { "max(v.q[2]) < 11", NULL },
    };
    static char text[4000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "canonical q[2], p[2]\nH = sq(p)/2\nstart q = 0, p = 0\n"
                                 "run method = stormer-verlet, step = 0.25, time = 1\n"
                                 "run v[k = 1..5]: q = [0, if(k = 3, 10, 1)]\nrun w[k = 1..5]: q = 1\n");

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "claim %s\n", row[i].claim);
    if (!ok(judge(text), "claims about sweeps")) printf("# %s\n", e.x.message);
    for (size_t i = 0; i < sizeof row / sizeof *row && i < (size_t)e.n; i++) {
        const char *note = e.verdict[i].note;

        ok(row[i].note ? note && !strcmp(note, row[i].note) : !note, "%s: %s", row[i].claim, note ? note : "no note");
    }
    finish();
}

/* What is not known, of a run that fails, of windows where nothing is, of sections that nobody meets: with every
 * connective around it. */
static void unknowns(void)
{
    static const struct {
        const char *claim;
        int holds, unknown;
        const char *why; /* or NULL */
    } row[] = {
        { "a.w > 1", 0, 1, "a has failed" },
        { "a.n = 0", 0, 1, "a has failed" },
        { "a.w != 0.25", 0, 1, "a has failed" },
        { "a.ncut = 0", 0, 1, "a has failed" },
        { "a.mw = 7", 0, 1, "a has failed" },
        { "not a.w < 1", 0, 1, "a has failed" },
        { "not (a.w < 1 and 1 = 1)", 0, 1, "a has failed" },
        { "failed(a) or a.n = 5", 1, 0, NULL },
        { "a.n = 5 or failed(a)", 1, 0, NULL },
        { "not failed(a) and a.n = 5", 0, 0, NULL },
        { "not (failed(b) and a.n = 5)", 1, 0, NULL },
        { "failed(b) or a.n = 5", 0, 1, "a has failed" },
        { "failed(a) or a.cut.x > 9", 1, 0, NULL },
        { "count(a.x > 1.2) = 0", 0, 1, "a has failed" },
        { "when(a.x > 1.2) > 1", 0, 1, "a has failed" },
        { "count(v.n = 0) = 1", 0, 1, "v[2] has failed" },
        { "not mean(window(b.x, 7, 8)) < 1", 0, 1, "not a number" },
        { "window(b.x, 7, 8) < 1", 0, 1, "nothing to compare" },
        { "not window(b.x, 7, 8) < 1", 0, 1, "nothing to compare" },
        { "count(window(b.x, 7, 8) < 1) = 0", 0, 1, "nothing to compare" },
        { "when(window(b.x, 7, 8) < 1) > 1e300", 0, 1, "nothing to compare" },
        { "count(window(b.x, 0, 8) < 1) = 0", 1, 0, NULL },
        { "not first(b.cut.t) > 0", 0, 1, "not a number" },
        { "b.cut.x > 0", 0, 1, "nothing to compare" },
        { "count(b.cut) = 0", 1, 0, NULL },
        { "count(b.cut.x > 0) = 0", 1, 0, NULL },
        { "count(window(b.cut.x, 0, 0.1) > 0) = 0", 1, 0, NULL },
        { "count(window(b.cut.x, 7, 8) > 0) = 0", 0, 1, "nothing to compare" },
        { "count(b.cut) = 0 or first(b.cut.t) > 5", 1, 0, NULL },
        { "when(b.x > 1.2) > 1e300", 1, 0, NULL },
        { "count(sqrt(1.01 - b.x) > 0) = 0", 0, 1, "not a number" },
        { "when(sqrt(1.01 - b.x) > 0) = 0", 1, 0, NULL },
        { "when(sqrt(1.01 - b.x) > 9) > 0", 0, 1, "not a number" },
        { "if(first(b.cut.t) < 5, 1, 0) = 0", 0, 1, "not a number" },
        { "if(not first(b.cut.t) < 5, 1, 0) = 1", 0, 1, "not a number" },
        { "if(first(b.cut.t) < 5 or 1 < b.step, [1, 2], [3, 4])[2] = 4", 0, 1, "not a number" },
        { "if(first(b.cut.t) < 5 or b.step < 1, 1, 0) = 1", 1, 0, NULL },
        { "if(first(b.cut.t) < 5 and b.step > 1, 1, 0) = 0", 1, 0, NULL },
        { "if(first(b.cut.t) != 5 and b.step < 1, 1, 0) >= 0", 0, 1, "not a number" },
        { "if(count(b.cut) > 0, first(b.cut.t), 7) = 7", 1, 0, NULL },
        { "if(a.w < 1, 0, 1) = 1", 0, 1, "a has failed" },
        { "max(if(b.x > 1.1, 1, 0)) = 1", 1, 0, NULL },
        { "max(if(sqrt(1.01 - b.x) > 0, 0, 1)) = 1", 0, 1, "not a number" },
    };
    static char text[10000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "state x\nx' = x^2\nstart x = 1\nsection cut: x = 1.5\n"
                                 "run method = gauss:2, step = 0.01\n"
                                 "run a: time = 2\nrun b: time = 0.125\nrun v[k = 1..2]: time = 0.125 + 2*delta(k, 2)\n"
                                 "measure w = when(x > 1.2), n = count(x > 1.2), ncut = count(cut), "
                                 "mw = min(when(x > 1.2), 7)\n");

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "claim %s\n", row[i].claim);
    if (!ok(judge(text) && e.failed == 2, "runs that fail, and what is said of them")) printf("# %s\n", e.x.message);
    for (size_t i = 0; i < sizeof row / sizeof *row && e.n == sizeof row / sizeof *row; i++) {
        const lbr_verdict *v = e.verdict + i;

        ok(v->holds == row[i].holds, "%s: %s", row[i].claim, row[i].holds ? "holds" : "does not hold");
        ok(v->unknown == row[i].unknown, "%s: it is %s", row[i].claim, row[i].unknown ? "unknown" : "known");
        ok(!row[i].why || (v->note && strstr(v->note, row[i].why)), "%s: %s", row[i].claim, v->note ? v->note : "-");
    }
    finish();
}

static void ranges(void)
{
    static const double some[] = { 3, NAN, -1, INFINITY, 2 };
    double range[2];

    lbr_judge_range(5, some, range);
    ok(range[0] == -1 && range[1] == INFINITY, "the least and the largest, wherever they are");
    lbr_judge_range(1, some + 1, range);
    ok(isnan(range[0]) && isnan(range[1]), "of no number none");
}

/* What some runs cannot have, as they end at a section or keep little, is missing there, and refused where the run is
 * named, or none has it. */
static void lacking(void)
{
#define LACKING                                                                                \
    "canonical q[2], p[2]\nH = sq(p)/2 + sq(q)/2\nsection cut: q[1] = 0\nstart q = [1, 0.3]\n" \
    "run method = stormer-verlet, step = 0.125, time = 2\n"
#define SOME "run u: until = cut\nrun h: record = [H]\nrun o: record = [H, q[1]]\n"
    static const struct {
        const char *measure, *whole, *named;
        int u, h, o; /* whether these runs have it */
    } row[] = {
        { "last(error)", "no reference solution", "max(h.error)", 0, 0, 0 },
        { "last(exact.q[1])", "no reference solution", "max(u.exact.q[1])", 0, 1, 1 },
        { "last(q[2])", "", "max(h.q[2])", 1, 0, 0 },
        { "last(q[2])", "", "max(o.q[2])", 1, 0, 0 },
        { "last(q[1])", "", "max(h.q[1])", 1, 0, 1 },
        { "max(norm(q))", "", "max(norm(o.q))", 1, 0, 0 },
        { "max(dot(q, p))", "", "max(dot(o.q, o.p))", 1, 0, 0 },
        { "drift(H)", "", NULL, 1, 1, 1 },
    };
    static const char *const run[] = { "u", "h", "o" };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const int has[] = { row[i].u, row[i].h, row[i].o };
        char text[1000];

        snprintf(text, sizeof text,
                 LACKING "run a:\n" SOME "measure m = %s\nclaim a.m < 9\nclaim u.m < 9\nclaim h.m < 9\nclaim o.m < 9\n",
                 row[i].measure);
        if (!ok(judge(text) && e.n == 4 && e.verdict[0].holds, "%s: some run has it", row[i].measure))
            printf("# %s\n", e.x.message);
        for (int k = 0; k < 3 && e.n == 4; k++) {
            const lbr_verdict *v = e.verdict + k + 1;

            ok(v->holds == has[k] && v->unknown == !has[k], "%s: %s has %s", row[i].measure, run[k],
               has[k] ? "it" : "none");
            ok(has[k] || (v->note && (strstr(v->note, run[k]))), "and it is said: %s", v->note ? v->note : "-");
        }
        finish();
        snprintf(text, sizeof text, LACKING "run a:\n" SOME "claim %s < 9\n", row[i].named ? row[i].named : "");
        if (row[i].named) ok(!judge(text) && *e.x.message, "%s is refused: %s", row[i].named, e.x.message), finish();
    }
    ok(!judge(LACKING "run u: until = cut\nrun v: until = cut\nmeasure m = last(error)\n") &&
           strstr(e.x.message, "a run with until has no reference solution"),
       "what no run can have is refused: %s", e.x.message);
    finish();
    ok(!judge(LACKING "run u: record = [H]\nrun v: record = [q[1]]\nmeasure m = last(q[2])\n") &&
           strstr(e.x.message, "leaves it out"),
       "what no run has recorded is refused: %s", e.x.message);
    finish();
}

/* The square root of a negative number: run `bad` ends in its first steps, `worse` does not begin. */
static void failures(void)
{
    static const char text[] =
        "canonical q, p\n"
        "H = p^2/2 + q*sqrt(q)\n"
        "start q = 1, p = 0\n"
        "run method = stormer-verlet, step = 0.125, time = 8\n"
        "run good: time = 1\nrun bad[k = 1..2]: time = 8*k\nrun lost[k = 1..3]: time = 1 + 8*delta(k, 2)\n"
        "measure x = last(q), s = abs(q)\n"
        "claim good.x < 1\n"
        "claim bad[1].x < 1e9\n"
        "claim bad.x != 1e9\n"
        "claim failed(bad) and not failed(good)\n"
        "claim bad[1].step < 1\n"
        "claim max(bad.s) >= 0\n"
        "claim failed(bad[1]) or bad[1].x < 1\n"
        "claim count(not failed(lost) and lost.x < 1e9) = 2\n"
        "claim max(lost.x) < 1e9\n"
        "claim failed(lost)\n"
        "claim good.s - bad[1].s < 1e9\n";
    static const int holds[] = { 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0 };
    int good = 1;

    if (!ok(judge(text) && e.failed == 3 && e.n == 11, "three runs fail")) {
        printf("# %s\n", e.x.message), finish();
        return;
    }
    for (int i = 0; i < 11; i++)
        good &= ok(e.verdict[i].holds == holds[i], "%s: %s", e.verdict[i].text, holds[i] ? "holds" : "does not hold");
    ok(isnan(e.verdict[1].value[0]) && strstr(e.verdict[1].note, "bad[1] has failed"),
       "the value is none, and a note says why: %s", e.verdict[1].note);
    ok(!lbr_judge_excuses(e.j, 1) && !lbr_judge_excuses(e.j, 0) && good,
       "runs with other claims about them are not excused");
    finish();
    unknowns();
    lacking();
    ok(judge("canonical q, p\n"
             "H = p^2/2 + q*sqrt(q)\n"
             "start q = 1, p = 0\n"
             "run method = stormer-verlet, step = 0.125, time = 8\n"
             "run a: time = 1\n"
             "run b: steps = 80\n"
             "run c: steps = 70\n"
             "claim failed(b) and not failed(a)\n"
             "claim failed(b) or last(b.q) > 0\n"
             "claim failed(c)\n"
             "claim c.step > 0\n") &&
           lbr_judge_excuses(e.j, 1) && !lbr_judge_excuses(e.j, 2) && lbr_judge_excuses(e.j, 0),
       "a run all of whose claims ask whether it failed is");
    ok(lbr_judge_needs(e.j, 1) && !lbr_judge_needs(e.j, 0) && !lbr_judge_needs(e.j, 2),
       "samples are kept where they are needed");
    finish();
}

/* A file whose run has no name: names mean its quantities. */
static void nameless(void)
{
    ok(judge("canonical q, p\n"
             "H = p^2/2\n"
             "start p = 1\n"
             "run method = stormer-verlet, step = 0.25, time = 2\n"
             "measure dH = drift(H)\n"
             "claim last(q) = 2\n"
             "claim dH = 0\n"
             "claim max(abs(q - t)) < 1e-15 and count(q > 1) = 4\n"
             "claim steps = 8\n") &&
           e.n == 4,
       "the run without a name is meant by names alone");
    ok(e.verdict[0].holds && e.verdict[1].holds && e.verdict[2].holds && e.verdict[3].holds, "all its claims hold");
    ok(e.verdict[0].value[0] == 2, "with their values");
    finish();
}

/* --- what is recorded, references -------------------------------------------------------------------------------- */

static void records(void)
{
    static char text[4000];

    snprintf(text, sizeof text,
             "%srun r: step = 0.5, record = [H, q[2], far]\nrun s: step = 0.5, record = [q, p]\n"
             "claim drift(r.H) = 0 and last(r.q[2]) = -3\n"
             "claim last(r.far) > 3.6\n"
             "claim last(s.far) > 3.6 and last(s.H) = 2.5 and last(s.double)[1] = 4 and drift(s.C) < 1e-14\n",
             model);
    ok(judge(text) && e.verdict[0].holds && e.verdict[1].holds && e.verdict[2].holds &&
           e.x.run[e.x.nruns - 1].result.ncolumns == 5,
       "of what is recorded in part the part; with the whole state everything again");
    if (e.status) printf("# %s\n", e.x.message);
    finish();
}

static void references(void)
{
    static const char text[] =
        "canonical q, p\n"
        "H = (p^2 + q^2)/2\n"
        "let angle = atan2(p, q)\n"
        "start q = 1\n"
        "run step = 0.125, time = 6\n"
        "run a: method = stormer-verlet\n"
        "run b: method = gauss:4\n"
        "measure own = norm([q - cos(t), p + sin(t)]), end = abs(last(q) - last(exact.q))\n"
        "claim max(abs(a.error - a.own)) < 1e-12\n"
        "claim max(a.error) > 1e-3\n"
        "claim max(b.error) < 1e-11\n"
        "claim max(abs(a.exact.q - cos(a.t))) < 1e-12\n"
        "claim abs(a.end - abs(last(a.q) - cos(6))) < 1e-12\n"
        "claim max(abs(a.exact.H - 0.5)) < 1e-13 and max(abs(sin(a.exact.angle + a.t))) < 1e-12\n";
    int good = judge(text);

    for (int i = 0; i < 6 && good; i++)
        good &= ok(e.verdict[i].holds, "%s [%g]", e.verdict[i].text, e.verdict[i].n ? e.verdict[i].value[0] : NAN);
    if (!ok(good, "the reference is the solution, and error the distance from it")) printf("# %s\n", e.x.message);
    finish();
}

/* --- mistakes ---------------------------------------------------------------------------------------------------- */

static void mistakes(void)
{
    static const struct {
        const char *text, *place, *what;
    } row[] = {
        { "claim last(a.qq) < 1", ":14:13: ", "there is no quantity 'qq'; did you mean 'q'" },
        { "claim last(aa.q[1]) < 1", ":14:12: ", "there is no run 'aa'; did you mean 'a'" },
        { "claim lst(a.q[1]) < 1", ":14:7: ", "there is no function 'lst'; did you mean 'last'" },
        { "claim last(q[1]) < 1", ":14:12: ", "'q' is a quantity of a run: write a.q" },
        { "claim a < 1", ":14:7: ", "'a' is a run: write a.x" },
        { "claim last(a.q) < 1", ":14:7: ", "expected a number" },
        { "claim a.step", ":14:7: ", "expected a condition" },
        { "claim v[4].step < 1", ":14:9: ", "there is no run v[4]: they go from v[1] to v[3]" },
        { "claim a[1].step < 1", ":14:9: ", "one run" },
        { "claim v[1,2].step < 1", ":14:9: ", "too many indices" },
        { "claim v[0.5].step < 1", ":14:9: ", "must be an integer" },
        { "claim g[2,4].step < 1", ":14:9: ", "no such run" },
        { "claim v.step < g.step", ":14:14: ", "v.step has 3 members and g.step has 6" },
        { "claim max(a.step) < 1", ":14:7: ", "takes a series" },
        { "claim max(a.q) < 1", ":14:7: ", "max(norm(" },
        { "claim when(v.step < 1) < 1", ":14:7: ", "no times" },
        { "claim first(a.t, a.t) < 1", ":14:7: ", "takes 1 argument, not 2" },
        { "claim window(a.step, 0, 1) < 1", ":14:7: ", "no times" },
        { "claim last(window(a.t, a.t, 1)) < 1", ":14:12: ", "are numbers" },
        { "claim slope(a.t) < 1", ":14:7: ", "takes 2 arguments" },
        { "claim failed(7)", ":14:14: ", "name of a run" },
        { "claim failed(aa)", ":14:14: ", "did you mean 'a'" },
        { "claim count(a.q[1]) < 1", ":14:13: ", "expected a condition" },
        { "claim a.method < 1", ":14:8: ", "stands only in the columns" },
        { "claim a.x.q < 1", ":14:10: ", "no quantities of its own" },
        { "claim spread(a.q[3]) < 1", ":14:18: ", "outside the range 1..2" },
        { "claim last(a.exact) < 1", ":14:13: ", "exact.q" },
        { "claim exact.q[1] < 1", ":14:7: ", "a.exact.q" },
        { "claim double[1] < 1", ":14:7: ", "the state of a run" },
        { "claim modified(4) < 1", ":14:7: ", "later version" },
        { "claim log(-1) < a.step", ":14:7: ", "log" },
        { "claim 1 = 1 against mehtod = rk4", ":14:21: ", "mehtod" },
        { "claim 1 = 1 against step = a.step", ":14:29: ", "runs are seen only" },
        { "claim 1 = 1 against method = gauss:w", ":14:36: ", "'w'" },
        { "claim 1 = 1 against solver = quick", ":14:21: ", "one of" },
        { "claim 1 = 1 against control = standard(1e-4)", ":14:21: ", "later version" },
        { "claim x[k = 1..0.5]: 1 = 1", ":14:16: ", "must be an integer" },
        { "measure q = 1", ":14:9: ", "declared already, at line 2" },
        { "measure step = 1", ":14:9: ", "a word of the language" },
        { "measure x = 1, x = 2", ":14:16: ", "declared already, at line 14" },
        { "measure x = y, y = 1", ":14:13: ", "used before it is declared" },
        { "measure x = q < 1", ":14:15: ", "condition" },
        { "measure x = v[1].step", ":14:13: ", "each run in turn" },
        { "measure x = y2", ":14:13: ", "there is no quantity 'y2'" },
        { "measure x[k = 2..3] = k", ":14:15: ", "begin at 1" },
        { "measure x[k = 1..2] = if(k = 1, first(q), 1)", ":14:23: ", "equal shapes" },
        { "measure x = q + first(q[1])", ":14:15: ", "hape" },
        { "measure drift = 1\n"
          "claim drift(a.q) < 1",
          ":15:7: ", "the measure of that name, declared at line 14, hides it" },
        { "measure m = 1\n"
          "claim m(2) < 1",
          ":15:7: ", "is not a function but measured, at line 14" },
        { "measure x = exact.x", ":14:18: ", "is measured" },
        { "measure x = method", ":14:13: ", "columns of a table" },
        { "plot p: x = t", ":14:1: ", "needs x = ... and y" },
        { "plot p: x = t, y = q, of = [a, w]", ":14:32: ", "there is no run 'w'" },
        { "plot p: x = t, y = q, wide = 1", ":14:23: ", "no setting 'wide'" },
        { "plot p: x = t, y = q, x = q", ":14:23: ", "given twice" },
        { "plot p: x = t, y = q, style = thick", ":14:23: ", "linespoints" },
        { "plot p: x = t, y = q, xrange = [1]", ":14:23: ", "two numbers" },
        { "plot p: x = t, y = q, title = 7", ":14:23: ", "in quotes" },
        { "plot p: x = [t, t], y = [H, H, H]", ":14:21: ", "in pairs" },
        { "plot p: of = a, x = t, y = zz", ":14:28: ", "'zz'" },
        { "plot p: x = M, y = q", ":14:13: ", "in pairs" },
        { "plot p: of = a, x = t, y = window(q, 0, 1)", "", "" },
        { "table u: of = a, columns = [t]", ":14:29: ", "does not fit into a table" },
        { "table u: of = a", ":14:1: ", "needs columns" },
        { "table u: of = a, columns = [zz]", ":14:29: ", "'zz'" },
        { "run r: step = 0.5, record = [H]\n"
          "claim last(r.q[1]) < 1",
          ":15:13: ", "'q' is not recorded: the record of run r leaves it out" },
        { "run r: step = 0.5, record = [H, q[1]]\n"
          "claim last(r.q[2]) < 1",
          ":15:13: ", "component 2 of 'r.q' is not recorded: the record of run r leaves it out" },
        { "run r: step = 0.5, record = [H, q]\nclaim last(r.double[2]) < 1", ":15:13: ", "the whole state" },
    };
    static char text[8000];

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int opened;

        snprintf(text, sizeof text, "%s%s\n", model, row[i].text);
        opened = open_text(text);
        if (!*row[i].place) ok(opened, "%s: nothing is wrong before it runs", row[i].text);
        else if (!ok(!opened && e.status == LBR_EARG && strstr(e.x.message, row[i].place) &&
                         strstr(e.x.message, row[i].what),
                     "%s", row[i].text))
            printf("# %s\n", e.x.message);
        finish();
    }
    snprintf(text, sizeof text, "%sclaim max(abs(a.q[1] - c.q[1])) < 1\n", model);
    ok(!judge(text) && e.status == LBR_EARG && strstr(e.x.message, ":14:11: ") &&
           strstr(e.x.message, "a.q and c.q are not sampled at the same times (17 and 9 samples)"),
       "series at other times: %s", e.x.message);
    finish();
    snprintf(text, sizeof text, "%smeasure x = zz, y = x\nclaim last(a.x) < 1\nclaim b.yy < 1\nclaim a.y < 1\n", model);
    ok(!open_text(text) && strstr(e.x.message, ":14:13: ") && !strstr(e.x.message, ":15:") &&
           strstr(e.x.message, ":16:8: ") && !strstr(e.x.message, ":17:"),
       "nothing is said twice, and what follows is looked at too");
    finish();
    snprintf(text, sizeof text,
             "canonical q, p\n"
             "H = p^2/2\n"
             "section cut: q = 0\n"
             "start q = -1, p = 1\n"
             "run a: method = stormer-verlet, step = 1, steps = 2\n"
             "claim count(a.cut) = 1\n"
             "claim last(a.cut.q) = 0\n"
             "plot x: of = a.cut, x = q, y = p\n");
    ok(judge(text) && e.n == 2 && e.verdict[0].holds && e.verdict[1].holds, "sections (test_sections has the rest)");
    finish();
}

/* --- tables and plots -------------------------------------------------------------------------------------------- */

static const char *printed(void)
{
    static char text[8000];
    FILE *out = tmpfile();
    size_t n;

    e.status = lbr_judge_tables(e.j, out);
    rewind(out), n = fread(text, 1, sizeof text - 1, out), text[n] = 0;
    fclose(out);
    return text;
}

static void tables(void)
{
    static char text[8000];
    const char *got;

    snprintf(text, sizeof text,
             "%smeasure x = last(q)\n"
             "table errors: of = [a, v[2], v], columns = [method, step, x, max(q[1]) + 1/3, when(q[1] > 1)]\n"
             "table columns = steps\n",
             model);
    got = judge(text) ? printed() : "";
    ok(!strcmp(got, "\nerrors\n"
                    "run   method           step        x  max(q[1]) + 1/3  when(q[1] > 1)\n"
                    "a     stormer-verlet  0.125  [2, -3]          2.33333           1.125\n"
                    "v[2]  stormer-verlet   0.25  [2, -3]          2.33333            1.25\n"
                    "v[1]  stormer-verlet    0.5  [2, -3]          2.33333             1.5\n"
                    "v[2]  stormer-verlet   0.25  [2, -3]          2.33333            1.25\n"
                    "v[3]  stormer-verlet  0.125  [2, -3]          2.33333           1.125\n"
                    "\n"
                    "run     steps\n"
                    "a          16\n"
                    "b          32\n"
                    "c           8\n"
                    "v[1]        4\n"
                    "v[2]        8\n"
                    "v[3]       16\n"
                    "g[1,1]      4\n"
                    "g[1,2]      4\n"
                    "g[1,3]      4\n"
                    "g[2,1]      4\n"
                    "g[2,2]      4\n"
                    "g[2,3]      4\n"),
       "tables: texts to the left, numbers to the right, all runs unless it says which");
    if (tap_failed) printf("# %s\n%s\n", e.x.message, got);
    finish();
}

/* Options of runs are texts; a quantity of such a name comes first. */
static void options_in_tables(void)
{
    static const char head[] = "canonical q, p\n"
                               "H = sq(p)/2\n"
                               "start q = 1, p = 2\n"
                               "run method = gauss:1, step = 0.5, time = 1\n"
                               "run a: compensated = yes, starting_values = output\n"
                               "run b: solver = newton, max_iterations = 77\n";
    static char text[2000];
    const char *got;

    snprintf(text, sizeof text, "%stable columns = [compensated, solver, starting_values, max_iterations, steps]\n",
             head);
    got = judge(text) ? printed() : "";
    ok(!strcmp(got, "\n"
                    "run  compensated  solver  starting_values  max_iterations  steps\n"
                    "a    yes          auto    output           100                 2\n"
                    "b    no           newton  auto             77                  2\n"),
       "options of a run are columns of a table");
    if (tap_failed) printf("# %s\n%s\n", e.x.message, got);
    finish();
    snprintf(text, sizeof text,
             "%sparam monitor = 9\nmeasure jacobian = 5\ntable of = b, columns = [monitor, jacobian]\n", head);
    got = judge(text) ? printed() : "";
    ok(strstr(got, "\nb          9         5\n") != NULL, "... but a quantity or a measure of such a name comes first");
    if (tap_failed) printf("# %s\n%s\n", e.x.message, got);
    finish();
    snprintf(text, sizeof text, "%smeasure x = compensated\n", head);
    ok(!judge(text), "... and nowhere else do they stand: %s", e.x.message);
    finish();
}

static lbr_plot built(int k, lbr_arena *scratch)
{
    lbr_plot plot = { 0 };

    e.j->scratch = scratch;
    ok(lbr_plot_build(e.j, k, &plot), "plot %d: %lld curves", k + 1, (long long)plot.ncurves);
    e.j->scratch = NULL;
    return plot;
}

static void plots(void)
{
    static char text[8000];
    lbr_arena scratch = { 0 };
    lbr_plot p;

    snprintf(text, sizeof text,
             "%smeasure x = 5*step^3\n"
             "plot one: of = [a, v], x = t, y = q[1], log = y, style = dots, xrange = [0, n], title = \"A\"\n"
             "plot two: of = v, x = step, y = [x, 2*x], log = xy, xlabel = \"h\"\n"
             "plot three: of = c, x = q, y = [p, q], equal = yes\n"
             "plot of = [a, c], x = [q[1], q[2]], y = [p[1], H], colour = t\n"
             "plot of = a, x = t, y = H\n",
             model);
    if (!ok(judge(text) && lbr_judge_plots(e.j) == 5, "five plots")) {
        printf("# %s\n", e.x.message), finish();
        return;
    }
    p = built(0, &scratch);
    ok(p.ncurves == 4 && !strcmp(p.curve[0].label, "a") && !strcmp(p.curve[3].label, "v[3]"),
       "a series: one curve for each run");
    ok(p.curve[0].n == 17 && p.curve[1].n == 5, "each with its samples");
    ok(p.curve[1].x[1] == 0.5 && p.curve[1].y[4] == 2, "at their places");
    ok(p.log_y && !p.log_x && p.style == LBR_PLOT_DOTS && p.xrange[1] == 2, "settings of a picture");
    ok(!strcmp(p.title, "A") && !strcmp(p.xlabel, "t") && !strcmp(p.ylabel, "q[1]"),
       "settings, labels from the source");
    p = built(1, &scratch);
    ok(p.ncurves == 2 && p.curve[0].n == 3, "numbers: one curve over the sweep for each quantity");
    ok(p.curve[1].x[2] == 0.125 && p.curve[1].y[2] == 10. / 512, "the last point of the second one");
    ok(!strcmp(p.curve[1].label, "2*x"), "labelled by its quantity");
    ok(!strcmp(p.xlabel, "h") && !p.ylabel, "and the axes");
    ok(p.log_x && p.log_y, "which are logarithmic");
    p = built(2, &scratch);
    ok(p.ncurves == 4 && p.equal && !strcmp(p.curve[1].label, "p[2]") && !strcmp(p.curve[2].label, "q[1]"),
       "vectors: one curve for each component");
    ok(p.curve[1].x[8] == -3 && p.curve[1].y[8] == -2, "with their points");
    p = built(3, &scratch);
    ok(p.ncurves == 4 && !strcmp(p.curve[0].label, "a: p[1]") && !strcmp(p.curve[3].label, "c: H"),
       "lists in pairs: their labels");
    ok(p.curve[3].x[8] == -3 && p.curve[3].y[8] == 2.5, "and points");
    ok(p.curve[3].colour[8] == 2 && !strcmp(p.colour_label, "t"), "a colour");
    p = built(4, &scratch);
    ok(p.ncurves == 1 && !p.curve[0].label, "a single curve needs no label");
    lbr_arena_free(&scratch);
    {
        lbr_message why = { 0 };
        int empty;

        setenv("LIBRATION_GNUPLOT", "/nowhere/gnuplot", 1);
        ok(lbr_judge_draw_check(e.j, "x.txt", 0, 0, &why) == LBR_EARG && strstr(why.text, "x-one.txt"),
           "several plots have files of their own: %s", why.text);
        ok(lbr_judge_draw_check(e.j, "x.svg", 0, 0, &why) == LBR_EIO &&
               lbr_judge_draw(e.j, 0, "x.svg", 0, 0, &empty, &why) == LBR_EIO && strstr(why.text, "gnuplot"),
           "without gnuplot they cannot be drawn: %s", why.text);
    }
    finish();
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* The graph of the file's model does not grow with the number of runs, which all functions would pay for. */
static void many_runs(void)
{
    char text[256];
    int n[2] = { 0 };

    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 "canonical q, p\n"
                 "H = p^2/2\n"
                 "start q = 0, p = 1\n"
                 "run method = stormer-verlet, step = 1, steps = 2\n"
                 "run v[k = 1..%d]: step = 1/2\n",
                 k ? 5000 : 5);
        n[k] = open_text(text) ? e.x.base->dag.n : -1;
        finish();
    }
    ok(n[0] > 0 && n[1] == n[0], "a graph of %d nodes for 5 runs, %d for 5000", n[0], n[1]);
}

static void no_memory(void)
{
    static char text[8000];
    long live, n = 1, bad = 0;
    int more = 1;

    snprintf(text, sizeof text,
             "%smeasure x = last(q), dH = drift(H), s[k = 1..2] = mean(q[k])\n"
             "let half = dH/2 + max(unwrap(q[1])) + max(norm(q'))\n"
             "measure more = half + 1\n"
             "plot p: of = [a, v], x = t, y = q\n"
             "table u: of = v, columns = [method, x, dH]\n"
             "claim max(abs(a.q[1] - b.q[1])) < 1e-9 and v.dH < 1 against method = midpoint\n"
             "claim each[k = 1..2]: v[k].s[2] < 1 and v[k].more < 100\n",
             model);
    for (; more && n < 20000; n++) {
        lbr_arena scratch = { 0 };
        lbr_plot plot = { 0 };

        live = heap.live;
        more = 0;
        if (load(text)) {
            heap.calls = 0, heap.refused = 0, heap.refuse = n;
            e.status = lbr_judge_open(&e.j, &e.x);
            heap.refuse = 0;
            if (!e.status && execute()) { /* also after what could do without that memory */
                heap.calls = 0, heap.refuse = heap.refused ? 0 : n;
                e.status = lbr_judge_claims(e.j, &e.verdict, &e.n);
                if (!e.status) e.j->scratch = &scratch, e.status = lbr_plot_build(e.j, 0, &plot) ? LBR_OK : LBR_ENOMEM;
                heap.refuse = 0;
            }
            more = (int)heap.refused;
            if (heap.refused && !e.status &&
                !(e.n == 3 && e.verdict[0].holds && e.verdict[1].holds && e.verdict[2].holds))
                printf("# %ld: memory that nobody missed\n", n), bad++;
        }
        lbr_arena_free(&scratch);
        finish();
        if (heap.live != live) printf("# %ld: %ld pieces are lost\n", n, heap.live - live), bad++;
    }
    ok(n > 20 && !more, "%ld allocations are refused, one by one", n);
    ok(bad == 0, "each is told, or changes nothing, and nothing is lost");
}

int main(void)
{
    from_series();
    expressions();
    lists();
    claims();
    breakers();
    ranges();
    failures();
    nameless();
    records();
    references();
    mistakes();
    tables();
    options_in_tables();
    plots();
    many_runs();
    no_memory();
    return tap_done();
}
