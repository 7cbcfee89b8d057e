/* filenames.h - the files of a command: what can be known of them before it begins.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_FILENAMES_H
#define LBR_EXECUTE_FILENAMES_H
#include "core/text.h"

/* Files that are read may be the same, and a checkpoint may be gone on with and written. */
typedef enum { LBR_NAME_READ, LBR_NAME_RESUMED, LBR_NAME_SAVED, LBR_NAME_WRITTEN } lbr_name_kind;
/* "--out", "x.csv"; path NULL: it is not asked for. */
typedef struct lbr_filename {
    const char *what, *path;
    lbr_name_kind kind;
} lbr_filename;

/* Whether `one` is none of the n files of a list, in whatever way they are written. LBR_EARG: it is, and a sentence. */
lbr_status lbr_filename_apart(const lbr_filename *list, int n, const lbr_filename *one, lbr_message *message);
/* The same for each of a list, with those before it; a checkpoint to go on with must be there. */
lbr_status lbr_filenames_check(const lbr_filename *list, int n, lbr_message *message);
/* Whether a table of this name can be made: its suffix, its folder, whether something is there. */
lbr_status lbr_filename_table(const char *path, int force, lbr_message *message);
#endif
