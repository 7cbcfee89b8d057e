/* command.c - running another program: no shell, limits, nothing left behind. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* RLIMIT_AS */
#include "command.h"
#include "core/mem.h"
#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
    #include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

static void limit(int what, double most)
{
    struct rlimit l;

    if (getrlimit(what, &l)) return;
    if (l.rlim_max == RLIM_INFINITY || (double)l.rlim_max > most) l.rlim_max = (rlim_t)most;
    l.rlim_cur = l.rlim_max;
    setrlimit(what, &l);
}

static int redirect(const char *path, int flags, int to)
{
    int from = open(path, flags | O_NONBLOCK, 0600); /* not to wait, should it be a pipe by now */

    if (from < 0 || dup2(from, to) < 0) return 1;
    if (from != to) close(from);
    return 0;
}

extern char **environ;

/* The folders of PATH that are absolute, for the programs that it starts in its turn; at least the usual ones. Their
 * length. */
static size_t places(char *to, const char *path)
{
    size_t used = 0, n;

    for (; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        if (*path != '/') continue;
        if (used) to[used++] = ':';
        memcpy(to + used, path, n), used += n;
    }
    if (!used) memcpy(to, "/bin:/usr/bin", used = sizeof "/bin:/usr/bin" - 1);
    return used;
}

/* The environment with another TMPDIR and PATH, in one block; NULL: no memory. Made before the fork: behind it, where
 * other threads may have held locks, nothing is allocated. */
static char **surroundings(const char *temporary)
{
    static const char name[] = "TMPDIR=", search[] = "PATH=";
    const char *path = getenv("PATH");
    size_t n = 0, k = 0, length = temporary ? strlen(temporary) : 0,
           room = (path ? strlen(path) : 0) + sizeof "/bin:/usr/bin";
    char **list, *text;

    while (environ && environ[n]) n++;
    if (!(list = lbr_mem_alloc((n + 3) * sizeof *list + sizeof search + room + sizeof name + length))) return NULL;
    for (size_t i = 0; i < n; i++)
        if ((!temporary || strncmp(environ[i], name, sizeof name - 1)) &&
            strncmp(environ[i], search, sizeof search - 1))
            list[k++] = environ[i];
    list[k++] = text = (char *)(list + n + 3);
    memcpy(text, search, sizeof search - 1), text += sizeof search - 1, text += places(text, path) + 1;
    if (!temporary) return list;
    list[k] = text;
    memcpy(text, name, sizeof name - 1), memcpy(text + sizeof name - 1, temporary, length);
    return list;
}

/* In the child. A group of its own, so that everything it starts can be ended with it. */
static void become(const lbr_command *c, char **environment)
{
    sigset_t none;

    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if we are killed, so is it */
#endif
    if (c->gentle) setpriority(PRIO_PROCESS, 0, 5);
    signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL);
    sigemptyset(&none), sigprocmask(SIG_SETMASK, &none, NULL);
    if (redirect("/dev/null", O_RDONLY, 0) || redirect(c->log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 1) ||
        dup2(1, 2) < 0)
        _exit(NOT_FOUND - 1);
    limit(RLIMIT_CPU, c->seconds + 1), limit(RLIMIT_CORE, 0), limit(RLIMIT_FSIZE, 1e9);
    limit(RLIMIT_AS, (double)c->memory);
    environ = environment;
    execvp(c->argv[0], (char *const *)c->argv);
    _exit(errno == ENOENT || errno == EACCES ? NOT_FOUND : NOT_FOUND - 1);
}

static void nap(long nanoseconds)
{
    struct timespec t = { 0, nanoseconds };
    nanosleep(&t, NULL);
}

/* Why it must be ended; 0: it has ended by itself (and is not taken away yet, so that nobody else gets its number), or
 * -1: neither. */
static int news(const lbr_process *p)
{
    siginfo_t info = { 0 };

    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) && errno != EINTR) return LBR_COMMAND_MACHINE;
    if (info.si_pid == p->pid) return 0;
    if (p->interrupt && *p->interrupt) return LBR_COMMAND_INTERRUPTED;
    return lbr_seconds() > p->until ? LBR_COMMAND_LATE : -1;
}

int lbr_command_begin(const lbr_command *c, lbr_process *p)
{
    char **environment = surroundings(c->temporary);
    pid_t child = environment ? fork() : -1;

    if (child == 0) become(c, environment);
    lbr_mem_free(environment);
    if (child < 0) return LBR_COMMAND_MACHINE;
    setpgid(child, child); /* both do it: whoever comes first */
    *p = (lbr_process){ child, lbr_seconds() + c->seconds, c->interrupt };
    return 0;
}

int lbr_command_over(const lbr_process *p) { return news(p) >= 0; }

int lbr_command_end(lbr_process *p)
{
    int status = 0, why = news(p);

    kill(-p->pid, SIGKILL), kill(p->pid, SIGKILL); /* and whatever it has left running */
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (why) return why < 0 ? LBR_COMMAND_INTERRUPTED : why;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) return LBR_COMMAND_MISSING;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : LBR_COMMAND_FAILED;
}

void lbr_command_wait(const lbr_process *p)
{
    for (long pause = 200000; !lbr_command_over(p); pause = pause < 10000000 ? 2 * pause : pause) nap(pause);
}

int lbr_command_run(const lbr_command *c)
{
    lbr_process p;

    if (lbr_command_begin(c, &p)) return LBR_COMMAND_MACHINE;
    lbr_command_wait(&p);
    return lbr_command_end(&p);
}
