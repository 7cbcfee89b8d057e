/* test_kernel_cache.c - compiled kernels are kept, found again, and nothing but what was kept is ever run.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/kernels.h"

#include <pthread.h>
#include <sys/resource.h>

#include "kernel/digest.h"
#include "kernel/loaded.h"

/* The one entry of the cache. */
static const char *the_entry(void)
{
    char name[300] = "none";

    names(in("cache"), ".so", name);
    return in("cache/%s", name);
}

static int mode(const char *path)
{
    struct stat s;
    return stat(path, &s) ? -1 : (int)(s.st_mode & 07777);
}

static void start(void) { new_cache(), fake("good", "compile \"$@\""), calls(); }

/* --- once -------------------------------------------------------------------------------------------------------- */

static void once(void)
{
    outcome o;

    start();
    umask(0);
    o = ASK(.number = 7);
    umask(022);
    ok(well(&o, 7) && fresh(&o) && !*o.message && calls() == 1, "compiled");
    ok(mode(in("cache")) == 0700 && mode(the_entry()) == 0600 && entries() == 1,
       "and kept, where only we can see it, whatever the mask");
    o = ASK(.number = 7);
    ok(well(&o, 7) && found(&o) && calls() == 0, "the next process finds it");
    printf("# it took %.3g ms to find\n", 1e3 * o.took);
    o = ASK(.number = 7, .times = 1000);
    ok(well(&o, 7) && found(&o) && calls() == 0 && o.took < 0.01, "a thousand times");
    printf("# the first %.3g ms, the last %.3g ms\n", 1e3 * o.first, 1e3 * o.took);
    o = ASK(.number = 8, .times = 2);
    ok(well(&o, 8) && o.cached && calls() == 1 && entries() == 2, "asked for twice in one process: compiled once");
}

/* What makes another kernel. */
static void keys(void)
{
    outcome o;

    start();
    ASK(.number = 10);
    o = ASK(.number = 11);
    ok(well(&o, 11) && fresh(&o) && entries() == 2, "another text is another kernel");
    o = ASK(.number = 10, .flag = "-DX");
    ok(well(&o, 10) && fresh(&o) && entries() == 3, "so are other flags");
    o = ASK(.number = 10, .isa = LBR_ISA_BASELINE);
    ok(well(&o, 10) && (fresh(&o) || !lbr_isa_there(LBR_ISA_V3)), "another instruction set");
    fake("other", "compile \"$@\"");
    o = ASK(.number = 10);
    ok(well(&o, 10) && fresh(&o), "another compiler");
    fake("other", "compile \"$@\" # and it has grown");
    o = ASK(.number = 10);
    ok(well(&o, 10) && fresh(&o), "and one that was replaced");
    setenv("LIBRATION_CC", in("good"), 1), calls();
    o = ASK(.number = 10);
    ok(well(&o, 10) && found(&o) && calls() == 0, "the first one is still there");
    o = ASK(.prelude = "", .body = "return twice(3);");
    o = ASK(.prelude = "static int entry(void) ", .body = "return 1; } static int x(void) { return 2;");
    ok(o.status == LBR_EARG, "a text that defines a name twice is no kernel: %.120s", o.message);
}

/* A text is complete in itself. */
static void included(void)
{
    outcome o;

    start();
    o = ASK(.prelude = "#include \"mine.h\"\n", .number = 5);
    ok(o.status == LBR_EARG && says(&o, "mine.h") && !litter(), "files of the user are not included: %s", o.message);
}

/* --- at once ----------------------------------------------------------------------------------------------------- */

static void *in_thread(void *ctx) { return ask_once(&(request){ .number = 21 }, ctx), NULL; }

