/* part_flows.c - exact flows of the parts of a model: given by hand, straight, linear, Kepler's.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "part_flows.h"
#include "core/expm.h"
#include "graph/derive.h"
#include "kepler.h"
#include "structure.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { SLOTS = 16 };

/* |p|^2/(2m) - k/|q| of d components; k = 0: it moves freely, m infinite: it rests. */
typedef struct body {
    int64_t q, p, d;
    double m, k;
} body;

typedef struct lbr_part_flow {
    lbr_map_fn flow;
    lbr_increment_fn increment; /* what plans call */
    int64_t dim;
    lbr_function field, given, change;
    int duration; /* given by hand: y(s), y(s) - y(0); the number of the input s */
    lbr_linear_flow *linear;
    body *body;
    int64_t bodies;
    _Atomic(double *) slot[SLOTS]; /* scratch that is not in use */
} lbr_part_flow;

/* --- scratch ----------------------------------------------------------------------------------------------------- */

static double *take(lbr_part_flow *f)
{
    double *p;

    for (int k = 0; k < SLOTS; k++)
        if ((p = atomic_exchange(&f->slot[k], NULL))) return p;
    return lbr_mem_alloc((size_t)f->dim * sizeof *p);
}

static void give(lbr_part_flow *f, double *p)
{
    for (int k = 0; k < SLOTS && p; k++) {
        double *none = NULL;

        if (atomic_compare_exchange_strong(&f->slot[k], &none, p)) return;
    }
    lbr_mem_free(p);
}

/* --- flows as plans call them ------------------------------------------------------------------------------------ */

static int call_given(lbr_part_flow *f, const lbr_function *of, double t, double h, const double *y, double *out)
{
    const double *input[LBR_MODEL_INPUTS] = { y };

    input[f->duration] = &h;
    return lbr_code_run(of->code, t, input, out);
}

static int given_increment(double t, double h, const double *y, double *dy, void *ctx)
{
    lbr_part_flow *f = ctx;

    return call_given(f, &f->change, t, h, y, dy);
}

static int given_flow(double t, double h, double *y, void *ctx)
{
    lbr_part_flow *f = ctx;
    double *out = take(f);
    int bad = !out || call_given(f, &f->given, t, h, y, out);

    if (!bad) memcpy(y, out, (size_t)f->dim * sizeof *y);
    give(f, out);
    return bad;
}

static int part_field(double t, const double *y, double *out, void *ctx)
{
    const lbr_part_flow *f = ctx;
    const double *input[LBR_MODEL_INPUTS] = { y };

    return lbr_code_run(f->field.code, t, input, out);
}

static int straight_increment(double t, double h, const double *y, double *dy, void *ctx)
{
    lbr_part_flow *f = ctx;
    const double *input[LBR_MODEL_INPUTS] = { y };
    int bad = lbr_code_run(f->field.code, t, input, dy);

    for (int64_t i = 0; i < f->dim; i++) dy[i] *= h;
    return bad;
}

static int straight_flow(double t, double h, double *y, void *ctx)
{
    lbr_part_flow *f = ctx;
    double *out = take(f);
    const double *input[LBR_MODEL_INPUTS] = { y };
    int bad = !out || lbr_code_run(f->field.code, t, input, out);

    for (int64_t i = 0; i < f->dim && !bad; i++) y[i] = fma(h, out[i], y[i]);
    give(f, out);
    return bad;
}

static int linear_increment(double t, double h, const double *y, double *dy, void *ctx)
{
    return lbr_linear_flow_increment(((lbr_part_flow *)ctx)->linear, h, y, dy);
}

static int linear_flow(double t, double h, double *y, void *ctx)
{
    return lbr_linear_flow_apply(((lbr_part_flow *)ctx)->linear, h, y);
}

/* What a flow works with is there before its first step. */
static int prepare_flow(double h, void *ctx)
{
    lbr_part_flow *f = ctx;
    double *out;

    if (f->linear) return lbr_linear_flow_prepare(f->linear, h);
    if (f->flow != given_flow && f->flow != straight_flow) return 0;
    out = take(f), give(f, out);
    return !out;
}

static int kepler_increment(double t, double h, const double *y, double *dy, void *ctx)
{
    const lbr_part_flow *f = ctx;
    int bad = 0;

    for (const body *b = f->body; b < f->body + f->bodies; b++) {
        if (b->k != 0) bad |= lbr_kepler_increment(b->d, b->m, b->k, h, y + b->q, y + b->p, dy + b->q, dy + b->p);
        else
            for (int64_t i = 0; i < b->d; i++) dy[b->q + i] = h * (y[b->p + i] / b->m), dy[b->p + i] = 0;
    }
    return bad;
}

