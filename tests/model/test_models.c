/* test_models.c - what the gallery's models give to plans: derivatives, bits, what is kept.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every derivative against differences in double-double, every bit against a second evaluator, every invariant along
 * its field. Derivatives are graphs themselves, so that both sides have about 29 digits: a difference with steps of
 * 1e-12 is then right to 1e-18, and a wrong term, sign or factor anywhere shows however small it is. */
#include "support/place.h"

#include "syntax/gallery.h"

enum { POINTS = 3, MOST_COMPONENTS = 24 };
typedef struct worst {
    double gradient, jacobian, hessian, symmetry, kept, broken, parts, plain;
    int bits;
} worst;
static void grow(double *most, double x)
{
    if (!(x <= *most)) *most = isnan(x) ? HUGE_VAL : x;
}

/* --- the interpreter: bits, and how far double is from double-double --------------------------------------------- */

/* How much a function changes when its variables change by their size. */
static double variation(place *e, const lbr_function *f)
{
    lbr_dd *out = malloc((size_t)f->len * sizeof *out), *v = malloc((size_t)e->x.m->dim * sizeof *v);
    double most = 0;

    memcpy(v, e->v, (size_t)e->x.m->dim * sizeof *v);
    direction(e, 8), difference(e, f, 0, out);
    for (int64_t i = 0; i < f->len; i++) most = fmax(most, fabs(out[i].hi));
    memcpy(e->v, v, (size_t)e->x.m->dim * sizeof *v);
    free(out), free(v);
    return most;
}

/* `from`: the first component that the function is given. */
static void check_function(place *e, const lbr_function *f, int64_t from, worst *w)
{
    int64_t n = f->len;
    double *out = calloc((size_t)n + 1, sizeof *out), most, d = 0;
    lbr_dd *want = calloc((size_t)n + 1, sizeof *want);
    const double *input[LBR_MODEL_INPUTS] = { e->y + from, e->w };

    if (f->code && !f->multiplied) {
        e->p.plain = 1, run(e, f, want), e->p.plain = 0;
        if (lbr_code_run(f->code, e->t, input, out)) w->bits++;
        for (int64_t i = 0; i < n; i++) w->bits += memcmp(&out[i], &want[i].hi, sizeof *out) != 0;
        run(e, f, want);
        most = 1e-300 + (from ? 0 : variation(e, f));
        for (int64_t i = 0; i < n; i++)
            most = fmax(most, fabs(want[i].hi)), d = fmax(d, fabs(dd_sub(want[i], dd(out[i])).hi));
        grow(&w->plain, d / most);
    }
    free(out), free(want);
}

static void check_bits(place *e, worst *w)
{
    lbr_functions *f = e->x.f;
    const lbr_function *of[] = { &f->energy, &f->force,     &f->dHdq,      &f->dHdp,
                                 &f->field,  &f->field_jvp, &f->force_jvp, &f->hessian_vec };

    direction(e, 7), go(e, 0, 0);
    for (int64_t i = 0; i < e->x.m->dim; i++) e->w[i] = e->v[i].hi;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) check_function(e, of[k], 0, w);
    check_function(e, &f->velocity, e->x.s->nq, w);
    for (int k = 0; k < e->x.m->ninvariants; k++) check_function(e, &f->invariant_function[k], 0, w);
    for (int k = 0; k < e->x.m->nobserved; k++) check_function(e, &f->observed[k].f, 0, w);
}

/* --- derivatives ------------------------------------------------------------------------------------------------- */

/* (-dR/dq')_i at q' = H_p, which the field is known to have. */
static lbr_dd dissipation(place *e, int64_t i)
{
    lbr_dd *v = calloc((size_t)e->x.m->dim, sizeof *v), a, b;

    memcpy(v, e->c, (size_t)e->x.m->nq * sizeof *v);
    e->p.input[2] = v;
    v[i] = dd_add(e->c[i], dd(STEP)), precise_run(&e->p, -1, e->x.m->rayleigh, &a);
    v[i] = dd_sub(e->c[i], dd(STEP)), precise_run(&e->p, -1, e->x.m->rayleigh, &b);
    e->p.input[2] = NULL;
    free(v);
    return dd_scale(0.5 / STEP, dd_sub(b, a));
}

/* The field of a canonical H, component by component, against differences of H; all with their sizes, so that units do
 * not matter. */
