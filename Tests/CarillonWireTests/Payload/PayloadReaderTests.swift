import CarillonModel
import CarillonTestSupport
import Foundation
import SwiftProtobuf
import Testing

@testable import CarillonWire

/// Payloads that Carillon's own writer would not write, but another writer or an accident may.
@Suite("Payloads from other writers")
struct PayloadReaderTests {
  /// Compares the reader with generated code on altered payloads.
  ///
  /// Valid payloads are taken apart into fields, which are repeated, dropped, shuffled, damaged and
  /// mixed with unknown ones. Both readers must decode the same payloads, even if one of them fails
  /// or the result breaks a limit.
  @Test("Generated code and a check of limits read the same payloads", arguments: 0..<20)
  func agreesWithGenerated(seed: UInt64) throws {
    var generator = PayloadGenerator(SeededGenerator(seed: seed))
    var (readCount, silentCount) = (0, 0)
    for _ in 0..<150 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...2, using: &generator.random) {
        let payload = try generator.encode(generator.payload())
        // An unknown kind need not be a valid message.
        bytes += (try? generator.disturbed(payload)) ?? payload
      }
      for _ in 0..<Int.random(in: 0...2, using: &generator.random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator.random)
        bytes[index] = UInt8.random(in: 0...255, using: &generator.random)
      }
      let read = (try? PayloadCoding.decode(bytes))?.withoutStrangers
      let hexadecimal = bytes.hexadecimal
      #expect(read == Self.generatedReading(of: bytes), "seed \(seed): \(hexadecimal)")
      if read == nil { silentCount += 1 } else { readCount += 1 }
    }
    #expect(readCount > 20 && silentCount > 20, "seed \(seed)")
  }

  /// Returns what generated code decodes, re-encoded in Carillon's own form and decoded again.
  private static func generatedReading(of bytes: [UInt8]) -> Payload? {
    guard var message = try? Carillon_V1_Payload(serializedBytes: bytes), message.kind != nil
    else { return nil }
    message.unknownFields = UnknownStorage()
    guard let canonical: [UInt8] = try? message.serializedBytes() else { return nil }
    return (try? PayloadCoding.decode(canonical))?.withoutStrangers
  }

  @Test(
    "Randomly damaged bytes never crash, and every decoded payload can be encoded",
    arguments: 0..<20)
  func damaged(seed: UInt64) throws {
    var generator = PayloadGenerator(SeededGenerator(seed: seed))
    for _ in 0..<200 {
      var bytes = try generator.encode(generator.payload())
      for _ in 0..<Int.random(in: 1...5, using: &generator.random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator.random)
        switch Int.random(in: 0...3, using: &generator.random) {
        case 0: bytes.remove(at: index)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator.random), at: index)
        case 2: bytes.removeLast(Swift.min(bytes.count, index % 7))
        default: bytes[index] = UInt8.random(in: 0...255, using: &generator.random)
        }
      }
      guard let payload = try? PayloadCoding.decode(bytes) else { continue }
      if case .unknown = payload { continue }
      let written = try PayloadCoding.encode(payload)
      #expect(try PayloadCoding.decode(written) == payload, "seed \(seed)")
    }
  }

  @Test("The last kind counts, and a repeated kind is merged")
  func severalKinds() throws {
    let active: [UInt8] = [0x8A, 0x01, 0x02, 0x08, 0x04]
    let asked: [UInt8] = [0xA2, 0x01, 0x02, 0x08, 0x02]
    let outcome: [UInt8] = [0xA2, 0x01, 0x02, 0x10, 0x01]
    let prompted = PermissionAsked(step: .prompted, outcome: .yes)
    #expect(try PayloadCoding.decode(active + asked + outcome) == .permissionAsked(prompted))
    #expect(
      try PayloadCoding.decode(asked + active) == .appActive(AppActive(date: .init(rawValue: 2))))
    #expect(throws: ModelError.self) { try PayloadCoding.decode(asked + active + outcome) }
  }

  @Test("An unknown field neither hides a kind nor stops its merging")
  func strangersBesideKinds() throws {
    let asked: [UInt8] = [0xA2, 0x01, 0x02, 0x08, 0x02]
    let outcome: [UInt8] = [0xA2, 0x01, 0x02, 0x10, 0x01]
    let prompted = PermissionAsked(step: .prompted, outcome: .yes)
    for stranger: [UInt8] in [
      [0xE0, 0x01, 0x01], [0x18, 0x05], [0xE3, 0x01, 0x08, 1, 0xE4, 0x01],
    ] {
      let bytes = asked + stranger + outcome + stranger
      #expect(try PayloadCoding.decode(bytes) == .permissionAsked(prompted))
      #expect(try bytes.withUnsafeBytes { try PayloadCoding.kind(of: $0) } == .permissionAsked)
    }
    let kind = UInt32(Payload.Kind.allCases.count + 1)
    let unknown = [0x18, 0x05, UInt8(kind << 3 & 0x7F | 0x80), UInt8(kind >> 4), 0x01]
    #expect(try PayloadCoding.decode(unknown) == .unknown(kind: kind))
    #expect(throws: ModelError.self) { try PayloadCoding.decode([0xE0, 0x01, 0x01, 0x18, 0x05]) }
  }

  @Test("A schedule keeps unknown rules, and ignores unknown fields")
  func scheduleKeepsStrangers() throws {
    let id = [UInt8](repeating: 7, count: 16)
    func schedule(_ fields: [UInt8]...) -> [UInt8] {
      let content = [0x0A, 16] + id + [0x12, 16] + id + fields.flatMap { $0 }
      return [0x32, UInt8(content.count)] + content
    }
    let stranger: [UInt8] = [0xA2, 0x01, 0x02, 0x41, 0x42]
    let newRule: [UInt8] = [0x82 + 8 * 8, 0x02, 0x01, 0x61]
    let newField: [UInt8] = [0x8A, 0x02, 0x04, 0x08, 0x01, 0x10, 0x02]
    let newBase: [UInt8] = [0xAA, 0x02, 0x06, 0x18, 0x02, 0xA2, 0x02, 0x01, 0x61]
    let newCrossing: [UInt8] = [0xB2, 0x02, 0x08, 0x08, 0x02, 0x10, 0x02, 0x18, 0x01, 0x20, 0x02]
    for rule in [newRule, newField, newBase, newCrossing] {
      let bytes = schedule(rule, stranger)
      let payload = try PayloadCoding.decode(bytes)
      guard case .scheduleSet(let set) = payload else { throw Failure.notASlot }
      guard case .unknown = set.schedule.rule else { throw Failure.notASlot }
      #expect(try PayloadCoding.encode(payload) == schedule(rule))
    }
  }

  @Test("An edit may name unknown fields")
  func strangeEdit() throws {
    let content = [0x0A, 16] + [UInt8](repeating: 7, count: 16) + [0x7A, 2, 4, 99, 0x80, 0x01, 1]
    let payload = try PayloadCoding.decode([0x12, UInt8(content.count)] + content)
    let habit = HabitID(high: 0x0707_0707_0707_0707, low: 0x0707_0707_0707_0707)
    #expect(payload == .habitEdited(HabitFields(habit: habit, values: [.unit: .none])))
  }

  @Test("A field cannot be both set and cleared")
  func setAndCleared() {
    let content = [0x0A, 16] + [UInt8](repeating: 7, count: 16) + [0x22, 1, 0x61, 0x78, 4]
    #expect(throws: ModelError.invalid("unit", "is both set and cleared")) {
      try PayloadCoding.decode([0x12, UInt8(content.count)] + content)
    }
  }

  private enum Failure: Error {
    case notASlot
  }
}

