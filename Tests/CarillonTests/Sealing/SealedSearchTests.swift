import Carillon
import CarillonModel
import CarillonSync
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// The search of what a replica without keys has, for what nobody but the devices may read.
struct SealedSearchTests {
  private static let words = ["Ravenously", "Quixotic", "Zanzibar", "Europe/Berlin"]

  @Test(
    "Its files and its backup have no title, note, name or zone, in any encoding, also inflated",
    arguments: [Store.Storage.lmdb, .sqlite])
  func search(_ storage: Store.Storage) async throws {
    try await withTemporaryDirectory { directory in
      let clock = ManualClock("2026-11-23T08:00:00Z")
      // What is found in a plain store shows that the search can find something.
      for isSealed in [false, true] {
        let place = directory.appending(path: "\(isSealed)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try await Self.fill(place, storage, isSealed: isSealed, clock)
        for name in ["hub", "backup"] {
          let bytes = try Self.bytes(in: place.appending(path: name))
          for word in Self.words {
            let found = Self.encodings(of: word).filter { bytes.range(of: $0) != nil }
            #expect(found.isEmpty == isSealed, "\(name) of a sealed store: \(isSealed), \(word)")
          }
        }
      }
    }
  }

  @Test("A word is found in each encoding, wherever it begins")
  func encodings() throws {
    for word in Self.words {
      for prefix in ["", "a", "ab", "abc"] {
        let text = prefix + word + "zz"
        let bytes = Data(text.utf8)
        let texts = [
          bytes, bytes.base64EncodedData(), Data(Array(text.utf8).hexadecimal.utf8),
          try #require(text.data(using: .utf16LittleEndian)),
          try #require(text.data(using: .utf16BigEndian)),
        ]
        for text in texts {
          #expect(Self.encodings(of: word).contains { text.range(of: $0) != nil }, "\(word)")
        }
      }
    }
  }

  /// Makes a store with the words, and a replica of it, without keys if it is sealed, and backs
  /// that one up.
  private static func fill(
    _ place: URL, _ storage: Store.Storage, isSealed: Bool, _ clock: ManualClock
  ) async throws {
    let (device, options) = (place.appending(path: "phone"), StoreOptions.test(clock))
    let phone =
      if isSealed {
        try await Store.createSealed(at: device, replica: "Zanzibar", options: options).store
      } else {
        try await Store.create(at: device, replica: "Zanzibar", options: options)
      }
    let habit = try await phone.add(Habit("Ravenously", .daily(at: ["17:00"])))
    try await phone.setNote("Quixotic", of: habit.id, on: .today)
    var keyless = options
    keyless.mayLackKeys = true
    let hub = try await Store.clone(
      phone, at: place.appending(path: "hub"), replica: "hub", role: .server, storage: storage,
      options: keyless
    ).store
    try await phone.markDone(habit.id)
    try await phone.sync(with: hub)
    try await hub.backUp(to: place.appending(path: "backup"))
    await phone.close()
    await hub.close()
  }

  /// All bytes of the files in a directory, and what their deflated parts inflate to.
  private static func bytes(in directory: URL) throws -> Data {
    var all = Data()
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    for name in names {
      guard let bytes = try? Data(contentsOf: directory.appending(path: name)) else { continue }
      all += bytes + inflated(Array(bytes))
    }
    try #require(all.count > 1_000)
    return all
  }

  /// What the parts of a file inflate to that follow their length, as the blocks of backups do.
  private static func inflated(_ bytes: [UInt8]) -> [UInt8] {
    var (found, start): ([UInt8], Int) = ([], 0)
    while start + 4 < bytes.count {
      let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let end = start + 4 + length
      if length > 8, end <= bytes.count,
        let plain = Deflate.inflated(Array(bytes[(start + 4)..<end]), limit: 1 << 20)
      {
        found += plain
        start = end
      } else {
        start += 1
      }
    }
    return found
  }

  /// A text in UTF-8 and UTF-16 of both orders, in hexadecimal digits of both cases, and in base64
  /// at each of three offsets, without the digits that depend on what is around it.
  private static func encodings(of word: String) -> [Data] {
    let utf8 = Array(word.utf8)
    let digits = utf8.hexadecimal
    let base64 = (0..<3).map { offset in
      let bytes = Data([UInt8](repeating: 0, count: offset) + utf8)
      let (first, last) = ((8 * offset + 5) / 6, 8 * bytes.count / 6)
      return Data(bytes.base64EncodedString().utf8)[first..<last]
    }
    let utf16 = [String.Encoding.utf16LittleEndian, .utf16BigEndian].compactMap {
      word.data(using: $0)
    }
    return [Data(utf8), Data(digits.utf8), Data(digits.uppercased().utf8)] + utf16 + base64
  }
}
