/* test_run_shared.c - two processes and one file: the second is told so, and nothing of the first one's is harmed.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/run_kill.h"

#include <dirent.h>

#define WORLD                                              \
    "canonical q[2], p[2]\n"                               \
    "H = sq(p)/2 + sq(q)/2 + (q[1]^2*q[2] - q[2]^3/3)/5\n" \
    "start q = [0.1, 0.2], p = [0.3, 0]\n"                 \
    "run method = stormer-verlet, step = 0.01, steps = 1000, every = 1000\n"
#define FOREVER "run|world.lbr|--json|--steps|1e12|"

/* A run that goes on until it is told to stop. It is under way once its file is there and a while has passed. */
static pid_t first(const char *arguments, const char *file)
{
    char all[1000];
    pid_t child;

    snprintf(all, sizeof all, FOREVER "%s", arguments);
    out_file = "first.out", child = begin(all, 0), out_file = "tool.out";
    for (int i = 0; i < 1000 && !there(file); i++) rest(0.01);
    rest(0.3);
    return child;
}

/* Interrupts it; the steps that it has done, or -1. */
static double last(pid_t child)
{
    int code;

    kill(child, SIGINT);
    out_file = "first.out", code = end(child), out_file = "tool.out";
    return code == 130 ? number("steps") : -1;
}

static int refused(const char *arguments, const char *words)
{
    return tool(arguments) == 2 && !*out && says("another process") && says(words);
}

/* How many files here begin and end with these. */
static int like(const char *head, const char *tail)
{
    DIR *d = opendir(".");
    int n = 0;

    for (const struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name), k = strlen(tail);

        n += !strncmp(e->d_name, head, strlen(head)) && length >= k && !strcmp(e->d_name + length - k, tail);
    }
    if (d) closedir(d);
    return n;
}

/* --- going on with one table ------------------------------------------------------------------------------------- */

static void table(const char *suffix)
{
    char arguments[300], file[20], quiet[20];
    double steps;
    pid_t child;

    snprintf(file, sizeof file, "s%s", suffix), snprintf(quiet, sizeof quiet, "quiet%s", suffix);
    remove("s.save"), remove(file), remove(quiet);
    ok(toolf("run|world.lbr|--steps|5000|--out|%s|--checkpoint|s.save", file) == 0, "%s: a run that is saved%s", suffix,
       told);
    snprintf(arguments, sizeof arguments, "--out|%s|--checkpoint|s.save|--resume|s.save", file);
    child = first(arguments, file);
    snprintf(arguments, sizeof arguments, "run|world.lbr|--steps|6000|--out|%s|--resume|s.save", file);
    ok(refused(arguments, file), "a second one that goes on into the same table: %s", told);
    snprintf(arguments, sizeof arguments, "run|world.lbr|--steps|6000|--out|%s|--force", file);
    ok(refused(arguments, file), "a new one with --force: %s", told);
    ok(refused("run|world.lbr|--steps|6000|--checkpoint|s.save|--resume|s.save", "s.save"),
       "one with its checkpoint: %s", told);
    ok(refused("run|world.lbr|--steps|6000|--checkpoint|./s.save|--force", "s.save"), "also with --force: %s", told);
    ok(tool("run|world.lbr|--steps|5000|--resume|s.save") == 0 || says("'s.save' has done"), /* it is saved anew soon */
       "to read the checkpoint is allowed%s", told);
    steps = last(child);
    ok(steps > 5000 && toolf("run|world.lbr|--json|--steps|%.0f|--out|%s|--resume|s.save|--checkpoint|s.save",
                             steps + 777, file) == 0,
       "the first one was not disturbed: %.0f steps, and on%s", steps, told);
    ok(toolf("run|world.lbr|--steps|%.0f|--out|%s", steps + 777, quiet) == 0, "one that nobody disturbs%s", told);
    if (*suffix == '.' && suffix[1] == 'c') ok(same_files(file, quiet), "has the same table, byte for byte");
    else if (have_h5dump())
        ok(dump(file, "a.txt") && dump(quiet, "b.txt") && same_files("a.txt", "b.txt"), "has the same numbers");
    ok(!like("s.save.", ""), "nothing is left beside the checkpoint");
}

/* --- new files --------------------------------------------------------------------------------------------------- */

static void fresh(void)
{
    pid_t child;

    remove("f.csv"), remove("f.save");
    child = first("--out|f.csv|--force", "f.csv");
    ok(refused("run|world.lbr|--out|f.csv|--force", "f.csv"), "two new tables with --force: %s", told);
    ok(symlink("f.csv", "f-link.csv") == 0 && tool("run|world.lbr|--out|f-link.csv|--force") == 0 && there("f.csv") &&
           lines("f-link.csv") == 3,
       "a link is replaced, not what is behind it%s", told);
    ok(last(child) > 0 && lines("f.csv") > 2, "the first one has its lines");
    child = first("--checkpoint|f.save", "f.save.lock");
    ok(refused("run|world.lbr|--checkpoint|f.save", "f.save") || there("f.save"), /* it comes within a second */
       "a checkpoint that is still to come: %s", told);
    ok(last(child) > 0 && there("f.save") && !there("f.save.lock"), "it came");
    spit("f.save.lock", "mine\n");
    ok(tool("run|world.lbr|--checkpoint|f.save|--force") == 0 && there("f.save.lock"),
       "a file of that name that is not ours stays%s", told);
    remove("f.save.lock");
    ok(mkfifo("f.save.lock", 0600) == 0 && tool("run|world.lbr|--checkpoint|f.save|--force") == 2 &&
           says("f.save.lock"),
       "nor does a pipe make it wait: %s", told);
    remove("f.save.lock");
}

/* --- after a kill ------------------------------------------------------------------------------------------------ */

static void killed(void)
{
    pid_t child;

    remove("k.csv"), remove("k.save");
    child = first("--out|k.csv|--checkpoint|k.save", "k.csv");
    kill(child, SIGKILL), end(child);
    ok(tool("run|world.lbr|--out|k.csv|--checkpoint|k.save|--force") == 0, "a kill leaves no lock%s", told);
    spit("k.save.0123456789ab.tmp", "half of a checkpoint"), spit("k.save.note.tmp", "a note"),
        spit("k.save.0123456789abc.tmp", "another");
    spit("other.save.0123456789ab.tmp", "another run's");
    ok(tool("run|world.lbr|--steps|2000|--resume|k.save") == 0 && there("k.save.0123456789ab.tmp"),
       "whoever only reads it removes nothing");
    ok(tool("run|world.lbr|--steps|2000|--resume|k.save|--checkpoint|k.save") == 0 && !there("k.save.0123456789ab.tmp"),
       "what a kill has left beside a checkpoint is removed%s", told);
    ok(there("k.save.note.tmp") && there("k.save.0123456789abc.tmp") && there("other.save.0123456789ab.tmp"),
       "other files stay");
    ok(mkdir("k.save.aaaaaaaaaaaa.tmp", 0700) == 0 &&
           tool("run|world.lbr|--steps|2000|--checkpoint|k.save|--force") == 0 && there("k.save.aaaaaaaaaaaa.tmp"),
       "and so do folders%s", told);
}

static void all(void)
{
    spit("world.lbr", WORLD);
    table(".csv"), table(".h5"), fresh(), killed();
}

int main(void) { return with_tool(all); }
