/* constraint_rows.c - the rows of the Jacobian of constraints, block by block. SPDX-License-Identifier: BSD-3-Clause */
#include "constraint.h"
#include "graph/dag_make.h"
#include "graph/derive.h"

#include <stdlib.h>
#include <string.h>

/* --- the loops of a block ---------------------------------------------------------------------------------------- */

enum { NESTED = 16 }; /* loops around a member: at most LBR_RANK */
typedef struct nest {
    int n;
    lbr_ref index[NESTED];
    int64_t from[NESTED], size[NESTED], step[NESTED], members;
} nest;

/* The loops around an entry, the outermost first; a member's number is the sum of step*(index - from). 0: ranges that
 * are not constant. */
static int nest_of(const lbr_dag *d, int loop, nest *t)
{
    double from, to;

    *t = (nest){ .n = d->loop[loop].level, .members = 1 };
    if (t->n > NESTED) return 0;
    for (int k = t->n; k-- > 0; loop = d->loop[loop].parent) {
        if (!lbr_dag_is_const(d, d->loop[loop].lo, &from) || !lbr_dag_is_const(d, d->loop[loop].hi, &to) || to < from)
            return 0;
        t->index[k] = d->loop[loop].index, t->from[k] = (int64_t)from, t->size[k] = (int64_t)(to - from) + 1,
        t->step[k] = t->members;
        t->members *= t->size[k];
    }
    return 1;
}

/* first + the sum of slope*(index - from). */
static lbr_ref affine(lbr_dag *d, const nest *t, int64_t first, const int64_t *slope)
{
    lbr_ref at;

    for (int k = 0; k < t->n; k++) first -= slope[k] * t->from[k];
    at = lbr_dag_const(d, (double)first);
    for (int k = 0; k < t->n; k++)
        if (slope[k]) at = lbr_dag_add(d, at, lbr_dag_mul(d, t->index[k], lbr_dag_const(d, (double)slope[k])));
    return at;
}

/* The values of a table of members, as an expression of the indices: if they go in equal steps, of these alone. */
static lbr_ref tabulated(lbr_dag *d, int loop, const double *table)
{
    int64_t slope[NESTED] = { 0 };
    int even = 1;
    double *data;
    nest t;

    nest_of(d, loop, &t);
    for (int k = 0; k < t.n; k++) slope[k] = t.size[k] > 1 ? (int64_t)(table[t.step[k]] - table[0]) : 0;
    for (int64_t i = 0; i < t.members && even; i++) {
        int64_t want = (int64_t)table[0];

        for (int k = 0; k < t.n; k++) want += slope[k] * (i / t.step[k] % t.size[k]);
        even = (double)want == table[i];
    }
    if (even) return affine(d, &t, (int64_t)table[0], slope);
    if (!(data = lbr_arena_alloc(d->arena, t.members, sizeof *data))) return lbr_dag_no_memory(d), 0;
    memcpy(data, table, (size_t)t.members * sizeof *data);
    return lbr_dag_load(d, lbr_dag_data(d, data, t.members), affine(d, &t, 0, t.step));
}

/* --- columns ----------------------------------------------------------------------------------------------------- */

typedef struct listing {
    int64_t *to, n;
} listing;

static int keep(int64_t at, void *ctx)
{
    listing *l = ctx;

    return l->to[l->n++] = at, 1;
}

/* What a node made of indices is, for all members. */
static int list(lbr_model *m, const lbr_rows *r, lbr_ref node, int64_t *to)
{
    return lbr_each_index(&m->lo, r->g.loop, node, keep, &(listing){ to, 0 });
}

/* Columns of a derivative; it is not there where a condition on the indices alone makes it 0. */
static int find_columns(lbr_model *m, const lbr_rows *r, lbr_entry e, int64_t *col, int64_t *scratch)
{
    lbr_dag *d = &m->dag;
    lbr_ref value = e.value;

    if (!list(m, r, e.index, col)) return 0;
    for (int open; (open = lbr_dag_guard(d, value)) && !d->node[d->node[value].a].deps;
         value = open == 1 ? d->node[value].b : d->node[value].c) {
        if (!list(m, r, d->node[value].a, scratch)) return 0;
        for (int64_t i = 0; i < r->members; i++)
            if ((scratch[i] != 0) != (open == 1)) col[i] = -1;
    }
    return 1;
}

