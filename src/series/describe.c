/* describe.c - everything about one method expression, without a system. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "order.h"
#include "libration/series.h"
#include "plan/kind.h"

#include <string.h>

enum { DIGITS = 31 };

typedef struct description {
    lbr_method_info i; /* first, so that one pointer is the other */
    lbr_arena arena;
    lbr_message message;
    int timed; /* the note is about t */
    struct lbr_named_list list[LBR_LISTS_MOST];
} description;

static lbr_status no_memory(description *d)
{
    return lbr_fail(&d->message, LBR_ENOMEM, "out of memory while describing a method");
}

/* Numbers as text. */
static lbr_status add_list(description *d, const char *name, int64_t n, const lbr_dd *x)
{
    const char **text = lbr_arena_alloc(&d->arena, n, sizeof *text);
    char buffer[LBR_DD_TEXT];

    for (int64_t k = 0; text && k < n; k++)
        if (!(text[k] = lbr_arena_text(&d->arena, lbr_dd_write(x[k], DIGITS, buffer)))) return no_memory(d);
    if (!text) return no_memory(d);
    d->list[d->i.nlists++] = (struct lbr_named_list){ name, { n, text } };
    return LBR_OK;
}

/* The row's own text, so that no published digit is lost; expanded if it is half of a palindrome. */
static lbr_status add_text(description *d, const char *name, const lbr_list *half, int64_t n, const lbr_dd *x)
{
    const char **text = lbr_arena_alloc(&d->arena, n, sizeof *text);

    if (!text) return no_memory(d);
    for (int64_t k = 0; k < n; k++) {
        text[k] = half->text[k < half->n ? k : n - 1 - k];
        if (strchr(text[k], '/')) return add_list(d, name, n, x); /* fractions are written as decimals */
    }
    d->list[d->i.nlists++] = (struct lbr_named_list){ name, { n, text } };
    return LBR_OK;
}

/* The base of an expression that is one whole step of a tableau or a pair, or of its adjoint; NULL if it is anything
 * else. */
static const lbr_base *one_tableau(const lbr_flat *f)
{
    const lbr_step *s = f->kernel.step;

    if (f->pre.n || f->post.n || f->kernel.n != 1 || s->c.hi != 1 || s->c.lo != 0) return NULL;
    return f->base[s->base].tableau ? &f->base[s->base] : NULL;
}

/* A, b, c; of a pair with A_hat, b_hat, c_hat after them. */
static lbr_status tableau_lists(description *d, lbr_tableau *t, int adjoint, const char *const name[3])
{
    lbr_status status;

    if (adjoint && !(t = lbr_tableau_adjoint(t, &d->arena))) return no_memory(d);
    return (status = add_list(d, name[0], t->s * t->s, t->A)) || (status = add_list(d, name[1], t->s, t->b))
               ? status
               : add_list(d, name[2], t->s, t->c);
}

/* The lists that a kind names. */
static lbr_status kind_lists(description *d, const lbr_base *b)
{
    lbr_named_numbers to[LBR_LISTS_MOST];
    lbr_status status = LBR_OK;
    int n = b->kind->lists(b, to);

    for (int i = 0; i < n && !status; i++) status = add_list(d, to[i].name, to[i].n, to[i].x);
    return status;
}

static lbr_status coefficients(description *d, const lbr_flat *f)
{
    static const char *const names[2][3] = { { "A", "b", "c" }, { "A_hat", "b_hat", "c_hat" } };
    const lbr_numbers *x = &f->numbers;
    const lbr_base *one = one_tableau(f);
    lbr_status status;
    lbr_dd *c;

    if (f->nbases == 1 && f->base->kind->lists && f->kernel.n == 1 && !f->kernel.step->adjoint)
        return kind_lists(d, f->base);
    if (one) {
        status = tableau_lists(d, one->tableau, f->kernel.step->adjoint, names[0]);
        return status || !one->second ? status : tableau_lists(d, one->second, f->kernel.step->adjoint, names[1]);
    }
    if (f->is_row && x->c && (status = add_list(d, "c", x->s, x->c))) return status;
    if (f->is_row)
        return f->claims.b.n ? add_text(d, x->kind->list, &f->claims.b, x->s, x->b)
                             : add_list(d, x->kind->list, x->s, x->b);
    if (!(c = lbr_arena_alloc(&d->arena, f->kernel.n, sizeof *c))) return no_memory(d);
    for (int64_t k = 0; k < f->kernel.n; k++) c[k] = f->kernel.step[k].c;
    return add_list(d, "steps", f->kernel.n, c);
}

/* What the kind of its first basic map says of it; of a processor alone, its own kind. */
static lbr_status kind_of(description *d, const lbr_flat *f)
{
    const lbr_kind *row = f->is_row ? f->numbers.kind : NULL, *kind = f->nbases ? f->base->kind : row;
    int processed = f->pre.n > 0 || (row && row->table & LBR_PROCESSES);
    lbr_status status;

    d->i.type = row ? row->type : LBR_MAP;
    d->i.needs = kind->needs, d->i.explicitness = kind->explicitness;
    if (f->nbases && kind->describe && (status = kind->describe(f, &d->arena, &d->i, &d->message))) return status;
    if (processed && !(d->i.needs = lbr_arena_format(&d->arena, "%s constant-step", d->i.needs))) return no_memory(d);
    return LBR_OK;
}

