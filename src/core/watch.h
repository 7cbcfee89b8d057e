/* watch.h - H and the invariants along a trajectory, and how far they are from where they began.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_WATCH_H
#define LBR_CORE_WATCH_H
#include "bound_system.h"

/* |a - b|, the Euclidean norm; scaled, so that squares do not overflow. */
double lbr_distance(int64_t n, const double *a, const double *b);
/* Its text, which kernels have too. A NaN gets into `most`, and stays. */
#define LBR_DISTANCE_TEXT                                                                     \
    double lbr_distance(int64_t n, const double *a, const double *b)                          \
    {                                                                                         \
        double most = 0, sum = 0;                                                             \
                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                     \
            double d = fabs(a[i] - b[i]);                                                     \
            if (!(d <= most)) most = d;                                                       \
        }                                                                                     \
        if (n == 1 || most == 0 || most - most != 0) return most;                             \
        for (int64_t i = 0; i < n; i++) sum += (a[i] - b[i]) / most * ((a[i] - b[i]) / most); \
        return most * sqrt(sum);                                                              \
    }

/* What can be watched: H, if there is one, and then every invariant. How many quantities, and components in all; -1:
 * too many for any memory. */
int64_t lbr_watch_quantities(const lbr_bound *bound);
int64_t lbr_watch_components(const lbr_bound *bound);

/* What is not finite: a component, or the error of a whole quantity (`of_error`; `component` is then its first one). */
typedef struct lbr_stray {
    int64_t component; /* counted through all quantities */
    int of_error;
    double value;
    char name[128]; /* H, L, or L[2] */
} lbr_stray;

/* Evaluates everything at (t, y); keeps the largest distances from `first` in `worst`. `work`: a number for each
 * component and for each quantity. 0; or 1, something is not finite, *stray (or NULL) says what, and `worst` is as
 * before. */
int lbr_watch_step(const lbr_bound *bound, double t, const double *y, const double *first, double *worst, double *work,
                   lbr_stray *stray);
#endif
