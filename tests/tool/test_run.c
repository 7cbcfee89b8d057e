/* test_run.c - libration run, with systems in C: exit statuses, JSON, files, signals, compilers that misbehave.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

/* --- systems ----------------------------------------------------------------------------------------------------- */

#define HEAD                                                                                                          \
    "#include <libration.h>\n#include <math.h>\n"                                                                     \
    "static const double one = 1, y0[2] = { 1.5, 0 };\n"                                                              \
    "static int energy(double t, const double *y, double *H, void *c) { *H = y[1] * y[1] / 2 - cos(y[0]); return 0; " \
    "}\n"                                                                                                             \
    "static int force(double t, const double *q, double *f, void *c) { *f = -sin(*q); return 0; }\n"
#define SYSTEM(more)                                                                                               \
    "int lbr_model(lbr_system *s) { *s = LBR_SYSTEM(.name = \"p\", .dim = 2, .nq = 1, .energy = energy, .force = " \
    "force, .inverse_mass = &one" more "); return 0; }\n"
#define DEFAULTS "static const lbr_defaults d = { sizeof d, 0, y0, \"stormer-verlet\", 0.125, 800 };\n"
#define GOOD     HEAD DEFAULTS SYSTEM(", .defaults = &d")
#define AWKWARD  "-a b'\"$(touch oops);`touch oops`&.c"

static void write_systems(void)
{
    spit("good.c", GOOD);
    spit(AWKWARD, GOOD);
    spit("bare.c", HEAD SYSTEM(""));
    spit("partial.c", HEAD "static const lbr_defaults d = { sizeof (size_t) };\n" SYSTEM(", .defaults = &d"));
    spit("broken.c", "#include <libration.h>\nint lbr_model(lbr_system *s) { return nonsense; }\n");
    spit("none.c", "int other(void) { return 0; }\n");
    spit("minus.c", "#include <libration.h>\nint lbr_model(lbr_system *s) { return -7; }\n");
    spit("undefined.c", "#include <libration.h>\n"
                        "int missing(void);\n"
                        "int lbr_model(lbr_system *s) { return missing(); }\n");
    spit("empty.c", "#include <libration.h>\nint lbr_model(lbr_system *s) { return 0; }\n");
    spit("calls.c",
         HEAD DEFAULTS "int lbr_model(lbr_system *s) { lbr_system_init(s); s->dim = 2, s->nq = 1, s->energy = energy, "
                       "s->force = force, s->inverse_mass = &one, s->defaults = &d; return 0; }\n");
    spit("lost.c", HEAD DEFAULTS
         "static int bad(double t, const double *y, double *L, void *c) { *L = t > 10 ? NAN : 1; return 0; }\n"
         "static const lbr_invariant i = { sizeof i, \"L\", 1, bad };\n"
         "static const lbr_invariants is = { sizeof is, 1, &i };\n" SYSTEM(", .defaults = &d, .invariants = &is"));
    spit("ends.c", HEAD DEFAULTS
         "static int ends(double t, const double *q, double *f, void *c) { *f = -sin(*q); return t > 10; }\n"
         "int lbr_model(lbr_system *s) { *s = LBR_SYSTEM(.name = \"e\", .dim = 2, .nq = 1, .energy = energy, .force = "
         "ends, .inverse_mass = &one, .defaults = &d); return 0; }\n");
    spit("start.csv", "# q p\n1.5, 0\n"), spit("long.csv", "1 2 3\n"), spit("words.csv", "1 x\n");
}

/* --- one run ----------------------------------------------------------------------------------------------------- */

