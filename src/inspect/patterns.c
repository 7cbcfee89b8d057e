/* patterns.c - the pattern of the field's Jacobian, against differences: where it has no entry there is nothing.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "core/sparsity.h"
#include "inspect.h"

#include <string.h>

enum { COLUMNS = 24 }; /* that are looked at, of many */

static int64_t has_pattern(const lbr_inspection *z) { return z->b.s.jacobian && z->b.field; }

static int has(const lbr_pattern *p, int64_t i, int64_t c)
{
    for (int64_t e = p->row[i]; e < p->row[i + 1]; e++)
        if (p->col[e] == c) return 1;
    return 0;
}

/* Column by column: slopes of the field, and what the pattern leaves of them. */
static void columns(lbr_inspection *z, const lbr_pattern *p)
{
    lbr_numbering state = { LBR_NUMBERING_STATE, 0, NULL };
    int64_t n = z->b.s.dim, most = n < COLUMNS ? n : COLUMNS;
    lbr_mapping f = lbr_mapping_fn(z, "field", z->b.field, z->b.ctx, n, n);
    double *v = lbr_inspect_room(z, 4 * n), *slope = lbr_after(v, n), *error = lbr_after(v, 2 * n),
           *given = lbr_after(v, 3 * n);

    if (!v || lbr_inspect_call(z, &f, z->y, slope)) return;
    for (int64_t k = 0; k < most; k++) {
        int64_t j = k * n / most;

        memset(v, 0, (size_t)n * sizeof *v), v[j] = 1;
        if (lbr_inspect_slope(z, &f, z->y, v, 0, 0.0625 * z->size[j], NULL, slope, error)) return;
        for (int64_t i = 0; i < n; i++) given[i] = has(p, i, j) ? slope[i] : 0;
        lbr_inspect_compare(z, state, state, j, n, given, slope, error);
    }
}

static void pattern(lbr_inspection *z, int64_t k)
{
    lbr_pattern p;
    lbr_message message = { 0 };

    (void)k;
    if (lbr_sparsity_of_field(&p, &z->b, &z->scratch, &message)) {
        lbr_fail(&z->why, message.status, "%s", message.text);
        return;
    }
    if (p.row) columns(z, &p); /* else a model's pattern would be too full to be of use */
}

const lbr_inspector lbr_inspect_patterns[] = {
    { "pattern of the Jacobian", "differences of field", has_pattern, NULL, pattern, LBR_ANYWHERE },
    { 0 },
};
