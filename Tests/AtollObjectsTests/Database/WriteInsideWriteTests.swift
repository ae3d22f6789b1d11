import AtollStorage
import TestThreads
import Testing

@testable import AtollObjects

/// What would wait for the transaction that runs on its own thread is an error.
///
/// Without that these tests hang: a thread that waits for a lock cannot be ended.
@Suite(.computing) struct WriteInsideWriteTests {
  private static func database() throws -> Database {
    let database = try Database.inMemory()
    // Relaxed, so that there is something to synchronise.
    try database.write(durability: .relaxed) {
      try $0.addClasses([ClassSchema("Note", properties: [PropertySchema("number", .int)])])
    }
    return database
  }

  private static func add(_ number: Int64, _ transaction: Transaction) throws {
    try transaction.create("Note", ["number": .int(number)])
  }

  @Test func whateverWaitsForTheTransactionThrows() throws {
    let database = try Self.database()
    let error = ObjectError.storage(.insideWrite(path: database.path))
    try database.write { transaction in
      try Self.add(1, transaction)
      #expect(throws: error) { try database.write { try Self.add(2, $0) } }
      #expect(throws: error) { _ = try database.beginWrite() }
      #expect(throws: error) { try database.synchronize() }
      #expect(throws: error) { try database.compactInPlace() }
      try Self.add(3, transaction)
    }
    #expect(try database.snapshot().table("Note").count == 2)
    // The thread is free again, after a transaction that failed too.
    #expect(throws: CancellationError.self) {
      try database.write { _ in throw CancellationError() }
    }
    try database.write { try Self.add(4, $0) }
    try database.synchronize()
    #expect(try database.snapshot().table("Note").count == 3)
  }

  @Test func anotherDatabaseAndAnotherThreadAreFree() async throws {
    let database = try Self.database()
    let other = try Self.database()
    try database.write { transaction in
      try other.write { try Self.add(1, $0) }
      try Self.add(1, transaction)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 as Range<Int64> {
        group.addTask { try database.write { try Self.add(number, $0) } }
        group.addTask { try await database.writeAsync { try Self.add(number, $0) } }
      }
      try await group.waitForAll()
    }
    #expect(try database.snapshot().table("Note").count == 101)
    #expect(try other.snapshot().table("Note").count == 1)
  }
}
