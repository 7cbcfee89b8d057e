/* test_splittings.c - splittings and compositions: published digits, orders, mixed flows, processors, near-integrable
 * orders. SPDX-License-Identifier: BSD-3-Clause */
#include "series/order.h"
#include "support/tap.h"
#include "support/analysis.h"

#include "core/dd.h"
#include "plan/method_rows.h"

/* --- published digits -------------------------------------------------------------------------------------------- */

typedef struct numbers {
    lbr_arena arena;
    lbr_method m;
    lbr_numbers x;
} numbers;

static int numbers_of(numbers *z, const char *name, int k)
{
    lbr_message why;

    *z = (numbers){ .arena = { 0 } };
    return lbr_row_find(name) && !lbr_row_numbers(lbr_row_find(name), k, &z->m, &z->x, &z->arena, &why);
}

/* Does a number agree with a text, up to one unit of its last digit? */
static int as_printed(lbr_dd x, const char *text)
{
    const char *point = strchr(text, '.');
    lbr_dd want;

    lbr_dd_read(text, &want);
    return fabs(dd_double(dd_sub(x, want))) <= 1.01 * pow(10, point ? -(double)strlen(point + 1) : 0);
}

/* Flow k of an alternation with two parts: the first one is b_0, then b_0 + b_1, b_1 + b_2, ... (HLW II.5.8). */
static lbr_dd flow(const numbers *z, int k)
{
    return k ? dd_add(z->x.b[k - 1], k < z->x.s ? z->x.b[k] : dd(0)) : z->x.b[0];
}

static void flows_as_printed(void)
{
    static const struct {
        const char *name, *flow[15];
    } table[] = {
        { "ruth-3-3",
          { "0.29166666666666666667", "0.66666666666666666667", "0.75", "-0.66666666666666666667",
            "-0.04166666666666666667", "1.0" } },
        { "blanes-moan-4-6",
          { "0.0792036964311957", "0.209515106613362", "0.353172906049774", "-0.143851773179818",
            "-0.0420650803577195" } },
        { "blanes-moan-6-10",
          { "0.0502627644003922", "0.148816447901042", "0.413514300428344", "-0.132385865767784", "0.0450798897943977",
            "0.067307604692185", "-0.188054853819569", "0.432666402578175", "0.541960678450780" } },
        { "blanes-moan-rkn-4-6",
          { "0.0829844064174052", "0.245298957184271", "0.396309801498368", "0.604872665711080", "-0.0390563049223486",
            "-0.350171622895351", "0.1195241940131508" } },
        { "blanes-moan-rkn-6-11",
          { "0.0414649985182624", "0.123229775946271", "0.198128671918067", "0.290553797799558", "-0.0400061921041533",
            "-0.127049212625417", "0.0752539843015807", "-0.246331761062075", "-0.0115113874206879",
            "0.357208872795928" } },
        { "blanes-moan-rkn-6-14",
          { "0.0378593198406116", "0.09171915262446165", "0.102635633102435", "0.183983170005006",
            "-0.0258678882665587", "-0.05653436583288827", "0.314241403071447", "0.004914688774712854",
            "-0.130144459517415", "0.143761127168358", "0.106417700369543", "0.328567693746804",
            "-0.00879424312851058" } },
        { "mclachlan-near-84-5",
          { "0.07534696026989288842", "0.19022593937367661925", "0.51791685468825678230", "0.84652407044352625706",
            "-0.09326381495814967072", "-1.07350001963440575260" } },
        { "blanes-near-864-7",
          { "0.0711334264982231177779387300061549964174", "0.183083687472197221961703757166430291072" } },
        { "blanes-near-1064-8",
          { "0.03809449742241219545697532230863756534060", "0.09585888083707521061077150377145884776921" } },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        numbers z;
        int good = numbers_of(&z, table[i].name, -1);

        for (int k = 0; good && k < 15 && table[i].flow[k]; k++) {
            const char *text = table[i].flow[k];
            lbr_dd want;

            lbr_dd_read(text, &want);
            good = as_printed(flow(&z, k), text) ||
                   fabs(dd_double(dd_sub(flow(&z, k), want))) <
                       (strlen(text) > 30 ? 1e-30 : 5e-15); /* the last printed digits are not all right */
        }
        ok(good, "%s is as published", table[i].name);
        lbr_arena_free(&z.arena);
    }
}

