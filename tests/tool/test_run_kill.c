/* test_run_kill.c - hundreds of kills while the tool runs models. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/run_kill.h"

static void all(void)
{
    if (!have_h5dump()) ok(1, "HDF5 files read by HDF5's own program # SKIP h5dump is not installed");
    srand((unsigned)time(NULL));
    kills("k.csv", "stormer-verlet", "", 200);
    kills("k.h5", "stormer-verlet", "", 200);
    kills("k.csv", "gauss:2", "--compensated", 50);
}

int main(void) { return with_tool(all); }
