/* test_run_signals.c - signals: a limit for files is a full disk, a closed terminal saves, and what hangs ends with the
 * tool. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/run_kill.h"

#include <errno.h>

#define WORLD                                              \
    "canonical q[2], p[2]\n"                               \
    "H = sq(p)/2 + sq(q)/2 + (q[1]^2*q[2] - q[2]^3/3)/5\n" \
    "start q = [0.1, 0.2], p = [0.3, 0]\n"                 \
    "run method = stormer-verlet, step = 0.01, steps = 1000, every = 2\n"
#define PENDULUM                                                                                               \
    "#include <libration.h>\n"                                                                                 \
    "#include <math.h>\n"                                                                                      \
    "static int force(double t, const double *q, double *f, void *ctx) { *f = -sin(*q); return 0; }\n"         \
    "static const double one = 1, start[] = { 1.5, 0 };\n"                                                     \
    "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.1, 1000 };\n"     \
    "int lbr_model(lbr_system *out)\n"                                                                         \
    "{\n"                                                                                                      \
    "    *out = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .defaults = &defaults);\n" \
    "    return 0;\n"                                                                                          \
    "}\n"

/* --- a limit for files ------------------------------------------------------------------------------------------- */

static void limits(void)
{
    static char text[MOST];
    size_t n;
    int code;

    code = end(begin("run|world.lbr|--steps|20000|--out|x.csv", 8 << 10)); /* as ulimit -f 8 */
    slurp("x.csv", text), n = strlen(text);
    ok(code == 4 && says("x.csv|too large") && n > 4000 && text[n - 1] == '\n',
       "the table has its limit: 4, and a whole last line; %s", told);
    code = end(begin("run|world.lbr|--steps|20000|--out|x.h5", 32 << 10));
    ok(code == 4 && says("x.h5|too large") && sound_hdf5("x.h5"), "the same with HDF5: %s", told);
    ok(tool("run|world.lbr|--steps|30|--out|y.csv|--checkpoint|y.save") == 0, "a run that is saved%s", told);
    code = end(begin("run|world.lbr|--steps|20000|--out|y.csv|--checkpoint|y.save|--resume|y.save", 8 << 10));
    ok(code == 4 && tool("run|world.lbr|--steps|3000|--out|y.csv|--resume|y.save") == 0 &&
           tool("run|world.lbr|--steps|3000|--out|z.csv") == 0 && same_files("y.csv", "z.csv"),
       "its checkpoint is whole, and goes on%s", told);
    code = end(begin("run|world.lbr|--json|--steps|100000|--out|u.csv|--checkpoint|u.save", 8 << 10));
    ok(code == 4 && there("u.save"), "of a run that fails before a checkpoint is due there is one: %s", told);
    ok(says("the checkpoint is of step 0|--resume u.save"), "which is told");
    ok(tool("run|world.lbr|--steps|3000|--out|u.csv|--resume|u.save") == 0 && same_files("u.csv", "z.csv"),
       "and goes on%s", told);
    code = end(begin("run|world.lbr|--json", 100));
    ok(code == 4 && says("output"), "nor may the answer be cut without a word: %s", told);
}

/* --- a closed terminal ------------------------------------------------------------------------------------------- */

static void closed(void)
{
    double steps;
    pid_t child;

    child = begin("run|world.lbr|--json|--steps|1e12|--every|100000|--out|h.csv|--checkpoint|h.save", 0);
    for (int i = 0; i < 1000 && !there("h.csv"); i++) rest(0.01);
    rest(0.3), kill(child, SIGHUP);
    ok(end(child) == 130 && says("interrupted") && is_json() && there("h.save"), "SIGHUP: saved, 130; %s", told);
    steps = number("steps");
    ok(toolf("run|world.lbr|--steps|%.0f|--every|100000|--out|h.csv|--resume|h.save", steps + 77) == 0 &&
           toolf("run|world.lbr|--steps|%.0f|--every|100000|--out|i.csv", steps + 77) == 0 &&
           same_files("h.csv", "i.csv"),
       "and goes on as if nothing had been%s", told);
    signal(SIGHUP, SIG_IGN); /* as nohup does */
    child = begin("run|world.lbr|--json|--steps|1e12", 0);
    signal(SIGHUP, SIG_DFL);
    rest(0.5), kill(child, SIGHUP), rest(0.3);
    ok(!kill(child, 0) && waitpid(child, NULL, WNOHANG) == 0, "under nohup it goes on");
    kill(child, SIGINT);
    ok(end(child) == 130, "until it is interrupted: %s", told);
}

/* What is told of a run that was interrupted, and advice that can be followed. */
static void advice(void)
{
    pid_t child;

    spit("three.lbr",
         WORLD "run a: steps = 10\nrun b: steps = 1e12, every = 1e11\nrun c: steps = 10\nrun d: steps = 10\n");
    child = begin("run|three.lbr|--json", 0);
    rest(0.7), kill(child, SIGINT);
    ok(end(child) == 130 && is_json() && says("--run NAME --checkpoint FILE"), "one of several: %s", err);
    ok(members("runs") == 2 && is_null("runs[0].failure") && number("runs[1].failure.step") == number("runs[1].steps"),
       "its failure is in JSON");
    ok(strstr(text_at("runs[1].warnings[0]"), "interrupted at step") &&
           strstr(text_at("runs[1].warnings[1]"), "not begun") && strstr(text_at("runs[1].warnings[1]"), ": 2"),
       "and how many were not begun: %s", text_at("runs[1].warnings[1]"));
    child = begin("compare|kepler|--time|1|--methods|rk4|--steps|10,100000000000|--json", 0);
    rest(0.9), kill(child, SIGINT);
    ok(end(child) == 130 && says("interrupted") && !strstr(err, "--checkpoint"), "compare has no checkpoints: %s", err);
}

