/* test_structs.c - structs of callers: patterns, counts, and the sizes of older and of newer headers; structs that the
 * library gives, as programs of older headers read them.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <libration.h>
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

/* A pattern of a manifold is looked at as that of constraints is; a tangent looks at both. */
static void manifold_patterns(void)
{
    static const int64_t far[] = { 0, 2000 }, back[] = { 0, -5 }, two[] = { 0, 2 }, zero[] = { 0, 0 }, out[] = { 4 },
                         down[] = { 1, 0 };
    static const struct {
        const char *text, *word;
        int64_t m, nnz;
        const int64_t *row, *col;
    } row[] = { { "pattern: more elements than nnz", "end at nnz = 1", 1, 1, far, zero },
                { "pattern: fewer than none", "end at nnz = -5", 1, -5, back, zero },
                { "pattern: a column twice", "not ascending", 1, 2, two, zero },
                { "pattern: columns that go down", "not ascending", 1, 2, two, down },
                { "pattern: a column that is not there", "not components", 1, 1, row_of_one, out },
                { "pattern: more equations than components", "more equations (5)", 5, 0, NULL, NULL },
                { "pattern: far too many equations", "more equations", INT64_C(1) << 61, 0, NULL, NULL } };
    lbr_system s = henon;

    for (int i = 0; i < COUNT(row); i++) {
        lbr_manifold f = { .size = sizeof f, .m = row[i].m, .g = rod_g, .G = rod_G, .nnz = row[i].nnz };

        f.row = row[i].row, f.col = row[i].col, s.manifold = &f;
        create(row[i].text, "project(standard, rk4)", &s, NULL, LBR_EARG, row[i].word);
    }
}

static void prolong(const char *text, const lbr_constraints *c, const char *word)
{
    lbr_system s = henon;
    const lbr_system *p;

    s.constraints = c;
    if (!ok(lbr_prolong(&p, &s, 1) == LBR_EARG && says(lbr_prolong_message(p), word), "tangents: %s", text))
        printf("# %s\n", lbr_prolong_message(p));
    lbr_prolong_free(p);
}

static void tangents(void)
{
    static const int64_t far[] = { 0, 2000 }, zero = 0;
    lbr_constraints c = { .size = sizeof c, .m = INT64_MAX / 2, .g = rod_g, .G = rod_G };
    size_t *alone = malloc(sizeof *alone);
    const lbr_system *p;

    prolong("more constraints than fit", &c, "more constraints");
    c.m = 1, c.nnz = 1, c.row = far, c.col = &zero, prolong("a pattern beyond its end", &c, "end at nnz = 1");
    c.nnz = -1, prolong("a pattern of fewer than none", &c, "nnz = -1");
    if (alone) *alone = sizeof *alone, prolong("constraints that are a size alone", (lbr_constraints *)alone, "lack");
    free(alone);
    ok(lbr_prolong(&p, NULL, 1) == LBR_EARG && says(lbr_prolong_message(p), "system is missing"),
       "tangents: of nothing");
    lbr_prolong_free(p);
}

static int two_sides(double t, const double *y, double *g, void *ctx)
{
    return (void)t, (void)ctx, *g = y[0] > 0 ? INFINITY : -INFINITY, 0;
}

static void sections(void)
{
    struct {
        lbr_section is;
        double more;
    } newer = { { sizeof newer, "s", two_sides, NULL, NULL, NULL }, 1 };
    double y[4] = { 0.1, 0, -0.3, 0 };
    lbr_plan *p = NULL;

    ok(!lbr_plan_create(&p, "stormer-verlet", &henon, NULL) && !lbr_start(p, 0, 0.1, y), "sections");
    ok(lbr_run_until(p, &newer.is, 10, NULL, NULL) == LBR_EARG && says(lbr_plan_message(p), "the section|newer"),
       "one with news is refused");
    newer.is.size = SIZE_MAX;
    ok(lbr_run_until(p, &newer.is, 10, NULL, NULL) == LBR_EARG && says(lbr_plan_message(p), "size"), "nor of any size");
    newer.is.size = sizeof newer.is;
    ok(lbr_run_until(p, &newer.is, 10, NULL, NULL) == LBR_OK, "a jump between infinities is no crossing");
    lbr_plan_free(p);
}

/* --- counts that are too large, lists that are too short, bodies in one place ------------------------------------ */

static void lists(void)
{
    size_t *alone = malloc(sizeof *alone);
    lbr_system s = henon;
    int64_t most[] = { 4, 4, 4, 4, 4, 4, 4, 4 };
    lbr_block block[40];
    lbr_invariant item = { .size = sizeof item, .name = "I", .len = INT64_C(1) << 62, .value = rod_g };
    char text[80];

    if (!alone) return;
    *alone = sizeof *alone;
    s.invariants = (lbr_invariants *)alone,
    create("system: a list of invariants without members", "rk4", &s, NULL, LBR_EARG, "invariants|proper size");
    s.invariants = NULL, s.observed = (lbr_invariants *)alone,
    create("system: a list of what is observed without members", "rk4", &s, NULL, LBR_EARG, "observed|proper size");
    s.observed = NULL, s.parts = (lbr_parts *)alone,
    create("system: a list of parts without members", "rk4", &s, NULL, LBR_EARG, "parts|proper size");
    s.parts = NULL, s.invariants = &(lbr_invariants){ sizeof(lbr_invariants), 1, &item };
    create("system: an invariant of absurd length", "rk4", &s, NULL, LBR_EARG, "invariant 1|length");
    s.invariants = NULL, s.dim = 1000000000, s.nq = 0, s.force = NULL, s.inverse_mass = NULL, s.field = rod_g;
    for (int i = 0; i < 8; i++) most[i] = s.dim;
    for (int i = 0; i < COUNT(block); i++) block[i] = (lbr_block){ .size = sizeof *block, .rank = 8, .shape = most };
    s.blocks = block, s.nblocks = COUNT(block);
    create("system: blocks whose lengths are no number", "rk4", &s, NULL, LBR_EARG, "or more|dim is 1000000000");
    ok(!strcmp(lbr_system_component(&henon, INT64_MAX, text, sizeof text), "y[9223372036854775807]"),
       "the name of the last component of all");
    free(alone);
}

