/* extended.c - the stepper of extended precision: programs of basic maps, in a kernel made for it (extended.inc).
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * State: y and its low part; together they have 107 bits. Everything is done in the kernel; here tables are laid out
 * for it, and it is asked for. */
#include "fuse.h"

#include <string.h>

typedef int (*extended_fn)(lbr_extended_args *a, int64_t k0, int64_t n, double *hi, double *lo);

/* Doubles of room for each component: six numbers of 16 bytes, then one for every stage, then low parts. */
enum { FIXED = 12 };

typedef struct extended {
    extended_fn run;
    void *ctx;
    lbr_extended_term *pre, *kernel, *post;
    int64_t stages;
} extended;

static int takes(const lbr_setup *set) { return set->extended; }

/* --- tables ------------------------------------------------------------------------------------------------------ */

static double *doubles(lbr_setup *set, int64_t n) { return lbr_arena_alloc(set->arena, 2 * n, sizeof(double)); }

/* n numbers as pairs. NULL: no memory. */
static double *pairs(double *to, int64_t n, const lbr_dd *x)
{
    for (int64_t i = 0; i < n; i++) to[2 * i] = x[i].hi, to[2 * i + 1] = x[i].lo;
    return to + 2 * n;
}

static int tableau(lbr_setup *set, const lbr_atom *a, lbr_extended_term *m)
{
    const lbr_tableau *t = a->tableau, *u = a->second;
    int64_t s = t->s;
    double *x = doubles(set, s * s + 2 * s), *v = u ? doubles(set, s * s + s) : NULL;

    if (!x || (u && !v)) return -1;
    m->stages = s, m->is_explicit = t->is_explicit && !u;
    m->A = x, m->b = x = pairs(x, s * s, t->A), m->c = x = pairs(x, s, t->b), pairs(x, s, t->c);
    m->second = v;
    if (u) pairs(pairs(v, s * s, u->A), s, u->b);
    return 0;
}

static int nystrom(lbr_setup *set, const lbr_atom *a, lbr_extended_term *m)
{
    const lbr_nystrom *t = a->data;
    int64_t s = t->s;
    double *x = doubles(set, s * s + 4 * s), *v = a->index ? doubles(set, s * s) : NULL;

    if (!x || (a->index && !v)) return -1;
    m->stages = s, m->is_explicit = t->is_explicit;
    m->A = x, m->b = x = pairs(x, s * s, t->A), x = pairs(pairs(x, s, t->b), s, t->bbar);
    m->c = x, m->time = x = pairs(x, s, t->c), pairs(x, s, t->time ? t->time : t->c);
    m->second = v;
    if (v) pairs(v, s * s, t->Ahat);
    return 0;
}

static const struct {
    const lbr_atom_kind *kind;
    int number;
    int (*table)(lbr_setup *set, const lbr_atom *a, lbr_extended_term *m);
} known[] = {
    { &lbr_atom_kick, LBR_EXTENDED_KICK, NULL },   { &lbr_atom_drift, LBR_EXTENDED_DRIFT, NULL },
    { &lbr_atom_flow, LBR_EXTENDED_FLOW, NULL },   { &lbr_atom_runge_kutta, LBR_EXTENDED_RUNGE_KUTTA, tableau },
    { &lbr_atom_euler, LBR_EXTENDED_EULER, NULL }, { &lbr_atom_nystrom, LBR_EXTENDED_NYSTROM, nystrom }
};
enum { KNOWN = sizeof known / sizeof *known };

static lbr_status term(lbr_setup *set, const lbr_term *from, lbr_extended_term *to, lbr_message *m)
{
    const lbr_atom *a = &set->atom[from->atom];
    int k = 0;

    while (k < KNOWN && known[k].kind != a->kind) k++;
    if (k == KNOWN || set->sys.s.constraints)
        return lbr_fail(
            m, LBR_EUNFIT,
            "extended precision is for Runge-Kutta and Nystrom methods, symplectic Euler, kicks, drifts and flows "
            "of parts, and what is composed of them, without constraints; '%s' is something else",
            set->sys.s.constraints ? "a step with constraints" : a->kind->name);
    *to = (lbr_extended_term){ .kind = known[k].number,
                               .part = a->index,
                               .adjoint = a->adjoint,
                               .c_hi = from->c.hi,
                               .c_lo = from->c.lo,
                               .time_hi = from->time.hi,
                               .time_lo = from->time.lo };
    return known[k].table && known[k].table(set, a, to) ? lbr_fail(m, LBR_ENOMEM, "out of memory for the plan")
                                                        : LBR_OK;
}

