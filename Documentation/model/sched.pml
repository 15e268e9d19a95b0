/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched.c and what calls it: the monitored thread T, its switches, and the
 * interrupts of a CPU.
 */

/* An event of T's. Only one at a time is not seen yet: two overflow once. */
inline event()
{
	new = new || task != U;
	owed = running && task == T
}

/* __pfm_sched_fault() */
inline sched_fault()
{
	irq_off(T);
	if
	:: live[at[T]] ->
		refresh_acquire(at[T]);
		atomic {
			if
			:: live[at[T]] -> sync_if_counting(at[T])
			:: else
			fi;
			leave(at[T])
		}
	:: else -> atomic { irq_on(at[T]) }
	fi
}

proctype Thread()
{
end:	do
	:: false
#ifdef EVENTS
	/* One that the next look finds, and one with a hook. */
	:: atomic { runs(T) && !owed -> event() }
	:: atomic { runs(T) && !owed -> event() }
	   if
	   :: runs(T) && key -> sched_fault()
	   :: runs(T) && !key
	   fi
	/* A migration, by another CPU; under the lock it is seen next time. */
	:: atomic { at[T] == OFF && !lock && !owed -> event() }
#endif
#ifdef ENDS
	:: atomic { runs(T) && key && !exec_r -> exec_w = true }
	   attach_gone(false);
	   exec_w = false
	/* Of a file that is open, so not while C is in the last close(). */
	:: atomic { runs(T) && state != UNLOADED && !closing -> file_t = true }
	   attach_close_self();
	   file_t = false
	:: atomic { runs(T) -> exiting = true }
	   break
#endif
	od;
	if
	:: runs(T) && key -> attach_gone(true)
	:: runs(T) && !key
	fi;
	atomic { runs(T) -> gone[T] = true }
	assert(!ptr && task != T)
}

/* __pfm_sched_out() */
inline sched_out(c)
{
	if
	:: at[T] == c && key && ptr ->
#ifndef BUG_NO_LOCK
		acquire();
#endif
		if
		:: task == T && cpu == c -> monitor_out(c)
		:: else
		fi;
#ifndef BUG_NO_LOCK
		atomic { release(c) }
#endif
	:: else
	fi
}

/* __pfm_sched_in() */
inline sched_in(c)
{
	if
	:: at[T] == c && key && ptr ->
#ifndef BUG_NO_LOCK_IN
		acquire();
#endif
		if
#ifdef BUG_NO_TASK
		:: cpu == NOWHERE -> monitor_in(c)
#else
		:: task == T && cpu == NOWHERE -> monitor_in(c)
#endif
		:: else
		fi;
#ifndef BUG_NO_LOCK_IN
		atomic { release(c) }
#endif
	:: else
	fi
}

/* Who can be switched to. */
#ifdef BOUND
#define T_comes		(at[T] == OFF && !gone[T] && left)
#define C_comes		false
#else
#define T_comes		(at[T] == OFF && !gone[T])
#define C_comes		(at[C] == OFF && !gone[C])
#endif
#if defined(BOUND) && !defined(BUG_ENDLESS)
#define count()		left--
#else
#define count()		skip
#endif
#define switches(c)	(!(at[C] == c && nopreempt) && \
			 (at[T] == c || at[C] == c || T_comes || C_comes))

/* context_switch(), under the run queue's lock with interrupts off */
inline context_switch(c)
{
	atomic { !rq[c] -> rq[c] = true }
	sched_out(c);
	atomic {
		if
		:: at[T] == c ->
			at[T] = OFF;
			if
			:: C_comes -> at[C] = c
			:: true
			fi
		:: at[C] == c ->
			at[C] = OFF;
			if
			:: T_comes && !rq[OFF] -> count(); at[T] = c
			:: true
			fi
		:: else ->
			if
			:: T_comes && !rq[OFF] -> count(); at[T] = c
			:: C_comes -> at[C] = c
			:: else
			fi
		fi
	}
	sched_in(c);
	atomic { rq[c] = false; irq_on(c) }
}

/* A CPU. Its processes' steps in here begin when interrupts are on. */
proctype Cpu(byte c)
{
end:	do
	:: atomic { !irqoff[c] && switches(c) -> irqoff[c] = true }
	   context_switch(c)
	:: atomic { !irqoff[c] && ipi[c] == CALL -> irqoff[c] = true }
	   call_here(c, true);
	   atomic { ipi[c] = 0; leave(c) }
	:: atomic { !irqoff[c] && ipi[c] == GO_LIVE -> irqoff[c] = true }
	   go_live(c);
	   atomic { ipi[c] = 0; leave(c) }
	/*
	 * irq_work_single(), pfm_notify_work(). Two CPUs can be in here at the
	 * same moment, each with a reference of its own (-DBUG_SHARED_REF). When
	 * that is gone the flags are looked at: it is RCU that keeps them.
	 */
	:: atomic {
		!irqoff[c] && queued[c] -> irqoff[c] = true;
		queued[c] = false;
		pending = false;
		at_work[c] = true
	   }
#ifndef BUG_NO_WORK_REF
	   atomic { put() }
#endif
	   atomic {
		USE;
		at_work[c] = false;
		irq_on(c)
	   }
#ifdef SETS
	:: atomic { !irqoff[c] && timer[c] -> irqoff[c] = true }
	   timer_handler(c)
#endif
	od
}
