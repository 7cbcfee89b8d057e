/* describe.c - everything about one method expression, without a system. SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"
#include "libration/series.h"
#include "plan/plan.h"
#include "stepper/prk.h"
#include "stepper/surface.h"

#include <string.h>

enum { DIGITS = 31, MOST_LISTS = 6, WORDS_MOST = 10 };

typedef struct description {
    lbr_method_info i;                              /* first, so that one pointer is the other */
    lbr_arena arena;
    lbr_message message;
    int timed;                                      /* the note is about t                     */
    struct lbr_named_list list[MOST_LISTS];
} description;

static lbr_status no_memory(description *d) { return lbr_fail(&d->message, LBR_ENOMEM, "out of memory while describing a method"); }

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
        if (strchr(text[k], '/')) return add_list(d, name, n, x);       /* fractions are written as decimals */
    }
    d->list[d->i.nlists++] = (struct lbr_named_list){ name, { n, text } };
    return LBR_OK;
}

static const char *list_name(lbr_form form)
{
    return form == LBR_COMPOSITION || form == LBR_QUADRATIC || form == LBR_TWO_STEP || form == LBR_RIGID ? "gamma" : lbr_is_processor(form) ? "delta" : form == LBR_GENERATING_S1 || form == LBR_GENERATING_S3 || form == LBR_REDUCED_BODY ? "b" : "beta_alpha";
}

/* The base of an expression that is one whole step of a tableau or a pair, or of its adjoint; NULL if it is anything else. */
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
    return (status = add_list(d, name[0], t->s * t->s, t->A)) || (status = add_list(d, name[1], t->s, t->b)) ? status : add_list(d, name[2], t->s, t->c);
}

/* A (kicks have none of their own: it is written out), bbar, b, c, and Ahat where there is one. */
static lbr_status nystrom_lists(description *d, const lbr_nystrom *n)
{
    lbr_status status;

    if ((status = add_list(d, "A", n->s * n->s, n->A)) || (status = add_list(d, "bbar", n->s, n->bbar)) || (status = add_list(d, "b", n->s, n->b))
        || (status = add_list(d, "c", n->s, n->c))) return status;
    return n->Ahat ? add_list(d, "Ahat", n->s * n->s, n->Ahat) : LBR_OK;
}

static lbr_status coefficients(description *d, const lbr_flat *f)
{
    const lbr_numbers *x = &f->numbers;
    const lbr_base *one = one_tableau(f);
    lbr_status status;
    lbr_dd *c;

    if (f->nbases == 1 && f->base->kind == LBR_BASE_NYSTROM && f->kernel.n == 1 && !f->kernel.step->adjoint) return nystrom_lists(d, f->base->nystrom);
    if (one) {
        static const char *const names[2][3] = { { "A", "b", "c" }, { "A_hat", "b_hat", "c_hat" } };

        status = tableau_lists(d, one->tableau, f->kernel.step->adjoint, names[0]);
        return status || !one->second ? status : tableau_lists(d, one->second, f->kernel.step->adjoint, names[1]);
    }
    if (f->is_row && x->c && (status = add_list(d, "c", x->s, x->c))) return status;
    if (f->is_row) return f->claims.b.n ? add_text(d, list_name(x->form), &f->claims.b, x->s, x->b) : add_list(d, list_name(x->form), x->s, x->b);
    if (!(c = lbr_arena_alloc(&d->arena, f->kernel.n, sizeof *c))) return no_memory(d);
    for (int64_t k = 0; k < f->kernel.n; k++) c[k] = f->kernel.step[k].c;
    return add_list(d, "steps", f->kernel.n, c);
}

/* For two parts, or for H = T(p) + V(q); -1: out of memory. */
static int pair_is_explicit(description *d, const lbr_base *b, int adjoint)
{
    lbr_tableau *q = adjoint ? lbr_tableau_adjoint(b->tableau, &d->arena) : b->tableau, *p = adjoint ? lbr_tableau_adjoint(b->second, &d->arena) : b->second;
    int64_t *room = lbr_arena_alloc(&d->arena, 4 * b->tableau->s, sizeof *room);

    return !room || !q || !p ? -1 : lbr_pair_order(q->s, q->A, p->A, b->kind == LBR_BASE_PAIR, room) > 0;
}

