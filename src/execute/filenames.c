/* filenames.c - the files of a command: what can be known of them before it begins.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "filenames.h"

#include <unistd.h>

#include "io/file.h"
#include "io/stream.h"
#include "io/whole_file.h"

static int may_be_one(lbr_name_kind a, lbr_name_kind b)
{
    return (a < LBR_NAME_SAVED && b < LBR_NAME_SAVED) || (a == LBR_NAME_RESUMED && b == LBR_NAME_SAVED) ||
           (a == LBR_NAME_SAVED && b == LBR_NAME_RESUMED);
}

lbr_status lbr_filename_apart(const lbr_filename *list, int n, const lbr_filename *one, lbr_message *message)
{
    for (int i = 0; one->path && i < n; i++)
        if (list[i].path && !may_be_one(list[i].kind, one->kind) && lbr_file_same(list[i].path, one->path))
            return lbr_fail(message, LBR_EARG, "%s and %s are one file, %.200s: each needs a file of its own",
                            list[i].what, one->what, one->path);
    return LBR_OK;
}

lbr_status lbr_filenames_check(const lbr_filename *list, int n, lbr_message *message)
{
    lbr_status status = LBR_OK;

    for (int i = 0; i < n && !status; i++) {
        int64_t size;
        int fd;

        status = lbr_filename_apart(list, i, list + i, message);
        if (status || !list[i].path || list[i].kind != LBR_NAME_RESUMED) continue;
        if (!(status = lbr_file_open(&fd, &size, list[i].path, 0, message))) close(fd);
    }
    return status;
}

lbr_status lbr_filename_table(const char *path, int force, lbr_message *message)
{
    lbr_status status = lbr_stream_check(path, message);

    return status ? status : lbr_file_check(path, force, 0, message);
}
