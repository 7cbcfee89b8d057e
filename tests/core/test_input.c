/* test_input.c - bad input: each gets its status and a sentence with the name of what is wrong.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/bits.h"
#include "stepper/stepper.h"

#include <stdlib.h>

static problem henon, body, own, lotka, crossed;

static void create(const char *text, const char *method, const lbr_system *s, const lbr_options *o, lbr_status want,
                   const char *word)
{
    lbr_plan *plan = NULL;
    lbr_status status = lbr_plan_create(&plan, method, s, o);
    const char *message = lbr_plan_message(plan);

    if (!ok(status == want && (want == LBR_OK || (plan && says(message, word) && !lbr_plan_state(plan) &&
                                                  lbr_start(plan, 0, 1, henon.y) == LBR_EARG)),
            "%.70s", text))
        printf("# status %d, want %d with '%s': %s\n", status, want, word, message);
    lbr_plan_free(plan);
}

/* --- method expressions ------------------------------------------------------------------------------------------ */

static void expressions(void)
{
    static const struct {
        const char *text, *word;
    } row[] = {
        { "stormer-verlt", "'stormer-verlet'" },
        { "midpont", "'midpoint'" },
        { "kahan-li-8-71", "'kahan-li-8-17'" },
        { "gaus:3", "'gauss'" },
        { "explicit_euler", "'explicit-euler'" },
        { "adjoint(simplectic-euler)", "'symplectic-euler'" },
        { "compos(kahan-li-8-17, midpoint)", "'compose'" },
        { "leapfrg", "did you mean" },
        { "qwertyuiop", "'qwertyuiop'" },
        { "nosuch(rk4)", "'nosuch'" },
        { "rattles", "'rattles'" },
        { "st\303\266rmer-verlet", "st\303\266rmer" },
        { "%s%n%d", "%s%n%d" },
        { "\001", "\001" },
        { "gauss", "gauss:1" },
        { "gauss:0", "gauss:16" },
        { "gauss:17", "gauss:16" },
        { "gauss:-1", "':'" },
        { "gauss:", "':'" },
        { "gauss:x", "':'" },
        { "gauss:1234567", "six digits" },
        { "gauss :2", "the end" },
        { "suzuki:5", "even" },
        { "suzuki:2", "suzuki:4" },
        { "triple-jump:26", "triple-jump:24" },
        { "suzuki:20", "10^6 steps" },
        { "suzuki:13", "even" },
        { "triple-jump", "triple-jump:4" },
        { "rk4:2", "'rk4'" },
        { NULL, "no method" },
        { "", "method name" },
        { "   ", "method name" },
        { "(rk4)", "method name" },
        { ")", "method name" },
        { "3", "method name" },
        { "rk4 rk4", "the end" },
        { "rk4;", "the end" },
        { "adjoint(rk4))", "the end" },
        { "rk4=3", "the end" },
        { "compose(", "" },
        { "compose(kahan-li-8-17", "')'" },
        { "compose(kahan-li-8-17,", "" },
        { "compose()", "compose" },
        { "compose(kahan-li-8-17)", "compose(TABLE, METHOD)" },
        { "compose(kahan-li-8-17, rk4, rk4)", "compose(TABLE, METHOD)" },
        { "compose", "compose(TABLE" },
        { "compose(3, rk4)", "compose(TABLE" },
        { "compose(kahan-li-8-17, 3)", "3" },
        { "adjoint(2.5)", "2.5" },
        { "compose(rk4, rk4)", "'rk4'" },
        { "compose(midpoint, kahan-li-8-17)", "'midpoint'" },
        { "compose(compose(strang, rk4), rk4)", "compose(TABLE" },
        { "compose(gauss:3, rk4)", "'gauss'" },
        { "compose(stormer-verlet, rk4)", "'stormer-verlet'" },
        { "compose(mine, rk4)", "compose(TABLE" },
        { "compose(table = kahan-li-8-17, rk4)", "compose(TABLE" },
        { "adjoint(rk4, rk4)", "adjoint(METHOD)" },
        { "adjoint()", "" },
        { "adjoint", "adjoint(METHOD)" },
        { "adjoint(x = rk4)", "adjoint(METHOD)" },
        { "rk4(midpoint)", "'rk4'" },
        { "mine(2)", "'mine'" },
        { "mine:2", "'mine'" },
        { "effective-6-9-processor", "process(effective-6-9, effective-6-9-processor)" },
        { "compose(effective-6-9-processor, rk4)", "'effective-6-9-processor'" },
        { "process(rk4, gauss:2)", "'gauss'" },
        { "process(effective-6-9-processor, strang)", "processor" },
        { "process(rk4)", "process(KERNEL" },
        { "process(rk4, 2)", "process(KERNEL" },
        { "split(kahan-li-8-17, A, B)", "'kahan-li-8-17'" },
        { "split(strang, 3)", "split(TABLE" },
        { "split(strang, A(B))", "split(TABLE" },
        { "split(strang, A:2)", "split(TABLE" },
        { "split(strang, x = A)", "'A'" },
        { "split(rk4)", "'rk4'" },
        { "compose(suzuki:10, compose(suzuki:10, suzuki:10))", "limit" },
        { "adjoint(compose(suzuki:10, compose(suzuki:10, compose(suzuki:10, compose(suzuki:10, rk4)))))", "limit" },
        { "compose(kahan-li-8-17, compose(kahan-li-8-17, compose(kahan-li-8-17, compose(kahan-li-8-17, "
          "compose(kahan-li-8-17, midpoint)))))",
          "1419857 steps" },
        { "pair(gauss:2, gauss:3)", "'gauss:2' has 2 and 'gauss:3' 3" },
        { "rk4 out of memory", "the end" },
    };
    char text[128];

    for (int i = 0; i < COUNT(row); i++) {
        snprintf(text, sizeof text, "method '%.90s' is not understood", row[i].text ? row[i].text : "NULL");
        create(text, row[i].text, &own.system, NULL, LBR_EMETHOD, row[i].word);
    }
}

