/* test_deep.c - long sums, long chains of abbreviations, what is common and used often: with a small stack, and soon.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>
#include "support/tap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STACK = 256 << 10, BYTES = 2 << 20 };

typedef struct work {
    char *text;
    lbr_status status;
    const char *method;
    char message[400];
    int pairs;
} work;

/* The model is loaded, and a step of it made. */
static void *worker(void *ctx)
{
    work *w = ctx;
    lbr_problem *p;
    lbr_plan *plan = NULL;
    const lbr_system *s = NULL;

    w->status = lbr_problem_text(&p, "deep", w->text, NULL);
    if (!w->status && !(s = lbr_problem_system(p))) w->status = LBR_EUNFIT;
    if (!w->status) w->status = lbr_plan_create(&plan, w->method, s, NULL);
    if (!w->status) w->status = lbr_start(plan, 0, 0.001, s->defaults->y0);
    if (!w->status) w->status = lbr_run(plan, 1, 0, NULL, NULL);
    snprintf(w->message, sizeof w->message, "%.200s%.150s", p ? lbr_problem_message(p) : "",
             plan ? lbr_plan_message(plan) : "");
    w->pairs = s && s->pairs != NULL;
    lbr_plan_free(plan), lbr_problem_free(p);
    return NULL;
}

/* 1: it is loaded within a small stack, and is a sum over distances or not. */
static void loads(const char *what, char *text, const char *method, int pairs)
{
    work w = { .text = text, .method = method, .status = LBR_EARG };
    pthread_attr_t a;
    pthread_t thread;
    time_t begin = time(NULL);

    pthread_attr_init(&a), pthread_attr_setstacksize(&a, STACK);
    if (pthread_create(&thread, &a, worker, &w)) exit(1);
    pthread_join(thread, NULL), pthread_attr_destroy(&a);
    ok(!w.status, "%s: loaded within %d kB of stack (%s)", what, STACK >> 10, w.message);
    ok(w.pairs == pairs, "... %sa sum over distances", pairs ? "" : "not ");
    ok(time(NULL) - begin < 60, "... within a minute");
}

static char text[BYTES];

/* first, then n times the line with i in place of the two numbers, then last. */
static char *chain(const char *first, int n, const char *line, const char *last)
{
    char *at = text + sprintf(text, "%s", first);

    for (int i = 1; i <= n; i++)
        for (const char *c = line; *c; c++)
            if (*c == '#') at += sprintf(at, "%d", i);
            else if (*c == '@') at += sprintf(at, "%d", i - 1);
            else *at++ = *c;
    sprintf(at, last, n);
    return text;
}

#define TWO "canonical q[2], p[2]\nstart q = [1, 2]\n"
#define ONE "canonical q, p\nstart q = 1\n"

int main(void)
{
    loads("8000 terms", chain(ONE "H = p^2/2", 8000, " + cos(#*q)", "\n"), "stormer-verlet", 0);
    loads("8000 terms of a distance", chain(TWO "H = sq(p)/2", 8000, " + cos(#*norm(q))", "\n"), "stormer-verlet", 1);
    loads("8000 abbreviations", chain(ONE "let b0 = q\n", 8000, "let b# = b@ + sin(#*q)\n", "H = p^2/2 + b%d\n"),
          "stormer-verlet", 0);
    loads("2000 functions of functions",
          chain(TWO "let b0 = norm(q)\n", 2000, "let b# = sin(b@)\n", "H = sq(p)/2 + b%d\n"), "stormer-verlet", 1);
    loads("what is common, twice 60 times",
          chain(TWO "let b0 = norm(q)\n", 60, "let b# = sin(b@)*cos(b@)\n", "H = sq(p)/2 + b%d\n"), "stormer-verlet",
          1);
    loads("sums of what is common",
          chain(TWO "let b0 = norm(q)\n", 60, "let b# = b@ - exp(b@)/8\n", "H = sq(p)/2 + b%d\n"), "stormer-verlet", 1);
    loads("more pieces than are taken apart",
          chain(TWO "let b0 = norm(q)\n", 60, "let b# = b@ + b@/4\n", "H = sq(p)/2 + b%d\n"), "stormer-verlet", 0);
    loads("an implicit method", chain(ONE "H = p^2/2*(1 + q^2)", 2000, " + cos(#*q)", "\n"), "gauss:2", 0);
    loads("a field", chain("state x\nstart x = 1\nx' = -x", 4000, " - sin(#*x)/#", "\n"), "gauss:2", 0);
    loads("16000 sections", chain(ONE "H = p^2/2 + q^2\n", 16000, "section s#: q = #/1000, p > 0\n", "let n = %d\n"),
          "stormer-verlet", 1);
    return tap_done();
}
