/* structure.h - what depends on what, and what follows from it. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_MODEL_STRUCTURE_H
#define LBR_MODEL_STRUCTURE_H
#include "model_inside.h"

/* Whether a node (a made array), with all it is made of, may load from elements from .. to - 1 of an input. Where
 * memory is gone: 1, and the graph's status says so. */
int lbr_touches_node(lbr_lower *lo, lbr_ref node, int input, int64_t from, int64_t to);
int lbr_touches_array(lbr_lower *lo, int made, int input, int64_t from, int64_t to);
/* The same for the elements that are marked, in any order. */
int lbr_touches_marked(lbr_lower *lo, int made, int input, const char *marked);
/* Whether t occurs in it. */
int lbr_touches_time(const lbr_dag *dag, int made);
/* Whether an operation of this set (bits 1 << LBR_OP_...) of something that is not constant occurs; of SELECT the
 * condition counts. */
int lbr_applies(lbr_lower *lo, int made, uint64_t ops);
#define LBR_OP_BIT(op) (UINT64_C(1) << LBR_OP_##op)
/* What jumps, while its derivative does not show it. */
#define LBR_OPS_THAT_JUMP (LBR_OP_BIT(FLOOR) | LBR_OP_BIT(SIGN) | LBR_OP_BIT(MOD) | LBR_OP_BIT(SELECT))

/* Elements from .. to - 1 of a made array, as an array of their own; -1: no memory. */
int lbr_array_piece(lbr_lower *lo, int made, int64_t from, int64_t to);

/* Fills model->structure for q' = velocity, p' = force (arrays of nq; the field of a Hamiltonian or of a partition).
 * *inverse_mass: in the arena, or NULL if velocity is not d .* p. 0 after an error of memory. */
int lbr_structure_find(lbr_model *m, int velocity, int force, double **inverse_mass);
/* *inverse_mass alone, whatever p' depends on, and without canonical variables too. */
int lbr_structure_masses(lbr_model *m, int velocity, double **inverse_mass);
#endif
