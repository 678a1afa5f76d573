package import CarillonModel
internal import Foundation
internal import SwiftProtobuf

extension SyncMessage {
  /// Encodes the message.
  package func encoded() -> [UInt8] {
    var wire = Carillon_V1_SyncMessage()
    wire.number = number
    wire.version = version
    wire.store = store
    wire.limit = limit == Self.defaultLimit ? 0 : UInt32(clamping: limit)
    if let vector {
      wire.vector = Carillon_V1_Heads(vector.heads)
      wire.vector.remaining = UInt32(clamping: vector.remaining)
    }
    wire.digest = Data(digest)
    wire.vectorFrom = UInt32(clamping: vectorFrom)
    if !acknowledged.isEmpty { wire.acknowledged = Carillon_V1_Heads(acknowledged) }
    if let request {
      wire.request.targets = Carillon_V1_Heads(request.targets)
      wire.request.held = request.held.map(Carillon_V1_Locator.init)
    }
    wire.locators = locators.map(Carillon_V1_Locator.init)
    switch events {
    case .none: break
    case .stored(let bytes): wire.events = Data(bytes)
    case .deflated(let bytes): wire.deflatedEvents = Data(bytes)
    }
    wire.refusals = refusals.map(Carillon_V1_Refusal.init)
    wire.audit = audit
    if !wanted.isEmpty || wantedRemaining > 0 {
      wire.wanted = Carillon_V1_Heads(wanted)
      wire.wanted.remaining = UInt32(clamping: wantedRemaining)
    }
    wire.wantedFrom = UInt32(clamping: wantedFrom)
    if let state {
      wire.stateVersion = state.version
      wire.state = Data(state.bytes)
    }
    wire.equal = Data(equal)
    if let dictionary { wire.dictionary = Carillon_V1_Dictionary(dictionary) }
    wire.dictionaryUnknown = isDictionaryUnknown
    return serialize(wire)
  }

  /// Decodes a message.
  ///
  /// Decoding takes at most a small multiple of the memory of `bytes`.
  ///
  /// - Throws: `malformed`, naming the part.
  package init(bytes: [UInt8]) throws(ModelError) {
    let wire: Carillon_V1_SyncMessage = try parse(bytes, as: "message")
    number = wire.number
    version = wire.version
    store = wire.store
    limit = wire.limit == 0 ? Self.defaultLimit : Int(wire.limit)
    guard Self.limits.contains(limit) else {
      throw .malformed("sync message: limit \(limit) is not in \(Self.limits)")
    }
    if wire.hasVector {
      vector = try Vector(
        heads: wire.vector.points("vector"), remaining: Int(wire.vector.remaining))
    }
    guard [0, 16].contains(wire.digest.count) else {
      throw .malformed("sync message: the digest has \(wire.digest.count) bytes instead of 16")
    }
    digest = [UInt8](wire.digest)
    vectorFrom = Int(wire.vectorFrom)
    acknowledged = try wire.acknowledged.points("acknowledged")
    if wire.hasRequest {
      request = try Request(
        targets: wire.request.targets.points("targets"),
        held: SyncLocator.decode(wire.request.held))
    }
    locators = try SyncLocator.decode(wire.locators)
    events = try Self.events(of: wire)
    refusals = wire.refusals.prefix(Self.maxRuns).map(SyncRefusal.init)
    audit = wire.audit
    wanted = try wire.wanted.points("wanted", most: Self.maxWanted)
    wantedRemaining = Int(wire.wanted.remaining)
    wantedFrom = Int(wire.wantedFrom)
    guard [0, 16].contains(wire.state.count) else {
      throw .malformed("sync message: the state has \(wire.state.count) bytes instead of 16")
    }
    if !wire.state.isEmpty {
      state = StatePrefix(version: wire.stateVersion, bytes: [UInt8](wire.state))
    }
    guard [0, 4].contains(wire.equal.count) else {
      throw .malformed("sync message: equal has \(wire.equal.count) bytes instead of 4")
    }
    equal = [UInt8](wire.equal)
    if wire.hasDictionary { dictionary = try DictionaryReference(wire.dictionary) }
    isDictionaryUnknown = wire.dictionaryUnknown
  }

