/* kernels.c - models as machine code, against loops written by hand with the force inside.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     kernels [TOOL]           TOOL is the tool whose cached start is timed; without it the one of this build
 *
 * Uses the inside of the library. Kernels are compiled into a cache of their own, which goes away again. */
#define _DEFAULT_SOURCE /* mkdtemp, setenv */
#include "bench.h"
#include "peers.h"
#include "tables.h"

#include "kernel/cache.h"
#include "kernel/folder.h"
#include "kernel/fuse_model.h"
#include "stepper/stepper.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, AGAIN = 3, MOST = 20, STARTS = 20, NBODY = 1000, MOST_WATCHED = 16 };
static int missed;

/* --- models ------------------------------------------------------------------------------------------------------ */

typedef struct loaded {
    lbr_source source;
    lbr_model *model;
    problem p;
    lbr_kernels_report report;
} loaded;

static void open_or_exit(loaded *x, const char *name, int compiled)
{
    lbr_message message = { 0 };
    const lbr_system *s = NULL;

    *x = (loaded){ 0 };
    if (!lbr_source_open(&x->source, name) && !lbr_model_make(&x->model, &x->source, NULL, 0))
        s = lbr_model_system(x->model, &message);
    if (!s || (compiled && lbr_kernels_enable(x->model, NULL))) {
        printf("%s: %s\n", name, x->source.message ? x->source.message : message.text);
        exit(1);
    }
    if (compiled) lbr_kernels_ask(x->model, LBR_COMPILE_WAIT, &x->report);
    x->p.system = *s, x->p.system.name = name, x->p.t0 = x->model->t0;
    if (s->dim <= PROBLEM_DIM) memcpy(x->p.y, x->model->y0, (size_t)s->dim * sizeof *x->p.y);
}

static void shut(loaded *x) { lbr_model_free(x->model), lbr_source_free(&x->source); }

static void plans_for(const char *isa, contender *c, const loaded *x, const char *method, int compiled)
{
    lbr_options options;

    lbr_options_init(&options), lbr_option_set(&options, "isa", isa);
    for (int r = 0; r < REPEATS; r++) {
        c->plan[r] = plan_or_exit(method, &x->p.system, &options);
        if (compiled == !strcmp(lbr_plan_kernel(c->plan[r]), "fused")) continue;
        printf("%s on %s: no kernel. %s\n", method, x->p.system.name, x->report.message.text);
        exit(1);
    }
    c->problem = &x->p;
}

static void plans_or_exit(contender *c, const loaded *x, const char *method, int compiled)
{
    plans_for("auto", c, x, method, compiled);
}

static void free_plans(contender *c)
{
    for (int r = 0; r < REPEATS; r++) lbr_plan_free(c->plan[r]);
}

/* --- contenders -------------------------------------------------------------------------------------------------- */

static void run_plan(const contender *c, int repetition, int64_t n, double *y)
{
    steps_or_exit(c->plan[repetition], c->problem, c->h, n, y);
}

static void run_watched(const contender *c, int repetition, int64_t n, double *y)
{
    const lbr_system *s = &c->problem->system;
    double first[MOST_WATCHED], worst[MOST_WATCHED] = { 0 };
    lbr_state *state = lbr_plan_state(c->plan[repetition]);
    int64_t at = 0;

    if (s->energy) s->energy(c->problem->t0, c->problem->y, first + at++, s->ctx);
    for (int64_t k = 0; s->invariants && k < s->invariants->count; at += s->invariants->item[k++].len)
        s->invariants->item[k].value(c->problem->t0, c->problem->y, first + at, s->invariants->item[k].ctx);
    if (lbr_state_watch(state, first, worst)) exit(1);
    run_plan(c, repetition, n, y);
    if (!(worst[0] > 0)) printf("%s: nothing was watched\n", s->name), exit(1);
    lbr_state_watch(state, NULL, NULL);
}

