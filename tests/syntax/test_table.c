/* test_table.c - tables of numbers: what is read, what is refused and in which words, files of every kind, noise.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#define _POSIX_C_SOURCE 200809L
#include "support/heap.h"
#include "support/comma.h"
#include "support/tap.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "syntax/data_file.h"

static uint64_t seed = 1;
static uint64_t noise(void)
{
    return (seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) >> 33;
}

static double *data;
static int64_t rows, columns;
static lbr_message message;

/* A copy of exactly these bytes, so that a sanitizer sees whoever reads on. */
static lbr_status parse(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    lbr_status status;

    memcpy(copy, text, size), message.text[0] = '\0';
    status = lbr_table_parse(copy, size, &data, &rows, &columns, &message);
    free(copy);
    return status;
}

static void drop(void) { lbr_mem_free(data), data = NULL; }

/* Texts and the same matrix in C. */
static void accepted(void)
{
    static const struct {
        const char *text;
        int64_t rows, columns;
        double value[6];
    } good[] = {
        { "1,2\n3,4\n", 2, 2, { 1, 2, 3, 4 } },
        { "1 2\n3\t4", 2, 2, { 1, 2, 3, 4 } },
        { "  1 , 2\r\n 3 ,4  \r\n", 2, 2, { 1, 2, 3, 4 } },
        { "# a comment\n\n1 # one\n   \n2#two\n#", 2, 1, { 1, 2 } },
        { "time, x position\n1, 2\n", 1, 2, { 1, 2 } },
        { "# c\n\n\"t (s)\" _x\n1 2\n", 1, 2, { 1, 2 } },
        { "x\n7", 1, 1, { 7 } },
        { "\xef\xbb\xbf-1 +2 .5 -.5 3. -4.25", 1, 6, { -1, 2, 0.5, -0.5, 3, -4.25 } },
        { "1e3 1E3 1e+3 1e-3 -2.5e-02 000123e0", 1, 6, { 1000, 1000, 1000, 1e-3, -0.025, 123 } },
        { "0 -0 0.000e999999999999 1e-999999999999 0e-99 4.9e-324", 1, 6, { 0, -0.0, 0, 0, 0, 0x1p-1074 } },
        { "9007199254740993 1.7976931348623157e308 2.2250738585072011e-308",
          1,
          3,
          { 9007199254740992, 0x1.fffffffffffffp1023, 2.2250738585072011e-308 } },
        { "\xce\xb1,\xce\xb2\n1,2", 1, 2, { 1, 2 } },
    };

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        lbr_status status = parse(good[i].text, strlen(good[i].text));
        int same = !status && rows == good[i].rows && columns == good[i].columns;

        for (int64_t k = 0; same && k < rows * columns; k++)
            same = data[k] == good[i].value[k] && !signbit(data[k]) == !signbit(good[i].value[k]);
        if (!ok(same, "table %d is read", (int)i + 1)) printf("# %s\n", message.text);
        drop();
    }
}

