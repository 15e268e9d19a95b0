/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of sampling formats share: a context with a format and its
 * buffer, controls with all their fields, the samples of the default format,
 * and formats that are modules.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "puppet.h"
#include <grp.h>
#include <perfmon/default_smpl.h>

#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define FAULTS		PFM_SW_MINOR_FAULTS

#define NOBODY		65534
#define HARDENED	"/proc/sys/kernel/perfmon_hardened"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

typedef pfm_default_smpl_hdr_t dfl_hdr_t;
typedef pfm_default_smpl_entry_t dfl_entry_t;

/* A PMD of the software PMU as a bit: all that a sample can contain here. */
#define PMD(num)	(1U << ((num) - PFM_SW_PMD0))

/* All PMDs of the software PMU, and the virtual ones among them. */
#define COUNTERS	0xffU
#define VIRTUALS	(PMD(PFM_VPMD_CLOCK) | PMD(PFM_VPMD_CYCLES) | \
			 PMD(PFM_VPMD_FREE_PAGES) | PMD(PFM_VPMD_THREAD_TIME) | \
			 (has_runnable() ? PMD(PFM_VPMD_RUNNABLE) : 0))
#define N_ALL		(has_runnable() ? 13U : 12U)

#define CTR(i)		(1U << (i))
#define N_PMD_BITS	32

static inline void pmd_vector(u64 *vec, u32 bits)
{
	unsigned int n;

	for (n = 0; n < N_PMD_BITS; n++)
		if (bits >> n & 1)
			vec_set(vec, PFM_SW_PMD0 + n);
}

static inline void become(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		die("cannot become user %d: %s", (int)uid, strerror(errno));
}

static inline void harden(bool on)
{
	if (write_text(HARDENED, on ? "1" : "0"))
		die("cannot write " HARDENED);
}

/* How long to do two things at once that may get in each other's way. */
static inline u64 race_ns(void)
{
	return (is_slow() ? 1500 : 1000) * NSEC_PER_MSEC;
}

static inline u64 page_align(u64 size)
{
	u64 page = page_size();

	return (size + page - 1) / page * page;
}

/* ------------------------------------------------------------------------
 * Contexts with a format
 */

#define MAX_ARG	64

/* A descriptor or -errno; *@size gets the size of the buffer. */
static inline int smpl_create(const pfm_uuid_t uuid, u32 ctx_flags,
			      const void *arg, size_t arg_size, u64 *size)
{
	struct {
		pfarg_ctx_t ctx;
		char arg[MAX_ARG];
	} req = { .ctx = { .ctx_flags = ctx_flags, .ctx_fd = -1 } };
	int ret;

	if (size)
		*size = 0;
	if (arg_size > sizeof(req.arg))
		die("an argument of %zu bytes", arg_size);
	memcpy(req.ctx.ctx_smpl_buf_id, uuid, sizeof(pfm_uuid_t));
	memcpy(req.arg, arg, arg_size);
	ret = pfm(-1, PFM_CREATE_CONTEXT, &req, 1);
	if (ret)
		return ret;
	if (size)
		*size = req.ctx.ctx_smpl_buf_size;
	return req.ctx.ctx_fd;
}

static const pfm_uuid_t dfl_uuid = PFM_DEFAULT_SMPL_UUID;

static inline int dfl_create(u32 ctx_flags, u64 buf_size, u32 buf_flags,
			     u64 *size)
{
	pfm_default_smpl_arg_t arg = {
		.buf_size = buf_size, .buf_flags = buf_flags,
	};

	return smpl_create(dfl_uuid, ctx_flags, &arg, sizeof(arg), size);
}

static inline void *buf_mmap(int fd, u64 size)
{
	return mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
}

static inline const void *buf_map(int fd, u64 size)
{
	void *buf = buf_mmap(fd, size);

	if (buf == MAP_FAILED)
		die("the buffer cannot be mapped: %s", strerror(errno));
	return buf;
}

/* A context with the default format and its mapping, which goes with it. */
struct sampler {
	int fd;
	u64 size;
	const dfl_hdr_t *hdr;
};

static inline void sampler_open(struct sampler *s, u32 ctx_flags, u64 buf_size,
				u32 buf_flags)
{
	s->fd = (int)MUST(dfl_create(ctx_flags, buf_size, buf_flags, &s->size));
	s->hdr = buf_map(s->fd, s->size);
	set_nonblock(s->fd);
}

static inline void sampler_close(struct sampler *s)
{
	close(s->fd);
	s->fd = -1;
}

static inline u64 buffers_now(void)
{
	return sysfs_u64("smpl_buf_size_cur");
}

/* The last process to have a buffer may be a little away from its end yet. */
static inline bool buffers_become(u64 want)
{
	return sysfs_becomes("smpl_buf_size_cur", want);
}

/* ------------------------------------------------------------------------
 * Registers
 */

