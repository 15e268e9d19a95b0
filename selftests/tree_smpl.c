// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process trees that are sampled: a context with a format and a buffer on each CPU joins the
 * tree (PFM_LOADFL_SLOTS, PFM_LOADFL_JOIN). Samples and what was counted after the last one
 * add up to the page faults that wait4() knows of.
 *
 * Not here: trees whose counts are added up in the kernel (tree_count.c).
 */
#include "member.h"
#include "sampling.h"

#define PERIOD	10
#define CPUS	16
#define BUFFER	(1 << 20)

/* A tree that samples faults on each CPU, in @n contexts. */
struct tree {
	int fd;
	int cpus[CPUS], n;
	struct sampler cpu[CPUS];
};

/* Context @i, on its CPU. */
static void tree_add(struct tree *t, int i, unsigned int events)
{
	cpu_set_t old;

	MUST(sched_getaffinity(0, sizeof(old), &old));
	sampler_open(&t->cpu[i], PFM_FL_TREE, BUFFER, 0);
	sample_faults(t->cpu[i].fd, 0, PERIOD, 0, 0);
	if (events > 1) {
		choose(t->cpu[i].fd, 0, 1, PFM_SW_TASK_CLOCK, 0, 0, 0);
		MUST(pfm_write_period(t->cpu[i].fd, SW_PMD(1), -NSEC_PER_MSEC, -NSEC_PER_MSEC,
				      -NSEC_PER_MSEC));
	}
	pin_cpu(t->cpus[i]);
	MUST(tree_load(t->cpu[i].fd, t->fd, PFM_LOADFL_JOIN));
	MUST(sched_setaffinity(0, sizeof(old), &old));
}

static void tree_open(struct tree *t, pid_t pid, unsigned int flags, unsigned int events)
{
	int i;

	t->fd = (int)MUST(pfm_create(PFM_FL_TREE));
	MUST(tree_load(t->fd, pid, PFM_LOADFL_SLOTS | flags));
	t->n = my_cpus(t->cpus, CPUS);
	for (i = 0; i < t->n; i++)
		tree_add(t, i, events);
}

static void tree_close(struct tree *t)
{
	int i;

	for (i = 0; i < t->n; i++)
		sampler_close(&t->cpu[i]);
	close(t->fd);
}

/* Faults by samples of counter 0, and since the last one. */
static u64 tree_faults(const struct tree *t)
{
	const dfl_entry_t *e;
	u64 sum = 0, n;
	int i;

	for (i = 0; i < t->n; i++) {
		for (n = 0; n < t->cpu[i].hdr->hdr_count; n++) {
			e = nth(&t->cpu[i], n, 0);
			if (e->ovfl_pmd != SW_PMD(0))
				continue;
			sum += PERIOD;
			if (e->cpu != t->cpus[i] || e->pid <= 0 || e->tid < e->pid)
				die("sample of %d, %d on CPU %d", e->pid, e->tid, e->cpu);
		}
		sum += pfm_value(t->cpu[i].fd, SW_PMD(0)) + PERIOD;
	}
	return sum;
}

/* Whoever waits for messages finds that there are no more. */
static bool tree_hung_up(const struct tree *t)
{
	pfm_msg_t msg;
	int i;

	for (i = 0; i < t->n; i++)
		if (!(pfm_poll(t->cpu[i].fd, PATIENCE) & POLLHUP) ||
		    read(t->cpu[i].fd, &msg, sizeof(msg)) ||
		    !pfm_state_is(t->cpu[i].fd, "unloaded"))
			return false;
	return true;
}

