/* flatten.c - from a method expression to steps of basic maps. SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything that composes, takes adjoints or processes is data here: lists of (basic map, adjoint or not, multiple of
 * h). What a name or an operator stands for, its kind says (kind.h). */
#include "kind.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 1000000, MOST_BASES = 64 };

typedef lbr_flattening context;
typedef lbr_whole whole;

lbr_status lbr_flatten_no_memory(context *c)
{
    return lbr_fail(c->m, LBR_ENOMEM, "out of memory while reading a method");
}

/* --- lists of steps ---------------------------------------------------------------------------------------------- */

static lbr_status new_steps(context *c, int64_t n, lbr_steps *out)
{
    if (n > MOST_STEPS)
        return lbr_fail(c->m, LBR_EMETHOD, "the method expands to %lld steps of its basic map; the limit is %d",
                        (long long)n, MOST_STEPS);
    out->n = 0;
    return (out->step = lbr_arena_alloc(c->arena, n, sizeof *out->step)) ? LBR_OK : lbr_flatten_no_memory(c);
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

lbr_status lbr_flatten_over(context *c, const lbr_numbers *x, lbr_steps map, lbr_steps *out)
{
    lbr_status status = new_steps(c, x->s * map.n, out); /* a list that is in memory, and at most MOST_STEPS */

    for (int64_t k = 0; k < x->s && !status; k++) append(out, map, x->adjoint[k], x->b[k]);
    return status;
}

lbr_status lbr_flatten_multiple(context *c, lbr_steps a, int back, lbr_dd by, lbr_steps *out)
{
    lbr_status status = new_steps(c, a.n, out);

    if (!status) append(out, a, back, by);
    return status;
}

/* --- basic maps -------------------------------------------------------------------------------------------------- */

static int same_base(const lbr_base *a, const lbr_base *b)
{
    if (a->kind != b->kind || !lbr_tableau_same(a->tableau, b->tableau) || !lbr_tableau_same(a->second, b->second))
        return 0;
    return a->kind->same ? a->kind->same(a, b) : a->own == b->own;
}

lbr_status lbr_flatten_base(context *c, lbr_base base, lbr_steps *out)
{
    lbr_flat *f = c->flat;
    lbr_status status;
    int64_t i = 0;

    while (i < f->nbases && !same_base(&f->base[i], &base)) i++;
    if (i == MOST_BASES)
        return lbr_fail(c->m, LBR_EMETHOD, "the method has more than %d different basic maps", MOST_BASES);
    if ((status = new_steps(c, 1, out))) return status;
    out->step[out->n++] = (lbr_step){ .base = (int32_t)i, .c = dd(1) };
    if (i == f->nbases) f->base[f->nbases++] = base;
    return LBR_OK;
}

lbr_status lbr_flatten_around(context *c, const lbr_kind *kind)
{
    lbr_flat *f = c->flat;

    for (int i = 0; i < f->naround; i++)
        if (f->around[i] == kind) return LBR_OK;
    if (f->naround == LBR_AROUND_MOST)
        return lbr_fail(c->m, LBR_EMETHOD, "more than %d operators that change whole methods", LBR_AROUND_MOST);
    f->around[f->naround++] = kind;
    return LBR_OK;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static const lbr_map_def *map_at(const lbr_names *names, int64_t i) { return lbr_strided(names->maps, i); }

static const lbr_method *table_at(const lbr_names *names, int64_t i) { return lbr_strided(names->methods, i); }

static const lbr_map_def *user_map(const lbr_names *names, const char *name)
{
    for (int64_t i = 0; names && i < names->nmaps; i++)
        if (!strcmp(map_at(names, i)->name, name)) return map_at(names, i);
    return NULL;
}

static const lbr_method *user_table(const lbr_names *names, const char *name)
{
    for (int64_t i = 0; names && i < names->nmethods; i++)
        if (table_at(names, i)->name && !strcmp(table_at(names, i)->name, name)) return table_at(names, i);
    return NULL;
}

/* The operator after `op`, NULL being before the first; NULL after the last. */
static const lbr_operator *next_operator(const lbr_operator *op, int *k, const lbr_kind **kind)
{
    if (op && op[1].name) return op + 1;
    do *kind = lbr_kind_next(*kind, k);
    while (*kind && !(*kind)->operators);
    return *kind ? (*kind)->operators : NULL;
}

#define EACH_OPERATOR(op)         \
    int k_ = 0;                   \
    const lbr_kind *kind_ = NULL; \
    for (const lbr_operator *op = next_operator(NULL, &k_, &kind_); op; op = next_operator(op, &k_, &kind_))

/* Of several with this name the one that the first argument chooses; else the first of them. */
const lbr_operator *lbr_operator_of(const lbr_expr *e)
{
    const char *word = e->nargs > 0 && !e->arg[0]->key ? e->arg[0]->name : NULL;
    const lbr_operator *found = NULL;

    if (!e->name) return NULL;
    EACH_OPERATOR(op)
    {
        if (strcmp(op->name, e->name)) continue;
        if (!found) found = op;
        if (op->word && word && !strcmp(op->word, word)) return op;
    }
    return found;
}

/* How an operator is used; where several of its name choose by a word, all of them: "A, B or C". */
static const char *use_of(lbr_flattening *c, const lbr_operator *of)
{
    const char *text = of->use, *last = NULL, *all = NULL;

    if (!of->word) return text;
    EACH_OPERATOR(op)
    {
        if (strcmp(op->name, of->name)) continue;
        if (last) all = all ? lbr_arena_format(c->arena, "%s, %s", all, last) : last;
        last = op->use;
    }
    if (all) text = lbr_arena_format(c->arena, "%s or %s", all, last);
    return text ? text : of->use;
}

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
    for (int64_t i = 0; c->names && i < c->names->nmethods; i++)
        if (table_at(c->names, i)->name) nearer(name, table_at(c->names, i)->name, &least, &near);
    EACH_OPERATOR(op) nearer(name, op->name, &least, &near);
    lbr_row_nearest(name, &least, &near);
    if (near) return lbr_fail(c->m, LBR_EMETHOD, "there is no method '%.60s'; did you mean '%s'?", name, near);
    return lbr_fail(c->m, LBR_EMETHOD, "there is no method '%.60s'; `libration methods` lists all", name);
}

lbr_status lbr_flatten_consistent(context *c, const char *name, const lbr_numbers *x)
{
    lbr_dd sum = dd(0);

    for (int64_t i = 0; i < x->s; i++) sum = dd_add(sum, x->b[i]);
    if (x->kind->table & LBR_ANY_SUM || fabs(sum.hi - 1) < 1e-5) return LBR_OK;
    return lbr_fail(c->m, LBR_EMETHOD, "table '%s': b sums to %.15g instead of 1, so that it is not consistent", name,
                    sum.hi);
}

/* The row that a name stands for, with numbers; e->name becomes the canonical one. */
static lbr_status find_row(context *c, lbr_expr *e, lbr_method *claims, lbr_numbers *x)
{
    lbr_status status;
    const lbr_method *mine = user_table(c->names, e->name);
    const lbr_row *row = lbr_row_find(e->name);

    if (mine && row)
        return lbr_fail(c->m, LBR_EMETHOD, "the table '%s' has the name of a method of the catalogue; choose another",
                        mine->name);
    if (mine) {
        lbr_row own = { .m = *mine };

        if (mine->digits > 0 && (!c->flat->digits || mine->digits < c->flat->digits)) c->flat->digits = mine->digits;
        return (status = lbr_row_numbers(&own, e->k, claims, x, c->arena, c->m))
                   ? status
                   : lbr_flatten_consistent(c, mine->name, x);
    }
    if (!row) return unknown(c, e->name);
    e->name = row->m.name;
    return lbr_row_numbers(row, e->k, claims, x, c->arena, c->m);
}

/* --- maps -------------------------------------------------------------------------------------------------------- */

static lbr_status map_of_row(context *c, const lbr_method *claims, const lbr_numbers *x, whole *out)
{
    lbr_steps base;
    lbr_status status;

    if (x->kind->flatten) return x->kind->flatten(c, claims, x, out);
    status = lbr_flatten_base(c, (lbr_base){ .kind = x->kind, .claims = *claims }, &base);
    return status ? status : lbr_flatten_over(c, x, base, &out->kernel);
}

static lbr_status map_of_operator(context *c, lbr_expr *e, const lbr_operator *op, whole *out)
{
    if (!e->has_args) return lbr_fail(c->m, LBR_EMETHOD, "'%s' needs arguments: %s", op->name, use_of(c, op));
    if (e->k >= 0 && !lbr_row_find(e->name))
        return lbr_fail(c->m, LBR_EMETHOD, "'%s' is not a family: write it without ':%d'", op->name, e->k);
    return op->run(c, e, out);
}

/* The kind whose basic maps are those of systems. */
static const lbr_kind *kind_of_maps(void)
{
    for (int k = 0; lbr_kinds[k]; k++)
        for (const lbr_kind *kind = lbr_kinds[k]; kind->name; kind++)
            if (kind->maps_of_systems) return kind;
    return NULL;
}

static lbr_status map_of_user(context *c, const lbr_expr *e, const lbr_map_def *own, whole *out)
{
    if (e->k >= 0)
        return lbr_fail(c->m, LBR_EMETHOD, "the map '%s' of the system is not a family: write it without ':%d'",
                        e->name, e->k);
    if (lbr_row_find(e->name))
        return lbr_fail(c->m, LBR_EMETHOD,
                        "the map '%s' of the system has the name of a method of the catalogue; choose another",
                        e->name);
    return lbr_flatten_base(c, (lbr_base){ .kind = kind_of_maps(), .own = own }, &out->kernel);
}

static lbr_status map_of(context *c, lbr_expr *e, whole *out)
{
    const lbr_operator *op;
    const lbr_map_def *own;
    lbr_method claims;
    lbr_numbers x;
    lbr_status status;

    *out = (whole){ 0 };
    if (!e->name) return lbr_fail(c->m, LBR_EMETHOD, "a method is expected where the number %s stands", e->number);
    if ((op = lbr_operator_of(e)) && (e->has_args || !lbr_row_find(e->name))) return map_of_operator(c, e, op, out);
    own = user_map(c->names, e->name);
    if (e->has_args) {
        return lbr_row_find(e->name) || user_table(c->names, e->name) || own
                   ? lbr_fail(c->m, LBR_EMETHOD, "'%s' takes no arguments", e->name)
                   : unknown(c, e->name);
    }
    if (own) return map_of_user(c, e, own, out);
    return (status = find_row(c, e, &claims, &x)) ? status : map_of_row(c, &claims, &x, out);
}

/* --- for operators ----------------------------------------------------------------------------------------------- */

lbr_status lbr_flatten_operand(lbr_flattening *c, lbr_expr *e, lbr_steps *out)
{
    whole inner;
    lbr_status status = map_of(c, e, &inner);

    return status ? status : joined(c, &inner, out);
}

lbr_status lbr_flatten_misused(lbr_flattening *c, const lbr_expr *e)
{
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' is used like this: %s", e->name, use_of(c, lbr_operator_of(e)));
}

lbr_status lbr_flatten_table(lbr_flattening *c, const lbr_expr *op, lbr_expr *e, unsigned good, lbr_method *claims,
                             lbr_numbers *x)
{
    lbr_status status;

    if (!e->name || e->has_args || user_map(c->names, e->name)) return lbr_flatten_misused(c, op);
    if ((status = find_row(c, e, claims, x))) return status;
    if (good & x->kind->table) return LBR_OK;
    return lbr_fail(c->m, LBR_EMETHOD, "'%s' is not a table that %s can take: %s", e->name, op->name,
                    use_of(c, lbr_operator_of(op)));
}

/* The row of the catalogue or table of the user that e is, or NULL. */
static const lbr_method *row_of(context *c, const lbr_expr *e)
{
    const lbr_row *row = e->name && !e->has_args ? lbr_row_find(e->name) : NULL;

    return row ? &row->m : e->name && !e->has_args ? user_table(c->names, e->name) : NULL;
}

lbr_status lbr_flatten_inner(lbr_flattening *c, lbr_expr *e, int alternating, lbr_steps *out)
{
    const lbr_operator *op = lbr_operator_of(e);
    const lbr_method *row = row_of(c, e);
    const lbr_kind *kind = row ? lbr_kind_of(row) : NULL;

    if (alternating && op && op->alternating && e->nargs > 0) return op->alternating(c, e, out);
    if (alternating && kind && kind->alternating) return kind->alternating(c, row, out);
    if (kind && kind->inner) return kind->inner(c, row, out);
    if (op && op->composes && e->nargs == 2) e = e->arg[1];
    return lbr_flatten_operand(c, e, out);
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

/* After everything has been looked up, so that aliases are resolved. */
static const char *spell(lbr_arena *arena, const lbr_expr *e)
{
    const char *text;

    if (!e->name) return e->number;
    text = e->k >= 0 ? lbr_arena_format(arena, "%s:%d", e->name, e->k) : e->name;
    for (int i = 0; i < e->nargs && text; i++) {
        const char *arg = spell(arena, e->arg[i]);

        text = arg ? lbr_arena_format(arena, "%s%s%s%s%s", text, i ? ", " : "(", e->arg[i]->key ? e->arg[i]->key : "",
                                      e->arg[i]->key ? " = " : "", arg)
                   : NULL;
    }
    return text && e->nargs ? lbr_arena_format(arena, "%s)", text) : text;
}

/* Claims, where the expression is just a row. */
static lbr_status row_itself(context *c, lbr_expr *e)
{
    if (e->has_args || !e->name || (lbr_operator_of(e) && !lbr_row_find(e->name)) || user_map(c->names, e->name))
        return LBR_OK;
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
    return note->table && note->over ? LBR_OK : lbr_flatten_no_memory(c);
}

lbr_status lbr_flatten(lbr_flat *flat, const char *text, const lbr_names *names, int as_map, lbr_arena *arena,
                       lbr_message *m)
{
    context c = { names, arena, m, flat };
    whole w = { 0 };
    lbr_expr *e;
    lbr_status status;

    *flat = (lbr_flat){ .base = lbr_arena_alloc(arena, MOST_BASES, sizeof *flat->base) };
    if (!flat->base) return lbr_flatten_no_memory(&c);
    if ((status = lbr_expr_parse(&e, text, arena, m)) || (status = row_itself(&c, e))) return status;
    if (e->has_args && lbr_operator_of(e) && lbr_operator_of(e)->no_method)
        return lbr_fail(m, LBR_EMETHOD, "%s(...) is no method by itself: its steps do not make a whole one", e->name);
    if (as_map || !flat->is_row || !(flat->numbers.kind->table & LBR_PROCESSES))
        if ((status = map_of(&c, e, &w))) return status;
    flat->pre = w.pre, flat->kernel = w.kernel, flat->post = w.post;
    if ((status = keep_note(&c, e))) return status;
    return (flat->name = spell(arena, e)) ? LBR_OK : lbr_flatten_no_memory(&c);
}
