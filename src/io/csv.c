/* csv.c - records as lines of text (RFC 4180, lines ended by LF). SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "format.h"
#include "core/growing_text.h"
#include "core/number.h"

enum { BUFFER = 1 << 18, PAGE = 4096, MANY = 1000 };

/* Text on its way to the disk. `size` bytes of the file are whole lines; what is behind them is of a line that is
 * longer than the buffer. */
typedef struct csv {
    int64_t size, tail;
    size_t used, longest;    /* characters of a number, or of a word if that is longer */
    const char *const *word; /* of the first column, or NULL */
    int64_t nwords;
    char *head; /* the line of names, and comments */
    size_t nhead;
    char text[BUFFER];
} csv;

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* A failed write: the file ends with the last line that came through as a whole. */
static lbr_status give_up(lbr_stream *s, size_t done, int error, lbr_message *message)
{
    csv *c = s->own;
    size_t whole = done;

    while (whole > 0 && c->text[whole - 1] != '\n') whole--;
    for (size_t i = 0; i < whole; i++) s->records += c->text[i] == '\n';
    if (whole) c->size += c->tail + (int64_t)whole;
    lbr_file_fail(message, "write", s->path, error);
    if (ftruncate(s->fd, (off_t)c->size)) lbr_file_fail(message, "cut off an incomplete last line of", s->path, errno);
    return LBR_EIO;
}

/* How much of the buffer, from `from` on, one call writes. A kill ends a call between two pages of the file: so the
 * lines that end in this page go together, and then the one line that goes beyond it. */
static size_t piece(const csv *c, size_t from)
{
    size_t page = PAGE - (size_t)((c->size + c->tail + (int64_t)from) % PAGE),
           end = c->used - from < page ? c->used : from + page, k = end;

    while (k > from && c->text[k - 1] != '\n') k--;
    if (k > from) return k - from;
    while (end < c->used && c->text[end - 1] != '\n') end++;
    return end - from;
}

/* Sends what is in the buffer, in which so many lines end. */
static lbr_status send(lbr_stream *s, int64_t lines, lbr_message *message)
{
    csv *c = s->own;

    for (size_t at = 0, n, done; at < c->used; at += n) {
        int error = lbr_file_write(s->fd, c->text + at, n = piece(c, at), c->size + c->tail + (int64_t)at, &done);

        if (error) return give_up(s, at + done, error, message);
    }
    c->tail += (int64_t)c->used, c->used = 0;
    if (lines) c->size += c->tail, c->tail = 0;
    s->records += lines;
    return LBR_OK;
}

/* The word that the first column counts. */
static size_t word(csv *c, double number)
{
    const char *w = number >= 1 && number <= (double)c->nwords ? c->word[(int64_t)number - 1] : "";
    size_t n = strlen(w);

    memcpy(c->text + c->used, w, n);
    return n;
}

/* A line longer than the buffer is sent in pieces. */
static lbr_status line(lbr_stream *s, const double *record, lbr_message *message)
{
    csv *c = s->own;
    lbr_status status;

    for (int64_t j = 0; j < s->columns; j++) {
        char *to;

        if (c->used > BUFFER - c->longest - 1 && (status = send(s, 0, message))) return status;
        to = c->text + c->used;
        if (!j && c->word) c->used += word(c, record[j]);
        else if (s->columns < s->width) c->used += lbr_number_write_pair(to, record[j], record[s->columns + j]);
        else c->used += lbr_number_write(to, record[j]);
        c->text[c->used++] = j + 1 < s->columns ? ',' : '\n';
    }
    return LBR_OK;
}

static lbr_status put(lbr_stream *s, const double *record, int64_t n, lbr_message *message)
{
    csv *c = s->own;
    int64_t lines = 0;
    lbr_status status;

    for (int64_t i = 0; i < n; i++, record += s->width) {
        if (c->used && s->columns > (int64_t)((BUFFER - c->used) / (c->longest + 1))) {
            if ((status = send(s, lines, message))) return status;
            lines = 0;
        }
        if ((status = line(s, record, message))) return status;
        lines++;
    }
    return send(s, lines, message);
}

static lbr_status commit(lbr_stream *s, int sync, lbr_message *message)
{
    if (sync && fdatasync(s->fd)) return lbr_file_fail(message, "write", s->path, errno), LBR_EIO;
    return LBR_OK;
}

/* --- the header -------------------------------------------------------------------------------------------------- */

