internal import CarillonModel
internal import CarillonWire

/// A log as seen by a build that does not know some kinds of payload: it replaces their numbers by
/// unknown ones.
///
/// For projections, which never write to it.
final class OlderBuildLog: ForwardingLog {
  let log: any EventLog
  private let kinds: Set<UInt32>

  /// - Parameter kinds: The numbers of the unknown kinds.
  init(_ log: any EventLog, unknown kinds: Set<UInt32>) {
    self.log = log
    self.kinds = kinds
  }

  func scan(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    try log.scan(after: position) { try veiled($0, body) }
  }

  func scanIntact(after position: LogPosition, _ body: (RawEvent) throws -> Bool) throws {
    try log.scanIntact(after: position) { try veiled($0, body) }
  }

  func scan(
    branch: BranchIndex, from sequence: SequenceNumber, _ body: (RawEvent) throws -> Bool
  ) throws {
    try log.scan(branch: branch, from: sequence) { try veiled($0, body) }
  }

  /// Replaces the first bytes of a payload: the tag of its one field, which consists of the kind's
  /// number and wire type 2.
  private func veiled(_ event: RawEvent, _ body: (RawEvent) throws -> Bool) throws -> Bool {
    // A payload that cannot be read is passed on unchanged.
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

  /// Returns the tag of a field from 1 to 2,047 with wire type 2.
  private static func tag(of number: UInt32) -> [UInt8] {
    let tag = number << 3 | 2
    return tag < 0x80 ? [UInt8(tag)] : [UInt8(tag & 0x7F) | 0x80, UInt8(tag >> 7)]
  }
}
