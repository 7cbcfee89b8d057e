/* stream.c - records in memory until they go to the disk, whatever the kind of file.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "stream.h"

#include <string.h>
#include <unistd.h>

#include "file.h"
#include "format.h"
#include "lock.h"
#include "core/clock.h"

enum { STAGE = 1 << 17, RANK = 31 };      /* numbers in memory; HDF5 has 32 dimensions, one for the records */
static const double AGE = 1, SLOW = 0.25; /* seconds: see lbr_stream_write */

static const lbr_format *const formats[] = { &lbr_format_csv, &lbr_format_hdf5 };

/* --- names and fields -------------------------------------------------------------------------------------------- */

static int ends_in(const char *path, const char *suffix, size_t n)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t m = strlen(name);

    return m > n && !memcmp(name + m - n, suffix, n);
}

static const lbr_format *format_of(const char *path)
{
    const char *w;
    size_t n;

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (int i = 0; (w = lbr_text_word(formats[k]->suffixes, i, &n)); i++)
            if (ends_in(path, w, n)) return formats[k];
    return NULL;
}

lbr_status lbr_stream_check(const char *path, lbr_message *message)
{
    if (format_of(path)) return LBR_OK;
    return lbr_fail(message, LBR_EARG,
                    "cannot write %.300s: records go into files whose name ends in .csv, .h5 or .hdf5", path);
}

int lbr_stream_shows_pairs(const char *path)
{
    const lbr_format *f = format_of(path);

    return f && f->shows_pairs;
}

/* Numbers in a record, or -1 with the sentence. */
static int64_t width_of(const lbr_field *field, int64_t nfields, lbr_message *message)
{
    int64_t width = 0;

    for (const lbr_field *f = field; f < field + nfields; f++) {
        int64_t len = 1;

        for (int64_t i = 0; i < f->rank && len > 0; i++)
            len = f->shape[i] < 1 || f->shape[i] > INT32_MAX / len ? -1 : len * f->shape[i];
        if (f->rank < 0 || f->rank > RANK || len != f->len || (len > 1 && !f->names) || f->len > INT32_MAX - width ||
            (f->word && (f != field || len > 1 || f->nwords < 1)))
            return lbr_fail(message, LBR_EARG, "'%.100s' cannot be a column of a file: its shape is out of range",
                            f->name),
                   -1;
        width += f->len;
    }
    if (!width) lbr_fail(message, LBR_EARG, "a file needs at least one column");
    return width ? width : -1;
}

/* --- beginning and end ------------------------------------------------------------------------------------------- */

/* A stream without a file. */
static lbr_status allocate(lbr_stream **stream, const char *path, const lbr_field *field, int64_t nfields,
                           lbr_message *message)
{
    int64_t width;
    lbr_stream *s;
    lbr_status status = lbr_stream_check(path, message);

    *stream = NULL;
    if (status) return status;
    if ((width = width_of(field, nfields, message)) < 0) return LBR_EARG;
    if (!(s = lbr_mem_alloc(sizeof *s))) return lbr_fail(message, LBR_ENOMEM, "out of memory");
    s->fd = -1, s->format = format_of(path), s->nfields = nfields, s->columns = width;
    s->width = width *= field->pairs ? 2 : 1;
    s->room = width < STAGE ? STAGE / width : 1;
    s->path = lbr_arena_text(&s->arena, path);
    s->record = lbr_arena_alloc(&s->arena, s->room * width, sizeof *s->record);
    *stream = s;
    return s->path && s->record ? LBR_OK : lbr_fail(message, LBR_ENOMEM, "out of memory");
}

static void release(lbr_stream *s)
{
    if (!s) return;
    if (s->fd >= 0) close(s->fd);
    lbr_arena_free(&s->arena);
    lbr_mem_free(s);
}

/* What is at its place is not touched, but it must be possible to make the file. */
lbr_status lbr_stream_prepare(lbr_stream **stream, const char *path, int force, const lbr_field *field, int64_t nfields,
                              const lbr_note *note, int64_t nnotes, lbr_message *message)
{
    lbr_stream *s;
    lbr_status status = allocate(&s, path, field, nfields, message);

    *stream = NULL;
    if (!status) status = lbr_file_check(path, force, 0, message);
    if (!status && force) status = lbr_file_free(path, message);
    if (!status) s->force = force, status = s->format->describe(s, field, note, nnotes, message);
    if (status) return release(s), status;
    *stream = s;
    return LBR_OK;
}

