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
    package let event: Event
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

  /// Flips a bit in a byte of an event, in every place where the file contains the event.
  ///
  /// - Throws: If the file cannot be read or written, or does not contain the event.
  package static func flip(
    _ part: Part, _ byte: Int, of record: Record, in directory: URL
  ) throws {
    try replace(record.bytes, by: record.flipped(part, byte), in: directory)
  }

  /// Reverses a ``flip(_:_:of:in:)``.
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
    // In place, because an atomic write would create a new file.
    try data.write(to: file)
  }
}

extension DamagedFile.Record {
  /// Returns the value with one bit of a byte flipped.
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
