/* job.h - one run of one system, as it is asked for, and what comes of it. SPDX-License-Identifier: BSD-3-Clause
 *
 * A full record is t, the components of the state, H (if the system has an energy), the components of the invariants,
 * those of the observed quantities, the multipliers of constraints g(q) = 0, in this order. It is taken at step 0, at
 * each `every`th step and at the last one. */
#ifndef LBR_RUNS_JOB_H
#define LBR_RUNS_JOB_H
#include <libration.h>
#include "core/mem.h"
#include "core/text.h"

#include <signal.h>

/* The most warnings that one run can have. */
enum { LBR_WARNINGS = 8 };

/* More runs, rows or claims than this are told to people in a summary. */
enum { LBR_MANY = 50 };

/* A quantity that is looked at: its components are named by the blocks' rule (q, q[2], q[2,3]). Where it has no value
 * it is NaN. */
typedef struct lbr_quantity {
    const char *name;
    int64_t rank;
    const int64_t *shape;
    int64_t len;
    lbr_fn value;
    void *ctx;
} lbr_quantity;

/* What is kept of a section's events: nothing but their number; times; states too. */
enum { LBR_EVENTS_TIMES = 1, LBR_EVENTS_STATES = 2 };

/* A section that is watched at every step. */
typedef struct lbr_cut {
    lbr_section at;
    int keep; /* LBR_EVENTS_... */
    int stop; /* the run ends at the first one */
} lbr_cut;

/* Seconds of steps without machine code, by runs one after the other that would have had the same kernel. */
typedef struct lbr_spent {
    uint64_t key;
    double seconds;
} lbr_spent;

/* Runs one after the other, for whoever waits: which one it is, from 1, of how many; the steps of those before it, and
 * of all (0: not known); when the first one began, and when something was last shown. */
typedef struct lbr_progress_of {
    int64_t run, runs;
    double before, all;
    double began, last;
    int shown;
} lbr_progress_of;

/* What is to be done. Everything is borrowed during the call. */
typedef struct lbr_job {
    const char *name;           /* of the run, or NULL */
    const char *model, *method; /* for people; a method expression */
    const lbr_system *system;
    const lbr_quantity *observed;
    int64_t nobserved;
    lbr_fn residual;
    void *residual_ctx;
    int64_t nresidual; /* of a manifold that is no constraint of the system, or NULL: n residuals, then the scale of
                          each's rounding */
    lbr_options options;
    double t0, h;
    const double *y0;     /* y0: NULL only with `resume` */
    const double *y0_low; /* in extended precision: its low parts, or NULL */
    int64_t steps, every; /* counted from the start, also after `resume`; every >= 1 */
    const lbr_cut *cut;
    int64_t ncuts; /* sections; at most one of them ends the run */
    const int64_t *record;
    int64_t nrecord;          /* columns of the full record that are kept (t always); NULL: all */
    int keep;                 /* samples stay in memory: result.sample */
    const char *out, *events; /* files for samples and for events of all sections, or NULL */
    int force, plain_names;   /* they may replace others; names in CSV are words (lbr_stream_style) */
    const lbr_parameter *const *parameter;
    int64_t nparameters; /* told in the files, or NULL */
    int roundoff;        /* a second run tells what rounding does to this one */
    const char *checkpoint, *resume;
    int lossy; /* H changes by itself: t occurs, or there is damping */
    uint64_t digest;
    const char *kernel;     /* of model, parameters and data; "callback" (NULL), "interpreter", ... */
    double compile_seconds; /* of the system itself, if that was compiled */
    const struct lbr_native *native;
    void *native_ctx;                       /* machine code for its plans, or NULL */
    struct lbr_spent *spent;                /* or NULL: by runs before this one */
    int progress;                           /* on stderr, if it is a terminal */
    struct lbr_progress_of *among;          /* or NULL: the runs that it is one of */
    const volatile sig_atomic_t *interrupt; /* or NULL: looked at between slices; non-zero ends the run */
    const char *advice;                     /* or NULL: what a run without checkpoint is told then */
    int (*stop)(const lbr_view *view, void *ctx);
    void *stop_ctx; /* or NULL: asked at every step; non-zero ends the run there */
} lbr_job;

