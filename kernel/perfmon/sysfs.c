// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: /sys/kernel/perfmon, one value a file.
 *
 * What PFM_GET_CONFIG and the GETINFO commands say, for scripts and people,
 * and what they do not: names, and how many sessions there are. The limits
 * can be written by the administrator.
 *
 *	version, pmu_model, counter_width
 *	host					kernel (its system call) or module (its device)
 *	arg_size_max, smpl_buf_size_max		bytes
 *	smpl_buf_size_cur			bytes in use by sampling buffers
 *	set_mem_max, set_mem_cur		bytes in contexts and their sets
 *	set_timeout_min				nanoseconds
 *	interrupts_max				overflows, a second and CPU
 *	sys_group, thread_group			group number, -1 for any
 *	sys_sessions, thread_sessions		loaded contexts
 *	free_system, free_thread		PMCs that such a context could claim now
 *	formats/NAME/				uuid, version of a sampling format
 *	pmcs/N/, pmds/N/			name, type, index, default,
 *						reserved of a register
 */
#include <linux/capability.h>
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "host.h"
#include "pfm.h"
#include "timer.h"

#define PFM_ATTR_RO(n) \
	static struct kobj_attribute pfm_attr_##n = __ATTR(n, 0444, n##_show, NULL)
#define PFM_ATTR_RW(n) \
	static struct kobj_attribute pfm_attr_##n = __ATTR(n, 0644, n##_show, n##_store)

#define PFM_SHOW(n, fmt, value)						\
static ssize_t n##_show(struct kobject *kobj,				\
			struct kobj_attribute *attr, char *buf)		\
{									\
	return sysfs_emit(buf, fmt "\n", value);			\
}

static const char *pfm_sysfs_model(void)
{
	const struct pfm_pmu *hw = pfm_pmu_hardware();

	return hw ? hw->name : "none";
}

static unsigned int pfm_sysfs_sessions(bool system)
{
	unsigned int s, t;

	pfm_session_count(&s, &t);
	return system ? s : t;
}

PFM_SHOW(version, "%s", "0.6")
PFM_ATTR_RO(version);
PFM_SHOW(host, "%s", PFM_HOST_NAME)
PFM_ATTR_RO(host);
PFM_SHOW(pmu_model, "%s", pfm_sysfs_model())
PFM_ATTR_RO(pmu_model);
PFM_SHOW(counter_width, "%u", (pfm_pmu_hardware() ?: &pfm_soft_pmu)->width)
PFM_ATTR_RO(counter_width);
PFM_SHOW(sys_sessions, "%u", pfm_sysfs_sessions(true))
PFM_ATTR_RO(sys_sessions);
PFM_SHOW(thread_sessions, "%u", pfm_sysfs_sessions(false))
PFM_ATTR_RO(thread_sessions);

/* PMCs by the numbers that programs use, as lists of CPUs are written: 0-3,16. */
static ssize_t pfm_sysfs_free(bool system, char *buf)
{
	DECLARE_BITMAP(dense, PFM_PMCS_MAX);
	DECLARE_BITMAP(pmcs, PFM_MAX_PMCS) = {};
	unsigned int i;

	pfm_pmu_get();
	pfm_session_free(system, dense);
	for_each_set_bit(i, dense, PFM_PMCS_MAX)
		__set_bit(pfm_regmap.pmc[i]->num, pmcs);
	pfm_pmu_put();
	return sysfs_emit(buf, "%*pbl\n", PFM_MAX_PMCS, pmcs);
}

static ssize_t free_system_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return pfm_sysfs_free(true, buf);
}
PFM_ATTR_RO(free_system);

static ssize_t free_thread_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return pfm_sysfs_free(false, buf);
}
PFM_ATTR_RO(free_thread);

static ssize_t pfm_sysfs_store(u64 *limit, u64 min, u64 max, const char *buf,
			       size_t count)
{
	u64 value;
	int ret = kstrtou64(buf, 0, &value);

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (ret)
		return ret;
	if (value < min || value > max)
		return -EINVAL;
	WRITE_ONCE(*limit, value);
	return count;
}

static ssize_t pfm_sysfs_store_size(u64 *limit, const char *buf, size_t count)
{
	return pfm_sysfs_store(limit, PFM_CONFIG_SIZE_MIN, U64_MAX, buf, count);
}

