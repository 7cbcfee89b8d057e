/* test_run_refused.c - a run that is refused leaves the files of earlier ones as they were.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define SPRING "H = p^2/2 + q^2/2\nstart q = 1\nrun method = stormer-verlet, step = 0.1, steps = 30\n"

/* A file that nobody may touch meanwhile: a copy of it is compared. */
static char kept[200];

static void keep(const char *file)
{
    char command[500];

    snprintf(kept, sizeof kept, "%s", file);
    snprintf(command, sizeof command, "cp '%s' kept.copy", file);
    if (system(command)) printf("Bail out! %s cannot be copied\n", file), exit(1);
}

static int untouched(void) { return same_files(kept, "kept.copy"); }

static void no_section(void)
{
    static const char *const suffix[] = { "csv", "h5" };

    spit("ns.lbr", "canonical q, p\n" SPRING);
    for (int k = 0; k < COUNT(suffix); k++) {
        char file[20];

        snprintf(file, sizeof file, "d.%s", suffix[k]);
        ok(toolf("run|ns.lbr|--out|%s", file) == 0, "samples in %s%s", file, told);
        keep(file);
        ok(toolf("run|ns.lbr|--out|%s|--events|e.%s|--force", file, suffix[k]) == 2 && says("no section"), "%s", told);
        ok(untouched(), "%s is what it was", file);
        ok(!there("e.csv") && !there("e.h5"), "and there is no file of events");
        ok(toolf("run|ns.lbr|--out|n.%s|--events|e.%s", suffix[k], suffix[k]) == 2 && !there("n.csv") && !there("n.h5"),
           "nor is one of samples made: %s", told);
    }
}

/* Nothing is told of runs that were not made. */
static void no_tables(void)
{
    spit("nt.lbr", "canonical q[2], p[2]\nH = (sq(p) + sq(q))/2\nobserve q_1 = H\nstart q = 1\n"
                   "run method = stormer-verlet, step = 0.1, steps = 30\nrun a:\nrun b: step = 0.2\n"
                   "table columns = [drift(H)]\n");
    ok(tool("run|nt.lbr|--events|nt.csv") == 2 && says("no section"), "events without a section: %s", told);
    ok(!strstr(err, "a: "), "which is not about the first run");
    ok(!*out, "before there is anything to show: %s", out);
    ok(tool("run|nt.lbr|--out|nt.csv|--names|plain") == 2 && says("a: |would be called"), "two columns: %s", told);
    ok(!*out, "what the first run is refused for leaves no table: %s", out);
}

static void two_of_a_name(void)
{
    spit("tn.lbr", "canonical q, section\nH = section^2/2 + q^2/2\nstart q = 1\nsection cut: q = 0\n"
                   "run method = stormer-verlet, step = 0.1, steps = 30\n");
    ok(tool("run|tn.lbr|--out|t.csv") == 0, "a variable called section%s", told);
    keep("t.csv");
    ok(tool("run|tn.lbr|--out|t.csv|--events|two.h5|--force") == 2 && says("two.h5|section"), "%s", told);
    ok(untouched() && !there("two.h5"), "samples are what they were");
}

static void resumed(const char *suffix)
{
    char samples[20], events[20];

    snprintf(samples, sizeof samples, "z.%s", suffix), snprintf(events, sizeof events, "ze.%s", suffix);
    spit("rs.lbr", "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1\nsection cut: q = 0\n"
                   "run method = stormer-verlet, step = 0.1, steps = 100\n");
    remove("zk");
    ok(toolf("run|rs.lbr|--out|z.%s|--events|ze.%s|--checkpoint|zk", suffix, suffix) == 0 &&
           toolf("run|rs.lbr|--steps|5000|--out|z.%s|--events|ze.%s|--resume|zk", suffix, suffix) == 0,
       "%s: a run that went on%s", suffix, told);
    keep(samples);
    if (rename(events, "away")) printf("Bail out! %s is not there\n", events), exit(1);
    ok(toolf("run|rs.lbr|--steps|5000|--out|z.%s|--events|ze.%s|--resume|zk", suffix, suffix) == 2 && says(events),
       "events are away: %s", told);
    ok(untouched(), "samples are what they were");
    spit(events, "section,t,q,p\n");
    ok(toolf("run|rs.lbr|--steps|5000|--out|z.%s|--events|ze.%s|--resume|zk", suffix, suffix) == 2 && says(events),
       "events are too few: %s", told);
    ok(untouched(), "samples are what they were");
    if (rename("away", events)) printf("Bail out! away is not there\n"), exit(1);
    ok(toolf("run|rs.lbr|--steps|200|--out|z.%s|--events|ze.%s|--resume|zk", suffix, suffix) == 0 && !untouched(),
       "with all its files it goes on%s", told);
}

static void all(void) { no_section(), no_tables(), two_of_a_name(), resumed("csv"), resumed("h5"); }

int main(void) { return with_tool(all); }
