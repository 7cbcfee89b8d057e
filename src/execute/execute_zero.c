/* execute_zero.c - quantities that are zero at the start, but for rounding: no error is relative to them.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A sum of terms that cancel, or a coordinate that should be zero and is cos(pi/2), leaves a number that means nothing.
 * How large such a number may be is asked of the quantity itself: all components of the start are changed at once, each
 * by the rounding of the largest among them, with signs without a pattern. */
#include "executing.h"
#include "core/largest.h"
#include "core/watch.h"
#include "plan/plan_inside.h"

#include <math.h>

enum { PATTERNS = 4 };
static const double change = 0x1p-20,            /* of a component, over the largest of them */
    rounding = 0x1p-52 / (2 * 0x1p-20), few = 8; /* what a change both ways is worth; roundings that make up a zero */

static int value(const lbr_exec *e, const lbr_monitor *m, const double *y, double *out)
{
    const lbr_invariant *v;

    if (m == &e->result->energy) return e->sys.energy(e->job->t0, y, out, e->sys.ctx);
    v = lbr_exec_invariant(e, m - e->result->invariant);
    return v->value(e->job->t0, y, out, v->ctx ? v->ctx : e->sys.ctx);
}

/* The start with components from..to-1 changed, some up and some down. */
static void changed(const double *y, int64_t from, int64_t to, int pattern, double sign, double *z)
{
    double size = sign * change * lbr_largest(to - from, y + from);

    for (int64_t i = from; i < to; i++) z[i] = y[i] + (((uint64_t)i * 2654435761u) >> (8 + pattern) & 1 ? size : -size);
}

/* What rounding of the start may do to a quantity; z has room for a state, a and b for its values. 0: it is not known.
 */
static double rounded(const lbr_exec *e, const lbr_monitor *m, double *z, double *a, double *b)
{
    int64_t n = e->sys.dim, nq = e->plan->setup.sys.partitioned ? e->plan->setup.sys.s.nq : 0;
    double most = 0;

    for (int k = 0; k < PATTERNS; k++)
        for (int side = 0; side < 2; side++) {
            changed(e->job->y0, 0, nq, k, side ? -1 : 1, z), changed(e->job->y0, nq, n, k, side ? -1 : 1, z);
            if (value(e, m, z, side ? b : a)) return 0;
            if (side) most = fmax(most, rounding * lbr_distance(m->len, a, b));
        }
    return isfinite(most) ? most : 0;
}

static double size_of(const lbr_monitor *m)
{
    double size = 0;

    for (int64_t i = 0; i < m->len; i++) size = hypot(size, m->first[i]);
    return size;
}

/* Asked only where an error is not small beside the start, and so may be relative to nothing. */
static void look(lbr_exec *e, lbr_monitor *m)
{
    double size = size_of(m), *room;

    m->zero = size == 0;
    if (m->zero || !(m->worst > size / 100) || !e->job->y0) return;
    if (!(room = lbr_mem_alloc((size_t)(e->sys.dim + 2 * m->len) * sizeof *room))) return;
    m->zero = size <= few * rounded(e, m, room, room + e->sys.dim, room + e->sys.dim + m->len);
    lbr_mem_free(room);
}

void lbr_exec_zeros(lbr_exec *e)
{
    if (e->sys.energy) look(e, &e->result->energy);
    for (int64_t i = 0; i < e->result->ninvariants; i++) look(e, &e->result->invariant[i]);
}