static int kepler_flow(double t, double h, double *y, void *ctx)
{
    const lbr_part_flow *f = ctx;
    int bad = 0;

    for (const body *b = f->body; b < f->body + f->bodies; b++) {
        if (b->k != 0) bad |= lbr_kepler_flow(b->d, b->m, b->k, h, y + b->q, y + b->p);
        else
            for (int64_t i = 0; i < b->d; i++) y[b->q + i] += h * (y[b->p + i] / b->m);
    }
    return bad;
}

/* --- straight: the rates depend on what rests -------------------------------------------------------------------- */

/* Of positions alone, or of momenta alone: seen without counting indices, which takes long in sums over pairs. */
static int of_one_half(lbr_model *m, int field)
{
    const lbr_array *a = m->dag.array + field;
    int64_t n = m->nq;
    int below = 0, above = 0;

    if (2 * n != m->dim) return 0;
    for (int e = 0; e < a->nentries && !(below && above); e++) {
        below |= lbr_index_meets(&m->lo, a->entry[e].index, 0, (double)n);
        above |= lbr_index_meets(&m->lo, a->entry[e].index, (double)n, (double)m->dim);
    }
    return !(below && above) && !lbr_touches_array(&m->lo, field, m->lo.state, below ? 0 : n, below ? n : 2 * n);
}

/* y(s) = y + s f(y). */
static int is_straight(lbr_model *m, int field)
{
    lbr_marks s = { NULL, m->dim };
    const lbr_array *a = m->dag.array + field;
    int good = 1;
    double x;

    if (of_one_half(m, field)) return 1;
    if (!(s.mark = lbr_mem_alloc((size_t)m->dim)))
        return m->dag.status = lbr_fail(&m->dag.message, LBR_ENOMEM, "out of memory"), 0;
    for (int e = 0; good && e < a->nentries; e++)
        if (!lbr_dag_is_const(&m->dag, a->entry[e].value, &x) || x != 0)
            good = lbr_each_index(&m->lo, a->entry[e].loop, a->entry[e].index, lbr_mark_index, &s);
    good = good && !lbr_touches_marked(&m->lo, field, m->lo.state, s.mark);
    lbr_mem_free(s.mark);
    return good;
}

/* --- Kepler's ---------------------------------------------------------------------------------------------------- */

static int list_bodies(lbr_model *m, lbr_part_flow *f)
{
    if (!m->nq || 2 * m->nq != m->dim) return 0;
    if (!(f->body = lbr_arena_alloc(&m->arena, m->nq, sizeof *f->body))) return m->dag.status = LBR_ENOMEM, 0;
    for (int k = 0; k < m->nvariables; k++) {
        const lbr_variable *x = m->variable + k;
        int64_t d = x->shape.rank ? x->shape.n[x->shape.rank - 1] : 1;

        if (x->kind != LBR_VAR_POSITION) continue;
        for (int64_t i = 0; i < x->size; i += d)
            f->body[f->bodies++] = (body){ .q = x->offset + i, .p = m->variable[x->pair].offset + i, .d = d };
    }
    return 1;
}

/* Whether rates v, a at q, p are those of a body; the first time its numbers are taken from them. */
static int is_body(body *b, const double *y, const double *rate, int first)
{
    const double *q = y + b->q, *p = y + b->p, *v = rate + b->q, *a = rate + b->p;
    double r2 = 0, qa = 0, r, k;

    for (int64_t i = 0; i < b->d; i++) r2 += q[i] * q[i], qa += q[i] * a[i];
    r = sqrt(r2), k = -qa * r;
    if (first) b->m = v[0] == 0 ? INFINITY : p[0] / v[0], b->k = k;
    if (!(b->m > 0) || !isfinite(k) || (b->k != 0 && b->m == INFINITY) || fabs(k - b->k) > 2e-14 * fabs(b->k)) return 0;
    for (int64_t i = 0; i < b->d; i++)
        if (!(fabs(v[i] - p[i] / b->m) <= 1e-14 * fabs(v[i])) ||
            !(fabs(a[i] + b->k * (q[i] / r) / r2) <= 2e-14 * fabs(b->k) / r2))
            return 0;
    return 1;
}

