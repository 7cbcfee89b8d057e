/* test_run_names.c - names of files: what can be known of them is said before anything runs.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define WORLD              \
    "canonical q, p\n"     \
    "H = p^2/2 + q^2/2\n"  \
    "start q = 1, p = 0\n" \
    "run method = stormer-verlet, step = 0.01, steps = %s\n"
#define SYSTEM                                                                                                 \
    "#include <libration.h>\n"                                                                                 \
    "static int force(double t, const double *q, double *f, void *ctx) { *f = -*q; return 0; }\n"              \
    "static const double one = 1, start[] = { 1.5, 0 };\n"                                                     \
    "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.1, 100 };\n"      \
    "int lbr_model(lbr_system *out)\n"                                                                         \
    "{\n"                                                                                                      \
    "    *out = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .defaults = &defaults);\n" \
    "    return 0;\n"                                                                                          \
    "}\n"

/* Runs that would take for ever: what is said comes before. */
static int refused(const char *arguments, const char *words)
{
    pid_t child = begin(arguments, 0);
    int code = -1, status;

    for (int i = 0; i < 1000; i++, rest(0.01))
        if (waitpid(child, &status, WNOHANG) == child) {
            code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
            break;
        }
    if (code == -1) kill(child, SIGKILL), waitpid(child, &status, 0);
    slurp("tool.err", err), slurp("tool.out", out);
    snprintf(told, sizeof told, "%.*s", (int)strcspn(err, "\n"), err);
    return code == 2 && !*out && says(words);
}

/* --- one file for two things ------------------------------------------------------------------------------------- */

/* Models that read data, in whatever statement, and a system in C that includes a file. */
static void reading(void)
{
    static const char *const file[] = { "k.csv", "k.copy", "k.dat" }, *const header[] = { "kk.h", "kk.copy" };
    static const char reads[] = "param k = sum(i = 1..1, read(\"k.%s\")[1,i])\n" WORLD "section s: p = 0\n";
    char text[600];

    for (int i = 0; i < COUNT(file); i++) spit(file[i], "1\n");
    for (int i = 0; i < COUNT(header); i++) spit(header[i], "enum { KK = 3 };\n");
    snprintf(text, sizeof text, reads, "csv", "1000000000000"), spit("reads.lbr", text);
    snprintf(text, sizeof text, reads, "dat", "1000000000000"), spit("reads-dat.lbr", text);
    spit("uses-reads.lbr", "use \"./reads.lbr\"\n");
    snprintf(text, sizeof text, "param k = 1\n" WORLD, "1000000000000"), spit("given.lbr", text);
    snprintf(text, sizeof text, "param k = [[1]]\n" WORLD "run a: p = 0\nrun b: k = read(\"k.csv\")\n",
             "1000000000000");
    spit("run-reads.lbr", text);
    spit("system-h.c", "#include \"kk.h\"\n" SYSTEM);
    if (link("k.csv", "hard-k.csv") || link("kk.h", "hard.h")) printf("# no links here\n");
}

