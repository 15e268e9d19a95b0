// SPDX-License-Identifier: GPL-2.0-only
/*
 * A perfmonctl() in place of the kernel's, so that pfmon can be tested on a
 * host without perfmon. It checks that contexts are used in the order that
 * the interface demands, and each counter of a context that was started reads
 * as 1: a sum is the number of threads or CPUs that were counted.
 *
 * A context of the default sampling format has FAKE_SAMPLES samples (10) as
 * soon as it is started: as many as its buffer takes, and the others after each
 * PFM_RESTART. FAKE_IPS says where: "ADDRESS:N ADDRESS:N", N of them in turn;
 * or with FAKE_LOOP=EVENTS in a loop of that length, of which each has its share.
 * FAKE_TIMES="INTERVAL AGE", in nanoseconds, says when: the last one that long
 * ago (0), the others before it (1000). The counter that is sampled counts
 * nanoseconds. A value that is read with a
 * sample is the number of its register.
 *
 * Set n of several was active for n + 1 ms, n + 1 times.
 *
 * A tree is one context, whose counters read as 1, too; it does not know when programs are
 * executed, and counts from PFM_LOAD_CONTEXT on with PFM_LOADFL_EXEC.
 *
 * FAKE_DOUBLE=1 lets it have the double-buffering format, too: no samples come while both
 * halves are full.
 * FAKE_OLD=1 lets it be an older perfmon: PFM_WRITE_PMDS takes no flags.
 * FAKE_TREES=0 lets it have no trees.
 * FAKE_CPUS=N lets the process have a cpuset of the CPUs below N.
 * FAKE_AHEAD=S lets pfmon be in a time name space whose clock is S seconds ahead.
 * FAKE_BUSY=TID lets this thread have a context already, "cpu N" that CPU; FAKE_WHILE=FILE:
 * as long as there is this file.
 * FAKE_PID=PID: that is the process of samples of CPUs.
 * FAKE_FAIL="CMD ERRNO" lets the command of this number fail.
 * It does not know when threads end: no messages come of that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <perfmon/default_smpl.h>
#include <perfmon/double_smpl.h>
#include <perfmon/null_smpl.h>
#include <perfmon/libperfmon.h>

#define CONTEXTS	4096
#define PMDS		14	/* that the machine is said to have */
#define LARGEST		(sizeof(pfm_default_smpl_entry_t) + 8 * PMDS)	/* bytes of a sample */

static struct context {
	enum { NONE, UNLOADED, LOADED, STARTED } state;
	unsigned int flags, load_flags;
	unsigned int sets;		/* beside set 0 */
	pid_t pid, tid;
	int cpu;			/* of a system-wide one that is loaded */
	ino_t ino;			/* of its descriptor, which may be closed by now */
	char *buf;
	void *mapping;			/* of the program, until it has asked for it */
	size_t size;
	bool is_double;
	bool masked;
	long left;			/* samples that are still to come */
	unsigned int turn;
	uint64_t period, mask;
	bool is_random;
	uint64_t events;		/* by now */
	uint32_t random;
	uint64_t smpl_pmds[PFM_MAX_PMD_BITVECTOR];
} contexts[CONTEXTS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fail(int e)
{
	errno = e;
	return -1;
}

/*
 * Readable when there is something in it that was written to it, as a context
 * is. The kernel does not set FD_CLOEXEC either.
 */
static int open_fifo(void)
{
	char path[32];
	int ends[2], fd;

	if (pipe(ends))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	fd = open(path, O_RDWR);
	close(ends[1]);
	if (fd >= 0)
		fd = dup2(fd, ends[0]) < 0 || close(fd) ? -1 : ends[0];
	else
		close(ends[0]);
	return fd;
}

static void begin_halves(pfm_double_smpl_hdr_t *hdr, uint64_t size)
{
	const uint64_t half = (size - sizeof(*hdr)) / 2 & ~7ULL;
	unsigned int i;

	*hdr = (pfm_double_smpl_hdr_t){
		.hdr_version = PFM_DOUBLE_SMPL_VERSION, .hdr_buf_size = size,
		.hdr_half_size = half, .hdr_max_sample = LARGEST,
	};
	for (i = 0; i < 2; i++)
		hdr->hdr_half[i].half_offs = hdr->hdr_half[i].half_cur_offs = sizeof(*hdr) + i * half;
	hdr->hdr_half[0].half_state = PFM_DOUBLE_SMPL_KERNEL;
}

void *__real_mmap64(void *addr, size_t len, int prot, int flags, int fd,
		    off64_t offset);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd,
		    off64_t offset);

