/* lanes-of-eight.c - a fault of gcc: four numbers are picked out of a vector of eight, and others come.
 *
 * gcc 12.2, 13.3 and 14.2 with -O1 and more take a permutation of eight doubles for one inside halves of 128 bits
 * (vpermilpd) if its third and fourth place are taken from anywhere beyond the first half: that they come from the
 * second half, not from a later one, is not looked at. Numbers 1, 1, 4, 4 of v become those at 1, 1, 2, 3. It takes
 * 512-bit registers.
 *
 * Right: 1 1 4 4, as with -O0, -fno-tree-forwprop, or by clang. The fault: 1 1 2 3.
 * Prints what it has; 0: right, 1: the fault, 2: something else, 77: this processor has no such registers. */
#include <stdio.h>

#ifdef __x86_64__
typedef double eight __attribute__((vector_size(64)));
typedef double four __attribute__((vector_size(32)));

static eight v;
static four picked;

__attribute__((noinline, target("avx512f"))) static void pick(void)
{
    const eight w = v + v;

    picked = (four){ w[1], w[1], w[4], w[4] };
}

int main(void)
{
    double got[4];

    if (!__builtin_cpu_supports("avx512f")) return 77;
    for (int i = 0; i < 8; i++) v[i] = i;
    pick();
    for (int i = 0; i < 4; i++) got[i] = picked[i] / 2;
    printf("%g %g %g %g\n", got[0], got[1], got[2], got[3]);
    if (got[0] != 1 || got[1] != 1) return 2;
    return got[2] == 4 && got[3] == 4 ? 0 : got[2] == 2 && got[3] == 3 ? 1 : 2;
}
#else
int main(void) { return 77; }
#endif
