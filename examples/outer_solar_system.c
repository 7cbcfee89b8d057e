/* outer_solar_system.c - 200 000 days of the outer solar system with four methods (HLW Fig. I.2.4).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a table and draws outer-solar-system.svg with gnuplot. Euler's method with a step of 10 days lets the planets
 * spiral away; the symplectic methods, with far larger steps, keep their orbits. */
#define _POSIX_C_SOURCE 200809L
#include "outer_solar_system.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define DAYS 200000.0
enum { DIM = 36, SAMPLES = 2000, CASES = 4 };

static const struct {
    const char *method, *title;
    double step;
} cases[CASES] = {
    { "explicit-euler", "explicit Euler, h = 10", 10 },
    { "symplectic-euler", "symplectic Euler, h = 100", 100 },
    { "stormer-verlet", "Störmer-Verlet, h = 200", 200 },
    { "kahan-li-8-17", "Kahan-Li, order 8, h = 500", 500 },
};

/* What is seen of one run: errors against the start, and positions relative to the sun for the picture. */
typedef struct record {
    double H0, L0[3], dH, dL;
    float path[SAMPLES + 2][15];
    int64_t n, every;
} record;

static double norm(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static int look(const lbr_view *view, void *ctx)
{
    record *r = ctx;
    double H, L[3];

    if (lbr_view_energy(view, &H) || lbr_view_invariant(view, 0, L)) return 1;
    if (view->n == 0) r->H0 = H, memcpy(r->L0, L, sizeof L);
    for (int k = 0; k < 3; k++) L[k] -= r->L0[k];
    r->dH = fmax(r->dH, fabs((H - r->H0) / r->H0));
    r->dL = fmax(r->dL, norm(L) / norm(r->L0));
    if (view->n % r->every || r->n > SAMPLES) return 0;
    for (int i = 0; i < 15; i++) r->path[r->n][i] = (float)(view->y[3 + i] - view->y[i % 3]);
    r->n++;
    return 0;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One run, looked at every step for the errors; then once more without looking, for the time. */
static int run(int k, const lbr_system *system, const double *y, record *r)
{
    int64_t n = (int64_t)(DAYS / cases[k].step);
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, cases[k].method, system, NULL);
    double begin = 0, time = 0;

    r->every = n / SAMPLES > 0 ? n / SAMPLES : 1;
    if (!status) status = lbr_start(plan, 0, cases[k].step, y);
    if (!status) status = lbr_run(plan, n, 1, look, r);
    if (!status) status = lbr_start(plan, 0, cases[k].step, y);
    begin = seconds();
    if (!status) status = lbr_run(plan, n, 0, NULL, NULL);
    time = seconds() - begin;
    if (status) fprintf(stderr, "%s: %s\n", cases[k].method, lbr_plan_message(plan));
    else
        printf("  %-18s %6.0f %8lld %12lld %12.1e %14.1e %10.2f\n", cases[k].method, cases[k].step, (long long)n,
               (long long)(lbr_plan_stats(plan)->force + lbr_plan_stats(plan)->field), r->dH, r->dL, 1e3 * time);
    lbr_plan_free(plan);
    return status != LBR_OK;
}

static void panel(FILE *g, int k, const record *r)
{
    static const char *const planets[] = { "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto" };
    static const char *const colours[] = { "#a0522d", "#d08000", "#0072b2", "#1b9e77", "#777777" };

    fprintf(g, "$p%d << end\n", k);
    for (int64_t n = 0; n < r->n; n++)
        for (int i = 0; i < 15; i++) fprintf(g, "%.5g%c", r->path[n][i], i == 14 ? '\n' : ' ');
    fprintf(g, "end\nset title \"%s\\n{/*0.8 largest energy error %.0e}\"\nsplot ", cases[k].title, r->dH);
    for (int i = 0; i < 5; i++)
        fprintf(g, "%s$p%d using %d:%d:%d with lines lc rgb '%s' %s%s%s", i ? ", " : "", k, 3 * i + 1, 3 * i + 2,
                3 * i + 3, colours[i], k ? "notitle" : "title '", k ? "" : planets[i], k ? "" : "'");
    fprintf(g, ", '+' using (0):(0):(0) with points pt 7 ps 0.5 lc rgb '#e69f00' notitle\n");
}

/* The picture goes beside its place and is then renamed, so that it is there whole or not at all. */
static int draw(const char *file, const record *r)
{
    char part[256];
    int status;
    FILE *g;

    signal(SIGPIPE, SIG_IGN); /* where there is no gnuplot, writing fails, and pclose says why */
    if (!(g = popen("gnuplot", "w"))) return perror("gnuplot"), 1;
    snprintf(part, sizeof part, "%s.part", file);
    fprintf(g,
            "set terminal svg size 1000,900 dynamic enhanced background rgb 'white' font 'Helvetica,13'\n"
            "set output '%s'\n"
            "set multiplot layout 2,2 title 'The outer solar system over 200 000 days (astronomical units)'\n"
            "set xrange [-45:45]\n"
            "set yrange [-45:45]\n"
            "set zrange [-25:25]\n"
            "set view 60,30,1.15\n"
            "set xyplane at -25\n"
            "set xtics 20 offset 0,-0.3\n"
            "set ytics 20\n"
            "set ztics 20\n"
            "set key at screen 0.99,0.97 samplen 2\n"
            "set ticslevel 0\n"
            "set samples 2\n",
            part);
    for (int k = 0; k < CASES; k++) {
        fprintf(g, "set title ''\n");
        panel(g, k, &r[k]);
    }
    fprintf(g, "unset multiplot\nset output\n");
    status = pclose(g);
    if (status != -1 && WEXITSTATUS(status) == 127) return printf("\nThere is no gnuplot here: nothing is drawn.\n"), 0;
    if (status || rename(part, file)) return fprintf(stderr, "gnuplot could not draw %s\n", file), 1;
    printf("\nThe orbits are drawn in %s.\n", file);
    return 0;
}

int main(int argc, char **argv)
{
    static record r[CASES];
    lbr_system system = LBR_SYSTEM(.name = "outer solar system", .dim = DIM, .nq = DIM / 2, .force = solar_force,
                                   .inverse_mass = solar_inverse, .energy = solar_energy,
                                   .invariants = &solar_invariants);
    double y[DIM];
    int bad = 0;

    for (int i = 0; i < DIM / 2; i++) y[i] = solar_q[i], y[DIM / 2 + i] = solar_v[i] / solar_inverse[i];
    printf("The outer solar system (HLW I.2.4) over %.0f days\n\n  %-18s %6s %8s %12s %12s %14s %10s\n", DAYS, "method",
           "h/days", "steps", "evaluations", "energy error", "momentum error", "time/ms");
    for (int k = 0; k < CASES; k++) bad |= run(k, &system, y, &r[k]);
    printf("\nErrors are the largest over all steps, relative; momentum is the angular momentum.\n");
    return bad || draw(argc > 1 ? argv[1] : "outer-solar-system.svg", r);
}
