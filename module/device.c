// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2 as a module: the way in for programs. A module cannot have a system call
 * of its own; <perfmon/device.h> says what there is instead.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include <perfmon/device.h>

#include "host.h"
#include "module.h"

static long pfm_device_run(struct file *ctx, unsigned int cmd, unsigned long arg)
{
	struct pfm_ioctl_call __user *uarg = (void __user *)arg;
	struct pfm_ioctl_call call;
	int ret;

	if (cmd != PFM_IOC_CALL)
		return -ENOTTY;
	if (copy_from_user(&call, uarg, sizeof(call)))
		return -EFAULT;
	if (call.reserved || call.arg != (unsigned long)call.arg)
		ret = -EINVAL;
	else
		ret = pfm_device_call(ctx, call.fd, call.op,
				      u64_to_user_ptr(call.arg), call.narg);
	return put_user(ret, &uarg->ret);
}

/**
 * pfm_device_ioctl() - a call on the descriptor of a context
 * @file: of the context
 * @cmd:  PFM_IOC_CALL
 * @arg:  address of a struct pfm_ioctl_call
 *
 * Context: process.
 * Return: 0; -ENOTTY for other numbers; -EFAULT.
 */
long pfm_device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return pfm_device_run(file, cmd, arg);
}

static long pfm_device_ioctl_any(struct file *file, unsigned int cmd,
				 unsigned long arg)
{
	return pfm_device_run(NULL, cmd, arg);
}

static const struct file_operations pfm_device_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= pfm_device_ioctl_any,
	.compat_ioctl	= compat_ptr_ioctl,
};

/* The rights are those of the commands, as for a system call. */
static struct miscdevice pfm_device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "perfmonctl",
	.fops	= &pfm_device_fops,
	.mode	= 0666,
};

/**
 * pfm_device_init() - make the device: from now on there can be contexts
 *
 * Context: process.
 * Return: 0, or -errno.
 */
int __init pfm_device_init(void)
{
	return misc_register(&pfm_device);
}

/**
 * pfm_device_exit() - remove it
 *
 * Context: process.
 */
void pfm_device_exit(void)
{
	misc_deregister(&pfm_device);
}
