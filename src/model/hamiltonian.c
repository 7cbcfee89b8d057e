/* hamiltonian.c - the field of an energy: brackets, canonical variables, rigid bodies.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"
#include "graph/derive.h"
#include "graph/rolled.h"
#include "structure.h"
#include "model_system.h"

#include <string.h>

/* --- brackets ---------------------------------------------------------------------------------------------------- */

static int compare_pairs(const lbr_dag *d, const lbr_bracket_def *b, double *row, double *col)
{
    return lbr_dag_is_const(d, b->row, row) && lbr_dag_is_const(d, b->col, col);
}

/* Which halves are given; {x, y} twice is an error. */
int lbr_model_mirror(lbr_model *m)
{
    char *given;

    if (m->dim > 3000)
        return lbr_file_error(m->bracket[0].file, m->bracket[0].place, "brackets of more than 3000 components"), 0;
    given = lbr_arena_alloc(&m->arena, m->dim * m->dim, 1);
    if (!given) {
        m->dag.status = LBR_ENOMEM;
        return 0;
    }
    for (int k = 0; k < m->nbrackets; k++) {
        double r, c;

        compare_pairs(&m->dag, m->bracket + k, &r, &c);
        if (given[(int64_t)r * m->dim + (int64_t)c]++)
            return lbr_file_error(m->bracket[k].file, m->bracket[k].place, "this bracket is given twice"), 0;
    }
    for (int k = 0; k < m->nbrackets; k++) {
        double r, c;

        compare_pairs(&m->dag, m->bracket + k, &r, &c);
        m->bracket[k].mirrored = r != c && !given[(int64_t)c * m->dim + (int64_t)r];
    }
    return 1;
}

/* --- fields ------------------------------------------------------------------------------------------------------ */

/* More of them than are written out. */
static void of_many_brackets(lbr_model *m, int g, int field)
{
    lbr_dag *d = &m->dag;
    lbr_entry *entry = lbr_mem_alloc(2 * (size_t)m->nbrackets * sizeof *entry);
    int64_t n = 0;

    if (!entry) {
        d->status = lbr_fail(&d->message, LBR_ENOMEM, "out of memory");
        return;
    }
    for (int k = 0; k < 2 * m->nbrackets && !d->status; k++) {
        const lbr_bracket_def *b = m->bracket + k % m->nbrackets;
        int mirror = k >= m->nbrackets;
        lbr_ref with, value;

        if (mirror && !b->mirrored) continue;
        with = lbr_dag_load(d, g, mirror ? b->row : b->col), value = mirror ? lbr_dag_neg(d, b->value) : b->value;
        value = lbr_dag_mul(d, value, with);
        if (value) entry[n++] = (lbr_entry){ b->loop, mirror ? b->col : b->row, value, 1 };
    }
    if (!d->status) lbr_dag_roll(d, field, entry, n);
    lbr_mem_free(entry);
}

static void of_brackets(lbr_model *m, int g, int field)
{
    lbr_dag *d = &m->dag;

    if (m->nbrackets > LBR_WRITTEN_OUT) {
        of_many_brackets(m, g, field);
        return;
    }
    for (int k = 0; k < m->nbrackets; k++) {
        const lbr_bracket_def b = m->bracket[k];
        lbr_ref minus = lbr_dag_neg(d, b.value), to = lbr_dag_load(d, g, b.col), from = lbr_dag_load(d, g, b.row);

        lbr_dag_entry(d, field, (lbr_entry){ b.loop, b.row, lbr_dag_mul(d, b.value, to), 1 });
        if (b.mirrored) lbr_dag_entry(d, field, (lbr_entry){ b.loop, b.col, lbr_dag_mul(d, minus, from), 1 });
    }
}

/* The entries of `of` between from and to, added to the field `back` places before; the others have no place there. */
static void move(lbr_lower *lo, int field, int of, int64_t from, int64_t to, int64_t back)
{
    lbr_dag *d = lo->dag;

    for (int e = 0; e < d->array[of].nentries; e++) {
        lbr_entry x = d->array[of].entry[e];

        if (!lbr_index_meets(lo, x.index, (double)from, (double)to))
            continue; /* where an index is outside of what is wanted the entry is left out (code.h) */
        x.index = back > 0 ? lbr_dag_sub(d, x.index, lbr_dag_const(d, (double)back))
                           : lbr_dag_add(d, x.index, lbr_dag_const(d, (double)-back));
        lbr_dag_entry(d, field, x);
    }
}

