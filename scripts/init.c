// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's process 1: makes the host's root file system usable, runs one
 * program, hands its output and status to the host and powers off.
 *
 * The host talks to us through the files of a directory that it exports by 9p
 * under the name "perfmon":
 *
 *	argv		the program and its arguments, each ended by a NUL
 *	environ		its environment, likewise
 *	keep		directories that must stay visible although a tmpfs comes to
 *			lie over them, one a line; the first is the working directory
 *	modules		paths of modules to load, one a line, in this order
 *	busybox		path of a shell for machines that cannot run the host's programs
 *	tools		path of one for those that can: the host's /bin/sh remains
 *	system		path of a system that they can run; its /usr takes the place of the host's
 *	tty		"ROWS COLUMNS NAME": run it on the terminal /dev/NAME; no stdout, stderr
 *	stdin		what the host has read so far (may grow until stdin.eof exists)
 *	stdout, stderr	ours to fill
 *	status		ours, written last: the exit status as a decimal number
 *
 * Output goes by way of a pipe each, so that the program sees an ordinary
 * stream, and is written through to the host: when the status is there, so is
 * all output, and none of it depends on the console.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARE	"/mnt"	/* where "perfmon" is mounted while we set up */
#define MAX_KEEP 8

static char buffer[65536];
static int share;	/* the directory "perfmon", which stays open */

static struct {
	char *path;
	int fd;
} kept[MAX_KEEP];

