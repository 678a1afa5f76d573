#if defined(__linux__)
#include <malloc.h>
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
