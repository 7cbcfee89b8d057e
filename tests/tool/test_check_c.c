/* test_check_c.c - libration check FILE.c: systems in C that are right, and what is told of those that are not.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

/* A rod in the plane; SIGN: of one entry of G, START: its start. */
static const char rod[] =
    "#include <libration.h>\n"
    "static int energy(double t, const double *y, double *H, void *c)\n"
    "{ (void)t, (void)c; *H = (y[2]*y[2] + y[3]*y[3])/2 + y[1]; return 0; }\n"
    "static int force(double t, const double *q, double *f, void *c)\n"
    "{ (void)t, (void)c, (void)q; f[0] = 0, f[1] = -1; return 0; }\n"
    "static int g(double t, const double *q, double *o, void *c)\n"
    "{ (void)t, (void)c; o[0] = q[0]*q[0] + q[1]*q[1] - 1; return 0; }\n"
    "static int G(double t, const double *q, double *o, void *c)\n"
    "{ (void)t, (void)c; o[0] = 2*q[0], o[1] = %s*q[1]; return 0; }\n"
    "static const double one[] = { 1, 1 }, start[] = { 0.6, -0.8, 0.8, 0.6 };\n"
    "static const char *const names[] = { \"rod\" };\n"
    "static const lbr_constraints rod = { .size = sizeof rod, .m = 1, .names = names, .g = g, .G = G };\n"
    "static const lbr_defaults defaults = { .size = sizeof defaults, .y0 = %s };\n"
    "int lbr_model(lbr_system *out);\n"
    "int lbr_model(lbr_system *out)\n"
    "{ *out = LBR_SYSTEM(.dim = 4, .nq = 2, .energy = energy, .force = force, .inverse_mass = one,\n"
    "  .constraints = &rod, .defaults = &defaults); return 0; }\n";

static void write_rod(const char *file, const char *factor, const char *start)
{
    static char text[4096];

    snprintf(text, sizeof text, rod, factor, start);
    spit(file, text);
}

static void all(void)
{
    write_rod("right.c", "2", "start"), write_rod("wrong.c", "-2", "start"), write_rod("nowhere.c", "2.00002", "0");
    spit("here.csv", "0.8,-0.6,0.6,0.8\n"), spit("short.csv", "1,2\n");

    ok(tool("check|right.c") == 0, "a system that is right: %s", told);
    ok(strstr(out, "holds  constraints.G            6 numbers agree with differences of g\n") != NULL, "says of what");
    ok(strstr(out, ", 0 wrong.\n") != NULL, "and how much");
    ok(!strstr(out, "claims"), "and nothing of claims");
    ok(tool("check|wrong.c") == 1, "a sign that is wrong: exit status 1");
    ok(strstr(out, "WRONG  constraints.G            (row rod, column q[2]) is 1.6, but by differences of g it is -1.6: "
                   "the other sign\n") != NULL,
       "it is named");
    ok(tool("check|nowhere.c") == 2 && says("no start in its defaults"), "no start: %s", told);
    ok(tool("check|nowhere.c|--start|here.csv") == 1 && strstr(out, "column q[2]) is -1.200012, but"),
       "a start, and 1e-5 is seen");
    ok(tool("check|right.c|--start|short.csv") == 2 && *err, "a start that is too short: %s", told);
    ok(tool("check|right.c|--start|none.csv") == 2 && *err, "a start that is not there: %s", told);
    ok(tool("check|rk4|--start|here.csv") == 2 && says("--start is for systems in C"), "methods have no start: %s",
       told);
    ok(tool("check|none.c") == 2 && *err, "a file that is not there: %s", told);
    ok(tool("check|wrong.c|--json") == 1, "in JSON");
    ok(strstr(out, "\"what\": \"constraints.G\"") && strstr(out, "\"where\": \"row rod, column q[2]\""),
       "what and where");
    ok(strstr(out, "\"row\": 0") && strstr(out, "\"column\": 1"), "as numbers, too");
    ok(strstr(out, "\"holds\": false") && strstr(out, "\"holds\": true"), "what is wrong, and what is not");
    ok(tool("check|wrong.c|right.c|rk4") == 1 && strstr(out, "rk4"), "several, and a method: all are looked at");
    ok(tool("check|rk4") == 0 && strstr(out, "claims hold, 0 fail."), "methods are checked as before");
}

int main(void) { return with_tool(all); }
