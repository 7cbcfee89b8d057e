/* fuse_model.c - machine code for models: answers to what steppers ask for. SPDX-License-Identifier: BSD-3-Clause */
#include "fuse_model.h"
#include "compile.h"
#include "core/watch.h"
#include "fuse_make.h"
#include "stepper/stepper.h"

#include <stdio.h>
#include <string.h>

/* Bytes of C: what compilers are given at all; what takes them too long unless they are asked for less (the bits are
 * the same). */
enum { MOST_TEXT = 1 << 20, LARGE_TEXT = 1 << 19 };
enum { STACK = 512 }; /* numbers of a local array */

/* A kernel in use: its constants; whether it was asked for lately. */
typedef struct kept {
    struct kept *next;
    lbr_unit unit;
    lbr_kernel_flow *part;
    lbr_kernel_data data;
    double *K; /* the same constants in extended precision, or NULL */
    const void *symbol;
    int lately;
} kept;

typedef struct kernels {
    lbr_model *model;
    const volatile sig_atomic_t *interrupt;
    int how; /* LBR_COMPILE_... or LBR_KERNELS_NONE */
    kept *first;
    int functions;              /* the model's functions are machine code */
    lbr_kernels_report *report; /* of whoever asks while a plan is made; or NULL */
    lbr_low low;                /* of states, while functions are evaluated in extended precision */
} kernels;

/* --- the text ---------------------------------------------------------------------------------------------------- */

/* The entry of function i in extended precision: low parts of y and of what comes out are where data->low says. There
 * is none (0) for functions of more than the state. */
static void write_extended(lbr_writing *w, const lbr_function *f, int i)
{
    long long n = w->model->dim - f->shift, len = f->len;
    const char *where = n + len > STACK ? "static _Thread_local " : "";

    if (w->inputs[i]) {
        lbr_text_format(&w->table, "#define e%d 0\n", i);
        return;
    }
    lbr_text_format(&w->table,
                    "static int e%d(lbr_half t, const lbr_half *const *x, lbr_half *out, const lbr_kernel_data *c)\n{\n"
                    "    %slbr_long y[%lld], v[%lld];\n"
                    "    for (int64_t i = 0; i < %lld; i++) y[i] = lbr_whole(x[0][i], c->low->y[i]);\n"
                    "    return f%d(lbr_whole(t, c->low->t), y, v, c) | lbr_split(%lld, v, out, c->low->out);\n}\n",
                    i, where, n > 0 ? n : 1, len > 0 ? len : 1, n, i, len);
}

lbr_status lbr_write_function(lbr_writing *w, const lbr_function *f, int *i)
{
    char name[24];
    unsigned inputs = 0;
    lbr_status status;

    for (*i = 0; *i < w->natives; ++*i)
        if (w->native[*i]->code == f->code) return LBR_OK;
    if (w->natives == LBR_WRITTEN_FUNCTIONS)
        return lbr_fail(&w->message, LBR_EUNFIT, "the model has more than %d functions", LBR_WRITTEN_FUNCTIONS);
    snprintf(name, sizeof name, "f%d", *i);
    status = lbr_emit_function(&w->unit, name, &w->model->dag, &(lbr_output){ f->array, f->node, 0 }, 1, f->shift,
                               &inputs, &w->message);
    if (status) return status;
    if (w->unit.text.length > MOST_TEXT)
        return lbr_fail(&w->message, LBR_EUNFIT, "the model's functions are too long for machine code");
    w->inputs[w->natives] = inputs, w->native[w->natives++] = f;
    if (w->width > 1) return LBR_OK;
    if (w->width == LBR_EXTENDED) return write_extended(w, f, *i), LBR_OK;
    lbr_text_format(
        &w->table,
        "static int e%d(double t, const double *const *x, double *out, const lbr_kernel_data *c) { return f%d(t, x[0]",
        *i, *i);
    for (int b = 1; b < 32; b++)
        if (inputs >> b & 1) lbr_text_format(&w->table, ", x[%d]", b);
    lbr_text_put(&w->table, ", out, c); }\n");
    return LBR_OK;
}

