/* test_csystem.c - systems written in C: fused kernels have the bits of callbacks, or there is no kernel.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/kernels.h"
#include "support/share.h"

#include "execute/csystem.h"
#include "kernel/fuse_c.h"
#include "kernel/symbols.h"
#include "core/clock.h"

/* --- files ------------------------------------------------------------------------------------------------------- */

#define HEAD     "#include <libration.h>\n#include <math.h>\n#include <stdlib.h>\n"
#define FN(name) "static int " name "(double t, const double *y, double *out, void *ctx)"
#define START(method, step, ...)                            \
    "static const double start[] = { " #__VA_ARGS__ " };\n" \
    "static const lbr_defaults defaults = { sizeof defaults, 0.25, start, \"" method "\", " #step ", 1000 };\n"
#define MODEL(before, ...)                                            \
    "int lbr_model(lbr_system *s)\n"                                  \
    "{\n"                                                             \
    "    " before "\n"                                                \
    "    *s = LBR_SYSTEM(.defaults = &defaults, " #__VA_ARGS__ ");\n" \
    "    return 0;\n"                                                 \
    "}\n"

#define PENDULUM                                                                  \
    HEAD FN("energy") "{ *out = 0.5 * y[1] * y[1] - cos(y[0]); return 0; }\n" FN( \
        "force") "{ *out = -sin(*y); return 0; }\n"                               \
                 "static const double one = 1;\n" START("stormer-verlet", 0.1, 1.5, 0)

/* Names and macros that the templates have too. The loop over sin(i*0.5) is one that compilers may work out in one
 * place and not in the other. */
static const char masses[] = HEAD
    "#define N 3\n"
    "#define NQ 17\n"
    "#define q y\n"
    "#define FMA nonsense\n"
    "#undef NAN\n"
    "#define NAN 1\n"
    "#define entry_steps int\n"
    "static double entry(double x) { return x + x * x * x; }\n"
    "static double w(int i) { return sin(i * 0.5) + pow(i + 1.25, 2.0); }\n" FN(
        "f") "{ double a = entry(q[1] - q[0]), b = entry(q[2] - q[1]), s = 0; for (int i "
             "= 0; i < 4; i++) s += w(i); out[0] = a * s / 9; out[1] = b - a; out[2] = "
             "-b; return 0; }\n" FN(
                 "RATE") "{ *out = y[N] + y[4] + y[5]; return 0; "
                         "}\nstatic const double m[] = { 1, 0.5, 2.25 "
                         "};\n"
                         "static const lbr_invariant kept[] = { { "
                         "sizeof *kept, \"P\", 1, RATE, 0 } };\n"
                         "static const lbr_invariants all = { sizeof "
                         "all, 1, kept };\n" START("stormer-verlet", 0.1, 0.9, -0.3, 0.5, 0.4, 0.8, -0.6)
                             MODEL("", .dim = 6, .nq = 3, .force = f, .inverse_mass = m, .invariants = &all);

static const char velocity[] = HEAD
    "static inline double e(const double *p) { return sqrt(1 + p[0] * p[0] + p[1] * "
    "p[1]); }\n" FN("v") "{ out[0] = y[0] / e(y), out[1] = y[1] / e(y); return 0; "
                         "}\n" FN("F") "{ double r2 = y[0] * y[0] + y[1] * y[1], r3 = "
                                       "r2 * sqrt(r2); out[0] = -y[0] / r3, out[1] = "
                                       "-y[1] / r3; return 0; }\n" FN("H") "{ *out = e(y + 2) - 1 / hypot(y[0], "
                                                                           "y[1]); return 0; }\n" START("stormer-"
                                                                                                        "verlet",
                                                                                                        0.05, 1, 0, 0,
                                                                                                        0.9)
                                                                               MODEL("", .dim = 4, .nq = 2, .force = F,
                                                                                     .velocity = v, .energy = H);

static const char pushed[] = HEAD FN("k") "{ *out = -y[0] * y[0] * y[0] + exp(-t) * t; return 0; }\n"
                                          "static const double one = 1;\n" START("stormer-verlet", 0.1, 0.7, 0.2)
                                              MODEL("", .dim = 2, .nq = 1, .force = k, .inverse_mass = &one);

/* A field, by a function that wants its own kind of pointer, from memory that lbr_model fills; invariants with contexts
 * of their own. */
