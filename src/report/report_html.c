/* report_html.c - reproduced experiments as a page: contents with counts, then each with its claims, pictures, runs and
 * parameters. SPDX-License-Identifier: BSD-3-Clause */
#include "report_html.h"
#include "plan/kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- words and numbers ------------------------------------------------------------------------------------------- */

/* How long the character at s is, 0 if it is none. */
static int utf8(const unsigned char *s)
{
    int n = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xf0 && *s < 0xf5 ? 4 : 0;

    for (int k = 1; k < n; k++)
        if ((s[k] & 0xc0) != 0x80) return 0;
    return n;
}

void lbr_html_text(lbr_text *page, const char *text)
{
    static const struct {
        char c;
        const char *text;
    } escape[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\'', "&#39;" } };

    for (const char *s = text; s && *s;) {
        int n = utf8((const unsigned char *)s);
        const char *other = n ? NULL : "\xef\xbf\xbd";

        for (size_t k = 0; k < sizeof escape / sizeof *escape && !other; k++)
            if (*s == escape[k].c) other = escape[k].text;
        if (n == 1 && (unsigned char)*s < 32 && !strchr("\n\t", *s)) other = "\xef\xbf\xbd";
        if (other) lbr_text_put(page, other), s += n ? n : 1;
        else lbr_text_format(page, "%.*s", n, s), s += n;
    }
}

static void number(lbr_text *page, double x)
{
    if (isnan(x)) lbr_text_put(page, "&ndash;");
    else if (isinf(x)) lbr_text_put(page, x < 0 ? "&minus;&infin;" : "&infin;");
    else lbr_text_format(page, "%.6g", x);
}

void lbr_html_told(lbr_text *page, const lbr_told *v)
{
    enum { FEW = 6 };

    for (int64_t k = 0; k < v->n; k++) {
        if (v->n > FEW && k == FEW / 2) k = v->n - 1, lbr_text_put(page, ", &hellip;");
        if (k) lbr_text_put(page, ", ");
        number(page, v->value[k]);
    }
}

/* The value of a claim: of a sweep the least and the largest. */
static void value(lbr_text *page, const lbr_told *v)
{
    double range[2];

    lbr_judge_range(v->n, v->value, range);
    if (v->n) number(page, range[0]);
    if (v->n > 1) lbr_text_put(page, " to "), number(page, range[1]);
}

static void seconds(lbr_text *page, double s)
{
    if (s < 1) lbr_text_format(page, "%.0f ms", 1e3 * s);
    else lbr_text_format(page, s < 10 ? "%.1f s" : "%.0f s", s);
}

/* 1 234 567, with spaces that are thin. */
static void whole(lbr_text *page, int64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);

    for (int k = 0; k < length; k++)
        lbr_text_format(page, "%s%c", k && (length - k) % 3 == 0 && length > 4 ? "&#8239;" : "", digits[k]);
}

/* --- counts ------------------------------------------------------------------------------------------------------ */

typedef struct tally {
    int64_t hold, fail, skipped, bite, blunt; /* bite, blunt: of those that were tried to be broken */
} tally;

static tally count(const lbr_reproduction *r, int n)
{
    tally t = { 0 };

    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < r[i].nclaims; k++) {
            const lbr_claim_told *c = r[i].claim + k;

            t.skipped += !c->judged, t.hold += c->judged && c->holds, t.fail += c->judged && !c->holds;
            t.bite += c->bites == 1, t.blunt += c->bites == 0;
        }
    return t;
}

/* "12 claims hold, 0 do not" */
static void counts(lbr_text *page, const tally *t)
{
    lbr_text_format(page, "<span class=\"%s\">%lld claim%s</span>", t->fail ? "soft" : "good", (long long)t->hold,
                    t->hold == 1 ? " holds" : "s hold");
    lbr_text_format(page, ", <span class=\"%s\">%lld %s not</span>", t->fail ? "bad" : "soft", (long long)t->fail,
                    t->fail == 1 ? "does" : "do");
    if (t->bite + t->blunt)
        lbr_text_format(page, ", <span class=\"soft\">%lld of them can be broken</span>", (long long)t->bite);
    if (t->blunt)
        lbr_text_format(page, ", <span class=\"bad\">%lld cannot, as %s should</span>", (long long)t->blunt,
                        t->blunt == 1 ? "it" : "they");
    if (t->skipped) lbr_text_format(page, ", <span class=\"soft\">%lld left out</span>", (long long)t->skipped);
}

