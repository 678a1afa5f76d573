/// An array in chunks.
///
/// When a copy is appended to, it still shares all elements except the last few.
struct Chunks<Element: Sendable>: Sendable {
  /// The elements; all chunks except the last are full.
  private var chunks: [[Element]] = []
  private(set) var count = 0

  private static var capacity: Int { 256 }

  subscript(index: Int) -> Element {
    get { chunks[index / Self.capacity][index % Self.capacity] }
    set { chunks[index / Self.capacity][index % Self.capacity] = newValue }
  }

  mutating func append(_ element: Element) {
    if count.isMultiple(of: Self.capacity) { chunks.append([]) }
    chunks[chunks.count - 1].append(element)
    count += 1
  }
}
