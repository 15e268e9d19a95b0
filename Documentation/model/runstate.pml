/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * runstate.c, overflow.c, setswitch.c, timer.c, and the commands on live state: all
 * of it runs under ctx->lock with interrupts off, on the CPU c.
 */

/* pfm_timer_arm(); the second condition is c->timer_at <= at. */
inline arm(c)
{
#ifdef SETS
	if
	:: cpu == NOWHERE || !running
	:: else ->
		if
#ifdef BUG_TIMER_LATE
		:: timer[c]
#else
		:: timer[c] && timer[c] <= need(set)
#endif
		:: else -> timer[c] = need(set)
		fi
	fi
#else
	skip
#endif
}

/* pfm_runstate_enter(); the registers of this CPU are the active set's now. */
inline enter(c)
{
	assert(user[0] == NOSET && user[1] == NOSET);
	user[c] = set;
	arm(c)
}

/* pfm_runstate_pause() */
inline pause(c)
{
	if
	:: cpu != NOWHERE && running ->
		assert(cpu == c && user[c] == set);
		user[c] = NOSET
	:: else
	fi
}

/* pfm_runstate_resume(); events that were not found by now are lost. */
inline resume(c)
{
	if
	:: running ->
		assert(!owed);
#ifndef BUG_NO_BASE
		new = false;
#endif
		if
		:: cpu != NOWHERE -> assert(cpu == c); enter(c)
		:: else
		fi
	:: else
	fi
}

/* pfm_notify_wake(): irq_work_queue() */
inline wake_later(c)
{
	USE;
#ifndef SETS
	if
	:: !pending ->
		pending = true;
		queued[c] = true;
#ifdef BUG_SHARED_REF
		ref = (at_work[0] || at_work[1] -> ref : ref + 1)
#else
#ifndef BUG_NO_WORK_REF
		assert(ref > 0);
		ref++
#endif
#endif
	:: else
	fi
#endif
}

/* pfm_runstate_mask(), pfm_notify_overflow() */
inline mask(c)
{
	pause(c);
	assert(!owed);
	state = MASKED;
	new = true;
#ifndef BUG_LOST_MASK
	told = true;
#endif
	told_set = set;
	wake_later(c)
}

/* pfm_setswitch_to(), pfm_setswitch_activate() */
inline switch_to(c)
{
	pause(c);
	set = 1 - set;
	new = true;
	resume(c)
}

/*
 * pfm_overflow_handle(): the counter notifies; or it does not, and its
 * threshold is reached, or not.
 */
inline overflow(c)
{
	hit = true;
	if
	:: true -> mask(c)
#ifdef SETS
	:: true -> switch_to(c)
#endif
	:: true -> arm(c)
	fi
}

/* pfm_runstate_sync(): an event is found once, and only if it counts. */
inline sync(c)
{
	USE_SETS;
	if
	:: new ->
		assert(owed);
		owed = false;
		new = false;
		overflow(c)
	:: else -> assert(!owed)
	fi
}

inline sync_if_counting(c)
{
	if
	:: running -> sync(c)
	:: else
	fi
}

/* pfm_runstate_in() */
inline monitor_in(c)
{
	cpu = c;
	moved = true;
	live[c] = true;
	atomic {
		if
		:: running ->
			enter(c);
			sync(c);
#ifdef SETS
			if
			:: running -> switch_to(c)	/* it is high time */
			:: true
			fi
#endif
		:: else
		fi
	}
}

/* pfm_runstate_out() */
inline monitor_out(c)
{
	atomic {
		USE_SETS;
		sync_if_counting(c);
		pause(c)
	}
	moved = true;
	cpu = NOWHERE;
#ifndef BUG_STAYS_LIVE
	live[c] = false
#endif
}

/* pfm_runstate_stop() */
inline monitor_stop(c)
{
	sync_if_counting(c);
	pause(c);
	started = false;
	new = true
}

/* PFM_START, STOP, READ_PMDS, RESTART, by pfm_reach_call() */
inline command(c)
{
	if
	:: state != UNLOADED ->			/* PFM_START */
#ifdef SETS
		/* pfm_setswitch_start(): it names another set, or none */
		if
		:: true ->
			sync_if_counting(c);
			switch_to(c);
			if
			:: state == MASKED -> told_set = set
			:: else
			fi
		:: true
		fi;
#endif
		if
		:: !started -> started = true; resume(c)
		:: else
		fi
	:: state != UNLOADED -> monitor_stop(c)	/* PFM_STOP */
	:: true -> sync_if_counting(c)		/* PFM_READ_PMDS */
	:: state == MASKED ->			/* PFM_RESTART */
#ifdef SETS
		if
		:: set = 1 - set	/* it is due, or its time-out is over */
		:: true
		fi;
#endif
		told = false;
		told_set = 0;
		state = LOADED;
#ifndef BUG_NO_RESUME
		resume(c)
#endif
	fi
}

/*
 * pfm_timer_expire(). A time-out that is over when monitoring gets masked waits
 * for PFM_RESTART (3.7.7).
 */
inline timer_expire(c)
{
	hit = false;
	if
	:: true
	:: true -> sync(c)		/* a task clock */
	:: true ->			/* the time-out is over */
		sync(c);
		if
#ifdef BUG_SWITCH_MASKED
		:: true -> switch_to(c)
#else
		:: running -> switch_to(c)
		:: else
#endif
		fi
	fi;
	if
	:: hit && running -> mask(c)	/* pfm_throttle_context() */
	:: true
	fi;
	arm(c);
	hit = false
}

/* pfm_timer_handler() */
inline timer_handler(c)
{
	timer[c] = 0;
	if
	:: live[c] ->
		refresh_acquire(c);
		atomic {
			if
			:: live[c] && running -> timer_expire(c)
			:: else
			fi;
			leave(c)
		}
	:: else -> atomic { irq_on(c) }
	fi
}