/* Once for the kernel, and for the program, which maps it later; no limit of files is for it. */
static int map_twice(struct context *ctx)
{
	int id = shmget(IPC_PRIVATE, ctx->size, 0600);

	if (id < 0)
		return -1;
	ctx->buf = shmat(id, NULL, 0);
	ctx->mapping = shmat(id, NULL, SHM_RDONLY);
	shmctl(id, IPC_RMID, NULL);
	return ctx->buf == (void *)-1 || ctx->mapping == (void *)-1 ? -1 : 0;
}

static int create_buffer(struct context *ctx, pfarg_ctx_t *req)
{
	static const pfm_uuid_t known = PFM_DEFAULT_SMPL_UUID, none, raw = PFM_NULL_SMPL_UUID,
				halves = PFM_DOUBLE_SMPL_UUID;
	const pfm_default_smpl_arg_t *arg = (const void *)(req + 1);
	const pfm_default_smpl_arg_t raw_arg = { .buf_size = 8192 };
	const char *samples = getenv("FAKE_SAMPLES");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!memcmp(req->ctx_smpl_buf_id, none, sizeof(none)))
		return 0;
	/* A format that pfmon does not know; its buffer is that of the default format. */
	if (!memcmp(req->ctx_smpl_buf_id, raw, sizeof(raw))) {
		if (((const pfm_null_smpl_arg_t *)arg)->flags != PFM_NULL_FMT_BUFFER)
			return fail(EINVAL);
		arg = &raw_arg;
	} else if (getenv("FAKE_DOUBLE") && !memcmp(req->ctx_smpl_buf_id, halves, sizeof(halves))) {
		ctx->is_double = true;
	} else if (memcmp(req->ctx_smpl_buf_id, known, sizeof(known))) {
		return fail(EINVAL);
	}
	/* The arguments of both formats are the same. */
	if (arg->buf_pad ||
	    arg->buf_flags ||
	    arg->buf_size < (ctx->is_double ? sizeof(pfm_double_smpl_hdr_t) + 2 * LARGEST :
					      sizeof(pfm_default_smpl_hdr_t) + LARGEST))
		return fail(EINVAL);
	ctx->size = (size_t)(arg->buf_size + page - 1) & ~(page - 1);
	if (map_twice(ctx))
		return -1;
	if (ctx->is_double)
		begin_halves((void *)ctx->buf, arg->buf_size);
	else
		*(pfm_default_smpl_hdr_t *)ctx->buf = (pfm_default_smpl_hdr_t){
			.hdr_cur_offs = sizeof(pfm_default_smpl_hdr_t),
			.hdr_buf_size = arg->buf_size,
			.hdr_version = PFM_DEFAULT_SMPL_VERSION,
		};
	ctx->left = samples ? atol(samples) : 10;
	req->ctx_smpl_buf_size = ctx->size;
	return 0;
}

static ino_t ino_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

static int create(pfarg_ctx_t *req)
{
	struct context ctx = { .state = UNLOADED, .flags = req->ctx_flags };
	int fd;

	if ((ctx.flags & PFM_FL_TREE) &&
	    (getenv("FAKE_TREES") || (ctx.flags & PFM_FL_SYSTEM_WIDE)))
		return fail(EINVAL);
	if (create_buffer(&ctx, req))
		return -1;
	if ((ctx.flags & PFM_FL_TREE) && ctx.buf)
		return fail(EINVAL);
	fd = open_fifo();
	if (fd < 0)
		return -1;
	if (fd >= CONTEXTS) {
		close(fd);
		return fail(EMFILE);
	}
	/* What had this number before is closed by now. */
	if (contexts[fd].buf)
		munmap(contexts[fd].buf, contexts[fd].size);
	if (contexts[fd].mapping)
		munmap(contexts[fd].mapping, contexts[fd].size);
	contexts[fd] = ctx;
	contexts[fd].ino = ino_of(fd);
	req->ctx_fd = fd;
	return 0;
}

