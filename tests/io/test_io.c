/* test_io.c - files: numbers that read back, whole files, streams, checkpoints; and what is refused.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "support/comma.h"
#include "support/files.h"

#include <fcntl.h>
#include <time.h>

#include "core/number.h"

static uint64_t seed = 88172645463325252u;
static uint64_t noise(void) { return seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; }

static int says(const lbr_message *m, const char *a, const char *b)
{
    return strstr(m->text, a) && strstr(m->text, b) && !strchr(m->text, '\n');
}

/* --- numbers ----------------------------------------------------------------------------------------------------- */

static int written_as(double x, const char *want)
{
    char text[LBR_NUMBER + 8];
    size_t n;

    memset(text, '#', sizeof text);
    n = lbr_number_write(text, x);
    return n == strlen(want) && n < LBR_NUMBER && !memcmp(text, want, n) && text[n] == '#';
}

static int like_printf(double x)
{
    char want[64];

    snprintf(want, sizeof want, "%.17g", x);
    if (written_as(x, want) && strtod(want, NULL) == x) return 1;
    return printf("# %s is written otherwise\n", want), 0;
}

/* Both sides of powers of ten, where the number of digits changes, and halves of the last digit, where rounding is
 * decided. */
static void numbers(void)
{
    static const struct {
        double x;
        const char *text;
    } special[] = {
        { NAN, "nan" },
        { -NAN, "nan" },
        { INFINITY, "inf" },
        { -INFINITY, "-inf" },
        { 0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -1e17, "-1e+17" },
        { 1e16, "10000000000000000" },
        { 0.1, "0.10000000000000001" },
        { 1e-4, "0.0001" },
        { 1e-5, "1.0000000000000001e-05" },
        { 5e-324, "4.9406564584124654e-324" },
        { -1.7976931348623157e308, "-1.7976931348623157e+308" },
    };
    int good = 1;

    for (int i = 0; i < COUNT(special); i++) good &= written_as(special[i].x, special[i].text);
    ok(good, "numbers as they should be written: %d of them", COUNT(special));
    good = 1;
    for (int i = 0; i < 200000 && good; i++) {
        union {
            uint64_t bits;
            double x;
        } any = { noise() };

        if (isfinite(any.x)) good &= like_printf(any.x);
        good &= like_printf(ldexp((double)(int64_t)noise(), -(int)(noise() % 140)));
        good &= like_printf((double)(noise() % 100000) / (double)(1 + noise() % 100));
        good &= like_printf(ldexp((double)(noise() % 1024 + 1), -(int)(noise() % 80)));
    }
    ok(good, "any bits, multiples of powers of two, fractions: as printf does");
    good = 1;
    for (int e = -323; e <= 308; e++) {
        char text[16];
        double below, above;

        snprintf(text, sizeof text, "1e%d", e);
        below = above = strtod(text, NULL);
        for (int k = 0; k < 40; k++, below = nextafter(below, 0), above = nextafter(above, INFINITY))
            good &= like_printf(below) && like_printf(above);
    }
    ok(good, "next to powers of ten");
}

static void locales(void)
{
    if (!into_comma()) ok(1, "a locale with a decimal comma # SKIP there is none");
    else
        ok(written_as(1.5e300, "1.5000000000000001e+300") || written_as(1.5e300, "1.5e+300"),
           "a decimal point in a locale with a comma");
    setlocale(LC_ALL, "C");
}

/* --- whole files ------------------------------------------------------------------------------------------------- */

