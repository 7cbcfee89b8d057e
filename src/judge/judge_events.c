/* judge_events.c - events of sections in measures, claims and pictures: a.cut.q, count(a.cut).
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"
#include "model/section.h"

#include <string.h>

int lbr_judge_section(const lbr_frame *f, const char *name) { return lbr_model_section(f->j->x->base, name); }

void lbr_judge_want(lbr_frame *f, const lbr_runs *runs, int k, int keep)
{
    for (int i = 0; i < runs->count && f->j->dry; i++)
        if (!lbr_section_want(f->j->x, runs->first + i, k, keep)) {
            lbr_frame_no_memory(f);
            return;
        }
}

lbr_runs lbr_judge_context(const lbr_frame *f)
{
    const lbr_family *y = f->j->family + f->j->seen[f->run].family;

    return (lbr_runs){ y->first, y->count, y->listed, 0 };
}

static const double yes = 1; /* what is true at an event; and an address where there is none */

static const char *name_of(const lbr_judgement *j, int section)
{
    return j->x->base->section[section - 1]->statement->text;
}

/* The times. Of a run that has failed nothing that is said counts. */
static lbr_strand strand_of(lbr_judgement *j, int run, int section)
{
    const lbr_trial *r = j->x->run + run;
    const lbr_events *v = r->done ? lbr_result_events(&r->result, name_of(j, section)) : NULL;
    const double *t = v && v->t ? v->t : &yes;
    int missing = !v || r->result.exit != LBR_EXIT_DONE;

    if (missing && !j->note.text[0]) lbr_fail(&j->note, LBR_OK, "%.60s has failed", r->label ? r->label : "the run");
    return (lbr_strand){
        .n = v ? v->count : 0, .t = t, .data = t, .stride = 1, .missing = missing, .from = r->job.t0, .to = r->result.t
    };
}

const lbr_trace *lbr_event_clock(lbr_frame *f)
{
    lbr_trace *s = lbr_trace_new(f->j->scratch, NULL, 1);

    if (!s) return lbr_frame_no_memory(f);
    s->sampled = 1, s->name = name_of(f->j, f->section);
    if (!f->j->dry) s->strand[0] = strand_of(f->j, f->run, f->section);
    return s;
}

const lbr_trace *lbr_event_state(lbr_frame *f)
{
    const lbr_trial *r = lbr_judge_trial(f->j, f->run);
    const lbr_trace *clock = lbr_event_clock(f);
    lbr_trace *s = clock ? lbr_trace_new(f->j->scratch, &(lbr_shape){ 1, { r->model->dim } }, 1) : NULL;
    const lbr_events *v;

    if (!clock) return NULL;
    if (!s) return lbr_frame_no_memory(f);
    s->sampled = 1, s->name = clock->name;
    if (f->j->dry) return s;
    v = r->done ? lbr_result_events(&r->result, clock->name) : NULL;
    s->strand[0] = clock->strand[0];
    s->strand[0].data = v && v->y ? v->y : &yes, s->strand[0].stride = r->model->dim;
    return s;
}

/* True at each event of these runs. */
static const lbr_trace *truths(lbr_frame *f, const lbr_runs *runs, int k)
{
    lbr_trace *s = lbr_trace_new(f->j->scratch, NULL, runs->count);

    if (!s) return lbr_frame_no_memory(f);
    s->sampled = 1, s->listed = runs->listed, s->name = name_of(f->j, k + 1);
    for (int i = 0; i < runs->count && !f->j->dry; i++) {
        s->strand[i] = strand_of(f->j, runs->first + i, k + 1);
        s->strand[i].data = &yes, s->strand[i].stride = 0;
    }
    return s;
}

/* Names of sections are their own, so that a section may be called like a quantity: of a quantity there is nothing to
 * count. */
static int is_quantity(const lbr_frame *f, const char *name)
{
    return lbr_symbol_find(f->lo, name) || lbr_index_find(&f->j->measures, name) >= 0;
}

int lbr_frame_events(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    int own = node->kind == LBR_NODE_NAME,
        k = own || node->kind == LBR_NODE_MEMBER ? lbr_judge_section(f, node->text) : -1;
    lbr_runs runs = { f->run, 1, 0, 0 }, all;
    int found;

    *s = NULL;
    if ((!own && node->kind != LBR_NODE_MEMBER) || (k < 0 && is_quantity(f, node->text)) ||
        (own && (k < 0 || f->run < 0)))
        return 0;
    if (!own && (f->run >= 0 && f->j->x->named)) return 0; /* what is wrong with it is said elsewhere */
    if (!own && (found = lbr_frame_runs(f, node->arg[0], &runs)) < 1) return found;
    if (!own && (k = lbr_section_named(f->lo, f->j->x->base, node->text, node->place)) < 0) return 1;
    all = own ? lbr_judge_context(f) : runs;
    lbr_judge_want(f, &all, k, LBR_EVENTS_TIMES);
    if (!own) lbr_judge_mention(f, &runs, 0);
    return *s = truths(f, &runs, k), 1;
}
