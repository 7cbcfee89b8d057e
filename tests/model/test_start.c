/* test_start.c - where a model begins and how its state is made: starts, velocities, rotations, order, brackets, flows,
 * constraints. SPDX-License-Identifier: BSD-3-Clause */
#include "support/kernel_files.h"

/* The start of a text is these numbers. */
static void starts(const char *text, int n, const double *want, double tolerance, const char *what)
{
    loaded l;
    int good = load(&l, text) && l.m->dim == n;

    for (int i = 0; i < n && good; i++)
        if (!(fabs(l.m->y0[i] - want[i]) <= tolerance))
            printf("# component %d: got %.17g, want %.17g\n", i + 1, l.m->y0[i], want[i]), good = 0;
    if (!ok(good, "%s", what) && l.status) printf("# %s\n", trouble(&l));
    unload(&l);
}
#define STARTS(text, what, ...) \
    starts(text, (int)COUNT(((double[]){ __VA_ARGS__ })), (double[]){ __VA_ARGS__ }, 0, what)
#define STARTS_NEAR(tolerance, text, what, ...) \
    starts(text, (int)COUNT(((double[]){ __VA_ARGS__ })), (double[]){ __VA_ARGS__ }, tolerance, what)

/* --- values ------------------------------------------------------------------------------------------------------ */

static void values(void)
{
    loaded l;

    STARTS("canonical q[2], p[2]\nH = sq(p)\n", "what is never set is 0", 0, 0, 0, 0);
    STARTS("canonical q[2], p[2]\nH = sq(p)\nstart q = 3, p = [1, 2]\n", "a number fills an array", 3, 3, 1, 2);
    STARTS("canonical q[2,2], p[2,2]\n"
           "H = sq(p)\n"
           "start q[2] = 5, p[i = 1..2] = i, p[1,2] = 7\n",
           "also what is left of it", 0, 0, 5, 5, 1, 7, 2, 2);
    STARTS("param a = 2\n"
           "state x, y, z\n"
           "x' = 0\n"
           "y' = 0\n"
           "z' = 0\n"
           "let s = x + y\n"
           "start x = a, y = 10*x, z = s, x = 5\n",
           "in order: right sides see the values set before", 5, 20, 22);
    STARTS("state x, y\n"
           "x' = 0\n"
           "y' = 0\n"
           "start x = y + 1, y = x + 1\n"
           "start x = y + 1\n",
           "those of later statements come later", 3, 2);
    STARTS("state x[3]\n"
           "x' = 0*x\n"
           "start x = [1, 2, 3], x = 2*x, x[i = 1..2] = x[i+1]\n",
           "of all components at once: right sides use the values before", 4, 6, 6);
    STARTS("param n = 3\n"
           "state x[n,n]\n"
           "x' = 0*x\n"
           "start x[i = 1..n, j = 1..i] = 10*i + j\n",
           "of a triangle", 11, 0, 0, 21, 22, 0, 31, 32, 33);
    STARTS("state x[4]\nx' = 0*x\nstart x[2] = 1, x[i = 3..4] = i\n", "of some components", 0, 1, 3, 4);
    STARTS("canonical q, p\n"
           "H = p^2/2 + q^2/2\n"
           "start q = 3, p = sqrt(2*(12.5 - H))\n",
           "right sides may use H, of the state as it is", 3, 4);
    STARTS("canonical q, p\n"
           "H = p^2/2\n"
           "let f(x) = x^2\n"
           "start q = f(3), p = sum(i = 1..100, i)\n",
           "functions, sums", 9, 5050);
    ok(load(&l, "state x\n"
                "x' = 0\n"
                "start t = -1, x = t\n") &&
           l.m->t0 == -1 && l.m->y0[0] == -1,
       "t is set first where it stands first"),
        unload(&l);
    ok(load(&l, "param n = 1000\n"
                "state x[n]\n"
                "x' = 0*x\n"
                "start x[i = 1..n] = if(i > 1, i - 1, 0)^2, x[i = 2..n] = x[i] + x[1] + 0.5\n") &&
           l.m->y0[0] == 0 && l.m->y0[999] == 999. * 999 + 0.5,
       "long ones"),
        unload(&l);
}

/* --- the order of the state -------------------------------------------------------------------------------------- */

