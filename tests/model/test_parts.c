/* test_parts.c - exact flows of the parts of models: which are found, that they are exact, that splitting uses them
 * rightly. SPDX-License-Identifier: BSD-3-Clause
 *
 * A flow is compared with gauss:8 and small steps of the part's own field, which agrees to round-off; a flow of
 * anything else does not. */
#include "support/modelled.h"

#include <libration.h>

enum { LARGE = 20000 };

static int made(modelled *x, const char *text)
{
    static char all[8000];

    snprintf(all, sizeof all, "%s\nrun method = rk4, step = 1, steps = 1\n", text);
    return strchr(text, ' ') || strchr(text, '\n') ? open_text(x, all) : open_model(x, text);
}

static const lbr_part *part_of(const modelled *x, const char *name)
{
    for (int64_t k = 0; x->s && x->s->parts && k < x->s->parts->count; k++)
        if (!strcmp(x->s->parts->part[k].name, name)) return x->s->parts->part + k;
    return NULL;
}

static double apart(const double *a, const double *b, int64_t n)
{
    double worst = 0, most = 1e-300;

    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i])), most = fmax(most, fabs(b[i]));
    return isfinite(worst) ? worst / most : HUGE_VAL;
}

/* n steps of a method for a field; 0: it failed. */
static int integrated(const lbr_system *s, const char *method, double t, double time, int n, double *y)
{
    lbr_plan *plan;
    int good = !lbr_plan_create(&plan, method, s, NULL) && !lbr_start(plan, t, time / n, y) &&
               !lbr_run(plan, n, 0, NULL, NULL) && !lbr_read(plan, NULL, y);

    if (!good) printf("# %s\n", plan ? lbr_plan_message(plan) : "no memory");
    lbr_plan_free(plan);
    return good;
}

/* --- flows that must be there, and exact ------------------------------------------------------------------------- */

/* The part's field alone; with the time at rest, which the field of a plan has not. */
typedef struct alone {
    lbr_function f;
    double t;
} alone;

static int at_rest(double t, const double *y, double *out, void *ctx)
{
    return lbr_function_call(((alone *)ctx)->t, y, out, &((alone *)ctx)->f);
}

static double flow_error(modelled *x, const lbr_part *part, double s, int steps)
{
    static double y[LARGE], want[LARGE];
    int64_t n = x->m->dim, k = part - x->s->parts->part;
    alone one = { .t = x->m->t0 + 0.3 };
    lbr_system system = LBR_SYSTEM(.dim = n, .field = at_rest, .ctx = &one);

    memcpy(y, x->m->y0, (size_t)n * sizeof *y), memcpy(want, y, (size_t)n * sizeof *y);
    if (!lbr_function_make(x->m, &one.f, x->m->part[k].field, -1, 0, &x->message)) return HUGE_VAL;
    if (part->flow(one.t, s, y, part->ctx) || !integrated(&system, "gauss:8", 0, s, steps, want)) return HUGE_VAL;
    return apart(y, want, n);
}

/* flow(a) flow(b) = flow(a + b), there and back, and y + increment = flow. */
static double group_error(const modelled *x, const lbr_part *part, double s)
{
    static double y[LARGE], z[LARGE], dy[LARGE];
    int64_t n = x->m->dim;
    double t = x->m->t0 + 0.3, worst;
    int bad;

    memcpy(y, x->m->y0, (size_t)n * sizeof *y), memcpy(z, y, (size_t)n * sizeof *y);
    bad = part->flow(t, s / 4, y, part->ctx) || part->flow(t, 3 * s / 4, y, part->ctx) ||
          part->flow(t, s, z, part->ctx);
    worst = apart(y, z, n);
    bad |= part->flow(t, -s, z, part->ctx), worst = fmax(worst, apart(z, x->m->y0, n));
    memcpy(z, x->m->y0, (size_t)n * sizeof *z);
    bad |= part->increment(t, s, z, dy, part->ctx) || part->flow(t, s, z, part->ctx);
    for (int64_t i = 0; i < n; i++) dy[i] += x->m->y0[i];
    return bad ? HUGE_VAL : fmax(worst, apart(dy, z, n));
}

