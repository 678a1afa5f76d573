// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "example-app",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "carillon", path: "../..", traits: [.defaults, "Service"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "example-app",
      dependencies: [
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonService", package: "carillon"),
        .product(name: "Hummingbird", package: "hummingbird"),
      ], path: "Sources",
      // The package carillon compiles the same sources, and without its trait they are empty.
      swiftSettings: [.define("Service")])
  ],
  swiftLanguageModes: [.v6]
)
