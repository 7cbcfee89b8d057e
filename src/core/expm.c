/* expm.c - exact flows of linear fields with constant coefficients: exponentials, blocks, what is kept.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "expm.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "dd.h"
#include "largest.h"
#include "mem.h"

/* --- matrices of double-double numbers --------------------------------------------------------------------------- */

typedef struct matrix {
    double *hi, *lo;
} matrix; /* by rows; column vectors too */

static lbr_dd get(matrix M, int64_t i) { return (lbr_dd){ M.hi[i], M.lo[i] }; }
static void put(matrix M, int64_t i, lbr_dd x) { M.hi[i] = x.hi, M.lo[i] = x.lo; }

static void clear(int64_t count, matrix M)
{
    memset(M.hi, 0, (size_t)count * sizeof *M.hi);
    memset(M.lo, 0, (size_t)count * sizeof *M.lo);
}

static void copy(int64_t count, matrix to, matrix from)
{
    memcpy(to.hi, from.hi, (size_t)count * sizeof *to.hi);
    memcpy(to.lo, from.lo, (size_t)count * sizeof *to.lo);
}

/* C = A B, where B has m columns; not in place. The low parts are added up as they come: a few units of 2^-104. */
static void multiply(int64_t n, int64_t m, matrix A, matrix B, matrix C)
{
    clear(n * m, C);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++) {
            double a = A.hi[i * n + k], small = A.lo[i * n + k], *hi = B.hi + k * m, *lo = B.lo + k * m;

            for (int64_t j = 0; j < m && a != 0; j++) {
                lbr_dd p = dd_prod(a, hi[j]), sum = dd_sum(C.hi[i * m + j], p.hi);
                C.hi[i * m + j] = sum.hi;
                C.lo[i * m + j] += sum.lo + (p.lo + (a * lo[j] + small * hi[j]));
            }
        }
        for (int64_t j = 0; j < m; j++) put(C, i * m + j, dd_norm(C.hi[i * m + j], C.lo[i * m + j]));
    }
}

/* The same in plain numbers, for blocks that would take too long otherwise. */
static void multiply_plain(int64_t n, int64_t m, matrix A, matrix B, matrix C)
{
    clear(n * m, C);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) {
            double a = A.hi[i * n + k], *b = B.hi + k * m, *c = C.hi + i * m;
            for (int64_t j = 0; j < m && a != 0; j++) c[j] += a * b[j];
        }
}

static void product(int64_t n, int64_t m, matrix A, matrix B, matrix C)
{
    (n > LBR_LINEAR_EXACT ? multiply_plain : multiply)(n, m, A, B, C);
}

/* --- the exponential --------------------------------------------------------------------------------------------- */

/* Memory for one: powers of z, a sum, a product. */
enum { POWERS = 4, WORK = POWERS + 1 };

static matrix part_of(double *work, int64_t n, int i)
{
    return (matrix){ work + 2 * i * n * n, work + (2 * i + 1) * n * n };
}
static int64_t work_size(int64_t n) { return 2 * WORK * n * n; }

/* The greatest sum of a row, in absolute values. */
static double norm(int64_t n, const double *A)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
        most = lbr_larger_or_nan(most, sum);
    }
    return most;
}

/* F = z + z^2/2! + ... + z^degree/degree!, degree a multiple of 4: in groups of four powers, the highest first. z^1 ..
 * z^4 are in work. */
static void series(int64_t n, int degree, const lbr_dd *inverse, double *work, matrix F)
{
    matrix sum = part_of(work, n, POWERS), top = part_of(work, n, POWERS - 1);

    for (int64_t i = 0; i < n * n; i++) put(sum, i, dd_mul(inverse[degree], get(top, i)));
    for (int k = degree - 4;; k -= 4) {
        for (int64_t i = 0; i < n * n; i++) {
            lbr_dd x = get(sum, i);
            for (int l = POWERS - 1; l > 0; l--) x = dd_add(x, dd_mul(inverse[k + l], get(part_of(work, n, l - 1), i)));
            if (k > 0 && i % (n + 1) == 0) x = dd_add(x, inverse[k]);
            put(sum, i, x);
        }
        if (k == 0) break;
        product(n, n, top, sum, F);
        copy(n * n, sum, F);
    }
    copy(n * n, F, sum);
}

/* c = s (b + z/2 (b + z/3 (b + ...))). */
static void inhomogeneous(int64_t n, int degree, double s, const double *b, double *work, matrix c)
{
    matrix z = part_of(work, n, 0), t = part_of(work, n, POWERS);

    clear(n, c);
    for (int k = degree; k > 0; k--) {
        product(n, 1, z, c, t);
        for (int64_t i = 0; i < n; i++) put(c, i, dd_add(dd(b[i]), dd_div(get(t, i), dd(k + 1))));
    }
    for (int64_t i = 0; i < n; i++) put(c, i, dd_mul(dd(s), get(c, i)));
}

