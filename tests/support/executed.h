/* executed.h - the Kepler problem as a job of the tool's machinery, for tests. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_EXECUTED_H
#define TEST_EXECUTED_H
#include "tap.h"
#include "execute/execute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(list) ((int)(sizeof list / sizeof *list))
#define UNUSED      __attribute__((unused))

/* --- the Kepler problem, with faults that can be put in ---------------------------------------------------------- */

/* From `at` on, of the time or of the momentum, this part of the model is out of order. */
typedef struct fault {
    int force, energy, L, A, observed;
    double at;
} fault;
static const fault none;

static int force(double t, const double *q, double *f, void *ctx)
{
    const fault *x = ctx;
    double r2 = q[0] * q[0] + q[1] * q[1], r3 = r2 * sqrt(r2);

    f[0] = -q[0] / r3, f[1] = -q[1] / r3;
    if (x->force == 2 && t >= x->at) f[1] = INFINITY;
    return x->force == 1 && t >= x->at;
}

static int energy(double t, const double *y, double *H, void *ctx)
{
    const fault *x = ctx;

    *H = (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
    if (x->energy == 2 && t >= x->at) *H = NAN;
    return x->energy == 1 && t >= x->at;
}

static int momentum(double t, const double *y, double *L, void *ctx)
{
    const fault *x = ctx;

    *L = y[0] * y[3] - y[1] * y[2];
    return x->L && t >= x->at;
}

static int lenz(double t, const double *y, double *A, void *ctx)
{
    const fault *x = ctx;
    double L = y[0] * y[3] - y[1] * y[2], r = sqrt(y[0] * y[0] + y[1] * y[1]);

    A[0] = y[3] * L - y[0] / r, A[1] = -y[2] * L - y[1] / r;
    if (x->A && t >= x->at) A[1] = INFINITY;
    return 0;
}

UNUSED static int distances(double t, const double *y, double *out, void *ctx)
{
    const fault *x = ctx;

    for (int i = 0; i < 6; i++) out[i] = (i + 1) * sqrt(y[0] * y[0] + y[1] * y[1]);
    return x->observed && t >= x->at;
}

UNUSED static const double ones[2] = { 1, 1 }, start[4] = { 0.4, 0, 0, 2 };
static const lbr_invariant items[] = { { .size = sizeof *items, .name = "L", .len = 1, .value = momentum },
                                       { .size = sizeof *items, .name = "A", .len = 2, .value = lenz } };
static const lbr_invariants invariants = { sizeof invariants, 2, items };
UNUSED static const int64_t matrix[2] = { 2, 3 };

static lbr_system kepler(const fault *x)
{
    return LBR_SYSTEM(.name = "kepler", .ctx = (void *)x, .dim = 4, .nq = 2, .force = force, .inverse_mass = ones,
                      .energy = energy, .invariants = &invariants);
}

static lbr_job job_of(const lbr_system *s)
{
    lbr_job job = { .model = "kepler",
                    .method = "stormer-verlet",
                    .system = s,
                    .h = 0.01,
                    .y0 = start,
                    .steps = 100,
                    .every = 7,
                    .digest = 42 };

    lbr_options_init(&job.options);
    return job;
}

/* --- small helpers ----------------------------------------------------------------------------------------------- */

UNUSED static char *slurp(const char *path)
{
    static char text[2][1 << 18];
    static int which;
    FILE *f = fopen(path, "r");
    char *to = text[which ^= 1];
    size_t n = f ? fread(to, 1, sizeof text[0] - 1, f) : 0;

    to[n] = 0;
    if (f) fclose(f);
    return to;
}

UNUSED static int same_bits(int64_t n, const double *a, const double *b)
{
    return !memcmp(a, b, (size_t)n * sizeof *a);
}

/* Runs and forgets; the sentence stays. */
static char said[LBR_MESSAGE], noted[2 * LBR_MESSAGE], warned[LBR_MESSAGE];
UNUSED static int run(const lbr_job *job)
{
    lbr_result r;
    int code = lbr_execute(job, &r);

    strcpy(said, r.text), strcpy(noted, r.note), strcpy(warned, r.nwarnings ? r.warning[0] : "");
    lbr_result_free(&r);
    return code;
}

/* The tests' files are in a folder of their own. */
static int in_a_folder(void (*tests)(void))
{
    char folder[] = "/tmp/lbr-execute-XXXXXX", command[64];

    if (!mkdtemp(folder) || chdir(folder)) return 1;
    tests();
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (chdir("/") || system(command)) return 1;
    return tap_done();
}
#endif
