/* hdf5_code.h - the pieces of an HDF5 file as bytes. SPDX-License-Identifier: BSD-3-Clause
 *
 * Of the HDF5 File Format Specification, version 3.0, only what we write: superblock 2, object headers 2, links in the
 * root group's header, datasets of doubles in chunks with a B-tree of version 1, attributes that are texts. Everything
 * but the numbers is little-endian. */
#ifndef LBR_IO_HDF5_CODE_H
#define LBR_IO_HDF5_CODE_H
#include "stream.h"

enum {
    LBR_H5_SUPERBLOCK = 48,
    LBR_H5_PREFIX = 10,   /* bytes of the superblock; of an object header before its messages */
    LBR_H5_CHILDREN = 64, /* of a node of the B-tree: what readers assume if nothing else is said */
    LBR_H5_TEXT = 60000   /* bytes of an attribute: a message has less than 65536 */
};
#define LBR_H5_NOWHERE UINT64_MAX

/* Bytes one after the other; with at = NULL they are only counted. */
typedef struct lbr_h5 {
    unsigned char *at;
    size_t n;
} lbr_h5;

void lbr_h5_number(unsigned char *to, uint64_t value, int bytes);
uint64_t lbr_h5_value(const unsigned char *from, int bytes);

/* The superblock: the end of the file, and where the root group is. Reading: 0 if it is not one of ours. */
void lbr_h5_superblock(unsigned char to[LBR_H5_SUPERBLOCK], uint64_t end, uint64_t root);
int lbr_h5_superblock_read(const unsigned char from[LBR_H5_SUPERBLOCK], uint64_t *end, uint64_t *root);

/* An object header ends in a checksum over all before it, to be renewed after a change; the size of all, by its first
 * bytes (0: not one of ours). */
void lbr_h5_seal(unsigned char *header, size_t n);
int lbr_h5_sealed(const unsigned char *header, size_t n);
size_t lbr_h5_header_size(const unsigned char prefix[LBR_H5_PREFIX]);

/* The header of a dataset, and the places in it that change: the number of records, the address of the B-tree. `per`
 * records in a chunk. */
void lbr_h5_dataset(lbr_h5 *to, const lbr_field *field, int64_t per, size_t *records, size_t *tree);

/* The header of the root group: begin, a link for each dataset (returns the place of its address), a note each, end. */
void lbr_h5_begin(lbr_h5 *to);
void lbr_h5_group(lbr_h5 *to);
size_t lbr_h5_link(lbr_h5 *to, const char *name);
void lbr_h5_note(lbr_h5 *to, const char *name, const char *text);
void lbr_h5_numbers(lbr_h5 *to, const lbr_note *note); /* nothing if they are too many */
int lbr_h5_is_note(const unsigned char *message);      /* and not one more link */
void lbr_h5_end(lbr_h5 *to);

/* A node of the B-tree over n children; child i begins with record first + i span. All nodes of a field of this rank
 * have the same size. */
size_t lbr_h5_node_size(int64_t rank);
void lbr_h5_node(unsigned char *to, int64_t rank, int level, int64_t n, const uint64_t *child, uint64_t first,
                 uint64_t span, uint32_t chunk);
/* The number of children of a node at this level, 0 if it is none; and the address of one. */
int64_t lbr_h5_node_count(const unsigned char *from, int level);
uint64_t lbr_h5_node_child(const unsigned char *from, int64_t rank, int64_t i);
#endif
