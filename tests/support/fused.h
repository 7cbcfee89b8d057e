/* fused.h - systems that compile themselves: their functions once, as code and as text.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_FUSED_H
#define TEST_FUSED_H
#include "bits.h"
#include "kernel/compile.h"
#include "stepper/fuse.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Code, and the same as text. */
#define BOTH(name, ...) __VA_ARGS__ static const char name[] = #__VA_ARGS__ "\n";

/* What the functions of every system find at ctx: a factor of the forces. */
#define FACTOR (*(const double *)ctx)

typedef struct selfmade {
    double factor; /* first: the functions of the library's system find it here */
    double other;  /* those of kernels find this one */
    const char *prefix, *text;
    enum { WILLING, REFUSING, BLIND, WRONG } mood; /* BLIND: cannot write WATCH */
    int asked, blind;                              /* requests; those that had nothing about watching */
    unsigned uses;
    char name[32];
    int64_t n; /* of the last one */
    problem p;
} selfmade;

/* --- compiling --------------------------------------------------------------------------------------------------- */

enum { KERNELS = 600, SOURCE = 1 << 17 };
static char folder[400];
static struct {
    uint64_t key;
    void (*entry)(void);
} kernels[KERNELS];
static int nkernels;

static int run_compiler(const char *source, const char *object)
{
    const char *cc = getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
    const char *const argv[] = { cc,
                                 "-std=c17",
                                 "-O3",
                                 "-march=native",
                                 "-ffp-contract=off",
                                 "-fno-math-errno",
                                 "-fno-trapping-math",
                                 "-shared",
                                 "-fPIC",
                                 "-Wall",
                                 "-Wextra",
                                 "-Werror",
                                 "-Wno-unused-function",
                                 "-Wno-unused-parameter",
                                 "-o",
                                 object,
                                 source,
                                 "-lm",
                                 NULL };
    pid_t child = (fflush(NULL), fork());
    int status = -1;

    if (child == 0) execvp(cc, (char **)(uintptr_t)argv), _exit(127);
    if (child > 0) waitpid(child, &status, 0);
    return status;
}

/* From the cache of kernels. */
static void (*found(const char *text))(void)
{
    static const char *const flags[] = { "-fno-tree-slp-vectorize" };
    lbr_object o;
    void (*(*get)(void))(void);

    if (lbr_compile_object(
            &(lbr_compile){ .text = &text, .ntext = 1, .symbol = "lbr_entry", .flags = flags, .nflags = 1 }, &o))
        return printf("# %s\n", o.message.text), NULL;
    *(void **)&get = o.symbol;
    return (void (*)(void))(uintptr_t)get();
}

static void (*compiled(const char *text))(void)
{
    char source[sizeof folder + 16], object[sizeof folder + 16];
    void *handle, (*(*get)(void))(void) = NULL;
    FILE *file;

    snprintf(source, sizeof source, "%s/k.c", folder), snprintf(object, sizeof object, "%s/k%d.so", folder, nkernels);
    if (!(file = fopen(source, "w"))) return NULL;
    if (fputs(text, file) < 0 || fclose(file) || run_compiler(source, object)) return NULL;
    handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    unlink(object);
    if (handle) *(void **)&get = dlsym(handle, "lbr_entry");
    return get ? (void (*)(void))(uintptr_t)get() : NULL;
}

/* The kernel of a text: compiled once. */
static void (*kernel_of(const char *text))(void)
{
    uint64_t key = hash_of(HASH, text, strlen(text));

    for (int i = 0; i < nkernels; i++)
        if (kernels[i].key == key) return kernels[i].entry;
    if (nkernels == KERNELS) return NULL;
    kernels[nkernels].key = key,
    kernels[nkernels].entry = nkernels < 8 ? compiled(text) : found(text); /* some with all warnings */
    return kernels[nkernels++].entry;
}

/* A text that grows. */
typedef struct page {
    size_t n;
    char text[SOURCE];
} page;

__attribute__((format(printf, 2, 3))) static void write_to(page *to, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    to->n += (size_t)vsnprintf(to->text + to->n, SOURCE - to->n, format, ap);
    va_end(ap);
    if (to->n >= SOURCE) printf("Bail out! a text is too long\n"), exit(1);
}

