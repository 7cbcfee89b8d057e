/* test_flags.c - the arguments of all commands: the same forms, the same sentences, help that tells what is taken.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

static const char *const commands[] = { "run", "compare", "reproduce", "methods", "models", "check", "cache" };

enum { FLAGS = 64 };
typedef struct told_flag {
    char name[64], value[64]; /* value: "" if it takes none */
} told_flag;

/* The flags that the help of a command tells; how many. What comes before the usage line's end is in `usage`. */
static int told_flags(const char *command, told_flag *flag, char usage[512])
{
    int n = 0;

    toolf("%s|--help", command);
    snprintf(usage, 512, "%.*s", (int)strcspn(out, "\n"), out);
    for (const char *line = out; *line && n < FLAGS; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t length = strspn(line + 4, "abcdefghijklmnopqrstuvwxyz-");

        if (strncmp(line, "  --", 4)) continue;
        snprintf(flag[n].name, sizeof flag[n].name, "%.*s", (int)length, line + 4);
        line += 4 + length + 1;
        snprintf(flag[n].value, sizeof flag[n].value, "%.*s", (int)strcspn(line, " "), line);
        n++;
    }
    return n;
}

static int among(const told_flag *flag, int n, const char *name, size_t length)
{
    for (int k = 0; k < n; k++)
        if (strlen(flag[k].name) == length && !strncmp(flag[k].name, name, length)) return 1;
    return 0;
}

/* --- every flag of every command --------------------------------------------------------------------------------- */

static void values_of(const char *command, const told_flag *f)
{
    char sentence[200];

    if (*f->value) {
        snprintf(sentence, sizeof sentence, "libration: --%.60s needs ", f->name);
        ok(toolf("%s|--%s", command, f->name) == 2 && !strncmp(err, sentence, strlen(sentence)), "%s --%s: %s", command,
           f->name, told);
        ok(toolf("%s|--%s|--json", command, f->name) == 2 && !strncmp(err, sentence, strlen(sentence)),
           "%s --%s --json: a flag is no value", command, f->name);
        ok(toolf("%s|--%s=", command, f->name) == 2 && *err, "%s --%s=: %s", command, f->name, told);
    } else if (strcmp(command, "run") && strcmp(command, "compare")) {
        snprintf(sentence, sizeof sentence, "libration: --%.60s takes no value", f->name);
        ok(toolf("%s|--%s=yes", command, f->name) == 2 && !strcmp(err, sentence), "%s --%s=yes: %s", command, f->name,
           told);
    }
}

static void every_flag(void)
{
    for (int i = 0; i < COUNT(commands); i++) {
        told_flag flag[FLAGS];
        char usage[512];
        int n = told_flags(commands[i], flag, usage);

        ok(n > 0 && among(flag, n, "json", 4), "%s --help tells its flags: %d", commands[i], n);
        for (const char *c = usage; (c = strstr(c, "--")); c += 2) {
            size_t length = strspn(c + 2, "abcdefghijklmnopqrstuvwxyz-");

            ok(among(flag, n, c + 2, length), "%s: --%.*s of the usage is told", commands[i], (int)length, c + 2);
        }
        for (int k = 0; k < n; k++) values_of(commands[i], flag + k);
    }
}

/* --- what is wrong is said in the same way ----------------------------------------------------------------------- */

static void unknown(void)
{
    for (int i = 0; i < COUNT(commands); i++) {
        char sentence[200];

        snprintf(sentence, sizeof sentence, "libration: %s has no option '--bogus'; see libration %s --help",
                 commands[i], commands[i]);
        ok(toolf("%s|--bogus", commands[i]) == 2 && !strcmp(err, sentence), "%s --bogus: %s", commands[i], told);
        ok(toolf("%s|--bogus=1", commands[i]) == 2 && !strcmp(err, sentence), "%s --bogus=1: without its value",
           commands[i]);
        snprintf(sentence, sizeof sentence, "libration: %s has no option '--jsno'; did you mean '--json'?",
                 commands[i]);
        ok(toolf("%s|--jsno", commands[i]) == 2 && !strcmp(err, sentence), "%s --jsno: %s", commands[i], told);
        ok(toolf("%s|--hlep", commands[i]) == 2 && says("'--help'"), "%s --hlep: %s", commands[i], told);
        ok(toolf("%s|-x", commands[i]) == 2 && says("has no option '-x'"), "%s -x: %s", commands[i], told);
        ok(toolf("%s|-h", commands[i]) == 0 && strstr(out, "usage: libration "), "%s -h is its help", commands[i]);
    }
    ok(tool("run|kepler|--events|x") == 2 && !strstr(err, "did you mean"), "half of the letters are not near: %s",
       told);
}

