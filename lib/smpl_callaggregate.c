// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The aggregating call chain format: see <perfmon/callaggregate_smpl.h>. What is copied
 * is the header and one table: the entries that are used, the chains, MAP and EXEC
 * records, one after the other. The header's first table says where they are, and its
 * gen is their generation. Header and entries are as long as this version knows them; a
 * later version of this library may have copied more.
 */
#include <string.h>

#include <perfmon/callaggregate_smpl.h>

#include "smpl_chain.h"

typedef pfm_callaggregate_smpl_hdr_t hdr_t;
typedef pfm_callaggregate_smpl_table_t table_t;
typedef pfm_callaggregate_smpl_entry_t entry_t;
typedef pfm_callaggregate_smpl_chain_t chain_t;

/* Of a chain, on average: they are stored once, entries are more. */
#define WORDS_EACH	16
#define INDEX_EACH	8	/* bytes of the kernel's index for a slot */
#define MAPS_PART	8	/* of the buffer, for MAP and EXEC records */
#define SIZE_MIN	65536

static uint64_t table_size(uint64_t slots)
{
	return slots * (sizeof(entry_t) + INDEX_EACH + WORDS_EACH * sizeof(uint64_t));
}

static uint64_t scratch_size(void)
{
	return sizeof(chain_t) + 2 * PFM_CALLCHAIN_SMPL_DEF_DEPTH * sizeof(uint64_t);
}

/* A power of two of slots for each table, the rest for chains, and for maps. */
static void argument(void *arg, uint64_t buffer_size)
{
	pfm_callaggregate_smpl_arg_t *a = arg;
	uint64_t half, words, maps;

	if (buffer_size < SIZE_MIN)
		buffer_size = SIZE_MIN;
	half = (buffer_size - sizeof(hdr_t) - scratch_size()) / 2 - 64;
	maps = half / MAPS_PART & ~7ULL;
	if (maps > PFM_CALLAGGREGATE_SMPL_MAX_MAPS)
		maps = PFM_CALLAGGREGATE_SMPL_MAX_MAPS;
	half -= maps;
	a->arg_size = sizeof(*a);
	a->buf_flags = PFM_CALLCHAIN_SMPL_KERNEL | PFM_CALLCHAIN_SMPL_USER |
		       PFM_CALLCHAIN_SMPL_MAPS;
	a->buf_slots = PFM_CALLAGGREGATE_SMPL_MIN_SLOTS;
	while (a->buf_slots < PFM_CALLAGGREGATE_SMPL_MAX_SLOTS &&
	       table_size(2 * a->buf_slots) <= half)
		a->buf_slots *= 2;
	words = half / sizeof(uint64_t) -
		a->buf_slots * (sizeof(entry_t) + INDEX_EACH) / sizeof(uint64_t);
	if (words > PFM_CALLAGGREGATE_SMPL_MAX_WORDS)
		words = PFM_CALLAGGREGATE_SMPL_MAX_WORDS;
	a->buf_words = (uint32_t)words;
	a->buf_maps = (uint32_t)maps;
}

static uint64_t min_size(unsigned int pmds)
{
	(void)pmds;
	return SIZE_MIN;
}