typedef struct first {
    int64_t col;
    int k;
} first;

static int by_column(const void *a, const void *b)
{
    const first *x = a, *y = b;

    return x->col != y->col ? (x->col > y->col) - (x->col < y->col) : x->k - y->k;
}

/* Whether the columns have in all members the order that they have in the first: smaller, or equal. */
static int same_order(const lbr_rows *r, const first *order)
{
    for (int k = 0; k < r->n; k++) {
        const int64_t *a = r->col + order[k].k * r->members,
                      *b = k + 1 < r->n ? r->col + order[k + 1].k * r->members : NULL;
        int equal = b && a[0] == b[0];

        for (int64_t i = 0; i < r->members; i++)
            if (a[i] < 0 || (b && (equal ? a[i] != b[i] : a[i] >= b[i]))) return 0;
    }
    return 1;
}

/* In the order of columns; those of one column are added in their order. */
static int arrange(lbr_dag *d, lbr_rows *r, const first *order)
{
    size_t n = (size_t)r->members;
    int64_t *col = lbr_mem_alloc(((size_t)r->n * n + 1) * sizeof *col);
    lbr_ref *value = lbr_arena_alloc(d->arena, 2 * r->n + 1, sizeof *value), *column = value + r->n;
    int k = 0;

    if (!col || !value) return lbr_mem_free(col), lbr_dag_no_memory(d), 0;
    for (int i = 0; i < r->n; i++) {
        if (k && order[i - 1].col == order[i].col) {
            value[k - 1] = lbr_dag_add(d, value[k - 1], r->value[order[i].k]);
            continue;
        }
        value[k] = r->value[order[i].k], column[k] = r->column[order[i].k];
        memcpy(col + (size_t)k++ * n, r->col + (size_t)order[i].k * n, n * sizeof *col);
    }
    lbr_mem_free(r->col);
    r->col = col, r->value = value, r->column = column, r->n = k, r->ordered = 1;
    return 1;
}

/* Whether two derivatives of some member share a column. */
static int shared(const lbr_rows *r)
{
    for (int a = 0; a < r->n; a++)
        for (int b = 0; b < a; b++)
            for (int64_t i = 0; i < r->members; i++)
                if (r->col[a * r->members + i] >= 0 && r->col[a * r->members + i] == r->col[b * r->members + i])
                    return 1;
    return 0;
}

static int put_in_order(lbr_dag *d, lbr_rows *r)
{
    first *order = lbr_mem_alloc((size_t)(r->n + 1) * sizeof *order);
    int good = 1;

    if (!order) return lbr_dag_no_memory(d), 0;
    for (int k = 0; k < r->n; k++) order[k] = (first){ r->col[k * r->members], k };
    qsort(order, (size_t)r->n, sizeof *order, by_column);
    if (same_order(r, order)) good = arrange(d, r, order);
    else r->add = shared(r);
    lbr_mem_free(order);
    return good;
}

/* --- long sums: one row, whose derivatives stand in loops -------------------------------------------------------- */

static int long_row(lbr_model *m, lbr_rows *r, lbr_entry *entry, int n)
{
    lbr_dag *d = &m->dag;
    lbr_marks x = { lbr_mem_alloc((size_t)m->dim), m->dim };
    int good = x.mark != NULL;

    r->list = entry, r->nlist = n;
    for (int k = 0; k < n && good; k++)
        good = lbr_each_index(&m->lo, entry[k].loop, entry[k].index, lbr_mark_index, &x);
    for (int64_t i = 0; i < m->dim && good; i++) r->ncols += x.mark[i];
    r->row = lbr_mem_alloc(sizeof *r->row), r->col = lbr_mem_alloc((size_t)(r->ncols + 1) * sizeof *r->col);
    if (!x.mark || !r->row || !r->col) return lbr_mem_free(x.mark), lbr_dag_no_memory(d), 0;
    for (int64_t i = 0, k = 0; i < m->dim && good; i++)
        if (x.mark[i]) r->col[k++] = i;
    lbr_mem_free(x.mark);
    return good && list(m, r, r->g.index, r->row);
}

