/* test_missing_entries.c - lbr_system_check names the one entry that the pattern of a Jacobian lacks, also a weak one
 * beside strong ones, whatever the dimension, and finds nothing wrong in a pattern that is whole.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"
#include "libration/check.h"
#include "libration/options.h"
#include "libration/plan.h"

#include <string.h>

enum { MOST = 800, WEAK = 1, STRONG = 2500 };

typedef struct ring {
    int64_t n, calls;
    int64_t hub; /* the row that takes something from all; -1: none */
} ring;

static ring now;
static double start[2 * MOST], one[MOST];
static int64_t row[MOST + 1], col[5 * MOST];

/* Component i depends on both neighbours, on one weakly. */
static int field(double t, const double *y, double *out, void *ctx)
{
    const int64_t n = now.n;

    (void)t, (void)ctx;
    now.calls++;
    for (int64_t i = 0; i < n; i++)
        out[i] = STRONG * (y[(i + n - 1) % n] - y[i]) + WEAK * y[(i + 1) % n] - y[i] * y[i] * y[i];
    for (int64_t j = 0; j < n && now.hub >= 0; j++) out[now.hub] += 0.25 * y[j];
    return 0;
}

static int field_jvp(double t, const double *y, const double *v, double *out, void *ctx)
{
    const int64_t n = now.n;

    (void)t, (void)ctx;
    for (int64_t i = 0; i < n; i++)
        out[i] = STRONG * (v[(i + n - 1) % n] - v[i]) + WEAK * v[(i + 1) % n] - 3 * y[i] * y[i] * v[i];
    return 0;
}

static int is_there(int64_t i, int64_t j)
{
    int64_t far = (j - i + now.n) % now.n;

    return far <= 1 || far == now.n - 1 || i == now.hub;
}

/* The pattern without entries (i[k], j[k]). */
static lbr_sparsity without(int lacks, const int64_t *i, const int64_t *j)
{
    int64_t nnz = 0;

    for (int64_t r = 0; r < now.n; r++) {
        row[r] = nnz;
        for (int64_t c = 0; c < now.n; c++) {
            int there = is_there(r, c);

            for (int k = 0; k < lacks; k++) there = there && !(r == i[k] && c == j[k]);
            if (there) col[nnz++] = c;
        }
    }
    row[now.n] = nnz;
    return (lbr_sparsity){ .size = sizeof(lbr_sparsity), .n = now.n, .nnz = nnz, .row = row, .col = col };
}

/* The ring as a field, or as the force on as many positions. */
static lbr_system system_of(const lbr_sparsity *p, int by_force)
{
    if (by_force)
        return LBR_SYSTEM(.name = "ring", .dim = 2 * now.n, .nq = now.n, .force = field, .inverse_mass = one,
                          .jacobian = p);
    return LBR_SYSTEM(.name = "ring", .dim = now.n, .field = field, .jacobian = p);
}

static int names(const lbr_system_report *r, int64_t i, int64_t j)
{
    for (int64_t k = 0; r && k < r->n; k++) {
        const lbr_system_finding *f = r->finding[k];

        if (f->holds == 0 && f->row == i && f->column == j && !strcmp(f->what, "pattern of the Jacobian")) return 1;
    }
    return 0;
}

/* Whether the report names what is missing and nothing else. */
static int is_named(int lacks, const int64_t *i, const int64_t *j, int by_force)
{
    lbr_sparsity p = without(lacks, i, j);
    lbr_system s = system_of(&p, by_force);
    const lbr_system_report *r = NULL;
    int good = !lbr_system_check(&s, start, &r) && r->wrong == lacks;

    for (int k = 0; k < lacks; k++) good = good && names(r, i[k] + (by_force ? now.n : 0), j[k]);
    for (int64_t k = 0; r && !good && k < r->n; k++) printf("# %s\n", r->finding[k]->text);
    lbr_system_report_free(r);
    return good;
}

