/* run_summary.c - what a summary of many runs shows beside their results: parameters and starts that vary, measures.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"
#include "judge/judge.h"

#include <math.h>
#include <string.h>

enum { COMPONENTS = 8 }; /* of a start; of more components none is told */

typedef struct summary {
    lbr_experiment *x;
    lbr_judgement *judgement;
    const int *run; /* the runs that are told of */
    int64_t n;
    lbr_report_row *row;
    int64_t rows, most;
} summary;

/* A row with room for the runs' numbers, NaN until they are known. NULL: no memory. */
static double *new_row(summary *s, const char *name)
{
    double *value = lbr_arena_alloc(&s->x->arena, s->n, sizeof *value);

    if (!value || !LBR_ROOM(&s->x->arena, s->row, s->rows, s->most, 1)) return NULL;
    for (int64_t i = 0; i < s->n; i++) value[i] = NAN;
    s->row[s->rows++] = (lbr_report_row){ name, value };
    return value;
}

/* The rows from `first` on in which nothing varies are given up. */
static void varying(summary *s, int64_t first)
{
    int64_t kept = first;

    for (int64_t k = first; k < s->rows; k++) {
        const double *x = s->row[k].value;
        int varies = 0;

        for (int64_t i = 1; i < s->n && !varies; i++) varies = isfinite(x[i]) && isfinite(x[0]) && x[i] != x[0];
        if (varies) s->row[kept++] = s->row[k];
    }
    s->rows = kept;
}

static lbr_status parameters(summary *s)
{
    int64_t first = s->rows;

    for (int64_t i = 0; i < s->n; i++) {
        lbr_arena scratch = { 0 };
        const lbr_parameter *const *p;
        int64_t np;
        lbr_status status = lbr_parameters_list(s->x->run[s->run[i]].model, &scratch, &p, &np);

        for (int64_t k = 0; k < np && !status; k++) {
            const char *name = i ? NULL : lbr_arena_text(&s->x->arena, p[k]->name);

            if (!i && (!name || !new_row(s, name))) status = LBR_ENOMEM;
            if (!status && first + k < s->rows && p[k]->n == 1 && p[k]->value)
                ((double *)s->row[first + k].value)[i] = *p[k]->value;
        }
        lbr_arena_free(&scratch);
        if (status) return status;
    }
    varying(s, first);
    return LBR_OK;
}

static lbr_status starts(summary *s)
{
    int64_t first = s->rows, dim = s->n ? s->x->run[s->run[0]].result.dim : 0;

    for (int64_t c = 0; c < dim && dim <= COMPONENTS; c++) {
        const char *name = lbr_arena_format(&s->x->arena, "start %s", s->x->run[s->run[0]].result.component[c]);
        double *value = name ? new_row(s, name) : NULL;

        if (!value) return LBR_ENOMEM;
        for (int64_t i = 0; i < s->n; i++) {
            const lbr_trial *r = s->x->run + s->run[i];

            if (r->result.dim == dim && r->job.y0) value[i] = r->job.y0[c];
        }
    }
    varying(s, first);
    return LBR_OK;
}

static lbr_status measures(summary *s)
{
    for (int k = 0; k < lbr_judge_measures(s->judgement); k++) {
        double *value = new_row(s, lbr_judge_measure_name(s->judgement, k));

        if (!value) return LBR_ENOMEM;
        for (int64_t i = 0; i < s->n; i++) {
            lbr_status status = lbr_judge_measure(s->judgement, s->run[i], k, value + i);

            if (status) return status;
        }
    }
    return LBR_OK;
}

lbr_status run_summary(lbr_experiment *x, lbr_judgement *judgement, const int *run, int64_t n,
                       const lbr_report_row **row, int64_t *rows)
{
    summary s = { .x = x, .judgement = judgement, .run = run, .n = n };
    lbr_status status;

    if (!(status = parameters(&s)) && !(status = starts(&s))) status = measures(&s);
    *row = s.row, *rows = s.rows;
    return status ? lbr_experiment_fail(x, status) : LBR_OK;
}