/* field[at + i] += of[i], i = 0 .. n-1. */
static void add_array(lbr_dag *d, int field, int64_t at, int of, int64_t n)
{
    lbr_ref here = lbr_dag_const(d, (double)at), i, value;
    int loop = 0;

    if (of < 0) return;
    if (n > LBR_UNROLLED) loop = lbr_dag_loop(d, 0, 0, lbr_dag_const(d, (double)(n - 1)));
    for (int64_t k = 0; k < (loop > 0 ? 1 : n) && !d->status; k++) {
        i = loop > 0 ? d->loop[loop].index : lbr_dag_const(d, (double)k);
        value = lbr_dag_load(d, of, i);
        lbr_dag_entry(d, field, (lbr_entry){ loop, lbr_dag_add(d, i, here), value, 1 });
    }
}

/* (f_p, -f_q), g = grad f. */
static void of_canonical(lbr_model *m, lbr_ref f, int g, int field)
{
    lbr_dag *d = &m->dag;
    lbr_ref minus = lbr_dag_neg(d, f);
    int64_t n = m->nq;
    int h = lbr_gradient(d, minus, m->lo.state);

    if (h < 0) return;
    if (m->dim == 2 * n) {
        move(&m->lo, field, g, n, 2 * n, n), move(&m->lo, field, h, 0, n, -n);
        return;
    }
    add_array(d, field, 0, lbr_array_piece(&m->lo, g, n, 2 * n),
              n); /* bodies come after: an entry may reach into them */
    add_array(d, field, n, lbr_array_piece(&m->lo, h, 0, n), n);
}

/* One rigid body: e' = E(e) w/2, y' = y x w - E(e)^T f_e/2, w = f_y, E the rotation of e by its body axes (HLW
 * VII.5.9, 5.11: the attitude is a unit quaternion, and E^T f_e/2 the torque in the body). */
static const struct {
    int of, sign;
} E[4][3] = { { { 1, -1 }, { 2, -1 }, { 3, -1 } },
              { { 0, 1 }, { 3, -1 }, { 2, 1 } },
              { { 3, 1 }, { 0, 1 }, { 1, -1 } },
              { { 2, -1 }, { 1, 1 }, { 0, 1 } } };

/* Component k of E(e)^T f_e/2. */
static lbr_ref torque(lbr_dag *d, const lbr_ref *e, const lbr_ref *fe, int k)
{
    lbr_ref sum = 0, x;

    for (int i = 0; i < 4; i++) {
        x = lbr_dag_mul(d, e[E[i][k].of], fe[i]);
        sum = E[i][k].sign > 0 ? lbr_dag_add(d, sum, x) : lbr_dag_sub(d, sum, x);
    }
    return lbr_dag_mul(d, lbr_dag_const(d, 0.5), sum);
}

static void load(lbr_dag *d, int of, lbr_ref at, int n, lbr_ref *x)
{
    for (int k = 0; k < n; k++) x[k] = lbr_dag_load(d, of, lbr_dag_add(d, at, lbr_dag_const(d, k)));
}

static void of_body(lbr_dag *d, int state, int g, int field, int loop, lbr_ref e_at, lbr_ref y_at)
{
    lbr_ref e[4], fe[4], y[3], w[3], half = lbr_dag_const(d, 0.5);

    load(d, state, e_at, 4, e), load(d, g, e_at, 4, fe), load(d, state, y_at, 3, y), load(d, g, y_at, 3, w);
    for (int i = 0; i < 4; i++) {
        lbr_ref sum = 0, x;

        for (int k = 0; k < 3; k++) {
            x = lbr_dag_mul(d, e[E[i][k].of], w[k]);
            sum = E[i][k].sign > 0 ? lbr_dag_add(d, sum, x) : lbr_dag_sub(d, sum, x);
        }
        lbr_dag_entry(d, field,
                      (lbr_entry){ loop, lbr_dag_add(d, e_at, lbr_dag_const(d, i)), lbr_dag_mul(d, half, sum), 1 });
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        lbr_ref x = lbr_dag_mul(d, y[a], w[b]), z = lbr_dag_mul(d, y[b], w[a]), turn = lbr_dag_sub(d, x, z);

        lbr_dag_entry(d, field,
                      (lbr_entry){ loop, lbr_dag_add(d, y_at, lbr_dag_const(d, k)),
                                   lbr_dag_sub(d, turn, torque(d, e, fe, k)), 1 });
    }
}

