/* flows.c - exact flows of the parts of a model: given by hand, straight, linear, Kepler's. SPDX-License-Identifier: BSD-3-Clause */
#include "system.h"
#include "core/expm.h"
#include "derive.h"
#include "kepler.h"
#include "structure.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 16, FIELD_LINEAR_MOST = 4096 };

typedef enum { BY_HAND, STRAIGHT, LINEAR, KEPLER } flow_kind;

typedef struct lbr_part_flow {
    flow_kind kind;
    int64_t dim;
    lbr_function field, given;  int duration;            /* given: the state after `duration` (an input's number)      */
    lbr_linear_flow *linear;
    int64_t bodies, d, nq;  double *mass, *k;            /* of Kepler's                                                */
    _Atomic(double *) slot[SLOTS];                       /* scratch that is not in use                                 */
} lbr_part_flow;

/* --- scratch ------------------------------------------------------------------------------------------------------------------------------ */

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

/* --- flows as plans call them ---------------------------------------------------------------------------------------------------------------- */

static int given(lbr_part_flow *f, double t, double h, const double *y, double *out)
{
    const double *input[40] = { y };

    input[f->duration] = &h;
    return lbr_code_run(f->given.code, t, input, out);
}

static int kepler_increment(const lbr_part_flow *f, double h, const double *y, double *dy)
{
    int bad = 0;

    for (int64_t b = 0; b < f->bodies; b++) {
        int64_t q = b * f->d, p = f->nq + q;

        bad |= lbr_kepler_increment(f->d, f->mass[b], f->k[b], h, y + q, y + p, dy + q, dy + p);
    }
    return bad;
}

static int increment(double t, double h, const double *y, double *dy, void *ctx)
{
    lbr_part_flow *f = ctx;
    const double *input[40] = { y };
    int bad;

    switch (f->kind) {
    case LINEAR: return lbr_linear_flow_increment(f->linear, h, y, dy);
    case KEPLER: return kepler_increment(f, h, y, dy);
    case BY_HAND:
        bad = given(f, t, h, y, dy);
        for (int64_t i = 0; i < f->dim; i++) dy[i] -= y[i];
        return bad;
    default:
        bad = lbr_code_run(f->field.code, t, input, dy);
        for (int64_t i = 0; i < f->dim; i++) dy[i] *= h;
        return bad;
    }
}

static int flow(double t, double h, double *y, void *ctx)
{
    lbr_part_flow *f = ctx;
    double *out = take(f);
    int bad = !out;

    if (out && f->kind == BY_HAND) {
        bad = given(f, t, h, y, out);
        if (!bad) memcpy(y, out, (size_t)f->dim * sizeof *y);
    } else if (out) {
        const double *input[40] = { y };

        bad = f->kind == STRAIGHT ? lbr_code_run(f->field.code, t, input, out) : increment(t, h, y, out, ctx);
        for (int64_t i = 0; i < f->dim && !bad; i++) y[i] = f->kind == STRAIGHT ? fma(h, out[i], y[i]) : y[i] + out[i];
    }
    give(f, out);
    return bad;
}

/* --- what kind of flow it is --------------------------------------------------------------------------------------------------------------------- */

typedef struct moving { char *moves;  int64_t n; } moving;

static int mark(int64_t at, void *ctx)
{
    moving *s = ctx;

    if (at >= 0 && at < s->n) s->moves[at] = 1;
    return 1;
}

/* The rates depend on variables that rest: y(s) = y + s f(y). */
static int is_straight(lbr_model *m, int field)
{
    moving s = { lbr_arena_alloc(&m->arena, m->dim + 1, 1), m->dim };
    const lbr_array *a = m->dag.array + field;
    int64_t from = 0;
    double x;

    for (int e = 0; s.moves && e < a->nentries; e++)
        if (!lbr_dag_is_const(&m->dag, a->entry[e].value, &x) || x != 0) lbr_each_index(&m->lo, a->entry[e].loop, a->entry[e].index, mark, &s);
    if (!s.moves) return 0;
    for (int64_t i = 0; i <= m->dim; i++)                /* stretches of components that move                          */
        if (i == m->dim || !s.moves[i]) {
            if (i > from && lbr_touches_array(&m->dag, field, m->lo.state, from, i)) return 0;
            from = i + 1;
        }
    return 1;
}

