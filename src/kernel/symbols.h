/* symbols.h - names of functions in a shared object. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBR_KERNEL_SYMBOLS_H
#define LBR_KERNEL_SYMBOLS_H
#include <stddef.h>
#include <stdint.h>

enum { LBR_SYMBOL = 256 };

/* The name of the function, static or not, that begins `offset` bytes behind where the object is loaded; 0. Non-zero:
 * there is none, it has several, or it is no name of C. The bytes may be anything. */
int lbr_symbol_name(const void *object, size_t size, uint64_t offset, char name[LBR_SYMBOL]);

/* Whether a text is a name of C (it may be a word of the language). */
int lbr_symbol_is_name(const char *text);
#endif
