/* tableaux.c - Runge-Kutta tableaux that are made: of nodes, of weights, of other tableaux. SPDX-License-Identifier: BSD-3-Clause
 *
 * Integrals of Lagrange's polynomials are taken by Gauss' formula, which is exact for them, over their factors and not over their
 * coefficients: no digits are lost, but for those that the nodes themselves cost. */
#include "tableaux.h"

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

/* --- Lagrange's polynomials ---------------------------------------------------------------------------------- */

int lbr_lagrange_init(lbr_lagrange *l, int m, const lbr_dd *x, lbr_arena *arena)
{
    const lbr_row *gauss = lbr_row_find("gauss");
    lbr_method claims = gauss->m;
    lbr_numbers points;

    *l = (lbr_lagrange){ .m = m, .k = m > 1 ? (m + 1) / 2 : 1 };
    if (gauss->member(l->k, &claims, &points, arena)) return -1;
    for (int i = 0; i < l->k; i++) l->g[i] = points.c[i], l->w[i] = points.b[i];
    for (int j = 0; j < m; j++) {
        lbr_dd d = dd(1);

        for (int k = 0; k < m; k++) if (k != j) d = dd_mul(d, dd_sub(x[j], x[k]));
        l->x[j] = x[j], l->d[j] = dd_div(dd(1), d);
    }
    return 0;
}

lbr_dd lbr_lagrange_value(const lbr_lagrange *l, int j, lbr_dd x)
{
    lbr_dd p = l->d[j];

    for (int k = 0; k < l->m; k++) if (k != j) p = dd_mul(p, dd_sub(x, l->x[k]));
    return p;
}

lbr_dd lbr_lagrange_integral(const lbr_lagrange *l, int j, lbr_dd from, lbr_dd to)
{
    lbr_dd h = dd_sub(to, from), sum = dd(0);

    for (int i = 0; i < l->k; i++) sum = dd_add(sum, dd_mul(l->w[i], lbr_lagrange_value(l, j, dd_add(from, dd_mul(l->g[i], h)))));
    return dd_mul(h, sum);
}

/* --- arguments ------------------------------------------------------------------------------------------------- */

static lbr_status number(const lbr_expr *e, const lbr_expr *of, lbr_dd *x, lbr_message *m)
{
    if (e->name || lbr_dd_read(e->number, x))
        return lbr_fail(m, LBR_EMETHOD, "'%s' takes numbers, such as 0.25 or 1/3; '%.60s' is not one", of->name, e->name ? e->name : e->number);
    if (!(fabs(x->hi) <= 1000)) return lbr_fail(m, LBR_EMETHOD, "'%s' takes numbers up to 1000; %.60s is more", of->name, e->number);
    return LBR_OK;
}

/* The arguments without a key; *n of them, at most `most`. */
static lbr_status numbers(const lbr_expr *e, int most, const char *what, lbr_dd *x, int *n, lbr_message *m)
{
    lbr_status status;

    *n = 0;
    for (int i = 0; i < e->nargs; i++) {
        if (e->arg[i]->key) continue;
        if (*n == most) return lbr_fail(m, LBR_EMETHOD, "'%s' takes at most %d %s; this is one more", e->name, most, what);
        if ((status = number(e->arg[i], e, &x[(*n)++], m))) return status;
    }
    return LBR_OK;
}

static lbr_status no_key(const lbr_expr *e, const lbr_expr *arg, const char *keys, lbr_message *m)
{
    return lbr_fail(m, LBR_EMETHOD, "'%s' has no argument '%.40s = ...'%s", e->name, arg->key, keys);
}

/* --- collocation ------------------------------------------------------------------------------------------------ */

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
            status = lbr_fail(m, LBR_EMETHOD, "'%s': two nodes are equal, or nearly: %.15g and %.15g; they must be different", e->name, x[i - 1].hi, x[i].hi);
    return status;
}

