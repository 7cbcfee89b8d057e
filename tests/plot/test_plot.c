/* test_plot.c - pictures: every kind of file, hostile texts, gnuplot that is missing or fails, full disks, thinning.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. What needs gnuplot is skipped where there is none; the rest uses programs in
 * its place. */
#include "support/pictures.h"
#include "support/heap.h"

static void kinds_of_files(void)
{
    static const char *const good[] = { "x.svg", "x.png", "x.pdf", "a.b.svg" }, *const bad[] = {
        "x", "x.jpg", ".svg", "x.svg.gz", "x.eps", "svg", "x.", "x.sv"
    };
    lbr_plot p = simple();

    for (int k = 0; k < COUNT(bad); k++) {
        ok(write_to(&p, bad[k], 0, 0) == LBR_EARG && strstr(message.text, ".svg, .png or .pdf"), "%s: %s", bad[k],
           message.text);
        ok(lbr_plot_check(in(bad[k]), 0, 0, &message) == LBR_EARG && !there(in(bad[k])),
           "and the check before a run says so too");
    }
    ok(lbr_plot_write(&p, NULL, 0, 0, &message) == LBR_EARG && lbr_plot_write(&p, "", 0, 0, &message) == LBR_EARG,
       "no name: %s", message.text);
    for (int k = 0; k < COUNT(good) && need("kinds of files"); k++)
        for (int style = 0; style <= LBR_PLOT_LINESPOINTS; style++) {
            p.style = (lbr_plot_style)style;
            ok(write_to(&p, good[k], 0, 1) == LBR_OK && there(in(good[k])) && clean(), "%s with style %d %s", good[k],
               style, message.text);
        }
    ok(lbr_plot_style_find("dots") == LBR_PLOT_DOTS && lbr_plot_style_find("linespoints") == LBR_PLOT_LINESPOINTS &&
           lbr_plot_style_find("bars") < 0,
       "styles by name");
}

/* --- gnuplot that is not there, or not well ---------------------------------------------------------------------- */

static void missing(void)
{
    lbr_plot p = simple();
    char home[4096];

    setenv("PATH", "", 1);
    ok(write_to(&p, "m.svg", 0, 0) == LBR_EIO && strstr(message.text, "gnuplot-nox") && !there(in("m.svg")) && clean(),
       "an empty PATH: %s", message.text);
    ok(lbr_plot_check(in("m.svg"), 0, 0, &message) == LBR_EIO, "and the check before a run says so too");
    unsetenv("PATH");
    ok(write_to(&p, "m.svg", 0, 0) == LBR_EIO, "no PATH");
    make(in("gnuplot"), "#!/bin/sh\ntouch ../../RAN\n", 0700);
    if (!getcwd(home, sizeof home) || chdir(scratch)) exit(1);
    setenv("PATH", ".::relative", 1);
    ok(write_to(&p, "m.svg", 0, 0) == LBR_EIO && !there("RAN"), "a gnuplot in the current folder is not run");
    setenv("LIBRATION_GNUPLOT", "./gnuplot", 1);
    setenv("PATH", real_path, 1);
    ok(write_to(&p, "m.svg", 0, 0) == LBR_EIO && there("RAN"), "unless it is named: %s", message.text);
    setenv("LIBRATION_GNUPLOT", "./tmp", 1);
    ok(write_to(&p, "m.svg", 0, 0) == LBR_EIO && strstr(message.text, "LIBRATION_GNUPLOT"), "a folder: %s",
       message.text);
    make(in("text"), "no program", 0700);
    setenv("LIBRATION_GNUPLOT", "./text", 1);
    ok(write_to(&p, "m.svg", 0, 0) == LBR_EIO && strstr(message.text, "could not be started") && clean(),
       "not a program: %s", message.text);
    if (chdir(home)) exit(1);
    honest();
}

