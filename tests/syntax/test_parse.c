/* test_parse.c - the text of models: what is read of it. SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "support/comma.h"
#include "support/parsed.h"

#include <math.h>

/* --- expressions in prefix form ---------------------------------------------------------------------------------- */

static char *put(char *to, const lbr_node *e)
{
    static const char *const heads[] = {
        [LBR_NODE_INDEX] = "[]", [LBR_NODE_PRIME] = "'", [LBR_NODE_TRANSPOSE] = "^T",
        [LBR_NODE_NEGATE] = "-", [LBR_NODE_POWER] = "^", [LBR_NODE_NOT] = "not",
        [LBR_NODE_AND] = "and",  [LBR_NODE_OR] = "or",   [LBR_NODE_LIST] = "list",
    };

    if (e->kind == LBR_NODE_NUMBER || e->kind == LBR_NODE_NAME) return to + sprintf(to, "%s", e->text);
    if (e->kind == LBR_NODE_STRING) return to + sprintf(to, "\"%s\"", e->text);
    if (e->kind == LBR_NODE_CALL) to += sprintf(to, "(%s()", e->text);
    else if (e->kind == LBR_NODE_MEMBER) to += sprintf(to, "(.%s", e->text);
    else if (e->kind == LBR_NODE_BINDER) to += sprintf(to, "(..%s", e->text);
    else if (e->kind == LBR_NODE_CHAIN || e->kind == LBR_NODE_COMPARE) to += sprintf(to, "(%s", e->text);
    else to += sprintf(to, "(%s", heads[e->kind]);
    for (int i = 0; i < e->n; i++) *to++ = ' ', to = put(to, e->arg[i]);
    return to + sprintf(to, ")");
}

static const struct {
    const char *text, *tree;
} expressions[] = {
    { "-q^2", "(- (^ q 2))" },
    { "r^-12", "(^ r (- 12))" },
    { "2^3^4", "(^ 2 (^ 3 4))" },
    { "2^-x^2", "(^ 2 (- (^ x 2)))" },
    { "--a", "(- (- a))" },
    { "-a*b", "(* (- a) b)" },
    { "a*-b", "(* a (- b))" },
    { "a - -b", "(- a (- b))" },
    { "a - b + c - d", "(-+- a b c d)" },
    { "a/b*c", "(/* a b c)" },
    { "a + b*c - d/e", "(+- a (* b c) (/ d e))" },
    { "(a + b)*c", "(* (+ a b) c)" },
    { "a - (b - c)", "(- a (- b c))" },
    { "0 < x < 1", "(<< 0 x 1)" },
    { "a <= b != c >= d > e = f", "(l!g>= a b c d e f)" },
    { "not a = b and c", "(and (not (= a b)) c)" },
    { "a or b and c or not d", "(or a (and b c) (not d))" },
    { "(a or b) and c", "(and (or a b) c)" },
    { "a < b and b < c and c < d", "(and (< a b) (< b c) (< c d))" },
    { "q[i,j]'", "(' ([] q i j))" },
    { "q'[i]", "([] (' q) i)" },
    { "x^T*y", "(* (^T x) y)" },
    { "x^(T)", "(^ x T)" },
    { "x^Tx", "(^ x Tx)" },
    { "x^T_", "(^ x T_)" },
    { "x^T2", "(^ x T2)" },
    { "x ^ T", "(^ x T)" },
    { "(S^T)^-1", "(^ (^T S) (- 1))" },
    { "x^T^T", "(^T (^T x))" },
    { "x^T^2", "(^ (^T x) 2)" },
    { "x^2^T", "(^ x (^T 2))" },
    { "-x^T", "(- (^T x))" },
    { "x'^2", "(^ (' x) 2)" },
    { "(U^T*U)[i,j]", "([] (* (^T U) U) i j)" },
    { "[0.1, 0.2][k]", "([] (list 0.1 0.2) k)" },
    { "[[1, 2], [3, 4]]", "(list (list 1 2) (list 3 4))" },
    { "f(x)[1]'", "(' ([] (f() x) 1))" },
    { "a.cut.q[2]", "([] (.q (.cut a)) 2)" },
    { "v[2].dH", "(.dH ([] v 2))" },
    { "a .b", "(.b a)" },
    { "now()", "(now())" },
    { "sum(i = 1..n, e)", "(sum() (..i 1 n) e)" },
    { "max(k = 37..43, B[k].dH)", "(max() (..k 37 43) (.dH ([] B k)))" },
    { "sum(i = 1..n, j = 1..i-1, e)", "(sum() (..i 1 n) (..j 1 (- i 1)) e)" },
    { "prod(i = a+1..2*b, i)", "(prod() (..i (+ a 1) (* 2 b)) i)" },
    { "max(a, b)", "(max() a b)" },
    { "if(i = j, a, b)", "(if() (= i j) a b)" },
    { "count(a < 1 and not b > 2)", "(count() (and (< a 1) (not (> b 2))))" },
    { "read(\"a \\\"b\\\\\")", "(read() \"a \"b\\\")" },
    { "read(\"a # b\")", "(read() \"a # b\")" },
    { "1.5..2", NULL },
    { "sum(i = 1.5..2.5, i)", "(sum() (..i 1.5 2.5) i)" },
    { "sin (x) [1]", "([] (sin() x) 1)" },
    { "1e3 + 1e-3 + 1.5e+3", "(++ 1e3 1e-3 1.5e+3)" },
    { "lot + andy + order", "(++ lot andy order)" },
    { "((((a))))", "a" },
    { "start*run + param", "(+ (* start run) param)" },
    { "(a = b) = c", "(= (= a b) c)" },
    { "max(a = b)", "(max() (= a b))" },
    { "x'''", "(' (' (' x)))" },
};

