/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attach.c, context.c, file.c: how an attachment begins and ends, where a
 * command goes, when the context goes away; and the program C that does it.
 */

/* pfm_attach_end(), under ctx->lock; d is who has to call finish() */
inline attach_end(c, d)
{
	if
	:: state == UNLOADED	/* EBUSY */
	:: else ->
		atomic { USE_SETS; monitor_stop(c) }
		if
		:: cpu != NOWHERE -> assert(cpu == c); monitor_out(c)
		:: else
		fi;
		atomic {
			ptr = false;
#ifndef BUG_NO_REF
			assert(ref > 0);
			ref++;
#endif
			detach[d] = true;
			task = NOBODY;
			state = UNLOADED;
			/* These have no meaning from now on. */
			told = false;
			told_set = 0;
			set = 0
		}
	fi
}

/* pfm_context_put(); the last one: pfm_context_release() */
inline put()
{
	USE;
	assert(ref > 0);
	ref--;
	if
	:: ref == 0 ->
		assert(state == UNLOADED && closed);
		released = true;
		grace[0] = irqoff[0];
		grace[1] = irqoff[1];
		grace_t = rcu_t;
#ifdef BUG_FREE_EARLY
		freed = true;
#endif
		reclaim()
	:: else
	fi
}

/* pfm_attach_finish() */
inline finish(t)
{
	atomic {
		runs(t);
		if
		:: detach[t] -> detach[t] = false; key--; put()
		:: else
		fi
	}
}

/* Where a command finds it, a thread that runs is live. */
#define found	(loading || task != T || cpu != NOWHERE || !runs(T))

/* pfm_reach_call_here(), interrupts off; the caller gives the lock back */
inline call_here(c, by_ipi)
{
	refresh_acquire(c);
	if
#ifdef BUG_CALL_ANYWHERE
	:: by_ipi || cpu == NOWHERE || cpu == c ->
#else
	:: cpu == NOWHERE || cpu == c ->
#endif
		assert(found);
		if
		:: ends -> attach_end(c, C)
		:: else -> atomic { USE_SETS; command(c) }
		fi;
		done = true
	:: else -> moved = by_ipi && moved
	fi
}

/* pfm_attach_go_live(), likewise */
inline go_live(c)
{
	acquire();
	if
	:: task == T && at[T] == c && cpu == NOWHERE -> monitor_in(c)
	:: else
	fi
}

#ifdef COMMANDS_STAY
#define begin()		nopreempt = true
#define end()		nopreempt = false; done = false; ends = false
#define preempt_off()	skip
#define preempt_on()	skip
#else
#define begin()		skip
#define end()		done = false; ends = false
#define preempt_off()	atomic { runs(C) -> nopreempt = true }
#define preempt_on()	atomic { runs(C) -> nopreempt = false }
#endif

/* smp_call_function_single(), waiting; a plain call if C is there by now */
inline call_single(x, what)
{
	preempt_off();
	if
	:: at[C] == x ->
		irq_off(C);
		if
		:: what == CALL -> call_here(x, true)
		:: else -> go_live(x)
		fi;
		leave(x)
	:: else ->
		ipi[x] = what;
		!ipi[x]
	fi;
	preempt_on()
}

/* pfm_reach_go(): a try that is in vain has met a switch of T. */
inline go(x)
{
	done = false;
	do
	:: irq_off(C);
	   call_here(at[C], false);
#ifdef BUG_CALL_LOCKED
	   if
	   :: done
	   :: else -> x = cpu; ipi[x] = CALL; !ipi[x]
	   fi;
#endif
	   leave(at[C]);
	   if
	   :: done -> break
	   :: else
	   fi;
	   atomic { runs(C) -> x = cpu }	/* READ_ONCE() */
	   if
	   :: x == NOWHERE
	   :: else -> call_single(x, CALL)
	   fi;
	   atomic {
		if
		:: done -> break
#ifdef BUG_CALL_ONCE
		:: else -> break
#else
		:: else -> assert(moved)
#endif
		fi
	   }
	od;
	x = 0
}

/* pfm_attach_publish(); afterwards x is where T was running, or OFF */
inline publish(x)
{
	if
#ifdef BUG_NO_EXITING
	:: false ->
#else
	:: exiting ->
#endif
		atomic {
			rq[x] = false; pi = false; irq_on(at[C]);
			key--;
			x = OFF
		}
	:: else ->
		acquire();
		atomic {
			USE_SETS;
			state = LOADED;
#ifdef SETS
			if :: set = 0 :: set = 1 fi;
#endif
			task = T;
			ptr = true;
			loading = (x != OFF);
			release(at[C]);
			rq[x] = false; pi = false; irq_on(at[C])
		}
	fi
}