static void order(void)
{
    loaded l;

    STARTS("canonical a[2], b[2]\n"
           "canonical c, d\n"
           "H = sq(b) + d^2\n"
           "start a = [1, 2], b = [3, 4], c = 5, d = 6\n",
           "all positions, then all momenta", 1, 2, 5, 3, 4, 6);
    STARTS("canonical a, b, c, d\n"
           "H = b^2 + d^2\n"
           "start a = 1, b = 2, c = 3, d = 4\n",
           "several pairs of one statement", 1, 3, 2, 4);
    STARTS("state x, v, y, w\n"
           "partition v, w\n"
           "x' = v\n"
           "v' = -x\n"
           "y' = w\n"
           "w' = -y\n"
           "start x = 1, v = 2, y = 3, w = 4\n",
           "what a partition names comes last", 1, 3, 2, 4);
    ok(load(&l, "state x, v\n"
                "partition v\n"
                "x' = v\n"
                "v' = -x\n") &&
           l.s->nq == 1 && l.s->force && l.s->inverse_mass && *l.s->inverse_mass == 1,
       "a partition into halves is one for partitioned methods"),
        unload(&l);
    ok(load(&l, "state x, v\n"
                "partition v\n"
                "x' = 3*v\n"
                "v' = -x*v\n") &&
           l.s->nq == 1 && l.s->field && l.s->inverse_mass && *l.s->inverse_mass == 3,
       "q' = m p is known where p' depends on p, too"),
        unload(&l);
    ok(load(&l, "state x, v\n"
                "partition v\n"
                "x' = v^3\n"
                "v' = -x*v\n") &&
           l.s->nq == 1 && l.s->field && !l.s->inverse_mass,
       "... and not where there are no masses"),
        unload(&l);
    ok(load(&l, "state x, v\n"
                "partition v\n"
                "x' = t*v\n"
                "v' = -x*v\n") &&
           l.s->field && !l.s->inverse_mass,
       "... or where they change with the time"),
        unload(&l);
    ok(load(&l, "state x, v\n"
                "x' = v\n"
                "v' = -x\n") &&
           l.s->nq == 0 && l.s->field,
       "without it there is one field"),
        unload(&l);
    if (ok(load(&l, "canonical q[2], p[2]\n"
                    "H = sq(p)/2 + q[1]\n") &&
               l.s->nq == 2 && l.s->nblocks == 2,
           "each variable is a block")) {
        ok(l.s->blocks[0].kind == LBR_POSITION, "positions are one");
        ok(l.s->blocks[1].kind == LBR_MOMENTUM, "momenta are one");
        ok(!strcmp(l.s->blocks[1].name, "p"), "blocks have the names of variables");
    }
    unload(&l);
    STARTS_NEAR(1e-15,
                "rotation Q, y\n"
                "H = sq(y)/2\n"
                "start y = [1, 2, 3]\n",
                "an attitude that is never set is the identity", 1, 0, 0, 0, 1, 2, 3);
    STARTS_NEAR(1e-15,
                "rotation Q[2], y[2]\n"
                "H = sq(y)/2\n"
                "start Q[2] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], y[1] = [1, 2, 3]\n",
                "several: quaternions, then momenta", 1, 0, 0, 0, sqrt(0.5), 0, 0, sqrt(0.5), 1, 2, 3, 0, 0, 0);
}

/* --- velocities -------------------------------------------------------------------------------------------------- */