enum { MOST_RUNS = 50 }; /* that are listed, as many as rows of tables are shown */

/* --- one experiment ---------------------------------------------------------------------------------------------- */

static void against(lbr_text *page, const lbr_claim_told *c)
{
    if (c->against)
        lbr_text_put(page, c->bites == 1   ? "Broken by <code>"
                           : c->unknown    ? "<span class=\"bad\">Broken without a number</span> by <code>"
                           : c->bites == 0 ? "<span class=\"bad\">Not broken</span> by <code>"
                                           : "To be broken by <code>"),
            lbr_html_text(page, c->against), lbr_text_put(page, "</code>");
    if (c->broken.n) lbr_text_put(page, ": "), value(page, &c->broken);
    if (c->why)
        lbr_text_put(page, c->against ? ": " : "<span class=\"bad\">"), lbr_html_text(page, c->why),
            lbr_text_put(page, c->against ? "" : "</span>");
    if (c->against) lbr_text_put(page, ". ");
}

static void claim(lbr_text *page, const lbr_claim_told *c)
{
    const char *what = !c->judged ? "soft"
                       : c->holds ? "good"
                                  : "bad",
               *mark = !c->judged ? "&#8211;"
                       : c->holds ? "&#10003;"
                                  : "&#10007;",
               *word = !c->judged ? "left out"
                       : c->holds ? "holds"
                                  : "does not hold";

    lbr_text_format(page, "<li><span class=\"mark %s\" role=\"img\" aria-label=\"%s\">%s</span><span>", what, word,
                    mark);
    lbr_html_text(page, c->text);
    lbr_text_put(page, c->value.n > 1 ? "</span><span class=\"value list\">" : "</span><span class=\"value\">"),
        value(page, &c->value), lbr_text_put(page, "</span>");
    lbr_text_put(page, "<span class=\"detail\"><code>"), lbr_html_text(page, c->condition),
        lbr_text_put(page, "</code><br>");
    if (!c->judged) lbr_text_format(page, "Left out: its runs need about %.2g evaluations. ", c->evaluations);
    against(page, c);
    if (c->note) lbr_html_text(page, c->note);
    lbr_text_put(page, "</span></li>\n");
}

/* Cells and rows end where the next ones begin: there are thousands of them. */
static void run(lbr_text *page, const lbr_run_told *r)
{
    lbr_text_put(page, "<tr><td>"), lbr_html_text(page, r->name), lbr_text_put(page, "<td>"),
        lbr_html_text(page, r->method);
    lbr_text_put(page, "<td class=\"n\">"), number(page, r->step), lbr_text_put(page, "<td class=\"n\">"),
        whole(page, r->steps);
    if (!r->made) {
        lbr_text_put(page, "<td colspan=\"3\" class=\"soft\">not made\n");
        return;
    }
    if (r->failure) {
        lbr_text_put(page, "<td colspan=\"3\">"), lbr_html_text(page, r->failure), lbr_text_put(page, "\n");
        return;
    }
    lbr_text_put(page, "<td class=\"n\">"), whole(page, r->evaluations), lbr_text_put(page, "<td class=\"n\">");
    if (r->has_energy && isfinite(r->energy_error)) lbr_text_format(page, "%.3g", r->energy_error);
    else lbr_text_put(page, "&ndash;");
    lbr_text_put(page, "<td class=\"n\">"), seconds(page, r->seconds), lbr_text_put(page, "\n");
}