static void at_once(void)
{
    enum { N = 4 };
    outcome *o = shared(N), t[N] = { { 0 } };
    pthread_t thread[N];
    pid_t child[N];
    int good = 1;

    start();
    for (int i = 0; i < N; i++) child[i] = begin(&(request){ .number = 20 }, &o[i]);
    for (int i = 0; i < N; i++)
        end(child[i], &o[i]), good &= !o[i].ended && !o[i].noise && !o[i].status && o[i].value == 20 && !*o[i].message;
    ok(good && !litter() && entries() == 1, "%d processes at once: each has its kernel, and one is kept", N);
    o[0] = ASK(.number = 20);
    ok(well(&o[0], 20) && found(&o[0]), "which is a good one");
    calls(), good = 1;
    for (int i = 0; i < N; i++) good &= !pthread_create(&thread[i], NULL, in_thread, &t[i]);
    for (int i = 0; i < N && good; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < N; i++) good &= !t[i].status && t[i].value == 21 && !*t[i].message;
    ok(good && calls() == 1, "%d threads of one process: compiled once", N);
    munmap(o, N * sizeof *o);
}

/* --- folders that are not for us --------------------------------------------------------------------------------- */

/* How the folder is made, and a part of the sentence; the last letter of `who`: r only as root, n by a user who is not
 * root. */
static const struct folder {
    const char *name, *make, *says;
    char who;
} folders[] = {
    { "is a link", "mkdir -m 700 real; ln -s real cache", "link", ' ' },
    { "is a link to nowhere", "ln -s nowhere cache", "link", ' ' },
    { "is a file", "echo >cache", "not a folder", ' ' },
    { "is a pipe", "mkfifo cache", "not a folder", ' ' },
    { "others may write to", "mkdir cache; chmod 707 cache", "others may write", ' ' },
    { "the group may write to", "mkdir cache; chmod 770 cache", "others may write", ' ' },
    { "belongs to somebody else", "mkdir -m 700 cache; chown 12345 cache", "another user", 'r' },
    { "is read-only", "mkdir cache; chown 65534 cache; chmod 500 cache", "not kept", 'n' },
    { "cannot be made", "mkdir -m 755 cache; rmdir cache; true", "not kept", 'n' },
};

static void bad_folders(void)
{
    outcome o;

    for (int i = 0; i < COUNT(folders); i++) {
        const struct folder *f = &folders[i];
        int root = getuid() == 0;

        if (f->who == 'r' && !root) {
            ok(1, "a cache that %s # skip only root can make one", f->name);
            continue;
        }
        start();
        shell("cd '%s' && { %s; } && ls -ldn cache >before 2>&1; true", base,
              root || f->who != 'n' ? f->make : "mkdir cache; chmod 500 cache");
        if (!strcmp(f->name, "cannot be made") && !root) setenv("LIBRATION_CACHE", "/proc/none/cache", 1);
        o = ASK(.number = 30, .nobody = root && f->who == 'n');
        ok(well(&o, 30) && fresh(&o) && says(&o, f->says), "a cache that %s: %s", f->name, o.message);
        shell("cd '%s' && ls -ldn cache >after 2>&1; diff before after >difference; true", base);
        ok(bytes(in("difference")) == 0 && names(in("cache"), "", NULL) == 0, "is left alone");
        shell("cd '%s' && rm -rf cache real", base);
    }
}

