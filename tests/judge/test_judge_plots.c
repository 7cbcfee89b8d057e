/* test_judge_plots.c - what plots draw and what they call it: components of arrays, paths, given labels, profiles,
 * histograms and maps. SPDX-License-Identifier: BSD-3-Clause
 *
 * Free particles, followed without any error. Linked with --wrap=malloc and its kin, so that each allocation can be
 * made to fail. */
#include "support/heap.h"
#include "support/tap.h"
#include "judge/judging.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char model[] =
    "canonical q[3,2], p[3,2]\n"
    "H = sum(i = 1..3, sq(p[i]))/2\n"
    "observe far[i = 1..3] = norm(q[i])\n"
    "start  q = [[1, 0], [0, 2], [3, 0]], p = [[0, 1], [1, 0], [0, 0]]\n"
    "run    method = stormer-verlet, time = 2\n"
    "run    a: step = 0.25\n"
    "run    b: step = 0.5\n"
    "run    v[k = 1..3]: step = 1/2^k\n"
    "measure end = last(q), one = q[2], place[i = 1..3] = i^2, height = last(far), size = step^2\n";

static struct {
    lbr_source source;
    lbr_experiment x;
    lbr_judgement *j;
    lbr_arena scratch;
    lbr_plot plot;
} e;

static void finish(void)
{
    lbr_arena_free(&e.scratch);
    lbr_judge_free(e.j);
    lbr_experiment_free(&e.x);
    lbr_source_free(&e.source);
    memset(&e, 0, sizeof e);
}

static int open_with(const char *line)
{
    lbr_overrides none = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };
    static char text[4000];

    memset(&e, 0, sizeof e);
    snprintf(text, sizeof text, "%splot %s\n", model, line);
    return !lbr_source_text(&e.source, "test.lbr", text, strlen(text), NULL) &&
           !lbr_experiment_open(&e.x, &e.source, &none) && !lbr_judge_open(&e.j, &e.x);
}

/* Makes the runs but for the first `left_out`. */
static int execute(int left_out)
{
    for (int i = left_out; i < e.x.nruns; i++) {
        lbr_trial *r = e.x.run + i;

        if (lbr_experiment_prepare(&e.x, i)) return 0;
        r->job.keep = lbr_judge_needs(e.j, i);
        if (lbr_execute(&r->job, &r->result)) return 0;
        r->done = 1;
    }
    return 1;
}

static int build(void)
{
    e.j->scratch = &e.scratch;
    return lbr_plot_build(e.j, 0, &e.plot);
}

/* The plot of a line, with all runs made: its curves, or NULL and what is wrong. Forget it with finish. */
static const lbr_curve *drawn(const char *line)
{
    if (open_with(line) && execute(0) && build()) return e.plot.curve;
    printf("# %s: %s\n", line, e.x.message);
    return NULL;
}

/* The labels of the curves, one after the other. */
static const char *labels(void)
{
    static char text[1000];

    text[0] = 0;
    for (int64_t c = 0; c < e.plot.ncurves; c++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", c ? "|" : "",
                 e.plot.curve[c].label ? e.plot.curve[c].label : "-");
    return text;
}

static void legends(void)
{
    static const struct {
        const char *line, *labels;
    } row[] = {
        { "of = a, x = t, y = q", "q[1,1]|q[1,2]|q[2,1]|q[2,2]|q[3,1]|q[3,2]" },
        { "of = a, x = t, y = q[2]", "q[2,1]|q[2,2]" },
        { "of = a, x = t, y = [one, far[1]]", "one[1]|one[2]|far[1]" },
        { "of = a, x = t, y = q[1] - q[2]", "(q[1] - q[2])[1]|(q[1] - q[2])[2]" },
        { "of = v, x = step, y = last(q[1])", "last(q[1])[1]|last(q[1])[2]" },
        { "of = [a, b], x = t, y = q[1]", "a: q[1,1]|a: q[1,2]|b: q[1,1]|b: q[1,2]" },
        { "of = [a, b], x = q[1,1], y = q[1,2]", "a|b" },
        { "of = a, x = [q[1,1], q[2,1], one[1]], y = [q[1,2], q[2,2], one[2]]", "q[1]|q[2]|one" },
        { "of = [a, b], x = [one[1], q[1,1]], y = [one[2], q[1,2]]", "a: one|a: q[1]|b: one|b: q[1]" },
        { "of = a, x = [q[1,1], p[2,1], t], y = [q[2,1], q[2,2], t]", "q[2,1]|q[2,2]|t" },
        { "of = a, x = [q[1,1] - q[2,1], 2*q[1,1]], y = [q[1,2] - q[2,2], 2*q[1,2]]", "q[1] - q[2]|2*q[1]" },
        { "of = a, x = [one[1] - end[3,1], t], y = [one[2] - end[3,2], t]", "one - end[3]|t" },
        { "of = a, x = [q[1,1] - q[2,2], t], y = [q[1,2] - q[2,1], t]", "q[1,2] - q[2,1]|t" },
        { "of = a, x = [norm(q[1]), q[1,1] - t], y = [norm(q[2]), q[1,2] - H]", "norm(q[2])|q[1,2] - H" },
        { "of = a, x = [t, t], y = [q[1,1], q[2,1]], labels = [\"sun\", \"earth\"]", "sun|earth" },
        { "of = [a, b], x = t, y = q[1], labels = [\"x\", \"y\"]", "a: x|a: y|b: x|b: y" },
        { "of = [a, b], x = t, y = q[1], labels = [\"1\", \"2\", \"3\", \"4\"]", "1|2|3|4" },
        { "of = [b, v], x = t, y = q[1,2], labels = [\"b\", \"half\", \"fourth\", \"eighth\"]",
          "b|half|fourth|eighth" },
        { "of = v, x = step, y = [size, 2*size], labels = [\"h^2\", \"2 h^2\"]", "h^2|2 h^2" },
        { "of = a, x = t, y = H, labels = \"energy\"", "energy" },
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int good = drawn(row[k].line) != NULL;

        ok(good && !strcmp(labels(), row[k].labels), "%s: %s", row[k].line, labels());
        finish();
    }
}

