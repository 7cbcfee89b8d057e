/* test_dag.c - the graph of expressions: equal nodes are one, simplification keeps values, the order of sums.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/nodes.h"

static void identity(void)
{
    begin();
    lbr_ref x = var(0), y = var(1), z = var(2);

    ok(con(0) == 0 && con(-0.0) != 0 && con(NAN) == con(NAN) && con(1) == con(1),
       "constants by their bits; 0 is node 0");
    SAME(lbr_dag_time(d), lbr_dag_time(d));
    SAME(OP2(ADD, x, y), OP2(ADD, y, x));
    SAME(OP2(MUL, x, y), OP2(MUL, y, x));
    SAME(OP2(EQ, x, y), OP2(EQ, y, x));
    SAME(OP2(AND, OP2(LT, x, y), OP2(LT, y, z)), OP2(AND, OP2(LT, y, z), OP2(LT, x, y)));
    SAME(OP2(OR, OP2(LT, x, y), OP2(LT, y, z)), OP2(OR, OP2(LT, y, z), OP2(LT, x, y)));
    SAME(OP3(FMA, x, y, z), OP3(FMA, y, x, z));
    DIFFER(OP3(FMA, x, y, z), OP3(FMA, x, z, y));
    DIFFER(OP2(SUB, x, y), OP2(SUB, y, x));
    DIFFER(OP2(MIN, x, y), OP2(MIN, y, x));
    DIFFER(OP2(MAX, x, y), OP2(MIN, x, y));
    DIFFER(OP2(LT, x, y), OP2(LT, y, x));
    DIFFER(var(0), var(1));
    DIFFER(lbr_dag_load(d, in, con(0)), lbr_dag_load(d, other, con(0)));
    SAME(lbr_dag_load(d, in, con(-0.0)), var(0));
    ok(d->status == LBR_OK, "without a failure");
    end();
}

static void simplified_sums(void)
{
    begin();
    lbr_ref x = var(0), y = var(1), minus = OP(NEG, x), one = con(1);

    SAME(OP2(ADD, x, 0), x);
    SAME(OP2(SUB, x, 0), x);
    SAME(OP2(SUB, 0, x), minus);
    SAME(OP2(SUB, x, x), 0);
    SAME(OP2(MUL, x, one), x);
    SAME(OP2(MUL, con(-1), x), minus);
    SAME(OP2(MUL, x, con(-0.0)), 0);
    SAME(OP2(DIV, 0, x), 0);
    SAME(OP2(DIV, x, one), x);
    SAME(OP2(DIV, x, con(-1)), minus);
    SAME(OP2(DIV, x, con(8)), OP2(MUL, x, con(0.125)));
    SAME(OP2(DIV, x, con(-0x1p-1000)), OP2(MUL, x, con(-0x1p1000)));
    DIFFER(OP2(DIV, x, con(3)), OP2(MUL, x, con(1.0 / 3)));
    ok(node_at(OP2(DIV, x, con(0x1p1023))).op == LBR_OP_DIV && node_at(OP2(DIV, x, con(0x1p-1074))).op == LBR_OP_DIV,
       "where 1/b is not normal it is divided");
    SAME(OP(NEG, minus), x);
    SAME(OP(NEG, OP2(SUB, x, y)), OP2(SUB, y, x));
    SAME(OP2(ADD, x, OP(NEG, y)), OP2(SUB, x, y));
    SAME(OP2(ADD, OP(NEG, y), x), OP2(SUB, x, y));
    SAME(OP2(SUB, x, OP(NEG, y)), OP2(ADD, x, y));
    SAME(OP2(SUB, minus, y), OP(NEG, OP2(ADD, x, y)));
    SAME(OP2(MUL, minus, OP(NEG, y)), OP2(MUL, x, y));
    SAME(OP2(MUL, minus, y), OP(NEG, OP2(MUL, x, y)));
    SAME(OP2(MUL, minus, y), OP2(MUL, x, OP(NEG, y)));
    SAME(OP2(MUL, con(3), minus), OP2(MUL, con(-3), x));
    SAME(OP2(DIV, minus, y), OP(NEG, OP2(DIV, x, y)));
    SAME(OP2(DIV, con(3), OP(NEG, y)), OP2(DIV, con(-3), y));
    ok(d->status == LBR_OK, "without a failure");
    end();
}

static void simplified_choices(void)
{
    begin();
    lbr_ref x = var(0), y = var(1), z = var(2), minus = OP(NEG, x), c = OP2(LT, x, y), e = OP2(LT, y, z), one = con(1);

    SAME(OP3(SELECT, con(2), x, y), x);
    SAME(OP3(SELECT, 0, x, y), y);
    SAME(OP3(SELECT, c, x, x), x);
    SAME(OP3(SELECT, OP(NOT, c), x, y), OP3(SELECT, c, y, x));
    SAME(OP3(SELECT, c, OP3(SELECT, c, x, y), z), OP3(SELECT, c, x, z));
    SAME(OP3(SELECT, c, x, OP3(SELECT, c, y, z)), OP3(SELECT, c, x, z));
    SAME(OP(NOT, OP(NOT, c)), c);
    DIFFER(OP(NOT, OP(NOT, x)), x);
    SAME(OP2(AND, c, one), c);
    SAME(OP2(AND, c, c), c);
    SAME(OP2(AND, x, 0), 0);
    DIFFER(OP2(AND, x, x), x);
    SAME(OP2(OR, c, 0), c);
    SAME(OP2(OR, x, one), one);
    SAME(OP2(LT, x, x), 0);
    SAME(OP2(MIN, x, x), x);
    SAME(OP(ABS, minus), OP(ABS, x));
    SAME(OP2(POW, x, 0), one);
    SAME(OP2(POW, x, one), x);
    SAME(OP2(POW, x, con(0.5)), OP(SQRT, x));
    SAME(OP2(POW, x, con(2)), OP2(MUL, x, x));
    SAME(OP2(POW, x, con(-3)), lbr_dag_power(d, x, -3));
    SAME(lbr_dag_power(d, x, -1), OP2(DIV, one, x));
    SAME(lbr_dag_power(d, x, -16), OP2(DIV, one, lbr_dag_power(d, x, 16)));
    ok(node_at(lbr_dag_power(d, x, -17)).op == LBR_OP_POW, "x^-17 stays");
    SAME(lbr_dag_power(d, x, 13), OP2(MUL, lbr_dag_power(d, lbr_dag_power(d, x, 6), 2), x));
    SAME(lbr_dag_power(d, x, 16), lbr_dag_power(d, lbr_dag_power(d, x, 8), 2));
    ok(node_at(lbr_dag_power(d, x, 17)).op == LBR_OP_POW && node_at(OP2(POW, x, con(1.5))).op == LBR_OP_POW,
       "other powers stay");
    SAME(OP3(FMA, 0, y, z), z);
    SAME(OP3(FMA, x, y, 0), OP2(MUL, x, y));
    SAME(OP3(FMA, one, y, z), OP2(ADD, y, z));
    SAME(OP3(FMA, x, con(-1), z), OP2(SUB, z, x));
    SAME(OP2(MUL, con(3), con(7)), con(21));
    SAME(OP3(FMA, con(3), con(7), con(1)), con(22));
    SAME(OP(SIN, con(0.7)), con(sin(0.7)));
    SAME(OP2(MOD, con(-1), con(3)), con(2));
    SAME(OP2(AND, e, OP2(LT, one, con(2))), e);
    ok(d->status == LBR_OK, "without a failure");
    end();
}

static void fused(void)
{
    begin();
    lbr_ref x = var(0), y = var(1), z = var(2), w = var(3), xy = OP2(MUL, x, y), zw = OP2(MUL, z, w);

    SAME(lbr_dag_add(d, z, xy), OP3(FMA, x, y, z));
    SAME(lbr_dag_add(d, xy, z), OP3(FMA, x, y, z));
    SAME(lbr_dag_add(d, xy, zw), OP3(FMA, z, w, xy));
    SAME(lbr_dag_add(d, zw, xy), OP3(FMA, x, y, zw));
    SAME(lbr_dag_sub(d, z, xy), OP3(FMA, OP(NEG, x), y, z));
    SAME(lbr_dag_sub(d, xy, z), OP3(FMA, x, y, OP(NEG, z)));
    SAME(lbr_dag_add(d, z, OP(NEG, xy)), lbr_dag_sub(d, z, xy));
    SAME(lbr_dag_sub(d, z, OP(NEG, xy)), lbr_dag_add(d, z, xy));
    SAME(OP3(FMA, OP(NEG, x), y, z), OP3(FMA, x, OP(NEG, y), z));
    SAME(OP3(FMA, OP(NEG, x), OP(NEG, y), z), OP3(FMA, x, y, z));
    SAME(OP3(FMA, con(2), OP(NEG, y), z), OP3(FMA, con(-2), y, z));
    SAME(OP2(ADD, z, xy), lbr_dag_add(d, z, xy));
    SAME(OP2(SUB, xy, z), lbr_dag_sub(d, xy, z));
    end();
}

static void guards(void)
{
    begin();
    lbr_ref x = var(0), y = var(1), z = var(2), c = OP2(LT, x, y), v = OP3(SELECT, c, z, 0), w = OP3(SELECT, c, 0, z);
    int l = lbr_dag_loop(d, 0, 0, con(3));
    lbr_ref i = d->loop[l].index, inside = OP3(SELECT, OP2(LT, i, x), i, 0);

    SAME(OP2(MUL, v, y), OP3(SELECT, c, OP2(MUL, z, y), 0));
    SAME(OP2(MUL, y, w), OP3(SELECT, c, 0, OP2(MUL, z, y)));
    SAME(OP2(MUL, v, v), OP3(SELECT, c, OP2(MUL, z, z), 0));
    SAME(OP2(MUL, v, w), 0);
    SAME(OP(NEG, v), OP3(SELECT, c, OP(NEG, z), 0));
    SAME(OP2(DIV, v, y), OP3(SELECT, c, OP2(DIV, z, y), 0));
    ok(node_at(OP2(DIV, y, v)).op == LBR_OP_DIV, "not out of a denominator");
    SAME(OP3(FMA, v, y, x), OP3(SELECT, c, OP3(FMA, z, y, x), x));
    SAME(OP3(FMA, y, w, x), OP3(SELECT, c, x, OP3(FMA, z, y, x)));
    SAME(OP3(FMA, v, y, v), OP3(SELECT, c, OP3(FMA, z, y, z), 0));
    SAME(OP2(ADD, v, OP3(SELECT, c, x, 0)), OP3(SELECT, c, OP2(ADD, z, x), 0));
    SAME(OP2(SUB, v, OP3(SELECT, c, x, 0)), OP3(SELECT, c, OP2(SUB, z, x), 0));
    SAME(OP2(ADD, v, OP3(SELECT, c, 0, x)), OP3(SELECT, c, z, x));
    ok(node_at(OP2(ADD, v, x)).op == LBR_OP_ADD, "what is not a guard is added as it is");
    SAME(lbr_dag_reduce(d, LBR_OP_SUM, l, OP3(SELECT, c, i, 0)),
         OP3(SELECT, c, lbr_dag_reduce(d, LBR_OP_SUM, l, i), 0));
    ok(node_at(lbr_dag_reduce(d, LBR_OP_SUM, l, inside)).op == LBR_OP_SUM,
       "a condition that changes in the loop stays there");
    SAME(lbr_dag_reduce(d, LBR_OP_SUM, l, OP(NEG, i)), OP(NEG, lbr_dag_reduce(d, LBR_OP_SUM, l, i)));
    ok(d->status == LBR_OK, "without a failure");
    end();
}

/* --- simplification keeps the value ------------------------------------------------------------------------------ */

