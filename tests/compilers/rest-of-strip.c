/* rest-of-strip.c - a fault of clang: sums in one place are taken for sums in as many places as there are iterations.
 *
 * clang 14 to 16 with -O2 and more vectorise a loop that adds to s[n > 8 ? l : 0] as if each iteration l had a place of
 * its own, also where the condition does not hold, and all add to the first one. It takes registers of 256 bits, and
 * three sums at once: here each of three components of force i is the sum of differences to all points before it, of
 * which there are 8 or fewer for the first ones.
 *
 * Right: 0 wrong, as with -O1, -fno-vectorize, or by gcc. The fault: forces that are sums of 8 or fewer are wrong.
 * Prints how many are wrong; 0: right, 1: the fault, 2: something else, 77: this processor has no such registers. */
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
enum { N = 17 };
static double x[3 * N], got[3 * N];

static double total(const double *s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

__attribute__((noinline, target("avx2,fma"))) static void forces(const double *from, double *to)
{
    double f[3 * N], q[3 * N];

    for (int k = 0; k < N; k++)
        for (int j = 0; j < 3; j++) q[N * j + k] = from[3 * k + j];
    memset(f, 0, sizeof f);
    for (int k = 2; k <= N; k++) {
        const double q1 = q[k - 1], q2 = q[N + k - 1], q3 = q[2 * N + k - 1];
        double s1[8], s2[8], s3[8];
        const int n = k - 1;
        int i = 0;

        for (int l = 0; l < 8; l++) s3[l] = -0.0;
        for (int l = 0; l < 8; l++) s2[l] = -0.0;
        for (int l = 0; l < 8; l++) s1[l] = -0.0;
        for (; n > 8 && i + 8 <= n; i += 8)
            for (int l = 0; l < 8; l++) {
                const int j = 1 + i + l;
                const double a = q1 - q[j - 1], b = q2 - q[N - 1 + j], c = q3 - q[2 * N - 1 + j];

                s3[l] += c, s2[l] += b, s1[l] += a;
                f[2 * N - 1 + j] += c, f[N - 1 + j] += b, f[j - 1] += a;
            }
        const int m = n - i;
        for (int l = 0; l < m; l++) {
            const int j = 1 + i + l;
            const double a = q1 - q[j - 1], b = q2 - q[N - 1 + j], c = q3 - q[2 * N - 1 + j];

            s3[n > 8 ? l : 0] += c, s2[n > 8 ? l : 0] += b, s1[n > 8 ? l : 0] += a;
            f[2 * N - 1 + j] += c, f[N - 1 + j] += b, f[j - 1] += a;
        }
        f[k - 1] -= n > 8 ? total(s1) : s1[0];
        f[N + k - 1] -= n > 8 ? total(s2) : s2[0];
        f[2 * N + k - 1] -= n > 8 ? total(s3) : s3[0];
    }
    for (int k = 0; k < N; k++)
        for (int j = 0; j < 3; j++) to[3 * k + j] = f[N * j + k];
}

int main(void)
{
    int wrong = 0, few = 0;

    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
    for (int i = 0; i < 3 * N; i++) x[i] = i * i % 101;
    forces(x, got);
    for (int i = 0; i < 3 * N; i++) {
        double want = 0;

        for (int j = i % 3; j < 3 * N; j += 3) want -= x[i] - x[j];
        wrong += got[i] != want, few += got[i] != want && i / 3 <= 8;
    }
    printf("%d wrong\n", wrong);
    return !wrong ? 0 : few == wrong ? 1 : 2;
}
#else
int main(void) { return 77; }
#endif
