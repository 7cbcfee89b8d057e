/* cache.c - libration cache: where compiled kernels are kept. SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"
#include "kernel/cache.h"

#include <string.h>

typedef struct found { char path[4096];  lbr_cache_size now, removed;  int cleared; } found;

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
    if (f->cleared) printf("removed  %lld kernels, %lld bytes\n", (long long)f->removed.kernels, (long long)f->removed.bytes);
    printf("folder   %s\nkernels  %lld\nbytes    %lld\n", f->path, (long long)f->now.kernels, (long long)f->now.bytes);
}

int command_cache(int argc, char **argv)
{
    found f = { .cleared = 0 };
    lbr_message m;
    lbr_status status = LBR_OK;
    int as_json = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) as_json = 1;
        else if (!strcmp(argv[i], "--clear")) f.cleared = 1;
        else return complain("cache has no %s '%.60s'; see libration cache --help", argv[i][0] == '-' ? "option" : "argument", argv[i]);
    }
    lbr_cache_path(f.path, sizeof f.path);
    if (f.cleared) status = lbr_cache_clear(&f.removed, &m);
    if (!status) status = lbr_cache_measure(&f.now, &m);
    if (status) return complain("%s", m.text), status_exit(status);
    if (as_json) tell_json(&f);
    else tell_people(&f);
    return DONE;
}
