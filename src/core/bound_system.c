/* bound_system.c - checking a system and putting its callbacks together. SPDX-License-Identifier: BSD-3-Clause */
#include "bound_system.h"
#include "sparsity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most components that a state may have. */
#define MOST INT64_C(1000000000)

void lbr_system_init_sized(lbr_system *system, size_t size)
{
    if (!system || size < sizeof size) return;
    memset(system, 0, size);
    system->size = size;
}

void *lbr_full_array(lbr_arena *arena, const void *first, int64_t n, size_t full)
{
    char *all = lbr_arena_alloc(arena, n + 1, (int64_t)full);

    for (int64_t i = 0; all && i < n; i++) {
        const void *x = lbr_strided(first, i);
        size_t size = *(const size_t *)first;

        memcpy(all + (size_t)i * full, x, size < full ? size : full);
        memcpy(all + (size_t)i * full, &full, sizeof full);
    }
    return all;
}

int lbr_has_rotations(const lbr_system *s)
{
    for (int64_t k = 0; s->blocks && k < s->nblocks; k++)
        if (((const lbr_block *)lbr_strided(s->blocks, k))->kind == LBR_ROTATION) return 1;
    return 0;
}

const lbr_part *lbr_bound_part(const lbr_bound *b, int64_t i) { return lbr_strided(b->s.parts->part, i); }
const lbr_map_def *lbr_bound_map(const lbr_bound *b, int64_t i) { return lbr_strided(b->s.maps, i); }
const lbr_invariant *lbr_bound_invariant(const lbr_bound *b, int64_t i)
{
    return lbr_strided(b->s.invariants->item, i);
}

/* Whether a struct of a caller is long enough to have this member. */
#define HAS_MEMBER(p, member) \
    ((p)->size >= (size_t)((const char *)&(p)->member - (const char *)(p)) + sizeof(p)->member)

void *lbr_bound_part_ctx(const lbr_bound *b, int64_t i)
{
    const lbr_part *p = lbr_bound_part(b, i);

    return HAS_MEMBER(p, ctx) && p->ctx ? p->ctx : b->s.ctx;
}

const char *lbr_bound_part_missing(const lbr_bound *b, int64_t i)
{
    const lbr_part *p = lbr_bound_part(b, i);

    return HAS_MEMBER(p, missing) ? p->missing : NULL;
}

lbr_fn lbr_bound_part_field(const lbr_bound *b, int64_t i)
{
    const lbr_part *p = lbr_bound_part(b, i);

    return HAS_MEMBER(p, field) ? p->field : NULL;
}

int lbr_bound_energy_of_time(const lbr_bound *b)
{
    return b->s.energy_of_time ? b->s.energy_of_time > 0 : b->s.energy_changes != NULL;
}

int lbr_bound_part_prepare(const lbr_bound *b, int64_t i, double h)
{
    const lbr_part *p = lbr_bound_part(b, i);

    return HAS_MEMBER(p, prepare) && p->prepare ? p->prepare(h, lbr_bound_part_ctx(b, i)) : 0;
}

void *lbr_bound_invariant_ctx(const lbr_bound *b, int64_t i)
{
    const lbr_invariant *v = lbr_bound_invariant(b, i);

    return HAS_MEMBER(v, ctx) && v->ctx ? v->ctx : b->s.ctx;
}

lbr_fn lbr_bound_invariant_gradient(const lbr_bound *b, int64_t i)
{
    const lbr_invariant *v = lbr_bound_invariant(b, i);

    return HAS_MEMBER(v, gradient) ? v->gradient : NULL;
}

int64_t lbr_bound_nonfinite(int64_t n, const double *y)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++) sum += y[i] * 0; /* 0, or NaN as soon as one is not finite */
    if (sum == 0) return -1;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(y[i])) return i;
    return -1;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

enum { RANK_MOST = 8 }; /* dimensions of a block */

int64_t lbr_block_length(const lbr_block *b)
{
    int64_t n = b->kind == LBR_ROTATION ? 4 : b->kind == LBR_COMPLEX ? 2 : 1;

    for (int64_t k = 0; k < b->rank && n <= MOST; k++) n *= b->shape[k];
    return n;
}

