/* interpreter.c - forces as interpreted code against the same expressions written in C.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses the inside of the library. The C is compiled for x86-64-v3, with fma where the graph has it. */
#ifdef __x86_64__
    #pragma GCC target("avx2,fma,bmi,bmi2")
#endif
#include "program/code.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLANETS = 6, BODIES = 1000, MOST = 3 * BODIES, LANES = 64 };

static const double mass[PLANETS] = { 1.00000597682,      0.000954786104043,  0.000285583733151,
                                      0.0000437273164546, 0.0000517759138449, 7.6923e-09 };
static const double G = 2.95912208286e-4;

static double now(void)
{
    struct timespec t;

    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- graphs ------------------------------------------------------------------------------------------------------ */

static lbr_ref at(lbr_dag *g, int k) { return lbr_dag_load(g, 0, lbr_dag_const(g, k)); }

static int henon_heiles(lbr_dag *g)
{
    lbr_ref x = (lbr_dag_input(g, 2), at(g, 0)), y = at(g, 1);
    int f = lbr_dag_array(g, 2);
    lbr_ref fx = lbr_dag_neg(g, lbr_dag_add(g, x, lbr_dag_mul(g, lbr_dag_mul(g, lbr_dag_const(g, 2), x), y)));
    lbr_ref fy = lbr_dag_sub(g, lbr_dag_sub(g, lbr_dag_mul(g, y, y), y), lbr_dag_mul(g, x, x));

    lbr_dag_entry(g, f, (lbr_entry){ 0, 0, fx, 0 });
    lbr_dag_entry(g, f, (lbr_entry){ 0, lbr_dag_const(g, 1), fy, 0 });
    lbr_dag_close(g, f);
    return f;
}

/* 1/r^3 of three differences, times c. */
static lbr_ref weight(lbr_dag *g, const lbr_ref *d, lbr_ref c)
{
    lbr_ref square[3], r2;

    for (int k = 0; k < 3; k++) square[k] = lbr_dag_mul(g, d[k], d[k]);
    r2 = lbr_dag_sum(g, square, 3);
    return lbr_dag_div(g, c, lbr_dag_mul(g, r2, lbr_dag_op(g, LBR_OP_SQRT, r2, 0, 0)));
}

static int outer_solar_system(lbr_dag *g)
{
    lbr_ref d[3];
    int f;

    lbr_dag_input(g, 3 * PLANETS);
    f = lbr_dag_array(g, 3 * PLANETS);
    for (int i = 0; i < PLANETS; i++)
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < 3; k++) d[k] = lbr_dag_sub(g, at(g, 3 * j + k), at(g, 3 * i + k));
            lbr_ref w = weight(g, d, lbr_dag_const(g, G * mass[i] * mass[j]));

            for (int k = 0; k < 3; k++) {
                lbr_ref term = lbr_dag_mul(g, w, d[k]);
                lbr_dag_entry(g, f, (lbr_entry){ 0, lbr_dag_const(g, 3 * i + k), term, 1 });
                lbr_dag_entry(g, f, (lbr_entry){ 0, lbr_dag_const(g, 3 * j + k), lbr_dag_neg(g, term), 1 });
            }
        }
    lbr_dag_close(g, f);
    return f;
}

static lbr_ref component(lbr_dag *g, lbr_ref i, int k)
{
    return lbr_dag_add(g, lbr_dag_mul(g, lbr_dag_const(g, 3), i), lbr_dag_const(g, k));
}

/* Each pair once: what belongs to the inner index is scattered, what belongs to the outer one summed. */
static int bodies(lbr_dag *g)
{
    int f, I, J;
    lbr_ref i, j, d[3], w;

    lbr_dag_input(g, 3 * BODIES);
    f = lbr_dag_array(g, 3 * BODIES);
    I = lbr_dag_loop(g, 0, lbr_dag_const(g, 1), lbr_dag_const(g, BODIES - 1)), i = g->loop[I].index;
    J = lbr_dag_loop(g, I, 0, lbr_dag_sub(g, i, lbr_dag_const(g, 1))), j = g->loop[J].index;
    for (int k = 0; k < 3; k++)
        d[k] = lbr_dag_sub(g, lbr_dag_load(g, 0, component(g, j, k)), lbr_dag_load(g, 0, component(g, i, k)));
    w = weight(g, d, lbr_dag_const(g, 1e-3));
    for (int k = 0; k < 3; k++) {
        lbr_ref term = lbr_dag_mul(g, w, d[k]);

        lbr_dag_entry(g, f, (lbr_entry){ J, component(g, j, k), lbr_dag_neg(g, term), 1 });
        lbr_dag_entry(g, f, (lbr_entry){ I, component(g, i, k), lbr_dag_reduce(g, LBR_OP_SUM, J, term), 1 });
    }
    lbr_dag_close(g, f);
    return f;
}

/* --- the same in C ----------------------------------------------------------------------------------------------- */

static void c_henon_heiles(const double *q, double *f)
{
    f[0] = -fma(2 * q[0], q[1], q[0]);
    f[1] = fma(-q[0], q[0], fma(q[1], q[1], -q[1]));
}