/* x = 2 x + y. */
static void twice_plus(int64_t count, matrix x, matrix y)
{
    for (int64_t i = 0; i < count; i++) put(x, i, dd_add(dd_scale(2, get(x, i)), get(y, i)));
}

/* F = exp(sA) - 1 and c. s is halved until |sA| < 1/32, where the series is short; from there on F(2s) = 2F + F^2 and
 * c(2s) = 2c + F c. Small F lose nothing that way, and what is lost when they are large is far below the last bit of
 * the high parts. */
static int exponential(int64_t n, const double *A, const double *b, double s, double *work, matrix F, matrix c)
{
    int degree = n > LBR_LINEAR_EXACT ? 8 : 16, e = 0, finite = 1;
    double size = fabs(s) * norm(n, A);
    lbr_dd inverse[17] = { { 1, 0 } };
    matrix t = part_of(work, n, POWERS);

    if (!(size < 0x1p60)) return -1;
    for (int k = 1; k <= degree; k++) inverse[k] = dd_div(inverse[k - 1], dd(k));
    frexp(size, &e), e = e + 5 > 0 ? e + 5 : 0, s = ldexp(s, -e);
    for (int64_t i = 0; i < n * n; i++) put(part_of(work, n, 0), i, dd_prod(s, A[i]));
    if (b) inhomogeneous(n, degree, s, b, work, c);
    for (int k = 1; k < POWERS; k++) product(n, n, part_of(work, n, 0), part_of(work, n, k - 1), part_of(work, n, k));
    series(n, degree, inverse, work, F);
    for (; e > 0; e--) {
        if (b) product(n, 1, F, c, t), twice_plus(n, c, t);
        product(n, n, F, F, t), twice_plus(n * n, F, t);
    }
    for (int64_t i = 0; i < n * n; i++) finite &= isfinite(F.hi[i]) && isfinite(F.lo[i]);
    for (int64_t i = 0; b && i < n; i++) finite &= isfinite(c.hi[i]) && isfinite(c.lo[i]);
    return finite ? 0 : -1;
}

int lbr_expm(int64_t n, const double *A, const double *b, double s, double *F, double *c)
{
    double *work, *low;
    int failed;

    if (n < 1 || n > 4 * LBR_LINEAR_MOST) return -1;
    if (!(work = lbr_mem_alloc((size_t)(work_size(n) + n * n + n) * sizeof *work))) return -1;
    low = work + work_size(n);
    failed = exponential(n, A, b, s, work, (matrix){ F, low }, (matrix){ c, low + n * n });
    lbr_mem_free(work);
    return failed;
}

/* --- blocks ------------------------------------------------------------------------------------------------------ */

/* Variables index[first .. first+n) act on each other and on no others; their matrix begins at A[entry]. */
typedef struct block {
    int64_t n, first, entry;
} block;

/* What belongs to one s: F of every block, c of every variable in the order of `index`. */
typedef struct step {
    struct step *next;
    double s;
    matrix F, c;
} step;

enum { STEPS = 1024, ENTRIES = 1 << 23 };          /* steps kept; elements of all blocks together */
static const int64_t kept_most = INT64_C(1) << 30; /* bytes of all steps kept */

struct lbr_linear_flow {
    int64_t n, nblock, largest, entries;
    int64_t *index;
    block *block;
    double *A, *b;
    lbr_arena arena;
    _Atomic(step *) steps;
    atomic_llong count, bytes; /* of what is kept, or about to be */
};

static int64_t root(int64_t *parent, int64_t i)
{
    for (; parent[i] != i; i = parent[i]) parent[i] = parent[parent[i]];
    return i;
}

/* parent[i] becomes the least variable that i is connected with. */
static void connect(int64_t n, int64_t count, const lbr_triplet *A, int64_t *parent)
{
    for (int64_t i = 0; i < n; i++) parent[i] = i;
    for (int64_t k = 0; k < count; k++) {
        int64_t i = root(parent, A[k].row), j = root(parent, A[k].column);
        if (A[k].value != 0 && i != j) parent[i > j ? i : j] = i > j ? j : i;
    }
    for (int64_t i = 0; i < n; i++) parent[i] = root(parent, i);
}