static void velocities(void)
{
    loaded l;
    double v[3], q[3] = { 0.3, -0.4, 0.5 };

    STARTS_NEAR(1e-15,
                "param m = [2, 5]\n"
                "canonical q[2], p[2]\n"
                "H = p[1]^2/(2*m[1]) + p[2]^2/(2*m[2])\n"
                "start q = 1, q' = [3, 4]\n",
                "masses on the diagonal", 1, 1, 6, 20);
    STARTS_NEAR(1e-14,
                "param A = [[2, 1], [1, 3]]\n"
                "canonical q[2], p[2]\n"
                "H = dot(p, A^-1*p)/2\n"
                "start q' = [3, 4]\n",
                "a full matrix", 0, 0, 10, 15);
    STARTS_NEAR(1e-14,
                "canonical q[2], p[2]\n"
                "H = (p[1]^2/(1 + q[2]^2) + p[2]^2 + 2*p[1]*p[2]*q[1]/10)/2\n"
                "start q = [1, 2], q' = [3, 4]\n",
                "one that depends on the positions", 1, 2, (3 - 0.1 * 4) / (0.2 - 0.01),
                4 - 0.1 * (3 - 0.1 * 4) / (0.2 - 0.01));
    STARTS_NEAR(1e-14,
                "canonical q[2], p[2]\n"
                "L = (q[1]'^2*(1 + q[2]^2) + 3*q[2]'^2)/2 + q[1]'*q[2] - sq(q)\n"
                "start q = [1, 2], q' = [3, 4]\n",
                "with a term that is linear in the velocity", 1, 2, 17, 12);
    STARTS_NEAR(1e-13, "canonical q, p\nH = sqrt(1 + p^2)\nstart q' = 0.6\n", "not quadratic: by iteration", 0, 0.75);
    STARTS_NEAR(1e-15, "canonical q, p, r, s\nH = p^2/2 + s^2\nstart r' = 3\n", "other velocities are 0", 0, 0, 0, 1.5);
    STARTS_NEAR(1e-14,
                "canonical q[2], p[2]\n"
                "param w = 2\n"
                "H = sq(p)/2 + w*(q[1]*p[2] - q[2]*p[1])\n"
                "start q = [1, 2], q' = 0\n",
                "rest in a rotating frame", 1, 2, 4, -2);
    STARTS_NEAR(1e-15,
                "canonical q, p\n"
                "H = p^2/4\n"
                "start q' = 3, q = 2\n",
                "a velocity may stand before the position", 2, 6);
    ok(load(&l, "canonical q[3], p[3]\n"
                "let n = q/norm(q)\n"
                "H = (sq(p) + 3*dot(p, n)^2)/2\n"
                "start q = [0.3, -0.4, 0.5], q' = [1, -2, 4]\n"),
       "a matrix that is the identity and a dyad");
    if (l.m) {
        double gradient[6] = { 0 }, n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], pn = 0;

        for (int i = 0; i < 3; i++) pn += l.m->y0[3 + i] * q[i];
        for (int i = 0; i < 3; i++) gradient[i] = l.m->y0[3 + i] + 3 * pn * q[i] / n2, v[i] = (double[]){ 1, -2, 4 }[i];
        ok(fabs(gradient[0] - v[0]) + fabs(gradient[1] - v[1]) + fabs(gradient[2] - v[2]) < 1e-14,
           "its momenta give these velocities");
    }
    unload(&l);
    STARTS_NEAR(1e-15, "canonical q, p\nH = exp(p)\nstart q' = 5\n", "an exponential", 0, log(5));
    STARTS_NEAR(1e-15,
                "canonical q[2], p[2]\n"
                "H = (sqrt(1 + sq(p)) + q[1]*p[1]/3 - (q[1] - 1e-16)*p[1]/3) + q[2]\n"
                "start q = 1, q' = 0\n",
                "momenta that are nothing but rounding", 1, 1, 0, 0);
    refused("canonical q, p\nH = p\nstart q' = 2\n", "3:7", "momenta");
    refused("canonical q, p\nH = sqrt(1 + p^2) + q^2/2\nstart q = 0, q' = 2\n", "3:14", "momenta");
    refused("canonical q, p\nH = sin(p) + q^2/2\nstart q = 0, q' = 2\n", "3:14", "momenta");
    refused("canonical q, p\nH = p^2/2 + abs(p)\nstart q' = 0.5\n", "3:7", "momenta");
    refused("canonical q[2], p[2]\nH = sqrt(1 + sq(p))\nstart q' = [0.8, 0.8]\n", "3:7", "momenta");
    refused("state x\n"
            "x' = 1\n"
            "start x' = 2\n",
            "3:7", "positions x");
}

/* --- rotations --------------------------------------------------------------------------------------------------- */

/* The matrix that a start sets is the one that expressions see. */
static void turned(double e0, double e1, double e2, double e3)
{
    char text[600];
    double Q[9], W[9];
    loaded l;
    int good;

    snprintf(text, sizeof text,
             "rotation Q, y\n"
             "H = sq(y)/2\n"
             "param R = quaternion(%.17g, %.17g, %.17g, %.17g)\n"
             "start Q = R\n"
             "observe a = Q, b = R\n",
             e0, e1, e2, e3);
    good = load(&l, text) && observed(&l, "a", Q, 9) == 9 && observed(&l, "b", W, 9) == 9;
    for (int i = 0; i < 9 && good; i++) good = fabs(Q[i] - W[i]) < 4e-16;
    if (!ok(good, "a rotation is kept: (%g, %g, %g, %g)", e0, e1, e2, e3) && l.status) printf("# %s\n", trouble(&l));
    unload(&l);
}

