import Atoll
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

private class Knot: Object {
  @Persisted var name: String
  @Persisted var next: Knot?
  @Persisted var others: List<Knot>
  @Persisted var named: Map<String, Knot?>
  @Persisted var set: MutableSet<Knot>
  @Persisted var any: AnyRealmValue
  @Persisted var part: Part?
  @Persisted var parts: List<Part>

  convenience init(name: String) {
    self.init()
    self.name = name
  }
}

private class Part: EmbeddedObject {
  @Persisted var name: String
  @Persisted var knot: Knot?
  @Persisted var inner: Part?
  @Persisted(originProperty: "part") var owners: LinkingObjects<Knot>
}

private class Key: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var next: Key?
  @Persisted var all: List<Key>
}

private class Branch: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var name: String
  @Persisted var link: Branch?
  @Persisted var list: List<Branch>
  @Persisted var named: Map<String, Branch?>
  @Persisted var part: Part?
  @Persisted var parts: List<Part>
}

private class Defaulted: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var link: Defaulted?
  @Persisted var list = ["default"] as List<String>
  @Persisted var other = ["default"] as List<String>
  @Persisted var part: Part? = Part(value: ["name": "default"])
}

/// `create(_:value:)` of objects that lead to each other copies each of them once.
@Suite(.waiting) struct GraphCopyTests {
  @Test func cyclesAreCopiedAsCycles() throws {
    let realm = try makeRealm()
    let a = Knot(name: "a")
    let b = Knot(name: "b")
    a.next = a
    a.others.append(objectsIn: [a, b, a])
    a.named["b"] = b
    a.set.insert(b)
    a.any = .fromArray([.object(b), .fromDictionary(["a": .object(a)])])
    b.next = a
    b.part = Part(value: ["name": "p", "knot": b])
    b.parts.append(Part(value: ["name": "q", "knot": a]))
    let copy = try realm.write { realm.create(Knot.self, value: a) }
    #expect(realm.objects(Knot.self).count == 2 && a.realm == nil && b.next === a)
    let other = copy.others[1]
    #expect(copy.next?.isSameObject(as: copy) == true && copy.others[0].isSameObject(as: copy))
    #expect(copy.others[2].isSameObject(as: copy) && other.name == "b")
    #expect(copy.named["b"]??.isSameObject(as: other) == true)
    #expect(copy.set[0].isSameObject(as: other) && other.next?.isSameObject(as: copy) == true)
    let any = try #require(copy.any.listValue)
    #expect(any[0].object(Knot.self)?.isSameObject(as: other) == true)
    #expect(any[1].dictionaryValue?["a"]?.object(Knot.self)?.isSameObject(as: copy) == true)
    #expect(other.part?.knot?.isSameObject(as: other) == true)
    #expect(other.part?.owners.first?.isSameObject(as: other) == true)
    #expect(other.parts[0].knot?.isSameObject(as: copy) == true)
  }

  @Test func aFrozenGraphIsCopiedIntoItsOwnFileAndIntoAnother() throws {
    let realm = try makeRealm()
    let a = Knot(name: "a")
    let b = Knot(name: "b")
    a.next = b
    b.next = a
    b.part = Part(value: ["name": "p", "knot": a, "inner": ["name": "i", "knot": b]])
    try realm.write { realm.add(a) }
    for target in [realm, try makeRealm()] {
      let before = target.objects(Knot.self).count
      let copy = try target.write { target.create(Knot.self, value: a.freeze()) }
      #expect(target.objects(Knot.self).count == before + 2)
      #expect(copy.next?.next?.isSameObject(as: copy) == true)
      #expect(copy.next?.part?.knot?.isSameObject(as: copy) == true)
      #expect(copy.next?.part?.inner?.knot?.isSameObject(as: copy.next) == true)
    }
  }

  @Test func aLongChainIsCopiedWithoutRecursion() throws {
    let realm = try makeRealm()
    var all = [Knot(name: "0")]
    for number in 1..<20_000 {
      let knot = Knot(name: "\(number)")
      all[number - 1].next = knot
      all.append(knot)
    }
    try realm.write { realm.create(Knot.self, value: all[0]) }
    #expect(realm.objects(Knot.self).count == 20_000)
    try realm.write { realm.create(Knot.self, value: realm.objects(Knot.self)[0].freeze()) }
    #expect(realm.objects(Knot.self).count == 40_000)
    // From the end on, so that no end of an object ends the next.
    while let last = all.popLast() { last.next = nil }
  }

  // SAFETY: nothing reads it.
  private struct Kept: @unchecked Sendable {
    let value: [String: Any]
  }

  private static let kept = Mutex<[Kept]>([])

  @Test func deepDictionariesBecomeAChain() throws {
    let realm = try makeRealm()
    var value: [String: Any] = ["name": "0"]
    for number in 1..<10_000 { value = ["name": "\(number)", "next": value] }
    // The end of dictionaries in each other is recursion of Swift's own: these have none.
    Self.kept.withLock { $0.append(Kept(value: value)) }
    try realm.write { realm.create(Knot.self, value: value) }
    #expect(realm.objects(Knot.self).count == 10_000)
    var all = [Knot(value: value)]
    while let next = all.last?.next { all.append(next) }
    #expect(all.count == 10_000 && all.last?.name == "0")
    while let last = all.popLast() { last.next = nil }
  }

