/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: the message queue, for spin: kernel/perfmon/message.c, and read()
 * of kernel/perfmon/file.c. One producer, the owner of the context's
 * live state; a program that loads the context again and again; two readers; the
 * irq_work that wakes them. What context.pml knows of messages is only that
 * there was one.
 *
 * The message at position n of the stream has the number n, so a slot that was
 * filled anew too early shows. MESSAGES of them end the world: the ring is
 * filled more than once, and the positions do not wrap.
 *
 * -DBUG_... seeds an error that has to be found.
 */

#define MESSAGES 5
#define DEPTH	2		/* overflows that can wait */
#ifdef BUG_SMALL_RING
#define SIZE	(DEPTH + 1)	/* as if there were one END at most */
#else
#define SIZE	(DEPTH + 2)	/* roundup_pow_of_two() of that */
#endif

/* struct pfm_queue */
byte ring[SIZE];
byte head, tail;
bool pending;			/* notify_work */
bool waits[2];			/* a reader is on the wait queue */

bool lock;			/* pfm_context.lock */
bool loaded;

/* What is to be proven. */
byte first;			/* of the messages of this attachment */

/* pfm_message_put(): END is never lost, and no unread message either. */
inline put()
{
	assert(head - tail < SIZE);
#ifdef BUG_HEAD_FIRST
	head++;
	ring[(head - 1) % SIZE] = head - 1;
#else
	ring[head % SIZE] = head;
	head++		/* smp_store_release() */
#endif
}

/* pfm_message_overflow(), pfm_message_end(), pfm_notify_wake() */
active proctype Owner()
{
	do
	:: head == MESSAGES -> break
	:: atomic { head < MESSAGES && loaded && !lock -> lock = true }
	   if
	   :: true ->
		if
#ifdef BUG_DEPTH
		:: head - tail >= SIZE		/* pfm_queue.lost++ */
#else
		:: head - tail >= DEPTH		/* pfm_queue.lost++ */
#endif
		:: else -> put()
		fi
	   :: true ->
		loaded = false;
		put()
	   fi;
#ifndef BUG_NO_NOTIFY
	   pending = true;
#endif
	   lock = false
	od
}

/* pfm_attach_load(): pfm_message_mark(), and pfm_message_drop() */
active proctype Loader()
{
	byte mark, t;

end:	do
	:: atomic { !lock && !loaded -> mark = head }
	   atomic { !lock -> loaded = true; first = head }
#ifdef BUG_MARK_LATE
	   mark = head;
#endif
	   t = tail;
	   do
	   :: mark > t ->
		atomic {
			/* cmpxchg() */
			if
			:: tail == t ->
				assert(mark <= first);
				tail = mark;
				break
			:: else -> t = tail
			fi
		}
	   :: else -> break
	   od;
	   mark = 0;
	   t = 0
	od
}

/* pfm_message_peek(), pfm_message_read() of one message, pfm_file_read() */
proctype Reader(bit me)
{
	byte t, m;

again:	t = tail;
	if
	:: head == t ->
		t = 0;
		goto sleep
	:: else
	fi;
	m = ring[t % SIZE];
	if
	:: tail != t -> t = 0; m = 0; goto again
	:: else
	fi;
#ifdef BUG_TAKE_FIRST
	atomic {
		if
		:: tail == t -> tail++
		:: else -> t = 0; m = 0; goto again
		fi
	}
	m = ring[t % SIZE];
	assert(m == t);
	t = 0;
	m = 0;
#else
	/* copy_to_user(), then cmpxchg() */
	atomic {
		if
#ifdef BUG_NO_CMPXCHG
		:: true -> assert(tail == t); tail = t + 1
#else
		:: tail == t -> tail++
		:: else -> t = 0; m = 0; goto again
#endif
		fi;
		assert(m == t);
		t = 0;
		m = 0
	}
#endif
	goto again;

	/* wait_event_interruptible() */
sleep:
#ifdef BUG_SLEEP_FIRST
	if
	:: head != tail -> goto again
	:: else -> waits[me] = true
	fi;
#else
	waits[me] = true;
	if
	:: head != tail -> waits[me] = false; goto again
	:: else
	fi;
#endif
end:	!waits[me];
	goto again
}

/* pfm_notify_work() */
active proctype Work()
{
end:	do
	:: atomic { pending -> pending = false }
	   atomic { waits[0] = false; waits[1] = false }
	od
}

/* When nothing moves any more, no message has been left to sleeping readers. */
active proctype Nobody()
{
	timeout;
	assert(head == MESSAGES && head == tail)
}

init {
	atomic { run Reader(0); run Reader(1) }
}
