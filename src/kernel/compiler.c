/* compiler.c - the system's compiler: which one, how it is called, what it says.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* st_mtim */
#include "compiler.h"
#include "loaded.h"
#include "regular_file.h"
#include "core/number.h"
#include "stepper/stepper.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USUAL_SECONDS = 60, DAY = 86400, MOST_SAID = 1 << 14, MORE = 12 };
static const int64_t memory = INT64_C(4) << 30;

/* The compiler decides nothing about floating point. -fno-builtin: it must not work out sin(1) by itself, which has
 * other bits than the library's; what may be an instruction (fma, sqrt, fabs) is written as a builtin. */
static const char *const always[] = {
    "-std=c17",
    "-O3",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-fvisibility=hidden",
    "-w",
};

/* --- which one --------------------------------------------------------------------------------------------------- */

const char *lbr_compiler_name(void)
{
    const char *name = getenv("LIBRATION_CC");

    return name && *name ? name : "cc";
}

/* 0: they are not set, or no time. */
static double seconds_of(const char *text)
{
    double s = 0;

    if (text && lbr_number_read(text, text + strlen(text), &s) != text + strlen(text)) s = 0;
    return s > 0 && s < DAY ? s : 0;
}

double lbr_compiler_seconds(double usual)
{
    double s = seconds_of(getenv("LIBRATION_CC_SECONDS"));

    return s > 0 ? s : usual;
}

const char *lbr_compiler_odd_seconds(void)
{
    const char *text = getenv("LIBRATION_CC_SECONDS");

    return text && *text && !(seconds_of(text) > 0) ? text : NULL;
}

static int is_program(const char *path)
{
    struct stat s;

    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

/* As execvp looks for it, but only in folders that are absolute: never where one happens to be. */
static int search(const char *name, char path[LBR_PATH])
{
    const char *places = getenv("PATH");
    size_t n;

    if (strchr(name, '/')) return snprintf(path, LBR_PATH, "%s", name) < LBR_PATH && is_program(path);
    for (places = places && *places ? places : "/bin:/usr/bin"; *places; places += n + (places[n] == ':')) {
        n = strcspn(places, ":");
        if (*places == '/' && snprintf(path, LBR_PATH, "%.*s/%s", (int)n, places, name) < LBR_PATH && is_program(path))
            return 1;
    }
    return 0;
}

lbr_status lbr_compiler_find(lbr_compiler *c, lbr_message *m)
{
    c->name = lbr_compiler_name();
    c->seconds = lbr_compiler_seconds(USUAL_SECONDS);
    if (search(c->name, c->path)) return LBR_OK;
    return lbr_fail(m, LBR_EUNFIT, "there is no compiler '%.200s'; LIBRATION_CC names another one", c->name);
}

/* --- its flags --------------------------------------------------------------------------------------------------- */

/* The level, or NULL: what the compiler takes for granted. */
static const char *level(lbr_isa isa)
{
#ifdef __x86_64__
    if (isa == LBR_ISA_V4) return "-march=x86-64-v4";
    if (isa == LBR_ISA_V3) return "-march=x86-64-v3";
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") ? "-march=x86-64-v2" : "-march=x86-64";
#else
    return NULL;
#endif
}

lbr_status lbr_compiler_flags(lbr_compiler *c, int isa, const char *const *flags, int nflags, lbr_message *m)
{
    const char *name, *march;

    c->nflags = 0;
    if (!lbr_isa_there(isa))
        return lbr_fail(m, LBR_EARG, "this machine or this build lacks the instruction set that option isa asks for");
    if (nflags < 0 || nflags > LBR_COMPILER_FLAGS - (int)(sizeof always / sizeof *always) - 1 - MORE)
        return lbr_fail(m, LBR_EARG, "%d flags are too many for the compiler", nflags);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) c->flag[c->nflags++] = always[i];
    if ((march = level(lbr_isa_choose(isa, &name)))) c->flag[c->nflags++] = march;
    for (int i = 0; i < nflags; i++) c->flag[c->nflags++] = flags[i];
    return LBR_OK;
}

/* Its version is not asked: that takes as long as compiling something small. A compiler that was replaced is another
 * file. */