  @Test func diamondsAreCopiedOnce() throws {
    let realm = try makeRealm()
    var top = Knot(name: "top")
    for level in 0..<40 {
      let next = Knot(name: "\(level)")
      next.others.append(objectsIn: [top, top])
      next.next = top
      top = next
    }
    try realm.write { realm.create(Knot.self, value: top) }
    #expect(realm.objects(Knot.self).count == 41)
    let frozen = realm.objects(Knot.self).where { $0.name == "39" }[0].freeze()
    try realm.write { realm.create(Knot.self, value: frozen) }
    #expect(realm.objects(Knot.self).count == 82)
  }

  @Test func keysOfAGraphUpdateTheirObjects() throws {
    let realm = try makeRealm()
    let a = Key(value: [1])
    let b = Key(value: [2])
    a.next = b
    b.next = a
    a.all.append(objectsIn: [a, b])
    try realm.write { realm.create(Key.self, value: a) }
    for policy in [Realm.UpdatePolicy.modified, .all] {
      try realm.write { realm.create(Key.self, value: a, update: policy) }
      try realm.write {
        realm.create(
          Key.self, value: realm.objects(Key.self)[0].freeze(), update: policy)
      }
    }
    let first = try #require(realm.object(ofType: Key.self, forPrimaryKey: 1))
    #expect(realm.objects(Key.self).count == 2 && first.all.count == 2)
    #expect(first.next?.next == first && first.all[1] == first.next)
  }

  /// Of several values for one object the last counts, in the order of properties and elements; what
  /// a dictionary leaves out is no value.
  @Test(arguments: [Realm.UpdatePolicy.modified, .all])
  func aKeyThatIsGivenTwiceHasWhatComesLast(policy: Realm.UpdatePolicy) throws {
    let realm = try makeRealm()
    func part(_ name: String) -> [String: Any] { ["name": name] }
    func made(_ value: [String: Any]) throws -> Branch {
      try realm.write {
        realm.deleteAll()
        return realm.create(Branch.self, value: value, update: policy)
      }
    }
    let inner: [String: Any] = ["_id": 1, "name": "b", "part": part("p"), "parts": [part("q")]]
    let none = try made(
      ["_id": 1, "name": "a", "link": inner, "part": NSNull(), "parts": [Any]()])
    #expect(none.link == none && none.name == "b" && none.part == nil && none.parts.isEmpty)
    let left = try made(["_id": 1, "name": "a", "link": inner])
    #expect(left.part?.name == "p" && left.parts.map { $0.name } == ["q"])
    let list = try made(
      ["_id": 1, "list": [["_id": 2, "part": part("a")], ["_id": 2, "part": part("b")]]])
    #expect(list.list[0] == list.list[1] && list.list[0].part?.name == "b")
    let map = try made(
      [
        "_id": 1,
        "named": ["b": ["_id": 2, "part": part("b")], "a": ["_id": 2, "part": part("a")]],
      ])
    #expect(map.named["a"]??.part?.name == "b" && realm.objects(Branch.self).count == 2)
  }

  @Test func aMixedValueThatLiesInItselfEndsTheProcessWithASentence() async {
    await #expect(processExitsWith: .failure) {
      let knot = Knot(name: "a")
      let list = List<AnyRealmValue>()
      list.append(.list(list))
      knot.any = .list(list)
      _ = Knot(value: ["any": knot.any])
    }
    await #expect(processExitsWith: .failure) {
      var value: [String: Any] = [:]
      for _ in 0..<10_000 { value = ["a": value] }
      _ = Knot(value: ["any": value])
    }
  }

  @Test func emptyCollectionsInMixedValuesAreKept() throws {
    let realm = try makeRealm()
    let list = Knot(value: ["any": [Int]()])
    let map = Knot(value: ["any": [String: Int]()])
    try realm.write {
      realm.add(list)
      realm.add(map)
    }
    #expect(list.any.listValue?.isEmpty == true && map.any.dictionaryValue?.isEmpty == true)
    let copy = try realm.write { realm.create(Knot.self, value: list.freeze()) }
    #expect(copy.any.listValue?.isEmpty == true)
  }

  /// The defaults are of the class, and come later in the order of the properties.
  @Test func whatTheSourceGivesToAnObjectIsNotReplacedByDefaults() throws {
    let realm = try makeRealm()
    let given: [String: Any] = ["_id": 1, "list": ["given"], "part": ["name": "given"]]
    let object = try realm.write {
      realm.create(
        Defaulted.self,
        value: ["_id": 1, "link": given] as [String: Any], update: .modified)
    }
    #expect(Array(object.list) == ["given"] && Array(object.other) == ["default"])
    #expect(object.part?.name == "given")
    #expect(object.link?.isSameObject(as: object) == true)
  }

  @Test func anEmbeddedObjectIsCopiedForEachOfItsPlaces() throws {
    let realm = try makeRealm()
    let owner = try realm.write {
      realm.create(Knot.self, value: ["part": ["name": "p", "inner": ["name": "i"]]])
    }
    let part = try #require(owner.part)
    let copy = try realm.write {
      realm.create(Knot.self, value: ["part": part, "parts": [part, part]])
    }
    #expect(copy.part?.inner?.name == "i" && copy.parts.map { $0.name } == ["p", "p"])
    #expect(owner.part?.isSameObject(as: part) == true && realm.objects(Knot.self).count == 2)
  }

  @Test func anObjectOfAnotherClassIsCopiedAndNotGivenBack() throws {
    let realm = try makeRealm()
    try realm.write {
      let keeper = realm.create(Keeper.self, value: ["_id": 1, "name": "Ann"])
      let type: Object.Type = Hound.self
      let hound = realm.create(type, value: keeper, update: .all)
      #expect(hound is Hound && (hound as? Hound)?.name == "Ann")
      #expect(realm.create(type, value: hound, update: .all) === hound)
    }
    #expect(realm.objects(Hound.self).count == 1)
  }
}
