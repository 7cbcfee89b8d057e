/* projected.h - one step of any map with its projection. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_PROJECTED_H
#define LBR_PROJECTED_H

#include "foretold.h"
#include "onto_surface.h"

typedef struct lbr_projected_constants {
    lbr_surface s;
    const lbr_atom *atom;      /* all of the plan's */
    int64_t own;               /* of the atoms inside */
    int64_t *slot;             /* where theirs begin */
    const lbr_tableau *tandem; /* or NULL */
} lbr_projected_constants;

typedef struct lbr_projected_step {
    lbr_work *w;
    const lbr_projected *p;
    const lbr_projected_constants *c;
    const lbr_surface *s;
    const double *slot;
    double *inside;                  /* scratch of the atoms inside */
    double t, h, hc, *y, *e;         /* hc: the step of the one that is solved in tandem */
    double *level;                   /* kept */
    lbr_normal x;                    /* of the end, or of the middle */
    double *D0;                      /* directions of the beginning */
    double *d, *y1, *defect, *other; /* n each; other: room */
    double *plain;                   /* n: d of the step without projection, as a guess */
    double *mu, *step;               /* m each */
    double *from, *to;               /* 2 n each: y^ and its low parts */
    double *K, *L;                   /* s n each: rates of stages, old and new */
    double *newton;                  /* room, unknowns and their sizes; where there is any */
    lbr_foretold told[3];            /* what is known of earlier steps: of mu and d, or d - plain; and of K */
} lbr_projected_step;

/* The steps inside alone, in place. */
lbr_status lbr_projected_inner(lbr_projected_step *z, double *y, double *e);

/* z->d, the increment of a step with its symmetric projection. */
lbr_status lbr_projected_symmetric(lbr_projected_step *z);

#endif
