/* driftkick.c - compositions of drifts and kicks for H = T(p) + V(q): Verlet and everything made of it.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program is brought into the form  [kick lead]  (drift, kick) ... (drift, kick)  [drift trail].  Between steps the
 * state stands where neighbouring pieces of two steps merge: a leading kick is done ahead of time, together with the
 * last kick of the step before, and a trailing drift is put off. Reading undoes the one or does the other, on a copy.
 * So a step costs its inner forces only, and nothing depends on when one looks. State: q, p, f (the last force), and
 * the low parts of q and p where sums are compensated. */
#include "fuse.h"
#include "instances.h"

#include <string.h>

/* A program as stages of a drift A and a kick B at time C each, and what is before the first one and after the last
 * one: all are multiples of h. The slot, where their products with h are kept, begins at `slot` in scratch. */
typedef struct shape {
    int64_t stages;
    int has_lead, has_trail;
    lbr_dd lead, trail, *A, *B, *C;
    int64_t slot;
} shape;

typedef struct constants {
    shape pre, kernel, post;
    lbr_dd first; /* drift of the very first stage, where later ones have the trail in it */
    int64_t slot_first, work;
    lbr_driftkick_fn run;
    void *ctx; /* of its functions */
} constants;

/* A slot: the stages, then lead, its low part, trail, its low part. */
enum { STAGE = sizeof(lbr_stage) / sizeof(double) };
static int64_t slot_size(const shape *s) { return STAGE * s->stages + 4; }

/* A lead kick that is put off is done at the time of the step's end: that must be when the next one begins. */
static int takes(const lbr_setup *set)
{
    if (set->kernel.begin.hi != 0) return 0;
    for (int64_t i = 0; i < set->natoms; i++)
        if (set->atom[i].kind != &lbr_atom_kick && set->atom[i].kind != &lbr_atom_drift) return 0;
    return 1;
}

static int is_kick(const lbr_setup *set, const lbr_term *t) { return set->atom[t->atom].kind == &lbr_atom_kick; }

/* A merged program alternates, so after an optional first kick it is pairs, and perhaps a last drift. */
static int shape_of(lbr_setup *set, const lbr_program *p, shape *s)
{
    int64_t i = 0;

    *s = (shape){ .A = lbr_arena_alloc(set->arena, p->n + 1, sizeof *s->A),
                  .B = lbr_arena_alloc(set->arena, p->n + 1, sizeof *s->B),
                  .C = lbr_arena_alloc(set->arena, p->n + 1, sizeof *s->C) };
    if (!s->A || !s->B || !s->C) return -1;
    if (p->n > 0 && is_kick(set, p->term)) s->has_lead = 1, s->lead = p->term[i++].c;
    for (; i + 1 < p->n; i += 2, s->stages++) {
        s->A[s->stages] = p->term[i].c;
        s->B[s->stages] = p->term[i + 1].c;
        s->C[s->stages] = p->term[i + 1].time;
    }
    if (i < p->n) s->has_trail = 1, s->trail = p->term[i].c;
    return 0;
}

/* What is left of lead and trail once steps follow each other. */
static void join(shape *s, lbr_dd *first)
{
    if (s->has_lead && s->has_trail) { /* K ... D | K ... : a stage more, whose kick is the next step's lead */
        s->A[s->stages] = s->trail, s->B[s->stages] = s->lead, s->C[s->stages] = dd(1);
        s->stages++, s->has_trail = 0;
        *first = s->A[0];
        return;
    }
    *first = s->A[0];
    if (s->has_lead) {
        s->B[s->stages - 1] = dd_add(s->B[s->stages - 1], s->lead);
    } else if (s->has_trail) {
        s->A[0] = dd_add(s->A[0], s->trail);
    }
}

