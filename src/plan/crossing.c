/* crossing.c - crossings of surfaces: looked for at every step, located by a shortened step.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Within the step from t_n the trajectory is tau -> Phi_tau(y_n), the same method with the step tau from the last
 * state. Its crossing is bracketed until the bracket is as narrow as rounding of h allows. A jump or a pole of g
 * changes its sign too, but g does not become small there: that is no crossing. */
#include "crossing.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where a run begins on a surface but for rounding, as one that goes on from an event does, that is where it begins;
 * where it ends so, that is where it ends. As a time: 1e-9 of a step, or of large times a few of their last digits. */
static double rounding(double t, double h) { return fmax(1e-9 * fabs(h), 4 * DBL_EPSILON * fabs(t)); }

/* A point of the step: tau and g there. */
typedef struct spot {
    double tau, g;
} spot;

lbr_status lbr_section_value(const lbr_section *s, double t, const double *y, double *g)
{
    if (s->surface(t, y, g, s->ctx)) return *g = NAN, LBR_ECALLBACK;
    return isnan(*g) ? LBR_ENONFINITE : LBR_OK;
}

const char *lbr_section_text(lbr_status status)
{
    return status == LBR_ECALLBACK ? "reports a failure" : "has no value";
}

int lbr_section_holds(const lbr_section *s, double t, const double *y)
{
    double x = 1;

    return s->holds && s->holds(t, y, &x, s->holds_ctx) ? -1 : x != 0;
}

static int sign(double g) { return (g > 0) - (g < 0); }

static void copy(const lbr_stride *step, double *to, const double *from)
{
    memcpy(to, from, (size_t)step->dim * sizeof *to);
}

/* Phi_tau(y_n) into step->image, and g there. */
static lbr_status shortened(const lbr_section *s, lbr_stride *step, double tau, spot *at, lbr_message *why)
{
    lbr_status status;

    copy(step, step->image, step->y);
    if ((status = lbr_state_map(step->map, step->t, tau, step->image)))
        return lbr_fail(why, status, "%.300s", lbr_state_message(step->map));
    at->tau = tau;
    status = lbr_section_value(s, step->t + tau, step->image, &at->g);
    return status ? lbr_fail(why, status, "its surface %s inside the step", lbr_section_text(status)) : LBR_OK;
}

/* Where to look next, as a part of the way from a to b: inverse quadratic interpolation through a, b and the point
 * before, c, where the three lie so that it is monotone in between; otherwise the middle (Chandrupatla 1997). */
static double next_part(spot a, spot b, spot c)
{
    double x = (a.tau - b.tau) / (c.tau - b.tau), f = (a.g - b.g) / (c.g - b.g);

    if (!(f * f < x && (1 - f) * (1 - f) < 1 - x)) return 0.5;
    return a.g / (b.g - a.g) * (c.g / (b.g - c.g)) +
           (c.tau - a.tau) / (b.tau - a.tau) * (a.g / (c.g - a.g)) * (b.g / (c.g - b.g));
}

/* Between a and b, where g has opposite signs. *found: where |g| is smallest of what was looked at, with its state in
 * step->best; found->tau is NaN where g jumps. `first` is what stands at b.tau if nothing nearer is found. */
static lbr_status locate(const lbr_section *s, lbr_stride *step, spot a, spot b, const double *first, spot *found,
                         lbr_message *why)
{
    double h = fabs(b.tau - a.tau), most = fmax(fabs(a.g), fabs(b.g)), narrow = DBL_EPSILON * h,
           part = a.g / (a.g - b.g);
    spot c = a, x = a;
    lbr_status status;

    *found = b, copy(step, step->best, first);
    if (fabs(a.g) < fabs(b.g)) *found = a, copy(step, step->best, step->y);
    while (fabs(b.tau - a.tau) > 2 * narrow && found->g != 0) {
        double edge = narrow / fabs(b.tau - a.tau);

        part = part > edge ? part < 1 - edge ? part : 1 - edge : edge;
        if ((status = shortened(s, step, a.tau + part * (b.tau - a.tau), &x, why))) return status;
        if (fabs(x.g) <= fabs(found->g)) *found = x, copy(step, step->best, step->image);
        if (sign(x.g) == sign(a.g)) c = a;
        else c = b, b = a;
        a = x;
        part = next_part(a, b, c);
    }
    if (found->g != 0 && fmax(fabs(a.g), fabs(b.g)) >= most / 2) found->tau = NAN; /* both may be infinite */
    return LBR_OK;
}

/* The surface has been crossed. *tau: where, NaN: it is no event. */
static lbr_status crossed(const lbr_crossing *c, const lbr_section *s, lbr_stride *step, double g, const lbr_view *view,
                          double *tau, lbr_message *why)
{
    spot found = { 0, 0 };
    lbr_status status = LBR_OK;
    int met = 1;

    if (c->g == 0) copy(step, step->best, step->y);
    else status = locate(s, step, (spot){ 0, c->g }, (spot){ view->h, g }, view->y, &found, why);
    if (status) return status;
    if (step->n == 0 && c->g != 0 && fabs(found.tau) <= rounding(step->t, view->h)) found.tau = NAN;
    if (!isnan(found.tau)) met = lbr_section_holds(s, step->t + found.tau, step->best);
    if (met < 0) return lbr_fail(why, LBR_ECALLBACK, "its conditions have no value where it is crossed");
    *tau = met ? found.tau : NAN;
    return LBR_OK;
}

lbr_status lbr_crossing_ends(const lbr_crossing *c, const lbr_section *s, lbr_stride *step, double h, int *on)
{
    spot near = { 0, 0 }, far = { 0, 0 };
    lbr_message why;
    lbr_status status;

    *on = c->g == 0 && c->side;
    if (c->g == 0 || !c->side || !step->n) return LBR_OK;
    if ((status = shortened(s, step, copysign(rounding(step->t, h), h), &near, &why)) ||
        (status = shortened(s, step, 1e-3 * h, &far, &why)))
        return status == LBR_ENOMEM ? status : LBR_OK; /* what lies behind the end is nobody's failure */
    *on = sign(near.g) != c->side && fabs(near.g - c->g) < fabs(far.g - c->g) / 10; /* a jump is as large nearby */
    return LBR_OK;
}

lbr_status lbr_crossing_look(lbr_crossing *c, const lbr_section *s, lbr_stride *step, const lbr_view *view, double *tau,
                             lbr_message *why)
{
    double g;
    lbr_status status = lbr_section_value(s, view->t, view->y, &g);
    int side = sign(g);

    *tau = NAN;
    if (status) return lbr_fail(why, status, "its surface %s at the end of the step", lbr_section_text(status));
    if (side && c->side && side != c->side) status = crossed(c, s, step, g, view, tau, why);
    c->side_before = c->side;
    if (side) c->side = side;
    c->g = g;
    return status;
}
