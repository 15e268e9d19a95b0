// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which thread a sample names: the threads of a process, whatever runs on a
 * CPU, the idle thread; and process numbers seen from inside and outside of a
 * PID name space. The latter needs root.
 */
#include "smpl_default.h"
#include "toucher.h"

/* ------------------------------------------------------------------------
 * Who is sampled
 */

/* Two threads of a process, two buffers: nothing gets into the wrong one. */
TEST_F(smpl, threads_of_a_process)
{
	struct sampler s[2];
	struct puppet p[2];
	int i, round;
	u64 n;

	for (i = 0; i < 2; i++) {
		start_puppet(&p[i], PUPPET_THREAD);
		sampler_open(&s[i], 0, ROOMY, 0);
		sample_faults(s[i].fd, 0, 1, 0, 0);
		attach(s[i].fd, p[i].tid);
	}
	for (round = 0; round < 10; round++)
		for (i = 0; i < 2; i++)
			puppet_do(&p[i], OP_FAULT, 10 + 5 * (unsigned int)i);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(100ULL + 50 * (u64)i, s[i].hdr->hdr_count);
		for (n = 0; n < s[i].hdr->hdr_count; n++) {
			ASSERT_EQ(getpid(), nth(&s[i], n, 0)->pid);
			ASSERT_EQ(p[i].tid, nth(&s[i], n, 0)->tid);
		}
		sampler_close(&s[i]);
		puppet_stop(&p[i]);
	}
}

static u64 samples_of(const struct sampler *s, pid_t tid)
{
	u64 n, sum = 0;

	for (n = 0; n < s->hdr->hdr_count; n++)
		sum += nth(s, n, 0)->tid == tid;
	return sum;
}