static void run_loop(const contender *c, int repetition, int64_t n, double *y)
{
    (void)repetition;
    memcpy(y, c->problem->y, sizeof c->problem->y);
    if (c->loop(&c->problem->system, c->table, c->h, n, y)) exit(1);
}

#ifdef LBR_HAVE_ODEINT
static int odeint_vector(const lbr_system *s, const table *tab, double h, int64_t n, double *y)
{
    return (void)tab, peers_odeint_inlined[0].run(s, h, n, y);
}
static int odeint_array(const lbr_system *s, const table *tab, double h, int64_t n, double *y)
{
    return (void)tab, peers_odeint_inlined[1].run(s, h, n, y);
}
#endif

/* The least time of each in several races, and of what it was before. */
static void races(int count, contender *c, double seconds, double *least)
{
    for (int k = 0; k < ROUNDS; k++) {
        race(count, c, seconds);
        for (int i = 0; i < count; i++) least[i] = fmin(least[i], c[i].ns[0]);
    }
}

/* --- the table --------------------------------------------------------------------------------------------------- */

/* On a machine with other work even the least time of some may be wrong: what misses is measured again, all contenders.
 */
static void unknown(double *least)
{
    for (int i = 0; i < MOST; i++) least[i] = 1e300;
}
static int too_slow(double ours, double other, double asked) { return asked > 0 && ours > asked * other; }

static void print_verdict(double ratio, double asked)
{
    missed += asked > 0 && ratio > asked;
    if (asked > 0) printf("  %7.3f %6.2f  %-3s", ratio, asked, ratio <= asked ? "yes" : "NO");
    else printf("  %7.3f      -     ", ratio);
}

/* What is compared, how long both take, and whether the ratio is what is asked for (0: nothing). */
static void print_row(const char *system, const char *what, double ours, double other, double ratio, double asked,
                      const char *note)
{
    printf("%-19s %-24s %10.2f %10.2f", system, what, ours, other);
    print_verdict(ratio, asked);
    printf("  %s\n", note);
    fflush(stdout);
}

static const struct row {
    const char *model, *method;
    double h, asked;
} rows[] = {
    { "henon-heiles", "stormer-verlet", 0.1, 1.10 },
    { "kepler", "stormer-verlet", 0.05, 1.10 },
    { "pendulum", "stormer-verlet", 0.1, 1.10 },
    { "outer-solar-system", "stormer-verlet", 50, 1.15 },
    { "henon-heiles", "kahan-li-8-17", 0.4, 0 },
    { "kepler", "kahan-li-8-17", 0.2, 0 },
    { "outer-solar-system", "kahan-li-8-17", 200, 0 },
    { "henon-heiles", "rk4", 0.1, 0 },
    { "kepler", "rk4", 0.05, 0 },
    { "outer-solar-system", "rk4", 50, 0 },
    { "henon-heiles", "kutta-38", 0.1, 0 },
    { "kepler", "kutta-38", 0.05, 0 },
    { "outer-solar-system", "kutta-38", 50, 0 },
    { "henon-heiles", "nystrom-5", 0.1, 0 },
    { "kepler", "nystrom-5", 0.05, 0 },
    { "outer-solar-system", "nystrom-5", 100, 0 },
    { "henon-heiles", "gauss:2", 0.1, 0 },
    { "kepler", "gauss:2", 0.05, 0 },
    { "outer-solar-system", "gauss:2", 50, 0 },
    { "henon-heiles", "gauss:4", 0.2, 0 },
    { "kepler", "gauss:4", 0.1, 0 },
    { "outer-solar-system", "gauss:4", 100, 0 },
    { "henon-heiles", "gauss:6", 0.2, 0 },
    { "kepler", "gauss:6", 0.1, 0 },
    { "outer-solar-system", "gauss:6", 200, 0 },
};

