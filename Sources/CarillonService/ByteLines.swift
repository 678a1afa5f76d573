#if Service
/// The lines of a body that are not blank, with their numbers from 1; one line is copied at a time.
struct ByteLines: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var start = 0
  /// The number of lines that were passed, also blank ones.
  private(set) var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The number of lines that are left.
  var count: Int { reduce(0) { count, _ in count + 1 } }

  mutating func next() -> (number: Int, bytes: ArraySlice<UInt8>)? {
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let line = bytes[start..<end]
      (start, number) = (end + 1, number + 1)
      if !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) { return (number, line) }
    }
    return nil
  }
}
#endif
