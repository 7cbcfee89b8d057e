/* starting.c - starting values of implicit steps: their coefficients, for any number of stages.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Polynomials are sums of Legendre's over [0, 2], two steps: powers would lose digits where stages are many. */
#include "starting.h"

#include <string.h>

enum { NODES = 8, DEGREES = 10, LEGENDRE = 300 };

/* --- tools ------------------------------------------------------------------------------------------------------- */

/* P_k(x - 1), k = 0 .. n - 1. */
static void legendre(int64_t n, lbr_dd x, lbr_dd *P)
{
    lbr_dd z = dd_sub(x, dd(1));

    for (int64_t k = 0; k < n; k++) {
        double j = (double)k - 1;

        P[k] = k == 0   ? dd(1)
               : k == 1 ? z
                        : dd_div(dd_sub(dd_scale(2 * j + 1, dd_mul(z, P[k - 1])), dd_scale(j, P[k - 2])), dd(j + 1));
    }
}

/* Integrals of P_k(x - 1) from 0 to x, k = 0 .. n - 1: (P_{k+1} - P_{k-1})/(2 k + 1) is one, and all vanish at 0 but
 * the first. */
static void legendre_integrals(int64_t n, lbr_dd x, lbr_dd *I)
{
    lbr_dd P[LEGENDRE];

    legendre(n + 1, x, P);
    for (int64_t k = 0; k < n; k++) I[k] = k == 0 ? x : dd_div(dd_sub(P[k + 1], P[k - 1]), dd((double)(2 * k + 1)));
}

/* X <- M^-1 X for n x n and n x m, by rows, with pivots. M is lost. -1: singular. */
static int solve(int64_t n, lbr_dd *M, int64_t m, lbr_dd *X)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;

        for (int64_t i = k + 1; i < n; i++)
            if (fabs(M[i * n + k].hi) > fabs(M[p * n + k].hi)) p = i;
        if (!(fabs(M[p * n + k].hi) > 1e-25)) return -1;
        for (int64_t j = 0; j < n && p != k; j++) {
            lbr_dd t = M[k * n + j];

            M[k * n + j] = M[p * n + j], M[p * n + j] = t;
        }
        for (int64_t j = 0; j < m && p != k; j++) {
            lbr_dd t = X[k * m + j];

            X[k * m + j] = X[p * m + j], X[p * m + j] = t;
        }
        for (int64_t i = 0; i < n; i++) {
            lbr_dd f = dd_div(M[i * n + k], M[k * n + k]);

            if (i == k || f.hi == 0) continue;
            for (int64_t j = k; j < n; j++) M[i * n + j] = dd_sub(M[i * n + j], dd_mul(f, M[k * n + j]));
            for (int64_t j = 0; j < m; j++) X[i * m + j] = dd_sub(X[i * m + j], dd_mul(f, X[k * m + j]));
        }
    }
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < m; j++) X[k * m + j] = dd_div(X[k * m + j], M[k * n + k]);
    return 0;
}

static int same_place(lbr_dd a, lbr_dd b) { return fabs(dd_sub(a, b).hi) < 1e-6; }

/* --- (A) and two steps: the next F from earlier ones ------------------------------------------------------------
 */

/* Up to NODES different places, spread evenly over those that there are: indices of stages. */
static int choose_nodes(int64_t s, const lbr_dd *place, int64_t *index)
{
    int64_t all[256];
    int n = 0, m;

    for (int64_t i = 0; i < s; i++) {
        int seen = 0;

        for (int k = 0; k < n; k++) seen |= same_place(place[i], place[all[k]]);
        if (!seen) all[n++] = i;
    }
    m = n < NODES ? n : NODES;
    for (int k = 0; k < m; k++) index[k] = all[m == n ? k : (int64_t)k * (n - 1) / (m - 1)];
    return m;
}

/* E_ij = l_j(1 + c_i): the polynomial through the last F, prolonged. */
static void prolonged(int64_t s, const lbr_dd *place, lbr_dd *E)
{
    int64_t index[NODES];
    int m = choose_nodes(s, place, index);

    for (int64_t i = 0; i < s; i++)
        for (int k = 0; k < m; k++) {
            lbr_dd x = dd_add(dd(1), place[i]), value = dd(1), at = place[index[k]];

            for (int j = 0; j < m; j++)
                if (j != k) value = dd_mul(value, dd_div(dd_sub(x, place[index[j]]), dd_sub(at, place[index[j]])));
            E[i * s + index[k]] = value;
        }
}

