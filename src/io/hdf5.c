/* hdf5.c - records as datasets of an HDF5 file that a kill cannot spoil. SPDX-License-Identifier: BSD-3-Clause
 *
 * The HDF5 library changes a file in many places, in an order of its own: killed meanwhile, it leaves what cannot be
 * read, and in its mode for one writer and many readers a file that claims to be open. So the file is written here.
 * Numbers go to chunks that are never moved, at places that no reader looks at yet. What describes them (nodes of the
 * B-trees that are not full, headers of the datasets, the root group) exists three times and the copies are used in
 * turn. One write of the 48 bytes of the superblock makes a new copy the valid one: before it the file is the old one,
 * after it the new one. Copies are synced before; with three of them, none that the superblock on the disk may still
 * point to is ever overwritten, so this holds for a loss of power too. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "format.h"
#include "hdf5_code.h"

enum { COPIES = 3, LEVELS = 8, CHUNK = 4096, HEADER = 1 << 26 }; /* CHUNK: numbers in one, if a record has not more */

/* The open node of a level: its children that are complete, and where its copies are. */
typedef struct node {
    int64_t n;
    uint64_t at, child[LBR_H5_CHILDREN];
} node;

typedef struct column {
    int64_t rank, len, first, per; /* its place in a record; records in a chunk */
    uint64_t chunk, chunks;        /* where the open chunk is; how many there are */
    node level[LEVELS];
    unsigned char *header;
    size_t size, records, tree, link;
    uint64_t at;
} column;

typedef struct hdf5 {
    column *column;
    int64_t n;
    unsigned char *root;
    size_t size;
    uint64_t at;
    unsigned char *scratch;
    double *gathered;     /* a node; what one column takes of the records in memory */
    uint64_t end, length; /* what is given away; bytes the file has */
    int copy;
    int64_t put; /* records in chunks, committed or not */
} hdf5;

static lbr_status broken(lbr_stream *s, int error, lbr_message *message)
{
    return lbr_file_fail(message, "write", s->path, error), LBR_EIO;
}

/* --- the tree ---------------------------------------------------------------------------------------------------- */

static uint64_t take(hdf5 *h, size_t bytes)
{
    uint64_t at = h->end;

    h->end += (bytes + 7) / 8 * 8;
    return at;
}

static uint64_t copy_at(const hdf5 *h, uint64_t at, size_t size)
{
    return at + (uint64_t)h->copy * ((size + 7) / 8 * 8);
}
static uint64_t copies(hdf5 *h, size_t size) { return take(h, COPIES * ((size + 7) / 8 * 8)); }

static int write_at(lbr_stream *s, uint64_t at, const void *bytes, size_t n)
{
    hdf5 *h = s->own;

    if (at + n > h->length) h->length = at + n;
    return lbr_file_write(s->fd, bytes, n, (int64_t)at, NULL);
}

/* How many chunks a child of a node at this level covers. */
static uint64_t span(int level)
{
    uint64_t n = 1;

    while (level-- > 0) n *= LBR_H5_CHILDREN;
    return n;
}

/* Writes the node of a level with n children; its address. */
static uint64_t write_node(lbr_stream *s, column *c, int level, int64_t n, int *error)
{
    hdf5 *h = s->own;
    node *o = &c->level[level];
    size_t size = lbr_h5_node_size(c->rank);
    uint64_t covers = span(level + 1), at, per = (uint64_t)c->per;

    if (!o->at) o->at = copies(h, size);
    at = copy_at(h, o->at, size);
    lbr_h5_node(h->scratch, c->rank, level, n, o->child, (c->chunks - 1) / covers * covers * per, span(level) * per,
                (uint32_t)(c->per * c->len * 8));
    if (!*error) *error = write_at(s, at, h->scratch, size);
    return at;
}

/* A child that will not change any more. A node that becomes full will not either: it goes up, and the next one gets
 * other places. */
