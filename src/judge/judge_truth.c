/* judge_truth.c - conditions on numbers, series and lists. SPDX-License-Identifier: BSD-3-Clause */
#include "judging.h"

#include <math.h>
#include <string.h>

static const lbr_trace *joined(lbr_frame *f, char op, const lbr_trace *a, const lbr_trace *b, lbr_place place)
{
    lbr_message why = { 0 };
    const lbr_trace *s = lbr_trace_join(op, a, b, f->j->dry, f->j->scratch, &why);

    return s ? s : lbr_frame_fail(f, place, &why);
}

static const lbr_trace *side(lbr_frame *f, const lbr_node *node)
{
    const lbr_trace *s = lbr_frame_value(f, node);
    lbr_value v = { 0 };

    if (!s || !s->shape.rank) return s;
    v.shape = s->shape, v.row = s->row;
    return lbr_lower_fail(f->lo, node->first, "expected a number here, not %s: the shapes do not fit",
                          lbr_shape_text(f->lo, &v));
}

/* Why a comparison with this side is unknown, unless something has been said already. */
static void doubt(lbr_frame *f, const lbr_trace *s)
{
    const char *name = s->name ? s->name : "what is compared";
    lbr_message *why = &f->j->doubt;

    for (int64_t m = 0; m < s->members && !f->j->dry && !why->text[0]; m++) {
        const lbr_strand *x = s->strand + m;
        int64_t i = 0, n = s->sampled && x->stride ? x->n : x->n > 0;

        while (i < n && !isnan(x->data[i * x->stride])) i++;
        if (x->missing && f->run >= 0) lbr_judge_remark(f->j, f->run);
        else if (x->missing) lbr_fail(why, LBR_OK, "%.60s has no value", name);
        else if (!x->n) lbr_fail(why, LBR_OK, "%.60s has no values: there is nothing to compare", name);
        else if (i < n) lbr_fail(why, LBR_OK, "%.60s is not a number", name);
    }
}

const lbr_trace *lbr_frame_compare(lbr_frame *f, const lbr_node *node, const lbr_trace **middle)
{
    const lbr_trace *all = NULL, *a = side(f, node->arg[0]);

    *middle = a;
    for (int k = 1; k < node->n && a; k++) {
        const lbr_trace *b = side(f, node->arg[k]), *both;

        if (!b) return NULL;
        if (k == 1) doubt(f, a);
        doubt(f, b);
        if (!(both = joined(f, node->text[k - 1], a, b, node->at[k - 1]))) return NULL;
        if (!(all = all ? joined(f, '&', all, both, node->at[k - 1]) : both)) return NULL;
        if (k == (node->n - 1) / 2) *middle = b;
        a = b;
    }
    return a ? all : NULL;
}

static const lbr_trace *turned(lbr_frame *f, const lbr_node *node)
{
    const lbr_trace *s = lbr_frame_truth(f, node->arg[0]);

    return s ? joined(f, '~', s, s, node->place) : NULL;
}

const lbr_trace *lbr_frame_truth(lbr_frame *f, const lbr_node *node)
{
    const lbr_trace *s = NULL, *next;

    switch (node->kind) {
    case LBR_NODE_COMPARE: return lbr_frame_compare(f, node, &next);
    case LBR_NODE_NOT: return turned(f, node);
    case LBR_NODE_AND:
    case LBR_NODE_OR:
        s = lbr_frame_truth(f, node->arg[0]);
        for (int k = 1; k < node->n && s; k++)
            s = (next = lbr_frame_truth(f, node->arg[k]))
                    ? joined(f, node->kind == LBR_NODE_AND ? '&' : '|', s, next, node->at[k - 1])
                    : NULL;
        return s;
    case LBR_NODE_CALL:
        if (!strcmp(node->text, "failed")) return lbr_frame_failed(f, node);
        break;
    default: break;
    }
    if (!lbr_frame_value(f, node)) return NULL;
    return lbr_lower_fail(f->lo, node->first, "expected a condition here, such as x < 1");
}
