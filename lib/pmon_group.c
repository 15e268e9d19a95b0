// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events that are counted for many threads: each has a context of its own, which ends
 * with the thread at the latest.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "pmon.h"

struct member {
	pmon_group_t *group;
	pmon_t *m;
	struct member *next, **link;
};

struct pmon_group {
	pthread_mutex_t lock;
	pthread_key_t key;		/* of each thread: its member */
	char *events;
	unsigned int flags, n;
	pmon_t *names;			/* never attached */
	pmon_value_t *ended;		/* of the members that are no more */
	struct member *members;
};

static void add(pmon_value_t *sum, const pmon_value_t *value, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		sum[i].raw += value[i].raw;
		sum[i].scaled += value[i].scaled;
		sum[i].active_ns += value[i].active_ns;
		sum[i].total_ns += value[i].total_ns;
	}
}

/* With the lock. What cannot be read is lost: the thread has ended otherwise. */
static int add_member(const struct member *member, pmon_value_t *sum, unsigned int n)
{
	pmon_value_t *value = calloc(n, sizeof(*value));
	int ret;

	if (!value)
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	ret = pmon_read(member->m, value, n);
	if (ret > 0)
		add(sum, value, (unsigned int)ret);
	free(value);
	return ret;
}

static void unlink_member(struct member *member)
{
	*member->link = member->next;
	if (member->next)
		member->next->link = member->link;
	pmon_close(member->m);
	free(member);
}

/* Also when the thread exits. */
static void end_member(void *arg)
{
	struct member *member = arg;
	pmon_group_t *g = member->group;

	pmon_stop(member->m);
	pthread_mutex_lock(&g->lock);
	add_member(member, g->ended, g->n);
	unlink_member(member);
	pthread_mutex_unlock(&g->lock);
}

int pmon_group_open(pmon_group_t **out, const char *events, unsigned int flags)
{
	pmon_group_t *g = calloc(1, sizeof(*g));
	int ret;

	*out = NULL;
	if (!g)
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	ret = flags & PMON_INHERIT ?
	      pmon_fail(EINVAL, "PMON_INHERIT is for pmon_open(): each thread of a group has a context of its own") :
	      pmon_open(&g->names, events, flags);
	if (ret) {
		free(g);
		return ret;
	}
	g->flags = flags;
	g->n = pmon_events(g->names);
	g->events = strdup(events);
	g->ended = calloc(g->n, sizeof(*g->ended));
	pthread_mutex_init(&g->lock, NULL);
	ret = g->events && g->ended ? pthread_key_create(&g->key, end_member) : ENOMEM;
	if (ret) {
		pmon_close(g->names);
		free(g->events);
		free(g->ended);
		free(g);
		return pmon_fail(ret, "%s", strerror(ret));
	}
	*out = g;
	return 0;
}

int pmon_thread_begin(pmon_group_t *g)
{
	struct member *member;
	int ret;

	if (pthread_getspecific(g->key))
		return pmon_fail(EBUSY, "this thread is counted by the group already");
	member = calloc(1, sizeof(*member));
	if (!member)
		return pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	member->group = g;
	ret = pmon_open(&member->m, g->events, g->flags);
	if (!ret)
		ret = pmon_start(member->m);
	if (!ret && pthread_setspecific(g->key, member))
		ret = pmon_fail(ENOMEM, "%s", strerror(ENOMEM));
	if (ret) {
		pmon_close(member->m);
		free(member);
		return ret;
	}
	pthread_mutex_lock(&g->lock);
	member->link = &g->members;
	member->next = g->members;
	if (member->next)
		member->next->link = &member->next;
	g->members = member;
	pthread_mutex_unlock(&g->lock);
	return 0;
}

int pmon_thread_end(pmon_group_t *g)
{
	struct member *member = pthread_getspecific(g->key);

	if (!member)
		return pmon_fail(ESRCH, "this thread is not counted by the group");
	pthread_setspecific(g->key, NULL);
	end_member(member);
	return 0;
}

int pmon_sum(pmon_group_t *g, pmon_value_t *value, unsigned int n)
{
	struct member *member;
	int ret = 0;

	if (n > g->n)
		n = g->n;
	pthread_mutex_lock(&g->lock);
	memcpy(value, g->ended, n * sizeof(*value));
	for (member = g->members; member && ret >= 0; member = member->next)
		ret = add_member(member, value, n);
	pthread_mutex_unlock(&g->lock);
	return ret < 0 ? ret : (int)n;
}

unsigned int pmon_group_events(const pmon_group_t *g)
{
	return g->n;
}

const char *pmon_group_name(const pmon_group_t *g, unsigned int i)
{
	return pmon_name(g->names, i);
}

void pmon_group_close(pmon_group_t *g)
{
	if (!g)
		return;
	pthread_key_delete(g->key);
	while (g->members)
		unlink_member(g->members);
	pmon_close(g->names);
	pthread_mutex_destroy(&g->lock);
	free(g->events);
	free(g->ended);
	free(g);
}