/* The system's own machine code if it has some, or an instance. Programs that end in `post` are read outside. */
static lbr_status choose(lbr_setup *set, constants *c)
{
    const lbr_instance *one = lbr_instance_choose(set, set->sys.s.nq);
    int64_t nq = set->sys.s.nq;
    lbr_fusing ask = { .file = "driftkick.inc",
                       .n = nq,
                       .uses = LBR_USES_FORCE | (set->sys.drift == LBR_DRIFT_VELOCITY ? LBR_USES_VELOCITY : 0),
                       .watch = set->post.n == 0 };
    lbr_fused fused;
    lbr_status status;

    if (!one) return LBR_ENOMEM;
    ask.defines = lbr_arena_format(set->arena,
                                   "#define NQ %lld\n"
                                   "%s#define DRIFT %d\n"
                                   "#define COMPENSATED %d\n",
                                   (long long)nq, nq <= LBR_FUSED_MOST ? "#define FIXED\n" : "", (int)set->sys.drift,
                                   set->compensated);
    if (!ask.defines) return LBR_ENOMEM;
    if ((status = lbr_fuse(set, &ask, &fused))) return status;
    c->run = fused.entry ? (lbr_driftkick_fn)fused.entry : one->driftkick[set->sys.drift][set->compensated];
    c->ctx = fused.entry ? fused.ctx : set->sys.s.ctx;
    set->watches = fused.watches;
    return LBR_OK;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    int64_t nq = set->sys.s.nq, at = 0;

    if (!c || shape_of(set, &set->pre, &c->pre) || shape_of(set, &set->kernel, &c->kernel) ||
        shape_of(set, &set->post, &c->post))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (c->kernel.stages < 1 && !(c->kernel.has_lead && c->kernel.has_trail))
        return lbr_fail(m, LBR_EMETHOD, "the method has no kick or no drift in it: its coefficients vanish");
    join(&c->kernel, &c->first);
    if (choose(set, c)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    c->pre.slot = at, at += slot_size(&c->pre);
    c->kernel.slot = at, at += slot_size(&c->kernel);
    c->post.slot = at, at += slot_size(&c->post);
    c->slot_first = at, at += STAGE * c->kernel.stages;
    c->work = at, at += 6 * nq; /* a copy of q, p, f, eq, ep for reading; T'(p) */
    set->constants = c;
    set->nstate = (set->compensated ? 5 : 3) * nq, set->low = set->compensated ? 3 * nq : 0;
    set->nscratch = at;
    return LBR_OK;
}

static void scaled(lbr_dd c, double h, double factor, double *hi, double *lo)
{
    lbr_dd x = dd_mul(dd_mul(c, dd(h)), dd(factor));
    *hi = x.hi, *lo = x.lo;
}

static void fill(const shape *s, double h, double factor, double *slot)
{
    lbr_stage *stage = (lbr_stage *)slot;
    double *end = (double *)(stage + s->stages);

    for (int64_t j = 0; j < s->stages; j++) {
        scaled(s->A[j], h, factor, &stage[j].A, &stage[j].Al);
        scaled(s->B[j], h, 1, &stage[j].B, &stage[j].Bl);
        stage[j].C = dd_mul(s->C[j], dd(h)).hi;
    }
    scaled(s->lead, h, 1, &end[0], &end[1]);
    scaled(s->trail, h, factor, &end[2], &end[3]);
}

static double mass_factor(const lbr_setup *set) { return set->sys.drift == LBR_DRIFT_UNIFORM ? set->sys.factor : 1; }

static void prepare(lbr_work *w)
{
    const constants *c = w->setup->constants;
    double h = w->head->h, factor = mass_factor(w->setup);
    lbr_stage *first = (lbr_stage *)(w->scratch + c->slot_first);

    fill(&c->pre, h, factor, w->scratch + c->pre.slot);
    fill(&c->kernel, h, factor, w->scratch + c->kernel.slot);
    fill(&c->post, h, factor, w->scratch + c->post.slot);
    memcpy(first, w->scratch + c->kernel.slot, (size_t)c->kernel.stages * sizeof *first);
    scaled(c->first, h, factor, &first->A, &first->Al);
}

/* The pieces of a state, or of a copy of one. */
typedef struct parts {
    double *q, *p, *f, *eq, *ep;
} parts;

static parts parts_of(const lbr_setup *set, double *v)
{
    int64_t nq = set->sys.s.nq;
    double *e = set->compensated ? v + 3 * nq : NULL;

    return (parts){ v, v + nq, v + 2 * nq, e, e ? e + nq : NULL };
}

/* n steps of a shape from step k0, with the stages in a slot; watched, or (NULL) not. */
static int stages(lbr_work *w, const shape *s, const double *slot, int64_t k0, int64_t n, parts x,
                  const lbr_watch *watch)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    const lbr_stage *first = (const lbr_stage *)slot;
    lbr_driftkick_args a = {
        .nq = set->sys.s.nq,
        .t0 = w->head->t0,
        .h = w->head->h,
        .stage = first,
        .end = first + s->stages,
        .m = set->sys.s.inverse_mass,
        .force = set->sys.s.force,
        .velocity = set->sys.s.velocity,
        .ctx = c->ctx,
        .v = w->scratch + c->work + 5 * set->sys.s.nq,
        .watch = watch,
        .lead = s->has_lead,
        .trail = s->has_trail,
        .read = w->scratch + s->slot + STAGE * s->stages,
        .y = w->scratch + c->work,
    };

    w->head->stats.force += n * s->stages;
    return c->run(&a, k0, n, x.q, x.p, x.f, x.eq, x.ep);
}

