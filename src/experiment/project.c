/* project.c - a start that is off the constraints, moved onto them. SPDX-License-Identifier: BSD-3-Clause */
#include "csystem.h"

#include <string.h>

lbr_status lbr_start_project(const lbr_job *job, int only_if_off, double *y, lbr_message *why)
{
    lbr_system system = { 0 };
    lbr_plan *plan = NULL;
    lbr_status status;

    memcpy(&system, job->system, job->system->size < sizeof system ? job->system->size : sizeof system);
    if (!system.constraints && !system.manifold) return LBR_OK;
    system.size = sizeof system, system.fuse = NULL;     /* nothing is compiled for this                               */
    status = lbr_plan_create(&plan, job->method, &system, &job->options);
    if (!status && (!only_if_off || lbr_start(plan, job->t0, job->h, y))) {
        if ((status = lbr_project_start(plan, job->t0, y))) lbr_fail(why, status, "%s", lbr_plan_message(plan));
    } else if (status != LBR_ENOMEM) status = LBR_OK;    /* whoever runs it says what is wrong                         */
    else lbr_fail(why, status, "out of memory");
    lbr_plan_free(plan);
    return status;
}
