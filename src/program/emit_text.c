/* emit_text.c - what every kernel's text begins with. SPDX-License-Identifier: BSD-3-Clause */
#include "emit.h"
#include "graph/op.h"
#include "stepper/fuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lbr_unit_free(lbr_unit *u)
{
    lbr_text_free(&u->text);
    lbr_mem_free(u->K);
    *u = (lbr_unit){ 0 };
}

/* --- the prelude ------------------------------------------------------------------------------------------------- */

static const char types[] =
    "#include <stdint.h>\n"
    "#define fma __builtin_fma\n"
    "#define sqrt __builtin_sqrt\n"
    "#define fabs __builtin_fabs\n"
    "#define floor __builtin_floor\n"
    "#undef NAN\n#undef INFINITY\n#define NAN __builtin_nan(\"\")\n#define INFINITY __builtin_inf()\n"
    "double cbrt(double), exp(double), log(double), sin(double), cos(double), tan(double), asin(double), acos(double), "
    "atan(double), sinh(double), cosh(double);\n"
    "double tanh(double), asinh(double), acosh(double), atanh(double), erf(double), pow(double, double), atan2(double, "
    "double), hypot(double, double), fmod(double, double);\n"
    "void *memset(void *, int, __SIZE_TYPE__);\nvoid *memcpy(void *, const void *, __SIZE_TYPE__);\n"
    "typedef struct { int (*flow)(double, double, double *, void *), (*increment)(double, double, const double *, "
    "double *, void *);  void *ctx; } lbr_kernel_flow;\n"
    "typedef struct lbr_kernel_data {\n    const double *K;\n"
    "    int (*dense)(int, int64_t, int64_t, int, const double *, const double *, double *, double *);\n"
    "    const lbr_kernel_flow *part;\n"
    "} lbr_kernel_data;\n";

/* The same where all numbers are of extended precision: `double` is one of 113 bits in what follows, lbr_half a double.
 * The functions are those of glibc's libm; where a long double has 113 bits, anybody's. */
static const char long_types[] =
    "#include <stdint.h>\n"
    "typedef double lbr_half;\n"
    "#ifdef __SIZEOF_FLOAT128__\ntypedef __float128 lbr_long;\n#define LONG(name) name##f128\n"
    "#else\n_Static_assert(__LDBL_MANT_DIG__ == 113, \"there are no numbers of 113 bits here\");\n"
    "typedef long double lbr_long;\n#define LONG(name) name##l\n#endif\n"
    "#define fma(a, b, c) ((a)*(b) + (c))\n"
    "#undef NAN\n#undef INFINITY\n#define NAN __builtin_nan(\"\")\n#define INFINITY __builtin_inf()\n"
    "static inline lbr_long fabs(lbr_long x) { return x < 0 ? -x : x; }\n"
    "void *memset(void *, int, __SIZE_TYPE__);\nvoid *memcpy(void *, const void *, __SIZE_TYPE__);\n"
    "typedef struct { const lbr_half *y; lbr_half *out, t; } lbr_low;\n"
    "typedef struct lbr_kernel_data {\n    const lbr_long *K;\n    void (*dense)(void);\n    const void *part;\n"
    "    lbr_low *low;\n} lbr_kernel_data;\n";
static const char *const long_functions[] = { "sqrt",  "floor", "cbrt", "exp",   "log",   "sin",  "cos",   "tan",
                                              "asin",  "acos",  "atan", "sinh",  "cosh",  "tanh", "asinh", "acosh",
                                              "atanh", "erf",   "pow",  "atan2", "hypot", "fmod" };
enum { LONG_FUNCTIONS = sizeof long_functions / sizeof *long_functions, LONG_OF_ONE = LONG_FUNCTIONS - 4 };

/* Doubles and numbers of extended precision: to one from its two halves, to the halves, n at a time. */
static const char halves[] =
    "static lbr_long lbr_whole(lbr_half hi, lbr_half lo) { return (lbr_long)hi + lo; }\n"
    "static int lbr_split(int64_t n, const lbr_long *x, lbr_half *hi, lbr_half *lo)\n{\n"
    "    for (int64_t i = 0; i < n; i++) { hi[i] = (lbr_half)x[i]; if (lo) lo[i] = (lbr_half)(x[i] - hi[i]); }\n"
    "    return 0;\n}\n"
    "static void lbr_widen(int64_t n, const lbr_half *x, lbr_long *to) { for (int64_t i = 0; i < n; i++) to[i] = x[i]; "
    "}\n"
    "#define double lbr_long\n";

