import CarillonModel
import Crypto
import Foundation
import Testing

@testable import CarillonSealing

/// `protocol/vectors/sealed.json`: sealed bytes with fixed keys and nonces.
///
/// `tools/python_sealed.py` compares the same file with the rules, without any of our code. If
/// `CARILLON_WRITE_VECTORS` is set in the environment, the file is written instead of compared.
struct SealedVectorTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "protocol/vectors/sealed.json")

  @Test("Sealing with the keys and nonces of the vectors makes their bytes")
  func vectors() throws {
    var produced = try SealedVectors.produced()
    if ProcessInfo.processInfo.environment["CARILLON_WRITE_VECTORS"] != nil {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try (encoder.encode(produced) + Data("\n".utf8)).write(to: Self.file)
    }
    let expected = try Self.read()
    // HPKE takes a random key for each grant, so an epoch is opened, not made again.
    produced.epochs = expected.epochs
    #expect(produced == expected)
  }

  @Test("The epochs of the vectors open, for each of their devices and no other")
  func epochs() throws {
    let vectors = try Self.read()
    #expect(vectors.epochs.count == 2)
    for vector in vectors.epochs {
      let start = try EpochStart(try #require([UInt8](hexadecimal: vector.payload)))
      #expect(start.payload.hexadecimal == vector.payload)
      #expect(start.epoch.bytes.hexadecimal == vector.epoch)
      #expect(start.recipients.map(\.bytes.hexadecimal) == vector.recipients)
      #expect(start.revoked.map(\.bytes.hexadecimal) == vector.revoked)
      for device in vector.devices {
        let device = try DeviceKey(bytes: try #require([UInt8](hexadecimal: device)))
        let key = try start.key(
          for: device, of: Fixtures.store, trusting: [start.author])
        #expect(key.secret.hexadecimal == vector.secret)
      }
      let other = DeviceKey()
      #expect(
        code { () throws(SealingError) in
          try start.key(for: other, of: Fixtures.store, trusting: [start.author])
        } == .notGranted)
    }
  }

  @Test("The payloads of the vectors that are to be refused are refused, for their reason")
  func refusals() throws {
    let ring = try Fixtures.ring(2)
    for refused in try Self.read().refused {
      let payload = try #require([UInt8](hexadecimal: refused.payload))
      #expect(
        code { () throws(SealingError) in try ring.open(payload, at: Fixtures.place) }?.rawValue
          == refused.reason, "\(refused.name)")
    }
  }

  private static func read() throws -> SealedVectors {
    try JSONDecoder().decode(SealedVectors.self, from: Data(contentsOf: file))
  }
}

/// The file; bytes are hexadecimal digits.
struct SealedVectors: Codable, Equatable {
  var about = [
    "Sealed bytes with fixed keys and nonces; protocol/SEALED.md specifies them.",
    "Bytes are hexadecimal digits. Timestamps are whole 64-bit numbers, as text.",
    "The payloads of 'refused' are at the place of the first payload.",
  ]
  var keys: [Key] = []
  var payloads: [Sealed] = []
  var refused: [Refused] = []
  var invitations: [Invitation] = []
  var recovery: [Recovery] = []
  var epochs: [Epoch] = []
  var pairings: [Pairing] = []

  struct Key: Codable, Equatable {
    var store: String
    var number: UInt32
    var secret: String
    var epoch: String
    var payloadKey: String
    var epochKey: String
  }

  struct Sealed: Codable, Equatable {
    var key: Int
    var replica: String
    var sequence: UInt64
    var timestamp: String
    var nonce: String
    var plain: String
    var payload: String
  }

  struct Refused: Codable, Equatable {
    var name: String
    var payload: String
    var reason: String
  }

  struct Invitation: Codable, Equatable {
    var secret: String
    var nonce: String
    var ring: String
    var sealed: String
  }

  struct Recovery: Codable, Equatable {
    var entropy: String
    var words: String
    var privateKey: String
    var publicKey: String
  }

  struct Epoch: Codable, Equatable {
    var epoch: String
    var secret: String
    var author: String
    var recipients: [String]
    var revoked: [String]
    var devices: [String]
    var payload: String
  }

  struct Pairing: Codable, Equatable {
    var joinerKey: String
    var joinerNonce: String
    var holderKey: String
    var holderNonce: String
    var ring: String
    var nonce: String
    var messages: [String]
    var words: [String]
  }
}

// MARK: - Making them

