/* test_tool.c - the command line: exit statuses, sentences on stderr, JSON that is JSON with the keys that are promised. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST = 1 << 20 };
static char out[MOST], err[MOST];

static void slurp(const char *file, char *to)
{
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(to, 1, MOST - 1, f) : 0;

    to[n] = 0;
    if (f) fclose(f);
}

/* Runs the tool with these arguments; its exit status. stdout goes to `target`, or to where `out` is read from. */
static int tool_to(const char *arguments, const char *target)
{
    static const char *const files[] = { "tool.out", "tool.err" };
    const char *path = getenv("LIBRATION");
    char command[4096];
    int code;

    snprintf(command, sizeof command, "'%s' %s >%s 2>%s", path ? path : "libration", arguments, target ? target : files[0], files[1]);
    code = system(command);
    slurp(files[0], out), slurp(files[1], err);
    remove(files[0]), remove(files[1]);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

static int tool(const char *arguments) { return tool_to(arguments, NULL); }

/* --- a reader of JSON, strict enough ------------------------------------------------------------------------ */

static const char *value(const char *s);
static const char *blanks(const char *s) { while (*s && strchr(" \t\r\n", *s)) s++; return s; }

static const char *text(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++) {
        if (!*s || (unsigned char)*s < 0x20) return NULL;
        if (*s == '\\' && !*++s) return NULL;
    }
    return s + 1;
}

static const char *list(const char *s, char close, int keys)
{
    s = blanks(s + 1);
    if (*s == close) return s + 1;
    for (;; s = blanks(s + 1)) {
        if (keys && (!(s = text(s)) || *(s = blanks(s)) != ':')) return NULL;
        if (keys) s = blanks(s + 1);
        if (!(s = value(s))) return NULL;
        s = blanks(s);
        if (*s == close) return s + 1;
        if (*s != ',') return NULL;
    }
}

static const char *value(const char *s)
{
    static const char *const words[] = { "true", "false", "null" };
    char *end;

    if (*s == '{') return list(s, '}', 1);
    if (*s == '[') return list(s, ']', 0);
    if (*s == '"') return text(s);
    for (int i = 0; i < 3; i++) if (!strncmp(s, words[i], strlen(words[i]))) return s + strlen(words[i]);
    if (*s != '-' && !isdigit((unsigned char)*s)) return NULL;
    strtod(s, &end);
    return end;
}

static int is_json(const char *s)
{
    return (s = value(blanks(s))) && !*blanks(s);
}

static int has_keys(const char *s, const char *keys)
{
    char key[64], quoted[70];
    int n;

    for (; sscanf(keys, " %60s%n", key, &n) == 1; keys += n) {
        snprintf(quoted, sizeof quoted, "\"%s\":", key);
        if (!strstr(s, quoted)) return printf("# %s is missing\n", quoted), 0;
    }
    return 1;
}

static int count(const char *s, const char *what)
{
    int n = 0;

    for (; (s = strstr(s, what)); s++) n++;
    return n;
}

/* --- the commands ----------------------------------------------------------------------------------------------- */

static void general(void)
{
    ok(tool("--help") == 0 && strstr(out, "methods") && strstr(out, "check") && !*err, "--help tells the commands");
    ok(tool("--version") == 0 && isdigit((unsigned char)out[strlen("libration ")]), "--version: %.20s", out);
    ok(tool("") == 2 && strstr(err, "usage"), "without arguments: the usage on stderr, status 2");
    ok(tool("metods") == 2 && strstr(err, "methods"), "a misspelt command is named, and the near one");
    ok(tool("frobnicate") == 2 && strstr(err, "frobnicate") && strstr(err, "--help"), "an unknown command: status 2");
    ok(tool("methods --help") == 0 && strstr(out, "usage: libration methods"), "help of one command");
    ok(!is_json("{\"a\": 1,}") && !is_json("[1 2]") && is_json("{\"a\": [1, -2e3, null, \"x\\\"\"]}"), "the reader of JSON tells right from wrong");
}

static void methods(void)
{
    ok(tool("methods") == 0 && strstr(out, "kahan-li-8-17") && strstr(out, "gauss:1..16"), "the catalogue for people");
    ok(tool("methods --json") == 0 && is_json(out), "the catalogue as JSON");
    ok(has_keys(out, "name type family order order_quadratic_kinetic stages symmetric symplectic explicit digits needs source"), "with its keys");
    ok(count(out, "\"name\":") == 16 + 4 + 4 + 18 && count(out, "\"gauss:") == 16, "families member by member: %d entries", count(out, "\"name\":"));
    ok(tool("methods --order 8 --json") == 0 && count(out, "\"name\":") == 5 && count(out, "\"order\": 8") == 5, "--order picks");
    ok(tool("methods --symplectic --json") == 0 && !strstr(out, "\"rk4\"") && strstr(out, "\"midpoint\""), "--symplectic picks");
    ok(tool("methods --symmetric --json") == 0 && !strstr(out, "\"symplectic-euler\"") && strstr(out, "\"trapezoidal\""), "--symmetric picks");
    ok(tool("methods kahan-li-8-17 --json") == 0 && is_json(out) && has_keys(out, "coefficients gamma") && count(out, "0.13020248308889008087881763") == 2,
       "one method: all digits as text, the list expanded");
    ok(tool("methods gauss:2 --json") == 0 && is_json(out) && has_keys(out, "A b c"), "a tableau");
    ok(tool("methods p8s17") == 0 && strstr(out, "kahan-li-8-17:"), "an alias");
    ok(tool("methods 'compose(suzuki:4, midpoint)'") == 0 && strstr(out, "order       4"), "an expression");
    ok(tool("methods stormer-verlot") == 2 && strstr(err, "stormer-verlet"), "a misspelt name: the nearest one");
    ok(tool("methods gauss:17") == 2 && strstr(err, "gauss:16"), "out of range: the range");
    ok(tool("methods --order x") == 2 && tool("methods --order") == 2 && tool("methods a b") == 2 && tool("methods --frob") == 2, "bad usage: 2");
}

static void check(void)
{
    ok(tool("check --all") == 0 && !strstr(out, "FAILS") && strstr(out, ", 0 fail"), "all certificates hold");
    ok(tool("check --all --json") == 0 && is_json(out) && has_keys(out, "name property claimed found holds by detail") && !strstr(out, "\"holds\": false"), "as JSON");
    ok(tool("check kahan-li-8-17 --json") == 0 && is_json(out) && strstr(out, "word 1111113"), "one: the first condition that fails");
    ok(tool("check gauss:16") == 0 && strstr(out, "assumptions") && strstr(out, "B(33)"), "Gauss with 16 stages by assumptions");
    ok(tool("check 'compose(strang, rk4)' rk4") == 0 && strstr(out, "compose(strang, rk4)"), "expressions, and several");
    ok(tool("check") == 2 && tool("check --all rk4") == 2 && tool("check nothing") == 2 && tool("check --bad") == 2, "bad usage: 2");
}

static void machine(void)
{
    ok(tool_to("check --all", "/dev/full") == 4 && strstr(err, "could not be written"), "a full disk: status 4 and a sentence");
    ok(tool_to("methods --json", "/dev/full") == 4, "also for JSON");
}

int main(void)
{
    general();
    methods();
    check();
    machine();
    return tap_done();
}