/* Are all parts stepped by exact flows or explicit methods? */
static const char *explicit_parts(const lbr_flat *f)
{
    for (int64_t k = 0; k < f->kernel.n; k++) {
        const lbr_base *b = &f->base[f->kernel.step[k].base];

        for (int64_t i = 0; b->by && i < b->nparts; i++)
            if (b->by[i] && !(f->kernel.step[k].adjoint ? b->by_adjoint[i] : b->by[i])->is_explicit) return "never";
    }
    return "always";
}

static lbr_status kind_of(description *d, const lbr_flat *f)
{
    const lbr_base *b = f->base;
    int processed = f->pre.n > 0 || (f->is_row && lbr_is_processor(f->numbers.form));
    int is_explicit = b && b->kind == LBR_BASE_RUNGE_KUTTA && b->tableau->is_explicit, back = 0;

    if (b && b->kind == LBR_BASE_NYSTROM) is_explicit = b->nystrom->is_explicit;
    for (int64_t k = 0; k < f->kernel.n; k++) {
        const lbr_base *one = &f->base[f->kernel.step[k].base];

        back |= f->kernel.step[k].adjoint;
        if (one->kind == LBR_BASE_RUNGE_KUTTA) is_explicit &= one->tableau->is_explicit;
    }
    is_explicit &= !back;
    d->i.type = f->is_row && (f->numbers.form == LBR_COMPOSITION || f->numbers.form == LBR_ALTERNATION || lbr_is_processor(f->numbers.form)) ? LBR_TABLE : f->is_row && f->numbers.form == LBR_SHAKE ? LBR_SCHEME : LBR_MAP;
    d->i.explicitness = "separable";
    d->i.needs = processed ? "partition constant-step" : "partition";
    if (f->nbases && b->kind == LBR_BASE_DERIVED) d->i.needs = b->derived->needs, d->i.explicitness = b->derived->kind == &lbr_atom_two_step ? "always" : "never";
    if ((f->nbases && b->kind == LBR_BASE_PARTS) || (f->is_row && f->numbers.form == LBR_CORRECTOR))
        d->i.needs = processed ? "parts constant-step" : "parts", d->i.explicitness = explicit_parts(f);
    if (f->nbases && b->kind == LBR_BASE_RIGID) d->i.needs = "rotation", d->i.explicitness = "always";
    if (f->nbases && b->kind == LBR_BASE_ADDITIVE) d->i.needs = "parts", d->i.explicitness = "always";
    if (f->nbases && b->constrained) d->i.needs = "constraints";
    if (f->nbases && b->second) {
        int forth = pair_is_explicit(d, b, 0), and_back = back ? pair_is_explicit(d, b, 1) : 1;

        if (forth < 0 || and_back < 0) return no_memory(d);
        if (!forth || !and_back) d->i.explicitness = "never";
    }
    if (f->nbases && b->kind == LBR_BASE_NYSTROM) d->i.needs = processed ? "quadratic-kinetic constant-step" : "quadratic-kinetic", d->i.explicitness = is_explicit ? "always" : "never";
    if (f->nbases && b->kind == LBR_BASE_RUNGE_KUTTA) d->i.needs = processed ? "field constant-step" : "field", d->i.explicitness = is_explicit ? "always" : "never";
    if (f->nbases && b->kind == LBR_BASE_MAP) d->i.needs = "map", d->i.explicitness = back && !b->map->adjoint ? "never" : "always";
    if (f->reduced) d->i.needs = "constraints", d->i.explicitness = is_explicit ? "always" : "never";
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
    int n = 0;

    if (!f->is_row) return (int)(one ? one->tableau->s : f->nbases == 1 && f->base->kind == LBR_BASE_NYSTROM && f->kernel.n == 1 ? f->base->nystrom->s : f->kernel.n);
    if (f->numbers.form != LBR_PARTITIONED && f->numbers.form != LBR_ALTERNATION) return (int)f->numbers.s;
    for (int64_t k = 0; k < f->numbers.s; k++) n += f->numbers.b[k].hi != 0;       /* of a step of the map and one of its adjoint */
    return (n + 1) / 2;
}

