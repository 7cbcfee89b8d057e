/* cmd_methods.c - libration methods: the catalogue. SPDX-License-Identifier: BSD-3-Clause */
#include "columns.h"
#include "core/growing_text.h"
#include "run.h"
#include "execute/fits.h"

#include <string.h>

typedef struct wish {
    arguments given;
    int symplectic, symmetric, json;
    int64_t order;
    const char *name, *file, *grep;
    char *text;        /* of standard input, with --fits - */
    const char *shown; /* the family whose lines are printed */
    int lines;
    lbr_json j;
    int code;
    lbr_fitting fitting; /* of the file, with --fits */
    struct misfit *misfit;
    int nmisfits;
} wish;
typedef struct misfit {
    const char *name, *why;
    int told;
} misfit;

static const flag flags[] = {
    { "symplectic", NULL, FLAG_YES, offsetof(wish, symplectic), "only symplectic methods" },
    { "symmetric", NULL, FLAG_YES, offsetof(wish, symmetric), "only symmetric methods" },
    { "grep", "WORDS", FLAG_TEXT, offsetof(wish, grep),
      "only what has all these words in its name, family, source or description, or is symmetric, symplectic, "
      "explicit" },
    { "order", "N", FLAG_ORDER, offsetof(wish, order), "only methods of this order" },
    { "fits", "FILE", FLAG_TEXT, offsetof(wish, file),
      "what fits this model or system, and why the rest does not; NAME may be a method of the file, or a map" },
    { "json", NULL, FLAG_YES, offsetof(wish, json), "JSON on standard output, and nothing else there" },
    { 0 }
};

static const char *const types[] = { "table", "map", "scheme" };

static int wanted(const wish *w, const lbr_method_info *i)
{
    const char *const text[] = { i->name,
                                 i->family,
                                 i->source,
                                 i->about,
                                 i->symmetric ? "symmetric" : "",
                                 i->symplectic ? "symplectic" : "",
                                 !strcmp(i->explicitness, "never") ? "implicit" : "explicit" };

    return texts_have(text, sizeof text / sizeof *text, w->grep) && (!w->symplectic || i->symplectic) &&
           (!w->symmetric || i->symmetric) && (!w->order || w->order == i->order);
}

/* --- JSON -------------------------------------------------------------------------------------------------------- */

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

/* Said once. */
static void starved(wish *w)
{
    if (w->code != LBR_EXIT_MACHINE) complain("out of memory");
    w->code = LBR_EXIT_MACHINE;
}

/* Whether a method fits the file; 1 also where no file is asked about. */
static int fits(wish *w, const char *name, lbr_message *why)
{
    lbr_status status = w->fitting.system ? lbr_fits(&w->fitting, name, why) : LBR_OK;

    if (status == LBR_ENOMEM) starved(w);
    return !status;
}

