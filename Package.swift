// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

// A second way into SQLite's files, for tests.
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
// SQLite's C API: projections bind and step directly.
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
// The wire format of payloads and sync messages.
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
// SHA-256, where the processor has no instructions for it.
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
// The heap that merges occurrences in the planner.
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
// The sets of dates behind the statistics.
let bits = Target.Dependency.product(name: "BitCollections", package: "swift-collections")
// Logging of repairs and retries; the host chooses the handler.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
// The command line: verbs, flags, help, completions.
let arguments = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
// Programs that the command line starts: ssh, notify-send.
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
// The HTTP server of the service, what starts and stops with it, and its numbers.
let hummingbird = [
  service("Hummingbird", "hummingbird"), service("HummingbirdCore", "hummingbird"),
  service("HTTPTypes", "swift-http-types"),
  service("NIOCore", "swift-nio"), service("ServiceLifecycle", "swift-service-lifecycle"),
  service("NIOHTTP1", "swift-nio"), service("NIOHTTPTypes", "swift-nio-extras"),
  service("NIOHTTPTypesHTTP1", "swift-nio-extras"), service("Metrics", "swift-metrics"), logging,
]
// TLS, configuration and signals of the program.
let server = [
  service("HummingbirdTLS", "hummingbird"), service("NIOSSL", "swift-nio-ssl"),
  service("NIOCertificateReloading", "swift-nio-extras"),
  service("Configuration", "swift-configuration"), service("NIOPosix", "swift-nio"),
]
// The connection of the command line to a service: HTTP/1.1 over TLS, without a server.
let client = [
  service("NIOCore", "swift-nio"), service("NIOPosix", "swift-nio"),
  service("NIOHTTP1", "swift-nio"), service("NIOHTTPTypes", "swift-nio-extras"),
  service("NIOHTTPTypesHTTP1", "swift-nio-extras"), service("NIOSSL", "swift-nio-ssl"),
  service("HTTPTypes", "swift-http-types"),
]
// File descriptors and paths, as swift-subprocess takes them.
let system = Target.Dependency.product(
  name: "SystemPackage", package: "swift-system",
  condition: .when(platforms: [.linux, .android]))

/// Returns a product that only the service needs.
func service(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Service"]))
}

