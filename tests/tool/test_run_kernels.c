/* test_run_kernels.c - models as machine code: what stands in its way, what it must not change, what is compiled how
 * often. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* unshare */
#include "support/compilers.h"

#include <sched.h>
#include <sys/mount.h>

#define PENDULUM "param g = 1.5\ncanonical q, p\nH = p^2/2 - g*cos(q)\nstart q = 1.25, p = 0\n"
#define VERLET   "run method = stormer-verlet, step = 0.1, steps = 20\n"
#define KEPLER                                                       \
    "canonical q[2], p[2]\n"                                         \
    "H = sq(p)/2 - 1/norm(q)\n"                                      \
    "invariant L = cross(q, p), A = [p[2]*L, -p[1]*L] - q/norm(q)\n" \
    "start q = [0.4, 0], p = [0, 2]\n"                               \
    "run method = stormer-verlet, step = 0.01, steps = 100\n"
#define POLAR                                   \
    "canonical q[2], p[2]\n"                    \
    "H = (p[1]^2 + p[2]^2/q[1]^2)/2 - 1/q[1]\n" \
    "invariant L = p[2]\n"                      \
    "start q = [0.5, 0], p = [0, 1]\n"          \
    "run method = stormer-verlet, step = 0.01, steps = 100\n" /* no template: its functions are compiled */

/* --- compilers --------------------------------------------------------------------------------------------------- */

static void bad_compilers(void)
{
    static const struct {
        const char *what, *script, *says;
    } row[] = { { "fails", "echo 'kernel.c:1: error: I will not' >&2; exit 1", "interpreted|I will not" },
                { "says what would steer a terminal", "printf 'error: a\\233b\\302\\205c\\303\\251\\n' >&2; exit 1",
                  "interpreted|error: a b  c\303\251" },
                { "fails without a word", "exit 1", "interpreted|said nothing" },
                { "is killed", "kill -9 $$", "interpreted|failed" },
                { "makes nothing", "exit 0", "interpreted|nothing" },
                { "makes an empty file", ": >\"$out\"", "interpreted|shared object" },
                { "makes nonsense", "cat /bin/sh | head -c 3000 >\"$out\"", "interpreted|shared object" },
                { "leaves half of it", "compile \"$@\"; head -c 3000 \"$out\" >\"$out.h\"; mv \"$out.h\" \"$out\"",
                  "interpreted|shared object" },
                { "makes something else", "echo 'int x;' >\"$out.c\"; compile -shared -fPIC -o \"$out\" \"$out.c\"",
                  "interpreted" } };
    static char was[1 << 15];

    model(PENDULUM VERLET), new_cache();
    setenv("LIBRATION_CC", "/nonexistent", 1);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter",
               "interpreted|no compiler '/nonexistent'|LIBRATION_CC") &&
           number("compile_seconds") == 0,
       "no compiler: %s", told);
    ok(tool("run|m.lbr|--compile|wait") == 0 && !*err && count(out, "note:") == 1 && strstr(out, "interpreted"),
       "for people: a line below the table");
    ok(tool("run|m.lbr|--no-compile") == 0 && !*err && !strstr(out, "note:"), "--no-compile: none is missed");
    setenv("LIBRATION_CC", here, 1);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter", "interpreted|no compiler"), "a folder: %s",
       told);
    setenv("LIBRATION_CC", "cc; touch touched", 1);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter", "no compiler") && !there("touched"),
       "no shell reads it: %s", told);
    for (int i = 0; i < COUNT(row); i++) {
        compiler(row[i].script);
        ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter", row[i].says) && !kernels(),
           "one that %s: %s", row[i].what, told);
    }
    unsetenv("LIBRATION_CC"), shell("mkdir -p empty");
    snprintf(was, sizeof was, "%s", getenv("PATH")), setenv("PATH", in("empty"), 1);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter", "interpreted|no compiler 'cc'"),
       "none in PATH: %s", told);
    setenv("PATH", was, 1);
    good_compiler();
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "") && number("compile_seconds") > 0 &&
           kernels() == 1 && calls() == 1,
       "a good one: fused, and nothing is said");
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "") && number("compile_seconds") == 0 && calls() == 0,
       "and cached: no seconds, no call");
    ok(goes_on(tool("run|m.lbr|--json|--no-compile"), "interpreter", "") && calls() == 0,
       "--no-compile does not call it");
    setenv("LIBRATION_CC", "/nonexistent", 1);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter", "no compiler"),
       "what another compiler has made is not used");
}

