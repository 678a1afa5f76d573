// Measures wall and CPU time, and prints them in the format that the benchmarks read.
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

struct timing {
  double wall_seconds;
  double cpu_seconds;
};

static double seconds_of(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

static struct timing timing_start(void) {
  struct timespec wall;
  struct rusage usage;
  clock_gettime(CLOCK_MONOTONIC, &wall);
  getrusage(RUSAGE_SELF, &usage);
  return (struct timing){wall.tv_sec + wall.tv_nsec / 1e9,
                         seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
}

static inline void timing_print(struct timing start, uint64_t count) {
  struct timing end = timing_start();
  printf("{\"count\": %llu, \"seconds\": %.9f, \"cpuSeconds\": %.6f}\n",
         (unsigned long long)count, end.wall_seconds - start.wall_seconds,
         end.cpu_seconds - start.cpu_seconds);
}
