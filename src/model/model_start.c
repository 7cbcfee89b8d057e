/* model_start.c - where a trajectory begins: values set in order, velocities turned into momenta (start_momenta.c).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model_inside.h"
#include "program/code.h"
#include "graph/derive.h"
#include "structure.h"

#include <math.h>
#include <string.h>

typedef struct starting {
    lbr_model *m;
    double *v;
    char *set;               /* velocities; which components of the state have been set */
    int velocities, momenta; /* have been set */
    lbr_file *v_file;
    lbr_place v_place;
} starting;

/* --- numbers ----------------------------------------------------------------------------------------------------- */

typedef struct copying {
    const double *from;
    double *to;
    char *set;
    int64_t n;
    int64_t bad;
} copying;

static int copy_one(int64_t at, void *ctx)
{
    copying *c = ctx;

    if (at < 0 || at >= c->n) return 1;
    c->to[at] = c->from[at], c->set[at] = 1;
    if (!isfinite(c->from[at])) c->bad = at;
    return 1;
}

/* --- one item ---------------------------------------------------------------------------------------------------- */

/* All of a made array, or a node, at the state as it is. 0 after an error. */
static int worked_out(lbr_model *m, const lbr_item *item, int array, lbr_ref node, double *out)
{
    const double *input[40] = { m->y0 };
    lbr_message message = { 0 };
    lbr_status status = lbr_evaluate(&m->lo, array, node, m->t0, input, out, &message);

    if (status == LBR_ENOMEM) m->dag.status = status;
    if (status == LBR_EUNFIT)
        lbr_lower_fail(
            &m->lo, item->value->first,
            "working out the start takes too long: the limit is %d evaluations" LBR_RAISED(LBR_MOST_EVALUATIONS),
            LBR_MOST_EVALUATIONS);
    else if (status) lbr_lower_fail(&m->lo, item->value->first, "this start cannot be worked out");
    return !m->lo.at.failed;
}

static void not_finite(lbr_model *m, const lbr_variable *x, const lbr_item *item)
{
    lbr_lower_fail(&m->lo, item->value->first,
                   "the start of '%.60s' is not finite (division by zero, or outside of a function's domain)", x->name);
}

/* A rotation matrix to a quaternion: the largest of the four squares decides (Shepperd 1978). */
static int to_quaternion(const double *Q, double *e)
{
    double s[4] = { 1 + Q[0] + Q[4] + Q[8], 1 + Q[0] - Q[4] - Q[8], 1 - Q[0] + Q[4] - Q[8], 1 - Q[0] - Q[4] + Q[8] },
           norm = 0;
    int k = 0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;

            for (int l = 0; l < 3; l++) sum += Q[3 * i + l] * Q[3 * j + l];
            if (!(fabs(sum - (i == j)) < 1e-8)) return 0;
        }
    for (int i = 1; i < 4; i++)
        if (s[i] > s[k]) k = i;
    switch (k) {
    case 0: e[0] = s[0], e[1] = Q[7] - Q[5], e[2] = Q[2] - Q[6], e[3] = Q[3] - Q[1]; break;
    case 1: e[0] = Q[7] - Q[5], e[1] = s[1], e[2] = Q[1] + Q[3], e[3] = Q[2] + Q[6]; break;
    case 2: e[0] = Q[2] - Q[6], e[1] = Q[1] + Q[3], e[2] = s[2], e[3] = Q[5] + Q[7]; break;
    default: e[0] = Q[3] - Q[1], e[1] = Q[2] + Q[6], e[2] = Q[5] + Q[7], e[3] = s[3]; break;
    }
    for (int i = 0; i < 4; i++) norm += e[i] * e[i];
    for (int i = 0; i < 4; i++) e[i] /= sqrt(norm);
    return Q[0] * (Q[4] * Q[8] - Q[5] * Q[7]) - Q[1] * (Q[3] * Q[8] - Q[5] * Q[6]) +
               Q[2] * (Q[3] * Q[7] - Q[4] * Q[6]) >
           0;
}

