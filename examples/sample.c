/*
 * sample EVENT PERIOD FORMAT: where the program is, each PERIOD events.
 *
 * cc -o sample sample.c $(pkg-config --cflags --libs libperfmon)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pmon.h>

static unsigned long long samples;

static void read_samples(pmon_t *m)
{
    struct pmon_record r;

    while (pmon_sample_next(m, &r) > 0)
        if (r.type == PMON_SAMPLE)
            samples += r.sample.count;
}

int main(int argc, char **argv)
{
    const char *event = argc > 1 ? argv[1] : "minor-faults";
    unsigned long period = argc > 2 ? strtoul(argv[2], NULL, 0) : 16;
    char *memory = malloc(16 << 20);
    pmon_t *m;
    int i;

    if (pmon_sample_open(&m, event, period, argc > 3 ? argv[3] : NULL, 8192) ||
        pmon_start(m)) {
        fprintf(stderr, "%s\n", pmon_error());
        return 1;
    }
    for (i = 0; i < 256; i++) {
        memset(memory + (i << 16), 1, 1 << 16);
        read_samples(m);
        if (pmon_sample_release(m) > 0)
            read_samples(m);
    }
    pmon_stop(m);
    read_samples(m);
    if (pmon_sample_release(m) > 0)
        read_samples(m);
    printf("%llu samples, %llu lost\n", samples,
           (unsigned long long)pmon_lost(m));
    pmon_close(m);
    return 0;
}
