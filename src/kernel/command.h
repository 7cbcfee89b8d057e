/* command.h - running another program. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_COMMAND_H
#define LBR_KERNEL_COMMAND_H
#include <signal.h>
#include <stdint.h>

/* Runs argv[0] (searched in PATH) with no input, what it says going to `log`; killed with all that it has started when `seconds` are
 * over or *interrupt is set. 0: it ended with status 0. */
enum { LBR_COMMAND_FAILED = 1, LBR_COMMAND_MISSING, LBR_COMMAND_LATE, LBR_COMMAND_INTERRUPTED, LBR_COMMAND_MACHINE };
typedef struct lbr_command { const char *const *argv;  const char *log, *temporary;  double seconds;  int64_t memory;  const volatile sig_atomic_t *interrupt; } lbr_command;
int lbr_command_run(const lbr_command *command);

/* Seconds of a clock that never goes back. */
double lbr_now(void);
#endif
