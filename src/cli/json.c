/* json.c - writing JSON. SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <math.h>

static void quoted(FILE *out, const char *s)
{
    putc('"', out);
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < 0x20) fprintf(out, "\\u%04x", c);
        else putc(c, out);
    }
    putc('"', out);
}

static void key_of(json *j, const char *key)
{
    if (!j->first) fputs(",", j->out);
    if (j->depth) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    j->first = 0;
    if (key) quoted(j->out, key), fputs(": ", j->out);
}

void json_open(json *j, const char *key, char bracket)
{
    if (!j->depth) j->first = 1;
    key_of(j, key);
    putc(bracket, j->out);
    j->depth++, j->first = 1;
}

void json_close(json *j, char bracket)
{
    j->depth--;
    if (!j->first) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    putc(bracket, j->out);
    j->first = 0;
    if (!j->depth) putc('\n', j->out);
}

void json_text(json *j, const char *key, const char *value)
{
    key_of(j, key);
    if (value) quoted(j->out, value);
    else fputs("null", j->out);
}

void json_number(json *j, const char *key, double value)
{
    key_of(j, key);
    if (isfinite(value)) fprintf(j->out, "%.17g", value);
    else fputs("null", j->out);
}

void json_flag(json *j, const char *key, int value)
{
    key_of(j, key);
    fputs(value ? "true" : "false", j->out);
}