static const char top[] = HEAD
    "typedef struct parameters { double a[3]; } parameters;\nstatic double weight[2][3];\n"
    "static int field(double t, const double *y, double *out, parameters *p) { out[0] = p->a[0] * y[1] * y[2], out[1] "
    "= p->a[1] * y[2] * y[0], out[2] = p->a[2] * y[0] * y[1]; return 0; }\n"
    "static int square(double t, const double *y, double *out, const double *w) { *out = w[0] * y[0] * y[0] + w[1] * "
    "y[1] * y[1] + w[2] * y[2] * y[2]; return 0; }\n" FN(
        "both") "{ square(t, y, out, weight[0]), square(t, y, out + 1, weight[1]); return 0; }\n"
                "static const lbr_invariant kept[] = { { sizeof *kept, \"C\", 1, (lbr_fn)square, weight[0] }, { sizeof "
                "*kept, \"E\", 1, (lbr_fn)square, weight[1] }, { sizeof *kept, \"CE\", 2, both, 0 } };\n"
                "static const lbr_invariants all = { sizeof all, 3, kept };\n" START("rk4", 0.1, 1.04, 0.3, 2.05)
                    MODEL("parameters *p = malloc(sizeof *p); static const double I[] = { 2, 1, 2 / 3.0 }; if (!p) "
                          "return 1;\n"
                          "    for (int i = 0; i < 3; i++) weight[0][i] = 1, weight[1][i] = 1 / I[i], p->a[i] = 1 / "
                          "I[(i + 2) % 3] - 1 / I[(i + 1) % 3];",
                          .dim = 3, .ctx = p, .field = (lbr_fn)field, .invariants = &all);

/* More components than local variables; a table that lbr_model computes; a header of its own. */
static const char rope[] = HEAD
    "#include \"own.h\"\nstatic double k[LINKS + 1], ones[LINKS];\n"
    "static int bend(double t, const double *q, double *f, void *ctx)\n"
    "{\n"
    "    for (int i = 0; i < LINKS; i++) f[i] = k[i] * own((i ? q[i - 1] : 0) - q[i]) + k[i + 1] * own((i < LINKS - 1 "
    "? q[i + 1] : 0) - q[i]);\n"
    "    return 0;\n"
    "}\n"
    "static double start[2 * LINKS];\n"
    "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.05, 1000 };\n" MODEL(
        "for (int i = 0; i <= LINKS; i++) k[i] = 1 + 0.1 * cos(i); for (int i = 0; i < LINKS; i++) ones[i] = 1, "
        "start[i] = 0.25 * sin(0.4 * i), start[LINKS + i] = 0.125 * cos(i);",
        .dim = 2 * LINKS, .nq = LINKS, .force = bend, .inverse_mass = ones);
static const char own[] = "enum { LINKS = 40 };\nstatic double own(double x) { return x + 0.5 * x * x * x; }\n";

/* What is allowed in the file must not reach the template. */
static const char allowed[] = PENDULUM MODEL(
    "", .dim = 2, .nq = 1, .energy = energy, .force = force,
    .inverse_mass = &one) "#pragma GCC optimize(\"fast-math\")\n#pragma STDC FP_CONTRACT ON\n";

/* Force and energy come to an end. */
static const char ends[] = PENDULUM FN("stops") "{ *out = -sin(*y); return t > 20; }\n" MODEL(
    "", .dim = 2, .nq = 1, .energy = energy, .force = stops, .inverse_mass = &one);
static const char lost[] = PENDULUM FN(
    "bad") "{ out[0] = 1, out[1] = t > 30 ? NAN : 2; return 0; }\n"
           "static const lbr_invariant kept[] = { { sizeof *kept, \"L\", 2, bad, 0 } };\n"
           "static const lbr_invariants all = { sizeof all, 1, kept };\n" MODEL(
               "", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one, .invariants = &all);

/* --- runs -------------------------------------------------------------------------------------------------------- */

static int warned;

/* Loads a file; whether its compiler had something to say is in `warned`. */
static int load(lbr_csystem *c, const char *file)
{
    lbr_message why = { 0 };
    int code = lbr_csystem_load(c, in("%s", file), 0, NULL, &why);

    if (code || c->said) printf("# %s: %s\n# %s\n", file, why.text, c->said ? c->said : "");
    warned = c->said != NULL;
    lbr_mem_free(c->said), c->said = NULL;
    return code;
}

