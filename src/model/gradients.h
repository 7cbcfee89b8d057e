/* gradients.h - derivatives of quantities with several components, and of invariants.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_GRADIENTS_H
#define LBR_MODEL_GRADIENTS_H
#include "model_system.h"

/* The entries of an array, also of one that has its elements one by one. */
int64_t lbr_array_entries(const lbr_array *array);
lbr_entry lbr_array_entry(lbr_dag *dag, const lbr_array *array, int64_t i);

/* The derivatives of all elements with respect to the first `columns` components of the state, by rows: a made array.
 * -1: out of memory or nodes. */
int lbr_dense_jacobian(lbr_model *m, int array, int64_t columns);
/* Those of invariants, as far as they are not too many. 0 after an error. */
int lbr_functions_gradients(lbr_model *m, lbr_message *message);
#endif
