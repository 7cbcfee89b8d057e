/* reproduce_show.c - what is told of an experiment beside its verdicts: claims in words, runs, tables, pictures,
 * parameters. SPDX-License-Identifier: BSD-3-Clause */
#include "judge/judging.h"
#include "reproduce_parts.h"
#include "plot/plot.h"
#include "io/whole_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 12, MOST_TABLES = 1 << 20, MOST_PICTURE = 16 << 20 }; /* numbers of a parameter; bytes */
enum { PAGE_COLUMNS = 500 };                                         /* a page has fewer pixels than paper has dots */

static int no_memory(lbr_reproducer *p)
{
    return p->out->failure = "out of memory", (int)(p->out->code = LBR_EXIT_MACHINE);
}

/* --- claims ------------------------------------------------------------------------------------------------------ */

/* "method = midpoint, step = 0.1" */
static const char *settings_text(lbr_arena *arena, const lbr_statement *st)
{
    const char *text = "";

    for (int k = 0; k < st->n && text; k++)
        text = lbr_arena_format(arena, "%s%s%s = %s", text, k ? ", " : "", st->item[k].target.name,
                                st->item[k].source ? st->item[k].source : "...");
    return text;
}

int lbr_reproduce_names(lbr_reproducer *p)
{
    lbr_reproduction *out = p->out;

    out->nclaims = p->j ? p->j->nclaims : 0;
    if (!(out->claim = lbr_arena_alloc(&out->arena, out->nclaims + 1, sizeof *out->claim))) return no_memory(p);
    for (int64_t k = 0; k < out->nclaims; k++) {
        const lbr_statement *st = p->j->claim[k].line->statement;
        lbr_claim_told *c = out->claim + k;

        *c = (lbr_claim_told){ .text = lbr_arena_text(&out->arena, p->j->claim[k].text),
                               .condition = lbr_arena_text(&out->arena, st->source ? st->source : ""),
                               .bites = -1,
                               .family = k && p->j->claim[k - 1].line == p->j->claim[k].line ? c[-1].family : k };
        if (st->has_against) c->against = settings_text(&out->arena, st);
        if (!c->text || !c->condition || (st->has_against && !c->against)) return no_memory(p);
    }
    return LBR_EXIT_DONE;
}

/* --- runs, parameters -------------------------------------------------------------------------------------------- */

static int runs(lbr_reproducer *p)
{
    lbr_reproduction *out = p->out;

    if (!(out->run = lbr_arena_alloc(&out->arena, p->x.nruns + 1, sizeof *out->run))) return no_memory(p);
    for (int i = 0; i < p->x.nruns; i++) {
        const lbr_trial *r = p->x.run + i;
        const lbr_result *z = &r->result;
        int made = r->done && z->method;
        lbr_run_told *t = out->run + out->nruns++;

        *t = (lbr_run_told){ .made = r->done,
                             .steps = made ? z->steps : r->job.steps,
                             .step = made ? z->h : r->job.h,
                             .name = lbr_arena_text(&out->arena, r->label ? r->label : ""),
                             .method = lbr_arena_text(&out->arena, made            ? z->method
                                                                   : r->job.method ? r->job.method
                                                                                   : "") };
        if (r->done) {
            t->evaluations = lbr_evaluations(&z->stats), t->seconds = z->seconds;
            t->has_energy = z->has_energy, t->energy_error = z->has_energy ? z->energy.worst : NAN;
            t->kernel = lbr_arena_text(&out->arena, z->kernel ? z->kernel : "");
            if (z->exit && !(t->failure = lbr_arena_text(&out->arena, z->text))) return no_memory(p);
        }
        if (!t->name || !t->method) return no_memory(p);
    }
    return LBR_EXIT_DONE;
}

