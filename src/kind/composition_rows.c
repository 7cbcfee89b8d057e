/* composition_rows.c - symmetric compositions of a symmetric map. Data only. SPDX-License-Identifier: BSD-3-Clause
 *
 *     Psi_h = Phi_{g_s h} o ... o Phi_{g_2 h} o Phi_{g_1 h},    g_i = g_{s+1-i}                (HLW V.3.8)
 *
 * Only the first half g_1 .. g_m with m = (s+1)/2 is written down. The published digits (26) were continued by
 * Newton's method on the order equations, along the shortest step where these leave a parameter free.
 *
 * To add a method: one list, one row. Nothing else. */
#include "plan/kind.h"

#define LIST(name, ...) static const char *const name[] = { __VA_ARGS__ }

/* HLW V.3.11. */
LIST(yoshida_6_7, "0.784513610477557263819497633866349875776824", "0.235573213359358133684793182978534601686468",
     "-1.177679984178871006946415680964315734639269", "1.315186320683911218884249728238862514351954");

/* HLW V.3.12. */
LIST(kahan_li_6_9, "0.392161444007314139279250557422671403804934", "0.332599136789359438599748637500049646881587",
     "-0.706246172557639359809964819549256459395511", "0.082213596293550800231490448102056331103294",
     "0.798543990934829963398950353048958155211391");

/* HLW V.3.13. */
LIST(suzuki_yoshida_8_15, "0.741670364350612953448227801783806315603537",
     "-0.409100825800031593997300095893563417309918", "0.190754710296238379953876256450371662735461",
     "-0.573862471116082266656387726635535742159509", "0.299064181303655923844463540688602988225823",
     "0.334624918245298183784957979882182288633692", "0.315293092396766596632056663811002430994081",
     "-0.796887939352916354019788840173733053446332");

/* HLW V.3.14. */
LIST(kahan_li_8_17, "0.130202483088890080878817632096700522357247", "0.561162981775108384561964407700150567266159",
     "-0.389474962644847286408078598235248388836068", "0.158841906555155600896210745707152481412148",
     "-0.395903894133237577336231539347938936026771", "0.184539640978315707091832541533375462818987",
     "0.258374387686322047293979109994939471813076", "0.295011723609310298870966240218228112976543",
     "-0.605508533830034511698921079334718587562643");

/* HLW V.3.15. */
LIST(sofroniou_spaletta_10_35, "0.078795722521686419263907679338378235287765",
     "0.313096103415108527764812471919375119427788", "0.027918383235078066109520273264622963164894",
     "-0.229592841593907094151213396801772333759619", "0.130962061077164863174656859293939635912993",
     "-0.269733405654510714344609732216317792089151", "0.074973343155891435666137105638728799029145",
     "0.111993423999810204889575080737386917384281", "0.366133449546226751193148123537947805939005",
     "-0.399105630136035897878629810584101969653898", "0.103087398527471077315802769991778382274162",
     "0.411430873955890237820704118977676163371669", "-0.004866360583135261762195659307425475870965",
     "-0.392033353708639906448081936430529864761924", "0.051942502962449647037182904927337638516895",
     "0.050665090759924496335874342400843519351021", "0.049674370639729879054568800394840809770057",
     "0.049317735759594537917680009834582893411759");

/* The first step of each of these was chosen (to few digits), the others follow. */
LIST(mclachlan_4_5, "0.28", "0.625466428467670045012338905492649012918216",
     "-0.810932856935340090024677810985298025836432");

LIST(mclachlan_6_9, "0.1867", "0.555497023712478399156913543628391200964057",
     "0.129466948913475358056045209210204780816800", "-0.843265623387734608549142781384814989869039",
     "0.943203301523561702672368057092438016176363");

LIST(mclachlan_8_17, "0.12886597938144329897", "0.581514087105250962430060431195334553055371",
     "-0.410175371469850137534635155843886696373288", "0.185146935716587732652427843496432380125664",
     "-0.409552343420851419337631896514284170095601", "0.144405941080012041059936812112860097936956",
     "0.278335500393679651307946032443875532673657", "0.314956683916294857891587608153700593718493",
     "-0.626994825405133974879383350088064582082506");

/* From order p to p + 2 by 2k outer steps g and one middle step 1 - 2k g, g = 1/(2k - (2k)^(1/(p+1))), again and
 * again from 2 up to `order` (HLW II.4.4, II.4.5). */
