/* judging.h - inside the judge: what names mean in measures and claims, and how expressions get their values.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions are read by the language's own reader (lower.h). What is a series, a list or the result of a reduction is
 * an operand: an input of the graph, given anew for every element. So an expression is worked out by running its
 * function once for each element of its operands; the arguments of reductions are expressions of their own and are
 * worked out first.
 *
 * Everything is gone through twice. Before anything runs (`dry`) there are shapes but no samples, and each run is seen
 * as the first one of its statement; afterwards for good. */
#ifndef LBR_JUDGE_JUDGING_H
#define LBR_JUDGE_JUDGING_H
#include "judge.h"
#include "trace.h"

enum { LBR_MOST_CLAIMS = 100000 };

/* Names with numbers. */
typedef struct lbr_index {
    const char **name;
    int *value;
    int size, n;
} lbr_index;
int lbr_index_add(lbr_index *index, lbr_arena *arena, const char *name, int value); /* 0: no memory */
int lbr_index_find(const lbr_index *index, const char *name);                       /* -1: it is not there */
/* The name nearest to this one, if it is near. */
void lbr_index_nearest(const lbr_index *index, const char *name, const char **best, int *distance);

typedef struct lbr_measure {
    const lbr_line *line;
    const lbr_item *item;
    int faulty;
} lbr_measure;

/* Runs first .. first + count - 1 of one statement. */
typedef struct lbr_family {
    const char *name;
    int first, count;
    int listed;
    int stored;       /* samples are needed for its measures ... */
    char *stored_for; /* ... and for which of them */
} lbr_family;

/* Inputs of a graph that expressions use in turn. */
typedef struct lbr_pool {
    struct {
        int array, busy;
        int64_t size;
    } * item;
    int n, most;
} lbr_pool;

/* What is known of a run. */
typedef struct lbr_seen {
    int family;
    int needed;                /* its samples are */
    int mentioned, excused;    /* claims that mention it; those that do so through `failed` */
    int last, last_failed;     /* the last claim (from 1) that did, that did so through it */
    const lbr_trace **measure; /* values, NULL until they are known */
    lbr_trace *clock;          /* its times as a series of themselves, or NULL */
    lbr_pool pool;
    const char *why; /* it has no reference solution, or NULL */
} lbr_seen;

/* A run, or several of a family; a.cut of a plot or a table: the number of the section, from 1. */
typedef struct lbr_runs {
    int first, count, listed, section;
} lbr_runs;

/* One claim, or one member of a family of them. */
typedef struct lbr_claim {
    const lbr_line *line;
    int nindex;
    int64_t index[LBR_RANK];
    const char *text;
    int known; /* measures declared before it */
    int nruns;
    lbr_runs *run; /* the runs that it mentions: what `against` repeats */
} lbr_claim;

/* A plot or a table. */
typedef struct lbr_picture_line {
    const lbr_line *line;
    int known;
    int64_t *curves; /* of a plot: how many each of the runs that `of` names will have */
} lbr_picture_line;

struct lbr_judgement {
    lbr_experiment *x;
    lbr_arena arena;
    lbr_arena *scratch; /* what is forgotten after the expression at hand */
    int dry, no_memory;
    lbr_measure *measure;
    int nmeasures;
    lbr_index measures;
    lbr_family *family;
    int nfamilies;
    lbr_index families;
    lbr_seen *seen;
    lbr_pool pool; /* of each run; of the model that runs share */
    lbr_claim *claim;
    int nclaims, most_claims;
    lbr_picture_line *plot;
    int nplots;
    lbr_picture_line *table;
    int ntables;
    lbr_verdict *verdict;
    struct {
        lbr_runs *run;
        char *failed;
        int n, most;
    } mention;         /* of the claim at hand */
    lbr_message note;  /* to be told about the expression at hand */
    lbr_message doubt; /* why a comparison in it is unknown */
    int64_t left_out;  /* points that pictures had no place for */
};

/* --- judge_value.c: where an expression is read, and its value --------------------------------------------------- */

typedef struct lbr_operand {
    const lbr_trace *value;
    int array;
    int place;
} lbr_operand; /* place: in the pool */

enum { LBR_OF_EXACT = 1, LBR_OF_EXTENDED };

