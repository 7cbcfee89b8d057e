/* test_borders.c - structure is seen in sums that are written out and in loops alike.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each model is made at sizes on both sides of the border (LBR_UNROLLED), and beside those that have a structure stand
 * some that have it not. */
#include "support/modelled.h"
#include "libration.h"

#include "model/part_flows.h"

/* What is seen: of the equations, of rigid bodies, of the parts (each one's flow), of the pattern of constraints. */
enum {
    SEPARABLE = 1,
    QUADRATIC = 2,
    MASSES = 4,
    AUTONOMOUS = 8,
    BODIES = 16,
    FREE = 32,
    STRAIGHT = 64,
    FOUND = 128,
    NO_FLOW = 256,
    SPARSE = 512,
    DENSE = 1024
};
enum { MECHANICAL = SEPARABLE | QUADRATIC | MASSES | AUTONOMOUS, RIGID = AUTONOMOUS | BODIES };

/* Both sides of the border for one term of a member and for three. */
static const int at[] = { 21, 22, 63, 64, 65, 200 };

typedef struct row {
    const char *what;
    int want;
    const char *text;
} row;

#define Q  "canonical q[n], p[n]\n"
#define Q3 "canonical q[n,3], p[n,3]\n"
#define T  "let T = sq(p)/2\n"
#define BODY                                                                \
    "rotation Q[n], y[n]\nparam I[k = 1..3] = k/2, a[i = 1..n] = 1 + i/9\n" \
    "let T = sum(i = 1..n, k = 1..3, y[i,k]^2/(2*I[k]))\n"
#define RING  "if(i < n, i + 1, 1)" /* an index that, taken for itself, reaches beyond the end */
#define SHIFT "if(i + 2^1 <= n, i + 2^1, i)"

