/* model_finish.c - the equations made complete: rates for everything, H from L.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"
#include "graph/derive.h"
#include "gradients.h"
#include "structure.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LAGRANGIAN = 400 }; /* positions */

/* --- rates: every component once --------------------------------------------------------------------------------- */

typedef struct coverage {
    char *count;
    int64_t n, twice;
} coverage;

static int covered(int64_t at, void *ctx)
{
    coverage *c = ctx;

    if (at < 0 || at >= c->n) return 1;
    if (c->count[at]++) {
        c->twice = at;
        return 0;
    }
    return 1;
}

static void component_name(const lbr_variable *x, int64_t i, char *text, size_t size)
{
    int64_t index[LBR_RANK];

    lbr_component_index(i, x->shape.rank, x->shape.n, index);
    lbr_component_name(text, size, x->name, x->shape.rank, index);
}

static const lbr_variable *variable_at(const lbr_model *m, int64_t at)
{
    for (int k = 0; k < m->nvariables; k++)
        if (at >= m->variable[k].offset && at < m->variable[k].offset + m->variable[k].size) return m->variable + k;
    return m->variable;
}

/* Every component of the variables of state has one rate. */
static int rates_complete(lbr_model *m)
{
    coverage c = { lbr_arena_alloc(&m->arena, m->dim + 1, 1), m->dim, -1 };
    const lbr_array *a = m->dag.array + m->rates;
    const lbr_variable *x;
    char name[128];

    if (!c.count) {
        m->dag.status = LBR_ENOMEM;
        return 0;
    }
    for (int k = 0; k < a->nentries && c.twice < 0; k++)
        lbr_each_index(&m->lo, a->entry[k].loop, a->entry[k].index, covered, &c);
    for (int64_t i = 0; i < m->dim; i++) {
        x = variable_at(m, c.twice >= 0 ? c.twice : i);
        if (c.twice < 0 && c.count[i]) continue;
        component_name(x, (c.twice >= 0 ? c.twice : i) - x->offset, name, sizeof name);
        lbr_file_error(x->file, x->place,
                       c.twice >= 0 ? "there are two rates for %s" : "there is no rate for %s: expected %s' = ...",
                       name, name);
        return 0;
    }
    return 1;
}

/* --- from L to H ------------------------------------------------------------------------------------------------- */

/* dL/dv = M(q) v + b(q), entry by entry: M, and p - b. A row of M that is written in a loop stays in it. zero: in the
 * place of v. */
static void mass_and_rest(lbr_model *m, int momentum, int zero, int mass, int right)
{
    lbr_dag *d = &m->dag;
    const lbr_array a = d->array[momentum];
    lbr_ref n = lbr_dag_const(d, (double)m->nq);

    if (!a.flat)
        lbr_value_entries(&m->lo, lbr_value_view(&m->lo, m->lo.state, m->nq, &(lbr_shape){ 1, { m->nq } }), right, 0,
                          0);
    for (int64_t k = 0; k < (a.flat ? m->nq : a.nentries) && !d->status; k++) {
        lbr_entry from = lbr_array_entry(d, &a, k), *entry;
        lbr_ref row, p, rest, at;
        int ne;

        if (!a.flat && !lbr_index_meets(&m->lo, from.index, 0, (double)m->nq)) continue;
        row = lbr_dag_mul(d, from.index, n), ne = lbr_partials(d, from.value, from.loop, m->lo.rate, &entry);
        for (int e = 0; e < ne; e++)
            entry[e].index = lbr_dag_add(d, entry[e].index, row), lbr_dag_entry(d, mass, entry[e]);
        at = lbr_dag_add(d, from.index, n), p = lbr_dag_load(d, m->lo.state, at),
        rest = lbr_dag_replace(d, from.value, m->lo.rate, zero);
        if (a.flat) lbr_dag_entry(d, right, (lbr_entry){ 0, from.index, lbr_dag_sub(d, p, rest), 0 });
        else if (rest) lbr_dag_entry(d, right, (lbr_entry){ from.loop, from.index, lbr_dag_neg(d, rest), 1 });
    }
}