/* Runs that have not been made leave the labels of the others where they are. */
static void unmade(void)
{
    if (ok(open_with("of = [a, v], x = t, y = q[1,2], labels = [\"a\", \"1\", \"2\", \"3\"]") && execute(2) && build(),
           "a plot without its first run"))
        ok(!strcmp(labels(), "1|2|3"), "the others keep their labels: %s", labels());
    finish();
}

static void profiles(void)
{
    const lbr_curve *c = drawn("of = a, y = height");

    ok(c && e.plot.ncurves == 1 && c->n == 3, "over its components a vector is one curve");
    ok(c && c->x[0] == 1 && c->x[2] == 3 && c->y[2] == 3 && c->y[0] == sqrt(5), "at their numbers");
    ok(c && e.plot.style == LBR_PLOT_LINES && !c->label, "joined by lines, as always");
    ok(c && e.plot.xlabel && !strcmp(e.plot.xlabel, "component of height"), "its axes say what counts");
    ok(c && !strcmp(e.plot.ylabel, "height"), "and what of");
    finish();
    c = drawn("of = v, x = place, y = [height, first(far)], style = linespoints");
    ok(c && e.plot.ncurves == 6 && c[0].n == 3 && c[5].n == 3 && c[0].x[2] == 9, "over other components too");
    ok(c && !strcmp(labels(),
                    "v[1]: height|v[2]: height|v[3]: height|v[1]: first(far)|v[2]: first(far)|v[3]: first(far)"),
       "one for each run and quantity: %s", labels());
    finish();
    c = drawn("of = a, y = [height, first(far)]");
    ok(c && e.plot.xlabel && !strcmp(e.plot.xlabel, "component"), "those of several quantities are components");
    finish();
    c = drawn("of = v, x = step, y = height");
    ok(c && e.plot.ncurves == 3 && c[0].n == 3 && c[2].x[1] == 0.25,
       "over a number of each run, over the sweep as ever");
    finish();
}

/* Values under an outline: half of its points, each part has two. */
static double total(const lbr_curve *c)
{
    double sum = 0;

    for (int64_t i = 1; i < c->n - 1; i += 2) sum += c->y[i];
    return sum;
}

static void histograms(void)
{
    const lbr_curve *c = drawn("of = b, x = far, style = histogram, bins = 4");

    ok(c && e.plot.ncurves == 1 && c->n == 10 && total(c) == 15, "five samples of three components are counted");
    ok(c && c->x[0] == 1 && fabs(c->x[9] - 3) < 1e-15 && c->y[0] == 0 && c->y[9] == 0,
       "from the lowest to the highest");
    ok(c && c->y[1] == 3 && c->y[3] == 1 && c->y[5] == 4 && c->y[7] == 7, "each value in its part, the last one too");
    ok(c && !strcmp(e.plot.ylabel, "count") && !strcmp(e.plot.xlabel, "far"), "the axes are named");
    finish();
    c = drawn("of = [a, b], x = [far[1], far[2]], style = histogram, xrange = [0, 10]");
    ok(c && !strcmp(labels(), "a: far[1]|a: far[2]|b: far[1]|b: far[2]") && c->n == 82 && total(c) == 9,
       "one for each run and quantity, forty parts of the range: %s", labels());
    finish();
    c = drawn("of = v, x = size, style = histogram, bins = 2, log = xy");
    ok(c && e.plot.ncurves == 1 && total(c) == 3 && c->y[0] == 0.5 && fabs(c->x[2] - 0.0625) < 1e-12,
       "numbers are counted over the sweep, in equal parts of a logarithmic axis");
    finish();
    c = drawn("of = a, x = far[3], style = histogram");
    ok(c && total(c) == 9 && c->x[0] < 3 && c->x[c->n - 1] > 3, "where all values are one");
    finish();
}