/* HLW V.3.3, V.3.6, V.3.7 with the digits continued. */
static void steps_as_printed(void)
{
    static const struct {
        const char *name, *step[6];
    } table[] = {
        { "mclachlan-2-2", { "0.193183327503783573962899765027" } },
        { "mclachlan-4-5",
          { "0.0892694542264752448866946112606", "0.310730545773524755113305388739",
            "-0.408066588410420263128665332138", "0.308066588410420263128665332138", "0.2" } },
        { "blanes-moan-rkn-4-6",
          { "0.082984406417405609880173001359", "0.162314550766866130300834098584", "0.233995250731500546286482650475",
            "0.370877414979581103835962755696", "-0.409933719901928549652795044360",
            "0.059762097006575159349342538246" } },
        { "mclachlan-symmetric-4-5", { "0.28", "0.62546642846767004501" } },
        { "mclachlan-symmetric-6-9",
          { "0.1867", "0.55549702371247839916", "0.12946694891347535806", "-0.84326562338773460855" } },
        { "mclachlan-symmetric-8-17",
          { "0.12886597938144329897", "0.58151408710525096243", "-0.41017537146985013753", "0.18514693571658773265",
            "-0.40955234342085141934", "0.14440594108001204106" } },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        numbers z;
        int good = numbers_of(&z, table[i].name, -1);

        for (int k = 0; good && k < 6 && table[i].step[k]; k++) good = as_printed(z.x.b[k], table[i].step[k]);
        ok(good, "%s is as published", table[i].name);
        lbr_arena_free(&z.arena);
    }
}

/* What one more level multiplies the first and the middle step by: HLW II.4.4, II.4.5. */
static void levels_as_printed(void)
{
    static const struct {
        const char *family;
        int p;
        const char *outer, *middle;
    } level[] = {
        { "triple-jump", 2, "1.35120719195965763404768780897", "-1.70241438391931526809537561794" },
        { "triple-jump", 4, "1.17467175808936338449506943656", "-1.34934351617872676899013887311" },
        { "triple-jump", 6, "1.11618293932538579112684751508", "-1.23236587865077158225369503016" },
        { "triple-jump", 8, "1.08702710629917075394822571519", "-1.17405421259834150789645143038" },
        { "triple-jump", 10, "1.069565719632537946376533", "-1.139131439265075892753066" },
        { "suzuki", 2, "0.414490771794375737142354062861", "-0.657963087177502948569416251443" },
        { "suzuki", 4, "0.373065827733272824775863041073", "-0.492263310933091299103452164294" },
        { "suzuki", 6, "0.359584649349992252612417346019", "-0.438338597399969010449669384076" },
        { "suzuki", 8, "0.352924033444267716800194426588", "-0.411696133777070867200777706352" },
        { "suzuki", 10, "0.3489564049622468705109036", "-0.3958256198489874820436146" },
    };

    for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
        numbers z, low;
        int good = numbers_of(&z, level[i].family, level[i].p + 2), first = level[i].p == 2;
        lbr_dd outer, middle;

        if (!first) good &= numbers_of(&low, level[i].family, level[i].p);
        outer = first ? z.x.b[0] : dd_div(z.x.b[0], low.x.b[0]);
        middle = first ? z.x.b[z.x.s / 2] : dd_div(z.x.b[z.x.s / 2], low.x.b[low.x.s / 2]);
        ok(good && as_printed(outer, level[i].outer) && as_printed(middle, level[i].middle),
           "%s from order %d to %d is as published", level[i].family, level[i].p, level[i].p + 2);
        lbr_arena_free(&z.arena);
        if (!first) lbr_arena_free(&low.arena);
    }
}