static void whole_files(void)
{
    lbr_message m;
    const char *a = in_scratch("a"), *link_ = in_scratch("link"), *dangling = in_scratch("dangling"),
               *sub = in_scratch("folder"), *pipe_ = in_scratch("pipe");
    char *bytes;
    size_t size;

    ok(!lbr_whole_check(a, 0, &m) && !lbr_whole_write(a, "one\0two", 7, 0, &m) && holds(a, "one\0two", 7) &&
           files(0) == 1,
       "a new file, and nothing beside it");
    ok(lbr_whole_write(a, "x", 1, 0, &m) == LBR_EARG && says(&m, a, "force") && lbr_whole_check(a, 0, &m) == LBR_EARG &&
           holds(a, "one\0two", 7),
       "what exists is not overwritten: %s", m.text);
    ok(!lbr_whole_check(a, 1, &m) && !lbr_whole_write(a, "two", 3, 1, &m) && holds(a, "two", 3) && files(0) == 1,
       "but is with force");
    ok(!lbr_whole_write(in_scratch("empty"), "", 0, 0, &m) && holds(in_scratch("empty"), "", 0), "an empty file");
    ok(!lbr_whole_read(a, 3, &bytes, &size, &m) && size == 3 && !memcmp(bytes, "two", 4),
       "read back, with a 0 behind it");
    lbr_mem_free(bytes);
    ok(lbr_whole_read(a, 2, &bytes, &size, &m) == LBR_EARG && !bytes && says(&m, a, "more than 2"),
       "a file that is too long: %s", m.text);

    ok(!symlink("a", link_) && !symlink("nowhere", dangling), "(links are made)");
    ok(lbr_whole_write(link_, "x", 1, 0, &m) == LBR_EARG && lbr_whole_write(dangling, "x", 1, 0, &m) == LBR_EARG &&
           holds(a, "two", 3) && access(in_scratch("nowhere"), F_OK),
       "a link counts as existing");
    ok(!lbr_whole_write(link_, "x", 1, 1, &m) && holds(a, "two", 3) && holds(link_, "x", 1),
       "with force the link is replaced, not what it points to");
    ok(!lbr_whole_write(dangling, "x", 1, 1, &m) && access(in_scratch("nowhere"), F_OK), "one that points nowhere too");

    mkdir(sub, 0777), mkfifo(pipe_, 0666);
    ok(lbr_whole_write(sub, "x", 1, 1, &m) == LBR_EARG && says(&m, sub, "folder") &&
           lbr_whole_check(sub, 1, &m) == LBR_EARG,
       "a folder is not replaced: %s", m.text);
    ok(lbr_whole_write(pipe_, "x", 1, 1, &m) == LBR_EARG && lbr_whole_read(pipe_, 9, &bytes, &size, &m) == LBR_EARG &&
           says(&m, pipe_, "regular"),
       "nor a pipe, nor waited for: %s", m.text);
    ok(lbr_whole_write(in_scratch("none/x"), "x", 1, 0, &m) == LBR_EARG &&
           lbr_whole_check(in_scratch("none/x"), 0, &m) == LBR_EARG && says(&m, "none/x", "No such"),
       "a folder that is not there: %s", m.text);
    ok(lbr_whole_write(in_scratch("a/x"), "x", 1, 0, &m) == LBR_EARG && lbr_whole_check("", 0, &m) == LBR_EARG &&
           lbr_whole_check(in_scratch("x/"), 0, &m) == LBR_EARG,
       "names that are none: %s", m.text);
    ok(lbr_whole_read(in_scratch("none"), 9, &bytes, &size, &m) == LBR_EARG && !bytes && says(&m, "none", "No such"),
       "nothing to read: %s", m.text);
    chmod(sub, 0555);
    if (!geteuid()) ok(1, "a folder that must not be written # SKIP root may");
    else
        ok(lbr_whole_check(in_scratch("folder/x"), 0, &m) == LBR_EARG &&
               lbr_whole_write(in_scratch("folder/x"), "x", 1, 0, &m) == LBR_EARG,
           "a folder that must not be written");
    chmod(sub, 0777);
    files(1);
}

/* --- streams ----------------------------------------------------------------------------------------------------- */

static int is_csv(const char *path) { return strstr(path, ".csv") != NULL; }

/* What a file holds, by the means there are: -2 if it cannot be told. */
static int64_t count_records(const char *path)
{
    size_t torn;
    int64_t n;

    if (!is_csv(path)) return have_h5dump() ? read_hdf5(path) : -2;
    n = read_csv(path, &torn);
    return torn ? -1 : n;
}

static int has(const char *path, int64_t n)
{
    int64_t have = count_records(path);
    return have == n || have == -2;
}

