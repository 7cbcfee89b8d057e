/* files.h - what the tests of files share: a folder of their own, what is in a file, records that are known.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef FILES_H
#define FILES_H
#include "tap.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "io/checkpoint_file.h"
#include "io/stream.h"
#include "io/whole_file.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* --- a folder ---------------------------------------------------------------------------------------------------- */

static char scratch[64];

__attribute__((unused)) static const char *in_scratch(const char *name)
{
    static char path[8][600];
    static int k;

    k = (k + 1) % 8;
    snprintf(path[k], sizeof path[k], "%s/%s", scratch, name);
    return path[k];
}

/* How many files are in the folder, and (if asked) none of them stays. */
__attribute__((unused)) static int files(int remove)
{
    DIR *d = opendir(scratch);
    int n = 0;

    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        n++;
        if (remove && unlink(in_scratch(e->d_name))) rmdir(in_scratch(e->d_name));
    }
    if (d) closedir(d);
    return n;
}

__attribute__((unused)) static void open_scratch(void)
{
    snprintf(scratch, sizeof scratch, "files.XXXXXX");
    if (!mkdtemp(scratch)) printf("Bail out! no folder for files\n"), exit(1);
}

__attribute__((unused)) static void close_scratch(void) { files(1), rmdir(scratch); }

/* The bytes of a file, with a 0 behind them; NULL if it cannot be read. */
__attribute__((unused)) static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    long n;

    if (!f) return NULL;
    fseek(f, 0, SEEK_END), n = ftell(f), rewind(f);
    if (n >= 0 && (bytes = malloc((size_t)n + 1)) && fread(bytes, 1, (size_t)n, f) != (size_t)n)
        free(bytes), bytes = NULL;
    if (bytes) bytes[n] = 0, *size = (size_t)n;
    fclose(f);
    return bytes;
}

__attribute__((unused)) static void spill(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    if (f) fwrite(bytes, 1, size, f), fclose(f);
}

__attribute__((unused)) static int holds(const char *path, const void *bytes, size_t size)
{
    size_t n = 0;
    char *have = slurp(path, &n);
    int same = have && n == size && !memcmp(have, bytes, size);

    free(have);
    return same;
}

/* --- records: a time, a vector, a matrix; each number is its place, so that one that is lost or moved is seen ---- */

enum { WIDTH = 10 };

static const lbr_field columns[] = {
    { .name = "t", .len = 1 },
    { "q", 1, (const int64_t[]){ 3 }, 3, (const char *const[]){ "q[1]", "q[2]", "q[3]" }, NULL, 0, 0 },
    { "A", 2, (const int64_t[]){ 2, 2 }, 4, (const char *const[]){ "A[1,1]", "A[1,2]", "A[2,1]", "A[2,2]" }, NULL, 0,
      0 },
    { .name = "H", .len = 1 },
    { .name = "say \"x\"", .len = 1 },
};
static const lbr_note notes[] = { { .name = "model", .text = "pendulum" },
                                  { .name = "method", .text = "stormer-verlet" },
                                  { .name = "nothing", .text = "" } };
#define HEADER "t,q[1],q[2],q[3],\"A[1,1]\",\"A[1,2]\",\"A[2,1]\",\"A[2,2]\",H,\"say \"\"x\"\"\"\n"

static double entry(int64_t record, int column)
{
    return column == 0   ? (double)record
           : column == 3 ? 1 / (3.0 + (double)record)
                         : sin((double)(record * WIDTH + column));
}

__attribute__((unused)) static void fill(int64_t record, double *to)
{
    for (int j = 0; j < WIDTH; j++) to[j] = entry(record, j);
}

/* Writes records [from, to); the first failure. */
__attribute__((unused)) static lbr_status pour(lbr_stream *s, int64_t from, int64_t to, lbr_message *m)
{
    lbr_status status = LBR_OK;
    double r[WIDTH];

    for (int64_t i = from; i < to && !status; i++) fill(i, r), status = lbr_stream_write(s, r, m);
    return status;
}

__attribute__((unused)) static lbr_status create(lbr_stream **s, const char *path, lbr_message *m)
{
    return lbr_stream_create(s, path, 0, columns, COUNT(columns), notes, COUNT(notes), m);
}
__attribute__((unused)) static lbr_status resume(lbr_stream **s, const char *path, int64_t n, lbr_message *m)
{
    return lbr_stream_resume(s, path, columns, COUNT(columns), n, m);
}

