/* test_extended.c - runs in extended precision: their digits, their bits, their files, what is refused; roundoff.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "support/compilers.h"

#include "core/dd.h"

/* --- numbers of 34 digits ---------------------------------------------------------------------------------------- */

/* A decimal number as a sum of two doubles, to about 1e-31. */
static lbr_dd read_digits(const char *s)
{
    lbr_dd x = dd(0);
    int minus = *s == '-', point = 0, exponent = 0;

    for (s += minus; isdigit((unsigned char)*s) || *s == '.'; s++) {
        if (*s == '.') point = 1;
        else x = dd_add(dd_mul(x, dd(10)), dd(*s - '0')), exponent -= point;
    }
    if (*s == 'e') exponent += atoi(s + 1);
    x = exponent < 0 ? dd_div(x, dd_pow(dd(10), -exponent)) : dd_mul(x, dd_pow(dd(10), exponent));
    return minus ? dd_neg(x) : x;
}

static lbr_dd digits_at(const char *place) { return at(place) ? read_digits(at(place)) : dd(NAN); }

static double apart(lbr_dd a, lbr_dd b) { return fabs(dd_sub(a, b).hi); }

/* --- the oscillator: one step is a matrix, which double-doubles know to 31 digits ------------------------------- */

typedef struct matrix {
    lbr_dd a, b, c, d; /* (q, p) becomes (a q + b p, c q + d p) */
} matrix;

static matrix kick(lbr_dd h) { return (matrix){ dd(1), dd(0), dd_neg(h), dd(1) }; }
static matrix drift(lbr_dd h) { return (matrix){ dd(1), h, dd(0), dd(1) }; }
static matrix after(matrix x, matrix y) /* first y, then x */
{
    return (matrix){ dd_add(dd_mul(x.a, y.a), dd_mul(x.b, y.c)), dd_add(dd_mul(x.a, y.b), dd_mul(x.b, y.d)),
                     dd_add(dd_mul(x.c, y.a), dd_mul(x.d, y.c)), dd_add(dd_mul(x.c, y.b), dd_mul(x.d, y.d)) };
}

/* Even and odd part of a polynomial in z = h J, J^2 = -1: x + y J. */
static matrix rotation(lbr_dd x, lbr_dd y) { return (matrix){ x, y, dd_neg(y), x }; }
static lbr_dd over(int n) { return dd_div(dd(1), dd(n)); }

static matrix verlet(lbr_dd h) { return after(kick(dd_mul(h, dd(0.5))), after(drift(h), kick(dd_mul(h, dd(0.5))))); }
static matrix euler(lbr_dd h) { return after(drift(h), kick(h)); }
static matrix explicit_euler(lbr_dd h) { return rotation(dd(1), h); }
static matrix rk4(lbr_dd h)
{
    lbr_dd h2 = dd_mul(h, h);

    return rotation(dd_add(dd_sub(dd(1), dd_mul(h2, dd(0.5))), dd_mul(dd_mul(h2, h2), over(24))),
                    dd_mul(h, dd_sub(dd(1), dd_mul(h2, over(6)))));
}

/* (x + y J)/(x - y J), for Pade approximations. */
static matrix quotient(lbr_dd x, lbr_dd y)
{
    lbr_dd n = dd_add(dd_mul(x, x), dd_mul(y, y));

    return rotation(dd_div(dd_sub(dd_mul(x, x), dd_mul(y, y)), n), dd_div(dd_mul(dd(2), dd_mul(x, y)), n));
}
static matrix midpoint(lbr_dd h) { return quotient(dd(1), dd_mul(h, dd(0.5))); }
static matrix gauss2(lbr_dd h) { return quotient(dd_sub(dd(1), dd_mul(dd_mul(h, h), over(12))), dd_mul(h, dd(0.5))); }
static matrix gauss3(lbr_dd h)
{
    lbr_dd h2 = dd_mul(h, h);

    return quotient(dd_sub(dd(1), dd_mul(h2, over(10))), dd_mul(h, dd_sub(dd(0.5), dd_mul(h2, over(120)))));
}