/* HLW Exercise II.6: 2k steps of 1/(2k - (2k)^(1/3)) and one back. */
static void general_suzuki(void)
{
    static const struct {
        const char *family;
        int k, same;
    } known[] = { { "triple-jump", 1, 4 }, { "suzuki", 2, 4 } };
    int good = 1;

    for (int i = 0; i < 2; i++) {
        numbers a, b;

        numbers_of(&a, "suzuki-general", known[i].k), numbers_of(&b, known[i].family, known[i].same);
        ok(a.x.s == b.x.s && !memcmp(a.x.b, b.x.b, (size_t)a.x.s * sizeof *a.x.b), "suzuki-general:%d is %s:4",
           known[i].k, known[i].family);
        lbr_arena_free(&a.arena), lbr_arena_free(&b.arena);
    }
    for (int k = 1; k <= 1000; k *= 10) {
        numbers z;
        double root = cbrt(2 * k);

        good &= numbers_of(&z, "suzuki-general", k) && z.x.s == 2 * k + 1 &&
                fabs(z.x.b[0].hi * (2 * k - root) - 1) < 1e-15 && fabs(z.x.b[k].hi / z.x.b[0].hi + root) < 1e-13 * k;
        lbr_arena_free(&z.arena);
    }
    ok(good, "2k + 1 steps for k up to 1000");
}

/* --- certificates ------------------------------------------------------------------------------------------------ */

static int found(const char *method, const char *property, const lbr_options *o)
{
    const lbr_certificate *z;
    int value = -1;

    if (!lbr_certify(&z, method, o))
        for (int64_t i = 0; i < z->n; i++)
            if (!strcmp(z->check[i]->property, property)) {
                value = z->check[i]->found;
                break;
            }
    if (value < 0) printf("# %s: %s\n", method, z ? z->message : "no memory");
    lbr_certificate_free(z);
    return value;
}

/* Any even order, and beyond what words can reach. */
static void high_orders(void)
{
    static const struct {
        const char *method;
        int order;
    } high[] = {
        { "triple-jump:12", 12 },
        { "triple-jump:20", 20 },
        { "triple-jump:24", 24 },
        { "suzuki:12", 12 },
        { "suzuki:16", 16 },
        { "suzuki:18", 18 },
        { "suzuki-general:100", 4 },
        { "compose(triple-jump:14, midpoint)", 14 },
        { "compose(triple-jump:16, stormer-verlet)", 16 },
        { "compose(suzuki:14, split(strang, A, B))", 14 },
        { "compose(suzuki:18, gauss:2)", 18 },
        { "compose(suzuki:8, gauss:8)", 16 },
        { "compose(suzuki-general:6, suzuki:10)", 10 },
        { "compose(strang, compose(triple-jump:14, symplectic-euler))", 2 },
        { "compose(triple-jump:4, compose(triple-jump:12, midpoint))", 12 },
    };

    for (size_t i = 0; i < sizeof high / sizeof *high; i++) {
        int order = found(high[i].method, "order", NULL);
        ok(order == high[i].order, "%s has order %d (found %d)", high[i].method, high[i].order, order);
    }
}

/* One step of 3^5, or a whole block, changed by 1e-9. */
static void levels_are_checked(void)
{
    static char text[243][LBR_DD_TEXT];
    static const char *list[243];
    static const struct {
        const char *what;
        int from, to;
        double by;
    } change[] = { { "nothing", 0, 0, 0 },
                   { "the first step", 0, 1, 1e-9 },
                   { "a step in the middle", 121, 122, 1e-9 },
                   { "a block", 81, 162, 1e-9 } };
    numbers z;

    if (!ok(numbers_of(&z, "triple-jump", 12) && z.x.s == 243, "243 steps")) return;
    for (size_t c = 0; c < sizeof change / sizeof *change; c++) {
        lbr_method m = { .size = sizeof m, .name = "mine", .form = "composition", .b = { 243, list } };
        lbr_options o;
        int order;

        lbr_options_init(&o);
        o.methods = &m, o.nmethods = 1;
        for (int i = 0; i < 243; i++)
            list[i] = lbr_dd_write(
                dd_mul(z.x.b[i], dd(1 + (i >= change[c].from && i < change[c].to ? change[c].by : 0))), 34, text[i]);
        order = found("mine", "order", &o);
        ok(c ? order < 12 : order == 12, "triple-jump:12 as a list, %s changed: order %d", change[c].what, order);
    }
    lbr_arena_free(&z.arena);
}

