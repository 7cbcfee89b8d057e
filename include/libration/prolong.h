/* prolong.h - a system together with small changes of its state: tangent maps. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LIBRATION_PROLONG_H
#define LIBRATION_PROLONG_H
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The system for (y, d_1, ..., d_k), where y' = f(y) and d_i' = f'(y) d_i: a method applied to it gives y and its own
 * tangent map applied to the d_i (HLW VI.4.1). Of positions and momenta the order is q, dq_1, ..., dq_k, p, dp_1, ...,
 * dp_k. With constraints g(q) = 0 also G dq_i = 0 holds, and what follows for dp_i; starts must be so, and are not
 * checked. Derivatives are the system's (field_jvp, force_jvp, hessian_vec, g2, g2t), or differences. Parts, maps,
 * invariants and kernels are not prolonged. Components of d_i are named d1.q[2] and so on (not of attitudes). On
 * failure (LBR_EARG, LBR_EUNFIT) *prolonged still holds the message and must be freed; NULL only when memory is gone.
 * It borrows from `system` what plans do. */
LBR_API lbr_status lbr_prolong(const lbr_system **prolonged, const lbr_system *system, int64_t k);
LBR_API const char *lbr_prolong_message(const lbr_system *prolonged); /* why it failed; "" if it did not */
LBR_API void lbr_prolong_free(const lbr_system *prolonged);

#ifdef __cplusplus
}
#endif
#endif