/* n times a piece, then an end, n times another piece. */
static void repeated(int n, const char *a, const char *middle, const char *b, const char *word)
{
    static char text[20000];
    char *at = text;

    for (int i = 0; i < n; i++) at += sprintf(at, "%s", a);
    at += sprintf(at, "%s", middle);
    for (int i = 0; i < n; i++) at += sprintf(at, "%s", b);
    create(text, text, &own.system, NULL, LBR_EMETHOD, word);
}

static void long_expressions(void)
{
    repeated(5000, "x", "", "", "characters");
    repeated(4000, "x", "", "", "there is no method");
    repeated(100, "adjoint(", "rk4", ")", "40 brackets");
    repeated(100, "adjoint(", "", "", "40 brackets");
    repeated(100, "(", "rk4", ")", "method name");
    repeated(1, "split(strang",
             ",A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,"
             "A,A,A,A,A,A,A,A,A,A,A,A,A",
             ")", "64 arguments");
    repeated(39, "process(", "rk4", ",strang)", "");
    repeated(20, "compose(yoshida-6-7,", "rk4", ")", "limit");
}

/* --- what a system lacks ----------------------------------------------------------------------------------------- */

static const int64_t three = 3;
static const lbr_constraints rod = { .size = sizeof rod, .m = 1, .g = hh_energy, .G = hh_force };

static void unfit(void)
{
    lbr_system parts_only = LBR_SYSTEM(.name = "parts-only", .dim = 3, .parts = &body_parts), half = henon.system,
               bare = henon.system, curled = crossed.system;
    lbr_system tied = henon.system;
    lbr_options user = options_of("newton"), sum = options_of("compensated");
    const struct {
        const char *method;
        const lbr_system *s;
        const lbr_options *o;
        const char *words;
    } row[] = {
        { "stormer-verlet", &lotka.system, NULL, "'stormer-verlet'|positions and momenta|'lotka-volterra'|midpoint" },
        { "kahan-li-8-17", &body.system, NULL, "'kahan-li-8-17'|partition|compose(TABLE, midpoint)" },
        { "adjoint(symplectic-euler)", &parts_only, NULL, "positions and momenta|'parts-only'" },
        { "stormer-verlet", &half, NULL, "inverse_mass|force|'henon-heiles'" },
        { "rk4", &half, NULL, "'rk4'|vector field|'henon-heiles'" },
        { "rk4", &parts_only, NULL, "vector field|'parts-only'" },
        { "gauss:3", &curled, NULL, "'gauss:3'|field|dHdp|'mixed'" },
        { "stormer-verlet", &curled, NULL, "dHdp|'mixed'" },
        { "compose(strang, midpoint)", &bare, NULL, "'compose(strang, midpoint)'|field|force" },
        { "strang", &henon.system, NULL, "'strang'|parts|'henon-heiles'|stormer-verlet" },
        { "lie-trotter", &lotka.system, NULL, "parts|'lotka-volterra'" },
        { "split(strang, A, Z)", &body.system, NULL, "'rigid-body'|'Z'|'A'" },
        { "split(strang, A, B)", &body.system, &sum, "increment|'A'" },
        { "bare", &own.system, &sum, "increment|'bare'" },
        { "adjoint(bare)", &own.system, &sum, "increment|'bare'" },
        { "gauss:2", &henon.system, &user, "field_jvp" },
        { "stormer-verlet", &tied, NULL, "constraints" },
    };
    char text[128];

    half.inverse_mass = NULL, bare.force = NULL, curled.dHdp = NULL, tied.constraints = &rod;
    user.jacobian = 1;
    for (int i = 0; i < COUNT(row); i++) {
        snprintf(text, sizeof text, "%s does not fit %s", row[i].method, row[i].s->name);
        create(text, row[i].method, row[i].s, row[i].o, LBR_EUNFIT, row[i].words);
    }
}

/* --- systems that are wrong in themselves ------------------------------------------------------------------------ */

#define SYSTEM(text, word, change)                                \
    do {                                                          \
        lbr_system s = henon.system;                              \
        change;                                                   \
        create("system: " text, "rk4", &s, NULL, LBR_EARG, word); \
    } while (0)
#define BLOCK(text, word, ...) \
    SYSTEM("a block " text, word, (s.blocks = (lbr_block[]){ { __VA_ARGS__ } }, s.nblocks = 1))
