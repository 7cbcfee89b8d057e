/* own_method.c - a map and a table of one's own: use them by name, and have the table certified.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The map is Kahan's linearly implicit method for the Lotka-Volterra equations (HLW I.1.1, V.6.3): products become
 * u v -> (u V + U v)/2, so that a step is one 2 x 2 linear system. It is symmetric, hence a base for compositions. (The
 * catalogue has it as kahan, for any quadratic field.) */
#include <libration.h>

#include <stdio.h>

/* u' = u (v - 2), v' = v (1 - u) */
static int polarised(double t, double h, double *y, void *ctx)
{
    double u = y[0], v = y[1], k = h / 2;
    double a = 1 - k * v + 2 * k, b = -k * u, c = k * v, d = 1 - k + k * u, det = a * d - b * c;
    double r = u - 2 * k * u, s = v + k * v;

    (void)t, (void)ctx;
    if (det == 0) return 1;
    y[0] = (r * d - b * s) / det;
    y[1] = (a * s - c * r) / det;
    return 0;
}

static const lbr_map_def maps[] = {
    { .size = sizeof(lbr_map_def),
      .name = "polarised",
      .map = polarised,
      .adjoint = polarised,
      .order = 2,
      .symmetric = 1 },
};

/* Suzuki's composition (HLW II.4.5) with its steps typed in. */
static const char *const steps[] = {
    "0.41449077179437573714235406286076", "0.41449077179437573714235406286076", "-0.65796308717750294856941625144304",
    "0.41449077179437573714235406286076", "0.41449077179437573714235406286076",
};
static const lbr_method table = {
    .size = sizeof(lbr_method),
    .name = "five",
    .form = "composition",
    .b = { 5, steps },
    .order = 4,
    .symmetric = 1,
    .symplectic = 1,
    .digits = 30,
};

static int certificate(const lbr_options *options)
{
    const lbr_certificate *z;
    int bad = lbr_certify(&z, "five", options) != LBR_OK;

    for (int64_t i = 0; !bad && i < z->n; i++) {
        printf("%s: %s %d (%s)\n", z->check[i]->holds ? "holds" : "FAILS", z->check[i]->property, z->check[i]->found,
               z->check[i]->detail);
        bad |= !z->check[i]->holds;
    }
    lbr_certificate_free(z);
    return bad;
}

int main(void)
{
    lbr_system system = LBR_SYSTEM(.name = "lotka-volterra", .dim = 2, .maps = maps, .nmaps = 1);
    double y[2] = { 0.2, 3.3 }, t;
    lbr_options options;
    lbr_plan *plan;

    lbr_options_init(&options);
    options.methods = &table, options.nmethods = 1;
    if (certificate(&options)) return 1;
    if (lbr_plan_create(&plan, "compose(five, polarised)", &system, &options) || lbr_start(plan, 0, 0.1, y) ||
        lbr_run(plan, 16, 0, NULL, NULL))
        return fprintf(stderr, "%s\n", lbr_plan_message(plan)), 1;
    lbr_read(plan, &t, y);
    printf("u, v at t = %g: %.6f, %.6f (exact: 3.054543, 1.284646)\n", t, y[0], y[1]);
    lbr_plan_free(plan);
    return 0;
}
