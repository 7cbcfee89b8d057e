/* fuzz_model.c - libFuzzer's way into models: any bytes become a model, its system and a few evaluations.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * No file is read: the text has no folder. What a user pays for, evaluations over long ranges, is skipped where it
 * would be long. Mutations are of words and lines, so that most texts get past the parser (whose own target is
 * fuzz_parse.c); one in eight is of bytes. Built by tools/build fuzz, run by tools/fuzz. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_system.h"

enum { NODES = 200000, DIM = 100000 }; /* lower than the language's limits: speed */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

/* How many iterations all loops have, at most. */
static double work(const lbr_dag *d)
{
    double all = 0;

    for (int k = 1; k < d->nloops; k++) {
        double n = 1;

        for (int l = k; l; l = d->loop[l].parent) {
            double from, to, least, most;

            lbr_index_range(d, d->loop[l].lo, &from, &most), lbr_index_range(d, d->loop[l].hi, &least, &to);
            n *= to >= from ? to - from + 1 : 0;
        }
        all += n;
    }
    return all;
}

static void evaluate(const lbr_model *m, const lbr_system *s)
{
    double *out = calloc((size_t)m->dim + 1, sizeof *out);

    if (!out) return;
    if (s->energy) s->energy(m->t0, m->y0, out, s->ctx);
    if (s->field) s->field(m->t0, m->y0, out, s->ctx);
    if (s->force) s->force(m->t0, m->y0, out, s->ctx);
    if (s->velocity) s->velocity(m->t0, m->y0 + m->nq, out, s->ctx);
    if (s->field_jvp) s->field_jvp(m->t0, m->y0, m->y0, out, s->ctx);
    for (int64_t k = 0; s->invariants && k < s->invariants->count; k++) {
        const lbr_invariant *q = s->invariants->item + k;
        double *value = calloc((size_t)q->len + 1, sizeof *value);

        if (value) q->value(m->t0, m->y0, value, q->ctx);
        free(value);
    }
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size ? size : 1); /* of exactly this size, so that one byte too far is seen */
    lbr_source source;
    lbr_model *m = NULL;
    lbr_message message = { 0 };
    lbr_status status;

    if (!text) return 0;
    if (size) memcpy(text, bytes, size);
    status = lbr_source_text(&source, "fuzz.lbr", text, size, NULL);
    if (!status) status = lbr_model_make(&m, &source, NULL, 0);
    if (status && (m || !source.message || !*source.message)) abort();
    if (!status && (!m || m->dag.status)) abort();
    if (m && m->dim <= DIM && m->dag.n <= NODES && work(&m->dag) < 1e6) {
        const lbr_system *s = lbr_model_system(m, &message);

        if (!s && !message.text[0]) abort();
        if (s && work(&m->dag) < 1e6) evaluate(m, s);
    }
    lbr_model_free(m);
    lbr_source_free(&source);
    free(text);
    return 0;
}

/* --- mutations --------------------------------------------------------------------------------------------------- */

static const char *const words[] = {
    "0",
    "1",
    "2",
    "3",
    "9",
    "17",
    "65",
    "100",
    "1000",
    "1e6",
    "1e18",
    "0.5",
    "1e-300",
    "pi",
    "t",
    "i",
    "j",
    "k",
    "n",
    "q",
    "p",
    "y",
    "x",
    "H",
    "T",
    "q'",
    "y[1]",
    "q[i]",
    "q[1,2]",
    "[1, 2]",
    "[1, 2, 3]",
    "[[1, 2], [3, 4]]",
    "identity(3)",
    "(q)",
    "-q",
    "q^2",
    "q^T",
    "q^-1",
    "sum(i = 1..n, q[i])",
    "sum(i = 1..100, j = 1..i, 1/(i + j))",
    "prod(k = 1..9, k)",
    "max(i = 1..3, q[i])",
    "min(1, 2, q)",
    "if(i < n, q[i+1], 0)",
    "if(q > 0, 1, 2)",
    "dot(q, p)",
    "sq(p)/2",
    "norm(q)",
    "cross(q, p)",
    "det(A)",
    "trace(A)",
    "hat(y)",
    "quaternion(1, 0, 0, 0)",
    "diag(q)",
    "size(q)",
    "grad(H, q)",
    "bracket(H, q)",
    "random(1, i)",
    "normal(1, 2, 3)",
    "delta(i, j)",
    "wrap(i, n)",
    "mod(-1, 3)",
    "floor(n/2)",
    "eigenvalues(A)",
    "multiplier(c)",
    "sin(q)",
    "exp(1000)",
    "log(0)",
    "sqrt(-1)",
    "1/0",
    "a[i = 1..n]",
    "b[i = 1..3, j = 1..3]",
    "q[i = 1..n]",
    "f(x)",
    "+",
    "-",
    "*",
    "/",
    "^",
    "=",
    "<",
    "<=",
    ">",
    "!=",
    "and",
    "or",
    "not",
    ",",
    "(",
    ")",
    "[",
    "]",
    "^T",
    "^2",
    "^-1",
    "'",
    "..",
};
static const char *const lines[] = {
    "param n = 9",
    "param n = 1000",
    "param m[i = 1..n] = 1/i",
    "param A = [[2, 1], [1, 2]]",
    "canonical q[n], p[n]",
    "canonical q, p",
    "canonical q[n,3], p[n,3]",
    "state y[3]",
    "state u, v",
    "partition v",
    "rotation Q, w",
    "let r = norm(q)",
    "let f(x) = x^2",
    "let w[k = 1..n] = q[k]^2",
    "H = sq(p)/2 + sq(q)/2",
    "H = sum(i = 1..n, p[i]^2/2 - cos(q[i])) + sum(i = 1..n-1, (q[i+1] - q[i])^2)",
    "H = sq(y)/2",
    "L = sq(q')/2 - sq(q)",
    "L = dot(q', A*q')/2",
    "part a = sq(p)/2",
    "part b = sq(q)/2",
    "part a: u' = v",
    "part b: v' = -u",
    "y' = cross(y, [1, 2, 3])",
    "u' = v, v' = -sin(u)",
    "poisson {y, y} = hat(y)",
    "poisson {u, v} = u*v",
    "flow a(s): q = q + s*p",
    "constraint c = sq(q) - 1",
    "constraint d[i = 1..n-1] = sq(q[i+1] - q[i]) - 1",
    "rayleigh = sq(q')/2",
    "invariant I = dot(q, p)",
    "invariant H = sq(y)",
    "observe z[i = 1..n] = q[i]*p[i]",
    "observe e = eigenvalues(A)",
    "observe l = multiplier(c)",
    "reverse p = -p",
    "section s: q[1] = 0, p[1] > 0",
    "section s: y[1] = 0, y[1]' > 0",
    "method mine = composition [0.5, 0.5]",
    "start q = 1, p = 0",
    "start q[i = 1..n] = i/n, q' = 1",
    "start y = [1, 0, 0], t = 2",
    "start Q = identity(3), w = [1, 2, 3]",
    "run step = 0.1, time = 1, method = stormer-verlet",
    "use kepler: e = 0.1",
    "use pendulum",
    "use fpu",
    "use toda: n = 5",
};