/* The same function for stages side by side, NAME_ROWS(t, y, out): t, y and out are ROWs. Not where systems of linear
 * equations are solved, or the text would be long. Nor where it takes no less time: with functions of libm, which are
 * called for each lane, or where there is little to be done, no division and no root; n: components, 0: many. */
static lbr_status write_rows(lbr_writing *w, const lbr_function *f, const char *name, int64_t n)
{
    enum { LONG_ROWS = 1 << 16, LITTLE = 4 };
    lbr_text numbers = w->unit.text;
    char called[24];
    unsigned inputs = 0;
    lbr_status status;

    if (w->unit.dense || w->unit.called || w->unit.loops || numbers.length > LONG_ROWS ||
        (!w->unit.slow && n && n <= LITTLE)) {
        w->row = 0;
        return LBR_OK;
    }
    snprintf(called, sizeof called, "rows_%s", name);
    w->unit.text = w->rows, w->unit.own_times = 1;
    status = lbr_emit_function(&w->unit, called, &w->model->dag, &(lbr_output){ f->array, f->node, 0 }, 1, f->shift,
                               &inputs, &w->message);
    w->rows = w->unit.text, w->unit.text = numbers, w->unit.own_times = 0;
    lbr_text_format(&w->names, "#define %s_ROWS(t, y, out) %s(t, y, out, (const lbr_kernel_data *)a->ctx)\n", name,
                    called);
    return status;
}

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)
static const char distance[] = "static inline __attribute__((always_inline)) " TEXT(LBR_DISTANCE_TEXT) "\n";

/* What watches one quantity: its function, where its components and its error are. */
static void write_watched(lbr_text *to, int extended, int f, int64_t len, int64_t at, int64_t quantity)
{
    long long n = len, from = at, k = quantity;

    if (extended)
        lbr_text_format(
            to,
            "    { double v[%lld], o[%lld]; lbr_half d; bad |= f%d(t, y, v, c);\n"
            "      for (int i = 0; i < %lld; i++) o[i] = lbr_whole(first[%lld + i], low ? low[%lld + i] : 0);\n"
            "      d = (lbr_half)lbr_distance(%lld, v, o);\n",
            n, n, f, n, from, from, n);
    else
        lbr_text_format(to,
                        "    { double v[%lld], d; bad |= f%d(t, y, v, c); d = lbr_distance(%lld, v, first + %lld);\n",
                        n, f, n, from);
    lbr_text_format(to, "      if (!(d - d == 0)) bad = 1; else if (d > worst[%lld]) worst[%lld] = d; }\n", k, k);
}

/* WATCH(t, y, w): each quantity, its distance from the first value, the largest so far. */
static lbr_status write_watch(lbr_writing *w)
{
    const char *number = w->width == LBR_EXTENDED ? "lbr_half" : "double";
    const lbr_functions *s = w->model->functions;
    int64_t at = 0, quantity = 0;
    lbr_text body = { 0 };
    lbr_status status = LBR_OK;

    for (int i = s->energy.code ? -1 : 0; i < w->model->ninvariants && !status; i++) {
        const lbr_function *f = i < 0 ? &s->energy : &s->invariant_function[i];
        int i_of;

        if (f->multiplied) status = lbr_fail(&w->message, LBR_EUNFIT, "a multiplier cannot be watched");
        else if (!(status = lbr_write_function(w, f, &i_of)))
            write_watched(&body, w->width == LBR_EXTENDED, i_of, f->len, at, quantity);
        at += f->len, quantity++;
    }
    lbr_text_put(&w->names, distance);
    lbr_text_format(&w->names,
                    "static inline __attribute__((always_inline)) int watching(double t, const double *y, "
                    "const %s *first, const %s *low, %s *worst, const lbr_kernel_data *c)\n"
                    "{\n"
                    "    int bad = 0;\n",
                    number, number, number);
    lbr_text_put(&w->names, body.text ? body.text : "");
    lbr_text_put(&w->names, "    return bad;\n"
                            "}\n"
                            "#define WATCH(t, y, w) watching(t, y, (w)->first, (w)->low, (w)->worst, "
                            "(const lbr_kernel_data *)a->ctx)\n");
    if (body.status) status = LBR_ENOMEM;
    lbr_text_free(&body);
    return status;
}