static void add(lbr_stream *s, column *c, int level, uint64_t child, int *error)
{
    node *o = &c->level[level];

    if (level + 1 == LEVELS && o->n + 1 == LBR_H5_CHILDREN) {
        *error = EFBIG;
        return;
    }
    o->child[o->n++] = child;
    if (o->n < LBR_H5_CHILDREN) return;
    child = write_node(s, c, level, o->n, error);
    o->n = 0, o->at = 0;
    add(s, c, level + 1, child, error);
}

/* The nodes that are not full, from the leaves up, each one the last child of the next; the address of the root. */
static uint64_t write_tree(lbr_stream *s, column *c, int *error)
{
    uint64_t below = LBR_H5_NOWHERE;
    int top = LEVELS - 1;

    while (top > 0 && !c->level[top].n) top--;
    for (int level = 0; level <= top; level++) {
        node *o = &c->level[level];
        int64_t n = o->n;

        if (below != LBR_H5_NOWHERE) o->child[n++] = below;
        if (n) below = write_node(s, c, level, n, error);
    }
    return below;
}

/* --- records ----------------------------------------------------------------------------------------------------- */

static int put_column(lbr_stream *s, column *c, const double *record, int64_t n)
{
    hdf5 *h = s->own;
    size_t bytes = (size_t)c->len * sizeof *record;
    int error = 0;

    for (int64_t i = 0; i < n; i++) memcpy(h->gathered + i * c->len, record + i * s->width + c->first, bytes);
    for (int64_t i = 0, m; i < n && !error; i += m) {
        int64_t pos = (h->put + i) % c->per;

        m = n - i < c->per - pos ? n - i : c->per - pos;
        if (!pos) c->chunk = take(h, (size_t)c->per * bytes), c->chunks++, add(s, c, 0, c->chunk, &error);
        if (!error) error = write_at(s, c->chunk + (uint64_t)pos * bytes, h->gathered + i * c->len, (size_t)m * bytes);
    }
    return error;
}

static lbr_status put(lbr_stream *s, const double *record, int64_t n, lbr_message *message)
{
    hdf5 *h = s->own;
    int error = 0;

    for (int64_t i = 0; i < h->n && !error; i++) error = put_column(s, &h->column[i], record, n);
    if (!error) h->put += n;
    return error ? broken(s, error, message) : LBR_OK;
}

/* One more copy of everything that describes the chunks. */
static int write_headers(lbr_stream *s)
{
    hdf5 *h = s->own;
    int error = 0;

    for (column *c = h->column; c < h->column + h->n && !error; c++) {
        uint64_t at = copy_at(h, c->at, c->size);

        lbr_h5_number(c->header + c->tree, write_tree(s, c, &error), 8);
        lbr_h5_number(c->header + c->records, (uint64_t)h->put, 8);
        lbr_h5_seal(c->header, c->size);
        lbr_h5_number(h->root + c->link, at, 8);
        if (!error) error = write_at(s, at, c->header, c->size);
    }
    lbr_h5_seal(h->root, h->size);
    return error ? error : write_at(s, copy_at(h, h->at, h->size), h->root, h->size);
}

/* With `ordered`, the copies are on the disk before the superblock. */
static lbr_status publish(lbr_stream *s, int ordered, int sync, lbr_message *message)
{
    hdf5 *h = s->own;
    unsigned char block[LBR_H5_SUPERBLOCK];
    int error = write_headers(s);

    if (!error && h->length < h->end && !ftruncate(s->fd, (off_t)h->end))
        h->length = h->end; /* readers refuse a file that is shorter than it says */
    if (!error && h->length < h->end) error = errno;
    if (!error && ordered && fdatasync(s->fd)) error = errno;
    lbr_h5_superblock(block, h->end, copy_at(h, h->at, h->size));
    if (!error) error = write_at(s, 0, block, sizeof block);
    if (error) return broken(s, error, message);
    h->copy = (h->copy + 1) % COPIES;
    s->records = h->put;
    return sync && fdatasync(s->fd) ? broken(s, errno, message) : LBR_OK;
}

