/* list.c - the list of all kinds, which plan and series go through. SPDX-License-Identifier: BSD-3-Clause */
#include "plan/kind.h"

#define X(name) extern const lbr_kind lbr_kind_##name[];
#include "list.inc"
#undef X

#define X(name) lbr_kind_##name,
const lbr_kind *const lbr_kinds[] = {
#include "list.inc"
    NULL
};
