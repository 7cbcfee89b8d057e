/* test_families.c - Gauss, Radau and Lobatto methods: printed coefficients, what determines each family, runs.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Certificates over all members, and mutants of each entry, are in test_certify.c; slopes on many problems in
 * test_methods.c. */
#include "support/analysis.h"
#include "plan/method_rows.h"
#include "series/order.h"
#include "support/tap.h"

enum { MOST = 16 };

typedef struct tableau {
    int s;
    lbr_dd A[MOST * MOST], b[MOST], c[MOST];
    lbr_method claims;
} tableau;

static int load(const char *name, int s, tableau *t)
{
    lbr_arena arena = { 0 };
    lbr_message why = { 0 };
    lbr_numbers x;
    const lbr_row *row = lbr_row_find(name);
    int bad = !row || lbr_row_numbers(row, row && row->m.stride ? s : -1, &t->claims, &x, &arena, &why);

    if (bad || x.s > MOST) return lbr_arena_free(&arena), ok(0, "%s:%d: %s", name, s, why.text);
    t->s = (int)x.s;
    memcpy(t->A, x.A, (size_t)(x.s * x.s) * sizeof *x.A), memcpy(t->b, x.b, (size_t)x.s * sizeof *x.b),
        memcpy(t->c, x.c, (size_t)x.s * sizeof *x.c);
    lbr_arena_free(&arena);
    return 1;
}

static double size(lbr_dd a) { return fabs(dd_double(a)); }
static double gap(lbr_dd a, lbr_dd b) { return size(dd_sub(a, b)); }

/* --- printed coefficients ---------------------------------------------------------------------------------------- */

/* A by rows, then b, then c; entries are x + y sqrt(root). HLW Tables II.1.2 and II.1.4, VI.10 exercise 12; Hairer &
 * Wanner, Solving ODEs II, Tables IV.5.3 to IV.5.11. */
static const struct {
    const char *name;
    int s, root;
    const char *x, *y;
} printed[] = {
    { "runge-trapezoidal", 2, 0, "0 0 1 0  1/2 1/2  0 1", "" },
    { "runge-midpoint", 2, 0, "0 0 1/2 0  0 1  0 1/2", "" },
    { "heun-3", 3, 0, "0 0 0 1/3 0 0 0 2/3 0  1/4 0 3/4  0 1/3 2/3", "" },
    { "kutta-38", 4, 0, "0 0 0 0 1/3 0 0 0 -1/3 1 0 0 1 -1 1 0  1/8 3/8 3/8 1/8  0 1/3 2/3 1", "" },
    { "gauss", 2, 3, "1/4 1/4 1/4 1/4  1/2 1/2  1/2 1/2", "0 -1/6 1/6 0  0 0  -1/6 1/6" },
    { "radau-1a", 1, 0, "1  1  0", "" },
    { "radau-1a", 2, 0, "1/4 -1/4 1/4 5/12  1/4 3/4  0 2/3", "" },
    { "radau-1a", 3, 6, "1/9 -1/18 -1/18 1/9 11/45 11/45 1/9 11/45 11/45  1/9 4/9 4/9  0 3/5 3/5",
      "0 -1/18 1/18 0 7/360 -43/360 0 43/360 -7/360  0 1/36 -1/36  0 -1/10 1/10" },
    { "radau-2a", 1, 0, "1  1  1", "" },
    { "radau-2a", 2, 0, "5/12 -1/12 3/4 1/4  3/4 1/4  1/3 1", "" },
    { "radau-2a", 3, 6, "11/45 37/225 -2/225 37/225 11/45 -2/225 4/9 4/9 1/9  4/9 4/9 1/9  2/5 2/5 1",
      "-7/360 -169/1800 1/75 169/1800 7/360 -1/75 -1/36 1/36 0  -1/36 1/36 0  -1/10 1/10 0" },
    { "lobatto-3a", 2, 0, "0 0 1/2 1/2  1/2 1/2  0 1", "" },
    { "lobatto-3a", 3, 0, "0 0 0 5/24 1/3 -1/24 1/6 2/3 1/6  1/6 2/3 1/6  0 1/2 1", "" },
    { "lobatto-3a", 4, 5,
      "0 0 0 0 11/120 5/24 5/24 -1/120 11/120 5/24 5/24 -1/120 1/12 5/12 5/12 1/12  1/12 5/12 5/12 1/12  0 1/2 1/2 1",
      "0 0 0 0 1/120 -1/120 -13/120 1/120 -1/120 13/120 1/120 -1/120 0 0 0 0  0 0 0 0  0 -1/10 1/10 0" },
    { "lobatto-3b", 2, 0, "1/2 0 1/2 0  1/2 1/2  0 1", "" },
    { "lobatto-3b", 3, 0, "1/6 -1/6 0 1/6 1/3 0 1/6 5/6 0  1/6 2/3 1/6  0 1/2 1", "" },
    { "lobatto-3b", 4, 5,
      "1/12 -1/24 -1/24 0 1/12 5/24 5/24 0 1/12 5/24 5/24 0 1/12 11/24 11/24 0  1/12 5/12 5/12 1/12  0 1/2 1/2 1",
      "0 -1/24 1/24 0 0 1/120 -13/120 0 0 13/120 -1/120 0 0 -1/24 1/24 0  0 0 0 0  0 -1/10 1/10 0" },
    { "lobatto-3c", 2, 0, "1/2 -1/2 1/2 1/2  1/2 1/2  0 1", "" },
    { "lobatto-3c", 3, 0, "1/6 -1/3 1/6 1/6 5/12 -1/12 1/6 2/3 1/6  1/6 2/3 1/6  0 1/2 1", "" },
    { "lobatto-3c", 4, 5,
      "1/12 0 0 -1/12 1/12 1/4 1/6 0 1/12 1/6 1/4 0 1/12 5/12 5/12 1/12  1/12 5/12 5/12 1/12  0 1/2 1/2 1",
      "0 -1/12 1/12 0 0 0 -7/60 1/60 0 7/60 0 -1/60 0 0 0 0  0 0 0 0  0 -1/10 1/10 0" },
    { "lobatto-3s", 2, 0, "1/4 0 1/2 1/4  1/2 1/2  0 1", "" },
    { "lobatto-3s", 3, 0, "1/12 -1/12 0 3/16 1/3 -1/48 1/6 3/4 1/12  1/6 2/3 1/6  0 1/2 1", "" },
};

