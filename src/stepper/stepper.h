/* stepper.h - the contract between a plan and the algorithms. SPDX-License-Identifier: BSD-3-Clause
 *
 * A plan is compiled to *programs*. A program is a list of terms, in the order in which they are applied; a term is an
 * *atom*, which is a one-step map, and the multiple of h that is its step. A *stepper* runs programs: it says which
 * ones it takes, builds its constants once, and then starts, advances and reads trajectories.
 *
 * A trajectory has saved doubles, which are its state and all that influences later steps (`head` and `v`), and
 * scratch, which can be made anew at any time. There are two kinds of scratch. A *slot* has numbers that depend on h
 * alone, such as coefficients times h: each atom has one for every distinct step, filled by `prepare` when h changes.
 * What an atom works in is its *own* room, which the next atom may use too. */
#ifndef LBR_STEPPER_STEPPER_H
#define LBR_STEPPER_STEPPER_H
#include "core/bound_system.h"
#include "core/dd.h"
#include "core/mem.h"
#include "args.h"

typedef struct lbr_setup lbr_setup;
typedef struct lbr_work lbr_work;
typedef struct lbr_atom lbr_atom;

/* --- atoms ------------------------------------------------------------------------------------------------------- */

typedef struct lbr_tableau {
    int64_t s;
    int is_explicit;
    const lbr_dd *A, *b, *c;
} lbr_tableau;

/* Where the state of stage i is: c_i, its time, or the sum of its row, where that is another number (without C(1), as
 * of lobatto-3b:2). */
static inline lbr_dd lbr_tableau_place(const lbr_tableau *t, int64_t i)
{
    lbr_dd sum = dd(0);

    for (int64_t j = 0; j < t->s; j++) sum = dd_add(sum, t->A[i * t->s + j]);
    return sum.hi - t->c[i].hi < 1e-6 && t->c[i].hi - sum.hi < 1e-6 ? t->c[i] : sum;
}

/* HLW II.2.11; Ahat NULL: for y'' = g(t, y) only. time: of the stages, where they are not c, which says where they are;
 * else NULL. */
typedef struct lbr_nystrom {
    int64_t s;
    int is_explicit;
    const lbr_dd *A, *Ahat, *bbar, *b, *c, *time;
} lbr_nystrom;

typedef struct lbr_atom_kind {
    const char *name;
    int flow;                                                    /* exact: neighbours merge, and minus undoes it */
    lbr_status (*build)(lbr_setup *, lbr_atom *, lbr_message *); /* constants and sizes; says what is missing */
    void (*prepare)(const lbr_atom *, double h, double *slot);   /* fills the slot for step h; NULL: nothing to do */
    /* y (with low parts e, or NULL) becomes its image under the map with step h; t is the time at the beginning. slot
     * is what `prepare` has filled for this h, own is room. */
    lbr_status (*apply)(lbr_work *, const lbr_atom *, const double *slot, double *own, double t, double h, double *y,
                        double *e);
    int parts; /* how many parts of the field it moves: 0; 1, which is `index`; 2, the second one being `other` */
} lbr_atom_kind;

struct lbr_atom {
    const lbr_atom_kind *kind;
    int64_t index, other;                /* which part or user map; the second part of an additive method */
    const lbr_tableau *tableau, *second; /* second: of a pair, for the momenta */
    const void *data;                    /* what only its kind can read */
    const struct lbr_program *inner;     /* what it is made around, or NULL */
    int adjoint;
    int moves_time;
    void *constants;   /* the kind's own */
    int64_t own, slot; /* doubles of scratch that `build` asks for: room to work in; a slot, for each step it is in */
    int64_t kept, kept_at; /* doubles of the state that it keeps from step to step, and where they begin */
    /* Of the equations that it solves in a step, and foretells (foretold.h): unknowns in all, series of them. */
    int64_t foretold, series;
};

/* Those that several kinds of methods use. kick and drift are atoms of systems with H = T(p) + V(q); the drift-kick
 * stepper has its own way with them. */
extern const lbr_atom_kind lbr_atom_kick, lbr_atom_drift, lbr_atom_flow, lbr_atom_euler, lbr_atom_runge_kutta,
    lbr_atom_map, lbr_atom_inverse, lbr_atom_part_step, lbr_atom_nystrom, lbr_atom_constrained, lbr_atom_manifold_flow,
    lbr_atom_projected, lbr_atom_local, lbr_atom_body_kick, lbr_atom_veselov, lbr_atom_body_axis,
    lbr_atom_body_symmetric;