static void rotations(void)
{
    turned(1, 0, 0, 0), turned(0, 1, 0, 0), turned(0, 0, 1, 0), turned(0, 0, 0, 1), turned(1, 2, 3, 4),
        turned(-1, 2, -3, 4), turned(1e-9, 1, 0, 0), turned(0.1, 0.9, -0.8, 0.3), turned(0.1, 0.2, 0.9, -0.3),
        turned(0.1, 0.2, -0.3, 0.9), turned(5, -1, 0.3, 0.2);
    STARTS_NEAR(1e-15,
                "param a = pi/3\n"
                "rotation Q, y\n"
                "H = sq(y)/2\n"
                "start Q = [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]], y = Q^T*[0, 0, 2]\n",
                "right sides see the matrix", cos(acos(-1) / 6), sin(acos(-1) / 6), 0, 0, 0, 2 * sin(acos(-1) / 3),
                2 * cos(acos(-1) / 3));
}

/* --- brackets and flows ------------------------------------------------------------------------------------------ */

static void field(const char *text, int n, const double *want, double tolerance, const char *what)
{
    double f[20] = { 0 };
    loaded l;
    int good = load(&l, text) && l.m->dim == n && l.s->field && !l.s->field(l.m->t0, l.m->y0, f, l.s->ctx);

    for (int i = 0; i < n && good; i++)
        if (!(fabs(f[i] - want[i]) <= tolerance))
            printf("# component %d: got %.17g, want %.17g\n", i + 1, f[i], want[i]), good = 0;
    if (!ok(good, "%s", what) && l.status) printf("# %s\n", trouble(&l));
    unload(&l);
}
#define FIELD(text, what, ...) \
    field(text, (int)COUNT(((double[]){ __VA_ARGS__ })), (double[]){ __VA_ARGS__ }, 1e-14, what)

static void brackets(void)
{
    FIELD("state u, v\n"
          "H = u - log(u) + v - 2*log(v)\n"
          "poisson {u, v} = u*v\n"
          "start u = 2, v = 3\n",
          "y' = B grad H; the other half follows", 6 * (1 - 2 / 3.), -6 * (1 - 0.5));
    FIELD("state u, v\n"
          "H = u - log(u) + v - 2*log(v)\n"
          "poisson {u, v} = u*v, {v, u} = -u*v\n"
          "start u = 2, v = 3\n",
          "both halves given, and not counted twice", 6 * (1 - 2 / 3.), -6 * (1 - 0.5));
    FIELD("param I = [1, 2, 3]\n"
          "state y[3]\n"
          "H = (y[1]^2/I[1] + y[2]^2/I[2] + y[3]^2/I[3])/2\n"
          "poisson {y, y} = hat(y)\n"
          "start y = [1, 2, 3]\n",
          "of vectors: a matrix", 3 * 1 * -1 + 2 * 1. * 1, 3 * 1. - 1 * 1, -2 * 1. + 1 * 1);
    FIELD("state y[3], u\n"
          "H = sq(y)/2 + u\n"
          "poisson {y[1], u} = 2, {y[2], y[3]} = 1\n"
          "start y = [1, 2, 3], u = 4\n",
          "of components; what is not given is 0", 2, 3, -2, -2);
    FIELD("state x[3], y[3]\n"
          "H = sq(y)/2 + x[1]\n"
          "poisson {x[i = 1..3], y[j = 1..3]} = delta(i, j)\n"
          "start y = [1, 2, 3]\n",
          "families", 1, 2, 3, -1, 0, 0);
    FIELD("state x[3], y[3]\n"
          "H = sq(y)/2 + x[1]\n"
          "poisson {x, y} = identity(3)\n"
          "start y = [1, 2, 3]\n",
          "of two vectors", 1, 2, 3, -1, 0, 0);
    FIELD("state x[2]\n"
          "part a = x[1]^2/2\n"
          "part b = x[2]^2/2\n"
          "poisson {x[1], x[2]} = 3\n"
          "start x = [1, 2]\n",
          "with parts", 6, -3);
}

