/* symbols.c - names of functions in a shared object, from its table of symbols. SPDX-License-Identifier: BSD-3-Clause
 *
 * Static functions are in no table that the loader reads, but in one that linkers leave in the file (.symtab) unless
 * they are told not to. The file is taken for anything: every place that it names is checked against its length. */
#include "symbols.h"

#include <string.h>

int lbr_symbol_is_name(const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *s && !strchr("0123456789", *s) && strspn(s, letters) == strlen(s);
}

#if defined __linux__ && defined __LP64__
    #include <elf.h>

typedef struct file {
    const char *bytes;
    uint64_t size;
} file;
typedef struct table {
    Elf64_Ehdr head;
    Elf64_Shdr symbols, strings;
} table;

static int inside(const file *f, uint64_t from, uint64_t n) { return from <= f->size && n <= f->size - from; }

/* Copied, since nothing says that it is aligned. */
static int get(const file *f, void *to, uint64_t from, size_t n)
{
    if (!inside(f, from, n)) return 0;
    memcpy(to, f->bytes + from, n);
    return 1;
}

static int is_object(const file *f, Elf64_Ehdr *h)
{
    const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

    return get(f, h, 0, sizeof *h) && !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_ident[EI_DATA] == order && h->e_type == ET_DYN && h->e_shentsize == sizeof(Elf64_Shdr);
}

/* Section i, whose contents are in the file. */
static int section(const file *f, const Elf64_Ehdr *h, uint64_t i, Elf64_Shdr *s)
{
    return i < h->e_shnum && h->e_shoff <= f->size && get(f, s, h->e_shoff + i * sizeof *s, sizeof *s) &&
           inside(f, s->sh_offset, s->sh_size);
}

/* The table of symbols and that of their names. */
static int find(const file *f, table *t)
{
    if (!is_object(f, &t->head)) return 0;
    for (uint64_t i = 0; i < t->head.e_shnum; i++)
        if (section(f, &t->head, i, &t->symbols) && t->symbols.sh_type == SHT_SYMTAB)
            return t->symbols.sh_entsize == sizeof(Elf64_Sym) &&
                   section(f, &t->head, t->symbols.sh_link, &t->strings) && t->strings.sh_type == SHT_STRTAB;
    return 0;
}

/* The name of a symbol, if it is one of C and has an end. */
static int name_of(const file *f, const table *t, const Elf64_Sym *s, char name[LBR_SYMBOL])
{
    uint64_t most;

    if (s->st_name >= t->strings.sh_size) return 0;
    most = t->strings.sh_size - s->st_name;
    if (most > LBR_SYMBOL) most = LBR_SYMBOL;
    memcpy(name, f->bytes + t->strings.sh_offset + s->st_name, most);
    return memchr(name, 0, most) && lbr_symbol_is_name(name);
}

int lbr_symbol_name(const void *object, size_t size, uint64_t offset, char name[LBR_SYMBOL])
{
    const file f = { object, size };
    table t;
    Elf64_Sym s;
    int found = 0;

    if (!find(&f, &t)) return 1;
    for (uint64_t i = 0; i < t.symbols.sh_size / sizeof s; i++) {
        if (!get(&f, &s, t.symbols.sh_offset + i * sizeof s, sizeof s)) return 1;
        if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || s.st_shndx >= SHN_LORESERVE ||
            s.st_value != offset)
            continue;
        if (found++ || !name_of(&f, &t, &s, name)) return 1;
    }
    return !found;
}
#else
int lbr_symbol_name(const void *object, size_t size, uint64_t offset, char name[LBR_SYMBOL]) { return 1; }
#endif
