/* test_certify.c - certificates over the whole catalogue: they hold, and any one entry changed by 1e-9 makes them fail.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In make test a share of the entries is changed, of every table some; in make test-long each. */
#include "support/tap.h"
#include "support/share.h"

#include <libration.h>
#include <stdlib.h>
#include <string.h>

#include "core/dd.h"
#include "core/text.h"
#include "plan/method_rows.h"

enum { LISTS = 5, MOST = 1300 };

/* The failed checks of a certificate; -1 if there is none. */
static int failures(const char *name, const lbr_options *o)
{
    const lbr_certificate *z;
    int bad = lbr_certify(&z, name, o) ? -1 : 0;

    if (bad && z) printf("# %s: %s\n", name, z->message);
    for (int64_t i = 0; !bad && i < z->n; i++)
        if (!z->check[i]->holds) return lbr_certificate_free(z), 1;
    lbr_certificate_free(z);
    return bad;
}

static const lbr_check *find(const lbr_certificate *z, const char *property)
{
    for (int64_t i = 0; i < z->n; i++)
        if (!strcmp(z->check[i]->property, property)) return z->check[i];
    return NULL;
}

/* A row of the catalogue as a table of ours, all digits of its expanded lists as text; the same claims. */
typedef struct copy {
    lbr_method m;
    lbr_options o;
    const char *text[MOST];
    char digits[MOST][LBR_DD_TEXT];
    int claimed; /* digits */
} copy;

/* The lists of a table in the order of its entries here, and what free_entries calls them. */
typedef struct part {
    const char *name;
    lbr_list *list;
    const lbr_dd *x;
    int64_t columns;
} part;

static int parts_of(copy *c, const lbr_numbers *x, part p[LISTS])
{
    int64_t s = x ? x->s : c->m.b.n;
    const part tableau[] = { { "A", &c->m.A, x ? x->A : NULL, s }, { "b", &c->m.b, x ? x->b : NULL, 0 } };
    const part nystrom[] = { { "A", &c->m.A, x ? x->A : NULL, s },
                             { "b", &c->m.b, x ? x->b : NULL, 0 },
                             { "bbar", &c->m.bbar, x ? x->bbar : NULL, 0 },
                             { "c", &c->m.c, x ? x->c : NULL, 0 },
                             { "Ahat", &c->m.Ahat, x ? x->Ahat : NULL, s } };

    const part constrained[] = { tableau[0], tableau[1], { "Ahat", &c->m.Ahat, x ? x->A2 : NULL, s } };

    if (!strcmp(c->m.form, "constrained")) return memcpy(p, constrained, sizeof constrained), 3;
    if (!strcmp(c->m.form, "nystrom")) return memcpy(p, nystrom, sizeof nystrom), 5;
    if (!strcmp(c->m.form, "runge-kutta")) return memcpy(p, tableau, sizeof tableau), 2;
    p[0] = tableau[1], p[1] = nystrom[3];
    return !strcmp(c->m.form, "generating-s3") ? 2 : 1;
}

static void copy_of(copy *c, const char *family, int k)
{
    lbr_arena arena = { 0 };
    lbr_message why;
    lbr_numbers x;
    part p[LISTS];
    int64_t n = 0;

    memset(c, 0, sizeof *c);
    lbr_row_numbers(lbr_row_find(family), k, &c->m, &x, &arena, &why);
    c->m.size = sizeof c->m, c->m.name = "mine", c->m.half = 0, c->m.stride = 0, c->m.aliases = NULL;
    c->claimed = c->m.digits;
    c->m.digits = 0; /* the last digit of the text may be lost, which is not the point */
    c->m.A = c->m.b = c->m.c = c->m.bbar = c->m.Ahat = (lbr_list){ 0, NULL };
    for (int i = 0, lists = parts_of(c, &x, p); i < lists; i++) {
        int64_t first = n, size = !p[i].x ? 0 : p[i].columns ? x.s * x.s : x.s;

        for (int64_t l = 0; l < size; l++, n++) c->text[n] = lbr_dd_write(p[i].x[l], 34, c->digits[n]);
        *p[i].list = (lbr_list){ size, c->text + first };
    }
    lbr_options_init(&c->o);
    c->o.methods = &c->m, c->o.nmethods = 1;
    lbr_arena_free(&arena);
}

static int64_t entries(const copy *c) { return c->m.A.n + c->m.b.n + c->m.bbar.n + c->m.c.n + c->m.Ahat.n; }

/* The name of entry l as free_entries would have it. */
static void entry_name(copy *c, int64_t l, char name[32])
{
    part p[LISTS];
    int i = 0;

    for (parts_of(c, NULL, p); l >= p[i].list->n; i++) l -= p[i].list->n;
    if (p[i].columns)
        snprintf(name, 32, "%s[%d,%d]", p[i].name, (int)(l / p[i].columns) + 1, (int)(l % p[i].columns) + 1);
    else snprintf(name, 32, "%s[%d]", p[i].name, (int)l + 1);
}