static void twice(void)
{
    static const struct {
        const char *arguments, *what;
    } row[] = { { "run|kepler|--json|--json", "--json" },
                { "run|kepler|--step|0.1|--step=0.2", "--step" },
                { "run|kepler|--method|rk4|--method|rk4", "--method" },
                { "run|kepler|--solver|newton|--option|solver=auto", "--solver" },
                { "run|kepler|--option|max-iterations=10|--max-iterations|20", "--max-iterations" },
                { "compare|kepler|--methods|rk4|--methods|rk4", "--methods" },
                { "reproduce|--all|--all", "--all" },
                { "reproduce|V|--report|a|--report|b", "--report" },
                { "methods|--order|4|--order=4", "--order" },
                { "methods|--fits|kepler|--fits|kepler", "--fits" },
                { "models|--json|--experiment|--json", "--json" },
                { "check|--all|--all", "--all" },
                { "cache|--json|--json", "--json" } };
    char sentence[100];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(sentence, sizeof sentence, "libration: %s is given twice", row[i].what);
        ok(tool(row[i].arguments) == 2 && !strcmp(err, sentence) && !*out, "%s: %s", row[i].arguments, told);
    }
    ok(tool("run|kepler|--set|e=0.1|--set|e=0.2|--steps|1|--option|land=yes|--option|solver=auto") == 0,
       "--set and --option may be repeated: %s", told);
}

static void numbers_given(void)
{
    static const struct {
        const char *arguments, *sentence;
    } row[] = { { "run|kepler|--step|fast", "--step needs a number, not 'fast'" },
                { "run|kepler|--time=1x", "--time needs a number, not '1x'" },
                { "run|kepler|--steps|1.5", "--steps needs a whole number from 0 to 2^53, not '1.5'" },
                { "run|kepler|--every|0", "--every needs a whole number from 1 to 2^53, not '0'" },
                { "run|kepler|--max-iterations|0", "option max_iterations has no value '0'; it is one of: 1..1000000" },
                { "run|kepler|--step|0x1", "--step needs a number, not '0x1'" },
                { "run|kepler|--step| 1", "--step needs a number, not ' 1'" },
                { "run|kepler|--step|1 ", "--step needs a number, not '1 '" },
                { "run|kepler|--time|inf", "--time needs a number, not 'inf'" },
                { "run|kepler|--steps|0x10", "--steps needs a whole number from 0 to 2^53, not '0x10'" },
                { "run|kepler|--steps| 10", "--steps needs a whole number from 0 to 2^53, not ' 10'" },
                { "run|kepler|--max-iterations| 9",
                  "option max_iterations has no value ' 9'; it is one of: 1..1000000" },
                { "compare|kepler|--methods|rk4|--steps|0x4", "--steps needs whole numbers from 1 to 2^53, not '0x4'" },
                { "compare|kepler|--methods|rk4|--time|x", "--time needs a number, not 'x'" },
                { "compare|kepler|--methods|rk4|--steps|4,x", "--steps needs whole numbers from 1 to 2^53, not 'x'" },
                { "methods|--order|x", "--order needs a whole number from 1 to 1000, not 'x'" },
                { "methods|--order=0", "--order needs a whole number from 1 to 1000, not '0'" },
                { "methods|--order=1001", "--order needs a whole number from 1 to 1000, not '1001'" } };
    char sentence[200];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(sentence, sizeof sentence, "libration: %s", row[i].sentence);
        ok(tool(row[i].arguments) == 2 && !strcmp(err, sentence) && !*out, "%s: %s", row[i].arguments, told);
    }
}

