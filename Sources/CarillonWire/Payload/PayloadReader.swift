internal import CarillonModel

/// Builds payloads from the fields of their messages; one function a kind, in files by subject.
///
/// Fields that are not known, and known ones of another wire type, are skipped as protobuf has it;
/// of a field that is repeated but not `repeated`, the last holds.
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
    default: .unknown(kind: kind)
    }
  }

  private static func isKnown(_ kind: UInt32) -> Bool {
    switch kind {
    case 1...27: true
    default: false
    }
  }
}
