/* test_run_input.c - libration run of a model that is wrong, hostile or oddly named: the exit status, a sentence,
 * nothing executed. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define RUN      "run method = stormer-verlet, step = 0.1, time = 1\n"
#define RK       "run method = rk4, step = 0.1, time = 1\n"
#define PENDULUM "canonical q, p\nH = p^2/2 - cos(q)\nstart q = 1.5, p = 0\n" RUN

/* --- models ------------------------------------------------------------------------------------------------------ */

typedef struct wrong {
    const char *text, *arguments;
    int code;
    const char *words;
} wrong;

/* A line and a caret belong to what is wrong with a text; wrong.lbr:LINE: is where. */
static const wrong models[] = {
    { "", "", 2, "wrong.lbr:1:|no variables" },
    { "title \"x\"\nparam a = 1\n", "", 2, "no variables" },
    { "canonical q, p\nstart q = 1\n" RUN, "", 2, "no dynamics|H, L or parts" },
    { "state y\nstart y = 1\n" RK, "", 2, "no dynamics|rates" },
    { "state y[2]\ny[1]' = 1\nstart y = 1\n" RK, "", 2, "no rate for y[2]" },
    { "canonical q, p\nH = p^2/2\nH = q^2/2\n" RUN, "", 2, "wrong.lbr:3:|second Hamiltonian|line 2" },
    { "canonical q, p\nH = p^2/2\npart a = q^2/2\n" RUN, "", 2, "wrong.lbr:3:|exclude each other" },
    { "canonical q, p\nH = p^2/2\nq' = p\n" RUN, "", 2, "wrong.lbr:3:" },
    { "state M[2,3]\nM[1]' = [1, 1, 1]\nM[2,1]' = 1\nM[2,2]' = 1\nstart M = 1\n" RK, "", 2, "no rate for M[2,3]" },
    { "state y\ny' = 1\ny' = 2\n" RK, "", 2, "two rates for y" },
    { "canonical q, q\nH = q^2/2\n" RUN, "", 2, "wrong.lbr:1:14|'q' is declared already" },
    { "param a = 1, a = 2\ncanonical q, p\nH = p^2/2\n" RUN, "", 2, "wrong.lbr:1:14|declared already" },
    { "canonical q[2], p[3]\nH = sq(p)/2\n" RUN, "", 2, "wrong.lbr:1:|shape" },
    { "state y\ny' = [1, 2]\n" RK, "", 2, "wrong.lbr:2:6|[2]|shapes" },
    { "canonical q[2], p[2]\nH = p/2\n" RUN, "", 2, "wrong.lbr:2:|[2]" },
    { "canonical q[2], p[2]\nH = p*p/2\n" RUN, "", 2, "wrong.lbr:2:6|dot|cross|^T" },
    { "canonical q[2], p[2]\nH = sq(p)/2 + q\n" RUN, "", 2, "wrong.lbr:2:13|[2]" },
    { "canonical q[2], p[2]\nH = sq(p)/2 + q[3]\n" RUN, "", 2, "wrong.lbr:2:17|3|1..2" },
    { "param n = 3\n"
      "canonical q[n], p[n]\n"
      "H = sq(p)/2 + sum(i = 1..n, (q[i+1] - q[i])^2)\n" RUN,
      "", 2, "wrong.lbr:3:|4|1..3" },
    { "canonical q, p\nH = p^2/2 - cso(q)\n" RUN, "", 2, "wrong.lbr:2:13|'cso'|'cos'|^" },
    { "canonical q, p\nH = p^2/2 - cos(q\n" RUN, "", 2, "wrong.lbr:2:16|never closed" },
    { "canonical q, p\nH = p^2/2 - 1/0\n" RUN, "", 2, "wrong.lbr:2:14|division by zero" },
    { "canonical q, p\nH = p^2/2\nstart q = sqrt(-1)\n" RUN, "", 2, "wrong.lbr:3:11|sqrt" },
    { "canonical q, p\n"
      "H = p^2/2 - 1/q\n"
      "start p = 1\n" RUN,
      "", 2, "at the start|inf" }, /* the field at t0 */
    { "canonical q, p\nH = p^2/2 + log(t)\nstart p = 1\n" RUN, "", 2, "H at the start|inf" },
    { "state y\n"
      "y' = -y\n"
      "invariant I = log(y)\n" RK,
      "", 2, "I at the start|inf" }, /* an invariant */
    { "state y\ny' = log(y)\n" RK, "--method|gauss:2", 2, "component y at the start|inf" },
    { "canonical q, p\nH = p^2/2\nrun method = stormer-verlet, step = 0.1\n", "", 2, "two are needed" },
    { "canonical q, p\nH = p^2/2\nrun step = 0.1, time = 1\n", "", 2, "no method|--method" },
    { "canonical q, p\n"
      "H = p^2/2\n"
      "run method = stormer-verlot, step = 0.1, time = 1\n",
      "", 2, "'stormer-verlot'|'stormer-verlet'" },
    { "state y\ny' = -y\nstart y = 1\n" RUN, "", 2, "positions and momenta|rk4" },
    { "canonical q, p\nH = p^2/2\n" RUN, "--method|split(strang,A,B)", 2, "parts" },
    { "canonical q, p\nH = p^2/2\n" RUN, "--method|rk4(1)", 2, "takes no arguments" },
    { "canonical q, p\nH = p^2/2\n" RUN, "--method|rk4 and more", 2,
      "--method:1:5: |found 'and'|    rk4 and more\n        ^" },
    { "canonical q, p\nH = p^2/2\n" RUN, "--method|gauss:k", 2, "--method:1:7: |'k'" },
    { "canonical q[2], p[2]\nH = sq(p)/2\nstart q = [1, 2], p = [sqrt(3 - 2*q[1]), 0]\n" RUN, "--set|q=2", 2,
      "wrong.lbr:3:23: |'p'" }, /* it is said of the file, though q is given elsewhere */
    { "canonical q, p\nH = p^2/2\n" RUN, "--method|rk4, step = 2", 2, "not a method expression" },
    { "use nothing-like-that\n", "", 2, "wrong.lbr:1:5|gallery" },
    { "use keplr\n", "", 2, "'kepler'" },
    { "use \"absent.lbr\"\n", "", 2, "absent.lbr" },
    { "use \"wrong.lbr\"\n", "", 2, "cyclic" },
    { "use \"/dev/zero\"\n", "", 2, "regular file" },
    { "use kepler\n"
      "use pendulum\n",
      "", 2, "wrong.lbr:2:1|once" },
};

