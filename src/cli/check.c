/* check.c - libration check: certificates, recomputed. SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <string.h>

typedef struct tally { int as_json, held, failed, code;  lbr_json j; } tally;

static int is_flag(const char *property) { return !strcmp(property, "symmetric") || !strcmp(property, "symplectic") || !strcmp(property, "explicit"); }

static void value(lbr_json *j, const char *key, const char *property, int v)
{
    if (v < 0) lbr_json_text(j, key, NULL);
    else if (is_flag(property)) lbr_json_flag(j, key, v);
    else lbr_json_number(j, key, v);
}

static void check_json(lbr_json *j, const lbr_check *c)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", c->name);
    lbr_json_text(j, "property", c->property);
    value(j, "claimed", c->property, c->claimed);
    value(j, "found", c->property, c->found);
    lbr_json_flag(j, "holds", c->holds);
    lbr_json_text(j, "by", c->by);
    lbr_json_text(j, "detail", c->detail);
    lbr_json_close(j, '}');
}

static void check_text(const lbr_check *c)
{
    char found[16];

    if (is_flag(c->property)) snprintf(found, sizeof found, "%s", c->found ? "yes" : "no");
    else snprintf(found, sizeof found, "%d", c->found);
    printf("%-6s %-26s %-24s %4s  by %-12s %s\n", c->holds ? "holds" : "FAILS", c->name, c->property, found, c->by, c->detail);
    if (!c->holds) printf("%-6s %-26s %-24s %4d  was claimed\n", "", "", "", c->claimed);
}

static int check(const char *name, void *ctx)
{
    tally *t = ctx;
    const lbr_certificate *z;
    lbr_status status = lbr_certify(&z, name, NULL);

    if (status) t->code = status_exit(status), complain("%s", z ? z->message : lbr_status_text(status));
    for (int64_t i = 0; z && i < z->n; i++) {
        if (t->as_json) check_json(&t->j, &z->check[i]);
        else check_text(&z->check[i]);
        *(z->check[i].holds ? &t->held : &t->failed) += 1;
    }
    lbr_certificate_free(z);
    return status != LBR_OK;
}

int command_check(int argc, char **argv)
{
    tally t = { .j = { .out = stdout } };
    int all = 0, names = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json")) t.as_json = 1;
        else if (!strcmp(argv[i], "--all")) all = 1;
        else if (argv[i][0] == '-') return complain("check has no option '%.60s'; see libration check --help", argv[i]);
        else names++;
    }
    if (!all == !names) return complain("check needs the name of a method, or --all");
    if (t.as_json) lbr_json_open(&t.j, NULL, '[');
    if (all) each_method(check, &t);
    for (int i = 1; i < argc && !t.code; i++) if (argv[i][0] != '-') check(argv[i], &t);
    if (t.as_json) lbr_json_close(&t.j, ']');
    else if (!t.code) printf("\n%d claims hold, %d fail.\n", t.held, t.failed);
    return t.code ? t.code : t.failed ? NOT_HELD : DONE;
}