static unsigned long long seed = 1;
static unsigned draw(unsigned n)
{
    return (unsigned)((seed = seed * 6364136223846793005ULL + 1442695040888963407ULL) >> 33) % n;
}

/* Few bits before and behind the point: sums and products of two such numbers are exact. */
static int coarse(double x) { return fabs(x) < 4096 && x * 1024 == floor(x * 1024); }

/* One more node of the pool: an operation on others, whose value is exact (else an older node again). */
static void random_node(lbr_ref *node, double *value, unsigned n)
{
    static const lbr_op all[] = {
        LBR_OP_NEG, LBR_OP_NEG, LBR_OP_ABS, LBR_OP_FLOOR,  LBR_OP_SIGN,   LBR_OP_NOT, LBR_OP_ADD,
        LBR_OP_ADD, LBR_OP_SUB, LBR_OP_SUB, LBR_OP_MUL,    LBR_OP_MUL,    LBR_OP_DIV, LBR_OP_POW,
        LBR_OP_MIN, LBR_OP_MAX, LBR_OP_MOD, LBR_OP_LT,     LBR_OP_LE,     LBR_OP_EQ,  LBR_OP_AND,
        LBR_OP_OR,  LBR_OP_FMA, LBR_OP_FMA, LBR_OP_SELECT, LBR_OP_SELECT,
    };
    unsigned range = n < 30 ? n : 30, from = draw(3) ? n - range : 0, a = from + draw(range),
             b = draw(8) ? from + draw(range) : a, c = draw(2) ? from + draw(range) : SIZE;
    lbr_op o = all[draw(sizeof all / sizeof *all)];

    if ((o == LBR_OP_DIV || o == LBR_OP_POW || o == LBR_OP_MOD) && draw(4)) b = SIZE + 1 + draw(5);
    value[n] = creal(graph_op(o, value[a], value[b], value[c]));
    node[n] = lbr_dag_op(d, o, node[a], node[b], node[c]);
    if (!coarse(value[n]) || (o == LBR_OP_DIV && value[n] * value[b] != value[a]))
        node[n] = node[a], value[n] = value[a];
}