static ssize_t pfm_sysfs_store_number(u64 *limit, const char *buf, size_t count)
{
	return pfm_sysfs_store(limit, 0, U64_MAX, buf, count);
}

/* From what the timers do anyway to an hour. */
static ssize_t pfm_sysfs_store_time(u64 *limit, const char *buf, size_t count)
{
	return pfm_sysfs_store(limit, PFM_TIMER_MIN, 3600ULL * NSEC_PER_SEC, buf,
			       count);
}

static long long pfm_sysfs_gid(u32 gid)
{
	return gid == PFM_GROUP_ANY ? -1LL : gid;
}

static ssize_t pfm_sysfs_store_gid(u32 *gid, const char *buf, size_t count)
{
	s64 value;
	int ret = kstrtos64(buf, 0, &value);

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (ret)
		return ret;
	if (value < -1 || value > U32_MAX)
		return -EINVAL;
	WRITE_ONCE(*gid, value);
	return count;
}

#define PFM_STORE(n, kind)						\
static ssize_t n##_store(struct kobject *kobj,				\
			 struct kobj_attribute *attr,			\
			 const char *buf, size_t count)			\
{									\
	return pfm_sysfs_store_##kind(&pfm_config.n, buf, count);	\
}

PFM_SHOW(smpl_buf_size_cur, "%lld",
	 (long long)atomic64_read(&pfm_config.smpl_buf_size_cur))
PFM_ATTR_RO(smpl_buf_size_cur);

PFM_SHOW(arg_size_max, "%llu", READ_ONCE(pfm_config.arg_size_max))
PFM_STORE(arg_size_max, size)
PFM_ATTR_RW(arg_size_max);
PFM_SHOW(smpl_buf_size_max, "%llu", READ_ONCE(pfm_config.smpl_buf_size_max))
PFM_STORE(smpl_buf_size_max, size)
PFM_ATTR_RW(smpl_buf_size_max);

PFM_SHOW(set_mem_cur, "%lld",
	 (long long)atomic64_read(&pfm_config.set_mem_cur))
PFM_ATTR_RO(set_mem_cur);
PFM_SHOW(set_mem_max, "%llu", READ_ONCE(pfm_config.set_mem_max))
PFM_STORE(set_mem_max, number)
PFM_ATTR_RW(set_mem_max);
PFM_SHOW(set_timeout_min, "%llu", READ_ONCE(pfm_config.set_timeout_min))
PFM_STORE(set_timeout_min, time)
PFM_ATTR_RW(set_timeout_min);
PFM_SHOW(interrupts_max, "%llu", READ_ONCE(pfm_config.interrupts_max))
PFM_STORE(interrupts_max, number)
PFM_ATTR_RW(interrupts_max);

#define sys_group_show		sys_gid_show
#define sys_group_store		sys_gid_store
#define thread_group_show	thread_gid_show
#define thread_group_store	thread_gid_store
PFM_SHOW(sys_gid, "%lld", pfm_sysfs_gid(READ_ONCE(pfm_config.sys_gid)))
PFM_STORE(sys_gid, gid)
PFM_ATTR_RW(sys_group);
PFM_SHOW(thread_gid, "%lld", pfm_sysfs_gid(READ_ONCE(pfm_config.thread_gid)))
PFM_STORE(thread_gid, gid)
PFM_ATTR_RW(thread_group);

static const struct attribute *pfm_sysfs_attrs[] = {
	&pfm_attr_version.attr,
	&pfm_attr_host.attr,
	&pfm_attr_pmu_model.attr,
	&pfm_attr_counter_width.attr,
	&pfm_attr_sys_sessions.attr,
	&pfm_attr_thread_sessions.attr,
	&pfm_attr_free_system.attr,
	&pfm_attr_free_thread.attr,
	&pfm_attr_arg_size_max.attr,
	&pfm_attr_smpl_buf_size_max.attr,
	&pfm_attr_smpl_buf_size_cur.attr,
	&pfm_attr_set_mem_max.attr,
	&pfm_attr_set_mem_cur.attr,
	&pfm_attr_set_timeout_min.attr,
	&pfm_attr_interrupts_max.attr,
	&pfm_attr_sys_group.attr,
	&pfm_attr_thread_group.attr,
	NULL
};