static void trees(void)
{
    char text[400], tree[400];
    parsed a;

    for (size_t i = 0; i < COUNT(expressions); i++) {
        const lbr_file *f;

        snprintf(text, sizeof text, "claim \"c\": %s\n", expressions[i].text);
        f = parse(&a, text);
        if (!expressions[i].tree) ok(f->nerrors == 1, "%s is refused", expressions[i].text);
        else if (ok(f->nerrors == 0 && f->nstatements == 1, "%s is read", expressions[i].text)) {
            put(tree, f->statement[0].value);
            if (!ok(!strcmp(tree, expressions[i].tree), "as %s", expressions[i].tree)) printf("# got %s\n", tree);
        } else printf("# %s\n", f->error[0].text);
        forget(&a);
    }
}

static void places(void)
{
    parsed a;
    const lbr_node *e = parse(&a, "H = (a + b)*-c[1]\n"
                                  "claim 0 < \xc3\xa9 < 1\n"
                                  "claim \"\xc3\xa9\xe2\x88\x92\": (x) < y < z and\n"
                                  "  not u")
                            ->statement[0]
                            .value;
    const lbr_statement *s = a.file.statement;

    ok(e->place.line == 1 && e->place.column == 12 && e->first.column == 5, "an operator's place and its expression's");
    ok(e->arg[0]->place.column == 8 && e->arg[0]->first.column == 5, "brackets belong to what is in them");
    ok(e->arg[1]->place.column == 13 && e->arg[1]->arg[0]->first.column == 14, "a sign and what it stands before");
    ok(a.file.nerrors == 1 && a.file.error[0].place.column == 11, "columns count characters, wherever they are");
    e = s[2].value;
    ok(e->kind == LBR_NODE_AND && e->place.column == 25 && e->first.column == 13,
       "the same after characters of several bytes");
    ok(e->arg[0]->at[0].column == 17 && e->arg[0]->at[1].column == 21, "each operator of a chain has its place");
    ok(e->arg[1]->place.line == 4 && e->arg[1]->place.column == 3, "and on the next line");
    ok(!strcmp(s[2].source, "(x) < y < z and not u"), "a claim keeps the text of its condition: %s", s[2].source);
    forget(&a);
    s = parse(&a, "claim f(\"a  # \\\" \\\\\",  # b\n\n\t1) < 1 # c")->statement;
    ok(!strcmp(s->source, "f(\"a  # \\\" \\\\\", 1) < 1"), "without comments, with its strings as they are: %s",
       s->source);
    forget(&a);
}

