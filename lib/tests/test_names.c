// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of events and commands, and reasons of failures. */
#include <errno.h>

#include <perfmon/libperfmon.h>

#include "check.h"

static void test_events(void)
{
	unsigned int event;

	CHECK_STR(pfm_sw_event_name(PFM_SW_TASK_CLOCK), "task-clock");
	CHECK_STR(pfm_sw_event_name(PFM_SW_MAJOR_FAULTS), "major-faults");
	CHECK(!pfm_sw_event_name(PFM_SW_NONE));
	CHECK(!pfm_sw_event_name(PFM_SW_MAJOR_FAULTS + 1));
	CHECK(!pfm_sw_event_name(~0u));
	for (event = 1; event <= PFM_SW_MAJOR_FAULTS; event++)
		CHECK(pfm_sw_event_number(pfm_sw_event_name(event)) == (int)event);
	CHECK(pfm_sw_event_number("cs") == PFM_SW_CSWITCHES);
	CHECK(pfm_sw_event_number("cpu-migrations") == PFM_SW_MIGRATIONS);
	errno = 0;
	CHECK(pfm_sw_event_number("page-faults") == -1 && errno == ENOENT);
	CHECK(pfm_sw_event_number("") == -1);
	CHECK(pfm_sw_event_number("TASK-CLOCK") == -1);
}

static void test_commands(void)
{
	int cmd, n = 0;

	CHECK_STR(pfm_cmd_name(PFM_WRITE_PMCS), "PFM_WRITE_PMCS");
	CHECK_STR(pfm_cmd_name(PFM_GET_CONFIG), "PFM_GET_CONFIG");
	CHECK(!pfm_cmd_name(-1));
	CHECK(!pfm_cmd_name(0));
	CHECK(!pfm_cmd_name(0x06));
	CHECK(!pfm_cmd_name(PFM_GET_CONFIG + 1));
	for (cmd = -10; cmd < 300; cmd++)
		n += pfm_cmd_name(cmd) != NULL;
	CHECK(n == 16);
}

#define SAYS(cmd, err, flags, part) \
	CHECK(strstr(pfm_cmd_error(cmd, err, flags), part) != NULL)

static void test_reasons(void)
{
	static const int errs[] = { EPERM, ESRCH, EINTR, EBADF, ENOMEM, EFAULT,
		EBUSY, EINVAL, ENFILE, EMFILE, E2BIG, ENOSYS };
	const char *unknown = pfm_cmd_error(PFM_START, 9999, 0);
	size_t i;
	int cmd;

	SAYS(PFM_START, ENOSYS, 0, "no perfmon");
	SAYS(PFM_LOAD_CONTEXT, ESRCH, 0, "no such thread");
	SAYS(PFM_LOAD_CONTEXT, EPERM, 0, "trace");
	SAYS(PFM_CREATE_CONTEXT, EPERM, 0, "group");
	SAYS(PFM_CREATE_CONTEXT, EINVAL, 0, "refuses its argument");
	SAYS(PFM_CREATE_CONTEXT, E2BIG, 0, "does not know");
	SAYS(PFM_LOAD_CONTEXT, EINVAL, 0, "as its next");
	SAYS(PFM_SET_CONFIG, EPERM, 0, "administrator");
	SAYS(PFM_RESTART, EBUSY, 0, "masked");
	SAYS(PFM_WRITE_PMCS, EBUSY, 0, "another CPU");
	SAYS(PFM_WRITE_PMCS, EBUSY, 0, "uses the PMU");
	SAYS(PFM_WRITE_PMDS, EBUSY, 0, "another CPU");
	SAYS(PFM_WRITE_PMCS, EPERM, 0, "kernel's events");
	SAYS(PFM_READ_PMDS, EPERM, 0, "hardened");
	SAYS(PFM_WRITE_PMCS, EINVAL, PFM_REG_RETFL_NOTAVAIL, "no such control");
	SAYS(PFM_READ_PMDS, EINVAL, PFM_REG_RETFL_NOTAVAIL, "no such data");
	SAYS(PFM_READ_PMDS, EINVAL, PFM_REG_RETFL_NOSET, "no such event set");
	SAYS(PFM_DELETE_EVTSETS, EINVAL, PFM_SET_RETFL_EINVAL, "set 0");
	SAYS(PFM_GETINFO_PMCS, EINVAL, PFM_REG_RETFL_EINVAL, "no such control");
	/* Flags that are not RETFL bits, and flags with other errnos. */
	SAYS(PFM_WRITE_PMCS, EINVAL, PFM_REGFL_OVFL_NOTIFY, "no such command");
	SAYS(PFM_WRITE_PMCS, EBADF, PFM_REG_RETFL_NOSET, "descriptor");

	for (cmd = 0; cmd < 0x20; cmd++)
		for (i = 0; i < sizeof(errs) / sizeof(errs[0]); i++) {
			const char *text = pfm_cmd_error(cmd, errs[i], 0);

			if (errs[i] == ESRCH)
				CHECK(text && *text);
			else
				CHECK(text && *text && text != unknown);
		}
	CHECK(unknown && *unknown);
	CHECK(pfm_cmd_error(-1, -1, ~0u) == unknown);
}

int main(void)
{
	test_events();
	test_commands();
	test_reasons();
	return check_done();
}
