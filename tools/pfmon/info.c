// SPDX-License-Identifier: GPL-2.0-only
/* pfmon info: what the kernel and its PMU offer. */
#include <err.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/libperfmon.h>

#include "require.h"
#include "events.h"
#include "file.h"
#include "numbers.h"
#include "hardware.h"
#include "pfmon.h"
#include "plain.h"

static const char usage[] =
"usage: pfmon info\n"
"\n"
"Prints what the kernel and its PMU offer: limits, sessions, registers, events.\n"
"\n"
"  -h, --help  print this and exit\n";

static void print_label(const char *label)
{
	printf("%-18s ", label);
}

/* A file of sysfs, or a word in its place: sysfs may not be mounted. */
static const char *sysfs_or(const char *name, const char *other, char buf[64])
{
	return sysfs_read(name, buf, 64) && *buf ? buf : other;
}

/* Whether a CPU is more than a thread: the kernel's hardened default. */
static bool is_hardened(void)
{
	FILE *file = fopen("/proc/sys/kernel/perfmon_hardened", "re");
	int c = file ? getc(file) : EOF;

	if (file)
		fclose(file);
	return c == '1';
}

static void print_group(const char *label, uint32_t gid, const char *any)
{
	struct group *group;

	print_label(label);
	if (gid == PFM_GROUP_ANY) {
		puts(any);
		return;
	}
	group = getgrgid(gid);
	if (group)
		printf("by the group %s (%u)\n", group->gr_name, gid);
	else
		printf("by the group %u\n", gid);
}

/* How calls get there, to say which of the two this kernel has. */
static const char *host_text(void)
{
	char host[16];

	if (!sysfs_read("host", host, sizeof(host)))
		return "?";
	return strcmp(host, "module") ? "a part of the kernel, by the system call" :
					"a module, by /dev/perfmonctl";
}

static void print_config(const pfarg_config_t *cfg)
{
	char number[NUMBERS_MAX], buf[64];

	print_label("perfmon version");
	printf("%u.%u\n", PFM_VERSION_MAJOR(cfg->cf_version),
	       PFM_VERSION_MINOR(cfg->cf_version));
	print_label("perfmon is");
	puts(host_text());
	print_label("PMU");
	puts(sysfs_or("pmu_model", "?", buf));
	print_label("counter width");
	printf("%u bits in the hardware, 64 to programs\n", cfg->cf_counter_width);
	print_label("vector argument");
	printf("at most %s bytes\n", numbers_count(number, cfg->cf_arg_size_max));
	print_label("sampling buffers");
	printf("at most %s bytes together, ",
	       numbers_count(number, cfg->cf_smpl_buf_size_max));
	printf("%s in use\n", sysfs_or("smpl_buf_size_cur", "?", buf));
	print_group("per-thread", cfg->cf_thread_gid, "by any user");
	print_group("system-wide", cfg->cf_sys_gid, is_hardened() ?
		    "with CAP_PERFMON (kernel.perfmon_hardened)" : "by any user");
	print_label("sessions");
	printf("%s per-thread, ", sysfs_or("thread_sessions", "?", buf));
	printf("%s system-wide\n", sysfs_or("sys_sessions", "?", buf));
}

static const char *type_name(unsigned int type)
{
	static const char *const names[] = {
		[PFM_REG_TYPE_PMC] = "PMC", [PFM_REG_TYPE_PMD] = "PMD",
		[PFM_REG_TYPE_MSR] = "MSR", [PFM_REG_TYPE_SPR] = "SPR",
		[PFM_REG_TYPE_IBR] = "IBR", [PFM_REG_TYPE_DBR] = "DBR",
		[PFM_REG_TYPE_VIRTUAL] = "virtual",
	};

	if (type < sizeof(names) / sizeof(names[0]) && names[type])
		return names[type];
	return "?";
}

static void print_register(const char *kind, unsigned int num,
			   const char *name, const pfarg_pmcinfo_t *info)
{
	char type[32];

	if (info->reg_index == PFM_REG_IDX_NONE)
		snprintf(type, sizeof(type), "%s", type_name(info->reg_type));
	else
		snprintf(type, sizeof(type), "%s 0x%" PRIx64,
			 type_name(info->reg_type), (uint64_t)info->reg_index);
	printf("  %s %3u  %-14s %-16s %-#18" PRIx64 " %#" PRIx64 "\n", kind, num,
	       name, type, (uint64_t)info->reg_def_value,
	       (uint64_t)info->reg_rsvd_mask);
}

/* One call a register: all in one vector may be above the limit. */
static void print_registers(const char *kind, const __u64 *implemented,
			    unsigned int max,
			    int (*getinfo)(pfarg_pmcinfo_t *, int),
			    int (*get_name)(unsigned int, char *, size_t))
{
	char name[PFM_NAME_MAX];
	pfarg_pmcinfo_t info;
	unsigned int num;

	for (num = 0; num < max; num++) {
		if (!pfm_bv_isset(implemented, num))
			continue;
		memset(&info, 0, sizeof(info));
		info.reg_num = (__u16)num;
		if (getinfo(&info, 1))
			errx(EXIT_PFMON, "no information about %s %u: %s", kind,
			     num, strerror(errno));
		if (get_name(num, name, sizeof(name)))
			strcpy(name, "?");
		print_register(kind, num, name, &info);
	}
}

static void print_all(const pfarg_config_t *cfg)
{
	print_config(cfg);
	printf("\nregisters:\n  %-7s  %-14s %-16s %-18s %s\n", "number", "name",
	       "is", "default", "reserved bits");
	print_registers("PMC", cfg->cf_impl_pmcs, PFM_MAX_PMCS,
			pfm_getinfo_pmcs, pfm_pmc_name);
	print_registers("PMD", cfg->cf_impl_pmds, PFM_MAX_PMDS,
			pfm_getinfo_pmds, pfm_pmd_name);
	putchar('\n');
	hardware_find();
	events_print(stdout);
}

static int info(char **none)
{
	pfarg_config_t cfg;

	(void)none;
	perfmon_require();
	memset(&cfg, 0, sizeof(cfg));
	if (pfm_get_config(&cfg))
		errx(EXIT_PFMON, "PFM_GET_CONFIG: %s",
		     pfm_cmd_error(PFM_GET_CONFIG, errno, 0));
	print_all(&cfg);
	return 0;
}

int cmd_info(int argc, char **argv)
{
	static const struct plain plain = { usage, 0, 0, info };

	return plain_main(argc, argv, &plain);
}