/* The largest |x - x(0)| over every step (or sample: option monitor; off: NaN); a norm for vectors. */
typedef struct lbr_monitor {
    const char *name;
    int64_t len;
    double *first, *last;
    double worst;
    int zero;     /* first is 0, or what rounding leaves of it */
    double terms; /* of an invariant, at the end: about what it is made of, which may cancel; 0: it is not known */
    double *first_low, *last_low; /* in extended precision; or NULL */
} lbr_monitor;

/* The events of a section: event i at t[i], with the state at y + i*dim (NULL: not kept). After `resume` those since
 * then. */
typedef struct lbr_events {
    const char *name;
    int64_t count, room;
    double *t, *y;
} lbr_events;

/* What rounding has done at the end, about: to the state (a norm), to H; NaN: it is not known. */
typedef struct lbr_rounding {
    double state, energy;
} lbr_rounding;

/* Everything in it is its own. */
typedef struct lbr_result {
    const char *name, *model, *method, *kernel; /* name: or NULL; method: canonical; kernel: the last one */
    int64_t kernel_from;                        /* the step at which it took over; -1: there was no machine code */
    double t, h;
    int64_t begin;        /* the step from which on it was made: 0, or that of a checkpoint */
    int64_t steps, every; /* reached; of a run that an event has ended: its time, and the steps before it */
    int64_t dim;
    double *y;
    const char **component; /* final state (NULL: it was refused), names of its components */
    double *low, t_low;     /* of y and t, in extended precision; or NULL */
    int has_energy;
    lbr_monitor energy; /* the system's, or its invariant H */
    int64_t ninvariants;
    lbr_monitor *invariant;
    int has_constraint, has_velocity;
    lbr_residuals residual; /* the largest; of a manifold: no velocities */
    int64_t nmultipliers;
    double *multiplier; /* at the end */
    lbr_stats stats;
    double first_error; /* lbr_state_first_error */
    lbr_rounding rounding;
    int64_t ncolumns;
    const char **column; /* of a sample */
    int64_t nsamples;
    double *sample; /* by rows */
    int64_t nevents;
    lbr_events *events;              /* of each section that was watched */
    int ended;                       /* an event has ended the run: t and y are its, and so is the last sample */
    double seconds, compile_seconds; /* stepping alone; from the job */
    lbr_status status;
    int exit;               /* what the tool says */
    char text[LBR_MESSAGE]; /* why, if exit is not 0 */
    int64_t failed_step;
    double failed_t;
    char failed_component[64];  /* of exit 3: "" where none can be named */
    char note[2 * LBR_MESSAGE]; /* lines to be told: why a kernel was not compiled, and the like */
    int nwarnings;
    const char *warning[LBR_WARNINGS]; /* why the result may not be what one thinks */
    lbr_arena arena;
    double *grown; /* what holds all this */
} lbr_result;

void lbr_result_free(lbr_result *result);

/* How often stepping has called force, field and gradients. A method that calls none of them, since it is made of flows
 * of parts or of maps, has their number instead, and a unit that is told beside it: " flows", " maps"; otherwise "". */
int64_t lbr_evaluations(const lbr_stats *stats);
const char *lbr_evaluations_unit(const lbr_stats *stats);

/* How many steps of *h lead through `time`: time/h where that is an integer within 1e-9, otherwise the next smaller one
 * (a note says where that ends) or, with `land`, the next larger one, *h being shortened. A negative h goes with a time
 * of either sign. */
lbr_status lbr_span(double time, int land, double *h, int64_t *steps, lbr_message *message, lbr_message *note);

/* One row of n numbers from a file (syntax/data_file.h). */
lbr_status lbr_start_read(const char *path, int64_t n, double *y, lbr_message *message);
/* Option project_start: moves y onto the constraints of the job's system; only_if_off: only where it would be refused.
 */
lbr_status lbr_start_project(const lbr_job *job, int only_if_off, double *y, lbr_message *why);
#endif