static void __attribute__((noreturn)) off(void)
{
	/* With -no-reboot QEMU ends here; that needs no ACPI. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
	int error = errno;
	va_list list;

	va_start(list, format);
	fprintf(stderr, "init: ");
	vfprintf(stderr, format, list);
	fprintf(stderr, ": %s\n", strerror(error));
	off();
}

static void mount_fs(const char *type, const char *path, const char *options)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, options))
		fail("mount of %s on %s", type, path);
}

/* The whole of a file of the share, or NULL if there is none. */
static char *slurp(const char *name, size_t *size)
{
	size_t have = 0, room = 65536;
	char *data = malloc(room);
	int fd = openat(share, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0) {
		free(data);
		return NULL;
	}
	while ((n = read(fd, data + have, room - have - 1)) > 0) {
		have += n;
		if (have == room - 1)
			data = realloc(data, room *= 2);
		if (!data)
			fail("%s", name);
	}
	close(fd);
	data[have] = '\0';
	if (size)
		*size = have;
	return data;
}

/* The NUL-ended strings of a file as a vector. */
static char **vector(const char *name)
{
	size_t size, count = 0;
	char *data = slurp(name, &size), *at, **list;

	if (!data)
		fail("%s", name);
	for (at = data; at < data + size; at += strlen(at) + 1)
		count++;
	list = calloc(count + 1, sizeof(*list));
	for (at = data, count = 0; at < data + size; at += strlen(at) + 1)
		list[count++] = at;
	return list;
}

static void make_path(char *path)
{
	char *slash;

	for (slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	mkdir(path, 0755);
}

/*
 * Lay a tmpfs over a directory that programs write to. What has to stay visible
 * below it was opened before, and is bound to its place again.
 */
static void cover(const char *path, const char *options)
{
	size_t length = strlen(path);
	struct stat status;
	char from[32];
	int i;

	if (lstat(path, &status) || !S_ISDIR(status.st_mode))
		return;
	mount_fs("tmpfs", path, options);
	for (i = 0; i < MAX_KEEP && kept[i].path; i++) {
		if (strncmp(kept[i].path, path, length) || kept[i].path[length] != '/')
			continue;
		make_path(kept[i].path);
		snprintf(from, sizeof(from), "/proc/self/fd/%d", kept[i].fd);
		if (mount(from, kept[i].path, NULL, MS_BIND | MS_REC, NULL))
			fail("bind of %s", kept[i].path);
	}
}

static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		return;
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

static void mount_all(void)
{
	char *keep, *line;
	int i = 0;

	mount_fs("devtmpfs", "/dev", NULL);
	open_console();
	mount_fs("proc", "/proc", NULL);
	mount_fs("sysfs", "/sys", NULL);
	mount_fs("debugfs", "/sys/kernel/debug", NULL);
	mount_fs("devpts", "/dev/pts", "mode=620,ptmxmode=666");
	if (symlink("/proc/self/fd", "/dev/fd") ||
	    symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") ||
	    symlink("/proc/self/fd/2", "/dev/stderr"))
		fail("links in /dev");

	if (mount("perfmon", SHARE, "9p", 0,
		  "trans=virtio,version=9p2000.L,msize=512000,cache=none"))
		fail("mount of perfmon");
	share = open(SHARE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (share < 0 || umount2(SHARE, MNT_DETACH))
		fail(SHARE);

	keep = slurp("keep", NULL);
	for (line = strtok(keep, "\n"); line && i < MAX_KEEP; line = strtok(NULL, "\n")) {
		kept[i].path = line;
		kept[i].fd = open(line, O_PATH | O_CLOEXEC);
		if (kept[i++].fd < 0)
			fail("%s", line);
	}
	cover("/tmp", "mode=1777");
	cover("/var/tmp", "mode=1777");
	cover("/run", "mode=755");
	mkdir("/dev/shm", 0755);
	cover("/dev/shm", "mode=1777");
	mkdir("/run/lock", 0755);
	mkdir("/tmp/home", 0700);
	if (kept[0].path && chdir(kept[0].path))
		fail("%s", kept[0].path);
}

static int child_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Of the host's programs some machines cannot run any, and tests want faster ones. */
static void install_busybox(void)
{
	char *only = slurp("busybox", NULL);
	char *busybox = only ? only : slurp("tools", NULL);
	pid_t pid;
	int fd;

	if (!busybox)
		return;
	busybox[strcspn(busybox, "\n")] = '\0';
	mkdir("/run/bin", 0755);
	pid = fork();
	if (!pid) {
		execl(busybox, "busybox", "--install", "-s", "/run/bin", NULL);
		_exit(127);
	}
	if (child_wait(pid))
		fail("%s", busybox);
	if (!only)
		return;
	if (mount(busybox, "/bin/sh", NULL, MS_BIND, NULL))
		fail("bind of /bin/sh");
	/* To start the host's, the kernel would ask for a module, to load which... */
	fd = open("/proc/sys/kernel/modprobe", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "/run/bin/modprobe", 17) != 17)
		fail("/proc/sys/kernel/modprobe");
	close(fd);
}

/* Libraries and all are below /usr, here and there. */
static void take_system(void)
{
	char *system = slurp("system", NULL), usr[4096];

	if (!system)
		return;
	snprintf(usr, sizeof(usr), "%.*s/usr", (int)strcspn(system, "\n"), system);
	if (mount(usr, "/usr", NULL, MS_BIND, NULL))
		fail("bind of %s", usr);
}

static void load_modules(void)
{
	char *list = slurp("modules", NULL), *line;
	int fd;

	for (line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		fd = open(line, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			fail("%s", line);
		close(fd);
	}
}

static void loopback_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* Not all our kernels have INET. */
	if (fd < 0 && errno == EAFNOSUPPORT)
		return;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		perror("init: lo");
	close(fd);
}

/* Whether some CPU's timers do not have high resolution yet. */
static int timers_are_coarse(void)
{
	static const char mark[] = ".hres_active    : 0";
	FILE *file = fopen("/proc/timer_list", "r");
	char line[256];
	int found = 0;

	if (!file)
		return 0;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, mark) != NULL;
	fclose(file);
	return found;
}

/*
 * A kernel that has to measure its clock against another one first takes a
 * second for it; timers go with its tick till then. A CPU changes over in a
 * tick of its own, which an idle one does not have: visit them all.
 */
static void wait_for_timers(void)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), round, cpu;
	cpu_set_t set, all;

	sched_getaffinity(0, sizeof(all), &all);
	for (round = 0; timers_are_coarse(); round++) {
		if (round == 500) {
			fprintf(stderr, "init: timers stay coarse\n");
			break;
		}
		for (cpu = 0; cpu < cpus; cpu++) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			usleep(10000);
		}
	}
	sched_setaffinity(0, sizeof(all), &all);
}

/* A new session on the terminal. */
static void take_terminal(const char *tty)
{
	struct winsize window = { 0 };
	char path[32] = "/dev/";
	int fd;

	if (sscanf(tty, "%hu %hu %15s", &window.ws_row, &window.ws_col, path + 5) != 3)
		fail("tty");
	fd = open(path, O_RDWR);
	if (fd < 0)
		fail("%s", path);
	ioctl(fd, TIOCSWINSZ, &window);
	ioctl(fd, TIOCSCTTY, 1);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
}

struct stream {
	int from;	/* -1: ended */
	int to;
};

