/* judge_json.c - measures, tables and claims for programs. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <math.h>

/* Numbers of a trace that is no series: one, or lists of its shape; null where there is no value. */
static void numbers(lbr_json *json, const char *key, const lbr_trace *s)
{
    if (s->listed) lbr_json_open(json, key, '[');
    for (int64_t m = 0; m < (s->listed ? s->members : 1); m++) {
        const lbr_strand *x = lbr_trace_strand(s, m);

        if (x->missing || !x->n) lbr_json_text(json, s->listed ? NULL : key, NULL);
        else lbr_json_array(json, s->listed ? NULL : key, s->shape.rank, s->shape.n, lbr_trace_at(s, m, 0));
    }
    if (s->listed) lbr_json_close(json, ']');
}

/* --- measures ---------------------------------------------------------------------------------------------------- */

/* A series is too much to tell. Without json it is worked out. 0 after an error. */
static int measure(lbr_judgement *j, int run, int k, lbr_json *json)
{
    const lbr_trace *s;
    lbr_frame f;

    lbr_frame_open(&f, j, run, j->measure[k].line->file, k + 1);
    if ((s = lbr_frame_measure(&f, k)) && !s->sampled && json) numbers(json, j->measure[k].item->target.name, s);
    return lbr_frame_close(&f) && s;
}

lbr_status lbr_judge_work_out(lbr_judgement *j, int run)
{
    int good = 1;

    for (int k = 0; j && k < j->nmeasures && good; k++) good = measure(j, run, k, NULL);
    return good ? LBR_OK : lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG);
}

static int is_infinite(const lbr_trace *s)
{
    for (int64_t m = 0; !s->sampled && m < s->members; m++)
        for (int64_t i = 0; i < s->size && s->strand[m].n && !s->strand[m].missing; i++)
            if (isinf(s->strand[m].data[i])) return 1;
    return 0;
}

lbr_status lbr_judge_json_measures(lbr_judgement *j, int run, lbr_json *json)
{
    int good = 1;

    lbr_json_open(json, "measures", '{');
    for (int k = 0; j && k < j->nmeasures && good; k++) good = measure(j, run, k, json);
    lbr_json_close(json, '}');
    lbr_json_open(json, "infinite", '['); /* which JSON cannot write: those that are known */
    for (int k = 0; j && k < j->nmeasures && good; k++)
        if (is_infinite(j->seen[run].measure[k])) lbr_json_text(json, NULL, j->measure[k].item->target.name);
    lbr_json_close(json, ']');
    return good ? LBR_OK : lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG);
}

/* --- tables ------------------------------------------------------------------------------------------------------ */

static void row(lbr_json *json, const char *key, const lbr_table_cell *cell, int columns)
{
    lbr_json_open(json, key, '[');
    for (const lbr_table_cell *c = cell; c < cell + columns; c++) {
        if (c->number) numbers(json, NULL, c->number);
        else lbr_json_text(json, NULL, c->text);
    }
    lbr_json_close(json, ']');
}

static void table(lbr_json *json, const lbr_sheet *s)
{
    lbr_json_open(json, NULL, '{');
    lbr_json_text(json, "name", s->name);
    row(json, "columns", s->cell, s->columns);
    lbr_json_open(json, "rows", '[');
    for (int64_t i = 1; i < s->rows; i++) row(json, NULL, s->cell + i * s->columns, s->columns);
    lbr_json_close(json, ']');
    lbr_json_close(json, '}');
}

lbr_status lbr_judge_json_tables(lbr_judgement *j, lbr_json *json)
{
    int good = 1;

    if (json) lbr_json_open(json, "tables", '[');
    for (int k = 0; j && k < j->ntables && good; k++) {
        lbr_arena scratch = { 0 };
        lbr_sheet s;

        j->scratch = &scratch;
        if ((good = lbr_table_fill(j, k, &s)) && json) table(json, &s);
        j->scratch = NULL;
        lbr_arena_free(&scratch);
    }
    if (json) lbr_json_close(json, ']');
    return good ? LBR_OK : lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG);
}

/* --- claims ------------------------------------------------------------------------------------------------------ */

void lbr_judge_json_claims(const lbr_verdict *verdict, int64_t n, lbr_json *json)
{
    lbr_json_open(json, "claims", '[');
    for (const lbr_verdict *v = verdict; n-- > 0; v++) {
        lbr_json_open(json, NULL, '{');
        lbr_json_text(json, "text", v->text);
        if (!v->n) lbr_json_text(json, "value", NULL);
        else lbr_json_array(json, "value", v->list, &v->n, v->value);
        lbr_json_flag(json, "holds", v->holds);
        lbr_json_text(json, "why", v->note);
        lbr_json_close(json, '}');
    }
    lbr_json_close(json, ']');
}