/* How many places of two steps are different. */
static int64_t different(int64_t s, const lbr_dd *place)
{
    int64_t n = 0;

    for (int64_t i = 0; i < 2 * s; i++) {
        lbr_dd x = i < s ? place[i] : dd_add(dd(1), place[i - s]);
        int seen = 0;

        for (int64_t j = 0; j < i; j++) seen |= same_place(x, j < s ? place[j] : dd_add(dd(1), place[j - s]));
        n += !seen;
    }
    return n;
}

/* Of all that foretell polynomials exactly, of a degree up to s + 2 where that many places are there, the E whose rows
 * are shortest: E = W' (V V')^-1 V, with V the polynomials at the places of two steps and W those at the next ones.
 * More conditions, for which there would be room, make coefficients large, and with them rounding. -1: out of memory.
 */
static int two_steps(int64_t s, const lbr_dd *place, lbr_dd *E, lbr_arena *arena)
{
    int64_t n = different(s, place), r = s + 3 < DEGREES ? s + 3 : DEGREES;
    lbr_dd *V, *W, Q[DEGREES * DEGREES], P[DEGREES];

    r = n < r ? n : r;
    V = lbr_arena_alloc(arena, 2 * r * s, sizeof *V), W = lbr_arena_alloc(arena, r * s, sizeof *W);
    if (!V || !W) return -1;
    for (int64_t j = 0; j < 3 * s; j++) {
        legendre(r, dd_add(dd((double)(j / s)), place[j % s]), P);
        for (int64_t k = 0; k < r; k++) *(j < 2 * s ? &V[k * 2 * s + j] : &W[k * s + j - 2 * s]) = P[k];
    }
    for (int64_t k = 0; k < r; k++)
        for (int64_t l = 0; l < r; l++) {
            Q[k * r + l] = dd(0);
            for (int64_t j = 0; j < 2 * s; j++)
                Q[k * r + l] = dd_add(Q[k * r + l], dd_mul(V[k * 2 * s + j], V[l * 2 * s + j]));
        }
    if (solve(r, Q, s, W)) return prolonged(s, place, E), 0;
    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < 2 * s; j++) /* the last step first */
            for (int64_t k = 0; k < r; k++) {
                lbr_dd *e = &E[(j < s) * s * s + i * s + j % s];

                *e = dd_add(*e, dd_mul(W[k * s + i], V[k * 2 * s + j]));
            }
    return 0;
}

/* --- (B): further places of the field ---------------------------------------------------------------------------- */

int lbr_starting_curve(int64_t s, const lbr_dd *c, const lbr_dd *A)
{
    lbr_dd P[LEGENDRE], I[LEGENDRE], sum[LEGENDRE];

    for (int64_t i = 0; i < s; i++) {
        legendre_integrals(s, c[i], I);
        for (int64_t k = 0; k < s; k++) sum[k] = dd(0);
        for (int64_t j = 0; j < s; j++) {
            legendre(s, c[j], P);
            for (int64_t k = 0; k < s; k++) sum[k] = dd_add(sum[k], dd_mul(A[i * s + j], P[k]));
        }
        for (int64_t k = 0; k < s; k++)
            if (!(fabs(dd_sub(sum[k], I[k]).hi) < 1e-12)) return 0;
    }
    return 1;
}

/* Weights of the field at x_0 .. x_{n-1} that integrate polynomials from 0 to `to` (6.11). */
static int weights(int64_t n, const lbr_dd *x, lbr_dd to, lbr_dd *w, lbr_arena *arena)
{
    lbr_dd *M = lbr_arena_alloc(arena, n * n, sizeof *M), P[LEGENDRE];

    if (!M) return -1;
    for (int64_t j = 0; j < n; j++) {
        legendre(n, x[j], P);
        for (int64_t k = 0; k < n; k++) M[k * n + j] = P[k];
    }
    legendre_integrals(n, to, w);
    return solve(n, M, 1, w);
}