/* Whether a loop computes what the kernel does: a few steps, in which rounding errors stay small. */
static void check(const contender *kernel, const contender *loop)
{
    double a[PROBLEM_DIM], b[PROBLEM_DIM], apart = 0, most = 0;

    kernel->run(kernel, 0, 40, a), loop->run(loop, 0, 40, b);
    for (int64_t i = 0; i < kernel->problem->system.dim; i++)
        apart = fmax(apart, fabs(a[i] - b[i])), most = fmax(most, fabs(a[i]));
    if (apart <= 1e-12 * most) return;
    printf("%s: the loop written by hand computes something else: %g\n", kernel->problem->system.name, apart / most);
    exit(1);
}

static const char *const variants[] = {
    "vector", "scalar", "grouped", "contracted, vector", "contracted, scalar", "contracted, grouped"
};

/* All loops for this system and method behind c[0], which is ours. */
static int floors_of(const struct row *row, contender *c, const char **name)
{
    int count = 1;

    for (int fast = 0; fast < 2; fast++)
        for (const inlined_row *f = fast ? inlined_contract_fast : inlined_contract_off; f->system; f++)
            for (int v = 0; v < 3 && !strcmp(f->system, row->model) && !strcmp(f->method, row->method); v++)
                name[count] = variants[3 * fast + v], c[count++].loop = f->run[v];
    return count;
}

static void steps(const struct row *row)
{
    loaded x;
    table t = { 0 };
    contender c[MOST] = { { .run = run_plan } };
    const char *name[MOST];
    double least[MOST];
    int count = floors_of(row, c, name), best = 1;

    open_or_exit(&x, row->model, 1), plans_or_exit(c, &x, row->method, 1), table_of(row->method, &t);
    for (int i = 0; i < count; i++) {
        c[i].problem = &x.p, c[i].h = row->h, c[i].table = &t;
        if (i) c[i].run = run_loop, check(c, c + i);
    }
    unknown(least);
    for (int again = 0; again < AGAIN && (!again || too_slow(least[0], least[best], row->asked)); again++) {
        races(count, c, 0.01, least);
        for (int i = 1; i < count; i++)
            if (least[i] < least[best]) best = i;
    }
    print_row(row->model, row->method, least[0], least[best], least[0] / least[best], row->asked, name[best]);
    free_plans(c), shut(&x);
}

/* Other loops than floors: what is asked of the kernel against them. */
typedef struct rival {
    const char *name;
    floor_fn loop;
    double asked;
} rival;

/* Watched, interpreted, and rivals, against the kernel. */
static void others(const char *model, double h, double watched, double interpreted, const rival *r)
{
    loaded x, y;
    contender c[MOST] = { { .run = run_plan }, { .run = run_watched }, { .run = run_plan } };
    double least[MOST];
    int count = 3;

    open_or_exit(&x, model, 1), open_or_exit(&y, model, 0);
    plans_or_exit(&c[0], &x, "stormer-verlet", 1), plans_or_exit(&c[1], &x, "stormer-verlet", 1),
        plans_or_exit(&c[2], &y, "stormer-verlet", 0);
    for (; r[count - 3].name; count++)
        c[count] = (contender){ .run = run_loop, .loop = r[count - 3].loop, .problem = &x.p };
    for (int i = 0; i < count; i++) c[i].h = h, check(c, c + i);
    unknown(least);
    for (int again = 0; again < AGAIN &&
                        (!again || too_slow(least[1], least[0], watched) || too_slow(least[2], least[0], interpreted));
         again++)
        races(count, c, 0.01, least);
    print_row(model, "every step watched", least[1], least[0], least[1] / least[0], watched, "against the kernel");
    print_row(model, "interpreted", least[2], least[0], least[2] / least[0], interpreted, "against the kernel");
    for (int i = 3; i < count; i++)
        print_row(model, r[i - 3].name, least[0], least[i], least[0] / least[i], r[i - 3].asked, "kernel against it");
    for (int i = 0; i < 3; i++) free_plans(&c[i]);
    shut(&x), shut(&y);
}