/* A and b of f = A y + b, column by column. */
static int make_linear(lbr_model *m, lbr_part_flow *f, int tangent, lbr_message *message)
{
    int64_t n = m->dim, count = 0, most = 64;
    double *work = lbr_mem_alloc((size_t)(4 * n) * sizeof *work), *e = work, *col = work + n, *b = work + 2 * n, *zero = work + 3 * n;
    lbr_triplet *A = lbr_mem_alloc((size_t)most * sizeof *A), *more;
    lbr_function jacobian;
    const double *input[40] = { zero, e };
    int good = work && A && lbr_function_make(m, &jacobian, tangent, -1, 0, message);

    good = good && !lbr_code_run(f->field.code, m->t0, input, b);
    for (int64_t j = 0; j < n && good; j++) {
        e[j] = 1;
        good = !lbr_code_run(jacobian.code, m->t0, input, col);
        e[j] = 0;
        for (int64_t i = 0; i < n && good; i++) {
            if (col[i] == 0) continue;
            if (count == most) {
                more = lbr_mem_alloc((size_t)(2 * most) * sizeof *A);
                if (!more) { good = 0; break; }
                memcpy(more, A, (size_t)most * sizeof *A);
                lbr_mem_free(A), A = more, most *= 2;
            }
            A[count++] = (lbr_triplet){ i, j, col[i] };
        }
    }
    good = good && !lbr_linear_flow_create(&f->linear, n, count, A, b, message);
    lbr_mem_free(work), lbr_mem_free(A);
    return good;
}

/* p^2/(2m) - k/|q| for every body: masses from the field, k from the force at three places, which must agree. */
static int is_kepler(lbr_model *m, lbr_part_flow *f, int field)
{
    int64_t n = m->nq, d;
    const lbr_variable *x = m->variable;
    double *y, *out;
    int good;

    if (!n || 2 * n != m->dim || m->nvariables != 2 || x->shape.rank < 1 || x->shape.rank > 2) return 0;
    d = x->shape.n[x->shape.rank - 1], f->d = d, f->bodies = n / d, f->nq = n;
    if (lbr_touches_array(&m->dag, field, -1, 0, 0)) return 0;
    f->mass = lbr_arena_alloc(&m->arena, f->bodies, sizeof *f->mass), f->k = lbr_arena_alloc(&m->arena, f->bodies, sizeof *f->k);
    y = lbr_mem_alloc((size_t)(4 * n) * sizeof *y), out = y + 2 * n;
    good = f->mass && f->k && y;
    for (int pass = 0; pass < 4 && good; pass++) {
        const double *input[40] = { y };

        for (int64_t i = 0; i < 2 * n; i++) y[i] = 1.5 + sin((double)((i + 1) * (i + 7 * pass + 3)) * 1.2345 + pass);
        good = !lbr_code_run(f->field.code, m->t0, input, out);
        for (int64_t b = 0; b < f->bodies && good; b++) {
            const double *q = y + b * d, *p = q + n, *v = out + b * d, *a = v + n;
            double r2 = 0, qa = 0, k;

            for (int64_t i = 0; i < d; i++) r2 += q[i] * q[i], qa += q[i] * a[i];
            k = -qa * sqrt(r2);
            if (!pass) f->mass[b] = p[0] / v[0], f->k[b] = k;
            good = isfinite(f->mass[b]) && f->mass[b] > 0 && k != 0 && fabs(k - f->k[b]) <= 1e-12 * fabs(k);
            for (int64_t i = 0; i < d && good; i++)
                good = fabs(v[i] * f->mass[b] - p[i]) <= 1e-13 * fabs(p[i]) && fabs(a[i] + f->k[b] * q[i] / (r2 * sqrt(r2))) <= 1e-12 * fabs(f->k[b]) / r2;
        }
    }
    lbr_mem_free(y);
    return good;
}

/* --- flows given by hand --------------------------------------------------------------------------------------------------------------------------- */

