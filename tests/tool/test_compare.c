/* test_compare.c - libration compare, methods --fits, check FILE: orders that are known, JSON, bad usage.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"
#include "experiment/compare.h"
#include "execute/fits.h"

/* --- the comparison itself, on a system in C --------------------------------------------------------------------- */

static int64_t calls;
static int force(double t, const double *q, double *f, void *ctx)
{
    calls++;
    *f = -sin(*q);
    return *q > 3;
}
static int energy(double t, const double *y, double *H, void *ctx)
{
    *H = y[1] * y[1] / 2 - cos(y[0]);
    return 0;
}

static void orders(void)
{
    static const double one = 1, y0[2] = { 0, 1 };
    static const char *const method[] = { "symplectic-euler", "stormer-verlet", "gauss:2",
                                          "compose(yoshida-6-7, stormer-verlet)", "gauss:8" };
    static const int64_t steps[] = { 200, 400, 800 };
    static const double order[] = { 1, 2, 4, 6 };
    lbr_system system = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .force = force, .inverse_mass = &one,
                                   .energy = energy);
    lbr_job job = { .model = "pendulum", .system = &system, .t0 = 0, .h = 0.1, .y0 = y0, .steps = 200, .every = 1 };
    lbr_comparison c = { .job = &job, .method = method, .nmethods = 5, .steps = steps, .nsteps = 3 };

    lbr_options_init(&job.options);
    ok(lbr_compare(&c) == 0 && c.n == 15, "five methods, three numbers of steps: %s", c.text);
    ok(c.reference_error > 0 && c.reference_error < 1e-13, "the reference is known to %.2g", c.reference_error);
    near(c.end, 20, 1e-14, "the end is that of the job");
    for (int m = 0; m < 4; m++) {
        const lbr_compared *r = c.row + 3 * m;

        ok(isnan(r[0].order) && fabs(r[1].order - order[m]) < 0.3 && fabs(r[2].order - order[m]) < 0.15,
           "%s has order %.2f, %.2f", r->method, r[1].order, r[2].order);
        ok(r[0].error > r[1].error && r[2].energy_error < r[0].energy_error && r[0].seconds > 0 && !r[0].doubtful,
           "errors shrink");
        near(r[1].step * (double)r[1].steps, 20, 1e-13, "the time is kept");
    }
    ok(c.row[4].evaluations == 401 && c.row[5].evaluations == 801,
       "Verlet takes one force per step, and one to begin with");
    ok(c.row[14].doubtful && isnan(c.row[14].order) && c.row[14].error < 10 * c.reference_error,
       "what is as good as the reference is marked, without an order");
    lbr_comparison_free(&c);

    calls = 0;
    c = (lbr_comparison){ .job = &job,
                          .method = (const char *const[]){ "stormer-verlet", "strang" },
                          .nmethods = 2,
                          .steps = steps,
                          .nsteps = 3 };
    ok(lbr_compare(&c) == 2 && strstr(c.text, "strang") && !c.n && !calls,
       "a method that does not fit is told before anything is computed: %s", c.text);
    lbr_comparison_free(&c);
}

/* The field fails for q > 3: large steps of explicit Euler lead there. */
static void failures(void)
{
    static const double one = 1, y0[2] = { 0, 1.9 };
    static const int64_t steps[] = { 40, 100000 };
    lbr_system system = LBR_SYSTEM(.name = "pendulum", .dim = 2, .nq = 1, .force = force, .inverse_mass = &one);
    lbr_job job = { .model = "pendulum", .system = &system, .h = 0.1, .y0 = y0, .steps = 200, .every = 1 };
    lbr_comparison c = { .job = &job,
                         .method = (const char *const[]){ "explicit-euler", "rk4" },
                         .nmethods = 2,
                         .steps = steps,
                         .nsteps = 2 };

    lbr_options_init(&job.options);
    ok(lbr_compare(&c) == 3 && c.n == 4 && strstr(c.text, "1 of 4"), "one of four fails: status 3, %s", c.text);
    ok(c.row[0].why && isnan(c.row[0].error), "the one that fails says why");
    ok(!c.row[1].why && c.row[1].error > 0 && c.row[2].error > 0, "the others go on: %s", c.row[0].why);
    ok(isnan(c.row[1].order), "an order needs two that are good");
    ok(isnan(c.row[1].energy_error), "without an energy there is no error of it");
    lbr_comparison_free(&c);

    job.y0 = (const double[]){ 0, 2.1 };
    c = (lbr_comparison){
        .job = &job, .method = (const char *const[]){ "rk4" }, .nmethods = 1, .steps = steps, .nsteps = 1
    };
    ok(lbr_compare(&c) == 3 && isnan(c.reference_error) && isnan(c.row[0].error) && strstr(c.text, "no reference"),
       "no solution, no reference: %s", c.text);
    lbr_comparison_free(&c);
}