static void bodies(void)
{
    static const double inertia[] = { 1, 2, 3, 1, 2, 3 };
    static const int64_t same[] = { 0, 0 }, apart[] = { 0, 4 }, turned[] = { 8, 11 }, half[] = { 8, 10 },
                         in[] = { 3, 11 };
    static const struct {
        const char *text;
        const int64_t *attitude, *momentum;
        lbr_status status;
    } row[] = { { "bodies: each where it may be", apart, turned, LBR_OK },
                { "bodies: one attitude for two", same, turned, LBR_EARG },
                { "bodies: momenta that overlap", apart, half, LBR_EARG },
                { "bodies: a momentum in an attitude", apart, in, LBR_EARG } };
    lbr_bodies b = { .size = sizeof b, .n = 2, .inertia = inertia };
    lbr_system s = { .size = sizeof s, .dim = 14, .bodies = &b };

    for (int i = 0; i < COUNT(row); i++) {
        b.attitude = row[i].attitude, b.momentum = row[i].momentum;
        create(row[i].text, "rattle", &s, NULL, row[i].status, "those of another");
    }
    b.n = INT64_C(1) << 61, create("bodies: more than there are numbers", "rattle", &s, NULL, LBR_EARG, "do not fit");
    b.n = 2, b.nq = INT64_MAX / 2 + 1, b.inverse_mass = inertia, b.forces = rod_g;
    create("bodies: positions that are more than there are", "rattle", &s, NULL, LBR_EARG, "do not fit");
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

/* --- what the library gives, read by a program of an older header ------------------------------------------------ */

/* Each without its last members: the second of an array would be read at the wrong place if it were not a pointer. */
typedef struct older_check {
    const char *name, *property;
} older_check;
typedef struct older_certificate {
    int64_t n;
    const older_check *const *check;
} older_certificate;

typedef struct older_finding {
    size_t size;
    const char *what;
} older_finding;
typedef struct older_report {
    size_t size;
    int64_t n;
    const older_finding *const *finding;
} older_report;

typedef struct older_parameter {
    const char *name;
} older_parameter;
typedef struct older_section {
    size_t size;
    const char *name;
} older_section;

typedef struct older_option {
    const char *name;
} older_option;

static void older_lines(void)
{
    const lbr_certificate *c;
    const lbr_system_report *r;
    const older_certificate *mine;
    const older_report *findings;
    double y[4] = { 0.1, 0.2, 0.3, 0.4 };
    int n = 0;

    if (lbr_certify(&c, "rk4", NULL) || c->n < 3) return (void)ok(0, "given: a certificate with lines");
    mine = (const older_certificate *)c;
    ok(!strcmp(mine->check[0]->property, "order"), "given: the first line of a certificate");
    ok(!strcmp(mine->check[c->n - 1]->property, "digits"), "and its last one");
    lbr_certificate_free(c);
    if (lbr_system_check(&henon, y, &r) || r->n < 2) return (void)ok(0, "given: a report with findings");
    findings = (const older_report *)r;
    for (int64_t i = 0; i < r->n; i++) n += !strncmp(r->finding[i]->text, findings->finding[i]->what, 1);
    ok(n == r->n, "given: all findings begin with what they are of");
    ok(findings->finding[1]->size == sizeof(lbr_system_finding), "and say their size");
    lbr_system_report_free(r);
}

static void older_model(void)
{
    static const char text[] = "param a = 1, b = 2\ncanonical q, p\nH = p^2/2 + a*b*q^2/2\nstart q = 1\n"
                               "section up: q = 0, p > 0\nsection down: q = 0, p < 0\n";
    const lbr_problem_info *info;
    lbr_problem *p;

    if (!ok(!lbr_problem_text(&p, "two", text, NULL) && !lbr_problem_describe(p, &info), "given: a model"))
        printf("# %s\n", lbr_problem_message(p));
    else {
        ok(!strcmp(((const older_parameter *)info->parameter[1])->name, "b"), "its second parameter");
        ok(!strcmp(((const older_section *)info->section[1])->name, "down"), "and its second section");
    }
    lbr_problem_free(p);
}

static void older_options(void)
{
    const lbr_option *first = lbr_option_next(NULL), *last = NULL;
    int n = 0;

    for (const lbr_option *o = first; o; last = o, o = lbr_option_next(o)) n += *((const older_option *)o)->name != 0;
    ok(n > 5, "given: all options have names");
    ok(!strcmp(((const older_option *)first)->name, "compensated"), "the first one");
    ok(!strcmp(((const older_option *)last)->name, "compile"), "and the last");
}

int main(void)
{
    henon = henon_heiles().system, henon.parts = NULL;
    patterns(), manifold_patterns(), tangents(), sections(), lists(), bodies(), other_headers();
    older_lines(), older_model(), older_options();
    return tap_done();
}
