/* checkpoint_file.c - checkpoint files, written as a whole and read as hostile input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "checkpoint_file.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "file.h"
#include "whole_file.h"

#define MAGIC "LIBRSAVE"
enum { FORMAT = 3, ORDER_MARK = 0x01020304, LONGEST = 1 << 20 };
static const size_t most = SIZE_MAX >> (sizeof(size_t) > 4 ? 31 : 1);

/* The texts, in the order of the file. */
/* clang-format off */
#define TEXTS(X) X(library) X(kernel) X(method) X(options) X(model) X(out) X(events)
/* clang-format on */
enum { NTEXTS = 7, OLD_TEXTS = 6 }; /* before format 3 there were no events */

typedef struct head {
    char magic[8];
    uint32_t format, order;
    uint64_t size, checksum, digest;
    double t0, h;
    int64_t steps, records, nextra;
    uint64_t nstate;
    uint32_t length[NTEXTS], zero;
    int64_t event_records;
} head;
_Static_assert(sizeof(head) == 128, "no holes");

static uint64_t checksum(const head *h)
{
    head copy = *h;

    copy.checksum = 0;
    return lbr_hash(lbr_hash(LBR_HASH, &copy, sizeof copy), h + 1, h->size - sizeof copy);
}

/* No byte that a terminal obeys. */
static int plain(const char *text, size_t n)
{
    for (const unsigned char *b = (const unsigned char *)text; n > 0; b++, n--)
        if (*b < 0x20 || *b == 0x7f) return 0;
    return 1;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* Takes the head's claims one by one against the bytes that are there. NULL, or what is wrong. */
static const char *unpack(const head *h, size_t size, lbr_saved *saved)
{
    const char **text[NTEXTS] = {
#define PLACE(name) &saved->name,
        TEXTS(PLACE)
    };
    const char *at = (const char *)(h + 1), *end = (const char *)h + size;
    int ntexts = h->format < 3 ? OLD_TEXTS : NTEXTS;

    saved->events = "";
    for (int i = 0; i < ntexts; i++) {
        size_t n = h->length[i];

        if (n > LONGEST || (size_t)(end - at) <= n) return "a text in it is longer than the file";
        if (at[n] || !plain(at, n)) return "a text in it has characters that do not belong there";
        *text[i] = at, at += n + 1;
    }
    for (; (at - (const char *)h) % 8; at++)
        if (at == end || *at) return "it is cut short";
    if (h->nextra < 0 || (uint64_t)h->nextra > (size_t)(end - at) / sizeof(double))
        return "it has fewer numbers than it says";
    saved->nextra = h->nextra, saved->extra = (const double *)at;
    at += (size_t)h->nextra * sizeof(double);
    if (h->nstate != (size_t)(end - at)) return "its state is not as long as it says";
    saved->nstate = (size_t)h->nstate, saved->state = at;
    if (h->steps < 0 || h->steps > INT64_C(1) << 53 || h->records < 0 || h->records > INT64_C(1) << 62 ||
        h->event_records < 0 || h->event_records > INT64_C(1) << 62)
        return "its counts are out of range";
    if (!isfinite(h->t0) || !isfinite(h->h) || h->h == 0) return "its time or step is not a finite number";
    saved->digest = h->digest, saved->t0 = h->t0, saved->h = h->h, saved->steps = h->steps, saved->records = h->records;
    saved->event_records = h->event_records;
    return h->zero || (h->format < 3 && (h->length[OLD_TEXTS] || h->event_records))
               ? "it has entries that are not known"
               : NULL;
}

/* bytes are aligned and stay. */
static const char *wrong(const void *bytes, size_t size, lbr_saved *saved)
{
    const head *h = bytes;

    if (size < sizeof h->magic || memcmp(bytes, MAGIC, sizeof h->magic)) return "it does not begin like one";
    if (size < sizeof *h) return "it is cut short";
    if (h->order != ORDER_MARK) return "it was written on a machine with another byte order";
    if (h->format < 1 || h->format > FORMAT) return "it was written by a later version";
    if (h->size != size) return "it is cut short or too long";
    if (h->checksum != checksum(h)) return "its checksum does not match: it is damaged";
    return unpack(h, size, saved);
}

static lbr_status refuse(lbr_message *message, const char *name, const char *why)
{
    return lbr_fail(message, LBR_ECHECKPOINT, "%.300s cannot be used as a checkpoint: %s", name, why);
}

static lbr_status no_memory(lbr_message *message) { return lbr_fail(message, LBR_ENOMEM, "out of memory"); }

static lbr_status taken(const char *name, void *bytes, size_t size, lbr_saved *saved, void **memory,
                        lbr_message *message)
{
    const char *why = wrong(bytes, size, saved);

    *memory = why ? NULL : bytes;
    if (!why) return LBR_OK;
    lbr_mem_free(bytes);
    memset(saved, 0, sizeof *saved);
    return refuse(message, name, why);
}

lbr_status lbr_saved_parse(const void *bytes, size_t size, lbr_saved *saved, void **memory, lbr_message *message)
{
    void *copy;

    memset(saved, 0, sizeof *saved), *memory = NULL;
    if (size > most) return refuse(message, "what was given", "it is too long");
    if (!(copy = lbr_mem_alloc(size))) return no_memory(message);
    if (size) memcpy(copy, bytes, size);
    return taken("what was given", copy, size, saved, memory, message);
}

lbr_status lbr_saved_read(const char *path, lbr_saved *saved, void **memory, lbr_message *message)
{
    char *bytes;
    size_t size;
    lbr_status status = lbr_whole_read(path, most, &bytes, &size, message);

    memset(saved, 0, sizeof *saved), *memory = NULL;
    return status ? status : taken(path, bytes, size, saved, memory, message);
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* Lengths and their sum into the head; LBR_EARG if it could not be read again. */
static lbr_status measure(head *h, const lbr_saved *s, const char *const *text, lbr_message *message)
{
    size_t n = sizeof *h;

    for (int i = 0; i < NTEXTS; i++) {
        size_t k = strlen(text[i]);

        if (k > LONGEST || !plain(text[i], k))
            return lbr_fail(message, LBR_EARG,
                            "a checkpoint cannot hold a text that is too long or has control characters");
        h->length[i] = (uint32_t)k, n += k + 1;
    }
    n = (n + 7) / 8 * 8;
    if (s->nextra < 0 || (uint64_t)s->nextra > (most - n) / sizeof(double))
        return lbr_fail(message, LBR_EARG, "a checkpoint cannot hold so many numbers");
    n += (size_t)s->nextra * sizeof(double);
    if (s->nstate > most - n) return lbr_fail(message, LBR_EARG, "a checkpoint cannot hold so large a state");
    h->size = n + s->nstate;
    return LBR_OK;
}

/* The file in memory: lbr_mem_free(*bytes). */
static lbr_status pack(const lbr_saved *s, void **bytes, size_t *size, lbr_message *message)
{
    const char *const text[NTEXTS] = {
#define VALUE(name) s->name ? s->name : "",
        TEXTS(VALUE)
    };
    head h = { .magic = MAGIC,
               .format = FORMAT,
               .order = ORDER_MARK,
               .digest = s->digest,
               .t0 = s->t0,
               .h = s->h,
               .steps = s->steps,
               .records = s->records,
               .event_records = s->event_records,
               .nextra = s->nextra,
               .nstate = s->nstate };
    lbr_status status = measure(&h, s, text, message);
    char *at;

    if (status) return status;
    if (!(*bytes = lbr_mem_alloc(*size = (size_t)h.size))) return no_memory(message);
    memcpy(*bytes, &h, sizeof h);
    at = (char *)*bytes + sizeof h;
    for (int i = 0; i < NTEXTS; i++) memcpy(at, text[i], h.length[i]), at += h.length[i] + 1;
    at += (8 - (at - (char *)*bytes) % 8) % 8;
    if (s->nextra) memcpy(at, s->extra, (size_t)s->nextra * sizeof(double));
    at += (size_t)s->nextra * sizeof(double);
    if (s->nstate) memcpy(at, s->state, s->nstate);
    ((head *)*bytes)->checksum = checksum(*bytes);
    return LBR_OK;
}

/* In what an old checkpoint is of another run; NULL: in nothing. */
static const char *differs(const lbr_saved *a, const lbr_saved *b)
{
    if (a->digest != b->digest) return "another model, other parameters or other data";
    if (strcmp(a->method, b->method ? b->method : "")) return "another method";
    if (strcmp(a->options, b->options ? b->options : "")) return "other options";
    return a->t0 != b->t0 || a->h != b->h ? "another start or step" : NULL;
}

/* Whether what is there may be replaced by what has got as far as `steps`. */
static lbr_status allowed(const char *path, const lbr_saved *saved, int64_t steps, lbr_message *message)
{
    lbr_message unread;
    lbr_saved old;
    void *memory;
    const char *why;
    lbr_status status = lbr_saved_read(path, &old, &memory, &unread);

    if (status == LBR_ENOMEM || status == LBR_EIO) return *message = unread, status;
    why = status ? "not a checkpoint of this run" : differs(&old, saved);
    lbr_mem_free(memory);
    if (!why && old.steps > steps)
        return lbr_fail(message, LBR_EARG,
                        "the checkpoint %.300s of this run, after %lld steps, is replaced by this one, which begins at "
                        "%lld; --resume would have gone on from it",
                        path, (long long)old.steps, (long long)steps);
    if (!why) return LBR_OK;
    return lbr_fail(message, LBR_EARG, "%.300s is there already and %s%s; nothing is overwritten without --force", path,
                    status ? "is " : "is a checkpoint with ", why);
}

/* A link or a folder is not a checkpoint, whatever is behind it. */
static int replaces(const char *path, int force) { return !force && lbr_file_kind(path) == LBR_FILE_REGULAR; }

lbr_status lbr_saved_check(const char *path, const lbr_saved *saved, int force, lbr_message *message)
{
    lbr_status status = replaces(path, force) ? allowed(path, saved, saved->steps, message) : LBR_OK;

    return status ? status : lbr_whole_check(path, force || replaces(path, force), message);
}

lbr_status lbr_saved_write(const char *path, const lbr_saved *saved, int force, lbr_message *message)
{
    void *bytes;
    size_t size;
    int replace = replaces(path, force);
    lbr_status status = replace ? allowed(path, saved, INT64_MAX, message) : LBR_OK;

    if (status || (status = pack(saved, &bytes, &size, message))) return status;
    status = lbr_whole_write(path, bytes, size, force || replace, message);
    lbr_mem_free(bytes);
    return status;
}
