/*
 * PMON_EVENTS=task-clock,minor-faults regions++: the same in C++.
 *
 * c++ -o regions++ regions++.cc $(pkg-config --cflags --libs libperfmon)
 */
#include <numeric>
#include <vector>
#include <perfmon/pmon.h>

int main()
{
    pmon::region all("all");
    std::vector<unsigned char> data;

    {
        pmon::region input("input");
        data.assign(4 << 20, 1);
    }
    pmon::region sum("sum");
    return std::accumulate(data.begin(), data.end(), 0U) != 4U << 20;
}
