/* format.h - what a kind of file has to offer to become a stream. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_IO_FORMAT_H
#define LBR_IO_FORMAT_H
#include "core/mem.h"
#include "stream.h"

typedef struct lbr_format {
    const char *suffixes;
    int shows_pairs; /* lbr_stream_shows_pairs */
    /* The header of a new file, in memory; or, with the file open, the end of the records that stay: nothing is written
     * yet. */
    lbr_status (*describe)(lbr_stream *stream, const lbr_field *field, const lbr_note *note, int64_t nnotes,
                           lbr_message *message);
    lbr_status (*find)(lbr_stream *stream, const lbr_field *field, int64_t records, lbr_message *message);
    /* The file is open: writes the header; or cuts what is behind those records. */
    lbr_status (*create)(lbr_stream *stream, lbr_message *message);
    lbr_status (*cut)(lbr_stream *stream, lbr_message *message);
    /* Puts records into the file; stream->records is how many are in it, also after a failure. */
    lbr_status (*put)(lbr_stream *stream, const double *record, int64_t n, lbr_message *message);
    /* Whatever has been put is there for readers; with `sync`, on the disk. */
    lbr_status (*commit)(lbr_stream *stream, int sync, lbr_message *message);
} lbr_format;

extern const lbr_format lbr_format_csv, lbr_format_hdf5;

struct lbr_stream {
    const lbr_format *format;
    void *own; /* what the format keeps */
    lbr_arena arena;
    const char *path;
    int fd;
    int force, begun;                      /* what is there may be replaced; there is a file that records go to */
    int64_t nfields, width, room, waiting; /* numbers in a record; records in memory */
    int64_t columns;                       /* width, or half of it: the others are low parts */
    double *record;
    int64_t records;
    double committed, written; /* when, in seconds */
    lbr_status status;
    lbr_message message; /* the first failure */
};

/* The name of a component. */
static inline const char *lbr_field_component(const lbr_field *field, int64_t i)
{
    return field->names ? field->names[i] : field->name;
}
#endif
