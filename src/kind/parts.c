/* parts.c - splittings: exact flows of parts of the field, or steps of them, one after the other (HLW II.5).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shared.h"

#include <string.h>

/* Of a basic map. */
typedef struct parts {
    int64_t n;
    const char **part;              /* by name, the first one applied first; none: all of them */
    lbr_tableau **by, **by_adjoint; /* what steps each; NULL: its exact flow */
} parts;

static const parts *parts_of(const lbr_base *b)
{
    static const parts all;

    return b->own ? b->own : &all;
}

/* --- in method expressions --------------------------------------------------------------------------------------- */

lbr_status lbr_flatten_all_parts(lbr_flattening *c, lbr_steps *out)
{
    return lbr_flatten_base(c, (lbr_base){ .kind = lbr_kind_find("parts") }, out);
}

/* PART = METHOD: the tableau that steps a part. */
static lbr_status stepped_by(lbr_flattening *c, lbr_expr *e, lbr_tableau **by, lbr_tableau **adjoint)
{
    lbr_expr inner = *e;
    lbr_status status;

    inner.key = NULL;
    if ((status = lbr_flatten_as_tableau(c, "split", &inner, by))) return status;
    e->name = inner.name;
    return (*adjoint = lbr_tableau_adjoint(*by, c->arena)) ? LBR_OK : lbr_flatten_no_memory(c);
}

/* Phi of split(TABLE, PART, PART = METHOD, ...): the parts one after the other. */
static lbr_status phi_of_parts(lbr_flattening *c, lbr_expr *e, lbr_steps *one)
{
    parts *own = lbr_arena_alloc(c->arena, 1, sizeof *own);
    lbr_base base = { .kind = lbr_kind_find("parts"), .own = own };
    lbr_status status = LBR_OK;

    if (!own) return lbr_flatten_no_memory(c);
    own->n = e->nargs - 1, own->part = lbr_arena_alloc(c->arena, e->nargs, sizeof *own->part);
    own->by = lbr_arena_alloc(c->arena, e->nargs, sizeof *own->by),
    own->by_adjoint = lbr_arena_alloc(c->arena, e->nargs, sizeof *own->by_adjoint);
    if (!own->part || !own->by || !own->by_adjoint) return lbr_flatten_no_memory(c);
    for (int i = 1; i < e->nargs && !status; i++) {
        lbr_expr *part = e->arg[i];

        own->part[i - 1] = part->key ? part->key : part->name;
        if (!part->name || (!part->key && (part->has_args || part->k >= 0))) return lbr_flatten_misused(c, e);
        if (part->key) status = stepped_by(c, part, &own->by[i - 1], &own->by_adjoint[i - 1]);
    }
    return status ? status : lbr_flatten_base(c, base, one);
}

static lbr_status split(lbr_flattening *c, lbr_expr *e, lbr_whole *out)
{
    lbr_method claims;
    lbr_numbers x;
    lbr_steps one;
    lbr_status status;

    if (e->nargs < 1 || e->arg[0]->key) return lbr_flatten_misused(c, e);
    if ((status = lbr_flatten_table(c, e, e->arg[0], LBR_SPLITS, &claims, &x)) || (status = phi_of_parts(c, e, &one)))
        return status;
    return lbr_flatten_over(c, &x, one, &out->kernel);
}

static int same(const lbr_base *x, const lbr_base *y)
{
    const parts *a = parts_of(x), *b = parts_of(y);

    if (a->n != b->n) return 0;
    for (int64_t i = 0; i < a->n; i++)
        if (strcmp(a->part[i], b->part[i]) || !lbr_tableau_same(a->by[i], b->by[i])) return 0;
    return 1;
}

/* --- of a system ------------------------------------------------------------------------------------------------- */

lbr_status lbr_bind_part(lbr_plan *p, const char *name, int64_t *index)
{
    const lbr_bound *sys = &p->setup.sys;

    for (*index = 0; *index < sys->s.parts->count; ++*index)
        if (!strcmp(lbr_bound_part(sys, *index)->name, name)) return LBR_OK;
    return lbr_fail(&p->message, LBR_EUNFIT, "system '%s' has no part '%s'; its first part is '%s'", lbr_bind_system(p),
                    name, lbr_bound_part(sys, 0)->name);
}

static lbr_status no_flow(lbr_plan *p, int64_t i)
{
    const char *why = lbr_bound_part_missing(&p->setup.sys, i);

    return lbr_fail(&p->message, LBR_EUNFIT,
                    "method '%s' needs the exact flow of part '%s' of system '%s', which is not known%s%s; rk4, "
                    "midpoint and gauss:s take the whole field",
                    p->flat.name, lbr_bound_part(&p->setup.sys, i)->name, lbr_bind_system(p), why ? ": " : "",
                    why ? why : "");
}

static lbr_status no_field(lbr_plan *p, int64_t i)
{
    const char *name = lbr_bound_part(&p->setup.sys, i)->name, *why = lbr_bound_part_missing(&p->setup.sys, i);

    return lbr_fail(&p->message, LBR_EUNFIT,
                    "method '%s' needs the field of part '%s' of system '%s', which is not given%s%s; the part's exact "
                    "flow is taken if '%s' stands alone",
                    p->flat.name, name, lbr_bind_system(p), why ? ": " : "", why ? why : "", name);
}

