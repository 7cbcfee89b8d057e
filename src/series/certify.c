/* certify.c - claims against findings. SPDX-License-Identifier: BSD-3-Clause */
#include "libration/series.h"
#include "analyse.h"
#include "order.h"
#include "plan/kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHECKS = 16 };

typedef struct certificate {
    lbr_certificate c; /* first, so that one pointer is the other */
    lbr_arena arena;
    lbr_message message;
    lbr_check check[MOST_CHECKS];
    const lbr_check *line[MOST_CHECKS];
} certificate;

static int is_near(const char *property) { return !strcmp(property, "order_near"); }

/* What is claimed or found, as people write it; "" where there is nothing. NULL: no memory. */
static const char *written(certificate *z, const char *property, int value)
{
    static const char flags[] = "symmetric symplectic symplectic_separable explicit constraints";
    char text[32] = "";

    if (value < 0) return "";
    if (!strcmp(property, "volume_preserving")) return lbr_volume_text(value);
    if (value == LBR_ALL_ORDERS) return "yes";
    if (lbr_text_find(flags, property) >= 0) return value ? "yes" : "no";
    if (is_near(property)) lbr_near_text(value, text, sizeof text);
    else snprintf(text, sizeof text, "%d", value);
    return lbr_arena_text(&z->arena, text);
}

/* at_least: a claim of digits is kept by more. -1 claims nothing, so does an expression: whatever is found holds. */
static lbr_status add(certificate *z, const char *name, const char *property, int claimed, const lbr_finding *f,
                      int at_least)
{
    lbr_check *k = &z->check[z->c.n];
    int near = is_near(property);

    *k = (lbr_check){ .name = name,
                      .property = property,
                      .claimed = near ? lbr_near_first(claimed) : claimed,
                      .found = near ? lbr_near_first(f->value) : f->value,
                      .holds = claimed < 0 || claimed == f->value || (at_least && f->value > claimed),
                      .by = f->by,
                      .detail = lbr_arena_text(&z->arena, f->detail),
                      .residual = f->residual,
                      .claimed_text = written(z, property, claimed),
                      .found_text = written(z, property, f->value) };
    if (!k->detail || !k->claimed_text || !k->found_text)
        return lbr_fail(&z->message, LBR_ENOMEM, "out of memory while certifying");
    z->line[z->c.n++] = k;
    return LBR_OK;
}

/* A number that nobody claims. */
static lbr_status add_constant(certificate *z, const char *name, const lbr_finding *order)
{
    lbr_finding f = { .value = -1, .by = order->by };
    lbr_status status;

    snprintf(f.detail, sizeof f.detail, "the largest difference of a coefficient of order %d", order->value + 1);
    if ((status = add(z, name, "error_constant", -1, &f, 0))) return status;
    z->check[z->c.n - 1].value = order->constant;
    if ((z->check[z->c.n - 1].found_text = lbr_arena_format(&z->arena, "%.2g", order->constant))) return LBR_OK;
    return lbr_fail(&z->message, LBR_ENOMEM, "out of memory while certifying");
}

/* What a table claims that only works inside process(...): checked there. */
static lbr_status flatten(certificate *z, const char *expression, const lbr_names *names, lbr_flat *f,
                          lbr_method *claims)
{
    lbr_status status = lbr_flatten(f, expression, names, 0, &z->arena, &z->message);
    const char *name;
    lbr_numbers x;
    char *text;

    if (status) return status;
    x = f->numbers;
    *claims = f->claims;
    if (!f->is_row || !(f->numbers.kind->table & LBR_PROCESSES)) return LBR_OK;
    if (!claims->kernel)
        return lbr_fail(&z->message, LBR_EUNFIT, "the processor '%s' names no kernel, so its claims cannot be checked",
                        claims->name);
    if (!(text = lbr_arena_format(&z->arena, "process(%s, %s)", claims->kernel, name = f->name)))
        return lbr_fail(&z->message, LBR_ENOMEM, "out of memory while certifying");
    if ((status = lbr_flatten(f, text, names, 1, &z->arena, &z->message))) return status;
    f->name = name, f->is_row = 1, f->numbers = x;
    return LBR_OK;
}

