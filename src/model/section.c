/* section.c - the sections of a model as functions of the state. SPDX-License-Identifier: BSD-3-Clause
 *
 * Its statement was read once with the others, so that mistakes in it are known; its nodes are made again after those
 * of the equations, so that no bit of a trajectory depends on whether somebody looks for crossings. */
#include "section.h"

#include <string.h>

/* Where the table of names has a section, as 1 more than its number, or 0 where one of this name would be. A power of
 * two of slots, half of which are free. */
static int32_t *slot(const lbr_model *m, const char *name)
{
    uint64_t mask = (uint64_t)m->section_slots - 1, i = lbr_hash(LBR_HASH, name, strlen(name)) & mask;

    while (m->section_slot[i] && strcmp(m->section[m->section_slot[i] - 1]->statement->text, name)) i = (i + 1) & mask;
    return m->section_slot + i;
}

int lbr_model_section(const lbr_model *m, const char *name) { return m->section_slots ? *slot(m, name) - 1 : -1; }

void lbr_model_section_add(lbr_model *m, const lbr_line *line)
{
    const lbr_line **s;

    if (2 * (m->nsections + 1) > m->section_slots) {
        int64_t n = m->section_slots ? 2 * m->section_slots : 16;
        int32_t *more = lbr_arena_alloc(&m->arena, n, sizeof *more);

        if (!more) {
            lbr_lower_no_memory(&m->lo);
            return;
        }
        m->section_slot = more, m->section_slots = n;
        for (int k = 0; k < m->nsections; k++) *slot(m, m->section[k]->statement->text) = k + 1;
    }
    if (!(s = lbr_model_push(m, &m->section, &m->nsections, sizeof *s))) return;
    *s = line, *slot(m, line->statement->text) = m->nsections;
}

const char *lbr_model_section_near(const lbr_model *m, const char *name)
{
    const char *best = NULL;
    int least = 3;

    for (int k = 0; k < m->nsections && m->nsections < 10000; k++) {
        int d = lbr_text_distance(name, m->section[k]->statement->text);

        if (d < least) least = d, best = m->section[k]->statement->text;
    }
    return best;
}

/* left - right, and all conditions as one. */
static void read(lbr_model *m, const lbr_line *line, lbr_ref *surface, lbr_ref *holds)
{
    const lbr_statement *st = line->statement;
    lbr_ref left = lbr_lower_scalar(&m->lo, st->value->arg[0]),
            right = left < 0 ? -1 : lbr_lower_scalar(&m->lo, st->value->arg[1]);

    *surface = right < 0 ? -1 : lbr_dag_sub(&m->dag, left, right);
    for (int k = 0; k < st->nmore && !m->lo.at.failed; k++) {
        lbr_ref next = lbr_lower_condition(&m->lo, st->more[k]);

        *holds = next < 0 || !k ? next : lbr_dag_op(&m->dag, LBR_OP_AND, *holds, next, 0);
    }
    if (!m->lo.at.failed) lbr_check_duties(&m->lo);
    m->lo.nduties = 0;
}

static int make(lbr_model *m, const lbr_line *line, lbr_section_code *s, lbr_message *message)
{
    lbr_reading before = lbr_lower_enter(&m->lo, line, LBR_WHERE_RATE); /* as when the statement was read */
    lbr_ref surface = -1, holds = -1;
    int failed;

    read(m, line, &surface, &holds);
    failed = lbr_lower_leave(&m->lo, &before) != LBR_OK;
    message->status = LBR_OK;
    if (failed && !m->dag.status)
        return lbr_fail(message, LBR_EARG, "section '%.60s' cannot be evaluated", line->statement->text), 0;
    if (surface >= 0 && !lbr_flow_node(m, &surface, message)) return 0;
    if (holds >= 0 && !lbr_flow_node(m, &holds, message)) return 0;
    s->conditional = line->statement->nmore > 0;
    if (!lbr_function_make(m, &s->surface, -1, surface, 0, message) ||
        (s->conditional && !lbr_function_make(m, &s->holds, -1, holds, 0, message)))
        return 0;
    return (!s->surface.multiplied && !s->holds.multiplied) || lbr_multiplied_open(m, message);
}

const lbr_section_code *lbr_section_functions(lbr_model *m, int k, lbr_message *message)
{
    lbr_functions *f = m->functions;

    if (!f->section && !(f->section = lbr_arena_alloc(&m->arena, m->nsections, sizeof *f->section)))
        return lbr_fail(message, LBR_ENOMEM, "out of memory"), NULL;
    if (f->section[k].made) return f->section + k;
    f->section[k].name = m->section[k]->statement->text;
    return make(m, m->section[k], f->section + k, message) ? (f->section[k].made = 1, f->section + k) : NULL;
}

lbr_section lbr_section_of(const lbr_section_code *s)
{
    return (lbr_section){ .size = sizeof(lbr_section),
                          .name = s->name,
                          .surface = lbr_function_call,
                          .ctx = (void *)&s->surface,
                          .holds = s->conditional ? lbr_function_call : NULL,
                          .holds_ctx = (void *)&s->holds };
}
