/* nystrom_rows.c - Nystrom methods for y'' = g(t, y, y'). SPDX-License-Identifier: BSD-3-Clause
 *
 *     l_i = g(t + c_i h, y + c_i h y' + h^2 sum_j a_ij l_j, y' + h sum_j ahat_ij l_j),
 *     y1 = y + h y' + h^2 sum_i bbar_i l_i,    y1' = y' + h sum_i b_i l_i          (HLW II.2.11)
 *
 * Without ahat a method is for y'' = g(t, y). Where bbar is left out it is b_i (1 - c_i); where A is left out, too, the
 * method consists of kicks b_j at the times c_j: a_ij = b_j (c_i - c_j), j < i, symplectic whatever b and c are. */
#include "shared.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }
#define KICKS(t)        .b = LBR_TEXTS(t##_b), .c = LBR_TEXTS(t##_c)
#define SPECIAL(t)      KICKS(t), .A = LBR_TEXTS(t##_A), .bbar = LBR_TEXTS(t##_bbar)

LIST(leapfrog_b, "1");
LIST(leapfrog_c, "1/2");

LIST(verlet_b, "1/2", "1/2");
LIST(verlet_c, "0", "1");

LIST(nystrom_4_A, "0", "0", "0", "1/8", "0", "0", "0", "1/2", "0");
LIST(nystrom_4_bbar, "1/6", "1/3", "0");
LIST(nystrom_4_b, "1/6", "2/3", "1/6");
LIST(nystrom_4_c, "0", "1/2", "1");

LIST(general_4_A, "0", "0", "0", "0", "1/8", "0", "0", "0", "1/8", "0", "0", "0", "0", "0", "1/2", "0");
LIST(general_4_Ahat, "0", "0", "0", "0", "1/2", "0", "0", "0", "0", "1/2", "0", "0", "0", "0", "1", "0");
LIST(general_4_bbar, "1/6", "1/6", "1/6", "0");
LIST(general_4_b, "1/6", "1/3", "1/3", "1/6");
LIST(general_4_c, "0", "1/2", "1/2", "1");

LIST(nystrom_5_A, "0", "0", "0", "0", "1/50", "0", "0", "0", "-1/27", "7/27", "0", "0", "3/10", "-2/35", "9/35", "0");
LIST(nystrom_5_bbar, "1/24", "25/84", "9/56", "0");
LIST(nystrom_5_b, "1/24", "125/336", "27/56", "5/48");
LIST(nystrom_5_c, "0", "1/5", "2/3", "1");

/* Kicks at both ends. Two numbers have the published digits (c_2 and b_1), the others are solved for here and agree
 * with those published. */
LIST(calvo_b, "0.061758858135626", "0.3389780265536527858315777331195372387206",
     "0.6147913071755450510349337869186403693787", "-0.1405480146593482458177598704687444455669",
     "0.1250198227945244089512483504305668374675");
LIST(calvo_c, "0", "0.20517766154229", "0.6081989431465073402164425944476420379026",
     "0.4872780668075714587461276071413001068541", "1");

/* One number has the published digits (c_2). */
LIST(atela_5_b, "0.1193900292875672757956476338101206610962", "0.6989273703824752307878407881360836216071",
     "-0.171312358271600775362332591929524296275", "0.4012695022513534479965651049121273551009",
     "0.01070508184823598398192887559990929808656", "-0.05897962549803116319964981052871663961576");
LIST(atela_5_c, "0", "0.33983962583911", "0.2512382889360826713244253364257640557668",
     "0.8370947657620447901575906465577619448283", "0.2340554092255529018739937766773510318889",
     "0.5576362057802505412944120498060975305376");

/* --- families on the points of Gauss ----------------------------------------------------------------------------- */

/* A^2 and b^T A in place of A and bbar (HLW II.2.10). */
static int induced(int s, lbr_numbers *x, lbr_arena *arena)
{
    lbr_message why;
    lbr_method gauss;
    lbr_numbers g;

    if (lbr_row_numbers(lbr_row_find("gauss"), s, &gauss, &g, arena, &why)) return -1;
    *x = (lbr_numbers){ .kind = lbr_kind_find("nystrom"), .s = s, .b = g.b, .c = g.c, .Ahat = g.A };
    x->A = lbr_arena_alloc(arena, s * s, sizeof *x->A);
    x->bbar = lbr_arena_alloc(arena, s, sizeof *x->bbar);
    if (!x->A || !x->bbar) return -1;
    for (int i = 0; i < s; i++) {
        x->bbar[i] = dd_mul(g.b[i], dd_sub(dd(1), g.c[i]));
        for (int k = 0; k < s * s; k++)
            x->A[i * s + k % s] = dd_add(x->A[i * s + k % s], dd_mul(g.A[i * s + k / s], g.A[k]));
    }
    return 0;
}