/* Texts and what must be in the message. They all contain the word SECRET or the number 4711, which must not. */
static void refused(void)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        { "", "there are no numbers" },
        { " \n"
          "# SECRET\n",
          "there are no numbers" },
        { "SECRET, x\n", "there are no numbers" },
        { "4711,2\n"
          "3\n",
          "line 2 has 1 numbers, the lines before have 2" },
        { "4711\n"
          "\n"
          "# x\n"
          "3 4",
          "line 4 has 2 numbers, the lines before have 1" },
        { "4711, SECRET\n", "line 1, field 2: this is not a number" },
        { "x, 4711\n", "line 1, field 2: a number after words" },
        { "x y\n"
          "SECRET z\n",
          "line 2: only the first line may be words" },
        { "4711\n"
          "SECRET\n",
          "line 2: only the first line may be words" },
        { "4711 nan\n", "line 1, field 2: a number must be finite" },
        { "inf, 4711\n", "line 1, field 1: a number must be finite" },
        { "4711 -Infinity", "line 1, field 2: a number must be finite" },
        { "4711 1e309", "line 1, field 2: this number is too large" },
        { "4711\n-1e999999999999999999999", "line 2, field 1: this number is too large" },
        { "4711,,2", "line 1, field 2: there is nothing" },
        { ",4711", "line 1, field 1: there is nothing" },
        { "4711,\n", "line 1, field 2: there is nothing" },
        { "x,,SECRET\n"
          "1 2 3",
          "line 1, field 2: there is nothing" },
        { "4711 0x10", "line 1, field 2: this is not a number" },
        { "0x10\n"
          "4711",
          "line 1, field 1: this is not a number" },
        { "1e 4711", "line 1, field 1: this is not a number" },
        { ". 4711", "line 1, field 1: this is not a number" },
        { "- 4711", "line 1, field 1: this is not a number" },
        { "+SECRET", "line 1, field 1: this is not a number" },
        { "1e+ 4711", "line 1, field 1: this is not a number" },
        { "1.5.2 4711", "line 1, field 1: this is not a number" },
        { "4711;2", "line 1, field 1: this is not a number" },
        { "1,5\r4711,8\r", "line 1, field 2: this is not a number" },
        { "x\rSECRET\r", "line 1, field 1: this is not a number" },
        { "1d5 4711", "line 1, field 1: this is not a number" },
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lbr_status status = parse(bad[i].text, strlen(bad[i].text));
        int quiet = !strstr(message.text, "SECRET") && !strstr(message.text, "4711");

        if (!ok(status == LBR_EARG && !data && quiet && strstr(message.text, bad[i].words), "refused: %s",
                bad[i].words))
            printf("# %d '%s'\n", status, message.text);
        drop();
    }
    ok(parse("1 2\n3 \0 4", 9) == LBR_EARG && !data, "refused: a zero byte");
    ok(parse("1\0SECRET", 8) == LBR_EARG && !data, "refused: a number that goes on behind a zero byte");
}

/* Numbers with any number of digits are rounded as strtod does it in the C locale. */
static void rounding(void)
{
    static const char *const halves[] = {
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000000000000000001",
        "9007199254740992.99999999999999999999999999999999999",
        "2.4703282292062327208e-324",
        "2.4703282292062328e-324",
        "179769313486231580793e288",
        "0.1e1",
        "123456789012345678e-40",
        "8.5e22",
        "1e23",
        "1.00000000000000033306690738754696212708950042724609375",
    };
    char text[2000];
    int right = 1;

    for (int i = 0; i < 20000; i++) {
        int n = 0, digits = 1 + (int)(noise() % (i % 100 ? 30 : 1500)), point = (int)(noise() % 40), after = 0;

        for (int k = 0; k < digits; k++) {
            if (k == point) after = text[n++] = '.';
            text[n++] = (char)('0' + noise() % 10);
        }
        if (i % 3 == 0) n += sprintf(text + n, "e%d", (int)(noise() % 660) - 340 - (after ? 0 : digits));
        if (parse(text, (size_t)n) == LBR_OK)
            text[n] = '\0', right &= rows == 1 && columns == 1 && data[0] == strtod(text, NULL);
        else right &= !(text[n] = '\0') && !isfinite(strtod(text, NULL));
        drop();
    }
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
        right &= !parse(halves[i], strlen(halves[i])) && data[0] == strtod(halves[i], NULL), drop();
    memset(text, '0', sizeof text), memcpy(text, "9007199254740993.", 17), text[1999] = '1';
    right &= !parse(text, sizeof text) && data[0] == 9007199254740994.0, drop();
    ok(right, "decimal numbers are rounded to the nearest");
    if (into_comma())
        ok(!parse("1.5 123456789012345678901.5e-3", 30) && data[0] == 1.5 && data[1] > 1e17,
           "in a locale with decimal commas too"),
            drop();
    setlocale(LC_ALL, "C");
}

/* Whatever the bytes: an answer, and a matrix only with finite numbers. */
static void chaos(void)
{
    static const char few[] = "0123456789..,,  \n\n#-+eEx\r\t";
    char text[300];
    int good = 1, read_ = 0;

    for (int i = 0; i < 200000; i++) {
        size_t n = noise() % (i % 10 ? 12 : sizeof text);

        for (size_t k = 0; k < n; k++) text[k] = i % 5 ? few[noise() % (sizeof few - 1)] : (char)noise();
        if (parse(text, n)) good &= !data && *message.text != '\0';
        else {
            good &= rows > 0 && columns > 0 && data != NULL;
            for (int64_t k = 0; good && k < rows * columns; k++) good = isfinite(data[k]) != 0;
            read_++;
        }
        drop();
    }
    ok(good && read_ > 1000, "noise is read or refused (%d were tables)", read_);
}