#define RUNS                                \
    "run a: method = rk4\n"                 \
    "run b: method = gauss:2\n"             \
    "run c[k = 1..3]: g = 1.5 + k, q = k\n" \
    "run d: compensated = yes\n"            \
    "run e: method = explicit-euler\n"

static void several(void)
{
    double began;

    spit("m.lbr", PENDULUM VERLET RUNS), new_cache();
    setenv("LIBRATION_CC", "/nonexistent", 1);
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && members("runs") == 7 &&
           is_text("runs[6].kernel", "interpreter") && sentence("interpreted|no compiler"),
       "seven runs, one sentence: %s", told);
    ok(tool("run|m.lbr|--compile|wait") == 0 && !*err && count(out, "note:") == 1, "for people, too");
    ok(tool("compare|m.lbr|--compile|wait|--run|a|--methods|rk4,gauss:2") == 0 && !*err && count(out, "note:") == 1 &&
           tool("compare|m.lbr|--compile|wait|--run|a|--methods|rk4,gauss:2|--json") == 0 &&
           sentence("interpreted|no compiler"),
       "and when methods are compared");
    ok(tool("compare|m.lbr|--run|a|--methods|rk4|--no-compile") == 0 && !*err && !count(out, "note:"),
       "unless it was asked for");
    compiler("sleep 20; compile \"$@\""), setenv("LIBRATION_CC_SECONDS", "1", 1);
    began = seconds();
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && sentence("interpreted|1 seconds|LIBRATION_CC_SECONDS") &&
           members("runs") == 7 && !litter(),
       "a compiler that hangs: %s", told);
    ok(seconds() - began > 0.9 && seconds() - began < 4 && calls() == 1, "is waited for once");
    unsetenv("LIBRATION_CC_SECONDS");
    good_compiler();
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && !*err && calls() == 5 && kernels() == 5,
       "five kernels for seven runs: three values of a parameter share one");
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && !*err && calls() == 0 &&
           number("runs[0].compile_seconds") == 0 && number("runs[5].compile_seconds") == 0,
       "the next time: none");
    new_cache();
    ok(tool("run|m.lbr|--compile|wait|--json|--run|b") == 0 && number("compile_seconds") > 0,
       "a run alone has the seconds of its kernel");
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && number("runs[0].compile_seconds") > 0,
       "each run has the seconds of its own kernel, not those of runs before");
    ok(number("runs[1].compile_seconds") == 0, "the second run has the first one's kernel");
    ok(number("runs[2].compile_seconds") > 0 && number("runs[3].compile_seconds") == 0, "and so with the other two");
}

/* --- caches ------------------------------------------------------------------------------------------------------ */

