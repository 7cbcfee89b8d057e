/* start.c - a start from a file, or moved onto the constraints. SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"
#include "syntax/data_file.h"

#include <string.h>

lbr_status lbr_start_project(const lbr_job *job, int only_if_off, double *y, lbr_message *why)
{
    lbr_system system = { 0 };
    lbr_plan *plan = NULL;
    lbr_status status;

    memcpy(&system, job->system, job->system->size < sizeof system ? job->system->size : sizeof system);
    if (!system.constraints && !system.manifold) return LBR_OK;
    system.size = sizeof system, system.inside = NULL; /* nothing is compiled for this */
    status = lbr_plan_create(&plan, job->method, &system, &job->options);
    if (!status && (!only_if_off || lbr_start(plan, job->t0, job->h, y))) {
        if ((status = lbr_project_start(plan, job->t0, y))) lbr_fail(why, status, "%s", lbr_plan_message(plan));
    } else if (status != LBR_ENOMEM) status = LBR_OK; /* whoever runs it says what is wrong */
    else lbr_fail(why, status, "out of memory");
    lbr_plan_free(plan);
    return status;
}

lbr_status lbr_start_read(const char *path, int64_t n, double *y, lbr_message *m)
{
    double *data;
    int64_t rows, columns;
    lbr_message why;
    lbr_status status = lbr_table_read(path, &data, &rows, &columns, &why);

    if (status) return lbr_fail(m, status, "'%.200s': %.250s", path, why.text);
    if (rows != 1 || columns != n)
        status = lbr_fail(m, LBR_EARG, "'%.200s' has %lld rows of %lld numbers; the start is one row of %lld", path,
                          (long long)rows, (long long)columns, (long long)n);
    else memcpy(y, data, (size_t)n * sizeof *y);
    lbr_mem_free(data);
    return status;
}
