/* multipliers_make.c - constraints as they are given: checks, and the pattern of G H_pp G^T.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tangents.h"
#include "core/pattern.h"
#include "core/prolong_inside.h"

#include <stddef.h>
#include <string.h>

/* The most constraints for which S is taken as dense. */
enum { DENSE_MOST = 600 };

/* --- what is given ----------------------------------------------------------------------------------------------- */

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory for the constraints"); }

static lbr_status check(const lbr_bound *b, const lbr_constraints *c, lbr_message *m)
{
    if (c->size < offsetof(lbr_constraints, g2) || c->size > 4096 || !c->g || !c->G)
        return lbr_fail(m, LBR_EARG, "the constraints of the system have no proper size, or g or G is missing");
    if (lbr_has_rotations(&b->s))
        return lbr_fail(m, LBR_EUNFIT,
                        "the system has rigid bodies and constraints: joints between bodies are not integrated by "
                        "this version");
    if (b->s.nq < 1) return lbr_fail(m, LBR_EARG, "the system has constraints but no positions and momenta (nq)");
    if (c->m < 1)
        return lbr_fail(m, LBR_EARG, "the number of constraints is %lld; it must be at least 1", (long long)c->m);
    if (c->m > b->s.nq)
        return lbr_fail(m, LBR_EARG, "there are more constraints (%lld) than coordinates (%lld)", (long long)c->m,
                        (long long)b->s.nq);
    return c->row ? lbr_pattern_check(&(lbr_pattern){ c->m, b->s.nq, c->nnz, c->row, c->col }, "the constraints'",
                                      "positions", m)
                  : LBR_OK;
}

/* A dense G as a pattern. */
static int dense_pattern(lbr_multipliers *mu, lbr_arena *arena)
{
    int64_t *row = lbr_arena_alloc(arena, mu->m + 1, sizeof *row),
            *col = lbr_arena_alloc(arena, mu->m * mu->nq, sizeof *col);

    if (!row || !col) return -1;
    for (int64_t i = 0; i <= mu->m; i++) row[i] = i * mu->nq;
    for (int64_t k = 0; k < mu->m * mu->nq; k++) col[k] = k % mu->nq;
    mu->row = row, mu->col = col, mu->nnz = mu->m * mu->nq;
    return 0;
}

/* --- the pattern of S -------------------------------------------------------------------------------------------- */

static int full(lbr_multipliers *mu, lbr_arena *arena)
{
    int64_t m = mu->m, *row = lbr_arena_alloc(arena, m + 1, sizeof *row),
            *col = lbr_arena_alloc(arena, m * (m + 1) / 2, sizeof *col);

    if (!row || !col) return -1;
    for (int64_t i = 0, k = 0; i < m; i++, row[i] = k)
        for (int64_t j = 0; j <= i; j++) col[k++] = j;
    mu->srow = row, mu->scol = col, mu->ns = row[m];
    return 0;
}

/* Whether all rows are made of groups of n neighbours, each beginning with a multiple of n. */
static int in_groups(const lbr_multipliers *mu, int64_t n)
{
    for (int64_t i = 0; i < mu->m; i++)
        if (mu->row[i] % n) return 0;
    for (int64_t k = 0; k < mu->nnz; k++)
        if (mu->col[k] % n != k % n || mu->col[k] != mu->col[k - k % n] + k % n) return 0;
    return mu->nnz % n == 0;
}

/* G by columns, all in groups: those of column j are at[from[j]] .. at[from[j + 1] - 1], rows ascending; of[k] is the
 * row of group k. */
typedef struct columns {
    int64_t *from, *at, *of;
} columns;

