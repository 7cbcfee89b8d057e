/* compile.c - C text made into a loaded object: by the system's compiler, or from the cache.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A request has a digest, of all that the object depends on; it is the object's name everywhere. Whatever is wrong with
 * the cache, the object is compiled and used; the sentence says so. A compiler may work beside the caller: then the job
 * waits in the table of loaded.c until it is over. */
#define _DEFAULT_SOURCE /* fstat, O_CLOEXEC */
#include "compile.h"
#include "cache.h"
#include "compiler.h"
#include "core/mem.h"
#include "entry.h"
#include "folder.h"
#include "loaded.h"
#include "object.h"
#include "regular_file.h"
#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct job {
    lbr_object *object;
    lbr_compiler compiler;
    lbr_process process;
    lbr_folder folder; /* made when it is needed */
    lbr_digest key;
    char library[LBR_PATH + LBR_ENTRY_NAME];
    int cache; /* its folder; -1: it is not used */
    double began;
    lbr_message note; /* why the cache is not used */
    lbr_object own;   /* of a job beside: there is nobody else's */
    int beside;       /* it goes on by itself */
} job;

/* --- what is asked ----------------------------------------------------------------------------------------------- */

static int is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return s && *s && !strchr("0123456789", *s) && strspn(s, letters) == strlen(s);
}

static void digest_request(job *j, const lbr_compile *ask)
{
    lbr_digester d;

    lbr_digest_begin(&d);
    lbr_digest_text(&d, "libration kernel 1"), lbr_digest_text(&d, lbr_version());
    lbr_digest_text(&d, lbr_object_probe());
    lbr_compiler_digest(&j->compiler, &d);
    lbr_digest_text(&d, ask->symbol);
    for (int64_t i = 0; i < ask->ntext; i++) lbr_digest_add(&d, ask->text[i], strlen(ask->text[i]));
    lbr_digest_end(&d, &j->key);
}

/* --- in a folder of our own -------------------------------------------------------------------------------------- */

static lbr_status write_source(const job *j, const lbr_compile *ask, const char *path)
{
    FILE *f = fopen(path, "wxe");
    int bad = !f || fputs("#line 1 \"kernel.c\"\n", f) < 0; /* messages, and __FILE__, do not depend on the folder */

    for (int64_t i = 0; !bad && i < ask->ntext; i++) bad = fputs(ask->text[i], f) < 0;
    if (!bad) bad = lbr_object_export(f, &j->key, ask->symbol);
    if (f && fclose(f)) bad = 1;
    if (!bad) return LBR_OK;
    return lbr_fail(&j->object->message, LBR_EIO, "a kernel could not be written to '%.200s': %.100s", j->folder.path,
                    strerror(errno));
}

/* The library gets a name that no other object has: the loader goes by it. */
static lbr_status begin(job *j, const lbr_compile *ask)
{
    char source[LBR_PATH + 16], hex[LBR_DIGEST_HEX];
    const char *const more[] = { "-shared", "-o", j->library, source, "-lm", NULL };
    lbr_status status = lbr_folder_make(&j->folder, &j->object->message);

    if (status) return status;
    lbr_digest_hex(&j->key, hex);
    snprintf(j->library, sizeof j->library, "%s/%s.so", j->folder.path, hex);
    snprintf(source, sizeof source, "%s/kernel.c", j->folder.path);
    if ((status = write_source(j, ask, source))) return status;
    return lbr_compiler_begin(&j->compiler, &j->folder, more, &j->process, &j->object->message);
}

/* Whether what the compiler has left can be loaded without harm. */
static lbr_status inspect(const job *j)
{
    int fd = open(j->library, O_RDONLY | O_NONBLOCK | O_CLOEXEC), good;
    struct stat s;

    if (fd < 0)
        return lbr_fail(&j->object->message, LBR_EARG, "the compiler '%.200s' made nothing of a kernel",
                        j->compiler.name);
    good = !fstat(fd, &s) && S_ISREG(s.st_mode) && lbr_object_whole(fd, s.st_size);
    close(fd);
    return good ? LBR_OK
                : lbr_fail(&j->object->message, LBR_EARG,
                           "what the compiler '%.200s' made of a kernel is no shared object, or not all of it",
                           j->compiler.name);
}