/* Where the value of column `index` stands: in equal steps, or from a table. */
static lbr_ref place_in_row(lbr_dag *d, const lbr_rows *r, int64_t begin, lbr_ref index)
{
    int64_t least = r->ncols ? r->col[0] : 0, width = r->ncols ? r->col[r->ncols - 1] - least + 1 : 0;
    double *table;

    if (width == r->ncols) return lbr_dag_add(d, index, lbr_dag_const(d, (double)(begin - least)));
    if (!(table = lbr_arena_alloc(d->arena, width, sizeof *table))) return lbr_dag_no_memory(d), 0;
    for (int64_t k = 0; k < r->ncols; k++) table[r->col[k] - least] = (double)(begin + k);
    return lbr_dag_load(d, lbr_dag_data(d, table, width), lbr_dag_sub(d, index, lbr_dag_const(d, (double)least)));
}

static void put_long_row(lbr_dag *d, const lbr_rows *r, int array, int64_t begin)
{
    for (int k = 0; k < r->nlist && !d->status; k++) {
        lbr_entry e = r->list[k];

        e.index = place_in_row(d, r, begin, e.index), e.add = 1;
        lbr_dag_entry(d, array, e);
    }
}

/* --- one block --------------------------------------------------------------------------------------------------- */

static int rows_of(lbr_model *m, lbr_rows *r)
{
    lbr_dag *d = &m->dag;
    lbr_entry *entry;
    int n = lbr_partials(d, r->g.value, r->g.loop, m->lo.state, &entry);
    nest t;

    if (n < 0) return 0;
    r->n = -1;
    if (!nest_of(d, r->g.loop, &t))
        return lbr_dag_fail(d, LBR_EARG, "a family of constraints over ranges that are not known"), 0;
    r->members = t.members;
    for (int k = 0; k < n; k++)
        if (entry[k].loop != r->g.loop) return long_row(m, r, entry, n);
    r->row = lbr_mem_alloc(2 * (size_t)t.members * sizeof *r->row),
    r->col = lbr_mem_alloc(((size_t)n * (size_t)t.members + 1) * sizeof *r->col);
    r->value = lbr_arena_alloc(d->arena, 2 * n + 1, sizeof *r->value);
    if (!r->row || !r->col || !r->value) return lbr_dag_no_memory(d), 0;
    r->column = r->value + n;
    r->n = n;
    n = list(m, r, r->g.index, r->row);
    for (int k = 0; k < r->n && n; k++) {
        n = find_columns(m, r, entry[k], r->col + k * r->members, r->row + r->members);
        r->value[k] = entry[k].value, r->column[k] = entry[k].index;
    }
    if (!n)
        lbr_dag_fail(d, LBR_EARG,
                     "the columns of the constraints' derivatives take too long: the limit is %d evaluations",
                     LBR_MOST_EVALUATIONS);
    return n && put_in_order(d, r);
}

int lbr_rows_make(lbr_model *m, lbr_rows **rows, int *n)
{
    const lbr_array g = m->dag.array[m->g];
    lbr_rows *r = lbr_mem_alloc((size_t)(g.nentries + 1) * sizeof *r);
    int64_t evaluations = m->lo.evaluations, reached = 0; /* these are not the text's */
    int good = 1;

    *rows = r, *n = r ? g.nentries : 0;
    if (!r) return lbr_dag_no_memory(&m->dag), 0;
    for (int k = 0; k < g.nentries && good; k++) {
        r[k].g = g.entry[k], good = rows_of(m, r + k) && !m->dag.status;
        if ((reached += r[k].ncols) > LBR_MOST_COMPONENTS)
            good = 0, lbr_dag_fail(&m->dag, LBR_EUNFIT,
                                   "constraints with sums of more than %d terms: their derivatives have "
                                   "more than %d elements",
                                   LBR_UNROLLED, LBR_MOST_COMPONENTS);
    }
    m->lo.evaluations = evaluations;
    return good;
}

