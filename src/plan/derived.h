/* derived.h - maps made of more than rates: which one a row means. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_DERIVED_H
#define LBR_PLAN_DERIVED_H
#include "operators.h"

int lbr_derived_same(const lbr_derived *a, const lbr_derived *b);
/* S^1 or S^3 (HLW VI.5.6, VI.5.8); which terms there are says what is needed. */
lbr_derived lbr_derived_generating(const lbr_numbers *x);
/* One step of such a map, with the claims of the row that it is. */
lbr_status lbr_flatten_derived(lbr_flattening *c, lbr_derived what, const lbr_method *claims, lbr_steps *out);
#endif
