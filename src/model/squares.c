/* squares.c - sums of squares of differences of positions, as distances are. SPDX-License-Identifier: BSD-3-Clause */
#include "squares.h"

/* A component of the positions; -1: something else. */
static int64_t position(const lbr_model *m, lbr_ref x)
{
    const lbr_dag_node *n = m->dag.node + x;
    double i;

    if (n->op != LBR_OP_LOAD || n->k != m->lo.state || !lbr_dag_is_const(&m->dag, n->a, &i)) return -1;
    return i < (double)m->nq ? (int64_t)i : -1;
}

static int add_difference(const lbr_model *m, lbr_ref x, lbr_squares *q)
{
    const lbr_dag_node *n = m->dag.node + x;
    int64_t a = position(m, x), b = -1;

    if (a < 0 && n->op == LBR_OP_SUB) a = position(m, n->a), b = position(m, n->b), a = b < 0 ? -1 : a;
    if (a < 0 || q->n == LBR_MOST_SQUARES) return 0;
    if (b > a || b < 0) q->a[q->n] = (int32_t)a, q->b[q->n++] = (int32_t)b;
    else q->a[q->n] = (int32_t)b, q->b[q->n++] = (int32_t)a; /* the lower one first: |q_i - q_j| has no order */
    return 1;
}

/* From the left; a sum of more than so many numbers has too many squares. */
static int add_squares(const lbr_model *m, lbr_ref x, lbr_squares *q)
{
    lbr_ref later[2 * LBR_MOST_SQUARES];
    int n = 0;

    for (later[n++] = x; n > 0;) {
        const lbr_dag_node *a = m->dag.node + (x = later[--n]);
        double c;

        if (lbr_dag_is_const(&m->dag, x, &c)) q->shift += c;
        else if (a->op == LBR_OP_ADD && n + 2 <= 2 * LBR_MOST_SQUARES) later[n++] = a->b, later[n++] = a->a;
        else if ((a->op != LBR_OP_MUL && a->op != LBR_OP_FMA) || a->a != a->b || !add_difference(m, a->a, q)) return 0;
        else if (a->op == LBR_OP_FMA) later[n++] = a->c;
    }
    return 1;
}

/* Positions themselves first, in their order; differences of the same two blocks stand together. */
static int before(const lbr_squares *q, int i, int k)
{
    int32_t apart_i = q->b[i] < 0 ? 0 : q->b[i] - q->a[i], apart_k = q->b[k] < 0 ? 0 : q->b[k] - q->a[k];

    return apart_i != apart_k ? apart_i < apart_k : q->a[i] < q->a[k];
}

static void sort(lbr_squares *q)
{
    for (int i = 1; i < q->n; i++)
        for (int k = i; k > 0 && before(q, k, k - 1); k--) {
            int32_t a = q->a[k], b = q->b[k];

            q->a[k] = q->a[k - 1], q->b[k] = q->b[k - 1], q->a[k - 1] = a, q->b[k - 1] = b;
        }
}

int lbr_squares_of(const lbr_model *m, lbr_ref x, lbr_squares *q)
{
    q->n = 0, q->shift = 0;
    return add_squares(m, x, q) ? (sort(q), 1) : 0;
}
