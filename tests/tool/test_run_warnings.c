/* test_run_warnings.c - why a result may not be what one thinks: warnings, relative errors, and what is told of a
 * file's own methods. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define CHAIN                      \
    "canonical q, p\n"             \
    "part fast = p^2/2 + 50*q^2\n" \
    "part slow = q^4/4\n"          \
    "start q = 1, p = 0\n"         \
    "run method = split(strang), step = 0.01, time = 1\n"
#define BRACKETS(H)                   \
    "state x, y\n"                    \
    "poisson {x, y} = 1 + x^2\n"      \
    "H = x^2/2 + y^2/2 + x^4 " H "\n" \
    "start x = 1, y = 0\n"            \
    "run method = midpoint, step = 0.1, time = 1\n"
#define CHAOS                                                    \
    "canonical q[2], p[2]\n"                                     \
    "H = sq(p)/2 + q[1]^2*q[2]^2/2 + 0.05*(q[1]^4 + q[2]^4)/4\n" \
    "start q = [1.1, 0.4], p = [0.3, 1.7]\n"                     \
    "run a: method = stormer-verlet, step = 0.05, time = 60\n"
#define SWING(H) "param k = 2\ncanonical q, p\n" H "\nstart q = 1, p = 0\nrun method = midpoint, step = 0.1, time = 1\n"

/* Let go at the height of its pivot: there is neither kinetic nor potential energy, but for rounding of q[2]. */
#define ROD(q2)                                                                                                \
    "canonical q[2], p[2]\nH = sq(p)/2 + 9.81*q[2]\nconstraint rod = sq(q) - 1\nstart q = [cos(pi), " q2 "]\n" \
    "run method = rattle, step = 0.001, time = 20\n"

/* --- methods that are not what their names say ------------------------------------------------------------------- */

static void methods(void)
{
    static const struct {
        const char *method;
        int n;
        const char *words;
    } row[] = { { "split(strang, fast)", 1, "leaves out part 'slow'" },
                { "split(strang, fast, slow)", 0, "" },
                { "split(strang)", 0, "" },
                { "split(strang, slow, fast, slow)", 1, "part 'slow'" },
                { "compose(yoshida-6-7, explicit-euler)", 1, "has order 1: 'yoshida-6-7' has order 6" },
                { "compose(yoshida-6-7, stormer-verlet)", 0, "" },
                { "compose(yoshida-6-7, midpoint)", 0, "" },
                { "big", 1, "has order 1: 'suzuki:4'" },
                { "compose(jump, explicit-euler)", 1, "'jump' has order 4" },
                { "jump", 0, "" } };

    spit("c.lbr", CHAIN "method big = compose(suzuki:4, explicit-euler)\n"
                        "method jump = composition [1.3512071919596578, -1.7024143839193153, 1.3512071919596578]\n");
    for (int i = 0; i < COUNT(row); i++) {
        int code = toolf("run|c.lbr|--json|--method|%s|--step|1e-3", row[i].method);

        ok(code == 0 && members("warnings") == row[i].n && (!row[i].n || strstr(at("warnings[0]"), row[i].words)) &&
               !*err == !row[i].n && strstr(err, row[i].words),
           "%s: %d warnings in JSON, and on stderr %s", row[i].method, row[i].n, told);
        ok(toolf("run|c.lbr|--method|%s|--step|1e-3", row[i].method) == 0 && !strstr(out, "note: ") == !row[i].n &&
               strstr(out, row[i].words) && !*err,
           "and under the table");
    }
    ok(tool("compare|c.lbr|--methods|jump,big|--steps|100,200|--json") == 0 && members("results[0].warnings") == 0 &&
           members("results[2].warnings") == 1,
       "comparisons have them too");
    ok(tool("compare|c.lbr|--methods|jump,big|--steps|100,200") == 0 && count(out, "note: ") == 2, "under their table");
}

/* --- an energy that is lost -------------------------------------------------------------------------------------- */

