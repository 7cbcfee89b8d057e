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

/* --- functions that end the program ------------------------------------------------------------------------------ */

#define OF_ITS_OWN(body)                                                                                      \
    "#include <libration.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"                 \
    "static int deep(volatile int n) { volatile char a[4096]; a[0] = 1; return deep(n + 1) + a[0]; }\n"       \
    "static int field(double t, const double *y, double *f, void *ctx) { static int n; f[0] = -y[0]; n += 1;" \
    " if (n > 10 && deep) { " body " } return 0; }\n"                                                         \
    "static const double y0[] = { 1 };\n"                                                                     \
    "static const lbr_defaults d = { sizeof d, 0, y0, \"rk4\", 0.1, 100 };\n"                                 \
    "int lbr_model(lbr_system *s) { s->dim = 1; s->field = field; s->defaults = &d; return 0; }\n"

/* A sanitizer has handlers of its own. */
static int sanitized(void) { return strstr(err, "Sanitizer") != NULL; }

static void endings(void)
{
    static const struct {
        const char *file, *text, *words;
        int signal;
    } row[] = { { "leaves.c", OF_ITS_OWN("exit(0);"), "leaves.c|exit(", 0 },
                { "faults.c", OF_ITS_OWN("*(volatile int *)8 = 1;"), "faults.c|segmentation fault", SIGSEGV },
                { "aborts.c", OF_ITS_OWN("abort();"), "aborts.c|abort()", SIGABRT },
                { "raises.c", OF_ITS_OWN("raise(SIGFPE);"), "raises.c|arithmetic", SIGFPE },
                { "deepens.c", OF_ITS_OWN("return deep(0);"), "deepens.c|segmentation fault", SIGSEGV } };

    for (int i = 0; i < COUNT(row); i++) {
        spit(row[i].file, row[i].text);
        ok(toolf("check|%s", row[i].file) == 3 && (says(row[i].words) || sanitized()), "check %s: 3; %s", row[i].file,
           told);
        ok(toolf("check|%s|--json", row[i].file) == 3 && is_json(), "in JSON a list all the same");
        ok(toolf("run|%s", row[i].file) == (row[i].signal ? -row[i].signal : 3) || sanitized(), "run %s ends so",
           row[i].file);
        ok(says(row[i].words) || sanitized(), "and says why: %s", told);
    }
    spit("vanishes.c", OF_ITS_OWN("_exit(0);"));
    ok(tool("check|vanishes.c") == 3 && says("vanishes.c|exit("), "check sees also _exit: %s", told);
    ok(tool("check|right.c|leaves.c") == 3 && strstr(out, ", 0 wrong.") && says("leaves.c"), "after one that is right");
    ok(tool("compare|leaves.c|--methods|rk4") == 3 && says("leaves.c|exit("), "compare is guarded, too: %s", told);
}

static void all(void)
{
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
    ok(tool("check|rk4") == 0 && strstr(out, "claims hold, 0 fail."), "methods are checked as before");
    endings();
}

int main(void) { return with_tool(all); }
