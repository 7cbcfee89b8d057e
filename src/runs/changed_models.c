/* changed_models.c - models with other parameters and starts: what a run, the command line, a claim's `against` change.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

#include <string.h>

typedef struct changes {
    lbr_change *item;
    int n, most;
} changes;

static int add_changes(lbr_experiment *x, lbr_model *m, const lbr_line *line, const lbr_item *item, changes *all)
{
    lbr_change *some;
    int n = lbr_model_change(m, line, item, &some);

    if (n < 0) return 0;
    if (!LBR_ROOM(&x->arena, all->item, all->n, all->most, n)) return lbr_experiment_no_memory(x);
    if (n) memcpy(all->item + all->n, some, (size_t)n * sizeof *some);
    all->n += n;
    return 1;
}

/* Whether a file that uses the file of this line has given the name anew: that is nearer. */
static int used_anew(const lbr_experiment *x, const lbr_line *line, const char *name)
{
    for (int i = 0; i < x->source->nlines; i++) {
        const lbr_line *l = x->source->line + i;

        for (int k = 0; l->statement->kind == LBR_ST_USE && l->depth < line->depth && k < l->statement->n; k++)
            if (l->statement->item[k].target.name && !strcmp(l->statement->item[k].target.name, name)) return 1;
    }
    return 0;
}

/* What a run statement changes of the model. */
static int line_changes(lbr_experiment *x, lbr_model *m, const lbr_line *line, changes *all)
{
    for (int k = 0; k < line->statement->n; k++) {
        const lbr_item *item = line->statement->item + k;

        if (!item->target.name || lbr_setting_known(m, item->target.name) || used_anew(x, line, item->target.name))
            continue;
        if (!add_changes(x, m, line, item, all)) return 0;
    }
    return 1;
}

/* The model with what it has been changed to before, and more. */
static lbr_status changed(lbr_experiment *x, lbr_model *m, const changes *more, lbr_model **out)
{
    changes all = { .item = lbr_arena_alloc(&x->arena, m->nchanges + more->n + 1, sizeof *all.item) };

    if (!all.item) return LBR_ENOMEM;
    for (int k = 0; k < m->nchanges; k++) {
        int replaced = 0;

        for (int j = 0; j < more->n; j++)
            replaced |= m->change[k].prime == more->item[j].prime && !strcmp(m->change[k].name, more->item[j].name);
        if (!replaced) all.item[all.n++] = m->change[k];
    }
    for (int j = 0; j < more->n; j++) all.item[all.n++] = more->item[j];
    return lbr_model_make(out, x->source, all.item, all.n);
}

static lbr_status rebase(lbr_experiment *x, const changes *more)
{
    lbr_model *next;
    lbr_status status;

    if (!more->n) return LBR_OK;
    if ((status = changed(x, x->base, more, &next))) return lbr_experiment_fail(x, status);
    lbr_model_free(x->base);
    x->base = next;
    return LBR_OK;
}

/* Settings are not given so; who gave this one, on a command line or from C, gives it otherwise. */
static lbr_status is_setting(lbr_experiment *x, const char *name)
{
    if (x->over.partial)
        return lbr_experiment_say(x, LBR_EARG,
                                  "parameters and variables are given anew so; '%.60s' is a setting of runs, which is "
                                  "said where a plan is made, started or run",
                                  name);
    return lbr_experiment_say(
        x, LBR_EARG, "--set gives parameters and variables anew; '%.60s' is a setting, given as --%.60s", name, name);
}

