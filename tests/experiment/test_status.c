/* test_status.c - what a failure is follows from what happened, not from the words of its sentence: a text that speaks
 * of memory is bad input, memory that is gone is the machine's. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin, so that each allocation can be made to fail. */
#define _DEFAULT_SOURCE
#include "support/files.h"
#include "support/heap.h"
#include "support/tap.h"
#include "experiment/reproduce.h"
#include "execute/fits.h"

#include <math.h>
#include <string.h>

static lbr_reproduction r;

static int reproduce(const lbr_experiment_text *what, int bite)
{
    lbr_reproduction_free(&r);
    return lbr_reproduce(&r, what, &(lbr_reproducing){ .bite = bite });
}

/* --- words ------------------------------------------------------------------------------------------------------- */

#define SPRING                    \
    "title \"out of memory\"\n"   \
    "canonical q, p\n"            \
    "H = p^2/2 + sqrt(k)*q^2/2\n" \
    "start q = 1\n"               \
    "run a: method = stormer-verlet, step = 0.1, steps = 10\n"

/* The message shows the line of the text, and with it these words. */
static void words(void)
{
    static const struct {
        const char *text, *what;
        int code;
    } row[] = {
        { "param k = 1\n" SPRING "claim \"out of memory\": max(a.nothing) < 1\n", "a claim", LBR_EXIT_INPUT },
        { "param k = 1\n" SPRING "claim max(a.nothing) < 1 # not enough memory\n", "a remark", LBR_EXIT_INPUT },
        { "param k = sqrt(-1) # out of memory\n" SPRING, "a parameter", LBR_EXIT_INPUT },
        { "param k = 1\n" SPRING "run b: method = none, step = 1, steps = 1 # out of memory\n", "a run",
          LBR_EXIT_INPUT },
        { "param k = 1\n" SPRING "claim max(a.q) < 2 against k = k/q[1] # out of memory\n", "against", LBR_EXIT_INPUT },
        { "param k = 1\n" SPRING "section \"out of memory\": q = 1\n", "a section", LBR_EXIT_INPUT },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        int code = reproduce(&(lbr_experiment_text){ .id = "t", .text = row[i].text, .size = strlen(row[i].text) }, 1);

        if (!ok(code == row[i].code && r.failure && strstr(r.failure, "memory"),
                "%s that speaks of memory is bad input", row[i].what))
            printf("# status %d, %s\n", code, r.failure ? r.failure : "nothing is said");
    }
}

/* What breaks a claim cannot be tried: that is told of the claim, and the others are judged. */
static void untried(void)
{
    static const char text[] = "param k = 1\n"
                               "let w = sqrt(k) # out of memory\n" SPRING
                               "claim max(a.q) < 2 against k = -1 # out of memory\n"
                               "claim max(a.q) < 2 against q = 3\n";
    int code = reproduce(&(lbr_experiment_text){ .id = "t", .text = text, .size = sizeof text - 1 }, 1);

    ok(code == LBR_EXIT_CLAIM && !r.failure, "a claim whose change is refused does not bite: status %d, %s", code,
       r.failure ? r.failure : "-");
    ok(r.nclaims == 2 && r.claim[0].why && strstr(r.claim[0].why, "out of memory"), "and the refusal is shown");
    ok(r.nclaims == 2 && r.claim[1].bites == 1, "the next one does");
}

/* The same for whoever asks about methods. */
static void fits(void)
{
    static const char text[] = "param k = sqrt(-1) # out of memory\n" SPRING;
    lbr_fitting f;
    lbr_status status;

    spill(in_scratch("m.lbr"), text, sizeof text - 1);
    status = lbr_fitting_open(&f, in_scratch("m.lbr"));
    ok(status == LBR_EARG && strstr(f.message, "out of memory"), "methods of a model that cannot be made: bad input");
    lbr_fitting_free(&f);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* A table that is read while memory goes: never bad input. */
static void memory(void)
{
    static const char text[] = "param K = read(\"k.txt\"), k = K[1,1]\n" SPRING "section cut: q = 0, q' < k\n"
                               "measure m = max(abs(q))\n"
                               "claim count(a.cut) < 2 against k = K[2,2]\n"
                               "claim a.m < 2 against step = 3*step, q = 3, compensated = yes\n";
    const char *file = in_scratch("m.lbr");
    long n = 1, bad = 0;
    int code, more = 1;

    spill(file, text, sizeof text - 1), spill(in_scratch("k.txt"), "1 2\n3 4\n", 8);
    code = reproduce(&(lbr_experiment_text){ .id = "t", .path = file }, 1);
    ok(code <= LBR_EXIT_CLAIM && !r.failure, "undisturbed: %s", r.failure ? r.failure : "-");
    lbr_reproduction_free(&r);
    for (; more && n < 20000; n++) {
        heap.calls = heap.refused = 0, heap.refuse = n;
        code = reproduce(&(lbr_experiment_text){ .id = "t", .path = file }, 1);
        heap.refuse = 0, more = (int)heap.refused;
        if (more && code != LBR_EXIT_MACHINE && !(code <= LBR_EXIT_CLAIM && r.nclaims == 2 && !r.failure))
            printf("# %ld: status %d, %s\n", n, code, r.failure ? r.failure : "-"), bad++;
    }
    ok(!more && n > 100, "%ld allocations are refused, one by one", n);
    ok(bad == 0, "each is told as the machine's, or changes nothing");
}

int main(void)
{
    open_scratch();
    words();
    untried();
    fits();
    memory();
    close_scratch();
    lbr_reproduction_free(&r);
    return tap_done();
}
