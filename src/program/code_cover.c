/* code_cover.c - whether every element of an array that is made is assigned, so that it need not be zero before.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements are marked one by one, for all iterations of entries whose index is a sum of multiples of loop indices with
 * constant ranges; nothing is assumed of any other entry. What is added to an element before it is assigned does not
 * matter. */
#include "code_make.h"

#include <math.h>
#include <stdlib.h>

enum { DEEP = 16 };
static const double MOST = 1e9; /* of everything: sums and products stay in int64_t */

/* An address: offset + the sum of factor*index, by the level of the loop; all loops around, and how often each runs. */
typedef struct form {
    int64_t offset, factor[LBR_CODE_DEPTH], from[LBR_CODE_DEPTH], size[LBR_CODE_DEPTH];
    int levels;
} form;
typedef struct marks {
    uint8_t *seen;
    int64_t size, marked;
} marks;

static int whole(double x) { return x == floor(x) && fabs(x) <= MOST; }

/* f += by*node. */
static int collect(const lbr_dag *d, lbr_ref n, int64_t by, form *f, int deep)
{
    const lbr_dag_node *x = &d->node[n];
    double value;
    lbr_ref other;

    if (llabs(by) > (int64_t)MOST || deep > DEEP) return 0;
    if (lbr_dag_is_const(d, n, &value))
        return whole(value) && (f->offset += by * (int64_t)value, llabs(f->offset) <= (int64_t)1e15);
    switch (x->op) {
    case LBR_OP_INDEX: return llabs(f->factor[d->loop[x->k].level] += by) <= (int64_t)MOST;
    case LBR_OP_NEG: return collect(d, x->a, -by, f, deep + 1);
    case LBR_OP_ADD:
    case LBR_OP_SUB:
        return collect(d, x->a, by, f, deep + 1) && collect(d, x->b, x->op == LBR_OP_ADD ? by : -by, f, deep + 1);
    case LBR_OP_MUL:
    case LBR_OP_FMA: break;
    default: return 0;
    }
    if (lbr_dag_is_const(d, x->a, &value)) other = x->b;
    else if (lbr_dag_is_const(d, x->b, &value)) other = x->a;
    else return 0;
    return whole(value) && collect(d, other, by * (int64_t)value, f, deep + 1) &&
           (x->op == LBR_OP_MUL || collect(d, x->c, by, f, deep + 1));
}

/* The loops around an entry. Gives the number of iterations; 0: none, or it is not known, or it is more than `most`. */
static int64_t ranges(const lbr_dag *d, int loop, int64_t most, form *f)
{
    int64_t all = 1;
    double lo, hi;

    f->levels = d->loop[loop].level;
    if (f->levels >= LBR_CODE_DEPTH) return 0;
    for (; loop; loop = d->loop[loop].parent) {
        int level = d->loop[loop].level;

        if (!lbr_dag_is_const(d, d->loop[loop].lo, &lo) || !lbr_dag_is_const(d, d->loop[loop].hi, &hi) || !whole(lo) ||
            !whole(hi) || hi < lo)
            return 0;
        f->from[level] = (int64_t)lo, f->size[level] = (int64_t)(hi - lo) + 1;
        if (f->size[level] > most / all) return 0;
        all *= f->size[level];
    }
    return all;
}

static void mark(const form *f, int level, int64_t address, marks *to)
{
    if (level > f->levels) {
        if (address < 0 || address >= to->size || to->seen[address]) return;
        to->seen[address] = 1, to->marked++;
        return;
    }
    for (int64_t i = 0; i < f->size[level]; i++)
        mark(f, level + 1, address + f->factor[level] * (f->from[level] + i), to);
}

int lbr_maker_covered(lbr_maker *m, int array)
{
    const lbr_array *a = &m->dag->array[array];
    int64_t most = 4 * a->size; /* iterations that are gone through */
    marks to = { lbr_arena_alloc(&m->temp, a->size, 1), a->size, 0 };

    if (a->size <= 0) return 1;
    if (!to.seen) return lbr_maker_no_memory(m), 0;
    for (int e = 0; e < a->nentries && to.marked < a->size; e++) {
        form f = { 0 };
        int64_t n = a->entry[e].add ? 0 : ranges(m->dag, a->entry[e].loop, most, &f);

        if (!n || !collect(m->dag, a->entry[e].index, 1, &f, 0)) continue;
        mark(&f, 1, f.offset, &to), most -= n;
    }
    return to.marked == a->size;
}
