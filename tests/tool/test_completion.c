/* test_completion.c - scripts for shells: what bash completes, that the others can read theirs, that all tables are in
 * them. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

/* What bash offers for a line: in `out`, one word in each line. */
static int completed(const char *line)
{
    int code;

    setenv("COMP_LINE", line, 1);
    code = system("bash -c 'compopt() { :; }; . ./script; COMP_POINT=${#COMP_LINE}; _libration; "
                  "printf \"%s\\n\" \"${COMPREPLY[@]}\"' >answer 2>&1");
    slurp("answer", out);
    return code;
}

/* A word in a line of its own. */
static int offered(const char *word)
{
    size_t n = strlen(word);

    for (const char *s = out; (s = strstr(s, word)); s++)
        if ((s == out || s[-1] == '\n') && s[n] == '\n') return 1;
    return 0;
}

static void in_bash(void)
{
    static const struct {
        const char *line, *yes, *no;
    } row[] = { { "libration ", "run", "kepler" },
                { "libration co", "compare", "run" },
                { "libration co", "completion", "check" },
                { "libration run ke", "kepler", "--method" },
                { "libration run mi", "mine.lbr", "midpoint" },
                { "libration run --me", "--method", "--methods" },
                { "libration run kepler --method st", "stormer-verlet", "strobe" },
                { "libration run kepler --method=st", "stormer-verlet", "--method" },
                { "libration run kepler --method gauss:1", "16", "gauss:16" },
                { "libration run kepler --solver ", "newton", "kepler" },
                { "libration run kepler --names ", "plain", "kepler" },
                { "libration run kepler --names=p", "plain", "--names" },
                { "libration run kepler --json --max", "--max-iterations", "--methods" },
                { "libration run kepler --step ", "", "kepler" },
                { "libration compare kepler --methods rk", "rk4", "kepler" },
                { "libration reproduce kepler-o", "kepler-orbits", "kepler" },
                { "libration reproduce V --report fo", "folder", "fodder" },
                { "libration models kep", "kepler", "kepler.lbr" },
                { "libration methods lob", "lobatto-3a-3b:2", "lobatto" },
                { "libration check fod", "fodder", "folders" },
                { "libration run a\\ ", "a b.lbr", "a" },
                { "libration run 'a ", "a b.lbr", "'a b.lbr" },
                { "libration run \"a b", "a b.lbr", "midpoint" },
                { "libration run \"a b.lbr\" --method gauss:1", "16", "gauss:16" },
                { "libration run --out=a\\ ", "a b.lbr", "--out" },
                { "libration run 'x:", "x:y.lbr", "y.lbr" },
                { "libration run tw", "two-tops", "two" },
                { "libration run tw", "two-tops", "lines.lbr" },
                { "libration completion ", "zsh", "run" } };

    if (system("command -v bash >/dev/null 2>&1")) {
        ok(1, "bash # SKIP there is none");
        return;
    }
    spit("a b.lbr", ""), spit("x:y.lbr", ""), spit("two\nlines.lbr", "");
    spit("mine.lbr", ""), spit("fodder", ""), mkdir("folder", 0700);
    out_file = "script";
    ok(tool("completion|bash") == 0 && !*err, "a script for bash");
    out_file = "tool.out";
    for (int i = 0; i < COUNT(row); i++) {
        completed(row[i].line);
        ok(offered(row[i].yes), "'%s' offers '%s'", row[i].line, row[i].yes);
        ok(!offered(row[i].no), "'%s' does not offer '%s'", row[i].line, row[i].no);
    }
}

/* The line of the script about --names of run has its value. */
static int value_offered(const char *shell)
{
    const char *line = strstr(out, !strcmp(shell, "bash")  ? "run:--names)"
                                   : !strcmp(shell, "zsh") ? "'--names=["
                                                           : "-l names "),
               *end = line ? strchr(line, '\n') : NULL, *word = line ? strstr(line, "plain") : NULL;

    return word && end && word < end;
}

/* A shell reads its script, where there is such a shell; all methods and commands are in it. */
static void in_all(void)
{
    static const char *const shell[] = { "bash", "zsh", "fish" };
    static const char *const word[] = { "reproduce",          "completion",    "kahan-li-8-17",  "lobatto-3a-3b:16",
                                        "outer-solar-system", "kepler-orbits", "max-iterations", "no-compile" };
    char command[200];

    for (int i = 0; i < COUNT(shell); i++) {
        out_file = "script";
        ok(toolf("completion|%s", shell[i]) == 0 && !*err, "a script for %s", shell[i]);
        out_file = "tool.out";
        ok(value_offered(shell[i]), "%s: what --names may be", shell[i]);
        for (int k = 0; k < COUNT(word); k++) ok(strstr(out, word[k]) != NULL, "%s: it has %s", shell[i], word[k]);
        snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", shell[i]);
        if (system(command)) {
            ok(1, "%s # SKIP there is none", shell[i]);
            continue;
        }
        snprintf(command, sizeof command, "%s -n script 2>&1", shell[i]);
        ok(system(command) == 0, "%s can read it", shell[i]);
    }
    ok(tool("completion") == 2 && says("completion needs a SHELL"), "no shell: %s", told);
    ok(tool("completion|tcsh") == 2 && !*out && says("'tcsh'|bash, zsh and fish"), "another shell: %s", told);
    ok(tool("--help") == 0 && strstr(out, "libration completion SHELL"), "the help mentions it");
}

static void tests(void) { in_bash(), in_all(); }

int main(void) { return with_tool(tests); }
