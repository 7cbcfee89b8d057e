/* run_model.c - libration run of a model in the language: all its runs, then what is claimed.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "columns.h"
#include "run.h"
#include "io/file.h"
#include "judge/judge.h"
#include "plot/picture.h"
#include "plot/plot.h"
#include "report/report.h"

#include <string.h>

typedef struct session {
    const run_settings *s;
    lbr_problem *problem;
    lbr_source *source;
    lbr_experiment *x; /* both of the problem */
    lbr_judgement *judgement;
    const lbr_verdict *verdict;
    int64_t nverdicts;
    char *wanted;
    int asked; /* which runs are executed; how many are asked for */
    int code;  /* the worst so far */
    int part;  /* its run went on from a checkpoint: of samples only those since then are there (run_resumed.c) */
    lbr_progress_of progress;
} session;

int run_refuse(const char *text, lbr_status status)
{
    if (!text || !*text) text = lbr_status_text(status); /* there was no memory left to say more */
    if (strchr(text, '\n')) fprintf(stderr, "%s\n", text);
    else complain("%s", text);
    return status == LBR_STOPPED                       ? LBR_EXIT_INTERRUPTED
           : status == LBR_ENOMEM || status == LBR_EIO ? LBR_EXIT_MACHINE
                                                       : LBR_EXIT_INPUT;
}

int run_unfit(const char *text, lbr_status status)
{
    return complain("%s", text), status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT;
}

lbr_overrides run_overrides(const run_settings *s)
{
    return (lbr_overrides){ .method = s->method,
                            .run = s->run,
                            .start = s->start,
                            .step = s->step,
                            .time = s->time,
                            .steps = s->steps,
                            .every = s->every,
                            .set = s->given.set,
                            .nsets = s->given.nsets,
                            .option = s->given.option,
                            .noptions = s->given.noptions,
                            .native = s->no_compile ? NULL : lbr_execute_native,
                            .interrupt = run_interrupt() };
}

/* --run: by the name of a run, or of a family. */
static int asked_for(const session *n, int i)
{
    const lbr_trial *r = n->x->run + i;

    return !n->s->run || !strcmp(r->label, n->s->run) || !strcmp(r->family, n->s->run);
}

/* Whether it is about one run: it has no name, or --run gives it. */
static int single(const session *n) { return !n->x->named || (n->s->run && n->asked == 1); }

/* x.csv becomes x-NAME.csv where a file has several runs. NULL without a path, or without memory. */
static const char *named_file(session *n, const char *path, const lbr_trial *r)
{
    const char *dot = path ? strrchr(path, '.') : NULL, *name = r->label;

    if (!path || single(n)) return path;
    if (!dot || strchr(dot, '/')) dot = path + strlen(path);
    if (n->s->plain && !(name = run_plain_name(&n->x->arena, name))) return NULL;
    return lbr_arena_format(&n->x->arena, "%.*s-%s%s", (int)(dot - path), path, name, dot);
}

/* What is asked for, and what that goes on from. */
static int mark_wanted(session *n)
{
    if (!(n->wanted = lbr_arena_alloc(&n->x->arena, n->x->nruns + 1, 1)))
        return complain("out of memory"), LBR_EXIT_MACHINE;
    for (int i = n->x->nruns - 1; i >= 0; i--) {
        if (asked_for(n, i)) n->wanted[i] = 1, n->asked++;
        if (n->wanted[i] && n->x->run[i].from >= 0) n->wanted[n->x->run[i].from] = 1;
    }
    return LBR_EXIT_DONE;
}

/* --- one run after the other ------------------------------------------------------------------------------------- */

/* A run that cannot begin because the one before it has failed has failed too. */
static int cut_off(session *n, int i)
{
    lbr_trial *r = n->x->run + i;
    const lbr_trial *before = r->from >= 0 ? n->x->run + r->from : NULL;

    if (!before || !before->done || before->result.exit != LBR_EXIT_NUMERICS) return 0;
    r->result = (lbr_result){ .name = r->label, .exit = LBR_EXIT_NUMERICS, .status = before->result.status };
    snprintf(r->result.text, sizeof r->result.text, "run %.100s, at whose end it starts, has failed", before->label);
    return r->done = 1;
}

