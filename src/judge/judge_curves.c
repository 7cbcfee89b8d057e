/* judge_curves.c - the curves of a plot: over the samples of runs, over a sweep, over components; values to be counted,
 * and maps. SPDX-License-Identifier: BSD-3-Clause */
#include "plotting.h"

#include <math.h>

enum { MAP_MOST = 200 }; /* of a map, along an axis: of more, every second or third is drawn */

/* x, y and colour of one run, for piece k; NULL: not given. */
typedef struct values {
    const lbr_trace *x, *y, *c;
    lbr_trace fit;
} values;

static int is_map(const lbr_drawing *a) { return a->main == a->colour; }
static int is_counted(const lbr_drawing *a) { return a->main == a->x; }
/* Values of one time, whose components are the points. */
static int is_profile(const lbr_drawing *a, const values *v)
{
    return v->y && !v->fit.sampled && v->y->size > 1 && (!v->x || v->x->size > 1) && !is_map(a);
}

/* --- what goes together ------------------------------------------------------------------------------------------ */

/* One of two vectors of a map counts components, or both do. */
static void check_map(lbr_frame *f, const lbr_drawing *a, const values *v)
{
    const lbr_trace *along = v->x ? v->x : v->y;
    lbr_place place = a->colour->value->first;

    if (!along && (v->c->sampled || v->c->shape.rank != 2))
        lbr_lower_fail(f->lo, place,
                       "without x and y a heat map shows a matrix of one time: colour = last(u), where u is u[n,m]");
    else if (along && (!v->c->sampled || v->c->shape.rank != 1 || along->size > 1 || !along->sampled))
        lbr_lower_fail(f->lo, place, "with x or y alone a heat map shows a vector over time: x = t, colour = q");
}

static void check_curve(lbr_frame *f, const lbr_drawing *a, const values *v)
{
    if (!v->x && (v->y->sampled || v->y->shape.rank != 1))
        lbr_lower_fail(f->lo, a->y->value->first,
                       v->y->sampled ? "without x, y is drawn over its components, and of one time: last(q), at(q, 10)"
                                     : "without x, y is drawn over its components, and so it is a vector");
    else if (v->x && v->x->size > 1 && v->x->size != v->y->size)
        lbr_lower_fail(f->lo, a->x->value->first, "x has %lld components and y %lld: they go in pairs",
                       (long long)v->x->size, (long long)v->y->size);
    else if (v->c && v->c->size > 1 && !(is_profile(a, v) && v->c->size == v->y->size))
        lbr_lower_fail(f->lo, a->colour->value->first, "the colour of a point is a number");
}

static const lbr_trace *read_piece(lbr_frame *f, const lbr_item *item, int k)
{
    return lbr_frame_value(f, lbr_piece(item, lbr_pieces(item) > 1 ? k : 0));
}

static int look(lbr_drawing *a, int run, int k, values *v)
{
    const lbr_trace *in[3];
    lbr_judgement *j = a->j;
    lbr_message why = { 0 };
    lbr_frame f;
    int n = 0;

    *v = (values){ 0 };
    lbr_frame_open(&f, j, run, a->p->line->file, a->p->known);
    f.section = a->section;
    if ((!a->x || (in[n++] = v->x = read_piece(&f, a->x, k))) &&
        (!a->y || (in[n++] = v->y = read_piece(&f, a->y, k))) &&
        (!a->colour || (in[n++] = v->c = read_piece(&f, a->colour, k)))) {
        if (lbr_trace_fit(&v->fit, in, n, j->dry, j->scratch, &why)) lbr_frame_fail(&f, a->main->value->first, &why);
        else if (is_map(a)) check_map(&f, a, v);
        else if (!is_counted(a)) check_curve(&f, a, v);
        if (j->dry) j->seen[run].needed |= v->fit.stored;
    }
    return lbr_frame_close(&f);
}

/* --- curves ------------------------------------------------------------------------------------------------------ */