/* What came of asking in the run made last. */
static lbr_kernels_report came;

static void watched_ask(void *file, int how, lbr_kernels_report *report)
{
    if (((const lbr_cfile *)file)->report) came = *((const lbr_cfile *)file)->report;
    lbr_native_file.ask(file, how, report);
}

static int run(const lbr_csystem *c, const lbr_system *system, const char *method, int compensated, int monitor,
               lbr_result *r)
{
    const lbr_defaults *d = system->defaults;
    lbr_native watched = lbr_native_file;
    lbr_job job = { .model = "m",
                    .method = method,
                    .system = system,
                    .t0 = d->t0,
                    .h = d->step,
                    .y0 = d->y0,
                    .steps = d->steps,
                    .every = 100,
                    .compile_seconds = c->seconds,
                    .native = system->inside ? &watched : NULL,
                    .native_ctx = c->file };

    watched.ask = watched_ask, came = (lbr_kernels_report){ 0 };
    lbr_options_init(&job.options);
    job.options.compensated = compensated, job.options.monitor = monitor, job.options.compile = 1;
    return lbr_execute(&job, r);
}

static int alike(double a, double b) { return !memcmp(&a, &b, sizeof a); }

static int same_result(const lbr_result *a, const lbr_result *b)
{
    int same = a->exit == b->exit && a->steps == b->steps && a->dim == b->dim && !strcmp(a->text, b->text) &&
               a->stats.force == b->stats.force && a->stats.field == b->stats.field;

    for (int64_t i = 0; i < a->dim && same && a->y; i++) same = alike(a->y[i], b->y[i]);
    if (a->has_energy) same = same && alike(a->energy.worst, b->energy.worst);
    for (int64_t i = 0; i < a->ninvariants && same; i++) same = alike(a->invariant[i].worst, b->invariant[i].worst);
    return same;
}

/* With kernels and without: both the same, and nothing is to be said; `kernel` says whether there was one. */
static int compared(const lbr_csystem *c, const char *method, int compensated, int monitor, const char *kernel,
                    int code)
{
    lbr_system plain = c->system;
    lbr_result a, b;
    int good;

    plain.inside = NULL;
    run(c, &c->system, method, compensated, monitor, &a), run(c, &plain, method, compensated, monitor, &b);
    good = a.exit == code && a.steps > 100 && same_result(&a, &b) && !strcmp(a.kernel, kernel) &&
           !strcmp(b.kernel, "callback") && !a.note[0];
    if (!good)
        printf("# %s %s: %s, exit %d %s (%s), y[0] %a against %a %s\n", a.method, a.kernel, b.kernel, a.exit, a.text,
               b.text, a.y ? a.y[0] : 0, b.y ? b.y[0] : 0, a.note);
    lbr_result_free(&a), lbr_result_free(&b);
    return good;
}

static void same_bits(void)
{
    static const struct {
        const char *name, *text, *methods;
        int code;
    } file[] = { { "masses.c", masses, "stormer-verlet kahan-li-8-17 rk4 gauss:2", 0 },
                 { "velocity.c", velocity, "stormer-verlet kahan-li-8-17 rk4 gauss:2", 0 },
                 { "pushed.c", pushed, "stormer-verlet kahan-li-8-17 rk4 gauss:2", 0 },
                 { "top.c", top, "rk4 gauss:2", 0 },
                 { "rope.c", rope, "stormer-verlet rk4 gauss:2", 0 },
                 { "allowed.c", allowed, "stormer-verlet rk4", 0 },
                 { "ends.c", ends, "stormer-verlet rk4 gauss:2", 3 },
                 { "lost.c", lost, "stormer-verlet rk4", 3 } };
    lbr_csystem c;
    size_t n;

    spit(in("own.h"), own, 0644);
    for (int i = 0; i < COUNT(file); i++) {
        spit(in("%s", file[i].name), file[i].text, 0644);
        if (!ok(!load(&c, file[i].name) && !warned, "%s is loaded", file[i].name)) continue;
        for (int k = 0; k < 16; k++) {
            const char *word = lbr_text_word(file[i].methods, k / 4, &n);
            char method[40];

            if (!word) break;
            snprintf(method, sizeof method, "%.*s", (int)n, word);
            if (file[i].code && k % 4 > 1) continue;
            ok(compared(&c, method, k % 2, k % 4 < 2 ? LBR_MONITOR_EVERY : LBR_MONITOR_OFF, "fused", file[i].code),
               "%s: %s, fused or not%s%s", file[i].name, method, k % 2 ? ", compensated" : "",
               k % 4 < 2 ? ", watched" : "");
        }
    }
}

