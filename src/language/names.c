/* names.c - what names stand for: quantities in a table, indices and arguments on a stack, families.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lower.h"
#include "libration/options.h"

#include <string.h>

/* Beside the settings. */
static const char reserved[] = "pi t h exact error roundoff yes no and or not against compensated project_start land "
                               "evaluations iterations first_error seconds energy_error failed";

const char *lbr_name_reserved(const char *name)
{
    return lbr_text_find(reserved, name) >= 0 || lbr_setting_of(name) >= 0 ? "is a word of the language" : NULL;
}

/* --- the table of quantities ------------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *name) { return lbr_hash(LBR_HASH, name, strlen(name)); }

static int *slot_of(lbr_lower *lo, const char *name, uint64_t hash)
{
    int i = (int)(hash & (uint64_t)(lo->table_size - 1));

    while (lo->table[i] &&
           (lo->symbol[lo->table[i] - 1].hash != hash || strcmp(lo->symbol[lo->table[i] - 1].name, name)))
        i = (i + 1) & (lo->table_size - 1);
    return lo->table + i;
}

lbr_symbol *lbr_symbol_find(lbr_lower *lo, const char *name)
{
    int *slot = lo->table_size ? slot_of(lo, name, hash_of(name)) : NULL;

    return slot && *slot ? lo->symbol + *slot - 1 : NULL;
}

/* Twice as many places; old memory stays in the arena. Symbols move, so that pointers to them live until the next one
 * is added. */
static int grow(lbr_lower *lo)
{
    int most = lo->most_symbols ? 2 * lo->most_symbols : 64;
    int *table = lbr_arena_alloc(lo->arena, 2 * most, sizeof *table);

    if (!table || !LBR_ROOM(lo->arena, lo->symbol, lo->nsymbols, lo->most_symbols, most - lo->nsymbols))
        return lbr_lower_no_memory(lo), 0;
    lo->table = table, lo->table_size = 2 * most;
    for (int i = 0; i < lo->nsymbols; i++) *slot_of(lo, lo->symbol[i].name, lo->symbol[i].hash) = i + 1;
    return 1;
}

lbr_symbol *lbr_symbol_add(lbr_lower *lo, const char *name, lbr_symbol_kind kind, lbr_place place)
{
    lbr_symbol *s = lbr_symbol_find(lo, name);
    int *slot;

    if (s && s->expected && s->file == lo->at.file && s->place.line == place.line && s->place.column == place.column)
        return s->expected = 0, s;
    if (s && !s->faulty)
        return lbr_lower_fail(lo, place, "'%.60s' is declared already, at line %d%s%s", name, s->place.line,
                              s->file && s->file != lo->at.file ? " of " : "",
                              s->file && s->file != lo->at.file ? s->file->name : "");
    if (s) return NULL;
    if (lbr_name_reserved(name))
        return lbr_lower_fail(lo, place, "'%.60s' %s and cannot be a name", name, lbr_name_reserved(name));
    if (lo->nsymbols == lo->most_symbols && !grow(lo)) return NULL;
    slot = slot_of(lo, name, hash_of(name));
    s = lo->symbol + lo->nsymbols, *slot = ++lo->nsymbols;
    *s = (lbr_symbol){
        .name = name, .hash = hash_of(name), .kind = kind, .file = lo->at.file, .place = place, .order = lo->at.order
    };
    return s;
}

void lbr_symbol_expect(lbr_lower *lo, const char *name, lbr_symbol_kind kind, lbr_place place)
{
    lbr_symbol *s = lbr_symbol_add(lo, name, kind, place);

    if (s) s->expected = 1;
}

int lbr_symbol_before(const lbr_lower *lo, const lbr_symbol *s, lbr_place place)
{
    if (s->order != lo->at.order || s->file != lo->at.file) return s->order <= lo->at.order;
    return s->place.line < place.line || (s->place.line == place.line && s->place.column < place.column);
}

