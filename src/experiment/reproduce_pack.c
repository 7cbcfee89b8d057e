/* reproduce_pack.c - a reproduced experiment as bytes: from the process that made it to the one that tells.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One description serves both directions. Both ends are the same program on the same machine; what is not whole (a
 * process that was killed) is noticed: counts are checked, and a mark stands at the end. */
#include "reproduce.h"

#include <string.h>

typedef struct pack {
    FILE *f;
    int reading, bad;
    lbr_arena *arena;
} pack;

enum { MOST = 1 << 28 };
static const int64_t mark_of_the_end = INT64_C(0x6c6272656e640a01);

static void bytes(pack *p, void *v, size_t n)
{
    if (!p->bad && n) p->bad = p->reading ? fread(v, 1, n, p->f) != n : fwrite(v, 1, n, p->f) != n;
}

static void count(pack *p, int64_t *n) { bytes(p, n, sizeof *n); }
static void number(pack *p, double *x) { bytes(p, x, sizeof *x); }

/* Room for n things; when writing, what is there. */
static void *room(pack *p, void *there, int64_t *n, size_t size)
{
    count(p, n);
    if (p->bad || *n < 0 || *n > MOST) return p->bad = 1, *n = 0, NULL;
    if (p->reading && !(there = lbr_arena_alloc(p->arena, *n + 1, size))) p->bad = 1, *n = 0;
    return there;
}

static void text(pack *p, const char **s)
{
    int64_t n = !p->reading && *s ? (int64_t)strlen(*s) + 1 : 0;
    char *t = room(p, (char *)*s, &n, 1);

    bytes(p, t, (size_t)n);
    if (p->reading) *s = n && !p->bad ? t : NULL;
}

static void told(pack *p, lbr_told *v)
{
    double *value = room(p, (double *)v->value, &v->n, sizeof *value);

    bytes(p, value, (size_t)v->n * sizeof *value);
    v->value = value;
    count(p, &v->list);
}

static void claim(pack *p, lbr_claim_told *c)
{
    text(p, &c->text), text(p, &c->condition), text(p, &c->against), text(p, &c->note), text(p, &c->why);
    count(p, &c->judged), count(p, &c->holds), count(p, &c->bites), count(p, &c->unknown), count(p, &c->family);
    number(p, &c->evaluations);
    told(p, &c->value), told(p, &c->broken);
}

static void run(pack *p, lbr_run_told *r)
{
    text(p, &r->name), text(p, &r->method), text(p, &r->failure), text(p, &r->kernel);
    count(p, &r->made), count(p, &r->steps), count(p, &r->evaluations), count(p, &r->has_energy);
    number(p, &r->step), number(p, &r->energy_error), number(p, &r->seconds);
}

static void plot(pack *p, lbr_plot_told *t)
{
    text(p, &t->name), text(p, &t->title), text(p, &t->svg), text(p, &t->why);
}
static void param(pack *p, lbr_param_told *t) { text(p, &t->name), told(p, &t->value); }

static int everything(pack *p, lbr_reproduction *r)
{
    int64_t end = mark_of_the_end;

    text(p, &r->id), text(p, &r->title), text(p, &r->source), text(p, &r->failure), text(p, &r->tables),
        text(p, &r->text);
    count(p, &r->code), count(p, &r->skipped), number(p, &r->seconds);
    r->claim = room(p, r->claim, &r->nclaims, sizeof *r->claim);
    for (int64_t k = 0; k < r->nclaims && !p->bad; k++) claim(p, r->claim + k);
    r->run = room(p, r->run, &r->nruns, sizeof *r->run);
    for (int64_t k = 0; k < r->nruns && !p->bad; k++) run(p, r->run + k);
    r->plot = room(p, r->plot, &r->nplots, sizeof *r->plot);
    for (int64_t k = 0; k < r->nplots && !p->bad; k++) plot(p, r->plot + k);
    r->param = room(p, r->param, &r->nparams, sizeof *r->param);
    for (int64_t k = 0; k < r->nparams && !p->bad; k++) param(p, r->param + k);
    count(p, &end);
    return !p->bad && end == mark_of_the_end;
}

int lbr_reproduction_write(const lbr_reproduction *r, FILE *f)
{
    pack p = { .f = f };
    lbr_reproduction copy = *r;

    return everything(&p, &copy) && !fflush(f);
}

int lbr_reproduction_read(lbr_reproduction *r, FILE *f)
{
    pack p = { .f = f, .reading = 1, .arena = &r->arena };

    *r = (lbr_reproduction){ 0 };
    return everything(&p, r) && r->id && r->title && r->source;
}