/* What is done to an entry. The last digits are noticed by the claim of digits. */
enum { SLIGHTLY, OTHER_SIGN, GONE, LAST_DIGITS, CHANGES };
static const char *const what[] = { "changed by 1e-9", "with another sign", "left out", "changed in its last digits" };

static int every; /* also those that take long: make mutants */

static lbr_dd changed_by(int way, lbr_dd x, int digits)
{
    if (way == OTHER_SIGN) return dd_neg(x);
    if (way == GONE) return dd(0);
    return dd_add(x, dd(way == SLIGHTLY ? 1e-9 : fmax(1, fabs(x.hi)) * pow(10, 3 - digits)));
}

/* Every entry, one at a time. */
static void mutants(const lbr_method *row, int k, const char *name, int way)
{
    static copy c;
    char changed[LBR_DD_TEXT], entry[32];
    int64_t n, survivors = 0, wrongly_free = 0, tried = 0, step;

    copy_of(&c, row->name, k);
    n = entries(&c), step = every || n < 20 ? 1 : share(1, 3, 19);
    if (way == SLIGHTLY) ok(failures("mine", &c.o) == 0, "%s as a table of the user is certified too", name);
    if (way == LAST_DIGITS) c.m.digits = c.claimed;
    for (int64_t l = 0; l < n; l += step, tried++) {
        const char *old = c.text[l];
        lbr_dd x;
        int failed, is_free;

        lbr_dd_read(old, &x);
        if (x.hi == 0 && (way == OTHER_SIGN || way == GONE)) continue;
        c.text[l] = lbr_dd_write(changed_by(way, x, c.claimed), 34, changed);
        failed = failures("mine", &c.o);
        entry_name(&c, l, entry);
        is_free = c.m.free_entries && lbr_text_find(c.m.free_entries, entry) >= 0;
        if (!failed && !is_free) survivors++, printf("# %s: %s %s is not noticed\n", name, entry, what[way]);
        wrongly_free += failed && is_free;
        c.text[l] = old;
    }
    ok(survivors == 0, "%s: each of %d of %d entries %s is noticed%s", name, (int)tried, (int)n, what[way],
       c.m.free_entries ? ", but for those that are free" : "");
    if (way == SLIGHTLY) ok(wrongly_free == 0, "%s: what is called free is free", name);
}

static void whole_catalogue(void)
{
    char name[64];

    for (int64_t i = 0; i < lbr_catalogue_size(); i++) {
        const lbr_method *m = lbr_catalogue(i);
        int step = m->stride ? m->stride : 1;

        for (int k = m->first; k <= m->last; k += step) {
            snprintf(name, sizeof name, m->stride ? "%s:%d" : "%s", m->name, k);
            ok(failures(name, NULL) == 0, "%s: all claims hold", name);
            for (int way = 0; way < (every ? CHANGES : 1) && strcmp(m->form, "pair"); way++)
                mutants(m, m->stride ? k : -1, name, way); /* pairs: test_pairs.c */
        }
    }
}

/* A wrong claim of each kind is seen. */
static void wrong_claims(void)
{
    static copy c;
    lbr_method good;

    copy_of(&c, "rk4", -1);
    good = c.m;
    ok(failures("mine", &c.o) == 0, "rk4 copied holds");
#define WRONG(field, value) \
    c.m = good, c.m.field = value, ok(failures("mine", &c.o) == 1, "rk4 claiming " #field " = " #value " fails")
    WRONG(order, 3);
    WRONG(order, 5);
    WRONG(order_quadratic, 5);
    WRONG(symmetric, 1);
    WRONG(symplectic, 1);
    WRONG(is_explicit, 0);
    c.m = good, c.m.digits = 32;
    ok(failures("mine", &c.o) == 1, "more digits than the arithmetic has fail");
}

/* The order that is found of an expression; -1: none. */
static int order_of(const char *text, const lbr_options *o)
{
    const lbr_certificate *z;
    int order = lbr_certify(&z, text, o) ? -1 : find(z, "order")->found;

    lbr_certificate_free(z);
    return order;
}

/* A table with few digits loosens what it is used in, and nothing else, whatever its name is a piece of. */
static void few_digits(void)
{
    static const char *const name[] = { "n", "mi", "e", "mine-" };
    static copy c;
    lbr_method own[2];

    copy_of(&c, "rk4", -1);
    c.text[c.m.A.n] = "0.166666667666666666666666666666666667"; /* b1 = 1/6 + 1e-9 */
    own[0] = own[1] = c.m, c.o.methods = own, c.o.nmethods = 2;
    own[0].order = own[1].order = 0;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        own[1].name = name[i], own[1].digits = 10, own[0].name = i == 3 ? "mine-too" : "mine", own[0].digits = 0;
        ok(order_of(own[0].name, &c.o) == 0, "%s, off by 1e-9, has no order beside a table '%s' of 10 digits",
           own[0].name, name[i]);
    }
    own[1].name = "ten";
    ok(order_of("ten", &c.o) == 4 && order_of("compose(strang, ten)", &c.o) == 4,
       "which has order 4 itself, and in a composition");
    ok(order_of("compose(strang, mine-too)", &c.o) < 4, "and compose(strang, mine-too) has not: %d",
       order_of("compose(strang, mine-too)", &c.o));
}

