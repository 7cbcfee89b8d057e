/* series.h - certificates: what is claimed of a method, recomputed. SPDX-License-Identifier: BSD-3-Clause
 *
 * Order is decided by algebra on the digits of the coefficients, in double-double arithmetic: rooted and
 * bi-coloured trees (HLW III.1, III.2), Lyndon words (HLW III.3-III.5), simplifying assumptions (HLW II.1.11). */
#ifndef LIBRATION_SERIES_H
#define LIBRATION_SERIES_H
#include "base.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One line of a certificate. Texts live until lbr_certificate_free. claimed, found: -1 if there is none. It may get
 * further members at its end. */
typedef struct lbr_check {
    const char *name, *property; /* of which method; a key of `libration methods --json` */
    int claimed, found, holds;   /* of order_near: the first of its numbers */
    const char *by;              /* "trees", "words", "assumptions", "theorem" */
    const char *detail;          /* the first condition that fails and its residual */
    double residual;             /* the largest one among the conditions that hold */
    double value; /* of error_constant: the largest difference between a coefficient of the method and of the solution,
                   * in the order after the last that agrees: of trees phi - 1/gamma, of words plainly. Otherwise 0 */
    const char *claimed_text, *found_text; /* as people write it: "6", "yes", "(8,4)", "canonical"; "": there is none */
} lbr_check;

typedef struct lbr_certificate {
    int64_t n;
    const lbr_check *const *check; /* n pointers */
    const char *message;           /* on failure: a sentence */
} lbr_certificate;

/* The certificate of a method expression; options (or NULL) bring tables of your own.
 * On failure *certificate holds the message and must be freed; NULL only when memory is gone. */
LBR_API lbr_status lbr_certify(const lbr_certificate **certificate, const char *expression, const lbr_options *options);
LBR_API void lbr_certificate_free(const lbr_certificate *certificate);

/* For which fields without divergence a method keeps the volume, as in volume_preserving: none; canonical ones; y' =
 * f(z), z' = g(y) too; sums of parts without divergence; all. */
enum { LBR_VOLUME_NEVER, LBR_VOLUME_CANONICAL, LBR_VOLUME_PARTITIONED, LBR_VOLUME_PARTS, LBR_VOLUME_ALWAYS };
/* "no", "canonical", "partitioned", "parts", "yes". */
LBR_API const char *lbr_volume_text(int code);

#ifdef __cplusplus
}
#endif
#endif
