/* loaded.h - the kernels that this process has already. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_LOADED_H
#define LBR_KERNEL_LOADED_H
#include "compile.h"
#include "digest.h"

/* What became of a request before: its place, or NULL if the table is full. If *known, object and *status are what they were; otherwise
 * the caller finds out and settles it, while others who ask for the same wait. */
struct lbr_loaded *lbr_loaded_ask(const lbr_digest *request, int *known, lbr_object *object, lbr_status *status);
void lbr_loaded_settle(struct lbr_loaded *place, const lbr_object *object, lbr_status status);

/* A compiler that has used up its time would do so again: it is asked no more, whatever for, and the sentence stands for its answers. */
void lbr_loaded_late(const char *compiler, const lbr_message *sentence);
int lbr_loaded_was_late(const char *compiler, lbr_message *sentence);
#endif
