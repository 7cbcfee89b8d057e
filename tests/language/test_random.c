/* test_random.c - random numbers: the published vectors, the distribution, the last bits of the quantile.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "language/random.h"

enum { N = 200000 };
static double sample[N];

/* The known answers that come with Random123 for philox4x32-10: every bit of the cipher is in them. */
static void known(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } vector[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { ~0u, ~0u, ~0u, ~0u }, { ~0u, ~0u }, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    uint32_t out[4];

    for (int i = 0; i < 3; i++) {
        lbr_philox(vector[i].counter, vector[i].key, out);
        ok(!memcmp(out, vector[i].out, sizeof out), "known answer %d of Philox4x32-10", i + 1);
    }
}

/* What a number is a function of. */
static void arguments(void)
{
    int64_t i[] = { 3, -1, 7, 0, 0 }, wrapped[] = { 3 + (INT64_C(1) << 32), 0xffffffff, 7 }, other[] = { 3, -1, 8 };
    const uint32_t counter[] = { 3, 0xffffffff, 7, 0 }, key[] = { 5, 9 };
    uint32_t out[4];
    double u = lbr_random(5 + (UINT64_C(9) << 32), i, 3);

    lbr_philox(counter, key, out);
    ok((uint64_t)(u * 0x1p53) == (((uint64_t)(out[0] >> 5) << 26 | out[1] >> 6) | 1),
       "the leading 52 bits are those of the first two words");
    ok(u == lbr_random(5 + (UINT64_C(9) << 32), wrapped, 3), "indices count modulo 2^32, negative ones too");
    ok(u == lbr_random(5 + (UINT64_C(9) << 32), i, 4), "an index that is missing is 0");
    ok(u != lbr_random(5 + (UINT64_C(9) << 32), other, 3) && u != lbr_random(5, i, 3) &&
           u != lbr_random(6 + (UINT64_C(9) << 32), i, 3),
       "another index, another seed: another number");
    ok(isnan(lbr_random(5, i, 5)) && isnan(lbr_random(5, i, -1)) && isnan(lbr_normal(5, i, 5)),
       "five indices are too many");
    ok(lbr_normal(5, i, 2) == lbr_normal_quantile(lbr_random(5, i, 2)), "a normal number is a quantile");
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* sqrt(N) times the largest distance from the distribution: above 2 with probability 7e-4, and of a wrong one far
 * above. */
static double kolmogorov(int normal)
{
    double worst = 0;

    qsort(sample, N, sizeof *sample, ascending);
    for (int i = 0; i < N; i++) {
        double P = normal ? erfc(-sample[i] / sqrt(2)) / 2 : sample[i];
        worst = fmax(worst, fmax(fabs(P - (double)i / N), fabs((i + 1.0) / N - P)));
    }
    return worst * sqrt(N);
}

static void uniform(void)
{
    double mean = 0, next = 0, last = 0;
    int inside = 1, odd = 1;

    for (int64_t i = 0; i < N; i++) {
        double u = sample[i] = lbr_random(1, &i, 1);

        inside &= u > 0 && u < 1, odd &= (uint64_t)(u * 0x1p53) % 2 && 1 - (1 - u) == u;
        mean += u / N, next += (u - 0.5) * (last - 0.5) * 12 / N, last = u;
    }
    ok(inside && odd, "in (0, 1), and 1 - u is exact");
    near(mean, 0.5, 4 * sqrt(1.0 / 12 / N), "mean 1/2");
    near(next, 0, 4 / sqrt(N), "neighbours are not correlated");
    ok(kolmogorov(0) < 2, "uniform: %.2f", kolmogorov(0));
}

static void gaussian(void)
{
    static const double moment[] = { 0, 1, 0, 3, 0, 15 }, variance[] = { 1, 2, 15, 96, 945, 10170 };
    double sum[6] = { 0 };

    for (int64_t i = 0; i < N; i++) {
        int64_t index[] = { i % 100, i / 100 };
        double x = sample[i] = lbr_normal(2, index, 2), power = 1;
        for (int k = 0; k < 6; k++) sum[k] += (power *= x) / N;
    }
    for (int k = 0; k < 6; k++)
        ok(fabs(sum[k] - moment[k]) < 4 * sqrt(variance[k] / N), "moment %d is %g: %.4f", k + 1, moment[k], sum[k]);
    ok(kolmogorov(1) < 2, "normal: %.2f", kolmogorov(1));
    for (int i = 0; i < N; i++) sample[i] *= 1.02;
    ok(kolmogorov(1) > 2, "and one of deviation 1.02 is not: %.2f", kolmogorov(1));
}

/* Quantiles to 20 digits, from 50-digit arithmetic. Three units in the last place: a coefficient wrong in its 15th
 * digit is seen. */
static void quantiles(void)
{
    static const struct {
        double u, x;
    } exact[] = {
        { 0x1p-1074, -38.467405617144346251 },
        { 0x1p-1000, -37.11101193716479141 },
        { 0x1p-300, -20.199856642545821698 },
        { 0x1.8p-57, -8.4891427948836343335 },
        { 0x1p-54, -8.2923610758135955382 },
        { 0x1p-53, -8.2095361516013868556 },
        { 0x1.8p-30, -5.9432670085627167171 },
        { 0x1p-14, -3.8419306855019108708 },
        { 0x1.4p-13, -3.6108664520963570118 },
        { 0x1.9p-9, -2.7421677822521662858 },
        { 0x1.5p-5, -1.7390199717299038353 },
        { 0x1.ffffffffffffep-4, -1.1503493803760083131 },
        { 0x1p-3, -1.1503493803760081783 },
        { 0x1.0000000000001p-3, -1.1503493803760080435 },
        { 0x1.1p-3, -1.1131942771609286753 },
        { 0x1.8p-3, -0.88714655901887605669 },
        { 0x1.2345678p-2, -0.56968865261732354227 },
        { 0x1.8p-2, -0.31863936396437516302 },
        { 0x1.fp-2, -0.039176085503097629566 },
        { 0x1.ffffp-2, -9.5620280253189023357e-6 },
        { 0x1.fffffffffffffp-2, -1.3914582123358834611e-16 },
        { 0x1.0000000000001p-1, 2.7829164246717669222e-16 },
        { 0x1.00001p-1, 1.1952535031469332426e-6 },
        { 0x1.3p-1, 0.23720210932878769112 },
        { 0x1.bfffffffffffdp-1, 1.1503493803760065603 },
        { 0x1.c000000000003p-1, 1.1503493803760097963 },
        { 0x1.ep-1, 1.5341205443525463117 },
        { 0x1.ffffcp-1, 4.6212310014992471566 },
        { 0x1.fffffffffffffp-1, 8.2095361516013868556 },
    };
    double worst = 0;
    int odd = 1;

    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        double x = exact[i].x, unit = nextafter(fabs(x), INFINITY) - fabs(x);
        worst = fmax(worst, fabs(lbr_normal_quantile(exact[i].u) - x) / unit);
    }
    ok(worst < 3, "quantiles within %.2f units in the last place", worst);
    for (int64_t i = 0; i < 10000; i++) {
        double u = lbr_random(3, &i, 1);
        odd &= lbr_normal_quantile(u) == -lbr_normal_quantile(1 - u);
    }
    ok(odd && lbr_normal_quantile(0.5) == 0, "exactly odd about 1/2");
    ok(isnan(lbr_normal_quantile(0)) && isnan(lbr_normal_quantile(1)) && isnan(lbr_normal_quantile(-1)) &&
           isnan(lbr_normal_quantile(NAN)),
       "no quantile outside (0, 1)");
}

/* The same bits from every compiler and on every machine. */
static void bits(void)
{
    uint64_t hash = LBR_HASH;

    for (int64_t i = -5000; i < 5000; i++) {
        double x = lbr_normal(7, &i, 1);
        uint64_t word;

        memcpy(&word, &x, sizeof word);
        for (int k = 0; k < 64; k += 8) hash = lbr_hash(hash, &(unsigned char){ (unsigned char)(word >> k) }, 1);
    }
    ok(hash == UINT64_C(0x89e86857852859e2), "ten thousand normal numbers have the bits they always had: %016llx",
       (unsigned long long)hash);
}

int main(void)
{
    known(), arguments(), uniform(), gaussian(), quantiles(), bits();
    return tap_done();
}