typedef struct lbr_frame {
    lbr_judgement *j;
    lbr_lower *lo;
    int run;     /* whose quantities are meant; -1: nobody's */
    int exact;   /* those of its reference solution (LBR_OF_EXACT), or of it in extended precision (LBR_OF_EXTENDED) */
    int section; /* those at the events of a section: its number, from 1 */
    int known;   /* measures that are declared */
    int named;   /* a.x: the run is meant and no other, so that it is a mistake to ask for what it cannot have */
    lbr_operand *operand;
    int n, most;
    lbr_dialect dialect;
    lbr_reading before; /* what the reader was doing */
    int ieee;           /* and its graph */
} lbr_frame;

/* Begins to read in the context of a run (-1: of none) in a file; everything is put back by close, which gives 0 after
 * an error. */
void lbr_frame_open(lbr_frame *f, lbr_judgement *j, int run, lbr_file *file, int known);
int lbr_frame_close(lbr_frame *f);
/* The value of an expression, of a family of expressions (name[k = 1..n] = value). In scratch memory; NULL after an
 * error. */
const lbr_trace *lbr_frame_value(lbr_frame *f, const lbr_node *node);
const lbr_trace *lbr_frame_family(lbr_frame *f, const lbr_item *item);
/* A condition: 1 or 0. */
const lbr_trace *lbr_frame_truth(lbr_frame *f, const lbr_node *node);
/* A comparison, and its left side or, of a chain, its middle. */
const lbr_trace *lbr_frame_compare(lbr_frame *f, const lbr_node *node, const lbr_trace **middle);
/* An operand as a value of the language; the place is for what is not recorded of it. */
const lbr_value *lbr_frame_operand(lbr_frame *f, const lbr_trace *s, lbr_place place);
void *lbr_frame_no_memory(lbr_frame *f);
/* Something below has failed for this reason: no memory, or an error at a place. */
void *lbr_frame_fail(lbr_frame *f, lbr_place place, const lbr_message *why);

/* --- judge_names.c: names, members and calls that the language does not know ------------------------------------- */

extern const lbr_dialect lbr_judge_dialect;
/* A name that stands for a series or number of the run: 1, and *s is NULL after an error. 0: the language knows it, or
 * nobody. */
int lbr_frame_named(lbr_frame *f, const lbr_node *node, const lbr_trace **s);
/* a.x, v.x, v[2].x, exact.x. NULL after an error. */
const lbr_trace *lbr_frame_member(lbr_frame *f, const lbr_node *node);
/* The same for multiplier(a.c): node is a.c. */
const lbr_trace *lbr_frame_multiplier(lbr_frame *f, const lbr_node *node);
/* `a`, `v`, `v[2]`: 1; 0: no run is meant. -1 after an error. */
int lbr_frame_runs(lbr_frame *f, const lbr_node *node, lbr_runs *runs);
/* failed(a), failed(v[2]): a condition. */
const lbr_trace *lbr_frame_failed(lbr_frame *f, const lbr_node *call);
/* Why a run has no value, for the claim at hand, unless something has been said already. */
void lbr_judge_remark(lbr_judgement *j, int run);
/* The claim at hand speaks of these runs. */
void lbr_judge_mention(lbr_frame *f, const lbr_runs *runs, int through_failed);

/* --- judge_calls.c: functions of series -------------------------------------------------------------------------- */

int lbr_frame_call(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx);
/* The value of a call that is the dialect's: 1, and *s is NULL after an error. 0: it is not, or it is a condition. */
int lbr_frame_called(lbr_frame *f, const lbr_node *node, const lbr_trace **s);
/* Whether a call of this name is the dialect's. */
int lbr_judge_calls(const char *name);
/* "there is no ...", with the nearest name there is. */
void *lbr_frame_unknown(lbr_frame *f, const lbr_node *node, int called);

/* --- judge_quantity.c: what a run has ---------------------------------------------------------------------------- */

/* The trial whose model and settings speak for run i: while dry, the first of its statement. */
lbr_trial *lbr_judge_trial(lbr_judgement *j, int run);
/* The times of the samples, as a series. */
const lbr_trace *lbr_frame_clock(lbr_frame *f);
/* A quantity that is in the samples, some of its components at least: 1, and *s is NULL after an error. 0: there is
 * none of this name. */
int lbr_frame_column(lbr_frame *f, const lbr_node *node, const lbr_trace **s);
/* What this run cannot have (until, record), though another one can: it is missing, for this reason. Where the run is
 * named, or no other one can, it is refused: NULL. */