/* H = p.v - L(q, v) with v from dL/dv = p: L quadratic in v, dL/dv = M(q) v + b(q) (HLW VI.6.1). Of any other L there
 * is no H (-1). */
static int legendre(lbr_model *m)
{
    lbr_dag *d = &m->dag;
    int64_t n = m->nq;
    int momentum = lbr_gradient(d, m->l, m->lo.rate), mass, right, v;
    double *none;
    lbr_ref sum;

    if (momentum < 0) return 0;
    if (n > MOST_LAGRANGIAN)
        return lbr_file_error(m->h_file, m->h_place,
                              "L of %lld positions: the limit is %d, since its mass matrix is solved with; write H",
                              (long long)n, MOST_LAGRANGIAN),
               0;
    if (!(none = lbr_arena_alloc(&m->arena, m->dim, sizeof *none))) return d->status = LBR_ENOMEM, 0;
    mass = lbr_dag_array(d, n * n), right = lbr_dag_array(d, n);
    mass_and_rest(m, momentum, lbr_dag_data(d, none, m->dim), mass, right);
    lbr_dag_close(d, mass), lbr_dag_close(d, right);
    if (!d->status && lbr_touches_array(&m->lo, mass, m->lo.rate, 0, m->dim)) {
        if (m->rayleigh < 0) return 1; /* no H: for variational methods */
        lbr_file_error(m->h_file, m->h_place,
                       "L must be quadratic in the velocities where there is a dissipation function");
        return 0;
    }
    v = lbr_dag_solve(d, mass, right, n, 1, 0);
    if (v < 0) return 0;
    {
        lbr_shape shape = { 1, { n } };
        const lbr_value *p = lbr_value_view(&m->lo, m->lo.state, n, &shape), *w = lbr_value_view(&m->lo, v, 0, &shape);
        int wide = lbr_dag_array(d, m->dim);

        if (!p || !w) return 0;
        lbr_value_entries(&m->lo, w, wide, 0, 0);
        lbr_dag_close(d, wide);
        sum = lbr_value_dot(&m->lo, p, w);
        m->h = lbr_dag_sub(d, sum, lbr_dag_replace(d, m->l, m->lo.rate, wide));
    }
    return !d->status;
}

/* --- what kind of system it is ----------------------------------------------------------------------------------- */

static int has_kind(const lbr_model *m, lbr_variable_kind kind)
{
    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == kind) return 1;
    return 0;
}

static int nothing(const lbr_model *m, const char *what)
{
    const lbr_line *last = m->source->nlines ? m->source->line + m->source->nlines - 1 : NULL;

    lbr_file_error(last ? last->file : m->source->file[0], last ? last->statement->place : (lbr_place){ 1, 1 }, "%s",
                   what);
    return 0;
}

int lbr_model_finish(lbr_model *m)
{
    if (!m->nvariables) return nothing(m, "the model has no variables: expected canonical, state or rotation");
    if (m->has_l && has_kind(m, LBR_VAR_STATE)) return nothing(m, "L is for canonical variables only");
    if (m->nbrackets && !m->has_h) return nothing(m, "poisson needs an H, or parts that are energies");
    if (m->nbrackets && !lbr_model_mirror(m)) return 0;
    if (!lbr_model_holonomic(m)) return 0;
    if (!m->has_h && !m->has_l && !m->rates_given)
        return nothing(m, has_kind(m, LBR_VAR_STATE)
                              ? "the model has no dynamics: expected rates (y' = ...), or H with poisson"
                              : "the model has no dynamics: expected H, L or parts");
    if (m->has_l && !legendre(m)) return 0;
    if (m->rates_given && !m->nparts && !rates_complete(m)) return 0;
    if (m->has_h && !m->nbrackets && has_kind(m, LBR_VAR_STATE))
        return nothing(m, "variables of state need rates or poisson brackets, not an H alone");
    return !m->dag.status;
}