typedef struct further {
    int64_t s, m, n; /* stages, further places, all */
    const lbr_dd *A;
    lbr_dd *x, *b, *mu; /* all places; b of the collocation method; m x n: weights of the further ones */
} further;

/* A power of x, s times. */
static lbr_dd power(lbr_dd x, int64_t s) { return dd_pow(x, (int)s); }

/* The condition of [tau_{s+1}] (6.10), as a row over all places and a right side for each stage. */
static void tree(const further *q, lbr_dd *row, lbr_dd *right)
{
    int64_t s = q->s;
    lbr_dd whole = dd(0);

    for (int64_t l = 0; l < s; l++) whole = dd_add(whole, dd_mul(q->b[l], power(q->x[l], s)));
    for (int64_t j = 0; j < q->n; j++) {
        row[j] = dd(0);
        for (int64_t l = 0; l < q->n; l++) {
            lbr_dd w = j >= s ? q->mu[(j - s) * q->n + l] : l < s ? q->A[j * s + l] : dd(0);

            row[j] = dd_add(row[j], dd_mul(w, power(q->x[l], s)));
        }
    }
    for (int64_t i = 0; i < s; i++) {
        right[i] = dd(0);
        for (int64_t j = 0; j < s; j++) {
            lbr_dd sum = whole;

            for (int64_t l = 0; l < s; l++)
                sum = dd_add(sum, dd_mul(q->A[j * s + l], power(dd_add(dd(1), q->x[l]), s)));
            right[i] = dd_add(right[i], dd_mul(q->A[i * s + j], sum));
        }
    }
}

/* alpha and nu of all stages, X by columns of them: (6.9) for polynomials of degree 0 .. n - 1, or n - 2 and (6.10). */
static int conditions(const further *q, lbr_dd *X, lbr_arena *arena)
{
    int64_t s = q->s, n = q->n, bushy = q->m > 1 ? n - 1 : n;
    lbr_dd *M = lbr_arena_alloc(arena, n * n, sizeof *M), P[LEGENDRE];

    if (!M) return -1;
    for (int64_t j = 0; j < n; j++) {
        legendre(bushy, q->x[j], P);
        for (int64_t k = 0; k < bushy; k++) M[k * n + j] = P[k];
    }
    for (int64_t j = 0; j < s; j++) {
        legendre(bushy, dd_add(dd(1), q->x[j]), P);
        for (int64_t k = 0; k < bushy; k++)
            for (int64_t i = 0; i < s; i++) X[k * s + i] = dd_add(X[k * s + i], dd_mul(q->A[i * s + j], P[k]));
    }
    if (bushy < n) tree(q, M + bushy * n, X + bushy * s);
    return solve(n, M, s, X);
}

/* Places that were found good: those of the book for 2, 4 and 6 stages. */
static lbr_dd far_place(int64_t s, int64_t m)
{
    double hundredths = m == 1 ? (s <= 4 ? 175 : 180) : s <= 3 ? 160 : s <= 5 ? 165 : 175;

    return dd_div(dd(hundredths), dd(100));
}

static int make_further(further *q, int64_t m, int64_t s, const lbr_dd *place, const lbr_dd *A, lbr_arena *arena)
{
    *q = (further){ .s = s, .m = m, .n = s + m, .A = A };
    q->x = lbr_arena_alloc(arena, q->n, sizeof *q->x);
    q->b = lbr_arena_alloc(arena, q->n, sizeof *q->b);
    q->mu = lbr_arena_alloc(arena, m * q->n, sizeof *q->mu);
    if (!q->x || !q->b || !q->mu) return -1;
    memcpy(q->x, place, (size_t)s * sizeof *place);
    if (m > 1) q->x[s] = dd(0), q->x[s + 1] = dd(1);
    q->x[q->n - 1] = far_place(s, m);
    if (weights(s, q->x, dd(1), q->b, arena)) return -1;
    if (m > 1) memcpy(q->mu + q->n, q->b, (size_t)s * sizeof *q->b); /* at 0 nothing has been added to y yet */
    return weights(q->n - 1, q->x, q->x[q->n - 1], q->mu + (m - 1) * q->n, arena);
}

