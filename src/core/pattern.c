/* pattern.c - the pattern of a sparse matrix that a caller gives, checked. SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

lbr_status lbr_pattern_check(const lbr_pattern *p, const char *whose, const char *columns, lbr_message *m)
{
    if (!p->col || p->nnz < 0 || p->row[0] != 0 || p->row[p->m] != p->nnz)
        return lbr_fail(m, LBR_EARG, "the pattern of %s Jacobian does not begin at 0 and end at nnz = %lld", whose,
                        (long long)p->nnz);
    for (int64_t i = 0; i < p->m; i++) {
        if (p->row[i] > p->row[i + 1] || p->row[i + 1] > p->nnz)
            return lbr_fail(m, LBR_EARG, "row %lld of %s Jacobian has no proper beginning and end", (long long)i,
                            whose);
        for (int64_t k = p->row[i]; k < p->row[i + 1]; k++)
            if (p->col[k] < 0 || p->col[k] >= p->n || (k > p->row[i] && p->col[k] <= p->col[k - 1]))
                return lbr_fail(m, LBR_EARG, "row %lld of %s Jacobian has columns that are not ascending or not %s",
                                (long long)i, whose, columns);
    }
    return LBR_OK;
}