static const rival henon_heiles_rivals[] = {
#ifdef LBR_HAVE_ODEINT
    { "odeint, std::vector", odeint_vector, 0.5 }, { "odeint, std::array", odeint_array, 0 },
#endif
    { 0 } }, solar_rivals[] = { { "vectors of pairs", by_hand_solar, 0 }, { 0 } };

/* --- stages in lanes --------------------------------------------------------------------------------------------- */

static void stages(const char *model, double h, const char *isa, const char *how, floor_fn loop)
{
    loaded x;
    table t = { 0 };
    contender c[2] = { { .run = run_plan }, { .run = run_loop, .loop = loop } };
    double least[2];

    open_or_exit(&x, model, 1), plans_for(isa, c, &x, "gauss:8", 1), table_of("gauss:8", &t);
    for (int i = 0; i < 2; i++) c[i].problem = &x.p, c[i].h = h, c[i].table = &t;
    check(&c[0], &c[1]);
    unknown(least);
    for (int again = 0; again < AGAIN && (!again || too_slow(least[0], least[1], 1.2)); again++)
        races(2, c, 0.01, least);
    print_row(model, "gauss:8", least[0], least[1], least[0] / least[1], 1.2, how);
    free_plans(c), shut(&x);
}

static const struct {
    const char *isa, *how;
    floor_fn kepler, solar;
} by_stages[] = {
    { "v4", "eight stages in a vector", by_hand_stages_kepler_contract_off, by_hand_stages_solar_contract_off },
    { "v3", "four stages in a vector", by_hand_stages_kepler_contract_fast, by_hand_stages_solar_contract_fast }
};

/* --- many bodies ------------------------------------------------------------------------------------------------- */

static double seconds_of(const pairs_row *row, const double *q, double *f)
{
    double t = now();

    row->force(NBODY, 0.02, q, f);
    return now() - t;
}

static void bodies(void)
{
    const double pairs = NBODY * (NBODY - 1) / 2.0;
    static double f[3 * NBODY];
    double least = 1e300, by_hand[8], plain = 1e300;
    loaded x;
    lbr_plan *plan;

    open_or_exit(&x, "nbody", 1);
    plan = plan_or_exit("stormer-verlet", &x.p.system, NULL);
    for (int i = 0; i < 8; i++) by_hand[i] = 1e300;
    for (int r = 0; r < 10 * ROUNDS; r++) {
        double t;

        if (lbr_start(plan, 0, 1e-4, x.model->y0) || lbr_run(plan, 1, 0, NULL, NULL)) exit(1);
        t = now();
        if (lbr_run(plan, 5, 0, NULL, NULL)) exit(1);
        least = fmin(least, (now() - t) / 5 / pairs * 1e9);
        for (int i = 0; by_hand_pairs[i].name; i++)
            by_hand[i] = fmin(by_hand[i], seconds_of(&by_hand_pairs[i], x.model->y0, f) / pairs * 1e9);
    }
    for (int i = 0; by_hand_pairs[i].name; i++)
        if (by_hand_pairs[i].plain) plain = fmin(plain, by_hand[i]);
    for (int i = 0; by_hand_pairs[i].name; i++)
        print_row("nbody, per pair", by_hand_pairs[i].name, least, by_hand[i], least / by_hand[i],
                  by_hand_pairs[i].plain && by_hand[i] == plain ? 1.3 : 0, "kernel against it");
    lbr_plan_free(plan), shut(&x);
}

/* --- compiling, and a start from the cache ----------------------------------------------------------------------- */