static void failing(void)
{
    static const struct {
        const char *body, *says;
    } list[] = {
        { "echo >&2; echo '\"picture.gp\" line 7: bad \033[1mthing' >&2; exit 1", "failed: bad  [1mthing" },
        { "exit 3", "status 3" },
        { "kill -9 $$", "signal 9" },
        { "exit 0", "has not written" },
        { "printf '<?xml half' >picture.svg", "not finished" },
        { ": >picture.svg", "not finished" },
        { "mkdir picture.svg; rmdir picture.svg", "has not written" },
        { "i=0; while [ $i -lt 5000 ]; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2; i=$((i+1)); done; "
          "exit 1",
          "failed: xxx" },
        { "exec 2>&-; exit 1", "said nothing" },
        { "ln -s /etc/hostname picture.svg", "" },
    };
    lbr_plot p = simple();

    for (int k = 0; k < COUNT(list); k++) {
        pretend(list[k].body);
        ok(write_to(&p, "f.svg", 1, 0) == LBR_EIO && strstr(message.text, list[k].says) &&
               !strpbrk(message.text, "\n"
                                      "\033"),
           "%s", message.text);
        ok(!there(in("f.svg")) && !there(in("f.gp")) && !there(in("f.dat")) && clean(), "and nothing is left");
    }
    pretend("printf '<?xml></svg>' >picture.svg; [ \"$1\" = -d ] && [ \"$2\" = picture.gp ] && [ $# = 2 ] && [ ! -t 0 "
            "] && [ \"$(stat -c %a .)\" = 700 ] && [ \"$(ulimit -c)\" = 0 ]");
    ok(write_to(&p, "f.svg", 0, 0) == LBR_OK, "it gets the script alone, in a private folder %s", message.text);
    honest();
}