/* A CPU's samples name the thread that ran, any thread. */
TEST_F(smpl, system_wide)
{
	int i, cpu = pin_somewhere();
	struct puppet p[2];
	u64 n;

	for (i = 0; i < 2; i++) {
		start_puppet(&p[i], i ? PUPPET_THREAD : PUPPET_PROCESS);
		puppet_do(&p[i], OP_PIN, (unsigned int)cpu);
	}
	sampler_open(&self->s, PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	sample_faults(self->s.fd, 0, 1, NOTIFY, 0);
	attach(self->s.fd, my_tid());
	puppet_do(&p[0], OP_FAULT, 123);
	puppet_do(&p[1], OP_FAULT, 321);
	puppet_do(&p[0], OP_FAULT, 100);
	MUST(pfm_stop(self->s.fd));
	ASSERT_EQ(0ULL, self->s.hdr->hdr_overflows);
	EXPECT_EQ(223ULL, samples_of(&self->s, p[0].tid));
	EXPECT_EQ(321ULL, samples_of(&self->s, p[1].tid));
	for (n = 0; n < self->s.hdr->hdr_count; n++) {
		const dfl_entry_t *e = nth(&self->s, n, 0);

		ASSERT_EQ(cpu, e->cpu);
		ASSERT_LT(0, e->tid);
		if (e->tid == p[0].tid) {
			ASSERT_EQ(p[0].tid, e->pid);
		}
		if (e->tid == p[1].tid) {
			ASSERT_EQ(getpid(), e->pid);
		}
	}
	for (i = 0; i < 2; i++)
		puppet_stop(&p[i]);
}

/* The idle thread is process 0. */
static int idle_session(struct sampler *s, u32 set_flags)
{
	pfarg_setdesc_t desc = { .set_flags = set_flags };

	pin_somewhere();
	sampler_open(s, PFM_FL_SYSTEM_WIDE, ROOMY, 0);
	MUST(pfm(s->fd, PFM_CREATE_EVTSETS, &desc, 1));
	choose(s->fd, 0, 0, PFM_SW_CSWITCHES, 0, 0, 0);
	MUST(pfm_write_period(s->fd, SW_PMD(0), -1ULL, -1ULL, -1ULL));
	attach(s->fd, my_tid());
	return s->fd;
}

TEST_F(smpl, the_idle_thread)
{
	int fd = idle_session(&self->s, 0);
	u64 n, seen = 0;

	while (!seen) {
		sleep_ms(2);
		seen = samples_of(&self->s, 0);
		for (n = 0; n < self->s.hdr->hdr_count; n++) {
			EXPECT_EQ(!nth(&self->s, n, 0)->tid,
				  !nth(&self->s, n, 0)->pid);
			/* It has no user level: who may see the kernel sees where it is there. */
			if (!geteuid())
				EXPECT_NE(0ULL, nth(&self->s, n, 0)->ip);
		}
		MUST(pfm_restart(fd));
	}
}

TEST_F(smpl, the_idle_thread_is_excluded)
{
	int n, fd = idle_session(&self->s, PFM_SETFL_EXCL_IDLE);
	u64 seen = 0;

	for (n = 0; n < 50 || !seen; n++) {
		sleep_ms(2);
		seen += samples_of(&self->s, my_tid());
		EXPECT_EQ(0ULL, samples_of(&self->s, 0));
		MUST(pfm_restart(fd));
	}
}

/* Whether a thread of this number has no user level; one that has ended had. */
static bool is_kernel_only(pid_t tid)
{
	char path[32], buf[512], *rest;
	unsigned long flags;

	if (!tid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (read_text(path, buf, sizeof(buf)) < 0)
		return false;
	rest = strrchr(buf, ')');
	if (!rest || sscanf(rest, ") %*c %*d %*d %*d %*d %*d %lu", &flags) != 1)
		die("%s has no flags", path);
	return flags & 0x00200000;	/* PF_KTHREAD */
}

/* Samples of kernel-only threads but the idle one, or of all others. */
static u64 samples_of_kind(const struct sampler *s, bool kernel_only)
{
	u64 n, sum = 0;

	for (n = 0; n < s->hdr->hdr_count; n++) {
		pid_t tid = nth(s, n, 0)->tid;

		sum += tid && is_kernel_only(tid) == kernel_only;
	}
	return sum;
}

/*
 * A thread that runs on this CPU is moved to another one by a kernel-only thread of
 * this CPU. With the flag there are no samples of that one, nor of the idle thread.
 */
TEST_F(smpl, kernel_only_threads_are_excluded)
{
	int cpus[2], n, fd;
	u64 seen = 0;

	NEED_CPUS(cpus, 2);
	fd = idle_session(&self->s, PFM_SETFL_EXCL_IDLE);
	while (!seen) {
		puppet_do(&self->p, OP_MIGRATE, 20);
		seen = samples_of_kind(&self->s, true);
		MUST(pfm_restart(fd));
	}
	sampler_close(&self->s);

	fd = idle_session(&self->s, PFM_SETFL_EXCL_KERNEL_ONLY_THREADS);
	for (seen = 0, n = 0; n < 50 || !seen; n++) {
		puppet_do(&self->p, OP_MIGRATE, 20);
		seen += samples_of_kind(&self->s, false);
		EXPECT_EQ(0ULL, samples_of_kind(&self->s, true));
		EXPECT_EQ(0ULL, samples_of(&self->s, 0));
		MUST(pfm_restart(fd));
	}
}

/* ------------------------------------------------------------------------
 * Name spaces
 */

/* Process 1 of a new name space of processes; the caller's exit ends it. */
static pid_t fork_in_pid_ns(void)
{
	pid_t pid;

	MUST(unshare(CLONE_NEWPID));
	pid = (pid_t)MUST(fork());
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* In there: 0 if samples have the numbers that are known in there. */
static int sample_in_pid_ns(void)
{
	struct sampler s;
	struct puppet p;
	u64 n;

	start_puppet(&p, PUPPET_PROCESS);
	sampler_open(&s, 0, ROOMY, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, p.tid);
	puppet_do(&p, OP_FAULT, 10);
	if (getpid() != 1 || s.hdr->hdr_count != 10)
		return 1;
	for (n = 0; n < 10; n++)
		if (nth(&s, n, 0)->pid != p.tid || nth(&s, n, 0)->tid != p.tid)
			return 2;
	sampler_close(&s);
	/* And those of oneself, who is process 1. */
	sampler_open(&s, 0, ROOMY, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, my_tid());
	pages_touch(&p.pages, 10);
	MUST(pfm_stop(s.fd));
	for (n = 0; n < s.hdr->hdr_count; n++)
		if (nth(&s, n, 0)->pid != 1 || nth(&s, n, 0)->tid != 1)
			return 3;
	return n < 10 ? 4 : 0;
}

TEST_F(smpl, inside_a_pid_namespace)
{
	pid_t pid;

	NEED_ROOT();
	pid = fork_in_pid_ns();
	if (!pid)
		_exit(sample_in_pid_ns());
	EXPECT_EQ(0, reap(pid));
}

/* A context made outside the name space has the numbers that are valid outside. */
TEST_F(smpl, into_a_pid_namespace)
{
	struct toucher t;
	u64 n;

	NEED_ROOT();
	toucher_start(&t, fork_in_pid_ns);
	sampler_open(&self->s, 0, ROOMY, 0);
	sample_faults(self->s.fd, 0, 1, 0, 0);
	attach(self->s.fd, t.pid);
	toucher_do(&t, 10);
	ASSERT_EQ(10ULL, self->s.hdr->hdr_count);
	for (n = 0; n < 10; n++) {
		EXPECT_EQ(t.pid, nth(&self->s, n, 0)->pid);
		EXPECT_EQ(t.pid, nth(&self->s, n, 0)->tid);
	}
	kill_and_reap(t.pid);
}

/* A context made inside shows no number of the outside. */
static int sample_cpu_in_pid_ns(int cpu, int ready, int go)
{
	struct sampler s;
	u64 n, strange = 0;
	char c;

	pin_cpu(cpu);
	sampler_open(&s, PFM_FL_SYSTEM_WIDE, 1 << 20, 0);
	sample_faults(s.fd, 0, 1, 0, 0);
	attach(s.fd, my_tid());
	MUST(write(ready, "", 1));
	MUST(read(go, &c, 1));
	MUST(pfm_stop(s.fd));
	for (n = 0; n < s.hdr->hdr_count; n++) {
		const dfl_entry_t *e = nth(&s, n, 0);

		if (e->pid != 0 && e->pid != 1)
			return 1;
		if (e->pid != e->tid)
			return 2;
		strange += e->pid == 0;
	}
	return strange < 50 ? 3 : 0;
}

TEST_F(smpl, out_of_a_pid_namespace)
{
	int ready[2], go[2], cpu = pin_somewhere();
	pid_t pid;
	char c;

	NEED_ROOT();
	puppet_do(&self->p, OP_PIN, (unsigned int)cpu);
	MUST(pipe(ready));
	MUST(pipe(go));
	pid = fork_in_pid_ns();
	if (!pid)
		_exit(sample_cpu_in_pid_ns(cpu, ready[1], go[0]));
	MUST(read(ready[0], &c, 1));
	puppet_do(&self->p, OP_FAULT, 50);
	MUST(write(go[1], "", 1));
	EXPECT_EQ(0, reap(pid));
}

TEST_HARNESS_MAIN