/* Atom number `atom` with step c h. It begins at t + time h, where t is the beginning of the program: `time` is the sum
 * of the c of all earlier terms whose atoms move the time. */
typedef struct lbr_term {
    int32_t atom;
    lbr_dd c, time;
} lbr_term;
typedef struct lbr_program {
    int64_t n;
    lbr_term *term;
    lbr_dd begin, end; /* its time, in steps from the beginning of the step */
} lbr_program;

/* The data of an atom that projects: how, and the program of the steps that are projected as one. The atoms of that
 * program stand before this atom in the list of atoms, so that they are built first. */
typedef struct lbr_projected {
    const struct lbr_projection *how;
    lbr_program inner;
} lbr_projected;

/* --- steppers ---------------------------------------------------------------------------------------------------- */

typedef enum { LBR_SOLVER_AUTO, LBR_SOLVER_FIXED_POINT, LBR_SOLVER_NEWTON } lbr_solver;
typedef enum { LBR_JACOBIAN_AUTO, LBR_JACOBIAN_USER, LBR_JACOBIAN_DIFFERENCES } lbr_jacobian;
typedef enum { LBR_ISA_AUTO, LBR_ISA_BASELINE, LBR_ISA_V3, LBR_ISA_V4 } lbr_isa;

/* Everything that does not change while stepping. */
struct lbr_setup {
    lbr_bound sys;
    int64_t natoms;
    lbr_atom *atom;
    lbr_program pre, kernel, post; /* once at the start; every step; when one looks */
    int compensated, extended, solver, jacobian, starting, isa, exact_lanes;
    int64_t max_iterations;
    int64_t sets; /* of differences, by which atoms foretell what they solve for; 0: they do not */
    const struct lbr_stepper *stepper;
    void *constants;                     /* the stepper's own */
    int64_t nstate, nscratch;            /* doubles */
    int64_t grown;                       /* of the state: those at its end that earlier versions had not; 0 is right */
    int64_t low;                         /* where in the state the low parts of y are; 0: there are none */
    const char *instance;                /* which template was chosen, for people */
    int fused;                           /* the system has given machine code for it */
    struct lbr_multipliers *multipliers; /* of constraints, or NULL */
    struct lbr_rigid *rigid;             /* rigid bodies, or NULL */
    int watches;                         /* advance watches what work->watch says; else the caller has to */
    lbr_arena *arena;
};

/* The saved part of a trajectory: this header, then nstate doubles. */
typedef struct lbr_head {
    char magic[8];
    uint32_t format, order;        /* version of this header; byte-order mark */
    uint64_t size, plan, checksum; /* bytes in all; digest of what a plan must agree on; of the rest */
    uint64_t name;                 /* digest of the system's name */
    char version[16];
    int64_t n, primed; /* steps done; 1 once the starting procedure has run */
    double t0, h;
    int64_t newton; /* 1: fixed point has failed once, Newton has taken over; 2: and products, too (rk_matrix.h) */
    int64_t matrix; /* not 0: v holds the point where Newton's matrix was taken; how it does is in it (rk_newton.c) */
    double matrix_t;
    lbr_stats stats;
} lbr_head;

/* One trajectory as a stepper sees it. */
struct lbr_work {
    const lbr_setup *setup;
    lbr_head *head;
    double *v;              /* saved */
    double *scratch;        /* not saved */
    double slot_h;          /* the step that scratch is prepared for; 0: none */
    int64_t matrix_ready;   /* scratch holds the factorised matrix of head->matrix */
    lbr_message message;    /* why a call failed */
    int64_t component;      /* of y that this is about; only what names one sets it */
    const lbr_watch *watch; /* what steps watch, where the setup says that they do; or NULL */
    double *look;           /* room for lbr_watch_step */
    double *kept;           /* what atoms keep, where the state has it; or NULL */
    double *foretold;       /* the next series of what this place of the schedule keeps (foretold.h) */
    int64_t series;         /* how many there are from there on */
    double first_off;       /* of the last step, if it was implicit: how far its first iterate was off; or NAN */
};

/* Many states at once, in one array V. The saved doubles of a state are taken in segments of `segment` numbers; states
 * are taken in groups of `width` lanes. In V a segment of all states comes after the other; in it one group after the
 * other; in a group one number after the other, that of all its lanes side by side. So number i of state L is
 * V[((i/segment*groups + L/width)*segment + i%segment)*width + L%width]. */
typedef struct lbr_lanes {
    void (*entry)(void);
    void *ctx; /* the kernel */
    int64_t groups, width, segment;
    const double *m; /* inverse masses of all groups, where they are needed */
} lbr_lanes;

