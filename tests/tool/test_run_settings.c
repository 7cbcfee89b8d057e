/* test_run_settings.c - what a run of a model is told, and by whom: steps and times, records, sweeps, methods of a
 * file, used files. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define PENDULUM "param g = 1, s = 2\ncanonical q, p\nH = p^2/2 - g*cos(q)\nstart q = 1.5, p = 0\n"
#define PARTS    "param g = 1, s = 2\ncanonical q, p\npart T = p^2/2\npart V = -g*cos(q)\nstart q = 1.5, p = 0\n"
#define VERLET   "run method = stormer-verlet, step = 0.1, time = 1\n"

/* A model and the tool's answer to `run m.lbr --json ARGUMENTS`. */
static int answer(const char *text, const char *arguments)
{
    spit("m.lbr", text);
    return toolf("run|m.lbr|--json%s%s", *arguments ? "|" : "", arguments);
}

__attribute__((format(printf, 2, 3))) static int answerf(const char *arguments, const char *format, ...)
{
    static char text[1 << 16];
    va_list ap;

    va_start(ap, format), vsnprintf(text, sizeof text, format, ap), va_end(ap);
    return answer(text, arguments);
}

static double of(const char *place, const char *key)
{
    char all[128];

    return snprintf(all, sizeof all, "%s%s%s", place, *place ? "." : "", key), number(all);
}

/* --- step, steps, time ------------------------------------------------------------------------------------------- */

static void spans(void)
{
    static const struct {
        const char *runs, *arguments, *place;
        double step, steps;
    } row[] = { { "run M, step = 0.125, time = 2", "", "", 0.125, 16 },
                { "run M, step = 0.125, steps = 7", "", "", 0.125, 7 },
                { "run M, time = 2, steps = 16", "", "", 0.125, 16 },
                { "run M, step = 0.125, time = 2", "--steps|1000", "", 0.125, 1000 },
                { "run M, step = 0.125, time = 2", "--step|0.25", "", 0.25, 8 },
                { "run M, step = 0.125, steps = 7", "--time|2", "", 0.125, 16 },
                { "run M, step = 0.125, steps = 7", "--step|0.25", "", 0.25, 7 },
                { "run M, time = 2, steps = 16", "--steps|8", "", 0.25, 8 },
                { "run M, time = 2, steps = 16", "--step|0.5", "", 0.5, 16 },
                { "run M, step = 0.125, time = 2", "--time|3|--steps|6", "", 0.5, 6 },
                { "run M, step = 0.125, time = 2", "--step|0.5|--steps|3", "", 0.5, 3 },
                { "run M, step = 0.125, time = 2", "--steps|0", "", 0.125, 0 },
                { "run M, time = 7.5\n"
                  "run a: steps = 200\n",
                  "", "runs[0]", 7.5 / 200, 200 },
                { "run M, time = 2, step = 0.125\n"
                  "run a: steps = 200\n",
                  "", "runs[0]", 0.125, 200 },
                { "run M, time = 2, step = 0.125\n"
                  "run a: step = 0.25\n",
                  "", "runs[0]", 0.25, 8 },
                { "run M, time = 2, steps = 16\n"
                  "run a: step = 0.25\n",
                  "", "runs[0]", 0.25, 16 },
                { "run M, time = 2, step = 0.125\n"
                  "run a: time = 3, steps = 6\n",
                  "", "runs[0]", 0.5, 6 },
                { "run M, time = 2, step = 0.125\n"
                  "run a: steps = 200\n",
                  "--time|5", "runs[0]", 5.0 / 200, 200 },
                { "run M, step = 2*g/16, time = 2*s/2", "", "", 0.125, 16 },
                { "run M, step = -0.125, time = 2", "", "", -0.125, 16 },
                { "run M, step = -0.125, time = -2", "", "", -0.125, 16 },
                { "run M, time = -2, steps = 16", "", "", -0.125, 16 },
                { "run M, step = 0.125, time = 0", "", "", 0.125, 0 },
                { "run M, step = 0.1, time = 1.05", "", "", 0.1, 10 },
                { "run M, step = 0.1, time = 1.05, land = yes", "", "", 1.05 / 11, 11 },
                { "run M, step = 0.1, time = 1.05", "--land", "", 1.05 / 11, 11 },
                { "run M, step = 0.1, time = 0.3", "", "", 0.1, 3 },
                { "run M, step = 0.125, time = 2\nrun a[k = 0..1]: step = 0.125/2^k\n", "", "runs[1]", 0.0625, 32 } };
    static const struct {
        const char *runs, *arguments, *words;
    } bad[] = { { "run M, step = 0.1, time = 1, steps = 3", "", "two of them determine" },
                { "run M, step = 0.1, time = 1", "--step|1|--steps|2|--time|3", "two of them" },
                { "run M, step = 0.1", "", "two are needed" },
                { "run M, step = 0, time = 1", "", "not zero" },
                { "run M, step = 0.1, time = -1", "", "directions" },
                { "run M, time = 0, steps = 4", "", "not zero" },
                { "run M, time = 1, steps = 0", "", "0 steps" },
                { "run M, time = 1, steps = -4", "", "m.lbr:5:|-4" },
                { "run M, time = 1, steps = 2.5", "", "integer" },
                { "run M, step = q, time = 1", "", "constant" },
                { "run M, step = [1], time = 1", "", "[1]" },
                { "run M, step = 0.1, time = 1e300", "", "2^53" },
                { "run M, step = 1e308, steps = 10", "", "finite times" },
                { "run M, step = 0.1, time = 1, every = 0", "", "every|1.." },
                { "run M, step = 0.1, time = 1, step = 2", "", "twice" },
                { "run M, step[1] = 0.1, time = 1", "", "'step'" },
                { "run M, step' = 0.1, time = 1", "", "'step'" },
                { "run M, step = 0.1, time = 1, stps = 3", "", "'stps'|'steps'" },
                { "run M, step = 0.1, time = 1, solvr = newton", "", "'solver'" },
                { "run M, step = 0.1, time = 1, compensated = maybe", "", "no yes" },
                { "run M, step = 0.1, time = 1, solver = newtn", "", "fixed-point" },
                { "run M, step = 0.1, time = 1, max_iterations = 1.5", "", "integer" },
                { "run M, step = 0.1, time = 1, max_iterations = 0", "", "1..1000000" },
                { "run M, step = 0.1, time = 1, control = x", "", "later" },
                { "run M, step = 0.1, time = 1, until = x", "", "no section" },
                { "run M, step = 0.1, time = 1\n"
                  "run step = 2",
                  "", "second run" },
                { "run M, step = 0.1, time = 1, nope = 2", "", "'nope'" },
                { "run M, step = 0.1, time = 1", "--steps|-1", "whole number" } };

    for (int i = 0; i < COUNT(row); i++) {
        char text[256], *at_m;

        snprintf(text, sizeof text, "%s", row[i].runs), at_m = strchr(text, 'M');
        ok(answerf(row[i].arguments, "%s%.*smethod = rk4%s\n", PENDULUM, (int)(at_m - text), text, at_m + 1) == 0 &&
               of(row[i].place, "step") == row[i].step && of(row[i].place, "steps") == row[i].steps,
           "%.*s %s: %g, %g times%s", (int)strcspn(row[i].runs, "\n"), row[i].runs, row[i].arguments, row[i].step,
           row[i].steps, told);
    }
    for (int i = 0; i < COUNT(bad); i++) {
        const char *at_m = strchr(bad[i].runs, 'M');

        ok(answerf(bad[i].arguments, "%s%.*smethod = rk4%s\n", PENDULUM, (int)(at_m - bad[i].runs), bad[i].runs,
                   at_m + 1) == 2 &&
               !*out && says(bad[i].words),
           "%s", told);
    }
    ok(answer(PENDULUM "run method = rk4, step = 0.1, time = 1.05\n", "") == 0 && says("1.05|--land"),
       "a time that the step does not divide: %s", told);
    ok(answer(PENDULUM "start t = 5\n" VERLET, "") == 0 && number("t") == 6 &&
           answer(PENDULUM "run method = rk4, step = 0.5, time = 1, t = -1\n", "") == 0 && number("t") == 0,
       "times count from the start's t");
    ok(answer(PENDULUM "run method = rk4, time = 1, steps = 10\n", "--steps|0") == 0 && number("steps") == 0 &&
           number("state[0]") == 1.5,
       "--steps 0 shows the start, whatever is said of the rest");
}