static int gauss_nystrom(int s, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    claims->order = 2 * s;
    claims->digits = s <= 5 ? 28 : 30;           /* trees lose a few where there are thousands */
    if (s == 1) claims->free_entries = "A[1,1]"; /* order 2, whatever it is */
    return induced(s, x, arena);
}

/* The Legendre polynomial P_n of [0, 1]. */
static lbr_dd legendre(int n, lbr_dd c)
{
    lbr_dd x = dd_sub(dd_scale(2, c), dd(1)), last = dd(1), now = n > 0 ? x : dd(1);

    for (int k = 2; k <= n; k++) {
        lbr_dd next = dd_div(dd_sub(dd_scale(2 * k - 1, dd_mul(x, now)), dd_scale(k - 1, last)), dd(k));

        last = now, now = next;
    }
    return now;
}

/* All methods with CN(s) and DN(s) of HLW III, exercise 8: two of them differ by a matrix that CN(s) makes u_i b_j
 * P_{s-1}(c_j), as P_{s-1} is orthogonal to lower degrees, and DN(s) then u_i = const P_{s-1}(c_i). It is symmetric but
 * for b_j, so all are symplectic and symmetric. */
int lbr_burton_scherer(int s, lbr_dd theta, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    lbr_dd P[LBR_BURTON_SCHERER_MOST], by;

    claims->order = 2 * s;
    claims->digits = s <= 5 ? 28 : 30;
    claims->is_explicit = s == 1 && theta.hi == 0; /* the leapfrog */
    if (induced(s, x, arena)) return -1;
    x->Ahat = NULL;
    for (int i = 0; i < s; i++) P[i] = legendre(s - 1, x->c[i]);
    by = dd_div(dd_sub(theta, x->A[s - 1]), dd_mul(x->b[s - 1], dd_mul(P[0], P[s - 1])));
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            x->A[i * s + j] = dd_add(x->A[i * s + j], dd_mul(by, dd_mul(x->b[j], dd_mul(P[i], P[j]))));
    x->A[s - 1] = theta;
    return 0;
}

static int burton_scherer(int s, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    return lbr_burton_scherer(s, dd(0), claims, x, arena);
}

#define ROW(name_) .m = { LBR_SIZED, .form = "nystrom", .family = "Nystrom", .name = name_

const lbr_row lbr_rows_nystrom[] = {
    { ROW("leapfrog-nystrom"), .source = "HLW II.2.3", .about = "one kick in the middle: stormer-verlet-b in one stage",
      KICKS(leapfrog), .order = 2, .symmetric = 1, .symplectic = 1, .is_explicit = 1, .digits = 31 }
},
{
    ROW("verlet-nystrom"), .source = "HLW II.2.3", .about = "kicks at both ends: stormer-verlet in two stages",
                           KICKS(verlet), .order = 2, .symmetric = 1, .symplectic = 1, .is_explicit = 1, .digits = 31
}
}
,
{
    ROW("nystrom-4"), .source = "Nystrom 1925", .about = "three stages, order 4, for y'' = g(t, y)", SPECIAL(nystrom_4),
                      .order = 4, .is_explicit = 1, .digits = 31
}
}
,
{
    ROW("nystrom-4-general"), .source = "Nystrom 1925", .about = "four stages, order 4, for y'' = g(t, y, y')",
                              SPECIAL(general_4), .Ahat = LBR_TEXTS(general_4_Ahat), .order = 4, .is_explicit = 1,
                              .digits = 31
}
}
,
{
    ROW("nystrom-5"), .source = "Nystrom 1925", .about = "four stages, order 5, for y'' = g(t, y)", SPECIAL(nystrom_5),
                      .order = 5, .is_explicit = 1, .digits = 31
}
}
,
{
    ROW("calvo-sanz-serna-4-5"), .source = "Calvo & Sanz-Serna 1993, solved here",
                                 .about = "five kicks, order 4, explicit and symplectic", KICKS(calvo), .order = 4,
                                 .symplectic = 1, .is_explicit = 1, .digits = 30
}
}
,
{
    ROW("mclachlan-atela-5-6"), .source = "McLachlan & Atela 1992, solved here",
                                .about = "six kicks, order 5, explicit and symplectic", KICKS(atela_5), .order = 5,
                                .symplectic = 1, .is_explicit = 1, .digits = 30
}
}
,
    { ROW("gauss-nystrom"),
      .source = "HLW II.2.10",
      .about = "induced by the Gauss method: the same for y'' = g(t, y, y')",
      .symmetric = 1,
      .symplectic = 1,
      .first = 1,
      .last = LBR_BURTON_SCHERER_MOST,
      .stride = 1 },
    gauss_nystrom
}
,
    { ROW("burton-scherer"),
      .source = "HLW III, exercise 9 (Burton & Scherer 1998)",
      .about = "Gauss points and one parameter, a_1s = theta; here theta = 0",
      .symmetric = 1,
      .symplectic = 1,
      .first = 1,
      .last = LBR_BURTON_SCHERER_MOST,
      .stride = 1 },
    burton_scherer
}
, LBR_END
}
;
