/* peers.c - other libraries on the same systems, at equal work, with the energy error of each.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"
#include "peers.h"

enum { LOOKS = 100, RUNS = 11 };

static const char *const ours[] = { "stormer-verlet", "suzuki:4", "rk4", "kahan-li-8-17" };
enum { OURS = sizeof ours / sizeof *ours };

/* What everybody may spend: force evaluations over a time. */
static const struct budget {
    int system;
    double time;
    int64_t evaluations;
} budgets[] = {
    { HENON_HEILES, 20000, 1000000 },
    { KEPLER, 5000, 1000000 },
    { SOLAR, 4e6, 200000 },
};

/* One of ours or of theirs. */
typedef struct entrant {
    const char *library, *method;
    peer_fn run;
    lbr_plan *plan;
} entrant;

/* A system whose force counts its calls. */
typedef struct counter {
    lbr_fn force;
    int64_t calls;
} counter;

static int counted(double t, const double *q, double *f, void *ctx)
{
    counter *c = ctx;

    c->calls++;
    return c->force(t, q, f, NULL);
}

/* The steps one after the other, with LOOKS looks at y: seconds, and the largest error of the energy there. */
static double run(const entrant *e, const problem *p, double h, int64_t n, double *error)
{
    double y[PROBLEM_DIM], H0, H, seconds = 0;

    memcpy(y, p->y, sizeof y);
    p->system.energy(0, y, &H0, NULL);
    if (e->plan) steps_or_exit(e->plan, p, h, 0, y);
    *error = 0;
    for (int i = 0; i < LOOKS; i++) {
        double start = now();

        if (e->plan ? lbr_run(e->plan, n / LOOKS, 0, NULL, NULL) || lbr_read(e->plan, NULL, y)
                    : e->run(&p->system, h, n / LOOKS, y))
            printf("%s %s failed\n", e->library, e->method), exit(1);
        seconds += now() - start;
        p->system.energy(0, y, &H, NULL);
        *error = fmax(*error, fabs((H - H0) / H0));
    }
    return seconds;
}

/* Evaluations in n steps, a multiple of LOOKS. */
static int64_t evaluations(const entrant *e, const problem *p, double h, int64_t n)
{
    counter c = { p->system.force, 0 };
    problem counting = *p;
    entrant copy = *e;
    double error;

    counting.system.force = counted, counting.system.ctx = &c;
    if (e->plan) copy.plan = plan_or_exit(e->method, &counting.system, NULL);
    run(&copy, &counting, h, n, &error);
    if (e->plan) lbr_plan_free(copy.plan);
    return c.calls;
}

static void compete(const entrant *e, const problem *p, const struct budget *b)
{
    double per_step = (double)(evaluations(e, p, p->h, 20 * LOOKS) - evaluations(e, p, p->h, 10 * LOOKS)) /
                      (10 * LOOKS);
    int64_t n = (int64_t)((double)b->evaluations / per_step / LOOKS + 0.5) * LOOKS;
    double h = b->time / (double)n, seconds = 1e300, error;

    for (int r = 0; r < RUNS; r++) seconds = fmin(seconds, run(e, p, h, n, &error));
    printf("%-19s %-9s %-30s %8lld %11.4g %9.2f %9.2f %12.1e\n", p->system.name, e->library, e->method, (long long)n, h,
           seconds / (double)n * 1e9, seconds / (double)b->evaluations * 1e9, error);
    fflush(stdout);
}

static void compare(const struct budget *b)
{
    static const peer *const others[] = {
#ifdef LBR_HAVE_ODEINT
        peers_odeint,
#endif
#ifdef LBR_HAVE_GSL
        peers_gsl,
#endif
        NULL
    };
    problem p = bench_system(b->system);

    for (int i = 0; i < OURS; i++) {
        entrant e = { "Libration", ours[i], NULL, plan_or_exit(ours[i], &p.system, NULL) };

        compete(&e, &p, b);
        lbr_plan_free(e.plan);
    }
    for (int i = 0; others[i]; i++)
        for (const peer *o = others[i]; o->library; o++)
            compete(&(entrant){ o->library, o->method, o->run, NULL }, &p, b);
    printf("\n");
}

int main(void)
{
    printf("Peers: the same force called through a pointer, the same number of evaluations over the same time\n\n"
           "system              library   method                            steps           h   ns/step   ns/eval "
           "energy error\n");
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) compare(&budgets[i]);
    printf("energy error: the largest of %d looks, relative. Not installed: not listed.\n\n", LOOKS);
    return 0;
}