#define PARTS(text, word, ...) SYSTEM("parts " text, word, s.parts = &((lbr_parts){ sizeof(lbr_parts), __VA_ARGS__ }))
#define PART(text, word, ...) \
    PARTS("with one that " text, word, 1, (lbr_part[]){ { __VA_ARGS__, NULL, NULL, NULL, NULL } }, 0)
#define MAP(text, word, ...) SYSTEM("a map " text, word, (s.maps = (lbr_map_def[]){ { __VA_ARGS__ } }, s.nmaps = 1))

static void systems(void)
{
    static const double masses[][2] = { { NAN, 1 }, { 1, INFINITY } };
    static const lbr_map_def clash[] = { { sizeof(lbr_map_def), "rk4", own_euler_map, NULL, NULL, 1, 0, 0 },
                                         { sizeof(lbr_map_def), "compose", own_euler_map, NULL, NULL, 1, 0, 0 } };
    static const int64_t none = 0, huge[8] = { 4, 4, 4, 4, 4, 4, 4, INT64_MAX };
    lbr_system clashing = own.system;

    clashing.maps = clash, clashing.nmaps = 2;
    create("system: a map with the name of a method", "rk4", &clashing, NULL, LBR_EMETHOD, "'rk4'");
    create("system: a map with the name of an operator", "adjoint(compose)", &clashing, NULL, LBR_EMETHOD, "'compose'");
    create("system: none", "rk4", NULL, NULL, LBR_EARG, "LBR_SYSTEM");
    SYSTEM("no size", "size", s.size = 0);
    SYSTEM("an absurd size", "size", s.size = SIZE_MAX);
    SYSTEM("dimension 0", "dimension is 0", s.dim = s.nq = 0);
    SYSTEM("dimension -4", "-4", s.dim = -4);
    SYSTEM("dimension 10^9 + 1", "1000000001", s.dim = 1000000001);
    SYSTEM("dimension 2^63 - 1", "9223372036854775807", s.dim = INT64_MAX);
    SYSTEM("the least dimension", "-9223372036854775808", s.dim = INT64_MIN);
    SYSTEM("nq > dim", "5 positions", s.nq = 5);
    SYSTEM("nq < 0", "-1 positions", s.nq = -1);
    SYSTEM("an absurd nq", "9223372036854775807", s.nq = INT64_MAX);
    SYSTEM("an odd dimension with positions", "and it is 5", s.dim = 5);
    SYSTEM("dim is not 2 nq", "1 positions", s.nq = 1);
    SYSTEM("an inverse mass that is NaN", "inverse_mass[0]", s.inverse_mass = masses[0]);
    SYSTEM("an inverse mass that is infinite", "inverse_mass[1]", s.inverse_mass = masses[1]);
    BLOCK("of another length", "3 components", sizeof(lbr_block), "y", LBR_VECTOR, 1, &three);
    BLOCK("without a size", "block 1", 0, "y", LBR_VECTOR, 1, &three);
    BLOCK("of rank 9", "block 1", sizeof(lbr_block), "y", LBR_VECTOR, 9, huge);
    BLOCK("of rank -1", "block 1", sizeof(lbr_block), "y", LBR_VECTOR, -1, NULL);
    BLOCK("without a shape", "block 1", sizeof(lbr_block), "y", LBR_VECTOR, 1, NULL);
    BLOCK("with an extent of 0", "extent of 0", sizeof(lbr_block), "y", LBR_VECTOR, 1, &none);
    BLOCK("that overflows", "9223372036854775807", sizeof(lbr_block), "y", LBR_VECTOR, 8, huge);
    PARTS("without a count", "parts", 0, body_part, 0);
    PARTS("without a list", "parts", 3, NULL, 0);
    PARTS("with a clock out of range", "clock", 3, body_part, 3);
    PARTS("with a negative clock", "clock", 3, body_part, -1);
    PART("has no name", "no name", sizeof(lbr_part), NULL, body_flow1, NULL);
    PART("has no size", "size", 0, "A", body_flow1, NULL);
    MAP("without a name", "map 1", sizeof(lbr_map_def), NULL, own_euler_map, NULL, NULL, 1, 0, 0);
    MAP("without a function", "map 1", sizeof(lbr_map_def), "m", NULL, NULL, NULL, 1, 0, 0);
    MAP("without a size", "size", 0, "m", own_euler_map, NULL, NULL, 1, 0, 0);
    SYSTEM("maps without a list", "maps of the system", s.nmaps = 1);
    SYSTEM("invariants without a list", "invariant 1",
           s.invariants = &((lbr_invariants){ sizeof(lbr_invariants), 1, NULL }));
    SYSTEM("an invariant without a function", "invariant 1",
           s.invariants = &(
               (lbr_invariants){ sizeof(lbr_invariants), 1,
                                 (lbr_invariant[]){ { .size = sizeof(lbr_invariant), .name = "I", .len = 1 } } }));
    SYSTEM("-1 invariants", "invariants is -1", s.invariants = &((lbr_invariants){ sizeof(lbr_invariants), -1, NULL }));
    SYSTEM("-1 quantities", "observed is -1", s.observed = &((lbr_invariants){ sizeof(lbr_invariants), -1, NULL }));
    SYSTEM("an observed quantity without a function", "observed quantity 1",
           s.observed = &(
               (lbr_invariants){ sizeof(lbr_invariants), 1,
                                 (lbr_invariant[]){ { .size = sizeof(lbr_invariant), .name = "I", .len = 1 } } }));
    SYSTEM("blocks that are not there", "2 blocks", s.nblocks = 2);
    SYSTEM("-1 blocks", "-1 blocks", s.nblocks = -1);
    SYSTEM("an invariant without a length", "invariant 1",
           s.invariants = &((lbr_invariants){
               sizeof(lbr_invariants), 1,
               (lbr_invariant[]){ { .size = sizeof(lbr_invariant), .name = "I", .value = hh_energy } } }));
}