static void check_gradient(place *e, worst *w)
{
    const lbr_model *m = e->x.m;
    int64_t n = m->nq, count = m->dim < MOST_COMPONENTS ? m->dim : MOST_COMPONENTS;
    lbr_dd want[MOST_COMPONENTS], got[MOST_COMPONENTS];

    if (!n || m->dim != 2 * n || !e->x.f->energy.code) return;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = count == m->dim ? k : (int64_t)((double)m->dim * (any(3, k) + 1) / 2);

        component(e, i), difference(e, &e->x.f->energy, 0, want + k);
        field(e, e->c);
        got[k] = i < n ? dd_neg(e->c[n + i]) : e->c[i - n];
        if (m->rayleigh >= 0 && i < n) got[k] = dd_add(got[k], dissipation(e, i));
        got[k] = dd_scale(e->size[i], got[k]);
    }
    grow(&w->gradient, apart(got, want, NULL, count));
    if (!e->x.f->dHdq.code) return;
    run(e, &e->x.f->dHdq, e->a), run(e, &e->x.f->dHdp, e->a + n);
    for (int64_t i = 0; i < n; i++) e->b[i] = dd_neg(e->c[n + i]), e->b[n + i] = e->c[i];
    grow(&w->gradient, apart(e->a, e->b, e->size, m->dim));
}

/* Derivatives of the field, of the force, of the gradient in some directions. */
static void check_jacobian(place *e, worst *w)
{
    const lbr_model *m = e->x.m;
    int64_t n = e->x.s->nq;

    for (int k = 0; k < 3; k++) {
        direction(e, 20 + k), difference(e, NULL, 0, e->b);
        run(e, &e->x.f->field_jvp, e->a), grow(&w->jacobian, apart(e->a, e->b, NULL, m->dim));
        if (e->x.f->force_jvp.code)
            run(e, &e->x.f->force_jvp, e->a), grow(&w->jacobian, apart(e->a, e->b + n, NULL, n));
        if (!e->x.f->hessian_vec.code || m->rayleigh >= 0) continue;
        run(e, &e->x.f->hessian_vec, e->a);
        for (int64_t i = 0; i < n; i++) e->c[i] = dd_neg(e->b[n + i]), e->c[n + i] = e->b[i];
        grow(&w->hessian, apart(e->a, e->c, e->size, m->dim));
    }
}

/* u H'' v = v H'' u. */
static void check_symmetry(place *e, worst *w)
{
    int64_t n = e->x.m->dim;
    lbr_dd uv = dd(0), vu = dd(0), x;
    double scale = 1e-300;

    if (!e->x.f->hessian_vec.code) return;
    direction(e, 31), memcpy(e->b, e->v, (size_t)n * sizeof *e->b), run(e, &e->x.f->hessian_vec, e->a);
    direction(e, 32), run(e, &e->x.f->hessian_vec, e->c);
    for (int64_t i = 0; i < n; i++)
        x = dd_mul(e->a[i], e->v[i]), uv = dd_add(uv, x), vu = dd_add(vu, dd_mul(e->c[i], e->b[i])),
        scale += fabs(x.hi);
    grow(&w->symmetry, fabs(dd_sub(uv, vu).hi) / scale);
}

/* --- along the field --------------------------------------------------------------------------------------------- */

/* d/dt of a quantity along the field (off by `wrong`), over what it would be if the components had other signs. */
static double drift(place *e, const lbr_function *f, int with_time, double wrong)
{
    int64_t n = e->x.m->dim, len = f->len;
    lbr_dd *rate = malloc((size_t)len * sizeof *rate);
    double fast = 1e-300, most[2] = { 0 };

    go(e, 0, 0), field(e, e->c);
    for (int64_t i = 0; i < n; i++) fast = fmax(fast, fabs(e->c[i].hi) / e->size[i]);
    for (int64_t i = 0; i < n; i++) e->c[i] = dd_add(dd_scale(1 / fast, e->c[i]), dd(wrong * e->size[i] * any(40, i)));
    for (int k = 0; k < 5; k++) {
        for (int64_t i = 0; i < n; i++) e->v[i] = k && any(50 + k, i) < 0 ? dd_neg(e->c[i]) : e->c[i];
        difference(e, f, with_time ? 1 / fast : 0, rate);
        for (int64_t i = 0; i < len; i++) grow(&most[k > 0], fabs(rate[i].hi));
    }
    free(rate);
    return most[0] / (fmax(most[1], 0.01 * variation(e, f)) + 1e-300);
}

