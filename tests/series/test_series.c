/* test_series.c - orders, symmetry and symplecticity from algebra, for and against.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "series/order.h"
#include "support/tap.h"

#include <string.h>

enum { LONG = 1400 };
static const double TOL = 1e-24, MUTATION = 1e-9;

/* Reads numbers separated by blanks; returns how many. */
static int list(const char *text, lbr_dd *out)
{
    int n = 0;

    for (size_t len; *(text += strspn(text, " ")); text += len) {
        char word[64] = "";
        len = strcspn(text, " ");
        if (len >= sizeof word || lbr_dd_read(memcpy(word, text, len), &out[n++])) return -1;
    }
    return n;
}

static void counts(void)
{
    static const struct {
        const char *name;
        lbr_trees kind;
        int count[13];
    } row[] = {
        { "rooted trees (HLW III.1)", LBR_TREES_ROOTED, { 1, 1, 2, 4, 9, 20, 48, 115, 286, 719, 1842, 4766, 12486 } },
        { "bi-coloured trees (HLW Ex. III.7)",
          LBR_TREES_BICOLOURED,
          { 2, 4, 14, 52, 214, 916, 4116, 18996, 2 * 44947, 2 * 216598 } },
        { "trees with alternating colours (twice the rooted ones)",
          LBR_TREES_SEPARABLE,
          { 2, 2, 4, 8, 18, 40, 96, 230, 572, 1438 } },
        /* 1 1 2 3 6 10 20 36 with a kick at the root; with a drift there, as many as with a kick one order lower. */
        { "Nystrom trees (HLW III.2)", LBR_TREES_NYSTROM, { 2, 2, 3, 5, 9, 16, 30, 56 } },
    };
    static const int lyndon[] = { 2, 1, 2, 3, 6, 9, 18, 30, 56, 99, 186 },
                     each[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

    for (int i = 0; i < 4; i++)
        for (int n = 0; n < 13 && row[i].count[n]; n++)
            ok(lbr_trees_count(row[i].kind, n + 1) == row[i].count[n], "%d %s of order %d", row[i].count[n],
               row[i].name, n + 1);
    for (int n = 1; n <= 11; n++) {
        ok(lbr_words_count(2, NULL, n) == lyndon[n - 1], "%d Lyndon words of degree %d in two letters", lyndon[n - 1],
           n);
        ok(lbr_words_count(11, each, n) == (n == 1 ? 1 : lyndon[n - 1]),
           "as many in letters of degree 1, 2, 3, ..., but one letter 1");
    }
    ok(lbr_words_count(3, NULL, 5) == 48 && lbr_words_count(4, NULL, 4) == 60,
       "Lyndon words in three and four letters");
    ok(lbr_words_count(4, NULL, 8) == -1, "too many words are refused");
}

/* A method is one list, A then b then c. Entries are x + y sqrt(root). */
typedef struct {
    const char *name;
    int s, order, symplectic, symmetric, assumed;
    double root;
    const char *x, *y;
} rk;

static const rk methods[] = {
    { "explicit Euler", 1, 1, 0, 0, 1, 0, "0  1  0", "" },
    { "implicit Euler", 1, 1, 0, 0, 1, 0, "1  1  1", "" },
    { "implicit midpoint", 1, 2, 1, 1, 2, 0, "1/2  1  1/2", "" },
    { "trapezoidal", 2, 2, 0, 1, 2, 0, "0 0 1/2 1/2  1/2 1/2  0 1", "" },
    { "Lobatto IIIB, s=2", 2, 2, 0, 1, 2, 0, "1/2 0 1/2 0  1/2 1/2  0 1", "" },
    { "RK4", 4, 4, 0, 0, 3, 0, "0 0 0 0 1/2 0 0 0 0 1/2 0 0 0 0 1 0  1/6 1/3 1/3 1/6  0 1/2 1/2 1", "" },
    { "Radau IIA, s=2", 2, 3, 0, 0, 3, 0, "5/12 -1/12 3/4 1/4  3/4 1/4  1/3 1", "" },
    { "Gauss, s=2", 2, 4, 1, 1, 4, 3, "1/4 1/4 1/4 1/4  1/2 1/2  1/2 1/2", "0 -1/6 1/6 0  0 0  -1/6 1/6" },
    { "Gauss, s=3", 3, 6, 1, 1, 6, 15, "5/36 2/9 5/36 5/36 2/9 5/36 5/36 2/9 5/36  5/18 4/9 5/18  1/2 1/2 1/2",
      "0 -1/15 -1/30 1/24 0 -1/24 1/30 1/15 0  0 0 0  -1/10 0 1/10" },
    { "Lobatto IIIA, s=3", 3, 4, 0, 1, 4, 0, "0 0 0 5/24 1/3 -1/24 1/6 2/3 1/6  1/6 2/3 1/6  0 1/2 1", "" },
    { "Lobatto IIIB, s=3", 3, 4, 0, 1, 4, 0, "1/6 -1/6 0 1/6 1/3 0 1/6 5/6 0  1/6 2/3 1/6  0 1/2 1", "" },
};

static int entries(const char *rational, const char *irrational, double root, lbr_dd *out)
{
    lbr_dd y[24] = { { 0, 0 } }, r = dd_sqrt(dd(root));
    int n = list(rational, out);

    list(irrational, y);
    for (int i = 0; i < n; i++) out[i] = dd_add(out[i], dd_mul(y[i], r));
    return n;
}

static void table(int i, lbr_dd *A) { entries(methods[i].x, methods[i].y, methods[i].root, A); }

static int rooted(int s, const lbr_dd *A, int max, lbr_order *o)
{
    return lbr_trees_order(LBR_TREES_ROOTED, s, A, A + s * s, NULL, NULL, max, TOL, o) ? -1 : o->order;
}

static int pair(int s, const lbr_dd *A, const lbr_dd *A2, lbr_order *o)
{
    return lbr_trees_order(LBR_TREES_BICOLOURED, s, A, A + s * s, A2, A2 + s * s, 7, TOL, o) ? -1 : o->order;
}

/* Moves every entry of A (where it matters: order 2 on) and b by 1e-9 and counts what nobody sees; alone or with a
 * partner. */
static int tables_alive(int s, const lbr_dd *partner, lbr_dd *A, int order, int symmetric)
{
    int alive = 0;
    lbr_order o;

    for (int i = order == 1 ? s * s : 0; i < s * s + s; i++) {
        lbr_dd right = A[i];
        A[i] = dd_add(right, dd(MUTATION));
        alive += (partner ? pair(s, partner, A, &o) : rooted(s, A, order, &o)) >= order &&
                 (!symmetric || lbr_symmetric_residual(s, A, A + s * s) < TOL);
        A[i] = right;
    }
    return alive;
}

static void runge_kutta(void)
{
    for (int i = 0; i < (int)(sizeof methods / sizeof *methods); i++) {
        const rk *m = &methods[i];
        lbr_dd A[24], *b = A + m->s * m->s, *c = b + m->s;
        lbr_order o, a;

        table(i, A);
        ok(rooted(m->s, A, 8, &o) == m->order && o.exact, "%s has order %d (%s)", m->name, m->order, o.detail);
        ok(o.residual < 1e-30, "... to every digit");
        lbr_assumptions_order(m->s, A, b, c, TOL, &a);
        ok(a.order == m->assumed && a.exact == (m->assumed == m->order), "... %s", a.detail);
        ok((lbr_symplectic_residual(m->s, A, b) < 1e-30) == m->symplectic, "... symplectic: %d", m->symplectic);
        ok((lbr_symmetric_residual(m->s, A, b) < 1e-30) == m->symmetric, "... symmetric: %d", m->symmetric);
        ok(tables_alive(m->s, NULL, A, m->order, m->symmetric) == 0, "... mutants are seen");
    }
}

/* The numbers in `lbr_order`, against values known by hand. */
static void reports(void)
{
    lbr_dd rk4[24], gauss3[24];
    lbr_order o;

    table(5, rk4), table(8, gauss3);
    ok(rooted(4, rk4, 4, &o) == 4 && o.exact, "the bush of order 5 alone shows that RK4 ends at 4");
    near(o.failing, 1.0 / 24, 1e-15, "RK4: 5 sum b c^4 - 1 = 1/24");
    ok(!strcmp(o.detail, "tree [.,.,.,.] of order 5: residual 4.2e-02"), "said in words: %s", o.detail);
    ok(rooted(3, gauss3, 4, &o) == 4 && !o.exact, "searched to 4 only, Gauss s=3 has order 4 or more: %s", o.detail);
    lbr_trees_order(LBR_TREES_ROOTED, 4, rk4, rk4 + 16, NULL, NULL, 5, 1.5, &o);
    near(o.residual, 1, 1e-15, "the worst condition of order 5 is [[[[.]]]], which RK4 lacks altogether");
    rk4[18] = dd(NAN);
    ok(rooted(4, rk4, 4, &o) == 0 && isnan(lbr_symplectic_residual(4, rk4, rk4 + 16)), "NaN is no coefficient");
}

/* P_s(x) / P_s'(x), and P_s'(x). */
static lbr_dd newton(int s, lbr_dd x, lbr_dd *slope)
{
    lbr_dd p = dd(1), q = dd(0);

    for (int k = 1; k <= s; k++) {
        lbr_dd next = dd_div(dd_sub(dd_scale(2 * k - 1, dd_mul(x, p)), dd_scale(k - 1, q)), dd(k));
        q = p, p = next;
    }
    *slope = dd_div(dd_scale(s, dd_sub(dd_mul(x, p), q)), dd_sub(dd_mul(x, x), dd(1)));
    return dd_div(p, *slope);
}

static void nodes(int s, lbr_dd *b, lbr_dd *c)
{
    for (int i = 0; i < s; i++) {
        lbr_dd x = dd(-cos(3.14159265358979 * (i + 0.75) / (s + 0.5))), slope;

        for (int k = 0; k < 8; k++) x = dd_sub(x, newton(s, x, &slope));
        c[i] = dd_scale(0.5, dd_add(dd(1), x));
        b[i] = dd_div(dd(1), dd_mul(dd_mul(slope, slope), dd_sub(dd(1), dd_mul(x, x))));
    }
}

/* a_ij = integral of the Lagrange polynomial l_j from 0 to c_i (HLW II.1.10), by the same quadrature, exact for it. */
static void gauss_method(int s, lbr_dd *A)
{
    lbr_dd *b = A + s * s, *c = b + s;

    nodes(s, b, c);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            lbr_dd sum = dd(0);

            for (int k = 0; k < s; k++) {
                lbr_dd x = dd_mul(c[i], c[k]), l = b[k];
                for (int m = 0; m < s; m++)
                    if (m != j) l = dd_mul(l, dd_div(dd_sub(x, c[m]), dd_sub(c[j], c[m])));
                sum = dd_add(sum, l);
            }
            A[i * s + j] = dd_mul(c[i], sum);
        }
}

