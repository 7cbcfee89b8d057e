/* sequence.c - any sequence of one-step maps: compositions, splittings into parts, processed methods.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a step begins and ends with the flow of the same part, the two merge between steps: the last one is put off
 * until the next step or until one looks. State: y, its low parts where sums are compensated, what atoms keep, and at
 * each place of a step that is an equation what its solution will be. A step that is flows of parts and nothing else is
 * a template too, for systems that can compile themselves. */
#include "foretold.h"
#include "fuse.h"

#include <stdio.h>
#include <string.h>

/* Doubles of a piece in scratch; the most that are written out; characters of a number. */
enum { PIECE = sizeof(lbr_piece) / sizeof(double), FUSED_PIECES = 512, NUMBER = 24 };

typedef int64_t (*sequence_fn)(const lbr_sequence_args *, int64_t k0, int64_t n, double *y, double *e);

typedef struct piece {
    int32_t atom;
    lbr_dd c, time;
    int64_t slot, foretold;
} piece; /* one term, its slot in scratch, and where the state foretells its solution; 0: nowhere */
typedef struct row {
    int64_t n;
    piece *piece;
} row;
typedef struct place {
    int32_t atom;
    lbr_dd c;
    int64_t slot;
} place; /* a slot: one per atom and distinct step */

typedef struct constants {
    row pre, kernel, post;
    int merged;  /* the last piece of the kernel waits for the next step */
    piece joint; /* then: first and last in one */
    int64_t nplaces;
    place *place;
    int64_t own, copy; /* atoms' own scratch; a copy of the state for reading */
    sequence_fn run;
    void *ctx;            /* machine code for steps, or NULL */
    int64_t first, later; /* its pieces: of the very first step, of all others */
} constants;

static int takes(const lbr_setup *set) { return (void)set, 1; }

/* The slot for this atom and step, made where there is none yet. */
static int64_t slot_for(const lbr_setup *set, constants *c, int32_t atom, lbr_dd step, int64_t *at)
{
    place *p = c->place;

    if (set->atom[atom].slot == 0) return *at;
    for (int64_t i = 0; i < c->nplaces; i++, p++)
        if (p->atom == atom && p->c.hi == step.hi && p->c.lo == step.lo) return p->slot;
    *p = (place){ atom, step, *at };
    c->nplaces++;
    *at += set->atom[atom].slot;
    return p->slot;
}

static int row_of(lbr_setup *set, constants *c, const lbr_program *p, row *r, int64_t *at)
{
    r->n = p->n;
    if (!(r->piece = lbr_arena_alloc(set->arena, p->n, sizeof *r->piece))) return -1;
    for (int64_t i = 0; i < p->n; i++) {
        const lbr_term *t = &p->term[i];
        r->piece[i] = (piece){ t->atom, t->c, t->time, slot_for(set, c, t->atom, t->c, at), 0 };
    }
    return 0;
}

/* --- machine code ------------------------------------------------------------------------------------------------ */

/* How many pieces a step takes itself; after how many of them the parts come again. */
static int64_t taken(const constants *c) { return c->kernel.n - c->merged; }

static int64_t period(const constants *c)
{
    const piece *p = c->kernel.piece;
    int64_t n = taken(c), k = 1, i;

    for (; k < n && k <= FUSED_PIECES; k++) { /* one that is longer is too long, however long it is */
        for (i = k; i < n && p[i].atom == p[i - k].atom;) i++;
        if (i == n) break;
    }
    return k;
}

/* "DO(0, 2) DO(1, 0)": n pieces from p on, and the parts that they are of. */
static char *list(lbr_setup *set, const piece *p, int64_t n, int64_t *part)
{
    char *text = lbr_arena_alloc(set->arena, 2 * n + 1, NUMBER), *at = text;

    for (int64_t i = 0; text && i < n; i++)
        at += sprintf(at, "DO(%lld, %lld) ", (long long)i, (long long)(part[i] = set->atom[p[i].atom].index));
    return text;
}

static const char *defines(lbr_setup *set, const constants *c, int64_t length, int64_t *part)
{
    int64_t n = set->sys.s.dim, last = taken(c), rest = last % length;
    const char *round = list(set, c->kernel.piece, length, part),
               *left = list(set, c->kernel.piece, rest, part + length), *waits = "";

    if (c->merged)
        waits = lbr_arena_format(set->arena, "#define LAST(DO) DO(%lld, %lld)\n", (long long)last,
                                 (long long)set->atom[c->joint.atom].index);
    if (!round || !left || !waits) return NULL;
    return lbr_arena_format(set->arena,
                            "#define N %lld\n"
                            "%s#define COMPENSATED %d\n"
                            "#define ROUNDS %lld\n"
                            "#define PERIOD %lld\n"
                            "#define ROUND(DO) %s\n"
                            "#define REST(DO) %s\n"
                            "%s",
                            (long long)n, n <= LBR_FUSED_MOST ? "#define FIXED\n" : "", set->compensated,
                            (long long)(last / length), (long long)length, round, left, waits);
}