enum {
    ALL = LBR_USES_FORCE | LBR_USES_VELOCITY | LBR_USES_FIELD | LBR_USES_WATCH | LBR_USES_FLOWS | LBR_USES_INCREMENTS |
          LBR_USES_CONSTRAINTS
};

/* The functions that a template calls by name. */
static lbr_status write_uses(lbr_writing *w, const lbr_kernel_request *request)
{
    const lbr_functions *s = w->model->functions;
    static const lbr_function none;
    const lbr_function *jacobian = s->constraint ? lbr_constraint_jacobian(s) : &none;
    const struct {
        unsigned use;
        const lbr_function *f;
        const char *name;
    } row[] = { { LBR_USES_CONSTRAINTS, &s->g, "CONSTRAINTS" },
                { LBR_USES_CONSTRAINTS, jacobian, "JACOBIAN" },
                { LBR_USES_FORCE, &s->force, "FORCE" },
                { LBR_USES_VELOCITY, &s->velocity, "VELOCITY" },
                { LBR_USES_FIELD, &s->field, "FIELD" } };
    lbr_status status = LBR_OK;
    int i;

    if (request->uses & ~(unsigned)ALL)
        return lbr_fail(&w->message, LBR_EUNFIT, "the template '%s' needs more than a model has", request->name);
    for (size_t k = 0; k < sizeof row / sizeof *row && !status; k++) {
        if (!(request->uses & row[k].use)) continue;
        if (!row[k].f->code) return lbr_fail(&w->message, LBR_EUNFIT, "the model has no %s", row[k].name);
        if (!(status = lbr_write_function(w, row[k].f, &i)))
            lbr_text_format(&w->names, "#define %s(t, y, out) f%d(t, y, out, (const lbr_kernel_data *)a->ctx)\n",
                            row[k].name, i);
        if (!status && w->row) status = write_rows(w, row[k].f, row[k].name, request->n);
    }
    if (!status && (request->uses & (LBR_USES_FLOWS | LBR_USES_INCREMENTS))) status = lbr_write_flows(w, request);
    return !status && (request->uses & LBR_USES_WATCH) ? write_watch(w) : status;
}

/* In extended precision what is looked at is written, too: there is no interpreter for it. */
static lbr_status write_observed(lbr_writing *w)
{
    const lbr_functions *s = w->model->functions;
    lbr_status status = LBR_OK;
    int i;

    if (s->energy.code) status = lbr_write_function(w, &s->energy, &i);
    for (int k = 0; k < w->model->ninvariants && !status; k++)
        status = lbr_write_function(w, &s->invariant_function[k], &i);
    for (int k = 0; k < w->model->nobserved && !status; k++)
        if (!s->observed[k].f.multiplied) status = lbr_write_function(w, &s->observed[k].f, &i);
    return status;
}

/* How many stages a ROW has, 0 if they are not put side by side: fma must be an instruction, and two stages are no
 * faster than one after the other. */
static int row_width(int isa, int64_t stages)
{
    if (isa != LBR_ISA_V4 && isa != LBR_ISA_V3) return 0;
    return stages < 3 ? 0 : stages > 4 && isa == LBR_ISA_V4 ? 8 : 4;
}

/* How many numbers a vector has. */
static int native_width(int isa) { return isa == LBR_ISA_V4 ? 8 : isa == LBR_ISA_V3 ? 4 : 2; }

/* So many groups of lanes that instructions need not wait for each other, and no more than there are registers for:
 * about n for each of q and p (or y), and half of those that the functions need at once. */