static const row rows[] = {
    { "masses of a table", MECHANICAL,
      "param m[i = 1..n] = 1 + i/7\n" Q "H = sum(i = 1..n, p[i]^2/(2*m[i])) + sum(i = 1..n, q[i]^4)" },
    { "masses in a matrix", MECHANICAL, "param m[i = 1..n] = 1 + i/7\n" Q "H = p^T*diag(m)^-1*p/2 + sq(q)" },
    { "masses at turned places", MECHANICAL, Q "H = sum(i = 1..n, p[" RING "]^2)/2 + sum(i = 1..n, q[i]^4)" },
    { "no masses: neighbours", SEPARABLE | QUADRATIC | AUTONOMOUS,
      Q "H = sq(p)/2 + sum(i = 1..n, p[i]*p[" RING "])/9 + sq(q)" },
    { "masses of a Lagrangian", MECHANICAL,
      "param m[i = 1..n] = 1 + i/7\n" Q "L = sum(i = 1..n, m[i]*q[i]'^2)/2 - sum(i = 1..n, q[i]^4)" },
    { "a ring by a condition", MECHANICAL, Q T "H = T + sum(i = 1..n, (q[" RING "] - q[i])^4)" },
    { "a ring by wrap", MECHANICAL, Q T "H = T + sum(i = 1..n, (q[wrap(i + 1, n)] - q[i])^4)" },
    { "places by a power", MECHANICAL, Q T "H = T + sum(i = 1..n, (q[" SHIFT "] - q[i])^4)" },
    { "one array of both", MECHANICAL, Q "let z[i = 1..2*n] = if(i <= n, q[i], p[i-n])\nH = sq(z)/2" },
    { "one array of both, in pairs", MECHANICAL,
      Q "let z[i = 1..n, k = 1..2] = if(k = 1, q[i], p[i])\nH = sum(i = 1..n, z[i,1]^4 + z[i,2]^2)" },
    { "a factor of zeros", MECHANICAL, "param c[i = 1..n] = 0\n" Q T "H = T + sum(i = 1..n, c[i]*p[i]*q[i] + q[i]^4)" },
    { "a factor of few zeros", AUTONOMOUS,
      "param c[i = 1..n] = floor(i/n)\n" Q T "H = T + sum(i = 1..n, c[i]*p[i]*q[i] + q[i]^4)" },
    { "not separable", AUTONOMOUS, Q T "H = T + sum(i = 1..n, q[i]*p[" RING "])" },
    { "not separable, through an array", AUTONOMOUS,
      Q T "let z[i = 1..n] = p[i]*q[wrap(i + 1, n)]\nH = T + sum(i = 1..n, z[i]^2)" },
    { "fast particles", SEPARABLE | AUTONOMOUS, Q "H = sum(i = 1..n, sqrt(1 + p[i]^2)) + sq(q)" },
    { "points of space", MECHANICAL, Q3 T "H = T + sum(i = 2..n, norm(q[i] - q[i-1])^3)" },
    { "pairs", MECHANICAL, Q T "H = T + sum(i = 2..n, j = 1..i-1, cos(q[i] - q[j]))" },
    { "an array in between", MECHANICAL,
      Q "let r[i = 1..n] = q[" RING "] - q[i], w[i = 1..n] = 2*p[i]\nH = sq(w)/2 + sum(i = 1..n, r[i]^4)" },
    { "a matrix that acts on positions", MECHANICAL,
      "param A[i = 1..n, j = 1..n] = 1/(i + j)\n" Q T "H = T + q^T*A*q" },
    { "a matrix that acts on momenta", SEPARABLE | QUADRATIC | AUTONOMOUS,
      "param A[i = 1..n, j = 1..n] = 1/(i + j)\n" Q "H = p^T*A*p + sq(q)" },

    { "free bodies", RIGID | FREE, BODY "H = T" },
    { "bodies, each in a field", RIGID, BODY "H = T + sum(i = 1..n, a[i]*Q[i,3,3])" },
    { "bodies, each of its own moments", RIGID,
      "param J[i = 1..n, k = 1..3] = i + k\nrotation Q[n], y[n]\n"
      "H = sum(i = 1..n, k = 1..3, y[i,k]^2/(2*J[i,k])) + sum(i = 1..n, Q[i,3,3])" },
    { "bodies, neighbours coupled", RIGID, BODY "H = T + sum(i = 1..n-1, dot(Q[i,3], Q[i+1,3]))" },
    { "bodies, a ring", RIGID, BODY "H = T + sum(i = 1..n, dot(Q[i,3], Q[" RING ",3]))" },
    { "bodies that move", RIGID,
      "canonical x[n,3], p[n,3]\n" BODY "H = T + sq(p)/2 + sum(i = 1..n, dot(x[i], Q[i,3])) + sq(x)" },
    { "two sorts of bodies", RIGID,
      "rotation R[2], z[2]\n" BODY "H = T + sq(z) + R[1,1,1] + sum(i = 1..n, Q[i,3,3]*R[2,3,3])" },
    { "bodies whose momenta meet positions", AUTONOMOUS, BODY "H = T + sum(i = 1..n, y[i,1]*Q[i,3,3])" },
    { "bodies that are not quadratic", AUTONOMOUS, BODY "H = T + sum(i = 1..n, y[i,1]^4)" },
    { "bodies whose momenta meet", AUTONOMOUS,
      BODY "H = T + sum(i = 2..n, y[i,1]*y[i-1,1])/9 + sum(i = 1..n, Q[i,3,3])" },

    { "parts: T and V", MECHANICAL | STRAIGHT,
      Q "part a = sum(i = 1..n, p[i]^2)/2\npart b = sum(i = 1..n, (q[" RING "] - q[i])^4)" },
    { "parts: linear", MECHANICAL | FOUND | STRAIGHT,
      Q "part a = sum(i = 1..n, p[i]^2)/2 + sum(i = 1..n, i*q[i]^2)\npart b = sum(i = 1..n, q[i]^4)" },
    { "parts: a linear ring", MECHANICAL | FOUND | STRAIGHT,
      Q "part a = sq(p)/2 + sum(i = 1..n, (q[" RING "] - q[i])^2)\npart b = sum(i = 1..n, q[i]^4)" },
    { "parts: linear, with a factor of zeros", MECHANICAL | FOUND | STRAIGHT,
      "param c[i = 1..n] = 0\n" Q "part a = sq(p)/2 + sum(i = 1..n, q[i]^2 + c[i]*q[i]^4)\n"
      "part b = sum(i = 1..n, q[i]^4)" },
    { "parts: neither", MECHANICAL | NO_FLOW | STRAIGHT,
      Q "part a = sq(p)/2 + sum(i = 1..n, i*q[i]^4)\npart b = sum(i = 1..n, q[i]^4)" },
    { "parts: Kepler's", MECHANICAL | FOUND | STRAIGHT,
      "param m[i = 1..n] = 1 + i/7\n" Q3 "part a = sum(i = 1..n, sq(p[i])/(2*m[i]) - i/norm(q[i]))\n"
      "part b = sum(i = 2..n, sq(q[i] - q[i-1]))\nstart q[i = 1..n] = [i, 1, 0]" },
    { "parts: Kepler's with arrays", MECHANICAL | FOUND | STRAIGHT,
      Q3 "let r[i = 1..n] = norm(q[i])\npart a = sq(p)/2 - sum(i = 1..n, 1/r[i])\npart b = sq(q)\n"
         "start q[i = 1..n] = [i, 1, 0]" },
    { "parts: almost Kepler's", MECHANICAL | NO_FLOW | STRAIGHT,
      Q3 "part a = sq(p)/2 - sum(i = 1..n, 1/sqrt(sq(q[i]) + 1e-9))\npart b = sq(q)\n"
         "start q[i = 1..n] = [i, 1, 0]" },
    { "parts: a vector field", AUTONOMOUS | STRAIGHT | FOUND,
      "state u[n], v[n]\npart a: u[i = 1..n]' = sin(v[i])\npart b: v[i = 1..n]' = u[i] - v[i]" },

    { "constraints: links", MECHANICAL | SPARSE,
      Q3 T "H = T\nconstraint link[i = 2..n] = sq(q[i] - q[i-1]) - 1\nstart q[i = 1..n] = [i, 0, 0]" },
    { "constraints: a ring of links", MECHANICAL | SPARSE,
      Q3 T "H = T\nconstraint link[i = 1..n] = sq(q[" RING "] - q[i]) - if(i < n, 1, (n - 1)^2)\n"
           "start q[i = 1..n] = [i, 0, 0]" },
    { "constraints: long sums", MECHANICAL | SPARSE,
      Q T "H = T\nconstraint s = sum(i = 1..n, q[i]^2) - n, z = sum(i = 1..n, q[" RING "]) - n\n"
          "start q = 1" },
    { "constraints: long sums of halves", MECHANICAL | SPARSE,
      "canonical q[n], p[n], x[n], u[n]\nH = sq(p)/2 + sq(u)/2\n"
      "constraint s = sum(i = 1..n, q[i]^2) - n, z = sum(i = 1..n, x[i]) - n\nstart q = 1, x = 1" },
    { "constraints: a family of long sums", MECHANICAL | SPARSE,
      "canonical q[3,n], p[3,n]\nH = sq(p)/2\nconstraint s[k = 1..3] = sum(i = 1..n, q[k,i]^2) - n\n"
      "start q = 1" },
};

