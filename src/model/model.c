/* model.c - a model made from its texts and changed parameters. SPDX-License-Identifier: BSD-3-Clause */
#include "model_system.h"

#include <string.h>

lbr_reading lbr_model_enter(lbr_model *m)
{
    const lbr_source *s = m->source;
    const lbr_line *last = s->nlines ? s->line + s->nlines - 1 : NULL;
    lbr_line line = lbr_line_after(last ? last->file : s->nfiles ? s->file[0] : NULL, last ? last->folder : NULL);

    return lbr_lower_enter(&m->lo, &line, 0);
}

static lbr_model *open_model(lbr_source *source)
{
    lbr_model *m = lbr_mem_alloc(sizeof *m);

    if (!m) return NULL;
    m->source = source;
    lbr_dag_init(&m->dag, &m->arena);
    lbr_lower_init(&m->lo, &m->dag, &m->arena);
    m->lo.model = m;
    lbr_model_enter(m);
    return m;
}

/* --- changes ----------------------------------------------------------------------------------------------------- */

static int keep_change(lbr_model *m, const lbr_change *c, lbr_arena *arena, lbr_change *out)
{
    size_t bytes = (size_t)lbr_shape_size(&c->shape) * sizeof *c->data;
    double *data = lbr_arena_alloc(arena, 1, bytes + 1);

    if (!data) {
        m->dag.status = LBR_ENOMEM;
        return 0;
    }
    memcpy(data, c->data, bytes);
    *out = *c, out->data = data;
    return 1;
}

/* The indices of a change's left side, all of them numbers; every combination once. */
typedef struct changing {
    lbr_model *m;
    const lbr_item *item;
    lbr_change *list;
    int n;
    lbr_change now;
    const lbr_variable *x;
} changing;

static void add_change(changing *c)
{
    lbr_model *m = c->m;
    double *data;

    if (!lbr_model_constants(m, c->item->value, &c->now.shape, &data)) return;
    if (!LBR_ROOM_FOR_ONE(&m->source->arena, c->list, c->n)) {
        lbr_lower_no_memory(&m->lo);
        return;
    }
    c->now.data = data;
    if (!keep_change(m, &c->now, &m->source->arena, c->list + c->n)) m->lo.at.failed = 1;
    else c->n++;
}

static void change_indices(changing *c, int k)
{
    lbr_lower *lo = &c->m->lo;
    const lbr_target *t = &c->item->target;
    int64_t from, to;

    if (lo->at.failed) return;
    if (k == t->n) {
        c->now.nindex = k, add_change(c);
        return;
    }
    if (t->index[k]->kind != LBR_NODE_BINDER) {
        if (lbr_lower_integer(lo, t->index[k], "an index", 1, c->x->shape.n[k], c->now.index + k))
            change_indices(c, k + 1);
        return;
    }
    if (!lbr_lower_integer(lo, t->index[k]->arg[0], "the beginning of a range", 1, LBR_MOST_COMPONENTS, &from)) return;
    if (!lbr_lower_integer(lo, t->index[k]->arg[1], "the end of a range", 0, c->x->shape.n[k], &to)) return;
    for (int64_t i = from; i <= to && !lo->at.failed; i++) {
        c->now.index[k] = i;
        if (!lbr_local_push(lo, t->index[k]->text, lbr_value_number(lo, (double)i), 1)) return;
        change_indices(c, k + 1);
        lbr_local_pop(lo, 1);
    }
}

