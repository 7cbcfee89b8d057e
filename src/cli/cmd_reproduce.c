/* cmd_reproduce.c - libration reproduce: the experiments, every claim with its number.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "columns.h"
#include "run.h"
#include "report/report_html.h"
#include "plot/plot.h"
#include "syntax/gallery.h"
#include "core/clock.h"

#include <string.h>
#include <unistd.h>

typedef struct session {
    arguments given;
    const char *report;
    int all, quick, bite, json, force, no_compile;
    lbr_experiment_text *what;
    int n;
    lbr_reproduction *r;
    int told;
    int lively, shown; /* a terminal is watched; a line is there that goes away again */
    int64_t hold, fail, skipped, bites, blunt;
    int code;
} session;

#define AT(field) offsetof(session, field)
static const flag flags[] = {
    { "all", NULL, FLAG_YES, AT(all), "every experiment that comes with the tool" },
    { "quick", NULL, FLAG_YES, AT(quick),
      "leave out claims whose runs need more than 2e8 evaluations, counted before: steps times stages, implicit ones "
      "eight times" },
    { "bite", NULL, FLAG_YES, AT(bite),
      "make each claim's runs again under the settings after `against`: it must not hold then" },
    { "json", NULL, FLAG_YES, AT(json), "one JSON object on standard output, and nothing else there" },
    { "force", NULL, FLAG_YES, AT(force), "replace a report that is there" },
    { "no-compile", NULL, FLAG_YES, AT(no_compile), "interpret models instead of compiling them" },
    { "report", "DIR", FLAG_TEXT, AT(report),
      "write DIR/index.html: every claim, picture, run and parameter on one page that needs nothing else" },
    { 0 }
};

/* --- which experiments ------------------------------------------------------------------------------------------- */

/* The length of a place in the book at s, such as V or I.2.4; 0: there is none. */
static size_t place(const char *s)
{
    size_t n = strspn(s, "IVX"), digits;

    while (n && s[n] == '.' && (digits = strspn(s + n + 1, "0123456789"))) n += 1 + digits;
    return n && !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-", s[n] ? s[n] : ' ') ? n : 0;
}

/* Whether a source names this place, or one inside it: "HLW Figs II.4.4, V.3.2" is in II, II.4, II.4.4 and V. */
static int cites(const char *source, const char *chapter)
{
    size_t n = strlen(chapter);

    for (const char *s = source; *s;) {
        size_t m = place(s);

        if (m >= n && !strncmp(s, chapter, n) && (m == n || s[n] == '.')) return 1;
        s += m ? m : strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-");
        s += strcspn(s, "IVXABCDEFGHJKLMNOPQRSTUWYZabcdefghijklmnopqrstuvwxyz0123456789");
    }
    return 0;
}

static void add(session *s, lbr_experiment_text what)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->what[i].id, what.id) && !s->what[i].path == !what.path) return;
    s->what[s->n++] = what;
}

static int add_chapter(session *s, const char *chapter)
{
    const lbr_gallery_item *item;
    int before = s->n;

    for (int64_t i = 0; (item = lbr_gallery(i)); i++)
        if (!strcmp(item->kind, "experiment") && (!chapter || cites(item->source, chapter)))
            add(s, (lbr_experiment_text){ item->name, NULL, item->text, item->size });
    return s->n > before || !chapter
               ? LBR_EXIT_DONE
               : complain("no experiment is about %s; libration models lists them with their sources", chapter);
}

/* mine.lbr is called mine. */
static int add_file(session *s, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const char *id = lbr_arena_format(&s->given.arena, "%.*s", dot > name ? (int)(dot - name) : (int)strlen(name),
                                      name);

    if (!id) return complain("out of memory"), LBR_EXIT_MACHINE;
    add(s, (lbr_experiment_text){ id, path, NULL, 0 });
    return LBR_EXIT_DONE;
}

static int add_name(session *s, const char *name)
{
    const lbr_gallery_item *item = lbr_gallery_find("experiment", name);

    if (item) return add(s, (lbr_experiment_text){ item->name, NULL, item->text, item->size }), LBR_EXIT_DONE;
    if (run_is_input(name))
        return complain("reproduce takes no experiment from standard input; libration run - judges its claims, and a "
                        "file can be reproduced");
    if (place(name) == strlen(name)) return add_chapter(s, name);
    if (strpbrk(name, "./")) return add_file(s, name);
    if ((item = lbr_gallery_nearest("experiment", name)))
        return complain("there is no experiment '%.60s'; did you mean '%s'? (libration models lists them)", name,
                        item->name);
    return complain("there is no experiment '%.60s'; libration models lists them", name);
}

static int choose(session *s)
{
    int64_t n = s->given.nnames;
    int code = LBR_EXIT_DONE;

    while (lbr_gallery(n - s->given.nnames)) n++;
    if (!(s->what = lbr_arena_alloc(&s->given.arena, n, sizeof *s->what)) ||
        !(s->r = lbr_arena_alloc(&s->given.arena, n, sizeof *s->r)))
        return complain("out of memory"), LBR_EXIT_MACHINE;
    if (s->all) add_chapter(s, NULL);
    for (int i = 0; i < s->given.nnames && !code; i++) code = add_name(s, s->given.name[i]);
    return code;
}

