// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "example-service",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Without traits, the store keeps its log in SQLite and needs no LMDB.
    .package(name: "carillon", path: "../..", traits: [])
  ],
  targets: [
    .executableTarget(
      name: "example-service", dependencies: [.product(name: "Carillon", package: "carillon")],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