static void __attribute__((noreturn))
run_child(char **argv, char **envp, const char *tty, const struct stream *in,
	  const struct stream *out)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (tty) {
		take_terminal(tty);
	} else {
		dup2(in->from, 0);
		dup2(out[0].to, 1);
		dup2(out[1].to, 2);
	}
	environ = envp;
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Move what there is; false at the end of the stream. */
static int move(struct stream *stream)
{
	ssize_t n = read(stream->from, buffer, sizeof(buffer)), done = 0, m;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	while (done < n) {
		m = write(stream->to, buffer + done, n - done);
		if (m < 0)
			fail("output");
		done += m;
	}
	return n > 0;
}

/* The host's stdin: a file that may still grow, into the program's pipe. */
static void feed(struct stream *in, int file)
{
	int ended = !faccessat(share, "stdin.eof", F_OK, 0);
	ssize_t n = read(file, buffer, 4096);	/* PIPE_BUF: all or nothing */

	if (n > 0 && write(in->to, buffer, n) == n)
		return;
	if (n > 0 && errno == EAGAIN) {
		lseek(file, -n, SEEK_CUR);
		return;
	}
	if (n < 0 || n > 0 || ended) {
		close(in->to);
		in->to = -1;
	}
}

/* Everything that dies in here is our child in the end. */
static int reap(int signals, pid_t main_child, int *status)
{
	struct signalfd_siginfo info;
	int found = 0, any;
	pid_t pid;

	if (read(signals, &info, sizeof(info)) < 0)
		return 0;
	while ((pid = waitpid(-1, &any, WNOHANG)) > 0) {
		if (pid == main_child) {
			*status = any;
			found = 1;
		}
	}
	return found;
}

static int run(char **argv, char **envp, const char *tty)
{
	struct stream in = { -1, -1 }, out[2];
	int input = openat(share, "stdin", O_RDONLY | O_CLOEXEC);
	int signals, status = 0, i, pair[2];
	struct pollfd poll_set[3];
	sigset_t set;
	pid_t pid;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);

	for (i = 0; i < 2; i++) {
		if (pipe2(pair, O_CLOEXEC))
			fail("pipe");
		out[i].from = pair[0];
		out[i].to = pair[1];
	}
	if (input >= 0) {
		if (pipe2(pair, O_CLOEXEC))
			fail("pipe");
		in.from = pair[0];
		in.to = pair[1];
	} else {
		in.from = open("/dev/null", O_RDONLY | O_CLOEXEC);
	}

	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid)
		run_child(argv, envp, tty, &in, out);

	close(in.from);
	if (in.to >= 0)
		fcntl(in.to, F_SETFL, O_NONBLOCK);
	for (i = 0; i < 2; i++) {
		close(out[i].to);
		out[i].to = openat(share, i ? "stderr" : "stdout",
				   O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (out[i].to < 0)
			fail("output");
		fcntl(out[i].from, F_SETFL, O_NONBLOCK);
	}

	poll_set[2] = (struct pollfd){ .fd = signals, .events = POLLIN };
	for (;;) {
		for (i = 0; i < 2; i++)
			poll_set[i] = (struct pollfd){ .fd = out[i].from, .events = POLLIN };
		if (in.to >= 0)
			feed(&in, input);
		if (poll(poll_set, 3, in.to >= 0 ? 10 : -1) < 0)
			continue;
		for (i = 0; i < 2; i++)
			if (poll_set[i].revents && !move(&out[i]))
				out[i].from = -1;
		if ((poll_set[2].revents & POLLIN) && reap(signals, pid, &status))
			break;
	}

	/* What is in the pipes now; what its children write later is not waited for. */
	for (i = 0; i < 2; i++)
		while (out[i].from >= 0 && poll(&(struct pollfd){ out[i].from, POLLIN, 0 }, 1, 0) > 0)
			if (!move(&out[i]))
				break;
	return status;
}

int main(void)
{
	char **argv, **envp, *tty, text[16];
	int status, fd;

	mount_all();
	take_system();
	install_busybox();
	if (!faccessat(share, "modules", F_OK, 0))
		load_modules();
	loopback_up();
	wait_for_timers();
	if (sethostname("guest", 5))
		perror("init: hostname");

	argv = vector("argv");
	envp = vector("environ");
	tty = slurp("tty", NULL);
	environ = envp;		/* for the PATH that execvp() searches */
	if (!argv[0])
		fail("no program");
	status = run(argv, envp, tty);

	/* As a shell says it. */
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	snprintf(text, sizeof(text), "%d\n", status);
	fd = openat(share, "status.new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd) ||
	    renameat(share, "status.new", share, "status"))
		fail("status");
	off();
}
