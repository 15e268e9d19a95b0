/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfmon2: what can happen to a context at the same time, for spin. One context,
 * one thread T that it monitors, two CPUs, one program C that has the descriptor.
 *
 * A step of a thread needs a CPU whose interrupts are on, or have been turned
 * off by that very thread; so whatever runs with interrupts off has the CPU
 * for itself, and interrupts and switches of threads come in between anywhere
 * else. Taking a lock is a step of its own, or a deadlock would not be seen.
 * What is only looked at under the lock changes in one step; pfm_context.cpu
 * and pfm_cpu.live have steps of their own. Memory is sequentially consistent.
 *
 * An event makes its counter overflow: a period is one event long. What may or
 * may not happen, as that an overflow notifies, is a choice, so that all
 * contents of the registers are checked at once.
 *
 * The files are those of kernel/perfmon: this one is pfm.h, what has to hold,
 * and the locks. A configuration, by -D, says what can happen:
 *
 *	EVENTS	events and overflows; PFM_START, STOP, RESTART, READ
 *	SETS	two event sets, the timer; not the irq_work
 *	ENDS	the thread's exit and exec, its own close
 *	OTHER	the context is loaded on another thread, too
 *	COMMANDS_STAY	C is not preempted within a command
 *	BOUND	T comes to a CPU only that often, C has a CPU of its own; for
 *		the liveness of a command
 *
 * -DBUG_... seeds an error that has to be found; scripts/check-model knows in
 * which configuration.
 */

/* Threads. U sleeps for ever. */
#define T	0
#define C	1
#define U	2
#define NOBODY	3

/* CPUs are 0 and 1; at[] of a thread that is on none; pfm_context.cpu of -1 */
#define OFF	2
#define NOWHERE	2
/* C's own, with BOUND */
#define HOME	3

#define NOSET	2

/* pfm_context.state */
#define UNLOADED 0
#define LOADED	1
#define MASKED	2

/* What an interprocessor call is for. */
#define CALL	1
#define GO_LIVE	2

/* struct pfm_context */
bool lock;
byte cpu = NOWHERE;
byte state;
bool started;
byte task = NOBODY;
bit set;
byte ref = 1;
bool pending;			/* irq_work: its flag */

/*
 * Events since the counters were looked at. There always are some while they
 * do not count, as if anything had happened.
 */
bool new = true;

/* struct pfm_cpu, and what a CPU has besides */
bool live[4];
byte timer[4];			/* timer_at: 0 idle, 1 soon, 2 later */
bool irqoff[4];
bool rq[4];			/* run queue lock; OFF: where T waits to run */
bool queued[4];			/* irq_work: on this CPU's list */
bool at_work[4];		/* ... is running here */
byte ipi[4];

/* The threads. */
byte at[2];			/* their CPU */
bool gone[2];			/* will not run any more */
bool nopreempt;			/* C */
bool ptr;			/* task_struct.pfm_context of T */
bool pi;			/* pi_lock of T */
bool exiting;			/* PF_EXITING */
bool exec_r, exec_w;		/* exec_update_lock of T */
byte key;			/* pfm_key */
bool file_t, closing;		/* T is in close(), C in the last one */

/* struct pfm_reach_call, of C; struct pfm_detach, of C and of T */
bool ends;			/* fn is pfm_attach_end() */
bool done;
bool detach[2];

/* RCU: who read when the context was released, and has not finished yet. */
bool closed, released, freed;
bool grace[4];
bool rcu_t, grace_t;

/* What has to be shown. */
bool owed;			/* an event counts, and was not found yet */
bool told;			/* a message was queued, or counted as lost */
bit told_set;
byte user[4] = NOSET;		/* whose values are in the CPU's registers */
bool end_due;
bool loading;			/* published, not live yet */
bool moved;			/* cpu has changed since C's last attempt */
bool hit;			/* the timer has found an overflow */
#ifdef BOUND
byte left = BOUND;
bool answered;
#endif

#define runs(t)		(!irqoff[at[t]])
#define running		(state == LOADED && started)
#define need(s)		(s + 1)

/* No process uses the context after it is freed, nor its sets after it is closed. */
#define USE		assert(!freed)
#define USE_SETS	assert(!freed && !closed)

/*
 * What holds whenever ctx->lock is free: it is live on one CPU at most, for
 * its thread, whose pointer is right; the registers of that CPU, and no other,
 * are the active set's while it runs; an event waits only where it counts; who
 * waits for PFM_RESTART has been told, and of that set; a thread that is gone
 * has left its message.
 */
inline invariant()
{
	assert(!live[0] || cpu == 0);
	assert(!live[1] || cpu == 1);
	assert(cpu == NOWHERE || (live[cpu] && task == T));
	assert((state == UNLOADED) == (task == NOBODY));
	assert(state != UNLOADED || (!started && cpu == NOWHERE));
	assert(ptr == (task == T));
	assert(user[0] == ((cpu == 0 && running) -> set : NOSET));
	assert(user[1] == ((cpu == 1 && running) -> set : NOSET));
	assert(running || !owed);
	assert(state != MASKED || (told && told_set == set));
	assert(!end_due)
}

inline acquire()
{
	atomic { !lock -> lock = true; USE; invariant() }
}

/*
 * What is live here, and runs, waits for the end of a time-out or of a period,
 * so there is a timer that comes in time.
 */
inline release(c)
{
	USE;
	invariant();
#ifdef SETS
	assert(cpu != c || !running || (timer[c] && timer[c] <= need(set)));
#endif
	lock = false
}

/* The grace period is over when all who read then have finished. */
inline reclaim()
{
	if
	:: released && !grace[0] && !grace[1] && !grace_t -> freed = true
	:: else
	fi
}

/* local_irq_save() in a thread */
inline irq_off(t)
{
	atomic { runs(t) -> irqoff[at[t]] = true }
}

/* A section with interrupts off is one that RCU waits for. */
inline irq_on(c)
{
	irqoff[c] = false;
	grace[c] = false;
	reclaim()
}

/* The end of a section with ctx->lock and interrupts off. */
inline leave(c)
{
	atomic { release(c); irq_on(c) }
}

/*
 * pfm_clock_refresh(), and then the lock. The former takes, and gives back,
 * pi_lock of the thread that runs here and the run queue's lock.
 */
#define clock_locks_free(c)	(!rq[c] && !(at[T] == c && pi))

inline refresh_acquire(c)
{
#ifdef BUG_CLOCK_IN_LOCK
	acquire();
	clock_locks_free(c)
#else
	clock_locks_free(c);
	acquire()
#endif
}

#include "runstate.pml"
#include "attach.pml"
#include "sched.pml"

init {
	atomic {
		irqoff[OFF] = true;	/* runs() needs a CPU */
		at[T] = OFF;
#ifdef BOUND
		at[C] = HOME;
#else
		at[C] = 0;
#endif
		run Cpu(0);
		run Cpu(1);
		run Thread();
		run Program()
	}
}

#ifdef BOUND
/*
 * Under weak fairness, a close that has to follow its thread gets there when
 * the thread stops moving (-DBUG_ENDLESS: not before). What bounds it without
 * that is the assertion in go(): each try that is in vain has met a switch.
 */
ltl progress { <> answered }
#endif
