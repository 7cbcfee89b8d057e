/* test_run_digest.c - what a checkpoint is bound to: all that the numbers depend on, and not where it lies.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/tool.h"

#include "io/checkpoint_file.h"

/* --- a model, and the data it reads ------------------------------------------------------------------------------ */

#define DATA                                                                                 \
    "param k = read(\"%s\")\ncanonical q, p\nH = p^2/2 + k[1,1]*q^2/2\nstart q = 1, p = 0\n" \
    "run method = stormer-verlet, step = 0.01, steps = 100\n"

static void model(const char *file, const char *data)
{
    char text[400];

    snprintf(text, sizeof text, DATA, data), spit(file, text);
}

static void data(void)
{
    double whole;

    model("data.lbr", "k.csv"), spit("k.csv", "1\n");
    ok(tool("run|data.lbr|--json") == 0, "a model that reads a table%s", told);
    whole = number("state[0]");
    ok(tool("run|data.lbr|--steps|50|--checkpoint|d.save") == 0, "half of it%s", told);
    spit("k.csv", "# the same number\n 1.0 \n");
    ok(tool("run|data.lbr|--json|--resume|d.save") == 0 && number("state[0]") == whole,
       "the same number otherwise written: it goes on%s", told);
    spit("k.csv", "1.0000000000000002\n");
    ok(tool("run|data.lbr|--resume|d.save") == 2 && !*out && says("another model|other data"),
       "another number, in its last bit: %s", told);
    spit("k.csv", "1,0\n");
    ok(tool("run|data.lbr|--resume|d.save") == 2 && says("d.save"), "another shape: %s", told);
    spit("k.csv", "2\n");
    ok(tool("run|data.lbr|--checkpoint|d.save") == 2 && says("d.save|data"), "nor is it replaced: %s", told);
    ok(tool("run|data.lbr|--json|--resume|d.save|--set|k=[[1]]") == 2,
       "a table from the command line is another parameter: %s", told);
}

/* Half of a run with a spring of 1, the rest with one of 4: neither of both, and never without a word. */
static void half_and_half(void)
{
    static const struct {
        const char *k;
        double q;
    } honest[] = { { "1\n", -0.837 }, { "4\n", 0.377 } };

    spit("half.lbr", "param k = read(\"k.csv\")\ncanonical q, p\nH = p^2/2 + k[1,1]*q^2/2\nstart q = 1, p = 0\n"
                     "run method = stormer-verlet, step = 0.1, steps = 100\n");
    for (int i = 0; i < COUNT(honest); i++) {
        spit("k.csv", honest[i].k);
        ok(tool("run|half.lbr|--json") == 0 && fabs(number("state[0]") - honest[i].q) < 6e-4,
           "a spring of %.1s: q = %.3f is %.3f", honest[i].k, honest[i].q, number("state[0]"));
    }
    spit("k.csv", "1\n");
    ok(tool("run|half.lbr|--steps|50|--checkpoint|half.save") == 0, "half of the first%s", told);
    spit("k.csv", "4\n");
    ok(tool("run|half.lbr|--resume|half.save") == 2 && !*out && says("other data"), "is no half of the second: %s",
       told);
}

static void places(void)
{
    static char one[MOST];

    model("place.lbr", "k.csv"), spit("k.csv", "1\n");
    ok(tool("run|place.lbr|--steps|50|--checkpoint|p.save|--out|p.csv") == 0 &&
           tool("run|place.lbr|--json|--resume|p.save") == 0,
       "a checkpoint%s", told);
    snprintf(one, sizeof one, "%s", at("state") ? at("state") : "");
    rename("place.lbr", "renamed.lbr");
    ok(tool("run|renamed.lbr|--json|--resume|p.save|--checkpoint|p.save|--steps|60|--out|p.csv") == 0,
       "the model has another name: it goes on%s", told);
    ok(mkdir("elsewhere", 0700) == 0 && rename("renamed.lbr", "elsewhere/moved.lbr") == 0 &&
           rename("k.csv", "elsewhere/k.csv") == 0,
       "and is moved");
    ok(tool("run|elsewhere/moved.lbr|--json|--resume|p.save|--out|p.csv") == 0 &&
           !strncmp(at("state"), one, strcspn(one, "]")),
       "with its data: the same bits%s", told);
    ok(tool("models|kepler") == 0, "a model of the gallery");
    spit("mine.lbr", out);
    ok(tool("run|kepler|--steps|10|--checkpoint|g.save") == 0 && tool("run|mine.lbr|--steps|20|--resume|g.save") == 0,
       "goes on as a file of the same text%s", told);
}

