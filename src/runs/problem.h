/* problem.h - what is inside a problem of libration/model.h. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_RUNS_PROBLEM_H
#define LBR_RUNS_PROBLEM_H
#include "experiment.h"

struct lbr_problem {
    lbr_source source;
    lbr_overrides over; /* what is asked for beside `set` */
    lbr_experiment x;
    lbr_arena arena;
    const lbr_pair *set;
    int nsets;        /* given anew */
    int good;         /* it is open: its text had no mistakes */
    const char *run;  /* chosen, or NULL */
    int chosen;       /* its number, or -1 */
    lbr_trial *ready; /* the run whose model and settings are made; NULL: none yet */
    lbr_status status;
    lbr_system system;
    lbr_defaults defaults;
    lbr_problem_info info;
    int described;
    char message[8192];
    lbr_message note; /* on machine code */
};

/* The same with all that a command line may say; what it points to lives as long as the problem. */
lbr_status lbr_problem_open_with(lbr_problem **problem, const char *what, const lbr_overrides *over);
lbr_status lbr_problem_text_with(lbr_problem **problem, const char *name, const char *text, const char *folder,
                                 const lbr_overrides *over);
#endif
