/* executing.h - what the files of execute share: a run while it goes on. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_EXECUTING_H
#define LBR_EXECUTE_EXECUTING_H
#include "execute.h"
#include "io/lock.h"
#include "io/stream.h"
#include "plan/crossing.h"

/* What looking for crossings needs. */
typedef struct lbr_crossings {
    lbr_crossing *cut;    /* of each section; NULL: there are none */
    lbr_stride step;      /* from the last step on */
    double end_t, *end_y; /* of the event that ends the run */
    int exact;            /* which is at a step */
    int blind;            /* a checkpoint did not tell on which sides the run is */
    char *bytes;
    size_t size;     /* the state at the last step, where a checkpoint may need it */
    lbr_stats stats; /* of the trajectory, with the step in which the run ends */
} lbr_crossings;

/* A file of events (execute_streams.c). */
typedef struct lbr_event_file {
    lbr_stream *stream; /* NULL: none */
    int continued;      /* it was there before ... */
    int64_t records;    /* ... with so many records, as the checkpoint says */
    double *row; /* those of the step at hand by their times, 2 + dim numbers each: section from 1, time, state */
    int64_t n;
} lbr_event_file;

typedef struct lbr_exec {
    const lbr_job *job;
    lbr_result *result;
    lbr_system sys; /* a copy; what a shorter struct lacks is zero */
    lbr_plan *plan;
    lbr_state *state;
    lbr_stream *stream;
    lbr_lock lock;                  /* of the checkpoint */
    char options[LBR_MESSAGE];      /* those that influence bits, as text */
    int64_t begin;                  /* the count at which this call began */
    int continued;                  /* the stream was there before */
    int64_t last_kept, last_record; /* steps of the last sample in memory, in the stream; or -1 */
    int64_t saved;                  /* of the last checkpoint, or -1 */
    int64_t at_energy, at_invariants, at_observed, at_multipliers, width; /* places in a full record */
    double *full, *row;
    double *full_low, *low; /* in extended precision, or NULL: low parts of a full record; of the state looked at */
    lbr_low *known_low;     /* where functions find them */
    const char **name;      /* a full record; what is kept of it; names of its columns */
    double *residual;       /* of a manifold, and their scales */
    int multiplied;         /* multipliers are recorded */
    int64_t *kept;          /* the columns that are kept: result->ncolumns */
    lbr_field *field, *state_field;
    int64_t nfields, nstate_fields; /* the same for the stream; the state */
    int64_t room;                   /* samples that there is memory for */
    struct {
        lbr_state *state;
        double *y;
        uint64_t seed;
    } second;                          /* a run that rounds otherwise (execute_rounding.c) */
    double *first, *first_low, *worst; /* watched at every step by the plan, or NULL: by looking */
    int64_t resumed_records;           /* of the stream, as the checkpoint says */
    lbr_event_file event;              /* where events are written */
    lbr_crossings cross;
    struct {
        int begun, working;        /* compiling beside; compilers that are at it */
        lbr_kernels_report report; /* what came of asking, all times together */
    } kernel;                      /* machine code (execute_kernel.c) */
} lbr_exec;