static lbr_status commit(lbr_stream *s, int sync, lbr_message *message) { return publish(s, 1, sync, message); }

/* --- a new file -------------------------------------------------------------------------------------------------- */

static lbr_status unfit(const lbr_stream *s, const lbr_field *field, lbr_message *message)
{
    for (const lbr_field *f = field; f < field + s->nfields; f++) {
        if (!*f->name || !strcmp(f->name, ".") || strchr(f->name, '/') || strlen(f->name) > 1000)
            return lbr_fail(message, LBR_EARG, "cannot write %.300s: '%.100s' cannot be the name of a dataset in HDF5",
                            s->path, f->name);
        if (f->len > UINT32_MAX / 8)
            return lbr_fail(message, LBR_EARG, "cannot write %.300s: '%.100s' has too many components for HDF5",
                            s->path, f->name);
        for (const lbr_field *g = field; g < f; g++)
            if (!strcmp(f->name, g->name))
                return lbr_fail(message, LBR_EARG, "cannot write %.300s: two of its datasets would be called '%.100s'",
                                s->path, f->name);
    }
    return LBR_OK;
}

static int prepare_column(lbr_stream *s, column *c, const lbr_field *f)
{
    lbr_h5 count = { 0 };

    c->rank = f->rank, c->len = f->len, c->per = f->len < CHUNK ? CHUNK / f->len : 1;
    lbr_h5_dataset(&count, f, c->per, &c->records, &c->tree);
    if (!(c->header = lbr_arena_alloc(&s->arena, (int64_t)(c->size = count.n), 1))) return 0;
    lbr_h5_dataset(&(lbr_h5){ c->header, 0 }, f, c->per, &c->records, &c->tree);
    return 1;
}

/* Everything in memory but the root group. */
static lbr_status prepare(lbr_stream *s, const lbr_field *field, lbr_message *message)
{
    hdf5 *h = s->own = lbr_arena_alloc(&s->arena, 1, sizeof *h);
    lbr_status status = unfit(s, field, message);
    int64_t rank = 0, longest = 0, first = 0;

    if (status) return status;
    if (!h || !(h->column = lbr_arena_alloc(&s->arena, h->n = s->nfields, sizeof *h->column)))
        return lbr_fail(message, LBR_ENOMEM, "out of memory");
    for (int64_t i = 0; i < h->n; first += field[i++].len) {
        if (!prepare_column(s, &h->column[i], &field[i])) return lbr_fail(message, LBR_ENOMEM, "out of memory");
        h->column[i].first = first;
        rank = field[i].rank > rank ? field[i].rank : rank, longest = field[i].len > longest ? field[i].len : longest;
    }
    h->scratch = lbr_arena_alloc(&s->arena, (int64_t)lbr_h5_node_size(rank), 1);
    h->gathered = lbr_arena_alloc(&s->arena, s->room * longest, sizeof *h->gathered);
    h->end = LBR_H5_SUPERBLOCK;
    return h->scratch && h->gathered ? LBR_OK : lbr_fail(message, LBR_ENOMEM, "out of memory");
}

/* The root group up to the notes; again, notes included. */
static void links(lbr_h5 *to, hdf5 *h, const lbr_field *field)
{
    lbr_h5_begin(to);
    lbr_h5_group(to);
    for (int64_t i = 0; i < h->n; i++) h->column[i].link = lbr_h5_link(to, field[i].name);
}

static void root_group(lbr_h5 *to, hdf5 *h, const lbr_field *field, const lbr_note *note, int64_t nnotes)
{
    links(to, h, field);
    for (int64_t i = 0; i < nnotes; i++) {
        if (note[i].text) lbr_h5_note(to, note[i].name, note[i].text);
        else lbr_h5_numbers(to, note + i);
    }
    lbr_h5_end(to);
}

