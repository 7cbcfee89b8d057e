/* test_reproduce.c - experiments as a whole: what is judged, what bites, what is left out; how it is passed on and
 * shown. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin, so that each allocation can be made to fail. */
#define _DEFAULT_SOURCE
#include "support/heap.h"
#include "support/tap.h"
#include "experiment/reproduce.h"
#include "report/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lbr_reproduction r;
static int code;

/* Its status also in `code`: a call among the arguments of ok may come after what it prints. */
static int reproduce(const char *text, lbr_reproducing how)
{
    lbr_experiment_text what = { .id = "test", .text = text, .size = strlen(text) };

    lbr_reproduction_free(&r);
    return code = lbr_reproduce(&r, &what, &how);
}

static const lbr_reproducing bite = { .bite = 1 }, plain = { 0 };

#define OSCILLATOR                                             \
    "use harmonic-oscillator\n"                                \
    "run time = 20\n"                                          \
    "run v[k = 1..2]: method = stormer-verlet, step = 0.1/k\n" \
    "run s: method = symplectic-euler, step = 0.1\n"           \
    "measure dH = drift(H)\n"

/* --- what bites -------------------------------------------------------------------------------------------------- */

static void bites(void)
{
    static const struct {
        const char *claim;
        int code, holds, bites;
        const char *why;
    } row[] = {
        { "claim v.dH < 0.01 against method = explicit-euler", 0, 1, 1, NULL },
        { "claim v.dH < 100 against method = symplectic-euler", 1, 1, 0, NULL },
        { "claim v.dH < 0.01", 1, 1, -1, "nothing is named" },
        { "claim v.dH > 1 against method = explicit-euler", 1, 0, -1, NULL },
        { "claim v.dH < 0.002 against step = 4*step", 0, 1, 1, NULL }, /* h^2/8: 0.00125, 0.02 */
        { "claim v.dH < 0.002 against step = step", 1, 1, 0, NULL },
        { "claim v[1].steps = 200 and v[2].steps = 400 against steps = steps/2", 0, 1, 1, NULL },
        { "claim max(abs(v[1].t)) < 20.1 against time = 2*time", 0, 1, 1, NULL },
        { "claim f[k = 1..2]: v[k].dH < 0.002 against step = 0.1*(3 - k)*k", 0, 1, 1, NULL }, /* 0.2 for both */
        { "claim max(v[1].q) < 1.1 against q = 3", 0, 1, 1, NULL },
        { "claim s.dH < 0.1 against step = 3", 0, 1, 1, NULL },
        { "claim not failed(s) against method = no-such-method", 1, 1, 0, "no-such-method" },
        { "claim v.dH < 0.01 against method = kahan-li-8-17", 1, 1, 0, NULL },
        { "claim mean(window(s.H, 10, 15)) < 1 against time = 5", 1, 1, 0, "not a number" },
        { "claim not mean(window(s.H, 10, 15)) > 1 against time = 5", 1, 1, 0, "not a number" },
        { "claim first(s.cut.t) > 1 against time = 0.5", 1, 1, 0, "not a number" },
        { "claim s.cut.t > 1 against time = 0.5", 1, 1, 0, "nothing to compare" },
        { "claim count(s.cut) = 6 against time = 0.5", 0, 1, 1, NULL },
        { "claim count(s.cut) > 0 and first(s.cut.t) > 1 against time = 0.5", 0, 1, 1, NULL },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[2000];

        snprintf(text, sizeof text, OSCILLATOR "section cut: q = 0\n%s\n", row[i].claim);
        reproduce(text, bite);
        if (!ok(code == row[i].code && r.nclaims, "%s: the exit status is %d", row[i].claim, row[i].code)) continue;
        ok(r.claim[0].holds == row[i].holds, "it %s", row[i].holds ? "holds" : "fails");
        ok(r.claim[0].bites == row[i].bites, "it %s",
           row[i].bites > 0 ? "bites"
           : row[i].bites   ? "is not tried"
                            : "does not bite");
        ok(row[i].why ? r.claim[0].why && strstr(r.claim[0].why, row[i].why) : !r.claim[0].why,
           row[i].why ? "and says why" : "without a reason");
        if (r.claim[0].bites != row[i].bites)
            printf("# code %d, %s, holds %d, bites %d, %s\n", code, r.failure ? r.failure : "-", (int)r.claim->holds,
                   (int)r.claim->bites, r.claim->why ? r.claim->why : "-");
    }
}

