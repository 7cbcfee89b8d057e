/* tool.h - what tests of the tool share: calling it without a shell, its files, its JSON.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_TOOL_H
#define TEST_TOOL_H
#include "waiting.h"
#include "tap.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNUSED      __attribute__((unused))
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

enum { MOST = 1 << 20, ARGUMENTS = 60 };
static char out[MOST], err[MOST], path[4096], told[300]; /* told: the first line of err, for the names of tests */
static const char *out_file = "tool.out";                /* where its standard output goes */

/* --- files ------------------------------------------------------------------------------------------------------- */

UNUSED static const char *slurp(const char *file, char *to)
{
    FILE *f = fopen(file, "r");
    size_t n = f ? fread(to, 1, MOST - 1, f) : 0;

    to[n] = 0;
    if (f) fclose(f);
    return to;
}

UNUSED static void spit(const char *file, const char *text)
{
    FILE *f = fopen(file, "w");

    if (!f || fputs(text, f) < 0 || fclose(f)) printf("Bail out! %s cannot be written\n", file), exit(1);
}

UNUSED static int there(const char *file)
{
    struct stat s;
    return !lstat(file, &s);
}

UNUSED static int lines(const char *file)
{
    static char text[MOST];
    int n = 0;

    for (const char *c = slurp(file, text); *c; c++) n += *c == '\n';
    return n;
}

/* Whether two files are the same, byte for byte. */
UNUSED static int same_files(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    int c = 0, d = 0;

    while (f && g && (c = getc(f)) == (d = getc(g)) && c != EOF)
        ;
    if (f) fclose(f);
    if (g) fclose(g);
    return f && g && c == d;
}

/* --- the tool ---------------------------------------------------------------------------------------------------- */

static void to_file(const char *file, int fd)
{
    int f = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (f < 0 || dup2(f, fd) < 0) _exit(99);
}

/* The tool, without a shell: arguments are separated by '|', so that they may hold anything else; no text, no
 * arguments. most: bytes that a file may have, or 0. */
static pid_t begin(const char *arguments, rlim_t most)
{
    static char copy[8192];
    char *argv[ARGUMENTS] = { path, copy };
    int n = 1;
    pid_t child;

    snprintf(copy, sizeof copy, "%s", arguments);
    for (char *c = copy; *c && n < ARGUMENTS - 2; c++)
        if (*c == '|') *c = 0, argv[++n] = c + 1;
    argv[*arguments ? n + 1 : 1] = NULL;
    fflush(stdout);
    if ((child = fork())) return child;
    to_file(out_file, 1), to_file("tool.err", 2);
    if (most) setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, most });
    execv(path, argv);
    _exit(99);
}

/* Its exit status, or minus the signal that has ended it. */
static int end(pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    slurp(out_file, out), slurp("tool.err", err);
    if (*err) err[strlen(err) - 1] = 0;
    snprintf(told, sizeof told, "%.*s", (int)strcspn(err, "\n"), err);
    for (char *c = told; *c; c++)
        if (*c == '#') *c = '+'; /* TAP has a use for it */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int tool(const char *arguments) { return end(begin(arguments, 0)); }

/* The arguments as they are typed: between blanks, or between single quotes. */
UNUSED static int typed(const char *line)
{
    char arguments[8192];
    int n = 0, quoted = 0;

    for (; *line && n < (int)sizeof arguments - 1; line++)
        if (*line == '\'') quoted = !quoted;
        else arguments[n++] = (char)(*line == ' ' && !quoted ? '|' : *line);
    arguments[n] = 0;
    return tool(arguments);
}

__attribute__((format(printf, 1, 2), unused)) static int toolf(const char *format, ...)
{
    char arguments[8192];
    va_list ap;

    va_start(ap, format), vsnprintf(arguments, sizeof arguments, format, ap), va_end(ap);
    return tool(arguments);
}

/* Whether pictures can be drawn here; if not, says that they are left out. */
UNUSED static int have_gnuplot(void)
{
    static int have = -1;

    if (have < 0) have = !system("command -v gnuplot >/dev/null 2>&1");
    if (!have) ok(1, "pictures # SKIP gnuplot is not installed");
    return have;
}

/* Each of the parts (between bars) is in what was said on stderr, which is no single word. */
UNUSED static int says(const char *parts)
{
    char part[256];
    size_t n;

    if (!strchr(err, ' ')) return 0;
    for (; (n = strcspn(parts, "|")) > 0; parts += n + (parts[n] == '|')) {
        snprintf(part, sizeof part, "%.*s", (int)n, parts);
        if (!strstr(err, part)) return 0;
    }
    return 1;
}

/* How often a text has a part. */
UNUSED static int count(const char *text, const char *part)
{
    int n = 0;

    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

/* --- JSON on stdout: strict, and values by their place: "runs[1].energy.max_error" ------------------------------- */

static const char *json_value(const char *s);
static const char *blanks(const char *s)
{
    while (*s && strchr(" \t\r\n", *s)) s++;
    return s;
}

static const char *json_text(const char *s)
{
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20) return NULL;
        if (*s == '\\' && (!*++s || !strchr("\"\\/bfnrtu", *s))) return NULL;
    }
    return s + 1;
}

