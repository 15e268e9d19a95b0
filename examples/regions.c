/*
 * PMON_EVENTS=task-clock,minor-faults regions: parts of a program by name.
 *
 * cc -o regions regions.c $(pkg-config --cflags --libs libperfmon)
 */
#include <stdlib.h>
#include <string.h>
#include <perfmon/pmon.h>

static void *read_input(size_t size)
{
    PMON_REGION("input");

    return memset(malloc(size), 1, size);
}

int main(void)
{
    unsigned char *data;
    unsigned int sum = 0;
    size_t i;

    pmon_region_begin("all");
    data = read_input(4 << 20);
    pmon_region_begin("sum");
    for (i = 0; i < 4 << 20; i++)
        sum += data[i];
    pmon_region_end("sum");
    pmon_region_end("all");
    return sum != 4 << 20;
}