/* --- statements -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    lbr_statement_kind kind;
    int items;
} statements[] = {
    { "title \"A\"", LBR_ST_TITLE, 0 },
    { "source \"HLW \\\"I\\\"\"", LBR_ST_SOURCE, 0 },
    { "use kepler", LBR_ST_USE, 0 },
    { "use heavy-top-se3: a = 1, q' = [1, 2]", LBR_ST_USE, 2 },
    { "use \"mine.lbr\"", LBR_ST_USE, 0 },
    { "use \"mine.lbr\": e = 0.3", LBR_ST_USE, 1 },
    { "param n = 10, l = 0.1, m[i = 1..n] = 1/i", LBR_ST_PARAM, 3 },
    { "param H0 = 1, run = 2, H = 3", LBR_ST_PARAM, 3 },
    { "canonical q[n,3], p[n,3], r, pr", LBR_ST_CANONICAL, 4 },
    { "state L[n,n]", LBR_ST_STATE, 1 },
    { "rotation Q[n], y[n]", LBR_ST_ROTATION, 2 },
    { "partition v, w", LBR_ST_PARTITION, 2 },
    { "let r = norm(q), V(x) = x^4/4, w[k = 1..3] = y[k]", LBR_ST_LET, 3 },
    { "let f(a, b, c, d, e) = a", LBR_ST_LET, 1 },
    { "H = p^2/2", LBR_ST_H, 0 },
    { "L = q'^2/2", LBR_ST_L, 0 },
    { "rayleigh = q'^2", LBR_ST_RAYLEIGH, 0 },
    { "part a = x", LBR_ST_PART, 0 },
    { "part a: x' = 1, y[2]' = 2", LBR_ST_PART, 2 },
    { "x' = 1, y' = 2", LBR_ST_RATES, 2 },
    { "u[k = 1..n]' = u[k]", LBR_ST_RATES, 1 },
    { "L' = B*L - L*B", LBR_ST_RATES, 1 },
    { "H' = 1", LBR_ST_RATES, 1 },
    { "state' = 1", LBR_ST_RATES, 1 },
    { "run[1]' = 1", LBR_ST_RATES, 1 },
    { "poisson {u[k = 1..N], v[k]} = -d[k], {y, y} = hat(y)", LBR_ST_POISSON, 2 },
    { "flow T(s): q = q + s*p, p = p", LBR_ST_FLOW, 2 },
    { "constraint a = b, link[i = 2..n] = c", LBR_ST_CONSTRAINT, 2 },
    { "invariant L = 1, A = [1, 2]", LBR_ST_INVARIANT, 2 },
    { "observe T = 1", LBR_ST_OBSERVE, 1 },
    { "measure dH = drift(H), end = norm(last(q))", LBR_ST_MEASURE, 2 },
    { "reverse p = -p", LBR_ST_REVERSE, 1 },
    { "start q = [1, 0], p[i = 1..n] = 0, q' = 1, t = -1", LBR_ST_START, 4 },
    { "section cut: v[3] = 0", LBR_ST_SECTION, 0 },
    { "section cut: v[3] = 0, v[3]' > 0, a < b or c", LBR_ST_SECTION, 0 },
    { "method five = composition [a, 1 - 4*a, a]", LBR_ST_METHOD, 1 },
    { "method s = splitting(a = [1], b = [0.5, 0.5])", LBR_ST_METHOD, 2 },
    { "method r = butcher(A = [[5/12, -1/12], [3/4, 1/4]], b = [3/4, 1/4], c = [1/3, 1])", LBR_ST_METHOD, 3 },
    { "method mine = compose(kahan-li-8-17, stormer-verlet)", LBR_ST_METHOD, 1 },
    { "method mine = splitting-of-mine", LBR_ST_METHOD, 1 },
    { "run method = rk4, step = 0.1, time = 1", LBR_ST_RUN, 3 },
    { "run a: time = 1", LBR_ST_RUN, 1 },
    { "run a:", LBR_ST_RUN, 0 },
    { "run v[k = 1..4]:  # nothing", LBR_ST_RUN, 0 },
    { "method n = nystrom(b = [1], c = [1/2])", LBR_ST_METHOD, 2 },
    { "method n = nystrom(rk4)", LBR_ST_METHOD, 1 },
    { "run v[k = 1..4]: step = 0.1/2^k, q = [k, 0], q' = 1", LBR_ST_RUN, 3 },
    { "run method: step = 1", LBR_ST_RUN, 1 },
    { "run x[1] = 2, time = 3", LBR_ST_RUN, 2 },
    { "plot scan: of = [a, v.cut], x = t, y = [H, L[1]], log = xy, title = \"a, b\", equal = yes", LBR_ST_PLOT, 6 },
    { "plot of = a", LBR_ST_PLOT, 1 },
    { "table columns = [method, step, dH]", LBR_ST_TABLE, 1 },
    { "table t: of = a, columns = [t]", LBR_ST_TABLE, 2 },
    { "claim a < 1", LBR_ST_CLAIM, 0 },
    { "claim \"text\": a < 1 against method = rk4, step = 2", LBR_ST_CLAIM, 2 },
    { "claim a: b < 1 against q[1] = 3", LBR_ST_CLAIM, 1 },
    { "claim each[k = 1..3] \"text\": v[k].dH < 1", LBR_ST_CLAIM, 0 },
    { "claim each[k = 1..3]: v[k].dH < 1", LBR_ST_CLAIM, 0 },
    { "claim v[k].dH < 1", LBR_ST_CLAIM, 0 },
    { "claim each \"text\": v.dH < 1", LBR_ST_CLAIM, 0 },
    { "run solver = fixed-point", LBR_ST_RUN, 1 },
};

static void forms(void)
{
    parsed a;

    for (size_t i = 0; i < COUNT(statements); i++) {
        const lbr_file *f = parse(&a, statements[i].text);
        const lbr_statement *s = f->statement;
        int good = f->nerrors == 0 && f->nstatements == 1 && s->kind == statements[i].kind &&
                   s->n == statements[i].items;

        if (!ok(good, "%s", statements[i].text))
            printf("# kind %d, %d items, %s\n", s ? (int)s->kind : -1, s ? s->n : 0,
                   f->nerrors ? f->error[0].text : "no error");
        forget(&a);
    }
}

static const lbr_mexpr *method_of(parsed *a, const char *text)
{
    const lbr_file *f = parse(a, text);

    return f->nerrors == 0 && f->nstatements == 1 && f->statement[0].n > 0 ? f->statement[0].item[0].method : NULL;
}

static void methods(void)
{
    parsed a;
    const lbr_mexpr *m = method_of(&a, "run method = project(symmetric, lobatto-3a-3b:s, n = 40, fast = fast, 1e-4, "
                                       "-2, (2*pi), k = (a), -1/ 3, 2/7), step = 1");

    if (ok(m && m->n == 10 && m->has_args && !m->has_k && !strcmp(m->name, "project"), "a method with arguments")) {
        ok(!strcmp(m->arg[1]->name, "lobatto-3a-3b") && m->arg[1]->has_k && !strcmp(m->arg[1]->k_name, "s"),
           "names have dashes, a stage number may be a name");
        ok(!strcmp(m->arg[2]->key, "n") && !m->arg[2]->name && m->arg[2]->value->number == 40, "a number by its key");
        ok(!strcmp(m->arg[3]->key, "fast") && !strcmp(m->arg[3]->name, "fast"), "a part by its key");
        ok(m->arg[4]->value->number == 1e-4 && m->arg[5]->value->kind == LBR_NODE_NEGATE &&
               m->arg[6]->value->kind == LBR_NODE_CHAIN,
           "numbers and an expression");
        ok(!strcmp(m->arg[7]->key, "k") && !strcmp(m->arg[7]->value->text, "a"), "an expression by its key");
        ok(m->arg[8]->value->kind == LBR_NODE_NEGATE && !strcmp(m->arg[8]->value->arg[0]->text, "1/3") &&
               m->arg[9]->value->number == 2.0 / 7 && !strcmp(m->arg[9]->value->text, "2/7"),
           "fractions with their digits");
    }
    forget(&a);
    m = method_of(&a, "claim \"c\": x against control = standard(1e-4)");
    ok(m && !strcmp(m->name, "standard") && m->arg[0]->value->number == 1e-4, "control is a method too");
    forget(&a);
    m = method_of(&a, "method m = gauss:12\n");
    ok(m && m->has_k && m->k == 12 && !m->k_name && !m->has_args, "stages by number");
    forget(&a);
    parse(&a, "run solver = fixed-point, record = [H,  # energy\n  q],method = a-b(1)");
    ok(a.file.nerrors == 0 && !strcmp(a.file.statement[0].item[0].source, "fixed-point"),
       "a setting keeps its value as written");
    ok(a.file.nerrors == 0 && !strcmp(a.file.statement[0].item[1].source, "[H, q]"), "on one line, without comments");
    ok(a.file.nerrors == 0 && !strcmp(a.file.statement[0].item[2].source, "a-b(1)"), "methods too");
    forget(&a);
}

/* --- lines that go on -------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    int statements;
} lines[] = {
    { "", 0 },
    { "\n"
      "\n"
      "  \n"
      "# nothing\n",
      0 },
    { "\xef\xbb\xbftitle \"a\"\n", 1 },
    { "H = 1", 1 },
    { "H = 1\r\n"
      "L = 2\r\n",
      2 },
    { "  H = 1\n"
      "\tL = 2\n",
      2 },
    { "H = (1 +\n\n # more\n 2)\nL = 1", 2 },
    { "H = [1,\n2\n,3\n]\nL = 1", 2 },
    { "H =\n1\nL = 1", 2 },
    { "H = 1 +  # one\n"
      "\n"
      " 2",
      1 },
    { "H = 1 -\n"
      "2",
      1 },
    { "H = 1*\n"
      "2",
      1 },
    { "H = 1/\n"
      "2",
      1 },
    { "H = 1^\n"
      "2",
      1 },
    { "param a = 1,\n"
      "  b = 2,\n"
      "\n"
      "  c = 3",
      1 },
    { "part a:\n"
      " x' = 1",
      1 },
    { "claim a <\n b", 1 },
    { "claim a !=\n b", 1 },
    { "claim a >=\nb", 1 },
    { "claim a and\n"
      " not\n"
      " b or\n"
      " c",
      1 },
    { "H = x^T\n"
      "L = y'\n",
      2 },
    { "poisson {u,\n"
      "v} = 1",
      1 },
    { "claim a\n against step = 1\nH = 1", 2 },
    { "claim a\n\n# so\nagainst step = 1,\n time = 2", 1 },
    { "H = 1 # a comment, with (\n"
      "L = 2",
      2 },
    { "title \"a ( b\"\n"
      "L = 2",
      2 },
    { "claim \"a\":\n"
      " b < c",
      1 },
    { "H = sum(i\n=\n1\n..\nn,\ni)\nL = 1", 2 },
    { "run method = gauss:\n2, step = 1", 1 },
};

static void continuation(void)
{
    parsed a;

    for (size_t i = 0; i < COUNT(lines); i++) {
        parse(&a, lines[i].text);
        if (!ok(a.status == LBR_OK && a.file.nstatements == lines[i].statements, "line ends %zu: %d statements", i,
                lines[i].statements))
            printf("# got %d, %s\n", a.file.nstatements, a.file.nerrors ? a.file.error[0].text : "no error");
        forget(&a);
    }
}

/* --- numbers ----------------------------------------------------------------------------------------------------- */

