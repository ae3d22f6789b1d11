import Atoll
import TestThreads
import Testing

private class Zookeeper: Object {
  @Persisted(primaryKey: true) var id: Int
}

private class Plaque: EmbeddedObject {
  @Persisted var author: Zookeeper?
}

private class Enclosure: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var keeper: Zookeeper?
  @Persisted var deputy: Zookeeper?
  @Persisted var plaque: Plaque?
}

/// Copies of objects whose links wait for objects that are not there.
@Suite(.computing) struct WaitingCopyTests {
  private func realm() throws -> Realm {
    try makeRealm([Zookeeper.self, Plaque.self, Enclosure.self])
  }

  private func enclosure(_ realm: Realm) throws -> Enclosure {
    try #require(realm.object(ofType: Enclosure.self, forPrimaryKey: 1))
  }

  private func awaited(_ state: LinkState<Zookeeper>?) -> Int? {
    if case .absent(let key)? = state { key as? Int } else { nil }
  }

  private func original() throws -> Realm {
    let realm = try realm()
    try realm.write {
      let object = realm.create(Enclosure.self, value: ["id": 1, "plaque": [:]] as [String: Any])
      try realm.makeWait(object, "keeper", for: 7)
      try realm.makeWait(#require(object.plaque), "author", for: 8)
    }
    let object = try enclosure(realm)
    #expect(object.keeper == nil && awaited(object.linkState(\.keeper)) == 7)
    return realm
  }

  @Test(arguments: [Realm.UpdatePolicy.error, .modified, .all])
  func aCopyWaitsForTheObjectThatItsOriginalWaitsFor(update: Realm.UpdatePolicy) throws {
    let source = try original()
    let object = try enclosure(source)
    let target = try realm()
    try target.write { target.create(Enclosure.self, value: object, update: update) }
    let copy = try enclosure(target)
    #expect(copy.keeper == nil && awaited(copy.linkState(\.keeper)) == 7)
    #expect(awaited(copy.linkState(\.deputy)) == nil)
    #expect(awaited(copy.plaque?.linkState(\.author)) == 8)
    try target.write { target.create(Zookeeper.self, value: ["id": 7]) }
    #expect(copy.keeper?.id == 7)
  }

  @Test(arguments: [Realm.UpdatePolicy.modified, .all])
  func anUpdateWaitsForTheObjectThatItsSourceWaitsFor(update: Realm.UpdatePolicy) throws {
    let source = try original()
    let object = try enclosure(source)
    let target = try realm()
    try target.write {
      let keepers = [["id": 1], ["id": 2]].map { target.create(Zookeeper.self, value: $0) }
      target.create(
        Enclosure.self,
        value: ["id": 1, "keeper": keepers[0], "deputy": keepers[1]] as [String: Any])
    }
    let copy = try enclosure(target)
    for _ in 0..<2 {
      try target.write { target.create(Enclosure.self, value: object, update: update) }
      #expect(copy.keeper == nil && awaited(copy.linkState(\.keeper)) == 7)
      #expect(copy.deputy == nil && awaited(copy.linkState(\.deputy)) == nil)
    }
  }

  @Test func aCopyLinksToTheObjectWhereItIsThere() throws {
    let source = try original()
    let object = try enclosure(source)
    let target = try realm()
    try target.write {
      target.create(Zookeeper.self, value: ["id": 7])
      target.create(Enclosure.self, value: object)
    }
    #expect(try enclosure(target).keeper?.id == 7)
  }
}
