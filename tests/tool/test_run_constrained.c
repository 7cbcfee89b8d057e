/* test_run_constrained.c - libration run of systems with constraints: residuals, multipliers, starts that are moved,
 * and what is refused. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

/* On |q| = 1 the multiplier is (|p|^2 - q[2])/2 (HLW VII.1.11). */
#define FREE     "canonical q[2], p[2]\nH = sq(p)/2 + q[2]\nconstraint length = sq(q) - 1\n"
#define PENDULUM FREE "start q = [0.6, -0.8], p = [0.8, 0.6]\n"
#define RATTLE   "run method = rattle, step = 0.01, steps = 100\n"
#define PAIR                                                                     \
    "canonical q[3,2], p[3,2]\n"                                                 \
    "H = sq(p)/2 + sum(i = 1..3, q[i,2])\n"                                      \
    "constraint anchor = sq(q[1]) - 1, link[i = 1..2] = sq(q[i+1] - q[i]) - 1\n" \
    "start q[i = 1..3] = [i, 0], p = [[0, 0.1], [0, 0.3], [0, 0.2]]\n"
#define SPHERE                        \
    "state y[3]\n"                    \
    "y' = cross(y, [1, 2, 3])\n"      \
    "constraint sphere = sq(y) - 1\n" \
    "start y = [0, 0.6, 0.8]\n"       \
    "run method = midpoint, step = 0.01, steps = 10\n"

#define C_SYSTEM                                                                                                   \
    "#include <libration.h>\nstatic const double one[2] = { 1, 1 }, y0[4] = { 0.6, -0.8, %s };\n"                  \
    "static int energy(double t, const double *y, double *H, void *c) { *H = (y[2]*y[2] + y[3]*y[3])/2 + y[1]; "   \
    "return 0; }\n"                                                                                                \
    "static int force(double t, const double *q, double *f, void *c) { f[0] = 0, f[1] = -1; return 0; }\n"         \
    "static int g(double t, const double *q, double *r, void *c) { *r = q[0]*q[0] + q[1]*q[1] - 1; return 0; }\n"  \
    "static int G(double t, const double *q, double *r, void *c) { r[0] = 2*q[0], r[1] = 2*q[1]; return 0; }\n"    \
    "static const char *const name[] = { \"rod\" };\n"                                                             \
    "static const lbr_constraints cs = { .size = sizeof cs, .m = 1, %s.g = g, .G = G };\n"                         \
    "static const lbr_defaults d = { sizeof d, 0, y0, \"rattle\", 0.01, 100 };\n"                                  \
    "int lbr_model(lbr_system *s) { *s = LBR_SYSTEM(.name = \"c\", .dim = 4, .nq = 2, .energy = energy, .force = " \
    "force, .inverse_mass = one, .constraints = &cs, .defaults = &d); return 0; }\n"

static int answer(const char *text, const char *arguments)
{
    spit("m.lbr", text);
    return toolf("run|m.lbr|--json%s%s", *arguments ? "|" : "", arguments);
}

static int header(const char *file, const char *want)
{
    static char text[MOST];

    slurp(file, text), text[strcspn(text, "\n")] = 0;
    if (strcmp(text, want)) printf("# %s\n", text);
    return !strcmp(text, want);
}

