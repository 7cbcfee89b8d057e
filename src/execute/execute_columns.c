/* execute_columns.c - what a sample consists of: places, names, fields of files.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "executing.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 1024, USUAL = 8, POOL = 4096 }; /* characters of a name; of names that are kept together */

/* A quantity's place in a full record. */
typedef struct group {
    const char *name;
    int64_t rank;
    const int64_t *shape;
    int64_t len, first;
} group;
typedef struct groups {
    int64_t n;
    group *g;
} groups;

int64_t lbr_exec_invariants(const lbr_exec *e) { return e->sys.invariants ? e->sys.invariants->count : 0; }

const lbr_invariant *lbr_exec_invariant(const lbr_exec *e, int64_t i)
{
    const lbr_invariant *first = e->sys.invariants->item;
    return (const lbr_invariant *)((const char *)first + (size_t)i * first->size);
}

/* --- quantities -------------------------------------------------------------------------------------------------- */

static void add(groups *all, const char *name, int64_t rank, const int64_t *shape, int64_t len, int64_t *at)
{
    all->g[all->n++] = (group){ name, rank, shape, len, *at };
    *at += len;
}

/* Pairs and quaternions have one extent more in files. */
static int add_block(lbr_exec *e, groups *all, const lbr_block *b, int64_t *at)
{
    int64_t inner = b->kind == LBR_ROTATION ? 4 : b->kind == LBR_COMPLEX ? 2 : 1, len = inner, rank = b->rank;
    int64_t *shape = lbr_arena_alloc(&e->result->arena, b->rank + 1, sizeof *shape);

    if (!shape) return 1;
    for (int64_t k = 0; k < b->rank; k++) len *= shape[k] = b->shape[k];
    if (inner > 1) shape[rank++] = inner;
    add(all, b->name ? b->name : "y", rank, shape, len, at);
    return 0;
}

static int add_state(lbr_exec *e, groups *all, int64_t *at)
{
    const lbr_system *s = &e->sys;
    int64_t *shape = lbr_arena_alloc(&e->result->arena, 2, sizeof *shape);

    if (!shape) return 1;
    shape[0] = s->nq > 0 ? s->nq : s->dim;
    for (int64_t k = 0; s->blocks && k < s->nblocks; k++)
        if (add_block(e, all, (const lbr_block *)((const char *)s->blocks + (size_t)k * s->blocks->size), at)) return 1;
    if (s->blocks && s->nblocks > 0) return 0;
    if (s->nq > 0) {
        add(all, "q", s->nq > 1, shape, s->nq, at);
        add(all, "p", s->nq > 1, shape, s->nq, at);
    } else {
        add(all, "y", 1, shape, s->dim, at);
    }
    return 0;
}

static int add_invariants(lbr_exec *e, groups *all, int64_t *at)
{
    for (int64_t i = 0; i < lbr_exec_invariants(e); i++) {
        const lbr_invariant *v = lbr_exec_invariant(e, i);
        int64_t *shape = lbr_arena_alloc(&e->result->arena, 1, sizeof *shape);
        const char *name = v->name ? lbr_arena_text(&e->result->arena, v->name)
                                   : lbr_arena_format(&e->result->arena, "invariant%lld", (long long)i + 1);

        if (!shape || !name) return 1;
        *shape = v->len;
        e->result->invariant[i].name = name;
        add(all, name, v->len > 1, shape, v->len, at);
    }
    return 0;
}

/* The name of multiplier i: lambda.link[2]. */
static const char *multiplier_name(const lbr_exec *e, int64_t i, char *text, size_t size)
{
    const char *const *names = e->sys.constraints->names;

    if (names && names[i]) snprintf(text, size, "lambda.%s", names[i]);
    else snprintf(text, size, "lambda.%lld", (long long)i + 1);
    return text;
}

/* How long the name of constraint i is without its index; 0: it has none. */
static size_t stem(const lbr_exec *e, int64_t i)
{
    const char *const *names = e->sys.constraints->names;
    const char *bracket = names && names[i] ? strchr(names[i], '[') : NULL;

    return bracket ? (size_t)(bracket - names[i]) : 0;
}

/* The members of a constraint are together in files: as many as follow constraint i under its name, with itself. */
static int64_t members(const lbr_exec *e, int64_t i)
{
    const char *const *names = e->sys.constraints->names;
    size_t length = stem(e, i);
    int64_t n = 1;

    while (length && i + n < e->result->nmultipliers && stem(e, i + n) == length &&
           !strncmp(names[i], names[i + n], length))
        n++;
    return n;
}