/* Expressions have no claims; what is found must be right. */
static void expressions(void)
{
    static const struct {
        const char *text;
        int order, symmetric, symplectic;
    } cases[] = {
        { "compose(kahan-li-8-17, midpoint)", 8, 1, 1 },
        { "compose(kahan-li-8-17, symplectic-euler)", 1, 0, 1 },
        { "compose(yoshida-6-7, gauss:2)", 6, 1, 1 },
        { "compose(strang, explicit-euler)", 2, 1, 0 },
        { "compose(strang, implicit-euler)", 2, 1, 1 },
        { "compose(suzuki:4, compose(strang, implicit-euler))", 4, 1, 1 },
        { "compose(strang, gauss:16)", 32, 1, 1 },
        { "compose(triple-jump:4, trapezoidal)", 4, 1, 0 },
        { "compose(strang, rk4)", 4, 1, 0 },
        { "adjoint(rk4)", 4, 0, 0 },
        { "adjoint(explicit-euler)", 1, 0, 0 },
        { "adjoint(stormer-verlet)", 2, 1, 1 },
        { "adjoint(symplectic-euler)", 1, 0, 1 },
        { "compose(strang, symplectic-euler)", 2, 1, 1 },
        { "split(strang, A, B, C)", 2, 1, 1 },
        { "compose(suzuki:4, compose(strang, symplectic-euler))", 4, 1, 1 },
        { "process(effective-6-9, effective-6-9-processor)", 6, 0, 1 },
        { "process(compose(effective-6-9, midpoint), effective-6-9-processor)", 6, 0, 1 },
        { "compose(triple-jump:4, compose(triple-jump:4, stormer-verlet))", 4, 1, 1 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const lbr_certificate *z;
        lbr_status status = lbr_certify(&z, cases[i].text, NULL);
        int order = status ? -1 : find(z, "order")->found, symmetric = status ? -1 : find(z, "symmetric")->found;

        ok(order == cases[i].order, "%s has order %d (found %d)", cases[i].text, cases[i].order, order);
        ok(symmetric == cases[i].symmetric, "%s is %ssymmetric", cases[i].text, cases[i].symmetric ? "" : "not ");
        ok(!status && find(z, "symplectic")->found == cases[i].symplectic, "%s is %ssymplectic", cases[i].text,
           cases[i].symplectic ? "" : "not ");
        lbr_certificate_free(z);
    }
}

/*     test_certify [every]     every: all changes of every entry */
/* --- error constants --------------------------------------------------------------------------------------------- */

static double constant_of(const char *method)
{
    const lbr_certificate *z;
    lbr_status status = lbr_certify(&z, method, NULL);
    double value = 0;

    for (int64_t i = 0; !status && i < z->n; i++)
        if (!strcmp(z->check[i]->property, "error_constant")) value = z->check[i]->value;
    lbr_certificate_free(z);
    return value;
}

/* By hand from the trees of the next order: of Gauss methods the bush has s!^4 (2s)!/((2s + 1) (2s)!^3). Of V.3.6 and
 * V.3.7 to the digits that are known. */
static void constants(void)
{
    static const struct {
        const char *method;
        double value, within;
    } row[] = {
        { "explicit-euler", 1.0 / 2, 1e-15 },   { "midpoint", 1.0 / 12, 1e-15 }, { "trapezoidal", 1.0 / 6, 1e-15 },
        { "gauss:2", 1.0 / 180, 1e-15 },        { "rk4", 1.0 / 80, 1e-15 },      { "mclachlan-4-5", 0.0106, 1e-4 },
        { "blanes-moan-rkn-4-6", 7.5e-3, 1e-4 }
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        ok(fabs(constant_of(row[i].method) - row[i].value) <= row[i].within, "%s: error constant %.4g", row[i].method,
           constant_of(row[i].method));
    ok(constant_of("suzuki:4") < constant_of("triple-jump:4") / 50,
       "Suzuki's is 70 times smaller than that of the triple jump");
}

int main(int argc, char **argv)
{
    every = argc > 1 && !strcmp(argv[1], "every");
    whole_catalogue();
    wrong_claims();
    few_digits();
    expressions();
    constants();
    return tap_done();
}
