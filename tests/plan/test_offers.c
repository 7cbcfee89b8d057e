/* test_offers.c - what messages offer instead of a method that is refused: they name it, and it does what was asked.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"
#include "plan/kind.h"

static const char sphere_text[] = "canonical q[3], p[3]\n"
                                  "H = sq(p)/2 + q[3]\n"
                                  "constraint length = sq(q) - 1\n"
                                  "start q = [0, 0.6, 0.8], p = [0.5, 0.4, -0.3]\n";
static const char plain_text[] = "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1, p = 0.3\n";
static modelled sphere, plain;

/* A method of what is offered: "gauss:s" is a family, TABLE any table, (...) its arguments. */
static const char *method_of(const char *offer, char text[128])
{
    static const struct {
        const char *place, *put;
    } all[] = { { ":s", ":3" }, { "TABLE", "suzuki:4" }, { "(...)", "(1/3, 1)" } };
    const char *at;

    snprintf(text, 128, "%s", offer);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((at = strstr(offer, all[i].place)))
            snprintf(text, 128, "%.*s%s%s", (int)(at - offer), offer, all[i].put, at + strlen(all[i].place));
    return text;
}

static lbr_plan *after(const modelled *x, const char *method)
{
    lbr_plan *plan;

    if (!lbr_plan_create(&plan, method, x->s, NULL) && !lbr_start(plan, 0, 0.05, x->m->y0) &&
        !lbr_run(plan, 10, 0, NULL, NULL))
        return plan;
    printf("# %s\n", lbr_plan_message(plan));
    lbr_plan_free(plan);
    return NULL;
}

static int keeps_constraints(const char *method)
{
    lbr_plan *plan = after(&sphere, method);
    double t, y[6], off = NAN;

    if (plan && !lbr_read(plan, &t, y)) off = fabs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1);
    lbr_plan_free(plan);
    return off < 1e-13;
}

static int has_dense(const char *method)
{
    lbr_plan *plan = after(&plain, method);
    double y[2];
    int good = plan && !lbr_state_dense(lbr_plan_state(plan), -0.5, y);

    lbr_plan_free(plan);
    return good;
}

static int (*const does[LBR_OFFERS])(
    const char *) = { [LBR_OFFERS_CONSTRAINTS] = keeps_constraints, [LBR_OFFERS_DENSE] = has_dense };

/* Every offer is a method that does it, and stands in the sentence. */
static void kept(lbr_offer what, const char *sentence, const char *name)
{
    int k, n = 0;

    for (const lbr_kind *kind = lbr_kind_next(NULL, &k); kind; kind = lbr_kind_next(kind, &k))
        for (const char *const *offer = kind->offers[what]; offer && *offer; offer++, n++) {
            char method[128];

            ok(does[what](method_of(*offer, method)), "%s: %s is one", name, method);
            ok(strstr(sentence, *offer) != NULL, "%s: %s is named", name, *offer);
        }
    ok(n > 3, "%s: there are several", name);
}

static void constraints(void)
{
    static const char *const refused[] = { "rk4", "pair(gauss:2, gauss:2)" };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        lbr_plan *plan = NULL;

        ok(lbr_plan_create(&plan, refused[i], sphere.s, NULL) == LBR_EUNFIT, "%s keeps no constraints", refused[i]);
        kept(LBR_OFFERS_CONSTRAINTS, lbr_plan_message(plan), refused[i]);
        lbr_plan_free(plan);
    }
}

static void dense(void)
{
    lbr_plan *plan = after(&plain, "rk4");
    double y[2];

    ok(plan && lbr_state_dense(lbr_plan_state(plan), -0.5, y) == LBR_EUNFIT, "rk4 has no dense output");
    kept(LBR_OFFERS_DENSE, plan ? lbr_plan_message(plan) : "", "rk4");
    lbr_plan_free(plan);
}

/* What an operator of several kinds is used for is told by each of them. */
static void words(void)
{
    lbr_plan *plan = NULL;
    int k, n = 0;

    ok(lbr_plan_create(&plan, "discrete-gradient(none)", plain.s, NULL) == LBR_EMETHOD, "there is no such gradient");
    for (const lbr_kind *kind = lbr_kind_next(NULL, &k); kind; kind = lbr_kind_next(kind, &k))
        for (const lbr_operator *op = kind->operators; op && op->name; op++)
            if (op->word && !strcmp(op->name, "discrete-gradient"))
                ok(strstr(lbr_plan_message(plan), op->use) != NULL, "%s is named", op->use), n++;
    ok(n > 2, "there are several");
    ok(strstr(lbr_plan_message(plan), ", ") && strstr(lbr_plan_message(plan), " or "), "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
}

/* The list as a whole, and rows without a form, which one kind takes wherever it stands. */
static void as_lists(void)
{
    char text[LBR_OFFERED];
    const char *first = lbr_kinds_offer_first(LBR_OFFERS_DENSE);
    int k, n = 0;

    ok(!strncmp(lbr_kinds_offer(LBR_OFFERS_DENSE, text), first, strlen(first)), "the first one comes first");
    ok(strstr(text, " and ") && !strstr(strstr(text, " and "), ","), "the last one after 'and': %s", text);
    for (const lbr_kind *kind = lbr_kind_next(NULL, &k); kind; kind = lbr_kind_next(kind, &k)) n += kind->formless;
    ok(n == 1, "one kind takes rows without a form");
    ok(lbr_kind_of(&(lbr_method){ .size = sizeof(lbr_method), .name = "x" })->formless, "and they are given to it");
}

int main(void)
{
    if (!open_text(&sphere, sphere_text) || !open_text(&plain, plain_text)) return puts("Bail out! no models"), 1;
    constraints(), dense(), words(), as_lists();
    close_model(&sphere), close_model(&plain);
    return tap_done();
}
