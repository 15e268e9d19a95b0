// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first program of a stock kernel, in its initramfs: such a kernel has
 * what the guest's root needs as modules. Loads those, mounts the host's root file
 * system, loads perfmon, and goes on with scripts/init.c there.
 *
 *	/boot/NAME	modules, loaded before the root is there, and
 *	/perfmon/NAME	after that, each in the order of the names
 *	pfm_init=	on the kernel's command line: the program to go on with
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "stock-init: %s: %s\n", what, strerror(errno));
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void load_all(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, alphasort), i, fd;

	if (n < 0 || chdir(path))
		fail(path);
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] == '.')
			continue;
		fd = open(names[i]->d_name, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			fail(names[i]->d_name);
		close(fd);
	}
	if (chdir("/"))
		fail("/");
}

int main(void)
{
	char *init = getenv("pfm_init");

	/* scripts/guest looks for it: the kernel has booted. */
	fputs("stock-init: begins\n", stderr);
	if (!init)
		fail("pfm_init");
	load_all("/boot");
	if (mount("hostroot", "/root", "9p", MS_RDONLY,
		  "trans=virtio,version=9p2000.L,msize=512000,cache=loose"))
		fail("hostroot");
	load_all("/perfmon");
	if (chdir("/root") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot("."))
		fail("/root");
	execl(init, init, NULL);
	fail(init);
}