static void near_orders(void)
{
    static const struct {
        const char *method;
        const char *near;
    } list[] = {
        { "split(strang, A, B)", "(2,2)" },
        { "split(lie-trotter, A, B)", "(1,1)" },
        { "split(saba:4, A, B)", "(8,2)" },
        { "split(saba:10, A, B)", "(20,2)" },
        { "split(sbab:3, A, B)", "(6,2)" },
        { "split(sbab:3, B, A)", "(6,2)" },
        { "split(saba:4, A, B, C)", "(8,2)" },
        { "split(aba84, A, B)", "(8,4)" },
        { "split(aba864, A, B)", "(8,6,4)" },
        { "split(aba864, A, B, C)", "(8,6,4)" },
        { "split(aba1064, A, B)", "(10,6,4)" },
        { "split(mclachlan-near-64-4, A, B)", "(6,4)" },
        { "split(mclachlan-near-64-4, A, B, C)", "(6,4)" },
        { "split(mclachlan-near-64-4, B, A)", "(6,4)" },
        { "compose(suzuki:4, split(strang, A, B))", "(4,4)" },
        { "compose(suzuki:4, split(saba:3, A, B))", "(6,4)" },
        { "process(split(strang, A, B), wisdom-holman-corrector:4)", "(4,2)" },
        { "process(split(strang, A, B, C), wisdom-holman-corrector:10)", "(10,2)" },
        { "process(split(strang, B, A), wisdom-holman-corrector:4)", "(4,2)" },
        { "process(split(saba:2, A, B), wisdom-holman-corrector:4)", "(2,2)" },
        { "process(split(lie-trotter, A, B), scale(1/2, split(lie-trotter, A)))", "(2,2)" },
        { "process(split(lie-trotter, A, B), scale(0.4, split(lie-trotter, A)))", "(1,1)" },
    };
    char text[4][16];

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const lbr_certificate *z;
        const char *near = "none";

        if (!lbr_certify(&z, list[i].method, NULL))
            for (int64_t k = 0; k < z->n; k++)
                if (!strcmp(z->check[k]->property, "order_near")) near = z->check[k]->found_text;
        ok(!strcmp(near, list[i].near), "%s: near order %s (found %s)", list[i].method, list[i].near, near);
        lbr_certificate_free(z);
    }
    ok(!strcmp(lbr_near_text(804, text[0], 16), "(8,4)") && !strcmp(lbr_near_text(100604, text[1], 16), "(10,6,4)") &&
           !strcmp(lbr_near_text(100604, text[2], 5), "(10,") && !strcmp(lbr_near_text(4, text[3], 16), "(4)"),
       "written %s, %s, %s, %s", text[0], text[1], text[2], text[3]);
}

/* Wisdom, Holman & Touma 1996 and later programs: each weight stands twice, so it is half of the one that the
 * conditions give. */
