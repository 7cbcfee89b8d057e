/* test_moser_veselov.c - steps of Moser and Veselov for reduced rigid bodies: formula, order, what they keep.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/reduced_bodies.h"

/* --- the formula ------------------------------------------------------------------------------------------------- */

/* A rotation that is a product of small ones in all planes. */
static void rotation(int n, double angle, double *R)
{
    for (int i = 0; i < n * n; i++) R[i] = i % (n + 1) == 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = 0; k < n; k++) {
                double a = angle * (1 + 0.3 * i - 0.2 * j), x = R[k * n + i], y = R[k * n + j];

                R[k * n + i] = cos(a) * x - sin(a) * y, R[k * n + j] = sin(a) * x + cos(a) * y;
            }
}

/* (omega^T J - J omega)/h and (J omega^T - omega J)/h: momenta before and after. */
static void momenta(int n, const double *alpha, double h, const double *R, double *m, double *M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            m[i * n + j] = (R[j * n + i] * alpha[j] - alpha[i] * R[i * n + j]) / h;
            M[i * n + j] = (alpha[i] * R[j * n + i] - R[i * n + j] * alpha[j]) / h;
        }
}

static void vee(const double *m, double *y) { y[0] = m[7], y[1] = m[2], y[2] = m[3]; }

/* For a given omega. */
static void formula(void)
{
    static const double four[] = { 1, 2, 3, 4 }, three[] = { -1.0 / 6, 5.0 / 6, 7.0 / 6 }, top[] = { 0.44, 0.5, 1 };
    double R[16], m[16], M[16], y[6], Y[6], h = 0.125, d;
    lbr_plan *plan = plan_of(&grounds[SO4], "moser-veselov", NULL);

    rotation(4, 0.15, R), momenta(4, four, h, R, m, M);
    step(plan, 16, 0, h, m), d = distance(16, m, M) / largest(16, M);
    ok(d < 1e-14, "SO(4): omega^T J - J omega = h m, M = (J omega^T - omega J)/h, to %.1e", d);
    lbr_plan_free(plan);
    for (int i = BODY; i <= POISSON; i++) {
        plan = plan_of(&grounds[i], "moser-veselov", NULL);
        rotation(3, 0.15, R), momenta(3, three, h, R, m, M), vee(m, y), vee(M, Y);
        step(plan, 3, 0, h, y), d = distance(3, y, Y) / largest(3, Y);
        ok(d < 1e-14, "%s: the same for y, m = hat(y): %.1e", grounds[i].system.name, d);
        lbr_plan_free(plan);
    }
    for (int i = 0; i < 3; i++) { /* torque v x e_3, by halves, before, after */
        static const char *const name[] = { "moser-veselov", "moser-veselov-euler", "adjoint(moser-veselov-euler)" };
        static const double before[] = { 0.5, 1, 0 };
        double v[3] = { 0.6, -0.48, 0.64 };

        plan = plan_of(&grounds[TOP], name[i], NULL);
        rotation(3, 0.15, R), momenta(3, top, h, R, m, M), vee(m, y), vee(M, Y);
        for (int k = 0; k < 3; k++)
            y[3 + k] = v[k], Y[3 + k] = R[3 * k] * v[0] + R[3 * k + 1] * v[1] + R[3 * k + 2] * v[2];
        y[0] -= before[i] * h * v[1], y[1] += before[i] * h * v[0];
        Y[0] += (1 - before[i]) * h * Y[4], Y[1] -= (1 - before[i]) * h * Y[3];
        step(plan, 6, 0, h, y), d = distance(6, y, Y) / largest(6, Y);
        ok(d < 1e-14, "%s: kicks, V = omega v, to %.1e", name[i], d);
        lbr_plan_free(plan);
    }
}

/* As three numbers and as a matrix, step by step. */
static void same_body(void)
{
    lbr_plan *a = plan_of(&grounds[BODY], "moser-veselov", NULL), *b = plan_of(&grounds[SO3], "moser-veselov", NULL),
             *c = plan_of(&grounds[POISSON], "moser-veselov-euler", NULL);
    double y[3], z[3], m[9], u[3], worst = 0, other = 0;

    memcpy(y, grounds[BODY].y, sizeof y), memcpy(m, grounds[SO3].y, sizeof m), memcpy(z, y, sizeof z);
    for (int k = 0; k < 500; k++) {
        step(a, 3, 0, 0.3, y), step(b, 9, 0, 0.3, m), step(c, 3, 0, 0.3, z), vee(m, u);
        worst = fmax(worst, distance(3, y, u)), other = fmax(other, distance(3, y, z));
    }
    ok(worst < 1e-12, "so(3)*: numbers and matrix agree for 500 steps, %.1e", worst);
    ok(other < 1e-12, "a free body is not kicked: moser-veselov-euler is moser-veselov, %.1e", other);
    lbr_plan_free(a), lbr_plan_free(b), lbr_plan_free(c);
}

