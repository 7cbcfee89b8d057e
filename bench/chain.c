/* chain.c - RATTLE on hanging chains, trees and closed loops of rigid links, against a loop by hand with a tridiagonal
 * matrix. SPDX-License-Identifier: BSD-3-Clause
 *
 * Through callbacks, and from models/chain.lbr as machine code; the three take turns. Time per link and step, and per
 * link and Newton iteration, for n from 10 to 100 000 links. Uses the inside of the library. */
#define _DEFAULT_SOURCE /* mkdtemp, setenv */
#include "bench.h"
#include "tridiagonal.h"

#include "kernel/folder.h"
#include "kernel/fuse_model.h"

enum { DIMENSIONS = 3, ROUNDS = 15, AGAIN = 3, SIZES = 5 };
static int missed;

/* Link i joins point i with point parent[i], or with the origin (-1). A closed loop has one link more than points: its
 * last one joins n - 1 with 0. */
typedef struct chain {
    int64_t n, m;
    int64_t *a, *b, *row, *col;
    double *mass, *y;
    lbr_constraints c;
} chain;

static int force(double t, const double *q, double *f, void *ctx)
{
    const chain *x = ctx;

    (void)t, (void)q;
    for (int64_t i = 0; i < x->n; i++) f[3 * i] = f[3 * i + 1] = 0, f[3 * i + 2] = -GRAVITY;
    return 0;
}

static double apart(const double *q, int64_t a, int64_t b, int k) { return q[3 * a + k] - (b < 0 ? 0 : q[3 * b + k]); }

static int g(double t, const double *q, double *r, void *ctx)
{
    const chain *x = ctx;

    (void)t;
    for (int64_t i = 0; i < x->m; i++) {
        double u = apart(q, x->a[i], x->b[i], 0), v = apart(q, x->a[i], x->b[i], 1), w = apart(q, x->a[i], x->b[i], 2);

        r[i] = u * u + v * v + w * w - link2;
    }
    return 0;
}

static int G(double t, const double *q, double *out, void *ctx)
{
    const chain *x = ctx;

    (void)t;
    for (int64_t i = 0; i < x->m; i++, out += 3)
        for (int k = 0; k < DIMENSIONS; k++) {
            double d = 2 * apart(q, x->a[i], x->b[i], k);
            int forth = x->b[i] > x->a[i]; /* columns ascend */

            if (x->b[i] >= 0) out[k] = forth ? d : -d, out[k + 3] = forth ? -d : d;
            else out[k] = d;
            if (k == DIMENSIONS - 1 && x->b[i] >= 0) out += 3;
        }
    return 0;
}

static void link_up(chain *x, int64_t i, int64_t a, int64_t b)
{
    int64_t lower = b >= 0 && b < a ? b : a, upper = b >= 0 && b < a ? a : b, at = x->row[i];

    x->a[i] = a, x->b[i] = b;
    for (int k = 0; k < DIMENSIONS; k++) x->col[at++] = 3 * lower + k;
    for (int k = 0; upper >= 0 && k < DIMENSIONS; k++) x->col[at++] = 3 * upper + k;
    x->row[i + 1] = at;
}

/* 0: a chain, 1: a tree with two branches everywhere, 2: a closed loop. Stretched out, swung sideways. */
static chain made(int64_t n, int shape)
{
    size_t links = (size_t)n + 1;
    chain x = { .n = n,
                .m = shape == 2 ? n : n,
                .a = malloc(links * 8),
                .b = malloc(links * 8),
                .row = calloc(links + 1, 8),
                .col = malloc(6 * links * 8),
                .mass = malloc(24 * links),
                .y = calloc(6 * links, 8) };

    for (int64_t i = 0; i < n; i++) {
        int64_t parent = shape == 1 ? (i - 1) / 2 - (i == 0) : i - 1;
        double turn = 2 * 3.14159265358979323846 / (double)n, radius = 0.05 / sin(turn / 2),
               angle = shape == 1 ? 0.7 * (double)(i % 2) - 0.35 : 0;

        if (shape == 2) link_up(&x, i, i, i ? i - 1 : n - 1);
        else link_up(&x, i, i, i ? parent : -1);
        for (int k = 0; k < DIMENSIONS; k++) x.mass[3 * i + k] = 1;
        if (shape == 2)
            x.y[3 * i] = radius * cos(turn * (double)i), x.y[3 * i + 1] = radius * sin(turn * (double)i),
                    x.y[3 * n + 3 * i + 2] = 0.1 * cos(turn * (double)i);
        else {
            x.y[3 * i] = (i ? x.y[3 * parent] : 0) + 0.1 * cos(angle),
                    x.y[3 * i + 1] = (i ? x.y[3 * parent + 1] : 0) + 0.1 * sin(angle);
            x.y[3 * n + 3 * i + 2] = 0;
        }
    }
    x.c = (lbr_constraints){
        .size = sizeof x.c, .m = x.m, .g = g, .G = G, .nnz = x.row[x.m], .row = x.row, .col = x.col
    };
    return x;
}