/* What is needed of all that, counted from y_n instead of y_{n-1} (6.13). -1: out of memory, or singular. */
static int further_places(lbr_starting *z, int64_t m, const lbr_dd *place, const lbr_dd *A, lbr_dd *E, lbr_arena *arena)
{
    int64_t s = z->s;
    lbr_dd *M = lbr_arena_alloc(arena, m * s, sizeof *M), *N = lbr_arena_alloc(arena, m * m, sizeof *N),
           *nu = lbr_arena_alloc(arena, s * m, sizeof *nu), *X = lbr_arena_alloc(arena, (s + m) * s, sizeof *X);
    further q;

    if (!M || !N || !nu || !X || make_further(&q, m, s, place, A, arena) || conditions(&q, X, arena)) return -1;
    for (int64_t k = 0; k < m; k++) {
        for (int64_t j = 0; j < s; j++) M[k * s + j] = dd_sub(q.mu[k * q.n + j], q.b[j]);
        for (int64_t j = 0; j < m; j++) N[k * m + j] = q.mu[k * q.n + s + j];
    }
    for (int64_t i = 0; i < s; i++) {
        for (int64_t j = 0; j < s; j++) E[s * s + i * s + j] = X[j * s + i];
        for (int64_t k = 0; k < m; k++) nu[i * m + k] = X[(s + k) * s + i];
    }
    z->extras = m, z->mu = q.x + s, z->M = M, z->N = N, z->nu = nu, z->foretells = 0;
    return 0;
}

/* Z_i = h c_i f(y_n). */
static int field_alone(lbr_starting *z, const lbr_dd *A, lbr_arena *arena)
{
    int64_t s = z->s;
    lbr_dd *M = lbr_arena_alloc(arena, s + 2, sizeof *M), *nu = lbr_arena_alloc(arena, s, sizeof *nu);

    if (!M || !nu) return -1;
    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < s; j++) nu[i] = dd_add(nu[i], A[i * s + j]);
    M[s + 1] = dd(1);
    z->extras = 1, z->M = M, z->N = M + s, z->mu = M + s + 1, z->nu = nu, z->foretells = 0;
    return 0;
}

/* --- all ways ---------------------------------------------------------------------------------------------------- */

/* The stages of two steps together; but one by one where they are few, or of an order so low that they lie on no common
 * curve: then that is better until they are many. */
static int chosen(int way, int64_t s, int curve)
{
    if (way != LBR_STARTING_AUTO) return way;
    return s <= (curve ? 2 : 4) ? LBR_STARTING_EQUISTAGE : LBR_STARTING_TWO_STEP;
}

static lbr_status unfit(int way, const lbr_dd *A, int64_t s, const lbr_dd *place, lbr_message *m)
{
    int calls = way == LBR_STARTING_ONE_CALL || way == LBR_STARTING_TWO_CALLS, taken = 0;

    if (!A && (calls || way == LBR_STARTING_FIELD))
        return lbr_fail(m, LBR_EUNFIT,
                        "these starting values are for Runge-Kutta methods of one tableau; starting_values = output, "
                        "equistage and two-step are for all");
    if (!calls) return LBR_OK;
    for (int64_t i = 0; i < s; i++) {
        taken |= way == LBR_STARTING_TWO_CALLS && (same_place(place[i], dd(0)) || same_place(place[i], dd(1)));
        for (int64_t j = 0; j < i; j++) taken |= same_place(place[i], place[j]);
    }
    if (taken || s > LEGENDRE / 2 || !lbr_starting_curve(s, place, A))
        return lbr_fail(m, LBR_EUNFIT,
                        "starting values with further calls are for collocation methods with different nodes%s, such "
                        "as gauss:s; starting_values = output, equistage and two-step are for all",
                        way == LBR_STARTING_TWO_CALLS ? " and none at 0 and 1" : "");
    return LBR_OK;
}

static void identity(int64_t s, lbr_dd *E)
{
    for (int64_t i = 0; i < s * s; i++) E[i] = dd(i % (s + 1) == 0);
}

