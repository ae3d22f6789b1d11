import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

/// What is different between versions, against a comparison of all objects of both.
@Suite(.computing) struct VersionDifferenceTests {
  /// Random transactions on classes with properties of all kinds: of the process itself, which
  /// knows them, and as those of others, of which it finds the leaves.
  @Test(arguments: seeds(9))
  func itIsWhatAComparisonOfAllObjectsFinds(seed: UInt64) throws {
    let database = try Database.inMemory()
    var run = ModelRun(seed: seed &+ 2 << 32)
    try run.begin(database)
    var versions = [try database.snapshot()]
    var told: [UInt64: [String: ExpectedChanges]] = [:]
    for _ in 0..<8 {
      try run.step(database)
      let snapshot = try database.snapshot()
      guard let last = versions.last, snapshot.version > last.version else { continue }
      if snapshot.version == last.version + 1 { told[snapshot.version] = run.model.changes }
      versions.append(snapshot)
    }
    for (index, old) in versions.enumerated() {
      for new in versions[index...].prefix(4) {
        let naive = NaiveDifference(from: old, to: new)
        try naive.compare(database.difference(from: old, to: new), told)
      }
    }
    try run.releaseAll()
  }

  /// Objects that link to what changed, over up to four links and along paths.
  @Test(arguments: seeds(9))
  func whatLeadsToAChangeIsReached(seed: UInt64) throws {
    let database = try Database.inMemory()
    var run = ModelRun(seed: seed &+ 3 << 32)
    try run.begin(database)
    for _ in 0..<4 { try run.step(database) }
    let old = try database.snapshot()
    try run.step(database)
    let new = try database.snapshot()
    try Self.expectReached(by: database.difference(from: old, to: new), in: new)
    try run.releaseAll()
  }

  /// Links in mixed values, also inside lists and maps there, to objects of any class.
  @Test(arguments: seeds(9))
  func whatLeadsToAChangeThroughMixedValuesIsReached(seed: UInt64) throws {
    let database = try Database.inMemory()
    var world = MixedLinks(seed: seed)
    try database.write { try world.begin($0) }
    for _ in 0..<3 { try database.write { try world.change($0) } }
    for _ in 0..<6 {
      let old = try database.snapshot()
      try database.write { try world.change($0) }
      let new = try database.snapshot()
      // As of a transaction of this process, which is known, and as of one of another.
      for difference in [
        database.difference(from: old, to: new),
        VersionDifference(from: old, to: new, ChangeHistory()),
      ] {
        try Self.expectReached(by: difference, in: new)
      }
    }
  }

