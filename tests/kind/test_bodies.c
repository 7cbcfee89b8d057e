/* test_bodies.c - rigid bodies: RATTLE on SO(3), splittings, what each of them keeps; HLW VII.5.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/manifolds.h"

enum { DIM = 32 };

/* --- systems ----------------------------------------------------------------------------------------------------- */

#define START "start Q = quaternion(0.4, 0.2, 0.4, 0.8), y = [0.2, 1, 0.4]\n"
static const char free_text[] = "param I = [0.5, 0.85, 1]\n"
                                "rotation Q, y\n"
                                "H = sum(k = 1..3, y[k]^2/(2*I[k]))\n"
                                "invariant J = Q*y\n" START;
static const char heavy_text[] = "param I = [0.5, 0.85, 1]\n"
                                 "rotation Q, y\n"
                                 "H = sum(k = 1..3, y[k]^2/(2*I[k])) + Q[3,3]\n"
                                 "invariant Jz = dot(Q[3], y)\n" START;
static const char even_text[] = "param I = [0.5, 0.5, 1]\n"
                                "rotation Q, y\n"
                                "H = sum(k = 1..3, y[k]^2/(2*I[k]))\n"
                                "invariant y3 = y[3]\n" START;
static const char even_heavy_text[] = "param I = [0.5, 0.5, 1]\n"
                                      "rotation Q, y\n"
                                      "H = sum(k = 1..3, y[k]^2/(2*I[k])) + Q[3,3]\n"
                                      "invariant y3 = y[3], Jz = dot(Q[3], y)\n" START;
static const char moving_text[] =
    "param I = [0.5, 0.85, 1], m = 2\n"
    "canonical q[3], p[3]\n"
    "rotation Q, y\n"
    "let a = Q*[1, 0.5, 0]\n"
    "H = sq(p)/(2*m) + sum(k = 1..3, y[k]^2/(2*I[k])) + sq(q)/2 + dot(q, a)/3 + (q[1]*a[2])^2/5\n"
    "start q = [0.5, 0, -0.2], p = [0, 0.3, 0.1], Q = quaternion(0.4, 0.2, 0.4, 0.8), y = [0.2, 0.6, 0.4]\n";

static modelled free_body, heavy, even, even_heavy, moving, two;
static struct {
    const char *name, *text;
    modelled *x;
    double T;
} all[] = { { "free body", free_text, &free_body, 2 },
            { "heavy top", heavy_text, &heavy, 2 },
            { "symmetric heavy top", even_heavy_text, &even_heavy, 2 },
            { "body on a spring", moving_text, &moving, 2 },
            { "two tops", "use two-tops\n", &two, 1 },
            { "symmetric free body", even_text, &even, 2 } };
enum { ALL = sizeof all / sizeof *all, GENERAL = ALL - 1 };

static double invariant(const modelled *x, int64_t i, int k, const double *y)
{
    const lbr_invariant *v = &x->s->invariants->item[i];
    double out[9];

    v->value(0, y, out, v->ctx);
    return out[k];
}

static double energy(const modelled *x, const double *y)
{
    double H;
    return x->s->energy(0, y, &H, x->s->ctx) ? NAN : H;
}

/* --- order ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int order;
    int64_t n;
} methods[] = { { "rattle", 2, 100 },
                { "constrained-euler", 1, 1000 },
                { "adjoint(constrained-euler)", 1, 1000 },
                { "three-rotations", 2, 100 },
                { "symmetric-rotation", 2, 100 },
                { "lobatto-3a-3b:2", 2, 100 },
                { "compose(suzuki:4, rattle)", 4, 25 },
                { "compose(kahan-li-6-9, three-rotations)", 6, 12 },
                { "compose(kahan-li-8-17, symmetric-rotation)", 8, 8 },
                { "compose(kahan-li-8-17, rattle)", 8, 12 },
                { "compose(strang, constrained-euler)", 2, 100 } };

static void orders(void)
{
    for (int k = 0; k < GENERAL; k++) {
        double exact[DIM];
        const modelled *x = all[k].x;

        memcpy(exact, x->m->y0, (size_t)x->m->dim * sizeof *exact);
        if (!ok(!run(x->s, "gauss:8", NULL, all[k].T / 40, 40, exact), "a reference for the %s", all[k].name)) continue;
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            double coarse = error_after(x, methods[i].name, all[k].T, methods[i].n, exact),
                   fine = error_after(x, methods[i].name, all[k].T, 2 * methods[i].n, exact),
                   slope = log2(coarse / fine);
            int order = methods[i].order == 1 && !x->s->bodies->forces
                            ? 2
                            : methods[i].order; /* kicks are what makes Euler's methods Euler's */

            if (!ok(fine < 2e-12 || fabs(slope - order) < (order > 5 ? 0.7 : 0.3), "%s has order %d on the %s: %.2f",
                    methods[i].name, order, all[k].name, slope))
                printf("# errors %.3g and %.3g\n", coarse, fine);
        }
    }
}