static void check(const wrong *w)
{
    char arguments[512];
    int code;

    spit("wrong.lbr", w->text);
    snprintf(arguments, sizeof arguments, "run|wrong.lbr%s%s", *w->arguments ? "|" : "", w->arguments);
    code = tool(arguments);
    ok(code == w->code && !*out && says(w->words), "%s", told);
    if (code != w->code) printf("# status %d of: %s\n", code, w->text);
}

/* --- numbers that are lost on the way: status 3, and where ------------------------------------------------------- */

static void lost(void)
{
    static const struct {
        const char *text, *method, *component;
        double step;
    } row[] = { { "canonical q, p\n"
                  "H = p^2/2 + sqrt(q)\n"
                  "start q = 1\n",
                  "stormer-verlet", "p", 19 },
                { "canonical q, p\n"
                  "H = p^2/2 + sqrt(q)\n"
                  "start q = 1\n",
                  "gauss:2", "H", 19 },
                { "canonical q, p\n"
                  "H = p^2/2 + sqrt(q)\n"
                  "start q = 1\n",
                  "kahan-li-8-17", NULL, 19 },
                { "state y\n"
                  "y' = y^2\n"
                  "start y = 1\n",
                  "rk4", "y", 0 },
                { "state y\n"
                  "y' = y^2\n"
                  "start y = 1\n",
                  "midpoint", "y", 9 },
                { "state y[2], z\n"
                  "y' = [0, 0]\n"
                  "z' = 1/(1 - t)^2\n"
                  "start y = 1\n",
                  "explicit-euler", "z", 11 },
                { "state y\ny' = 1\nobserve o = log(-y)\ninvariant I = log(1 - t)\n", "rk4", "I", 10 } };

    for (int i = 0; i < COUNT(row); i++) {
        char text[512];
        double step;

        snprintf(text, sizeof text, "%srun method = %s, step = 0.1, time = 10\n", row[i].text, row[i].method);
        spit("lost.lbr", text);
        remove("lost.csv");
        ok(tool("run|lost.lbr|--json|--out|lost.csv") == 3 && is_json(), "%s: %s", row[i].method, told);
        step = number("failure.step");
        ok((!row[i].step || step == row[i].step) &&
               (!row[i].component || is_text("failure.component", row[i].component)) && number("steps") <= step &&
               lines("lost.csv") >= number("steps"),
           "says step %g and the component, and keeps what was before", step);
        ok(strstr(err, "step ") && tool("run|lost.lbr") == 3 && strstr(out, row[i].method), "the table is there, too");
    }
}