/* A run that fails is a bite, unless failing is what is claimed. */
static void failures(void)
{
    static const char model[] = "use riccati\n"
                                "run step = 1, steps = 1\n"
                                "run a: method = rk4\n"
                                "run b: method = trapezoidal\n";
    char text[1000];

    snprintf(text, sizeof text,
             "%sclaim not last(a.y) > 1e9 against method = midpoint\n"
             "claim failed(b) against step = 0.1\n"
             "claim failed(b) against method = midpoint\n",
             model);
    reproduce(text, bite);
    ok(code == 1 && r.claim[0].bites == 1 && strstr(r.claim[0].why, "fails"), "a run that fails is a bite: %s",
       r.claim[0].why ? r.claim[0].why : "-");
    ok(r.claim[1].holds && r.claim[1].bites == 1, "what claims a failure bites where there is none");
    ok(r.claim[2].holds && r.claim[2].bites == 0, "and not where there is one");
    ok(!r.failure, "a failure that is claimed is none");
    snprintf(text, sizeof text,
             "%sclaim last(a.y) > 0 against method = explicit-euler, step = 1\n"
             "claim not last(b.y) < 1\n",
             model);
    reproduce(text, plain);
    ok(code == LBR_EXIT_NUMERICS && r.failure && strstr(r.failure, "b: "), "one that is not claimed is status 3: %s",
       r.failure ? r.failure : "-");
    ok(r.claim[0].holds, "and the rest is judged all the same");
}

/* Only what a claim mentions is made again, and everything is as it was afterwards. */
static void restored(void)
{
    static const char text[] = OSCILLATOR "run w: method = midpoint, step = 0.1, from = v[1]\n"
                                          "claim v.dH < 0.002 against method = explicit-euler\n"
                                          "claim first(w.q) = last(v[1].q) against q = 2\n"
                                          "claim v.dH < 0.002 against step = 0.3\n"
                                          "claim s.dH < 0.1 and v.dH < s.dH against q = 9\n";
    static const char other[] = OSCILLATOR "claim v.dH < s.dH against method = symplectic-euler\n"
                                           "claim s.dH/v[1].dH > 5 against method = midpoint, step = 0.05\n";
    double value;

    reproduce(text, bite);
    ok(code == 1 && r.claim[0].bites == 1 && r.claim[2].bites == 1 && r.claim[3].bites == 1,
       "claims after each other, each with settings of its own");
    ok(r.claim[1].holds && r.claim[1].bites == 0, "a run goes on from the repetition of another");
    ok(r.claim[0].value.n == 2 && r.claim[0].value.value[0] == r.claim[2].value.value[0] &&
           r.claim[0].value.value[1] == r.claim[2].value.value[1],
       "a value is the same after a bite as before");
    ok(r.claim[0].broken.n == 2 && r.claim[0].broken.value[0] > r.claim[0].value.value[0],
       "and there is one for the bite");
    reproduce(other, bite);
    ok(code == 0 && r.claim[0].bites == 1 && r.claim[1].bites == 1, "several settings at once");
    value = r.claim[1].value.value[0];
    reproduce(other, plain);
    ok(code == 0 && r.claim[1].value.value[0] == value && r.claim[1].bites == -1,
       "without --bite the same values and no bites");
}

