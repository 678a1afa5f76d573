import Carillon
import CarillonModel
import CarillonTesting
import Foundation
import Testing

/// How a store detects the storage that a directory uses.
struct StorageDetectionTests {
  @Test("Without a directory there is no storage; an unreadable directory is an error")
  func unreadable() async throws {
    try await withTemporaryDirectory { directory in
      let loop = directory.appending(path: "loop")
      #expect(try Store.Storage(usedIn: loop) == nil)
      #expect(try Store.Storage(usedIn: directory) == nil)
      try FileManager.default.createSymbolicLink(
        atPath: loop.path, withDestinationPath: loop.path)
      let error = #expect(throws: StoreError.self) { try Store.Storage(usedIn: loop) }
      #expect(error?.code == .io && error?.message.contains(loop.path) == true)
      let file = directory.appending(path: "file")
      try Data().write(to: file)
      #expect(try Store.Storage(usedIn: file) == nil)
    }
  }

  #if LMDB
  @Test(
    "What a killed process left of an unfinished store is replaced, on the same or another storage",
    arguments: Store.Storage.allCases, Store.Storage.allCases)
  func unfinished(_ killed: Store.Storage, _ storage: Store.Storage) async throws {
    try await withTemporaryDirectory { directory in
      let (started, place) = (directory.appending(path: "started"), directory.appending(path: "a"))
      let creation = try killed.logs.make(
        at: started, storeID: .random(), replica: .random(), options: LogOptions())
      try FileManager.default.copyItem(at: started, to: place)
      creation.discard()
      #expect(try Store.Storage(usedIn: place) == killed)
      let store = try await Store.create(at: place, replica: "phone", storage: storage)
      try await store.add(Habit("Walk"))
      await store.close()
      #expect(try Store.Storage(usedIn: place) == storage)
      for other in Store.Storage.allCases {
        await #expect {
          try await Store.create(at: place, replica: "phone", storage: other)
        } throws: {
          ($0 as? StoreError)?.code == .alreadyExists
        }
      }
      let again = try await Store.open(at: place)
      #expect(try await again.habits().count == 1)
      await again.close()
    }
  }

  @Test("A build without LMDB says so of a store in LMDB")
  func absent() throws {
    #expect(Store.Storage.lmdb.logs.owns(Store.Storage.lmdbDirectory))
    let directory = URL(filePath: "/stores/phone")
    let error = #expect(throws: StoreError.self) {
      try Store.Storage.requireNoLMDB(in: ["device", "log"], of: directory, by: [.sqlite])
    }
    #expect(error?.code == .unsupportedFormat)
    #expect(error?.message.contains("/stores/phone is stored in LMDB") == true)
    try Store.Storage.requireNoLMDB(in: ["log.sqlite"], of: directory, by: [.sqlite])
  }
  #endif
}