  /// Returns whether a message requests an audit, without decoding the rest of it; false for bytes
  /// that are no message.
  ///
  /// - Complexity: O(fields).
  package static func requestsAudit(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var (reader, isRequested) = (WireReader(bytes), false)
      do throws(ModelError) {
        while let field = try reader.next() {
          if field.number == auditField, field.type == .varint { isRequested = field.varint != 0 }
        }
      } catch {
        return false
      }
      return isRequested
    }
  }

  /// The number of the field `audit` in `protocol/carillon/v1/sync.proto`.
  private static let auditField: UInt32 = 14

  private static func events(of wire: Carillon_V1_SyncMessage) throws(ModelError) -> Events {
    switch (wire.events.isEmpty, wire.deflatedEvents.isEmpty) {
    case (true, true): return .none
    case (false, true): return .stored([UInt8](wire.events))
    case (true, false): return .deflated([UInt8](wire.deflatedEvents))
    case (false, false): throw .malformed("sync message: both stored and deflated events")
    }
  }
}

extension SyncMessage.Envelope {
  /// Decodes only the fields that every version of the protocol has.
  ///
  /// - Throws: `malformed`.
  package init(bytes: [UInt8]) throws(ModelError) {
    let wire: Carillon_V1_SyncEnvelope = try parse(bytes, as: "message")
    number = wire.number
    version = wire.version
    store = wire.store
  }
}

// MARK: - Parts

extension Carillon_V1_Heads {
  fileprivate init(_ points: [SyncPoint]) {
    self.init()
    prefixes = Data(points.flatMap { $0.prefix.bigEndianBytes })
    sequences = points.map(\.sequence)
    suffixes = Data(points.flatMap { $0.suffix.bigEndianBytes })
  }

  fileprivate func points(
    _ name: String, most: Int = SyncMessage.maxHeads
  ) throws(ModelError) -> [SyncPoint] {
    let count = sequences.count
    guard count <= most else {
      throw .malformed("\(name): \(count) points; at most \(most) are allowed")
    }
    guard prefixes.count == 4 * count, suffixes.count == 8 * count else {
      throw .malformed(
        "\(name): \(count) sequences, but \(prefixes.count) bytes of prefixes "
          + "and \(suffixes.count) bytes of suffixes")
    }
    guard sequences.allSatisfy((1...SyncMessage.maxSequence).contains) else {
      throw .malformed("\(name): a sequence is not in 1...2^53")
    }
    let prefixWords = words(of: prefixes, as: UInt32.self)
    let suffixWords = words(of: suffixes, as: UInt64.self)
    return (0..<count).map {
      SyncPoint(prefix: prefixWords[$0], sequence: sequences[$0], suffix: suffixWords[$0])
    }
  }
}

extension Carillon_V1_Dictionary {
  fileprivate init(_ dictionary: SyncMessage.DictionaryReference) {
    self.init()
    prefix = Data(dictionary.end.prefix.bigEndianBytes)
    sequence = dictionary.end.sequence
    suffix = dictionary.end.suffix
    check = dictionary.check
  }
}

extension SyncMessage.DictionaryReference {
  fileprivate init(_ wire: Carillon_V1_Dictionary) throws(ModelError) {
    guard wire.prefix.count == 4, (1...SyncMessage.maxSequence).contains(wire.sequence) else {
      throw .malformed(
        "dictionary: \(wire.prefix.count) bytes of a prefix, at sequence \(wire.sequence)")
    }
    self.init(
      end: SyncPoint(
        prefix: words(of: wire.prefix, as: UInt32.self)[0], sequence: wire.sequence,
        suffix: wire.suffix),
      check: wire.check)
  }
}

extension SyncLocator {
  /// The maximum number of locators in a message, per direction.
  package static let maxCount = 64

