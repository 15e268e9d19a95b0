/*
 * count EVENTS: what memory costs.
 *
 * cc -o count count.c $(pkg-config --cflags --libs libperfmon)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pmon.h>

int main(int argc, char **argv)
{
    const char *events = argc > 1 ? argv[1] : "task-clock,minor-faults";
    pmon_value_t v[16];
    pmon_t *m;
    int i, n;

    if (pmon_open(&m, events, 0) || pmon_start(m)) {
        fprintf(stderr, "%s\n", pmon_error());
        return 1;
    }
    memset(malloc(16 << 20), 1, 16 << 20);
    pmon_stop(m);

    n = pmon_read(m, v, 16);
    for (i = 0; i < n; i++)
        printf("%llu %s, counted %.0f%% of the time\n",
               (unsigned long long)v[i].scaled, pmon_name(m, i),
               v[i].total_ns ? 100.0 * v[i].active_ns / v[i].total_ns : 0);
    pmon_close(m);
    return n < 0;
}
