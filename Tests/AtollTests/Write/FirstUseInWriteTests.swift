import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

/// Holds a value of every kind.
private class Shelf: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var number: Int
  @Persisted var tags: List<String>
  @Persisted var marks: MutableSet<Int>
  @Persisted var sizes: Map<String, Int>
  @Persisted var link: Jar?
  @Persisted var jars: List<Jar>
  @Persisted var lid: Lid?
  @Persisted var lids: List<Lid>
  @Persisted var any: AnyRealmValue
}

private class Jar: Object {
  @Persisted var label: String
  @Persisted(originProperty: "jars") var shelves: LinkingObjects<Shelf>
}

private class Lid: EmbeddedObject {
  @Persisted var width: Int
}

/// The classes below come into the file in the middle of a write.
private class Newcomer: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var friend: NewFriend?
}

private class NewFriend: Object {
  @Persisted var name: String
}

/// The same class, declared by an older and a newer program.
private class OldShelf: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var number: Int
  override class func _realmObjectName() -> String? { "PlainShelf" }
}

private class NewShelf: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted(indexed: true) var number: Int
  @Persisted var note: String?
  @Persisted var count: Int
  @Persisted var places: List<Int>
  @Persisted var jar: Jar?
  override class func _realmObjectName() -> String? { "PlainShelf" }
}

private class TextShelf: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var number: String
  @Persisted var more: Newcomer?
  override class func _realmObjectName() -> String? { "PlainShelf" }
}

/// How a class is met for the first time.
enum FirstUse: CaseIterable, Sendable {
  case create, add, count, find, mixed, open
}

@Suite(.waiting) struct FirstUseInWriteTests {
  private let name = UUID().uuidString

