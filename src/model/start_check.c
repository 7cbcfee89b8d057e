/* start_check.c - whether a start fits the rest of the model: constraints of positions, on a manifold, reversed twice.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "model_system.h"
#include "graph/derive.h"
#include "structure.h"

#include <math.h>

enum { SIGNS = 6 }; /* directions that show how large the gradient of a constraint is */
static const double limit = 1e-8;

/* --- of positions only ------------------------------------------------------------------------------------------- */

static int is_momentum(const lbr_variable *x) { return x->kind == LBR_VAR_MOMENTUM || x->kind == LBR_VAR_ANGULAR; }

/* The first momentum that a constraint is made of, or NULL; *timed: it depends on t. */
static const lbr_variable *momentum_in(lbr_model *m, lbr_ref g, int *timed)
{
    for (int k = 0; k < m->nvariables; k++) {
        const lbr_variable *x = m->variable + k;

        if (is_momentum(x) && lbr_touches_node(&m->lo, g, m->lo.state, x->offset, x->offset + x->size)) return x;
    }
    *timed = (m->dag.node[g].deps & LBR_DEP_TIME) != 0;
    return NULL;
}

/* Is any of them made of a momentum? Most often none is: looked at together. */
static int suspicious(lbr_model *m)
{
    int found = (m->dag.array[m->g].deps & LBR_DEP_TIME) != 0;

    for (int k = 0; k < m->nvariables && !found; k++)
        found = is_momentum(m->variable + k) && lbr_touches_array(&m->lo, m->g, m->lo.state, m->variable[k].offset,
                                                                  m->variable[k].offset + m->variable[k].size);
    return found;
}

int lbr_model_holonomic(lbr_model *m)
{
    int paired = 0;

    for (int k = 0; k < m->nvariables; k++) paired |= is_momentum(m->variable + k);
    if (!paired || !m->m || !suspicious(m)) return 1;
    for (int k = 0; k < m->nconstraints; k++)
        for (int i = 0; i < m->constraint[k].nentries; i++) {
            int timed = 0;
            const lbr_variable *x = momentum_in(m, m->dag.array[m->g].entry[m->constraint[k].entry + i].value, &timed);

            if (!x && !timed) continue;
            if (x)
                lbr_file_error(m->constraint[k].file, m->constraint[k].value_place,
                               "a constraint is made of positions and attitudes only, and this one depends on the "
                               "momentum '%.60s'",
                               x->name);
            else
                lbr_file_error(m->constraint[k].file, m->constraint[k].value_place,
                               "a constraint is made of positions and attitudes only, and this one depends on t");
            return 0;
        }
    return 1;
}

/* --- reversed twice ---------------------------------------------------------------------------------------------- */

int lbr_model_involution(lbr_model *m)
{
    lbr_message message = { 0 };
    lbr_code *code = NULL;
    int64_t n = m->dim;
    double *once, *twice, size = 0;
    const double *first[40] = { m->y0 }, *second[40] = { NULL };
    int good = 1;

    if (m->reverse < 0 || !lbr_affordable(&m->dag, m->reverse, 2)) return 1;
    once = lbr_mem_alloc((size_t)(2 * n) * sizeof *once), twice = once ? once + n : NULL, second[0] = once;
    if (!once || lbr_code_make(&code, &m->dag, &(lbr_output){ m->reverse, 0, 0 }, 1, 0, &message)) {
        m->dag.status = LBR_ENOMEM;
        return lbr_mem_free(once), 0;
    }
    if (!lbr_code_run(code, m->t0, first, once) && !lbr_code_run(code, m->t0, second, twice)) {
        for (int64_t i = 0; i < n; i++) size = fmax(size, fabs(m->y0[i]));
        for (int64_t i = 0; i < n && good; i++) good = !(fabs(twice[i] - m->y0[i]) > 1e-10 * size);
    }
    lbr_code_free(code), lbr_mem_free(once);
    for (int k = 0; k < m->source->nlines && !good; k++) {
        const lbr_line *line = m->source->line + k;

        if (line->statement->kind != LBR_ST_REVERSE) continue;
        lbr_file_error(line->file, line->statement->place,
                       "reverse is not an involution: applied twice it does not lead back to the start");
        break;
    }
    return good;
}

