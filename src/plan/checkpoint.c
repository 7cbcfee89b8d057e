/* checkpoint.c - a state as bytes, and back. The bytes are parsed as hostile input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "plan_inside.h"

#include <string.h>

#define MAGIC "LIBRSTAT"
enum { FORMAT = 2, ORDER_MARK = 0x01020304 };

static uint64_t checksum(const lbr_head *head, size_t size)
{
    lbr_head h = *head;

    h.checksum = 0;
    return lbr_hash(lbr_hash(LBR_HASH, &h, sizeof h), head + 1, size - sizeof h);
}

const void *lbr_state_bytes(lbr_state *s, size_t *size)
{
    lbr_head *head;

    if (!s || !size) return NULL;
    if (!s->started)
        return lbr_fail(&s->work.message, LBR_ENOTSTARTED, "there is nothing to save: the state has not been started"),
               NULL;
    head = s->work.head;
    memcpy(head->magic, MAGIC, sizeof head->magic);
    head->format = FORMAT, head->order = ORDER_MARK;
    head->size = *size = lbr_saved_bytes(s->plan);
    head->plan = s->plan->digest, head->name = s->plan->name;
    strncpy(head->version, lbr_version(), sizeof head->version - 1);
    head->checksum = checksum(head, *size);
    return head;
}

/* What can be wrong with a header that is whole. NULL: nothing. */
static const char *nonsense(const lbr_head *h, const double *v, int64_t n)
{
    const int64_t *count = &h->stats.force;

    if (h->n < 0 || h->n > INT64_C(1) << 53) return "its step count is out of range";
    if (h->primed < 0 || h->primed > 1 || (h->n > 0) != h->primed) return "its flags contradict each other";
    if (h->newton < 0 || h->newton > 2 || h->matrix < 0 || h->matrix > INT64_C(1) << 40)
        return "its flags are out of range";
    if (!isfinite(h->t0) || !isfinite(h->h) || h->h == 0 || !isfinite(h->matrix_t) || !isfinite(lbr_time(h, h->n)))
        return "its time or step is not a finite number";
    for (size_t i = 0; i < sizeof h->stats / sizeof *count; i++)
        if (count[i] < 0 || count[i] > INT64_C(1) << 62) return "its counts are out of range";
    return lbr_bound_nonfinite(n, v) < 0 ? NULL : "a value in it is not finite";
}

static lbr_status refuse(lbr_state *s, const char *why)
{
    return lbr_fail(&s->work.message, LBR_ECHECKPOINT, "the checkpoint cannot be used: %s", why);
}

/* How many doubles the bytes lack at their end, because they were saved when states were shorter: 0 is what belongs
 * there. -1: they are of another plan. */
static int64_t lacking(const lbr_plan *p, const lbr_head *h, int named)
{
    if (h->plan == lbr_plan_digest(p, named, 0)) return 0;
    return p->setup.grown > 0 && h->plan == lbr_plan_digest(p, named, 1) ? p->setup.grown : -1;
}

/* The first format had no digest of the system's name in its head, but the name in that of the plan. Its bytes as one
 * of today's, in the place of a trajectory; NULL: that is done. */
static const char *first_format(const lbr_state *s, const void *bytes, size_t size, lbr_head *h)
{
    const size_t before = offsetof(lbr_head, name), added = sizeof h->name;
    const int64_t lack = lacking(s->plan, h, 1);
    const size_t need = lbr_saved_bytes(s->plan) - (size_t)(lack > 0 ? lack : 0) * sizeof(double);
    const char *rest = (const char *)bytes + before;
    uint64_t sum;

    if (lack < 0) return "it belongs to another method, system, layout or set of options";
    if (size != need - added || h->size != size) return "it is cut short or too long";
    sum = h->checksum, h->checksum = 0;
    if (sum != lbr_hash(lbr_hash(LBR_HASH, h, before), rest, size - before))
        return "its checksum does not match: it is damaged";
    memcpy((char *)h + before + added, rest, size - before);
    memset((char *)h + need, 0, lbr_saved_bytes(s->plan) - need);
    h->name = s->plan->name;
    return NULL;
}

/* Those of today. */
static const char *this_format(const lbr_state *s, const void *bytes, size_t size, int renamed, lbr_head *h)
{
    const int64_t lack = lacking(s->plan, h, 0);
    const size_t need = lbr_saved_bytes(s->plan) - (size_t)(lack > 0 ? lack : 0) * sizeof(double);

    if (lack < 0 || (!renamed && h->name != s->plan->name))
        return "it belongs to another method, system, layout or set of options";
    if (size != need || h->size != need) return "it is cut short or too long";
    memcpy(h, bytes, need);
    memset((char *)h + need, 0, lbr_saved_bytes(s->plan) - need);
    return h->checksum == checksum(h, need) ? NULL : "its checksum does not match: it is damaged";
}

static lbr_status restore(lbr_state *s, const void *bytes, size_t size, int renamed)
{
    lbr_head *h;
    const char *why;

    if (!s) return LBR_EARG;
    if (!bytes) return refuse(s, "there are no bytes");
    if (size < 8 || memcmp(bytes, MAGIC, 8)) return refuse(s, "it does not begin like one");
    if (size < sizeof *h) return refuse(s, "it is cut short or too long");
    h = s->backup; /* looked at there, and taken over only if all is well */
    memcpy(h, bytes, sizeof *h);
    if (h->order != ORDER_MARK) return refuse(s, "it was written on a machine with another byte order");
    if (h->format < 1 || h->format > FORMAT) return refuse(s, "it was written by a later version");
    why = h->format == 1 ? first_format(s, bytes, size, h) : this_format(s, bytes, size, renamed, h);
    if (why || (why = nonsense(h, (const double *)(h + 1), s->plan->setup.nstate))) return refuse(s, why);
    memcpy(s->work.head, h, lbr_saved_bytes(s->plan));
    s->work.matrix_ready = 0, s->failed = 0, s->work.first_off = NAN;
    s->started = 1, s->looked = h->n > 0;
    s->work.message.text[0] = 0;
    return LBR_OK;
}

lbr_status lbr_state_restore(lbr_state *s, const void *bytes, size_t size) { return restore(s, bytes, size, 0); }
lbr_status lbr_state_restore_renamed(lbr_state *s, const void *bytes, size_t size)
{
    return restore(s, bytes, size, 1);
}
