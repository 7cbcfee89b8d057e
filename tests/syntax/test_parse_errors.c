/* test_parse_errors.c - the text of models: where errors are and what is said, and that nothing makes the parser
 * stumble. SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocation can be made to fail where the program is linked with --wrap=malloc and its kin; elsewhere that is left
 * out. */
#include "support/parsed.h"
#include "support/heap.h"
#include "support/walk.h"

/* `count` times `unit`, between two other texts, at most `most` bytes of it. */
static char *repeat(const char *before, const char *unit, size_t count, const char *after, size_t most)
{
    size_t n = strlen(before) + count * strlen(unit) + strlen(after) + 1;
    char *s = malloc(n), *to = s + sprintf(s, "%s", before);

    for (size_t i = 0, m = strlen(unit); i < count; i++) memcpy(to, unit, m), to += m;
    strcpy(to, after);
    if (n > most) s[most] = '\0';
    return s;
}

/* --- errors: the first one, where it is, and words that occur in it ---------------------------------------------- */

typedef struct {
    const char *text;
    int line, column;
    const char *words;
} mistake;

static const mistake mistakes[] = {
    /* numbers and characters */
    { "param b = 12.", 1, 11, "digit point '12' '12.0'" },
    { "param b = .25", 1, 11, "digit before point '0.25'" },
    { "H = 2x", 1, 5, "'2x' not a number '*'" },
    { "H = 1 + 3q^2", 1, 9, "'3q'" },
    { "H = 1.e5", 1, 5, "digit point" },
    { "H = 1e", 1, 5, "exponent" },
    { "H = 1E5", 1, 5, "small e" },
    { "H = 1_000", 1, 5, "'_'" },
    { "H = 1e400", 1, 5, "too large" },
    { "H = q.5", 1, 6, "digit before" },
    { "H = a == b", 1, 7, "'==' '='" },
    { "H = q**2", 1, 6, "'^'" },
    { "claim a && b", 1, 9, "'and'" },
    { "claim a || b", 1, 9, "'or'" },
    { "claim !a", 1, 7, "'not'" },
    { "H = a % b", 1, 7, "mod" },
    { "H = 1; L = 2", 1, 6, "ends with its line" },
    { "H = a \xe2\x88\x92 b", 1, 7, "'-'" },
    { "H = \xce\xb1 + 1", 1, 5, "U+03B1 letters" },
    { "H = a\x01 + 1", 1, 6, "control U+0001" },
    { "H = $a", 1, 5, "'$'" },
    { "H = a\xc2\xa0+ 1", 1, 6, "blank" },
    { "title \"abc", 1, 7, "string not ended" },
    { "title \"abc\\\"", 1, 7, "string not ended" },
    { "title \"a\\n\"", 1, 7, "string '\\'" },
    { "title \"a\x01\"", 1, 7, "control string" },
    { "title \"\xe9t\xe9\"", 1, 8, "UTF-8" },
    { "# \xc0\xaf", 1, 3, "UTF-8" },
    { "#\n# \xc3\xa9 \xed\xa0\x80", 2, 5, "UTF-8" },
    { "H = 1\rL = 2", 1, 6, "carriage return" },
    /* brackets */
    { "H = (1 + 2\nstart q = 1", 1, 5, "bracket '(' never closed" },
    { "H = sin(q\n", 1, 8, "never closed" },
    { "H = f(a, [1, 2)", 1, 10, "'[' never closed ')' before" },
    { "H = (a + b]", 1, 5, "'(' never closed ']'" },
    { "H = a)", 1, 6, "')' closes nothing" },
    { "H = (a b)", 1, 8, "found 'b' ')'" },
    { "H = (a,b)", 1, 7, "list" },
    { "H = (a +)", 1, 9, "value ')'" },
    { "H = ()", 1, 6, "value ')'" },
    { "H = []", 1, 6, "value ']'" },
    { "H = q[1", 1, 6, "'[' never closed" },
    { "poisson {u, v = 1\n"
      "start u = 1",
      1, 9, "'{' never closed" },
    { "y' = (a + \n"
      "y[1]' = 2",
      1, 6, "never closed" },
    { "H = ((a)\n"
      "L = 1\n"
      "start q = 1",
      1, 5, "never closed" },
    { "H = read(\"a)", 1, 10, "string" },
    { "H = (1 + 2.\n"
      "start q = 1",
      1, 10, "digit" },
    { "H = {a}", 1, 5, "value '{'" },
    /* values and conditions */
    { "H = ", 1, 3, "value after '='" },
    { "H = a +", 1, 7, "value after '+'" },
    { "H = a + * b", 1, 9, "value '*'" },
    { "H = +a", 1, 5, "value '+'" },
    { "H = a < b", 1, 7, "condition not a value" },
    { "param a = b = c", 1, 13, "condition" },
    { "H = a and b", 1, 7, "condition" },
    { "H = not a", 1, 5, "'not' condition" },
    { "H = [a < b]", 1, 8, "condition" },
    { "H = q[i = 2]", 1, 9, "condition" },
    { "claim not not a", 1, 11, "'not'" },
    { "claim a and and b", 1, 13, "value 'and'" },
    { "H = a b", 1, 7, "operator end found 'b'" },
    { "H = 2 3", 1, 7, "found '3'" },
    { "H = a.", 1, 7, "name after '.'" },
    { "H = a.1b", 1, 6, "digit" },
    { "start q = 1 p = 2", 1, 13, "',' 'p'" },
    { "claim a <", 1, 9, "value '<'" },
    { "H = if", 0, 0, "" },
    { "H = sin()", 0, 0, "" },
    /* ranges */
    { "H = dot(i = 1..3, i)", 1, 9, "'dot' range sum prod" },
    { "H = q[i = 1..3]", 1, 7, "range left sides" },
    { "H = sum(1..3, 2)", 1, 10, "'name = from..to'" },
    { "H = sum((i) = 1..3, 2)", 1, 16, "'name = from..to'" },
    { "H = sum(a < i = 1..3, 2)", 1, 18, "'name = from..to'" },
    { "H = sum(i = 1..3)", 1, 5, "needs" },
    { "H = sum(x, i = 1..3)", 1, 12, "ranges before" },
    { "H = sum(i = 1..3, x, y)", 1, 22, "one expression" },
    { "param a[i = 1] = 2", 1, 14, "'..'" },
    { "state q[i = 1..3]", 1, 9, "range" },
    { "H = sum(i = 1..n..m, i)", 1, 17, "',' '..'" },
    { "H = 1..2", 1, 6, "found '..'" },
    /* statements */
    { "parm a = 1", 1, 1, "'parm' 'param'" },
    { "foo = 3", 1, 1, "foo' 'param foo" },
    { "hello world", 1, 1, "'hello' begins no statement" },
    { "(a)", 1, 1, "statement '('" },
    { "against step = 1", 1, 1, "statement" },
    { "H", 1, 2, "'='" },
    { "H: a", 1, 2, "'=' ':'" },
    { "title kepler", 1, 7, "string 'kepler'" },
    { "title \"a\" \"b\"", 1, 11, "end of the statement" },
    { "use 3", 1, 5, "gallery 3" },
    { "use kepler e = 1", 1, 12, "':' end" },
    { "use kepler-", 1, 11, "'-'" },
    { "param", 1, 6, "name end of the text" },
    { "param\nH = 1", 1, 6, "name end of the line" },
    { "param a", 1, 8, "'='" },
    { "param a' = 1", 1, 8, "prime rate" },
    { "param f(x) = 1", 1, 8, "'let'" },
    { "let f() = 1", 1, 7, "parameter" },
    { "let f(x = 1", 1, 6, "never closed" },
    { "state q = 1", 1, 9, "without a value" },
    { "state q'", 1, 8, "',' end" },
    { "partition v[1]", 1, 12, "',' end" },
    { "x' = 1, y = 2", 1, 9, "prime" },
    { "part a: x = 1", 1, 9, "prime" },
    { "part a", 1, 7, "'=' ':'" },
    { "q[1] = 2", 1, 1, "prime" },
    { "x'' = -x", 1, 3, "first order x' = v" },
    { "poisson u = 1", 1, 9, "'{'" },
    { "poisson {u} = 1", 1, 11, "',' '}'" },
    { "flow T: q = 1", 1, 7, "'('" },
    { "flow T(s) q = 1", 1, 11, "':'" },
    { "section cut: q > 0", 1, 16, "'=' surface" },
    { "section cut: q = 0 = 1", 1, 20, "condition" },
    { "method a-b = rk4", 1, 9, "'=' '-'" },
    { "method a = composition(1)", 1, 23, "'['" },
    { "method a = composition [1, 2]*3", 1, 30, "list" },
    { "method a = butcher(A = 1)", 1, 24, "'['" },
    { "run a b: step = 1", 1, 7, "':' 'b'" },
    { "run method = 3", 1, 14, "method" },
    { "run method = gauss:2.5", 1, 20, "whole number" },
    { "run method = split(strang, 2*pi)", 1, 29, "brackets of its own" },
    { "run method = a(1/x)", 1, 18, "number '/' brackets" },
    { "run method = a(1/0)", 1, 18, "zero" },
    { "run method = a(-x)", 1, 17, "number '-'" },
    { "run method = a(1/2/3)", 1, 19, "')'" },
    { "run method = gauss:123456", 0, 0, "" },
    { "run method = gauss:1234567", 1, 20, "six digits" },
    { "run method = a(b-c = 1)", 1, 16, "dashes" },
    { "run method = a()", 1, 16, "method number" },
    { "run method = gauss: step = 1", 1, 26, "'='" },
    { "run a': step = 1", 1, 5, "prime" },
    { "run step 3", 1, 10, "'='" },
    { "plot a: b", 1, 10, "'='" },
    { "claim \"a\" b < c", 1, 11, "':'" },
    { "claim each[k = 1..3] v[k] < 1", 1, 22, "':' string" },
    { "claim a < 1 against", 1, 20, "name" },
    { "run a: step = 1\n"
      " against step = 2",
      2, 2, "'against' claim" },
    { "param a = 1,\nrun step = 1", 1, 12, "',' next line another begins" },
    { "H = a +\nstart q = 1", 1, 7, "'+' another" },
    { "let a =\nparam b = 1", 1, 7, "'=' another" },
};