static int seen(const modelled *x)
{
    const lbr_structure *s = &x->m->structure;
    const lbr_constraints *c = x->s->constraints;
    int got = (s->separable ? SEPARABLE : 0) | (s->quadratic ? QUADRATIC : 0) | (s->diagonal_mass ? MASSES : 0) |
              (s->autonomous ? AUTONOMOUS : 0);

    if (x->s->bodies) got |= BODIES | (x->s->bodies->forces ? 0 : FREE);
    for (int64_t k = 0; x->s->parts && k < x->s->parts->count; k++)
        got |= !x->s->parts->part[k].flow                                 ? NO_FLOW
               : lbr_part_written(x->m, (int)k).kind == LBR_FLOW_STRAIGHT ? STRAIGHT
                                                                          : FOUND;
    if (c) got |= c->row ? SPARSE : DENSE;
    return got;
}

static int made(modelled *x, const row *r, int n)
{
    char text[2000];

    snprintf(text, sizeof text, "param n = %d\n%s\nrun method = rk4, step = 1, steps = 1\n", n, r->text);
    return open_text(x, text);
}

/* --- what is seen is used: members that do not feel each other move alike, however many there are ---------------- */

static const struct {
    const char *method;
    row model;
} alone[] = {
    { "rattle",
      { "rigid bodies", 0, BODY "H = T + sum(i = 1..n, a[i]*Q[i,3,3])\nstart y[i = 1..n] = [1, i/30, 0.5]" } },
    { "three-rotations",
      { "rigid bodies that move", 0,
        "canonical x[n], p[n]\n" BODY "H = T + sq(p)/2 + sum(i = 1..n, x[i]^2/2 + x[i]*Q[i,3,3])\n"
        "start x[i = 1..n] = i/50, y[i = 1..n] = [0.1, 0.2, i/100]" } },
    { "split(strang, a, b)",
      { "Kepler's bodies", 0,
        Q3 "part a = sq(p)/2 - sum(i = 1..n, i/norm(q[i]))\npart b = sum(i = 1..n, q[i,1]^4)/99\n"
           "start q[i = 1..n] = [1, i/20, 0], p[i = 1..n] = [0, 1, i/30]" } },
    { "split(strang, a, b)",
      { "oscillators", 0,
        Q "part a = sq(p)/2 + sum(i = 1..n, i*q[i]^2)\npart b = sum(i = 1..n, q[i]^4)\n"
          "start q[i = 1..n] = 1/i" } },
};
enum { FEW = 20 }; /* written out, also with three terms each */

