// Measures any program from outside, including its start and end. The row "open" runs both of its
// sides with it.
//
// whole_process PROGRAM [ARGUMENT ...]
//
// Discards the program's output; prints {"count", "seconds", "cpuSeconds", "megabytes"}. The system
// also counts the memory that a process used before it became the program, so the process that
// starts it must be as small as this one.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "timing.h"

extern char **environ;

static pid_t start_program(char **arguments) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t process;
  int code = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code == 0) return process;
  fprintf(stderr, "whole_process: %s: %s\n", arguments[0], strerror(code));
  return -1;
}

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "whole_process: a program is missing\n");
    return 64;
  }
  struct timing start = timing_start();
  pid_t process = start_program(arguments + 1);
  if (process < 0) return 66;
  int status;
  struct rusage usage;
  if (wait4(process, &status, 0, &usage) != process || !WIFEXITED(status)) return 70;
  struct timing end = timing_start();
#ifdef __APPLE__
  double megabytes = usage.ru_maxrss / 1048576.0;
#else
  double megabytes = usage.ru_maxrss / 1024.0;
#endif
  printf("{\"count\": 1, \"seconds\": %.9f, \"cpuSeconds\": %.6f, \"megabytes\": %.3f}\n",
         end.wall_seconds - start.wall_seconds,
         seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), megabytes);
  return WEXITSTATUS(status);
}