/* Attitudes are set as matrices, kept as quaternions. */
static void set_attitude(starting *s, const lbr_variable *x, const lbr_item *item)
{
    lbr_model *m = s->m;
    int64_t n = x->size / 4;
    lbr_variable matrices = *x;
    double *Q = lbr_arena_alloc(&m->arena, 9 * n, sizeof *Q);
    char *set = lbr_arena_alloc(&m->arena, 9 * n, 1);
    copying c = { Q, Q, set, 9 * n, -1 };
    int array = lbr_dag_array(&m->dag, 9 * n);

    matrices.offset = 0;
    if (!Q || !set) {
        m->dag.status = LBR_ENOMEM;
        return;
    }
    if (!lbr_model_assign(&(lbr_assignment){ m, &item->target, item->value, &matrices, array, 0, 0 })) return;
    lbr_dag_close(&m->dag, array);
    if (!lbr_check_duties(&m->lo) || !worked_out(m, item, array, 0, Q)) return;
    for (int k = 0; k < m->dag.array[array].nentries; k++)
        lbr_each_index(&m->lo, m->dag.array[array].entry[k].loop, m->dag.array[array].entry[k].index, copy_one, &c);
    for (int64_t b = 0; b < n; b++)
        if (memchr(set + 9 * b, 1, 9) && !to_quaternion(Q + 9 * b, m->y0 + x->offset + 4 * b)) {
            lbr_lower_fail(&m->lo, item->value->first,
                           "this is not a rotation: Q^T*Q must be the identity, with determinant 1");
            return;
        }
}

/* One component, which needs no array: q[2] = ..., r = ... */
static void set_component(starting *s, const lbr_variable *x, const lbr_item *item)
{
    lbr_model *m = s->m;
    const lbr_target *t = &item->target;
    int64_t at = 0, i;
    const lbr_value *v;
    double value;

    for (int k = 0; k < t->n; k++) {
        if (!lbr_lower_integer(&m->lo, t->index[k], "an index", 1, x->shape.n[k], &i)) return;
        at = at * x->shape.n[k] + i - 1;
    }
    if (!(v = lbr_lower_value(&m->lo, item->value))) return;
    if (v->shape.rank) {
        lbr_lower_fail(&m->lo, item->value->first,
                       "the left side is a number, the right side %s: the shapes must be equal",
                       lbr_shape_text(&m->lo, v));
        return;
    }
    if (!lbr_check_duties(&m->lo)) return;
    if (!lbr_dag_is_const(&m->dag, v->node, &value) && !worked_out(m, item, -1, v->node, &value)) return;
    if (!isfinite(value)) {
        not_finite(m, x, item);
        return;
    }
    (item->target.prime ? s->v : m->y0)[x->offset + at] = value, s->set[x->offset + at] = 1;
}

static void set_variable(starting *s, const lbr_variable *x, const lbr_item *item)
{
    lbr_model *m = s->m;
    int array = lbr_dag_array(&m->dag, x->size);
    double *out = lbr_mem_alloc((size_t)x->size * sizeof *out);
    copying c = { out, (item->target.prime ? s->v : m->y0) + x->offset, s->set + x->offset, x->size, -1 };

    if (!out) {
        m->dag.status = LBR_ENOMEM;
        return;
    }
    if (lbr_model_assign(&(lbr_assignment){ m, &item->target, item->value, x, array, 0, 1 })) {
        lbr_dag_close(&m->dag, array);
        if (lbr_check_duties(&m->lo) && worked_out(m, item, array, 0, out))
            for (int k = 0; k < m->dag.array[array].nentries; k++)
                lbr_each_index(&m->lo, m->dag.array[array].entry[k].loop, m->dag.array[array].entry[k].index, copy_one,
                               &c);
        if (c.bad >= 0) not_finite(m, x, item);
    }
    lbr_mem_free(out);
}

