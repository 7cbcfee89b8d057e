/* plot_run.c - gnuplot as a process: found, started without a shell, watched, and ended in time.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700 /* RLIMIT_CORE is named there */
#include "plot_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
    #include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/file.h"
#include "core/clock.h"

enum { NOT_STARTED = 127, SAID = 2048, MOMENT = 20 }; /* ms between two looks whether there is a signal */

/* --- which program ----------------------------------------------------------------------------------------------- */

static int runs(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

/* Folders of PATH that are not absolute are left out: the current one may be full of strangers' files. */
static const char *in_path(const char *name, lbr_arena *arena, int *no_memory)
{
    const char *folder = getenv("PATH"), *end;

    for (; folder && *folder; folder = *end ? end + 1 : end) {
        const char *path;

        end = folder + strcspn(folder, ":");
        if (*folder != '/') continue;
        if (!(path = lbr_arena_format(arena, "%.*s/%s", (int)(end - folder), folder, name)))
            return *no_memory = 1, NULL;
        if (runs(path)) return path;
    }
    return NULL;
}

/* Absolute, since it is started in another folder. */
static const char *by_name(const char *name, lbr_arena *arena, int *no_memory)
{
    char here[4096];
    const char *path;

    if (!runs(name) || (*name != '/' && !getcwd(here, sizeof here))) return NULL;
    path = *name == '/' ? lbr_arena_text(arena, name) : lbr_arena_format(arena, "%s/%s", here, name);
    return *no_memory = !path, path;
}

lbr_status lbr_gnuplot_find(const char **program, lbr_arena *arena, lbr_message *message)
{
    const char *named = getenv("LIBRATION_GNUPLOT");
    int no_memory = 0;

    if (named && strchr(named, '/')) *program = by_name(named, arena, &no_memory);
    else *program = in_path(named && *named ? named : "gnuplot", arena, &no_memory);
    if (*program) return LBR_OK;
    if (no_memory) return lbr_fail(message, LBR_ENOMEM, "out of memory for a picture");
    if (named && *named)
        return lbr_fail(message, LBR_EIO,
                        "LIBRATION_GNUPLOT is '%.200s', which is not a program that can be run; pictures need gnuplot",
                        named);
    return lbr_fail(message, LBR_EIO,
                    "pictures need gnuplot, which is not installed (and LIBRATION_GNUPLOT does not name it): install "
                    "the package gnuplot-nox");
}

/* --- the child: only what is allowed between fork and exec ------------------------------------------------------- */

static void limit(int what, rlim_t most)
{
    struct rlimit r;

    if (getrlimit(what, &r)) return;
    if (r.rlim_max != RLIM_INFINITY && r.rlim_max < most) most = r.rlim_max;
    r.rlim_cur = r.rlim_max = most;
    setrlimit(what, &r);
}

_Noreturn static void child(const char *program, const char *folder, const char *script, int said, rlim_t seconds)
{
    static const int usual[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGCHLD, SIGXFSZ, SIGXCPU };
    const char *argument[] = { program, "-d", script, NULL }; /* -d: no start-up files of the user */
    sigset_t none;
    int nowhere;

    setpgid(0, 0); /* so that whatever it starts ends with it */
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* if we are killed, so is it */
#endif
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++) signal(usual[k], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds); /* where that is not so, it does not go on for ever */
    if (dup2(said, 2) < 0 || fcntl(2, F_SETFD, 0) < 0) _exit(NOT_STARTED);
    if ((nowhere = open("/dev/null", O_RDWR)) < 0 || dup2(nowhere, 0) < 0 || dup2(nowhere, 1) < 0) _exit(NOT_STARTED);
    for (int fd = 3; fd < 256; fd++) close(fd);
    if (chdir(folder)) _exit(NOT_STARTED);
    execv(program, (char *const *)argument);
    _exit(NOT_STARTED);
}

/* --- the parent -------------------------------------------------------------------------------------------------- */

/* How long it may go on. */
typedef struct patience {
    double end;
    const volatile sig_atomic_t *interrupt;
} patience;

