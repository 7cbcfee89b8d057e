/* json.c - writing JSON. SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"
#include "core/number.h"

#include <math.h>

/* The length of the UTF-8 character at s, 0 if there is none: too long, a surrogate, beyond U+10FFFF, cut off. */
static int utf8(const unsigned char *s)
{
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } kind[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

    for (int n = 0; n < 4; n++) {
        unsigned code = s[0] & (unsigned char)~kind[n].mask;
        int k = 1;

        if ((s[0] & kind[n].mask) != kind[n].lead) continue;
        for (; k <= n && (s[k] & 0xc0) == 0x80; k++) code = code << 6 | (s[k] & 0x3f);
        return k <= n || code < kind[n].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n + 1;
    }
    return 0;
}

static void quoted(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    putc('"', out);
    while (*s) {
        int n = utf8(s);

        if (!n) fputs("\\ufffd", out), n = 1;
        else if (*s == '"' || *s == '\\') fprintf(out, "\\%c", *s);
        else if (*s < 0x20) fprintf(out, "\\u%04x", *s);
        else fwrite(s, 1, (size_t)n, out);
        s += n;
    }
    putc('"', out);
}

static void key_of(lbr_json *j, const char *key)
{
    if (!j->first) fputs(",", j->out);
    if (j->depth) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    j->first = 0;
    if (key) quoted(j->out, key), fputs(": ", j->out);
}

void lbr_json_open(lbr_json *j, const char *key, char bracket)
{
    if (!j->depth) j->first = 1;
    key_of(j, key);
    putc(bracket, j->out);
    j->depth++, j->first = 1;
}

void lbr_json_close(lbr_json *j, char bracket)
{
    j->depth--;
    if (!j->first) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    putc(bracket, j->out);
    j->first = 0;
    if (!j->depth) putc('\n', j->out);
}

void lbr_json_text(lbr_json *j, const char *key, const char *value)
{
    key_of(j, key);
    if (value) quoted(j->out, value);
    else fputs("null", j->out);
}

void lbr_json_number(lbr_json *j, const char *key, double value)
{
    key_of(j, key);
    if (isfinite(value)) fprintf(j->out, "%.17g", value);
    else fputs("null", j->out);
}

static void pair(lbr_json *j, const char *key, double hi, double lo)
{
    char text[LBR_NUMBER_PAIR];

    key_of(j, key);
    if (isfinite(hi)) fwrite(text, 1, lbr_number_write_pair(text, hi, lo), j->out);
    else fputs("null", j->out);
}

void lbr_json_pairs(lbr_json *j, const char *key, int64_t rank, const int64_t *shape, const double *value,
                    const double *low)
{
    int64_t inner = 1;

    if (!rank && low) pair(j, key, *value, *low);
    else if (!rank) lbr_json_number(j, key, *value);
    if (!rank) return;
    for (int64_t k = 1; k < rank; k++) inner *= shape[k];
    lbr_json_open(j, key, '[');
    for (int64_t i = 0; i < *shape; i++)
        lbr_json_pairs(j, NULL, rank - 1, shape + 1, value + i * inner, low ? low + i * inner : NULL);
    lbr_json_close(j, ']');
}

void lbr_json_array(lbr_json *j, const char *key, int64_t rank, const int64_t *shape, const double *value)
{
    lbr_json_pairs(j, key, rank, shape, value, NULL);
}

void lbr_json_flag(lbr_json *j, const char *key, int value)
{
    key_of(j, key);
    fputs(value ? "true" : "false", j->out);
}
