// SPDX-License-Identifier: GPL-2.0-only
/* The functions of a program or library, by elfutils' libelf. */
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identity.h"
#include "plt.h"
#include "symtab.h"
#include "text.h"

/* What is looked at for a build ID: the file may be made to be endless. */
#define PHDRS_MAX	256
#define NOTE_BYTES_MAX	65536	/* bytes in a segment of them */

const bool symtab_has_elf = true;

static void add_segments(struct symtab *t, Elf *elf)
{
	struct segment s;
	GElf_Phdr p;
	size_t n, i;

	if (elf_getphdrnum(elf, &n))
		return;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD ||
		    !(p.p_flags & PF_X))
			continue;
		s = (struct segment){ p.p_offset, p.p_filesz, p.p_vaddr };
		symtab_add_segment(t, &s);
	}
}

/* Functions, and labels of assembly that are code. */
static bool is_code(Elf *elf, const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr shdr;

	if (sym->st_shndx == SHN_UNDEF || !sym->st_value)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && sym->st_shndx < SHN_LORESERVE &&
	       gelf_getshdr(elf_getscn(elf, sym->st_shndx), &shdr) &&
	       (shdr.sh_flags & SHF_EXECINSTR);
}

/* Of several names of a function: a function's, then the one that all see. */
static int rank(const GElf_Sym *sym)
{
	int bind = GELF_ST_BIND(sym->st_info);

	return 4 * (GELF_ST_TYPE(sym->st_info) != STT_NOTYPE) +
	       (bind == STB_GLOBAL ? 2 : bind == STB_WEAK);
}

/* Where the section of a symbol ends, 0 if it has none. */
static uint64_t end_of_section(Elf *elf, const GElf_Sym *sym)
{
	GElf_Shdr shdr;

	if (sym->st_shndx >= SHN_LORESERVE ||
	    !gelf_getshdr(elf_getscn(elf, sym->st_shndx), &shdr))
		return 0;
	return shdr.sh_addr + shdr.sh_size;
}

static void add_symbols(struct symtab *t, Elf *elf, Elf_Scn *scn,
			const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n, i;
	GElf_Sym sym;

	if (!data || !shdr->sh_entsize)
		return;
	n = shdr->sh_size / shdr->sh_entsize;
	for (i = 0; i < n && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name;
		struct symbol s;

		if (!is_code(elf, &sym))
			continue;
		name = elf_strptr(elf, shdr->sh_link, sym.st_name);
		/* Labels of the assembler and mapping symbols are no names. */
		if (!name || !*name || *name == '.' || *name == '$')
			continue;
		s = (struct symbol){ .addr = sym.st_value, .size = sym.st_size,
				     .name = text_intern(name), .rank = rank(&sym),
				     .end = sym.st_size ? 0 : end_of_section(elf, &sym) };
		symtab_add(t, &s);
	}
}

static int read_elf(struct symtab *t, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_kind(elf) != ELF_K_ELF)
		return -1;
	add_segments(t, elf);
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    (shdr.sh_type == SHT_SYMTAB || shdr.sh_type == SHT_DYNSYM))
			add_symbols(t, elf, scn, &shdr);
	plt_add_symbols(t, elf);
	symtab_sort(t);
	return 0;
}

/* Read, not mapped: a process that truncates the file must not kill us. */
int symtab_read_elf(struct symtab *t, const char *path)
{
	struct stat st;
	int fd = identity_open(path, &st), ret = -1;
	Elf *elf;

	if (fd < 0)
		return -1;
	if (elf_version(EV_CURRENT) != EV_NONE) {
		elf = elf_begin(fd, ELF_C_READ, NULL);
		if (elf) {
			ret = read_elf(t, elf);
			elf_end(elf);
		}
	}
	close(fd);
	return ret;
}

static uint32_t find_build_id(Elf_Data *notes, uint8_t *id, size_t size)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (notes && (at = gelf_getnote(notes, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((char *)notes->d_buf + name, "GNU", sizeof("GNU")) ||
		    note.n_descsz > size)
			continue;
		memcpy(id, (char *)notes->d_buf + desc, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

uint32_t symtab_build_id(int fd, uint8_t *id, size_t size)
{
	uint32_t found = 0;
	size_t n = 0, i;
	GElf_Phdr p;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return 0;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return 0;
	/* To get one is to read all. */
	if (elf_kind(elf) == ELF_K_ELF && (elf_getphdrnum(elf, &n) || n > PHDRS_MAX))
		n = 0;
	for (i = 0; i < n && !found; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_NOTE &&
		    p.p_filesz <= NOTE_BYTES_MAX)
			found = find_build_id(elf_getdata_rawchunk(elf, (int64_t)p.p_offset,
				p.p_filesz, p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
				id, size);
	elf_end(elf);
	return found;
}