/* Of the model that the runs share; of long ones the first numbers. */
static int params(lbr_reproducer *p)
{
    lbr_lower *lo = &p->x.base->lo;
    lbr_reproduction *out = p->out;

    if (!(out->param = lbr_arena_alloc(&out->arena, lo->nsymbols + 1, sizeof *out->param))) return no_memory(p);
    for (int k = 0; k < lo->nsymbols; k++) {
        const lbr_symbol *s = lo->symbol + k;
        int64_t n = s->kind == LBR_SYM_PARAM && s->value ? lbr_shape_size(&s->value->shape) : 0;
        lbr_reading before;
        double *value;
        int good;

        if (n < 1 || n > SHOWN) continue;
        if (!(value = lbr_arena_alloc(&out->arena, n, sizeof *value))) return no_memory(p);
        before = lbr_model_enter(p->x.base);
        good = lbr_value_constants(lo, s->value, value);
        lbr_lower_leave(lo, &before);
        if (!good) continue;
        if (!(out->param[out->nparams].name = lbr_arena_text(&out->arena, s->name))) return no_memory(p);
        out->param[out->nparams++].value = (lbr_told){ n, value, s->value->shape.rank > 0 };
    }
    return LBR_EXIT_DONE;
}

/* --- tables and pictures ----------------------------------------------------------------------------------------- */

static int tables(lbr_reproducer *p)
{
    FILE *f = tmpfile();
    char *text = lbr_arena_alloc(&p->out->arena, MOST_TABLES + 1, 1);
    size_t n = 0;

    if (f && text && !lbr_judge_tables(p->j, f)) rewind(f), n = fread(text, 1, MOST_TABLES, f);
    if (f) fclose(f);
    if (!text) return no_memory(p);
    while (n && text[n - 1] == '\n') text[--n] = 0;
    p->out->tables = n ? text + strspn(text, "\n") : NULL;
    return LBR_EXIT_DONE;
}

/* Drawn to a file that is read and removed at once. */
static lbr_status draw(lbr_reproducer *p, int k, const char *path, lbr_plot_told *t, lbr_message *why)
{
    lbr_arena scratch = { 0 };
    lbr_plot plot = { 0 };
    lbr_status status;
    char *bytes = NULL;
    size_t size;

    p->j->scratch = &scratch;
    if (!lbr_plot_build(p->j, k, &plot))
        status = lbr_experiment_fail(&p->x, p->j->no_memory ? LBR_ENOMEM : LBR_EARG),
        lbr_fail(why, status, "%.500s", p->x.message);
    else if (plot.interrupt = p->how->interrupt, plot.columns = PAGE_COLUMNS,
             !(status = lbr_plot_write(&plot, path, 0, 1, why)) &&
                 !(status = lbr_whole_read(path, MOST_PICTURE, &bytes, &size, why)))
        t->svg = lbr_arena_text(&p->out->arena, bytes), status = t->svg ? LBR_OK : LBR_ENOMEM;
    if (plot.title && !status && !(t->title = lbr_arena_text(&p->out->arena, plot.title))) status = LBR_ENOMEM;
    p->j->scratch = NULL;
    lbr_mem_free(bytes);
    lbr_arena_free(&scratch);
    remove(path);
    return status;
}

static int plots(lbr_reproducer *p)
{
    lbr_reproduction *out = p->out;
    int n = (int)lbr_judge_plots(p->j);

    if (!(out->plot = lbr_arena_alloc(&out->arena, n + 1, sizeof *out->plot))) return no_memory(p);
    for (int k = 0; k < n; k++) {
        lbr_plot_told *t = out->plot + out->nplots++;
        const char *name = p->j->plot[k].line->statement->text,
                   *path = lbr_arena_format(&out->arena, "%s/%s-%d.svg", p->how->folder, out->id, k + 1);
        lbr_message why = { 0 };
        lbr_status status = path ? draw(p, k, path, t, &why) : LBR_ENOMEM;

        if (status == LBR_ENOMEM || !(t->name = lbr_arena_text(&out->arena, name ? name : ""))) return no_memory(p);
        if (status && !(t->why = lbr_arena_text(&out->arena, why.text))) return no_memory(p);
    }
    return LBR_EXIT_DONE;
}

int lbr_reproduce_show(lbr_reproducer *p)
{
    lbr_reproduction *out = p->out;
    int code;

    if (p->source.nfiles &&
        !(out->text = lbr_arena_format(&out->arena, "%.*s", (int)p->source.file[0]->size, p->source.file[0]->text)))
        return no_memory(p);
    if ((code = runs(p)) || (code = params(p)) || (code = tables(p)) || (code = plots(p))) return code;
    return (int)out->code;
}