  fileprivate static func decode(
    _ wire: [Carillon_V1_Locator]
  ) throws(ModelError) -> [SyncLocator] {
    guard wire.count <= maxCount else {
      throw .malformed("\(wire.count) locators; at most \(maxCount) are allowed")
    }
    var locators: [SyncLocator] = []
    for locator in wire { locators.append(try SyncLocator(locator)) }
    return locators
  }

  private init(_ wire: Carillon_V1_Locator) throws(ModelError) {
    guard wire.sequence <= SyncMessage.maxSequence, wire.suffixes.count.isMultiple(of: 8),
      wire.suffixes.count / 8 <= SyncLocator.sequences(from: wire.sequence).count
    else {
      throw .malformed(
        "locator: \(wire.suffixes.count) bytes of suffixes at sequence \(wire.sequence)")
    }
    try self.init(
      replica: ReplicaReference(bytes: wire.replica), sequence: wire.sequence,
      suffixes: words(of: wire.suffixes, as: UInt64.self))
  }
}

extension Carillon_V1_Locator {
  fileprivate init(_ locator: SyncLocator) {
    self.init()
    replica = Data(locator.replica.bytes)
    sequence = locator.sequence
    suffixes = Data(locator.suffixes.flatMap(\.bigEndianBytes))
  }
}

extension ReplicaReference {
  /// The reference as it is sent: 4 or 16 bytes.
  package var bytes: [UInt8] {
    switch self {
    case .prefix(let prefix): prefix.bigEndianBytes
    case .full(let replica): replica.bytes
    }
  }

  init(bytes: Data) throws(ModelError) {
    if bytes.count == 4 {
      self = .prefix(words(of: bytes, as: UInt32.self)[0])
    } else if let replica = ReplicaID(bytes: bytes) {
      self = .full(replica)
    } else {
      throw .malformed("a replica reference has 4 or 16 bytes, not \(bytes.count)")
    }
  }
}

extension Carillon_V1_Refusal {
  fileprivate init(_ refusal: SyncRefusal) {
    self.init()
    code = Code(rawValue: refusal.code.rawValue) ?? .UNRECOGNIZED(refusal.code.rawValue)
    run = UInt32(clamping: refusal.run)
    number = refusal.number
    limit = refusal.limit
    text = refusal.text
  }
}

extension SyncRefusal {
  fileprivate init(_ wire: Carillon_V1_Refusal) {
    self.init(
      code: Code(rawValue: wire.code.rawValue), run: Int(wire.run), number: wire.number,
      limit: wire.limit, text: Self.printable(wire.text))
  }
}

extension SyncRefusal {
  /// Returns at most 500 characters of a text, without control characters that a terminal would
  /// obey.
  private static func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }
    return String(String.UnicodeScalarView(scalars.prefix(500)))
  }
}

// MARK: - Bytes

/// Serializes a message.
///
/// Serializing cannot fail, because the messages have no required field and no `Any`.
func serialize(_ message: some SwiftProtobuf.Message) -> [UInt8] {
  do {
    return try message.serializedBytes()
  } catch {
    preconditionFailure("serializing a sync message failed: \(error)")
  }
}

/// Parses bytes received from a peer.
func parse<M: SwiftProtobuf.Message>(
  _ bytes: [UInt8], as name: String
) throws(ModelError) -> M {
  do {
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    return try M(serializedBytes: bytes, options: options)
  } catch {
    throw .malformed("sync \(name): invalid protobuf (\(error))")
  }
}

/// Reads consecutive big-endian numbers; trailing bytes are ignored.
func words<Word: FixedWidthInteger>(of bytes: Data, as type: Word.Type) -> [Word] {
  bytes.withUnsafeBytes { buffer in
    (0..<buffer.count / MemoryLayout<Word>.size).map {
      Word(
        bigEndian: buffer.loadUnaligned(
          fromByteOffset: $0 * MemoryLayout<Word>.size, as: Word.self))
    }
  }
}
