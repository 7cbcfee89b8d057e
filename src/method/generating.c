/* generating.c - methods given by a generating function made of H. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 *     S^1:  p = P + S_q(P, q),  Q = q + S_P(P, q)          S^3:  Y = y + J^-1 grad S((Y + y)/2)          (HLW VI.5.6, VI.5.8)
 *
 * Whatever S is, the map is symplectic; the order is that to which S solves the Hamilton-Jacobi equation. */
#include "method.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

/* HLW VI.5.22: h H + h^2/2 H_P H_q + h^3/6 (H_PP(H_q, H_q) + H_Pq(H_P, H_q) + H_qq(H_P, H_P)). Denominators. */
static const double s1_terms[] = { 1, 2, 6, 6, 6 };
/* h H + h^3/24 H''(f, f). */
static const double s3_terms[] = { 1, 24 };

/* HLW VI.5.23; c = +-sqrt(15)/10: sum b = 1, sum b c^2 = 1/12. */
LIST(points_b, "5/18", "4/9", "5/18");
LIST(points_c, "0.3872983346207416885179265399782399610833", "0", "-0.3872983346207416885179265399782399610833");

static int terms(int64_t n, const double *denominator, lbr_numbers *x, lbr_arena *arena)
{
    x->s = n;
    if (!(x->b = lbr_arena_alloc(arena, n, sizeof *x->b))) return -1;
    for (int64_t i = 0; i < n; i++) x->b[i] = dd_div(dd(1), dd(denominator[i]));
    return 0;
}

static int s1(int order, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    claims->order = order;
    return terms(order == 3 ? 5 : order, s1_terms, x, arena);
}

static int s3(int order, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    claims->order = order;
    return terms(order / 2, s3_terms, x, arena);
}

#define COMMON LBR_SIZED, .family = "generating", .symplectic = 1

const lbr_row lbr_rows_generating[] = {
    { .m = { COMMON, .name = "generating-s1", .form = LBR_GENERATING_S1, .source = "HLW VI.5.22 (Feng Kang 1986)", .about = "S^1 = h H + h^2 G_2 + ..; order 1 is symplectic Euler",
             .digits = 31, .first = 1, .last = 3, .stride = 1 }, s1 },
    { .m = { COMMON, .name = "generating-s3", .form = LBR_GENERATING_S3, .source = "HLW VI.5.4 (Feng Kang 1986)", .about = "S^3 = h H + h^3 G_3; order 2 is the midpoint rule",
             .digits = 31, .symmetric = 1, .first = 2, .last = 4, .stride = 2 }, s3 },
    { .m = { COMMON, .name = "miesbach-pesch", .form = LBR_GENERATING_S3, .source = "HLW VI.5.23 (Miesbach & Pesch 1992)", .about = "S^3 from H at three points: second derivatives only",
             .b = LBR_TEXTS(points_b), .c = LBR_TEXTS(points_c), .order = 4, .symmetric = 1, .digits = 30 }, NULL },
    LBR_END
};
