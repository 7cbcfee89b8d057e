/* hdf5_code.c - the pieces of an HDF5 file as bytes. SPDX-License-Identifier: BSD-3-Clause */
#include "hdf5_code.h"

#include <string.h>

#include "format.h"

static const unsigned char signature[8] = "\211HDF\r\n\032\n";

/* Types of messages in an object header. */
enum {
    DATASPACE = 0x01,
    LINK_INFO = 0x02,
    DATATYPE = 0x03,
    FILL = 0x05,
    LINK = 0x06,
    LAYOUT = 0x08,
    GROUP_INFO = 0x0a,
    ATTRIBUTE = 0x0c
};
enum { CONSTANT = 1 }; /* the flag of a message that never changes */

/* --- bytes ------------------------------------------------------------------------------------------------------- */

void lbr_h5_number(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8) to[i] = (unsigned char)value;
}

uint64_t lbr_h5_value(const unsigned char *from, int bytes)
{
    uint64_t value = 0;

    while (bytes-- > 0) value = value << 8 | from[bytes];
    return value;
}

static void number(lbr_h5 *to, uint64_t value, int bytes)
{
    if (to->at) lbr_h5_number(to->at + to->n, value, bytes);
    to->n += (size_t)bytes;
}

static void bytes(lbr_h5 *to, const void *b, size_t n)
{
    if (to->at) memcpy(to->at + to->n, b, n);
    to->n += n;
}

/* n bytes of room, of which the text may fill less. */
static void text(lbr_h5 *to, const char *s, size_t n)
{
    size_t m = strlen(s);

    if (to->at) memset(to->at + to->n, 0, n), memcpy(to->at + to->n, s, m < n ? m : n);
    to->n += n;
}

static size_t message(lbr_h5 *to, int type, int flags)
{
    number(to, (uint64_t)type, 1), number(to, 0, 2), number(to, (uint64_t)flags, 1);
    return to->n;
}

static void message_end(lbr_h5 *to, size_t start)
{
    if (to->at) lbr_h5_number(to->at + start - 3, to->n - start, 2);
}

/* --- the checksum: Jenkins' lookup3 (2006), as the format demands ------------------------------------------------ */

static uint32_t turn(uint32_t x, int k) { return x << k | x >> (32 - k); }

static uint32_t lookup3(const unsigned char *b, size_t n)
{
    /* Which word is changed by which other one, and how far that one is turned: once for every 12 bytes, and at the
     * end. */
    static const struct {
        int to, by, turn;
    } mix[] = { { 0, 2, 4 }, { 1, 0, 6 }, { 2, 1, 8 }, { 0, 2, 16 }, { 1, 0, 19 }, { 2, 1, 4 } };
    static const struct {
        int to, by, turn;
    } last[] = { { 2, 1, 14 }, { 0, 2, 11 }, { 1, 0, 25 }, { 2, 1, 16 }, { 0, 2, 4 }, { 1, 0, 14 }, { 2, 1, 24 } };
    uint32_t w[3];

    w[0] = w[1] = w[2] = 0xdeadbeef + (uint32_t)n;
    for (; n > 12; b += 12, n -= 12) {
        for (int i = 0; i < 3; i++) w[i] += (uint32_t)lbr_h5_value(b + 4 * i, 4);
        for (int i = 0; i < 6; i++)
            w[mix[i].to] = (w[mix[i].to] - w[mix[i].by]) ^ turn(w[mix[i].by], mix[i].turn),
            w[mix[i].by] += w[3 - mix[i].to - mix[i].by];
    }
    if (!n) return w[2];
    for (size_t i = 0; i < n; i++) w[i / 4] += (uint32_t)b[i] << 8 * (i % 4);
    for (int i = 0; i < 7; i++) w[last[i].to] = (w[last[i].to] ^ w[last[i].by]) - turn(w[last[i].by], last[i].turn);
    return w[2];
}

void lbr_h5_seal(unsigned char *header, size_t n) { lbr_h5_number(header + n - 4, lookup3(header, n - 4), 4); }
int lbr_h5_sealed(const unsigned char *header, size_t n)
{
    return lbr_h5_value(header + n - 4, 4) == lookup3(header, n - 4);
}

/* --- superblock and object headers ------------------------------------------------------------------------------- */

void lbr_h5_superblock(unsigned char to[LBR_H5_SUPERBLOCK], uint64_t end, uint64_t root)
{
    memcpy(to, signature, 8);
    memcpy(to + 8, "\2\10\10", 4); /* version, bytes of addresses and lengths, no flags */
    lbr_h5_number(to + 12, 0, 8), lbr_h5_number(to + 20, LBR_H5_NOWHERE, 8);
    lbr_h5_number(to + 28, end, 8), lbr_h5_number(to + 36, root, 8);
    lbr_h5_seal(to, LBR_H5_SUPERBLOCK);
}

