/* test_moser_veselov_input.c - steps for reduced rigid bodies: what is claimed of them, and what they refuse.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/reduced_bodies.h"

/* --- claims ------------------------------------------------------------------------------------------------------ */

static void claims(void)
{
    static const char *const quarter[] = { "1/4", "3/4" }, *const three[] = { "1/4", "1/4", "1/2" };
    lbr_method mine = { .size = sizeof mine, .name = "mine", .form = "moser-veselov", .b = { 2, quarter } };
    lbr_options o = options_of("");
    const lbr_method_info *info;
    double y[6];
    lbr_plan *plan;
    lbr_status status;

    for (int i = 0; i < ROWS; i++) {
        status = lbr_method_describe(&info, rows[i].name);

        ok(!status && info->order == rows[i].order && info->symmetric == rows[i].symmetric && info->symplectic == 1,
           "%s: order %d, symmetric %d", rows[i].name, info->order, info->symmetric);
        lbr_method_free(info);
    }
    o.methods = &mine, o.nmethods = 1;
    ok(!problem_run(&grounds[TOP], "mine", &o, 0.05, 10, y) && asymmetry(&grounds[TOP], "mine", &o, 0.2) > 1e-4 &&
           asymmetry(&grounds[TOP], "compose(strang, mine)", &o, 0.2) < 1e-13,
       "kicks of one's own");
    mine.b = (lbr_list){ 3, three };
    status = lbr_plan_create(&plan, "mine", &grounds[TOP].system, &o);
    ok(status == LBR_EMETHOD && strstr(lbr_plan_message(plan), "kicked twice"), "three kicks: %s",
       lbr_plan_message(plan));
    lbr_plan_free(plan);
}

/* --- what does not go -------------------------------------------------------------------------------------------- */

static void refused(const problem *p, lbr_status want, const char *words)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, "moser-veselov", &p->system, NULL);

    if (!status) status = lbr_start(plan, 0, p->h, p->y);
    if (!status) status = lbr_run(plan, 1, 0, NULL, NULL);
    ok(status == want && strstr(lbr_plan_message(plan), words), "%s: %s", p->system.name,
       status ? lbr_plan_message(plan) : "runs");
    lbr_plan_free(plan);
}

/* A model and the sentence that it gets. */
static const struct {
    const char *text, *words;
} bad[] = {
    { "state y[3]\ny' = cross(y, [y[1], y[2]/2, y[3]/3])", "neither energy nor" },
    { "state y[3]\ny' = cross(y, [y[1], y[2]/2, y[3]/3])\ninvariant H = y[1]^2 + y[2]^2 + y[3]^2", "the rate of y[1]" },
    { "param I = [2, -1, 1]\n"
      "state y[3]\n"
      "y' = cross(y, [y[1]/2, -y[2], y[3]])\n"
      "invariant H = (y[1]^2/2 - y[2]^2 + y[3]^2)/2",
      "moment of inertia 2 of system 'text' is -1" },
    { "state y[3]\n"
      "y' = cross(y, [y[1]/2, 0, y[3]])\n"
      "invariant H = (y[1]^2/2 + y[3]^2)/2",
      "moment of inertia 2 of system 'text' is inf" },
    { "state y[3]\n"
      "y' = cross(y, [y[1], y[2]/2, y[3]/3]) - y/10\n"
      "invariant H = (y[1]^2 + y[2]^2/2 + y[3]^2/3)/2",
      "the rate of y[1]" },
    { "state m[3], v[3]\n"
      "m' = cross(m, [m[1], m[2]/2, m[3]/3]) - m/10\n"
      "v' = cross(v, [m[1], m[2]/2, m[3]/3])",
      "the rate of m[1]" },
    { "state m[3], v[3]\n"
      "m' = cross(m, [m[1], m[2]/2, m[3]/3]) + v\n"
      "v' = cross(v, [m[1], m[2]/2, m[3]/3])",
      "right angles" },
    { "state m[3], v[3]\n"
      "m' = cross(m, [m[1], m[2]/2, m[3]/3]) + cross(v, [0, 0, 1])\n"
      "v' = -cross(v, [m[1], m[2]/2, m[3]/3])",
      "moment of inertia 3 of system 'text' is -3" },
    { "state m[3], v[3]\n"
      "m' = -cross(m, [m[1], m[2]/2, m[3]/3]) + cross(v, [0, 0, 1])\n"
      "v' = cross(v, [m[1], m[2]/2, m[3]/3])",
      "the rate of m[1]" },
    { "state m[4,4]\n"
      "let W[i = 1..4, j = 1..4] = m[i,j]/(i*j)\n"
      "m' = m*W - W*m\n"
      "invariant H = dot(W, m)/4\n"
      "start m[i = 1..4, j = 1..4] = j - i",
      "sums alpha_i + alpha_j" },
    { "state m[4,4]\n"
      "let W[i = 1..4, j = 1..4] = m[i,j]/(i + j)\n"
      "m' = W*m - m*W\n"
      "invariant H = dot(W, m)/4\n"
      "start m[i = 1..4, j = 1..4] = j - i",
      "the rate of m[1,2]" },
    { "state m[4,4]\n"
      "let W[i = 1..4, j = 1..4] = m[i,j]/(i + j - 4.5)\n"
      "m' = m*W - W*m\n"
      "invariant H = dot(W, m)/4\n"
      "start m[i = 1..4, j = 1..4] = j - i",
      "alpha[1] + alpha[2]" },
    { "state x, y\nx' = y\ny' = -x", "reduced rigid bodies" },
};