static char folder[] = "/tmp/lbr-table-XXXXXX", path[100];
static const char *in(const char *name) { return snprintf(path, sizeof path, "%s/%s", folder, name), path; }

static int says(const char *file, const char *words)
{
    lbr_status status = lbr_table_read(file, &data, &rows, &columns, &message);
    int good = status == LBR_EARG && !data && strstr(message.text, words);

    if (!good) printf("# %s: %d %s\n", file, status, message.text);
    return drop(), good;
}

static void write_text(const char *file, const char *text)
{
    FILE *f = fopen(file, "w");

    if (f) fputs(text, f), fclose(f);
}

static void files(void)
{
    char target[100];

    if (!mkdtemp(folder)) {
        ok(0, "a folder to work in");
        return;
    }
    strcpy(target, in("a.csv")), write_text(target, "x y\n1 2\n3 4\n");
    ok(!lbr_table_read(target, &data, &rows, &columns, &message) && rows == 2 && columns == 2 && data[3] == 4,
       "a file is read"),
        drop();
    ok(!symlink(target, in("link")) && !lbr_table_read(path, &data, &rows, &columns, &message) && data[0] == 1,
       "through a link too"),
        drop(), unlink(path);
    ok(says(in("nothing"), "there is no such file"), "no such file");
    ok(says(folder, "it is not a regular file"), "a folder");
    ok(!mkfifo(in("fifo"), 0600) && says(path, "it is not a regular file"), "a fifo, without waiting"), unlink(path);
    ok(says("/dev/zero", "it is not a regular file"), "a device");
    ok(!symlink("/dev/zero", in("link")) && says(path, "it is not a regular file"), "a link to a device"), unlink(path);
    write_text(in("empty"), ""), ok(says(path, "there are no numbers"), "an empty file"), unlink(path);
    write_text(in("large"), "1"),
        ok(!truncate(path, (off_t)LBR_TABLE_BYTES + 1) && says(path, "longer than 256 MiB"), "a file that is too long"),
        unlink(path);
    if (geteuid() != 0)
        write_text(in("shut"), "1"), chmod(path, 0), ok(says(path, "not permitted"), "a file that may not be read"),
            unlink(path);
    unlink(target), rmdir(folder);
}

/* Refused before memory is taken; and a long text takes no longer than its length. */
static void sizes(void)
{
    size_t n = 1 << 22, wide = 2 * (size_t)LBR_TABLE_NUMBERS + 2;
    char *text = malloc(wide);
    long before = heap.calls;
    clock_t t;
    double one, four;

    for (size_t i = 0; i < wide; i++) text[i] = i % 2 ? ' ' : '7';
    ok(lbr_table_parse(text, wide, &data, &rows, &columns, &message) == LBR_EARG && heap.calls == before &&
           strstr(message.text, "more than the 33554432"),
       "too many numbers");
    ok(lbr_table_parse(text, (size_t)LBR_TABLE_BYTES + 1, &data, &rows, &columns, &message) == LBR_EARG &&
           heap.calls == before,
       "too many bytes");
    memset(text, '9', 4 * n);
    t = clock(), lbr_table_parse(text, n, &data, &rows, &columns, &message), one = (double)(clock() - t), drop();
    t = clock(), lbr_table_parse(text, 4 * n, &data, &rows, &columns, &message), four = (double)(clock() - t), drop();
    ok(four < 10 * one + 0.2 * CLOCKS_PER_SEC, "a number of millions of digits in a time that grows with their number");
    free(text);
}

static void refusals(void)
{
    long live = heap.live, n = 0;
    int good = 1;
    lbr_status status;

    if (!(strcpy(folder, "/tmp/lbr-table-XXXXXX"), mkdtemp(folder))) return;
    write_text(in("a.csv"), "1 2\n3 4\n");
    do {
        heap.calls = 0, heap.refuse = ++n;
        status = lbr_table_read(path, &data, &rows, &columns, &message);
        good &= status == (heap.calls >= n ? LBR_ENOMEM : LBR_OK) && (status ? data == NULL : data != NULL);
        drop(), good &= heap.live == live;
    } while (status && n < 10);
    heap.refuse = 0;
    ok(good && n == 3, "both allocations may fail");
    unlink(path), rmdir(folder);
}

int main(void)
{
    accepted(), refused(), rounding(), chaos(), files(), sizes(), refusals();
    return tap_done();
}