static int add_multipliers(lbr_exec *e, groups *all, int64_t *at)
{
    for (int64_t i = 0, n; i < e->result->nmultipliers; i += n) {
        int64_t *shape = lbr_arena_alloc(&e->result->arena, 1, sizeof *shape);
        size_t length = stem(e, i);
        char own[LONGEST];
        const char *name = length ? lbr_arena_format(&e->result->arena, "lambda.%.*s", (int)length,
                                                     e->sys.constraints->names[i])
                                  : lbr_arena_text(&e->result->arena, multiplier_name(e, i, own, sizeof own));

        if (!shape || !name) return 1;
        *shape = n = members(e, i);
        add(all, name, length > 0, shape, n, at);
    }
    return 0;
}

static int add_all(lbr_exec *e, groups *all)
{
    int64_t at = 0, most = 5 + e->result->nmultipliers + (e->sys.blocks ? e->sys.nblocks : 0) + lbr_exec_invariants(e) +
                           e->job->nobserved;

    if (!(all->g = lbr_arena_alloc(&e->result->arena, most, sizeof *all->g))) return 1;
    add(all, "t", 0, NULL, 1, &at);
    if (add_state(e, all, &at)) return 1;
    e->at_energy = at;
    if (e->sys.energy) add(all, "H", 0, NULL, 1, &at);
    e->at_invariants = at;
    if (add_invariants(e, all, &at)) return 1;
    e->at_observed = at;
    for (int64_t i = 0; i < e->job->nobserved; i++) {
        const lbr_quantity *o = &e->job->observed[i];
        add(all, o->name, o->rank, o->shape, o->len, &at);
    }
    e->at_multipliers = at;
    if (add_multipliers(e, all, &at)) return 1;
    e->width = at;
    return 0;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

/* H, L[2], M[2,3]: component i of a group that is not the state; arrays of models have no more extents. */
static const char *component(const group *g, int64_t i, char *text, size_t size)
{
    enum { MOST = 8 };
    int64_t index[MOST];
    int rank = (int)(g->rank < MOST ? g->rank : MOST);

    lbr_component_index(i, rank, g->shape, index);
    return lbr_component_name(text, size, g->name, rank, index), text;
}

/* Names stand close together: there may be millions of them, or few in each of many runs. */
typedef struct pool {
    char *at;
    size_t left;
} pool;

static const char *keep(lbr_exec *e, pool *p, const char *text)
{
    size_t n = strlen(text) + 1, some = e->width < POOL / USUAL ? USUAL * (size_t)e->width : POOL;
    char *to;

    if (p->left < n) {
        p->left = n > some ? n : some;
        if (!(p->at = lbr_arena_alloc(&e->result->arena, (int64_t)p->left, 1))) return NULL;
    }
    to = p->at, p->at += n, p->left -= n;
    return memcpy(to, text, n);
}

static int name_all(lbr_exec *e, const groups *all)
{
    pool names = { 0 };
    char text[LONGEST];

    for (int64_t k = 0; k < all->n; k++)
        for (int64_t i = 0; i < all->g[k].len; i++) {
            int64_t at = all->g[k].first + i;
            const char *name = at >= e->at_multipliers ? multiplier_name(e, at - e->at_multipliers, text, sizeof text)
                               : at >= 1 && at < e->at_energy ? lbr_system_component(&e->sys, at - 1, text, sizeof text)
                                                              : component(&all->g[k], i, text, sizeof text);

            if (!(e->name[at] = keep(e, &names, name))) return 1;
        }
    return 0;
}

/* --- what is kept ------------------------------------------------------------------------------------------------ */

/* t, and what the job asks for, each column once. */
static int choose(lbr_exec *e)
{
    const lbr_job *job = e->job;
    int64_t n = job->record ? job->nrecord : e->width,
            *kept = lbr_arena_alloc(&e->result->arena, e->width, sizeof *kept), count = 0;
    char *seen = lbr_arena_alloc(&e->result->arena, e->width, 1);

    if (!kept || !seen) return lbr_exec_no_memory(e);
    seen[0] = 1, kept[count++] = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t c = job->record ? job->record[k] : k;

        if (c < 0 || c >= e->width)
            return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "column %lld is to be recorded; columns go from 0 to %lld",
                                (long long)c, (long long)e->width - 1);
        if (!seen[c]) seen[c] = 1, kept[count++] = c;
    }
    e->kept = kept, e->result->ncolumns = count;
    if (!(e->result->column = lbr_arena_alloc(&e->result->arena, count, sizeof *e->result->column)))
        return lbr_exec_no_memory(e);
    for (int64_t k = 0; k < count; k++)
        e->result->column[k] = e->name[kept[k]], e->multiplied |= kept[k] >= e->at_multipliers;
    return 0;
}

/* The group that begins at kept column k and is kept as a whole, or NULL. */
static const group *whole(const lbr_exec *e, const groups *all, int64_t k)
{
    for (int64_t i = 0; i < all->n; i++) {
        const group *g = &all->g[i];
        int64_t n = 0;

        if (g->first != e->kept[k]) continue;
        while (n < g->len && k + n < e->result->ncolumns && e->kept[k + n] == g->first + n) n++;
        return n == g->len ? g : NULL;
    }
    return NULL;
}

