// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, warnings are errors.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module at a time, as in a release, which is sooner than file by file: SwiftPM asks for one
/// object file for each source, which takes threads; and for batches.
let wholeModule = ["-whole-module-optimization", "-num-threads", "2", "-disable-batch-mode"]

/// What stores and asks is optimised in debug builds too.
///
/// An application under development, the tests and the simulations so use a database that is about
/// as fast as the one that ships. `-Xswiftc -Onone` is for a debugger that follows the database
/// itself.
let optimisedSettings: [SwiftSetting] =
  settings + [.unsafeFlags(["-O"] + wholeModule, .when(configuration: .debug))]

/// What stands around it is not optimised in debug builds, which takes a quarter of the compiler's
/// time.
///
/// `simulate` would take a third of what all tests take, and runs a fifth faster; long runs are for
/// release builds.
let plainSettings: [SwiftSetting] =
  settings + [.unsafeFlags(wholeModule, .when(configuration: .debug)), .strictMemorySafety()]

/// Sources also mark every unsafe expression.
///
/// Tests do not, as the expansion of an exit test warns under strict memory safety (Swift 6.3).
let sourceSettings = optimisedSettings + [.strictMemorySafety()]

/// What only the trait `Sync` needs: without it, no networking is compiled.
let whenSync = TargetDependencyCondition.when(traits: ["Sync"])