/* Room for n points of the curve that is number `ahead` of the piece at hand. */
static lbr_curve *new_curve(lbr_drawing *a, int64_t n, int run, int sweep, int64_t ahead, int64_t within)
{
    lbr_arena *arena = a->j->scratch;
    lbr_curve *c;

    if (!LBR_ROOM(arena, a->curve, a->n, a->most, 1) || !LBR_ROOM(arena, a->note, a->n, a->most_notes, 1))
        return a->j->no_memory = 1, NULL;
    c = a->curve + a->n;
    *c = (lbr_curve){ .n = n,
                      .x = lbr_arena_alloc(arena, n, sizeof(double)),
                      .y = lbr_arena_alloc(arena, n, sizeof(double)),
                      .colour = a->colour ? lbr_arena_alloc(arena, n, sizeof(double)) : NULL };
    if (!c->x || !c->y || (a->colour && !c->colour)) return a->j->no_memory = 1, NULL;
    a->note[a->n++] = (lbr_curve_note){ a->planned + ahead, a->within + within, run, sweep };
    return c;
}

/* What stands for component c of sample i: a number goes with all of them; without a value, the component's number. */
static double value_at(const lbr_trace *s, int64_t i, int64_t c)
{
    return s ? lbr_trace_at(s, 0, i)[s->size > 1 ? c : 0] : (double)c + 1;
}

static void point(lbr_curve *k, int64_t at, const values *v, int64_t c, int64_t i, int gone)
{
    ((double *)k->x)[at] = gone ? NAN : value_at(v->x, i, c);
    ((double *)k->y)[at] = gone ? NAN : value_at(v->y, i, c);
    if (v->c) ((double *)k->colour)[at] = gone ? NAN : value_at(v->c, i, c);
}

static int curves_of_run(lbr_drawing *a, int run, int i, int k, const values *v)
{
    int64_t n = v->fit.strand[0].n, size = v->y->size;

    for (int64_t c = 0; c < size; c++) {
        lbr_curve *curve = new_curve(a, n, run, 0, i * size + c, c);

        if (!curve) return 0;
        curve->label = lbr_curve_label(a, k, &v->y->shape, c);
        for (int64_t s = 0; s < n; s++) point(curve, s, v, c, s, 0);
    }
    return 1;
}

static int profile_of_run(lbr_drawing *a, int run, int i, int k, const values *v)
{
    lbr_curve *curve = new_curve(a, v->y->size, run, 0, i, 0);

    if (!curve) return 0;
    curve->label = lbr_curve_label(a, k, &(lbr_shape){ 0 }, 0);
    for (int64_t c = 0; c < v->y->size; c++) point(curve, c, v, c, 0, v->fit.strand[0].missing);
    return 1;
}

/* All values of a series, whatever the component. */
static int values_of_run(lbr_drawing *a, int run, int i, int k, const values *v)
{
    int64_t n = v->fit.strand[0].n, size = v->x->size;
    lbr_curve *curve = new_curve(a, n * size, run, 0, i, 0);

    if (!curve) return 0;
    curve->label = lbr_curve_label(a, k, &(lbr_shape){ 0 }, 0);
    for (int64_t s = 0; s < n * size; s++)
        ((double *)curve->x)[s] = v->fit.strand[0].missing && !v->fit.sampled ? NAN
                                                                              : value_at(v->x, s / size, s % size);
    return 1;
}

/* Numbers of each run: one curve over the sweep. What has failed is a gap. */
static int curves_of_sweep(lbr_drawing *a, const lbr_runs *r, int k, values *v)
{
    int64_t first = a->n, size = v->y->size;

    for (int64_t c = 0; c < size; c++) {
        lbr_curve *curve = new_curve(a, r->count, r->first, 1, c, c);

        if (!curve) return 0;
        curve->label = lbr_curve_label(a, k, &v->y->shape, c);
    }
    for (int i = 0; i < r->count; i++) {
        if (i && !look(a, r->first + i, k, v)) return 0;
        for (int64_t c = 0; c < size && c < v->y->size; c++)
            point(a->curve + first + c, i, v, c, 0, v->fit.strand[0].missing);
    }
    return 1;
}

static int values_of_sweep(lbr_drawing *a, const lbr_runs *r, int k, values *v)
{
    int64_t size = v->x->size;
    lbr_curve *curve = new_curve(a, r->count * size, r->first, 1, 0, 0);

    if (!curve) return 0;
    curve->label = lbr_curve_label(a, k, &(lbr_shape){ 0 }, 0);
    for (int i = 0; i < r->count; i++) {
        if (i && !look(a, r->first + i, k, v)) return 0;
        for (int64_t c = 0; c < size; c++)
            ((double *)curve->x)[i * size + c] = v->fit.strand[0].missing || c >= v->x->size ? NAN
                                                                                             : value_at(v->x, 0, c);
    }
    return 1;
}