static int has_binder(const lbr_target *t)
{
    for (int k = 0; k < t->n; k++)
        if (t->index[k]->kind == LBR_NODE_BINDER) return 1;
    return 0;
}

static void set_item(starting *s, const lbr_item *item)
{
    lbr_model *m = s->m;
    const lbr_target *t = &item->target;
    const lbr_symbol *sym;
    const lbr_variable *x;

    if (!strcmp(t->name, "t") && !t->n && !t->prime) {
        double value;

        if (lbr_lower_constant(&m->lo, item->value, &value)) m->t0 = value;
        return;
    }
    sym = lbr_symbol_find(&m->lo, t->name);
    if (!sym) {
        lbr_name_unknown(&m->lo, t->name, t->place, 0);
        return;
    }
    if (sym->faulty) {
        m->lo.at.failed = 1;
        return;
    }
    if (sym->kind != LBR_SYM_VARIABLE) {
        lbr_lower_fail(&m->lo, t->place, "start is for variables, and '%.60s' is none", t->name);
        return;
    }
    x = m->variable + sym->variable;
    if (t->prime && x->kind != LBR_VAR_POSITION) {
        lbr_lower_fail(&m->lo, t->place, "only positions start with a velocity, and '%.60s' is none", t->name);
        return;
    }
    if (t->prime && !s->velocities) s->velocities = 1, s->v_file = m->lo.at.file, s->v_place = t->place;
    if (x->kind == LBR_VAR_MOMENTUM) s->momenta = 1;
    if (s->velocities && s->momenta) {
        lbr_lower_fail(&m->lo, t->place, "velocities and momenta cannot both be set");
        return;
    }
    if (x->kind == LBR_VAR_ATTITUDE) set_attitude(s, x, item);
    else if (t->n == x->shape.rank && !has_binder(t)) set_component(s, x, item);
    else set_variable(s, x, item);
}

static void set_change(starting *s, const lbr_change *c)
{
    const lbr_variable *x = lbr_model_variable(s->m, c->name);
    double *to = c->prime ? s->v : s->m->y0;
    int64_t at = 0, n = 1, given = lbr_shape_size(&c->shape);

    if (!x && !strcmp(c->name, "t")) {
        s->m->t0 = c->data[0];
        return;
    }
    if (!x) return;
    if (c->prime && !s->velocities) s->velocities = 1, s->v_file = c->file, s->v_place = c->place;
    if (x->kind == LBR_VAR_MOMENTUM) s->momenta = 1;
    for (int k = 0; k < x->shape.rank; k++) {
        if (k < c->nindex) at = at * x->shape.n[k] + c->index[k] - 1;
        else at *= x->shape.n[k], n *= x->shape.n[k];
    }
    if (x->kind == LBR_VAR_ATTITUDE) {
        for (int64_t b = 0; b < n / 9; b++)
            if (given != n || !to_quaternion(c->data + 9 * b, s->m->y0 + x->offset + at / 9 * 4 + 4 * b)) {
                lbr_lower_fail_in(&s->m->lo, c->file, c->place, "this is not a rotation matrix");
                return;
            }
        return;
    }
    if (given != n && given != 1) {
        lbr_lower_fail_in(&s->m->lo, c->file, c->place,
                          "'%.60s' has %lld components here, and %lld numbers are given: the shapes must be equal",
                          c->name, (long long)n, (long long)given);
        return;
    }
    for (int64_t k = 0; k < n; k++)
        to[x->offset + at + k] = c->data[given == 1 ? 0 : k], s->set[x->offset + at + k] = 1;
}

/* --- all items, changed ones in the place of the first that they replace ----------------------------------------- */

static int changes(const lbr_model *m, const char *name, int prime)
{
    for (int k = 0; k < m->nchanges; k++)
        if (m->change[k].prime == prime && !strcmp(m->change[k].name, name)) return 1;
    return 0;
}

