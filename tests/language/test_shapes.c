/* test_shapes.c - operators and functions of the language: shapes, values, orders of summation to the last bit.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/kernel_files.h"

/* Variables of every shape with numbers in them: expressions of them are worked out by the interpreter, those of
 * parameters by the reader. */
static const char prelude[] =
    "param u = 0.3, k = -7, cv[i = 1..3] = [0.2, -1.3, 2.5][i], cA = [[2, 1, 0.5], [-1, 3, 0.25], [0.125, 1, 4]], cB[i "
    "= 1..2, j = 1..3] = i/j\n"
    "state x, y, v[3], w[3], a[2], b[2], A[3,3], B[2,3], S[6,6], n\n"
    "x' = 0\ny' = 0\nv' = 0*v\nw' = 0*w\na' = 0*a\nb' = 0*b\nA' = 0*A\nB' = 0*B\nS' = 0*S\nn' = 0\n"
    "start x = 0.3, y = -1.7, v = [0.2, -1.3, 2.5], w = [1.1, 0.7, -0.4], a = [3, -4], b = [0.5, 2], n = -7,\n"
    "    A = [[2, 1, 0.5], [-1, 3, 0.25], [0.125, 1, 4]], B[i = 1..2, j = 1..3] = i/j, S[i = 1..6, j = 1..6] = 1/(i + "
    "j - 1) + 3*delta(i, j)";

static const double x = 0.3, y = -1.7, v[3] = { 0.2, -1.3, 2.5 }, w[3] = { 1.1, 0.7, -0.4 };
static const double A[3][3] = { { 2, 1, 0.5 }, { -1, 3, 0.25 }, { 0.125, 1, 4 } };

static void value(const char *expression, double want, double tolerance)
{
    double got = number(prelude, expression);

    if (!ok(fabs(got - want) <= tolerance * fmax(1, fabs(want)), "%s", expression))
        printf("# got %.17g, want %.17g\n", got, want);
}

/* A vector or matrix, by rows. */
static void values(const char *expression, int n, const double *want, double tolerance)
{
    char text[4096];
    double got[64];
    loaded l;
    int good;

    snprintf(text, sizeof text, "%s\nobserve zz = %s\n", prelude, expression);
    good = load(&l, text) && observed(&l, "zz", got, 64) == n;
    for (int i = 0; i < n && good; i++)
        if (!(fabs(got[i] - want[i]) <= tolerance * fmax(1, fabs(want[i]))))
            printf("# element %d: got %.17g, want %.17g\n", i + 1, got[i], want[i]), good = 0;
    if (!ok(good, "%s", expression)) printf("# %s\n", l.status ? trouble(&l) : "");
    unload(&l);
}

/* `observe zz = EXPRESSION` is refused: `from` characters behind its beginning. */
static void not(const char *expression, int from, const char *words)
{
    char text[4096], place[32];
    int lines = 1;

    for (const char *s = prelude; *s; s++) lines += *s == '\n';
    snprintf(text, sizeof text, "%s\nobserve zz = %s\n", prelude, expression);
    snprintf(place, sizeof place, "%d:%d", lines + 1, 14 + from);
    refused(text, place, words);
}

/* --- functions of numbers ---------------------------------------------------------------------------------------- */

static double cut(double t, double m)
{
    double r = fmod(t, m);
    return r < 0 ? r + m : r;
}

