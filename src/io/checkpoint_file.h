/* checkpoint_file.h - checkpoint files: the bytes of a state, with all that says whose they are.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All in the order of bytes of the machine that wrote it: a head of 128 bytes (magic, format version, byte order, size
 * of the whole, checksum, digest, t0, h, steps, records, counts, lengths of the texts), the texts, each with a 0, zeros
 * up to a multiple of 8, the numbers, the state. Read as hostile input: nothing is believed before it has been checked,
 * and nothing is allocated beyond the size of the file. */
#ifndef LBR_IO_CHECKPOINT_FILE_H
#define LBR_IO_CHECKPOINT_FILE_H
#include "core/text.h"

typedef struct lbr_saved {
    const char *library, *kernel, *method, *options, *model; /* versions and names: texts without control characters */
    const char *out, *events; /* the streams that belong to it, of samples and events; "" if none */
    uint64_t digest;          /* of model, parameters and data */
    double t0, h;
    int64_t steps, records, event_records; /* steps done; records in the streams */
    const double *extra;
    int64_t nextra; /* what the run keeps beside the state: monitors, any bits */
    const void *state;
    size_t nstate; /* lbr_state_bytes */
} lbr_saved;

/* Replaces a checkpoint of the same run (same digest, method, options, t0, h) or a new file; anything else that is
 * there needs `force`. After any failure what was there is there still. */
lbr_status lbr_saved_write(const char *path, const lbr_saved *saved, int force, lbr_message *message);
/* Whether it could, for a check before a long run; of `saved` only digest, method, options, t0, h and steps are looked
 * at: LBR_EARG also where a checkpoint of the same run has more steps than that. */
lbr_status lbr_saved_check(const char *path, const lbr_saved *saved, int force, lbr_message *message);
/* *memory holds what saved points to (lbr_mem_free). LBR_ECHECKPOINT: damaged, or not a checkpoint. */
lbr_status lbr_saved_read(const char *path, lbr_saved *saved, void **memory, lbr_message *message);
/* The same from bytes; saved points into *memory. After a failure *memory is NULL. */
lbr_status lbr_saved_parse(const void *bytes, size_t size, lbr_saved *saved, void **memory, lbr_message *message);
#endif