void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd,
		    off64_t offset)
{
	struct context *ctx = &contexts[fd < 0 || fd >= CONTEXTS ? 0 : fd];
	void *mapping;

	if (fd < 0 || ctx->state == NONE)
		return __real_mmap64(addr, len, prot, flags, fd, offset);
	if (!ctx->mapping || len != ctx->size || offset || prot != PROT_READ ||
	    flags != MAP_SHARED) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	mapping = ctx->mapping;
	ctx->mapping = NULL;
	return mapping;
}

/* As the kernel does with what is not in the cpuset. */
int __real_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);
int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	const char *text = getenv("FAKE_CPUS");
	cpu_set_t *left = malloc(size);
	unsigned int cpu;
	int ret;

	if (!left)
		return fail(ENOMEM);
	memcpy(left, set, size);
	for (cpu = text ? (unsigned int)atoi(text) : 8 * size; cpu < 8 * size; cpu++)
		CPU_CLR_S(cpu, size, left);
	ret = CPU_COUNT_S(size, left) ? __real_sched_setaffinity(pid, size, left) : fail(EINVAL);
	free(left);
	return ret;
}

static uint64_t next_ip(struct context *ctx)
{
	const char *text = getenv("FAKE_IPS");
	unsigned long addr;
	unsigned int n, sum = 0, used;
	uint64_t ip[256];

	if (!text)
		return 0x1000;
	while (sscanf(text, " %lx:%u%n", &addr, &n, &used) == 2) {
		while (n-- && sum < 256)
			ip[sum++] = addr;
		text += used;
	}
	if (sum && getenv("FAKE_LOOP")) {
		uint64_t loop = strtoull(getenv("FAKE_LOOP"), NULL, 10);

		return ip[ctx->events % loop * sum / loop];
	}
	return sum ? ip[ctx->turn++ % sum] : 0x1000;
}

/* The events until the next sample. */
static uint64_t next_period(struct context *ctx)
{
	uint64_t period = ctx->period;

	ctx->random = ctx->random * 1664525 + 1013904223;
	if (ctx->is_random)
		period -= ((uint64_t)ctx->random * 0x10001 >> 16) & ctx->mask;
	ctx->events += period;
	return period;
}

static uint64_t now_ns(void)
{
	const char *ahead = getenv("FAKE_AHEAD");
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)(ts.tv_sec - (ahead ? atol(ahead) : 0)) * 1000000000 +
	       (uint64_t)ts.tv_nsec;
}

/* Where samples of a buffer, or of a half of one, are. */
struct part {
	uint64_t begin, limit;
	__u64 *end, *count;
};

static struct part part_of(struct context *ctx)
{
	pfm_default_smpl_hdr_t *hdr = (void *)ctx->buf;
	pfm_double_smpl_hdr_t *halves = (void *)ctx->buf;
	pfm_double_smpl_half_t *half;

	if (!ctx->is_double)
		return (struct part){ sizeof(*hdr), hdr->hdr_buf_size, &hdr->hdr_cur_offs,
				      &hdr->hdr_count };
	half = &halves->hdr_half[halves->hdr_cur];
	return (struct part){ half->half_offs, half->half_offs + halves->hdr_half_size,
			      &half->half_cur_offs, &half->half_count };
}

/* As if the samples of a buffer had come one after the other. */
static void set_times(struct context *ctx)
{
	const char *times = getenv("FAKE_TIMES");
	unsigned long interval = 1000, age = 0;
	uint64_t at = now_ns(), size, i;
	struct part part = part_of(ctx);
	char *entry;

	if (times)
		sscanf(times, "%lu %lu", &interval, &age);
	if (!*part.count)
		return;
	size = (*part.end - part.begin) / *part.count;
	entry = ctx->buf + *part.end;
	for (at -= age, i = 0; i < *part.count; i++, at -= interval) {
		entry -= size;
		((pfm_default_smpl_entry_t *)entry)->tstamp = at;
	}
}

