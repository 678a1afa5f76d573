import CHeap
import Foundation

/// The memory of a program.
package enum Heap {
  /// Saves address space if the system limits it, as `ulimit -v` does.
  ///
  /// The C library reserves 64 MB or more for the blocks of each thread, and 8 MB for its stack.
  /// Swift ends the process if it gets no memory, and a library that gets no thread may wait for it
  /// for ever.
  ///
  /// Must be called before the first thread starts.
  package static func saveAddressSpace() {
    #if canImport(Darwin)
    let resource = RLIMIT_AS
    #else
    let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #endif
    var limit = rlimit()
    // With more, all threads can have a part.
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(1) << 34 else { return }
    cheap_share_one_part()
    cheap_limit_stacks(1 << 20)
  }

  /// Whether the process can have a number of bytes of address space more.
  package static func hasAddressSpace(for byteCount: Int) -> Bool {
    let start = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { return false }
    munmap(start, byteCount)
    return true
  }

  /// Lets blocks of a megabyte or more be mapped, so that only the pages in use take memory.
  ///
  /// Each open log on LMDB has a block of 2 MB, of which it uses little. After the first of them
  /// was freed, the C library would take the next ones from the heap, where all pages are in use:
  /// each store would take 2 MB more.
  package static func keepLargeBlocksApart() {
    cheap_map_blocks_from(1 << 20)
  }
}
