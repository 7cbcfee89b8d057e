/* fuzz_saved.c - libFuzzer's way into checkpoints: any bytes, as they are and with their checksum put right.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Built by tools/build fuzz, run by tools/fuzz. Seeds are written by the same file, compiled with SEEDS:
 * fuzz_saved_seeds FOLDER. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "io/checkpoint_file.h"

enum { SIZE = 16, CHECKSUM = 24 }; /* where they are in the file */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint64_t read_all(const char *text) { return lbr_hash(LBR_HASH, text, strlen(text)); }

static void parse(const uint8_t *bytes, size_t size)
{
    lbr_message message = { 0 };
    lbr_saved s;
    void *memory;
    lbr_status status = lbr_saved_parse(bytes, size, &s, &memory, &message);
    uint64_t sum;

    if (status != LBR_OK && (status != LBR_ECHECKPOINT || memory || !*message.text)) abort();
    if (status) return;
    sum = read_all(s.library) + read_all(s.kernel) + read_all(s.method) + read_all(s.options) + read_all(s.model) +
          read_all(s.out);
    sum += lbr_hash(LBR_HASH, s.extra, (size_t)s.nextra * sizeof *s.extra) + lbr_hash(LBR_HASH, s.state, s.nstate);
    if (s.steps < 0 || s.records < 0 || !(s.h - s.h == 0) || s.nstate > size || (size_t)s.nextra > size || sum == 1)
        abort();
    lbr_mem_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0, n = size;
    uint8_t *copy = malloc(size ? size : 1); /* of exactly this size, so that one byte too far is seen */

    if (!copy) return 0;
    if (size) memcpy(copy, bytes, size);
    parse(copy, size);
    if (size >= CHECKSUM + 8) {
        memcpy(copy + SIZE, &n, 8), memcpy(copy + CHECKSUM, &sum, 8);
        sum = lbr_hash(LBR_HASH, copy, size), memcpy(copy + CHECKSUM, &sum, 8);
        parse(copy, size);
    }
    free(copy);
    return 0;
}

#ifdef SEEDS
int main(int argc, char **argv)
{
    static const double extra[] = { 1, 2, 3 };
    static const char state[200] = "LIBRSTAT";
    const lbr_saved seed[] = {
        { .h = 1 },
        { .library = "0.1.0",
          .kernel = "fused",
          .method = "rk4",
          .options = "compensated=1",
          .model = "pendulum",
          .out = "x.csv",
          .digest = 1,
          .h = 0.1,
          .steps = 5,
          .records = 5 },
        { .method = "gauss:3",
          .h = -0.1,
          .t0 = 1e9,
          .extra = extra,
          .nextra = 3,
          .state = state,
          .nstate = sizeof state },
        { .method = "m", .h = 1, .state = state, .nstate = 1 },
    };
    lbr_message message;
    char path[4096];

    for (int i = 0; argc > 1 && i < (int)(sizeof seed / sizeof *seed); i++) {
        snprintf(path, sizeof path, "%s/saved%d", argv[1], i);
        if (lbr_saved_write(path, &seed[i], 1, &message)) return fprintf(stderr, "%s\n", message.text), 1;
    }
    return argc < 2;
}
#endif