/* --- the command ------------------------------------------------------------------------------------------------- */

static void command(void)
{
    static char text[MOST];
    static const char *const key[] = { "\"step\":",    "\"steps\":", "\"evaluations\":",
                                       "\"seconds\":", "\"error\":", "\"energy_error\":" };
    double rough;

    ok(typed("compare kepler --time 7.5 --methods 'stormer-verlet,gauss:2' --steps 500,1000,2000 --json") == 0 &&
           count(out, "\"method\":") == 6,
       "a model of the gallery %s", err);
    ok(*out == '{', "JSON: an object");
    for (int i = 0; i < COUNT(key); i++) ok(count(out, key[i]) == 6, "each result has %s", key[i]);
    ok(count(out, "\"model\": \"kepler\"") == 1, "the model once");
    ok(number("reference_error") < 1e-12, "a reference that is tight");
    near(log2(number("results[1].error") / number("results[2].error")), 2, 0.05, "the order of Verlet");
    near(log2(number("results[4].error") / number("results[5].error")), 4, 0.1, "the order of Gauss");
    rough = number("results[1].error");
    ok(typed("compare kepler --set e=0.1 --time 7.5 --methods stormer-verlet --steps 1000 --json") == 0 &&
           number("results[0].error") < rough / 10,
       "--set makes a rounder orbit, an easier one");
    ok(typed("compare kepler --time 10 --methods 'compose( suzuki:4 , stormer-verlet ) , rk4'") == 0 &&
           strstr(out, "\n"
                       "compose(suzuki:4, stormer-verlet) ") &&
           strstr(out, "\n"
                       "rk4 "),
       "a list with commas in brackets %s", err);
    ok(strstr(out, " 100          0.1 ") && strstr(out, " 1600      0.00625 ") && count(out, "\n") == 16 &&
           strstr(out, "  4.00  "),
       "the file's steps times 1/2 to 8; an order of 4");
    ok(typed("compare kepler --time 10 --methods gauss:8") == 0 && strstr(out, "*") && strstr(out, "not to be trusted"),
       "a warning near the reference");
    ok(typed("compare kepler --methods rk4 --steps 2 --json") == 0, "few steps");
    spit("parts.lbr", "canonical q, p\npart T = p^2/2\npart V = q^4/4\nstart q = 1\n"
                      "run method = strang, step = 0.1, steps = 100\nmeasure n = evaluations\n"
                      "plot x = t, y = abs(q), log = xy\n");
    ok(typed("compare parts.lbr --methods strang,stormer-verlet --steps 100,200") == 0 && strstr(out, " 200 flows ") &&
           strstr(out, "  101  "),
       "a splitting is made of flows, and these are its work");
    ok(typed("compare parts.lbr --methods strang,stormer-verlet --steps 100,200 --json") == 0 &&
           number("results[1].evaluations") == 400 && number("results[1].flows") == 400 &&
           number("results[3].evaluations") == 201 && number("results[3].flows") == 0,
       "in JSON, too");
    ok(typed("run parts.lbr --json") == 0, "and of a run");
    ok(number("evaluations.flow") == 200 && number("evaluations.total") == 200, "flows are all its work");
    ok(number("evaluations.force") == 0 && number("evaluations.map") == 0, "and nothing else is");
    ok(number("measures.n") == 200, "as its measure counts");
    ok(typed("run parts.lbr --method 'split(strang, T = midpoint, V)' --json") == 0 &&
           number("evaluations.flow") == 100 && number("evaluations.total") == number("evaluations.field"),
       "where a field is called, its calls are the work");
    if (have_gnuplot()) {
        ok(typed("compare parts.lbr --methods strang,stormer-verlet --steps 100,200 --plot parts.svg --keep-script") ==
                   0 &&
               strstr(slurp("parts.dat", text), "400"),
           "they have their place in the picture: %s", err);
        ok(typed("run parts.lbr --plot log.svg") == 0 &&
               strstr(out, "note: points left out, since a logarithmic axis has no place for 0 and below: 1\n"),
           "what has no place on a logarithmic axis is told: %s", out);
        ok(typed("compare kepler --time 10 --methods rk4,gauss:2 --plot compare.svg --keep-script") == 0 &&
               !access("compare.svg", R_OK) && !access("compare.gp", R_OK),
           "a picture, and what it was drawn from %s", err);
        ok(typed("compare kepler --time 10 --methods rk4 --plot compare.svg") == 2 && strstr(err, "compare.svg") &&
               !*out,
           "which is not written over: %s", err);
    }
    ok(typed("compare duffing --methods rk4 --steps 1000 --json") == 3 && strstr(out, "\"reference_error\": null") &&
           is_null("results[0].error") && strstr(err, "no reference"),
       "chaos: null, status 3: %s", err);
}