static void runs(lbr_text *page, const lbr_reproduction *r)
{
    if (!r->nruns) return;
    lbr_text_format(
        page,
        "<details%s><summary>%lld run%s</summary><div class=\"wide\"><table><tr><th>run</th><th>method</th><th "
        "class=\"n\">step</th><th class=\"n\">steps</th>"
        "<th class=\"n\">evaluations</th><th class=\"n\">energy error</th><th class=\"n\">time</th></tr>\n",
        r->nruns <= 12 ? " open" : "", (long long)r->nruns, r->nruns == 1 ? "" : "s");
    for (int64_t k = 0; k < r->nruns && k < MOST_RUNS; k++) run(page, r->run + k);
    if (r->nruns > MOST_RUNS)
        lbr_text_format(page, "<tr><td colspan=\"7\" class=\"soft\">and %lld more</td></tr>\n",
                        (long long)r->nruns - MOST_RUNS);
    lbr_text_put(page, "</table></div></details>\n");
}

static void params(lbr_text *page, const lbr_reproduction *r)
{
    if (!r->nparams) return;
    lbr_text_put(page, "<h3>Parameters</h3><div class=\"params\">");
    for (int64_t k = 0; k < r->nparams; k++) {
        lbr_text_put(page, "<code>"), lbr_html_text(page, r->param[k].name),
            lbr_text_put(page, r->param[k].value.list ? " = [" : " = ");
        lbr_html_told(page, &r->param[k].value), lbr_text_put(page, r->param[k].value.list ? "]</code> " : "</code> ");
    }
    lbr_text_put(page, "</div>\n");
}

static void plots(lbr_text *page, const lbr_reproduction *r, int *pictures)
{
    if (!r->nplots) return;
    lbr_text_put(page, "<h3>Pictures</h3><div class=\"figures\">\n");
    for (int64_t k = 0; k < r->nplots; k++) {
        const lbr_plot_told *p = r->plot + k;

        lbr_text_put(page, "<figure>");
        if (p->svg) lbr_text_put(page, "<div>"), lbr_html_svg(page, p->svg, ++*pictures), lbr_text_put(page, "</div>");
        lbr_text_put(page, "<figcaption>"), lbr_html_text(page, p->name);
        if (p->why && !*p->name) lbr_text_format(page, "plot %lld", (long long)k + 1);
        if (p->why) lbr_text_put(page, " was not drawn: "), lbr_html_text(page, p->why);
        lbr_text_put(page, "</figcaption></figure>\n");
    }
    lbr_text_put(page, "</div>\n");
}

static void experiment(lbr_text *page, const lbr_reproduction *r, int *pictures)
{
    lbr_text_put(page, "<section id=\"x-"), lbr_html_text(page, r->id), lbr_text_put(page, "\"><h2>"),
        lbr_html_text(page, r->title),
        lbr_text_put(page, "</h2>\n"
                           "<p class=\"soft\">");
    lbr_html_text(page, r->source);
    lbr_text_put(page, *r->source ? " &middot; <code>" : "<code>"), lbr_html_text(page, r->id),
        lbr_text_put(page, "</code> &middot; "), seconds(page, r->seconds), lbr_text_put(page, "</p>\n");
    if (r->failure)
        lbr_text_put(page, "<p class=\"bad\">"), lbr_html_text(page, r->failure), lbr_text_put(page, "</p>\n");
    plots(page, r, pictures);
    if (r->nclaims) lbr_text_put(page, "<h3>Claims</h3><ul class=\"claims\">\n");
    for (int64_t k = 0; k < r->nclaims; k++) claim(page, r->claim + k);
    if (r->nclaims) lbr_text_put(page, "</ul>\n");
    if (r->tables)
        lbr_text_put(page, "<h3>Tables</h3><pre>"), lbr_html_text(page, r->tables), lbr_text_put(page, "</pre>\n");
    params(page, r);
    runs(page, r);
    if (r->text)
        lbr_text_put(page, "<details><summary>The file</summary><pre>"), lbr_html_text(page, r->text),
            lbr_text_put(page, "</pre></details>\n");
    lbr_text_put(page, "</section>\n");
}

