/* compile.c - C text made into a loaded object: by the system's compiler, or from the cache. SPDX-License-Identifier: BSD-3-Clause
 *
 * A request has a digest, of all that the object depends on. If the text may include files of the user, what they hold now counts too: then
 * it is preprocessed first, and the object's own digest, its key, is of the result. Whatever is wrong with the cache, the object is compiled and used;
 * the sentence says so. */
#define _DEFAULT_SOURCE                                  /* fstat, O_CLOEXEC */
#include "compile.h"
#include "cache.h"
#include "command.h"
#include "compiler.h"
#include "entry.h"
#include "folder.h"
#include "loaded.h"
#include "object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct job {
    const lbr_compile *ask;
    lbr_object *object;
    lbr_compiler compiler;
    lbr_folder folder;                                   /* made when it is needed                                     */
    lbr_digest request, key;
    char source[LBR_PATH + 16], plain[LBR_PATH + 16], library[LBR_PATH + LBR_ENTRY_NAME];
    int cache;                                           /* its folder; -1: it is not used                             */
} job;

/* --- what is asked -------------------------------------------------------------------------------------------------------- */

static int is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return s && *s && !strchr("0123456789", *s) && strspn(s, letters) == strlen(s);
}

static void digest_request(job *j)
{
    lbr_digester d;

    lbr_digest_begin(&d);
    lbr_digest_text(&d, "libration kernel 1"), lbr_digest_text(&d, lbr_version());
    lbr_compiler_digest(&j->compiler, &d);
    lbr_digest_text(&d, j->ask->folder ? j->ask->folder : "");
    lbr_digest_text(&d, j->ask->symbol);
    for (int64_t i = 0; i < j->ask->ntext; i++) lbr_digest_add(&d, j->ask->text[i], strlen(j->ask->text[i]));
    lbr_digest_end(&d, &j->request);
    j->key = j->request;
}

/* --- in a folder of our own ------------------------------------------------------------------------------------------------- */

static lbr_status unwritten(const job *j, lbr_message *m) { return lbr_fail(m, LBR_EIO, "a kernel could not be written to '%.200s': %.100s", j->folder.path, strerror(errno)); }

/* The text of the request, or what the preprocessor made of it; with what is exported, or without. */
static lbr_status write_source(const job *j, const char *path, const char *from, int export)
{
    FILE *f = fopen(path, "wxe"), *in = from ? fopen(from, "re") : NULL;
    char piece[4096];
    int bad = !f || (from && !in);

    if (!bad && !from) bad = fputs("#line 1 \"kernel.c\"\n", f) < 0;              /* messages, and __FILE__, do not depend on the folder */
    for (int64_t i = 0; !bad && !from && i < j->ask->ntext; i++) bad = fputs(j->ask->text[i], f) < 0;
    for (size_t n; !bad && in && (n = fread(piece, 1, sizeof piece, in)) > 0; ) bad = fwrite(piece, 1, n, f) != n;
    if (!bad && in) bad = ferror(in);
    if (!bad && export) bad = lbr_object_export(f, &j->key, j->ask->symbol);
    if (in) fclose(in);
    if (f && fclose(f)) bad = 1;
    return bad ? unwritten(j, &j->object->message) : LBR_OK;
}

static lbr_status make_folder(job *j)
{
    lbr_status status;

    if (j->folder.path[0]) return LBR_OK;
    if ((status = lbr_folder_make(&j->folder, &j->object->message))) return status;
    snprintf(j->source, sizeof j->source, "%s/kernel.c", j->folder.path);
    snprintf(j->plain, sizeof j->plain, "%s/plain.i", j->folder.path);
    return LBR_OK;
}

/* The key from what the preprocessor makes of the text: without lines of its own (-P), which would name the folder. */
static lbr_status digest_included(job *j)
{
    const char *const more[] = { "-iquote", j->ask->folder, "-E", "-P", "-o", j->plain, j->source, NULL };
    lbr_status status = make_folder(j);
    char piece[4096];
    lbr_digester d;
    FILE *f;

    if (status || (status = write_source(j, j->source, NULL, 0)) || (status = lbr_compiler_run(&j->compiler, &j->folder, more, &j->object->message))) return status;
    if (!(f = fopen(j->plain, "re"))) return lbr_fail(&j->object->message, LBR_EARG, "the compiler '%.200s' made nothing of a kernel", j->compiler.name);
    lbr_digest_begin(&d);
    lbr_digest_add(&d, &j->request, sizeof j->request);
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0; ) lbr_digest_add(&d, piece, n);
    lbr_digest_end(&d, &j->key);
    fclose(f);
    return LBR_OK;
}

