/* test_tool_alloc.c - the tool, with memory that ends: it says so with status 4. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin, and with the tool itself, whose main is tool_main here. Each call is a process
 * of its own. Allocation k alone is refused, or it and all that follow; the tool ends well, or with "memory" in its
 * words and status 4, never as if its input were at fault. make test tries a share of the
 * allocations, make test-long each of the first 150, then every fifth. */
#define _XOPEN_SOURCE 700
#include "support/heap.h"
#include "support/share.h"
#include "support/tool.h"

#undef main
int tool_main(int argc, char **argv);

enum { NOTHING_REFUSED = 99, ENOUGH = 4000 };

static const char text[] =
    "param n = 2, g = 1\ncanonical q[n], p[n]\npart T = sq(p)/2\npart V = g*norm(q)^4/4\ninvariant L = cross(q, p)\n"
    "observe M = [[q[1], q[2]], [p[1], p[2]]]\nstart q = [1, 0.5]\nmethod five = composition [0.5, 0.5]\n"
    "run a: method = compose(five, split(strang, T, V)), step = g/20, time = 1, record = [M[1], H, q]\n"
    "run v[k = 1..2]: g = k, q = [k, 1], method = gauss:2, step = 0.05, time = 1\n"
    "measure e = max(abs(H - first(H)))\nplot w: of = v, x = t, y = H\nclaim \"small\": max(v.e) < 1\n";

/* A call with allocation k refused, and all after it if `on`; its exit status, -1 if a signal has ended it. */
static int call(char **argv, long k, int on)
{
    int status, argc = 0;
    pid_t child;

    while (argv[argc]) argc++;
    fflush(stdout);
    if (!(child = fork())) {
        int code;

        if (!freopen("alloc.out", "w", stdout) || !freopen("alloc.err", "w", stderr)) _exit(100);
        heap.calls = heap.refused = 0, heap.refuse = k, heap.on = on;
        code = tool_main(argc, argv);
        heap.refuse = 0;
        fflush(NULL);
        _exit(heap.refused ? code : NOTHING_REFUSED);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Until no allocation is left to be refused. */
static void refused(const char *line, int on)
{
    static char words[1000];
    char *argv[ARGUMENTS], *rest = words;
    const long each = share(150, 60, 10), then = share(5, 19, 83);
    int argc = 0, wrong = 0, code = 0;
    long k;

    snprintf(words, sizeof words, "libration %s", line);
    while (argc < ARGUMENTS - 1 && (argv[argc] = strtok_r(rest, " ", &rest))) argc++;
    argv[argc] = NULL;
    for (k = 1; k < ENOUGH && wrong < 5; k += k < each ? 1 : then) {
        if ((code = call(argv, k, on)) == NOTHING_REFUSED) break;
        if (code == 0 || (code == 4 && strstr(slurp("alloc.err", err), "memory"))) continue;
        wrong++;
        printf("# allocation %ld: status %d: %.*s\n", k, code, (int)strcspn(slurp("alloc.err", err), "\n"), err);
    }
    ok(!wrong && code == NOTHING_REFUSED && k > 1, "%s: allocations 1 to %ld refused, %s", line, k - 1,
       on ? "with all that follow" : "one at a time");
}

int main(void)
{
    static const char *const line[] = {
        "run pendulum --steps 3 --no-compile",
        "run alloc.lbr --no-compile",
        "run used.lbr --run a --no-compile --json",
        "run kepler --method gauss:2 --steps 3 --set e=0.3 --no-compile --out alloc.csv --checkpoint alloc.chk --force",
        "run pendulum --steps 3 --no-compile --plot alloc.svg --force",
        "check used.lbr",
        "methods gauss:2",
        "methods --fits pendulum",
        "run no-such-model",
        "run no-such-file.lbr",
        "compare pendulum --methods gauss:2,stormer-verlet --steps 10 --no-compile --plot alloc.svg --force"
    };

    if (!heap_wrapped()) return ok(1, "# SKIP not linked for it"), tap_done();
    spit("alloc.lbr", text), spit("used.lbr", "use \"alloc.lbr\"\n"
                                              "start p = [0.5, 0]\n"
                                              "run a: method = rk4, step = 0.1, time = 1\n");
    for (int i = 0; i < COUNT(line); i++) refused(line[i], 0), refused(line[i], 1);
    return tap_done();
}
