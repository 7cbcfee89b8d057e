/* structure.c - what depends on what, found on the graph and not by trying. SPDX-License-Identifier: BSD-3-Clause */
#include "structure.h"
#include "derive.h"
#include "code.h"

#include <math.h>

/* --- a walk over everything a node is made of, each thing once ------------------------------------------------------------------- */

typedef struct walk {
    lbr_dag *dag;
    char *seen, *seen_array;
    lbr_ref *stack;  int64_t n;
    uint32_t deps;                                       /* what does not depend on these is not entered               */
    int input;  double from, to;                         /* loads that are looked for: a range of an input,            */
    lbr_lower *lo;  const char *marked;                  /* or the elements of it that are marked,                     */
    uint64_t ops;                                        /* or operations                                              */
    int found;
} walk;

static void visit(walk *w, lbr_ref r)
{
    if (w->seen[r] || !(w->dag->node[r].deps & w->deps)) return;
    w->seen[r] = 1;
    w->stack[w->n++] = r;                                /* at most once each: as many as there are nodes              */
}

static void visit_array(walk *w, int k)
{
    const lbr_array *a = w->dag->array + k;

    if (w->seen_array[k] || !(a->deps & w->deps)) return;
    w->seen_array[k] = 1;
    for (int e = 0; e < a->nentries; e++) visit(w, a->entry[e].value);
    if (a->kind >= LBR_ARRAY_SOLVE) visit_array(w, a->a);
    if (a->kind == LBR_ARRAY_SOLVE) visit_array(w, a->b);
}

static int is_marked(int64_t at, void *ctx)
{
    walk *w = ctx;

    if (at >= 0 && at < w->dag->array[w->input].size && w->marked[at]) w->found = 1;
    return !w->found;
}

static void look_at_load(walk *w, const lbr_dag_node *n)
{
    double from, to;

    if (n->k != w->input) return;
    if (w->marked) {                                     /* what cannot be counted may be anywhere                     */
        if (!lbr_each_index(w->lo, w->dag->node[n->a].scope, n->a, is_marked, w)) w->found = 1;
        return;
    }
    lbr_index_range(w->dag, n->a, &from, &to);
    if (from < w->to && to >= w->from) w->found = 1;
}

/* Indices and the ends of loops are made of constants (check.c): nothing to look for. */
static void look(walk *w, const lbr_dag_node *n)
{
    const lbr_ref operand[3] = { n->a, n->b, n->c };

    if (w->ops >> n->op & 1 && (n->op != LBR_OP_SELECT || w->dag->node[n->a].deps)) w->found = 1;
    if (n->op == LBR_OP_LOAD) {
        look_at_load(w, n);
        visit_array(w, n->k);
        return;
    }
    for (int i = 0; i < lbr_op_operands[n->op]; i++) visit(w, operand[i]);
}

static int search(walk w, lbr_ref node, int made)
{
    lbr_dag *d = w.dag;

    if (!((made >= 0 ? d->array[made].deps : d->node[node].deps) & w.deps)) return 0;
    w.seen = lbr_mem_alloc((size_t)d->n + (size_t)d->narrays), w.stack = lbr_mem_alloc((size_t)d->n * sizeof *w.stack);
    if (!w.seen || !w.stack) {
        lbr_mem_free(w.seen), lbr_mem_free(w.stack);
        return d->status = LBR_ENOMEM, lbr_fail(&d->message, LBR_ENOMEM, "out of memory"), 1;
    }
    w.seen_array = w.seen + d->n;
    if (made >= 0) visit_array(&w, made);
    else visit(&w, node);
    while (w.n && !w.found) look(&w, d->node + w.stack[--w.n]);
    lbr_mem_free(w.seen), lbr_mem_free(w.stack);
    return w.found;
}

int lbr_touches_node(lbr_dag *dag, lbr_ref node, int input, int64_t from, int64_t to)
{
    return search((walk){ .dag = dag, .deps = dag->array[input].deps, .input = input, .from = (double)from, .to = (double)to }, node, -1);
}

int lbr_touches_array(lbr_dag *dag, int made, int input, int64_t from, int64_t to)
{
    return search((walk){ .dag = dag, .deps = dag->array[input].deps, .input = input, .from = (double)from, .to = (double)to }, 0, made);
}

