/* columns.c - texts for people within the width of a page. SPDX-License-Identifier: BSD-3-Clause */
#include "columns.h"

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

int text_has(const char *text, const char *word)
{
    size_t n = word ? strlen(word) : 0;

    for (; n && *text; text++) {
        size_t k = 0;

        while (k < n && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k])) k++;
        if (k == n) return 1;
    }
    return !n;
}

static void print_number(double x)
{
    if (isnan(x)) printf("-");
    else printf("%.6g", x);
}

void print_values(int64_t n, const double *value)
{
    if (!n) return;
    printf("  [");
    print_number(value[0]);
    if (n > 1) printf(" .. "), print_number(value[n - 1]);
    printf("]");
}
