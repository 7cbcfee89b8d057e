/* test_io_kill.c - hundreds of kills while files are written. SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "support/kill.h"

int main(void)
{
    open_scratch();
    srand((unsigned)time(NULL));
    if (!have_h5dump()) ok(1, "HDF5 files read by HDF5's own program # SKIP h5dump is not installed");
    kills("x.csv", 200, 1, 0, 0.1);
    kills("x.h5", 200, 1, 0, 0.1);
    kills("x.csv", 20, 0, 0, 3);
    kills("x.h5", 20, 0, 0, 3);
    close_scratch();
    return tap_done();
}