/* Tables of the user may say to how many digits they are given; a condition adds up several of them, and five digits
 * are left for that. */
static double tolerance(int digits)
{
    return digits > 0 && digits < 29 ? fmax(LBR_RESIDUAL, pow(10, 5 - digits)) : LBR_RESIDUAL;
}

static lbr_status certify(certificate *z, const char *expression, const lbr_options *o)
{
    lbr_names names = { 0 };
    lbr_analysis a;
    lbr_flat f;
    lbr_method m;
    lbr_status status;
    int row, quadratic;

    if (o && o->size >= offsetof(lbr_options, nmethods) + sizeof o->nmethods) {
        if ((status = lbr_tables_of(o, &z->arena, &names.methods, &z->message))) return status;
        names.nmethods = o->nmethods;
    }
    if ((status = flatten(z, expression, &names, &f, &m)) ||
        (status = lbr_analyse(&f, tolerance(f.digits), &z->arena, &a, &z->message)))
        return status;
    row = f.is_row && m.order > 0; /* a table that says no order claims nothing */
    quadratic = m.order_quadratic ? m.order_quadratic : m.order;
    if (!status) status = add(z, f.name, "order", row ? m.order : -1, &a.order, 0);
    if (!status && a.order_again.value >= 0) status = add(z, f.name, "order", row ? m.order : -1, &a.order_again, 0);
    if (!status && a.quadratic.value >= 0)
        status = add(z, f.name, "order_quadratic_kinetic", row ? quadratic : -1, &a.quadratic, 0);
    if (!status && a.near.value >= 0)
        status = add(z, f.name, "order_near", row && m.order_near ? lbr_near_code(m.order_near) : -1, &a.near, 0);
    if (!status && a.separable.value >= 0)
        status = add(z, f.name, "order_separable", row ? m.order : -1, &a.separable, 0);
    if (!status && a.order.constant > 0) status = add_constant(z, f.name, &a.order);
    if (!status) status = add(z, f.name, "symmetric", row ? m.symmetric : -1, &a.symmetric, 0);
    if (!status) status = add(z, f.name, "symplectic", row ? m.symplectic : -1, &a.symplectic, 0);
    if (!status && a.symplectic_separable.value >= 0)
        status = add(z, f.name, "symplectic_separable", row ? m.symplectic : -1, &a.symplectic_separable, 0);
    if (!status && a.conjugate.value >= 0) status = add(z, f.name, "conjugate_symplectic", -1, &a.conjugate, 0);
    if (!status && a.volume.value >= 0) status = add(z, f.name, "volume_preserving", -1, &a.volume, 0);
    if (!status && a.constraints.value >= 0)
        status = add(z, f.name, "constraints", row && m.constraints ? 1 : -1, &a.constraints, 0);
    if (!status && a.is_explicit.value >= 0)
        status = add(z, f.name, "explicit", row ? m.is_explicit : -1, &a.is_explicit, 0);
    if (!status) status = add(z, f.name, "digits", row ? m.digits : -1, &a.digits, 1);
    return status;
}

lbr_status lbr_certify(const lbr_certificate **out, const char *expression, const lbr_options *options)
{
    certificate *z;
    lbr_status status;

    if (!out) return LBR_EARG;
    *out = NULL;
    if (!(z = lbr_mem_alloc(sizeof *z))) return LBR_ENOMEM;
    z->c.check = z->line;
    z->c.message = z->message.text;
    *out = &z->c;
    if ((status = certify(z, expression, options))) z->c.n = 0;
    return status;
}

void lbr_certificate_free(const lbr_certificate *c)
{
    certificate *z = (certificate *)c;

    if (!z) return;
    lbr_arena_free(&z->arena);
    lbr_mem_free(z);
}
