/* execute.h - one run of one system: steps, monitors, samples, files. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_EXECUTE_H
#define LBR_EXECUTE_EXECUTE_H
#include "kernel/native.h"
#include "runs/job.h"

/* What the tool says when it ends. */
enum {
    LBR_EXIT_DONE = 0,
    LBR_EXIT_CLAIM = 1,
    LBR_EXIT_INPUT = 2,
    LBR_EXIT_NUMERICS = 3,
    LBR_EXIT_MACHINE = 4,
    LBR_EXIT_INTERRUPTED = 130
};

/* Values of option monitor. */
enum { LBR_MONITOR_EVERY, LBR_MONITOR_SAMPLES, LBR_MONITOR_OFF };
/* Values of option compile. */
enum { LBR_NATIVE_AUTO, LBR_NATIVE_WAIT, LBR_NATIVE_NO };

/* Machine code for the plans of runs of a model (lbr_overrides.native). */
lbr_status lbr_execute_native(lbr_model *model, lbr_job *job, const volatile sig_atomic_t *interrupt);

/* Runs a job; returns result->exit. The result is always filled as far as it goes and must be freed. */
int lbr_execute(const lbr_job *job, lbr_result *result);
/* The events of a section by its name; NULL: it was not watched. */
const lbr_events *lbr_result_events(const lbr_result *result, const char *name);
/* Adds a line to the notes; a sentence to the warnings, each once. */
void lbr_result_note(lbr_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lbr_result_warn(lbr_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line on the terminal in the place of the one before; the text has nothing in it that would steer it. */
void lbr_progress_line(const char *text);

/* The exit status for a failed call before the first step has begun: bad input, or the machine. */
int lbr_exit_before(lbr_status status);
#endif
