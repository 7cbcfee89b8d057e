/* test_emit.c - functions of graphs as C, compiled: the bits of the definition and of the interpreter.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Random graphs, many to a file, against the evaluator of definition.h; every function of every model of the gallery
 * against the interpreter (make test: of every second model; every one of them is compiled by test_kernels.c). */
#define _DEFAULT_SOURCE
#include "support/definition.h"
#include "support/modelled.h"
#include "support/share.h"
#include "support/c_object.h"

#include "syntax/gallery.h"
#include "stepper/stepper.h"

enum { GRAPHS = 60 };

static int same(const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(a[i] != a[i] && b[i] != b[i])) return 0;
    return 1;
}

static void fill(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = ldexp(uniform() - 0.5, below(6));
}

/* --- random graphs ----------------------------------------------------------------------------------------------- */

static graph one[GRAPHS];

/* GRAPHS of them in one file: how many are wrong; -1: no object. */
static int batch(unsigned long long first)
{
    static definition d;
    static double want[MOST_OUT], got[MOST_OUT], state[STATE], other[OTHER];
    const double *input[2] = { state, other };
    lbr_message message = { 0 };
    object o = { 0 };
    int bad = 0, used[GRAPHS];

    for (int k = 0; k < GRAPHS; k++) {
        seed = (first + (unsigned long long)k) * 7919 + 17, random_graph(&one[k]);
        used[k] = !one[k].dag.status && one[k].dag.n <= MOST_NODES;
        if (used[k] && object_add(&o, &one[k].dag, one[k].out, one[k].nout, 0, &message))
            printf("# %s\n", message.text), bad++, used[k] = 0;
        else if (!used[k]) object_skip(&o);
    }
    if (!object_make(&o)) bad = -1;
    for (int k = 0; k < GRAPHS; k++) {
        if (bad >= 0 && used[k]) {
            fill(state, STATE), fill(other, OTHER), memset(want, 0xa5, sizeof want), memset(got, 0xa5, sizeof got);
            define(&d, &one[k].dag, one[k].out, one[k].nout, 0.7, input, want);
            if (object_run(&o, k, 0.7, input, got) || !same(want, got, one[k].size))
                bad++, printf("# graph %llu\n", first + (unsigned long long)k);
        }
        drop(&one[k]);
    }
    object_free(&o);
    return bad;
}

static void graphs(const char *what, int scalars, unsigned long long from, int batches)
{
    int bad = 0, b;

    scalar_only = scalars;
    for (int k = 0; k < batches && bad < 5; k++)
        bad += (b = batch(from + (unsigned long long)(k * GRAPHS))) < 0 ? 100 : b;
    ok(!bad, "%d random graphs %s, compiled: the bits of the definition", batches * GRAPHS, what);
}

/* --- models ------------------------------------------------------------------------------------------------------ */

enum { FUNCTIONS = 40 };
typedef struct list {
    const lbr_function *f[FUNCTIONS];
    int64_t shift[FUNCTIONS];
    int n;
} list;

static void add(list *l, const lbr_function *f, int64_t shift)
{
    if (f->code && !f->multiplied && l->n < FUNCTIONS) l->f[l->n] = f, l->shift[l->n++] = shift;
}

static list functions(const modelled *x)
{
    const lbr_functions *f = x->f;
    list l = { .n = 0 };
    const lbr_function *of[] = { &f->energy, &f->force,     &f->dHdq,      &f->dHdp,
                                 &f->field,  &f->field_jvp, &f->force_jvp, &f->hessian_vec };

    for (size_t k = 0; k < sizeof of / sizeof *of; k++) add(&l, of[k], 0);
    add(&l, &f->velocity, x->s->nq);
    if (f->constraint) add(&l, &f->constraint->g, 0), add(&l, &f->constraint->G, 0), add(&l, &f->constraint->g2, 0);
    for (int k = 0; k < x->m->ninvariants; k++) add(&l, &f->invariant_function[k], 0);
    for (int k = 0; k < x->m->nobserved; k++) add(&l, &f->observed[k].f, 0);
    return l;
}