static void exact(const char *what, const char *text, const char *parts, double s, int steps)
{
    modelled x;
    char name[64];
    int used;

    if (ok(made(&x, text), "%s", what))
        for (; sscanf(parts, " %63s%n", name, &used) == 1; parts += used) {
            const lbr_part *p = part_of(&x, name);
            double e, g;

            if (!ok(p && p->flow && p->increment && !p->missing, "%s: %s has a flow", what, name)) {
                printf("# %s\n", p && p->missing ? p->missing : "?");
                continue;
            }
            e = fmax(flow_error(&x, p, s, steps), flow_error(&x, p, -s / 3, steps)),
            g = fmax(group_error(&x, p, s), group_error(&x, p, -3 * s));
            ok(e < 2e-12 && g < 1e-12, "%s: %s is exact (%.0e) and a group (%.0e)", what, name, e, g);
        }
    close_model(&x);
}

#define Q1     "canonical q, p\n"
#define Q2     "canonical q[2], p[2]\n"
#define START2 "\nstart q = [1, 0.3], p = [0.2, 1.1]"
#define REST   "\npart rest = 0"

static void flows(void)
{
    exact("schroedinger", "use schroedinger: N = 16", "T V", 0.1, 100);
    exact("wavepacket", "wavepacket", "T V", 0.3, 200);
    exact("abc-flow", "abc-flow", "a b c", 1.5, 10);
    exact("lotka-volterra-poisson", "lotka-volterra-poisson", "K M", 0.7, 100);
    exact("rigid-body-poisson", "rigid-body-poisson", "R1 R2 R3", 0.9, 50);
    exact("fpu", "fpu", "fast slow", 0.4, 200);
    exact("sine-gordon", "use sine-gordon: n = 32", "fast slow", 0.4, 100);
    exact("three-frequencies", "three-frequencies", "fast slow", 0.2, 200);
    exact("modes", "modes", "fast slow", 0.05, 200);
    exact("triatomic", "triatomic", "fast slow", 0.05, 200);
    exact("adiabatic", "adiabatic", "slow", 0.5, 50);
    exact("satellite", "satellite", "slow", 0.1, 20);
    exact("Kepler, plane", Q2 "part K = sq(p)/2 - 1/norm(q)" REST START2, "K", 2.5, 400);
    exact("Kepler, space, heavy, and given otherwise",
          "canonical q[3], p[3]\n"
          "part K = p[1]^2/6 + p[2]^2/6 + p[3]^2/6 - 2.5*sq(q)^(-1/2)\n"
          "start q = [1, 0.3, -0.2], p = [0.2, 1.1, 0.4]",
          "K", 2.5, 400);
    exact("Kepler, on a line",
          "canonical q[1], p[1]\n"
          "part K = sq(p)/2 - 0.5/norm(q)\n"
          "start q = [2], p = [0.9]",
          "K", 0.2, 100);
    exact("a number for a position", Q1 "part K = p^2/2 - 0.5/abs(q)\nstart q = 2, p = 0.9", "K", 0.2, 100);
    exact("repelled", Q2 "part K = sq(p)/2 + 1/norm(q)" START2, "K", 2.5, 400);
    exact("four bodies",
          "param n = 4, m = [1, 0.5, 2, 0.01]\n"
          "canonical q[n,3], p[n,3]\n"
          "part K = sum(i = 1..n, sq(p[i])/(2*m[i]) - (2 + i)*m[i]/norm(q[i]))\n"
          "start q[i = 1..n] = [i, 0.3*i, 0.1], p[i = 1..n] = m[i]*[0.1, 1/i, 0.2]",
          "K", 1.5, 400);
    exact("two hundred bodies",
          "param n = 200\n"
          "canonical q[n,2], p[n,2]\n"
          "part K = sum(i = 1..n, sq(p[i])/2 - 1/norm(q[i]))\n"
          "start q[i = 1..n] = [1 + i/200, 0], p[i = 1..n] = [0.1, 1]",
          "K", 0.5, 50);
    exact("bodies with names, one free and one that rests",
          "canonical a[2], pa[2], b[3], pb[3], c[2], pc[2], d, pd\n"
          "part K = sq(pa)/2 - 1/norm(a) + sq(pb)/4 - 3/norm(b) + sq(pc)/14 + cos(1)\n"
          "start a = [1, 0], pa = [0, 1], b = [1, 2, 0], pb = [1, 0, 1], c = [1, 1], pc = [2, 3], d = 0.5, pd = 0.25",
          "K", 1.5, 300);
    exact("pushed oscillators",
          "canonical q[3], p[3]\n"
          "part A = sum(i = 1..3, p[i]^2/2 + i*q[i]^2/2 - q[i]) + q[1]*q[2]/9 + p[3]/5 + 1\n"
          "start q = [1, 2, 3], p = [0, 1, 2]",
          "A", 2, 100);
    exact("damped rates",
          "state x, y, z\n"
          "part A: x' = -x/2 + y, y' = -x - y/3 + 1, z' = 2\n"
          "start x = 1, y = 2",
          "A", 1.5, 100);
    exact("rates in t at rest",
          "state x, y\n"
          "part A: x' = sin(t)*y^2, y' = 0\n"
          "part B: y' = cos(x)\n"
          "start x = 1, y = 2",
          "A B", 1.5, 10);
    exact("one column drives the other",
          "param n = 40\n"
          "state x[n,2]\n"
          "part A: x[i = 1..n, 2]' = x[i,1]^2*x[wrap(i + 1, n),1]\n"
          "part B: x[i = 1..n, 1]' = sin(x[i,2])\n"
          "start x[i = 1..n, j = 1..2] = sin(i + 7*j)",
          "A B", 1, 10);
    exact("of positions alone, in loops",
          "param n = 100\n"
          "canonical q[n], p[n]\n"
          "part V = sum(i = 1..n, if(i < n, q[i+1] - q[i], q[i])^4)\n"
          "part T = sum(i = 1..n, p[i]^4)/4\n"
          "start q[i = 1..n] = sin(i), p[i = 1..n] = cos(i)",
          "V T", 0.5, 10);
}