static double now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t), (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void endless(void)
{
    static const char *const body[] = { "sleep 100", "sleep 100 2>&- & echo $! >../../pid; wait",
                                        "trap '' TERM INT HUP; while :; do :; done",
                                        "sleep 100 & echo $! >../../pid; exit 0" };
    lbr_plot p = simple();

    p.seconds = 0.3;
    for (int k = 0; k < COUNT(body); k++) {
        double t = now();
        size_t n;
        char *pid;

        unlink(in("pid"));
        pretend(body[k]);
        ok(write_to(&p, "e.svg", 0, 0) == LBR_EIO && now() - t < 5 && clean(), "'%s' is ended: %s", body[k],
           message.text);
        if (!(pid = content(in("pid"), &n))) continue;
        for (int i = 0; i < 100 && !kill(atoi(pid), 0); i++) nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        ok(kill(atoi(pid), 0), "and so is what it has started");
        lbr_mem_free(pid);
    }
    ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left");
    honest();
}

/* --- the machine ------------------------------------------------------------------------------------------------- */

static void tick(int signal_number) { (void)signal_number; }

/* In a child, where limits and closed files hurt nobody. */
static int in_child(int (*test)(long), long argument)
{
    int status;
    pid_t pid = fork();

    if (!pid) _exit(test(argument));
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A small curve with a text that makes the picture larger than its data. */
static int full(long bytes)
{
    struct rlimit r = { (rlim_t)bytes, (rlim_t)bytes };
    lbr_plot p = simple();

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &r);
    pair[0].n = pair[1].n = 20;
    return !(write_to(&p, "full.svg", 1, 0) == LBR_EIO && message.text[0] && !there(in("full.svg")) && clean());
}

static int without_files(long which)
{
    lbr_plot p = simple();

    for (int fd = 0; fd < 3; fd++)
        if (which >> fd & 1) close(fd);
    return write_to(&p, "closed.svg", 0, 1);
}

static int reaped_elsewhere(long which)
{
    lbr_plot p = simple();

    signal(SIGCHLD, which ? SIG_IGN : SIG_DFL);
    return write_to(&p, "reaped.svg", 0, 1);
}

static void machine(void)
{
    static const long most[] = { 0, 100, 1000, 3000, 6000 }; /* the data have 1.6 kB, the picture 9 kB or more */
    struct itimerval often = { { 0, 3000 }, { 0, 3000 } }, never = { { 0, 0 }, { 0, 0 } };
    struct sigaction a = { .sa_handler = tick }, before;
    lbr_plot p = simple();

    if (!need("the machine")) return;
    ok(!in_child(full, 1 << 20), "a disk with room");
    unlink(in("full.svg")), unlink(in("full.gp")), unlink(in("full.dat"));
    for (int k = 0; k < COUNT(most); k++)
        ok(in_child(full, most[k]), "a disk that is full after %ld bytes leaves nothing", most[k]);
    for (long k = 1; k < 8; k++) ok(in_child(without_files, k), "standard files closed: %ld", k);
    ok(in_child(reaped_elsewhere, 1), "children reaped by the system");
    sigaction(SIGALRM, &a, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    ok(write_to(&p, "tick.svg", 0, 1) == LBR_OK, "signals on the way %s", message.text);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    setenv("TMPDIR", in("nowhere"), 1);
    ok(write_to(&p, "t.svg", 0, 0) == LBR_EIO && strstr(message.text, "nowhere"), "no temporary folder: %s",
       message.text);
    setenv("TMPDIR", "relative", 1);
    ok(write_to(&p, "t.svg", 0, 0) == LBR_OK, "one that is not absolute is not taken");
    setenv("TMPDIR", in("tmp"), 1);
}

static int same(const char *path, const char *text)
{
    size_t n;
    char *bytes = content(path, &n);
    int equal = bytes && !strcmp(bytes, text);

    return lbr_mem_free(bytes), equal;
}

static void existing(void)
{
    static const char *const name[] = { "k.svg", "k.gp", "k.dat" };
    lbr_plot p = simple();

    pretend("printf '<?xml></svg>' >picture.svg");
    for (int k = 0; k < 3; k++) {
        make(in(name[k]), "mine", 0600);
        ok(write_to(&p, "k.svg", 1, 0) == LBR_EARG && same(in(name[k]), "mine") && clean(), "%s is kept: %s", name[k],
           message.text);
        ok(lbr_plot_check(in("k.svg"), 1, 0, &message) == LBR_EARG &&
               lbr_plot_check(in("k.svg"), 1, 1, &message) == LBR_OK,
           "and the check says so");
        ok(k == 0 || write_to(&p, "k.svg", 0, 1) == LBR_OK, "the picture alone is not in its way");
        ok(write_to(&p, "k.svg", 1, 1) == LBR_OK && !same(in(name[k]), "mine") && same(in("k.svg"), "<?xml></svg>"),
           "with force it is replaced");
        for (int j = 0; j < 3; j++) unlink(in(name[j]));
    }
    make(in("victim"), "mine", 0600);
    if (symlink(in("victim"), in("k.svg"))) exit(1);
    ok(write_to(&p, "k.svg", 0, 0) == LBR_EARG, "a link counts as existing: %s", message.text);
    ok(write_to(&p, "k.svg", 0, 1) == LBR_OK && same(in("victim"), "mine"), "and is never written through");
    ok(write_to(&p, "no/k.svg", 0, 0) == LBR_EARG || write_to(&p, "no/k.svg", 0, 0) == LBR_EIO,
       "a folder that is not there: %s", message.text);
    honest();
}

/* --- what is wrong with a description ---------------------------------------------------------------------------- */

static void refusals(void)
{
    double zero[3] = { 0, -1, 0 }, nan[3] = { NAN, INFINITY, -INFINITY }, x[3] = { 1, 2, 3 };
    lbr_curve none = { .n = 0 }, zeros = { "z", 3, x, zero, NULL }, nans = { "n", 3, x, nan, NULL },
              good = { "g", 3, x, x, NULL }, broken = { "b", 3, x, NULL, NULL };
    const struct {
        lbr_plot p;
        const char *says;
    } list[] = {
        { { .ncurves = 0 }, "no points" },
        { { .curve = &none, .ncurves = 1 }, "no points" },
        { { .curve = &nans, .ncurves = 1 }, "none of the 3 points is finite" },
        { { .curve = &zeros, .ncurves = 1, .log_y = 1 }, "logarithmic y axis" },
        { { .curve = &zeros, .ncurves = 1, .log_x = 1, .log_y = 1 }, "logarithmic x and y axes" },
        { { .curve = &good, .ncurves = 1, .xrange = { 1, 1 } }, "range of the x axis" },
        { { .curve = &good, .ncurves = 1, .yrange = { 0, NAN } }, "range of the y axis" },
        { { .curve = &good, .ncurves = 1, .yrange = { 0, 1 }, .log_y = 1 }, "must be positive" },
        { { .curve = &good, .ncurves = 1, .equal = 1, .log_x = 1 }, "cannot be logarithmic" },
        { { .curve = &broken, .ncurves = 1 }, "curve 1" },
        { { .curve = &good, .ncurves = 1, .style = (lbr_plot_style)9 }, "style" },
        { { .curve = NULL, .ncurves = 1 }, "missing" },
    };

    pretend("printf '<?xml></svg>' >picture.svg");
    for (int k = 0; k < COUNT(list); k++)
        ok(write_to(&list[k].p, "r.svg", 0, 0) == LBR_EARG && strstr(message.text, list[k].says) &&
               !there(in("r.svg")) && clean(),
           "%s", message.text);
    honest();
}

static void gaps(void)
{
    double x[9] = { -1, 0, 1, 2, 3, 4, 5, 6, 7 }, y[9] = { 1, 1, 1, 10, 0, -5, NAN, 100, 1000 };
    lbr_curve c[2] = { { "never", 3, x, (double[]){ 0, 0, -1 }, NULL }, { "c", 9, x, y, NULL } };
    lbr_plot p = { .curve = c, .ncurves = 2, .log_x = 1, .log_y = 1 };
    size_t n;
    char *script;

    pretend("printf '<?xml></svg>' >picture.svg");
    ok(write_to(&p, "g.svg", 1, 0) == LBR_OK && same(in("g.dat"), "1 1\n"
                                                                  "2 10\n"
                                                                  "\n"
                                                                  "6 100\n"
                                                                  "7 1000\n"),
       "what a logarithm has not is a gap %s", message.text);
    script = content(in("g.gp"), &n);
    ok(script && strstr(script, "index 0 ") && !strstr(script, "index 1 ") && strstr(script, "title 'never'"),
       "a curve without points is still in the legend");
    lbr_mem_free(script);
    p.log_x = p.log_y = 0, p.xrange[1] = 5;
    ok(write_to(&p, "g.svg", 1, 1) == LBR_OK && same(in("g.dat"), "-1 0\n"
                                                                  "0 0\n"
                                                                  "1 -1\n"
                                                                  "\n"
                                                                  "\n"
                                                                  "-1 1\n"
                                                                  "0 1\n"
                                                                  "1 1\n"
                                                                  "2 10\n"
                                                                  "3 0\n"
                                                                  "4 -5\n"
                                                                  "\n"
                                                                  "6 100\n"
                                                                  "7 1000\n"),
       "without it only what is not finite %s", message.text);
    honest();
}

static void usual(void)
{
    double t[4] = { 0, 1, 2, 3 }, small[4] = { 0, 1e-9, 1e-5, 2 }, flat[4] = { 1, 2, 3, 4 },
           sign[4] = { -1, 1e-9, 1, 5 }, h[4] = { 1, 10, 100, 1000 };
    lbr_curve e = { "e", 4, t, small, NULL }, f = { "f", 4, t, flat, NULL }, s = { "s", 4, t, sign, NULL },
              w = { "w", 4, h, small, NULL };
    lbr_plot p;

    lbr_plot_lines(&p, &e, 1, "T", "y"),
        ok(p.log_y && !p.log_x && p.style == LBR_PLOT_LINES && p.ncurves == 1 && !strcmp(p.xlabel, "t"),
           "errors are logarithmic");
    lbr_plot_lines(&p, &f, 1, "T", "y"), ok(!p.log_y, "what varies little is not");
    lbr_plot_lines(&p, &s, 1, "T", "y"), ok(!p.log_y, "nor what has a sign");
    lbr_plot_work(&p, &w, 1, "T", "x", "y"),
        ok(p.log_y && p.log_x && p.style == LBR_PLOT_LINESPOINTS, "work and precision are, both");
}

/* --- every allocation may fail ----------------------------------------------------------------------------------- */

static void allocations(void)
{
    enum { MANY = 25000 };
    static double x[MANY], y[MANY];
    lbr_curve list[3] = { { "long", MANY, x, y, NULL }, { "path", MANY, y, x, NULL }, { "few", 100, x, y, x } };
    lbr_plot p = { .title = "t", .curve = list, .ncurves = 3 };
    long n = 0, before = heap.live;
    int good = 1;

    for (int i = 0; i < MANY; i++) x[i] = i, y[i] = sin(i);
    pretend("printf '<?xml></svg>' >picture.svg");
    do {
        lbr_status status;

        heap.calls = heap.refused = 0, heap.refuse = ++n;
        status = lbr_plot_write(&p, in("a.svg"), 1, 0, &message);
        heap.refuse = 0;
        good &= (status == LBR_ENOMEM && heap.refused && !there(in("a.svg"))) ||
                (status == LBR_OK && there(in("a.svg")) && there(in("a.gp")) && there(in("a.dat")));
        good &= clean() && heap.live == before;
        if (!good) printf("# allocation %ld: status %d, %s\n", n, status, message.text);
        if (heap.refused) unlink(in("a.svg")), unlink(in("a.dat")), unlink(in("a.gp"));
    } while (heap.refused && good && n < 1000);
    ok(good && n > 10, "%ld allocations, each of which may fail", n - 1);
    honest();
}

int main(void)
{
    start();
    kinds_of_files();
    missing();
    failing();
    endless();
    machine();
    existing();
    refusals();
    gaps();
    usual();
    allocations();
    forget(in("tmp")), forget(scratch);
    return tap_done();
}
