/* execute_save.c - files of a run: its stream, its checkpoint, and going on from one.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Beside the state a checkpoint keeps what the monitors know, as doubles: EXTRA_HEAD numbers, then for H and each
 * invariant the worst error and the first values, the largest residuals of constraints; where there are sections, their
 * sides and their number. The last sample of a run that ended between two samples is not in its count of records: going
 * on cuts it off, so that the file becomes the one of a run that was never interrupted. */
#define _POSIX_C_SOURCE 200809L
#include "executing.h"
#include "io/file.h"
#include "io/checkpoint_file.h"
#include "plan/plan_inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    EXTRA_FORMAT = 3,
    EXTRA_SECTIONS = 4,
    EXTRA_HEAD = 4,
    EXTRA_OLDER = 2
}; /* format (with sections another one), option monitor, step of the last record, every; formats smaller by EXTRA_OLDER
      lack the last of these */

/* --- names and sizes --------------------------------------------------------------------------------------------- */

void lbr_exec_options(lbr_exec *e)
{
    size_t used = 0, n;

    e->options[0] = 0;
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o)) {
        const void *at = (const char *)&e->job->options + o->offset;
        const char *word;

        if (!o->bits || used >= sizeof e->options || (o->bits == LBR_BITS_NEW && !*(const int *)at)) continue;
        if (o->type == LBR_OPTION_COUNT)
            used += (size_t)snprintf(e->options + used, sizeof e->options - used, "%s%s=%lld", used ? " " : "", o->name,
                                     (long long)*(const int64_t *)at);
        else if ((word = lbr_text_word(o->values, *(const int *)at, &n)))
            used += (size_t)snprintf(e->options + used, sizeof e->options - used, "%s%s=%.*s", used ? " " : "", o->name,
                                     (int)n, word);
    }
}

/* What is wrong with a file's name or place is bad input, whatever the disk says about it. */
static int exit_of(lbr_status status) { return status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT; }

static int same_number(double a, double b) { return !memcmp(&a, &b, sizeof a); }

static int64_t extra_size(const lbr_exec *e)
{
    int64_t n = EXTRA_HEAD + (e->result->has_energy ? 2 : 0) +
                2 * (e->result->has_constraint + e->result->has_velocity);

    for (int64_t i = 0; i < e->result->ninvariants; i++) n += 1 + e->result->invariant[i].len;
    return n + (e->low ? e->at_observed - e->at_energy : 0);
}

/* With what is known of n sections. */
static int64_t extra_with(const lbr_exec *e, int64_t n) { return extra_size(e) + (n ? n + 1 : 0); }

/* --- before the run ---------------------------------------------------------------------------------------------- */

/* What says whose checkpoint it is. */
static lbr_saved describe(const lbr_exec *e)
{
    const lbr_job *job = e->job;

    return (lbr_saved){ .library = lbr_version(),
                        .kernel = e->result->kernel,
                        .method = e->result->method,
                        .options = e->options,
                        .model = e->result->model,
                        .out = job->out ? job->out : "",
                        .events = job->events ? job->events : "",
                        .digest = job->digest,
                        .t0 = job->t0,
                        .h = job->h };
}

static int has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f) return 1;
    return 0;
}

/* A checkpoint that is there is replaced only if it is one of this run. */
static int check_checkpoint(lbr_exec *e)
{
    lbr_saved s = describe(e);
    lbr_message why;
    lbr_status status;

    s.steps = INT64_MAX;
    if (has_control(s.model) || has_control(s.out) || has_control(s.events))
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG,
                            "a run with a checkpoint cannot have control characters in the names of its files");
    if (!(status = lbr_saved_check(e->job->checkpoint, &s, e->job->force, &why)))
        status = lbr_lock_take(&e->lock, e->job->checkpoint, &why);
    return status ? lbr_exec_end(e, exit_of(status), status, "%s", why.text) : 0;
}

int lbr_exec_check_files(lbr_exec *e)
{
    const lbr_job *job = e->job;
    lbr_message why;
    lbr_status status = LBR_OK;

    for (int k = 0; k < 2; k++) {
        const char *path = k ? job->events : job->out;

        if (path && (status = lbr_stream_check(path, &why)))
            return lbr_exec_end(e, exit_of(status), status, "%s", why.text);
        if (path && job->checkpoint && lbr_file_same(path, job->checkpoint))
            return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG, "the output and the checkpoint cannot both be '%.200s'",
                                path);
    }
    return job->checkpoint ? check_checkpoint(e) : 0;
}

/* It may be of this run and have got further than where this one begins: then it is replaced, and that is told. */
int lbr_exec_check_further(lbr_exec *e)
{
    lbr_saved s = describe(e);
    lbr_message why;

    if (!e->job->checkpoint || e->job->force) return 0;
    s.steps = e->begin;
    if (lbr_saved_check(e->job->checkpoint, &s, 0, &why)) lbr_result_note(e->result, "%s", why.text);
    return 0;
}

