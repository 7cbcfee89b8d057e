/* fuzz_resume.c - libFuzzer's way into going on: checkpoints that are whole and of this run, but whose state and
 * monitors are any bytes. SPDX-License-Identifier: BSD-3-Clause
 *
 * Built by tools/build fuzz, run by tools/fuzz.
 *
 * The first byte chooses the method; the others are laid over a good checkpoint, from a place on that the next two
 * choose. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "execute/execute.h"
#include "runs/experiment.h"
#include "io/checkpoint_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char model[] = "canonical q[2], p[2]\n"
                            "part T = sq(p)/2\n"
                            "part V = sq(q)/2 + q[1]^2*q[2] - q[2]^3/3\n"
                            "invariant A = [q[1]*p[2] - q[2]*p[1], 1]\n"
                            "observe r = norm(q)\n"
                            "start q = [0.1, 0.2], p = [0.3, 0]\n"
                            "run method = stormer-verlet, step = 0.1, steps = 20\n";
static const char *const methods[] = { "stormer-verlet",
                                       "gauss:2",
                                       "kahan-li-8-17",
                                       "split(strang, T, V)",
                                       "rk4",
                                       "gauss:4",
                                       "trapezoidal",
                                       "compose(suzuki:4, midpoint)" };
enum { METHODS = (int)(sizeof methods / sizeof *methods) };

typedef struct prepared {
    lbr_source source;
    lbr_experiment x;
    lbr_saved saved;
    void *memory;
} prepared;
static prepared ready[2 * METHODS];
static char path[] = "/tmp/lbr-fuzz-resume-XXXXXX";

/* Runs 20 steps and keeps the checkpoint. */
static void prepare(prepared *p, int k)
{
    lbr_pair options[] = { { "compensated", k < METHODS ? "no" : "yes" }, { "solver", k % 2 ? "newton" : "auto" } };
    lbr_overrides over = { .method = methods[k % METHODS],
                           .step = NAN,
                           .time = NAN,
                           .steps = -1,
                           .every = -1,
                           .option = options,
                           .noptions = 2 };
    lbr_message why;
    lbr_result result;
    lbr_job job;

    if (lbr_source_text(&p->source, "fuzz.lbr", model, sizeof model - 1, NULL) ||
        lbr_experiment_open(&p->x, &p->source, &over) || lbr_experiment_prepare(&p->x, 0))
        abort();
    job = p->x.run[0].job, job.checkpoint = path, job.force = 1;
    if (lbr_execute(&job, &result) || lbr_saved_read(path, &p->saved, &p->memory, &why)) abort();
    lbr_result_free(&result);
}

static void setup(void)
{
    int fd = mkstemp(path);

    if (fd < 0) abort();
    close(fd);
    for (int k = 0; k < 2 * METHODS; k++) prepare(ready + k, k);
}

/* The bytes over what is in a block, from `at` on. */
static void overlay(void *block, size_t n, const uint8_t *bytes, size_t size, size_t at)
{
    for (size_t i = 0; n && i < size && i < n; i++) ((uint8_t *)block)[(at + i) % n] = bytes[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t state[1 << 16];
    static double extra[256];
    lbr_message why;
    lbr_result result;
    lbr_saved s;
    lbr_job job;
    int k;

    if (!ready[0].memory) setup();
    if (size < 4) return 0;
    k = bytes[0] % (2 * METHODS);
    s = ready[k].saved;
    if (s.nstate > sizeof state || s.nextra > 256) abort();
    memcpy(state, s.state, s.nstate), memcpy(extra, s.extra, (size_t)s.nextra * sizeof *extra);
    if (bytes[3] & 1) overlay(extra, (size_t)s.nextra * sizeof *extra, bytes + 4, size - 4, bytes[1]);
    else overlay(state, s.nstate, bytes + 4, size - 4, (size_t)bytes[1] + 256 * (size_t)bytes[2]);
    s.state = state, s.extra = extra;
    if (lbr_saved_write(path, &s, 1, &why)) abort();
    job = ready[k].x.run[0].job, job.resume = path, job.steps = 24, job.keep = 1;
    lbr_execute(&job, &result);
    if (result.exit != LBR_EXIT_DONE && result.exit != LBR_EXIT_INPUT && result.exit != LBR_EXIT_NUMERICS) abort();
    if (result.exit && !*result.text) abort();
    lbr_result_free(&result);
    return 0;
}
