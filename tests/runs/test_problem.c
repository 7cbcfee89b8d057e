/* test_problem.c - models from C: opened, changed, chosen, run, and what is refused. SPDX-License-Identifier:
 * BSD-3-Clause */
#include <libration.h>
#include "support/heap.h"
#include "support/tap.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The state after n steps from where it starts. */
static int run(lbr_problem *p, const char *method, double h, int64_t n, double *y)
{
    const lbr_system *s = lbr_problem_system(p);
    lbr_plan *plan = NULL;
    int good = s && !lbr_plan_create(&plan, method, s, NULL) && !lbr_start(plan, s->defaults->t0, h, s->defaults->y0) &&
               !lbr_run(plan, n, 0, NULL, NULL) && !lbr_read(plan, NULL, y);

    if (!good && !heap.refused) printf("# %s%s\n", lbr_problem_message(p), plan ? lbr_plan_message(plan) : "");
    lbr_plan_free(plan);
    return good;
}

static int is_parameter(const lbr_parameter *p, const char *name, double value)
{
    return !strcmp(p->name, name) && p->rank == 0 && p->n == 1 && p->value && *p->value == value;
}

static void kepler(void)
{
    lbr_problem *p;
    const lbr_system *s;
    const lbr_problem_info *info;
    const lbr_defaults *d;
    double y[4], H;

    ok(!lbr_problem_open(&p, "kepler"), "a model of the gallery");
    s = lbr_problem_system(p), d = s ? s->defaults : NULL;
    ok(s && d && s->dim == 4 && s->nq == 2, "has a system of its size");
    ok(s->force && s->energy, "with its functions");
    ok(!strcmp(d->method, "stormer-verlet") && d->step == 0.05 && d->steps == 4000 && d->t0 == 0, "and its settings");
    ok(d->y0[0] == 1 - 0.6 && d->y0[1] == 0 && d->y0[2] == 0 && fabs(d->y0[3] - 2) < 1e-15, "and its start");
    ok(!lbr_problem_describe(p, &info) && !strcmp(info->name, "kepler") && !strcmp(info->title, "Kepler problem"),
       "its names");
    ok(info->separable && info->quadratic && info->diagonal_mass && info->autonomous && !info->damped,
       "what was found about it");
    ok(info->nparameters == 1 && is_parameter(info->parameter[0], "e", 0.6), "its parameter");
    ok(info->nsections == 0 && info->until == -1 && !info->run && !info->from && info->every == 1, "and no more");
    ok(s->invariants && s->invariants->count == 2 && !strcmp(s->invariants->item[0].name, "L"), "its invariants");
    ok(run(p, d->method, d->step, d->steps, y) && !s->energy(0, y, &H, s->ctx) && fabs(H + 0.5) < 0.02,
       "it runs: the energy is kept");
    ok(!lbr_problem_set(p, "e", "1/5") && (s = lbr_problem_system(p)) && s->defaults->y0[0] == 0.8, "a parameter");
    ok(!lbr_problem_set_number(p, "e", 0.25) && (s = lbr_problem_system(p)) && s->defaults->y0[0] == 0.75, "a number");
    ok(!lbr_problem_set(p, "q[2]", "e") && (s = lbr_problem_system(p)) && s->defaults->y0[1] == 0.6 &&
           s->defaults->y0[0] == 0,
       "a component of the start, instead of all of it; parameters in a value are those of the file");
    ok(!lbr_problem_describe(p, &info) && is_parameter(info->parameter[0], "e", 0.25),
       "parameters are told as they are");
    lbr_problem_free(p);
}

/* Whether a message is there and ends with its last word. */
static int is_closed(const char *message) { return *message && message[strlen(message) - 1] != '\n'; }

