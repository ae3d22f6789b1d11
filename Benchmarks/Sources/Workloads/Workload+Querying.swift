extension Workload {
  /// Counts the objects that match `query`.
  static func count(_ query: CountQuery, rows: Int, engine: any QueryEngine) throws -> Sample {
    try Sample.measure(operations: query == .indexPrefix ? 1 : rows) {
      try engine.count(query)
    }
  }

  /// Counts 20 000 random names, one query each.
  static func indexEquality(seed: UInt64, engine: any QueryEngine) throws -> Sample {
    var random = SplitMix64(state: seed)
    let names = (0..<Count.indexEqualities).map { _ in Person.name(drawn: random.next()) }
    return try Sample.measure(operations: names.count) {
      try engine.countEach(name: names)
    }
  }

  /// Sorts all objects and reads the first; its key is the result.
  static func sort(by field: SortField, rows: Int, engine: any QueryEngine) throws -> Sample {
    try Sample.measure(operations: rows) {
      try engine.firstKey(sortedBy: field)
    }
  }

  /// Finds the 20 highest scores; the result weighs each key with its place.
  static func top(rows: Int, engine: any QueryEngine) throws -> Sample {
    try Sample.measure(operations: rows) {
      let keys = try engine.keysOfHighestScores(limit: Count.top)
      return keys.enumerated().reduce(0) { $0 + ($1.offset + 1) * $1.element }
    }
  }

  /// Counts the distinct cities.
  static func distinct(rows: Int, engine: any QueryEngine) throws -> Sample {
    try Sample.measure(operations: rows) {
      try engine.distinctCityCount()
    }
  }

  /// Adds the sum of age, the sum of score and the greatest age.
  static func aggregate(rows: Int, engine: any QueryEngine) throws -> Sample {
    try Sample.measure(operations: rows) {
      Int(try engine.aggregate())
    }
  }
}