/* A kernel that was not the same would be noticed: the comparison is no formality. */
static void against(void)
{
    lbr_csystem a, b;
    lbr_result x, y;

    spit(in("one.c"), PENDULUM MODEL("", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one),
         0644);
    spit(in("two.c"),
         "#include <math.h>\n"
         "#define sin(x) (sin(x) * (1 + 0x1p-52))\n" PENDULUM MODEL("", .dim = 2, .nq = 1, .energy = energy,
                                                                    .force = force, .inverse_mass = &one),
         0644);
    if (!ok(!load(&a, "one.c") && !load(&b, "two.c"), "two files that differ in the last bit")) return;
    run(&a, &a.system, "stormer-verlet", 0, LBR_MONITOR_EVERY, &x),
        run(&b, &b.system, "stormer-verlet", 0, LBR_MONITOR_EVERY, &y);
    ok(!strcmp(x.kernel, "fused") && !strcmp(y.kernel, "fused") && !same_result(&x, &y), "are told from each other");
    lbr_result_free(&x), lbr_result_free(&y);
}

/* --- no kernel --------------------------------------------------------------------------------------------------- */

/* lbr_model is called again for a kernel; `again` is 1 then. */
#define AGAIN "int again = getenv(\"LBR_TEST_AGAIN\") != 0; setenv(\"LBR_TEST_AGAIN\", \"1\", 1);"
#define GNU   "#define _DEFAULT_SOURCE\n"

static void refused(void)
{
    static const struct {
        const char *what, *text, *kernel;
    } file[] = {
        { "the same",
          GNU PENDULUM MODEL(AGAIN " (void)again;", .dim = 2, .nq = 1, .energy = energy, .force = force,
                             .inverse_mass = &one),
          "fused" },
        { "its lbr_model fails",
          GNU PENDULUM MODEL(AGAIN " if (again) return 5;", .dim = 2, .nq = 1, .energy = energy, .force = force,
                             .inverse_mass = &one),
          "callback" },
        { "other masses",
          GNU PENDULUM "static double m;\n" MODEL(AGAIN " m = 1 + again;", .dim = 2, .nq = 1, .energy = energy,
                                                  .force = force, .inverse_mass = &m),
          "callback" },
        { "no masses, but velocities",
          GNU PENDULUM FN("v") "{ *out = *y; return 0; }\n" MODEL(AGAIN, .dim = 2, .nq = 1, .force = force,
                                                                  .inverse_mass = again ? 0 : &one, .velocity = v),
          "callback" },
        { "another force",
          GNU PENDULUM FN("other") "{ *out = -*y; return 0; }\n" MODEL(
              AGAIN, .dim = 2, .nq = 1, .energy = energy, .force = again ? other : force, .inverse_mass = &one),
          "callback" },
        { "another number in its data",
          GNU PENDULUM "static double k;\n" FN("F") "{ *out = -k * *y; return 0; }\n" MODEL(
              AGAIN " k = 1 + 0x1p-50 * again;", .dim = 2, .nq = 1, .force = F, .inverse_mass = &one),
          "callback" },
        { "another context",
          GNU PENDULUM MODEL(AGAIN, .dim = 2, .nq = 1, .ctx = again ? (void *)start : 0, .force = force,
                             .inverse_mass = &one),
          "callback" },
        { "two names for a force",
          PENDULUM "__attribute__((alias(\"force\"))) int twin(double, const double *, double *, void *);\n" MODEL(
              "", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one),
          "callback" },
        { "a file that the assembler reads",
          PENDULUM "__asm__(\".pushsection .rodata\\n.incbin \\\"/etc/passwd\\\"\\n.popsection\");\n" MODEL(
              "", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one),
          "callback" },
        { "two names for the energy",
          PENDULUM "__attribute__((alias(\"energy\"))) int twin(double, const double *, double *, void *);\n" MODEL(
              "", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one),
          "fused" },
    };

    for (int i = 0; i < COUNT(file); i++) {
        lbr_csystem c;

        spit(in("again%d.c", i), file[i].text, 0644), unsetenv("LBR_TEST_AGAIN");
        if (!ok(!load(&c, strrchr(in("again%d.c", i), '/') + 1), "%s", file[i].what)) continue;
        ok(compared(&c, "stormer-verlet", 0, LBR_MONITOR_EVERY, file[i].kernel, 0) &&
               compared(&c, "stormer-verlet", 0, LBR_MONITOR_OFF, file[i].kernel, 0),
           "is %s", file[i].kernel);
    }
    unsetenv("LBR_TEST_AGAIN");
}