/* --- from the cache, or by compiling ----------------------------------------------------------------------------- */

/* From the cache if it can be kept there: folders for temporary files may forbid running what is in them, and so may
 * the other. */
static lbr_status load_new(job *j)
{
    lbr_object *o = j->object;
    lbr_message why = { 0 };

    if (j->cache >= 0 && !lbr_entry_keep(j->cache, &j->key, j->library, &j->note))
        o->symbol = lbr_entry_load(j->cache, &j->key, &why);
    if (o->symbol) return LBR_OK;
    if (why.text[0]) lbr_fail(&j->note, LBR_EIO, "compiled kernels are not used from the cache: %.400s", why.text);
    o->symbol = lbr_object_load(j->library, &j->key, &o->message);
    return o->symbol ? LBR_OK : LBR_EARG;
}

/* The compiler is over: what it has made, or why it has made nothing. That it took too long is remembered for this
 * text. */
static lbr_status end(job *j)
{
    lbr_object *o = j->object;
    int late = lbr_seconds() > j->process.until;
    lbr_status status = lbr_compiler_end(&j->compiler, &j->folder, &j->process, &o->message);

    if (status == LBR_EARG && late && j->cache >= 0) lbr_entry_keep_late(j->cache, &j->key, j->compiler.seconds);
    if (status || (status = inspect(j)) || (status = load_new(j))) return status;
    o->seconds = lbr_seconds() - j->began;
    o->message = j->note;
    return LBR_OK;
}

/* Whether this text was too much for this compiler before, in the time that there is now. */
static lbr_status was_late(const job *j)
{
    double seconds = j->cache < 0 ? 0 : lbr_entry_late(j->cache, &j->key);

    j->object->at_least = seconds;
    if (seconds < j->compiler.seconds) return LBR_OK;
    lbr_fail(&j->object->message, LBR_EARG,
             "the compiler '%.200s' took more than %g seconds the last time "
             "(LIBRATION_CC_SECONDS gives it more, libration cache --clear forgets it)",
             j->compiler.name, seconds);
    lbr_loaded_late(j->compiler.path, &j->object->message);
    return LBR_EARG;
}

static void leave(job *j)
{
    if (j->cache >= 0) close(j->cache);
    j->cache = -1;
    lbr_folder_remove(&j->folder);
}

/* The job goes on by itself. */
static lbr_status put_beside(job *j, struct lbr_loaded *place)
{
    job *own = lbr_mem_alloc(sizeof *own);

    j->object->pending = 1;
    if (!own) return lbr_command_end(&j->process), leave(j), LBR_ENOMEM;
    *own = *j, own->object = &own->own, j->beside = 1;
    lbr_loaded_beside(place, own);
    return LBR_EUNFIT;
}

/* Compilers that are at work beside. */
static int working(void)
{
    struct lbr_loaded *place;
    int n = 0;

    for (int i = 0; i < LBR_LOADED_PLACES; i++) n += lbr_loaded_job(i, &place) != NULL;
    return n;
}

static lbr_status obtain(job *j, const lbr_compile *ask, struct lbr_loaded *place)
{
    lbr_object *o = j->object;
    lbr_status status;

    j->began = lbr_seconds();
    lbr_cache_open(1, &j->cache, &j->note);
    if (j->cache >= 0 && (o->symbol = lbr_entry_load(j->cache, &j->key, &j->note))) return o->cached = 1, LBR_OK;
    if ((status = was_late(j))) return status;
    if (ask->how == LBR_COMPILE_LOOK || (ask->how == LBR_COMPILE_BESIDE && working())) {
        if (j->cache >= 0) o->message = j->note; /* an entry that was damaged is gone now */
        return o->pending = 1, LBR_EUNFIT;
    }
    if ((status = begin(j, ask))) return status;
    if (ask->how == LBR_COMPILE_BESIDE && place) return put_beside(j, place);
    lbr_command_wait(&j->process);
    return end(j);
}

