/* run.h - what libration run is asked for, whatever kind of file it is. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CLI_RUN_H
#define LBR_CLI_RUN_H
#include "flags.h"
#include "execute/csystem.h"
#include "runs/problem.h"
#include "execute/filenames.h"
#include "judge/judge.h"
#include "report/report.h"

/* Texts are those of the command line, NULL where nothing was said. */
typedef struct run_settings {
    arguments given;
    const char *file;
    const char *method, *run, *start, *out, *events, *plot, *checkpoint, *resume, *names;
    double step, time;                                         /* NaN: not given */
    int64_t steps, every;                                      /* -1: not given */
    int json, force, keep_script, no_compile, roundoff, plain; /* plain: from names */
} run_settings;
/* Nothing said. */
#define RUN_NOTHING                                        \
    {                                                      \
        .step = NAN, .time = NAN, .steps = -1, .every = -1 \
    }
/* The arguments of a command with one FILE, whose settings begin with s. */
int run_read(run_settings *s, const command *c, int argc, char **argv);

/* The options that were given, on top of what is there. */
void run_apply_options(const run_settings *s, lbr_options *options);

/* What would have helped a run that is interrupted without a checkpoint; and one of several. */
#define RUN_ADVICE       "a run with --checkpoint FILE could go on from there"
#define RUN_ADVICE_NAMED "a run with --run NAME --checkpoint FILE could go on from there"
/* Set by the first SIGINT, SIGTERM or SIGHUP; a second SIGINT or SIGTERM ends the tool at once. */
const volatile sig_atomic_t *run_interrupt(void);

/* The table (or the JSON object of a single run, with claims left out), the notes, and why a run has failed. */
int run_report(const run_settings *s, const lbr_result *result);
/* What is to be told, where it disturbs nobody; what several runs have to say is told once. */
void run_notes(const run_settings *s, const lbr_result *const *list, int64_t count);
/* What a summary of the runs with these numbers shows beside their results: parameters and starts that vary, measures.
 * LBR_OK, or the experiment's message. */
lbr_status run_summary(lbr_experiment *x, lbr_judgement *judgement, const int *run, int64_t n,
                       const lbr_report_row **row, int64_t *rows);
/* Of a picture with logarithmic axes, how many points these have no place for; nothing of none. */
void run_left_out_points(const run_settings *s, int64_t n);
/* Why it ended, and what is to be told, on stderr; returns the exit status. */
int run_tell(const lbr_result *result);
/* Whether only a part of the run is known, since it went on from a checkpoint; a warning names what is left out of a
 * file's claims, tables and measures and of the command's picture. Without a source: of a system in C. */
int run_left_out(const run_settings *s, const lbr_source *source, lbr_result *result);

/* The files that a command names, in a list that grows in the arena. What it reads and where it speaks; what a model or
 * a system in C consists of; a picture; whether they are files of their own, and whether a table is one too and can be
 * made (unless it may be gone on with). Exit statuses. */
typedef struct run_files {
    lbr_filename *list;
    int n, most, no_memory;
    lbr_arena *arena;
} run_files;
void run_files_add(run_files *f, const char *what, const char *path, lbr_name_kind kind);
void run_files_begin(run_files *f, const run_settings *s);
void run_files_model(run_files *f, lbr_source *source);
void run_files_system(run_files *f, const lbr_csystem *c);
void run_files_plot(run_files *f, const char *path, int keep_script);
int run_files_check(const run_files *f);
int run_files_out(const run_files *f, const run_settings *s, const char *what, const char *path);

/* --names plain: a run's name in the name of a file, v[1,2] as v_1_2; NULL: no memory. Whether those of n runs are n
 * names: an exit status. */
const char *run_plain_name(lbr_arena *arena, const char *label);
int run_plain_apart(lbr_arena *arena, const char *const *label, int64_t n);

/* FILE.c, and everything else: a model in the language. */
int run_is_c(const char *file);
int run_c(const run_settings *s);
int run_model(const run_settings *s);

/* Compares all functions of the system in FILE.c, at --start or its own; j: the list that findings go to, or NULL. An
 * exit status. */
int check_c(const char *file, const char *start, lbr_json *j);

/* For other commands. FILE.c: compiled and loaded; then its job, from the command line and its defaults. Exit statuses.
 */
int run_c_load(const run_settings *s, lbr_csystem *c);
int run_c_job(const run_settings *s, const lbr_csystem *c, lbr_job *job, lbr_arena *arena, lbr_message *note);
/* A model: what the command line says for each run; a complaint with the text of errors as it is, since it names its
 * places. */
lbr_overrides run_overrides(const run_settings *s);
/* Opens it: FILE, a name of the gallery, or "-", standard input, whose files are those of the current folder. An exit
 * status; the problem is freed in any case. */
int run_open(const run_settings *s, lbr_problem **problem);
/* Whether that is meant; all of it, in new memory (lbr_mem_free), a zero after it. An exit status. */
int run_is_input(const char *file);
int run_standard_input(char **text);
int run_refuse(const char *text, lbr_status status);
/* A file that cannot be written, before anything is run: bad input, but for memory. */
int run_unfit(const char *text, lbr_status status);
#endif
