/* judge_calls.c - calls in measures and claims: functions of series. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <string.h>

static const char others[] = "at window unwrap failed modified";

int lbr_judge_calls(const char *name) { return lbr_reduction_find(name) || lbr_text_find(others, name) >= 0; }

/* --- unknown names ----------------------------------------------------------------------------------------------- */

static void nearer(const char *name, const char *candidate, const char **best, int *distance)
{
    int d = lbr_text_distance(name, candidate);

    if (d < *distance) *distance = d, *best = candidate;
}

static void nearest_word(const char *words, const char *name, lbr_arena *arena, const char **best, int *distance)
{
    size_t n;

    for (int i = 0; lbr_text_word(words, i, &n); i++) {
        char *word = lbr_arena_format(arena, "%.*s", (int)n, lbr_text_word(words, i, &n));

        if (word) nearer(name, word, best, distance);
    }
}

/* A section has events, not values. */
static void *a_section(lbr_frame *f, const lbr_node *node)
{
    const char *run = f->run < 0 && f->j->nfamilies ? f->j->family[0].name : "", *dot = *run ? "." : "";

    if (f->section || f->exact)
        return lbr_lower_fail(f->lo, node->place, "'%.60s' is a section, not a quantity", node->text);
    return lbr_lower_fail(f->lo, node->place,
                          "'%.60s' is a section, not a quantity: take count(%.60s%s%.60s), or a quantity at its "
                          "events, %.60s%s%.60s.t",
                          node->text, run, dot, node->text, run, dot, node->text);
}

void *lbr_frame_unknown(lbr_frame *f, const lbr_node *node, int called)
{
    lbr_lower *lo = f->lo;
    const char *best = NULL, *name;
    int distance = 2 + (int)strlen(node->text) / 3;

    if (distance > 4) distance = 4;
    if (!called && lbr_judge_section(f, node->text) >= 0) return a_section(f, node);
    if (!called && lbr_index_find(&f->j->families, node->text) >= 0)
        return lbr_lower_fail(lo, node->place, "'%.60s' is a run: write %.60s.x for its quantity x", node->text,
                              node->text);
    for (int i = 0; i < lo->nsymbols && lo->nsymbols < 10000; i++)
        nearer(node->text, lo->symbol[i].name, &best, &distance);
    for (int i = lo->at.nlocals - 1; i >= lo->at.floor; i--) nearer(node->text, lo->local[i].name, &best, &distance);
    for (int i = 0; (name = lbr_function_name(i)); i++) nearer(node->text, name, &best, &distance);
    for (int i = 0; (name = lbr_reduction_name(i)); i++) nearer(node->text, name, &best, &distance);
    nearest_word(others, node->text, f->j->scratch, &best, &distance);
    if (!called)
        nearest_word("step steps evaluations iterations first_error seconds energy_error", node->text, f->j->scratch,
                     &best, &distance);
    for (int k = 0; k < f->known && !called && f->known < 10000; k++)
        nearer(node->text, f->j->measure[k].item->target.name, &best, &distance);
    return lbr_lower_fail(lo, node->place,
                          best ? "there is no %s '%.60s'; did you mean '%.60s'?" : "there is no %s '%.60s'",
                          called ? "function" : "quantity", node->text, best);
}

/* --- the calls --------------------------------------------------------------------------------------------------- */

static int arguments(lbr_frame *f, const lbr_node *node, int n)
{
    if (node->n == n) return 1;
    return lbr_lower_fail(f->lo, node->place, "%s takes %d argument%s, not %d", node->text, n, n == 1 ? "" : "s",
                          node->n),
           0;
}

static const lbr_trace *reduced(lbr_frame *f, const lbr_node *node, const lbr_reduction *r)
{
    int pair = r->kind == LBR_REDUCE_PAIR, truth = r->kind == LBR_REDUCE_TRUTH || r->kind == LBR_REDUCE_TIME;
    const lbr_trace *x, *y = NULL, *s;
    lbr_message why = { 0 };

    if (!arguments(f, node, 1 + pair)) return NULL;
    if (!truth || !lbr_frame_events(f, node->arg[0], &x))
        x = truth ? lbr_frame_truth(f, node->arg[0]) : lbr_frame_value(f, node->arg[0]);
    if (!x || (pair && !(y = lbr_frame_value(f, node->arg[1])))) return NULL;
    s = lbr_trace_reduce(r, x, y, f->j->dry, f->j->scratch, &why);
    return s ? s : lbr_frame_fail(f, node->place, &why);
}

