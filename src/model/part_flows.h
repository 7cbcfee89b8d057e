/* part_flows.h - what the flows of a model's parts are made of, for whoever writes them as C.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_PART_FLOWS_H
#define LBR_MODEL_PART_FLOWS_H
#include "model_system.h"
#include "core/expm.h"

/* STRAIGHT: y <- fma(h, f(t, y), y), increment h f(t, y). GIVEN: y <- flow(t, y, h) and increment(t, y, h), where h is
 * input `duration` of the graph. CALLED: neither; lbr_part.flow and increment are the only way. */
typedef enum { LBR_FLOW_CALLED, LBR_FLOW_STRAIGHT, LBR_FLOW_GIVEN } lbr_flow_kind;
typedef struct lbr_written_flow {
    lbr_flow_kind kind;
    const lbr_function *flow, *increment;
    int duration;
} lbr_written_flow;

/* Of a part that has a flow. */
lbr_written_flow lbr_part_written(const lbr_model *model, int part);

/* Parts that are linear (linear_part.c): whether a field is, by its tangent (-1: there is none); and its flow.
 * LBR_EUNFIT: there is none, and *message says why. */
int lbr_part_is_linear(lbr_model *m, int field, int tangent);
lbr_status lbr_part_linear(lbr_model *m, const lbr_function *field, int tangent, lbr_linear_flow **flow,
                           lbr_message *message);
#endif
