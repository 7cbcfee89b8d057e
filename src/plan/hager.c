/* hager.c - the partner that makes a tableau symplectic. SPDX-License-Identifier: BSD-3-Clause */
#include "tableaux.h"

#include <math.h>

lbr_status lbr_tableau_partner(const lbr_tableau *t, const char *name, lbr_tableau **out, lbr_arena *arena, lbr_message *m)
{
    int64_t s = t->s;
    lbr_dd *A = lbr_arena_alloc(arena, s * s, sizeof *A), *c = lbr_arena_alloc(arena, s, sizeof *c);
    lbr_tableau *u = *out = lbr_arena_alloc(arena, 1, sizeof *u);

    if (!A || !c || !u) return lbr_fail(m, LBR_ENOMEM, "out of memory while reading a method");
    *u = (lbr_tableau){ s, 1, A, t->b, c };
    for (int64_t i = 0; i < s; i++) {
        if (t->b[i].hi == 0)
            return lbr_fail(m, LBR_EMETHOD, "'%s' has no symplectic partner: a^_ij = b_j - b_j a_ji/b_i divides by its weights, and b[%lld] is 0", name, (long long)i + 1);
        c[i] = dd(0);
        for (int64_t j = 0; j < s; j++) {
            lbr_dd a = dd_sub(t->b[j], dd_div(dd_mul(t->b[j], t->A[j * s + i]), t->b[i]));

            if (fabs(a.hi) < 1e-28) a = dd(0);
            A[i * s + j] = a;
            c[i] = dd_add(c[i], a);
            u->is_explicit &= j < i || a.hi == 0;
        }
        if (fabs(c[i].hi) < 1e-28) c[i] = dd(0);
    }
    return LBR_OK;
}
