/* emit_loop.c - loops, strips and addresses written as C. SPDX-License-Identifier: BSD-3-Clause
 *
 * A strip of more than eight iterations goes through them in eights. One eight is a loop over lanes, each with its own
 * sum, which compilers turn into vectors; what is put into arrays is put there in the same loop if that cannot change
 * the order in which an element gets its terms, otherwise after it, entry by entry. */
#include "emit_make.h"

#include <stdio.h>

/* --- addresses --------------------------------------------------------------------------------------------------- */

void lbr_emit_address(lbr_emitter *e, const lbr_cell *p, int strip)
{
    lbr_text *to = e->to;

    if (e->turn[p->slot]) {
        lbr_emit_turned_address(e, p, strip);
        return;
    }
    if (p->kind == LBR_CELL_FIXED) {
        lbr_text_format(to, "%lld", (long long)p->offset);
        return;
    }
    if (p->kind == LBR_CELL_INDEX) {
        if (p->checked)
            lbr_text_format(to, "lbr_nearest(%s, %lld, %lld)", lbr_emit_number(e, p->reg[0]),
                            (long long)(p->lo - p->offset), (long long)(p->hi - p->offset));
        else lbr_text_format(to, "(int)%s", lbr_emit_number(e, p->reg[0]));
        if (p->offset) lbr_text_format(to, " + %lld", (long long)p->offset);
        return;
    }
    if (p->checked) lbr_text_put(to, "lbr_near(");
    lbr_text_format(to, "%lldLL*k%d + %lld", (long long)p->stride, strip, (long long)p->offset);
    for (int i = 0; i < p->nregs; i++)
        lbr_text_format(to, " + %lldLL*(int)%s", (long long)p->factor[i], lbr_emit_number(e, p->reg[i]));
    if (p->checked) lbr_text_format(to, ", %lld, %lld)", (long long)p->lo, (long long)p->hi);
}

/* Whether the address is there. */
static void inside(lbr_emitter *e, const lbr_cell *p, int strip)
{
    lbr_cell free = *p;

    free.checked = 0;
    if (p->kind == LBR_CELL_INDEX) {
        const char *i = lbr_emit_number(e, p->reg[0]);

        lbr_text_format(e->to, "if (%s >= %lld && %s <= %lld) ", i, (long long)(p->lo - p->offset), i,
                        (long long)(p->hi - p->offset));
        return;
    }
    lbr_text_format(e->to, "if (lbr_near("), lbr_emit_address(e, &free, strip);
    lbr_text_format(e->to, ", %lld, %lld) == (", (long long)p->lo, (long long)p->hi), lbr_emit_address(e, &free, strip),
        lbr_text_put(e->to, ")) ");
}

void lbr_emit_put(lbr_emitter *e, const lbr_rec *r, int strip, const char *a, const char *b)
{
    const lbr_cell *p = &e->m->p->place[r->d];
    int numbers;

    lbr_text_put(e->to, "    ");
    if (p->checked && p->kind != LBR_CELL_FIXED) inside(e, p, strip);
    lbr_text_format(e->to, "{ REAL *z = %s + (", lbr_emit_array(e, p->slot, &numbers)), lbr_emit_address(e, p, strip),
        lbr_text_put(e->to, "); ");
    if (r->op == LBR_CODE_PUT) lbr_text_format(e->to, "*z = %s; }\n", a);
    else if (r->op == LBR_CODE_PUT_ADD) lbr_text_format(e->to, "*z = OP_ADD(*z, %s, SPLAT(0.0)); }\n", a);
    else lbr_text_format(e->to, "*z = OP_%s(%s, %s, *z); }\n", r->op == LBR_CODE_PUT_FMA ? "FMA" : "FNMA", a, b);
}

/* --- loops ------------------------------------------------------------------------------------------------------- */

static const char *const before[] = { "-0.0", "1.0", "-INFINITY", "INFINITY" };