static void correctors(void)
{
    static const struct {
        int k, at;
        const char *weight;
    } table[] = {
        { 4, 1, "0.024900596027799867499350357910273437184309981229127" },
        { 6, 1, "-0.0083001986759332891664501193034244790614366604097090" },
        { 6, 5, "0.041500993379666445832250596517122395307183302048545" },
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        numbers z;
        lbr_dd want, sum = dd(0);
        int good = numbers_of(&z, "wisdom-holman-corrector", table[i].k);

        lbr_dd_read(table[i].weight, &want);
        for (int64_t k = 0; k < z.x.s; k++) sum = dd_add(sum, z.x.b[k]);
        ok(good && fabs(dd_double(dd_sub(flow(&z, table[i].at), want))) < 1e-28 && fabs(sum.hi) < 1e-30,
           "wisdom-holman-corrector:%d, kick %d is as published", table[i].k, (table[i].at + 1) / 2);
        lbr_arena_free(&z.arena);
    }
}

/* --- an oscillator and a cubic potential: Henon-Heiles in another way -------------------------------------------- */

typedef struct parted {
    problem p;
    double exact[PROBLEM_DIM];
} parted;

static int turn_field(double t, const double *y, double *out, void *ctx)
{
    return (void)t, (void)ctx, out[0] = y[2], out[1] = y[3], out[2] = -y[0], out[3] = -y[1], 0;
}
static int cubic_field(double t, const double *y, double *out, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = out[1] = 0, out[2] = -2 * y[0] * y[1], out[3] = y[1] * y[1] - y[0] * y[0];
    return 0;
}

static int turn(double t, double s, double *y, void *ctx)
{
    double c = cos(s), d = sin(s);

    (void)t, (void)ctx;
    for (int i = 0; i < 2; i++) {
        double q = y[i], p = y[2 + i];
        y[i] = c * q + d * p, y[2 + i] = c * p - d * q;
    }
    return 0;
}

/* Runge's method: a flow that is right to second order only. */
static int nearly_turn(double t, double s, double *y, void *ctx)
{
    double f[4], x[4];

    turn_field(t, y, f, ctx);
    for (int i = 0; i < 4; i++) x[i] = y[i] + s / 2 * f[i];
    turn_field(t, x, f, ctx);
    for (int i = 0; i < 4; i++) y[i] += s * f[i];
    return 0;
}

static int cubic(double t, double s, double *y, void *ctx)
{
    double f[4];

    cubic_field(t, y, f, ctx);
    return y[2] += s * f[2], y[3] += s * f[3], 0;
}

static const lbr_part good_part[] = { { .size = sizeof(lbr_part), .name = "A", .flow = turn, .field = turn_field },
                                      { .size = sizeof(lbr_part), .name = "B", .flow = cubic, .field = cubic_field } };
static const lbr_part poor_part[] = {
    { .size = sizeof(lbr_part), .name = "A", .flow = nearly_turn, .field = turn_field },
    { .size = sizeof(lbr_part), .name = "B", .flow = cubic, .field = cubic_field }
};
static const lbr_part bare_part[] = { { .size = sizeof(lbr_part), .name = "A", .flow = turn },
                                      { .size = sizeof(lbr_part), .name = "B", .flow = cubic } };
static const lbr_parts good = { sizeof(lbr_parts), 2, good_part, 0 }, poor = { sizeof(lbr_parts), 2, poor_part, 0 },
                       bare = { sizeof(lbr_parts), 2, bare_part, 0 };

static int all_field(double t, const double *y, double *out, void *ctx)
{
    double f[4];

    turn_field(t, y, out, ctx), cubic_field(t, y, f, ctx);
    return out[2] += f[2], out[3] += f[3], 0;
}

static problem of_parts(const lbr_parts *parts)
{
    problem p = henon_heiles();

    p.system.name = "cubic", p.system.force = NULL, p.system.inverse_mass = NULL, p.system.nq = 0,
    p.system.field = all_field, p.system.parts = parts;
    return p;
}

static double order_of(const problem *p, const char *method, int expected)
{
    double exact[PROBLEM_DIM];

    reference(p, 4, 200, exact);
    return slope_of(p, method, NULL, 4, exact, expected, 1e-11, 3000).order;
}

/* HLW II.5.9, II.5.10: with a step of low order and its adjoint, the order of the composition is kept; inside (II.5.6)
 * it is lost. */