/* A failure that is claimed; of a part of a run nothing is. */
static int excused(const session *n, int i) { return !n->part && lbr_judge_excuses(n->judgement, i); }

/* Where samples and events go, and what is said of the run there. */
static lbr_status to_files(session *n, lbr_trial *r)
{
    lbr_job *job = &r->job;
    lbr_status status = LBR_OK;

    job->out = named_file(n, n->s->out, r), job->events = named_file(n, n->s->events, r);
    job->plain_names = n->s->plain;
    if ((n->s->out && !job->out) || (n->s->events && !job->events)) status = LBR_ENOMEM;
    else if (job->out || job->events)
        status = lbr_parameters_list(r->model, &n->x->arena, &job->parameter, &job->nparameters);
    return status ? lbr_experiment_fail(n->x, status) : LBR_OK;
}

static int one_run(session *n, int i)
{
    lbr_trial *r = n->x->run + i;
    lbr_status status;

    if (cut_off(n, i)) return n->progress.run++, n->progress.before += (double)r->job.steps, LBR_EXIT_NUMERICS;
    if ((status = lbr_experiment_prepare(n->x, i))) return run_refuse(n->x->message, status);
    n->progress.run++, r->job.among = &n->progress;
    r->job.force = n->s->force, r->job.progress = 1, r->job.interrupt = run_interrupt();
    r->job.keep = n->s->plot || lbr_judge_needs(n->judgement, i);
    if (asked_for(n, i) && (status = to_files(n, r))) return run_refuse(n->x->message, status);
    r->job.roundoff = n->s->roundoff;
    if (asked_for(n, i)) r->job.checkpoint = n->s->checkpoint, r->job.resume = n->s->resume;
    r->job.advice = single(n) ? RUN_ADVICE : RUN_ADVICE_NAMED;
    lbr_execute(&r->job, &r->result);
    n->progress.before += (double)r->job.steps;
    r->done = 1;
    n->part |= run_left_out(n->s, n->source, &r->result);
    lbr_experiment_trim(n->x, i);
    if (r->note.text[0] && !r->result.ended) lbr_result_warn(&r->result, "%s", r->note.text); /* where it would end */
    return r->result.exit;
}

/* The results of a run that is interrupted tell that others are missing. */
static void not_begun(session *n, int i)
{
    lbr_result *r = &n->x->run[i].result;
    int64_t missing = 0;

    for (int k = i + 1; k < n->x->nruns; k++) missing += n->wanted[k] != 0;
    if (missing && r->exit == LBR_EXIT_INTERRUPTED)
        lbr_result_warn(r, "runs that were not begun, since this one was interrupted: %lld", (long long)missing);
}

/* A run that fails does not end the others, unless it was refused or interrupted; what was done before is still
 * reported. */
static int make_runs(session *n)
{
    for (int i = 0; i < n->x->nruns; i++) {
        int code;

        if (!n->wanted[i]) continue;
        code = one_run(n, i);
        if (code && !n->x->run[i].done) return i ? n->code = code, LBR_EXIT_DONE : code;
        if (code == LBR_EXIT_NUMERICS && !excused(n, i)) n->code = LBR_EXIT_NUMERICS;
        else if (code && code != LBR_EXIT_NUMERICS) return not_begun(n, i), n->code = code, LBR_EXIT_DONE;
    }
    return LBR_EXIT_DONE;
}

/* What is wrong with the settings of a run is said before the first one begins; of many runs, which would all have to
 * be kept, when its turn comes. */
static int all_ready(session *n)
{
    lbr_status status = LBR_OK;

    for (int i = 0; i < n->x->nruns && !status && n->x->nruns <= LBR_MANY; i++)
        if (n->wanted[i]) status = lbr_experiment_ready(n->x, i);
    return status ? run_refuse(n->x->message, status) : LBR_EXIT_DONE;
}

