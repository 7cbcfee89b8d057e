/* main.c - the command-line tool. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "flags.h"
#include "core/text.h"
#include "kernel/compile.h"
#include "kernel/compiler.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

static const command *const commands[] = { &command_run,    &command_methods,   &command_check, &command_compare,
                                           &command_models, &command_reproduce, &command_cache, &command_completion };
enum { COMMANDS = sizeof commands / sizeof *commands };

const command *command_number(int i) { return i < COMMANDS ? commands[i] : NULL; }

int complain(const char *format, ...)
{
    va_list ap;

    fputs("libration: ", stderr);
    va_start(ap, format), vfprintf(stderr, format, ap), va_end(ap);
    putc('\n', stderr);
    return LBR_EXIT_INPUT;
}

int status_exit(lbr_status status)
{
    switch (status) {
    case LBR_OK:
    case LBR_STOPPED: return LBR_EXIT_DONE;
    case LBR_ENOMEM:
    case LBR_EIO: return LBR_EXIT_MACHINE;
    case LBR_ENOCONV:
    case LBR_ECALLBACK:
    case LBR_ENONFINITE: return LBR_EXIT_NUMERICS;
    default: return LBR_EXIT_INPUT;
    }
}

int each_method(int (*visit)(const char *name, void *ctx), void *ctx)
{
    char name[128];
    int stop = 0;

    for (int64_t i = 0; i < lbr_catalogue_size() && !stop; i++) {
        const lbr_method *m = lbr_catalogue(i);

        if (!m->stride) stop = visit(m->name, ctx);
        for (int k = m->first; m->stride && k <= m->last && !stop; k += m->stride) {
            snprintf(name, sizeof name, "%s:%d", m->name, k);
            stop = visit(name, ctx);
        }
    }
    return stop;
}

static int help(FILE *out)
{
    fputs("Libration: geometric numerical integration.\n\nusage:\n", out);
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  libration %s\n      %s\n", commands[i]->use, commands[i]->help);
    fputs("  libration --help | --version\n\n"
          "A METHOD is an expression: stormer-verlet, gauss:6, compose(kahan-li-8-17, midpoint), "
          "adjoint(symplectic-euler),\n"
          "split(strang, A, B), process(effective-6-9, effective-6-9-processor), collocation(1/4, 5/6), hager(rk4).\n\n"
          "Exit status: 0 done, 1 a claim or a certificate failed, 2 bad input or usage, 3 the numerics failed,\n"
          "4 the machine failed (memory, disk), 130 interrupted with everything so far saved.\n",
          out);
    return LBR_EXIT_DONE;
}

static int unknown(const char *name)
{
    static const char *const flags[] = { "--help", "--version", "help" };
    const char *best = NULL;
    int least = lbr_text_far(name);

    for (int i = 0; i < COMMANDS; i++)
        if (lbr_text_distance(name, commands[i]->name) < least)
            least = lbr_text_distance(name, best = commands[i]->name);
    for (int i = 0; i < 3; i++)
        if (lbr_text_distance(name, flags[i]) < least) least = lbr_text_distance(name, best = flags[i]);
    if (best) return complain("there is no command '%.60s'; did you mean '%s'? (libration --help)", name, best);
    return complain("there is no command '%.60s'; see libration --help", name);
}

static int is_help(const char *argument) { return !strcmp(argument, "--help") || !strcmp(argument, "-h"); }

/* What is set there and does not count. */
static void note_environment(void)
{
    const char *odd = lbr_compiler_odd_seconds();

    if (odd)
        fprintf(stderr,
                "libration: note: LIBRATION_CC_SECONDS is '%.60s', which is no number of seconds above 0 and below a "
                "day: the usual time counts\n",
                odd);
}

static int run(int argc, char **argv)
{
    if (argc < 2) return help(stderr), LBR_EXIT_INPUT;
    if (is_help(argv[1]) || !strcmp(argv[1], "help")) return help(stdout);
    if (!strcmp(argv[1], "--version")) return printf("libration %s\n", lbr_version()), LBR_EXIT_DONE;
    for (int i = 0; i < COMMANDS; i++) {
        const command *c = commands[i];

        if (strcmp(argv[1], c->name)) continue;
        for (int k = 2; k < argc && strcmp(argv[k], "--"); k++)
            if (is_help(argv[k])) return flags_help(c, stdout), LBR_EXIT_DONE;
        note_environment();
        return c->run(c, argc - 1, argv + 1);
    }
    return unknown(argv[1]);
}

int main(int argc, char **argv)
{
    int code;

    signal(SIGXFSZ, SIG_IGN); /* a limit for files is a full disk: writing says so */
    terminal_open();
    code = run(argc, argv);
    guard_end();
    lbr_compile_end(); /* compilers that are still at work beside */
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "libration: the output could not be written: %s\n", strerror(errno));
        return LBR_EXIT_MACHINE;
    }
    return code;
}