static void name_in_block(const lbr_block *b, int64_t i, char *text, size_t size)
{
    static const char *const quaternion[] = { ".e0", ".e1", ".e2", ".e3" }, *const pair[] = { ".re", ".im" };
    const char *suffix = "";
    int64_t index[RANK_MOST];
    int rank = (int)(b->rank < RANK_MOST ? b->rank : RANK_MOST);
    size_t n;

    if (b->kind == LBR_ROTATION) suffix = quaternion[i % 4], i /= 4;
    if (b->kind == LBR_COMPLEX) suffix = pair[i % 2], i /= 2;
    lbr_component_index(i, rank, b->shape, index);
    n = lbr_component_name(text, size, b->name ? b->name : "y", rank, index);
    if (n < size) snprintf(text + n, size - n, "%s", suffix);
}

const char *lbr_system_component(const lbr_system *s, int64_t i, char *text, size_t size)
{
    if (!text || !size) return "";
    if (!s || i < 0 || i >= s->dim)
        return lbr_component_name(text, size, "y", 1, &(int64_t){ i < INT64_MAX ? i + 1 : i }), text;
    if (s->blocks && s->nblocks > 0) {
        for (int64_t k = 0; k < s->nblocks; k++) {
            const lbr_block *b = lbr_strided(s->blocks, k);
            int64_t n = lbr_block_length(b);

            if (i < n) return name_in_block(b, i, text, size), text;
            i -= n;
        }
    } else if (s->nq > 0 && s->dim == 2 * s->nq) {
        const char *name = i < s->nq ? "q" : "p";

        return lbr_component_name(text, size, name, s->nq > 1, &(int64_t){ i % s->nq + 1 }), text;
    }
    return lbr_component_name(text, size, "y", 1, &(int64_t){ i + 1 }), text;
}

/* --- what is half given ------------------------------------------------------------------------------------------ */

const char *lbr_bound_lacks(const lbr_bound *b)
{
    const lbr_system *s = &b->s;
    const struct {
        int so;
        const char *text;
    } all[] = {
        { s->force && !s->nq, "gives force without nq, the number of positions" },
        { s->dHdq && s->dHdp && !s->nq, "gives dHdq and dHdp without nq, the number of positions" },
        { b->field != NULL, "has no partition into positions and momenta (nq)" },
        { s->force && s->nq, "gives force without inverse_mass or velocity" },
        { s->dHdq && !s->dHdp, "gives dHdq without dHdp" },
        { s->dHdp && !s->dHdq, "gives dHdp without dHdq" },
        { s->velocity || s->inverse_mass, "gives velocities without force" },
        { s->poisson != NULL, "gives poisson alone, which only methods that keep H use: give field too" },
        { 1, "gives neither field nor force nor dHdq and dHdp" },
    };
    int i = 0;

    while (!all[i].so) i++;
    return all[i].text;
}

/* --- the whole field, put together ------------------------------------------------------------------------------- */

static int field_of_masses(double t, const double *y, double *out, void *ctx)
{
    const lbr_bound *b = ctx;
    int64_t nq = b->s.nq;

    for (int64_t i = 0; i < nq; i++) out[i] = b->s.inverse_mass[i] * y[nq + i];
    return b->s.force(t, y, out + nq, b->s.ctx);
}

static int field_of_velocity(double t, const double *y, double *out, void *ctx)
{
    const lbr_bound *b = ctx;
    int64_t nq = b->s.nq;

    return b->s.velocity(t, y + nq, out, b->s.ctx) | b->s.force(t, y, out + nq, b->s.ctx);
}

static int field_of_gradient(double t, const double *y, double *out, void *ctx)
{
    const lbr_bound *b = ctx;
    int64_t nq = b->s.nq;
    int bad = b->s.dHdp(t, y, out, b->s.ctx) | b->s.dHdq(t, y, out + nq, b->s.ctx);

    for (int64_t i = nq; i < 2 * nq; i++) out[i] = -out[i];
    return bad;
}

