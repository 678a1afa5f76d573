import Carillon
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
