/* method_text.c - methods of a file: expressions with its names and indices put in, coefficients of its own.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"
#include "core/growing_text.h"
#include "core/number.h"
#include "plan/flatten.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- expressions ------------------------------------------------------------------------------------------------- */

typedef struct writing {
    lbr_experiment *x;
    lbr_model *m;
    lbr_text text;
    int depth;
} writing;

static void put(writing *w, const char *s)
{
    lbr_text_put(&w->text, s);
    if (w->text.status) lbr_lower_no_memory(&w->m->lo);
}

static void put_number(writing *w, double v)
{
    char text[LBR_NUMBER + 1] = "";

    lbr_number_write(text, v == 0 ? 0 : v);
    put(w, text);
}

static const lbr_statement *defined(const writing *w, const char *name)
{
    for (int k = 0; k < w->m->nmethods; k++)
        if (!strcmp(w->m->method[k]->statement->text, name)) return w->m->method[k]->statement;
    return NULL;
}

static lbr_node name_node(const lbr_mexpr *e)
{
    return (lbr_node){ .kind = LBR_NODE_NAME, .text = e->k_name, .place = e->k_place, .first = e->k_place };
}

/* Numbers keep all their digits. */
static void put_value(writing *w, const lbr_node *e)
{
    int minus = e->kind == LBR_NODE_NEGATE && e->arg[0]->kind == LBR_NODE_NUMBER;
    double v;

    if (minus || e->kind == LBR_NODE_NUMBER) put(w, minus ? "-" : ""), put(w, minus ? e->arg[0]->text : e->text);
    else if (lbr_lower_constant(&w->m->lo, e, &v)) put_number(w, v);
}

static void write_method(writing *w, const lbr_mexpr *e)
{
    const lbr_statement *d = e->name ? defined(w, e->name) : NULL;
    lbr_node k;
    int64_t number;

    if (w->m->lo.at.failed) return;
    if (w->text.length > 65536) {
        lbr_lower_fail(&w->m->lo, e->place, "this method, with all names put in, is longer than 65536 characters");
        return;
    }
    if (e->key) put(w, e->key), put(w, " = ");
    if (!e->name) {
        put_value(w, e->value);
        return;
    }
    if (d && d->n && d->item[0].method && !e->has_k && !e->has_args) { /* an expression that has a name here */
        if (++w->depth > 20) {
            lbr_lower_fail(&w->m->lo, e->place, "methods that are defined by each other");
            return;
        }
        write_method(w, d->item[0].method);
        w->depth--;
        return;
    }
    put(w, e->name);
    if (e->k_name) {
        k = name_node(e);
        if (!lbr_lower_integer(&w->m->lo, &k, "the number after ':'", 0, 1000000, &number)) return;
        put(w, ":"), put_number(w, (double)number);
    } else if (e->has_k) put(w, ":"), put_number(w, e->k);
    for (int i = 0; i < e->n; i++) put(w, i ? ", " : "("), write_method(w, e->arg[i]);
    if (e->n) put(w, ")");
}

const char *lbr_method_text(lbr_experiment *x, lbr_model *m, lbr_file *file, const lbr_mexpr *e)
{
    writing w = { .x = x, .m = m, .text = { .arena = &x->arena } };
    lbr_line line = lbr_line_after(file, NULL);
    lbr_reading before = lbr_lower_enter(&m->lo, &line, m->lo.at.where | LBR_WHERE_AROUND);

    write_method(&w, e);
    return lbr_lower_leave(&m->lo, &before) ? NULL : w.text.text;
}

const char *lbr_method_given(lbr_experiment *x, lbr_model *m, const char *name, const char *given)
{
    lbr_file *file;
    lbr_status status = lbr_source_given(x->source, name, given, LBR_GIVEN_METHOD, &file);

    if (status) return lbr_experiment_fail(x, status), NULL;
    if (file->nstatements == 1 && file->statement->n == 1)
        return lbr_method_text(x, m, file, file->statement->item[0].method);
    return lbr_experiment_say(x, LBR_EARG, "%s: '%.200s' is not a method expression", name, given), NULL;
}

