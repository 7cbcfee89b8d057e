/* patterns.c - the pattern of the field's Jacobian, against differences: where it has no entry there is nothing.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where columns are moved together, a row of which the pattern has none of them must stay what it is, however large its
 * other entries are: to the last bit, or else as far as differences tell. Of few columns each is moved alone. Of many
 * they are put into groups by chance, several times, so that what is missing is soon in a group without any other
 * column of its row; a group that moves such a row is halved until the column is found. */
#include "core/sparsity.h"
#include "inspect.h"

#include <string.h>

enum {
    ROUNDS = 2,       /* of groups, at each point */
    APART = 4,        /* groups for each column of the widest row: three rows of four see a column alone */
    WORK = 1 << 20,   /* groups times numbers, at most, if there are more than LBR_INSPECT_COLUMNS groups */
    WRONG_ONES = 100, /* wrong numbers after which nothing more is looked for */
    STEPS = 3
};
static const double step[STEPS] = { 0x1p-4, 0x1p-10, 0x1p-16 };

typedef struct search {
    lbr_inspection *z;
    const lbr_pattern *p;
    lbr_mapping f;
    int64_t n, *column;                                   /* all columns; groups are ranges of them */
    double *v, *value, *at, *out, *slope, *given, *error; /* v: 0 in all other columns; value: the field at y */
} search;

static int64_t has_pattern(const lbr_inspection *z) { return z->b.s.jacobian && z->b.field; }

/* Whether the pattern has no entry of row i in the columns that are moved. */
static int is_free(const search *s, int64_t i)
{
    for (int64_t e = s->p->row[i]; e < s->p->row[i + 1]; e++)
        if (s->v[s->p->col[e]] != 0) return 0;
    return 1;
}

/* Moves columns from .. from + count - 1: one alone by 1, so that slopes are its entries. How far that may go. */
static double move(search *s, int64_t from, int64_t count)
{
    const double *size = s->z->size;

    memset(s->v, 0, (size_t)s->n * sizeof *s->v);
    for (int64_t k = from; k < from + count; k++) {
        int64_t c = s->column[k];

        s->v[c] = count == 1 ? 1 : size[c] * lbr_random_sign((uint64_t)(c + 7919 * k));
    }
    return count == 1 ? size[s->column[from]] : 1;
}

/* Whether rows without an entry stay what they are, wherever one goes. */
static int stay(search *s, double far)
{
    lbr_inspection *z = s->z;

    for (int k = 0; k < 2 * STEPS; k++) {
        double e = (k & 1 ? -far : far) * step[k / 2];

        for (int64_t i = 0; i < s->n; i++) s->at[i] = z->y[i] + e * s->v[i];
        if (z->b.field(z->t, s->at, s->out, z->b.ctx)) return 0;
        for (int64_t i = 0; i < s->n; i++)
            if (!(s->out[i] == s->value[i]) && is_free(s, i)) return 0;
    }
    return 1;
}

typedef enum { NOTHING, SOMETHING, FAILS } outcome;

/* Whether columns have entries that the pattern lacks; slopes, and what the pattern leaves of them. */
static outcome look(search *s, int64_t from, int64_t count)
{
    double far = move(s, from, count), largest = 0;

    if (stay(s, far)) return s->z->compared += s->n, NOTHING;
    if (lbr_inspect_slope(s->z, &s->f, s->z->y, s->v, 0, step[0] * far, NULL, s->slope, s->error)) return FAILS;
    for (int64_t i = 0; i < s->n; i++) {
        s->given[i] = is_free(s, i) ? 0 : s->slope[i];
        largest = fmax(largest, fabs(s->slope[i]));
    }
    for (int64_t i = 0; i < s->n; i++)
        if (!(fabs(s->given[i] - s->slope[i]) <= lbr_inspect_tolerance(s->given[i], s->slope[i], s->error[i], largest)))
            return SOMETHING;
    return s->z->compared += s->n, NOTHING;
}