/* --- maps -------------------------------------------------------------------------------------------------------- */

static int64_t stride_of(int64_t n) { return (n + MAP_MOST - 1) / MAP_MOST; }

/* The samples at equal times: the last one may be where a run happened to end. */
static int64_t regular(const lbr_strand *s)
{
    int64_t n = s->n;
    double step = n > 2 ? s->t[1] - s->t[0] : 0;

    return n > 2 && fabs(s->t[n - 1] - s->t[n - 2] - step) > 1e-3 * fabs(step) ? n - 1 : n;
}

/* u[i,j] at x = i, y = j; of a vector over time, the component's number on the axis that is not given. */
static int map_of_run(lbr_drawing *a, int run, const values *v)
{
    int over = v->c->sampled; /* time */
    int64_t n = over ? regular(v->fit.strand) : v->c->shape.n[0], m = over ? v->c->size : v->c->shape.n[1],
            dn = stride_of(n), dm = stride_of(m), at = 0, many = ((n - 1) / dn + 1) * ((m - 1) / dm + 1);
    lbr_curve *curve = n > 0 ? new_curve(a, many, run, 0, 0, 0) : NULL;

    if (!curve) return n <= 0;
    for (int64_t i = 0; i < n; i += dn)
        for (int64_t j = 0; j < m; j += dm, at++) {
            ((double *)curve->x)[at] = v->x ? value_at(v->x, i, 0) : over ? (double)j + 1 : (double)i + 1;
            ((double *)curve->y)[at] = v->y ? value_at(v->y, i, 0) : (double)j + 1;
            ((double *)curve->colour)[at] = over ? value_at(v->c, i, j) : value_at(v->c, 0, i * m + j);
        }
    return 1;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

/* The runs that have been made are those at the beginning. */
static lbr_runs made(const lbr_drawing *a, lbr_runs r)
{
    for (int i = 0; i < r.count && !a->j->dry; i++)
        if (!a->j->x->run[r.first + i].done) r.count = i;
    return r;
}

static int each_run(lbr_drawing *a, const lbr_runs *r, int k, values *v, int profile)
{
    for (int i = 0; i < r->count; i++) {
        int run = r->first + i;

        if (i && !look(a, run, k, v)) return 0;
        if (!(is_map(a)       ? map_of_run(a, run, v)
              : is_counted(a) ? values_of_run(a, run, i, k, v)
              : profile       ? profile_of_run(a, run, i, k, v)
                              : curves_of_run(a, run, i, k, v)))
            return 0;
    }
    return 1;
}

/* Piece k of a group: its curves, or while dry how many there will be. */
static int piece(lbr_drawing *a, const lbr_runs *all, const lbr_runs *r, int k)
{
    int apart, profile, good = 1; /* apart: each run has curves of its own */
    int64_t size;
    values v;

    if (!look(a, r->first, k, &v)) return 0;
    profile = is_profile(a, &v), apart = v.fit.sampled || profile || is_map(a);
    size = profile || is_map(a) || is_counted(a) ? 1 : v.y->size;
    a->many |= apart && all->count > 1;
    if (a->j->dry)
        for (int i = 1; i < r->count; i++) a->j->seen[r->first + i].needed |= v.fit.stored;
    else if (apart) good = each_run(a, r, k, &v, profile);
    else good = is_counted(a) ? values_of_sweep(a, r, k, &v) : curves_of_sweep(a, r, k, &v);
    a->planned += apart ? size * all->count : size;
    a->within += size;
    return good;
}

/* Of runs that are still to be made, only the number of curves is known, from before. */
static int group(lbr_drawing *a, int g)
{
    const lbr_runs *all = a->runs + g;
    lbr_runs some = made(a, *all);
    int64_t before = a->planned;

    a->section = all->section, a->within = 0;
    if (!some.count && a->curves) a->planned += a->curves[g];
    for (int k = 0; k < lbr_pieces(a->main) && some.count; k++)
        if (!piece(a, all, &some, k)) return 0;
    if (a->within) a->each = a->within;
    if (a->j->dry) a->curves[g] = a->planned - before;
    return 1;
}

int lbr_curves_make(lbr_drawing *a)
{
    int good = 1;

    for (int i = 0; i < a->nruns && good; i++) good = group(a, i);
    return good && !a->j->no_memory;
}