lbr_status lbr_stream_find(lbr_stream **stream, const char *path, const lbr_field *field, int64_t nfields,
                           int64_t records, lbr_message *message)
{
    int64_t size;
    lbr_stream *s;
    lbr_status status = allocate(&s, path, field, nfields, message);

    *stream = NULL;
    if (!status && records < 0)
        status = lbr_fail(message, LBR_EARG, "cannot go on after %lld records", (long long)records);
    if (!status) status = lbr_file_open(&s->fd, &size, path, 1, message);
    if (!status) status = lbr_lock_file(s->fd, path, message); /* before anything is cut off */
    if (!status) status = s->format->find(s, field, records, message);
    if (status) return release(s), status;
    *stream = s;
    return LBR_OK;
}

/* What a failure has made of a new file is removed. */
lbr_status lbr_stream_begin(lbr_stream *s, lbr_message *message)
{
    lbr_status status;

    if (s->fd >= 0) status = s->format->cut(s, message);
    else if (!(status = lbr_file_create(&s->fd, s->path, s->force, message)) &&
             (status = s->format->create(s, message)))
        unlink(s->path);
    s->begun = !status;
    s->committed = lbr_seconds();
    return status;
}

static lbr_status begun(lbr_stream **stream, lbr_status status, lbr_message *message)
{
    if (!status) status = lbr_stream_begin(*stream, message);
    if (status) release(*stream), *stream = NULL;
    return status;
}

lbr_status lbr_stream_create(lbr_stream **stream, const char *path, int force, const lbr_field *field, int64_t nfields,
                             const lbr_note *note, int64_t nnotes, lbr_message *message)
{
    return begun(stream, lbr_stream_prepare(stream, path, force, field, nfields, note, nnotes, message), message);
}

lbr_status lbr_stream_resume(lbr_stream **stream, const char *path, const lbr_field *field, int64_t nfields,
                             int64_t records, lbr_message *message)
{
    return begun(stream, lbr_stream_find(stream, path, field, nfields, records, message), message);
}

/* --- between ----------------------------------------------------------------------------------------------------- */

static lbr_status failed(lbr_stream *s, lbr_status status, lbr_message *message)
{
    if (status && !s->status) s->status = status, s->message = *message;
    if (s->status) *message = s->message;
    return s->status;
}

static lbr_status put(lbr_stream *s, lbr_message *message)
{
    int64_t n = s->waiting;

    s->waiting = 0;
    return n ? failed(s, s->format->put(s, s->record, n, message), message) : LBR_OK;
}

static lbr_status commit(lbr_stream *s, int sync, lbr_message *message)
{
    lbr_status status = put(s, message);

    if (!status) status = failed(s, s->format->commit(s, sync, message), message);
    s->committed = lbr_seconds();
    return status;
}

/* Nobody calls when a step takes long, so records that come slowly are not kept waiting for the next one. */
lbr_status lbr_stream_write(lbr_stream *s, const double *record, lbr_message *message)
{
    double now = lbr_seconds(), before = s->written;

    if (s->status) return failed(s, LBR_OK, message);
    memcpy(s->record + s->waiting++ * s->width, record, (size_t)s->width * sizeof *record);
    s->written = now;
    if (now - s->committed > AGE || now - before > SLOW) return commit(s, 0, message);
    return s->waiting == s->room ? put(s, message) : LBR_OK;
}

lbr_status lbr_stream_flush(lbr_stream *s, int64_t *records, lbr_message *message)
{
    lbr_status status = s->status ? failed(s, LBR_OK, message) : commit(s, 1, message);

    if (records) *records = s->records;
    return status;
}

lbr_status lbr_stream_close(lbr_stream *s, lbr_message *message)
{
    lbr_status status;
    int fd;

    if (!s) return LBR_OK;
    if (!s->begun) return release(s), LBR_OK;
    status = lbr_stream_flush(s, NULL, message);
    fd = s->fd, s->fd = -1;
    if (close(fd) && !status) status = lbr_fail(message, LBR_EIO, "cannot write %.300s: closing it failed", s->path);
    return release(s), status;
}
