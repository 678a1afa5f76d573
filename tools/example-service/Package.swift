// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "example-service",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "carillon", path: "../..")],
  targets: [
    .executableTarget(
      name: "example-service", dependencies: [.product(name: "Carillon", package: "carillon")],
      path: "Sources")
  ],
  swiftLanguageModes: [.v6]
)