/* --- --set ------------------------------------------------------------------------------------------------------- */

#define SET                                                                     \
    "param n = 3, g = 1, l = 2*g, m[i = 1..n] = i, I = [1, 2, 3], solver = 4\n" \
    "canonical q[n], p[n]\n"                                                    \
    "let k = 3\n"                                                               \
    "H = sum(i = 1..n, p[i]^2/(2*m[i]) - g*l*cos(q[i]))\n"                      \
    "observe a = g, b = l, c = sum(i = 1..n, m[i]), d = I, e = solver\nstart q = 1.5\n" RUN

/* What a --set makes of the observed quantities; NULL: it is refused. */
static void sets(void)
{
    static const struct {
        const char *set, *words;
    } row[] = { { "g=2", "2,4,6,1,2,3,4\n" },
                { "l=3", "1,3,6,1,2,3,4\n" },
                { "g=2*g+l", "4,8,6,1,2,3,4\n" },
                { "g = 4", "4,8,6,1,2,3,4\n" },
                { "g=-1e-3", "-0.001,-0.002,6,1,2,3,4\n" },
                { "I=[1,2,4]", "1,2,6,1,2,4,4\n" },
                { "I=2*I", "1,2,6,2,4,6,4\n" },
                { "m=[1,1,1]", "1,2,3,1,2,3,4\n" },
                { "n=4", "1,2,10,1,2,3,4\n" },
                { "n=1", "1,2,1,1,2,3,4\n" },
                { "g=l|--set|l=g", "2,1,6,1,2,3,4\n" },
                { "g=2|--set|g=3", "3,6,6,1,2,3,4\n" },
                { "solver=5", "1,2,6,1,2,3,5\n" },
                { "q[2]=7", "1,2,6,1,2,3,4\n" },
                { "t=3", "1,2,6,1,2,3,4\n" } };
    static const struct {
        const char *set, *words;
    } bad[] = { { "gg=1", "'gg'|'g'" },
                { "G=1", "'G'|'g'" },
                { "nosuch=1", "'nosuch'" },
                { "sin=2", "no parameter" },
                { "k=2", "neither a parameter nor a variable" },
                { "H=3", "'H'" },
                { "pi=3", "'pi'" },
                { "step=3", "setting|--step" },
                { "monitor=off", "setting|--monitor" },
                { "g", "NAME=VALUE" },
                { "=3", "NAME=VALUE" },
                { "g=", "expected a value" },
                { "g=1+", "after '+'" },
                { "g=1 2", "--set g:1:5: |found '2'|    g=1 2\n        ^" },
                { "g=1,l=2", "NAME=VALUE" },
                { "g=nope", "--set g:1:3: |'nope'" },
                { "g=q", "constant" },
                { "g=t", "time" },
                { "g=1/0", "division by zero" },
                { "g=sqrt(-1)", "sqrt" },
                { "g=1e999", "too large" },
                { "g=nan", "'nan'" },
                { "g=0x10", "not a number" },
                { "g=1;touch oops", "';'" },
                { "g=1\n"
                  "l=5",
                  "l = " },
                { "g=\"a\"", "text" },
                { "g=(1", "never closed" },
                { "g=read(\"/etc/passwd\")", "words" },
                { "m[1]=7", "as a whole" },
                { "I=[1,[2]]", "" },
                { "p=[1,2]", "--set p:1:1: |3 components" },
                { "q[9]=1", "1..3" },
                { "q[1,1]=1", "too many" },
                { "t[1]=3", "time" },
                { "t'=3", "time" },
                { "n=2.5", "integer" },
                { "n=0", "1..10000000" },
                { "n=1e9", "limit" },
                { "m=1", "no components" } };
    char line[MOST], *last;

    spit("set.lbr", SET);
    for (int i = 0; i < COUNT(row); i++) {
        remove("set.csv");
        ok(toolf("run|set.lbr|--steps|1|--every|1|--out|set.csv|--set|%s", row[i].set) == 0, "--set %s%s", row[i].set,
           told);
        slurp("set.csv", line);
        last = strlen(line) > strlen(row[i].words) ? line + strlen(line) - strlen(row[i].words) : line;
        ok(!strcmp(last, row[i].words), "gives %.*s", (int)strcspn(row[i].words, "\n"), row[i].words);
    }
    for (int i = 0; i < COUNT(bad); i++) {
        int code = toolf("run|set.lbr|--steps|1|--set|%s", bad[i].set);

        ok(code == 2 && !*out && says(bad[i].words) && !strstr(err, "root:"), "%s", told);
    }
    ok(tool("run|set.lbr|--json|--set|q=[1,2,3]|--set|p[2]=5|--set|t=2|--steps|0") == 0 && number("state[0]") == 1 &&
           number("state[2]") == 3 && number("state[4]") == 5 && number("state[3]") == 0,
       "variables and the time are set, too");
    ok(number("t") == 2, "and so is the time");
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static void odd_files(void)
{
    static const struct {
        const char *file, *words;
    } row[] = { { "absent.lbr", "absent.lbr" },
                { "folder.lbr", "regular file" },
                { ".", "regular file" },
                { "/", "regular file" },
                { "fifo.lbr", "regular file" },
                { "/dev/zero", "regular file" },
                { "/dev/null", "regular file" },
                { "dangling.lbr", "dangling.lbr" },
                { "loop.lbr", "loop.lbr" },
                { "big.lbr", "1048576" },
                { "zero.lbr", "zero.lbr:1:12|zero byte" },
                { "latin.lbr", "latin.lbr:1:8|UTF-8" },
                { "mac.lbr", "carriage return" },
                { "empty.lbr", "no variables" },
                { "nothing", "gallery" },
                { "Kepler", "'kepler'" },
                { "absent.lbr/x", "" },
                { "", "FILE" },
                { "-x", "./-x" } };
    static const char *const good[] = { "bom.lbr",    "crlf.lbr", "link.lbr",     "noend.lbr",
                                        "nearly.lbr", "./.lbr",   "no suffix.txt" };
    FILE *f = fopen("big.lbr", "w"), *g = fopen("nearly.lbr", "w"), *z = fopen("zero.lbr", "w");

    for (int i = 0; i < 2 << 20; i++) putc('#', f);
    for (int i = 0; i < 1048576 - 1 - (int)strlen(PENDULUM); i++) putc('#', g);
    fputs("\n" PENDULUM, g), fwrite("canonical q\0, p\n", 1, 16, z);
    fclose(f), fclose(g), fclose(z);
    spit("latin.lbr", "title \"\xff\xfe\"\n" PENDULUM), spit("mac.lbr", "canonical q, p\rH = p^2\r"),
        spit("empty.lbr", ""), spit("bom.lbr", "\xef\xbb\xbf" PENDULUM);
    spit("crlf.lbr", "canonical q, p\r\n"
                     "H = p^2/2 - cos(q)\r\n"
                     "start q = 1.5, p = 0\r\n"
                     "run method = stormer-verlet, step = 0.1, time = 1\r\n");
    spit("noend.lbr", "use pendulum\nrun steps = 3"), spit("./.lbr", PENDULUM), spit("no suffix.txt", PENDULUM);
    if (mkdir("folder.lbr", 0700) || mkfifo("fifo.lbr", 0600) || symlink("nowhere", "dangling.lbr") ||
        symlink("loop.lbr", "loop.lbr") || symlink("bom.lbr", "link.lbr"))
        printf("# files are missing\n");
    for (int i = 0; i < COUNT(row); i++) {
        double began = seconds();
        int code = toolf("run|%s", row[i].file);

        ok(code == 2 && !*out && says(row[i].words) && seconds() - began < 10, "%s: %s", row[i].file, told);
    }
    for (int i = 0; i < COUNT(good); i++)
        ok(toolf("run|%s|--json", good[i]) == 0 && number("steps") > 0, "%s%s", good[i], told);
}

static void noise(void)
{
    unsigned seed = 12345;
    int good = 1;

    for (int i = 0; i < 20 && good; i++) { /* bytes at random, and the pendulum with some of them */
        FILE *f = fopen("noise.lbr", "w");
        const char *c = PENDULUM;
        int code;

        for (int k = 0; k < (i % 2 ? 3000 : (int)strlen(c)); k++) {
            seed = seed * 1103515245u + 12345u;
            putc(i % 2 || seed >> 16 & 15 ? i % 2 ? (int)(seed >> 16 & 255) : c[k] : (int)(seed >> 20 & 127), f);
        }
        fclose(f);
        code = tool("run|noise.lbr|--steps|2");
        good = code == 2 || code == 0 || code == 3;
        if (!good) printf("# status %d: %s\n", code, err);
    }
    ok(good && !there("oops"), "noise, and noise in a model, are refused in words");
}

/* Names of files reach no shell, and are in the JSON as they are. */
static void odd_names(void)
{
    static const struct {
        const char *name, *model;
    } row[] = { { "a b.lbr", "a b" },
                { "it's.lbr", "it's" },
                { "q\"uote.lbr", "q\\\"uote" },
                { "$(touch oops).lbr", "$(touch oops)" },
                { "`touch oops`.lbr", "`touch oops`" },
                { "<script>.lbr", "<script>" },
                { "back\\slash.lbr", "back\\\\slash" },
                { "\xc3\xbcml.lbr", "\xc3\xbcml" },
                { "a;touch oops;.lbr", "a;touch oops;" },
                { "new\n"
                  "line.lbr",
                  "new\\u000aline" },
                { "-dash.lbr", "-dash" },
                { "%s%n.lbr", "%s%n" } };
    int plots = !system("command -v gnuplot >/dev/null");

    for (int i = 0; i < COUNT(row); i++) {
        int lined = strchr(row[i].name, '\n') != NULL;

        spit(row[i].name, PENDULUM);
        ok(toolf("run|./%s|--json|--out|./%s.csv", row[i].name, row[i].name) == 0 && is_json() &&
               is_text("model", row[i].model),
           "a model in %s%s", row[i].model, told);
        ok(toolf("run|./%s|--checkpoint|./%s.save|--steps|3", row[i].name, row[i].name) == (lined ? 2 : 0) &&
               toolf("run|./%s|--out|./%s.h5", row[i].name, row[i].name) == 0,
           "its other files%s", told);
        if (plots) ok(toolf("run|./%s|--plot|./%s.svg", row[i].name, row[i].name) == 0, "its picture%s", told);
    }
    ok(tool("run|--json|--|-dash.lbr") == 0 && tool("run|-dash.lbr") == 2 && says("./-dash.lbr"),
       "a leading dash: behind --, or with ./");
    ok(!there("oops"), "and no shell has seen any of them");
}

/* Every < begins a tag, every & an entity, and tags are closed in order: what XML asks for. */
static int well_formed(const char *s)
{
    char open[64][32];
    int depth = 0;

    for (; *s; s++) {
        if (!strncmp(s, "]]>", 3)) return 0;
        if (*s == '&' && strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) &&
            strncmp(s, "&quot;", 6) && strncmp(s, "&apos;", 6) && strncmp(s, "&#", 2))
            return 0;
        if (*s != '<') continue;
        if (s[1] == '?' || s[1] == '!') {
            if (!(s = strchr(s, '>'))) return 0;
            continue;
        }
        if (s[1] == '/') {
            size_t n = depth ? strlen(open[depth - 1]) : 0;

            if (!depth-- || strncmp(s + 2, open[depth], n) || !strchr("> \n", s[2 + n])) return 0;
        } else {
            size_t n = strcspn(s + 1, " \t\n/>");

            if (!n || n > 31 || depth == 64 || !isalpha((unsigned char)s[1])) return 0;
            snprintf(open[depth++], 32, "%.*s", (int)n, s + 1);
        }
        for (char q = 0; *s && (q || *s != '>'); s++)
            if (q ? *s == q : *s == '"' || *s == '\'') q = q ? 0 : *s;
        if (!*s) return 0;
        if (s[-1] == '/') depth--;
    }
    return depth == 0;
}

