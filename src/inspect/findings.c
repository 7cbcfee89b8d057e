/* findings.c - calls that are watched, comparisons and the sentences about them. SPDX-License-Identifier: BSD-3-Clause
 */
#include "inspect.h"
#include "core/largest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double *lbr_inspect_room(lbr_inspection *z, int64_t n)
{
    double *room = z->why.status ? NULL : lbr_arena_alloc(&z->scratch, n + 1, sizeof *room);

    if (!room) lbr_fail(&z->why, LBR_ENOMEM, "out of memory");
    return room;
}

/* --- findings ---------------------------------------------------------------------------------------------------- */

static lbr_system_finding *added(lbr_inspection *z, int holds)
{
    lbr_system_report *r = &z->report;
    lbr_system_finding *f;

    if (z->why.status) return NULL;
    if (!(f = lbr_arena_alloc(&z->arena, 1, sizeof *f)) || !LBR_ROOM(&z->arena, z->list, r->n, z->most, 1))
        return lbr_fail(&z->why, LBR_ENOMEM, "out of memory"), NULL;
    *(holds > 0 ? &r->right : holds ? &r->open : &r->wrong) += 1;
    *f = (lbr_system_finding){ .size = sizeof *f,
                               .what = z->what,
                               .where = "",
                               .row = -1,
                               .column = -1,
                               .given = NAN,
                               .expected = NAN,
                               .holds = holds,
                               .text = "" };
    z->list[r->n++] = f, r->finding = z->list;
    return f;
}

static const char *kept(lbr_inspection *z, const char *text)
{
    const char *copy = lbr_arena_text(&z->arena, text);

    return copy ? copy : (lbr_fail(&z->why, LBR_ENOMEM, "out of memory"), "");
}

void lbr_inspect_say(lbr_inspection *z, int holds, const char *format, ...)
{
    lbr_system_finding *f;
    char text[1024];
    va_list ap;
    int n = snprintf(text, sizeof text, "%s: ", z->what);

    va_start(ap, format), vsnprintf(text + n, sizeof text - (size_t)n, format, ap), va_end(ap);
    z->settled = 1;
    for (int64_t i = 0; i < z->report.n; i++)
        if (!strcmp(z->list[i]->text, text)) return; /* once is enough */
    if ((f = added(z, holds))) f->text = kept(z, text);
}

void lbr_inspect_begin(lbr_inspection *z, const char *what, const char *against)
{
    z->what = kept(z, what), z->against = against, z->first = z->report.n;
    z->compared = z->rough = z->wrong = 0, z->largest = 0, z->settled = 0;
}

void lbr_inspect_end(lbr_inspection *z)
{
    lbr_system_finding *f;
    char rough[64] = "";

    lbr_arena_free(&z->scratch);
    if (z->wrong > LBR_INSPECT_TOLD)
        lbr_inspect_say(z, 0, "%lld more of its numbers are wrong", (long long)(z->wrong - LBR_INSPECT_TOLD));
    if (z->wrong || z->settled || !z->compared || !(f = added(z, 1))) return;
    if (z->rough) snprintf(rough, sizeof rough, ", %lld of them as far as it is known", (long long)z->rough);
    f->text = lbr_arena_format(&z->arena, "%s: %lld number%s with %s%s", z->what, (long long)z->compared,
                               z->compared == 1 ? " agrees" : "s agree", z->against, rough);
    if (!f->text) f->text = "", lbr_fail(&z->why, LBR_ENOMEM, "out of memory");
}

const char *lbr_inspect_name(const lbr_inspection *z, lbr_numbering axis, int64_t i, char *text, size_t size)
{
    const char *const *names = axis.kind == LBR_NUMBERING_CONSTRAINT ? z->constraints.names
                               : axis.kind == LBR_NUMBERING_MANIFOLD ? z->manifold.names
                                                                     : NULL;
    const lbr_invariant *q = axis.quantity;

    if (axis.kind == LBR_NUMBERING_STATE) return lbr_system_component(&z->b.s, axis.from + i, text, size);
    if (names && names[i]) return snprintf(text, size, "%s", names[i]), text;
    lbr_component_name(text, size,
                       q && q->name                          ? q->name
                       : axis.kind == LBR_NUMBERING_QUANTITY ? "I"
                                                             : "g",
                       !(q && q->len == 1), &(int64_t){ i + 1 });
    return text;
}