static lbr_status program(lbr_setup *set, extended *x, const lbr_program *p, lbr_extended_term **out, lbr_message *m)
{
    lbr_status status = LBR_OK;

    if (!(*out = lbr_arena_alloc(set->arena, p->n + 1, sizeof **out)))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    for (int64_t i = 0; i < p->n && !status; i++) {
        status = term(set, &p->term[i], *out + i, m);
        if ((*out)[i].stages > x->stages) x->stages = (*out)[i].stages;
    }
    return status;
}

/* --- the kernel -------------------------------------------------------------------------------------------------- */

/* FLOW with a part that is known only when it runs. `part`: the parts that occur, each once; there is room. */
static const char *flows(lbr_setup *set, int64_t *part, int64_t *n)
{
    const char *text = "#define FLOWS 0\n";

    *n = 0;
    for (int64_t i = 0; i < set->natoms; i++) {
        int64_t k = 0;

        if (set->atom[i].kind != &lbr_atom_flow) continue;
        while (k < *n && part[k] != set->atom[i].index) k++;
        if (k == *n) part[(*n)++] = set->atom[i].index;
    }
    if (!*n) return text;
    text = "#define FLOWS 1\n"
           "static int flow(lbr_extended_args *a, int64_t i, double t, double h, double *y)\n"
           "{\n"
           "    switch (i) {\n";
    for (int64_t k = 0; k < *n && text; k++)
        text = lbr_arena_format(set->arena, "%s    case %d: return FLOW(%d, t, h, y);\n", text, (int)part[k],
                                (int)part[k]);
    return text ? lbr_arena_format(set->arena, "%s    }\n    return 1;\n}\n", text) : NULL;
}