static void whole(void)
{
    double H;

    ok(tool("run|good.c") == 0 && !*err, "a table for people");
    ok(strstr(out, "stormer-verlet") && strstr(out, "800") && strstr(out, "t = 100") && strstr(out, "energy error"),
       "method, steps, time and error are in it");
    ok(tool("run|good.c|--json|--compile|wait") == 0 && !*err &&
           has_keys("model method step steps every t state names energy initial final max_error invariants constraint "
                    "multipliers "
                    "evaluations total force field gradient jacobian constraint iterations nonlinear worst failure "
                    "seconds compile_seconds kernel kernel_from"),
       "JSON with its keys");
    ok(number("step") == 0.125 && number("steps") == 800 && number("every") == 1 && number("t") == 100,
       "and its numbers");
    ok(number("evaluations.total") == 801 && number("evaluations.force") == 801, "and evaluations");
    ok(strstr(out, "\"failure\": null") && strstr(out, "\"kernel\": \"fused\"") &&
           strstr(out, "\"constraint\": null") && strstr(out, "\"multipliers\": null"),
       "and what is null");
    H = number("energy.initial");
    near(H, -cos(1.5), 1e-15, "the energy at the start");
    ok(fabs(number("energy.final") - H) <= number("energy.max_error") && number("energy.max_error") < 0.01 &&
           number("compile_seconds") >= 0,
       "and its error");
    ok(tool("run|good.c|--json|--method=p8s17|--step|0.25|--steps|4e2|--every=10") == 0 &&
           strstr(out, "\"kahan-li-8-17\"") && number("steps") == 400 && number("energy.max_error") < 1e-6,
       "another method, by its canonical name");
    ok(tool("run|good.c|--json|--option|compensated=yes|--solver|newton|--max-iterations|50|--method|gauss:2") == 0 &&
           number("iterations.worst") > 0,
       "options in both ways");
    ok(tool("run|good.c|--steps|0|--json") == 0 && number("t") == 0 && number("steps") == 0, "no steps: the start");
    ok(tool("run|bare.c|--start|start.csv|--method|rk4|--step|0.1|--steps|10|--json") == 0 && number("t") == 1,
       "without defaults");
    ok(tool("run|calls.c") == 0, "a system that calls the library: %s", err);
    if (getenv("LBR_SOURCE"))
        ok(toolf("run|%s/examples/pendulum.c|--json", getenv("LBR_SOURCE")) == 0 && !*err && number("t") == 100 &&
               number("energy.max_error") < 0.01,
           "the example");
}

static void times(void)
{
    ok(tool("run|good.c|--time|10|--json") == 0 && number("steps") == 80 && number("t") == 10 && !*err, "--time");
    ok(tool("run|good.c|--time|10.1|--json") == 0 && number("steps") == 80 && strstr(err, "note") &&
           strstr(err, "10.1"),
       "a time that the step does not divide: %s", err);
    ok(tool("run|good.c|--time|10.1") == 0 && strstr(out, "10.1") && !*err, "is said under the table");
    ok(tool("run|good.c|--time|10.1|--land|--json") == 0 && number("steps") == 81 && fabs(number("t") - 10.1) < 1e-14 &&
           number("step") < 0.125,
       "--land");
    ok(tool("run|good.c|--time|10|--steps|50|--json") == 0 && number("step") == 0.2 && number("steps") == 50,
       "--time and --steps give the step");
    ok(tool("run|good.c|--time|10|--step|-0.1|--json") == 0 && number("t") == -10, "backwards");
    ok(tool("run|good.c|--time|-10") == 2 && strstr(err, "directions"), "a time against the step: %s", err);
    ok(tool("run|good.c|--time|10|--steps|5|--step|1") == 2, "all three: %s", err);
}