static void energy(void)
{
    static const struct {
        const char *what, *text, *arguments;
        int n;
    } row[] = {
        { "Kepler's problem with a close encounter", NULL,
          "kepler|--set|e=0.99|--method|gauss:6|--step|0.05|--time|100", 1 },
        { "with steps that are small enough", NULL, "kepler|--set|e=0.99|--method|gauss:6|--step|0.001|--time|100", 0 },
        { "a method that claims nothing", NULL, "kepler|--set|e=0.99|--method|rk4|--step|0.05|--time|10", 0 },
        { "a symmetric one", NULL, "kepler|--set|e=0.99|--method|lobatto-3a:3|--step|0.05|--time|100", 1 },
        { "H near 0: what counts is how large its terms are", SWING("H = p^2/2 + q^2/2 - 0.5"), "", 0 },
        { "H near 0 with terms that cancel",
          "canonical q[2], p[2]\n"
          "H = sq(p)/2 + q[1]^2/2 - q[2]^2/2 + (q[1]^2 - q[2]^2)/1e3\n"
          "start q = 1, p = 0\n"
          "run method = midpoint, step = 0.3, time = 3\n",
          "", 0 },
        { "far too large a step", SWING("H = p^2/2 + q^4/4"), "--method|stormer-verlet|--step|1.3|--steps|100", 1 },
        { "in a run that fails", SWING("H = p^2/2 + q^4/4"), "--method|stormer-verlet|--step|30|--time|300", 1 },
        { "t in H", SWING("H = p^2/2 + k*q^2*(1 + 2*t)/2"), "--time|10", 0 },
        { "t alone", SWING("H = p^2/2 + q^2/2 + 10*t"), "--time|10", 0 },
        { "t times what is 0 at first", SWING("H = p^2/2 + q^2/2 + 3*p*cos(t)"), "--time|10", 0 },
        { "brackets of one's own, and H near 0", BRACKETS("- 1.499"), "", 0 },
        { "with too large a step", BRACKETS("- 1.499"), "--method|lobatto-3a:3|--step|1.5|--steps|1", 1 },
        { "a start without H, but for rounding",
          "state x, y\npoisson {x, y} = 1\nH = 9.81*y + (x - 1)^4\nstart x = 1, y = 1.2e-16\n"
          "run method = midpoint, step = 0.01, time = 1\n",
          "", 0 },
        { "damping",
          SWING("H = p^2/2 + q^2/2\n"
                "rayleigh = 2*q'^2"),
          "--time|10", 0 },
        { "a start without energy, but for rounding", ROD("1.2e-16"), "", 0 },
        { "a start without energy", ROD("0"), "", 0 },
        { "a start with hardly any", ROD("1e-9"), "", 0 },
        { "unwatched", NULL, "kepler|--set|e=0.99|--method|gauss:6|--step|0.05|--time|100|--monitor|off", 0 }
    };

    for (int i = 0; i < COUNT(row); i++) {
        int code;

        if (row[i].text) spit("e.lbr", row[i].text);
        code = toolf("run|%s%s--json%s%s", row[i].text ? "e.lbr" : row[i].arguments, "|",
                     row[i].text && *row[i].arguments ? "|" : "", row[i].text ? row[i].arguments : "");
        ok((code == 0 || code == 3) && members("warnings") == row[i].n &&
               (!row[i].n || strstr(at("warnings[0]"), strstr(row[i].what, "with too") ? "max(|H|, |y H_y|)"
                                                                                       : "max(|H|, |p H_p|, |q H_q|)")),
           "%s: %d warnings, %s", row[i].what, row[i].n, told);
    }
    ok(tool("run|kepler|--set|e=0.99|--method|gauss:6|--step|0.05|--time|100") == 0 &&
           strstr(out, "note: the energy error is 36.5") && strstr(out, "symplectic"),
       "people see it under the table");
    for (int k = 0; k < 2; k++) {
        spit("e.lbr", k ? ROD("0") : ROD("1.2e-16"));
        ok(tool("run|e.lbr|--step|0.2|--json") == 0 && members("warnings") == 1 &&
               strstr(at("warnings[0]"), "a tenth of max(|p| |H_p|, |q| |H_q|) = 9.81 at the start"),
           "too large a step is told also where the start has no energy%s", k ? "" : ", but for rounding");
    }
    ok(tool("run|kepler|--set|e=0.99|--method|project(standard, rk4)|--step|0.05|--time|100|--json") != 2 &&
           (members("warnings") == 0 || strstr(at("warnings[0]"), "made to keep H")),
       "a projection onto H claims to keep it");
}

/* A component that is small at the start and passes zero is no failure, and nothing to warn of. */
static void small_components(void)
{
    ok(tool("run|pendulum|--method|project(symmetric, midpoint)|--step|0.05|--steps|1|--set|q=0.0681|--set|p=-1.361575"
            "|--json") == 0,
       "a projection whose components pass zero is solved%s", told);
    ok(members("warnings") == 0, "without a warning");
    ok(number("energy.max_error") < 1e-15, "and keeps H, to %.1e", number("energy.max_error"));
}

