/* test_limits.c - texts that ask for too much: each ends in time and in little memory, with a sentence or a model.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every text is loaded in a process of its own that may not have more than a few gigabytes of addresses (sanitizers
 * need more: then any). */
#define _DEFAULT_SOURCE
#include "support/kernel_files.h"

#include <stdarg.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runs/experiment.h"
#include "support/share.h"

enum { SLOW = SHARE_SANITIZED ? 6 : 1 };
static const double most_seconds = 10;
static const rlim_t most_bytes = (rlim_t)2 << 30;

/* --- texts ------------------------------------------------------------------------------------------------------- */

static struct {
    char *at;
    size_t n, most;
} text;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
    va_list ap;
    int n;

    for (;;) {
        va_start(ap, format), n = vsnprintf(text.at + text.n, text.most - text.n, format, ap), va_end(ap);
        if (text.n + (size_t)n < text.most) break;
        text.most = 2 * text.most + 4096;
        text.at = realloc(text.at, text.most);
    }
    text.n += (size_t)n;
}

static void begin(const char *first) { text.n = 0, add("%s", first); }

/* The same line, or piece, for k = from .. to; # stands for k, ~ for k - 1. */
static void repeat(int from, int to, const char *format)
{
    for (int k = from; k <= to; k++) {
        for (const char *s = format; *s; s++) {
            if (*s == '#') add("%d", k);
            else if (*s == '~') add("%d", k - 1);
            else add("%c", *s);
        }
    }
}

/* --- processes --------------------------------------------------------------------------------------------------- */

typedef struct {
    int ended;
    lbr_status status;
    double seconds;
    char message[1200];
} outcome;

/* A step of the method that is asked for, in the same memory. */
static void step(outcome *o, const lbr_system *s, const double *y, const char *method)
{
    lbr_plan *plan = NULL;

    o->status = lbr_plan_create(&plan, method, s, NULL);
    if (!o->status) o->status = lbr_start(plan, 0, 0.01, y);
    if (!o->status) o->status = lbr_run(plan, 1, 0, NULL, NULL);
    if (o->status) snprintf(o->message, sizeof o->message, "%s", lbr_plan_message(plan));
    lbr_plan_free(plan);
}

static void child(int out, const char *method)
{
    outcome o = { .ended = 1 };
    loaded l;

    if (!SHARE_SANITIZED) setrlimit(RLIMIT_AS, &(struct rlimit){ most_bytes, most_bytes });
    alarm(100);
    load_bytes(&l, text.at, text.n, ".");
    o.status = l.status;
    snprintf(o.message, sizeof o.message, "%s", l.status ? trouble(&l) : "");
    if (!l.status && method) step(&o, l.s, l.m->y0, method);
    unload(&l);
    if (write(out, &o, sizeof o) != (ssize_t)sizeof o) _exit(1);
    _exit(0);
}

/* Loaded; with a method, a step is made, too. */
static outcome tried_with(const char *method)
{
    outcome o = { 0 };
    struct rusage before, after;
    int ends[2], status = 0;
    pid_t pid;

    fflush(stdout);
    getrusage(RUSAGE_CHILDREN, &before);
    if (pipe(ends)) return o;
    if (!(pid = fork())) child(ends[1], method);
    close(ends[1]);
    if (read(ends[0], &o, sizeof o) != (ssize_t)sizeof o) o.ended = 0;
    close(ends[0]);
    if (pid > 0) waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) o.ended = 0;
    getrusage(RUSAGE_CHILDREN, &after);
    o.seconds = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    return o;
}

static outcome tried(void) { return tried_with(NULL); }

/* It is refused with these words. */
static void limited(const char *words, const char *what)
{
    outcome o = tried();
    int good = o.ended && (o.status == LBR_EARG || o.status == LBR_EUNFIT) && has_words(o.message, words) &&
               o.seconds < most_seconds * SLOW;

    if (!ok(good, "%s: refused (%s)", what, words))
        printf("# ended %d, status %d, %.1f s: %s\n", o.ended, o.status, o.seconds, o.message);
}