/* Coefficients that are made of parameters are those of the run, and of what a claim is against. */
static void coefficients(void)
{
    static const char file[] =
        "use harmonic-oscillator\n"
        "param c = 1/2, g = 1.351207191959657634\n"
        "method theta_c = butcher(A = [[c]], b = [1], c = [c])\n"
        "method jump = composition [g, 1 - 2*g, g]\n"
        "method kicks = splitting(a = [c, 1 - c], b = [1])\nrun time = 20, step = 0.1\nmeasure dH = drift(H)\n";
    static const struct {
        const char *method, *claim;
    } row[] = { { "theta_c", "a.dH < 1e-13 against c = 0.49" },
                { "compose(jump, midpoint)", "abs(last(a.q) - cos(20)) < 1e-3 against g = 1.3" },
                { "kicks", "a.dH < 0.002 against c = 0.1" } };
    char text[1000];

    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%srun a: method = %s\nclaim %s\n", file, row[i].method, row[i].claim);
        reproduce(text, bite);
        ok(code == 0 && r.claim[0].holds && r.claim[0].bites == 1, "a table is made again: %s, %s", row[i].method,
           row[i].claim);
        if (code) printf("# %s\n", r.failure ? r.failure : r.claim->why ? r.claim->why : "does not bite");
    }
    snprintf(text, sizeof text,
             "%srun a[k = 1..3]: method = theta_c, c = k/4\n"
             "claim a[2].dH < 1e-13 and last(a[1].H) > 1.5*first(a[1].H) and last(a[3].H) < 0.9*first(a[3].H) against "
             "c = 1/3\n",
             file);
    reproduce(text, bite);
    ok(code == 0 && r.claim[0].holds && r.claim[0].bites == 1, "and so it is for each run of a family");
    snprintf(text, sizeof text,
             "%srun a[c = 0..1]: method = theta_c\n"
             "claim a[0].dH < 1e-13 and a[1].dH < 1e-13 against c = 1/3\n",
             file);
    reproduce(text, bite);
    ok(code == 0 && r.claim[0].holds && r.claim[0].bites == 1, "an index of a run is not a parameter of the file");
}

/* A run without a name, a claim without a judgement, a text that is wrong. */
static void forms(void)
{
    reproduce("use harmonic-oscillator\n"
              "run method = stormer-verlet, step = 0.1, steps = 100\n"
              "claim drift(H) < 0.002 against step = 4*step\n",
              bite);
    ok(code == 0 && r.claim[0].bites == 1, "a run without a name");
    reproduce("use harmonic-oscillator\nrun method = stormer-verlet, step = 0.1, steps = 100\n", bite);
    ok(code == 0 && !r.nclaims, "nothing is claimed");
    reproduce(OSCILLATOR "claim v.dH < 1 against nothing = 3\n", plain);
    ok(code == 2 && strstr(r.failure, "test:6:24"), "a mistake has its place: %.40s", r.failure ? r.failure : "-");
    reproduce(OSCILLATOR "claim v.dH < 1 against steps = step\n", bite);
    ok(code == 2 || r.claim[0].bites == 0, "steps that are no integer are no bite");
    reproduce("use harmonic-oscillator\nrun a: method = gauss:99, step = 1, steps = 1\nclaim last(a.q) > 0\n", plain);
    ok(code == 2 && r.failure, "a plan that cannot be made is status 2: %s", r.failure ? r.failure : "-");
}

/* --- what is left out -------------------------------------------------------------------------------------------- */

