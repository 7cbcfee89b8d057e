/* fuse_c.c - machine code for systems written in C: answers to what steppers ask for.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A kernel is the text of the whole file, as the preprocessor left it (no macro of the file reaches the template),
 * functions around those that are called (so that no variable of the template hides them), and the template. The
 * functions' names come from the object's table of symbols; that they are the right ones is seen when the kernel's own
 * lbr_model names the same. */
#define _GNU_SOURCE /* dladdr */
#include "fuse_c.h"
#include "compile.h"
#include "core/watch.h"
#include "program/emit.h"
#include "stepper/kernel.h"
#include "symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 8 << 20, MOST_FUNCTIONS = 64, MOST_WATCHED = 1024 };

/* --- the functions that are called ------------------------------------------------------------------------------- */

/* A function of the system: its own context, where in y its argument begins, how many numbers it gives. */
typedef struct called {
    lbr_fn f;
    void *ctx;
    int64_t from, len;
} called;
typedef struct calling {
    lbr_bound b;
    called f[MOST_FUNCTIONS];
    int n, steps;
} calling; /* steps: functions before those that are watched */

static const struct {
    unsigned use;
    const char *name;
    size_t at;
} row[] = { { LBR_USES_FORCE, "FORCE", offsetof(lbr_system, force) },
            { LBR_USES_VELOCITY, "VELOCITY", offsetof(lbr_system, velocity) },
            { LBR_USES_FIELD, "FIELD", offsetof(lbr_system, field) } };
enum { ROWS = sizeof row / sizeof *row };

/* Those that a template calls, in the order of the rows, and then those that it watches. 0; or what there is too much
 * of; or 1. */
static int collect(calling *c, const lbr_system *system, unsigned uses)
{
    const lbr_system *s = &c->b.s;
    lbr_message why;

    c->n = 0;
    if (lbr_bound_init(&c->b, system, &why)) return 1;
    for (int i = 0; i < ROWS; i++) {
        called *f = &c->f[c->n];

        if (!(uses & row[i].use)) continue;
        memcpy(&f->f, (const char *)s + row[i].at, sizeof f->f);
        if (!f->f) return 1;
        f->ctx = s->ctx, f->from = row[i].use == LBR_USES_VELOCITY ? s->nq : 0,
        f->len = row[i].use == LBR_USES_FIELD ? s->dim : s->nq;
        c->n++;
    }
    c->steps = c->n;
    if (!(uses & LBR_USES_WATCH)) return 0;
    if (lbr_watch_quantities(&c->b) > MOST_FUNCTIONS - ROWS || lbr_watch_components(&c->b) > MOST_WATCHED)
        return LBR_USES_WATCH;
    if (s->energy) c->f[c->n++] = (called){ s->energy, s->ctx, 0, 1 };
    for (int64_t i = 0; s->invariants && i < s->invariants->count; i++)
        c->f[c->n++] = (called){ lbr_bound_invariant(&c->b, i)->value, lbr_bound_invariant_ctx(&c->b, i), 0,
                                 lbr_bound_invariant(&c->b, i)->len };
    return 0;
}

/* The name of a function in the file's text; 0, or there is none. */
static int name_of(const lbr_cfile *file, lbr_fn f, char name[LBR_SYMBOL])
{
    void *address;
    Dl_info info;

    memcpy(&address, &f, sizeof address);
    if (!file->object || !dladdr(address, &info) || info.dli_fbase != file->base) return 1;
    return lbr_symbol_name(file->object, file->size, (uint64_t)((const char *)address - (const char *)file->base),
                           name);
}

/* --- the text ---------------------------------------------------------------------------------------------------- */

/* What the user's text may have switched on for all that follows. */
static const char reset[] = "\n"
                            "#ifdef __clang__\n"
                            "#pragma STDC FP_CONTRACT OFF\n"
                            "#pragma clang fp reassociate(off) contract(off)\n"
                            "#else\n"
                            "#pragma GCC reset_options\n"
                            "#endif\n";

/* lbr_c0, lbr_c1, ...: the functions, inside whatever calls them; small ones with all that they call. */
static int write_functions(lbr_text *to, const lbr_cfile *file, const calling *c, int small)
{
    lbr_text list = { 0 };
    char name[LBR_SYMBOL];
    int no = 0;

    for (int i = 0; i < c->n && !no; i++) {
        if (name_of(file, c->f[i].f, name)) no = i < c->steps ? 1 : LBR_USES_WATCH;
        else {
            lbr_text_format(to,
                            "static inline __attribute__((always_inline%s)) int lbr_c%d(double t, const double *y, "
                            "double *out, void *const *ctx) { return %s(t, y, out, ctx[%d]); }\n",
                            small ? ", flatten" : "", i, name, i);
            lbr_text_format(&list, "(int (*)(double, const double *, double *, void *))%s, ", name);
        }
    }
    lbr_text_format(to, "static int (*const lbr_c_list[])(double, const double *, double *, void *) = { %s };\n",
                    list.text ? list.text : "0");
    if (list.status) to->status = list.status;
    lbr_text_free(&list);
    return no;
}

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)
static const char words[] = "#define fma __builtin_fma\n"
                            "#define sqrt __builtin_sqrt\n"
                            "#define fabs __builtin_fabs\n"
                            "#define NAN __builtin_nan(\"\")\n"
                            "#define INFINITY __builtin_inf()\n"
                            "#define entry lbr_c_entry\n";