/* A title is shown as it is written, wherever it goes. */
static void titles(void)
{
    static const struct {
        const char *written, *shown, *drawn;
    } row[] = { { "a\\\"b'c 'd' ''e'' '''", "a\"b'c 'd' ''e'' '''", "a\"b'c 'd' ''e'' '''" },
                { "`touch oops` $(touch oops)", "`touch oops` $(touch oops)", "`touch oops` $(touch oops)" },
                { "<script>alert(1)</script> &amp; <b", "<script>alert(1)</script> &amp; <b", "&lt;script" },
                { "\\\\n \\\\033[31m %s %n @x {y} _z ^w ~a", "\\n \\033[31m %s %n @x {y} _z ^w ~a",
                  "\\n \\033[31m %s %n @x {y} _z ^w ~a" },
                { "]]> --> <!-- ; system('touch oops') #", "]]> --> <!-- ; system('touch oops') #", "]]&gt;" },
                { "'; !touch oops; '", "'; !touch oops; '", "'; !touch oops; '" },
                { "\xc3\xa9nergie \xce\xb1\xce\xb2 \xf0\x9f\x8c\x99",
                  "\xc3\xa9nergie \xce\xb1\xce\xb2 \xf0\x9f\x8c\x99", "\xc3\xa9nergie" } };
    int plots = !system("command -v gnuplot >/dev/null");
    static char text[MOST];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(text, sizeof text, "title \"%s\"\n" PENDULUM, row[i].written), spit("title.lbr", text);
        ok(tool("run|title.lbr") == 0 && !strncmp(out, row[i].shown, strlen(row[i].shown)), "the title %s",
           row[i].shown);
        if (!plots) continue;
        ok(tool("run|title.lbr|--plot|title.svg|--force") == 0 && well_formed(slurp("title.svg", text)) &&
               strstr(text, row[i].drawn),
           "and in a picture%s", told);
    }
    ok(!well_formed("<a><b></a></b>") && !well_formed("<a>&nbsp</a>") && !well_formed("<a>]]></a>") &&
           well_formed("<a x='<'><b/>&lt;</a>"),
       "the reader of XML tells right from wrong");
    spit("odd.lbr", "canonical q, p\n"
                    "H = p^2/2 - cos(q)\n"
                    "observe say_x = q\n"
                    "start q = 1\n" RUN "run x_1: steps = 3\n"
                    "run _: steps = 2\n");
    ok(tool("run|odd.lbr") == 2, "names of runs are names: %s", told);
    ok(!there("oops"), "and nothing was executed");
}