static double c_weight(const double *d, double c)
{
    double r2 = fma(d[2], d[2], fma(d[1], d[1], d[0] * d[0]));

    return c / (r2 * sqrt(r2));
}

static void c_outer_solar_system(const double *q, double *f)
{
    memset(f, 0, 3 * PLANETS * sizeof *f);
    for (int i = 0; i < PLANETS; i++)
        for (int j = 0; j < i; j++) {
            double d[3] = { q[3 * j] - q[3 * i], q[3 * j + 1] - q[3 * i + 1], q[3 * j + 2] - q[3 * i + 2] };
            double w = c_weight(d, G * mass[i] * mass[j]);

            for (int k = 0; k < 3; k++)
                f[3 * i + k] = fma(w, d[k], f[3 * i + k]), f[3 * j + k] = fma(-w, d[k], f[3 * j + k]);
        }
}

static void c_bodies(const double *q, double *f)
{
    memset(f, 0, 3 * BODIES * sizeof *f);
    for (int i = 1; i < BODIES; i++) {
        double s[3] = { 0, 0, 0 };

        for (int j = 0; j < i; j++) {
            double d[3] = { q[3 * j] - q[3 * i], q[3 * j + 1] - q[3 * i + 1], q[3 * j + 2] - q[3 * i + 2] };
            double w = c_weight(d, 1e-3);

            for (int k = 0; k < 3; k++) s[k] = fma(w, d[k], s[k]), f[3 * j + k] = fma(-w, d[k], f[3 * j + k]);
        }
        for (int k = 0; k < 3; k++) f[3 * i + k] += s[k];
    }
}

/* --- the race ---------------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *name;
    int (*make)(lbr_dag *);
    void (*c)(const double *, double *);
    int n;
    double unit;
} row;
static const row rows[] = {
    { "Henon-Heiles force, per call", henon_heiles, c_henon_heiles, 2, 1 },
    { "outer solar system force, per call", outer_solar_system, c_outer_solar_system, 3 * PLANETS, 1 },
    { "1000 bodies in loops, per pair", bodies, c_bodies, 3 * BODIES, BODIES *(BODIES - 1) / 2.0 },
};

enum { IN_C, INTERPRETED, IN_BLOCKS };

static double once(int which, const row *r, lbr_code *code, int64_t repeats, const double *const *input, double *f)
{
    static double t[LANES];
    double start = now();

    for (int64_t i = 0; i < repeats; i++) {
        if (which == IN_C) r->c(input[0], f);
        else if (which == INTERPRETED) lbr_code_run(code, 0, input, f);
        else lbr_code_run_block(code, LANES, t, input, f);
        __asm__ volatile("" ::: "memory");
    }
    return (now() - start) / (double)repeats * 1e9;
}

static double nanoseconds(int which, const row *r, lbr_code *code, const double *const *input, double *f)
{
    double least = 1e300, unit = r->unit * (which == IN_BLOCKS ? LANES : 1);
    int64_t repeats = (int64_t)(1e6 / (r->n * unit)) + 1;

    for (int i = 0; i < 30; i++) least = fmin(least, once(which, r, code, repeats, input, f));
    return least / unit;
}

int main(void)
{
    double *q = malloc(MOST * LANES * sizeof *q), *f = malloc(MOST * LANES * sizeof *f),
           *want = malloc(MOST * sizeof *want);
    const double *input[1] = { q };

    if (!q || !f || !want) return 1;
    srand(1);
    for (int i = 0; i < MOST * LANES; i++) q[i] = rand() / (double)RAND_MAX;
    printf("Interpreted code against C, x86-64-v3 [ns]\n"
           "\n"
           "%-36s %8s %12s %7s %12s %13s %10s\n",
           "", "C", "interpreted", "ratio", "in blocks", "instructions", "registers");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lbr_arena arena = { NULL };
        lbr_dag g;
        lbr_code *code = NULL;
        lbr_message message;
        double t[3], worst = 0;

        lbr_dag_init(&g, &arena);
        lbr_output out = { rows[i].make(&g), 0, 0 };
        if (lbr_code_make(&code, &g, &out, 1, 0, &message)) return printf("%s\n", message.text), 1;
        rows[i].c(q, want), lbr_code_run(code, 0, input, f);
        for (int k = 0; k < rows[i].n; k++) worst = fmax(worst, fabs(f[k] - want[k]) / (1e-3 + fabs(want[k])));
        for (int k = 0; k < 3; k++)
            t[k] = k == IN_BLOCKS && rows[i].n > 100 ? 0 : nanoseconds(k, &rows[i], code, input, f);
        lbr_code_size s = lbr_code_measure(code);
        printf("%-36s %8.1f %12.1f %7.1f %12.1f %13d %10d%s\n", rows[i].name, t[0], t[1], t[1] / t[0], t[2],
               (int)s.instructions, (int)s.registers, worst > 1e-10 ? "  WRONG" : "");
        lbr_code_free(code), lbr_dag_free(&g), lbr_arena_free(&arena);
    }
    printf("\n");
    free(q), free(f), free(want);
    return 0;
}
