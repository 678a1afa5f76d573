#if Service
import CHeap

/// The heap of the process.
enum Heap {
  /// Lets blocks of a megabyte or more be mapped, so that only the pages in use take memory.
  ///
  /// Each open log on LMDB has a block of 2 MB, of which it uses little. After the first of them
  /// was freed, the C library would take the next ones from the heap, where all pages are in use:
  /// each store would take 2 MB more.
  static func keepLargeBlocksApart() {
    cheap_map_blocks_from(1 << 20)
  }
}
#endif
