/* reduced_bodies.h - rigid bodies without attitudes, and methods for them; of tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef REDUCED_BODIES_H
#define REDUCED_BODIES_H
#include "analysis.h"
#include "modelled.h"

enum { SO4, TOP, BODY, POISSON, SO3, MOST };
static modelled held[MOST];
static problem grounds[MOST];

/* The body of `rigid-body` as a matrix: alpha_1 = (I_2 + I_3 - I_1)/2 and so on. Its energy begins at 1, and counts on
 * m being skew. */
static const char so3[] = "param alpha = [-1/6, 5/6, 7/6]\n"
                          "state m[3,3]\n"
                          "let W[i = 1..3, j = 1..3] = m[i,j]/(alpha[i] + alpha[j])\n"
                          "m' = m*W - W*m\n"
                          "invariant H = 1 - trace(m*W)/4\nstart m = hat([cos(1.1), 0, sin(1.1)])\n";

static problem problem_of(const modelled *x, double h)
{
    problem p = { *x->s, .h = h };

    memcpy(p.y, x->m->y0, (size_t)x->m->dim * sizeof *p.y);
    return p;
}

UNUSED static void make_grounds(void)
{
    static const char *const name[MOST] = { "rigid-body-so4", "heavy-top-se3", "rigid-body", "rigid-body-poisson",
                                            "matrix" };
    static const double h[MOST] = { 0.2, 0.2, 0.3, 0.3, 0.3 };

    for (int i = 0; i < MOST; i++) {
        if (!(i == SO3 ? open_text(&held[i], so3) : open_model(&held[i], name[i])))
            printf("Bail out! %s\n", name[i]), exit(2);
        grounds[i] = problem_of(&held[i], h[i]), grounds[i].system.name = name[i];
        grounds[i].y[0] += i == BODY || i == POISSON ? 0.125 : 0,
            grounds[i].y[1] += i == BODY || i == POISSON ? 0.25 : 0;
    }
    for (int i = 0; i < 3; i++) grounds[SO3].y[4 * i] = 0;
    grounds[SO3].y[7] = grounds[BODY].y[0], grounds[SO3].y[2] = grounds[BODY].y[1],
    grounds[SO3].y[3] = grounds[BODY].y[2];
    grounds[SO3].y[5] = -grounds[BODY].y[0], grounds[SO3].y[6] = -grounds[BODY].y[1],
    grounds[SO3].y[1] = -grounds[BODY].y[2];
}

static const struct {
    const char *name;
    int order, top, symmetric;
} rows[] = {
    { "moser-veselov", 2, 0, 1 },
    { "adjoint(moser-veselov)", 2, 0, 1 },
    { "compose(suzuki:4, moser-veselov)", 4, 0, 1 },
    { "compose(kahan-li-6-9, moser-veselov)", 6, 0, 1 },
    { "compose(kahan-li-8-17, moser-veselov)", 8, 0, 1 },
    { "moser-veselov-euler", 1, 1, 0 },
    { "adjoint(moser-veselov-euler)", 1, 1, 0 },
    { "compose(strang, moser-veselov-euler)", 2, 1, 1 },
    { "compose(mclachlan-4-5, moser-veselov-euler)", 4, 1, 1 },
};
enum { ROWS = sizeof rows / sizeof *rows };

UNUSED static void close_grounds(void)
{
    for (int i = 0; i < MOST; i++) close_model(&held[i]);
}
#endif