/* It ends: with a model, or with a sentence; never for want of memory. */
static void ends(const char *what)
{
    outcome o = tried();
    int good = o.ended && (o.status == LBR_OK || ((o.status == LBR_EARG || o.status == LBR_EUNFIT) && o.message[0])) &&
               o.seconds < most_seconds * SLOW;

    if (!ok(good, "%s: ends in time", what))
        printf("# ended %d, status %d, %.1f s: %s\n", o.ended, o.status, o.seconds, o.message);
}

static void loads(const char *what)
{
    outcome o = tried();

    if (!ok(o.ended && o.status == LBR_OK && o.seconds < most_seconds * SLOW, "%s: loads", what))
        printf("# ended %d, status %d, %.1f s: %s\n", o.ended, o.status, o.seconds, o.message);
}

static void steps(const char *method, const char *what)
{
    outcome o = tried_with(method);

    if (!ok(o.ended && o.status == LBR_OK && o.seconds < 3 * most_seconds * SLOW, "%s, %s: a step", what, method))
        printf("# ended %d, status %d, %.1f s: %s\n", o.ended, o.status, o.seconds, o.message);
}

/* --- the limits of the language ---------------------------------------------------------------------------------- */

static const char pair[] = "canonical q[3], p[3]\n", model_[] = "canonical q[3], p[3]\nH = sq(p)/2\n";

static void numbers(void)
{
    begin(model_);
    while (text.n < (1 << 20) - 1) add("#");
    add("\n"), loads("1 MiB of text");
    add("\n"), limited("1048576", "one byte more");
    begin(pair), add("H = sq(p)/2 + "), repeat(1, 190, "("), add("q[1]"), repeat(1, 190, ")"), add("\n"),
        loads("190 brackets in each other");
    begin(pair), add("H = sq(p)/2 + "), repeat(1, 210, "("), add("q[1]"), repeat(1, 210, ")"), add("\n"),
        limited("200", "210 of them");
    begin("canonical q[8,8], p[8,8]\n"
          "let a0 = q\n"),
        repeat(1, 200, "let a# = a~*a~\n"), add("H = sq(p)/2 + a200[1,1]\n"),
        limited("2000000 nodes", "products of products");
    begin(model_), add("param a = sum(i = 1..100000, j = 1..100000, i*j)\n"),
        limited("100000000 evaluations", "a sum of 10^10 constants");
    begin(model_), add("param a = sum(i = 1..3000, j = 1..3000, i/j)\n"), loads("a sum of 10^7 constants");
    begin(model_), add("param a = identity(3000)^64\n"), limited("100000000 evaluations", "a power of a large matrix");
    begin(model_), add("param a[i = 1..2000, j = 1..2000] = 1/(i + j), d = det(a)\n"),
        limited("100000000 evaluations", "a determinant");
    begin("state x[4000,4000]\nx' = -x\n"), limited("10000000 components", "a state of 16 million");
    begin("state x[9000000], y[9000000]\nx' = -x\ny' = -y\n"), limited("10000000 components", "two of 9 million each");
    begin("state x[5000000]\nx' = -x\nstart x[i = 1..5000000] = sin(i)\n"), loads("5 million");
    begin(model_), add("param a[i = 1..20000000] = i\n"), limited("10000000 components", "a family of parameters");
    begin(model_), add("param a[i = 1..5000000] = 1/i, s = sum(i = 1..5000000, a[i]^2)\n"), loads("a smaller one");
    begin(model_), add("let a[i = 1..10000, j = 1..10000] = q[1]*i*j\n"),
        limited("10000000 components", "a family of abbreviations");
    begin(model_), add("let a[i = 1..1000] = [[q[1]*i, 1, 2], [3, 4, 5]], b[i = 1..10000] = a\n"),
        limited("10000000 components", "a family of arrays");
}

