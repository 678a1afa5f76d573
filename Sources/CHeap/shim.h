#include <pthread.h>
#if defined(__linux__)
#include <malloc.h>
#endif
#if defined(__GLIBC__)
// The header has it only for programs that ask for all of GNU's extensions.
int pthread_setattr_default_np(const pthread_attr_t *attributes);
#endif

/// Lets all threads share one part of the heap, as long as the process runs. Does nothing where the
/// C library has no such setting.
static inline void cheap_share_one_part(void) {
#if defined(M_ARENA_MAX)
  mallopt(M_ARENA_MAX, 1);
#endif
}

/// Lets blocks of a number of bytes or more be mapped, as long as the process runs. Does nothing
/// where the C library has no such setting.
static inline void cheap_map_blocks_from(int byteCount) {
#if defined(M_MMAP_THRESHOLD)
  mallopt(M_MMAP_THRESHOLD, byteCount);
#else
  (void)byteCount;
#endif
}

/// Gives threads that start from now on a stack of a number of bytes, if they ask for no other one.
/// Does nothing where the C library has no such setting.
static inline void cheap_limit_stacks(size_t byteCount) {
#if defined(__GLIBC__)
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, byteCount) == 0) {
    pthread_setattr_default_np(&attributes);
  }
  pthread_attr_destroy(&attributes);
#else
  (void)byteCount;
#endif
}
