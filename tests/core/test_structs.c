/* test_structs.c - structs of callers: patterns, counts, and the sizes of older and of newer headers.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/bits.h"

static lbr_system henon;

static void create(const char *text, const char *method, const lbr_system *s, const lbr_options *o, lbr_status want,
                   const char *word)
{
    lbr_plan *plan = NULL;
    lbr_status status = lbr_plan_create(&plan, method, s, o);
    const char *message = lbr_plan_message(plan);

    if (!ok(status == want && (want == LBR_OK || (plan && says(message, word))), "%.70s", text))
        printf("# status %d, want %d with '%s': %s\n", status, want, word, message);
    lbr_plan_free(plan);
}

/* --- patterns; rattle asks all blocks what they are -------------------------------------------------------------- */

static int64_t row_of_one[2] = { 0, 1 };
static int rod_g(double t, const double *q, double *out, void *ctx) { return (void)t, (void)ctx, out[0] = q[0] - 1, 0; }
static int rod_G(double t, const double *q, double *out, void *ctx)
{
    return (void)t, (void)q, (void)ctx, out[0] = 1, out[1] = 0, 0;
}

static void patterns(void)
{
    static const int64_t zero = 0;
    static const struct {
        const char *text, *word;
        int64_t nnz;
        const int64_t *row, *col;
    } row[] = { { "nnz alone", "nnz = 1|no row|dense", 1, NULL, NULL },
                { "nnz and col", "nnz = 1, col|no row", 1, NULL, &zero },
                { "row alone", "row and no col", 1, row_of_one, NULL } };
    lbr_system s = henon;

    s.constraints = &(lbr_constraints){ .size = sizeof(lbr_constraints), .m = 1, .g = rod_g, .G = rod_G };
    create("system: a dense Jacobian", "rattle", &s, NULL, LBR_OK, "");
    s.nblocks = 2, create("system: blocks that are not there, under rattle", "rattle", &s, NULL, LBR_EARG, "2 blocks"),
    s.nblocks = 0;
    for (int i = 0; i < COUNT(row); i++) {
        lbr_constraints c = {
            .size = sizeof c, .m = 1, .g = rod_g, .G = rod_G, .nnz = row[i].nnz, .row = row[i].row, .col = row[i].col
        };
        lbr_manifold f = {
            .size = sizeof f, .m = 1, .g = rod_g, .G = rod_G, .nnz = row[i].nnz, .row = row[i].row, .col = row[i].col
        };

        s.constraints = &c, s.manifold = NULL, create(row[i].text, "rattle", &s, NULL, LBR_EARG, row[i].word);
        s.constraints = NULL, s.manifold = &f,
        create(row[i].text, "project(standard, rk4)", &s, NULL, LBR_EARG, row[i].word);
    }
}

/* --- structs of older and of newer headers ----------------------------------------------------------------------- */

/* As a binary has them that was compiled with another header: 64 bytes shorter, or longer. */
/* Maps and tables of an older header: two in a row, each without its last members. */
static int stay(double t, double h, double *y, void *ctx) { return 0; }

static void shorter(void)
{
    static const char *const half[] = { "1/2", "1/2" };
    union {
        size_t size;
        char bytes[2 * sizeof(lbr_map_def)];
    } maps = { 0 };
    union {
        size_t size;
        char bytes[2 * sizeof(lbr_method)];
    } tables = { 0 };
    size_t map = offsetof(lbr_map_def, increment), table = offsetof(lbr_method, free_entries);
    lbr_system s = henon;
    lbr_options o;

    for (int i = 0; i < 2; i++) {
        lbr_map_def m = { .size = map, .name = i ? "second" : "first", .map = stay };
        lbr_method t = {
            .size = table, .name = i ? "two" : "one", .form = "composition", .b = { 2, half }, .order = 2
        };

        memcpy(maps.bytes + (size_t)i * map, &m, map), memcpy(tables.bytes + (size_t)i * table, &t, table);
    }
    s.maps = (const lbr_map_def *)&maps, s.nmaps = 2;
    create("system: maps of an older header", "second", &s, NULL, LBR_OK, "");
    lbr_options_init(&o), o.methods = (const lbr_method *)&tables, o.nmethods = 2;
    create("options: tables of an older header", "compose(two, stormer-verlet)", &henon, &o, LBR_OK, "");
    maps.size = 8, create("system: maps without a function", "second", &s, NULL, LBR_EARG, "maps|size");
    tables.size = 8, create("options: tables without lists", "two", &henon, &o, LBR_EARG, "methods|size");
}

static void other_headers(void)
{
    enum { MORE = 64 };
    static unsigned char room[sizeof(lbr_system) + 2 * MORE], more[sizeof(lbr_options) + 2 * MORE];
    lbr_system *s = (lbr_system *)room;
    lbr_options *o = (lbr_options *)more;
    lbr_invariants *list;

    memset(room, 0xee, sizeof room), lbr_system_init_sized(s, sizeof *s - MORE);
    ok(s->size == sizeof *s - MORE && room[sizeof *s - MORE] == 0xee && room[sizeof *s - MORE - 1] == 0,
       "an older system is not written beyond its size");
    memset(more, 0xee, sizeof more), lbr_options_init_sized(o, offsetof(lbr_options, monitor));
    ok(o->size == offsetof(lbr_options, monitor) && o->max_iterations == 100 &&
           more[offsetof(lbr_options, monitor)] == 0xee,
       "nor are older options");
    ok(lbr_option_set(o, "land", "yes") == LBR_EARG && more[offsetof(lbr_options, land)] == 0xee &&
           !lbr_option_set(o, "compensated", "yes"),
       "which have no options that are newer");
    create("options: older ones", "rk4", &henon, o, LBR_OK, "");
    memcpy(room, &henon, sizeof henon), s->size = offsetof(lbr_system, third);
    create("system: an older one", "stormer-verlet", s, NULL, LBR_OK, "");
    memset(room, 0, sizeof room), lbr_system_init_sized(s, sizeof room), memcpy(room, &henon, sizeof henon),
        s->size = sizeof room;
    create("system: a newer one without news", "rk4", s, NULL, LBR_OK, "");
    room[sizeof room - 1] = 1, create("system: a newer one with news", "rk4", s, NULL, LBR_EARG, "the system|newer");
    lbr_options_init_sized(o, sizeof more), create("options: newer ones without news", "rk4", &henon, o, LBR_OK, "");
    more[sizeof *o] = 1, create("options: newer ones with news", "rk4", &henon, o, LBR_EARG, "options|newer");
    memset(room, 0, sizeof room), list = (lbr_invariants *)room, list->size = sizeof *list + 8, room[sizeof *list] = 1;
    henon.invariants = list,
    create("system: a newer list with news", "rk4", &henon, NULL, LBR_EARG, "list of the system's invariants|newer");
    list->size = SIZE_MAX,
    create("system: a list of absurd size", "rk4", &henon, NULL, LBR_EARG, "size field is not set");
    henon.invariants = NULL;
    shorter();
    lbr_system_init_sized(NULL, 8), lbr_options_init_sized(NULL, 8), lbr_system_init(NULL), lbr_options_init(NULL);
}

int main(void)
{
    henon = henon_heiles().system, henon.parts = NULL;
    patterns(), other_headers();
    return tap_done();
}
