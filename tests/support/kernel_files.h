/* loaded.h - what the tests of the language share: a text that becomes a model, its quantities, its mistakes.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LOADED_H
#define LOADED_H
#include "parsed.h"

#include <math.h>
#include <stdint.h>

#include "model/model_system.h"

typedef struct {
    lbr_source source;
    lbr_model *m;
    const lbr_system *s;
    lbr_status status;
    lbr_message message;
    char *text;
} loaded;

/* --- texts ------------------------------------------------------------------------------------------------------- */

__attribute__((unused)) static int finish_load(loaded *l)
{
    if (!l->status) l->status = lbr_model_make(&l->m, &l->source, NULL, 0);
    if (!l->status && !(l->s = lbr_model_system(l->m, &l->message))) l->status = LBR_EUNFIT;
    return !l->status;
}

/* A text as the file m.lbr of a folder (NULL: of none). */
__attribute__((unused)) static int load_bytes(loaded *l, const char *text, size_t size, const char *folder)
{
    *l = (loaded){ .text = malloc(size ? size : 1) };
    if (!l->text) return 0;
    if (size) memcpy(l->text, text, size); /* no 0 at its end: one byte too far is seen */
    l->status = lbr_source_text(&l->source, "m.lbr", l->text, size, folder);
    return finish_load(l);
}

__attribute__((unused)) static int load(loaded *l, const char *text) { return load_bytes(l, text, strlen(text), NULL); }

__attribute__((unused)) static int load_file(loaded *l, const char *path)
{
    *l = (loaded){ 0 };
    l->status = lbr_source_open(&l->source, path);
    return finish_load(l);
}

__attribute__((unused)) static void unload(loaded *l)
{
    lbr_model_free(l->m);
    lbr_source_free(&l->source);
    free(l->text);
}

/* What went wrong. */
__attribute__((unused)) static const char *trouble(const loaded *l)
{
    return l->source.message ? l->source.message : l->message.text[0] ? l->message.text : "nothing is said";
}

/* --- quantities -------------------------------------------------------------------------------------------------- */

/* An observed quantity at a state, at most `most` numbers; how many it has, -1 if there is none of this name. */
__attribute__((unused)) static int64_t observed_at(loaded *l, const char *name, const double *y, double *out,
                                                   int64_t most)
{
    for (int k = 0; l->s && k < l->m->nobserved; k++) {
        const lbr_observed *o = lbr_model_observed(l->m, k);
        double *all;

        if (strcmp(o->name, name)) continue;
        if (!(all = calloc((size_t)o->len + 1, sizeof *all))) return -1;
        if (lbr_function_call(l->m->t0, y, all, (void *)&o->f)) all[0] = NAN;
        memcpy(out, all, (size_t)(o->len < most ? o->len : most) * sizeof *out);
        free(all);
        return o->len;
    }
    return -1;
}

__attribute__((unused)) static int64_t observed(loaded *l, const char *name, double *out, int64_t most)
{
    return observed_at(l, name, l->m ? l->m->y0 : NULL, out, most);
}

/* A parameter or an abbreviation that is constant. */
__attribute__((unused)) static int64_t constants(loaded *l, const char *name, double *out, int64_t most)
{
    lbr_symbol *s = l->m ? lbr_symbol_find(&l->m->lo, name) : NULL;
    int64_t n = s && s->value ? lbr_shape_size(&s->value->shape) : -1;

    if (l->m) l->m->lo.at.failed = 0;
    return n < 0 || n > most || !lbr_value_constants(&l->m->lo, s->value, out) ? -1 : n;
}

/* The value of an expression, observed in a model (NaN: it cannot be read). */
__attribute__((unused)) static double number(const char *before, const char *expression)
{
    char text[8192];
    double x = NAN;
    loaded l;

    snprintf(text, sizeof text, "%s\nobserve zz = %s\n", before, expression);
    if (!load(&l, text) || observed(&l, "zz", &x, 1) != 1) printf("# %s: %s\n", expression, trouble(&l)), x = NAN;
    unload(&l);
    return x;
}

__attribute__((unused)) static int same_bits(double a, double b) { return !memcmp(&a, &b, sizeof a); }

/* --- mistakes ---------------------------------------------------------------------------------------------------- */

/* Every word, separated by blanks, is somewhere in the text. */
__attribute__((unused)) static int has_words(const char *text, const char *words)
{
    char word[128];
    int n;

    for (; sscanf(words, " %127s%n", word, &n) == 1; words += n)
        if (!strstr(text, word)) return 0;
    return 1;
}

/* Line `line` of a text, and its length. */
static const char *text_line(const char *text, int line, size_t *n)
{
    while (line-- > 1 && strchr(text, '\n')) text = strchr(text, '\n') + 1;
    *n = strcspn(text, "\n");
    return text;
}

/* The first error of a report is at "line:column" of the file, says these words, and shows the line and a caret. */
__attribute__((unused)) static int reported(const char *report, const char *name, const char *text, const char *place,
                                            const char *words)
{
    char head[400], first[1024];
    int line = 0, column = 0;
    size_t n, length = strcspn(report, "\n");
    const char *shown = report + length + 1, *caret, *wanted;

    sscanf(place, "%d:%d", &line, &column);
    snprintf(head, sizeof head, "%s:%s: ", name, place);
    snprintf(first, sizeof first, "%.*s", (int)length, report);
    if (strncmp(report, head, strlen(head)) || !has_words(first + strlen(head), words) || !report[length]) return 0;
    wanted = text_line(text, line, &n);
    caret = strchr(shown, '\n');
    if (!caret || strncmp(shown, "    ", 4)) return 0;
    if (column <= 100 && n <= 150 && (strncmp(shown + 4, wanted, n) || shown[4 + n] != '\n')) return 0;
    return column > 100 ||
           (strcspn(caret + 1, "^") == (size_t)(column + 3) && strspn(caret + 1, " ") == (size_t)(column + 3));
}

__attribute__((unused)) static const char *last_line(const char *text)
{
    const char *last = text;

    for (const char *s = text; *s; s++)
        if (s > text && s[-1] == '\n' && *s != '\n') last = s;
    return last;
}

/* The text is refused, by one error at this place. */
__attribute__((unused)) static void refused(const char *text, const char *place, const char *words)
{
    char shown[80];
    loaded l;
    int good;

    snprintf(shown, sizeof shown, "%.79s", last_line(text));
    load(&l, text);
    good = l.status == LBR_EARG && !l.m && l.source.message && reported(l.source.message, "m.lbr", text, place, words);
    if (good && strstr(l.source.message + 1, "\nm.lbr:")) good = 0;
    shown[strcspn(shown, "\n")] = 0;
    if (!ok(good, "refused at %s (%s): %s", place, words, shown)) printf("# %s\n", trouble(&l));
    unload(&l);
}
#endif