static int has_words(const char *text, const char *words)
{
    const char *w;
    size_t n;
    char one[80];

    for (int i = 0; (w = lbr_text_word(words, i, &n)); i++) {
        snprintf(one, sizeof one, "%.*s", (int)n, w);
        if (!strstr(text, one)) return 0;
    }
    return 1;
}

/* Line 0: no error. */
static int is_mistake(const lbr_file *f, const mistake *m)
{
    const lbr_error *e = f->error;

    if (m->line == 0) return f->nerrors == 0;
    return f->nerrors >= 1 && e->place.line == m->line && e->place.column == m->column && has_words(e->text, m->words);
}

static void refused(void)
{
    parsed a;

    for (size_t i = 0; i < COUNT(mistakes); i++) {
        const lbr_file *f = parse(&a, mistakes[i].text);

        if (!ok(is_mistake(f, &mistakes[i]) && f->nerrors <= 1, "%s", f->nerrors ? f->error[0].text : mistakes[i].text))
            printf("# want %d:%d %s\n"
                   "# %d errors\n"
                   "%s",
                   mistakes[i].line, mistakes[i].column, mistakes[i].words, f->nerrors, lbr_file_report(f, &a.arena));
        forget(&a);
    }
}

/* The bad models say in their first line where and what; those that are well written have other faults. */
static void bad_models(void)
{
    static model m[50];
    int n = read_models(m, 50, "bad/"), syntactic = 0;

    for (int i = 0; i < n; i++) {
        mistake want = { .text = m[i].name };
        parsed a;
        const lbr_file *f = parse_bytes(&a, m[i].text, m[i].size);
        char words[100] = "";

        sscanf(m[i].text, "# expect: %d:%d %99[^\n]", &want.line, &want.column, words);
        want.words = words;
        syntactic += f->nerrors > 0;
        if (!ok(f->nerrors == 0 || (f->nerrors == 1 && is_mistake(f, &want)), "%s: %s", m[i].name,
                f->nerrors ? f->error[0].text : "well written"))
            printf("%s", lbr_file_report(f, &a.arena));
        forget(&a);
    }
    free_models(m, n);
    ok(n >= 12 && syntactic == 2, "%d bad models, two of them badly written", n);
}