static void place(const lbr_inspection *z, lbr_numbering rows, int64_t row, lbr_numbering columns, int64_t column,
                  char *text, size_t size)
{
    char a[128] = "", b[128] = "";

    if (rows.kind) lbr_inspect_name(z, rows, row, a, sizeof a);
    if (column >= 0) lbr_inspect_name(z, columns, column, b, sizeof b);
    if (column == -2)
        snprintf(text, size, "%s%s%s", rows.kind ? "row " : "", a,
                 rows.kind ? ", along a direction" : "along a direction");
    else if (column < 0) snprintf(text, size, "%s", a);
    else if (!rows.kind) snprintf(text, size, "by %s", b);
    else snprintf(text, size, "row %s, column %s", a, b);
}

/* Whether this number has been told to be wrong, or one of which a direction is made. */
static int is_known(const lbr_inspection *z, int64_t row, int64_t column)
{
    for (int64_t i = z->report.n - 1; i >= z->first; i--) {
        const lbr_system_finding *f = z->list[i];

        if (!f->holds && f->row == row && (column == -2 || f->column == column)) return 1;
    }
    return 0;
}

void lbr_inspect_wrong(lbr_inspection *z, lbr_numbering rows, int64_t row, lbr_numbering columns, int64_t column,
                       double given, double expected, const char *but)
{
    lbr_system_finding *f;
    char where[300], look[64] = "";

    if (is_known(z, rows.kind ? row : -1, column) || z->wrong++ >= LBR_INSPECT_TOLD || !(f = added(z, 0))) return;
    place(z, rows, row, columns, column, where, sizeof where);
    f->where = kept(z, where), f->row = rows.kind ? row : -1, f->column = column >= 0 ? column : -1;
    f->given = given, f->expected = expected;
    if (z->at) snprintf(look, sizeof look, "; at a point near y");
    if (z->at == 2) snprintf(look, sizeof look, "; at t = %.6g", z->t);
    f->text = lbr_arena_format(&z->arena, "%s%s%s%s is %.10g, %s%.10g%s%s%s", z->what, *where ? " (" : "", where,
                               *where ? ")" : "", given, but, expected,
                               given != 0 && fabs(given + expected) <= 1e-4 * fabs(given) ? ": the other sign" : "",
                               z->remark ? z->remark(z, row, column) : "", look);
    if (!f->text) f->text = "", lbr_fail(&z->why, LBR_ENOMEM, "out of memory");
}

/* --- comparisons ------------------------------------------------------------------------------------------------- */

double lbr_inspect_tolerance(double given, double expected, double error, double largest)
{
    return 0x1p-19 * fmax(fabs(given), fabs(expected)) + 8 * error + 0x1p-42 * largest;
}

void lbr_inspect_compare(lbr_inspection *z, lbr_numbering rows, lbr_numbering columns, int64_t column, int64_t m,
                         const double *given, const double *expected, const double *error)
{
    double largest = fmax(lbr_largest(m, given), lbr_largest(m, expected));
    char but[128];

    z->largest = fmax(z->largest, largest);
    snprintf(but, sizeof but, "but by %.100s it is ", z->against);
    for (int64_t i = 0; i < m && !z->why.status; i++) {
        double size = fmax(fabs(given[i]), fabs(expected[i])), off = error ? error[i] : 0;

        z->compared++;
        z->rough += 8 * off > 1e-5 * size && size > 0x1p-20 * z->largest;
        if (!(fabs(given[i] - expected[i]) <= lbr_inspect_tolerance(given[i], expected[i], off, largest)))
            lbr_inspect_wrong(z, rows, i, columns, column, given[i], expected[i], but);
    }
}