static void elsewhere(void)
{
    static const char *const set[] = { "LIBRATION_CACHE", "XDG_CACHE_HOME", "HOME" };
    char path[600], longer[5000] = "";
    outcome o;

    start();
    for (int i = 0; i < 3; i++) unsetenv(set[i]);
    lbr_cache_path(path, sizeof path);
    o = ASK(.number = 40);
    ok(!*path && well(&o, 40) && fresh(&o) && says(&o, "HOME"), "no folder at all: %s", o.message);
    setenv("HOME", in("home"), 1);
    o = ASK(.number = 40);
    ok(well(&o, 40) && fresh(&o) && says(&o, "is not there") && access(in("home"), F_OK),
       "a home that is not there is not made: %s", o.message);
    memset(longer, 'x', sizeof longer - 1), longer[0] = '/', setenv("LIBRATION_CACHE", longer, 1);
    o = ASK(.number = 40);
    ok(well(&o, 40) && fresh(&o) && says(&o, "too long"), "nor is a name that is too long none: %s", o.message);
    unsetenv("LIBRATION_CACHE"), mkdir(in("home"), 0700);
    lbr_cache_path(path, sizeof path);
    o = ASK(.number = 40);
    ok(!strcmp(path, in("home/.cache/libration")) && well(&o, 40) && !*o.message && names(path, ".so", NULL) == 1 &&
           mode(in("home/.cache")) == 0700,
       "$HOME/.cache/libration, made on the way");
    setenv("XDG_CACHE_HOME", "not/absolute", 1), lbr_cache_path(path, sizeof path);
    ok(!strcmp(path, in("home/.cache/libration")), "a relative XDG_CACHE_HOME does not count");
    setenv("XDG_CACHE_HOME", in("xdg"), 1), lbr_cache_path(path, sizeof path);
    ok(!strcmp(path, in("xdg/libration")), "$XDG_CACHE_HOME/libration");
    setenv("LIBRATION_CACHE", in("cache///"), 1), lbr_cache_path(path, sizeof path);
    ok(!strcmp(path, in("cache")), "$LIBRATION_CACHE, without slashes behind it");
    shell("cd '%s' && mkdir -m 700 real && ln -s real cache", base);
    o = ASK(.number = 40);
    ok(well(&o, 40) && says(&o, "link"), "so that a link is seen: %s", o.message);
    lbr_cache_path(path, 5);
    ok(!*path, "a path that has no room is none");
    setenv("TMPDIR", in("none"), 1);
    setenv("LIBRATION_CACHE", in("home/own"), 1);
    o = ASK(.number = 40);
    ok(o.status == LBR_EIO && says(&o, "TMPDIR"), "no place for temporary files: %s", o.message);
    setenv("TMPDIR", in("tmp"), 1);
}

/* --- entries that are not what they were ------------------------------------------------------------------------- */

/* Done in the cache; $e is the entry, $other an entry of another kernel, $foreign an object that is not ours and would
 * tell if it were loaded. */
static const struct damage {
    const char *name, *how;
} damages[] = {
    { "cut in half", "n=$(wc -c <$e); head -c $((n / 2)) $e >x; mv x $e" },
    { "without its last byte", "n=$(wc -c <$e); head -c $((n - 1)) $e >x; mv x $e" },
    { "with one byte more", "echo >>$e" },
    { "empty", ": >$e" },
    { "with one bit changed", "printf '\\201' | dd of=$e bs=1 seek=700 conv=notrunc 2>/dev/null" },
    { "another kernel", "cp $other $e" },
    { "a foreign object", "cp $foreign $e; chmod 600 $e" },
    { "a foreign object with the end of the right one", "tail -c 40 $e >x; cat $foreign x >$e; rm x" },
    { "writable by others", "chmod 622 $e" },
    { "a link to a good one", "mv $e good; ln -s good $e" },
    { "a pipe", "rm $e; mkfifo -m 600 $e" },
};

/* An entry that cannot be opened since too many files are is not damaged, and stays. */
static void without_files(void)
{
    struct rlimit all, few;
    int next = dup(0), missed = 0, blamed = 0;
    outcome o, *try = shared(1);
    pid_t child;

    close(next), start();
    ASK(.number = 52);
    getrlimit(RLIMIT_NOFILE, &all), few = all;
    for (int more = 1; more < 6; more++) {
        few.rlim_cur = (rlim_t)(next + more), setrlimit(RLIMIT_NOFILE, &few);
        child = begin(&(request){ .number = 52 }, try);
        setrlimit(RLIMIT_NOFILE, &all);
        end(child, try);
        missed += !found(try), blamed += says(try, "damaged") || entries() != 1;
    }
    munmap(try, sizeof *try);
    ok(missed > 0 && !blamed, "too few files can be opened: missed %d times, and nothing is removed as damaged",
       missed);
    o = ASK(.number = 52);
    ok(well(&o, 52) && found(&o), "the kernel is still there: %s", o.message);
}

