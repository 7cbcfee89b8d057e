/* cmd_check.c - libration check: certificates, recomputed; systems in C, compared with themselves.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    arguments given;
    int json, all;
    const char *start;
    int held, failed, found, code;
    int in_c; /* systems in C, which have sums of their own */
    lbr_json j;
} tally;

static const flag flags[] = { { "all", NULL, FLAG_YES, offsetof(tally, all), "every method of the catalogue" },
                              { "json", NULL, FLAG_YES, offsetof(tally, json),
                                "a list in JSON on standard output, and nothing else there" },
                              { "start", "FILE.csv", FLAG_TEXT, offsetof(tally, start),
                                "of a system in C: where it is compared (one row of numbers); its own start" },
                              { 0 } };

static int is_flag(const char *property)
{
    return !strcmp(property, "symmetric") || !strcmp(property, "symplectic") ||
           !strcmp(property, "symplectic_separable") || !strcmp(property, "explicit") ||
           !strcmp(property, "constraints");
}

static int is_constant(const char *property) { return !strcmp(property, "error_constant"); }

/* A truth, a number, or words. */
static void value(lbr_json *j, const char *key, const char *property, int v, const char *text)
{
    char *end;

    if (!*text) lbr_json_text(j, key, NULL);
    else if (is_flag(property)) lbr_json_flag(j, key, v);
    else if (strtol(text, &end, 10), !*end) lbr_json_number(j, key, v);
    else lbr_json_text(j, key, text);
}

static void check_json(lbr_json *j, const char *name, const lbr_check *c)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", name);
    lbr_json_text(j, "property", c->property);
    value(j, "claimed", c->property, c->claimed, c->claimed_text);
    if (is_constant(c->property)) lbr_json_number(j, "found", c->value);
    else value(j, "found", c->property, c->found, c->found_text);
    lbr_json_flag(j, "holds", c->holds);
    lbr_json_text(j, "by", c->by);
    lbr_json_text(j, "detail", c->detail);
    lbr_json_close(j, '}');
}

static void check_text(const char *name, const lbr_check *c)
{
    printf("%-6s %-26s %-24s %4s  by %-12s %s\n",
           c->claimed < 0 ? "found"
           : c->holds     ? "holds"
                          : "FAILS",
           name, c->property, c->found_text, c->by, c->detail);
    if (!c->holds) printf("%-6s %-26s %-24s %4s  was claimed\n", "", "", "", c->claimed_text);
}

/* name: what it is called, if not by the certificate itself. */
static lbr_status certify(tally *t, const char *name, const char *expression, const lbr_options *options)
{
    const lbr_certificate *z;
    lbr_status status = lbr_certify(&z, expression, options);

    if (status)
        t->code = status_exit(status),
        complain("%s%s%s", name ? name : "", name ? ": " : "", z ? z->message : lbr_status_text(status));
    for (int64_t i = 0; z && i < z->n; i++) {
        const lbr_check *c = z->check[i];

        if (t->json) check_json(&t->j, name ? name : c->name, c);
        else check_text(name ? name : c->name, c);
        *(c->claimed < 0 ? &t->found : c->holds ? &t->held : &t->failed) += 1;
    }
    lbr_certificate_free(z);
    return status;
}

static int check(const char *name, void *ctx) { return certify(ctx, NULL, name, NULL) != LBR_OK; }

/* --- the method statements of a file ----------------------------------------------------------------------------- */

static int check_methods(tally *t, lbr_experiment *x)
{
    lbr_options options;

    lbr_options_init(&options);
    options.methods = x->nmethods ? x->method : NULL, options.nmethods = x->nmethods;
    for (int k = 0; k < x->base->nmethods; k++) {
        const lbr_statement *st = x->base->method[k]->statement;
        const char *text = st->text2 ? st->text
                                     : lbr_method_text(x, x->base, x->base->method[k]->file, st->item[0].method);

        if (!text ||
            (!st->text2 && !lbr_method_checked(x, x->base, x->base->method[k]->file, st->item[0].method, x->method)))
            return run_refuse(x->message, lbr_experiment_fail(x, LBR_EARG));
        if (certify(t, st->text, text, &options) == LBR_ENOMEM) return t->code;
    }
    return t->code;
}

static int check_file(tally *t, const char *file)
{
    run_settings s = RUN_NOTHING;
    lbr_problem *problem = NULL;

    s.file = file;
    if (!(t->code = run_open(&s, &problem))) t->code = check_methods(t, &problem->x);
    if (!t->code && !problem->x.base->nmethods && !t->json) printf("'%s' has no method statements.\n", file);
    lbr_problem_free(problem);
    return t->code;
}

/* A system in C: what is wrong in it is what fails; the others are looked at nevertheless. */
static int check_system(tally *t, const char *file)
{
    int code = check_c(file, t->start, t->json ? &t->j : NULL);

    t->in_c++;
    if (code == LBR_EXIT_CLAIM) t->failed++;
    else t->code = code;
    return t->code;
}

/* --start is for systems in C. */
static int check_start(const tally *t)
{
    for (int i = 0; t->start && i < t->given.nnames; i++)
        if (run_is_c(t->given.name[i])) return LBR_EXIT_DONE;
    return t->start ? complain("--start is for systems in C: libration check FILE.c --start FILE.csv") : LBR_EXIT_DONE;
}

/* A name with '.' or '/' is a file, unless it is an expression: these have brackets. And "-" is standard input. */
static int is_file(const char *name) { return run_is_input(name) || (strpbrk(name, "./") && !strchr(name, '(')); }

/* --- all of it --------------------------------------------------------------------------------------------------- */

static void sums(const tally *t)
{
    printf("\n");
    if (t->held || t->failed || !t->found) printf("%d claims hold, %d fail.\n", t->held, t->failed);
    if (t->found) printf("%d properties found where nothing is claimed.\n", t->found);
}

static int all_of(tally *t)
{
    if (t->json) lbr_json_open(&t->j, NULL, '[');
    if (t->all) each_method(check, t);
    for (int i = 0; i < t->given.nnames && !t->code; i++) {
        const char *name = t->given.name[i];

        if (run_is_c(name)) check_system(t, name);
        else is_file(name) ? check_file(t, name) : check(name, t);
    }
    if (t->json) lbr_json_close(&t->j, ']');
    else if (!t->code && (t->held || t->found || t->in_c < t->given.nnames || t->all)) sums(t);
    return t->code ? t->code : t->failed ? LBR_EXIT_CLAIM : LBR_EXIT_DONE;
}

static int run(const command *self, int argc, char **argv)
{
    tally t = { .j = { .out = stdout } };
    int code = flags_read(&t.given, self, argc, argv);

    if (!code) code = flags_either(&t.given, t.all, "all", "check needs the name of a method, a file, or --all");
    if (!code) code = check_start(&t);
    if (!code) code = all_of(&t);
    flags_free(&t.given);
    return code;
}

const command command_check = {
    .name = "check",
    .use = "check METHOD|FILE... | --all [--start FILE.csv] [--json]",
    .help = "recompute certificates: order, symmetry, symplecticity, digits; of a FILE (or -), those of its method "
            "statements; "
            "of a system in C, compare its functions with each other and with differences",
    .takes = "METHOD or FILE",
    .many = 1,
    .flags = flags,
    .before = "",
    .after = "",
    .run = run
};