static void in_c(void)
{
    static const char *const text =
        "#include <libration.h>\n"
        "static int force(double t, const double *q, double *f, void *ctx) { return f[0] = -q[0]*q[0]*q[0]%s, 0; }\n"
        "static int energy(double t, const double *y, double *H, void *ctx) { return H[0] = y[1]*y[1]/2 + "
        "y[0]*y[0]*y[0]*y[0]/4%s, 0; }\n"
        "static const double one[] = { 1 }, y0[] = { 1, 0.5 };\n"
        "static const lbr_defaults d = { .size = sizeof d, .y0 = y0, .method = \"stormer-verlet\", .step = 1.2, .steps "
        "= 200 };\n"
        "int lbr_model(lbr_system *s) { return *s = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = one, "
        ".energy = energy, .defaults = &d), 0; }\n";
    char file[2048];

    for (int k = 0; k < 2; k++) {
        snprintf(file, sizeof file, text, k ? " - t" : "", k ? " + t*y[0]" : ""), spit("s.c", file);
        ok(tool("run|s.c|--json") % 3 == 0 && members("warnings") == !k, "a system in C%s: %d warnings",
           k ? " with t in H" : "", !k);
    }
}

/* Maps of a system in C are taken at their word. */
static void maps_in_c(void)
{
    spit("s.c",
         "#include <libration.h>\n"
         "static int force(double t, const double *q, double *f, void *ctx) { return f[0] = -q[0], 0; }\n"
         "static int first(double t, double h, double *y, void *ctx) { return y[1] -= h*y[0], y[0] += h*y[1], 0; }\n"
         "static const lbr_map_def map[] = { { .size = sizeof *map, .name = \"mine\", .map = first, .order = 1, "
         ".symplectic = 1 } };\n"
         "static const double one[] = { 1 }, y0[] = { 1, 0.5 };\n"
         "static const lbr_defaults d = { .size = sizeof d, .y0 = y0, .method = \"compose(suzuki:4, mine)\", .step = "
         "0.1, .steps = 20 };\n"
         "int lbr_model(lbr_system *s) { return *s = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = "
         "one, .maps = map, .nmaps = 1, .defaults = &d), 0; }\n");
    ok(tool("methods|mine|--fits|s.c|--json") == 0 && number("order") == 1 && number("stages") == 1,
       "a map of a system in C: %s", told);
    ok(tool("methods|compose(strang, mine)|--fits|s.c|--json") == 0 && number("order") == 2 && is_null("note"),
       "over it: %s", told);
    ok(tool("methods|--fits|s.c") == 0 && strstr(out, "\nmine "), "it is listed");
    ok(tool("run|s.c|--json") == 0 && members("warnings") == 1 && strstr(at("warnings[0]"), "'mine' is not symmetric"),
       "and warned of: %s", told);
}

/* Maps of a system in C and what they promise: an order, or none. */
static void promises(void)
{
    static const char *const text =
        "#include <libration.h>\n"
        "static int m(double t, double h, double *y, void *ctx) { return 0; }\n"
        "static const double y0[] = { 1, 0.5 };\n"
        "static const lbr_map_def map = { .size = sizeof map, .name = \"own\", .map = m, .order = %d, .symmetric = %d "
        "};\n"
        "static const lbr_defaults d = { .size = sizeof d, .y0 = y0, .method = \"own\", .step = 0.1, .steps = 9 };\n"
        "int lbr_model(lbr_system *s) { return *s = LBR_SYSTEM(.dim = 2, .nq = 1, .maps = &map, .nmaps = 1, "
        ".defaults = &d), 0; }\n";
    static const struct {
        int order, symmetric;
        const char *method, *words;
    } row[] = { { 0, 0, "own", NULL },
                { 0, 0, "compose(suzuki:4, own)", "'own'|promises no order" },
                { 0, 1, "compose(suzuki:4, own)", "'own'|promises no order" },
                { 0, 0, "compose(strang, own)", "'own'|promises no order" },
                { 1, 0, "compose(suzuki:4, own)", "has order 1|'own' is not symmetric" },
                { 2, 1, "compose(suzuki:4, own)", NULL } };
    char file[2048];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(file, sizeof file, text, row[i].order, row[i].symmetric), spit("s.c", file);
        ok(toolf("run|s.c|--json|--method|%s", row[i].method) == 0 && members("warnings") == (row[i].words != NULL) &&
               (!row[i].words || says(row[i].words)),
           "a map of order %d%s, %s: %s", row[i].order, row[i].symmetric ? ", symmetric" : "", row[i].method, told);
    }
}

