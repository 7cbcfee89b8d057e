/* perturb.c - a trajectory that rounds otherwise: what rounding may have done to another. SPDX-License-Identifier:
 * BSD-3-Clause
 *
 * A sum that is rounded to nearest errs by a number between -1/2 and 1/2 of a last place, with variance 1/12. So each
 * component moves by a last place, up or down, with probability 1/12 for each sum in a step. With compensated sums it
 * is increments that are rounded, and low parts that move by as much of them. */
#include "plan_inside.h"

#include <math.h>

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* How often a component is added to in a step. */
static double sums(const lbr_setup *set)
{
    int64_t halves = 0;

    for (int64_t i = 0; i < set->kernel.n; i++)
        halves += set->atom[set->kernel.term[i].atom].kind == &lbr_atom_kick ||
                  set->atom[set->kernel.term[i].atom].kind == &lbr_atom_drift;
    return (double)set->kernel.n - 0.5 * (double)halves;
}

void lbr_state_perturb(lbr_state *s, const double *before, uint64_t *seed)
{
    const lbr_setup *set = &s->plan->setup;
    double *y = s->work.v, rms = sqrt(sums(set) / 12);

    for (int64_t i = 0; i < set->sys.s.dim; i++) {
        double x = uniform(seed), sign = x < 0.5 ? -1 : 1;

        if (set->low) y[set->low + i] += sign * rms * 0x1p-52 * fabs(y[i] - before[i]);
        else if (uniform(seed) < rms * rms) y[i] = nextafter(y[i], sign * INFINITY);
    }
}
