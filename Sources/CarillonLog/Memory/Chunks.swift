/// An array whose copies share all elements but the last few when they are appended to.
struct Chunks<Element: Sendable>: Sendable {
  /// All but the last are full.
  private var chunks: [[Element]] = []
  private(set) var count = 0

  private static var capacity: Int { 1_024 }

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
