/* peers.h - other libraries, given the same system. SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H
#include <libration/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y becomes y after n steps; 0, or non-zero if it failed. Memory is taken and given back in each call. */
typedef int (*peer_fn)(const lbr_system *system, double h, int64_t n, double *y);
typedef struct peer {
    const char *library, *method;
    peer_fn run;
} peer;

/* Ended by a row without a name. */
extern const peer peers_gsl[], peers_odeint[];
/* velocity_verlet for Henon-Heiles alone, with the force inside: a state of std::vector as in odeint's manual, and of
 * std::array. */
extern const peer peers_odeint_inlined[];

#ifdef __cplusplus
}
#endif
#endif