static void check_kept(place *e, const lbr_function *f, int with_time, worst *w)
{
    grow(&w->kept, drift(e, f, with_time, 0));
    w->broken = fmin(w->broken, drift(e, f, with_time, 1e-3));
}

static int has_attitude(const lbr_model *m)
{
    for (int k = 0; k < m->nvariables; k++)
        if (m->variable[k].kind == LBR_VAR_ATTITUDE) return 1;
    return 0;
}

/* Invariants are kept, and dH/dt = partial H/partial t; a field that is off by a thousandth does not keep them. What is
 * kept only on a manifold (of constraints, unit quaternions, skew matrices) is looked at where it starts. */
static void check_invariants(place *e, int at_start, worst *w)
{
    const lbr_model *m = e->x.m;
    int manifold = (m->nconstraints && !m->nq) || has_attitude(m) || !strcmp(m->source->name, "rigid-body-so4");

    for (int k = 0; k < m->ninvariants && (at_start || !manifold); k++)
        check_kept(e, &e->x.f->invariant_function[k], 1, w);
    if (e->x.f->energy.code && m->rayleigh < 0) check_kept(e, &e->x.f->energy, 0, w);
}

/* The parts' energies add up to H, their fields to the field. */
static void check_parts(place *e, worst *w)
{
    const lbr_model *m = e->x.m;
    lbr_dd h = dd(0), one, *sum = e->a;

    if (!m->nparts || m->rayleigh >= 0) return; /* the dissipation is in none of them */
    go(e, 0, 0);
    memset(sum, 0, (size_t)m->dim * sizeof *sum);
    for (int k = 0; k < m->nparts; k++) {
        if (m->part[k].h >= 0) precise_run(&e->p, -1, m->part[k].h, &one), h = dd_add(h, one);
        precise_run(&e->p, m->part[k].field, -1, e->b);
        for (int64_t i = 0; i < m->dim; i++) sum[i] = dd_add(sum[i], e->b[i]);
    }
    field(e, e->b);
    grow(&w->parts, apart(sum, e->b, NULL, m->dim));
    if (m->has_h) run(e, &e->x.f->energy, &one), grow(&w->parts, fabs(dd_sub(one, h).hi) / (1e-300 + fabs(h.hi)));
}

/* --- every model ------------------------------------------------------------------------------------------------- */

static void check_points(place *e, int first, worst *w)
{
    begin(e);
    for (int k = first; k < POINTS; k++) {
        point(e->x.m, k, e->size, &e->t, e->y);
        check_bits(e, w);
        check_gradient(e, w), check_jacobian(e, w), check_symmetry(e, w);
        check_invariants(e, !k, w), check_parts(e, w);
    }
    end(e);
}

/* Constants of derivatives (2/sqrt(pi) of erf, 1/m of masses) are doubles: that is what is left. */
static int is_right(const worst *w, double tolerance, double symmetry)
{
    return !w->bits && w->gradient < tolerance && w->jacobian < tolerance && w->hessian < tolerance &&
           w->symmetry < symmetry && w->kept < tolerance && w->parts < 1e-28;
}

static void check_model(const char *name, const char *text)
{
    place e = { 0 };
    worst w = { .broken = HUGE_VAL };
    int first = !strcmp(
        name, "two-bodies-on-a-sphere"); /* 1/tan(theta) at exactly theta = pi/2: only rounding makes it a number */

    if (ok(text ? open_text(&e.x, text) : open_model(&e.x, name), "%s: a system", name)) {
        check_points(&e, first, &w);
        if (!ok(is_right(&w, 5e-16, 1e-28), "%s: bits, derivatives, what is kept", name))
            printf("# bits %d gradient %.0e jacobian %.0e hessian %.0e symmetry %.0e kept %.0e parts %.0e\n", w.bits,
                   w.gradient, w.jacobian, w.hessian, w.symmetry, w.kept, w.parts);
        ok(w.broken > 1e-6, "%s: a wrong field does not keep it: %.0e", name, w.broken);
        ok(w.plain < 1e-12, "%s: double is near double-double: %.0e", name, w.plain);
    }
    close_model(&e.x);
}