static void quick(void)
{
    static const char text[] =
        "use harmonic-oscillator\n"
        "run step = 0.1, every = 1000\n"
        "run a: method = stormer-verlet, steps = 1000\n"
        "run b: method = rk4, steps = 1000\n"
        "run c: method = gauss:2, steps = 1000\n"
        "run d: method = rk4, steps = 10\n"
        "claim drift(a.H) < 1 against steps = 50*steps\nclaim drift(b.H) < 1\nclaim drift(c.H) < 1\n";
    lbr_reproducing how = { .quick = 1, .most = 4000 };

    reproduce(text, how);
    ok(code == 0 && r.skipped == 1 && r.claim[0].judged && r.claim[1].judged && !r.claim[2].judged,
       "steps times stages: 1000, 4000, and 16000 of an implicit method");
    near(r.claim[0].evaluations, 1000, 0, "Verlet evaluates once");
    near(r.claim[1].evaluations, 4000, 0, "Kutta's method four times");
    near(r.claim[2].evaluations, 16000, 0, "two implicit stages eight times each");
    how.most = 10;
    reproduce(text, how);
    ok(code == 0 && r.skipped == 2 && r.claim[0].judged, "the cheapest claim stays");
    how.bite = 1, how.most = 4000;
    reproduce(text, how);
    ok(r.skipped == 2 && r.claim[1].judged, "with --bite, what is to break it counts too");
    near(r.claim[0].evaluations, 51000, 0, "both together");
}

