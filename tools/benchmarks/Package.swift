// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The rows measure the modules behind the library, so the benchmarks are built as if they were part
// of the package above. The name of that package is the name of its directory.
let directory = URL(filePath: Context.packageDirectory)
  .deletingLastPathComponent().deletingLastPathComponent().lastPathComponent
let name = directory.lowercased().enumerated().map { index, character in
  character.isLetter || (index > 0 && character.isNumber) ? String(character) : "_"
}
let ofPackage = ["-package-name", name.joined()]

let package = Package(
  name: "carillon-bench",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "carillon", path: "../.."),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .executableTarget(
      name: "carillon-bench",
      dependencies: [
        "CarillonTestSupport",
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonImport", package: "carillon"),
        .product(name: "CarillonTesting", package: "carillon"),
      ],
      path: "Sources", packageAccess: false, swiftSettings: [.unsafeFlags(ofPackage)]),
    // What the tests share, through a link to its sources.
    .target(
      name: "CarillonTestSupport",
      dependencies: [
        .product(name: "Carillon", package: "carillon"),
        .product(name: "CarillonTesting", package: "carillon"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "CarillonTestSupport", exclude: ["Processes"], packageAccess: false,
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .unsafeFlags(ofPackage),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