#define TEN  "1000000,1000000,1000000,1000000,1000000,1000000,1000000,1000000,1000000,1000000,"
#define MANY TEN TEN TEN TEN TEN TEN TEN TEN "1" /* more than a line of text has room for */

/* --- what is recorded -------------------------------------------------------------------------------------------- */

#define KEPLER                                                       \
    "canonical q[2], p[2]\n"                                         \
    "H = sq(p)/2 - 1/norm(q)\n"                                      \
    "invariant L = cross(q, p), A = [p[2]*L, -p[1]*L] - q/norm(q)\n" \
    "observe r = norm(q), M = [[q[1], q[2]], [p[1], p[2]]]\n"        \
    "start q = [0.4, 0], p = [0, 2]\nrun method = stormer-verlet, step = 0.01, time = 0.1"

static void records(void)
{
    static const struct {
        const char *record, *header;
    } row[] = { { "", "t,q[1],q[2],p[1],p[2],H,L,A[1],A[2],r,\"M[1,1]\",\"M[1,2]\",\"M[2,1]\",\"M[2,2]\"\n" },
                { ", record = [H, q[1]]", "t,q[1],H\n" },
                { ", record = [q]", "t,q[1],q[2]\n" },
                { ", record = [A[2], L]", "t,L,A[2]\n" },
                { ", record = [M]", "t,\"M[1,1]\",\"M[1,2]\",\"M[2,1]\",\"M[2,2]\"\n" },
                { ", record = [M[1,2]]", "t,\"M[1,2]\"\n" },
                { ", record = [M[2]]", "t,\"M[2,1]\",\"M[2,2]\"\n" },
                { ", record = [t, H]", "t,H\n" },
                { ", record = [t]", "t\n" },
                { ", record = [H, H, q[1], q]", "t,q[1],q[2],H\n" },
                { ", record = [r, H]", "t,H,r\n" },
                { ", record = [q[3-1]]", "t,q[2]\n" } };
    static const struct {
        const char *record, *words;
    } bad[] = { { "H", "a list" },
                { "[nope]", "'nope'" },
                { "[q[3]]", "'q[3]'" },
                { "[q[0]]", "not 0" },
                { "[q[1,1]]", "'q[1,1]'" },
                { "[q[1]+1]", "names quantities" },
                { "[2]", "names quantities" },
                { "[\"H\"]", "names quantities" },
                { "[q[k]]", "'k'" },
                { "[[q]]", "names quantities" },
                { "[]", "expected" },
                { "[M[1,3]]", "'M[1,3]'" },
                { "[q[1.5]]", "integer" },
                { "[q[" MANY "]]", "indices" } };
    static char text[MOST];

    for (int i = 0; i < COUNT(row); i++) {
        remove("r.csv");
        ok(answerf("--out|r.csv", "%s%s\n", KEPLER, row[i].record) == 0 && lines("r.csv") == 12 &&
               !strncmp(slurp("r.csv", text), row[i].header, strlen(row[i].header)),
           "record%s gives %.*s", row[i].record, (int)strlen(row[i].header) - 1, row[i].header);
    }
    for (int i = 0; i < COUNT(bad); i++)
        ok(answerf("--out|none.csv", "%s, record = %s\n", KEPLER, bad[i].record) == 2 && says(bad[i].words) &&
               !there("none.csv"),
           "record = %s: %s", bad[i].record, told);
    remove("r.csv");
    ok(answerf("--out|r.csv", "%s, every = 4\n", KEPLER) == 0 && lines("r.csv") == 5 && number("every") == 4,
       "every = 4: steps 0, 4, 8 and the last");
    remove("r.csv");
    ok(answerf("--every|3|--out|r.csv", "%s, every = 4\n", KEPLER) == 0 && lines("r.csv") == 6, "--every counts more");
    ok(answerf("--out|r.csv",
               "%s, record = [H]\n"
               "run a: record = [L]\n"
               "run b[k = 1..2]: record = [q[k]]\n",
               KEPLER) == 0 &&
           !strncmp(slurp("r-a.csv", text), "t,L\n", 4) && !strncmp(slurp("r-b[2].csv", text), "t,q[2]\n", 7),
       "runs have their own");
}

