/*
 * threads EVENTS: all threads of a pool together, those that have ended, too.
 *
 * cc -pthread -o threads threads.c $(pkg-config --cflags --libs libperfmon)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pmon.h>

static pmon_group_t *group;

static void *work(void *arg)
{
    if (pmon_thread_begin(group))
        fprintf(stderr, "%s\n", pmon_error());
    return memset(arg, 1, 1 << 20);
}

int main(int argc, char **argv)
{
    const char *events = argc > 1 ? argv[1] : "task-clock,minor-faults";
    pmon_value_t v[16];
    pthread_t thread[4];
    int i, n;

    if (pmon_group_open(&group, events, 0)) {
        fprintf(stderr, "%s\n", pmon_error());
        return 1;
    }
    for (i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, work, malloc(1 << 20)))
            return 1;
    for (i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);

    n = pmon_sum(group, v, 16);
    for (i = 0; i < n; i++)
        printf("%llu %s\n", (unsigned long long)v[i].scaled,
               pmon_group_name(group, (unsigned int)i));
    pmon_group_close(group);
    return n < 0;
}
