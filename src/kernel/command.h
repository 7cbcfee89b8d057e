/* command.h - running another program. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_COMMAND_H
#define LBR_KERNEL_COMMAND_H
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

/* Runs argv[0] (searched in PATH) with no input, what it says going to `log`; killed with all that it has started when
 * `seconds` are over or *interrupt is set; gentle: others have the processor first. 0: it ended with status 0. */
enum { LBR_COMMAND_FAILED = 1, LBR_COMMAND_MISSING, LBR_COMMAND_LATE, LBR_COMMAND_INTERRUPTED, LBR_COMMAND_MACHINE };
typedef struct lbr_command {
    const char *const *argv;
    const char *log, *temporary;
    double seconds;
    int64_t memory;
    const volatile sig_atomic_t *interrupt;
    int gentle;
} lbr_command;
int lbr_command_run(const lbr_command *command);

/* The same beside what the caller does: begun (0, or LBR_COMMAND_MACHINE); asked whether it is over (1: it has ended,
 * or must be ended); ended, with all that it has started, and taken away: why, as above. A process that was begun must
 * be ended. */
typedef struct lbr_process {
    pid_t pid;
    double until;
    const volatile sig_atomic_t *interrupt;
} lbr_process;
int lbr_command_begin(const lbr_command *command, lbr_process *process);
int lbr_command_over(const lbr_process *process);
void lbr_command_wait(const lbr_process *process); /* until it is over */
int lbr_command_end(lbr_process *process);
#endif