static int often(double t, const double *y, double *f, void *ctx)
{
    return (void)t, (void)y, f[0] = f[1] = f[2] = f[3] = f[4] = f[5] = 0, --*(int *)ctx < 0;
}

static int body_then(double t, const double *y, double *f, void *ctx)
{
    const double m[3] = { y[0] / 1.5, y[1] / 1.44, y[2] / 0.94 };

    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;

        f[k] = y[i] * m[j] - y[j] * m[i], f[3 + k] = y[3 + i] * m[j] - y[3 + j] * m[i];
    }
    f[0] += y[4] * (1 + t), f[1] -= y[3] * (1 + t);
    return --*(int *)ctx < 0;
}

static void refusals(void)
{
    problem p = grounds[TOP], kep = kepler(), solar = solar_system();
    int calls = 1000;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        modelled x;

        if (!open_text(&x, bad[i].text)) {
            ok(0, "a model that is refused: %s", bad[i].text);
            close_model(&x);
            continue;
        }
        p = problem_of(&x, 0.1);
        refused(&p, LBR_EUNFIT, bad[i].words);
        close_model(&x);
    }
    refused(&kep, LBR_EUNFIT, "reduced rigid bodies"), refused(&solar, LBR_EUNFIT, "reduced rigid bodies");
    p = grounds[SO4], p.y[1] += 0.1, refused(&p, LBR_EARG, "m[1,2] is 1.0093 and m[2,1] is -0.909297");
    p = grounds[SO4], p.y[6] += 0.1, refused(&p, LBR_EARG, "and m[3,2] is");
    for (int i = 0; i <= BODY; i++) p = grounds[i], p.h = 50, refused(&p, LBR_ENOCONV, "try a smaller step");
    p = (problem){ LBR_SYSTEM(.name = "failing", .dim = 6, .field = often, .ctx = &calls), .h = 0.1,
                   .y = { 1, 1, 1, 1 } };
    calls = 0, refused(&p, LBR_EUNFIT, "reported a failure where");
    p.system.field = body_then;
    calls = 22, refused(&p, LBR_ECALLBACK, "the system's field reported a failure");
    calls = 1000, refused(&p, LBR_OK, "");
}

/* The time in the torque: order 2 where the kicks have it at both ends. */
static void clock_of_torque(void)
{
    int calls = 1 << 30;
    problem p = { LBR_SYSTEM(.name = "clock", .dim = 6, .field = body_then, .ctx = &calls), .t0 = 0.25, .h = 0.1,
                  .y = { 0.5, 0.3, 0.4, 0.6, 0, 0.8 } };
    double exact[6];

    reference(&p, 1, 64, exact);
    for (int i = 0; i < 4; i += 2) {
        slope s = slope_of(&p, rows[i].name, NULL, 1, exact, rows[i].order, 1e-12, 3000);

        ok(fabs(s.order - rows[i].order) < 0.4, "a torque that depends on t, %s: order %.3f", rows[i].name, s.order);
    }
    ok(asymmetry(&p, "moser-veselov", NULL, 0.1) < 1e-14, "and symmetric");
}

int main(void)
{
    make_grounds();
    claims();
    refusals();
    clock_of_torque();
    close_grounds();
    return tap_done();
}
