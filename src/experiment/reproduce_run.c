/* reproduce_run.c - one run of an experiment, and what is told of it. SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"

#include <stdio.h>

/* With fewer evaluations a run is interpreted: it is over before a compiler would have begun. The bits are the same. */
static const double worth_compiling = 3e5;

/* A run that cannot begin because the one before it has failed has failed too. */
static int cut_off(const lbr_experiment *x, lbr_trial *r)
{
    const lbr_trial *before = r->from >= 0 ? x->run + r->from : NULL;

    if (!before || !before->done || before->result.exit != LBR_EXIT_NUMERICS) return 0;
    r->result = (lbr_result){ .name = r->label, .exit = LBR_EXIT_NUMERICS, .status = before->result.status };
    snprintf(r->result.text, sizeof r->result.text, "run %.100s, at whose end it starts, has failed", before->label);
    return r->done = 1;
}

int lbr_reproduce_run(lbr_experiment *x, const lbr_judgement *j, int i, const lbr_reproducing *how)
{
    lbr_trial *r = x->run + i;
    const lbr_system *system;
    lbr_system plain;
    lbr_status status;

    if (cut_off(x, r)) return LBR_EXIT_NUMERICS;
    if ((status = lbr_experiment_prepare(x, i))) return lbr_exit_before(status);
    r->job.keep = lbr_judge_needs(j, i), r->job.interrupt = how->interrupt;
    system = r->job.system;
    if (lbr_run_cost(&r->job) < worth_compiling && !r->job.options.precision)
        plain = *system, plain.inside = NULL, r->job.system = &plain, r->job.native = NULL;
    lbr_execute(&r->job, &r->result);
    r->job.system = system;
    r->done = 1;
    lbr_experiment_trim(x, i);
    return r->result.exit;
}
