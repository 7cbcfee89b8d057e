/* folder.h - a private temporary folder. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_FOLDER_H
#define LBR_KERNEL_FOLDER_H
#include "core/text.h"

enum { LBR_PATH = 4096 };
typedef struct lbr_folder {
    char path[LBR_PATH];
} lbr_folder; /* "": there is none */

/* Where: $TMPDIR if it is absolute (others would depend on where one is, and may look like options), or /tmp. */
const char *lbr_folder_base(void);
/* Makes one there, for us alone. */
lbr_status lbr_folder_make(lbr_folder *folder, lbr_message *message);
/* Removes it with all that is in it; links are not followed. */
void lbr_folder_remove(lbr_folder *folder);
#endif
