/* test_io_faults.c - files when the disk is full, a call of the system fails, memory is refused, or the program is
 * killed. SPDX-License-Identifier: BSD-3-Clause
 *
 * A limit on the size of files is a disk that is full after so many bytes. Calls and allocations can be made to fail
 * where the program is linked with --wrap=malloc and its kin, and
 * --wrap=pwrite,fsync,fdatasync,ftruncate,link,rename,close; elsewhere that is left out. */
#define _GNU_SOURCE
#include "support/heap.h"
#include "support/kill.h"
#include "support/share.h"

#include <errno.h>
#include <sys/resource.h>

/* --- a full disk ------------------------------------------------------------------------------------------------- */

static void disk(int64_t bytes) /* -1: no limit */
{
    struct rlimit r;

    fflush(stdout);
    getrlimit(RLIMIT_FSIZE, &r);
    r.rlim_cur = bytes < 0 ? r.rlim_max : (rlim_t)bytes;
    setrlimit(RLIMIT_FSIZE, &r);
}

static int names_file(const lbr_message *m, const char *path)
{
    return strstr(m->text, path) && (strstr(m->text, "large") || strstr(m->text, "space") || strstr(m->text, "I/O") ||
                                     strstr(m->text, "nput/output"));
}

/* Writes until the disk is full; then the file must have what it is said to have, and the rest can be written once
 * there is room. */
static int full(const char *path, int64_t bytes, int64_t total, int64_t every, int64_t *least)
{
    lbr_message m = { 0 }, again = { 0 };
    lbr_stream *s;
    lbr_status status;
    int64_t n = 0;
    size_t torn = 0;
    int good;

    unlink(path);
    disk(bytes);
    status = create(&s, path, &m);
    if (status)
        return disk(-1),
               status == LBR_EIO && names_file(&m, path) && access(path, F_OK); /* not even a header: no file */
    for (int64_t i = 0; i < total && !status; i += every) {
        status = pour(s, i, i + every, &m);
        if (!status) status = lbr_stream_flush(s, NULL, &m);
    }
    good = status ? status == LBR_EIO && names_file(&m, path) : bytes > 1000;
    if (status)
        good &= lbr_stream_flush(s, &n, &again) == LBR_EIO && pour(s, 0, 1, &again) == LBR_EIO &&
                !strcmp(m.text, again.text);
    good &= lbr_stream_close(s, &again) == status;
    disk(-1);
    if (status && *least >= 0) good &= n >= *least, *least = n; /* more room, no fewer records */
    if (status && strstr(path, ".csv")) good &= read_csv(path, &torn) == n && !torn;
    else if (status && have_h5dump() && bytes % 5 == 0) good &= read_hdf5(path) == n;
    if (status) good &= !resume(&s, path, n, &m) && !pour(s, n, total, &m) && !lbr_stream_close(s, &m);
    if (strstr(path, ".csv")) good &= read_csv(path, &torn) == total && !torn;
    else if (have_h5dump() && bytes % 5 == 0) good &= read_hdf5(path) == total;
    if (!good) printf("# %lld bytes: status %d, %lld records: %s\n", (long long)bytes, status, (long long)n, m.text);
    return good;
}

static void full_disks(void)
{
    char path[2][100];
    int64_t least = 0;
    int good = 1, tried = 0;

    snprintf(path[0], 100, "%s/x.csv", scratch), snprintf(path[1], 100, "%s/x.h5", scratch);
    for (int64_t n = 0; n < 2500 && good; n += 23) good &= full(path[0], n, 20, 3, &least), tried++;
    least = 0;
    for (int64_t n = 200000; n < 900000 && good; n += 49999) good &= full(path[0], n, 6000, 6000, &least), tried++;
    ok(good && least > 1000,
       "CSV on a disk that is full after some bytes: ends with a whole record, and goes on later (%d cases)", tried);
    good = 1, tried = 0, least = -1; /* HDF5 takes its room in larger pieces; what is there is what was committed */
    for (int64_t n = 0; n < 400000 && good; n += (n < 60000 ? 2995 : 24930) * share(1, 2, 4))
        good &= full(path[1], n, 9000, 1500, &least), tried++;
    ok(good, "HDF5 too (%d cases)", tried);
    files(1);
}

static int is_saved(const char *path, int k)
{
    lbr_message m;
    lbr_saved s;
    void *memory;
    int good = !lbr_saved_read(path, &s, &memory, &m) && is_checkpoint(&s, k);

    lbr_mem_free(memory);
    return good;
}

