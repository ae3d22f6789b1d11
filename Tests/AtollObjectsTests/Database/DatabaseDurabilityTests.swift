import AtollStorage
import TestSupport
import TestThreads
import Testing

@testable import AtollObjects

@Suite(.computing, .hangLimit) struct DatabaseDurabilityTests {
  private static func database(
    _ file: SimulatedFile, _ durability: Durability = .full
  ) throws -> Database {
    let options = Database.Options(durability: durability)
    let database = Database(
      store: try Database.store(file, LocalCoordinator(path: file.path), options),
      options: options)
    if try database.snapshot().schema.tables.isEmpty {
      try database.write(durability: .full) {
        try $0.addClasses([
          ClassSchema(
            "Note", properties: [PropertySchema("number", .int)], primaryKey: "number")
        ])
      }
    }
    return database
  }

  private static func syncCount(_ file: SimulatedFile) -> Int {
    file.counters.dataSyncCount + file.counters.fullSyncCount
  }

  private static func count(_ database: Database) throws -> Int {
    try database.snapshot().table("Note").count
  }

  private static func add(_ number: Int64, _ transaction: Transaction) throws {
    try transaction.create("Note", ["number": .int(number)])
  }

  @Test func theOptionHoldsForTransactionsThatSayNothing() throws {
    let file = try SimulatedFile(capacity: 1 << 26)
    let database = try Self.database(file, .relaxed)
    let before = Self.syncCount(file)
    for number in 0..<20 as Range<Int64> { try database.write { try Self.add(number, $0) } }
    let transaction = try database.beginWrite()
    try Self.add(20, transaction)
    try transaction.commit()
    #expect(Self.syncCount(file) == before)
    try database.write(durability: .full) { try Self.add(21, $0) }
    #expect(Self.syncCount(file) == before + 1)
    try database.write(durability: Durability.none) { try Self.add(22, $0) }
    #expect(Self.syncCount(file) == before + 1)
    try database.synchronize()
    #expect(Self.syncCount(file) == before + 2)
    var random = SplitMix64(seed: 1)
    #expect(try Self.count(Self.database(file.afterPowerLoss(using: &random))) == 23)

    let strict = try Self.database(SimulatedFile(capacity: 1 << 26))
    #expect(strict.durability == .full)
  }

  @Test func whatTasksWriteIsDurableWhenItReturns() async throws {
    struct Refusal: Error {}
    let file = try SimulatedFile(capacity: 1 << 26)
    let database = try Self.database(file)
    try await withThrowingTaskGroup(of: Int64.self) { group in
      for number in 0..<60 as Range<Int64> {
        group.addTask {
          try await database.writeAsync { transaction in
            try Self.add(number, transaction)
            return number
          }
        }
      }
      var sum: Int64 = 0
      for try await number in group { sum += number }
      #expect(sum == 59 * 30)
    }
    await #expect(throws: Refusal.self) {
      try await database.writeAsync { transaction in
        try Self.add(100, transaction)
        throw Refusal()
      }
    }
    var random = SplitMix64(seed: 1)
    #expect(try Self.count(Self.database(file.afterPowerLoss(using: &random))) == 60)
    try database.close()
    await #expect(throws: ObjectError.storage(.closed(path: file.path, failedSync: nil))) {
      try await database.writeAsync { try Self.add(101, $0) }
    }
    #expect(throws: ObjectError.storage(.closed(path: file.path, failedSync: nil))) {
      try database.synchronize()
    }
  }
}
