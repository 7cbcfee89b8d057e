/* model.h - models written in the language, from C. SPDX-License-Identifier: BSD-3-Clause
 *
 * A *problem* is a model whose parameters have values: a system, where it starts, and how its file would have it run.
 *
 *     lbr_problem *problem;
 *     lbr_plan *plan;
 *     const lbr_system *system;
 *
 *     if (lbr_problem_open(&problem, "kepler") || !(system = lbr_problem_system(problem)) ||
 *         lbr_plan_create(&plan, "gauss:4", system, NULL)) ...
 *     lbr_start(plan, system->defaults->t0, 0.01, system->defaults->y0);
 *     lbr_run_to(plan, 100, 10, observer, NULL);
 *
 * Different problems may be used by different threads at the same time; one problem, its system and the plans of it by
 * one thread: functions of a model have memory of their own. The language is described in docs/language.md. */
#ifndef LIBRATION_MODEL_H
#define LIBRATION_MODEL_H
#include "base.h"
#include "options.h"
#include "plan.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbr_problem lbr_problem;

/* Opens a model. A name without '/' and '.' is one of the gallery (`libration models`), anything else the name of a
 * file. LBR_EARG: there is none, or its text has mistakes; LBR_EIO: it cannot be read. On failure *problem still holds
 * the message and must be freed; NULL only when memory is gone. */
LBR_API lbr_status lbr_problem_open(lbr_problem **problem, const char *what);
/* The same from a text, which is copied. `name` is what messages call it. Files that it uses or reads are looked for in
 * `folder`; NULL: it may use the gallery, and no files. */
LBR_API lbr_status lbr_problem_text(lbr_problem **problem, const char *name, const char *text, const char *folder);
LBR_API void lbr_problem_free(lbr_problem *problem);

/* What went wrong at last, without a newline at its end: a sentence, or mistakes with the lines of text in which they
 * are, as the tool prints them, as far as 8191 bytes hold them; "": nothing. */
LBR_API const char *lbr_problem_message(const lbr_problem *problem);
/* The same one by one, for editors: i = 0, 1, ... Returns 0 after the last, or where it was no mistake of a text. Of a
 * file with more than 20 mistakes there are the first 20; the message says how many there are. */
typedef struct lbr_mistake {
    size_t size;
    const char *file;     /* or "set NAME": what was given, as NAME=VALUE */
    int64_t line, column; /* from 1; columns are characters */
    const char *text;     /* a sentence */
} lbr_mistake;
LBR_API int lbr_problem_mistake(const lbr_problem *problem, int64_t i, lbr_mistake *mistake);

/* Gives a parameter anew, or the start of a variable: NAME is "e", "q", "q[2]"; the value an expression of the
 * language, as with `libration run --set`, in which parameters are what the file says, not what was set or what a run
 * says. It counts more than what a run that is chosen says. The system changes: plans of it must be freed before. On
 * failure everything is as it was before.
 *
 * What is set of a variable, be it one component, replaces all that the file and its runs say of its start: components
 * that were not set are 0. Several calls add up, of the same NAME the last counts; to vary one component of many, set
 * all of them ("q" to "[2, 4]"), or have the file make it of a parameter. */
LBR_API lbr_status lbr_problem_set(lbr_problem *problem, const char *name, const char *value);
LBR_API lbr_status lbr_problem_set_number(lbr_problem *problem, const char *name, double value);

/* The runs that the file gives names to, i = 0, 1, ...: "a", "v[2]"; NULL after the last. They live until something is
 * set. Choosing one takes its parameters and settings, NULL those that all runs share, as at the beginning. The system
 * changes as above. Mistakes in what a run says of method and steps are found when its system is asked for. */
LBR_API const char *lbr_problem_run(const lbr_problem *problem, int64_t i);
LBR_API lbr_status lbr_problem_choose(lbr_problem *problem, const char *run);

/* The system, with its start and what the file says of method and step in `defaults` (NULL and 0: nothing), names of
 * components, invariants, what is observed. Option project_start of the file is applied to the start; a run that goes
 * on from another (`from`, see below) has the model's start. It lives until something is set or chosen, or the problem
 * is freed. NULL: the message says why. */
LBR_API const lbr_system *lbr_problem_system(lbr_problem *problem);

/* A parameter of the model and its value. It may get further members at its end. */
typedef struct lbr_parameter {
    const char *name;
    int64_t rank;
    const int64_t *shape; /* rank numbers */
    int64_t n;
    const double *value; /* n numbers, by rows; NULL: it could not be worked out */
} lbr_parameter;

/* What is known of a problem. */
typedef struct lbr_problem_info {
    const char *name, *title, *source; /* of the model; "" where nothing is said */
    const char *run, *from;            /* that was chosen, and the run at whose end it would start; NULL: none */
    int64_t nparameters;
    const lbr_parameter *const *parameter; /* nparameters pointers */
    const lbr_options *options; /* as the file says, with the tables of methods that it defines: for lbr_plan_create */
    int64_t every;              /* how often the file would look */
    int64_t nsections;
    const lbr_section *const *section; /* nsections pointers, to those that the file defines: for lbr_run_until */
    int64_t until;                     /* of these, the one at which the run ends; -1: none */
    int separable;                     /* H = T(p) + V(q, t), without damping */
    int quadratic;                     /* and T is quadratic */
    int diagonal_mass;                 /* with a diagonal matrix */
    int autonomous;                    /* t does not occur in the equations */
    int damped;                        /* there is a Rayleigh function */
} lbr_problem_info;

/* It lives as long as the system. LBR_OK, or the message says why. Exact flows of parts, constraints and what else was
 * found are in the system itself. */
LBR_API lbr_status lbr_problem_describe(lbr_problem *problem, const lbr_problem_info **info);

/* A method expression of the file, or one that uses its names, as plans read it: "mine" may be defined there. It lives
 * until something is set or chosen. NULL: the message says why. */
LBR_API const char *lbr_problem_method(lbr_problem *problem, const char *expression);

#ifdef __cplusplus
}
#endif
#endif
