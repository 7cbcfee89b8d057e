/* test_language_errors.c - what the language refuses: where, and with which words.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/kernel_files.h"

/* --- the faulty examples ----------------------------------------------------------------------------------------- */

/* Each names in its first line where it is refused and what must be said. */
static void faulty_files(void)
{
    model m[50];
    int n = read_models(m, 50, "bad/");

    for (int k = 0; k < n; k++) {
        char place[32] = "", words[200] = "", path[1200] = LBR_TEST_DATA "/models/";
        loaded l;

        strcat(path, m[k].name);
        sscanf(m[k].text, "# expect: %31s %199[^\n]", place, words);
        load_file(&l, path);
        if (!ok(l.status == LBR_EARG && reported(trouble(&l), path, m[k].text, place, words), "%s is refused at %s: %s",
                m[k].name, place, words))
            printf("# %s\n", trouble(&l));
        unload(&l);
    }
    ok(n >= 12, "%d faulty examples", n);
    free_models(m, n);
}

/* --- one text, one place ----------------------------------------------------------------------------------------- */

typedef struct {
    const char *text, *place, *words;
} mistake;

/* Behind `before`, in which the first line of the text is line `line`. */
static void all_refused(const char *before, const mistake *m, size_t n)
{
    char text[4096], place[32];
    int lines = 0, line, column;

    for (const char *s = before; *s; s++) lines += *s == '\n';
    for (size_t k = 0; k < n; k++) {
        sscanf(m[k].place, "%d:%d", &line, &column);
        snprintf(text, sizeof text, "%s%s\n", before, m[k].text),
            snprintf(place, sizeof place, "%d:%d", line + lines, column);
        refused(text, place, m[k].words);
    }
}
#define REFUSED(before, list) all_refused(before, list, COUNT(list))

