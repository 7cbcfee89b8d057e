/* plot_text.c - numbers in text, and foreign text made harmless for gnuplot. SPDX-License-Identifier: BSD-3-Clause */
#include "plot_parts.h"

#include "core/number.h"

void lbr_ink_number(lbr_text *ink, double x)
{
    char text[LBR_NUMBER];

    lbr_text_bytes(ink, text, lbr_number_write(text, x));
}

/* The length of the UTF-8 sequence at s, 0 if it is none; its code in *code. */
static int sequence(const unsigned char *s, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int n = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;

    *code = n == 1 ? *s : n ? *s & (0x7fu >> n) : 0;
    for (int i = 1; i < n; i++) {
        if (s[i] >> 6 != 2) return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return n && *code >= least[n] && *code <= 0x10ffff && *code >> 11 != 27 ? n : 0;
}

/* What has no place in one line of a picture: controls, line separators, marks that turn the direction, and what XML
 * forbids. */
static int unseen(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
           (c & 0xfffe) == 0xfffe;
}

/* A quote is joined to what is before and behind it: 'it'."'".'s'. Doubling it, as gnuplot's manual has it, is not
 * enough: of two at the beginning, and of four in a row, one is taken for the end of the string. */
void lbr_ink_quoted(lbr_text *ink, const char *text, int most, int percent)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    lbr_text_bytes(ink, "'", 1);
    for (int count = 0; *s; count++) {
        uint32_t code;
        int n = sequence(s, &code);

        if (count == most) {
            lbr_text_bytes(ink, "...", 3);
            break;
        }
        if (!n) lbr_text_bytes(ink, "?", 1);
        else if (unseen(code)) lbr_text_bytes(ink, " ", 1);
        else if (*s == '\'') lbr_text_bytes(ink, "'.\"'\".'", 7);
        else if (*s == '%' && percent) lbr_text_bytes(ink, "%%", 2);
        else lbr_text_bytes(ink, (const char *)s, (size_t)n);
        s += n ? n : 1;
    }
    lbr_text_bytes(ink, "'", 1);
}

int lbr_ink_plain(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t code;

    for (int n; *s; s += n)
        if (!(n = sequence(s, &code)) || unseen(code)) return 0;
    return 1;
}

int lbr_ink_width(const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");
    int count = 0;

    for (uint32_t code; *s && count < 1000; count++) {
        int n = sequence(s, &code);
        s += n ? n : 1;
    }
    return count;
}
