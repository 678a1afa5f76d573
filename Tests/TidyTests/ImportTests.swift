import Testing

/// Dependencies point downward only: each module imports only what its ring allows.
struct ImportTests {
  private static let systems: Set = [
    "Foundation", "Dispatch", "Synchronization", "Glibc", "Musl", "Darwin",
  ]

  private static let rings: [String: Set<String>] = [
    "CarillonModel": ["Foundation", "BitCollections", "CHash", "Crypto", "HeapModule", "Logging"],
    "CarillonThreads": ["Dispatch", "Synchronization"],
    "CarillonWire": ["Foundation", "CarillonModel", "SwiftProtobuf"],
    "CarillonSync": ["Foundation", "CarillonModel", "CarillonWire", "CZlib"],
    "CarillonSealing": ["Foundation", "CarillonModel", "Crypto"],
    "CarillonLog": systems.union(["CarillonModel", "CarillonThreads", "CFiles"]),
    "CarillonLMDB": systems.union(["CarillonModel", "CarillonLog", "CLMDB", "Logging"]),
    "CarillonSQLiteVFS": ["Foundation", "GRDBSQLite"],
    "CarillonSQLiteLog": systems.union([
      "CarillonModel", "CarillonLog", "CarillonSQLiteVFS", "GRDBSQLite", "Logging",
    ]),
    "CarillonHub": ["CarillonModel", "CarillonLog", "CarillonWire"],
    "CarillonPostgres": systems.union([
      "CarillonModel", "CarillonHub", "CarillonLog", "CarillonSync", "CarillonThreads", "CPostgres",
    ]),
    "CarillonHubFiles": systems.union([
      "CarillonModel", "CarillonHub", "CarillonLog", "CarillonSQLiteLog", "CarillonThreads", "GRDB",
    ]),
    "CarillonSQLite": systems.union([
      "CarillonModel", "CarillonSQLiteVFS", "CarillonThreads", "CarillonWire", "GRDBSQLite",
      "Logging",
    ]),
    "Carillon": systems.union([
      "CarillonModel", "CarillonWire", "CarillonSync", "CarillonSealing", "CarillonLog",
      "CarillonLMDB", "CarillonSQLiteLog", "CarillonSQLite", "Logging",
    ]),
    "CarillonDocuments": [
      "Foundation", "Carillon", "CarillonImport", "CarillonModel", "CarillonSync", "CHeap",
    ],
    "CarillonAccess": systems.union([
      "Carillon", "CarillonDocuments", "CarillonLog", "CarillonModel", "Crypto",
    ]),
    "CarillonImport": systems.union([
      "Carillon", "CarillonModel", "CarillonSQLite", "CarillonThreads", "GRDBSQLite",
    ]),
    "CarillonTesting": systems.union([
      "Testing", "CarillonModel", "CarillonWire", "CarillonSync", "CarillonLog", "CarillonSQLite",
      "Carillon", "Logging",
    ]),
    "CarillonUserNotifications": [
      "Foundation", "CarillonModel", "UserNotifications", "CoreLocation",
    ],
    "CarillonCLI": systems.union([
      "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonImport", "CarillonLog",
      "CarillonModel", "CarillonSync", "CarillonThreads", "ArgumentParser", "Subprocess", "System",
      "SystemPackage",
    ]),
    "CarillonService": systems.union([
      "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonHub", "CarillonImport",
      "CarillonLog", "CarillonModel", "CarillonSync", "CarillonThreads", "CarillonWire", "Crypto",
      "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging", "Metrics", "NIOCore",
      "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "ServiceLifecycle",
    ]),
    "CarillonLink": systems.union([
      "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonModel", "ArgumentParser",
      "HTTPTypes", "NIOCore", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOPosix", "NIOSSL",
    ]),
    "CarillonServe": systems.union([
      "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonHub", "CarillonLog",
      "CarillonModel", "CarillonHubFiles", "CarillonPostgres", "CarillonService", "ArgumentParser",
      "Configuration", "Hummingbird", "HummingbirdCore", "HummingbirdTLS", "Logging",
      "NIOCertificateReloading", "NIOCore", "NIOPosix", "NIOSSL", "ServiceLifecycle", "Subprocess",
      "System", "SystemPackage",
    ]),
  ]

  /// Libraries that only one module imports, so that they can be replaced there.
  private static let keepers: [String: Set<String>] = [
    "SwiftProtobuf": ["CarillonWire", "CarillonWireTests"],
    "CLMDB": ["CarillonLMDB", "CarillonLMDBTests"],
    "CPostgres": ["CarillonPostgres"],
    "CFiles": ["CarillonLog"],
    "CHeap": ["CarillonDocuments"],
    "CHash": ["CarillonModel"],
    "CZlib": ["CarillonSync"],
    "GRDB": ["CarillonHubFiles", "CarillonSQLiteTests", "CarillonTests"],
    "GRDBSQLite": [
      "CarillonSQLiteVFS", "CarillonSQLite", "CarillonSQLiteLog", "CarillonImport",
      "CarillonSQLiteTests",
    ],
    "ArgumentParser": ["CarillonCLI", "CarillonCLITests", "CarillonLink", "CarillonServe"],
    "Subprocess": ["CarillonCLI", "CarillonServe", "CarillonTestSupport"],
  ]

  @Test("A module imports only what its ring allows", arguments: SourceTree.sources)
  func rings(_ file: SourceFile) throws {
    let allowed = try #require(Self.rings[file.module], "\(file.module) has no ring")
    let refused = Self.imports(of: file).subtracting(allowed)
    #expect(refused.isEmpty, "\(file.path) imports \(refused.sorted())")
  }

  @Test("Only one file of the store imports the adapters of storages")
  func storages() {
    for file in SourceTree.sources where file.module == "Carillon" {
      let named = Self.imports(of: file).intersection(["CarillonLMDB", "CarillonSQLiteLog"])
      #expect(
        named.isEmpty || file.path == "Sources/Carillon/Store+Storage.swift",
        "\(file.path) imports \(named.sorted())")
    }
  }

  @Test("A library is imported only by the module that owns it")
  func keepers() {
    for file in SourceTree.sources + SourceTree.tests {
      for name in Self.imports(of: file) {
        guard let allowed = Self.keepers[name] else { continue }
        #expect(allowed.contains(file.module), "\(file.path) imports \(name)")
      }
    }
  }

  @Test("An import is recognised with attributes, access levels and kinds before the module's name")
  func parsing() {
    let text = """
      import A
      internal import B
      @preconcurrency public import C
      public import struct D.Thing
      // import E
      """
    #expect(Self.imports(of: SourceFile(path: "X.swift", text: text)) == ["A", "B", "C", "D"])
  }

  private static let kinds: Set = [
    "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
  ]

  private static func imports(of file: SourceFile) -> Set<String> {
    Set(
      file.code.compactMap { line in
        var words = line.split(separator: " ").filter { !$0.hasPrefix("@") }[...]
        guard let keyword = words.firstIndex(of: "import"), keyword <= 1 else { return nil }
        words = words[(keyword + 1)...]
        if words.count > 1, let kind = words.first, kinds.contains(String(kind)) {
          words.removeFirst()
        }
        return words.first.map { String($0.prefix { $0 != "." }) }
      })
  }
}
