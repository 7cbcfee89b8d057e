/* test_run_hostile.c - what surrounds the tool means it ill: compilers, folders of programs and of files, texts.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#define PENDULUM                                                                                               \
    "#include <libration.h>\n"                                                                                 \
    "#include <math.h>\n"                                                                                      \
    "static int force(double t, const double *q, double *f, void *ctx) { *f = -sin(*q); return 0; }\n"         \
    "static const double one = 1, start[] = { 1.5, 0 };\n"                                                     \
    "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.1, 1000 };\n"     \
    "int lbr_model(lbr_system *out)\n"                                                                         \
    "{\n"                                                                                                      \
    "    *out = LBR_SYSTEM(.dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .defaults = &defaults);\n" \
    "    return 0;\n"                                                                                          \
    "}\n"

static char here[1000];

/* The tool for at most so many seconds: its status, or -SIGKILL. */
static int within(const char *arguments, double most)
{
    pid_t child = begin(arguments, 0);
    double until = seconds() + most;
    siginfo_t info = { 0 };

    while (!waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid && seconds() < until)
        rest(0.01);
    if (!info.si_pid) kill(child, SIGKILL);
    return end(child);
}

static void program(const char *file, const char *text) { spit(file, text), chmod(file, 0700); }

/* --- compilers that leave pipes ---------------------------------------------------------------------------------- */

static void pipes(void)
{
    static const struct {
        const char *text, *name;
    } row[] = {
        { "#!/bin/sh\n"
          "for a; do case $last in -o|-MF) rm -f \"$a\"; mkfifo \"$a\";; esac; last=$a; done\n",
          "in the place of what they make" },
        { "#!/bin/sh\n"
          "for a; do case $last in -o) rm -f \"${a%/*}/said\"; mkfifo \"${a%/*}/said\";; esac; last=$a; done\n"
          "exec cc \"$@\"\n",
          "in the place of what they say" },
        { "#!/bin/sh\n"
          "for a; do case $last in -o) rm -f \"${a%/*}/said\"; mkfifo \"${a%/*}/said\";; esac; last=$a; done\n"
          "exit 1\n",
          "and fail" },
        { "#!/bin/sh\n"
          "for a; do case $a in *.so) rm -f \"$a\"; mkfifo \"$a\"; exit 0;; esac; done\n"
          "exec cc \"$@\"\n",
          "in the place of the object alone" },
    };

    for (int i = 0; i < COUNT(row); i++) {
        int c, model;

        program("pipes", row[i].text), setenv("LIBRATION_CC", "./pipes", 1);
        c = within("run|pendulum.c", 20), model = within("run|kepler|--steps|200000", 20);
        ok(c >= 0 && model == 0, "compilers that leave pipes %s: %d for a system in C, %d for a model; %s", row[i].name,
           c, model, told);
    }
    unsetenv("LIBRATION_CC");
}

/* --- PATH and TMPDIR --------------------------------------------------------------------------------------------- */

static void relative(void)
{
    static const char *const head[] = { ".:", "sub:", ":", "./:" };
    static const char *const names[] = { "cc", "gcc", "as", "ld", "gnuplot", "sub/cc", "sub/as" };
    char *before = strdup(getenv("PATH")), path_of[5000];
    int good = 1;

    mkdir("sub", 0700);
    for (int i = 0; i < COUNT(names); i++)
        snprintf(path_of, sizeof path_of,
                 "#!/bin/sh\n"
                 "touch '%s/called'\n"
                 "exit 1\n",
                 here),
            program(names[i], path_of);
    for (int i = 0; i < COUNT(head); i++) {
        snprintf(path_of, sizeof path_of, "%s%s", head[i], before), setenv("PATH", path_of, 1);
        spit("own.c", PENDULUM), spit("tool.err", "");
        good &= tool("run|own.c|--json") == 0 && !there("called") && tool("run|kepler|--steps|300|--set|e=0.3") == 0 &&
                !there("called");
        if (!good) printf("# PATH=%s...: %s\n", head[i], err);
    }
    ok(good, "folders of PATH that are not absolute are never used, nor by the compiler: %s", told);
    setenv("PATH", "sub", 1);
    ok(tool("run|own.c") == 2 && says("no compiler 'cc'") && !there("called"), "if there are no others: %s", told);
    setenv("PATH", before, 1), free(before);
    for (int i = 0; i < COUNT(names); i++) remove(names[i]);
}

static void temporary(void)
{
    static const char *const name[] = { "-x", "-odd folder", "sub", "" };
    char path_of[1100];

    mkdir("-x", 0700), mkdir("-odd folder", 0700);
    for (int i = 0; i < COUNT(name); i++) {
        setenv("TMPDIR", name[i], 1), remove("p.svg"), tool("cache|--clear");
        ok(tool("run|pendulum.c") == 0 && !*err && tool("run|kepler|--steps|400000|--json") == 0 &&
               !strstr(err, "note"),
           "TMPDIR is '%s': systems and models are compiled; %s", name[i], told);
    }
    ok(rmdir("-x") == 0 && rmdir("-odd folder") == 0, "and nothing is left there");
    snprintf(path_of, sizeof path_of, "%s/none", here), setenv("TMPDIR", path_of, 1), tool("cache|--clear");
    ok(tool("run|pendulum.c") == 4 && says("TMPDIR|/none"), "one that is not there: %s", told);
    unsetenv("TMPDIR");
}