/* How many functions have other bits than the interpreter at some point. */
static int differ(const modelled *x, const list *l, object *o)
{
    int64_t n = x->m->dim;
    double *size = calloc((size_t)(3 * n), sizeof *size), *y = size + n, *v = y + n, t;
    int bad = 0;

    sizes(x->m, size);
    for (int k = 0; k < l->n; k++) {
        double *want = calloc((size_t)l->f[k]->len + 1, sizeof *want),
               *got = calloc((size_t)l->f[k]->len + 1, sizeof *got);
        int wrong = 0;

        for (int p = 0; p < 3; p++) {
            const double *input[LBR_MODEL_INPUTS] = { y + l->shift[k], v, NULL, size };

            point(x->m, p, size, &t, y);
            for (int64_t i = 0; i < n; i++) v[i] = size[i] * any(7, i);
            wrong |= lbr_code_run(l->f[k]->code, t, input, want) != object_run(o, k, t, input, got) ||
                     !same(want, got, l->f[k]->len);
        }
        if (wrong) bad++, printf("# function %d\n", k);
        free(want), free(got);
    }
    free(size);
    return bad;
}

static void model(const char *name, const char *text)
{
    modelled x;
    object o = { 0 };
    list l = { .n = 0 };
    int bad = 0;

    if (!ok(text ? open_text(&x, text) : open_model(&x, name), "%s: a system", name)) {
        close_model(&x);
        return;
    }
    l = functions(&x);
    for (int k = 0; k < l.n; k++)
        bad += !!object_add(&o, &x.m->dag, &(lbr_output){ l.f[k]->array, l.f[k]->node, 0 }, 1, l.shift[k], &x.message);
    if (bad || !object_make(&o)) bad = 1;
    else bad = differ(&x, &l, &o);
    ok(!bad, "%s: %d functions compiled (%.2f s, %zu bytes of C): the interpreter's bits", name, l.n, o.seconds,
       o.unit.text.length);
    object_free(&o), close_model(&x);
}

int main(int argc, char **argv)
{
    const lbr_gallery_item *item;
    int number = 0;

    if (argc < 2)
        graphs("without loops", 1, 1, (int)share(2, 1, 1)),
            graphs("with loops, arrays, matrices", 0, 10000, (int)share(8, 3, 2));
    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        if (strcmp(item->kind, "model") || (argc > 1 && strcmp(argv[1], item->name))) continue;
        if (argc < 2 && !in_share(number++, 2, 4)) continue;
        if (!strcmp(item->name, "nbody")) model("nbody n=40", "use nbody: n = 40\n");
        else if (!strcmp(item->name, "lennard-jones-box"))
            model("lennard-jones-box n=27", "use lennard-jones-box: side = 3\n");
        else model(item->name, NULL);
    }
    if (argc > 1) return tap_done();
    model("fpu-alpha-beta n=80", "use fpu-alpha-beta: n = 80, beta = 0.3\n");
    model("chain n=300", "use chain: n = 300\n");
    model("cloth n=12", "use cloth: n = 12\n");
    model("a closed loop of links",
          "param n = 90\n"
          "canonical q[n,2], p[n,2]\n"
          "H = sq(p)/2\n"
          "constraint c[i = 1..n] = sq(q[wrap(i + 1, n)] - q[i]) - 1, d[i = 1..n] = q[i,1]*q[max(i - 1, 1),1]\n"
          "start q[i = 1..n] = [sin(i), cos(i)], p = 0\nrun method = rattle, step = 1, steps = 1\n");
    model("a table of neighbours",
          "param n = 80, k[i = 1..n] = wrap(3*i, n)\ncanonical q[n], p[n]\n"
          "H = sq(p)/2 + sum(i = 1..n, (q[k[i]] - q[i])^2 + q[k[i]]^4 + p[k[wrap(i + 1, n)]]^3*q[i])\n"
          "start q[i = 1..n] = sin(i), p[i = 1..n] = cos(i)\nrun method = rk4, step = 1, steps = 1\n");
    return tap_done();
}
