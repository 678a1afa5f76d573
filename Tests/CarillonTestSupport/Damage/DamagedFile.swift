package import CarillonModel
package import Foundation

/// Damages the data file of a log that no process has open, as a bad disk does.
package enum DamagedFile {
  /// The part of an event whose bytes change.
  package enum Part: Sendable {
    /// The bytes of its branch and sequence, from 0 to 11.
    case place
    /// The bytes of its ID, from 0 to 31.
    case id
    /// The bytes of its payload; for a redacted event, the bytes of its digest.
    case content
  }

  /// An event as it is stored in a log.
  package struct Record: Sendable {
    package let event: StoredEvent
    let branch: BranchIndex

    package init(_ event: RawEvent) {
      self.event = event.event
      branch = event.branch
    }

    /// Returns the number of bytes of the part.
    package func byteCount(_ part: Part) -> Int {
      switch part {
      case .place: 12
      case .id: 32
      case .content:
        event.redacted == nil ? min(event.payload.count, Self.togetherByteCount - 32) : 32
      }
    }

    /// The number of consecutive bytes, from the ID on, in every storage: SQLite splits a long row.
    fileprivate static let togetherByteCount = 400

    /// The bytes before the ID in a value of LMDB's database `events`.
    fileprivate var place: [UInt8] {
      let mark: UInt32 = event.redacted == nil ? 0 : 1 << 31
      return withUnsafeBytes(of: (branch.rawValue | mark).bigEndian, Array.init)
        + withUnsafeBytes(of: event.sequence.rawValue.bigEndian, Array.init)
    }

    /// The ID and the bytes after it, in every storage.
    fileprivate var idAndContent: [UInt8] {
      let content = event.redacted.map { $0.digest.bytes + $0.erasure.bytes } ?? event.payload
      return Array((event.id.bytes + content).prefix(Self.togetherByteCount))
    }
  }

  /// Returns the file that contains the events of a log in a store directory: LMDB's if it exists,
  /// otherwise SQLite's.
  package static func dataFile(in directory: URL) -> URL {
    let file = directory.appending(path: "log/data.mdb")
    guard !FileManager.default.fileExists(atPath: file.path) else { return file }
    return directory.appending(path: "log.sqlite")
  }

  /// Flips a bit in a byte of an event, in every place where the file contains the event.
  ///
  /// - Throws: If the file cannot be read or written, or does not contain the event.
  package static func flip(
    _ part: Part, _ byte: Int, of record: Record, in directory: URL
  ) throws {
    let (old, new) = record.flipped(part, byte)
    try replace(old, by: new, in: directory)
  }

  /// Reverses a ``flip(_:_:of:in:)``.
  package static func restore(
    _ part: Part, _ byte: Int, of record: Record, in directory: URL
  ) throws {
    let (old, new) = record.flipped(part, byte)
    try replace(new, by: old, in: directory)
  }

  private static func replace(
    _ old: [UInt8], by new: [UInt8], in directory: URL
  ) throws {
    let file = dataFile(in: directory)
    var data = try Data(contentsOf: file)
    var start = data.startIndex
    while let range = data.range(of: Data(old), in: start..<data.endIndex) {
      data.replaceSubrange(range, with: new)
      start = range.upperBound
    }
    guard start > data.startIndex else { throw CocoaError(.fileReadCorruptFile) }
    // In place, because an atomic write would create a new file.
    try data.write(to: file)
  }
}

extension DamagedFile.Record {
  /// Returns bytes of the event in a file, and the same bytes with one bit of a byte flipped.
  fileprivate func flipped(
    _ part: DamagedFile.Part, _ byte: Int
  ) -> (before: [UInt8], after: [UInt8]) {
    let (before, offset) =
      switch part {
      case .place: (place + idAndContent, byte)
      case .id: (idAndContent, byte)
      case .content: (idAndContent, 32 + byte)
      }
    var after = before
    after[offset] ^= 0x10
    return (before, after)
  }
}
