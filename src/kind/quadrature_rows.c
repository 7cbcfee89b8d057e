/* quadrature_rows.c - the families of Runge-Kutta methods on the nodes of Gauss, Radau and Lobatto.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of them are A = W X W^T B, B = diag(b), in the basis of the orthonormal Legendre polynomials p_k of [0, 1],
 * W[i][k] = p_k(c_i), where X is that of integration, tridiagonal, but for its last row and column (Hairer & Wanner,
 * Solving ODEs II, IV.5):
 *
 *     a_ij/b_j = 1/2 + sum_{k<s} xi_k (p_k(c_i) p_{k-1}(c_j) - p_{k-1}(c_i) p_k(c_j))
 *                + corner p_{s-1}(c_i) p_{s-1}(c_j)/(4s - 2),
 *
 * xi_k = 1/(2 sqrt(4k^2 - 1)), with factors `lower` and `upper` for the two terms of k = s - 1. So a family is a
 * formula and three numbers. Nothing cancels: the coefficients have all digits of the arithmetic, and symplecticity
 * holds to the last. */
#include "core/quadrature.h"
#include "plan/kind.h"

enum { MOST = LBR_QUADRATURE_MOST };

typedef struct family {
    const lbr_formula *f;
    double lower, upper, corner;
} family;

/* a_ij/b_j from rows i and j of W. Zeros are zeros, so that steppers see the explicit stage of IIIA. */
static lbr_dd entry(const family *y, int s, const lbr_dd *w, const lbr_dd *v)
{
    lbr_dd sum = dd(0.5);

    for (int k = 1; k < s; k++) {
        lbr_dd xi = dd_div(dd(0.5), dd_sqrt(dd(4.0 * k * k - 1))), low = dd_mul(w[k], v[k - 1]),
               up = dd_mul(w[k - 1], v[k]);

        if (k == s - 1) low = dd_scale(y->lower, low), up = dd_scale(y->upper, up);
        sum = dd_add(sum, dd_mul(xi, dd_sub(low, up)));
    }
    if (y->corner != 0) sum = dd_add(sum, dd_div(dd_scale(y->corner, dd_mul(w[s - 1], v[s - 1])), dd(4 * s - 2)));
    return fabs(sum.hi) < 1e-26 ? dd(0) : sum;
}

static int member(const family *y, int s, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    lbr_dd *W = lbr_arena_alloc(arena, s * s, sizeof *W);

    claims->order = 2 * s - y->f->ends;
    claims->digits = claims->order <= 12 ? 28 : 30;            /* trees lose a few where there are thousands */
    if (s == 1 && y->f->ends) claims->free_entries = "A[1,1]"; /* order 1, whatever it is */
    if (s == 2 && y->lower == 0) claims->symplectic = 1;       /* two stages that are one: the midpoint rule */
    x->s = s;
    x->A = lbr_arena_alloc(arena, s * s, sizeof *x->A);
    x->b = lbr_arena_alloc(arena, s, sizeof *x->b);
    x->c = lbr_arena_alloc(arena, s, sizeof *x->c);
    if (!W || !x->A || !x->b || !x->c) return -1;
    for (int i = 0; i < s; i++) lbr_quadrature_node(y->f, s, i, x->c + i, x->b + i, W + i * s);
    for (int i = 0; i < s; i++) /* without C(1), as of radau-1a:1, rows do not add up to nodes */
        for (int j = 0; j < s; j++) x->A[i * s + j] = dd_mul(x->b[j], entry(y, s, W + i * s, W + j * s));
    return 0;
}

#define FAMILY(name, ...)                                                        \
    static int name(int s, lbr_method *claims, lbr_numbers *x, lbr_arena *arena) \
    {                                                                            \
        static const family y = { __VA_ARGS__ };                                 \
        return member(&y, s, claims, x, arena);                                  \
    }