/* --- going on after an error ------------------------------------------------------------------------------------- */

static void recovery(void)
{
    static const int where[] = { 1, 2, 4, 7, 9 };
    parsed a;
    const lbr_file *f = parse(&a, "param a = 1., b = 2, c[i = 1..2] = 3\n"
                                  "H = (a b\n"
                                  "L = 3\n"
                                  "let f(x) = 1 1,\n"
                                  "    g = 2\n"
                                  "start q = 1\n"
                                  "poisson {u, v = 1\nstate z\nparm k = 3, l = 4\nrun step = 1");
    const lbr_statement *s = f->statement;
    int good = f->nerrors == 5;

    for (int i = 0; good && i < 5; i++) good = f->error[i].place.line == where[i];
    if (!ok(good && a.status == LBR_EARG, "one error for each faulty statement"))
        printf("%s", lbr_file_report(f, &a.arena));
    ok(f->nstatements == 9 && s[0].faulty && s[1].faulty, "the faulty ones are known");
    ok(!s[2].faulty && s[2].kind == LBR_ST_L, "the others are read");
    ok(!s[4].faulty && !s[8].faulty, "to the last one");
    ok(s[0].n == 3 && !strcmp(s[0].item[1].target.name, "b") && !strcmp(s[0].item[2].target.name, "c"),
       "names of a faulty statement are known, also those that follow");
    ok(s[3].n == 2 && !strcmp(s[3].item[0].target.name, "f") && !strcmp(s[3].item[1].target.name, "g"),
       "on the next line too");
    ok(s[7].kind == LBR_ST_PARAM && s[7].n == 2 && !strcmp(s[7].item[0].target.name, "k") &&
           !strcmp(s[7].item[1].target.name, "l"),
       "and of a statement whose word is misspelt");
    forget(&a);
    f = parse(&a, "foo = 3\n1 2\nrun v[k = 1 2]: step = 1\nrun a b: step = 1");
    ok(!strcmp(f->statement[2].target.name, "v") && !strcmp(f->statement[3].target.name, "a"), "so are names of runs");
    ok(f->nerrors == 4 && f->statement[0].kind == LBR_ST_NONE && !strcmp(f->statement[0].item[0].target.name, "foo"),
       "and what was to be declared without a statement");
    forget(&a);
}

