/* compilers.h - the tool with compilers that are scripts, and a cache of its own; for tests.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_COMPILERS_H
#define TEST_COMPILERS_H
#include "tool.h"

#include <dirent.h>

/* --- surroundings: cache, tmp; compilers that are scripts -------------------------------------------------------- */

static char here[512], usual[4096]; /* where we are; the cache of all tests */

UNUSED static const char *in(const char *name)
{
    static char full[4][600];
    static int k;

    return k = (k + 1) % 4, snprintf(full[k], sizeof full[k], "%s/%s", here, name), full[k];
}

__attribute__((format(printf, 1, 2), unused)) static void shell(const char *format, ...)
{
    char line[2000];
    va_list ap;

    va_start(ap, format), vsnprintf(line, sizeof line, format, ap), va_end(ap);
    fflush(stdout);
    if (system(line)) printf("Bail out! %s\n", line), exit(1);
}

UNUSED static int names(const char *folder, const char *end)
{
    DIR *d = opendir(folder);
    int n = 0;

    for (const struct dirent *e; d && (e = readdir(d));) {
        size_t k = strlen(e->d_name), m = strlen(end);

        n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && k >= m && !strcmp(e->d_name + k - m, end);
    }
    if (d) closedir(d);
    return n;
}

UNUSED static int kernels(void) { return names("cache", ".so"); }
UNUSED static int litter(void) { return names("tmp", "") + names("cache", ".new"); }

/* An empty cache of our own; or that of all tests, where what is compiled does not matter. */
UNUSED static void new_cache(void)
{
    shell("chmod -R u+rwx cache 2>/dev/null; rm -rf cache"), setenv("LIBRATION_CACHE", in("cache"), 1);
}
UNUSED static void usual_cache(void) { setenv("LIBRATION_CACHE", usual, 1); }

/* A script that is the compiler from now on: it counts its calls and keeps the last source; compile does what a
 * compiler does. */
UNUSED static void compiler(const char *script)
{
    const char *cc = getenv("CC");
    char text[2000];

    snprintf(text, sizeof text,
             "#!/bin/sh\n"
             "cd '%s'; echo \"$*\" >>calls\n"
             "prev=; out=; for a; do case $a in *.c) cp \"$a\" kept.c 2>/dev/null;; esac; if [ \"$prev\" = -o ]; then "
             "out=$a; fi; prev=$a; done\n"
             "compile() { '%s' \"$@\"; }\n%s\n",
             here, cc && *cc ? cc : "cc", script);
    remove("compiler"), spit("compiler", text), chmod("compiler", 0755);
    setenv("LIBRATION_CC", in("compiler"), 1), remove("calls");
}

UNUSED static int calls(void)
{
    int n = lines("calls");
    return remove("calls"), n;
}
UNUSED static void good_compiler(void) { compiler("compile \"$@\""); }

static char expected[4000], got[4000];

/* What must not depend on who evaluates: the JSON between two keys. */
UNUSED static const char *part(const char *from, const char *to, char *text)
{
    const char *a = strstr(out, from), *b = a ? strstr(a, to) : NULL;

    snprintf(text, 4000, "%.*s", b ? (int)(b - a) : 0, b ? a : "");
    return text;
}

UNUSED static int same(void) { return *part("\"t\":", "\"failure\"", got) && !strcmp(got, expected); }

/* The interpreter's answer for m.lbr, which all others must give. */
UNUSED static void model(const char *text)
{
    spit("m.lbr", text);
    ok(tool("run|m.lbr|--json|--no-compile") == 0 && !*err && is_text("kernel", "interpreter") &&
           number("compile_seconds") == 0 && *part("\"t\":", "\"failure\"", expected),
       "the interpreter's answer, without a word");
}

/* One sentence with these parts, or none (""). */
UNUSED static int sentence(const char *parts)
{
    if (!*parts) return !*err;
    return !strchr(err, '\n') && !strncmp(err, "libration: note: ", 17) && says(parts);
}

UNUSED static int goes_on(int code, const char *kernel, const char *parts)
{
    return code == 0 && is_json() && is_text("kernel", kernel) && same() && sentence(parts) && !litter();
}

/* Folders for all of this; 0: there is no compiler, and the test says so. */
UNUSED static int with_compiler(void)
{
    const char *cache = getenv("LIBRATION_CACHE");

    if (!getcwd(here, sizeof here)) exit(1);
    snprintf(usual, sizeof usual, "%s", cache && *cache ? cache : in("usual"));
    mkdir("tmp", 0700), setenv("TMPDIR", in("tmp"), 1), unsetenv("LIBRATION_CC_SECONDS");
    return !system("${CC:-cc} --version >/dev/null 2>&1") || (ok(1, "machine code # skip there is no compiler"), 0);
}
#endif