/* Asks for it, where all pieces are flows. Programs that end in `post` are read outside. */
static lbr_status fuse(lbr_setup *set, constants *c)
{
    int64_t length = period(c), n = length + taken(c) % length, *part;
    lbr_fusing ask = { .file = "sequence.inc",
                       .n = set->sys.s.dim,
                       .uses = set->compensated ? LBR_USES_INCREMENTS : LBR_USES_FLOWS,
                       .watch = set->post.n == 0,
                       .nparts = n };
    lbr_fused fused;
    lbr_status status;

    for (int64_t i = 0; i < c->kernel.n; i++)
        if (set->atom[c->kernel.piece[i].atom].kind != &lbr_atom_flow) return LBR_OK;
    if (!set->sys.s.inside || n > FUSED_PIECES) return LBR_OK;
    ask.part = part = lbr_arena_alloc(set->arena, n, sizeof *part);
    if (!part || !(ask.defines = defines(set, c, length, part))) return LBR_ENOMEM;
    if ((status = lbr_fuse(set, &ask, &fused))) return status;
    c->run = (sequence_fn)fused.entry, c->ctx = fused.ctx;
    set->watches = fused.watches;
    return LBR_OK;
}

/* What the state has beside y. */
static void lay_out(lbr_setup *set, constants *c)
{
    int64_t unknowns = 0, before;

    for (int64_t i = 0; i < set->natoms; i++) set->atom[i].kept_at = set->nstate, set->nstate += set->atom[i].kept;
    for (int64_t i = 0; i < c->kernel.n; i++) unknowns += set->atom[c->kernel.piece[i].atom].foretold;
    set->sets = lbr_foretold_sets(set, unknowns), before = set->nstate;
    for (int64_t i = 0; i < c->kernel.n; i++) {
        int64_t size = lbr_foretold_size(&set->atom[c->kernel.piece[i].atom], set->sets);

        if (size) c->kernel.piece[i].foretold = set->nstate, set->nstate += size;
    }
    set->grown = set->nstate - before;
}

static lbr_status build(lbr_setup *set, lbr_message *m)
{
    constants *c = lbr_arena_alloc(set->arena, 1, sizeof *c);
    int64_t at = 0, own = 0, last = set->kernel.n - 1;

    if (c) c->place = lbr_arena_alloc(set->arena, set->pre.n + set->kernel.n + set->post.n + 1, sizeof *c->place);
    if (!c || !c->place || row_of(set, c, &set->pre, &c->pre, &at) || row_of(set, c, &set->kernel, &c->kernel, &at) ||
        row_of(set, c, &set->post, &c->post, &at))
        return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (last > 0 && c->kernel.piece[0].atom == c->kernel.piece[last].atom &&
        set->atom[c->kernel.piece[0].atom].kind->flow) {
        c->merged = 1;
        c->joint = c->kernel.piece[0];
        c->joint.c = dd_add(c->joint.c, c->kernel.piece[last].c);
        c->joint.time = set->kernel.begin;
        if (set->atom[c->joint.atom].moves_time) c->joint.time = dd_sub(c->joint.time, c->kernel.piece[last].c);
        c->joint.slot = slot_for(set, c, c->joint.atom, c->joint.c, &at);
    }
    for (int64_t i = 0; i < set->natoms; i++)
        if (set->atom[i].own > own) own = set->atom[i].own;
    set->nstate = set->sys.s.dim * (set->compensated ? 2 : 1);
    lay_out(set, c);
    c->own = at, at += own;
    c->copy = at, at += set->nstate - set->grown;
    if (fuse(set, c)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    if (c->run) c->first = at, c->later = at + PIECE * c->kernel.n, at = c->later + PIECE * c->kernel.n;
    set->nscratch = at;
    set->constants = c;
    if (!set->instance) set->instance = "functions of the system";
    return LBR_OK;
}

/* A piece as its template wants it. */
static void fill(const piece *p, double h, lbr_piece *to)
{
    *to = (lbr_piece){ dd_mul(p->time, dd(h)).hi, dd_mul(p->c, dd(h)).hi };
}

static void prepare(lbr_work *w)
{
    const constants *c = w->setup->constants;
    lbr_piece *first = (lbr_piece *)(w->scratch + c->first), *later = (lbr_piece *)(w->scratch + c->later);

    for (int64_t i = 0; i < c->nplaces; i++) {
        const lbr_atom *a = &w->setup->atom[c->place[i].atom];
        if (a->kind->prepare)
            a->kind->prepare(a, dd_mul(c->place[i].c, dd(w->head->h)).hi, w->scratch + c->place[i].slot);
    }
    for (int64_t i = 0; c->run && i < c->kernel.n; i++) {
        fill(&c->kernel.piece[i], w->head->h, first + i);
        fill(i == 0 && c->merged ? &c->joint : &c->kernel.piece[i], w->head->h, later + i);
    }
}

static void start(lbr_work *w, const double *y) { memcpy(w->v, y, (size_t)w->setup->sys.s.dim * sizeof *y); }

/* v: the state, or what one reads of it, where nothing is foretold. */
static lbr_status apply(lbr_work *w, const piece *p, double t, double *v)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    const lbr_atom *a = &set->atom[p->atom];
    double h = w->head->h;

    w->kept = v, w->foretold = v + p->foretold, w->series = v == w->v && p->foretold ? a->series : 0;
    return a->kind->apply(w, a, w->scratch + p->slot, w->scratch + c->own, t + dd_mul(p->time, dd(h)).hi,
                          dd_mul(p->c, dd(h)).hi, v, set->compensated ? v + set->sys.s.dim : NULL);
}

