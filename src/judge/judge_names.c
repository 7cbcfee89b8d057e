/* judge_names.c - what names and members mean in measures and claims: quantities of runs.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <string.h>

/* --- tables of names --------------------------------------------------------------------------------------------- */

static int slot_of(const lbr_index *x, const char *name)
{
    int i = (int)(lbr_hash(LBR_HASH, name, strlen(name)) & (uint64_t)(x->size - 1));

    while (x->name[i] && strcmp(x->name[i], name)) i = (i + 1) & (x->size - 1);
    return i;
}

int lbr_index_add(lbr_index *x, lbr_arena *arena, const char *name, int value)
{
    int i;

    if (2 * x->n >= x->size) {
        lbr_index more = { .size = x->size ? 2 * x->size : 32 };

        more.name = lbr_arena_alloc(arena, more.size, sizeof *more.name),
        more.value = lbr_arena_alloc(arena, more.size, sizeof *more.value);
        if (!more.name || !more.value) return 0;
        for (int k = 0; k < x->size; k++)
            if (x->name[k]) i = slot_of(&more, x->name[k]), more.name[i] = x->name[k], more.value[i] = x->value[k];
        more.n = x->n, *x = more;
    }
    i = slot_of(x, name);
    if (!x->name[i]) x->n++;
    x->name[i] = name, x->value[i] = value;
    return 1;
}

int lbr_index_find(const lbr_index *x, const char *name)
{
    int i = x->size ? slot_of(x, name) : 0;

    return x->size && x->name[i] ? x->value[i] : -1;
}