static int starts_at_all(const lbr_model *m, const char *name, int prime)
{
    for (int k = 0; k < m->source->nlines; k++) {
        const lbr_statement *st = m->source->line[k].statement;

        for (int i = 0; st->kind == LBR_ST_START && i < st->n; i++)
            if (st->item[i].target.prime == prime && !strcmp(st->item[i].target.name, name)) return 1;
    }
    return 0;
}

/* The changes of one variable: those of the latest level count, which replaced the others already. */
static void set_changes(starting *s, const char *name, int prime)
{
    for (int k = 0; k < s->m->nchanges && !s->m->lo.at.failed; k++)
        if (s->m->change[k].prime == prime && !strcmp(s->m->change[k].name, name)) set_change(s, s->m->change + k);
}

static void set_line(starting *s, const lbr_line *line, char *done)
{
    const lbr_statement *st = line->statement;
    lbr_model *m = s->m;

    for (int i = 0; i < st->n && !m->lo.at.failed; i++) {
        const lbr_target *t = &st->item[i].target;
        const lbr_variable *x = lbr_model_variable(m, t->name);
        int k = x ? (int)(x - m->variable) + m->nvariables * !!t->prime : 2 * m->nvariables;

        if (!changes(m, t->name, t->prime)) set_item(s, st->item + i);
        else if (!done[k]) done[k] = 1, set_changes(s, t->name, t->prime);
    }
}

int lbr_model_starts(lbr_model *m)
{
    starting s = { .m = m,
                   .v = lbr_arena_alloc(&m->arena, m->dim + 1, sizeof *s.v),
                   .set = lbr_arena_alloc(&m->arena, m->dim + 1, 1) };
    char *done = lbr_arena_alloc(&m->arena, 2 * m->nvariables + 1, 1);
    int found, failed;

    m->y0 = lbr_arena_alloc(&m->arena, m->dim + 1, sizeof *m->y0);
    if (!s.v || !s.set || !m->y0 || !done) {
        m->dag.status = LBR_ENOMEM;
        return 0;
    }
    for (int k = 0; k < m->nvariables; k++)
        for (int64_t b = 0; m->variable[k].kind == LBR_VAR_ATTITUDE && b < m->variable[k].size; b += 4)
            m->y0[m->variable[k].offset + b] = 1;
    for (int k = 0; k < m->nchanges && !m->lo.at.failed; k++) /* what the text does not set comes first */
        if ((lbr_model_variable(m, m->change[k].name) || !strcmp(m->change[k].name, "t")) &&
            !starts_at_all(m, m->change[k].name, m->change[k].prime))
            set_change(&s, m->change + k);
    failed = m->lo.at.failed;
    for (int k = 0; k < m->source->nlines && !m->dag.status; k++) {
        const lbr_line *line = m->source->line + k;
        lbr_reading before;

        if (line->statement->kind != LBR_ST_START || line->statement->faulty) continue;
        before = lbr_lower_enter(&m->lo, line, 0);
        set_line(&s, line, done);
        failed = lbr_lower_leave(&m->lo, &before) != LBR_OK;
    }
    if (m->dag.status) return 0;
    if (s.velocities && !failed && s.momenta)
        lbr_file_error(s.v_file, s.v_place, "velocities and momenta cannot both be set");
    else if (s.velocities && !failed && !m->has_h && !m->has_l)
        lbr_file_error(s.v_file, s.v_place, "velocities need an H or L to give momenta");
    if (lbr_source_errors(m->source)) return 0;
    if (s.velocities && (found = lbr_model_momenta(m, s.v)) <= 0) {
        if (m->dag.status) return 0;
        if (found)
            lbr_file_error(
                s.v_file, s.v_place,
                "finding the momenta of these velocities takes too long: the limit is %d evaluations; give the momenta",
                LBR_MOST_EVALUATIONS);
        else lbr_file_error(s.v_file, s.v_place, "no momenta could be found that give these velocities");
        return 0;
    }
    m->started = 1;
    return 1;
}