/* Whether a plan would understand it; the sentence, if not. -1: no memory. */
static int understood(lbr_experiment *x, lbr_model *m, lbr_file *file, const lbr_mexpr *e, const lbr_method *table,
                      lbr_message *why)
{
    lbr_names names = { .methods = table, .nmethods = x->nmethods };
    const char *text = lbr_method_text(x, m, file, e);
    lbr_arena arena = { 0 };
    lbr_flat flat;
    lbr_status status = text ? lbr_flatten(&flat, text, &names, 1, &arena, why) : LBR_ENOMEM;

    lbr_arena_free(&arena);
    return status == LBR_EMETHOD ? 0 : status == LBR_ENOMEM ? -1 : 1;
}

/* The smallest piece of an expression of which the same sentence is true: an argument, or what a name of the file
 * stands for. */
static const lbr_mexpr *culprit(lbr_experiment *x, lbr_model *m, lbr_file **file, const lbr_mexpr *e,
                                const lbr_method *table, const lbr_message *why)
{
    lbr_message same = { 0 };

    for (int k = 0; k < e->n; k++)
        if (e->arg[k]->name && !understood(x, m, *file, e->arg[k], table, &same) && !strcmp(same.text, why->text))
            return culprit(x, m, file, e->arg[k], table, why);
    for (int k = 0; k < m->nmethods && e->name && !e->n; k++) {
        const lbr_line *line = m->method[k];
        const lbr_statement *st = line->statement;

        if (!strcmp(st->text, e->name) && !st->text2 && st->n && st->item[0].method)
            return *file = line->file, culprit(x, m, file, st->item[0].method, table, why);
    }
    return e;
}

int lbr_method_checked(lbr_experiment *x, lbr_model *m, lbr_file *file, const lbr_mexpr *e, const lbr_method *table)
{
    lbr_message why = { 0 };
    int good = understood(x, m, file, e, table, &why);

    if (good > 0) return 1;
    if (good < 0) return lbr_experiment_no_memory(x);
    e = culprit(x, m, &file, e, table, &why);
    return lbr_file_error(file, e->place, "%s", why.text), 0;
}

/* --- coefficients ------------------------------------------------------------------------------------------------ */

/* All digits where a number is written as such; NULL: it is computed. A matrix is a list of rows. */
static const char *digits(lbr_experiment *x, const lbr_node *list, int64_t k, int64_t columns)
{
    const lbr_node *e = columns ? list->arg[k / columns] : list->arg[k];

    if (columns && e->kind != LBR_NODE_LIST) return NULL;
    if (columns) e = e->arg[k % columns];
    if (e->kind == LBR_NODE_NUMBER) return e->text;
    return e->kind == LBR_NODE_NEGATE && e->arg[0]->kind == LBR_NODE_NUMBER
               ? lbr_arena_format(&x->arena, "-%s", e->arg[0]->text)
               : NULL;
}

static const char *number_text(lbr_experiment *x, double v)
{
    char text[LBR_NUMBER + 1] = "";

    lbr_number_write(text, v);
    return lbr_arena_text(&x->arena, text);
}

static int list_of(lbr_experiment *x, lbr_model *m, const lbr_item *item, lbr_list *list, int rank)
{
    lbr_shape shape;
    double *data;
    int64_t n;
    const char **text;

    if (!lbr_model_constants(m, item->value, &shape, &data)) return 0;
    if (shape.rank != rank)
        return lbr_lower_fail(&m->lo, item->value->first,
                              rank == 1 ? "expected a list of numbers" : "expected a matrix: a list of rows"),
               0;
    n = lbr_shape_size(&shape);
    if (!(text = lbr_arena_alloc(&x->arena, n + 1, sizeof *text))) return lbr_experiment_no_memory(x);
    for (int64_t k = 0; k < n; k++) {
        if (item->value->kind == LBR_NODE_LIST) text[k] = digits(x, item->value, k, rank == 2 ? shape.n[1] : 0);
        if (!text[k] && !(text[k] = number_text(x, data[k]))) return lbr_experiment_no_memory(x);
    }
    *list = (lbr_list){ n, text };
    return 1;
}