/* How far the skipping goes: where the first error is, and how many statements there are with the faulty one. */
static void skipping(void)
{
    static const struct {
        const char *text;
        int column, errors, statements;
    } skips[] = {
        { "start q = [1 2],\n q' = 3\nrun step = 1", 14, 1, 2 },
        { "param G = 1 1,\n L = 2\nH = 1", 13, 1, 2 },
        { "H = (a\n q' = 3\nL = 1", 5, 1, 3 },
        { "H = (a\n q[f[1]]' = 3\nL = 1", 5, 1, 3 },
        { "H = (a\n q[1 = 3\nL = 1", 5, 1, 2 },
        { "H = (a b\n let + 1)\nL = 2", 8, 1, 2 },
        { "H = (a b\n L = 1)\nL = 2", 5, 2, 3 },
        { "H = (a\nclaim \"x\": a", 5, 1, 2 },
        { "H = (a\nclaim 1 < x", 5, 1, 2 },
        { "H = (a\nclaim not x", 5, 1, 2 },
        { "H = (a\nstart\nL = 2", 5, 1, 2 },
        { "H = a b (c\n d\nstart q = 1", 7, 1, 2 },
        { "H = a b + \n"
          " c\n"
          "L = 1",
          7, 1, 2 },
        { "param a = 1,\n"
          " b = 2,\n"
          "run step = 1\n"
          "L = 1",
          7, 1, 3 },
    };
    parsed a;

    for (size_t i = 0; i < COUNT(skips); i++) {
        const lbr_file *f = parse(&a, skips[i].text);
        int good = f->nerrors == skips[i].errors && f->error[0].place.column == skips[i].column &&
                   f->nstatements == skips[i].statements;

        if (!ok(good, "skipping %zu: %d errors, %d statements", i, f->nerrors, f->nstatements))
            printf("%s", lbr_file_report(f, &a.arena));
        forget(&a);
    }
}