static int enough_groups(const lbr_writing *w, int64_t n, int isa)
{
    int64_t groups = (isa == LBR_ISA_V4 ? 32 : 16) / (2 * n + w->unit.live / 2);

    return groups < 1 ? 1 : groups > 4 ? 4 : (int)groups;
}

/* What the loader looks for. */
static void write_table(lbr_writing *w, int entry)
{
    lbr_text_put(&w->table, w->width == LBR_EXTENDED ? "#undef double\n" : "");
    lbr_text_put(
        &w->table,
        "static const struct { void (*entry)(void), (*widen)(void);  int (*f[])(double, const double *const *, "
        "double *, const lbr_kernel_data *); } lbr_kernel = { ");
    lbr_text_put(&w->table, entry ? "(void (*)(void))entry, " : "0, ");
    lbr_text_put(&w->table, w->width == LBR_EXTENDED ? "(void (*)(void))lbr_widen, { " : "0, { ");
    for (int i = 0; i < w->natives && w->width <= 1; i++) lbr_text_format(&w->table, "e%d, ", i);
    lbr_text_put(&w->table, "0 } };\n");
}

/* --- making ------------------------------------------------------------------------------------------------------ */

typedef struct table {
    void (*entry)(void);
    void (*widen)(int64_t n, const double *x, double *to); /* doubles become numbers of extended precision */
    lbr_native_fn f[];
} table;

/* The kernel that is there already with the same constants, or NULL: runs that share a model share it. */
static kept *known(const kernels *k, const lbr_writing *w, const table *t)
{
    kept *x = k->first;

    for (; x; x = x->next) {
        int64_t n = x->unit.nK;

        if (x->symbol == t && n == w->unit.nK && (!n || !memcmp(x->unit.K, w->unit.K, (size_t)n * sizeof *x->unit.K)))
            break;
    }
    return x;
}

/* The constants in extended precision: two doubles of memory each. 0: no memory. */
static int widened(kept *x, const table *t)
{
    if (!(x->K = lbr_mem_alloc((size_t)(x->unit.nK + 1) * 2 * sizeof *x->K))) return 0;
    if (x->unit.nK) t->widen(x->unit.nK, x->unit.K, x->K);
    return 1;
}

static lbr_status take(kernels *k, lbr_writing *w, kept *x, const table *t)
{
    if (!x->symbol) {
        x->unit = w->unit, w->unit = (lbr_unit){ 0 };
        x->part = w->part, w->part = NULL;
        lbr_text_free(&x->unit.text);
        x->next = k->first, k->first = x, x->symbol = t;
        if (w->width == LBR_EXTENDED && !widened(x, t)) return LBR_ENOMEM;
        x->data = (lbr_kernel_data){ x->K ? x->K : x->unit.K, lbr_code_dense, x->part, &k->low };
    }
    x->lately = 1;
    for (int i = 0; i < w->natives && w->width == 1; i++) lbr_code_native(w->native[i]->code, t->f[i], &x->data);
    for (int i = 0; i < w->natives && w->width == LBR_EXTENDED; i++)
        if (t->f[i]) lbr_code_extended(w->native[i]->code, t->f[i], &x->data, &k->low);
    return LBR_OK;
}

/* Loops over few components, all in registers, are slower with vectors of 512 bits, which wait for what was stored in
 * pieces; those of two or three also with statements grouped into vectors. Where everything is written out, such
 * vectors gain nothing either, and with them gcc 12 to 14 pick the wrong numbers out of eight:
 * tests/compilers/lanes-of-eight.c. */
static int flags_of(const lbr_writing *w, const lbr_kernel_request *request, const char **flag)
{
    enum { FEW = 6 };
    int n = 0;

    if (w->unit.text.length > LARGE_TEXT) flag[n++] = "-O1";
    if (request && (request->lanes || request->extended)) return n;
#ifdef __x86_64__
    if ((request && request->n) || !w->unit.loops) flag[n++] = "-mprefer-vector-width=256";
#endif
    if ((request && request->n && request->n <= FEW) || w->row) flag[n++] = "-fno-tree-slp-vectorize";
    return n;
}