/* --- tables of the user ------------------------------------------------------------------------------------------ */

#define TEXTS(...)                                                                      \
    {                                                                                   \
        COUNT(((const char *[]){ __VA_ARGS__ })), (const char *const[]) { __VA_ARGS__ } \
    }
#define TABLE(text, word, method, ...)                                                         \
    do {                                                                                       \
        lbr_method m = { .size = sizeof m, __VA_ARGS__ };                                      \
        lbr_options o = options_of("");                                                        \
        if (!m.name) m.name = "table";                                                         \
        o.methods = &m, o.nmethods = 1;                                                        \
        create("table: " text, method, &own.system, &o, *(word) ? LBR_EMETHOD : LBR_OK, word); \
    } while (0)

static void tables(void)
{
    static const char *const bad[] = { "abc", "",      " ",    "1/0", "1/",  "/2",  "nan",
                                       "inf", "1e999", "0x10", "1 2", "--1", "1,5", NULL };

    TABLE("a good tableau", "", "table", .A = TEXTS("0", "0", "1/2", "0"), .b = TEXTS("0", "1"),
          .c = TEXTS("0", "1/2"));
    TABLE("a good composition", "", "table", .form = "composition", .b = TEXTS("1/2", "0.5"));
    TABLE("a row sum that is wrong", "row 2 of A sums to 0.5", "table", .A = TEXTS("0", "0", "1/2", "0"),
          .b = TEXTS("0", "1"), .c = TEXTS("0", "0.50000001"));
    TABLE("A of another size", "A needs 4", "table", .A = TEXTS("0", "0", "1/2"), .b = TEXTS("0", "1"));
    TABLE("no A", "A has 0 entries", "table", .b = TEXTS("0", "1"));
    TABLE("c of another size", "3 nodes", "table", .A = TEXTS("0", "0", "1/2", "0"), .b = TEXTS("0", "1"),
          .c = TEXTS("0", "1", "1"));
    TABLE("no coefficients", "0 coefficients", "table", .form = "composition");
    TABLE("a negative count", "-1 coefficients", "table", .form = "composition",
          .b = { -1, (const char *const[]){ "1" } });
    TABLE("too many stages", "at most", "table", .b = { 300, (const char *const[300]){ "1" } });
    TABLE("no text", "coefficients", "table", .form = "composition", .b = { 3, NULL });
    TABLE("all steps zero", "not consistent", "table", .form = "composition", .b = TEXTS("0", "0"));
    TABLE("steps that undo each other", "not consistent", "table", .form = "composition", .b = TEXTS("1", "-1"));
    TABLE("a used family", "'table'", "table:4", .form = "composition", .b = TEXTS("1"));
    TABLE("a tableau where steps are wanted", "'table'", "compose(table, rk4)", .A = TEXTS("0"), .b = TEXTS("1"));
    TABLE("a misspelt name", "'tabel'", "tabel", .form = "composition", .b = TEXTS("1"));
    TABLE("the name of a method", "'rk4'", "rk4", .form = "composition", .b = TEXTS("1"), .name = "rk4");
    TABLE("the name of an alias", "'verlet'", "verlet", .form = "composition", .b = TEXTS("1"), .name = "verlet");
    for (int i = 0; i < COUNT(bad); i++)
        TABLE("an entry that is no number", "entry 2 of b", "table", .form = "composition", .b = TEXTS("1", bad[i]));
}

static lbr_status table_status(const char *method, lbr_method m)
{
    lbr_options o = options_of("");

    m.size = sizeof m, m.name = "table";
    o.methods = &m, o.nmethods = 1;
    return status_of(method, &own.system, &o);
}
static int no_text(void)
{
    static const char *const one[] = { "1" };

    return table_status("table", (lbr_method){ .A = { 1, NULL }, .b = { 1, one } }) == LBR_EMETHOD &&
           table_status("table", (lbr_method){ .A = { 1, one }, .b = { 1, one }, .c = { 1, NULL } }) == LBR_EMETHOD;
}
static int no_form(void)
{
    return table_status("compose(table, rk4)", (lbr_method){ .form = "no-such-form",
                                                             .b = { 1, (const char *const[]){ "1" } } }) == LBR_EMETHOD;
}

/* --- options ----------------------------------------------------------------------------------------------------- */