/*
 * pfm_attach_load(). Only C has commands, so the mutex has nothing to do;
 * what becomes of old messages is queue.pml's.
 */
inline load(x)
{
	atomic { runs(C) && !lock -> x = (state == UNLOADED) }
	if
	:: x ->
#ifndef BUG_KEY_LATE
		atomic { runs(C) -> key++ }	/* pfm_session_get() */
#endif
		/* pfm_attach_other(): exec waits */
		atomic { runs(C) && !exec_w -> exec_r = true }
		/* task_call_func() */
		irq_off(C);
		atomic { !pi -> pi = true }
		atomic { !rq[at[T]] -> x = at[T]; rq[x] = true }
		publish(x);
#ifdef BUG_KEY_LATE
		atomic { runs(C) -> key++ }
#endif
		if
		:: x == OFF
		:: else ->
			/* task_cpu(): it may be elsewhere, or on none */
			atomic {
				runs(C);
				if
				:: at[T] != OFF -> x = at[T]
				:: at[T] == OFF -> x = 0
				:: at[T] == OFF -> x = 1
				fi
			}
#ifndef BUG_NO_GO_LIVE
			call_single(x, GO_LIVE)
#endif
		fi;
		atomic { runs(C) -> loading = false; exec_r = false }
	:: else
	fi;
	x = 0
}

/* The same for U, which is on no CPU. */
inline load_other()
{
	atomic { runs(C) && !lock && state == UNLOADED -> key++ }
	irq_off(C);
	acquire();
	atomic { state = LOADED; task = U; leave(at[C]) }
}

proctype Program()
{
	byte x;

	do
	:: atomic { runs(C) && state == UNLOADED -> begin() }
	   load(x);
	   end()
#ifdef OTHER
	:: runs(C) && state == UNLOADED -> load_other()
#endif
#ifdef EVENTS
	:: atomic { runs(C) && state != UNLOADED -> begin() }
	   go(x);
	   end()
#endif
#ifdef BOUND
	:: atomic { runs(C) && state != UNLOADED -> ends = true }
	   break
#else
	/* pfm_attach_unload() */
	:: atomic { runs(C) && state != UNLOADED -> ends = true; begin() }
	   go(x);
	   finish(C);
	   end()
	:: atomic { runs(C) && !file_t -> ends = true; closing = true; begin() }
	   break
#endif
	od;
	/* pfm_file_release(), pfm_context_close() */
	go(x);
	finish(C);
	atomic { runs(C) -> assert(state == UNLOADED); closed = true }
	atomic { runs(C) -> put(); at[C] = OFF; gone[C] = true; end() }
#ifdef BOUND
	answered = true
#endif
}

/* pfm_attach_leave() of T, with the context that the hook has found */
inline attach_leave()
{
	irq_off(T);
	refresh_acquire(at[T]);
	if
#ifdef BUG_NO_RECHECK
	:: true ->
#else
	:: task == T ->
#endif
		end_due = (task == T);
		attach_end(at[T], T);
		/* pfm_message_end() */
		assert(end_due);
		end_due = false;
		wake_later(at[T])
	:: else
	fi;
	leave(at[T])
}

/* __pfm_attach_exit(); __pfm_attach_exec() of a program not to be traced */
inline attach_gone(exits)
{
	atomic { runs(T) -> rcu_t = true }
	irq_off(T);
#ifndef BUG_NO_PI_LOCK
	!exits || !pi;
#endif
	if
	:: ptr ->
		atomic { irq_on(at[T]) }
		attach_leave()
	:: else ->
		atomic { irq_on(at[T]) }
	fi;
	atomic { rcu_t = false; grace_t = false; reclaim() }
	finish(T)
}

/* pfm_file_flush(), pfm_attach_close_self() by T itself: it is where it is */
inline attach_close_self()
{
	irq_off(T);
	refresh_acquire(at[T]);
	if
	:: task == T ->
		assert(cpu == NOWHERE || cpu == at[T]);
		attach_end(at[T], T)
	:: else
	fi;
	leave(at[T]);
	finish(T)
}