static uint64_t load(const __u64 *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static uint32_t acquire(const __u32 *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* Samples of the table that is being filled: the other one has been taken. */
static void state(const void *buf, size_t size, struct pmon_state *state)
{
	const hdr_t *hdr = buf;
	const table_t *t = &hdr->hdr_table[acquire(&hdr->hdr_gen) % 2];

	(void)size;
	memset(state, 0, sizeof(*state));
	state->lost = load(&hdr->hdr_lost);
	state->lost_maps = load(&hdr->hdr_lost_maps);
	if (load(&t->tab_samples) > load(&t->tab_lost))
		state->samples = load(&t->tab_samples) - load(&t->tab_lost);
}

/* Entries that came after @after. Returns behind the last. */
static entry_t *copy_entries(const hdr_t *hdr, const table_t *t, size_t size,
			     uint64_t after, entry_t *to)
{
	const char *at = (const char *)hdr + t->tab_slots;
	size_t each = hdr->hdr_entry_size, left = hdr->hdr_slots;
	const entry_t *slot;

	if (each < sizeof(*slot) || each % 8 || t->tab_slots > size ||
	    (size - t->tab_slots) / each < left)
		return to;
	for (; left; left--, at += each) {
		slot = (const void *)at;
		/* The rest of an entry is in place when it has this generation. */
		if (acquire(&slot->ent_gen) == t->tab_gen && slot->ent_first > after)
			*to++ = *slot;
	}
	return to;
}

/* An entry without its chain, for those who only want to know whose it is. */
static void forget_chains(entry_t *e, const entry_t *end, chain_t *none, uint32_t at)
{
	memset(none, 0, sizeof(*none));
	for (; e < end; e++)
		e->ent_chain = at;
}

static size_t copy(const void *buf, size_t size, bool all, struct pmon_seen *seen,
		   void *block)
{
	const hdr_t *hdr = buf;
	uint32_t gen = acquire(&hdr->hdr_gen);
	const table_t *t = &hdr->hdr_table[(gen + !all) % 2];
	size_t maps = t->tab_maps, maps_end = acquire(&t->tab_maps_end), len;
	hdr_t *copy = block;
	entry_t *first = (void *)(copy + 1), *last, *e;
	table_t *to = &copy->hdr_table[0];
	char *pos;

	if (!t->tab_gen)
		return 0;
	if (seen && seen->count != gen)
		*seen = (struct pmon_seen){ .count = gen };
	if (seen && seen->end > maps && seen->end <= maps_end)
		maps = (size_t)seen->end;
	*copy = *hdr;
	copy->hdr_size = sizeof(*copy);
	copy->hdr_entry_size = sizeof(entry_t);
	memset(copy->hdr_table, 0, sizeof(copy->hdr_table));
	last = copy_entries(hdr, t, size, seen ? seen->first : 0, first);
	pos = (char *)last;
	to->tab_gen = t->tab_gen;
	to->tab_slots = sizeof(*copy);
	to->tab_index = to->tab_chains = (uint32_t)(pos - (char *)block);
	if (seen) {
		forget_chains(first, last, (void *)pos, to->tab_chains);
		pos += sizeof(chain_t);
	} else {
		len = acquire(&t->tab_words) * sizeof(uint64_t);
		if (t->tab_chains > size || size - t->tab_chains < len)
			return 0;
		memcpy(pos, (const char *)buf + t->tab_chains, len);
		for (e = first; e < last; e++)
			e->ent_chain += to->tab_chains - t->tab_chains;
		pos += len;
	}
	to->tab_maps = (uint32_t)(pos - (char *)block);
	if (maps_end <= size && maps <= maps_end) {
		memcpy(pos, (const char *)buf + maps, maps_end - maps);
		pos += maps_end - maps;
	}
	to->tab_maps_end = (uint32_t)(pos - (char *)block);
	if (seen) {
		seen->end = maps_end;
		for (e = first; e < last; e++)
			if (e->ent_first > seen->first)
				seen->first = e->ent_first;
	}
	return last == first && to->tab_maps == to->tab_maps_end ? 0 :
	       (size_t)(pos - (char *)block);
}

/* Whether there is a block as copy() makes it. */
static bool get_header(const void *block, size_t size, hdr_t *hdr)
{
	const table_t *t = &hdr->hdr_table[0];

	if (size < sizeof(*hdr))
		return false;
	memcpy(hdr, block, sizeof(*hdr));
	return SMPL_MAJOR(hdr->hdr_version) == SMPL_MAJOR(PFM_CALLAGGREGATE_SMPL_VERSION) &&
	       hdr->hdr_entry_size >= sizeof(entry_t) && hdr->hdr_entry_size % 8 == 0 &&
	       t->tab_slots >= sizeof(*hdr) && t->tab_slots % 8 == 0 &&
	       t->tab_slots <= t->tab_index &&
	       (t->tab_index - t->tab_slots) % hdr->hdr_entry_size == 0 &&
	       t->tab_index <= t->tab_chains && t->tab_chains <= t->tab_maps &&
	       t->tab_chains % 8 == 0 && t->tab_maps % 8 == 0 &&
	       t->tab_maps <= t->tab_maps_end && t->tab_maps_end <= size;
}

/* The iterator goes through entries first, then through records. */
static int begin(struct pmon_iter *it)
{
	hdr_t hdr;

	if (!get_header(it->buf, it->size, &hdr))
		return -1;
	it->at = hdr.hdr_table[0].tab_slots;
	it->end = hdr.hdr_table[0].tab_index;
	it->flags = hdr.hdr_table[0].tab_gen;
	it->left = hdr.hdr_entry_size;
	return 0;
}

static int get_entry(struct pmon_iter *it, const entry_t *e, struct pmon_record *rec)
{
	chain_t c;

	if (e->ent_gen != it->flags || e->ent_ovfl_pmd >= PFM_MAX_PMDS ||
	    it->layout->values[e->ent_ovfl_pmd] < 0 || e->ent_chain % 8 ||
	    e->ent_chain > it->size || it->size - e->ent_chain < sizeof(c))
		return -1;
	memcpy(&c, it->buf + e->ent_chain, sizeof(c));
	if ((it->size - e->ent_chain - sizeof(c)) / sizeof(uint64_t) <
	    (size_t)c.chain_nr_kernel + c.chain_nr_user)
		return -1;
	rec->type = PMON_SAMPLE;
	rec->sample = (struct pmon_sample){
		.pid = e->ent_pid, .tid = e->ent_tid ? e->ent_tid : it->origin.tid,
		.cpu = it->origin.cpu, .pmd = e->ent_ovfl_pmd, .set = e->ent_set,
		.time = e->ent_first, .count = e->ent_count,
		.kernel = c.chain_nr_kernel, .user = c.chain_nr_user,
		.chain = (const void *)(it->buf + e->ent_chain + sizeof(c)),
	};
	if (rec->sample.kernel + rec->sample.user)
		rec->sample.ip = rec->sample.chain[0];
	return 1;
}

static int next(struct pmon_iter *it, struct pmon_record *rec)
{
	int ret = 0;
	entry_t e;
	hdr_t hdr;

	if (!it->turn && it->at < it->end) {
		memcpy(&e, it->buf + it->at, sizeof(e));
		it->at += (size_t)it->left;
		it->records++;
		return get_entry(it, &e, rec);
	}
	if (!it->turn) {
		memcpy(&hdr, it->buf, sizeof(hdr));
		it->turn = 1;
		it->at = hdr.hdr_table[0].tab_maps;
		it->end = hdr.hdr_table[0].tab_maps_end;
	}
	while (!ret && it->at < it->end)
		ret = pmon_chain_record(it, rec);
	return ret;
}

/* Chains lie one behind the other. */
static void swap_chains(char *at, size_t size)
{
	size_t words;
	chain_t c;

	while (size >= sizeof(c)) {
		pmon_turn(at, "8224");
		memcpy(&c, at, sizeof(c));
		at += sizeof(c);
		size -= sizeof(c);
		for (words = (size_t)c.chain_nr_kernel + c.chain_nr_user; words && size >= 8;
		     words--, size -= 8)
			at = pmon_turn(at, "8");
	}
}

static void swap(void *block, size_t size, const struct pmon_layout *layout)
{
	const table_t *t;
	hdr_t hdr;
	size_t at;

	(void)layout;
	if (size < sizeof(hdr))
		return;
	pmon_turn(block, "448" "444444" "22" "4" "888" "4444444444" "888" "4444444444" "888");
	if (!get_header(block, size, &hdr))
		return;
	t = &hdr.hdr_table[0];
	for (at = t->tab_slots; at < t->tab_index; at += hdr.hdr_entry_size)
		pmon_turn((char *)block + at, "44444" "22" "8888" "44");
	swap_chains((char *)block + t->tab_chains, t->tab_maps - t->tab_chains);
	pmon_chains_swap((char *)block + t->tab_maps, t->tab_maps_end - t->tab_maps);
}

const struct pmon_format pmon_format_callaggregate = {
	.name = "callaggregate",
	.help = "tables: how many samples there are of each call chain",
	.uuid = PFM_CALLAGGREGATE_SMPL_UUID,
	.arg_size = sizeof(pfm_callaggregate_smpl_arg_t),
	.freezes = true,
	.chains = true,
	.max_size = 1U << 28,
	.min_size = min_size,
	.argument = argument,
	.state = state,
	.copy = copy,
	.begin = begin,
	.next = next,
	.turn = swap,
};