static void runs(void)
{
    spit("runs.lbr", "canonical q, p\n"
                     "H = (p^2 + q^2)/2\n"
                     "start q = 1\n"
                     "method mine = compose(suzuki:4, midpoint)\n"
                     "run step = 0.1, time = 2\n"
                     "run a: method = rk4\nrun b: from = a, time = 3\nrun c[k = 1..2]: q = k\n");
    ok(typed("compare runs.lbr --methods mine,rk4 --steps 100") == 0 && strstr(err, "first is taken, a") &&
           strstr(out, "t = 2;"),
       "the first of several runs: %s", err);
    ok(strstr(out, "\ncompose(suzuki:4, midpoint)"), "names of the file");
    ok(typed("compare runs.lbr --methods mine --run b --steps 100 --json") == 0 && fabs(number("t") - 5) < 1e-12 &&
           number("results[0].error") < 1e-5,
       "a run that goes on from another one");
    ok(typed("compare runs.lbr --methods rk4 --run 'c[2]' --steps 100 --json") == 0, "a member of a family");
    ok(typed("compare runs.lbr --methods rk4 --run d") == 2 && strstr(err, "no run 'd'"), "no such run: %s", err);
    spit("bad.lbr", "canonical q, p\nH = (p^2 + q^2\n");
    ok(typed("compare bad.lbr --methods rk4") == 2 && strstr(err, "bad.lbr:2"), "errors in the file at their place");
}