/* Compiles what is written, with the text of a template in the middle. */
static lbr_status make(kernels *k, lbr_writing *w, const lbr_kernel_request *request, int isa, const table **result,
                       const kept **used, lbr_kernels_report *report)
{
    const char *flag[3], **text;
    int64_t n = 0;
    size_t bytes = 0;
    kept *x = lbr_mem_alloc(sizeof *x), *there;
    lbr_object o = { 0 };
    lbr_status status = x ? LBR_OK : LBR_ENOMEM;

    write_table(w, request != NULL),
        lbr_emit_prelude(&w->head, w->width, w->exact, w->row, w->rows.text ? w->rows.text : "");
    if (w->head.status || w->rows.status || w->names.status || w->table.status || w->unit.text.status)
        status = LBR_ENOMEM;
    text = lbr_mem_alloc((size_t)(4 + (request ? request->ntext : 0)) * sizeof *text);
    if (!text || status) return lbr_mem_free((void *)text), lbr_mem_free(x), LBR_ENOMEM;
    text[n++] = w->head.text, text[n++] = w->unit.text.text ? w->unit.text.text : "",
    text[n++] = w->names.text ? w->names.text : "";
    for (int64_t i = 0; request && i < request->ntext; i++) text[n++] = request->text[i];
    text[n++] = w->table.text;
    for (int64_t i = 0; i < n; i++) bytes += strlen(text[i]);
    status = lbr_compile_object(&(lbr_compile){ .text = text,
                                                .ntext = n,
                                                .symbol = "lbr_kernel",
                                                .isa = isa,
                                                .how = k->how,
                                                .interrupt = k->interrupt,
                                                .flags = flag,
                                                .nflags = flags_of(w, request, flag) },
                                &o);
    lbr_mem_free((void *)text);
    if (request && request->extended && !status)
        lbr_compile_judge(o.symbol, 1), o.judged = 1; /* there is nothing with the same bits to compare it with */
    lbr_kernels_came(report, &o, status, bytes);
    if (status) return lbr_mem_free(x), status;
    if ((there = known(k, w, o.symbol))) lbr_mem_free(x), x = there;
    *result = o.symbol, *used = x;
    return take(k, w, x, o.symbol);
}

static void end(lbr_writing *w)
{
    lbr_unit_free(&w->unit), lbr_text_free(&w->head), lbr_text_free(&w->rows), lbr_text_free(&w->names),
        lbr_text_free(&w->table), lbr_mem_free(w->part);
}

static int answer(const lbr_kernel_request *request, lbr_kernel *kernel, void *ctx)
{
    kernels *k = ((lbr_functions *)ctx)->kernels;
    lbr_writing w = { .model = k->model,
                      .width = request->extended ? LBR_EXTENDED
                               : request->lanes  ? native_width(request->isa)
                                                 : 1,
                      .exact = request->exact_lanes,
                      .groups = 1,
                      .row = row_width(request->isa, request->stages) };
    lbr_kernels_report nobody = { 0 }, *report = k->report ? k->report : &nobody;
    const table *t;
    const kept *x;
    lbr_status status;

    if (k->how == LBR_KERNELS_NONE) return 1;
    status = request->extended && !k->model->extended ? lbr_fail(&w.message, LBR_EUNFIT, "it is for runs of the tool")
                                                      : write_uses(&w, request);
    if (!status && request->extended) status = write_observed(&w);
    if (!status && request->extended && w.unit.dense)
        status = lbr_fail(&w.message, LBR_EUNFIT, "systems of linear equations are not solved in extended precision");
    if (!status && request->lanes && w.unit.dense) status = LBR_EUNFIT;
    if (!status && w.row) lbr_text_put(&w.names, "#define IN_ROWS 1\n");
    if (!status && request->lanes)
        lbr_text_format(&w.names, "#define GROUPS %d\n", w.groups = enough_groups(&w, request->lanes, request->isa));
    if (status) lbr_kernels_say(report, status, 0, w.message.text);
    else status = make(k, &w, request, request->isa, &t, &x, report);
    if (!status)
        kernel->entry = t->entry, kernel->ctx = (void *)&x->data, kernel->name = "model", kernel->groups = w.groups,
        kernel->width = w.width;
    end(&w);
    return status != LBR_OK;
}