/* --- flows that must not be there -------------------------------------------------------------------------------- */

static const struct {
    const char *what, *text, *why;
} missing[] = {
    { "a softened centre", Q2 "part A = sq(p)/2 - 1/sqrt(sq(q) + 1e-18)" START2, "Kepler" },
    { "another power", Q2 "part A = sq(p)/2 - 1/norm(q)^1.000001" START2, "Kepler" },
    { "a fast particle", Q2 "part A = sqrt(1 + sq(p)) - 1/norm(q)" START2, "Kepler" },
    { "a weak spring", Q2 "part A = sq(p)/2 - 1/norm(q) + 1e-15*sq(q)" START2, "Kepler" },
    { "a relativistic term", Q2 "part A = sq(p)/2 - 1/norm(q) - 1e-15*sq(p)^2" START2, "Kepler" },
    { "a magnetic field", Q2 "part A = sq(p)/2 - 1/norm(q) + 1e-12*cross(q, p)" START2, "Kepler" },
    { "two masses in one body", Q2 "part A = p[1]^2/2 + p[2]^2/3 - 1/norm(q)" START2, "Kepler" },
    { "no mass", Q2 "part A = p[1]^2/2 - 1/norm(q)" START2, "Kepler" },
    { "a negative mass", Q2 "part A = -sq(p)/2 - 1/norm(q)" START2, "Kepler" },
    { "a centre elsewhere", Q2 "part A = sq(p)/2 - 1/norm(q - [0, 1e-9])" START2, "Kepler" },
    { "attraction that changes", Q2 "part A = sq(p)/2 - (1 + t)/norm(q)\npart B = p[1]" START2, "Kepler" },
    { "a wall far away", Q2 "part A = sq(p)/2 - 1/norm(q) + if(q[1] > 1e30, q[1], 0)" START2, "Kepler" },
    { "bodies that attract each other",
      "canonical q[2,2], p[2,2]\n"
      "part A = sq(p)/2 - 1/norm(q[1]) - 1/norm(q[2]) - 1e-15/norm(q[1] - q[2])\n"
      "start q = [[1, 0], [0, 2]], p = 0.5",
      "Kepler" },
    { "bodies whose momenta are coupled",
      "canonical q[2,2], p[2,2]\n"
      "part A = sq(p)/2 + 1e-15*dot(p[1], p[2]) - 1/norm(q[1]) - 1/norm(q[2])\n"
      "start q = [[1, 0], [0, 2]], p = 0.5",
      "Kepler" },
    { "the norm of all of them",
      "canonical q[2,2], p[2,2]\n"
      "part A = sq(p)/2 - 1/norm([q[1,1], q[1,2], q[2,1], q[2,2]])\n"
      "start q = [[1, 0], [0, 2]], p = 0.5",
      "Kepler" },
    { "linear with a jump", "state x, y\npart A: x' = y, y' = -x + 1e-9*floor(x)\nstart x = 1", "linear" },
    { "linear on a ring", "state x, y\npart A: x' = y, y' = -mod(x, 6)\nstart x = 1", "linear" },
    { "linear here and there", "state x, y\npart A: x' = y, y' = if(x > 0, -x, -x - 1)\nstart x = 1", "linear" },
    { "linear with sign", "state x, y\npart A: x' = y, y' = -x - sign(y)/9\nstart x = 1", "linear" },
    { "linear with t", "state x, y\npart A: x' = y, y' = -x*t\npart B: x' = 1\nstart x = 1", "linear" },
    { "a product", "state x, y, z\npart A: x' = y*z, y' = -x*z, z' = 0\nstart x = 1, z = 1", "linear" },
    { "quadratic", Q1 "part A = p^2/2 + q^3\nstart q = 1", "linear" },
    { "rates that move each other", "state x, y\npart A: x' = y^2, y' = x^2\nstart x = 1", "linear" },
    { "all depend on t", Q1 "part A = p^2/2 + t\npart B = q^2*sin(t)\npart C = t*p\nstart q = 1", NULL },
    { "none carries the time", Q1 "part A = p^2/2*t\npart B = q^2*sin(t)\nstart q = 1", "all parts depend on t" },
    { "a dissipation", Q1 "part A = p^2/2\npart B = q^2\nrayleigh = q'^2/9\nstart q = 1", "rayleigh" },
    { "very many coupled ones",
      "param n = 600\n"
      "canonical q[n], p[n]\n"
      "part A = sq(p)/2 + sum(i = 1..n, (q[wrap(i + 1, n)] - q[i])^2)\n"
      "start q = 1",
      "1024" },
};