/* One watched quantity against what it was: the formula of lbr_distance. */
static const char seen_text[] = "static inline int see(int n, const double *v, const double *first, double *worst)\n"
                                "{\n"
                                "    double most = 0, sum = 0;\n"
                                "    for (int i = 0; i < n; i++) { double d = fabs(v[i] - first[i]); if (!(fabs(v[i]) "
                                "< INFINITY)) return 1; if (!(d <= most)) most = d; }\n"
                                "    if (n > 1 && most != 0) { for (int i = 0; i < n; i++) sum += (v[i] - first[i]) / "
                                "most * ((v[i] - first[i]) / most); most = most * sqrt(sum); }\n"
                                "    if (most > *worst) *worst = most;\n"
                                "    return !(most < INFINITY);\n"
                                "}\n";

static void write_watch(const selfmade *m, page *to)
{
    const lbr_invariants *all = m->p.system.invariants;
    int64_t at = 0, k = 0;

    write_to(to,
             "%sstatic inline int watch(double t, const double *y, const lbr_watch *w, void *ctx)\n"
             "{\n"
             "    double v[8];\n"
             "    int bad = 0;\n",
             seen_text);
    if (m->p.system.energy)
        write_to(to, "    bad |= %s_energy(t, y, v, ctx) || see(1, v, w->first, w->worst);\n", m->prefix), at++, k++;
    for (int64_t i = 0; all && i < all->count; at += all->item[i].len, i++, k++)
        write_to(to, "    bad |= %s_%s(t, y, v, ctx) || see(%d, v, w->first + %d, w->worst + %d);\n", m->prefix,
                 all->item[i].name, (int)all->item[i].len, (int)at, (int)k);
    write_to(to, "    return bad;\n}\n#define WATCH(t, y, w) watch(t, y, w, a->ctx)\n");
}

static int fuse(const lbr_kernel_request *r, lbr_kernel *kernel, void *ctx)
{
    static page to;
    selfmade *m = ctx;

    m->asked++, m->uses = r->uses, m->n = r->n;
    m->blind += !(r->uses & LBR_USES_WATCH);
    snprintf(m->name, sizeof m->name, "%s", r->name);
    if (m->mood == REFUSING) return 1;
    if (m->mood == BLIND && r->uses & LBR_USES_WATCH) return LBR_USES_WATCH;
    to.n = 0;
    write_to(&to,
             "#include <math.h>\n"
             "#include <stdint.h>\n"
             "%s#define FACTOR (*(const double *)ctx)\n"
             "%s",
             lbr_template("args.h"), m->text);
    write_to(&to,
             "#define FORCE(t, q, f) %s_force(t, q, f, a->ctx)\n"
             "#define VELOCITY(t, p, v) %s_velocity(t, p, v, a->ctx)\n",
             m->prefix, m->prefix);
    if (m->p.system.field) write_to(&to, "#define FIELD(t, y, f) %s_field(t, y, f, a->ctx)\n", m->prefix);
    if (r->uses & LBR_USES_WATCH) write_watch(m, &to);
    for (int64_t i = 0; i < r->ntext; i++) write_to(&to, "%s", r->text[i]);
    write_to(&to, "void *lbr_entry(void);\nvoid *lbr_entry(void) { return (void *)entry; }\n");
    m->other = m->mood == WRONG ? m->factor * (1 + 0x1p-50) : m->factor;
    *kernel = (lbr_kernel){ .size = sizeof *kernel, .entry = kernel_of(to.text), .ctx = &m->other, .name = "test" };
    return kernel->entry == NULL;
}

static const lbr_inside inside = { fuse };

/* --- systems ----------------------------------------------------------------------------------------------------- */

BOTH(
    henon_text,
    static int henon_force(double t, const double *q, double *f, void *ctx) {
        (void)t;
        f[0] = FACTOR * (-q[0] - 2 * q[0] * q[1]);
        f[1] = FACTOR * (-q[1] - q[0] * q[0] + q[1] * q[1]);
        return 0;
    } static int henon_energy(double t, const double *y, double *H, void *ctx) {
        (void)t;
        *H = (y[2] * y[2] + y[3] * y[3]) / 2 +
             FACTOR * ((y[0] * y[0] + y[1] * y[1]) / 2 + y[0] * y[0] * y[1] - y[1] * y[1] * y[1] / 3);
        return 0;
    })