void lbr_compiler_digest(const lbr_compiler *c, lbr_digester *d)
{
    struct stat s;
    char file[200] = "";

    if (!stat(c->path, &s))
        snprintf(file, sizeof file, "%llu %llu %lld %lld.%09ld", (unsigned long long)s.st_dev,
                 (unsigned long long)s.st_ino, (long long)s.st_size, (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
    lbr_digest_text(d, c->path), lbr_digest_text(d, file);
    for (int i = 0; i < c->nflags; i++) lbr_digest_text(d, c->flag[i]);
    lbr_digest_text(d, ""); /* the flags end here */
}

/* --- a call ------------------------------------------------------------------------------------------------------ */

/* The line of what it said that says most: the first one with an error in it, otherwise the first one. That the linker
 * has failed (collect2) says nothing. */
/* The length of the character of UTF-8 at c that shows something; 0: it steers a terminal, or is none. */
static int shown(const unsigned char *c)
{
    int n = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : *c < 0xf5 ? 4 : 0;

    for (int i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    return *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0) ? 0 : n;
}

static void tame(char *line)
{
    for (int n; *line; line += n)
        if (!(n = shown((unsigned char *)line))) *line = ' ', n = 1;
}

static void listen(const char *log, char *line, size_t size)
{
    char said[MOST_SAID];
    FILE *f = lbr_regular_stream(log);
    size_t n = f ? fread(said, 1, sizeof said - 1, f) : 0;
    const char *start = said, *error;

    said[n] = 0;
    if (f) fclose(f);
    while (isspace((unsigned char)*start)) start++;
    for (error = strstr(said, "rror:"); error && error > said && error[-1] != '\n';) error--;
    if (error && strncmp(error, "collect2:", 9)) start = error;
    n = strcspn(start, "\n");
    if (n >= size) n = size - 1;
    while (n && ((unsigned char)start[n] & 0xc0) == 0x80) n--; /* a character of UTF-8 is not cut */
    memcpy(line, start, n), line[n] = 0;
    tame(line);
}

static lbr_status failed(const lbr_compiler *c, int why, const char *log, lbr_message *m)
{
    char line[240];

    switch (why) {
    case LBR_COMMAND_MISSING:
        return lbr_fail(m, LBR_EUNFIT,
                        "there is no compiler '%.200s' that could be run; LIBRATION_CC names another one", c->name);
    case LBR_COMMAND_LATE:
        return lbr_fail(m, LBR_EARG, "the compiler '%.200s' was ended after %g seconds (LIBRATION_CC_SECONDS)", c->name,
                        c->seconds);
    case LBR_COMMAND_INTERRUPTED: return lbr_fail(m, LBR_STOPPED, "interrupted while a kernel was compiled");
    case LBR_COMMAND_MACHINE: return lbr_fail(m, LBR_EIO, "the compiler '%.200s' could not be started", c->name);
    }
    listen(log, line, sizeof line);
    return lbr_fail(m, strstr(line, "No space left") || strstr(line, "too large") ? LBR_EIO : LBR_EARG,
                    "the compiler '%.150s' failed%s%s", c->name, *line ? ": " : " and said nothing", line);
}

static void log_of(const lbr_folder *folder, char log[LBR_PATH + 8])
{
    snprintf(log, LBR_PATH + 8, "%s/said", folder->path);
}

lbr_status lbr_compiler_begin(const lbr_compiler *c, const lbr_folder *folder, const char *const *more, lbr_process *p,
                              lbr_message *m)
{
    const char *argv[1 + LBR_COMPILER_FLAGS + MORE + 1] = { c->path };
    char log[LBR_PATH + 8];
    lbr_command command = { argv, log, folder->path, c->seconds, memory, c->interrupt, c->gentle };
    int n = 1;

    if (lbr_loaded_was_late(c->path, m)) return LBR_EARG;
    log_of(folder, log);
    for (int i = 0; i < c->nflags; i++) argv[n++] = c->flag[i];
    for (int i = 0; i < MORE && more[i]; i++) argv[n++] = more[i];
    argv[n] = NULL;
    return lbr_command_begin(&command, p) ? failed(c, LBR_COMMAND_MACHINE, log, m) : LBR_OK;
}

lbr_status lbr_compiler_end(const lbr_compiler *c, const lbr_folder *folder, lbr_process *p, lbr_message *m)
{
    char log[LBR_PATH + 8];
    int why = lbr_command_end(p);
    lbr_status failing;

    log_of(folder, log);
    if (!why) return LBR_OK;
    failing = failed(c, why, log, m);
    if (why == LBR_COMMAND_LATE) lbr_loaded_late(c->path, m);
    return failing;
}