/* Whether this can be given anew, and which variable it is. 0 after an error. */
static int changeable(lbr_model *m, const lbr_target *t, const lbr_variable **x)
{
    const lbr_symbol *s = lbr_symbol_find(&m->lo, t->name);

    if (!strcmp(t->name, "t"))
        return (!t->n && !t->prime) || (lbr_lower_fail(&m->lo, t->place, "the time has no components and no rate"), 0);
    if (!s) return lbr_name_unknown(&m->lo, t->name, t->place, 2), 0;
    if (s->kind == LBR_SYM_VARIABLE && !s->faulty) *x = m->variable + s->variable;
    else if (s->kind != LBR_SYM_PARAM)
        return lbr_lower_fail(&m->lo, t->place,
                              "'%.60s' is neither a parameter nor a variable: only these can be given anew", t->name),
               0;
    if (!*x && (t->n || t->prime)) return lbr_lower_fail(&m->lo, t->place, "a parameter is given anew as a whole"), 0;
    if (*x && t->n > (*x)->shape.rank)
        return lbr_lower_fail(&m->lo, t->place, "too many indices for '%.60s'", t->name), 0;
    return 1;
}

int lbr_model_change(lbr_model *m, const lbr_line *line, const lbr_item *item, lbr_change **change)
{
    const lbr_target *t = &item->target;
    lbr_line after = lbr_line_after(line->file, line->folder);
    lbr_reading before = lbr_lower_enter(&m->lo, &after, m->lo.at.where | LBR_WHERE_AROUND);
    changing c = { .m = m,
                   .item = item,
                   .now = { .name = t->name, .file = line->file, .place = t->place, .prime = t->prime } };
    int64_t spent = m->lo.evaluations;

    if (changeable(m, t, &c.x)) {
        if (spent < LBR_MOST_EVALUATIONS - LBR_MOST_EVALUATIONS / 10)
            m->lo.evaluations = LBR_MOST_EVALUATIONS - LBR_MOST_EVALUATIONS / 10;
        change_indices(&c, 0); /* each change has a tenth for itself: a sweep may have many runs */
        if (m->lo.evaluations <= LBR_MOST_EVALUATIONS) m->lo.evaluations = spent;
    }
    *change = c.list;
    return lbr_lower_leave(&m->lo, &before) || m->dag.status ? -1 : c.n;
}

/* --- making it --------------------------------------------------------------------------------------------------- */

/* Changes of a name replace the earlier ones of that name. */
static int merge(lbr_model *m, lbr_change *list, int n, const lbr_change *more, int nmore)
{
    int kept = 0;

    for (int k = 0; k < n; k++) {
        int replaced = 0;

        for (int j = 0; j < nmore && !replaced; j++)
            replaced = list[k].prime == more[j].prime && !strcmp(list[k].name, more[j].name);
        if (!replaced) list[kept++] = list[k];
    }
    for (int j = 0; j < nmore; j++)
        if (!keep_change(m, more + j, &m->arena, list + kept++)) return -1;
    return kept;
}

/* What `use` changes: worked out with the values before. */
static int used_changes(lbr_source *source, lbr_model *m, int line, lbr_change **list, int *n)
{
    const lbr_line *l = source->line + line;
    lbr_model *before = open_model(source);
    lbr_change *all = NULL, *some;
    int nall = 0, most = 0, good = before != NULL;

    if (!before) {
        m->dag.status = LBR_ENOMEM;
        return 0;
    }
    before->change = *list, before->nchanges = *n;
    good = lbr_model_declare(before, line) && lbr_model_layout(before) && !lbr_source_errors(source);
    for (int k = 0; k < l->statement->n && good; k++) {
        int count = lbr_model_change(before, l, l->statement->item + k, &some);

        if (count < 0) {
            good = 0;
            break;
        }
        if (!LBR_ROOM(&m->arena, all, nall, most, count)) {
            m->dag.status = LBR_ENOMEM, good = 0;
            break;
        }
        if (count) memcpy(all + nall, some, (size_t)count * sizeof *all);
        nall += count;
    }
    if (good && nall) {
        lbr_change *merged = lbr_arena_alloc(&m->arena, *n + nall, sizeof *merged);

        if (!merged) m->dag.status = LBR_ENOMEM, good = 0;
        else {
            if (*n) memcpy(merged, *list, (size_t)*n * sizeof *merged);
            *n = merge(m, merged, *n, all, nall), *list = merged;
            good = *n >= 0;
        }
    }
    if (before->dag.status && !m->dag.status) m->dag.status = before->dag.status, m->dag.message = before->dag.message;
    lbr_model_free(before);
    return good;
}