/* --- unknown names ----------------------------------------------------------------------------------------------- */

static int same_but_case(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a | 32) != (*b | 32)) return 0;
    return *a == *b;
}

/* Of one letter only the other case is near: any other letter would be. */
static void nearer(const char *name, const char *candidate, const char **best, int *distance)
{
    int d = same_but_case(name, candidate) ? 0 : strlen(name) == 1 ? *distance : lbr_text_distance(name, candidate);

    if (d < *distance) *distance = d, *best = candidate;
}

/* Of what can be set: parameters, variables, and the settings of a run. */
static void nearest_setting(lbr_lower *lo, const char *name, const char **best, int *distance)
{
    for (int i = 0; i < lo->nsymbols && lo->nsymbols < 10000; i++)
        if (lo->symbol[i].kind == LBR_SYM_PARAM || lo->symbol[i].kind == LBR_SYM_VARIABLE)
            nearer(name, lo->symbol[i].name, best, distance);
    for (int i = 0; i < LBR_SETTING_CONTROL; i++) nearer(name, lbr_setting_text(i), best, distance);
    for (const lbr_option *o = lbr_option_next(NULL); o; o = lbr_option_next(o)) nearer(name, o->name, best, distance);
}

static void nearest_value(lbr_lower *lo, const char *name, const char **best, int *distance)
{
    const char *f;

    for (int i = 0; i < lo->nsymbols && lo->nsymbols < 10000; i++)
        if (lo->symbol[i].order <= lo->at.order) nearer(name, lo->symbol[i].name, best, distance);
    for (int i = lo->at.nlocals - 1; i >= lo->at.floor; i--) nearer(name, lo->local[i].name, best, distance);
    for (int i = 0; (f = lbr_function_name(i)); i++) nearer(name, f, best, distance);
}

/* What other languages call it. */
static const char *elsewhere(const char *name)
{
    static const char *const written[] = { NULL, "a^b", "log(x)", "atan(x)", "asin(x)", "acos(x)", "abs(x)" };

    return written[1 + lbr_text_find("pow ln arctan arcsin arccos fabs", name)];
}

void *lbr_name_unknown(lbr_lower *lo, const char *name, lbr_place place, int role)
{
    static const char *const what[] = { "name", "function", "parameter, variable or setting" };
    const char *best = NULL;
    int distance = 1 + (int)strlen(name) / 3 + 1;

    if (role == 1 && (best = elsewhere(name)))
        return lbr_lower_fail(lo, place, "there is no function '%.60s'; write %s", name, best);
    if (distance > 4) distance = 4;
    (role == 2 ? nearest_setting : nearest_value)(lo, name, &best, &distance);
    if (best) return lbr_lower_fail(lo, place, "there is no %s '%.60s'; did you mean '%s'?", what[role], name, best);
    return lbr_lower_fail(lo, place, "there is no %s '%.60s'", what[role], name);
}

/* --- indices and arguments --------------------------------------------------------------------------------------- */

int lbr_local_push(lbr_lower *lo, const char *name, const lbr_value *value, int is_index)
{
    if (!value) return 0;
    if (!LBR_ROOM(lo->arena, lo->local, lo->at.nlocals, lo->most_locals, 1)) {
        lbr_lower_no_memory(lo);
        return 0;
    }
    lo->local[lo->at.nlocals++] = (lbr_local){ name, value, is_index };
    return 1;
}

/* --- families ---------------------------------------------------------------------------------------------------- */