/* --- several runs ------------------------------------------------------------------------------------------------ */

static void families(void)
{
    double forth[2], back[2];

    ok(answer(PENDULUM VERLET "run v[k = 1..3]: q = k, g = 1/k\n", "") == 0 && is_json() && members("runs") == 3,
       "a sweep");
    ok(is_text("runs[2].name", "v[3]") && members("claims") == 0, "with their names");
    ok(is_text("model", "m"), "of one model");
    ok(fabs(number("runs[1].energy.initial") + cos(2.0) / 2) < 1e-15 &&
           fabs(number("runs[2].energy.initial") + cos(3.0) / 3) < 1e-15,
       "with its parameters and starts");
    ok(answer(PENDULUM VERLET "run v[k = 1..2, m = 1..k]: q = k, p = m\n", "--steps|0") == 0 && members("runs") == 3 &&
           is_text("runs[1].name", "v[2,1]") && number("runs[2].state[1]") == 2,
       "two indices, a triangle");
    ok(answer(PENDULUM VERLET "run v[k = 1..3]: q = k, g = 1/k\n", "--run|v[2]") == 0 && is_json() &&
           is_text("name", "v[2]") && is_text("model", "m") && fabs(number("energy.initial") + cos(2.0) / 2) < 1e-15,
       "--run of a member: one object");
    ok(answer(PENDULUM VERLET "run w: q = 1\n"
                              "run v[k = 1..3]: q = k\n",
              "--run|v") == 0 &&
           members("runs") == 3 && is_text("runs[0].name", "v[1]"),
       "--run of a family: its members");
    ok(answer(PENDULUM VERLET "run v[k = 1..3]: q = k, g = k\n", "--set|g=5|--method|rk4|--steps|0") == 0 &&
           fabs(number("runs[2].energy.initial") + 5 * cos(3.0)) < 1e-14 && is_text("runs[1].method", "rk4"),
       "the command line speaks for each");
    ok(answer(PENDULUM VERLET "run v[k = 1..3]: q = k\n", "--run|v[9]") == 2 && says("'v[9]'") &&
           answer(PENDULUM VERLET, "--run|v") == 2 && says("no name"),
       "a run that is not there: %s", told);
    ok(answer(PENDULUM VERLET "run first: q = 1\n", "--run|frist") == 2 && says("'first'"), "the nearest name: %s",
       told);
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run a: q = 2\n",
              "") == 2 &&
           says("m.lbr:7:|'a'") && answer(PENDULUM VERLET "run v[k = 2..1]: q = k\n", "") == 2 && says("empty"),
       "twice, or never: %s", told);
    ok(answer(PENDULUM VERLET "run v[1]: q = 2\n", "") == 2 && says("range") &&
           answer(PENDULUM VERLET "run v[k = 1..200000]: q = 2\n", "") == 2 && says("100000"),
       "no range, too many: %s", told);

    ok(answer(PENDULUM VERLET "run a: q = 1.25\n"
                              "run b: from = a, step = -0.1\n"
                              "run c: from = b\n",
              "") == 0 &&
           members("runs") == 3,
       "runs that go on");
    near(number("runs[1].state[0]"), 1.25, 4e-16, "a negative step retraces the path with a symmetric method");
    near(number("runs[1].state[1]"), 0, 4e-16, "the momentum, too");
    near(number("runs[2].t"), 1, 4e-16, "and time goes on from where it was");
    numbers("runs[0].state", forth, 2), numbers("runs[2].state", back, 2);
    ok(fabs(forth[0] - back[0]) < 1e-15 &&
           answer(PENDULUM "run method = explicit-euler, step = 0.1, time = 1\n"
                           "run a: q = 1.25\n"
                           "run b: from = a, step = -0.1\n",
                  "") == 0 &&
           fabs(number("runs[1].state[0]") - 1.25) > 0.01,
       "and forth again; explicit Euler does not come back");
    ok(answer(PENDULUM VERLET "run a: q = 1.25\n"
                              "run b: from = a, step = -0.1\n",
              "--run|b|--out|b.csv") == 0 &&
           is_text("name", "b") && fabs(number("state[0]") - 1.25) < 4e-16 && there("b.csv") && !there("b-a.csv"),
       "--run of one that needs another");
    ok(answer(PENDULUM VERLET "run v[k = 1..2]: q = k\n"
                              "run w[k = 1..2]: from = v[3 - k]\n",
              "--steps|0") == 0 &&
           number("runs[2].state[0]") == 2 && number("runs[3].state[0]") == 1,
       "from a member");
    ok(answer(PENDULUM VERLET "run b: from = a\n"
                              "run a: q = 2\n",
              "") == 2 &&
           says("'a'") && answer(PENDULUM VERLET "run b: from = b\n", "") == 2 &&
           answer(PENDULUM VERLET "run a: q = 1\n"
                                  "run b: from = 3\n",
                  "") == 2 &&
           says("name of a run"),
       "not from a later one, itself, a number: %s", told);
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run b: from = a[" MANY "]\n",
              "") == 2 &&
           says("indices"),
       "nor from any number of indices: %s", told);
    ok(answer(PENDULUM VERLET "run v[k = 1..40000]: step = 0.2\n"
                              "run w[k = 1..40000]: from = v[k]\n",
              "--run|w[7]") == 0 &&
           is_text("name", "w[7]"),
       "80000 runs are soon told apart");
    ok(answer(PENDULUM "run method = rk4, step = 0.1, time = 1, from = a\n"
                       "run a: q = 1\n",
              "") == 2 &&
           says("'from'"),
       "nor by default: %s", told);
    ok(answer("canonical q, p\n"
              "H = p^2/2 + sqrt(q)\n"
              "start q = 1\n" VERLET "run a: time = 10\n"
              "run b: from = a\n"
              "run c: q = 4\n",
              "") == 3 &&
           is_json() && members("runs") == 2 && number("runs[1].t") == 1 && strstr(err, "b: run a"),
       "what fails takes only those with it that need it: %s", told);
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run b: method = nothing\n",
              "") == 2 &&
           !*out && says("m.lbr:|nothing"),
       "a run that is refused is so before any other begins: %s", told);
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run v[k = 1..2]: q = k\n",
              "--checkpoint|c") == 2 &&
           says("--run") && answer(PENDULUM VERLET "run v[k = 1..2]: q = k\n", "--run|v|--resume|c") == 2 &&
           says("--run"),
       "checkpoints are of one run: %s", told);
    remove("x.csv");
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run v[k = 1..2]: q = k\n",
              "--out|x.csv") == 0 &&
           there("x-a.csv") && there("x-v[1].csv") && there("x-v[2].csv") && !there("x.csv"),
       "files have the names of runs");
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run v[k = 1..2]: q = k\n",
              "--out|./d.d/x|--force") == 2 &&
           answer(PENDULUM VERLET "run a: q = 1\n"
                                  "run b: q = 2\n",
                  "--out|x.csv") == 2 &&
           says("x-a.csv") && !there("x-b.csv"),
       "and are not overwritten: %s", told);
    ok(toolf("run|m.lbr|--steps|4") == 0 && strstr(out, "a  ") && strstr(out, "b  ") && strstr(out, "energy error"),
       "a table for people, a line for each");
}

