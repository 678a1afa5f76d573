#include <errno.h>
#include <stdint.h>

// The C library's own headers show `statx` only under a macro that changes other declarations too,
// so the system call is made directly.
#if defined(__linux__)
#include <asm/unistd.h>
#include <linux/stat.h>
long syscall(long number, ...);
#elif defined(__APPLE__)
#include <sys/stat.h>
#endif

/// When a file was created, which POSIX' stat does not tell: seconds and nanoseconds since 1970,
/// both 0 where the file system does not know. Returns 0, or -1 with errno set.
static inline int cfiles_creation_time(
    const char *path, int64_t *seconds, int64_t *nanoseconds) {
  *seconds = 0;
  *nanoseconds = 0;
#if defined(__linux__)
  struct statx status;
  const int workingDirectory = -100;  // AT_FDCWD
  const int doNotFollow = 0x100;      // AT_SYMLINK_NOFOLLOW
  if (syscall(__NR_statx, workingDirectory, path, doNotFollow, STATX_BTIME, &status) != 0) {
    return -1;
  }
  if (status.stx_mask & STATX_BTIME) {
    *seconds = status.stx_btime.tv_sec;
    *nanoseconds = status.stx_btime.tv_nsec;
  }
#elif defined(__APPLE__)
  struct stat status;
  if (lstat(path, &status) != 0) return -1;
  *seconds = status.st_birthtimespec.tv_sec;
  *nanoseconds = status.st_birthtimespec.tv_nsec;
#endif
  return 0;
}
