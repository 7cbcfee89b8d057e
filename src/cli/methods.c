/* methods.c - libration methods: the catalogue. SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct wish { int symplectic, symmetric, order, as_json;  const char *name;  lbr_json j;  int code; } wish;

static const char *const types[] = { "table", "map", "scheme" };

static int wanted(const wish *w, int order, int symmetric, int symplectic)
{
    return (!w->symplectic || symplectic) && (!w->symmetric || symmetric) && (!w->order || w->order == order);
}

/* --- JSON -------------------------------------------------------------------------------------------------- */

static void list_of_words(lbr_json *j, const char *key, const char *words)
{
    char word[64];

    lbr_json_open(j, key, '[');
    while (*words) {
        size_t n = strcspn(words, " ");

        snprintf(word, sizeof word, "%.*s", (int)n, words);
        lbr_json_text(j, NULL, word);
        words += n + strspn(words + n, " ");
    }
    lbr_json_close(j, ']');
}

static void entry(lbr_json *j, const lbr_method_info *i, int with_coefficients)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", i->name);
    lbr_json_text(j, "type", types[i->type]);
    lbr_json_text(j, "family", i->family);
    lbr_json_number(j, "order", i->order);
    lbr_json_number(j, "order_quadratic_kinetic", i->order_quadratic);
    lbr_json_number(j, "stages", i->stages);
    lbr_json_flag(j, "symmetric", i->symmetric);
    lbr_json_flag(j, "symplectic", i->symplectic);
    lbr_json_text(j, "explicit", i->explicitness);
    lbr_json_number(j, "digits", i->digits);
    list_of_words(j, "needs", i->needs);
    lbr_json_text(j, "source", i->source);
    lbr_json_text(j, "about", i->about);
    if (with_coefficients) {
        list_of_words(j, "free", i->free_entries);
        lbr_json_open(j, "coefficients", '{');
        for (int64_t k = 0; k < i->nlists; k++) {
            lbr_json_open(j, i->lists[k].name, '[');
            for (int64_t l = 0; l < i->lists[k].list.n; l++) lbr_json_text(j, NULL, i->lists[k].list.text[l]);
            lbr_json_close(j, ']');
        }
        lbr_json_close(j, '}');
    }
    lbr_json_close(j, '}');
}

static int list_json(const char *name, void *ctx)
{
    wish *w = ctx;
    const lbr_method_info *i;
    lbr_status status = lbr_method_describe(&i, name);

    if (status) w->code = status_exit(status), complain("%s: %s", name, i ? i->message : lbr_status_text(status));
    else if (wanted(w, i->order, i->symmetric, i->symplectic)) entry(&w->j, i, 0);
    lbr_method_free(i);
    return status != LBR_OK;
}

/* --- for people ---------------------------------------------------------------------------------------------- */

static const char *yes(int value) { return value ? "yes" : "-"; }

/* One line: a method, or a whole family, shown by its first member. */
static int line(const char *name, const lbr_method *family, wish *w)
{
    const lbr_method_info *i;
    char shown[64], order[16], stages[16];
    lbr_status status = lbr_method_describe(&i, name);

    if (status) {
        complain("%s", i ? i->message : lbr_status_text(status));
    } else if (wanted(w, i->order, i->symmetric, i->symplectic)) {
        snprintf(shown, sizeof shown, "%s", name);
        snprintf(order, sizeof order, "%d", i->order);
        snprintf(stages, sizeof stages, "%d", i->stages);
        if (family) {
            snprintf(shown, sizeof shown, "%s:%d..%d", family->name, family->first, family->last);
            snprintf(order, sizeof order, "%s", i->order == family->first ? "k" : "2k");
            snprintf(stages, sizeof stages, "%s", i->stages == family->first ? "k" : "many");
        }
        printf("%-26s %-6s %5s %6s %9s %10s %9s  %s\n", shown, types[i->type], order, stages, yes(i->symmetric), yes(i->symplectic), i->explicitness, i->about);
    }
    lbr_method_free(i);
    return w->code = status_exit(status);
}

static int member_line(const char *name, void *ctx) { return line(name, NULL, ctx); }

/* Families are one line each, unless an order picks members. */
static int list_people(wish *w)
{
    char name[64];

    printf("%-26s %-6s %5s %6s %9s %10s %9s\n", "name", "type", "order", "stages", "symmetric", "symplectic", "explicit");
    if (w->order) each_method(member_line, w);
    for (int64_t i = 0; !w->order && i < lbr_catalogue_size() && !w->code; i++) {
        const lbr_method *m = lbr_catalogue(i);

        snprintf(name, sizeof name, m->stride ? "%s:%d" : "%s", m->name, m->first);
        line(name, m->stride ? m : NULL, w);
    }
    if (!w->code) puts("\nlibration methods NAME tells all about one; NAME:k is a member of a family (gauss:6, suzuki:8).");
    return w->code;
}

static void show(const lbr_method_info *i)
{
    printf("%s: %s\n\n  source      %s\n  type        %s (%s)\n  order       %d", i->name, i->about, i->source, types[i->type], i->family, i->order);
    if (i->order_quadratic != i->order) printf(" (%d where T is quadratic in p)", i->order_quadratic);
    printf("\n  stages      %d\n  symmetric   %s\n  symplectic  %s\n  explicit    %s\n  needs       %s\n  digits      %d\n",
           i->stages, i->symmetric ? "yes" : "no", i->symplectic ? "yes" : "no", i->explicitness, i->needs, i->digits);
    if (*i->free_entries) printf("  free        %s (the claims hold for other values too)\n", i->free_entries);
    for (int64_t k = 0; k < i->nlists; k++) {
        printf("\n  %s\n", i->lists[k].name);
        for (int64_t l = 0; l < i->lists[k].list.n; l++) printf("    %s%s\n", i->lists[k].list.text[l][0] == '-' ? "" : " ", i->lists[k].list.text[l]);
    }
}

static int one(wish *w)
{
    const lbr_method_info *i;
    lbr_status status = lbr_method_describe(&i, w->name);

    if (status) complain("%s", i ? i->message : lbr_status_text(status));
    else if (w->as_json) entry(&w->j, i, 1);
    else show(i);
    lbr_method_free(i);
    return status_exit(status);
}

/* --- arguments ------------------------------------------------------------------------------------------------- */

static int order_of(const char *text, int *order)
{
    char *end;
    long n = strtol(text ? text : "", &end, 10);

    if (!text || !*text || *end || n < 1 || n > 1000) return complain("--order needs a number from 1 to 1000");
    *order = (int)n;
    return DONE;
}

static int arguments(int argc, char **argv, wish *w)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) w->as_json = 1;
        else if (!strcmp(argv[i], "--symplectic")) w->symplectic = 1;
        else if (!strcmp(argv[i], "--symmetric")) w->symmetric = 1;
        else if (!strcmp(argv[i], "--order")) { if (order_of(i + 1 < argc ? argv[++i] : NULL, &w->order)) return BAD_INPUT; }
        else if (argv[i][0] == '-') return complain("methods has no option '%.60s'; see libration methods --help", argv[i]);
        else if (w->name) return complain("methods takes one NAME; '%.60s' is a second one", argv[i]);
        else w->name = argv[i];
    }
    return DONE;
}

int command_methods(int argc, char **argv)
{
    wish w = { .j = { .out = stdout } };

    if (arguments(argc, argv, &w)) return BAD_INPUT;
    if (w.name) return one(&w);
    if (!w.as_json) return list_people(&w);
    lbr_json_open(&w.j, NULL, '[');
    each_method(list_json, &w);
    lbr_json_close(&w.j, ']');
    return w.code;
}