/* Seconds of compiling, in a process that has nothing compiled yet and an empty cache; -1: there was no kernel. */
static double compile_once(const char *model)
{
    double seconds = -1;
    int ends[2], status;
    lbr_cache_size removed;
    lbr_message message;
    pid_t child;

    if (lbr_cache_clear(&removed, &message) || pipe(ends) || (child = fork()) < 0) return -1;
    if (!child) {
        loaded x;

        open_or_exit(&x, model, 1), plan_or_exit("stormer-verlet", &x.p.system, NULL);
        seconds = x.report.kernels ? x.report.seconds : -1;
        _exit(write(ends[1], &seconds, sizeof seconds) != sizeof seconds);
    }
    close(ends[1]);
    if (read(ends[0], &seconds, sizeof seconds) != sizeof seconds) seconds = -1;
    close(ends[0]), waitpid(child, &status, 0);
    return seconds;
}

static void compile(const char *model, double most)
{
    double least = 1e300;

    for (int r = 0; r < ROUNDS; r++) {
        double seconds = compile_once(model);

        if (seconds < 0) printf("%s: not compiled\n", model), exit(1);
        least = fmin(least, seconds);
    }
    print_row(model, "compiling [s]", least, most, least / most, 1, "against what is asked");
}

extern char **environ;

static double start(const char *tool)
{
    char *argv[] = { (char *)tool, (char *)"run", (char *)"henon-heiles", (char *)"--steps", (char *)"1", NULL };
    posix_spawn_file_actions_t actions;
    double t = now();
    pid_t child;
    int status = 1;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!posix_spawn(&child, tool, &actions, NULL, argv, environ)) waitpid(child, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return status ? -1 : (now() - t) * 1e3;
}

static void starts(const char *tool)
{
    double ms[STARTS];

    for (int i = -1; i < STARTS; i++) {
        double t = start(tool);

        if (t < 0) {
            printf("henon-heiles        cached start: %s was not run\n", tool);
            return;
        }
        if (i >= 0) ms[i] = t;
    }
    qsort(ms, STARTS, sizeof *ms, ascending);
    print_row("henon-heiles", "cached start [ms]", ms[STARTS / 2], 20, ms[STARTS / 2] / 20, 1,
              "against what is asked; the median");
}

/* The tool of this build: beside the folder that this program is in. */
static const char *beside(char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 16);

    path[n > 0 ? n : 0] = 0;
    for (int k = 0; k < 2; k++)
        if (strrchr(path, '/')) *strrchr(path, '/') = 0;
    return strcat(path, "/libration");
}

int main(int argc, char **argv)
{
    lbr_folder folder;
    lbr_message message;
    char tool[4096];

    if (lbr_folder_make(&folder, &message)) return fprintf(stderr, "kernels: %s\n", message.text), 1;
    setenv("LIBRATION_CACHE", folder.path, 1);
    setvbuf(stdout, NULL, _IOLBF, 0); /* children have what is not written yet */
    printf("Models as machine code, monitor off, and loops written by hand with the force inside [ns per step, the "
           "least of %d or more]\n"
           "\n"
           "%-19s %-24s %10s %10s  %7s %6s\n",
           ROUNDS * REPEATS, "model", "method, or what", "ours", "other", "ratio", "asked");
    compile("henon-heiles", 0.5), compile("kepler", 0.5), compile("pendulum", 0.5), compile("outer-solar-system", 0.5),
        compile("nbody", 5);
    for (size_t i = 0; i < sizeof by_stages / sizeof *by_stages; i++) {
        const char *isa = by_stages[i].isa;
        lbr_options options;

        lbr_options_init(&options), lbr_option_set(&options, "isa", isa);
        if (!lbr_isa_there(options.isa)) continue;
        stages("kepler", 2 * 3.14159265358979324 / 100, isa, by_stages[i].how, by_stages[i].kepler);
        stages("outer-solar-system", 400, isa, by_stages[i].how, by_stages[i].solar);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) steps(&rows[i]);
    others("henon-heiles", 0.1, 1.25, 12, henon_heiles_rivals);
    others("outer-solar-system", 50, 0, 5, solar_rivals);
    bodies();
    starts(argc > 1 ? argv[1] : beside(tool, sizeof tool));
    printf("\n%d of what is asked for not met.\n\n", missed);
    lbr_folder_remove(&folder);
    return 0;
}