static lbr_status ask(lbr_setup *set, extended *x, lbr_message *m)
{
    const lbr_system *s = &set->sys.s;
    int halves = set->sys.separable && !s->field, watch = s->energy || (s->invariants && s->invariants->count > 0);
    int64_t *part = lbr_arena_alloc(set->arena, set->natoms + 1, sizeof *part), nparts = 0;
    const char *name, *switching = part ? flows(set, part, &nparts) : NULL,
                      *text[] = { "#undef double\n",
                                  lbr_template("args.h"),
                                  "#define double lbr_long\n",
                                  watch ? "#define WATCHED 1\n" : "#define WATCHED 0\n",
                                  halves ? "#define HALVES 1\n" : "#define HALVES 0\n",
                                  switching,
                                  lbr_template("extended.inc") };
    lbr_kernel kernel = { .size = sizeof kernel };
    lbr_kernel_request request = { .size = sizeof request,
                                   .name = "extended.inc",
                                   .text = text,
                                   .ntext = sizeof text / sizeof *text,
                                   .uses = (halves ? LBR_USES_FORCE | LBR_USES_VELOCITY : LBR_USES_FIELD) |
                                           (watch ? LBR_USES_WATCH : 0) | (nparts ? LBR_USES_FLOWS : 0),
                                   .isa = (int)lbr_isa_choose(set->isa, &name),
                                   .extended = 1,
                                   .part = part,
                                   .nparts = nparts };

    if (!switching) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (!s->inside || s->inside->fuse(&request, &kernel, s->ctx) || !kernel.entry)
        return lbr_fail(m, LBR_EUNFIT,
                        "there is no extended precision here: it is for runs of models, whose functions "
                        "are compiled for it");
    x->run = (extended_fn)kernel.entry, x->ctx = kernel.ctx;
    set->fused = 1, set->watches = watch, set->instance = "extended precision";
    return LBR_OK;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    extended *x = lbr_arena_alloc(set->arena, 1, sizeof *x);
    int64_t n = set->sys.s.dim;
    lbr_status status;

    if (!x) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if ((status = program(set, x, &set->pre, &x->pre, m)) || (status = program(set, x, &set->kernel, &x->kernel, m)) ||
        (status = program(set, x, &set->post, &x->post, m)))
        return status;
    if (set->solver == LBR_SOLVER_NEWTON)
        return lbr_fail(m, LBR_EUNFIT,
                        "extended precision solves implicit equations by fixed points, not by Newton's method");
    set->constants = x;
    set->nstate = 2 * n;
    set->nscratch = (FIXED + 2 * x->stages + 1) * n;
    return ask(set, x, m);
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

static void prepare(lbr_work *w) { (void)w; }

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

static lbr_extended_args args_of(lbr_work *w)
{
    const lbr_setup *set = w->setup;
    const extended *x = set->constants;
    int64_t n = set->sys.s.dim;
    double *room = w->scratch;

    return (lbr_extended_args){ .dim = n,
                                .nq = set->sys.s.nq,
                                .most = 3 * set->max_iterations,
                                .t0 = w->head->t0,
                                .h = w->head->h,
                                .first = x->kernel,
                                .terms = set->kernel.n,
                                .post = x->post,
                                .posts = set->post.n,
                                .ctx = x->ctx,
                                .y = room,
                                .look = room + 2 * n,
                                .x = room + 4 * n,
                                .f = room + 6 * n,
                                .z = room + 8 * n,
                                .K = room + FIXED * n,
                                .watch = w->watch };
}

static lbr_status counted(lbr_work *w, const lbr_extended_args *a, int bad)
{
    lbr_stats *s = &w->head->stats;

    if (w->setup->sys.separable && !w->setup->sys.s.field) s->force += a->evaluations;
    else s->field += a->evaluations;
    s->flow += a->flows, s->iterations += a->iterations;
    if (a->worst > s->worst) s->worst = a->worst;
    if (a->bad) return lbr_work_unsolved(w, a->component, a->residual, a->worst);
    return bad ? lbr_fail(&w->message, LBR_ECALLBACK, "the system's functions reported a failure") : LBR_OK;
}

static lbr_status advance(lbr_work *w, int64_t n)
{
    const extended *x = w->setup->constants;
    int64_t dim = w->setup->sys.s.dim;
    lbr_extended_args a = args_of(w), pre = a;
    int bad = 0;

    if (n > 0 && !w->head->primed && w->setup->pre.n) {
        pre.first = x->pre, pre.terms = w->setup->pre.n, pre.watch = NULL;
        if ((bad = x->run(&pre, 0, 1, w->v, w->v + dim)) || pre.bad) return counted(w, &pre, bad);
    }
    w->head->primed |= n > 0;
    bad = x->run(&a, w->head->n, n, w->v, w->v + dim);
    return counted(w, &a, bad);
}

/* What one reads: with the processing after steps. */
static lbr_status read_both(lbr_work *w, double *hi, double *lo)
{
    const extended *x = w->setup->constants;
    size_t bytes = (size_t)w->setup->sys.s.dim * sizeof *hi;
    lbr_extended_args a = args_of(w);

    memcpy(hi, w->v, bytes), memcpy(lo, w->v + w->setup->sys.s.dim, bytes);
    if (!w->setup->post.n || !w->head->primed) return LBR_OK;
    a.first = x->post, a.terms = w->setup->post.n, a.watch = NULL;
    return counted(w, &a, x->run(&a, w->head->n, 1, hi, lo));
}

static lbr_status read_out(lbr_work *w, double *y)
{
    const extended *x = w->setup->constants;

    return read_both(w, y, w->scratch + (FIXED + 2 * x->stages) * w->setup->sys.s.dim);
}

const lbr_stepper lbr_stepper_extended = {
    .name = "extended",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
    .read_both = read_both,
};
