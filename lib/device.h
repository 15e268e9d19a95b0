/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfmonctl() of a kernel that has it as a module: by the device, or by the
 * descriptor of a context. For the library, and for the test programs.
 */
#ifndef PFM_DEVICE_H
#define PFM_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <perfmon/device.h>
#include <perfmon/perfmon.h>

static inline int pfm_device_needs_context(int cmd)
{
	switch (cmd) {
	case PFM_CREATE_CONTEXT:
	case PFM_GETINFO_PMCS:
	case PFM_GETINFO_PMDS:
	case PFM_SET_CONFIG:
	case PFM_GET_CONFIG:
		return 0;
	}
	return 1;
}

/*
 * The context that was created gets the number of the device's descriptor, which
 * was the lowest free one, as that of a new descriptor is.
 */
static inline int pfm_device_renumber(int device, pfarg_ctx_t *ctx)
{
	int flags = ctx->ctx_flags & PFM_FL_CLOEXEC ? O_CLOEXEC : 0;
	int fd = ctx->ctx_fd;

	if (dup3(fd, device, flags) < 0)
		return -1;
	close(fd);
	ctx->ctx_fd = device;
	return 0;
}

/**
 * pfm_device_perfmonctl() - as perfmonctl(), without the system call
 * @fd:   as there
 * @cmd:  as there
 * @arg:  as there
 * @narg: as there
 *
 * No descriptor is kept, so that it can be called from handlers of signals.
 *
 * Return: as there; -1 and ENOSYS if there is no device either.
 */
__attribute__((noinline, unused))
static int pfm_device_perfmonctl(int fd, int cmd, void *arg, int narg)
{
	struct pfm_ioctl_call call = {
		.fd = fd, .op = cmd, .arg = (uintptr_t)arg, .narg = narg,
	};
	int device, ret;

	/* What is no context's, and what says so, is for the device to judge. */
	if (pfm_device_needs_context(cmd) && fd >= 0 && !ioctl(fd, PFM_IOC_CALL, &call))
		goto done;

	device = open(PFM_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0) {
		if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
			errno = ENOSYS;
		return -1;
	}
	ret = ioctl(device, PFM_IOC_CALL, &call);
	if (!ret && !call.ret && cmd == PFM_CREATE_CONTEXT)
		return pfm_device_renumber(device, (pfarg_ctx_t *)arg);
	close(device);
	if (ret) {
		errno = ENOSYS;
		return -1;
	}
done:
	if (call.ret >= 0)
		return call.ret;
	errno = -call.ret;
	return -1;
}

#endif /* PFM_DEVICE_H */