int lbr_h5_superblock_read(const unsigned char from[LBR_H5_SUPERBLOCK], uint64_t *end, uint64_t *root)
{
    unsigned char same[LBR_H5_SUPERBLOCK];

    *end = lbr_h5_value(from + 28, 8), *root = lbr_h5_value(from + 36, 8);
    lbr_h5_superblock(same, *end, *root);
    return !memcmp(from, same, sizeof same);
}

static const unsigned char object[6] = "OHDR\2\2"; /* version; the size has four bytes */

void lbr_h5_begin(lbr_h5 *to)
{
    if (to->at) memcpy(to->at + to->n, object, sizeof object);
    to->n += sizeof object;
    number(to, 0, 4);
}

void lbr_h5_end(lbr_h5 *to)
{
    if (to->at) lbr_h5_number(to->at + sizeof object, to->n - LBR_H5_PREFIX, 4);
    number(to, 0, 4);
    if (to->at) lbr_h5_seal(to->at, to->n);
}

size_t lbr_h5_header_size(const unsigned char prefix[LBR_H5_PREFIX])
{
    return memcmp(prefix, object, sizeof object) ? 0
                                                 : LBR_H5_PREFIX + (size_t)lbr_h5_value(prefix + sizeof object, 4) + 4;
}

/* --- attributes -------------------------------------------------------------------------------------------------- */

static void text_type(lbr_h5 *to, size_t bytes)
{
    number(to, 0x13, 1), number(to, 0x11, 3), number(to, bytes, 4);
} /* UTF-8, zeros behind */

/* An IEEE double in the machine's order of bytes. */
static void double_type(lbr_h5 *to)
{
    static const uint16_t one = 1;
    int big = *(const unsigned char *)&one == 0;

    number(to, 0x11, 1), number(to, 0x20 | (uint64_t)big, 1), number(to, 63, 1), number(to, 0, 1), number(to, 8, 4);
    number(to, 0, 2), number(to, 64, 2), number(to, 52, 1), number(to, 11, 1), number(to, 0, 1), number(to, 52, 1),
        number(to, 1023, 4);
}

/* An integer of 64 bits with a sign. */
static void whole_type(lbr_h5 *to)
{
    static const uint16_t one = 1;
    int big = *(const unsigned char *)&one == 0;

    number(to, 0x10, 1), number(to, 0x08 | (uint64_t)big, 1), number(to, 0, 2), number(to, 8, 4);
    number(to, 0, 2), number(to, 64, 2);
}

static size_t at_least_one(size_t n) { return n ? n : 1; }

/* Begins an attribute of a type of so many bytes. */
static size_t attribute(lbr_h5 *to, const char *name, size_t type, int64_t rank)
{
    size_t start = message(to, ATTRIBUTE, 0), n = strlen(name) + 1;

    number(to, 3, 1), number(to, 0, 1), number(to, n, 2), number(to, type, 2), number(to, 4 + 8 * (uint64_t)rank, 2),
        number(to, 1, 1);
    text(to, name, n);
    return start;
}

/* Its extents, behind its type: a scalar has none. */
static void extents(lbr_h5 *to, int64_t rank, const int64_t *shape)
{
    number(to, 2, 1), number(to, (uint64_t)rank, 1), number(to, 0, 1), number(to, rank > 0, 1);
    for (int64_t k = 0; k < rank; k++) number(to, (uint64_t)shape[k], 8);
}

void lbr_h5_note(lbr_h5 *to, const char *name, const char *s)
{
    size_t n = at_least_one(strlen(s)), start = attribute(to, name, 8, 0);

    text_type(to, n), extents(to, 0, NULL);
    text(to, s, n);
    message_end(to, start);
}

void lbr_h5_numbers(lbr_h5 *to, const lbr_note *note)
{
    size_t n = 1, start;

    for (int64_t k = 0; k < note->rank; k++) {
        if (note->shape[k] < 1 || (size_t)note->shape[k] > LBR_H5_TEXT / sizeof(double) / n) return;
        n *= (size_t)note->shape[k];
    }
    start = attribute(to, note->name, note->whole ? 12 : 20, note->rank);
    if (note->whole) whole_type(to);
    else double_type(to);
    extents(to, note->rank, note->shape);
    for (size_t k = 0; k < n; k++) {
        int64_t x = note->whole ? (int64_t)note->value[k] : 0;

        bytes(to, note->whole ? (const void *)&x : note->value + k, 8);
    }
    message_end(to, start);
}

int lbr_h5_is_note(const unsigned char *at) { return *at == ATTRIBUTE; }

/* A list of texts. */
static void texts(lbr_h5 *to, const char *name, int64_t n, const char *const *item)
{
    size_t longest = 1, start;

    for (int64_t i = 0; i < n; i++) longest = strlen(item[i]) > longest ? strlen(item[i]) : longest;
    if (longest > LBR_H5_TEXT / (size_t)n) return;
    start = attribute(to, name, 8, 1);
    text_type(to, longest), extents(to, 1, &n);
    for (int64_t i = 0; i < n; i++) text(to, item[i], longest);
    message_end(to, start);
}