/* The third row of an attitude: the vertical, seen from the body. */
static void vertical(const double *e, double *v)
{
    v[0] = 2 * (e[1] * e[3] - e[0] * e[2]), v[1] = 2 * (e[2] * e[3] + e[0] * e[1]),
    v[2] = 1 - 2 * (e[1] * e[1] + e[2] * e[2]);
}

/* RATTLE with attitudes is what this is reduced from. */
static void same_as_rattle(void)
{
    modelled whole, reduced;
    int there = open_model(&whole, "heavy-top"), too = open_text(&reduced, "use heavy-top-se3: I = [0.5, 0.9, 1]\n");

    if (!there || !too) {
        ok(0, "the models of the heavy top");
        return;
    }
    for (int k = 0; k < 2; k++) {
        problem p = problem_of(&whole, 0.1), r = problem_of(&reduced, 0.1);
        lbr_plan *a = plan_of(&p, k ? "constrained-euler" : "rattle", NULL),
                 *b = plan_of(&r, k ? "moser-veselov-euler" : "moser-veselov", NULL);
        double v[3], d = 0;

        memcpy(r.y, p.y + 4, 3 * sizeof *r.y), vertical(p.y, r.y + 3);
        for (int i = 0; i < 50; i++) {
            step(a, 7, 0, 0.1, p.y), step(b, 6, 0, 0.1, r.y), vertical(p.y, v);
            d = fmax(d, fmax(distance(3, p.y + 4, r.y), distance(3, v, r.y + 3)));
        }
        ok(d < 1e-11, "%s with attitudes and %s without: the same for 50 steps, %.1e",
           k ? "constrained-euler" : "rattle", k ? "moser-veselov-euler" : "moser-veselov", d);
        lbr_plan_free(a), lbr_plan_free(b);
    }
    close_model(&whole), close_model(&reduced);
}

/* Rounds to round-off on SO(4): linear, each halving of h gains (18, 12, 10, 8 to 1e-15 for h = 0.2, 0.1, 0.05, 0.025).
 */
static void rounds(void)
{
    static const int about[] = { 18, 12, 10, 8 };

    for (int i = 0; i < 4; i++) {
        double h = 0.2 / (1 << i);
        lbr_plan *plan = plan_of(&grounds[SO4], "moser-veselov", NULL);
        const lbr_stats *s;

        if (!plan || lbr_start(plan, 0, h, grounds[SO4].y) || lbr_run(plan, 1, 0, NULL, NULL)) {
            ok(0, "a step");
            continue;
        }
        s = lbr_plan_stats(plan);
        ok(s->iterations == s->worst && abs((int)s->worst - about[i]) <= 3 && s->field == 0, "h = %g: %d rounds for %d",
           h, (int)s->worst, about[i]);
        lbr_plan_free(plan);
    }
}

/* The same bits in one call, step by step, and from a checkpoint. */
static void bits(const problem *p)
{
    static const char *const name[] = { "moser-veselov", "compose(suzuki:4, moser-veselov)", "moser-veselov-euler" };
    double y[PROBLEM_DIM], z[PROBLEM_DIM];
    lbr_options o = options_of("compensated=yes");

    for (int i = 0; i < 6; i++) {
        lbr_plan *plan = plan_of(p, name[i / 2], i % 2 ? &o : NULL),
                 *other = plan_of(p, name[i / 2], i % 2 ? &o : NULL);
        const void *bytes;
        size_t size;
        int good = !lbr_start(plan, 0.5, p->h, p->y);

        for (int k = 0; k < 12; k++) good &= !lbr_run(plan, 1, 1, NULL, NULL) && !lbr_read(plan, NULL, y);
        good &= (bytes = lbr_state_bytes(lbr_plan_state(plan), &size)) &&
                !lbr_state_restore(lbr_plan_state(other), bytes, size) && !lbr_run(other, 8, 0, NULL, NULL) &&
                !lbr_read(other, NULL, y);
        good &= !lbr_start(plan, 0.5, p->h, p->y) && !lbr_run(plan, 20, 0, NULL, NULL) && !lbr_read(plan, NULL, z);
        ok(good && !memcmp(y, z, (size_t)p->system.dim * sizeof *y), "%s on %s%s: the same bits", name[i / 2],
           p->system.name, i % 2 ? ", compensated" : "");
        lbr_plan_free(plan), lbr_plan_free(other);
    }
}