/* A step of part i by a tableau. */
static lbr_status by_tableau(lbr_plan *p, const parts *b, int64_t j, int64_t i, const lbr_step *s, lbr_program *to)
{
    const lbr_tableau *t = s->adjoint ? b->by_adjoint[j] : b->by[j];

    if (p->setup.sys.s.constraints)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "system '%s' has constraints, which a step of part '%s' by a method does not keep; rattle does",
                        lbr_bind_system(p), b->part[j]);
    if (!lbr_bound_part_field(&p->setup.sys, i)) return no_field(p, i);
    lbr_bind_step(p, to,
                  (lbr_atom){ .kind = &lbr_atom_part_step,
                              .index = i,
                              .tableau = t,
                              .adjoint = t != b->by[j],
                              .moves_time = i == p->setup.sys.s.parts->clock },
                  s->c);
    return LBR_OK;
}

static lbr_status bind(lbr_plan *p, lbr_base *base, const lbr_step *s, lbr_program *to)
{
    const lbr_system *sys = &p->setup.sys.s;
    const parts *b = parts_of(base);
    const lbr_atom_kind *flow = sys->constraints ? &lbr_atom_manifold_flow : &lbr_atom_flow;
    lbr_status status = LBR_OK;
    int64_t n;

    if (!sys->parts)
        return lbr_fail(&p->message, LBR_EUNFIT,
                        "method '%s' needs parts with exact flows, but system '%s' has none; for H = T(p) + V(q) "
                        "stormer-verlet is the "
                        "same as split(strang)",
                        p->flat.name, lbr_bind_system(p));
    n = b->n ? b->n : sys->parts->count;
    for (int64_t k = 0; k < n && !status; k++) {
        int64_t j = s->adjoint ? n - 1 - k : k, i = j;

        if (b->n && (status = lbr_bind_part(p, b->part[j], &i))) return status;
        if (b->n && b->by[j]) status = by_tableau(p, b, j, i, s, to);
        else if (!lbr_bound_part(&p->setup.sys, i)->flow) status = no_flow(p, i);
        else lbr_bind_step(p, to, (lbr_atom){ .kind = flow, .index = i, .moves_time = i == sys->parts->clock }, s->c);
    }
    return status;
}

static int64_t terms(const lbr_base *b, const lbr_system *system)
{
    return parts_of(b)->n ? parts_of(b)->n : system->parts ? system->parts->count : 1;
}

static int self_adjoint(const lbr_base *b, lbr_arena *arena) { return (void)b, (void)arena, 0; }
static double cost(const lbr_base *b, const lbr_step *s, const lbr_step *before, const lbr_system *system)
{
    return (void)s, (void)before, (double)terms(b, system);
}

/* --- what is true of it ------------------------------------------------------------------------------------------ */

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

/* Are all parts stepped by exact flows or explicit methods? */
static const char *explicit_parts(const lbr_flat *f)
{
    for (int64_t k = 0; k < f->kernel.n; k++) {
        const parts *b = parts_of(&f->base[f->kernel.step[k].base]);

        for (int64_t i = 0; b->by && i < b->n; i++)
            if (b->by[i] && !(f->kernel.step[k].adjoint ? b->by_adjoint[i] : b->by[i])->is_explicit) return "never";
    }
    return "always";
}

static lbr_status describe(const lbr_flat *f, lbr_arena *arena, lbr_method_info *i, lbr_message *m)
{
    (void)arena, (void)m;
    i->explicitness = explicit_parts(f);
    return LBR_OK;
}

/* The letter of a part: how many different names come before it. */
static int letter_of(const lbr_flat *f, const char *name)
{
    const char *seen[LBR_NEAR_PARTS] = { NULL };
    int n = 0;

    for (int64_t b = 0; b < f->nbases; b++)
        for (int64_t k = 0; k < parts_of(&f->base[b])->n; k++) {
            int i = 0;

            while (i < n && strcmp(seen[i], parts_of(&f->base[b])->part[k])) i++;
            if (!strcmp(name, parts_of(&f->base[b])->part[k])) return i;
            if (i == n && n < LBR_NEAR_PARTS) seen[n++] = parts_of(&f->base[b])->part[k];
        }
    return n;
}

/* Steps of parts one by one, neighbours of the same part merged; flag: which part. All of them if they are not named:
 * as if there were two. */
static int flows(const lbr_flat *f, lbr_arena *arena, lbr_sequence *out, int *letters)
{
    const lbr_steps *all[] = { &f->pre, &f->kernel, &f->post };

    *letters = 2;
    if (lbr_sequence_new(arena, LBR_NEAR_PARTS * (f->pre.n + f->kernel.n + f->post.n), out)) return -1;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < all[a]->n; i++) {
            const lbr_step *s = &all[a]->step[i];
            const parts *b = parts_of(&f->base[s->base]);
            int64_t n = b->n ? b->n : 2;

            for (int64_t k = 0; k < n; k++) {
                int64_t j = s->adjoint ? n - 1 - k : k;
                int letter = b->n ? letter_of(f, b->part[j]) : (int)j;

                lbr_sequence_push(out, s->c, letter);
                if (letter >= *letters) *letters = letter + 1;
            }
        }
    return 0;
}