static void write_extended(lbr_text *to)
{
    lbr_text_put(to, long_types);
    for (int k = 0; k < LONG_FUNCTIONS; k++)
        lbr_text_format(to, "lbr_long LONG(%s)(lbr_long%s);\n#define %s LONG(%s)\n", long_functions[k],
                        k < LONG_OF_ONE ? "" : ", lbr_long", long_functions[k], long_functions[k]);
    lbr_text_put(to, halves);
}

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)
static const char operations[] = TEXT(LBR_OP_FUNCTIONS) "\n";

/* Whole numbers: of iterations, an address that is there. */
static const char helpers[] =
    "static inline int lbr_count(double lo, double hi) { return hi - lo >= 0 && hi - lo < 1e9 ? (int)(hi - lo) + 1 : "
    "0; }\n"
    "static inline int lbr_nearest(double i, double lo, double hi) { return (int)(i >= lo ? i <= hi ? i : hi : lo); }\n"
    "static inline int64_t lbr_near(int64_t i, int64_t lo, int64_t hi) { return i < lo ? lo : i > hi ? hi : i; }\n";

/* A value that the compiler knows nothing about. */
static const char barrier[] =
    "#if defined __GNUC__ && !defined __clang__ && defined __x86_64__\n#define BARRIER(x) __asm__(\"\" : \"+x\"(x))\n"
    "#elif defined __GNUC__ && !defined __clang__ && defined __aarch64__\n"
    "#define BARRIER(x) __asm__(\"\" : \"+w\"(x))\n"
    "#else\n"
    "#define BARRIER(x) (void)0\n"
    "#endif\n"
    "static inline double S_MINUS(double x) { BARRIER(x); return -x; }\n";

/* Eight partial sums. */
static const char total[] =
    "#define PLUS(x, y) OP_ADD(x, y, SPLAT(0.0))\n"
    "#define TOTAL(s) PLUS(PLUS(PLUS(s[0], s[4]), PLUS(s[2], s[6])), PLUS(PLUS(s[1], s[5]), PLUS(s[3], s[7])))\n";

/* A loop over lanes: to be made into vectors before anybody unrolls it. */
static const char loop[] = "#ifdef __clang__\n"
                           "#define LANES _Pragma(\"clang loop vectorize(enable)\")\n"
                           "#else\n"
                           "#define LANES _Pragma(\"GCC ivdep\") _Pragma(\"GCC unroll 1\")\n"
                           "#endif\n";

/* --- REAL: a number, or a vector of them ------------------------------------------------------------------------- */

#define SCALAR(name, expression) "#define OP_" #name " S_" #name "\n"
static const char scalar[] = "#define REAL double\n"
                             "#define SPLAT(x) (x)\n"
                             "#define OP_MINUS S_MINUS\n" LBR_OP_NUMBERS(SCALAR) LBR_OP_SIGNED(SCALAR);

/* Lane by lane, in a form in which compilers see one instruction for all lanes where there is one. Functions of libm
 * are called for each lane, so that every lane has the bits of a number; those that vector.inc has are called so only
 * where that is asked for. */
static const char vector[] =
    "typedef double REAL __attribute__((vector_size(8*N_LANES)));\n#define REAL REAL\n"
    "#define LANE_OP(name) static inline __attribute__((always_inline)) REAL OP_##name(REAL a_, REAL b_, REAL c_) "
    "{ REAL r; for (int l = 0; l < N_LANES; l++) { const double a = a_[l], b = b_[l], c = c_[l]; (void)b, (void)c; "
    "r[l] = S_##name(a, b, c); } return r; }\n"
    "static inline __attribute__((always_inline)) REAL SPLAT(double x) { return x - (REAL){ 0 }; }\n"
    "static inline __attribute__((always_inline)) REAL OP_MINUS(REAL x) { BARRIER(x); return -x; }\n"
    "static inline __attribute__((always_inline)) REAL lbr_lanes_fma(double a, REAL x, REAL y) { REAL r; for (int l = "
    "0; l < N_LANES; l++) r[l] = fma(a, x[l], y[l]); return r; }\n"
    "#define VECTOR_OP(name, expression) static inline __attribute__((always_inline)) REAL OP_##name(REAL a, REAL b, "
    "REAL c) { (void)b, (void)c; return expression; }\n"
    "#if defined __FMA__ && defined __has_builtin && N_LANES == 4\n"
    "#if __has_builtin(__builtin_ia32_vfmaddpd256) && __has_builtin(__builtin_ia32_sqrtpd256)\n"
    "#define VECTOR_FMA(a, b, c) __builtin_ia32_vfmaddpd256(a, b, c)\n"
    "#define VECTOR_SQRT(a)      __builtin_ia32_sqrtpd256(a)\n"
    "#endif\n#endif\n"
    "#if defined __AVX512F__ && defined __has_builtin && N_LANES == 8\n"
    "#if __has_builtin(__builtin_ia32_vfmaddpd512_mask)\n"
    "#define VECTOR_FMA(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4)\n"
    "#ifdef __clang__\n#define VECTOR_SQRT(a) __builtin_ia32_sqrtpd512(a, 4)\n"
    "#else\n#define VECTOR_SQRT(a) __builtin_ia32_sqrtpd512_mask(a, a, -1, 4)\n#endif\n"
    "#endif\n#endif\n";

