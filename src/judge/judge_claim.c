/* judge_claim.c - claims: read before the runs, judged after them. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- which there are --------------------------------------------------------------------------------------------- */

static const char *text_of(lbr_judgement *j, const lbr_claim *c)
{
    const lbr_statement *st = c->line->statement;
    const char *text = st->text ? st->text : st->source;
    const char *name = c->nindex ? lbr_arena_component(&j->arena, st->target.name, c->nindex, c->index) : NULL;

    return !c->nindex ? text : name ? lbr_arena_format(&j->arena, "%s: %s", name, text) : NULL;
}

static int add(lbr_judgement *j, const lbr_claim *c)
{
    if (j->nclaims == LBR_MOST_CLAIMS)
        return lbr_lower_fail(&j->x->base->lo, c->line->statement->place,
                              "more than %d claims in a file, which is the limit", LBR_MOST_CLAIMS),
               0;
    if (!LBR_ROOM(&j->arena, j->claim, j->nclaims, j->most_claims, 1)) return j->no_memory = 1, 0;
    j->claim[j->nclaims] = *c;
    return (j->claim[j->nclaims++].text = text_of(j, c)) || (j->no_memory = 1, 0);
}

static int members(lbr_judgement *j, lbr_claim *c, int k)
{
    lbr_lower *lo = &j->x->base->lo;
    const lbr_target *t = &c->line->statement->target;
    int64_t from, to;
    int good = 1;

    if (k == t->n) return add(j, c);
    if (t->index[k]->kind != LBR_NODE_BINDER || k >= LBR_RANK)
        return lbr_lower_fail(lo, t->index[k]->first, "expected a range here, as in %.40s[k = 1..4]", t->name), 0;
    if (!lbr_lower_integer(lo, t->index[k]->arg[0], "the beginning of a range", -1000000000, 1000000000, &from))
        return 0;
    if (!lbr_lower_integer(lo, t->index[k]->arg[1], "the end of a range", -1000000000, 1000000000, &to)) return 0;
    for (int64_t i = from; i <= to && good; i++) {
        c->index[k] = i, c->nindex = k + 1;
        if (!lbr_local_push(lo, t->index[k]->text, lbr_value_number(lo, (double)i), 1)) return 0;
        good = members(j, c, k + 1);
        lbr_local_pop(lo, 1);
    }
    return good;
}

/* --- one of them ------------------------------------------------------------------------------------------------- */

static void bind(lbr_frame *f, const lbr_claim *c)
{
    for (int k = 0; k < c->nindex; k++)
        lbr_local_push(f->lo, c->line->statement->target.index[k]->text, lbr_value_number(f->lo, (double)c->index[k]),
                       1);
}

/* The left side, or what stands in the middle: of a list all members. A series of samples is too much to tell. */
static int told(lbr_judgement *j, lbr_verdict *v, const lbr_trace *side)
{
    double *value;

    if (!side || side->sampled) return 1;
    if (!(value = lbr_arena_alloc(&j->arena, side->members, sizeof *value))) return 0;
    for (int64_t m = 0; m < side->members; m++) value[m] = side->strand[m].missing ? NAN : side->strand[m].data[0];
    v->n = side->members, v->value = value, v->list = side->listed;
    return 1;
}

void lbr_judge_range(int64_t n, const double *value, double range[2])
{
    range[0] = range[1] = NAN;
    for (int64_t k = 0; k < n; k++) range[0] = fmin(range[0], value[k]), range[1] = fmax(range[1], value[k]);
}

static int member_holds(const lbr_trace *s, int64_t m)
{
    for (int64_t i = 0; i < s->strand[m].n; i++)
        if (s->strand[m].data[i * s->strand[m].stride] == 0) return 0;
    return 1;
}

/* The name of member m of a list over n runs that the claim mentions; NULL: it mentions none that are so many. */
static const char *member_name(const lbr_judgement *j, const lbr_claim *c, int64_t n, int64_t m)
{
    for (int k = 0; k < c->nruns; k++)
        if (c->run[k].listed && c->run[k].count == n) return j->x->run[c->run[k].first + m].label;
    return NULL;
}

/* Of a claim about a sweep that does not hold: the first member that breaks it, with its number, and how many more
 * there are. A run that has failed has been told already. */
static void tell_member(lbr_judgement *j, const lbr_claim *c, const lbr_verdict *v, const lbr_trace *s)
{
    int64_t n = s->listed ? s->members : 0, first = -1, others = -1;
    const char *name = NULL;
    char number[40] = "", more[40] = "";

    for (int64_t m = n - 1; m >= 0; m--)
        if (!member_holds(s, m)) first = m, others++;
    if (first < 0 || j->note.text[0] || !(name = member_name(j, c, n, first))) return;
    if (v->list && v->n == n)
        snprintf(number, sizeof number, isnan(v->value[first]) ? ", which has no value" : ": %.6g", v->value[first]);
    if (others > 0) snprintf(more, sizeof more, ", and %lld more", (long long)others);
    lbr_fail(&j->note, LBR_OK, "not so for %.100s%s%s", name, number, more);
}

/* What is unknown does not hold, for a reason. */
static void decide(lbr_judgement *j, lbr_verdict *v, double truth)
{
    v->holds = truth > 0, v->unknown = isnan(truth);
    if (v->unknown && !j->note.text[0])
        lbr_fail(&j->note, LBR_OK, "%s", j->doubt.text[0] ? j->doubt.text : "there is nothing to compare");
}

