/* fuzz_parse.c - libFuzzer's way into the parser: any bytes are read, walked over and reported.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Built by tools/build fuzz, run by tools/fuzz. */
#include <stdlib.h>
#include <string.h>

#include "../tests/support/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size ? size : 1); /* of exactly this size, so that one byte too far is seen */
    lbr_arena arena = { 0 };
    lbr_file file;
    lbr_status status;
    const char *report;

    if (!text) return 0;
    if (size) memcpy(text, bytes, size);
    status = lbr_file_parse(&file, "fuzz.lbr", text, size, &arena);
    report = lbr_file_report(&file, &arena);
    if (!walk(&file, status) || !report || !*report != (status == LBR_OK)) abort();
    lbr_arena_free(&arena);
    free(text);
    return 0;
}
