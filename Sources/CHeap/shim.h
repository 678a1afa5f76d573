#if defined(__linux__)
#include <malloc.h>
#endif

/// Lets blocks of a number of bytes or more be mapped, as long as the process runs. Does nothing
/// where the C library has no such setting.
static inline void cheap_map_blocks_from(int byteCount) {
#if defined(M_MMAP_THRESHOLD)
  mallopt(M_MMAP_THRESHOLD, byteCount);
#else
  (void)byteCount;
#endif
}