  private func configuration(_ types: [ObjectBase.Type]? = nil) -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: name, objectTypes: types)
  }

  private func use(_ use: FirstUse, _ realm: Realm, _ shelf: Shelf) throws {
    switch use {
    case .create: realm.create(Newcomer.self, value: [1])
    case .add: realm.add(Newcomer(value: [1, ["name": "Ann"]]))
    case .count: #expect(realm.objects(Newcomer.self).isEmpty)
    case .find: #expect(realm.object(ofType: Newcomer.self, forPrimaryKey: 1) == nil)
    case .mixed: shelf.any = .object(Newcomer(value: [1]))
    case .open:
      _ = try Realm(configuration: configuration([Newcomer.self]))
    }
  }

  private func fill(_ shelf: Shelf, _ realm: Realm) {
    shelf.number = 5
    shelf.tags.append("t")
    shelf.marks.insert(1)
    shelf.sizes["a"] = 1
    shelf.link = Jar(value: ["one"])
    shelf.jars.append(Jar(value: ["two"]))
    shelf.lid = Lid(value: [3])
    shelf.lids.append(Lid(value: [4]))
    shelf.any = .int(7)
  }

  /// Changes everything that `fill` has set, as one who reads it first.
  private func goOn(_ shelf: Shelf) {
    shelf.number += 1
    shelf.tags.append("u")
    shelf.marks.insert(2)
    shelf.sizes["b"] = (shelf.sizes["a"] ?? 0) + 1
    shelf.link?.label += "!"
    shelf.jars[0].label += "!"
    shelf.lid?.width += 1
    shelf.lids[0].width += 1
  }

  private func check(_ shelf: Shelf, _ realm: Realm) {
    #expect(shelf.number == 6)
    #expect(Array(shelf.tags) == ["t", "u"])
    #expect(Set(shelf.marks) == [1, 2])
    #expect(shelf.sizes["a"] == 1 && shelf.sizes["b"] == 2)
    #expect(shelf.link?.label == "one!")
    #expect(shelf.jars.map(\.label) == ["two!"])
    #expect(shelf.jars.first?.shelves.map(\._id) == [shelf._id])
    #expect(shelf.lid?.width == 4 && shelf.lids.map(\.width) == [5])
    #expect(realm.objects(Jar.self).where { $0.label.ends(with: "!") }.count == 2)
    #expect(realm.objects(Shelf.self).where { $0.number == 6 }.map(\._id) == [shelf._id])
    #expect(realm.object(ofType: Shelf.self, forPrimaryKey: shelf._id)?.number == 6)
    #expect(realm.objects(Shelf.self).sum(of: \.number) == 6)
  }

  @Test(arguments: FirstUse.allCases, [false, true])
  func whatAWriteChangedStaysWhenAClassComesIn(_ first: FirstUse, isNew: Bool) throws {
    let realm = try Realm(configuration: configuration())
    if !isNew { try realm.write { realm.create(Shelf.self, value: [1]) } }
    try realm.write {
      let shelf =
        isNew
        ? realm.create(Shelf.self, value: [1])
        : try #require(realm.object(ofType: Shelf.self, forPrimaryKey: 1))
      let jars = realm.objects(Jar.self).sorted(by: \.label)
      fill(shelf, realm)
      #expect(jars.map(\.label) == ["one", "two"])
      try use(first, realm, shelf)
      #expect(jars.map(\.label) == ["one", "two"])
      goOn(shelf)
      check(shelf, realm)
    }
    check(try #require(realm.objects(Shelf.self).first), realm)
  }

  @Test func severalClassesComeInWhileAWriteGoesThroughObjects() throws {
    let realm = try Realm(configuration: configuration())
    try realm.write { for id in 1...3 { realm.create(Shelf.self, value: [id]) } }
    try realm.write {
      realm.objects(Shelf.self).first?.tags.append(objectsIn: ["a", "b"])
      for shelf in realm.objects(Shelf.self) {
        shelf.number += 1
        for tag in shelf.tags {
          realm.create(Note.self, value: ["text": tag])
          shelf.jars.append(Jar(value: [tag]))
          realm.create(Newcomer.self, value: [shelf.tags.count], update: .all)
        }
      }
      realm.create(Hound.self, value: ["name": "Rex"])
    }
    #expect(realm.objects(Shelf.self).map(\.number) == [1, 1, 1])
    #expect(realm.objects(Note.self).map(\.text) == ["a", "b"])
    #expect(realm.objects(Shelf.self).first?.jars.map(\.label) == ["a", "b"])
    #expect(realm.objects(Newcomer.self).map(\._id) == [2])
    #expect(realm.objects(Hound.self).count == 1)
  }

  @Test func whatWasDeletedStaysDeletedWhenAClassComesIn() throws {
    let realm = try Realm(configuration: configuration())
    let shelf = Shelf(value: [1])
    try realm.write {
      realm.add(shelf)
      fill(shelf, realm)
    }
    try realm.write {
      realm.delete(realm.objects(Jar.self).where { $0.label == "two" })
      realm.create(Note.self)
      #expect(shelf.jars.isEmpty && shelf.link?.label == "one")
      realm.deleteAll()
      realm.create(Newcomer.self, value: [1])
      #expect(shelf.isInvalidated && realm.objects(Jar.self).isEmpty)
      #expect(realm.object(ofType: Shelf.self, forPrimaryKey: 1) == nil)
      realm.create(Shelf.self, value: [1, 9])
      realm.create(Hound.self, value: ["name": "Rex"])
      #expect(realm.objects(Shelf.self).map(\.number) == [9])
    }
    #expect(realm.objects(Shelf.self).map(\.number) == [9] && realm.objects(Jar.self).isEmpty)
    #expect(realm.objects(Newcomer.self).count == 1)
  }

  @Test func aCancelledWriteTakesItsClassesAlong() throws {
    let realm = try Realm(configuration: configuration())
    try realm.write { realm.create(Shelf.self, value: [1, 5]) }
    let shelf = try #require(realm.objects(Shelf.self).first)
    realm.beginWrite()
    shelf.number = 6
    let made = realm.create(Newcomer.self, value: [1, ["name": "Ann"]])
    let found = try #require(realm.object(ofType: Newcomer.self, forPrimaryKey: 1))
    let friends = realm.objects(NewFriend.self)
    let friend = try #require(friends.first)
    #expect(friend.name == "Ann" && friends.count == 1)
    realm.cancelWrite()
    #expect(shelf.number == 5)
    #expect(made.isInvalidated && found.isInvalidated && friend.isInvalidated)
    #expect(!realm.fileHas("Newcomer"))
    // The numbers of the classes are given out again, the other way round.
    try realm.write {
      realm.create(Note.self, value: ["text": "n"])
      realm.create(NewFriend.self, value: ["name": "Bob"])
      #expect(made.isInvalidated && found.isInvalidated && friend.isInvalidated)
    }
    #expect(friends.map(\.name) == ["Bob"] && friend.isInvalidated)
    #expect(realm.objects(Newcomer.self).isEmpty)
  }

  /// An object that was looked up in the write that made it.
  @Test func whatACancelledWriteMadeDoesNotComeBackAsAnotherObject() throws {
    let realm = try Realm(configuration: configuration())
    try realm.write { realm.create(Note.self, value: ["text": "old"]) }
    let old = try #require(realm.objects(Note.self).first)
    realm.beginWrite()
    realm.create(Note.self, value: ["text": "new"])
    let new = try #require(realm.objects(Note.self).last)
    let alsoOld = try #require(realm.objects(Note.self).first)
    realm.cancelWrite()
    try realm.write { realm.create(Note.self, value: ["text": "newer"]) }
    #expect(new.isInvalidated && old.text == "old" && alsoOld.text == "old")
  }

  @Test func propertiesAndIndexesComeIntoAKnownClassInAWrite() throws {
    let realm = try Realm(configuration: configuration())
    try realm.write { for id in 1...3 { realm.create(OldShelf.self, value: [id, id]) } }
    let old = try #require(realm.object(ofType: OldShelf.self, forPrimaryKey: 2))
    try realm.write {
      old.number = 7
      realm.create(OldShelf.self, value: [4, 7])
      let new = try #require(realm.object(ofType: NewShelf.self, forPrimaryKey: 2))
      #expect(new.number == 7 && new.note == nil && new.places.isEmpty && new.jar == nil)
      new.note = "seen"
      new.places.append(1)
      new.jar = Jar(value: ["j"])
      old.number += 1
      realm.create(Newcomer.self, value: [1])
      #expect(new.number == 8 && new.note == "seen" && new.jar?.label == "j")
      #expect(realm.objects(NewShelf.self).where { $0.number == 7 }.map(\._id) == [4])
      #expect(realm.objects(OldShelf.self).where { $0.number == 8 }.map(\._id) == [2])
    }
    #expect(realm.objects(NewShelf.self).map(\.number) == [1, 8, 3, 7])
    #expect(realm.fileHas("PlainShelf", "note"))
  }

  @Test func propertiesOfACancelledWriteComeBackWhenTheyAreNeeded() throws {
    let realm = try Realm(configuration: configuration())
    try realm.write { realm.create(OldShelf.self, value: [1, 5]) }
    realm.beginWrite()
    let shelf = try #require(realm.object(ofType: NewShelf.self, forPrimaryKey: 1))
    shelf.note = "gone"
    shelf.number = 6
    realm.cancelWrite()
    #expect(!shelf.isInvalidated && shelf.number == 5)
    #expect(shelf.note == nil && shelf.count == 0 && shelf.places.isEmpty && shelf.jar == nil)
    let frozen = shelf.freeze()
    #expect(frozen.number == 5 && frozen.note == nil && frozen.places.isEmpty)
    try realm.write {
      shelf.note = "there"
      shelf.places.append(3)
    }
    #expect(shelf.note == "there" && Array(shelf.places) == [3] && frozen.note == nil)
    #expect(realm.objects(NewShelf.self).where { $0.note == "there" }.count == 1)
  }

  @Test func aClassThatDoesNotFitLeavesTheWriteWhole() throws {
    let realm = try Realm(configuration: configuration())
    let long = String(repeating: "x", count: 70_000)
    try realm.write {
      realm.create(OldShelf.self, value: [1, 5])
      realm.create(LongName.self, value: [1, long])
    }
    let old = try #require(realm.objects(OldShelf.self).first)
    try realm.write {
      old.number = 6
      realm.create(Note.self, value: ["text": "n"])
      #expect(throws: Realm.Error.self) {
        _ = try Realm(configuration: configuration([TextShelf.self]))
      }
      // All can be made but the index, over a string that is too long.
      #expect(throws: (any Error).self) {
        _ = try Realm(configuration: configuration([ShortName.self]))
      }
      #expect(!realm.fileHas("Newcomer") && !realm.fileHas("Named", "age"))
      old.number += 1
      realm.create(Hound.self, value: ["name": "Rex"])
      #expect(old.number == 7 && realm.objects(Note.self).count == 1)
    }
    #expect(old.number == 7 && realm.objects(Note.self).first?.text == "n")
    #expect(realm.objects(Hound.self).count == 1 && realm.objects(LongName.self).count == 1)
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []
  }

  @Test func observersHearOfAWriteInWhichAClassCameIn() throws {
    let queue = DispatchQueue(label: "first use")
    let log = Log()
    func onQueue(_ body: (Realm) throws -> Void) throws {
      try queue.sync { try body(Realm(configuration: configuration(), queue: queue)) }
      for _ in 0..<3 { queue.sync {} }
    }
    let keeper = try Realm(configuration: configuration())
    try onQueue { realm in
      try realm.write { realm.create(OldShelf.self, value: [1, 5]) }
      let token = realm.objects(OldShelf.self).observe { change in
        guard case .update(let shelves, _, let insertions, let modifications) = change else {
          return
        }
        // The first use of a class in a block of an observer.
        let counts = [realm.objects(Newcomer.self).count, realm.objects(Hound.self).count]
        let numbers = Array(shelves.map(\.number))
        log.lines.append("\(numbers) +\(insertions) ~\(modifications) \(counts)")
      }
      log.tokens = [token]
    }
    try onQueue { realm in
      try realm.write {
        let shelves = realm.objects(OldShelf.self)
        shelves.first?.number = 6
        realm.create(OldShelf.self, value: [2])
        realm.create(Newcomer.self, value: [1])
        shelves.first?.number += 1
      }
    }
    #expect(log.lines == ["[7, 0] +[1] ~[0] [1, 0]"])
    withExtendedLifetime(keeper) {}
  }

  @Test func asynchronousWritesAndOtherRealmsSeeTheSame() async throws {
    let writer = try await ShelfWriter(configuration())
    try await writer.write()
    try checkWhatWasWritten()
    await writer.close()
  }

  private func checkWhatWasWritten() throws {
    let realm = try Realm(configuration: configuration())
    let frozen = realm.freeze()
    for realm in [realm, frozen] {
      #expect(realm.objects(OldShelf.self).map(\.number) == [6])
      #expect(realm.objects(Newcomer.self).count == 1)
    }
  }
}

/// As `ShortName`, before its properties and its index.
private class LongName: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  override class func _realmObjectName() -> String? { "Named" }
}

private class ShortName: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted(indexed: true) var name: String
  @Persisted(indexed: true) var age: Int
  @Persisted var friend: Newcomer?
  override class func _realmObjectName() -> String? { "Named" }
}

/// Writes in the realm of an actor.
private actor ShelfWriter {
  private var realm: Realm?

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func close() { realm = nil }

  func write() async throws {
    guard let realm else { return }
    try await realm.asyncWrite {
      let shelf = realm.create(OldShelf.self, value: [1, 5])
      #expect(realm.objects(Newcomer.self).isEmpty)
      realm.create(Newcomer.self, value: [1])
      shelf.number += 1
      #expect(shelf.number == 6)
    }
  }
}