/* --- where files cannot be written ------------------------------------------------------------------------------- */

static void unwritable(void)
{
    static const struct {
        const char *arguments, *words;
    } row[] = { { "--out|no/x.csv", "no/x.csv" },
                { "--out|folder.csv", "folder" },
                { "--out|folder.csv|--force", "folder" },
                { "--out|x.txt", ".csv" },
                { "--out|x", ".csv" },
                { "--out|", "--out" },
                { "--out|kept.csv", "kept.csv" },
                { "--out|link.csv", "link.csv" },
                { "--checkpoint|no/x", "no/x" },
                { "--checkpoint|folder.csv", "folder" },
                { "--checkpoint|kept.csv", "kept.csv" },
                { "--checkpoint|x.csv|--out|x.csv", "one file|x.csv" },
                { "--plot|no/x.svg", "no/x.svg" },
                { "--plot|x.jpg", ".svg" },
                { "--plot|kept.svg", "kept.svg" },
                { "--keep-script", "--plot" },
                { "--resume|absent", "absent" },
                { "--resume|kept.csv", "checkpoint" },
                { "--resume|/dev/zero", "regular" },
                { "--resume|folder.csv", "regular" },
                { "--resume|fifo.lbr", "regular" },
                { "--start|absent", "absent" },
                { "--start|/dev/zero", "regular" },
                { "--start|kept.csv", "kept.csv" },
                { "--out|new.csv|--method|nothing", "nothing" },
                { "--out|new.csv|--set|x=1", "x" },
                { "--out|new.csv|--start|kept.csv", "kept.csv" },
                { "--out|new.csv|--checkpoint|no/x", "no/x" } };
    static char text[MOST];
    int user = !geteuid();

    spit("good.lbr", PENDULUM), spit("kept.csv", "precious\n"), spit("kept.svg", "precious\n");
    mkdir("folder.csv", 0700);
    ok(!symlink("target.csv", "link.csv"), "a link to nowhere");
    for (int i = 0; i < COUNT(row); i++)
        ok(toolf("run|good.lbr|%s", row[i].arguments) == 2 && !*out && says(row[i].words), "%s: %s", row[i].arguments,
           told);
    ok(!strcmp(slurp("kept.csv", text), "precious\n") && !strcmp(slurp("kept.svg", text), "precious\n") &&
           !there("target.csv") && !there("new.csv"),
       "nothing was lost, and nothing made that is of no use");
    ok(tool("run|good.lbr|--out|link.csv|--force") == 0 && !there("target.csv") && lines("link.csv") == 12,
       "--force replaces a link, and does not follow it");
    mkdir("shut", 0500);
    if (user) ok(1, "a folder that is read-only # SKIP root writes everywhere");
    else
        ok(tool("run|good.lbr|--out|shut/x.csv") == 2 && tool("run|good.lbr|--checkpoint|shut/x") == 2,
           "a folder that is read-only: %s", told);
}

static void all(void)
{
    for (int i = 0; i < COUNT(models); i++) check(models + i);
    lost(), sets(), odd_files(), noise(), odd_names(), titles(), unwritable();
}

int main(void) { return with_tool(all); }
