import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// After compacting, the files contain nothing that was erased.
@Suite struct CompactionTests {
  private static let secret = "Zephyr und Quitte"

  @Test("The title of an erased habit is in no file after compacting, and the state is unchanged")
  func nothingInFiles() async throws {
    try await withStore { store, clock in
      let walk = try await store.add(Habit(Self.secret, .daily(at: ["17:00"])))
      #expect(try await store.plan().requests.contains { $0.content.title == Self.secret })
      try await store.edit(walk.id) { $0.notes = "\(Self.secret), once more" }
      for number in 1...400 { try await store.add(Habit("Read \(number)", .daily(at: ["17:00"]))) }
      try await store.erase(.habit(walk.id))
      _ = try await store.plan()
      let (digest, position) = (try await store.stateDigest(), try store.lastPosition())
      await store.close()
      let dry = try await Store.compact(
        at: store.directory, isDryRun: true, options: .test(clock))
      #expect(dry.bytesAfter == nil && dry.expiredCount == 0)
      let report = try await Store.compact(at: store.directory, options: .test(clock))
      #expect(report.written.events.isEmpty)
      #expect(try #require(report.bytesAfter) < report.bytesBefore)
      #expect(try Self.files(in: store.directory, holding: Self.secret) == [])
      #expect(try Self.files(in: store.directory, holding: "Read 7") != [])
      let again = try await Store.open(at: store.directory, options: .test(clock))
      #expect(try await again.stateDigest() == digest)
      #expect(try again.lastPosition() == position)
      #expect(try await again.verify() == [])
      try await again.markDone(try #require(try await again.habits().first).id)
      await again.close()
    }
  }

  @Test("Expired facts are removed, retained facts are not, and the dry run counts them")
  func expiredFacts() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      for part in 0..<13 {
        clock.advance(seconds: 60)
        let items = (part * 100..<part * 100 + 100).map { FetchedItem(id: "\($0)", title: "x") }
        _ = try await phone.ingest(items, from: "github")
      }
      clock.advance(seconds: 60)
      try await phone.sync(with: watch)
      let (receipts, digest) = (
        try await phone.receipts(limit: 5_000), try await phone.stateDigest()
      )
      await phone.close()
      let dry = try await Store.compact(
        at: phone.directory, isDryRun: true, options: .test(clock))
      let report = try await Store.compact(at: phone.directory, options: .test(clock))
      #expect(dry.expiredCount != 0)
      #expect(report.expiredCount == dry.expiredCount)
      #expect(report.payloadCount == dry.expiredCount)
      let again = try await Store.open(at: phone.directory, options: .test(clock))
      #expect(try await again.receipts(limit: 5_000) == receipts)
      #expect(try await again.stateDigest() != digest)
      try await again.sync(with: watch)
      #expect(try await again.stateDigest() == watch.stateDigest())
      #expect(try await watch.receipts(limit: 5_000) == receipts)
      #expect(try await watch.verify() == [])
      await again.close()
      let twice = try await Store.compact(at: phone.directory, options: .test(clock))
      #expect(twice.expiredCount == 0 && twice.payloadCount == 0)
    }
  }

  @Test("A store that a process has open is not compacted, and keeps working")
  func busy() async throws {
    try await withStore { store, clock in
      var options = StoreOptions.test(clock)
      options.busyTimeout = .zero
      let impatient = options
      await #expect {
        _ = try await Store.compact(at: store.directory, options: impatient)
      } throws: { ($0 as? StoreError)?.code == .busy }
      try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      #expect(try await store.verify() == [])
    }
  }

  /// Returns the names of the files that contain a text's bytes.
  static func files(in directory: URL, holding text: String) throws -> [String] {
    let names = try #require(FileManager.default.enumerator(atPath: directory.path))
    return try names.compactMap { $0 as? String }.filter { name in
      let path = directory.appending(path: name).path
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
        !isDirectory.boolValue
      else { return false }
      return try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
    }
  }
}