static void gauss(void)
{
    static lbr_dd A[288];
    lbr_order o;

    for (int s = 1; s <= 16; s += s < 6 ? 1 : 5) {
        lbr_dd *b = A + s * s;
        gauss_method(s, A);
        lbr_assumptions_order(s, A, b, b + s, 1e-26, &o);
        ok(o.order == 2 * s && o.exact && o.residual < 1e-28, "Gauss s=%d has order %d: %s", s, 2 * s, o.detail);
        ok(lbr_symplectic_residual(s, A, b) < 1e-28 && lbr_symmetric_residual(s, A, b) < 1e-28,
           "... symplectic and symmetric");
        if (s > 6) continue;
        ok(rooted(s, A, 2 * s, &o) == 2 * s && o.exact, "... by trees: %s", o.detail);
    }
    lbr_assumptions_order(16, A, A + 256, A + 272, 1e-15, &o);
    ok(o.order == 32 && o.exact, "16 stages have no order beyond 32, whatever the tolerance");
    A[37] = dd_add(A[37], dd(MUTATION));
    lbr_assumptions_order(16, A, A + 256, A + 272, TOL, &o);
    ok(o.order < 32 && !o.exact, "one wrong entry of 256 is seen: %s", o.detail);
}

static void partitioned(void)
{
    static const struct {
        const char *name;
        int q, p, order;
    } row[] = {
        { "symplectic Euler", 0, 1, 1 },       { "its adjoint", 1, 0, 1 },
        { "Lobatto IIIA-IIIB, s=2", 3, 4, 2 }, { "Lobatto IIIA-IIIB, s=3", 9, 10, 4 },
        { "Gauss s=3 twice", 8, 8, 6 },        { "Gauss s=3 with Lobatto IIIA", 8, 9, 2 },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int s = methods[row[i].q].s;
        lbr_dd q[24], p[24];
        lbr_order o;

        table(row[i].q, q), table(row[i].p, p);
        ok(pair(s, q, p, &o) == row[i].order && o.exact, "%s has order %d: %s", row[i].name, row[i].order, o.detail);
        ok(tables_alive(s, q, p, row[i].order, 0) == 0, "... mutants are seen");
    }
}