static const char distance[] = "static inline __attribute__((always_inline)) " TEXT(LBR_DISTANCE_TEXT) "\n";

/* WATCH(t, y, w): each quantity, its distance from the first value, the largest so far. */
static void write_watch(lbr_text *to, const calling *c)
{
    int64_t at = 0;

    lbr_text_put(to, distance);
    lbr_text_put(to, "static inline __attribute__((always_inline)) int lbr_c_watch(double t, const double *y, const "
                     "double *first, double *worst, void *const *ctx)\n"
                     "{\n"
                     "    int bad = 0;\n");
    for (int i = c->steps; i < c->n; at += c->f[i++].len)
        lbr_text_format(
            to,
            "    { double v[%lld], d; bad |= lbr_c%d(t, y, v, ctx); d = lbr_distance(%lld, v, first + %lld);\n"
            "      if (!(d - d == 0)) bad = 1; else if (d > worst[%d]) worst[%d] = d; }\n",
            (long long)c->f[i].len, i, (long long)c->f[i].len, (long long)at, i - c->steps, i - c->steps);
    lbr_text_put(to, "    return bad;\n}\n#define WATCH(t, y, w) lbr_c_watch(t, y, (w)->first, (w)->worst, a->ctx)\n");
}

static const char table_text[] = "\n"
                                 "static struct { void (*entry)(void); int (*model)(struct lbr_system *); int (*const "
                                 "*f)(double, const double *, double *, void *); void *kept; } lbr_c_kernel = "
                                 "{ (void (*)(void))entry, lbr_model, lbr_c_list, 0 };\n";

/* All but the file before it, and the template and the table behind it. 0, or what cannot be written, or 1. */
static int write_text(lbr_text *to, const lbr_cfile *file, const calling *c, const lbr_kernel_request *request)
{
    int no, next = 0;

    lbr_text_put(to, reset);
    if ((no = write_functions(to, file, c, request->n > 0))) return no;
    lbr_text_put(to, words);
    for (int i = 0; i < ROWS; i++)
        if (request->uses & row[i].use)
            lbr_text_format(to, "#define %s(t, y, out) lbr_c%d(t, y, out, a->ctx)\n", row[i].name, next++);
    if (request->uses & LBR_USES_WATCH) write_watch(to, c);
    return to->status != LBR_OK;
}

/* --- a kernel's own system --------------------------------------------------------------------------------------- */

/* What a kernel has, as its text says; and what it is given once: the system of its lbr_model, contexts of the
 * functions. */
typedef struct kept {
    lbr_system system;
    int no;
    void *ctx[MOST_FUNCTIONS];
} kept;
typedef struct table {
    void (*entry)(void);
    int (*model)(lbr_system *);
    const lbr_fn *f;
    kept *kept;
} table;

static int same_masses(const lbr_system *a, const lbr_system *b)
{
    if (!a->inverse_mass || !b->inverse_mass) return a->inverse_mass == b->inverse_mass;
    return !memcmp(a->inverse_mass, b->inverse_mass, (size_t)a->nq * sizeof *a->inverse_mass);
}

/* Whether the kernel's lbr_model describes the same system, and names the functions that the kernel was made of. */
static int same(const calling *a, const calling *b, const lbr_fn *f)
{
    if (a->b.s.dim != b->b.s.dim || a->b.s.nq != b->b.s.nq || a->n != b->n || !same_masses(&a->b.s, &b->b.s)) return 0;
    for (int i = 0; i < a->n; i++)
        if (b->f[i].f != f[i] || a->f[i].from != b->f[i].from || a->f[i].len != b->f[i].len ||
            !a->f[i].ctx != !b->f[i].ctx)
            return 0;
    return 1;
}

static int same_numbers(int64_t n, const double *a, const double *b)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) && !(a[i] != a[i] && b[i] != b[i])) return 0;
    return 1;
}

/* Whether the functions give the same numbers where the system says that one may start: data that lbr_model got from a
 * clock or from random numbers are others in the kernel. */