void lbr_index_nearest(const lbr_index *x, const char *name, const char **best, int *distance)
{
    for (int i = 0; i < x->size && x->n < 10000; i++) {
        int d = x->name[i] ? lbr_text_distance(name, x->name[i]) : *distance;

        if (d < *distance) *distance = d, *best = x->name[i];
    }
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static const char *some_run(const lbr_judgement *j)
{
    return j->nfamilies && j->family[0].name ? j->family[0].name : "a";
}

static int of_a_run(lbr_frame *f, const lbr_node *node)
{
    lbr_lower_fail(f->lo, node->place, "'%.60s' is a quantity of a run: write %.60s.%.60s", node->text, some_run(f->j),
                   node->text);
    return 1;
}

static int measured(lbr_frame *f, const lbr_node *node, int k, const lbr_trace **s)
{
    *s = NULL;
    if (f->run < 0) return of_a_run(f, node);
    if (f->section)
        lbr_lower_fail(f->lo, node->place, "'%.60s' is measured over a run: it has no values at events", node->text);
    else if (f->exact)
        lbr_lower_fail(f->lo, node->place, "%s is for the state and for quantities of the model; '%.60s' is measured",
                       f->exact == LBR_OF_EXTENDED ? "extended" : "exact", node->text);
    else if (k >= f->known)
        lbr_lower_fail(f->lo, node->place, "'%.60s' is used before it is declared (line %d)", node->text,
                       f->j->measure[k].item->target.place.line);
    else *s = lbr_frame_measure(f, k);
    return 1;
}

/* The measures that are declared before an abbreviation, in its file. */
static int known_at(const lbr_judgement *j, const lbr_symbol *a)
{
    int n = 0;

    for (; n < j->nmeasures; n++) {
        lbr_place at = j->measure[n].item->target.place;

        if (j->measure[n].line->file != a->file || at.line > a->place.line ||
            (at.line == a->place.line && at.column > a->place.column))
            break;
    }
    return n;
}

/* An abbreviation of what is measured: read anew for each run. */
static int abbreviated(lbr_frame *f, const lbr_node *node, const lbr_symbol *a, const lbr_trace **s)
{
    int number = (int)(a - f->lo->symbol), known = known_at(f->j, a);
    lbr_frame g;

    *s = NULL;
    if (f->run < 0) return of_a_run(f, node);
    if (f->section || f->exact)
        return lbr_lower_fail(f->lo, node->place, "'%.60s' is measured over a run: it has no values %s", node->text,
                              f->section ? "at events" : "of a reference solution"),
               1;
    if (a->busy)
        return lbr_lower_fail(f->lo, node->place, "recursion: '%.60s' is used in its own definition", a->name), 1;
    lbr_frame_open(&g, f->j, f->run, a->file, known < f->known ? known : f->known);
    g.named = f->named;
    f->lo->symbol[number].busy = 1;
    *s = lbr_frame_family(&g, a->item);
    f->lo->symbol[number].busy = 0;
    if (!lbr_frame_close(&g)) *s = NULL, f->lo->at.failed = 1;
    return 1;
}

int lbr_frame_named(lbr_frame *f, const lbr_node *node, const lbr_trace **s)
{
    const lbr_symbol *symbol = lbr_symbol_find(f->lo, node->text);
    int k = lbr_index_find(&f->j->measures, node->text);

    *s = NULL;
    if (k >= 0) return measured(f, node, k, s);
    if (symbol && symbol->mentions & LBR_MENTIONS_RUNS) return abbreviated(f, node, symbol, s);
    if (lbr_text_find(
            "t h step steps evaluations iterations first_error seconds energy_error method exact error roundoff",
            node->text) >= 0) {
        if (f->run < 0) return of_a_run(f, node);
        return lbr_frame_result(f, node, s);
    }
    if (symbol && symbol->kind != LBR_SYM_VARIABLE && symbol->kind != LBR_SYM_H && symbol->kind != LBR_SYM_INVARIANT &&
        symbol->kind != LBR_SYM_OBSERVED)
        return 0;
    if (symbol && f->run < 0) return of_a_run(f, node);
    return f->run >= 0 && !f->exact && !f->section && lbr_frame_column(f, node, s);
}

static int name(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx)
{
    lbr_frame *f = ctx;
    const lbr_trace *s;

    *value = NULL;
    if (lbr_frame_named(f, node, &s)) {
        if (s) *value = lbr_frame_operand(f, s, node->place);
        return 1;
    }
    if (lbr_symbol_find(lo, node->text) || !strcmp(node->text, "pi") || lbr_function_exists(node->text)) return 0;
    lbr_frame_unknown(f, node, 0);
    return 1;
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

static int no_member(lbr_frame *f, const lbr_family *y, const lbr_node *node, const int64_t *index, int n)
{
    const lbr_trial *a = f->j->x->run + y->first, *b = a + y->count - 1;

    if (n == 1 && a->nindex == 1)
        lbr_lower_fail(f->lo, node->arg[1]->first, "there is no run %.60s[%lld]: they go from %.60s to %.60s", y->name,
                       (long long)index[0], a->label, b->label);
    else lbr_lower_fail(f->lo, node->arg[1]->first, "there is no such run among %.60s .. %.60s", a->label, b->label);
    return -1;
}

static int starts_with(const lbr_trial *r, const int64_t *index, int n)
{
    for (int k = 0; k < n; k++)
        if (r->index[k] != index[k]) return 0;
    return 1;
}

/* v[2] of a family: with fewer indices than it has, several; they follow each other. */
static int some_of(lbr_frame *f, const lbr_family *y, const lbr_node *node, lbr_runs *runs)
{
    const lbr_trial *r = f->j->x->run + y->first;
    int64_t index[LBR_RANK], guess;
    int n = node->n - 1;

    if (!y->listed) return lbr_lower_fail(f->lo, node->arg[1]->first, "'%.60s' is one run, not several", y->name), -1;
    if (n > r->nindex)
        return lbr_lower_fail(f->lo, node->arg[1]->first, "too many indices: the runs '%.60s' have %d", y->name,
                              r->nindex),
               -1;
    for (int k = 0; k < n; k++)
        if (!lbr_lower_integer(f->lo, node->arg[k + 1], "the index of a run", -1000000000, 1000000000, index + k))
            return -1;
    guess = n == 1 && r->nindex == 1 ? index[0] - r->index[0] : 0;
    if (guess < 0 || guess >= y->count) return no_member(f, y, node, index, n);
    *runs = (lbr_runs){ y->first + (int)guess, 0, n < r->nindex, 0 };
    while (runs->first < y->first + y->count && !starts_with(f->j->x->run + runs->first, index, n)) runs->first++;
    while (runs->first + runs->count < y->first + y->count &&
           starts_with(f->j->x->run + runs->first + runs->count, index, n))
        runs->count++;
    return runs->count ? 1 : no_member(f, y, node, index, n);
}

int lbr_frame_runs(lbr_frame *f, const lbr_node *node, lbr_runs *runs)
{
    const lbr_node *at = node->kind == LBR_NODE_INDEX ? node->arg[0] : node;
    int k = at->kind == LBR_NODE_NAME ? lbr_index_find(&f->j->families, at->text) : -1;

    if (k < 0) return 0;
    if (at != node) return some_of(f, f->j->family + k, node, runs);
    *runs = (lbr_runs){ f->j->family[k].first, f->j->family[k].count, f->j->family[k].listed, 0 };
    return 1;
}

void lbr_judge_mention(lbr_frame *f, const lbr_runs *runs, int through_failed)
{
    lbr_judgement *j = f->j;
    int most = j->mention.most; /* both lists have room for as many */

    if (!j->dry) return;
    if (!LBR_ROOM(&j->arena, j->mention.run, j->mention.n, most, 1) ||
        !LBR_ROOM(&j->arena, j->mention.failed, j->mention.n, j->mention.most, 1)) {
        lbr_frame_no_memory(f);
        return;
    }
    j->mention.run[j->mention.n] = *runs, j->mention.failed[j->mention.n++] = (char)through_failed;
}

/* --- quantities of runs ------------------------------------------------------------------------------------------ */

void lbr_judge_remark(lbr_judgement *j, int run)
{
    const lbr_trial *r = j->x->run + run;
    const char *why = j->seen[run].why;

    if (!j->note.text[0])
        lbr_fail(&j->note, LBR_OK, why && !r->result.exit ? "%.60s: %.400s" : "%.60s has failed",
                 r->label ? r->label : "the run", why);
}

/* Which values of a run are meant: at its samples, of its reference solution, at the events of a section (its number,
 * from 1); of a constraint its multiplier. */
typedef struct lens {
    int exact, section, multiplier, named;
} lens;

/* a.x, in the context of run a. The same reader may be at work on both sides. */
static const lbr_trace *quantity(lbr_frame *f, int run, lens through, const lbr_node *node)
{
    lbr_node x = { .kind = LBR_NODE_NAME, .text = node->text, .place = node->place, .first = node->place }, *inner = &x;
    lbr_node call = {
        .kind = LBR_NODE_CALL, .text = "multiplier", .place = node->place, .first = node->place, .n = 1, .arg = &inner
    };
    const lbr_trace *s = NULL;
    lbr_file *file = f->lo->at.file;
    lbr_frame g;

    lbr_frame_open(&g, f->j, run, file, f->known);
    g.exact = through.exact, g.section = through.section, g.named = through.named || f->named;
    if (through.multiplier) s = lbr_frame_value(&g, &call);
    else if (!lbr_frame_named(&g, &x, &s)) s = lbr_frame_value(&g, &x);
    if (!lbr_frame_close(&g) || !s) return f->lo->at.failed = 1, NULL;
    if (f->j->dry && s->stored) f->j->seen[run].needed = 1;
    if (!f->j->dry && s->strand[0].missing) lbr_judge_remark(f->j, run);
    return s;
}

static const char *full_name(lbr_frame *f, const lbr_runs *runs, lens through, const lbr_node *node)
{
    const lbr_trial *r = f->j->x->run + runs->first;

    if (through.section)
        return lbr_arena_format(f->j->scratch, "%s.%s.%s", runs->listed ? r->family : r->label,
                                f->j->x->base->section[through.section - 1]->statement->text, node->text);
    return lbr_arena_format(f->j->scratch, "%s.%s", runs->listed ? r->family : r->label, node->text);
}

/* v.x: one after the other. While dry one speaks for all. */
static const lbr_trace *of_runs(lbr_frame *f, const lbr_runs *runs, lens through, const lbr_node *node)
{
    const lbr_trace *one;
    lbr_trace *all;

    through.named = 1;
    if (!(one = quantity(f, runs->first, through, node))) return NULL;
    if (!(all = lbr_trace_new(f->j->scratch, &one->shape, runs->count))) return lbr_frame_no_memory(f);
    {
        lbr_strand *strand = all->strand;

        *all = *one, all->strand = strand, all->listed = runs->listed, all->members = runs->count;
    }
    if (!(all->name = full_name(f, runs, through, node))) return lbr_frame_no_memory(f);
    for (int k = 0; k < runs->count; k++) {
        if (f->j->dry) {
            f->j->seen[runs->first + k].needed |= one->stored;
            continue;
        }
        if (k && !(one = quantity(f, runs->first + k, through, node))) return NULL;
        if (!lbr_shape_equal(&one->shape, &all->shape) || one->sampled != all->sampled || one->partial != all->partial)
            return lbr_lower_fail(f->lo, node->place, "'%.60s' has another shape in %.60s than in %.60s", node->text,
                                  f->j->x->run[runs->first + k].label, f->j->x->run[runs->first].label);
        all->strand[k] = one->strand[0];
    }
    return all;
}

static void *no_run(lbr_frame *f, const lbr_node *node)
{
    const lbr_node *at = node->kind == LBR_NODE_INDEX ? node->arg[0] : node;
    const char *best = NULL;
    int distance = 3;

    if (at->kind != LBR_NODE_NAME) return lbr_lower_fail(f->lo, node->first, "expected the name of a run before '.'");
    lbr_index_nearest(&f->j->families, at->text, &best, &distance);
    return lbr_lower_fail(f->lo, at->place,
                          best ? "there is no run '%.60s'; did you mean '%.60s'?" : "there is no run '%.60s'", at->text,
                          best);
}

/* cut.q, in the context of a run. */
static const lbr_trace *own_events(lbr_frame *f, int k, const lbr_node *node, lens through)
{
    lbr_runs all = lbr_judge_context(f);

    lbr_judge_want(f, &all, k, LBR_EVENTS_STATES);
    return through.section = k + 1, quantity(f, f->run, through, node);
}

/* exact, or extended where no quantity is called so. */
static int truth_of(const lbr_frame *f, const lbr_node *name)
{
    if (!strcmp(name->text, "exact")) return LBR_OF_EXACT;
    return !strcmp(name->text, "extended") && !lbr_symbol_find(f->lo, "extended") ? LBR_OF_EXTENDED : 0;
}

/* What stands between a run and a quantity: a.exact.x, a.cut.x. 0 after an error. */
static int between(lbr_frame *f, const lbr_node *inner, lbr_place at, const lbr_runs *runs, lens *through)
{
    int k;

    if ((k = truth_of(f, inner))) return through->exact = k;
    if (lbr_judge_section(f, inner->text) < 0 && (!f->j->x->base->nsections || lbr_symbol_find(f->lo, inner->text)))
        return lbr_lower_fail(f->lo, at, "'%.60s' has no quantities of its own", inner->text), 0;
    if ((k = lbr_section_named(f->lo, f->j->x->base, inner->text, inner->place)) < 0) return 0;
    lbr_judge_want(f, runs, k, LBR_EVENTS_STATES);
    return through->section = k + 1;
}

static const lbr_trace *of_member(lbr_frame *f, const lbr_node *node, lens through)
{
    const lbr_node *of = node->arg[0], *inner = of->kind == LBR_NODE_MEMBER ? of : NULL;
    int found, k = of->kind == LBR_NODE_NAME ? lbr_judge_section(f, of->text) : -1;
    lbr_runs runs;

    if (of->kind == LBR_NODE_NAME && (through.exact = truth_of(f, of))) {
        if (f->run < 0)
            return lbr_lower_fail(f->lo, of->place, "%s is of a run: write %.60s.%s.%.60s", of->text, some_run(f->j),
                                  of->text, node->text);
        return quantity(f, f->run, through, node);
    }
    if (k >= 0 && f->run >= 0) return own_events(f, k, node, through);
    if (inner) of = inner->arg[0];
    found = lbr_frame_runs(f, of, &runs);
    if (found < 0) return NULL;
    if (!found && k >= 0)
        return lbr_lower_fail(f->lo, of->place, "'%.60s' is a section of a run: write %.60s.%.60s.%.60s", of->text,
                              some_run(f->j), of->text, node->text);
    if (!found) return no_run(f, of);
    if (f->run >= 0 && f->j->x->named)
        return lbr_lower_fail(f->lo, of->first,
                              "in a measure the names are those of each run in turn; others are compared in claims");
    lbr_judge_mention(f, &runs, 0);
    if (inner && !between(f, inner, node->place, &runs, &through)) return NULL;
    if (!inner && lbr_judge_section(f, node->text) >= 0 && !lbr_symbol_find(f->lo, node->text) &&
        lbr_index_find(&f->j->measures, node->text) < 0)
        return lbr_lower_fail(
            f->lo, node->place,
            "'%.60s' is a section, not a quantity: take count(%.60s.%.60s), or a quantity at its events, %.60s.%.60s.t",
            node->text, some_run(f->j), node->text, some_run(f->j), node->text);
    return of_runs(f, &runs, through, node);
}

const lbr_trace *lbr_frame_member(lbr_frame *f, const lbr_node *node) { return of_member(f, node, (lens){ 0 }); }

const lbr_trace *lbr_frame_multiplier(lbr_frame *f, const lbr_node *node)
{
    return of_member(f, node, (lens){ .multiplier = 1 });
}

static int member(lbr_lower *lo, const lbr_node *node, const lbr_value **value, void *ctx)
{
    const lbr_trace *s = lbr_frame_member(ctx, node);

    *value = s ? lbr_frame_operand(ctx, s, node->place) : NULL;
    if (!*value) lo->at.failed = 1;
    return 1;
}

/* --- failed ------------------------------------------------------------------------------------------------------ */

const lbr_trace *lbr_frame_failed(lbr_frame *f, const lbr_node *call)
{
    lbr_judgement *j = f->j;
    lbr_runs runs;
    lbr_trace *s;
    double *data;
    int found;

    if (call->n != 1) return lbr_lower_fail(f->lo, call->place, "failed takes a run: failed(%.60s)", some_run(j));
    found = lbr_frame_runs(f, call->arg[0], &runs);
    if (found < 0) return NULL;
    if (!found) return no_run(f, call->arg[0]);
    lbr_judge_mention(f, &runs, 1);
    if (!(s = lbr_trace_new(j->scratch, NULL, runs.count)) ||
        !(data = lbr_arena_alloc(j->scratch, runs.count, sizeof *data)))
        return lbr_frame_no_memory(f);
    s->listed = runs.listed;
    for (int k = 0; k < runs.count; k++) {
        const lbr_trial *r = j->x->run + runs.first + k;

        data[k] = r->done && r->result.exit == LBR_EXIT_NUMERICS;
        s->strand[k] = (lbr_strand){ .n = 1, .data = data + k, .stride = 1 };
    }
    return s;
}

const lbr_dialect lbr_judge_dialect = { name, lbr_frame_call, member, NULL };