/* The tool as a user who owns nothing here; 99: it cannot even be started. */
static int as_nobody(const char *arguments)
{
    pid_t child;
    int status = 0;

    shell("chmod 711 .; chmod 755 compiler; mkdir -p nobody/tmp; cp m.lbr nobody; touch calls kept.c; chown -R 65534 "
          "nobody calls kept.c");
    fflush(stdout);
    if (!(child = fork())) {
        setenv("TMPDIR", in("nobody/tmp"), 1);
        if (chdir("nobody") || setgid(65534) || setuid(65534)) _exit(99);
        _exit(tool(arguments));
    }
    waitpid(child, &status, 0);
    slurp("nobody/tool.out", out), slurp("nobody/tool.err", err);
    if (*err) err[strlen(err) - 1] = 0;
    snprintf(told, sizeof told, "%.250s", err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void bad_caches(void)
{
    static const struct {
        const char *what, *make, *says;
        int root;
    } row[] = { { "is a link", "mkdir -m 700 real; ln -s real cache", "link", 0 },
                { "is a link to nowhere", "ln -s nowhere cache", "link", 0 },
                { "is a file", "echo >cache", "not a folder", 0 },
                { "others may write to", "mkdir cache; chmod 777 cache", "others may write", 0 },
                { "is somebody else's", "mkdir -m 700 cache; chown 12345 cache", "another user", 1 } };
    int code;

    model(PENDULUM VERLET);
    for (int i = 0; i < COUNT(row); i++) {
        if (row[i].root && getuid()) {
            ok(1, "a cache that %s # skip only root can make one", row[i].what);
            continue;
        }
        new_cache(), good_compiler(), shell("%s", row[i].make);
        ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "not kept") && says(row[i].says) &&
               number("compile_seconds") > 0 && calls() == 1,
           "a cache that %s: %s", row[i].what, told);
        ok(tool("cache") == 4 && !*out && says(row[i].says) && tool("cache|--clear") == 4 && !names("real", ""),
           "which libration cache refuses");
        shell("rm -rf cache real");
    }
    unsetenv("LIBRATION_CACHE"), unsetenv("XDG_CACHE_HOME"), unsetenv("HOME");
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "HOME"), "no place for a cache: %s", told);
    setenv("XDG_CACHE_HOME", in("xdg"), 1);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "") && names("xdg/libration", ".so") == 1,
       "XDG_CACHE_HOME is a place");
    unsetenv("XDG_CACHE_HOME"), setenv("HOME", in("home"), 1), mkdir("home", 0700);
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "") && names("home/.cache/libration", ".so") == 1,
       "and so is HOME");
    new_cache(), shell("mkdir -m 555 cache");
    code = getuid() ? tool("run|m.lbr|--compile|wait|--json")
                    : (shell("chown 65534 cache"), as_nobody("run|m.lbr|--compile|wait|--json"));
    if (code == 99) ok(1, "a cache that is read-only # skip nobody cannot start the tool here");
    else {
        ok(code == 0 && is_text("kernel", "fused") && same(), "a cache that is read-only: %s", told);
        ok(sentence("not kept|denied"), "a sentence says so");
        ok(!names("nobody/tmp", "") && !names("tmp", ""), "and nothing is left lying about");
    }
}

static void bad_entries(void)
{
    static const struct {
        const char *what, *make;
    } row[] = { { "truncated", "truncate -s 5000 $e" },
                { "empty", ": >$e" },
                { "without its last byte", "truncate -s -1 $e" },
                { "foreign", "cat other >$e" },
                { "another program", "cat /bin/sh >$e" },
                { "a link", "mv $e there.so; ln -s ../there.so $e" },
                { "a pipe", "rm $e; mkfifo $e" },
                { "writable by others", "chmod 666 $e" },
                { "a folder", "rm $e; mkdir $e" } };

    good_compiler(), new_cache();
    spit("m.lbr", KEPLER);
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && kernels() == 1, "a kernel, to be put in another's place"),
        shell("mv cache/*.so other; rm -rf cache");
    model(PENDULUM VERLET);
    for (int i = 0; i < COUNT(row); i++) {
        new_cache(), good_compiler(), tool("run|m.lbr|--compile|wait|--json");
        shell("e=$(ls cache/*.so); %s", row[i].make), calls();
        ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused",
                   i < COUNT(row) - 1 ? "damaged|again" : "not kept|cache") &&
               calls() == 1,
           "an entry that is %s: %s", row[i].what, told);
        if (i < COUNT(row) - 1)
            ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "") && calls() == 0, "and then it is whole");
    }
}

static void at_once(void)
{
    enum { N = 3 };
    static const char *const file[N] = { "one", "two", "three" };
    pid_t child[N];
    int good = 1;

    model(PENDULUM VERLET), new_cache(), compiler("sleep 0.5; compile \"$@\"");
    for (int i = 0; i < N; i++) out_file = file[i], child[i] = begin("run|m.lbr|--compile|wait|--json", 0);
    for (int i = 0; i < N; i++)
        out_file = file[i], good &= end(child[i]) == 0 && is_text("kernel", "fused") && same() && !*err;
    out_file = "tool.out";
    ok(good && !litter() && kernels() == 1 && calls() > 1,
       "%d runs at once with an empty cache: each has its kernel, one is kept", N);
}

