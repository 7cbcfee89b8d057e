/* execute_streams.c - the files of a run that grow: samples, and events of its sections.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "executing.h"
#include "plan/plan_inside.h"

#include <stdlib.h>
#include <string.h>

/* --- what is said about a run ------------------------------------------------------------------------------------ */

enum { NOTES = 8 };

/* Into room for NOTES and the parameters; how many they are, -1: no memory. */
static int64_t notes(lbr_exec *e, lbr_note *note)
{
    const lbr_job *job = e->job;
    const lbr_result *r = e->result;
    double *number = lbr_arena_alloc(&e->result->arena, 3, sizeof *number);
    int64_t n = 0;

    if (!number) return -1;
    number[0] = job->h, number[1] = job->t0, number[2] = (double)job->every;
    note[n++] = (lbr_note){ .name = "model", .text = r->model };
    if (r->name) note[n++] = (lbr_note){ .name = "run", .text = r->name };
    note[n++] = (lbr_note){ .name = "method", .text = r->method };
    note[n++] = (lbr_note){ .name = "step", .value = number };
    note[n++] = (lbr_note){ .name = "t0", .value = number + 1 };
    note[n++] = (lbr_note){ .name = "every", .value = number + 2, .whole = 1 };
    note[n++] = (lbr_note){ .name = "options", .text = e->options };
    note[n++] = (lbr_note){ .name = "library", .text = lbr_version() };
    for (int64_t k = 0; k < job->nparameters; k++) {
        const lbr_parameter *p = job->parameter[k];
        const char *name = lbr_arena_format(&e->result->arena, "parameter.%s", p->name);

        if (!name) return -1;
        if (p->value) note[n++] = (lbr_note){ name, NULL, p->rank, p->shape, p->value, 0, 0 };
    }
    for (int64_t k = 0; k < n; k++) note[k].comment = job->plain_names;
    return n;
}

/* --- plain names ------------------------------------------------------------------------------------------------- */

/* q[1,2] becomes q_1_2: letters, digits and underscores. */
static const char *plain(lbr_exec *e, const char *name)
{
    char *text = lbr_arena_alloc(&e->result->arena, (int64_t)strlen(name) + 1, 1), *to = text;

    if (!text) return NULL;
    for (const char *c = name; *c; c++) {
        int word = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') || *c == '_';

        if (word) *to++ = *c;
        else if (to > text && to[-1] != '_') *to++ = '_';
    }
    while (to > text && to[-1] == '_') *--to = 0;
    return text;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Two columns that get the same name: one of them, or NULL. */
static const char *twice(const char **name, int64_t n)
{
    qsort(name, (size_t)n, sizeof *name, by_text);
    for (int64_t k = 1; k < n; k++)
        if (!strcmp(name[k - 1], name[k])) return name[k];
    return NULL;
}

/* All names of the columns and the datasets. */
static int plain_all(lbr_exec *e, lbr_field *field, int64_t nfields)
{
    int64_t n = 0, at = 0;
    const char **all, **list, *same;

    for (int64_t k = 0; k < nfields; k++) n += field[k].len;
    all = lbr_arena_alloc(&e->result->arena, n, sizeof *all),
    list = lbr_arena_alloc(&e->result->arena, n, sizeof *list);
    if (!all || !list) return lbr_exec_no_memory(e);
    for (lbr_field *f = field; f < field + nfields; f++) {
        for (int64_t i = 0; i < f->len; i++)
            if (!(list[at + i] = plain(e, f->names ? f->names[i] : f->name))) return lbr_exec_no_memory(e);
        if (!(f->name = plain(e, f->name))) return lbr_exec_no_memory(e);
        f->names = list + at, at += f->len;
    }
    memcpy(all, list, (size_t)n * sizeof *all);
    if (!(same = twice(all, n))) return 0;
    return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG,
                        "with plain names two columns would be called '%.60s'; leave --names plain out, or rename one",
                        same);
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

/* All streams are prepared before a file is made, replaced or cut, so that a run that is refused spoils nothing. */
typedef struct target {
    lbr_stream **stream;
    const char *path;
    lbr_field *field;
    int64_t nfields;
    int continued;
    int64_t records;
} target;

/* Finds out whether the stream can be; no file is changed yet. */
static int prepare_one(lbr_exec *e, const target *to)
{
    const lbr_job *job = e->job;
    lbr_note *note = lbr_arena_alloc(&e->result->arena, NOTES + job->nparameters, sizeof *note);
    int64_t n = note ? notes(e, note) : -1;
    lbr_message why;
    lbr_status status;
    int code;

    if (n < 0) return lbr_exec_no_memory(e);
    if (job->plain_names && (code = plain_all(e, to->field, to->nfields))) return code;
    if (to->continued) status = lbr_stream_find(to->stream, to->path, to->field, to->nfields, to->records, &why);
    else status = lbr_stream_prepare(to->stream, to->path, job->force, to->field, to->nfields, note, n, &why);
    return status ? lbr_exec_end(e, lbr_exit_before(status), status, "%s", why.text) : 0;
}

/* section, t, the state. */
static int prepare_events(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_arena *arena = &e->result->arena;
    lbr_event_file *to = &e->event;
    int64_t n = e->nstate_fields + 2, size = job->ncuts * (e->sys.dim + 2);
    lbr_field *field = lbr_arena_alloc(arena, n, sizeof *field);
    const char **word = lbr_arena_alloc(arena, job->ncuts, sizeof *word);

    to->row = lbr_arena_alloc(arena, size, sizeof *to->row);
    if (!field || !word || !to->row) return lbr_exec_no_memory(e);
    if (!job->ncuts)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "there are no events to be written: the model has no section");
    for (int64_t k = 0; k < job->ncuts; k++) word[k] = job->cut[k].at.name;
    field[0] = (lbr_field){ .name = "section", .len = 1, .word = word, .nwords = job->ncuts };
    field[1] = (lbr_field){ .name = "t", .len = 1 };
    memcpy(field + 2, e->state_field, (size_t)e->nstate_fields * sizeof *field);
    return prepare_one(e, &(target){ &to->stream, job->events, field, n, to->continued, to->records });
}

