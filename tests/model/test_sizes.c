/* test_sizes.c - what models cost from text to functions: time and memory, in a process each.
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "support/modelled.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers keep shadows of all memory. */
#if defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define SHADOWS 4
    #endif
#endif
#ifndef SHADOWS
    #define SHADOWS 1
#endif

/* From the text to all functions, in a process of its own: seconds of the processor, megabytes. Nothing that grows with
 * the square of the number of bodies would pass. */
static void limits(const char *text, double seconds, double megabytes)
{
    struct rusage before, after;
    int status = 1;
    double s, mb;
    pid_t child;

    fflush(stdout), getrusage(RUSAGE_CHILDREN, &before);
    if (!(child = fork())) {
        modelled x;
        int good = open_text(&x, text);

        close_model(&x);
        _exit(!good);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) status = 1;
    getrusage(RUSAGE_CHILDREN, &after);
    s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
        1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    mb = (double)after.ru_maxrss / 1024; /* the largest child so far: those that need less come first */
    ok(!status && s < SHADOWS * seconds && mb < SHADOWS * megabytes, "%.*s: %.2f s, %.0f MB", (int)strcspn(text, "\n"),
       text, s, mb);
}

int main(void)
{
    limits("use fpu-chain: m = 500\n", 1, 50), limits("use toda: n = 300, p = 0.1, q = 0.1\n", 1, 50),
        limits("use schroedinger: N = 4096\n", 1, 50);
    limits("use nbody\n", 2, 200), limits("use chain: n = 1000\n", 1, 200);
    return tap_done();
}
