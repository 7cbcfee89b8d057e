/* flatten.c - from a method expression to steps of basic maps. SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything that composes, takes adjoints or processes is data here: lists of (basic map, adjoint or not, multiple of
 * h). To add an operator: one function, one row in the table. */
#include "derived.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 1000000, MOST_BASES = 64 };

typedef lbr_flattening context;
typedef lbr_whole whole;

static lbr_status no_memory(context *c) { return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method"); }

/* --- lists of steps ------------------------------------------------------------------------------------ */

static lbr_status new_steps(context *c, int64_t n, lbr_steps *out)
{
    if (n > MOST_STEPS) return lbr_fail(c->m, LBR_EMETHOD, "the method expands to %lld steps of its basic map; the limit is %d", (long long)n, MOST_STEPS);
    out->n = 0;
    return (out->step = lbr_arena_alloc(c->arena, n, sizeof *out->step)) ? LBR_OK : no_memory(c);
}

/* Appends a, or its adjoint, with all steps multiplied by `by`. */
static void append(lbr_steps *to, lbr_steps a, int adjoint, lbr_dd by)
{
    for (int64_t i = 0; i < a.n; i++) {
        lbr_step s = a.step[adjoint ? a.n - 1 - i : i];
        s.adjoint ^= adjoint;
        s.c = dd_mul(s.c, by);
        to->step[to->n++] = s;
    }
}

/* pre, kernel and post as one list: the map as a single step. */
static lbr_status joined(context *c, const whole *w, lbr_steps *out)
{
    lbr_status status = new_steps(c, w->pre.n + w->kernel.n + w->post.n, out);

    if (status) return status;
    append(out, w->pre, 0, dd(1)), append(out, w->kernel, 0, dd(1)), append(out, w->post, 0, dd(1));
    return LBR_OK;
}

/* The steps of a table over a map. */
static lbr_status over(context *c, const lbr_numbers *x, lbr_steps map, lbr_steps *out)
{
    lbr_status status = map.n > 0 && x->s > MOST_STEPS / map.n ? new_steps(c, INT64_MAX, out) : new_steps(c, x->s * map.n, out);

    for (int64_t k = 0; k < x->s && !status; k++) append(out, map, x->adjoint[k], x->b[k]);
    return status;
}

/* --- basic maps ------------------------------------------------------------------------------------------ */

static int same_tableau(const lbr_tableau *a, const lbr_tableau *b)
{
    if (!a || !b) return a == b;
    return a->s == b->s && !memcmp(a->A, b->A, (size_t)(a->s * a->s) * sizeof *a->A) && !memcmp(a->b, b->b, (size_t)a->s * sizeof *a->b) && !memcmp(a->c, b->c, (size_t)a->s * sizeof *a->c);
}

static int same_base(const lbr_base *a, const lbr_base *b)
{
    if (a->kind != b->kind || a->map != b->map || a->nparts != b->nparts || a->constrained != b->constrained || !same_tableau(a->tableau, b->tableau) || !same_tableau(a->second, b->second) || !lbr_derived_same(a->derived, b->derived) || !lbr_nystrom_same(a->nystrom, b->nystrom) || a->projection != b->projection || a->rigid != b->rigid) return 0;
    for (int64_t i = 0; i < a->nparts; i++) if (strcmp(a->part[i], b->part[i]) || (a->by && !same_tableau(a->by[i], b->by[i]))) return 0;
    return 1;
}

/* One step of a basic map, which is entered where it is new. */
static lbr_status new_base(context *c, lbr_base base, lbr_steps *out)
{
    lbr_flat *f = c->flat;
    lbr_status status;
    int64_t i = 0;

    while (i < f->nbases && !same_base(&f->base[i], &base)) i++;
    if (i == MOST_BASES) return lbr_fail(c->m, LBR_EMETHOD, "the method has more than %d different basic maps", MOST_BASES);
    if ((status = new_steps(c, 1, out))) return status;
    out->step[out->n++] = (lbr_step){ .base = (int32_t)i, .c = dd(1) };
    if (i == f->nbases) f->base[f->nbases++] = base;
    return LBR_OK;
}

static lbr_tableau *tableau_of(context *c, int64_t s, const lbr_dd *A, const lbr_dd *b, const lbr_dd *nodes)
{
    lbr_tableau *t = lbr_arena_alloc(c->arena, 1, sizeof *t);

    if (t) *t = (lbr_tableau){ s, 1, A, b, nodes };
    for (int64_t i = 0; t && i < s; i++)
        for (int64_t j = i; j < s; j++) t->is_explicit &= A[i * s + j].hi == 0;
    return t;
}

/* One tableau, or a pair where x has a second one. */
static lbr_status runge_kutta(context *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps *out)
{
    lbr_base base = { .kind = x->A2 ? LBR_BASE_PAIR : LBR_BASE_RUNGE_KUTTA, .constrained = x->form == LBR_CONSTRAINED, .tableau = tableau_of(c, x->s, x->A, x->b, x->c), .claims = *claims };

    if (x->A2) base.second = tableau_of(c, x->s, x->A2, x->b2, x->c2);
    return base.tableau && (base.second || !x->A2) ? new_base(c, base, out) : no_memory(c);
}

/* --- names ------------------------------------------------------------------------------------------------ */

static const lbr_map_def *map_at(const lbr_names *names, int64_t i)
{
    return (const lbr_map_def *)((const char *)names->maps + (size_t)i * names->maps->size);
}

static const lbr_method *table_at(const lbr_names *names, int64_t i)
{
    return (const lbr_method *)((const char *)names->methods + (size_t)i * names->methods->size);
}

static const lbr_map_def *user_map(const lbr_names *names, const char *name)
{
    for (int64_t i = 0; names && i < names->nmaps; i++) if (!strcmp(map_at(names, i)->name, name)) return map_at(names, i);
    return NULL;
}

static const lbr_method *user_table(const lbr_names *names, const char *name)
{
    for (int64_t i = 0; names && i < names->nmethods; i++)
        if (table_at(names, i)->name && !strcmp(table_at(names, i)->name, name)) return table_at(names, i);
    return NULL;
}

typedef struct operator { const char *name; lbr_operator_fn *run; const char *use; } operator;
static const operator *find_operator(const char *name);
static const char *operator_name(size_t i);

/* Keeps the nearer one of two names. */
static void nearer(const char *name, const char *other, int *least, const char **near)
{
    int d = lbr_text_distance(name, other);

    if (d < *least) *least = d, *near = other;
}

static lbr_status unknown(context *c, const char *name)
{
    const char *near = NULL;
    int least = 2 + (int)strlen(name) / 3;

    for (int64_t i = 0; c->names && i < c->names->nmaps; i++) nearer(name, map_at(c->names, i)->name, &least, &near);
    for (int64_t i = 0; c->names && i < c->names->nmethods; i++) if (table_at(c->names, i)->name) nearer(name, table_at(c->names, i)->name, &least, &near);
    for (size_t i = 0; operator_name(i); i++) nearer(name, operator_name(i), &least, &near);
    lbr_row_nearest(name, &least, &near);
    if (near) return lbr_fail(c->m, LBR_EMETHOD, "there is no method '%.60s'; did you mean '%s'?", name, near);
    return lbr_fail(c->m, LBR_EMETHOD, "there is no method '%.60s'; `libration methods` lists all", name);
}

/* All the steps of a method make one step. */
static lbr_status consistent(context *c, const char *name, const lbr_numbers *x)
{
    lbr_dd sum = dd(0);

    for (int64_t i = 0; i < x->s; i++) sum = dd_add(sum, x->b[i]);
    if (lbr_is_processor(x->form) || x->form == LBR_GENERATING_S1 || x->form == LBR_GENERATING_S3 || fabs(sum.hi - 1) < 1e-5) return LBR_OK;
    return lbr_fail(c->m, LBR_EMETHOD, "table '%s': b sums to %.15g instead of 1, so that it is not consistent", name, sum.hi);
}

/* The row that a name stands for, with numbers; e->name becomes the canonical one. */
static lbr_status find_row(context *c, lbr_expr *e, lbr_method *claims, lbr_numbers *x)
{
    lbr_status status;
    const lbr_method *mine = user_table(c->names, e->name);
    const lbr_row *row = lbr_row_find(e->name);

    if (mine && row) return lbr_fail(c->m, LBR_EMETHOD, "the table '%s' has the name of a method of the catalogue; choose another", mine->name);
    if (mine) {
        lbr_row own = { .m = *mine };

        if (mine->digits > 0 && (!c->flat->digits || mine->digits < c->flat->digits)) c->flat->digits = mine->digits;
        return (status = lbr_row_numbers(&own, e->k, claims, x, c->arena, c->m)) ? status : consistent(c, mine->name, x);
    }
    if (!row) return unknown(c, e->name);
    e->name = row->m.name;
    return lbr_row_numbers(row, e->k, claims, x, c->arena, c->m);
}

/* --- maps --------------------------------------------------------------------------------------------------- */

static lbr_status map_of(context *c, lbr_expr *e, whole *out);

static lbr_status euler(context *c, const lbr_numbers *x, lbr_steps *out)
{
    lbr_steps one;
    lbr_status status = new_base(c, (lbr_base){ .kind = LBR_BASE_EULER }, &one);

    return status ? status : over(c, x, one, out);
}

/* A composition alone is over Verlet, drift first: same cost as kick first, and a smaller error more often than not. */
static lbr_status verlet(context *c, lbr_steps *out)
{
    lbr_dd b[2] = { dd(0.5), dd(0.5) };
    unsigned char adjoint[2] = { 1, 0 };

    return euler(c, &(lbr_numbers){ .s = 2, .b = b, .adjoint = adjoint }, out);
}

static lbr_status all_parts(context *c, const lbr_numbers *x, lbr_steps *out)
{
    lbr_steps one;
    lbr_status status = new_base(c, (lbr_base){ .kind = LBR_BASE_PARTS }, &one);

    return status ? status : over(c, x, one, out);
}

/* An alternation alone is over the map that its row names. */
static lbr_status over_kernel(context *c, const lbr_method *claims, const lbr_numbers *x, whole *out)
{
    const lbr_row *row = lbr_row_find(claims->kernel);
    lbr_method its;
    lbr_numbers y;
    whole inner = { 0 };
    lbr_status status;

    if (!row || row->m.form != LBR_PARTITIONED)
        return lbr_fail(c->m, LBR_EMETHOD, "table '%s' is to be over '%.60s', which is not a partitioned method of the catalogue", claims->name, claims->kernel);
    if ((status = lbr_row_numbers(row, -1, &its, &y, c->arena, c->m)) || (status = euler(c, &y, &inner.kernel))) return status;
    return over(c, x, inner.kernel, &out->kernel);
}

/* One step of itself: there is nothing to choose. */
static lbr_status shake(context *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps *out)
{
    if (x->s != 1 || x->b[0].hi != 1 || x->b[0].lo != 0) return lbr_fail(c->m, LBR_EMETHOD, "table '%s': SHAKE has one coefficient b, which is 1", claims->name);
    return lbr_flatten_derived(c, (lbr_derived){ .kind = &lbr_atom_shake, .needs = "constraints quadratic-kinetic constant-step" }, claims, out);
}

/* Two kicks, before and after. */
static lbr_status reduced_body(context *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps *out)
{
    if (x->s != 2) return lbr_fail(c->m, LBR_EMETHOD, "table '%s': b has %lld entries; a rigid body is kicked twice, before and after its free step", claims->name, (long long)x->s);
    return lbr_flatten_derived(c, (lbr_derived){ .kind = &lbr_atom_moser_veselov, .n = 2, .b = x->b, .needs = "reduced-body" }, claims, out);
}

static lbr_status map_of_row(context *c, const lbr_method *claims, const lbr_numbers *x, whole *out)
{
    lbr_steps base;
    lbr_status status;

    switch (x->form) {
    case LBR_RUNGE_KUTTA: case LBR_PAIR: case LBR_CONSTRAINED: return runge_kutta(c, claims, x, &out->kernel);
    case LBR_PARTITIONED: return euler(c, x, &out->kernel);
    case LBR_ALTERNATION: return claims->kernel ? over_kernel(c, claims, x, out) : all_parts(c, x, &out->kernel);
    case LBR_COMPOSITION: return (status = verlet(c, &base)) ? status : over(c, x, base, &out->kernel);
    case LBR_GENERATING_S1: case LBR_GENERATING_S3: return lbr_flatten_derived(c, lbr_derived_generating(x), claims, &out->kernel);
    case LBR_VOLUME: return (status = lbr_flatten_derived(c, (lbr_derived){ .kind = &lbr_atom_volume, .needs = "field divergence-free" }, claims, &base)) ? status : over(c, x, base, &out->kernel);
    case LBR_SHAKE: return shake(c, claims, x, &out->kernel);
    case LBR_QUADRATIC: return (status = lbr_flatten_derived(c, (lbr_derived){ .kind = &lbr_atom_kahan, .needs = "field quadratic" }, claims, &base)) ? status : over(c, x, base, &out->kernel);
    case LBR_TWO_STEP: return (status = lbr_flatten_derived(c, (lbr_derived){ .kind = &lbr_atom_two_step, .needs = "quadratic-kinetic" }, claims, &base)) ? status : over(c, x, base, &out->kernel);
    case LBR_RIGID: return (status = new_base(c, (lbr_base){ .kind = LBR_BASE_RIGID, .rigid = strcmp(claims->name, "three-rotations") ? LBR_RIGID_SYMMETRIC : LBR_RIGID_THREE }, &base)) ? status : over(c, x, base, &out->kernel);
    case LBR_REDUCED_BODY: return reduced_body(c, claims, x, &out->kernel);
    case LBR_NYSTROM: return lbr_flatten_nystrom(c, claims, lbr_nystrom_of_numbers(x, c->arena), &out->kernel);
    case LBR_PROCESSOR: case LBR_CORRECTOR: break;
    }
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' is a processor, not a method: write process(%s, %s)", claims->name, claims->kernel ? claims->kernel : "KERNEL", claims->name);
}

static lbr_status map_of(context *c, lbr_expr *e, whole *out)
{
    const operator *op;
    const lbr_map_def *own;
    lbr_method claims;
    lbr_numbers x;
    lbr_status status;

    *out = (whole){ 0 };
    if (!e->name) return lbr_fail(c->m, LBR_EMETHOD, "a method is expected where the number %s stands", e->number);
    if ((op = find_operator(e->name)) && (e->has_args || !lbr_row_find(e->name))) {
        if (!e->has_args) return lbr_fail(c->m, LBR_EMETHOD, "'%s' needs arguments: %s", op->name, op->use);
        if (e->k >= 0 && !lbr_row_find(e->name)) return lbr_fail(c->m, LBR_EMETHOD, "'%s' is not a family: write it without ':%d'", op->name, e->k);
        return op->run(c, e, out);
    }
    if (e->has_args) {
        return lbr_row_find(e->name) || user_table(c->names, e->name) || user_map(c->names, e->name)
            ? lbr_fail(c->m, LBR_EMETHOD, "'%s' takes no arguments", e->name) : unknown(c, e->name);
    }
    if ((own = user_map(c->names, e->name))) {
        if (e->k >= 0) return lbr_fail(c->m, LBR_EMETHOD, "the map '%s' of the system is not a family: write it without ':%d'", e->name, e->k);
        if (lbr_row_find(e->name)) return lbr_fail(c->m, LBR_EMETHOD, "the map '%s' of the system has the name of a method of the catalogue; choose another", e->name);
        return new_base(c, (lbr_base){ .kind = LBR_BASE_MAP, .map = own }, &out->kernel);
    }
    return (status = find_row(c, e, &claims, &x)) ? status : map_of_row(c, &claims, &x, out);
}

lbr_status lbr_flatten_operand(lbr_flattening *c, lbr_expr *e, lbr_steps *out)
{
    whole inner;
    lbr_status status = map_of(c, e, &inner);

    return status ? status : joined(c, &inner, out);
}

lbr_status lbr_flatten_base(lbr_flattening *c, lbr_base base, lbr_steps *out) { return new_base(c, base, out); }

lbr_status lbr_flatten_tableau(lbr_flattening *c, const lbr_method *claims, const lbr_numbers *x, lbr_steps *out)
{
    lbr_status status = consistent(c, claims->name, x);

    return status ? status : runge_kutta(c, claims, x, out);
}

/* --- operators ------------------------------------------------------------------------------------------------ */

static lbr_status wrong_use(context *c, const operator *op)
{
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' is used like this: %s", op->name, op->use);
}

lbr_status lbr_flatten_misused(lbr_flattening *c, const char *name) { return wrong_use(c, find_operator(name)); }

/* The table that an argument names; `forms` says which ones will do. */
static lbr_status table_of(context *c, const operator *op, lbr_expr *e, unsigned forms, lbr_method *claims, lbr_numbers *x)
{
    lbr_status status;

    if (!e->name || e->has_args || user_map(c->names, e->name)) return wrong_use(c, op);
    if ((status = find_row(c, e, claims, x))) return status;
    if (!(forms >> x->form & 1))
        return lbr_fail(c->m, LBR_EMETHOD, "'%s' is not a table that %s can take: %s", e->name, op->name, op->use);
    return LBR_OK;
}

#define TABLES (1u << LBR_COMPOSITION | 1u << LBR_ALTERNATION)

static lbr_status compose(context *c, lbr_expr *e, whole *out)
{
    const operator *op = find_operator("compose");
    lbr_method claims;
    lbr_numbers x;
    whole inner;
    lbr_steps one;
    lbr_status status;

    if (e->nargs != 2 || e->arg[0]->key || e->arg[1]->key) return wrong_use(c, op);
    if ((status = table_of(c, op, e->arg[0], TABLES, &claims, &x))) return status;
    if ((status = map_of(c, e->arg[1], &inner)) || (status = joined(c, &inner, &one)) || (status = lbr_flatten_composed(c, &claims, &x, one))) return status;
    return over(c, &x, one, &out->kernel);
}

static lbr_status adjoint(context *c, lbr_expr *e, whole *out)
{
    whole inner;
    lbr_steps one;
    lbr_status status;

    if (e->nargs != 1 || e->arg[0]->key) return wrong_use(c, find_operator("adjoint"));
    if ((status = map_of(c, e->arg[0], &inner)) || (status = joined(c, &inner, &one))) return status;
    if ((status = new_steps(c, one.n, &out->kernel))) return status;
    append(&out->kernel, one, 1, dd(1));
    return LBR_OK;
}

lbr_status lbr_flatten_inner(lbr_flattening *c, lbr_expr *e, lbr_steps *base)
{
    const operator *op = e->name ? find_operator(e->name) : NULL;
    const lbr_row *row = e->name ? lbr_row_find(e->name) : NULL;
    const lbr_method *mine = e->name ? user_table(c->names, e->name) : NULL;

    if ((row && row->m.form == LBR_COMPOSITION) || (mine && mine->form == LBR_COMPOSITION)) return verlet(c, base);
    if (op && op->run == compose && e->nargs == 2) e = e->arg[1];
    return lbr_flatten_operand(c, e, base);
}

lbr_status lbr_flatten_table(lbr_flattening *c, const char *op, lbr_expr *e, unsigned forms, lbr_numbers *x)
{
    lbr_method claims;

    return table_of(c, find_operator(op), e, forms, &claims, x);
}

lbr_status lbr_flatten_over(lbr_flattening *c, const lbr_numbers *x, lbr_steps map, lbr_steps *out) { return over(c, x, map, out); }

lbr_status lbr_flatten_multiple(lbr_flattening *c, lbr_steps a, int back, lbr_dd by, lbr_steps *out)
{
    lbr_status status = new_steps(c, a.n, out);

    if (!status) append(out, a, back, by);
    return status;
}

static const operator operators[] = {
    { "compose", compose, "compose(TABLE, METHOD), such as compose(kahan-li-8-17, midpoint)" },
    { "adjoint", adjoint, "adjoint(METHOD)" },
    { "split", lbr_operator_split, "split(TABLE) or split(TABLE, PART, PART = METHOD, ...), such as split(strang, A, B) or split(strang, A, B = midpoint)" },
    { "process", lbr_operator_process, "process(KERNEL, PROCESSOR), such as process(effective-6-9, effective-6-9-processor)" },
    { "variational", lbr_operator_variational, "variational(TABLEAU), such as variational(midpoint), variational(trapezoidal), variational(gauss:3); variational(own) for a discrete Lagrangian of the system" },
    { "scale", lbr_operator_scale, "scale(NUMBER, METHOD), a multiple of a step, as in process(split(lie-trotter, A, B), scale(1/2, split(lie-trotter, A)))" },
    { "collocation", lbr_operator_made, "collocation(C1, C2, ...), such as collocation(1/3, 1)" },
    { "discontinuous-collocation", lbr_operator_made, "discontinuous-collocation(b1 = B1, bs = BS, C2, C3, ...), such as discontinuous-collocation(b1 = 1/8, bs = 1/8, 1/3, 2/3)" },
    { "dirk", lbr_operator_made, "dirk(B1, B2, ...) or dirk(B1, B2, ..., a1 = A11, ...), such as dirk(1/4, 1/2, 1/4)" },
    { "theta", lbr_operator_made, "theta(X), such as theta(1/2)" },
    { "tableau", lbr_operator_tableau, "tableau(METHOD), such as tableau(compose(suzuki:4, midpoint))" },
    { "pair", lbr_operator_pair, "pair(M, N) with two Runge-Kutta methods, M for positions, N for momenta, such as pair(lobatto-3a:3, lobatto-3b:3)" },
    { "additive", lbr_operator_additive, "additive(M, N, PART, PART) with two Runge-Kutta methods, one for each part, such as additive(lobatto-3a:2, lobatto-3b:2, A, B)" },
    { "hager", lbr_operator_hager, "hager(M) with a Runge-Kutta method, such as hager(rk4): M for positions and its symplectic partner for momenta" },
    { "nystrom", lbr_operator_nystrom, "nystrom(METHOD), such as nystrom(gauss:3) or nystrom(kahan-li-8-17)" },
    { "burton-scherer", lbr_operator_burton_scherer, "burton-scherer:s or burton-scherer:s(theta = NUMBER), such as burton-scherer:2(theta = 0.05)" },
    { "reduced", lbr_operator_reduced, "reduced(METHOD) with a method for fields, such as reduced(rk4): constraints are differentiated and their multipliers eliminated" },
    { "project", lbr_operator_project, "project(KIND, METHOD) or project(KIND, METHOD, INVARIANT, ..., WORD = VALUE) with standard, symmetric or post for KIND, such as project(symmetric, trapezoidal), "
                                       "project(standard, rk4, H, weights = velocities)" },
    { "local", lbr_operator_project, "local(KIND, METHOD) or local(KIND, METHOD, INVARIANT, ...) with standard or symmetric for KIND and a Runge-Kutta method, such as local(symmetric, trapezoidal)" },
    { NULL, NULL, NULL }
};

static const operator *find_operator(const char *name)
{
    for (const operator *o = operators; o->name; o++) if (!strcmp(o->name, name)) return o;
    return NULL;
}

static const char *operator_name(size_t i) { return operators[i].name; }

/* --- the whole ---------------------------------------------------------------------------------------------------- */

/* After everything has been looked up, so that aliases are resolved. */
static const char *spell(lbr_arena *arena, const lbr_expr *e)
{
    const char *text;

    if (!e->name) return e->number;
    text = e->k >= 0 ? lbr_arena_format(arena, "%s:%d", e->name, e->k) : e->name;
    for (int i = 0; i < e->nargs && text; i++) {
        const char *arg = spell(arena, e->arg[i]);

        text = arg ? lbr_arena_format(arena, "%s%s%s%s%s", text, i ? ", " : "(", e->arg[i]->key ? e->arg[i]->key : "",
                                      e->arg[i]->key ? " = " : "", arg) : NULL;
    }
    return text && e->nargs ? lbr_arena_format(arena, "%s)", text) : text;
}

/* Claims, where the expression is just a row. */
static lbr_status row_itself(context *c, lbr_expr *e)
{
    if (e->has_args || !e->name || (find_operator(e->name) && !lbr_row_find(e->name)) || user_map(c->names, e->name)) return LBR_OK;
    c->flat->is_row = 1;
    return find_row(c, e, &c->flat->claims, &c->flat->numbers);
}

/* What was noted of a table stays if the whole method is what it composes. */
static lbr_status keep_note(context *c, const lbr_expr *e)
{
    const lbr_expr *whole_of = lbr_expr_composing(e);
    lbr_composed *note = (lbr_composed *)c->flat->composed;

    if (!whole_of) c->flat->composed = NULL;
    if (!whole_of || !note) return LBR_OK;
    note->table = spell(c->arena, whole_of->arg[0]), note->over = spell(c->arena, whole_of->arg[1]);
    return note->table && note->over ? LBR_OK : no_memory(c);
}

lbr_status lbr_flatten(lbr_flat *flat, const char *text, const lbr_names *names, int as_map, lbr_arena *arena, lbr_message *m)
{
    context c = { names, arena, m, flat };
    whole w = { 0 };
    lbr_expr *e;
    lbr_status status;

    *flat = (lbr_flat){ .base = lbr_arena_alloc(arena, MOST_BASES, sizeof *flat->base) };
    if (!flat->base) return no_memory(&c);
    if ((status = lbr_expr_parse(&e, text, arena, m)) || (status = row_itself(&c, e))) return status;
    if (e->name && e->has_args && !strcmp(e->name, "scale")) return lbr_fail(m, LBR_EMETHOD, "scale(...) is no method by itself: its steps do not make a whole one");
    if (as_map || !flat->is_row || !lbr_is_processor(flat->numbers.form))
        if ((status = map_of(&c, e, &w))) return status;
    flat->pre = w.pre, flat->kernel = w.kernel, flat->post = w.post;
    if ((status = keep_note(&c, e))) return status;
    return (flat->name = spell(arena, e)) ? LBR_OK : no_memory(&c);
}
