/* clock.h - the time that something takes. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_CORE_CLOCK_H
#define LBR_CORE_CLOCK_H

/* Seconds of a clock that only goes forward, from some moment on. */
double lbr_seconds(void);
#endif
