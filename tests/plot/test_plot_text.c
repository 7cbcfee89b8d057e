/* test_plot_text.c - titles and labels made to break out of gnuplot's quotes or of SVG stay what they are: text.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/pictures.h"

static const char *const hostile[] = {
    "it's 'quoted' ''twice''",
    "''.system(\"touch PWNED\").''",
    "'.system(\"touch PWNED\").'",
    "a''''.system(\"touch PWNED\").''''b",
    "'",
    "''",
    "'''",
    "a'",
    "''\n"
    "system(\"touch PWNED\")\n"
    "''",
    "' ; system('touch PWNED') ; '",
    "`touch PWNED`",
    "$(touch PWNED)",
    "\"`touch PWNED`\"",
    "<script>alert(1)</script>",
    "a\n"
    "set output\n"
    "!touch PWNED",
    "@macro @ARG1",
    "100% %s %n %d %%",
    "{/Symbol a} {",
    "}}} x_1 y^2 ~a{.8-} &{x}",
    "\\",
    "ends with \\",
    "'\\''",
    "]]> <![CDATA[ --> </text></svg>",
    "&amp; &lt; & ",
    "\r\t\001\033[31m\177",
    "\xff\xfe \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80",
    "\xe2\x80\xae evil \xe2\x80\xa8",
    "Störmer–Verlet, h² = 1/4",
    "# no comment",
    "$GPVAL_PWD $0",
    "-",
    "+",
    "<touch PWNED",
    "|touch PWNED",
    "a, b with lines",
};

static const char joint[] = "'.\"'\".'"; /* how a single quote is written between single quotes */

/* The script without what is in single quotes. Two strings side by side are refused: in some places gnuplot takes them
 * for one. */
static char *residue(char *script)
{
    char *out = script;
    int quoted = 0;

    for (char *s = script; *s; s++) {
        if (quoted && !strncmp(s, joint, strlen(joint))) s += strlen(joint) - 1;
        else if (quoted && s[0] == '\'' && s[1] == '\'') return NULL;
        else if (*s == '\'') quoted = !quoted, *out++ = '\'';
        else if (!quoted) *out++ = *s;
    }
    *out = 0;
    return quoted ? NULL : script;
}

/* The script that a picture with this text everywhere is drawn with, reduced. */
static char *script_of(const char *text, int curves)
{
    lbr_plot p = simple();
    lbr_curve list[20];
    size_t n;
    char *script;

    for (int c = 0; c < 20; c++) list[c] = pair[c % 2], list[c].label = text, list[c].colour = curves == 1 ? B : NULL;
    p.title = p.xlabel = p.ylabel = p.colour_label = text, p.curve = list, p.ncurves = curves;
    pretend("cp picture.gp ../../record; printf '<?xml></svg>' >picture.svg");
    if (write_to(&p, "h.svg", 0, 1) || !clean()) return NULL;
    script = content(in("record"), &n);
    return script && strlen(script) == n ? residue(script) : NULL;
}

/* As many harmless characters. */
static const char *tame(const char *text)
{
    static char same[1000];

    memset(same, 'x', sizeof same);
    same[lbr_ink_width(text)] = 0;
    return same;
}

static void quoting(void)
{
    static const int curves[] = { 1, 2, 20 };

    for (int k = 0; k < COUNT(hostile); k++)
        for (int j = 0; j < COUNT(curves); j++) {
            char *a = script_of(hostile[k], curves[j]), *b = script_of(tame(hostile[k]), curves[j]);

            ok(a && b && !strcmp(a, b) && strlen(a) > 500, "text %d, %d curves: nothing of it is outside single quotes",
               k, curves[j]);
            if (a && b && strcmp(a, b)) printf("# %s\n# %s\n", a, b);
            lbr_mem_free(a), lbr_mem_free(b);
        }
    honest();
}

/* Whether the bytes are well-formed enough to be XML: tags nest, attributes are quoted, & begins an entity. Text of
 * elements called `text` that is exactly `wanted` is counted. */
static int well_formed(const char *s, const char *wanted, int *found)
{
    char stack[64][32], text[2048] = "";
    int depth = 0, seen = 0;
    size_t n = 0;

    for (; *s;) {
        if (!strncmp(s, "<?", 2) || !strncmp(s, "<!", 2)) {
            const char *end = !strncmp(s, "<!--", 4) ? "-->" : !strncmp(s, "<![CDATA[", 9) ? "]]>" : ">";
            if (!(s = strstr(s, end))) return 0;
            s += strlen(end);
        } else if (*s == '<') {
            int close = s[1] == '/', empty;
            size_t length = strcspn(s += 1 + close, " \t\r\n/>");
            const char *name = s;

            for (s += length; *s && *s != '>'; s++) {
                if (*s == '<') return 0;
                if ((*s == '"' || *s == '\'') && !(s = strchr(s + 1, *s))) return 0;
            }
            if (!*s) return 0;
            empty = s[-1] == '/', s++;
            if (close) {
                if (!depth || strncmp(stack[--depth], name, length) || strlen(stack[depth]) != length) return 0;
                if (length == 4 && !strncmp(name, "text", 4)) seen += !strcmp(text, wanted);
            } else if (!empty) {
                if (depth == 64 || length > 31) return 0;
                memcpy(stack[depth], name, length), stack[depth++][length] = 0;
            }
            n = 0, text[0] = 0;
        } else {
            static const struct {
                const char *entity;
                char c;
            } known[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' }, { "&apos;", '\'' } };
            int k = 0;

            while (k < 5 && strncmp(s, known[k].entity, strlen(known[k].entity))) k++;
            if (*s == '&' && k == 5 && s[1] != '#') return 0;
            if (n < sizeof text - 1) text[n++] = k < 5 ? known[k].c : *s, text[n] = 0;
            s += k < 5 ? strlen(known[k].entity) : 1;
        }
    }
    *found = seen;
    return depth == 0;
}

