/* test_bounded.c - the C of a model is bounded: sums stay loops, long functions are cut.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each of these models took a compiler from six seconds to minutes. What is asked: few instructions and few bytes of C,
 * the bits of the interpreter in what is compiled, and the numbers of the same model written out by hand. */
#include "support/modelled.h"
#include "support/c_object.h"

enum { ROOM = 1 << 20 };
static char text[ROOM];
static size_t used;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list ap;

    va_start(ap, format), used += (size_t)vsnprintf(text + used, ROOM - used, format, ap), va_end(ap);
}

/* --- the models -------------------------------------------------------------------------------------------------- */

/* Rigid waters by constraints: n (n - 1)/2 pairs of nine sums; loops, or each pair by hand. */
static void water(int n, int by_hand)
{
    add("param n = %d, m[a = 1..3] = if(a = 1, 16, 1), c[a = 1..3] = if(a = 1, -0.8, 0.4)\n"
        "canonical q[n,3,3], p[n,3,3]\n",
        n);
    add("let r(i, j, a, b) = norm(q[i,a] - q[j,b])\n"
        "let U(i, j) = sum(a = 1..3, b = 1..3, 139*c[a]*c[b]/r(i, j, a, b)) + (3.1/r(i, j, 1, 1))^12 - (3.1/r(i, j, 1, "
        "1))^6\n");
    if (!by_hand) add("let V = sum(i = 2..n, j = 1..i-1, U(i, j))\n");
    for (int i = 2; by_hand && i <= n; i++)
        for (int j = 1; j < i; j++)
            add("%sU(%d, %d)%s", i == 2 ? "let V = " : "", i, j, i == n && j == n - 1 ? "\n" : " + ");
    add("H = sum(i = 1..n, a = 1..3, sq(p[i,a])/(2*m[a])) + V\n"
        "constraint u[i = 1..n] = sq(q[i,2] - q[i,1]) - 1, v[i = 1..n] = sq(q[i,3] - q[i,1]) - 1,\n"
        "           w[i = 1..n] = sq(q[i,3] - q[i,2]) - 2\n"
        "start q[i = 1..n, a = 1..3] = [3*mod(i, 2), 3*mod(floor(i/2), 2), 3*floor(i/4)] +\n"
        "      [if(a = 2, 1, 0), if(a = 3, 1, 0), 0]\n");
}

static void water8(void) { water(8, 0); }
static void water9(void) { water(9, 0); }
static void water11(void) { water(11, 0); }
static void lagrangian(void) { add("canonical q[80], p[80]\nL = sq(q')/2 - sq(q)/2\nstart q = 1\n"); }

static void poisson(void)
{
    add("param n = 200, B[i = 1..n, j = 1..n] = if(i < j, 1, if(i > j, -1, 0))/(i + j)\n"
        "state y[n]\n"
        "poisson {y, y} = B\n"
        "H = sq(y)/2\nstart y[i = 1..n] = 1/i\n");
}

static void lotka_volterra(void)
{
    add("param n = 100\nstate y[n]\npoisson {y[i = 1..n], y[j = i+1..n]} = y[i]*y[j]/(i + j)\nH = sum(i = 1..n, y[i])\n"
        "start y[i = 1..n] = 1/i\n");
}

/* Terms that are all different: nothing to make a loop of. */
static void by_hand(void)
{
    add("canonical q[26], p[26]\nH = sq(p)/2");
    for (int i = 2; i <= 26; i++)
        for (int j = 1; j < i; j++) add(" +\n sin(q[%d] - %d*q[%d]/7)*exp(-q[%d]*q[%d])", i, i * j % 5 + 1, j, i, j);
    add("\nstart q[i = 1..26] = i/26\n");
}

typedef struct row {
    const char *what;
    void (*write)(void);
    int64_t instructions, bytes;
} row;
static const row rows[] = {
    { "eight waters", water8, 1500, 100000 },
    { "nine waters", water9, 1500, 100000 },
    { "eleven waters", water11, 1500, 100000 },
    { "a Lagrangian of 80 positions", lagrangian, 500, 30000 },
    { "brackets of 200 variables", poisson, 200, 20000 },
    { "brackets that depend on 100 variables", lotka_volterra, 300, 30000 },
    { "325 terms by hand", by_hand, 12000, 400000 },
};