/* A chain with as many components as a state may have: within the memory that all texts here have. */
static void components(void)
{
    begin("param n = 5000000\ncanonical q[n], p[n]\n"
          "H = sq(p)/2 + sum(i = 2..n, (q[i] - q[i-1])^2/2 + (q[i] - q[i-1])^4/4)\nstart q[i = 1..n] = sin(i/1000)\n");
    steps("stormer-verlet", "10^7 components"), steps("rk4", "10^7 components");
}

static void tables(void)
{
    static const char name[] = "limits.csv";
    FILE *f = fopen(name, "w");

    begin(model_), add("param a = read(\"%s\")\n", name);
    if (f && !ftruncate(fileno(f), ((off_t)256 << 20) + 1)) limited("256 MiB", "a file of 256 MiB and a byte");
    if (f) fclose(f);
    remove(name);
}

static void runs(void)
{
    static const lbr_overrides none = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };
    static const char *const of[2] = { "run v[i = 1..400, j = 1..250]: q = [i, j, 0]\n",
                                       "run v[i = 1..400, j = 1..251]: q = [i, j, 0]\n" };

    for (int k = 0; k < 2; k++) {
        lbr_source source;
        lbr_experiment x;
        lbr_status status;

        begin(model_), add("run method = stormer-verlet, step = 0.1, time = 1\n%s", of[k]);
        status = lbr_source_text(&source, "m.lbr", text.at, text.n, NULL);
        if (!status) status = lbr_experiment_open(&x, &source, &none);
        if (k)
            ok(status == LBR_EARG && strstr(x.message, "100000"), "more than 10^5 runs are refused, with the number");
        else ok(status == LBR_OK && x.nruns == 100000, "10^5 runs are a file");
        if (status && !k) printf("# %s\n", x.message);
        lbr_experiment_free(&x), lbr_source_free(&source);
    }
}

/* --- what is small to write and large to read -------------------------------------------------------------------- */

static void towers(void)
{
    begin(pair), add("let f0(x) = x + q[1]\n"), repeat(1, 60, "let f#(x) = f~(x) + f~(x)\n"),
        add("H = sq(p)/2 + f60(1)\n"), loads("functions of functions, twice the same");
    begin(pair), add("let f0(x) = x + q[1]\n"), repeat(1, 60, "let f#(x) = f~(x + 1) + f~(x*1.1)\n"),
        add("H = sq(p)/2 + f60(1)\n"), limited("limit", "with different numbers");
    begin(pair), add("let f0(x) = x + q\n"), repeat(1, 60, "let f#(x) = f~(x) + f~(x*1.1)\n"),
        add("H = sq(p)/2 + sq(f60(p))\n"), limited("limit", "of vectors");
    begin(pair), add("let f0(x) = if(x > 0, x, 2)\n"), repeat(1, 60, "let f#(x) = if(f~(x) > 0, f~(x + 1), f~(x*2))\n"),
        add("H = sq(p)/2 + f60(q[1])\n"), ends("choices");
    begin(pair), add("let f0(x) = x\n"), repeat(1, 30, "let f#(x) = sum(i = 1..9, f~(x + i*q[1]))\n"),
        add("H = sq(p)/2 + f30(q[1])\n"), ends("sums");
    begin(pair), add("let f0(x) = x\n"), repeat(1, 30, "let f#(x) = sum(i = 1..100, f~(x + i))\n"),
        add("param a = f30(1)\n"
            "H = sq(p)/2\n"),
        limited("100000000 evaluations", "sums of constants");
    begin(pair), add("let f0(i) = mod(i*i + 1, 7)\n"), repeat(1, 60, "let f#(i) = mod(f~(i)*f~(i) + #, 7)\n"),
        add("H = sq(p)/2 + sum(i = 1..100, q[mod(f60(i), 3) + 1])\n"), limited("limit", "in an index");
    begin("param n = 100000\n"
          "canonical q[n], p[n]\n"
          "let a0 = q\n"),
        repeat(1, 60, "let a# = a~ + 2*a~\n"), add("H = sq(p)/2 + a60[1] + sq(a60)\n"),
        loads("abbreviations that use each other twice");
    begin("param n = 100\n"
          "canonical q[n,n], p[n,n]\n"
          "let a0 = q\n"),
        repeat(1, 60, "let a# = a~ + 2*a~^T\n"), add("H = sq(p)/2 + sq(a60)\n"), loads("and their transposes");
    begin(pair), add("let a0 = sin(q[1]*p[1])\n"), repeat(1, 40, "let a# = dot(grad(a~, q), p)\n"),
        add("H = sq(p)/2\n"), ends("gradients of gradients");
    begin("canonical q, p\n"
          "let a0 = sin(q*p)\n"),
        repeat(1, 40, "let a# = bracket(a~, q^2*p^2)\n"), add("H = p^2/2\n"), ends("brackets of brackets");
    begin(pair), add("let a0(x) = q[1]\n"), repeat(1, 20000, "let a#(x) = a~(x) + 1\n"),
        add("H = sq(p)/2 + a20000(1)\n"), limited("100", "20000 functions that call each other");
}