/* All bodies of one `rotation`: the attitudes at `x`, the angular momenta in the variable declared with it. */
static void of_bodies(lbr_model *m, const lbr_variable *x, int g, int field)
{
    lbr_dag *d = &m->dag;
    const lbr_variable *y = m->variable + x->pair;
    int64_t n = x->size / 4;
    lbr_ref four = lbr_dag_const(d, 4), three = lbr_dag_const(d, 3), first = lbr_dag_const(d, (double)x->offset),
            second = lbr_dag_const(d, (double)y->offset);
    lbr_ref i, e_at, y_at;

    if (n > LBR_UNROLLED) {
        lbr_ref last = lbr_dag_const(d, (double)(n - 1));
        int loop = lbr_dag_loop(d, 0, 0, last);

        if (d->status) return;
        i = d->loop[loop].index;
        e_at = lbr_dag_mul(d, i, four), e_at = lbr_dag_add(d, e_at, first);
        y_at = lbr_dag_mul(d, i, three), y_at = lbr_dag_add(d, y_at, second);
        of_body(d, m->lo.state, g, field, loop, e_at, y_at);
        return;
    }
    for (int64_t b = 0; b < n && !d->status; b++) {
        e_at = lbr_dag_const(d, (double)(x->offset + 4 * b)), y_at = lbr_dag_const(d, (double)(y->offset + 3 * b));
        of_body(d, m->lo.state, g, field, 0, e_at, y_at);
    }
}

/* B(y) grad f as a made array. */
int lbr_model_hamiltonian_field(lbr_model *m, lbr_ref f)
{
    lbr_dag *d = &m->dag;
    int g = lbr_gradient(d, f, m->lo.state), field;

    if (g < 0) return -1;
    field = lbr_dag_array(d, m->dim);
    of_brackets(m, g, field);
    if (!m->nbrackets && m->nq) of_canonical(m, f, g, field);
    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == LBR_VAR_ATTITUDE) of_bodies(m, m->variable + k, g, field);
    lbr_dag_close(d, field);
    return d->status ? -1 : field;
}

int lbr_model_structure(lbr_model *m)
{
    int turned = lbr_dag_array(&m->dag, m->dim);

    if (turned < 0) return -1;
    of_brackets(m, m->direction, turned);
    lbr_dag_close(&m->dag, turned);
    return m->dag.status ? -1 : turned;
}

/* {f, g} = grad f . B grad g: what bracket() in the text means. */
const lbr_value *lbr_model_bracket(lbr_lower *lo, const lbr_node *node, const lbr_value *f, const lbr_value *g,
                                   void *ctx)
{
    lbr_model *m = ctx;
    lbr_shape shape = { 1, { m->dim } };
    const lbr_value *field, *gradient;

    if (!m->nbrackets && 2 * m->nq != m->dim)
        return lbr_lower_fail(lo, node->place, "bracket needs canonical variables, or poisson before it");
    if (m->nbrackets && !lbr_model_mirror(m)) return NULL;
    field = lbr_value_view(lo, lbr_model_hamiltonian_field(m, g->node), 0, &shape);
    gradient = field ? lbr_value_view(lo, lbr_gradient(&m->dag, f->node, lo->state), 0, &shape) : NULL;
    return gradient ? lbr_value_scalar(lo, lbr_value_dot(lo, gradient, field)) : NULL;
}

/* Whether anything was put into an array at from .. to - 1; where each element is a node, these say it themselves. */
static int reached(lbr_lower *lo, int array, int64_t from, int64_t to)
{
    const lbr_array *a = lo->dag->array + array;

    for (int e = 0; e < a->nentries; e++)
        if (a->flat || lbr_index_meets(lo, a->entry[e].index, (double)from, (double)to)) return 1;
    return a->flat;
}

/* -f_q, then the torques of f on all bodies, in the order of their declarations. */
int lbr_model_body_forces(lbr_model *m, lbr_ref f)
{
    lbr_dag *d = &m->dag;
    int g = lbr_gradient(d, lbr_dag_neg(d, f), m->lo.state), all;
    int64_t at = m->nq, bodies = 0;

    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == LBR_VAR_ATTITUDE) bodies += m->variable[k].size / 4;
    if (g < 0) return -1;
    all = lbr_dag_array(d, m->nq + 3 * bodies);
    if (m->nq) add_array(d, all, 0, lbr_array_piece(&m->lo, g, 0, m->nq), m->nq);
    for (int v = 0; v < m->nvariables; v++) {
        int64_t n = m->variable[v].kind == LBR_VAR_ATTITUDE ? m->variable[v].size / 4 : 0, from = m->variable[v].offset;
        int turned = n && reached(&m->lo, g, from, from + 4 * n);

        for (int64_t b = 0; b < n && !d->status; b++, at += 3) {
            lbr_ref e[4], fe[4], e_at = lbr_dag_const(d, (double)(from + 4 * b));

            if (!turned) continue;
            load(d, m->lo.state, e_at, 4, e), load(d, g, e_at, 4, fe);
            for (int k = 0; k < 3; k++)
                lbr_dag_entry(d, all, (lbr_entry){ 0, lbr_dag_const(d, (double)(at + k)), torque(d, e, fe, k), 1 });
        }
    }
    lbr_dag_close(d, all);
    return d->status ? -1 : all;
}