static void add(int64_t n, double *y, double *e, double c, double cl, const double *x)
{
    for (int64_t i = 0; i < n; i++) {
        if (e) e[i] = fma(cl, x[i], e[i]), lbr_compensate_product(&y[i], &e[i], c, x[i]);
        else y[i] = fma(c, x[i], y[i]);
    }
}

static int drift(lbr_work *w, const double *a, int64_t k, parts x)
{
    const lbr_bound *b = &w->setup->sys;
    const constants *c = w->setup->constants;
    double *v = w->scratch + c->work + 5 * b->s.nq;
    int bad = 0;

    for (int64_t i = 0; i < b->s.nq; i++) v[i] = b->drift == LBR_DRIFT_MASS ? b->s.inverse_mass[i] * x.p[i] : x.p[i];
    if (b->drift == LBR_DRIFT_VELOCITY) bad = b->s.velocity(lbr_time(w->head, k), x.p, v, b->s.ctx);
    add(b->s.nq, x.q, x.eq, a[0], a[1], v);
    return bad;
}

/* The force at step k, and a kick with it. */
static int kick(lbr_work *w, const double *b, int64_t k, parts x)
{
    const lbr_system *s = &w->setup->sys.s;
    int bad = s->force(lbr_time(w->head, k), x.q, x.f, s->ctx);

    w->head->stats.force++;
    add(s->nq, x.p, x.ep, b[0], b[1], x.f);
    return bad;
}

/* A whole program once, nothing merged: what goes before and after the kernel. */
static int once(lbr_work *w, const shape *s, int64_t k, parts x)
{
    const double *slot = w->scratch + s->slot, *end = slot + STAGE * s->stages;
    int bad = 0;

    if (s->has_lead) bad |= kick(w, end, k, x);
    if (s->stages) bad |= stages(w, s, slot, k, 1, x, NULL);
    if (s->has_trail) bad |= drift(w, end + 2, k, x);
    return bad;
}

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