// The targets stand in the order of the walk from the disk to the answer; each
// depends only on those before it.
let package = Package(
  name: "Atoll",
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .library(name: "Atoll", targets: ["Atoll"]),
    .library(name: "RealmSwift", targets: ["RealmSwift"]),
    .library(name: "AtollTesting", targets: ["AtollTesting"]),
    .library(name: "AtollStorage", targets: ["AtollStorage"]),
    .library(name: "AtollObjects", targets: ["AtollObjects"]),
    .library(name: "AtollQuery", targets: ["AtollQuery"]),
    .executable(name: "atoll", targets: ["AtollCommand"]),
  ],
  traits: [
    .default(enabledTraits: ["Sync"]),
    .trait(name: "Sync", description: "Everything that uses the network."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .systemLibrary(name: "CFutex"),
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CRetain"),
    .target(
      name: "AtollStorage",
      dependencies: ["CFutex", "CLZ4", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: sourceSettings),
    .target(name: "AtollObjects", dependencies: ["AtollStorage"], swiftSettings: sourceSettings),
    .target(
      name: "AtollCapture", dependencies: ["AtollObjects", "AtollStorage"],
      swiftSettings: sourceSettings),
    .target(name: "AtollQuery", dependencies: ["AtollObjects"], swiftSettings: sourceSettings),
    .target(
      name: "AtollImport", dependencies: ["AtollObjects", "AtollStorage"],
      swiftSettings: plainSettings),
    .target(
      name: "AtollSync",
      dependencies: [
        "AtollCapture", "AtollQuery", .product(name: "DequeModule", package: "swift-collections"),
      ],
      exclude: ["Rules.md"],
      swiftSettings: plainSettings),
    .target(
      name: "AtollTransport",
      dependencies: [
        "AtollSync",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: whenSync),
        .product(name: "DequeModule", package: "swift-collections", condition: whenSync),
        .product(name: "HeapModule", package: "swift-collections", condition: whenSync),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
        .product(name: "NIOCore", package: "swift-nio", condition: whenSync),
        .product(name: "NIOPosix", package: "swift-nio", condition: whenSync),
        .product(name: "NIOHTTP1", package: "swift-nio", condition: whenSync),
        .product(name: "NIOSSL", package: "swift-nio-ssl", condition: whenSync),
        .product(name: "NIOWebSocket", package: "swift-nio", condition: whenSync),
      ],
      swiftSettings: plainSettings),
    .target(
      name: "AtollServer",
      dependencies: [
        "AtollCapture", "AtollSync", "AtollTransport", "CMalloc",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: whenSync),
        .product(name: "Crypto", package: "swift-crypto", condition: whenSync),
        .product(name: "CryptoExtras", package: "swift-crypto", condition: whenSync),
        .product(name: "DequeModule", package: "swift-collections", condition: whenSync),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
        .product(name: "Yams", package: "Yams", condition: whenSync),
      ],
      swiftSettings: plainSettings),
    .target(
      name: "Atoll",
      dependencies: [
        "AtollCapture", "AtollQuery", "AtollSync", "CRetain",
        .target(name: "AtollTransport", condition: whenSync),
      ],
      swiftSettings: plainSettings),
    .target(name: "RealmSwift", dependencies: ["Atoll"], swiftSettings: plainSettings),
    .target(
      name: "AtollTesting",
      dependencies: [
        "Atoll", "AtollStorage", .target(name: "AtollServer", condition: whenSync),
        .target(name: "AtollTransport", condition: whenSync),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: whenSync),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
        .product(name: "NIOCore", package: "swift-nio", condition: whenSync),
        .product(name: "NIOPosix", package: "swift-nio", condition: whenSync),
      ],
      swiftSettings: plainSettings),
    .executableTarget(
      name: "AtollCommand",
      dependencies: [
        "Atoll", "AtollCapture", "AtollImport", "AtollQuery", "AtollSync",
        .target(name: "AtollServer", condition: whenSync),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
      ],
      swiftSettings: plainSettings),
    .target(
      name: "TestSupport", dependencies: ["AtollStorage"], path: "Tests/TestSupport",
      swiftSettings: optimisedSettings),
    .target(name: "TestThreads", path: "Tests/TestThreads", swiftSettings: optimisedSettings),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "Atoll", "AtollCapture", "AtollImport", "AtollObjects", "AtollQuery", "AtollStorage",
        "AtollSync", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: plainSettings),
    .executableTarget(
      name: "probe", dependencies: ["AtollObjects", "AtollStorage", "TestSupport"],
      path: "Tests/probe", swiftSettings: optimisedSettings),
    .testTarget(
      name: "TestSupportTests", dependencies: ["AtollStorage", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "AtollStorageTests",
      dependencies: ["AtollStorage", "TestSupport", "TestThreads", "probe"],
      exclude: ["Golden/Files"], swiftSettings: settings),
    .testTarget(
      name: "simulateTests",
      dependencies: [
        "AtollObjects", "AtollStorage", "AtollSync", "simulate", "TestSupport", "TestThreads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["Inputs"], swiftSettings: settings),
    .testTarget(
      name: "AtollObjectsTests",
      dependencies: ["AtollCapture", "AtollObjects", "TestSupport", "TestThreads", "probe"],
      exclude: ["Golden/Files"], swiftSettings: settings),
    .testTarget(
      name: "AtollCaptureTests", dependencies: ["AtollCapture", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "AtollQueryTests",
      dependencies: ["AtollCapture", "AtollQuery", "AtollCommand", "TestSupport", "TestThreads"],
      exclude: [
        "Fixtures/demo-queries.jsonl", "Fixtures/geonames-queries.jsonl",
        "Fixtures/expected.py", "Fixtures/extract.py", "Predicate/tables.py",
        "Scripts/folding.rql-test", "Scripts/folding.world", "Scripts/grid.py",
        "Scripts/grid.rql-test", "Scripts/groups.rql-test", "Scripts/hints.rql-test",
        "Scripts/lexical.rql-test", "Scripts/nest.rql-test", "Scripts/operators.rql-test",
        "Scripts/rules.rql-test", "Scripts/boats.world", "Scripts/nest.world",
        "Scripts/types.world",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtollImportTests", dependencies: ["AtollImport", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "AtollSyncTests", dependencies: ["AtollSync", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "AtollTransportTests",
      dependencies: [
        "AtollTransport", "TestSupport", "TestThreads",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: whenSync),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtollServerTests",
      dependencies: [
        "AtollCommand", "AtollServer", "AtollTransport", "TestSupport", "TestThreads",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "CoreMetrics", package: "swift-metrics", condition: whenSync),
        .product(name: "Crypto", package: "swift-crypto", condition: whenSync),
        .product(name: "CryptoExtras", package: "swift-crypto", condition: whenSync),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtollTests", dependencies: ["Atoll", "RealmSwift", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "ManualTests",
      dependencies: ["AtollTesting", "RealmSwift", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    // The same sources, by a symbolic link, as an application in Swift 5 compiles them.
    .testTarget(
      name: "ManualSwift5Tests",
      dependencies: ["AtollTesting", "RealmSwift", "TestSupport", "TestThreads"],
      swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "Atoll", "AtollCommand", "AtollServer", "AtollSync", "AtollTesting", "AtollTransport",
        "TestSupport", "TestThreads",
        .product(name: "CoreMetrics", package: "swift-metrics", condition: whenSync),
        .product(name: "Logging", package: "swift-log", condition: whenSync),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AtollCommandTests",
      dependencies: ["AtollImport", "AtollCommand", "TestSupport", "TestThreads"],
      swiftSettings: settings),
    .testTarget(
      name: "TidyTests", dependencies: ["AtollQuery", "TestSupport", "TestThreads"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