static int all_changes(lbr_model *m, const lbr_change *change, int nchanges)
{
    lbr_change *list = NULL;
    int n = 0;

    for (int k = 0; k < m->source->nlines; k++)
        if (m->source->line[k].statement->kind == LBR_ST_USE && m->source->line[k].statement->n &&
            !used_changes(m->source, m, k, &list, &n))
            return 0;
    if (nchanges) {
        lbr_change *merged = lbr_arena_alloc(&m->arena, n + nchanges, sizeof *merged);

        if (!merged) {
            m->dag.status = LBR_ENOMEM;
            return 0;
        }
        if (n) memcpy(merged, list, (size_t)n * sizeof *merged);
        n = merge(m, merged, n, change, nchanges), list = merged;
        if (n < 0) return 0;
    }
    m->change = list, m->nchanges = n;
    m->digest = m->source->digest;
    for (int k = 0; k < n; k++) {
        m->digest = lbr_hash(m->digest, list[k].name, strlen(list[k].name) + 1);
        m->digest = lbr_hash(m->digest, (const int[]){ list[k].prime, list[k].nindex, list[k].shape.rank },
                             3 * sizeof(int));
        m->digest = lbr_hash(m->digest, list[k].index, (size_t)list[k].nindex * sizeof *list[k].index);
        m->digest = lbr_hash(m->digest, list[k].data, (size_t)lbr_shape_size(&list[k].shape) * sizeof *list[k].data);
    }
    return 1;
}

static lbr_status no_memory(lbr_source *source) { return source->message = "out of memory", LBR_ENOMEM; }

static lbr_status failed(lbr_model *m, lbr_model **model)
{
    lbr_source *source = m->source;
    int starved = m->dag.status == LBR_ENOMEM;

    if (!starved && !lbr_source_errors(source)) { /* a limit of all the text: said of the statement that met it */
        const lbr_line *line = m->lo.last ? source->line + m->lo.last - 1 : NULL;

        lbr_file_error(line ? line->file : source->file[0], line ? line->statement->place : (lbr_place){ 1, 1 }, "%s",
                       m->dag.message.text[0] ? m->dag.message.text : "this model cannot be made");
    }
    lbr_model_free(m);
    *model = NULL;
    return starved ? no_memory(source) : lbr_source_report(source);
}

/* What is looked at after all statements have been read. */
static int completed(lbr_model *m, int (*part)(lbr_model *))
{
    lbr_reading before = lbr_model_enter(m);
    int good = part(m);

    lbr_lower_leave(&m->lo, &before);
    return good && !lbr_source_errors(m->source);
}

lbr_status lbr_model_make(lbr_model **model, lbr_source *source, const lbr_change *change, int nchanges)
{
    lbr_model *m = open_model(source);

    *model = NULL;
    if (!m) return no_memory(source);
    if (!all_changes(m, change, nchanges) || !lbr_model_declare(m, source->nlines) || !lbr_model_layout(m) ||
        !lbr_model_define(m))
        return failed(m, model);
    if (lbr_source_errors(source) || !completed(m, lbr_model_finish) || !completed(m, lbr_model_starts))
        return failed(m, model);
    if (!completed(m, lbr_model_poisson_check) || !completed(m, lbr_model_involution) || m->dag.status)
        return failed(m, model);
    if (m->lo.data) m->digest = lbr_hash(m->digest, &m->lo.data, sizeof m->lo.data);
    *model = m;
    return LBR_OK;
}

void lbr_model_free(lbr_model *m)
{
    if (!m) return;
    lbr_functions_free(m);
    lbr_dag_free(&m->dag);
    lbr_arena_free(&m->arena);
    lbr_mem_free(m);
}