static void of_numbers(void)
{
    static const struct {
        const char *name;
        double (*f)(double);
        const char *at;
        double t;
    } one[] = {
        { "sqrt", sqrt, "x", 0.3 },    { "cbrt", cbrt, "y", -1.7 },   { "exp", exp, "y", -1.7 },
        { "log", log, "x", 0.3 },      { "sin", sin, "y", -1.7 },     { "cos", cos, "y", -1.7 },
        { "tan", tan, "x", 0.3 },      { "asin", asin, "x", 0.3 },    { "acos", acos, "x", 0.3 },
        { "atan", atan, "y", -1.7 },   { "sinh", sinh, "y", -1.7 },   { "cosh", cosh, "y", -1.7 },
        { "tanh", tanh, "y", -1.7 },   { "asinh", asinh, "y", -1.7 }, { "acosh", acosh, "(2 - y)", 3.7 },
        { "atanh", atanh, "x", 0.3 },  { "abs", fabs, "y", -1.7 },    { "erf", erf, "x", 0.3 },
        { "floor", floor, "y", -1.7 }, { "floor", floor, "n", -7 },
    };
    char text[200];

    for (size_t k = 0; k < COUNT(one); k++) {
        snprintf(text, sizeof text, "%s(%s)", one[k].name, one[k].at);
        double got = number(prelude, text);

        ok(same_bits(got, one[k].f(one[k].t)), "%s has the bits of the C library", text);
        snprintf(text, sizeof text, "%s(%s)", one[k].name, "v");
        not(text, (int)strlen(one[k].name) + 1, "numbers [3]");
        snprintf(text, sizeof text, "%s(x, x)", one[k].name);
        not(text, 0, "1 argument, not 2");
    }
    value("atan2(y, x)", atan2(y, x), 0), value("hypot(x, y)", hypot(x, y), 0);
    value("sign(x) + 10*sign(y) + 100*sign(x - x)", 1 - 10, 0);
    value("mod(n, 3)", 2, 0), value("mod(-n, 3)", 1, 0), value("mod(-6, 3) + 0*x", 0, 0),
        value("mod(y, 0.5)", cut(y, 0.5), 1e-15), value("mod(k, 4)", 1, 0);
    value("min(x, y)", y, 0), value("max(x, y)", x, 0), value("min(3, x, 2, y, 7)", y, 0),
        value("max(3, x, 2, y, 7)", 7, 0), value("min(1, 2)", 1, 0);
    value("delta(1, 1) + 10*delta(1, 2) + 100*delta(x, x) + 1000*delta(x, y)", 101, 0);
    value("wrap(0, 5) + 10*wrap(6, 5) + 100*wrap(5, 5) + 1000*wrap(-7, 5) + 10000*wrap(n, 5)",
          5 + 10 + 500 + 3000 + 30000, 0);
    value("pi", acos(-1), 0), value("if(x < y, 1, if(x = 0.3, 2, 3))", 2, 0),
        value("if(0 < x < 1 and not x > 0.5 or x = 7, v, w)[2]", v[1], 0);
    value("if(0 < x < 0.2, 1, 0)", 0, 0), value("if(1 < 2 > 3, 1, 0)", 0, 0), value("if(x != 0.3, 1, 2)", 2, 0),
        value("if(x <= 0.3 and x >= 0.3, 1, 2)", 1, 0);
    not("min(x)", 0, "at least 2"), not("mod(x)", 0, "2 arguments"), not("atan2(x, v)", 9, "numbers [3]"),
        not("delta(1, v)", 9, "numbers"), not("if(x, 1, 2)", 3, "condition");
    not("if(x < 1, 1, v)", 13, "equal shapes number [3]"), not("if(v < 1, 1, 2)", 3, "number"),
        not("x < 1", 2, "condition is not a value"), not("(x < 1) + 1", 0, "condition");
    not("if(x < 1, 1 < 2, 1)", 10, "condition is not a value"), not("sin(x", 3, "never closed"),
        not("sinn(x)", 0, "sin"), not("sin", 0, "function sin(...)");
    not("x/0", 1, "division zero"), not("1/(2 - 2)", 1, "division zero"), not("v/0", 1, "division zero"),
        not("sqrt(-1)", 0, "sqrt -1 real"), not("log(0)", 0, "large"), not("log(-u)", 0, "real");
    not("mod(x, 0)", 0, "division zero"), not("0^-1", 1, "zero negative power"), not("(-2)^0.5", 4, "power real"),
        not("exp(1000)", 0, "too large"), not("acos(2)", 0, "real");
    not("1e300*1e300", 5, "too large"), not("wrap(1, 0)", 0, "division zero"), not("10^400", 2, "too large");
}

