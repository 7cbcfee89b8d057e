/* share.h - how many of many alike cases a test tries: a share in make test, every one in make test-long, which sets
 * LBR_ALL. SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ones are left out does not change from run to run, and whatever a test tries has a case in each share. */
#ifndef TEST_SHARE_H
#define TEST_SHARE_H
#include <stdint.h>
#include <stdlib.h>

#if defined __SANITIZE_ADDRESS__
    #define SHARE_SANITIZED 1
#elif defined __has_feature
    #if __has_feature(address_sanitizer)
        #define SHARE_SANITIZED 1
    #endif
#endif
#ifndef SHARE_SANITIZED
    #define SHARE_SANITIZED 0
#endif

/* A number of cases, or the distance from one to the next: for all of them; for make test; for make test under
 * sanitizers, which are slow, and where the other builds have tried the others. */
__attribute__((unused)) static int64_t share(int64_t all, int64_t plain, int64_t sanitized)
{
    const char *every = getenv("LBR_ALL");

    if (every && *every) return all;
    return SHARE_SANITIZED ? sanitized : plain;
}

/* Whether case i is tried, where one of `plain`, or one of `sanitized`, is. */
__attribute__((unused)) static int in_share(int64_t i, int64_t plain, int64_t sanitized)
{
    return i % share(1, plain, sanitized) == 0;
}
#endif