/* Counter @i of @set counts @event; @smpl and @reset: PMD() and CTR(). */
static inline void choose(int fd, int set, int i, u64 event, u32 flags,
			  u32 smpl, u32 reset)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)SW_PMC(i), .reg_set = (__u16)set,
		.reg_flags = flags, .reg_value = event,
	};

	pmd_vector(pmc.reg_smpl_pmds, smpl);
	pmd_vector(pmc.reg_reset_pmds, reset);
	MUST(pfm(fd, PFM_WRITE_PMCS, &pmc, 1));
}

static inline pfarg_pmd_t read_pmd(int fd, int set, int i)
{
	pfarg_pmd_t pmd = {
		.reg_num = (__u16)SW_PMD(i), .reg_set = (__u16)set,
	};

	MUST(pfm(fd, PFM_READ_PMDS, &pmd, 1));
	return pmd;
}

static inline u64 last_reset(int fd, int i)
{
	return read_pmd(fd, 0, i).reg_last_reset_val;
}

/* Counter @i of set 0 takes a sample each @period faults. */
static inline void sample_faults(int fd, int i, u64 period, u32 flags, u32 smpl)
{
	choose(fd, 0, i, FAULTS, flags, smpl, 0);
	MUST(pfm_write_period(fd, SW_PMD(i), -period, -period, -period));
}

static inline void attach(int fd, pid_t tid)
{
	MUST(pfm_load(fd, tid));
	MUST(pfm_start(fd));
}

/* ------------------------------------------------------------------------
 * Samples of the default format, and of those that are like it
 */

static inline unsigned int num_impl_pmds(void)
{
	unsigned int n, sum = 0;
	pfarg_config_t cf = {};

	MUST(pfm(-1, PFM_GET_CONFIG, &cf, 1));
	for (n = 0; n < PFM_MAX_PMDS; n++)
		sum += vec_test(cf.cf_impl_pmds, n);
	return sum;
}

/* 3.6.5: max_sample_size */
static inline u64 max_sample(void)
{
	return sizeof(dfl_entry_t) + 8 * num_impl_pmds();
}

static inline u64 dfl_min_size(void)
{
	return sizeof(dfl_hdr_t) + max_sample();
}

/* Samples of @sample bytes until less than @max of @room is left. */
static inline u64 capacity_of(u64 room, u64 sample, u64 max)
{
	return (room - max) / sample + 1;
}

/* Figure 3.30: in a buffer of @buf_size bytes. */
static inline u64 dfl_capacity(u64 buf_size, u64 sample)
{
	return capacity_of(buf_size - sizeof(dfl_hdr_t), sample, max_sample());
}

static inline const void *dfl_first(const struct sampler *s)
{
	return s->hdr + 1;
}

/* Sample @n, if all have @values values. */
static inline const dfl_entry_t *nth(const struct sampler *s, u64 n,
				     unsigned int values)
{
	return (const dfl_entry_t *)((const char *)dfl_first(s) +
				     n * (sizeof(dfl_entry_t) + 8 * values));
}

static inline const u64 *values_of(const dfl_entry_t *e)
{
	return (const u64 *)(e + 1);
}

/* ------------------------------------------------------------------------
 * Formats that are modules
 */

static inline bool have_format(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), SYSFS "/formats/%s/uuid", name);
	return access(path, R_OK) == 0;
}

/* Where the kernel's build, of which scripts/guest tells, has left a format: pfm_NAME. */
static inline bool module_path(const char *name, char *path, size_t size)
{
	const char *kernel = getenv("PERFMON_KERNEL");

	if (!kernel || (size_t)snprintf(path, size, "%s/kernel/perfmon/formats/%s/pfm_%s.ko",
					kernel, name, name) >= size)
		return false;
	return access(path, R_OK) == 0;
}

static inline int module_insert(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret;
}

static inline int module_remove(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

/* Removes it when the last of those that use it is gone, if it is there. */
static inline void module_away(const char *name)
{
	char module[64];
	int n, ret = 0;

	snprintf(module, sizeof(module), "pfm_%s", name);
	for (n = 0; n < PATIENCE; n++) {
		ret = module_remove(module);
		if (ret != -EWOULDBLOCK)
			break;
		sleep_ms(1);
	}
	if (ret && ret != -ENOENT)
		die("module %s cannot be removed: %s", module, strerror(-ret));
}

/* For the time of a test: whether there is a format of that name now. */
struct format_module {
	const char *name;
	bool inserted;
	bool there;
};

static inline void format_get(struct format_module *m, const char *name)
{
	char path[PATH_MAX];
	int ret;

	m->name = name;
	m->there = have_format(name);
	m->inserted = false;
	if (m->there || !is_root() || !module_path(name, path, sizeof(path)))
		return;
	ret = module_insert(path);
	if (ret)
		die("%s: %s", path, strerror(-ret));
	m->inserted = m->there = true;
}

static inline void format_put(struct format_module *m)
{
	if (m->inserted)
		module_away(m->name);
}

#define NEED_FORMAT(m)							\
do {									\
	if (!(m)->there)						\
		SKIP(return, "%s: there is no format %s",		\
		     _metadata->name, (m)->name);			\
} while (0)

#endif /* SAMPLING_H */
