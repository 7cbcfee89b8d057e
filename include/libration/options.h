/* options.h - what a plan may be told beside system and method. SPDX-License-Identifier: BSD-3-Clause
 *
 * One table describes every option: the command line, the manual and bindings read it. */
#ifndef LIBRATION_OPTIONS_H
#define LIBRATION_OPTIONS_H
#include "base.h"
#include "method.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbr_options {
    size_t size;
    int compensated; /* 0 or 1 */
    int solver;      /* index of a word: auto fixed-point newton */
    int jacobian;    /* auto user differences */
    int isa;         /* auto baseline v3 v4 */
    int64_t max_iterations;
    const lbr_method *methods;
    int64_t nmethods;        /* tables of yours, used by name like the catalogue's; borrowed */
    int monitor;             /* every samples off */
    int project_start, land; /* 0 or 1; of the tool, plans ignore them */
    int exact_lanes;         /* 0 or 1 */
    int compile;             /* auto wait no; of the tool, plans ignore it */
    int precision;           /* double extended */
    int starting_values;     /* auto field output one-call two-calls equistage two-step */
} lbr_options;

/* All defaults; size is that of the caller's own header, whatever library it meets: bindings pass the size of their
 * struct. */
LBR_API void lbr_options_init_sized(lbr_options *options, size_t size);
static inline void lbr_options_init(lbr_options *options) { lbr_options_init_sized(options, sizeof *options); }

/* Sets one by its name ("max_iterations" or "max-iterations") and the text of its value.
 * LBR_EARG: no such option (or not in a struct of this size), or not one of its values. */
LBR_API lbr_status lbr_option_set(lbr_options *options, const char *name, const char *value);

typedef enum { LBR_OPTION_FLAG, LBR_OPTION_WORD, LBR_OPTION_COUNT } lbr_option_type;
/* One option. It may get further members at its end. */
typedef struct lbr_option {
    const char *name;
    lbr_option_type type;
    size_t offset;
    const char *values;   /* words, separated by blanks; of a count: its range */
    const char *standard; /* the default, as text */
    const char *doc;
    int bits; /* not 0: it may influence the bits of a result, so a checkpoint is bound to it */
} lbr_option;
enum { LBR_BITS_NEW = 2 }; /* bits: it is younger than the first checkpoints, which tell it only if it is not 0 */
/* The option after this one, the first for NULL; NULL after the last. Constant, never freed. */
LBR_API const lbr_option *lbr_option_next(const lbr_option *option);

#ifdef __cplusplus
}
#endif
#endif
