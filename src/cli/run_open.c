/* run_open.c - the model that a command is asked for: a file, one of the gallery, or standard input.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <errno.h>
#include <string.h>

int run_is_input(const char *file) { return !strcmp(file, "-"); }

int run_standard_input(char **text)
{
    char *s = *text = lbr_mem_alloc((size_t)LBR_LONGEST_TEXT + 2);
    size_t n = s ? fread(s, 1, (size_t)LBR_LONGEST_TEXT + 1, stdin) : 0;

    if (!s) return complain("out of memory"), LBR_EXIT_MACHINE;
    if (ferror(stdin)) return complain("standard input: %s", strerror(errno));
    if (n > LBR_LONGEST_TEXT)
        return complain("standard input: longer than %d bytes, the limit of a text" LBR_RAISED(LBR_LONGEST_TEXT),
                        LBR_LONGEST_TEXT);
    if (memchr(s, 0, n)) return complain("standard input: there is a zero byte in it, so it is no text");
    s[n] = 0;
    return LBR_EXIT_DONE;
}

int run_open(const run_settings *s, lbr_problem **problem)
{
    lbr_overrides over = run_overrides(s);
    lbr_status status = LBR_OK;
    char *text = NULL;
    int code = run_is_input(s->file) ? run_standard_input(&text) : LBR_EXIT_DONE;

    if (!code && text) status = lbr_problem_text_with(problem, "stdin", text, ".", &over);
    else if (!code) status = lbr_problem_open_with(problem, s->file, &over);
    lbr_mem_free(text);
    if (!status) return code;
    return run_refuse(*problem ? lbr_problem_message(*problem) : NULL, status);
}