/* --- a system in C ----------------------------------------------------------------------------------------------- */

static const char system_c[] =
    "#include <libration.h>\n#include <assert.h>\n#include <math.h>\n#include \"own.h\"\n"
    "static int force(double t, const double *q, double *f, void *ctx) { assert(q != 0); *f = -K * sin(*q); return 0; "
    "}\n"
    "static const double one = 1, start[] = { 1.5, 0 };\n"
    "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.1, 100 };\n"
    "int lbr_model(lbr_system *out);\nint lbr_model(lbr_system *out)\n{\n"
    "    *out = LBR_SYSTEM(.name = \"own\", .dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .defaults = "
    "&defaults);\n"
    "    return 0;\n"
    "}\n";

static void included(void)
{
    spit("own.c", system_c), spit("own.h", "#include \"deep er/k.h\"\n");
    mkdir("deep er", 0700), spit("deep er/k.h", "#define K 1.0\n");
    ok(tool("run|own.c|--steps|50|--checkpoint|c.save") == 0 && tool("run|own.c|--json|--resume|c.save") == 0,
       "a system in C goes on%s", told);
    spit("deep er/k.h", "#define K 2.0\n");
    ok(tool("run|own.c|--resume|c.save") == 2 && says("another model|include"),
       "what an included file includes has changed: %s", told);
    spit("deep er/k.h", "#define K 1.0\n");
    ok(tool("run|own.c|--resume|c.save") == 0, "and is as it was%s", told);
    mkdir("there", 0700), rename("own.c", "there/other.c"), rename("own.h", "there/own.h"),
        rename("deep er", "there/deep er");
    ok(tool("run|there/other.c|--resume|c.save") == 0, "the file has another name and another folder: it goes on%s",
       told);
    if (system("command -v clang >/dev/null 2>&1")) ok(1, "another compiler # SKIP clang is not installed");
    else {
        setenv("LIBRATION_CC", "clang", 1);
        ok(tool("run|there/other.c|--resume|c.save") == 0, "another compiler, with other headers: it goes on%s", told);
        unsetenv("LIBRATION_CC");
    }
}

/* Bytes that the assembler includes are in no text. */
static void assembled(void)
{
#ifdef __x86_64__
    spit("asm.c",
         "#include <libration.h>\n"
         "__asm__(\".data\\n.balign 8\\nk_of_file: .incbin \\\"k.bin\\\"\\n.text\\n\");\n"
         "extern double k_of_file __attribute__((visibility(\"hidden\")));\n"
         "static int force(double t, const double *q, double *f, void *ctx) { *f = -k_of_file * *q; return 0; }\n"
         "static const double one = 1, start[] = { 1.5, 0 };\n"
         "static const lbr_defaults defaults = { sizeof defaults, 0, start, \"stormer-verlet\", 0.1, 100 };\n"
         "int lbr_model(lbr_system *out);\nint lbr_model(lbr_system *out)\n{\n"
         "    *out = LBR_SYSTEM(.name = \"a\", .dim = 2, .nq = 1, .force = force, .inverse_mass = &one, .defaults = "
         "&defaults);\n"
         "    return 0;\n"
         "}\n");
    for (int k = 1; k < 3; k++) {
        double x = k;
        FILE *f = fopen("k.bin", "wb");

        fwrite(&x, sizeof x, 1, f), fclose(f);
        if (k == 1)
            ok(tool("run|asm.c|--steps|50|--checkpoint|a.save") == 0 && tool("run|asm.c|--resume|a.save") == 0,
               "bytes by the assembler: it goes on%s", told);
        else ok(tool("run|asm.c|--resume|a.save") == 2 && says("another model"), "other bytes: %s", told);
    }
#endif
}