const lbr_trace *lbr_frame_lacks(lbr_frame *f, lbr_place place, const lbr_shape *shape, int others, const char *format,
                                 ...) __attribute__((format(printf, 5, 6)));
/* How many runs' statements have all of a quantity in their samples; the whole state without a name. */
int lbr_judge_recorded(lbr_judgement *j, const char *name);
/* Column c of a full record in the samples of the run; -1: it is not recorded. */
int64_t lbr_judge_kept(const lbr_trial *r, int64_t c);
/* step, steps, evaluations, ...: 1, and *s is NULL after an error; 0: none of these. */
int lbr_frame_result(lbr_frame *f, const lbr_node *node, const lbr_trace **s);
/* The states of the reference solution, the norm of the difference. */
const lbr_trace *lbr_frame_exact(lbr_frame *f, lbr_place place);
const lbr_trace *lbr_frame_extended(lbr_frame *f, lbr_place place); /* of the same run in extended precision */
const lbr_trace *lbr_frame_roundoff(lbr_frame *f, lbr_place place); /* how far it is from that */
const lbr_trace *lbr_frame_error(lbr_frame *f, lbr_place place);
/* The state at the samples: NULL after an error, with a message at this place if it is not recorded as a whole. */
const lbr_trace *lbr_frame_state(lbr_frame *f, lbr_place place);

/* --- judge_events.c: events of sections -------------------------------------------------------------------------- */

/* The number of a section, -1: none. */
int lbr_judge_section(const lbr_frame *f, const char *name);
/* Events of section k are wanted of these runs, keep as in lbr_cut; before anything runs. */
void lbr_judge_want(lbr_frame *f, const lbr_runs *runs, int k, int keep);
/* The runs that speak of a section in the context of a run: all of its statement. */
lbr_runs lbr_judge_context(const lbr_frame *f);
/* In the frame of a section: the times of events, the states. */
const lbr_trace *lbr_event_clock(lbr_frame *f);
const lbr_trace *lbr_event_state(lbr_frame *f);
/* a.cut, v.cut or cut as the argument of count and when: true at each event. 1, and *s is NULL after an error; 0: no
 * section is meant. */
int lbr_frame_events(lbr_frame *f, const lbr_node *node, const lbr_trace **s);

/* --- judge_measure.c --------------------------------------------------------------------------------------------- */

/* The names of all measures: 0 after an error. */
int lbr_measures_open(lbr_judgement *j);
/* Measure k of the frame's run, once worked out. */
const lbr_trace *lbr_frame_measure(lbr_frame *f, int k);

/* --- judge_claim.c, judge_against.c, judge_table.c, judge_plot.c ------------------------------------------------- */

int lbr_claims_open(lbr_judgement *j, const lbr_line *line, int known);
/* The settings of `against`, in a frame where the claim's indices are bound. */
void lbr_against_check(lbr_frame *f, const lbr_claim *c);
int lbr_table_open(lbr_judgement *j, const lbr_line *line, int known);

/* A table: its names, then a row for each run, in scratch memory that the caller has opened. */
typedef struct lbr_table_cell {
    const char *text;
    const lbr_trace *number; /* NULL: it is the text */
} lbr_table_cell;
typedef struct lbr_sheet {
    const char *name; /* or NULL */
    lbr_table_cell *cell;
    int64_t rows;
    int columns;
} lbr_sheet;
int lbr_table_fill(lbr_judgement *j, int k, lbr_sheet *sheet); /* 0 after an error */
int lbr_plot_open(lbr_judgement *j, const lbr_line *line, int known);

/* Settings of plots and tables: the item of this name or NULL; the runs of `of`, one lbr_runs for each item. */
const lbr_item *lbr_picture_item(const lbr_line *line, const char *name);
int lbr_picture_runs(lbr_judgement *j, const lbr_picture_line *p, lbr_runs **runs);
/* Every setting is one of these words, and once; 0 after an error. */
int lbr_picture_words(const lbr_line *line, const char *words);
/* The k-th piece of a list [a, b, c] as it is written; the whole text if it is no list. NULL: no memory. */
const char *lbr_piece_of(lbr_arena *arena, const lbr_item *item, int k);

/* The curves of plot k, in scratch memory that the caller has opened (tests look at them). */
struct lbr_plot;
int lbr_plot_build(lbr_judgement *j, int k, struct lbr_plot *plot);
#endif