/* Only these entries, each once. */
static int only(lbr_model *m, const lbr_statement *st, const char *names)
{
    for (int k = 0; k < st->n; k++) {
        const lbr_target *t = &st->item[k].target;

        if (!t->name) continue;
        if (lbr_text_find(names, t->name) < 0)
            return lbr_lower_fail(&m->lo, t->place, "%.20s has no '%.40s'; its lists are: %s", st->text2, t->name,
                                  names),
                   0;
        for (int j = 0; j < k; j++)
            if (st->item[j].target.name && !strcmp(st->item[j].target.name, t->name))
                return lbr_lower_fail(&m->lo, t->place, "'%.40s' is given twice", t->name), 0;
    }
    return 1;
}

static const lbr_item *entry(const lbr_statement *st, const char *name)
{
    for (int k = 0; k < st->n; k++)
        if (st->item[k].target.name && !strcmp(st->item[k].target.name, name)) return st->item + k;
    return NULL;
}

/* Drifts a and kicks b, a first, as steps of the map "a, then b" and its adjoint: c1 = a1, c2 = b1 - c1, c3 = a2 - c2,
 * ... (HLW II.5.6). */
static int alternation(lbr_experiment *x, lbr_model *m, const lbr_statement *st, lbr_method *row)
{
    const lbr_item *ia = entry(st, "a"), *ib = entry(st, "b");
    lbr_shape sa, sb;
    double *a, *b, c = 0;
    int64_t n, k = 0;
    const char **text;

    if (!ia || !ib) return lbr_lower_fail(&m->lo, st->place, "splitting needs a = [...] and b = [...]"), 0;
    if (!lbr_model_constants(m, ia->value, &sa, &a) || !lbr_model_constants(m, ib->value, &sb, &b)) return 0;
    if (sa.rank != 1 || sb.rank != 1 || sb.n[0] > sa.n[0] || sa.n[0] > sb.n[0] + 1)
        return lbr_lower_fail(&m->lo, st->place, "splitting: a and b are lists, b as long as a or shorter by one"), 0;
    n = sa.n[0] + sb.n[0];
    text = lbr_arena_alloc(&x->arena, n + 2, sizeof *text);
    if (!text) return lbr_experiment_no_memory(x);
    row->form = m->nparts ? "alternation" : "partitioned";
    if (!m->nparts) text[k++] = "0"; /* over symplectic Euler, the kick comes first: begin with the adjoint */
    for (int64_t i = 0; i < n; i++) {
        c = (i % 2 ? b[i / 2] : a[i / 2]) - c;
        if (!(text[k++] = number_text(x, i == n - 1 && fabs(c) < 1e-14 ? 0 : c))) return lbr_experiment_no_memory(x);
    }
    row->b = (lbr_list){ k, text };
    return 1;
}

/* A matrix of as many rows and columns as b has elements; nothing, if the item is not there. */
static int square(lbr_experiment *x, lbr_model *m, const lbr_statement *st, const lbr_item *item, lbr_method *row,
                  lbr_list *list)
{
    if (!item) return 1;
    if (!list_of(x, m, item, list, 2)) return 0;
    return list->n == row->b.n * row->b.n ||
           (lbr_lower_fail(&m->lo, item->value->first, "%s: %.10s must have as many rows and columns as b has elements",
                           st->text2, item->target.name),
            0);
}

/* A list as long as b; nothing, if the item is not there. */
static int as_long(lbr_experiment *x, lbr_model *m, const lbr_statement *st, const lbr_item *item, lbr_method *row,
                   lbr_list *list)
{
    if (!item) return 1;
    if (!list_of(x, m, item, list, 1)) return 0;
    return list->n == row->b.n || (lbr_lower_fail(&m->lo, item->value->first, "%s: b and %.10s must be of equal length",
                                                  st->text2, item->target.name),
                                   0);
}

static int tableau(lbr_experiment *x, lbr_model *m, const lbr_statement *st, lbr_method *row)
{
    const lbr_item *A = entry(st, "A"), *b = entry(st, "b"), *c = entry(st, "c");

    row->form = "runge-kutta";
    if (!A || !b) return lbr_lower_fail(&m->lo, st->place, "butcher needs A = [[...]] and b = [...]"), 0;
    return list_of(x, m, b, &row->b, 1) && square(x, m, st, A, row, &row->A) && as_long(x, m, st, c, row, &row->c);
}