/* NAME=VALUE of --set or lbr_problem_set, where it stands, as in a start statement. */
static lbr_status given(lbr_experiment *x, changes *all)
{
    const char *set_by = x->over.partial ? "set" : "--set"; /* from C; on a command line */

    for (int k = 0; k < x->over.nsets; k++) {
        const lbr_pair *set = x->over.set + k;
        char *text = lbr_arena_format(&x->arena, "%s=%s", set->name, set->value),
             *name = lbr_arena_format(&x->arena, "%s %s", set_by, set->name);
        lbr_file *file;
        lbr_line line;
        lbr_status status = text && name ? lbr_source_given(x->source, name, text, LBR_GIVEN_VALUE, &file) : LBR_ENOMEM;

        if (status) return lbr_experiment_fail(x, status);
        if (lbr_setting_known(x->base, set->name)) return is_setting(x, set->name);
        if (file->nstatements != 1 || file->statement->n != 1)
            return lbr_experiment_say(x, LBR_EARG, "%s %s: expected NAME=VALUE", set_by, text);
        line = lbr_line_after(file, x->base->lo.at.folder);
        if (!add_changes(x, x->base, &line, file->statement->item, all)) return lbr_experiment_fail(x, LBR_EARG);
    }
    return LBR_OK;
}

lbr_status lbr_base_change(lbr_experiment *x, const lbr_line *line)
{
    changes all = { 0 };

    return line_changes(x, x->base, line, &all) ? rebase(x, &all) : lbr_experiment_fail(x, LBR_EARG);
}

lbr_status lbr_base_given(lbr_experiment *x)
{
    changes all = { 0 };
    lbr_status status = given(x, &all);

    return status ? status : rebase(x, &all);
}

void lbr_trial_bind(const lbr_trial *r, lbr_lower *lo)
{
    for (int k = 0; k < r->nindex; k++)
        lbr_local_push(lo, r->index_name[k], lbr_value_number(lo, (double)r->index[k]), 1);
}

static lbr_status own_model(lbr_experiment *x, lbr_trial *r)
{
    changes all = { 0 };
    lbr_status status = LBR_OK;
    lbr_reading before;
    int good;

    r->model = x->base;
    if (!r->line) return LBR_OK;
    before = lbr_lower_enter(&x->base->lo, r->line, 0);
    lbr_trial_bind(r, &x->base->lo);
    good = line_changes(x, x->base, r->line, &all);
    lbr_lower_leave(&x->base->lo, &before);
    if (!good) return lbr_experiment_fail(x, LBR_EARG);
    if (all.n && x->over.nsets) { /* the command line comes last: the base has its values */
        changes set = { 0 };

        if ((status = given(x, &set))) return status;
        for (int k = 0; k < set.n; k++) {
            lbr_change *more = lbr_arena_alloc(&x->arena, all.n + 1, sizeof *more);
            int kept = 0;

            if (!more) return lbr_experiment_fail(x, LBR_ENOMEM);
            for (int j = 0; j < all.n; j++)
                if (strcmp(all.item[j].name, set.item[k].name) || all.item[j].prime != set.item[k].prime)
                    more[kept++] = all.item[j];
            all = (changes){ .item = more, .n = kept };
        }
    }
    if (!all.n) return LBR_OK;
    if ((status = changed(x, x->base, &all, &r->model))) return r->model = NULL, lbr_experiment_fail(x, status);
    r->owns = 1;
    return LBR_OK;
}

/* What a claim's `against` changes comes after everything else. */
static lbr_status varied_model(lbr_experiment *x, lbr_trial *r)
{
    changes more = { .item = (lbr_change *)r->varied, .n = r->nvaried };
    lbr_model *next;
    lbr_status status;

    if (!more.n) return LBR_OK;
    if ((status = changed(x, r->model, &more, &next))) return lbr_experiment_fail(x, status);
    if (r->owns) lbr_model_free(r->model);
    r->model = next, r->owns = 1;
    return LBR_OK;
}

lbr_status lbr_trial_model(lbr_experiment *x, lbr_trial *r)
{
    lbr_status status = own_model(x, r);

    return status ? status : varied_model(x, r);
}

lbr_status lbr_trial_extended(lbr_experiment *x, lbr_trial *r)
{
    lbr_model *next = r->model;
    lbr_status status = LBR_OK;

    if (!r->owns && (status = changed(x, r->model, &(changes){ 0 }, &next))) return lbr_experiment_fail(x, status);
    r->model = next, r->owns = 1, next->extended = 1;
    return LBR_OK;
}
