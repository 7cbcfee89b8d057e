/* test_plot_tics.c - numbers along the axes that do not overlap, logarithmic axes that are all alike, titles that fit;
 * histograms and heat maps are drawn. SPDX-License-Identifier: BSD-3-Clause */
#include "support/pictures.h"

static lbr_scene scene;
static char *script;

/* The script of a picture. */
static int written(const lbr_plot *p)
{
    lbr_text ink = { 0 };
    lbr_drawn *drawn = NULL;

    lbr_mem_free(script), script = NULL;
    if (lbr_scene_create(&scene, p, &message)) return 0;
    if (!(drawn = lbr_mem_alloc((size_t)p->ncurves * sizeof *drawn))) return 0;
    for (int64_t c = 0; c < p->ncurves; c++) drawn[c] = (lbr_drawn){ .n = p->curve[c].n, .seen = p->curve[c].n };
    lbr_plot_script(&ink, &scene, drawn, "x", lbr_plot_kind_find("svg"));
    lbr_mem_free(drawn);
    return (script = ink.text) != NULL;
}

/* What stands behind `set NAME` in the script, to the end of the line. */
static const char *setting(const char *name)
{
    static char line[8000];
    char key[40];
    const char *at = script;

    line[0] = 0;
    snprintf(key, sizeof key, "set %s ", name);
    for (const char *s = script; (s = strstr(s, key)); s++) at = s + strlen(key);
    if (at != script) snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

/* A plot of two points at the corners of a rectangle. */
static lbr_plot corners(double x0, double x1, double y0, double y1)
{
    static double x[2], y[2];
    static lbr_curve curve;

    x[0] = x0, x[1] = x1, y[0] = y0, y[1] = y1;
    curve = (lbr_curve){ "c", 2, x, y, NULL };
    return (lbr_plot){ .curve = &curve, .ncurves = 1 };
}

/* --- room for numbers -------------------------------------------------------------------------------------------- */

/* How many cm there are between two numbers of the x axis, and how many the longest of them needs at least, at 0.17 cm
 * a letter. */
static int has_room(void)
{
    const lbr_axis *axis = &scene.axis[LBR_AXIS_X];
    double step = atof(setting("xtics")), width = axis->hi - axis->lo, longest = 0;

    if (strchr(setting("xtics"), '(')) return 1; /* a single one */
    for (double v = ceil(axis->lo / step) * step; v <= axis->hi; v += step) {
        char text[40];

        longest = fmax(longest, snprintf(text, sizeof text, "%.9g", fabs(v) < 1e-9 * step ? 0 : v));
    }
    return step > 0 && step / width * scene.across > 0.17 * longest + 0.1;
}

static void narrow(void)
{
    static const double offset[] = { 0, 1, -3.75, 1000, 123456, -1e-7 };

    for (int k = 0; k < COUNT(offset); k++)
        for (double thin = 1; thin < 1e6; thin *= 3) {
            lbr_plot p = corners(offset[k], offset[k] + 1, 0, thin);
            int tall, flat;

            p.equal = 1;
            tall = written(&p) && has_room();
            ok(tall, "%g over %g, %g times as high as wide: tics %s in %.2g cm", offset[k], offset[k], thin,
               setting("xtics"), scene.across);
            p = corners(0, thin, offset[k], offset[k] + 1), p.equal = 1;
            flat = written(&p) && scene.up > 0 && has_room();
            ok(flat, "and as wide: tics %s, %s", setting("xtics"), setting("ytics"));
        }
}

/* The number alone is inside. */
static void alone(void)
{
    lbr_plot p = corners(1000.1, 1000.2, 0, 1000);
    double v;

    p.equal = 1;
    ok(written(&p) && setting("xtics")[0] == '(', "no room for two numbers: %s", setting("xtics"));
    v = atof(setting("xtics") + 1);
    ok(v >= scene.axis[LBR_AXIS_X].lo && v <= scene.axis[LBR_AXIS_X].hi, "one that is there");
}

/* --- logarithmic axes -------------------------------------------------------------------------------------------- */

/* Reads the list of an axis: how many tics have a number, whether those go in equal steps (in decades: *step), and the
 * least and the largest distance between two neighbours in decades, with a number or not. */
static int numbered(const char *name, double *step, double *least, double *most)
{
    const char *s = strchr(setting(name), '(');
    double before = NAN, number = NAN;
    int n = 0;

    *step = NAN, *least = INFINITY, *most = 0;
    while (s && *s && *s != ')') {
        const char *label = strchr(s, '\''), *end = label ? strchr(label + 1, '\'') : NULL;
        char *behind;
        double at = end ? log10(strtod(end + 1, &behind)) : NAN, gap = at - before;

        if (!end) return 0;
        if (!isnan(before)) *least = fmin(*least, gap), *most = fmax(*most, gap);
        if (end > label + 1) {
            if (!isnan(number) && !isnan(*step) && fabs(at - number - *step) > 1e-6) return 0;
            if (!isnan(number)) *step = at - number;
            number = at, n++;
        }
        before = at, s = behind + strcspn(behind, ",)");
    }
    return n;
}

/* Many decades: numbers that have room, and between them a mark at each decade or none. */
static void decades(void)
{
    for (int n = 3; n <= 600; n += n < 30 ? 1 : 30)
        for (int k = 0; k < 2; k++) {
            const char *name = k ? "ytics" : "xtics";
            double step = NAN, least = NAN, most = NAN, cm;
            lbr_plot p = corners(pow(10, -n / 2), pow(10, n - n / 2), pow(10, -n / 2), pow(10, n - n / 2));

            p.log_x = p.log_y = 1;
            ok(written(&p) && numbered(name, &step, &least, &most) >= 2, "%d decades: %s have numbers", n, name);
            cm = (k ? scene.up : scene.across) / n;
            ok(step * cm > (k ? 0.7 : 0.9), "each %g decades, which has room", step);
            ok(step < 1.5 ? least > 0.04 && most < 0.31 : fabs(least - most) < 1e-6, "what is between is even");
            ok(step < 1.5 || least * cm > 0.11, "and can be told apart: %g cm", least * cm);
            ok(n > 25 || least < 1.5, "one at each decade, where they are not too many");
        }
}

static void logarithms(void)
{
    static const struct {
        double lo, hi;
        int fixed;
        const char *tics; /* one of them */
    } row[] = {
        { 1e-12, 1, 0, "'10^{-4}' " },
        { 1, 1000, 0, "'' 20 1" },
        { 0.1, 10, 1, "'' 0.20000000000000001 1" },
        { 2e-3, 3e-3, 0, "'10^{-3}'" },
        { 2, 30, 1,
          "'2\xc2\xb7"
          "10^{0}'" },
        { 2, 30, 1, "'' 4 1" },
        { 2.5, 4.5, 1,
          "'4\xc2\xb7"
          "10^{0}'" },
    };

    for (int k = 0; k < COUNT(row); k++) {
        lbr_plot p = corners(row[k].lo, row[k].hi, row[k].lo, row[k].hi);

        p.log_x = p.log_y = 1;
        if (row[k].fixed) p.xrange[0] = p.yrange[0] = row[k].lo, p.xrange[1] = p.yrange[1] = row[k].hi;
        ok(written(&p) && !strcmp(setting("format x"), "'10^{%L}'") && !strcmp(setting("format y"), "'10^{%L}'"),
           "from %g to %g: %s", row[k].lo, row[k].hi, setting("format x"));
        ok(strstr(setting("xtics"), row[k].tics) != NULL, "tics %s", setting("xtics"));
    }
}

/* --- titles ------------------------------------------------------------------------------------------------------ */

/* The letters of the title as it is written, and their size. */
static double title_width(int *letters)
{
    const char *s = setting("title"), *font = strstr(s, "font ',"), *end = strchr(s + 1, '\'');

    *letters = end ? (int)(end - s) - 1 : 0;
    return *letters * 0.018 * (font ? atof(font + 7) : 11); /* a letter of n points is hardly wider than 0.018 n cm */
}

static void titles(void)
{
    static char text[300];

    for (int n = 10; n < 290; n += 20)
        for (int equal = 0; equal < 2; equal++) {
            lbr_plot p = corners(0, equal ? 0.1 : 1, 0, 1);
            int letters = 0;
            double width;

            memset(text, 'x', sizeof text), text[n] = 0;
            p.title = text, p.equal = equal;
            width = written(&p) ? title_width(&letters) : 1e9;
            ok(width < scene.width && (n > 100 || letters == n), "%d letters on %g cm: %d of them on %.3g cm", n,
               scene.width, letters, width);
        }
}

/* --- histograms and maps ----------------------------------------------------------------------------------------- */

enum { SIDE = 12 };
static double at[3][SIDE * SIDE];

static lbr_plot map(void)
{
    static lbr_curve curve;

    for (int i = 0; i < SIDE * SIDE; i++) at[0][i] = i / SIDE, at[1][i] = i % SIDE, at[2][i] = sin(i);
    curve = (lbr_curve){ NULL, SIDE * SIDE, at[0], at[1], at[2] };
    return (lbr_plot){ .curve = &curve, .ncurves = 1, .style = LBR_PLOT_HEAT };
}

static void maps(void)
{
    lbr_plot p = map();

    ok(written(&p) && scene.tiles && strstr(script, "boxxyerror"), "a heat map is made of tiles");
    p = map(), ((lbr_curve *)p.curve)->n = 2 * SIDE;
    ok(written(&p) && scene.tiles, "also of two rows");
    p = map(), ((lbr_curve *)p.curve)->n = SIDE;
    ok(!written(&p) && strstr(message.text, "along x there is one"), "not of one: %s", message.text);
    p = map(), p.log_y = 1;
    for (int i = 0; i < SIDE * SIDE; i++) at[1][i] += 1;
    ok(!written(&p) && strstr(message.text, "along y are not with a logarithm"), "nor with a logarithm: %s",
       message.text);
    p = map(), at[0][7] = 3.3;
    ok(!written(&p) && strstr(message.text, "lattice"), "points that are no lattice: %s", message.text);
    p = map(), ((lbr_curve *)p.curve)->colour = NULL;
    ok(!written(&p) && strstr(message.text, "colour"), "nor without a colour: %s", message.text);
    p = map();
    for (int k = 0; k < 3 && need("heat maps"); k++) {
        static const char *const name[] = { "map.svg", "map.png", "map.pdf" };

        ok(write_to(&p, name[k], 0, 1) == LBR_OK && there(in(name[k])) && clean(), "%s is drawn %s", name[k],
           message.text);
    }
}

static void histograms(void)
{
    for (int log = 0; log < 2; log++) {
        lbr_arena arena = { 0 };
        lbr_plot p = simple();

        p.style = LBR_PLOT_HISTOGRAM, p.log_y = log, pair[0].x = A, pair[1].x = B;
        ok(!lbr_plot_histogram(&p, pair, 2, 10, &arena) && pair[0].n == 22, "values become an outline");
        ok(written(&p) && scene.axis[LBR_AXIS_Y].lo == (log ? 0.5 : 0), "which stands on the axis");
        ok(strstr(script, log ? "filledcurves y=0.5 " : "filledcurves y=0 ") != NULL, "and is filled down to it");
        if (need("histograms"))
            ok(write_to(&p, "h.svg", 0, 1) == LBR_OK && write_to(&p, "h.png", 0, 1) == LBR_OK && clean(), "drawn %s",
               message.text);
        lbr_arena_free(&arena);
    }
}

int main(void)
{
    start();
    narrow();
    alone();
    logarithms();
    decades();
    titles();
    maps();
    histograms();
    lbr_mem_free(script);
    forget(in("tmp")), forget(scratch);
    return tap_done();
}