/* --- options ----------------------------------------------------------------------------------------------------- */

static void options(void)
{
    double plain[2], other[2];

    ok(answer(PENDULUM "run method = gauss:2, step = 0.1, time = 1\n", "") == 0 && number("evaluations.jacobian") == 0,
       "no Jacobian");
    numbers("state", plain, 2);
    ok(answer(PENDULUM
              "run method = gauss:2, step = 0.1, time = 1, solver = newton, max_iterations = 5*10, compensated = yes\n",
              "") == 0 &&
           number("evaluations.jacobian") > 0,
       "solver = newton in a run");
    numbers("state", other, 2);
    ok(memcmp(plain, other, sizeof plain) && fabs(plain[0] - other[0]) < 1e-14,
       "and compensated = yes: other bits, the same numbers");
    ok(answer(PENDULUM "run method = gauss:2, step = 0.1, time = 1\n", "--compensated|--solver|newton") == 0 &&
           numbers("state", plain, 2) == 2 && !memcmp(plain, other, sizeof plain),
       "the same from the command line, bit for bit");
    ok(answer(PENDULUM "run method = gauss:2, step = 0.1, time = 1, solver = newton\n"
                       "run a: solver = fixed-point\n",
              "") == 0 &&
           number("runs[0].evaluations.jacobian") == 0,
       "a run before the default run");
    ok(answer(PENDULUM "run method = gauss:2, step = 0.1, time = 1, solver = newton\n", "--solver|fixed-point") == 0 &&
           number("evaluations.jacobian") == 0,
       "the command line before both");
    ok(answer("param solver = 3\n" PENDULUM "observe o = solver\n"
              "run method = gauss:2, step = 0.1, time = 1, solver = 7\n",
              "--option|solver=newton|--out|o.csv") == 0 &&
           number("evaluations.jacobian") > 0,
       "an option yields to a quantity of its name");
    slurp("o.csv", err);
    ok(strstr(err, ",7\n") && answer("param land = 3\n" PENDULUM VERLET, "") == 2 && says("'land'"),
       "which is set by the run; settings cannot be names");
    ok(answer(PENDULUM VERLET, "--no-compile") == 0 && is_text("kernel", "interpreter"),
       "--no-compile: the interpreter");
    ok(answer(PENDULUM VERLET, "--monitor|off") == 0 && is_null("energy.max_error"), "unwatched errors are null");
}

