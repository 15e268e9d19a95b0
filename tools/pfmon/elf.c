// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of a program or library, by elfutils' libdw: of its symbol table, of that
 * of its debug file, or of the small one that is packed into .gnu_debugdata.
 */
#define _GNU_SOURCE
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debugfile.h"
#include "identity.h"
#include "plt.h"
#include "symtab.h"
#include "text.h"

/* What is looked at for a build ID: the file may be made to be endless. */
#define PHDRS_MAX	256
#define NOTE_BYTES_MAX	65536	/* bytes in a segment of them */

#define SYMBOLS_MAX	(2 << 20)	/* that are looked at in a file */

const bool symtab_has_elf = true;

/* The @i-th program header, if it is one of code. */
static bool get_segment(Elf *elf, size_t i, struct segment *s)
{
	GElf_Phdr p;

	if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X))
		return false;
	*s = (struct segment){ p.p_offset, p.p_filesz, p.p_vaddr };
	return true;
}

static void add_segments(struct symtab *t, Elf *elf)
{
	struct segment s;
	size_t n, i;

	if (elf_getphdrnum(elf, &n))
		return;
	for (i = 0; i < n; i++)
		if (get_segment(elf, i, &s))
			symtab_add_segment(t, &s);
}

/* Functions, and labels of assembly that are code. */
static bool is_code(Elf *elf, const GElf_Sym *sym, GElf_Word section)
{
	int type = GELF_ST_TYPE(sym->st_info);
	GElf_Shdr shdr;

	if (section == SHN_UNDEF || !sym->st_value)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && section < SHN_LORESERVE &&
	       gelf_getshdr(elf_getscn(elf, section), &shdr) &&
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
static uint64_t end_of_section(Elf *elf, GElf_Word section, GElf_Addr bias)
{
	GElf_Shdr shdr;

	if (section >= SHN_LORESERVE || !gelf_getshdr(elf_getscn(elf, section), &shdr))
		return 0;
	return shdr.sh_addr + shdr.sh_size + bias;
}

/*
 * The address of a symbol's code. libdw's @resolved can be a place that stands for the
 * function elsewhere, so take the symbol's value; but in PowerPC of 64 bits that can be a
 * descriptor, which @resolved has followed.
 */
static uint64_t code_of(Elf *elf, const GElf_Sym *sym, GElf_Addr resolved, GElf_Addr bias)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_PPC64 ? resolved :
	       sym->st_value + bias;
}

/*
 * Labels of the assembler, and the mapping symbols of ARM and RISC-V ($a, $d, $t, $x, and
 * more behind that), which have no type. Functions of Swift begin with $, and what clang
 * makes of OpenMP's loops with a full stop (.omp_outlined.); but in PowerPC of 64 bits that
 * is another name of the function whose descriptor has the one without.
 */
static bool is_label(Elf *elf, const char *name, const GElf_Sym *sym)
{
	GElf_Ehdr ehdr;

	if (*name == '.' && gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_PPC64)
		return true;
	return (*name == '.' || (*name == '$' && name[1] && strchr("adtx", name[1]))) &&
	       GELF_ST_TYPE(sym->st_info) == STT_NOTYPE;
}

static void add_symbols(struct symtab *t, Dwfl_Module *module, int n)
{
	GElf_Addr addr, bias;
	GElf_Word section;
	const char *name;
	struct symbol s;
	GElf_Sym sym;
	Elf *elf;
	int i;

	for (i = 0; i < n && i < SYMBOLS_MAX; i++) {
		name = dwfl_module_getsym_info(module, i, &sym, &addr, &section, &elf, &bias);
		if (!name || !*name || is_label(elf, name, &sym) || !is_code(elf, &sym, section))
			continue;
		s = (struct symbol){ .addr = code_of(elf, &sym, addr, bias), .size = sym.st_size,
				     .name = name, .rank = rank(&sym) };
		if (!s.size)
			s.end = end_of_section(elf, section, bias);
		symtab_add(t, &s);
	}
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	/* libdwfl would unpack other files, to whatever size. */
	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

static int read_module(struct symtab *t, Dwfl_Module *module, int original)
{
	struct rlimit before = { RLIM_INFINITY, RLIM_INFINITY };
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	int n;

	if (!elf)
		return -1;
	if (!t->segments)
		add_segments(t, elf);
	/*
	 * What is packed in it, or in the debug file that debugfile_find() opens meanwhile,
	 * may be small, and endless when it is unpacked.
	 */
	getrlimit(RLIMIT_DATA, &before);
	symtab_limit(original);
	n = dwfl_module_getsymtab(module);
	setrlimit(RLIMIT_DATA, &before);
	add_symbols(t, module, n);
	plt_add_symbols(t, elf);
	symtab_sort(t);
	return 0;
}

static int read_file(struct symtab *t, Dwfl *dwfl, int fd, const char *path, int original)
{
	Dwfl_Module *module;

	dwfl_report_begin(dwfl);
	/* Takes the descriptor if all is well. */
	module = dwfl_report_elf(dwfl, "", path, fd, 0, true);
	if (!module)
		close(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	return module ? read_module(t, module, original) : -1;
}

int symtab_read_fd(struct symtab *t, int fd, const char *path)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = debugfile_find };
	int copy;

	if (!is_elf(fd))
		return -1;
	copy = symtab_guard(fd);
	if (copy < 0)
		return -1;
	/* The names are in it, until symtab_close(). */
	t->file = dwfl_begin(&callbacks);
	if (!t->file) {
		close(copy);
		return -1;
	}
	return read_file(t, t->file, copy, path, fd);
}

int symtab_read_elf(struct symtab *t, const char *path)
{
	struct stat st;
	int fd = identity_open(path, &st), ret;

	if (fd < 0)
		return -1;
	ret = symtab_read_fd(t, fd, path);
	close(fd);
	return ret;
}

void symtab_close(struct symtab *t)
{
	if (t->file)
		dwfl_end(t->file);
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

/* How many program headers a file has: to get one is to read all. */
static size_t count_phdrs(Elf *elf)
{
	size_t n;

	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &n) || n > PHDRS_MAX)
		return 0;
	return n;
}

static Elf *open_elf(int fd)
{
	return elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
}

uint32_t symtab_build_id(int fd, uint8_t *id, size_t size)
{
	Elf *elf = open_elf(fd);
	size_t n = count_phdrs(elf), i;
	uint32_t found = 0;
	GElf_Phdr p;

	for (i = 0; i < n && !found; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_NOTE &&
		    p.p_filesz <= NOTE_BYTES_MAX)
			found = find_build_id(elf_getdata_rawchunk(elf, (int64_t)p.p_offset,
				p.p_filesz, p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
				id, size);
	elf_end(elf);
	return found;
}

size_t symtab_segments(int fd, struct segment *segment, size_t max)
{
	Elf *elf = open_elf(fd);
	size_t n = count_phdrs(elf), i, found = 0;

	for (i = 0; i < n && found < max; i++)
		found += get_segment(elf, i, &segment[found]);
	elf_end(elf);
	return found;
}
