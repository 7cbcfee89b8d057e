/* check.c - libration check: certificates, recomputed. SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <math.h>
#include <string.h>

typedef struct tally { int as_json, held, failed, found, code;  lbr_json j; } tally;

static int is_flag(const char *property) { return !strcmp(property, "symmetric") || !strcmp(property, "symplectic") || !strcmp(property, "symplectic_separable") || !strcmp(property, "explicit") || !strcmp(property, "constraints"); }

static int is_near(const char *property) { return !strcmp(property, "order_near"); }

static int is_constant(const char *property) { return !strcmp(property, "error_constant"); }

static int is_volume(const char *property) { return !strcmp(property, "volume_preserving"); }

static void value(lbr_json *j, const char *key, const char *property, int v)
{
    char text[32];

    if (v < 0) lbr_json_text(j, key, NULL);
    else if (is_volume(property)) lbr_json_text(j, key, lbr_volume_text(v));
    else if (is_near(property)) lbr_json_text(j, key, lbr_near_text(v, text, sizeof text));
    else if (v == LBR_ALL_ORDERS) lbr_json_text(j, key, "yes");
    else if (is_flag(property)) lbr_json_flag(j, key, v);
    else lbr_json_number(j, key, v);
}

static void check_json(lbr_json *j, const char *name, const lbr_check *c)
{
    lbr_json_open(j, NULL, '{');
    lbr_json_text(j, "name", name);
    lbr_json_text(j, "property", c->property);
    value(j, "claimed", c->property, c->claimed);
    if (is_constant(c->property)) lbr_json_number(j, "found", c->value);
    else value(j, "found", c->property, c->found);
    lbr_json_flag(j, "holds", c->holds);
    lbr_json_text(j, "by", c->by);
    lbr_json_text(j, "detail", c->detail);
    lbr_json_close(j, '}');
}

static void check_text(const char *name, const lbr_check *c)
{
    char found[32], claimed[32];

    if (is_constant(c->property)) snprintf(found, sizeof found, "%.2g", c->value);
    else if (is_volume(c->property)) snprintf(found, sizeof found, "%s", lbr_volume_text(c->found));
    else if (is_near(c->property)) lbr_near_text(c->found, found, sizeof found);
    else if (is_flag(c->property) || c->found == LBR_ALL_ORDERS) snprintf(found, sizeof found, "%s", c->found ? "yes" : "no");
    else snprintf(found, sizeof found, "%d", c->found);
    printf("%-6s %-26s %-24s %4s  by %-12s %s\n", c->claimed < 0 ? "found" : c->holds ? "holds" : "FAILS", name, c->property, found, c->by, c->detail);
    if (is_near(c->property)) lbr_near_text(c->claimed, claimed, sizeof claimed);
    else snprintf(claimed, sizeof claimed, "%d", c->claimed);
    if (!c->holds) printf("%-6s %-26s %-24s %4s  was claimed\n", "", "", "", claimed);
}

/* name: what it is called, if not by the certificate itself. */
static lbr_status certify(tally *t, const char *name, const char *expression, const lbr_options *options)
{
    const lbr_certificate *z;
    lbr_status status = lbr_certify(&z, expression, options);

    if (status) t->code = status_exit(status), complain("%s%s%s", name ? name : "", name ? ": " : "", z ? z->message : lbr_status_text(status));
    for (int64_t i = 0; z && i < z->n; i++) {
        const lbr_check *c = &z->check[i];

        if (t->as_json) check_json(&t->j, name ? name : c->name, c);
        else check_text(name ? name : c->name, c);
        *(c->claimed < 0 ? &t->found : c->holds ? &t->held : &t->failed) += 1;
    }
    lbr_certificate_free(z);
    return status;
}

static int check(const char *name, void *ctx) { return certify(ctx, NULL, name, NULL) != LBR_OK; }

/* --- the method statements of a file -------------------------------------------------------------------------- */

static int check_methods(tally *t, lbr_experiment *x)
{
    lbr_options options;

    lbr_options_init(&options);
    options.methods = x->nmethods ? x->method : NULL, options.nmethods = x->nmethods;
    for (int k = 0; k < x->base->nmethods; k++) {
        const lbr_statement *st = x->base->method[k]->statement;
        const char *text = st->text2 ? st->text : lbr_method_text(x, x->base, x->base->method[k]->file, st->item[0].method);

        if (!text || (!st->text2 && !lbr_method_checked(x, x->base, x->base->method[k]->file, st->item[0].method, x->method))) return run_refuse(x->message, lbr_experiment_fail(x, LBR_EARG));
        if (certify(t, st->text, text, &options) == LBR_ENOMEM) return t->code;
    }
    return t->code;
}

static int check_file(tally *t, const char *file)
{
    lbr_overrides nothing = { .step = NAN, .time = NAN, .steps = -1, .every = -1 };
    lbr_source source = { 0 };
    lbr_experiment x = { 0 };
    lbr_status status;

    if ((status = lbr_source_open(&source, file))) t->code = run_refuse(source.message, status);
    else if ((status = lbr_experiment_open(&x, &source, &nothing))) t->code = run_refuse(x.message, status);
    else t->code = check_methods(t, &x);
    if (!t->code && !x.base->nmethods && !t->as_json) printf("'%s' has no method statements.\n", file);
    lbr_experiment_free(&x);
    lbr_source_free(&source);
    return t->code;
}

/* A name with '.' or '/' is a file, unless it is an expression: these have brackets. */
static int is_file(const char *name) { return strpbrk(name, "./") && !strchr(name, '('); }

/* --- all of it ------------------------------------------------------------------------------------------------ */

static void sums(const tally *t)
{
    printf("\n");
    if (t->held || t->failed || !t->found) printf("%d claims hold, %d fail.\n", t->held, t->failed);
    if (t->found) printf("%d properties found where nothing is claimed.\n", t->found);
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
    if (!all == !names) return complain("check needs the name of a method, a file, or --all");
    if (t.as_json) lbr_json_open(&t.j, NULL, '[');
    if (all) each_method(check, &t);
    for (int i = 1; i < argc && !t.code; i++)
        if (argv[i][0] != '-') is_file(argv[i]) ? check_file(&t, argv[i]) : check(argv[i], &t);
    if (t.as_json) lbr_json_close(&t.j, ']');
    else if (!t.code) sums(&t);
    return t.code ? t.code : t.failed ? NOT_HELD : DONE;
}