static lbr_status near_of(description *d, int code)
{
    char text[32] = "";

    if (code > 0) lbr_near_text(code, text, sizeof text);
    return (d->i.order_near = lbr_arena_text(&d->arena, text)) ? LBR_OK : no_memory(d);
}

/* How many: of a table, of one tableau, of a list of steps. */
static int stages_of(const lbr_flat *f)
{
    const lbr_base *one = one_tableau(f);
    lbr_named_numbers lists[LBR_LISTS_MOST];

    if (f->is_row) return f->numbers.kind->stages ? f->numbers.kind->stages(&f->numbers) : (int)f->numbers.s;
    if (!one && f->nbases == 1 && f->base->kind->lists && f->kernel.n == 1) {
        for (int i = f->base->kind->lists(f->base, lists) - 1; i >= 0; i--)
            if (!strcmp(lists[i].name, "b")) return (int)lists[i].n;
    }
    return (int)(one ? one->tableau->s : f->kernel.n);
}

/* Order and the like of a row of the catalogue: what it claims. */
static lbr_status claimed(description *d, const lbr_flat *f)
{
    const lbr_method *m = &f->claims;
    lbr_finding conjugate, volume = { .value = -1 };
    lbr_status status;

    if (m->symplectic) d->i.conjugate_symplectic = LBR_ALL_ORDERS;
    else if (f->nbases == 1 && f->base->kind->conjugate) {
        if ((status = f->base->kind->conjugate(f->base, &d->arena, &conjugate, &d->message))) return status;
        d->i.conjugate_symplectic = conjugate.value;
    }
    if ((status = lbr_analyse_volume(f, m->symplectic, &d->arena, &volume, &d->message))) return status;
    d->i.volume_preserving = lbr_volume_text(volume.value);
    d->i.family = m->family, d->i.source = m->source, d->i.about = m->about;
    d->i.order = m->order, d->i.order_quadratic = m->order_quadratic ? m->order_quadratic : m->order;
    d->i.symmetric = m->symmetric, d->i.symplectic = m->symplectic, d->i.digits = m->digits;
    return near_of(d, lbr_near_code(m->order_near));
}

/* What is said of an expression that is one whole step of a basic map; NULL: it is not, or nothing is. */
static const lbr_method *alone(const lbr_flat *f)
{
    const lbr_step *s = f->kernel.step;

    if (f->pre.n || f->post.n || f->kernel.n != 1 || s->c.hi != 1 || s->c.lo != 0 || s->adjoint) return NULL;
    return f->base[s->base].claims.about ? &f->base[s->base].claims : NULL;
}

/* Of an expression: what algebra finds, which is told of tables and maps of the user too. */
static lbr_status found(description *d, const lbr_flat *f)
{
    const lbr_base *one = one_tableau(f);
    const lbr_method *m = f->is_row ? &f->claims : one && !f->kernel.step->adjoint ? &one->claims : alone(f);
    lbr_analysis a;
    lbr_status status = lbr_analyse(f, lbr_flat_tolerance(f), &d->arena, &a, &d->message);

    if (status) return status;
    if (!d->i.family) d->i.family = "expression", d->i.about = "made of other methods";
    d->i.source = "";
    if (m)
        d->i.family = m->family ? m->family : "own", d->i.source = m->source ? m->source : "",
        d->i.about = m->about ? m->about : "a table of the user's";
    d->i.order = a.order.value, d->i.order_quadratic = a.quadratic.value > 0 ? a.quadratic.value : a.order.value;
    d->i.symmetric = a.symmetric.value, d->i.symplectic = a.symplectic.value, d->i.digits = a.digits.value;
    d->i.conjugate_symplectic = a.conjugate.value, d->i.volume_preserving = lbr_volume_text(a.volume.value);
    return near_of(d, a.near.value);
}

static lbr_status properties(description *d, const lbr_flat *f)
{
    lbr_finding constraints = { .value = -1 };
    lbr_status status;
    int own = f->is_row && !lbr_row_find(f->claims.name) && !(f->numbers.kind->table & LBR_PROCESSES);

    d->i.free_entries = f->is_row && f->claims.free_entries ? f->claims.free_entries : "";
    d->i.stages = stages_of(f);
    d->i.conjugate_symplectic = -1, d->i.volume_preserving = "";
    if ((status = lbr_analyse_constraints(f, LBR_RESIDUAL, &d->arena, &constraints, &d->message))) return status;
    d->i.constraints = constraints.value;
    return f->is_row && !own ? claimed(d, f) : found(d, f);
}