/* --- order and symmetry ------------------------------------------------------------------------------------------ */

static void orders(const problem *p)
{
    lbr_options o = options_of("compensated=yes");
    double exact[PROBLEM_DIM], T = 8 * p->h, size = largest(p->system.dim, p->y), a;

    reference(p, T, 64, exact);
    for (int i = 0; i < ROWS; i++) {
        slope s;

        if (rows[i].top && p->system.dim != 6) continue;
        s = slope_of(p, rows[i].name, &o, T, exact, rows[i].order, 2e-13 * size, 3000);
        ok(fabs(s.order - rows[i].order) < 0.4, "%s on %s: order %.3f for %d", rows[i].name, p->system.name, s.order,
           rows[i].order);
        a = asymmetry(p, rows[i].name, NULL, p->h) / size;
        ok(rows[i].symmetric ? a < 1e-13 : a > 1e-4, "%s on %s: %ssymmetric, %.1e", rows[i].name, p->system.name,
           rows[i].symmetric ? "" : "not ", a);
    }
}

/* --- what they keep ---------------------------------------------------------------------------------------------- */

static double determinant(int n, double *A)
{
    double det = 1;

    for (int c = 0; c < n; c++) {
        int p = c;

        for (int i = c + 1; i < n; i++)
            if (fabs(A[n * i + c]) > fabs(A[n * p + c])) p = i;
        for (int j = 0; j < n && p != c; j++) {
            double x = A[n * c + j];
            A[n * c + j] = A[n * p + j], A[n * p + j] = x;
        }
        det *= p == c ? A[(n + 1) * c] : -A[(n + 1) * c];
        for (int i = c + 1; i < n; i++)
            for (int j = n - 1; j >= c; j--) A[n * i + j] -= A[n * i + c] / A[(n + 1) * c] * A[n * c + j];
    }
    return det;
}

/* det(m + lambda J^2 - mu), J = diag(1, 2, ..), on a grid of 6 x 6 numbers, which determine the polynomial (Manakov
 * 1976); then H, tr m^2 and tr m^4. */
enum { GRID = 6, KEPT = GRID * GRID + 3 };
static void kept(int n, const double *m, double *out)
{
    double A[25], C2 = 0, C4 = 0, H = 0;

    for (int k = 0; k < GRID * GRID; k++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[n * i + j] = m[n * i + j] +
                               (i == j) * ((k / GRID - 2) * 0.1 * (i + 1) * (i + 1) - (k % GRID - 1.5) * 0.5);
        out[k] = determinant(n, A);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double square = 0;

            for (int k = 0; k < n; k++) square += m[n * i + k] * m[n * k + j];
            C2 += i == j ? square : 0, C4 += square * square, H += m[n * i + j] * m[n * i + j] / (i + j + 2) / 4;
        }
    out[KEPT - 3] = H, out[KEPT - 2] = C2, out[KEPT - 1] = C4;
}

/* How far 2000 steps of 0.05 take them: those of Manakov, and the others. */
static void moved(const problem *p, int n, const char *method, double worst[2])
{
    lbr_plan *plan = plan_of(p, method, NULL);
    double y[25], first[KEPT], now[KEPT];

    worst[0] = worst[1] = 0;
    kept(n, p->y, first);
    if (!plan || lbr_start(plan, 0, 0.05, p->y)) worst[0] = worst[1] = NAN;
    for (int k = 0; k < 2000; k++) {
        if (lbr_run(plan, 1, 0, NULL, NULL) || lbr_read(plan, NULL, y)) y[1] = NAN;
        kept(n, y, now);
        for (int i = 0; i < KEPT; i++) {
            double d = fabs(now[i] - first[i]), *w = &worst[i >= KEPT - 3];

            *w = d <= *w ? *w : d;
        }
    }
    lbr_plan_free(plan);
}