static void created(const char *path)
{
    lbr_message m;
    lbr_stream *s;
    int64_t n;
    const char *target = in_scratch("target"), *folder = in_scratch(is_csv(path) ? "f.csv" : "f.h5");

    ok(!create(&s, path, &m) && has(path, 0) && !lbr_stream_close(s, &m) && has(path, 0), "%s: no records", path);
    ok(create(&s, path, &m) == LBR_EARG && !s && says(&m, path, "force") && has(path, 0),
       "what exists is not overwritten: %s", m.text);
    ok(!lbr_stream_create(&s, path, 1, columns, COUNT(columns), notes, COUNT(notes), &m) && !pour(s, 0, 10000, &m),
       "but is with force");
    ok(!lbr_stream_flush(s, &n, &m) && n == 10000 && has(path, n), "after a flush everything is there");
    ok(!pour(s, 10000, 70000, &m) && !lbr_stream_close(s, &m) && has(path, 70000), "and all after the end");
    spill(target, "mine", 4), unlink(path), mkdir(folder, 0777);
    ok(!symlink("target", path) && create(&s, path, &m) == LBR_EARG && holds(target, "mine", 4),
       "a link counts as existing");
    ok(resume(&s, path, 0, &m) == LBR_EARG && !s && says(&m, path, "link"), "and is not gone on with: %s", m.text);
    ok(!lbr_stream_create(&s, path, 1, columns, COUNT(columns), NULL, 0, &m) && !lbr_stream_close(s, &m) &&
           holds(target, "mine", 4) && has(path, 0),
       "with force it is replaced, not what it points to");
    ok(lbr_stream_create(&s, folder, 1, columns, COUNT(columns), NULL, 0, &m) == LBR_EARG && says(&m, folder, "folder"),
       "a folder is not replaced: %s", m.text);
    ok(create(&s, in_scratch(is_csv(path) ? "no/x.csv" : "no/x.h5"), &m) == LBR_EARG && says(&m, "no/x", "No such"),
       "a folder that is not there: %s", m.text);
    files(1);
}

/* Gone on with after k records the file becomes what it would have been; bytes for CSV, numbers for HDF5. */
static void resumed(const char *path)
{
    static const int64_t at[] = { 0, 1, 2, 1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537, 69999, 70000 };
    const char *other = in_scratch(is_csv(path) ? "other.csv" : "other.h5");
    int64_t total = 70000;
    char *want = NULL;
    size_t size = 0;
    lbr_message m;
    lbr_stream *s;
    int good = !create(&s, path, &m) && !pour(s, 0, total, &m) && !lbr_stream_close(s, &m);

    if (is_csv(path)) want = slurp(path, &size);
    for (int i = 0; i < COUNT(at) && good; i++) {
        good &= !resume(&s, path, at[i], &m) && has(path, at[i]) && !pour(s, at[i], total, &m) &&
                !lbr_stream_close(s, &m) && has(path, total);
        if (want) good &= holds(path, want, size);
        if (!good) printf("# after %d: %s\n", (int)at[i], m.text);
    }
    ok(good, "%s: gone on with after any number of records", path);
    good = !create(&s, other, &m);
    for (int64_t i = 0; i < 200 && good; i++)
        good &= !pour(s, 50 * i, 50 * i + 50, &m) && !lbr_stream_close(s, &m) && !resume(&s, other, 50 * i + 50, &m);
    ok(good && !lbr_stream_close(s, &m) && has(other, 10000), "again and again");
    ok(resume(&s, other, 10001, &m) == LBR_EARG && !s && says(&m, other, "records"), "more records than there are: %s",
       m.text);
    ok(resume(&s, other, -1, &m) == LBR_EARG && has(other, 10000), "fewer than none: %s", m.text);
    ok(resume(&s, in_scratch(is_csv(path) ? "none.csv" : "none.h5"), 0, &m) == LBR_EARG && says(&m, "none", "No such"),
       "no file: %s", m.text);
    spill(other, "t,q\n", 4);
    ok(resume(&s, other, 0, &m) == LBR_EARG && says(&m, other, "go on") && holds(other, "t,q\n", 4), "another file: %s",
       m.text);
    spill(other, "", 0);
    ok(resume(&s, other, 0, &m) == LBR_EARG && holds(other, "", 0), "an empty file: %s", m.text);
    free(want), files(1);
}