static const struct {
    const char *name;
    matrix (*step)(lbr_dd h);
} method[] = { { "stormer-verlet", verlet },
               { "symplectic-euler", euler },
               { "explicit-euler", explicit_euler },
               { "rk4", rk4 },
               { "midpoint", midpoint },
               { "gauss:2", gauss2 },
               { "gauss:3", gauss3 },
               { "lobatto-3a-3b:2", verlet },
               { "gauss-nystrom:2", gauss2 } };

#define OSCILLATOR "canonical q, p\nH = (p^2 + q^2)/2\nstart q = 0.75, p = 0.25\n"

static void steps(void)
{
    enum { STEPS = 200 };

    spit("m.lbr", OSCILLATOR "run method = rk4, step = 0.1, steps = 200\n");
    for (int k = 0; k < COUNT(method); k++) {
        lbr_dd q = dd(0.75), p = dd(0.25), was;
        matrix m;
        double off;

        m = method[k].step(dd(0.1));
        for (int i = 0; i < STEPS; i++)
            was = q, q = dd_add(dd_mul(m.a, q), dd_mul(m.b, p)), p = dd_add(dd_mul(m.c, was), dd_mul(m.d, p));
        toolf("run|m.lbr|--precision|extended|--json|--method|%s", method[k].name);
        off = fmax(apart(digits_at("state[0]"), q), apart(digits_at("state[1]"), p));
        ok(off < 1e-29, "%s: %d steps have 29 digits (%.2g)", method[k].name, STEPS, off);
        toolf("run|m.lbr|--json|--method|%s", method[k].name);
        off = fmax(apart(digits_at("state[0]"), q), apart(digits_at("state[1]"), p));
        ok(off > 1e-19 && off < 1e-12, "in doubles they have not (%.2g)", off);
    }
}

/* A pendulum of mass 3 in units where nothing is a double: the energy error of a method of order 20 is that of its
 * digits, so of those of masses and derivatives, too. */
static void functions(void)
{
    spit("m.lbr",
         "param m = 3, g = 0.7\ncanonical q, p\nH = p^2/(2*m) - g/3*cos(q) + exp(-q^2)/7 + log(2 + sin(q))^3/9\n"
         "start q = 1.1, p = 0.3\nrun method = gauss:10, step = 0.02, steps = 100\n");
    tool("run|m.lbr|--precision|extended|--json");
    ok(number("energy.max_error") < 1e-30 && number("energy.max_error") > 0,
       "derivatives have all digits: an energy is kept to %.2g", number("energy.max_error"));
    ok(apart(digits_at("energy.initial"), digits_at("energy.final")) < 1e-30, "and is told so");
    tool("run|m.lbr|--json");
    ok(number("energy.max_error") > 1e-18, "in doubles it is not: %.2g", number("energy.max_error"));
    spit("g.lbr",
         "canonical q[2], p[2]\nH = sq(p)/2 + sq(q)/2 + 0.1*sin(3*q[1] + 0.7*q[2]) + 0.3*(1 - exp(-0.7*q[1]))^2\n"
         "start q = [0.5, 0.6], p = [0.1, 0.2]\nrun method = gauss:10, step = 0.02, steps = 100\n");
    tool("run|g.lbr|--precision|extended|--json");
    ok(number("energy.max_error") < 1e-30, "products of constants, too: %.2g", number("energy.max_error"));
    tool("run|m.lbr|--precision|extended|--method|stormer-verlet|--json");
    ok(number("energy.max_error") > 1e-8, "a method of order 2 keeps its own error: %.2g", number("energy.max_error"));
    spit("m.lbr", "canonical q[2], p[2]\nH = sq(p)/2 + q[1]*p[2]/5 - 1/norm(q)\ninvariant L = cross(q, p)\n"
                  "start q = [1.1, 0.2], p = [0.1, 0.9]\nrun method = gauss:10, step = 0.05, steps = 40\n");
    tool("run|m.lbr|--precision|extended|--json");
    ok(number("energy.max_error") < 1e-24, "where H is not T + V, too: %.2g", number("energy.max_error"));
    tool("run|m.lbr|--precision|extended|--method|symplectic-euler|--step|1e-6|--steps|3|--json");
    ok(number("energy.max_error") < 1e-11 && number("energy.max_error") > 1e-20, "symplectic Euler for any H: %.2g",
       number("energy.max_error"));
}

