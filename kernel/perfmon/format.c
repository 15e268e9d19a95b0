// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the registry of sampling formats, and the calls into them (3.5).
 *
 * What a sample is, and what follows when there is no room for the next one,
 * is policy: formats have it, found by UUID, most of them modules. A context
 * holds a reference on its format's module for as long as it exists.
 */
#include <linux/errno.h>
#include <linux/kmod.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>

#include "host.h"
#include "pfm.h"

/* Nothing that a program passes at creation is larger. */
#define PFM_FORMAT_ARG_MAX	65536

/* What a format wants to remember of a context is no larger. */
#define PFM_FORMAT_PRIV_MAX	SZ_1M

#define PFM_FORMAT_NAME_MAX	32

struct pfm_format {
	const pfm_buffer_fmt_t *fmt;	/* [c] */
	struct module *owner;		/* [c] */
	struct list_head list;		/* [f] */
	unsigned int users;		/* [f] contexts */
	struct pfm_sysfs_format *files;	/* [c] */
};

static DEFINE_MUTEX(pfm_format_mutex);
static LIST_HEAD(pfm_format_list);	/* [f] */

static bool pfm_format_ok(const pfm_buffer_fmt_t *fmt)
{
	size_t len;

	if (!fmt || !fmt->fmt_name || !fmt->fmt_handler)
		return false;
	len = strnlen(fmt->fmt_name, PFM_FORMAT_NAME_MAX);
	if (!len || len == PFM_FORMAT_NAME_MAX ||
	    strpbrk(fmt->fmt_name, "/ \t\n") || fmt->fmt_name[0] == '.')
		return false;
	return memchr_inv(fmt->fmt_uuid, 0, sizeof(fmt->fmt_uuid)) &&
	       !(fmt->fmt_flags & ~(PFM_FMTFL_NOSET | PFM_FMTFL_ARG_SIZE | PFM_FMTFL_FORKS)) &&
	       fmt->fmt_arg_size <= PFM_FORMAT_ARG_MAX &&
	       fmt->fmt_priv_size <= PFM_FORMAT_PRIV_MAX &&
	       (!(fmt->fmt_flags & PFM_FMTFL_ARG_SIZE) ||
		fmt->fmt_arg_size >= sizeof(u32));
}

static struct pfm_format *pfm_format_lookup(const pfm_uuid_t uuid)
{
	struct pfm_format *f;

	list_for_each_entry(f, &pfm_format_list, list)
		if (!memcmp(f->fmt->fmt_uuid, uuid, sizeof(f->fmt->fmt_uuid)))
			return f;
	return NULL;
}

static bool pfm_format_taken(const pfm_buffer_fmt_t *fmt)
{
	struct pfm_format *f;

	list_for_each_entry(f, &pfm_format_list, list)
		if (!strcmp(f->fmt->fmt_name, fmt->fmt_name))
			return true;
	return pfm_format_lookup(fmt->fmt_uuid);
}

/**
 * __pfm_register_buffer_fmt() - see pfm_register_buffer_fmt()
 * @fmt:   format
 * @owner: its module, NULL if it is built in
 *
 * Context: process.
 * Return: 0; -EINVAL; -EBUSY; -ENOMEM.
 */
int __pfm_register_buffer_fmt(const pfm_buffer_fmt_t *fmt, struct module *owner)
{
	struct pfm_format *f;
	int ret = 0;

	if (!pfm_format_ok(fmt))
		return -EINVAL;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	f->fmt = fmt;
	f->owner = owner;

	mutex_lock(&pfm_format_mutex);
	if (pfm_format_taken(fmt)) {
		ret = -EBUSY;
	} else {
		f->files = pfm_sysfs_add_format(fmt);
		if (IS_ERR(f->files))
			ret = PTR_ERR(f->files);
		else
			list_add_tail(&f->list, &pfm_format_list);
	}
	mutex_unlock(&pfm_format_mutex);
	if (ret)
		kfree(f);
	return ret;
}
EXPORT_SYMBOL_GPL(__pfm_register_buffer_fmt);

/**
 * pfm_unregister_buffer_fmt() - no program can request a format any more (3.5.9)
 * @uuid: of the format
 *
 * Context: process.
 * Return: 0; -EINVAL if there is none; -EBUSY if contexts use it, which cannot
 * be when its module goes.
 */
int pfm_unregister_buffer_fmt(const pfm_uuid_t uuid)
{
	struct pfm_format *f;
	int ret = 0;

	mutex_lock(&pfm_format_mutex);
	f = pfm_format_lookup(uuid);
	if (!f)
		ret = -EINVAL;
	else if (f->users)
		ret = -EBUSY;
	else
		list_del(&f->list);
	mutex_unlock(&pfm_format_mutex);
	if (ret)
		return ret;
	pfm_sysfs_remove_format(f->files);
	kfree(f);
	return 0;
}
EXPORT_SYMBOL_GPL(pfm_unregister_buffer_fmt);

static struct pfm_format *pfm_format_pin(const pfm_uuid_t uuid)
{
	struct pfm_format *f;

