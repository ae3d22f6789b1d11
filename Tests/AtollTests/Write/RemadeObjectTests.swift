import Atoll
import Foundation
import TestThreads
import Testing

private class Seat: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var name: String
  @Persisted var tags: List<String>

  convenience init(_ number: Int, _ name: String) {
    self.init()
    self.number = number
    self.name = name
  }
}

/// Objects that are deleted and made again with the same integer key in one write: the second is
/// another object, though it lies where the first one lay.
@Suite(.waiting) struct RemadeObjectTests {
  private let realm: Realm

  init() throws {
    realm = try makeRealm()
    try realm.write { realm.add([Seat(1, "first"), Seat(2, "other")]) }
  }

  private func seat(_ number: Int) throws -> Seat {
    try #require(realm.object(ofType: Seat.self, forPrimaryKey: number))
  }

  @Test func otherInstancesOfTheFirstAreInvalid() throws {
    let (instance, other) = (try seat(1), try seat(2))
    let tags = instance.tags
    try realm.write {
      realm.delete(try seat(1))
      #expect(instance.isInvalidated)
      realm.create(Seat.self, value: ["number": 1, "name": "second", "tags": ["a"]])
      #expect(instance.isInvalidated && tags.isEmpty && !other.isInvalidated)
      #expect(try seat(1).name == "second")
    }
    let second = try seat(1)
    #expect(instance.isInvalidated && tags.isEmpty && second.name == "second")
    try realm.write { second.name = "changed" }
    #expect(try seat(1).name == "changed" && other.name == "other")
  }

  @Test func allAreDeletedAndMadeAgain() throws {
    let instances = [try seat(1), try seat(2)]
    try realm.write {
      realm.deleteAll()
      realm.add(Seat(2, "new"))
      #expect(instances.allSatisfy { $0.isInvalidated })
      // And once more.
      let new = try seat(2)
      realm.delete(realm.objects(Seat.self))
      realm.add(Seat(2, "newest"), update: .all)
      #expect(new.isInvalidated && instances[1].isInvalidated)
    }
    #expect(instances.allSatisfy { $0.isInvalidated })
    #expect(realm.objects(Seat.self).map(\.name) == ["newest"])
  }

  @Test func aWriteThatIsCancelledLeavesTheFirstAsItWas() throws {
    let instance = try seat(1)
    realm.beginWrite()
    realm.delete(try seat(1))
    let second = Seat(1, "second")
    realm.add(second)
    #expect(instance.isInvalidated && !second.isInvalidated)
    realm.cancelWrite()
    #expect(second.isInvalidated && !instance.isInvalidated && instance.name == "first")
    #expect(try seat(1).name == "first")
  }

  @MainActor
  @Test func observersOfTheFirstAreToldThatItIsDeleted() async throws {
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    let realm = try await Realm(configuration: configuration)
    let first = Seat(1, "first")
    try realm.write { realm.add(first) }
    let instance = try #require(realm.object(ofType: Seat.self, forPrimaryKey: 1))
    var told: [String] = []
    let token = instance.observe { (change: ObjectChange<Seat>) in
      switch change {
      case .deleted: told.append("deleted")
      case .change(_, let changes): told.append("changed \(changes.map(\.name).sorted())")
      case .error: told.append("error")
      }
    }
    try realm.write {
      realm.delete(first)
      realm.add(Seat(1, "second"))
    }
    realm.refresh()
    try realm.write { realm.object(ofType: Seat.self, forPrimaryKey: 1)?.name = "third" }
    realm.refresh()
    #expect(told == ["deleted"])
    token.invalidate()
  }
}