static void usage(void)
{
    static const struct {
        const char *arguments, *word;
    } row[] = { { "run", "FILE" },
                { "run|good.c|bare.c", "second" },
                { "run|good.c|--mehtod|rk4", "--method" },
                { "run|good.c|--compensate", "--compensated" },
                { "run|good.c|--frobnicate", "--help" },
                { "run|good.c|-x", "./-x" },
                { "run|good.c|--method", "needs M" },
                { "run|good.c|--json=yes", "no value" },
                { "run|good.c|--steps|1.5", "whole number" },
                { "run|good.c|--steps|-1", "whole number" },
                { "run|good.c|--steps|1e99", "2^53" },
                { "run|good.c|--step|fast", "a number" },
                { "run|good.c|--step|nan", "a number" },
                { "run|good.c|--step|0", "not be 0" },
                { "run|good.c|--every|0", "from 1 to 2^53" },
                { "run|good.c|--solver|best", "fixed-point" },
                { "run|good.c|--option|solver", "NAME=VALUE" },
                { "run|good.c|--option|frob=1", "frob" },
                { "run|good.c|--control|x", "later" },
                { "run|good.c|--control", "later" },
                { "run|good.c|--set|a=1", "parameters" },
                { "run|good.c|--run|a", "--run" },
                { "run|good.c|--no-compile", "compiled" },
                { "run|good.c|--keep-script", "--plot" },
                { "run|good.c|--monitor", "every samples off" },
                { "run|good.c|--method|stormer-verlot", "stormer-verlet" },
                { "run|good.c|--method|split(strang,A,B)", "part" },
                { "run|good.c|--start|long.csv", "one row of 2" },
                { "run|good.c|--start|words.csv", "words.csv" },
                { "run|good.c|--start|absent.csv", "absent.csv" },
                { "run|absent.c", "absent.c" },
                { "run|.", "" },
                { "run|bare.c", "--method" },
                { "run|bare.c|--method|rk4", "--step" },
                { "run|partial.c|--method|rk4|--step|1", "--steps" },
                { "run|bare.c|--method|rk4|--step|1|--steps|1", "--start" },
                { "run|good.c|--out|x.txt", ".csv" },
                { "run|good.c|--out|no/x.csv", "no/x.csv" },
                { "run|good.c|--plot|x.txt", "x.txt" },
                { "run|good.c|--resume|good.c", "checkpoint" },
                { "run|good.c|--resume|x|--start|start.csv", "contradict" },
                { "run|model.lbr", "model.lbr" } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int code = tool(row[i].arguments);

        ok(code == 2 && !*out && *err && strstr(err, row[i].word), "%s: %s", row[i].arguments, err);
    }
    ok(tool("run|--help") == 0 && strstr(out, "--checkpoint") && strstr(out, "--max-iterations") &&
           !strstr(out, "--control"),
       "help tells all options");
    ok(tool("--help") == 0 && strstr(out, "libration run FILE"), "and the tool's help tells of run");
}

/* --- compilers --------------------------------------------------------------------------------------------------- */

static int folders_left(void) { return system("ls -d tmp/* >/dev/null 2>&1") == 0; }

