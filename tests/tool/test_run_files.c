/* test_run_files.c - the files of libration run for models: going on from a checkpoint, full disks, signals, kills.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/run_kill.h"
#include "support/share.h"

#define FIELD                                                 \
    "param k = 0.5\n"                                         \
    "canonical q[2], p[2]\n"                                  \
    "part T = sq(p)/2\n"                                      \
    "part V = sq(q)/2 + k*q[1]^2*q[2]^2 + q[1]*cos(3*t)/10\n" \
    "invariant two = 2\n"                                     \
    "observe r = norm(q)\n"                                   \
    "start q = [0.1, 0.2], p = [0.3, 0], t = 0.25\n"          \
    "method three = splitting(a = [1/2, 1/2], b = [1])\n"     \
    "run method = stormer-verlet, step = 0.05, steps = 1000, every = 7\n"

/* --- going on: bit for bit --------------------------------------------------------------------------------------- */

static void resumes(void)
{
    static const char *const row[] = { "--method|stormer-verlet",
                                       "--method|gauss:2",
                                       "--method|gauss:4|--solver|newton",
                                       "--method|stormer-verlet|--compensated",
                                       "--method|kahan-li-8-17",
                                       "--method|split(strang, T, V)",
                                       "--method|split(three, V, T)|--compensated",
                                       "--method|rk4",
                                       "--method|gauss:3|--compensated|--solver|fixed-point",
                                       "--method|adjoint(symplectic-euler)",
                                       "--method|trapezoidal",
                                       "--method|compose(kahan-li-6-9, midpoint)",
                                       "--step|-0.05",
                                       "--monitor|samples",
                                       "--set|k=0.25" };
    static char whole[MOST], pieces[MOST];

    spit("field.lbr", FIELD);
    for (int i = 0; i < COUNT(row); i++) {
        int good, a = 1 + rand() % 400, b = a + 101 + rand() % 300;

        remove("w.csv"), remove("p.csv"), remove("p.save");
        good = toolf("run|field.lbr|--json|--out|w.csv|%s", row[i]) == 0;
        essence(whole);
        good = good && toolf("run|field.lbr|--steps|%d|--every|7|--out|p.csv|--checkpoint|p.save|%s", a, row[i]) == 0;
        good = good &&
               toolf("run|field.lbr|--steps|%d|--out|p.csv|--checkpoint|p.save|--resume|p.save|%s", b, row[i]) == 0;
        good = good && toolf("run|field.lbr|--json|--out|p.csv|--resume|p.save|%s", row[i]) == 0;
        ok(good && *whole && !strcmp(whole, essence(pieces)) && same_files("w.csv", "p.csv"),
           "%s: cut at %d and %d, the same bits%s", row[i], a, b, told);
    }
    ok(tool("run|field.lbr|--json|--resume|p.save|--set|k=0.25|--steps|1000|--every|100|--out|new.csv") == 0 &&
           there("new.csv") && !strcmp(whole, essence(pieces)),
       "another file, another cadence: the same state");
    for (int k = 0; k < 2; k++) {
        const char *file = k ? "p.h5" : "p.csv";

        remove("p.save");
        ok(toolf("run|field.lbr|--steps|200|--checkpoint|p.save|--out|%s|--force", file) == 0 &&
               toolf("run|field.lbr|--resume|p.save|--every|11|--out|%s", file) == 2 && says("p.save|every|'7'|'11'"),
           "the same file, another cadence: %s", told);
        ok(toolf("run|field.lbr|--resume|p.save|--out|%s", file) == 0 &&
               toolf("run|field.lbr|--out|whole.%s|--force", file + 2) == 0 && (k || same_files(file, "whole.csv")),
           "it is as it was, and goes on: %s", told);
    }
    tool("run|field.lbr|--steps|200|--checkpoint|p.save|--set|k=0.25|--force");
    ok(tool("run|field.lbr|--steps|100|--resume|p.save|--set|k=0.25") == 2 && says("100|steps"),
       "fewer steps than are done: %s", told);
}

