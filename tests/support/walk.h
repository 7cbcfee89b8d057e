/* walk.h - over everything the parser has made: what must be there is, and every place is one.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef WALK_H
#define WALK_H
#include "syntax/ast.h"

static int is_place(const lbr_file *f, lbr_place p)
{
    return p.line >= 1 && p.column >= 1 && p.line <= (int)f->size + 1 && p.column <= (int)f->size + 1;
}

static int walk_node(const lbr_file *f, const lbr_node *e, int depth)
{
    int good = e && is_place(f, e->place) && is_place(f, e->first) && depth < 10 * LBR_NESTING && e->nest >= 0 &&
               e->nest <= LBR_NESTING;

    if (good && e->at)
        for (int i = 0; i < e->n - 1; i++) good &= is_place(f, e->at[i]) && e->text[i];
    for (int i = 0; good && i < e->n; i++) good = walk_node(f, e->arg[i], depth + 1);
    return good;
}

static int walk_method(const lbr_file *f, const lbr_mexpr *m)
{
    int good = is_place(f, m->place) && (m->name || m->value) && (!m->value || walk_node(f, m->value, 0));

    for (int i = 0; good && i < m->n; i++) good = walk_method(f, m->arg[i]);
    return good;
}

static int walk_target(const lbr_file *f, const lbr_target *t)
{
    int good = is_place(f, t->place);

    for (int i = 0; good && i < t->n; i++) good = walk_node(f, t->index[i], 0);
    return good;
}

static int walk_statement(const lbr_file *f, const lbr_statement *s)
{
    int good = is_place(f, s->place) && (s->kind != LBR_ST_NONE || s->faulty);

    if (s->value) good &= walk_node(f, s->value, 0);
    for (int i = 0; good && i < s->nmore; i++) good = walk_node(f, s->more[i], 0);
    for (int i = 0; good && i < s->n; i++) {
        const lbr_item *item = &s->item[i];

        if (item->target.name) good &= walk_target(f, &item->target);
        if (item->value) good &= walk_node(f, item->value, 0);
        if (item->method) good &= walk_method(f, item->method);
        if (!s->faulty && (s->kind < LBR_ST_CANONICAL || s->kind > LBR_ST_PARTITION))
            good &= item->value || item->method;
    }
    return good;
}

static int walk(const lbr_file *f, lbr_status status)
{
    int faulty = 0, good = status == (f->nerrors ? LBR_EARG : LBR_OK);

    for (int i = 0; i < f->nerrors && i < LBR_MOST_ERRORS; i++)
        good &= is_place(f, f->error[i].place) && f->error[i].text && *f->error[i].text;
    for (int i = 0; good && i < f->nstatements; i++)
        good = walk_statement(f, &f->statement[i]), faulty += f->statement[i].faulty;
    return good && (faulty == f->nerrors || (faulty == 0 && f->nerrors == 1));
}
#endif