static int same_values(const calling *a, const calling *b)
{
    const lbr_defaults *d = a->b.s.defaults;
    int good = 1;

    if (!d || d->size < offsetof(lbr_defaults, method) || !d->y0) return 1;
    for (int i = 0; i < a->n && good; i++) {
        const called *f = &a->f[i], *g = &b->f[i];
        double *x = lbr_mem_alloc((size_t)f->len * 2 * sizeof *x);

        good = x && !f->f(d->t0, d->y0 + f->from, x, f->ctx) == !g->f(d->t0, d->y0 + g->from, x + f->len, g->ctx) &&
               same_numbers(f->len, x, x + f->len);
        lbr_mem_free(x);
    }
    return good;
}

/* Objects are loaded once in a process, and so their lbr_model is called once, whoever asks first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void start(table *t, const calling *c, unsigned uses)
{
    kept *k = lbr_mem_alloc(sizeof *k);
    calling *own = lbr_mem_alloc(sizeof *own);

    if (k && own) {
        lbr_system_init(&k->system);
        k->no = t->model(&k->system) || collect(own, &k->system, uses) || !same(c, own, t->f) || !same_values(c, own);
        for (int i = 0; i < own->n; i++) k->ctx[i] = own->f[i].ctx;
        t->kept = k, k = NULL;
    }
    lbr_mem_free(own), lbr_mem_free(k);
}

static const kept *started(table *t, const calling *c, unsigned uses)
{
    pthread_mutex_lock(&lock);
    if (!t->kept) start(t, c, uses);
    pthread_mutex_unlock(&lock);
    return t->kept && !t->kept->no ? t->kept : NULL;
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

/* Compiles the file, what was written, and the template. */
static table *make(lbr_cfile *file, const char *written, const lbr_kernel_request *request)
{
    const char *flag[LBR_CFILE_FLAGS + 1], **text = lbr_mem_alloc((size_t)(request->ntext + 3) * sizeof *text);
    int64_t n = 0;
    size_t bytes = 0;
    lbr_object o = { 0 };
    lbr_kernels_report nobody = { 0 };
    lbr_status status;

    if (!text) return NULL;
    memcpy(flag, lbr_cfile_flags, sizeof lbr_cfile_flags), flag[LBR_CFILE_FLAGS] = "-fno-tree-slp-vectorize";
    text[n++] = file->text, text[n++] = written;
    for (int64_t i = 0; i < request->ntext; i++) text[n++] = request->text[i];
    text[n++] = table_text;
    for (int64_t i = 0; i < n; i++) bytes += strlen(text[i]);
    status = lbr_compile_object(&(lbr_compile){ .text = text,
                                                .ntext = n,
                                                .symbol = "lbr_c_kernel",
                                                .isa = request->isa,
                                                .how = file->how,
                                                .interrupt = file->interrupt,
                                                .flags = flag,
                                                .nflags = LBR_CFILE_FLAGS + (request->n > 0) },
                                &o);
    lbr_mem_free((void *)text);
    lbr_kernels_came(file->report ? file->report : &nobody, &o, status, bytes);
    if (status) return NULL;
    if (file->nlately < (int)(sizeof file->lately / sizeof *file->lately)) file->lately[file->nlately++] = o.symbol;
    return o.symbol;
}

/* Many states at once would be nothing but one after the other; flows of parts are not written. */
static int fits(const lbr_kernel_request *request, const lbr_cfile *file)
{
    const unsigned all = LBR_USES_FORCE | LBR_USES_VELOCITY | LBR_USES_FIELD | LBR_USES_WATCH;

    return file->how != LBR_KERNELS_NONE && !request->lanes && !request->extended && !(request->uses & ~all) &&
           request->isa == file->isa && !file->outside && strlen(file->text) <= MOST_TEXT;
}

static int answer(const lbr_kernel_request *request, lbr_kernel *kernel, lbr_cfile *file)
{
    calling *c = fits(request, file) ? lbr_mem_alloc(sizeof *c) : NULL;
    int no = c ? collect(c, &file->system, request->uses) : 1;
    lbr_text text = { 0 };
    table *t = NULL;
    const kept *k = NULL;

    if (!no) no = write_text(&text, file, c, request);
    if (!no && (t = make(file, text.text, request))) k = started(t, c, request->uses);
    if (k) kernel->entry = t->entry, kernel->ctx = (void *)k->ctx, kernel->name = "file";
    lbr_text_free(&text), lbr_mem_free(c);
    return no ? no : !k;
}

void lbr_cfuse_enable(lbr_cfile *file, lbr_system *system)
{
    if (!file->text || system->size < offsetof(lbr_system, inside) + sizeof system->inside || system->inside) return;
    system->inside = &file->inside;
    file->system = *system, file->answer = answer;
}

void lbr_cfuse_ask(lbr_cfile *file, int how, lbr_kernels_report *report)
{
    file->how = how, file->report = report;
    if (how == LBR_KERNELS_NONE) return;
    if (report) lbr_kernels_anew(report);
    file->nlately = 0;
}

void lbr_cfuse_judge(lbr_cfile *file, int good)
{
    for (int i = 0; i < file->nlately; i++) lbr_compile_judge(file->lately[i], good);
}
