package import CarillonModel
package import Foundation

/// Damages the data file of a log that nobody has open, as a bad disk does.
package enum DamagedFile {
  /// Which bytes of an event change.
  package enum Part: Sendable {
    /// Those of its branch and sequence, from 0 to 11.
    case place
    /// Those of its ID, from 0 to 31.
    case id
    /// Those of its payload; of a redacted event those of its digest.
    case content
  }

  /// An event as it lies in a log.
  package struct Record: Sendable {
    package let event: Event
    let branch: BranchIndex

    package init(_ event: RawEvent) {
      self.event = event.event
      branch = event.branch
    }

    /// How many bytes of the part there are to damage.
    package func byteCount(_ part: Part) -> Int {
      switch part {
      case .place: 12
      case .id: 32
      case .content: event.redacted == nil ? event.payload.count : 32
      }
    }

    /// The value in the database `events`.
    var bytes: [UInt8] {
      let mark: UInt32 = event.redacted == nil ? 0 : 1 << 31
      let header = withUnsafeBytes(of: (branch.rawValue | mark).bigEndian, Array.init)
      let sequence = withUnsafeBytes(of: event.sequence.rawValue.bigEndian, Array.init)
      let content = event.redacted.map { $0.digest.bytes + $0.erasure.bytes } ?? event.payload
      return header + sequence + event.id.bytes + content
    }
  }

  /// The data file of the log in a store directory.
  package static func dataFile(in directory: URL) -> URL {
    directory.appending(path: "log/data.mdb")
  }

  /// Changes a bit of a byte of an event, wherever the file has it.
  ///
  /// - Throws: Where the file cannot be read or written, or does not hold the event.
  package static func flip(
    _ part: Part, _ byte: Int, of record: Record, in directory: URL
  ) throws {
    try replace(record.bytes, by: record.flipped(part, byte), in: directory)
  }

  /// Takes a ``flip(_:_:of:in:)`` back.
  package static func restore(
    _ part: Part, _ byte: Int, of record: Record, in directory: URL
  ) throws {
    try replace(record.flipped(part, byte), by: record.bytes, in: directory)
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
    // In place: an atomic write would make another file of it.
    try data.write(to: file)
  }
}

extension DamagedFile.Record {
  /// The value with a bit of a byte changed.
  fileprivate func flipped(_ part: DamagedFile.Part, _ byte: Int) -> [UInt8] {
    let offset =
      switch part {
      case .place: byte
      case .id: 12 + byte
      case .content: 44 + byte
      }
    var bytes = bytes
    bytes[offset] ^= 0x10
    return bytes
  }
}