  private static func expectReached(
    by difference: VersionDifference, in new: Snapshot
  ) throws {
    var reached: [UInt32: Set<ObjectKey>] = [:]
    for table in new.schema.tables {
      reached[table.id] = Set(try difference.table(table.id).modified.keys)
    }
    for depth in 0...VersionDifference.linkDepth {
      for table in new.schema.tables {
        #expect(
          try difference.reached(table.id, depth: depth) == reached[table.id], "depth \(depth)")
      }
      reached = try sources(of: reached, in: new)
    }
  }

  /// The objects themselves and those that link to them, found by a look at everything.
  private static func sources(
    of targets: [UInt32: Set<ObjectKey>], in version: Snapshot
  ) throws -> [UInt32: Set<ObjectKey>] {
    var sources = targets
    for schema in version.schema.tables {
      try version.table(id: schema.id)?.forEach { object in
        for column in schema.columns {
          for link in try object.value(column).links
          where targets[link.table]?.contains(ObjectKey(rawValue: link.key)) == true {
            sources[schema.id, default: []].insert(object.key)
          }
        }
      }
    }
    return sources
  }

  private func items() throws -> Database {
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Item", properties: [PropertySchema("id", .int), PropertySchema("n", .int)],
          primaryKey: "id"))
      for id in 0..<10 { try transaction.create("Item", ["id": .int(Int64(id))]) }
    }
    return database
  }

  private func key(_ id: Int64) -> ObjectKey { ObjectKey(integerPrimaryKey: id) }

  @Test func transactionsOneAfterTheOtherAreNettedOut() throws {
    let database = try items()
    let old = try database.snapshot()
    try database.write { transaction in
      try transaction.set("Item", key(1), "n", .int(5))
      try transaction.create("Item", ["id": .int(20)])
      try transaction.create("Item", ["id": .int(21)])
      try transaction.delete("Item", key(2))
      try transaction.delete("Item", key(3))
    }
    let middle = try database.snapshot()
    try database.write { transaction in
      try transaction.set("Item", key(1), "n", .int(0))
      try transaction.delete("Item", key(20))
      try transaction.create("Item", ["id": .int(2)])
      try transaction.set("Item", key(4), "n", .int(0))
    }
    let new = try database.snapshot()
    let table = try new.table("Item").schema
    let n = try #require(table.column("n")?.id)
    let both = try database.difference(from: old, to: new).table(table.id)
    #expect(both.inserted == [key(21)])
    #expect(both.deleted == [key(3)])
    // Set and set back, made again with all its properties, set to what it was.
    let all = Set(table.columns.map(\.id))
    #expect(both.modified == [key(1): [n], key(2): all, key(4): [n]])
    let last = try database.difference(from: middle, to: new).table(table.id)
    #expect(last.inserted == [key(2)])
    #expect(last.deleted == [key(20)])
    #expect(last.modified == [key(1): [n], key(4): [n]])
    #expect(try database.difference(from: new, to: new).table(table.id).isEmpty)
  }

  /// A change of the classes hides nothing of what the transaction has set.
  @Test func whatWasSetWithAChangeOfTheClassesIsTold() throws {
    let database = try items()
    let old = try database.snapshot()
    try database.write { try $0.set("Item", key(1), "n", .int(5)) }
    try database.write { transaction in
      try transaction.addProperty(PropertySchema("m", .int), to: "Item")
      try transaction.set("Item", key(1), "n", .int(0))
      try transaction.set("Item", key(2), "n", .int(0))
      try transaction.create("Item", ["id": .int(20), "n": .int(1)])
      try transaction.delete("Item", key(3))
      try transaction.delete("Item", key(4))
      try transaction.create("Item", ["id": .int(4)])
    }
    let new = try database.snapshot()
    let table = try new.table("Item").schema
    let n = try #require(table.column("n")?.id)
    let found = try database.difference(from: old, to: new).table(table.id)
    #expect(found.inserted == [key(20)])
    #expect(found.deleted == [key(3)])
    #expect(found.modified[key(1)]?.contains(n) == true)
    #expect(found.modified[key(2)]?.contains(n) == true)
    #expect(found.modified[key(4)] == Set(table.columns.map(\.id)))
    #expect(Set(found.modified.keys).isSuperset(of: [key(1), key(2), key(4)]))
  }

  /// What a transaction did is believed of its own version, not of one that another process made
  /// with the same number when the commit failed.
  @Test func aCommitThatFailedIsNotTold() throws {
    let database = try items()
    let old = try database.snapshot()
    try database.write { try $0.set("Item", key(2), "n", .int(5)) }
    let new = try database.snapshot()
    let id = try new.table("Item").schema.id
    var log = ChangeLog()
    log.recordDeletion(key(1).rawValue)
    let history = ChangeHistory()
    let failed = CommittedChanges(
      [id: log], areAll: true, version: new.version, catalogue: .empty)
    history.note(failed, onto: old.catalogueRoot)
    let difference = VersionDifference(from: old, to: new, history)
    #expect(try difference.table(id).deleted.isEmpty)
    #expect(Array(try difference.table(id).modified.keys) == [key(2)])
    // The same of a commit that made the version, before and after it has returned.
    for isConfirmed in [false, true] {
      let history = ChangeHistory()
      let made = CommittedChanges(
        [id: log], areAll: true, version: new.version, catalogue: new.catalogueRoot)
      history.note(made, onto: old.catalogueRoot)
      if isConfirmed { history.confirm(made) }
      let difference = VersionDifference(from: old, to: new, history)
      #expect(try difference.table(id).deleted == [key(1)])
    }
  }

  /// A commit that has not returned yet has made its version if the next one is made of that.
  @Test func aCommitThatTheNextOneStandsOnIsTold() throws {
    let database = try items()
    let old = try database.snapshot()
    try database.write { try $0.set("Item", key(2), "n", .int(5)) }
    let middle = try database.snapshot()
    try database.write { try $0.set("Item", key(3), "n", .int(5)) }
    let new = try database.snapshot()
    let id = try new.table("Item").schema.id
    for base in [middle.catalogueRoot, old.catalogueRoot] {
      let history = ChangeHistory()
      let changes = [middle, new].map { version in
        var log = ChangeLog()
        log.recordDeletion(key(1).rawValue)
        return CommittedChanges(
          [id: log], areAll: true, version: version.version, catalogue: version.catalogueRoot)
      }
      history.note(changes[0], onto: old.catalogueRoot)
      history.note(changes[1], onto: base)
      history.confirm(changes[1])
      let found = try VersionDifference(from: old, to: new, history).table(id)
      #expect(found.deleted == (base == middle.catalogueRoot ? [key(1)] : []))
    }
  }

  /// Of a transaction that was refused nothing is told, and its version is another's.
  @Test func aCancelledTransactionIsNotTold() throws {
    let database = try items()
    let old = try database.snapshot()
    let cancelled = try database.beginWrite()
    try cancelled.set("Item", key(1), "n", .int(5))
    cancelled.cancel()
    try database.write { try $0.set("Item", key(2), "n", .int(5)) }
    let new = try database.snapshot()
    let id = try new.table("Item").schema.id
    #expect(Array(try database.difference(from: old, to: new).table(id).modified.keys) == [key(2)])
  }

  /// More than is kept of what transactions did.
  @Test func aLargeTransactionIsFoundInItsLeaves() throws {
    let database = try items()
    let old = try database.snapshot()
    let count = Int64(ChangeHistory.eventLimit)
    try database.write { transaction in
      let writer = try transaction.objectWriter("Item")
      for id in 100..<100 + count { _ = try writer.create(primaryKey: id) }
      try transaction.set("Item", key(1), "n", .int(5))
      try transaction.set("Item", key(2), "n", .int(0))
    }
    let new = try database.snapshot()
    let difference = try database.difference(from: old, to: new).table(
      new.table("Item").schema.id)
    #expect(difference.inserted == (100..<100 + count).map(key))
    #expect(Array(difference.modified.keys) == [key(1)])
  }

  /// What was found out of a pair of versions is kept for the next who asks, a few of them; a large
  /// one goes with its last user.
  @Test func aLargeDifferenceIsNotKept() throws {
    let database = try items()
    struct Found {
      weak var shared: SharedDifference?
    }
    func found(_ count: Int) throws -> Found {
      let old = try database.snapshot()
      try database.write { transaction in
        let writer = try transaction.objectWriter("Item")
        let base = Int64(old.version) << 20
        for id in 0..<Int64(count) { _ = try writer.create(primaryKey: base + id) }
      }
      let new = try database.snapshot()
      let difference = database.difference(from: old, to: new)
      _ = try difference.table(new.table("Item").schema.id)
      return Found(shared: difference.shared)
    }
    let small = try found(10)
    #expect(small.shared != nil)
    #expect(try found(ChangeHistory.differenceSizeLimit + 1).shared == nil)
    #expect(small.shared != nil)
    for _ in 0..<ChangeHistory.differenceLimit { _ = try found(1) }
    #expect(small.shared == nil)
  }

  /// What was found out serves all who ask for the same pair, and no version is kept for it.
  @Test func differencesAreSharedAndKeepNoVersion() throws {
    let database = try items()
    var old: Snapshot? = try database.snapshot()
    try database.write { try $0.set("Item", key(2), "n", .int(5)) }
    var new: Snapshot? = try database.snapshot()
    weak let weakOld = old
    weak let weakNew = new
    if let old, let new {
      let first = database.difference(from: old, to: new)
      _ = try first.table(new.table("Item").schema.id)
      #expect(database.difference(from: old, to: new).shared === first.shared)
    }
    (old, new) = (nil, nil)
    #expect(weakOld == nil && weakNew == nil)
  }
}