static void names(void)
{
    static const mistake reserved[] = {
        { "param pi = 1", "1:7", "pi word" },
        { "param t = 1", "1:7", "t word" },
        { "param h = 1", "1:7", "h" },
        { "let exact = 1", "1:5", "exact" },
        { "let error = 1", "1:5", "error" },
        { "state yes", "1:7", "yes" },
        { "canonical no, q", "1:11", "no" },
        { "param and = 1", "1:7", "and" },
        { "let or(x) = x", "1:5", "or" },
        { "param not = 1", "1:7", "not" },
        { "param against = 1", "1:7", "against" },
        { "param step = 1", "1:7", "step" },
        { "param steps = 1", "1:7", "steps" },
        { "param time = 1", "1:7", "time" },
        { "param every = 1", "1:7", "every" },
        { "param record = 1", "1:7", "record" },
        { "param control = 1", "1:7", "control" },
        { "param method = 1", "1:7", "method" },
        { "param compensated = 1", "1:7", "compensated" },
        { "param project_start = 1", "1:7", "project_start" },
        { "param land = 1", "1:7", "land" },
        { "param from = 1", "1:7", "from" },
        { "param until = 1", "1:7", "until" },
        { "param evaluations = 1", "1:7", "evaluations" },
        { "param iterations = 1", "1:7", "iterations" },
        { "param seconds = 1", "1:7", "seconds" },
        { "param energy_error = 1", "1:7", "energy_error" },
        { "param failed = 1", "1:7", "failed" },
        { "let f(t) = t", "1:7", "t word" },
        { "let f(a, pi) = a", "1:10", "pi" },
        { "let a = sum(h = 1..3, 2)", "1:13", "h word" },
        { "param a[t = 1..3] = 2", "1:9", "t" },
        { "let a = sum(i = 1..2, max(step = 1..3, i))", "1:27", "step" },
    };
    static const mistake twice[] = {
        { "param a = 1, a = 2", "1:14", "a already line 1" },
        { "param a = 1\n"
          "let a = 2",
          "2:5", "a already line 1" },
        { "state x\n"
          "param x = 2\n"
          "x' = 0",
          "2:7", "x already line 1" },
        { "let f(x) = x\n"
          "let f = 2",
          "2:5", "f already" },
        { "state x\n"
          "x' = 0\n"
          "invariant a = x\n"
          "let a = 2",
          "4:5", "a already line 3" },
        { "state x\n"
          "x' = 0\n"
          "let a = x\n"
          "observe a = 2",
          "4:9", "a already line 3" },
        { "state x, y, x", "1:13", "x already" },
        { "canonical x, y, px, py\nH = px^2", "1:17", "px position momentum canonical x, px" },
        { "canonical x, y, z, px, py, pz\nH = px^2", "1:24", "py position momentum canonical y, py" },
        { "canonical x, y\ncanonical px, py\nH = px^2", "2:11", "px position momentum" },
        { "canonical q, p\nH = p^2 + pow(q, 2)", "2:11", "no function pow a^b" },
        { "canonical q, p\nH = p^2 + ln(q)", "2:11", "no function ln log" },
        { "canonical q, q", "1:14", "q already" },
        { "canonical q, p\n"
          "part a = p^2\n"
          "param a = 2",
          "3:7", "a already line 2" },
        { "canonical q, p\n"
          "H = p^2\n"
          "param H = 2",
          "3:7", "H already line 2" },
        { "canonical q, p\n"
          "H = p^2\n"
          "constraint c = q\n"
          "invariant c = q",
          "4:11", "c already line 3" },
        { "canonical q, p\n"
          "H = p^2\n"
          "section s: q = 0\n"
          "section s: p = 0",
          "4:1", "section s already" },
        { "canonical q, p\n"
          "H = p^2\n"
          "method m = stormer-verlet\n"
          "method m = stormer-verlet",
          "4:1", "method m already" },
        { "let f(x, x) = x", "1:10", "x argument already" },
        { "canonical q, p\npart a = p^2\npart a = q^2", "3:6", "a already line 2" },
    };
    static const mistake early[] = {
        { "param a = b, b = 2", "1:11", "b" },
        { "param a = b\n"
          "param b = 2",
          "1:11", "b" },
        { "let a = b, b = 2", "1:9", "b before line 1" },
        { "let a = b\n"
          "let b = 2",
          "1:9", "b before line 2" },
        { "let a = a", "1:9", "recursion a" },
        { "state x[n]\n"
          "param n = 3\n"
          "x' = 0*x",
          "1:9", "n" },
        { "canonical q, p\n"
          "H = p^2/2 + V(q)\n"
          "let V(x) = x^2",
          "2:13", "V before line 3" },
        { "state x\n"
          "x' = y\n"
          "state y\n"
          "y' = x",
          "2:6", "y before line 3" },
        { "canonical q, p\n"
          "H = p^2/2 + E\n"
          "invariant E = 2",
          "2:13", "E before line 3" },
        { "canonical q, p\n"
          "let a = H\n"
          "H = p^2",
          "2:9", "H before line 3" },
        { "canonical q, p\n"
          "H = p^2 + 0*H",
          "2:13", "H" },
        { "state x\n"
          "x' = 0\n"
          "observe a = b, b = 2",
          "3:13", "b before line 3" },
        { "let f(x) = g(x), g(x) = 2*x", "1:12", "g" },
    };
    static const mistake unknown[] = {
        { "let a = velosity + 1\n"
          "let velocity = 2",
          "1:9", "velosity" },
        { "param mass = 1\n"
          "let a = mas",
          "2:9", "mas mass" },
        { "let a = q1", "1:9", "q1" },
        { "let a = nrom([1, 2])", "1:9", "nrom norm" },
        { "let a = f(2)", "1:9", "f" },
        { "let f(x) = x + y", "1:16", "y" },
        { "let f(x) = g(x)", "1:12", "g" },
        { "let a = sum(i = 1..3, j)", "1:23", "j" },
        { "start z = 1", "1:7", "z" },
        { "reverse z = 1", "1:9", "z" },
        { "z' = 1", "1:1", "z" },
        { "partition z", "1:11", "z" },
        { "let a = x(2)", "1:9", "x not function" },
    };

    REFUSED("", reserved), REFUSED("", twice), REFUSED("", early);
    REFUSED("state x\nx' = -x\n", unknown);
}

