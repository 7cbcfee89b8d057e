/* linear_part.c - the part of a model whose rates are f = A y + b: its matrix. SPDX-License-Identifier: BSD-3-Clause */
#include "part_flows.h"
#include "graph/derive.h"
#include "structure.h"

enum { LINEAR_MOST = 10000 }; /* columns of a matrix are found one by one */

/* Its elements so far, and which variables act on each other: a tree of each block, the size at its root. */
typedef struct matrix {
    lbr_triplet *element;
    int64_t n, most, *up, *size, largest;
} matrix;

static int64_t root(matrix *A, int64_t i)
{
    while (A->up[i] != i) i = A->up[i] = A->up[A->up[i]];
    return i;
}

static void join(matrix *A, int64_t i, int64_t j)
{
    i = root(A, i), j = root(A, j);
    if (i == j) return;
    A->up[i] = j, A->size[j] += A->size[i];
    if (A->size[j] > A->largest) A->largest = A->size[j];
}

static int add_column(matrix *A, int64_t column, int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++) {
        if (x[i] == 0) continue;
        if (!LBR_ROOM(NULL, A->element, A->n, A->most, 1)) return 0;
        A->element[A->n++] = (lbr_triplet){ i, column, x[i] };
        join(A, i, column);
    }
    return 1;
}

int lbr_part_is_linear(lbr_model *m, int field, int tangent)
{
    lbr_dag *d = &m->dag;

    return tangent >= 0 && !lbr_touches_time(d, field) && !lbr_touches_array(&m->lo, tangent, m->lo.state, 0, m->dim) &&
           !lbr_applies(&m->lo, field, LBR_OPS_THAT_JUMP);
}

/* The matrix column by column, until too many variables act on each other; b = f(0). */
static int read_columns(lbr_model *m, const lbr_function *field, const lbr_function *jacobian, matrix *A, double *work)
{
    int64_t n = m->dim;
    double *e = work, *column = e + n, *zero = column + n, *b = zero + n;
    const double *input[LBR_MODEL_INPUTS] = { zero, e };
    int good = !lbr_code_run(field->code, m->t0, input, b);

    for (int64_t i = 0; i < n; i++) A->up[i] = i, A->size[i] = 1;
    for (int64_t j = 0; j < n && good && A->largest <= LBR_LINEAR_MOST; j++) {
        e[j] = 1;
        good = !lbr_code_run(jacobian->code, m->t0, input, column) && add_column(A, j, n, column);
        e[j] = 0;
    }
    return good;
}

lbr_status lbr_part_linear(lbr_model *m, const lbr_function *field, int tangent, lbr_linear_flow **flow,
                           lbr_message *message)
{
    int64_t n = m->dim;
    lbr_function jacobian;
    double *work;
    matrix A = { 0 };
    lbr_status status = LBR_ENOMEM;

    if (n > LINEAR_MOST)
        return lbr_fail(message, LBR_EUNFIT, "it is linear, but has %lld variables; the limit is %d", (long long)n,
                        LINEAR_MOST);
    if (!lbr_affordable(&m->dag, tangent, (double)n))
        return lbr_fail(message, LBR_EUNFIT,
                        "it is linear, but its matrix takes too long to work out; a flow statement can give it");
    if (!lbr_function_make(m, &jacobian, tangent, -1, 0, message)) return LBR_ENOMEM;
    work = lbr_mem_alloc((size_t)(4 * n) * sizeof *work), A.up = lbr_mem_alloc((size_t)n * sizeof *A.up),
    A.size = lbr_mem_alloc((size_t)n * sizeof *A.size);
    if (!work || !A.up || !A.size || !read_columns(m, field, &jacobian, &A, work))
        lbr_fail(message, status, "out of memory");
    else if (A.largest > LBR_LINEAR_MOST)
        status = lbr_fail(
            message, LBR_EUNFIT,
            "it is linear, but more than %d of its variables act on each other; a flow statement can give it",
            LBR_LINEAR_MOST);
    else status = lbr_linear_flow_create(flow, n, A.n, A.element, work + 3 * n, message);
    lbr_mem_free(work), lbr_mem_free(A.element), lbr_mem_free(A.up), lbr_mem_free(A.size);
    return status == LBR_EARG ? lbr_fail(message, LBR_EUNFIT, "it is linear, but a coefficient is not a number")
                              : status;
}