static void random_values(void)
{
    enum { POOL = 1000, ROUNDS = 60 };
    static const double constants[] = { 0, 1, -1, 2, -0.5, 3 };
    static lbr_ref node[POOL];
    static double value[POOL];
    int wrong = 0, folded = 0, distinct = 0;

    for (int r = 0; r < ROUNDS; r++) {
        unsigned n = 0;
        graph g;

        begin();
        for (; n < SIZE; n++) node[n] = var((int)n), value[n] = draw(3) ? 0.125 * draw(40) - 2.5 : draw(3) - 1.0;
        for (; n < SIZE + 6; n++) node[n] = con(constants[n - SIZE]), value[n] = constants[n - SIZE];
        for (; n < POOL; n++) random_node(node, value, n);
        graph_begin(&g, d);
        for (int i = 0; i < SIZE; i++) g.input[0][i] = value[i];
        for (int i = 0; i < POOL; i++) {
            wrong += creal(graph_node(&g, node[i])) != value[i];
            folded += i >= SIZE + 6 && d->node[node[i]].op == LBR_OP_CONST;
        }
        distinct += d->n;
        graph_end(&g);
        end();
    }
    ok(wrong == 0, "%d random operations have the value of what they were simplified to (%d of them wrong)",
       POOL * ROUNDS, wrong);
    ok(folded > 100 && distinct > 100 * ROUNDS, "constants %d times; %d different nodes", folded, distinct);
}

