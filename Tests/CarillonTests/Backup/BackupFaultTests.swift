import Carillon
import CarillonLMDB
import CarillonLog
import CarillonModel
import CarillonTestSupport
import CarillonTesting
import Foundation
import Testing

/// Backups that are damaged, unfinished, in use or in the way.
@Suite struct BackupFaultTests {
  @Test("A changed byte, a cut and a missing file are found, and nothing is restored")
  func damage() async throws {
    try await withBackup { store, backup, clock in
      var random = SeededGenerator(seed: TestSeed.value)
      let target = store.directory.appending(path: "../restored")
      for name in ["events-1", "events-2", "manifest.json"] {
        let file = backup.appending(path: name)
        let intact = try Data(contentsOf: file)
        for _ in 0..<60 {
          var bytes = intact
          let place = Int.random(in: 0..<bytes.count, using: &random)
          if Bool.random(using: &random) {
            bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
          } else {
            bytes = bytes.prefix(place)
          }
          try bytes.write(to: file)
          await #expect(throws: StoreError.self, "\(name) \(place)") {
            try await Store.verifyBackup(at: backup)
          }
        }
        try FileManager.default.removeItem(at: file)
        let error = await #expect(throws: StoreError.self) {
          try await Store.restore(backup, at: target, options: .test(clock))
        }
        #expect([.corrupt, .notFound].contains(try #require(error).code))
        #expect(try #require(error).message.contains(name))
        #expect(!FileManager.default.fileExists(atPath: target.path))
        try intact.write(to: file)
      }
      #expect(try await Store.verifyBackup(at: backup).fileCount == 2)
    }
  }

  @Test("An archive that is cut anywhere is refused")
  func cutArchive() async throws {
    try await withBackup { store, _, clock in
      let archive = store.directory.appending(path: "../backup.tar")
      _ = try await store.backUp(to: archive)
      let intact = try Data(contentsOf: archive)
      for length in stride(from: 0, to: intact.count - 1_024, by: 97) {
        try intact.prefix(length).write(to: archive)
        await #expect(throws: StoreError.self, "\(length)") {
          try await Store.verifyBackup(at: archive)
        }
      }
    }
  }

  @Test("Damaged events at the end are left out and counted, and come once they are repaired")
  func damagedEnd() async throws {
    for count in [1, 3] {
      try await withPhoneAndWatch { phone, watch, clock in
        let walk = try await phone.add(Habit("Walk", .daily(at: ["17:00"])))
        for _ in 0..<4 { try await phone.markDone(walk.id, amount: 1) }
        try await watch.sync(with: phone)
        await phone.close()
        var records: [DamagedFile.Record] = []
        let log = try LMDBEventLog.open(at: phone.directory)
        let own = try log.identity().replica
        try log.scan(after: .start) { raw in
          if raw.replica == own { records.append(DamagedFile.Record(raw)) }
          return true
        }
        await log.close()
        for record in records.suffix(count) {
          try DamagedFile.flip(.content, 1, of: record, in: phone.directory)
        }
        let backup = phone.directory.appending(path: "../backup")
        let again = try await Store.open(at: phone.directory, options: .test(clock))
        let report = try await again.backUp(to: backup)
        #expect(report.missingContentCount == count, "\(report)")
        #expect(try await Store.verifyBackup(at: backup) == report)
        try await again.sync(with: watch, audits: true)
        let repaired = try await again.backUp(to: backup, isIncremental: true)
        #expect(repaired.missingContentCount == 0)
        #expect(try await UInt64(repaired.eventCount) == again.status().eventCount)
        await again.close()
      }
    }
  }

  @Test("Two devices that back up to one directory in turn add each event once")
  func inTurn() async throws {
    try await withPhoneAndWatch { phone, watch, clock in
      let backup = phone.directory.appending(path: "../backup")
      for store in [phone, watch, phone, watch] {
        try await store.add(Habit("Walk", .daily(at: ["17:00"])))
        #expect(try await store.backUp(to: backup, isIncremental: true).addedEventCount > 0)
      }
      #expect(try await phone.backUp(to: backup, isIncremental: true).addedEventCount == 0)
      #expect(try await watch.backUp(to: backup, isIncremental: true).addedEventCount == 0)
      try await phone.sync(with: watch)
      let report = try await phone.backUp(to: backup, isIncremental: true)
      #expect(report.addedEventCount == 0)
      // Each device repeated events of the other that it had before their last sync.
      #expect(try await UInt64(report.eventCount) == phone.status().eventCount)
    }
  }

  @Test("A manifest with a value that cannot be right is refused with the file and the value")
  func wrongValues() async throws {
    try await withBackup { store, backup, clock in
      let file = backup.appending(path: "manifest.json")
      let text = try String(contentsOf: file, encoding: .utf8)
      let line = try #require(text.split(separator: "\n").first)
      let limit = "is 9223372036854775807; 0 to 35184372088832 is allowed"
      for (pattern, value, problem) in [
        (#""events":[0-9]+"#, #""events":9223372036854775807"#, "events of events-1 \(limit)"),
        (#""bytes":[0-9]+"#, #""bytes":9223372036854775807"#, "bytes of events-1 \(limit)"),
        ("events-2", "events-3", #"file 2 is named "events-3" instead of events-2"#),
        (#""heads":\[[^\]]*\]"#, #""heads":[]"#, "events-1 has no heads"),
      ] {
        let changed = line.replacing(try Regex(pattern), with: value)
        let digest = PayloadDigest(Array(changed.utf8)).bytes.map {
          String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }.joined()
        try Data("\(changed)\n{\"sha256\":\"\(digest)\"}\n".utf8).write(to: file)
        let error = await #expect(throws: StoreError.self) {
          try await Store.verifyBackup(at: backup)
        }
        #expect(error?.code == .corrupt, "\(String(describing: error))")
        #expect(error?.message.contains(problem) == true, "\(String(describing: error))")
      }
    }
  }

  @Test("A manifest or a block beyond 64 MiB is refused unread")
  func hugeFiles() async throws {
    try await withBackup { store, backup, clock in
      let manifest = backup.appending(path: "manifest.json")
      for (count, says) in [(64 << 20, "checksum"), (64 << 20 + 1, "at most 67108864")] {
        let before = try Data(contentsOf: manifest)
        #expect(truncate(manifest.path, off_t(count)) == 0)
        try await Self.refuse(backup, says: says)
        try before.write(to: manifest)
      }
      let file = backup.appending(path: "events-1")
      let before = try Data(contentsOf: file)
      // The size of the first block is the first 4 bytes, big-endian.
      try (Data([4, 0, 0, 1]) + before.dropFirst(4)).write(to: file)
      try await Self.refuse(backup, says: "67108865 bytes, is beyond the end or the limit")
    }
  }

  private static func refuse(_ backup: URL, says text: String) async throws {
    let error = await #expect(throws: StoreError.self) { try await Store.verifyBackup(at: backup) }
    #expect(
      error?.code == .corrupt && error?.message.contains(text) == true,
      "\(String(describing: error))")
  }

  @Test("What a killed backup left behind is replaced, and the backup before it is intact")
  func leftovers() async throws {
    try await withBackup { store, backup, clock in
      for name in ["events-3", "manifest.json.new"] {
        try Data("rubbish".utf8).write(to: backup.appending(path: name))
      }
      #expect(try await Store.verifyBackup(at: backup).fileCount == 2)
      #expect(try await store.backUp(to: backup, isIncremental: true).fileCount == 3)
      let names = try FileManager.default.contentsOfDirectory(atPath: backup.path)
      #expect(names.sorted() == ["events-1", "events-2", "events-3", "manifest.json"])
    }
  }

  @Test("While one backup runs, a second one to the same directory ends as busy")
  func busy() async throws {
    try await withBackup { store, backup, clock in
      let descriptor = open(backup.path, O_RDONLY | O_DIRECTORY)
      defer { close(descriptor) }
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      await store.close()
      var options = StoreOptions.test(clock)
      options.busyTimeout = .milliseconds(50)
      let error = await #expect(throws: StoreError.self) {
        try await Store.with(at: store.directory, options: options) {
          try await $0.backUp(to: backup, isIncremental: true)
        }
      }
      #expect(error?.code == .busy)
    }
  }

  @Test("A backup never replaces another one, a foreign directory, or a part of the store")
  func inTheWay() async throws {
    try await withBackup { store, backup, clock in
      let foreign = store.directory.appending(path: "../foreign")
      try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: foreign.appending(path: "file"))
      let other = try await Store.create(
        at: store.directory.appending(path: "../other"), replica: "other", options: .test(clock))
      for (source, place, isIncremental, code) in [
        (store, backup, false, StoreError.Code.alreadyExists),
        (store, foreign, false, .alreadyExists), (store, foreign, true, .alreadyExists),
        (store, store.directory.appending(path: "backup"), false, .alreadyExists),
        (other, backup, true, .otherStore),
        (store, foreign.appending(path: "a.tar"), true, .invalidValue),
      ] {
        let error = await #expect(throws: StoreError.self) {
          try await source.backUp(to: place, isIncremental: isIncremental)
        }
        #expect(error?.code == code && error?.hint != nil, "\(place) \(String(describing: error))")
      }
      let error = await #expect(throws: StoreError.self) {
        try await Store.restore(backup, at: store.directory, options: .test(clock))
      }
      #expect(error?.code == .alreadyExists)
      await other.close()
    }
  }

  @Test("Only the owner can read a backup")
  func modes() async throws {
    try await withBackup { store, backup, clock in
      let archive = store.directory.appending(path: "../backup.tar")
      _ = try await store.backUp(to: archive)
      let names = try FileManager.default.contentsOfDirectory(atPath: backup.path)
      for url in [archive] + names.map({ backup.appending(path: $0) }) {
        #expect(try Self.mode(of: url) == 0o600, "\(url)")
      }
      #expect(try Self.mode(of: backup) == 0o700)
      let existing = store.directory.appending(path: "../existing")
      try FileManager.default.createDirectory(
        at: existing, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      _ = try await store.backUp(to: existing)
      #expect(try Self.mode(of: existing) == 0o700)
    }
  }

  private static func mode(of url: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  /// Runs a body with a small store, and its backup with an increment.
  private func withBackup(_ body: (Store, URL, ManualClock) async throws -> Void) async throws {
    try await withStore { store, clock in
      let backup = store.directory.appending(path: "../backup")
      let walk = try await store.add(Habit("Walk", .daily(at: ["17:00"])))
      _ = try await store.backUp(to: backup)
      for amount in Int64(1)...6 {
        try await store.markDone(walk.id, amount: Amount(integerLiteral: amount))
      }
      _ = try await store.backUp(to: backup, isIncremental: true)
      try await body(store, backup, clock)
    }
  }
}
