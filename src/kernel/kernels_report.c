/* kernels_report.c - what came of asking for machine code, as those who answer add it up.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fuse_model.h"

void lbr_kernels_anew(lbr_kernels_report *r)
{
    r->functions = r->untried = r->pending = 0, r->bytes = 0, r->at_least = 0;
}

void lbr_kernels_say(lbr_kernels_report *r, lbr_status status, int pending, const char *text)
{
    int refuses = status && !pending;

    if (!*text) return;
    if (!*r->message.text || r->tentative || (refuses && !r->refused))
        lbr_fail(&r->message, status, "%s", text), r->tentative = pending;
    if (refuses) r->refused = 1;
}

void lbr_kernels_came(lbr_kernels_report *r, const lbr_object *o, lbr_status status, size_t bytes)
{
    lbr_kernels_say(r, status, o->pending, o->message.text);
    if (o->pending) {
        if (!r->pending++) r->key = o->key;
        r->bytes += bytes;
        if (o->at_least > r->at_least) r->at_least = o->at_least;
    }
    if (status) return;
    r->kernels++, r->compiled += o->seconds > 0, r->seconds += o->seconds, r->untried += !o->judged;
}