/* What is not kept, or not the gradient, must show. */
static void against(void)
{
    static const struct {
        const char *what, *text;
    } wrong[] = {
        { "an invariant that is none", "use kepler\n"
                                       "invariant M = cross(q, p) + 1e-12*q[1]\n"
                                       "run method = rk4, step = 1, steps = 1\n" },
        { "one that depends on t", "use pendulum\n"
                                   "invariant M = 1e-12*t + p^2/2 - cos(q)\n"
                                   "run method = rk4, step = 1, steps = 1\n" },
        { "a sign of a rate", "state x, y\n"
                              "x' = y\n"
                              "y' = -x*(1 + 1e-13)\n"
                              "invariant r = x^2 + y^2\n"
                              "start x = 1\n"
                              "run method = rk4, step = 1, steps = 1\n" },
    };

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        place e = { 0 };
        worst w = { .broken = HUGE_VAL };

        if (open_text(&e.x, wrong[k].text)) check_points(&e, 0, &w);
        ok(w.kept > 1e-15, "%s is seen: %.0e", wrong[k].what, w.kept);
        close_model(&e.x);
    }
}

/* --- rigid bodies ------------------------------------------------------------------------------------------------ */

/* Both fields at one unit quaternion, the last ones first: (e, y) of body `first` of a against those of b. */
static double fields_apart(const char *a, int64_t first, const char *b, int k)
{
    place e[2];
    double d = HUGE_VAL, norm;

    memset(e, 0, sizeof e);
    if (open_text(&e[0].x, a) && open_text(&e[1].x, b)) {
        int64_t bodies = e[0].x.m->dim / 7, at[7];
        double *y = (begin(&e[0]), begin(&e[1]), e[1].y);

        for (int i = 0; i < 7; i++) at[i] = i < 4 ? 4 * first + i : 4 * bodies + 3 * first + i - 4;
        point(e[1].x.m, k, e[1].size, &e[1].t, y), norm = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
        for (int i = 0; i < 4; i++) y[i] /= norm;
        point(e[0].x.m, 0, e[0].size, &e[0].t, e[0].y);
        for (int i = 0; i < 7; i++) e[0].y[at[i]] = y[i];
        for (int i = 0; i < 2; i++) go(&e[i], 0, 0), field(&e[i], e[i].c);
        for (int i = 0; i < 7; i++) e[0].a[i] = e[0].c[at[i]];
        d = apart(e[0].a, e[1].c, NULL, 7);
        end(&e[0]), end(&e[1]);
    }
    close_model(&e[0].x), close_model(&e[1].x);
    return d;
}

/* The field of H(Q, y) against Euler's equations written out (HLW VII.5.9), and a body on a string: whatever the string
 * does, the sum of angular momenta in space is kept. */
static void rigid_bodies(void)
{
    static const char by_hand[] = "use heavy-top-quaternion\nrun method = rk4, step = 1, steps = 1\n";
    static const char string[] =
        "canonical q[3], p[3]\n"
        "rotation Q, y\n"
        "param I = [0.5, 0.9, 1], d = [0.3, -0.2, 0.5]\n"
        "let r = norm(q - Q*d)\n"
        "H = sq(p)/2 + sum(k = 1..3, y[k]^2/(2*I[k])) + (r - 1)^2*exp(r)\n"
        "invariant J = cross(q, p) + Q*y\n"
        "start q = [1, 0.3, 0.2], p = [0.1, 1, 0], Q = quaternion(0.4, 0.2, 0.4, 0.8), y = [0.1, 0.9, 0.4]\n"
        "run method = rk4, step = 1, steps = 1\n";

    static const char many[] = "param n = 100, I = [0.5, 0.9, 1]\n"
                               "rotation Q[n], y[n]\n"
                               "H = sum(b = 1..n, k = 1..3, y[b,k]^2/(2*I[k])) + sum(b = 1..n, Q[b,3,3])\n"
                               "run method = rk4, step = 1, steps = 1\n";

    for (int k = 0; k < 2; k++) {
        double one = fields_apart("use heavy-top\n", 0, by_hand, k), last = fields_apart(many, 99, by_hand, k);

        ok(one < 1e-15 && last < 1e-15, "the field of a top is Euler's, alone and as the last of a hundred: %.0e %.0e",
           one, last);
    }
    ok(fields_apart("use heavy-top: I = [0.5, 0.9, 1.00001]\n", 0, by_hand, 1) > 1e-7, "that of another top is not");
    check_model("a body on a string", string);
}

/* --- from L to H ------------------------------------------------------------------------------------------------- */

