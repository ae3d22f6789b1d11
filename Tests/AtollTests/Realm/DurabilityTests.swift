import AtollStorage
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import Atoll
@testable import AtollObjects

private class Knot: Atoll.Object {
  @Persisted var number: Int
}

/// What a commit waits for.
@Suite(.waiting) struct DurabilityTests {
  private let folder = TemporaryFolder()

  private func realm(_ durability: Realm.Configuration.Durability) throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(filePath: folder.path(of: "knots")), objectTypes: [Knot.self],
        durability: durability))
  }

  /// How many versions a power cut may take.
  private func loss(_ realm: Realm) throws -> UInt64 {
    let transaction = try realm.context.file.database.beginWrite()
    defer { transaction.cancel() }
    return transaction.baseVersion - transaction.storage.durableVersion
  }

  @Test func aFullCommitIsOnTheDisk() throws {
    let realm = try realm(.full)
    for number in 0..<3 { try realm.write { realm.create(Knot.self, value: [number]) } }
    #expect(try loss(realm) == 0)
  }

  @Test func aRelaxedCommitDoesNotWaitForTheDisk() throws {
    do {
      let realm = try realm(.relaxed)
      for number in 0..<3 { try realm.write { realm.create(Knot.self, value: [number]) } }
      #expect(try loss(realm) > 0)
    }
    // The end of the last realm of the file makes all of it durable.
    let again = try realm(.relaxed)
    #expect(again.objects(Knot.self).count == 3)
    #expect(try loss(again) == 0)
  }

  @Test func theStrongerOfTwoOpeningsHolds() throws {
    let first = try realm(.relaxed)
    let second = try realm(.full)
    try first.write { first.create(Knot.self, value: [1]) }
    #expect(try loss(first) == 0)
    _ = try realm(.relaxed)
    try second.write { second.create(Knot.self, value: [2]) }
    #expect(try loss(second) == 0)
  }

  @Test(arguments: [Realm.Configuration.Durability.full, .relaxed])
  @MainActor func anAsynchronousWriteWaitsForItToo(
    _ durability: Realm.Configuration.Durability
  ) async throws {
    let realm = try realm(durability)
    for number in 0..<3 {
      try await realm.asyncWrite { _ = realm.create(Knot.self, value: [number]) }
    }
    #expect(try (loss(realm) == 0) == (durability == .full))
    let error = await withCheckedContinuation { continuation in
      realm.writeAsync {
        realm.create(Knot.self, value: [9])
      } onComplete: {
        continuation.resume(returning: $0.map { "\($0)" })
      }
    }
    #expect(error == nil && realm.objects(Knot.self).count == 4)
    #expect(try (loss(realm) == 0) == (durability == .full))
  }
}