int lbr_touches_marked(lbr_lower *lo, int made, int input, const char *marked)
{
    return search((walk){ .dag = lo->dag, .deps = lo->dag->array[input].deps, .input = input, .lo = lo, .marked = marked }, 0, made);
}

int lbr_touches_time(const lbr_dag *dag, int made) { return (dag->array[made].deps & LBR_DEP_TIME) != 0; }

int lbr_applies(lbr_dag *dag, int made, uint64_t ops) { return search((walk){ .dag = dag, .deps = UINT32_MAX, .input = -1, .ops = ops }, 0, made); }

/* --- pieces ---------------------------------------------------------------------------------------------------------------------------------- */

int lbr_array_piece(lbr_dag *dag, int made, int64_t from, int64_t to)
{
    int piece = lbr_dag_array(dag, to - from);

    for (int e = 0; piece >= 0 && e < dag->array[made].nentries; e++) {
        lbr_entry entry = dag->array[made].entry[e];
        double lo, hi;

        lbr_index_range(dag, entry.index, &lo, &hi);
        if (hi < (double)from || lo >= (double)to) continue;     /* if only some are in the piece, the others are left out (code.h) */
        entry.index = lbr_dag_sub(dag, entry.index, lbr_dag_const(dag, (double)from));
        lbr_dag_entry(dag, piece, entry);
    }
    lbr_dag_close(dag, piece);
    return dag->status ? -1 : piece;
}

/* --- H = T(p) + V(q)? -------------------------------------------------------------------------------------------------------------------------- */

/* A diagonal mass: the velocity, known to be linear, is d .* p for directions without relation. d: at p = (1, 1, ..). */
static int is_diagonal(lbr_code *code, int64_t n, double t, double *p, double *d)
{
    double *v = p + n;
    const double *input[1] = { p };
    int good = !lbr_code_run(code, t, input, v);

    for (int64_t i = 0; i < n && good; i++) good = v[i] == 0;            /* p = 0: it is not (p - A)^2                 */
    for (int64_t i = 0; i < n; i++) p[i] = 1;
    good = good && !lbr_code_run(code, t, input, d);
    for (int pass = 1; pass <= 3 && good; pass++) {
        for (int64_t i = 0; i < n; i++) p[i] = 2 * sin((double)(i + 1) * (0.7182818 + pass) + pass);
        good = !lbr_code_run(code, t, input, v);
        for (int64_t i = 0; i < n && good; i++) good = isfinite(d[i]) && fabs(v[i] - d[i] * p[i]) <= 4e-15 * fabs(d[i] * p[i]);
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

/* Drifts and kicks are taken one after the other, and time goes by in the drifts: velocities that depend on t are no drifts. */
int lbr_structure_find(lbr_model *m, int velocity, int force, double **inverse_mass)
{
    lbr_dag *d = &m->dag;
    int64_t n = d->array[velocity].size;
    lbr_structure *x = &m->structure;
    int tangent;

    *inverse_mass = NULL;
    x->autonomous = !lbr_touches_time(d, velocity) && !lbr_touches_time(d, force);
    x->separable = !lbr_touches_time(d, velocity) && !lbr_touches_array(d, velocity, m->lo.state, 0, n) && !lbr_touches_array(d, force, m->lo.state, n, 2 * n);
    if (!x->separable || !m->nq) return !d->status;
    tangent = lbr_directional_array(d, velocity, m->lo.state, m->direction);
    x->quadratic = tangent != -1 && !lbr_applies(d, velocity, LBR_OPS_THAT_JUMP) && (tangent == -2 || !lbr_touches_array(d, tangent, m->lo.state, 0, 2 * n));
    x->diagonal_mass = x->quadratic && find_masses(m, velocity, inverse_mass);
    return !d->status;
}

int lbr_structure_masses(lbr_model *m, int velocity, double **inverse_mass)
{
    lbr_dag *d = &m->dag;
    int64_t n = d->array[velocity].size;
    int tangent;

    *inverse_mass = NULL;
    if (lbr_touches_array(d, velocity, m->lo.state, 0, n) || lbr_touches_time(d, velocity) || lbr_applies(d, velocity, LBR_OPS_THAT_JUMP)) return !d->status;
    tangent = lbr_directional_array(d, velocity, m->lo.state, m->direction);
    if (tangent != -1 && (tangent == -2 || !lbr_touches_array(d, tangent, m->lo.state, 0, m->dim))) find_masses(m, velocity, inverse_mass);
    return !d->status;
}