/* The next member behind a key (if there are keys); its value in *value. NULL: wrong, or (*end) the list is over. */
static const char *json_member(const char *s, int keys, const char **key, const char **value)
{
    *key = s = blanks(s);
    if (keys && (!(s = json_text(s)) || *(s = blanks(s)) != ':')) return NULL;
    *value = s = blanks(s + keys);
    return (s = json_value(s)) ? blanks(s) : NULL;
}

static const char *json_list(const char *s, char close)
{
    const char *key, *value;

    s = blanks(s + 1);
    if (*s == close) return s + 1;
    for (;; s++) {
        if (!(s = json_member(s, close == '}', &key, &value))) return NULL;
        if (*s == close) return s + 1;
        if (*s != ',') return NULL;
    }
}

static const char *json_value(const char *s)
{
    static const char *const words[] = { "true", "false", "null" };
    char *end_of;

    if (*s == '{' || *s == '[') return json_list(s, *s == '{' ? '}' : ']');
    if (*s == '"') return json_text(s);
    for (int i = 0; i < 3; i++)
        if (!strncmp(s, words[i], strlen(words[i]))) return s + strlen(words[i]);
    if (!isdigit((unsigned char)s[*s == '-'])) return NULL; /* neither nan nor inf */
    strtod(s, &end_of);
    return end_of;
}

static int is_json_text(const char *s) { return (s = json_value(blanks(s))) && !*blanks(s); }
UNUSED static int is_json(void) { return is_json_text(out); }

/* Whether each of these keys, between blanks, is somewhere in it. */
UNUSED static int has_keys(const char *keys)
{
    char key[64], quoted[70];
    int n;

    for (; sscanf(keys, " %60s%n", key, &n) == 1; keys += n) {
        snprintf(quoted, sizeof quoted, "\"%s\":", key);
        if (!strstr(out, quoted)) return printf("# %s is missing\n", quoted), 0;
    }
    return 1;
}

/* The value at a place, or NULL. */
UNUSED static const char *at(const char *place)
{
    const char *s = blanks(out), *key, *value = s;

    while (*place) {
        int index = -1, k = 0;
        size_t n = 0;

        if (*place == '[') index = (int)strtol(place + 1, (char **)&place, 10), place++;
        else n = strcspn(place += *place == '.', ".[");
        if (*s != (index < 0 ? '{' : '[') || *blanks(s + 1) == (index < 0 ? '}' : ']')) return NULL;
        for (s = blanks(s + 1);; s++, k++) {
            if (!(s = json_member(s, index < 0, &key, &value))) return NULL;
            if (index < 0 ? !strncmp(key + 1, place, n) && key[1 + n] == '"' : k == index) break;
            if (*s != ',') return NULL;
        }
        s = value, place += n;
    }
    return value;
}

/* How many members a list has; -1: it is none. */
UNUSED static int members(const char *place)
{
    char one[256];
    int n = 0;

    if (!at(place) || *at(place) != '[') return -1;
    for (;; n++)
        if (snprintf(one, sizeof one, "%s[%d]", place, n), !at(one)) return n;
}

/* A number; NaN: there is none. */
UNUSED static double number(const char *place)
{
    const char *s = at(place);

    return s && (isdigit((unsigned char)*s) || *s == '-') ? strtod(s, NULL) : NAN;
}

UNUSED static int is_null(const char *place) { return at(place) && !strncmp(at(place), "null", 4); }

/* Whether a text is as it should be, escapes included. */
UNUSED static int is_text(const char *place, const char *text)
{
    const char *s = at(place);
    size_t n = strlen(text);

    return s && *s == '"' && !strncmp(s + 1, text, n) && s[1 + n] == '"';
}

/* A text as it is written, without its quotes, until the next call; "" where there is none. */
UNUSED static const char *text_at(const char *place)
{
    static char copy[1000];
    const char *s = at(place), *last = s && *s == '"' ? json_text(s) : NULL;

    snprintf(copy, sizeof copy, "%.*s", last ? (int)(last - s) - 2 : 0, last ? s + 1 : "");
    return copy;
}

/* Numbers of a list; how many. */
UNUSED static int numbers(const char *place, double *to, int most)
{
    const char *s = at(place);
    int n = 0;

    if (!s || *s++ != '[') return -1;
    for (char *next; n < most; s = blanks(next), s += *s == ',') {
        double x = strtod(s, &next);

        if (next == s) break;
        to[n++] = x;
    }
    return n;
}

/* --- a folder of its own ----------------------------------------------------------------------------------------- */

UNUSED static int with_tool(void (*tests)(void))
{
    char folder[] = "/tmp/lbr-run-XXXXXX", command[128];
    const char *tool_path = getenv("LIBRATION");

    if (!tool_path || !realpath(tool_path, path)) return printf("1..0 # skip LIBRATION does not name the tool\n"), 0;
    if (!mkdtemp(folder) || chdir(folder)) return 1;
    tests();
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", folder, folder);
    if (chdir("/") || system(command)) return 1;
    return tap_done();
}
#endif