/* The i-th number of a list; 0 for an empty one. */
static lbr_dd number(const char *list, int i)
{
    char word[32] = "0";
    lbr_dd x = dd(NAN);
    int used;

    for (; sscanf(list, "%31s%n", word, &used) == 1 && i-- > 0;) list += used;
    lbr_dd_read(word, &x);
    return *list ? x : dd(0);
}

/* Exact to the last digits of double-double: an entry that is wrong in its 30th digit is seen. */
static void as_printed(void)
{
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        tableau t;
        double worst = 0;
        int n, signs = 0;

        if (!load(printed[i].name, printed[i].s, &t)) continue;
        n = t.s * t.s + 2 * t.s;
        for (int k = 0; k < n; k++) {
            lbr_dd *list = k < t.s * t.s ? t.A + k : k < n - t.s ? t.b + (k - t.s * t.s) : t.c + (k - n + t.s);
            lbr_dd want = dd_add(number(printed[i].x, k),
                                 dd_mul(number(printed[i].y, k), dd_sqrt(dd(printed[i].root))));

            worst = fmax(worst, gap(*list, want));
            signs += (list->hi == 0) != (fabs(want.hi) < 1e-30);
        }
        ok(t.s == printed[i].s && worst < 1e-31 && !signs, "%s:%d as it is printed, to %.1g; zeros are zeros",
           printed[i].name, t.s, worst);
    }
}