static void names(lbr_h5 *to, const lbr_field *field)
{
    const char *own = field->name;

    texts(to, "names", field->len, field->names ? field->names : &own);
    if (field->word) texts(to, "words", field->nwords, field->word);
}

/* --- datasets and the root group --------------------------------------------------------------------------------- */

void lbr_h5_dataset(lbr_h5 *to, const lbr_field *field, int64_t per, size_t *records, size_t *tree)
{
    size_t start;

    lbr_h5_begin(to);
    start = message(to, DATASPACE, 0);
    number(to, 2, 1), number(to, (uint64_t)field->rank + 1, 1), number(to, 1, 1), number(to, 1, 1);
    *records = to->n;
    number(to, 0, 8);
    for (int64_t i = 0; i < field->rank; i++) number(to, (uint64_t)field->shape[i], 8);
    number(to, UINT64_MAX, 8); /* any number of records */
    for (int64_t i = 0; i < field->rank; i++) number(to, (uint64_t)field->shape[i], 8);
    message_end(to, start);
    start = message(to, DATATYPE, CONSTANT), double_type(to), message_end(to, start);
    start = message(to, FILL, CONSTANT), number(to, 3, 1), number(to, 0x0b, 1),
    message_end(to, start); /* chunks one by one, the usual fill value */
    start = message(to, LAYOUT, 0);
    number(to, 3, 1), number(to, 2, 1), number(to, (uint64_t)field->rank + 2, 1);
    *tree = to->n;
    number(to, LBR_H5_NOWHERE, 8), number(to, (uint64_t)per, 4);
    for (int64_t i = 0; i < field->rank; i++) number(to, (uint64_t)field->shape[i], 4);
    number(to, sizeof(double), 4);
    message_end(to, start);
    names(to, field);
    lbr_h5_end(to);
}

void lbr_h5_group(lbr_h5 *to)
{
    size_t start = message(to, LINK_INFO, 0);

    number(to, 0, 2), number(to, LBR_H5_NOWHERE, 8), number(to, LBR_H5_NOWHERE, 8), message_end(to, start);
    start = message(to, GROUP_INFO, 0), number(to, 0, 2), message_end(to, start);
}

size_t lbr_h5_link(lbr_h5 *to, const char *name)
{
    size_t start = message(to, LINK, 0), n = strlen(name);

    number(to, 1, 1), number(to, 0x11, 1), number(to, 1, 1),
        number(to, n, 2); /* a name in UTF-8 whose length has two bytes */
    text(to, name, n);
    number(to, LBR_H5_NOWHERE, 8);
    message_end(to, start);
    return to->n - 8;
}

/* --- the B-tree over the chunks of a dataset --------------------------------------------------------------------- */

static const unsigned char tree_node[5] = "TREE\1";
enum { NODE_PREFIX = 24 };

static size_t key_size(int64_t rank) { return 8 + 8 * (size_t)(rank + 2); }

size_t lbr_h5_node_size(int64_t rank)
{
    return NODE_PREFIX + LBR_H5_CHILDREN * 8 + (LBR_H5_CHILDREN + 1) * key_size(rank);
}

/* Neighbours are not named: a node that is full stays where it is while the next one still moves. Readers come from
 * above. */
void lbr_h5_node(unsigned char *to, int64_t rank, int level, int64_t n, const uint64_t *child, uint64_t first,
                 uint64_t span, uint32_t chunk)
{
    unsigned char *at = to + NODE_PREFIX;

    memset(to, 0, lbr_h5_node_size(rank));
    memcpy(to, tree_node, sizeof tree_node);
    to[5] = (unsigned char)level;
    lbr_h5_number(to + 6, (uint64_t)n, 2);
    lbr_h5_number(to + 8, LBR_H5_NOWHERE, 8), lbr_h5_number(to + 16, LBR_H5_NOWHERE, 8);
    for (int64_t i = 0; i <= n; i++, at += key_size(rank) + 8) {
        lbr_h5_number(at, chunk, 4);
        lbr_h5_number(at + 8, first + (uint64_t)i * span, 8);
        if (i < n) lbr_h5_number(at + key_size(rank), child[i], 8);
    }
}

int64_t lbr_h5_node_count(const unsigned char *from, int level)
{
    int64_t n = (int64_t)lbr_h5_value(from + 6, 2);

    return memcmp(from, tree_node, sizeof tree_node) || from[5] != level || n > LBR_H5_CHILDREN ? 0 : n;
}

uint64_t lbr_h5_node_child(const unsigned char *from, int64_t rank, int64_t i)
{
    return lbr_h5_value(from + NODE_PREFIX + (size_t)i * (key_size(rank) + 8) + key_size(rank), 8);
}