#define OPTION(text, word, ...)                                             \
    do {                                                                    \
        lbr_options x = options_of("");                                     \
        __VA_ARGS__;                                                        \
        create("options: " text, "rk4", &henon.system, &x, LBR_EARG, word); \
    } while (0)

static void options(void)
{
    static const struct {
        const char *name, *value;
        lbr_status status;
    } row[] = {
        { "solver", "newton", LBR_OK },
        { "max-iterations", "7", LBR_OK },
        { "max_iterations", "1000000", LBR_OK },
        { "compensated", "yes", LBR_OK },
        { "compensated", "0", LBR_OK },
        { "isa", "baseline", LBR_OK },
        { "solver", "newtn", LBR_EARG },
        { "solver", "", LBR_EARG },
        { "solver", "0", LBR_EARG },
        { "solvr", "auto", LBR_EARG },
        { "", "auto", LBR_EARG },
        { "max_iterations", "0", LBR_EARG },
        { "max_iterations", "-3", LBR_EARG },
        { "max_iterations", "1000001", LBR_EARG },
        { "max_iterations", "99999999999999999999", LBR_EARG },
        { "max_iterations", "ten", LBR_EARG },
        { "max_iterations", "10x", LBR_EARG },
        { "max_iterations", "", LBR_EARG },
        { "compensated", "maybe", LBR_EARG },
        { "compensated", "2", LBR_EARG },
        { "methods", "1", LBR_EARG },
        { "size", "1", LBR_EARG },
        { NULL, "1", LBR_EARG },
        { "solver", NULL, LBR_EARG },
    };
    lbr_options o, before;

    for (int i = 0; i < COUNT(row); i++) {
        lbr_options_init(&o), before = o;
        ok(lbr_option_set(&o, row[i].name, row[i].value) == row[i].status &&
               (row[i].status == LBR_OK || !memcmp(&o, &before, sizeof o)),
           "option %s = %s", row[i].name ? row[i].name : "NULL", row[i].value ? row[i].value : "NULL");
    }
    ok(lbr_option_set(NULL, "solver", "auto") == LBR_EARG, "no options to set");
    OPTION("no size", "size", x.size = 0);
    OPTION("an absurd size", "size", x.size = SIZE_MAX);
    OPTION("solver is -1", "solver is -1", x.solver = -1);
    OPTION("jacobian is 3", "jacobian is 3", x.jacobian = 3);
    OPTION("isa is 4", "isa is 4", x.isa = 4);
    OPTION("no iterations", "max_iterations is 0", x.max_iterations = 0);
    OPTION("too many iterations", "max_iterations is 1000001", x.max_iterations = 1000001);
    OPTION("compensated 2", "compensated", x.compensated = 2);
    OPTION("a negative number of tables", "methods", x.nmethods = -1);
    OPTION("tables that are not there", "methods", x.nmethods = 1);
    OPTION("tables without a size", "size", (x.nmethods = 1, x.methods = &(lbr_method){ .name = "x" }));
}

/* An older, shorter struct: what lies behind it is not looked at. */
static int short_options(void)
{
    lbr_options o = options_of("");

    o.size = offsetof(lbr_options, methods), o.methods = (const lbr_method *)16, o.nmethods = 3;
    return status_of("rk4", &henon.system, &o) == LBR_OK;
}

/* --- trajectories ------------------------------------------------------------------------------------------------ */

enum { N = 12 };
static double want[PROBLEM_DIM]; /* Henon-Heiles after N steps of the plan below */

static lbr_plan *under_way(const char *method, const problem *p, const char *words)
{
    lbr_options o = options_of(words);
    lbr_plan *plan;

    if (lbr_plan_create(&plan, method, &p->system, &o) || lbr_start(plan, p->t0, p->h, p->y) ||
        lbr_run(plan, N / 2, 0, NULL, NULL))
        printf("# %s: %s\n", method, lbr_plan_message(plan));
    return plan;
}

/* Nothing has happened to the trajectory: the rest of it leads where it should. */
static int goes_on(lbr_state *s, const double *y_end)
{
    double y[PROBLEM_DIM], t;
    size_t size;
    void *copy;
    int good;

    if (lbr_state_count(s) != N / 2) return 0;
    lbr_state_bytes(s, &size);
    copy = memcpy(malloc(size), lbr_state_bytes(s, &size), size);
    good = !lbr_state_run(s, N / 2, 0, NULL, NULL) && !lbr_state_read(s, &t, y) && same(y, y_end, henon.system.dim) &&
           !lbr_state_restore(s, copy, size);
    free(copy);
    return good;
}

static void refused(lbr_state *s, lbr_status got, lbr_status status, const char *word, const char *text)
{
    int good = got == status && says(lbr_state_message(s), word);

    if (!good) printf("# status %d, want %d with '%s': %s\n", got, status, word, lbr_state_message(s));
    ok(good && goes_on(s, want), "%s is refused, and the trajectory goes on", text);
}

