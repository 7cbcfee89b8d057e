/* test_pattern.c - the pattern of a model's Jacobian: every entry that is not zero is in it, and in chains few others.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/modelled.h"
#include "libration.h"

#include "core/bound_system.h"
#include "core/sparsity.h"
#include "program/code_pattern.h"
#include "syntax/gallery.h"

enum { COLUMNS = 96 }; /* that are looked at, of those that there are */

/* The pattern of the whole field of a model. */
static int find(const modelled *x, lbr_pattern *p, lbr_arena *arena)
{
    lbr_bound *b = calloc(1, sizeof *b);
    lbr_message m = { 0 };
    int good = !lbr_bound_init(b, x->s, &m) && !lbr_sparsity_of_field(p, b, arena, &m);

    free(b);
    return good;
}

static int has(const lbr_pattern *p, int64_t i, int64_t c)
{
    for (int64_t e = p->row[i]; e < p->row[i + 1]; e++)
        if (p->col[e] == c) return 1;
    return 0;
}

/* Entries of the Jacobian that are not zero near the start, and how many of these the pattern has not. */
static int64_t missing(const modelled *x, const lbr_pattern *p, int64_t *seen)
{
    int64_t n = x->s->dim, none = 0, step = n > COLUMNS ? n / COLUMNS : 1;
    double *y = calloc((size_t)n, sizeof *y), *v = calloc((size_t)n, sizeof *v), *out = calloc((size_t)n, sizeof *out),
           *size = calloc((size_t)n, sizeof *size);

    sizes(x->m, size), *seen = 0;
    for (int64_t k = 0; k < 2; k++) {
        for (int64_t i = 0; i < n; i++) y[i] = x->m->y0[i] + 0.03 * (double)k * size[i] * any(k, i);
        for (int64_t c = 0; c < n; c += step) {
            v[c] = 1;
            if (!x->s->field_jvp(x->m->t0 + 0.1, y, v, out, x->s->ctx))
                for (int64_t i = 0; i < n; i++)
                    if (out[i] != 0 && isfinite(out[i])) ++*seen, none += !has(p, i, c);
            v[c] = 0;
        }
    }
    free(y), free(v), free(out), free(size);
    return none;
}

/* What each model has, and whether plans would be told. */
static void gallery(void)
{
    const lbr_gallery_item *item;
    int known = 0, sparse = 0;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        lbr_arena arena = { NULL };
        lbr_pattern p;
        modelled x;
        int64_t seen;

        if (open_model(&x, item->name) && x.s->field_jvp && find(&x, &p, &arena) && p.row) {
            int64_t none = missing(&x, &p, &seen);

            known++, sparse += p.nnz < p.n * p.n;
            ok(none == 0, "%s: all %lld entries that are not zero are in its pattern, which has %lld of %lld",
               item->name, (long long)seen, (long long)p.nnz, (long long)(p.n * p.n));
        }
        close_model(&x), lbr_arena_free(&arena);
    }
    ok(known > 50 && sparse > 30, "%d models have a pattern, %d of them gaps", known, sparse);
}

/* text, entries of its pattern; -1: none is known. */
static const struct {
    int64_t entries;
    const char *text;
} row[] = {
    { 2, "canonical q, p\nH = p^2/2 - cos(q)" },
    { 4, "canonical q, p\nH = p^2/2 + q^2*p" }, /* q' knows p and q, p' too */
    { 2 * 200 + 3 * 200 - 200, "param n = 200\ncanonical q[n], p[n]\n"
                               "H = sq(p)/2 + sum(i = 1..n, q[i]^4 + cos(q[i] - q[wrap(i + 1, n)]))" },
    { 4, "state x[2]\nx[1]' = x[2]\nx[2]' = if(x[1] > 0, sin(x[2]), x[1])" },
    { 300 + 300, "param n = 300\nstate x[n]\nx[i = 1..n]' = -x[i] + sin(x[wrap(i + 7, n)])" },
    { 300 + 300, "param n = 300, k[i = 1..n] = wrap(i + 5, n)\nstate x[n]\nx[i = 1..n]' = -x[i]*x[k[i]]" },
    { 40 * 40, "param n = 40\nstate x[n]\nx[i = 1..n]' = -x[i]*sum(j = 1..n, x[j]^2)" },
};

static void texts(void)
{
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        lbr_arena arena = { NULL };
        lbr_pattern p = { 0 };
        modelled x;
        int64_t seen = 0, none = -1;

        if (open_text(&x, row[i].text) && find(&x, &p, &arena) && p.row) none = missing(&x, &p, &seen);
        ok(none == 0, "%s: nothing is missing", row[i].text);
        ok((p.row ? p.nnz : -1) <= row[i].entries, "... in %lld entries", (long long)p.nnz);
        close_model(&x), lbr_arena_free(&arena);
    }
}

/* What depends on t may be there at another time; a pattern that is too full is none. */
static void unknown(void)
{
    static const char *const text[] = {
        "param n = 40\nstate x[n]\n"
        "x[i = 1..n]' = -x[i]*sum(j = 1..n, if(j < 1 + floor(abs(t)), x[j], 0))",
        "param n = 5000\nstate x[n]\nlet m = sum(j = 1..n, x[j])\nx[i = 1..n]' = -x[i]*m",
    };
    lbr_arena arena = { NULL };
    lbr_pattern p;
    modelled x;

    ok(open_text(&x, text[0]) && find(&x, &p, &arena) && p.row && p.nnz == 1600, "a sum that depends on t: all of it");
    close_model(&x);
    ok(open_text(&x, text[1]) && find(&x, &p, &arena) && !p.row, "a mean of all: too full to be a pattern");
    close_model(&x), lbr_arena_free(&arena);
}

/* The cost of a pattern goes with the length of a chain: so do its entries. */
static void chains(void)
{
    for (int64_t n = 1000; n <= 100000; n *= 10) {
        lbr_arena arena = { NULL };
        lbr_pattern p = { 0 };
        modelled x;
        char text[200];

        snprintf(text, sizeof text,
                 "param n = %lld\ncanonical q[n], p[n]\nH = sq(p)/2 + sum(i = 1..n-1, (q[i+1] - q[i])^4)",
                 (long long)n);
        ok(open_text(&x, text) && find(&x, &p, &arena) && p.row && p.nnz == n + 3 * n - 2, "a chain of %lld",
           (long long)n);
        close_model(&x), lbr_arena_free(&arena);
    }
}

int main(void)
{
    gallery();
    texts();
    unknown();
    chains();
    return tap_done();
}