static int all_runs(session *n)
{
    int code = all_ready(n);

    if (code) return code;
    for (int i = 0; i < n->x->nruns; i++) n->progress.runs += n->wanted[i] != 0;
    for (int i = 0; i < n->x->nruns && n->x->nruns <= LBR_MANY; i++) /* they are ready: their steps are known */
        n->progress.all += n->wanted[i] ? (double)n->x->run[i].job.steps : 0;
    code = make_runs(n);
    if (n->progress.shown) lbr_progress_line("");
    return code;
}

/* --- report ------------------------------------------------------------------------------------------------------ */

static int told(const session *n, int i) { return n->x->run[i].done && n->x->run[i].result.y && asked_for(n, i); }

static int64_t results(const session *n, const lbr_result **list)
{
    int64_t count = 0;

    for (int i = 0; i < n->x->nruns; i++)
        if (told(n, i)) list[count++] = &n->x->run[i].result;
    return count;
}

/* The first run that is told of. */
static int only(const session *n)
{
    int i = 0;

    while (!told(n, i)) i++;
    return i;
}

/* One run, as keys of an object. */
static lbr_status json_run(const session *n, lbr_json *j, int i)
{
    const lbr_trial *r = n->x->run + i;
    lbr_judgement *judgement = n->part ? NULL : n->judgement;
    const lbr_parameter *const *list = NULL;
    lbr_arena arena = { 0 };
    int64_t count = 0;
    lbr_status status = lbr_parameters_list(r->model, &arena, &list, &count);

    if (!status) status = lbr_judge_work_out(judgement, i);
    if (r->label) lbr_json_text(j, "name", r->label);
    lbr_report_keys(j, &r->result, list, status ? 0 : count);
    lbr_arena_free(&arena);
    if (status) return lbr_experiment_fail(n->x, status);
    return lbr_judge_json_measures(judgement, i, j);
}

static lbr_status json_report(const session *n, int64_t count)
{
    lbr_json j = { .out = stdout };
    lbr_status status = LBR_OK;

    if (single(n) && !count) return LBR_OK;
    if ((status = lbr_judge_json_tables(n->part ? NULL : n->judgement, NULL)))
        return status; /* warnings may come of them */
    lbr_json_open(&j, NULL, '{');
    lbr_json_text(&j, "title", n->source->title);
    if (single(n)) status = json_run(n, &j, only(n));
    else lbr_json_text(&j, "model", n->source->name);
    lbr_json_open(&j, "runs", '[');
    for (int i = 0; i < n->x->nruns && !status; i++) {
        if (!told(n, i)) continue;
        lbr_json_open(&j, NULL, '{');
        status = json_run(n, &j, i);
        lbr_json_close(&j, '}');
    }
    lbr_json_close(&j, ']');
    lbr_judge_json_claims(n->verdict, n->nverdicts, &j);
    if (!status) status = lbr_judge_json_tables(n->part ? NULL : n->judgement, &j);
    lbr_json_close(&j, '}');
    return status;
}

/* Of many those that fail are told, and how many hold. */
static void claims_for_people(const session *n)
{
    int64_t many = n->nverdicts > LBR_MANY, holding = 0, shown = 0;

    if (n->nverdicts) putchar('\n');
    for (int64_t k = 0; k < n->nverdicts; k++) {
        const lbr_verdict *v = n->verdict + k;

        holding += v->holds;
        if (many && (v->holds || shown++ >= LBR_MANY)) continue;
        printf("%s  %s", v->holds ? "holds " : "FAILS ", v->text);
        print_value(v->n, v->value);
        printf("%s%s\n", v->note ? "  " : "", v->note ? v->note : "");
    }
    if (many)
        printf("%lld claims: %lld hold, %lld fail; --json lists them\n", (long long)n->nverdicts, (long long)holding,
               (long long)(n->nverdicts - holding));
}