/* --- symmetry, and what is kept ---------------------------------------------------------------------------------- */

static void symmetry(void)
{
    static const char *const yes[] = { "rattle", "three-rotations", "symmetric-rotation", "compose(suzuki:4, rattle)" };

    for (int k = 0; k < ALL; k++)
        for (int i = 0; i < 4; i++)
            ok(retraced(all[k].x, yes[i], yes[i], 0.1) < 2e-15, "%s retraces its step on the %s: %.1e", yes[i],
               all[k].name, retraced(all[k].x, yes[i], yes[i], 0.1));
    ok(retraced(&heavy, "constrained-euler", "constrained-euler", 0.1) > 1e-3, "constrained-euler does not");
    ok(retraced(&heavy, "constrained-euler", "adjoint(constrained-euler)", 0.1) < 2e-15, "its adjoint undoes it");
    ok(retraced(&moving, "constrained-euler", "adjoint(constrained-euler)", 0.1) < 2e-15, "with positions, too");
}

typedef struct kept {
    const modelled *x;
    double H0, y0, J0[3], H, y, J, length;
} kept;

static int look(const lbr_view *v, void *ctx)
{
    kept *k = ctx;
    const double *e = v->y, *y = v->y + 4;
    double H = energy(k->x, v->y), s = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), J[3];

    for (int i = 0; i < 3; i++) J[i] = invariant(k->x, 0, k->x == &free_body ? i : 0, v->y);
    if (!v->n) k->H0 = H, k->y0 = s, memcpy(k->J0, J, sizeof J);
    k->H = fmax(k->H, fabs(H - k->H0)), k->y = fmax(k->y, fabs(s - k->y0)), k->J = fmax(k->J, distance(3, J, k->J0));
    k->length = fmax(k->length, fabs(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1));
    return 0;
}

static kept run_and_look(const modelled *x, const char *method, double h, int64_t n)
{
    kept k = { .x = x };
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, x->s, NULL) || lbr_start(plan, 0, h, x->m->y0) || lbr_run(plan, n, 1, look, &k))
        printf("# %s: %s\n", method, lbr_plan_message(plan)), k.H = k.y = k.J = k.length = INFINITY;
    lbr_plan_free(plan);
    return k;
}

static void conserved(void)
{
    kept k = run_and_look(&free_body, "rattle", 0.1, 10000);

    ok(k.H < 1e-13 && k.y < 1e-13 && k.J < 1e-12 && k.length < 1e-15,
       "the free body by RATTLE, 10000 steps: H %.1e, |y| %.1e, Q y %.1e, |e| %.1e", k.H, k.y, k.J, k.length);
    k = run_and_look(&free_body, "three-rotations", 0.1, 10000);
    ok(k.H > 1e-4 && k.H < 1e-2 && k.y < 1e-13 && k.J < 1e-12, "by three rotations: |y| %.1e, Q y %.1e, H not: %.1e",
       k.y, k.J, k.H);
    k = run_and_look(&free_body, "symmetric-rotation", 0.1, 10000);
    ok(k.H > 1e-7 && k.H < 1e-3 && k.y < 1e-13 && k.J < 1e-12,
       "by a symmetric body and the rest: |y| %.1e, Q y %.1e, H not: %.1e", k.y, k.J, k.H);
    k = run_and_look(&free_body, "rk4", 0.1, 10000);
    ok(k.H > 1e-9 && k.J > 1e-9, "by rk4 nothing: H %.1e, Q y %.1e", k.H, k.J);
    k = run_and_look(&heavy, "rattle", 0.1, 10000);
    ok(k.J < 1e-12 && k.H < 0.03, "the heavy top by RATTLE: the momentum about the vertical %.1e, H to %.1e", k.J, k.H);
    k = run_and_look(&heavy, "compose(kahan-li-6-9, three-rotations)", 0.1, 2000);
    ok(k.J < 1e-12 && k.H < 1e-5, "of order 6: %.1e, H to %.1e", k.J, k.H);
}

