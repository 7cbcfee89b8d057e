/* kill.h - a program that is killed while it writes, and what is found afterwards.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef KILL_H
#define KILL_H
#include "waiting.h"
#include "files.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { MARKS = 600 };

/* What the writer says while it lives: records that are on the disk for sure, checkpoints written; records handed over
 * by tenths of a second. */
typedef struct diary {
    volatile int64_t flushed, saved, records, mark[MARKS];
} diary;

/* Writes for ever. With `busy`, flushes and saves all the time, so that nearly every moment is one in which something
 * is half done. */
static void writer(const char *path, const char *saved, int busy, diary *d)
{
    lbr_message m;
    lbr_stream *s;
    double begin = seconds();

    if (create(&s, path, &m)) _exit(1);
    for (int64_t n = 0, k = 0;;) {
        int64_t more = busy ? 1 + n % 97 * 7 : 1;
        int tenth = (int)(10 * (seconds() - begin));

        if (pour(s, n, n + more, &m)) _exit(1);
        n += more;
        d->records = n;
        if (tenth < MARKS) d->mark[tenth] = n;
        if (!busy) {
            if (n % 16 == 0) rest(1e-4);
            continue;
        }
        if (lbr_stream_flush(s, NULL, &m)) _exit(1);
        d->flushed = n;
        if (n % 3) continue;
        if (lbr_saved_write(saved, &(lbr_saved){ .h = 1, .records = n, .steps = ++k }, 0, &m)) _exit(1);
        d->saved = k;
    }
}

/* Found after a kill at `lived` seconds into the writing: 0 if something is wrong; adds to *torn if a line of a CSV
 * file was not ended. */
static int found(const char *path, const char *saved, int busy, const diary *d, double lived, int *torn)
{
    size_t tail = 0;
    int64_t least = d->flushed, n;
    int age = (int)(10 * lived) -
              15; /* a second in memory, and half a one because the machine has other things to do */
    lbr_saved c;
    lbr_message m;
    lbr_stream *s;
    void *memory;
    int good = 1;

    if (!busy) least = age > 0 && age < MARKS ? d->mark[age] : 0;
    n = strstr(path, ".csv") ? read_csv(path, &tail) : have_h5dump() ? read_hdf5(path) : least;
    *torn += tail > 0;
    good = n >= least && n <= d->records + 1000;
    if (!good) printf("# %s: %lld records, at least %lld wanted\n", path, (long long)n, (long long)least);
    if (d->saved) {
        good &= !lbr_saved_read(saved, &c, &memory, &m) && c.steps >= d->saved && c.steps <= d->saved + 1 &&
                c.records <= n;
        lbr_mem_free(memory);
        least = c.records;
    }
    if (!access(path, F_OK) && n >= 0)
        good &= !resume(&s, path, least, &m) && !pour(s, least, least + 5000, &m) && !lbr_stream_close(s, &m) &&
                (strstr(path, ".csv") ? read_csv(path, &tail) == least + 5000 && !tail
                                      : !have_h5dump() || read_hdf5(path) == least + 5000);
    if (!good) printf("# %s: %s\n", path, m.text);
    return good;
}

/* `times` kills at moments of up to `most` seconds. */
__attribute__((unused)) static void kills(const char *file, int times, int busy, double least, double most)
{
    diary *d = mmap(NULL, sizeof *d, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int good = d != MAP_FAILED, torn = 0, leftover = 0;
    const char *saved;
    char path[200];
    int64_t records = 0;

    for (int i = 0; i < times && good; i++) {
        double lived = least + (most - least) * (double)rand() / RAND_MAX, begin;
        pid_t child;

        files(1), memset((void *)d, 0, sizeof *d), fflush(stdout);
        snprintf(path, sizeof path, "%s/%s", scratch, file), saved = in_scratch("x.lbc");
        begin = seconds();
        if (!(child = fork())) writer(path, saved, busy, d), _exit(1);
        while (!d->records && seconds() - begin < 20) rest(1e-4); /* it has begun */
        rest(lived);
        lived = seconds() - begin;
        kill(child, SIGKILL), waitpid(child, NULL, 0);
        leftover += files(0) - 1 - (d->saved > 0);
        saved = in_scratch("x.lbc");
        good = found(path, saved, busy, d, lived, &torn), records += d->records;
    }
    ok(good,
       "%s: killed %d times while it %s: %lld records in all, %d times a line without its end, %d files left beside a "
       "checkpoint",
       file, times, busy ? "flushes and saves" : "grows", (long long)records, torn, leftover);
    files(1);
    if (d != MAP_FAILED) munmap(d, sizeof *d);
}
#endif