/* A directory that describes a register. [c] */
struct pfm_sysfs_reg {
	struct kobject kobj;
	struct list_head node;
	const char *name;
	pfarg_pmcinfo_t info;
};

/* What pfm_sysfs_init() has made, for pfm_sysfs_exit(). [c] */
static struct kobject *pfm_sysfs_root, *pfm_sysfs_pmcs, *pfm_sysfs_pmds;
static LIST_HEAD(pfm_sysfs_regs);		/* [c] */

static const struct pfm_sysfs_reg *pfm_sysfs_reg(struct kobject *kobj)
{
	return container_of(kobj, struct pfm_sysfs_reg, kobj);
}

static const char *pfm_sysfs_type(u16 type)
{
	static const char * const names[] = {
		[PFM_REG_TYPE_PMC] = "pmc",
		[PFM_REG_TYPE_PMD] = "pmd",
		[PFM_REG_TYPE_MSR] = "msr",
		[PFM_REG_TYPE_SPR] = "spr",
		[PFM_REG_TYPE_IBR] = "ibr",
		[PFM_REG_TYPE_DBR] = "dbr",
		[PFM_REG_TYPE_VIRTUAL] = "virtual",
	};

	return names[type];
}

PFM_SHOW(name, "%s", pfm_sysfs_reg(kobj)->name)
PFM_ATTR_RO(name);
PFM_SHOW(type, "%s", pfm_sysfs_type(pfm_sysfs_reg(kobj)->info.reg_type))
PFM_ATTR_RO(type);
PFM_SHOW(index, "%#llx", pfm_sysfs_reg(kobj)->info.reg_index)
PFM_ATTR_RO(index);
PFM_SHOW(reserved, "%#llx", pfm_sysfs_reg(kobj)->info.reg_rsvd_mask)
PFM_ATTR_RO(reserved);

static ssize_t default_show(struct kobject *kobj, struct kobj_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%#llx\n", pfm_sysfs_reg(kobj)->info.reg_def_value);
}
static struct kobj_attribute pfm_attr_default =
	__ATTR(default, 0444, default_show, NULL);

static struct attribute *pfm_sysfs_reg_attrs[] = {
	&pfm_attr_name.attr,
	&pfm_attr_type.attr,
	&pfm_attr_index.attr,
	&pfm_attr_default.attr,
	&pfm_attr_reserved.attr,
	NULL
};
ATTRIBUTE_GROUPS(pfm_sysfs_reg);

static void pfm_sysfs_reg_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct pfm_sysfs_reg, kobj));
}

static const struct kobj_type pfm_sysfs_reg_ktype = {
	.release = pfm_sysfs_reg_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = pfm_sysfs_reg_groups,
};

static int pfm_sysfs_add_reg(struct kobject *parent, const char *name,
			     const pfarg_pmcinfo_t *info)
{
	struct pfm_sysfs_reg *reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	int ret;

	if (!reg)
		return -ENOMEM;
	reg->name = name;
	reg->info = *info;
	ret = kobject_init_and_add(&reg->kobj,
				   (struct kobj_type *)&pfm_sysfs_reg_ktype,
				   parent, "%u", info->reg_num);
	if (ret)
		kobject_put(&reg->kobj);
	else
		list_add(&reg->node, &pfm_sysfs_regs);
	return ret;
}

static int pfm_sysfs_add_regs(struct kobject *root)
{
	struct kobject *pmcs = kobject_create_and_add("pmcs", root);
	struct kobject *pmds = kobject_create_and_add("pmds", root);
	pfarg_pmcinfo_t info;
	unsigned int i;
	int ret = 0;

	pfm_sysfs_pmcs = pmcs;
	pfm_sysfs_pmds = pmds;
	if (!pmcs || !pmds)
		return -ENOMEM;
	for (i = 0; i < pfm_regmap.num_pmcs && !ret; i++) {
		pfm_pmu_info_pmc(i, &info);
		ret = pfm_sysfs_add_reg(pmcs, pfm_regmap.pmc[i]->name, &info);
	}
	for (i = 0; i < pfm_regmap.num_pmds && !ret; i++) {
		pfm_pmu_info_pmd(i, &info);
		ret = pfm_sysfs_add_reg(pmds, pfm_regmap.pmd[i]->name, &info);
	}
	return ret;
}