static void assemble(lbr_bound *b)
{
    const lbr_system *s = &b->s;

    b->separable = s->nq > 0 && s->force && (s->inverse_mass || s->velocity);
    b->ctx = b;
    if (s->field) b->field = s->field, b->ctx = s->ctx, b->fields = 1;
    else if (b->separable && s->inverse_mass) b->field = field_of_masses, b->forces = 1;
    else if (b->separable) b->field = field_of_velocity, b->forces = 1;
    else if (s->nq > 0 && s->dHdq && s->dHdp) b->field = field_of_gradient, b->gradients = 2;
    b->partitioned = s->nq > 0 && b->field;
    b->drift = s->inverse_mass ? LBR_DRIFT_UNIFORM : LBR_DRIFT_VELOCITY;
    if (!s->inverse_mass) return;
    b->factor = s->nq > 0 ? s->inverse_mass[0] : 0;
    for (int64_t i = 1; i < s->nq; i++)
        if (s->inverse_mass[i] != b->factor) b->drift = LBR_DRIFT_MASS;
}

const char *lbr_bound_functions(const lbr_bound *b)
{
    return b->field == field_of_masses     ? "force"
           : b->field == field_of_velocity ? "force or velocity function"
           : b->field == field_of_gradient ? "dHdq or dHdp"
                                           : "field";
}

void lbr_bound_count(const lbr_bound *b, lbr_stats *stats, int64_t n)
{
    stats->force += n * b->forces;
    stats->gradient += n * b->gradients;
    stats->field += n * b->fields;
}

int lbr_bound_rate_p(const lbr_bound *b, double t, const double *y, double *out, double *work)
{
    int64_t nq = b->s.nq;
    int bad;

    if (b->separable) return b->s.force(t, y, out, b->s.ctx);
    if (b->s.dHdq) {
        bad = b->s.dHdq(t, y, out, b->s.ctx);
        for (int64_t i = 0; i < nq; i++) out[i] = -out[i];
        return bad;
    }
    bad = b->field(t, y, work, b->ctx);
    memcpy(out, work + nq, (size_t)nq * sizeof *out);
    return bad;
}

int lbr_bound_rate_q(const lbr_bound *b, double t, const double *y, double *out, double *work)
{
    int bad;

    if (b->s.dHdp) return b->s.dHdp(t, y, out, b->s.ctx);
    if (b->separable && b->s.velocity && !b->s.inverse_mass) return b->s.velocity(t, y + b->s.nq, out, b->s.ctx);
    if (b->separable) {
        for (int64_t i = 0; i < b->s.nq; i++) out[i] = b->s.inverse_mass[i] * y[b->s.nq + i];
        return 0;
    }
    bad = b->field(t, y, work, b->ctx);
    memcpy(out, work, (size_t)b->s.nq * sizeof *out);
    return bad;
}

void lbr_bound_count_rate(const lbr_bound *b, lbr_stats *stats, int64_t n)
{
    if (b->s.dHdq && b->s.dHdp) stats->gradient += n;
    else lbr_bound_count(b, stats, n);
}

/* --- checks ------------------------------------------------------------------------------------------------------ */

static lbr_status check_blocks(const lbr_system *s, lbr_message *m)
{
    int64_t total = 0;
    lbr_status status;

    if (s->nblocks < 0 || (s->nblocks > 0 && !s->blocks))
        return lbr_fail(m, LBR_EARG, "the system has %lld blocks by its nblocks, and gives none (blocks)",
                        (long long)s->nblocks);
    if (!s->blocks) return LBR_OK;

    for (int64_t k = 0; k < s->nblocks; k++) {
        const lbr_block *b = lbr_strided(s->blocks, k);

        if (!HAS_MEMBER(b, shape) || b->size != s->blocks->size || b->rank < 0 || b->rank > RANK_MOST ||
            (b->rank && !b->shape))
            return lbr_fail(m, LBR_EARG, "block %lld of the system has no proper size, rank or shape",
                            (long long)k + 1);
        for (int64_t i = 0; i < b->rank; i++)
            if (b->shape[i] < 1 || b->shape[i] > s->dim)
                return lbr_fail(
                    m, LBR_EARG,
                    "block %lld of the system has an extent of %lld; extents go from 1 to the dimension %lld",
                    (long long)k + 1, (long long)b->shape[i], (long long)s->dim);
        if ((status = lbr_known(b, sizeof *b, "a block of the system", m))) return status;
        total += lbr_block_length(b);
        if (total > s->dim) break;
    }
    if (total != s->dim)
        return lbr_fail(m, LBR_EARG, "the blocks of the system have %lld components%s, but dim is %lld",
                        (long long)total, total > s->dim ? " or more" : "", (long long)s->dim);
    return LBR_OK;
}