/* --- methods of the file ----------------------------------------------------------------------------------------- */

static double first[2];

static int state_of(const char *text, const char *definition, const char *method, double y[2])
{
    return answerf("", "%s%srun method = %s, step = 0.1, time = 2\n", text, definition, method) == 0 &&
           numbers("state", y, 2) == 2;
}

static int same(const char *text, const char *definition, const char *method, const char *as)
{
    double y[2];

    return state_of(text, "", as, first) && state_of(text, definition, method, y) && !memcmp(y, first, sizeof y);
}

/* The order, from two step sizes and a reference. */
static double order(const char *text, const char *definition, const char *method)
{
    double exact[2], y[2], error[2];

    if (answerf("", "%srun method = gauss:8, step = 0.05, time = 2\n", text) || numbers("state", exact, 2) != 2)
        return NAN;
    for (int k = 0; k < 2; k++) {
        if (answerf("", "%s%srun method = %s, step = %g, time = 2\n", text, definition, method, k ? 0.0125 : 0.025) ||
            numbers("state", y, 2) != 2)
            return NAN;
        error[k] = hypot(y[0] - exact[0], y[1] - exact[1]);
    }
    return log2(error[0] / error[1]);
}

static void own_methods(void)
{
    static const struct {
        const char *definition, *as, *with_parts;
        double order;
    } row[] = { { "splitting(a = [1/2, 1/2], b = [1, 0])", "stormer-verlet-b", "split(strang, T, V)", 2 },
                { "splitting(a = [1/2, 1/2], b = [1])", "stormer-verlet-b", "split(strang, T, V)", 2 },
                { "splitting(a = [0, 1], b = [1/2, 1/2])", "stormer-verlet", "split(strang, V, T)", 2 },
                { "splitting(a = [1], b = [1])", "adjoint(symplectic-euler)", "split(lie-trotter, T, V)", 1 },
                { "splitting(a = [0, 1], b = [1])", "symplectic-euler", "split(lie-trotter, V, T)", 1 },
                { "splitting(a = [0.675603595979828817, -0.175603595979828817, -0.175603595979828817, "
                  "0.675603595979828817], b = [1.351207191959657634, -1.702414383919315268, 1.351207191959657634])",
                  "triple-jump:4", NULL, 4 } };
    double y[2];

    for (int i = 0; i < COUNT(row); i++) {
        char definition[512];

        snprintf(definition, sizeof definition, "method five = %s\n", row[i].definition);
        if (row[i].with_parts) {
            ok(same(PENDULUM, definition, "five", row[i].as), "%s is %s, bit for bit%s", row[i].definition, row[i].as,
               told);
            ok(same(PARTS, definition, "five", row[i].with_parts) &&
                   same(PARTS, definition, "split(five, T, V)", row[i].with_parts),
               "and with parts it is %s%s", row[i].with_parts, told);
        } else {
            ok(state_of(PENDULUM, definition, "five", y) && state_of(PENDULUM, "", row[i].as, first) &&
                   hypot(y[0] - first[0], y[1] - first[1]) < 1e-14,
               "%.40s... is %s, to round-off", row[i].definition, row[i].as);
        }
        near(order(PENDULUM, definition, "five"), row[i].order, 0.1, "its order");
        near(order(PARTS, definition, "split(five, V, T)"), row[i].order, 0.1, "and with the parts in the other order");
    }
    ok(same(PENDULUM,
            "method five = composition [0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857, "
            "0.41449077179437573714, 0.41449077179437573714]\n",
            "five", "suzuki:4"),
       "a composition");
    ok(state_of(PENDULUM,
                "param c = 4^(1/3)\n"
                "method five = composition [1/(4 - c), 1/(4 - c), -c/(4 - c), 1/(4 - c), 1/(4 - c)]\n",
                "compose(five, midpoint)", y) &&
           state_of(PENDULUM, "", "compose(suzuki:4, midpoint)", first) &&
           hypot(y[0] - first[0], y[1] - first[1]) < 1e-14,
       "of numbers that are computed, over another map");
    ok(same(PENDULUM "method two = composition [1/2, 1/2]\n", "method five = composition [5e-1, 0.05e1]\n", "five",
            "two"),
       "with exponents");
    ok(same(PENDULUM,
            "method rk = butcher(A = [[0,0,0,0],[1/2,0,0,0],[0,1/2,0,0],[0,0,1,0]], b = [1/6,1/3,1/3,1/6], c = "
            "[0,1/2,1/2,1])\n",
            "rk", "rk4"),
       "a tableau");
    ok(same(PENDULUM, "method rk = butcher(A = [[1/2]], b = [1])\n", "rk", "midpoint"), "an implicit one, without c");
    ok(same(PENDULUM, "method kicks = nystrom(b = [1/2, 1/2], c = [0, 1])\n", "kicks", "verlet-nystrom") &&
           same(PENDULUM,
                "method four = nystrom(A = [[0, 0, 0], [1/8, 0, 0], [0, 1/2, 0]], bbar = [1/6, 1/3, 0], b = [1/6, 2/3, "
                "1/6], c = [0, 1/2, 1])\n",
                "four", "nystrom-4"),
       "tables of Nystrom methods: kicks, and stages");
    ok(same(
           PENDULUM,
           "method four = nystrom(A = [[0,0,0,0],[1/8,0,0,0],[1/8,0,0,0],[0,0,1/2,0]], Ahat = "
           "[[0,0,0,0],[1/2,0,0,0],[0,1/2,0,0],[0,0,1,0]], bbar = [1/6,1/6,1/6,0], b = [1/6,1/3,1/3,1/6], c = [0, 1/2, "
           "1/2, 1])\n",
           "four", "nystrom-4-general"),
       "and with the velocity");
    ok(same(PENDULUM, "method mine = nystrom(rk4)\n", "mine", "nystrom(rk4)"), "the operator is what it was");
    ok(same(PENDULUM, "method col = collocation(1/3, 1)\n", "col",
            "collocation(0.33333333333333333333333333333333333, 1)") &&
           same(PENDULUM, "", "dirk(-1/2, 3/2)", "dirk(-0.5, 1.5)") &&
           !same(PENDULUM, "", "collocation(1/3, 1)", "collocation(0.33333333333, 1)"),
       "fractions and all digits as arguments");
    ok(same(PENDULUM,
            "method inner = stormer-verlet\n"
            "method outer = compose(suzuki:4, inner)\n",
            "outer", "compose(suzuki:4, stormer-verlet)"),
       "names for expressions");
    ok(same(PENDULUM, "", "gauss:s", "gauss:2") && same(PENDULUM, "param k = 3\n", "gauss:k", "gauss:3"),
       "a parameter as the number of stages");
    ok(answer(PENDULUM "method five = splitting(a = [1/2, 1/2], b = [1])\n" VERLET, "--method|adjoint(five)") == 0 &&
           is_text("method", "adjoint(five)") && answer(PENDULUM "method m = gauss:3\n" VERLET, "--method|m") == 0 &&
           is_text("method", "gauss:3"),
       "--method knows them");
    ok(answer(PENDULUM "run step = 0.1, time = 1\n"
                       "run a[s = 1..3]: method = gauss:s\n",
              "") == 0 &&
           is_text("runs[2].method", "gauss:3") &&
           number("runs[2].energy.max_error") < number("runs[1].energy.max_error") / 100,
       "an index as the number of stages");
}

