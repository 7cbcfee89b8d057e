/* reproduce.c - one experiment: which of its claims, their runs, their verdicts, what breaks them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reproduce.h"
#include "reproduce_parts.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int no_memory(lbr_reproduction *r)
{
    r->failure = "out of memory";
    return (int)(r->code = LBR_EXIT_MACHINE);
}

static int fail(lbr_reproducer *p, int code, const char *text)
{
    if (!(p->out->failure = lbr_arena_text(&p->out->arena, text))) return no_memory(p->out);
    return (int)(p->out->code = code);
}

/* What a failed status means once the text has been read. */
static int refuse(lbr_reproducer *p, lbr_status status)
{
    if (status == LBR_STOPPED) return fail(p, LBR_EXIT_INTERRUPTED, "interrupted");
    return fail(p, lbr_exit_before(status), p->x.message);
}

static int open(lbr_reproducer *p, const lbr_experiment_text *what)
{
    lbr_overrides over = { .step = NAN,
                           .time = NAN,
                           .steps = -1,
                           .every = -1,
                           .native = p->how->compile ? lbr_execute_native : NULL,
                           .interrupt = p->how->interrupt };
    lbr_status status = what->path ? lbr_source_open(&p->source, what->path)
                                   : lbr_source_text(&p->source, what->id, what->text, what->size, NULL);

    if (status) return fail(p, lbr_exit_before(status), p->source.message);
    if ((status = lbr_experiment_open(&p->x, &p->source, &over)) || (status = lbr_judge_open(&p->j, &p->x)))
        return refuse(p, status);
    for (int i = 0; i < p->x.nruns; i++)
        if ((status = lbr_experiment_ready(&p->x, i))) return refuse(p, status);
    return LBR_EXIT_DONE;
}

/* --- which claims, which runs ------------------------------------------------------------------------------------ */

static int costs(lbr_reproducer *p)
{
    double *cost = lbr_arena_alloc(&p->out->arena, p->x.nruns + 1, sizeof *cost);

    p->cost = cost, p->wanted = lbr_arena_alloc(&p->out->arena, p->x.nruns + 1, 1);
    if (!p->cost || !p->wanted) return no_memory(p->out);
    for (int i = 0; i < p->x.nruns; i++) cost[i] = lbr_run_cost(&p->x.run[i].job);
    return LBR_EXIT_DONE;
}

/* Marks the runs that a claim needs, those from whose ends they go on included. */
static void mark(const lbr_reproducer *p, int64_t k, char *wanted)
{
    for (int i = p->x.nruns - 1; i >= 0; i--) {
        if (lbr_judge_speaks(p->j, k, i)) wanted[i] = 1;
        if (wanted[i] && p->x.run[i].from >= 0) wanted[p->x.run[i].from] = 1;
    }
}

/* Runs in extended precision are made for a claim that says so; what its measures need is not seen. */
static int speaks_of_rounding(const lbr_reproducer *p, int64_t k)
{
    const char *condition = p->out->claim[k].condition;

    return condition && (strstr(condition, "roundoff") || strstr(condition, "extended."));
}

static lbr_status claim_cost(lbr_reproducer *p, int64_t k, char *scratch, double *cost)
{
    lbr_status status = LBR_OK;

    *cost = 0;
    memset(scratch, 0, (size_t)p->x.nruns);
    mark(p, k, scratch);
    if (p->how->bite && lbr_judge_line(p->j, k)->statement->has_against) status = lbr_vary_cost(p->j, k, cost);
    for (int i = 0; i < p->x.nruns; i++)
        if (scratch[i]) *cost += p->cost[i];
    if (speaks_of_rounding(p, k)) *cost *= LBR_COST_EXTENDED;
    return status;
}

/* What a run takes that nobody else wants, with the runs from whose ends it goes on. */
static double alone(const lbr_reproducer *p, int i)
{
    double cost = 0;

    for (; i >= 0 && !p->wanted[i]; i = p->x.run[i].from) cost += p->cost[i];
    return cost;
}

/* Runs that only tables and pictures of the report need: together they may take as much as one claim. */
static void draw_cheap(lbr_reproducer *p, double most)
{
    double left = most, cost;

    for (int i = 0; i < p->x.nruns; i++) {
        if (p->wanted[i] || !((cost = alone(p, i)) <= left)) continue;
        left -= cost;
        for (int k = i; k >= 0 && !p->wanted[k]; k = p->x.run[k].from) p->wanted[k] = 1;
    }
}

/* Those that are cheap enough; at least the cheapest. */
static int choose(lbr_reproducer *p)
{
    lbr_reproduction *out = p->out;
    double most = p->how->most > 0 ? p->how->most : LBR_QUICK_MOST;
    char *scratch = lbr_arena_alloc(&out->arena, p->x.nruns + 1, 1);
    int64_t cheapest = 0, kept = 0;
    lbr_status status;

    if (!scratch) return no_memory(out);
    for (int64_t k = 0; k < out->nclaims; k++) {
        lbr_claim_told *c = out->claim + k;

        if ((status = claim_cost(p, k, scratch, &c->evaluations))) return refuse(p, status);
        c->judged = !p->how->quick || !(c->evaluations > most);
        kept += c->judged;
        if (c->evaluations < out->claim[cheapest].evaluations) cheapest = k;
    }
    if (out->nclaims && !kept) out->claim[cheapest].judged = 1, kept = 1;
    out->skipped = out->nclaims - kept;
    for (int i = 0; i < p->x.nruns; i++) p->wanted[i] = !p->how->quick;
    for (int64_t k = 0; k < out->nclaims; k++)
        if (out->claim[k].judged) mark(p, k, p->wanted);
    if (p->how->folder) draw_cheap(p, most);
    return LBR_EXIT_DONE;
}