extension SealedVectors {
  static func produced() throws -> SealedVectors {
    var vectors = SealedVectors()
    vectors.keys = [Fixtures.key(1), Fixtures.key(2)].map { key in
      Key(
        store: key.store.description, number: key.epoch.number, secret: key.secret.hexadecimal,
        epoch: key.epoch.bytes.hexadecimal,
        payloadKey: key.payloadKey.withUnsafeBytes { $0.hexadecimal },
        epochKey: key.epochKey.withUnsafeBytes { $0.hexadecimal })
    }
    for (index, count) in [1, 45, 62, 63, 126, 2_000, SealedPayload.maxPayloadBytes].enumerated() {
      vectors.payloads.append(try sealed(count, key: UInt8(index % 2 + 1)))
    }
    vectors.refused = try refused(try #require([UInt8](hexadecimal: vectors.payloads[1].payload)))
    let secret = try #require(InvitationSecret(bytes: bytes(16, 3)))
    let ring = try Fixtures.ring(2)
    vectors.invitations = [
      Invitation(
        secret: secret.bytes.hexadecimal, nonce: bytes(12, 4).hexadecimal,
        ring: ring.bytes.hexadecimal,
        sealed: try secret.seal(ring, nonce: nonce(4)).hexadecimal)
    ]
    for entropy in [bytes(32, 5), [UInt8](repeating: 0, count: 32)] {
      let phrase = RecoveryPhrase(entropy: entropy)
      let device = try phrase.deviceKey
      vectors.recovery.append(
        Recovery(
          entropy: entropy.hexadecimal, words: phrase.words.joined(separator: " "),
          privateKey: device.bytes.hexadecimal,
          publicKey: device.publicKey.bytes.hexadecimal))
    }
    vectors.epochs = try epochs()
    vectors.pairings = [try pairing(ring)]
    return vectors
  }

  private static func bytes(_ count: Int, _ start: UInt8) -> [UInt8] {
    (0..<count).map { start &+ UInt8(truncatingIfNeeded: $0 &* 7) }
  }

  private static func nonce(_ start: UInt8) throws -> ChaChaPoly.Nonce {
    try ChaChaPoly.Nonce(data: bytes(12, start))
  }

  private static func sealed(_ count: Int, key: UInt8) throws -> Sealed {
    let (place, start) = (Fixtures.place, UInt8(truncatingIfNeeded: count))
    let plain = bytes(count, start)
    let sealed = try SealedPayload(
      sealing: plain, with: Fixtures.key(key), at: place, nonce: nonce(start))
    return Sealed(
      key: Int(key) - 1, replica: place.replica.description, sequence: place.sequence.rawValue,
      timestamp: "\(place.timestamp.rawValue)", nonce: bytes(12, start).hexadecimal,
      plain: plain.hexadecimal, payload: sealed.bytes.hexadecimal)
  }

  /// Payloads that are refused, made of one that is sealed with the second key.
  private static func refused(_ sealed: [UInt8]) throws -> [Refused] {
    var (changed, epoch, form) = (sealed, sealed, sealed)
    changed[changed.count - 1] ^= 1
    epoch[7] ^= 1
    form[3] = 9
    let place = Fixtures.place
    let next = SealedPlace(
      store: place.store, replica: place.replica, sequence: place.sequence.next,
      timestamp: place.timestamp)
    let moved = try SealedPayload(
      sealing: [1, 2, 3], with: Fixtures.key(2), at: next, nonce: nonce(6))
    // The length in two bytes, where one is enough.
    let long = [0xFA, 0x01, sealed[2] | 0x80, 0x00] + sealed[3...]
    return [
      ("a changed tag", changed, "damaged"), ("of the next event", moved.bytes, "damaged"),
      ("of an unknown epoch", epoch, "unknownEpoch"), ("of a later form", form, "unsupported"),
      ("a length that is not the shortest", long, "damaged"),
      ("cut", Array(sealed.dropLast()), "damaged"),
      ("plain", [0x8A, 0x01, 0x02, 0x08, 0x01], "notSealed"),
    ].map { Refused(name: $0, payload: $1.hexadecimal, reason: $2) }
  }

  private static func epochs() throws -> [Epoch] {
    let phrase = RecoveryPhrase(entropy: bytes(32, 5))
    let (paper, phone) = (try phrase.deviceKey, try DeviceKey(bytes: bytes(32, 7)))
    let (watch, lost) = (try DeviceKey(bytes: bytes(32, 8)), try DeviceKey(bytes: bytes(32, 9)))
    let starts: [(SealingKey, DeviceKey, [DeviceKey], [DeviceKey])] = [
      (Fixtures.key(1), paper, [paper, phone], []),
      (Fixtures.key(2), phone, [paper, phone, watch], [lost]),
    ]
    return try starts.map { key, author, devices, revoked in
      let start = try EpochStart(
        of: key, by: author, to: Set(devices.map(\.publicKey)),
        revoking: Set(revoked.map(\.publicKey)))
      return Epoch(
        epoch: key.epoch.bytes.hexadecimal, secret: key.secret.hexadecimal,
        author: author.publicKey.bytes.hexadecimal,
        recipients: start.recipients.map(\.bytes.hexadecimal),
        revoked: start.revoked.map(\.bytes.hexadecimal),
        devices: devices.map(\.bytes.hexadecimal), payload: start.payload.hexadecimal)
    }
  }

  private static func pairing(_ ring: KeyRing) throws -> Pairing {
    let (new, old) = (try DeviceKey(bytes: bytes(32, 10)), try DeviceKey(bytes: bytes(32, 11)))
    let joiner = PairingJoiner(device: new, nonce: bytes(32, 12))
    let commitment = joiner.commitment
    let holder = try PairingHolder(
      commitment, sharing: ring, device: old, nonce: bytes(32, 13))
    let answer = holder.answer
    let answered = try joiner.receive(answer)
    let (opening, first) = (answered.opening, answered.words)
    let opened = try holder.receive(opening)
    let (sealed, last) = try opened.confirm(
      PairingWords(first.joined(separator: " ")), nonce: nonce(14))
    return Pairing(
      joinerKey: new.bytes.hexadecimal, joinerNonce: bytes(32, 12).hexadecimal,
      holderKey: old.bytes.hexadecimal, holderNonce: bytes(32, 13).hexadecimal,
      ring: ring.bytes.hexadecimal, nonce: bytes(12, 14).hexadecimal,
      messages: [commitment, answer, opening, sealed].map(\.hexadecimal), words: first + last)
  }
}
