/* fuse.c - a stepper's template around the functions of a system that can compile itself.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "fuse.h"

#include <stdio.h>
#include <string.h>

const char *lbr_template(const char *file)
{
    const lbr_template_item *i = lbr_template_items;

    while (i->file && strcmp(i->file, file)) i++;
    return i->text;
}

const char *lbr_fuse_list(lbr_arena *arena, int64_t n, const int64_t *x)
{
    enum { NUMBER = 8 };
    char *text = lbr_arena_alloc(arena, n, NUMBER), *at = text;

    for (int64_t i = 0; text && i < n; i++) at += sprintf(at, i ? ", %d" : "%d", (int)x[i]);
    return text;
}

/* Whether there is a kernel; -1: not with what it would have to use, but perhaps with less. */
static int answered(const lbr_setup *set, const lbr_fusing *ask, int watch, int isa, lbr_kernel *kernel)
{
    const char *text[] = {
        lbr_template("iteration.h"),
        lbr_template("args.h"),
        lbr_template("scalar.inc"),
        watch ? "#define WATCHED 1\n" : "#define WATCHED 0\n",
        "#define NAME entry\n",
        ask->defines,
        ask->whole ? lbr_template("field.inc") : "",
        ask->rows ? "#if IN_ROWS\n" : "",
        ask->rows ? lbr_template(ask->rows) : "",
        ask->rows ? "#else\n" : "",
        lbr_template(ask->file),
        ask->rows ? "#endif\n" : "",
    };
    lbr_kernel_request request = {
        .size = sizeof request,
        .name = ask->file,
        .text = text,
        .ntext = sizeof text / sizeof *text,
        .stages = ask->rows ? ask->stages : 0,
        .uses = ask->uses | (watch ? LBR_USES_WATCH : 0),
        .isa = isa,
        .n = ask->n <= LBR_FUSED_MOST ? ask->n : 0,
        .part = ask->part,
        .nparts = ask->nparts,
    };
    int no;

    *kernel = (lbr_kernel){ .size = sizeof *kernel };
    no = set->sys.s.inside->fuse(&request, kernel, set->sys.s.ctx);
    return no == LBR_USES_WATCH && watch ? -1 : !no && kernel->entry;
}

lbr_status lbr_fuse(lbr_setup *set, const lbr_fusing *ask, lbr_fused *fused)
{
    const lbr_system *s = &set->sys.s;
    int watch = ask->watch && (s->energy || (s->invariants && s->invariants->count > 0)), there;
    lbr_kernel kernel;
    const char *name;
    int isa = (int)lbr_isa_choose(set->isa, &name);

    *fused = (lbr_fused){ 0 };
    if (!s->inside) return LBR_OK;
    there = answered(set, ask, watch, isa, &kernel);
    if (there < 0) there = answered(set, ask, watch = 0, isa, &kernel);
    if (there != 1) return LBR_OK;
    *fused = (lbr_fused){ kernel.entry, kernel.ctx, watch };
    set->fused = 1;
    set->instance = lbr_arena_format(set->arena, "fused, %s, n = %lld", name, (long long)ask->n);
    return set->instance ? LBR_OK : LBR_ENOMEM;
}

lbr_status lbr_fuse_lanes(const lbr_setup *set, const lbr_fusing *ask, lbr_lanes *lanes, lbr_message *m)
{
    const char *name, *text[] = { lbr_template("iteration.h"),
                                  lbr_template("args.h"),
                                  lbr_template("lanes.inc"),
                                  "#define WATCHED 0\n"
                                  "#define NAME entry\n",
                                  ask->defines,
                                  ask->whole ? lbr_template("field.inc") : "",
                                  lbr_template("groups.inc"),
                                  lbr_template(ask->file) };
    lbr_kernel_request request = {
        .size = sizeof request,
        .name = ask->file,
        .text = text,
        .ntext = sizeof text / sizeof *text,
        .uses = ask->uses,
        .isa = (int)lbr_isa_choose(set->isa, &name),
        .n = ask->n,
        .lanes = ask->n,
        .exact_lanes = set->exact_lanes,
    };
    lbr_kernel kernel = { .size = sizeof kernel };

    if (!set->sys.s.inside || ask->n > LBR_FUSED_MOST || set->sys.s.inside->fuse(&request, &kernel, set->sys.s.ctx) ||
        !kernel.entry || kernel.groups < 1 || kernel.width < 1)
        return lbr_fail(m, LBR_EUNFIT, "there is no kernel for many states of this system at once");
    *lanes = (lbr_lanes){ .entry = kernel.entry, .ctx = kernel.ctx, .groups = kernel.groups, .width = kernel.width };
    return LBR_OK;
}
