// SPDX-License-Identifier: GPL-2.0-only
/*
 * perfmon2: the message queue (3.3).
 *
 * A context reports overflows and the end of its thread by messages that read()
 * returns. The ring has one producer, the owner of the context's live state, which
 * needs no lock and can be an NMI. Readers are woken by notify.c.
 *
 * There always is a slot for the end of the thread, which must not be lost
 * (3.3.6).
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "pfm.h"

/* Two ends: the last attachment's goes only when the next has begun. */
static unsigned int pfm_message_slots(unsigned int depth)
{
	return roundup_pow_of_two(depth + 2);
}

/**
 * pfm_message_mem() - the memory of a queue
 * @depth: overflow messages that it holds at least
 *
 * Context: any.
 * Return: bytes, as many as the allocator takes.
 */
size_t pfm_message_mem(unsigned int depth)
{
	return kmalloc_size_roundup(pfm_message_slots(depth) * sizeof(pfm_msg_t));
}

/**
 * pfm_message_init() - make a queue
 * @q:     queue
 * @depth: overflow messages that it holds at least, 1 or more
 *
 * Context: process.
 * Return: 0, or -ENOMEM.
 */
int pfm_message_init(struct pfm_queue *q, unsigned int depth)
{
	q->depth = depth;
	q->size = pfm_message_slots(depth);
	q->ring = kvcalloc(q->size, sizeof(*q->ring), GFP_KERNEL_ACCOUNT);
	if (!q->ring)
		return -ENOMEM;
	init_waitqueue_head(&q->wait);
	return 0;
}

/**
 * pfm_message_free() - free a queue that is no longer in use
 * @q: queue
 *
 * Context: process.
 */
void pfm_message_free(struct pfm_queue *q)
{
	kvfree(q->ring);
}

/**
 * pfm_message_mark() - where the messages end that there are now
 * @q: queue of a context that is not loaded, so that there is no producer
 *
 * Context: any.
 * Return: a mark for pfm_message_drop().
 */
unsigned int pfm_message_mark(const struct pfm_queue *q)
{
	return q->head;
}

/**
 * pfm_message_drop() - forget old messages (3.3.5)
 * @q:    queue
 * @mark: forget what was there then
 *
 * Context: process.
 */
void pfm_message_drop(struct pfm_queue *q, unsigned int mark)
{
	unsigned int tail = READ_ONCE(q->tail);

	while ((int)(mark - tail) > 0) {
		unsigned int seen = cmpxchg(&q->tail, tail, mark);

		if (seen == tail)
			break;
		tail = seen;
	}
}

/**
 * pfm_message_count() - messages that wait to be read
 * @q: queue
 *
 * Context: any.
 * Return: their number.
 */
unsigned int pfm_message_count(const struct pfm_queue *q)
{
	/* A message that comes and is read between the two loads does not count. */
	unsigned int tail = smp_load_acquire(&q->tail);

	return smp_load_acquire(&q->head) - tail;
}

/* The slot of the next message, which no reader looks at. */
static pfm_msg_t *pfm_message_slot(const struct pfm_queue *q)
{
	return &q->ring[q->head & (q->size - 1)];
}

/* Pairs with the acquire of head: the reader sees the slot filled. */
static void pfm_message_put(struct pfm_queue *q)
{
	smp_store_release(&q->head, q->head + 1);
}

/**
 * pfm_message_overflow() - queue an overflow message (3.4.3)
 * @q:    queue
 * @set:  number of the active set
 * @pmds: the counters, densely numbered
 *
 * Context: owner of the context's live state; NMI too.
 * Return: false if there was no room; that has been counted.
 */
bool pfm_message_overflow(struct pfm_queue *q, u16 set, u64 pmds)
{
	pfm_ovfl_msg_t *msg;

	/* The reader is done with a slot when it has moved the tail. */
	if (q->head - smp_load_acquire(&q->tail) >= q->depth) {
		WRITE_ONCE(q->lost, q->lost + 1);
		return false;
	}
	msg = &pfm_message_slot(q)->pfm_ovfl_msg;
	msg->msg_type = PFM_MSG_OVFL;
	msg->msg_active_set = set;
	msg->msg_pad = 0;
	pfm_pmu_vector(pmds, msg->msg_ovfl_pmds);
	pfm_message_put(q);
	return true;
}

/**
 * pfm_message_end() - queue a termination message (3.3.6)
 * @q: queue
 *
 * Each attachment that ends by itself queues one. What the queue had before is dropped as
 * soon as the next attachment has begun, so there are two such messages at most.
 *
 * Context: as pfm_message_overflow().
 */
void pfm_message_end(struct pfm_queue *q)
{
	pfm_msg_t *msg = pfm_message_slot(q);

	memset(msg, 0, sizeof(*msg));
	msg->msg_type = PFM_MSG_END;
	pfm_message_put(q);
}

/*
 * The message at the tail, without taking it. Its slot is not filled again
 * before the tail moves on.
 */
static bool pfm_message_peek(const struct pfm_queue *q, pfm_msg_t *msg,
			     unsigned int *tail)
{
	unsigned int t;

	do {
		t = smp_load_acquire(&q->tail);
		if (smp_load_acquire(&q->head) == t)
			return false;
		/* If another reader takes it, it may be filled meanwhile: the tail tells. */
		data_race(memcpy(msg, &q->ring[t & (q->size - 1)], sizeof(*msg)));
		/* Read the slot before looking at the tail again. */
		smp_rmb();
	} while (READ_ONCE(q->tail) != t);
	*tail = t;
	return true;
}

/**
 * pfm_message_read() - hand messages to a program
 * @q:    queue
 * @buf:  where to
 * @size: bytes, a multiple of sizeof(pfm_msg_t)
 *
 * A message that cannot be copied stays. If several readers copy the same message,
 * the one that moves the tail has read it. No lock is held, since a copy to user
 * memory can take arbitrarily long (userfaultfd).
 *
 * Context: process.
 * Return: bytes, a multiple likewise, 0 if there is no message; -EFAULT.
 */
ssize_t pfm_message_read(struct pfm_queue *q, char __user *buf, size_t size)
{
	unsigned int tail;
	ssize_t done = 0;
	pfm_msg_t msg;

	while (done < size && pfm_message_peek(q, &msg, &tail)) {
		if (copy_to_user(buf + done, &msg, sizeof(msg)))
			return done ?: -EFAULT;
		if (cmpxchg(&q->tail, tail, tail + 1) == tail)
			done += sizeof(msg);
	}
	return done;
}