/* --- full disks, signals ----------------------------------------------------------------------------------------- */

/* How the runs went on, one after the other on a little more room: none may end otherwise than well, with one sentence
 * if there is not enough. */
typedef struct outcomes {
    int bad, interpreted, functions, unkept, fused;
} outcomes;

static void went_on(outcomes *o, int code)
{
    if (code || !same() || litter()) o->bad++;
    else if (is_text("kernel", "interpreter") && sentence("interpreted")) o->interpreted++;
    else if (is_text("kernel", "compiled") && sentence("functions alone")) o->functions++;
    else if (is_text("kernel", "fused") && sentence("not kept")) o->unkept++;
    else if (is_text("kernel", "fused") && !*err) o->fused++;
    else o->bad++;
    if (o->bad) printf("# %s\n", told);
}

static void full(const char *what, const outcomes *o)
{
    ok(!o->bad && o->interpreted >= 2 && o->fused >= 1,
       "%s: interpreted %d times, functions alone compiled %d, fused and not kept %d, fused %d", what, o->interpreted,
       o->functions, o->unkept, o->fused);
}

static void full_disks(void)
{
    outcomes limit = { 0 }, disk = { 0 };

    model(PENDULUM VERLET), good_compiler();
    for (rlim_t most = 3000; most < 50000; most = most * 5 / 4)
        new_cache(), went_on(&limit, end(begin("run|m.lbr|--compile|wait|--json", most)));
    full("files that may not grow", &limit);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("none", "tmp", "tmpfs", 0, "size=4k")) {
        ok(1, "a full disk # skip nothing can be mounted here");
        return;
    }
    new_cache(), calls();
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "interpreter", "interpreted|No space left") && calls() == 0,
       "a disk without room for the source: %s", told);
    for (int pages = 3; pages < 18; pages += 2) {
        char size[40];

        snprintf(size, sizeof size, "size=%dk", 4 * pages);
        if (umount("tmp") || mount("none", "tmp", "tmpfs", 0, size)) break;
        new_cache(), went_on(&disk, tool("run|m.lbr|--compile|wait|--json"));
    }
    full("disks that fill while compiling", &disk);
    umount("tmp"), new_cache(), shell("mkdir -m 700 cache");
    if (mount("none", "cache", "tmpfs", 0, "size=8k,mode=700")) return;
    ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), "fused", "not kept|No space left") && !names("cache", ""),
       "a cache on a full disk: %s", told);
    umount("cache");
}

static void signals(void)
{
    static const int signal[] = { SIGINT, SIGTERM };
    int pid;

    spit("m.lbr", PENDULUM VERLET RUNS);
    for (int i = 0; i < COUNT(signal); i++) {
        double began = seconds();
        pid_t child;
        int code;

        new_cache(), compiler("echo $$ >pid; sleep 20; compile \"$@\""), remove("pid");
        child = begin("run|m.lbr|--compile|wait|--json", 0);
        while (!lines("pid") && seconds() - began < 10) rest(0.01);
        kill(child, signal[i]), code = end(child);
        ok(code == 130 && seconds() - began < 15, "a signal while it is compiling: %s", told);
        ok(strchr(err, '\n') == strrchr(err, '\n') && says("not begun|interrupted"), "is told in one line");
        ok(!litter() && !kernels(), "and nothing is left of it");
        pid = atoi(slurp("pid", out));
        ok(pid > 1 && kill(pid, 0), "and the compiler has gone, too");
    }
}

/* --- how often --------------------------------------------------------------------------------------------------- */

