/* fuzz_parse.c - libFuzzer's way into the parser: any bytes are read, walked over and reported. SPDX-License-Identifier: BSD-3-Clause
 *
 *     clang -std=c17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Iinclude -Isrc -Itests \
 *         -DLBR_VERSION='"fuzz"' fuzz/fuzz_parse.c src/model/lex.c src/model/parse*.c src/model/report.c src/core/mem.c src/core/text.c -o fuzz_parse
 *     ./fuzz_parse -dict=fuzz/lbr.dict -max_len=4096 NEW_FOLDER fuzz/corpus tests/data/models */
#include <stdlib.h>
#include <string.h>

#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size ? size : 1);        /* of exactly this size, so that one byte too far is seen */
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
