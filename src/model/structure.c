/* structure.c - what depends on what, found on the graph and not by trying. SPDX-License-Identifier: BSD-3-Clause */
#include "structure.h"
#include "graph/derive.h"
#include "program/code.h"

#include <math.h>

/* --- a walk over everything a node is made of, each thing once --------------------------------------------------- */

/* Entries of a made array that nothing has loaded so far, and what places they reach. */
typedef struct place {
    int entry, exact;
    double from, to;
} place;
typedef struct unread {
    place *place;
    int n;
} unread;

typedef struct walk {
    lbr_lower *lo;
    lbr_dag *dag;
    char *seen, *seen_array;
    lbr_ref *stack;
    int64_t n;
    unread *unread;
    int64_t fuel;  /* of each array; comparisons that are left */
    uint32_t deps; /* what does not depend on these is not entered */
    int input;
    double from, to; /* loads that are looked for: a range of an input, */
    const char *marked;
    int64_t *before; /* or the elements that are marked (so many before each), */
    uint64_t ops;    /* or operations */
    int found;
} walk;

enum { FUEL = 50000000 };

static void no_memory(walk *w)
{
    w->found = 1, w->dag->status = lbr_fail(&w->dag->message, LBR_ENOMEM, "out of memory");
}

static void visit(walk *w, lbr_ref r)
{
    if (w->seen[r] || !(w->dag->node[r].deps & w->deps)) return;
    w->seen[r] = 1;
    w->stack[w->n++] = r; /* at most once each: as many as there are nodes */
}

/* All of it. */
static void visit_array(walk *w, int k)
{
    const lbr_array *a = w->dag->array + k;

    if (w->seen_array[k] || !(a->deps & w->deps)) return;
    w->seen_array[k] = 1;
    for (int e = 0; e < a->nentries; e++) visit(w, a->entry[e].value);
    if (a->kind >= LBR_ARRAY_SOLVE) visit_array(w, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) visit_array(w, a->b);
}

/* Whether two ranges meet; before that is believed, the one of the entry is made exact. */
static int meets(walk *w, const lbr_array *a, place *p, double from, double to)
{
    if (p->to < from || p->from > to) return 0;
    if (p->exact || (p->from >= from && p->to <= to)) return 1;
    p->exact = 1;
    lbr_index_hull(w->lo, a->entry[p->entry].index, &p->from, &p->to);
    return p->to >= from && p->from <= to;
}

static int list_entries(walk *w, int k)
{
    const lbr_array *a = w->dag->array + k;
    unread *u = w->unread + k;

    if (u->place) return 1;
    if (!(u->place = lbr_mem_alloc((size_t)(a->nentries + 1) * sizeof *u->place))) return no_memory(w), 0;
    for (; u->n < a->nentries; u->n++) {
        u->place[u->n].entry = u->n;
        lbr_index_range(w->dag, a->entry[u->n].index, &u->place[u->n].from, &u->place[u->n].to);
    }
    return 1;
}

/* What can have been put where the index of a load reaches: an array may hold derivatives by positions beside those by
 * momenta. */
static void visit_elements(walk *w, int k, lbr_ref index)
{
    const lbr_array *a = w->dag->array + k;
    unread *u = w->unread + k;
    double from, to;
    int left = 0;

    if (a->kind != LBR_ARRAY_MADE || w->fuel < 0) visit_array(w, k);
    if (w->seen_array[k] || !(a->deps & w->deps) || !list_entries(w, k)) return;
    lbr_index_hull(w->lo, index, &from, &to);
    w->fuel -= u->n;
    for (int i = 0; i < u->n; i++)
        if (meets(w, a, u->place + i, from, to)) visit(w, a->entry[u->place[i].entry].value);
        else u->place[left++] = u->place[i];
    u->n = left;
}

static int is_marked(int64_t at, void *ctx)
{
    walk *w = ctx;

    if (at >= 0 && at < w->dag->array[w->input].size && w->marked[at]) w->found = 1;
    return !w->found;
}

/* All of a range is marked, or nothing: then indices need not be counted, which takes long in sums over pairs. */
static int among_marked(walk *w, lbr_ref index)
{
    double from, to, size = (double)w->dag->array[w->input].size;
    int64_t lo, hi, n;

    lbr_index_range(w->dag, index, &from, &to);
    lo = (int64_t)fmin(fmax(from, 0), size), hi = (int64_t)fmin(fmax(to + 1, (double)lo), size);
    n = w->before[hi] - w->before[lo];
    if (!n || n == hi - lo) return n > 0;
    return !lbr_each_index(w->lo, w->dag->node[index].scope, index, is_marked, w) ||
           w->found; /* not counted: anywhere */
}