/* Places without relation to each other. Scales of 2^40 up and down show softening and added terms, unequal momenta a
 * coupling of these, bodies close together forces between them. */
static void place(const lbr_part_flow *f, int pass, double *y)
{
    static const struct {
        int q, p, unequal, close;
    } of[] = { { 0, 0, 0, 0 },  { -40, 0, 0, 0 }, { 40, 0, 0, 0 },   { 0, -40, 0, 0 },
               { 0, 40, 1, 0 }, { 10, 10, 2, 1 }, { -10, -10, 0, 1 } };

    for (int64_t n = 0; n < f->bodies; n++)
        for (int64_t i = 0; i < f->body[n].d; i++) {
            double x = sin(1.2345 * (double)(of[pass].close ? 3 + 7 * i : 3 + 7 * i + 11 * n) + pass),
                   u = sin(5.4321 * (double)(2 + i + 5 * n) + pass);

            x = ldexp(copysign(0.5 + fabs(x), x), of[pass].q + (of[pass].close ? 0 : (int)(5 * n % 7)));
            y[f->body[n].q + i] = x * (1 + (of[pass].close ? 1e-10 * u : 0));
            y[f->body[n].p + i] = ldexp(copysign(0.5 + fabs(u), -x * u),
                                        of[pass].p +
                                            (of[pass].unequal ? 40 * (int)((n + i + of[pass].unequal) % 3 - 1) : 0));
        }
}

/* A smooth field that fits at all these places. */
static int is_kepler(lbr_model *m, lbr_part_flow *f, int field)
{
    const uint64_t cases = LBR_OP_BIT(FLOOR) | LBR_OP_BIT(MOD) | LBR_OP_BIT(SELECT) | LBR_OP_BIT(MIN) |
                           LBR_OP_BIT(MAX) | LBR_OP_BIT(LARGEST) | LBR_OP_BIT(SMALLEST);
    double *y = lbr_mem_alloc((size_t)m->dim * sizeof *y), *rate = lbr_mem_alloc((size_t)m->dim * sizeof *rate);
    int good = y && rate && lbr_affordable(&m->dag, field, 7) && !lbr_touches_time(&m->dag, field) &&
               !lbr_applies(&m->lo, field, cases) && list_bodies(m, f),
        found = 0;

    for (int pass = 0; pass < 7 && good; pass++) {
        const double *input[LBR_MODEL_INPUTS] = { y };

        place(f, pass, y);
        good = !lbr_code_run(f->field.code, m->t0, input, rate);
        for (int64_t n = 0; n < f->bodies && good; n++)
            good = is_body(f->body + n, y, rate, !pass), found |= f->body[n].k != 0;
    }
    if (!y || !rate) m->dag.status = lbr_fail(&m->dag.message, LBR_ENOMEM, "out of memory");
    lbr_mem_free(y), lbr_mem_free(rate);
    return good && found;
}

/* --- given by hand ----------------------------------------------------------------------------------------------- */

/* y(s) - y(0): q + s p less q is s p, not a difference of two numbers. */
static int change_of(lbr_model *m, int flow)
{
    lbr_dag *d = &m->dag;
    int change = lbr_dag_array(d, m->dim);

    for (int e = 0; change >= 0 && e < d->array[flow].nentries; e++) {
        lbr_entry x = d->array[flow].entry[e];
        lbr_ref before = lbr_dag_load(d, m->lo.state, x.index);
        const lbr_dag_node n = d->node[x.value];

        if (n.op == LBR_OP_ADD && (n.a == before || n.b == before)) x.value = n.a == before ? n.b : n.a;
        else if (n.op == LBR_OP_FMA && n.c == before) x.value = lbr_dag_mul(d, n.a, n.b);
        else x.value = lbr_dag_sub(d, x.value, before);
        lbr_dag_entry(d, change, x);
    }
    lbr_dag_close(d, change);
    return d->status ? -1 : change;
}

/* Where a flow is looked at: components moved by parts of themselves, after a time s, at a time after that of the start
 * (a part that depends on t sees it at rest). What is 0 at the start is not elsewhere. */