static void trajectories(void)
{
    static const int64_t most = INT64_C(1) << 53;
    lbr_plan *plan = under_way("kahan-li-6-9", &henon, "");
    lbr_state *s = lbr_plan_state(plan), *fresh;
    double y[PROBLEM_DIM] = { 0 }, bad[PROBLEM_DIM] = { 0, 1, 2, NAN }, t = 7;
    size_t size;

    lbr_run(plan, N / 2, 0, NULL, NULL), lbr_read(plan, NULL, want), lbr_plan_free(plan);
    plan = under_way("kahan-li-6-9", &henon, ""), s = lbr_plan_state(plan);
#define REFUSED(call, status, word) refused(s, call, status, word, #call)
    REFUSED(lbr_state_start(s, 0, -0.0, henon.y), LBR_EARG, "step is");
    REFUSED(lbr_state_start(s, 0, NAN, henon.y), LBR_EARG, "step is nan");
    REFUSED(lbr_state_start(s, 0, INFINITY, henon.y), LBR_EARG, "step is inf");
    REFUSED(lbr_state_start(s, NAN, 0.1, henon.y), LBR_EARG, "time at the start is nan");
    REFUSED(lbr_state_start(s, -INFINITY, 0.1, henon.y), LBR_EARG, "time at the start is -inf");
    REFUSED(lbr_state_start(s, 0, 0.1, NULL), LBR_EARG, "no values");
    REFUSED(lbr_state_start(s, 0, 0.1, bad), LBR_ENONFINITE, "component p[2] of the start is nan");
    bad[0] = -INFINITY;
    REFUSED(lbr_state_start(s, 0, 0.1, bad), LBR_ENONFINITE, "component q[1] of the start is -inf");
    REFUSED(lbr_state_map(s, 0, 0, y), LBR_EARG, "step is 0");
    REFUSED(lbr_state_map(s, INFINITY, 0.1, y), LBR_EARG, "time");
    REFUSED(lbr_state_map(s, 0, 0.1, NULL), LBR_EARG, "no values");
    REFUSED(lbr_state_map(s, 0, 0.1, bad), LBR_ENONFINITE, "q[1]");
    REFUSED(lbr_state_run(s, -1, 0, NULL, NULL), LBR_EARG, "-1 steps");
    REFUSED(lbr_state_run(s, most, 0, NULL, NULL), LBR_EARG, "2^53");
    REFUSED(lbr_state_run(s, INT64_MAX, 0, NULL, NULL), LBR_EARG, "2^53");
    REFUSED(lbr_state_run(s, INT64_MIN, 0, NULL, NULL), LBR_EARG, "steps");
    REFUSED(lbr_state_run(s, 3, -1, NULL, NULL), LBR_EARG, "every -1");
    ok(lbr_state_run(s, 0, INT64_MAX, NULL, NULL) == LBR_OK && !lbr_state_read(s, NULL, NULL) && goes_on(s, want),
       "no steps, a rare look, and nothing to read into are no errors");
    lbr_state_create(&fresh, plan);
    ok(lbr_state_run(fresh, 1, 0, NULL, NULL) == LBR_ENOTSTARTED && says(lbr_state_message(fresh), "not been started"),
       "running before the start");
    ok(lbr_state_read(fresh, &t, y) == LBR_ENOTSTARTED && t == 7 && says(lbr_state_message(fresh), "not been started"),
       "reading before the start");
    ok(!lbr_state_bytes(fresh, &size) && says(lbr_state_message(fresh), "not been started"), "saving before the start");
    lbr_state_free(fresh);
    lbr_plan_free(plan);
}

/* --- checkpoints ------------------------------------------------------------------------------------------------- */

static void *saved(lbr_plan *plan, size_t *size)
{
    const void *bytes = lbr_state_bytes(lbr_plan_state(plan), size);
    return memcpy(malloc(*size + 64), bytes, *size);
}

/* Refused in words. The trajectory is looked at by the caller. */
static int not_taken(lbr_state *s, const void *bytes, size_t size, const char *word)
{
    return lbr_state_restore(s, bytes, size) == LBR_ECHECKPOINT && says(lbr_state_message(s), word);
}

static void damaged(void)
{
    lbr_plan *plan = under_way("kahan-li-6-9", &henon, "");
    lbr_state *s = lbr_plan_state(plan);
    size_t size;
    char *bytes = saved(plan, &size), *copy = saved(plan, &size);
    int good = 1;

    for (size_t i = 0; i < 8 * size; i++)
        bytes[i / 8] ^= (char)(1 << i % 8), good &= not_taken(s, bytes, size, "checkpoint"), bytes[i / 8] = copy[i / 8];
    ok(good && goes_on(s, want), "each of %d bits flipped", (int)(8 * size));
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)~bytes[i], good &= not_taken(s, bytes, size, "checkpoint"), bytes[i] = copy[i];
    ok(good && goes_on(s, want), "each of %d bytes flipped", (int)size);
    for (size_t n = 0; n < size; n++) {
        void *part = memcpy(malloc(n + !n), bytes, n);
        good &= not_taken(s, part, n, "checkpoint");
        free(part);
    }
    ok(good && goes_on(s, want), "cut short anywhere");
    for (size_t n = 1; n <= 64; n++) good &= not_taken(s, bytes, size + n, "too long");
    ok(good && not_taken(s, bytes, SIZE_MAX, "too long") && goes_on(s, want), "with something behind it");
    srand(1);
    for (int k = 0; k < 2000; k++) {
        for (size_t i = k % 2 ? 8 : 0; i < size; i++) copy[i] = (char)rand();
        good &= not_taken(s, copy, size, "checkpoint");
    }
    ok(good && not_taken(s, NULL, size, "no bytes") && goes_on(s, want), "garbage, and nothing at all");
    ok(!lbr_state_restore(s, memmove(bytes + 1, bytes, size), size) && goes_on(s, want),
       "a good one at an odd address is taken");
    free(bytes), free(copy);
    lbr_plan_free(plan);
}