static int by_columns(lbr_multipliers *mu, columns *c, lbr_arena *arena)
{
    int64_t n = mu->together, groups = mu->nnz / n, last = mu->nq / n + 2;

    c->from = lbr_arena_alloc(arena, last + 1, sizeof *c->from), c->at = lbr_arena_alloc(arena, groups, sizeof *c->at),
    c->of = lbr_arena_alloc(arena, groups, sizeof *c->of);
    mu->begin = lbr_arena_alloc(arena, mu->m + 1, sizeof *mu->begin),
    mu->at = lbr_arena_alloc(arena, groups, sizeof *mu->at);
    if (!c->from || !c->at || !c->of || !mu->begin || !mu->at) return -1;
    for (int64_t i = 0; i <= mu->m; i++) mu->begin[i] = (int32_t)(mu->row[i] / n);
    for (int64_t k = 0; k < groups; k++) mu->at[k] = (int32_t)mu->col[n * k], c->from[mu->at[k] / n + 2]++;
    for (int64_t j = 2; j <= last; j++) c->from[j] += c->from[j - 1];
    for (int64_t i = 0; i < mu->m; i++)
        for (int64_t k = mu->begin[i]; k < mu->begin[i + 1]; k++) c->of[k] = i, c->at[c->from[mu->at[k] / n + 1]++] = k;
    return 0;
}

/* The rows up to i that row i meets, into list, by size; each once. */
static int64_t meeting(const lbr_multipliers *mu, const columns *c, int64_t i, int64_t *mark, int64_t *list)
{
    int64_t n = 0;

    for (int64_t k = mu->begin[i]; k < mu->begin[i + 1]; k++) {
        int64_t j = mu->at[k] / mu->together;

        for (int64_t l = c->from[j]; l < c->from[j + 1] && c->of[c->at[l]] <= i; l++) {
            int64_t other = c->of[c->at[l]], at;

            if (mark[other] == i + 1) continue;
            mark[other] = i + 1;
            for (at = n++; at > 0 && list[at - 1] > other; at--) list[at] = list[at - 1];
            list[at] = other;
        }
    }
    if (mark[i] != i + 1)
        list[n++] = i; /* a row without elements: its diagonal is 0, which is reported when it is met */
    return n;
}

/* Products of row i: first how many each element has, then which. */
static void products(lbr_multipliers *mu, const columns *c, int64_t i, int64_t *place, int enter)
{
    for (int64_t e = mu->srow[i]; e < mu->srow[i + 1]; e++) place[mu->scol[e]] = e;
    for (int64_t k = mu->begin[i]; k < mu->begin[i + 1]; k++) {
        int64_t j = mu->at[k] / mu->together;

        for (int64_t l = c->from[j]; l < c->from[j + 1] && c->of[c->at[l]] <= i; l++) {
            int64_t e = place[c->of[c->at[l]]];

            if (enter)
                mu->left[mu->first[e]] = (int32_t)(mu->together * k),
                mu->right[mu->first[e]] = (int32_t)(mu->together * c->at[l]);
            mu->first[e + !enter]++;
        }
    }
}

/* How many products of groups S has in all. */
static int64_t pairs(const lbr_multipliers *mu, const columns *c)
{
    int64_t sum = 0;

    for (int64_t j = 0; j < mu->nq / mu->together && sum < INT32_MAX; j++) {
        int64_t n = c->from[j + 1] - c->from[j];

        sum += n < INT32_MAX / 2 ? n * (n + 1) / 2 : INT32_MAX;
    }
    return sum;
}

enum { MADE, NO_MEMORY, TOO_MANY };

/* Products of all elements, one after the other. */
static int all_products(lbr_multipliers *mu, const columns *c, int64_t *place, lbr_arena *arena)
{
    int64_t m = mu->m, n = mu->ns;

    for (int64_t i = 0; i < m; i++) products(mu, c, i, place, 0);
    for (int64_t e = 1; e <= n; e++) mu->first[e] += mu->first[e - 1];
    mu->left = lbr_arena_alloc(arena, mu->first[n], sizeof *mu->left),
    mu->right = lbr_arena_alloc(arena, mu->first[n], sizeof *mu->right);
    if (!mu->left || !mu->right) return NO_MEMORY;
    for (int64_t i = 0; i < m; i++) products(mu, c, i, place, 1);
    for (int64_t e = n; e > 0; e--)
        mu->first[e] = mu->first[e - 1]; /* they have moved on to the next one's beginning */
    mu->first[0] = 0;
    return MADE;
}

