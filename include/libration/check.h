/* check.h - a system that is written by hand, compared with itself. SPDX-License-Identifier: BSD-3-Clause
 *
 * A wrong entry of a Jacobian stops nobody: methods become slow, or wrong. Here every function of a system is compared
 * with what follows from the others, derivatives with differences:
 *
 *     const lbr_system_report *report;
 *
 *     if (lbr_system_check(&system, NULL, &report)) ...
 *     for (int64_t i = 0; i < report->n; i++)
 *         if (!report->finding[i]->holds) puts(report->finding[i]->text);
 *     lbr_system_report_free(report);
 */
#ifndef LIBRATION_CHECK_H
#define LIBRATION_CHECK_H
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One thing that was looked at. Of a function that is right there is one line, of one that is wrong one for each number
 * that is (the first ten, and how many more). It may get further members at its end. */
typedef struct lbr_system_finding {
    size_t size;
    const char *what;       /* the function: "force_jvp", "constraints.G", "parts.kick.flow" */
    const char *where;      /* which of its numbers: "row rod, column q[2]", "p[1]"; "": all of them */
    int64_t row, column;    /* the same, from 0; -1: there is none */
    double given, expected; /* what the function gives, and what it should; NaN: no number */
    int holds;              /* 1: it is right; 0: it is wrong; -1: it could not be compared, and text says why */
    const char *text;       /* a sentence */
} lbr_system_finding;

typedef struct lbr_system_report {
    size_t size;
    int64_t n;
    const lbr_system_finding *const *finding; /* n pointers */
    int64_t wrong, right, open;               /* how many of them: holds is 0, 1, -1 */
    const char *message;                      /* on failure: a sentence */
} lbr_system_report;

/* Compares everything that the system gives at y (dim numbers; NULL: the start in its defaults) and the time of its
 * defaults (or 0), at a point near y, where numbers that happen to be 0 at y are others, and there at another time, if
 * the functions can be called then. Derivatives are compared
 * with extrapolated differences, which see a relative error of 1e-5 in one entry where rounding leaves as many digits;
 * of more than 64 columns, 64 and some directions, of systems of more than 512 numbers fewer. Of a pattern all columns
 * are moved, beyond 64 in groups: a row without an entry in a group must not change, however weak a missing entry is
 * beside others. In rows of more than 16 entries and more than 2^18/dim one may stay unseen. A function that
 * fails, leaves numbers out, gives one that is not finite, writes behind its room, or gives other numbers when called
 * again is a finding, too.
 * LBR_OK: it has been compared, whatever came of it. LBR_EARG: the system, or y, makes no sense; *report holds the
 * message and must be freed; NULL only when memory is gone. Nothing is kept and nothing shared: threads may check
 * systems at the same time if the functions of these may be called so. */
LBR_API lbr_status lbr_system_check(const lbr_system *system, const double *y, const lbr_system_report **report);
LBR_API void lbr_system_report_free(const lbr_system_report *report);

#ifdef __cplusplus
}
#endif
#endif
