// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The targets call the modules behind the library, so they are built as if they were part of the
// package above, whose name is that of its directory.
let directory = URL(filePath: Context.packageDirectory)
  .deletingLastPathComponent().deletingLastPathComponent().lastPathComponent
let name = directory.lowercased().enumerated().map { index, character in
  character.isLetter || (index > 0 && character.isNumber) ? String(character) : "_"
}

let package = Package(
  name: "carillon-fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "carillon", path: "../.."),
    // The generated decoder, which the one written by hand is held against.
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
  ],
  targets: [
    .target(
      name: "FuzzTargets",
      dependencies: [
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonTesting", package: "carillon"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      packageAccess: false,
      swiftSettings: [.unsafeFlags(["-package-name", name.joined()])]),
    // In C: of a Swift executable the build renames `main`, which here is libFuzzer's.
    .executableTarget(name: "carillon-fuzz", dependencies: ["FuzzTargets"]),
  ],
  swiftLanguageModes: [.v6]
)