/* More runs than a table is good for. */
static lbr_status summary(session *n, const lbr_result *const *list, int64_t count)
{
    int *run = lbr_arena_alloc(&n->x->arena, count, sizeof *run);
    const lbr_report_row *row;
    int64_t k = 0, rows;
    lbr_status status;

    if (!run) return lbr_experiment_fail(n->x, LBR_ENOMEM);
    for (int i = 0; i < n->x->nruns; i++)
        if (told(n, i)) run[k++] = i;
    if (!(status = run_summary(n->x, n->judgement, run, count, &row, &rows)))
        lbr_report_summary(stdout, list, count, row, rows);
    return status;
}

static int report(session *n)
{
    const lbr_result **list = lbr_arena_alloc(&n->x->arena, n->x->nruns, sizeof *list);
    int64_t count = list ? results(n, list) : 0;
    lbr_status status = LBR_OK;

    if (!list) return complain("out of memory"), LBR_EXIT_MACHINE;
    if (n->s->json) status = json_report(n, count);
    else {
        if (n->source->title && count) printf("%s\n\n", n->source->title);
        if (count > LBR_MANY) status = summary(n, list, count);
        else if (count) lbr_report_table(stdout, list, count);
        if (!status && count && !n->s->run && !n->part) status = lbr_judge_tables(n->judgement, stdout);
        claims_for_people(n);
    }
    run_notes(n->s, list, count);
    for (int i = 0; i < n->x->nruns; i++)
        if (n->x->run[i].done && !(n->x->run[i].result.exit == LBR_EXIT_NUMERICS && excused(n, i)))
            run_tell(&n->x->run[i].result);
    return status ? run_refuse(n->x->message, status) : LBR_EXIT_DONE;
}

/* The plots of the file, each if it can be: one without points is told, and is an error only where nothing else is
 * drawn. A machine that fails draws no others either. */
static int draw_plots(session *n)
{
    int64_t drawn = 0;
    int code, worst = LBR_EXIT_DONE, lacking = LBR_EXIT_DONE;

    for (int64_t k = 0; k < lbr_judge_plots(n->judgement); k++) {
        lbr_message why = { 0 };
        int empty;
        lbr_status status = lbr_judge_draw(n->judgement, k, n->s->plot, n->s->keep_script, n->s->force, &empty, &why);

        if (!status) drawn++;
        else if ((code = run_refuse(why.text, status)) != LBR_EXIT_INPUT) return code;
        else if (empty) lacking = code;
        else worst = code;
    }
    return worst ? worst : drawn ? LBR_EXIT_DONE : lacking;
}