/* --- on a manifold ----------------------------------------------------------------------------------------------- */

typedef struct checking {
    lbr_model *m;
    lbr_code *g, *slope;                  /* residuals, their derivative in a direction */
    double *direction, *r, *unit, *along; /* unit: what a unit step changes; along: G times the direction */
} checking;

static void close_all(checking *c)
{
    lbr_code_free(c->g), lbr_code_free(c->slope);
    lbr_mem_free(c->direction);
}

static lbr_status make_code(checking *c, lbr_message *message)
{
    lbr_model *m = c->m;
    lbr_dag *d = &m->dag;
    int slope = lbr_directional_array(d, m->g, m->lo.state, m->direction);
    lbr_status status;

    c->direction = lbr_mem_alloc((size_t)(m->dim + 3 * m->m) * sizeof *c->direction);
    if (!c->direction || slope == -1) return lbr_fail(message, LBR_ENOMEM, "out of memory");
    c->r = c->direction + m->dim, c->unit = c->r + m->m, c->along = c->unit + m->m;
    if ((status = lbr_code_make(&c->g, d, &(lbr_output){ m->g, 0, 0 }, 1, 0, message))) return status;
    return slope < 0 ? LBR_OK : lbr_code_make(&c->slope, d, &(lbr_output){ slope, 0, 0 }, 1, 0, message);
}

/* The size of each row of G, from a few directions of signs. */
static int find_units(checking *c, double t, const double *y)
{
    const double *input[40] = { y, c->direction };

    for (int k = 0; k < SIGNS; k++) {
        for (int64_t j = 0; j < c->m->dim; j++) c->direction[j] = sin((double)(j + 1) * (k + 1.7)) < 0 ? -1 : 1;
        if (c->slope && lbr_code_run(c->slope, t, input, c->along)) return 0;
        for (int64_t i = 0; i < c->m->m; i++) c->unit[i] = fmax(c->unit[i], fabs(c->along[i]));
    }
    return 1;
}

static const char *name_of(const lbr_model *m, int64_t i)
{
    for (int k = 0; k < m->nconstraints; k++)
        if (i >= m->constraint[k].first && i < m->constraint[k].first + m->constraint[k].count)
            return m->constraint[k].name;
    return "";
}

static double largest(const double *x, int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static lbr_status look(checking *c, double t, const double *y, lbr_message *message)
{
    lbr_model *m = c->m;
    const double *input[40] = { y };
    double size = largest(y, m->dim);

    if (lbr_code_run(c->g, t, input, c->r) || !find_units(c, t, y))
        return lbr_fail(message, LBR_EARG, "the constraints cannot be worked out at the start");
    for (int64_t i = 0; i < m->m; i++)
        if (!(fabs(c->r[i]) <= limit * c->unit[i] * size))
            return lbr_fail(message, LBR_EARG,
                            "the start is off constraint '%s' by %.3g (the limit is %g, scaled); with project_start = "
                            "yes it is brought onto the manifold",
                            name_of(m, i), c->r[i], limit);
    return LBR_OK;
}

lbr_status lbr_model_consistent(lbr_model *m, double t, const double *y, lbr_message *message)
{
    checking c = { .m = m };
    lbr_status status;

    for (int k = 0; k < m->nvariables; k++) /* of positions: the plan looks at it */
        if (m->variable[k].kind != LBR_VAR_STATE) return LBR_OK;
    if (!m->m) return LBR_OK;
    if (!(status = make_code(&c, message))) status = look(&c, t, y, message);
    close_all(&c);
    return status;
}
