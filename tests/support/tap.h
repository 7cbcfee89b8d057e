/* tap.h - the whole test framework: TAP on stdout, exit status for ctest. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TAP_H
#define TAP_H
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5), unused)) static int tap_ok(int pass, const char *file, int line, const char *fmt,
                                                                ...)
{
    va_list ap;

    printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
    va_start(ap, fmt), vprintf(fmt, ap), va_end(ap);
    putchar('\n');
    if (!pass) tap_failed++, printf("# at %s:%d\n", file, line);
    if (!pass && getenv("TAP_FIRST")) exit(1); /* who only wants to know whether (tools/mutants) need not wait */
    return pass;
}
#define ok(pass, ...) tap_ok(!!(pass), __FILE__, __LINE__, __VA_ARGS__)

/* |a - b| <= tol, and says by how much it missed. */
#define near(a, b, tol, what)                                                                                         \
    do {                                                                                                              \
        double a_ = (a), b_ = (b), t_ = (tol);                                                                        \
        if (!ok(a_ - b_ <= t_ && b_ - a_ <= t_, "%s", what)) printf("# got %.17g, want %.17g +- %.3g\n", a_, b_, t_); \
    } while (0)

__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}
#endif