/* One entry at a time, so far beside the diagonal, at several rows. */
static void one_missing(int64_t n, int64_t beside, const char *which, int by_force)
{
    const int64_t at[] = { 0, 1, n / 3, n / 2, n - 8, n - 1 };
    int named = 0, asked = sizeof at / sizeof *at;

    now = (ring){ .n = n, .hub = -1 };
    for (int k = 0; k < asked; k++) named += is_named(1, &at[k], &(int64_t){ (at[k] + beside + n) % n }, by_force);
    ok(named == asked, "%s, %d numbers: a missing entry %s is named (%d of %d)", by_force ? "force" : "field", (int)n,
       which, named, asked);
}

static void sizes(int by_force)
{
    static const int64_t n[] = { 24, 25, 30, 64, 65, 800 };

    for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
        one_missing(n[k], 1, "of 1 beside 2500", by_force);
        one_missing(n[k], -1, "of 2500", by_force);
        one_missing(n[k], 0, "of the diagonal", by_force);
        ok(is_named(0, NULL, NULL, by_force), "%s, %d numbers: nothing is wrong in the whole pattern",
           by_force ? "force" : "field", (int)n[k]);
    }
}

static void several(void)
{
    const int64_t i[] = { 17, 400, 401, 799 }, j[] = { 18, 399, 400, 0 };

    now = (ring){ .n = 800, .hub = -1 };
    ok(is_named(4, i, j, 0), "four missing entries are all named");
    ok(is_named(4, i, j, 1), "of a force, too");
}

/* One row with all columns: the others are found as before, and so is what it lacks. */
static void hub(void)
{
    now = (ring){ .n = 800, .hub = 300 };
    ok(is_named(0, NULL, NULL, 0), "a row that has all columns: nothing is wrong");
    ok(is_named(1, &(int64_t){ 300 }, &(int64_t){ 77 }, 0), "an entry of a row that has all others is named");
    ok(is_named(1, &(int64_t){ 12 }, &(int64_t){ 13 }, 0), "an entry of another row is named");
}

/* Columns are moved together: one by one they would take 14400 calls. */
static void cheap(void)
{
    now = (ring){ .n = 800, .hub = -1 };
    ok(is_named(0, NULL, NULL, 0), "800 numbers: nothing is wrong");
    ok(now.calls < 3000, "and it takes %d calls of the field, fewer than 3000", (int)now.calls);
}

/* What a step with Newton's method says of a pattern. */
static lbr_status stepped(const lbr_sparsity *p, lbr_dfn jvp)
{
    lbr_system s = system_of(p, 0);
    lbr_options o;
    lbr_plan *plan = NULL;
    lbr_status status;

    s.field_jvp = jvp;
    lbr_options_init(&o), lbr_option_set(&o, "solver", "newton");
    if (!(status = lbr_plan_create(&plan, "gauss:2", &s, &o)) && !(status = lbr_start(plan, 0, 1e-3, start)))
        status = lbr_run(plan, 3, 0, NULL, NULL);
    lbr_plan_free(plan);
    return status;
}

/* Steps look at the pattern, too: exactly where products with the Jacobian are given, else at strong entries only. */
static void steps(void)
{
    const int64_t i = 7, weak = 8, strong = 6;
    lbr_sparsity p;

    now = (ring){ .n = 40, .hub = -1 };
    p = without(0, NULL, NULL);
    ok(stepped(&p, field_jvp) == LBR_OK, "steps with field_jvp take the whole pattern");
    ok(stepped(&p, NULL) == LBR_OK, "steps with differences, too");
    p = without(1, &i, &weak);
    ok(stepped(&p, field_jvp) == LBR_EUNFIT, "steps with field_jvp refuse one without an entry of 1 beside 2500");
    ok(stepped(&p, NULL) == LBR_OK, "steps with differences only become slower by it");
    p = without(1, &i, &strong);
    ok(stepped(&p, field_jvp) == LBR_EUNFIT, "steps with field_jvp refuse one without an entry of 2500");
    ok(stepped(&p, NULL) == LBR_EUNFIT, "steps with differences, too");
}

int main(void)
{
    for (int64_t i = 0; i < MOST; i++) start[i] = 0.3 + 0.7 * (double)(i * i % 17) / 17, one[i] = 1;
    for (int64_t i = MOST; i < 2 * MOST; i++) start[i] = 0.1;
    sizes(0), sizes(1);
    several(), hub(), cheap();
    steps();
    return tap_done();
}
