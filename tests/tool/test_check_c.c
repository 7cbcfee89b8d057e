/* test_check_c.c - libration check FILE.c: systems in C that are right, and what is told of those that are not.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

/* examples/rod.c with another factor of one entry of G, and another start. */
static void write_rod(const char *file, const char *factor, const char *start)
{
    static char text[MOST], changed[MOST], example[4096];
    const char *entry, *from;

    snprintf(example, sizeof example, "%s/examples/rod.c", getenv("LBR_SOURCE"));
    slurp(example, text);
    entry = strstr(text, "2 * q[1];"), from = strstr(text, "start, \"rattle\"");
    if (!entry || !from) printf("Bail out! examples/rod.c is another one\n"), exit(1);
    snprintf(changed, sizeof changed, "%.*s%s%.*s%s%s", (int)(entry - text), text, factor, (int)(from - entry - 1),
             entry + 1, start, from + strlen("start"));
    spit(file, changed);
}

static void append(const char *file, const char *text)
{
    FILE *f = fopen(file, "a");

    if (!f || fputs(text, f) < 0 || fclose(f)) printf("Bail out! %s cannot be written\n", file), exit(1);
}

static void all(void)
{
    static char text[MOST], before[1000];

    write_rod("right.c", "2", "start"), write_rod("wrong.c", "-2", "start"), write_rod("nowhere.c", "2.00002", "0");
    spit("here.csv", "0.8,-0.6,0.6,0.8\n"), spit("short.csv", "1,2\n");

    ok(toolf("check|%s/examples/rod.c", getenv("LBR_SOURCE")) == 0 && strstr(out, ", 0 wrong."),
       "the example is right: %s", told);
    ok(toolf("check|%s/examples/pendulum.c", getenv("LBR_SOURCE")) == 0, "the other one, too: %s", told);
    ok(tool("check|right.c") == 0, "a system that is right: %s", told);
    ok(strstr(out, "holds  constraints.G            9 numbers agree with differences of g\n") != NULL, "says of what");
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
    spit("crash.c", "#include <libration.h>\n#include <stdlib.h>\n#include <stdio.h>\n"
                    "static int force(double t, const double *q, double *f, void *ctx)\n"
                    "{\n    double *volatile nowhere = NULL;\n    *f = CRASH;\n    return 0;\n}\n"
                    "static const double one = 1, start[] = { 1.5, 0 };\n"
                    "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.1, 10 };\n"
                    "int lbr_model(lbr_system *out)\n{\n"
                    "    *out = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .defaults = "
                    "&defaults);\n    return 0;\n}\n");
    slurp("crash.c", text);
    spit("ends.c", "#define CRASH (exit(7), *nowhere)\n"), append("ends.c", text);
    spit("wild.c", "#define CRASH *nowhere\n"), append("wild.c", text);
    snprintf(before, sizeof before, "%s", getenv("ASAN_OPTIONS") ? getenv("ASAN_OPTIONS") : "");
    setenv("ASAN_OPTIONS", "handle_segv=0", 1); /* a sanitizer would have a longer word about it */
    ok(tool("check|wild.c") == 4 && says("wild.c|crashed") && !strchr(err, '\n'), "a pointer that leads nowhere: %s",
       told);
    setenv("ASAN_OPTIONS", before, 1);
    ok(tool("check|ends.c|--json") == 4 && says("ends.c|ended the process"), "one that exits: %s", told);
    ok(tool("check|rk4") == 0 && strstr(out, "claims hold, 0 fail."), "methods are checked as before");
}

int main(void) { return with_tool(all); }
