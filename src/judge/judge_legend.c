/* judge_legend.c - what the curves of a plot are called. SPDX-License-Identifier: BSD-3-Clause */
#include "plotting.h"

#include <stdio.h>
#include <string.h>

/* --- from the quantities ----------------------------------------------------------------------------------------- */

/* The bracket that closes a text whose first part is a name and whose second one a group in brackets, or nothing: where
 * that group begins; the text's end where there is none; NULL where the text is put together otherwise. */
static const char *group_of(const char *text)
{
    const char *s = text + strcspn(text, " ([+-*/^<>=,"), *open = s;
    int depth = 0;

    if (s == text || !*s) return *text ? s : NULL;
    if (*s != '(' && *s != '[') return NULL;
    for (; *s; s++) {
        depth += *s == '(' || *s == '[', depth -= *s == ')' || *s == ']';
        if (!depth) return s[1] ? NULL : open;
    }
    return NULL;
}

/* Component c of a quantity as it would be written: q[2,1], last(q)[3], (q - q0)[1]; of q[2], q[2,1]. */
static char *component_text(lbr_arena *arena, const char *what, const lbr_shape *shape, int64_t c)
{
    const char *group = group_of(what);
    int64_t index[LBR_RANK];
    char *more;

    if (!shape->rank) return lbr_arena_text(arena, what);
    lbr_component_index(c, shape->rank, shape->n, index);
    if (!(more = lbr_arena_component(arena, "", shape->rank, index))) return NULL;
    if (!group) return lbr_arena_format(arena, "(%s)%s", what, more);
    if (*group == '[') return lbr_arena_format(arena, "%.*s,%s", (int)strlen(what) - 1, what, more + 1);
    return lbr_arena_format(arena, "%s%s", what, more);
}

static int in_name(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Where the last index begins that is open at the end of a text; 0: none is. */
static size_t index_begin(const char *text, size_t n)
{
    while (n && !strchr("[,]()", text[n - 1])) n--;
    return n && (text[n - 1] == '[' || text[n - 1] == ',') ? n : 0;
}

/* Of a path, x = Jupiter[1] and y = Jupiter[2], what both are of: Jupiter; of q[3,1] and q[3,2], q[3]; of differences,
 * Jupiter - Sun. Only last indices differ, and always the same two; within a call they might be anything. NULL: they
 * are not of one thing. */
static char *path_text(lbr_drawing *d, const char *x, const char *y)
{
    char *to = lbr_arena_alloc(d->j->scratch, (int64_t)strlen(y) + 1, 1);
    const char *first = NULL, *second = NULL;
    size_t n = 0, at, a = 0, b = 0;

    if (!to) return d->j->no_memory = 1, NULL;
    while (*x || *y) {
        if (*x == *y) {
            if (*y == '(' && n && in_name(to[n - 1])) return NULL;
            to[n++] = *y++, x++;
            continue;
        }
        if (!(at = index_begin(to, n))) return NULL;
        x -= n - at, y -= n - at, n = at;
        if (first && (strncmp(x, first, a + 1) || strncmp(y, second, b + 1))) return NULL;
        first = x, second = y, a = strcspn(x, "[](,"), b = strcspn(y, "[](,");
        if (x[a] != ']' || y[b] != ']') return NULL;
        x += a + 1, y += b + 1;
        if (to[n - 1] == ',') to[n - 1] = ']';
        else n--;
    }
    return to[n] = 0, to;
}

static char *quantity_text(lbr_drawing *a, int k, const lbr_shape *shape, int64_t c)
{
    lbr_arena *arena = a->j->scratch;
    const char *what = lbr_piece_of(arena, a->main, k), *x = NULL;
    char *path = NULL;

    if (a->main == a->y && a->x && lbr_pieces(a->x) > 1 && !shape->rank) x = lbr_piece_of(arena, a->x, k);
    if (x && what && strcmp(x, what)) path = path_text(a, x, what);
    return path ? path : what ? component_text(arena, what, shape, c) : NULL;
}

/* --- with the names of runs -------------------------------------------------------------------------------------- */

static const char *run_name(const lbr_drawing *a, const lbr_curve_note *n)
{
    const lbr_trial *r = a->j->x->run + n->run;

    return n->sweep ? r->family : r->label;
}

static char *with_run(const lbr_drawing *a, const lbr_curve_note *n, const char *text)
{
    const char *who = run_name(a, n);

    return lbr_arena_format(a->j->scratch, "%s: %s", who ? who : "", text);
}

char *lbr_curve_label(lbr_drawing *a, int k, const lbr_shape *shape, int64_t c)
{
    const lbr_curve_note *n = a->note + a->n - 1;
    const char *who = run_name(a, n);
    int named = lbr_pieces(a->main) > 1 || lbr_shape_size(shape) > 1;
    char *text = NULL;

    if (!named && !(a->many && who)) return NULL;
    if (named) text = quantity_text(a, k, shape, c);
    if (named && text && a->many) text = with_run(a, n, text);
    if (!named) text = lbr_arena_text(a->j->scratch, who);
    if (!text) a->j->no_memory = 1;
    return text;
}

/* --- given ------------------------------------------------------------------------------------------------------- */

static int wrong(lbr_drawing *a, const char *text)
{
    lbr_frame f;

    lbr_frame_open(&f, a->j, -1, a->p->line->file, a->p->known);
    lbr_lower_fail(f.lo, a->labels->target.place, "%s", text);
    return lbr_frame_close(&f), 0;
}

static int miscounted(lbr_drawing *a, int64_t n)
{
    char text[200], each[80] = "";

    if (a->each < a->planned) snprintf(each, sizeof each, ", of which each run has %lld", (long long)a->each);
    snprintf(text, sizeof text, "there are %lld labels for %lld curve%s%s", (long long)n, (long long)a->planned,
             a->planned == 1 ? "" : "s", each);
    return wrong(a, text);
}

int lbr_legend_given(lbr_drawing *a)
{
    int64_t n = a->labels ? lbr_pieces(a->labels) : 0;

    for (int64_t k = 0; k < n; k++)
        if (!lbr_piece(a->labels, (int)k) || lbr_piece(a->labels, (int)k)->kind != LBR_NODE_STRING)
            return wrong(a, "labels are texts in quotes: labels = [\"one\", \"two\"]");
    if (n && n != a->planned && n != a->each) return miscounted(a, n);
    for (int64_t c = 0; c < a->n && n; c++) {
        const lbr_curve_note *note = a->note + c;
        const char *text = lbr_piece(a->labels, (int)(n == a->planned ? note->number : note->within))->text;

        a->curve[c].label = n == a->planned || !a->many ? text : with_run(a, note, text);
        if (!a->curve[c].label) return a->j->no_memory = 1, 0;
    }
    return 1;
}
