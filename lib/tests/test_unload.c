// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A plug-in that is linked with the shared library is unloaded, and a thread that has had
 * regions ends after that. The perfmonctl() here is in the place of the library's own, and
 * lets everything succeed, so that this needs no kernel with perfmon.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfmon/libperfmon.h>

#include "check.h"

static int (*begin)(const char *name), (*end)(const char *name);
static unsigned int created;

int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	pfarg_ctx_t *ctx = arg;

	(void)fd;
	(void)narg;
	if (cmd != PFM_CREATE_CONTEXT)
		return 0;
	created++;
	ctx->ctx_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return ctx->ctx_fd < 0 ? -1 : 0;
}

static void *with_region(void *library)
{
	if (begin("region") || end("region") || dlclose(library))
		return NULL;
	/* The destructor of its context runs now. */
	return library;
}

static int unload(const char *path)
{
	void *library = dlopen(path, RTLD_NOW), *done;
	pthread_t thread;

	if (!library)
		return 2;
	*(void **)&begin = dlsym(library, "pmon_region_begin");
	*(void **)&end = dlsym(library, "pmon_region_end");
	if (!begin || !end || pthread_create(&thread, NULL, with_region, library) ||
	    pthread_join(thread, &done))
		return 3;
	return done && created ? 0 : 4;
}

/* In a child, which may die of it. The library is in the directory above this program's. */
int main(int argc, char **argv)
{
	char path[4096];
	int status = 0;
	pid_t pid;

	(void)argc;
	setenv("PMON_EVENTS", "task-clock", 1);
	setenv("PMON_OUTPUT", "/dev/null", 1);
	snprintf(path, sizeof(path), "%.*s/../libperfmon.so.0",
		 (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
	pid = fork();
	if (!pid)
		exit(unload(path));
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	return check_done();
}
