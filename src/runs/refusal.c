/* refusal.c - what goes wrong with the runs of a file: its status and its sentence.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

#include <stdarg.h>
#include <stdio.h>

void lbr_experiment_anew(lbr_experiment *x) { x->status = LBR_OK, x->message[0] = 0; }

lbr_status lbr_experiment_say(lbr_experiment *x, lbr_status status, const char *format, ...)
{
    va_list ap;

    va_start(ap, format), vsnprintf(x->message, sizeof x->message, format, ap), va_end(ap);
    return x->status = status;
}

lbr_status lbr_experiment_refused(lbr_experiment *x, const lbr_message *why)
{
    return lbr_experiment_say(x, why->status == LBR_ENOMEM ? LBR_ENOMEM : LBR_EARG, "%s: %s", x->source->name,
                              why->text);
}

int lbr_experiment_no_memory(lbr_experiment *x) { return lbr_experiment_say(x, LBR_ENOMEM, "out of memory"), 0; }

/* Whether a graph has met its end that way: what was said of the text then is not the reason. */
static int out_of_memory(const lbr_experiment *x)
{
    int gone = x->base && x->base->dag.status == LBR_ENOMEM;

    for (int k = 0; k < x->nruns && !gone; k++) gone = x->run[k].model && x->run[k].model->dag.status == LBR_ENOMEM;
    return gone;
}

lbr_status lbr_experiment_fail(lbr_experiment *x, lbr_status status)
{
    if (status == LBR_ENOMEM || x->status == LBR_ENOMEM || out_of_memory(x))
        return lbr_experiment_no_memory(x), LBR_ENOMEM;
    if (lbr_source_errors(x->source)) status = lbr_source_report(x->source);
    else if (x->status) return x->status;
    return lbr_experiment_say(x, status, "%s", x->source->message ? x->source->message : "these runs cannot be made");
}