static void wrong_methods(void)
{
    static const struct {
        const char *definition, *method, *words;
    } row[] = { { "method rk4 = midpoint\n", "rk4", "m.lbr:5:|catalogue" },
                { "method a = midpoint\n"
                  "method a = rk4\n",
                  "a", "m.lbr:6:|'a'" },
                { "method a = b\n"
                  "method b = a\n",
                  "a", "each other" },
                { "method a = a\n", "a", "each other" },
                { "method a = splitting(a = [1, 2, 3], b = [1])\n", "a", "m.lbr:5:|shorter by one" },
                { "method a = splitting(a = [1])\n", "a", "needs" },
                { "method a = splitting(a = [1], b = [1], c = [2])\n", "a", "'c'" },
                { "method a = splitting(a = [1], b = [1], a = [1])\n", "a", "twice" },
                { "method a = splitting(a = [[1]], b = [1])\n", "a", "lists" },
                { "method a = butcher(A = [[1, 2], [3, 4]], b = [1])\n", "a", "as many rows" },
                { "method a = butcher(A = [1, 2, 3, 4], b = [1, 0])\n", "a", "matrix" },
                { "method a = butcher(A = [[1]], b = [1], c = [1, 2])\n", "a", "equal length" },
                { "method a = nystrom(b = [1])\n", "a", "nystrom needs b = [...] and c = [...]" },
                { "method a = nystrom(b = [1], c = [0, 1])\n", "a", "nystrom: b and c must be of equal length" },
                { "method a = nystrom(A = [[1, 2]], b = [1], c = [0])\n", "a", "nystrom: A must have as many rows" },
                { "method a = nystrom(A = [[0]], Ahat = [1], b = [1], c = [0])\n", "a", "matrix" },
                { "method a = nystrom(A = [[0]], bbar = [1, 2], b = [1], c = [0])\n", "a", "b and bbar must be" },
                { "method a = nystrom(b = [1], c = [0], bbar = [1])\n", "a", "without A" },
                { "method a = nystrom(b = [1], c = [0], d = [1])\n", "a", "nystrom has no 'd'" },
                { "method a = composition [[1]]\n", "a", "list of numbers" },
                { "method a = composition [q]\n", "a", "constant" },
                { "method a = composition [1/0]\n", "a", "division" },
                { "method a = composition [0.3, 0.3]\n", "a", "0.6" },
                { "", "gauss:g", "integer" },
                { "", "gauss:zz", "'zz'" },
                { "", "gauss:99", "gauss:16" },
                { "", "compose(kahan-li-8-17)", "compose(TABLE" },
                { "", "stormer-verlot", "stormer-verlet" },
                { "", "split(strang, A, B)", "parts" },
                { "", "compose(strang, 1)", "number 1" } };
    static char text[1 << 16] = PENDULUM "method a0 = rk4\n";

    for (int i = 0; i < COUNT(row); i++)
        ok(answerf("",
                   "param g = 0.5\n"
                   "canonical q, p\n"
                   "H = p^2/2\n"
                   "start q = 1\n"
                   "%srun method = %s, step = 0.1, time = 1\n",
                   row[i].definition, row[i].method) == 2 &&
               says(row[i].words),
           "%s", told);
    for (int k = 1; k < 19; k++) { /* 8^18 names if they were put in */
        size_t n = strlen(text);

        n += (size_t)sprintf(text + n, "method a%d = compose(a%d", k, k - 1);
        for (int i = 0; i < 7; i++) n += (size_t)sprintf(text + n, ", a%d", k - 1);
        strcpy(text + n, ")\n");
    }
    strcat(text, "run method = a18, step = 0.1, time = 1\n");
    ok(answer(text, "") == 2 && says("65536"), "names that double and double: %s", told);
}