/* Functions of another library have no name in the file; without a table of symbols none has. */
static void nameless(void)
{
    static const char text[] = PENDULUM
        "#include <dlfcn.h>\n" MODEL("void *h = dlopen(LIBRARY, RTLD_NOW); lbr_fn far; *(void **)&far = h ? dlsym(h, "
                                     "\"far\") : 0; if (!far) return 9;",
                                     .dim = 2, .nq = 1, .energy = ENERGY, .force = FORCE, .inverse_mass = &one);
    static const struct {
        const char *file, *energy, *force, *kernel;
    } row[] = { { "far-energy.c", "far", "force", "fused" }, { "far-force.c", "energy", "far", "callback" } };
    lbr_csystem c;
    char whole[4000];

    spit(in("far.c"),
         "int far(double t, const double *y, double *out, void *ctx);\n"
         "int far(double t, const double *y, double *out, void *ctx) { *out = -*y; return 0; }\n",
         0644);
    shell("'%s' -shared -fPIC -o '%s/far.so' '%s/far.c'", real_compiler(), base, base);
    for (int i = 0; i < COUNT(row); i++) {
        snprintf(whole, sizeof whole,
                 "#define LIBRARY \"%s\"\n"
                 "#define ENERGY %s\n"
                 "#define FORCE %s\n"
                 "%s",
                 in("far.so"), row[i].energy, row[i].force, text);
        spit(in("%s", row[i].file), whole, 0644);
        ok(!load(&c, row[i].file) && compared(&c, "stormer-verlet", 0, LBR_MONITOR_EVERY, row[i].kernel, 0), "%s: %s",
           row[i].file, row[i].kernel);
    }
    fake("strips", "compile \"$@\" && case $out in *.so) strip \"$out\";; esac");
    spit(in("stripped.c"),
         PENDULUM MODEL("", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one), 0644);
    ok(!load(&c, "stripped.c") && compared(&c, "rk4", 0, LBR_MONITOR_EVERY, "callback", 0), "an object without names");
    fake("good", "compile \"$@\"");
}

/* A compiler that is tired of kernels: the run goes on, with one sentence. */
static void tired(void)
{
    static const char *const script[][2] = {
        { "case \"$*\" in *kernel.c*) echo 'kernel.c:1:1: error: enough' >&2; exit 1;; esac; compile \"$@\"",
          "enough" },
        { "case \"$*\" in *kernel.c*) sleep 100;; esac; compile \"$@\"", "seconds" }
    };

    for (int i = 0; i < COUNT(script); i++) {
        lbr_csystem c;
        lbr_result r;

        fake("tired", script[i][0]), setenv("LIBRATION_CC_SECONDS", i ? "4" : "60", 1);
        spit(in("tired%d.c", i),
             PENDULUM MODEL("", .dim = 2, .nq = 1, .energy = energy, .force = force, .inverse_mass = &one), 0644);
        if (!ok(!load(&c, i ? "tired1.c" : "tired0.c"), "a compiler that has enough after the file")) continue;
        ok(run(&c, &c.system, "stormer-verlet", 0, LBR_MONITOR_EVERY, &r) == 0 && !strcmp(r.kernel, "callback") &&
               strstr(r.note, script[i][1]) && litter() == 0,
           "callbacks go on: %s", r.note);
        lbr_result_free(&r);
    }
    unsetenv("LIBRATION_CC_SECONDS");
    fake("good", "compile \"$@\"");
}

/* --- the cache --------------------------------------------------------------------------------------------------- */

