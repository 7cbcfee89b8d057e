/* grouped-stores.c - a fault of gcc: what restrict says of one store is taken for said of its neighbour.
 *
 * add() reads y[1] and y[2] by p and writes y[0]; nothing else is written while it runs, so that its restrict is true.
 * y[1] is written after it. gcc 12.2, 13.3 and 14.2 with -O2 (x86-64) make one store of those of y[0] and y[1]
 * (-ftree-slp-vectorize) and give it what was known of the first: that nothing read by p is changed by it. Reading p is
 * then moved out of the loop (-ftree-loop-im).
 *
 * Right: 93 13 20, seen 91 33, as with -O1, -fno-tree-slp-vectorize, -fno-tree-loop-im, without restrict, or by clang.
 * The fault: 90 13 20, seen 90 33. Prints what it has; 0: right, 1: the fault, 2: something else. */
#include <stdio.h>

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline __attribute__((always_inline)) void add(double *out, const double *restrict p)
{
    const pair v = *(const pair *)p;

    *out = *out + (v[0] + v[1]);
}

__attribute__((noinline)) static pair steps(int n, double *y)
{
    pair seen = { 0, 0 };

    for (int k = 0; k < n; k++) {
        seen += *(const pair *)y; /* so that y[0] and y[1] are in memory at each step */
        add(y, y + 1);
        y[1] = y[1] + 1;
    }
    return seen;
}

int main(void)
{
    double y[3] = { 0, 10, 20 };
    volatile int n = 3;
    pair seen = steps(n, y);

    printf("%g %g %g, seen %g %g\n", y[0], y[1], y[2], seen[0], seen[1]);
    return y[1] != 13 || y[2] != 20 ? 2 : y[0] == 93 ? 0 : y[0] == 90 ? 1 : 2;
}