int lbr_family_shape(lbr_lower *lo, const lbr_target *target, lbr_shape *shape)
{
    double size = 1;

    shape->rank = 0;
    for (int k = 0; k < target->n; k++) {
        const lbr_node *b = target->index[k];
        int64_t from, to;

        if (b->kind != LBR_NODE_BINDER)
            return lbr_lower_fail(lo, b->first, "expected a range here, as in %.40s[i = 1..n]", target->name), 0;
        if (target->n > LBR_RANK) return lbr_lower_fail(lo, b->first, "at most %d indices", LBR_RANK), 0;
        if (!lbr_lower_integer(lo, b->arg[0], "the beginning of a range", -1000000000000, 1000000000000, &from))
            return 0;
        if (!lbr_lower_integer(lo, b->arg[1], "the end of a range", -1000000000000, 1000000000000, &to)) return 0;
        if (from != 1)
            return lbr_lower_fail(lo, b->arg[0]->first, "the range of '%.40s' must begin at 1", target->name), 0;
        if (to < 0) to = 0;
        if ((size *= (double)to) > LBR_MOST_COMPONENTS)
            return lbr_lower_fail(
                       lo, b->place,
                       "the range is too long: the limit is %d components of one array" LBR_RAISED(LBR_MOST_COMPONENTS),
                       LBR_MOST_COMPONENTS),
                   0;
        shape->n[shape->rank++] = to;
    }
    return 1;
}

/* A definition inside the statement: what is looked up while it is read belongs to it. */
static lbr_reading enter(lbr_lower *lo, const lbr_symbol *s, int loop)
{
    lbr_reading before = lo->at;

    lo->at.file = s->file, lo->at.floor = lo->at.nlocals, lo->at.loop = loop;
    if (s->kind != LBR_SYM_MEASURE)
        lo->at.order = s->order, lo->at.dialect = NULL; /* a model knows nothing of its runs */
    if (s->kind == LBR_SYM_OBSERVED)
        lo->at.where |= LBR_WHERE_OBSERVED; /* members of a family are read when they are asked for */
    return before;
}

/* An error in it is one of the statement. */
static void leave(lbr_lower *lo, lbr_reading before, int nlocals)
{
    before.failed = lo->at.failed, before.nlocals = nlocals;
    lo->at = before;
}

/* Values of definitions at given nodes, so that nothing is read twice. */
typedef struct memo {
    struct memo *next;
    const void *symbol;
    int n;
    unsigned where;
    uint64_t hash;
    lbr_ref guard, key[LBR_RANK];
    const lbr_value *value;
} memo;
typedef struct lbr_memo {
    memo **bucket;
    int64_t n, most;
} lbr_memo; /* most: buckets, a power of two */

static uint64_t memo_hash(const lbr_lower *lo, const lbr_item *item, const lbr_ref *key, int n)
{
    uint64_t h = lbr_hash(lbr_hash(LBR_HASH, &item, sizeof item), key, (size_t)n * sizeof *key);

    return lbr_hash(h, &lo->at.guard, sizeof lo->at.guard);
}

/* Room for one more, as many buckets as entries at least. */
static lbr_memo *memo_room(lbr_lower *lo)
{
    lbr_memo *all = lo->memo, old;

    if (!all && !(all = lo->memo = lbr_arena_alloc(lo->arena, 1, sizeof *all))) return NULL;
    if (all->n < all->most) return all;
    old = *all;
    all->most = old.most ? 4 * old.most : 64;
    if (!(all->bucket = lbr_arena_alloc(lo->arena, all->most, sizeof *all->bucket))) {
        *all = old;
        return NULL;
    }
    for (int64_t k = 0; k < old.most; k++)
        for (memo *m = old.bucket[k], *next; m; m = next) {
            memo **b = all->bucket + (m->hash & (uint64_t)(all->most - 1));

            next = m->next, m->next = *b, *b = m;
        }
    return all;
}

static const lbr_value *remembered(lbr_lower *lo, const lbr_item *item, const lbr_ref *key, int n)
{
    uint64_t h = memo_hash(lo, item, key, n);

    for (memo *m = lo->memo && lo->memo->most ? lo->memo->bucket[h & (uint64_t)(lo->memo->most - 1)] : NULL; m;
         m = m->next)
        if (m->symbol == item && m->n == n && m->where == lo->at.where && m->guard == lo->at.guard &&
            !memcmp(m->key, key, (size_t)n * sizeof *key))
            return m->value;
    return NULL;
}

