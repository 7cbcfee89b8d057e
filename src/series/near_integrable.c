/* near_integrable.c - the order of splittings where one part is large and the others are small.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For H = A + eps B, order (s_1, s_2, ...) says that the error of the modified Hamiltonian is O(eps h^s_1 + eps^2 h^s_2
 * + ...) (McLachlan 1995b, Laskar & Robutel 2001). The words of words.c are graded by how many small letters they have:
 * s_j is the largest degree up to which all Lyndon words with j small letters have their coefficients. Words with one
 * small letter, A^m B, say that the kicks are a quadrature formula. The list ends where s_j is the order of the method
 * itself. */
#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = LBR_NEAR_DEGREE + 1, PLACES = LBR_NEAR_PLACES };

typedef struct {
    int n, letters;
    const lbr_dd *c;
    const unsigned char *letter;
    double tol, worst;
    char *detail;
    size_t size;
} method;

/* Smaller than all its own ends? */
static int is_lyndon(const unsigned char *w, int n)
{
    for (int i = 1; i < n; i++)
        if (memcmp(w, w + i, (size_t)(n - i)) >= 0) return 0;
    return 1;
}

/* The coefficient of a word in the product of the exponentials, times n! (which makes it 1 in the exact flow): how far
 * it is from 1, in units of the sum of the sizes of its terms where that is more than 1, as with correctors, which go
 * far back and forth. */
static double residual(const method *m, const unsigned char *w, int n)
{
    lbr_dd s[MAX + 1] = { { 1, 0 } }, r;
    double size = 0;

    for (int k = 0; k < m->n; k++)
        for (int j = n; j > 0; j--) {
            lbr_dd term = dd(1);

            for (int i = 1; i <= j && w[j - i] == m->letter[k]; i++) {
                term = dd_div(dd_mul(term, m->c[k]), dd(i));
                s[j] = dd_add(s[j], dd_mul(term, s[j - i]));
                if (j == n) size += fabs(term.hi * s[j - i].hi);
            }
        }
    r = s[n];
    for (int i = 2; i <= n; i++) r = dd_scale(i, r), size *= i;
    return fabs(dd_double(dd_sub(r, dd(1)))) / fmax(1, size);
}

static int holds(method *m, const unsigned char *w, int n)
{
    double r = residual(m, w, n);
    char text[MAX + 1] = "";

    if (r <= m->tol) return m->worst = fmax(m->worst, r), 1;
    for (int i = 0; i < n; i++) text[i] = (char)('A' + w[i]);
    if (!m->detail[0]) snprintf(m->detail, m->size, "word %s of degree %d: residual %.1e", text, n, r);
    return 0;
}

/* All Lyndon words of length n with `left` small letters from place i on. */
static int all_hold(method *m, unsigned char *w, int i, int n, int left)
{
    if (left > n - i) return 1;
    if (i == n) return left > 0 || !is_lyndon(w, n) || holds(m, w, n);
    for (int x = left == n - i ? 1 : 0; x < (left ? m->letters : 1); x++) {
        w[i] = (unsigned char)x;
        if (!all_hold(m, w, i + 1, n, left - (x > 0))) return 0;
    }
    return 1;
}

/* The largest degree up to which words with j small letters are right. */
static int reach(method *m, int j)
{
    static const int most[PLACES] = { LBR_NEAR_DEGREE, 14, 11 };
    unsigned char w[MAX] = { 0 };
    int n = 1;

    while (n <= most[j - 1] && all_hold(m, w, 0, n, j)) n++;
    return n - 1;
}

int lbr_near_order(int n, const lbr_dd *c, const unsigned char *letter, int letters, int order, double tol,
                   lbr_order *out)
{
    method m = { n, letters, c, letter, tol, 0, out->detail, sizeof out->detail };
    int code = 0, last = LBR_NEAR_DEGREE;

    *out = (lbr_order){ .exact = 1 };
    for (int j = 1; j <= PLACES && (j <= 2 || last > order); j++) {
        int s = reach(&m, j);

        last = s < last ? s : last;
        code = 100 * code + last;
    }
    out->order = code, out->residual = m.worst;
    return 0;
}

int lbr_near_code(const char *text)
{
    int code = 0;

    while (text && *text) {
        char *end;
        long n = strtol(text, &end, 10);

        if (end == text || n < 1 || n > 99 || code > 99999) return -1;
        code = 100 * code + (int)n;
        text = *end == ',' ? end + 1 : end;
        if (*end && *end != ',') return -1;
    }
    return code;
}

int lbr_near_first(int code)
{
    while (code >= 100) code /= 100;
    return code;
}

const char *lbr_near_text(int code, char *text, size_t size)
{
    int place = 1;
    size_t n = 0;

    while (code / place >= 100) place *= 100;
    if (size) text[0] = 0;
    for (; place && n < size; place /= 100)
        n += (size_t)snprintf(text + n, size - n, "%s%d", n ? "," : "(", code / place % 100);
    if (n < size) snprintf(text + n, size - n, ")");
    return text;
}
