/* judge_measure.c - measures: quantities of each run, worked out once and when they are asked for.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <math.h>
#include <string.h>

static int declare(lbr_judgement *j, const lbr_line *line, const lbr_item *item)
{
    const lbr_target *t = &item->target;
    const lbr_symbol *s = lbr_symbol_find(&j->x->base->lo, t->name);
    int k = lbr_index_find(&j->measures, t->name), elsewhere = s && s->file && s->file != line->file;

    j->measure[j->nmeasures] = (lbr_measure){ .line = line, .item = item, .faulty = 1 };
    if (lbr_name_reserved(t->name))
        lbr_file_error(line->file, t->place, "'%.60s' is a word of the language and cannot be a name", t->name);
    else if (s)
        lbr_file_error(line->file, t->place, "'%.60s' is declared already, at line %d%s%s", t->name, s->place.line,
                       elsewhere ? " of " : "", elsewhere ? s->file->name : "");
    else if (k >= 0)
        lbr_file_error(line->file, t->place, "'%.60s' is declared already, at line %d", t->name,
                       j->measure[k].item->target.place.line);
    else j->measure[j->nmeasures].faulty = 0;
    return k >= 0 || lbr_index_add(&j->measures, &j->arena, t->name, j->nmeasures);
}

int lbr_measures_open(lbr_judgement *j)
{
    int n = 0;

    for (int k = 0; k < j->x->source->nextra; k++)
        if (j->x->source->extra[k].statement->kind == LBR_ST_MEASURE) n += j->x->source->extra[k].statement->n;
    if (!(j->measure = lbr_arena_alloc(&j->arena, n, sizeof *j->measure))) return 0;
    for (int k = 0; k < j->x->source->nextra; k++) {
        const lbr_line *line = j->x->source->extra + k;

        for (int i = 0; i < line->statement->n && line->statement->kind == LBR_ST_MEASURE && !line->statement->faulty;
             i++, j->nmeasures++)
            if (!declare(j, line, line->statement->item + i)) return 0;
    }
    return 1;
}

static const lbr_trace *looked_up(lbr_judgement *j, int run, int k)
{
    lbr_measure *m = j->measure + k;
    const lbr_trace *s;
    lbr_trace *kept = NULL;
    lbr_arena scratch = { 0 }, *before = j->scratch;
    lbr_frame g;

    j->scratch = &scratch;
    lbr_frame_open(&g, j, run, m->line->file, k);
    s = lbr_frame_family(&g, m->item);
    if (s && !(kept = lbr_trace_keep(&j->arena, s))) lbr_frame_no_memory(&g);
    if (!lbr_frame_close(&g)) m->faulty = 1;
    j->scratch = before;
    lbr_arena_free(&scratch);
    if (kept) kept->name = m->item->target.name;
    return m->faulty ? NULL : kept;
}

const lbr_trace *lbr_frame_measure(lbr_frame *f, int k)
{
    lbr_judgement *j = f->j;
    lbr_seen *seen = j->seen + (lbr_judge_trial(j, f->run) - j->x->run);

    if (!seen->measure && !(seen->measure = lbr_arena_alloc(&j->arena, j->nmeasures, sizeof *seen->measure)))
        return lbr_frame_no_memory(f);
    if (j->measure[k].faulty) return f->lo->at.failed = 1, NULL; /* that has been said */
    if (!seen->measure[k]) seen->measure[k] = looked_up(j, f->run, k);
    if (!seen->measure[k]) f->lo->at.failed = 1;
    return seen->measure[k];
}

int lbr_judge_measures(const lbr_judgement *j) { return j ? j->nmeasures : 0; }
const char *lbr_judge_measure_name(const lbr_judgement *j, int k) { return j->measure[k].item->target.name; }

lbr_status lbr_judge_measure(lbr_judgement *j, int run, int k, double *value)
{
    const lbr_trace *s;
    lbr_frame f;
    int good;

    *value = NAN;
    if (!j->seen[run].needed && j->family[j->seen[run].family].stored_for[k]) return LBR_OK;
    lbr_frame_open(&f, j, run, j->measure[k].line->file, k + 1);
    if ((s = lbr_frame_measure(&f, k)) && !s->sampled && !s->listed && s->size == 1 && s->strand[0].n > 0 &&
        !s->strand[0].missing)
        *value = *lbr_trace_at(s, 0, 0);
    good = lbr_frame_close(&f) && s;
    return good ? LBR_OK : lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG);
}