/* Rows of IIIA and IIIB with four stages, 22 digits (without zeros at the end). */
static void decimals(void)
{
    static const struct {
        const char *name;
        int entry;
        const char *digits;
    } row[] = {
        { "lobatto-3a", 4, "0.1103005664791649141367" },   { "lobatto-3a", 5, "0.1896994335208350858633" },
        { "lobatto-3a", 6, "-0.03390736422914388377766" }, { "lobatto-3a", 7, "0.01030056647916491413674" },
        { "lobatto-3a", 8, "0.07303276685416841919659" },  { "lobatto-3a", 9, "0.4505740308958105504443" },
        { "lobatto-3a", 10, "0.2269672331458315808034" },  { "lobatto-3a", 11, "-0.02696723314583158080341" },
        { "lobatto-3b", 1, "-0.134836165729157904017" },   { "lobatto-3b", 2, "0.05150283239582457068372" },
        { "lobatto-3b", 5, "0.2269672331458315808034" },   { "lobatto-3b", 6, "-0.03390736422914388377766" },
        { "lobatto-3b", 9, "0.4505740308958105504443" },   { "lobatto-3b", 10, "0.1896994335208350858633" },
        { "lobatto-3b", 13, "0.365163834270842095983" },   { "lobatto-3b", 14, "0.5515028323958245706837" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[LBR_DD_TEXT] = "";
        tableau t;

        if (load(row[i].name, 4, &t)) lbr_dd_write(t.A[row[i].entry], 22, text);
        ok(!strcmp(text, row[i].digits), "%s:4 has %s (%s)", row[i].name, row[i].digits, text);
    }
}

/* --- what determines a family ------------------------------------------------------------------------------------ */

/* B(2s - ends), C(s - C), D(s - D) hold, the next one of each does not. */
static const struct family {
    const char *name;
    int first, ends, C, D, symmetric, symplectic;
} families[] = {
    { "gauss", 1, 0, 0, 0, 1, 1 },      { "radau-1a", 1, 1, 1, 0, 0, 0 },   { "radau-2a", 1, 1, 0, 1, 0, 0 },
    { "lobatto-3a", 2, 2, 0, 2, 1, 0 }, { "lobatto-3b", 2, 2, 2, 0, 1, 0 }, { "lobatto-3c", 2, 2, 1, 1, 0, 0 },
    { "lobatto-3s", 2, 2, 2, 2, 1, 1 },
};
enum { FAMILIES = sizeof families / sizeof *families };

/* Shifted Legendre polynomials instead of powers, so that what fails is seen for 16 stages too: P_m(2x - 1). */
static lbr_dd P(int m, lbr_dd x)
{
    lbr_dd a = dd(1), b = dd_sub(dd_scale(2, x), dd(1)), z = b;

    for (int k = 2; k <= m; k++) {
        lbr_dd next = dd_div(dd_sub(dd_scale(2 * k - 1, dd_mul(z, b)), dd_scale(k - 1, a)), dd(k));
        a = b, b = next;
    }
    return m ? b : a;
}

/* The integral of P_m from 0 to x, (P_{m+1} - P_{m-1})/(2 (2m + 1)). */
static lbr_dd integral(int m, lbr_dd x) { return m ? dd_div(dd_sub(P(m + 1, x), P(m - 1, x)), dd(4 * m + 2)) : x; }

/* The quadrature formula applied to P_m P_n with m + n = k - 1: the condition B(k). */
static double B(const tableau *t, int k)
{
    int m = (k - 1) / 2, n = k - 1 - m;
    lbr_dd sum = dd(0);

    for (int i = 0; i < t->s; i++) sum = dd_add(sum, dd_mul(t->b[i], dd_mul(P(m, t->c[i]), P(n, t->c[i]))));
    return gap(sum, m == n ? dd_div(dd(1), dd(2 * m + 1)) : dd(0));
}

static double C(const tableau *t, int k)
{
    double worst = 0;

    for (int i = 0; i < t->s; i++) {
        lbr_dd sum = dd(0);

        for (int j = 0; j < t->s; j++) sum = dd_add(sum, dd_mul(t->A[i * t->s + j], P(k - 1, t->c[j])));
        worst = fmax(worst, gap(sum, integral(k - 1, t->c[i])));
    }
    return worst;
}

static double D(const tableau *t, int k)
{
    double worst = 0;

    for (int j = 0; j < t->s; j++) {
        lbr_dd sum = dd(0);

        for (int i = 0; i < t->s; i++)
            sum = dd_add(sum, dd_mul(dd_mul(t->b[i], P(k - 1, t->c[i])), t->A[i * t->s + j]));
        worst = fmax(worst, gap(sum, dd_mul(t->b[j], dd_sub(integral(k - 1, dd(1)), integral(k - 1, t->c[j])))));
    }
    return worst;
}

/* A condition holds up to `last` to 30 digits, and fails after it. */
static int reaches(double (*condition)(const tableau *, int), const tableau *t, int last)
{
    for (int k = 1; k <= last; k++)
        if (condition(t, k) > 2e-31) return printf("# condition %d of %d fails by %.2g\n", k, last, condition(t, k)), 0;
    return condition(t, last + 1) > 1e-4 ||
           (printf("# condition %d holds too: %.2g\n", last + 1, condition(t, last + 1)), 0);
}

static void assumptions(const struct family *f)
{
    for (int s = f->first; s <= MOST; s++) {
        tableau t;
        int low;

        if (!load(f->name, s, &t)) return;
        low = f->C >= s; /* the nodes of the formula are not those of the stages */
        ok(low || (reaches(B, &t, 2 * s - f->ends) && reaches(C, &t, s - f->C) && reaches(D, &t, s - f->D)),
           "%s:%d satisfies B(%d), C(%d), D(%d), to 30 digits, and no more", f->name, s, 2 * s - f->ends, s - f->C,
           s - f->D);
        ok(t.claims.order == 2 * s - f->ends && t.claims.symmetric == f->symmetric && t.claims.digits >= 28 &&
               t.claims.symplectic == (f->symplectic || (s == 2 && !strcmp(f->name, "lobatto-3b"))),
           "%s:%d claims order %d", f->name, s, t.claims.order);
    }
}

static void nodes(const struct family *f)
{
    int left = f->ends == 2 || !strcmp(f->name, "radau-1a"), right = f->ends == 2 || !strcmp(f->name, "radau-2a"),
        good = 1;

    for (int s = f->first; s <= MOST; s++) {
        tableau t;

        if (!load(f->name, s, &t)) return;
        if (f->C >= s) continue;
        for (int i = 0; i < s; i++) {
            good &= t.b[i].hi > 0 && t.c[i].hi >= 0 && t.c[i].hi <= 1 && (i == 0 || dd_less(t.c[i - 1], t.c[i]));
            good &= !f->symmetric ||
                    (gap(dd_add(t.c[i], t.c[s - 1 - i]), dd(1)) < 1e-31 && gap(t.b[i], t.b[s - 1 - i]) < 1e-31);
        }
        good &= !f->symmetric || s % 2 == 0 || (t.c[s / 2].hi == 0.5 && t.c[s / 2].lo == 0);
        good &= (t.c[0].hi == 0) == left && (t.c[s - 1].hi == 1 && t.c[s - 1].lo == 0) == right;
    }
    ok(good, "%s: nodes rise from %s to %s, weights are positive", f->name, left ? "0" : "above 0",
       right ? "1" : "below 1");
}

/* --- relations --------------------------------------------------------------------------------------------------- */

/* Rows and columns that steppers and theory rely on; each against a family that has them not. */
static double first_row(const tableau *t)
{
    double d = 0;
    for (int j = 0; j < t->s; j++) d = fmax(d, size(t->A[j]));
    return d;
}
static double last_column(const tableau *t)
{
    double d = 0;
    for (int i = 0; i < t->s; i++) d = fmax(d, size(t->A[i * t->s + t->s - 1]));
    return d;
}
static double last_row(const tableau *t)
{
    double d = 0;
    for (int j = 0; j < t->s; j++) d = fmax(d, gap(t->A[(t->s - 1) * t->s + j], t->b[j]));
    return d;
}
static double first_column(const tableau *t)
{
    double d = 0;
    for (int i = 0; i < t->s; i++) d = fmax(d, gap(t->A[i * t->s], t->b[0]));
    return d;
}

static void shapes(void)
{
    static const struct {
        const char *what;
        double (*defect)(const tableau *);
        double tolerance;
        const char *have;
    } row[] = {
        { "the first stage is explicit", first_row, 0, "lobatto-3a" },
        { "nobody uses the last stage", last_column, 0, "lobatto-3b" },
        { "the last stage is the result", last_row, 1e-31, "radau-2a lobatto-3a lobatto-3c" },
        { "a_i1 = b_1", first_column, 1e-31, "radau-1a lobatto-3b lobatto-3c" },
    };

    for (int i = 0; i < 4; i++)
        for (int f = 0; f < FAMILIES; f++) {
            int has = strstr(row[i].have, families[f].name) != NULL, good = 1;
            tableau t;

            for (int s = 2; s <= MOST && good; s++)
                good = load(families[f].name, s, &t) &&
                       (has ? row[i].defect(&t) <= row[i].tolerance : row[i].defect(&t) > 1e-4);
            ok(good, "%s: %s%s", families[f].name, has ? "" : "not so: ", row[i].what);
        }
}

/* IIIS is the mean of IIIA and IIIB; those are a symplectic pair (HLW VI.4.5); IA is IIA transposed and reflected. */
static void relations(void)
{
    static tableau A, B3, S, one, two;
    double mean = 0, pair = 0, alone = INFINITY, turned = 0, straight = INFINITY;

    for (int s = 2; s <= MOST; s++) {
        double a = 0, r = 0;

        if (!load("lobatto-3a", s, &A) || !load("lobatto-3b", s, &B3) || !load("lobatto-3s", s, &S) ||
            !load("radau-1a", s, &one) || !load("radau-2a", s, &two))
            return;
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                lbr_dd bb = dd_mul(A.b[i], A.b[j]), back = one.A[(s - 1 - i) * s + s - 1 - j];

                mean = fmax(mean, gap(dd_scale(2, S.A[i * s + j]), dd_add(A.A[i * s + j], B3.A[i * s + j])));
                pair = fmax(pair, gap(dd_add(dd_mul(A.b[i], B3.A[i * s + j]), dd_mul(A.b[j], A.A[j * s + i])), bb));
                a = fmax(a, gap(dd_add(dd_mul(A.b[i], A.A[i * s + j]), dd_mul(A.b[j], A.A[j * s + i])), bb));
                turned = fmax(turned, gap(dd_mul(two.b[i], back), dd_mul(two.b[j], two.A[j * s + i])));
                r = fmax(r, gap(back, two.A[i * s + j]));
            }
        alone = fmin(alone, a), straight = fmin(straight, r);
    }
    ok(mean < 1e-31, "lobatto-3s is the mean of lobatto-3a and lobatto-3b, to %.1g", mean);
    ok(pair < 1e-31 && alone > 1e-5,
       "lobatto-3a and lobatto-3b are a symplectic pair, to %.1g; lobatto-3a alone is not symplectic: %.1g", pair,
       alone);
    ok(turned < 1e-31 && straight > 1e-3,
       "radau-1a is radau-2a transposed and reflected, to %.1g; not only reflected: %.1g", turned, straight);
}