/* What is zero but for round-off becomes it, so that steppers see stages that nobody uses. */
static lbr_dd cleaned(lbr_dd a) { return fabs(a.hi) < 1e-29 ? dd(0) : a; }

/* n nodes and weights at 0 and 1, which have a stage of their own unless they are zero: a_i1 = b_1, a_is = 0,
 * a_ij = int_0^c_i l_j - b_1 l_j(0), b_j = int_0^1 l_j - b_1 l_j(0) - b_s l_j(1) (HLW II.1.18 and the proof of II.1.8). */
static lbr_status collocate(int n, const lbr_dd *node, lbr_dd first, lbr_dd last, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    int left = first.hi != 0, s = n + left + (last.hi != 0);
    lbr_lagrange l;

    if (room(x, s, arena) || lbr_lagrange_init(&l, n, node, arena)) return no_memory(m);
    for (int i = 0; i < s; i++) {
        x->c[i] = i < left ? dd(0) : i < left + n ? node[i - left] : dd(1);
        if (i < left) x->b[i] = first;
        if (i >= left + n) x->b[i] = last;
        if (left) x->A[i * s] = first;
        for (int j = 0; j < n; j++)
            x->A[i * s + left + j] = cleaned(dd_sub(lbr_lagrange_integral(&l, j, dd(0), x->c[i]), dd_mul(first, lbr_lagrange_value(&l, j, dd(0)))));
    }
    for (int j = 0; j < n; j++) {
        lbr_dd ends = dd_add(dd_mul(first, lbr_lagrange_value(&l, j, dd(0))), dd_mul(last, lbr_lagrange_value(&l, j, dd(1))));

        x->b[left + j] = cleaned(dd_sub(lbr_lagrange_integral(&l, j, dd(0), dd(1)), ends));
    }
    return LBR_OK;
}

static lbr_status collocation(const lbr_expr *e, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_dd node[LBR_NODES_MOST];
    lbr_status status;
    int n;

    for (int i = 0; i < e->nargs; i++) if (e->arg[i]->key) return no_key(e, e->arg[i], "; its arguments are nodes", m);
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
        return lbr_fail(m, LBR_EMETHOD, "'%s' without nodes needs b1 + bs = 1; it is %.15g", e->name, dd_double(dd_add(end[0], end[1])));
    return collocate(n, node, end[0], end[1], x, arena, m);
}

/* --- diagonally implicit ------------------------------------------------------------------------------------------ */