/* In a process of its own: exit status 0, the kernel is fused, its energy error is what it was in the last one (or not,
 * if `other`). */
typedef struct seen {
    int code, kernels, compiled, said, fused;
    double y, seconds, took;
} seen;

static seen in_child(const char *file, long refuse, rlim_t most)
{
    seen *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), result;
    int status = 0;
    pid_t child;

    fflush(stdout);
    if (!(child = fork())) {
        double began = lbr_seconds();
        lbr_csystem c;
        lbr_result r;
        lbr_message why;

        heap.calls = heap.refused = 0, heap.refuse = refuse;
        if (most) signal(SIGXFSZ, SIG_IGN), setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, most });
        s->code = lbr_csystem_load(&c, in("%s", file), 0, NULL, &why), s->said = c.said != NULL;
        if (!s->code) {
            s->code = run(&c, &c.system, "stormer-verlet", 0, LBR_MONITOR_EVERY, &r);
            s->took = lbr_seconds() - began, s->seconds = r.compile_seconds, s->fused = !strcmp(r.kernel, "fused"),
            s->kernels = came.kernels, s->compiled = came.compiled;
            s->y = r.y ? r.y[0] : 0;
            lbr_result_free(&r);
        }
        lbr_mem_free(c.said);
        if (refuse && !heap.refused) s->kernels = -1; /* that was the last allocation */
        exit(0);
    }
    waitpid(child, &status, 0);
    if (status) s->code = -1;
    result = *s;
    munmap(s, sizeof *s);
    return result;
}

static void cached(void)
{
    seen a, b;

    new_cache(), calls();
    a = in_child("rope.c", 0, 0);
    ok(!a.code && a.fused && a.kernels == 1, "preprocessed, compiled, fused");
    ok(a.compiled == 1 && a.seconds > 0, "which takes time");
    ok(calls() == 3 && entries() == 2, "three calls of the compiler, two entries");
    b = in_child("rope.c", 0, 0);
    ok(!b.code && b.fused && b.kernels == 1, "preprocessed, and found");
    ok(b.compiled == 0 && b.seconds == 0, "nothing was compiled");
    ok(alike(a.y, b.y), "to the same bits");
    ok(calls() == 1 && entries() == 2, "with one call of the compiler");
    printf("# first %.3g ms, then %.3g ms\n", 1e3 * a.took, 1e3 * b.took);
    spit(in("own.h"), "enum { LINKS = 40 };\nstatic double own(double x) { return x + 0.25 * x * x * x; }\n", 0644);
    b = in_child("rope.c", 0, 0);
    ok(!b.code && b.fused && b.compiled == 1, "another header is another system");
    ok(!alike(a.y, b.y), "with other numbers");
    ok(calls() == 3 && entries() == 4, "which is compiled and kept");
    spit(in("own.h"), own, 0644);
    b = in_child("rope.c", 0, 0);
    ok(!b.code && b.fused && b.compiled == 0 && alike(a.y, b.y) && calls() == 1, "and the old one the old one");
    shell("for f in '%s/cache'/*.so; do echo x >>\"$f\"; done", base);
    b = in_child("rope.c", 0, 0);
    ok(!b.code && b.fused && b.compiled == 1 && alike(a.y, b.y) && calls() == 3, "what was damaged is compiled again");
    setenv("LIBRATION_CACHE", in("own.h/cache"), 1);
    b = in_child("rope.c", 0, 0);
    ok(!b.code && b.fused && b.compiled == 1 && alike(a.y, b.y) && calls() == 3,
       "without a cache everything is compiled");
    new_cache(), calls();
    b = in_child("rope.c", 0, 30000);
    ok(!b.code && !b.fused && alike(a.y, b.y) && calls() == 2 && entries() == 0,
       "a disk too full for the preprocessor: compiled, and callbacks");
    spit(in("warned.c"),
         "#warning take care\n" PENDULUM MODEL("", .dim = 2, .nq = 1, .energy = energy, .force = force,
                                               .inverse_mass = &one),
         0644);
    a = in_child("warned.c", 0, 0), b = in_child("warned.c", 0, 0);
    ok(!a.code && !b.code, "both are compiled");
    ok(a.said && b.said, "a warning is not lost: such a file is compiled every time, its kernel is not");
    ok(a.fused && b.fused, "both are fused");
    ok(b.compiled == 0 && b.seconds > 0, "the kernel is found, the file is compiled again");
    ok(litter() == 0, "nothing is left in temporary folders");
}