/* IIIS has C(s-2) and D(s-2), from which order 2s - 3 follows; the last one is a gift of symmetry. With a third of IIIC
 * it is not symmetric, and nothing more can be said. */
static void even_orders(void)
{
    for (int s = 4; s <= MOST; s += 6) {
        static tableau S, C3;
        lbr_order even, odd;

        if (!load("lobatto-3s", s, &S) || !load("lobatto-3c", s, &C3)) return;
        lbr_assumptions_order(s, S.A, S.b, S.c, 1e-26, &even);
        for (int i = 0; i < s * s; i++) S.A[i] = dd_div(dd_add(dd_scale(2, S.A[i]), C3.A[i]), dd(3));
        lbr_assumptions_order(s, S.A, S.b, S.c, 1e-26, &odd);
        ok(even.order == 2 * s - 2 && even.exact, "lobatto-3s:%d has order %d: %s", s, even.order, even.detail);
        ok(odd.order == 2 * s - 3 && !odd.exact, "... with a third of lobatto-3c: %s", odd.detail);
    }
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

/* Members with few stages are other methods; the time comes in as well as the state. same = 2: where f does not depend
 * on it; the nodes are others. */
static void identities(void)
{
    static const struct {
        const char *a, *b;
        int same;
    } row[] = {
        { "radau-1a:1", "implicit-euler", 2 },
        { "radau-2a:1", "implicit-euler", 1 },
        { "lobatto-3a:2", "trapezoidal", 1 },
        { "lobatto-3b:2", "midpoint", 2 },
        { "lobatto-3s:2", "compose(strang, midpoint)", 2 },
        { "gauss:1", "midpoint", 1 },
        { "lobatto-3c:2", "trapezoidal", 0 },
        { "lobatto-3s:3", "lobatto-3a:3", 0 },
        { "heun-2", "runge-trapezoidal", 1 },
        { "radau-iia:3", "radau-2a:3", 1 },
        { "radau-1a:3", "radau-2a:3", 0 },
        { "adjoint(lobatto-3b:5)", "lobatto-3b:5", 1 },
        { "adjoint(lobatto-3c:3)", "lobatto-3c:3", 0 },
    };
    problem problems[] = { pushed(), mixed(), riccati() };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double least = INFINITY, most = 0, timed = INFINITY;

        for (int k = 0; k < 3; k++) {
            const problem *p = &problems[k];
            double a[PROBLEM_DIM], b[PROBLEM_DIM], d = NAN;

            if (!problem_run(p, row[i].a, NULL, p->h, 8, a) && !problem_run(p, row[i].b, NULL, p->h, 8, b))
                d = distance(p->system.dim, a, b);
            if (k != 1 && row[i].same == 2) {
                timed = fmin(timed, d);
                continue;
            }
            least = fmin(least, d), most = d <= most ? most : d;
        }
        ok(row[i].same ? most < 1e-14 && timed > 1e-6 : least > 1e-11, "%s is %s%s: they differ by %.2g", row[i].a,
           row[i].same ? "" : "not ", row[i].b, row[i].same ? most : least);
    }
}