typedef struct lbr_stepper {
    const char *name;
    uint32_t layout; /* version of the saved doubles */
    int (*takes)(const lbr_setup *);
    lbr_status (*build)(lbr_setup *, lbr_message *); /* constants, nstate, nscratch */
    void (*prepare)(lbr_work *);                     /* everything in scratch that depends on h */
    void (*start)(lbr_work *, const double *y);      /* y into v, as it is */
    lbr_status (*advance)(lbr_work *,
                          int64_t n); /* n steps from head->n; head->n is moved by the caller; on failure v is lost */
    lbr_status (*read)(lbr_work *, double *y); /* v untouched */
    /* A kernel for lanes (what it points to is in the arena), and n steps from step k with it, of states that have
     * taken their first step; NULL: none. */
    lbr_status (*lanes)(const lbr_setup *, lbr_lanes *, lbr_arena *, lbr_message *);
    int (*advance_lanes)(lbr_work *, const lbr_lanes *, int64_t k, int64_t n, double *V);
    lbr_status (*read_both)(lbr_work *, double *y, double *low); /* read, with low parts; NULL: it has none to give */
    /* What dense output is made of; NULL: there is none. The tableau, where a step is one implicit Runge-Kutta step
     * (else NULL), and f of the stages of the last step. */
    const lbr_tableau *(*tableau)(const lbr_setup *);
    const double *(*stages)(lbr_work *);
} lbr_stepper;

/* Steppers that several kinds of methods use; a kind may have one of its own. The first one that takes a program runs
 * it. */
/* clang-format off */
#define LBR_STEPPERS(X) X(driftkick) X(runge_kutta) X(nystrom) X(rattle) X(sequence)
#define LBR_STEPPER_DECLARE(name) extern const lbr_stepper lbr_stepper_##name;
/* clang-format on */
LBR_STEPPERS(LBR_STEPPER_DECLARE)
extern const lbr_stepper lbr_stepper_extended; /* which runs all programs of plans in extended precision, or refuses */

/* How lbr_solve shall solve n equations: lbr_equation.newton. */
int lbr_newton_mode(const lbr_setup *setup, int64_t n);
/* "The implicit equations were not solved", with the component, its relative change and the iterations; LBR_ENOCONV. */
lbr_status lbr_work_unsolved(lbr_work *work, int64_t component, double change, int64_t iterations);
/* "The system's force reported a failure"; LBR_ECALLBACK. what: "force". on_the_way: at a place that an iteration came
 * to, which a smaller step may not come to. */
lbr_status lbr_work_failing(lbr_work *work, const char *what, int on_the_way);
/* "The flow of a part reported a failure"; LBR_ECALLBACK. */
lbr_status lbr_work_no_flow(lbr_work *work, const lbr_atom *atom);

/* t of step n. */
static inline double lbr_time(const lbr_head *head, int64_t n) { return fma((double)n, head->h, head->t0); }

/* Compensated y += d (HLW VIII.5, Algorithm 5.1): e holds what y has lost. */
static inline void lbr_compensate(double *y, double *e, double d)
{
    double a = *y, sum = *e + d;
    *y = a + sum;
    *e = (a - *y) + sum;
}

/* The same for d = c x, rounded only once together with e. */
static inline void lbr_compensate_product(double *y, double *e, double c, double x)
{
    double a = *y, sum = fma(c, x, *e);
    *y = a + sum;
    *e = (a - *y) + sum;
}

/* y += d, compensated where e is there. */
static inline void lbr_increment(int64_t n, double *y, double *e, const double *d)
{
    for (int64_t i = 0; i < n; i++) {
        if (e) lbr_compensate(&y[i], &e[i], d[i]);
        else y[i] += d[i];
    }
}

/* y += d where d has the low part already; what is lost is the new one. */
static inline void lbr_add_whole(int64_t n, double *y, double *e, const double *d)
{
    for (int64_t i = 0; i < n; i++) {
        double was = y[i];

        y[i] = was + d[i];
        if (e) e[i] = (was - y[i]) + d[i];
    }
}

/* Flows of parts, and what they need for steps of h: nothing is then allocated in a step. LBR_ENOMEM. */
lbr_status lbr_flows_prepare(const lbr_setup *set, double h, lbr_message *message);

/* The instruction set to use: the option's, or the best this machine has; its name in *text. */
lbr_isa lbr_isa_choose(int option, const char **text);
/* Whether this build and this machine have it. */
int lbr_isa_there(int option);
#endif