void lbr_kernels_functions(lbr_model *m, int isa, lbr_kernels_report *report)
{
    lbr_functions *s = m->functions;
    kernels *k = s ? s->kernels : NULL;
    lbr_writing w = { .model = m, .width = 1, .groups = 1 };
    const table *t;
    const kept *x;
    lbr_status status = LBR_OK;
    int number;

    if (!k || k->functions || k->how == LBR_KERNELS_NONE) return;
    for (int i = 0; i < s->nmade && !status; i++)
        if (!s->made[i].multiplied && s->made[i].code != s->hessian_vec.code && s->made[i].code != s->third.code &&
            s->made[i].code != s->dLdq.code && s->made[i].code != s->dLdv.code && s->made[i].code != s->force_jvp.code)
            status = lbr_write_function(&w, &s->made[i], &number);
    if (status) lbr_kernels_say(report, status, 0, w.message.text);
    else if (!make(k, &w, NULL, isa, &t, &x, report)) k->functions = report->functions = 1;
    end(&w);
}

/* --- life -------------------------------------------------------------------------------------------------------- */

static void forget(void *ctx)
{
    kernels *k = ctx;

    for (kept *x = k->first, *next; x; x = next)
        next = x->next, lbr_unit_free(&x->unit), lbr_mem_free(x->part), lbr_mem_free(x->K), lbr_mem_free(x);
    lbr_mem_free(k);
}

static const lbr_inside inside = { answer };

lbr_status lbr_kernels_enable(lbr_model *m, const volatile sig_atomic_t *interrupt)
{
    kernels *k;

    if (!m->functions || m->functions->kernels) return m->functions ? LBR_OK : LBR_EARG;
    if (!(k = lbr_mem_alloc(sizeof *k))) return LBR_ENOMEM;
    k->model = m, k->interrupt = interrupt;
    m->functions->kernels = k, m->functions->kernels_free = forget;
    m->functions->system.inside = &inside;
    return LBR_OK;
}

static kernels *kernels_of(const lbr_model *m) { return m->functions ? m->functions->kernels : NULL; }

void lbr_kernels_ask(lbr_model *m, int how, lbr_kernels_report *report)
{
    kernels *k = kernels_of(m);

    if (!k) return;
    k->how = how, k->report = report;
    if (how == LBR_KERNELS_NONE) return;
    if (report) lbr_kernels_anew(report), report->functions = k->functions;
    for (kept *x = k->first; x; x = x->next) x->lately = 0; /* few: each is there once */
}

lbr_low *lbr_kernels_low(lbr_model *m)
{
    kernels *k = kernels_of(m);

    return k ? &k->low : NULL;
}

void lbr_kernels_interpret(lbr_model *m, int on)
{
    for (int i = 0; m->functions && i < m->functions->nmade; i++)
        if (m->functions->made[i].code) lbr_code_interpret(m->functions->made[i].code, on);
}

void lbr_kernels_judge(lbr_model *m, int good)
{
    kernels *k = kernels_of(m);

    for (const kept *x = k ? k->first : NULL; x; x = x->next)
        if (x->lately) lbr_compile_judge(x->symbol, good);
    if (!good) lbr_kernels_forget(m);
}

void lbr_kernels_forget(lbr_model *m)
{
    kernels *k = kernels_of(m);

    if (k) k->functions = 0;
    for (int i = 0; k && i < m->functions->nmade; i++)
        if (m->functions->made[i].code) lbr_code_native(m->functions->made[i].code, NULL, NULL);
}
