/* loaded.h - the kernels that this process has already. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_LOADED_H
#define LBR_KERNEL_LOADED_H
#include "compile.h"
#include "digest.h"

/* What became of a request before: its place, or NULL if the table is full. If *known is LBR_LOADED_KNOWN, object and
 * *status are what they were; if it is LBR_LOADED_BESIDE, its job goes on; if it is 0 the caller finds out and settles
 * it, while others who ask for the same wait. */
enum { LBR_LOADED_KNOWN = 1, LBR_LOADED_BESIDE, LBR_LOADED_PLACES = 1024 };
struct lbr_loaded *lbr_loaded_ask(const lbr_digest *request, int *known, lbr_object *object, lbr_status *status);
void lbr_loaded_settle(struct lbr_loaded *place, const lbr_object *object, lbr_status status);

/* What is being made goes on beside: the job stays with its place until that is settled. Job number i, or NULL. */
void lbr_loaded_beside(struct lbr_loaded *place, void *job);
void *lbr_loaded_job(int i, struct lbr_loaded **place);

/* What objects with this symbol are: good (1), or not (-1). */
void lbr_loaded_judge(const void *symbol, int judged);

/* A compiler that has used up its time would do so again: it is asked no more, whatever for, and the sentence stands
 * for its answers. */
void lbr_loaded_late(const char *compiler, const lbr_message *sentence);
int lbr_loaded_was_late(const char *compiler, lbr_message *sentence);
#endif