let package = Package(
  name: "carillon",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Carillon", targets: ["Carillon"]),
    // The port of event logs and what it speaks of, for a log of your own.
    .library(name: "CarillonModel", targets: ["CarillonModel"]),
    .library(name: "CarillonImport", targets: ["CarillonImport"]),
    .library(name: "CarillonTesting", targets: ["CarillonTesting"]),
    .library(name: "CarillonUserNotifications", targets: ["CarillonUserNotifications"]),
    .executable(name: "carillon", targets: ["CarillonCLI"]),
    // With the trait Service: the routes for a service of your own, and the program.
    .library(name: "CarillonService", targets: ["CarillonService"]),
    .executable(name: "carillon-serve", targets: ["CarillonServe"]),
    .executable(name: "carillon-link", targets: ["CarillonLink"]),
  ],
  traits: [
    .trait(name: "LMDB", description: "Logs on LMDB, which is a library of the system."),
    .trait(name: "Service", description: "CarillonService and carillon-serve, over HTTP."),
    .default(enabledTraits: ["LMDB"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(
      url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    // Of the trait Service.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(
      url: "https://github.com/apple/swift-configuration", from: "1.4.0",
      traits: ["JSON"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Ring 0: module maps of the system libraries.
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Of the trait Service.
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    // No library: a system call that Swift's Glibc does not show.
    .systemLibrary(name: "CFiles"),
    // No library: a setting of the heap that Swift's Glibc does not show.
    .systemLibrary(name: "CHeap"),
    // SHA-256 by the processor's instructions.
    .target(name: "CHash"),

    // Ring 1: the domain as pure values, the planner, the ports.
    .target(
      name: "CarillonModel", dependencies: ["CHash", bits, crypto, heap, logging],
      swiftSettings: settings),
    // The threads on which all stores of a process block.
    .target(name: "CarillonThreads", swiftSettings: settings),

    // Ring 2: bytes, the sync session as a state machine, the rules of logs.
    .target(
      name: "CarillonWire", dependencies: ["CarillonModel", protobuf], swiftSettings: settings),
    .target(
      name: "CarillonSync", dependencies: ["CarillonModel", "CarillonWire", "CZlib"],
      swiftSettings: settings),

    // Payloads that only the devices of a store can read, and how these get the keys.
    .target(
      name: "CarillonSealing", dependencies: ["CarillonModel", crypto], swiftSettings: settings),

    // The rules that every event log keeps, and the log in memory.
    .target(
      name: "CarillonLog", dependencies: ["CarillonModel", "CarillonThreads", "CFiles"],
      swiftSettings: settings),

    // Ring 3: the adapters.
    // The system's files as SQLite needs them, for logs and projections.
    .target(name: "CarillonSQLiteVFS", dependencies: [grdbSQLite], swiftSettings: settings),
    .target(
      name: "CarillonLMDB", dependencies: ["CarillonModel", "CarillonLog", "CLMDB", logging],
      swiftSettings: settings),
    .target(
      name: "CarillonSQLiteLog",
      dependencies: ["CarillonModel", "CarillonLog", "CarillonSQLiteVFS", grdbSQLite, logging],
      swiftSettings: settings),
    .target(
      name: "CarillonSQLite",
      dependencies: [
        "CarillonModel", "CarillonSQLiteVFS", "CarillonThreads", "CarillonWire", grdbSQLite,
        logging,
      ],
      swiftSettings: settings),

    // The port of a hub's database. Empty without the trait Service.
    .target(
      name: "CarillonHub", dependencies: ["CarillonModel", "CarillonLog", "CarillonWire"],
      swiftSettings: settings),

    // The logs of many people in one database. Empty without the trait Service.
    .target(
      name: "CarillonPostgres",
      dependencies: [
        "CarillonModel", "CarillonHub", "CarillonLog", "CarillonSync", "CarillonThreads",
        .target(name: "CPostgres", condition: .when(traits: ["Service"])),
      ],
      resources: [.embedInCode("Migrations/hub")], swiftSettings: settings),

    // The same in a directory. Empty without the trait Service.
    .target(
      name: "CarillonHubFiles",
      dependencies: [
        "CarillonModel", "CarillonHub", "CarillonLog", "CarillonSQLiteLog", "CarillonThreads",
        service("GRDB", "GRDB.swift"),
      ],
      swiftSettings: settings),

    // Ring 4: the store.
    .target(
      name: "Carillon",
      dependencies: [
        "CarillonModel", "CarillonWire", "CarillonSync", "CarillonSealing", "CarillonLog",
        "CarillonSQLiteLog", "CarillonSQLite", logging,
        .target(name: "CarillonLMDB", condition: .when(traits: ["LMDB"])),
      ],
      swiftSettings: settings),

    // Ring 5: the answers of the command line and the service, other apps' data, for users of the
    // ports, and the command line.
    .target(
      name: "CarillonDocuments",
      dependencies: ["Carillon", "CarillonImport", "CarillonModel", "CarillonSync", "CHeap"],
      swiftSettings: settings),
    // Who may use a service: invitations, credentials and remote services, as files.
    .target(
      name: "CarillonAccess",
      dependencies: ["Carillon", "CarillonDocuments", "CarillonLog", "CarillonModel", crypto],
      swiftSettings: settings),
    .target(
      name: "CarillonImport",
      dependencies: [
        "Carillon", "CarillonModel", "CarillonSQLite", "CarillonThreads", grdbSQLite,
      ],
      swiftSettings: settings),
    .target(
      name: "CarillonTesting", dependencies: ["CarillonModel", "CarillonLog"],
      swiftSettings: settings),
    // Empty where Apple's frameworks are not; tools/apple-adapter checks it there.
    .target(
      name: "CarillonUserNotifications", dependencies: ["CarillonModel"], swiftSettings: settings),
    .executableTarget(
      name: "CarillonCLI",
      dependencies: [
        "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonImport", "CarillonLog",
        "CarillonModel", "CarillonSync", "CarillonThreads", arguments, subprocess, system,
      ],
      swiftSettings: settings),

    // Ring 6: the service. Empty without the trait Service.
    .target(
      name: "CarillonService",
      dependencies: [
        "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonHub", "CarillonImport",
        "CarillonLog", "CarillonModel", "CarillonSync", "CarillonThreads", "CarillonWire", crypto,
      ] + hummingbird,
      resources: [
        .embedInCode("OpenAPI/openapi.json"), .embedInCode("OpenAPI/hub.json"),
        .embedInCode("Page/Assets"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "CarillonServe",
      dependencies: [
        "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonHub", "CarillonLog",
        "CarillonModel", "CarillonHubFiles", "CarillonPostgres", "CarillonService", arguments,
        subprocess, system,
      ] + hummingbird + server,
      swiftSettings: settings),

    .executableTarget(
      name: "CarillonLink",
      dependencies: [
        "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonModel", arguments,
      ] + client,
      swiftSettings: settings),

    // Tests mirror the sources; TidyTests keep the house style.
    // What they share: random events, references, damage, simulations. tools/fuzzing compiles it
    // too, through a link.
    .target(
      name: "CarillonTestSupport",
      dependencies: [
        "CarillonModel", "CarillonWire", "CarillonSync", "CarillonLog", "CarillonSQLite",
        "Carillon", "CarillonTesting", logging, subprocess, system,
      ],
      path: "Tests/CarillonTestSupport", swiftSettings: settings),
    .testTarget(
      name: "CarillonModelTests",
      dependencies: ["CarillonModel", "CarillonTesting", "CarillonTestSupport", crypto],
      exclude: ["Vectors"], swiftSettings: settings),
    .testTarget(
      name: "CarillonThreadsTests", dependencies: ["CarillonThreads"], swiftSettings: settings),
    .testTarget(
      name: "CarillonWireTests",
      dependencies: ["CarillonModel", "CarillonWire", "CarillonTestSupport", protobuf],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonSyncTests",
      dependencies: [
        "CarillonModel", "CarillonWire", "CarillonSync", "CarillonLog", "CarillonLMDB", "Carillon",
        "CarillonTesting", "CarillonTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonSealingTests",
      dependencies: ["CarillonModel", "CarillonSealing", "CarillonTestSupport", crypto],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonLogTests",
      dependencies: [
        "CarillonModel", "CarillonThreads", "CarillonLog", "CarillonTesting", "CarillonTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonLMDBTests",
      dependencies: [
        "CarillonModel", "CarillonLog", "CarillonLMDB", "CarillonTesting", "CarillonTestSupport",
        "CLMDB",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonSQLiteLogTests",
      dependencies: [
        "CarillonModel", "CarillonLog", "CarillonSQLiteLog", "CarillonTesting",
        "CarillonTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonSQLiteTests",
      dependencies: [
        "CarillonModel", "CarillonWire", "CarillonLog", "CarillonSQLite", "CarillonLMDB",
        "CarillonTesting", "CarillonTestSupport", grdb,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonTests",
      dependencies: [
        "Carillon", "CarillonImport", "CarillonModel", "CarillonThreads", "CarillonWire",
        "CarillonSync", "CarillonSealing", "CarillonLog", "CarillonLMDB", "CarillonSQLite",
        "CarillonTesting", "CarillonTestSupport", grdb,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonDocumentsTests",
      dependencies: ["Carillon", "CarillonDocuments", "CarillonModel", "CarillonTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "CarillonCLITests",
      dependencies: [
        "CarillonCLI", "CarillonDocuments", "CarillonModel", "Carillon", "CarillonTesting",
        "CarillonTestSupport",
      ],
      exclude: ["Desktop/notification-server"], swiftSettings: settings),
    // The targets of tools/fuzz, run on their seeds only.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Carillon", "CarillonImport", "CarillonDocuments", "CarillonCLI", "CarillonModel",
        "CarillonWire", "CarillonSync", "CarillonSealing", "CarillonLog", "CarillonLMDB",
        "CarillonSQLiteLog", "CarillonTesting", "CarillonTestSupport", arguments, logging, protobuf,
        system,
      ],
      path: "tools/fuzzing/Sources/FuzzTargets", swiftSettings: settings),
    .testTarget(
      name: "CarillonServiceTests",
      dependencies: [
        "Carillon", "CarillonAccess", "CarillonDocuments", "CarillonHub", "CarillonHubFiles",
        "CarillonLink", "CarillonModel", "CarillonPostgres", "CarillonService", "CarillonServe",
        "CarillonTesting", "CarillonTestSupport",
        "example-app",
        service("HummingbirdTesting", "hummingbird"),
      ] + hummingbird,
      exclude: ["Page/audit.js"], swiftSettings: settings),
    .testTarget(
      name: "CarillonPostgresTests",
      dependencies: [
        "CarillonModel", "CarillonHub", "CarillonHubFiles", "CarillonLog", "CarillonPostgres",
        "CarillonTesting", "CarillonTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(name: "TidyTests", swiftSettings: settings),

    // The service for many people of tools/example-app, so that the tests run it.
    .executableTarget(
      name: "example-app", dependencies: ["Carillon", "CarillonService"] + hummingbird,
      path: "tools/example-app/Sources"),
    // The program behind tools/bench, tools/count-instructions and tools/simulate.
    .executableTarget(
      name: "carillon-bench",
      dependencies: [
        "Carillon", "CarillonImport", "CarillonModel", "CarillonWire", "CarillonSync",
        "CarillonLog", "CarillonLMDB", "CarillonSQLiteLog", "CarillonTesting",
        "CarillonTestSupport",
      ],
      path: "tools/benchmarks/Sources"),
    // A route of Hummingbird alone, beside which tools/bench measures the service.
    .executableTarget(
      name: "bare-server", dependencies: hummingbird, path: "tools/benchmarks/Bare"),
  ],
  swiftLanguageModes: [.v6]
)
