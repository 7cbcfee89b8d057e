/* words.c - the order of splittings and compositions, from words in non-commuting letters.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The step applied first stands leftmost (HLW Lemma III.5.1), so a method is the product
 *
 *     exp(Y_1) exp(Y_2) ... exp(Y_n),    Y_k = sum_i x_ki E_i,
 *
 * of exponentials of letters, to be compared with exp(E_1 + ... + E_N) for a splitting and with exp(E_1) for a
 * composition. For the latter the basic map is exp(h E_1 + h^(p+1) E_(p+1) + h^(p+2) E_(p+2) + ...) and E_i has degree
 * i (HLW III.3, III.5.3, V.3). Both sides are exponentials of Lie series, and such a series is known from its
 * coefficients at the Lyndon words (the words smaller than all their own ends), as all words are shuffle polynomials in
 * them. One has as many Lyndon words of a degree as the free Lie algebra has dimensions: no condition is superfluous.
 * To get their coefficients, only their beginnings are needed. */
#include "order.h"

#include "core/mem.h"

#include <stdio.h>
#include <string.h>

enum { MAX = 11, MAX_LETTERS = 11, MAX_WORDS = 3000 };

typedef struct word {
    const struct word *parent;       /* the word without its last letter; NULL for the empty word */
    int letter[MAX], length, degree; /* `letter` spells the word */
    int period;                      /* equals the length for Lyndon words */
    lbr_dd *s;                       /* its coefficient after 0, 1, ..., n steps */
} word;

typedef struct {
    int letters, weight[MAX_LETTERS];
    char label[MAX_LETTERS][5];
    int sum; /* the exact flow: exp of the sum of this many letters */
    int n;
    lbr_dd *x;               /* x[k * letters + i]: letter i in the exponent of step k */
    int words, end[MAX + 1]; /* words of degree d are end[d-1] .. end[d] - 1 */
    word *w;
    lbr_dd inverse[MAX + 1]; /* 1/j */
    lbr_arena arena;
} dictionary;

/* Appends letter i to `a` if what comes is still the beginning of a Lyndon word; of the last degree, only Lyndon words
 * themselves. */
static int append(dictionary *d, const word *a, int i, int last)
{
    int repeats = a->length ? a->letter[a->length - a->period] : i - 1; /* the letter that goes on with the period */
    word *w = d->w + d->words;

    if (i < repeats || (last && i == repeats)) return 0;
    if (d->words == MAX_WORDS) return -1;
    *w = *a;
    w->parent = a;
    w->letter[w->length++] = i;
    w->degree += d->weight[i];
    if (i > repeats) w->period = w->length;
    w->s = NULL;
    d->words++;
    return 0;
}

/* All words of one degree, by appending letters to those of lower degree. -1: too many. */
static int spell(dictionary *d, int degree, int last)
{
    int start = d->words;

    for (int i = 0; i < d->letters; i++) {
        int left = degree - d->weight[i];

        for (int k = left > 0 ? d->end[left - 1] : 0; left >= 0 && k < d->end[left]; k++)
            if (append(d, &d->w[k], i, last)) {
                d->words = start;
                return -1;
            }
    }
    d->end[degree] = d->words;
    return 0;
}

static int begin(dictionary *d)
{
    d->w = lbr_arena_alloc(&d->arena, MAX_WORDS, sizeof *d->w);
    if (!d->w) return -1;
    d->words = d->end[0] = 1;
    for (int j = 1; j <= MAX; j++) d->inverse[j] = dd_div(dd(1), dd(j));
    return 0;
}

/* A column for each word from `first` on. Words of the last degree are nobody's beginning and share one. */
static int furnish(dictionary *d, int first, int last)
{
    int64_t columns = last ? 1 : d->words - first, rows = (int64_t)d->n + 1;
    lbr_dd *room = lbr_arena_alloc(&d->arena, columns * rows, sizeof *room);

    if (!room) return -1;
    for (int k = first; k < d->words; k++) d->w[k].s = last ? room : room + (k - first) * rows;
    return 0;
}

/* The coefficient of w in the product. One more factor exp(Y) on the right adds, for each end of w with j letters, the
 * coefficient of the word without it times the product of its x, over j!; as in Horner's rule from the longest end
 * without a zero. */
static lbr_dd weigh(const dictionary *d, const word *w)
{
    const word *a[MAX + 1] = { w };

    for (int j = 0; j < w->length; j++) a[j + 1] = a[j]->parent;
    w->s[0] = dd(0);
    for (int k = 0; k < d->n; k++) {
        const lbr_dd *x = d->x + (int64_t)k * d->letters;
        int j = 0;
        lbr_dd sum;

        while (j < w->length && x[w->letter[w->length - 1 - j]].hi != 0) j++;
        for (sum = a[j]->s[k]; j > 0; j--) {
            if (j > 1) sum = dd_mul(d->inverse[j], sum);
            sum = dd_add(a[j - 1]->s[k], dd_mul(x[w->letter[w->length - j]], sum));
        }
        w->s[k + 1] = sum;
    }
    return w->s[d->n];
}

/* The coefficient of w in the exact flow. */
static lbr_dd exact(const dictionary *d, const word *w)
{
    lbr_dd r = dd(1);

    for (int j = 1; j <= w->length; j++) r = w->letter[j - 1] < d->sum ? dd_mul(r, d->inverse[j]) : dd(0);
    return r;
}