/* --- bits -------------------------------------------------------------------------------------------------------- */

static const char *state_text(void)
{
    static char text[2][400];
    static int k;
    const char *s = at("state"), *e = s ? strchr(s, ']') : NULL;

    return k = !k, snprintf(text[k], sizeof text[k], "%.*s", e ? (int)(e - s) : 0, s ? s : ""), text[k];
}

static void bits(void)
{
    static const char *const how[] = { "--every|1",     "--every|7",         "--every|1000",  "--monitor|off",
                                       "--compensated", "--monitor|samples", "--isa|baseline" };
    char whole[400], error[40];

    spit("m.lbr", "param e = 0.6\ncanonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q)\ninvariant L = cross(q, p)\n"
                  "start q = [1 - e, 0], p = [0, sqrt((1 + e)/(1 - e))]\n"
                  "run method = gauss:3, step = 0.05, steps = 300\n");
    tool("run|m.lbr|--precision|extended|--json");
    snprintf(whole, sizeof whole, "%s", state_text()),
        snprintf(error, sizeof error, "%.17g", number("energy.max_error"));
    ok(strlen(whole) > 4 * 30, "four numbers have 34 digits");
    for (int k = 0; k < COUNT(how); k++) {
        toolf("run|m.lbr|--precision|extended|--json|%s", how[k]);
        ok(!strcmp(state_text(), whole), "the same bits with %s", how[k]);
    }
    shell("rm -f x.chk x.csv y.csv");
    tool("run|m.lbr|--precision|extended|--steps|130|--checkpoint|x.chk|--out|x.csv|--every|10");
    tool("run|m.lbr|--precision|extended|--resume|x.chk|--out|x.csv|--every|10|--json");
    ok(!strcmp(state_text(), whole), "the same bits after a restart");
    ok(fabs(number("energy.max_error") - atof(error)) == 0, "and the same largest error");
    tool("run|m.lbr|--precision|extended|--out|y.csv|--every|10");
    ok(same_files("x.csv", "y.csv"), "and the same samples");
    ok(tool("run|m.lbr|--resume|x.chk") == 2 && strstr(err, "options"), "doubles do not go on from there: %s", told);
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static void samples(void)
{
    static char text[MOST];
    const char *line, *comma;

    spit("m.lbr", "canonical q, p\nH = p^2/2 + q*sin(t)\nobserve u = t\nstart q = 1, p = 0.3\n"
                  "run method = rk4, step = 0.1, steps = 3\n");
    shell("rm -f m.csv");
    tool("run|m.lbr|--precision|extended|--out|m.csv|--json");
    line = strrchr(slurp("m.csv", text), '\n');
    while (line > text && line[-1] != '\n') line--;
    comma = strrchr(line, ',');
    ok(comma && apart(read_digits(comma + 1), dd_prod(3, 0.1)) < 1e-32 &&
           apart(digits_at("t"), dd_prod(3, 0.1)) < 1e-32,
       "t has all digits wherever it is");
    spit("m.lbr", OSCILLATOR "observe r = q^2 + p^2\nrun method = midpoint, step = 0.1, steps = 20\n");
    shell("rm -f m.csv m.h5");
    tool("run|m.lbr|--precision|extended|--out|m.csv");
    ok(!strncmp(slurp("m.csv", text), "t,q,p,H,r\n", 10), "columns have their names");
    line = strrchr(text, '\n');
    while (line > text && line[-1] != '\n') line--;
    comma = strchr(line, ',');
    ok(apart(read_digits(line), dd_mul(dd(20), dd(0.1))) < 1e-31, "t is n h, with all digits");
    ok(comma && strcspn(comma + 1, ",") >= 34, "numbers have 34 digits");
    comma = strrchr(line, ',');
    ok(comma && apart(read_digits(comma + 1), dd_add(dd_prod(0.75, 0.75), dd_prod(0.25, 0.25))) < 1e-30,
       "what is observed, too: midpoint keeps the circle to %.2g",
       apart(read_digits(comma + 1), dd_add(dd_prod(0.75, 0.75), dd_prod(0.25, 0.25))));
    ok(!tool("run|m.lbr|--precision|extended|--out|m.h5") && tool("run|m.lbr|--precision|extended|--out|m.h5") == 2,
       "HDF5 is written, and not over what is there");
    ok(!system("strings -a m.h5 | grep -q '^q_low'"), "low parts are datasets of their own there");
}

/* --- flows of parts ---------------------------------------------------------------------------------------------- */

static void parts(void)
{
    lbr_dd q;

    spit("m.lbr", "canonical q, p\npart kinetic = p^2/2\npart potential = q^4/3\nstart q = 0.75, p = 0.25\n"
                  "run method = strang, step = 0.1, steps = 50\n");
    tool("run|m.lbr|--precision|extended|--json");
    q = digits_at("state[0]");
    ok(isfinite(q.hi) && number("evaluations.flow") > 0, "straight flows are taken");
    spit("m.lbr", "canonical q, p\nH = p^2/2 + q^4/3\nstart q = 0.75, p = 0.25\n"
                  "run method = stormer-verlet-b, step = 0.1, steps = 50\n");
    tool("run|m.lbr|--precision|extended|--json");
    ok(apart(q, digits_at("state[0]")) < 1e-30, "and are kicks and drifts: %.2g", apart(q, digits_at("state[0]")));
}

/* --- what is refused --------------------------------------------------------------------------------------------- */

static void refused(void)
{
    static const struct {
        const char *arguments, *says;
    } row[] = { { "run|m.lbr|--precision|extended|--method|project(symmetric, midpoint, H)",
                  "extended precision is for" },
                { "run|m.lbr|--precision|extended|--method|stormer-two-step", "extended precision is for" },
                { "run|m.lbr|--precision|extended|--no-compile", "without a compiler" },
                { "run|m.lbr|--precision|quadruple", "extended" },
                { "run|c.lbr|--precision|extended", "extended precision is for" },
                { "run|m.lbr|--precision|extended|--solver|newton", "Newton" },
                { "compare|m.lbr|--precision|extended|--methods|midpoint", "compared in doubles" },
                { "run|s.c|--precision|extended|--method|rk4|--step|0.1|--steps|3", "system in C" } };

    spit("m.lbr", OSCILLATOR "run method = midpoint, step = 0.1, steps = 20\n");
    spit("c.lbr", "canonical q[2], p[2]\nH = sq(p)/2 + q[2]\nconstraint c = sq(q) - 1\nstart q = [1, 0], p = [0, 0]\n"
                  "run method = rattle, step = 0.1, steps = 20\n");
    spit(
        "s.c",
        "#include <libration.h>\n"
        "static int field(double t, const double *y, double *out, void *c) { out[0] = -y[0]; return 0; }\n"
        "static const double y0[] = { 1 };\n"
        "static const lbr_defaults defaults = { .size = sizeof defaults, .y0 = y0 };\n"
        "int lbr_model(lbr_system *out)\n"
        "{\n"
        "    lbr_system s = { .size = sizeof s, .name = \"decay\", .dim = 1, .field = field, .defaults = &defaults };\n"
        "    return *out = s, 0;\n"
        "}\n");
    for (int k = 0; k < COUNT(row); k++)
        ok(tool(row[k].arguments) == 2 && strstr(err, row[k].says), "%s: %s", row[k].arguments, told);
    setenv("LIBRATION_CC", "/nonexistent", 1), new_cache();
    ok(tool("run|m.lbr|--precision|extended") == 2 && strstr(err, "no compiler '/nonexistent'"), "no compiler: %s",
       told);
    good_compiler();
    ok(tool("run|m.lbr|--precision|extended|--method|implicit-euler|--step|5") == 3 && strstr(err, "not solved"),
       "a step too large for the iteration: %s", told);
    spit("m.lbr", "state x\nx' = x^2\nstart x = 1\nrun method = rk4, step = 0.5, steps = 200\n");
    ok(tool("run|m.lbr|--precision|extended|--json") == 3 && is_json(), "a solution that explodes: %s", told);
}

/* --- roundoff ---------------------------------------------------------------------------------------------------- */

static void round_off(void)
{
    spit("m.lbr",
         "canonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q)\nstart q = [0.4, 0], p = [0, 2]\n"
         "run method = compose(suzuki-yoshida-8-15, stormer-verlet), step = 2*pi/500, steps = 5000, every = 500\n"
         "run plain:\n"
         "run kept: compensated = yes\n"
         "run truth: precision = extended\n"
         "run odd: method = stormer-two-step\n"
         "measure off = last(roundoff), walk = last(H - extended.H)\n");
    tool("run|m.lbr|--json");
    ok(number("runs[0].measures.off") > 1e-13 && number("runs[0].measures.off") < 1e-10, "standard sums round: %.2g",
       number("runs[0].measures.off"));
    ok(number("runs[1].measures.off") > 1e-15 && number("runs[1].measures.off") < number("runs[0].measures.off") / 5,
       "compensated ones less: %.2g", number("runs[1].measures.off"));
    ok(number("runs[2].measures.off") == 0, "extended precision is the truth");
    ok(fabs(number("runs[0].measures.walk")) > 1e-16 && fabs(number("runs[0].measures.walk")) < 1e-12 &&
           fabs(number("runs[2].measures.walk")) < 1e-15,
       "H against its own: %.2g", number("runs[0].measures.walk"));
    ok(is_null("runs[3].measures.walk"), "where there is one");
    ok(is_null("runs[3].measures.off") && members("runs[3].warnings") == 1,
       "a method that has none: no value, and a warning");
    spit("m.lbr",
         "canonical q, p\nH = p^2/2 + q^4\nstart q = 1, p = 0\nrun method = midpoint, step = 0.1, steps = 100\n"
         "claim \"small\": max(roundoff) < 1e-12 against step = 0.1\n");
    ok(!tool("run|m.lbr") && strstr(out, "holds   small"), "in claims");
}

/* A second run that rounds otherwise: right to a factor, against the truth. */
static void estimates(void)
{
    static const char *const how[] = { "|", "|--compensated|", "|--method|gauss:6|--step|0.05|" };

    spit("m.lbr",
         "canonical q[2], p[2]\nH = sq(p)/2 - 1/norm(q)\nstart q = [0.4, 0], p = [0, 2]\n"
         "run method = compose(suzuki-yoshida-8-15, stormer-verlet), step = 2*pi/500, steps = 20000, every = 500\n"
         "measure off = max(roundoff)\n");
    for (int k = 0; k < COUNT(how); k++) {
        double truth, guess;

        toolf("run|m.lbr|--json%s--roundoff", how[k]);
        truth = number("measures.off"), guess = number("roundoff.state");
        ok(guess > truth / 30 && guess < 30 * truth && number("roundoff.energy") < guess,
           "--roundoff%s: %.1g, and the truth is %.1g", how[k], guess, truth);
    }
    tool("run|m.lbr|--json");
    ok(is_null("roundoff"), "without it there is no estimate");
    ok(tool("run|m.lbr|--precision|extended|--roundoff") == 2 && strstr(err, "doubles"), "refused: %s", told);
    ok(!tool("run|m.lbr|--roundoff") && strstr(out, "note: rounding has moved the state by about"),
       "for people: a note");
}

/* There and back again, in two runs. */
static void from(void)
{
    spit("m.lbr", "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1\n"
                  "run method = gauss:6, step = 0.1, steps = 50, precision = extended\n"
                  "run a:\nrun b: from = a, step = -0.1\nrun c: record = [H]\nrun d: precision = double, record = [H]\n"
                  "measure r = max(roundoff)\n");
    tool("run|m.lbr|--json");
    ok(apart(digits_at("runs[1].state[0]"), dd(1)) < 1e-29 && fabs(number("runs[1].t")) < 1e-15,
       "a run that starts where another one has ended: it comes back to %.2g",
       apart(digits_at("runs[1].state[0]"), dd(1)));
    ok(is_null("runs[3].measures.r"), "what is not recorded has no roundoff");
    shell("echo precious >p.csv");
    ok(tool("run|m.lbr|--run|a|--roundoff|--out|p.csv|--force") == 2 && !system("grep -q precious p.csv"),
       "what is refused spoils no file: %s", told);
    ok(!tool("reproduce|./m.lbr") || strstr(err, "claim"), "reproduce: %s", told);
}

/* --- compilers that lie ------------------------------------------------------------------------------------------ */

/* Kernels are compared with steps in doubles: a fault that these can see is noticed, wherever it is. */
static void faults(void)
{
    static const struct {
        const char *what, *edit, *words; /* NULL: it goes unnoticed */
    } row[] = {
        { "none", "s/a/a/", NULL },
        { "a sine that is off by 2^-30", "s/(sin(a))/((1 + 0x1p-30)*sin(a))/", "q = |after 4 steps" },
        { "a cosine of H alone", "s/(cos(a))/((1 + 0x1p-30)*cos(a))/", "has H = |after 0 steps" },
        { "a product that is a sum", "0,/ = OP_MUL(/s// = OP_ADD(/", "in doubles it is" },
        { "a last digit of a double", "s/(sin(a))/((1 + 0x1p-52)*sin(a))/", NULL },
    };
    char script[600];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(script, sizeof script, "for a; do case $a in *.c) sed -i '%s' \"$a\" ;; esac; done; compile \"$@\"",
                 row[i].edit);
        new_cache(), compiler(script);
        ok(toolf("run|%s|--steps|20|--precision|extended|--out|f.csv|--force",
                 i == 3 ? "kepler" : "pendulum|--set|q=1.5") == (row[i].words ? 4 : 0) &&
               (!row[i].words || says("no extended precision|compiler")),
           "%s: %s", row[i].what, told);
        if (row[i].words) ok(says(row[i].words), "which says where");
    }
    usual_cache(), unsetenv("LIBRATION_CC");
}