/* Every allocation fails once; in make test under sanitizers every third. */
static void memory(void)
{
    int bad = 0, tried = 0;

    if (!heap_wrapped()) return;
    in_child("one.c", 0, 0);
    for (long k = 1; k < 400; k += share(1, 1, 3)) {
        seen s = in_child("one.c", k, 0);

        if (s.kernels < 0) break;
        tried++;
        bad += s.code < 0 || (s.code && s.code != LBR_EXIT_MACHINE && s.code != LBR_EXIT_INPUT);
    }
    ok(tried > share(20, 20, 7) && tried < 399 && !bad,
       "each of %d allocations fails: no crash, and an exit status that says so (%d bad)", tried, bad);
    ok(litter() == 0, "nothing is left");
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static uint64_t random_state = 12345;
static uint64_t any(uint64_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % below;
}

/* Wild values where they hurt: the head of the file, the table of sections. */
static size_t spoil(unsigned char *x, size_t n)
{
    static const uint64_t wild[] = { 0,
                                     1,
                                     63,
                                     64,
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_MAX,
                                     UINT64_MAX - 23,
                                     UINT64_MAX - 64,
                                     UINT64_C(0x80000000),
                                     UINT64_C(0xffffffff) };
    uint64_t sections, value;
    size_t at;

    memcpy(&sections, x + 40, sizeof sections);
    for (uint64_t k = any(3) + 1; k > 0; k--) {
        at = any(2) ? any(64) : any(2) ? sections + any(n - sections) : any(n);
        value = any(2) ? wild[any(COUNT(wild))] : any(2) ? n - any(100) : any(UINT32_MAX);
        if (any(2)) x[at] ^= (unsigned char)(1 << any(8));
        else memcpy(x + at, &value, at + 8 <= n && any(2) ? 8 : 1);
    }
    return any(4) ? n : any(n) + 1;
}

static void hostile(void)
{
    lbr_csystem c;
    lbr_fn f;
    void *address;
    uint64_t offset;
    char name[LBR_SYMBOL];
    long found_names = 0, wrong = 0;

    if (!ok(!load(&c, "one.c") && c.file->object, "a good object")) return;
    f = c.system.force, memcpy(&address, &f, sizeof address);
    offset = (uint64_t)((char *)address - (char *)c.file->base);
    ok(!lbr_symbol_name(c.file->object, c.file->size, offset, name) && !strcmp(name, "force"),
       "has the name of its force");
    ok(lbr_symbol_name(c.file->object, c.file->size, offset + 1, name) &&
           lbr_symbol_name(c.file->object, c.file->size, 0, name),
       "no function begins elsewhere");
    for (int i = 0; i < 20000; i++) {
        unsigned char *x = malloc(c.file->size), *cut;
        size_t n;

        memcpy(x, c.file->object, c.file->size);
        if (i < 1000)
            for (size_t k = 0; k < c.file->size; k++) x[k] = k < 16 && i % 2 ? x[k] : (unsigned char)any(256);
        n = i < 1000 ? any(c.file->size) + 1 : spoil(x, c.file->size);
        cut = malloc(n), memcpy(cut, x, n), free(x); /* as long as it says: what lies behind it is seen by sanitizers */
        if (!lbr_symbol_name(cut, n, any(8) ? offset : any(c.file->size), name))
            found_names++, wrong += !lbr_symbol_is_name(name);
        free(cut);
    }
    ok(found_names > 100 && !wrong, "20000 spoilt ones: no crash, and what is found is a name (%ld are)", found_names);
    ok(lbr_symbol_name("", 0, 0, name) && lbr_symbol_name("\177ELF", 4, 0, name), "no object at all");
    ok(lbr_symbol_is_name("_a1"), "a name of C");
    ok(!lbr_symbol_is_name("1a") && !lbr_symbol_is_name("") && !lbr_symbol_is_name("a.constprop.0") &&
           !lbr_symbol_is_name("a b") && !lbr_symbol_is_name("f;g"),
       "what is none");
}

static void tests(void)
{
    same_bits();
    against();
    refused();
    nameless();
    tired();
    cached();
    memory();
    hostile();
}

int main(void) { return with_folders(tests); }
