internal import ArgumentParser
internal import Workloads

/// A key-value engine that `--engine` can name.
struct KeyValueEngineEntry: Sendable {
  let name: String
  /// Creates the engine, closed, for an empty directory.
  let make: @Sendable (DatabaseDirectory) -> any KeyValueEngine

  /// All engines, in the order in which they run.
  static let all = [
    KeyValueEngineEntry(name: "atoll") { AtollKeyValueEngine(directory: $0) },
    KeyValueEngineEntry(name: "sqlite") { SQLiteKeyValueEngine(directory: $0) },
    KeyValueEngineEntry(name: "lmdb") { LMDBKeyValueEngine(directory: $0) },
  ]
}

/// The common part of `kv` and `readers`.
struct KeyValueOptions: ParsableArguments {
  @Option(help: "An engine, may be repeated: atoll, sqlite, lmdb or all.")
  var engine: [String] = ["all"]

  @Option(help: "Bytes of a value, from 16 to 1000000.")
  var valueSize = 100

  @Option(help: "The part of its size that a value can be compressed to, above 0 and up to 1.")
  var compressible = 0.5

  @Option(help: "Entries.")
  var count = 1_000_000

  @Option(help: "Directory for the databases, on a real disk (default: a temporary one).")
  var dir: String?

  func validate() throws {
    let names = KeyValueEngineEntry.all.map(\.name)
    for name in engine where name != "all" && !names.contains(name) {
      throw ValidationError("no engine '\(name)'; there are \(names) and all")
    }
    guard (16...1_000_000).contains(valueSize) else {
      throw ValidationError("--value-size must be from 16 to 1000000")
    }
    guard compressible > 0, compressible <= 1 else {
      throw ValidationError("--compressible must be above 0 and up to 1")
    }
    guard count >= 1, count <= 1 << 32 else {
      throw ValidationError("--count must be at least 1")
    }
  }

  var engines: [KeyValueEngineEntry] {
    KeyValueEngineEntry.all.filter { engine.contains("all") || engine.contains($0.name) }
  }

  var values: ValueSource { ValueSource(byteCount: valueSize, compressedPart: compressible) }

  /// Runs `body` with the directory for the databases, and removes it when it is temporary.
  func withDirectory(_ body: (String) throws -> Void) throws {
    try DatabaseDirectory.withParent(dir, body)
  }
}
