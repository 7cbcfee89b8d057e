/* run_kill.h - killing libration run again and again: what is on the disk can be read, and going on ends with the bits
 * of a quiet run. SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain of runs, each to a count of steps that is a little larger, with --resume from the checkpoint of the one
 * before. Each is killed at some moment between its beginning and a while after it would have ended: while it loads,
 * steps, flushes, writes its checkpoint. */
#ifndef TEST_RUN_KILL_H
#define TEST_RUN_KILL_H
#include "tool.h"

enum { LINK = 30011, EVERY = 7 }; /* steps of one run; no multiple, so that each has a last sample of its own */

#define CHAIN                                              \
    "param k = 0.3\n"                                      \
    "canonical q[2], p[2]\n"                               \
    "H = sq(p)/2 + sq(q)/2 + k*(q[1]^2*q[2] - q[2]^3/3)\n" \
    "invariant two = 2\n"                                  \
    "observe r = norm(q)\n"                                \
    "start q = [0.1, 0.2], p = [0.3, 0]\n"                 \
    "run method = %s, step = 0.01, steps = 10\n"

/* Whole lines of as many numbers as there are columns, in their order, but for the last one, which may be cut anywhere.
 */
static int sound_csv(const char *file)
{
    FILE *f = fopen(file, "r");
    char line[1024];
    int columns = 0, good = f != NULL;

    for (int64_t n = -1; good && fgets(line, sizeof line, f); n++) {
        char *c = line;
        int k = 0;

        if (!strchr(line, '\n')) break;
        if (n < 0) {
            for (columns = 1; *c; c++) columns += *c == ',';
            continue;
        }
        for (char *next; *c != '\n'; c = next + (*next == ',')) {
            double x = strtod(c, &next);

            if (next == c || !strchr(",\n", *next) ||
                (k == 0 && fabs(x / (0.01 * EVERY) - (double)n) > 1e-6 &&
                 fabs(fmod(x / 0.01 + 0.5, LINK) - 0.5) > 1e-3))
                good = 0;
            if (next == c) break;
            k++;
        }
        good &= k == columns;
        if (!good) printf("# line %lld of %s: %s", (long long)n + 2, file, line);
    }
    if (f) fclose(f);
    return good;
}

static int have_h5dump(void)
{
    static int have = -1;

    return have >= 0 ? have : (have = !system("h5dump --version >/dev/null 2>&1"));
}

static int sound_hdf5(const char *file)
{
    char command[200];

    snprintf(command, sizeof command, "h5dump -d q -s 0,0 -c 1,2 %s >/dev/null 2>&1", file);
    return !have_h5dump() || !system(command);
}

/* All numbers of the datasets as one text, to be compared. */
static int dump(const char *file, const char *to)
{
    char command[200];

    snprintf(command, sizeof command, "h5dump -m %%.17g -A 0 %s 2>/dev/null | grep -v %s >%s", file, file, to);
    return !system(command);
}

/* The part of the JSON that must not depend on interruptions. */
static const char *essence(char *to)
{
    const char *s = strstr(out, "\"t\": "), *e = strstr(out, "\"failure\"");

    return snprintf(to, MOST, "%.*s", s && e ? (int)(e - s) : 0, s && e ? s : ""), to;
}

typedef struct tally {
    int killed, done;
} tally;

static int link_args(char *to, size_t size, const char *file, const char *options, int n)
{
    int saved = there("k.save");

    return snprintf(to, size, "run|k.lbr|--json|--every|%d|--steps|%d|--out|%s|--checkpoint|k.save%s%s%s", EVERY,
                    n * LINK, file, saved ? "|--resume|k.save" : "|--force", *options ? "|" : "", options);
}

/* One run that is killed after a while, if it still lives. 0: something is wrong. */
static int one_link(const char *file, const char *options, int n, double wait, tally *t)
{
    char arguments[1024];
    pid_t child;
    int code, first = !there("k.save");

    link_args(arguments, sizeof arguments, file, options, n);
    child = begin(arguments, 0);
    rest(wait), kill(child, SIGKILL);
    code = end(child);
    t->killed += code == -SIGKILL, t->done += code == 0;
    if (code && code != -SIGKILL) return printf("# status %d of %s: %s\n", code, arguments, err), 0;
    if (there(file) && strstr(file, ".csv") && !sound_csv(file)) return 0;
    if (there(file) && strstr(file, ".h5") && !(first && code) && !sound_hdf5(file))
        return printf("# h5dump does not read %s\n", file), 0;
    return 1;
}

/* `times` kills; the chain is then run to its end and compared with one quiet run. */
__attribute__((unused)) static void kills(const char *file, const char *method, const char *options, int times)
{
    static char quiet[MOST], broken[MOST];
    char arguments[1024], text[600];
    double began = seconds(), wall;
    int good, n = 1;
    tally t = { 0 };

    snprintf(text, sizeof text, CHAIN, method), spit("k.lbr", text);
    remove("k.save"), remove(file), remove("quiet.csv"), remove("quiet.h5");
    good = toolf("run|k.lbr|--json|--every|%d|--steps|%d|--out|warm.csv|--force%s%s", EVERY, LINK, *options ? "|" : "",
                 options) == 0;
    wall = seconds() - began;
    for (int i = 0; i < times && good; i++) {
        double x = (double)rand() / RAND_MAX;

        if (i % 4 == 3) x = 0.9 + 0.3 * x; /* more often where it ends and saves */
        good = one_link(file, options, n, 1.5 * wall * x, &t);
        if (good && there("k.save") &&
            toolf("run|k.lbr|--json|--steps|%d|--resume|k.save%s%s", n * LINK, *options ? "|" : "", options) ==
                2) /* that is: its steps are done */
            good = strstr(err, "steps already") != NULL;
        if (t.done >= n) n++;
    }
    n++;
    link_args(arguments, sizeof arguments, file, options, n);
    good = good && tool(arguments) == 0;
    if (!good) printf("# %s\n", err);
    essence(broken);
    good = good && toolf("run|k.lbr|--json|--every|%d|--steps|%d|--out|quiet%s%s%s", EVERY, n * LINK,
                         strrchr(file, '.'), *options ? "|" : "", options) == 0;
    ok(good && *broken && !strcmp(broken, essence(quiet)),
       "%s, %s %s: killed %d times, ended %d times; the state, the errors and the counts are those of a quiet run",
       file, method, options, t.killed, t.done);
    if (strstr(file, ".csv")) ok(same_files(file, "quiet.csv"), "and so is every byte of the file");
    else if (have_h5dump())
        ok(dump(file, "a.txt") && dump("quiet.h5", "b.txt") && same_files("a.txt", "b.txt") && lines("a.txt") > 1000,
           "and so is every number of the file");
}
#endif
