/* judge_table.c - tables: one line for each run; and what tables and plots share.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <stdio.h>
#include <string.h>

/* --- settings of tables and plots -------------------------------------------------------------------------------- */

const lbr_item *lbr_picture_item(const lbr_line *line, const char *name)
{
    for (int k = 0; k < line->statement->n; k++)
        if (line->statement->item[k].target.name && !strcmp(line->statement->item[k].target.name, name))
            return line->statement->item + k;
    return NULL;
}

/* of = cut: whose? */
static void section_alone(lbr_frame *f, const lbr_node *at)
{
    const char *run = f->j->nfamilies ? f->j->family[0].name : NULL;

    if (run)
        lbr_lower_fail(f->lo, at->place,
                       "'%.60s' is a section, not a run: its events in run %.60s are of = %.60s.%.60s", at->text, run,
                       run, at->text);
    else
        lbr_lower_fail(f->lo, at->place,
                       "'%.60s' is a section, not a run: without a name for the run, take x = %.60s.t and the like",
                       at->text, at->text);
}

/* Runs, or runs of which the events of a section are meant: a.cut. */
static int runs_of(lbr_frame *f, const lbr_node *node, lbr_runs *runs)
{
    const lbr_node *at = node->kind == LBR_NODE_MEMBER ? node->arg[0] : node;
    int found = lbr_frame_runs(f, at, runs), k;
    const char *best = NULL;
    int distance = 3;

    if (found > 0 && at != node) {
        if ((k = lbr_section_named(f->lo, f->j->x->base, node->text, node->place)) < 0) return 0;
        runs->section = k + 1;
        lbr_judge_want(f, runs, k, LBR_EVENTS_STATES);
    }
    if (found) return found > 0;
    if (at->kind == LBR_NODE_INDEX) at = at->arg[0];
    if (at->kind != LBR_NODE_NAME) return lbr_lower_fail(f->lo, node->first, "expected the name of a run"), 0;
    if (lbr_judge_section(f, at->text) >= 0) return section_alone(f, at), 0;
    lbr_index_nearest(&f->j->families, at->text, &best, &distance);
    return lbr_lower_fail(f->lo, at->place,
                          best ? "there is no run '%.60s'; did you mean '%.60s'?" : "there is no run '%.60s'", at->text,
                          best),
           0;
}

int lbr_picture_runs(lbr_judgement *j, const lbr_picture_line *p, lbr_runs **runs)
{
    const lbr_item *of = lbr_picture_item(p->line, "of");
    const lbr_node *list = of ? of->value : NULL;
    int n = list && list->kind == LBR_NODE_LIST ? list->n : list ? 1 : j->nfamilies, good = 1;
    lbr_frame f;

    lbr_frame_open(&f, j, -1, p->line->file, p->known);
    if (!(*runs = lbr_arena_alloc(j->scratch, n, sizeof **runs))) lbr_frame_no_memory(&f), good = 0;
    for (int k = 0; k < n && good; k++) {
        if (list) good = runs_of(&f, list->kind == LBR_NODE_LIST ? list->arg[k] : list, *runs + k);
        else (*runs)[k] = (lbr_runs){ j->family[k].first, j->family[k].count, j->family[k].listed, 0 };
    }
    return lbr_frame_close(&f) && good ? n : 0;
}

const char *lbr_piece_of(lbr_arena *arena, const lbr_item *item, int k)
{
    const char *s = item->source ? item->source : "", *from;
    int depth = 0;

    if (!item->value || item->value->kind != LBR_NODE_LIST) return s;
    from = s = strchr(s, '[') ? strchr(s, '[') + 1 : s;
    for (; *s; s++) {
        depth += *s == '[' || *s == '(';
        if ((*s == ',' || *s == ']') && !depth) {
            while (*from == ' ') from++;
            if (!k--) return lbr_arena_format(arena, "%.*s", (int)(s - from), from);
            from = s + 1;
        }
        depth -= *s == ']' || *s == ')';
    }
    return "";
}

/* Every setting is one of these words. */
int lbr_picture_words(const lbr_line *line, const char *words)
{
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_item *item = line->statement->item + k;

        if (!item->target.name || item->target.n || item->target.prime || lbr_text_find(words, item->target.name) < 0)
            return lbr_file_error(line->file, item->target.place, "%s has no setting '%.60s'; it has: %s",
                                  line->statement->kind == LBR_ST_PLOT ? "a plot" : "a table",
                                  item->target.name ? item->target.name : "", words),
                   0;
        if (lbr_picture_item(line, item->target.name) != item)
            return lbr_file_error(line->file, item->target.place, "'%.60s' is given twice", item->target.name), 0;
    }
    return 1;
}

