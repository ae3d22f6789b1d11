/// A named piece of work for an engine.
///
/// The functions that do the work are pure in (seed, rows, engine); this type adds the name, how
/// often to run it and how to check it.
package struct Workload: Sendable {
  /// The meaning of the result of a run.
  package enum ResultKind: Sendable {
    /// A figure on which all engines must agree.
    case answer
    /// Bytes of the database's files; the engine's `contents()` must agree instead.
    case fileBytes
  }

  package let name: String
  package let resultKind: ResultKind
  /// Runs in one process, of which the fastest counts.
  package let runCount: Int
  private let body: @Sendable (_ rows: Int, _ engine: any Engine) throws -> Sample?

  /// Runs the workload once with its standard seed.
  ///
  /// - Parameters:
  ///   - rows: the number of objects of the bulk load.
  ///   - engine: an open engine that holds what the workloads before this one left.
  /// - Returns: nil when the engine cannot do it.
  /// - Throws: what the engine throws.
  package func run(rows: Int, engine: any Engine) throws -> Sample? {
    try body(rows, engine)
  }

  /// The workload that fills the database, before all others.
  package static let load = Workload(writing: "bulk_insert") {
    try bulkInsert(seed: Seed.population, rows: $0, engine: $1)
  }

  /// Every workload, in the order in which they run on one database.
  package static let all: [Workload] =
    [
      load,
      Workload(reading: "point_get") { try pointGet(seed: Seed.pointGet, rows: $0, engine: $1) },
      Workload(reading: "scan_read") { try scanRead(rows: $0, engine: $1) },
    ]
    + CountQuery.allCases.filter { $0 != .indexPrefix }.map(counting)
    + [
      Workload(querying: "index_eq") { try indexEquality(seed: Seed.indexEquality, engine: $1) },
      counting(.indexPrefix),
      Workload(querying: "sort_double") { try sort(by: .score, rows: $0, engine: $1) },
      Workload(querying: "sort_string") { try sort(by: .email, rows: $0, engine: $1) },
      Workload(querying: "top_20") { try top(rows: $0, engine: $1) },
      Workload(querying: "distinct") { try distinct(rows: $0, engine: $1) },
      Workload(querying: "aggregate") { try aggregate(rows: $0, engine: $1) },
      Workload(writing: "update_bulk") {
        try updateBulk(seed: Seed.updateBulk, rows: $0, engine: $1)
      },
      Workload(writing: "update_durable") {
        try updateDurable(seed: Seed.updateDurable, rows: $0, engine: $1)
      },
      Workload(writing: "insert_batch100") {
        try insertBatches(seed: Seed.insertBatch, rows: $0, engine: $1)
      },
      Workload(writing: "pinned_growth") {
        try pinnedGrowth(seed: Seed.pinnedGrowth, rows: $0, engine: $1)
      },
      Workload(writing: "delete_bulk") {
        try deleteBulk(seed: Seed.deleteBulk, rows: $0, engine: $1)
      },
      Workload(reading: "open") { try open(engine: $1) },
    ]

  private static func counting(_ query: CountQuery) -> Workload {
    Workload(querying: query.rawValue) { try count(query, rows: $0, engine: $1) }
  }

  private init(
    reading name: String, _ body: @escaping @Sendable (Int, any Engine) throws -> Sample
  ) {
    self.name = name
    self.resultKind = .answer
    self.runCount = readingRunCount
    self.body = body
  }

  private init(
    querying name: String, _ body: @escaping @Sendable (Int, any QueryEngine) throws -> Sample
  ) {
    self.name = name
    self.resultKind = .answer
    self.runCount = readingRunCount
    self.body = { rows, engine in
      guard let engine = engine as? any QueryEngine else { return nil }
      return try body(rows, engine)
    }
  }

  private init(
    writing name: String, _ body: @escaping @Sendable (Int, any Engine) throws -> Sample
  ) {
    self.name = name
    self.resultKind = .fileBytes
    self.runCount = 1
    self.body = body
  }
}