/* A name, quoted where it must be, into `to` (or nowhere); its length. */
static size_t quote(char *to, const char *name)
{
    int quoted = name[strcspn(name, ",\"\r\n")] != 0;
    size_t n = 0;

    if (quoted) {
        if (to) to[n] = '"';
        n++;
    }
    for (; *name; name++) {
        if (*name == '"') {
            if (to) to[n] = '"';
            n++;
        }
        if (to) to[n] = *name;
        n++;
    }
    if (quoted) {
        if (to) to[n] = '"';
        n++;
    }
    return n;
}

/* The first line: measured first, then written. */
static char *header(lbr_stream *s, const lbr_field *field, size_t *size)
{
    char *text = NULL;

    for (int pass = 0; pass < 2; pass++) {
        size_t n = 0;

        for (const lbr_field *f = field; f < field + s->nfields; f++)
            for (int64_t i = 0; i < f->len; i++) {
                n += quote(text ? text + n : NULL, lbr_field_component(f, i));
                if (text) text[n] = ',';
                n++;
            }
        if (text) text[n - 1] = '\n';
        else if (!(text = lbr_arena_alloc(&s->arena, (int64_t)n, 1))) return NULL;
        *size = n;
    }
    return text;
}

/* The words of the first column are kept, quoted where they must be. 0: no memory. */
static int keep_words(lbr_stream *s, const lbr_field *field)
{
    csv *c = s->own;
    const char **list = lbr_arena_alloc(&s->arena, field->nwords + 1, sizeof *list);

    c->longest = field->pairs ? LBR_NUMBER_PAIR : LBR_NUMBER;
    if (!list || !field->word) return list != NULL;
    for (int64_t k = 0; k < field->nwords; k++) {
        size_t n = quote(NULL, field->word[k]);
        char *text = lbr_arena_alloc(&s->arena, (int64_t)n + 1, 1);

        if (!text) return 0;
        quote(text, field->word[k]);
        list[k] = text;
        c->longest = n > c->longest ? n : c->longest;
    }
    c->word = list, c->nwords = field->nwords;
    return 1;
}

static lbr_status begin(lbr_stream *s, const lbr_field *field, lbr_message *message)
{
    csv *c = s->own = lbr_arena_alloc(&s->arena, 1, sizeof *c);

    if (c && keep_words(s, field)) c->head = header(s, field, &c->nhead);
    return c && c->head ? LBR_OK : lbr_fail(message, LBR_ENOMEM, "out of memory");
}

/* --- comments ---------------------------------------------------------------------------------------------------- */

/* A line cannot end within a comment. */
static void comment_text(lbr_text *to, const char *text)
{
    for (; *text; text++) lbr_text_bytes(to, (unsigned char)*text < 0x20 ? " " : text, 1);
}

static void comment_numbers(lbr_text *to, int64_t rank, const int64_t *shape, const double **value)
{
    char number[LBR_NUMBER];

    if (!rank) {
        lbr_text_bytes(to, number, lbr_number_write(number, *(*value)++));
        return;
    }
    lbr_text_put(to, "[");
    for (int64_t k = 0; k < *shape; k++) {
        if (k) lbr_text_put(to, ", ");
        comment_numbers(to, rank - 1, shape + 1, value);
    }
    lbr_text_put(to, "]");
}

/* Many numbers are told by their number. */
static void comment(lbr_text *to, const lbr_note *n)
{
    const double *value = n->value;
    int64_t count = 1;

    for (int64_t k = 0; k < n->rank && count; k++) count = n->shape[k] > MANY / count ? MANY + 1 : count * n->shape[k];
    lbr_text_put(to, "# "), comment_text(to, n->name), lbr_text_put(to, ": ");
    if (n->text) comment_text(to, n->text);
    else if (count > MANY) lbr_text_format(to, "more than %d numbers", MANY);
    else comment_numbers(to, n->rank, n->shape, &value);
    lbr_text_put(to, "\n");
}

/* Behind the line of names. */
static lbr_status comments(lbr_stream *s, const lbr_note *note, int64_t nnotes, lbr_message *message)
{
    csv *c = s->own;
    lbr_text text = { 0 };
    char *all = NULL;

    lbr_text_bytes(&text, c->head, c->nhead);
    for (int64_t k = 0; k < nnotes; k++)
        if (note[k].comment) comment(&text, note + k);
    if (!text.status && (all = lbr_arena_alloc(&s->arena, (int64_t)text.length, 1)))
        c->head = memcpy(all, text.text, c->nhead = text.length);
    lbr_text_free(&text);
    return all ? LBR_OK : lbr_fail(message, LBR_ENOMEM, "out of memory");
}

