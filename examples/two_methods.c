/* two_methods.c - a model of the gallery with two methods, compared. SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: two_methods [MODEL [PARAMETER=VALUE]...]
 *
 * Everything that the tool does for one trajectory: open, set, plan, run with an observer, read, free. Steps are
 * machine code where there is a compiler (link with -lration-jit); bits and results are the same without. */
#include <libration.h>
#include <libration/jit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What an observer keeps: the energy at the start, and how far it went from there. */
typedef struct drift {
    double first, worst;
} drift;

static int observe(const lbr_view *view, void *ctx)
{
    drift *d = ctx;
    double H;

    if (lbr_view_energy(view, &H)) return 1;
    if (view->n == 0) d->first = H;
    d->worst = fmax(d->worst, fabs(H - d->first));
    return 0;
}

/* The steps that the model's file asks for, with another method. */
static int compare(lbr_problem *problem, const char *method)
{
    const lbr_system *system = lbr_problem_system(problem);
    const lbr_defaults *d = system ? system->defaults : NULL;
    lbr_plan *plan = NULL;
    drift energy = { 0, 0 };
    const char *note;
    double t;
    int bad = !system || lbr_jit_plan(&plan, method, problem, NULL, 0, &note) ||
              lbr_start(plan, d->t0, d->step, d->y0) || lbr_run(plan, d->steps, 1, observe, &energy) ||
              lbr_read(plan, &t, NULL);

    if (bad) fprintf(stderr, "%s: %s\n", method, plan ? lbr_plan_message(plan) : lbr_problem_message(problem));
    else
        printf("%-16s to t = %g, energy error %.2e, %lld forces (%s)\n", method, t, energy.worst,
               (long long)lbr_plan_stats(plan)->force, lbr_plan_kernel(plan));
    lbr_plan_free(plan);
    return bad;
}

int main(int n, char **argument)
{
    lbr_problem *problem;
    int bad = lbr_problem_open(&problem, n > 1 ? argument[1] : "henon-heiles") != LBR_OK;

    for (int i = 2; i < n && !bad; i++) {
        char *value = strchr(argument[i], '=');

        if (value) *value++ = 0;
        bad = lbr_problem_set(problem, argument[i], value ? value : "") != LBR_OK;
    }
    if (bad) fprintf(stderr, "%s\n", problem ? lbr_problem_message(problem) : "out of memory");
    bad = bad || compare(problem, "stormer-verlet") || compare(problem, "kahan-li-8-17");
    lbr_problem_free(problem);
    return bad;
}