/* Sets how the run ends; returns `code`. */
int lbr_exec_end(lbr_exec *e, int code, lbr_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int lbr_exec_no_memory(lbr_exec *e);

/* Reads the state into y and, in extended precision, its low parts into e->low. */
lbr_status lbr_exec_read(lbr_exec *e, double *t, double *y);

/* Places and names of a full record, the columns that are kept, monitors. */
int lbr_exec_columns(lbr_exec *e);
/* Invariant i, and how many there are. */
const lbr_invariant *lbr_exec_invariant(const lbr_exec *e, int64_t i);
int64_t lbr_exec_invariants(const lbr_exec *e);

/* Values from which errors count. A start without values is refused. */
int lbr_exec_start(lbr_exec *e);
/* The first look of this call: a sample, unless the stream has it. */
int lbr_exec_first(lbr_exec *e);
/* What lbr_state_run calls; ctx is an lbr_exec. Non-zero: the result says how it ended, or stop has spoken. */
int lbr_exec_look(const lbr_view *view, void *ctx);
/* Monitors of every step become the plan's business, where looking at every step is not needed for more. */
int lbr_exec_watch(lbr_exec *e);
/* What it has seen so far into the monitors. */
void lbr_exec_watched(lbr_exec *e);
/* How often it must be called; 0: never. */
int64_t lbr_exec_cadence(const lbr_exec *e);
/* The last look: final values, and the last sample where none is due. */
int lbr_exec_last(lbr_exec *e);

/* The plan, with the machine code that is at hand; the same compiled before the first step, if the job wants to wait,
 * and compared with the interpreter; then, between slices, compiled beside the run and taken over; what is told of it
 * at the end. */
int lbr_exec_plan(lbr_exec *e);
int lbr_exec_kernel_first(lbr_exec *e);
int lbr_exec_extended_first(lbr_exec *e); /* one of extended precision, with steps in doubles */
int lbr_exec_kernel(lbr_exec *e);
void lbr_exec_kernel_told(lbr_exec *e);

/* What rounding does: a second state that begins where the run does; the same under another plan; as far as the run
 * itself; what came of it. */
int lbr_exec_rounding_open(lbr_exec *e);
int lbr_exec_rounding_move(lbr_exec *e);
void lbr_exec_rounding(lbr_exec *e);
void lbr_exec_rounding_close(lbr_exec *e);

/* Sections: their memory; where the run begins, once its state is there; a step, seen (non-zero: an event ends the run,
 * or it has failed); the state as it was before the step in which the run ended, for a checkpoint; then, after that is
 * written, the event at the end. */
int lbr_exec_cross_open(lbr_exec *e);
int lbr_exec_cross_begin(lbr_exec *e);
int lbr_exec_cross(lbr_exec *e, const lbr_view *view);
int lbr_exec_cross_back(lbr_exec *e);
int lbr_exec_cross_end(lbr_exec *e);
void lbr_exec_cross_close(lbr_exec *e);
/* Whether an event may end the run. */
int lbr_exec_until(const lbr_exec *e);

/* The options that influence bits, as text into e->options. */
void lbr_exec_options(lbr_exec *e);
/* Whether the files of the job can be written: before anything is computed. The checkpoint is locked until the run is
 * over. */
int lbr_exec_check_files(lbr_exec *e);
int lbr_exec_check_further(lbr_exec *e); /* that no checkpoint is replaced that has got further */
int lbr_exec_check_samples(lbr_exec *e); /* that there is memory for them */
/* Takes over the job's checkpoint, if it is one of this run. */
int lbr_exec_resume(lbr_exec *e);
/* The streams: new, or continued if the checkpoint was about them. */
int lbr_exec_open(lbr_exec *e);
/* An event of section k (from 0); those of a step are written in the order of their times, which is asked for when the
 * step is over. */
void lbr_exec_event(lbr_exec *e, int64_t k, double t, const double *y);
int lbr_exec_events_write(lbr_exec *e);
/* Writes a checkpoint; the stream is brought up to it first. */
int lbr_exec_save(lbr_exec *e);

/* Which quantities are zero at the start, but for rounding; after the run. */
void lbr_exec_zeros(lbr_exec *e);

/* Warnings: of a method that is not what its name says, before the run; of an energy that is lost, after it. */
int lbr_exec_warn_method(lbr_exec *e);
void lbr_exec_warn_energy(lbr_exec *e);

/* "v[3], run 3 of 8: 42 %, step 420 of 1000, 17 s left" on stderr, at most twice a second, and nothing of what takes
 * less than a second; erased at the end, of several runs by whoever has them all. */
typedef struct lbr_progress {
    int on;
    const char *name;
    lbr_progress_of *of, alone;
} lbr_progress;
void lbr_progress_start(lbr_progress *p, const lbr_job *job);
/* Which part of all runs is done when this one, begun at step `from`, is at step `done` of `total`. */
double lbr_progress_part(const lbr_progress_of *of, int64_t from, int64_t done, int64_t total);
void lbr_progress_show(lbr_progress *p, int64_t from, int64_t done, int64_t total);
void lbr_progress_end(lbr_progress *p);
#endif