static void damaged(void)
{
    char other[600];
    outcome o;

    spit(in("foreign.c"),
         "#include <stdio.h>\n"
         "__attribute__((constructor)) static void run(void) { fclose(fopen(PLACE, \"w\")); }\n"
         "int entry(void) { return 666; }\n",
         0644);
    shell("cd '%s' && '%s' -shared -fPIC -DPLACE='\"%s/ran\"' -o foreign.so foreign.c", base, real_compiler(), base);
    for (int i = 0; i < COUNT(damages); i++) {
        start();
        ASK(.number = 51);
        snprintf(other, sizeof other, "%s", in("other.so"));
        shell("mv '%s' '%s'", the_entry(), other);
        ASK(.number = 50);
        shell("cd '%s/cache' && e='%s' other='%s' foreign='%s/foreign.so' && { %s; }", base, the_entry(), other, base,
              damages[i].how);
        o = ASK(.number = 50);
        ok(well(&o, 50) && fresh(&o) && says(&o, "damaged"), "an entry that is %s: %s", damages[i].name, o.message);
        o = ASK(.number = 50);
        ok(well(&o, 50) && found(&o) && !there(in("ran")), "is replaced, and was not run");
    }
    start(), ASK(.number = 50);
    shell("e='%s'; rm $e; mkdir $e", the_entry());
    o = ASK(.number = 50);
    ok(well(&o, 50) && fresh(&o) && says(&o, "not kept"), "a folder in its place stays: %s", o.message);
}

/* An object that carries the right checksum but was made of something else: known by what it says itself, once it is
 * loaded. */
static void disguised(void)
{
    static char object[1 << 20];
    char entry[600], hex[LBR_DIGEST_HEX];
    unsigned char key[LBR_DIGEST];
    lbr_digester d;
    lbr_digest sum;
    outcome o;
    size_t n;
    FILE *f;

    start();
    ASK(.number = 60);
    snprintf(entry, sizeof entry, "%s", the_entry());
    snprintf(hex, sizeof hex, "%.64s", strrchr(entry, '/') + 1);
    for (int i = 0; i < LBR_DIGEST; i++) {
        unsigned byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte), key[i] = (unsigned char)byte;
    }
    spit(in("false.c"), "const char lbr_kernel_exported[100] = \"nothing\"; int entry(void) { return 666; }\n", 0644);
    shell("cd '%s' && '%s' -shared -fPIC -o false.so false.c", base, real_compiler());
    n = (f = fopen(in("false.so"), "rb")) ? fread(object, 1, sizeof object - 100, f) : 0;
    if (f) fclose(f);
    lbr_digest_begin(&d), lbr_digest_add(&d, key, sizeof key), lbr_digest_add(&d, object, n), lbr_digest_end(&d, &sum);
    memcpy(object + n, "lbrkern1", 8), memcpy(object + n + 8, &sum, sizeof sum);
    if ((f = fopen(entry, "wb"))) fwrite(object, 1, n + 8 + sizeof sum, f), fclose(f);
    o = ASK(.number = 60);
    ok(well(&o, 60) && fresh(&o) && says(&o, "something else"), "an entry in disguise: %s", o.message);
    o = ASK(.number = 60);
    ok(well(&o, 60) && found(&o), "is replaced");
}

/* --- a disk that is full ----------------------------------------------------------------------------------------- */

static void full(void)
{
    long size;
    int refused = 0, used = 0;
    outcome o;

    start();
    ASK(.number = 70);
    size = bytes(the_entry());
    for (long most = 50; most < size + 4000; most += most < 1000 ? 300 : 2500) {
        start();
        o = ASK(.number = 70, .most = (rlim_t)most);
        ok(!o.ended && !o.noise, "room for %ld bytes: %.100s", most, o.message);
        ok(!litter(), "leaves nothing lying about");
        ok(o.value == (o.status ? -1 : 70), "gives what was asked for, or nothing");
        ok(!o.status || strchr(o.message, ' '), "a sentence says why");
        ok(!o.status || !entries(), "and nothing is kept of what is refused");
        refused += o.status != LBR_OK, used += !o.status;
    }
    ok(refused > 2 && used > 0, "too little is refused, enough is enough");
    start();
    o = ASK(.number = 70, .most = (rlim_t)size - 1);
    ok(well(&o, 70) && says(&o, "not kept") && !entries(), "room for the object but not for the entry: %s", o.message);
}

