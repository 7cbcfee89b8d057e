/* made_tableaux.c - operators that make Runge-Kutta tableaux: of nodes, of weights, of compositions.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     collocation(c1, c2, ...)                                    HLW II.1.10
 *     discontinuous-collocation(b1 = x, bs = y, c2, c3, ...)      HLW II.1.18, II.1.19
 *     dirk(b1, b2, ..., a1 = x, ...)                              HLW V.2.7, VI.4.4
 *     theta(x)                                                    HLW V.2.8
 *     tableau(METHOD)                                             HLW III.1.28
 *
 * Of discontinuous collocation an end without a weight has no stage. dirk has a_ij = b_j for i > j, and a_ii = b_i/2
 * unless it is given. */
#include "plan/kind.h"

#include <math.h>
#include <string.h>

/* Nodes apart by less than this are taken for equal. */
#define APART 1e-6

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while making a tableau"); }

static int room(lbr_numbers *x, int64_t s, lbr_arena *arena)
{
    x->s = s;
    x->A = lbr_arena_alloc(arena, s * s, sizeof *x->A);
    x->b = lbr_arena_alloc(arena, s, sizeof *x->b);
    x->c = lbr_arena_alloc(arena, s, sizeof *x->c);
    return x->A && x->b && x->c ? 0 : -1;
}

/* --- arguments --------------------------------------------------------------------------------------------------- */

static lbr_status number(const lbr_expr *e, const lbr_expr *of, lbr_dd *x, lbr_message *m)
{
    if (e->name || lbr_dd_read(e->number, x))
        return lbr_fail(m, LBR_EMETHOD, "'%s' takes numbers, such as 0.25 or 1/3; '%.60s' is not one", of->name,
                        e->name ? e->name : e->number);
    if (!(fabs(x->hi) <= 1000))
        return lbr_fail(m, LBR_EMETHOD, "'%s' takes numbers up to 1000; %.60s is more", of->name, e->number);
    return LBR_OK;
}

/* The arguments without a key; *n of them, at most `most`. */
static lbr_status numbers(const lbr_expr *e, int most, const char *what, lbr_dd *x, int *n, lbr_message *m)
{
    lbr_status status;

    *n = 0;
    for (int i = 0; i < e->nargs; i++) {
        if (e->arg[i]->key) continue;
        if (*n == most)
            return lbr_fail(m, LBR_EMETHOD, "'%s' takes at most %d %s; this is one more", e->name, most, what);
        if ((status = number(e->arg[i], e, &x[(*n)++], m))) return status;
    }
    return LBR_OK;
}

static lbr_status no_key(const lbr_expr *e, const lbr_expr *arg, const char *keys, lbr_message *m)
{
    return lbr_fail(m, LBR_EMETHOD, "'%s' has no argument '%.40s = ...'%s", e->name, arg->key, keys);
}

/* --- collocation ------------------------------------------------------------------------------------------------- */

/* The nodes among the arguments, ascending, so that symmetric ones make a tableau that is seen to be symmetric. */
static lbr_status nodes(const lbr_expr *e, lbr_dd *x, int *n, lbr_message *m)
{
    lbr_status status = numbers(e, LBR_NODES_MOST, "nodes", x, n, m);

    for (int i = 1; i < *n && !status; i++)
        for (int k = i; k > 0 && dd_less(x[k], x[k - 1]); k--) {
            lbr_dd swap = x[k];
            x[k] = x[k - 1], x[k - 1] = swap;
        }
    for (int i = 1; i < *n && !status; i++)
        if (dd_double(dd_sub(x[i], x[i - 1])) < APART)
            status = lbr_fail(m, LBR_EMETHOD,
                              "'%s': two nodes are equal, or nearly: %.15g and %.15g; they must be different", e->name,
                              x[i - 1].hi, x[i].hi);
    return status;
}

/* What is zero but for round-off becomes it, so that steppers see stages that nobody uses. */
static lbr_dd cleaned(lbr_dd a) { return fabs(a.hi) < 1e-29 ? dd(0) : a; }

/* n nodes and weights at 0 and 1, which have a stage of their own unless they are zero: a_i1 = b_1, a_is = 0,
 * a_ij = int_0^c_i l_j - b_1 l_j(0), b_j = int_0^1 l_j - b_1 l_j(0) - b_s l_j(1) (HLW II.1.18 and the proof of II.1.8).
 */