/* Columns that differ in anything are those of another file. */
static void other_columns(const char *path)
{
    lbr_field f[COUNT(columns)];
    lbr_message m;
    lbr_stream *s;
    char *before;
    size_t size = 0;
    int good = !create(&s, path, &m) && !pour(s, 0, 100, &m) && !lbr_stream_close(s, &m);
    const struct {
        int i;
        lbr_field field;
    } change[] = {
        { 0, { "T", 0, NULL, 1, NULL, NULL, 0, 0 } },
        { 1, { "q", 1, (const int64_t[]){ 2 }, 2, columns[1].names, NULL, 0, 0 } },
        { 3, { "energy", 0, NULL, 1, NULL, NULL, 0, 0 } },
        { 1, { "q", 1, columns[1].shape, 3, (const char *const[]){ "q[1]", "q[2]", "q[4]" }, NULL, 0, 0 } },
    };

    before = slurp(path, &size);
    for (int i = 0; i < COUNT(change); i++) {
        memcpy(f, columns, sizeof f), f[change[i].i] = change[i].field;
        good &= lbr_stream_resume(&s, path, f, COUNT(f), 50, &m) == LBR_EARG && says(&m, path, "this run") &&
                holds(path, before, size);
    }
    good &= lbr_stream_resume(&s, path, columns, COUNT(columns) - 1, 50, &m) == LBR_EARG && holds(path, before, size);
    ok(good, "%s: other columns are refused, and the file stays as it is: %s", path, m.text);
    free(before), files(1);
}

static void csv_tails(void)
{
    const char *path = in_scratch("x.csv"), *row = "0,1,2,3,4,5,6,7,8,9\n",
               *tail[] = { "1", "1,2,3,", "1,2,3,4,5,6,7,8,9,10" };
    char text[400];
    lbr_message m;
    lbr_stream *s;
    int good = 1;

    for (int i = 0; i < COUNT(tail); i++) {
        snprintf(text, sizeof text, "%s%s%s", HEADER, row, tail[i]), spill(path, text, strlen(text));
        good &= resume(&s, path, 2, &m) == LBR_EARG && holds(path, text, strlen(text));
        good &= !resume(&s, path, 1, &m) && !lbr_stream_close(s, &m) && holds(path, text, strlen(HEADER) + strlen(row));
    }
    ok(good, "a line without an end is no record, and is cut off");
    snprintf(text, sizeof text, "%s%s1,2\n%s", HEADER, row, row), spill(path, text, strlen(text));
    ok(resume(&s, path, 3, &m) == LBR_EARG && says(&m, "line 3", "2 columns") && holds(path, text, strlen(text)),
       "a line with a column too few: %s", m.text);
    ok(!resume(&s, path, 1, &m) && !lbr_stream_close(s, &m), "behind the last record it does not matter");
    files(1);
}

/* Records longer than any buffer; names and shapes that are refused. */
static void wide(const char *path)
{
    enum { N = 40000 };
    static char name[N][32];
    static const char *names[N];
    static double x[N];
    const int64_t shape[] = { 200, 200 };
    lbr_field f = { "x", 2, shape, N, names, NULL, 0, 0 };
    lbr_message m;
    lbr_stream *s;
    char *text, *at;
    size_t size = 0;
    int good;

    for (int i = 0; i < N; i++)
        snprintf(name[i], sizeof name[i], "x[%d,%d]", i / 200 + 1, i % 200 + 1), names[i] = name[i],
                                                                                 x[i] = -1 / (1.0 + i) / 7e200;
    good = !lbr_stream_create(&s, path, 0, &f, 1, NULL, 0, &m);
    for (int i = 0; i < 3; i++) good &= !lbr_stream_write(s, x, &m);
    good &= !lbr_stream_close(s, &m) && !lbr_stream_resume(&s, path, &f, 1, 2, &m) && !lbr_stream_write(s, x, &m) &&
            !lbr_stream_close(s, &m);
    good &= !lbr_stream_resume(&s, path, &f, 1, 3, &m) && !lbr_stream_close(s, &m);
    if (is_csv(path) && (at = text = slurp(path, &size))) {
        for (int i = 0; i < 4; i++, at++)
            if (!(at = strchr(at, '\n'))) break;
            else if (i == 0)
                for (int k = 0; k < 3 * N; k++)
                    good &= strtod(at + 1, &at) == x[k % N] && *at == (k % N == N - 1 ? '\n' : ',');
        free(text);
    }
    ok(good, "%s: records of %d numbers", path, N);
    files(1);
}

