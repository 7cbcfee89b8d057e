/* fits.c - whether a method can integrate a system, and why not. SPDX-License-Identifier: BSD-3-Clause */
#include "fits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What follows when the source has been read. */
static lbr_status asked(lbr_fitting *f, lbr_status status)
{
    lbr_overrides nothing = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };
    lbr_message why = { 0 };

    lbr_options_init(&f->options);
    if (status) return f->message = f->source.message, f->status = status;
    if ((status = lbr_experiment_open(&f->x, &f->source, &nothing)))
        return f->message = f->x.message, f->status = status;
    f->options.methods = f->x.nmethods ? f->x.method : NULL, f->options.nmethods = f->x.nmethods;
    if ((f->system = lbr_model_system(f->x.base, &why))) return f->message = "", LBR_OK;
    return f->message = f->x.message, f->status = lbr_experiment_refused(&f->x, &why);
}

lbr_status lbr_fitting_open(lbr_fitting *f, const char *file)
{
    *f = (lbr_fitting){ 0 };
    return asked(f, lbr_source_open(&f->source, file));
}

lbr_status lbr_fitting_text(lbr_fitting *f, const char *name, const char *text)
{
    *f = (lbr_fitting){ 0 };
    return asked(f, lbr_source_text(&f->source, name, text, strlen(text), "."));
}

void lbr_fitting_system(lbr_fitting *f, const lbr_system *system)
{
    *f = (lbr_fitting){ .system = system, .message = "" };
    lbr_options_init(&f->options);
}

void lbr_fitting_free(lbr_fitting *f)
{
    if (f->x.source) lbr_experiment_free(&f->x);
    lbr_source_free(&f->source);
    *f = (lbr_fitting){ 0 };
}

const char *lbr_fitting_own(const lbr_fitting *f, int i)
{
    const lbr_system *s = f->system;

    if (f->x.base) return i < f->x.base->nmethods ? f->x.base->method[i]->statement->text : NULL;
    return s && s->size >= offsetof(lbr_system, nmaps) + sizeof s->nmaps && i < s->nmaps
               ? ((const lbr_map_def *)((const char *)s->maps + (size_t)i * s->maps->size))->name
               : NULL;
}

const char *lbr_fitting_method(lbr_fitting *f, const char *text)
{
    const char *plain;

    if (!f->x.base) return text;
    lbr_experiment_anew(&f->x);
    if ((plain = lbr_method_given(&f->x, f->x.base, "methods", text))) return plain;
    f->status = lbr_experiment_fail(&f->x, LBR_EARG), f->message = f->x.message;
    return NULL;
}

lbr_status lbr_fitting_describe(lbr_fitting *f, const char *method, const lbr_method_info **info, lbr_plan **plan,
                                lbr_message *message)
{
    lbr_status status = f->system ? lbr_plan_create(plan, method, f->system, &f->options) : (*plan = NULL, LBR_EUNFIT);

    *info = NULL, message->text[0] = 0;
    if (!status && !(status = lbr_plan_info(info, *plan))) return LBR_OK;
    lbr_fail(message, status, "%s",
             *info   ? (*info)->message
             : *plan ? lbr_plan_message(*plan)
                     : lbr_status_text(LBR_ENOMEM));
    lbr_method_free(*info), *info = NULL;
    if (status != LBR_EUNFIT) return status;
    if ((status = lbr_method_describe(info, method)) && !*plan)
        lbr_fail(message, status, "%s", *info ? (*info)->message : lbr_status_text(status));
    return status;
}

/* Up to the first end of a sentence, without it. */
static void first_sentence(char *text)
{
    char *end = strstr(text, ". ");
    size_t n;

    if (end) *end = 0;
    n = strlen(text);
    if (n && text[n - 1] == '.') text[n - 1] = 0;
}

/* That a field has no divergence, or is quadratic, is seen when a step is tried. */
static lbr_status tried(const lbr_fitting *f, const char *method, lbr_plan *plan)
{
    const lbr_model *m = f->x.base;
    const lbr_method_info *info;
    lbr_status status = lbr_method_describe(&info, method);
    double *y = !status && m && (strstr(info->needs, "divergence-free") || lbr_text_find(info->needs, "quadratic") >= 0)
                    ? lbr_mem_alloc((size_t)m->dim * sizeof *y)
                    : NULL;

    lbr_method_free(info);
    if (!y) return LBR_OK;
    memcpy(y, m->y0, (size_t)m->dim * sizeof *y);
    status = lbr_map(plan, m->t0, 0.001, y);
    lbr_mem_free(y);
    return status == LBR_EUNFIT ? status : LBR_OK;
}

lbr_status lbr_fits(const lbr_fitting *f, const char *method, lbr_message *why)
{
    lbr_plan *plan;
    lbr_status status = lbr_plan_create(&plan, method, f->system, &f->options);

    why->text[0] = 0;
    if (!status) status = tried(f, method, plan);
    if (status) lbr_fail(why, status, "%s", lbr_plan_message(plan)), first_sentence(why->text);
    lbr_plan_free(plan);
    return status;
}
