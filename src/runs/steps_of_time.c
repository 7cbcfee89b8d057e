/* steps_of_time.c - a time as a number of steps. SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"
#include "plan/plan_inside.h"

#include <math.h>

lbr_status lbr_span(double time, int land, double *h, int64_t *steps, lbr_message *message, lbr_message *note)
{
    double x;

    note->text[0] = 0;
    if (!isfinite(*h) || *h == 0)
        return lbr_fail(message, LBR_EARG, "the step is %g; it must be finite and not zero", *h);
    if (!isfinite(time)) return lbr_fail(message, LBR_EARG, "the time is %g; it must be finite", time);
    if (time < 0 && *h > 0)
        return lbr_fail(message, LBR_EARG, "the time is %g and the step %g: they go in different directions", time, *h);
    if (isnan(x = lbr_steps_through(time, *h)))
        return lbr_fail(message, LBR_EARG, "a time of %g takes %.3g steps of %g; counts go from 0 to 2^53", time,
                        fabs(time / *h), *h);
    if (x != floor(x) && !land)
        lbr_fail(note, LBR_OK,
                 "the step %.10g does not divide the time %.10g: the run ends after a time of %.10g (--land shortens "
                 "the step instead)",
                 *h, fabs(time), floor(x) * fabs(*h));
    x = land ? ceil(x) : floor(x);
    if (land && x > 0) *h = copysign(fabs(time) / x, *h);
    *steps = (int64_t)x;
    return LBR_OK;
}