static void maps(void)
{
    const lbr_curve *c = drawn("of = a, colour = end, style = heat");

    ok(c && e.plot.ncurves == 1 && c->n == 6, "a matrix has a point for each entry");
    ok(c && c->x[5] == 3 && c->y[5] == 2, "the last entry is at x = 3, y = 2");
    ok(c && c->x[1] == 1 && c->y[1] == 2, "u[i,j] is at x = i, y = j");
    ok(c && c->colour[3] == 2 && c->colour[4] == 3, "in its own colour");
    ok(c && !strcmp(e.plot.xlabel, "first index") && !strcmp(e.plot.ylabel, "second index"), "as the axes say");
    finish();
    c = drawn("of = b, x = t, colour = far, style = heat");
    ok(c && c->n == 15 && c->x[14] == 2 && c->y[14] == 3 && c->colour[14] == 3, "a vector over time");
    ok(c && !strcmp(e.plot.xlabel, "t") && e.plot.ylabel && !strcmp(e.plot.ylabel, "component of far"),
       "whose components are named upwards");
    finish();
    c = drawn("of = b, y = t, colour = far, style = heat");
    ok(c && c->n == 15 && c->y[14] == 2 && c->x[14] == 3 && c->colour[12] == sqrt(5), "or time upwards");
    ok(c && !strcmp(e.plot.ylabel, "t") && e.plot.xlabel && !strcmp(e.plot.xlabel, "component of far"), "named too");
    finish();
    c = drawn("of = b, x = t, colour = far, style = heat, ylabel = \"body\"");
    ok(c && !strcmp(e.plot.ylabel, "body"), "unless it is said otherwise");
    finish();
}

static void mistakes(void)
{
    static const struct {
        const char *line, *what;
    } row[] = {
        { "of = a, x = t, y = q, labels = [\"x\", \"y\"]", "there are 2 labels for 6 curves" },
        { "of = [a, b], x = t, y = q[1], labels = [\"x\"]", "1 labels for 4 curves, of which each run has 2" },
        { "of = a, x = t, y = q[1], labels = [one, two]", "texts in quotes" },
        { "of = a, x = t, y = H, labels = 3", "texts in quotes" },
        { "of = a, y = far", "of one time: last(q)" },
        { "of = a, y = end", "it is a vector" },
        { "of = a, y = size", "it is a vector" },
        { "of = a, x = place, y = last(q[1])", "they go in pairs" },
        { "of = a, x = far, y = H, style = histogram", "it has no y" },
        { "of = a, x = far, colour = H, style = histogram", "no colour" },
        { "of = a, style = histogram", "needs x" },
        { "of = a, x = far, style = histogram, bins = 0", "bins" },
        { "of = a, x = far, style = histogram, bins = 1.5", "bins" },
        { "of = a, x = t, y = H, bins = 10", "style = histogram" },
        { "of = a, x = t, y = H, style = heat", "needs colour" },
        { "of = a, colour = q, style = heat", "of one time" },
        { "of = a, colour = height, style = heat", "a matrix" },
        { "of = a, x = t, colour = end, style = heat", "over time" },
        { "of = a, x = t, colour = q, style = heat", "over time" },
        { "of = [a, b], colour = end, style = heat", "one run" },
        { "of = v, colour = end, style = heat", "one run" },
        { "of = a, colour = [end, end], style = heat", "one quantity" },
        { "of = a, colour = end, style = heat, labels = \"x\"", "no labels" },
        { "of = a, x = t, y = H, colour = q", "is a number" },
    };

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        int opened = open_with(row[k].line);

        ok(!opened && strstr(e.x.message, "test.lbr:10:") && strstr(e.x.message, row[k].what), "%s: %s", row[k].line,
           strstr(e.x.message, row[k].what) ? row[k].what : e.x.message);
        finish();
    }
}

/* Each allocation is refused in turn: it is told, and nothing is lost. */
static void no_memory(void)
{
    static const char *const line[] = {
        "of = [a, v], x = t, y = q[1], labels = [\"x\", \"y\"]",
        "of = [a, b], x = [q[1,1], q[2,1]], y = [q[1,2], q[2,2]]",
        "of = v, y = [height, first(far)]",
        "of = [a, b], x = far, style = histogram",
        "of = b, x = t, colour = far, style = heat",
    };

    for (size_t k = 0; k < sizeof line / sizeof *line; k++) {
        long bad = 0, n = 0, more = 1;

        while (more && n++ < 20000) {
            long live = heap.live;
            int built = 0;

            if (open_with(line[k]) && execute(0)) {
                heap.calls = heap.refused = 0, heap.refuse = n;
                built = build();
                heap.refuse = 0, more = heap.refused;
                bad += (more != 0) == built || (more && !e.j->no_memory);
            }
            finish();
            bad += heap.live != live;
        }
        ok(n > 3 && !more && !bad, "%s: %ld allocations are refused, one by one", line[k], n);
    }
}

int main(void)
{
    legends();
    unmade();
    profiles();
    histograms();
    maps();
    mistakes();
    no_memory();
    return tap_done();
}