/* The last row of a table of numbers. */
static int last_row(const char *file, double *x, int n)
{
    static char text[MOST];
    char *at;
    int k = 0;

    slurp(file, text);
    while (*text && text[strlen(text) - 1] == '\n') text[strlen(text) - 1] = 0;
    for (at = strrchr(text, '\n'); at && k < n && *at;) x[k++] = strtod(at + 1, &at);
    return k == n;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

static void residuals(void)
{
    double y[4];

    ok(answer(PENDULUM RATTLE, "") == 0 && number("constraint.position") < 1e-14 &&
           number("constraint.velocity") < 1e-14,
       "constraints are kept to rounding");
    ok(number("constraint.position_scaled") > 0 && number("constraint.position_scaled") < 8 &&
           number("constraint.velocity_scaled") > 0 && number("constraint.velocity_scaled") < 8,
       "in units of the rounding: %g, %g", number("constraint.position_scaled"), number("constraint.velocity_scaled"));
    ok(members("multipliers") == 1 && numbers("state", y, 4) == 4 &&
           fabs(number("multipliers[0]") - (y[2] * y[2] + y[3] * y[3] - y[1]) / 2) < 1e-13,
       "the multiplier of the last state");
    ok(number("evaluations.constraint") > 200, "calls of constraints are counted: %g",
       number("evaluations.constraint"));
    ok(answer(PENDULUM RATTLE, "--monitor|off") == 0 && is_null("constraint.position") &&
           is_null("constraint.velocity_scaled") && at("constraint") && is_null("energy.max_error"),
       "--monitor off: they are not watched");
    ok(tool("run|m.lbr|--monitor|off") == 0 && strstr(out, "constraint") && strstr(out, "not watched"),
       "which the table says");
    ok(tool("run|m.lbr") == 0 && strstr(out, "constraint") && strstr(out, "e-1"),
       "and otherwise has a column for them");
    ok(answer(FREE "start q = [0.6, -0.8 - 2e-9], p = [0.8, 0.6]\n" RATTLE, "") == 0 &&
           number("constraint.position") > 1e-9 && number("constraint.position_scaled") > 1e6,
       "the largest of all states, the start too");
    ok(answer(SPHERE, "") == 0 && number("constraint.position") < 1e-14 && is_null("constraint.velocity") &&
           is_null("constraint.velocity_scaled") && is_null("multipliers"),
       "a manifold of state variables has no velocities and no multipliers");
    ok(answer("canonical q, p\n"
              "H = p^2/2 + q^2/2\n"
              "start q = 1\n"
              "run method = stormer-verlet, step = 0.1, steps = 3\n",
              "") == 0 &&
           is_null("constraint") && is_null("multipliers"),
       "without constraints both are null");
    ok(answer(PAIR RATTLE, "") == 0 && members("multipliers") == 3, "members in order of declaration");
}

static void files(void)
{
    double x[16];
    int good;

    ok(answer(PENDULUM "observe a = q[1]\n" RATTLE, "--out|c.csv|--force") == 0 &&
           header("c.csv", "t,q[1],q[2],p[1],p[2],H,a,lambda.length"),
       "a column for it, after what is observed");
    ok(last_row("c.csv", x, 8) && x[7] == number("multipliers[0]"), "with the same number");
    ok(answer(PAIR RATTLE, "--out|c.csv|--force") == 0 &&
           header("c.csv", "t,\"q[1,1]\",\"q[1,2]\",\"q[2,1]\",\"q[2,2]\",\"q[3,1]\",\"q[3,2]\",\"p[1,1]\",\"p[1,2]\","
                           "\"p[2,1]\",\"p[2,2]\",\"p[3,1]\",\"p[3,2]\",H,"
                           "lambda.anchor,lambda.link[1],lambda.link[2]"),
       "members by their indices");
    good = last_row("c.csv", x, 15);
    ok(good, "as many numbers");
    ok(answer("canonical q[2,2], p[2,2]\n"
              "H = sq(p)/2\n"
              "constraint c[i = 1..2, j = i..i] = q[i,j]\n"
              "start q = [[0, 1], [1, 0]], p = [[0, 1], [1, 0]]\n" RATTLE,
              "--out|c.csv|--force") == 0 &&
           header("c.csv", "t,\"q[1,1]\",\"q[1,2]\",\"q[2,1]\",\"q[2,2]\",\"p[1,1]\",\"p[1,2]\",\"p[2,1]\",\"p[2,2]\","
                           "H,\"lambda.c[1,1]\",\"lambda.c[2,2]\""),
       "in quotes where there is a comma");
    ok(answer(PAIR "run method = rattle, step = 0.01, steps = 4, record = [multiplier(link), H]\n",
              "--out|c.csv|--force") == 0 &&
           header("c.csv", "t,H,lambda.link[1],lambda.link[2]"),
       "record names them");
    ok(answer(PAIR "observe lambda = 1\n"
                   "run method = rattle, step = 0.01, steps = 4, record = [multiplier(link)[2], lambda]\n",
              "--out|c.csv|--force") == 0 &&
           header("c.csv", "t,lambda,lambda.link[2]"),
       "one by one, and nothing else of that name");
    ok(answer(PAIR "run method = rattle, step = 0.01, steps = 4, record = [multiplier(lnk)]\n", "") == 2 &&
           says("'lnk'"),
       "what is not there: %s", told);
    if (system("h5dump --version >/dev/null 2>&1")) return;
    ok(answer(PAIR RATTLE, "--out|c.h5|--force") == 0 &&
           !system("h5dump -d lambda.link -s 100,0 -c 1,2 c.h5 >dump 2>&1 && h5dump -d lambda.anchor c.h5 >>dump 2>&1"),
       "HDF5: the members of a constraint together");
}

static void quantities(void)
{
    ok(answer(PENDULUM "observe T = 2*multiplier(length), E = (sq(p) - q[2])/2\n"
                       "measure off = max(abs(multiplier(length) - E)), tension = max(T)\n" RATTLE "claim off < 1e-13\n"
                       "claim tension > 1.79\n",
              "") == 0 &&
           number("claims[0].value") < 1e-13,
       "multiplier in observe, in measures and in claims");
    ok(answer(PENDULUM "observe T = 2*multiplier(length)\n"
                       "run step = 0.01, steps = 50\n"
                       "run a: method = rattle\n"
                       "run b: method = lobatto-3a-3b:3\n"
                       "claim max(abs(multiplier(a.length) - multiplier(b.length))) < 1e-4\n"
                       "claim max(abs(a.T - 2*multiplier(a.length))) = 0\n"
                       "claim max(abs(multiplier(b.exact.length) - multiplier(b.length))) < 1e-9\n",
              "") == 0,
       "of runs, of the reference solution: %s%s", told, err);
    ok(answer(PAIR "measure sum1 = max(multiplier(link)[1] + multiplier(anchor))\n" RATTLE "claim sum1 > 0\n"
                   "claim max(multiplier(link)[2]) > 0\n",
              "") < 2,
       "members of a family%s", told);
    ok(answer(PENDULUM "section down: q[1] = 0\n"
                       "run method = rattle, step = 0.01, steps = 1000\n"
                       "claim last(multiplier(down.length)) > 1\n",
              "") == 0,
       "at the events of a section: %s", told);
    remove("p.svg");
    ok(answer(PENDULUM RATTLE "plot x = t, y = [multiplier(length), H]\n"
                              "table columns = [max(multiplier(length))]\n",
              system("command -v gnuplot >/dev/null") ? "" : "--plot|p.svg|--force") == 0,
       "in plots and tables: %s", told);
    ok(answer(PENDULUM "run method = rattle, step = 0.01, steps = 5, record = [H]\n"
                       "claim max(multiplier(length)) > 0\n",
              "") == 2 &&
           says("record"),
       "where neither they nor the state are recorded: %s", told);
    ok(answer(PENDULUM "invariant I = multiplier(length)\n" RATTLE, "") == 2 && says("only in observe"), "%s", told);
    ok(answer(PENDULUM "observe T = multiplier(length)\n"
                       "invariant I = T\n" RATTLE,
              "") == 2 &&
           says("follows from the equations"),
       "%s", told);
    ok(answer(PENDULUM "observe T = multiplier(length)\n"
                       "constraint slack = T\n" RATTLE,
              "") == 2 &&
           says("follows from the constraints"),
       "%s", told);
    ok(answer("canonical q[2], p[2]\n"
              "constraint length = sq(q) - 1\n"
              "observe T = multiplier(length)\n"
              "H = sq(p)/2 + T\n"
              "start q = [1, 0]\n" RATTLE,
              "") == 2 &&
           says("follows from the equations"),
       "%s", told);
    ok(answer(FREE "observe T = 2*multiplier(length)\n"
                   "section slack: T = 0\n"
                   "start q = [0, -1], p = [1.7, 0]\n"
                   "run method = rattle, step = 0.01, time = 20, until = slack\n"
                   "claim abs(last(T)) < 1e-9\n"
                   "claim abs(last(q[2]) - last(sq(p))) < 1e-9\n",
              "") == 0 &&
           number("t") < 20,
       "a section where the rod would be slack: %s", told);
    ok(answer(PENDULUM "section top: q[2]' = 0\n"
                       "section turn: p[1]' = 0\n"
                       "section down: q[1] = 0\n"
                       "run method = rattle, step = 0.01, time = 20\n"
                       "claim count(turn) = count(down) and count(top) > 2*count(down) - 2 and count(down) > 3\n"
                       "claim max(abs(turn.t - down.t)) < 1e-10\n"
                       "claim max(min(abs(top.q[1]), abs(top.p[1]))) < 1e-4\n",
              "") == 0,
       "rates in sections, with the forces of constraints: %s", told);
    ok(answer(PENDULUM "section top: q[2]' = 0\n"
                       "run step = 0.01, time = 20\n"
                       "run a: method = lobatto-3a-3b:3\n"
                       "run b: method = compose(suzuki:4, rattle)\n"
                       "run c: method = constrained-euler\n"
                       "claim count(a.top) = 11 and count(b.top) = 11 and count(c.top) > 9\n"
                       "claim max(abs(a.top.t - b.top.t)) < 1e-6\n",
              "") == 0,
       "where all comes to rest, with other methods: %s", told);
    ok(answer(PAIR "section s: p[2,2]' = multiplier(link)[1]\n" RATTLE "claim count(s) < 100\n", "") == 2 &&
           says("only in observe"),
       "%s", told);
    ok(answer(PAIR "section s: p[3,1]' = -1\n"
                   "observe f = -2*multiplier(link)[2]*(q[3,1] - q[2,1])\n"
                   "run method = rattle, step = 0.01, steps = 200, until = s\n"
                   "claim abs(last(f) + 1) < 1e-9\n",
              "") == 0 &&
           number("t") < 2,
       "of a family: %s", told);
    ok(answer("state y[3]\n"
              "y' = cross(y, [1, 2, 3])\n"
              "constraint sphere = sq(y) - 1\n"
              "section s: y[1]' = 0\n"
              "start y = [0, 0.6, 0.8]\n"
              "run method = gauss:3, step = 0.01, steps = 500\n"
              "claim count(s) > 2\n"
              "claim max(abs(3*s.y[2] - 2*s.y[3])) < 1e-12\n",
              "") == 0,
       "and on a manifold of state variables: %s", told);
    ok(answer(PAIR "observe a[i = 1..2] = i*multiplier(link)[i], b = a[2]\n" RATTLE
                   "claim max(abs(b - 2*multiplier(link)[2])) = 0\n",
              "") == 0,
       "in a family: %s", told);
    ok(answer(PENDULUM "observe T = multiplier(q)\n" RATTLE, "") == 2 && says("name of a constraint"), "%s", told);
    ok(answer("state y[3]\n"
              "y' = cross(y, [1, 2, 3])\n"
              "constraint sphere = sq(y) - 1\n"
              "observe l = multiplier(sphere)\n"
              "start y = [0, 0.6, 0.8]\n" RATTLE,
              "") == 2 &&
           says("manifold"),
       "%s", told);
}

static void resumed(void)
{
    spit("m.lbr", FREE "observe T = multiplier(length)\n"
                       "start q = [0.6, -0.8 - 2e-9], p = [0.8, 0.6]\n"
                       "run method = rattle, step = 0.01, steps = 100, every = 7\n");
    remove("x.csv"), remove("y.csv"), remove("x.lbs");
    ok(tool("run|m.lbr|--json|--out|y.csv") == 0 && tool("run|m.lbr|--steps|50|--out|x.csv|--checkpoint|x.lbs") == 0 &&
           tool("run|m.lbr|--json|--out|x.csv|--resume|x.lbs|--force") == 0 && same_files("x.csv", "y.csv"),
       "a run that is resumed: the same file%s", told);
    ok(number("constraint.position") > 1e-9 && number("constraint.velocity") < 1e-8 && members("multipliers") == 1,
       "and it knows the residuals before");
}

/* --- starts ------------------------------------------------------------------------------------------------------ */

static void starts(void)
{
    double y[4], *x = y;
    char text[4096];

#define OFF FREE "start q = [0.7, -0.8], p = [0.8, 0.8]\n"
    ok(answer(OFF RATTLE, "") == 2 && !*out && says("'length'|position|project_start"), "a start that is off: %s",
       told);
    ok(answer(FREE "start q = [0.6, -0.8], p = [0.8, 0.8]\n" RATTLE, "") == 2 && says("'length'|velocity"),
       "or whose velocity is: %s", told);
    ok(answer(OFF RATTLE, "--project-start|--out|p.csv|--force") == 0 && numbers("state", y, 4) == 4 &&
           number("constraint.position") < 1e-14 && number("constraint.velocity") < 1e-14,
       "--project-start");
    ok(answer(OFF "run method = rattle, step = 0.01, steps = 0, project_start = yes\n", "") == 0 &&
           numbers("state", y, 4) == 4 && fabs(hypot(x[0], x[1]) - 1) < 1e-15 &&
           fabs(x[0] * x[2] + x[1] * x[3]) < 1e-15 &&
           fabs(number("energy.initial") - (x[2] * x[2] + x[3] * x[3]) / 2 - x[1]) < 1e-15,
       "project_start = yes: everything begins at the start that was moved");
    ok(fabs(y[0] / y[1] + 0.7 / 0.8) < 1e-15, "to the nearest point");
    ok(answer(OFF "run a: method = rattle, step = 0.01, steps = 20, project_start = yes\n"
                  "claim abs(at(a.q[1], 0) - at(a.exact.q[1], 0)) = 0\n"
                  "claim max(a.error) < 1e-3\n",
              "") == 0,
       "the reference solution too%s", err);
    spit("s.csv", "0.7 -0.8 0.8 0.8\n");
    ok(answer(PENDULUM RATTLE, "--start|s.csv") == 2 && says("position") &&
           answer(PENDULUM RATTLE, "--start|s.csv|--project-start") == 0,
       "a start from a file: %s", told);
    ok(answer(FREE "start q = [0, 0], p = 0\n" RATTLE, "--project-start") == 2 && says("gradient|zero"),
       "that cannot be moved: %s", told);
    ok(answer(PENDULUM "run method = rattle, step = 0.01, steps = 10\n"
                       "run a: project_start = yes\n"
                       "run b: from = a, project_start = yes\n"
                       "run c: steps = 20, project_start = yes\n"
                       "claim norm(last(b.q) - last(c.q)) = 0\n",
              "") == 0,
       "where a run goes on from another nothing is moved%s", err);
    ok(answer("state y[3]\n"
              "y' = cross(y, [1, 2, 3])\n"
              "constraint sphere = sq(y) - 1\n"
              "start y = [0, 0.6, 0.81]\n"
              "run method = midpoint, step = 0.01, steps = 10\n",
              "") == 2 &&
           says("'sphere'") && says("project_start"),
       "off a manifold of state variables: %s", told);
    ok(answer("state y[3]\n"
              "y' = cross(y, [1, 2, 3])\n"
              "constraint sphere = sq(y) - 1\n"
              "start y = [0, 0.6, 0.81]\n"
              "run method = midpoint, step = 0.01, steps = 10\n",
              "--project-start") == 0 &&
           number("constraint.position") < 1e-14,
       "brought onto it: %s", told);
    ok(tool("run|chain|--set|n=100|--steps|3|--json") == 0 && number("constraint.position_scaled") < 8,
       "a chain of a hundred links is on its constraints%s", told);
    snprintf(text, sizeof text, C_SYSTEM, "0.8, 0.7", ".names = name, "), spit("off.c", text);
    snprintf(text, sizeof text, C_SYSTEM, "0.8, 0.6", ".names = name, "), spit("good.c", text);
    snprintf(text, sizeof text, C_SYSTEM, "0.8, 0.6", ""), spit("bare.c", text);
    ok(tool("run|off.c") == 2 && says("'rod'|velocity") && tool("run|off.c|--project-start|--json") == 0 &&
           number("constraint.velocity") < 1e-14,
       "a system in C: %s", told);
    ok(tool("run|good.c|--json|--out|g.csv|--force") == 0 && number("constraint.position_scaled") < 8 &&
           members("multipliers") == 1 && header("g.csv", "t,q[1],q[2],p[1],p[2],H,lambda.rod"),
       "with its multipliers");
    ok(tool("run|bare.c|--out|g.csv|--force") == 0 && header("g.csv", "t,q[1],q[2],p[1],p[2],H,lambda.1"),
       "and without a name");
    spit("s.csv", "0.6 -0.8 0.8 0.8\n");
    ok(tool("run|good.c|--start|s.csv") == 2 && tool("run|good.c|--start|s.csv|--project-start") == 0, "from a file");
}

/* --- what is refused, what fails --------------------------------------------------------------------------------- */

static void refused(void)
{
    static const struct {
        const char *text, *words;
    } row[] = { { "canonical q[2], p[2]\n"
                  "H = sq(p)/2\n"
                  "constraint c = q[1] + p[1]\n" RATTLE,
                  "momentum" },
                { "canonical q[2], p[2]\n"
                  "H = sq(p)/2\n"
                  "constraint c = q[1] - t\n" RATTLE,
                  "depends on t" },
                { "canonical q[2], p[2]\n"
                  "H = sq(p)/2\n"
                  "constraint a = q[1], b = q[2], c = q[1] + q[2]\n" RATTLE,
                  "more constraints (3) than coordinates (2)" },
                { "canonical q[3], p[3]\n"
                  "H = sq(p)/2\n"
                  "constraint a = q[1], b = q[2], c = q[1] + q[2]\n"
                  "start q = [0, 0, 1], p = [0, 0, 1]\n" RATTLE,
                  "'c'|depends on the others" },
                { "canonical q[3], p[3]\n"
                  "H = sq(p)/2\n"
                  "constraint a = q[1], b = q[2]^2\n"
                  "start q = [0, 0, 1], p = [0, 0, 1]\n" RATTLE,
                  "'b'|gradient" },
                { "canonical q[2], p[2]\n"
                  "H = p[1]^2/2\n"
                  "constraint a = q[2]\n"
                  "start q = [0, 0], p = [1, 0]\n" RATTLE,
                  "'a'|no mass" },
                { PENDULUM "run method = stormer-verlet, step = 0.01, steps = 10\n", "constraints|rattle" },
                { PENDULUM "run method = kahan-li-8-17, step = 0.01, steps = 10\n", "compose(kahan-li-8-17, rattle)" },
                { "canonical q, p\nH = p^2/2\n" RATTLE, "has none" },
                { FREE "start q = [1, 1e-5], p = 0\n" RATTLE, "" } };

    for (int i = 0; i < COUNT(row); i++)
        ok(answer(row[i].text, "") == (*row[i].words ? 2 : 0) && (!*row[i].words || (!*out && says(row[i].words))),
           "%s: %s", *row[i].words ? "refused" : "a start that is near enough", told);
}

static void failing(void)
{
    /* Along q[1] = 0 to the origin, where the gradient of q[1] q[2] vanishes; times and places are binary fractions. */
    ok(answer("canonical q[2], p[2]\n"
              "H = sq(p)/2\n"
              "constraint cross = q[1]*q[2]\n"
              "start q = [0, 1], p = [0, -1]\n"
              "run method = rattle, step = 0.125, steps = 20\n",
              "--out|f.csv|--force") == 3,
       "degenerate on the way: %s", told);
    ok(says("'cross'") && at("failure.text"), "the constraint that fails is named");
    ok(number("steps") == 7 && number("failure.step") == 8, "and the step");
    ok(number("state[1]") == 0.125 && number("t") == 0.875, "the state before is kept");
    ok(lines("f.csv") == 9 && members("multipliers") == 1, "and so are the samples");
    ok(answer(PENDULUM "run method = rattle, step = 4, steps = 20\n", "") == 3 && says("smaller step|t = ") &&
           number("steps") < 20 && !is_null("failure"),
       "a step that is too large: %s", told);
    ok(fabs(hypot(number("state[0]"), number("state[1]")) - 1) < 1e-13 && number("failure.step") == number("steps") + 1,
       "and keeps the state");
}

/* --- the other commands ------------------------------------------------------------------------------------------ */

static void others(void)
{
    static const char *const fits[] = { "\nrattle ", "\nconstrained-euler ", "\nlobatto-3a-3b:2..16 " };

    spit("m.lbr", PENDULUM "method mine = compose(suzuki:4, rattle)\nrun method = rattle, step = 0.05, time = 5\n");
    ok(tool("compare|m.lbr|--json|--methods|rattle,lobatto-3a-3b:3,mine|--steps|100,200") == 0 &&
           number("reference_error") < 1e-13,
       "compare: a reference solution on the constraints%s", told);
    for (int k = 0; k < 3; k++) {
        char coarse[32], fine[32];
        double order;

        snprintf(coarse, sizeof coarse, "results[%d].error", 2 * k),
            snprintf(fine, sizeof fine, "results[%d].error", 2 * k + 1);
        order = log2(number(coarse) / number(fine));
        ok(fabs(order - (k ? 4 : 2)) < 0.05, "of order %d: %.3f", k ? 4 : 2, order);
    }
    ok(tool("compare|m.lbr|--methods|rk4") == 2 && says("does not keep the constraints"),
       "not of methods that leave them: %s", told);
    ok(tool("methods|--fits|m.lbr") == 0, "methods --fits");
    for (int i = 0; i < COUNT(fits); i++)
        ok(strstr(out, fits[i]) != NULL, "one that keeps constraints:%s", fits[i] + 1);
    ok(!strstr(out, "\nrk4 "), "none that does not");
    ok(count(out, "does not keep the constraints of system 'm'; rattle") == 1, "of which it is said once why not");
    for (char *s = out; (s = strstr(s, "\n      ")) && s[7];) memmove(s + 1, s + 7, strlen(s + 7) + 1), *s = ' ';
    ok(strstr(out, "write compose(kahan-li-8-17, rattle)") && !strstr(out, "write compose(blanes-moan-rkn-6-14"),
       "of tables what to write");
    ok(tool("methods|rk4|--fits|m.lbr") == 0 && strstr(out, "no: method 'rk4' does not keep the constraints"),
       "and of one method");
    ok(tool("check|m.lbr|--json") == 0 && strstr(out, "\"mine\""), "check: the methods of the file");
}

static void all(void) { residuals(), files(), quantities(), resumed(), starts(), refused(), failing(), others(); }

int main(void) { return with_tool(all); }