static lbr_status check_masses(const lbr_system *s, lbr_message *m)
{
    for (int64_t i = 0; i < s->nq; i++)
        if (!isfinite(s->inverse_mass[i]))
            return lbr_fail(m, LBR_EARG, "inverse_mass[%lld] is not finite", (long long)i);
    return LBR_OK;
}

static lbr_status check_parts(const lbr_bound *b, lbr_message *m)
{
    const lbr_parts *p = b->s.parts;
    lbr_status status;

    if (!HAS_MEMBER(p, clock) || p->count < 1 || !p->part || p->clock < 0 || p->clock >= p->count)
        return lbr_fail(m, LBR_EARG, "the parts of the system have no proper size, or no sensible count or clock");
    for (int64_t i = 0; i < p->count; i++)
        if (!HAS_MEMBER(lbr_bound_part(b, i), increment) || lbr_bound_part(b, i)->size != p->part->size)
            return lbr_fail(m, LBR_EARG, "part %lld of the system has no proper size", (long long)i + 1);
        else if (!lbr_bound_part(b, i)->name)
            return lbr_fail(m, LBR_EARG, "part %lld of the system has no name", (long long)i + 1);
        else if ((status = lbr_known(lbr_bound_part(b, i), sizeof(lbr_part), "a part of the system", m))) return status;
    return LBR_OK;
}

/* Invariants, or what is observed: of this member of the system. */
static lbr_status check_quantities(const lbr_invariants *all, const char *member, const char *what, lbr_message *m)
{
    lbr_status status;

    if (!all) return LBR_OK;
    if (!HAS_MEMBER(all, item)) return lbr_fail(m, LBR_EARG, "the list of the system's %s has no proper size", member);
    if (all->count < 0)
        return lbr_fail(m, LBR_EARG, "the count of the system's %s is %lld; it must be 0 or more", member,
                        (long long)all->count);
    for (int64_t i = 0; i < all->count; i++) {
        const lbr_invariant *x = all->item ? lbr_strided(all->item, i) : NULL;

        if (!x || !HAS_MEMBER(all->item, value) || x->size != all->item->size || !x->value || x->len < 1 ||
            x->len > MOST)
            return lbr_fail(m, LBR_EARG, "%s %lld of the system has no function, no length or no proper size", what,
                            (long long)i + 1);
        if ((status = lbr_known(x, sizeof *x, what, m))) return status;
    }
    return LBR_OK;
}

static lbr_status check_lists(const lbr_bound *b, lbr_message *m)
{
    lbr_status status;

    if (b->s.nmaps < 0 || (b->s.nmaps > 0 && (!b->s.maps || !HAS_MEMBER(b->s.maps, map))))
        return lbr_fail(m, LBR_EARG, "the maps of the system have no proper count or size");
    for (int64_t i = 0; i < b->s.nmaps; i++)
        if (!lbr_bound_map(b, i)->map || !lbr_bound_map(b, i)->name || lbr_bound_map(b, i)->size != b->s.maps->size)
            return lbr_fail(m, LBR_EARG, "map %lld of the system has no name or no function", (long long)i + 1);
        else if ((status = lbr_known(lbr_bound_map(b, i), sizeof(lbr_map_def), "a map of the system", m)))
            return status;
    if ((status = check_quantities(b->s.invariants, "invariants", "invariant", m))) return status;
    if ((status = check_quantities(b->s.observed, "observed", "observed quantity", m))) return status;
    return b->s.parts ? check_parts(b, m) : LBR_OK;
}

/* A pattern is whole, or there is none. */
static lbr_status check_pattern(int64_t nnz, const int64_t *row, const int64_t *col, const char *what, lbr_message *m)
{
    if (!row && (nnz || col))
        return lbr_fail(
            m, LBR_EARG,
            "the %s of the system have nnz = %lld%s and no row: a pattern needs row and col; for a dense G, nnz is 0",
            what, (long long)nnz, col ? ", col" : "");
    if (row && !col)
        return lbr_fail(m, LBR_EARG, "the %s of the system have row and no col: a pattern needs both", what);
    return LBR_OK;
}