static void refusals(void)
{
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++) {
        modelled x;
        int good = made(&x, missing[k].text);
        const lbr_part *p = part_of(&x, "A");
        lbr_plan *plan = NULL;

        if (!missing[k].why) {
            ok(good && p && p->flow, "%s in H but not in its field: it has a flow", missing[k].what), close_model(&x);
            continue;
        }
        if (good)
            good = lbr_plan_create(&plan, x.s->parts->count > 1 ? "split(strang, A, B)" : "split(strang, A, A)", x.s,
                                   NULL) == LBR_EUNFIT;
        if (ok(good && p && !p->flow && p->missing, "%s: no flow", missing[k].what)) {
            ok(strstr(p->missing, missing[k].why) != NULL, "and why: %s", p->missing);
            ok(strstr(lbr_plan_message(plan), p->missing) != NULL, "which the plan says too");
            ok(strstr(lbr_plan_message(plan), "A") != NULL, "with the name of the part");
        } else printf("# %s\n", plan ? lbr_plan_message(plan) : "?");
        lbr_plan_free(plan);
        close_model(&x);
    }
}

/* --- flows by hand ----------------------------------------------------------------------------------------------- */

static void by_hand(void)
{
    static const struct {
        const char *what, *text;
        int right;
    } given[] = {
        { "a turn",
          "part A = (p^2 + q^2)/2\n"
          "flow A(s): q = q*cos(s) + p*sin(s), p = p*cos(s) - q*sin(s)\n"
          "start q = 1",
          1 },
        { "the other way round",
          "part A = (p^2 + q^2)/2\n"
          "flow A(s): q = q*cos(s) - p*sin(s), p = p*cos(s) + q*sin(s)\n"
          "start q = 1",
          0 },
        { "right to first order", "part A = (p^2 + q^2)/2\nflow A(s): q = q + s*p, p = p - s*q\nstart q = 1", 0 },
        { "right to second order",
          "part A = (p^2 + q^2)/2\n"
          "flow A(s): q = q + s*p - s^2/2*q, p = p - s*q - s^2/2*p\n"
          "start q = 1",
          0 },
        { "not the identity", "part A = p^2/2\nflow A(s): q = q + s*p + 0.001\nstart p = 1", 0 },
        { "one that forgets", "part A = (p^2 + q^2)/2\nflow A(s): q = q*cos(s) + p*sin(s)\nstart q = 1, p = 1", 0 },
        { "wrong only where the start is not",
          "part A = p^2/2 + q*0\n"
          "flow A(s): q = q + 2*s*p\n"
          "start q = 1, p = 0",
          0 },
        { "a drift from rest", "part A = p^2/2\nflow A(s): q = q + s*p\nstart q = 1, p = 0", 1 },
        { "one that rests", "part A = 3\nflow A(s): q = q\nstart q = 1, p = 0", 1 },
        { "not a number", "part A = p^2/2\nflow A(s): q = q + s*p + s^2*log(q)\nstart q = -1, p = 1", 0 },
    };

    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        modelled x;
        char text[2000];
        int good;

        snprintf(text, sizeof text, Q1 "%s", given[k].text);
        good = made(&x, text);
        ok(good == given[k].right &&
               (good || (strstr(x.message.text, "the flow given for part 'A'") && strstr(x.message.text, "component"))),
           "%s: %s", given[k].what, given[k].right ? "taken" : "refused, in words");
        close_model(&x);
    }
}

