// SPDX-License-Identifier: LGPL-2.1-or-later
/* The records of <perfmon/callchain_smpl.h>, which several formats have. */
#include <string.h>

#include "smpl_chain.h"

bool pmon_chain_get(const void *buf, size_t at, size_t size,
		    pfm_callchain_smpl_rec_t *rec)
{
	if (at > size || size - at < sizeof(*rec))
		return false;
	memcpy(rec, (const char *)buf + at, sizeof(*rec));
	return rec->size >= sizeof(*rec) && rec->size % 8 == 0 &&
	       rec->size <= size - at;
}

static bool get_sample(const struct pmon_iter *it, const void *at, size_t size,
		       struct pmon_sample *sample)
{
	pfm_callchain_smpl_sample_t s;

	if (size < sizeof(s))
		return false;
	memcpy(&s, at, sizeof(s));
	if (s.ovfl_pmd >= PFM_MAX_PMDS || it->layout->values[s.ovfl_pmd] < 0 ||
	    s.nr_values < it->layout->values[s.ovfl_pmd] ||
	    (size - sizeof(s)) / 8 < (size_t)s.nr_values + s.nr_kernel + s.nr_user)
		return false;
	*sample = (struct pmon_sample){
		.pid = s.pid, .tid = s.tid, .cpu = s.cpu, .pmd = s.ovfl_pmd,
		.set = s.set, .period = -s.last_reset_val, .time = s.tstamp,
		.ip = s.ip, .count = 1, .values = s.nr_values,
		.value = (const void *)((const char *)at + sizeof(s)),
		.kernel = s.nr_kernel, .user = s.nr_user,
	};
	sample->chain = sample->value + s.nr_values;
	return true;
}

static bool get_map(const void *at, size_t size, struct pmon_map *map)
{
	const char *path = (const char *)at + sizeof(pfm_callchain_smpl_map_t);
	pfm_callchain_smpl_map_t m;

	if (size <= sizeof(m) || !memchr(path, '\0', size - sizeof(m)))
		return false;
	memcpy(&m, at, sizeof(m));
	if (m.addr + m.len <= m.addr)
		return false;
	*map = (struct pmon_map){
		.pid = m.pid, .time = m.tstamp, .start = m.addr,
		.end = m.addr + m.len, .offset = m.pgoff,
		.major = m.major, .minor = m.minor, .inode = m.ino,
		.path = *path ? path : "[unknown]",
	};
	return true;
}

static bool get_exec(const void *at, size_t size, struct pmon_map *map)
{
	const char *comm = (const char *)at + offsetof(pfm_callchain_smpl_exec_t, comm);
	pfm_callchain_smpl_exec_t e;

	if (size < sizeof(e) || !memchr(comm, '\0', sizeof(e.comm)))
		return false;
	memcpy(&e, at, sizeof(e));
	*map = (struct pmon_map){ .pid = e.pid, .time = e.tstamp, .comm = comm };
	return true;
}

static bool get_fork(const void *at, size_t size, struct pmon_map *map)
{
	pfm_callchain_smpl_fork_t f;

	if (size < sizeof(f))
		return false;
	memcpy(&f, at, sizeof(f));
	*map = (struct pmon_map){ .pid = f.pid, .time = f.tstamp, .child = f.child };
	return true;
}

static bool get_lost(const void *at, size_t size, struct pmon_lost *lost)
{
	pfm_callchain_smpl_lost_t l;

	if (size < sizeof(l))
		return false;
	memcpy(&l, at, sizeof(l));
	*lost = (struct pmon_lost){
		.time = l.tstamp, .until = l.until, .samples = l.samples, .maps = l.maps,
	};
	return l.tstamp <= l.until;
}

/* Returns 1, 0 for a type of a later version, or -1. */
static int convert(const struct pmon_iter *it, const pfm_callchain_smpl_rec_t *head,
		   struct pmon_record *rec)
{
	const void *at = it->buf + it->at;

	switch (head->type) {
	case PFM_CALLCHAIN_SMPL_SAMPLE:
		rec->type = PMON_SAMPLE;
		return get_sample(it, at, head->size, &rec->sample) ? 1 : -1;
	case PFM_CALLCHAIN_SMPL_MAP:
		rec->type = PMON_MAP;
		return get_map(at, head->size, &rec->map) ? 1 : -1;
	case PFM_CALLCHAIN_SMPL_EXEC:
		rec->type = PMON_EXEC;
		return get_exec(at, head->size, &rec->map) ? 1 : -1;
	case PFM_CALLCHAIN_SMPL_FORK:
		rec->type = PMON_FORK;
		return get_fork(at, head->size, &rec->map) ? 1 : -1;
	case PFM_CALLCHAIN_SMPL_LOST:
		rec->type = PMON_LOST;
		return get_lost(at, head->size, &rec->lost) ? 1 : -1;
	default:
		return 0;
	}
}

int pmon_chain_record(struct pmon_iter *it, struct pmon_record *rec)
{
	pfm_callchain_smpl_rec_t head;
	int ret;

	if (!pmon_chain_get(it->buf, it->at, it->end, &head))
		return -1;
	ret = convert(it, &head, rec);
	it->at += head.size;
	it->records++;
	return ret;
}

uint64_t pmon_chain_skim(struct pmon_iter *it, const struct pmon_skim *skim)
{
	const pfm_callchain_smpl_sample_t *sample;
	pfm_callchain_smpl_rec_t head;
	struct pmon_record rec;
	uint64_t samples = 0;
	int32_t pid, last = 0;

	for (; pmon_chain_get(it->buf, it->at, it->end, &head); it->at += head.size) {
		sample = (const void *)(it->buf + it->at);
		if (head.type != PFM_CALLCHAIN_SMPL_SAMPLE) {
			if (convert(it, &head, &rec) > 0 && rec.type == PMON_MAP)
				skim->map(skim->arg, &rec.map);
		} else if (head.size >= sizeof(*sample)) {
			samples++;
			memcpy(&pid, &sample->pid, sizeof(pid));
			if (pid != last)
				skim->process(skim->arg, pid);
			last = pid;
		}
	}
	return samples;
}