/* Pairs are of components that are there. */
static lbr_status check_pairs(const lbr_system *s, lbr_message *m)
{
    const lbr_pairs *p = s->pairs;

    if (!p || !HAS_MEMBER(p, slopes) || p->count < 1) return LBR_OK;
    if (!p->first || !p->second || !p->slopes || p->space < 1 || p->space > s->nq)
        return lbr_fail(m, LBR_EARG,
                        "the pairs of the system lack first, second or slopes, or have no sensible space (%lld)",
                        (long long)p->space);
    if (p->count > (s->nq / p->space + 1) * (s->nq / p->space + 1))
        return lbr_fail(m, LBR_EARG, "the system has %lld pairs, more than there are of its %lld particles",
                        (long long)p->count, (long long)(s->nq / p->space));
    for (int64_t k = 0; k < p->count; k++)
        if (p->first[k] < 0 || p->first[k] > s->nq - p->space || p->second[k] < -1 || p->second[k] > s->nq - p->space ||
            (p->second[k] >= 0 && llabs(p->first[k] - p->second[k]) < p->space))
            return lbr_fail(m, LBR_EARG,
                            "pair %lld of the system is of particles at components %lld and %lld, which are not two "
                            "among %lld positions",
                            (long long)k + 1, (long long)p->first[k], (long long)p->second[k], (long long)s->nq);
    return LBR_OK;
}

/* What the system points to, one of each. */
static lbr_status check_structs(const lbr_system *s, lbr_message *m)
{
    const lbr_constraints *c = s->constraints;
    const lbr_manifold *f = s->manifold;
    const struct {
        const void *p;
        size_t known;
        const char *what;
    } all[] = { { c, sizeof *c, "the constraints of the system" },
                { f, sizeof *f, "the manifold of the system" },
                { s->bodies, sizeof *s->bodies, "the rigid bodies of the system" },
                { s->lagrangian, sizeof *s->lagrangian, "the Lagrangian of the system" },
                { s->poisson, sizeof *s->poisson, "the Poisson structure of the system" },
                { s->pairs, sizeof *s->pairs, "the pairs of the system" },
                { s->jacobian, sizeof *s->jacobian, "the pattern of the system's Jacobian" },
                { s->parts, sizeof *s->parts, "the list of the system's parts" },
                { s->invariants, sizeof *s->invariants, "the list of the system's invariants" },
                { s->observed, sizeof *s->observed, "the list of what the system observes" },
                { s->defaults, sizeof *s->defaults, "the defaults of the system" } };
    lbr_status status = LBR_OK;

    for (size_t i = 0; i < sizeof all / sizeof *all && !status; i++)
        if (all[i].p) status = lbr_known(all[i].p, all[i].known, all[i].what, m);
    if (!status && c && HAS_MEMBER(c, col)) status = check_pattern(c->nnz, c->row, c->col, "constraints", m);
    if (!status && f && HAS_MEMBER(f, col))
        status = check_pattern(f->nnz, f->row, f->col, "equations of the manifold", m);
    if (!status) status = check_pairs(s, m);
    return status;
}

lbr_status lbr_bound_init(lbr_bound *b, const lbr_system *s, lbr_message *m)
{
    lbr_status status;

    memset(b, 0, sizeof *b);
    if (!s || s->size < offsetof(lbr_system, field) || s->size > LBR_LARGEST_STRUCT)
        return lbr_fail(m, LBR_EARG,
                        "the system is missing, or its size field is not set (use LBR_SYSTEM or lbr_system_init)");
    if ((status = lbr_known(s, sizeof *s, "the system", m))) return status;
    memcpy(&b->s, s, s->size < sizeof *s ? s->size : sizeof *s);
    if (s->dim < 1 || s->dim > MOST)
        return lbr_fail(m, LBR_EARG, "the system's dimension is %lld; it must be between 1 and %lld", (long long)s->dim,
                        (long long)MOST);
    if (s->nq < 0 || s->nq > s->dim || (s->nq > 0 && s->dim != 2 * s->nq))
        return lbr_fail(
            m, LBR_EARG,
            "the system has %lld positions; with a partition the dimension must be twice that, and it is %lld",
            (long long)s->nq, (long long)s->dim);
    if (b->s.energy_of_time > 0 && !b->s.energy_changes) b->s.energy_changes = "it depends on t";
    if ((status = check_structs(&b->s, m)) || (status = check_blocks(&b->s, m))) return status;
    if (b->s.inverse_mass && (status = check_masses(&b->s, m))) return status;
    assemble(b);
    if ((status = lbr_sparsity_check(b, m))) return status;
    return check_lists(b, m);
}