/* --- splitting with them ----------------------------------------------------------------------------------------- */

static double split_error(const modelled *x, const char *method, double time, int n, const double *want)
{
    static double y[LARGE];

    memcpy(y, x->m->y0, (size_t)x->m->dim * sizeof *y);
    return integrated(x->s, method, x->m->t0, time, n, y) ? apart(y, want, x->m->dim) : HUGE_VAL;
}

static void order(const char *what, const char *text, const char *method, double time, int n, double wanted)
{
    static double want[LARGE];
    modelled x;
    double a, b, slope = 0;

    if (ok(made(&x, text), "%s", what)) {
        memcpy(want, x.m->y0, (size_t)x.m->dim * sizeof *want);
        if (!integrated(x.s, "gauss:6", x.m->t0, time, 20 * n, want)) want[0] = NAN;
        a = split_error(&x, method, time, n, want), b = split_error(&x, method, time, 2 * n, want), slope = log2(a / b);
        ok(fabs(slope - wanted) < 0.2 && b > 1e-11, "%s: %s has order %.2f (%.0e)", what, method, slope, b);
    }
    close_model(&x);
}

static void orders(void)
{
    order("schroedinger", "use schroedinger: N = 16", "split(strang, V, T)", 0.5, 50, 2);
    order("wavepacket", "wavepacket", "split(strang, V, T)", 1, 40, 2);
    order("abc-flow", "abc-flow", "split(strang, a, b, c)", 1, 40, 2);
    order("lotka-volterra-poisson", "lotka-volterra-poisson", "split(strang, M, K)", 1, 40, 2);
    order("rigid-body-poisson", "rigid-body-poisson", "split(strang, R3, R2, R1)", 1, 20, 2);
    order("fpu", "use fpu: omega = 5", "split(strang, slow, fast)", 1, 20, 2);
    order("modes", "use modes: eps = 0.3", "split(strang, slow, fast)", 1, 20, 2);
    order("two planets",
          "param m = [0.01, 0.02]\n"
          "canonical q[2,2], p[2,2]\n"
          "part K = sum(i = 1..2, sq(p[i])/(2*m[i]) - m[i]/norm(q[i]))\n"
          "part W = -m[1]*m[2]/norm(q[1] - q[2])\n"
          "start q = [[1, 0], [0, 2]], p[1] = m[1]*[0, 1], p[2] = m[2]*[-0.7, 0]",
          "split(strang, W, K)", 2, 40, 2);
    order("a driven oscillator, t with the first",
          Q1 "part A = p^2/2\n"
             "part B = q^2/2 - q*cos(2*t)\n"
             "start q = 1",
          "split(strang, A, B)", 1, 20, 2);
    order("the same, t with the second",
          Q1 "part B = q^2/2 - q*cos(2*t)\n"
             "part A = p^2/2\n"
             "start q = 1",
          "split(strang, B, A)", 1, 20, 2);
    order("fourth order, driven",
          Q1 "part A = p^2/2\n"
             "part B = q^2/2 - q*cos(2*t)\n"
             "start q = 1",
          "compose(suzuki:4, split(strang, A, B))", 1, 10, 4);
    order("rates in t",
          "state x, y\n"
          "part A: x' = sin(t)*y^2\n"
          "part B: y' = cos(x)\n"
          "start x = 1, y = 2",
          "split(strang, A, B)", 1, 20, 2);
}