static lbr_status apply_row(lbr_work *w, const row *r, int64_t from, int64_t to, double t, double *v)
{
    lbr_status status = LBR_OK;

    for (int64_t i = from; i < to && !status; i++) status = apply(w, &r->piece[i], t, v);
    return status;
}

/* n steps from step k on, in machine code. */
static lbr_status run(lbr_work *w, int64_t slot, int64_t k, int64_t n)
{
    const lbr_setup *set = w->setup;
    const constants *c = set->constants;
    lbr_sequence_args a = { .dim = set->sys.s.dim,
                            .t0 = w->head->t0,
                            .h = w->head->h,
                            .piece = (const lbr_piece *)(w->scratch + slot),
                            .ctx = c->ctx,
                            .d = w->scratch + c->own,
                            .x = w->scratch + c->copy,
                            .watch = w->watch };
    int64_t bad = c->run(&a, k, n, w->v, set->compensated ? w->v + set->sys.s.dim : NULL);

    w->head->stats.flow += n * taken(c);
    if (bad > 0) return lbr_work_no_flow(w, &set->atom[c->kernel.piece[bad - 1].atom]);
    return bad ? lbr_fail(&w->message, LBR_ECALLBACK, "a function that is watched reported a failure") : LBR_OK;
}

static lbr_status run_fused(lbr_work *w, int64_t n)
{
    const constants *c = w->setup->constants;
    int64_t k = w->head->n;
    lbr_status status = LBR_OK;

    if (!w->head->primed && n > 0) {
        status = apply_row(w, &c->pre, 0, c->pre.n, lbr_time(w->head, k), w->v);
        if (!status) status = run(w, c->first, k, 1);
        w->head->primed = 1;
        k++, n--;
    }
    return status || n < 1 ? status : run(w, c->later, k, n);
}

static lbr_status advance(lbr_work *w, int64_t n)
{
    const constants *c = w->setup->constants;
    lbr_status status = LBR_OK;

    if (c->run) return run_fused(w, n);
    for (int64_t k = w->head->n, end = k + n; k < end && !status; k++) {
        double t = lbr_time(w->head, k);

        if (!w->head->primed) status = apply_row(w, &c->pre, 0, c->pre.n, t, w->v);
        if (!status) status = apply(w, c->merged && w->head->primed ? &c->joint : &c->kernel.piece[0], t, w->v);
        if (!status) status = apply_row(w, &c->kernel, 1, c->kernel.n - c->merged, t, w->v);
        w->head->primed = 1;
    }
    return status;
}

static lbr_status read_out(lbr_work *w, double *y)
{
    const constants *c = w->setup->constants;
    double *v = w->scratch + c->copy;
    int64_t n = w->head->n;
    lbr_status status = LBR_OK;

    memcpy(v, w->v, (size_t)(w->setup->nstate - w->setup->grown) * sizeof *v);
    if (w->head->primed && c->merged) status = apply(w, &c->kernel.piece[c->kernel.n - 1], lbr_time(w->head, n - 1), v);
    if (w->head->primed && !status) status = apply_row(w, &c->post, 0, c->post.n, lbr_time(w->head, n), v);
    memcpy(y, v, (size_t)w->setup->sys.s.dim * sizeof *y);
    return status;
}

const lbr_stepper lbr_stepper_sequence = {
    .name = "sequence",
    .layout = 1,
    .takes = takes,
    .build = build,
    .prepare = prepare,
    .start = start,
    .advance = advance,
    .read = read_out,
};