/* --- what hangs -------------------------------------------------------------------------------------------------- */

/* A program that writes its number, and that of one it starts, and then waits for ever. */
static void hanging(const char *name)
{
    char here[1000] = "", text[2000];

    snprintf(text, sizeof text,
             "#!/bin/sh\n"
             "cd '%s'\n"
             "sleep 1000 &\n"
             "echo $$ $! >hangs.new\n"
             "mv hangs.new hangs\n"
             "wait\n",
             getcwd(here, sizeof here));
    spit(name, text);
    chmod(name, 0700);
}

/* A process that has ended may wait for somebody to ask how. */
static int lives(long pid)
{
    char file[60], state = 0;
    FILE *f;

    if (kill((pid_t)pid, 0)) return 0;
    snprintf(file, sizeof file, "/proc/%ld/stat", pid);
    if ((f = fopen(file, "r"))) {
        if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 0;
        fclose(f);
    }
    return state != 'Z';
}

/* Whether both have ended, or end within three seconds; they are ended in any case. */
static int gone(int first_only)
{
    static char text[MOST];
    long pid[2] = { 0, 0 };
    int alive = 1;

    if (sscanf(slurp("hangs", text), "%ld %ld", pid, pid + 1) != 2 || pid[0] < 2 || pid[1] < 2) return 0;
    for (int i = 0; i < 300 && alive; i++, rest(0.01)) alive = lives(pid[0]) || (!first_only && lives(pid[1]));
    kill((pid_t)pid[0], SIGKILL), kill((pid_t)pid[1], SIGKILL);
    return !alive;
}

/* The tool with these arguments until something hangs; then the signals. Its status; *took: seconds after the last
 * signal. */
static int hung(const char *arguments, int signal1, int signal2, double *took)
{
    pid_t child;
    int code;

    remove("hangs");
    child = begin(arguments, 0);
    if (signal2) rest(1), kill(child, signal1);
    for (int i = 0; i < 1000 && !there("hangs"); i++) rest(0.01);
    kill(child, signal2 ? signal2 : signal1);
    *took = seconds();
    code = end(child);
    *took = seconds() - *took;
    return code;
}

static void pictures(void)
{
    static const int number_of[] = { SIGINT, SIGTERM, SIGHUP };
    double took;

    hanging("draw"), setenv("LIBRATION_GNUPLOT", "./draw", 1);
    for (int i = 0; i < COUNT(number_of); i++) {
        int code = hung("run|world.lbr|--json|--plot|p.svg", number_of[i], 0, &took);

        ok(code == 130 && took < 5, "gnuplot hangs, signal %d: %d after %.1f s; %s", number_of[i], code, took, told);
        ok(gone(0), "it has gone, too");
        ok(says("interrupted"), "that is said");
        ok(is_json() && !there("p.svg"), "there are results, and no picture");
    }
    ok(hung("run|pendulum.c|--json|--plot|p.svg", SIGINT, 0, &took) == 130 && gone(0) && took < 5 && is_json(),
       "of a system in C: %s", told);
    ok(hung("compare|world.lbr|--methods|rk4,midpoint|--steps|100,200|--plot|p.svg", SIGINT, 0, &took) == 130 &&
           gone(0) && took < 5 && says("interrupted"),
       "of a comparison: %s", told);
    ok(hung("run|world.lbr|--steps|1e12|--json|--every|100000000|--plot|p.svg", SIGINT, SIGINT, &took) == -SIGINT &&
           gone(1) && took < 5,
       "a run that was interrupted, and then its picture: both end");
#ifdef __linux__
    ok(hung("run|world.lbr|--json|--plot|p.svg", SIGKILL, 0, &took) == -SIGKILL && gone(1),
       "killed: gnuplot does not outlive it");
#endif
    unsetenv("LIBRATION_GNUPLOT");
}

static void compilers(void)
{
    static const int number_of[] = { SIGINT, SIGTERM, SIGHUP };
    double took;

    hanging("compile"), setenv("LIBRATION_CC", "./compile", 1);
    for (int i = 0; i < COUNT(number_of); i++) {
        int code = hung("run|pendulum.c|--json", number_of[i], 0, &took);

        ok(code == 130 && gone(0) && took < 5 && says("interrupted"),
           "a compiler hangs, signal %d: %d after %.1f s; %s", number_of[i], code, took, told);
    }
#ifdef __linux__
    ok(hung("run|pendulum.c|--json", SIGKILL, 0, &took) == -SIGKILL && gone(1),
       "killed: the compiler does not outlive it");
#endif
    unsetenv("LIBRATION_CC");
}

static void all(void)
{
    spit("world.lbr", WORLD), spit("pendulum.c", PENDULUM);
    limits(), closed(), advice(), pictures(), compilers();
}

int main(void) { return with_tool(all); }