/* Texts with so many mistakes: how many are told, and that none is told with a newline at its end. */
static void many(void)
{
    enum { LINE = 17 };
    static const int rows[] = { 1, 20, 21, 3000 };
    static char text[LINE * 3000 + 1];

    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        lbr_mistake m = { .size = sizeof m };
        lbr_problem *p;
        char all[40];
        int n = 0, told;

        *text = 0, snprintf(all, sizeof all, "%d errors; the first 20", rows[i]);
        for (int k = 0; k < rows[i]; k++) sprintf(text + k * LINE, "param a%06d = \n", k);
        ok(lbr_problem_text(&p, "many", text, NULL) == LBR_EARG, "a text with %d mistakes", rows[i]);
        for (told = 0; lbr_problem_mistake(p, told, &m); told++) n += m.line == told + 1;
        ok(told == (rows[i] < 20 ? rows[i] : 20), "as many are told as the header says");
        ok(n == told, "the first ones of the text");
        ok(rows[i] <= 20 || strstr(lbr_problem_message(p), all), "the message says how many there are");
        ok(is_closed(lbr_problem_message(p)), "and has no newline at its end");
        lbr_problem_free(p);
    }
    for (int blanks = 0; blanks < 24; blanks++) { /* messages that are too long are cut anywhere */
        lbr_problem *p;
        char *to = text + sprintf(text, "%*s", blanks, "");

        for (int k = 0; k < 20; k++) to += sprintf(to, "%*sparam = %0*d\n", blanks, "", 400, k);
        lbr_problem_text(&p, "many", text, NULL);
        ok(is_closed(lbr_problem_message(p)), "no newline behind a message of %d bytes",
           (int)strlen(lbr_problem_message(p)));
        lbr_problem_free(p);
    }
}

static void refused(void)
{
    lbr_problem *p;
    lbr_mistake m = { .size = sizeof m };
    const lbr_problem_info *info;
    const lbr_system *s;

    ok(lbr_problem_open(&p, "keplr") == LBR_EARG && p && strstr(lbr_problem_message(p), "keplr"), "no such model");
    ok(is_closed(lbr_problem_message(p)), "without a newline at its end");
    ok(!lbr_problem_system(p) && lbr_problem_describe(p, &info) == LBR_EARG && !info &&
           lbr_problem_set(p, "e", "1") == LBR_EARG && !lbr_problem_run(p, 0),
       "has nothing to ask for");
    lbr_problem_free(p);
    ok(lbr_problem_open(&p, "/no/such/file.lbr") != LBR_OK && strstr(lbr_problem_message(p), "/no/such/file.lbr") &&
           !lbr_problem_mistake(p, 0, &m),
       "nor has a file that is not there");
    lbr_problem_free(p);
    ok(lbr_problem_open(&p, "") == LBR_EARG, "no name"), lbr_problem_free(p);
    ok(lbr_problem_open(&p, NULL) == LBR_EARG, "nor that"), lbr_problem_free(p);
    ok(lbr_problem_open(NULL, "kepler") == LBR_EARG && !lbr_problem_system(NULL), "nowhere to put it");
    ok(lbr_problem_text(&p, "two.lbr", "canonical q, p\nH = p^2/2 + w\ninvariant I = u\n", NULL) == LBR_EARG,
       "a text with two mistakes");
    ok(lbr_problem_mistake(p, 0, &m) && !strcmp(m.file, "two.lbr") && m.line == 2 && m.column == 13 &&
           strstr(m.text, "'w'"),
       "the first, and where");
    ok(lbr_problem_mistake(p, 1, &m) && m.line == 3 && m.column == 15 && strstr(m.text, "'u'"), "the second");
    ok(!lbr_problem_mistake(p, 2, &m) && !lbr_problem_mistake(p, -1, &m), "and no more");
    ok(strstr(lbr_problem_message(p), "two.lbr:2:13: ") && strstr(lbr_problem_message(p), "\n    H = p^2/2 + w\n"),
       "all of them for people");
    lbr_problem_free(p);
    ok(!lbr_problem_open(&p, "kepler") && lbr_problem_set(p, "ee", "1") == LBR_EARG &&
           strstr(lbr_problem_message(p), "did you mean 'e'"),
       "a parameter that is not there");
    ok((s = lbr_problem_system(p)) && s->defaults->y0[0] == 1 - 0.6, "changes nothing");
    ok(lbr_problem_set(p, "e", "1 +") == LBR_EARG && lbr_problem_mistake(p, 0, &m) && strstr(m.file, "e"),
       "a value that is none, and where");
    ok(lbr_problem_set(p, "e", "2") == LBR_EARG && (s = lbr_problem_system(p)) && s->defaults->y0[0] == 1 - 0.6,
       "one with which there is no start");
    ok(lbr_problem_set_number(p, "e", NAN) == LBR_EARG && strstr(lbr_problem_message(p), "finite"), "not a number");
    ok(!lbr_problem_set(p, "e", "0.5") && !lbr_problem_message(p)[0] && !lbr_problem_mistake(p, 0, &m),
       "what succeeds says nothing");
    ok(lbr_problem_set(p, "e", "foo") == LBR_EARG && lbr_problem_set_number(p, "e", INFINITY) == LBR_EARG &&
           !lbr_problem_mistake(p, 0, &m),
       "what is no mistake of a text is not one");
    ok(lbr_problem_choose(p, "a") == LBR_EARG && strstr(lbr_problem_message(p), "no run 'a'"),
       "a run that is not there");
    ok((s = lbr_problem_system(p)) && s->defaults->y0[0] == 0.5, "changes nothing either");
    ok(!lbr_problem_method(p, "gauss(") && lbr_problem_message(p)[0], "no method expression");
    ok(lbr_problem_method(p, "gauss:2") != NULL, "one");
    lbr_problem_free(p);
    for (int i = 0; i < 2; i++) {
        static const char *const run[] = { "run stp = 3\n", "run a: step = 1\nrun a: step = 2\n" };
        char text[200];

        snprintf(text, sizeof text, "canonical q, p\nH = p^2/2\n%s", run[i]);
        ok(lbr_problem_text(&p, "c", text, NULL) == LBR_EARG && *lbr_problem_message(p), "a run that is wrong");
        ok(!lbr_problem_system(p) && lbr_problem_describe(p, &info) == LBR_EARG && !lbr_problem_method(p, "rk4"),
           "... has no system");
        ok(lbr_problem_choose(p, NULL) == LBR_EARG && lbr_problem_set(p, "q", "1") == LBR_EARG &&
               *lbr_problem_message(p),
           "... and nothing to change; the message stays");
        lbr_problem_free(p);
    }
}

