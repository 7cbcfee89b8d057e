/* experiment.h - the runs of a file: expanded, set, executed; then what is measured, drawn and claimed.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_RUNS_EXPERIMENT_H
#define LBR_RUNS_EXPERIMENT_H
#include "job.h"
#include "model/model_inside.h"
#include "model/model_system.h"

/* NAME = VALUE, as text. */
typedef struct lbr_pair {
    const char *name, *value;
} lbr_pair;

/* What the command line says, for every run. */
typedef struct lbr_overrides {
    const char *method, *run, *start; /* NULL: nothing */
    double step, time;
    int64_t steps, every; /* NaN, -1: nothing */
    const lbr_pair *set;
    int nsets;
    const lbr_pair *option;
    int noptions; /* valid ones */
    /* Machine code for the plans of a run, where that can be; NULL: there is none. LBR_ENOMEM. */
    lbr_status (*native)(lbr_model *model, lbr_job *job, const volatile sig_atomic_t *interrupt);
    const volatile sig_atomic_t *interrupt; /* of compiling, or NULL */
    int partial;                            /* what is not said of method, step and steps may be missing: NULL, 0, 0 */
} lbr_overrides;

/* One run, from the text to its result. */
typedef struct lbr_trial {
    const char *family, *label; /* "v" and "v[2]"; NULL: it has no name */
    int nindex;
    int64_t index[LBR_RANK];
    const char *index_name[LBR_RANK];
    const lbr_line *line; /* its statement; NULL: none */
    int from;             /* the run at whose end it starts, or -1 */
    lbr_model *model;     /* with its parameters; may be shared (see owns) */
    int owns, ready;      /* ready: model and job are made, all but where it starts */
    const lbr_line **above;
    int nabove; /* statements, for all runs the same, whose settings hold where it says nothing, nearest first */
    lbr_job job;
    lbr_message note;
    lbr_quantity *observed;
    lbr_result result;
    int done;                  /* result is filled */
    double *start;             /* where it starts: dim numbers */
    int until;                 /* the number, from 1, of the section that ends it; 0: none */
    struct lbr_wanted *wanted; /* sections that are to be watched (watched_sections.c) */
    const lbr_method *table;   /* of the file, with its parameters; x->nmethods of them */
    const lbr_change *varied;
    int nvaried; /* changes of the model that come last: a claim's `against` */
} lbr_trial;

typedef struct lbr_experiment {
    lbr_source *source;
    lbr_overrides over;
    lbr_model *base; /* with what the default run and the command line change */
    lbr_method *method;
    int64_t nmethods; /* tables that the file defines, with the base's parameters */
    lbr_trial *run;
    int nruns;
    lbr_trial shared;             /* what all runs share, as if it were one */
    int named;                    /* the file has runs with names */
    lbr_spent spent;              /* by runs so far */
    struct lbr_known *references; /* solutions to compare with (reference.h), in the arena */
    struct lbr_truth *truths;     /* runs in extended precision (round_off.h), likewise */
    lbr_arena arena;
    lbr_status status;  /* what went wrong: LBR_OK, nothing so far ... */
    char message[8192]; /* ... and in words */
} lbr_experiment;

#ifndef LBR_MOST_RUNS
    #define LBR_MOST_RUNS 100000
#endif

/* Reads the runs of a source: their names, their settings, their models. LBR_OK, or experiment->message. Free it in any
 * case; the source lives as long. */
lbr_status lbr_experiment_open(lbr_experiment *x, lbr_source *source, const lbr_overrides *over);
void lbr_experiment_free(lbr_experiment *x);

/* Its model and settings, before anything is executed; done once. LBR_OK or experiment->message. */
lbr_status lbr_experiment_ready(lbr_experiment *x, int i);
lbr_status lbr_trial_ready(lbr_experiment *x, lbr_trial *run);
/* Before run i is executed: its model, its job (but for what is only the caller's: files, interrupt). LBR_OK or
 * experiment->message. */
lbr_status lbr_experiment_prepare(lbr_experiment *x, int i);
/* After it was executed: where there are many runs, what only stepping needs is given back. */
void lbr_experiment_trim(lbr_experiment *x, int i);
/* Its system, made again if it was given back; NULL: the message. */
const lbr_system *lbr_experiment_system(lbr_experiment *x, lbr_trial *r, lbr_message *message);
/* A run by its name: "v" or "v[2]"; the first of a family. -1: there is none. */
int lbr_experiment_find(const lbr_experiment *x, const char *name);