static int is_over(const patience *p) { return lbr_seconds() >= p->end || (p->interrupt && *p->interrupt); }

/* Keeps the beginning of what the child says until it says no more, or until patience is over: then 0. */
static int listen_to(int fd, char said[SAID], const patience *until)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };
    char bytes[512];
    size_t n = 0;

    for (;;) {
        ssize_t got;

        if (is_over(until)) return 0;
        if (poll(&p, 1, MOMENT) <= 0) continue;
        if ((got = read(fd, bytes, sizeof bytes)) < 0 && errno == EINTR) continue;
        if (got <= 0) return 1;
        if ((size_t)got > SAID - 1 - n) got = (ssize_t)(SAID - 1 - n);
        memcpy(said + n, bytes, (size_t)got);
        said[n += (size_t)got] = 0;
    }
}

/* Its status; killed with its children when patience is over, and then 0. Where children are reaped elsewhere the
 * status is unknown and taken as good. */
static int wait_for(pid_t pid, const patience *until, int *status)
{
    const struct timespec moment = { .tv_nsec = 2000000 };
    pid_t got;

    *status = 0;
    while ((got = waitpid(pid, status, WNOHANG)) == 0 && !is_over(until)) nanosleep(&moment, NULL);
    if (got) return 1;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

/* What gnuplot said, as part of a sentence: one line, its echo of the script and the arrow below it left out. */
static const char *gist(char said[SAID])
{
    char *at = strstr(said, "line "), *out = said;

    if (!at || !(at = strstr(at, ": "))) at = said;
    else at += 2;
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '^') at++;
    for (; *at && *at != '\n' && out < said + 250; at++) *out++ = (unsigned char)*at < 32 || *at == 127 ? ' ' : *at;
    *out = 0;
    return said;
}

static lbr_status verdict(const char *program, int in_time, int status, double seconds, char said[SAID],
                          lbr_message *message)
{
    if (!in_time) return lbr_fail(message, LBR_EIO, "gnuplot took longer than %g seconds and was ended", seconds);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
        return lbr_fail(message, LBR_EIO, "gnuplot could not write the picture: it exceeds the limit set for files");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return lbr_fail(message, LBR_EIO, "gnuplot took longer than %g seconds and was ended", seconds);
    if (WIFSIGNALED(status)) return lbr_fail(message, LBR_EIO, "gnuplot was ended by signal %d", WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED && !*said)
        return lbr_fail(message, LBR_EIO, "%.200s could not be started", program);
    if (!WIFEXITED(status) || !WEXITSTATUS(status)) return LBR_OK;
    if (!*gist(said))
        return lbr_fail(message, LBR_EIO, "gnuplot failed with status %d and said nothing", WEXITSTATUS(status));
    return lbr_fail(message, LBR_EIO, "gnuplot failed: %s", said);
}

lbr_status lbr_gnuplot_run(const char *program, const char *folder, const char *script, double seconds,
                           const volatile sig_atomic_t *interrupt, lbr_message *message)
{
    patience until = { lbr_seconds() + seconds, interrupt && *interrupt ? NULL : interrupt };
    char said[SAID] = "";
    int ends[2], status, in_time;
    pid_t pid;

    if (pipe(ends)) return lbr_fail(message, LBR_EIO, "gnuplot could not be started: %s", strerror(errno));
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid = fork();
    if (pid == 0) child(program, folder, script, ends[1], (rlim_t)ceil(seconds) + 1);
    if (pid > 0) setpgid(pid, pid); /* both of us: whoever comes first */
    status = errno;
    close(ends[1]);
    if (pid < 0)
        return close(ends[0]), lbr_fail(message, LBR_EIO, "gnuplot could not be started: %s", strerror(status));
    in_time = listen_to(ends[0], said, &until);
    if (!in_time) kill(-pid, SIGKILL); /* it, or what it has left behind */
    in_time &= wait_for(pid, &until, &status);
    close(ends[0]);
    if (!in_time && until.interrupt && *until.interrupt)
        return lbr_fail(message, LBR_STOPPED, "interrupted while gnuplot was drawing");
    return verdict(program, in_time, status, seconds, said, message);
}
