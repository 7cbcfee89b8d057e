/* rigid_bodies.c - rigid bodies whose energy is y^2/(2 I), p^2/(2 m) and a potential: moments, masses, forces and
 * torques. SPDX-License-Identifier: BSD-3-Clause */
#include "model_system.h"
#include "graph/derive.h"
#include "language/random.h"
#include "structure.h"

#include <math.h>
#include <string.h>

static int call_forces(double t, const double *y, double *out, void *ctx)
{
    const double *input[LBR_MODEL_INPUTS] = { y };

    return lbr_code_run(((lbr_functions *)ctx)->forces.code, t, input, out);
}

/* --- which places of the state ----------------------------------------------------------------------------------- */

typedef struct layout {
    int64_t n, *attitude, *momentum; /* bodies, and where they are */
    int64_t rates, *place;           /* of momenta and angular momenta in the state */
    char *moves, *rests;             /* marks on the state: momenta; all others */
} layout;

static int laid_out(lbr_model *m, layout *l)
{
    lbr_arena *a = &m->arena;
    int64_t at = 0, from;

    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == LBR_VAR_ATTITUDE) l->n += m->variable[k].size / 4;
    l->rates = m->nq + 3 * l->n;
    l->attitude = lbr_arena_alloc(a, l->n, sizeof *l->attitude),
    l->momentum = lbr_arena_alloc(a, l->n, sizeof *l->momentum),
    l->place = lbr_arena_alloc(a, l->rates, sizeof *l->place);
    l->moves = lbr_arena_alloc(a, m->dim, 1), l->rests = lbr_arena_alloc(a, m->dim, 1);
    if (!l->attitude || !l->momentum || !l->place || !l->moves || !l->rests) return 0;
    for (int64_t j = 0; j < m->nq; j++) l->place[j] = m->nq + j;
    for (int k = 0; k < m->nvariables; k++) {
        const lbr_variable *x = m->variable + k;

        for (int64_t b = 0; x->kind == LBR_VAR_ATTITUDE && b < x->size / 4; b++, at++) {
            l->attitude[at] = x->offset + 4 * b, l->momentum[at] = from = m->variable[x->pair].offset + 3 * b;
            for (int i = 0; i < 3; i++) l->place[m->nq + 3 * at + i] = from + i;
        }
    }
    memset(l->rests, 1, (size_t)m->dim), memset(l->moves, 0, (size_t)m->dim);
    for (int64_t i = 0; i < l->rates; i++) l->rests[l->place[i]] = 0, l->moves[l->place[i]] = 1;
    return 1;
}

/* --- the kinetic energy ------------------------------------------------------------------------------------------ */

/* H's derivatives by the momenta, as one array. */
static int rates_of(lbr_model *m, const layout *l, int gradient)
{
    lbr_dag *d = &m->dag;
    int all = lbr_dag_array(d, l->rates);

    for (int64_t i = 0; i < l->rates && !d->status; i++)
        lbr_dag_entry(d, all,
                      (lbr_entry){ 0, lbr_dag_const(d, (double)i),
                                   lbr_dag_load(d, gradient, lbr_dag_const(d, (double)l->place[i])), 0 });
    lbr_dag_close(d, all);
    return d->status ? -1 : all;
}

/* Whether they are multiples of the momenta, which are then in x: at ones, and at two other points. */
static int multiples(const lbr_model *m, const layout *l, const lbr_function *f, double *x, double *y, double *z)
{
    const double *input[LBR_MODEL_INPUTS] = { y };

    for (int64_t point = 0; point < 3; point++) {
        for (int64_t j = 0; j < m->dim; j++) y[j] = point ? 2 * lbr_random(900 + point, &j, 1) - 1 : m->y0[j];
        for (int64_t i = 0; i < l->rates && !point; i++) y[l->place[i]] = 1;
        if (lbr_code_run(f->code, m->t0 + 0.1 * (double)point, input, point ? z : x)) return 0;
        for (int64_t i = 0; i < l->rates; i++) {
            if (point && !(fabs(z[i] - x[i] * y[l->place[i]]) <= 1e-13 * fabs(x[i]))) return 0;
            if (!point && !isfinite(x[i])) return 0;
        }
    }
    return 1;
}

/* 1: inverse masses, and 1/moments, in x; 0: the energy is another one; -1: an error of memory, with its message. */
static int kinetic(lbr_model *m, const layout *l, int gradient, double **x, lbr_message *message)
{
    int rates = rates_of(m, l, gradient);
    double *room = lbr_arena_alloc(&m->arena, 2 * l->rates + m->dim, sizeof *room);
    lbr_function f = { 0 };

    if (rates < 0 || !room) return lbr_function_make(m, &f, -1, -1, 0, message), -1;
    if (lbr_touches_marked(&m->lo, rates, m->lo.state, l->rests))
        return m->dag.status ? (lbr_fail(message, m->dag.status, "out of memory"), -1) : 0;
    if (!lbr_function_make(m, &f, rates, -1, 0, message)) return -1;
    *x = room;
    return multiples(m, l, &f, room, room + 2 * l->rates, room + l->rates);
}

static int all_zero(const lbr_model *m, int array)
{
    const lbr_array *a = &m->dag.array[array];
    double x;

    for (int64_t i = 0; i < (a->flat ? a->size : a->nentries); i++)
        if (!lbr_dag_is_const(&m->dag, a->flat ? a->element[i] : a->entry[i].value, &x) || x != 0) return 0;
    return 1;
}

/* Where the energy is another one, nothing is given, and methods that need it say so. */
int lbr_functions_bodies(lbr_model *m, lbr_message *message)
{
    lbr_functions *s = m->functions;
    layout l = { 0 };
    int gradient = lbr_gradient(&m->dag, m->h, m->lo.state), forces = lbr_model_body_forces(m, m->h), free, fits;
    double *x;

    if (gradient < 0 || forces < 0 || !laid_out(m, &l)) return lbr_function_make(m, &s->forces, -1, -1, 0, message);
    if (lbr_touches_marked(&m->lo, forces, m->lo.state, l.moves))
        return m->dag.status ? lbr_fail(message, m->dag.status, "out of memory"), 0 : 1;
    if ((fits = kinetic(m, &l, gradient, &x, message)) <= 0) return !fits;
    free = all_zero(m, forces) && !m->nq;
    if (!free && !lbr_function_make(m, &s->forces, forces, -1, 0, message)) return 0;
    for (int64_t i = m->nq; i < l.rates; i++) x[i] = 1 / x[i];
    s->bodies = (lbr_bodies){ .size = sizeof s->bodies,
                              .n = l.n,
                              .inertia = x + m->nq,
                              .forces = free ? NULL : call_forces,
                              .nq = m->nq,
                              .inverse_mass = m->nq ? x : NULL,
                              .attitude = l.attitude,
                              .momentum = l.momentum };
    s->system.bodies = &s->bodies;
    return 1;
}
