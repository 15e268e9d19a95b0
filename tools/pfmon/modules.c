// SPDX-License-Identifier: GPL-2.0-only
/* The modules of the kernel, by /proc/modules and /sys/module. */
#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "modules.h"

/* The build ID, in a note of its own; who may not read it does without. */
static void read_build_id(const char *directory, struct df_module *module)
{
	struct {
		Elf32_Nhdr head;
		char name[4];
		uint8_t id[sizeof(module->id)];
	} note = { .head = { 0 } };
	char path[PATH_MAX + 64];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/notes/.note.gnu.build-id", directory);
	f = fopen(path, "re");
	if (!f)
		return;
	n = fread(&note, 1, sizeof(note), f);
	fclose(f);
	if (n <= sizeof(note) - sizeof(note.id) || note.head.n_type != NT_GNU_BUILD_ID ||
	    note.head.n_namesz != sizeof(note.name) || memcmp(note.name, "GNU", 4) ||
	    note.head.n_descsz > sizeof(note.id) ||
	    note.head.n_descsz > n - (sizeof(note) - sizeof(note.id)))
		return;
	module->id_size = note.head.n_descsz;
	memcpy(module->id, note.id, module->id_size);
}

/* "NAME SIZE USERS BY STATE ADDRESS"; of one that is being loaded the size is another. */
static void read_line(const char *root, const char *line, modules_fn *fn, void *arg)
{
	struct df_module module = { .start = 0 };
	char name[64], state[16], directory[PATH_MAX];
	struct stat st;

	if (sscanf(line, "%63s %" SCNu64 " %*s %*s %15s %" SCNx64, name, &module.size,
		   state, &module.start) != 4 || !module.start || strcmp(state, "Live") || strchr(name, '/'))
		return;
	snprintf(directory, sizeof(directory), "%s/sys/module/%s", root, name);
	/* Each time that it is loaded it has another one. */
	if (!stat(directory, &st))
		module.instance = st.st_ino;
	read_build_id(directory, &module);
	fn(arg, &module, name);
}

void modules_read(const char *root, modules_fn *fn, void *arg)
{
	char path[PATH_MAX], line[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/modules", root);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		read_line(root, line, fn, arg);
	fclose(f);
}