/* --- used files, starts ------------------------------------------------------------------------------------------ */

static void uses(void)
{
    mkdir("sub", 0700);
    spit("sub/in.lbr", "title \"inner\"\n"
                       "param e = 0.6\n"
                       "canonical q, p\n"
                       "H = p^2/2 - e*cos(q)\n"
                       "start q = 1.5\n"
                       "run method = gauss:2, step = 0.125, time = 1, e = 0.75, solver = newton\n"
                       "run z: step = 3\n"
                       "claim 1 < 0\n");
    spit("sub/mid.lbr", "use \"in.lbr\"\nrun step = 0.25\n");
    ok(answer("use \"sub/in.lbr\"\n", "") == 0 && is_text("method", "gauss:2") && number("step") == 0.125 &&
           number("evaluations.jacobian") > 0 && fabs(number("energy.initial") + 0.75 * cos(1.5)) < 1e-16,
       "the first run of a used file gives defaults");
    ok(answer("use \"sub/in.lbr\": e = 0.5, q = 1\n"
              "run step = 0.25\n",
              "") == 0 &&
           number("steps") == 4 && fabs(number("energy.initial") + 0.5 * cos(1)) < 1e-16,
       "what use changes is nearer");
    ok(answer("use \"sub/mid.lbr\"\n"
              "run steps = 3\n",
              "") == 0 &&
           number("step") == 0.25 && number("steps") == 3 && is_text("method", "gauss:2"),
       "through a file between");
    ok(answer("use \"sub/in.lbr\"\n"
              "run steps = 4\n"
              "run a: e = 2*e\n"
              "run b: time = 2\n",
              "") == 0 &&
           fabs(number("runs[0].energy.initial") + 1.5 * cos(1.5)) < 1e-15 && number("runs[0].step") == 0.125 &&
           number("runs[1].step") == 0.5,
       "runs on top of it");
    ok(answer("use kepler: e = 0.25\n"
              "run steps = 3\n",
              "") == 0 &&
           number("steps") == 3 && number("state[0]") < 0.75,
       "a model of the gallery");
    ok(tool("run|kepler|--json|--set|e=0.25|--steps|0") == 0 && number("state[0]") == 0.75 &&
           is_text("model", "kepler"),
       "and by its name");
    spit("start.csv", "# q p\n1.25, 0.5\n"), spit("long.csv", "1 2 3\n");
    ok(answer(PENDULUM VERLET, "--start|start.csv|--steps|0") == 0 && number("state[0]") == 1.25 &&
           number("state[1]") == 0.5,
       "--start FILE.csv");
    ok(answer(PENDULUM VERLET, "--start|long.csv") == 2 && says("one row of 2") &&
           answer(PENDULUM VERLET, "--start|start.csv|--resume|x") == 2 && says("contradict"),
       "with as many numbers as there are: %s", told);
}

/* However long the chain of files may be, the settings of the first one count; longer ones are refused. */
static void long_chain(void)
{
    enum { LONG = 19 };
    char name[32], text[128];

    spit("u0.lbr", PENDULUM "run method = gauss:2, step = 0.125, steps = 16, s = 5, compensated = yes\n");
    for (int k = 1; k <= LONG + 1; k++) {
        snprintf(name, sizeof name, "u%d.lbr", k);
        snprintf(text, sizeof text, "use \"u%d.lbr\"\nrun every = %d\n", k - 1, k), spit(name, text);
    }
    ok(toolf("run|u%d.lbr|--json", LONG) == 0 && is_text("method", "gauss:2") && number("step") == 0.125 &&
           number("steps") == 16 && number("every") == LONG,
       "settings from the end of a chain of %d files: %s", LONG + 1, told);
    ok(toolf("run|u%d.lbr|--json", LONG + 1) == 2 && says("more than 20 files that use each other"),
       "and one more is refused: %s", told);
}

/* What only a plan or a stepper would see is told at its place, too. */
static void places(void)
{
    static const struct {
        const char *text, *words;
    } row[] = { { PENDULUM "run method = gauss:99, step = 0.1, time = 1\n",
                  "m.lbr:5:14: gauss:99 does not exist|                 ^" },
                { PENDULUM "run step = 0.1, time = 1\n"
                           "run a[s = 98..99]: method = gauss:s\n",
                  "m.lbr:6:29: gauss:98 does not exist" },
                { PENDULUM "run method = compose(\n"
                           "  yoshida-6-7, gaus), step = 0.1, time = 1\n",
                  "m.lbr:6:16: there is no method 'gaus'" },
                { PENDULUM "method mine = compose(suzuki:4, gauss:99)\n"
                           "run method = adjoint(mine), step = 0.1, time = 1\n",
                  "m.lbr:5:33: gauss:99 does not exist" },
                { PENDULUM "run method = compose(midpoint, midpoint), step = 0.1, time = 1\n",
                  "m.lbr:5:14: 'midpoint' is not a table" },
                { "param n = 0\n"
                  "canonical q[2], p[2]\n"
                  "H = sq(p)/2\n"
                  "constraint c[i = 1..n] = q[i] - 1\n"
                  "start q = 1, p = 0\n"
                  "run method = rattle, step = 0.1, time = 1\n",
                  "m.lbr:4:12: 'c' is an empty family" } };

    for (int i = 0; i < COUNT(row); i++)
        ok(answer(row[i].text, "") == 2 && says(row[i].words) && says("\n"), "told at its place: %s", told);
    ok(answer(row[COUNT(row) - 1].text, "--set|n=2") == 0,
       "what is empty for one parameter need not be for another: %s", told);
    ok(answer(row[0].text, "--method|gauss:2") == 0 && answer(row[0].text, "--method|gauss:98") == 2 &&
           says("gauss:98 does not exist") && !strstr(err, "m.lbr"),
       "the command line has no place: %s", told);
    spit("m.lbr", row[3].text);
    ok(tool("check|m.lbr") == 2 && says("m.lbr:5:33: gauss:99"), "check tells it there, too");
}