/* Names the entries that columns have and the pattern has not. 1: something was said of them. */
static int found(search *s, int64_t from, int64_t count)
{
    const lbr_numbering state = { LBR_NUMBERING_STATE, 0, NULL };
    lbr_inspection *z = s->z;
    outcome is;
    int a, b;

    if (z->why.status || z->wrong >= WRONG_ONES || (is = look(s, from, count)) == NOTHING) return 0;
    if (count > 1) {
        a = found(s, from, count / 2), b = found(s, from + count / 2, count - count / 2);
        if (a || b || is == FAILS || look(s, from, count) != SOMETHING) return a || b;
    }
    if (is == SOMETHING)
        lbr_inspect_compare(z, state, state, count > 1 ? -2 : s->column[from], s->n, s->given, s->slope, s->error);
    else if (!z->at) lbr_inspect_say(z, -1, "field fails at every point near y");
    return 1;
}

/* Another order of the columns, by chance. */
static void shuffle(search *s, int round)
{
    for (int64_t i = s->n - 1; i > 0; i--) {
        double chance = 2 * fabs(lbr_random_sign((uint64_t)(i + s->n * (3 * round + s->z->at + 1)))) - 1;
        int64_t j = (int64_t)(chance * (double)(i + 1)), c = s->column[i];

        if (j > i) j = i;
        s->column[i] = s->column[j], s->column[j] = c;
    }
}

/* How many groups: as many as columns, or enough that few rows have an entry in each. */
static int64_t groups_of(const lbr_pattern *p)
{
    int64_t wide = 0, most = WORK / p->n;

    for (int64_t i = 0; i < p->n; i++)
        if (p->row[i + 1] - p->row[i] > wide) wide = p->row[i + 1] - p->row[i];
    if (most > APART * wide) most = APART * wide;
    if (most < LBR_INSPECT_COLUMNS) most = LBR_INSPECT_COLUMNS;
    return most < p->n ? most : p->n;
}

static void columns(lbr_inspection *z, const lbr_pattern *p)
{
    int64_t n = z->b.s.dim, groups = groups_of(p);
    search s = { .z = z, .p = p, .f = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n), .n = n };

    s.v = lbr_inspect_room(z, 7 * n), s.value = lbr_after(s.v, n), s.at = lbr_after(s.v, 2 * n);
    s.out = lbr_after(s.v, 3 * n), s.slope = lbr_after(s.v, 4 * n), s.given = lbr_after(s.v, 5 * n);
    s.error = lbr_after(s.v, 6 * n);
    if (!s.v || lbr_inspect_call(z, &s.f, z->y, s.value)) return;
    if (!(s.column = lbr_arena_alloc(&z->scratch, n, sizeof *s.column))) {
        lbr_fail(&z->why, LBR_ENOMEM, "out of memory");
        return;
    }
    for (int64_t c = 0; c < n; c++) s.column[c] = c;
    for (int round = 0; round < (groups < n ? ROUNDS : 1) && z->wrong <= LBR_INSPECT_TOLD; round++) {
        if (groups < n) shuffle(&s, round);
        for (int64_t k = 0; k < groups; k++) found(&s, k * n / groups, (k + 1) * n / groups - k * n / groups);
    }
}

static void pattern(lbr_inspection *z, int64_t k)
{
    lbr_pattern p;
    lbr_message message = { 0 };

    (void)k;
    if (lbr_sparsity_of_field(&p, &z->b, &z->scratch, &message)) {
        lbr_fail(&z->why, message.status, "%s", message.text);
        return;
    }
    if (p.row) columns(z, &p); /* else a model's pattern would be too full to be of use */
}

const lbr_inspector lbr_inspect_patterns[] = {
    { "pattern of the Jacobian", "differences of field", has_pattern, NULL, pattern, LBR_ANYWHERE },
    { 0 },
};