static void parts_and_flows(void)
{
    loaded l;
    double y[2] = { 0.5, 2 };

    ok(load(&l, "canonical q, p\n"
                "part T = p^2/2\n"
                "part V = q^4\n"
                "flow T(s): q = q + s*p\n"
                "start q = 1, p = 1\n") &&
           l.s->parts && l.s->parts->count == 2,
       "a flow by hand that is the flow of its part");
    if (l.s && l.s->parts)
        l.s->parts->part[0].flow(0, 0.25, y, l.s->parts->part[0].ctx), ok(y[0] == 1 && y[1] == 2, "and is used");
    unload(&l);
    ok(!load(&l, "canonical q, p\n"
                 "part T = p^2/2\n"
                 "part V = q^4\n"
                 "flow T(s): q = q + 2*s*p\n"
                 "start q = 1, p = 1\n") &&
           strstr(trouble(&l), "'T'") && strstr(trouble(&l), "flow"),
       "a wrong flow is refused"),
        unload(&l);
    ok(!load(&l, "canonical q, p\n"
                 "part T = p^2/2\n"
                 "part V = q^4\n"
                 "flow T(s): q = q + s*p + 1\n"
                 "start q = 1, p = 1\n") &&
           strstr(trouble(&l), "'T'"),
       "so is one that does not begin at the start"),
        unload(&l);
    ok(!load(&l, "canonical q, p\n"
                 "part T = p^2/2\n"
                 "part V = q^4\n"
                 "flow V(s): p = p - 4*s*q^3 + s^2\n"
                 "start q = 1, p = 1\n") &&
           strstr(trouble(&l), "'V'"),
       "so is one whose derivative is right at s = 0 only"),
        unload(&l);
    ok(load(&l, "canonical q, p\n"
                "part T = p^2/2 + q^2/2\n"
                "part V = q^4\n"
                "flow T(s): q = q*cos(s) + p*sin(s), p = p*cos(s) - q*sin(s)\n"
                "start q = 1, p = 2\n"),
       "right sides use the values before"),
        unload(&l);
    ok(load(&l, "state x, y\n"
                "part a: x' = y\n"
                "part b: y' = -x\n"
                "start x = 1, y = 2\n") &&
           l.s->field,
       "parts of a field: what is not named rests");
    if (l.s && l.s->field)
        l.s->field(0, (double[]){ 1, 2 }, y, l.s->ctx), ok(y[0] == 2 && y[1] == -1, "their sum is the field");
    unload(&l);
    ok(load(&l, "canonical q, p\n"
                "H = p^2/2 + q^2\n"
                "reverse q = -q\n"
                "start q = 1, p = 2\n"),
       "another reversing involution"),
        unload(&l);
    ok(load(&l, "state x[3]\n"
                "x' = x\n"
                "reverse x = [x[2], x[1], -x[3]]\n"
                "start x = [1, 2, 3]\n"),
       "one that exchanges components: right sides use the values before"),
        unload(&l);
}

/* --- constraints ------------------------------------------------------------------------------------------------- */

/* Constraints of positions are looked at where a plan starts. */
static lbr_status started(const loaded *l, lbr_message *message)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, "rattle", l->s, NULL);

    if (!status) status = lbr_start(plan, l->m->t0, 0.01, l->m->y0);
    if (status) lbr_fail(message, status, "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
    return status;
}

static lbr_status on(const char *text, const char *words)
{
    lbr_message message = { 0 };
    lbr_status status = LBR_EUNFIT;
    loaded l;

    if (!load(&l, text)) printf("# %s\n", trouble(&l));
    else status = l.m->nq ? started(&l, &message) : lbr_model_consistent(l.m, l.m->t0, l.m->y0, &message);
    if (status && !has_words(message.text, words)) printf("# %s\n", message.text), status = LBR_EUNFIT;
    unload(&l);
    return status;
}