/* --- published, and other ways to the same ----------------------------------------------------------------------- */

/* HLW Fig. VII.5.3, Example 5.4. */
static void published(void)
{
    static const double free_exact[3] = { 0.23728, 0.95269, 0.48588 }, free_rattle[3] = { 0.22676, 0.96710, 0.46185 },
                        heavy_exact[3] = { 0.88920, -0.75204, -0.14560 };
    double y[7], exact[7];
    kept k;

    near(energy(&free_body, free_body.m->y0), 0.7082352941, 1e-10, "HLW Example VII.5.4: the energy of the free body");
    near(energy(&heavy, heavy.m->y0), 1.3082352941, 1e-10, "of the heavy top");
    near(energy(&even, even.m->y0), 1.12, 1e-14, "of the symmetric body");
    near(energy(&even_heavy, even_heavy.m->y0), 1.72, 1e-14, "of the symmetric top");
    memcpy(exact, free_body.m->y0, sizeof exact), run(free_body.s, "gauss:8", NULL, 0.05, 600, exact);
    ok(distance(3, exact + 4, free_exact) < 1e-5, "the free body at t = 30");
    memcpy(y, free_body.m->y0, sizeof y), run(free_body.s, "rattle", NULL, 0.1, 300, y);
    ok(distance(3, y + 4, free_rattle) < 1e-5, "by RATTLE, h = 0.1");
    near(distance(3, y + 4, exact + 4), 2.4e-2, 5e-4, "an error of 2.4e-2");
    memcpy(y, free_body.m->y0, sizeof y), run(free_body.s, "three-rotations", NULL, 0.1, 300, y);
    near(distance(3, y + 4, exact + 4), 7.0e-2, 5e-4, "of 7.0e-2 by three rotations");
    memcpy(y, free_body.m->y0, sizeof y), run(free_body.s, "symmetric-rotation", NULL, 0.1, 300, y);
    near(distance(3, y + 4, exact + 4), 1.7e-3, 5e-5, "of 1.7e-3 by a symmetric body and the rest");
    memcpy(exact, heavy.m->y0, sizeof exact), run(heavy.s, "gauss:8", NULL, 0.05, 600, exact);
    ok(distance(3, exact + 4, heavy_exact) < 1e-5, "the heavy top at t = 30");
    memcpy(y, heavy.m->y0, sizeof y), run(heavy.s, "rattle", NULL, 0.1, 300, y);
    near(distance(3, y + 4, exact + 4), 0.17, 5e-3, "an error of 0.17 by RATTLE");
    memcpy(y, heavy.m->y0, sizeof y), run(heavy.s, "three-rotations", NULL, 0.1, 300, y);
    near(distance(3, y + 4, exact + 4), 3.4e-2, 5e-4, "of 3.4e-2 by three rotations");
    memcpy(y, heavy.m->y0, sizeof y), run(heavy.s, "symmetric-rotation", NULL, 0.1, 300, y);
    near(distance(3, y + 4, exact + 4), 1.6e-2, 5e-4, "of 1.6e-2 by a symmetric body and the rest");
    k = run_and_look(&heavy, "rattle", 0.1, 300);
    near(k.H, 2.1e-2, 5e-4, "and the energy to 2.1e-2");
    k = run_and_look(&even_heavy, "rattle", 0.1, 300);
    near(k.H, 1.9e-2, 5e-4, "of the symmetric top to 1.9e-2");
    ok(k.J < 1e-15, "whose y3 is kept: %.1e", k.J);
    memcpy(exact, even.m->y0, sizeof exact), run(even.s, "gauss:8", NULL, 0.05, 600, exact);
    memcpy(y, even.m->y0, sizeof y), run(even.s, "symmetric-rotation", NULL, 0.1, 300, y);
    ok(distance(7, y, exact) < 1e-12, "a symmetric body is its own flow: %.1e", distance(7, y, exact));
}

