/* expr.h - method expressions as trees. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLAN_EXPR_H
#define LBR_PLAN_EXPR_H
#include "core/mem.h"
#include "core/text.h"

/* method = name [":" integer] ["(" arg {"," arg} ")"]      arg = method | number | word "=" value */
typedef struct lbr_expr {
    const char *name;   /* NULL: a number */
    int k;              /* after ":"; -1 if there is none */
    const char *number; /* its text */
    const char *key;    /* as an argument: the word before "=", or NULL */
    int nargs, has_args;
    struct lbr_expr **arg;
} lbr_expr;

lbr_status lbr_expr_parse(lbr_expr **expr, const char *text, lbr_arena *arena, lbr_message *message);
#endif
