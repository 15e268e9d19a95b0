# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Names of the processors' events are libpfm4's. Without it there are those of
# count/events.c, and events by number. PFM4= does without one that is there.
# To be included after scripts/user.mk.
PFM4	?= $(if $(shell echo 'int main(void) { return pfm_initialize(); }' | \
	$(CC) $(FLAGS_ARCH) -include perfmon/pfmlib.h -xc -o /dev/null - -lpfm 2>&1),,yes)
PFM4_LIBS := $(if $(PFM4),-lpfm)
