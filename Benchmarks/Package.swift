// swift-tools-version: 6.2
//
// The benchmark, in its own package so that peers and tools never enter the main dependency graph.
//
//     apt-get install pkg-config liblz4-dev libsqlite3-dev liblmdb-dev
//     (macOS: brew install sqlite lmdb)
//     swift build -c release --product atoll-bench
//     .build/release/atoll-bench run --engine all --rows 1000000 --dir DIR > results.jsonl
//     .build/release/atoll-bench compare results.jsonl
//     .build/release/atoll-bench kv --value-size 100 --count 1000000 --dir DIR > kv.jsonl
//     .build/release/atoll-bench readers --readers 5 --dir DIR > readers.jsonl
//     .build/release/atoll-bench pinned --commits 100000 --dir DIR > pinned.jsonl
//
//     swift build -c release --product atoll-api-bench
//     .build/release/atoll-api-bench --dir DIR --server ../.build/release/atoll > api.jsonl
//     .build/release/atoll-api-bench grdb --rows 100000 --dir DIR > grdb.jsonl
//
// SwiftPM fetches GRDB, which links the same libsqlite3 and is in atoll-api-bench only.
// DIR must lie on a real disk: on a memory file system a durable commit costs nothing.

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "atoll-bench", targets: ["atoll-bench"]),
    .executable(name: "atoll-api-bench", targets: ["atoll-api-bench"]),
  ],
  dependencies: [
    .package(name: "Atoll", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CProcess"),
    .target(name: "Workloads", dependencies: ["CProcess"], swiftSettings: settings),
    .executableTarget(
      name: "atoll-bench",
      dependencies: [
        "Workloads", "CSQLite", "CLMDB",
        .product(name: "AtollObjects", package: "Atoll"),
        .product(name: "AtollQuery", package: "Atoll"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings),
    // The Swift interface, beside GRDB's, and sync: apart, since it links the network.
    .executableTarget(
      name: "atoll-api-bench",
      dependencies: [
        "Workloads",
        .product(name: "Atoll", package: "Atoll"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
