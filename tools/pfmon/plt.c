// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names the stubs in a program's procedure linkage table (PLT), by which it calls
 * functions of shared libraries. The symbol table has no entries for them. A stub is an
 * indirect jump, whose target is in memory, in a slot. The dynamic linker fills the slot
 * in, as a relocation tells it; that relocation's symbol is the function's name.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plt.h"
#include "text.h"

#define STUB_MAX	16	/* bytes that are looked at */
#define ENTRY_MAX	4096	/* bytes from one stub to the next */
/* Relocations, and stubs, that are looked at in a file: sections may overlap. */
#define LOOKED_MAX	(1U << 20)

struct slot {
	uint64_t addr;
	const char *function;
};

struct slots {
	struct slot *slot;
	size_t n;
	size_t relocations, stubs;	/* that were looked at */
	uint64_t got;		/* what i386's position-independent stubs add */
};

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool get_relocation(Elf_Data *data, bool addend, int i, GElf_Rela *r)
{
	GElf_Rel rel;

	if (addend)
		return gelf_getrela(data, i, r);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*r = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

/* The slots of one section of relocations that name symbols. */
static void add_slots(struct slots *slots, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Scn *symbols = elf_getscn(elf, shdr->sh_link);
	Elf_Data *data, *table;
	bool addend = shdr->sh_type == SHT_RELA;
	/* Not what the file says: it may be anything. */
	size_t one = gelf_fsize(elf, addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	struct slot *more;
	GElf_Shdr of;
	GElf_Rela r;
	GElf_Sym sym;
	size_t n, i;

	if (!one || !symbols || !gelf_getshdr(symbols, &of) || of.sh_type != SHT_DYNSYM ||
	    shdr->sh_size / one > LOOKED_MAX - slots->relocations)
		return;
	n = (size_t)(shdr->sh_size / one);
	slots->relocations += n;
	data = elf_getdata(scn, NULL);
	table = elf_getdata(symbols, NULL);
	if (!data || !table || !n)
		return;
	more = reallocarray(slots->slot, slots->n + n, sizeof(*more));
	if (!more)
		return;
	slots->slot = more;
	for (i = 0; i < n && get_relocation(data, addend, (int)i, &r); i++) {
		const char *name;

		if (!GELF_R_SYM(r.r_info) ||
		    !gelf_getsym(table, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		name = elf_strptr(elf, of.sh_link, sym.st_name);
		if (name && *name)
			slots->slot[slots->n++] = (struct slot){ r.r_offset, name };
	}
}

/*
 * The address of the slot through which the stub at address @addr jumps, taken from
 * @code, its first bytes. @got is what the register of i386's position-independent stubs
 * holds, the address of the global offset table. 0: this is no stub that we know.
 */
static uint64_t slot_of(const unsigned char code[STUB_MAX], uint64_t addr, int machine,
			uint64_t got)
{
	static const unsigned char endbr[] = { 0xf3, 0x0f, 0x1e };
	size_t at = 0;
	int32_t value;

	if (!memcmp(code, endbr, sizeof(endbr)))
		at = 4;
	at += code[at] == 0xf2;			/* bnd */
	if (code[at] != 0xff)			/* jmp */
		return 0;
	memcpy(&value, code + at + 2, sizeof(value));
	if (machine == EM_X86_64)		/* *VALUE(%rip) */
		return code[at + 1] == 0x25 ? addr + at + 6 + (uint64_t)(int64_t)value : 0;
	if (code[at + 1] == 0xa3)		/* *VALUE(%ebx) */
		return (uint32_t)(got + (uint64_t)value);
	return code[at + 1] == 0x25 ? (uint32_t)value : 0;	/* *VALUE */
}

static void add_stub(struct symtab *t, const struct slots *slots, uint64_t addr,
		     uint64_t size, uint64_t slot)
{
	const struct slot *found = slot ? bsearch(&(struct slot){ .addr = slot }, slots->slot,
						  slots->n, sizeof(*found), by_addr) : NULL;
	char name[512];

	if (!found)
		return;
	snprintf(name, sizeof(name), "%s@plt", found->function);
	symtab_add(t, &(struct symbol){ .addr = addr, .size = size,
					.name = text_intern(name) });
}

static void add_stubs(struct symtab *t, struct slots *slots, Elf_Scn *scn,
		      const GElf_Shdr *shdr, int machine)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	unsigned char code[STUB_MAX];
	/* i386 says 4, whatever that is. */
	uint64_t entsize = shdr->sh_entsize < 8 ? STUB_MAX : shdr->sh_entsize;
	size_t at, n, size = (size_t)entsize;

	/* Of 64 bits, of which a size_t may lose the upper half. */
	if (!data || !data->d_buf || entsize > ENTRY_MAX)
		return;
	for (at = 0; at < data->d_size && size <= data->d_size - at &&
		     slots->stubs < LOOKED_MAX; at += size, slots->stubs++) {
		n = data->d_size - at < STUB_MAX ? data->d_size - at : STUB_MAX;
		memset(code, 0, sizeof(code));
		memcpy(code, (const char *)data->d_buf + at, n);
		add_stub(t, slots, shdr->sh_addr + at, size,
			 slot_of(code, shdr->sh_addr + at, machine, slots->got));
	}
}

void plt_add_symbols(struct symtab *t, Elf *elf)
{
	struct slots slots = { 0 };
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;
	size_t names;

	/* Of the other byte order libelf would make a copy of each section. */
	if (!gelf_getehdr(elf, &ehdr) || elf_getshdrstrndx(elf, &names) ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_386))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (shdr.sh_type == SHT_RELA || shdr.sh_type == SHT_REL)
			add_slots(&slots, elf, scn, &shdr);
		else if (name && (!strcmp(name, ".got.plt") ||
				  (!strcmp(name, ".got") && !slots.got)))
			slots.got = shdr.sh_addr;
	}
	if (slots.n)
		qsort(slots.slot, slots.n, sizeof(*slots.slot), by_addr);
	while (slots.n && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name && !strncmp(name, ".plt", 4))
			add_stubs(t, &slots, scn, &shdr, ehdr.e_machine);
	}
	free(slots.slot);
}
