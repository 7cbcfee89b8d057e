/* near_integrable_rows.c - splittings for H = A + eps B, where all parts but the first are small.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists as in splitting.c: split(saba:4, A, B). Order (8,4) says that the error is O(eps h^8 + eps^2 h^4). Kicks of B
 * at the nodes of a quadrature formula of order 2k with its weights, and A in between, give order (2k,2): McLachlan
 * 1995, Laskar & Robutel 2001. */
#include "shared.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

/* B over 0.5316, A over -0.0438, ... With A first and four kicks there is no real solution. */
LIST(mclachlan_64_4, "0", "0.5316386245813511790852624935734544280521", "-0.5753900464987252928259975908911516869893",
     "0.2667880760581186535022256553025020003253", "0.276963345859255460238509442015195258612",
     "0.276963345859255460238509442015195258612", "0.2667880760581186535022256553025020003253",
     "-0.5753900464987252928259975908911516869893", "0.5316386245813511790852624935734544280521");

/* A over 0.0753, B over 0.1902, ... */
LIST(mclachlan_84_5, "0.07534696026989288841652780368347446437265", "0.1148789791037837308287029590549794330886",
     "0.4030378755844730514720710194413362112353", "0.4434861948590532055830095252054396229418",
     "-0.5367500098172028763003113073852297316383");

/* A over 0.0711, B over 0.1831, ... */
LIST(aba_864_7, "0.07113342649822311777793873000615499641740", "0.1119502609739741041837650271602752946552",
     "0.1292031669826659945527227681660143549626", "0.1815796929159088749547995228882484414126",
     "0.3398320688569059142573365551797457885789", "-0.3663966873688647149545486930962445478452",
     "0.03269807114118670922798608969580567181855");

/* A over 0.0381, B over 0.0959, ... */
LIST(aba_1064_8, "0.03809449742241219545697532230863756534066", "0.05776438341466301515379618146282128242868",
     "0.08753433270225073414022389119784246731563", "0.1169118204407480465402838927185920106607",
     "0.09071587528479320417592171860639619585513", "0.1263544726941978975384168738242374755978",
     "0.3095552309573282616847379885768277088028", "-0.3269306129163933546903558686953547060015");

/* Flows over f_0, ..., f_2k in turn as 2k steps of Phi and Phi*, after `skip` steps of nothing. They read the same
 * backwards. */
static int alternate(int k, int skip, const lbr_dd *f, lbr_numbers *x, lbr_arena *arena)
{
    lbr_dd left = dd(0);

    x->s = skip + 2 * k;
    x->b = lbr_arena_alloc(arena, x->s, sizeof *x->b);
    x->adjoint = lbr_arena_alloc(arena, x->s, 1);
    if (!x->b || !x->adjoint) return -1;
    for (int64_t i = 0; i < x->s; i++) x->adjoint[i] = i % 2;
    for (int i = 0; i < k; i++) x->b[skip + i] = x->b[x->s - 1 - i] = left = dd_sub(f[i], left);
    return 0;
}

/* Kicks at the s nodes of a family of Runge-Kutta methods, drifts in between; skip: where the first node is 0, a kick
 * comes first. */
static int quadrature(const char *name, int s, int k, int skip, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    lbr_numbers nodes;
    lbr_method gauss;
    lbr_message m;
    lbr_dd *f = lbr_arena_alloc(arena, 2 * s + 1, sizeof *f), at = dd(0);
    int n = 0;

    if (!f || lbr_row_numbers(lbr_row_find(name), s, &gauss, &nodes, arena, &m)) return -1;
    for (int i = 0; i < s; i++) {
        if (i || !skip) f[n++] = dd_sub(nodes.c[i], at);
        f[n++] = nodes.b[i], at = nodes.c[i];
    }
    claims->order_near = lbr_near_two(2 * k);
    return alternate(k, skip, f, x, arena);
}

const char *lbr_near_two(int k)
{
    static const char *const text[] = { "2,2", "4,2", "6,2", "8,2", "10,2", "12,2", "14,2", "16,2", "18,2", "20,2" };

    return k >= 2 && k <= 20 && k % 2 == 0 ? text[k / 2 - 1] : NULL;
}

static int saba(int k, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    return quadrature("gauss", k, k, 0, claims, x, arena);
}
static int sbab(int k, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    return quadrature("lobatto-3a", k + 1, k, 1, claims, x, arena);
}

#define COMMON LBR_SIZED, .family = "near-integrable", .form = "alternation", .symmetric = 1, .symplectic = 1
#define ROW(name_, list, near_, digits_, source_, about_, aliases_) \
    {                                                               \
        .m = {                                                      \
            COMMON,                                                 \
            .name = name_,                                          \
            .source = source_,                                      \
            .about = about_,                                        \
            .half = 2,                                              \
            .b = LBR_TEXTS(list),                                   \
            .order = 4,                                             \
            .order_near = near_,                                    \
            .digits = digits_,                                      \
            .aliases = aliases_                                     \
        }                                                           \
    }
#define FAMILY(name_, member_, about_, aliases_)                  \
    {                                                             \
        .m = { COMMON,                                            \
               .name = name_,                                     \
               .source = "McLachlan 1995, Laskar & Robutel 2001", \
               .about = about_,                                   \
               .order = 2,                                        \
               .digits = 29,                                      \
               .first = 1,                                        \
               .last = 10,                                        \
               .stride = 1,                                       \
               .aliases = aliases_ },                             \
        member_                                                   \
    }

const lbr_row lbr_rows_near_integrable[] = {
    FAMILY("saba", saba, "order (2k,2): the small part at the nodes of Gauss", "mclachlan-near"),
    FAMILY("sbab", sbab, "order (2k,2): the small part at the nodes of Lobatto", NULL),
    { .m = { COMMON, .name = "mclachlan-near-64-4", .source = "McLachlan 1995",
             .about = "order (6,4), begins with the small part", .b = LBR_TEXTS(mclachlan_64_4), .order = 4,
             .order_near = "6,4", .digits = 29, .aliases = "bab64" },
      NULL },
    ROW("mclachlan-near-84-5", mclachlan_84_5, "8,4", 29, "McLachlan 1995", "order (8,4)", "aba84"),
    ROW("blanes-near-864-7", aba_864_7, "8,6,4", 29, "Blanes, Casas, Farres, Laskar, Makazaga & Murua 2013",
        "order (8,6,4)", "aba864"),
    ROW("blanes-near-1064-8", aba_1064_8, "10,6,4", 29, "Blanes, Casas, Farres, Laskar, Makazaga & Murua 2013",
        "order (10,6,4)", "aba1064"),
    LBR_END
};
