// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The targets use internal modules of the library, so they are built as part of the package above,
// whose name is that of its directory.
let directory = URL(filePath: Context.packageDirectory)
  .deletingLastPathComponent().deletingLastPathComponent().lastPathComponent
let name = directory.lowercased().enumerated().map { index, character in
  character.isLetter || (index > 0 && character.isNumber) ? String(character) : "_"
}
let ofPackage = ["-package-name", name.joined()]
let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "carillon-fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "carillon", path: "../.."),
    // The generated decoder, with which the hand-written one is compared.
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // The documents of the command line, through a link to their sources.
    .target(
      name: "CarillonDocuments",
      dependencies: [
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonImport", package: "carillon"),
      ],
      packageAccess: false, swiftSettings: features + [.unsafeFlags(ofPackage)]),
    // The command line as a library, through a link to its sources; `main` has another name here.
    .target(
      name: "CarillonVerbs",
      dependencies: [
        "CarillonDocuments",
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonImport", package: "carillon"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(
          name: "SystemPackage", package: "swift-system",
          condition: .when(platforms: [.linux, .android])),
      ],
      packageAccess: false,
      swiftSettings: features + [
        .unsafeFlags(
          ofPackage + [
            "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "carillon_verbs_main",
          ])
      ]),
    // Sealing, which no product has, also through a link.
    .target(
      name: "CarillonSealing",
      dependencies: [
        .product(name: "CarillonModel", package: "carillon"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      packageAccess: false, swiftSettings: features + [.unsafeFlags(ofPackage)]),
    // What the tests share, also through a link.
    .target(
      name: "CarillonTestSupport",
      dependencies: [
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonTesting", package: "carillon"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Processes"], packageAccess: false,
      swiftSettings: features + [.unsafeFlags(ofPackage)]),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "CarillonVerbs", "CarillonDocuments", "CarillonSealing", "CarillonTestSupport",
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonImport", package: "carillon"),
        .product(name: "CarillonTesting", package: "carillon"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
        .product(
          name: "SystemPackage", package: "swift-system",
          condition: .when(platforms: [.linux, .android])),
      ],
      exclude: ["SeedTests.swift"],
      packageAccess: false,
      swiftSettings: [.unsafeFlags(ofPackage)]),
    // In C, since the build renames the `main` of a Swift executable; here it is libFuzzer's.
    .executableTarget(name: "carillon-fuzz", dependencies: ["FuzzTargets"]),
  ],
  swiftLanguageModes: [.v6]
)
