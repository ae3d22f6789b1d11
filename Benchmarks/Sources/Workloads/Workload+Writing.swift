extension Workload {
  /// Creates all objects in one durable transaction; the result is the bytes of the files.
  static func bulkInsert(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    let people = Person.population(seed: seed, rows: rows)
    return try measuringFiles(of: engine) {
      try Sample.measure(operations: rows) {
        try engine.insert(people[...])
        return 0
      }
    }
  }

  /// Sets one age in ten in one durable transaction.
  static func updateBulk(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    let updates = ageUpdates(seed: seed, rows: rows, count: rows / Count.rowsPerBulkUpdate)
    return try measuringFiles(of: engine) {
      try Sample.measure(operations: updates.count) {
        try engine.update(updates[...])
        return 0
      }
    }
  }

  /// Sets one age in each of 500 transactions, each durable before the next begins.
  static func updateDurable(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    let updates = ageUpdates(seed: seed, rows: rows, count: Count.transactions)
    return try measuringFiles(of: engine) {
      try Sample.measureTransactions(count: Count.transactions, operationsEach: 1) { index in
        try engine.update(updates[index...index])
      }
    }
  }

  /// Creates 100 objects without links in each of 500 durable transactions.
  static func insertBatches(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    let size = Count.batchObjects
    let people = Person.newcomers(seed: seed, firstKey: rows, count: Count.transactions * size)
    return try measuringFiles(of: engine) {
      try Sample.measureTransactions(count: Count.transactions, operationsEach: size) { index in
        try engine.insert(people[index * size..<(index + 1) * size])
      }
    }
  }

  /// Updates in 500 durable transactions while a reader holds the version from before.
  ///
  /// The result is how many bytes the files grew. An operation is one transaction.
  static func pinnedGrowth(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    let size = Count.pinnedUpdates
    let updates = ageUpdates(seed: seed, rows: rows, count: Count.transactions * size)
    try engine.pin()
    let byteCountBefore = try engine.fileByteCount()
    var sample = try Sample.measureTransactions(count: Count.transactions, operationsEach: 1) {
      try engine.update(updates[$0 * size..<($0 + 1) * size])
    }
    sample.result = try engine.fileByteCount() - byteCountBefore
    try engine.unpin()
    return sample
  }

  /// Deletes about a fifth of the objects in one durable transaction.
  static func deleteBulk(seed: UInt64, rows: Int, engine: any Engine) throws -> Sample {
    var random = SplitMix64(state: seed)
    let keys = (0..<rows / Count.rowsPerDeletion).map { _ in random.nextKey(below: rows) }
    return try measuringFiles(of: engine) {
      try Sample.measure(operations: keys.count) {
        try engine.delete(keys: keys)
        return 0
      }
    }
  }

  /// Draws `count` updates: update i sets the age of a random object to i modulo 100.
  private static func ageUpdates(seed: UInt64, rows: Int, count: Int) -> [AgeUpdate] {
    var random = SplitMix64(state: seed)
    return (0..<count).map { AgeUpdate(key: random.nextKey(below: rows), age: $0 % 100) }
  }

  /// Makes the bytes of the engine's files after the run the result of `sample`.
  private static func measuringFiles(
    of engine: any Engine, _ run: () throws -> Sample
  ) throws -> Sample {
    var sample = try run()
    sample.result = try engine.fileByteCount()
    return sample
  }
}