static void how_often(void)
{
    const char *data = getenv("LBR_SOURCE");
    char scan[4200];

    new_cache(), good_compiler();
    spit("m.lbr", PENDULUM VERLET "run v[k = 1..20]: g = 1.25 + k/7, q = k/10, step = 0.1/k, steps = 10*k\n");
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && !*err && members("runs") == 20 && calls() == 1 && kernels() == 1,
       "parameters, starts and steps of twenty runs: compiled once");
    ok(tool("run|m.lbr|--compile|wait|--json|--set|g=3.5|--monitor|off|--every|3") == 0 && calls() == 0,
       "nor again for another monitor");
    ok(tool("run|m.lbr|--compile|wait|--json|--method|kahan-li-8-17") == 0 && calls() == 0,
       "another composition of kicks and drifts: the same loop, other numbers");
    ok(tool("run|m.lbr|--compile|wait|--json|--method|rk4") == 0 && calls() == 1,
       "other loops have kernels of their own");
    ok(tool("run|m.lbr|--compile|wait|--json|--method|gauss:2") == 0 && calls() == 1, "Gauss with 2 stages");
    ok(tool("run|m.lbr|--compile|wait|--json|--method|gauss:3") == 0 && calls() == 1, "Gauss with 3 stages");
    spit("m.lbr", "param n = 3\n"
                  "canonical q[n], p[n]\n"
                  "H = sq(p)/2 + sum(i = 1..n, q[i]^4)/4\n"
                  "start q[i = 1..n] = 0.5, p[i = 1..n] = 0\n" VERLET);
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && !*err && calls() == 1, "so have other sizes");
    ok(tool("run|m.lbr|--compile|wait|--json|--set|n=4") == 0 && calls() == 1, "a second size");
    ok(tool("run|m.lbr|--compile|wait|--json|--set|n=3") == 0 && calls() == 0, "and the first again is there");
    if (!data) return;
    new_cache(), snprintf(scan, sizeof scan, "%s/tests/data/models/experiments/frequency-scan.lbr", data);
    ok(toolf("run|%s|--json|--compile|wait|--method|stormer-verlet|--steps|3", scan) <= 3 && members("runs") == 361 &&
           is_text("runs[360].kernel", "fused") && calls() == 1,
       "a scan of 361 frequencies: compiled once");
}

static void commands(void)
{
    new_cache(), good_compiler();
    ok(tool("cache|--json") == 0 && is_text("folder", in("cache")), "libration cache, before there is one");
    ok(number("kernels") == 0 && number("bytes") == 0 && is_null("removed"), "it is empty");
    ok(!there("cache"), "and is not made by asking");
    spit("m.lbr", PENDULUM VERLET RUNS), tool("run|m.lbr|--compile|wait");
    ok(tool("cache|--json") == 0 && number("kernels") == 5 && number("bytes") > 5000, "and with five kernels");
    ok(tool("cache") == 0 && strstr(out, "kernels  5") && strstr(out, in("cache")), "also for people");
    shell("echo mine >cache/mine; echo more >cache/mine.so");
    ok(tool("cache|--clear|--json") == 0 && number("removed.kernels") == 5 && number("kernels") == 0 &&
           !strcmp(slurp("cache/mine", out), "mine\n") && there("cache/mine.so"),
       "--clear takes what is ours and nothing else");
    ok(tool("cache|--claer") == 2 && says("'--claer'") && tool("cache|x") == 2 && says("'x'"),
       "what it does not know: %s", told);
}

/* --- what is written --------------------------------------------------------------------------------------------- */

/* One model with any names: a parameter, two quantities, an abbreviation, a function with its argument, an invariant,
 * something observed, a run. */
#define WITH(title, a, q, p, b, f, x, I, o, r)                     \
    "title \"" title "\"\n"                                        \
    "source \"" title "\"\n"                                       \
    "param " a " = 1.5\n"                                          \
    "canonical " q ", " p "\n"                                     \
    "let " b " = " a "*2\n"                                        \
    "let " f "(" x ") = " a "*cos(" x ")\n"                        \
    "H = " p "^2/2 - " f "(" q ") + " b "*" q "^2\n"               \
    "invariant " I " = " p "^2/2 - " f "(" q ") + " b "*" q "^2\n" \
    "observe " o " = " q "*2\n"                                    \
    "start " q " = 1.25, " p " = 0\n"                              \
    "run " r ": method = stormer-verlet, step = 0.1, steps = 20 # " title "\n"