static const char several[] = "title \"oscillators\"\nparam w = 2\ncanonical q, p\nH = p^2/2 + w^2*q^2/2\n"
                              "start q = 1\nsection up: q = 0, p > 0\nsection down: q = 0, p < 0\n"
                              "method mine = composition [1/2, 1/2]\n"
                              "run method = compose(mine, stormer-verlet), step = 0.125, steps = 100, every = 5\n"
                              "run slow: w = 1\nrun fast[k = 1..2]: w = 2 + k, until = up\nrun next: from = slow\n";

/* What is refused leaves plans and systems as they are. */
static void alive(void)
{
    lbr_problem *p;
    lbr_plan *plan = NULL;
    const lbr_system *s = NULL;
    double y[4];

    ok(!lbr_problem_open(&p, "kepler") && (s = lbr_problem_system(p)) && !lbr_plan_create(&plan, "gauss:4", s, NULL) &&
           !lbr_start(plan, 0, 0.1, s->defaults->y0),
       "a plan");
    ok(lbr_problem_set(p, "e", "(") == LBR_EARG && lbr_problem_choose(p, "x") == LBR_EARG, "something is refused");
    ok(!lbr_run(plan, 10, 0, NULL, NULL) && !lbr_read(plan, NULL, y) && s == lbr_problem_system(p) &&
           s->defaults->y0[0] == 1 - 0.6,
       "the plan goes on, and the system is what it was");
    ok(!lbr_problem_method(p, "nosuch(") && strstr(lbr_problem_message(p), "nosuch"), "no method");
    ok(!lbr_problem_method(p, "gauss:") && !strstr(lbr_problem_message(p), "memory"), "nor that, in its own words");
    ok(lbr_problem_method(p, "gauss:2") && !*lbr_problem_message(p), "one, without a word");
    lbr_plan_free(plan), lbr_problem_free(p);
}