/* --- memory that is refused, a table that is full ---------------------------------------------------------------- */

static void starved(void)
{
    int good = 1, n = 0;
    outcome o;

    if (!heap_wrapped()) {
        ok(1, "memory that is refused # skip linked otherwise");
        return;
    }
    do {
        start();
        o = ASK(.number = 75, .refuse = ++n);
        good &= !o.ended && !o.noise && !litter() &&
                (o.status ? o.status == LBR_EIO && says(&o, "compiler") : o.value == 75);
    } while (o.refused && n < 100);
    ok(good && n > 2 && n < 100, "each of %d allocations refused: a sentence, or a kernel", n - 1);
}

/* The last test of a process: from here on it remembers nothing new. */
static void crowded(void)
{
    lbr_digest d = { { 0 } };
    lbr_object object;
    lbr_status status;
    int places = 0, known;
    outcome o;

    start();
    for (int i = 0; i < 1 << 20 && (memcpy(&d, &i, sizeof i), lbr_loaded_ask(&d, &known, &object, &status)); i++)
        places++;
    o = ASK(.number = 76, .times = 2);
    ok(places > 100 && places < 1 << 20 && well(&o, 76) && found(&o) && calls() == 1,
       "when the table of a process is full (%d), kernels come from the cache", places);
}

/* --- what goes --------------------------------------------------------------------------------------------------- */

/* A file of the cache that was used so many seconds ago. */
static void old(const char *end_, int number, long size, int ago)
{
    char path[600];
    struct timespec now, used[2];
    int fd;

    snprintf(path, sizeof path, "%s/cache/%064x%s", base, (unsigned)number, end_);
    fd = open(path, O_WRONLY | O_CREAT, 0600);
    clock_gettime(CLOCK_REALTIME, &now);
    used[0] = used[1] = (struct timespec){ now.tv_sec - ago, 0 };
    if (fd < 0 || ftruncate(fd, size) || futimens(fd, used)) printf("Bail out! %s\n", path), exit(1);
    close(fd);
}

static int is_there(const char *end_, int number) { return there(in("cache/%064x%s", (unsigned)number, end_)); }

static void trimmed(void)
{
    outcome o;

    start(), mkdir(in("cache"), 0700);
    for (int i = 0; i < LBR_CACHE_KERNELS + 4; i++)
        old(".so", i, 1, 10 + (i * 7) % (LBR_CACHE_KERNELS + 4)); /* ages are not in order of names */
    old(".1-0.new", 0, 1, 4000), old(".1-0.new", 1, 1, 10);
    spit(in("cache/mine.so"), "", 0600);
    o = ASK(.number = 80);
    ok(!o.status && entries() == LBR_CACHE_KERNELS + 1, "%d kernels stay", LBR_CACHE_KERNELS);
    for (int i = 0, gone = 0; i < LBR_CACHE_KERNELS + 4; i++)
        if ((gone += !is_there(".so", i)) && !is_there(".so", i) &&
            (i * 7) % (LBR_CACHE_KERNELS + 4) < LBR_CACHE_KERNELS - 1)
            ok(0, "a younger one went");
    ok(!is_there(".1-0.new", 0) && is_there(".1-0.new", 1) && there(in("cache/mine.so")),
       "so does what is being written, not what was left long ago; what is not ours stays");
    o = ASK(.number = 80);
    ok(found(&o), "the new one is among them");
    start(), mkdir(in("cache"), 0700);
    for (int i = 0; i < 5; i++) old(".so", i, 60L << 20, 100 - i);
    o = ASK(.number = 81);
    ok(!is_there(".so", 0) && is_there(".so", 1) && is_there(".so", 4),
       "so many bytes stay: the least recently used goes");
    start(), ASK(.number = 82);
    shell("touch -d '2 days ago' '%s'", the_entry());
    ASK(.number = 82);
    for (int i = 0; i < 5; i++) old(".so", i, 60L << 20, 100);
    o = ASK(.number = 83);
    o = ASK(.number = 82);
    ok(found(&o), "an old one that is used is young again");
}

