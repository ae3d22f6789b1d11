// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, warnings are errors.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Sources also mark every unsafe expression.
///
/// Tests do not: the expansion of an exit test warns under strict memory safety (Swift 6.3).
let sourceSettings: [SwiftSetting] =
  settings + [
    .strictMemorySafety(),
    .define("CHECK_INVARIANTS", .when(configuration: .debug)),
  ]

// The targets stand in the order of the walk from the disk to the answer; each
// depends only on those before it.
let package = Package(
  name: "Atoll",
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .library(name: "AtollStorage", targets: ["AtollStorage"]),
    .library(name: "AtollObjects", targets: ["AtollObjects"]),
    .library(name: "AtollQuery", targets: ["AtollQuery"]),
    .executable(name: "atoll", targets: ["atoll"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .systemLibrary(name: "CFutex"),
    .target(
      name: "AtollStorage",
      dependencies: ["CFutex", "CLZ4", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: sourceSettings),
    .target(name: "AtollObjects", dependencies: ["AtollStorage"], swiftSettings: sourceSettings),
    .target(name: "AtollQuery", dependencies: ["AtollObjects"], swiftSettings: sourceSettings),
    .target(
      name: "AtollImport", dependencies: ["AtollObjects", "AtollStorage"],
      swiftSettings: sourceSettings),
    .executableTarget(
      name: "atoll",
      dependencies: [
        "AtollImport", "AtollQuery",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: sourceSettings),
    .target(
      name: "TestSupport", dependencies: ["AtollStorage"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "AtollImport", "AtollObjects", "AtollQuery", "AtollStorage", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: sourceSettings),
    .executableTarget(
      name: "lockprobe", dependencies: ["AtollStorage", "TestSupport"], path: "Tests/lockprobe",
      swiftSettings: settings),
    .executableTarget(
      name: "compactprobe", dependencies: ["AtollObjects", "TestSupport"],
      path: "Tests/compactprobe",
      swiftSettings: settings),
    .testTarget(
      name: "TestSupportTests", dependencies: ["AtollStorage", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AtollStorageTests", dependencies: ["AtollStorage", "TestSupport", "lockprobe"],
      exclude: ["Golden/Files"], swiftSettings: settings),
    .testTarget(
      name: "simulateTests",
      dependencies: [
        "AtollObjects", "AtollStorage", "simulate", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Inputs"], swiftSettings: settings),
    .testTarget(
      name: "AtollObjectsTests", dependencies: ["AtollObjects", "TestSupport", "compactprobe"],
      exclude: ["Golden/Files"], swiftSettings: settings),
    .testTarget(
      name: "AtollQueryTests", dependencies: ["AtollQuery", "atoll", "TestSupport"],
      exclude: [
        "Fixtures/demo-queries.jsonl", "Fixtures/geonames-queries.jsonl",
        "Fixtures/expected.py", "Fixtures/extract.py", "Folding/tables.py",
        "Scripts/folding.rql-test", "Scripts/folding.world", "Scripts/grid.py",
        "Scripts/grid.rql-test", "Scripts/groups.rql-test", "Scripts/hints.rql-test",
        "Scripts/lexical.rql-test", "Scripts/nest.rql-test", "Scripts/operators.rql-test",
        "Scripts/rules.rql-test", "Scripts/boats.world", "Scripts/nest.world",
        "Scripts/types.world",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtollImportTests", dependencies: ["AtollImport", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "atollTests", dependencies: ["AtollImport", "atoll", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "TidyTests", dependencies: ["AtollQuery", "TestSupport"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
