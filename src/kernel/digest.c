/* digest.c - a digest of bytes: BLAKE2b (RFC 7693). SPDX-License-Identifier: BSD-3-Clause
 *
 * Names in the cache stand for what they were made of, so two things must never have one name, whoever wrote them: FNV
 * will not do. This one is sound, needs no tables but ten permutations, and reads 50 kB in a tenth of a millisecond. */
#include "digest.h"

#include <string.h>

enum { BLOCK = 128, ROUNDS = 12 };

/* The first 64 bits of the fractions of the square roots of 2, 3, 5, 7, 11, 13, 17, 19. */
static const uint64_t start[8] = {
    UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
    UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179),
};

/* Which words of a block a round takes, in order; rounds 10 and 11 are 0 and 1 again. */
static const unsigned char order[10][16] = {
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 }, { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
    { 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 }, { 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
    { 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 }, { 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
    { 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 }, { 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
    { 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 }, { 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
};

static inline uint64_t turn(uint64_t x, int n) { return x >> n | x << (64 - n); }

static inline void mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x, v[d] = turn(v[d] ^ v[a], 32);
    v[c] += v[d], v[b] = turn(v[b] ^ v[c], 24);
    v[a] += v[b] + y, v[d] = turn(v[d] ^ v[a], 16);
    v[c] += v[d], v[b] = turn(v[b] ^ v[c], 63);
}

static uint64_t word(const unsigned char *b) /* low byte first, on any machine */
{
    uint64_t w = 0;

    for (int i = 7; i >= 0; i--) w = w << 8 | b[i];
    return w;
}

static void compress(lbr_digester *d, const unsigned char *block, int last)
{
    uint64_t v[16], m[16];

    for (int i = 0; i < 16; i++) m[i] = word(block + 8 * i), v[i] = i < 8 ? d->h[i] : start[i - 8];
    v[12] ^= d->bytes; /* no text has 2^64 bytes: the upper half of the count is 0 */
    if (last) v[14] = ~v[14];
    for (int r = 0; r < ROUNDS; r++) {
        const unsigned char *s = order[r % 10];

        for (int i = 0; i < 4; i++) mix(v, i, 4 + i, 8 + i, 12 + i, m[s[2 * i]], m[s[2 * i + 1]]);
        for (int i = 0; i < 4; i++)
            mix(v, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, m[s[8 + 2 * i]], m[s[9 + 2 * i]]);
    }
    for (int i = 0; i < 8; i++) d->h[i] ^= v[i] ^ v[8 + i];
}

void lbr_digest_begin(lbr_digester *d)
{
    memset(d, 0, sizeof *d);
    memcpy(d->h, start, sizeof start);
    d->h[0] ^= UINT64_C(0x01010000) ^ LBR_DIGEST; /* its parameters: one leaf, no key, so many bytes */
}

/* A full block waits until more comes: the last one is treated as such. */
void lbr_digest_add(lbr_digester *d, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;

    while (n) {
        size_t most = BLOCK - d->used, take = n < most ? n : most;

        if (!most) {
            d->bytes += BLOCK, d->used = 0;
            compress(d, d->block, 0);
            continue;
        }
        memcpy(d->block + d->used, from, take);
        d->used += take, from += take, n -= take;
    }
}

void lbr_digest_text(lbr_digester *d, const char *text) { lbr_digest_add(d, text, strlen(text) + 1); }

void lbr_digest_end(lbr_digester *d, lbr_digest *digest)
{
    d->bytes += d->used;
    memset(d->block + d->used, 0, BLOCK - d->used);
    compress(d, d->block, 1);
    for (int i = 0; i < LBR_DIGEST; i++) digest->byte[i] = (unsigned char)(d->h[i / 8] >> 8 * (i % 8));
}

void lbr_digest_hex(const lbr_digest *digest, char hex[LBR_DIGEST_HEX])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < LBR_DIGEST; i++)
        hex[2 * i] = digits[digest->byte[i] >> 4], hex[2 * i + 1] = digits[digest->byte[i] & 15];
    hex[2 * LBR_DIGEST] = 0;
}