/* Three invariants beside H, one of them a vector. */
BOTH(
    orbit_text,
    static int orbit_force(double t, const double *q, double *f, void *ctx) {
        double r2 = q[0] * q[0] + q[1] * q[1], r3 = r2 * sqrt(r2);

        (void)t;
        f[0] = -FACTOR * q[0] / r3, f[1] = -FACTOR * q[1] / r3;
        return 0;
    } static int orbit_energy(double t, const double *y, double *H, void *ctx) {
        (void)t;
        *H = (y[2] * y[2] + y[3] * y[3]) / 2 - FACTOR / sqrt(y[0] * y[0] + y[1] * y[1]);
        return 0;
    } static int orbit_L(double t, const double *y, double *L, void *ctx) {
        (void)t, (void)ctx;
        *L = y[0] * y[3] - y[1] * y[2];
        return 0;
    } static int orbit_A(double t, const double *y, double *A, void *ctx) {
        double L = y[0] * y[3] - y[1] * y[2], r = sqrt(y[0] * y[0] + y[1] * y[1]);

        (void)t;
        A[0] = y[3] * L - FACTOR * y[0] / r, A[1] = -y[2] * L - FACTOR * y[1] / r;
        return 0;
    })
static const lbr_invariant orbit_kept[] = {
    { .size = sizeof(lbr_invariant), .name = "L", .len = 1, .value = orbit_L },
    { .size = sizeof(lbr_invariant), .name = "A", .len = 2, .value = orbit_A }
};
static const lbr_invariants orbit_invariants = { sizeof(lbr_invariants), 2, orbit_kept };

/* Springs between three masses; the same three with T(p) not quadratic. */
BOTH(
    springs_text,
    static int springs_force(double t, const double *q, double *f, void *ctx) {
        double a = q[1] - q[0], b = q[2] - q[1];

        (void)t;
        a += a * a * a, b += b * b * b;
        f[0] = FACTOR * a, f[1] = FACTOR * (b - a), f[2] = -FACTOR * b;
        return 0;
    } static int springs_velocity(double t, const double *p, double *v, void *ctx) {
        double e = sqrt(1 + p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);

        (void)t, (void)ctx;
        for (int i = 0; i < 3; i++) v[i] = p[i] / e;
        return 0;
    } static int springs_momentum(double t, const double *y, double *P, void *ctx) {
        (void)t, (void)ctx;
        *P = y[3] + y[4] + y[5];
        return 0;
    })
static const lbr_invariant springs_kept[] = {
    { .size = sizeof(lbr_invariant), .name = "momentum", .len = 1, .value = springs_momentum }
};
static const lbr_invariants springs_invariants = { sizeof(lbr_invariants), 1, springs_kept };
static const double unequal[] = { 1, 0.5, 2.25 }, halves[] = { 0.5, 0.5, 0.5 };

BOTH(
    pushed_text,
    static int pushed_force(double t, const double *q, double *f, void *ctx) {
        f[0] = -FACTOR * q[0] * q[0] * q[0] + t / (1 + t * t);
        return 0;
    } static int pushed_energy(double t, const double *y, double *H, void *ctx) {
        *H = y[1] * y[1] / 2 + FACTOR * y[0] * y[0] * y[0] * y[0] / 4 - y[0] * t / (1 + t * t);
        return 0;
    })

/* A field without partition, with t in it. */
BOTH(
    top_text,
    static int top_field(double t, const double *y, double *f, void *ctx) {
        f[0] = FACTOR * 0.5 * y[1] * y[2];
        f[1] = -y[2] * y[0];
        f[2] = 0.5 * y[0] * y[1] + 0.125 * t / (1 + t * t);
        return 0;
    } static int top_energy(double t, const double *y, double *H, void *ctx) {
        (void)ctx;
        *H = (y[0] * y[0] / 2 + y[1] * y[1] + y[2] * y[2] * 1.5) / 2 - 0.25 * t / (1 + t * t);
        return 0;
    })

