/* data_file.c - a matrix of numbers from a text file. SPDX-License-Identifier: BSD-3-Clause
 *
 * The text is gone through twice: to check and count, then to convert. In between the memory is taken. */
#define _POSIX_C_SOURCE 200809L
#include "data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/number.h"

/* --- lines and fields -------------------------------------------------------------------------------------------- */

typedef struct reader {
    const char *at, *end; /* what is left of the text */
    const char *stop;     /* where this line, without its comment, ends */
    int64_t line, field;  /* of the field last read, counted from 1 */
    lbr_message *message;
} reader;

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_blank(char c) { return c == ' ' || c == '\t'; }

static lbr_status bad(reader *r, const char *what)
{
    return lbr_fail(r->message, LBR_EARG, "line %lld, field %lld: %s", (long long)r->line, (long long)r->field, what);
}

static void skip(reader *r)
{
    while (r->at < r->stop && is_blank(*r->at)) r->at++;
}

/* To the next line with anything on it: 1, or 0 at the end. The last line has been read up to `stop`. */
static int next_line(reader *r, const char **next)
{
    while (*next < r->end) {
        const char *feed = memchr(*next, '\n', (size_t)(r->end - *next)), *comment;
        size_t n = (size_t)((feed ? feed : r->end) - *next);

        r->at = *next, *next = feed ? feed + 1 : r->end;
        r->line++, r->field = 0;
        if (n > 0 && r->at[n - 1] == '\r') n--;
        comment = memchr(r->at, '#', n);
        r->stop = comment ? comment : r->at + n;
        skip(r);
        if (r->at < r->stop) return 1;
    }
    return 0;
}

/* The next field of the line, from *from to *to: 1; 0: there is none; -1: it is empty. */
static int next_field(reader *r, const char **from, const char **to)
{
    if (r->field > 0) {
        skip(r);
        if (r->at == r->stop) return 0;
        if (*r->at == ',') r->at++, skip(r);
    }
    r->field++;
    if (r->at == r->stop || *r->at == ',') return -1;
    *from = r->at;
    while (r->at < r->stop && !is_blank(*r->at) && *r->at != ',') r->at++;
    *to = r->at;
    return 1;
}

static int same(const char *s, const char *end, const char *word)
{
    for (; s < end && *word; s++, word++)
        if ((*s | 0x20) != *word) return 0;
    return s == end && !*word;
}

typedef enum { NUMBER, WORD, NEITHER, INFINITE } kind;

static kind kind_of(const char *s, const char *end)
{
    const char *bare = s + (*s == '-' || *s == '+');
    double x;

    if (lbr_number_read(s, end, &x) == end) return NUMBER;
    if (same(bare, end, "nan") || same(bare, end, "inf") || same(bare, end, "infinity")) return INFINITE;
    if (s != bare || is_digit(*s) || *s == '.') return NEITHER;
    for (; s < end; s++)
        if ((unsigned char)*s < ' ') return NEITHER; /* such as a carriage return within a line */
    return WORD;
}

/* Reads one line. Into out, if there is one; the number of its fields and how many of them are words are counted. */
static lbr_status read_line(reader *r, double *out, int64_t *words)
{
    static const char *const problem[] = { NULL, "this is not a number", "this is not a number",
                                           "a number must be finite" };
    const char *from = NULL, *to = NULL;
    int there;

    for (*words = 0; (there = next_field(r, &from, &to)) > 0;) {
        kind k = out ? NUMBER : kind_of(from, to);

        if (k == WORD && *words == r->field - 1) ++*words;
        else if (k != NUMBER || *words > 0) return bad(r, k == NUMBER ? "a number after words" : problem[k]);
        if (!out) continue;
        lbr_number_read(from, to, out + r->field - 1);
        if (!isfinite(out[r->field - 1])) return bad(r, "this number is too large: the largest is about 1.8e308");
    }
    return there < 0 ? bad(r, "there is nothing between two commas, or beside one at the end of a line") : LBR_OK;
}