static int draw(session *n)
{
    const lbr_result **list = lbr_arena_alloc(&n->x->arena, n->x->nruns, sizeof *list);
    int64_t count = list ? results(n, list) : 0;
    lbr_message why = { 0 };
    lbr_status status;

    if (n->s->plot && !list) return run_refuse(NULL, LBR_ENOMEM);
    if (!n->s->plot || n->part || !count || n->code == LBR_EXIT_INPUT || n->code == LBR_EXIT_MACHINE)
        return LBR_EXIT_DONE;
    if (lbr_judge_plots(n->judgement) && !n->s->run) return draw_plots(n);
    status = lbr_picture(list, count, n->source->title, n->s->plot, n->s->keep_script, n->s->force, run_interrupt(),
                         &why);
    return status ? run_refuse(why.text, status) : LBR_EXIT_DONE;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

/* Runs whose files are named after them, and would not be without brackets. */
static int check_names(session *n)
{
    const char **label = lbr_arena_alloc(&n->x->arena, n->x->nruns, sizeof *label);
    int64_t count = 0;

    if (!label) return complain("out of memory"), LBR_EXIT_MACHINE;
    for (int i = 0; i < n->x->nruns; i++)
        if (asked_for(n, i)) label[count++] = n->x->run[i].label;
    return run_plain_apart(&n->x->arena, label, count);
}

/* Of each run that is asked for, before the first one begins. */
static int check_files(session *n)
{
    const run_settings *s = n->s;
    run_files files = { .arena = &n->x->arena };
    int64_t plots = s->plot && !s->run ? lbr_judge_plots(n->judgement) : 0;
    int code;

    run_files_begin(&files, s), run_files_model(&files, n->source);
    for (int64_t k = 0; k < plots; k++)
        run_files_plot(&files, lbr_judge_draw_file(n->judgement, k, s->plot, &n->x->arena), s->keep_script);
    if (!plots) run_files_plot(&files, s->plot, s->keep_script);
    if ((code = run_files_check(&files)) || (s->plain && !single(n) && (code = check_names(n)))) return code;
    for (int i = 0; i < n->x->nruns && !code; i++) {
        const char *out = named_file(n, s->out, n->x->run + i), *events = named_file(n, s->events, n->x->run + i);

        if (!asked_for(n, i)) continue;
        if (!(code = run_files_out(&files, s, "--out", out))) code = run_files_out(&files, s, "--events", events);
        if (out && events && !code && lbr_file_same(out, events))
            code = complain("--out and --events cannot both be '%.200s'", out);
    }
    return code;
}

static int checks(session *n)
{
    const run_settings *s = n->s;
    lbr_message why = { 0 };
    lbr_status status;
    int code;

    if (s->keep_script && !s->plot) return complain("--keep-script needs --plot");
    if ((s->checkpoint || s->resume) && !single(n))
        return complain("--checkpoint and --resume need --run with the name of one run: there are several");
    if (s->resume && s->start) return complain("--start and --resume contradict each other");
    if (s->events && !n->x->base->nsections)
        return complain("there are no events to be written: the model has no section");
    if ((code = check_files(n)) || !s->plot || s->resume) return code;
    if (lbr_judge_plots(n->judgement) && !s->run)
        status = lbr_judge_draw_check(n->judgement, s->plot, s->keep_script, s->force, &why);
    else status = lbr_plot_check(s->plot, s->keep_script, s->force, &why);
    return status ? run_unfit(why.text, status) : LBR_EXIT_DONE;
}

static int judged(session *n)
{
    lbr_status status;

    if (n->s->run || n->part || n->code == LBR_EXIT_INTERRUPTED || n->code == LBR_EXIT_MACHINE ||
        n->code == LBR_EXIT_INPUT)
        return LBR_EXIT_DONE;
    if ((status = lbr_judge_claims(n->judgement, &n->verdict, &n->nverdicts))) return run_refuse(n->x->message, status);
    for (int64_t k = 0; k < n->nverdicts; k++)
        if (!n->verdict[k].holds && !n->code) n->code = LBR_EXIT_CLAIM;
    return LBR_EXIT_DONE;
}

/* What is drawn, listed and claimed; what --json tells beside (measures, events of every section) and --events. */
static lbr_status judge_what(session *n)
{
    const run_settings *s = n->s;
    lbr_status status = LBR_OK;

    if (!s->run) status = lbr_judge_open(&n->judgement, n->x);
    else if (s->json) status = lbr_judge_open_measures(&n->judgement, n->x);
    if (status || (!s->json && !s->events)) return status;
    if (s->json) lbr_judge_tell_measures(n->judgement);
    for (int i = 0; i < n->x->nruns; i++)
        if (asked_for(n, i) && !lbr_sections_want(n->x, i, s->json ? LBR_EVENTS_STATES : 0))
            return lbr_experiment_fail(n->x, LBR_ENOMEM);
    return LBR_OK;
}

static int everything(session *n)
{
    lbr_status status;
    int code = run_open(n->s, &n->problem);

    if (code) return code;
    n->source = &n->problem->source, n->x = &n->problem->x;
    if ((status = judge_what(n))) return run_refuse(n->x->message, status);
    if ((code = mark_wanted(n)) || (code = checks(n)) || (code = all_runs(n)) || (code = judged(n)) ||
        (code = report(n)))
        return code;
    code = draw(n);
    run_left_out_points(n->s, lbr_judge_left_out(n->judgement));
    return n->code ? n->code : code;
}

int run_model(const run_settings *s)
{
    session n = { .s = s };
    int code = everything(&n);

    if (code != LBR_EXIT_MACHINE && *run_interrupt()) code = LBR_EXIT_INTERRUPTED; /* also while claims were judged */
    lbr_judge_free(n.judgement);
    lbr_problem_free(n.problem);
    return code;
}