static void mixed_flows(void)
{
    static const struct {
        const lbr_parts *parts;
        const char *method;
        double order;
    } list[] = {
        { &good, "split(blanes-moan-4-6, A, B)", 4 },
        { &poor, "split(blanes-moan-4-6, A, B)", 2 },
        { &poor, "split(blanes-moan-4-6, A = runge-midpoint, B)", 4 },
        { &good, "split(blanes-moan-4-6, A = explicit-euler, B)", 4 },
        { &good, "split(mclachlan-4-5, B, A = implicit-euler)", 4 },
        { &good, "split(blanes-moan-6-10, A = midpoint, B)", 6 },
        { &good, "split(blanes-moan-6-10, A, B = explicit-euler)", 6 },
        { &good, "split(ruth-3-3, A = explicit-euler, B = trapezoidal)", 3 },
        { &good, "split(strang, A = explicit-euler, B)", 2 },
        { &good, "split(lie-trotter, A = rk4, B = rk4)", 1 },
        { &good, "compose(suzuki:4, split(strang, A = theta(0.3), B))", 4 },
        { &good, "split(strang, A = compose(suzuki:4, midpoint), B)", 2 },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        problem p = of_parts(list[i].parts);
        double order = order_of(&p, list[i].method, (int)list[i].order);

        ok(fabs(order - list[i].order) < 0.3, "%s%s has order %.2f", list[i].method,
           list[i].parts == &poor ? ", the flow of A of order 2," : "", order);
    }
}

static void mixed_messages(void)
{
    static const struct {
        const lbr_parts *parts;
        const char *method, *words;
    } list[] = {
        { &bare, "split(strang, A = midpoint, B)", "field of part 'A'" },
        { &good, "split(strang, A = stormer-verlet, B)", "Runge-Kutta" },
        { &good, "split(strang, A = nothing, B)", "'nothing'" },
        { &good, "split(strang, C = midpoint, B)", "'C'" },
        { &good, "split(strang, A = 3, B)", "PART = METHOD" },
        { &good, "scale(2, rk4)", "scale" },
        { &good, "process(rk4, scale(rk4, 2))", "scale(NUMBER" },
        { &good, "wisdom-holman-corrector:4", "process(strang, wisdom-holman-corrector)" },
        { &good, "wisdom-holman-corrector:14", "wisdom-holman-corrector:12" },
        { &good, "split(wisdom-holman-corrector:4, A, B)", "split" },
        { &good, "suzuki-general:0", "suzuki-general:1" },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        problem p = of_parts(list[i].parts);
        lbr_plan *plan;
        lbr_status status = lbr_plan_create(&plan, list[i].method, &p.system, NULL);

        if (!ok(status < 0 && strstr(lbr_plan_message(plan), list[i].words), "%s is refused", list[i].method))
            printf("# %s\n", lbr_plan_message(plan));
        lbr_plan_free(plan);
    }
}

/* --- the same map by another name -------------------------------------------------------------------------------- */

static void same_map(const problem *p, const char *one, const char *other, double small)
{
    double a[PROBLEM_DIM], b[PROBLEM_DIM], h = p->h;
    lbr_status status = problem_run(p, one, NULL, h, 20, a) | problem_run(p, other, NULL, h, 20, b);

    ok(!status && distance(p->system.dim, a, b) <= small, "%s on %s is %s: %.1e", one, p->system.name, other,
       distance(p->system.dim, a, b));
}