static lbr_status advance(lbr_work *w, int64_t n)
{
    const constants *c = w->setup->constants;
    const shape *s = &c->kernel;
    const double *slot = w->scratch + s->slot;
    parts x = parts_of(w->setup, w->v);
    int64_t k = w->head->n;
    int bad = 0;

    if (!w->head->primed && n > 0) {
        bad |= once(w, &c->pre, k, x);
        if (s->has_lead) bad |= kick(w, slot + STAGE * s->stages, k, x);
        bad |= stages(w, s, w->scratch + c->slot_first, k, 1, x, w->watch);
        w->head->primed = 1;
        k++, n--;
    }
    if (n > 0) bad |= stages(w, s, slot, k, n, x, w->watch);
    return bad ? lbr_fail(&w->message, LBR_ECALLBACK, "the system's force or velocity function reported a failure")
               : LBR_OK;
}

static lbr_status read_out(lbr_work *w, double *y)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    const double *end = w->scratch + c->kernel.slot + STAGE * c->kernel.stages;
    int64_t nq = set->sys.s.nq;
    parts x = parts_of(set, w->scratch + c->work);
    int bad = 0;

    memcpy(x.q, w->v, (size_t)set->nstate * sizeof *y);
    if (w->head->primed) {
        if (c->kernel.has_lead) add(nq, x.p, x.ep, -end[0], -end[1], x.f);
        if (c->kernel.has_trail) bad |= drift(w, end + 2, w->head->n, x);
        bad |= once(w, &c->post, w->head->n, x);
    }
    memcpy(y, x.q, (size_t)(2 * nq) * sizeof *y);
    return bad ? lbr_fail(&w->message, LBR_ECALLBACK, "the system's force or velocity function reported a failure")
               : LBR_OK;
}

/* --- lanes ------------------------------------------------------------------------------------------------------- */

static lbr_status lanes(const lbr_setup *set, lbr_lanes *l, lbr_arena *arena, lbr_message *m)
{
    int64_t nq = set->sys.s.nq;
    lbr_fusing ask = { .file = "driftkick.inc",
                       .n = nq,
                       .uses = LBR_USES_FORCE | (set->sys.drift == LBR_DRIFT_VELOCITY ? LBR_USES_VELOCITY : 0) };
    double *mass = lbr_arena_alloc(arena, 64 * nq, sizeof *mass);
    lbr_status status;

    ask.defines = lbr_arena_format(arena,
                                   "#define ARGS lbr_driftkick_args\n"
                                   "#define ONE %lld\n"
                                   "#define NQ (GROUPS*ONE)\n"
                                   "#define FIXED\n"
                                   "#define DRIFT %d\n"
                                   "#define COMPENSATED %d\n",
                                   (long long)nq, (int)set->sys.drift, set->compensated);
    if (!ask.defines || !mass) return lbr_fail(m, LBR_ENOMEM, "out of memory");
    if ((status = lbr_fuse_lanes(set, &ask, l, m))) return status;
    for (int64_t i = 0; i < l->groups * nq && set->sys.s.inverse_mass; i++) mass[i] = set->sys.s.inverse_mass[i % nq];
    l->segment = nq, l->m = mass;
    return LBR_OK;
}

static int advance_lanes(lbr_work *w, const lbr_lanes *l, int64_t k, int64_t n, double *V)
{
    const constants *c = w->setup->constants;
    const lbr_stage *first = (const lbr_stage *)(w->scratch + c->kernel.slot);
    int64_t step = l->groups * l->segment * l->width;
    double *e = w->setup->compensated ? V + 3 * step : NULL;
    lbr_driftkick_args a = { .nq = l->segment,
                             .t0 = w->head->t0,
                             .h = w->head->h,
                             .stage = first,
                             .end = first + c->kernel.stages,
                             .m = l->m,
                             .ctx = l->ctx };

    return ((lbr_driftkick_fn)l->entry)(&a, k, n, V, V + step, V + 2 * step, e, e ? e + step : NULL);
}

const lbr_stepper lbr_stepper_driftkick = {
    .name = "drift-kick",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
    .lanes = lanes,
    .advance_lanes = advance_lanes,
};