/* RATTLE on orthogonal matrices with their multipliers (HLW VII.5.18, VII.5.22), step for step. */
static void matrices(void)
{
    static const char text[] = "param I = [0.5, 0.85, 1]\n"
                               "param d[k = 1..3] = (I[1] + I[2] + I[3])/2 - I[k]\n"
                               "let D = diag(d)\n"
                               "canonical Q[3,3], P[3,3]\n"
                               "H = trace(P*D^-1*P^T)/2 + Q[3,3]\n"
                               "constraint orthogonal[i = 1..3, j = 1..i] = (Q^T*Q)[i,j] - delta(i, j)\n"
                               "start Q = quaternion(0.4, 0.2, 0.4, 0.8), P = Q*hat([0.2/I[1], 1/I[2], 0.4/I[3]])*D\n";
    double e[7], M[18], worst = 0;
    modelled x;

    if (!ok(open_text(&x, text), "the heavy top as a matrix")) return;
    memcpy(e, heavy.m->y0, sizeof e), memcpy(M, x.m->y0, sizeof M);
    ok(!run(heavy.s, "rattle", NULL, 0.1, 100, e) && !run(x.s, "rattle", NULL, 0.1, 100, M), "100 steps of both");
    {
        double a = e[0], b = e[1], c = e[2], d = e[3];
        double Q[9] = { a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c),
                        2 * (b * c + a * d),           a * a - b * b + c * c - d * d, 2 * (c * d - a * b),
                        2 * (b * d - a * c),           2 * (c * d + a * b),           a * a - b * b - c * c + d * d };

        worst = distance(9, Q, M);
    }
    ok(worst < 2e-12, "RATTLE with multipliers on orthogonal matrices is RATTLE with quaternions: %.1e", worst);
    close_model(&x);
}

/* D B(y) D^T = B(Phi(y)), B = hat(y) (HLW VII.4.2), by differences; sign -1: rk4 is no Poisson map. */
static double poisson_defect(const char *method, double h)
{
    double D[3][3], y0[7], y1[7], worst = 0, d = 1e-5;
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, free_body.s, NULL)) return INFINITY;
    memcpy(y0, free_body.m->y0, sizeof y0), memcpy(y1, y0, sizeof y1), lbr_map(plan, 0, h, y1);
    for (int k = 0; k < 3; k++) {
        double up[7], down[7];

        memcpy(up, y0, sizeof up), memcpy(down, y0, sizeof down), up[4 + k] += d, down[4 + k] -= d;
        lbr_map(plan, 0, h, up), lbr_map(plan, 0, h, down);
        for (int i = 0; i < 3; i++) D[i][k] = (up[4 + i] - down[4 + i]) / (2 * d);
    }
    for (int i = 0; i < 3; i++) { /* hat(y): (j, k) -> row i of what is left */
        int a = (i + 1) % 3, b = (i + 2) % 3;
        double sum = 0;

        for (int j = 0; j < 3; j++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            sum += y0[4 + j] * (D[a][k] * D[b][l] - D[a][l] * D[b][k]);
        }
        worst = fmax(worst, fabs(sum - y1[4 + i]));
    }
    lbr_plan_free(plan);
    return worst;
}

static void poisson(void)
{
    static const char *const yes[] = { "rattle", "three-rotations", "symmetric-rotation", "compose(suzuki:4, rattle)" };

    for (int i = 0; i < 4; i++)
        ok(poisson_defect(yes[i], 0.3) < 1e-8, "%s is a Poisson map: %.1e", yes[i], poisson_defect(yes[i], 0.3));
    ok(poisson_defect("midpoint", 0.3) > 1e-5, "the midpoint rule, which keeps H and |y|, is not: %.1e",
       poisson_defect("midpoint", 0.3));
}

/* --- in C -------------------------------------------------------------------------------------------------------- */

static int pull(double t, const double *y, double *out,
                void *ctx) /* U = q33 = e0^2 - e1^2 - e2^2 + e3^2, of each body at ctx's places */
{
    const lbr_bodies *b = ctx;

    (void)t;
    for (int64_t i = 0; i < b->n; i++) {
        const double *e = y + (b->attitude ? b->attitude[i] : 4 * i);
        double up[2] = { 2 * (e[1] * e[3] - e[0] * e[2]), 2 * (e[2] * e[3] + e[0] * e[1]) }; /* Q^T e3 */

        out[3 * i] = -(-up[1]), out[3 * i + 1] = -up[0], out[3 * i + 2] = 0;
    }
    return 0;
}

static int no_pull(double t, const double *y, double *out, void *ctx) { return t > 0.95 ? -1 : pull(t, y, out, ctx); }

