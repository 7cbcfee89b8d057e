/* bits.h - what the tests of bits, faults and input share: the methods to try, and a system that has everything.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_BITS_H
#define TEST_BITS_H
#define _POSIX_C_SOURCE 200809L
#include "tap.h"
#include "problems.h"

#include <sys/wait.h>
#include <unistd.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* --- methods: the whole catalogue, families by some of their members, processors with their kernels -------------- */

enum { METHODS = 600, METHOD_TEXT = 112 };
typedef struct methods {
    int n;
    char text[METHODS][METHOD_TEXT];
} methods;

__attribute__((format(printf, 2, 3))) static void method_add(methods *m, const char *format, ...)
{
    va_list ap;

    if (m->n == METHODS) return;
    va_start(ap, format), vsnprintf(m->text[m->n++], METHOD_TEXT, format, ap), va_end(ap);
}

UNUSED static void methods_of_catalogue(methods *m)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);

        if (!strstr("runge-kutta composition alternation partitioned processor corrector pair nystrom", r->form))
            continue; /* not for most of these systems: test_generating.c and kin */
        if (!strcmp(r->form, "corrector")) method_add(m, "process(%s,%s:%d)", r->kernel, r->name, r->first);
        else if (!strcmp(r->form, "processor")) method_add(m, "process(%s,%s)", r->kernel, r->name);
        else if (!r->stride) method_add(m, "%s", r->name);
        for (int k = r->first, i_th = 0; r->stride && strcmp(r->form, "corrector") && k <= r->last;
             k += r->stride, i_th++)
            if (i_th < 4 || k == 6 || k == 8 || k == 12 || k == r->last) method_add(m, "%s:%d", r->name, k);
    }
}

UNUSED static int same(const double *a, const double *b, int64_t n) { return !memcmp(a, b, (size_t)n * sizeof *a); }

/* --- a driven oscillator, q'' = -q^3 + t/(1+t^2), by its force, by exact flows of parts and by maps of its own --- */

static int own_drift(double t, double s, const double *y, double *dy, void *ctx)
{
    return (void)t, (void)ctx, dy[0] = s * y[1], dy[1] = 0, 0;
}
static int own_kick(double t, double s, const double *y, double *dy, void *ctx)
{
    return driven_force(t, y, &dy[1], ctx), dy[0] = 0, dy[1] *= s, 0;
}
static int own_euler(double t, double h, const double *y, double *dy, void *ctx)
{
    return driven_force(t, y, &dy[1], ctx), dy[0] = h * y[1], dy[1] *= h, 0;
}

/* Kick, then drift. */
static int own_pair(double t, double h, const double *y, double *dy, void *ctx)
{
    own_kick(t, h, y, dy, ctx);
    dy[0] = h * (y[1] + dy[1]);
    return 0;
}

#define AS_MAP(name, increment)                               \
    static int name(double t, double h, double *y, void *ctx) \
    {                                                         \
        double dy[2];                                         \
        increment(t, h, y, dy, ctx);                          \
        return y[0] += dy[0], y[1] += dy[1], 0;               \
    }
AS_MAP(own_drift_map, own_drift)
AS_MAP(own_kick_map, own_kick)
AS_MAP(own_euler_map, own_euler)
AS_MAP(own_pair_map, own_pair)

static int own_pair_adjoint(double t, double h, double *y, void *ctx)
{
    return own_drift_map(t, h, y, ctx) || own_kick_map(t + h, h, y, ctx);
}
static int own_even_map(double t, double h, double *y, void *ctx)
{
    return own_pair_map(t, h / 2, y, ctx) || own_pair_adjoint(t + h / 2, h / 2, y, ctx);
}

static int own_drift_rate(double t, const double *y, double *out, void *ctx) { return own_drift(t, 1, y, out, ctx); }
static int own_kick_rate(double t, const double *y, double *out, void *ctx) { return own_kick(t, 1, y, out, ctx); }