void lbr_inspect_symmetric(lbr_inspection *z, lbr_numbering rows, int64_t n, const double *M, const double *error,
                           int sign)
{
    double largest = lbr_largest(n * n, M);

    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i && !z->why.status; j++) {
            double a = M[i * n + j], b = sign * M[j * n + i], off = error ? error[i * n + j] + error[j * n + i] : 0;

            z->compared++;
            if (!(fabs(a - b) <= lbr_inspect_tolerance(a, b, off, largest)))
                lbr_inspect_wrong(z, rows, i, rows, j, a, b, "but by the one across the diagonal it is ");
        }
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

static int plain(const lbr_mapping *f, double t, const double *x, double *out) { return f->fn(t, x, out, f->ctx); }

lbr_mapping lbr_mapping_fn(lbr_inspection *z, const char *name, lbr_fn fn, void *ctx, int64_t n, int64_t m)
{
    return (lbr_mapping){ .call = plain, .n = n, .m = m, .z = z, .name = name, .fn = fn, .ctx = ctx };
}

static int times(const lbr_mapping *f, double t, const double *v, double *out)
{
    (void)t;
    *out = 0;
    for (int64_t i = 0; i < f->n; i++) *out += f->u[i] * v[i];
    return 0;
}

lbr_mapping lbr_inspect_dot(lbr_inspection *z, const char *name, const double *u, int64_t n)
{
    return (lbr_mapping){ .call = times, .n = n, .m = 1, .z = z, .name = name, .u = u };
}

enum { GUARD = 64 };

/* What is wrong with a call, in words; "": nothing. */
static void judged(const lbr_mapping *f, int status, const double *out, const double *again, char *text, size_t size)
{
    static const double mark = 0x1.123456789abcdp+77;
    int64_t i = lbr_bound_nonfinite(f->m, out);

    *text = 0;
    if (status) snprintf(text, size, "%s failed: it returned %d", f->name, status);
    for (int k = 0; k < GUARD && !*text; k++)
        if (memcmp(&out[f->m + k], &mark, sizeof mark))
            snprintf(text, size, "%s writes more than its %lld numbers", f->name, (long long)f->m);
    if (!*text && i >= 0)
        snprintf(text, size, "%s gives %g as number %lld of %lld, leaves it out, or reads behind its arguments",
                 f->name, out[i], (long long)i + 1, (long long)f->m);
    if (!*text && memcmp(out, again, (size_t)f->m * sizeof *out))
        snprintf(text, size, "%s gives other numbers when it is called again with the same", f->name);
}

static void marked(double *out, int64_t m)
{
    static const double mark = 0x1.123456789abcdp+77;

    for (int64_t i = 0; i < m; i++) out[i] = NAN;
    for (int k = 0; k < GUARD; k++) out[m + k] = mark;
}

int lbr_inspect_call(lbr_inspection *z, const lbr_mapping *f, const double *x, double *out)
{
    lbr_arena arena = { 0 };
    double *room = lbr_arena_alloc(&arena, f->n + 2 * f->m + 3 * GUARD, sizeof *room), *a, *b;
    char text[300];
    int status;

    if (!room) return lbr_fail(&z->why, LBR_ENOMEM, "out of memory"), 1;
    a = room + f->n + GUARD, b = a + f->m + GUARD;
    marked(a, f->m), marked(b, f->m);
    memcpy(room, x, (size_t)f->n * sizeof *x);
    for (int k = 0; k < GUARD; k++) room[f->n + k] = NAN; /* what is not its to read */
    status = f->call(f, z->t, room, a);
    if (!status) status = f->call(f, z->t, room, b);
    judged(f, status, a, b, text, sizeof text);
    memcpy(out, a, (size_t)f->m * sizeof *out);
    lbr_arena_free(&arena);
    if (*text && !z->at && !z->why.status) lbr_inspect_say(z, 0, "%s", text);
    return *text || z->why.status;
}
