/* columns.c - texts for people within the width of a page. SPDX-License-Identifier: BSD-3-Clause */
#include "columns.h"
#include "judge/judge.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int characters(const char *s, size_t bytes)
{
    int n = 0;

    for (size_t i = 0; i < bytes; i++) n += ((unsigned char)s[i] & 0xc0) != 0x80;
    return n;
}

int text_width(const char *text) { return characters(text, strlen(text)); }

void print_wrapped(const char *text, int at, int indent)
{
    int begun = 0;

    while (*(text += strspn(text, " "))) {
        size_t n = strcspn(text, " ");
        int wide = characters(text, n);

        if (begun && at + 1 + wide > PAGE_WIDTH) printf("\n%*s", indent, ""), at = indent, begun = 0;
        printf("%s%.*s", begun ? " " : "", (int)n, text);
        at += wide + begun, begun = 1, text += n;
    }
    putchar('\n');
}

static int occurs(const char *text, const char *word, size_t n)
{
    for (; *text; text++) {
        size_t k = 0;

        while (k < n && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k])) k++;
        if (k == n) return 1;
    }
    return 0;
}

int texts_have(const char *const *text, size_t n, const char *words)
{
    size_t length;

    for (int i = 0; words && lbr_text_word(words, i, &length); i++) {
        const char *word = lbr_text_word(words, i, &length);
        int found = 0;

        for (size_t k = 0; k < n && !found; k++) found = occurs(text[k] ? text[k] : "", word, length);
        if (!found) return 0;
    }
    return 1;
}

static void print_number(double x) { printf(isnan(x) ? "-" : "%.6g", x); }

void print_value(int64_t n, const double *value)
{
    double range[2];

    if (n < 1) return;
    lbr_judge_range(n, value, range);
    printf("  ["), print_number(range[0]);
    if (n > 1) printf(" .. "), print_number(range[1]);
    printf("]");
}