/* What is to be read in the picture: what cannot be shown has become blanks or question marks. */
static const char *as_shown(const char *text)
{
    static char shown[1000];
    lbr_text ink = { 0 };
    char *out = shown;

    lbr_ink_quoted(&ink, text, 160, 0);
    for (char *s = ink.text + 1; s[1]; s++) {
        *out++ = *s;
        if (!strncmp(s, joint, strlen(joint))) s += strlen(joint) - 1;
    }
    *out = 0;
    lbr_mem_free(ink.text);
    return shown;
}

static void harmless(void)
{
    char home[4096];

    if (!need("hostile texts") || !getcwd(home, sizeof home) || chdir(scratch)) return;
    for (int k = 0; k < COUNT(hostile); k++) {
        lbr_plot p = simple();
        const char *text = hostile[k], *shown = as_shown(text);
        int found = 0,
            plain = lbr_ink_plain(text) && text[0] != ' ' && !strstr(text, "  ") && text[strlen(text) - 1] != ' ';
        size_t n;
        char *svg;

        p.title = p.xlabel = p.ylabel = pair[0].label = pair[1].label = text;
        ok(write_to(&p, "h.svg", 1, 1) == LBR_OK && clean() && !there("PWNED"), "text %d is drawn and does nothing %s",
           k, message.text);
        svg = content(in("h.svg"), &n);
        ok(svg && well_formed(svg, shown, &found) && !strstr(svg, "<script"), "and the picture is well-formed");
        ok(found == 5 || !plain, "and it is read five times as it is: %d", found);
        lbr_mem_free(svg);
    }
    ok(well_formed("<a>x</a>", "", &(int){ 0 }) && !well_formed("<a><b></a></b>", "", &(int){ 0 }) &&
           !well_formed("<a>x & y</a>", "", &(int){ 0 }) && !well_formed("<a>", "", &(int){ 0 }),
       "the test for well-formed text finds what is not");
    if (chdir(home)) exit(1);
}

/* Names of files reach the kept script. */
static void names(void)
{
    static const char *const name[] = { "<touch PWNED.svg",
                                        "|touch PWNED.svg",
                                        "it's.svg",
                                        "`touch PWNED`.svg",
                                        "~root.svg",
                                        "-.svg",
                                        "$x.svg",
                                        "a b;c.svg",
                                        "@m%d{.svg",
                                        "\\.svg",
                                        "é.svg" };
    char home[4096], beside[600];
    lbr_plot p = simple();

    ok(write_to(&p,
                "a\n"
                "b.svg",
                1, 0) == LBR_EARG &&
           !there(in("a\n"
                     "b.gp")) &&
           write_to(&p, "a\377b.svg", 1, 0) == LBR_EARG,
       "names that no quote can hold: %s", message.text);
    if (!need("names of files") || !getcwd(home, sizeof home) || chdir(scratch)) return;
    ok(write_to(&p, "a\nb.svg", 0, 0) == LBR_OK && there(in("a\nb.svg")), "but the picture alone can have such a name");
    for (int k = 0; k < COUNT(name); k++) {
        size_t n = 0, again = 0;
        char *a, *b;
        lbr_arena arena = { 0 };
        const char *program;

        ok(write_to(&p, name[k], 1, 0) == LBR_OK, "%s %s", name[k], message.text);
        a = content(in(name[k]), &n);
        unlink(in(name[k]));
        snprintf(beside, sizeof beside, "./%.*s.gp", (int)strlen(name[k]) - 4, name[k]);
        lbr_gnuplot_find(&program, &arena, &message);
        ok(!lbr_gnuplot_run(program, scratch, beside, 20, NULL, &message), "its script runs");
        b = content(in(name[k]), &again);
        ok(a && b && n == again && !memcmp(a, b, n) && !there("PWNED"), "and draws the same picture again");
        lbr_arena_free(&arena), lbr_mem_free(a), lbr_mem_free(b);
    }
    if (chdir(home)) exit(1);
}

int main(void)
{
    start();
    quoting();
    harmless();
    names();
    forget(in("tmp")), forget(scratch);
    return tap_done();
}
