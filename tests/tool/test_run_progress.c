/* test_run_progress.c - what a run tells at a terminal while it goes on, and how to go on when it is interrupted.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "support/tool.h"

#include <poll.h>

#define OSCILLATOR \
    "canonical q, p\nH = p^2/2 + q^2/2\nstart q = 1\nrun method = stormer-verlet, step = 0.1, every = 1e9"

/* --- a terminal -------------------------------------------------------------------------------------------------- */

/* The tool runs a file with a terminal of its own for standard error, whose other side is *master; -1: there are no
 * terminals here. */
static pid_t at_terminal(const char *file, int *master)
{
    char *argv[] = { path, (char *)"run", (char *)file, NULL };
    int other;
    pid_t child;

    if ((*master = posix_openpt(O_RDWR | O_NOCTTY)) < 0 || grantpt(*master) || unlockpt(*master)) return -1;
    if ((other = open(ptsname(*master), O_RDWR | O_NOCTTY)) < 0) return -1;
    fflush(stdout);
    if (!(child = fork())) {
        to_file("/dev/null", 1), dup2(other, 2);
        execv(path, argv);
        _exit(99);
    }
    close(other);
    return child;
}

/* What is written there until `word` comes or some seconds have passed. */
static const char *heard(int master, const char *word)
{
    static char text[10000];
    struct pollfd at = { .fd = master, .events = POLLIN };
    size_t n = 0;

    text[0] = 0;
    for (double began = seconds(); seconds() < began + 30 && !strstr(text, word);) {
        ssize_t more = poll(&at, 1, 1000) > 0 ? read(master, text + n, sizeof text - 1 - n) : 0;

        if (more < 0 || n + 1 == sizeof text) break;
        text[n += (size_t)more] = 0;
    }
    return text;
}

/* Of three runs the last has nearly all steps: what is left is told in minutes or hours, when it has just begun. */
static void time_left(void)
{
    int master, status = -1;
    const char *line;
    pid_t child;

    spit("three.lbr", OSCILLATOR "\nrun a: steps = 1e5\nrun b: steps = 1e5\nrun long: steps = 1e13\n");
    if ((child = at_terminal("three.lbr", &master)) < 0) {
        ok(1, "a terminal # SKIP there is none");
        return;
    }
    line = heard(master, " left");
    ok(strstr(line, "long, run 3 of 3:   0 %  step ") != NULL, "which run goes on, of how many, and how far it is");
    ok(strstr(line, " of 10000000000000, ") != NULL, "of how many steps");
    ok(strstr(line, " h ") || strstr(line, " min "), "the time that is left is that of the steps that are left");
    kill(child, SIGINT);
    ok(strstr(heard(master, "interrupted"), "interrupted") != NULL, "it can be interrupted");
    ok(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 130, "and ends");
    close(master);
}

/* --- how to go on ------------------------------------------------------------------------------------------------ */

static void advice(void)
{
    static const struct {
        const char *file, *words;
    } row[] = { { "plain.chk", "--resume plain.chk" },
                { "my k.chk", "--resume 'my k.chk'" },
                { "it's.chk", "--resume 'it'\\''s.chk'" },
                { "$HOME.chk", "--resume '$HOME.chk'" } };

    spit("one.lbr", OSCILLATOR ", steps = 1e13\n");
    for (int k = 0; k < COUNT(row); k++) {
        char arguments[200];
        pid_t child;

        snprintf(arguments, sizeof arguments, "run|one.lbr|--json|--checkpoint|%s", row[k].file);
        child = begin(arguments, 0);
        for (double began = seconds(); seconds() < began + 20 && !there(row[k].file);) rest(0.02);
        kill(child, SIGINT);
        ok(end(child) == 130 && says(row[k].words), "%s: %s", row[k].words, told);
    }
}

static void all(void) { time_left(), advice(); }

int main(void) { return with_tool(all); }
