/* test_counted.c - constants and starts: evaluations are counted as they are made.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is short is worked out, whatever the ends of its ranges look like; what is long is refused, and in time. */
#include "support/modelled.h"

#include <time.h>

#define TREE \
    "let depth(i) = floor(log(i + 0.5)/log(2)), a[i = 1..n] = 0.3 + 0.1*i, d[i = 1..n] = [sin(a[i]), -cos(a[i])]\n"
#define PLAIN "canonical q[n,2], p[n,2]\nH = sq(p)/2 + sq(q)/2\n"
#define ALONG "sum(k = 0..depth(i), d[floor(i/2^k)])"

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static int made(modelled *x, int n, const char *text)
{
    static char all[4000];

    snprintf(all, sizeof all, "param n = %d\n%s\nrun method = rk4, step = 1, steps = 1\n", n, text);
    return open_text(x, all);
}

/* --- a tree: each vertex is where its ancestors have led --------------------------------------------------------- */

static const char *const forms[] = {
    TREE PLAIN "start q[i = 1..n] = " ALONG,
    TREE "param x[i = 1..n] = " ALONG "\n" PLAIN "start q = x",
    TREE "let x[i = 1..n] = " ALONG "\n" PLAIN "start q = x",
    TREE "let far[i = 1..n] = sum(k = 1..20, if(2^k <= i, 1, 0))\n" PLAIN
         "start q[i = 1..n] = sum(k = 0..far[i], d[floor(i/2^k)])",
    TREE PLAIN "start q[i = 1..n] = sum(k = 0..sum(j = 1..20, if(2^j <= i, 1, 0)), d[floor(i/2^k)])",
};

static double off(const modelled *x, int n)
{
    double worst = 0;

    for (int i = 1; i <= n; i++) {
        double want[2] = { 0, 0 };

        for (int k = i; k > 0; k /= 2) want[0] += sin(0.3 + 0.1 * k), want[1] -= cos(0.3 + 0.1 * k);
        for (int k = 0; k < 2; k++) worst = fmax(worst, fabs(x->m->y0[2 * (i - 1) + k] - want[k]));
    }
    return worst;
}

static void trees(void)
{
    static const int sizes_of[] = { 7, 16, 17, 63, 64, 65, 200, 5000 };

    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        for (size_t i = 0; i < sizeof sizes_of / sizeof *sizes_of; i++) {
            modelled x;
            int n = sizes_of[i], good = made(&x, n, forms[k]);
            double worst = good ? off(&x, n) : INFINITY;

            ok(worst < 1e-12, "a tree of %d, form %d: %.1e", n, (int)k + 1, worst);
            close_model(&x);
        }
}

/* --- counted ----------------------------------------------------------------------------------------------------- */

/* A family of n members, each of which takes n terms: once per member, however often and through whatever it is used.
 */
static void families(void)
{
    static const char *const text[] = {
        "let a[i = 1..n] = sum(k = 1..n, sin(i*k))\nlet d[i = 1..n] = [a[i], 2*a[i]]\n" PLAIN
        "start q[i = 1..n] = sum(k = 1..floor(log(9)*9), d[wrap(i + k, n)])",
        "let a[i = 1..n] = sum(k = 1..n, sin(i*k))\nparam d[i = 1..n] = a[i] + a[wrap(i + 1, n)]\n" PLAIN
        "start q[i = 1..n] = [sum(k = 1..19, d[wrap(i + k, n)]), a[i]]",
    };

    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        modelled x;

        if (ok(made(&x, 2000, text[k]), "a family of sums inside a family, %d", (int)k + 1))
            ok(x.m->lo.evaluations < 8000000, "each member once: %.1f million evaluations",
               1e-6 * (double)x.m->lo.evaluations);
        close_model(&x);
    }
}

static const char *const endless[] = {
    PLAIN "start q = sum(i = 1..n, sum(j = 1..floor(exp(i)), 1/j))",
    PLAIN "start q[i = 1..n] = [sum(k = 1..floor(2^i), 1/k), 0]",
    "param x[i = 1..n] = sum(k = 1..floor(2^i), 1/k)\n" PLAIN,
    "param x = sum(i = 1..n, sum(k = 1..floor(2^i), sin(k)))\n" PLAIN,
    "let a[i = 1..n] = 2^i\nparam x = sum(i = 1..n, sum(k = 1..a[i], sin(k)))\n" PLAIN,
};

static void refusals(void)
{
    for (size_t k = 0; k < sizeof endless / sizeof *endless; k++) {
        modelled x;
        double begin = seconds();
        int good = made(&x, 100, endless[k]);

        ok(!good && x.source.message && strstr(x.source.message, "too long"), "endless %d: refused", (int)k + 1);
        ok(seconds() - begin < (getenv("LBR_UNDER") ? 300 : 10), "and that takes %.1f seconds", seconds() - begin);
        close_model(&x);
    }
}

/* Masses and flows are tried by evaluating: also behind ranges that only counting knows. */
static void structure(void)
{
    modelled x;

    ok(made(&x, 200,
            TREE "canonical q[n], p[n]\nH = sq(p)/2 + sum(i = 1..n, sum(k = 0..depth(i), q[floor(i/2^k)]^2))") &&
           x.s->inverse_mass && x.s->force,
       "masses of a tree");
    close_model(&x);
}

int main(void)
{
    trees(), families(), refusals(), structure();
    return tap_done();
}