static void in_c(void)
{
    static const double I[6] = { 0.5, 0.85, 1, 0.5, 0.85, 1 };
    static const int64_t attitude[2] = { 7, 0 }, momentum[2] = { 11, 4 };
    lbr_bodies one = { .size = sizeof one, .n = 1, .inertia = I, .forces = pull }, pair = {
        .size = sizeof pair, .n = 2, .inertia = I, .forces = pull, .attitude = attitude, .momentum = momentum
    };
    lbr_system s = LBR_SYSTEM(.name = "top", .ctx = &one, .dim = 7, .bodies = &one),
               p = LBR_SYSTEM(.name = "tops", .ctx = &pair, .dim = 14, .bodies = &pair);
    static const double first[7] = { 0.4, 0.2, 0.4, 0.8, 0.2, 1, 0.4 };
    double y[7] = { 0.4, 0.2, 0.4, 0.8, 0.2, 1, 0.4 }, z[14], w[7], with[13], same[13];
    lbr_bodies beside;
    lbr_system m;

    memcpy(z, y, sizeof y), memcpy(z + 7, y, sizeof y), memcpy(w, y, sizeof y);
    ok(!run(&s, "rattle", NULL, 0.1, 100, y) && !run(heavy.s, "rattle", NULL, 0.1, 100, w) && distance(7, y, w) < 1e-12,
       "the heavy top in C, without a field: %.1e from the model", distance(7, y, w));
    ok(!run(&p, "rattle", NULL, 0.1, 100, z) && !memcmp(z, y, sizeof y) && !memcmp(z + 7, y, sizeof y),
       "two of them at places of one's own: the bits of one");
    pair.attitude = pair.momentum = NULL;
    for (int k = 0; k < 2; k++)
        memcpy(z + 4 * k, first, 4 * sizeof *z), memcpy(z + 8 + 3 * k, first + 4, 3 * sizeof *z);
    ok(!run(&p, "rattle", NULL, 0.1, 100, z) && !memcmp(z, y, 4 * sizeof *y) && !memcmp(z + 4, y, 4 * sizeof *y) &&
           !memcmp(z + 8, y + 4, 3 * sizeof *y) && !memcmp(z + 11, y + 4, 3 * sizeof *y),
       "and one after the other, attitudes first");
    beside = *moving.s->bodies, beside.attitude = beside.momentum = NULL;
    m = *moving.s, m.bodies = &beside;
    memcpy(with, moving.m->y0, sizeof with), memcpy(same, with, sizeof same);
    ok(!run(moving.s, "three-rotations", NULL, 0.1, 50, with) && !run(&m, "three-rotations", NULL, 0.1, 50, same) &&
           !memcmp(with, same, sizeof same),
       "a body beside positions");
}

static void compensated(void)
{
    const modelled *const some[] = { &heavy, &moving, &two };
    double y[DIM], z[DIM];
    lbr_options o;

    lbr_options_init(&o), lbr_option_set(&o, "compensated", "yes");
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < 5; i++) {
            int good;

            memcpy(y, some[k]->m->y0, (size_t)some[k]->m->dim * sizeof *y),
                memcpy(z, y, (size_t)some[k]->m->dim * sizeof *z);
            good = !run(some[k]->s, methods[i].name, NULL, 0.01, 500, y) &&
                   !run(some[k]->s, methods[i].name, &o, 0.01, 500, z);
            ok(good && distance(some[k]->m->dim, y, z) < 1e-11, "%s with compensated sums: %.1e apart", methods[i].name,
               distance(some[k]->m->dim, y, z));
        }
}

static void restored(void)
{
    double one[DIM], two_[DIM];
    lbr_state *s = NULL, *r = NULL;
    lbr_plan *plan;
    const void *bytes;
    size_t size;
    int good = !lbr_plan_create(&plan, "compose(suzuki:4, rattle)", moving.s, NULL) && !lbr_state_create(&s, plan) &&
               !lbr_state_create(&r, plan);

    good = good && !lbr_state_start(s, 0, 0.02, moving.m->y0) && !lbr_state_run(s, 25, 0, NULL, NULL) &&
           (bytes = lbr_state_bytes(s, &size)) && !lbr_state_restore(r, bytes, size);
    good = good && !lbr_state_run(s, 60, 7, NULL, NULL) && !lbr_state_run(r, 60, 0, NULL, NULL) &&
           !lbr_state_read(s, NULL, one) && !lbr_state_read(r, NULL, two_);
    ok(good && !memcmp(one, two_, (size_t)moving.m->dim * sizeof *one),
       "a restored trajectory goes on to the same bits, whoever looks");
    lbr_state_free(s), lbr_state_free(r), lbr_plan_free(plan);
}