static void usage(void)
{
    static const struct {
        const char *arguments, *says;
    } bad[] = {
        { "compare", "needs a FILE" },
        { "compare kepler", "--methods" },
        { "compare kepler --methods", "needs A,B,C" },
        { "compare kepler --methods ''", "needs A,B,C" },
        { "compare kepler --methods rk4,,rk4", "empty place" },
        { "compare kepler --methods rk4,", "empty place" },
        { "compare kepler --methods rk5", "did you mean 'rk4'" },
        { "compare kepler --methods 'a b'", "expected" },
        { "compare kepler --methods 'compose(suzuki:4'", "" },
        { "compare kepler --methods rk4 --steps 10,x", "whole numbers" },
        { "compare kepler --methods rk4 --steps 0", "whole numbers" },
        { "compare kepler --methods rk4 --steps 1.5", "whole numbers" },
        { "compare kepler --methods rk4 --keep-script", "needs --plot" },
        { "compare kepler --methods rk4 --plot x.txt", "x.txt" },
        { "compare kepler lorenz --methods rk4", "second" },
        { "compare kepler --metods rk4", "did you mean '--methods'" },
        { "compare lorenz --methods stormer-verlet", "positions and momenta" },
        { "compare no-such --methods rk4", "no-such" },
        { "compare kepler --methods rk4 --set x=1", "x" },
        { "compare chain --methods rk4", "constraints" },
        { "compare kepler --methods rk4 --option solver=none", "solver" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(typed(bad[i].arguments) == 2 && !*out && strstr(err, bad[i].says), "%s: %s", bad[i].arguments, err);
    ok(typed("compare --help") == 0 && strstr(out, "--steps N1,N2") && strstr(out, "norm of the difference"),
       "help says what the error is");
}

/* --- fits -------------------------------------------------------------------------------------------------------- */

static void fits(void)
{
    static const struct {
        const char *file, *method;
        int fits;
    } rows[] = {
        { "kepler", "stormer-verlet", 1 },
        { "kepler", "gauss:4", 1 },
        { "kepler", "strang", 0 },
        { "lorenz", "rk4", 1 },
        { "lorenz", "stormer-verlet", 0 },
        { "lorenz", "compose(kahan-li-8-17, midpoint)", 1 },
        { "chain", "rk4", 0 },
        { "kepler", "effective-6-9-processor", 0 },
        { "kepler", "nothing", 0 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lbr_fitting f;
        lbr_message why;
        lbr_status opened = lbr_fitting_open(&f, rows[i].file),
                   status = opened ? opened : lbr_fits(&f, rows[i].method, &why);

        ok(!opened && (status == LBR_OK) == rows[i].fits && (*why.text == 0) == rows[i].fits, "%s, %s: %s",
           rows[i].file, rows[i].method, *why.text ? why.text : "fits");
        ok(opened || !strstr(why.text, ". "), "one sentence");
        lbr_fitting_free(&f);
    }
    ok(typed("methods --fits lorenz") == 0 && strstr(out, "Not for this model") &&
           strstr(out, "\n"
                       "rk4 ") &&
           !strstr(out, "\n"
                        "stormer-verlet ") &&
           strstr(out, "stormer-verlet, "),
       "methods --fits: those that fit, and the others with their reason");
    ok(typed("methods --fits lorenz --json") == 0 && count(out, "\"fits\":") == count(out, "\"name\":") &&
           count(out, "\"why\":") == count(out, "\"name\":") && count(out, "\"fits\": true") > 100 &&
           count(out, "\"why\": null") == count(out, "\"fits\": true"),
       "as JSON: %d fit", count(out, "\"fits\": true"));
    ok(typed("methods --fits lorenz --symplectic --json") == 0 && count(out, "\"fits\": true") == 33 &&
           !strstr(out, "\"rk4\""),
       "with other wishes");
    ok(typed("methods --json") == 0 && !strstr(out, "\"fits\""), "no such keys without it");
    ok(typed("methods rk4 --fits lorenz") == 0 && strstr(out, "fits        yes"), "one method");
    ok(typed("methods --fits") == 2 && typed("methods --fits no-such") == 2 && strstr(err, "no-such"), "bad usage: %s",
       err);
}

/* --- check FILE -------------------------------------------------------------------------------------------------- */

static const char own[] =
    "canonical q, p\nH = (p^2 + q^2)/2\nparam w = 1/(4 - 4^(1/3)), r = sqrt(3), x = 1/(2 - 2^(1/3))\n"
    "method five  = composition [w, w, 1 - 4*w, w, w]\n"
    "method two   = butcher(A = [[1/4, 1/4 - r/6], [1/4 + r/6, 1/4]], b = [1/2, 1/2])\n"
    "method ruth  = splitting(a = [x/2, (1 - x)/2, (1 - x)/2, x/2], b = [x, 1 - 2*x, x])\n"
    "method over  = compose(five, midpoint)\n"
    "method one   = tableau(two)\n"
    "method mine  = collocation(1/4, 5/6)\n"
    "method off   = composition [w + 1e-6, w, 1 - 4*w - 1e-6, w, w]\n";

/* `found` of a property of a method. */
static double found(const char *name, const char *property)
{
    char head[200];
    const char *s;

    snprintf(head, sizeof head, "\"name\": \"%s\",\n    \"property\": \"%s\",", name, property);
    if (!(s = strstr(out, head)) || !(s = strstr(s, "\"found\": "))) return NAN;
    return s[9] == 't' ? 1 : s[9] == 'f' ? 0 : strtod(s + 9, NULL);
}

static void check_files(void)
{
    spit("own.lbr", own);
    ok(typed("check own.lbr --json") == 0 && !strstr(out, "\"holds\": false") &&
           count(out, "\"claimed\": null") == count(out, "\"name\":"),
       "a file claims nothing, so all of it holds %s", err);
    ok(found("five", "order") == 4 && found("five", "symmetric") == 1 && found("five", "symplectic") == 1,
       "Suzuki's composition has order 4");
    ok(found("two", "order") == 4 && found("two", "symmetric") == 1 && found("two", "symplectic") == 1 &&
           found("two", "explicit") == 0,
       "Gauss's tableau has order 4");
    ok(found("ruth", "order") == 4 && found("ruth", "symplectic") == 1, "Ruth's splitting has order 4");
    ok(found("over", "order") == 4, "an expression over a table of the file, under its name");
    ok(found("one", "order") == 4 && found("one", "symplectic") == 1, "a tableau made of the file's own");
    ok(found("mine", "order") == 3 && found("mine", "digits") >= 30, "collocation at fractions, with all digits");
    ok(found("off", "order") == 2 && found("off", "symmetric") == 0, "a coefficient that is off by 1e-6 has not");
    ok(found("five", "digits") >= 14 && found("five", "digits") <= 17, "coefficients that are doubles: %g digits",
       found("five", "digits"));
    ok(typed("check own.lbr") == 0 && strstr(out, "found") && strstr(out, "nothing is claimed") &&
           !strstr(out, "FAILS"),
       "for people");
    ok(typed("check own.lbr rk4") == 0 && strstr(out, "holds  rk4") && strstr(out, "6 claims hold, 0 fail"),
       "files and methods together");
    spit("own.lbr", "canonical q, p\n"
                    "H = (p^2 + q^2)/2\n"
                    "method mix = compose(strang, compose(suzuki:4, rk4))\n"
                    "method rk4 = composition [1]\n");
    ok(typed("check own.lbr") == 2 && strstr(err, "own.lbr:4"), "the name of a method of the catalogue: %s", err);
    spit("own.lbr", "canonical q, p\nH = (p^2 + q^2)/2\n");
    ok(typed("check own.lbr") == 0 && strstr(out, "no method statements"), "nothing to check");
    ok(typed("check own.lbr --json") == 0 && *out == '[', "an empty list");
    ok(typed("check no-such.lbr") == 2 && strstr(err, "no-such.lbr"), "no file: %s", err);
}

static void tests(void)
{
    orders(), failures();
    command(), runs(), usage();
    fits(), check_files();
}

int main(void) { return with_tool(tests); }