static void runs(void)
{
    lbr_problem *p;
    const lbr_problem_info *info;
    const lbr_system *s;
    lbr_plan *plan;
    double t = 0, y[2];

    ok(!lbr_problem_text(&p, "several", several, NULL), "a text with runs");
    ok(!strcmp(lbr_problem_run(p, 0), "slow") && !strcmp(lbr_problem_run(p, 2), "fast[2]") &&
           !strcmp(lbr_problem_run(p, 3), "next") && !lbr_problem_run(p, 4) && !lbr_problem_run(p, -1),
       "their names");
    ok(!lbr_problem_describe(p, &info) && is_parameter(info->parameter[0], "w", 2) && !info->run && info->until == -1,
       "what they share");
    ok(!lbr_problem_choose(p, "fast[2]") && !lbr_problem_describe(p, &info) &&
           is_parameter(info->parameter[0], "w", 4) && !strcmp(info->run, "fast[2]"),
       "a run of its own");
    ok(info->every == 5 && info->nsections == 2 && info->until == 0 && !strcmp(info->section[1]->name, "down"),
       "with settings and sections");
    s = lbr_problem_system(p);
    ok(!lbr_plan_create(&plan, s->defaults->method, s, info->options), "a method that the file defines");
    ok(!lbr_start(plan, 0, s->defaults->step, s->defaults->y0) &&
           lbr_run_until(plan, info->section[info->until], s->defaults->steps, &t, y) == LBR_STOPPED,
       "the run ends at its section");
    near(t, 3 * acos(-1) / 2 / 4, 0.01, "after three quarters of a period");
    ok(fabs(y[0]) < 1e-15 && y[1] > 0, "with the state there");
    lbr_plan_free(plan);
    ok(!lbr_problem_set(p, "w", "8") && !lbr_problem_describe(p, &info) && is_parameter(info->parameter[0], "w", 8),
       "what is set comes before what a run says");
    ok(!lbr_problem_choose(p, "next") && !lbr_problem_describe(p, &info) && !strcmp(info->from, "slow"),
       "a run that starts where another ends");
    ok(lbr_problem_choose(p, "fast") == LBR_EARG && strstr(lbr_problem_message(p), "fast[1]"), "a family is not a run");
    ok(!lbr_problem_choose(p, lbr_problem_run(p, 1)) && !strcmp(lbr_problem_run(p, 1), "fast[1]"),
       "chosen by its name");
    ok(!lbr_problem_choose(p, NULL) && !lbr_problem_describe(p, &info) && !info->run, "back to what all share");
    ok(!strcmp(lbr_problem_method(p, "mine"), "mine") || lbr_problem_method(p, "mine"), "names of the file in methods");
    lbr_problem_free(p);
}

/* A chosen run does not become another one. */
static void vanished(void)
{
    lbr_problem *p;
    const lbr_problem_info *info;

    ok(!lbr_problem_text(&p, "v", "param n = 4, k = 0\ncanonical q, p\nH = p^2/2 + k*q^2\nrun v[i = 1..n]: k = 10*i\n",
                         NULL) &&
           !lbr_problem_choose(p, "v[3]"),
       "one of a family");
    ok(lbr_problem_set(p, "n", "2") == LBR_EARG && strstr(lbr_problem_message(p), "'v[3]'"), "does not vanish: %s",
       lbr_problem_message(p));
    ok(!lbr_problem_describe(p, &info) && is_parameter(info->parameter[0], "n", 4) && !strcmp(info->run, "v[3]") &&
           is_parameter(info->parameter[1], "k", 30),
       "everything is as before");
    ok(!lbr_problem_set(p, "n", "3") && !lbr_problem_describe(p, &info) && !strcmp(info->run, "v[3]"), "three suffice");
    ok(lbr_problem_set(p, NULL, "3") == LBR_EARG && strstr(lbr_problem_message(p), "no name"), "nothing to be set");
    ok(lbr_problem_set(p, "n", NULL) == LBR_EARG && strstr(lbr_problem_message(p), "no value"), "set to nothing");
    lbr_problem_free(p);
    ok(lbr_problem_text(&p, "v", "canonical q, p\nH = p^2/2\nrun v[i = 1..1000000000, j = 1..0]: step = 1\n", NULL) ==
               LBR_EARG &&
           strstr(lbr_problem_message(p), "more than"),
       "a thousand million runs are refused before they are counted");
    lbr_problem_free(p);
}

