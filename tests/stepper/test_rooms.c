/* test_rooms.c - steps write nothing but what is theirs: their state, and as much scratch as their plan has asked for.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A state's memory is one block, so that neither sanitizers nor results need notice a room that is too small or begins
 * in a wrong place. Here the state and the scratch of a trajectory are put between walls, and so is what a sequence of
 * maps keeps for reading, which lies behind the maps' own rooms. */
#include "support/manifolds.h"
#include "plan/plan_inside.h"

enum { WALL = 600 }; /* doubles */
static const double brick = -7.25e77;

typedef struct fort {
    double *all, *inside;
    int64_t n;
} fort;

static fort built(int64_t n)
{
    fort f = { malloc((size_t)(n + 2 * WALL) * sizeof *f.all), NULL, n };

    for (int64_t i = 0; i < n + 2 * WALL; i++) f.all[i] = brick;
    f.inside = f.all + WALL;
    return f;
}

static int stands(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&x[i], &brick, sizeof brick)) return 0;
    return 1;
}

static int intact(const fort *f) { return stands(f->all, WALL) && stands(f->inside + f->n, WALL); }

/* A map in C, whose adjoint is solved for: one step of Euler's method for the pendulum. */
static int euler(double t, double h, double *y, void *ctx)
{
    double f = -sin(y[0]);

    (void)t, (void)ctx;
    return y[0] += h * y[1], y[1] += h * f, 0;
}
static const lbr_map_def mine = { sizeof mine, "mine", euler, NULL, NULL, 1, 0, 0 };

/* --- one plan ---------------------------------------------------------------------------------------------------- */

