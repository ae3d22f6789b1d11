/// The workloads of LevelDB's db_bench and its successors, in the order in which they run.
///
/// The first four share one database, the others a second one.
package enum KeyValueWorkload: String, CaseIterable, Sendable {
  /// Keys ascending, 1000 in a durable transaction.
  case fillSequential = "fillseq"
  /// Every value in the order of the keys.
  case readSequential = "readseq"
  /// As many look-ups of random keys, in one read transaction.
  case readRandom = "readrandom"
  /// Keys in random order into an empty database, 1000 in a durable transaction.
  case fillRandom = "fillrandom"
  /// New keys beyond the others, each in a durable transaction: 1000 of them at most.
  case fillSync = "fillsync"
  /// As many new values for random keys, 1000 in a durable transaction.
  case overwrite = "overwrite"
  /// Half of the keys, in random order, 1000 in a durable transaction.
  case deleteRandom = "deleterandom"

  /// Whether the database is empty when it begins.
  package var needsEmptyDatabase: Bool { self == .fillSequential || self == .fillRandom }

  /// Runs whose fastest counts.
  package var runCount: Int {
    self == .readSequential || self == .readRandom ? 3 : 1
  }

  /// Whether the result is a checksum of the read values rather than bytes of files.
  package var isReading: Bool { runCount > 1 }

  private static let transactionEntryCount = 1000

  /// Runs the workload once.
  ///
  /// - Parameters:
  ///   - count: the number of entries of a fill.
  ///   - values: makes the values.
  ///   - engine: open, with the contents that earlier workloads left.
  ///   - model: The contents of the database: the generation of each key; brought up to date.
  /// - Returns: the run; its result is a checksum for a reading workload and the bytes of the files
  ///   for a writing one.
  /// - Throws: what the engine throws.
  package func run(
    count: Int, values: ValueSource, engine: any KeyValueEngine, model: inout [Int: Int]
  ) throws -> Sample {
    var random = SplitMix64(state: Seed.keyValue)
    switch self {
    case .readSequential:
      return try Sample.measure(operations: model.count) {
        var checksum = Checksum()
        try engine.forEachValue { checksum.add($0, $1) }
        return checksum.value
      }
    case .readRandom:
      let keys = (0..<count).map { _ in random.nextKey(below: count) }
      return try Sample.measure(operations: count) {
        var checksum = Checksum()
        try engine.forEachValue(of: keys) { checksum.add($0, $1) }
        return checksum.value
      }
    case .fillSequential:
      return try put(Array(0..<count), 0, values, engine, &model)
    case .fillRandom:
      return try put(Self.shuffled(count, &random), 0, values, engine, &model)
    case .fillSync:
      let keys = Array(count..<(count + min(count, 1000)))
      return try put(keys, 0, values, engine, &model, each: 1)
    case .overwrite:
      let keys = (0..<count).map { _ in random.nextKey(below: count) }
      return try put(keys, 1, values, engine, &model)
    case .deleteRandom:
      let keys = Array(Self.shuffled(count, &random).prefix(count / 2))
      var sample = try Sample.measureTransactions(
        count: Self.transactionCount(keys.count, Self.transactionEntryCount), operationsEach: 0
      ) { try engine.remove(keys[Self.part($0, keys.count, Self.transactionEntryCount)]) }
      for key in keys { model[key] = nil }
      sample.operations = keys.count
      sample.result = try engine.fileByteCount()
      return sample
    }
  }

  /// The checksum that a reading workload must give; nil for a writing one.
  package func expectedChecksum(
    count: Int, values: ValueSource, model: [Int: Int]
  ) -> Int? {
    var checksum = Checksum()
    func add(_ key: Int) {
      guard let generation = model[key] else { return }
      checksum.add(key, values.value(key, generation: generation).span)
    }
    switch self {
    case .readSequential: for key in model.keys { add(key) }
    case .readRandom:
      var random = SplitMix64(state: Seed.keyValue)
      for _ in 0..<count { add(random.nextKey(below: count)) }
    default: return nil
    }
    return checksum.value
  }

  /// Sets values, `each` in a durable transaction; making them is part of the time, as in db_bench.
  private func put(
    _ keys: [Int], _ generation: Int, _ values: ValueSource, _ engine: any KeyValueEngine,
    _ model: inout [Int: Int], each: Int = transactionEntryCount
  ) throws -> Sample {
    var sample = try Sample.measureTransactions(
      count: Self.transactionCount(keys.count, each), operationsEach: 0
    ) { index in
      try engine.put(
        keys[Self.part(index, keys.count, each)].map {
          KeyValueEntry(key: $0, value: values.value($0, generation: generation))
        })
    }
    for key in keys { model[key] = generation }
    sample.operations = keys.count
    sample.result = try engine.fileByteCount()
    return sample
  }

  private static func transactionCount(_ count: Int, _ each: Int) -> Int {
    (count + each - 1) / each
  }

  private static func part(_ index: Int, _ count: Int, _ each: Int) -> Range<Int> {
    (index * each)..<min(count, (index + 1) * each)
  }

  /// The keys in random order.
  private static func shuffled(_ count: Int, _ random: inout SplitMix64) -> [Int] {
    var keys = Array(0..<count)
    for index in keys.indices.dropFirst() {
      keys.swapAt(index, random.nextKey(below: index + 1))
    }
    return keys
  }
}
