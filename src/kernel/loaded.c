/* loaded.c - the kernels that this process has already. SPDX-License-Identifier: BSD-3-Clause
 *
 * The one table of the tool that is not in anybody's block: loaded objects belong to the process, not to a model or a
 * plan, and the same kernel is asked for by every run of a sweep. That one could not be compiled is remembered as well:
 * a compiler that hangs costs its minute once, whatever it is asked for. */
#define _DEFAULT_SOURCE /* pthread.h */
#include "loaded.h"
#include "folder.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = LBR_LOADED_PLACES };
enum { FREE, BUSY, BESIDE, SETTLED };

static struct lbr_loaded {
    lbr_digest request;
    int state, judged;
    lbr_status status;
    void *symbol, *job;
    double seconds;
    char sentence[LBR_MESSAGE];
} table[PLACES];
static struct {
    char compiler[LBR_PATH];
    lbr_message sentence;
} late; /* the last one; "": none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t settled = PTHREAD_COND_INITIALIZER;

/* Where it is, or the first free place; NULL: neither. */
static struct lbr_loaded *place_of(const lbr_digest *request)
{
    struct lbr_loaded *vacant = NULL;
    unsigned first = (unsigned)request->byte[0] << 8 | request->byte[1]; /* as good as random */

    for (unsigned k = 0; k < PLACES; k++) {
        struct lbr_loaded *p = &table[(first + k) % PLACES];

        if (p->state != FREE && !memcmp(&p->request, request, sizeof *request)) return p;
        if (p->state == FREE && !vacant) vacant = p;
    }
    return vacant;
}

struct lbr_loaded *lbr_loaded_ask(const lbr_digest *request, int *known, lbr_object *object, lbr_status *status)
{
    struct lbr_loaded *p;

    pthread_mutex_lock(&lock);
    while ((p = place_of(request)) && p->state == BUSY) pthread_cond_wait(&settled, &lock);
    *known = !p ? 0 : p->state == SETTLED ? LBR_LOADED_KNOWN : p->state == BESIDE ? LBR_LOADED_BESIDE : 0;
    if (*known == LBR_LOADED_KNOWN) {
        object->symbol = p->symbol, object->cached = p->symbol != NULL, object->judged = p->judged, *status = p->status;
        object->seconds = p->seconds, p->seconds = 0; /* whoever asks first hears what it has cost */
        snprintf(object->message.text, sizeof object->message.text, "%s", p->sentence);
        if (!p->status) p->sentence[0] = 0;
    } else if (p && !*known) p->state = BUSY, p->request = *request, p->judged = 0, p->seconds = 0;
    pthread_mutex_unlock(&lock);
    return p;
}

/* What the user or the disk did may be otherwise next time. */
void lbr_loaded_settle(struct lbr_loaded *p, const lbr_object *object, lbr_status status)
{
    int told = 1;

    if (!p) return;
    pthread_mutex_lock(&lock);
    if (p->state == BESIDE) p->seconds = object->seconds, told = 0;
    p->state = status == LBR_OK || status == LBR_EARG ? SETTLED : FREE;
    p->status = status, p->symbol = object->symbol, p->job = NULL;
    snprintf(p->sentence, sizeof p->sentence, "%s", status || !told ? object->message.text : "");
    pthread_cond_broadcast(&settled);
    pthread_mutex_unlock(&lock);
}

void lbr_loaded_beside(struct lbr_loaded *p, void *job)
{
    pthread_mutex_lock(&lock);
    p->state = BESIDE, p->job = job;
    pthread_cond_broadcast(&settled);
    pthread_mutex_unlock(&lock);
}

void *lbr_loaded_job(int i, struct lbr_loaded **place)
{
    void *job;

    pthread_mutex_lock(&lock);
    *place = &table[i], job = table[i].state == BESIDE ? table[i].job : NULL;
    pthread_mutex_unlock(&lock);
    return job;
}

void lbr_loaded_judge(const void *symbol, int judged)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PLACES; i++)
        if (table[i].state == SETTLED && table[i].symbol == symbol) table[i].judged = judged;
    pthread_mutex_unlock(&lock);
}

void lbr_loaded_late(const char *compiler, const lbr_message *sentence)
{
    pthread_mutex_lock(&lock);
    snprintf(late.compiler, sizeof late.compiler, "%s", compiler);
    late.sentence = *sentence;
    pthread_mutex_unlock(&lock);
}

int lbr_loaded_was_late(const char *compiler, lbr_message *sentence)
{
    int was;

    pthread_mutex_lock(&lock);
    was = !strcmp(late.compiler, compiler);
    if (was) *sentence = late.sentence;
    pthread_mutex_unlock(&lock);
    return was;
}