/* --- refused ----------------------------------------------------------------------------------------------------- */

static void refused(const lbr_system *s, const char *method, const double *y, double h, lbr_status want,
                    const char *words)
{
    refused_in(s, method, y, h, 100, want, words);
}

static void refused_text(const char *text, const char *method, const char *words)
{
    modelled x;

    if (ok(open_text(&x, text), "a model")) refused(x.s, method, x.m->y0, 0.1, LBR_EUNFIT, words);
    close_model(&x);
}

static void refusals(void)
{
    static const double I[3] = { 0.5, 0.85, 1 }, flat[3] = { 0.5, 0, 1 }, wrong[3] = { 0.5, -1, 1 };
    static const int64_t outside[1] = { 4 };
    lbr_bodies b = { .size = sizeof b, .n = 1, .inertia = I };
    lbr_system s = LBR_SYSTEM(.name = "top", .ctx = &b, .dim = 7, .bodies = &b);
    double y[7] = { 0.4, 0.2, 0.4, 0.8, 0.2, 1, 0.4 }, off[7] = { 0.4, 0.2, 0.4, 0.7, 0.2, 1, 0.4 },
           nan[7] = { NAN, 0.2, 0.4, 0.8, 0.2, 1, 0.4 };

    refused(&s, "rattle", off, 0.1, LBR_EARG, "has length 0.921954");
    refused(&s, "rattle", nan, 0.1, LBR_ENONFINITE, "");
    refused(&s, "rattle", y, 10, LBR_ENOCONV, "try a smaller step, or three-rotations");
    refused(&s, "lobatto-3a-3b:3", y, 0.1, LBR_EUNFIT, "does not know the rigid bodies");
    refused(&s, "constrained-implicit-euler", y, 0.1, LBR_EUNFIT, "does not know the rigid bodies");
    b.inertia = flat, refused(&s, "rattle", y, 0.1, LBR_EARG, "moment of inertia 2 of body 1 is 0");
    b.inertia = wrong, refused(&s, "three-rotations", y, 0.1, LBR_EARG, "must be positive");
    b.inertia = NULL, refused(&s, "rattle", y, 0.1, LBR_EARG, "no moments of inertia");
    b.inertia = I, b.attitude = outside, refused(&s, "rattle", y, 0.1, LBR_EARG, "outside of the state");
    b.attitude = NULL, b.forces = no_pull, refused(&s, "rattle", y, 0.1, LBR_ECALLBACK, "the forces on rigid bodies");
    b.forces = NULL, s.dim = 6, refused(&s, "rattle", y, 0.1, LBR_EARG, "");
    refused_text("canonical q, p\nH = p^2/2\nstart q = 1\n", "three-rotations", "is for rigid bodies");
    refused_text("rotation Q, y\nH = sq(y)/2 + y[1]*y[2]\n", "three-rotations", "is for rigid bodies");
    refused_text("rotation Q, y\nH = sq(y)/2 + y[1]*y[2]\n", "rattle", "is for rigid bodies");
    refused_text("canonical x, px\n"
                 "rotation Q, y\n"
                 "H = sq(y)/2 + px^2/2\n"
                 "constraint j = x - Q[1,1]\n"
                 "start x = 1\n",
                 "rattle", "joints between bodies");
    refused_text("rotation Q, y\nH = sq(y)/2\nconstraint j = Q[1,2]\n", "rk4", "joints between bodies");
    refused_text("rotation Q, y\nH = sq(y)/2*(2 + Q[3,3])\n", "symmetric-rotation", "is for rigid bodies");
    refused_text("rotation Q, y\nH = sum(k = 1..3, y[k]^2/2 + y[k]^4/2)\n", "three-rotations", "is for rigid bodies");
}

int main(void)
{
    for (int k = 0; k < ALL; k++)
        if (!open_text(all[k].x, all[k].text)) return printf("Bail out! %s\n", all[k].name), 2;
    orders(), symmetry(), conserved(), published(), matrices(), poisson(), in_c(), compensated(), restored(),
        refusals();
    for (int k = 0; k < ALL; k++) close_model(all[k].x);
    return tap_done();
}