static void walled(const modelled *x, const char *name, const char *method, const char *option, const char *value,
                   double h)
{
    lbr_system system = *x->s;
    lbr_options o;
    lbr_plan *plan;
    lbr_state *s = NULL;
    lbr_status status;
    fort saved, scratch;
    int64_t heads, behind;

    system.maps = &mine, system.nmaps = 1;
    lbr_options_init(&o), lbr_option_set(&o, option, value);
    if ((status = lbr_plan_create(&plan, method, &system, &o)) || (status = lbr_state_create(&s, plan))) {
        ok(!strcmp(option, "compensated") && strstr(lbr_plan_message(plan), "compensated su"), "%s on %s: %s", method,
           name, lbr_plan_message(plan)),
            lbr_plan_free(plan);
        return;
    }
    heads = (int64_t)(lbr_saved_bytes(plan) / sizeof(double)),
    behind = strcmp(plan->setup.stepper->name, "sequence") || plan->setup.fused
                 ? 0
                 : plan->setup.nstate - plan->setup.grown;
    saved = built(heads), scratch = built(plan->setup.nscratch);
    s->work.head = (lbr_head *)(void *)saved.inside, s->work.v = (double *)(s->work.head + 1);
    s->work.scratch = s->trial.scratch = scratch.inside;
    status = lbr_state_start(s, x->m->t0, h, x->m->y0);
    if (!status) status = lbr_state_run(s, 12, 0, NULL, NULL);
    ok(!status && intact(&saved) && intact(&scratch) && stands(scratch.inside + scratch.n - behind, behind),
       "%s on %s, %s = %s: all walls stand%s%s", method, name, option, value, status ? ": " : "",
       status ? lbr_state_message(s) : "");
    free(saved.all), free(scratch.all), lbr_state_free(s), lbr_plan_free(plan);
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static const char pendulum_text[] = "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1.2, p = 0.5\n";
static const char parts_text[] = "canonical q[2], p[2]\n"
                                 "part A = sq(p)/2\n"
                                 "part B = q[1]^4/4 + q[2]^2/2 + q[1]*q[2]^2/5\n"
                                 "start q = [1, 0.3], p = [0.2, -0.1]\n";
static const char coupled_text[] =
    "canonical q[2], p[2]\n"
    "H = (1 + q[1]^2)*p[1]^2/2 + exp(q[2])*p[2]^2/2 + p[1]*p[2]*sin(q[1])/3 + q[1]^4/4 + q[2]^2/2\n"
    "start q = [0.4, -0.3], p = [0.5, 0.2]\n";
static const char body_text[] = "state y[3]\n"
                                "y' = [y[2]*y[3]/2, -y[3]*y[1], y[1]*y[2]/2]\n"
                                "constraint sphere = sq(y) - 1\n"
                                "start y = [cos(0.9), 0, sin(0.9)]\n";
#define LINE(n) "state y[" #n "]\ny[i = 1..n]' = sin(y[wrap(i + 1, n)]) - y[i]/2\nstart y[i = 1..n] = cos(i)\n"
static const char many_text[] = "param n = 60\n"
                                "state y[n]\n"
                                "y[1]' = -y[2], y[2]' = y[1], y[i = 3..n]' = sin(y[i - 2]) - y[i]/2\n"
                                "invariant circle = y[1]^2 + y[2]^2\n" /* longer than the head of a state */
                                "start y[1] = 0.6, y[2] = 0.8, y[i = 3..n] = cos(i)\n";
static const char swirl_text[] = "state x, y, z\n"
                                 "x' = sin(z) + cos(y)\n"
                                 "y' = sin(x) + cos(z)\n"
                                 "z' = sin(y) + cos(x)\n"
                                 "start x = 0.3, y = 0.2, z = 0.1\n";
static const char circles_text[] = "canonical q[3], p[3]\n"
                                   "part T = sq(p)/2\n"
                                   "part U = q[3]\n"
                                   "constraint length = sq(q) - 1\n"
                                   "let w = norm(p)\n"
                                   "flow T(s): q = cos(s*w)*q + sin(s*w)/w*p, p = cos(s*w)*p - w*sin(s*w)*q\n"
                                   "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";
static const char sphere_text[] = "canonical q[3], p[3]\n"
                                  "H = sq(p)/2 + q[3]\n"
                                  "constraint length = sq(q) - 1\n"
                                  "start q = [sin(1.3), 0, cos(1.3)], p = [0.3*cos(1.3), 0.65, -0.3*sin(1.3)]\n";

/* A name of the gallery, or a text; methods that fit it. */
static const struct {
    const char *name, *text;
    double h;
    const char *method[16];
} all[] = {
    { "parts",
      parts_text,
      0.05,
      { "additive(rk4, kutta-38, A, B)", "additive(lobatto-3a:3, lobatto-3b:3, A, B)",
        "additive(gauss:2, gauss:2, A, B)", "split(strang, A, B = gauss:2)", "split(strang, A = rk4, B)",
        "process(effective-6-9, effective-6-9-processor)", "compose(suzuki:4, rk4)", "stormer-two-step",
        "compose(suzuki:4, stormer-two-step)", "compose(strang, gauss-nystrom:2)", "compose(strang, nystrom-4)",
        "gauss-nystrom:3", "stormer-verlet", "nystrom-5" } },
    { "pendulum",
      pendulum_text,
      0.05,
      { "mine", "adjoint(mine)", "compose(strang, mine)", "project(symmetric, mine, H)", "gauss:1",
        "compose(strang, symplectic-euler)", "kutta-38", "pair(rk4, kutta-38)" } },
    { "coupled",
      coupled_text,
      0.05,
      { "generating-s1:1", "generating-s1:3", "adjoint(generating-s1:2)", "generating-s3:4", "miesbach-pesch",
        "symplectic-euler", "symplectic-euler-b", "adjoint(rk4)", "adjoint(lobatto-3a-3b:2)", "gauss:3",
        "compose(suzuki:4, gauss:2)", "lobatto-3a-3b:3", "hager(rk4)", "pair(explicit-euler, implicit-euler)",
        "adjoint(hager(rk4))" } },
    { "rigid body",
      body_text,
      0.1,
      { "kahan", "compose(suzuki:4, kahan)", "project(standard, rk4)", "project(symmetric, gauss:2)",
        "project(symmetric, trapezoidal, at = midpoint)", "project(post, rk4)", "local(standard, rk4)",
        "local(symmetric, trapezoidal)", "compose(suzuki:4, project(symmetric, midpoint))", "rk4",
        "project(symmetric, rk4)", "kutta-38" } },
    { "five",
      "param n = 5\n" LINE(n),
      0.1,
      { "kutta-38", "rk4", "gauss:2", "gauss:4", "lobatto-3a:3", "radau-2a:2", "explicit-euler" } },
    { "nine", "param n = 9\n" LINE(n), 0.1, { "kutta-38", "rk4", "gauss:2", "midpoint" } },
    { "twenty-two", "param n = 22\n" LINE(n), 0.1, { "kutta-38", "rk4", "gauss:3", "trapezoidal" } },
    { "a circle among many",
      many_text,
      0.1,
      { "local(standard, rk4, circle)", "local(symmetric, gauss:2, circle)", "project(standard, rk4, circle)",
        "project(symmetric, gauss:2, circle)", "project(post, rk4, circle)", "rk4" } },
    { "flow without divergence",
      swirl_text,
      0.1,
      { "feng-shang", "compose(suzuki:4, feng-shang)", "compose(strang, implicit-euler)" } },
    { "sphere",
      sphere_text,
      0.05,
      { "rattle", "shake", "constrained-euler", "adjoint(constrained-euler)", "lobatto-3a-3b:3",
        "compose(suzuki:4, rattle)", "reduced(gauss:2)", "reduced(stormer-verlet)", "project(standard, rk4)",
        "project(symmetric, midpoint)", "constrained-implicit-euler" } },
    { "great circles", circles_text, 0.05, { "split(strang, U, T)", "compose(suzuki:4, split(lie-trotter, T, U))" } },
    { "ellipsoid",
      ellipsoid_text,
      0.05,
      { "rattle", "constrained-euler", "adjoint(constrained-euler)", "lobatto-3a-3b:3",
        "compose(suzuki:4, lobatto-3a-3b:3)", "reduced(rk4)", "project(symmetric, rk4)",
        "local(symmetric, gauss:2)" } },
    { "double spherical pendulum",
      double_text,
      0.02,
      { "rattle", "lobatto-3a-3b:4", "constrained-euler", "project(standard, rk4)" } },
    { "double-pendulum",
      NULL,
      0.02,
      { "variational(midpoint)", "variational(trapezoidal)", "variational(gauss:3)",
        "compose(suzuki:4, variational(midpoint))", "adjoint(variational(lobatto-3a:3))" } },
    { "rigid-body-so4", NULL, 0.05, { "moser-veselov", "moser-veselov-euler", "compose(suzuki:4, moser-veselov)" } },
    { "heavy-top-se3", NULL, 0.02, { "moser-veselov", "moser-veselov-euler" } },
    { "heavy-top", NULL, 0.01, { "rattle", "constrained-euler", "three-rotations", "symmetric-rotation" } },
};

int main(void)
{
    static const char *const ways[][2] = { { "compensated", "no" }, { "compensated", "yes" }, { "solver", "newton" } };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        modelled x;

        if (ok(all[i].text ? open_text(&x, all[i].text) : open_model(&x, all[i].name), "%s", all[i].name))
            for (int k = 0; k < 16 && all[i].method[k]; k++)
                for (int w = 0; w < 3; w++) walled(&x, all[i].name, all[i].method[k], ways[w][0], ways[w][1], all[i].h);
        close_model(&x);
    }
    return tap_done();
}