/* --- errors over what there is ----------------------------------------------------------------------------------- */

static void relative(void)
{
    ok(tool("run|outer-solar-system|--json") == 0 &&
           fabs(number("energy.relative_error") / (number("energy.max_error") / -number("energy.initial")) - 1) < 1e-12,
       "of the energy");
    ok(fabs(number("invariants.L.relative_error") *
                sqrt(pow(number("invariants.L.initial[0]"), 2) + pow(number("invariants.L.initial[1]"), 2) +
                     pow(number("invariants.L.initial[2]"), 2)) /
                number("invariants.L.max_error") -
            1) < 1e-12,
       "of a vector: by norms");
    ok(tool("run|outer-solar-system") == 0 && count(out, "relative") == 2, "in the table too");
    spit("e.lbr", SWING("H = p^2/2 + q^2/2 - 0.5\ninvariant E = p^2 + q^2"));
    ok(tool("run|e.lbr|--json") == 0 && is_null("energy.relative_error") && number("invariants.E.relative_error") >= 0,
       "null where the start is 0");
    ok(tool("run|e.lbr|--json|--monitor|off") == 0 && is_null("energy.relative_error") &&
           is_null("invariants.E.relative_error"),
       "and where nothing was watched");
    spit("e.lbr", ROD("1.2e-16"));
    ok(tool("run|e.lbr|--json") == 0 && fabs(number("energy.initial")) > 0 && is_null("energy.relative_error"),
       "null where the start is 0 but for rounding");
    ok(tool("run|e.lbr") == 0 && strstr(out, " 3.61e-05         -  "), "in the table too");
    spit("e.lbr", ROD("1e-9"));
    ok(tool("run|e.lbr|--json") == 0 && number("energy.relative_error") > 1000, "but not where it is small");
    spit("e.lbr", "canonical q[3], p[3]\nH = sq(p)/2 + sq(q)/2 + q[1]^4\ninvariant P = p[1] + p[2] + p[3], E = q[1]\n"
                  "start q = [1, 2, 3], p = [0.1, 0.2, -0.3]\nrun method = midpoint, step = 0.1, time = 1\n");
    ok(tool("run|e.lbr|--json") == 0 && fabs(number("invariants.P.initial")) > 0 &&
           is_null("invariants.P.relative_error"),
       "of invariants: terms that cancel but for rounding");
    ok(number("invariants.E.relative_error") > 0.1, "and those that do not");
}

/* L is kept to round-off, which is large since L is; J is lost, and small. Z is round-off from the start. */
static void worst(void)
{
    static const char central[] =
        "canonical q[2], p[2]\n"
        "H = sq(p)/2 + sq(q)/2\n"
        "invariant L = 1e9*cross(q, p), J = 1e-9*(q[1] + 2), Z = p[1]*q[2] - p[2]*q[1] + 0.21\n"
        "start q = [1, 0.3], p = [0.2, 0.27]\n"
        "run method = stormer-verlet, step = 0.1, time = 20\n";

    spit("w.lbr", central);
    ok(tool("run|w.lbr") == 0 && strstr(out, "(J)") && !strstr(out, "(L)"), "the worst invariant is the one lost: %s",
       out);
    ok(tool("run|w.lbr|--json") == 0 && number("invariants.L.max_error") > number("invariants.J.max_error"),
       "though its error is smaller than the round-off of another");
    ok(number("invariants.Z.initial") != 0 && fabs(number("invariants.Z.initial")) < 1e-15 &&
           is_null("invariants.Z.relative_error"),
       "what is zero up to rounding has no relative error");
    ok(number("invariants.J.relative_error") > 0.1, "what is small for its units has one");
}

/* --- several runs; what was a note before ------------------------------------------------------------------------ */

static void several(void)
{
    spit("c.lbr", CHAIN "run v[k = 1..12]: method = split(strang, fast)\nrun w: step = 0.3\n");
    ok(tool("run|c.lbr|--json") == 0 && members("runs[0].warnings") == 1 && members("runs[12].warnings") == 1 &&
           strstr(at("runs[12].warnings[0]"), "does not divide"),
       "each run has its own: %s", told);
    ok(tool("run|c.lbr") == 0 && count(out, "note: v[") == 8 &&
           strstr(out, "note: and 5 more warnings, which --json lists"),
       "people see the first ones");
}