static void refused_columns(void)
{
    const int64_t zero[] = { 0 }, large[] = { 1 << 20, 1 << 20 }, three[] = { 3 };
    const struct {
        const char *file;
        lbr_field f[2];
        int n;
    } bad[] = {
        { "x.csv", { { "a", 1, zero, 0, NULL, NULL, 0, 0 } }, 1 },
        { "x.csv", { { "a", 2, large, 1, NULL, NULL, 0, 0 } }, 1 },
        { "x.csv", { { "a", 1, three, 2, NULL, NULL, 0, 0 } }, 1 },
        { "x.csv", { { "a", 1, three, 3, NULL, NULL, 0, 0 } }, 1 },
        { "x.csv", { { "a", 32, NULL, 1, NULL, NULL, 0, 0 } }, 1 },
        { "x.csv", { { "a", -1, NULL, 1, NULL, NULL, 0, 0 } }, 1 },
        { "x.csv", { { NULL, 0, NULL, 0, NULL, NULL, 0, 0 } }, 0 },
        { "x.h5", { { NULL, 0, NULL, 0, NULL, NULL, 0, 0 } }, 0 },
        { "x.h5", { { "a/b", 0, NULL, 1, NULL, NULL, 0, 0 } }, 1 },
        { "x.h5", { { "", 0, NULL, 1, NULL, NULL, 0, 0 } }, 1 },
        { "x.h5", { { ".", 0, NULL, 1, NULL, NULL, 0, 0 } }, 1 },
        { "x.h5", { { "a", 0, NULL, 1, NULL, NULL, 0, 0 }, { "a", 0, NULL, 1, NULL, NULL, 0, 0 } }, 2 },
    };
    static const char *const name[] = { "x", "x.txt", "csv", ".csv", "a.csv/b", "x.csv.gz", "x.CSV", "" };
    lbr_message m;
    lbr_stream *s;
    int good = 1;

    for (int i = 0; i < COUNT(bad); i++) {
        if (bad[i].f[0].rank == 32) {
            static const int64_t one[32] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                             1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
            ((lbr_field *)&bad[i].f[0])->shape = one;
        }
        m.text[0] = 0;
        good &= lbr_stream_create(&s, in_scratch(bad[i].file), 0, bad[i].f, bad[i].n, NULL, 0, &m) == LBR_EARG && !s &&
                m.text[0] && files(0) == 0;
        if (!good) printf("# %d: %s\n", i, m.text);
    }
    ok(good, "columns that cannot be: %s", m.text);
    good = 1;
    for (int i = 0; i < COUNT(name); i++)
        good &= lbr_stream_check(name[i], &m) == LBR_EARG && says(&m, ".csv, .h5", name[i]) &&
                create(&s, name[i], &m) == LBR_EARG;
    ok(good && !lbr_stream_check("a.csv", &m) && !lbr_stream_check("b/a.h5", &m) && !lbr_stream_check("a.b.hdf5", &m),
       "names of files: %s", m.text);
    ok(!lbr_stream_close(NULL, &m), "no stream can be closed");
    files(1);
}

/* Slow records are not kept in memory, quick ones for at most about a second. */
static void prompt(const char *path)
{
    lbr_message m;
    lbr_stream *s;
    int64_t n = 1;
    int good = !create(&s, path, &m) && !pour(s, 0, 1, &m) && has(path, 1);

    nanosleep(&(struct timespec){ 0, 400000000 }, NULL);
    good &= !pour(s, 1, 2, &m) && has(path, 2);
    ok(good, "%s: slow records are there at once", path);
    for (n = 2; n < 140; n++) good &= !pour(s, n, n + 1, &m), nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    ok(good && (count_records(path) == -2 || count_records(path) > 2), "and quick ones before the file is closed");
    lbr_stream_close(s, &m), files(1);
}