/* Its derivative is the field: at the start, for s = 0 and some s behind it. */
static int is_flow_of(lbr_model *m, const lbr_part_def *p, lbr_part_flow *f, int field, lbr_message *message)
{
    static const double one = 1;
    int64_t n = m->dim, bad = -1;
    double *work = lbr_mem_alloc((size_t)(3 * n) * sizeof *work), s[2] = { 0, 1.0 / 128 }, scale;
    lbr_function rate = { 0 }, all = { 0 };
    int tangent = lbr_directional_array(&m->dag, p->flow, p->duration, lbr_dag_data(&m->dag, &one, 1)), good;

    good = work && tangent >= 0 && lbr_function_make(m, &rate, tangent, -1, 0, message) && lbr_function_make(m, &all, field, -1, 0, message);
    for (int k = 0; k < 2 && good && bad < 0; k++) {
        const double *before[40] = { m->y0 }, *after[40] = { work };

        before[f->duration] = s + k;
        good = !lbr_code_run(f->given.code, m->t0, before, work) && !lbr_code_run(rate.code, m->t0, before, work + n) && !lbr_code_run(all.code, m->t0, after, work + 2 * n);
        scale = 1e-300;
        for (int64_t i = 0; i < n; i++) scale = fmax(scale, fmax(fabs(work[2 * n + i]), fabs(work[n + i])));
        for (int64_t i = 0; i < n && bad < 0; i++)
            if (!(fabs(work[n + i] - work[2 * n + i]) <= 1e-8 * scale) || (!k && !(fabs(work[i] - m->y0[i]) <= 1e-12 * fmax(1, fabs(m->y0[i]))))) bad = i;
    }
    lbr_mem_free(work);
    if (bad >= 0) {
        char name[64];

        lbr_fail(message, LBR_EARG, "the flow given for part '%s' is not the flow of that part: at the start, component %s does not follow its rate",
                 p->name, lbr_system_component(&m->functions->system, bad, name, sizeof name));
    }
    return good && bad < 0;
}

/* --- all parts ---------------------------------------------------------------------------------------------------------------------------------------- */

static const char *const no_flow = "it is not of positions or momenta alone, not linear, not Kepler's; a flow statement can give it";

/* 1: found; 0: there is none; -1: an error. */
static int find_flow(lbr_model *m, lbr_part_def *p, lbr_part_flow *f, lbr_message *message)
{
    int field = p->h >= 0 ? lbr_model_hamiltonian_field(m, p->h) : p->field, tangent;

    p->field = field, f->dim = m->dim;
    if (field < 0 || !lbr_function_make(m, &f->field, field, -1, 0, message)) return -1;
    if (p->flow >= 0) {
        f->kind = BY_HAND, f->duration = m->dag.array[p->duration].input;
        if (!lbr_function_make(m, &f->given, p->flow, -1, 0, message)) return -1;
        return is_flow_of(m, p, f, field, message) ? 1 : -1;
    }
    if (is_straight(m, field)) return f->kind = STRAIGHT, 1;
    tangent = lbr_directional_array(&m->dag, field, m->lo.state, m->direction);
    if (tangent == -1) return lbr_function_make(m, &f->field, -1, -1, 0, message), -1;
    if (m->dim <= FIELD_LINEAR_MOST && tangent >= 0 && !lbr_touches_array(&m->dag, tangent, m->lo.state, 0, m->dim) && !lbr_touches_array(&m->dag, field, -1, 0, 0)) {
        f->kind = LINEAR;
        return make_linear(m, f, tangent, message) ? 1 : 0;
    }
    f->kind = KEPLER;
    return is_kepler(m, f, field);
}

int lbr_functions_parts(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    int64_t clock = -1;

    s->part = lbr_arena_alloc(&m->arena, m->nparts, sizeof *s->part), s->flow = lbr_arena_alloc(&m->arena, m->nparts, sizeof *s->flow);
    if (!s->part || !s->flow) return lbr_fail(message, LBR_ENOMEM, "out of memory"), 0;
    for (int k = 0; k < m->nparts; k++) {
        lbr_part_def *p = m->part + k;
        int found = find_flow(m, p, s->flow + k, message);

        if (found < 0) return 0;
        s->part[k] = (lbr_part){ .size = sizeof *s->part, .name = p->name, .ctx = s->flow + k, .missing = found ? NULL : no_flow };
        if (found) s->part[k].flow = flow, s->part[k].increment = increment;
        if (clock < 0 && !lbr_touches_array(&m->dag, p->field, -1, 0, 0)) clock = k;
    }
    s->parts = (lbr_parts){ sizeof s->parts, m->nparts, s->part, clock < 0 ? 0 : clock };
    for (int k = 0; clock < 0 && k < m->nparts; k++) s->part[k].flow = NULL, s->part[k].missing = "all parts depend on t, so none of them can carry the time";
    s->system.parts = &s->parts;
    return 1;
}

void lbr_part_flows_free(lbr_model *m)
{
    for (int k = 0; m->functions->flow && k < m->nparts; k++) {
        lbr_linear_flow_free(m->functions->flow[k].linear);
        for (int i = 0; i < SLOTS; i++) lbr_mem_free(m->functions->flow[k].slot[i]);
    }
}