/* What is right is never refused: where rounding is all that there is, and where it counts for much. */
static void faultless(void)
{
    static const char *const row[] = { "kepler|--set|e=0.999|--step|0.05",
                                       "outer-solar-system|--method|gauss:4",
                                       "henon-heiles|--set|q=0|--set|p=0",
                                       "pendulum|--set|q=0|--set|p=0",
                                       "pendulum|--set|q=1e-30|--set|p=0",
                                       "henon-heiles|--method|rk4",
                                       "argon" };

    for (int i = 0; i < COUNT(row); i++) {
        int code = toolf("run|%s|--precision|extended|--steps|6", row[i]);

        ok(code == 0, "%s: %s", row[i], told);
    }
    spit("m.lbr", "canonical q, p\nH = p^2/2 + (q + 0.1)^2 - 0.01\nstart q = 0, p = 0\n"
                  "run method = stormer-verlet, step = 1e-3, steps = 6\n");
    ok(tool("run|m.lbr|--precision|extended") == 0, "an H that is nothing but rounding: %s", told);
    spit("m.lbr", "canonical q, p\nH = p^2/2 + 1e8*(1 - cos(q))\nstart q = 1e-9, p = 1e-7\n"
                  "run method = gauss:4, step = 1e-5, steps = 6\n");
    ok(tool("run|m.lbr|--precision|extended") == 0, "large terms that cancel: %s", told);
}

static void tests(void)
{
    if (!with_compiler()) return;
    usual_cache();
    faultless();
    faults();
    steps();
    functions();
    bits();
    samples();
    parts();
    refused();
    round_off();
    estimates();
    from();
}

int main(void) { return with_tool(tests); }