/* A list of steps: letters of a splitting (1: kick), or adjoint flags of a composition. */
typedef struct {
    int n;
    lbr_dd c[LONG];
    unsigned char flag[LONG];
} steps;

static void add(steps *l, lbr_dd c, int flag)
{
    if (l->n && l->flag[l->n - 1] == flag) l->c[l->n - 1] = dd_add(l->c[l->n - 1], c);
    else l->c[l->n] = c, l->flag[l->n++] = (unsigned char)flag;
}

/* Every step a Verlet step, kick first. */
static void verlet(int n, const lbr_dd *c, steps *out)
{
    out->n = 0;
    for (int k = 0; k < 3 * n; k++) add(out, k % 3 == 1 ? c[k / 3] : dd_scale(0.5, c[k / 3]), k % 3 != 1);
}

/* The symmetric list of n entries that begins with `half`. */
static void mirror(const char *half, int n, lbr_dd *c)
{
    list(half, c);
    for (int k = (n + 1) / 2; k < n; k++) c[k] = c[n - 1 - k];
}

/* The triple jump (m = 3) or Suzuki's fractal (m = 5) up to an order (HLW II.4.4, II.4.5). */
static int fractal(int m, int order, lbr_dd *c)
{
    int n = 1;

    c[0] = dd(1);
    for (int p = 2; p < order; p += 2, n *= m) {
        lbr_dd g = dd_div(dd(1), dd_sub(dd(m - 1), lbr_dd_root(dd(m - 1), p + 1)));
        for (int i = m - 1; i >= 0; i--)
            for (int k = n - 1; k >= 0; k--)
                c[i * n + k] = dd_mul(i == m / 2 ? dd_sub(dd(1), dd_scale(m - 1, g)) : g, c[k]);
    }
    return n;
}