static void entry(wish *w, const lbr_method_info *i, int with_coefficients)
{
    lbr_json *j = &w->j;
    lbr_message why;

    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", i->name);
    lbr_json_text(j, "type", types[i->type]);
    lbr_json_text(j, "family", i->family);
    lbr_json_number(j, "order", i->order);
    lbr_json_number(j, "order_quadratic_kinetic", i->order_quadratic);
    lbr_json_text(j, "order_near", i->order_near && *i->order_near ? i->order_near : NULL);
    lbr_json_number(j, "stages", i->stages);
    lbr_json_flag(j, "symmetric", i->symmetric);
    lbr_json_flag(j, "symplectic", i->symplectic);
    if (i->conjugate_symplectic == LBR_ALL_ORDERS) lbr_json_text(j, "conjugate_symplectic", "yes");
    else if (i->conjugate_symplectic >= 0) lbr_json_number(j, "conjugate_symplectic", i->conjugate_symplectic);
    lbr_json_text(j, "volume_preserving", *i->volume_preserving ? i->volume_preserving : NULL);
    if (i->constraints >= 0) lbr_json_flag(j, "constraints", i->constraints);
    lbr_json_text(j, "explicit", i->explicitness);
    lbr_json_number(j, "digits", i->digits);
    list_of_words(j, "needs", i->needs);
    lbr_json_text(j, "source", i->source);
    lbr_json_text(j, "about", i->about);
    if (w->fitting.system) {
        lbr_json_flag(j, "fits", fits(w, i->name, &why));
        lbr_json_text(j, "why", why.text[0] ? why.text : NULL);
    }
    lbr_json_text(j, "note", *i->note ? i->note : NULL);
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
    else if (wanted(w, i)) entry(w, i, 0);
    lbr_method_free(i);
    return w->code != LBR_EXIT_DONE;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

static const char *yes(int value) { return value ? "yes" : "-"; }

/* k, 2k or 2k-1: the order of member k, of which two are known. */
static void order_of_members(const lbr_method *family, int first, int last, char text[16])
{
    int slope = (last - first) / (family->last - family->first), rest = first - slope * family->first;

    if (!slope) { /* all have the same */
        snprintf(text, 16, "%d", first);
        return;
    }
    snprintf(text, 16, slope > 1 ? "%dk" : "k", slope);
    if (rest) snprintf(text + strlen(text), 16 - strlen(text), "%+d", rest);
}

/* One line: a method, or a whole family, shown by its last member: the first may be a special case. */
static void print_line(wish *w, const lbr_method_info *i, const lbr_method *family, int first_order)
{
    char shown[64], order[16], stages[16];
    const char *explicitness = !strcmp(i->explicitness, "always")  ? "yes"
                               : !strcmp(i->explicitness, "never") ? "-"
                                                                   : "T+V";
    int at;

    if (!w->lines++) printf("%-26s %5s %6s %4s %5s %4s\n", "", "order", "stages", "symm", "sympl", "expl");
    if (w->shown) printf("\n%s\n", w->shown), w->shown = NULL;

    snprintf(shown, sizeof shown, "%s", i->name);
    snprintf(order, sizeof order, "%d", i->order);
    snprintf(stages, sizeof stages, "%d", i->stages);
    if (family) {
        snprintf(shown, sizeof shown, "%s:%d..%d", family->name, family->first,
                 family->most > family->last ? family->most : family->last);
        order_of_members(family, first_order, i->order, order);
        snprintf(stages, sizeof stages, "%s", i->stages == family->last ? "k" : "many");
    }
    at = printf("%-26s %5s %6s %4s %5s %4s  ", shown, order, stages, yes(i->symmetric), yes(i->symplectic),
                explicitness);
    print_wrapped(i->about, at, at);
}

/* What does not fit, and why: told at the end. "method 'x' needs ..." is "needs ..." there. */
static void remember(wish *w, const char *name, const char *why)
{
    const char *rest = !strncmp(why, "method '", 8) ? strstr(why, "' ") : NULL;
    misfit *m = w->misfit + w->nmisfits;

    *m = (misfit){ lbr_arena_text(&w->given.arena, name), lbr_arena_text(&w->given.arena, rest ? rest + 2 : why), 0 };
    if (m->name && m->why) w->nmisfits++;
    else starved(w);
}

/* Those with the same reason together. */
static void tell_misfits(wish *w)
{
    lbr_text names;

    if (w->nmisfits) puts("\nNot for this model:");
    for (int i = 0; i < w->nmisfits; i++) {
        if (w->misfit[i].told) continue;
        names = (lbr_text){ .arena = &w->given.arena };
        lbr_text_put(&names, w->misfit[i].name);
        for (int k = i + 1; k < w->nmisfits; k++)
            if (!strcmp(w->misfit[i].why, w->misfit[k].why))
                lbr_text_format(&names, ", %s", w->misfit[k].name), w->misfit[k].told = 1;
        if (names.status) {
            starved(w);
            return;
        }
        printf("  "), print_wrapped(names.text, 2, 2);
        printf("      "), print_wrapped(w->misfit[i].why, 6, 6);
    }
}

static const lbr_method_info *described(const char *name, wish *w)
{
    const lbr_method_info *i;
    lbr_status status = lbr_method_describe(&i, name);

    if (!status) return i;
    complain("%s", i ? i->message : lbr_status_text(status));
    w->code = status_exit(status);
    return lbr_method_free(i), NULL;
}

/* name: of a family, its first member. */
static int line(const char *name, const lbr_method *family, wish *w)
{
    const lbr_method_info *first = described(name, w), *i = first;
    lbr_message why = { 0 };
    char last[64];

    if (first && family) snprintf(last, sizeof last, "%s:%d", family->name, family->last), i = described(last, w);
    if (i && wanted(w, i)) {
        if (fits(w, name, &why)) print_line(w, i, family, first->order);
        else remember(w, family ? family->name : name, why.text);
    }
    if (i != first) lbr_method_free(i);
    lbr_method_free(first);
    return w->code;
}

/* What the file or the system brings itself. */
static int own_method(wish *w, const char *name)
{
    const char *method = lbr_fitting_method(&w->fitting, name);
    const lbr_method_info *i;
    lbr_plan *plan;
    lbr_message why;
    lbr_status status;

    if (!method) return w->code = run_refuse(w->fitting.message, w->fitting.status);
    status = lbr_fitting_describe(&w->fitting, method, &i, &plan, &why);
    if (status == LBR_ENOMEM) w->code = LBR_EXIT_MACHINE, complain("out of memory");
    else if (why.text[0] && !w->json) remember(w, name, why.text);
    else if (!status && wanted(w, i)) {
        lbr_method_info named = *i;

        named.name = name;
        if (w->json) entry(w, i, 0);
        else print_line(w, &named, NULL, 0);
    }
    lbr_method_free(i);
    lbr_plan_free(plan);
    return w->code;
}

static int own_methods(wish *w)
{
    const char *name;

    for (int k = 0; !w->code && (name = lbr_fitting_own(&w->fitting, k)); k++) own_method(w, name);
    return w->code;
}

static int member_line(const char *name, void *ctx) { return line(name, NULL, ctx); }

static int count(const char *name, void *ctx) { return ++*(int *)ctx, 0; }

static int first_of_family(int64_t i)
{
    for (int64_t k = 0; k < i; k++)
        if (!strcmp(lbr_catalogue(k)->family, lbr_catalogue(i)->family)) return 0;
    return 1;
}

static void list_family(wish *w, int64_t first)
{
    char name[64];

    w->shown = lbr_catalogue(first)->family;
    for (int64_t i = first; i < lbr_catalogue_size() && !w->code; i++) {
        const lbr_method *m = lbr_catalogue(i);

        if (strcmp(m->family, lbr_catalogue(first)->family)) continue;
        snprintf(name, sizeof name, m->stride ? "%s:%d" : "%s", m->name, m->first);
        line(name, m->stride ? m : NULL, w);
    }
    w->shown = NULL;
}

/* Families of coefficients are one line each, unless an order picks members. */
static int list_people(wish *w)
{
    int most = 1;

    each_method(count, &most);
    for (int k = 0; lbr_fitting_own(&w->fitting, k); k++) most++;
    if (!(w->misfit = lbr_arena_alloc(&w->given.arena, most, sizeof *w->misfit)))
        return complain("out of memory"), LBR_EXIT_MACHINE;
    w->shown = "of the file";
    if (own_methods(w)) return w->code;
    w->shown = NULL;
    if (w->order) each_method(member_line, w);
    for (int64_t i = 0; !w->order && i < lbr_catalogue_size() && !w->code; i++)
        if (first_of_family(i)) list_family(w, i);
    tell_misfits(w);
    if (!w->code && !w->lines && !w->nmisfits) return complain("no method is like that; libration methods lists all");
    if (!w->code)
        puts("\n"
             "symm: symmetric, sympl: symplectic; expl: explicit, T+V for H = T(p) + V(q). libration methods\n"
             "NAME tells all about one; NAME:k is a member of a family (gauss:6, suzuki:8).");
    return w->code;
}

/* Whose volume is kept. */
static const char *volume_words(const char *code)
{
    static const char *const words[][2] = { { "no", "not kept" },
                                            { "canonical", "kept for canonical systems" },
                                            { "partitioned", "kept for canonical systems and y' = f(z), z' = g(y)" },
                                            { "parts", "kept where that of each part is" },
                                            { "yes", "kept for any field without divergence" } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(code, words[i][0])) return words[i][1];
    return code;
}

/* The error constant, and whether constraints are kept, from the certificate. */
static void show_certified(const char *method, const lbr_options *options)
{
    const lbr_certificate *z;
    lbr_status status = lbr_certify(&z, method, options);

    for (int64_t i = 0; !status && i < z->n; i++) {
        const lbr_check *c = z->check[i];

        if (!strcmp(c->property, "error_constant")) printf("  error       %.3g: %s\n", c->value, c->detail);
        if (!strcmp(c->property, "constraints"))
            printf("  constraints %s%s\n", c->found ? "kept" : "not kept: ", c->found ? "" : c->detail);
    }
    lbr_certificate_free(z);
}

static void show(const lbr_method_info *i, const lbr_options *options)
{
    printf("%s: %s\n"
           "\n"
           "  source      %s\n"
           "  type        %s (%s)\n"
           "  order       %d",
           i->name, i->about, i->source, types[i->type], i->family, i->order);
    if (i->order_quadratic != i->order) printf(" (%d where T is quadratic in p)", i->order_quadratic);
    if (i->order_near && *i->order_near) printf(", %s where all parts but the first are small", i->order_near);
    printf("\n"
           "  stages      %d\n"
           "  symmetric   %s\n"
           "  symplectic  %s\n"
           "  explicit    %s\n"
           "  needs       %s\n"
           "  digits      %d\n",
           i->stages, i->symmetric ? "yes" : "no", i->symplectic ? "yes" : "no", i->explicitness, i->needs, i->digits);
    if (!i->symplectic && i->conjugate_symplectic == LBR_ALL_ORDERS) puts("  conjugate   to a symplectic method");
    else if (!i->symplectic && i->conjugate_symplectic > 0)
        printf("  conjugate   to a symplectic method up to order %d\n", i->conjugate_symplectic);
    if (*i->volume_preserving) printf("  volume      %s\n", volume_words(i->volume_preserving));
    show_certified(i->name, options);
    if (*i->note) printf("  note        %s\n", i->note);
    if (*i->free_entries) printf("  free        %s (the claims hold for other values too)\n", i->free_entries);
    for (int64_t k = 0; k < i->nlists; k++) {
        printf("\n  %s\n", i->lists[k].name);
        for (int64_t l = 0; l < i->lists[k].list.n; l++)
            printf("    %s%s\n", i->lists[k].list.text[l][0] == '-' ? "" : " ", i->lists[k].list.text[l]);
    }
}

static int one(wish *w)
{
    const char *method = lbr_fitting_method(&w->fitting, w->name);
    const lbr_method_info *i;
    lbr_plan *plan;
    lbr_message why;
    lbr_status status;

    if (!method) return w->code = run_refuse(w->fitting.message, w->fitting.status);
    if ((status = lbr_fitting_describe(&w->fitting, method, &i, &plan, &why)))
        w->code = status_exit(status), complain("%s", why.text);
    else if (w->json) entry(w, i, 1);
    else {
        int good = fits(w, i->name, &why);

        show(i, w->fitting.system ? &w->fitting.options : NULL);
        if (w->fitting.system)
            printf("  fits        %s%s%s\n", good ? "yes" : "no", good ? "" : ": ", good ? "" : why.text);
    }
    lbr_method_free(i);
    lbr_plan_free(plan);
    return w->code;
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

/* The file of --fits: a system in C, or a model, which may be on standard input. */
static int open_file(wish *w, lbr_csystem *c)
{
    lbr_status status;
    int code;

    if (!w->file) return LBR_EXIT_DONE;
    if (run_is_c(w->file)) {
        if ((code = run_c_load(&(run_settings){ .file = w->file }, c))) return code;
        return lbr_fitting_system(&w->fitting, &c->system), LBR_EXIT_DONE;
    }
    if (run_is_input(w->file)) {
        if ((code = run_standard_input(&w->text))) return code;
        status = lbr_fitting_text(&w->fitting, "stdin", w->text);
    } else status = lbr_fitting_open(&w->fitting, w->file);
    return status ? run_refuse(w->fitting.message, status) : LBR_EXIT_DONE;
}

static int list(wish *w)
{
    if (w->name) return one(w);
    if (!w->json) return list_people(w);
    lbr_json_open(&w->j, NULL, '[');
    if (!own_methods(w)) each_method(list_json, w);
    lbr_json_close(&w->j, ']');
    return w->code;
}

static int run(const command *self, int argc, char **argv)
{
    wish w = { .j = { .out = stdout } };
    lbr_csystem c;
    int code = flags_read(&w.given, self, argc, argv);

    if (w.given.nnames) w.name = w.given.name[0];
    if (!code && !(code = open_file(&w, &c))) code = list(&w);
    lbr_fitting_free(&w.fitting);
    lbr_mem_free(w.text);
    flags_free(&w.given);
    return code;
}

const command command_methods = {
    .name = "methods",
    .use = "methods [NAME] [--symplectic] [--symmetric] [--order N] [--grep WORDS] [--fits FILE] [--json]",
    .help = "the catalogue; with NAME, everything about one method; with FILE, what fits a model, and why the rest "
            "does not",
    .takes = "NAME",
    .flags = flags,
    .before = "",
    .after = "",
    .run = run
};