/* The other half is the kernel's, if it is free. */
static void turn_halves(struct context *ctx)
{
	pfm_double_smpl_hdr_t *hdr = (void *)ctx->buf;
	pfm_double_smpl_half_t *half = &hdr->hdr_half[!hdr->hdr_cur];

	ctx->masked = half->half_state != PFM_DOUBLE_SMPL_FREE;
	if (ctx->masked)
		return;
	hdr->hdr_cur = !hdr->hdr_cur;
	half->half_cur_offs = half->half_offs;
	half->half_count = 0;
	half->half_first = hdr->hdr_samples;
	half->half_state = PFM_DOUBLE_SMPL_KERNEL;
}

/* There is no room in the buffer, or in the half that is the kernel's. */
static void full(struct context *ctx, int fd)
{
	pfm_double_smpl_hdr_t *hdr = (void *)ctx->buf;
	pfm_msg_t msg = { .msg_type = PFM_MSG_OVFL };

	set_times(ctx);
	if (ctx->is_double) {
		hdr->hdr_overflows++;
		hdr->hdr_samples += hdr->hdr_half[hdr->hdr_cur].half_count;
		hdr->hdr_half[hdr->hdr_cur].half_state = PFM_DOUBLE_SMPL_USER;
		turn_halves(ctx);
	} else {
		((pfm_default_smpl_hdr_t *)ctx->buf)->hdr_overflows++;
		ctx->masked = true;
	}
	if (write(fd, &msg, sizeof(msg)) != sizeof(msg))
		abort();
}

/* Samples until there are no more, or there is no room for the largest. */
static void fill(struct context *ctx, int fd)
{
	pfm_default_smpl_entry_t *entry;
	uint64_t *value, period;
	struct part part;
	unsigned int i;

	while (ctx->left > 0 && !ctx->masked) {
		part = part_of(ctx);
		entry = (void *)(ctx->buf + *part.end);
		period = next_period(ctx);
		*entry = (pfm_default_smpl_entry_t){
			.pid = ctx->pid, .tid = ctx->tid,
			.ovfl_pmd = PFM_SW_PMD0, .last_reset_val = -period,
			.ip = next_ip(ctx),
		};
		value = (uint64_t *)(entry + 1);
		for (i = 0; i < PFM_MAX_PMDS; i++)
			if (ctx->smpl_pmds[i / 64] >> (i % 64) & 1)
				*value++ = i;
		*part.end = (uint64_t)((char *)value - ctx->buf);
		++*part.count;
		ctx->left--;
		if (part.limit - *part.end < LARGEST)
			full(ctx, fd);
	}
	if (ctx->buf && !ctx->masked)
		set_times(ctx);
}

static int create_evtset(struct context *ctx, const pfarg_setdesc_t *set)
{
	bool timed = set->set_timeout.tv_sec || set->set_timeout.tv_nsec;

	if (ctx->state != UNLOADED)
		return fail(EBUSY);
	if (set->set_id > ctx->sets + 1 ||
	    set->set_flags != (timed ? PFM_SETFL_TIME_SWITCH : PFM_SETFL_OVFL_SWITCH))
		return fail(EINVAL);
	if (set->set_id > ctx->sets)
		ctx->sets++;
	return 0;
}

static int getinfo_evtset(const struct context *ctx, pfarg_setinfo_t *info)
{
	if (info->set_id > ctx->sets)
		return fail(EINVAL);
	info->set_runs = info->set_id + 1U;
	info->set_act_duration.tv_nsec = 1000000 * (info->set_id + 1);
	return 0;
}

static int write_pmcs(struct context *ctx, const pfarg_pmc_t *pmcs, int n)
{
	if (pmcs[0].reg_set > ctx->sets)
		return fail(EINVAL);
	while ((ctx->flags & PFM_FL_TREE) && n-- > 0)
		if (pmcs[n].reg_value == PFM_SW_MIGRATIONS)
			return fail(EINVAL);
	ctx->is_random = pmcs[0].reg_flags & PFM_REGFL_RANDOM;
	memcpy(ctx->smpl_pmds, pmcs[0].reg_smpl_pmds, sizeof(ctx->smpl_pmds));
	/* A buffer that nobody is told of would never be read. */
	return ctx->buf && !(pmcs[0].reg_flags & PFM_REGFL_OVFL_NOTIFY) ?
	       fail(EINVAL) : 0;
}

