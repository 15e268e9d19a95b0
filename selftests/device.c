// SPDX-License-Identifier: GPL-2.0-only
/*
 * The way in of a kernel that has perfmon as a module (<perfmon/device.h>): the ioctl
 * itself. That the commands work through it is what all other programs test there.
 *
 * A kernel that has the system call has no device.
 */
#include "pfm_test.h"

FIXTURE(device) {
	int dev;	/* -1: the kernel has the system call */
};

FIXTURE_SETUP(device)
{
	self->dev = open(PFM_DEVICE, O_RDONLY | O_CLOEXEC);
	if (is_module()) {
		ASSERT_LE(0, self->dev);
	} else {
		ASSERT_EQ(-1, self->dev);
		ASSERT_EQ(ENOENT, errno);
	}
}

FIXTURE_TEARDOWN(device)
{
	if (self->dev >= 0)
		close(self->dev);
}

/* A call that makes a context, as @ctx says. */
static struct pfm_ioctl_call creation(pfarg_ctx_t *ctx)
{
	memset(ctx, 0, sizeof(*ctx));
	return (struct pfm_ioctl_call){
		.op = PFM_CREATE_CONTEXT, .arg = (uintptr_t)ctx, .narg = 1, .ret = 77,
	};
}

static int lowest_free(void)
{
	int fd = (int)MUST(dup(0));

	close(fd);
	return fd;
}

/* Reading and writing of the device's file are not asked for: rights are the commands'. */
TEST_F(device, read_only)
{
	struct pfm_ioctl_call call;
	pfarg_ctx_t ctx;

	if (self->dev < 0)
		return;
	call = creation(&ctx);
	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	ASSERT_EQ(0, call.ret);
	ASSERT_LE(0, ctx.ctx_fd);
	close(ctx.ctx_fd);
}

TEST_F(device, reserved)
{
	struct pfm_ioctl_call call;
	pfarg_ctx_t ctx;
	int bit, fd = lowest_free();

	if (self->dev < 0)
		return;
	for (bit = 0; bit < 64; bit++) {
		call = creation(&ctx);
		call.reserved = 1ULL << bit;
		ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
		EXPECT_EQ(-EINVAL, call.ret);
	}
	EXPECT_EQ(fd, lowest_free());
}

TEST_F(device, other_numbers)
{
	struct pfm_ioctl_call call;
	pfarg_ctx_t ctx;
	int i, fd;

	if (self->dev < 0)
		return;
	fd = (int)MUST(pfm_create(0));
	for (i = 0; i < 2; i++) {
		call = creation(&ctx);
		EXPECT_EQ(-1, ioctl(i ? fd : self->dev, PFM_IOC_CALL + 1, &call));
		EXPECT_EQ(ENOTTY, errno);
		EXPECT_EQ(-1, ioctl(i ? fd : self->dev,
				    _IOWR(0xf7, 0x80, struct { char c[40]; }), &call));
		EXPECT_EQ(ENOTTY, errno);
		EXPECT_EQ(77, call.ret);
	}
	close(fd);
}

/* The call cannot be read; it can be read, and its result not be written; its argument. */
TEST_F(device, addresses)
{
	struct pfm_ioctl_call *page, call;
	pfarg_ctx_t ctx;
	int fd = lowest_free();

	if (self->dev < 0)
		return;
	EXPECT_EQ(-1, ioctl(self->dev, PFM_IOC_CALL, NULL));
	EXPECT_EQ(EFAULT, errno);
	page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)page);
	*page = (struct pfm_ioctl_call){ .fd = -1, .op = PFM_START };
	MUST(mprotect(page, page_size(), PROT_READ));
	EXPECT_EQ(-1, ioctl(self->dev, PFM_IOC_CALL, page));
	EXPECT_EQ(EFAULT, errno);
	munmap(page, page_size());

	call = creation(&ctx);
	call.arg = 8;
	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	EXPECT_EQ(-EFAULT, call.ret);
	/* No address of a program. On a kernel of 64 bits, one of 32 has 64 here, too. */
	call = creation(&ctx);
	call.arg |= 1ULL << 63;
	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	EXPECT_TRUE(call.ret == -EFAULT || call.ret == -EINVAL);
	call = creation(&ctx);
	call.arg |= 1ULL << 62;
	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	EXPECT_TRUE(call.ret == -EFAULT || call.ret == -EINVAL);
	EXPECT_EQ(fd, lowest_free());
}

/* On a context's descriptor that is the context; on the device's it is the call's. */
TEST_F(device, whose_context)
{
	struct pfm_ioctl_call call;
	pfarg_setdesc_t set = { .set_id = 1 };
	int fd, other;

	if (self->dev < 0)
		return;
	fd = (int)MUST(pfm_create(0));
	other = (int)MUST(pfm_create(0));
	call = (struct pfm_ioctl_call){
		.fd = other, .op = PFM_CREATE_EVTSETS, .arg = (uintptr_t)&set, .narg = 1,
	};
	ASSERT_EQ(0, ioctl(fd, PFM_IOC_CALL, &call));
	ASSERT_EQ(0, call.ret);
	EXPECT_TRUE(set_exists(fd, 1));
	EXPECT_FALSE(set_exists(other, 1));

	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	ASSERT_EQ(0, call.ret);
	EXPECT_TRUE(set_exists(other, 1));

	call.fd = self->dev;
	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	EXPECT_EQ(-EBADF, call.ret);
	call.fd = -1;
	ASSERT_EQ(0, ioctl(self->dev, PFM_IOC_CALL, &call));
	EXPECT_EQ(-EBADF, call.ret);
	close(other);
	close(fd);
}

/* Whoever was handed a context was not handed the way to all others. */
TEST_F(device, commands_without_a_context)
{
	static const int ops[] = {
		PFM_CREATE_CONTEXT, PFM_GETINFO_PMCS, PFM_GETINFO_PMDS, PFM_SET_CONFIG,
		PFM_GET_CONFIG,
	};
	struct pfm_ioctl_call call;
	pfarg_ctx_t ctx;
	size_t i;
	int fd;

	if (self->dev < 0)
		return;
	fd = (int)MUST(pfm_create(0));
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		call = creation(&ctx);
		call.op = ops[i];
		ASSERT_EQ(0, ioctl(fd, PFM_IOC_CALL, &call));
		EXPECT_EQ(-EBADF, call.ret) {
			TH_LOG("command %d", ops[i]);
		}
	}
	EXPECT_EQ(fd + 1, lowest_free());
	close(fd);
}

/* By the library's way: the lowest number, and the flag that was asked for. */
TEST_F(device, descriptor)
{
	pfarg_ctx_t ctx;
	int cloexec, want;

	if (self->dev < 0)
		return;
	for (cloexec = 0; cloexec < 2; cloexec++) {
		memset(&ctx, 0, sizeof(ctx));
		ctx.ctx_flags = cloexec ? PFM_FL_CLOEXEC : 0;
		want = lowest_free();
		ASSERT_EQ(0, pfm_device_perfmonctl(0, PFM_CREATE_CONTEXT, &ctx, 1));
		EXPECT_EQ(want, ctx.ctx_fd);
		EXPECT_EQ(cloexec ? FD_CLOEXEC : 0, fcntl(ctx.ctx_fd, F_GETFD));
		close(ctx.ctx_fd);
		EXPECT_EQ(want, lowest_free());
	}
}

TEST_HARNESS_MAIN
