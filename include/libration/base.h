/* base.h - statuses and the export mark. SPDX-License-Identifier: BSD-3-Clause
 *
 * Structs get further members at their end. So those that you fill say their size, and those that the library gives
 * come one by one, by pointer: an array of them is an array of pointers, and a program that was compiled with an older
 * header reads the members that it knows of each. Two are arrays themselves and stay as they are: lbr_list and
 * lbr_named_list (method.h). Arrays in systems have a stride (system.h). */
#ifndef LIBRATION_BASE_H
#define LIBRATION_BASE_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
    #define LBR_API __attribute__((visibility("default")))
#else
    #define LBR_API
#endif

/* 0: done. Negative: an error. Positive: stopped early, on purpose. */
/* clang-format off */
#define LBR_STATUS_LIST(X)                                                        \
    X(LBR_OK,           0, "done")                                                \
    X(LBR_STOPPED,      1, "stopped by the observer, or at a section")            \
    X(LBR_EARG,        -1, "an argument is out of range")                         \
    X(LBR_ENOMEM,      -2, "out of memory")                                       \
    X(LBR_EMETHOD,     -3, "the method expression cannot be understood")          \
    X(LBR_EUNFIT,      -4, "the method needs what the system lacks")              \
    X(LBR_ENOCONV,     -5, "the implicit equations could not be solved")          \
    X(LBR_ECALLBACK,   -6, "a callback of the system failed")                     \
    X(LBR_ENONFINITE,  -7, "a value is not finite")                               \
    X(LBR_ECHECKPOINT, -8, "the bytes are not a checkpoint of this plan")         \
    X(LBR_ENOTSTARTED, -9, "the state has not been started")                      \
    X(LBR_EIO,        -10, "a file could not be read or written")                  \
    X(LBR_ESINGULAR,  -11, "constraints are degenerate or depend on one another")
#define LBR_STATUS_ENUM(name, value, text) name = value,
/* clang-format on */
typedef enum { LBR_STATUS_LIST(LBR_STATUS_ENUM) } lbr_status;

/* One sentence for a status; never NULL. Plans and states keep longer ones. */
LBR_API const char *lbr_status_text(lbr_status status);

/* Of this header, for #if; and of the library that is loaded, "0.1.0": they are the same unless one was changed alone.
 */
#define LBR_VERSION_MAJOR 0
#define LBR_VERSION_MINOR 1
#define LBR_VERSION_PATCH 0
LBR_API const char *lbr_version(void);

#ifdef __cplusplus
}
#endif
#endif
