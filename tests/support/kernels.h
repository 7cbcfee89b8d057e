/* kernels.h - what the tests of compiling kernels share: folders of their own, compilers that misbehave, requests in a
 * process of their own. SPDX-License-Identifier: BSD-3-Clause */
#ifndef KERNELS_H
#define KERNELS_H
#include "heap.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/cache.h"
#include "kernel/command.h"
#include "kernel/compile.h"
#include "stepper/stepper.h"
#include "core/clock.h"

#define UNUSED   __attribute__((unused))
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* --- folders: base has cache (the cache), tmp (temporary files), and whatever a test puts there ------------------ */

static char base[64];

__attribute__((format(printf, 1, 2))) static const char *in(const char *format, ...)
{
    static char path[8][512];
    static int k;
    va_list ap;
    int n;

    k = (k + 1) % 8;
    n = snprintf(path[k], sizeof path[k], "%s/", base);
    va_start(ap, format), vsnprintf(path[k] + n, sizeof path[k] - (size_t)n, format, ap), va_end(ap);
    return path[k];
}

UNUSED static void spit(const char *file, const char *text, mode_t mode)
{
    FILE *f = fopen(file, "w");

    if (!f || fputs(text, f) < 0 || fclose(f) || chmod(file, mode))
        printf("Bail out! %s cannot be written\n", file), exit(1);
}

UNUSED static int there(const char *file)
{
    struct stat s;
    return !lstat(file, &s);
}
UNUSED static long bytes(const char *file)
{
    struct stat s;
    return stat(file, &s) ? -1 : (long)s.st_size;
}

UNUSED static int lines(const char *file)
{
    FILE *f = fopen(file, "r");
    int n = 0;

    for (int c; f && (c = getc(f)) != EOF;) n += c == '\n';
    if (f) fclose(f);
    return n;
}

/* How many names in a folder end so; the last of them in name. */
UNUSED static int names(const char *folder, const char *end, char *name)
{
    DIR *d = opendir(folder);
    int n = 0;

    for (const struct dirent *e; d && (e = readdir(d));) {
        size_t k = strlen(e->d_name), m = strlen(end);

        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || k < m || strcmp(e->d_name + k - m, end)) continue;
        n++;
        if (name) strcpy(name, e->d_name);
    }
    if (d) closedir(d);
    return n;
}

UNUSED static int entries(void) { return names(in("cache"), ".so", NULL); }
/* Temporary files, and entries that were not finished. */
UNUSED static int litter(void) { return names(in("tmp"), "", NULL) + names(in("cache"), ".new", NULL); }

/* What must work. */
__attribute__((format(printf, 1, 2), unused)) static void shell(const char *format, ...)
{
    char line[2000];
    va_list ap;

    va_start(ap, format), vsnprintf(line, sizeof line, format, ap), va_end(ap);
    fflush(stdout);
    if (system(line)) printf("Bail out! %s\n", line), exit(1);
}

/* An empty cache, as it is made by itself. */
UNUSED static void new_cache(void)
{
    shell("chmod -R u+rwx '%s/cache' 2>/dev/null; rm -rf '%s/cache'", base, base),
        setenv("LIBRATION_CACHE", in("cache"), 1);
}

/* --- compilers --------------------------------------------------------------------------------------------------- */

static const char *real_compiler(void)
{
    const char *cc = getenv("CC");
    return cc && *cc ? cc : "cc";
}

/* A script that is the compiler from now on. It counts its calls; $out is what it should write, $base our folder;
 * compile does what a compiler does. */
UNUSED static void fake(const char *name, const char *script)
{
    char text[4000];

    snprintf(text, sizeof text,
             "#!/bin/sh\nbase='%s'\necho \"$$\" >>\"$base/calls\"\n"
             "prev=; out=; for a; do if [ \"$prev\" = -o ]; then out=$a; fi; prev=$a; done\n"
             "compile() { '%s' \"$@\"; }\n"
             "%s\n",
             base, real_compiler(), script);
    spit(in("%s", name), text, 0755);
    setenv("LIBRATION_CC", in("%s", name), 1);
}

UNUSED static int calls(void)
{
    int n = lines(in("calls"));

    unlink(in("calls"));
    return n;
}

/* --- requests ---------------------------------------------------------------------------------------------------- */

/* What came of one. A kernel is a function that gives a number. */
/* first, took: seconds that the first and the last call took. */
typedef struct outcome {
    lbr_status status;
    int value, cached, times;
    double seconds, took, first;
    char message[LBR_MESSAGE];
    int ended, noise;
    long refused;
} outcome;