static int sparse(lbr_multipliers *mu, lbr_arena *arena)
{
    columns c;
    int64_t m = mu->m, *mark = lbr_arena_alloc(arena, m, sizeof *mark), *list = lbr_arena_alloc(arena, m, sizeof *list),
            n = 0;

    if (mu->nnz >= INT32_MAX || mu->nq >= INT32_MAX) return TOO_MANY;
    for (mu->together = LBR_TOGETHER; !in_groups(mu, mu->together);) mu->together--;
    if (!mark || !list || by_columns(mu, &c, arena) || !(mu->srow = lbr_arena_alloc(arena, m + 1, sizeof *mu->srow)) ||
        !(mu->sbegin = lbr_arena_alloc(arena, m + 1, sizeof *mu->sbegin)))
        return NO_MEMORY;
    if (pairs(mu, &c) >= INT32_MAX) return TOO_MANY;
    for (int64_t i = 0; i < m; i++)
        mu->srow[i + 1] = n += meeting(mu, &c, i, mark, list), mu->sbegin[i + 1] = (int32_t)n;
    memset(mark, 0, (size_t)m * sizeof *mark);
    mu->ns = n;
    if (!(mu->scol = lbr_arena_alloc(arena, n, sizeof *mu->scol)) ||
        !(mu->first = lbr_arena_alloc(arena, n + 1, sizeof *mu->first)))
        return NO_MEMORY;
    for (int64_t i = 0; i < m; i++)
        memcpy(mu->scol + mu->srow[i], list, (size_t)meeting(mu, &c, i, mark, list) * sizeof *list);
    return all_products(mu, &c, mark, arena);
}

lbr_status lbr_multipliers_make(lbr_setup *set, lbr_message *m)
{
    const lbr_constraints *c = set->sys.s.constraints;
    const lbr_prolonged *of;
    lbr_multipliers *mu;
    lbr_status status;
    int made;

    if (set->multipliers) return LBR_OK;
    if ((status = check(&set->sys, c, m))) return status;
    if (!(mu = lbr_arena_alloc(set->arena, 1, sizeof *mu))) return no_memory(m);
    memcpy(&mu->c, c, c->size < sizeof *c ? c->size : sizeof *c);
    mu->sys = &set->sys, mu->m = c->m, mu->nq = set->sys.s.nq;
    mu->row = c->row, mu->col = c->col, mu->nnz = c->nnz, mu->blocks = 1;
    if ((of = lbr_prolonged_of(&set->sys.s)))
        return (status = lbr_tangents_make(set, mu, of, m)) ? status : (set->multipliers = mu, LBR_OK);
    if (!c->row && dense_pattern(mu, set->arena)) return no_memory(m);
    if (set->sys.s.force && set->sys.s.inverse_mass) mu->mass = set->sys.s.inverse_mass;
    if (!mu->mass && mu->m > DENSE_MOST)
        return lbr_fail(m, LBR_EUNFIT,
                        "the system has %lld constraints and a kinetic energy that is not a sum of squares with given "
                        "masses (force and inverse_mass); such systems may have up to %d",
                        (long long)mu->m, DENSE_MOST);
    made = mu->mass ? sparse(mu, set->arena) : full(mu, set->arena) ? NO_MEMORY : MADE;
    if (made == TOO_MANY)
        return lbr_fail(m, LBR_EUNFIT,
                        "the constraints share coordinates in more than %d pairs: their matrix is too large",
                        INT32_MAX);
    if (made) return no_memory(m);
    if (lbr_ldl_make(&mu->ldl, mu->m, mu->srow, mu->scol, set->arena)) return no_memory(m);
    set->multipliers = mu;
    return LBR_OK;
}