static void odd_bytes(void)
{
    parsed a;
    const lbr_file *f = parse_bytes(&a, "H = 1\0 + 2", 10);

    ok(f->nerrors == 1 && f->error[0].place.column == 6 && has_words(f->error[0].text, "zero byte"),
       "a zero byte does not end a text");
    forget(&a);
    f = parse_bytes(&a, NULL, 0);
    ok(a.status == LBR_OK && f->nstatements == 0 && lbr_file_report(f, &a.arena), "no text at all is an empty one");
    forget(&a);
    f = parse_bytes(&a, "H = 1 + 23", 9);
    ok(a.status == LBR_OK && !strcmp(f->statement[0].value->arg[1]->text, "2"), "a text ends where its size says");
    forget(&a);
}

static void many(void)
{
    parsed a;
    char *text = repeat("", "H = 1.\n", 25, "", 1000);
    const char *report = lbr_file_report(parse(&a, text), &a.arena);

    ok(a.file.nerrors == 25 && strstr(report, "m.lbr:20:5:") && !strstr(report, "m.lbr:21:5:"),
       "25 errors, 20 in the report");
    ok(strstr(report, "25 errors; the first 20 are shown") != NULL, "and their number");
    forget(&a), free(text);
}

/* --- the report -------------------------------------------------------------------------------------------------- */

static void report_of(const char *text, const char *want, const char *what)
{
    parsed a;
    const char *report = lbr_file_report(parse(&a, text), &a.arena);

    if (!ok(!strcmp(report, want), "the report %s", what)) printf("%s# want\n%s", report, want);
    forget(&a);
}

static void reports(void)
{
    char *line = repeat("H = ", "a + ", 100, "2x", 1000);
    parsed a;
    const char *report, *cut, *under;

    report_of("H = 1", "", "of nothing is empty");
    report_of("H = 1\n"
              "L = 2x\n",
              "m.lbr:2:5: '2x' is not a number: a product needs its '*'\n"
              "    L = 2x\n"
              "        ^",
              "has the place, the text, the line, a caret");
    report_of("H = 2x\r\n"
              "\n"
              "\tL = 3y",
              "m.lbr:1:5: '2x' is not a number: a product needs its '*'\n"
              "    H = 2x\n"
              "        ^\n"
              "\n"
              "m.lbr:3:6: '3y' is not a number: a product needs its '*'\n"
              "     L = 3y\n"
              "         ^",
              "separates errors; a tab is one blank, as it is one column");
    report_of("title \"\xc3\xa9\x02\xe2\x80\xae\" 1",
              "m.lbr:1:7: there is a control character in this string\n"
              "    title \"\xc3\xa9\xe2\x90\x82\xef\xbf\xbd\" 1\n"
              "          ^",
              "shows what would not be seen");
    report_of("title \"\xff\xfe\"",
              "m.lbr:1:8: this is not UTF-8 text: save the file as UTF-8\n"
              "    title \"\xef\xbf\xbd\xef\xbf\xbd\"\n"
              "           ^",
              "shows bytes that are no text");
    report_of("param",
              "m.lbr:1:6: expected a name, found the end of the text\n"
              "    param\n"
              "         ^",
              "points behind the end of a line");
    report = lbr_file_report(parse(&a, line), &a.arena);
    ok(strlen(report) < 400 && strstr(report, "\n    ... ") && strstr(report, "2x\n"), "a long line is cut");
    cut = strstr(report, "    ... "), under = strchr(cut, '\n') + 1;
    ok(strstr(cut, "2x") - cut == strchr(under, '^') - under, "and the caret is where it belongs");
    forget(&a), free(line);
}