static void gone(chain *x) { free(x->a), free(x->b), free(x->row), free(x->col), free(x->mass), free(x->y); }

/* --- contenders -------------------------------------------------------------------------------------------------- */

/* models/chain.lbr with n links, compiled. */
typedef struct loaded {
    lbr_source source;
    lbr_model *model;
    const lbr_system *system;
    lbr_kernels_report report;
} loaded;

static void open_or_exit(loaded *x, int64_t n)
{
    lbr_message message = { 0 };
    lbr_change links = { .name = "n", .data = (double[]){ (double)n } };

    *x = (loaded){ 0 };
    if (!lbr_source_open(&x->source, "chain") && !lbr_model_make(&x->model, &x->source, &links, 1))
        x->system = lbr_model_system(x->model, &message);
    if (x->system && !lbr_kernels_enable(x->model, NULL)) {
        lbr_kernels_ask(x->model, LBR_COMPILE_WAIT, &x->report);
        return;
    }
    printf("chain: %s\n", x->source.message ? x->source.message : message.text);
    exit(1);
}

static void shut(loaded *x) { lbr_model_free(x->model), lbr_source_free(&x->source); }

/* Of this program alone, whatever else the machine does. */
static double used(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Seconds of so many steps. */
static double steps_of(lbr_plan *plan, double h, int64_t steps, const double *y)
{
    double t;

    if (lbr_start(plan, 0, h, y)) printf("%s\n", lbr_plan_message(plan)), exit(1);
    t = used();
    if (lbr_run(plan, steps, 0, NULL, NULL)) printf("%s\n", lbr_plan_message(plan)), exit(1);
    return used() - t;
}

static double iterations_of(lbr_plan *plan, int64_t steps)
{
    return (double)lbr_plan_stats(plan)->iterations / (double)steps;
}

/* --- what is measured -------------------------------------------------------------------------------------------- */

/* The least times in ns per link and step; iterations per step of each, which must be the same. */
enum { CALLBACKS, MODEL, HAND, CONTENDING };
typedef struct found {
    double ns[CONTENDING], iterations[CONTENDING], apart;
} found;

static int64_t steps_for(int64_t n) { return n < 1000 ? 200000 / n : n < 20000 ? 500000 / n : 30; }

static void measure_once(int64_t n, double h, const chain *x, lbr_plan *const *plan, loop *l, found *f)
{
    int64_t steps = steps_for(n);
    double *y = malloc((size_t)(12 * n) * sizeof *y), *z = y + 6 * n, t, seconds[CONTENDING];

    for (int i = 0; i < HAND; i++)
        if (plan[i])
            seconds[i] = steps_of(plan[i], h, steps, x->y), f->iterations[i] = iterations_of(plan[i], steps),
            f->ns[i] = fmin(f->ns[i], 1e9 * seconds[i] / (double)(n * steps));
    if (plan[MODEL]) {
        memcpy(z, x->y, (size_t)(6 * n) * sizeof *z), memset(l->L, 0, (size_t)n * sizeof *l->L), l->iterations = 0;
        t = used(), by_hand(l, n, h, steps, z, z + 3 * n), seconds[HAND] = used() - t;
        f->ns[HAND] = fmin(f->ns[HAND], 1e9 * seconds[HAND] / (double)(n * steps)),
        f->iterations[HAND] = (double)l->iterations / (double)steps;
        for (int i = 0; i < HAND; i++) {
            lbr_read(plan[i], NULL, y);
            for (int64_t j = 0; j < 6 * n; j++) f->apart = fmax(f->apart, fabs(y[j] - z[j]));
        }
    }
    free(y);
}

static const double most_callbacks = 2.6, most_model = 1.3;

static int slow(const found *f)
{
    return f->ns[CALLBACKS] > most_callbacks * f->ns[HAND] || f->ns[MODEL] > most_model * f->ns[HAND];
}

/* On a machine with other work even the least time of some may be wrong: what misses is measured again, all contenders.
 */
static found measure(int64_t n, int shape, double h)
{
    chain x = made(n, shape);
    lbr_system s = LBR_SYSTEM(.name = "chain", .ctx = &x, .dim = 6 * n, .nq = 3 * n, .force = force,
                              .inverse_mass = x.mass, .constraints = &x.c);
    lbr_plan *plan[HAND] = { plan_or_exit("rattle", &s, NULL), NULL };
    found f = { { 1e300, 1e300, 1e300 }, { 0 }, 0 };
    loop l = loop_for(n);
    loaded model;

    if (!shape) {
        open_or_exit(&model, n);
        plan[MODEL] = plan_or_exit("rattle", model.system, NULL);
        if (strcmp(lbr_plan_kernel(plan[MODEL]), "fused"))
            printf("chain: no kernel. %s\n", model.report.message.text), exit(1);
    }
    for (int again = 0; again < AGAIN && (!again || (!shape && slow(&f))); again++)
        for (int r = 0; r < ROUNDS; r++) measure_once(n, h, &x, plan, &l, &f);
    if (!shape) lbr_plan_free(plan[MODEL]), shut(&model);
    lbr_plan_free(plan[CALLBACKS]), loop_free(&l), gone(&x);
    return f;
}

/* --- the table --------------------------------------------------------------------------------------------------- */

static void print_verdict(double ratio, double asked)
{
    missed += asked > 0 && ratio > asked;
    if (asked > 0) printf("  %7.3f %6.2f  %-3s", ratio, asked, ratio <= asked ? "yes" : "NO");
    else printf("  %7.3f      -     ", ratio);
}

static void print_chain(int64_t n, const found *f)
{
    static const char *const name[] = { "callbacks", "model, fused" };
    static const double *const asked[] = { &most_callbacks, &most_model };

    for (int i = 0; i < HAND; i++) {
        printf("%-8s%8lld  %-14s%10.2f%10.2f", "chain", (long long)n, name[i], f->ns[i], f->ns[HAND]),
            print_verdict(f->ns[i] / f->ns[HAND], *asked[i]);
        printf("%10.2f%11.2f\n", f->iterations[i], f->ns[i] / f->iterations[i]);
        if (fabs(f->iterations[i] - f->iterations[HAND]) > 0.01 * f->iterations[HAND])
            printf("    by hand: %.2f iterations\n", f->iterations[HAND]);
    }
    if (!(f->apart < 1e-6)) printf("    by hand: another motion, %.1e apart\n", f->apart);
}

/* Times per link and iteration of one contender, all sizes: the largest of the first ones over the smallest, and the
 * last over the one before. */
static void print_flat(const char *shape, const char *how, const double *per)
{
    double least = 1e300, most = 0;

    for (int i = 0; i < SIZES - 1; i++) least = fmin(least, per[i]), most = fmax(most, per[i]);
    printf("%-8s%-24s%10.2f%10.2f", shape, how, most, least), print_verdict(most / least, 1.15),
        printf("  10 to 10 000 links\n");
    if (per[SIZES - 1] > 0)
        printf("%-8s%-24s%10.2f%10.2f", shape, how, per[SIZES - 1], per[SIZES - 2]),
            print_verdict(per[SIZES - 1] / per[SIZES - 2], 1.4), printf("  100 000 links against 10 000\n");
}

static void all_sizes(int shape, const char *name)
{
    static const struct {
        int64_t n;
        double h[3];
    } size[SIZES] = { /* of a chain, a tree, a loop: about as many iterations for all n */
                      { 10, { 1e-4, 1e-4, 5e-5 } },
                      { 100, { 3e-4, 1e-4, 3e-4 } },
                      { 1000, { 1e-3, 1.4e-4, 1e-3 } },
                      { 10000, { 1e-3, 4e-4, 1.3e-3 } },
                      { 100000, { 1e-3, 6e-4, 1e-3 } }
    };
    double per[HAND][SIZES] = { 0 };

    for (int i = 0; i < SIZES; i++) {
        found f;

        if (shape == 2 && size[i].n > 10000)
            continue; /* a large loop is nearly straight, and its matrix nearly singular */
        f = measure(size[i].n, shape, size[i].h[shape]);
        for (int k = 0; k < HAND; k++) per[k][i] = f.ns[k] / f.iterations[k];
        if (shape)
            printf("%-8s%8lld  %-14s%10.2f%31s%10.2f%11.2f\n", name, (long long)size[i].n, "callbacks", f.ns[CALLBACKS],
                   "", f.iterations[CALLBACKS], per[CALLBACKS][i]);
        else print_chain(size[i].n, &f);
        fflush(stdout);
    }
    print_flat(name, "callbacks, per iteration", per[CALLBACKS]);
    if (!shape) print_flat(name, "model, per iteration", per[MODEL]);
}

int main(void)
{
    static const char *const shape[] = { "chain", "tree", "loop" };
    lbr_folder folder;
    lbr_message message;

    if (lbr_folder_make(&folder, &message)) return fprintf(stderr, "chain: %s\n", message.text), 1;
    setenv("LIBRATION_CACHE", folder.path, 1);
    printf("RATTLE on links of unit masses: ns per link and step, the least of %d or more\n"
           "\n"
           "%-8s%8s  %-14s%10s%10s  %7s %6s     %10s%11s\n",
           ROUNDS, "", "links", "from", "ours", "by hand", "ratio", "asked", "iterations", "ns for one");
    for (int k = 0; k < 3; k++) all_sizes(k, shape[k]);
    printf("\n%d of what is asked for not met.\n\n", missed);
    lbr_folder_remove(&folder);
    return 0;
}