static int moved(const char *method, const row *r, int n, double *y, int64_t *each)
{
    modelled x;
    lbr_plan *plan = NULL;
    double *all = NULL;
    int good = made(&x, r, n) && (all = malloc((size_t)x.s->dim * sizeof *all)) &&
               !lbr_plan_create(&plan, method, x.s, NULL) && !lbr_start(plan, 0, 0.01, x.m->y0) &&
               !lbr_run(plan, 20, 0, NULL, NULL) && !lbr_read(plan, NULL, all);

    *each = 0;
    for (int k = 0; good && k < x.m->nvariables; k++) { /* of the first few members */
        int64_t size = x.m->variable[k].size / n;

        for (int64_t i = 0; i < size * FEW; i++) y[(*each)++] = all[x.m->variable[k].offset + i];
    }
    lbr_plan_free(plan), free(all), close_model(&x);
    return good;
}

static void motions(void)
{
    static double few[FEW * 16], many[FEW * 16];
    int64_t n, m;

    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            const row *r = &alone[k].model;
            double worst = 0;
            int good = moved(alone[k].method, r, FEW, few, &n) && moved(alone[k].method, r, at[i], many, &m) && n == m;

            for (int64_t j = 0; j < n && good; j++) worst = fmax(worst, fabs(few[j] - many[j]));
            ok(good && n > 0 && worst < 1e-13, "%s, %s: the first %d of %d as if they were alone, %.1e", r->what,
               alone[k].method, FEW, at[i], worst);
        }
}

/* --- sums over distances: pairs of particles that are found ------------------------------------------------------- */

enum { NONE, CHAIN, ALL, CENTRE }; /* how many of n particles: 0, n - 1, all pairs, n */

static const struct {
    const char *what;
    int pairs, ring; /* ring: one more */
    const char *text;
} distances[] = {
    { "neighbours", CHAIN, 0, Q3 T "H = T + sum(i = 1..n-1, 1/norm(q[i+1] - q[i]))" },
    { "neighbours in a ring", CHAIN, 1, Q3 T "H = T + sum(i = 1..n, norm(q[" RING "] - q[i])^3)" },
    { "springs in a ring", CHAIN, 1, Q3 T "H = T + sum(i = 1..n, sq(q[" RING "] - q[i]))/3" },
    { "all pairs, with masses", ALL, 0,
      "param m[i = 1..n] = 1 + i/7\n" Q3
      "H = sum(i = 1..n, sq(p[i])/(2*m[i])) - sum(i = 2..n, j = 1..i-1, m[i]*m[j]/norm(q[i] - q[j]))" },
    { "all pairs in a plane, and a trap", ALL, 2,
      "canonical q[n,2], p[n,2]\n" T "let V(r) = 4*(r^-12 - r^-6)\n"
      "H = T + sq(q)/2 + sum(i = 2..n, j = 1..i-1, V(norm(q[i] - q[j])))" },
    { "a fixed centre", CENTRE, 0, Q3 T "H = T - sum(i = 1..n, i/norm(q[i]))" },
    { "oscillators", CENTRE, 0, Q T "H = T + sum(i = 1..n, i*q[i]^2)" },
    { "not of distances", NONE, 0, Q3 T "H = T + sum(i = 1..n-1, 1/norm(q[i+1] - 2*q[i]))" },
    { "but for the last", NONE, 0, Q3 T "H = T + sum(i = 1..n-1, 1/norm(q[i+1] - q[i])) + q[n,1]^3" },
    { "of three particles", NONE, 0, Q3 T "H = T + sum(i = 3..n, norm(q[i] - q[i-1])*norm(q[i-1] - q[i-2]))" },
    { "odd ones", NONE, 0, Q T "H = T + sum(i = 2..n, (q[i] - q[i-1])^3)" },
};

