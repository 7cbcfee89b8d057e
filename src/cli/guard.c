/* guard.c - functions of a system in C that end the program, by exit() or a fault: it is said, and is no success.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sigaltstack, MAP_ANONYMOUS, prctl */
#include "run.h"
#include "kernel/compile.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
    #include <sys/prctl.h>
#endif

enum { NAME = 300, STACK = 1 << 16 };

static const struct {
    int signal;
    const char *what;
} fatal[] = { { SIGSEGV, "a segmentation fault" },
              { SIGBUS, "a bus error" },
              { SIGILL, "an illegal instruction" },
              { SIGFPE, "an arithmetic exception" },
              { SIGABRT, "abort()" } };
enum { FATAL = sizeof fatal / sizeof *fatal };

static const char words[] = "the program was ended while it called the functions of this file, by ";

/* The sentences are made beforehand: a handler of signals may do little. */
static struct {
    volatile sig_atomic_t on;
    int apart; /* another process tells what becomes of this one */
    char by_exit[6 * NAME + 200], by_signal[FATAL][6 * NAME + 200];
} guard;

static const char *what_of(int signal)
{
    for (int k = 0; k < FATAL; k++)
        if (fatal[k].signal == signal) return fatal[k].what;
    return strsignal(signal);
}

static void say(const char *sentence)
{
    ssize_t n = write(STDERR_FILENO, sentence, strlen(sentence));

    (void)n; /* there is nothing left to be done about it */
}

/* The signal has its default action again, and is not blocked. */
static void on_signal(int signal)
{
    for (int k = 0; k < FATAL; k++)
        if (guard.on && fatal[k].signal == signal) say(guard.by_signal[k]);
    raise(signal);
}

static void on_exit_of_it(void)
{
    if (!guard.on) return;
    fflush(stdout);
    say(guard.by_exit);
    lbr_compile_end();
    _exit(LBR_EXIT_NUMERICS);
}

/* A stack that has overflowed is no place for a handler. What somebody else (a sanitizer) waits for is left to him. */
static void handle(void)
{
    static char stack[STACK];
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK) },
                     before;

    sigemptyset(&action.sa_mask);
    if (sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL)) action.sa_flags &= ~SA_ONSTACK;
    for (int k = 0; k < FATAL; k++)
        if (!sigaction(fatal[k].signal, NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(fatal[k].signal, &action, NULL);
}

void guard_begin(const char *file)
{
    static int ready;
    char name[6 * NAME + 1];
    size_t taken, length = strlen(file) < NAME ? strlen(file) : NAME;

    if (guard.apart) return;
    name[terminal_shown(name, file, length, &taken)] = 0;
    snprintf(guard.by_exit, sizeof guard.by_exit, "libration: '%s': %sexit()\n", name, words);
    for (int k = 0; k < FATAL; k++)
        snprintf(guard.by_signal[k], sizeof guard.by_signal[k], "libration: '%s': %s%s (signal %d)\n", name, words,
                 fatal[k].what, fatal[k].signal);
    if (!ready) ready = !atexit(on_exit_of_it), handle();
    guard.on = 1;
}

void guard_end(void) { guard.on = 0; }

/* --- apart: in a process of its own ------------------------------------------------------------------------------ */

typedef struct shared {
    int done, code;
    max_align_t data[];
} shared;

static void child(shared *to, int (*work)(void *data))
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    guard.apart = 1;
    to->code = work(to->data);
    lbr_compile_end();
    if (fflush(stdout) || ferror(stdout)) {
        complain("the output could not be written: %s", strerror(errno));
        to->code = LBR_EXIT_MACHINE;
    }
    fflush(stderr);
    to->done = 1;
    _exit(0);
}

/* A signal that was sent to this process alone is passed on, once. */
static int wait_for(pid_t pid)
{
    const volatile sig_atomic_t *interrupt = run_interrupt();
    struct timespec moment = { 0, 1000000 };
    int status = 0, passed = 0;
    pid_t got;

    while (!(got = waitpid(pid, &status, WNOHANG)) || (got < 0 && errno == EINTR)) {
        if (*interrupt && !passed++) kill(pid, *interrupt);
        nanosleep(&moment, NULL);
    }
    return status;
}

int guard_apart(const char *file, int (*work)(void *data), void *data, size_t size)
{
    shared *to = mmap(NULL, sizeof *to + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status, code = LBR_EXIT_NUMERICS;
    pid_t pid = -1;

    if (to != MAP_FAILED) {
        memcpy(to->data, data, size);
        run_interrupt();
        fflush(stdout), fflush(stderr);
        if (!(pid = fork())) child(to, work);
    }
    if (pid < 0) {
        complain("'%.200s': no process could be started for it: %s", file, strerror(errno));
        if (to != MAP_FAILED) munmap(to, sizeof *to + size);
        return LBR_EXIT_MACHINE;
    }
    status = wait_for(pid);
    if (to->done) memcpy(data, to->data, size), code = to->code;
    else if (*run_interrupt()) code = LBR_EXIT_INTERRUPTED;
    else if (WIFSIGNALED(status))
        complain("'%.200s': %s%s (signal %d)", file, words, what_of(WTERMSIG(status)), WTERMSIG(status));
    else complain("'%.200s': %sexit(%d)", file, words, WEXITSTATUS(status));
    munmap(to, sizeof *to + size);
    return code;
}