static const lbr_value *remember(lbr_lower *lo, const lbr_item *item, const lbr_ref *key, int n, const lbr_value *value)
{
    lbr_memo *all = value && !lo->asked ? memo_room(lo) : NULL;
    memo *m = all ? lbr_arena_alloc(lo->arena, 1, sizeof *m) : NULL, **b;

    if (!m && value && !lo->asked) lbr_lower_no_memory(lo);
    if (!m) return value;
    *m = (memo){ .symbol = item,
                 .n = n,
                 .where = lo->at.where,
                 .hash = memo_hash(lo, item, key, n),
                 .guard = lo->at.guard,
                 .value = value };
    memcpy(m->key, key, (size_t)n * sizeof *key);
    b = all->bucket + (m->hash & (uint64_t)(all->most - 1));
    m->next = *b, *b = m, all->n++;
    return value;
}

/* The innermost loop that any of these nodes depends on. */
static int deepest(const lbr_lower *lo, const lbr_ref *x, int n)
{
    int loop = 0;

    for (int k = 0; k < n; k++) {
        int scope = lo->dag->node[x[k]].scope;

        if (lo->dag->loop[scope].level > lo->dag->loop[loop].level) loop = scope;
    }
    return loop;
}

/* Members that are being worked out for each other: so many, and it would never end. */
enum { MOST_MEMBERS = 200 };

/* A symbol may move while its definition is read: these work by its number. */
static const lbr_value *member(lbr_lower *lo, int number, const lbr_ref *index, int n)
{
    const lbr_symbol *s = lo->symbol + number;
    const lbr_item *item = s->item;
    const lbr_node *text = s->text;
    const lbr_value *v = remembered(lo, item, index, n);
    int nlocals = lo->at.nlocals, asked = lo->asked, duties = lo->nduties;
    lbr_reading before;

    if (v) return v;
    if (lo->members >= MOST_MEMBERS)
        return lbr_lower_fail(lo, s->place,
                              "the members of '%.60s' need each other without end (a family that refers to its own "
                              "members has at most 64)",
                              s->name),
               NULL;
    lo->asked = 0, lo->members++;
    before = enter(lo, s, deepest(lo, index, n));
    for (int k = 0; k < n; k++) lbr_local_push(lo, item->target.index[k]->text, lbr_value_scalar(lo, index[k]), 1);
    v = lo->at.failed ? NULL : lbr_lower_value(lo, text);
    leave(lo, before, nlocals);
    remember(lo, item, index, n, v);
    lo->asked |= asked, lo->members--;
    if (lo->at.failed) lo->nduties = duties; /* what it would have had to check is no news any more */
    return v;
}

enum { MEMBERS = 1, WHOLE, STORING }; /* how a family is asked for at the index of a loop */

static int costly(const lbr_dag *d, lbr_ref from, lbr_ref to)
{
    for (lbr_ref r = from; r < to; r++) {
        int op = d->node[r].op;

        if ((op >= LBR_OP_SQRT && op <= LBR_OP_ERF) || op == LBR_OP_POW || op == LBR_OP_ATAN2 || op == LBR_OP_HYPOT ||
            op == LBR_OP_SUM || op == LBR_OP_PROD)
            return 1;
    }
    return 0;
}

/* Whether a family asked for at the index of a loop is worked out as a whole: constants and random numbers always,
 * costly ones with one index. */
static int whole(lbr_lower *lo, int number, const lbr_ref *index, int n)
{
    lbr_ref before = lo->dag->n, x;
    const lbr_value *m = member(lo, number, index, n);

    if (!m || lo->asked || lo->symbol[number].materialised) return m && lo->asked;
    x = m->shape.rank ? lbr_value_at(lo, m, 0) : m->node;
    if (x < 0) return 0;
    return !lo->dag->node[x].deps || (n == 1 && costly(lo->dag, before, lo->dag->n));
}