static void shapes_and_ranges(void)
{
    static const mistake families[] = {
        { "param a[i = 2..3] = i", "1:13", "begin 1" },
        { "param a[i = 1..x] = i", "1:16", "x value" },
        { "param a[i = 1..1.5] = i", "1:16", "integer 1.5" },
        { "param a[i = 1..3, j = 1..i] = i", "1:26", "i" },
        { "param a[3] = 2", "1:9", "range" },
        { "let a[i = 1..0] = 2", "1:5", "no elements" },
        { "let a[i = 1..2] = b[i]\n"
          "let b[i = 1..2] = i",
          "1:19", "b before" },
        { "let a[i = 1..3] = x[i + 1]", "1:21", "outside range 1..3" },
        { "let a[i = 1..9] = x[mod(i, 4)]", "1:21", "0 range 1..3" },
        { "let a[i = 1..200] = x[mod(i, 4)]", "1:23", "0 range 1..3" },
        { "let a[i = 1..3] = if(i < 3, 1, [1, 2])", "1:5", "members shapes" },
        { "let a[i = 1..3] = i\n"
          "let b = a[4]",
          "2:11", "4 range 1..3" },
        { "let a[i = 1..3] = i\n"
          "let b = a[0]",
          "2:11", "0 range 1..3" },
        { "let a[i = 1..3] = i\n"
          "let b = a[1,2]",
          "2:11", "too many" },
        { "let a[i = 1..60] = 1/(i - 50)", "1:21", "zero" },
        { "let a[i = 1..100] = 1/(i - 50)", "1:21", "numbers" },
        { "param a[i = 1..100] = 1/(i - 50)", "1:23", "" },
        { "param a = [1, 2][3]", "1:18", "3 range 1..2" },
        { "param b = 2, a = [1, 2][b + 1]", "1:25", "3 range 1..2" },
        { "invariant a[i = 2..3] = x[i]", "1:17", "begin 1" },
        { "observe a[i = 0..3] = x[1]", "1:15", "begin 1" },
    };
    static const mistake sums[] = {
        { "let a = max(i = 1..0, x[i])", "1:13", "max empty" },
        { "let a = min(i = 3..2, x[i])", "1:13", "min empty" },
        { "let a = sum(i = 1..x[1], i)", "1:20", "parameters" },
        { "let a = sum(i = 1..2.5, i)", "1:20", "integer 2.5" },
        { "let a = sum(i = 0.5..2, i)", "1:17", "integer" },
        { "let a = sum(i = 1..4, x[i])", "1:25", "4 range 1..3" },
        { "let a = sum(i = 1..400, x[i])", "1:27", "range 1..3" },
        { "let a = sum(i = 1..3, x[i]) + i", "1:31", "i" },
        { "let a = sum(x[1])", "1:9", "range" },
        { "let a = sum(i = 1..j, j = 1..2, 1)", "1:20", "j" },
        { "let a = sin(i = 1..2)", "1:13", "range" },
        { "let a = sum(i = 1..[1, 2], 1)", "1:20", "number" },
        { "let a = sum(i = 1..100, j = 1..i, x[j])", "1:37", "4 range 1..3" },
        { "let a = sum(i = 1..100, if(i < 4, x[i], x[i - 4]))", "1:43", "0 range 1..3" },
        { "let a = sum(i = 1..100, if(x[1] > 0, x[i], 0))", "1:40", "range 1..3" },
        { "let a = if(x[1] > 0, x[4], 0)", "1:24", "4 range 1..3" },
        { "let a = sum(i = 1..100000, j = 1..100000, i/j)", "1:9", "100000000 evaluations" },
        { "let a = sum(i = 1..1000000000, x[1])", "1:13", "limit" },
        { "let a = x[i = 1..3]", "1:11", "range" },
    };
    static const mistake functions[] = {
        { "let f(a) = a[3]\n"
          "let b = f([1, 2])",
          "1:14", "3 range 1..2" },
        { "let f(a) = a + 1\n"
          "let b = f(x)",
          "1:14", "added" },
        { "let f(a) = a\n"
          "let b = f(1, 2)",
          "2:9", "f 1 argument 2" },
        { "let f(a) = a\n"
          "let b = f",
          "2:9", "f function" },
        { "let f(a) = f(a - 1)", "1:12", "recursion f" },
        { "let f(a) = if(a < 1, 1, a*f(a - 1))", "1:27", "recursion f" },
        { "param a[i = 1..65] = if(i > 1, a[i - 1], 0) + 1", "1:7", "members a without end 64" },
        { "param a[i = 1..200] = if(i > 1, a[floor(i/2)], 0) + 1", "1:7", "members a without end 64" },
        { "let f(a) = a\n"
          "let b = f[1]",
          "2:9", "f function" },
        { "let a = 2\n"
          "let b = a(2)",
          "2:9", "a not function" },
        { "let f() = 2", "1:7", "" },
    };
    static const mistake constants[] = {
        { "param a = x[1]", "1:11", "x" },
        { "let r = norm(x)\n"
          "param a = r",
          "2:11", "x" },
        { "param a = t", "1:11", "t" },
        { "let r = t\n"
          "param a = 2*r",
          "2:13", "t" },
        { "state z[t]\n"
          "z' = 0*z",
          "1:9", "t" },
        { "state z[0]\n"
          "z' = 0*z",
          "1:9", "size range" },
        { "state z[1.5]\n"
          "z' = 0*z",
          "1:9", "integer" },
        { "state z[-1]\n"
          "z' = 0*z",
          "1:9", "size" },
        { "param a = 1/0", "1:12", "zero" },
        { "param a = log(-1)", "1:11", "log" },
        { "param a = [1, 2, 1/0]", "1:19", "zero" },
        { "param a = random(1.5)", "1:18", "integers 1.5" },
        { "param a = random(-1)", "1:18", "from 0" },
        { "let a = random(x[1])", "1:16", "constants" },
        { "param a = normal(1, 0.5)", "1:21", "integers" },
        { "param a = random()", "1:11", "random" },
        { "param a = random(1, 2, 3, 4, 5, 6)", "1:11", "random" },
        { "param a = sum(i = 1..3, x[i])", "1:25", "x" },
        { "start t = x[1]", "1:11", "constant" },
        { "param a = [1, 2]^T", "1:11", "row" },
    };

    REFUSED("state x[3]\n"
            "x' = -x\n",
            families),
        REFUSED("state x[3]\n"
                "x' = -x\n",
                sums),
        REFUSED("state x[3]\n"
                "x' = -x\n",
                functions),
        REFUSED("state x[3]\n"
                "x' = -x\n",
                constants);
}

