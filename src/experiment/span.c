/* span.c - a time as a number of steps. SPDX-License-Identifier: BSD-3-Clause */
#include "execute.h"

#include <math.h>

#define MOST_STEPS 9007199254740992.0                    /* counts beyond are not exact as double */

lbr_status lbr_span(double time, int land, double *h, int64_t *steps, lbr_message *message, lbr_message *note)
{
    double x, whole, slack;

    note->text[0] = 0;
    if (!isfinite(*h) || *h == 0) return lbr_fail(message, LBR_EARG, "the step is %g; it must be finite and not zero", *h);
    if (!isfinite(time)) return lbr_fail(message, LBR_EARG, "the time is %g; it must be finite", time);
    if (time < 0 && *h > 0) return lbr_fail(message, LBR_EARG, "the time is %g and the step %g: they go in different directions", time, *h);
    x = fabs(time) / fabs(*h);
    if (!(x <= MOST_STEPS)) return lbr_fail(message, LBR_EARG, "a time of %g takes %.3g steps of %g; counts go from 0 to 2^53", time, x, *h);
    whole = nearbyint(x);
    slack = fmax(1e-9, 4 * 2.220446049250313e-16 * x);   /* beyond 1e6 steps the quotient itself is not known to 1e-9 */
    if (fabs(x - whole) > slack) {
        whole = land ? ceil(x) : floor(x);
        if (!land) lbr_fail(note, LBR_OK, "the step %.10g does not divide the time %.10g: the run ends after a time of %.10g (--land shortens the step instead)",
                            *h, fabs(time), whole * fabs(*h));
    }
    if (land && whole > 0) *h = copysign(fabs(time) / whole, *h);
    *steps = (int64_t)whole;
    return LBR_OK;
}