/* In four dimensions all of them are made of quadratic ones, which the midpoint rule keeps, too; in five they are not.
 */
static void manakov(void)
{
    static const struct {
        const char *name;
        int keeps[2];
    } row[] = { { "moser-veselov", { 1, 1 } },
                { "compose(suzuki:4, moser-veselov)", { 1, 1 } },
                { "rk4", { 0, 0 } },
                { "midpoint", { 1, 0 } } };
    modelled x;
    problem five = { .h = 0.05 };

    if (open_text(&x, "use rigid-body-so4: n = 5, alpha = [1, 2, 3, 4, 5]\n")) five = problem_of(&x, 0.05);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 2; k++) {
            double d[2];
            int keeps = row[r].keeps[k];

            moved(k ? &five : &grounds[SO4], 4 + k, row[r].name, d);
            ok(keeps ? d[0] < (k ? 1e-11 : 1e-12) && d[1] < (k ? 1e-11 : 1e-12) : d[0] > 5e-11 && d[1] > 5e-11,
               "%s on SO(%d): det(m + lambda J^2 - mu) %s by %.1e, H, tr m^2 and tr m^4 by %.1e", row[r].name, 4 + k,
               keeps ? "moves only" : "moves", d[0], d[1]);
        }
    close_model(&x);
}

static int body_H(double t, const double *y, double *H, void *ctx)
{
    return (void)t, (void)ctx, *H = (y[0] * y[0] / 2 + y[1] * y[1] + y[2] * y[2] * 1.5) / 2, 0;
}

static void free_body(void)
{
    const problem *p = &grounds[BODY];
    double H = excursion(range_of(p, "moser-veselov", NULL, 0.3, 20000, body_H)),
           C = excursion(range_of(p, "moser-veselov", NULL, 0.3, 20000, square));
    double rk = excursion(range_of(p, "rk4", NULL, 0.3, 20000, body_H));

    ok(H < 5e-13 && C < 5e-13, "a free body keeps H and |y|^2 for 20000 steps of 0.3: %.1e, %.1e", H, C);
    ok(rk > 1e-4, "rk4 does not keep H: %.1e", rk);
}

typedef struct seen {
    double H0, dH, length, along, m3, sum[2];
    int64_t n, all;
    double third;
} seen;

static int see_top(const lbr_view *w, void *ctx)
{
    static const double I[] = { 1.5, 1.44, 0.94 };
    const double *m = w->y, *v = w->y + 3;
    seen *s = ctx;
    double H = v[2];

    for (int k = 0; k < 3; k++) H += m[k] * m[k] / (2 * (s->third && k < 2 ? 1.5 : s->third ? 1 : I[k]));
    if (s->n == 0) s->H0 = H, s->m3 = 0, s->third = s->third ? m[2] : 0;
    s->dH = fmax(s->dH, fabs(H - s->H0));
    s->length = fmax(s->length, fabs(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) - 1));
    s->along = fmax(s->along, fabs(m[0] * v[0] + m[1] * v[1] + m[2] * v[2]));
    if (s->third) s->m3 = fmax(s->m3, fabs(m[2] - s->third));
    s->sum[2 * s->n > s->all] += H;
    s->n++;
    return 0;
}

static seen watched(const problem *p, const char *method, int64_t n, double third)
{
    seen s = { .all = n, .third = third };
    lbr_plan *plan = plan_of(p, method, NULL);

    if (!plan || lbr_start(plan, 0, 0.05, p->y) || lbr_run(plan, n, 1, see_top, &s))
        s.dH = s.length = s.along = s.m3 = NAN;
    lbr_plan_free(plan);
    return s;
}