/* --- limits and long texts --------------------------------------------------------------------------------------- */

static void nested(const char *before, const char *open, const char *middle, const char *close, const char *what)
{
    char *a, *b, *c;
    parsed x;

    for (size_t n = LBR_NESTING; n <= LBR_NESTING + 1; n++) {
        a = repeat(before, open, n, middle, 10000), b = repeat("", close, n, "", 10000), c = repeat(a, b, 1, "", 20000);
        parse(&x, c);
        if (!ok(n > LBR_NESTING ? x.file.nerrors == 1 && has_words(x.file.error[0].text, "200 limit")
                                : x.file.nerrors == 0,
                "%zu %s", n, what))
            printf("%s", lbr_file_report(&x.file, &x.arena));
        forget(&x), free(a), free(b), free(c);
    }
}

static void limits(void)
{
    char *text = repeat("#", "x", LBR_LONGEST_TEXT - 1, "", 2 << 20);
    parsed a;

    ok(parse(&a, text)->nerrors == 0, "1 MiB is read");
    forget(&a), free(text);
    text = repeat("#", "x", LBR_LONGEST_TEXT, "", 2 << 20);
    ok(parse(&a, text)->nerrors == 1 && has_words(a.file.error[0].text, "1 MiB 1048576 1048577") &&
           strlen(lbr_file_report(&a.file, &a.arena)) < 1000,
       "more is not");
    forget(&a), free(text);
    nested("H = ", "(", "1", ")", "brackets");
    nested("claim ", "(a and ", "b", ")", "brackets around 'and'");
    nested("claim ", "(a or b < ", "c", ")", "brackets around 'or' and comparisons");
    nested("claim ", "(not a + b*", "c", ")", "brackets around 'not', sums and products");
    nested("H = ", "[", "1", "]", "lists");
    nested("H = ", "f(", "1", ")", "calls");
    nested("H = ", "-", "1", "", "signs");
    nested("H = ", "1^", "1", "", "powers");
    nested("H = x", "'", "", "", "primes");
    nested("H = x", "[1]", "", "", "indices");
    nested("H = ", "a[", "1", "]", "indices in indices");
    nested("H = x", ".a", "", "", "members");
    nested("run method = a", "(a", "", ")", "methods");
}

/* As long as a text may be, and made of one thing: linear time is what lets these end. */
static void long_texts(void)
{
    static const struct {
        const char *before, *unit, *after;
    } texts[] = {
        { "H = ", "1+", "1" },
        { "H = ", "-", "1" },
        { "H = ", "(", "" },
        { "", "H = (\n", "" },
        { "", "x\n", "" },
        { "", "x=\n", "" },
        { "", "claim a\n", "" },
        { "", "claim a[b=\n", "" },
        { "H = x", "'", "" },
        { "", "y'=(\n", "" },
        { "", "y'=1+\n", "" },
        { "", "run a,\n", "" },
        { "", "\n", "" },
        { "", "#\n", "" },
        { "H = 0.", "1", "" },
        { "H = 1e", "1", "" },
        { "param a=1.", ",a=1", "" },
        { "param a=1", ",a=1", "" },
        { "title \"", "a", "" },
        { "",
          "H=1\n"
          "against\n",
          "" },
        { "", "[({\n", "" },
        { "claim ", "a<", "a" },
        { "H = [1", ",1", "]" },
        { "", "param a=(1,\n", "" },
        { "use a", "-a", "" },
        { "a=(\n", "b[1+1]\n", "" },
        { "run method = a(b", ",b", ")" },
        { "let f(a", ",a", ") = 1" },
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t room = LBR_LONGEST_TEXT - strlen(texts[i].before) - strlen(texts[i].after);
        char *text = repeat(texts[i].before, texts[i].unit, room / strlen(texts[i].unit), texts[i].after, 2 << 20);
        parsed a;

        parse(&a, text);
        ok(a.status != LBR_ENOMEM && lbr_file_report(&a.file, &a.arena), "1 MiB of text %zu: %d statements, %d errors",
           i, a.file.nstatements, a.file.nerrors);
        forget(&a), free(text);
    }
}