/* Places for the copies of all headers. */
static void settle(hdf5 *h)
{
    for (column *c = h->column; c < h->column + h->n; c++) c->at = copies(h, c->size);
    h->at = copies(h, h->size);
}

static lbr_status describe(lbr_stream *s, const lbr_field *field, const lbr_note *note, int64_t nnotes,
                           lbr_message *message)
{
    lbr_h5 count = { 0 };
    lbr_status status = prepare(s, field, message);
    hdf5 *h = s->own;

    if (status) return status;
    for (int64_t i = 0; i < nnotes; i++)
        if (strlen(note[i].name) > 1000 || (note[i].text && strlen(note[i].text) > LBR_H5_TEXT))
            return lbr_fail(message, LBR_EARG, "cannot write %.300s: the note '%.100s' is too long for HDF5", s->path,
                            note[i].name);
    root_group(&count, h, field, note, nnotes);
    h->size = count.n;
    if (!(h->root = lbr_arena_alloc(&s->arena, (int64_t)h->size, 1)))
        return lbr_fail(message, LBR_ENOMEM, "out of memory");
    root_group(&(lbr_h5){ h->root, 0 }, h, field, note, nnotes);
    settle(h);
    return LBR_OK;
}

/* A new file has nothing to lose, so nobody waits for the disk: from the first moments on it can be read. */
static lbr_status create(lbr_stream *s, lbr_message *message) { return publish(s, 0, 0, message); }

/* --- going on: what is in the file must be, byte for byte, what would have been written -------------------------- */

static const char no_memory[] = "out of memory", no_reading[] = "it could not be read";

static lbr_status refuse(lbr_stream *s, const char *why, lbr_message *message)
{
    return lbr_fail(message,
                    why == no_memory    ? LBR_ENOMEM
                    : why == no_reading ? LBR_EIO
                                        : LBR_EARG,
                    "cannot go on with %.300s: %s", s->path, why);
}

/* n bytes at an address of the file, which may be any number. NULL, or what is wrong. */
static const char *fetch(lbr_stream *s, uint64_t at, void *to, size_t n)
{
    const hdf5 *h = s->own;

    if (at > h->end || n > h->end - at) return "it is damaged: an address in it leads nowhere";
    return lbr_file_read(s->fd, to, n, (int64_t)at) ? no_reading : NULL;
}

/* The root group as it is in the file, if its links have the right names; their addresses into the columns. */
static const char *read_root(lbr_stream *s, const lbr_field *field, lbr_h5 *mine)
{
    hdf5 *h = s->own;
    unsigned char block[LBR_H5_SUPERBLOCK];
    uint64_t root;
    const char *why;

    h->length = h->end = (uint64_t)lseek(s->fd, 0, SEEK_END);
    if (fetch(s, 0, block, sizeof block) || !lbr_h5_superblock_read(block, &h->end, &root))
        return "it was not written by this program";
    if (h->end > h->length || h->end > INT64_MAX / 2) return "it is cut short";
    if ((why = fetch(s, root, block, LBR_H5_PREFIX))) return why;
    h->size = lbr_h5_header_size(block);
    if (h->size < mine->n + 4 || h->size > HEADER) return "its datasets are not those of this run";
    if (!(h->root = lbr_arena_alloc(&s->arena, (int64_t)h->size, 1))) return no_memory;
    if ((why = fetch(s, root, h->root, h->size))) return why;
    if (!lbr_h5_sealed(h->root, h->size)) return "it is damaged: a checksum does not match";
    lbr_h5_number(mine->at + 6, h->size - LBR_H5_PREFIX - 4, 4);
    for (column *c = h->column; c < h->column + h->n; c++)
        memcpy(mine->at + c->link, h->root + c->link, 8), c->at = lbr_h5_value(h->root + c->link, 8);
    return memcmp(mine->at, h->root, mine->n) || (h->size > mine->n + 4 && !lbr_h5_is_note(h->root + mine->n))
               ? "its datasets are not those of this run"
               : NULL;
}