/* Nonsense inside, with a checksum that is right: a field of the header, or (beyond it) a value. */
#define I(field, x, words)                                            \
    {                                                                 \
        #field " = " #x, offsetof(lbr_head, field), { .i = x }, words \
    }
#define D(field, x, words)                                            \
    {                                                                 \
        #field " = " #x, offsetof(lbr_head, field), { .d = x }, words \
    }
#define V(k, x, words)                                                                   \
    {                                                                                    \
        "value " #k " = " #x, sizeof(lbr_head) + (k) * sizeof(double), { .d = x }, words \
    }

static void forged(void)
{
    static const struct {
        const char *text;
        size_t at;
        union {
            int64_t i;
            double d;
        } value;
        const char *words;
    } row[] = {
        V(0, NAN, "finite"),
        V(3, -INFINITY, "finite"),
        V(5, INFINITY, "finite"),
        D(t0, NAN, "finite"),
        D(h, 0, "step"),
        D(h, -INFINITY, "step"),
        D(h, 1e308, "time"),
        D(matrix_t, NAN, "finite"),
        I(n, -1, "count"),
        I(n, INT64_MIN, "count"),
        I(n, (INT64_C(1) << 53) + 1, "count"),
        I(n, 0, "flags"),
        I(primed, 7, "flags"),
        I(primed, 0, "flags"),
        I(primed, -1, "flags"),
        I(newton, 3, "flags"),
        I(newton, -1, "flags"),
        I(matrix, -1, "flags"),
        I(matrix, (INT64_C(1) << 40) + 1, "flags"),
        I(stats.force, -1, "counts"),
        I(stats.worst, INT64_MIN, "counts"),
        I(stats.force, INT64_MAX, "counts"),
        I(stats.iterations, INT64_MAX - 1, "counts"),
        I(size, 8, "cut short"),
        I(plan, 0, "another"),
        I(format, 2, "byte order"),
        I(magic, 0, "begin"),
    };
    lbr_plan *plan = under_way("gauss:2", &henon, "newton");
    lbr_state *s = lbr_plan_state(plan);
    size_t size;
    char *bytes = saved(plan, &size), *copy = saved(plan, &size);
    double y_end[PROBLEM_DIM];

    lbr_run(plan, N / 2, 0, NULL, NULL), lbr_read(plan, NULL, y_end);
    for (int i = 0; i < COUNT(row); i++) {
        lbr_head head;

        lbr_state_restore(s, memcpy(copy, bytes, size), size);
        memcpy(copy + row[i].at, &row[i].value, 8), memcpy(&head, copy, sizeof head);
        head.checksum = 0,
        head.checksum = hash_of(hash_of(HASH, &head, sizeof head), copy + sizeof head, size - sizeof head);
        ok(not_taken(s, memcpy(copy, &head, sizeof head), size, row[i].words) && goes_on(s, y_end), "forged: %s",
           row[i].text);
    }
    free(bytes), free(copy);
    lbr_plan_free(plan);
}

static void foreign(void)
{
    lbr_plan *plan = under_way("gauss:2", &henon, ""), *other;
    size_t size;
    void *bytes = saved(plan, &size);
    problem named = henon;
    const struct {
        const char *text, *method;
        const problem *p;
        const char *words;
        int isa, iterations, taken;
    } row[] = {
        { "the same", "gauss:2", &henon, "", 0, 100, 1 },
        { "another instruction set", "gauss:2", &henon, "", 1, 100, 1 },
        { "another method", "gauss:3", &henon, "", 0, 100, 0 },
        { "another stepper", "stormer-verlet", &henon, "", 0, 100, 0 },
        { "another solver", "gauss:2", &henon, "newton", 0, 100, 0 },
        { "compensated sums", "gauss:2", &henon, "compensated", 0, 100, 0 },
        { "other iterations", "gauss:2", &henon, "", 0, 99, 0 },
        { "another Jacobian", "gauss:2", &henon, "differences", 0, 100, 0 },
        { "another system", "gauss:2", &crossed, "", 0, 100, 0 },
        { "another dimension", "gauss:2", &own, "", 0, 100, 0 },
        { "another name", "gauss:2", &named, "", 0, 100, 0 },
        { "its adjoint", "adjoint(gauss:2)", &henon, "", 0, 100, 0 },
    };

    named.system.name = "henon";
    for (int i = 0; i < COUNT(row); i++) {
        lbr_options o = options_of(row[i].words);

        o.isa = row[i].isa, o.max_iterations = row[i].iterations;
        lbr_plan_create(&other, row[i].method, &row[i].p->system, &o);
        ok(row[i].taken ? !lbr_state_restore(lbr_plan_state(other), bytes, size)
                        : not_taken(lbr_plan_state(other), bytes, size, "another"),
           "a checkpoint under a plan with %s", row[i].text);
        ok(lbr_run(other, 1, 0, NULL, NULL) == (row[i].taken ? LBR_OK : LBR_ENOTSTARTED), "and what follows");
        lbr_plan_free(other);
    }
    free(bytes);
    lbr_plan_free(plan);
}