/* A model without a run has no settings, and is one all the same. */
static void bare(void)
{
    lbr_problem *p;
    const lbr_system *s;
    double y[2];

    ok(!lbr_problem_text(&p, NULL, "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1\n", NULL), "no run at all");
    ok((s = lbr_problem_system(p)) && !s->defaults->method && s->defaults->step == 0 && s->defaults->steps == 0,
       "says nothing of method and step");
    ok(run(p, "gauss:3", 0.1, 100, y), "and runs");
    lbr_problem_free(p);
    ok(!lbr_problem_text(&p, NULL, "canonical q, p\nH = p^2/2\nrun step = 0.5\n", NULL) &&
           (s = lbr_problem_system(p)) && s->defaults->step == 0.5 && s->defaults->steps == 0,
       "a step alone");
    lbr_problem_free(p);
    ok(lbr_problem_text(&p, "x", "param a = read(\"x.csv\")\ncanonical q, p\nH = p^2/2\n", NULL) == LBR_EARG,
       "without a folder no file is read");
    lbr_problem_free(p);
}

/* Twenty problems in four threads, each with the numbers that it has alone. */
static double alone[4][4];
static void *worker(void *ctx)
{
    int k = *(int *)ctx;
    double y[4];

    for (int i = 0; i < 5; i++) {
        lbr_problem *p;
        int good = !lbr_problem_open(&p, "kepler") && !lbr_problem_set_number(p, "e", 0.1 * (k + 1)) &&
                   run(p, "gauss:2", 0.1, 200, y) && !memcmp(y, alone[k], sizeof y);

        lbr_problem_free(p);
        if (!good) return NULL;
    }
    return ctx;
}

static void threads(void)
{
    pthread_t thread[4];
    int number[4], good = 1;

    for (int k = 0; k < 4; k++) {
        lbr_problem *p;

        good &= !lbr_problem_open(&p, "kepler") && !lbr_problem_set_number(p, "e", 0.1 * (k + 1)) &&
                run(p, "gauss:2", 0.1, 200, alone[k]);
        lbr_problem_free(p);
    }
    for (int k = 0; k < 4; k++) number[k] = k, good &= !pthread_create(thread + k, NULL, worker, number + k);
    for (int k = 0; k < 4; k++) {
        void *done = NULL;

        pthread_join(thread[k], &done);
        good &= done != NULL;
    }
    ok(good, "problems in threads of their own have the numbers they have alone");
}

/* Everything that allocates, with every allocation failing once. */
static lbr_status everything(void)
{
    lbr_problem *p;
    const lbr_problem_info *info;
    double y[2];
    lbr_status status = lbr_problem_text(&p, "several", several, NULL);

    if (!status) status = lbr_problem_set(p, "w", "3");
    if (!status) status = lbr_problem_choose(p, "fast[1]");
    if (!status) status = lbr_problem_describe(p, &info);
    if (!status && !lbr_problem_method(p, "compose(mine, stormer-verlet)")) status = LBR_ENOMEM;
    if (!status && !run(p, "stormer-verlet", 0.1, 10, y)) status = LBR_ENOMEM;
    lbr_problem_free(p);
    return status;
}

static void memory(void)
{
    long n = 0, bad = 0, before = heap.live;

    for (heap.refused = 1; heap.refused; n++) {
        lbr_status status;

        heap.calls = 0, heap.refuse = n + 1, heap.refused = 0;
        status = everything();
        heap.refuse = 0;
        if (heap.refused ? status != LBR_ENOMEM : status != LBR_OK)
            printf("# allocation %ld: %d\n", n + 1, status), bad++;
        if (heap.live != before)
            printf("# allocation %ld: %ld blocks left\n", n + 1, heap.live - before), bad++, before = heap.live;
    }
    if (heap_wrapped()) ok(n > 20, "%ld allocations", n);
    ok(!bad, "each that fails is out of memory, and leaves nothing behind");
}

/* What is set of a variable replaces what the file says of it, and adds up. */
static int begins(lbr_problem *p, double a, double b)
{
    const lbr_system *s = lbr_problem_system(p);

    return s && s->defaults->y0[0] == a && s->defaults->y0[1] == b;
}