/* Goes down from the root to what covers the chunk `chunk`: the complete children on the way are those of the open
 * nodes, and the chunk's address. */
static const char *read_tree(lbr_stream *s, column *c, uint64_t at, uint64_t chunk, int keep, uint64_t *found)
{
    hdf5 *h = s->own;
    unsigned char *b = h->scratch;
    int level = LEVELS;

    do {
        const char *why = fetch(s, at, b, lbr_h5_node_size(c->rank));
        uint64_t digit;
        int64_t n;

        if (why) return why;
        if (level == LEVELS) level = b[5] < LEVELS ? b[5] : LEVELS - 1;
        else level--;
        digit = chunk / span(level), chunk %= span(level);
        n = lbr_h5_node_count(b, level);
        if (digit >= LBR_H5_CHILDREN || (int64_t)digit + (!keep || chunk > 0) > n)
            return "it is damaged: an index in it is not whole";
        for (uint64_t i = 0; keep && i < digit; i++)
            c->level[level].child[c->level[level].n++] = lbr_h5_node_child(b, c->rank, (int64_t)i);
        if ((int64_t)digit < n) at = lbr_h5_node_child(b, c->rank, (int64_t)digit);
    } while (level > 0 && (!keep || chunk > 0));
    *found = at;
    return NULL;
}

static const char *read_column(lbr_stream *s, column *c, int64_t records, unsigned char *file)
{
    const hdf5 *h = s->own;
    uint64_t tree, chunks = (uint64_t)(records + c->per - 1) / (uint64_t)c->per, unused;
    const char *why = fetch(s, c->at, file, c->size);

    if (why) return why;
    memcpy(c->header + c->records, file + c->records, 8), memcpy(c->header + c->tree, file + c->tree, 8);
    lbr_h5_seal(c->header, c->size);
    if (memcmp(c->header, file, c->size)) return "a dataset in it is not that of this run";
    if (lbr_h5_value(file + c->records, 8) < (uint64_t)records) return "it has fewer records than are needed";
    tree = lbr_h5_value(file + c->tree, 8);
    if (chunks &&
        ((why = read_tree(s, c, tree, chunks, 1, &unused)) || (why = read_tree(s, c, tree, chunks - 1, 0, &c->chunk))))
        return why;
    c->chunks = chunks;
    if (chunks && (c->chunk > h->end || (uint64_t)(c->per * c->len) * 8 > h->end - c->chunk))
        return "it is damaged: an address in it leads nowhere";
    return NULL;
}

static lbr_status find(lbr_stream *s, const lbr_field *field, int64_t records, lbr_message *message)
{
    lbr_status status = prepare(s, field, message);
    hdf5 *h = s->own;
    lbr_h5 mine = { 0 };
    size_t largest = 0;
    const char *why;
    unsigned char *file;

    if (status) return status;
    links(&mine, h, field);
    for (int64_t i = 0; i < h->n; i++) largest = h->column[i].size > largest ? h->column[i].size : largest;
    file = lbr_arena_alloc(&s->arena, (int64_t)largest, 1);
    mine.at = lbr_arena_alloc(&s->arena, (int64_t)mine.n, 1);
    if (!file || !mine.at) return lbr_fail(message, LBR_ENOMEM, "out of memory");
    mine.n = 0, links(&mine, h, field);
    if ((why = read_root(s, field, &mine))) return refuse(s, why, message);
    for (int64_t i = 0; i < h->n; i++)
        if ((why = read_column(s, &h->column[i], records, file))) return refuse(s, why, message);
    h->end = (h->end + 7) / 8 * 8;
    h->put = records;
    settle(h);
    return LBR_OK;
}

static lbr_status cut(lbr_stream *s, lbr_message *message) { return commit(s, 1, message); }

const lbr_format lbr_format_hdf5 = { ".h5 .hdf5", 0, describe, find, create, cut, put, commit };