/* A directory that describes a format. [c] */
struct pfm_sysfs_format {
	struct kobject kobj;
	const pfm_buffer_fmt_t *fmt;
};

static struct kobject *pfm_sysfs_formats;	/* [c] */

static const pfm_buffer_fmt_t *pfm_sysfs_fmt(struct kobject *kobj)
{
	return container_of(kobj, struct pfm_sysfs_format, kobj)->fmt;
}

PFM_SHOW(uuid, "%pUb", pfm_sysfs_fmt(kobj)->fmt_uuid)
PFM_ATTR_RO(uuid);

static ssize_t fmt_version_show(struct kobject *kobj, struct kobj_attribute *attr,
				char *buf)
{
	u32 version = pfm_sysfs_fmt(kobj)->fmt_version;

	return sysfs_emit(buf, "%u.%u\n", version >> 16, version & 0xffff);
}
static struct kobj_attribute pfm_attr_fmt_version =
	__ATTR(version, 0444, fmt_version_show, NULL);

static struct attribute *pfm_sysfs_format_attrs[] = {
	&pfm_attr_uuid.attr,
	&pfm_attr_fmt_version.attr,
	NULL
};
ATTRIBUTE_GROUPS(pfm_sysfs_format);

static void pfm_sysfs_format_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct pfm_sysfs_format, kobj));
}

static const struct kobj_type pfm_sysfs_format_ktype = {
	.release = pfm_sysfs_format_release,
	.sysfs_ops = &kobj_sysfs_ops,
	.default_groups = pfm_sysfs_format_groups,
};

/**
 * pfm_sysfs_add_format() - make the directory of a format
 * @fmt: format
 *
 * Context: process.
 * Return: for pfm_sysfs_remove_format(), NULL without sysfs, or an error
 * pointer.
 */
struct pfm_sysfs_format *pfm_sysfs_add_format(const pfm_buffer_fmt_t *fmt)
{
	struct pfm_sysfs_format *f;
	int ret;

	if (!pfm_sysfs_formats)
		return NULL;
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->fmt = fmt;
	ret = kobject_init_and_add(&f->kobj,
				   (struct kobj_type *)&pfm_sysfs_format_ktype,
				   pfm_sysfs_formats, "%s", fmt->fmt_name);
	if (ret) {
		kobject_put(&f->kobj);
		return ERR_PTR(ret);
	}
	return f;
}

/**
 * pfm_sysfs_remove_format() - remove the directory of a format
 * @f: from pfm_sysfs_add_format(), or NULL
 *
 * When this returns no reader of a file uses the format's description any more.
 *
 * Context: process.
 */
void pfm_sysfs_remove_format(struct pfm_sysfs_format *f)
{
	if (!f)
		return;
	kobject_del(&f->kobj);
	kobject_put(&f->kobj);
}

/**
 * pfm_sysfs_init() - make the files
 *
 * Context: boot, after the description of the hardware has been registered.
 * Return: 0, or -ENOMEM.
 */
int pfm_sysfs_init(void)
{
	struct kobject *root = kobject_create_and_add("perfmon", kernel_kobj);
	int ret;

	if (!root)
		return -ENOMEM;
	pfm_sysfs_root = root;
	ret = sysfs_create_files(root, pfm_sysfs_attrs);
	if (ret)
		return ret;
	pfm_sysfs_formats = kobject_create_and_add("formats", root);
	if (!pfm_sysfs_formats)
		return -ENOMEM;
	return pfm_sysfs_add_regs(root);
}

/**
 * pfm_sysfs_exit() - remove the files
 *
 * Context: process; no format is registered any more.
 */
void __pfm_exit pfm_sysfs_exit(void)
{
	struct pfm_sysfs_reg *reg, *next;

	list_for_each_entry_safe(reg, next, &pfm_sysfs_regs, node) {
		list_del(&reg->node);
		kobject_del(&reg->kobj);
		kobject_put(&reg->kobj);
	}
	kobject_put(pfm_sysfs_pmcs);
	kobject_put(pfm_sysfs_pmds);
	kobject_put(pfm_sysfs_formats);
	kobject_put(pfm_sysfs_root);
}
