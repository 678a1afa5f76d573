// swift-tools-version: 6.2
// Type-checks the adapter to Apple's notification center on systems without that framework: the
// same source files, against declarations of what they use. tools/check builds it.
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "apple-adapter",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    .target(name: "CHash"),
    .target(
      name: "CarillonModel",
      dependencies: [
        "CHash",
        .product(name: "BitCollections", package: "swift-collections"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings),
    .target(name: "CoreLocation", swiftSettings: settings),
    .target(name: "UserNotifications", dependencies: ["CoreLocation"], swiftSettings: settings),
    .target(
      name: "CarillonUserNotifications",
      dependencies: ["CarillonModel", "UserNotifications", "CoreLocation"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