/* --- what is right is taken in both forms ------------------------------------------------------------------------ */

static void both_forms(void)
{
    static const char *const row[][2] = { { "methods|--order|4", "methods|--order=4" },
                                          { "methods|rk4|--fits|kepler", "methods|--fits=kepler|rk4" },
                                          { "check|--json|rk4", "check|rk4|--json" },
                                          { "check|rk4", "check|--|rk4" },
                                          { "models|kepler", "models|--|kepler" },
                                          { "compare|kepler|--methods|rk4|--steps|100|--help", "compare|-h" } };
    static char first[MOST];

    for (int i = 0; i < COUNT(row); i++) {
        int code = tool(row[i][0]);

        snprintf(first, sizeof first, "%s", out);
        ok(code == 0 && tool(row[i][1]) == 0 && !strcmp(out, first) && *out, "%s is %s", row[i][0], row[i][1]);
    }
    ok(tool("run|kepler|--steps=3|--step=0.25|--method=rk4|--set=e=0.1|--json") == 0 && number("t") == 0.75 &&
           is_text("method", "rk4"),
       "run: every flag with '='");
    ok(tool("reproduce|kepler-orbits|--report=page|--json") == 0 && there("page/index.html"), "reproduce --report=DIR");
}

static void names(void)
{
    ok(tool("models|kepler|lorenz") == 2 && says("takes one NAME|'lorenz'|second"), "models: %s", told);
    ok(tool("methods|rk4|rk4") == 2 && says("takes one NAME|second"), "methods: %s", told);
    ok(tool("run|kepler|lorenz") == 2 && says("takes one FILE|second"), "run: %s", told);
    ok(tool("cache|here") == 2 && says("cache has no argument 'here'"), "cache: %s", told);
    ok(tool("check") == 2 && says("check needs the name of a method, a file, or --all"), "check: %s", told);
    ok(tool("check|--all|rk4") == 2 && says("--all and 'rk4': one or the other"), "check: %s", told);
    ok(tool("reproduce|--all|V") == 2 && says("--all and 'V': one or the other"), "reproduce: %s", told);
    ok(tool("run") == 2 && says("run needs a FILE; see libration run --help"), "run: %s", told);
    ok(tool("--vesion") == 2 && says("did you mean '--version'"), "--vesion: %s", told);
    ok(tool("reproduce|") == 2 && !*out && says("reproduce needs an ID, CHAPTER or FILE"), "an empty name is none: %s",
       told);
    ok(tool("reproduce|-") == 2 && !*out && says("standard input|run -"), "nor is standard input: %s", told);
    ok(tool("reproduce|kepler-orbits|") == 2 && !*out, "nor is a second one: %s", told);
    ok(tool("run|") == 2 && says("run needs a FILE"), "run: %s", told);
    ok(tool("reprodcue") == 2 && says("did you mean 'reproduce'"), "reprodcue: %s", told);
    ok(tool("modified") == 2 && !strstr(err, "did you mean"), "modified is near to nothing: %s", told);
}

/* A time for compilers that is none does not count, and that is told. */
static void environment(void)
{
    static const char *const odd[] = { "-5", "abc", "1e999", "0", "5 s" };

    for (int i = 0; i < COUNT(odd); i++) {
        setenv("LIBRATION_CC_SECONDS", odd[i], 1);
        ok(tool("methods|rk4") == 0 && says("note: LIBRATION_CC_SECONDS") && strstr(err, odd[i]), "%s", told);
    }
    setenv("LIBRATION_CC_SECONDS", "5", 1);
    ok(tool("methods|rk4") == 0 && !*err, "nothing is said of one that counts");
    unsetenv("LIBRATION_CC_SECONDS");
}

static void tests(void) { every_flag(), unknown(), twice(), numbers_given(), both_forms(), names(), environment(); }

int main(void) { return with_tool(tests); }