/* Makes the blocks. place[i] becomes the place of variable i in its block, parent[i] the number of that. */
static lbr_status divide(lbr_linear_flow *f, int64_t *parent, int64_t *place, lbr_message *message)
{
    int64_t first = 0, entries = 0;

    for (int64_t i = 0; i < f->n; i++) {
        int64_t k = parent[i] == i ? f->nblock++
                                   : parent[parent[i]]; /* the root comes first and has its number by now */

        parent[i] = k, place[i] = f->block[k].n++;
        if (f->block[k].n > f->largest) f->largest = f->block[k].n;
    }
    if (f->largest > LBR_LINEAR_MOST)
        return lbr_fail(message, LBR_EUNFIT,
                        "%lld variables act on each other linearly; the exact flow is computed for at most %d",
                        (long long)f->largest, LBR_LINEAR_MOST);
    for (int64_t k = 0; k < f->nblock; k++) {
        block *B = &f->block[k];

        B->first = first, first += B->n;
        B->entry = entries, entries += B->n * B->n;
        if (entries > ENTRIES)
            return lbr_fail(message, LBR_EUNFIT,
                            "the blocks of a linear field have more than %d elements; its exact flow is not computed",
                            ENTRIES);
    }
    f->entries = entries;
    for (int64_t i = 0; i < f->n; i++) f->index[f->block[parent[i]].first + place[i]] = i;
    return LBR_OK;
}

static lbr_status fill(lbr_linear_flow *f, int64_t count, const lbr_triplet *A, const double *b, int64_t *parent,
                       int64_t *place, lbr_message *message)
{
    lbr_status status;

    connect(f->n, count, A, parent);
    if ((status = divide(f, parent, place, message))) return status;
    f->A = lbr_arena_alloc(&f->arena, f->entries, sizeof *f->A);
    f->b = b ? lbr_arena_alloc(&f->arena, f->n, sizeof *f->b) : NULL;
    if (!f->A || (b && !f->b)) return lbr_fail(message, LBR_ENOMEM, "no memory for the matrix of a linear field");
    for (int64_t k = 0; k < count; k++) {
        block *B = &f->block[parent[A[k].row]];
        if (A[k].value != 0) f->A[B->entry + place[A[k].row] * B->n + place[A[k].column]] += A[k].value;
    }
    for (int64_t i = 0; b && i < f->n; i++) f->b[i] = b[f->index[i]];
    return LBR_OK;
}

static int sound(int64_t n, int64_t count, const lbr_triplet *A, const double *b)
{
    int good = n >= 1 && count >= 0 && n < INT64_MAX / 64 && count < INT64_MAX / 64;

    for (int64_t k = 0; good && k < count; k++)
        good = A[k].row >= 0 && A[k].row < n && A[k].column >= 0 && A[k].column < n && isfinite(A[k].value);
    for (int64_t i = 0; good && b && i < n; i++) good = isfinite(b[i]);
    return good;
}

lbr_status lbr_linear_flow_create(lbr_linear_flow **flow, int64_t n, int64_t count, const lbr_triplet *A,
                                  const double *b, lbr_message *message)
{
    lbr_linear_flow *f;
    lbr_arena scratch = { NULL };
    int64_t *parent, *place;
    lbr_status status;

    *flow = NULL;
    if (!sound(n, count, A, b))
        return lbr_fail(message, LBR_EARG,
                        "the matrix of a linear field has an element outside it or one that is not finite");
    if (!(f = lbr_mem_alloc(sizeof *f))) return lbr_fail(message, LBR_ENOMEM, "no memory for a linear field");
    f->n = n;
    f->index = lbr_arena_alloc(&f->arena, n, sizeof *f->index);
    f->block = lbr_arena_alloc(&f->arena, n, sizeof *f->block);
    parent = lbr_arena_alloc(&scratch, n, sizeof *parent), place = lbr_arena_alloc(&scratch, n, sizeof *place);
    if (f->index && f->block && parent && place) status = fill(f, count, A, b, parent, place, message);
    else status = lbr_fail(message, LBR_ENOMEM, "no memory for a linear field of %lld variables", (long long)n);
    lbr_arena_free(&scratch);
    if (status) lbr_linear_flow_free(f);
    else *flow = f;
    return status;
}

void lbr_linear_flow_free(lbr_linear_flow *flow)
{
    if (!flow) return;
    for (step *x = atomic_load(&flow->steps), *next; x; x = next) next = x->next, lbr_mem_free(x);
    lbr_arena_free(&flow->arena);
    lbr_mem_free(flow);
}

int64_t lbr_linear_flow_blocks(const lbr_linear_flow *flow, int64_t *largest)
{
    *largest = flow->largest;
    return flow->nblock;
}

/* --- steps ------------------------------------------------------------------------------------------------------- */