static unsigned state;
static unsigned below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return n ? (state >> 8) % n : 0;
}

/* bytes[at .. at + cut - 1] become the text; the new size. */
static size_t replace(uint8_t *bytes, size_t size, size_t most, size_t at, size_t cut, const char *text, size_t n)
{
    char copy[256];

    if (n > sizeof copy) n = sizeof copy;
    memcpy(copy, text, n); /* it may be a piece of the same text */
    if (size - cut + n > most) return size;
    memmove(bytes + at + n, bytes + at + cut, size - at - cut);
    memcpy(bytes + at, copy, n);
    return size - cut + n;
}

static int kind(uint8_t c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z' ? 1
           : c >= '0' && c <= '9'             ? 1
           : c == '_'                         ? 1
           : c == ' '                         ? 2
           : c == '\n'                        ? 3
                                              : 0;
}

/* A word or sign near a place: its beginning and its length. */
static size_t word_at(const uint8_t *b, size_t size, size_t at, size_t *n)
{
    size_t end;

    while (at < size && kind(b[at]) >= 2) at++;
    if (at == size) return *n = 0, size;
    for (end = at + 1; kind(b[at]) == 1 && at > 0 && kind(b[at - 1]) == 1;) at--;
    while (kind(b[at]) == 1 && end < size && kind(b[end]) == 1) end++;
    return *n = end - at, at;
}

static size_t line_at(const uint8_t *b, size_t size, size_t at, size_t *n)
{
    size_t end = at;

    while (at > 0 && b[at - 1] != '\n') at--;
    while (end < size && b[end] != '\n') end++;
    return *n = end + (end < size) - at, at;
}

static size_t mutated(uint8_t *b, size_t size, size_t most)
{
    size_t n, m, at = word_at(b, size, below((unsigned)size + 1), &n),
                 from = word_at(b, size, below((unsigned)size + 1), &m);
    const char *word = words[below(sizeof words / sizeof *words)], *line = lines[below(sizeof lines / sizeof *lines)];
    char text[256];

    switch (below(9)) {
    case 0:
    case 1: return replace(b, size, most, at, n, word, strlen(word));
    case 2: return replace(b, size, most, at, n, (char *)b + from, m);
    case 3: return replace(b, size, most, at, 0, word, strlen(word));
    case 4: return replace(b, size, most, at, n, "", 0);
    case 5: /* a line more, its own or another */
        at = line_at(b, size, at, &n), from = line_at(b, size, from, &m);
        if (below(2)) return replace(b, size, most, at, 0, (char *)b + from, m);
        n = (size_t)snprintf(text, sizeof text, "%s\n", line);
        return replace(b, size, most, at, 0, text, n);
    case 6: return at = line_at(b, size, at, &n), replace(b, size, most, at, n, "", 0);
    case 7:
        return at = line_at(b, size, at, &n),
               replace(b, size, most, at, n && b[at + n - 1] == '\n' ? n - 1 : n, line, strlen(line));
    default: /* a word with something around it */
        n = n < 60 ? n : 60;
        n = (size_t)snprintf(text, sizeof text, below(2) ? "(%.*s + %s)" : "%.*s*%s", (int)n, (const char *)b + at,
                             word);
        return word_at(b, size, at, &m), replace(b, size, most, at, m < 60 ? m : 60, text, n);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    state = seed;
    if (!below(8)) return LLVMFuzzerMutate(bytes, size, most);
    for (unsigned k = below(4);; k--) {
        size = mutated(bytes, size, most);
        if (!k) return size;
    }
}