static void costs(void)
{
    static const struct {
        const char *method;
        double each;
    } row[] = { { "stormer-verlet", 1 },
                { "stormer-verlet-b", 1 },
                { "symplectic-euler", 1 },
                { "rk4", 4 },
                { "explicit-euler", 1 },
                { "kahan-li-8-17", 17 },
                { "compose(yoshida-6-7, stormer-verlet)", 7 },
                { "compose(suzuki:4, stormer-verlet)", 5 },
                { "midpoint", 8 },
                { "gauss:3", 24 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[500];

        snprintf(text, sizeof text,
                 "use pendulum\n"
                 "run a: method = %s, step = 0.1, steps = 100\n"
                 "claim a.evaluations > 0 against steps = 200\n",
                 row[i].method);
        reproduce(text, plain);
        near(r.claim[0].evaluations, 100 * row[i].each, 0, row[i].method);
        if (row[i].each != 8 && row[i].each != 24)
            near(r.claim[0].value.value[0], 100 * row[i].each, 2, "and that is what it takes");
    }
}

/* --- from process to process ------------------------------------------------------------------------------------- */

static int same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static void packed(void)
{
    lbr_reproduction copy;
    FILE *f = tmpfile(), *part;
    long size, whole = 0;
    char byte[4096];

    reproduce(OSCILLATOR "claim v.dH < 0.01 against method = explicit-euler\n"
                         "claim v.dH < 100 against method = midpoint\n",
              bite);
    ok(f && lbr_reproduction_write(&r, f), "what was reproduced is written");
    size = ftell(f);
    rewind(f);
    ok(lbr_reproduction_read(&copy, f) && same_text(copy.id, r.id) && copy.nclaims == 2, "and read");
    ok(copy.claim[0].bites == 1 && copy.claim[1].bites == 0, "whether its claims bite");
    ok(same_text(copy.claim[1].condition, r.claim[1].condition), "the condition of a claim");
    ok(copy.claim[0].value.n == 2 && copy.claim[0].value.value[1] == r.claim[0].value.value[1], "the value of a claim");
    ok(copy.seconds == r.seconds && !copy.failure, "the time, and that it has not failed");
    lbr_reproduction_free(&copy);
    for (long n = 0; n < size; n++) {
        part = tmpfile();
        rewind(f);
        for (long at = 0; at < n;) {
            size_t more = fread(byte, 1, n - at < 4096 ? (size_t)(n - at) : 4096, f);

            at += (long)fwrite(byte, 1, more, part);
        }
        rewind(part);
        whole += lbr_reproduction_read(&copy, part);
        lbr_reproduction_free(&copy);
        fclose(part);
    }
    ok(whole == 0 && size > 200, "of %ld bytes no part is taken for the whole", size);
    fclose(f);
}

typedef struct seen {
    int n, last, ordered;
} seen;
static void told(int i, const lbr_reproduction *x, void *ctx)
{
    seen *s = ctx;

    s->ordered &= i == s->last + 1, s->last = i, s->n++;
    (void)x;
}

static volatile sig_atomic_t stop;

static void many(void)
{
    enum { N = 7 };
    static const char good[] = OSCILLATOR "claim v.dH < 0.01 against method = explicit-euler\n",
                      endless[] = "use kepler\n"
                                  "run method = gauss:2, step = 0.001, steps = 1e12, every = 1e12\n"
                                  "claim drift(H) < 1\n";
    lbr_experiment_text what[N];
    lbr_reproduction all[N];
    seen s = { .last = -1, .ordered = 1 };
    lbr_reproducing how = { .bite = 1, .interrupt = &stop };
    lbr_reproduced_all tell = { .done = told, .ctx = &s };

    for (int i = 0; i < N; i++) what[i] = (lbr_experiment_text){ .id = "x", .text = good, .size = strlen(good) };
    what[3].text = "", what[3].size = 0, what[3].path = (const char *)(uintptr_t)8; /* its process crashes */
    ok(lbr_reproduce_all(all, what, N, &how, &tell) == LBR_EXIT_DONE && s.n == N && s.ordered,
       "each is told, in order");
    ok(all[3].code == LBR_EXIT_MACHINE && all[3].failure && !all[3].nclaims, "one that crashes has failed: %s",
       all[3].failure ? all[3].failure : "-");
    ok(!all[2].code && !all[4].code && all[6].claim && all[6].claim[0].bites == 1, "the others have not");
    for (int i = 0; i < N; i++) lbr_reproduction_free(all + i);
    for (int i = 0; i < 2; i++) what[i] = (lbr_experiment_text){ .id = "x", .text = endless, .size = strlen(endless) };
    stop = 1;
    ok(lbr_reproduce_all(all, what, 2, &how, &tell) == LBR_EXIT_INTERRUPTED, "interrupted");
    stop = 0;
}

static int count_of(const char *text, const char *part)
{
    int n = 0;

    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

/* --- shown ------------------------------------------------------------------------------------------------------- */

static void page(void)
{
    static const char svg[] = "<?xml version=\"1.0\"?>\n"
                              "<svg width=\"6\" onload=\"evil()\" viewBox='0 0 1 1' "
                              "xmlns=\"http://www.w3.org/2000/svg\"><title>Gnuplot</title><script>evil()</script>"
                              "<defs><desc>Produced</desc><circle id='gpPt1' r='1'/><rect id='gpPt2' x='1'/></defs><g "
                              "id='a' style=\"background:url(http://x)\"><use xlink:href='#gpPt1' x=\"1\"/><image "
                              "href=\"http://evil/x.png\"/><a href='javascript:evil()'><text "
                              "fill='\"red'>a&lt;b</text></a><rect filter='url(#box)' fill='url(http://x)'/></g></svg>";
    static const char discs[] = "<svg><path stroke=\"#000102\" stroke-linecap=\"round\" stroke-width=\"1.8\" "
                                "d=\"M1.5,2h0M3,4.25h0\"/>\n<use xlink:href='#gpPt6' color='red'/></svg>";
    static const char tiles[] = "<svg><g fill='none' color='black' stroke='currentColor' stroke-width='0.66'>\n</g>\n"
                                "<g stroke='none' shape-rendering='crispEdges'>\n\t<polygon fill = 'rgb( 43,  45,  "
                                "91)' points = '1,1 2,1 2,2'/>\n</g>\n"
                                "<g fill='none' stroke-width='0.66' stroke-linecap='butt'>\n<text>a b</text></g></svg>";
    static const char *const gone[] = { "onload", "<script", "style",    "http:", "javascript", "<image",
                                        "<a",     "Gnuplot", "id=\"a\"", "gpPt2", "Produced" },
                             *const there[] = { "viewBox=\"0 0 1 1\"", "id=\"p7-gpPt1\"", "href=\"#p7-gpPt1\"",
                                                "<text fill=\"&quot;red\">a&lt;b</text>", "url(#p7-box)" };
    static lbr_run_told runs[60];
    lbr_reproduction x = {
        .id = "x", .title = "<b>\"T\" & 'x'</b>\xff", .source = "S", .failure = "F<", .run = runs, .nruns = 60
    };
    lbr_report_about about = { 0 };
    lbr_text t = { 0 };
    int n = 0;

    lbr_html_svg(&t, svg, 7);
    for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
        if (strstr(t.text, gone[k])) n++, printf("# %s is there\n", gone[k]);
    ok(n == 0, "of a picture nothing comes in but what draws");
    for (size_t k = 0; k < sizeof there / sizeof *there; k++)
        if (!strstr(t.text, there[k])) n++, printf("# no %s in %s\n", there[k], t.text);
    ok(n == 0, "and that does, with names of its own");
    lbr_text_free(&t);
    lbr_html_svg(&t, discs, 1);
    ok(!strcmp(t.text, "<svg><path stroke=\"#000102\" stroke-linecap=\"round\" "
                       "stroke-width=\"1.8\" d=\"m1.5 2h0m1.5 2.2h0\"/>"
                       "<use href=\"#p1-gpPt6\" color=\"red\"/></svg>"),
       "the path of discs becomes shorter: %s", t.text);
    lbr_text_free(&t);
    lbr_html_svg(&t, tiles, 1);
    ok(!strcmp(t.text, "<svg><g stroke=\"none\" shape-rendering=\"crispEdges\"><polygon fill=\"#2b2d5b\" points=\"1,1 "
                       "2,1 2,2\"/></g>"
                       "<text>a b</text></svg>"),
       "tiles have no border; what is usual of groups is not said, and empty ones are left out: %s", t.text);
    lbr_text_free(&t);
    for (size_t k = 0; k < sizeof svg; k++) { /* none of its beginnings is read beyond its end */
        char part[sizeof svg];

        memcpy(part, svg, k), part[k] = 0;
        lbr_html_svg(&t, part, 1);
        lbr_text_free(&t);
    }
    lbr_report_html(&t, &x, 1, &about);
    ok(strstr(t.text, "&lt;b&gt;&quot;T&quot; &amp; &#39;x&#39;&lt;/b&gt;\xef\xbf\xbd") && !strstr(t.text, "<b>") &&
           strstr(t.text, "F&lt;"),
       "texts are escaped");
    ok(strstr(t.text, lbr_report_mark) && !strstr(t.text, "http") && !strstr(t.text, "<script"),
       "the page needs nothing else");
    lbr_text_free(&t);
}

static void numbers(void)
{
    static const char tics[] =
        "<svg><g stroke='currentColor'><path stroke='rgb( 85,  85,  85)' d='M1,2L6,2'/></g>"
        "<g transform=\"translate(1,2)\" stroke=\"none\" fill=\"rgb(34,34,34)\" text-anchor=\"end\"><text><tspan "
        "font-family=\"sans-serif\" >10</tspan><tspan font-size=\"9.6\" dy=\"-6.00px\">3</tspan><tspan "
        "font-size=\"12.0\" dy=\"6.00\"></tspan></text></g></svg>";
    lbr_text t = { 0 };

    lbr_html_svg(&t, tics, 1);
    ok(!strcmp(t.text, "<svg><path d=\"m1 2h5\"/><g transform=\"translate(1,2)\" text-anchor=\"end\"><text>10"
                       "<tspan font-size=\"9.6\" dy=\"-6.00px\">3</tspan></text></g></svg>"),
       "of numbers along axes the style says the most: %s", t.text);
    lbr_text_free(&t);
}

static void many_runs(void)
{
    static lbr_run_told runs[60];
    lbr_reproduction x = { .id = "x", .title = "T", .source = "S", .run = runs, .nruns = 60 };
    lbr_report_about about = { 0 };
    lbr_text t = { 0 };

    for (int k = 0; k < 60; k++) runs[k] = (lbr_run_told){ .name = "r", .method = "one" };
    lbr_report_html(&t, &x, 1, &about);
    ok(count_of(t.text, "<td>one<td") == 50, "of many runs the first fifty are listed");
    ok(strstr(t.text, "and 10 more") != NULL, "and how many more there are");
    lbr_text_free(&t);
}

/* The path is shorter, and never farther from what it was than a line is wide. */
static void paths(void)
{
    static const struct {
        const char *d, *shorter; /* NULL: left as it is */
    } row[] = {
        { "M1.00,2.00 L3.00,2.00", "m1 2h2" },
        { "M1.00,2.00 L2.00,2.04 L3.00,2.00 L3.00,9.50 Z M4,4 L0.5,0.5", "m1 2h2v7.5zm3 2l-3.5-3.5" },
        { "M1,1 L5,1 L1,1", "m1 1h4-4" },
        { "M0.5,0.5M0.4,1.5", "m.5.5h0m-.1 1h0" },
        { "M1,1 L1.01,1.01", "m1 1" },
        { "", "" },
        { "M0,-1 h2 v3", NULL },
        { "M1", NULL },
        { "M1,nan", NULL },
        { "M1,1 L", "m1 1h0" },
        { "M1e99,1", NULL },
        { "L1,1", NULL },
    };
    lbr_text t = { 0 };
    static char wave[40000];
    size_t n = 0;

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int taken = lbr_html_path(&t, row[k].d, strlen(row[k].d));

        ok(taken == (row[k].shorter != NULL) && !strcmp(t.text ? t.text : "", taken ? row[k].shorter : ""),
           "'%s' becomes '%s'", row[k].d, t.text ? t.text : "");
        lbr_text_free(&t);
    }
    for (int i = 0; i < 2000; i++)
        n += (size_t)snprintf(wave + n, sizeof wave - n, "%c%.2f,%.2f ", i ? 'L' : 'M', 0.2 * i,
                              50 + 40 * sin(0.01 * i));
    ok(lbr_html_path(&t, wave, n) && t.length < n / 20, "%zu letters of a smooth curve become %zu", n, t.length);
    lbr_text_free(&t);
}

/* What the head of the page says of claims that were to be broken. */
static void tried(void)
{
    static const struct {
        int64_t bites[2];
        const char *says;
    } row[] = {
        { { -1, -1 }, NULL },
        { { 1, -1 }, "1 of the 2 claims was tried under settings" },
        { { 1, 0 }, "Each claim was tried under settings" },
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        lbr_claim_told claim[2] = { { .text = "a", .condition = "a", .judged = 1, .holds = 1 },
                                    { .text = "b", .condition = "b", .judged = 1, .holds = 1 } };
        lbr_reproduction x = { .id = "x", .title = "x", .source = "", .nclaims = 2, .claim = claim };
        lbr_report_about about = { .quick = 1, .most = 1 };
        lbr_text t = { 0 };

        claim[0].bites = row[k].bites[0], claim[1].bites = row[k].bites[1];
        lbr_report_html(&t, &x, 1, &about);
        if (row[k].says) ok(strstr(t.text, row[k].says) && strstr(t.text, "can be broken"), "it says: %s", row[k].says);
        ok(!strstr(t.text, "\"bad\">1 of them can be broken"), "that a claim can be broken is no fault");
        ok(!strstr(t.text, "\"bad\">1 cannot, as it should") == (row[k].bites[1] != 0), "that one cannot is");
        if (!row[k].says)
            ok(!strstr(t.text, "tried") && !strstr(t.text, "broken"), "nothing was tried, and nothing is said of it");
        ok(!strstr(t.text, "were left out"), "nor of claims that were left out, where none were");
        lbr_text_free(&t);
    }
}

static void folders(void)
{
    char base[] = "/tmp/libration-test-XXXXXX", folder[100], file[140];
    lbr_report_folder f;
    lbr_report_about about = { 0 };
    lbr_message why = { 0 };
    FILE *other;

    reproduce(OSCILLATOR "claim v.dH < 0.01\n", plain);
    if (!mkdtemp(base)) {
        ok(0, "a folder to work in");
        return;
    }
    snprintf(folder, sizeof folder, "%s/report", base), snprintf(file, sizeof file, "%s/index.html", folder);
    ok(!lbr_report_folder_open(&f, folder, 0, &why) && !access(f.pictures, W_OK), "a folder is made");
    lbr_report_folder_close(&f);
    ok(access(folder, F_OK), "and goes if nothing was written");
    ok(!lbr_report_folder_open(&f, folder, 0, &why) && !lbr_report_write(&r, 1, &about, f.page, 0, &why) &&
           !access(file, R_OK),
       "a page is written");
    lbr_report_folder_close(&f);
    ok(!access(file, R_OK) && lbr_report_folder_open(&f, folder, 0, &why) == LBR_EARG, "it is not replaced: %s",
       why.text);
    lbr_report_folder_close(&f);
    ok(!lbr_report_folder_open(&f, folder, 1, &why) && !lbr_report_write(&r, 1, &about, f.page, 1, &why),
       "but for --force");
    lbr_report_folder_close(&f);
    other = fopen(file, "w"), fputs("mine", other), fclose(other);
    ok(lbr_report_folder_open(&f, folder, 1, &why) == LBR_EARG, "what is not ours never is: %s", why.text);
    lbr_report_folder_close(&f);
    ok(lbr_report_folder_open(&f, file, 1, &why) == LBR_EARG, "a file is no folder: %s", why.text);
    lbr_report_folder_close(&f);
    rename(file, strcat(strcpy(file, folder), "/x.html"));
    ok(lbr_report_folder_open(&f, folder, 1, &why) == LBR_EARG && strstr(why.text, "x.html"),
       "nor is a folder with other files taken: %s", why.text);
    lbr_report_folder_close(&f);
    unlink(file), rmdir(folder), rmdir(base);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

static void no_memory(void)
{
    static const char text[] = "use harmonic-oscillator\n"
                               "run a: method = stormer-verlet, step = 0.1, steps = 20\n"
                               "measure dH = drift(H)\n"
                               "table t: of = a, columns = [dH]\n"
                               "claim a.dH < 0.01 against q = 10, step = 2*step\n"
                               "claim b[k = 1..1]: a.dH < 0.01 against method = explicit-euler, compensated = yes\n";
    lbr_reproducing how = { .bite = 1, .folder = "/nowhere" };
    long n = 1, bad = 0, live;
    int more = 1;

    lbr_reproduction_free(&r);
    for (; more && n < 20000; n++) {
        lbr_text page_text = { 0 };

        live = heap.live, heap.calls = heap.refused = 0, heap.refuse = n;
        reproduce(text, how);
        if (!heap.refused) lbr_report_html(&page_text, &r, 1, &(lbr_report_about){ 0 });
        heap.refuse = 0, more = (int)heap.refused;
        if (more && !page_text.status && code != LBR_EXIT_MACHINE &&
            !(code == 0 && r.nclaims == 2 && r.claim[0].bites == 1 && r.claim[1].bites == 1))
            printf("# %ld: status %d, %s\n", n, code, r.failure ? r.failure : "-"), bad++;
        lbr_text_free(&page_text);
        lbr_reproduction_free(&r);
        if (heap.live != live) printf("# %ld: %ld pieces are lost\n", n, heap.live - live), bad++;
    }
    ok(!more && n > 100, "%ld allocations are refused, one by one", n);
    ok(bad == 0, "each is told, or changes nothing, and nothing is lost");
}

int main(void)
{
    bites();
    failures();
    restored();
    coefficients();
    forms();
    quick();
    costs();
    packed();
    many();
    page();
    numbers();
    many_runs();
    paths();
    tried();
    folders();
    no_memory();
    lbr_reproduction_free(&r);
    return tap_done();
}