/// The difference of two versions by a look at every object of both.
private struct NaiveDifference {
  private struct Class {
    var inserted: Set<ObjectKey> = []
    var deleted: Set<ObjectKey> = []
    var modified: [ObjectKey: Set<UInt32>] = [:]
  }

  private let old: Snapshot
  private let new: Snapshot

  init(from old: Snapshot, to new: Snapshot) {
    self.old = old
    self.new = new
  }

  private func difference(_ schema: TableSchema) throws -> Class {
    var found = Class()
    let before = try old.table(id: schema.id)
    let after = try new.table(id: schema.id)
    try before?.forEach { object in
      guard let other = try after?.object(object.key) else {
        found.deleted.insert(object.key)
        return
      }
      for column in schema.columns {
        let oldColumn = before?.schema.columns.first { $0.id == column.id }
        let value = try oldColumn.map { try object.value($0) } ?? .null
        if try !isExactly(other.value(column), value) {
          found.modified[object.key, default: []].insert(column.id)
        }
      }
    }
    try after?.forEach { object in
      if try before?.object(object.key) == nil { found.inserted.insert(object.key) }
    }
    return found
  }

  /// Compares what was found with a look at all objects, where `told` has by version what its
  /// transaction was seen to do.
  func compare(
    _ difference: VersionDifference, _ told: [UInt64: [String: ExpectedChanges]]
  ) throws {
    for schema in new.schema.tables {
      let naive = try self.difference(schema)
      let leaves = try TableDifference(
        from: old.table(id: schema.id), to: new.table(id: schema.id))
      #expect(leaves.inserted == naive.inserted.sorted())
      #expect(leaves.deleted == naive.deleted.sorted())
      #expect(leaves.modified == naive.modified)

      let found = try difference.table(schema.id)
      #expect(found.inserted == naive.inserted.sorted())
      #expect(found.deleted == naive.deleted.sorted())
      for (key, columns) in naive.modified {
        #expect(columns.isSubset(of: found.modified[key] ?? []))
      }
      for (key, columns) in found.modified {
        let excess = columns.subtracting(naive.modified[key] ?? [])
        #expect(excess.isSubset(of: set(key, schema, told)), "\(schema.name) \(key)")
      }
    }
  }

  /// The columns of an object that transactions between the versions have set, be it to what they
  /// were; all of one that was deleted and made again, and where it is not known.
  private func set(
    _ key: ObjectKey, _ schema: TableSchema, _ told: [UInt64: [String: ExpectedChanges]]
  ) -> Set<UInt32> {
    var columns: Set<UInt32> = []
    let all = Set(schema.columns.map(\.id))
    guard old.version < new.version else { return columns }
    for version in old.version + 1...new.version {
      // A step that also changed the classes made several versions.
      guard let changes = told[version] else { return all }
      guard let changes = changes[schema.name] else { continue }
      if changes.deleted.contains(key) { return all }
      for name in changes.modified[key] ?? [] {
        if let column = schema.column(name) { columns.insert(column.id) }
      }
    }
    return columns
  }
}
