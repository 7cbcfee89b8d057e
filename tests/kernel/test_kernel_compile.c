/* test_kernel_compile.c - kernels compiled by compilers that are missing, fail, hang, lie or chatter; and digests.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/kernels.h"

#include "kernel/digest.h"

/* --- digests: the published one of "abc" (RFC 7693, for 256 bits), and pieces of any length ---------------------- */

static void hex_of(const char *bytes_, size_t n, size_t piece, char hex[LBR_DIGEST_HEX])
{
    lbr_digester d;
    lbr_digest g;

    lbr_digest_begin(&d);
    for (size_t i = 0; i < n; i += piece) lbr_digest_add(&d, bytes_ + i, n - i < piece ? n - i : piece);
    lbr_digest_end(&d, &g);
    lbr_digest_hex(&g, hex);
}

static void digests(void)
{
    char hex[LBR_DIGEST_HEX], other[LBR_DIGEST_HEX], text[300];
    int same = 1, apart = 1;

    hex_of("abc", 3, 1, hex);
    ok(!strcmp(hex, "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"), "the digest of abc: %.16s...",
       hex);
    hex_of("", 0, 1, hex);
    ok(!strcmp(hex, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"), "and of nothing: %.16s...",
       hex);
    for (int i = 0; i < 300; i++) text[i] = (char)(i % 251);
    for (size_t n = 120; n < 300; n++) {
        hex_of(text, n, n, hex);
        for (size_t piece = 1; piece < 140; piece += 9) hex_of(text, n, piece, other), same &= !strcmp(hex, other);
        text[n - 1] ^= 1, hex_of(text, n, n, other), text[n - 1] ^= 1;
        apart &= strcmp(hex, other) != 0;
    }
    ok(same, "a digest does not depend on the pieces in which bytes come");
    ok(apart, "but on the last bit of them");
}

/* --- compilers that do not do what they should ------------------------------------------------------------------- */

/* A compiler, and what comes of it: the status, and a part of the sentence. */
static const struct bad {
    const char *name, *script;
    lbr_status status;
    const char *says;
} bads[] = {
    { "fails", "echo 'kernel.c: In function entry:'; echo 'kernel.c:1:2: error: it rains' >&2; echo more; exit 1",
      LBR_EARG, "error: it rains" },
    { "is killed", "kill -9 $$", LBR_EARG, "said nothing" },
    { "fails in silence", "exit 3", LBR_EARG, "said nothing" },
    { "fails with a long line", "head -c 5000 /dev/zero | tr '\\0' 'x'; exit 1", LBR_EARG, "xxx" },
    { "fails with colours and bells", "printf '\\033[1merror: \\007\\r\\n'; exit 1", LBR_EARG, "error:" },
    { "fails and has made an object", "compile \"$@\"; exit 1", LBR_EARG, "said nothing" },
    { "writes nothing", "exit 0", LBR_EARG, "made nothing" },
    { "writes an empty file", ": >\"$out\"", LBR_EARG, "no shared object" },
    { "writes words", "echo 'this is no object' >\"$out\"", LBR_EARG, "no shared object" },
    { "makes a folder", "mkdir \"$out\"", LBR_EARG, "no shared object" },
    { "leaves out the second half",
      "compile \"$@\"; n=$(wc -c <\"$out\"); head -c $((n / 2)) \"$out\" >\"$out.x\"; mv \"$out.x\" \"$out\"", LBR_EARG,
      "no shared object" },
    { "leaves out the last byte",
      "compile \"$@\"; n=$(wc -c <\"$out\"); head -c $((n - 1)) \"$out\" >\"$out.x\"; mv \"$out.x\" \"$out\"", LBR_EARG,
      "no shared object" },
    { "makes an object of something else",
      "echo 'int entry(void) { return 1; }' >\"$out.c\"; compile -shared -fPIC -o \"$out\" \"$out.c\"", LBR_EARG,
      "something else" },
    { "finds the disk full",
      "echo half >\"$out\"; echo 'fatal error: error writing to /tmp/x: No space left on device'; exit 1", LBR_EIO,
      "No space left" },
    { "is no program", NULL, LBR_EUNFIT, "no compiler" },
};

static void bad_compilers(void)
{
    outcome o;

    for (int i = 0; i < COUNT(bads); i++) {
        const struct bad *b = &bads[i];

        new_cache();
        fake("bad", b->script ? b->script : "");
        if (!b->script) spit(in("bad"), "#!/no/such/interpreter\n", 0755);
        o = ASK(.number = 100 + i);
        ok(!o.ended && !o.noise && o.status == b->status && o.value == -1 && says(&o, b->says),
           "a compiler that %s: %.150s", b->name, o.message);
        ok(!litter() && !entries(), "leaves nothing behind");
    }
    setenv("LIBRATION_CC", in("nothing"), 1);
    o = ASK(.number = 1);
    ok(o.status == LBR_EUNFIT && says(&o, "no compiler") && says(&o, "LIBRATION_CC"), "no compiler: %s", o.message);
    setenv("LIBRATION_CC", "no-such-compiler-anywhere", 1);
    o = ASK(.number = 1);
    ok(o.status == LBR_EUNFIT && says(&o, "no-such-compiler"), "none in PATH: %s", o.message);
    spit(in("flat"), "#!/bin/sh\n", 0644), setenv("LIBRATION_CC", in("flat"), 1);
    o = ASK(.number = 1);
    ok(getuid() == 0 ? o.status != LBR_OK : o.status == LBR_EUNFIT, "one that may not be run: %s", o.message);
    setenv("LIBRATION_CC", base, 1);
    o = ASK(.number = 1);
    ok(o.status == LBR_EUNFIT, "a folder: %s", o.message);
    fake("good", "compile \"$@\""), calls();
    o = ASK(.number = 1);
    ok(well(&o, 1) && fresh(&o), "and a good one compiles the same after all of these");
}

/* --- compilers that do more than they should --------------------------------------------------------------------- */

/* Whether a process is doing something; one that nobody has waited for is not. */
static int alive(const char *file)
{
    FILE *f = fopen(file, "r");
    char path[64], state = 'X';
    int pid = 0;

    if (!f || fscanf(f, "%d", &pid) != 1) printf("# %s has no number\n", file);
    if (f) fclose(f);
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (!(f = fopen(path, "r"))) return 0;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
    fclose(f);
    return state != 'X' && state != 'Z';
}

/* Whether it still is after a while: the machine may take its time to end it. */
static int runs(const char *file)
{
    for (int i = 0; i < 200 && alive(file); i++) usleep(10000);
    return alive(file);
}

static void hanging(void)
{
    outcome o;

    new_cache();
    setenv("LIBRATION_CC_SECONDS", "0.3", 1);
    fake("slow", "sleep 100 & echo $! >\"$base/sleeper\"; mkdir -p \"$TMPDIR/a/b\"; echo x >\"$TMPDIR/a/b/c\"; wait");
    o = ASK(.number = 200);
    ok(o.status == LBR_EARG && says(&o, "0.3 seconds") && says(&o, "LIBRATION_CC_SECONDS") && o.took > 0.29 &&
           o.took < 10,
       "a compiler that hangs is ended: %s", o.message);
    ok(!runs(in("sleeper")) && !litter(),
       "with what it has started, and what it has put into its temporary folder goes");
    calls();
    o = ASK(.number = 201, .times = 3);
    ok(o.status == LBR_EARG && says(&o, "0.3 seconds") && calls() == 1 && o.took < 0.1,
       "in one process that is found out once");
    unsetenv("LIBRATION_CC_SECONDS");
    o = ASK(.number = 202, .alarm = 300);
    ok(o.status == LBR_STOPPED && says(&o, "interrupted") && o.took < 10 && !o.noise, "an interrupt ends it: %s",
       o.message);
    ok(!runs(in("sleeper")) && !litter() && !entries(), "and nothing is left");
}

static void chatting(void)
{
    outcome o;

    new_cache();
    fake("chatty", "echo hello; echo world >&2; cat >\"$base/input\"; compile \"$@\"; echo done; sleep 100 & echo $! "
                   ">\"$base/sleeper\"");
    o = ASK(.number = 300);
    ok(well(&o, 300) && fresh(&o) && !*o.message, "what a compiler says when all is well is not heard");
    ok(bytes(in("input")) == 0, "it gets no input");
    ok(!runs(in("sleeper")), "what it leaves running is ended");
}

/* --- what is compiled -------------------------------------------------------------------------------------------- */

static void what(void)
{
    static const char *const text[] = { "const int table[] = { 3, 1, 4 };", "static double half(double x)",
                                        "{ return x / 2; }" };
    const char *const flags[60] = { "-DX" };
    lbr_compile c = { text, 3, "table", LBR_ISA_AUTO, NULL, 0, LBR_COMPILE_WAIT, NULL };
    lbr_object a, b;
    outcome o;

    new_cache();
    fake("good", "compile \"$@\"");
    ok(!lbr_compile_object(&c, &a) && ((const int *)a.symbol)[2] == 4, "data");
    c.symbol = "half";
    ok(!lbr_compile_object(&c, &b) && b.symbol && b.symbol != a.symbol, "and a static function, of the same text");
    c.symbol = "none";
    ok(lbr_compile_object(&c, &b) == LBR_EARG && strstr(b.message.text, "none") && !b.symbol,
       "a name that the text does not have: %s", b.message.text);
    c.symbol = "half; evil";
    ok(lbr_compile_object(&c, &b) == LBR_EARG && !b.symbol, "no name at all: %s", b.message.text);
    c.symbol = "half", c.flags = flags, c.nflags = COUNT(flags);
    ok(lbr_compile_object(&c, &b) == LBR_EARG, "too many flags: %s", b.message.text);
    c.isa = 99, c.nflags = 0;
    ok(lbr_compile_object(&c, &b) == LBR_EARG, "an instruction set that is none: %s", b.message.text);
    o = ASK(.body = "return WORD;", .flag = "-DWORD=42");
    ok(well(&o, 42), "flags of the caller reach the compiler");
    o = ASK(.body = "return unknown_function(3);");
    ok(o.status == LBR_EARG && says(&o, "unknown_function") && entries() == 3 && !litter(), "what cannot be loaded: %s",
       o.message);
    o = ASK(.body = "return sin(1.0) == 0.8414709848078965;", .prelude = "double sin(double);\n");
    ok(well(&o, 1), "functions of the mathematical library are there");
}

/* The level is passed on, and what decides about floating point. */
static void flags_used(void)
{
    static const char *const all[] = {
        "-std=c17",           "-O3",   "-fno-builtin", "-ffp-contract=off",  "-fno-math-errno",
        "-fno-trapping-math", "-fPIC", "-shared",      "-fvisibility=hidden"
    };
    static const struct {
        int isa;
        const char *flag;
    } level[] = { { LBR_ISA_BASELINE, "-march=x86-64-v2" },
                  { LBR_ISA_V3, "-march=x86-64-v3" },
                  { LBR_ISA_V4, "-march=x86-64-v4" } };
    char line[4000] = "";
    int every = 1;
    FILE *f;
    outcome o;

    fake("telling", "echo \" $* \" >\"$base/line\"; compile \"$@\"");
    o = ASK(.number = 400, .isa = LBR_ISA_BASELINE);
    if (!(f = fopen(in("line"), "r")) || !fgets(line, sizeof line, f)) strcpy(line, "none");
    if (f) fclose(f);
    for (int i = 0; i < COUNT(all); i++) every &= strstr(line, all[i]) != NULL;
    ok(well(&o, 400) && every && !strstr(line, "native") && !strstr(line, "fast-math"),
       "the flags are those of all kernels");
#ifdef __x86_64__
    for (int i = 0; i < COUNT(level); i++) {
        if (!lbr_isa_there(level[i].isa)) continue;
        o = ASK(.number = 410 + i, .isa = level[i].isa);
        if ((f = fopen(in("line"), "r")) && !fgets(line, sizeof line, f)) strcpy(line, "none");
        if (f) fclose(f);
        ok(well(&o, 410 + i) && (strstr(line, level[i].flag) || (i == 0 && !__builtin_cpu_supports("sse4.2"))), "%s",
           level[i].flag);
    }
#endif
}

static void tests(void) { digests(), bad_compilers(), hanging(), chatting(), what(), flags_used(); }

int main(void) { return with_folders(tests); }