static void cleared(void)
{
    lbr_cache_size size = { -1, -1 };
    lbr_message m = { 0 };
    long one;

    start();
    ok(!lbr_cache_measure(&size, &m) && !size.kernels && !size.bytes && !there(in("cache")),
       "a cache that is not there yet is empty, and stays so");
    ok(!lbr_cache_clear(&size, &m) && !size.kernels && !there(in("cache")), "nor is one made to be cleared");
    ASK(.number = 90), one = bytes(the_entry()), ASK(.number = 91);
    spit(in("cache/notes.txt"), "mine", 0600), spit(in("cache/abc.so"), "mine", 0600), old(".so.bak", 3, 1, 1),
        old(".1-0.new", 4, 100, 1);
    ok(!lbr_cache_measure(&size, &m) && size.kernels == 2 && size.bytes == 2 * one + 100, "measured");
    ok(!lbr_cache_clear(&size, &m) && size.kernels == 2 && size.bytes == 2 * one + 100, "cleared");
    ok(there(in("cache/notes.txt")) && there(in("cache/abc.so")) && is_there(".so.bak", 3) &&
           names(in("cache"), "", NULL) == 3,
       "of ours, nothing else");
    chmod(in("cache"), 0777);
    ok(lbr_cache_clear(&size, &m) == LBR_EIO && strstr(m.text, "others may write"),
       "one that is not ours alone is not: %s", m.text);
    ok(lbr_cache_measure(&size, &m) == LBR_EIO && size.kernels == 0, "nor measured");
}

/* --- the tool ---------------------------------------------------------------------------------------------------- */

static int tool(const char *arguments, char *said, size_t size)
{
    char line[1000];
    FILE *f;
    size_t n;
    int status;

    snprintf(line, sizeof line, "'%s' cache %s 2>&1", getenv("LIBRATION"), arguments);
    fflush(stdout);
    n = (f = popen(line, "r")) ? fread(said, 1, size - 1, f) : 0;
    said[n && said[n - 1] == '\n' ? n - 1 : n] = 0;
    status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void command(void)
{
    char said[4000], part[200];

    if (!getenv("LIBRATION")) {
        ok(1, "the tool # skip LIBRATION does not name it");
        return;
    }
    start(), ASK(.number = 95);
    snprintf(part, sizeof part, "\"bytes\": %ld", bytes(the_entry()));
    ok(tool("", said, sizeof said) == 0 && strstr(said, in("cache")) &&
           strstr(said, "kernels  1\n"
                        "bytes    "),
       "libration cache says where, how many and how much");
    ok(tool("--json", said, sizeof said) == 0 && strstr(said, "\"kernels\": 1") && strstr(said, part) &&
           strstr(said, "\"removed\": null"),
       "as JSON");
    ok(tool("--clear --json", said, sizeof said) == 0 && strstr(said, "\"kernels\": 0") &&
           strstr(said, "\"kernels\": 1") && strstr(said, part) && !entries(),
       "--clear");
    ok(tool("--clear", said, sizeof said) == 0 && strstr(said, "removed  0 kernels"), "again: nothing to do");
    ok(tool("--frob", said, sizeof said) == 2 && strstr(said, "--frob") && tool("x", said, sizeof said) == 2,
       "bad usage: 2");
    chmod(in("cache"), 0777);
    ok(tool("--json", said, sizeof said) == 4 && strstr(said, "others may write"), "a cache that is not ours: %s",
       said);
}

static void tests(void)
{
    once(), keys(), included(), at_once(), bad_folders(), elsewhere(), without_files(), damaged(), disguised(), full(),
        trimmed(), cleared(), starved(), command(), crowded();
}

int main(void) { return with_folders(tests); }
