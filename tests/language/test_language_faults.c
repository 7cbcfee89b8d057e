/* test_language_faults.c - models without memory: every failing allocation on the way from a text to a system is taken
 * well. SPDX-License-Identifier: BSD-3-Clause
 *
 * Linked with --wrap=malloc and its kin. */
#include "support/kernel_files.h"

/* --- the heap: counts, and refuses the n-th block ---------------------------------------------------------------- */

static struct {
    long calls, live, refuse, refused;
} heap;

void *__real_malloc(size_t n), *__real_calloc(size_t n, size_t size), *__real_realloc(void *p, size_t n),
    __real_free(void *p);
void *__wrap_malloc(size_t n), *__wrap_calloc(size_t n, size_t size), *__wrap_realloc(void *p, size_t n),
    __wrap_free(void *p);

static int refuses(void) { return ++heap.calls == heap.refuse ? heap.refused = 1 : 0; }
static void *counted(void *p) { return heap.live += p != NULL, p; }

void *__wrap_malloc(size_t n) { return refuses() ? NULL : counted(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return refuses() ? NULL : counted(__real_calloc(n, size)); }
void *__wrap_realloc(void *p, size_t n)
{
    return refuses() ? NULL : (heap.live -= p != NULL, counted(__real_realloc(p, n)));
}
void __wrap_free(void *p) { heap.live -= p != NULL, __real_free(p); }

/* --- texts ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text;
} texts[] = {
    { "a Hamiltonian", "param e = 0.6\n"
                       "canonical q[2], p[2]\n"
                       "H = sq(p)/2 - 1/norm(q)\n"
                       "invariant L = cross(q, p), A = [p[2]*L, -p[1]*L] - q/norm(q)\n"
                       "observe r = norm(q)\n"
                       "start q = [1 - e, 0], p = [0, sqrt((1 + e)/(1 - e))]\n" },
    { "a long chain", "param n = 100, k[i = 1..n] = 1 + random(1, i)\n"
                      "canonical q[n], p[n]\n"
                      "let d[i = 1..n] = if(i < n, q[i+1] - q[i], 0)\n"
                      "H = sq(p)/2 + sum(i = 1..n, k[i]*d[i]^2)/2\n"
                      "start q[i = 1..n] = sin(i), q' = 1\n" },
    { "parts and flows", "canonical q[3], p[3]\n"
                         "part T = sq(p)/2\n"
                         "part K = sq(p)/2 - 1/norm(q)\n"
                         "part L = sq(p)/2 + sq(q)/2\n"
                         "part V = q[1]^4\n"
                         "flow T(s): q = q + s*p\n"
                         "start q = [1, 2, 3], p = 0.1\n" },
    { "a Lagrangian", "canonical q[2], p[2]\n"
                      "L = (q[1]'^2*(1 + q[2]^2) + q[2]'^2)/2 - sq(q)\n"
                      "rayleigh = sq(q')/10\n"
                      "start q = [1, 2], q' = [3, 4]\n" },
    { "rates", "state x, v\n"
               "partition v\n"
               "x' = v\n"
               "v' = -sin(x)\n"
               "section s: x = 0, x' > 0\n"
               "reverse v = -v\n"
               "method m = composition [0.5, 0.5]\n"
               "start x = 1, t = 2\n" },
    { "brackets", "param I = [1, 2, 3]\n"
                  "state y[3]\n"
                  "H = sum(i = 1..3, y[i]^2/I[i])/2\n"
                  "poisson {y, y} = hat(y)\n"
                  "invariant C = sq(y)\n"
                  "observe b = bracket(y[1], H)\n"
                  "start y = [1, 2, 3]\n" },
    { "constraints", "canonical q[2,2], p[2,2]\n"
                     "H = sq(p)/2 + q[1,2]\n"
                     "constraint l[i = 1..2] = sq(q[i]) - i\n"
                     "observe f = multiplier(l)\n"
                     "start q = [[1, 0], [0, 1.4142135623730951]]\n" },
    { "matrices", "param A = [[2, 1], [1, 3]]\n"
                  "canonical q[2], p[2]\n"
                  "H = dot(p, A^-1*p)/2 + det(A)*q[1]\n"
                  "observe e = eigenvalues(q*q^T), z = (A^3)[1,2]\n"
                  "start q' = [1, 2]\n" },
    { "rotations", "rotation Q, y\nH = sq(y)/2 + Q[1,2]\nstart Q = quaternion(1, 2, 3, 4), y = [1, 2, 3]\n" },
    { "a change", "use toda: n = 4, q = 1\nobserve z = q[4]\n" },
    { "an error", "canonical q, p\nH = p^2/2 + V(q)\n" },
    { "several", "canonical q[2], p[2]\nlet a = sqrrt(2)\nH = q*p\nstart q = [1, 2, 3]\nlet b[i = 1..3] = q[i]\n" },
};

/* From the text to the system and a look at the start. LBR_OK, LBR_EARG (the text), LBR_ENOMEM. digest: of what came
 * out. */
static lbr_status life(const char *text, int *good, uint64_t *digest)
{
    lbr_source source;
    lbr_model *m = NULL;
    lbr_message message = { 0 };
    const lbr_system *s = NULL;
    lbr_status status = lbr_source_text(&source, "m.lbr", text, strlen(text), NULL);

    if (!status) status = lbr_model_make(&m, &source, NULL, 0);
    *good &= !status == (m != NULL);
    if (m) *digest = lbr_hash(LBR_HASH, m->y0, (size_t)m->dim * sizeof *m->y0);
    if (status == LBR_EARG) *good &= source.message && *source.message;
    if (m && !(s = lbr_model_system(m, &message))) status = LBR_ENOMEM, *good &= message.text[0] != 0;
    if (m && s && m->nconstraints && (status = lbr_model_consistent(m, m->t0, m->y0, &message)))
        *good &= message.text[0] != 0;
    if (s && s->energy) {
        double e;

        if (s->energy(m->t0, m->y0, &e, s->ctx)) status = LBR_ENOMEM;
    }
    lbr_model_free(m), lbr_source_free(&source);
    return status;
}

int main(void)
{
    for (size_t k = 0; k < COUNT(texts); k++) {
        int good = 1;
        uint64_t digest = 0, first = 0;
        lbr_status want = life(texts[k].text, &good, &first), status;
        long before = heap.live, n = 0, strange = 0, other = 0;

        do {
            heap.calls = heap.refused = 0, heap.refuse = ++n;
            digest = 0, status = life(texts[k].text, &good, &digest);
            heap.refuse = 0;
            if (heap.refused && status == LBR_OK && digest == first)
                other++, status = LBR_ENOMEM; /* there was another way to the same numbers */
            if (status != (heap.refused ? LBR_ENOMEM : want) || heap.live != before || !good) {
                if (!strange++)
                    printf("# %s: allocation %ld, status %d, %ld left\n", texts[k].name, n, status, heap.live - before);
                heap.live = before, good = 1;
            }
        } while (heap.refused && n < 100000);
        ok(!strange && n > 10 && other <= 4, "%s: %ld allocations fail one after the other", texts[k].name, n - 1);
    }
    return tap_done();
}