/* H(q, p) = p.v - L(q, v) for any v, with p = dL/dv. */
static void legendre(const char *name, const char *text)
{
    place e = { 0 };
    double bad = 0;
    int64_t n;
    lbr_dd v[8], p[8], a, b, sum;

    if (!ok(text ? open_text(&e.x, text) : open_model(&e.x, name), "%s: a system", name)) {
        close_model(&e.x);
        return;
    }
    begin(&e), n = e.x.m->nq;
    for (int k = 0; k < 4; k++) {
        point(e.x.m, k, e.size, &e.t, e.y), memset(e.v, 0, (size_t)(2 * n) * sizeof *e.v), go(&e, 0, 0);
        for (int64_t i = 0; i < 2 * n; i++) v[i] = dd(i < n ? any(70 + k, i) : 0);
        e.p.input[2] = v;
        precise_run(&e.p, -1, e.x.m->l, &sum), sum = dd_neg(sum);
        for (int64_t i = 0; i < n; i++) {
            lbr_dd x = v[i];

            v[i] = dd_add(x, dd(STEP)), precise_run(&e.p, -1, e.x.m->l, &a);
            v[i] = dd_sub(x, dd(STEP)), precise_run(&e.p, -1, e.x.m->l, &b), v[i] = x;
            p[i] = dd_scale(0.5 / STEP, dd_sub(a, b)), sum = dd_add(sum, dd_mul(p[i], x));
        }
        for (int64_t i = 0; i < n; i++) e.at[n + i] = p[i];
        run(&e, &e.x.f->energy, &a);
        grow(&bad, fabs(dd_sub(a, sum).hi) / (1 + fabs(sum.hi)));
    }
    ok(bad < 1e-17, "%s: H = p.v - L: %.0e", name, bad), end(&e), close_model(&e.x);
}

/* --- random expressions ------------------------------------------------------------------------------------------ */

static int64_t dice;
static int below(int n) { return (int)((any(90, ++dice) + 1) / 2 * n); }

/* Every function of the language, where it is smooth. `#`: an expression. */
static void expression(char *text, size_t size, int depth)
{
    static const char *const leaf[] = { "q[1]", "q[2]", "q[3]", "p[1]",      "p[2]",        "p[3]",
                                        "t",    "1.25", "-0.3", "dot(q, p)", "norm(q - p)", "sq(q)" };
    static const char *const form[] = {
        "(# + #)",
        "(# - #)",
        "#*#",
        "(#)/(2 + sin(#))",
        "-(#)",
        "sqrt(1 + (#)^2)",
        "cbrt(2 + sin(#))",
        "exp(sin(#))",
        "log(3 + cos(#))",
        "sin(#)",
        "cos(#)",
        "tan(sin(#)/2)",
        "asin(0.9*sin(#))",
        "acos(0.9*cos(#))",
        "atan(#)",
        "sinh(sin(#))",
        "cosh(cos(#))",
        "tanh(#)",
        "asinh(#)",
        "acosh(1.5 + (#)^2)",
        "atanh(0.8*sin(#))",
        "abs(#)",
        "erf(2*sin(#))",
        "atan2(#, #)",
        "hypot(#, 1 + (#)^2)",
        "min(#, #)",
        "max(#, #, #)",
        "mod(#, 7)",
        "floor(#)*sin(#)",
        "sign(#)*(#)",
        "if(# < #, #, #)",
        "(1.5 + sin(#))^(sin(#))",
        "(#)^3",
        "(2 + sin(#))^-2",
        "sum(i = 1..3, q[i]*sin(i*(#)))",
        "sum(i = 1..90, cos(i + #)/i^2)",
        "prod(i = 1..3, 1 + q[i]*p[i]/4)",
        "norm([#, 1, #])",
        "det([[2 + sin(#), #], [#, 3]])/10",
        "([#, #]^T*[[3, 1], [0.5, 4 + sin(#)]]^-1*[1, #])",
    };
    const char *f = depth < 1 || below(8) == 0 ? leaf[below(sizeof leaf / sizeof *leaf)]
                                               : form[below(sizeof form / sizeof *form)];
    size_t at = 0;

    for (; *f && at + 1 < size; f++) {
        if (*f != '#') text[at++] = *f;
        else expression(text + at, size - at, depth - 1), at += strlen(text + at);
    }
    text[at] = 0;
}

