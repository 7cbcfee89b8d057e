/* judge.h - what is measured, drawn, listed and claimed about the runs of a file.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_JUDGE_JUDGE_H
#define LBR_JUDGE_JUDGE_H
#include "execute/execute.h"
#include "runs/experiment.h"
#include "io/json.h"

/* One claim, judged. `value` is its left side (the middle of a chain): one number, several for lists, none for and, or,
 * not, failed. */
typedef struct lbr_verdict {
    const char *text; /* its label, or its source */
    int64_t n;
    const double *value;
    int list; /* n = 0: null; list: several by nature, even if n is 1 */
    int holds;
    int unknown;      /* it does not, since a number that would decide is missing */
    const char *note; /* something to be told about it, or NULL; why it is unknown */
} lbr_verdict;

/* The least and the largest of n numbers, as a list is told to people; NaN where none is a number. */
void lbr_judge_range(int64_t n, const double *value, double range[2]);

typedef struct lbr_judgement lbr_judgement;

/* Reads measures, plots, tables and claims before anything runs, so that mistakes in them are found at once: names,
 * shapes, what comes with a later version (modified). LBR_OK, or experiment->message. Free it in any case. */
lbr_status lbr_judge_open(lbr_judgement **judgement, lbr_experiment *x);
/* The same for one run that was chosen: its measures, nothing drawn, listed or claimed. */
lbr_status lbr_judge_open_measures(lbr_judgement **judgement, lbr_experiment *x);
void lbr_judge_free(lbr_judgement *judgement);

/* Before the runs: all measures will be told, not only those that a table or a claim uses. */
void lbr_judge_tell_measures(lbr_judgement *judgement);

/* Whether the samples of run i are needed in memory. */
int lbr_judge_needs(const lbr_judgement *judgement, int i);
/* After the runs: all claims. */
lbr_status lbr_judge_claims(lbr_judgement *judgement, const lbr_verdict **verdict, int64_t *n);
/* One of them, when runs have been made anew: forget what is known of each of these first. */
lbr_status lbr_judge_claim(lbr_judgement *judgement, int64_t k, lbr_verdict *verdict);
void lbr_judge_forget(lbr_judgement *judgement, int i);
/* The statement of claim k (its settings are those it must not hold under), and whether it speaks of run i. */
const lbr_line *lbr_judge_line(const lbr_judgement *judgement, int64_t k);
int lbr_judge_speaks(const lbr_judgement *judgement, int64_t k, int i);
/* Whether a failed run is excused: there are claims that mention it, and all of them do so through `failed`. */
int lbr_judge_excuses(const lbr_judgement *judgement, int i);

/* The file's tables for people; nothing if there are none. */
lbr_status lbr_judge_tables(lbr_judgement *judgement, FILE *out);
/* The same for programs, with all digits: "tables": [...]; the measures of run i: "measures": {...}; claims that have
 * been judged: "claims": [...]. Without a judgement nothing is in them. Tables without json are only worked out. */
lbr_status lbr_judge_json_tables(lbr_judgement *judgement, lbr_json *json);
lbr_status lbr_judge_json_measures(lbr_judgement *judgement, int i, lbr_json *json);
/* Measures one by one: how many, their names, and measure k of run i where it is one number that can be told without
 * samples that nobody has asked for; otherwise NaN. */
int lbr_judge_measures(const lbr_judgement *judgement);
const char *lbr_judge_measure_name(const lbr_judgement *judgement, int k);
lbr_status lbr_judge_measure(lbr_judgement *judgement, int i, int k, double *value);
/* The measures of run i, worked out: before its warnings are told, since there may be more of them. */
lbr_status lbr_judge_work_out(lbr_judgement *judgement, int i);
void lbr_judge_json_claims(const lbr_verdict *verdict, int64_t n, lbr_json *json);
int64_t lbr_judge_plots(const lbr_judgement *judgement); /* how many plot statements there are */
/* After drawing: how many of their points have no place, as they are 0 or below on a logarithmic axis. */
int64_t lbr_judge_left_out(const lbr_judgement *judgement);
/* Draws plot k: the only one to `path`, of several to NAME-PLOT.svg (a plot without a name is counted). If it cannot be
 * drawn the message names it; *empty: that is since it has no points. */
lbr_status lbr_judge_draw(lbr_judgement *judgement, int64_t k, const char *path, int keep_script, int force, int *empty,
                          lbr_message *message);
/* Of plot k the file that it would go to: path, or with several plots path with the plot's name. NULL: no memory. */
const char *lbr_judge_draw_file(const lbr_judgement *judgement, int64_t k, const char *path, lbr_arena *arena);
/* Whether all of these files could be written. */
lbr_status lbr_judge_draw_check(const lbr_judgement *judgement, const char *path, int keep_script, int force,
                                lbr_message *message);
#endif
