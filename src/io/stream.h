/* stream.h - records of numbers that grow on a disk: CSV or HDF5, by the name of the file.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record is whole or not there. Records stay in memory for at most a second of writing, so a kill at any moment
 * leaves a file that can be read, up to the last seconds; a disk that is full or fails leaves it with the last whole
 * record that came through. Statuses: LBR_EARG if the name or the columns are at fault, LBR_EIO if the disk is; the
 * sentence names the file and the reason.
 *
 * CSV: RFC 4180, but for its line ends, which are LF as everywhere else on the machines we run on. A call
 * writes whole lines of one page of the file, or one line that goes over its end: only a kill in the very moment of
 * the latter can leave a line that is not ended; it counts as not there and `resume` cuts it off. A kill while the
 * header is being written can leave a file that cannot be read yet. HDF5: written here, without the HDF5 library, whose
 * files do not survive a kill (see hdf5.c); any HDF5 from 1.8 on reads them. */
#ifndef LBR_IO_STREAM_H
#define LBR_IO_STREAM_H
#include "core/text.h"

typedef struct lbr_stream lbr_stream;

/* One quantity of a record: components of a shape (rank 0: a number), at least one. In CSV a column per component,
 * `names` of them; in HDF5 one dataset [records, shape...] with `names` as an attribute (left out if it would be longer
 * than an attribute can be, 60000 bytes). */
typedef struct lbr_field {
    const char *name;
    int64_t rank;
    const int64_t *shape;
    int64_t len;
    const char *const *names; /* of its components: "q[1,2]"; NULL if there is only one */
    /* Or NULL: its one number counts words, from 1. CSV has the word, HDF5 the number and `words` as an attribute. */
    const char *const *word;
    int64_t nwords;
    int pairs; /* of the first field, for all: numbers have low parts, which follow in a record behind all others */
} lbr_field;

/* What is said about a file as a whole: attributes in HDF5; in CSV comments, where they are
 * wanted: lines `# name: text` behind the line of names. Numbers are left out of HDF5 if they are too many for an
 * attribute. */
typedef struct lbr_note {
    const char *name, *text; /* text NULL: numbers of this shape */
    int64_t rank;
    const int64_t *shape;
    const double *value;
    int comment; /* in CSV, too */
    int whole;   /* the numbers are integers, up to 2^53, and so they are in HDF5 */
} lbr_note;

/* Whether the name's suffix is one that can be written (.csv, .h5, .hdf5); otherwise says which can. */
lbr_status lbr_stream_check(const char *path, lbr_message *message);

/* Whether files of this name show pairs as one number each (lbr_field.pairs), as CSV does, with 34 digits. In others
 * low parts are fields of their own. */
int lbr_stream_shows_pairs(const char *path);

/* Creating and going on in two halves, for whoever has several files: the first one refuses whatever can be refused and
 * changes no file, the second one (lbr_stream_begin) writes the header, or cuts. A stream that has not begun is closed
 * without a trace. */
lbr_status lbr_stream_prepare(lbr_stream **stream, const char *path, int force, const lbr_field *field, int64_t nfields,
                              const lbr_note *note, int64_t nnotes, lbr_message *message);
lbr_status lbr_stream_find(lbr_stream **stream, const char *path, const lbr_field *field, int64_t nfields,
                           int64_t records, lbr_message *message);
lbr_status lbr_stream_begin(lbr_stream *stream, lbr_message *message);

/* Creates the file exclusively (LBR_EARG if something is there, links included, unless `force`, which replaces a file
 * or a link, not a folder), and writes the header. Everything is borrowed for the call alone. On failure *stream is
 * NULL, and what was created is removed. */
lbr_status lbr_stream_create(lbr_stream **stream, const char *path, int force, const lbr_field *field, int64_t nfields,
                             const lbr_note *note, int64_t nnotes, lbr_message *message);

/* Goes on with a file after `records` records: the line of names must be the same and so many must be there (LBR_EARG);
 * what is behind them is cut off. Notes stay as they are. If it is refused the file is unchanged. From creation or this
 * on until it is closed the file is locked (lock.h). */
lbr_status lbr_stream_resume(lbr_stream **stream, const char *path, const lbr_field *field, int64_t nfields,
                             int64_t records, lbr_message *message);

/* One record: the components of all fields one after the other. After a failure the same failure again. */
lbr_status lbr_stream_write(lbr_stream *stream, const double *record, lbr_message *message);
/* Everything written so far is on the disk (synced); how many records that is, from the beginning of the file. */
lbr_status lbr_stream_flush(lbr_stream *stream, int64_t *records, lbr_message *message);
/* Flushes, closes and frees; NULL is fine. */
lbr_status lbr_stream_close(lbr_stream *stream, lbr_message *message);
#endif