/* What is told of it; 0: no memory. */
static int conclude(lbr_judgement *j, const lbr_claim *c, lbr_verdict *v, const lbr_trace *s, const lbr_trace *side)
{
    decide(j, v, lbr_trace_truth(s));
    if (!told(j, v, side)) return 0;
    if (!v->holds) tell_member(j, c, v, s);
    return !j->note.text[0] || (v->note = lbr_arena_text(&j->arena, j->note.text)) != NULL;
}
/* Its value now; while dry, its shapes, and the settings against it. The verdict may be NULL then. */
static int judge(lbr_judgement *j, const lbr_claim *c, lbr_verdict *v)
{
    const lbr_node *node = c->line->statement->value;
    const lbr_trace *s, *side = NULL;
    lbr_arena scratch = { 0 };
    lbr_frame f;
    int good;

    j->scratch = &scratch, j->note.text[0] = j->doubt.text[0] = 0, j->mention.n = 0;
    lbr_frame_open(&f, j, j->x->named ? -1 : 0, c->line->file, c->known);
    bind(&f, c);
    s = node->kind == LBR_NODE_COMPARE ? lbr_frame_compare(&f, node, &side) : lbr_frame_truth(&f, node);
    if (s && f.run >= 0 && j->dry)
        j->seen[f.run].needed |= s->stored, lbr_judge_mention(&f, &(lbr_runs){ 0, 1, 0, 0 }, 0);
    if (s && j->dry && !f.lo->at.failed) lbr_against_check(&f, c);
    if (s && v && !conclude(j, c, v, s, side)) lbr_frame_no_memory(&f);
    good = lbr_frame_close(&f) && s;
    j->scratch = NULL;
    lbr_arena_free(&scratch);
    return good;
}

/* The runs that claim number c (from 1) mentions, and how. */
static int count_mentions(lbr_judgement *j, int c)
{
    lbr_claim *claim = j->claim + c - 1;

    for (int k = 0; k < j->mention.n; k++)
        for (int i = 0; i < j->mention.run[k].count && j->mention.failed[k]; i++)
            j->seen[j->mention.run[k].first + i].last_failed = c;
    for (int k = 0; k < j->mention.n; k++)
        for (int i = 0; i < j->mention.run[k].count; i++) {
            lbr_seen *s = j->seen + j->mention.run[k].first + i;

            if (s->last == c) continue;
            s->last = c, s->mentioned++, s->excused += s->last_failed == c;
        }
    if (!(claim->run = lbr_arena_alloc(&j->arena, j->mention.n, sizeof *claim->run))) return j->no_memory = 1, 0;
    if (j->mention.n) memcpy(claim->run, j->mention.run, (size_t)j->mention.n * sizeof *claim->run);
    claim->nruns = j->mention.n;
    return 1;
}

int lbr_claims_open(lbr_judgement *j, const lbr_line *line, int known)
{
    lbr_claim c = { .line = line, .known = known };
    lbr_lower *lo = &j->x->base->lo;
    lbr_reading before = lbr_lower_enter(lo, line, 0);
    int first = j->nclaims, good = members(j, &c, 0);

    lbr_lower_leave(lo, &before);
    for (int k = first; k < j->nclaims && good; k++) good = judge(j, j->claim + k, NULL) && count_mentions(j, k + 1);
    return good;
}

static int all_made(const lbr_judgement *j, const lbr_claim *c)
{
    for (int k = 0; k < c->nruns; k++)
        for (int i = 0; i < c->run[k].count; i++)
            if (!j->x->run[c->run[k].first + i].done) return 0;
    return 1;
}

lbr_status lbr_judge_claim(lbr_judgement *j, int64_t k, lbr_verdict *v)
{
    const lbr_claim *c = j->claim + k;

    *v = (lbr_verdict){ .text = c->text };
    if (!all_made(j, c)) return v->note = "a run that it speaks of was not made", LBR_OK;
    return judge(j, c, v) ? LBR_OK : lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG);
}

lbr_status lbr_judge_claims(lbr_judgement *j, const lbr_verdict **verdict, int64_t *n)
{
    lbr_status status;

    *verdict = NULL, *n = 0;
    if (!j || !j->nclaims) return LBR_OK;
    if (!j->verdict && !(j->verdict = lbr_arena_alloc(&j->arena, j->nclaims, sizeof *j->verdict)))
        return lbr_experiment_fail(j->x, LBR_ENOMEM);
    for (int k = 0; k < j->nclaims; k++)
        if ((status = lbr_judge_claim(j, k, j->verdict + k))) return status;
    *verdict = j->verdict, *n = j->nclaims;
    return LBR_OK;
}

void lbr_judge_forget(lbr_judgement *j, int i)
{
    lbr_seen *s = j->seen + i;

    s->measure = NULL, s->clock = NULL, s->why = NULL, s->pool = (lbr_pool){ 0 };
}

const lbr_line *lbr_judge_line(const lbr_judgement *j, int64_t k) { return j->claim[k].line; }

int lbr_judge_speaks(const lbr_judgement *j, int64_t k, int i)
{
    for (int r = 0; r < j->claim[k].nruns; r++)
        if (i >= j->claim[k].run[r].first && i < j->claim[k].run[r].first + j->claim[k].run[r].count) return 1;
    return 0;
}
