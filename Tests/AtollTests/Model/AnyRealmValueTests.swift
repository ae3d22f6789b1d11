import Foundation
import TestThreads
import Testing

@testable import Atoll

private class Entry: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var value: AnyRealmValue
  @Persisted var list: List<AnyRealmValue>
  @Persisted var map: Map<String, AnyRealmValue>
  @Persisted var set: MutableSet<AnyRealmValue>
}

private class Thing: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted(originProperty: "value") var entries: LinkingObjects<Entry>
  @Persisted(originProperty: "list") var lists: LinkingObjects<Entry>
}

/// Values of any type in properties and collections.
@Suite(.computing) struct AnyRealmValueTests {
  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [Entry.self, Thing.self])
  private let realm: Realm

  init() throws { realm = try Realm(configuration: configuration) }

  private let plain: [AnyRealmValue] = [
    .none, .int(-7), .bool(true), .float(1.5), .double(2.25), .string("äö"), .data(Data([1, 2])),
    .date(Date(timeIntervalSinceReferenceDate: 100.5)),
    .objectId((try? ObjectId(string: "0123456789abcdef01234567")) ?? ObjectId()),
    .decimal128(Decimal128(value: 20.5)), .uuid(UUID()),
  ]

  private func thing(_ name: String) -> Thing {
    let thing = Thing()
    thing.name = name
    return thing
  }

  private func entry(_ id: Int, _ value: AnyRealmValue = .none) -> Entry {
    let entry = Entry()
    entry._id = id
    entry.value = value
    return entry
  }

  @Test func plainValuesComeBackAsTheyAre() throws {
    let unmanaged = Entry()
    #expect(unmanaged.value == .none)
    for (index, value) in plain.enumerated() {
      let entry = entry(index, value)
      #expect(entry.value == value)
      try realm.write { realm.add(entry) }
      #expect(entry.value == value)
      #expect(entry.value.hashValue == value.hashValue)
      for (other, different) in plain.enumerated() where other != index {
        #expect(entry.value != different)
      }
    }
    let entry = try #require(realm.object(ofType: Entry.self, forPrimaryKey: 1))
    #expect(entry.value.intValue == -7)
    #expect(entry.value.stringValue == nil && entry.value.listValue == nil)
    try realm.write { entry.value = .string("new") }
    #expect(entry.value.stringValue == "new" && entry.value.intValue == nil)
    try realm.write { entry.value = .none }
    #expect(entry.value == .none)
  }

  @Test func objectsInValuesAreAddedAndFoundBackwards() throws {
    let (a, b) = (thing("a"), thing("b"))
    let entry = entry(1, .object(a))
    entry.list.append(objectsIn: [.object(b), .int(1), .object(a)])
    entry.map["b"] = .fromArray([.object(b)])
    try realm.write { realm.add(entry) }
    #expect(realm.objects(Thing.self).count == 2)
    #expect(entry.value.object(Thing.self) == a)
    #expect(entry.value.object(Entry.self) == nil)
    #expect(entry.value == .object(a))
    #expect(a.entries.map(\._id) == [1] && a.lists.map(\._id) == [1] && b.entries.isEmpty)
    try realm.write { realm.delete(a) }
    #expect(entry.value == .none)
    #expect(Array(entry.list) == [.object(b), .int(1), .none])
    #expect(entry.map["b"]?.listValue?.first == .object(b))
    #expect(b.lists.map(\._id) == [1])
  }

  /// An entry that leads to itself, and two that lead to each other.
  @Test func cyclesOfObjectsAreAdded() throws {
    let own = entry(1)
    own.value = .object(own)
    let (first, second) = (entry(2), entry(3))
    first.value = .fromDictionary(["next": .fromArray([.object(second)])])
    second.list.append(.object(first))
    try realm.write { realm.add([own, first]) }
    #expect(own.value.object(Entry.self)?._id == 1)
    let next = first.value.dictionaryValue?["next"]?.listValue?.first?.object(Entry.self)
    #expect(next?._id == 3)
    #expect(second.list.first?.object(Entry.self)?._id == 2)
  }

  @Test func nestedCollectionsAreLive() throws {
    let entry = entry(
      1, .fromDictionary(["list": .fromArray([.int(1), .fromDictionary(["x": .int(2)])])]))
    #expect(entry.value.dictionaryValue?["list"]?.listValue?.count == 2)
    try realm.write { realm.add(entry) }
    let list = try #require(entry.value.dictionaryValue?["list"]?.listValue)
    let inner = try #require(list[1].dictionaryValue)
    try realm.write {
      list.append(.string("end"))
      inner["x"] = .int(3)
      inner["y"] = .fromArray([.bool(true)])
    }
    #expect(list.count == 3 && inner["x"] == .int(3))
    let again = try #require(entry.value.dictionaryValue?["list"])
    #expect(again == .list(list))
    #expect(again.listValue?[1].dictionaryValue?["y"]?.listValue?.first == .bool(true))
    #expect(again.listValue?.last == .string("end"))
    try realm.write { inner["y"]?.listValue?.removeAll() }
    #expect(inner["y"]?.listValue?.isEmpty == true)
    try realm.write { entry.value = .int(1) }
    #expect(list.isEmpty && inner.count == 0)

    let rows = entry.list
    try realm.write {
      rows.append(.fromArray([.int(1)]))
      for row in rows { row.listValue?.append(.int(2)) }
    }
    #expect(rows[0].listValue.map { Array($0) } == [.int(1), .int(2)])
  }

  @Test func aCollectionWhosePlaceAnotherValueTookIsInvalidatedAndReplacesNothing() async throws {
    let entry = entry(1, .fromArray([.int(1)]))
    entry.list.append(.fromArray([.int(1)]))
    entry.map["k"] = .fromDictionary(["a": .int(1)])
    try realm.write { realm.add(entry) }
    let lists = [entry.value.listValue, entry.list[0].listValue].compactMap(\.self)
    let map = try #require(entry.map["k"]?.dictionaryValue)
    #expect(lists.count == 2 && !lists.contains(where: \.isInvalidated) && !map.isInvalidated)
    let frozen = lists[0].freeze()
    let b = thing("b")
    try realm.write {
      entry.value = .fromDictionary(["x": .int(5)])
      entry.list[0] = .string("x")
      entry.map["k"] = .object(b)
      #expect(lists.allSatisfy(\.isInvalidated) && map.isInvalidated)
    }
    #expect(lists.allSatisfy { $0.isInvalidated && $0.isEmpty } && map.isInvalidated)
    #expect(map.count == 0)
    #expect(!frozen.isInvalidated && frozen.count == 1 && frozen.thaw() == nil)
    #expect(entry.value.dictionaryValue?["x"] == .int(5) && entry.map["k"] == .object(b))
    // A list in the same place is what the first one stands for from then on.
    try realm.write {
      entry.value = .fromArray([])
      lists[0].append(.int(7))
    }
    #expect(!lists[0].isInvalidated && entry.value.listValue?.first == .int(7))
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm([Entry.self, Thing.self])
      let entry = Entry()
      entry.value = .fromArray([.int(1)])
      try realm.write { realm.add(entry) }
      let list = entry.value.listValue
      try realm.write {
        entry.value = .string("x")
        list?.append(.int(2))
      }
    }
    await #expect(processExitsWith: .failure) {
      let realm = try makeRealm([Entry.self, Thing.self])
      let entry = Entry()
      entry.map["k"] = .fromDictionary(["a": .int(1)])
      try realm.write { realm.add(entry) }
      let map = entry.map["k"]?.dictionaryValue
      try realm.write {
        entry.map["k"] = .object(entry)
        map?["b"] = .int(2)
      }
    }
  }

  @Test func collectionsHoldValuesOfAnyType() throws {
    let entry = entry(1)
    entry.set.insert(objectsIn: [.int(1), .string("1"), .int(1)])
    #expect(entry.set.count == 2)
    try realm.write {
      realm.add(entry)
      entry.list.append(objectsIn: plain)
      for (index, value) in plain.enumerated() { entry.map["k\(index)"] = value }
      entry.set.insert(.bool(true))
    }
    #expect(Array(entry.list) == plain)
    #expect(entry.map["k5"] == .string("äö") && entry.map.count == plain.count)
    #expect(entry.set.contains(.string("1")) && entry.set.contains(.bool(true)))
    #expect(!entry.set.contains(.int(2)))
    #expect(entry.list.index(of: .double(2.25)) == 4)
    try realm.write {
      entry.list.removeFirst(9)
      entry.map["k1"] = nil
      entry.set.remove(.int(1))
    }
    #expect(entry.list.count == 2 && entry.map.count == 10 && entry.set.count == 2)
  }

  @Test func valuesAreMadeOfLooselyTypedSources() throws {
    let b = thing("b")
    let entry = try realm.write {
      realm.create(
        Entry.self,
        value: [
          "_id": 1,
          "value": ["a": [1, "x", NSNull(), ["deep": 2.5]] as [Any], "thing": b] as [String: Any],
          "list": [1, "two", Date(timeIntervalSince1970: 3), [4]] as [Any],
          "map": ["k": true, "n": NSNull()] as [String: Any],
        ] as [String: Any])
    }
    let list = try #require(entry.value.dictionaryValue?["a"]?.listValue)
    #expect(Array(list.prefix(3)) == [.int(1), .string("x"), .none])
    #expect(list[3].dictionaryValue?["deep"] == .double(2.5))
    #expect(entry.value.dictionaryValue?["thing"]?.object(Thing.self)?.name == "b")
    #expect(entry.list[1] == .string("two") && entry.list[3].listValue?.first == .int(4))
    #expect(entry.map["k"] == .bool(true) && entry.map["n"] == AnyRealmValue.none)
    try realm.write {
      realm.create(
        Entry.self, value: ["_id": 1, "value": "text"] as [String: Any], update: .modified)
    }
    #expect(entry.value == .string("text"))
    // What equals the value that is there, and is of another type, is another.
    for value in [AnyRealmValue.int(1), .double(1), .double(0), .double(-0.0), .decimal128(0)] {
      let new = Entry(value: ["_id": 1, "value": value, "list": [value]] as [String: Any])
      try realm.write { realm.add(new, update: .modified) }
      #expect("\(entry.value)" == "\(value)" && entry.list.map { "\($0)" } == ["\(value)"])
    }
    // A copy in another realm has objects of its own.
    let other = try makeRealm([Entry.self, Thing.self])
    let first = try #require(realm.objects(Thing.self).first)
    try realm.write { entry.value = .fromArray([.object(first)]) }
    let copy = try other.write { other.create(Entry.self, value: entry) }
    #expect(copy.value.listValue?.first?.object(Thing.self)?.name == "b")
    #expect(other.objects(Thing.self).count == 1)
  }

  @Test func queriesCompareValues() throws {
    let b = thing("b")
    try realm.write {
      for (index, value) in plain.enumerated() { realm.add(entry(index, value)) }
      realm.add(entry(20, .object(b)))
      realm.add(entry(21, .fromDictionary(["n": .int(5), "l": .fromArray([.int(8)])])))
      let many = entry(22, .string("zebra"))
      many.list.append(objectsIn: [.int(4), .string("x")])
      realm.add(many)
    }
    let entries = realm.objects(Entry.self)
    func ids(_ condition: (Query<Entry>) -> Query<Bool>) -> [Int] {
      entries.where(condition).map(\._id).sorted()
    }
    for (index, value) in plain.enumerated() {
      #expect(ids { $0.value == value } == [index], "\(value)")
    }
    #expect(ids { $0.value == .object(b) } == [20])
    #expect(ids { $0.value > .int(1) && $0.value < .double(3) } == [3, 4])
    #expect(ids { $0.value.starts(with: .string("ze")) } == [22])
    #expect(ids { $0.value.in([.int(-7), .string("zebra")]) } == [1, 22])
    #expect(ids { $0.value["n"] == .int(5) } == [21])
    #expect(ids { $0.value["l"][0] == .int(8) } == [21])
    #expect(ids { $0.list == .string("x") } == [22])
    #expect(ids { $0.list.contains(.int(4)) } == [22])
    #expect(entries.filter("value == $0", b).map(\._id) == [20])
    #expect(entries.filter("value.@type == 'string'").map(\._id).sorted() == [5, 22])
    #expect(entries.filter("value == 'zebra'").map(\._id) == [22])
    #expect(
      entries.filter("value.@type == 'int' OR value.@type == 'double'").sorted(byKeyPath: "value")
        .map(\._id) == [1, 4])
  }

  @Test func aFrozenValueStaysAndItsCollectionsThaw() throws {
    let entry = entry(1, .fromArray([.int(1), .object(thing("a"))]))
    try realm.write { realm.add(entry) }
    let frozen = entry.freeze()
    let list = try #require(entry.value.listValue)
    let frozenList = list.freeze()
    try realm.write { list.insert(.int(0), at: 0) }
    #expect(frozen.value.listValue?.count == 2 && frozenList.count == 2)
    #expect(frozen.value.listValue?[1].object(Thing.self)?.name == "a")
    #expect(frozenList.isFrozen)
    #expect(frozenList.thaw().map { Array($0.prefix(2)) } == [.int(0), .int(1)])
    let thawed = try #require(frozen.thaw())
    try realm.write { thawed.value.listValue?.removeAll() }
    #expect(list.isEmpty && !frozenList.isEmpty)
  }

  // Sendable: used on the queue alone.
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var tokens: [NotificationToken] = []
  }

  @Test func observersHearOfChangesOfObjectsInValues() throws {
    let queue = DispatchQueue(label: "objects in values")
    let log = Log()
    func onQueue(_ body: (Realm) throws -> Void) throws {
      try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        _ = realm.refresh()
        try body(realm)
      }
      for _ in 0..<3 { queue.sync {} }
    }
    func modify(_ id: Int) throws -> [String] {
      log.lines = []
      try onQueue { realm in
        let leaf = realm.object(ofType: Entry.self, forPrimaryKey: id)
        try realm.write { leaf?.map["changed"] = .int(id) }
      }
      return log.lines.sorted()
    }
    let (direct, nested, far) = (entry(10), entry(11), entry(12))
    nested.value = .object(far)
    let whole = entry(1, .object(direct))
    whole.list.append(objectsIn: [.int(0), .fromArray([.object(nested)])])
    whole.set.insert(.object(direct))
    whole.map["n"] = .fromDictionary(["deep": .object(nested)])
    try realm.write { realm.add([whole, entry(2)]) }
    try onQueue { realm in
      let whole = try #require(realm.object(ofType: Entry.self, forPrimaryKey: 1))
      log.tokens = [
        realm.objects(Entry.self).where { $0._id < 10 }.sorted(byKeyPath: "_id").observe {
          if case .update(_, let deletions, let insertions, let modifications) = $0 {
            log.lines.append("objects -\(deletions) +\(insertions) ~\(modifications)")
          }
        },
        whole.list.observe {
          if case .update(_, _, _, let modifications) = $0 {
            log.lines.append("list ~\(modifications)")
          }
        },
        whole.set.observe {
          if case .update(_, _, _, let modifications) = $0 {
            log.lines.append("set ~\(modifications)")
          }
        },
        whole.map.observe {
          if case .update(_, _, _, let modifications) = $0 {
            log.lines.append("map ~\(modifications)")
          }
        },
      ]
    }
    #expect(try modify(10) == ["objects -[] +[] ~[0]", "set ~[0]"])
    let ofNested = ["list ~[1]", "map ~[\"n\"]", "objects -[] +[] ~[0]"]
    #expect(try modify(11) == ofNested)
    // Over two links.
    #expect(try modify(12) == ofNested)
    queue.sync { log.tokens = [] }
  }

  @Test func observersHearOfValuesAndNestedCollections() throws {
    let queue = DispatchQueue(label: "values")
    let log = Log()
    func onQueue(_ body: (Entry) throws -> Void) throws {
      try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        _ = realm.refresh()
        try body(try #require(realm.object(ofType: Entry.self, forPrimaryKey: 1)))
      }
      for _ in 0..<3 { queue.sync {} }
    }
    try realm.write { realm.add(entry(1, .fromDictionary(["l": .fromArray([.int(1)])]))) }
    try onQueue { entry in
      let list = try #require(entry.value.dictionaryValue?["l"]?.listValue)
      log.tokens = [
        entry.observe { (change: ObjectChange<Entry>) in
          guard case .change(_, let properties) = change else { return }
          for property in properties {
            log.lines.append("\(property.name) \(property.newValue is AnyRealmValue)")
          }
        },
        list.observe { change in
          guard case .update(let list, let deletions, let insertions, _) = change else { return }
          log.lines.append("\(list.count) -\(deletions) +\(insertions)")
        },
      ]
    }
    try onQueue { entry in
      try entry.realm?.write { entry.value.dictionaryValue?["l"]?.listValue?.append(.int(2)) }
    }
    #expect(log.lines.sorted() == ["2 -[] +[1]", "value true"])
    log.lines = []
    try onQueue { entry in try entry.realm?.write { entry.value = .int(5) } }
    #expect(log.lines.sorted() == ["0 -[0, 1] +[]", "value true"])
    queue.sync { log.tokens = [] }
  }
}