typedef struct request {
    int number;
    const char *prelude, *body, *flag;
    int isa;     /* body: instead of returning the number */
    int times;   /* asked so often, in one process; 0: once */
    rlim_t most; /* bytes that a file may have; 0: no limit */
    int alarm;   /* milliseconds after which it is interrupted; 0: never */
    int nobody;  /* by a user who is not root */
    long refuse; /* the allocation that gets no memory (heap.h); 0: none */
} request;

static volatile sig_atomic_t interrupted;
static void on_alarm(int signal) { interrupted = 1; }

static void ask_once(const request *r, outcome *o)
{
    char body[200];
    const char *text[] = { "static int twice(int n) { return 2 * n; }\n", r->prelude ? r->prelude : "", body };
    const lbr_compile c = { text,     COUNT(text),     "entry",          r->isa,
                            &r->flag, r->flag != NULL, LBR_COMPILE_WAIT, &interrupted };
    lbr_object object;
    int (*entry)(void) = NULL;
    double began = lbr_seconds();

    if (r->body) snprintf(body, sizeof body, "static int entry(void) { %s }", r->body);
    else snprintf(body, sizeof body, "static int entry(void) { return twice(%d) - %d; }", r->number, r->number);
    o->status = lbr_compile_object(&c, &object);
    o->took = lbr_seconds() - began, o->times++;
    if (o->times == 1) o->first = o->took;
    *(void **)&entry = object.symbol;
    o->value = entry ? entry() : -1;
    o->cached = object.cached, o->seconds = object.seconds;
    memcpy(o->message, object.message.text, sizeof o->message);
}

static void prepare(const request *r)
{
    if (r->most) signal(SIGXFSZ, SIG_IGN), setrlimit(RLIMIT_FSIZE, &(struct rlimit){ r->most, r->most });
    if (r->nobody && (setgid(65534) || setuid(65534))) _exit(98);
    heap.calls = heap.refused = 0, heap.refuse = r->refuse;
    if (!r->alarm) return;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { r->alarm / 1000, r->alarm % 1000 * 1000 } }, NULL);
}

/* Begins a request in a process that knows nothing of earlier ones; what it says on stdout and stderr is noise. */
static pid_t begin(const request *r, outcome *o)
{
    pid_t child;
    int fd;

    fflush(stdout);
    if ((child = fork())) return child;
    fd = open(in("noise"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0) _exit(99);
    prepare(r);
    for (int i = 0; i < (r->times ? r->times : 1); i++) ask_once(r, o);
    o->refused = heap.refused, heap.refuse = 0;
    exit(0); /* not _exit: leaks are looked for */
}

static outcome *shared(int n)
{
    outcome *o = mmap(NULL, (size_t)n * sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (o == MAP_FAILED) printf("Bail out! no memory\n"), exit(1);
    return o;
}

static void end(pid_t child, outcome *o)
{
    waitpid(child, &o->ended, 0);
    o->noise = bytes(in("noise")) > 0;
    if (o->noise || o->ended)
        printf("# ended with %d\n", o->ended), fflush(stdout), shell("sed 's/^/# /' '%s/noise' | head -40", base);
    unlink(in("noise"));
}

UNUSED static outcome ask(const request *r)
{
    outcome *o = shared(1), result;

    end(begin(r, o), o);
    result = *o;
    munmap(o, sizeof *o);
    return result;
}

#define ASK(...) ask(&(request){ __VA_ARGS__ })

/* The process has ended well and said nothing; the kernel is right; nothing is left. */
UNUSED static int well(const outcome *o, int value)
{
    return !o->ended && !o->noise && !o->status && o->value == value && !litter();
}
UNUSED static int fresh(const outcome *o) { return !o->cached && o->seconds > 0; }
UNUSED static int found(const outcome *o) { return o->cached && o->seconds == 0 && !*o->message; }
/* One sentence about it: it has this part, and is one line. */
UNUSED static int says(const outcome *o, const char *part)
{
    return strchr(o->message, ' ') && strstr(o->message, part) && !strchr(o->message, '\n') &&
           strlen(o->message) < LBR_MESSAGE - 1;
}

UNUSED static int with_folders(void (*tests)(void))
{
    snprintf(base, sizeof base, "/tmp/lbr-kernels-XXXXXX");
    if (!mkdtemp(base) || chmod(base, 0755)) return 1;
    if (mkdir(in("tmp"), 0777) || chmod(in("tmp"), 0777)) return 1;
    setenv("TMPDIR", in("tmp"), 1), setenv("LIBRATION_CACHE", in("cache"), 1);
    unsetenv("LIBRATION_CC_SECONDS");
    fake("good", "compile \"$@\"");
    tests();
    shell("chmod -R u+rwx '%s'; rm -rf '%s'", base, base);
    return tap_done();
}
#endif