/* --- one table --------------------------------------------------------------------------------------------------- */

typedef struct cells {
    const lbr_picture_line *p;
    const lbr_node **column;
    int n;
} cells;

static int open_cells(lbr_judgement *j, const lbr_picture_line *p, cells *c)
{
    const lbr_item *item = lbr_picture_item(p->line, "columns");

    if (!item || !item->value)
        return lbr_file_error(p->line->file, p->line->statement->place, "a table needs columns = [...]"), 0;
    *c = (cells){ p, lbr_arena_alloc(j->scratch, item->value->n + 1, sizeof *c->column),
                  item->value->kind == LBR_NODE_LIST ? item->value->n : 1 };
    if (!c->column) return j->no_memory = 1, 0;
    for (int k = 0; k < c->n; k++)
        c->column[k] = item->value->kind == LBR_NODE_LIST ? item->value->arg[k] : item->value;
    return 1;
}

static int is_method(const lbr_node *node) { return node->kind == LBR_NODE_NAME && !strcmp(node->text, "method"); }

/* The option of a run that a column names, or NULL: a name that the model or its measures have is theirs. */
static const lbr_option *option_of(const lbr_judgement *j, lbr_lower *lo, const lbr_node *node)
{
    if (node->kind != LBR_NODE_NAME || lbr_index_find(&j->measures, node->text) >= 0) return NULL;
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o))
        if (!strcmp(o->name, node->text)) return lbr_symbol_find(lo, node->text) ? NULL : o;
    return NULL;
}

/* Its value: a word, or a number. NULL: no memory. */
static const char *value_of(lbr_arena *arena, const lbr_option *o, const lbr_options *options)
{
    const void *at = (const char *)options + o->offset;
    const char *word;
    size_t n;

    if (o->type == LBR_OPTION_COUNT) return lbr_arena_format(arena, "%lld", (long long)*(const int64_t *)at);
    word = lbr_text_word(o->values, *(const int *)at, &n);
    return word ? lbr_arena_format(arena, "%.*s", (int)n, word) : "-";
}

/* Cell k of a run, or of its events. 0 after an error. */
static int cell(lbr_judgement *j, const cells *c, int run, int section, int k, lbr_table_cell *to)
{
    const lbr_trial *r = j->x->run + run;
    const lbr_option *option;
    const lbr_trace *s;
    lbr_frame f;

    *to = (lbr_table_cell){ .text = r->result.method ? r->result.method : "-" };
    if (is_method(c->column[k])) return 1;
    lbr_frame_open(&f, j, run, c->p->line->file, c->p->known);
    f.section = section;
    if ((option = option_of(j, f.lo, c->column[k]))) {
        if (!(to->text = value_of(j->scratch, option, &r->job.options))) lbr_frame_no_memory(&f);
        return lbr_frame_close(&f) && to->text;
    }
    if ((s = lbr_frame_value(&f, c->column[k]))) {
        if (s->sampled)
            lbr_lower_fail(f.lo, c->column[k]->first,
                           "a series does not fit into a table: take its last, max, mean, ...");
        if (j->dry) j->seen[run].needed |= s->stored;
    }
    *to = (lbr_table_cell){ .number = s };
    return lbr_frame_close(&f) && s;
}

int lbr_table_open(lbr_judgement *j, const lbr_line *line, int known)
{
    lbr_picture_line *p = j->table + j->ntables++;
    lbr_arena scratch = { 0 };
    lbr_runs *runs;
    lbr_table_cell unused;
    cells c;
    int n = 0, good;

    *p = (lbr_picture_line){ .line = line, .known = known };
    j->scratch = &scratch;
    good = lbr_picture_words(line, "of columns") && open_cells(j, p, &c) && (n = lbr_picture_runs(j, p, &runs));
    for (int i = 0; i < n && good; i++)
        for (int k = 0; k < c.n && good; k++) {
            good = cell(j, &c, runs[i].first, runs[i].section, k, &unused);
            for (int r = 1; r < runs[i].count; r++) j->seen[runs[i].first + r].needed |= j->seen[runs[i].first].needed;
        }
    j->scratch = NULL;
    lbr_arena_free(&scratch);
    return good;
}

