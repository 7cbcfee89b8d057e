/* judge.c - what is measured, drawn, listed and claimed about the runs of a file: read before they run.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <string.h>

/* --- the runs by their names ------------------------------------------------------------------------------------- */

static int families(lbr_judgement *j)
{
    lbr_experiment *x = j->x;

    j->seen = lbr_arena_alloc(&j->arena, x->nruns, sizeof *j->seen),
    j->family = lbr_arena_alloc(&j->arena, x->nruns, sizeof *j->family);
    if (!j->seen || !j->family) return 0;
    for (int k = 0; k < x->nruns; k++) {
        const char *name = x->run[k].family;

        if (!k || name != x->run[k - 1].family) {
            j->family[j->nfamilies] = (lbr_family){ name, k, 0, x->run[k].nindex > 0, 0, NULL };
            if (name && !lbr_index_add(&j->families, &j->arena, name, j->nfamilies)) return 0;
            j->nfamilies++;
        }
        j->family[j->nfamilies - 1].count++;
        j->seen[k].family = j->nfamilies - 1;
    }
    return 1;
}

static int pictures(lbr_judgement *j)
{
    int n = 0;

    for (int k = 0; k < j->x->source->nextra; k++)
        n += j->x->source->extra[k].statement->kind == LBR_ST_PLOT ||
             j->x->source->extra[k].statement->kind == LBR_ST_TABLE;
    j->plot = lbr_arena_alloc(&j->arena, n, sizeof *j->plot),
    j->table = lbr_arena_alloc(&j->arena, n, sizeof *j->table);
    return j->plot && j->table;
}

/* --- everything once, without samples ---------------------------------------------------------------------------- */

/* Of each run's statement the first one speaks for all. */
static void dry_measures(lbr_judgement *j)
{
    for (lbr_family *y = j->family; y < j->family + j->nfamilies; y++) {
        if (!(y->stored_for = lbr_arena_alloc(&j->arena, j->nmeasures, 1))) j->no_memory = 1;
        for (int k = 0; k < j->nmeasures && !j->no_memory; k++) {
            const lbr_trace *s;
            lbr_frame f;

            lbr_frame_open(&f, j, y->first, j->measure[k].line->file, k + 1);
            if ((s = lbr_frame_measure(&f, k))) y->stored |= y->stored_for[k] = s->stored != 0;
            lbr_frame_close(&f);
        }
    }
}

static void dry_run(lbr_judgement *j, int measures_alone)
{
    int known = 0;

    dry_measures(j);
    for (int k = 0; k < j->x->source->nextra && !j->no_memory && !measures_alone; k++) {
        const lbr_line *line = j->x->source->extra + k;

        if (line->statement->faulty) continue;
        switch (line->statement->kind) {
        case LBR_ST_MEASURE: known += line->statement->n; break;
        case LBR_ST_PLOT: lbr_plot_open(j, line, known); break;
        case LBR_ST_TABLE: lbr_table_open(j, line, known); break;
        case LBR_ST_CLAIM: lbr_claims_open(j, line, known); break;
        default: break;
        }
    }
    for (int k = 0; k < j->x->nruns; k++) j->seen[k].measure = NULL;
    j->dry = 0;
}

static int anything(const lbr_source *s)
{
    for (int k = 0; k < s->nextra; k++)
        if (s->extra[k].statement->kind != LBR_ST_RUN) return 1;
    return 0;
}

static lbr_status open(lbr_judgement **judgement, lbr_experiment *x, int measures_alone)
{
    lbr_judgement *j = *judgement = NULL;
    lbr_status status = LBR_OK;

    if (!anything(x->source)) return LBR_OK;
    if (!(j = *judgement = lbr_mem_alloc(sizeof *j))) return lbr_experiment_fail(x, LBR_ENOMEM);
    j->x = x, j->dry = 1;
    if (!families(j) || !pictures(j) || !lbr_measures_open(j)) return lbr_experiment_fail(x, LBR_ENOMEM);
    for (int i = 0; i < j->nfamilies && !status; i++) status = lbr_experiment_ready(x, j->family[i].first);
    if (status) return status;
    dry_run(j, measures_alone);
    if (j->no_memory) return lbr_experiment_fail(x, LBR_ENOMEM);
    return lbr_source_errors(x->source) ? lbr_experiment_fail(x, LBR_EARG) : LBR_OK;
}

lbr_status lbr_judge_open(lbr_judgement **judgement, lbr_experiment *x)
{
    *judgement = NULL;
    return x->over.run ? LBR_OK : open(judgement, x, 0); /* of one run alone nothing is claimed */
}

lbr_status lbr_judge_open_measures(lbr_judgement **judgement, lbr_experiment *x) { return open(judgement, x, 1); }

void lbr_judge_tell_measures(lbr_judgement *j)
{
    for (int k = 0; j && k < j->x->nruns; k++) j->seen[k].needed |= j->family[j->seen[k].family].stored;
}

void lbr_judge_free(lbr_judgement *j)
{
    if (!j) return;
    lbr_arena_free(&j->arena);
    lbr_mem_free(j);
}

int lbr_judge_needs(const lbr_judgement *j, int i) { return j && j->seen[i].needed; }
int lbr_judge_excuses(const lbr_judgement *j, int i)
{
    return j && j->seen[i].mentioned && j->seen[i].excused == j->seen[i].mentioned;
}
