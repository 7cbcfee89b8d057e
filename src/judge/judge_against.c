/* judge_against.c - the settings under which a claim must not hold: whether they can be made.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <stdio.h>
#include <string.h>

static void option(lbr_frame *f, const lbr_item *item)
{
    lbr_options options;
    char text[64];
    double v;

    lbr_options_init(&options);
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o)) {
        if (strcmp(o->name, item->target.name)) continue;
        snprintf(text, sizeof text, "%.60s", item->source ? item->source : "");
        if (o->type == LBR_OPTION_COUNT) {
            if (!lbr_lower_constant(f->lo, item->value, &v)) return;
            snprintf(text, sizeof text, "%.0f", v);
        }
        if (lbr_option_set(&options, o->name, text))
            lbr_lower_fail(f->lo, item->target.place, "%s has no value '%.40s'; it is one of: %s", o->name, text,
                           o->values);
        return;
    }
}

static void word(lbr_frame *f, const lbr_item *item, int setting)
{
    int64_t n;
    double x;

    switch (setting) {
    case LBR_SETTING_METHOD:
        if (!item->method) lbr_lower_fail(f->lo, item->target.place, "expected a method");
        else if (!lbr_method_text(f->j->x, f->j->x->base, f->lo->at.file, item->method)) f->lo->at.failed = 1;
        return;
    case LBR_SETTING_STEP:
    case LBR_SETTING_TIME: lbr_lower_constant(f->lo, item->value, &x); return;
    case LBR_SETTING_STEPS:
    case LBR_SETTING_EVERY: lbr_lower_integer(f->lo, item->value, item->target.name, 0, INT64_C(1) << 53, &n); return;
    case LBR_SETTING_UNTIL:
        if (item->value && item->value->kind == LBR_NODE_NAME)
            lbr_section_named(f->lo, f->j->x->base, item->value->text, item->value->place);
        else lbr_lower_fail(f->lo, item->target.place, "expected the name of a section");
        return;
    case LBR_SETTING_CONTROL:
        lbr_lower_fail(f->lo, item->target.place, "variable steps (control) come with a later version");
        return;
    default: return;
    }
}

static void check(lbr_frame *f, const lbr_line *line, const lbr_item *item)
{
    lbr_change *change;
    int setting;

    if (!item->target.name) return;
    if (!lbr_setting_known(f->j->x->base, item->target.name)) {
        if (lbr_model_change(f->j->x->base, line, item, &change) < 0) f->lo->at.failed = 1;
        return;
    }
    if ((setting = lbr_setting_of(item->target.name)) >= 0) word(f, item, setting);
    else option(f, item);
}

void lbr_against_check(lbr_frame *f, const lbr_claim *c)
{
    static const lbr_setting_word own[] = { LBR_SETTING_STEP, LBR_SETTING_STEPS, LBR_SETTING_TIME,
                                            LBR_SETTING_EVERY }; /* of the run: against step = 4*step */
    const lbr_statement *st = c->line->statement;
    lbr_reading before = lbr_lower_enter(f->lo, c->line, LBR_WHERE_MEASURE | LBR_WHERE_AROUND);

    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        lbr_local_push(f->lo, lbr_setting_text(own[k]), lbr_value_number(f->lo, 720720000), 1);
    for (int k = 0; k < st->n && !f->lo->at.failed; k++) check(f, c->line, st->item + k);
    if (lbr_lower_leave(f->lo, &before)) f->lo->at.failed = 1;
}