static lbr_status collocate(int n, const lbr_dd *node, lbr_dd first, lbr_dd last, lbr_numbers *x, lbr_arena *arena,
                            lbr_message *m)
{
    int left = first.hi != 0, s = n + left + (last.hi != 0);
    lbr_lagrange l;

    if (room(x, s, arena)) return no_memory(m);
    lbr_lagrange_init(&l, n, node);
    for (int i = 0; i < s; i++) {
        x->c[i] = i < left ? dd(0) : i < left + n ? node[i - left] : dd(1);
        if (i < left) x->b[i] = first;
        if (i >= left + n) x->b[i] = last;
        if (left) x->A[i * s] = first;
        for (int j = 0; j < n; j++)
            x->A[i * s + left + j] = cleaned(
                dd_sub(lbr_lagrange_integral(&l, j, dd(0), x->c[i]), dd_mul(first, lbr_lagrange_value(&l, j, dd(0)))));
    }
    for (int j = 0; j < n; j++) {
        lbr_dd ends = dd_add(dd_mul(first, lbr_lagrange_value(&l, j, dd(0))),
                             dd_mul(last, lbr_lagrange_value(&l, j, dd(1))));

        x->b[left + j] = cleaned(dd_sub(lbr_lagrange_integral(&l, j, dd(0), dd(1)), ends));
    }
    return LBR_OK;
}

static lbr_status collocation(const lbr_expr *e, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_dd node[LBR_NODES_MOST];
    lbr_status status;
    int n;

    for (int i = 0; i < e->nargs; i++)
        if (e->arg[i]->key) return no_key(e, e->arg[i], "; its arguments are nodes", m);
    return (status = nodes(e, node, &n, m)) ? status : collocate(n, node, dd(0), dd(0), x, arena, m);
}

static lbr_status discontinuous(const lbr_expr *e, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_dd node[LBR_NODES_MOST], end[2] = { { 0, 0 }, { 0, 0 } };
    int n, seen[2] = { 0, 0 };
    lbr_status status;

    for (int i = 0; i < e->nargs; i++) {
        const lbr_expr *arg = e->arg[i];
        int which = arg->key && !strcmp(arg->key, "bs");

        if (!arg->key) continue;
        if (!which && strcmp(arg->key, "b1")) return no_key(e, arg, "; its weights are b1 (at 0) and bs (at 1)", m);
        if (seen[which]++) return lbr_fail(m, LBR_EMETHOD, "'%s': %s is given twice", e->name, arg->key);
        if ((status = number(arg, e, &end[which], m))) return status;
    }
    if ((status = nodes(e, node, &n, m))) return status;
    if (n == 0 && !(fabs(dd_double(dd_sub(dd_add(end[0], end[1]), dd(1)))) < 1e-5))
        return lbr_fail(m, LBR_EMETHOD, "'%s' without nodes needs b1 + bs = 1; it is %.15g", e->name,
                        dd_double(dd_add(end[0], end[1])));
    return collocate(n, node, end[0], end[1], x, arena, m);
}

/* --- diagonally implicit ----------------------------------------------------------------------------------------- */

/* "a3" of n stages is 2, anything else -1. */
static int diagonal(const char *key, int n)
{
    int i = 0;

    if (key[0] != 'a' || strspn(key + 1, "0123456789") != strlen(key + 1) || strlen(key) > 3 || key[1] == '0')
        return -1;
    for (const char *p = key + 1; *p; p++) i = 10 * i + (*p - '0');
    return i >= 1 && i <= n ? i - 1 : -1;
}

static lbr_status dirk(const lbr_expr *e, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_dd b[LBR_NODES_MOST * 4], sum = dd(0);
    unsigned char seen[LBR_NODES_MOST * 4] = { 0 };
    lbr_status status;
    int n;

    if ((status = numbers(e, LBR_NODES_MOST * 4, "weights", b, &n, m))) return status;
    if (n == 0)
        return lbr_fail(m, LBR_EMETHOD, "'%s' needs weights b1, b2, ... beside the entries of the diagonal", e->name);
    if (room(x, n, arena)) return no_memory(m);
    for (int i = 0; i < n; i++) {
        if (b[i].hi == 0)
            return lbr_fail(m, LBR_EMETHOD, "'%s': weight %d is zero, so that its stage would do nothing; leave it out",
                            e->name, i + 1);
        x->b[i] = b[i];
        x->A[i * n + i] = dd_scale(0.5, b[i]);
        for (int j = 0; j < i; j++) x->A[i * n + j] = b[j];
    }
    for (int k = 0; k < e->nargs; k++) {
        const char *key = e->arg[k]->key;
        int i = key ? diagonal(key, n) : -1;

        if (!key) continue;
        if (i < 0) return no_key(e, e->arg[k], "; a1, a2, ... are the entries of the diagonal", m);
        if (seen[i]++) return lbr_fail(m, LBR_EMETHOD, "'%s': %s is given twice", e->name, key);
        if ((status = number(e->arg[k], e, &x->A[i * n + i], m))) return status;
    }
    for (int i = 0; i < n; i++) x->c[i] = dd_add(sum, x->A[i * n + i]), sum = dd_add(sum, b[i]);
    return LBR_OK;
}