static lbr_status describe(lbr_stream *s, const lbr_field *field, const lbr_note *note, int64_t nnotes,
                           lbr_message *message)
{
    lbr_status status = begin(s, field, message);

    return status ? status : comments(s, note, nnotes, message);
}

static lbr_status create(lbr_stream *s, lbr_message *message)
{
    csv *c = s->own;
    int error = lbr_file_write(s->fd, c->head, c->nhead, 0, NULL);

    c->size = (int64_t)c->nhead;
    return error ? (lbr_file_fail(message, "write", s->path, error), LBR_EIO) : LBR_OK;
}

/* --- going on ---------------------------------------------------------------------------------------------------- */

static lbr_status unreadable(lbr_stream *s, int error, lbr_message *message)
{
    return lbr_file_fail(message, "read", s->path, error), LBR_EIO;
}

static lbr_status same_header(lbr_stream *s, int64_t end, lbr_message *message)
{
    csv *c = s->own;
    size_t size = c->nhead;

    for (size_t at = 0, n; at < size && (int64_t)size <= end; at += n) {
        int error = lbr_file_read(s->fd, c->text, n = size - at < BUFFER ? size - at : BUFFER, (int64_t)at);

        if (error) return unreadable(s, error, message);
        if (memcmp(c->text, c->head + at, n)) end = 0;
    }
    if ((int64_t)size > end)
        return lbr_fail(message, LBR_EARG, "cannot go on with %.300s: its header is not that of this run", s->path);
    c->size = (int64_t)size;
    return LBR_OK;
}

static lbr_status skip_comments(lbr_stream *s, int64_t end, lbr_message *message)
{
    csv *c = s->own;
    int inside = 0;

    for (int64_t at = c->size, n; at < end; at += n) {
        int error = lbr_file_read(s->fd, c->text, (size_t)(n = end - at < BUFFER ? end - at : BUFFER), at);

        if (error) return unreadable(s, error, message);
        for (int64_t i = 0; i < n; i++) {
            if (!inside && c->text[i] != '#') return LBR_OK;
            inside = c->text[i] != '\n';
            if (!inside) c->size = at + i + 1;
        }
    }
    return LBR_OK;
}

/* Finds the end of the records that stay; every line on the way must have its columns. */
static lbr_status skip(lbr_stream *s, int64_t records, int64_t end, lbr_message *message)
{
    csv *c = s->own;
    int64_t commas = 0;

    for (int64_t at = c->size, n; at < end && s->records < records; at += n) {
        int error = lbr_file_read(s->fd, c->text, (size_t)(n = end - at < BUFFER ? end - at : BUFFER), at);

        if (error) return unreadable(s, error, message);
        for (int64_t i = 0; i < n && s->records < records; i++) {
            commas += c->text[i] == ',';
            if (c->text[i] != '\n') continue;
            if (commas + 1 != s->columns)
                return lbr_fail(message, LBR_EARG,
                                "cannot go on with %.300s: its line %lld has %lld columns instead of %lld", s->path,
                                (long long)s->records + 2, (long long)commas + 1, (long long)s->columns);
            s->records++, c->size = at + i + 1, commas = 0;
        }
    }
    if (s->records == records) return LBR_OK;
    return lbr_fail(message, LBR_EARG, "cannot go on with %.300s: it has %lld records, and %lld are needed", s->path,
                    (long long)s->records, (long long)records);
}

static lbr_status find(lbr_stream *s, const lbr_field *field, int64_t records, lbr_message *message)
{
    int64_t end = (int64_t)lseek(s->fd, 0, SEEK_END);
    lbr_status status = begin(s, field, message);

    if (!status) status = same_header(s, end, message);
    if (!status) status = skip_comments(s, end, message);
    return status ? status : skip(s, records, end, message);
}

static lbr_status cut(lbr_stream *s, lbr_message *message)
{
    const csv *c = s->own;

    return ftruncate(s->fd, (off_t)c->size) ? (lbr_file_fail(message, "cut", s->path, errno), LBR_EIO) : LBR_OK;
}

const lbr_format lbr_format_csv = { ".csv", 1, describe, find, create, cut, put, commit };