/* Whether what the compiler has left can be loaded without harm. */
static lbr_status inspect(const job *j)
{
    int fd = open(j->library, O_RDONLY | O_CLOEXEC), good;
    struct stat s;

    if (fd < 0) return lbr_fail(&j->object->message, LBR_EARG, "the compiler '%.200s' made nothing of a kernel", j->compiler.name);
    good = !fstat(fd, &s) && S_ISREG(s.st_mode) && lbr_object_whole(fd, s.st_size);
    close(fd);
    return good ? LBR_OK : lbr_fail(&j->object->message, LBR_EARG, "what the compiler '%.200s' made of a kernel is no shared object, or not all of it", j->compiler.name);
}

static lbr_status compile(job *j)
{
    char source[LBR_PATH + 16], hex[LBR_DIGEST_HEX];
    const char *const more[] = { "-shared", "-o", j->library, source, "-lm", NULL };
    lbr_status status = make_folder(j);

    if (status) return status;
    lbr_digest_hex(&j->key, hex);
    snprintf(j->library, sizeof j->library, "%s/%s.so", j->folder.path, hex);     /* a name that no other object has: the loader goes by it */
    snprintf(source, sizeof source, "%s/%s", j->folder.path, j->ask->folder ? "whole.i" : "kernel.c");
    if ((status = write_source(j, source, j->ask->folder ? j->plain : NULL, 1))) return status;
    if ((status = lbr_compiler_run(&j->compiler, &j->folder, more, &j->object->message))) return status;
    return inspect(j);
}

/* --- from the cache, or by compiling ------------------------------------------------------------------------------------------- */

/* From the cache if it can be kept there: folders for temporary files may forbid running what is in them, and so may the other. */
static lbr_status load_new(job *j, lbr_message *note)
{
    lbr_object *o = j->object;
    lbr_message why = { 0 };

    if (j->cache >= 0 && !lbr_entry_keep(j->cache, &j->key, j->library, note) && (o->symbol = lbr_entry_load(j->cache, &j->key, &why))) return LBR_OK;
    if (why.text[0]) lbr_fail(note, LBR_EIO, "compiled kernels are not used from the cache: %.400s", why.text);
    o->symbol = lbr_object_load(j->library, &j->key, &o->message);
    return o->symbol ? LBR_OK : LBR_EARG;
}

static lbr_status obtain(job *j)
{
    lbr_message note = { 0 };
    lbr_object *o = j->object;
    double began = lbr_now();
    lbr_status status = LBR_OK;

    lbr_cache_open(1, &j->cache, &note);
    if (j->ask->folder) status = digest_included(j);
    if (!status && j->cache >= 0 && (o->symbol = lbr_entry_load(j->cache, &j->key, &note))) o->cached = 1;
    if (!status && !o->symbol && !(status = compile(j))) {
        status = load_new(j, &note);
        o->seconds = lbr_now() - began;
    }
    if (j->cache >= 0) close(j->cache);
    lbr_folder_remove(&j->folder);
    if (!status && !o->cached) o->message = note;
    return status;
}

lbr_status lbr_compile_object(const lbr_compile *c, lbr_object *object)
{
    job j = { .ask = c, .object = object, .cache = -1 };
    struct lbr_loaded *place;
    lbr_status status;
    int known;

    memset(object, 0, sizeof *object);
    if (!is_name(c->symbol)) return lbr_fail(&object->message, LBR_EARG, "a kernel's symbol must be a name of C");
    if ((status = lbr_compiler_find(&j.compiler, &object->message)) || (status = lbr_compiler_flags(&j.compiler, c->isa, c->flags, c->nflags, &object->message))) return status;
    j.compiler.interrupt = c->interrupt;
    digest_request(&j);
    place = lbr_loaded_ask(&j.request, &known, object, &status);
    if (known) return status;
    status = obtain(&j);
    lbr_loaded_settle(place, object, status);
    return status;
}
