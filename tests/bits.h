/* bits.h - what the tests of bits, faults and input share: the methods to try, and a system that has everything. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_BITS_H
#define TEST_BITS_H
#include "tap.h"
#include "problems.h"

#define COUNT(list) ((int)(sizeof (list) / sizeof *(list)))

/* --- methods: the whole catalogue, families by their members, processors with their kernels ------------------- */

enum { METHODS = 128, METHOD_TEXT = 96 };
typedef struct methods { int n;  char text[METHODS][METHOD_TEXT]; } methods;

__attribute__((format(printf, 2, 3)))
static void method_add(methods *m, const char *format, ...)
{
    va_list ap;

    if (m->n == METHODS) return;
    va_start(ap, format), vsnprintf(m->text[m->n++], METHOD_TEXT, format, ap), va_end(ap);
}

UNUSED static void methods_of_catalogue(methods *m)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);

        if (r->form == LBR_PROCESSOR) method_add(m, "process(%s,%s)", r->kernel, r->name);
        else if (!r->stride) method_add(m, "%s", r->name);
        for (int k = r->first; r->stride && k <= r->last; k += r->stride) method_add(m, "%s:%d", r->name, k);
    }
}

UNUSED static int same(const double *a, const double *b, int64_t n) { return !memcmp(a, b, (size_t)n * sizeof *a); }

/* --- a driven oscillator, q'' = -q^3 + t/(1+t^2), by its force, by exact flows of parts and by maps of its own -------- */

static int own_drift(double t, double s, const double *y, double *dy, void *ctx) { return (void)t, (void)ctx, dy[0] = s * y[1], dy[1] = 0, 0; }
static int own_kick(double t, double s, const double *y, double *dy, void *ctx) { return driven_force(t, y, &dy[1], ctx), dy[0] = 0, dy[1] *= s, 0; }
static int own_euler(double t, double h, const double *y, double *dy, void *ctx) { return driven_force(t, y, &dy[1], ctx), dy[0] = h * y[1], dy[1] *= h, 0; }

/* Kick, then drift. */
static int own_pair(double t, double h, const double *y, double *dy, void *ctx)
{
    own_kick(t, h, y, dy, ctx);
    dy[0] = h * (y[1] + dy[1]);
    return 0;
}

#define AS_MAP(name, increment)                                         \
    static int name(double t, double h, double *y, void *ctx)           \
    {                                                                   \
        double dy[2];                                                   \
        increment(t, h, y, dy, ctx);                                    \
        return y[0] += dy[0], y[1] += dy[1], 0;                         \
    }
AS_MAP(own_drift_map, own_drift)
AS_MAP(own_kick_map, own_kick)
AS_MAP(own_euler_map, own_euler)
AS_MAP(own_pair_map, own_pair)

static int own_pair_adjoint(double t, double h, double *y, void *ctx) { return own_drift_map(t, h, y, ctx) || own_kick_map(t + h, h, y, ctx); }
static int own_even_map(double t, double h, double *y, void *ctx) { return own_pair_map(t, h / 2, y, ctx) || own_pair_adjoint(t + h / 2, h / 2, y, ctx); }

static const lbr_part own_part[] = {
    { sizeof (lbr_part), "A", own_drift_map, own_drift }, { sizeof (lbr_part), "B", own_kick_map, own_kick },
};
static const lbr_parts own_parts = { sizeof (lbr_parts), 2, own_part, 0 };
static const lbr_map_def own_maps[] = {
    { sizeof (lbr_map_def), "mine", own_euler_map, NULL, own_euler, 1, 0, 0 },      /* its adjoint is solved for */
    { sizeof (lbr_map_def), "bare", own_euler_map, NULL, NULL, 1, 0, 0 },           /* the same, without increments */
    { sizeof (lbr_map_def), "pair", own_pair_map, own_pair_adjoint, own_pair, 1, 0, 1 },
    { sizeof (lbr_map_def), "even", own_even_map, own_even_map, NULL, 2, 1, 1 },
};

UNUSED static problem own_system(void)
{
    problem p = driven();

    p.system.name = "own", p.system.parts = &own_parts;
    p.system.maps = own_maps, p.system.nmaps = COUNT(own_maps);
    return p;
}

/* Options by words, such as "newton compensated". */
UNUSED static lbr_options options_of(const char *words)
{
    lbr_options o;

    lbr_options_init(&o);
    if (strstr(words, "compensated")) o.compensated = 1;
    if (strstr(words, "fixed-point")) lbr_option_set(&o, "solver", "fixed-point");
    if (strstr(words, "newton")) lbr_option_set(&o, "solver", "newton");
    if (strstr(words, "differences")) lbr_option_set(&o, "jacobian", "differences");
    return o;
}
#endif
