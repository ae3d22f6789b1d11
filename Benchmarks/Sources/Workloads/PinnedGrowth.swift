/// The growth of the files under an open reader, after increasing numbers of transactions.
package struct PinnedGrowth: Sendable {
  package let rows: Int
  /// Transactions of the whole run.
  package let commitCount: Int

  package init(rows: Int, commitCount: Int) {
    self.rows = rows
    self.commitCount = commitCount
  }

  /// After how many transactions the files are measured: powers of ten, and the end.
  private var milestones: [Int] {
    var milestones: [Int] = []
    var next = 100
    while next < commitCount {
      milestones.append(next)
      next *= 10
    }
    return milestones + [commitCount]
  }

  /// Loads the objects, pins a reader, and updates ten random ages in each transaction.
  ///
  /// - Parameters:
  ///   - engine: open and empty.
  ///   - measured: gets each sample as soon as it is there; its operations are the transactions so
  ///     far, its result the bytes by which the files grew.
  /// - Throws: what the engine throws.
  package func run(_ engine: any Engine, measured: (Sample) -> Void) throws {
    try engine.insert(Person.population(seed: Seed.population, rows: rows)[...])
    try engine.pin()
    let byteCountBefore = try engine.fileByteCount()
    var random = SplitMix64(state: Seed.pinnedGrowth)
    let meter = ProcessMeter()
    let clock = ContinuousClock()
    let start = clock.now
    var done = 0
    for milestone in milestones {
      while done < milestone {
        let updates = (0..<Count.pinnedUpdates).map {
          AgeUpdate(key: random.nextKey(below: rows), age: (done + $0) % 100)
        }
        try engine.update(updates[...])
        done += 1
      }
      measured(
        Sample(
          operations: done, seconds: (clock.now - start).inSeconds,
          result: try engine.fileByteCount() - byteCountBefore, resources: meter.use()))
    }
    try engine.unpin()
  }
}