static void full_disks_and_checkpoints(void)
{
    const char *path = in_scratch("x.lbc");
    lbr_saved one = checkpoint(1), two = checkpoint(2);
    lbr_message m;
    lbr_status status;
    int good = !lbr_saved_write(path, &one, 0, &m), refused = 0;

    for (int n = 0; n < 3400 && good; n += 13) {
        disk(n), status = lbr_saved_write(path, &two, 0, &m), disk(-1);
        good &= status ? status == LBR_EIO && names_file(&m, path) && is_saved(path, 1)
                       : is_saved(path, 2) && !lbr_saved_write(path, &one, 0, &m);
        good &= files(0) == 1, refused += status != 0;
    }
    ok(good && refused > 200 && refused < 260,
       "a full disk leaves the last checkpoint as it was, and nothing beside it: %s", m.text);
    files(1);
}

/* --- calls that fail, and memory that is refused ----------------------------------------------------------------- */

static struct {
    long calls, fail;
    int error, failed, shorten;
    long lines, torn; /* writes of whole lines; those that end within one, or of several over the end of a page */
} fate;

static int fails(void)
{
    if (++fate.calls != fate.fail) return 0;
    errno = fate.error;
    return fate.failed = 1;
}

/* A kill ends a write between two pages. */
static void seen(const char *b, size_t n, off_t at)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) count += b[i] == '\n';
    fate.lines += count > 0;
    fate.torn += b[n - 1] != '\n' || (count > 1 && at / 4096 != (at + (off_t)n - 1) / 4096);
}

#define WRAP(type, name, declared, passed, returns, ...) \
    type __real_##name declared __attribute__((weak));   \
    type __wrap_##name declared;                         \
    type __wrap_##name declared { __VA_ARGS__ return fails() ? (returns) : __real_##name passed; }

WRAP(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t at), (fd, b, n, at), -1, if (n) seen(b, n, at);
     if (fate.shorten && fate.calls % 3 == 0) return fate.calls++, errno = EINTR,
     -1; /* interrupted, or only a part: both are to be gone on with */
     if (fate.shorten && n > 1) n = (n + 1) / 2;)
WRAP(int, fsync, (int fd), (fd), -1, )
WRAP(int, fdatasync, (int fd), (fd), -1, )
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), -1, )
WRAP(int, link, (const char *a, const char *b), (a, b), -1, )
WRAP(int, rename, (const char *a, const char *b), (a, b), -1, )
WRAP(int, close, (int fd), (fd), (__real_close(fd), errno = fate.error, -1), )

/* A stream from its beginning to its end and once more from its middle. */
static lbr_status life(const char *path, int64_t *records, lbr_message *m)
{
    lbr_stream *s;
    lbr_status status, last;
    int64_t n = 0;

    *records = -1;
    if ((status = create(&s, path, m))) return status;
    *records = 0;
    for (int i = 0; i < 3 && !status; i++)
        if (!(status = pour(s, 100 * i, 100 * i + 100, m))) status = lbr_stream_flush(s, &n, m);
    if (status) lbr_stream_flush(s, &n, m);
    *records = n;
    last = lbr_stream_close(s, m);
    if (status || last) return status ? status : last;
    *records = 200; /* going on may have cut already */
    if ((status = resume(&s, path, 200, m))) return status;
    status = pour(s, 200, 400, m);
    if (!status) status = lbr_stream_flush(s, &n, m), *records = n;
    last = lbr_stream_close(s, m);
    return status ? status : last;
}

/* How many calls there were; 0 if one that fails is not taken well. */
static long every_call(const char *path, int error)
{
    int64_t n;
    lbr_message m;
    lbr_status status;
    int good = 1;
    int64_t looked = error == EIO ? share(1, 5, 17) : share(4, 11, 37); /* how often HDF5's own program is asked */
    long k = 0;

    do {
        size_t torn = 0;

        unlink(path);
        memset(&fate, 0, sizeof fate), fate.fail = ++k, fate.error = error, m.text[0] = 0;
        status = life(path, &n, &m);
        fate.fail = 0;
        good = status == (fate.failed ? LBR_EIO : LBR_OK) && (!status || strstr(m.text, path));
        if (n < 0) good &= access(path, F_OK) != 0;
        else if (strstr(path, ".csv")) good &= read_csv(path, &torn) >= n && !torn;
        else if (have_h5dump() && k % looked == 0) good &= read_hdf5(path) >= n;
        if (!good) printf("# %s: call %ld, status %d, %lld records: %s\n", path, k, status, (long long)n, m.text);
    } while (fate.failed && good && k < 2000);
    return good ? k - 1 : 0;
}