/* For q'' = g (HLW II.2.11); without A, kicks b at the times c. */
static int nystrom(lbr_experiment *x, lbr_model *m, const lbr_statement *st, lbr_method *row)
{
    const lbr_item *A = entry(st, "A"), *Ahat = entry(st, "Ahat"), *b = entry(st, "b"), *c = entry(st, "c"),
                   *bbar = entry(st, "bbar");

    row->form = "nystrom";
    if (!b || !c) return lbr_lower_fail(&m->lo, st->place, "nystrom needs b = [...] and c = [...]"), 0;
    if (!A && (Ahat || bbar))
        return lbr_lower_fail(&m->lo, (Ahat ? Ahat : bbar)->target.place,
                              "nystrom: without A the method is kicks b at the times c, and has no %s",
                              Ahat ? "Ahat" : "bbar"),
               0;
    return list_of(x, m, b, &row->b, 1) && as_long(x, m, st, c, row, &row->c) && square(x, m, st, A, row, &row->A) &&
           square(x, m, st, Ahat, row, &row->Ahat) && as_long(x, m, st, bbar, row, &row->bbar);
}

static int table_of(lbr_experiment *x, lbr_model *m, const lbr_statement *st, lbr_method *row)
{
    if (!strcmp(st->text2, "splitting")) return only(m, st, "a b") && alternation(x, m, st, row);
    if (!strcmp(st->text2, "butcher")) return only(m, st, "A b c") && tableau(x, m, st, row);
    if (!strcmp(st->text2, "nystrom")) return only(m, st, "A Ahat b bbar c") && nystrom(x, m, st, row);
    row->form = "composition";
    return list_of(x, m, st->item, &row->b, 1);
}

static int table(lbr_experiment *x, lbr_model *m, const lbr_line *line, lbr_method *row)
{
    lbr_line after = lbr_line_after(line->file, line->folder); /* all names of the model may be in it */
    lbr_reading before = lbr_lower_enter(&m->lo, &after, 0);
    int good;

    *row = (lbr_method){ .size = sizeof *row,
                         .name = line->statement->text,
                         .family = "file",
                         .source = line->file->name,
                         .about = "coefficients of the file",
                         .digits = 16 }; /* they are doubles */
    good = table_of(x, m, line->statement, row);
    lbr_lower_leave(&m->lo, &before);
    return good;
}

static int tables(lbr_experiment *x, lbr_model *m, lbr_method *row)
{
    int n = 0;

    for (int k = 0; k < m->nmethods; k++)
        if (m->method[k]->statement->text2 && !table(x, m, m->method[k], row + n++)) return -1;
    return n;
}

int lbr_method_tables(lbr_experiment *x)
{
    lbr_model *m = x->base;

    for (int k = 0; k < m->nmethods; k++) {
        const lbr_statement *st = m->method[k]->statement;
        const lbr_method_info *info;
        lbr_status status = lbr_method_describe(&info, st->text);

        if (!status)
            lbr_file_error(m->method[k]->file, st->place, "'%.60s' is a method of the catalogue; choose another name",
                           st->text);
        lbr_method_free(info);
        if (status == LBR_ENOMEM) return lbr_experiment_no_memory(x);
        if (!status) return 0;
    }
    if (!(x->method = lbr_arena_alloc(&x->arena, m->nmethods + 1, sizeof *x->method)))
        return lbr_experiment_no_memory(x);
    return (x->nmethods = tables(x, m, x->method)) >= 0;
}

int lbr_method_tables_of(lbr_experiment *x, lbr_model *m, const lbr_method **row)
{
    lbr_method *own;

    *row = x->nmethods ? x->method : NULL;
    if (m == x->base || !x->nmethods) return 1;
    if (!(*row = own = lbr_arena_alloc(&x->arena, x->nmethods, sizeof *own))) return lbr_experiment_no_memory(x);
    return tables(x, m, own) >= 0;
}
