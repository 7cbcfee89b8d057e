/* main.c - the command-line tool. SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "kernel/compile.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

static const command commands[] = {
    { "run", "run FILE [--method M] [--step H] [--steps N | --time T] [--every K] [--out FILE.csv] [--json] ...", "integrate a system: run --help tells the rest", command_run, help_run },
    { "methods", "methods [NAME] [--symplectic] [--symmetric] [--order N] [--fits FILE] [--json]", "the catalogue; with NAME, everything about one method; with FILE, what fits a model, and why the rest does not", command_methods, NULL },
    { "check", "check METHOD|FILE... | --all [--json]", "recompute certificates: order, symmetry, symplecticity, digits; of a FILE, those of its method statements", command_check, NULL },
    { "compare", "compare FILE --methods A,B,C [--steps N1,N2,...] [--set a=1] [--plot FILE] [--json] ...", "work and precision of methods, against a tight reference: compare --help tells the rest", command_compare, help_compare },
    { "models", "models [NAME] [--experiment] [--json]", "the gallery; with NAME, prints the file", command_models, NULL },
    { "reproduce", "reproduce ID|CHAPTER|FILE...|--all [--quick] [--bite] [--report DIR] [--json] ...", "the experiments: every claim, pass or fail, with its number: reproduce --help tells the rest", command_reproduce, help_reproduce },
    { "cache", "cache [--clear] [--json]", "where compiled kernels are kept, how many, how many bytes; --clear removes them", command_cache, NULL },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

int complain(const char *format, ...)
{
    va_list ap;

    fputs("libration: ", stderr);
    va_start(ap, format), vfprintf(stderr, format, ap), va_end(ap);
    putc('\n', stderr);
    return BAD_INPUT;
}

int status_exit(lbr_status status)
{
    switch (status) {
    case LBR_OK: case LBR_STOPPED: return DONE;
    case LBR_ENOMEM: case LBR_EIO: return MACHINE;
    case LBR_ENOCONV: case LBR_ECALLBACK: case LBR_ENONFINITE: return NUMERICS;
    default: return BAD_INPUT;
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
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  libration %s\n      %s\n", commands[i].use, commands[i].help);
    fputs("  libration --help | --version\n\n"
          "A METHOD is an expression: stormer-verlet, gauss:6, compose(kahan-li-8-17, midpoint), adjoint(symplectic-euler),\n"
          "split(strang, A, B), process(effective-6-9, effective-6-9-processor), collocation(1/4, 5/6), hager(rk4).\n\n"
          "Exit status: 0 done, 1 a claim or a certificate failed, 2 bad input or usage, 3 the numerics failed,\n"
          "4 the machine failed (memory, disk), 130 interrupted with everything so far saved.\n", out);
    return DONE;
}

static int help_of(const command *c)
{
    printf("usage: libration %s\n%s\n", c->use, c->help);
    if (c->more) c->more(stdout);
    return DONE;
}

static int unknown(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (!strncmp(commands[i].name, name, 2)) return complain("there is no command '%.60s'; did you mean '%s'? (libration --help)", name, commands[i].name);
    return complain("there is no command '%.60s'; see libration --help", name);
}

static int run(int argc, char **argv)
{
    if (argc < 2) return help(stderr), BAD_INPUT;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) return help(stdout);
    if (!strcmp(argv[1], "--version")) return printf("libration %s\n", lbr_version()), DONE;
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name)) continue;
        for (int k = 2; k < argc && strcmp(argv[k], "--"); k++)
            if (!strcmp(argv[k], "--help")) return help_of(&commands[i]);
        return commands[i].run(argc - 1, argv + 1);
    }
    return unknown(argv[1]);
}

int main(int argc, char **argv)
{
    int code;

    signal(SIGXFSZ, SIG_IGN);                       /* a limit for files is a full disk: writing says so */
    terminal_open();
    code = run(argc, argv);
    lbr_compile_end();                                   /* compilers that are still at work beside */
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "libration: the output could not be written: %s\n", strerror(errno));
        return MACHINE;
    }
    return code;
}
