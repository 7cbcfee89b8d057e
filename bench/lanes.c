/* lanes.c - many Hénon-Heiles trajectories side by side, written by hand with vectors.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "floors.h"

/* The list that this file is in is compiled twice; once is enough. */
#define ONCE_contract_off 1
#define GLUE_(a, b)       a##b
#define GLUE(a, b)        GLUE_(a, b)
#if GLUE(ONCE_, LBR_FLOOR)
    #include "vectors.h"

    /* n steps of drifts A and kicks B of `groups` times eight states: y holds q1, q2, p1, p2 of each group, one after
     * the other. */
    #define LOOP(groups)                                                                                  \
        static void loop_##groups(int64_t stages, const double *A, const double *B, int64_t n, double *y) \
        {                                                                                                 \
            vec q1[groups], q2[groups], p1[groups], p2[groups], *Y = (vec *)(void *)y;                    \
                                                                                                          \
            for (int u = 0; u < groups; u++)                                                              \
                q1[u] = Y[4 * u], q2[u] = Y[4 * u + 1], p1[u] = Y[4 * u + 2], p2[u] = Y[4 * u + 3];       \
            for (int64_t k = 0; k < n; k++)                                                               \
                for (int64_t s = 0; s < stages; s++) {                                                    \
                    const vec a = all(A[s]), b = all(B[s]);                                               \
                    _Pragma("GCC unroll 8") for (int u = 0; u < groups; u++)                              \
                    {                                                                                     \
                        q1[u] = vfma(a, p1[u], q1[u]), q2[u] = vfma(a, p2[u], q2[u]);                     \
                        p1[u] = vfma(b, q1[u] * vfma(all(-2), q2[u], all(-1)), p1[u]);                    \
                        p2[u] = vfma(b, vfma(-q1[u], q1[u], vfma(q2[u], q2[u], -q2[u])), p2[u]);          \
                    }                                                                                     \
                }                                                                                         \
            for (int u = 0; u < groups; u++)                                                              \
                Y[4 * u] = q1[u], Y[4 * u + 1] = q2[u], Y[4 * u + 2] = p1[u], Y[4 * u + 3] = p2[u];       \
        }
LOOP(1)
LOOP(2)
LOOP(3)
LOOP(4)

int by_hand_lanes(int64_t width, int64_t stages, const double *A, const double *B, int64_t n, double *y)
{
    static void (*const loop[])(int64_t, const double *, const double *, int64_t, double *) = { NULL, loop_1, loop_2,
                                                                                                loop_3, loop_4 };

    if (width % 8 || width < 8 || width > 32) return 1;
    loop[width / 8](stages, A, B, n, y);
    return 0;
}
#endif