/* McLachlan & Scovel, Fig. 1; energies measured by an independent program. */
static void heavy_top(void)
{
    static const struct {
        const char *name;
        double low, high, drift;
    } row[] = { { "moser-veselov", 1.1e-3, 1.6e-3, 5e-6 }, { "moser-veselov-euler", 3e-2, 6.5e-2, 1e-3 } };
    problem p = grounds[TOP];
    seen rk;

    for (int r = 0; r < 2; r++) {
        seen s = watched(&p, row[r].name, 60000, 0);
        double drift = fabs(s.sum[0] / (double)(s.all / 2 + 1) - s.sum[1] / (double)(s.all / 2));

        ok(s.length < 2e-13 && s.along < 1e-12, "%s, 60000 steps: |v| is kept to %.1e, m.v to %.1e", row[r].name,
           s.length, s.along);
        ok(s.dH > row[r].low && s.dH < row[r].high && drift < row[r].drift,
           "%s: H stays within %.2e, the means of both halves differ by %.1e", row[r].name, s.dH, drift);
    }
    rk = watched(&p, "rk4", 60000, 0);
    ok(rk.length > 1e-9 && rk.along > 1e-9, "rk4 keeps neither: %.1e, %.1e", rk.length, rk.along);
}

static void lagrange_top(void)
{
    static const char text[] = "use heavy-top-se3: I = [1.5, 1.5, 1]\n";
    modelled x;
    problem p;

    if (!open_text(&x, text)) {
        ok(0, "the model of the Lagrange top");
        return;
    }
    p = problem_of(&x, 0.05);
    for (int r = 0; r < 2; r++) {
        const char *name = r ? "moser-veselov-euler" : "moser-veselov";
        seen s = watched(&p, name, 60000, 1);

        ok(s.m3 < 1e-12 && s.dH > 1e-4, "Lagrange top, %s: m_3 is kept to %.1e, where H moves by %.1e", name, s.m3,
           s.dH);
    }
    ok(watched(&p, "rk4", 60000, 1).along > 1e-9 && watched(&grounds[TOP], "moser-veselov", 6000, 1).m3 > 0.1,
       "without the symmetry it is not");
    close_model(&x);
}

/* --- Poisson maps ------------------------------------------------------------------------------------------------ */

/* B = [[hat(m), hat(v)], [hat(v), 0]] (HLW VII.4.1); of a free body hat(y). */
static void bracket(int n, const double *y, double *B)
{
    memset(B, 0, (size_t)(n * n) * sizeof *B);
    for (int b = 0; b < n / 3; b++)
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3, down = 3 * b * n, right = 3 * b;

            B[down + i * n + j] = -y[3 * b + k], B[down + j * n + i] = y[3 * b + k];
            B[right + i * n + j] = -y[3 * b + k], B[right + j * n + i] = y[3 * b + k];
        }
}

/* The largest entry of D B(y) D^T - B(Y). */
static double not_poisson(const problem *p, const char *method, double h, double *volume)
{
    lbr_plan *plan = plan_of(p, method, NULL);
    int n = (int)p->system.dim;
    double D[36], B[36], C[36], Y[6], worst = 0;

    jacobian(plan, n, 0, h, p->y, D);
    memcpy(Y, p->y, sizeof Y), step(plan, n, 0, h, Y);
    bracket(n, p->y, B), bracket(n, Y, C);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = -C[i * n + j];

            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++) sum += D[i * n + k] * B[k * n + l] * D[j * n + l];
            worst = fabs(sum) <= worst ? worst : fabs(sum);
        }
    lbr_plan_free(plan);
    return *volume = fabs(determinant(n, D) - 1), worst;
}

static void poisson(void)
{
    static const char *const name[] = { "moser-veselov",
                                        "moser-veselov-euler",
                                        "adjoint(moser-veselov-euler)",
                                        "compose(suzuki:4, moser-veselov)",
                                        "rk4",
                                        "midpoint" };

    for (int i = 0; i < 6; i++) {
        double volume, other, top = not_poisson(&grounds[TOP], name[i], 0.3, &volume),
                              body = not_poisson(&grounds[BODY], name[i], 0.3, &other);

        ok(i < 4 ? top < 1e-11 && body < 1e-11 : top > 1e-6 && body > 1e-6,
           "%s is %sa Poisson map: top %.1e, body %.1e", name[i], i < 4 ? "" : "not ", top, body);
        ok(i < 4 ? volume < 1e-11 && other < 1e-11 : volume > 1e-7, "it %s the volume: %.1e, %.1e",
           i < 4 ? "keeps" : "does not keep", volume, other);
    }
}

int main(void)
{
    make_grounds();
    formula();
    same_body();
    same_as_rattle();
    rounds();
    for (int i = 0; i < MOST; i++) bits(&grounds[i]), orders(&grounds[i]);
    manakov();
    free_body();
    heavy_top();
    lagrange_top();
    poisson();
    close_grounds();
    return tap_done();
}