	mutex_lock(&pfm_format_mutex);
	f = pfm_format_lookup(uuid);
	/* A module that is being removed has it no more. */
	if (f && !try_module_get(f->owner))
		f = NULL;
	if (f)
		f->users++;
	mutex_unlock(&pfm_format_mutex);
	return f;
}

/**
 * pfm_format_get() - find a format, and keep it
 * @uuid: what a program asks for
 *
 * A module that knows the UUID is loaded, for those who may have that done.
 *
 * Context: process.
 * Return: the format, for pfm_format_put(), or an error pointer.
 */
struct pfm_format *pfm_format_get(const pfm_uuid_t uuid)
{
	struct pfm_format *f = pfm_format_pin(uuid);

	if (!f && pfm_access_may_autoload()) {
		request_module("perfmon-fmt-%pUb", uuid);
		f = pfm_format_pin(uuid);
	}
	return f ?: ERR_PTR(-EINVAL);
}

/**
 * pfm_format_put() - undo pfm_format_get()
 * @f: format or NULL
 *
 * Context: process.
 */
void pfm_format_put(struct pfm_format *f)
{
	struct module *owner;

	if (!f)
		return;
	mutex_lock(&pfm_format_mutex);
	owner = f->owner;
	f->users--;
	mutex_unlock(&pfm_format_mutex);
	module_put(owner);
}

/* PFM_FMTFL_ARG_SIZE: the program says how long its argument is. */
static void *pfm_format_copy_sized(const pfm_buffer_fmt_t *fmt,
				   const void __user *uarg)
{
	u32 size;
	void *arg;
	int ret;

	if (copy_from_user(&size, uarg, sizeof(size)))
		return ERR_PTR(-EFAULT);
	if (size < sizeof(size))
		return ERR_PTR(-EINVAL);
	if (size > READ_ONCE(pfm_config.arg_size_max))
		return ERR_PTR(-E2BIG);
	arg = kmalloc(fmt->fmt_arg_size, GFP_USER);
	if (!arg)
		return ERR_PTR(-ENOMEM);
	ret = copy_struct_from_user(arg, fmt->fmt_arg_size, uarg, size);
	if (ret) {
		kfree(arg);
		return ERR_PTR(ret);
	}
	/* Another thread may have changed it meanwhile. */
	*(u32 *)arg = size;
	return arg;
}

static void *pfm_format_copy_arg(const pfm_buffer_fmt_t *fmt,
				 const void __user *uarg)
{
	size_t size = fmt->fmt_arg_size;

	if (!size)
		return NULL;
	if (size > READ_ONCE(pfm_config.arg_size_max))
		return ERR_PTR(-E2BIG);
	if (fmt->fmt_flags & PFM_FMTFL_ARG_SIZE)
		return pfm_format_copy_sized(fmt, uarg);
	return memdup_user(uarg, size);
}

/*
 * What a call-back has returned, for the program: not a positive number, which is no errno,
 * nor one of those that the kernel keeps to itself, as ERESTARTSYS.
 */
static int pfm_format_errno(int ret)
{
	if (ret > 0)
		return -EINVAL;
	return ret <= -ERESTARTSYS ? -EIO : ret;
}

/**
 * pfm_format_open() - give a new context its format and its buffer
 * @ctx:  context that is not published yet; its format is set
 * @uarg: the program's argument of the format, copied in once
 *
 * Context: process.
 * Return: 0; -E2BIG; -EFAULT; -ENOMEM, also at the limits; or what the format
 * says.
 */
int pfm_format_open(struct pfm_context *ctx, const void __user *uarg)
{
	const pfm_buffer_fmt_t *fmt = ctx->format->fmt;
	size_t size = 0;
	void *arg;
	int ret = 0;

	BUILD_BUG_ON(PFM_PMDS_MAX > PFM_FMT_MAX_VALUES);
	ctx->ovfl_arg = kzalloc(sizeof(*ctx->ovfl_arg), GFP_KERNEL_ACCOUNT);
	if (!ctx->ovfl_arg)
		return -ENOMEM;
	arg = pfm_format_copy_arg(fmt, uarg);
	if (IS_ERR(arg))
		return PTR_ERR(arg);

	if (fmt->fmt_validate)
		ret = fmt->fmt_validate(ctx->flags, pfm_regmap.num_pmds, arg);
	if (!ret && fmt->fmt_getsize)
		ret = fmt->fmt_getsize(ctx->flags, arg, &size);
	if (!ret && size)
		ret = pfm_buffer_alloc(ctx, size, fmt->fmt_priv_size);
	if (!ret && fmt->fmt_init)
		ret = fmt->fmt_init(ctx->flags, arg, ctx->buf.addr);
	ctx->format_open = !ret;
	kfree(arg);
	return pfm_format_errno(ret);
}

/**
 * pfm_format_close() - take a context's format and buffer away
 * @ctx: context without a file
 *
 * Context: process.
 */
void pfm_format_close(struct pfm_context *ctx)
{
	if (!ctx->format)
		return;
	if (ctx->format_open && ctx->format->fmt->fmt_exit)
		ctx->format->fmt->fmt_exit(ctx->buf.addr);
	pfm_buffer_free(ctx);
	kfree(ctx->ovfl_arg);
	pfm_format_put(ctx->format);
}

