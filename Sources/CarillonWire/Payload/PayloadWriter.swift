internal import CarillonModel
internal import Foundation
internal import SwiftProtobuf

/// Writes payloads through the generated messages.
enum PayloadWriter {
  static func bytes(of payload: Payload) throws(ModelError) -> [UInt8] {
    switch payload {
    case .slotSet(let set): try bytes(ofSlot: set, payload)
    case .unknown(let kind):
      throw .invalid("payload", "kind \(kind) is not known to this version and cannot be written")
    default: try serialized(message(payload))
    }
  }

  /// A slot may hold what the generated messages cannot: its bytes go behind theirs.
  private static func bytes(ofSlot set: SlotSet, _ payload: Payload) throws(ModelError) -> [UInt8] {
    var content = try serialized(slotSet(set))
    if case .unknown(let number, let rule) = set.slot.rule {
      guard PayloadReader.ruleNumbers.contains(number) else {
        throw .invalid("rule", "number \(number) is out of range; rules are 32 to 47")
      }
      content.append(field: number, rule)
    }
    content += set.slot.unknownFields
    var bytes: [UInt8] = []
    bytes.append(field: payload.kindNumber, content)
    guard try PayloadCoding.decode(bytes) == payload else {
      throw .invalid("slot", "keeps fields or a rule that this version knows under other names")
    }
    return bytes
  }

  private static func serialized(_ message: some Message) throws(ModelError) -> [UInt8] {
    do {
      return try message.serializedBytes()
    } catch {
      throw .invalid("payload", "cannot be written: \(error)")
    }
  }

  /// The generated message of a payload.
  ///
  /// Of an unknown rule and of unknown fields nothing is in it.
  static func message(_ payload: Payload) -> Carillon_V1_Payload {
    var message = Carillon_V1_Payload()
    message.kind =
      switch payload {
      case .habitCreated(let fields): .habitCreated(habitFields(fields))
      case .habitEdited(let fields): .habitEdited(habitFields(fields))
      case .habitArchivedSet(let set):
        .habitArchivedSet(
          .with {
            $0.habit = data(set.habit)
            $0.archived = set.isArchived
          })
      case .habitDeleted(let deleted): .habitDeleted(.with { $0.habit = data(deleted.habit) })
      case .habitRestored(let restored):
        .habitRestored(
          .with {
            $0.habit = data(restored.habit)
            $0.deletes = restored.deletes.map { Data($0.bytes) }
          })
      case .slotSet(let set): .slotSet(slotSet(set))
      case .slotRemoved(let removed):
        .slotRemoved(
          .with {
            $0.habit = data(removed.habit)
            $0.slot = data(removed.slot)
          })
      case .entryRecorded(let entry): .entryRecorded(entryRecorded(entry))
      case .entryVoided(let voided): .entryVoided(entryVoided(voided))
      case .dayMarked(let marked): .dayMarked(dayMarked(marked))
      case .pauseSet(let pause): .pauseSet(pauseSet(pause))
      case .appActive(let active): .appActive(.with { $0.date = active.date.rawValue })
      case .permissionChanged(let changed): .permissionChanged(permissionChanged(changed))
      case .permissionAsked(let asked): .permissionAsked(permissionAsked(asked))
      case .alertsSet(let alerts): .alertsSet(alertsSet(alerts))
      case .deviceDescribed(let device): .deviceDescribed(deviceDescribed(device))
      case .itemObserved, .receiptAdvanced, .responseRecorded, .wakeFinished, .pushTokenSet,
        .pushReceived, .importFinished:
        laterKind(payload)
      case .snoozeSet(let set): .snoozeSet(snoozeSet(set))
      case .planSubmitted(let submitted): .planSubmitted(planSubmitted(submitted))
      case .settingsSet(let set): .settingsSet(settingsSet(set))
      case .dataErased(let erasure): .dataErased(dataErased(ErasureParts(erasure)))
      case .branchesClosed(let closed): .branchesClosed(branchesClosed(closed))
      case .unknown: nil
      }
    return message
  }

  static func data<Subject>(_ id: Identifier<Subject>) -> Data { Data(id.bytes) }

  /// The generated case of a name; both have the same number.
  static func named<Name: SwiftProtobuf.Enum>(_ name: some WireNumbered) -> Name
  where Name.RawValue == Int {
    Name(rawValue: name.wireNumber) ?? Name()
  }
}

extension [UInt8] {
  /// Appends a field of wire type 2.
  fileprivate mutating func append(field number: UInt32, _ content: [UInt8]) {
    append(varint: UInt64(number) << 3 | 2)
    append(varint: UInt64(content.count))
    append(contentsOf: content)
  }

  private mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