/* Order and the like of a row of the catalogue: what it claims. */
static lbr_status claimed(description *d, const lbr_flat *f)
{
    const lbr_method *m = &f->claims;
    lbr_finding conjugate, volume = { .value = -1 };
    lbr_status status;

    if (m->symplectic) d->i.conjugate_symplectic = LBR_ALL_ORDERS;
    else if (f->numbers.form == LBR_RUNGE_KUTTA) {
        if ((status = lbr_analyse_conjugate(f->base->tableau, LBR_RESIDUAL, &d->arena, &conjugate, &d->message))) return status;
        d->i.conjugate_symplectic = conjugate.value;
    }
    if ((status = lbr_analyse_volume(f, m->symplectic, &d->arena, &volume, &d->message))) return status;
    d->i.volume_preserving = lbr_volume_text(volume.value);
    d->i.family = m->family, d->i.source = m->source, d->i.about = m->about;
    d->i.order = m->order, d->i.order_quadratic = m->order_quadratic ? m->order_quadratic : m->order;
    d->i.symmetric = m->symmetric, d->i.symplectic = m->symplectic, d->i.digits = m->digits;
    return near_of(d, m->order_near);
}

/* Of an expression: what algebra finds, which is told of tables and maps of the user too. whole: with its projections. */
static lbr_status found(description *d, const lbr_flat *f, const lbr_flat *whole)
{
    const lbr_base *one = one_tableau(f), *b = f->base;
    const lbr_method *m = f->is_row ? &f->claims : one && !f->kernel.step->adjoint ? &one->claims : NULL;
    lbr_analysis a;
    lbr_status status = lbr_analyse(whole, lbr_flat_tolerance(f), &d->arena, &a, &d->message);

    if (status) return status;
    d->i.family = "expression", d->i.source = "", d->i.about = "made of other methods";
    if (m) d->i.family = m->family ? m->family : "own", d->i.source = m->source ? m->source : "", d->i.about = m->about ? m->about : "a table of the user's";
    if (f->nbases == 1 && b->kind == LBR_BASE_MAP && f->kernel.n == 1) d->i.family = "own", d->i.about = "a map of the system, which promises its order and symmetry";
    d->i.order = a.order.value, d->i.order_quadratic = a.quadratic.value > 0 ? a.quadratic.value : a.order.value;
    d->i.symmetric = a.symmetric.value, d->i.symplectic = a.symplectic.value, d->i.digits = a.digits.value;
    d->i.conjugate_symplectic = a.conjugate.value, d->i.volume_preserving = lbr_volume_text(a.volume.value);
    return near_of(d, a.near.value);
}

static lbr_status properties(description *d, const lbr_flat *f, const lbr_flat *whole)
{
    lbr_finding constraints = { .value = -1 };
    lbr_status status;
    int own = f->is_row && !lbr_row_find(f->claims.name) && !lbr_is_processor(f->numbers.form);

    d->i.free_entries = f->is_row && f->claims.free_entries ? f->claims.free_entries : "";
    d->i.stages = stages_of(f);
    d->i.conjugate_symplectic = -1, d->i.volume_preserving = "";
    if ((status = lbr_analyse_constraints(f, LBR_RESIDUAL, &d->arena, &constraints, &d->message))) return status;
    d->i.constraints = constraints.value;
    return f->is_row && !own ? claimed(d, f) : found(d, f, whole);
}

/* Whether a projection names H. */
static int onto_energy(const lbr_flat *f)
{
    for (int64_t b = 0; b < f->nbases; b++)
        for (int64_t i = 0; f->base[b].kind == LBR_BASE_PROJECTED && i < f->base[b].projection->n; i++)
            if (!strcmp(f->base[b].projection->names[i], "H")) return 1;
    return 0;
}

/* The same with its projections. */
static lbr_status projected(description *d, const lbr_flat *f)
{
    if (!f->projected) return LBR_OK;
    d->i.energy = onto_energy(f);
    lbr_describe_projected(&d->i);
    return (d->i.needs = lbr_arena_format(&d->arena, "%s manifold", d->i.needs)) ? LBR_OK : no_memory(d);
}

/* The order that a table has over symmetric maps of order 2: claimed, or found. -1: out of memory. */
static int promised(const lbr_flat *f)
{
    const lbr_composed *x = f->composed;
    lbr_order o;

    if (x->order > 0) return x->order;
    return lbr_words_composition((int)x->numbers.s, x->numbers.b, NULL, 2, 1, WORDS_MOST, lbr_flat_tolerance(f), &o) ? -1 : o.order;
}