/* What is left out where objects were not good: a flag of a compiler may be at fault, and then its text is right
 * without. */
enum { STEPS = 3, MORE = 3 };
static const char *const less[STEPS][MORE] = {
    { NULL },
    { "-fno-tree-vectorize", "-fno-tree-slp-vectorize" },
    { "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-O1" },
};

static int flags(const lbr_compile *c, int step, const char *flag[LBR_COMPILER_FLAGS])
{
    int n = 0;

    for (; n < c->nflags && n < LBR_COMPILER_FLAGS - MORE; n++) flag[n] = c->flags[n];
    for (int i = 0; i < MORE && less[step][i]; i++) flag[n++] = less[step][i];
    return c->nflags > n ? c->nflags : n; /* too many: somebody will say so */
}

static lbr_status one(const lbr_compile *c, int step, lbr_object *object)
{
    job j = { .object = object, .cache = -1 };
    const char *flag[LBR_COMPILER_FLAGS];
    struct lbr_loaded *place;
    lbr_status status;
    int known;

    *object = (lbr_object){ .less = step };
    if ((status = lbr_compiler_find(&j.compiler, &object->message))) return status;
    if ((status = lbr_compiler_flags(&j.compiler, c->isa, flag, flags(c, step, flag), &object->message))) return status;
    j.compiler.interrupt = c->interrupt, j.compiler.gentle = c->how == LBR_COMPILE_BESIDE;
    digest_request(&j, c);
    memcpy(&object->key, &j.key, sizeof object->key);
    while ((place = lbr_loaded_ask(&j.key, &known, object, &status)), known == LBR_LOADED_BESIDE) {
        if (c->how != LBR_COMPILE_WAIT) return object->pending = 1, LBR_EUNFIT;
        lbr_compile_wait();
    }
    if (known) return status;
    status = obtain(&j, c, place);
    if (j.beside) return status;
    leave(&j);
    lbr_loaded_settle(place, object, status);
    return status;
}

lbr_status lbr_compile_object(const lbr_compile *c, lbr_object *object)
{
    lbr_status status = LBR_OK;

    memset(object, 0, sizeof *object);
    if (!is_name(c->symbol)) return lbr_fail(&object->message, LBR_EARG, "a kernel's symbol must be a name of C");
    for (int step = 0; step < STEPS; step++)
        if ((status = one(c, step, object)) || object->judged >= 0) return status;
    object->symbol = NULL;
    return lbr_fail(&object->message, LBR_EARG,
                    "whatever the compiler '%.200s' makes of it gives other numbers than the interpreter",
                    lbr_compiler_name());
}

void lbr_compile_judge(const void *symbol, int good) { lbr_loaded_judge(symbol, good ? 1 : -1); }

/* --- beside ------------------------------------------------------------------------------------------------------ */

int lbr_compile_poll(void)
{
    struct lbr_loaded *place;
    int working = 0;
    job *j;

    for (int i = 0; i < LBR_LOADED_PLACES; i++) {
        lbr_status status;

        if (!(j = lbr_loaded_job(i, &place))) continue;
        if (!lbr_command_over(&j->process)) {
            working++;
            continue;
        }
        status = end(j);
        leave(j);
        lbr_loaded_settle(place, j->object, status);
        lbr_mem_free(j);
    }
    return working;
}

void lbr_compile_wait(void)
{
    struct lbr_loaded *place;
    job *j;

    for (int i = 0; i < LBR_LOADED_PLACES; i++)
        if ((j = lbr_loaded_job(i, &place))) lbr_command_wait(&j->process);
    lbr_compile_poll();
}

void lbr_compile_end(void)
{
    struct lbr_loaded *place;
    job *j;

    for (int i = 0; i < LBR_LOADED_PLACES; i++) {
        if (!(j = lbr_loaded_job(i, &place))) continue;
        lbr_command_end(&j->process);
        if (j->cache >= 0) lbr_entry_keep_late(j->cache, &j->key, lbr_seconds() - j->began);
        leave(j);
        lbr_loaded_settle(place, j->object, LBR_STOPPED);
        lbr_mem_free(j);
    }
}
