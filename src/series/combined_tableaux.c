/* combined_tableaux.c - methods made of several Runge-Kutta methods, such as process(trapezoidal, scale(1/2,
 * explicit-euler)). SPDX-License-Identifier: BSD-3-Clause */
#include "analyse.h"

#include <math.h>

enum { STAGES_MOST = 100 };

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while certifying"); }

int lbr_mixes_tableaux(const lbr_flat *f)
{
    const lbr_steps *all[] = { &f->pre, &f->kernel, &f->post };
    int64_t stages = 0;

    for (int64_t i = 0; i < f->nbases; i++)
        if (f->base[i].kind != f->base->kind || !f->base[i].tableau || f->base[i].second) return 0;
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < all[k]->n; i++) stages += f->base[all[k]->step[i].base].tableau->s;
    return f->nbases > 1 && stages <= STAGES_MOST;
}

static int there(lbr_dd x) { return fabs(x.hi) > LBR_RESIDUAL; }

/* Without stages that nothing comes of: what is done and undone leaves such, and symmetry is not seen with them. NULL:
 * out of memory. */
static lbr_tableau *lean(const lbr_tableau *t, lbr_arena *arena)
{
    int64_t s = t->s, n = 0, *used = lbr_arena_alloc(arena, s, sizeof *used);
    lbr_dd *A = lbr_arena_alloc(arena, s * s, sizeof *A), *b = lbr_arena_alloc(arena, s, sizeof *b),
           *c = lbr_arena_alloc(arena, s, sizeof *c);
    lbr_tableau *out = lbr_arena_alloc(arena, 1, sizeof *out);

    if (!used || !A || !b || !c || !out) return NULL;
    for (int64_t i = 0; i < s; i++) used[i] = there(t->b[i]);
    for (int more = 1; more;) {
        more = 0;
        for (int64_t i = 0; i < s; i++)
            for (int64_t j = 0; used[i] && j < s; j++)
                if (!used[j] && there(t->A[i * s + j])) used[j] = more = 1;
    }
    for (int64_t i = 0; i < s; i++)
        if (used[i]) used[n++] = i;
    *out = (lbr_tableau){ n, 1, A, b, c };
    for (int64_t i = 0; i < n; i++) {
        b[i] = t->b[used[i]];
        for (int64_t j = 0; j < n; j++) {
            A[i * n + j] = t->A[used[i] * s + used[j]], c[i] = dd_add(c[i], A[i * n + j]);
            if (j >= i && there(A[i * n + j])) out->is_explicit = 0;
        }
    }
    return out;
}

/* All steps, one after the other, are one tableau (HLW III.1.28), of which everything is known. */
lbr_status lbr_analyse_mixed(const lbr_flat *f, lbr_arena *arena, lbr_analysis *out, lbr_message *m)
{
    const lbr_steps *all[] = { &f->pre, &f->kernel, &f->post };
    int64_t n = f->pre.n + f->kernel.n + f->post.n, at = 0;
    const lbr_tableau **part = lbr_arena_alloc(arena, n, sizeof *part);
    lbr_dd *c = lbr_arena_alloc(arena, n, sizeof *c);
    lbr_tableau *whole;

    if (!part || !c) return no_memory(m);
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < all[k]->n; i++, at++) {
            const lbr_step *s = &all[k]->step[i];
            lbr_tableau *t = f->base[s->base].tableau;

            if (!(part[at] = s->adjoint ? lbr_tableau_adjoint(t, arena) : t)) return no_memory(m);
            c[at] = s->c;
        }
    if (!(whole = lbr_tableau_compose(n, c, part, arena))) return no_memory(m);
    if (!lbr_tableau_timed(whole) && (!(whole = lbr_tableau_reduce(whole, arena)) || !(whole = lean(whole, arena))))
        return no_memory(m);
    return lbr_analyse_tableau(whole, arena, out, m);
}
