/* code_pattern.h - which components of the state each result of a program depends on. SPDX-License-Identifier:
 * BSD-3-Clause
 */
#ifndef LBR_PROGRAM_CODE_PATTERN_H
#define LBR_PROGRAM_CODE_PATTERN_H
#include "code.h"
#include "core/pattern.h"

/* Of a function with m results of a state with n components, in the arena; shift: as it was made with. row NULL: it is
 * not known, or there would be too many entries. Several threads may ask at once. LBR_ENOMEM. */
lbr_status lbr_code_pattern(const lbr_code *code, int64_t n, int64_t m, int64_t shift, lbr_pattern *out,
                            lbr_arena *arena);
#endif