/* --- texts with accidents ---------------------------------------------------------------------------------------- */

static unsigned long long seed = 1;
static size_t draw(size_t n)
{
    return (size_t)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 33) % n;
}

/* One change; the text has room for 64 bytes more. */
static size_t change(char *s, size_t n)
{
    static const char *const bits[] = { "(",  ")",  "[", "]",  "{", "}", ",",  ":",    "=",        "..",       "'",
                                        "^T", "\"", "#", "\n", " ", "-", "1.", "and ", "against ", "\xc3\xa9", "\x01" };
    size_t i = draw(n + 1), m = 1 + draw(12);
    const char *bit = bits[draw(COUNT(bits))];

    if (m > n - i) m = n - i;
    switch (draw(4)) {
    case 0: memmove(s + i, s + i + m, n - i - m); return n - m;
    case 1: memmove(s + i + m, s + i, n - i); return n + m;
    case 2:
        for (size_t j = 0; j < m / 2; j++) {
            char c = s[i + j];
            s[i + j] = s[i + m - 1 - j], s[i + m - 1 - j] = c;
        }
        return n;
    default:
        m = strlen(bit);
        memmove(s + i + m, s + i, n - i), memcpy(s + i, bit, m);
        return n + m;
    }
}

static void accidents(void)
{
    static model m[200];
    static char text[(1 << 16) + 1024];
    int n = read_models(m, 200, ""), good = 0, wrong = 0, all = 20000;

    n += read_models(m + n, 200 - n, "experiments/");
    for (int i = 0; n > 0 && i < all; i++) {
        const model *of = &m[draw((size_t)n)];
        size_t size = of->size;
        parsed a;

        memcpy(text, of->text, size);
        for (size_t k = 1 + draw(6); k > 0; k--) size = change(text, size);
        parse_bytes(&a, text, size);
        if (walk(&a.file, a.status) && lbr_file_report(&a.file, &a.arena)) good++;
        else if (++wrong < 4) printf("# status %d\n# %.*s\n", a.status, (int)size, text);
        forget(&a);
    }
    free_models(m, n);
    ok(good == all, "%d of %d texts with accidents are taken well", good, all);
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* A text that needs many blocks: every one of them is refused in turn, the report's too. */
static void refusals(const char *what, const char *before, const char *unit, size_t count, const char *after)
{
    char *text = repeat(before, unit, count, after, 1 << 20);
    lbr_status expected;
    int good = 1;
    long n = 0;
    parsed a;

    parse(&a, text), expected = a.status, forget(&a);
    do {
        heap.calls = 0, heap.refuse = ++n;
        parse(&a, text);
        if (a.status != LBR_ENOMEM && !lbr_file_report(&a.file, &a.arena)) a.status = LBR_ENOMEM;
        good &= a.status == (heap.calls < n ? expected : LBR_ENOMEM);
        heap.refuse = 0;
        forget(&a);
    } while (heap.calls >= n && good && n < 1000);
    ok(good && n > 2, "%s: each of %ld blocks may be missing", what, n - 1);
    free(text);
}

int main(void)
{
    refused();
    bad_models();
    recovery();
    skipping();
    odd_bytes();
    many();
    reports();
    limits();
    long_texts();
    accidents();
    if (!heap_wrapped()) ok(1, "failing allocations # SKIP not linked for it");
    else {
        refusals("a sum", "H = ", "a*b + ", 5000, "c");
        refusals("statements", "",
                 "let f(x) = x, g[i = 1..3] = read(\"abc\")\n"
                 "run method = a(b, c-d:2), step = 3\n",
                 500, "");
        refusals("errors", "", "param a = 1., b = 2\n", 200, "");
    }
    return tap_done();
}