/* --- functions of arrays ----------------------------------------------------------------------------------------- */

static double minor_det(int n, double M[6][6])
{
    double sum = 0, N[6][6];

    if (n == 1) return M[0][0];
    for (int c = 0; c < n; c++) {
        for (int i = 1; i < n; i++)
            for (int j = 0, k = 0; j < n; j++)
                if (j != c) N[i - 1][k++] = M[i][j];
        sum += (c % 2 ? -1 : 1) * M[0][c] * minor_det(n - 1, N);
    }
    return sum;
}

static void quaternions(void)
{
    double e[4] = { 0.5, -0.3, 0.8, 0.1 }, n = 0, Q[9];

    for (int i = 0; i < 4; i++) n += e[i] * e[i];
    for (int i = 0; i < 4; i++) e[i] /= sqrt(n);
    Q[0] = 1 - 2 * (e[2] * e[2] + e[3] * e[3]), Q[1] = 2 * (e[1] * e[2] - e[0] * e[3]),
    Q[2] = 2 * (e[1] * e[3] + e[0] * e[2]);
    Q[3] = 2 * (e[1] * e[2] + e[0] * e[3]), Q[4] = 1 - 2 * (e[1] * e[1] + e[3] * e[3]),
    Q[5] = 2 * (e[2] * e[3] - e[0] * e[1]);
    Q[6] = 2 * (e[1] * e[3] - e[0] * e[2]), Q[7] = 2 * (e[2] * e[3] + e[0] * e[1]),
    Q[8] = 1 - 2 * (e[1] * e[1] + e[2] * e[2]);
    values("quaternion(0.5, -0.3, 0.8, 0.1)", 9, Q, 1e-15), values("quaternion(0.5, x - 0.6, 0.8, 0.1)", 9, Q, 1e-15);
    value("det(quaternion(x, y, 0.2, 0.7))", 1, 1e-14);
    not("quaternion(1, 2, 3)", 0, "4 arguments"), not("quaternion(0, 0, 0, 0)", 0, "division zero"),
        not("quaternion(v, 0, 0, 0)", 11, "numbers");
}