/* Does the condition of w hold? If not, `out` says so. */
static int holds(const dictionary *d, const word *w, double tol, double *worst, lbr_order *out)
{
    double size = fabs(dd_double(dd_sub(weigh(d, w), exact(d, w))));
    char text[4 * MAX + 1] = ""; /* "113" for a composition, "AAB" for a splitting */

    if (w->period < w->length || size <= tol) {
        if (w->period == w->length) *worst = fmax(*worst, size);
        return 1;
    }
    for (int j = 0; j < w->length; j++) strcat(text, d->label[w->letter[j]]);
    snprintf(out->detail, sizeof out->detail, "word %s of degree %d: residual %.1e", text, w->degree, size);
    out->failing = size;
    out->exact = 1;
    return 0;
}

/* The largest residual among the Lyndon words from `first` on, which have one degree. */
static double largest(const dictionary *d, int first)
{
    double most = 0;

    for (int k = first; k < d->words; k++)
        if (d->w[k].period == d->w[k].length)
            most = fmax(most, fabs(dd_double(dd_sub(weigh(d, &d->w[k]), exact(d, &d->w[k])))));
    return most;
}

static int search(dictionary *d, int max, double tol, lbr_order *out)
{
    double worst = 0;

    *out = (lbr_order){ .order = 0 };
    if (furnish(d, 0, 0)) return -1;
    for (int k = 0; k <= d->n; k++) d->w[0].s[k] = dd(1);
    for (int degree = 1; degree <= max + 1; degree++) {
        int first = d->words;

        if (spell(d, degree, degree > max)) break;
        if (furnish(d, first, degree > max)) return -1;
        for (int k = first; k < d->words; k++)
            if (!holds(d, &d->w[k], tol, &worst, out)) return out->constant = largest(d, first), 0;
        if (degree > max) break;
        out->order = degree;
        out->residual = worst;
    }
    snprintf(out->detail, sizeof out->detail, "all conditions up to order %d hold", out->order);
    return 0;
}

static int within(int low, int i, int high) { return i < low ? low : i > high ? high : i; }

int lbr_words_count(int letters, const int *weight, int degree)
{
    dictionary d = { .letters = within(1, letters, MAX_LETTERS) };
    int failed = begin(&d), count = 0;

    degree = within(1, degree, MAX);
    for (int i = 0; i < d.letters; i++) d.weight[i] = weight ? weight[i] : 1;
    for (int k = 1; k <= degree && !failed; k++) failed = spell(&d, k, k == degree);
    count = failed ? -1 : d.end[degree] - d.end[degree - 1];
    lbr_arena_free(&d.arena);
    return count;
}

int lbr_words_splitting(int n, const lbr_dd *c, const unsigned char *letter, int letters, int max, double tol,
                        lbr_order *out)
{
    dictionary d = { .letters = letters, .sum = letters, .n = n };
    int failed;

    for (int i = 0; i < letters; i++) d.weight[i] = 1, d.label[i][0] = (char)('A' + i);
    d.x = lbr_arena_alloc(&d.arena, (int64_t)n * letters, sizeof *d.x);
    for (int k = 0; d.x && k < n; k++) d.x[k * letters + letter[k]] = c[k];
    failed = !d.x || begin(&d) || search(&d, within(1, max, MAX - 1), tol, out);
    lbr_arena_free(&d.arena);
    return failed ? -1 : 0;
}

/* The letters of a basic map of order p: 1, and from p+1 on all, or the odd ones if it is symmetric (HLW Lemma
 * III.5.9). */
static void alphabet(dictionary *d, int base_order, int base_symmetric)
{
    for (int i = 1; i <= MAX; i++)
        if (i == 1 || (i > base_order && (i % 2 || !base_symmetric))) {
            d->weight[d->letters] = i;
            sprintf(d->label[d->letters++], i < 10 ? "%d" : "(%d)", i);
        }
}

/* c^i, and (-1)^(i+1) c^i for the adjoint: exp(Y(-h))^-1 = exp(-Y(-h)). */
static void step(const dictionary *d, lbr_dd *x, lbr_dd c, int adjoint)
{
    for (int i = 0; i < d->letters; i++) {
        x[i] = dd_pow(c, d->weight[i]);
        if (adjoint && d->weight[i] % 2 == 0) x[i] = dd_neg(x[i]);
    }
}

int lbr_words_composition(int n, const lbr_dd *c, const unsigned char *adjoint, int base_order, int base_symmetric,
                          int max, double tol, lbr_order *out)
{
    dictionary d = { .letters = 0, .sum = 1, .n = n };
    int failed;

    alphabet(&d, base_order, base_symmetric);
    d.x = lbr_arena_alloc(&d.arena, (int64_t)n * d.letters, sizeof *d.x);
    for (int k = 0; d.x && k < n; k++) step(&d, d.x + (int64_t)k * d.letters, c[k], adjoint && adjoint[k]);
    failed = !d.x || begin(&d) || search(&d, within(1, max, MAX - 1), tol, out);
    lbr_arena_free(&d.arena);
    return failed ? -1 : 0;
}

/* The inverse of Phi_{d h} is the adjoint Phi*_{-d h}, which for a symmetric basic map is Phi_{-d h} itself. */
int lbr_words_processed(int nk, const lbr_dd *kernel, int np, const lbr_dd *processor, int base_order,
                        int base_symmetric, int max, double tol, lbr_order *out)
{
    lbr_arena arena = { NULL };
    int n = nk + 2 * np, failed;
    lbr_dd *c = lbr_arena_alloc(&arena, n, sizeof *c);
    unsigned char *adjoint = lbr_arena_alloc(&arena, n, 1);

    failed = !c || !adjoint;
    for (int k = 0; k < n && !failed; k++) {
        adjoint[k] = k < np;
        c[k] = k < np ? dd_neg(processor[np - 1 - k]) : k < np + nk ? kernel[k - np] : processor[k - np - nk];
    }
    failed = failed || lbr_words_composition(n, c, adjoint, base_order, base_symmetric, max, tol, out);
    lbr_arena_free(&arena);
    return failed ? -1 : 0;
}