static int composed(int n, const lbr_dd *c, int max, lbr_order *o)
{
    return lbr_words_composition(n, c, NULL, 2, 1, max, TOL, o) ? -1 : o->order;
}

/* Words and trees must agree on a splitting; returns the general order, and in *quadratic that for quadratic T. */
static int agreed(const steps *l, int *quadratic)
{
    lbr_order w, t, q;

    if (lbr_words_splitting(l->n, l->c, l->flag, 2, 10, TOL, &w) ||
        lbr_trees_splitting(l->n, l->c, l->flag, 0, 10, TOL, &t) ||
        lbr_trees_splitting(l->n, l->c, l->flag, 1, 10, TOL, &q))
        return -1;
    *quadratic = q.order;
    return w.order == t.order && w.exact && t.exact && q.exact && w.residual < TOL ? w.order : -1;
}

/* Mutants of a symmetric list: one entry alone; a symmetric pair, with the middle keeping the sum. */
static int mutants_alive(int n, const lbr_dd *c, int order)
{
    static lbr_dd wrong[LONG];
    lbr_order o;
    int alive = 0;

    for (int k = 0; k < n; k++)
        for (int kind = 0; kind < (2 * k < n - 1 ? 2 : 1); kind++) {
            memcpy(wrong, c, (size_t)n * sizeof *c);
            wrong[k] = dd_add(wrong[k], dd(MUTATION));
            if (kind) wrong[n - 1 - k] = wrong[k], wrong[n / 2] = dd_sub(wrong[n / 2], dd(2 * MUTATION));
            alive += composed(n, wrong, order, &o) >= order;
        }
    return alive;
}