static void of_arrays(void)
{
    double vw = v[0] * w[0] + v[1] * w[1] + v[2] * w[2], vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], S[6][6], sum = 0;
    double c3[3] = { v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0] };
    char text[64];

    value("dot(v, w)", vw, 1e-15), value("sq(v)", vv, 1e-15), value("norm(v)", sqrt(vv), 1e-15),
        value("sq(y)", y * y, 0), value("norm(y)", 1.7, 0), value("dot(x, y)", x * y, 0);
    value("dot(cv, v)", vv, 1e-15), value("sq(cv)", vv, 1e-15),
        value("norm(A)", sqrt(4 + 1 + 0.25 + 1 + 9 + 0.0625 + 0.015625 + 1 + 16), 1e-15),
        value("dot(A, cA)", 4 + 1 + 0.25 + 1 + 9 + 0.0625 + 0.015625 + 1 + 16, 1e-15);
    value("cross(a, b)", 3 * 2 + 4 * 0.5, 0), values("cross(v, w)", 3, c3, 1e-15), values("hat(v)*w", 3, c3, 1e-15),
        values("hat(cv)*w", 3, c3, 1e-15);
    values("hat(v)", 9, (double[]){ 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0 }, 0);
    value("size(v) + 10*size(B) + 100*size(B, 2) + 1000*size(B, 1) + 10000*size(a)", 3 + 20 + 300 + 2000 + 20000, 0);
    values("identity(2)", 4, (double[]){ 1, 0, 0, 1 }, 0), values("diag(a)", 4, (double[]){ 3, 0, 0, -4 }, 0),
        value("trace(A)", 9, 0), value("trace(S)", 18 + 1 + 1 / 3. + 1 / 5. + 1 / 7. + 1 / 9. + 1 / 11., 1e-15);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) S[i][j] = 1. / (i + j + 1) + 3 * (i == j);
    for (int n = 1; n <= 6; n++) {
        snprintf(text, sizeof text, "det(q%d)", n);
        {
            char all[4096];
            double got = NAN;
            loaded l;

            snprintf(all, sizeof all,
                     "%s\n"
                     "let q%d[i = 1..%d, j = 1..%d] = S[i,j]\n"
                     "param c%d[i = 1..%d, j = 1..%d] = 1/(i + j - 1) + 3*delta(i, j), dc = det(c%d)\n"
                     "observe zz = %s, yy = dc\n",
                     prelude, n, n, n, n, n, n, n, text);
            if (load(&l, all)) observed(&l, "zz", &got, 1), observed(&l, "yy", &sum, 1);
            ok(fabs(got - minor_det(n, S)) <= 1e-13 * fabs(got) && fabs(sum - got) <= 1e-13 * fabs(got),
               "det of %d x %d", n, n);
            unload(&l);
        }
    }
    values("eigenvalues([[2, 1], [1, 2]])", 2, (double[]){ 1, 3 }, 1e-15),
        value("eigenvalues(S)[1] + eigenvalues(S)[2] + eigenvalues(S)[3] + eigenvalues(S)[4] + eigenvalues(S)[5] + "
              "eigenvalues(S)[6] - trace(S)",
              0, 1e-14);
    quaternions();
    not("dot(v, a)", 7, "dot [3] [2] equal"), not("dot(v, A)", 7, "equal"), not("dot(v, 1)", 7, "equal"),
        not("cross(v, a)", 9, "vector 3 [2]"), not("cross(x, y)", 6, "vector 3"), not("cross(A, A)", 6, "vector");
    not("hat(a)", 4, "vector 3 [2]"), not("size(x)", 5, "no size"), not("size(v, 2)", 8, "range 1..1"),
        not("size(v, 0)", 8, "range"), not("size(v, 1.5)", 8, "integer"), not("identity(0)", 9, "range"),
        not("identity(x)", 9, "constant"), not("identity(1.5)", 9, "integer");
    not("diag(A)", 5, "vector"), not("diag(x)", 5, "vector"), not("trace(B)", 6, "square [2,3]"),
        not("det(B)", 4, "square [2,3]"), not("det(v)", 4, "square"), not("trace(x)", 6, "square"),
        not("eigenvalues(B)", 12, "square");
}

/* --- operators --------------------------------------------------------------------------------------------------- */

