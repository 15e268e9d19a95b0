// SPDX-License-Identifier: GPL-2.0-only
/*
 * pfmon check: what would fail here, and what cures it. Each check tries what stat or
 * record would do, as far as that changes nothing, and asks the kernel for its limits.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "require.h"
#include "file.h"
#include "hardware.h"
#include "holders.h"
#include "names.h"
#include "numbers.h"
#include "pfmon.h"
#include "plain.h"
#include "symtab.h"

/* What record takes for each thread or CPU unless it is told otherwise. */
#define BUFFER	65536

static const char usage[] =
"usage: pfmon check\n"
"\n"
"Says what can be counted and sampled here by this user, what cannot, and what\n"
"would change that. Exits with 1 if something that is there cannot be used.\n"
"\n"
"  -h, --help     print this and exit\n";

static bool failed;

enum verdict { OK, NOTE, NO };

static void __attribute__((format(printf, 2, 3)))
say(enum verdict verdict, const char *format, ...)
{
	static const char *const words[] = { "ok", "note", "NO" };
	va_list args;

	failed |= verdict == NO;
	printf("%-5s ", words[verdict]);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void cure(const char *text)
{
	printf("      cure: %s\n", text);
}

static const char *as_module(void)
{
	char host[16];

	return sysfs_read("host", host, sizeof(host)) && !strcmp(host, "module") ?
		", as a module" : "";
}

static bool check_kernel(pfarg_config_t *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	if (!pfm_get_config(cfg)) {
		say(OK, "the kernel has perfmon %u.%u%s", PFM_VERSION_MAJOR(cfg->cf_version),
		    PFM_VERSION_MINOR(cfg->cf_version), as_module());
		return true;
	}
	say(NO, "perfmon cannot be used: %s", pfm_cmd_error(PFM_GET_CONFIG, errno, 0));
	cure("modprobe perfmon, or boot a kernel with CONFIG_PERFMON=y");
	return false;
}

/* Make a context for events, and attach it to this thread if it is to be. */
static bool try(const char *events, unsigned int flags, bool attach, struct failure *failure)
{
	static struct counters counters;
	char error[EVENTS_ERROR_MAX];
	bool done;
	int fd;

	memset(&counters, 0, sizeof(counters));
	memset(failure, 0, sizeof(*failure));
	events_free(flags & PFM_FL_SYSTEM_WIDE);
	if (counters_add(&counters, events, error)) {
		/* Others have what could count it: have the kernel refuse that. */
		events_free_list(flags & PFM_FL_SYSTEM_WIDE, "");
		if (counters_add(&counters, events, error))
			return false;
	}
	fd = context_create(&counters, flags, failure);
	if (fd < 0)
		return false;
	done = !attach || !context_attach(fd, (pid_t)syscall(SYS_gettid), flags, 0, failure);
	close(fd);
	return done;
}

/* Who has the PMU? Of a thread or CPU that is taken that was said. */
static void say_busy(const struct failure *failure)
{
	bool watchdog = file_number("/proc/sys/kernel/nmi_watchdog");
	bool cpus = sysfs_number("sys_sessions");
	struct holders holders;

	if (failure->target == TARGET_TAKEN) {
		cure("end that program; what pfmon itself runs or measures pfmon cannot try");
		return;
	}
	holders_print("/proc", stdout, &holders);
	if (watchdog)
		printf("      by: the kernel's NMI watchdog, which is one of perf_events\n");
	if (holders.hidden)
		printf("      and programs of other users, which only root can see, may have it\n");
	if (cpus)
		cure("wait until that has ended: it has the counters that this needs");
	if (watchdog)
		cure("sysctl kernel.nmi_watchdog=0");
	if (holders.perf_events || !(cpus || watchdog))
		cure("end the programs that use perf_events");
}

static void check_threads(void)
{
	struct failure failure;

	if (try("cs", 0, true, &failure)) {
		say(OK, "programs of your own can be counted and sampled");
		return;
	}
	say(NO, "programs of your own cannot be counted: %s", holders_text("/proc", &failure));
	if (failure.err == EBUSY)
		say_busy(&failure);
	if (failure.err == EPERM)
		cure("become a member of the group in /sys/kernel/perfmon/thread_group, or root");
}

/* Whether the kernel hides its own data, from root too: lockdown, "confidentiality". */
static bool is_confidential(void)
{
	char text[64];

	file_read("/sys/kernel/security/lockdown", text, sizeof(text));
	return strstr(text, "[confidentiality]");
}

/* Returns whether there is one. */
static bool check_pmu(void)
{
	char model[64], text[EVENTS_ERROR_MAX];
	struct failure failure;

	if (!sysfs_read("pmu_model", model, sizeof(model)) || !strcmp(model, "none")) {
		say(NOTE, "there is no PMU that perfmon knows: no cycles and instructions");
		cure("have the host of a virtual machine give it a PMU (QEMU with KVM: -cpu host,pmu=on)");
		return false;
	}
	if (!hardware_find()) {
		say(NOTE, "the PMU is '%s': pfmon has no names for its events", model);
		return false;
	}
	if (try("instructions:u", 0, true, &failure)) {
		say(OK, "the PMU is '%s' and can be used", model);
	} else {
		say(NO, "the PMU is '%s' and cannot be used: %s", model, holders_text("/proc", &failure));
		if (failure.err == EBUSY)
			say_busy(&failure);
	}
	if (events_remark(text)) {
		say(NOTE, "%s", text);
		cure("keep the program on one kind of cores (taskset), or name their CPUs (-C)");
	}
	if (!try("instructions:k", 0, false, &failure) && failure.err == EPERM) {
		say(NOTE, "the kernel's part of programs cannot be counted by the PMU, only :u");
		cure(is_confidential() ? "boot without lockdown=confidentiality" :
		     "sysctl kernel.perfmon_hardened=0, or CAP_PERFMON");
	}
	return true;
}

/* What is attached to a CPU must be there, and stay. */
static bool try_cpu(const char *events, struct failure *failure)
{
	cpu_set_t old, one;
	bool done;
	int cpu;

	if (sched_getaffinity(0, sizeof(old), &old))
		return try(events, PFM_FL_SYSTEM_WIDE, false, failure);
	for (cpu = 0; cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &old); cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	done = try(events, PFM_FL_SYSTEM_WIDE, true, failure);
	sched_setaffinity(0, sizeof(old), &old);
	return done;
}

static void check_cpus(bool has_pmu)
{
	struct failure failure;

	if (try_cpu("cs", &failure)) {
		if (!has_pmu || try_cpu("instructions", &failure)) {
			say(OK, "whole CPUs can be counted and sampled");
			return;
		}
		say(NOTE, "whole CPUs cannot be counted by the PMU, but for the software's events: %s",
		    holders_text("/proc", &failure));
		return;
	}
	say(NOTE, "whole CPUs cannot be counted: %s", holders_text("/proc", &failure));
	if (failure.err == EPERM)
		cure("sysctl kernel.perfmon_hardened=0, CAP_PERFMON, or the group in /sys/kernel/perfmon/sys_group");
}

static void check_others(void)
{
	unsigned long scope = file_number("/proc/sys/kernel/yama/ptrace_scope");

	if (scope < 1 || (scope < 3 && !geteuid()))
		return;
	say(NOTE, "-p and -t are refused for processes that pfmon has not started (ptrace_scope is %ld)",
	    scope);
	cure(scope < 3 ? "sysctl kernel.yama.ptrace_scope=0, or become root" :
			 "boot anew: 3 cannot be taken back");
}

static void check_memory(const pfarg_config_t *cfg)
{
	uint64_t all = cfg->cf_smpl_buf_size_max, used = sysfs_number("smpl_buf_size_cur");
	uint64_t room = all > used ? all - used : 0;
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	char n[NUMBERS_MAX];

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (geteuid() && limit.rlim_cur < room)
		room = limit.rlim_cur;
	if (room < BUFFER) {
		say(NO, "there is no memory for sampling buffers (%s bytes are left)",
		    numbers_count(n, room));
		cure("ulimit -l, or /sys/kernel/perfmon/smpl_buf_size_max");
	} else {
		say(OK, "%s threads or CPUs can be sampled at a time, with buffers of 64K",
		    numbers_count(n, room / BUFFER));
	}
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		say(OK, "%s threads can be counted at a time (ulimit -Hn)",
		    numbers_count(n, limit.rlim_max));
}

/* All addresses are 0 if they are hidden. */
static void check_symbols(void)
{
	unsigned long addr = 0;
	FILE *f = fopen("/proc/kallsyms", "re");

	/* Not the first one: symbols of CPUs' own variables can begin at 0. */
	while (f && !addr && fscanf(f, "%lx%*[^\n]", &addr) == 1)
		;
	if (f)
		fclose(f);
	if (!addr) {
		say(NOTE, "functions of the kernel have no names in reports: /proc/kallsyms does not show addresses");
		cure("sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1, or become root");
	}
	if (!symtab_has_elf)
		say(NOTE, "functions of programs have no names in reports: this pfmon was built without libdw");
	if (!names_known)
		say(NOTE, "few events have names: this pfmon was built without libpfm4");
}

static int check(char **none)
{
	pfarg_config_t cfg;

	(void)none;
	if (!check_kernel(&cfg))
		return failed;
	check_threads();
	check_cpus(check_pmu());
	check_others();
	check_memory(&cfg);
	check_symbols();
	return failed;
}

int cmd_check(int argc, char **argv)
{
	static const struct plain plain = { usage, 0, 0, check };

	return plain_main(argc, argv, &plain);
}