static const struct {
    const char *name;
    int order, n;
    const char *half;
} tables[] = {
    { "p6s7 (HLW V.3.11)", 6, 7,
      "0.7845136104775572638194976338663499 0.2355732133593581336847931829785346 -1.1776799841788710069464156809643157 "
      "1.3151863206839112188842497282388625" },
    { "p6s9 (HLW V.3.12)", 6, 9,
      "0.3921614440073141392792505574226714 0.3325991367893594385997486375000496 -0.7062461725576393598099648195492565 "
      "0.0822135962935508002314904481020563 0.7985439909348299633989503530489582" },
    { "p8s15 (HLW V.3.13)", 8, 15,
      "0.7416703643506129534482278017838063 -0.4091008258000315939973000958935634 0.1907547102962383799538762564503717 "
      "-0.5738624711160822666563877266355357 0.2990641813036559238444635406886030 0.3346249182452981837849579798821823 "
      "0.3152930923967665966320566638110024 -0.7968879393529163540197888401737331" },
    { "p8s17 (HLW V.3.14)", 8, 17,
      "0.1302024830888900808788176320967005 0.5611629817751083845619644077001506 -0.3894749626448472864080785982352484 "
      "0.1588419065551556008962107457071525 -0.3959038941332375773362315393479389 0.1845396409783157070918325415333755 "
      "0.2583743876863220472939791099949395 0.2950117236093102988709662402182281 "
      "-0.6055085338300345116989210793347186" },
    { "p10s35 (HLW V.3.15)", 10, 35,
      "0.0787957225216864192639076793383782 0.3130961034151085277648124719193751 0.0279183832350780661095202732646230 "
      "-0.2295928415939070941512133968017723 0.1309620610771648631746568592939396 "
      "-0.2697334056545107143446097322163178 "
      "0.0749733431558914356661371056387288 0.1119934239998102048895750807373869 0.3661334495462267511931481235379478 "
      "-0.3991056301360358978786298105841020 0.1030873985274710773158027699917784 0.4114308739558902378207041189776762 "
      "-0.0048663605831352617621956593074255 -0.3920333537086399064480819364305299 "
      "0.0519425029624496470371829049273376 "
      "0.0506650907599244963358743424008435 0.0496743706397298790545688003948408 "
      "0.0493177357595945379176800098345829" },
    { "Verlet", 2, 1, "1" },
};

/* One symmetric composition of a symmetric map: order, its splitting by Verlet steps, symmetry, mutants. */
static void symmetric(const char *name, int order, int n, const lbr_dd *c)
{
    static steps l;
    lbr_order o;
    int quadratic = 0;

    ok(composed(n, c, 10, &o) == order && o.exact, "%s has order %d: %s", name, order, o.detail);
    verlet(n, c, &l);
    ok(agreed(&l, &quadratic) == order && quadratic == order,
       "... its %d drifts and kicks too, by words, trees and Nystrom trees", l.n);
    ok(lbr_palindrome_residual(n, c, NULL) < 1e-30 && lbr_palindrome_residual(l.n, l.c, l.flag) < 1e-30,
       "... symmetric");
    ok(mutants_alive(n, c, order) == 0, "... mutants are seen");
}

static void compositions(void)
{
    static lbr_dd c[LONG];
    lbr_order o;

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        mirror(tables[i].half, tables[i].n, c);
        symmetric(tables[i].name, tables[i].order, tables[i].n, c);
    }
    for (int m = 3; m <= 5; m += 2)
        for (int order = 4; order <= 10; order += 2)
            symmetric(m == 3 ? "triple jump" : "Suzuki's fractal", order, fractal(m, order, c), c);
    mirror(tables[2].half, 15, c);
    c[15] = c[1], c[1] = c[13] = c[2], c[2] = c[12] = c[15];
    ok(composed(15, c, 10, &o) < 8, "p8s15 with two entries exchanged: %s", o.detail);
    near(lbr_palindrome_residual(15, c, NULL), 0, 0, "... which symmetry cannot see");
}

static int alternating(const steps *l, lbr_order *o)
{
    return lbr_words_composition(l->n, l->c, l->flag, 1, 0, 10, TOL, o) ? -1 : o->order;
}

