/* digest.h - a digest of bytes that tells them from all others. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_DIGEST_H
#define LBR_KERNEL_DIGEST_H
#include <stddef.h>
#include <stdint.h>

enum { LBR_DIGEST = 32, LBR_DIGEST_HEX = 2 * LBR_DIGEST + 1 }; /* bytes; characters, with the 0 */
typedef struct lbr_digest {
    unsigned char byte[LBR_DIGEST];
} lbr_digest;

/* BLAKE2b (RFC 7693) of 256 bits without a key: begin, add pieces, end. */
typedef struct lbr_digester {
    uint64_t h[8], bytes;
    size_t used;
    unsigned char block[128];
} lbr_digester;
void lbr_digest_begin(lbr_digester *d);
void lbr_digest_add(lbr_digester *d, const void *bytes, size_t n);
void lbr_digest_text(lbr_digester *d, const char *text); /* with its 0: where a text ends is part of it */
void lbr_digest_end(lbr_digester *d, lbr_digest *digest);

void lbr_digest_hex(const lbr_digest *digest, char hex[LBR_DIGEST_HEX]);
#endif