/* --- for people -------------------------------------------------------------------------------------------------- */

static void wipe(session *s)
{
    if (s->shown) terminal_status("");
    s->shown = 0;
}

static void waiting(int done, int n, const char *running, void *ctx)
{
    session *s = ctx;
    char line[200];

    if (!s->lively) return;
    snprintf(line, sizeof line, "%d of %d experiments, %s", done, n, running), terminal_status(line);
    s->shown = 1;
}

static void claim(const session *s, const lbr_claim_told *c)
{
    printf("  %s  %s", !c->judged ? "skips" : c->holds ? "holds" : "FAILS", c->text);
    if (!c->judged) printf("  (about %.2g evaluations)", c->evaluations);
    print_value(c->value.n, c->value.value);
    printf("%s%s\n", c->note ? "  " : "", c->note ? c->note : "");
    if (c->bites == 0)
        printf("  BLUNT  %s %s",
               c->unknown ? "breaks, but without a number:"
               : c->why   ? "not tried:"
                          : "holds also",
               c->against),
            print_value(c->broken.n, c->broken.value), printf("%s%s\n", c->why ? ": " : "", c->why ? c->why : "");
    else if (s->bite && !c->against && c->why) printf("  BLUNT  %s\n", c->why);
}

static int blunt(const session *s, const lbr_claim_told *c)
{
    return c->bites == 0 || (s->bite && c->judged && !c->against && c->why);
}

/* The claims of one statement, from claim k on; of many, those that are as they should be are one line. */
static int64_t family(const session *s, const lbr_reproduction *r, int64_t k)
{
    const lbr_claim_told *c = r->claim + k;
    int64_t n = 1, good = 0, left_out = 0, shown = 0;

    while (k + n < r->nclaims && c[n].family == k) n++;
    for (int64_t i = 0; i < n; i++) good += c[i].judged && c[i].holds && !blunt(s, c + i), left_out += !c[i].judged;
    if (n > LBR_MANY && good)
        printf("  holds  %s .. %s  (%lld of %lld)\n", c->text, c[n - 1].text, (long long)good, (long long)n);
    if (n > LBR_MANY && left_out) printf("  skips  %lld of them\n", (long long)left_out);
    for (int64_t i = 0; i < n; i++) {
        if (n > LBR_MANY && (!c[i].judged || (c[i].holds && !blunt(s, c + i)))) continue;
        if (n <= LBR_MANY || shown++ < LBR_MANY) claim(s, c + i);
    }
    if (shown > LBR_MANY) printf("  and %lld more; --json lists them\n", (long long)(shown - LBR_MANY));
    return n;
}

static void experiment(const session *s, const lbr_reproduction *r)
{
    printf("%s%s: %s%s%s%s, %.2g s\n", s->told > 1 ? "\n" : "", r->id, r->title, *r->source ? " (" : "", r->source,
           *r->source ? ")" : "", r->seconds);
    for (int64_t k = 0, n; k < r->nclaims; k += n) n = family(s, r, k);
    fflush(stdout);
    if (r->failure) complain("%s: %s", r->id, r->failure);
}

static void done(int i, const lbr_reproduction *r, void *ctx)
{
    static const int rank[] = {
        0, LBR_EXIT_CLAIM, LBR_EXIT_INPUT, LBR_EXIT_NUMERICS, LBR_EXIT_MACHINE, LBR_EXIT_INTERRUPTED
    };
    session *s = ctx;
    int now = 0, before = 0;

    for (size_t k = 0; k < sizeof rank / sizeof *rank; k++)
        now = rank[k] == r->code ? (int)k : now, before = rank[k] == s->code ? (int)k : before;
    if (now > before) s->code = (int)r->code;
    for (int64_t k = 0; k < r->nclaims; k++) {
        const lbr_claim_told *c = r->claim + k;

        s->skipped += !c->judged, s->hold += c->judged && c->holds, s->fail += c->judged && !c->holds;
        s->bites += c->bites == 1, s->blunt += blunt(s, c);
    }
    s->told = i + 1;
    wipe(s);
    if (!s->json) experiment(s, r);
    else if (r->failure) complain("%s: %s", r->id, r->failure);
}

static void summary(const session *s, double seconds)
{
    printf("\n"
           "%lld claim%s, %lld %s not, %lld skipped",
           (long long)s->hold, s->hold == 1 ? " holds" : "s hold", (long long)s->fail, s->fail == 1 ? "does" : "do",
           (long long)s->skipped);
    if (s->bite) printf("; %lld bite, %lld do not", (long long)s->bites, (long long)s->blunt);
    printf("; %.2g s\n", seconds);
}

/* --- JSON -------------------------------------------------------------------------------------------------------- */