static void look_at_load(walk *w, const lbr_dag_node *n)
{
    if (n->k != w->input) return;
    if (w->marked ? among_marked(w, n->a) : lbr_index_meets(w->lo, n->a, w->from, w->to)) w->found = 1;
}

/* Indices and the ends of loops are made of constants (index_check.c): nothing to look for. */
static void look(walk *w, const lbr_dag_node *n)
{
    const lbr_ref operand[3] = { n->a, n->b, n->c };

    if (w->ops >> n->op & 1 && (n->op != LBR_OP_SELECT || w->dag->node[n->a].deps)) w->found = 1;
    if (n->op == LBR_OP_LOAD) {
        look_at_load(w, n);
        visit_elements(w, n->k, n->a);
        return;
    }
    for (int i = 0; i < lbr_op_operands[n->op]; i++) visit(w, operand[i]);
}

static int count_marks(walk *w)
{
    int64_t n = w->marked ? w->dag->array[w->input].size : 0;

    if (!w->marked) return 1;
    if (!(w->before = lbr_mem_alloc((size_t)(n + 1) * sizeof *w->before))) return 0;
    for (int64_t i = 0; i < n; i++) w->before[i + 1] = w->before[i] + (w->marked[i] != 0);
    return 1;
}

static int search(walk w, lbr_ref node, int made)
{
    lbr_dag *d = w.dag = w.lo->dag;

    if (!((made >= 0 ? d->array[made].deps : d->node[node].deps) & w.deps)) return 0;
    w.seen = lbr_mem_alloc((size_t)d->n + (size_t)d->narrays), w.stack = lbr_mem_alloc((size_t)d->n * sizeof *w.stack);
    w.unread = lbr_mem_alloc((size_t)d->narrays * sizeof *w.unread), w.fuel = FUEL;
    if (w.seen && w.stack && w.unread && count_marks(&w)) {
        w.seen_array = w.seen + d->n;
        if (made >= 0) visit_array(&w, made);
        else visit(&w, node);
        while (w.n && !w.found) look(&w, d->node + w.stack[--w.n]);
    } else no_memory(&w);
    for (int32_t k = 0; w.unread && k < d->narrays; k++) lbr_mem_free(w.unread[k].place);
    lbr_mem_free(w.seen), lbr_mem_free(w.stack), lbr_mem_free(w.unread), lbr_mem_free(w.before);
    return w.found;
}

static walk for_range(lbr_lower *lo, int input, int64_t from, int64_t to)
{
    return (
        walk){ .lo = lo, .deps = lo->dag->array[input].deps, .input = input, .from = (double)from, .to = (double)to };
}

int lbr_touches_node(lbr_lower *lo, lbr_ref node, int input, int64_t from, int64_t to)
{
    return search(for_range(lo, input, from, to), node, -1);
}

int lbr_touches_array(lbr_lower *lo, int made, int input, int64_t from, int64_t to)
{
    return search(for_range(lo, input, from, to), 0, made);
}

int lbr_touches_marked(lbr_lower *lo, int made, int input, const char *marked)
{
    return search((walk){ .lo = lo, .deps = lo->dag->array[input].deps, .input = input, .marked = marked }, 0, made);
}

int lbr_touches_time(const lbr_dag *dag, int made) { return (dag->array[made].deps & LBR_DEP_TIME) != 0; }

int lbr_applies(lbr_lower *lo, int made, uint64_t ops)
{
    return search((walk){ .lo = lo, .deps = UINT32_MAX, .input = -1, .ops = ops }, 0, made);
}

/* --- pieces ------------------------------------------------------------------------------------------------------ */

int lbr_array_piece(lbr_lower *lo, int made, int64_t from, int64_t to)
{
    lbr_dag *dag = lo->dag;
    int piece = lbr_dag_array(dag, to - from);

    for (int e = 0; piece >= 0 && e < dag->array[made].nentries; e++) {
        lbr_entry entry = dag->array[made].entry[e];

        if (!lbr_index_meets(lo, entry.index, (double)from, (double)to))
            continue; /* some: the others are left out (code.h) */
        entry.index = lbr_dag_sub(dag, entry.index, lbr_dag_const(dag, (double)from));
        lbr_dag_entry(dag, piece, entry);
    }
    lbr_dag_close(dag, piece);
    return dag->status ? -1 : piece;
}

