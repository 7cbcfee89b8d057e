/* corrector_rows.c - symplectic correctors for H = A + eps B. SPDX-License-Identifier: BSD-3-Clause
 *
 * In first order of eps, A over h/2, B over h, A over h/2 is conjugate to the exact flow (Wisdom, Holman & Touma 1996).
 * The conjugation is made of kicks of B over b_i h at the times a_i h, with A back and forth in between: with the kicks
 * in pairs (a, b), (-a, -b), all error terms eps h^j up to j = k - 1 vanish if
 *
 *     2 sum_i b_i a_i^j = -B_{j+1}(1/2)/(j + 1),    j = 1, 3, ..., k - 3                  (Bernoulli polynomials)
 *
 * which is linear in b for given a_i = i sqrt(7/40). So process(split(strang, A, B), wisdom-holman-corrector:k) has
 * order (k,2). */
#include "shared.h"

enum { PAIRS = 5 };

/* -B_{j+1}(1/2)/(j + 1) = (1 - 2^-j) B_{j+1}/(j + 1) for odd j. */
static lbr_dd moment(int j)
{
    static const char *const bernoulli[PAIRS] = { "1/6", "-1/30", "1/42", "-1/30", "5/66" };
    lbr_dd B, half = dd_pow(dd(0.5), j);

    lbr_dd_read(bernoulli[j / 2], &B);
    return dd_div(dd_mul(dd_sub(dd(1), half), B), dd(j + 1));
}

/* u_i = 2 b_i from sum_i u_i a_i^j for P odd j: elimination without exchanges, as the matrix is totally positive. */
static void weights(int P, const lbr_dd *a, lbr_dd *u)
{
    lbr_dd V[PAIRS][PAIRS];

    for (int r = 0; r < P; r++) {
        u[r] = moment(2 * r + 1);
        for (int i = 0; i < P; i++) V[r][i] = dd_pow(a[i], 2 * r + 1);
    }
    for (int k = 0; k < P; k++)
        for (int r = k + 1; r < P; r++) {
            lbr_dd factor = dd_div(V[r][k], V[k][k]);

            for (int i = k; i < P; i++) V[r][i] = dd_sub(V[r][i], dd_mul(factor, V[k][i]));
            u[r] = dd_sub(u[r], dd_mul(factor, u[k]));
        }
    for (int k = P - 1; k >= 0; k--) {
        for (int i = k + 1; i < P; i++) u[k] = dd_sub(u[k], dd_mul(V[k][i], u[i]));
        u[k] = dd_div(u[k], V[k][k]);
    }
}

/* Kick n of 4P: half of each, from the outermost pair inwards and out again, so that the kicks read the same backwards
 * and their commutators matter only from eps^3 on. */
static void kick(int P, int n, const lbr_dd *a, const lbr_dd *u, lbr_dd *at, lbr_dd *by)
{
    int m = n < 2 * P ? n : 4 * P - 1 - n, i = P - 1 - m / 2;

    *at = m % 2 ? dd_neg(a[i]) : a[i];
    *by = dd_scale(m % 2 ? -0.25 : 0.25, u[i]);
}

static int wisdom_holman(int k, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    int P = (k - 2) / 2;
    lbr_dd a[PAIRS], u[PAIRS], place = dd(0), at, by, left = dd(0), unit = dd_sqrt(dd_div(dd(7), dd(40)));

    claims->order_near = lbr_near_two(k);
    x->s = 8 * P;
    x->b = lbr_arena_alloc(arena, x->s, sizeof *x->b);
    x->adjoint = lbr_arena_alloc(arena, x->s, 1);
    if (!x->b || !x->adjoint) return -1;
    for (int i = 0; i < P; i++) a[i] = dd_scale(i + 1, unit);
    weights(P, a, u);
    for (int n = 0; n < 4 * P; n++) { /* A as far as the kick, the kick: as steps of Phi and Phi* */
        kick(P, n, a, u, &at, &by);
        x->b[2 * n] = left = dd_sub(dd_sub(at, place), left);
        x->b[2 * n + 1] = left = dd_sub(by, left);
        x->adjoint[2 * n + 1] = 1;
        place = at;
    }
    return 0;
}

const lbr_row lbr_rows_corrector[] = {
    { .m = { LBR_SIZED, .name = "wisdom-holman-corrector", .family = "near-integrable", .form = "corrector",
             .source = "Wisdom, Holman & Touma 1996",
             .about = "raises strang to order (k,2) where the other parts are small", .kernel = "strang", .order = 2,
             .symplectic = 1, .digits = 25, .first = 4, .last = 12, .stride = 2 },
      wisdom_holman },
    LBR_END
};