/* Many steps of one exact flow alone: what is lost is round-off, and next to nothing with compensated sums of
 * increments. */
static void compensated(const char *what, const char *text, double h, int n, double gain)
{
    modelled x;
    double y[2][64], one[64], error[2] = { HUGE_VAL, HUGE_VAL };
    lbr_options o;

    if (!ok(made(&x, text), "%s", what)) {
        close_model(&x);
        return;
    }
    memcpy(one, x.m->y0, (size_t)x.m->dim * sizeof *one);
    x.s->parts->part[0].flow(0, h * n, one, x.s->parts->part[0].ctx);
    for (int k = 0; k < 2; k++) {
        lbr_plan *plan;

        lbr_options_init(&o), o.compensated = k;
        if (!lbr_plan_create(&plan, "split(strang, A, B)", x.s, &o) && !lbr_start(plan, 0, h, x.m->y0) &&
            !lbr_run(plan, n, 0, NULL, NULL) && !lbr_read(plan, NULL, y[k]))
            error[k] = apart(y[k], one, x.m->dim);
        else printf("# %s\n", plan ? lbr_plan_message(plan) : "?");
        lbr_plan_free(plan);
    }
    ok(error[1] < 3e-15 && error[1] * gain < error[0], "%s, %d steps: %.1e, compensated %.1e", what, n, error[0],
       error[1]);
    close_model(&x);
}

int main(void)
{
    flows(), refusals(), by_hand(), orders();
    compensated("linear", Q1 "part A = (p^2 + 2*q^2)/2\npart B = 0*q\nstart q = 1, p = 0.3", 0x1p-10, 100000, 10);
    compensated("Kepler", Q2 "part A = sq(p)/2 - 1/norm(q)\npart B = 0*q[1]" START2, 0x1p-10, 10000, 3);
    compensated("straight",
                "state x, y\n"
                "part A: x' = sin(y)\n"
                "part B: y' = 0\n"
                "start x = 1, y = 2",
                0x1p-10 * 1.1, 100000, 10);
    compensated("by hand",
                "state x, y\n"
                "part A: x' = sin(y)\n"
                "part B: y' = 0\n"
                "flow A(s): x = x + s*sin(y)\n"
                "start x = 1, y = 2",
                0x1p-10 * 1.1, 100000, 10);
    return tap_done();
}