static void components(void)
{
    lbr_problem *p;

    ok(!lbr_problem_text(&p, "m", "canonical q[2], p[2]\nH = sq(p)/2\nstart q = [3, 4]\n", NULL) && begins(p, 3, 4),
       "a start of two components");
    ok(!lbr_problem_set(p, "q[1]", "2") && begins(p, 2, 0), "one component replaces all that the file says");
    ok(!lbr_problem_set(p, "q[2]", "7") && begins(p, 2, 7), "and another one is added");
    ok(!lbr_problem_set(p, "q[1]", "1") && begins(p, 1, 7), "of one name the last counts");
    lbr_problem_free(p);
}

/* Nothing that is said from C speaks of a command line. */
static void for_c(void)
{
    static const char *const wrong[][3] = { { "step", "1", "setting of runs" },
                                            { "gamma", "1", "set gamma:1:1: there is no parameter" },
                                            { "e", "1 +", "set e:1:5: expected a value" } };
    lbr_mistake mistake = { .size = sizeof mistake };
    lbr_problem *p;

    ok(!lbr_problem_open(&p, "kepler"), "a model");
    for (int i = 0; i < 3; i++) {
        ok(lbr_problem_set(p, wrong[i][0], wrong[i][1]) == LBR_EARG && strstr(lbr_problem_message(p), wrong[i][2]),
           "%s", lbr_problem_message(p));
        ok(!strstr(lbr_problem_message(p), "--"), "... no flags");
        ok(!i || (lbr_problem_mistake(p, 0, &mistake) && !strncmp(mistake.file, "set ", 4)), "... nor in its place");
    }
    lbr_problem_free(p);
}

/* Refusals of starts say what helps from C, and what is wrong with a Lagrangian. */
static void starts(void)
{
    static const char *const row[][3] = {
        { "canonical q[2], p[2]\nH = sq(p)/2\nconstraint c = sq(q) - 1\nstart q = [1, 1]\n", "rattle",
          "lbr_project_start" },
        { "canonical q, p\nL = q'*sin(q)\nstart q = 1\n", "gauss:2", "mass matrix" },
    };

    for (int i = 0; i < 2; i++) {
        lbr_problem *p;
        lbr_plan *plan = NULL;
        const lbr_system *s;

        ok(!lbr_problem_text(&p, "m", row[i][0], NULL) && (s = lbr_problem_system(p)) &&
               !lbr_plan_create(&plan, row[i][1], s, NULL) && lbr_start(plan, 0, 0.1, s->defaults->y0) < 0,
           "a start that is refused");
        ok(strstr(lbr_plan_message(plan), row[i][2]) != NULL, "... %s", lbr_plan_message(plan));
        lbr_plan_free(plan), lbr_problem_free(p);
    }
}

/* The same operations in the same order: the same bits; others, not. */
static int plain_force(double t, const double *q, double *f, void *ctx) { return *f = -sin(*q), 0; }
static int other_force(double t, const double *q, double *f, void *ctx)
{
    return *f = -2 * sin(*q / 2) * cos(*q / 2), 0;
}

static void bits(void)
{
    static const double one = 1;
    lbr_fn force[] = { plain_force, other_force };
    lbr_problem *p;
    const lbr_system *m;
    double y[2], z[2], f = 0;

    ok(!lbr_problem_text(&p, "m", "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1.5\n", NULL) &&
           run(p, "stormer-verlet", 0.1, 1000, y),
       "a pendulum as a model");
    m = lbr_problem_system(p);
    ok(!m->force(0, m->defaults->y0, &f, m->ctx) && f == -sin(1.5), "its force can be called");
    for (int i = 0; i < 2; i++) {
        lbr_system s = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force[i], .inverse_mass = &one);
        lbr_plan *plan;

        ok(!lbr_plan_create(&plan, "stormer-verlet", &s, NULL) && !lbr_start(plan, 0, 0.1, m->defaults->y0) &&
               !lbr_run(plan, 1000, 0, NULL, NULL) && !lbr_read(plan, NULL, z),
           "in C");
        ok(!memcmp(y, z, sizeof y) == !i, i ? "another order: other bits" : "the same bits");
        lbr_plan_free(plan);
    }
    lbr_problem_free(p);
}

int main(void)
{
    kepler();
    components();
    for_c();
    starts();
    bits();
    many(), refused();
    alive();
    runs();
    vanished();
    bare();
    threads();
    memory();
    return tap_done();
}
