/* numbers.c - from the text of a row to numbers, expanded and checked. SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

#include <math.h>

enum { MOST_STAGES = 20000 };

static lbr_status no_memory(lbr_message *m) { return lbr_fail(m, LBR_ENOMEM, "out of memory while reading a table"); }

lbr_status lbr_read_list(const lbr_method *r, const char *what, lbr_list list, lbr_dd **out, lbr_arena *arena,
                         lbr_message *m)
{
    if (!list.text) return lbr_fail(m, LBR_EMETHOD, "table '%s' has no list %s", r->name, what);
    if (!(*out = lbr_arena_alloc(arena, list.n, sizeof **out))) return no_memory(m);
    for (int64_t i = 0; i < list.n; i++)
        if (lbr_dd_read(list.text[i], &(*out)[i]))
            return lbr_fail(m, LBR_EMETHOD,
                            "table '%s': entry %lld of %s is '%.60s', which is not a number like 0.25, 1e-3 or 1/6",
                            r->name, (long long)i + 1, what, list.text[i] ? list.text[i] : "(null)");
    return LBR_OK;
}

/* c_i = sum_j a_ij (HLW II.1.5): given and checked, or computed. Where all of this is far from true, the nodes are
 * meant: those of a quadrature, as of Lobatto IIIB with two stages. */
#define MISPRINT 1e-3
static lbr_status nodes(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_status status;
    int given = r->c.n > 0;

    if (given && r->c.n != x->s)
        return lbr_fail(m, LBR_EMETHOD, "table '%s' has %lld nodes c for %lld stages", r->name, (long long)r->c.n,
                        (long long)x->s);
    if (given && (status = lbr_read_list(r, "c", r->c, &x->c, arena, m))) return status;
    if (!given && !(x->c = lbr_arena_alloc(arena, x->s, sizeof *x->c))) return no_memory(m);
    for (int64_t i = 0; i < x->s; i++) {
        lbr_dd sum = dd(0);
        double off;

        for (int64_t j = 0; j < x->s; j++) sum = dd_add(sum, x->A[i * x->s + j]);
        off = given ? fabs(dd_double(dd_sub(sum, x->c[i]))) : 0;
        if (off > 1e-12 * (1 + fabs(sum.hi)) && off < MISPRINT)
            return lbr_fail(m, LBR_EMETHOD,
                            "table '%s': row %lld of A sums to %.15g, but c[%lld] is %.15g, which is neither the same "
                            "nor a node of its own",
                            r->name, (long long)i + 1, sum.hi, (long long)i + 1, x->c[i].hi);
        if (off < MISPRINT) x->c[i] = sum;
    }
    return LBR_OK;
}

lbr_status lbr_read_tableau(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_status status;

    x->s = r->b.n;
    if (x->s > LBR_TABLEAU_LARGEST)
        return lbr_fail(m, LBR_EMETHOD, "table '%s' has %lld stages; at most %d are taken", r->name, (long long)x->s,
                        LBR_TABLEAU_LARGEST);
    if (r->A.n != x->s * x->s)
        return lbr_fail(m, LBR_EMETHOD, "table '%s': A has %lld entries, but b has %lld, so A needs %lld", r->name,
                        (long long)r->A.n, (long long)x->s, (long long)(x->s * x->s));
    if ((status = lbr_read_list(r, "A", r->A, &x->A, arena, m))) return status;
    if ((status = lbr_read_list(r, "b", r->b, &x->b, arena, m))) return status;
    return nodes(r, x, arena, m);
}

lbr_status lbr_read_exactly(const lbr_method *r, const char *what, lbr_list list, int64_t n, lbr_dd **out,
                            lbr_arena *arena, lbr_message *m)
{
    if (list.n != n)
        return lbr_fail(m, LBR_EMETHOD, "table '%s': %s has %lld entries; with %lld stages it needs %lld", r->name,
                        what, (long long)list.n, (long long)r->b.n, (long long)n);
    return lbr_read_list(r, what, list, out, arena, m);
}

lbr_status lbr_read_steps(const lbr_method *r, lbr_numbers *x, lbr_arena *arena, lbr_message *m)
{
    lbr_dd *given;
    lbr_status status = lbr_read_list(r, "b", r->b, &given, arena, m);
    int64_t n = r->b.n;

    if (status) return status;
    x->s = r->half ? 2 * n - (r->half == 1) : n;
    x->b = lbr_arena_alloc(arena, x->s, sizeof *x->b);
    x->adjoint = lbr_arena_alloc(arena, x->s, 1);
    if (!x->b || !x->adjoint) return no_memory(m);
    for (int64_t i = 0; i < x->s; i++) {
        x->b[i] = given[i < n ? i : x->s - 1 - i];
        x->adjoint[i] = x->kind->table & LBR_ALTERNATES && i % 2;
    }
    return LBR_OK;
}

static lbr_status family(const lbr_row *row, int k, lbr_method *claims, lbr_numbers *x, lbr_arena *arena,
                         lbr_message *m)
{
    const lbr_method *r = &row->m;
    int most = r->most > r->last ? r->most : r->last;

    if (k < 0)
        return lbr_fail(m, LBR_EMETHOD, "'%s' is a family; name a member, such as %s:%d", r->name, r->name, r->first);
    if (k < r->first || k > most || (k - r->first) % r->stride)
        return lbr_fail(m, LBR_EMETHOD, "%s:%d does not exist; %s goes from %s:%d to %s:%d%s", r->name, k, r->name,
                        r->name, r->first, r->name, most,
                        r->stride < 2 ? ""
                        : r->most     ? ", even numbers only; longer ones would have more than 10^6 steps"
                                      : ", even numbers only");
    return row->member(k, claims, x, arena) ? no_memory(m) : LBR_OK;
}

lbr_status lbr_row_numbers(const lbr_row *row, int k, lbr_method *claims, lbr_numbers *x, lbr_arena *arena,
                           lbr_message *m)
{
    const lbr_kind *kind = lbr_kind_of(&row->m);

    *claims = row->m;
    *x = (lbr_numbers){ .kind = kind };
    if (!kind || (!kind->read && !row->member))
        return lbr_fail(m, LBR_EMETHOD, "table '%s' has a form that does not exist ('%.60s')", row->m.name,
                        row->m.form);
    if (row->member) return family(row, k, claims, x, arena, m);
    if (k >= 0) return lbr_fail(m, LBR_EMETHOD, "'%s' is not a family: write it without ':%d'", row->m.name, k);
    if (row->m.b.n < 1 || row->m.b.n > MOST_STAGES || !row->m.b.text)
        return lbr_fail(m, LBR_EMETHOD, "table '%s' has %lld coefficients; it needs 1 to %d", row->m.name,
                        (long long)row->m.b.n, MOST_STAGES);
    return kind->read(&row->m, x, arena, m);
}
