/* section.h - the sections of a model: surfaces, and what must hold where they are crossed.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_SECTION_H
#define LBR_MODEL_SECTION_H
#include "model_system.h"

/* Functions of t and the state. */
typedef struct lbr_section_code {
    const char *name;
    lbr_function surface; /* left - right */
    lbr_function holds;
    int conditional; /* 1 or 0: all conditions; conditional 0: there are none */
    int made;
} lbr_section_code;

/* The number of a section, -1: there is none of this name; the name nearest to it, or NULL. */
int lbr_model_section(const lbr_model *m, const char *name);
/* One more, of a name that none has; where memory is gone the reader says so. */
void lbr_model_section_add(lbr_model *m, const lbr_line *line);
const char *lbr_model_section_near(const lbr_model *m, const char *name);
/* After lbr_model_system: section k, its functions made when it is asked for first; they live as long as the system's.
 * A rate is the component of the field. NULL: the message says why. */
const lbr_section_code *lbr_section_functions(lbr_model *m, int k, lbr_message *message);
/* The same as plans take it. */
lbr_section lbr_section_of(const lbr_section_code *s);
#endif