/* y' = -1e6 (y - 1) in steps of 0.5: what is off the solution is damped at once where R(oo) = 0; symmetric methods have
 * |R(oo)| = 1. */
static int stiff_field(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -1e6 * (y[0] - 1), 0;
}

static void stiff(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        int damps = !families[f].symmetric;

        for (int s = 2; s <= 5; s++) {
            problem p = { LBR_SYSTEM(.name = "stiff", .dim = 1, .field = stiff_field), .h = 0.5, .y = { 2 } };
            char name[32];
            double y = NAN, d;

            snprintf(name, sizeof name, "%s:%d", families[f].name, s);
            problem_run(&p, name, NULL, p.h, 1, &y);
            d = fabs(y - 1);
            ok(damps ? d < 1e-4 : fabs(d - 1) < 1e-3, "%s: 1 off a stiff solution, %.2g after a step", name, d);
        }
    }
}

/* HLW Fig. IX.9.3: H = p^2/2 - cos q + sin(2q)/5, p = 2.5, which turns over and over; no symmetry of the orbit helps.
 */
static int turning_force(double t, const double *q, double *f, void *ctx)
{
    return (void)t, (void)ctx, f[0] = -sin(*q) - 0.4 * cos(2 * *q), 0;
}
static int turning_energy(double t, const double *y, double *H, void *ctx)
{
    return (void)t, (void)ctx, *H = y[1] * y[1] / 2 - cos(y[0]) + sin(2 * y[0]) / 5, 0;
}