static int made(modelled *x, void (*write)(void))
{
    used = 0, write();
    add("run method = rk4, step = 1, steps = 1\n");
    return open_text(x, text);
}

/* --- sizes and bits ---------------------------------------------------------------------------------------------- */

static int functions_of(const modelled *x, const lbr_function **f)
{
    const lbr_function *all[] = { &x->f->energy, &x->f->force, &x->f->velocity, &x->f->field, &x->f->g };
    int n = 0;

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]->code) f[n++] = all[k];
    if (x->f->constraint) f[n++] = lbr_constraint_jacobian(x->f);
    return n;
}

static int equal_bits(const modelled *x, const object *o, const lbr_function *const *f, int n)
{
    double *y = malloc((size_t)x->m->dim * sizeof *y), *size = malloc((size_t)x->m->dim * sizeof *size), t, *a = NULL,
           *b = NULL;
    const double *input[LBR_MODEL_INPUTS] = { y };
    int good = 1;

    sizes(x->m, size);
    for (int k = 0; k < n; k++) {
        a = calloc((size_t)f[k]->len, sizeof *a), b = calloc((size_t)f[k]->len, sizeof *b);
        for (int p = 0; p < 3; p++) {
            point(x->m, p, size, &t, y);
            input[0] = y + f[k]->shift;
            good &= !lbr_code_run(f[k]->code, t, input, a) && !object_run(o, k, t, input, b);
            good &= !memcmp(a, b, (size_t)f[k]->len * sizeof *a);
        }
        free(a), free(b);
    }
    free(y), free(size);
    return good;
}

static void bounded(const row *r)
{
    const lbr_function *f[8];
    modelled x;
    object o = { 0 };
    int64_t instructions = 0;
    int n = 0, good = 1;

    if (ok(made(&x, r->write), "%s", r->what)) {
        n = functions_of(&x, f);
        for (int k = 0; k < n; k++) {
            instructions += lbr_code_measure(f[k]->code).instructions;
            good &= !object_add(&o, &x.m->dag, &(lbr_output){ f[k]->array, f[k]->node, 0 }, 1, f[k]->shift, &x.message);
        }
        ok(instructions < r->instructions, "%s: %lld instructions", r->what, (long long)instructions);
        ok(good && (int64_t)o.unit.text.length < r->bytes, "%s: %lld bytes of C", r->what,
           (long long)o.unit.text.length);
        ok(good && object_make(&o) && equal_bits(&x, &o, f, n), "%s: compiled with the bits of the interpreter",
           r->what);
        if (r->write == by_hand) ok(good && strstr(o.unit.text.text, "memory"), "%s: cut into pieces", r->what);
        object_free(&o);
    }
    close_model(&x);
}

/* --- numbers ----------------------------------------------------------------------------------------------------- */

static void water8_by_hand(void) { water(8, 1); }

static void waters(void)
{
    modelled x, z;
    double a[72], b[72], worst = 0, e[2];

    if (ok(made(&x, water8) & made(&z, water8_by_hand), "eight waters, and each pair by hand")) {
        for (int i = 0; i < 72; i++) x.m->y0[i] += 0.1 * any(7, i);
        ok(!x.s->force(0, x.m->y0, a, x.s->ctx) && !z.s->force(0, x.m->y0, b, z.s->ctx), "forces");
        ok(!x.s->energy(0, x.m->y0, e, x.s->ctx) && !z.s->energy(0, x.m->y0, e + 1, z.s->ctx), "energies");
        for (int i = 0; i < 72; i++) worst = fmax(worst, fabs(a[i] - b[i]) / (1 + fabs(b[i])));
        ok(worst < 1e-11 && fabs(e[0] - e[1]) <= 1e-12 * fabs(e[1]), "equal to round-off: %.1e", worst);
        ok(x.s->inverse_mass && x.s->constraints && z.s->constraints && x.s->constraints->nnz == z.s->constraints->nnz,
           "the same structure");
    }
    close_model(&x), close_model(&z);
}