/* Steps alternate beta (the adjoint), alpha, beta, alpha, ... (HLW V.3.1); x + y sqrt(19). */
static void with_adjoint(const char *name, const char *half, const char *irrational)
{
    static steps l, split;
    lbr_order o;
    int quadratic = 0, alive = 0, m = entries(half, irrational, 19, l.c);

    split.n = 0, l.n = 2 * m;
    for (int k = 0; k < l.n; k++) {
        l.flag[k] = k % 2 == 0;
        if (k >= m) l.c[k] = l.c[l.n - 1 - k];
        add(&split, l.c[k], l.flag[k]); /* the basic map is drift then kick, its adjoint kick then drift */
        add(&split, l.c[k], !l.flag[k]);
    }
    ok(alternating(&l, &o) == 4 && o.exact, "%s has order 4: %s", name, o.detail);
    ok(agreed(&split, &quadratic) == 4 && quadratic == 4, "... as a splitting in %d steps too", split.n);
    ok(lbr_alternation_residual(l.n, l.c, l.flag) < 1e-30, "... symmetric");
    ok(lbr_palindrome_residual(split.n, split.c, split.flag) < 1e-30, "... the splitting as well");
    for (int k = 0; k < l.n; k++) {
        lbr_dd right = l.c[k];
        l.c[k] = dd_add(right, dd(MUTATION));
        alive += alternating(&l, &o) >= 4 || lbr_alternation_residual(l.n, l.c, l.flag) < TOL;
        l.c[k] = right;
    }
    ok(alive == 0, "... mutants are seen");
    l.flag[0] = 0;
    ok(alternating(&l, &o) < 4 && isinf(lbr_alternation_residual(l.n, l.c, l.flag)), "... and a wrong flag: %s",
       o.detail);
}

static const struct {
    const char *name;
    int order, quadratic, mirrored, first;
    const char *c;
} splittings[] = {
    { "Lie-Trotter", 1, 1, 0, 0, "1 1" },
    { "Verlet", 2, 2, 3, 1, "1/2 1" },
    { "Ruth, order 3", 3, 3, 0, 0, "7/24 2/3 3/4 -2/3 -1/24 1" },
    { "Ruth, order 3, kicks and drifts exchanged", 3, 3, 0, 1, "7/24 2/3 3/4 -2/3 -1/24 1" },
    /* A zero of the 8 symmetric Nystrom conditions of order 6; there are 10 for general T. */
    { "a method for quadratic T only", 4, 6, 15, 1,
      "1/12 0.2465881872786138277570711850754743 0.3977675859548440074217908138860875 "
      "0.6047073875057809013986983841499749 -0.0393336931446257363828544842331766 "
      "-0.4009869039788007481085648931513153 "
      "0.0582327738564483956277303370137558 0.0993826583888120379055906478517323" },
};

static void read_splitting(int i, steps *l)
{
    l->n = list(splittings[i].c, l->c);
    if (splittings[i].mirrored) mirror(splittings[i].c, l->n = splittings[i].mirrored, l->c);
    for (int k = 0; k < l->n; k++) l->flag[k] = (unsigned char)((splittings[i].first + k) % 2);
}

/* A splitting is a partitioned Runge-Kutta method: the sums over earlier steps against the matrices they stand for. */
static void matrices(const steps *l, const lbr_order *sums, lbr_trees kind)
{
    static lbr_dd A[2][225], b[2][15];
    lbr_order o;

    for (int j = 0; j < l->n; j++)
        for (int k = 0; k < 2; k++) {
            b[k][j] = l->flag[j] == k ? l->c[j] : dd(0);
            for (int m = 0; m < l->n; m++) A[k][m * l->n + j] = j < m ? b[k][j] : dd(0);
        }
    lbr_trees_order(kind, l->n, A[0], b[0], A[1], b[1], 8, TOL, &o);
    ok(o.order == sums->order && !strcmp(o.detail, sums->detail), "... as a Runge-Kutta method too: %s", o.detail);
}