static void expressions(int count)
{
    int wrong = 0, done = 0, used = 0;
    double plain = 0;

    for (int k = 0; k < count && wrong < 5; k++) {
        static char text[20000], h[16000];
        place e = { 0 };
        worst w = { .broken = 0 };

        expression(h, sizeof h, 4);
        if (strlen(h) + 2 > sizeof h / 2 || (!strstr(h, "q") && !strstr(h, "p["))) continue;
        snprintf(text, sizeof text,
                 "canonical q[3], p[3]\n"
                 "H = %s\n"
                 "start q = [0.3, -0.7, 1.1], p = [0.9, 0.2, -0.5]\n"
                 "run method = rk4, step = 1, steps = 1\n",
                 h);
        done++;
        if (open_text(&e.x, text)) check_points(&e, 0, &w), used += e.x.m->structure.separable, grow(&plain, w.plain);
        else w.bits = 1;
        if (!is_right(&w, 1e-14, 1e-14))
            wrong++, printf("# bits %d gradient %.0e jacobian %.0e hessian %.0e symmetry %.0e kept %.0e: %s\n", w.bits,
                            w.gradient, w.jacobian, w.hessian, w.symmetry, w.kept, h);
        close_model(&e.x);
    }
    ok(!wrong && done > count / 2, "%d random energies: derivatives are right", done);
    printf("# %d of them separable; double within %.0e\n", used, plain);
}

/* --- many bodies ------------------------------------------------------------------------------------------------- */

static void large(const char *name, const char *text)
{
    place e = { 0 };
    worst w = { .broken = 0 };

    if (ok(open_text(&e.x, text), "%s: a system", name)) {
        begin(&e), point(e.x.m, 0, e.size, &e.t, e.y), go(&e, 0, 0);
        for (int k = 0; k < 2; k++) {
            const lbr_function *f = k ? &e.x.f->force : &e.x.f->energy;
            double *out = calloc((size_t)f->len, sizeof *out);
            const double *input[LBR_MODEL_INPUTS] = { e.y };

            e.p.plain = 1, run(&e, f, e.a);
            w.bits += lbr_code_run(f->code, e.t, input, out);
            for (int64_t i = 0; i < f->len; i++) w.bits += memcmp(&out[i], &e.a[i].hi, sizeof *out) != 0;
            free(out);
        }
        end(&e);
        ok(!w.bits, "%s: energy and force, bit for bit", name);
    }
    close_model(&e.x);
}

int main(int argc, char **argv)
{
    const lbr_gallery_item *item;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++) {
        if (strcmp(item->kind, "model") || (argc > 1 && strcmp(argv[1], item->name))) continue;
        if (!strcmp(item->name, "nbody")) check_model("nbody n=40", "use nbody: n = 40\n");
        else if (!strcmp(item->name, "lennard-jones-box"))
            check_model("lennard-jones-box n=27", "use lennard-jones-box: side = 3\n");
        else check_model(item->name, NULL);
    }
    if (argc > 1) return tap_done();
    check_model("fpu-alpha-beta n=80", "use fpu-alpha-beta: n = 80, beta = 0.3\n");
    check_model("toda n=70",
                "canonical q[70], p[70]\n"
                "H = sq(p)/2 + sum(k = 1..70, exp(q[k] - q[wrap(k + 1, 70)]))\n"
                "invariant P = sum(k = 1..70, p[k])\n"
                "start q[i = 1..70] = sin(i), p[i = 1..70] = cos(i)\nrun method = rk4, step = 1, steps = 1\n");
    check_model("a table of neighbours",
                "param n = 80, k[i = 1..n] = wrap(3*i, n)\ncanonical q[n], p[n]\n"
                "H = sq(p)/2 + sum(i = 1..n, (q[k[i]] - q[i])^2 + q[k[i]]^4 + p[k[wrap(i + 1, n)]]^3*q[i])\n"
                "start q[i = 1..n] = sin(i), p[i = 1..n] = cos(i)\nrun method = rk4, step = 1, steps = 1\n");
    check_model("sine-gordon damped", "use sine-gordon: n = 70\n"
                                      "rayleigh = sum(k = 1..n, k*u[k]'^2)/100\n"
                                      "run method = rk4, step = 1, steps = 1\n");
    rigid_bodies();
    against();
    legendre("double-pendulum", NULL);
    legendre("charged particle",
             "canonical q[3], p[3]\n"
             "L = sq(q')/2*(2 + sin(q[1])) + q[1]'*q[2]'/3 + dot(q', [q[2]^2, -q[1]*t, cos(q[3])]) - 1/norm(q)\n"
             "start q = [1, 0.5, 0.2], q' = [0.1, 0, 1]\nrun method = rk4, step = 1, steps = 1\n");
    expressions(120);
    large("nbody n=1000", "use nbody\n");
    large("lennard-jones-box n=1000", "use lennard-jones-box: side = 10, box = 12\n");
    return tap_done();
}