static void sums(void)
{
    begin(pair), add("H = sq(p)/2 + sum(i = 1..1000000, j = 1..1000000, k = 1..1000000, q[1]*i*j)\n"),
        loads("a sum of 10^18 terms, which is the run's business");
    begin(pair), add("H = sq(p)/2 + sum(i = 1..10000, j = 1..10000, k = 1..10000, q[mod(i*j*k, 5) + 1])\n"),
        limited("range 1..3", "an index in 10^12 iterations");
    begin(pair),
        add("H = sq(p)/2 + sum(a = 1..64, sum(b = 1..64, sum(c = 1..64, sum(d = 1..64, q[1]^2*a/(b + c + d)))))\n"),
        limited("limit", "64 x 64 x 64 x 64 written out");
    begin(pair), add("H = sq(p)/2 + sum("), repeat(1, 60, "i# = 1..2, "), add("q[1])\n"),
        limited("limit", "2^60 terms");
    begin(pair), add("H = sq(p)/2 + sum("), repeat(1, 60, "i# = 1..100, "), add("q[1])\n"),
        ends("60 sums in each other");
    begin(pair), add("H = sq(p)/2 + sum(i = 1..100, ["), repeat(1, 20000, "q[1]*i*#, "), add("1][i])\n"),
        ends("a long list inside a sum");
    begin(model_), add("param a = sum(i = 1..10000000, random(1, i))\n"), limited("limit", "10^7 random numbers");
    begin("param n = 100000\n"
          "canonical q[n], p[n]\n"
          "H = sum(i = 1..n, j = 1..n, p[i]*p[j]/(i + j))\n"
          "start q' = 1\n"),
        ends("velocities of a full matrix");
    begin("param n = 100000\n"
          "canonical q[n], p[n]\n"
          "part a = sum(i = 1..n, j = 1..n, cos(q[i] - q[j]))\n"
          "part b = sq(p)^2\n"
          "flow a(s): p[i = 1..n] = p[i] + s*sum(j = 1..n, sin(q[i] - q[j]))\n"),
        ends("a flow that takes long");
    begin("state u, v\n"
          "H = u^2\n"
          "poisson {u, v} = sum(i = 1..100000, j = 1..100000, sin(u*i + j))\n"),
        ends("a bracket that takes long");
    begin(model_), add("reverse p[1] = -p[1] + sum(i = 1..100000, j = 1..100000, sin(i*q[1] + j))\n"),
        ends("an involution that takes long");
    begin(model_), add("start q[1] = sum(i = 1..100000, j = 1..100000, sin(i*q[2] + j))\n"),
        limited("100000000 evaluations", "a start that takes long");
}

