internal import CarillonModel
internal import CarillonWire

/// A log as a build sees it that does not know some kinds of payload: their numbers are others.
///
/// For projections only, which read and never write.
final class VeiledLog: ForwardingLog {
  let log: any EventLog
  private let kinds: Set<UInt32>

  /// - Parameter kinds: Numbers of kinds that are not known.
  init(_ log: any EventLog, unknown kinds: Set<UInt32>) {
    self.log = log
    self.kinds = kinds
  }

  func scan(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    try log.scan(after: position) { try veiled($0, body) }
  }

  func scanIntact(after position: Position, _ body: (RawEvent) throws -> Bool) throws {
    try log.scanIntact(after: position) { try veiled($0, body) }
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    try log.scan(branch: branch, from: sequence) { try veiled($0, body) }
  }

  /// The payload begins with the tag of its one field: the kind's number, and wire type 2.
  private func veiled(_ event: RawEvent, _ body: (RawEvent) throws -> Bool) throws -> Bool {
    // What cannot be read is seen as it is.
    guard event.redacted == nil, let kind = try? PayloadCoding.kind(of: event.payload)?.rawValue,
      kinds.contains(kind)
    else { return try body(event) }
    let bytes =
      Self.tag(of: kind + 1_000) + event.payload.dropFirst(Self.tag(of: kind).count)
    return try bytes.withUnsafeBytes { payload in
      try body(
        RawEvent(
          position: event.position, branch: event.branch, replica: event.replica,
          sequence: event.sequence, id: event.id, payload: payload))
    }
  }

  /// The tag of a field from 1 to 2,047 with wire type 2.
  private static func tag(of number: UInt32) -> [UInt8] {
    let tag = number << 3 | 2
    return tag < 0x80 ? [UInt8(tag)] : [UInt8(tag & 0x7F) | 0x80, UInt8(tag >> 7)]
  }
}
