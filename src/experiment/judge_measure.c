/* judge_measure.c - measures: quantities of each run, worked out once and when they are asked for. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <string.h>

static int declare(lbr_judgement *j, const lbr_line *line, const lbr_item *item)
{
    lbr_lower *lo = &j->x->base->lo;
    const lbr_symbol *s = lbr_symbol_find(lo, item->target.name);
    int k = lbr_index_find(&j->measures, item->target.name);

    lo->file = line->file, lo->failed = 0;
    j->measure[j->nmeasures] = (lbr_measure){ .line = line, .item = item };
    if (lbr_name_reserved(item->target.name)) lbr_lower_fail(lo, item->target.place, "'%.60s' is a word of the language and cannot be a name", item->target.name);
    else if (s) lbr_lower_fail(lo, item->target.place, "'%.60s' is declared already, at line %d%s%s", item->target.name, s->place.line,
                               s->file && s->file != line->file ? " of " : "", s->file && s->file != line->file ? s->file->name : "");
    else if (k >= 0) lbr_lower_fail(lo, item->target.place, "'%.60s' is declared already, at line %d", item->target.name, j->measure[k].item->target.place.line);
    j->measure[j->nmeasures].faulty = lo->failed;
    lo->failed = 0;
    return k >= 0 || lbr_index_add(&j->measures, &j->arena, item->target.name, j->nmeasures);
}

int lbr_measures_open(lbr_judgement *j)
{
    int n = 0;

    for (int k = 0; k < j->x->source->nextra; k++)
        if (j->x->source->extra[k].statement->kind == LBR_ST_MEASURE) n += j->x->source->extra[k].statement->n;
    if (!(j->measure = lbr_arena_alloc(&j->arena, n, sizeof *j->measure))) return 0;
    for (int k = 0; k < j->x->source->nextra; k++) {
        const lbr_line *line = j->x->source->extra + k;

        for (int i = 0; i < line->statement->n && line->statement->kind == LBR_ST_MEASURE && !line->statement->faulty; i++, j->nmeasures++)
            if (!declare(j, line, line->statement->item + i)) return 0;
    }
    return 1;
}

static const lbr_series *looked_up(lbr_judgement *j, int run, int k)
{
    lbr_measure *m = j->measure + k;
    const lbr_series *s;
    lbr_series *kept = NULL;
    lbr_arena scratch = { 0 }, *before = j->scratch;
    lbr_frame g;

    j->scratch = &scratch;
    lbr_frame_open(&g, j, run, m->line->file, k);
    s = lbr_frame_family(&g, m->item);
    if (s && !(kept = lbr_series_keep(&j->arena, s))) lbr_frame_no_memory(&g);
    if (!lbr_frame_close(&g)) m->faulty = 1;
    j->scratch = before;
    lbr_arena_free(&scratch);
    if (kept) kept->name = m->item->target.name;
    return m->faulty ? NULL : kept;
}

const lbr_series *lbr_frame_measure(lbr_frame *f, int k)
{
    lbr_judgement *j = f->j;
    lbr_seen *seen = j->seen + (lbr_judge_trial(j, f->run) - j->x->run);

    if (!seen->measure && !(seen->measure = lbr_arena_alloc(&j->arena, j->nmeasures, sizeof *seen->measure))) return lbr_frame_no_memory(f);
    if (j->measure[k].faulty) return f->lo->failed = 1, NULL;            /* that has been said                          */
    if (!seen->measure[k]) seen->measure[k] = looked_up(j, f->run, k);
    if (!seen->measure[k]) f->lo->failed = 1;
    return seen->measure[k];
}