static void constraints(void)
{
#define PENDULUM "canonical q[2], p[2]\nH = sq(p)/2 + q[2]\nconstraint length = sq(q) - 1\n"
    ok(on(PENDULUM "start q = [0.6, -0.8], p = [0.8, 0.6]\n", "") == LBR_OK, "on the constraint");
    ok(on(PENDULUM "start q = [sin(0.3), -cos(0.3)], p = [2*cos(0.3), 2*sin(0.3)]\n", "") == LBR_OK,
       "but for rounding");
    ok(on(PENDULUM "start q = [0.6, -0.8 - 1e-9]\n", "") == LBR_OK, "off by 1e-9");
    ok(on(PENDULUM "start q = [0.6, -0.8 - 1e-7]\n", "length position 1e-08 project_start") == LBR_EARG,
       "off by 1e-7 is an error");
    ok(on(PENDULUM "start q = [0.6, -0.8], p = [0.8, 0.6 - 1e-9]\n", "") == LBR_OK, "a velocity off by 1e-9");
    ok(on(PENDULUM "start q = [0.6, -0.8], p = [0.8, 0.6 - 1e-6]\n", "length velocity project_start") == LBR_EARG,
       "by 1e-6 is an error");
    ok(on(PENDULUM "start q = [0, 0]\n", "length position") == LBR_EARG, "where the gradient vanishes");
    ok(on("canonical q[2], p[2]\n"
          "H = sq(p)/2\n"
          "constraint length = sq(q) - 1e24\n"
          "start q = [6e11, -8e11], p = [8e5, 6e5]\n",
          "") == LBR_OK,
       "scaled: metres between planets");
    ok(on("canonical q[2], p[2]\n"
          "H = sq(p)/2\n"
          "constraint length = sq(q) - 1e-24\n"
          "start q = [6e-13, -8.01e-13]\n",
          "length") == LBR_EARG,
       "scaled: between atoms");
    ok(on("canonical q[3], p[3]\n"
          "H = sq(p)/2\n"
          "constraint plane = q[3]\n"
          "start q = [1, 2, 0], p = [3, 4, 0]\n",
          "") == LBR_OK &&
           on("canonical q[3], p[3]\n"
              "H = sq(p)/2\n"
              "constraint plane = q[3]\n"
              "start q = [1, 2, 1e-6]\n",
              "plane") == LBR_EARG,
       "a plane");
    ok(on("canonical q[3], p[3]\n"
          "param A = [[2, 1, 0], [1, 3, 0], [0, 0, 1]]\n"
          "H = dot(p, A^-1*p)/2\n"
          "constraint c = q[1]\n"
          "start q = [0, 1, 2], p = [1, 3, 5]\n",
          "") == LBR_OK,
       "velocities, not momenta, are tangent");
    ok(on("canonical q[2], p[2]\n"
          "L = sq(q')/2\n"
          "constraint c = q[1]\n"
          "start q' = [1, 0], q = [0, 1]\n",
          "c velocity") == LBR_EARG,
       "from L");
    ok(on("canonical q[4,2], p[4,2]\n"
          "H = sq(p)/2\n"
          "constraint link[i = 1..3] = sq(q[i+1] - q[i]) - 1\n"
          "start q[i = 1..4, 1] = i, q[4,2] = 0.01\n",
          "link position") == LBR_EARG,
       "one of a family");
    ok(on("param n = 100\n"
          "canonical q[n,3], p[n,3]\n"
          "H = sq(p)/2\n"
          "constraint first = sq(q[1]) - 0.01, link[i = 2..n] = sq(q[i] - q[i-1]) - 0.01\n"
          "start q[i = 1..n] = [0.1*i, 0, 0], p[i = 1..n] = [0, 0.1*i, 0]\n",
          "") == LBR_OK,
       "a hundred links, but for rounding");
    ok(on("canonical q[2], p[2]\n"
          "H = sq(p)/2\n"
          "constraint c = sum(p = 1..2, q[p]^2) - 1, d[p = 1..1] = q[p]\n"
          "start q = [0, 1]\n",
          "") == LBR_OK,
       "an index may be called as a momentum is");
    ok(on("state y[3]\n"
          "y' = cross(y, [1, 2, 3])\n"
          "constraint sphere = sq(y) - 1\n"
          "start y = [0, 0.6, 0.8]\n",
          "") == LBR_OK &&
           on("state y[3]\n"
              "y' = cross(y, [1, 2, 3])\n"
              "constraint sphere = sq(y) - 1\n"
              "start y = [0, 0.6, 0.81]\n",
              "sphere manifold") == LBR_EARG,
       "the manifold of variables of state");
}

int main(void)
{
    values();
    order();
    velocities();
    rotations();
    brackets();
    parts_and_flows();
    constraints();
    return tap_done();
}