static int64_t count_of(int pairs, int more, int64_t n)
{
    return pairs == NONE ? -1
                         : (pairs == CHAIN ? n - 1
                            : pairs == ALL ? n * (n - 1) / 2
                                           : n) +
                               (more == 1 ? 1
                                : more    ? n
                                          : 0);
}

/* How far slopes are from what makes the force, beside its largest component. */
static double off_force(const modelled *x)
{
    const lbr_pairs *p = x->s->pairs;
    const double *y = x->m->y0;
    int64_t nq = x->s->nq;
    double *s = calloc((size_t)(2 * p->count), sizeof *s), *f = calloc((size_t)(2 * nq), sizeof *f), worst = 0,
           most = 0;
    int good = s && f;

    for (int64_t k = 0; good && k < p->count; k++)
        for (int64_t i = 0; i < p->space; i++) {
            double d = y[p->first[k] + i] - (p->second[k] < 0 ? 0 : y[p->second[k] + i]);

            s[k] += d * d;
        }
    good = good && !p->slopes(0, s, s + p->count, x->s->ctx) && !x->s->force(0, y, f, x->s->ctx);
    for (int64_t k = 0; good && k < p->count; k++)
        for (int64_t i = 0; i < p->space; i++) {
            double d = y[p->first[k] + i] - (p->second[k] < 0 ? 0 : y[p->second[k] + i]), g = 2 * s[p->count + k] * d;

            f[nq + p->first[k] + i] -= g;
            if (p->second[k] >= 0) f[nq + p->second[k] + i] += g;
        }
    for (int64_t i = 0; good && i < nq; i++) worst = fmax(worst, fabs(f[i] - f[nq + i])), most = fmax(most, fabs(f[i]));
    free(s), free(f);
    return good ? worst / most : INFINITY;
}

static void pairs(void)
{
    for (size_t k = 0; k < sizeof distances / sizeof *distances; k++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            int64_t want = count_of(distances[k].pairs, distances[k].ring, at[i]), got = -2;
            const char *start = strstr(distances[k].text, "q[n,3]")   ? "q[i = 1..n] = [i/9, cos(i), sin(i)]"
                                : strstr(distances[k].text, "q[n,2]") ? "q[i = 1..n] = [i/3, cos(i)]"
                                                                      : "q[i = 1..n] = sin(i)";
            char text[2000];
            row r = { distances[k].what, 0, text };
            modelled x;

            snprintf(text, sizeof text, "%s\nstart %s", distances[k].text, start);
            if (made(&x, &r, at[i])) got = x.s->pairs ? x.s->pairs->count : -1;
            ok(got == want, "%s, n = %d: %lld distances", r.what, at[i], (long long)got);
            if (got > 0) ok(off_force(&x) < 1e-13, "their slopes make the force, to %.1e", off_force(&x));
            close_model(&x);
        }
}

int main(void)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            modelled x;
            int got = made(&x, rows + k, at[i]) ? seen(&x) : -1;

            if (!ok(got == rows[k].want, "%s, n = %d", rows[k].what, at[i]))
                printf("# seen %d, expected %d\n", got, rows[k].want);
            close_model(&x);
        }
    motions();
    pairs();
    return tap_done();
}