/* Every byte of a file changed: refused or gone on with, and never a step beyond what is there. */
static void damaged_hdf5(void)
{
    const char *path = in_scratch("x.h5"), *copy = in_scratch("y.h5");
    lbr_message m;
    lbr_stream *s;
    size_t size = 0;
    char *bytes;
    int refused = 0, taken = 0, good = !create(&s, path, &m) && !pour(s, 0, 1500, &m) && !lbr_stream_close(s, &m);

    bytes = slurp(path, &size);
    for (size_t i = 0; bytes && i < size; i += i < 12000 ? 17 : 4999) {
        bytes[i] ^= (char)0xa5, spill(copy, bytes, size), bytes[i] ^= (char)0xa5;
        if (resume(&s, copy, 1400, &m)) refused++, good &= !s && says(&m, copy, "go on");
        else taken++, good &= !lbr_stream_close(s, &m);
    }
    for (size_t n = 0; n < size; n += n < 3000 ? 17 : 4999)
        spill(copy, bytes, n), good &= resume(&s, copy, 1400, &m) == LBR_EARG;
    ok(good && refused > 30 && taken > 100, "a damaged HDF5 file: refused %d times, gone on with %d times", refused,
       taken);
    free(bytes), files(1);
}

/* --- checkpoints ------------------------------------------------------------------------------------------------- */

static void checkpoints(void)
{
    const char *path = in_scratch("x.lbc"), *link_ = in_scratch("link.lbc");
    lbr_saved a = checkpoint(1), b, change[6];
    lbr_message m;
    void *memory = NULL;
    int good = 1;

    ok(!lbr_saved_check(path, &a, 0, &m) && !lbr_saved_write(path, &a, 0, &m) &&
           !lbr_saved_read(path, &b, &memory, &m) && is_checkpoint(&b, 1),
       "a checkpoint read back");
    lbr_mem_free(memory);
    a = checkpoint(2);
    ok(!lbr_saved_check(path, &a, 0, &m) && !lbr_saved_write(path, &a, 0, &m) &&
           !lbr_saved_read(path, &b, &memory, &m) && is_checkpoint(&b, 2) && files(0) == 1,
       "one of the same run replaces it");
    lbr_mem_free(memory);
    for (int i = 0; i < 6; i++) change[i] = checkpoint(3);
    change[0].digest++, change[1].method = "rk4", change[2].options = "", change[3].t0 = 0, change[4].h = -0.1,
                        change[5].method = NULL;
    for (int i = 0; i < 6; i++) {
        good &= lbr_saved_check(path, &change[i], 0, &m) == LBR_EARG &&
                lbr_saved_write(path, &change[i], 0, &m) == LBR_EARG && says(&m, path, "force");
        good &= !lbr_saved_read(path, &b, &memory, &m) && is_checkpoint(&b, 2) &&
                !lbr_saved_check(path, &change[i], 1, &m);
        lbr_mem_free(memory);
    }
    ok(good && files(0) == 1, "one of another run does not: %s", m.text);
    a = checkpoint(3), a.library = "9", a.kernel = "interpreter", a.out = "", a.model = "x";
    ok(!lbr_saved_write(path, &a, 0, &m), "another library, kernel or stream does not make it another run");
    ok(!lbr_saved_write(path, &change[1], 1, &m) && !lbr_saved_read(path, &b, &memory, &m) && !strcmp(b.method, "rk4"),
       "with force anything is replaced");
    lbr_mem_free(memory);
    spill(path, "mine", 4);
    ok(!symlink("x.lbc", link_), "a link to a checkpoint");
    ok(lbr_saved_write(path, &a, 0, &m) == LBR_EARG && holds(path, "mine", 4), "what is not a checkpoint is not: %s",
       m.text);
    unlink(path), lbr_saved_write(path, &a, 0, &m);
    ok(lbr_saved_write(link_, &a, 0, &m) == LBR_EARG && says(&m, link_, "force"), "nor a link to one: %s", m.text);
    a.method = "rk\n4";
    ok(lbr_saved_write(in_scratch("y"), &a, 0, &m) == LBR_EARG &&
           lbr_saved_read(in_scratch("y"), &b, &memory, &m) == LBR_EARG && !memory,
       "a text with a control character: %s", m.text);
    a = (lbr_saved){ .h = 1 };
    ok(!lbr_saved_write(in_scratch("y"), &a, 0, &m) && !lbr_saved_read(in_scratch("y"), &b, &memory, &m) &&
           !*b.method && !b.nextra && !b.nstate,
       "an empty one");
    lbr_mem_free(memory), files(1);
}