static void statements(void)
{
    static const mistake pairs[] = {
        { "canonical q, p, r\n"
          "H = p^2",
          "1:17", "pairs r" },
        { "canonical q[3], p[2]\n"
          "H = sq(p)",
          "1:17", "pair shapes q p" },
        { "canonical q[2,3], p[3,2]\n"
          "H = sq(p)",
          "1:19", "pair" },
        { "rotation Q[2], y[3]\n"
          "H = 0",
          "1:16", "pair" },
        { "canonical q\n"
          "H = 1",
          "1:11", "q partner" },
        { "canonical q[i = 1..3], p[3]\n"
          "H = 1",
          "1:13", "range" },
        { "canonical q[1,1,1,1,1,1,1], p[1,1,1,1,1,1,1]\n"
          "H = 1",
          "1:11", "6" },
        { "rotation Q[2,2], y[2,2]\n"
          "H = 1",
          "1:10", "index" },
        { "canonical q[100000000], p[100000000]\n"
          "H = 1",
          "1:13", "10000000" },
        { "state x[4000,4000]\n"
          "x' = 0*x",
          "1:7", "10000000" },
        { "state x[9000000], y[9000000]\nx' = 0*x\ny' = 0*y", "1:7", "10000000" },
    };
    static const mistake dynamics[] = {
        { "canonical q, p", "1:1", "dynamics H" },
        { "state x", "1:1", "dynamics rates" },
        { "param a = 1", "1:1", "variables" },
        { "state x, y\n"
          "x' = 1",
          "1:10", "rate y" },
        { "state x[3]\n"
          "x[1]' = 1",
          "1:7", "rate x[2]" },
        { "state x[2,2]\n"
          "x[1]' = [1, 2]\n"
          "x[2,1]' = 3",
          "1:7", "rate x[2,2]" },
        { "state x[3]\n"
          "x' = -x\n"
          "x[1]' = 1",
          "1:7", "two rates x[1]" },
        { "state x\n"
          "x' = 1\n"
          "x' = 2",
          "1:7", "two x" },
        { "state x[3]\n"
          "x' = 1",
          "2:6", "shapes [3] number" },
        { "state x[3]\n"
          "x[i = 1..3]' = x",
          "2:16", "shapes" },
        { "state x[3]\n"
          "x[4]' = 1",
          "2:3", "4 range 1..3" },
        { "state x[3]\n"
          "x[i = 0..3]' = 1",
          "2:3", "0 range 1..3" },
        { "state x[200]\n"
          "x[i = 1..201]' = 1",
          "2:3", "201 range 1..200" },
        { "state x\n"
          "x[1]' = 1",
          "2:1", "too many" },
        { "canonical q, p\n"
          "q' = p",
          "2:1", "state q" },
        { "canonical q, p\n"
          "H = p^2\n"
          "q' = p",
          "3:1", "rates H invariant" },
        { "state x\n"
          "H = x^2",
          "2:1", "state rates poisson" },
        { "state x\n"
          "x' = 1\n"
          "H = x",
          "3:1", "rates H invariant" },
        { "canonical q, p\n"
          "H = p^2\n"
          "H = q^2",
          "3:1", "second Hamiltonian line 2" },
        { "canonical q, p\n"
          "L = q'^2\n"
          "L = q",
          "3:1", "second Lagrangian" },
        { "canonical q, p\n"
          "H = p^2\n"
          "L = q'^2",
          "3:1", "Hamiltonian already exclude" },
        { "canonical q, p\n"
          "H = p^2\n"
          "part a = q",
          "3:1", "parts H exclude" },
        { "canonical q, p\n"
          "part a = q\n"
          "H = p^2",
          "3:1", "part already exclude" },
        { "canonical q, p\n"
          "part a = p^2\n"
          "part b: q' = 1",
          "3:1", "energies fields" },
        { "canonical q, p\n"
          "H = [p, q]",
          "2:5", "number [2]" },
        { "canonical q, p\n"
          "H = q'",
          "2:6", "'" },
        { "canonical q, p\n"
          "L = q'^4\n"
          "rayleigh = q'^2",
          "2:1", "quadratic" },
        { "state x\n"
          "L = x'^2",
          "2:6", "positions x" },
        { "canonical q[2], p[2]\n"
          "L = q'^2",
          "2:7", "power [2]" },
        { "canonical q, p\n"
          "L = p'^2",
          "2:6", "positions p" },
        { "canonical q, p\n"
          "L = q'^2/2 + p",
          "2:5", "positions velocities p" },
        { "canonical q, p\n"
          "let a = 2*p\n"
          "L = q'^2/2 - a*q",
          "3:5", "positions velocities p" },
        { "canonical q, p\n"
          "H = p^2\n"
          "rayleigh = p'^2",
          "3:13", "positions p" },
        { "canonical q, p\n"
          "H = p^2\n"
          "rayleigh = q'^2\n"
          "rayleigh = q'^2",
          "4:1", "second" },
        { "canonical q, p\n"
          "H = p^2 < 1",
          "2:9", "condition" },
        { "canonical q, p\n"
          "H = \"a\"",
          "2:5", "" },
    };
    static const mistake others[] = {
        { "flow a(s): q = q + s*p", "1:6", "part a" },
        { "flow T(s): q' = p", "1:13", "prime q" },
        { "flow T(s): z = 2", "1:12", "z" },
        { "flow T(s): q = q + s*p\n"
          "flow T(s): q = q + s*p",
          "2:1", "T already" },
        { "flow T(s): q = [1, 2]", "1:16", "shapes" },
        { "flow T(s): T = 2", "1:12", "T variable" },
        { "flow T(h): q = q", "1:8", "h word" },
        { "constraint c = p", "1:16", "positions p momentum" },
        { "constraint c = q + t*q", "1:16", "t" },
        { "let a = q*p\n"
          "constraint c = q + a",
          "2:16", "positions p" },
        { "let a = t\n"
          "constraint c = q^2 - a",
          "2:16", "t" },
        { "constraint c[i = 1..2.5] = q", "1:21", "integer" },
        { "constraint c[3] = q", "1:14", "range" },
        { "constraint c = q\n"
          "observe z = c",
          "2:13", "c value" },
        { "section s: q = 0, p", "1:19", "condition" },
        { "section s: q = [1, 2]", "1:16", "number" },
        { "section s: q = 0, q'' > 0", "1:21", "" },
        { "section s: q = 0, (q*p)' > 0", "1:24", "variable" },
        { "section s: q = z", "1:16", "z" },
        { "invariant z = q'", "1:16", "observe" },
        { "invariant z = eigenvalues([[1, 0], [0, 1]])", "1:15", "observe" },
        { "let z = multiplier(c)", "1:9", "observe" },
        { "observe z = multiplier(c)", "1:24", "constraint" },
        { "let a = grad(q, z)", "1:17", "variable" },
        { "let a = grad([q, p], q)", "1:14", "numbers" },
        { "let a = grad(q, q*p)", "1:17", "variable" },
        { "let a = bracket(q, [q, p])", "1:20", "numbers" },
        { "reverse p' = -p", "1:10", "prime p" },
        { "reverse p = -p\n"
          "reverse q = -q",
          "2:1", "second" },
        { "reverse p = [1, 2]", "1:13", "shapes" },
        { "reverse q = 2*q\n"
          "start q = 1",
          "1:1", "involution" },
        { "reverse q = p\n"
          "start q = 1",
          "1:1", "involution" },
        { "poisson {q, p} = 1", "1:10", "state q" },
        { "partition q", "1:11", "state q" },
        { "start T = 1", "1:7", "T none" },
        { "start q = [1, 2]", "1:11", "shapes" },
        { "start q[1] = 1", "1:7", "indices q" },
        { "start p' = 1", "1:7", "positions p" },
        { "start q' = 1, p = 2", "1:15", "velocities momenta" },
        { "start p = 2, q' = 1", "1:14", "velocities momenta" },
        { "start p = 2\n"
          "start q' = 1",
          "2:7", "velocities momenta" },
        { "start q = 1/q", "1:11", "finite" },
        { "start q = log(p)", "1:11", "finite" },
        { "start q = z", "1:11", "z" },
        { "invariant a = q^T", "1:16", "^T" },
        { "observe a = [q, p]^T", "1:13", "row" },
    };
    static const mistake brackets[] = {
        { "poisson {u, v} = u, {u, v} = u", "1:22", "twice" },
        { "poisson {u, v} = u, {v, u} = u\n"
          "start u = 1",
          "1:22", "contradiction" },
        { "poisson {u, u} = 1", "1:10", "itself" },
        { "poisson {u, v} = [1, 2]", "1:18", "shapes number [2]" },
        { "poisson {y, y} = [1, 2, 3]", "1:18", "shapes [3,3] [3]" },
        { "poisson {y, u} = hat(y)", "1:18", "shapes [3] [3,3]" },
        { "poisson {y[4], u} = 1", "1:12", "4 range 1..3" },
        { "poisson {z, u} = 1", "1:10", "z" },
        { "poisson {u, z} = 1", "1:13", "z" },
        { "poisson {u[1], v} = 1", "1:10", "too many" },
        { "poisson {y, y} = hat(y), {y[1], u} = y[1]\n"
          "start y = [1, 2, 3]",
          "1:10", "Jacobi" },
        { "poisson {y, y} = identity(3)", "1:10", "itself" },
        { "poisson {u, v} = 1/u", "1:10", "finite" },
        { "poisson {y, y} = [[0, y[3], 0], [-y[3], 0, y[2]], [0, -y[2], 0]]\nstart y = [1, 2, 3]", "1:10", "Jacobi" },
    };

    REFUSED("", pairs), REFUSED("", dynamics);
    REFUSED("canonical q, p\npart T = p^2/2\npart V = q^2\n", others);
    REFUSED("state u, v, y[3]\nH = sq(y) + u\n", brackets);
    refused("state y[70]\n"
            "H = sq(y)\n"
            "poisson {y[i = 1..69], y[j = i+1..70]} = y[wrap(i*j, 70)]\n"
            "start y[i = 1..70] = sin(i)\n",
            "3:10", "Jacobi");
    refused("canonical q, p\npart a = p^2/2\npart b = q^2\nuse kepler\n", "4:1", "use first");
    refused("rotation Q, y\nH = sq(y)\nstart Q = 2*identity(3)\n", "3:11", "rotation identity");
    refused("rotation Q, y\nH = sq(y)\nstart Q = diag([1, 1, -1])\n", "3:11", "rotation determinant");
    refused("rotation Q, y\nH = sq(y)\nstart Q[1,2] = 1\n", "3:16", "rotation");
    refused("rotation Q, y\nH = sq(y)\nstart Q = 1\n", "3:11", "shapes [3,3] number");
    refused("rotation Q, y\nH = sq(y)\nstart Q' = identity(3)\n", "3:7", "positions Q");
}