/* A checkpoint of this run is replaced by it; that it had got further than where the run begins is told. */
static void further(void)
{
    ok(tool("run|field.lbr|--steps|100|--checkpoint|f.save|--force") == 0 &&
           tool("run|field.lbr|--steps|100|--checkpoint|g.save|--force") == 0,
       "two of 100 steps");
    ok(tool("run|field.lbr|--steps|40|--checkpoint|f.save") == 0 && strstr(out, "f.save") && strstr(out, "100 steps") &&
           strstr(out, "--resume"),
       "a shorter run replaces it, and says so%s", told);
    ok(tool("run|field.lbr|--steps|500|--checkpoint|g.save") == 0 && strstr(out, "100 steps"),
       "so does a longer one that begins before it%s", told);
    ok(tool("run|field.lbr|--steps|40|--checkpoint|h.save|--force") == 0 && !strstr(out, "--resume") &&
           tool("run|field.lbr|--steps|60|--resume|h.save|--checkpoint|g.save") == 0 && strstr(out, "500 steps"),
       "and one that goes on from before it%s", told);
    ok(tool("run|field.lbr|--steps|120|--resume|f.save|--checkpoint|f.save") == 0 &&
           tool("run|field.lbr|--steps|130|--resume|f.save|--checkpoint|g.save") == 0,
       "one that goes on from it, or from further, does%s", told);
    ok(tool("run|field.lbr|--steps|120|--resume|f.save|--checkpoint|f.save") == 0,
       "also if there is nothing left to do%s", told);
    ok(tool("run|field.lbr|--steps|40|--checkpoint|f.save|--force") == 0 &&
           tool("run|field.lbr|--steps|50|--resume|f.save") == 0,
       "with --force any%s", told);
}