typedef struct flow_look {
    double by, s, t;
    const char *where;
} flow_look;
static const flow_look flow_looks[] = {
    { 0, 0, 0, "at the start" },
    { 0, 1.0 / 128, 0, "at the start" },
    { 0, -1.0 / 32, 0, "at the start" },
    { 1e-3, 0, 0, "near the start" },
    { 1e-3, 1.0 / 128, 0, "near the start" },
    { 1e-3, -1.0 / 32, 0, "near the start" },
    { 0.25, 1.0 / 128, 0, "away from the start" },
    { 0.25, -1.0 / 32, 0, "away from the start" },
    { 1e-3, 1.0 / 128, 0.731, "at another time" },
    { 1e-3, 1.0 / 128, 29.3, "at another time" },
};
enum { FLOW_LOOKS = sizeof flow_looks / sizeof *flow_looks };

/* The state of a look. Far away only where any state is one: no constraints, no attitudes. 0: it is not to be had. */
static int flow_looked(const lbr_model *m, const flow_look *look, double *y)
{
    for (int k = 0; k < m->nvariables; k++) {
        const lbr_variable *v = m->variable + k;
        double size = 0;

        if (look->by > 0.1 && (m->nconstraints || v->kind == LBR_VAR_ATTITUDE)) return 0;
        for (int64_t i = v->offset; i < v->offset + v->size; i++) size = fmax(size, fabs(m->y0[i]));
        for (int64_t i = v->offset; i < v->offset + v->size; i++)
            y[i] = m->y0[i] + look->by * sin((double)(i + 1) * 1.2345) *
                                  (look->by > 0.1 ? size > 0 ? size : 1 : fabs(m->y0[i]) + 0.1);
    }
    return 1;
}

/* The component in which d/ds of the flow is not the field there, or -1; y and 3 n numbers of room. Not finite
 * anywhere: -1 unless at the start itself. */
static int64_t differs(lbr_model *m, lbr_part_flow *f, const lbr_function *rate, const double *y, const flow_look *look,
                       double *work)
{
    double s = look->s, t = m->t0 + look->t;
    int at_start = look == flow_looks;
    int64_t n = m->dim, known = m->nconstraints && m->nq ? m->nq : n; /* momenta have multipliers in their rates */
    const double *after[LBR_MODEL_INPUTS] = { work };
    double scale = 1e-300;

    if (call_given(f, &f->given, t, s, y, work) || call_given(f, rate, t, s, y, work + n) ||
        lbr_code_run(f->field.code, t, after, work + 2 * n))
        return at_start ? 0 : -1;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(work[n + i]) || !isfinite(work[2 * n + i])) return at_start ? i : -1;
        scale = fmax(scale, fmax(fabs(work[2 * n + i]), fabs(work[n + i])));
    }
    for (int64_t i = 0; i < n; i++)
        if ((i < known && fabs(work[n + i] - work[2 * n + i]) > 1e-8 * scale) ||
            (s == 0 && !(fabs(work[i] - y[i]) <= 1e-12 * fmax(1, fabs(y[i])))))
            return i;
    return -1;
}

static int is_flow_of(lbr_model *m, const lbr_part_def *p, lbr_part_flow *f, lbr_message *message)
{
    static const double one = 1;
    int64_t n = m->dim, bad = -1;
    double *work = lbr_mem_alloc((size_t)(3 * n) * sizeof *work), *y = lbr_mem_alloc((size_t)n * sizeof *y);
    lbr_function rate = { 0 };
    int tangent = lbr_directional_array(&m->dag, p->flow, p->duration, lbr_dag_data(&m->dag, &one, 1));
    const char *where = "";
    char name[64];

    if (tangent == -2) tangent = lbr_dag_array(&m->dag, n), lbr_dag_close(&m->dag, tangent);
    if (work && y && !lbr_affordable(&m->dag, p->field, 2 * FLOW_LOOKS)) return lbr_mem_free(work), lbr_mem_free(y), 1;
    if (!work || !y || !lbr_function_make(m, &rate, tangent, -1, 0, message)) {
        if (!work || !y) lbr_fail(message, LBR_ENOMEM, "out of memory");
        return lbr_mem_free(work), lbr_mem_free(y), 0;
    }
    for (int k = 0; k < FLOW_LOOKS && bad < 0; k++)
        if (flow_looked(m, flow_looks + k, y) && (bad = differs(m, f, &rate, y, flow_looks + k, work)) >= 0)
            where = flow_looks[k].where;
    lbr_mem_free(work), lbr_mem_free(y);
    if (bad < 0) return 1;
    return lbr_fail(message, LBR_EARG,
                    "the flow given for part '%s' is not the flow of that part: %s, component %s does not "
                    "follow its rate",
                    p->name, where, lbr_system_component(&m->functions->system, bad, name, sizeof name)),
           0;
}

