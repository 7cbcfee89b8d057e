/* terminal.c - what the tool says: no text, name or argument steers the terminal. SPDX-License-Identifier: BSD-3-Clause
 *
 * Standard output and standard error are replaced by streams that write every character which would do something
 * instead of being seen as \uXXXX (so JSON stays what it is, since inside its texts that is the same character), and
 * every byte that is no UTF-8 as \xNN. Line ends and tabs stay. Whoever wants to steer the terminal himself
 * (execute/progress.c) writes to it without a stream. */
#define _GNU_SOURCE /* fopencookie */
#include "cli.h"
#include "execute/executing.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Controls beyond those of ASCII: C1, marks of direction, separators, embeddings, overrides, isolates, invisible
 * characters, annotations, tags. */
static const unsigned steering[][2] = {
    { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x61c, 0x61c },     { 0x180e, 0x180e },
    { 0x200b, 0x200b }, { 0x200e, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
    { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

static int steers(unsigned code)
{
    if (code < 0x20) return code != '\n' && code != '\t';
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++)
        if (code >= steering[i][0] && code <= steering[i][1]) return 1;
    return 0;
}

/* The length of the character of UTF-8 at s; 0: there is none; -1: its end is still to come. */
static int character(const unsigned char *s, size_t n, unsigned *code)
{
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } kind[] = {
        { 0x80, 0, 0 },
        { 0xe0, 0xc0, 0x80 },
        { 0xf0, 0xe0, 0x800 },
        { 0xf8, 0xf0, 0x10000 },
    };

    for (int more = 0; more < 4; more++) {
        if ((s[0] & kind[more].mask) != kind[more].lead) continue;
        *code = s[0] & (unsigned char)~kind[more].mask;
        for (int k = 1; k <= more; k++) {
            if ((size_t)k == n) return -1;
            if ((s[k] & 0xc0) != 0x80) return 0;
            *code = *code << 6 | (s[k] & 0x3f);
        }
        return *code < kind[more].least || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : more + 1;
    }
    return 0;
}

size_t terminal_shown(char *to, const char *from, size_t n, size_t *taken)
{
    const unsigned char *s = (const unsigned char *)from;
    size_t used = 0;
    unsigned code = 0;
    int k;

    for (*taken = 0; *taken < n && (k = character(s + *taken, n - *taken, &code)) >= 0; *taken += k ? (size_t)k : 1) {
        if (k && !steers(code)) memcpy(to + used, s + *taken, (size_t)k), used += (size_t)k;
        else if (!k) used += (size_t)sprintf(to + used, "\\x%02x", s[*taken]);
        else if (code < 0x10000) used += (size_t)sprintf(to + used, "\\u%04x", code);
        else used += (size_t)sprintf(to + used, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    }
    return used;
}

void terminal_status(const char *text)
{
    char line[80], shown[6 * sizeof line + 1];
    size_t taken, n = strlen(text) < sizeof line ? strlen(text) : sizeof line;

    shown[terminal_shown(shown, text, n, &taken)] = 0;
    fflush(stderr);
    lbr_progress_line(shown);
}

#ifdef __GLIBC__
/* A stream: where it goes, and the beginning of a character whose end is still to come. */
typedef struct door {
    int fd;
    size_t n;
    char held[4];
} door;

static int put(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t k = write(fd, text, n);

        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return 0;
        text += k, n -= (size_t)k;
    }
    return 1;
}

static ssize_t pass(void *cookie, const char *bytes, size_t n)
{
    enum { PIECE = 1 << 10, LARGER = 6 };
    char in[PIECE], shown[LARGER * PIECE + 1];
    door *d = cookie;
    size_t done = 0, taken;

    while (done < n) {
        size_t more = n - done < PIECE - d->n ? n - done : PIECE - d->n;

        memcpy(in, d->held, d->n), memcpy(in + d->n, bytes + done, more);
        if (!put(d->fd, shown, terminal_shown(shown, in, d->n + more, &taken))) return 0;
        done += more, d->n += more - taken;
        memcpy(d->held, in + taken, d->n);
    }
    return (ssize_t)n;
}

static FILE *through(door *d, FILE *plain, int lines)
{
    FILE *f = fopencookie(d, "w", (cookie_io_functions_t){ .write = pass });

    if (!f) return plain;
    setvbuf(f, NULL, lines ? _IOLBF : _IOFBF, BUFSIZ);
    return f;
}

void terminal_open(void)
{
    static door doors[] = { { .fd = STDOUT_FILENO }, { .fd = STDERR_FILENO } };

    stdout = through(doors, stdout, isatty(STDOUT_FILENO)), stderr = through(doors + 1, stderr, 1);
}
#else
void terminal_open(void) {} /* its streams cannot be replaced */
#endif