/* --- sums -------------------------------------------------------------------------------------------------------- */

/* The order of the language, written down once more. */
static double in_order(const double *x, int n)
{
    double s[8] = { 0 };

    if (n <= 8) {
        for (int i = 0; i < n; i++) s[0] += x[i];
        return s[0];
    }
    for (int i = 0; i < n; i++) s[i % 8] += x[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void sums(void)
{
    enum { MOST = 60 };
    static double x[MOST];
    lbr_ref term[MOST];
    int same = 0, in_a_row = 0;

    for (int n = 0; n < MOST; n++) {
        double row = 0;
        graph g;

        begin();
        int long_one = lbr_dag_input(d, MOST);
        for (int i = 0; i < n; i++)
            x[i] = (draw(1000) - 500.0) * pow(2, draw(60)), row += x[i], term[i] = lbr_dag_load(d, long_one, con(i));
        lbr_ref s = lbr_dag_sum(d, term, n);
        graph_begin(&g, d);
        for (int i = 0; i < n; i++) g.input[2][i] = x[i];
        same += creal(graph_node(&g, s)) == in_order(x, n), in_a_row += row == in_order(x, n);
        graph_end(&g);
        end();
    }
    ok(same == MOST, "sums in the order of the language");
    ok(in_a_row < MOST - 20, "which shows");
    begin();
    for (int i = 0; i < 10; i++) term[i] = OP2(MUL, var(i % SIZE), lbr_dag_load(d, other, con(i % 4)));
    lbr_ref s0 = OP3(FMA, d->node[term[8]].a, d->node[term[8]].b, term[0]);
    ok(node_at(lbr_dag_add(d, s0, term[4])).op == LBR_OP_FMA, "products are fused");
    SAME(lbr_dag_sum(d, term, 1), term[0]);
    SAME(lbr_dag_sum(d, term, 2), OP3(FMA, d->node[term[1]].a, d->node[term[1]].b, term[0]));
    SAME(lbr_dag_sum(d, NULL, 0), 0);
    end();
}

int main(void)
{
    identity();
    simplified_sums();
    simplified_choices();
    fused();
    guards();
    random_values();
    sums();
    return tap_done();
}