static void operators(void)
{
    double Av[3], vA[3], AA[9], AT[9], vw[9], sum[3], inverse[3];

    for (int i = 0; i < 3; i++) {
        Av[i] = vA[i] = 0, sum[i] = v[i] + w[i];
        for (int j = 0; j < 3; j++) {
            Av[i] += A[i][j] * v[j], vA[i] += v[j] * A[j][i], AT[3 * i + j] = A[j][i], vw[3 * i + j] = v[i] * w[j],
                                                                         AA[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) AA[3 * i + j] += A[i][k] * A[k][j];
        }
    }
    values("v + w", 3, sum, 0), values("A*v", 3, Av, 1e-15), values("cA*v", 3, Av, 1e-15),
        values("(v^T*A)^T", 3, vA, 1e-15), values("A*A", 9, AA, 1e-15), values("A^2", 9, AA, 1e-15),
        values("A^T", 9, AT, 0);
    values("v*w^T", 9, vw, 0), value("v^T*w", v[0] * w[0] + v[1] * w[1] + v[2] * w[2], 1e-15),
        values("(v^T + 2*w^T - w^T/0.5)^T", 3, v, 1e-15), values("v^T^T", 3, v, 0), values("A^T^T", 9, &A[0][0], 0);
    values("B*v", 2, (double[]){ v[0] + v[1] / 2 + v[2] / 3, 2 * v[0] + v[1] + v[2] * 2 / 3 }, 1e-15),
        values("B^T*a", 3, (double[]){ -5, -2.5, -5 / 3. }, 1e-15);
    values("(a^T*B)^T", 3, (double[]){ -5, -2.5, -5 / 3. }, 1e-15), values("2*v", 3, (double[]){ 0.4, -2.6, 5 }, 0),
        values("v*2", 3, (double[]){ 0.4, -2.6, 5 }, 0), values("v/2", 3, (double[]){ 0.1, -0.65, 1.25 }, 0),
        values("-v", 3, (double[]){ -0.2, 1.3, -2.5 }, 0);
    values("A^0", 9, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, 0), values("A^-1*(A*v)", 3, v, 1e-15),
        values("A*(A^-1*v)", 3, v, 1e-15), values("(A^-1*A)*v", 3, v, 1e-14), values("A^-2*(A*(A*v))", 3, v, 1e-14);
    values("((v^T*A)*A^-1)^T", 3, v, 1e-15), values("(A*A^-1)", 9, (double[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, 1e-15),
        values("cA^-1*(A*v)", 3, v, 1e-15), values("A^3 - A*A*A", 9, (double[9]){ 0 }, 1e-13);
    inverse[0] = number(prelude, "(A^-1)[1,1]"), inverse[1] = number(prelude, "(A^-1*A)[1,1]");
    ok(fabs(inverse[0] - (3 * 4 - 0.25) / (2 * (12 - 0.25) + 1 * (4 - 0.5) + 0.125 * (0.25 - 1.5))) < 1e-15 &&
           fabs(inverse[1] - 1) < 1e-15,
       "an inverse by its elements");
    values("[v, w][2]", 3, w, 0), values("[[1, 2], [3, 4]]", 4, (double[]){ 1, 2, 3, 4 }, 0),
        values("[a, b]", 4, (double[]){ 3, -4, 0.5, 2 }, 0), value("[a, b][2,1]", 0.5, 0),
        value("[0.1, 0.2][2]", 0.2, 0), value("(A^T*A)[1,2]", 2 - 3 + 0.125, 1e-15);
    value("(v + w)[2]", v[1] + w[1], 0), values("A[2]", 3, A[1], 0), value("A[2][3]", 0.25, 0),
        value("A[2,3]", 0.25, 0), value("-x^2", -(x * x), 0), value("2^-1", 0.5, 0), value("2^3^2", 512, 0),
        value("-2^2", -4, 0), value("x^-2", 1 / (x * x), 0);
    value("2^x", pow(2, x), 0), value("x^y", pow(x, y), 0), value("x^0.5", sqrt(x), 0),
        value("x^17", pow(x, 17), 1e-15), value("y^3", y * y * y, 0), value("x^0", 1, 0), value("6/2*3", 9, 0),
        value("1 - 2 - 3", -4, 0);
    not("v*w", 1, "two vectors dot cross a^T*b a*b^T"), not("v^T*w^T", 3, "dot cross ^T"), not("v*w*v", 1, "dot"),
        not("v*A", 1, "shapes [3] [3,3]"), not("A*a", 1, "shapes"), not("A*B", 1, "shapes [3,3] [2,3]"),
        not("A*v^T", 1, "shapes"), not("v^T*B", 3, "shapes");
    not("v + a", 2, "[3] [2] added"), not("v + 1", 2, "[3] number added"), not("1 - v", 2, "subtracted"),
        not("A + v", 2, "added"), not("v + w^T", 2, "row"), not("x + y + v", 6, "added"), not("1/v", 1, "division [3]"),
        not("v/w", 1, "division"), not("v/A", 1, "M^-1*x"), not("A/A", 1, "division");
    not("v^2", 1, "power [3] sq(v)"), not("B^2", 1, "square"), not("A^x", 1, "constant integer"),
        not("A^0.5", 1, "constant integer"), not("2^v", 1, "exponent [3]"), not("x^T", 1, "^T number"),
        not("A^65", 1, "at most 64");
    not("[1, v]", 4, "equal shapes"), not("[v, a]", 4, "equal shapes [2] [3]"), not("[v^T, w^T]", 1, "row"),
        not("v[4]", 2, "4 range 1..3"), not("v[0]", 2, "0 range 1..3"), not("v[1.5]", 2, "integer"),
        not("v[x]", 2, "index variables"), not("v[1,2]", 2, "too many [3]"), not("x[1]", 2, "no components");
    not("A[1,4]", 4, "4 range 1..3"), not("(v^T)[1]", 6, "row"), not("v^T", 0, "row"), not("sin(v^T*A)", 4, "row sin"),
        not("A[1][2][3]", 8, "no components"), not("[1, 2", 0, "never closed"), not("v[i]", 2, "name i");
    not("prod(i = 1..2, A)", 15, "prod numbers [3,3]"), not("max(i = 1..2, v)", 14, "max numbers [3]"),
        not("min(i = 1..20, v)", 15, "min numbers"), not("sum(i = 1..2, if(i < 2, v, a))", 14, "equal shapes");
    not("\"a\"", 0, "text"), not("x.q", 1, "run"), not("t2", 0, "t2");
}

/* Rows are added, scaled and transposed back, nothing else. */
static void rows(void)
{
    not("norm(v^T) + 0", 5, "row"), not("sq(v^T)", 3, "row"), not("dot(v^T, w^T)", 4, "row"),
        not("size(v^T)", 5, "row"), not("sum(i = 1..2, v^T)", 0, "row"), not("if(x < 1, v^T, w^T)", 0, "row");
    not("hat(v^T)", 4, "row"), not("cross(v^T, w^T)", 6, "row"), not("diag(v^T)", 5, "row"),
        not("v^T/A", 3, "division"), not("v^T^2", 3, "power"), not("v^T*2 + v", 6, "row");
}

/* --- orders ------------------------------------------------------------------------------------------------------ */

/* n numbers whose sum depends on the order in the last bits. */
static double term(int i) { return sin(i * i + 0.5); }
static double other(int i) { return cos(i * 3 + 0.25); }

/* The order of the language: from the left up to 8; 8 partial sums beyond. With b: products, fused. */
static double ordered(int n, const double *p, const double *q)
{
    double s[8] = { 0 };
    int lanes = n <= 8 ? 1 : 8;

    for (int k = 0; k < n; k++) {
        double first = q ? p[k] * q[k] : p[k];

        s[k % lanes] = k < lanes ? first : q ? fma(p[k], q[k], s[k % lanes]) : s[k % lanes] + p[k];
    }
    return lanes == 1 ? s[0] : ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double from_the_left(int n, const double *p, const double *q)
{
    double s = q ? p[0] * q[0] : p[0];

    for (int k = 1; k < n; k++) s = q ? fma(p[k], q[k], s) : s + p[k];
    return s;
}

static void summed(int n)
{
    double p[400], q[400], got[6] = { 0 }, plain, product, square;
    char text[1000];
    loaded l;
    int good = 1;

    for (int k = 0; k < n; k++) p[k] = term(k + 1), q[k] = other(k + 1);
    snprintf(text, sizeof text,
             "param n = %d\nstate p[n], q[n]\np' = 0*p\nq' = 0*q\n"
             "observe a = sum(i = 1..n, p[i]), b = sum(i = 1..n, p[i]*q[i]), c = dot(p, q), d = sq(p), e = norm(p), f "
             "= (identity(1) + 0*identity(1))[1,1]*sum(j = 0..n-1, p[j+1])\n",
             n);
    if (!load(&l, text)) good = 0, printf("# %s\n", trouble(&l));
    else {
        double *at = calloc((size_t)(2 * n), sizeof *at);
        static const char *const name[] = { "a", "b", "c", "d", "e", "f" };

        memcpy(at, p, (size_t)n * sizeof *p), memcpy(at + n, q, (size_t)n * sizeof *q);
        for (int k = 0; k < 6; k++) observed_at(&l, name[k], at, got + k, 1);
        free(at);
    }
    unload(&l);
    plain = ordered(n, p, NULL), product = ordered(n, p, q), square = ordered(n, p, p);
    good = good && same_bits(got[0], plain) && same_bits(got[5], plain);
    good = good && same_bits(got[1], product) && same_bits(got[2], product) && same_bits(got[3], square) &&
           same_bits(got[4], sqrt(square));
    if (!ok(good, "sums of %d terms have the bits of the language's order", n))
        printf("# %.17g %.17g, products %.17g %.17g %.17g\n", got[0], plain, got[1], got[2], product);
    if (n == 64 || n == 333)
        ok(!same_bits(plain, from_the_left(n, p, NULL)) || !same_bits(product, from_the_left(n, p, q)),
           "which is another one than from the left, for %d terms", n);
}

/* Powers are products, binary from the left. */
static double power(double t, int n)
{
    double r = t;
    int bit = 16;

    while (!(n & bit)) bit >>= 1;
    while (bit >>= 1) {
        r = r * r;
        if (n & bit) r = r * t;
    }
    return r;
}

static void powers(void)
{
    char text[64];
    int good = 1, other_order = 0;

    for (int n = 1; n <= 16; n++) {
        double up, down, one = 1;

        snprintf(text, sizeof text, "(x + 0.4)^%d", n), up = number(prelude, text);
        snprintf(text, sizeof text, "(x + 0.4)^-%d", n), down = number(prelude, text);
        for (int k = 0; k < n; k++) one *= x + 0.4;
        good &= same_bits(up, power(x + 0.4, n)) && same_bits(down, 1 / power(x + 0.4, n));
        other_order |= !same_bits(one, power(x + 0.4, n));
    }
    ok(good, "integer powers up to 16 are products, binary from the left; negative ones their reciprocals");
    ok(other_order, "which is another order than one factor after the other");
    ok(same_bits(number(prelude, "(y + 3)^17"), pow(y + 3, 17)), "beyond 16 it is pow");
}

/* Nested sums: the inner ones in their own order, the outer from the left where the inner are long. */
static void nested(void)
{
    double inner[3], p[60], got = NAN, want;
    loaded l;

    for (int k = 0; k < 60; k++) p[k] = term(k + 1);
    for (int i = 0; i < 3; i++) inner[i] = ordered(20, p + 20 * i, NULL);
    want = (inner[0] + inner[1]) + inner[2];
    if (load(&l, "state p[3,20]\n"
                 "p' = 0*p\n"
                 "observe z = sum(i = 1..3, j = 1..20, p[i,j])\n"))
        observed_at(&l, "z", p, &got, 1);
    ok(same_bits(got, want), "the inner sum of two is summed by itself");
    unload(&l);
    for (int n = 5; n <= 20; n += 3) {
        char text[400];
        double both[80], inside = NAN, outside = NAN;

        for (int k = 0; k < 40; k++) both[k] = term(k + 1), both[40 + k] = other(k + 1);
        snprintf(
            text, sizeof text,
            "state p[40], q[40]\n"
            "p' = 0*p\n"
            "q' = 0*q\n"
            "observe a = sum(j = 1..20, if(j = 1, sum(i = j..j+%d, p[i]*q[i]), 0)), b = sum(i = 1..%d, p[i]*q[i])\n",
            n - 1, n);
        if (load(&l, text)) observed_at(&l, "a", both, &inside, 1), observed_at(&l, "b", both, &outside, 1);
        ok(same_bits(inside, outside), "a sum of %d products has the same bits inside a long one", n);
        unload(&l);
    }
}

int main(void)
{
    static const int lengths[] = { 1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 63, 64, 65, 66, 100, 333 };

    of_numbers();
    of_arrays();
    operators();
    rows();
    for (size_t k = 0; k < COUNT(lengths); k++) summed(lengths[k]);
    powers();
    nested();
    return tap_done();
}
