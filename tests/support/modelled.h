/* modelled.h - models by name or as texts, their systems, and points near their starts; for tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef MODELLED_H
#define MODELLED_H
#include "tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "language/random.h"
#include "model/model_system.h"

typedef struct modelled {
    lbr_source source;
    lbr_model *m;
    const lbr_system *s;
    lbr_functions *f;
    lbr_message message;
} modelled;

static int modelled_made(modelled *x, lbr_status status, const char *what)
{
    if (status || lbr_model_make(&x->m, &x->source, NULL, 0))
        return printf("# %s: %s\n", what, x->source.message ? x->source.message : "?"), 0;
    x->s = lbr_model_system(x->m, &x->message), x->f = x->m->functions;
    if (!x->s) printf("# %s: %s\n", what, x->message.text);
    return x->s != NULL;
}

/* 0: a comment says why, and x->message where the model itself could be made. Close it in any case. */
__attribute__((unused)) static int open_model(modelled *x, const char *name)
{
    *x = (modelled){ 0 };
    return modelled_made(x, lbr_source_open(&x->source, name), name);
}

__attribute__((unused)) static int open_text(modelled *x, const char *text)
{
    *x = (modelled){ 0 };
    return modelled_made(x, lbr_source_text(&x->source, "text", text, strlen(text), NULL), text);
}

__attribute__((unused)) static void close_model(modelled *x) { lbr_model_free(x->m), lbr_source_free(&x->source); }

/* In (-1, 1). */
__attribute__((unused)) static double any(int64_t key, int64_t i) { return 2 * lbr_random(key, &i, 1) - 1; }

/* How large the components of a variable are: the largest at the start, 1 if all are 0. */
__attribute__((unused)) static void sizes(const lbr_model *m, double *size)
{
    for (int k = 0; k < m->nvariables; k++) {
        const lbr_variable *x = m->variable + k;
        double most = 0;

        for (int64_t i = 0; i < x->size; i++) most = fmax(most, fabs(m->y0[x->offset + i]));
        for (int64_t i = 0; i < x->size; i++) size[x->offset + i] = most > 0 ? most : 1;
    }
}

/* Point number k: 0 is the start, the others lie within a few hundredths. */
__attribute__((unused)) static void point(const lbr_model *m, int k, const double *size, double *t, double *y)
{
    *t = m->t0 + (k == 1 ? 0.375 : k == 2 ? -0.28125 : 0);
    for (int64_t i = 0; i < m->dim; i++) y[i] = m->y0[i] + (k ? 0.03 * size[i] * any(100 + k, i) : 0);
}
#endif