/* The number of whole records in a CSV file whose numbers are all right; -1 if not. *torn: bytes behind the last whole
 * line. */
__attribute__((unused)) static int64_t read_csv(const char *path, size_t *torn)
{
    size_t size = 0;
    char *text = slurp(path, &size), *at = text, *end;
    int64_t n = 0;
    int good = text && !strncmp(text, HEADER, strlen(HEADER));

    for (at += good ? strlen(HEADER) : 0; good && (end = strchr(at, '\n')); at = end + 1, n++)
        for (int j = 0; j < WIDTH && good; j++) {
            good = strtod(at, &at) == entry(n, j) && *at == (j + 1 < WIDTH ? ',' : '\n');
            at++;
        }
    *torn = good ? (size_t)(text + size - at) : 0;
    free(text);
    return good ? n : -1;
}

__attribute__((unused)) static int have_h5dump(void)
{
    static int have = -1;

    return have >= 0 ? have : (have = !system("h5dump --version >/dev/null 2>&1"));
}

/* The same of an HDF5 file, read by HDF5's own program. */
__attribute__((unused)) static int64_t read_hdf5(const char *path)
{
    int64_t n = -1;

    for (int k = 0, first = 0; k < COUNT(columns); first += (int)columns[k++].len) {
        char command[1600], out[700];
        const char *name = k == 4 ? "say \\\"x\\\"" : NULL;
        size_t size = 0, row = (size_t)columns[k].len * sizeof(double);
        double *have;

        snprintf(out, sizeof out, "%.600s.bin", path);
        snprintf(command, sizeof command, "h5dump -d \"%s\" -b NATIVE -o %s %s >/dev/null 2>&1",
                 name ? name : columns[k].name, out, path);
        remove(out);
        if (system(command)) return remove(out), -1;
        have = (double *)slurp(out, &size);
        remove(out);
        if (!have) return -1;
        if (!k) n = (int64_t)(size / row);
        if (size != (size_t)n * row) n = -1;
        for (int64_t i = 0; i < n; i++)
            for (int j = 0; j < columns[k].len; j++)
                if (have[i * columns[k].len + j] != entry(i, first + j)) n = -1;
        free(have);
        if (n < 0) return -1;
    }
    return n;
}

/* --- checkpoints ------------------------------------------------------------------------------------------------- */

/* The k-th checkpoint of a run; its state says which. */
__attribute__((unused)) static lbr_saved checkpoint(int k)
{
    static char state[4][3000];
    static const double extra[5] = { 1, -0.0, INFINITY, 1e-320, 3 };
    char *s = state[k % 4];

    for (int i = 0; i < 3000; i++) s[i] = (char)(k + i * 7);
    return (lbr_saved){ .library = "0.1.0",
                        .kernel = "compiled",
                        .method = "compose(kahan-li-8-17,strang)",
                        .options = "compensated=1",
                        .model = "pendulum",
                        .out = "x.csv",
                        .digest = UINT64_C(0x123456789abcdef0),
                        .t0 = 0.5,
                        .h = 0.1,
                        .steps = 100 * k,
                        .records = 10 * k,
                        .extra = extra,
                        .nextra = 5,
                        .state = s,
                        .nstate = (size_t)(2990 + k % 4) };
}

/* Whether a checkpoint that was read is the k-th. */
__attribute__((unused)) static int is_checkpoint(const lbr_saved *a, int k)
{
    lbr_saved b = checkpoint(k);

    return !strcmp(a->library, b.library) && !strcmp(a->kernel, b.kernel) && !strcmp(a->method, b.method) &&
           !strcmp(a->options, b.options) && !strcmp(a->model, b.model) && !strcmp(a->out, b.out) &&
           a->digest == b.digest && a->t0 == b.t0 && a->h == b.h && a->steps == b.steps && a->records == b.records &&
           a->nextra == b.nextra && !memcmp(a->extra, b.extra, sizeof(double) * 5) && a->nstate == b.nstate &&
           !memcmp(a->state, b.state, b.nstate);
}
#endif