static int make_given(lbr_model *m, const lbr_part_def *p, lbr_part_flow *f, lbr_message *message)
{
    f->flow = given_flow, f->increment = given_increment, f->duration = m->dag.array[p->duration].input;
    return lbr_function_make(m, &f->given, p->flow, -1, 0, message) &&
           lbr_function_make(m, &f->change, change_of(m, p->flow), -1, 0, message) && is_flow_of(m, p, f, message);
}

/* --- all parts --------------------------------------------------------------------------------------------------- */

static const char *const no_flow = "it is not of positions or momenta alone, not linear with constant coefficients, "
                                   "not Kepler's; a flow statement can give it";

/* The part's flow, if there is one; *missing: why not. 0 after an error. */
static int find_flow(lbr_model *m, lbr_part_def *p, lbr_part_flow *f, const char **missing, lbr_message *message)
{
    int field = p->h >= 0 ? lbr_model_hamiltonian_field(m, p->h) : p->field, tangent;
    lbr_status status;

    p->field = field, f->dim = m->dim;
    if (!lbr_function_make(m, &f->field, field, -1, 0, message)) return 0;
    if (p->flow >= 0) return make_given(m, p, f, message);
    if (is_straight(m, field)) return f->flow = straight_flow, f->increment = straight_increment, 1;
    tangent = lbr_directional_array(&m->dag, field, m->lo.state, m->direction);
    if (tangent != -1 && lbr_part_is_linear(m, field, tangent)) {
        status = lbr_part_linear(m, &f->field, tangent, &f->linear, message);
        if (status == LBR_EUNFIT && !(*missing = lbr_arena_text(&m->arena, message->text)))
            status = lbr_fail(message, LBR_ENOMEM, "out of memory");
        if (status == LBR_OK) f->flow = linear_flow, f->increment = linear_increment;
        return status == LBR_OK || status == LBR_EUNFIT;
    }
    if (tangent != -1 && is_kepler(m, f, field)) return f->flow = kepler_flow, f->increment = kepler_increment, 1;
    *missing = no_flow;
    return m->dag.status ? lbr_function_make(m, &f->given, -1, -1, 0, message) : 1;
}

static void refuse(lbr_model *m, const char *why)
{
    for (int k = 0; k < m->nparts; k++) m->functions->part[k].flow = NULL, m->functions->part[k].missing = why;
}

int lbr_functions_parts(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int64_t clock = -1;

    s->part = lbr_arena_alloc(&m->arena, m->nparts, sizeof *s->part),
    s->flow = lbr_arena_alloc(&m->arena, m->nparts, sizeof *s->flow);
    if (!s->part || !s->flow) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int k = 0; k < m->nparts; k++) {
        lbr_part_def *p = m->part + k;
        const char *missing = NULL;

        if (!find_flow(m, p, s->flow + k, &missing, message)) return 0;
        s->part[k] = (lbr_part){ sizeof *s->part, p->name, s->flow[k].flow, s->flow[k].increment,
                                 s->flow + k,     missing, part_field,      prepare_flow };
        if (clock < 0 && !lbr_touches_time(&m->dag, p->field)) clock = k;
    }
    s->parts = (lbr_parts){ sizeof s->parts, m->nparts, s->part, clock < 0 ? 0 : clock };
    if (clock < 0) refuse(m, "all parts depend on t, so none of them can carry the time");
    if (m->rayleigh >= 0) {
        refuse(m, "the dissipation (rayleigh) is in none of the parts");
        for (int k = 0; k < m->nparts; k++) s->part[k].field = NULL;
    }
    s->system.parts = &s->parts;
    return 1;
}

lbr_written_flow lbr_part_written(const lbr_model *m, int part)
{
    const lbr_part_flow *f = m->functions->flow + part;

    if (f->flow == straight_flow) return (lbr_written_flow){ LBR_FLOW_STRAIGHT, &f->field, &f->field, 0 };
    if (f->flow == given_flow) return (lbr_written_flow){ LBR_FLOW_GIVEN, &f->given, &f->change, f->duration };
    return (lbr_written_flow){ LBR_FLOW_CALLED, NULL, NULL, 0 };
}

void lbr_part_flows_free(lbr_model *m)
{
    for (int k = 0; m->functions->flow && k < m->nparts; k++) {
        lbr_linear_flow_free(m->functions->flow[k].linear);
        for (int i = 0; i < SLOTS; i++) lbr_mem_free(m->functions->flow[k].slot[i]);
    }
}
