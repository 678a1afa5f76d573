/// An event that records the import of another app's file.
///
/// An LWW register per file, identified by its hash.
public struct ImportFinished: Hashable, Sendable {
  /// The name of the source, such as `loop`; 1 to 200 bytes.
  package var source: String
  /// The SHA-256 of the file: 32 bytes.
  package var fileHash: [UInt8]
  /// The number of things of each name that were imported or could not be represented.
  ///
  /// At most 32 names of 1 to 64 bytes; each count 0...10^12.
  package var counts: [String: Int64]

  /// Creates a value from its parts.
  package init(source: String, fileHash: [UInt8], counts: [String: Int64]) {
    self.source = source
    self.fileHash = fileHash
    self.counts = counts
  }

  /// The size of a file's hash in bytes.
  package static let hashByteCount = 32
}

extension ImportFinished: EventContent {
  package static let kind = Payload.Kind.importFinished
  package static let name = "import.finished"
  package static let merge = MergeRule.lwwRegister
  package static let blank = ImportFinished(source: "", fileHash: [], counts: [:])

  package var payload: Payload { .importFinished(self) }

  package mutating func visitFields(_ visitor: inout some FieldVisitor) throws(ModelError) {
    try visitor.required(1, "source", &source, 1...Limit.maxShortBytes)
    try visitor.bytes(2, "fileHash", &fileHash, 32...32, as: .hexadecimal)
    try visitor.members(3, "counts", &counts, 0...1_000_000_000_000)
  }

  package var erasureSubject: ErasureSubject { .none }

  package func summary(_ words: some SummaryWords) -> String {
    source
  }
}

extension ImportFinished {
  package func checkRelations() throws(ModelError) {
    try Limit.count(counts.count, 0...32, "counts: names")
    for name in counts.keys.sorted() { try Limit.text(name, 1...64, "counts: name") }
  }
}
