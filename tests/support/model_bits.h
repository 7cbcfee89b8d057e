/* model_bits.h - the bits of every function of every gallery model at its start, to compare builds: the order of the
 * nodes of a graph must not be the compiler's choice. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODEL_BITS_H
#define MODEL_BITS_H
#include "syntax/gallery.h"
#include "model/model_system.h"
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>

static void print_function(const char *model, const char *name, const lbr_function *f, const lbr_model *m, double *out)
{
    const double *input[40] = { m->y0, m->y0 }; /* a direction as good as any */

    if (!f->code || lbr_code_run(f->code, m->t0, input, out)) return;
    printf("bits model-%s %s %016llx\n", model, name,
           (unsigned long long)lbr_hash(LBR_HASH, out, (size_t)f->len * sizeof *out));
}

static void print_model(const lbr_gallery_item *item)
{
    lbr_source source;
    lbr_model *m = NULL;
    lbr_message why = { 0 };
    double *out = NULL;

    if (!lbr_source_open(&source, item->name) && !lbr_model_make(&m, &source, NULL, 0) && lbr_model_system(m, &why) &&
        (out = malloc((size_t)(2 * m->dim + 1) * sizeof *out))) {
        const lbr_functions *f = m->functions;
        const struct {
            const char *name;
            const lbr_function *f;
        } all[] = { { "energy", &f->energy }, { "field", &f->field },         { "dHdq", &f->dHdq },
                    { "dHdp", &f->dHdp },     { "field_jvp", &f->field_jvp }, { "hessian_vec", &f->hessian_vec } };

        for (int k = 0; k < COUNT(all); k++) print_function(item->name, all[k].name, all[k].f, m, out);
        if (f->system.force) print_function(item->name, "force", &f->force, m, out);
    }
    ok(out != NULL, "model %s has functions%s%s", item->name, why.text[0] ? ": " : "", why.text);
    free(out), lbr_model_free(m), lbr_source_free(&source);
}
#endif
