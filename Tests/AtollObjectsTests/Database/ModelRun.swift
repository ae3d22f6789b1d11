import AtollObjects
import Testing

/// Random transactions on a database and on the model, from one seed.
struct ModelRun {
  let seed: UInt64
  var random: RandomValues
  var model = ObjectModel()
  /// How many properties were added, to name the next.
  var propertyCount = 0
  /// Versions that a reader holds, with the model as it was.
  private var held: [(snapshot: Snapshot, model: ObjectModel)] = []

  /// A change that is given up by throwing.
  struct Abandoned: Error {}

  /// What a run is made to meet.
  enum Flavour: CaseIterable {
    case fewObjects
    /// Trees of several leaves.
    case manyObjects
    /// Values outside their leaves.
    case largeValues
  }

  let flavour: Flavour

  init(seed: UInt64) {
    self.seed = seed
    flavour = Flavour.allCases[Int(seed % 3)]
    random = RandomValues(seed: seed, flavour)
  }

  // MARK: Transactions

  /// Makes the classes.
  mutating func begin(_ database: Database) throws {
    let classes = random.schema()
    let schema = try database.write { transaction in
      try transaction.addClasses(classes)
      return transaction.schema
    }
    for added in classes {
      model.add(added, id: try #require(schema.table(added.name)).id)
    }
  }

  /// Does one transaction and compares what is there afterwards.
  mutating func step(_ database: Database) throws {
    let before = model
    model.beginChanges()
    if random.chance(3) { held.append((try database.snapshot(), before)) }
    let transaction = try database.beginWrite()
    do {
      if flavour == .manyObjects { try doMany(transaction) }
      for _ in 0..<random.pick([1, 3, 10, 30]) {
        try operate(transaction)
        if random.chance(20) { try compare(inside: transaction) }
      }
      try compare(inside: transaction)
      try compareChanges(transaction, before)
    } catch {
      transaction.cancel()
      throw error
    }
    switch random.int(0..<8) {
    case 0:
      transaction.cancel()
      model = before
    case 1:
      model = before
      try abandon(transaction, database)
      model = before
    default:
      try transaction.commit()
    }
    if random.chance(3) { try compact(database) }
    try compare(database)
    if held.count > 2 { try release(random.int(0..<held.count)) }
  }

  /// Makes the file shorter, or begins to.
  private mutating func compact(_ database: Database) throws {
    let report = try database.compactInPlace(
      limits: CompactionLimits(
        transactionCount: random.pick([1, 3, 1000]), patience: .zero,
        stepByteCount: random.pick([1, 1 << 14, 1 << 20])))
    #expect(report.byteCountAfter <= report.byteCountBefore + 1 << 20, "seed \(seed)")
    if random.chance(3) { try check(database) }
  }

  /// Gives a transaction up, and another by throwing in its middle.
  private mutating func abandon(_ transaction: Transaction, _ database: Database) throws {
    transaction.cancel()
    model.beginChanges()
    do {
      try database.write { transaction in
        for _ in 0..<5 { try operate(transaction) }
        throw Abandoned()
      }
      Issue.record("seed \(seed): a transaction that threw was committed")
    } catch is Abandoned {}
  }

  /// Compares the newest version, by a snapshot.
  func compare(_ database: Database) throws {
    let snapshot = try database.snapshot()
    let differences = try ModelComparison.differences(snapshot, model)
    #expect(differences.isEmpty, "seed \(seed)")
    #expect(snapshot.pendingLinkCount == model.waitingCount, "seed \(seed)")
  }

  private mutating func compare(inside transaction: Transaction) throws {
    let byValue = try ModelComparison.differences(byValueIn: transaction, model)
    try #require(byValue.isEmpty, "seed \(seed)")
    // Reading a table writes pages, after which changes take other paths: so not always.
    if random.chance(2) {
      let differences = try ModelComparison.differences(transaction, model)
      try #require(differences.isEmpty, "seed \(seed)")
    }
  }

  /// What the transaction says it did is what was done, and covers what differs.
  private func compareChanges(_ transaction: Transaction, _ before: ObjectModel) throws {
    let found = ExpectedChanges.all(transaction.changes)
    #expect(found == model.changes, "seed \(seed)")
    for (name, difference) in before.difference(to: model) {
      let told = found[name] ?? ExpectedChanges()
      #expect(told.inserted == difference.inserted, "seed \(seed)")
      #expect(told.deleted == difference.deleted, "seed \(seed)")
      for (key, properties) in difference.modified {
        let isKnown = before[name].schema.properties.map(\.name)
        #expect(
          properties.intersection(isKnown).isSubset(of: told.modified[key] ?? []), "seed \(seed)")
      }
    }
  }

  /// Checks that the file has no fault.
  func check(_ database: Database) throws {
    let report = try database.check()
    #expect(report.findings.isEmpty, "seed \(seed)")
    #expect(report.objectCount == model.classNames.reduce(0) { $0 + model[$1].objects.count })
  }

  /// Compares the versions that are held, oldest first, and lets them go.
  mutating func releaseAll() throws {
    while !held.isEmpty { try release(0) }
  }

  private mutating func release(_ index: Int) throws {
    let (snapshot, old) = held.remove(at: index)
    let differences = try ModelComparison.differences(snapshot, old)
    #expect(differences.isEmpty, "seed \(seed): a snapshot changed")
  }
}