/* --- H = T(p) + V(q)? -------------------------------------------------------------------------------------------- */

/* A diagonal mass: the velocity, known to be linear, is d .* p for directions without relation. d: at p = (1, 1, ..).
 */
static int is_diagonal(lbr_code *code, int64_t n, double t, double *p, double *d)
{
    double *v = p + n;
    const double *input[1] = { p };
    int good = !lbr_code_run(code, t, input, v);

    for (int64_t i = 0; i < n && good; i++) good = v[i] == 0; /* p = 0: it is not (p - A)^2 */
    for (int64_t i = 0; i < n; i++) p[i] = 1;
    good = good && !lbr_code_run(code, t, input, d);
    for (int pass = 1; pass <= 3 && good; pass++) {
        for (int64_t i = 0; i < n; i++) p[i] = 2 * sin((double)(i + 1) * (0.7182818 + pass) + pass);
        good = !lbr_code_run(code, t, input, v);
        for (int64_t i = 0; i < n && good; i++)
            good = isfinite(d[i]) && fabs(v[i] - d[i] * p[i]) <= 4e-15 * fabs(d[i] * p[i]);
    }
    return good;
}

static int find_masses(lbr_model *m, int velocity, double **inverse_mass)
{
    int64_t n = m->dag.array[velocity].size;
    lbr_message *message = &m->dag.message;
    lbr_code *code = NULL;
    double *p, *d;

    if (!lbr_affordable(&m->dag, velocity, 4)) return 0;
    p = lbr_mem_alloc((size_t)(2 * n) * sizeof *p), d = lbr_arena_alloc(&m->arena, n, sizeof *d);
    if (!p || !d) m->dag.status = lbr_fail(message, LBR_ENOMEM, "out of memory");
    else m->dag.status = lbr_code_make(&code, &m->dag, &(lbr_output){ velocity, 0, 0 }, 1, n, message);
    if (!m->dag.status && is_diagonal(code, n, m->t0, p, d)) *inverse_mass = d;
    lbr_code_free(code), lbr_mem_free(p);
    return *inverse_mass != NULL;
}

/* Drifts and kicks are taken one after the other, and time goes by in the drifts: velocities that depend on t are no
 * drifts. */
int lbr_structure_find(lbr_model *m, int velocity, int force, double **inverse_mass)
{
    lbr_dag *d = &m->dag;
    int64_t n = d->array[velocity].size;
    lbr_structure *x = &m->structure;
    int tangent;

    *inverse_mass = NULL;
    x->autonomous = !lbr_touches_time(d, velocity) && !lbr_touches_time(d, force);
    x->separable = !lbr_touches_time(d, velocity) && !lbr_touches_array(&m->lo, velocity, m->lo.state, 0, n) &&
                   !lbr_touches_array(&m->lo, force, m->lo.state, n, 2 * n);
    if (!x->separable || !m->nq) return !d->status;
    tangent = lbr_directional_array(d, velocity, m->lo.state, m->direction);
    x->quadratic = tangent != -1 && !lbr_applies(&m->lo, velocity, LBR_OPS_THAT_JUMP) &&
                   (tangent == -2 || !lbr_touches_array(&m->lo, tangent, m->lo.state, 0, 2 * n));
    x->diagonal_mass = x->quadratic && find_masses(m, velocity, inverse_mass);
    return !d->status;
}

int lbr_structure_masses(lbr_model *m, int velocity, double **inverse_mass)
{
    lbr_dag *d = &m->dag;
    int64_t n = d->array[velocity].size;
    int tangent;

    *inverse_mass = NULL;
    if (lbr_touches_array(&m->lo, velocity, m->lo.state, 0, n) || lbr_touches_time(d, velocity) ||
        lbr_applies(&m->lo, velocity, LBR_OPS_THAT_JUMP))
        return !d->status;
    tangent = lbr_directional_array(d, velocity, m->lo.state, m->direction);
    if (tangent != -1 && (tangent == -2 || !lbr_touches_array(&m->lo, tangent, m->lo.state, 0, m->dim)))
        find_masses(m, velocity, inverse_mass);
    return !d->status;
}