/* More components than are kept in local variables. */
enum { LINKS = 40 };
BOTH(
    rope_text,
    static int rope_force(double t, const double *q, double *f, void *ctx) {
        (void)t;
        for (int i = 0; i < 40; i++) {
            double a = (i > 0 ? q[i - 1] : 0) - q[i], b = (i < 39 ? q[i + 1] : 0) - q[i];

            f[i] = FACTOR * (a + b + a * a * a + b * b * b);
        }
        return 0;
    } static int rope_energy(double t, const double *y, double *H, void *ctx) {
        double sum = 0;

        (void)t;
        for (int i = 0; i <= 40; i++) {
            double a = (i < 40 ? y[i] : 0) - (i > 0 ? y[i - 1] : 0), p = i < 40 ? y[40 + i] : 0;

            sum += p * p / 2 + FACTOR * (a * a / 2 + a * a * a * a / 4);
        }
        *H = sum;
        return 0;
    })

enum { HENON, ORBIT, SPRINGS, EQUAL, RELATIVE, PUSHED, TOP, ROPE, SELFMADE };
static selfmade systems[SELFMADE];
static double rope_start[2 * LINKS], rope_ones[LINKS];

static void set_up(selfmade *m, const char *prefix, const char *text, problem p)
{
    *m = (selfmade){ .factor = 1.03125, .prefix = prefix, .text = text, .p = p };
    m->p.system.ctx = m, m->p.system.name = prefix, m->p.system.inside = &inside;
}

static void clean_up(void)
{
    char source[sizeof folder + 16];

    snprintf(source, sizeof source, "%s/k.c", folder);
    unlink(source), rmdir(folder);
}

UNUSED static void make_systems(void)
{
    snprintf(folder, sizeof folder, "%s/lbr-fused-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder)) printf("Bail out! no folder\n"), exit(1);
    atexit(clean_up);
    for (int i = 0; i < LINKS; i++)
        rope_ones[i] = 1, rope_start[i] = 0.25 * sin(0.4 * i), rope_start[LINKS + i] = 0.125 * cos(i);
    set_up(&systems[HENON], "henon", henon_text,
           (problem){ LBR_SYSTEM(.dim = 4, .nq = 2, .force = henon_force, .inverse_mass = problem_ones,
                                 .energy = henon_energy),
                      .h = 0.1, .y = { 0, 0.25, 0.34, 0.16 } });
    set_up(&systems[ORBIT], "orbit", orbit_text,
           (problem){ LBR_SYSTEM(.dim = 4, .nq = 2, .force = orbit_force, .inverse_mass = problem_ones,
                                 .energy = orbit_energy, .invariants = &orbit_invariants),
                      .h = 0.02, .y = { 0.4, 0, 0, 2 } });
    set_up(&systems[SPRINGS], "springs", springs_text,
           (problem){ LBR_SYSTEM(.dim = 6, .nq = 3, .force = springs_force, .inverse_mass = unequal,
                                 .invariants = &springs_invariants),
                      .h = 0.1, .y = { 0.9, -0.3, 0.5, 0.4, 0.8, -0.6 } });
    systems[EQUAL] = systems[SPRINGS], systems[RELATIVE] = systems[SPRINGS];
    set_up(&systems[EQUAL], "springs", springs_text, systems[SPRINGS].p), systems[EQUAL].p.system.inverse_mass = halves;
    set_up(&systems[RELATIVE], "springs", springs_text, systems[SPRINGS].p),
        systems[RELATIVE].p.system.inverse_mass = NULL, systems[RELATIVE].p.system.velocity = springs_velocity;
    set_up(&systems[PUSHED], "pushed", pushed_text,
           (problem){ LBR_SYSTEM(.dim = 2, .nq = 1, .force = pushed_force, .inverse_mass = problem_ones,
                                 .energy = pushed_energy),
                      .t0 = 0.25, .h = 0.1, .y = { 0.7, 0.2 } });
    set_up(&systems[TOP], "top", top_text,
           (problem){ LBR_SYSTEM(.dim = 3, .field = top_field, .energy = top_energy), .h = 0.1,
                      .y = { 1.04, 0.3, 2.05 } });
    set_up(&systems[ROPE], "rope", rope_text,
           (problem){ LBR_SYSTEM(.dim = 2 * LINKS, .nq = LINKS, .force = rope_force, .inverse_mass = rope_ones,
                                 .energy = rope_energy),
                      .h = 0.05 });
}

UNUSED static const double *start_of(const selfmade *m) { return m == &systems[ROPE] ? rope_start : m->p.y; }
#endif
