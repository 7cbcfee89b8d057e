/* body_steps.h - rigid bodies as steppers see them. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_STEPPER_BODY_STEPS_H
#define LBR_STEPPER_BODY_STEPS_H
#include "stepper.h"

typedef struct lbr_rigid {
    lbr_bodies b;         /* a copy; what a shorter struct lacks is zero */
    const int64_t *e, *y; /* places of quaternions and momenta */
} lbr_rigid;

/* Checks the system's bodies; in the arena, the second time the same. */
lbr_status lbr_rigid_make(lbr_setup *set, lbr_message *message);
/* Whether attitudes are unit quaternions; LBR_EARG. */
lbr_status lbr_rigid_start(const lbr_rigid *rigid, const double *y, lbr_message *message);
#endif
