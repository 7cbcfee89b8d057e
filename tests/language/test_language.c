/* test_language.c - the language above the grammar: files that load, names, families, sums, choices, functions, random
 * numbers, tables, use. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "support/kernel_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "syntax/gallery.h"
#include "language/random.h"

/* --- files ------------------------------------------------------------------------------------------------------- */

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[4][400];
    static int k;

    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/%.300s", folder, name);
    return path[k];
}

static const char *written(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *f = fopen(path, "w");

    if (f) fputs(text, f), fclose(f);
    return path;
}

/* The examples of the language load; those that read tables get some. */
static void examples(void)
{
    model m[100];
    int n = read_models(m, 100, ""), good = 0, gallery = 0;

    written("cluster.csv", "m, x, y, z, u, v, w\n1, 0, 0, 0, 0, 0, 0\n2, 1, 0, 0, 0, 1, 0\n0.5 0 2 0 -1 0 0.25\n");
    written("modes-mass.csv", "2 0.5\n0.5 1\n"), written("modes-stiffness.csv", "# stiffness\n1 0\n0 4\n");
    for (int k = 0; k < n; k++) {
        loaded l;
        double e;

        written(m[k].name, m[k].text);
        if (load_file(&l, in_folder(m[k].name)) &&
            (!l.s->energy || (!l.s->energy(l.m->t0, l.m->y0, &e, l.s->ctx) && isfinite(e))))
            good++;
        else printf("# %s: %s\n", m[k].name, trouble(&l));
        unload(&l);
        unlink(in_folder(m[k].name));
    }
    ok(n >= 61 && good == n, "%d models of the examples load, and their energies are numbers at their starts", n);
    free_models(m, n);
    n = read_models(m, 100, "experiments/"), good = 0;
    for (int k = 0; k < n; k++) {
        char path[1200] = LBR_TEST_DATA "/models/";
        loaded l;

        strcat(path, m[k].name);
        if (load_file(&l, path)) good++;
        else printf("# %s: %s\n", m[k].name, trouble(&l));
        unload(&l);
    }
    ok(n >= 19 && good == n, "so do the models that the %d experiments use", n);
    free_models(m, n);
    for (good = 0; lbr_gallery(gallery); gallery++) {
        loaded l;

        if (lbr_gallery(gallery)->kind[0] == 'e') {
            good++;
            continue;
        }
        if (load_file(&l, lbr_gallery(gallery)->name)) good++;
        else printf("# %s: %s\n", lbr_gallery(gallery)->name, trouble(&l));
        unload(&l);
    }
    ok(gallery > 20 && good == gallery, "all models of the gallery load by their names");
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static double one_number(const char *text, const char *name)
{
    double x = NAN;
    loaded l;

    if (!load(&l, text) || observed(&l, name, &x, 1) != 1) printf("# %s\n", trouble(&l)), x = NAN;
    unload(&l);
    return x;
}

static void names(void)
{
    static const char base[] = "canonical q[3], p[3]\nH = sq(p)/2\nstart q = [2, 3, 5], p = [7, 11, 13]\n";

    near(number(base, "sum(q = 1..3, q)"), 6, 0, "an index hides a variable");
    near(number(base, "sum(p = 1..3, q[p]*p)"), 2 + 6 + 15, 0, "and is seen in the body only");
    near(number("canonical q, p\n"
                "param delta = 0.25\n"
                "H = p^2/2",
                "delta"),
         0.25, 0, "a name of the user hides a function");
    near(number("canonical q, p\n"
                "let f(q) = 2*q\n"
                "H = p^2/2\n"
                "start q = 5",
                "f(3) + q"),
         11, 0, "an argument hides a variable, in the function only");
    near(number("canonical q, p\n"
                "let r = 2\n"
                "let f(x) = x*r\n"
                "H = p^2/2",
                "sum(r = 10..11, f(r))"),
         42, 0, "a function sees its arguments and nothing of its caller");
    near(number("canonical q, p\n"
                "let sin(x) = 3*x\n"
                "H = p^2/2",
                "sin(2)"),
         6, 0, "a function of the user hides one of the language");
    near(number("canonical q, p\n"
                "param H0 = 2, L = 3\n"
                "H = p^2/2\n"
                "start p = 4",
                "H0 + L + H"),
         2 + 3 + 8, 0, "H0 and L are names, H is the energy");
    near(number("canonical q, p\n"
                "H = p^2/2\n"
                "let f(x) = x*H\n"
                "invariant E = H\n"
                "let g = 2*E\n"
                "start p = 4",
                "f(2) + g"),
         32, 0, "functions and abbreviations of H and of invariants");
    near(number("canonical q, p\n"
                "part T = p^2/2\n"
                "part V = q^2/2\n"
                "start q = 3, p = 4",
                "10*T + 100*V + H"),
         80 + 450 + 12.5, 1e-15, "parts are quantities, H is their sum");
    near(number("canonical q, p\n"
                "param if_ = 1, title = 2, run = 3, T = 5\n"
                "H = p^2/2",
                "if_ + title + run + 2^(T)"),
         38, 0, "statement words are names elsewhere; x^(T) is a power");
    near(one_number("state L, H, t2\n"
                    "L' = H\n"
                    "H' = -L\n"
                    "t2' = 0\n"
                    "observe z = L + 10*H\n"
                    "start L = 1, H = 2\n",
                    "z"),
         21, 0, "L and H as variables of state");
    near(one_number("canonical q, p\n"
                    "H = p^2/2\n"
                    "observe z = t\n"
                    "start t = -1.5\n",
                    "z"),
         -1.5, 0, "t is the time, and can be set");
}

/* --- families and sums ------------------------------------------------------------------------------------------- */

static void families(void)
{
    static const char base[] =
        "param n = 4, w[i = 1..n] = 1/i, d[i = 1..n, j = 1..2] = 10*i + j, u[i = 1..3] = [i, i^2]\n"
        "canonical q[n], p[n]\n"
        "let e[k = 1..n] = q[k]^2, m[i = 1..2, j = 1..n] = i*q[j], c[k = 1..2] = [q[k], k]\n"
        "H = sq(p)/2\n"
        "start q[i = 1..n] = i + 1, p[i = 2..3] = 10*i\n";
    static const char big[] = "param n = 1000, w[i = 1..n] = 1/i, d[i = 1..n, j = 1..2] = 10*i + j\n"
                              "canonical q[n], p[n]\n"
                              "let e[k = 1..n] = sin(q[k]), f[k = 1..n] = 2*q[k]\n"
                              "H = sq(p)/2\n"
                              "start q[i = 1..n] = i + 1\n";
    double sum = 0;
    loaded l;

    near(number(base, "w[3] + d[2,1] + d[4][2] + u[3,2] + u[2][1]"), 1 / 3. + 21 + 42 + 9 + 2, 1e-15,
         "members of families by their index");
    near(number(base, "e[3] + m[2,4] + c[2,1] + 100*c[1,2]"), 16 + 10 + 3 + 100, 0,
         "of abbreviations too, and of vectors");
    near(number(base, "size(d, 1) + 10*size(d, 2) + 100*size(u, 2) + 1000*size(c)"), 4 + 20 + 200 + 2000, 0,
         "with the shape of the ranges, then of the right side");
    near(number(base, "sum(i = 1..n, e[i]*w[i])"), 4 + 9 / 2. + 16 / 3. + 25 / 4., 1e-14, "inside sums");
    ok(load(&l, base), "a start of a range");
    ok(l.m->y0[0] == 2 && l.m->y0[3] == 5 && l.m->y0[4] == 0, "a start of a range leaves the others");
    ok(l.m->y0[5] == 20 && l.m->y0[6] == 30 && l.m->y0[7] == 0, "in each row");
    unload(&l);
    for (int i = 1; i <= 1000; i++) sum += sin(i + 1) / i + 2 * (i + 1.) * (10 * i + 2);
    near(number(big, "sum(i = 1..n, e[i]*w[i] + f[i]*d[i,2])"), sum, 1e-12 * fabs(sum),
         "long families inside long sums");
    near(number(big, "e[1000] + w[1000] + d[1000,1]"), sin(1001) + 1e-3 + 10001, 1e-11, "and their members outside");
    near(number(big, "max(i = 1..n, w[n + 1 - i]*i) + min(i = 1..n, f[i])"), 1000 + 4, 0,
         "largest and smallest of many");
    near(one_number("state x\n"
                    "x' = -x\n"
                    "invariant I[k = 1..3] = k*x\n"
                    "observe z[k = 1..2] = I[k + 1]\n"
                    "observe s = z[1] + 10*z[2]\n"
                    "start x = 2\n",
                    "s"),
         4 + 60, 0, "families of invariants and of what is observed");
}

static void sums(void)
{
    static const char base[] = "param n = 5, zero = 0, many = 100\n"
                               "canonical q[5], p[5]\n"
                               "H = sq(p)/2\n"
                               "start q = [2, 3, 5, 7, 11]\n";
    double sum = 0;

    near(number(base, "sum(i = 1..0, q[i])"), 0, 0, "an empty sum is 0");
    near(number(base, "prod(i = 1..0, q[i])"), 1, 0, "an empty product is 1");
    near(number(base, "sum(i = 3..zero, q[i]) + sum(i = 1..n, sum(j = 7..i, q[j]))"), 0, 0,
         "so are those whose range is empty by parameters and indices");
    near(number(base, "sum(i = 1..many, sum(j = 2..1, q[1]*i*j)) + prod(i = 1..many, prod(j = i..i-1, q[1]))"), 1, 0,
         "also inside long ones");
    near(number(base, "sum(i = 1..n, j = 1..i-1, q[i]*q[j])"), (28 * 28 - (4 + 9 + 25 + 49 + 121)) / 2, 0,
         "a triangular sum");
    near(number(base, "sum(i = 1..n, j = i..n, k = j..min(n, j + 1), 1)"), 15 + 10, 0,
         "later ranges use earlier indices");
    for (int i = 1; i <= 100; i++)
        for (int j = 1; j < i; j++) sum += 2. * j / i;
    near(number(base, "sum(i = 1..many, j = 1..i-1, q[1]*j/i)"), sum, 1e-11, "a long triangular sum");
    near(number(base, "prod(i = 1..n, q[i])"), 2310, 0, "a product");
    near(number(base, "max(i = 1..n, -q[i]) + 100*min(i = 2..3, q[i])"), -2 + 300, 0,
         "largest and smallest over ranges");
    near(number(base, "sum(i = 1..3, [q[i], i])[1] + 100*sum(i = 1..3, [q[i], i])[2]"), 10 + 600, 0, "sums of vectors");
    near(number(base, "sum(i = -2..2, i*i) + sum(i = floor(n/2)..n, 1)"), 10 + 4, 0, "ranges may begin anywhere");
    near(number("param a = sum(i = 1..100, 1/i), b = prod(i = 1..20, i), c = max(i = 1..100, mod(37*i, 101))\n"
                "state x\n"
                "x' = 0\n",
                "a + b/1e18 + c"),
         5.1873775176396203 + 2.43290200817664 + 100, 1e-13, "sums of constants in parameters");
    near(number(base, "sum(i = 1..n, wrap(i + 1, n)*q[i])"), 2 * 2 + 3 * 3 + 4 * 5 + 5 * 7 + 11, 0, "rings by wrap");
}

/* --- choice ------------------------------------------------------------------------------------------------------ */

static void choices(void)
{
    double ring = 0, got = 0, q[1000];
    loaded l;

    for (int i = 0; i < 1000; i++) q[i] = sin(i + 1);
    for (int i = 0; i + 1 < 1000; i++) ring += (q[i + 1] - q[i]) * (q[i + 1] - q[i]);
    near(number("param n = 1000\n"
                "canonical q[n], p[n]\n"
                "H = sq(p)/2 + sum(i = 1..n, if(i < n, q[i+1] - q[i], 0)^2)\n"
                "start q[i = 1..n] = sin(i)\n",
                "H"),
         ring, 1e-12, "the branch that an index excludes is not range-checked: a chain of 1000");
    near(number("param n = 5\n"
                "canonical q[n], p[n]\n"
                "H = sq(p)/2 + sum(i = 1..n, if(i < n, q[i+1] - q[i], 0)^2)\n"
                "start q[i = 1..n] = i^2\n",
                "H"),
         9 + 25 + 49 + 81, 0, "nor in a short one");
    near(number("param n = 1000\n"
                "canonical q[n], p[n]\n"
                "let d[i = 1..n] = if(i = n, 0, q[i+1]) - if(i > 1, q[i-1], 0)\n"
                "H = sq(p)/2\n"
                "start q[i = 1..n] = i\n",
                "d[1] + d[n] + sum(i = 2..n-1, d[i])"),
         2 - 999 + 998 * 2, 0, "nor in families");
    near(number("param n = 3, closed = 0\n"
                "canonical q[n], p[n]\n"
                "H = sq(p)/2 + if(closed = 1, q[n+1], q[n])\n"
                "start q = [1, 2, 4]\n",
                "H"),
         4, 0, "nor where a parameter decides");
    if (load(&l, "param n = 1000\n"
                 "canonical q[n], p[n]\n"
                 "H = sq(p)/2 + sum(i = 0..n, (if(i < n, q[i+1], 0) - if(i > 0, q[i], 0))^2)/2\n"
                 "start q[i = 1..n] = sin(i)\n")) {
        double *f = calloc(1000, sizeof *f);

        l.s->force(0, l.m->y0, f, l.s->ctx);
        for (int i = 0; i < 1000; i++)
            got = fmax(got, fabs(f[i] - ((i ? q[i - 1] : 0) - 2 * q[i] + (i < 999 ? q[i + 1] : 0))));
        free(f);
    } else got = NAN, printf("# %s\n", trouble(&l));
    near(got, 0, 1e-15, "the force of such a chain, its ends included");
    unload(&l);
    near(number("state x\n"
                "x' = if(x > 1, -x, x)\n"
                "start x = 3\n",
                "if(x > 2, 10, 20)"),
         10, 0, "a condition on the state is decided when it runs");
}

/* --- functions --------------------------------------------------------------------------------------------------- */

static void functions(void)
{
    static const char base[] = "canonical q[3], p[3]\n"
                               "let V(x) = x^4/4, r(a, b) = norm(a - b), first(a) = a[1], twice(a) = 2*a, s(n) = sum(i "
                               "= 1..n, q[i]*i), W(x) = V(2*x) + V(x)\n"
                               "H = sq(p)/2 + V(q[1])\nstart q = [2, 3, 5], p = [1, 4, 6]\n";

    near(number(base, "V(3) + V(q[1])"), 81 / 4. + 4, 0, "a function of numbers");
    near(number(base, "r(q, p)"), sqrt(1 + 1 + 1), 0, "of vectors");
    near(number(base, "first(q) + first([7, 8]) + first(twice([[1, 2], [3, 4]]))[2]"), 2 + 7 + 4, 0,
         "of other shapes at each call");
    near(number(base, "s(2) + 100*s(3)"), 8 + 2300, 0, "an argument as the end of a range");
    near(number(base, "sum(k = 1..3, W(k))"), 17 * (1 + 16 + 81) / 4., 0, "functions of functions inside sums");
    near(number("param n = 100\n"
                "canonical q[n], p[n]\n"
                "let g(x, y) = (x - y)^2\n"
                "H = sq(p)/2 + sum(i = 2..n, g(q[i], q[i-1]))\n"
                "start q[i = 1..n] = i^2\n",
                "H"),
         1333299, 0, "and inside long ones");
    near(number("param c = 2\nlet f(x) = c*x\nparam d = f(4)\nstate x\nx' = 0\n", "d + f(1)"), 10, 0, "in parameters");
    near(number(base, "dot(grad(sq(q)/2 + q[1]*p[2], q), p) + norm(grad(dot(q, p), p) - q)"), 2 + 4 + (3 * 4) + (5 * 6),
         0, "gradients");
    near(number(base, "bracket(q[1], p[1]) + 10*bracket(p[1], q[1]) + bracket(q[1]^2, p[1]) + bracket(q[2], sq(p)/2)"),
         1 - 10 + 4 + 4, 0, "brackets of canonical variables");
    near(number("state y[3]\n"
                "H = sq(y)/2\n"
                "poisson {y, y} = hat(y)\n"
                "start y = [1, 2, 3]\n",
                "bracket(y[1], y[2]) + 10*bracket(y[2], y[1]) + 100*bracket(y[3], y[3])"),
         -3 + 30, 0, "and of brackets given by hand");
}

/* --- random numbers ---------------------------------------------------------------------------------------------- */

static void random_numbers(void)
{
    static const char base[] =
        "param n = 200, u[i = 1..n] = random(7, i), g[i = 1..n, k = 1..3] = normal(11, i, k), one = random(3)\n"
        "canonical q[n,3], p[n,3]\n"
        "let w[i = 1..n] = normal(5, i)\n"
        "H = sq(p)/2\n"
        "start q[i = 1..n, k = 1..3] = normal(2, i, k), p[i = 1..n] = [random(1, i), 2, w[i]]\n";
    double got[600], sum = 0, square = 0, both = 0;
    int good;
    loaded l;

    good = load(&l, base) && constants(&l, "u", got, 600) == 200;
    for (int64_t i = 1; i <= 200 && good; i++) good &= same_bits(got[i - 1], lbr_random(7, &i, 1));
    ok(good, "random in a long family has the bits of lbr_random");
    good = constants(&l, "g", got, 600) == 600;
    for (int64_t i = 1; i <= 200 && good; i++)
        for (int64_t k = 1; k <= 3; k++)
            good &= same_bits(got[3 * (i - 1) + k - 1], lbr_normal(11, (int64_t[]){ i, k }, 2));
    ok(good, "normal with two indices");
    good = constants(&l, "one", got, 1) == 1 && same_bits(got[0], lbr_random(3, NULL, 0));
    for (int64_t i = 1; i <= 200 && good; i++) {
        for (int64_t k = 1; k <= 3; k++)
            good &= same_bits(l.m->y0[3 * (i - 1) + k - 1], lbr_normal(2, (int64_t[]){ i, k }, 2));
        good &= same_bits(l.m->y0[600 + 3 * (i - 1)], lbr_random(1, &i, 1)) && l.m->y0[600 + 3 * (i - 1) + 1] == 2 &&
                same_bits(l.m->y0[600 + 3 * (i - 1) + 2], lbr_normal(5, &i, 1));
    }
    ok(good, "in starts, also through abbreviations");
    unload(&l);
    for (int64_t i = 1; i <= 200; i++)
        sum += lbr_normal(5, &i, 1), square += lbr_normal(5, &i, 1) * lbr_normal(5, &i, 1);
    for (int64_t i = 1; i <= 100; i++)
        for (int64_t j = 1; j <= i; j++) both += lbr_random(1, (int64_t[]){ i, j }, 2);
    near(number(base, "sum(i = 1..n, w[i])"), sum, 1e-12, "in sums over abbreviations");
    near(number(base, "norm(w) + 0*q[1,1]"), sqrt(square), 1e-12, "in norms of them");
    near(number(base, "(identity(200)*w)[3] - w[3] + dot(w, w)"), square, 1e-11, "in products of matrices");
    near(number(base, "sum(i = 1..100, sum(j = 1..i, random(1, i, j))*(1 + 0*q[1,1]))"), both, 1e-10,
         "in a sum inside a sum, whose range uses the outer index");
    near(number(base, "sum(i = 1..100, j = 1..i, random(1, i, j))"), both, 1e-10, "and over two ranges");
    near(number(base, "max(i = 1..n, random(7, i)) - max(i = 1..n, u[i])"), 0, 0, "largest ones");
    near(number("param s = 3\n"
                "let r(i) = random(s, i)\n"
                "state x\n"
                "x' = 0\n",
                "sum(i = 1..100, r(i)) - sum(i = 1..100, random(3, i))"),
         0, 0, "through functions");
    near(number("param s = 3\n"
                "state x\n"
                "x' = 0\n",
                "random(s, 5) - random(3, 5) + random(1, -2)"),
         lbr_random(1, (int64_t[]){ -2 }, 1), 0, "seeds and indices are expressions; indices may be negative");
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static const char reading[] = "param A = read(\"%s\"), n = size(A), m = size(A, 2)\n"
                              "state x\n"
                              "x' = 0\n"
                              "observe a = A[2,3], s = n + 10*m, z = sum(i = 1..n, j = 1..m, A[i,j])\n";

static void table(const char *name, const char *what)
{
    char text[1000];
    double a = NAN, s = NAN, z = NAN;
    loaded l;

    snprintf(text, sizeof text, reading, name);
    if (load_bytes(&l, text, strlen(text), folder))
        observed(&l, "a", &a, 1), observed(&l, "s", &s, 1), observed(&l, "z", &z, 1);
    else printf("# %s\n", trouble(&l));
    ok(a == 6.5 && s == 32 && z == 21.5, "a table: %s", what);
    unload(&l);
}

static void not_a_table(const char *name, const char *words, const char *never)
{
    char text[1000];
    loaded l;
    int good;

    snprintf(text, sizeof text, reading, name);
    load_bytes(&l, text, strlen(text), folder);
    good = l.status == LBR_EARG && reported(trouble(&l), "m.lbr", text, "1:16", words) &&
           (!never || !strstr(trouble(&l), never));
    if (!ok(good, "no table: %s (%s)", name, words)) printf("# %s\n", trouble(&l));
    unload(&l);
}

static void tables(void)
{
    char deep[200];
    loaded l;

    written("t.csv", "x, y, z\n1, 2, 3\n4, 5, 6.5\n"), written("b.txt", "# blanks\n1 2 3\n\n4 5 6.5 # end\n");
    table("t.csv", "commas, a line of words"), table("b.txt", "blanks, comments, empty lines");
    mkdir(in_folder("sub"), 0700), written("sub/t.csv", "1,2,3\n4,5,6.5\n");
    table("sub/t.csv", "the path is relative to the file that names it");
    snprintf(deep, sizeof deep, "../%s/sub/../t.csv", folder), table(deep, "with dots");
    written("ragged.csv", "1, 2\n3 secret123\n"), not_a_table("ragged.csv", "", "secret123");
    written("words.csv", "1, 2\n3, secret123\n"), not_a_table("words.csv", "2", "secret123");
    written("empty.csv", "# nothing\n"), not_a_table("empty.csv", "", NULL);
    not_a_table("missing.csv", "no", NULL), not_a_table("sub", "regular", NULL),
        not_a_table("/dev/null", "regular", NULL), not_a_table("/dev/zero", "regular", NULL);
    written("used.lbr", "param A = read(\"t.csv\")\nstate x\nx' = 0\nobserve z = A[2,3]\n");
    rename(in_folder("used.lbr"), in_folder("sub/used.lbr")), written("sub/t.csv", "0,0,0\n0,0,42\n");
    written("user.lbr", "use \"sub/used.lbr\"\n");
    ok(load_file(&l, in_folder("user.lbr")) && l.m->nobserved == 1, "a file that is used reads its own tables");
    {
        double z = 0;

        observed(&l, "z", &z, 1);
        near(z, 42, 0, "relative to itself");
    }
    unload(&l);
    refused("param A = read(\"t.csv\")\nstate x\nx' = 0\n", "1:11", "reads no files");
    refused("state x\nx' = read(\"t.csv\")[1,1]\n", "2:6", "read param");
    refused("param A = read(3)\nstate x\nx' = 0\n", "1:16", "quotes");
    ok(!load_bytes(&l,
                   "param a = read(t)\n"
                   "state x\n"
                   "x' = 0\n",
                   33, folder) &&
           reported(trouble(&l), "m.lbr", "param a = read(t)\n", "1:16", "quotes"),
       "read needs a text");
    unload(&l);
}

/* --- use --------------------------------------------------------------------------------------------------------- */

static void used(const char *text, const char *name, double want, const char *what)
{
    const char *path = written("use.lbr", text);
    double x = NAN;
    loaded l;

    if (!load_file(&l, path) || observed(&l, name, &x, 1) < 1) printf("# %s\n", trouble(&l));
    near(x, want, 1e-15 * fabs(want), what);
    unload(&l);
}

static void not_used(const char *text, const char *place, const char *words)
{
    const char *path = written("use.lbr", text);
    loaded l;

    load_file(&l, path);
    if (!ok(l.status == LBR_EARG && reported(trouble(&l), path, text, place, words), "refused at %s (%s)", place,
            words))
        printf("# %s\n", trouble(&l));
    unload(&l);
}

static void uses(void)
{
    loaded l;

    written("base.lbr",
            "title \"the base\"\n"
            "source \"here\"\n"
            "param a = 2, b = 3*a, n = 2, w[i = 1..n] = b*i\n"
            "state x[n], y\n"
            "x' = -x\n"
            "y' = -y\n"
            "observe z = b, s = sum(i = 1..n, w[i]), d = size(x)\n"
            "start x = [a, b], y = x[1]\nrun step = 0.5, time = 3\nmeasure q = last(y)\nclaim \"c\": q < 1\n");
    used("use \"base.lbr\"\nobserve v = y\n", "v", 2, "all statements of a file, and its starts");
    used("use \"base.lbr\": a = 5\n", "z", 15, "a changed parameter changes what depends on it");
    used("use \"base.lbr\": a = 5\nobserve v = y\n", "v", 5, "and the start");
    used("use \"base.lbr\": a = b + 1\n", "z", 21, "the new value is computed with the values before the change");
    used("use \"base.lbr\": a = 2*a, b = a\n", "z", 2, "all of them with the values before");
    used("use \"base.lbr\": b = 7\n", "s", 21, "a dependent one that is set is a constant");
    used("use \"base.lbr\": n = 4, x = [1, 2, 3, 4]\n", "d", 4, "sizes too");
    used("use \"base.lbr\": w = [100, 200]\n", "s", 300, "a family is given as a whole");
    used("use \"base.lbr\": x = 9\nobserve v = x[2] + y\n", "v", 18, "a new start replaces the old ones, in its place");
    used("use \"base.lbr\": y = 9\nobserve v = x[2] + y\n", "v", 15, "and only these");
    used("use \"base.lbr\": x[2] = 9\n"
         "observe v = 100*x[1] + x[2]\n",
         "v", 9, "a start of one component replaces all earlier ones of the variable");
    used("use \"base.lbr\": x[i = 1..n] = 10*i\nobserve v = x[1] + x[2]\n", "v", 30, "a start of a family");
    used("use \"base.lbr\"\nstart y = 4\nobserve v = y\n", "v", 4, "a start after use is set later");
    written("middle.lbr", "use \"base.lbr\": a = 10\nparam c = a + 1\nobserve v = c\nrun step = 0.25\n");
    used("use \"middle.lbr\"\n", "v", 11, "uses in uses");
    used("use \"middle.lbr\": a = c\n", "z", 33, "the outer change sees the inner one");
    used("title \"mine\"\n"
         "source \"me\"\n"
         "use kepler: e = 0.3\n"
         "observe v = q[1]\n",
         "v", 1 - 0.3, "a model of the gallery");
    ok(load_file(&l, written("use.lbr", "use \"middle.lbr\"\n"
                                        "run time = 1\n")) &&
           l.source.nfirst == 2 && l.source.nextra == 1 && !strcmp(l.source.title, "the base"),
       "first runs are defaults, measures and claims stay behind, a title is inherited");
    unload(&l);
    ok(load_file(&l, written("use.lbr", "title \"mine\"\n"
                                        "use \"base.lbr\"\n")) &&
           !strcmp(l.source.title, "mine") && !strcmp(l.source.origin, "here"),
       "unless it is given");
    unload(&l);
    not_used("use \"base.lbr\": aa = 5\n", "1:17", "aa a"),
        not_used("use \"base.lbr\": z = 5\n", "1:17", "parameter variable"),
        not_used("use \"base.lbr\": a = x[1]\n", "1:21", "constant"),
        not_used("use \"base.lbr\": a = [1, 2]\n"
                 "start y = a\n",
                 "2:11", "shapes");
    not_used("use \"base.lbr\": w[1] = 5\n", "1:17", "whole"),
        not_used("use \"base.lbr\": x[3] = 5\n", "1:19", "range"),
        not_used("use \"base.lbr\": x = [1, 2, 3]\n", "1:17", "components 2 3");
    not_used("use \"nothing.lbr\"\n", "1:5", "nothing.lbr"), not_used("use keppler\n", "1:5", "keppler kepler"),
        not_used("use \"base.lbr\"\n"
                 "use \"base.lbr\"\n",
                 "2:1", "once first"),
        not_used("param c = 1\n"
                 "use \"base.lbr\"\n",
                 "2:1", "first"),
        not_used("use \"base.lbr\"\n"
                 "param a = 1\n",
                 "2:7", "already base.lbr");
    written("one.lbr", "use \"two.lbr\"\n"), written("two.lbr", "use \"./one.lbr\"\n");
    ok(!load_file(&l, in_folder("one.lbr")) && strstr(trouble(&l), "cyclic"), "cycles are found"), unload(&l);
    written("one.lbr", "use \"sub/../one.lbr\"\n");
    ok(!load_file(&l, in_folder("one.lbr")) && strstr(trouble(&l), "cyclic"), "also under other names"), unload(&l);
    written("faulty.lbr", "param a = 1\n"
                          "state x\n"
                          "x' = yy\n"),
        ok(!load_file(&l, written("use.lbr", "use \"faulty.lbr\"\n")) && strstr(trouble(&l), "faulty.lbr:3:6: "),
           "an error in a file that is used is shown there"),
        unload(&l);
    refused("use \"base.lbr\"\n", "1:1", "no files");
}

/* --- changes ----------------------------------------------------------------------------------------------------- */

static void changes(void)
{
    static const char text[] = "param a = 2, b = 3*a\ncanonical q, p\nH = p^2/2\nobserve z = b\nstart q = a, q' = b\n";
    lbr_change set[2] = { { .name = "a", .shape = { 0 }, .data = (double[]){ 10 } },
                          { .name = "q", .shape = { 0 }, .data = (double[]){ -1 } } };
    lbr_source source;
    lbr_message message = { 0 };
    lbr_model *m[2] = { NULL, NULL };
    double z[2] = { 0 };

    ok(!lbr_source_text(&source, "m.lbr", text, sizeof text - 1, NULL) && !lbr_model_make(&m[0], &source, NULL, 0) &&
           !lbr_model_make(&m[1], &source, set, 2),
       "one source makes several models");
    for (int k = 0; k < 2 && m[k]; k++)
        if (lbr_model_system(m[k], &message))
            lbr_function_call(0, m[k]->y0, z + k, (void *)&lbr_model_observed(m[k], 0)->f);
    ok(m[1] && z[0] == 6 && z[1] == 30, "with parameters and starts of their own");
    ok(m[0]->y0[0] == 2 && m[0]->y0[1] == 6, "the start of the first");
    ok(m[1]->y0[0] == -1 && m[1]->y0[1] == 30, "the start of the second");
    ok(m[0]->digest != m[1]->digest, "and other digests");
    lbr_model_free(m[0]), lbr_model_free(m[1]), lbr_source_free(&source);
}

int main(void)
{
    snprintf(folder, sizeof folder, "language.XXXXXX");
    if (!mkdtemp(folder)) {
        printf("Bail out! no folder for files\n");
        return 1;
    }
    examples();
    names();
    families();
    sums();
    choices();
    functions();
    random_numbers();
    tables();
    uses();
    changes();
    {
        static const char *const files[] = {
            "cluster.csv", "modes-mass.csv", "modes-stiffness.csv", "t.csv",    "b.txt",    "sub/t.csv", "sub/used.lbr",
            "ragged.csv",  "words.csv",      "empty.csv",           "user.lbr", "base.lbr", "use.lbr",   "middle.lbr",
            "one.lbr",     "two.lbr",        "faulty.lbr",          "sub"
        };

        for (size_t k = 0; k < COUNT(files); k++) remove(in_folder(files[k]));
        rmdir(folder);
    }
    return tap_done();
}