static const lbr_trace *timed(lbr_frame *f, const lbr_node *node)
{
    int window = !strcmp(node->text, "window");
    const lbr_trace *x, *a, *b = NULL, *s;
    lbr_message why = { 0 };

    if (!arguments(f, node, 2 + window) || !(x = lbr_frame_value(f, node->arg[0])) ||
        !(a = lbr_frame_value(f, node->arg[1])))
        return NULL;
    if (window && !(b = lbr_frame_value(f, node->arg[2]))) return NULL;
    s = window ? lbr_trace_window(x, a, b, f->j->dry, f->j->scratch, &why)
               : lbr_trace_interpolate(x, a, f->j->dry, f->j->scratch, &why);
    return s ? s : lbr_frame_fail(f, node->place, &why);
}

static const lbr_trace *unwrapped(lbr_frame *f, const lbr_node *node)
{
    const lbr_trace *x, *s;
    lbr_message why = { 0 };

    if (!arguments(f, node, 1) || !(x = lbr_frame_value(f, node->arg[0]))) return NULL;
    s = lbr_trace_unwrap(x, f->j->dry, f->j->scratch, &why);
    return s ? s : lbr_frame_fail(f, node->place, &why);
}

/* A condition among values, as in if(failed(a), 1, 2). */
static const lbr_value *failed(lbr_frame *f, const lbr_node *node)
{
    const lbr_trace *s = lbr_frame_failed(f, node);
    const lbr_value *v = s ? lbr_frame_operand(f, s, node->place) : NULL;
    lbr_value *truth = v ? (lbr_value *)lbr_value_scalar(f->lo, v->node) : NULL;

    if (truth) truth->condition = 1;
    return truth;
}

/* multiplier(a.c); multiplier(c) where it is in the samples. 0: it must be worked out. */
static int multiplied(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    const lbr_node *of = node->arg[0];
    lbr_node x = { .kind = LBR_NODE_NAME, .place = of->place, .first = of->first };

    if (of->kind == LBR_NODE_MEMBER) return *s = lbr_frame_multiplier(f, of), 1;
    if (of->kind != LBR_NODE_NAME || f->run < 0 || f->exact || f->section) return 0;
    if (!(x.text = lbr_arena_format(f->j->scratch, "lambda.%s", of->text))) return lbr_frame_no_memory(f), 1;
    return lbr_frame_column(f, &x, s);
}

/* A measure is called. It may hide a function of the language. */
static void *measured(lbr_frame *f, const lbr_node *node, const lbr_measure *m)
{
    const lbr_file *file = m->line->file;
    int elsewhere = file != f->lo->at.file;

    if (!lbr_function_exists(node->text) && !lbr_function_of_runs(node->text, node->n))
        return lbr_lower_fail(f->lo, node->place, "'%.60s' is not a function but measured, at line %d%s%s", node->text,
                              m->item->target.place.line, elsewhere ? " of " : "", elsewhere ? file->name : "");
    return lbr_lower_fail(f->lo, node->place,
                          "'%.60s' is not a function here: the measure of that name, declared at line %d%s%s, hides "
                          "it; give that another name",
                          node->text, m->item->target.place.line, elsewhere ? " of " : "", elsewhere ? file->name : "");
}

int lbr_frame_called(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    const lbr_reduction *r = lbr_reduction_find(node->text);
    int known = lbr_index_find(&f->j->measures, node->text);

    *s = NULL;
    if (node->n && node->arg[0]->kind == LBR_NODE_BINDER) return 0;
    if (known >= 0 && known < f->known) return measured(f, node, f->j->measure + known), 1;
    if (lbr_symbol_find(f->lo, node->text) || (r && node->n != 1 && lbr_function_exists(node->text)))
        return 0; /* min and max of several compare */
    if (r) return *s = reduced(f, node, r), 1;
    if (lbr_text_find("at window", node->text) >= 0) return *s = timed(f, node), 1;
    if (!strcmp(node->text, "unwrap")) return *s = unwrapped(f, node), 1;
    if (!strcmp(node->text, "multiplier") && node->n == 1) return multiplied(f, node, s);
    if (strcmp(node->text, "modified")) return 0;
    return lbr_lower_fail(f->lo, node->place, "modified Hamiltonians come with a later version"), 1;
}

int lbr_frame_call(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx)
{
    lbr_frame *f = ctx;
    const lbr_trace *s;

    *value = NULL;
    if (lbr_frame_called(f, node, &s)) {
        if (s) *value = lbr_frame_operand(f, s, node->place);
        if (!*value) lo->at.failed = 1;
        return 1;
    }
    if (!strcmp(node->text, "failed")) return *value = failed(f, node), 1;
    if (lbr_function_exists(node->text) || lbr_symbol_find(lo, node->text)) return 0;
    return lbr_frame_unknown(f, node, 1), 1;
}