/* --- runs and verdicts ------------------------------------------------------------------------------------------- */

static int all_runs(lbr_reproducer *p)
{
    for (int i = 0; i < p->x.nruns; i++) {
        const lbr_trial *r = p->x.run + i;
        char text[LBR_MESSAGE + 300];
        int code;

        if (!p->wanted[i] || !(code = lbr_reproduce_run(&p->x, p->j, i, p->how))) continue;
        snprintf(text, sizeof text, "%.200s%s%.500s", r->label ? r->label : "", r->label ? ": " : "",
                 r->done ? r->result.text : p->x.message);
        if (code != LBR_EXIT_NUMERICS) return fail(p, code, text);
        if (!lbr_judge_excuses(p->j, i) && !p->out->failure) fail(p, code, text); /* the others are made all the same */
    }
    return LBR_EXIT_DONE;
}

/* Values outlive the judgement. */
static int keep(lbr_reproduction *out, lbr_told *told, const lbr_verdict *v)
{
    double *value = lbr_arena_alloc(&out->arena, v->n + 1, sizeof *value);

    if (!value) return 0;
    if (v->n) memcpy(value, v->value, (size_t)v->n * sizeof *value);
    *told = (lbr_told){ v->n, value, v->list };
    return 1;
}

static void worse(lbr_reproduction *out, int code)
{
    if (out->code < code) out->code = code;
}

static int bite(lbr_reproducer *p, int64_t k)
{
    lbr_claim_told *c = p->out->claim + k;
    lbr_status status;
    lbr_bite b;

    if (!c->against) {
        if (p->strict) c->why = "nothing is named that must break it", worse(p->out, LBR_EXIT_CLAIM);
        return LBR_EXIT_DONE;
    }
    if ((status = lbr_vary_bite(p->j, k, p->how, &b)))
        return status == LBR_STOPPED ? fail(p, LBR_EXIT_INTERRUPTED, "interrupted")
                                     : fail(p, LBR_EXIT_MACHINE, b.message.text);
    c->bites = b.bites == 1, c->unknown = b.bites == 0 && b.verdict.unknown;
    if (!c->bites) worse(p->out, LBR_EXIT_CLAIM);
    if (!keep(p->out, &c->broken, &b.verdict)) return no_memory(p->out);
    if (*b.message.text && !(c->why = lbr_arena_text(&p->out->arena, b.message.text))) return no_memory(p->out);
    return LBR_EXIT_DONE;
}

static int judge(lbr_reproducer *p, int64_t k)
{
    lbr_claim_told *c = p->out->claim + k;
    lbr_verdict v;
    lbr_status status;

    if ((status = lbr_judge_claim(p->j, k, &v))) return refuse(p, status);
    c->holds = v.holds;
    if (!keep(p->out, &c->value, &v) || (v.note && !(c->note = lbr_arena_text(&p->out->arena, v.note))))
        return no_memory(p->out);
    if (!c->holds) worse(p->out, LBR_EXIT_CLAIM);
    return c->holds && p->how->bite ? bite(p, k) : LBR_EXIT_DONE;
}

static int all_claims(lbr_reproducer *p)
{
    int code = LBR_EXIT_DONE;

    for (int64_t k = 0; k < p->out->nclaims && !code; k++) {
        if (p->how->interrupt && *p->how->interrupt) return fail(p, LBR_EXIT_INTERRUPTED, "interrupted");
        if (p->out->claim[k].judged) code = judge(p, k);
    }
    return code;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int everything(lbr_reproducer *p, const lbr_experiment_text *what)
{
    int code;

    if ((code = open(p, what)) || (code = costs(p)) || (code = lbr_reproduce_names(p)) || (code = choose(p)) ||
        (code = all_runs(p)))
        return code;
    if ((code = all_claims(p)) == LBR_EXIT_INTERRUPTED || code == LBR_EXIT_MACHINE) return code;
    return p->how->folder ? lbr_reproduce_show(p) : code;
}

int lbr_reproduce(lbr_reproduction *r, const lbr_experiment_text *what, const lbr_reproducing *how)
{
    lbr_reproducer p = { .how = how, .out = r, .strict = !what->path };
    double began = lbr_seconds();

    *r = (lbr_reproduction){ 0 };
    if (!(r->id = lbr_arena_text(&r->arena, what->id))) no_memory(r);
    else {
        if (everything(&p, what) == LBR_EXIT_MACHINE && !r->failure) no_memory(r);
        r->title = lbr_arena_text(&r->arena, p.source.title ? p.source.title : what->id);
        r->source = lbr_arena_text(&r->arena, p.source.origin ? p.source.origin : "");
    }
    lbr_judge_free(p.j);
    lbr_experiment_free(&p.x);
    lbr_source_free(&p.source);
    r->seconds = lbr_seconds() - began;
    return (int)r->code;
}

void lbr_reproduction_free(lbr_reproduction *r)
{
    lbr_arena_free(&r->arena);
    *r = (lbr_reproduction){ 0 };
}
