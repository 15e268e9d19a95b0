// SPDX-License-Identifier: GPL-2.0-only
/*
 * supervise [-u UID] [-g GID] [-t SECONDS] COMMAND [ARGUMENT...]
 *
 * For run.sh: runs a test program as a user with that group and no other,
 * for at most so many seconds, and leaves none of its descendants behind.
 * Ends with its status, 128 + a signal's number, or 124 after the time-out;
 * 126 if it cannot be executed, 125 if something else is wrong.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "supervise: %s: %s\n", what, strerror(errno));
	_exit(125);
}

/* The parent of a process, 0 if it is gone. */
static pid_t parent_of(const char *pid)
{
	char path[300], buf[512], *p;
	int parent = 0;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

/* Orphans become our children (subreaper), so children are all there are. */
static int kill_children(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int n = 0;

	if (!dir)
		fail("/proc");
	while ((d = readdir(dir))) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9' ||
		    parent_of(d->d_name) != getpid())
			continue;
		kill(atoi(d->d_name), SIGKILL);
		n++;
	}
	closedir(dir);
	return n;
}

static void clean_up(void)
{
	int tries;

	for (tries = 0; tries < 1000 && kill_children(); tries++) {
		usleep(10000);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

/* The status of @child; or -1 when @seconds are over. */
static int wait_for(pid_t child, unsigned int seconds)
{
	time_t end = time(NULL) + (time_t)seconds;
	struct timespec ts = { 1, 0 };
	sigset_t set;
	pid_t pid;
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == child)
				return status;
		if (pid < 0)
			fail("waitpid");
		if (time(NULL) >= end)
			return -1;
		sigtimedwait(&set, NULL, &ts);
	}
}

static void __attribute__((noreturn)) run(uid_t uid, gid_t gid, char **argv)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if ((uid || gid) && (setgroups(0, NULL) || setresgid(gid, gid, gid) ||
			     setresuid(uid, uid, uid)))
		fail("changing the user");
	execv(argv[0], argv);
	fprintf(stderr, "supervise: %s: %s\n", argv[0], strerror(errno));
	_exit(126);
}

int main(int argc, char **argv)
{
	unsigned int seconds = 120;
	uid_t uid = 0;
	gid_t gid = 0;
	sigset_t set;
	pid_t child;
	int opt, status;

	while ((opt = getopt(argc, argv, "+u:g:t:")) != -1) {
		switch (opt) {
		case 'u': uid = (uid_t)atol(optarg); break;
		case 'g': gid = (gid_t)atol(optarg); break;
		case 't': seconds = (unsigned int)atoi(optarg); break;
		default: return 125;
		}
	}
	if (optind == argc) {
		fprintf(stderr, "supervise: which command?\n");
		return 125;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child < 0)
		fail("fork");
	if (!child)
		run(uid, gid, argv + optind);
	status = wait_for(child, seconds);
	clean_up();
	if (status < 0)
		return 124;
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 128 + WTERMSIG(status);
}