/* Decides it: again where it was asked for one by one, since random numbers may be asked for at another index. */
static void decide(lbr_lower *lo, const lbr_value *v, const lbr_ref *index, int number)
{
    int asked = lo->asked, all;

    lo->asked = 0;
    all = whole(lo, number, index, v->nindex);
    lo->asked = asked;
    lo->symbol[number].materialised = all ? STORING : MEMBERS;
    if (!all) return;
    lbr_settle(lo, lbr_value_store(lo, v)); /* asks for members, which are not to be remembered ... */
    lo->symbol[number].materialised = WHOLE, ((lbr_value *)v)->recent = NULL; /* ... in the place of elements */
}

static int fits(lbr_lower *lo, const lbr_value *v, const lbr_value *m, int number)
{
    lbr_shape rest = { v->shape.rank - v->nindex, { 0 } };

    memcpy(rest.n, v->shape.n + v->nindex, (size_t)rest.rank * sizeof *rest.n);
    if (lbr_shape_equal(&rest, &m->shape) && !m->row) return 1;
    return lbr_lower_fail(lo, lo->symbol[number].place, "the members of '%.60s' have different shapes",
                          lo->symbol[number].name),
           0;
}

static lbr_ref family_element(lbr_lower *lo, const lbr_value *v, const lbr_ref *index)
{
    int n = v->nindex, number = (int)v->offset, fixed = 1, *how = &lo->symbol[number].materialised;
    const lbr_value *m;
    double x;

    for (int k = 0; k < n; k++) fixed &= lbr_dag_is_const(lo->dag, index[k], &x);
    if (!fixed && (!*how || *how == MEMBERS)) decide(lo, v, index, number);
    if (!fixed && lo->symbol[number].materialised == WHOLE) {
        m = lbr_value_view(lo, lbr_value_store(lo, v), 0, &v->shape);
        return m ? lbr_value_element(lo, m, index) : -1;
    }
    m = member(lo, number, index, n);
    return m && fits(lo, v, m, number) ? lbr_value_element(lo, m, index + n) : -1;
}

/* The shape of a family: its ranges, then that of one member (the first; all of them have the same). */
static const lbr_value *family(lbr_lower *lo, int number)
{
    lbr_shape shape;
    lbr_ref one[LBR_RANK];
    const lbr_value *first;
    lbr_value *v;

    if (!lbr_family_shape(lo, &lo->symbol[number].item->target, &shape)) return NULL;
    for (int k = 0; k < shape.rank; k++) one[k] = lbr_dag_const(lo->dag, 1);
    if (!lbr_shape_size(&shape))
        return lbr_lower_fail(lo, lo->symbol[number].place, "'%.60s' has no elements", lo->symbol[number].name);
    first = member(lo, number, one, shape.rank);
    if (!first) return NULL;
    if (first->shape.rank + shape.rank > LBR_RANK)
        return lbr_lower_fail(lo, lo->symbol[number].place, "at most %d indices", LBR_RANK);
    if ((double)lbr_shape_size(&shape) * (double)lbr_shape_size(&first->shape) > LBR_MOST_COMPONENTS)
        return lbr_lower_fail(
            lo, lo->symbol[number].place,
            "'%.60s' is too large: the limit is %d components of one array" LBR_RAISED(LBR_MOST_COMPONENTS),
            lo->symbol[number].name, LBR_MOST_COMPONENTS);
    memcpy(shape.n + shape.rank, first->shape.n, (size_t)first->shape.rank * sizeof *shape.n);
    shape.rank += first->shape.rank;
    v = lbr_value_open(lo, &shape, family_element);
    if (v) v->nindex = shape.rank - first->shape.rank, v->offset = number, v->loop = 0;
    return v;
}