/* int n<id> = iterations, b<id> = the first. Gives n where it is known, else -1. */
static int64_t bounds(lbr_emitter *e, int id, int32_t lo, int32_t hi)
{
    int64_t a, b;

    if (lbr_emit_whole(e, lo, &a) && lbr_emit_whole(e, hi, &b)) {
        lbr_text_format(e->to, "    const int b%d = %lld, n%d = %lld;\n", id, (long long)a, id,
                        (long long)(b < a ? 0 : b - a + 1));
        return b < a ? 0 : b - a + 1;
    }
    lbr_text_format(e->to, "    const int b%d = (int)%s, ", id, lbr_emit_number(e, lo));
    lbr_text_format(e->to, "n%d = lbr_count(%s, %s);\n", id, lbr_emit_number(e, lo), lbr_emit_number(e, hi));
    return -1;
}

int32_t lbr_emit_loop(lbr_emitter *e, int32_t open)
{
    const lbr_rec *r = &e->m->rec[open];
    int id = e->strips++;
    int32_t body = r->next;

    bounds(e, id, r->a, r->b);
    for (; e->m->rec[body].op == LBR_CODE_START; body = e->m->rec[body].next)
        lbr_text_format(e->to, "    if (n%d > 0) r%d = SPLAT(%s);\n", id, (int)e->m->rec[body].d,
                        before[e->m->rec[body].a]);
    e->number[r->d] = 1;
    lbr_text_format(e->to,
                    "    for (int k%d = b%d; k%d < b%d + n%d; k%d++) {\n"
                    "    const double r%d = k%d;\n"
                    "    (void)r%d;\n",
                    id, id, id, id, id, id, (int)r->d, id, (int)r->d);
    body = lbr_emit_list(e, body);
    lbr_text_put(e->to, "    }\n");
    return body;
}

/* --- strips ------------------------------------------------------------------------------------------------------ */

static int is_put(const lbr_rec *r) { return r->op >= LBR_CODE_PUT && r->op <= LBR_CODE_PUT_FNMA; }
static int is_sum(const lbr_rec *r)
{
    return r->op == LBR_CODE_ACC_SUM || r->op == LBR_CODE_ACC_FMA || r->op == LBR_CODE_ACC_FNMA;
}
static int is_other(const lbr_rec *r)
{
    return r->op == LBR_CODE_ACC_PROD || r->op == LBR_CODE_ACC_MAX || r->op == LBR_CODE_ACC_MIN;
}
static int operands(const lbr_rec *r) { return r->op == LBR_CODE_PUT_FMA || r->op == LBR_CODE_PUT_FNMA ? 2 : 1; }

/* Two places of one slot that lanes reach at the same address in the same lane only, or never. */
static int apart(const lbr_cell *p, const lbr_cell *q)
{
    if (p->slot != q->slot) return 1;
    if (p->kind != LBR_CELL_STRIDE || q->kind != LBR_CELL_STRIDE || !p->stride || p->stride != q->stride ||
        p->nregs != q->nregs)
        return 0;
    for (int i = 0; i < p->nregs; i++)
        if (p->factor[i] != q->factor[i] || p->reg[i] != q->reg[i]) return 0;
    return p->offset == q->offset || (p->offset - q->offset) % p->stride != 0;
}

/* Whether an entry can be put lane by lane, among all others of the strip. */
static int direct(const lbr_emitter *e, int32_t first, int32_t at)
{
    const lbr_cell *p = &e->m->p->place[e->m->rec[at].d];

    if (p->kind != LBR_CELL_STRIDE || !p->stride) return 0;
    for (int32_t i = first; e->m->rec[i].op != LBR_CODE_LAST; i = e->m->rec[i].next)
        if (is_put(&e->m->rec[i]) && !apart(p, &e->m->p->place[e->m->rec[i].d])) return 0;
    return 1;
}

/* Where the sum is: in the lane, in the first one, or, where only the number of iterations tells (EITHER), in z until
 * it is put there. (Compilers have taken s[n > 8 ? l : 0] for another place in each iteration.) */
enum { OWN, FIRST, EITHER };

