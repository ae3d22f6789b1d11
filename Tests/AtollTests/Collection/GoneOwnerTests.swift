import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Collections whose object was deleted, or whose realm was invalidated, are empty.
@Suite(.waiting) struct GoneOwnerTests {
  class Shelf: Object {
    @Persisted var number: Int
    @Persisted var numbers: List<Int>
    @Persisted var notes: List<Note>
    @Persisted var addresses: List<Address>
    @Persisted var members: MutableSet<Int>
    @Persisted var noteSet: MutableSet<Note>
    @Persisted var counts: Map<String, Int>
    @Persisted var named: Map<String, Note?>
    @Persisted var value: AnyRealmValue
    @Persisted var long: List<Int>
  }

  class Keyed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int>
  }

  private let realm: Realm
  private let shelf: Shelf

  init() throws {
    realm = try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString))
    let realm = realm
    shelf = try realm.write {
      let note = realm.create(Note.self, value: ["text": "a"])
      let shelf = realm.create(Shelf.self)
      shelf.numbers.append(objectsIn: [1, 2])
      shelf.notes.append(note)
      shelf.addresses.append(Address())
      shelf.members.insert(1)
      shelf.noteSet.insert(note)
      shelf.counts["a"] = 1
      shelf.named["a"] = note
      shelf.value = .fromArray([.int(1), .fromDictionary(["a": .int(2)])])
      shelf.long.append(objectsIn: 0..<2_000)
      return shelf
    }
  }

  /// The collections of the shelf, each with what is asked of it.
  private func collections() -> [(name: String, isEmpty: () -> Bool, isInvalidated: () -> Bool)] {
    func asked<C: RealmCollection>(_ name: String, _ all: C) -> (String, () -> Bool, () -> Bool) {
      (
        name,
        {
          all.count == 0 && all.isEmpty && Array(all).isEmpty && all.first == nil
            && all.last == nil && all.endIndex == 0 && AnyRealmCollection(all).count == 0
        }, { all.isInvalidated }
      )
    }
    func asked<K, V>(_ name: String, _ map: Map<K, V>) -> (String, () -> Bool, () -> Bool) {
      (
        name,
        {
          map.count == 0 && map.isEmpty && map.keys.isEmpty && map.values.isEmpty
            && map.map { $0 }.isEmpty
        }, { map.isInvalidated }
      )
    }
    var all = [
      asked("numbers", shelf.numbers), asked("notes", shelf.notes),
      asked("addresses", shelf.addresses), asked("members", shelf.members),
      asked("noteSet", shelf.noteSet), asked("counts", shelf.counts),
      asked("named", shelf.named), asked("long", shelf.long),
      asked("sorted numbers", shelf.numbers.sorted()),
      asked("filtered notes", shelf.notes.where { $0.text == "a" }),
    ]
    if let list = shelf.value.listValue {
      all.append(asked("list in a mixed value", list))
      if let map = list[1].dictionaryValue { all.append(asked("map in a mixed value", map)) }
    }
    return all.map { (name: $0.0, isEmpty: $0.1, isInvalidated: $0.2) }
  }

  private func check(
    _ all: [(name: String, isEmpty: () -> Bool, isInvalidated: () -> Bool)]
  ) {
    #expect(all.count == 12)
    for collection in all {
      #expect(collection.isEmpty(), "\(collection.name)")
      #expect(collection.isInvalidated(), "\(collection.name)")
    }
  }

  @Test(arguments: [false, true])
  func areEmptyAfterADeletion(areRead: Bool) throws {
    let all = collections()
    if areRead { #expect(all.allSatisfy { !$0.isEmpty() && !$0.isInvalidated() }) }
    realm.beginWrite()
    realm.delete(shelf)
    check(all)
    try realm.commitWrite()
    check(all)
  }

  @Test func areEmptyAfterTheDeletionOfAnotherInstance() throws {
    let all = collections()
    try realm.write { realm.delete(realm.objects(Shelf.self)) }
    check(all)
  }

  @Test func comeBackWhenTheDeletionIsUndone() throws {
    let numbers = shelf.numbers
    let counts = shelf.counts
    realm.beginWrite()
    realm.delete(realm.objects(Shelf.self))
    #expect(numbers.isEmpty && counts.isEmpty)
    realm.cancelWrite()
    #expect(Array(numbers) == [1, 2] && counts["a"] == 1 && !numbers.isInvalidated)
  }

  @Test func areEmptyWhenTheWriteThatMadeTheirObjectIsCancelled() throws {
    realm.beginWrite()
    let shelf = realm.create(Shelf.self)
    shelf.numbers.append(1)
    let (numbers, counts) = (shelf.numbers, shelf.counts)
    realm.cancelWrite()
    #expect(numbers.isEmpty && numbers.isInvalidated && counts.isEmpty && counts.isInvalidated)
  }

  @Test func areEmptyAfterTheRealmWasInvalidated() throws {
    let all = collections()
    let shelves = realm.objects(Shelf.self)
    #expect(shelves.count == 1 && shelves.sum(of: \.number) == 0)
    realm.invalidate()
    check(all)
    #expect(shelves.isInvalidated && shelves.isEmpty && shelves.first == nil && shelves.count == 0)
    #expect(Array(shelves).isEmpty && shelves.max(of: \.number) == nil)
    // The realm itself goes on.
    #expect(realm.objects(Shelf.self).count == 1)
  }

  @Test func areEmptyInTheBlockThatIsToldOfTheDeletion() throws {
    let queue = DispatchQueue(label: "gone")
    let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
    var told: [String] = []
    try queue.sync {
      let realm = try Realm(configuration: configuration, queue: queue)
      let shelf = try realm.write {
        let shelf = realm.create(Shelf.self)
        shelf.numbers.append(1)
        shelf.counts["a"] = 1
        return shelf
      }
      let (numbers, counts) = (shelf.numbers, shelf.counts)
      let tokens = [
        shelf.observe { (change: ObjectChange<Shelf>) in
          if case .deleted = change { told.append("deleted \(numbers.count) \(counts.count)") }
        },
        numbers.observe { change in
          if case .update(let list, let deletions, _, _) = change {
            told.append("\(list.count) \(Array(list)) \(deletions)")
          }
        },
        counts.observe { change in
          if case .update(let map, let deletions, _, _) = change {
            told.append("\(map.count) \(map.keys) \(deletions)")
          }
        },
      ]
      try realm.write { realm.delete(shelf) }
      realm.context.notifier.flush()
      tokens.forEach { $0.invalidate() }
    }
    #expect(told == ["deleted 0 0", "0 [] [0]", #"0 [] ["a"]"#])
  }

  /// The instance that was given to `delete` stays invalid.
  @Test func aDeletionThatIsCancelledLeavesTheCollectionsOfTheObject() throws {
    let all = collections()
    let numbers = shelf.numbers
    realm.beginWrite()
    realm.delete(shelf)
    #expect(all.allSatisfy { $0.isEmpty() && $0.isInvalidated() })
    realm.cancelWrite()
    #expect(shelf.isInvalidated && realm.objects(Shelf.self).count == 1)
    for (name, isEmpty, isInvalidated) in all {
      #expect(!isEmpty() && !isInvalidated(), "\(name)")
    }
    try realm.write { numbers.append(3) }
    #expect(realm.objects(Shelf.self)[0].numbers.map { $0 } == [1, 2, 3])
    // One that is made in the place of another is another, whatever its key.
    let keyed = try realm.write { realm.create(Keyed.self, value: ["id": 1, "numbers": [1]]) }
    let old = keyed.numbers
    try realm.write {
      realm.delete(keyed)
      realm.create(Keyed.self, value: ["id": 1, "numbers": [7]])
    }
    #expect(old.isEmpty && old.isInvalidated && keyed.isInvalidated)
  }

  @Test func changingOneEndsTheProcessWithASentence() async {
    await #expect(processExitsWith: .failure) { try Self.changeGone { $0.numbers.append(1) } }
    await #expect(processExitsWith: .failure) { try Self.changeGone { $0.numbers.removeAll() } }
    await #expect(processExitsWith: .failure) { try Self.changeGone { $0.members.remove(1) } }
    await #expect(processExitsWith: .failure) { try Self.changeGone { $0.counts.removeAll() } }
    await #expect(processExitsWith: .failure) {
      try Self.changeGone { $0.counts.removeObject(for: "a") }
    }
  }

  /// What is taken of the shelf before its deletion is changed after it.
  private struct Parts {
    let numbers: List<Int>
    let members: MutableSet<Int>
    let counts: Map<String, Int>
  }

  private static func changeGone(_ change: (Parts) -> Void) throws {
    let test = try GoneOwnerTests()
    let parts = Parts(
      numbers: test.shelf.numbers, members: test.shelf.members, counts: test.shelf.counts)
    try test.realm.write {
      test.realm.delete(test.shelf)
      change(parts)
    }
  }
}