static int write_pmds(struct context *ctx, const pfarg_pmd_t *pmds)
{
	/* Reset values, and nothing else. */
	if (pmds[0].reg_flags == PFM_REGFL_KEEP_VALUE && !getenv("FAKE_OLD")) {
		ctx->period = -pmds[0].reg_long_reset;
		ctx->mask = pmds[0].reg_random_mask;
		return 0;
	}
	/* What says when to switch has the last counter. */
	if (pmds[0].reg_flags || pmds[0].reg_num != (ctx->buf ? PFM_SW_PMD0 : PFM_SW_PMD0 + PFM_SW_COUNTERS - 1) ||
	    pmds[0].reg_ovflsw_thres != !ctx->buf || !pmds[0].reg_value ||
	    pmds[0].reg_short_reset != pmds[0].reg_long_reset ||
	    /* To begin with the mean: the kernel makes resets random, and not this. */
	    pmds[0].reg_value != pmds[0].reg_long_reset + pmds[0].reg_random_mask / 2)
		return fail(EINVAL);
	ctx->period = -pmds[0].reg_long_reset;
	ctx->mask = pmds[0].reg_random_mask;
	return 0;
}

static bool is_busy(const struct context *ctx, pid_t tid)
{
	const char *busy = getenv("FAKE_BUSY"), *file = getenv("FAKE_WHILE");
	int cpu;

	if (!busy || (file && access(file, F_OK)))
		return false;
	if (sscanf(busy, "cpu %d", &cpu) == 1)
		return ctx->flags & PFM_FL_SYSTEM_WIDE && cpu == sched_getcpu();
	return atoi(busy) == tid;
}