static void same(void)
{
    static const struct {
        const char *arguments, *words;
    } row[] = {
        { "run|ever.lbr|--out|same.csv|--checkpoint|./same.csv|--force", "--out|--checkpoint|same.csv" },
        { "run|ever.lbr|--out|same.csv|--checkpoint|sub/../same.csv|--force", "--out|--checkpoint" },
        { "run|ever.lbr|--out|sub/same.csv|--checkpoint|link/same.csv|--force", "--out|--checkpoint" },
        { "run|ever.lbr|--out|there.csv|--checkpoint|hard.csv|--force", "--out|--checkpoint" },
        { "run|ever.lbr|--out|there.csv|--start|there.csv|--force", "--out|--start" },
        { "run|ever.lbr|--checkpoint|there.csv|--start|./there.csv|--force", "--checkpoint|--start" },
        { "run|ever.lbr|--plot|p.svg|--checkpoint|./p.svg|--force", "--plot|--checkpoint" },
        { "run|ever.lbr|--plot|p.svg|--keep-script|--checkpoint|p.gp|--force", "--plot|--checkpoint|p.gp" },
        { "run|ever.lbr|--plot|there.svg|--keep-script|--start|there.dat|--force", "--plot|--start|there.dat" },
        { "run|ever.lbr|--out|there.csv|--resume|./there.csv|--force", "--out|--resume" },
        { "run|ever.csv|--out|./ever.csv|--force", "--out|model|ever.csv" },
        { "run|ever.lbr|--checkpoint|ever.lbr|--force", "--checkpoint|model|ever.lbr" },
        { "run|uses.lbr|--checkpoint|./ever.lbr|--force", "--checkpoint|model|ever.lbr" },
        { "run|several.lbr|--out|x.csv|--plot|p.svg|--keep-script|--start|x-a.csv|--force", "--out|--start|x-a.csv" },
        { "run|system.c|--out|same.csv|--checkpoint|./same.csv|--steps|1e12|--force", "--out|--checkpoint" },
        { "run|system.c|--checkpoint|./system.c|--steps|1e12|--force", "--checkpoint|system.c" },
        { "compare|ever.lbr|--methods|rk4|--plot|there.svg|--start|./there.svg|--force", "--plot|--start" },
        { "run|ever.lbr|--out|o.csv|--checkpoint|./tool.out|--force", "--checkpoint|standard output" },
        { "run|reads.lbr|--out|k.csv|--force", "data that the model reads|--out|k.csv" },
        { "run|reads.lbr|--out|./sub/../k.csv|--force", "data|--out" },
        { "run|reads.lbr|--out|hard-k.csv|--force", "data|--out" },
        { "run|reads.lbr|--events|k.csv|--force", "data|--events" },
        { "run|reads.lbr|--checkpoint|k.csv|--force", "data|--checkpoint|k.csv" },
        { "run|reads-dat.lbr|--plot|k.svg|--keep-script|--force", "data|--plot|k.dat" },
        { "run|uses-reads.lbr|--checkpoint|k.csv|--force", "data|--checkpoint" },
        { "run|uses-reads.lbr|--out|hard-k.csv|--force", "data|--out" },
        { "run|run-reads.lbr|--out|k.csv|--run|b|--force", "data|--out" },
        { "run|given.lbr|--set|k=sum(i = 1..1, read(\"k.csv\")[1,i])|--out|k.csv|--force", "data|--out|k.csv" },
        { "run|system-h.c|--checkpoint|kk.h|--steps|1e12|--force", "includes|--checkpoint|kk.h" },
        { "run|system-h.c|--checkpoint|sub/../kk.h|--steps|1e12|--force", "includes|--checkpoint" },
        { "run|system-h.c|--checkpoint|hard.h|--steps|1e12|--force", "includes|--checkpoint" },
        { "compare|reads-dat.lbr|--methods|rk4|--plot|k.svg|--keep-script|--force", "data|--plot|k.dat" },
    };
    static char before[MOST], after[MOST];

    reading();
    slurp("ever.lbr", before);
    for (int i = 0; i < COUNT(row); i++) ok(refused(row[i].arguments, row[i].words), "%s: %s", row[i].arguments, told);
    ok(same_files("k.csv", "k.copy") && same_files("kk.h", "kk.copy"), "what models read is as it was");
    ok(!strcmp(before, slurp("ever.lbr", after)) && !there("same.csv") && !there("o.csv"), "nothing was written");
    ok(tool("run|short.lbr|--checkpoint|c.save") == 0 &&
           tool("run|short.lbr|--resume|./c.save|--checkpoint|c.save|--steps|200") == 0,
       "a checkpoint may be read and written%s", told);
    ok(tool("run|short.lbr|--out|sub/two.csv|--checkpoint|two.csv") == 0,
       "two files of one name in two folders are two files%s", told);
}