/**
 * pfm_format_fmt() - the description of a format
 * @f: format or NULL
 *
 * Context: any.
 * Return: the description or NULL.
 */
const pfm_buffer_fmt_t *pfm_format_fmt(const struct pfm_format *f)
{
	return f ? f->fmt : NULL;
}

/**
 * pfm_fmt_num_pmds() - how many PMDs there are
 *
 * What fmt_validate is told, for call-backs that are not: no overflow has the values of
 * more registers. It does not change while a context exists.
 *
 * Context: any, NMI too: the call-backs of a format.
 * Return: PMDs that are implemented.
 */
u16 pfm_fmt_num_pmds(void)
{
	return pfm_regmap.num_pmds;
}
EXPORT_SYMBOL_GPL(pfm_fmt_num_pmds);

/**
 * pfm_format_overflow() - ask the format about counters that overflowed
 * @ctx:  context with a format
 * @ovfl: the counters, up to date like all others
 * @ctrl: out: the answers together, notify_user only if one of the counters
 *	  asks for it, too; reset_ovfl_pmds is not set
 *
 * Whether a notification is sent must not depend on which of the counters comes
 * last: it is enough that any of them has PFM_REGFL_OVFL_NOTIFY (3.6.5).
 *
 * Context: ctx->lock, interrupts off or NMI; on the CPU where the context is live, if
 * it is.
 * Return: the counters that the format wants to have reset now.
 */
u64 pfm_format_overflow(struct pfm_context *ctx, u64 ovfl, pfm_ovfl_ctrl_t *ctrl)
{
	const pfm_buffer_fmt_t *fmt = ctx->format->fmt;
	const pfm_ovfl_ctrl_t none = { 0 };
	pfm_ovfl_arg_t *arg = ctx->ovfl_arg;
	u64 tstamp = pfm_sample_stamp(ctx), reset = 0, rest;
	struct pfm_ovfl_data data;

	pfm_assert_live(ctx);
	*ctrl = none;
	pfm_sample_where(ctx, ovfl, &data);
	arg->event_notify = !!(ovfl & ctx->set->notify);
	for (rest = ovfl; rest; rest &= rest - 1) {
		pfm_sample_fill(ctx, __ffs64(rest), arg);
		if (fmt->fmt_handler(ctx->buf.addr, arg, tstamp, &data))
			break;
		if (arg->ovfl_ctrl.reset_ovfl_pmds)
			reset |= rest & -rest;
		if (likely(!arg->ovfl_ctrl.notify_user &&
			   !arg->ovfl_ctrl.block_thread &&
			   !arg->ovfl_ctrl.mask_monitoring))
			continue;
		ctrl->notify_user |= arg->ovfl_ctrl.notify_user & arg->event_notify;
		ctrl->block_thread |= arg->ovfl_ctrl.block_thread;
		ctrl->mask_monitoring |= arg->ovfl_ctrl.mask_monitoring;
	}
	return reset;
}

/**
 * pfm_format_restart() - tell the format of PFM_RESTART (3.5.15)
 * @ctx:  loaded context with a format
 * @ctrl: out: its answer
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, if it is.
 * Return: 0, or what the format says.
 */
int pfm_format_restart(struct pfm_context *ctx, pfm_ovfl_ctrl_t *ctrl)
{
	const pfm_buffer_fmt_t *fmt = ctx->format->fmt;
	int ret;

	pfm_assert_live(ctx);
	/* Without a say it wants what would happen without a format. */
	*ctrl = (pfm_ovfl_ctrl_t){ .reset_ovfl_pmds = !fmt->fmt_restart };
	if (!fmt->fmt_restart)
		return 0;
	ret = fmt->fmt_restart(ctx->buf.addr, ctx->state == PFM_LOADED, ctrl);
	return pfm_format_errno(ret);
}

/**
 * pfm_format_wants_maps() - whether the format records maps
 * @ctx:  context
 * @fork: new processes, too
 *
 * Context: any.
 * Return: whether pfm_format_map() may be called.
 */
bool pfm_format_wants_maps(const struct pfm_context *ctx, bool fork)
{
	return ctx->format && ctx->format->fmt->fmt_map &&
	       (!fork || (ctx->format->fmt->fmt_flags & PFM_FMTFL_FORKS));
}

/**
 * pfm_format_map() - tell the format what current has mapped, executed or made
 * @ctx:  context with a format that wants to know
 * @info: but for the thread and the time, which are filled in here
 *
 * Context: ctx->lock, interrupts off; on the CPU where the context is live, for current;
 * no NMI.
 */
void pfm_format_map(struct pfm_context *ctx, struct pfm_map_info *info)
{
	pfm_assert_live(ctx);
	lockdep_assert(!in_nmi());
	pfm_sample_who(ctx, current, &info->pid, &info->tid);
	info->tstamp = pfm_sample_stamp(ctx);
	ctx->format->fmt->fmt_map(ctx->buf.addr, info);
}