/* --- saving ------------------------------------------------------------------------------------------------------ */

static void monitor_out(const lbr_monitor *m, double **at)
{
    *(*at)++ = m->worst;
    memcpy(*at, m->first, (size_t)m->len * sizeof **at);
    *at += m->len;
    if (m->first_low) memcpy(*at, m->first_low, (size_t)m->len * sizeof **at), *at += m->len;
}

static int write_saved(lbr_exec *e, const double *extra, int64_t records, int64_t event_records)
{
    lbr_saved s = describe(e);
    lbr_message why;
    lbr_status status;

    s.steps = lbr_state_count(e->state), s.records = records, s.event_records = event_records;
    s.extra = extra, s.nextra = extra_with(e, e->job->ncuts);
    s.state = lbr_state_bytes(e->state, &s.nstate);
    status = lbr_saved_write(e->job->checkpoint, &s, e->job->force, &why);
    if (status) return lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", why.text);
    return e->saved = s.steps, 0;
}

int lbr_exec_save(lbr_exec *e)
{
    const lbr_result *r = e->result;
    double *extra, *at;
    int64_t records = 0, event_records = 0;
    lbr_message why;
    lbr_status status = LBR_OK;
    int code;

    if (!e->job->checkpoint) return 0;
    if (e->stream) status = lbr_stream_flush(e->stream, &records, &why);
    if (e->event.stream && !status) status = lbr_stream_flush(e->event.stream, &event_records, &why);
    if (status) return lbr_exec_end(e, LBR_EXIT_MACHINE, status, "%s", why.text);
    if (!(extra = at = lbr_mem_alloc((size_t)extra_with(e, e->job->ncuts) * sizeof *extra)))
        return lbr_exec_no_memory(e);
    *at++ = e->job->ncuts ? EXTRA_SECTIONS : EXTRA_FORMAT, *at++ = e->job->options.monitor,
    *at++ = (double)e->last_record, *at++ = (double)e->job->every;
    if (r->has_energy) monitor_out(&r->energy, &at);
    for (int64_t i = 0; i < r->ninvariants; i++) monitor_out(&r->invariant[i], &at);
    if (r->has_constraint) *at++ = r->residual.position, *at++ = r->residual.position_scaled;
    if (r->has_velocity) *at++ = r->residual.velocity, *at++ = r->residual.velocity_scaled;
    for (int64_t k = 0; k < e->job->ncuts; k++)
        *at++ = r->ended ? e->cross.cut[k].side_before : e->cross.cut[k].side; /* where the state is */
    if (e->job->ncuts) *at++ = (double)e->job->ncuts;
    code = write_saved(e, extra, records, event_records);
    lbr_mem_free(extra);
    return code;
}

/* --- going on ---------------------------------------------------------------------------------------------------- */

static int refuse(lbr_exec *e, const char *what, const char *theirs, const char *ours)
{
    return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ECHECKPOINT,
                        "the checkpoint '%.120s' has another %s: '%.120s' there, '%.120s' here", e->job->resume, what,
                        theirs, ours);
}

static int refuse_number(lbr_exec *e, const char *what, double theirs, double ours)
{
    char a[32], b[32];

    snprintf(a, sizeof a, "%.17g", theirs), snprintf(b, sizeof b, "%.17g", ours);
    return refuse(e, what, a, b);
}

static void monitor_in(lbr_monitor *m, const double **at)
{
    m->worst = *(*at)++;
    memcpy(m->first, *at, (size_t)m->len * sizeof **at);
    *at += m->len;
    if (m->first_low) memcpy(m->first_low, *at, (size_t)m->len * sizeof **at), *at += m->len;
}

/* The sides of sections, if it was about the same ones; otherwise they are seen where the run goes on. */
static int take_sides(lbr_exec *e, const double *at, int64_t n)
{
    int good = 1;

    e->cross.blind = n != e->job->ncuts;
    for (int64_t k = 0; k < n && good && !e->cross.blind; k++)
        if ((good = at[k] == 0 || at[k] == 1 || at[k] == -1)) e->cross.cut[k].side = (int)at[k];
    return good ? 0
                : lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ECHECKPOINT,
                               "the checkpoint '%.200s' has other sections than this run would have", e->job->resume);
}

