/* reproduce_all.c - many experiments at once: a process for each, as many at a time as there are cores.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "reproduce.h"
#include "execute/executing.h"
#include "core/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One experiment on its way: its process writes into a file without a name. */
typedef struct child {
    pid_t pid;
    FILE *file;
    int over;
    double began;
} child;

typedef struct crowd {
    lbr_reproduction *r;
    const lbr_experiment_text *what;
    int n;
    const lbr_reproducing *how;
    const lbr_reproduced_all *tell;
    child *child;
    int cores, running, begun, over, told;
} crowd;

static const double patience = 2; /* seconds that a process has to end after it was asked to */

static void rest(void) { nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL); }
static int interrupted(const crowd *c) { return c->how->interrupt && *c->how->interrupt; }

static void failed(crowd *c, int i, int code, const char *format, int number, const char *name)
{
    lbr_reproduction *r = c->r + i;

    lbr_reproduction_free(r);
    r->id = c->what[i].id, r->title = c->what[i].id, r->source = "", r->code = code;
    r->failure = lbr_arena_format(&r->arena, format, number, name);
    if (!r->failure) r->failure = "out of memory";
}

/* --- beginning and ending of one --------------------------------------------------------------------------------- */

/* In the child, which tells nobody but its file, and runs no exit handlers of its parent's. */
static void work(const crowd *c, int i, FILE *file)
{
    lbr_reproduction r;

    lbr_reproduce(&r, c->what + i, c->how);
    _exit(lbr_reproduction_write(&r, file) ? 0 : LBR_EXIT_MACHINE);
}

static void begin(crowd *c)
{
    int i = c->begun++;
    child *k = c->child + i;

    k->began = lbr_seconds();
    k->file = tmpfile();
    k->pid = k->file ? fork() : -1;
    if (!k->pid) work(c, i, k->file);
    if (k->pid > 0) {
        c->running++;
        return;
    }
    failed(c, i, LBR_EXIT_MACHINE, "no process could be started (%d: %s)", errno, strerror(errno));
    if (k->file) fclose(k->file);
    k->over = 1, c->over++;
}

static void finish(crowd *c, int i, int status)
{
    child *k = c->child + i;

    rewind(k->file);
    if (WIFSIGNALED(status))
        failed(c, i, interrupted(c) ? LBR_EXIT_INTERRUPTED : LBR_EXIT_MACHINE,
               "its process was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) || !lbr_reproduction_read(c->r + i, k->file))
        failed(c, i, LBR_EXIT_MACHINE, "its process ended with status %d%s, and its results are not whole",
               WEXITSTATUS(status), "");
    fclose(k->file);
    c->r[i].seconds = c->r[i].seconds ? c->r[i].seconds : lbr_seconds() - k->began;
    k->over = 1, c->running--, c->over++;
}

/* --- all --------------------------------------------------------------------------------------------------------- */

static void reap(crowd *c)
{
    for (int i = 0; i < c->begun; i++) {
        int status;

        if (!c->child[i].over && waitpid(c->child[i].pid, &status, WNOHANG) == c->child[i].pid) finish(c, i, status);
    }
    for (; c->told < c->n && c->child[c->told].over && !interrupted(c); c->told++)
        c->tell->done(c->told, c->r + c->told, c->tell->ctx);
}

static const char *busy(const crowd *c)
{
    for (int i = 0; i < c->begun; i++)
        if (!c->child[i].over) return c->what[i].id;
    return "";
}

static void signal_all(const crowd *c, int number)
{
    for (int i = 0; i < c->begun; i++)
        if (!c->child[i].over) kill(c->child[i].pid, number);
}

/* Asked first, so that they end what they have started; then not asked. */
static void end_all(crowd *c)
{
    double until = lbr_seconds() + patience;

    signal_all(c, SIGTERM);
    for (; c->running && lbr_seconds() < until; rest()) reap(c);
    signal_all(c, SIGKILL);
    for (; c->running; rest()) reap(c);
}

int lbr_reproduce_all(lbr_reproduction *r, const lbr_experiment_text *what, int n, const lbr_reproducing *how,
                      const lbr_reproduced_all *tell)
{
    crowd c = { .r = r, .what = what, .n = n, .how = how, .tell = tell, .cores = (int)sysconf(_SC_NPROCESSORS_ONLN) };

    for (int i = 0; i < n; i++) r[i] = (lbr_reproduction){ 0 };
    if (!(c.child = lbr_mem_alloc((size_t)(n + 1) * sizeof *c.child))) return LBR_EXIT_MACHINE;
    if (c.cores < 1) c.cores = 1;
    fflush(NULL);
    while (c.over < n && !interrupted(&c)) {
        while (c.running < c.cores && c.begun < n) begin(&c);
        reap(&c);
        if (tell->wait) tell->wait(c.over, n, busy(&c), tell->ctx);
        if (c.over < n) rest();
    }
    if (interrupted(&c)) end_all(&c);
    else reap(&c);
    lbr_mem_free(c.child);
    return interrupted(&c) ? LBR_EXIT_INTERRUPTED : LBR_EXIT_DONE;
}