static void json_claim(const session *s, lbr_json *j, const lbr_claim_told *c)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "text", c->text);
    if (!c->value.n) lbr_json_text(j, "value", NULL);
    else lbr_json_array(j, "value", c->value.list != 0, &c->value.n, c->value.value);
    lbr_json_flag(j, "holds", (int)c->holds);
    if (s->bite && c->bites >= 0) lbr_json_flag(j, "bites", (int)c->bites);
    else if (s->bite) lbr_json_text(j, "bites", NULL);
    lbr_json_close(j, '}');
}

static void json(const session *s)
{
    lbr_json j = { .out = stdout };

    lbr_json_open(&j, NULL, '{');
    lbr_json_open(&j, "experiments", '[');
    for (int i = 0; i < s->told; i++) {
        const lbr_reproduction *r = s->r + i;

        lbr_json_open(&j, NULL, '{');
        lbr_json_text(&j, "id", r->id), lbr_json_text(&j, "title", r->title), lbr_json_text(&j, "source", r->source);
        lbr_json_number(&j, "seconds", r->seconds), lbr_json_number(&j, "skipped", (double)r->skipped);
        if (r->failure) lbr_json_text(&j, "failure", r->failure);
        lbr_json_open(&j, "claims", '[');
        for (int64_t k = 0; k < r->nclaims; k++)
            if (r->claim[k].judged) json_claim(s, &j, r->claim + k);
        lbr_json_close(&j, ']');
        lbr_json_close(&j, '}');
    }
    lbr_json_close(&j, ']');
    lbr_json_close(&j, '}');
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static int reported(session *s, const lbr_report_folder *folder, double seconds)
{
    lbr_report_about about = { .quick = s->quick, .most = LBR_QUICK_MOST, .seconds = seconds };
    lbr_message why = { 0 };
    lbr_status status = lbr_report_write(s->r, s->n, &about, folder->page, s->force, &why);

    if (status) return run_refuse(why.text, status);
    if (!s->json) printf("%s\n", folder->page);
    return LBR_EXIT_DONE;
}

static int made(session *s, const lbr_report_folder *folder)
{
    lbr_reproducing how = { .quick = s->quick,
                            .bite = s->bite,
                            .compile = !s->no_compile,
                            .folder = folder->pictures,
                            .interrupt = run_interrupt() };
    double began = lbr_seconds();
    int code = lbr_reproduce_all(s->r, s->what, s->n, &how, &(lbr_reproduced_all){ done, waiting, s }), bad;

    wipe(s);
    if (code == LBR_EXIT_MACHINE) complain("out of memory");
    if (s->json) json(s);
    else if (!code && s->n) summary(s, lbr_seconds() - began);
    if (code == LBR_EXIT_INTERRUPTED)
        return fflush(stdout), complain("interrupted: %d of %d experiments are done", s->told, s->n),
               LBR_EXIT_INTERRUPTED;
    if (code) return code;
    if (s->report && (bad = reported(s, folder, lbr_seconds() - began))) return bad;
    return s->code;
}

static int everything(session *s)
{
    lbr_report_folder folder = { 0 };
    lbr_message why = { 0 };
    lbr_status status;
    int code;

    if ((code = choose(s))) return code;
    s->lively = isatty(STDERR_FILENO);
    if (s->report && (status = lbr_report_folder_open(&folder, s->report, s->force, &why)))
        code = run_refuse(why.text, status);
    else code = made(s, &folder);
    lbr_report_folder_close(&folder);
    for (int i = 0; i < s->n; i++) lbr_reproduction_free(s->r + i);
    return code;
}

static int run(const command *self, int argc, char **argv)
{
    session s = { .report = NULL };
    int code = flags_read(&s.given, self, argc, argv);

    if (!code)
        code = flags_either(&s.given, s.all, "all",
                            "reproduce needs the name of an experiment, a chapter (V, I.2), a file, or --all; "
                            "libration models lists the experiments");
    if (!code && s.force && !s.report) code = complain("--force replaces a report: it needs --report DIR");
    if (!code) code = everything(&s);
    flags_free(&s.given);
    return code;
}

const command command_reproduce = {
    .name = "reproduce",
    .use = "reproduce ID|CHAPTER|FILE...|--all [--quick] [--bite] [--report DIR] [--json] ...",
    .help = "the experiments: every claim, pass or fail, with its number: reproduce --help tells the rest",
    .takes = "ID, CHAPTER or FILE",
    .many = 1,
    .flags = flags,
    .before =
        "ID is the name of an experiment (libration models lists them), CHAPTER a chapter or section of the book that "
        "its source\n"
        "names: V, I.2, II.4.4. FILE.lbr is an experiment of your own. Several may be given.\n\n",
    .after = "\n"
             "Experiments run side by side, a process for each, as many at a time as there are cores. Exit status 1: a "
             "claim does not hold, or\n"
             "(--bite) holds where it must not.\n",
    .run = run
};