/* --- the page ---------------------------------------------------------------------------------------------------- */

static void contents(lbr_text *page, const lbr_reproduction *r, int n)
{
    lbr_text_put(page, "<nav aria-label=\"Contents\"><table><tr><th>experiment</th><th class=\"where\">source</th><th "
                       "class=\"n\">claims</th><th class=\"n\">time</th></tr>\n");
    for (int i = 0; i < n; i++) {
        tally t = count(r + i, 1);

        lbr_text_put(page, "<tr><td><a href=\"#x-"), lbr_html_text(page, r[i].id), lbr_text_put(page, "\">"),
            lbr_html_text(page, r[i].title);
        lbr_text_put(page, "</a></td><td class=\"where soft\">"), lbr_html_text(page, r[i].source);
        lbr_text_format(page, "</td><td class=\"n\"><span class=\"%s\">%lld of %lld</span></td><td class=\"n soft\">",
                        r[i].code ? "bad" : "good", (long long)t.hold, (long long)(t.hold + t.fail));
        seconds(page, r[i].seconds), lbr_text_put(page, "</td></tr>\n");
    }
    lbr_text_put(page, "</table></nav>\n");
}

/* Which claims were tried under their `against`: those that name none, or were not to be tried, were not. */
static void tried(lbr_text *page, const tally *t)
{
    int64_t n = t->bite + t->blunt, all = t->hold + t->fail;

    if (!n) return;
    if (n == all) lbr_text_put(page, all == 1 ? " It was" : " Each claim was");
    else lbr_text_format(page, " %lld of the %lld claims %s", (long long)n, (long long)all, n == 1 ? "was" : "were");
    lbr_text_put(page, " tried under settings that must break it.");
}

static void head(lbr_text *page, const lbr_reproduction *r, int n, const lbr_report_about *about)
{
    tally t = count(r, n);

    lbr_text_format(page,
                    "<!DOCTYPE html>\n"
                    "<html lang=\"en\">\n"
                    "<head>\n"
                    "<meta charset=\"utf-8\">\n"
                    "%s\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>Libration: %d experiment%s</title>\n"
                    "<style>\n",
                    lbr_report_mark, n, n == 1 ? "" : "s");
    lbr_text_put(page, lbr_report_style);
    lbr_text_put(page, "</style>\n"
                       "</head>\n"
                       "<body>\n"
                       "<header>\n"
                       "<h1>Libration: experiments, reproduced</h1>\n"
                       "<p class=\"lead\">"),
        counts(page, &t);
    lbr_text_format(page,
                    ".</p>\n"
                    "<p class=\"soft\">%d experiment%s in ",
                    n, n == 1 ? "" : "s"),
        seconds(page, about->seconds);
    lbr_text_format(page, ", by version %s.", lbr_version());
    if (about->quick && t.skipped)
        lbr_text_format(
            page,
            " Claims whose runs need more than %.0e evaluations were left out (implicit stages counted as %d each).",
            about->most, LBR_GUESSED_ITERATIONS);
    tried(page, &t);
    lbr_text_put(page, "</p>\n</header>\n<main>\n");
}

void lbr_report_html(lbr_text *page, const lbr_reproduction *r, int n, const lbr_report_about *about)
{
    int pictures = 0;

    head(page, r, n, about);
    contents(page, r, n);
    for (int i = 0; i < n; i++) experiment(page, r + i, &pictures);
    lbr_text_put(
        page,
        "</main>\n"
        "<footer>HLW is E. Hairer, C. Lubich, G. Wanner, <cite>Geometric Numerical Integration</cite>, 2nd edition. "
        "Evaluations are calls of forces and fields; energy errors are the largest over every step. "
        "Curves are thinned to what a page shows: lines keep their lowest and highest points, dots some 4500 "
        "of a picture; claims and tables are of all samples.</footer>\n"
        "</body>\n"
        "</html>\n");
}