/*                               lower upper corner */
FAMILY(gauss, &lbr_gauss_points, 1, 1, 0)
FAMILY(radau_1a, &lbr_radau_left, 1, 1, 1)
FAMILY(radau_2a, &lbr_radau_right, 1, 1, 1)
FAMILY(lobatto_3a, &lbr_lobatto_points, 1, 0, 0)
FAMILY(lobatto_3b, &lbr_lobatto_points, 0, 1, 0)
FAMILY(lobatto_3c, &lbr_lobatto_points, 1, 1, 1)
FAMILY(lobatto_3s, &lbr_lobatto_points, 0.5, 0.5, 0)

/* IIIA for q, IIIB for p; the stages of both belong to the same nodes, whatever the row sums of IIIB (HLW II.2.2). */
static int lobatto_3a_3b(int s, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    lbr_method other = *claims;
    lbr_numbers p = { .s = s };

    if (lobatto_3b(s, &other, &p, arena) || lobatto_3a(s, claims, x, arena)) return -1;
    x->A2 = p.A, x->b2 = p.b, x->c2 = x->c;
    claims->is_explicit = s == 2; /* Stormer-Verlet */
    return 0;
}

#define STAGES(from) .first = from, .last = MOST, .stride = 1

static const lbr_row rows[] = {
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "gauss", .family = "Gauss",
             .source = "HLW II.1.3 (Kuntzmann 1961, Butcher 1964)", .about = "collocation at s Gauss points",
             .symmetric = 1, .symplectic = 1, STAGES(1) },
      gauss },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "radau-1a", .family = "Radau",
             .source = "HLW II.1.4 (Ehle 1969)", .about = "discontinuous collocation at s Radau points with 0",
             STAGES(1), .aliases = "radau-ia" },
      radau_1a },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "radau-2a", .family = "Radau",
             .source = "HLW II.1.3 (Ehle 1969)", .about = "collocation at s Radau points with 1; for stiff equations",
             STAGES(1), .aliases = "radau-iia" },
      radau_2a },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "lobatto-3a", .family = "Lobatto",
             .source = "HLW II.1.3 (Ehle 1969)",
             .about = "collocation at s Lobatto points; s = 2 is the trapezoidal rule", .symmetric = 1, STAGES(2),
             .aliases = "lobatto-iiia" },
      lobatto_3a },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "lobatto-3b", .family = "Lobatto",
             .source = "HLW II.1.4 (Ehle 1969)",
             .about = "discontinuous collocation at s Lobatto points; s = 2 is the midpoint rule where f does not "
                      "depend on t",
             .symmetric = 1, STAGES(2), .aliases = "lobatto-iiib" },
      lobatto_3b },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "lobatto-3c", .family = "Lobatto",
             .source = "HLW II.1.4 (Chipman 1971)", .about = "Lobatto points with a_i1 = b_1; for stiff equations",
             STAGES(2), .aliases = "lobatto-iiic" },
      lobatto_3c },
    { .m = { LBR_SIZED, .form = "runge-kutta", .name = "lobatto-3s", .family = "Lobatto",
             .source = "HLW VI.10, exercise 12 (Chan 1990)", .about = "the mean of Lobatto IIIA and IIIB",
             .symmetric = 1, .symplectic = 1, STAGES(2), .aliases = "lobatto-iiis" },
      lobatto_3s },
    { .m = { LBR_SIZED, .name = "lobatto-3a-3b", .family = "Lobatto", .form = "pair",
             .source = "HLW II.2.2, VI.4.5 (Jay 1996, Sun 1993)",
             .about = "positions by Lobatto IIIA, momenta by IIIB; s = 2 is Stormer-Verlet", .symmetric = 1,
             .symplectic = 1, STAGES(2), .aliases = "lobatto-iiia-iiib" },
      lobatto_3a_3b },
    LBR_END
};

static const char *const dense[] = { "gauss:s", "radau-2a:s", "lobatto-3a:s", NULL };

const lbr_kind lbr_kind_quadrature_rows[] = {
    { .name = "quadrature", .rows = rows, .offers = { [LBR_OFFERS_DENSE] = dense } },
    { .name = NULL }
};
