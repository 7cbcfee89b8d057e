/* judged.h - the text of an experiment, its runs and its judgement, for tests. SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_JUDGED_H
#define TEST_JUDGED_H
#include "heap.h"
#include "tap.h"
#include "judge/judging.h"

#include <math.h>
#include <string.h>

static struct {
    lbr_source source;
    lbr_experiment x;
    lbr_judgement *j;
    const lbr_verdict *verdict;
    int64_t n;
    lbr_status status;
    int failed;
} e;

static int keep_samples; /* 1: also those that nothing in the text asks for */

static void finish(void)
{
    lbr_judge_free(e.j);
    lbr_experiment_free(&e.x);
    lbr_source_free(&e.source);
    memset(&e, 0, sizeof e);
}

static int load(const char *text)
{
    lbr_overrides none = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };

    memset(&e, 0, sizeof e);
    if ((e.status = lbr_source_text(&e.source, "test.lbr", text, strlen(text), NULL)))
        return snprintf(e.x.message, sizeof e.x.message, "%s", e.source.message), 0;
    return !(e.status = lbr_experiment_open(&e.x, &e.source, &none));
}

static int open_text(const char *text) { return load(text) && !(e.status = lbr_judge_open(&e.j, &e.x)); }

/* All runs; those that fail are counted. 0: one cannot be made, or there is no memory. */
static int execute(void)
{
    for (int i = 0; i < e.x.nruns; i++) {
        lbr_trial *r = e.x.run + i;

        if ((e.status = lbr_experiment_prepare(&e.x, i))) return 0;
        r->job.keep = keep_samples || lbr_judge_needs(e.j, i);
        e.failed += lbr_execute(&r->job, &r->result) != 0;
        r->done = 1;
        if (r->result.exit == LBR_EXIT_MACHINE) return e.status = r->result.status, 0;
    }
    return 1;
}

/* All of it: 0 where something was wrong with the text. */
static int judge(const char *text)
{
    int good = open_text(text) && execute() && !(e.status = lbr_judge_claims(e.j, &e.verdict, &e.n));

    if (!good && !heap.refused) printf("# %s\n", e.x.message);
    return good;
}
#endif
