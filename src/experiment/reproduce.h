/* reproduce.h - an experiment as a whole: its runs, its claims, what breaks them; many of them at once.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXPERIMENT_REPRODUCE_H
#define LBR_EXPERIMENT_REPRODUCE_H
#include "judge/judge.h"

/* A claim whose runs (and, where it is made to bite, their repetitions) need more evaluations than this is left out by
 * --quick. */
#define LBR_QUICK_MOST 2e8
/* For methods with implicit stages, each counts so often: iterations are not known before. */

/* A value as it is told: nothing (n = 0), a number, or several. */
typedef struct lbr_told {
    int64_t n;
    const double *value;
    int64_t list;
} lbr_told;

typedef struct lbr_claim_told {
    const char *text, *condition, *against; /* label (or condition), condition, settings; against NULL: none */
    int64_t judged, holds;                  /* not judged: left out */
    int64_t bites;                          /* 1, 0; -1: it was not tried, or there is nothing to try */
    int64_t unknown;                        /* bites is 0 since the claim has no number then, and why says it */
    lbr_told value, broken;                 /* now; under `against` */
    const char *note, *why;                 /* something about it; about how it bites: NULL, nothing */
    double evaluations;                     /* of its runs, counted before */
    int64_t family;                         /* the first claim of its statement, by its number */
} lbr_claim_told;

typedef struct lbr_run_told {
    const char *name, *method, *failure, *kernel; /* failure: NULL, it has none */
    int64_t made, steps, evaluations, has_energy;
    double step, energy_error, seconds;
} lbr_run_told;

typedef struct lbr_plot_told {
    const char *name, *title, *svg, *why;
} lbr_plot_told; /* svg NULL: why not */
typedef struct lbr_param_told {
    const char *name;
    lbr_told value;
} lbr_param_told;

/* Everything is in its arena. */
typedef struct lbr_reproduction {
    const char *id, *title, *source;
    int64_t code;        /* LBR_EXIT_...: the worst */
    const char *failure; /* of the experiment as a whole, or NULL */
    double seconds;
    int64_t skipped;
    int64_t nclaims;
    lbr_claim_told *claim;
    int64_t nruns;
    lbr_run_told *run;
    int64_t nplots;
    lbr_plot_told *plot;
    int64_t nparams;
    lbr_param_told *param;
    const char *tables; /* as text, or NULL */
    const char *text;   /* the file */
    lbr_arena arena;
} lbr_reproduction;

/* What is wanted. */
typedef struct lbr_reproducing {
    int quick, bite, compile;
    double most;        /* evaluations; 0: LBR_QUICK_MOST */
    const char *folder; /* for pictures on their way into the report; NULL: no report */
    const volatile sig_atomic_t *interrupt;
} lbr_reproducing;

/* An experiment of the gallery (text), or a file (path). */
typedef struct lbr_experiment_text {
    const char *id, *path, *text;
    size_t size;
} lbr_experiment_text;

/* One of them. Returns r->code. Free it in any case. */
int lbr_reproduce(lbr_reproduction *r, const lbr_experiment_text *what, const lbr_reproducing *how);
void lbr_reproduction_free(lbr_reproduction *r);

/* Each in a process of its own, as many at a time as there are cores; `done` is called in the order of the list, as
 * soon as that can be, `wait` (or NULL) now and then with how many are done. One that crashes has failed; the others go
 * on. LBR_EXIT_DONE, _MACHINE or _INTERRUPTED. */
typedef struct lbr_reproduced_all {
    void (*done)(int i, const lbr_reproduction *r, void *ctx);
    void (*wait)(int done, int n, const char *running, void *ctx);
    void *ctx;
} lbr_reproduced_all;
int lbr_reproduce_all(lbr_reproduction *r, const lbr_experiment_text *what, int n, const lbr_reproducing *how,
                      const lbr_reproduced_all *tell);

/* --- reproduce_pack.c: through a file, from one process to the other --------------------------------------------- */

int lbr_reproduction_write(const lbr_reproduction *r, FILE *f); /* 0: it could not */
int lbr_reproduction_read(lbr_reproduction *r, FILE *f);        /* 0: it is not whole, or memory is gone */

/* --- reproduce_cost.c -------------------------------------------------------------------------------------------- */

/* How many times as much a run costs in extended precision, about. */
enum { LBR_COST_EXTENDED = 100 };

/* Evaluations of a run whose job is made: steps times stages. NaN where the method cannot be read. */
double lbr_run_cost(const lbr_job *job);

/* --- vary.c: a run again, under the settings of `against` -------------------------------------------------------- */

/* The evaluations of all runs that claim k mentions, under its settings. */
lbr_status lbr_vary_cost(lbr_judgement *j, int64_t k, double *evaluations);

/* Makes all of them, judges, and puts back what was there. bites: 1; 0 where it holds, or is unknown, and message says
 * why; -1: it could not be tried, and message says why. The value goes into the judgement's memory. LBR_OK, LBR_STOPPED
 * (interrupted), LBR_ENOMEM (and a sentence). */
typedef struct lbr_bite {
    int bites;
    lbr_verdict verdict;
    lbr_message message;
} lbr_bite;
lbr_status lbr_vary_bite(lbr_judgement *j, int64_t k, const lbr_reproducing *how, lbr_bite *bite);

/* Run i, made now: its exit status. LBR_EXIT_INPUT with `done` not set: it could not begin, and x->message says why. */
int lbr_reproduce_run(lbr_experiment *x, const lbr_judgement *j, int i, const lbr_reproducing *how);
#endif