/* In extended precision numbers have low parts: CSV shows both as one number, in HDF5 q_low stands beside q. */
static int with_low_parts(lbr_exec *e)
{
    int64_t n = e->nfields;
    lbr_field *field = lbr_arena_alloc(&e->result->arena, 2 * n, sizeof *field);

    if (!field) return lbr_exec_no_memory(e);
    memcpy(field, e->field, (size_t)n * sizeof *field), memcpy(field + n, field, (size_t)n * sizeof *field);
    for (int64_t k = n; k < 2 * n; k++)
        if (!(field[k].name = lbr_arena_format(&e->result->arena, "%s_low", field[k].name)))
            return lbr_exec_no_memory(e);
    field->pairs = lbr_stream_shows_pairs(e->job->out);
    e->field = field;
    if (!field->pairs) e->nfields = 2 * n;
    return 0;
}

int lbr_exec_open(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_stream *all[2];
    lbr_message why;
    lbr_status status = LBR_OK;
    int code = 0;

    if (job->out && e->low) code = with_low_parts(e);
    if (job->out && !code)
        code = prepare_one(e,
                           &(target){ &e->stream, job->out, e->field, e->nfields, e->continued, e->resumed_records });
    if (!code && job->events) code = prepare_events(e);
    all[0] = e->stream, all[1] = e->event.stream;
    for (int k = 0; k < 2 && !code && !status; k++)
        if (all[k]) status = lbr_stream_begin(all[k], &why);
    return status ? lbr_exec_end(e, lbr_exit_before(status), status, "%s", why.text) : code;
}

/* --- events ------------------------------------------------------------------------------------------------------ */

void lbr_exec_event(lbr_exec *e, int64_t k, double t, const double *y)
{
    lbr_event_file *to = &e->event;
    int64_t width = e->sys.dim + 2, at = to->n;
    double *row;

    if (!to->stream) return;
    while (at > 0 && (e->job->h > 0 ? to->row[(at - 1) * width + 1] > t : to->row[(at - 1) * width + 1] < t)) at--;
    row = to->row + at * width;
    memmove(row + width, row, (size_t)((to->n++ - at) * width) * sizeof *row);
    row[0] = (double)k + 1, row[1] = t;
    memcpy(row + 2, y, (size_t)e->sys.dim * sizeof *y);
}

int lbr_exec_events_write(lbr_exec *e)
{
    lbr_event_file *to = &e->event;
    lbr_message why;
    lbr_status status = LBR_OK;

    for (int64_t k = 0; k < to->n && !status; k++)
        status = lbr_stream_write(to->stream, to->row + k * (e->sys.dim + 2), &why);
    to->n = 0;
    return status ? lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", why.text) : 0;
}