/* The order that a table has over symmetric maps of order 2: claimed, or found. -1: out of memory. */
static int promised(const lbr_flat *f)
{
    const lbr_composed *x = f->composed;
    lbr_order o;

    if (x->order > 0) return x->order;
    return lbr_words_composition((int)x->numbers.s, x->numbers.b, NULL, 2, 1, LBR_WORDS_MOST, lbr_flat_tolerance(f), &o)
               ? -1
               : o.order;
}

/* A composition for symmetric maps over a map that is not one has less than its order (HLW V.3.2). */
static lbr_status note(description *d, const lbr_flat *f)
{
    int order = f->composed ? promised(f) : 0;

    d->i.note = "";
    if (order < 0) return no_memory(d);
    if (order <= d->i.order) return LBR_OK;
    d->i.note = lbr_arena_format(
        &d->arena, "method '%s' has order %d: '%s' has order %d over symmetric maps, and '%s' is not symmetric",
        f->name, d->i.order, f->composed->table, order, f->composed->over);
    return d->i.note ? LBR_OK : no_memory(d);
}

/* From the inside out. */
static lbr_status layers(description *d, const lbr_flat *f)
{
    lbr_flat inner;
    lbr_status status;

    if (f->naround == 0) return (status = kind_of(d, f)) || (status = properties(d, f)) ? status : coefficients(d, f);
    if ((status = lbr_flat_inside(f, &inner, &d->arena, &d->message)) || (status = layers(d, &inner))) return status;
    return f->around[f->naround - 1]->describe_around(f, &d->arena, &d->i, &d->message);
}

/* Whether all that steps by stages is symplectic for an H that depends on t, too. -1: out of memory. */
static int symplectic_timed(description *d, const lbr_flat *f)
{
    int yes = 1;

    for (int64_t i = 0; i < f->nbases && yes > 0; i++) {
        lbr_tableau of;

        if (f->base[i].kind->timed && f->base[i].kind->timed(&f->base[i], &of))
            yes = lbr_timed_symplectic(&of, lbr_flat_tolerance(f), &d->arena);
    }
    return yes;
}

/* What holds only where nothing depends on t; said of a method, and of a plan whose H does, or may. */
static lbr_status timed(description *d, const lbr_flat *f, int changing)
{
    int yes = d->i.symplectic > 0 && !*d->i.note ? symplectic_timed(d, f) : 1;

    if (yes > 0) return LBR_OK;
    d->timed = 1;
    if (changing) d->i.symplectic = 0, d->i.conjugate_symplectic = -1;
    d->i.note =
        yes < 0 ? NULL
                : lbr_arena_format(
                      &d->arena,
                      "method '%s' is symplectic only where H does not depend on t: stages that are at one place have "
                      "different times",
                      f->name);
    return d->i.note ? LBR_OK : no_memory(d);
}

static lbr_status describe(description *d, const lbr_flat *f, int changing)
{
    lbr_status status;

    d->i.name = f->name;
    return (status = layers(d, f)) || (status = note(d, f)) ? status : timed(d, f, changing);
}

static description *new_description(const lbr_method_info **info)
{
    description *d = lbr_mem_alloc(sizeof *d);

    if (!d) return NULL;
    d->i.lists = d->list, d->i.message = d->message.text, d->i.note = "";
    *info = &d->i;
    return d;
}

lbr_status lbr_method_describe(const lbr_method_info **info, const char *expression)
{
    description *d;
    lbr_status status;
    lbr_flat f;

    if (!info) return LBR_EARG;
    *info = NULL;
    if (!(d = new_description(info))) return LBR_ENOMEM;
    return (status = lbr_flatten(&f, expression, NULL, 0, &d->arena, &d->message)) ? status : describe(d, &f, 0);
}

/* A method that does not move every part of this system has no order for it. */
lbr_status lbr_plan_info(const lbr_method_info **info, const lbr_plan *plan)
{
    description *d;
    lbr_status status;
    int changing;

    if (!info) return LBR_EARG;
    *info = NULL;
    if (!(d = new_description(info))) return LBR_ENOMEM;
    if (!plan || !plan->own)
        return lbr_fail(&d->message, LBR_EARG, "a plan that could not be created has nothing to tell");
    changing = lbr_bound_energy_of_time(&plan->setup.sys);
    if ((status = describe(d, &plan->flat, changing))) return status;
    if (d->timed && !changing) d->i.note = "";
    for (int i = 0; i < plan->flat.naround; i++)
        if (plan->flat.around[i]->keeps_energy) d->i.energy |= plan->flat.around[i]->keeps_energy(plan);
    if (!plan->partial) return LBR_OK;
    d->i.order = d->i.order_quadratic = 0, d->i.order_near = "";
    return (d->i.note = lbr_arena_text(&d->arena, plan->partial)) ? LBR_OK : no_memory(d);
}

const char *lbr_volume_text(int code)
{
    static const char *const text[] = { "no", "canonical", "partitioned", "parts", "yes" };

    return code >= 0 && code <= LBR_VOLUME_ALWAYS ? text[code] : "";
}

void lbr_method_free(const lbr_method_info *info)
{
    description *d = (description *)info;

    if (!d) return;
    lbr_arena_free(&d->arena);
    lbr_mem_free(d);
}