/* What makes no sense is refused, and nothing has changed. */
TEST(refused)
{
	struct sampler s, other;
	struct member m;
	int fd, sum;

	member_start(&m);
	pin_somewhere();
	sampler_open(&s, PFM_FL_TREE, BUFFER, 0);
	EXPECT_EQ(-EINVAL, tree_load(s.fd, m.pid, 0));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, m.pid, PFM_LOADFL_ALL));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, m.pid, PFM_LOADFL_SLOTS));
	EXPECT_EQ(-EBADF, tree_load(s.fd, -1, PFM_LOADFL_JOIN));
	EXPECT_EQ(-EBADF, tree_load(s.fd, 0, PFM_LOADFL_JOIN));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, s.fd, PFM_LOADFL_JOIN));
	EXPECT_EQ(-EINVAL, pfm_write_pmc(s.fd, SW_PMC(3), PFM_SW_MIGRATIONS, 0));
	sum = (int)MUST(pfm_create(PFM_FL_TREE));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	EXPECT_EQ(-EINVAL, tree_load(sum, m.pid, PFM_LOADFL_ALL | PFM_LOADFL_SLOTS));
	EXPECT_EQ(-EINVAL, tree_load(sum, s.fd, PFM_LOADFL_JOIN));
	ASSERT_EQ(0, tree_load(sum, m.pid, PFM_LOADFL_ALL));
	EXPECT_EQ(-EBUSY, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	ASSERT_EQ(0, pfm_unload(sum));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	ASSERT_EQ(0, tree_load(sum, m.pid, PFM_LOADFL_SLOTS));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, sum, PFM_LOADFL_JOIN | PFM_LOADFL_THREADS));
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	ASSERT_EQ(0, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	EXPECT_EQ(2ULL, sysfs_u64("thread_sessions"));
	EXPECT_EQ(-EBUSY, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	sampler_open(&other, PFM_FL_TREE, BUFFER, 0);
	EXPECT_EQ(-EBUSY, tree_load(other.fd, sum, PFM_LOADFL_JOIN));
	/* Another tree does not get the thread either. */
	fd = (int)MUST(pfm_create(PFM_FL_TREE));
	EXPECT_EQ(-EBUSY, tree_load(fd, m.pid, PFM_LOADFL_SLOTS));
	close(fd);
	/* The place is free again. */
	ASSERT_EQ(0, pfm_unload(s.fd));
	EXPECT_EQ(-EBUSY, pfm_unload(s.fd));
	EXPECT_EQ(1ULL, sysfs_u64("thread_sessions"));
	ASSERT_EQ(0, tree_load(other.fd, sum, PFM_LOADFL_JOIN));
	sampler_close(&other);
	ASSERT_EQ(0, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	EXPECT_EQ(1ULL, pfm_fdinfo_num(s.fd, "pfm-members"));
	kill_and_reap(m.pid);
	EXPECT_TRUE(tree_ends(sum));
	EXPECT_EQ(-ESRCH, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	EXPECT_EQ(-EBUSY, pfm_unload(sum));
	EXPECT_EQ(-EINVAL, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	sampler_close(&s);
	close(sum);
}

/* By orders, from PFM_START of the sum to the member's end. */
static void adds_up(struct __test_metadata *_metadata, const char *orders, unsigned int events)
{
	struct member m;
	struct rusage ru;
	struct tree t;
	u64 faults;

	member_start(&m);
	tree_open(&t, m.pid, 0, events);
	EXPECT_TRUE(wait_state(m.pid, "S", PATIENCE));
	faults = faults_of(m.pid);
	ASSERT_EQ(0, pfm_start(t.fd));
	for (; *orders; orders++)
		member_do(&m, *orders);
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(t.fd));
	EXPECT_TRUE(tree_hung_up(&t));
	EXPECT_EQ(0ULL, pfm_fdinfo_num(t.fd, "pfm-missed"));
	EXPECT_EQ((u64)ru.ru_minflt - faults, tree_faults(&t));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	tree_close(&t);
}

TEST(faults_of_processes)
{
	adds_up(_metadata, "ppp", 1);
}

TEST(faults_of_threads)
{
	adds_up(_metadata, "tTt", 1);
}

TEST(faults_of_all_sorts)
{
	adds_up(_metadata, "pvtufpbnmv", 2);
}

/* Samples of the clock, of all members but @pid if that is not 0. */
static u64 tree_ticks(const struct tree *t, pid_t pid)
{
	const dfl_entry_t *e;
	u64 ticks = 0, n;
	int i;

	for (i = 0; i < t->n; i++) {
		for (n = 0; n < t->cpu[i].hdr->hdr_count; n++) {
			e = nth(&t->cpu[i], n, 0);
			ticks += e->ovfl_pmd == SW_PMD(1) && e->pid != pid;
		}
	}
	return ticks;
}

/* Each sample is of the thread that it hit: those of the clock as well, which is each one's. */
TEST(clock_of_members)
{
	u64 end = now_ns(CLOCK_MONOTONIC) + PATIENCE * NSEC_PER_MSEC;
	struct member m;
	struct rusage ru;
	struct tree t;

	member_start(&m);
	tree_open(&t, m.pid, 0, 2);
	ASSERT_EQ(0, pfm_start(t.fd));
	/*
	 * Two processes of 50 ms a turn. A timer of a virtual CPU comes late if the host is busy,
	 * and one that is late by several periods takes one sample for all of them.
	 */
	do {
		member_do(&m, 'B');
	} while (tree_ticks(&t, m.pid) < 200 && now_ns(CLOCK_MONOTONIC) < end);
	member_end(&m, &ru);
	EXPECT_TRUE(tree_hung_up(&t));
	/* Each child has its share; and no tick is taken for time that no member ran. */
	EXPECT_LE(200ULL, tree_ticks(&t, m.pid));
	EXPECT_GE((u64)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000 +
		  (u64)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1000 + 1, tree_ticks(&t, 0));
	tree_close(&t);
}

/* With PFM_LOADFL_EXEC all of them begin at the exec, those that have joined by then. */
TEST(from_exec_on)
{
	int go[2], status;
	struct rusage ru;
	struct tree t;
	pid_t pid;
	u64 faults;

	MUST(pipe(go));
	pid = fork_child();
	if (!pid) {
		char c;

		MUST(dup2(go[0], 0));
		MUST(read(0, &c, 1));
		make_processes(5, 0, 1000);
		execl("/proc/self/exe", "tree_smpl", "--obey", "fp", NULL);
		_exit(95);
	}
	tree_open(&t, pid, PFM_LOADFL_EXEC, 1);
	MUST(write(go[1], "", 1));
	MUST(wait4(pid, &status, 0, &ru));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(tree_ends(t.fd));
	EXPECT_TRUE(tree_hung_up(&t));
	faults = tree_faults(&t);
	EXPECT_LE(400ULL, faults);
	EXPECT_GT((u64)ru.ru_minflt - 5000, faults);
	tree_close(&t);
}

/* PFM_STOP and PFM_START go to one context, or, of the sum, to all. */
TEST(start_and_stop)
{
	struct member m;
	struct rusage ru;
	struct tree t;
	u64 faults;
	int i;

	member_start(&m);
	tree_open(&t, m.pid, 0, 1);
	member_do(&m, 'f');
	EXPECT_EQ(0ULL, tree_faults(&t));
	for (i = 0; i < t.n; i++)
		ASSERT_EQ(0, pfm_start(t.cpu[i].fd));
	member_do(&m, 'f');
	faults = tree_faults(&t);
	EXPECT_LE(100ULL, faults);
	EXPECT_GT(110ULL, faults);
	ASSERT_EQ(0, pfm_stop(t.fd));
	member_do(&m, 'p');
	EXPECT_EQ(faults, tree_faults(&t));
	ASSERT_EQ(0, pfm_start(t.fd));
	member_do(&m, 'f');
	EXPECT_LE(faults + 100, tree_faults(&t));
	/* The end of the tree is the end of all. */
	ASSERT_EQ(0, pfm_unload(t.fd));
	EXPECT_TRUE(tree_hung_up(&t));
	faults = tree_faults(&t);
	member_do(&m, 'p');
	EXPECT_EQ(faults, tree_faults(&t));
	EXPECT_EQ(-EBUSY, pfm_start(t.cpu[0].fd));
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	member_end(&m, &ru);
	tree_close(&t);
}

/* What joins a tree that counts is started; one that has parted is not any more. */
TEST(joins_what_counts)
{
	struct member m;
	struct rusage ru;
	struct tree t;
	u64 faults;
	int i;

	member_start(&m);
	tree_open(&t, m.pid, 0, 1);
	ASSERT_EQ(0, pfm_start(t.fd));
	member_do(&m, 'f');
	for (i = 0; i < t.n; i++) {
		ASSERT_EQ(0, pfm_unload(t.cpu[i].fd));
		sampler_close(&t.cpu[i]);
		tree_add(&t, i, 1);
	}
	EXPECT_EQ(0ULL, tree_faults(&t));
	member_do(&m, 'f');
	faults = tree_faults(&t);
	EXPECT_LE(100ULL, faults);
	EXPECT_GT(110ULL, faults);
	member_end(&m, &ru);
	EXPECT_TRUE(tree_hung_up(&t));
	tree_close(&t);
}

/* A thread that samples itself, and does not leave its CPU in between. */
TEST(of_itself)
{
	struct sampler s;
	struct pages own;
	u64 value;
	int sum;

	pin_somewhere();
	pages_map(&own, 100);
	sum = (int)MUST(pfm_create(PFM_FL_TREE));
	sampler_open(&s, PFM_FL_TREE, BUFFER, 0);
	sample_faults(s.fd, 0, 1000, 0, 0);
	ASSERT_EQ(0, tree_load(sum, my_tid(), PFM_LOADFL_SLOTS));
	ASSERT_EQ(0, pfm_start(sum));
	ASSERT_EQ(0, tree_load(s.fd, sum, PFM_LOADFL_JOIN));
	pages_touch(&own, 100);
	value = pfm_value(s.fd, SW_PMD(0)) + 1000;
	EXPECT_LE(100ULL, value);
	EXPECT_GT(200ULL, value);
	ASSERT_EQ(0, pfm_unload(sum));
	EXPECT_TRUE(pfm_state_is(s.fd, "unloaded"));
	sampler_close(&s);
	close(sum);
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

/* A CPU without a context: what members do there is missed, and said to be. */
TEST(cpu_that_nobody_joins)
{
	struct member m;
	struct rusage ru;
	struct tree t;

	member_start(&m);
	tree_open(&t, m.pid, 0, 1);
	ASSERT_EQ(0, pfm_start(t.fd));
	member_do(&m, 'f');
	EXPECT_EQ(0ULL, pfm_fdinfo_num(t.fd, "pfm-missed"));
	while (t.n)
		sampler_close(&t.cpu[--t.n]);
	member_do(&m, 'f');
	EXPECT_LE(1ULL, pfm_fdinfo_num(t.fd, "pfm-missed"));
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(t.fd));
	close(t.fd);
}

/* A buffer that is full masks the members on its CPU, until PFM_RESTART. */
TEST(full_and_restarted)
{
	u64 room = dfl_capacity(page_size(), sizeof(dfl_entry_t)), seen = 0;
	struct sampler *s;
	struct member m;
	struct rusage ru;
	struct tree t;
	int fd;

	member_start(&m);
	t.fd = (int)MUST(pfm_create(PFM_FL_TREE));
	MUST(tree_load(t.fd, m.pid, PFM_LOADFL_SLOTS));
	t.cpus[0] = pin_somewhere();
	MUST(sched_setaffinity(m.pid, sizeof(cpu_set_t), ({
		static cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET((size_t)t.cpus[0], &set);
		&set;
	})));
	s = &t.cpu[0];
	sampler_open(s, PFM_FL_TREE, page_size(), 0);
	sample_faults(s->fd, 0, 1, NOTIFY, 0);
	MUST(tree_load(s->fd, t.fd, PFM_LOADFL_JOIN));
	fd = s->fd;
	ASSERT_EQ(0, pfm_start(t.fd));
	while (seen < 3) {
		member_do(&m, 'p');
		if (!pfm_state_is(fd, "masked"))
			continue;
		EXPECT_EQ(room, s->hdr->hdr_count);
		EXPECT_EQ(PFM_MSG_OVFL, pfm_next_msg(fd, NULL, PATIENCE));
		ASSERT_EQ(0, pfm_restart(fd));
		EXPECT_GT(room, s->hdr->hdr_count);
		seen++;
	}
	member_end(&m, &ru);
	EXPECT_TRUE(tree_ends(t.fd));
	close(fd);
	close(t.fd);
}

/* Whose rights are less than the owner's does not get samples of the owner's tree. */
TEST(others_cannot_join)
{
	struct sampler s;
	struct member m;
	pid_t pid;
	int sum;

	if (!is_root())
		SKIP(return, "others_cannot_join: needs root");
	member_start(&m);
	sum = (int)MUST(pfm_create(PFM_FL_TREE));
	ASSERT_EQ(0, tree_load(sum, m.pid, PFM_LOADFL_SLOTS));
	pid = fork_child();
	if (!pid) {
		become(NOBODY);
		sampler_open(&s, PFM_FL_TREE, page_size(), 0);
		_exit(tree_load(s.fd, sum, PFM_LOADFL_JOIN) == -EPERM ? 0 : 1);
	}
	EXPECT_EQ(0, reap(pid));
	kill_and_reap(m.pid);
	close(sum);
}

/* Contexts part and join, the sum goes, while members come and go. */
TEST(closed_while_members_fork)
{
	int i, k, rounds = is_slow() ? 20 : 100;
	pid_t pid = fork_child();
	struct tree t;

	if (!pid)
		for (;;)
			make_processes(1, 1, 1);
	for (i = 0; i < rounds; i++) {
		tree_open(&t, pid, PFM_LOADFL_THREADS | PFM_LOADFL_CHILDREN, 2);
		ASSERT_EQ(0, pfm_start(t.fd));
		if (i & 1) {
			for (k = 0; k < t.n; k++) {
				sampler_close(&t.cpu[k]);
				tree_add(&t, k, 1);
			}
		}
		if (i & 2)
			tree_faults(&t);
		if (i & 4)
			ASSERT_EQ(0, pfm_unload(t.fd));
		tree_close(&t);
	}
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
	kill_and_reap(pid);
}

/* The last member's exit meets contexts that join, part and are closed. */
TEST(ends_while_contexts_join)
{
	int i, k, rounds = is_slow() ? 50 : 300;
	struct tree t;
	pid_t pid;

	for (i = 0; i < rounds; i++) {
		pid = (pid_t)MUST(fork());
		if (!pid) {
			for (k = 0; k < i % 50; k++)
				sched_yield();
			_exit(0);
		}
		t.fd = (int)MUST(pfm_create(PFM_FL_TREE));
		t.n = my_cpus(t.cpus, CPUS);
		k = tree_load(t.fd, pid, PFM_LOADFL_SLOTS);
		if (k)
			ASSERT_EQ(-ESRCH, k);
		for (k = 0; k < t.n; k++) {
			int ret;

			sampler_open(&t.cpu[k], PFM_FL_TREE, page_size(), 0);
			pin_cpu(t.cpus[k]);
			ret = tree_load(t.cpu[k].fd, t.fd, PFM_LOADFL_JOIN);
			if (ret && ret != -ESRCH && ret != -EINVAL)
				die("join: %d", ret);
			if (!ret && (i & 1))
				pfm_unload(t.cpu[k].fd);
		}
		MUST(sched_setaffinity(0, sizeof(cpu_set_t), ({
			static cpu_set_t all;

			for (k = 0; k < t.n; k++)
				CPU_SET((size_t)t.cpus[k], &all);
			&all;
		})));
		reap(pid);
		tree_close(&t);
	}
	EXPECT_EQ(0ULL, sysfs_u64("thread_sessions"));
}

int main(int argc, char **argv)
{
	return member_main(argc, argv);
}