static int fill(lbr_starting *z, const lbr_dd *place, const lbr_dd *A, lbr_dd *E, lbr_arena *arena)
{
    int64_t s = z->s;

    prolonged(s, place, E);
    switch (z->way) {
    case LBR_STARTING_FIELD: return field_alone(z, A, arena);
    case LBR_STARTING_ONE_CALL: return further_places(z, 1, place, A, E, arena);
    case LBR_STARTING_TWO_CALLS: return further_places(z, 3, place, A, E, arena);
    case LBR_STARTING_TWO_STEP: return two_steps(s, place, E + s * s, arena);
    case LBR_STARTING_EQUISTAGE:
        return identity(s, E + s * s), 0; /* what is put into the equations is foretold already */
    case LBR_STARTING_GIVEN: return identity(s, E), identity(s, E + s * s), 0;
    default: return prolonged(s, place, E + s * s), 0;
    }
}

lbr_status lbr_starting_make(lbr_starting **out, int way, int64_t s, const lbr_dd *place, const lbr_dd *A, int curve,
                             lbr_arena *arena, lbr_message *m)
{
    lbr_starting *z = lbr_arena_alloc(arena, 1, sizeof *z);
    lbr_status status;
    lbr_dd *E;

    way = chosen(way, s, curve);
    if ((status = unfit(way, A, s, place, m))) return status;
    if (!z) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    z->way = (lbr_starting_way)way, z->s = s, z->foretells = 1;
    z->older = way == LBR_STARTING_EQUISTAGE ? LBR_STARTING_OLDER : way == LBR_STARTING_TWO_STEP;
    z->matrices = way == LBR_STARTING_TWO_STEP ? 3 : 2;
    E = lbr_arena_alloc(arena, z->matrices * s * s, sizeof *E);
    if (!E || fill(z, place, A, E, arena)) return lbr_fail(m, LBR_ENOMEM, "out of memory for the plan");
    z->E = E;
    *out = z;
    return LBR_OK;
}

/* C <- A B */
static void product(int64_t s, const lbr_dd *A, const lbr_dd *B, lbr_dd *C)
{
    for (int64_t i = 0; i < s; i++)
        for (int64_t j = 0; j < s; j++) {
            lbr_dd sum = dd(0);

            for (int64_t k = 0; k < s; k++)
                if (B[k * s + j].hi != 0) sum = dd_add(sum, dd_mul(A[i * s + k], B[k * s + j]));
            C[i * s + j] = sum;
        }
}

lbr_dd *lbr_starting_values(const lbr_starting *z, const lbr_dd *A, int twice, lbr_arena *arena)
{
    int64_t s = z->s, n = z->matrices;
    lbr_dd *S = lbr_arena_alloc(arena, n * s * s, sizeof *S), *one = lbr_arena_alloc(arena, s * s, sizeof *one);

    if (!S || !one) return NULL;
    for (int64_t l = 0; l < n; l++) {
        const lbr_dd *E = z->E + l * s * s;
        lbr_dd *to = S + l * s * s;
        int times = (l == 0 || z->foretells) + twice;

        if (times == 0) memcpy(to, E, (size_t)(s * s) * sizeof *to);
        if (times == 1) product(s, A, E, to);
        if (times == 2) product(s, A, E, one), product(s, A, one, to);
    }
    return S;
}

/* A difference of these numbers, which takes the place of `now`, and that the place of `before`. The largest one. */
static double differ(double *now, double *before, int64_t n)
{
    double most = 0;

    for (int64_t l = 0; l < n; l++) {
        double x = now[l] - before[l];

        before[l] = now[l], now[l] = x;
        if (fabs(x) > most) most = fabs(x);
    }
    return most;
}

void lbr_starting_foretell(lbr_irk_starting *b, int64_t s, int64_t rates, int64_t split, const double *F, double *next,
                           double *now)
{
    int64_t all = s * rates;
    double most[2] = { INFINITY, INFINITY };

    memcpy(next, F, (size_t)all * sizeof *F), memcpy(now, F, (size_t)all * sizeof *F);
    for (int64_t j = 0; j < b->past; j++)
        for (int part = 0; part < 2; part++) {
            int64_t from = part ? split : 0, n = part ? rates - split : split;
            double d = 0, *before = b->earlier + j * all;

            for (int64_t l = from; l < all; l += rates) d = fmax(d, differ(now + l, before + l, n));
            most[part] = d < most[part] ? d : -1;
            for (int64_t i = from; i < all && most[part] >= 0; i += rates)
                for (int64_t l = i; l < i + n; l++) next[l] += now[l];
        }
    if (b->past < b->older) memcpy(b->earlier + b->past * all, now, (size_t)all * sizeof *now);
}
