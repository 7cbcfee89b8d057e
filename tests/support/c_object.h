/* object.h - functions of graphs as C, compiled and loaded; for tests. SPDX-License-Identifier: BSD-3-Clause */
#ifndef OBJECT_H
#define OBJECT_H
#include "kernel/compile.h"
#include "program/emit.h"

typedef int (*object_fn)(double t, const double *const *x, double *out, const lbr_kernel_data *c);
typedef struct object {
    lbr_unit unit;
    lbr_text head, tail;
    int n;
    double seconds;
    const object_fn *f;
    lbr_kernel_data data;
} object;

/* A place without a function. */
__attribute__((unused)) static void object_skip(object *o)
{
    lbr_text_format(
        &o->tail,
        "static int e%d(double t, const double *const *x, double *out, const lbr_kernel_data *c) { return -1; }\n",
        o->n++);
}

__attribute__((unused)) static lbr_status object_add(object *o, const lbr_dag *dag, const lbr_output *out, int nout,
                                                     int64_t shift, lbr_message *message)
{
    char name[24];
    unsigned inputs = 0;
    lbr_status status;

    snprintf(name, sizeof name, "f%d", o->n);
    if ((status = lbr_emit_function(&o->unit, name, dag, out, nout, shift, &inputs, message))) return status;
    lbr_text_format(
        &o->tail,
        "static int e%d(double t, const double *const *x, double *out, const lbr_kernel_data *c) { return f%d(t, x[0]",
        o->n, o->n);
    for (int i = 1; i < 32; i++)
        if (inputs >> i & 1) lbr_text_format(&o->tail, ", x[%d]", i);
    lbr_text_put(&o->tail, ", out, c); }\n");
    o->n++;
    return LBR_OK;
}

__attribute__((unused)) static int object_make(object *o)
{
    lbr_object made;
    const char *text[3];

    lbr_emit_prelude(&o->head, 1, 1, 0, NULL);
    lbr_text_put(&o->tail, "__attribute__((visibility(\"default\"))) int (*const table[])(double, const double *const "
                           "*, double *, const lbr_kernel_data *) = { ");
    for (int k = 0; k < o->n; k++) lbr_text_format(&o->tail, "e%d, ", k);
    lbr_text_put(&o->tail, "};\n");
    text[0] = o->head.text, text[1] = o->unit.text.text ? o->unit.text.text : "", text[2] = o->tail.text;
    if (lbr_compile_object(&(lbr_compile){ .text = text, .ntext = 3, .symbol = "table" }, &made))
        return printf("# %s\n", made.message.text), 0;
    o->f = made.symbol, o->seconds = made.seconds;
    o->data = (lbr_kernel_data){ o->unit.K, lbr_code_dense, NULL, NULL };
    return 1;
}

__attribute__((unused)) static int object_run(const object *o, int k, double t, const double *const *x, double *out)
{
    return o->f[k](t, x, out, &o->data);
}
__attribute__((unused)) static void object_free(object *o)
{
    lbr_unit_free(&o->unit), lbr_text_free(&o->head), lbr_text_free(&o->tail);
}
#endif