static void compilers(void)
{
    double began;
    char here[1000] = "", place[1100];

    snprintf(place, sizeof place, "%s/tmp", getcwd(here, sizeof here) ? here : ""), setenv("TMPDIR", place, 1),
        mkdir("tmp", 0700);
    ok(tool("run|broken.c") == 2 && strstr(err, "nonsense") && strstr(err, "broken.c:2") && !*out,
       "what the compiler says is shown");
    ok(tool("run|none.c") == 2 && strstr(err, "lbr_model"), "no lbr_model: %s", err);
    ok(tool("run|minus.c") == 2 && strstr(err, "-7"), "lbr_model fails: %s", err);
    ok(tool("run|undefined.c") == 2 && strstr(err, "missing"), "what is missing is named");
    ok(tool("run|empty.c|--method|rk4|--step|1|--steps|1|--start|start.csv") == 2 && strstr(err, "dimension"),
       "an empty system: %s", err);
    ok(tool("run|--|" AWKWARD "|--json") == 2 && strstr(err, "second"), "behind -- everything is a file");
    ok(tool("run|--json|--|" AWKWARD) == 0 && number("steps") == 800 && strstr(out, "b'\\\"$(touch"),
       "an awkward name, in JSON too");
    ok(tool("run|./" AWKWARD) == 0 && !there("oops"), "no shell has seen it");
    setenv("LIBRATION_CC", "no-such-compiler", 1);
    ok(tool("run|good.c") == 2 && strstr(err, "no-such-compiler") && strstr(err, "LIBRATION_CC"), "no compiler: %s",
       err);
    spit("sleeps", "#!/bin/sh\n(sleep 1000 & echo $! >grandchild; wait) &\nsleep 1000\n"), chmod("sleeps", 0700);
    setenv("LIBRATION_CC", "./sleeps", 1), setenv("LIBRATION_CC_SECONDS", "1.5", 1);
    began = seconds();
    ok(tool("run|good.c") == 2 && strstr(err, "1.5 seconds") && seconds() - began < 9,
       "a compiler that sleeps is ended: %s", err);
    slurp("grandchild", out);
    for (began = seconds();
         atoi(out) > 1 && !kill(atoi(out), 0) && seconds() - began < 5;) /* it may take the kernel a moment */
        if (system("grep -q '^State:.Z' /proc/$(cat grandchild)/status") == 0) break;
    ok(atoi(out) > 1 && seconds() - began < 5, "and whatever it has started");
    setenv("LIBRATION_CC_SECONDS", "60", 1);
    {
        pid_t child = begin("run|good.c", 0);

        usleep(300000), kill(child, SIGINT);
        ok(end(child) == 130 && strstr(err, "interrupted"), "interrupted while compiling: %s", err);
    }
    unsetenv("LIBRATION_CC"), unsetenv("LIBRATION_CC_SECONDS");
    ok(!folders_left(), "no temporary folder is left");
    setenv("TMPDIR", "/no/where", 1);
    ok(tool("run|good.c") == 4 && strstr(err, "TMPDIR"), "no place for one: %s", err);
    unsetenv("TMPDIR");
    setenv("LIBRATION_INCLUDE", "tmp", 1);
    spit("tmp/libration.h", "#error mine\n");
    ok(tool("run|good.c") == 2 && strstr(err, "mine"), "LIBRATION_INCLUDE says where headers are");
    unsetenv("LIBRATION_INCLUDE"), unlink("tmp/libration.h");
}

/* --- failures and files ------------------------------------------------------------------------------------------ */

static void failures(void)
{
    ok(tool("run|lost.c|--json") == 3 && number("step") == 0.125, "an invariant that becomes NaN: %s", err);
    ok(strstr(out, "\"component\": \"L\"") && strstr(out, "\"failure\": {"), "named in JSON");
    ok(!strstr(out, ": nan") && strstr(err, "step 81"), "where nothing is nan");
    ok(tool("run|ends.c|--json") == 3 && number("steps") == 80 && number("t") == 10 &&
           strstr(out, "\"component\": null") && strstr(err, "step 81"),
       "a force that fails: %s", err);
    ok(tool("run|ends.c") == 3 && strstr(out, "t = 10 ") && strstr(err, "step 81"), "the table up to there");
    ok(tool("run|lost.c|--json|--monitor|off") == 3 && strstr(out, "\"max_error\": null") && strstr(err, "step 800"),
       "unwatched, it is seen at the end: %s", err);
    ok(tool("run|lost.c|--json|--monitor|samples|--every|100") == 3 && strstr(err, "step 100"), "or at a sample: %s",
       err);
}

static void files(void)
{
    static char before[MOST], after[MOST];

    ok(tool("run|good.c|--out|a.csv|--every|50") == 0 && lines("a.csv") == 18 &&
           !strncmp(slurp("a.csv", before),
                    "t,q,p,H\n"
                    "0,1.5,0,-0.07",
                    20),
       "samples in a file");
    ok(tool("run|good.c|--out|a.csv") == 2 && strstr(err, "a.csv") && !strcmp(slurp("a.csv", after), before),
       "an existing file stays as it is: %s", err);
    ok(symlink("target.csv", "link.csv") == 0 && tool("run|good.c|--out|link.csv") == 2 && !there("target.csv"),
       "a link counts as existing");
    ok(tool("run|good.c|--out|a.csv|--force|--every|100") == 0 && lines("a.csv") == 10, "--force replaces it");
    ok(tool("run|good.c|--out|m.csv|--method|nothing") == 2 && !there("m.csv"),
       "nothing is created when the method is refused");
    ok(tool("run|good.c|--out|s.csv|--start|long.csv") == 2 && !there("s.csv"), "or the start");
    ok(tool("run|lost.c|--out|n.csv|--every|50") == 3 && lines("n.csv") == 4 && !strstr(slurp("n.csv", after), "nan"),
       "what comes before a failure is kept, the last good state too");
    ok(tool("run|good.c|--checkpoint|good.c") == 2 && strstr(err, "good.c") && tool("run|good.c") == 0,
       "a checkpoint does not replace what is none: %s", err);
    ok(tool("run|good.c|--out|h.h5|--every|100") == 0 && there("h.h5"), "HDF5: %s", err);
    if (!have_gnuplot()) return;
    ok(tool("run|good.c|--plot|a.svg|--keep-script") == 0 && there("a.svg") && there("a.gp"), "a picture: %s", err);
    ok(tool("run|good.c|--plot|a.svg") == 2 && strstr(err, "a.svg"), "which is not replaced either: %s", err);
}