/* What the language C has for vectors, too. */
static int has_vectors(const char *name)
{
    static const char *const all[] = { "ADD", "SUB", "MUL", "DIV", "NEG", "NMUL", "MOV" };

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(all[k], name)) return 1;
    return 0;
}

/* What the language C has not for vectors, but compilers where it is an instruction: lane by lane they do not always
 * see it. */
static const char *const instructions[][2] = { { "FMA", "VECTOR_FMA(a, b, c)" },
                                               { "FMS", "VECTOR_FMA(a, b, -c)" },
                                               { "FNMA", "VECTOR_FMA(-a, b, c)" },
                                               { "FNMS", "VECTOR_FMA(-a, b, -c)" },
                                               { "SQRT", "VECTOR_SQRT(a)" } };

static const char *instruction(const char *name)
{
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++)
        if (!strcmp(instructions[k][0], name)) return instructions[k][1];
    return NULL;
}

/* Four REALs, for what is done four at a time. */
static const char quads[] =
    "typedef double QUAD __attribute__((vector_size(32)));\n"
    "#define QUAD_OF(a, b, c, d) ((QUAD){ a, b, c, d })\n"
    "#define LANE(g, l) ((g)[l])\n"
    "#define QUAD_MUL(a, b) ((a)*(b))\n"
    "#define QUAD_DIV(a, b) ((a)/(b))\n"
    "#define QUAD_ADD(a, b) ((a) + (b))\n"
    "#define QUAD_SUB(a, b) ((a) - (b))\n"
    "#ifdef __AVX__\n#define QUAD_SQRT(a) __builtin_ia32_sqrtpd256(a)\n#else\n"
    "#define QUAD_SQRT(a) QUAD_OF(sqrt((a)[0]), sqrt((a)[1]), sqrt((a)[2]), sqrt((a)[3]))\n#endif\n";
static const char quads_of_vectors[] =
    "typedef struct QUAD { REAL x[4]; } QUAD;\n"
    "#define QUAD_OF(a, b, c, d) ((QUAD){ { a, b, c, d } })\n"
    "#define LANE(g, l) ((g).x[l])\n"
    "#define QUAD_OP(name) static inline __attribute__((always_inline)) QUAD QUAD_##name(QUAD a, QUAD b) "
    "{ QUAD r; for (int l = 0; l < 4; l++) r.x[l] = OP_##name(a.x[l], b.x[l], a.x[l]); return r; }\n"
    "QUAD_OP(MUL)\nQUAD_OP(DIV)\nQUAD_OP(ADD)\nQUAD_OP(SUB)\n"
    "static inline __attribute__((always_inline)) QUAD QUAD_SQRT(QUAD a) { QUAD r; for (int l = 0; l < 4; l++) r.x[l] "
    "= OP_SQRT(a.x[l], a.x[l], a.x[l]); return r; }\n";

/* For templates that put stages in lanes: a ROW is a vector of them, whatever REAL is later. After this all names that
 * have another meaning for numbers are free. */