extension Payload {
  /// Nil if the payload is unreadable.
  ///
  /// An unknown rule is compared without its bytes, because generated code writes unknown fields
  /// last.
  fileprivate var withoutStrangers: Payload? {
    switch self {
    case .unknown: return nil
    case .scheduleSet(var set):
      if case .unknown(let number, _) = set.schedule.rule {
        set.schedule.rule = .unknown(number: number, bytes: [])
      }
      return .scheduleSet(set)
    default: return self
    }
  }
}

extension PayloadGenerator {
  /// Returns the same payload in another encoding, or a similar one.
  fileprivate mutating func disturbed(_ bytes: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { raw in
      var outer = WireReader(raw)
      guard let kind = try outer.next() else { return bytes }
      var fields: [[UInt8]] = []
      var reader = WireReader(kind.bytes)
      while let field = try reader.next() { fields.append([UInt8](field.whole)) }
      let strangers: [[UInt8]] = [
        [0xF8, 0x07, 0x05], [0xFA, 0x07, 0x02, 0x41, 0x42], [0xFD, 0x07, 1, 2, 3, 4],
        [0xF9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8], [0x08, 0x01], [0x12, 0x00],
      ]
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        fields +=
          [strangers, fields].randomElement(using: &random)?.randomElement(using: &random)
          .map { [$0] } ?? []
      }
      fields.shuffle(using: &random)
      let cut = fields.count < 2 ? 0 : Int.random(in: 0...fields.count, using: &random)
      let parts = Bool.random(using: &random) ? [fields[..<cut], fields[cut...]] : [fields[...]]
      return parts.flatMap { part in
        varint(UInt64(kind.number) << 3 | 2) + varint(UInt64(part.joined().count))
          + part.flatMap { $0 }
      }
    }
  }

  private func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }
}