static void add(lbr_emitter *e, const lbr_rec *r, int lane, int id)
{
    const char *a = lbr_emit_real(e, r->a), *what = r->op == LBR_CODE_ACC_SUM   ? "ADD"
                                                    : r->op == LBR_CODE_ACC_FMA ? "FMA"
                                                                                : "FNMA";
    char so_far[48], to[64];
    int s = (int)r->d;

    if (lane == EITHER)
        snprintf(so_far, sizeof so_far, "(n%d > 8 ? s%d[l] : z%d)", id, s, s),
            snprintf(to, sizeof to, "s%d[l] = z%d", s, s);
    else snprintf(so_far, sizeof so_far, lane == OWN ? "s%d[l]" : "s%d[0]", s), snprintf(to, sizeof to, "%s", so_far);
    if (r->op == LBR_CODE_ACC_SUM) lbr_text_format(e->to, "    %s = OP_ADD(%s, %s, SPLAT(0.0));\n", to, so_far, a);
    else lbr_text_format(e->to, "    %s = OP_%s(%s, %s, %s);\n", to, what, a, lbr_emit_real(e, r->b), so_far);
}

/* The sums of a strip before its last iterations, and after them. */
static void either(lbr_emitter *e, int32_t first, int id, int after)
{
    for (int32_t i = first; e->m->rec[i].op != LBR_CODE_LAST; i = e->m->rec[i].next) {
        int s = (int)e->m->rec[i].d;

        if (!is_sum(&e->m->rec[i])) continue;
        if (after) lbr_text_format(e->to, "    if (n%d <= 8) s%d[0] = z%d;\n", id, s, s);
        else lbr_text_format(e->to, "    REAL z%d = s%d[0];\n", s, s);
    }
}

/* Values of all lanes, for what is done after the loop over them. */
static void remember(lbr_emitter *e, const lbr_rec *r, int32_t at)
{
    lbr_text_format(e->to, "    u%d[l] = %s;\n", (int)at, lbr_emit_real(e, r->a));
    if (operands(r) == 2) lbr_text_format(e->to, "    v%d[l] = %s;\n", (int)at, lbr_emit_real(e, r->b));
}

/* The instructions of a strip for lane l, iteration k<id>. Whether something is left for later. */
static int lane_body(lbr_emitter *e, int32_t first, int id, int lane)
{
    int later = 0;

    lbr_text_format(e->to, "    const int k%d = b%d + i%d + l;\n    (void)k%d;\n", id, id, id, id);
    for (int32_t i = first; e->m->rec[i].op != LBR_CODE_LAST; i = e->m->rec[i].next) {
        const lbr_rec *r = &e->m->rec[i];

        if (is_sum(r)) add(e, r, lane, id);
        else if (is_other(r) || (is_put(r) && !direct(e, first, i))) remember(e, r, i), later = 1;
        else lbr_emit_instruction(e, r, id);
    }
    return later;
}

static void buffers(lbr_emitter *e, int32_t first)
{
    for (int32_t i = first; e->m->rec[i].op != LBR_CODE_LAST; i = e->m->rec[i].next) {
        const lbr_rec *r = &e->m->rec[i];

        if (!is_other(r) && !(is_put(r) && !direct(e, first, i))) continue;
        lbr_text_format(e->to, "    REAL u%d[8]", (int)i);
        if (operands(r) == 2) lbr_text_format(e->to, ", v%d[8]", (int)i);
        lbr_text_put(e->to, ";\n");
    }
}

/* What lanes have left, in order. An index that an entry needs is computed again there. */
static void afterwards(lbr_emitter *e, int32_t first, int id, const char *m)
{
    char a[24], b[24];

    for (int32_t i = first; e->m->rec[i].op != LBR_CODE_LAST; i = e->m->rec[i].next) {
        const lbr_rec *r = &e->m->rec[i];

        if (!is_other(r) && !(is_put(r) && !direct(e, first, i))) continue;
        lbr_text_format(e->to,
                        "    for (int l = 0; l < %s; l++) {\n"
                        "    const int k%d = b%d + i%d + l;\n"
                        "    (void)k%d;\n",
                        m, id, id, id, id);
        snprintf(a, sizeof a, "u%d[l]", (int)i), snprintf(b, sizeof b, "v%d[l]", (int)i);
        if (is_put(r)) {
            for (int32_t j = first; j != i && e->m->p->place[r->d].kind == LBR_CELL_INDEX; j = e->m->rec[j].next)
                if (!is_sum(&e->m->rec[j]) && !is_other(&e->m->rec[j]) && !is_put(&e->m->rec[j]))
                    lbr_emit_instruction(e, &e->m->rec[j], id);
            lbr_emit_put(e, r, id, a, b);
        } else
            lbr_text_format(e->to, "    s%d[0] = OP_%s(s%d[0], %s, SPLAT(0.0));\n", (int)r->d,
                            r->op == LBR_CODE_ACC_PROD  ? "MUL"
                            : r->op == LBR_CODE_ACC_MAX ? "MAX"
                                                        : "MIN",
                            (int)r->d, a);
        lbr_text_put(e->to, "    }\n");
    }
}