static void split(void)
{
    static steps l;
    lbr_order o;

    for (int i = 0; i < (int)(sizeof splittings / sizeof *splittings); i++) {
        int quadratic = 0, alive = 0;

        read_splitting(i, &l);
        ok(agreed(&l, &quadratic) == splittings[i].order, "%s has order %d", splittings[i].name, splittings[i].order);
        ok(quadratic == splittings[i].quadratic, "... and %d for quadratic T", quadratic);
        ok(isinf(lbr_palindrome_residual(l.n, l.c, l.flag)) == !splittings[i].mirrored, "... symmetric: %d",
           splittings[i].mirrored > 0);
        for (int k = 0; k < 2; k++) {
            lbr_trees_splitting(l.n, l.c, l.flag, k, 8, TOL, &o);
            matrices(&l, &o, k ? LBR_TREES_NYSTROM : LBR_TREES_SEPARABLE);
        }
        for (int k = 0; k < l.n; k++) {
            lbr_dd right = l.c[k];
            l.c[k] = dd_add(right, dd(MUTATION));
            lbr_trees_splitting(l.n, l.c, l.flag, 1, 10, TOL, &o);
            alive += o.order >= quadratic;
            l.c[k] = right;
        }
        ok(alive == 0, "... mutants are seen");
    }
    for (int k = 0; k < l.n; k++) l.flag[k] = !l.flag[k];
    lbr_trees_splitting(l.n, l.c, l.flag, 1, 10, TOL, &o);
    ok(o.order == 4, "with drifts for kicks the gain is lost: %s", o.detail);
}

/* Strang's splitting of three or four parts, and its triple jump (HLW III.5). */
static void many_parts(void)
{
    static steps l;
    lbr_dd c[3];
    lbr_order o;

    for (int parts = 2; parts <= 4; parts++)
        for (int n = 1; n <= 3; n += 2) {
            l.n = 0;
            fractal(3, n == 1 ? 2 : 4, c);
            for (int k = 0; k < n; k++)
                for (int i = 0; i < 2 * parts; i++) add(&l, dd_scale(0.5, c[k]), i < parts ? i : 2 * parts - 1 - i);
            lbr_words_splitting(l.n, l.c, l.flag, parts, 5, TOL, &o);
            ok(o.order == (n == 1 ? 2 : 4) && o.exact, "%d parts in %d steps: %s", parts, l.n, o.detail);
        }
}

/* A kernel that has order 6 only between chi^-1 and chi (HLW V.3.16). */
static void processed(void)
{
    lbr_dd kernel[9], chi[6], one = dd(1);
    lbr_order o;

    mirror("0.2460477468478734953276517897956279 0.2460477468478734953276517897956279 "
           "-0.5514099052445534333689553365156260 "
           "0.2460477468478734953276517897956279 0.6265333294018658947719999342574843",
           9, kernel);
    list("0.3220233322333765403871078883607754 -0.1354725687674722491997216317475822 "
         "-0.1865507634659042911873862566131932",
         chi);
    for (int k = 0; k < 3; k++) chi[3 + k] = dd_neg(chi[k]);
    ok(composed(9, kernel, 10, &o) == 4 && o.exact, "the kernel alone has order 4: %s", o.detail);
    lbr_words_processed(9, kernel, 6, chi, 2, 1, 10, TOL, &o);
    ok(o.order == 6 && o.exact, "processed it has order 6: %s", o.detail);
    for (int k = 0; k < 6; k++) {
        lbr_dd right = chi[k];
        chi[k] = dd_add(right, dd(MUTATION));
        lbr_words_processed(9, kernel, 6, chi, 2, 1, 10, TOL, &o);
        ok(o.order < 6, "... not with processor entry %d moved: %s", k + 1, o.detail);
        chi[k] = right;
    }
    lbr_words_processed(1, &one, 6, chi, 1, 0, 5, TOL, &o);
    near(o.failing, 1, 1e-15, "if the map is not symmetric, chi and its inverse still cancel in word 2");
}

int main(void)
{
    counts();
    runge_kutta();
    reports();
    gauss();
    partitioned();
    compositions();
    with_adjoint("McLachlan, order 4 (HLW V.3.6)", "14/108 146/540 -23/270 -2/135 1/5",
                 "-1/108 5/540 -20/270 10/135 0");
    with_adjoint("Blanes-Moan, order 4 (HLW V.3.7)",
                 "0.082984406417405609880173001359 0.162314550766866130300834098584 0.233995250731500546286482650475 "
                 "0.370877414979581103835962755696 -0.409933719901928549652795044360 0.059762097006575159349342538246",
                 "");
    split();
    many_parts();
    processed();
    return tap_done();
}