static const lbr_part own_part[] = {
    { sizeof(lbr_part), "A", own_drift_map, own_drift, NULL, NULL, own_drift_rate, NULL },
    { sizeof(lbr_part), "B", own_kick_map, own_kick, NULL, NULL, own_kick_rate, NULL },
};
static const lbr_parts own_parts = { sizeof(lbr_parts), 2, own_part, 0 };
static const lbr_map_def own_maps[] = {
    { sizeof(lbr_map_def), "mine", own_euler_map, NULL, own_euler, 1, 0, 0 }, /* its adjoint is solved for */
    { sizeof(lbr_map_def), "bare", own_euler_map, NULL, NULL, 1, 0, 0 },      /* the same, without increments */
    { sizeof(lbr_map_def), "couple", own_pair_map, own_pair_adjoint, own_pair, 1, 0, 1 },
    { sizeof(lbr_map_def), "even", own_even_map, own_even_map, NULL, 2, 1, 1 },
};

UNUSED static problem own_system(void)
{
    problem p = driven();

    p.system.name = "own", p.system.parts = &own_parts;
    p.system.maps = own_maps, p.system.nmaps = COUNT(own_maps);
    return p;
}

/* FNV-1a, 64 bits. */
#define HASH UINT64_C(14695981039346656037)
UNUSED static uint64_t hash_of(uint64_t hash, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; n--) hash = (hash ^ *b++) * UINT64_C(1099511628211);
    return hash;
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
    if (strstr(words, "starting=")) lbr_option_set(&o, "starting_values", strstr(words, "starting=") + 9); /* last */
    return o;
}

/* --- asking ------------------------------------------------------------------------------------------------------ */

/* A sentence: some words, not cut, on one line, and each of `parts` (between bars) in it. */
UNUSED static int says(const char *message, const char *parts)
{
    size_t length = strlen(message), n;

    if (length < 12 || length > 510 || !strchr(message, ' ') || strchr(message, '\n')) return 0;
    for (; (n = strcspn(parts, "|")) > 0; parts += n + (parts[n] == '|')) {
        char part[128] = "";

        if (n >= sizeof part || !strstr(message, memcpy(part, parts, n))) return 0;
    }
    return 1;
}

UNUSED static lbr_status status_of(const char *method, const lbr_system *s, const lbr_options *o)
{
    lbr_plan *plan = NULL;
    lbr_status status = lbr_plan_create(&plan, method, s, o);

    lbr_plan_free(plan);
    return status;
}

/* What might crash is done in a child. */
UNUSED static void in_child(int (*f)(void), const char *text)
{
    int status = -1;
    pid_t child = (fflush(NULL), fork());

    if (child == 0) _exit(f() ? 0 : 99);
    ok(child > 0 && waitpid(child, &status, 0) == child && status == 0, "%s", text);
    if (status)
        printf("# %s\n", WIFEXITED(status) && WEXITSTATUS(status) == 99 ? "another answer was given" : "it crashed");
}

/* --- systems whose callbacks fail: where, is in `fault`; what was called, in `book` ------------------------------ */

enum { NONE, THESE, ONCE, ON }; /* fails for these arguments; at one call; from one call on */
enum { FAILS, GIVES_NAN, GIVES_INF, KINDS };
enum { ENTRIES = 20000 };

typedef struct entry {
    uint64_t key;
    int64_t step;
    int reading, first;
} entry;
static struct {
    int mode, kind;
    uint64_t key;
    long at, calls;
} fault;
static struct {
    int on, n, reading;
    int64_t step;
    entry entry[ENTRIES];
} book;
static const lbr_system *inner;

/* Notes a call; is it one to spoil? */
static int strikes(int id, double t, double h, const double *y, int64_t n)
{
    uint64_t key = hash_of(hash_of(hash_of(hash_of(HASH, &id, sizeof id), &t, sizeof t), &h, sizeof h), y,
                           (size_t)n * sizeof *y);

    if (book.on && book.n < ENTRIES) {
        entry *e = &book.entry[book.n++];

        *e = (entry){ key, book.step, book.reading, 1 };
        for (int i = 0; i < book.n - 1; i++)
            if (book.entry[i].key == key && book.entry[i].reading == e->reading) e->first = 0;
    }
    fault.calls++;
    return fault.mode == THESE  ? key == fault.key
           : fault.mode == ONCE ? fault.calls == fault.at
                                : fault.mode == ON && fault.calls >= fault.at;
}