/* --- texts that would steer a terminal --------------------------------------------------------------------------- */

#define EVIL             \
    "a\033[31mb\xc2\x9b" \
    "c\xe2\x80\xae"      \
    "d\xe2\x81\xa6"      \
    "e\xe2\x80\x8f"      \
    "f\xd8\x9cg\xef\xbb\xbfh\177i\rj\ak"
#define SHOWN "a\\u001b[31mb\\u009bc\\u202ed\\u2066e\\u200ff\\u061cg\\ufeffh\\u007fi\\u000dj\\u0007k"

/* Nothing of it that a terminal would obey. */
static int harmless(const char *text)
{
    static const char *const bad[] = { "\xc2\x9b",     "\xe2\x80\xae", "\xe2\x81\xa6",
                                       "\xe2\x80\x8f", "\xd8\x9c",     "\xef\xbb\xbf" };

    for (int i = 0; i < COUNT(bad); i++)
        if (strstr(text, bad[i])) return 0;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f) return 0;
    return 1;
}

static void texts(void)
{
    static const char *const row[] = { "run|" EVIL ".lbr",
                                       EVIL,
                                       "run|kepler|--" EVIL,
                                       "run|kepler|--set|" EVIL "=1",
                                       "run|kepler|--method|" EVIL,
                                       "methods|" EVIL,
                                       "check|" EVIL,
                                       "models|" EVIL,
                                       "run|kepler|--out|" EVIL "/x.csv",
                                       "run|kepler|--plot|" EVIL,
                                       "run|kepler|--resume|" EVIL,
                                       "run|kepler|--start|" EVIL,
                                       "reproduce|" EVIL,
                                       "compare|kepler|--methods|" EVIL,
                                       "run|kepler|--run|" EVIL };

    for (int i = 0; i < COUNT(row); i++) {
        int code = tool(row[i]);

        ok(code == 2 && *err && harmless(err) && harmless(out), "argument %d: %s", i, told);
        if (i == 0) ok(strstr(err, SHOWN) != NULL, "it is shown");
    }
    spit("evil.lbr", "title \"" EVIL "\"\n"
                     "canonical q, p\n"
                     "H = p^2/2 + q^2/2\n"
                     "start q = 1, p = 0\n"
                     "run method = rk4, step = 0.1, steps = 10\n"
                     "claim \"" EVIL "\": 1 < 2\n"
                     "plot \"" EVIL "\": q, p\n");
    tool("run|evil.lbr");
    ok(*err && harmless(err) && harmless(out), "in a file, where they are wrong: %s", told);
    spit("wrong.lbr", "canonical q, p\nH = p^2/2 + \xe2\x80\xae"
                      "q^2/2 # \xc2\x9b\n");
    ok(tool("run|wrong.lbr") == 2 && harmless(err) && strstr(err, "U+202E"), "a line that is shown with its mistake");
#define MARKS       \
    "a\xc2\x9b"     \
    "c\xe2\x80\xae" \
    "d\xc3\xb6"
    spit("title.lbr", "title \"" MARKS "\"\n"
                      "canonical q, p\n"
                      "H = p^2/2 + q^2/2\n"
                      "start q = 1, p = 0\n"
                      "run method = rk4, step = 0.1, steps = 10\n");
    ok(tool("run|title.lbr") == 0 && harmless(out) && strstr(out, "a\\u009bc\\u202ed\xc3\xb6\n"),
       "a title: what can be seen stays%s", told);
    ok(tool("compare|title.lbr|--methods|rk4,midpoint|--steps|10,20") == 0 && harmless(out) && strstr(out, "\\u202e"),
       "the same of a comparison%s", told);
    spit(MARKS ".lbr", "canonical q, p\n"
                       "H = p^2/2 + q^2/2\n"
                       "start q = 1, p = 0\n"
                       "run method = rk4, step = 0.1, steps = 10\n");
    ok(tool("run|" MARKS ".lbr|--json") == 0 && harmless(out) && is_json() &&
           is_text("model", "a\\u009bc\\u202ed\xc3\xb6"),
       "in JSON they are escapes%s", told);
    spit("raw.lbr", "title \"a\xff"
                    "b\"\nparam \xff = 1\n");
    tool("run|raw.lbr"), ok(harmless(err) && !strchr(err, '\xff'), "bytes that are no text: %s", told);
    ok(tool("run|"
            "a\xffz"
            ".lbr") == 2 &&
           strstr(err, "a\\xffz"),
       "nor are those of a name: %s", told);
    spit("noisy.c", "#warning \"" MARKS "\"\n" PENDULUM);
    ok(tool("run|noisy.c") == 0 && *err && harmless(err), "what a compiler says");
}

static void all(void)
{
    if (!getcwd(here, sizeof here)) return;
    spit("pendulum.c", PENDULUM), setenv("LIBRATION_CACHE", "cache", 1);
    pipes(), relative(), temporary(), texts();
}

int main(void) { return with_tool(all); }
