/* fuse_flows.c - the flows of a model's parts as C: FLOW and INCREMENT of kernels.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is made of functions of the graph (straight flows, those given by hand) is written; matrix exponentials and
 * Kepler's problem are called where plans call them, by pointers beside the kernel's constants. */
#include "fuse_make.h"
#include "model/part_flows.h"

/* Numbers of a local array; characters of functions up to which flows are written out wherever they are needed. */
enum { STACK = 512, WRITTEN_OUT = 32 << 10 };

static const char inlined[] = "inline __attribute__((always_inline)) ", called[] = "__attribute__((noinline)) ";

/* As the callbacks of model/flows.c do it, in the same order. %d: the part, the function, whether the function takes h.
 */
static void write_flow(lbr_writing *w, int part, const lbr_written_flow *x, int f, const char *how)
{
    long long n = w->model->dim;

    lbr_text_format(&w->names,
                    "static %sint flow_%d(const double t, const double h, double *y, const lbr_kernel_data *c)\n"
                    "{\n",
                    how, part);
    if (x->kind == LBR_FLOW_CALLED) {
        lbr_text_format(&w->names, "    return c->part[%d].flow(t, h, y, c->part[%d].ctx);\n}\n", part, part);
        return;
    }
    lbr_text_format(&w->names,
                    "    %sdouble out[%lld];\n"
                    "    if (f%d(t, y, %sout, c)) return -1;\n",
                    n > STACK ? "static _Thread_local " : "", n, f, w->inputs[f] ? "&h, " : "");
    lbr_text_format(&w->names,
                    "    for (int64_t i = 0; i < %lld; i++) y[i] = %s;\n"
                    "    return 0;\n"
                    "}\n",
                    n, x->kind == LBR_FLOW_STRAIGHT ? "fma(h, out[i], y[i])" : "out[i]");
}

static void write_increment(lbr_writing *w, int part, const lbr_written_flow *x, int f, const char *how)
{
    lbr_text_format(&w->names,
                    "static %sint increment_%d(const double t, const double h, const double *y, double *dy, const "
                    "lbr_kernel_data *c)\n"
                    "{\n",
                    how, part);
    if (x->kind == LBR_FLOW_CALLED) {
        lbr_text_format(&w->names, "    return c->part[%d].increment(t, h, y, dy, c->part[%d].ctx);\n}\n", part, part);
        return;
    }
    lbr_text_format(&w->names, "    if (f%d(t, y, %sdy, c)) return -1;\n", f, w->inputs[f] ? "&h, " : "");
    if (x->kind == LBR_FLOW_STRAIGHT)
        lbr_text_format(&w->names, "    for (int64_t i = 0; i < %lld; i++) dy[i] *= h;\n", (long long)w->model->dim);
    lbr_text_put(&w->names, "    return 0;\n}\n");
}

/* One part, `places` times in the template. */
static lbr_status write_part(lbr_writing *w, int part, int64_t places, int increment)
{
    lbr_written_flow x = lbr_part_written(w->model, part);
    size_t before = w->unit.text.length;
    const char *how = inlined;
    lbr_status status;
    int f = 0;

    if (x.kind == LBR_FLOW_CALLED && w->width == LBR_EXTENDED)
        return lbr_fail(&w->message, LBR_EUNFIT,
                        "the flow of part '%.60s' is not known in extended precision: it is neither straight nor given",
                        w->model->functions->part[part].name);
    if (x.kind != LBR_FLOW_CALLED) {
        if ((status = lbr_write_function(w, increment ? x.increment : x.flow, &f))) return status;
        if (w->inputs[f] & ~(1u << x.duration))
            return lbr_fail(&w->message, LBR_EUNFIT, "a flow depends on more than y and its duration");
        if (places > 1 && (w->unit.text.length - before) * (size_t)places > WRITTEN_OUT) how = called;
    }
    (increment ? write_increment : write_flow)(w, part, &x, f, how);
    return LBR_OK;
}

static lbr_status take_calls(lbr_writing *w)
{
    const lbr_part *p = w->model->functions->part;

    if (!(w->part = lbr_mem_alloc((size_t)w->model->nparts * sizeof *w->part))) return LBR_ENOMEM;
    for (int i = 0; i < w->model->nparts; i++) w->part[i] = (lbr_kernel_flow){ p[i].flow, p[i].increment, p[i].ctx };
    return LBR_OK;
}

lbr_status lbr_write_flows(lbr_writing *w, const lbr_kernel_request *r)
{
    int increment = (r->uses & LBR_USES_INCREMENTS) != 0;
    lbr_status status = w->width > 1 ? lbr_fail(&w->message, LBR_EUNFIT, "flows of parts are for one state at a time")
                                     : take_calls(w);

    for (int i = 0; i < w->model->nparts && !status; i++) {
        int64_t places = 0;

        for (int64_t k = 0; k < r->nparts; k++) places += r->part[k] == i;
        if (places) status = write_part(w, i, places, increment);
    }
    lbr_text_put(&w->names,
                 increment
                     ? "#define INCREMENT(i, t, h, y, dy) increment_##i(t, h, y, dy, (const lbr_kernel_data *)a->ctx)\n"
                     : "#define FLOW(i, t, h, y) flow_##i(t, h, y, (const lbr_kernel_data *)a->ctx)\n");
    return status;
}
