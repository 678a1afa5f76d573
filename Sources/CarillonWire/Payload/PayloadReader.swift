internal import CarillonModel

/// Builds payloads from the fields of their messages; one function a kind, in files by subject.
///
/// A message is first read as any protobuf library reads it: fields that are not known, and known
/// ones of another wire type, are skipped; of a field that is repeated but not `repeated`, the last
/// holds. Then what was read is checked. So generated code comes to the same payload.
enum PayloadReader {
  typealias Bytes = UnsafeRawBufferPointer

  /// The payload of a kind, not yet held against the limits.
  static func payload(
    kind: UInt32, type: WireField.WireType, _ bytes: Bytes
  ) throws(ModelError) -> Payload {
    if kind == 8, type == .bytes { return .entryRecorded(try entryRecorded(bytes)) }
    return try payload(rareKind: kind, type: type, bytes)
  }

  private static func payload(
    rareKind kind: UInt32, type: WireField.WireType, _ bytes: Bytes
  ) throws(ModelError) -> Payload {
    guard type == .bytes || !isKnown(kind) else {
      throw .malformed("the payload's kind \(kind) is no message")
    }
    return switch kind {
    case 1: .habitCreated(try habitFields(bytes))
    case 2: .habitEdited(try habitFields(bytes))
    case 3: .habitArchivedSet(try habitArchivedSet(bytes))
    case 4: .habitDeleted(try habitDeleted(bytes))
    case 5: .habitRestored(try habitRestored(bytes))
    case 6: .slotSet(try slotSet(bytes))
    case 7: .slotRemoved(try slotRemoved(bytes))
    case 9: .entryVoided(try entryVoided(bytes))
    case 10: .dayMarked(try dayMarked(bytes))
    case 11: .pauseSet(try pauseSet(bytes))
    case 12: .snoozeSet(try snoozeSet(bytes))
    case 13: .itemObserved(try itemObserved(bytes))
    case 14: .receiptAdvanced(try receiptAdvanced(bytes))
    case 15: .responseRecorded(try responseRecorded(bytes))
    case 16: .planSubmitted(try planSubmitted(bytes))
    case 17: .appActive(try appActive(bytes))
    case 18: .wakeFinished(try wakeFinished(bytes))
    case 19: .permissionChanged(try permissionChanged(bytes))
    case 20: .permissionAsked(try permissionAsked(bytes))
    case 21: .alertsSet(try alertsSet(bytes))
    case 22: .pushTokenSet(try pushTokenSet(bytes))
    case 23: .pushReceived(try pushReceived(bytes))
    case 24: .deviceDescribed(try deviceDescribed(bytes))
    case 25: .settingsSet(try settingsSet(bytes))
    case 26: .importFinished(try importFinished(bytes))
    case 27: .dataErased(try dataErased(bytes))
    case 28: .branchesClosed(try branchesClosed(bytes))
    default: .unknown(kind: kind)
    }
  }

  /// Whether a field of the payload is a kind that this version knows.
  static func isKnown(_ kind: UInt32) -> Bool {
    switch kind {
    case 1...28: true
    default: false
    }
  }
}

/// What a field holds, checked once its message is read.
extension PayloadReader {
  /// An id that must be there; empty is absent.
  static func identifier<Subject>(
    _ bytes: Bytes?, _ name: StaticString
  ) throws(ModelError) -> Identifier<Subject> {
    guard let bytes, !bytes.isEmpty else { throw .invalid("\(name)", "is missing") }
    guard bytes.count == Identifier<Subject>.byteCount else {
      throw wrongCount(bytes, name, Identifier<Subject>.byteCount)
    }
    return Identifier(loading: bytes)
  }

  /// An id that may be absent, and is `optional` in the grammar.
  static func optionalIdentifier<Subject>(
    _ bytes: Bytes?, _ name: StaticString
  ) throws(ModelError) -> Identifier<Subject>? {
    guard let bytes else { return nil }
    guard bytes.count == Identifier<Subject>.byteCount else {
      throw wrongCount(bytes, name, Identifier<Subject>.byteCount)
    }
    return Identifier(loading: bytes)
  }

  static func eventID(_ bytes: Bytes, _ name: StaticString) throws(ModelError) -> EventID {
    guard bytes.count == EventID.byteCount else {
      throw wrongCount(bytes, name, EventID.byteCount)
    }
    return EventID(loading: bytes)
  }

  /// The case of an enumeration's number; 0 is absent where it stands for nothing.
  static func named<Name: WireNumbered>(
    _ number: Int, _ name: StaticString
  ) throws(ModelError) -> Name {
    guard let value = Name(wireNumber: number) else {
      throw number == 0 ? .invalid("\(name)", "is missing") : noMeaning(number, name)
    }
    return value
  }

  /// Checks that bytes are a message, whatever it says.
  ///
  /// - Parameter read: Reads them.
  /// - Throws: `malformed` where they are none.
  static func requireMessage(_ read: () throws(ModelError) -> Void) throws(ModelError) {
    do {
      try read()
    } catch {
      if error.code == .malformed { throw error }
    }
  }

  @inline(never)
  static func noMeaning(_ number: Int, _ name: StaticString) -> ModelError {
    .invalid("\(name)", "number \(number) has no meaning to this version")
  }

  @inline(never)
  private static func wrongCount(
    _ bytes: Bytes, _ name: StaticString, _ wanted: Int
  ) -> ModelError {
    .invalid("\(name)", "has \(bytes.count) bytes instead of \(wanted)")
  }
}