/* A time that the step does not divide, where a section ends the run before and where none does. */
static void ended(void)
{
    static const char text[] = "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1, p = 0\nsection s: q = %s\n"
                               "run method = stormer-verlet, step = 0.1, time = 10.05, until = s\n";

    for (int met = 0; met < 2; met++) {
        char model[400];

        snprintf(model, sizeof model, text, met ? "0" : "7");
        spit("u.lbr", model);
        ok(tool("run|u.lbr|--json") == 0 && (number("t") < 2) == met, "a run until a section%s: %s",
           met ? "" : " that it does not meet", told);
        ok(members("warnings") == !met, "has %s warning of where it would end", met ? "no" : "its");
        ok(tool("run|u.lbr") == 0 && count(out, "does not divide") == !met, "nor a note, if it ends before");
    }
}

/* --- methods of a file, and maps of a system --------------------------------------------------------------------- */

static void own(void)
{
    spit("o.lbr", CHAIN "method jump = composition [1.3512071919596578, -1.7024143839193153, 1.3512071919596578]\n"
                        "method big = compose(jump, explicit-euler)\n"
                        "method heun = butcher(A = [[0, 0], [1, 0]], b = [0.5, 0.5])\n"
                        "method half = split(strang, fast)\n"
                        "method other = split(strang, none)\n");
    ok(tool("methods|jump|--fits|o.lbr|--json") == 0 && number("order") == 4 && number("stages") == 3,
       "a table of the file: %s", told);
    ok(at("symmetric") && !strncmp(at("symmetric"), "true", 4) && is_null("note"),
       "it is symmetric, and there is no note");
    ok(tool("methods|big|--fits|o.lbr|--json") == 0 && number("order") == 1 && strstr(at("note"), "'jump' has order 4"),
       "an expression with a name: %s", told);
    ok(tool("methods|adjoint(heun)|--fits|o.lbr|--json") == 0 && number("order") == 2 && number("stages") == 2 &&
           !strncmp(at("symmetric"), "false", 5),
       "an expression with names of the file: %s", told);
    ok(tool("methods|half|--fits|o.lbr|--json") == 0 && number("order") == 0 && strstr(at("note"), "'slow'"),
       "order 0 where a part is left out: %s", told);
    ok(tool("methods|half|--fits|o.lbr") == 0 && strstr(out, "order       0") && strstr(out, "note        "),
       "for people");
    ok(tool("methods|jump|--fits|o.lbr") == 0 && strstr(out, "order       4") && strstr(out, "fits        yes"),
       "of a table that fits");
    ok(tool("methods|other|--fits|o.lbr") == 0 && strstr(out, "order       2") &&
           strstr(out, "fits        no: system 'o' has no part 'none'"),
       "one that does not fit: %s", told);
    ok(tool("methods|nothing|--fits|o.lbr") == 2 && says("no method 'nothing'") &&
           tool("methods|compose(|--fits|o.lbr") == 2 && says("methods:1:"),
       "what is none: %s", told);
    ok(tool("methods|--fits|o.lbr") == 0 &&
           strstr(out, "\n"
                       "jump ") &&
           strstr(out, "\n"
                       "big ") &&
           strstr(out, "\n"
                       "heun ") &&
           strstr(out, "  other\n"
                       "      system 'o' has no part"),
       "they are listed");
    ok(tool("methods|--fits|o.lbr|--json") == 0 && is_json() && is_text("[0].name", "jump") && number("[0].order") == 4,
       "in JSON too");
    ok(tool("methods|compose(yoshida-6-7, explicit-euler)") == 0 && strstr(out, "order       1") &&
           strstr(out, "note        "),
       "without a file");
}

/* --- no solution to compare with --------------------------------------------------------------------------------- */

/* A chaotic orbit: rounding errors of two reference solutions grow too fast. */
static void references(void)
{
    static const char *const asks[] = { CHAOS "measure m = max(error)\n", CHAOS "table columns = [max(error)]\n",
                                        CHAOS "claim not max(a.error) > 1e-3\n" };

    for (int i = 0; i < COUNT(asks); i++) {
        spit("x.lbr", asks[i]);
        ok(tool("run|x.lbr|--json") == (i == 2) && members("runs[0].warnings") == 1, "one warning, %s", told);
        ok(at("runs[0].warnings[0]") && strstr(at("runs[0].warnings[0]"), "no reference solution"),
           "which says that there is no reference solution");
    }
    ok(at("claims[0].why") && strstr(at("claims[0].why"), "a: no reference solution"),
       "and a claim says why it is unknown");
}

static void all(void)
{
    methods(), energy(), small_components(), in_c(), maps_in_c(), promises(), relative(), worst(), several(), ended(),
        own(), references();
}

int main(void) { return with_tool(all); }