static void failing_calls(void)
{
    static const char *const name[] = { "x.csv", "x.h5" };
    char path[100];
    long n;

    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", scratch, name[i % 2]);
        n = every_call(path, i < 2 ? EIO : ENOSPC);
        ok(n > 10, "%s: %ld calls of the system, each of which may fail", path, n);
    }
    for (int i = 0; i < 2; i++) {
        size_t torn = 0;
        int64_t k;
        lbr_message m = { 0 };

        snprintf(path, sizeof path, "%s/%s", scratch, name[i]), unlink(path);
        memset(&fate, 0, sizeof fate), fate.shorten = 1;
        ok(!life(path, &k, &m) && k == 400 &&
               (i ? !have_h5dump() || read_hdf5(path) == 400 : read_csv(path, &torn) == 400),
           "%s: calls that are interrupted or do only half %s", path, m.text);
        memset(&fate, 0, sizeof fate);
    }
    files(1);
}

static void failing_calls_and_checkpoints(void)
{
    const char *path = in_scratch("x.lbc");
    lbr_saved one = checkpoint(1), two = checkpoint(2);
    lbr_message m;
    lbr_status status;
    int good = 1, k = 0;

    for (int fresh = 0; fresh < 2; fresh++) do {
            files(1);
            if (!fresh) good &= !lbr_saved_write(path, &one, 0, &m);
            memset(&fate, 0, sizeof fate), fate.fail = ++k, fate.error = EIO;
            status = lbr_saved_write(path, &two, 0, &m);
            fate.fail = 0;
            good &= fate.failed ? status == LBR_EIO || !status : !status;
            if (!status) good &= is_saved(path, 2) && files(0) == 1;
            else if (!fresh) good &= (is_saved(path, 1) || is_saved(path, 2)) && files(0) == 1 && strstr(m.text, path);
            else good &= access(path, F_OK) ? files(0) == 0 : is_saved(path, 2) && files(0) == 1;
            if (!good) printf("# call %d, status %d: %s\n", k, status, m.text);
            if (!fate.failed && !fresh) {
                k = 0;
                break;
            }
        } while (fate.failed && good && k < 100);
    ok(good && k > 4, "a checkpoint is the old one or the new one, whatever call fails");
    memset(&fate, 0, sizeof fate), files(1);
}

static void failing_allocations(void)
{
    static const char *const name[] = { "x.csv", "x.h5", "x.lbc" };

    for (int i = 0; i < COUNT(name); i++) {
        char path[100];
        lbr_message m;
        lbr_status status;
        lbr_saved c = checkpoint(1), back;
        void *memory;
        int64_t n = 0;
        int good = 1;
        long k = 0;

        snprintf(path, sizeof path, "%s/%s", scratch, name[i]);
        do {
            unlink(path);
            heap.calls = heap.refused = 0, heap.refuse = ++k;
            if (i < 2) status = life(path, &n, &m);
            else {
                status = lbr_saved_write(path, &c, 0, &m);
                if (!status) status = lbr_saved_write(path, &c, 0, &m);
                if (!status && !(status = lbr_saved_read(path, &back, &memory, &m)))
                    good &= is_checkpoint(&back, 1), lbr_mem_free(memory);
            }
            heap.refuse = 0;
            good &= status == (heap.refused ? LBR_ENOMEM : LBR_OK) && (n >= 0 || access(path, F_OK)) && files(0) <= 1;
            if (!good) printf("# allocation %ld, status %d: %s\n", k, status, m.text);
        } while (heap.refused && good && k < 1000);
        ok(good && k > 3, "%s: %ld allocations, each of which may fail", path, k - 1);
        unlink(path);
    }
}

static void whole_lines(void)
{
    lbr_message m;
    lbr_stream *s;
    int good;

    fate.lines = fate.torn = 0;
    good = !create(&s, in_scratch("x.csv"), &m);
    fate.lines = fate.torn = 0; /* without the header */
    good = good && !pour(s, 0, 5000, &m) && !lbr_stream_close(s, &m);
    ok(good && fate.lines > 50, "5000 records in %ld writes", fate.lines);
    ok(!fate.torn, "which end with a line, and of which none takes several lines over the end of a page (%ld)",
       fate.torn);
    files(1);
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
    open_scratch();
    if (!have_h5dump()) ok(1, "HDF5 files read by HDF5's own program # SKIP h5dump is not installed");
    full_disks(), full_disks_and_checkpoints();
    if (!__real_pwrite || !__real_fdatasync) ok(1, "calls that fail # SKIP not linked for it");
    else whole_lines(), failing_calls(), failing_calls_and_checkpoints();
    if (!heap_wrapped()) ok(1, "allocations that fail # SKIP not linked for it");
    else failing_allocations();
    kills("x.csv", (int)share(20, 10, 4), 1, 0, 0.05);
    kills("x.h5", (int)share(20, 10, 4), 1, 0, 0.05);
    kills("x.csv", 1, 0, 1.7, 2.3);
    kills("x.h5", 1, 0, 1.7, 2.3);
    close_scratch();
    return tap_done();
}