static int iterate(int k, int order, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    int64_t s = 1;

    claims->order = order;
    claims->digits = order > 10 ? 26
                     : k == 1   ? 34 - order
                                : 29; /* long sums of large steps lose a few; beyond, levels are summed */
    for (int p = 2; p < order; p += 2) s *= 2 * k + 1;
    x->s = s;
    x->b = lbr_arena_alloc(arena, s, sizeof *x->b);
    x->adjoint = lbr_arena_alloc(arena, s, 1);
    if (!x->b || !x->adjoint) return -1;
    for (int64_t i = 0; i < s; i++) x->b[i] = dd(1);
    for (int p = 2, run = 1; p < order; p += 2, run *= 2 * k + 1) {
        lbr_dd g = dd_div(dd(1), dd_sub(dd(2 * k), lbr_dd_root(dd(2 * k), p + 1))),
               middle = dd_sub(dd(1), dd_scale(2 * k, g));

        for (int64_t i = 0; i < s; i++) x->b[i] = dd_mul(x->b[i], i / run % (2 * k + 1) == k ? middle : g);
    }
    return 0;
}

static int triple_jump(int p, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    return iterate(1, p, claims, x, arena);
}
static int suzuki(int p, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    return iterate(2, p, claims, x, arena);
}
static int general(int k, lbr_method *claims, lbr_numbers *x, lbr_arena *arena)
{
    return iterate(k, 4, claims, x, arena);
}

#define COMMON .family = "composition", .form = "composition", .half = 1, .symmetric = 1, .symplectic = 1
#define ROW(name_, list, order_, digits_, source_, about_, aliases_) \
    {                                                                \
        .m = {                                                       \
            LBR_SIZED,                                               \
            COMMON,                                                  \
            .name = name_,                                           \
            .source = source_,                                       \
            .about = about_,                                         \
            .b = LBR_TEXTS(list),                                    \
            .order = order_,                                         \
            .digits = digits_,                                       \
            .aliases = aliases_                                      \
        }                                                            \
    }
#define FAMILY(name_, member_, most_, source_, about_)                                    \
    {                                                                                     \
        .m = { LBR_SIZED,  COMMON,     .name = name_, .source = source_, .about = about_, \
               .first = 4, .last = 10, .stride = 2,   .most = most_ },                    \
        member_                                                                           \
    }

const lbr_row lbr_rows_composition[] = {
    FAMILY("triple-jump", triple_jump, 24, "HLW II.4.4 (Creutz & Gocksch 1989, Forest 1989, Suzuki 1990, Yoshida 1990)",
           "three steps, the middle one back, iterated"),
    FAMILY("suzuki", suzuki, 18, "HLW II.4.5 (Suzuki 1990)", "five steps, the middle one back, iterated"),
    { .m = { LBR_SIZED, COMMON, .name = "suzuki-general", .source = "HLW Exercise II.6",
             .about = "2k + 1 steps, the middle one back", .first = 1, .last = 10, .stride = 1, .most = 1000,
             .aliases = "generalised-suzuki" },
      general },
    ROW("mclachlan-symmetric-4-5", mclachlan_4_5, 4, 31, "McLachlan 1995", "small steps, order 4", NULL),
    ROW("mclachlan-symmetric-6-9", mclachlan_6_9, 6, 30, "McLachlan 1995", "small steps, order 6", NULL),
    ROW("mclachlan-symmetric-8-17", mclachlan_8_17, 8, 29, "McLachlan 1995", "small steps, order 8", NULL),
    ROW("yoshida-6-7", yoshida_6_7, 6, 29, "HLW V.3.11 (Yoshida 1990)", "fewest stages for order 6", "p6s7"),
    ROW("kahan-li-6-9", kahan_li_6_9, 6, 30, "HLW V.3.12 (Kahan & Li 1997)", "small steps, order 6", "p6s9"),
    ROW("suzuki-yoshida-8-15", suzuki_yoshida_8_15, 8, 28, "HLW V.3.13 (Suzuki & Umeno 1993)",
        "fewest stages for order 8", "p8s15 suzuki-umeno-8-15"),
    ROW("kahan-li-8-17", kahan_li_8_17, 8, 30, "HLW V.3.14 (Kahan & Li 1997)", "small steps, order 8: the usual choice",
        "p8s17"),
    ROW("sofroniou-spaletta-10-35", sofroniou_spaletta_10_35, 10, 29, "HLW V.3.15 (Sofroniou & Spaletta 2004)",
        "small steps, order 10", "p10s35"),
    LBR_END
};