/* --- all of them ------------------------------------------------------------------------------------------------- */

static int fill(lbr_judgement *j, const cells *c, const lbr_runs *runs, int n, lbr_sheet *s)
{
    const lbr_item *item = lbr_picture_item(c->p->line, "columns");
    lbr_table_cell *at;

    s->name = c->p->line->statement->text, s->rows = 1, s->columns = c->n + j->x->named;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < runs[i].count; r++) s->rows += j->x->run[runs[i].first + r].done;
    if (!(at = s->cell = lbr_arena_alloc(j->scratch, s->rows * s->columns, sizeof *s->cell)))
        return j->no_memory = 1, 0;
    if (j->x->named) (at++)->text = "run";
    for (int k = 0; k < c->n; k++)
        if (!((at++)->text = lbr_piece_of(j->scratch, item, k))) return j->no_memory = 1, 0;
    for (int i = 0; i < n; i++)
        for (int r = runs[i].first; r < runs[i].first + runs[i].count; r++) {
            if (!j->x->run[r].done) continue;
            if (j->x->named) (at++)->text = j->x->run[r].label;
            for (int k = 0; k < c->n; k++)
                if (!cell(j, c, r, runs[i].section, k, at++)) return 0;
        }
    return 1;
}

int lbr_table_fill(lbr_judgement *j, int k, lbr_sheet *s)
{
    lbr_runs *runs;
    cells c;
    int n;

    *s = (lbr_sheet){ 0 };
    return open_cells(j, j->table + k, &c) && (n = lbr_picture_runs(j, j->table + k, &runs)) && fill(j, &c, runs, n, s);
}

/* --- for people -------------------------------------------------------------------------------------------------- */

static const char *text_of(lbr_judgement *j, const lbr_table_cell *c)
{
    const lbr_trace *s = c->number;
    char *text;
    size_t at = 0;

    if (!s) return c->text;
    if (s->strand->missing || !s->strand->n) return "-";
    if (!(text = lbr_arena_alloc(j->scratch, 32 * (s->size + 1), 1))) return j->no_memory = 1, NULL;
    for (int64_t k = 0; k < s->size; k++) {
        double x = s->strand->data[k];

        at += (size_t)snprintf(text + at, 32, x != x ? "%s-" : "%s%.6g", k ? ", " : s->shape.rank ? "[" : "", x);
    }
    if (s->shape.rank) snprintf(text + at, 32, "]");
    return text;
}

/* Texts to the left, numbers to the right. */
static int print(lbr_judgement *j, const lbr_sheet *s, FILE *out)
{
    int *width = lbr_arena_alloc(j->scratch, s->columns, sizeof *width);
    const char **text = lbr_arena_alloc(j->scratch, s->rows * s->columns, sizeof *text);

    if (!width || !text) return j->no_memory = 1, 0;
    for (int64_t i = 0; i < s->rows * s->columns; i++) {
        int n, k = (int)(i % s->columns);

        if (!(text[i] = text_of(j, s->cell + i))) return 0;
        n = (int)strlen(text[i]);
        if (width[k] < n) width[k] = n;
    }
    fprintf(out, "\n%s%s", s->name ? s->name : "", s->name ? "\n" : "");
    for (int64_t i = 0; i < s->rows * s->columns; i++) {
        if (s->rows - 1 > LBR_MANY && i == (int64_t)s->columns * (LBR_MANY + 1)) {
            fprintf(out, "and %lld more rows, which --json lists\n", (long long)s->rows - 1 - LBR_MANY);
            break;
        }
        int k = (int)(i % s->columns), last = k == s->columns - 1;
        int left = s->rows > 1 && !s->cell[s->columns + k].number;

        fprintf(out, left ? "%-*s%s" : "%*s%s", left && last ? 0 : width[k], text[i], last ? "\n" : "  ");
    }
    return 1;
}

lbr_status lbr_judge_tables(lbr_judgement *j, FILE *out)
{
    int good = 1;

    for (int k = 0; j && k < j->ntables && good; k++) {
        lbr_arena scratch = { 0 };
        lbr_sheet s;

        j->scratch = &scratch;
        good = lbr_table_fill(j, k, &s) && print(j, &s, out);
        j->scratch = NULL;
        lbr_arena_free(&scratch);
    }
    return good ? LBR_OK : lbr_experiment_fail(j->x, j->no_memory ? LBR_ENOMEM : LBR_EARG);
}