static int spoil(int strike, int result, double *out, int64_t n)
{
    if (strike && fault.kind == FAILS) return 1;
    if (strike) out[fault.kind == GIVES_NAN ? 0 : n - 1] = fault.kind == GIVES_NAN ? NAN : -INFINITY;
    return result;
}

#define FN(name, id, takes, gives)                                            \
    static int bad_##name(double t, const double *y, double *out, void *ctx)  \
    {                                                                         \
        int strike = strikes(id, t, 0, y, inner->takes);                      \
        return spoil(strike, inner->name(t, y, out, ctx), out, inner->gives); \
    }
FN(force, 1, nq, nq)
FN(velocity, 2, nq, nq)
FN(dHdq, 3, dim, nq)
FN(dHdp, 4, dim, nq)
FN(field, 5, dim, dim)

static int bad_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    int strike = strikes(6, t, v[0] + 2 * v[1], y, inner->dim);
    return spoil(strike, inner->field_jvp(t, y, v, out, ctx), out, inner->dim);
}

#define IN_PLACE(name, id, function)                                        \
    static int name(double t, double h, double *y, void *ctx)               \
    {                                                                       \
        int strike = strikes(id, t, h, y, inner->dim);                      \
        return spoil(strike, inner->function(t, h, y, ctx), y, inner->dim); \
    }
#define INCREMENT(name, id, function)                                            \
    static int name(double t, double h, const double *y, double *dy, void *ctx)  \
    {                                                                            \
        int strike = strikes(id, t, h, y, inner->dim);                           \
        return spoil(strike, inner->function(t, h, y, dy, ctx), dy, inner->dim); \
    }
IN_PLACE(flow0, 10, parts->part[0].flow)
IN_PLACE(flow1, 11, parts->part[1].flow)
IN_PLACE(flow2, 12, parts->part[2].flow)
INCREMENT(grow0, 13, parts->part[0].increment)
INCREMENT(grow1, 14, parts->part[1].increment)
IN_PLACE(map0, 20, maps[0].map)
IN_PLACE(map1, 21, maps[1].map)
IN_PLACE(map2, 22, maps[2].map)
IN_PLACE(back2, 23, maps[2].adjoint)
INCREMENT(grow_map0, 24, maps[0].increment)

static const lbr_part bad_part[] = {
    { sizeof(lbr_part), "A", flow0, grow0, NULL, NULL, NULL, NULL },
    { sizeof(lbr_part), "B", flow1, grow1, NULL, NULL, NULL, NULL },
    { sizeof(lbr_part), "C", flow2, NULL, NULL, NULL, NULL, NULL },
};
static const lbr_parts bad_parts[] = { { sizeof(lbr_parts), 2, bad_part, 0 }, { sizeof(lbr_parts), 3, bad_part, 0 } };
static const lbr_map_def bad_maps[] = {
    { sizeof(lbr_map_def), "mine", map0, NULL, grow_map0, 1, 0, 0 },
    { sizeof(lbr_map_def), "bare", map1, NULL, NULL, 1, 0, 0 },
    { sizeof(lbr_map_def), "couple", map2, back2, NULL, 1, 0, 1 },
};

/* The same system with every callback wrapped. */
UNUSED static lbr_system faulty(const problem *p)
{
    lbr_system s = p->system;

    inner = &p->system;
    if (s.force) s.force = bad_force;
    if (s.velocity) s.velocity = bad_velocity;
    if (s.dHdq) s.dHdq = bad_dHdq, s.dHdp = bad_dHdp;
    if (s.field) s.field = bad_field;
    if (s.field_jvp) s.field_jvp = bad_jvp;
    if (s.parts) s.parts = &bad_parts[s.parts->count == 3];
    if (s.nmaps) s.maps = bad_maps, s.nmaps = COUNT(bad_maps);
    return s;
}
#endif