/* The checksum is renewed, so that what it protects has to stand for itself. */
static int parses(char *bytes, size_t size, int mend)
{
    enum { SIZE = 16, CHECKSUM = 24 };
    uint64_t n = size, sum = 0;
    lbr_saved s;
    lbr_message m = { 0 };
    void *memory;
    lbr_status status;

    if (mend && size >= 32)
        memcpy(bytes + SIZE, &n, 8), memcpy(bytes + CHECKSUM, &sum, 8), sum = lbr_hash(LBR_HASH, bytes, size),
                                                                        memcpy(bytes + CHECKSUM, &sum, 8);
    status = lbr_saved_parse(bytes, size, &s, &memory, &m);
    if (status) return memory || s.state || status != LBR_ECHECKPOINT || !m.text[0] ? -1 : 0;
    sum = lbr_hash(lbr_hash(LBR_HASH, s.extra, (size_t)s.nextra * 8), s.state, s.nstate) + strlen(s.method) +
          strlen(s.out) + strlen(s.library);
    lbr_mem_free(memory);
    return sum != 1; /* everything has been read */
}

static void damaged_checkpoints(void)
{
    const char *path = in_scratch("x.lbc");
    lbr_saved a = checkpoint(1);
    lbr_message m;
    size_t size = 0;
    char *bytes, *copy;
    int good = !lbr_saved_write(path, &a, 0, &m), taken = 0, tried = 0, r;

    bytes = slurp(path, &size), copy = malloc(size + 64);
    ok(good && parses(memcpy(copy, bytes, size), size, 0) == 1 && parses(copy, size, 1) == 1 &&
           !memcmp(copy, bytes, size),
       "(the checksum is known)");
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++)
            memcpy(copy, bytes, size), copy[i] ^= (char)(1 << bit), good &= parses(copy, size, 0) == 0;
    ok(good, "one bit changed anywhere: refused");
    for (size_t n = 0; n < size + 64; n++)
        memset(copy, 0, size + 64), memcpy(copy, bytes, n < size ? n : size), good &= parses(copy, n, 0) == (n == size);
    ok(good, "cut short or too long: refused");
    for (size_t i = 0; i < 400; i++)
        for (int k = 0; k < 5; k++) {
            static const uint64_t hostile[] = { 0, UINT64_MAX, INT64_MAX, UINT64_C(0x2000000000000000),
                                                UINT64_C(0x00000000ffffffff) };

            memcpy(copy, bytes, size), memcpy(copy + i, &hostile[k], 8);
            r = parses(copy, size, 1), good &= r >= 0, taken += r > 0, tried++;
        }
    for (int i = 0; i < 40000; i++) {
        size_t n = noise() % 3 ? size : noise() % (size + 1);

        memcpy(copy, bytes, size);
        for (int k = (int)(noise() % 4); k >= 0; k--) copy[noise() % 200] = (char)noise();
        r = parses(copy, n, 1), good &= r >= 0, taken += r > 0, tried++;
    }
    ok(good && taken > 100 && taken < tried,
       "hostile ones with the right checksum: %d of %d taken, none beyond its bytes", taken, tried);
    free(copy), free(bytes), files(1);
}

int main(void)
{
    static const char *const kinds[] = { "x.csv", "x.h5" };

    open_scratch();
    if (!have_h5dump()) ok(1, "HDF5 files read by HDF5's own program # SKIP h5dump is not installed");
    numbers(), locales();
    whole_files();
    for (int i = 0; i < COUNT(kinds); i++) {
        char path[100];

        snprintf(path, sizeof path, "%s/%s", scratch, kinds[i]);
        created(path), resumed(path), other_columns(path), wide(path), prompt(path);
    }
    csv_tails(), refused_columns(), damaged_hdf5();
    checkpoints(), damaged_checkpoints();
    close_scratch();
    return tap_done();
}