static size_t step_bytes(const lbr_linear_flow *f)
{
    return sizeof(step) + 2 * (size_t)(f->entries + f->n) * sizeof(double);
}

/* NULL: not finite, or *starved. */
static step *make(const lbr_linear_flow *f, double s, int *starved)
{
    step *x = lbr_mem_alloc(step_bytes(f));
    double *work = lbr_mem_alloc((size_t)work_size(f->largest) * sizeof *work);
    int failed = *starved = !x || !work;

    if (x) {
        x->s = s;
        x->F.hi = (double *)(x + 1), x->F.lo = x->F.hi + f->entries;
        x->c.hi = x->F.lo + f->entries, x->c.lo = x->c.hi + f->n;
    }
    for (int64_t k = 0; k < f->nblock && !failed; k++) {
        const block *B = &f->block[k];
        matrix F = { x->F.hi + B->entry, x->F.lo + B->entry }, c = { x->c.hi + B->first, x->c.lo + B->first };

        failed = exponential(B->n, f->A + B->entry, f->b ? f->b + B->first : NULL, s, work, F, c);
    }
    lbr_mem_free(work);
    if (!failed) return x;
    lbr_mem_free(x);
    return NULL;
}

static step *find(step *x, double s)
{
    while (x && x->s != s) x = x->next;
    return x;
}

/* The step of s; *own is 1 if it is the caller's to free, because as many as may be are kept already. Those that are
 * kept are never changed and stay as long as the flow, so whoever sees one can use it. */
static step *obtain(lbr_linear_flow *f, double s, int *own, int *starved)
{
    step *head = atomic_load_explicit(&f->steps, memory_order_acquire), *x = find(head, s), *other;
    long long bytes = (long long)step_bytes(f);

    *own = *starved = 0;
    if (x || !(x = make(f, s, starved))) return x;
    *own = atomic_fetch_add(&f->count, 1) >= STEPS;
    *own |= atomic_fetch_add(&f->bytes, bytes) > kept_most - bytes;
    while (!*own) {
        x->next = head;
        if (atomic_compare_exchange_weak_explicit(&f->steps, &head, x, memory_order_acq_rel, memory_order_acquire))
            return x;
        if ((other = find(head, s))) { /* another thread was faster */
            atomic_fetch_sub(&f->count, 1), atomic_fetch_sub(&f->bytes, bytes);
            lbr_mem_free(x);
            return other;
        }
    }
    atomic_fetch_sub(&f->count, 1), atomic_fetch_sub(&f->bytes, bytes);
    return x;
}

/* Element i of F x + c of a block. */
static lbr_dd row(const block *B, const step *t, const double *x, int64_t i)
{
    const double *hi = t->F.hi + B->entry + i * B->n, *lo = t->F.lo + B->entry + i * B->n;
    lbr_dd sum = get(t->c, B->first + i);

    for (int64_t j = 0; j < B->n; j++) {
        lbr_dd p = dd_prod(hi[j], x[j]), part = dd_sum(sum.hi, p.hi);
        sum.hi = part.hi, sum.lo += part.lo + (p.lo + lo[j] * x[j]);
    }
    return sum;
}

/* out = dy, or y + dy if `add`; out may be y. */
static int apply(lbr_linear_flow *f, double s, const double *y, double *out, int add)
{
    int own, starved, finite = 1;
    step *t = isfinite(s) ? obtain(f, s, &own, &starved) : NULL;
    double x[LBR_LINEAR_MOST];

    if (!t) return -1;
    for (int64_t k = 0; k < f->nblock; k++) {
        const block *B = &f->block[k];
        const int64_t *index = f->index + B->first;

        for (int64_t j = 0; j < B->n; j++) x[j] = y[index[j]];
        for (int64_t i = 0; i < B->n; i++) {
            lbr_dd dy = row(B, t, x, i);

            if (add) dy = dd_add(dy, dd(x[i]));
            out[index[i]] = dd_double(dy);
            finite &= isfinite(out[index[i]]) != 0;
        }
    }
    if (own) lbr_mem_free(t);
    return finite ? 0 : -1;
}

int lbr_linear_flow_increment(lbr_linear_flow *flow, double s, const double *y, double *dy)
{
    return apply(flow, s, y, dy, 0);
}
int lbr_linear_flow_apply(lbr_linear_flow *flow, double s, double *y) { return apply(flow, s, y, y, 1); }

int lbr_linear_flow_prepare(lbr_linear_flow *flow, double s)
{
    int own, starved = 0;
    step *t = isfinite(s) ? obtain(flow, s, &own, &starved) : NULL;

    if (!t) return -starved;
    if (own) lbr_mem_free(t);
    return 0;
}
