/* included.c - what a file in C consists of: itself and the files of its own that it includes.
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Not what the preprocessor makes of them: that has the compiler's and the system's headers in it, which are others
 * with another compiler or another version of either, while the numbers are the same. */
#include "included.h"
#include "core/mem.h"
#include "core/text.h"
#include "regular_file.h"

#include <string.h>

enum { MOST_RULE = 16 << 20, MOST_FILE = 256 << 20 };

/* The next name of a rule, as make reads it, into `name`, which is as long as the rule; NULL: there is none. Otherwise
 * what is behind it. */
static const char *next(const char *at, char *name)
{
    while (*at && (strchr(" \t\r\n", *at) || (*at == '\\' && at[1] && strchr("\r\n", at[1])))) at++;
    if (!*at) return NULL;
    for (; *at && !strchr(" \t\r\n", *at); at++) {
        if (*at == '\\' && at[1] && strchr(" #\\:", at[1])) at++;
        else if (*at == '$' && at[1] == '$') at++;
        *name++ = *at;
    }
    *name = 0;
    return at;
}

static const char *plain(const char *path)
{
    while (!strncmp(path, "./", 2))
        for (path += 2; *path == '/'; path++)
            ;
    return path;
}

static int is_own(const char *name, const char *own)
{
    size_t n = strlen(own = plain(own));

    name = plain(name);
    if (!n || strncmp(name, own, n) || name[n] != '/') return 0;
    return !strcmp(name + n, "/libration.h") || !strncmp(name + n, "/libration/", 11);
}

int lbr_included_file(const char *name, uint64_t *digest)
{
    size_t size;
    char *bytes = lbr_regular_read(name, MOST_FILE, 1, &size);
    uint64_t n = size;

    if (!bytes) return 0;
    *digest = lbr_hash(lbr_hash(*digest, &n, sizeof n), bytes, size);
    lbr_mem_free(bytes);
    return 1;
}

char *lbr_included_names(const char *rule)
{
    size_t size;
    char *text = lbr_regular_read(rule, MOST_RULE, 1, &size), *list = text ? lbr_mem_alloc(size + 2) : NULL,
         *end = list;
    const char *at = text ? strstr(text, ": ") : NULL;

    if (!at || !list) return lbr_mem_free(text), lbr_mem_free(list), NULL;
    for (at += 2; (at = next(at, end));) end += strlen(end) + 1;
    *end = 0;
    lbr_mem_free(text);
    return list;
}

uint64_t lbr_included_digest(const char *rule, const char *own)
{
    uint64_t digest = LBR_HASH;
    size_t size, n = 0;
    char *text = lbr_regular_read(rule, MOST_RULE, 1, &size), *name = text ? lbr_mem_alloc(size + 1) : NULL;
    const char *at = text ? strstr(text, ": ") : NULL;
    int good = at && name;

    if (good) at += 2;
    while (good && (at = next(at, name)))
        if (!is_own(name, own)) good = lbr_included_file(name, &digest), n++;
    lbr_mem_free(name), lbr_mem_free(text);
    return good && n ? digest : 0;
}