/* Hostile numbers are refused. */
static int good_extra(const lbr_exec *e, const lbr_saved *s, int older, int64_t sections)
{
    const double *at = s->extra;
    int good = sections >= 0 && s->nextra + older == extra_with(e, sections) &&
               (!sections || at[s->nextra - 1] == (double)sections);

    for (int64_t i = 0; good && i < s->nextra; i++) good = isfinite(at[i]);
    return good && at[0] == (sections ? EXTRA_SECTIONS : EXTRA_FORMAT) - older * EXTRA_OLDER &&
           at[1] >= LBR_MONITOR_EVERY && at[1] <= LBR_MONITOR_OFF && at[2] >= -1 && at[2] <= (double)s->steps &&
           (older || at[3] >= 1) && s->records >= 0;
}

/* The monitors, and whether the samples of the stream are as far apart. */
static int take_extra(lbr_exec *e, const lbr_saved *s)
{
    lbr_result *r = e->result;
    const double *at = s->extra;
    int older = s->nextra > 0 && at[0] <= EXTRA_OLDER;
    int64_t sections = s->nextra > 0 && at[0] == EXTRA_SECTIONS - older * EXTRA_OLDER
                           ? s->nextra + older - extra_size(e) - 1
                           : 0;

    if (!good_extra(e, s, older, sections))
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ECHECKPOINT,
                            "the checkpoint '%.200s' has other monitors than this run would have", e->job->resume);
    if ((int)at[1] != e->job->options.monitor)
        lbr_result_warn(r, "the checkpoint was made under another option monitor: largest errors are those of the "
                           "steps that were looked at");
    e->last_record = e->continued ? (int64_t)at[2] : -1;
    if (!older && e->continued && at[3] != (double)e->job->every)
        return refuse_number(e, "interval of samples (every)", at[3], (double)e->job->every);
    at += EXTRA_HEAD - older;
    if (r->has_energy) monitor_in(&r->energy, &at);
    for (int64_t i = 0; i < r->ninvariants; i++) monitor_in(&r->invariant[i], &at);
    if (r->has_constraint) r->residual.position = *at++, r->residual.position_scaled = *at++;
    if (r->has_velocity) r->residual.velocity = *at++, r->residual.velocity_scaled = *at++;
    return take_sides(e, at, sections);
}

static int compare(lbr_exec *e, const lbr_saved *s)
{
    const lbr_job *job = e->job;
    lbr_result *r = e->result;

    if (strcmp(s->method, r->method)) return refuse(e, "method", s->method, r->method);
    if (strcmp(s->options, e->options)) return refuse(e, "set of options", s->options, e->options);
    if (!same_number(s->h, job->h)) return refuse_number(e, "step", s->h, job->h);
    if (!same_number(s->t0, job->t0)) return refuse_number(e, "time at the start", s->t0, job->t0);
    if (s->digest != job->digest)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ECHECKPOINT,
                            "the checkpoint '%.120s' is of another model, other parameters or other data that is read "
                            "or included (of '%.120s')",
                            job->resume, s->model);
    if (s->steps > job->steps)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_EARG,
                            "the checkpoint '%.120s' has done %lld steps already; steps count from the start, and only "
                            "%lld are asked for",
                            job->resume, (long long)s->steps, (long long)job->steps);
    if (strcmp(s->library, lbr_version()))
        lbr_result_warn(r,
                        "the checkpoint was written by version %.60s of the library, this is %s: the bits may differ",
                        s->library, lbr_version());
    if (strcmp(s->kernel, r->kernel) && !e->kernel.report.pending)
        lbr_result_note(r, "the checkpoint was written with another kernel (%.60s) than this run has (%.60s)",
                        s->kernel, r->kernel);
    return 0;
}

static int take(lbr_exec *e, const lbr_saved *s)
{
    lbr_status status;
    int code;

    if ((code = compare(e, s))) return code;
    e->continued = e->job->out && *s->out && lbr_file_same(e->job->out, s->out);
    e->resumed_records = s->records;
    e->event.continued = e->job->events && *s->events && lbr_file_same(e->job->events, s->events);
    e->event.records = s->event_records;
    if ((status = lbr_state_restore_renamed(e->state, s->state, s->nstate)))
        return lbr_exec_end(e, lbr_exit_before(status), status, "'%.120s': %.300s", e->job->resume,
                            lbr_state_message(e->state));
    e->result->begin = e->begin = lbr_state_count(e->state);
    if (e->begin != s->steps)
        return lbr_exec_end(e, LBR_EXIT_INPUT, LBR_ECHECKPOINT,
                            "the checkpoint '%.200s' contradicts itself about its step count", e->job->resume);
    return take_extra(e, s);
}

int lbr_exec_resume(lbr_exec *e)
{
    lbr_message why;
    lbr_saved s;
    void *memory = NULL;
    lbr_status status = lbr_saved_read(e->job->resume, &s, &memory, &why);
    int code = status ? lbr_exec_end(e, exit_of(status), status, "%s", why.text) : take(e, &s);

    lbr_mem_free(memory);
    return code;
}