const lbr_value *lbr_symbol_value(lbr_lower *lo, lbr_symbol *s, lbr_place place)
{
    int number = (int)(s - lo->symbol), nlocals = lo->at.nlocals;
    lbr_reading before;
    lbr_place user;
    const lbr_value *v;

    if (s->value) return s->value;
    if (s->faulty || lo->at.failed) return lo->at.failed = 1, NULL;
    if (s->busy) return lbr_lower_fail(lo, place, "recursion: '%.60s' is used in its own definition", s->name);
    if (s->kind == LBR_SYM_FUNCTION)
        return lbr_lower_fail(lo, place, "'%.60s' is a function: write %.60s(...)", s->name, s->name);
    if (s->expected)
        return lbr_lower_fail(lo, place, "'%.60s' is used before it is declared (line %d)", s->name, s->place.line);
    if (!s->text && lo->at.where & LBR_WHERE_CONSTANT &&
        lo->user.line) /* reached through abbreviations: said where these are used */
        return lbr_lower_fail_in(lo, lo->user_file, lo->user,
                                 "this depends on '%.60s', and only constants and parameters have a value here",
                                 s->name);
    if (!s->text)
        return lbr_lower_fail(lo, place, "'%.60s' has no value here%s", s->name,
                              lo->at.where & LBR_WHERE_CONSTANT ? ": only constants and parameters do" : "");
    s->busy = 1;
    user = lo->user;
    if (!user.line && s->kind != LBR_SYM_PARAM) lo->user = place, lo->user_file = lo->at.file;
    before = enter(lo, s, 0);
    lo->at.guard = lbr_dag_const(lo->dag, 1);
    v = s->item && s->item->target.n ? family(lo, number) : lbr_lower_value(lo, s->text);
    leave(lo, before, nlocals);
    lo->user = user;
    s = lo->symbol + number;
    s->busy = 0, s->value = v;
    if (!v) s->faulty = 1;
    return v;
}

/* --- functions of the user --------------------------------------------------------------------------------------- */

const lbr_value *lbr_symbol_call(lbr_lower *lo, lbr_symbol *s, const lbr_node *node)
{
    int number = (int)(s - lo->symbol), n = s->item->nparams, nlocals = lo->at.nlocals, numbers = n <= LBR_RANK, asked;
    const lbr_value *v = NULL, **arg = lbr_arena_alloc(lo->arena, n + 1, sizeof *arg);
    lbr_ref key[LBR_RANK];
    const lbr_item *item = s->item;
    lbr_reading before;

    if (!arg) return lbr_lower_no_memory(lo);
    if (s->faulty) return lo->at.failed = 1, NULL;
    if (node->n != n)
        return lbr_lower_fail(lo, node->place, "'%.60s' takes %d argument%s, not %d", s->name, n, n == 1 ? "" : "s",
                              node->n);
    for (int k = 0; k < n; k++) {
        if (!(arg[k] = lbr_lower_value(lo, node->arg[k]))) return NULL;
        if (numbers && !arg[k]->shape.rank) key[k] = arg[k]->node;
        else numbers = 0;
    }
    s = lo->symbol + number;
    asked = lo->asked;
    if (s->busy) return lbr_lower_fail(lo, node->place, "recursion: '%.60s' calls itself", s->name);
    if (lo->depth > 100)
        return lbr_lower_fail(lo, node->place,
                              "functions call each other too deeply: the limit is 100 calls inside each other");
    if (numbers && (v = remembered(lo, item, key, n))) return v;
    s->busy = 1, lo->depth++, lo->asked = 0;
    before = enter(lo, s,
                   numbers ? deepest(lo, key, n)
                           : lo->at.loop); /* a function sees its arguments and nothing of its caller */
    for (int k = 0; k < n; k++) lbr_local_push(lo, item->param[k], arg[k], 0);
    v = lo->at.failed ? NULL : lbr_lower_value(lo, lo->symbol[number].text);
    leave(lo, before, nlocals);
    lo->depth--, lo->symbol[number].busy = 0;
    if (numbers) remember(lo, item, key, n, v);
    lo->asked |= asked;
    return v;
}
