/* test_methods.c - what the catalogue claims, measured: order, symmetry, symplecticity, invariants, calls. SPDX-License-Identifier: BSD-3-Clause
 *
 * The catalogue is the list of tests: every row becomes cases (a table with several maps), every case meets every
 * problem that it fits, and each claim is tested for and against. */
#include "analysis.h"
#include "tap.h"

enum { FIELD = 1, PARTITION = 2, PARTS = 4, MOST_CASES = 256, MOST_STEPS = 5000 };

typedef struct kase { char name[128];  int order, symmetric, symplectic, needs; } kase;

static kase cases[MOST_CASES];
static int ncases;

static void add(int order, int symmetric, int symplectic, int needs, const char *format, const char *a, const char *b)
{
    kase *k = &cases[ncases++];

    *k = (kase){ .order = order, .symmetric = symmetric, .symplectic = symplectic, .needs = needs };
    snprintf(k->name, sizeof k->name, format, a, b);
}

/* The cases that a row stands for; `name` is its own, or that of a member. */
static void cases_of(const lbr_method *r, const char *name, int order)
{
    int sym = r->symmetric, symp = r->symplectic;

    switch (r->form) {
    case LBR_RUNGE_KUTTA:
        add(order, sym, symp, FIELD, "%s", name, "");
        break;
    case LBR_PARTITIONED:
        add(order, sym, symp, PARTITION, "%s", name, "");
        break;
    case LBR_COMPOSITION:
        add(order, sym, symp, PARTITION, "%s", name, "");
        add(order, sym, symp, PARTITION, "compose(%s, stormer-verlet)", name, "");
        add(order, sym, symp, FIELD, "compose(%s, midpoint)", name, "");
        add(order, sym, 0, FIELD, "compose(%s, trapezoidal)", name, "");
        add(order, sym, symp, PARTS, "compose(%s, split(strang))", name, "");
        break;
    case LBR_ALTERNATION:
        add(order, sym, symp, PARTS, "%s", name, "");
        add(order, sym, symp, PARTITION, "compose(%s, symplectic-euler)", name, "");
        add(order, sym, 0, FIELD, "compose(%s, explicit-euler)", name, "");
        break;
    case LBR_PROCESSOR:
        add(order, sym, symp, PARTITION, "process(%s, %s)", r->kernel, name);
        add(order, sym, symp, FIELD, "process(compose(%s, midpoint), %s)", r->kernel, name);
        break;
    }
}

/* k of a family name:k is the stages of a tableau, which for Gauss is half the order, and the order of anything else. */
static void make_cases(void)
{
    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *r = lbr_catalogue(i);
        char name[64];

        if (!r->first) cases_of(r, r->name, r->order);
        for (int k = r->first; r->first && k <= r->last; k += r->stride) {
            snprintf(name, sizeof name, "%s:%d", r->name, k);
            cases_of(r, name, r->form == LBR_RUNGE_KUTTA ? 2 * k : k);
        }
    }
    add(2, 1, 1, PARTS, "split(strang)", "", "");
    add(1, 0, 0, FIELD, "adjoint(explicit-euler)", "", "");
    add(4, 0, 0, FIELD, "adjoint(rk4)", "", "");
    add(1, 0, 1, PARTITION, "adjoint(symplectic-euler)", "", "");
    add(6, 0, 1, PARTITION, "adjoint(process(effective-6-9, effective-6-9-processor))", "", "");
}

/* --- order --------------------------------------------------------------------------------------------------- */

/* limit: the largest order that shows before round-off. */
typedef struct ground { problem p;  double T;  int64_t n;  int has, limit;  double exact[PROBLEM_DIM]; } ground;
static ground grounds[] = {
    { .T = 8, .n = 128, .has = FIELD | PARTITION | PARTS, .limit = 10 },        /* Henon-Heiles: quadratic T              */
    { .T = 2, .n = 128, .has = FIELD | PARTITION, .limit = 8 },                 /* Kepler                                 */
    { .T = 4, .n = 128, .has = FIELD | PARTITION, .limit = 8 },                 /* T not quadratic                        */
    { .T = 3, .n = 128, .has = FIELD | PARTITION, .limit = 10 },                /* H not separable                        */
    { .T = 4, .n = 128, .has = FIELD | PARTITION, .limit = 8 },                 /* the time in the force                  */
    { .T = 4, .n = 128, .has = FIELD | PARTITION, .limit = 8 },                 /* the time in a H that is not separable  */
    { .T = 20, .n = 512, .has = FIELD | PARTS, .limit = 14 },                   /* no partition; three parts              */
    { .T = 1.2, .n = 128, .has = FIELD, .limit = 8 },                           /* the time in the field                  */
};
enum { GROUNDS = sizeof grounds / sizeof *grounds };

static void make_grounds(void)
{
    const problem all[GROUNDS] = { hh_as("parts"), kepler(), relativistic(), mixed(), driven(), pushed(), body_with_increments(), riccati() };

    for (int i = 0; i < GROUNDS; i++) {
        grounds[i].p = all[i];
        reference(&all[i], grounds[i].T, grounds[i].n, grounds[i].exact);
    }
}

/* Slopes near the round-off of compensated sums, within a band that the neighbouring orders are not in (10 and more are
 * orders of symmetric methods, hence even). The error of suzuki:10 sinks to round-off before its order settles. */
static void order(const kase *k, const ground *g)
{
    lbr_options o = options_of("compensated=yes");
    int one_sided = strstr(k->name, "suzuki:10") != NULL;
    double band = k->order < 9 ? 0.35 : 0.7;
    slope s;

    if (k->order > g->limit || (one_sided && g != grounds)) return;
    s = slope_of(&g->p, k->name, &o, g->T, g->exact, k->order, 1e-13, MOST_STEPS);
    if (one_sided) ok(s.overall > 9, "%s: order %.3f, at least 9, on %s (error %.2g in %lld steps)", k->name, s.overall, g->p.system.name, s.error, (long long)s.n);
    else ok(fabs(s.order - k->order) < band, "%s: order %.3f for %d on %s (error %.2g in %lld steps)", k->name, s.order, k->order, g->p.system.name,
            s.error, (long long)s.n);
}

int main(void)
{
    make_cases();
    make_grounds();
    for (int i = 0; i < ncases; i++)
        for (int j = 0; j < GROUNDS; j++)
            if (cases[i].needs & grounds[j].has) order(&cases[i], &grounds[j]);
    return tap_done();
}