/* "a3" of n stages is 2, anything else -1. */
static int diagonal(const char *key, int n)
{
    int i = 0;

    if (key[0] != 'a' || strspn(key + 1, "0123456789") != strlen(key + 1) || strlen(key) > 3 || key[1] == '0') return -1;
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
    if (n == 0) return lbr_fail(m, LBR_EMETHOD, "'%s' needs weights b1, b2, ... beside the entries of the diagonal", e->name);
    if (room(x, n, arena)) return no_memory(m);
    for (int i = 0; i < n; i++) {
        if (b[i].hi == 0) return lbr_fail(m, LBR_EMETHOD, "'%s': weight %d is zero, so that its stage would do nothing; leave it out", e->name, i + 1);
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

    if (e->nargs != 1 || e->arg[0]->key) return lbr_fail(m, LBR_EMETHOD, "'%s' takes one number: theta(1/2) is the midpoint rule", e->name);
    if (room(x, 1, arena)) return no_memory(m);
    if ((status = number(e->arg[0], e, &x->A[0], m))) return status;
    x->b[0] = dd(1), x->c[0] = x->A[0];
    return LBR_OK;
}

/* --- the operators ------------------------------------------------------------------------------------------------ */

static const struct { const char *name;  lbr_status (*make)(const lbr_expr *, lbr_numbers *, lbr_arena *, lbr_message *);  const char *source, *about; } makers[] = {
    { "collocation", collocation, "HLW II.1.3", "collocation at nodes that are given" },
    { "discontinuous-collocation", discontinuous, "HLW II.1.7", "discontinuous collocation: weights at the ends and nodes between them are given" },
    { "dirk", dirk, "HLW V.2.7, VI.4.4", "diagonally implicit: steps of the midpoint rule, of theta-methods where a diagonal is given" },
    { "theta", theta, "HLW V.2.8", "y1 = y + h f((1 - theta) y + theta y1)" },
};

lbr_status lbr_tableau_make(const lbr_expr *e, lbr_method *claims, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    size_t i = 0;

    while (strcmp(makers[i].name, e->name)) i++;
    *x = (lbr_numbers){ .form = LBR_RUNGE_KUTTA };
    *claims = (lbr_method){ LBR_SIZED, .name = e->name, .family = "Runge-Kutta", .source = makers[i].source, .about = makers[i].about };
    return makers[i].make(e, x, arena, m);
}

/* --- of other tableaux ---------------------------------------------------------------------------------------------- */

static lbr_tableau *tableau(lbr_numbers *x, int64_t s, lbr_arena *arena)
{
    lbr_tableau *t = lbr_arena_alloc(arena, 1, sizeof *t);

    if (!t || room(x, s, arena)) return NULL;
    *t = (lbr_tableau){ s, 1, x->A, x->b, x->c };
    return t;
}

lbr_tableau *lbr_tableau_adjoint(lbr_tableau *t, lbr_arena *arena)
{
    int64_t s = t->s, same = 1;
    lbr_numbers x;
    lbr_tableau *out = tableau(&x, s, arena);

    if (!out) return NULL;
    for (int64_t i = 0; i < s; i++) {
        x.b[i] = t->b[s - 1 - i];
        x.c[i] = dd_sub(dd(1), t->c[s - 1 - i]);
        for (int64_t j = 0; j < s; j++) {
            lbr_dd a = dd_sub(t->b[s - 1 - j], t->A[(s - 1 - i) * s + s - 1 - j]);

            if (fabs(a.hi) < 1e-28) a = dd(0);
            x.A[i * s + j] = a;
            same &= fabs(dd_double(dd_sub(a, t->A[i * s + j]))) < 1e-26;
            out->is_explicit &= j < i || a.hi == 0;
        }
        same &= fabs(dd_double(dd_sub(x.b[i], t->b[i]))) < 1e-26;
        if (lbr_tableau_place(t, i).hi != t->c[i].hi) same &= fabs(dd_double(dd_sub(x.c[i], t->c[i]))) < 1e-12;
    }
    return same ? t : out;
}

/* Stage i of step c of a part, from stage `first` on: what has been done before, and a multiple of its own row. */
static void place(lbr_numbers *x, int64_t first, lbr_dd time, lbr_dd c, const lbr_tableau *part)
{
    int64_t S = x->s;

    for (int64_t i = 0; i < part->s; i++) {
        lbr_dd *row = x->A + (first + i) * S;

        for (int64_t k = 0; k < first; k++) row[k] = x->b[k];
        for (int64_t k = 0; k < part->s; k++) row[first + k] = dd_mul(c, part->A[i * part->s + k]);
        x->c[first + i] = dd_add(time, dd_mul(c, part->c[i]));
    }
    for (int64_t i = 0; i < part->s; i++) x->b[first + i] = dd_mul(c, part->b[i]);
}

lbr_tableau *lbr_tableau_compose(int64_t n, const lbr_dd *c, const lbr_tableau *const *part, lbr_arena *arena)
{
    int64_t s = 0, first = 0;
    lbr_dd time = dd(0);
    lbr_numbers x;
    lbr_tableau *out;

    for (int64_t k = 0; k < n; k++) s += part[k]->s;
    if (!(out = tableau(&x, s, arena))) return NULL;
    for (int64_t k = 0; k < n; k++) {
        place(&x, first, time, c[k], part[k]);
        out->is_explicit &= part[k]->is_explicit;
        time = dd_add(time, c[k]), first += part[k]->s;
    }
    return out;
}