static lbr_field field_of(const group *g, const char *const *names)
{
    return (lbr_field){ .name = g->name, .rank = g->rank, .shape = g->shape, .len = g->len, .names = names };
}

/* The state as a whole, whatever is kept of samples. */
static int state_fields(lbr_exec *e, const groups *all)
{
    if (!(e->state_field = lbr_arena_alloc(&e->result->arena, all->n, sizeof *e->field))) return lbr_exec_no_memory(e);
    for (const group *g = all->g; g < all->g + all->n; g++)
        if (g->first > 0 && g->first < e->at_energy)
            e->state_field[e->nstate_fields++] = field_of(g, e->name + g->first);
    return 0;
}

static int fields(lbr_exec *e, const groups *all)
{
    int64_t n = 0;

    for (int64_t k = 0; k < e->result->ncolumns; n++) {
        const group *g = whole(e, all, k);

        k += g ? g->len : 1;
    }
    if (!(e->field = lbr_arena_alloc(&e->result->arena, n, sizeof *e->field))) return lbr_exec_no_memory(e);
    for (int64_t k = 0; k < e->result->ncolumns;) {
        const group *g = whole(e, all, k);
        const char *const *names = e->result->column + k;

        e->field[e->nfields++] = g ? field_of(g, names) : (lbr_field){ .name = *names, .len = 1, .names = names };
        k += g ? g->len : 1;
    }
    return 0;
}

static int low_parts(lbr_arena *arena, lbr_monitor *m)
{
    m->first_low = lbr_arena_alloc(arena, m->len, sizeof *m->first_low);
    m->last_low = lbr_arena_alloc(arena, m->len, sizeof *m->last_low);
    return !m->first_low || !m->last_low;
}

static int monitors(lbr_exec *e)
{
    lbr_result *r = e->result;

    if (e->sys.energy) {
        r->has_energy = 1;
        r->energy = (lbr_monitor){ .name = "H",
                                   .len = 1,
                                   .first = lbr_arena_alloc(&r->arena, 1, sizeof(double)),
                                   .last = lbr_arena_alloc(&r->arena, 1, sizeof(double)) };
        if (!r->energy.first || !r->energy.last || (e->low && low_parts(&r->arena, &r->energy))) return 1;
    }
    for (int64_t i = 0; i < r->ninvariants; i++) {
        lbr_monitor *m = &r->invariant[i];

        m->len = lbr_exec_invariant(e, i)->len;
        m->first = lbr_arena_alloc(&r->arena, m->len, sizeof(double));
        m->last = lbr_arena_alloc(&r->arena, m->len, sizeof(double));
        if (!m->first || !m->last || (e->low && low_parts(&r->arena, m))) return 1;
    }
    return 0;
}

/* Low parts of everything. Non-zero: no memory. */
static int extended(lbr_exec *e)
{
    lbr_result *r = e->result;

    e->known_low = e->job->native->low(e->job->native_ctx);
    e->full_low = lbr_arena_alloc(&r->arena, e->width, sizeof *e->full_low);
    e->low = lbr_arena_alloc(&r->arena, r->dim, sizeof *e->low);
    r->low = lbr_arena_alloc(&r->arena, r->dim, sizeof *r->low);
    return !e->full_low || !e->low || !r->low;
}

int lbr_exec_columns(lbr_exec *e)
{
    lbr_result *r = e->result;
    groups all = { 0 };
    int code;

    r->ninvariants = lbr_exec_invariants(e), r->nmultipliers = e->sys.constraints ? e->sys.constraints->m : 0;
    if (!(r->invariant = lbr_arena_alloc(&r->arena, r->ninvariants, sizeof *r->invariant)) || add_all(e, &all))
        return lbr_exec_no_memory(e);
    e->name = lbr_arena_alloc(&r->arena, e->width, sizeof *e->name);
    e->full = lbr_arena_alloc(&r->arena, e->width, sizeof *e->full);
    e->residual = lbr_arena_alloc(&r->arena, 2 * e->job->nresidual + 1, sizeof *e->residual);
    r->has_velocity = r->nmultipliers > 0, r->has_constraint = r->has_velocity || e->job->residual;
    r->multiplier = lbr_arena_alloc(&r->arena, r->nmultipliers + 1, sizeof *r->multiplier);
    e->row = lbr_arena_alloc(&r->arena, 2 * e->width, sizeof *e->row);
    r->dim = e->sys.dim;
    r->y = lbr_arena_alloc(&r->arena, r->dim, sizeof *r->y);
    if (e->job->options.precision && extended(e)) return lbr_exec_no_memory(e);
    if (!e->name || !e->full || !e->residual || !r->multiplier || !e->row || !r->y || name_all(e, &all) || monitors(e))
        return lbr_exec_no_memory(e);
    r->component = e->name + 1;
    return (code = choose(e)) || (code = state_fields(e, &all)) ? code : fields(e, &all);
}