static void many(void)
{
    begin("param a0 = 1\n"), repeat(1, 40000, "param a# = a~ + 1\n"), add("%s", model_),
        loads("40000 parameters, each of the one before");
    begin(pair), add("let a0 = q[1]\n"), repeat(1, 40000, "let a# = sin(a~)\n"), add("H = sq(p)/2 + a40000\n"),
        loads("40000 abbreviations");
    begin("canonical q[99], p[99]\n"
          "let a0[i = 1..99] = q[i]\n"),
        repeat(1, 15000, "let a#[i = 1..99] = a~[i] + q[i]\n"), add("H = sq(p)/2 + a15000[1]\n"),
        loads("15000 families");
    begin("param "), repeat(1, 50000, "a# = #, "), add("b = 1\n%s", model_), loads("50000 names in one statement");
    begin(""), repeat(1, 15000, "param a#[i = 1..1000] = i\n"), add("%s", model_), ends("15000 families of parameters");
    begin(""), repeat(1, 15000, "param a#[i = 1..100000] = i\n"), add("%s", model_),
        limited("100000000 evaluations", "larger ones");
    begin(model_), add("param a = ["), repeat(1, 99999, "#, "), add("0]\n"), loads("a list of 10^5 numbers");
    begin(pair), add("let a = ["), repeat(1, 80000, "q[1], "),
        add("0]\n"
            "H = sq(p)/2 + sq(a)\n"),
        loads("one of expressions");
    begin("state x[3]\nx' = -x\n"), repeat(1, 40000, "start x[1] = #\n"), loads("40000 starts");
    begin("state x[3]\n"
          "x' = -x\n"),
        repeat(1, 20000, "start x = x + [#, 2, 3]\n"), ends("20000 starts that are worked out");
    begin("use kepler: "), repeat(1, 50000, "e = 0.1, "), add("e = 0.2\n"), loads("50000 changes of one parameter");
    begin("state "), repeat(1, 20000, "x#, "),
        add("y\n"
            "y' = 0\n"),
        repeat(1, 20000, "x#' = -x#\n"), repeat(1, 20000, "start x# = #\n"), loads("20000 variables");
    begin(pair), repeat(1, 20000, "part m# = q[1]^2*#\n"), limited("1000", "20000 parts");
    begin(model_), repeat(1, 20000, "section m#: q[1] = #\n"), loads("20000 sections");
    begin(model_), repeat(1, 20000, "invariant m# = q[1]^2*#\n"), ends("20000 invariants");
    begin(""), repeat(1, 50000, "x#' = y#\n"), limited("50000 errors", "50000 errors");
    begin(model_), repeat(1, 9000, "let b# = #\n"), repeat(1, 9000, "let c# = b#x\n"),
        limited("b1x", "9000 unknown names near 9000 known ones");
    begin("canonical q[1000000], p[1000000]\n"
          "H = sq(p)/2\n"
          "constraint c[i = 1..1000000] = q[i]\n"),
        loads("10^6 constraints in a loop");
    begin("canonical q[1000000], p[1000000]\n"
          "H = sq(p)/2\n"
          "constraint c[j = 1..1, i = j..1000000] = q[i]\n"),
        limited("2000000 nodes", "10^6 constraints, written out");
    begin(model_), add("constraint c[i = 1..10000000, j = 1..10000000, k = 1..0] = q[i] - j\n"),
        limited("limit", "a family without members, 10^14 times");
    begin("state y[3000]\nH = sq(y)/2\npoisson {y, y} = identity(3000) - identity(3000)\n"), ends("9 million brackets");
    begin("canonical q[3000], p[3000]\nL = sq(q')/2 - sq(q)/2\n"), limited("limit", "an L of 3000 positions");
}

int main(void)
{
    numbers();
    components();
    tables();
    runs();
    towers();
    sums();
    many();
    free(text.at);
    return tap_done();
}
