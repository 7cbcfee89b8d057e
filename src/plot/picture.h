/* picture.h - what is drawn of runs when nothing else is said. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PLOT_PICTURE_H
#define LBR_PLOT_PICTURE_H
#include "execute/execute.h"

/* Of one run: the path of its bodies in the plane, or one of two variables over the other, where there is such a thing.
 * Otherwise the energy error over time, a curve for each run; without an energy in the samples, the components of the
 * state of the first run. Above it stands the title, or (NULL) the name of the model. interrupt: as in lbr_plot. */
lbr_status lbr_picture(const lbr_result *const *result, int64_t n, const char *title, const char *path, int keep_script,
                       int force, const volatile sig_atomic_t *interrupt, lbr_message *message);
#endif
