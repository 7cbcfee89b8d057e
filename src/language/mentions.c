/* mentions.c - what an expression speaks of, as it is written: rates, and what only runs have.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Both are known before anything is read, so that an abbreviation is read where it has a value: one with a rate in it
 * along the flow, one of a run by whoever judges runs. */
#include "lower.h"

#include <string.h>

/* Quantities of a run; functions of series and runs, beside those of the language that have other meanings there. */
static const char quantities[] =
    "h step steps evaluations iterations first_error seconds energy_error method exact error roundoff";
static const char functions[] = "first last mean rms spread drift count when slope exponent at window unwrap failed "
                                "modified";
static const char reducing[] = "min max"; /* of one argument */

int lbr_function_of_runs(const char *name, int arguments)
{
    return lbr_text_find(functions, name) >= 0 || (arguments == 1 && lbr_text_find(reducing, name) >= 0);
}

/* Whether a file measures something of this name. */
static int measured(const lbr_file *file, const char *name)
{
    for (int k = 0; file && k < file->nstatements; k++)
        for (int i = 0; i < file->statement[k].n && file->statement[k].kind == LBR_ST_MEASURE; i++)
            if (file->statement[k].item[i].target.name && !strcmp(file->statement[k].item[i].target.name, name))
                return 1;
    return 0;
}

static unsigned named(lbr_lower *lo, const lbr_node *node)
{
    const lbr_symbol *s = lbr_symbol_find(lo, node->text);

    for (int k = lo->at.nlocals - 1; k >= lo->at.floor && node->kind == LBR_NODE_NAME; k--)
        if (!strcmp(lo->local[k].name, node->text)) return 0;
    if (s) return s->mentions;
    if (node->kind == LBR_NODE_CALL)
        return node->n && node->arg[0]->kind == LBR_NODE_BINDER ? 0
               : lbr_function_of_runs(node->text, node->n)      ? LBR_MENTIONS_RUNS
                                                                : 0;
    return lbr_text_find(quantities, node->text) >= 0 || measured(lo->at.file, node->text) ? LBR_MENTIONS_RUNS : 0;
}

unsigned lbr_mentions(lbr_lower *lo, const lbr_node *node)
{
    unsigned all = 0;
    int nlocals = lo->at.nlocals;

    if (!node) return 0;
    if (node->kind == LBR_NODE_PRIME) all = LBR_MENTIONS_RATES;
    if (node->kind == LBR_NODE_MEMBER) all = LBR_MENTIONS_RUNS;
    if (node->kind == LBR_NODE_NAME || node->kind == LBR_NODE_CALL) all = named(lo, node);
    for (int k = 0; k < node->n; k++) {
        all |= lbr_mentions(lo, node->arg[k]);
        if (node->arg[k]->kind == LBR_NODE_BINDER) lbr_local_push(lo, node->arg[k]->text, lbr_value_number(lo, 1), 1);
    }
    lbr_local_pop_to(lo, nlocals);
    return all;
}

unsigned lbr_mentions_of(lbr_lower *lo, const lbr_item *item)
{
    int nlocals = lo->at.nlocals;
    unsigned all;

    for (int k = 0; k < item->nparams; k++) lbr_local_push(lo, item->param[k], lbr_value_number(lo, 1), 0);
    for (int k = 0; k < item->target.n; k++)
        if (item->target.index[k]->kind == LBR_NODE_BINDER)
            lbr_local_push(lo, item->target.index[k]->text, lbr_value_number(lo, 1), 1);
    all = lbr_mentions(lo, item->value);
    lbr_local_pop_to(lo, nlocals);
    return all;
}

int lbr_rates_allowed(const lbr_lower *lo)
{
    return lo->at.where & (LBR_WHERE_RATE | LBR_WHERE_OBSERVED | LBR_WHERE_MEASURE);
}

/* In L and the dissipation function velocities are variables of their own; what has a name is not looked into there. */
int lbr_mentions_fit(lbr_lower *lo, const lbr_symbol *s, lbr_place place)
{
    if (s->mentions & LBR_MENTIONS_RUNS)
        return lbr_lower_fail(
                   lo, place,
                   "'%.60s' is made of what is measured over runs: measures, plots, tables and claims can use "
                   "it, and nothing else",
                   s->name),
               0;
    if (!(s->mentions & LBR_MENTIONS_RATES) || (lbr_rates_allowed(lo) && !(lo->at.where & LBR_WHERE_VELOCITY)))
        return 1;
    return lbr_lower_fail(
               lo, place,
               "'%.60s' has a rate (') in it, which has a value along the flow: observe, sections, measures, "
               "plots and tables can use it",
               s->name),
           0;
}

int lbr_derivable(lbr_lower *lo, const lbr_node *node)
{
    if (lo->at.where & LBR_WHERE_VELOCITY || !(lbr_mentions(lo, node) & LBR_MENTIONS_RATES)) return 1;
    return lbr_lower_fail(lo, node->first, "derivatives of rates (') are not taken"), 0;
}