void lbr_rows_free(lbr_rows *rows, int n)
{
    for (int k = 0; k < n; k++) lbr_mem_free(rows[k].row), lbr_mem_free(rows[k].col);
    lbr_mem_free(rows);
}

/* --- places ------------------------------------------------------------------------------------------------------ */

/* The columns of a member, ascending, none twice; how many. */
static int member_columns(const lbr_rows *r, int64_t member, int64_t *to)
{
    int n = 0;

    if (r->list) memcpy(to, r->col, (size_t)r->ncols * sizeof *to);
    if (r->list) return (int)r->ncols;
    for (int k = 0; k < r->n; k++) {
        int64_t col = r->col[k * r->members + member];
        int at = n;

        if (r->ordered) {
            to[n++] = col;
            continue;
        }
        while (at > 0 && to[at - 1] > col) at--;
        if (col < 0 || (at > 0 && to[at - 1] == col)) continue;
        memmove(to + at + 1, to + at, (size_t)(n - at) * sizeof *to);
        to[at] = col, n++;
    }
    return n;
}

static int most_columns(const lbr_rows *rows, int n)
{
    int most = 0;

    for (int k = 0; k < n; k++) most = rows[k].n > most ? rows[k].n : rows[k].ncols > most ? (int)rows[k].ncols : most;
    return most;
}

/* row[i]: where row i begins; col: the columns of all. */
static int64_t *fill_pattern(lbr_model *m, const lbr_rows *rows, int n, int64_t *row, int64_t *scratch)
{
    int64_t *col;

    for (int k = 0; k < n; k++)
        for (int64_t i = 0; i < rows[k].members; i++) row[rows[k].row[i] + 1] = member_columns(rows + k, i, scratch);
    for (int64_t i = 0; i < m->m; i++) row[i + 1] += row[i];
    if (!(col = lbr_arena_alloc(&m->arena, row[m->m] + 1, sizeof *col))) return NULL;
    for (int k = 0; k < n; k++)
        for (int64_t i = 0; i < rows[k].members; i++) member_columns(rows + k, i, col + row[rows[k].row[i]]);
    return col;
}

/* Where the values of derivative k are; -1: nowhere, and such an entry is left out. 0: all are. */
static int places(const lbr_rows *r, int k, const int64_t *row, const int64_t *col, double *table)
{
    int any = 0;

    for (int64_t i = 0; i < r->members; i++) {
        int64_t at = row[r->row[i]] + (r->ordered ? k : 0), want = r->col[k * r->members + i];

        while (want >= 0 && col[at] != want) at++;
        table[i] = want < 0 ? -1 : (double)at, any |= want >= 0;
    }
    return any;
}

int lbr_rows_array(lbr_model *m, const lbr_rows *rows, int n, int64_t **row, int64_t **col)
{
    lbr_dag *d = &m->dag;
    int64_t most = 1, *scratch = lbr_mem_alloc(((size_t)most_columns(rows, n) + 1) * sizeof *scratch);
    double *table;
    int array = -1;

    for (int k = 0; k < n; k++)
        if (rows[k].members > most) most = rows[k].members;
    table = lbr_mem_alloc((size_t)most * sizeof *table);
    *row = lbr_arena_alloc(&m->arena, m->m + 1, sizeof **row);
    *col = scratch && table && *row ? fill_pattern(m, rows, n, *row, scratch) : NULL;
    if (*col) {
        array = lbr_dag_array(d, (*row)[m->m]);
        for (int k = 0; k < n; k++) {
            if (rows[k].list) put_long_row(d, rows + k, array, (*row)[rows[k].row[0]]);
            for (int e = 0; e < rows[k].n && !d->status; e++) {
                if (!places(rows + k, e, *row, *col, table)) continue;
                lbr_dag_entry(
                    d, array,
                    (lbr_entry){ rows[k].g.loop, tabulated(d, rows[k].g.loop, table), rows[k].value[e], rows[k].add });
            }
        }
        lbr_dag_close(d, array);
    } else lbr_dag_no_memory(d);
    lbr_mem_free(scratch), lbr_mem_free(table);
    return d->status ? -1 : array;
}