static void disks(void)
{
    static char text[MOST];
    int code = end(begin("run|good.c|--steps|20000|--every|2|--out|full.csv", 1 << 15));
    size_t n;

    slurp("full.csv", text), n = strlen(text);
    ok(code == 4 && strstr(err, "full.csv"), "a full disk: 4; %s", err);
    ok(n > 1000 && text[n - 1] == '\n', "the file ends with a whole record");
    ok(tool("run|good.c|--steps|100|--checkpoint|disk.save|--out|disk.csv|--every|2") == 0, "a run that is saved");
    code = end(
        begin("run|good.c|--steps|20000|--resume|disk.save|--checkpoint|disk.save|--out|disk.csv|--every|2", 1 << 15));
    ok(code == 4 && tool("run|good.c|--steps|200|--resume|disk.save|--out|disk.csv|--every|2|--json") == 0 &&
           number("steps") == 200 && lines("disk.csv") == 102,
       "goes on from its last checkpoint after the disk was full: %s", err);
}

/* --- signals ----------------------------------------------------------------------------------------------------- */

static void signals(void)
{
    static const int list[] = { SIGINT, SIGTERM };
    static char once[MOST], again[MOST];
    double first;

    for (int i = 0; i < 2; i++) {
        pid_t child = begin(
            "run|good.c|--json|--steps|1e13|--every|100000000|--checkpoint|sig.save|--out|sig.csv|--force", 0);

        for (int k = 0; k < 3000 && !there("sig.csv"); k++) usleep(10000);
        usleep(400000), kill(child, list[i]);
        ok(end(child) == 130 && strstr(err, "interrupted") && number("failure.step") == number("steps") &&
               number("steps") > 0,
           "signal %d: %s", list[i], err);
    }
    first = number("steps");
    {
        char command[256];

        snprintf(command, sizeof command,
                 "run|good.c|--json|--steps|%.0f|--resume|sig.save|--out|sig.csv|--every|100000000", first + 1000);
        ok(tool(command) == 0 && number("steps") == first + 1000, "goes on from there");
        snprintf(once, sizeof once, "%s", strstr(out, "\"t\": ")), *strstr(once, "\"failure\"") = 0;
        snprintf(command, sizeof command, "run|good.c|--json|--steps|%.0f", first + 1000);
        ok(tool(command) == 0, "and the same in one run");
        snprintf(again, sizeof again, "%s", strstr(out, "\"t\": ")), *strstr(again, "\"failure\"") = 0;
        ok(!strcmp(once, again) && strstr(once, "max_error"), "gives the same state, errors and counts");
        ok(lines("sig.csv") == 3 + (int)((first + 1000) / 1e8), "and one last record");
    }
    {
        pid_t child = begin("run|good.c|--steps|1e13|--json", 0);

        usleep(600000), kill(child, SIGKILL), end(child);
        ok(!*out, "killed: nothing half on standard output");
    }
}

static void tests(void)
{
    write_systems();
    whole(), times(), usage(), compilers();
    failures(), files(), disks(), signals();
}

int main(void) { return with_tool(tests); }