/* --- nothing where something should be --------------------------------------------------------------------------- */

static int blind(const lbr_view *view, void *ctx)
{
    double x;

    *(int *)ctx = lbr_view_energy(view, NULL) == LBR_EARG && lbr_view_energy(view, &x) == LBR_EUNFIT &&
                  lbr_view_invariant(view, 0, &x) == LBR_EARG && lbr_view_invariant(view, -1, &x) == LBR_EARG &&
                  lbr_view_invariant(view, 0, NULL) == LBR_EARG;
    return 0;
}

static void nothing(void)
{
    lbr_plan *plan;
    lbr_state *s;
    double y[PROBLEM_DIM], x;
    size_t size;
    int good = 0;
    const lbr_method_info *info;
    const lbr_certificate *c;

    ok(lbr_plan_create(NULL, "rk4", &body.system, NULL) == LBR_EARG, "nowhere to put a plan");
    lbr_plan_free(NULL), lbr_state_free(NULL), lbr_method_free(NULL), lbr_certificate_free(NULL);
    ok(says(lbr_plan_message(NULL), "memory") && !*lbr_plan_method(NULL) && !*lbr_plan_steps(NULL) &&
           !lbr_plan_state(NULL) && !lbr_plan_stats(NULL),
       "no plan to ask");
    ok(lbr_start(NULL, 0, 1, y) == LBR_EARG && lbr_run(NULL, 1, 0, NULL, NULL) == LBR_EARG &&
           lbr_read(NULL, &x, y) == LBR_EARG && lbr_map(NULL, 0, 1, y) == LBR_EARG,
       "no plan to run");
    ok(lbr_state_create(NULL, NULL) == LBR_EARG && lbr_state_create(&s, NULL) == LBR_EARG && !s, "no plan for a state");
    ok(lbr_state_start(NULL, 0, 1, y) == LBR_EARG && lbr_state_run(NULL, 1, 0, NULL, NULL) == LBR_EARG,
       "no state to run");
    ok(lbr_state_read(NULL, &x, y) == LBR_EARG && lbr_state_map(NULL, 0, 1, y) == LBR_EARG, "nor to read");
    ok(lbr_state_count(NULL) == 0 && !lbr_state_stats(NULL) && says(lbr_state_message(NULL), "memory"), "nor to ask");
    ok(!lbr_state_bytes(NULL, &size) && lbr_state_restore(NULL, y, 8) == LBR_EARG, "no state to save");
    ok(lbr_view_energy(NULL, &x) == LBR_EARG && lbr_view_invariant(NULL, 0, &x) == LBR_EARG, "no view");
    ok(!lbr_catalogue(-1) && !lbr_catalogue(lbr_catalogue_size()) && !lbr_catalogue(INT64_MAX), "no such row");
    ok(*lbr_status_text((lbr_status)99) && *lbr_status_text(LBR_ENOMEM), "no such status");
    ok(lbr_method_describe(NULL, "rk4") == LBR_EARG && lbr_certify(NULL, "rk4", NULL) == LBR_EARG,
       "nowhere to put a description");
    ok(lbr_method_describe(&info, NULL) == LBR_EMETHOD && says(info->message, "method"), "nothing to describe");
    ok(lbr_certify(&c, NULL, NULL) == LBR_EMETHOD && says(c->message, "method"), "nothing to certify");
    lbr_method_free(info), lbr_certificate_free(c);
    plan = under_way("rk4", &lotka, "");
    ok(!lbr_state_bytes(lbr_plan_state(plan), NULL) && lbr_state_create(NULL, plan) == LBR_EARG,
       "nowhere to put a size or a state");
    ok(!lbr_run(plan, 1, 0, blind, &good) && good, "a view of a system without energy and invariants");
    lbr_plan_free(plan);
}

static int no_options(void) { return lbr_options_init(NULL), 1; }
static int no_system(void) { return lbr_system_init(NULL), 1; }
static int no_name(void)
{
    char text[8] = "x";
    return lbr_system_component(NULL, 0, text, sizeof text) &&
           lbr_system_component(&henon.system, -1, text, sizeof text) &&
           lbr_system_component(&henon.system, 99, text, 1);
}

int main(void)
{
    henon = henon_heiles(), body = rigid_body(), own = own_system(), lotka = lotka_volterra(), crossed = mixed();
    expressions(), long_expressions(), unfit(), systems(), tables(), options();
    trajectories(), damaged(), forged(), foreign(), nothing();
    in_child(no_text, "a table whose A or c has a length and no text");
    in_child(no_form, "a table of no known form");
    in_child(short_options, "options of an older version, with anything behind them");
    in_child(no_options, "no options to fill in");
    in_child(no_system, "no system to fill in");
    in_child(no_name, "no system, and no such component, to name");
    return tap_done();
}