/* HLW II.4.8, Examples II.4.4, II.4.5; Example V.3.6. */
static void identities(void)
{
    problem lotka = lotka_volterra(), body = rigid_body(), hh = henon_heiles(), cubics = of_parts(&good), p = mixed();

    same_map(&lotka, "compose(strang, explicit-euler)", "trapezoidal", 1e-13),
        same_map(&lotka, "compose(strang, implicit-euler)", "midpoint", 1e-13);
    same_map(&body, "compose(strang, explicit-euler)", "trapezoidal", 1e-13),
        same_map(&body, "compose(strang, implicit-euler)", "midpoint", 1e-13);
    same_map(&hh, "compose(strang, symplectic-euler)", "stormer-verlet", 0),
        same_map(&hh, "compose(strang, symplectic-euler-b)", "stormer-verlet-b", 0);
    same_map(&p, "compose(strang, symplectic-euler)", "stormer-verlet", 1e-13);
    same_map(&cubics, "process(split(lie-trotter, A, B), scale(1/2, split(lie-trotter, A)))", "split(strang, A, B)",
             2e-15);
    same_map(&cubics, "process(split(lie-trotter, B, A), scale(1/2, split(lie-trotter, B)))", "split(strang, B, A)",
             2e-15);
    same_map(&body, "process(split(lie-trotter, A, B), scale(1/2, split(lie-trotter, A)))", "split(strang, A, B)",
             5e-15);
    same_map(&hh, "blanes-moan-rkn-6-11", "compose(blanes-moan-rkn-6-11, symplectic-euler)", 0);
    same_map(&hh, "blanes-moan-rkn-6-14", "compose(blanes-moan-rkn-6-14, symplectic-euler-b)", 0);
    same_map(&cubics, "split(strang, A = explicit-euler, B = explicit-euler)",
             "compose(strang, split(lie-trotter, A = explicit-euler, B = explicit-euler))", 1e-15);
}

/* HLW II.4.6: any map and its adjoint. */
static void compositions_with_adjoints(void)
{
    static const struct {
        const char *method;
        int order;
    } list[] = {
        { "compose(mclachlan-4-5, symplectic-euler)", 4 },
        { "compose(mclachlan-4-5, symplectic-euler-b)", 4 },
        { "compose(mclachlan-4-5, explicit-euler)", 4 },
        { "compose(mclachlan-4-5, implicit-euler)", 4 },
        { "compose(mclachlan-2-2, explicit-euler)", 2 },
        { "compose(ruth-3-3, implicit-euler)", 3 },
        { "compose(blanes-moan-6-10, explicit-euler)", 6 },
        { "compose(blanes-moan-4-6, theta(0.2))", 4 },
        { "compose(mclachlan-4-5, rk4)", 4 },
        { "compose(blanes-moan-4-6, adjoint(symplectic-euler))", 4 },
        { "compose(mclachlan-symmetric-4-5, symplectic-euler)", 1 },
    };
    problem p = kepler(), body = rigid_body();
    double exact[PROBLEM_DIM], order;

    reference(&p, 2, 200, exact);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        order = slope_of(&p, list[i].method, NULL, 2, exact, list[i].order, 1e-11, 2000).order;
        ok(fabs(order - list[i].order) < 0.3, "%s has order %.2f", list[i].method, order);
    }
    reference(&body, 4, 200, exact);
    order = slope_of(&body, "split(mclachlan-4-5, C, A, B)", NULL, 4, exact, 4, 1e-11, 2000).order;
    ok(fabs(order - 4) < 0.3, "three parts: order %.2f", order);
}

/* HLW V.3.2: of the two letters the first must be the kick. */
static void first_the_kick(void)
{
    problem p = kepler();
    double exact[PROBLEM_DIM], kick, drift;

    reference(&p, 7.5, 800, exact);
    kick = error_after(&p, "blanes-moan-rkn-4-6", NULL, 7.5, 200, exact),
    drift = error_after(&p, "compose(blanes-moan-rkn-4-6, symplectic-euler-b)", NULL, 7.5, 200, exact);
    ok(drift > 20 * kick && drift < 60 * kick,
       "blanes-moan-rkn-4-6 with the drift first: %.1e for %.1e, %.0f times the error", drift, kick, drift / kick);
}

/* --- a small part ------------------------------------------------------------------------------------------------ */