#define LONG10 "wombatwombat"
#define LONG   LONG10 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10 LONG10

static void text(void)
{
    static char plain[MOST], other[MOST];
    static const char *const model_text[] = {
        WITH("the wombat; */ int main(void) {", "wombat_a", "wombat_q", "wombat_p", "wombat_b", "wombat_f", "wombat_x",
             "wombat_I", "wombat_o", "wombat_r"),
        WITH("\\\\\\\" #include wombat %s %n", "system", "restrict", "asm", "K", "REAL", "main", "int", "NAN",
             "double"),
        WITH("wombat", "fma", "f0", "x0", "out", "sqrt", "r2", "lbr_kernel", "entry", "while"),
        WITH("wombat", "OP_ADD", "c", "S_MUL", "LINE__", "FORCE", "a", "WATCH", "N", "goto"),
        WITH("wombat", LONG "a", LONG "q", LONG "p", LONG "b", LONG "f", LONG "x", LONG "I", LONG "o", LONG "r")
    };

    good_compiler(), new_cache();
    spit("m.lbr", WITH("t", "a1", "q1", "p1", "b1", "f1", "x1", "I1", "o1", "r1"));
    ok(tool("run|m.lbr|--json|--no-compile") == 0 && !*err && *part("\"state\"", "\"names\"", expected),
       "a model with plain names");
    ok(tool("run|m.lbr|--compile|wait|--json") == 0 && !*err && calls() == 1 &&
           !strcmp(part("\"state\"", "\"names\"", got), expected),
       "its kernel"),
        slurp("kept.c", plain);
    for (int i = 0; i < COUNT(model_text); i++) {
        int code;

        spit("m.lbr", model_text[i]), new_cache(), remove("kept.c");
        code = tool("run|m.lbr|--compile|wait|--json");
        ok(code == 0 && !*err && calls() == 1 && !strcmp(slurp("kept.c", other), plain) &&
               !strcmp(part("\"state\"", "\"names\"", got), expected),
           "%.*s: the same source to the last letter %s", (int)strcspn(strstr(model_text[i], "param ") + 6, " "),
           strstr(model_text[i], "param ") + 6, told);
        ok(*other && !strcasestr(other, "wombat") && !strstr(other, "m.lbr") && !strstr(other, here),
           "in which none of its words occurs");
    }
}

/* --- what stays the same ----------------------------------------------------------------------------------------- */

static void checkpoints(void)
{
    static const struct {
        const char *text, *kernel;
    } row[] = { { KEPLER, "fused" }, { POLAR, "compiled" } };

    usual_cache(), unsetenv("LIBRATION_CC");
    for (int i = 0; i < COUNT(row); i++) {
        model(row[i].text);
        ok(goes_on(tool("run|m.lbr|--compile|wait|--json"), row[i].kernel, ""), "%s: the same bits", row[i].kernel);
        remove("c.chk"), remove("d.chk");
        ok(tool("run|m.lbr|--compile|wait|--json|--steps|37|--checkpoint|c.chk") == 0 &&
               tool("run|m.lbr|--json|--no-compile|--steps|37|--checkpoint|d.chk") == 0,
           "37 steps by each");
        ok(goes_on(tool("run|m.lbr|--compile|wait|--json|--resume|c.chk"), row[i].kernel, ""),
           "goes on with its own kind, without a word");
        ok(goes_on(tool("run|m.lbr|--json|--resume|c.chk|--no-compile"), "interpreter", "another kernel|interpreter") &&
               says(row[i].kernel),
           "with the interpreter: %s", told);
        ok(goes_on(tool("run|m.lbr|--compile|wait|--json|--resume|d.chk"), row[i].kernel,
                   "another kernel|interpreter") &&
               says(row[i].kernel),
           "and the other way: %s", told);
    }
}