/* --- what is told ------------------------------------------------------------------------------------------------ */

static void shapes(void)
{
    static const char *const keys[] = { "model",
                                        "method",
                                        "step",
                                        "steps",
                                        "every",
                                        "t",
                                        "state",
                                        "names",
                                        "energy",
                                        "energy.initial",
                                        "energy.final",
                                        "energy.max_error",
                                        "invariants",
                                        "invariants.L.max_error",
                                        "invariants.A.initial[1]",
                                        "constraint",
                                        "multipliers",
                                        "evaluations.total",
                                        "evaluations.force",
                                        "evaluations.field",
                                        "evaluations.gradient",
                                        "evaluations.jacobian",
                                        "evaluations.constraint",
                                        "iterations.nonlinear",
                                        "iterations.worst",
                                        "failure",
                                        "seconds",
                                        "compile_seconds",
                                        "kernel" };
    static char text[MOST];
    double y[16], z;
    char *last;
    int good = 1, plots = !system("command -v gnuplot >/dev/null");

    remove("j.csv");
    ok(answer(KEPLER "\n", "--out|j.csv") == 0 && is_json(), "JSON of one run");
    ok(members("names") == 4 && numbers("state", y, 4) == 4 && is_text("names[3]", "p[2]"), "its names and its state");
    ok(is_null("failure") && is_null("constraint") && is_null("multipliers"), "and what is null");
    for (int i = 0; i < COUNT(keys); i++)
        if (!at(keys[i])) good = 0, printf("# %s is missing\n", keys[i]);
    ok(good && number("evaluations.total") == 11 && number("evaluations.force") == 11, "with all its keys");
    slurp("j.csv", text), text[*text ? strlen(text) - 1 : 0] = 0, last = strrchr(text, '\n'),
                                                          last = last ? last + 1 : text;
    for (int i = 0; i < 5; i++)
        z = strtod(last, &last), last += *last == ',', good &= z == (i ? y[i - 1] : number("t"));
    ok(good && strtod(last, &last) == number("energy.final"), "numbers read back exactly, in both");
    ok(answer("state y\n"
              "y' = -y\n"
              "start y = 1\n"
              "run method = rk4, step = 0.1, time = 1\n",
              "") == 0 &&
           is_null("energy"),
       "without an energy it is null");
    ok(answer("state y\n"
              "y' = 0*y\n"
              "invariant H = y\n"
              "start y = 1\n"
              "run method = rk4, step = 0.1, time = 1\n",
              "") == 0 &&
           number("energy.initial") == 1,
       "or the invariant H");
    ok(answer(PENDULUM VERLET "run a: q = 1\n"
                              "run b: q = 2\n",
              "") == 0 &&
           is_json(),
       "JSON of several");
    ok(at("runs[1].energy.max_error") && at("runs[0].kernel"), "each has its own");
    ok(members("claims") == 0 && !at("state"), "and there is none for all");
    ok(tool("run|heavy-top-quaternion|--json") == 0 && number("constraint.position") < 1e-14 &&
           number("constraint.position_scaled") < 16 && is_null("constraint.velocity"),
       "the manifold that gauss:3 keeps: its residual, also over its rounding");
    ok(tool("run|heavy-top-quaternion|--json|--method|rk4") == 0 && number("constraint.position") > 1e-7 &&
           number("constraint.position_scaled") > 1e7,
       "and rk4 does not keep");
    ok(tool("run|heavy-top-quaternion") == 0 && strstr(out, "constraint") && tool("run|kepler") == 0 &&
           !strstr(out, "constraint"),
       "a column for it where there is one");
    if (!plots) return;
    remove("p.svg"), remove("q.svg");
    ok(tool("run|m.lbr|--plot|p.svg") == 0 && strstr(slurp("p.svg", text), "<svg") && strstr(text, ">m<"),
       "a picture of several runs%s", told);
    ok(answer("title \"Two bodies\"\n" KEPLER "\n", "--plot|q.svg|--keep-script") == 0 &&
           strstr(slurp("q.svg", text), ">Two bodies<") && there("q.gp") && there("q.dat"),
       "and of one, with its title and its script%s", told);
}

/* Before the first run, with the name of the one that is meant. */
static void directions(void)
{
    spit("back.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1\n"
                     "run method = stormer-verlet, step = 0.05, time = 3\n"
                     "run there:\nrun back: time = -3\nrun v[k = 1..3]: time = 6 - 3*k\n");
    ok(tool("run|back.lbr|--out|o.csv") == 2 && says("back: the time is -3 and the step 0.05: they go in different"),
       "times and steps: %s", told);
    ok(!there("o-there.csv") && !strstr(out, "there"), "before the first run begins");
    ok(tool("run|back.lbr|--run|there") == 0, "what is not asked for does not matter: %s", told);
    ok(tool("run|back.lbr|--run|v") == 2 && says("v[3]: the time is -3"), "a member of a family: %s", told);
}

static void all(void)
{
    directions();
    spans(), records(), families(), options(), own_methods(), wrong_methods(), uses(), long_chain(), places(), shapes();
}

int main(void) { return with_tool(all); }