/* Sums before their first term. The records before a strip that clear them are those just passed. */
static void clear(lbr_emitter *e, int32_t first)
{
    for (int32_t i = first; e->m->rec[i].op != LBR_CODE_LAST; i = e->m->rec[i].next) {
        const lbr_rec *r = &e->m->rec[i];
        int kind = is_sum(r)                    ? LBR_KIND_SUM
                   : r->op == LBR_CODE_ACC_PROD ? LBR_KIND_PROD
                   : r->op == LBR_CODE_ACC_MAX  ? LBR_KIND_MAX
                                                : LBR_KIND_MIN;

        if (is_sum(r) || is_other(r))
            lbr_text_format(e->to, "    for (int l = 0; l < 8; l++) s%d[l] = SPLAT(%s);\n", (int)r->d, before[kind]);
    }
}

int32_t lbr_emit_strip(lbr_emitter *e, int32_t strip)
{
    const lbr_rec *r = &e->m->rec[strip];
    int32_t first = r->next, last = first;
    int id = e->strips++, later = 0;
    int64_t n = bounds(e, id, r->a, r->b);
    char rest[32];

    while (e->m->rec[last].op != LBR_CODE_LAST) last = e->m->rec[last].next;
    clear(e, first);
    lbr_text_format(e->to, "    {\n    int i%d = 0;\n", id);
    if (n < 0 || n > 8) {
        lbr_text_format(e->to, "    for (; n%d > 8 && i%d + 8 <= n%d; i%d += 8) {\n", id, id, id, id);
        buffers(e, first);
        lbr_text_put(e->to, "    LANES for (int l = 0; l < 8; l++) {\n");
        later = lane_body(e, first, id, OWN);
        lbr_text_put(e->to, "    }\n");
        if (later) afterwards(e, first, id, "8");
        lbr_text_put(e->to, "    }\n");
    }
    if (n < 0 || n <= 8 || n % 8) {
        lbr_text_format(e->to, "    const int m%d = n%d - i%d;\n", id, id, id);
        buffers(e, first);
        if (n < 0) either(e, first, id, 0);
        lbr_text_format(e->to, "    for (int l = 0; l < m%d; l++) {\n", id);
        later = lane_body(e, first, id, n < 0 ? EITHER : n > 8 ? OWN : FIRST);
        lbr_text_put(e->to, "    }\n");
        if (n < 0) either(e, first, id, 1);
        snprintf(rest, sizeof rest, "m%d", id);
        if (later) afterwards(e, first, id, rest);
    }
    lbr_text_put(e->to, "    }\n");
    return last;
}

void lbr_emit_finish(lbr_emitter *e, const lbr_rec *r)
{
    static const char *const empty[] = { "0.0", "1.0", "NAN", "NAN" };
    int id = e->strips - 1, v = (int)r->a; /* of the strip just written */

    lbr_text_format(e->to, "    REAL r%d;\n", (int)r->d);
    lbr_text_format(e->to, "    if (n%d < 1) r%d = SPLAT(%s);\n    else ", id, (int)r->d, empty[r->b]);
    if (r->b == LBR_KIND_SUM) lbr_text_format(e->to, "if (n%d > 8) r%d = TOTAL(s%d);\n    else ", id, (int)r->d, v);
    lbr_text_format(e->to, "r%d = s%d[0];\n", (int)r->d, v);
}
