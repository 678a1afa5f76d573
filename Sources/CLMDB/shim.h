#include <errno.h>
#include <lmdb.h>
#include <stdint.h>

// The C library's own headers show `fallocate` only under a macro that changes other declarations
// too, so the system call is made directly.
#if defined(__linux__)
#include <asm/unistd.h>
long syscall(long number, ...);
#endif

/// Gives a file its first `count` bytes on the disk: zeros where it had none. What it has stays.
/// Returns 0, or an errno; EOPNOTSUPP where the system cannot.
static inline int clmdb_allocate(int file, int64_t count) {
#if defined(__linux__)
  // Not posix_fallocate, which writes into what others may be writing where the system cannot.
  return syscall(__NR_fallocate, file, 0, (long)0, (long)count) == 0 ? 0 : errno;
#else
  return EOPNOTSUPP;
#endif
}

/// Asks the processor to fetch a range of memory, which need not exist.
static inline void clmdb_prefetch(const void *start, size_t count) {
  for (size_t line = 0; line < count; line += 64) __builtin_prefetch((const char *)start + line);
}