static void refusals(void)
{
    static const struct {
        const char *arguments, *words;
    } row[] = { { "--set|k=0.25", "parameters" }, { "--method|rk4", "stormer-verlet|rk4" },
                { "--step|0.025", "0.025" },      { "--compensated", "compensated" },
                { "--solver|newton", "solver" },  { "--set|t=1", "" },
                { "--set|q=[1,2]", "" },          { "--set|k=0.5000000000000001", "parameters" } };
    static char bytes[MOST], hurt[MOST];
    int refused = 0, tries = 0;
    long size;
    FILE *f;

    spit("field.lbr", FIELD), spit("other.lbr", "# another file\n" FIELD),
        spit("three.lbr", "state y[3]\n"
                          "y' = -y\n"
                          "start y = 1\n"
                          "run method = stormer-verlet, step = 0.05, steps = 1000\n");
    remove("r.save");
    ok(tool("run|field.lbr|--steps|100|--checkpoint|r.save") == 0, "a checkpoint");
    for (int i = 0; i < COUNT(row); i++)
        ok(toolf("run|field.lbr|--resume|r.save|%s", row[i].arguments) == 2 && !*out && says(row[i].words), "%s: %s",
           row[i].arguments, told);
    ok(tool("run|other.lbr|--resume|r.save") == 2 && says("another model"), "of another text: %s", told);
    ok(tool("run|three.lbr|--method|rk4|--resume|r.save") == 2 &&
           tool("run|kepler|--method|stormer-verlet|--step|0.05|--resume|r.save") == 2,
       "of another model: %s", told);
    ok(tool("run|field.lbr|--checkpoint|r.save|--method|rk4") == 2 && says("r.save"),
       "nor is it replaced by that of another run: %s", told);
    further();
    f = fopen("r.save", "rb"), size = f ? (long)fread(bytes, 1, MOST, f) : 0;
    if (f) fclose(f);
    for (long at_byte = 0; at_byte < size; at_byte += 1 + size / share(80, 80, 16),
              tries++) { /* one byte wrong; cut off there; under sanitizers at a fifth of the places */
        for (int cut = 0; cut < 2; cut++) {
            memcpy(hurt, bytes, (size_t)size), hurt[at_byte] ^= (char)(1 << rand() % 8);
            f = fopen("hurt.save", "wb"), fwrite(hurt, 1, cut ? (size_t)at_byte : (size_t)size, f), fclose(f);
            refused += tool("run|field.lbr|--resume|hurt.save") == 2 && says("hurt.save");
        }
    }
    ok(tries > share(50, 50, 10) && refused == 2 * tries, "damaged at %d places, and cut there: refused, %s", tries,
       told);
    spit("runs.lbr", FIELD "run a: q = [0.2, 0]\nrun b: from = a\nrun c[i = 1..2]: q = [i/10, 0]\n");
    remove("b.save"), remove("b.csv");
    ok(tool("run|runs.lbr|--run|b|--checkpoint|b.save|--out|b.csv") == 0 &&
           tool("run|runs.lbr|--run|a|--resume|b.save") == 2 &&
           tool("run|runs.lbr|--run|b|--resume|b.save|--json") == 0 && is_text("name", "b"),
       "a run of several: %s", told);
    ok(tool("run|runs.lbr|--run|c[1]|--checkpoint|c.save|--steps|10") == 0 &&
           tool("run|runs.lbr|--run|c[2]|--resume|c.save") == 2 &&
           tool("run|runs.lbr|--run|c[1]|--resume|c.save|--json") == 0 && number("steps") == 1000,
       "a member: %s", told);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* Samples are counted before the first step; where a section ends the run, nobody knows how many there will be. */
static void samples(void)
{
#define MANY(more)                                          \
    "state y\n"                                             \
    "y' = -y\n"                                             \
    "start y = 1\n"                                         \
    "section cut: y = 0.5\n"                                \
    "run method = rk4, step = 0.01, steps = 1000" more "\n" \
    "measure top = max(y)\n"                                \
    "claim top < 2\n"
    spit("many.lbr", MANY("")), spit("until.lbr", MANY(", until = cut"));
    ok(tool("run|many.lbr|--json") == 0, "a thousand%s", told);
    ok(tool("run|many.lbr|--steps|9000000000000|--out|many.csv") == 4 &&
           says("GB|9e+12 samples of 2 numbers|every|record") && !there("many.csv"),
       "too many for any memory: %s", told);
    ok(tool("run|until.lbr|--steps|9000000000000|--json") == 0, "not where the run ends at an event%s", told);
}

/* --- full disks -------------------------------------------------------------------------------------------------- */

static void disks(void)
{
    static char text[MOST];
    int code;
    size_t n;

    spit("field.lbr", FIELD);
    remove("full.csv"), remove("full.save");
    code = end(begin("run|field.lbr|--steps|20000|--every|2|--out|full.csv", 1 << 15));
    slurp("full.csv", text), n = strlen(text);
    ok(code == 4 && says("full.csv") && n > 1000 && text[n - 1] == '\n', "a full disk: 4, and a whole last record; %s",
       told);
    remove("full.csv");
    ok(tool("run|field.lbr|--steps|101|--every|2|--out|full.csv|--checkpoint|full.save") == 0, "a run that is saved");
    code = end(
        begin("run|field.lbr|--json|--steps|20000|--every|2|--out|full.csv|--checkpoint|full.save|--resume|full.save",
              1 << 15));
    slurp("full.csv", text), n = strlen(text);
    ok(code == 4 && is_json() && number("failure.step") > 100 && text[n - 1] == '\n',
       "goes on until the disk is full: %s", told);
    remove("whole.csv");
    ok(tool("run|field.lbr|--steps|2001|--every|2|--out|full.csv|--resume|full.save") == 0 &&
           tool("run|field.lbr|--steps|2001|--every|2|--out|whole.csv") == 0 && same_files("full.csv", "whole.csv"),
       "its last checkpoint is intact, and so is the file then");
    remove("full.h5");
    code = end(begin("run|field.lbr|--steps|20000|--every|2|--out|full.h5", 1 << 16));
    ok(code == 4 && says("full.h5") && (!have_h5dump() || !system("h5dump -d q -s 0,0 -c 1,2 full.h5 >/dev/null 2>&1")),
       "the same with HDF5: %s", told);
    remove("none.save");
    code = end(begin("run|field.lbr|--steps|10|--checkpoint|none.save", 100));
    ok(code == 4 && says("none.save") && !there("none.save"), "no room for a checkpoint: %s", told);
    code = end(begin("run|field.lbr|--steps|10|--json", 100));
    ok(code == 4 && says("output"), "nor for the answer: %s", told);
}

/* A run that was killed, or has failed to write, in its first seconds can go on. */
static void early(void)
{
    double began;
    pid_t child;

    spit("field.lbr", FIELD);
    remove("early.csv"), remove("early.save");
    child = begin("run|field.lbr|--steps|1e12|--every|1000000|--out|early.csv|--checkpoint|early.save", 0);
    for (began = seconds(); seconds() < began + 8 && !there("early.save");) rest(0.02);
    kill(child, SIGKILL), end(child);
    ok(there("early.save"), "a checkpoint after %.2g seconds", seconds() - began);
    child = begin("run|field.lbr|--json|--steps|1e12|--every|1000000|--out|early.csv|--resume|early.save", 0);
    rest(0.5), kill(child, SIGINT);
    ok(end(child) == 130 && number("steps") > 0, "and it goes on from there: %s", told);
}

/* --- signals ----------------------------------------------------------------------------------------------------- */

static void signals(void)
{
    static char once[MOST], again[MOST];
    double steps;
    pid_t child;

    spit("field.lbr", FIELD);
    for (int k = 0; k < 2; k++) {
        remove("s.csv"), remove("s.save");
        child = begin("run|field.lbr|--json|--steps|1e12|--every|1000000|--out|s.csv|--checkpoint|s.save", 0);
        for (int i = 0; i < 1000 && !there("s.csv"); i++) rest(0.01);
        rest(0.3), kill(child, k ? SIGTERM : SIGINT);
        ok(end(child) == 130 && says("interrupted") && is_json() && number("steps") > 0, "signal %d: 130; %s",
           k ? SIGTERM : SIGINT, told);
        ok(number("failure.step") == number("steps") && number("failure.t") == number("t") &&
               strstr(text_at("failure.text"), "interrupted after") &&
               strstr(text_at("failure.text"), "--resume s.save") && is_null("failure.component"),
           "a program can see it: %s", text_at("failure.text"));
        ok(members("warnings") == 1 && strstr(text_at("warnings[0]"), "interrupted at step"), "a warning: %s",
           text_at("warnings[0]"));
    }
    steps = number("steps");
    ok(toolf("run|field.lbr|--json|--steps|%.0f|--every|1000000|--out|s.csv|--resume|s.save", steps + 777) == 0,
       "it goes on from there%s", told);
    essence(once);
    ok(toolf("run|field.lbr|--json|--steps|%.0f|--every|1000000|--out|t.csv", steps + 777) == 0 &&
           !strcmp(once, essence(again)) && same_files("s.csv", "t.csv"),
       "and ends as if nothing had been%s", told);
    child = begin("run|nbody|--set|n=3000|--steps|1000000", 0); /* its steps take a while */
    rest(2);
    for (int i = 0; i < 20; i++) kill(child, SIGINT), rest(0.001); /* two that come at once are one */
    ok(end(child) == -SIGINT, "a second SIGINT ends it at once");
    child = begin("run|nbody|--set|n=3000|--steps|1000000|--json", 0);
    rest(2), kill(child, SIGINT);
    steps = seconds();
    ok(end(child) == 130 && seconds() - steps < 30, "the first one as soon as a step is done: %s", told);
    child = begin("run|field.lbr|--json|--steps|1e12", 0);
    rest(0.3), kill(child, SIGKILL), end(child);
    ok(!*out, "killed: nothing half on standard output");
}

static void all(void)
{
    srand((unsigned)time(NULL));
    resumes(), refusals(), samples(), disks(), early(), signals();
    kills("k.csv", "stormer-verlet", "", 12);
    kills("k.h5", "gauss:2", "", 8);
}

int main(void) { return with_tool(all); }
