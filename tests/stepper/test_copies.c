/* test_copies.c - copies of one motion side by side have its bits, whatever the number of components: every block of
 * every template. SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>
#include "stepper/stepper.h"
#include "support/share.h"
#include "support/tap.h"

#include <string.h>

enum { MOST = 21, STEPS = 25 };

/* q'' = -m q (1 + q^2), each component by itself; ctx: how many. */
static int force(double t, const double *q, double *f, void *ctx)
{
    (void)t;
    for (int64_t i = 0; i < *(const int64_t *)ctx; i++) f[i] = -q[i] - q[i] * q[i] * q[i];
    return 0;
}

/* Their positions and momenta after STEPS steps, and how they were made. The components differ by `shift` more than
 * copies would. */
static int motion(const char *method, const char *isa, const char *compensated, double m, int64_t n, double shift,
                  double *y, char *how)
{
    double masses[MOST];
    lbr_system s = LBR_SYSTEM(.name = "copies", .dim = 2 * n, .nq = n, .force = force, .ctx = &n,
                              .inverse_mass = masses);
    lbr_options o;
    lbr_plan *p = NULL;
    int good;

    for (int64_t i = 0; i < n; i++) masses[i] = m, y[i] = 0.8 + shift * (double)i, y[n + i] = 0.3;
    lbr_options_init(&o);
    good = !lbr_option_set(&o, "isa", isa) && !lbr_option_set(&o, "compensated", compensated) &&
           !lbr_plan_create(&p, method, &s, &o) && !lbr_start(p, 0, 0.2, y) && !lbr_run(p, STEPS, 0, NULL, NULL) &&
           !lbr_read(p, NULL, y);
    snprintf(how, 128, "%s", p ? lbr_plan_steps(p) : "");
    if (!good) printf("# %s\n", lbr_plan_message(p));
    lbr_plan_free(p);
    return good;
}

static int copied(int64_t n, const double *y, const double *one)
{
    for (int64_t i = 0; i < 2 * n; i++)
        if (memcmp(&y[i], &one[i >= n], sizeof *y)) return 0;
    return 1;
}

static const char *const methods[] = { "gauss:1",
                                       "gauss:2",
                                       "gauss:3",
                                       "gauss:4",
                                       "gauss:6",
                                       "gauss:7",
                                       "radau-2a:2",
                                       "lobatto-3a:3",
                                       "lobatto-3c:4",
                                       "heun-3",
                                       "rk4",
                                       "kutta-38",
                                       "tableau(compose(triple-jump:4, heun-3))",
                                       "nystrom-5",
                                       "gauss-nystrom:3",
                                       "kahan-li-8-17" };

/* All numbers of copies against one, under one way of summing, mass and instruction set. */
static void all_copies(const char *method, const char *isa, const char *compensated, double m)
{
    double one[2 * MOST], y[2 * MOST];
    char how[128];
    int64_t n, bad = 0;

    if (!motion(method, isa, compensated, m, 1, 0, one, how)) {
        ok(0, "%s runs on one component", method);
        return;
    }
    for (n = 2; n <= MOST && !bad; n++)
        if (!motion(method, isa, compensated, m, n, 0, y, how) || !copied(n, y, one)) bad = n;
    ok(!bad, "%s, %s, compensated: %s, mass %g: 2 to %d copies have the bits of one", method, isa, compensated, 1 / m,
       (int)MOST);
    if (bad) printf("# not %lld: %s\n", (long long)bad, how);
}

/* Components that are not copies: what is looked at is not one of them again and again. */
static void against(const char *method)
{
    double one[2 * MOST], y[2 * MOST];
    char how[128];
    int64_t same = 0;

    ok(motion(method, "auto", "no", 1, 1, 0, one, how) && motion(method, "auto", "no", 1, MOST, 0x1p-40, y, how),
       "%s runs", method);
    for (int64_t i = 1; i < MOST; i++) same += y[i] == one[0];
    ok(same == 0, "%s: a start that differs by 2^-40 differs at the end", method);
}

static const struct {
    const char *method;
    int64_t n;
    const char *says;
} rows[] = { { "gauss:6", 2, "n = 2 and s = 6 compiled in" }, { "gauss:4", 3, "n = 3 and s = 4 compiled in" },
             { "gauss:2", 18, "n at run time, s = 2" },       { "gauss:6", 4, "n at run time, s = 6" },
             { "gauss:5", 2, "n = 2 compiled in" },           { "gauss:5", 9, "n at run time)" },
             { "lobatto-3a:4", 2, "n = 2 compiled in" },      { "rk4", 2, "n = 2 compiled in" } };

/* Where sums over stages are instructions of their own: in every instruction set with fma. */
static void instances(const char *isa)
{
    double y[2 * MOST];
    char how[128];

    if (SHARE_SANITIZED) return; /* there are fewer, for the sake of compile time */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ok(motion(rows[i].method, isa, "no", 1, rows[i].n, 0, y, how) && strstr(how, rows[i].says),
           "%s, %lld components: %s", rows[i].method, (long long)rows[i].n, how);
}

/* Instances for any number take four components at a time: fewer must have one of their own, in every instruction set.
 */
static void few(const char *isa)
{
    static const char *const method[] = { "rk4", "gauss:5", "nystrom-5", "stormer-verlet", "gauss-nystrom:3" };
    double y[2 * MOST];
    char how[128];

    for (size_t i = 0; i < sizeof method / sizeof *method; i++)
        for (int64_t n = 1; n < 4; n++)
            ok(motion(method[i], isa, "no", 1, n, 0, y, how) && strstr(how, "compiled in"), "%s, %lld components: %s",
               method[i], (long long)n, how);
}

int main(void)
{
    static const struct {
        const char *name;
        int option;
    } isas[] = { { "baseline", LBR_ISA_BASELINE }, { "v3", LBR_ISA_V3 }, { "v4", LBR_ISA_V4 } };

    for (int k = 0; k < 3; k++) {
        if (!lbr_isa_there(isas[k].option)) continue;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            for (int c = 0; c < 2; c++)
                all_copies(methods[i], isas[k].name, c ? "yes" : "no", 1),
                    all_copies(methods[i], isas[k].name, c ? "yes" : "no", 0.75);
        few(isas[k].name);
        if (k > 0) instances(isas[k].name);
    }
    against("gauss:6"), against("rk4"), against("nystrom-5");
    return tap_done();
}