/* Is a part stepped by a Runge-Kutta method? */
static int mixed(const parts *b)
{
    for (int64_t k = 0; k < b->n; k++)
        if (b->by[k]) return 1;
    return 0;
}

/* Steps of parts by symplectic methods are symplectic, where the parts are Hamiltonian. */
static int symplectic_steps(const parts *b, double tolerance)
{
    for (int64_t k = 0; k < b->n; k++)
        if (b->by[k] && lbr_symplectic_residual((int)b->by[k]->s, b->by[k]->A, b->by[k]->b) > tolerance) return 0;
    return 1;
}

/* Parts that words can tell apart. */
static int few_parts(const lbr_flat *f)
{
    for (int64_t b = 0; b < f->nbases; b++) {
        if (f->base[b].kind != f->base->kind || mixed(parts_of(&f->base[b])) ||
            parts_of(&f->base[b])->n > LBR_NEAR_PARTS || (f->nbases > 1 && !parts_of(&f->base[b])->n))
            return 0;
        for (int64_t k = 0; k < parts_of(&f->base[b])->n; k++)
            if (letter_of(f, parts_of(&f->base[b])->part[k]) >= LBR_NEAR_PARTS) return 0;
    }
    return f->pre.n + f->kernel.n + f->post.n <= LBR_NEAR_STEPS;
}

static lbr_status near_order(const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_order o;
    lbr_sequence all;
    int letters;

    if (!few_parts(f) || parts_of(f->base)->n == 1) return LBR_OK;
    if (flows(f, arena, &all, &letters) ||
        lbr_near_order(all.n, all.c, all.flag, letters, out->order.value, out->tolerance, &o))
        return no_memory(m);
    out->near = lbr_found_order(&o, "words");
    return LBR_OK;
}

/* Different selections of parts, as in processors made of single ones. */
static lbr_status selections(const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_order o;
    lbr_sequence all;
    int letters;

    if (flows(f, arena, &all, &letters) ||
        lbr_words_splitting(all.n, all.c, all.flag, letters, LBR_WORDS_MOST, out->tolerance, &o))
        return no_memory(m);
    out->order = lbr_found_order(&o, "words");
    out->symmetric = lbr_found_small(lbr_palindrome_residual(all.n, all.c, all.flag), out->tolerance,
                                     "flows of parts read the same backwards");
    out->symplectic = lbr_found_told(
        1, "a composition of exact flows, symplectic where the parts are Hamiltonian (HLW VI.2)");
    return near_order(f, arena, out, m);
}

static lbr_status analyse(const lbr_flat *f, const lbr_sequence *l, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    lbr_status status = lbr_analyse_composition(l->n, l->c, l->flag, 1, 0, out, m);

    if (status) return status;
    out->symmetric = lbr_found_small(lbr_alternation_residual(l->n, l->c, l->flag), out->tolerance,
                                     "forth and back alternate and read the same backwards");
    out->symplectic = lbr_found_told(
        1, "a composition of exact flows, symplectic where the parts are Hamiltonian (HLW VI.2)");
    if (mixed(parts_of(f->base))) {
        int good = symplectic_steps(parts_of(f->base), out->tolerance);

        out->symplectic = lbr_found_told(
            good, good ? "steps of parts are symplectic where the parts are Hamiltonian (HLW VI.4)"
                       : "a part is stepped by a method that is not symplectic");
    }
    return near_order(f, arena, out, m);
}

static lbr_status volume(const lbr_flat *f, int symplectic, lbr_arena *arena, lbr_finding *out, lbr_message *m)
{
    (void)arena, (void)m;
    if (!parts_of(f->base)->by) *out = lbr_found_told(LBR_VOLUME_PARTS, "a composition of exact flows");
    else if (symplectic > 0) *out = lbr_found_volume(symplectic);
    return LBR_OK;
}

static const lbr_operator operators[] = { { .name = "split",
                                            .run = split,
                                            .alternating = phi_of_parts,
                                            .use = "split(TABLE) or split(TABLE, PART, PART = METHOD, ...), such as "
                                                   "split(strang, A, B) or split(strang, A, B = midpoint)" },
                                          { .name = NULL } };

const lbr_kind lbr_kind_parts[] = { { .name = "parts",
                                      .operators = operators,
                                      .type = LBR_MAP,
                                      .same = same,
                                      .self_adjoint = self_adjoint,
                                      .needs = "parts",
                                      .describe = describe,
                                      .cost = cost,
                                      .bind = bind,
                                      .terms = terms,
                                      .takes_constraints = 1,
                                      .analyse = analyse,
                                      .mixes = few_parts,
                                      .analyse_mixed = selections,
                                      .volume = volume },
                                    { .name = NULL } };