static unsigned long long seed = 2024;
static unsigned draw(unsigned n)
{
    return (unsigned)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 33) % n;
}

static double number_of(const char *text)
{
    char line[2000];
    parsed a;
    const lbr_file *f;
    double x;

    snprintf(line, sizeof line, "H = %s", text);
    f = parse(&a, line);
    x = f->nerrors ? NAN : f->statement[0].value->number;
    forget(&a);
    return x;
}

/* Digits, perhaps a point and more digits, perhaps an exponent. */
static void random_number(char *s)
{
    int n = 1 + (int)draw(draw(2) ? 25 : 8), e = (int)draw(660) - 340;

    for (int i = 0; i < n; i++) *s++ = (char)('0' + draw(10));
    if (draw(2)) {
        *s++ = '.';
        for (int i = 1 + (int)draw(25); i > 0; i--) *s++ = (char)('0' + draw(draw(2) ? 10 : 1));
    }
    if (draw(2)) sprintf(s, "e%d", e - n);
    else *s = '\0';
}

static void numbers(void)
{
    char text[1200];
    int good = 0, all = 10000;

    for (int i = 0; i < all; i++) {
        double x, y;

        random_number(text);
        x = number_of(text), y = strtod(text, NULL);
        good += isinf(y) ? isnan(x) : x == y;
    }
    ok(good == all, "%d of %d numbers are read to the nearest", good, all);
    ok(number_of("1.7976931348623157e308") == 1.7976931348623157e308 && isnan(number_of("1.8e308")),
       "up to the largest");
    ok(number_of("4.9e-324") == 4.9e-324 && number_of("1e-400") == 0 && number_of("0e999999999999") == 0,
       "small ones may vanish");
    sprintf(text, "9007199254740993%0900d", 0);
    ok(number_of(text) == INFINITY || isnan(number_of(text)), "too many digits are too large");
    sprintf(text, "0.%0900d9007199254740993e916", 0);
    ok(number_of(text) == 9007199254740992.0, "a tie is rounded to even");
    sprintf(text, "9007199254740993.%0900d", 0);
    ok(number_of(text) == 9007199254740992.0, "also with zeros after it");
    strcat(text, "1");
    ok(number_of(text) == 9007199254740994.0, "but not if a digit follows them, however late");
    if (!into_comma()) ok(1, "a locale with a decimal comma # SKIP there is none");
    else ok(number_of("0.625") == 0.625, "the locale's decimal point does not matter");
    setlocale(LC_ALL, "C");
}

/* --- the models -------------------------------------------------------------------------------------------------- */

static void examples(void)
{
    static const char *const folders[] = { "", "experiments/" };
    static model m[200];

    for (int k = 0; k < 2; k++) {
        int n = read_models(m, 200, folders[k]);

        ok(n >= (k ? 19 : 61), "%d models in models/%s", n, folders[k]);
        for (int i = 0; i < n; i++) {
            parsed a;
            const lbr_file *f = parse_bytes(&a, m[i].text, m[i].size);

            if (!ok(a.status == LBR_OK && f->nerrors == 0 && f->nstatements > 2, "%s: %d statements", m[i].name,
                    f->nstatements))
                printf("# %s\n", lbr_file_report(f, &a.arena));
            forget(&a);
        }
        free_models(m, n);
    }
}

int main(void)
{
    trees();
    places();
    forms();
    methods();
    continuation();
    numbers();
    examples();
    return tap_done();
}