static const char rows[] =
    "typedef REAL ROW;\n#define ROW_WIDTH N_LANES\n"
    "typedef int64_t ROW_WORDS __attribute__((vector_size(8*N_LANES)));\n"
    "#define ROW_FUNCTION static inline __attribute__((always_inline)) ROW\n"
    "ROW_FUNCTION row_of(double x) { return SPLAT(x); }\n"
    "ROW_FUNCTION row_fma(ROW a, ROW b, ROW c) { return OP_FMA(a, b, c); }\n"
    "ROW_FUNCTION row_size(ROW x) { return (ROW)((ROW_WORDS)x & (INT64_MAX - (ROW_WORDS){ 0 })); }\n"
    "#if defined __AVX__ && N_LANES == 4\n" /* the second one where the first is NaN */
    "ROW_FUNCTION row_larger(ROW x, ROW most) { return __builtin_ia32_maxpd256(x, most); }\n"
    "#elif defined __AVX512F__ && N_LANES == 8 && defined __clang__\n"
    "ROW_FUNCTION row_larger(ROW x, ROW most) { return __builtin_ia32_maxpd512(x, most, 4); }\n"
    "#elif defined __AVX512F__ && N_LANES == 8\n"
    "ROW_FUNCTION row_larger(ROW x, ROW most) { return __builtin_ia32_maxpd512_mask(x, most, x, -1, 4); }\n"
    "#else\n"
    "ROW_FUNCTION row_larger(ROW x, ROW most) { ROW_WORDS m = x > most; "
    "return (ROW)((m & (ROW_WORDS)x) | (~m & (ROW_WORDS)most)); }\n"
    "#endif\n"
    "#undef REAL\n#undef QUAD_OF\n#undef LANE\n#define QUAD NUMBERS\n";

/* What is written for all lanes at once in vector.inc. */
static const char *const together[][2] = { { "EXP", "#define OP_EXP(a, b, c) vector_exp(a)\n" },
                                           { "LOG", "#define OP_LOG(a, b, c) vector_log(a)\n" },
                                           { "SIN", "#define OP_SIN(a, b, c) vector_sin(a)\n" },
                                           { "COS", "#define OP_COS(a, b, c) vector_cos(a)\n" },
                                           { "TAN", "#define OP_TAN(a, b, c) vector_tan(a)\n" } };
enum { TOGETHER = sizeof together / sizeof *together };

static int is_together(const char *name)
{
    for (int k = 0; k < TOGETHER; k++)
        if (!strcmp(together[k][0], name)) return 1;
    return 0;
}

static void write_lane(lbr_text *to, const char *name, const char *expression, int exact)
{
    const char *of_vectors = instruction(name);

    if (has_vectors(name)) lbr_text_format(to, "VECTOR_OP(%s, %s)\n", name, expression);
    else if (of_vectors)
        lbr_text_format(to, "#ifdef VECTOR_FMA\nVECTOR_OP(%s, %s)\n#else\nLANE_OP(%s)\n#endif\n", name, of_vectors,
                        name);
    else if (exact || !is_together(name)) lbr_text_format(to, "LANE_OP(%s)\n", name);
}

static void write_vectors(lbr_text *to, int width, int exact)
{
    lbr_text_format(to, "#define N_LANES %d\n", width), lbr_text_put(to, vector);
#define LANE(name, expression) write_lane(to, #name, #expression, exact);
    LBR_OP_NUMBERS(LANE)
    LBR_OP_SIGNED(LANE)
    if (exact) return;
    lbr_text_put(to, lbr_template("vector.inc"));
    for (int k = 0; k < TOGETHER; k++) lbr_text_put(to, together[k][1]);
}

/* Forces come as the graph has them, all distances first, say, and for rows these do not fit into registers: gcc can
 * put them into an order that does. */
static const char ordered[] = "#if defined __GNUC__ && !defined __clang__\n"
                              "#pragma GCC optimize(\"schedule-insns\", \"sched-pressure\")\n#endif\n";

static void write_rows(lbr_text *to, int width, const char *functions)
{
    write_vectors(to, width, 1), lbr_text_put(to, quads_of_vectors);
    lbr_text_put(to, functions), lbr_text_put(to, rows);
}

void lbr_emit_prelude(lbr_text *to, int width, int exact, int row, const char *functions)
{
    if (row > 1) lbr_text_put(to, ordered);
    if (width == LBR_EXTENDED) write_extended(to);
    else lbr_text_put(to, types);
    lbr_text_put(to, operations), lbr_text_put(to, helpers), lbr_text_put(to, loop), lbr_text_put(to, barrier),
        lbr_text_put(to, total);
#define DEFINE(name, expression) lbr_text_put(to, "#define S_" #name "(a, b, c) (" #expression ")\n");
    LBR_OP_NUMBERS(DEFINE)
    LBR_OP_SIGNED(DEFINE)
    if (row > 1) write_rows(to, row, functions);
    if (width > 1) write_vectors(to, width, exact);
    else lbr_text_put(to, scalar);
    lbr_text_put(to, width == 1 ? quads : quads_of_vectors);
}