static void brackets(void)
{
    modelled x;
    double f[200], y[200], worst = 0;

    if (ok(made(&x, poisson), "brackets of 200 variables")) {
        for (int i = 0; i < 200; i++) y[i] = any(3, i);
        ok(!x.s->field(0, y, f, x.s->ctx), "a field");
        for (int i = 0; i < 200; i++) {
            for (int j = 0; j < 200; j++) f[i] -= (i < j ? 1.0 : i > j ? -1.0 : 0.0) / (i + j + 2) * y[j];
            worst = fmax(worst, fabs(f[i]));
        }
        ok(worst < 1e-14, "is B y: %.1e", worst);
    }
    close_model(&x);
    worst = 0;
    if (ok(made(&x, lotka_volterra), "brackets that depend on variables")) {
        for (int i = 0; i < 100; i++) y[i] = 1 + any(3, i) / 2;
        ok(!x.s->field(0, y, f, x.s->ctx), "a field");
        for (int i = 0; i < 100; i++) {
            for (int j = 0; j < 100; j++) f[i] -= (i < j ? 1.0 : i > j ? -1.0 : 0.0) * y[i] * y[j] / (i + j + 2);
            worst = fmax(worst, fabs(f[i]));
        }
        ok(worst < 1e-13, "is B(y) grad H: %.1e", worst);
    }
    close_model(&x);
}

static void positions(void)
{
    modelled x;
    double y[80], f[80], worst = 0;

    if (ok(made(&x, lagrangian) && x.s->inverse_mass, "a Lagrangian of 80 positions has masses")) {
        for (int i = 0; i < 80; i++) y[i] = any(3, i);
        ok(!x.s->force(0, y, f, x.s->ctx), "and a force");
        for (int i = 0; i < 80; i++) worst = fmax(worst, fmax(fabs(f[i] + y[i]), fabs(x.s->inverse_mass[i] - 1)));
        ok(worst < 1e-15, "which are what they are: %.1e", worst);
    }
    close_model(&x);
}

/* The order of a sum is that of the language, whether it is written out or not: the bits of H are the same. What makes
 * a term long, so that the sum stays a loop, is too small to be seen in it. */
static void orders(void)
{
    static const char *const sum[] = {
        "sum(i = 1..20, j = 1..3, f(i, j))",
        "sum(i = 1..3, j = 1..20, f(i, j))",
        "sum(i = 1..8, j = 1..8, f(i, j))",
        "sum(i = 1..60, f(i, 1))",
        "sum(i = 1..11, j = 1..i-1, f(i, j))",
        "sum(i = 1..7, j = i..7, f(i, j))",
        "sum(i = 1..4, j = 1..4, k = 1..4, f(i, j + k))",
    };

    for (size_t k = 0; k < sizeof sum / sizeof *sum; k++) {
        double y[122], H[2] = { NAN, NAN };
        int64_t size[2] = { 0, 0 };

        for (int i = 0; i < 122; i++) y[i] = any(5, i);
        for (int heavy = 0; heavy < 2; heavy++) {
            modelled x;

            used = 0, add("canonical q[61], p[61]\nlet f(i, j) = sin(i*q[i])*q[j]");
            for (int n = 0; n < (heavy ? 60 : 1); n++)
                add(" + (cos(q[i] + %d*q[j])^2 + sin(q[i] + %d*q[j])^2)*2^-1000", n, n);
            add("\nH = sq(p)/2 + %s\nrun method = rk4, step = 1, steps = 1\n", sum[k]);
            if (open_text(&x, text) && !x.s->energy(0, y, H + heavy, x.s->ctx))
                size[heavy] = lbr_code_measure(x.f->energy.code).loops;
            close_model(&x);
        }
        ok(H[0] == H[1] && size[1] > size[0], "%s: the same bits in loops, %lld of them", sum[k], (long long)size[1]);
    }
}

int main(void)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) bounded(rows + k);
    waters(), brackets(), positions(), orders();
    return tap_done();
}
