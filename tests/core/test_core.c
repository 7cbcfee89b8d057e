/* test_core.c - the bottom layer: double-double numbers and their text, dense LU, names, components.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <libration.h>
#include <string.h>

#include "core/dd.h"
#include "core/lu.h"
#include "core/mem.h"
#include "core/text.h"

static unsigned long long seed = 12345;
static double uniform(void)
{
    return (double)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 11) * 0x1p-53;
}

static double off(lbr_dd a, lbr_dd b) { return fabs(dd_double(dd_sub(a, b))); }

static void arithmetic(void)
{
    double product = 0, quotient = 0, root = 0, text = 0;
    char buffer[LBR_DD_TEXT];

    for (int i = 0; i < 10000; i++) {
        lbr_dd a = dd_norm(uniform() + 0.5, 1e-17 * (uniform() - 0.5)), b = dd_norm(uniform() - 2, 1e-17 * uniform()),
               c;

        product = fmax(product, off(dd_mul(a, dd_add(b, a)), dd_add(dd_mul(a, b), dd_mul(a, a))));
        quotient = fmax(quotient, off(dd_mul(dd_div(a, b), b), a));
        root = fmax(root, off(dd_mul(dd_sqrt(a), dd_sqrt(a)), a));
        lbr_dd_read(lbr_dd_write(a, 34, buffer), &c);
        text = fmax(text, off(a, c));
    }
    ok(product < 3e-31, "products distribute to %.1e", product);
    ok(quotient < 3e-31, "quotients undo products to %.1e", quotient);
    ok(root < 3e-31, "square roots to %.1e", root);
    ok(text < 3e-31, "text and back to %.1e", text);
    ok(off(dd_pow(lbr_dd_root(dd(2), 3), 3), dd(2)) < 1e-30, "2^(1/3)");
    ok(off(dd_pow(lbr_dd_root(dd(4), 11), 11), dd(4)) < 1e-29, "4^(1/11)");
}

static void texts(void)
{
    static const char *const bad[] = { "",      "x",    "1.",  ".5",  "1/0", "1/",  "1e",
                                       "1e400", "0.1x", "1 2", "--1", "nan", "inf", "1/2/3" };
    static const struct {
        const char *text;
        double value;
    } good[] = {
        { "1/6", 1.0 / 6 }, { "-23/270", -23.0 / 270 }, { "0.25", 0.25 }, { "1e-3", 1e-3 },
        { " +7 ", 7 },      { "-1.5E2", -150 },         { "000.5", 0.5 },
    };
    char buffer[LBR_DD_TEXT];
    lbr_dd x, y;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(lbr_dd_read(bad[i], &x) != 0, "'%s' is not a number", bad[i]);
    ok(lbr_dd_read(NULL, &x) != 0, "nothing is not a number");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int failed = lbr_dd_read(good[i].text, &x);

        ok(!failed && x.hi == good[i].value, "'%s' is %.17g", good[i].text, x.hi);
    }
    lbr_dd_read("0.13020248308889008087881763209670", &x);
    ok(!strcmp(lbr_dd_write(x, 31, buffer), "0.1302024830888900808788176320967"), "thirty-one digits come back: %s",
       buffer);
    lbr_dd_read("0.99999999999999999999999999999999999", &x);
    ok(!strcmp(lbr_dd_write(x, 30, buffer), "1"), "rounding carries: %s", buffer);
    ok(!strcmp(lbr_dd_write(dd(-0.0001220703125), 30, buffer), "-0.0001220703125"), "small: %s", buffer);
    ok(!strcmp(lbr_dd_write(dd(0x1p-40), 6, buffer), "9.09495e-13"), "smaller: %s", buffer);
    ok(!strcmp(lbr_dd_write(dd(1234567), 31, buffer), "1234567"), "large: %s", buffer);
    lbr_dd_read(lbr_dd_write(dd(1e-20), 31, buffer), &y);
    ok(fabs(y.hi - 1e-20) < 1e-50, "exponents come back: %s", buffer);
}

static void linear(void)
{
    enum { N = 40 };
    static double M[N * N], A[N * N], x[N], b[N];
    int64_t pivot[N];
    double worst = 0, singular[4] = { 1, 2, 2, 4 }, infinite[4] = { 1, 2, 3, INFINITY };

    for (int i = 0; i < N * N; i++) A[i] = M[i] = uniform() - 0.5;
    for (int i = 0; i < N; i++) x[i] = b[i] = uniform();
    ok(lbr_lu_factor(N, M, pivot) == 0, "a random matrix is factorised");
    lbr_lu_solve(N, M, pivot, x);
    for (int i = 0; i < N; i++) {
        double r = -b[i];
        for (int j = 0; j < N; j++) r += A[i * N + j] * x[j];
        worst = fmax(worst, fabs(r));
    }
    ok(worst < 1e-12, "residual %.1e", worst);
    ok(lbr_lu_factor(2, singular, pivot) == 2, "a singular one is found out, and where");
    ok(lbr_lu_factor(2, infinite, pivot) == 2, "and one that is not finite");
}

static void names(void)
{
    static const int64_t shape[] = { 2, 3 }, three[] = { 2 };
    lbr_block blocks[] = { { sizeof(lbr_block), "q", LBR_VECTOR, 2, shape },
                           { sizeof(lbr_block), "psi", LBR_COMPLEX, 1, three },
                           { sizeof(lbr_block), "z", LBR_VECTOR, 0, NULL } };
    lbr_system one = LBR_SYSTEM(.dim = 2, .nq = 1), two = LBR_SYSTEM(.dim = 4, .nq = 2), three_d = LBR_SYSTEM(.dim = 3),
               mixed = LBR_SYSTEM(.dim = 11, .blocks = blocks, .nblocks = 3);
    char name[64];

#define NAMED(s, i, want) \
    ok(!strcmp(lbr_system_component(&s, i, name, sizeof name), want), "component %d is %s", i, want)
    NAMED(one, 1, "p");
    NAMED(two, 1, "q[2]");
    NAMED(two, 2, "p[1]");
    NAMED(three_d, 2, "y[3]");
    NAMED(mixed, 5, "q[2,3]");
    NAMED(mixed, 7, "psi[1].im");
    NAMED(mixed, 10, "z");
    ok(lbr_text_distance("stormer-verlot", "stormer-verlet") == 1 && lbr_text_distance("ab", "ba") == 1 &&
           lbr_text_distance("", "abc") == 3,
       "distances of names");
    ok(lbr_text_find("auto v3 v4", "v4") == 2 && lbr_text_find("auto v3 v4", "v") == -1, "words in a list");
}

static void arenas(void)
{
    lbr_arena a = { 0 };
    int zeroed = 1, aligned = 1;

    for (int i = 1; i < 200; i++) {
        char *p = lbr_arena_alloc(&a, i * 37, 1);

        for (int k = 0; k < i * 37; k++) zeroed &= p[k] == 0, p[k] = 1;
        aligned &= (uintptr_t)p % 64 == 0;
    }
    ok(zeroed, "pieces of an arena are zero and apart");
    ok(aligned, "and aligned");
    ok(!lbr_arena_alloc(&a, INT64_MAX, 8) && !lbr_arena_alloc(&a, -1, 8), "absurd sizes are refused");
    lbr_arena_free(&a);
    for (int s = -12; s < 3; s++)
        if (!*lbr_status_text((lbr_status)s)) ok(0, "status %d has no text", s);
    ok(strcmp(lbr_status_text((lbr_status)99), "done") != 0, "an unknown status is not 'done'");
}

int main(void)
{
    arithmetic();
    texts();
    linear();
    names();
    arenas();
    return tap_done();
}