/* --- changed_models.c: LBR_OK or experiment->message ------------------------------------------------------------- */

/* The base, with what a run statement changes of it; with what the command line does. */
lbr_status lbr_base_change(lbr_experiment *x, const lbr_line *line);
lbr_status lbr_base_given(lbr_experiment *x);
/* The model of a run. */
lbr_status lbr_trial_model(lbr_experiment *x, lbr_trial *r);
/* A model of its own, made for extended precision. */
lbr_status lbr_trial_extended(lbr_experiment *x, lbr_trial *r);
/* The indices of a run, for the settings of its statement that are read next (lbr_lower_enter). */
void lbr_trial_bind(const lbr_trial *r, lbr_lower *lo);

/* --- parameters.c ------------------------------------------------------------------------------------------------ */

/* The parameters of a model and their values, in the arena. LBR_OK or LBR_ENOMEM. */
lbr_status lbr_parameters_list(lbr_model *m, lbr_arena *arena, const lbr_parameter *const **list, int64_t *n);

/* --- method_text.c ----------------------------------------------------------------------------------------------- */

/* A method expression as plans read it: names of the file replaced, indices and (expressions) worked out in this model.
 * NULL after an error in the file. */
const char *lbr_method_text(lbr_experiment *x, lbr_model *m, lbr_file *file, const lbr_mexpr *e);
/* The same of a text that is not in the file, but may have its names in it; `name` is where it stands: "--method".
 * NULL: x->message, or no memory. */
const char *lbr_method_given(lbr_experiment *x, lbr_model *m, const char *name, const char *given);
/* Whether plans understand an expression of the file; 0: no, which has been said at its place, or no memory. */
int lbr_method_checked(lbr_experiment *x, lbr_model *m, lbr_file *file, const lbr_mexpr *e, const lbr_method *table);
/* The tables of the file's method statements. 0 after an error. */
int lbr_method_tables(lbr_experiment *x);
/* The same ones with the parameters of a run's model, as many as x->nmethods. 0 after an error. */
int lbr_method_tables_of(lbr_experiment *x, lbr_model *m, const lbr_method **row);

/* --- settings.c -------------------------------------------------------------------------------------------------- */

/* Whether a setting is one of the language's own or an option; otherwise it is a parameter or a variable. */
int lbr_setting_known(const lbr_model *m, const char *name);
/* Whether a run is to have extended precision; what is wrong with its options is said later. */
int lbr_settings_extended(lbr_experiment *x, lbr_trial *r);
/* Method, step, steps, every, options of a run from all places where they can stand. 0 after an error. */
int lbr_settings_job(lbr_experiment *x, lbr_trial *r);

/* --- watched_sections.c ------------------------------------------------------------------------------------------- */

/* The number of a section of the model; -1, with an error at this place: there is none of this name. */
int lbr_section_named(lbr_lower *lo, const lbr_model *m, const char *name, lbr_place place);
/* Section k of a run is to be watched; keep as in lbr_cut. 0: no memory. */
int lbr_section_want(lbr_experiment *x, int run, int k, int keep);
/* All sections of the file. */
int lbr_sections_want(lbr_experiment *x, int run, int keep);
/* until = NAME of a run's settings; item NULL: nothing is said. 0 after an error. */
int lbr_section_until(lbr_trial *r, const lbr_line *line, const lbr_item *item);
/* What is wanted, into the job. LBR_OK or experiment->message. */
lbr_status lbr_sections_attach(lbr_experiment *x, lbr_trial *r);

/* --- what goes wrong: functions that give 0 or NULL after an error have said it in one of these ways, or in a file -
 */

/* It has gone wrong in this way: the status and the sentence of the experiment. Gives the status. */
lbr_status lbr_experiment_say(lbr_experiment *x, lbr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same from below, of a model: its name stands before. */
lbr_status lbr_experiment_refused(lbr_experiment *x, const lbr_message *why);
/* There is no memory. 0 always. */
int lbr_experiment_no_memory(lbr_experiment *x);
/* Of all that has gone wrong what is to be told: no memory; the errors of the texts; what has been said. `status` is
 * LBR_ENOMEM or LBR_EARG; gives the one that it comes to. */
lbr_status lbr_experiment_fail(lbr_experiment *x, lbr_status status);
/* Nothing has gone wrong so far. */
void lbr_experiment_anew(lbr_experiment *x);
#endif