static void monitors(void)
{
    static const char *const value[] = { "every", "samples", "off" }, *const method[] = { "stormer-verlet",
                                                                                          "kahan-li-8-17",
                                                                                          "rk4",
                                                                                          "gauss:2",
                                                                                          "symplectic-euler",
                                                                                          "implicit-euler" },
                             *const text[] = { KEPLER, POLAR };
    double worst[COUNT(value)];

    usual_cache(), unsetenv("LIBRATION_CC");
    for (int i = 0; i < COUNT(text); i++)
        for (int j = 0; j < COUNT(method); j++) {
            int good = 1;

            spit("m.lbr", text[i]);
            for (int k = 0; k < COUNT(value); k++) {
                good &= toolf("run|m.lbr|--json|--every|7|--method|%s|--monitor|%s|--no-compile", method[j],
                              value[k]) == 0 &&
                        *part("\"t\":", "\"failure\"", expected);
                good &= toolf("run|m.lbr|--compile|wait|--json|--every|7|--method|%s|--monitor|%s", method[j],
                              value[k]) == 0 &&
                        same() && !is_text("kernel", "interpreter");
                worst[k] = number("energy.max_error"),
                good &= is_null("energy.max_error") == (k == 2) && is_null("invariants.L.max_error") == (k == 2);
            }
            ok(good && worst[1] <= worst[0] && worst[0] > 0, "%s, %s: the same errors for each monitor",
               i ? "polar" : "Kepler", method[j]);
        }
}

static void instruction_sets(void)
{
    static const char *const value[] = { "baseline", "v3", "v4", "auto" };
    int there_are = 0;

    model(KEPLER), good_compiler(), new_cache();
    for (int k = 0; k < COUNT(value); k++) {
        char march[60];
        int code = toolf("run|m.lbr|--compile|wait|--json|--isa|%s", value[k]);

        slurp("calls", got), snprintf(march, sizeof march, "-march=x86-64-%s", value[k]);
        if (code) ok(code == 2 && says("isa") && !*out && !there("calls"), "%s: %s", value[k], told);
        else if (k == 3) ok(goes_on(code, "fused", "") && (calls() == 0 || there_are == 0), "auto is one of them");
        else
            ok(goes_on(code, "fused", "") &&
                   (!strstr(got, "-march=") ||
                    (k ? strstr(got, march) != NULL : !strstr(got, "-v3") && !strstr(got, "-v4"))) &&
                   calls() == 1 && ++there_are,
               "%s: a kernel of its own, the same bits", value[k]);
    }
    ok(there_are >= 1 && kernels() == there_are, "%d instruction sets, a kernel for each", there_are);
}

/* Where the first step fails nothing can be compared, and what was not compared is not trusted by the next run. */
static void no_step(void)
{
    static char want[1 << 15];
    const char *b;

    spit("two.lbr", "canonical q, p\nH = p^2/2 - q - 1.375*q^3\nstart q = 0.1, p = 0\nrun method = gauss:2\n"
                    "run a: step = 1e300, steps = 3\nrun b: step = 0.125, steps = 6\n");
    ok(tool("run|two.lbr|--no-compile|--json") != 0 && (b = strstr(out, "\"b\"")) && strstr(b, "\"state\""),
       "a run whose first step fails, and another");
    snprintf(want, sizeof want, "%.200s", (b = strstr(out, "\"b\"")) && (b = strstr(b, "\"state\"")) ? b : "");
    new_cache();
    compiler("for a; do case $a in *.c) sed -i '0,/ = OP_MUL(/s// = OP_ADD(/' \"$a\" ;; esac; done; compile \"$@\"");
    ok(tool("run|two.lbr|--compile|wait|--json") != 0 && (b = strstr(out, "\"b\"")) && (b = strstr(b, "\"state\"")) &&
           !strncmp(b, want, strcspn(want, "]")),
       "with a compiler that lies: the numbers of the second are those of the interpreter");
}

static void tests(void)
{
    if (!with_compiler()) return;
    bad_compilers(), no_step(), several(), bad_caches(), bad_entries(), at_once(), signals(), how_often(), commands(),
        text(), checkpoints(), monitors(), instruction_sets();
    full_disks(); /* mounts: last */
}

int main(void) { return with_tool(tests); }
