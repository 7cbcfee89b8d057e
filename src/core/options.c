/* options.c - the options, described once. SPDX-License-Identifier: BSD-3-Clause */
#include "libration/options.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(lbr_options, field)
static const lbr_option table[] = {
    { "compensated", LBR_OPTION_FLAG, AT(compensated), "no yes", "no",
      "sum with the lost low parts kept (HLW VIII.5): rounding errors about 100 times smaller", 1 },
    { "precision", LBR_OPTION_WORD, AT(precision), "double extended", "double",
      "extended: a model's steps in 113 bits, its state in 107: the truth about round-off; slow, and needs a C "
      "compiler",
      LBR_BITS_NEW },
    { "solver", LBR_OPTION_WORD, AT(solver), "auto fixed-point newton", "auto",
      "how implicit equations are solved; auto: fixed point, and Newton from the first step where that fails", 1 },
    { "jacobian", LBR_OPTION_WORD, AT(jacobian), "auto user differences", "auto",
      "what Newton's matrix is made of: the system's field_jvp, or differences; auto: the former if there", 1 },
    { "max_iterations", LBR_OPTION_COUNT, AT(max_iterations), "1..1000000", "100",
      "iterations in one implicit solve before it counts as failed", 1 },
    { "starting_values", LBR_OPTION_WORD, AT(starting_values),
      "auto field output one-call two-calls equistage two-step", "auto",
      "where the iteration of an implicit step begins (HLW VIII.6.1): the field, the last step's continuous output, "
      "that and one or two more calls, stages of eight steps one by one, of two steps together; auto: one of the last "
      "two",
      LBR_BITS_NEW },
    { "isa", LBR_OPTION_WORD, AT(isa), "auto baseline v3 v4", "auto",
      "instruction set of the steppers; auto: the best this machine has. The bits do not depend on it", 0 },
    { "monitor", LBR_OPTION_WORD, AT(monitor), "every samples off", "every",
      "where the tool watches energy and invariants: at every step, where samples are taken, or nowhere", 0 },
    { "project_start", LBR_OPTION_FLAG, AT(project_start), "no yes", "no",
      "the tool moves a start that is off the constraints onto them", 0 },
    { "land", LBR_OPTION_FLAG, AT(land), "no yes", "no",
      "the tool shortens the step so that the run ends at the time asked for", 0 },
    { "exact_lanes", LBR_OPTION_FLAG, AT(exact_lanes), "no yes", "no",
      "many trajectories in lanes call libm number by number: each has the bits that it has alone", 0 },
    { "compile", LBR_OPTION_WORD, AT(compile), "auto wait no", "auto",
      "machine code for steps, in the tool: compiled beside a run that is long enough, before its first step, or not "
      "at all. The bits do not depend on it",
      0 },
    { 0 }
};

const lbr_option *lbr_option_next(const lbr_option *option)
{
    option = option ? option + 1 : table;
    return option->name ? option : NULL;
}

/* The integer that `value` stands for under option o; -1 if it is none. */
static int64_t value_of(const lbr_option *o, const char *value)
{
    char *end;
    long long n;

    if (o->type == LBR_OPTION_WORD || o->type == LBR_OPTION_FLAG) {
        if (o->type == LBR_OPTION_FLAG && (!strcmp(value, "0") || !strcmp(value, "1"))) return value[0] - '0';
        return lbr_text_find(o->values, value);
    }
    n = strtoll(value, &end, 10);
    return *value >= '0' && *value <= '9' && !*end && n >= 1 && n <= 1000000 ? n : -1;
}

static int same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && !(strchr("-_", *a) && strchr("-_", *b))) return 0;
    return *a == *b;
}

lbr_status lbr_option_set(lbr_options *options, const char *name, const char *value)
{
    if (!options || !name || !value) return LBR_EARG;
    for (const lbr_option *o = table; o->name; o++) {
        int64_t v;

        if (!same_name(o->name, name)) continue;
        if (o->offset + (o->type == LBR_OPTION_COUNT ? sizeof(int64_t) : sizeof(int)) > options->size) return LBR_EARG;
        if ((v = value_of(o, value)) < 0) return LBR_EARG;
        if (o->type == LBR_OPTION_COUNT) *(int64_t *)((char *)options + o->offset) = v;
        else *(int *)((char *)options + o->offset) = (int)v;
        return LBR_OK;
    }
    return LBR_EARG;
}

void lbr_options_init_sized(lbr_options *options, size_t size)
{
    if (!options || size < sizeof size) return;
    memset(options, 0, size);
    options->size = size;
    for (const lbr_option *o = table; o->name; o++) lbr_option_set(options, o->name, o->standard);
}