/* --- names, folders, permissions --------------------------------------------------------------------------------- */

static void names(void)
{
    char name[300], arguments[700];

    memset(name, 'n', sizeof name), memcpy(name + 245, ".csv", 5); /* 249 bytes: a table of that name can be */
    snprintf(arguments, sizeof arguments, "run|short.lbr|--out|%s", name);
    ok(tool(arguments) == 0 && there(name), "a name of 249 bytes%s", told);
    snprintf(arguments, sizeof arguments, "run|ever.lbr|--checkpoint|%s|--force", name);
    ok(refused(arguments, "too long|238"), "is too long for what is written beside it: %s", told);
    memcpy(name + 245, ".svg", 5);
    snprintf(arguments, sizeof arguments, "run|ever.lbr|--plot|%s", name);
    ok(refused(arguments, "too long"), "as is that of a picture: %s", told);
    memset(name + 244, 'n', 20), memcpy(name + 264, ".csv", 5);
    snprintf(arguments, sizeof arguments, "run|several.lbr|--out|%s", name);
    ok(refused(arguments, "too long"), "a table's own: %s", told);
}

static void places(void)
{
    static const struct {
        const char *arguments, *words;
    } row[] = {
        { "run|ever.lbr|--out|none/x.csv", "none/x.csv|No such" },
        { "run|ever.lbr|--checkpoint|none/x.save", "none/x.save|No such" },
        { "run|ever.lbr|--plot|none/x.svg", "none/x.svg|No such" },
        { "run|ever.lbr|--out|short.lbr/x.csv", "short.lbr/x.csv|Not a directory" },
        { "run|ever.lbr|--resume|none.save", "none.save|No such" },
        { "run|ever.lbr|--resume|sub", "sub|regular file" },
        { "run|ever.lbr|--start|none.csv", "none.csv|no such" },
        { "run|ever.lbr|--checkpoint|sub|--force", "sub|folder" },
        { "run|ever.lbr|--out|x.txt", ".csv" },
        { "run|several.lbr|--out|x.csv", "x-b.csv|--force" },
        { "run|several.lbr|--out|none/x.csv", "none/x-a.csv|No such" },
        { "run|system.c|--out|none/x.csv|--steps|1e12", "none/x.csv|No such" },
        { "run|ever.lbr|--out|sub/", ".csv" },
    };

    spit("x-b.csv", "mine\n");
    for (int i = 0; i < COUNT(row); i++)
        ok(refused(row[i].arguments, row[i].words) && !there("x-a.csv"), "%s: %s", row[i].arguments, told);
    if (!geteuid()) {
        ok(1, "folders that are not writable # SKIP everything is to root");
        return;
    }
    mkdir("closed", 0500);
    ok(refused("run|ever.lbr|--out|closed/x.csv", "closed/x.csv|denied") &&
           refused("run|ever.lbr|--checkpoint|closed/x.save", "denied"),
       "a folder that is not writable: %s", told);
}

static void all(void)
{
    char text[400];

    snprintf(text, sizeof text, WORLD, "1000000000000"), spit("ever.lbr", text), spit("ever.csv", text);
    snprintf(text, sizeof text, WORLD, "100"), spit("short.lbr", text);
    spit("uses.lbr", "use \"ever.lbr\"\n"), spit("system.c", SYSTEM);
    snprintf(text, sizeof text, WORLD "run a: p = 0\nrun b: p = 1\n", "1000000000000"), spit("several.lbr", text);
    spit("there.csv", "1,0\n"), spit("there.dat", "1,0\n"), spit("there.svg", "1,0\n"), mkdir("sub", 0700);
    if (link("there.csv", "hard.csv") || symlink("sub", "link")) printf("# no links here\n");
    setenv("LIBRATION_GNUPLOT", "/bin/true", 1); /* nothing is drawn here */
    same(), names(), places();
}

int main(void) { return with_tool(all); }