/* --- several at once --------------------------------------------------------------------------------------------- */

static int count(const char *text, const char *piece)
{
    int n = 0;

    for (; (text = strstr(text, piece)); text++) n++;
    return n;
}

static void several(void)
{
    char text[4000] = "state x\nx' = 0\n";
    loaded l;

    for (int k = 0; k < 25; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "let a%d = b%d + c%d\n", k, k, k);
    load(&l, text);
    ok(l.status == LBR_EARG && count(trouble(&l), "m.lbr:") == 20 && strstr(trouble(&l), "25 errors; the first 20"),
       "one error per statement, 20 of them, then the count");
    unload(&l);
    load(&l, "state x, y\n"
             "let a = b\n"
             "x' = a + 1\n"
             "y' = c\n"
             "let d = 2*a\n"
             "invariant e = f, g = 2\n"
             "let i2 = g\n"
             "param k = 1/0, m = 2\n"
             "let n = k + m\n");
    ok(count(trouble(&l), "m.lbr:") == 4 && count(trouble(&l), "m.lbr:2:9: ") == 1 &&
           count(trouble(&l), "m.lbr:4:6: ") == 1 && count(trouble(&l), "m.lbr:6:15: ") == 1 &&
           count(trouble(&l), "m.lbr:8:12: ") == 1,
       "nothing is said of names whose own statement has an error");
    ok(strstr(trouble(&l), ":2:9:") < strstr(trouble(&l), ":4:6:") &&
           strstr(trouble(&l), ":4:6:") < strstr(trouble(&l), ":6:15:") &&
           strstr(trouble(&l), ":6:15:") < strstr(trouble(&l), ":8:12:"),
       "errors are shown in the order of the text");
    unload(&l);
    load(&l, "state x\nx' = [1, 2\nlet a = 2\n");
    ok(l.status == LBR_EARG && count(trouble(&l), "m.lbr:") == 1 && strstr(trouble(&l), "m.lbr:2:6: "),
       "a bracket never closed is reported where it opens");
    unload(&l);
    load(&l, "state \xc3\xa9\nx' = 1\n");
    ok(l.status == LBR_EARG && strstr(trouble(&l), "m.lbr:1:7: "), "columns count characters"), unload(&l);
    load(&l, "state x\nx' = -x # \xc3\xa9\xc3\xa9\nlet a = \"\xc3\xa9\" + bb\n");
    ok(l.status == LBR_EARG && strstr(trouble(&l), "m.lbr:3:"), "and texts of any language"), unload(&l);
    refused("canonical q[n], p[n]\n"
            "rayleigh = sq(q')/2\n"
            "let a = grad(2, q)\n",
            "1:13", "n"),
        refused("state v[n]\n"
                "partition v\n"
                "v' = v\n",
                "1:9", "n");
    refused("canonical q[3], p[3]\n"
            "H = sq(p)\n"
            "constraint c[i = 1..4] = q[i]\n"
            "observe z = multiplier(c)\n",
            "3:28", "4 range 1..3");
    load(&l, "");
    ok(l.status == LBR_EARG && strstr(trouble(&l), "variables"), "an empty text is no model"), unload(&l);
}

int main(void)
{
    faulty_files();
    names();
    shapes_and_ranges();
    statements();
    several();
    return tap_done();
}
