/* fits.h - whether a method can integrate a system, and why not. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_EXECUTE_FITS_H
#define LBR_EXECUTE_FITS_H
#include "execute.h"
#include "runs/experiment.h"

/* A system, opened for questions. All zero is an empty one. */
typedef struct lbr_fitting {
    lbr_source source;
    lbr_experiment x; /* of a model */
    const lbr_system *system;
    lbr_options options;
    lbr_status status;
    const char *message; /* what went wrong */
} lbr_fitting;

/* The model of a file or of the gallery, with the tables that it defines. On failure f->message says why. Free it in
 * any case. */
lbr_status lbr_fitting_open(lbr_fitting *f, const char *file);
/* The same of a text, which must live as long; its files are those of the current folder. */
lbr_status lbr_fitting_text(lbr_fitting *f, const char *name, const char *text);
/* A system that is there already; borrowed. */
void lbr_fitting_system(lbr_fitting *f, const lbr_system *system);
void lbr_fitting_free(lbr_fitting *f);

/* The methods that the file defines, or the system's maps; NULL after the last. */
const char *lbr_fitting_own(const lbr_fitting *f, int i);
/* A method expression as plans read it, names of the file put in. NULL: f->status and f->message. */
const char *lbr_fitting_method(lbr_fitting *f, const char *text);
/* Everything about a method for this system, own tables and maps too (lbr_plan_info); about one that does not fit, what
 * is known without a system. The message says why it does not fit, also on failure. *info and *plan are to be freed, in
 * this order, in any case. */
lbr_status lbr_fitting_describe(lbr_fitting *f, const char *method, const lbr_method_info **info, lbr_plan **plan,
                                lbr_message *message);

/* LBR_OK: it fits. LBR_ENOMEM: it cannot be said. Otherwise the message is one sentence on why it does not. */
lbr_status lbr_fits(const lbr_fitting *f, const char *method, lbr_message *why);
#endif
