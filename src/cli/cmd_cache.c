/* cmd_cache.c - libration cache: where compiled kernels are kept. SPDX-License-Identifier: BSD-3-Clause */
#include "flags.h"
#include "kernel/cache.h"

typedef struct wish {
    arguments given;
    int clear, json;
} wish;

static const flag flags[] = { { "clear", NULL, FLAG_YES, offsetof(wish, clear), "remove all of them" },
                              { "json", NULL, FLAG_YES, offsetof(wish, json),
                                "one JSON object on standard output, and nothing else there" },
                              { 0 } };

typedef struct found {
    char path[4096];
    lbr_cache_size now, removed;
    int cleared;
} found;

static void sizes(lbr_json *j, const lbr_cache_size *size)
{
    lbr_json_number(j, "kernels", (double)size->kernels);
    lbr_json_number(j, "bytes", (double)size->bytes);
}

static void tell_json(const found *f)
{
    lbr_json j = { .out = stdout };

    lbr_json_open(&j, NULL, '{');
    lbr_json_text(&j, "folder", f->path);
    sizes(&j, &f->now);
    if (f->cleared) {
        lbr_json_open(&j, "removed", '{');
        sizes(&j, &f->removed);
        lbr_json_close(&j, '}');
    } else lbr_json_text(&j, "removed", NULL);
    lbr_json_close(&j, '}');
}

static void tell_people(const found *f)
{
    if (f->cleared)
        printf("removed  %lld kernels, %lld bytes\n", (long long)f->removed.kernels, (long long)f->removed.bytes);
    printf("folder   %s\nkernels  %lld\nbytes    %lld\n", f->path, (long long)f->now.kernels, (long long)f->now.bytes);
}

static int tell(const wish *w)
{
    found f = { .cleared = w->clear };
    lbr_message m;
    lbr_status status = LBR_OK;

    lbr_cache_path(f.path, sizeof f.path);
    if (f.cleared) status = lbr_cache_clear(&f.removed, &m);
    if (!status) status = lbr_cache_measure(&f.now, &m);
    if (status) return complain("%s", m.text), status_exit(status);
    if (w->json) tell_json(&f);
    else tell_people(&f);
    return LBR_EXIT_DONE;
}

static int run(const command *self, int argc, char **argv)
{
    wish w = { .clear = 0 };
    int code = flags_read(&w.given, self, argc, argv);

    if (!code) code = tell(&w);
    flags_free(&w.given);
    return code;
}

const command command_cache = { .name = "cache",
                                .use = "cache [--clear] [--json]",
                                .help = "where compiled kernels are kept, how many, how many bytes; --clear removes "
                                        "them",
                                .flags = flags,
                                .before = "",
                                .after = "",
                                .run = run };