/* The first pass: the shape of what follows a first line of words, if there is one. */
static lbr_status count(reader *r, const char *next, int64_t *rows, int64_t *columns)
{
    int64_t words;

    for (int first = 1; next_line(r, &next); first = 0) {
        lbr_status status = read_line(r, NULL, &words);

        if (status) return status;
        if (words > 0 && first) continue;
        if (words > 0)
            return lbr_fail(r->message, LBR_EARG, "line %lld: only the first line may be words", (long long)r->line);
        if (*rows == 0) *columns = r->field;
        if (r->field != *columns)
            return lbr_fail(r->message, LBR_EARG, "line %lld has %lld numbers, the lines before have %lld",
                            (long long)r->line, (long long)r->field, (long long)*columns);
        ++*rows;
    }
    if (*rows == 0) return lbr_fail(r->message, LBR_EARG, "there are no numbers in it");
    if (*columns > LBR_TABLE_NUMBERS / *rows)
        return lbr_fail(r->message, LBR_EARG, "%lld rows of %lld numbers are more than the %d that are read",
                        (long long)*rows, (long long)*columns, LBR_TABLE_NUMBERS);
    return LBR_OK;
}

lbr_status lbr_table_parse(const char *text, size_t size, double **data, int64_t *rows, int64_t *columns,
                           lbr_message *message)
{
    const char *start, *next;
    reader r;
    lbr_status status;
    int64_t words, row = 0;

    *data = NULL, *rows = *columns = 0;
    if (size > LBR_TABLE_BYTES) return lbr_fail(message, LBR_EARG, "it is longer than %d MiB", LBR_TABLE_BYTES >> 20);
    start = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? text + 3 : text; /* a mark some editors put before UTF-8 */
    r = (reader){ .end = text + size, .message = message };
    if ((status = count(&r, start, rows, columns))) return status;
    *data = lbr_mem_alloc((size_t)(*rows * *columns) * sizeof **data);
    if (!*data) return lbr_fail(message, LBR_ENOMEM, "no memory for %lld numbers", (long long)(*rows * *columns));
    r = (reader){ .end = text + size, .message = message };
    for (next = start; !status && next_line(&r, &next);) {
        if (row == 0 && kind_of(r.at, r.at + 1) == WORD) continue;
        status = read_line(&r, *data + row++ * *columns, &words);
    }
    if (status) lbr_mem_free(*data), *data = NULL;
    return status;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static lbr_status unopened(int error, lbr_message *message)
{
    int missing = error == ENOENT || error == ENOTDIR, forbidden = error == EACCES || error == EPERM;

    return lbr_fail(message, LBR_EARG, "%s",
                    missing     ? "there is no such file"
                    : forbidden ? "reading it is not permitted"
                                : "it cannot be opened");
}

/* Exactly n bytes and then the end. */
static lbr_status fetch(int file, char *text, size_t n, lbr_message *message)
{
    size_t have = 0;
    char beyond;

    for (;;) {
        ssize_t got = have < n ? read(file, text + have, n - have) : read(file, &beyond, 1);

        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return lbr_fail(message, LBR_EARG, "it cannot be read");
        if (got == 0 && have == n) return LBR_OK;
        if (got == 0 || have == n) return lbr_fail(message, LBR_EARG, "its length changes while it is read");
        have += (size_t)got;
    }
}

lbr_status lbr_table_read(const char *path, double **data, int64_t *rows, int64_t *columns, lbr_message *message)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a fifo does not make it wait */
    struct stat about;
    char *text = NULL;
    lbr_status status;

    *data = NULL, *rows = *columns = 0;
    if (file < 0) return unopened(errno, message);
    if (fstat(file, &about)) status = unopened(errno, message);
    else if (!S_ISREG(about.st_mode)) status = lbr_fail(message, LBR_EARG, "it is not a regular file");
    else if (about.st_size > LBR_TABLE_BYTES)
        status = lbr_fail(message, LBR_EARG, "it is longer than %d MiB", LBR_TABLE_BYTES >> 20);
    else if (!(text = lbr_mem_alloc((size_t)about.st_size)))
        status = lbr_fail(message, LBR_ENOMEM, "no memory for its %lld bytes", (long long)about.st_size);
    else status = fetch(file, text, (size_t)about.st_size, message);
    close(file);
    if (!status) status = lbr_table_parse(text, (size_t)about.st_size, data, rows, columns, message);
    lbr_mem_free(text);
    return status;
}
