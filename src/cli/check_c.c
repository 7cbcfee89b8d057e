/* check_c.c - libration check FILE.c: a system in C, every function against the others and against differences.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <string.h>

static void index_json(lbr_json *j, const char *key, int64_t i)
{
    if (i < 0) lbr_json_text(j, key, NULL);
    else lbr_json_number(j, key, (double)i);
}

static void finding_json(lbr_json *j, const char *file, const lbr_system_finding *f)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", file);
    lbr_json_text(j, "what", f->what);
    lbr_json_text(j, "where", f->where);
    index_json(j, "row", f->row), index_json(j, "column", f->column);
    lbr_json_number(j, "given", f->given), lbr_json_number(j, "expected", f->expected);
    if (f->holds < 0) lbr_json_text(j, "holds", NULL);
    else lbr_json_flag(j, "holds", f->holds);
    lbr_json_text(j, "text", f->text);
    lbr_json_close(j, '}');
}

/* The sentence without the name of the function, which stands before it. */
static void finding_text(const lbr_system_finding *f)
{
    size_t n = strlen(f->what);
    const char *rest = strncmp(f->text, f->what, n) ? f->text : f->text + n;

    printf("%-6s %-24s %s\n", f->holds > 0 ? "holds" : f->holds ? "open" : "WRONG", f->what, rest + strspn(rest, ": "));
}

static void sums(const lbr_system_report *r)
{
    printf("\n%lld thing%s right, %lld wrong", (long long)r->right, r->right == 1 ? " is" : "s are",
           (long long)r->wrong);
    if (r->open) printf(", %lld cannot be compared", (long long)r->open);
    printf(".\n");
}

/* The start of --start, in memory of the arena; NULL: that of the system. An exit status. */
static int start_of(const lbr_system *system, const char *start, lbr_arena *arena, double **y)
{
    lbr_message why;
    lbr_status status;

    *y = NULL;
    if (!start || system->dim < 1 || system->dim > 1000000000) return LBR_EXIT_DONE; /* which the check says */
    if (!(*y = lbr_arena_alloc(arena, system->dim, sizeof **y))) return complain("out of memory"), LBR_EXIT_MACHINE;
    if (!(status = lbr_start_read(start, system->dim, *y, &why))) return LBR_EXIT_DONE;
    return complain("%s", why.text), status == LBR_ENOMEM ? LBR_EXIT_MACHINE : LBR_EXIT_INPUT;
}

typedef struct task {
    const char *file, *start;
    int json;
    lbr_json j;
} task;

static int compare(void *data)
{
    task *k = data;
    const char *file = k->file;
    lbr_json *j = k->json ? &k->j : NULL;
    const lbr_system_report *r = NULL;
    lbr_arena arena = { 0 };
    lbr_csystem c;
    lbr_status status;
    double *y;
    int code;

    if ((code = run_c_load(&(run_settings){ .file = file }, &c))) return code;
    if ((code = start_of(&c.system, k->start, &arena, &y))) return lbr_arena_free(&arena), code;
    if ((status = lbr_system_check(&c.system, y, &r)))
        complain("'%.200s': %s", file, r ? r->message : lbr_status_text(status)), code = status_exit(status);
    for (int64_t i = 0; !code && i < r->n; i++)
        if (j) finding_json(j, file, r->finding[i]);
        else finding_text(r->finding[i]);
    if (!code && !j) sums(r);
    if (!code && r->wrong) code = LBR_EXIT_CLAIM;
    lbr_system_report_free(r), lbr_arena_free(&arena);
    return code;
}

/* Its functions may end the process that calls them. */
int check_c(const char *file, const char *start, lbr_json *j)
{
    task k = { .file = file, .start = start, .json = j != NULL };
    int code;

    if (j) k.j = *j;
    code = guard_apart(file, compare, &k, sizeof k);
    if (j) *j = k.j;
    return code;
}