/* The cubic potential times *ctx. */
static int weak(double t, double s, double *y, void *ctx) { return cubic(t, s * *(double *)ctx, y, ctx); }
static int weak_field(double t, const double *y, double *out, void *ctx)
{
    double f[4];

    turn_field(t, y, out, NULL), cubic_field(t, y, f, NULL);
    for (int i = 0; i < 4; i++) out[i] += *(double *)ctx * f[i];
    return 0;
}

/* The error of the energy over ten periods, in units of eps. */
static double energy_error(const char *method, double eps, double h)
{
    const lbr_part part[] = { { .size = sizeof(lbr_part), .name = "A", .flow = turn },
                              { .size = sizeof(lbr_part), .name = "B", .flow = weak } };
    const lbr_parts parts = { sizeof(lbr_parts), 2, part, 0 };
    problem p = of_parts(&parts);
    double y[PROBLEM_DIM], H[2], worst = 0;
    lbr_plan *plan;

    p.system.ctx = &eps, p.system.field = weak_field, p.system.energy = NULL;
    if (!(plan = plan_of(&p, method, NULL)) || lbr_start(plan, 0, h, p.y)) return NAN;
    for (double t = 0; t < 20; t += h) {
        const double *x = t > 0 ? y : p.y;

        H[t > 0] = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]) / 2 +
                   eps * (x[0] * x[0] * x[1] - x[1] * x[1] * x[1] / 3);
        if (t > 0) worst = fmax(worst, fabs(H[1] - H[0]));
        if (lbr_run(plan, 1, 0, NULL, NULL) || lbr_read(plan, NULL, y)) worst = NAN;
    }
    lbr_plan_free(plan);
    return worst / eps;
}

/* O(eps h^s1 + eps^2 h^s2): with a tiny eps the first is seen. */
static void small_parts(void)
{
    static const struct {
        const char *method;
        int order;
        double h;
    } list[] = {
        { "split(strang, A, B)", 2, 0.1 },
        { "split(saba:2, A, B)", 4, 0.4 },
        { "split(saba:3, A, B)", 6, 0.8 },
        { "split(sbab:2, A, B)", 4, 0.4 },
        { "split(sbab:3, A, B)", 6, 0.8 },
        { "split(mclachlan-near-64-4, A, B)", 6, 0.8 },
        { "process(split(strang, A, B), wisdom-holman-corrector:4)", 4, 0.2 },
        { "process(split(strang, A, B), wisdom-holman-corrector:6)", 6, 0.4 },
    };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        double a = energy_error(list[i].method, 1e-7, list[i].h), b = energy_error(list[i].method, 1e-7, list[i].h / 2),
               order = log2(a / b);

        ok(fabs(order - list[i].order) < 0.5, "%s: order %.2f in first order of eps", list[i].method, order);
    }
    for (size_t i = 1; i < 3; i++) {
        double a = energy_error(list[i].method, 1e-1, 0.04), b = energy_error(list[i].method, 1e-1, 0.02),
               c = energy_error(list[i].method, 1e-2, 0.02), order = log2(a / b);

        ok(fabs(order - 2) < 0.3 && b > 5 * c && b < 20 * c, "%s: order %.2f in eps^2", list[i].method, order);
    }
    for (int i = 0; i < 2; i++) { /* of (6,4) h^4 is what is left where eps is not small */
        double a = energy_error("split(mclachlan-near-64-4, A, B)", i ? 1e-1 : 1, 0.2),
               b = energy_error("split(mclachlan-near-64-4, A, B)", i ? 1e-1 : 1, 0.1), order = log2(a / b);

        ok(fabs(order - 4) < 0.3, "mclachlan-near-64-4: order %.2f where eps is %g", order, i ? 1e-1 : 1.0);
    }
}

int main(void)
{
    flows_as_printed(), steps_as_printed(), levels_as_printed(), general_suzuki();
    high_orders(), levels_are_checked(), near_orders(), correctors();
    mixed_flows(), mixed_messages();
    identities(), compositions_with_adjoints(), first_the_kick();
    small_parts();
    return tap_done();
}