static char whole[4000];

/* --- an older format --------------------------------------------------------------------------------------------- */

/* Written by the first version of the tool, which noted neither names nor data as it is done today: 30 steps. */
static void first_version(void)
{
    static char bytes[MOST];
    FILE *f;
    size_t n;

    spit("first.lbr", "param a = 1\n"
                      "canonical q, p\n"
                      "H = p^2/2 + a*(q^2 - 1)^2/4\n"
                      "start q = -1.4, p = 0.1\n"
                      "section cut: q = 0\n"
                      "run method = gauss:4, step = 0.05, time = 50\n");
    spit("data.lbr", "param k = read(\"k.csv\")\n"
                     "canonical q, p\n"
                     "H = p^2/2 + k[1,1]*q^2/2\n"
                     "start q = 1\n"
                     "run method = stormer-verlet, step = 0.1, steps = 100\n");
    spit("k.csv", "2.5\n");
    f = fopen(LBR_TEST_DATA "/checkpoints/first-gauss.save", "rb"), n = f ? fread(bytes, 1, MOST, f) : 0;
    if (f) fclose(f);
    f = fopen("first.save", "wb"), fwrite(bytes, 1, n, f), fclose(f);
    ok(n > 128 && bytes[8] == 1 && tool("run|first.lbr|--steps|60|--json") == 0, "a run without interruption");
    snprintf(whole, sizeof whole, "%.3000s", strstr(out, "\"state\""));
    ok(tool("run|first.lbr|--steps|60|--resume|first.save|--json") == 0, "one that goes on: %s", told);
    ok(strstr(out, "\"state\"") && !strncmp(whole, strstr(out, "\"state\""), strcspn(whole, "]")), "the same bits");
    ok(tool("run|first.lbr|--steps|60|--set|a=2|--resume|first.save") == 2 && says("first.save|another model"),
       "other parameters: %s", told);
    ok(tool("run|first.lbr|--steps|60|--method|gauss:3|--resume|first.save") == 2 && says("first.save|method"),
       "another method: %s", told);
    ok(tool("run|data.lbr|--steps|60|--resume|" LBR_TEST_DATA "/checkpoints/first-data.save") == 2 && says("data"),
       "a run that reads data, which is not noted there: %s", told);
    bytes[n - 3] ^= 1;
    f = fopen("first.save", "wb"), fwrite(bytes, 1, n, f), fclose(f);
    ok(tool("run|first.lbr|--steps|60|--resume|first.save") == 2 && says("first.save|damaged"), "damaged: %s", told);
}

static void older(void)
{
    static char bytes[MOST];
    FILE *f = fopen("g.save", "rb");
    size_t n = f ? fread(bytes, 1, MOST, f) : 0;

    if (f) fclose(f);
    bytes[8] = 1; /* the format version stands behind the magic */
    f = fopen("old.save", "wb"), fwrite(bytes, 1, n, f), fclose(f);
    ok(n > 128 && tool("run|kepler|--steps|20|--resume|old.save") == 2 && says("old.save|damaged"),
       "a checkpoint that only says it is of the first format: %s", told);
    ok(tool("run|kepler|--steps|20|--checkpoint|old.save") == 2 && says("old.save|--force"),
       "is not replaced without a word: %s", told);
    bytes[8] = 99;
    f = fopen("new.save", "wb"), fwrite(bytes, 1, n, f), fclose(f);
    ok(tool("run|kepler|--steps|20|--resume|new.save") == 2 && says("new.save|later version"),
       "one of a later format: %s", told);
}

static void tests(void) { data(), half_and_half(), places(), included(), assembled(), first_version(), older(); }

int main(void) { return with_tool(tests); }