static lbr_status theta(const lbr_expr *e, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key)
        return lbr_fail(m, LBR_EMETHOD, "'%s' takes one number: theta(1/2) is the midpoint rule", e->name);
    if (room(x, 1, arena)) return no_memory(m);
    if ((status = number(e->arg[0], e, &x->A[0], m))) return status;
    x->b[0] = dd(1), x->c[0] = x->A[0];
    return LBR_OK;
}

/* --- the operators ----------------------------------------------------------------------------------------------- */

typedef lbr_status maker(const lbr_expr *, lbr_numbers *, lbr_arena *, lbr_message *);

static lbr_status make(lbr_flattening *c, lbr_expr *e, maker *with, const char *source, const char *about,
                       lbr_whole *out)
{
    lbr_method claims = { LBR_SIZED,        .name = e->name, .family = "Runge-Kutta", .form = "runge-kutta",
                          .source = source, .about = about };
    lbr_numbers x = { .kind = lbr_kind_find(claims.form) };
    lbr_status status = with(e, &x, c->arena, c->m);

    if (status || (status = lbr_flatten_consistent(c, claims.name, &x))) return status;
    return x.kind->flatten(c, &claims, &x, out);
}

#define MAKER(name, source, about)                                                \
    static lbr_status make_##name(lbr_flattening *c, lbr_expr *e, lbr_whole *out) \
    {                                                                             \
        return make(c, e, name, source, about, out);                              \
    }
MAKER(collocation, "HLW II.1.3", "collocation at nodes that are given")
MAKER(discontinuous, "HLW II.1.7", "discontinuous collocation: weights at the ends and nodes between them are given")
MAKER(dirk, "HLW V.2.7, VI.4.4",
      "diagonally implicit: steps of the midpoint rule, of theta-methods where a diagonal is given")
MAKER(theta, "HLW V.2.8", "y1 = y + h f((1 - theta) y + theta y1)")

/* A composition as one tableau. */
static lbr_status tableau(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_base base = { .kind = lbr_kind_find("runge-kutta"),
                      .claims = { LBR_SIZED, .name = e->name, .family = "Runge-Kutta", .source = "HLW III.1.28",
                                  .about = "a composition as one tableau" } };
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return lbr_flatten_misused(c, e);
    status = lbr_flatten_as_tableau(c, e->name, e->arg[0], &base.tableau);
    return status ? status : lbr_flatten_base(c, base, &out->kernel);
}

static const lbr_operator operators[] = {
    { .name = "collocation", .run = make_collocation, .use = "collocation(C1, C2, ...), such as collocation(1/3, 1)" },
    { .name = "discontinuous-collocation",
      .run = make_discontinuous,
      .use = "discontinuous-collocation(b1 = B1, bs = BS, C2, C3, ...), such as discontinuous-collocation(b1 = 1/8, bs "
             "= 1/8, 1/3, 2/3)" },
    { .name = "dirk",
      .run = make_dirk,
      .use = "dirk(B1, B2, ...) or dirk(B1, B2, ..., a1 = A11, ...), such as dirk(1/4, 1/2, 1/4)" },
    { .name = "theta", .run = make_theta, .use = "theta(X), such as theta(1/2)" },
    { .name = "tableau",
      .run = tableau,
      .keeps = 1,
      .use = "tableau(METHOD), such as tableau(compose(suzuki:4, midpoint))" },
    { .name = NULL }
};

static const char *const dense[] = { "collocation(...)", NULL };

const lbr_kind lbr_kind_made_tableaux[] = {
    { .name = "made tableaux", .operators = operators, .offers = { [LBR_OFFERS_DENSE] = dense } },
    { .name = NULL }
};