/* A composition for symmetric maps over a map that is not one has less than its order (HLW V.3.2). */
static lbr_status note(description *d, const lbr_flat *f)
{
    int order = f->composed ? promised(f) : 0;

    d->i.note = "";
    if (order < 0) return no_memory(d);
    if (order <= d->i.order) return LBR_OK;
    d->i.note = lbr_arena_format(&d->arena, "method '%s' has order %d: '%s' has order %d over symmetric maps, and '%s' is not symmetric", f->name, d->i.order, f->composed->table, order, f->composed->over);
    return d->i.note ? LBR_OK : no_memory(d);
}

/* Whether all that steps by stages is symplectic for an H that depends on t, too. -1: out of memory. */
static int symplectic_timed(description *d, const lbr_flat *f)
{
    int yes = 1;

    for (int64_t i = 0; i < f->nbases && yes > 0; i++) {
        const lbr_base *b = &f->base[i];
        const lbr_nystrom *n = b->kind == LBR_BASE_NYSTROM && b->nystrom->time ? b->nystrom : NULL;
        lbr_tableau of = { .s = n ? n->s : 0, .A = n ? n->Ahat : NULL, .b = n ? n->b : NULL, .c = n ? n->time : NULL };

        if (b->kind == LBR_BASE_RUNGE_KUTTA && lbr_tableau_timed(b->tableau)) of = *b->tableau;
        if (of.s) yes = lbr_timed_symplectic(&of, lbr_flat_tolerance(f), &d->arena);
    }
    return yes;
}

/* What holds only where nothing depends on t; said of a method, and of a plan whose H does. */
static lbr_status timed(description *d, const lbr_flat *f, int changing)
{
    int yes = d->i.symplectic > 0 && !*d->i.note ? symplectic_timed(d, f) : 1;

    if (yes > 0) return LBR_OK;
    d->timed = 1;
    if (changing) d->i.symplectic = 0, d->i.conjugate_symplectic = -1;
    d->i.note = yes < 0 ? NULL : lbr_arena_format(&d->arena, "method '%s' is symplectic only where H does not depend on t: stages that are at one place have different times", f->name);
    return d->i.note ? LBR_OK : no_memory(d);
}

static lbr_status describe(description *d, const lbr_flat *f, int changing)
{
    lbr_flat plain = *f;
    lbr_status status;

    d->i.name = f->name;
    if (f->projected && (status = lbr_flat_unprojected(f, &plain, &d->arena, &d->message))) return status;
    if ((status = kind_of(d, &plain)) || (status = properties(d, &plain, f)) || (status = projected(d, f)) || (status = note(d, f))) return status;
    if ((status = timed(d, &plain, changing))) return status;
    return coefficients(d, &plain);
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

/* Whether a projection without names goes onto H of this system: onto all invariants, or, if there are none, H. */
static int onto_all(const lbr_plan *p)
{
    const lbr_bound *b = &p->setup.sys;
    int64_t n = b->s.invariants ? b->s.invariants->count : 0;

    if (!p->flat.projected || b->s.constraints || b->s.manifold) return 0;
    for (int64_t i = 0; i < p->flat.nbases; i++)
        if (p->flat.base[i].kind == LBR_BASE_PROJECTED && p->flat.base[i].projection->n) return 0;
    for (int64_t i = 0; i < n; i++)
        if (lbr_bound_invariant(b, i)->name && !strcmp(lbr_bound_invariant(b, i)->name, "H")) return 1;
    return !n && b->s.energy;
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
    if (!plan || !plan->own) return lbr_fail(&d->message, LBR_EARG, "a plan that could not be created has nothing to tell");
    changing = plan->setup.sys.s.energy_changes && strstr(plan->setup.sys.s.energy_changes, "on t");
    if ((status = describe(d, &plan->flat, changing))) return status;
    if (d->timed && !changing) d->i.note = "";
    d->i.energy |= onto_all(plan);
    if (!plan->partial) return LBR_OK;
    d->i.order = d->i.order_quadratic = 0, d->i.order_near = "";
    return (d->i.note = lbr_arena_text(&d->arena, plan->partial)) ? LBR_OK : no_memory(d);
}

void lbr_method_free(const lbr_method_info *info)
{
    description *d = (description *)info;

    if (!d) return;
    lbr_arena_free(&d->arena);
    lbr_mem_free(d);
}