static void drifts(void)
{
    static const struct {
        const char *method;
        int drifts;
    } row[] = {
        { "lobatto-3b:3", 1 }, { "lobatto-3a:3", 0 }, { "lobatto-3s:3", 0 }, { "lobatto-3c:3", 1 }, { "radau-2a:2", 1 }
    };
    problem p = { LBR_SYSTEM(.name = "turning", .dim = 2, .nq = 1, .force = turning_force,
                             .inverse_mass = problem_ones),
                  .h = 0.2, .y = { 0, 2.5 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double d = excursion(range_of(&p, row[i].method, NULL, p.h, 2500, turning_energy));

        ok(row[i].drifts ? d > 1e-3 : d < 1e-4, "%s: the energy is %.2g off in 2500 steps: it %s", row[i].method, d,
           row[i].drifts ? "drifts" : "does not drift");
    }
}

static void orders(void)
{
    static const char *const names[] = { "runge-trapezoidal", "runge-midpoint", "heun-3",       "kutta-38",
                                         "radau-1a:2",        "radau-1a:3",     "radau-2a:2",   "radau-2a:3",
                                         "lobatto-3a:3",      "lobatto-3a:4",   "lobatto-3b:3", "lobatto-3b:4",
                                         "lobatto-3c:2",      "lobatto-3c:3",   "lobatto-3c:4", "lobatto-3s:2",
                                         "lobatto-3s:3",      "lobatto-3s:4" };
    problem p = pushed();
    lbr_options o = options_of("compensated=yes");
    double exact[PROBLEM_DIM];

    reference(&p, 4, 128, exact);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const lbr_method_info *m;
        slope s;

        if (lbr_method_describe(&m, names[i])) continue;
        s = slope_of(&p, names[i], &o, 4, exact, m->order, 1e-12, 3000);
        ok(fabs(s.order - m->order) < 0.25, "%s: order %.2f for %d on %s", names[i], s.order, m->order, p.system.name);
        lbr_method_free(m);
    }
}

static void ranges(void)
{
    static const struct {
        const char *name, *says;
    } row[] = {
        { "lobatto-3a:1", "lobatto-3a:2 to lobatto-3a:16" },
        { "radau-2a:17", "radau-2a:1 to radau-2a:16" },
        { "lobatto-3s", "lobatto-3s:2" },
        { "radau-3a:2", "radau" },
        { "heun-3:2", "not a family" },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const lbr_method_info *m;
        lbr_status status = lbr_method_describe(&m, row[i].name);

        ok(status == LBR_EMETHOD && strstr(m->message, row[i].says), "%s: %s", row[i].name, m->message);
        lbr_method_free(m);
    }
}

int main(void)
{
    as_printed();
    decimals();
    for (int f = 0; f < FAMILIES; f++) assumptions(&families[f]), nodes(&families[f]);
    shapes();
    relations();
    even_orders();
    identities();
    stiff();
    drifts();
    orders();
    ranges();
    return tap_done();
}