static pid_t parent_of(pid_t pid)
{
	char path[32], line[512] = "";
	const char *rest;
	int parent;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	rest = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return rest && sscanf(rest, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* Does a context have a thread? */
static bool has_thread(const struct context *c, pid_t tid)
{
	char path[48];

	if (c->tid == tid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)c->tid, (int)tid);
	if ((c->load_flags & PFM_LOADFL_THREADS) && !access(path, F_OK))
		return true;
	while ((c->load_flags & PFM_LOADFL_CHILDREN) && tid && tid != c->tid)
		tid = parent_of(tid);
	return tid == c->tid;
}

/* Has one of pfmon's own the thread or CPU, which are for one each? */
static bool is_taken(const struct context *ctx, pid_t tid)
{
	const unsigned int flags = ctx->flags & PFM_FL_SYSTEM_WIDE;
	const struct context *c;

	for (c = contexts; c < contexts + CONTEXTS; c++)
		if (c->state >= LOADED && (c->flags & PFM_FL_SYSTEM_WIDE) == flags &&
		    (flags ? c->cpu == sched_getcpu() : has_thread(c, tid)) &&
		    ino_of((int)(c - contexts)) == c->ino)
			return true;
	return false;
}

/* The process of a thread. */
static pid_t process_of(pid_t tid)
{
	char path[48], line[256];
	int pid = tid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Tgid: %d", &pid) != 1)
		;
	if (f)
		fclose(f);
	return pid;
}

static int load(struct context *ctx, const pfarg_load_t *arg)
{
	if (ctx->state != UNLOADED || is_busy(ctx, arg->load_pid) ||
	    is_taken(ctx, arg->load_pid))
		return fail(EBUSY);
	if (arg->load_set > ctx->sets ||
	    !(arg->load_flags & PFM_LOADFL_ALL) != !(ctx->flags & PFM_FL_TREE) ||
	    (arg->load_flags && !(ctx->flags & PFM_FL_TREE)))
		return fail(EINVAL);
	if ((ctx->flags & PFM_FL_SYSTEM_WIDE) &&
	    arg->load_pid != (pid_t)syscall(SYS_gettid))
		return fail(EINVAL);
	if (syscall(SYS_tkill, arg->load_pid, 0))
		return fail(ESRCH);
	ctx->state = arg->load_flags & PFM_LOADFL_EXEC ? STARTED : LOADED;
	ctx->load_flags = arg->load_flags;
	ctx->tid = arg->load_pid;
	ctx->cpu = sched_getcpu();
	/* A CPU's is pfmon's own process. */
	ctx->pid = !(ctx->flags & PFM_FL_SYSTEM_WIDE) ? process_of(ctx->tid) :
		   getenv("FAKE_PID") ? atoi(getenv("FAKE_PID")) : getpid();
	return 0;
}

static int start(struct context *ctx, int fd)
{
	if (ctx->state < LOADED)
		return fail(EBUSY);
	ctx->state = STARTED;
	fill(ctx, fd);
	return 0;
}

/* The older half that is the program's is free. */
static void release_half(struct context *ctx)
{
	pfm_double_smpl_hdr_t *hdr = (void *)ctx->buf;
	pfm_double_smpl_half_t *half = &hdr->hdr_half[!hdr->hdr_cur];

	if (half->half_state == PFM_DOUBLE_SMPL_USER)
		half->half_state = PFM_DOUBLE_SMPL_FREE;
	if (ctx->masked)
		turn_halves(ctx);
}

static int restart(struct context *ctx, int fd)
{
	pfm_default_smpl_hdr_t *hdr = (void *)ctx->buf;

	if (ctx->state < LOADED || !hdr)
		return fail(EBUSY);
	if (ctx->is_double) {
		release_half(ctx);
	} else {
		hdr->hdr_count = 0;
		hdr->hdr_cur_offs = sizeof(*hdr);
		ctx->masked = false;
	}
	fill(ctx, fd);
	return 0;
}

static int read_pmds(struct context *ctx, pfarg_pmd_t *pmds, int n)
{
	while (n-- > 0)
		pmds[n].reg_value = ctx->state == STARTED;
	return 0;
}

static int get_config(pfarg_config_t *cfg)
{
	unsigned int i;

	memset(cfg, 0, sizeof(*cfg));
	cfg->cf_version = PFM_VERSION;
	cfg->cf_sys_gid = PFM_GROUP_ANY;
	cfg->cf_thread_gid = 0;
	cfg->cf_arg_size_max = 4096;
	cfg->cf_smpl_buf_size_max = 1 << 20;
	cfg->cf_counter_width = 64;
	pfm_bv_set(cfg->cf_impl_pmcs, PFM_SW_PMC0);
	for (i = 0; i < PMDS; i++)
		pfm_bv_set(cfg->cf_impl_pmds, PFM_SW_PMD0 + i);
	return 0;
}

static int getinfo(pfarg_pmcinfo_t *info)
{
	info->reg_type = PFM_REG_TYPE_VIRTUAL;
	info->reg_rsvd_mask = ~0xffULL;
	info->reg_index = PFM_REG_IDX_NONE;
	return 0;
}

static int dispatch(int fd, int cmd, void *arg, int narg)
{
	struct context *ctx = &contexts[fd < 0 || fd >= CONTEXTS ? 0 : fd];

	switch (cmd) {
	case PFM_GET_CONFIG:
		return get_config(arg);
	case PFM_GETINFO_PMCS:
	case PFM_GETINFO_PMDS:
		return getinfo(arg);
	case PFM_CREATE_CONTEXT:
		return create(arg);
	}
	if (ctx->state == NONE || fcntl(fd, F_GETFD) < 0)
		return fail(EBADF);
	switch (cmd) {
	case PFM_WRITE_PMCS:
		return write_pmcs(ctx, arg, narg);
	case PFM_WRITE_PMDS:
		return write_pmds(ctx, arg);
	case PFM_LOAD_CONTEXT:
		return load(ctx, arg);
	case PFM_START:
		return start(ctx, fd);
	case PFM_RESTART:
		return restart(ctx, fd);
	case PFM_STOP:
		return ctx->state < LOADED ? fail(EBUSY) : 0;
	case PFM_CREATE_EVTSETS:
		return create_evtset(ctx, arg);
	case PFM_GETINFO_EVTSETS:
		return getinfo_evtset(ctx, arg);
	case PFM_READ_PMDS:
		return read_pmds(ctx, arg, narg);
	default:
		return fail(EINVAL);
	}
}

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	const char *want = getenv("FAKE_FAIL");
	int fail_cmd, fail_errno, ret;

	if (want && sscanf(want, "%d %d", &fail_cmd, &fail_errno) == 2 &&
	    fail_cmd == cmd)
		return fail(fail_errno);
	pthread_mutex_lock(&lock);
	ret = dispatch(fd, cmd, arg, narg);
	pthread_mutex_unlock(&lock);
	return ret;
}
