/* peer_odeint.cpp - steppers of Boost.odeint. SPDX-License-Identifier: BSD-3-Clause */
/* The flags of the floors: small loops are slower with SLP vectorisation. */
#pragma GCC optimize("no-tree-slp-vectorize", "fp-contract=fast")
#include "peers.h"

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/symplectic_rkn_sb3a_mclachlan.hpp>
#include <boost/numeric/odeint/stepper/velocity_verlet.hpp>
#include <utility>
#include <vector>

namespace odeint = boost::numeric::odeint;

namespace {

/* Positions and momenta (or velocities) of a system whose nq is known to the compiler, as odeint likes it. */
template <std::size_t N> struct halves {
    using vector = std::array<double, N>;
    const lbr_system *s;
    double *y;
    std::pair<vector, vector> z;

    halves(const lbr_system *system, double *state) : s(system), y(state)
    {
        std::copy(y, y + N, z.first.begin());
        std::copy(y + N, y + 2 * N, z.second.begin());
    }
    int put() const
    {
        std::copy(z.first.begin(), z.first.end(), y);
        std::copy(z.second.begin(), z.second.end(), y + N);
        return 0;
    }
};

template <std::size_t N> int verlet(const lbr_system *s, double h, int64_t n, double *y)
{
    using vector = typename halves<N>::vector;
    halves<N> x(s, y);
    odeint::velocity_verlet<vector> stepper;
    auto acceleration = [s](const vector &q, const vector &, vector &a, double t) {
        s->force(t, q.data(), a.data(), s->ctx);
        for (std::size_t i = 0; i < N; i++) a[i] *= s->inverse_mass[i];
    };

    for (std::size_t i = 0; i < N; i++) x.z.second[i] *= s->inverse_mass[i];
    for (int64_t k = 0; k < n; k++) stepper.do_step(acceleration, x.z, static_cast<double>(k) * h, h);
    for (std::size_t i = 0; i < N; i++) x.z.second[i] /= s->inverse_mass[i];
    return x.put();
}

template <std::size_t N> int mclachlan(const lbr_system *s, double h, int64_t n, double *y)
{
    using vector = typename halves<N>::vector;
    halves<N> x(s, y);
    odeint::symplectic_rkn_sb3a_mclachlan<vector> stepper;
    auto velocity = [s](const vector &p, vector &v) {
        for (std::size_t i = 0; i < N; i++) v[i] = s->inverse_mass[i] * p[i];
    };
    auto force = [s](const vector &q, vector &f) { s->force(0, q.data(), f.data(), s->ctx); };
    auto both = std::make_pair(velocity, force);

    for (int64_t k = 0; k < n; k++) stepper.do_step(both, x.z, static_cast<double>(k) * h, h);
    return x.put();
}

template <std::size_t N> int rk4(const lbr_system *s, double h, int64_t n, double *y)
{
    using vector = std::array<double, 2 * N>;
    vector x;
    odeint::runge_kutta4<vector> stepper;
    auto field = [s](const vector &z, vector &rate, double t) {
        for (std::size_t i = 0; i < N; i++) rate[i] = s->inverse_mass[i] * z[N + i];
        s->force(t, z.data(), rate.data() + N, s->ctx);
    };

    std::copy(y, y + 2 * N, x.begin());
    for (int64_t k = 0; k < n; k++) stepper.do_step(field, x, static_cast<double>(k) * h, h);
    std::copy(x.begin(), x.end(), y);
    return 0;
}

/* Henon-Heiles as one writes it for odeint alone: the force inside. */
template <class vector> int henon_heiles(const lbr_system *, double h, int64_t n, double *y)
{
    std::pair<vector, vector> z{ { y[0], y[1] }, { y[2], y[3] } };
    odeint::velocity_verlet<vector> stepper;
    auto acceleration = [](const vector &q, const vector &, vector &a, double) {
        a[0] = -q[0] - 2 * q[0] * q[1];
        a[1] = -q[1] - q[0] * q[0] + q[1] * q[1];
    };

    for (int64_t k = 0; k < n; k++) stepper.do_step(acceleration, z, static_cast<double>(k) * h, h);
    std::copy(z.first.begin(), z.first.end(), y);
    std::copy(z.second.begin(), z.second.end(), y + 2);
    return 0;
}

/* nq is compiled in for the systems that are measured. */
#define FOR_NQ(name)                                                                      \
    int any_##name(const lbr_system *s, double h, int64_t n, double *y)                   \
    {                                                                                     \
        return s->nq == 2 ? name<2>(s, h, n, y) : s->nq == 18 ? name<18>(s, h, n, y) : 1; \
    }
FOR_NQ(verlet)
FOR_NQ(mclachlan)
FOR_NQ(rk4)

}  // namespace

const peer peers_odeint[] = { { "odeint", "velocity_verlet", any_verlet },
                              { "odeint", "symplectic_rkn_sb3a_mclachlan", any_mclachlan },
                              { "odeint", "runge_kutta4", any_rk4 },
                              { nullptr, nullptr, nullptr } };

const peer peers_odeint_inlined[] = { { "odeint", "std::vector", henon_heiles<std::vector<double>> },
                                      { "odeint", "std::array", henon_heiles<std::array<double, 2>> },
                                      { nullptr, nullptr, nullptr } };
