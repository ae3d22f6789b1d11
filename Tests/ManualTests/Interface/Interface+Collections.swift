import Foundation
import RealmSwift
import Testing

extension Interface {
  @MainActor static func ordering(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let dogs = realm.objects(Dog.self)
    let scores = realm.rex.scores

    rows.done("sorted(byKeyPath:ascending:)") {
      let sorted: Results<Dog> = dogs.sorted(byKeyPath: "age", ascending: false)
      #expect(sorted.map(\.name) == ["Rex", "Luna"])
      #expect(dogs.sorted(byKeyPath: "owner.name").count == 2)
    }
    rows.done("sorted(by: keyPath, ascending:)") {
      #expect(dogs.sorted(by: \.name).first?.name == "Luna")
      #expect(dogs.sorted(by: \.name, ascending: false).last?.name == "Luna")
    }
    rows.done("sorted(by: sortDescriptors)") {
      let sorted = dogs.sorted(by: ["isGood", SortDescriptor(keyPath: "age", ascending: false)])
      #expect(sorted.first?.name == "Rex")
    }
    rows.done("sorted(ascending:)") {
      #expect(Array(scores.sorted()) == [1, 2, 3])
      #expect(Array(scores.sorted(ascending: false)) == [3, 2, 1])
    }
    rows.done(
      "SortDescriptor: keyPath, ascending, init(keyPath:ascending:), reversed()",
      "SortDescriptor: ExpressibleByStringLiteral",
      note: "Where Foundation is imported, its name as a type is `RealmSwift.SortDescriptor`."
    ) {
      let name = SortDescriptor(keyPath: \Dog.name)
      #expect(name.keyPath == "name" && name.ascending && !name.reversed().ascending)
      let age: RealmSwift.SortDescriptor = "age"
      #expect(age == SortDescriptor(keyPath: "age", ascending: true))
    }
    rows.done("distinct(by: [String])", "distinct(by: [PartialKeyPath])", "distinct()") {
      #expect(dogs.distinct(by: ["isGood"]).count == 1)
      #expect(dogs.distinct(by: [\Dog.name]).count == 2)
      #expect(scores.distinct().count == 3)
    }
    rows.done(
      "min(ofProperty:)", "max(ofProperty:)", "sum(ofProperty:)", "average(ofProperty:)"
    ) {
      let least: Int? = dogs.min(ofProperty: "age")
      let greatest: Int? = dogs.max(ofProperty: "age")
      let sum: Int = dogs.sum(ofProperty: "age")
      let average: Double? = dogs.average(ofProperty: "age")
      #expect(least == 1 && greatest == 3 && sum == 4 && average == 2)
    }
    rows.differs(
      "min(of:)", "max(of:)", "sum(of:)", "average(of:)",
      how: "The average of integers by key path is an integer; by name it is a `Double`."
    ) {
      #expect(dogs.min(of: \.age) == 1 && dogs.max(of: \.age) == 3 && dogs.sum(of: \.age) == 4)
      let average: Int? = dogs.average(of: \.age)
      #expect(average == 2)
    }
    rows.done("min()", "max()", "sum()", "average()") {
      let average: Double? = scores.average()
      #expect(scores.min() == 1 && scores.max() == 3 && scores.sum() == 6 && average == 2)
    }
    rows.done("first", "last", "count", "isEmpty", "index(of:)", "objects(at:)") {
      let first: Dog? = dogs.first
      let last: Dog? = dogs.last
      #expect(first?.name == "Rex" && last?.name == "Luna" && dogs.count == 2 && !dogs.isEmpty)
      #expect(dogs.index(of: realm.rex) == 0)
      let some: [Dog] = dogs.objects(at: IndexSet([1]))
      #expect(some.map(\.name) == ["Luna"])
    }
  }

  private static func isCollection<C: RealmCollection>(_ type: C.Type) {}
  private static func isBase<C: RealmCollectionBase>(_ type: C.Type) {}
  private static func isLazy<C: LazyCollectionProtocol>(_ type: C.Type) {}

  @MainActor static func collections(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let dogs = realm.objects(Dog.self)

    rows.done(
      """
      protocol RealmCollectionBase: RandomAccessCollection, LazyCollectionProtocol, \
      CustomStringConvertible, ThreadConfined
      """
    ) {
      isBase(Results<Dog>.self)
      isLazy(List<Int>.self)
      isDescribed(LinkingObjects<Dog>.self)
    }
    rows.done("protocol RealmCollection: RealmCollectionBase, Equatable") {
      isCollection(Results<Dog>.self)
      isCollection(List<Int>.self)
      isCollection(MutableSet<Int>.self)
      isCollection(LinkingObjects<Dog>.self)
      isCollection(AnyRealmCollection<Dog>.self)
    }
    rows.done("collection.realm", "collection.isInvalidated", "collection.isFrozen") {
      #expect(dogs.realm == realm && !dogs.isInvalidated && !dogs.isFrozen)
    }
    rows.differs(
      "collection.value(forKey:)", "collection.value(forKeyPath:)",
      how: "An `[Any?]` with the Swift values, and no `NSArray` with `NSNumber`s. Paths may begin "
        + "with `@count`, `@min`, `@max`, `@sum`, `@avg`, `@unionOfObjects` or "
        + "`@distinctUnionOfObjects`."
    ) {
      #expect(dogs.value(forKey: "name") as? [String] == ["Rex", "Luna"])
      #expect(dogs.value(forKeyPath: "owner.name") as? [String?] == ["Ada", nil])
      #expect(dogs.value(forKeyPath: "@sum.age") as? Int == 4)
      #expect(dogs.value(forKeyPath: "@count") as? Int == 2)
    }
    rows.done("collection.setValue(_:forKey:)") {
      try realm.write { dogs.setValue("R", forKey: "nick") }
      #expect(dogs.allSatisfy { $0.nick == "R" })
    }
    rows.done("Results<Element>: RealmCollection, Encodable") {
      let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Encoded.self])
      let encoded = try Realm(configuration: configuration).objects(Encoded.self)
      #expect(try JSONEncoder().encode(encoded) == Data("[]".utf8))
    }
    rows.done("RLMIterator<Element>") {
      var iterator: RLMIterator<Dog> = dogs.makeIterator()
      #expect(iterator.next()?.name == "Rex")
    }
    rows.done("LinkingObjects<Element>: RealmCollection", "LinkingObjects.init(fromType:property:)")
    {
      #expect(realm.ada.pets.count == 1 && realm.ada.pets[0].name == "Rex")
      let none = LinkingObjects(fromType: Dog.self, property: "owner")
      #expect(none.isEmpty)
    }
    rows.done("AnyRealmCollection<Element>", "AnyRealmCollection.init(_:)") {
      let erased: AnyRealmCollection<Dog> = AnyRealmCollection(dogs)
      #expect(erased.count == 2 && erased.sorted(by: \.age).first?.name == "Luna")
    }
  }

  class Encoded: Object, Codable {
    @Persisted var name: String
  }

  @MainActor static func ownCollections(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.done("final class List<Element>", "List.init()", "list[index]") {
      let list = List<Int>()
      list.append(1)
      list[0] = 2
      #expect(list[0] == 2)
    }
    rows.done("list.append(_:)", "append(objectsIn:)", "insert(_:at:)", "insert(contentsOf:at:)") {
      let list = List<Int>()
      list.append(1)
      list.append(objectsIn: [2, 3])
      list.insert(0, at: 0)
      list.insert(contentsOf: [8, 9], at: 4)
      #expect(Array(list) == [0, 1, 2, 3, 8, 9])
    }
    rows.done(
      "list.remove(at:)", "removeFirst(_:)", "removeLast(_:)", "removeAll()", "removeSubrange(_:)",
      "remove(atOffsets:)"
    ) {
      let list = List<Int>()
      list.append(objectsIn: 0..<10)
      list.remove(at: 9)
      list.removeFirst()
      list.removeFirst(2)
      list.removeLast()
      list.removeLast(1)
      list.removeSubrange(0..<1)
      list.remove(atOffsets: IndexSet([0]))
      #expect(Array(list) == [5, 6])
      list.removeAll()
      #expect(list.isEmpty)
    }
    rows.done(
      "list.replaceSubrange(_:with:)", "replace(index:object:)", "move(from:to:)", "swapAt(_:_:)",
      "move(fromOffsets:toOffset:)"
    ) {
      let list = List<Int>()
      list.append(objectsIn: 0..<4)
      list.replaceSubrange(0..<2, with: [7, 8, 9])
      list.replace(index: 0, object: 6)
      list.move(from: 0, to: 4)
      list.swapAt(0, 1)
      list.move(fromOffsets: IndexSet([0]), toOffset: 5)
      #expect(Array(list) == [8, 2, 3, 6, 9])
    }
    rows.differs(
      "List: MutableCollection, Codable",
      how: "A range of a list is a `ListSlice`, whose sort or exchange moves elements."
    ) {
      isCodable(List<String>.self)
      let list = List<Int>()
      list.append(objectsIn: [3, 1, 2])
      list.sort()
      list[1...].reverse()
      #expect(Array(list) == [1, 3, 2])
    }
    rows.done("object.list = other", note: "It replaces the elements; the list stays.") {
      let list = realm.rex.tags
      try realm.write { realm.rex.tags = List<String>() }
      #expect(list.isEmpty)
    }
    rows.done("final class MutableSet<Element>", "MutableSet.init()", "set[index]") {
      let set = MutableSet<Int>()
      set.insert(4)
      #expect(set[0] == 4 && set.count == 1)
      isCodable(MutableSet<Int>.self)
    }
    rows.done("set.contains(_:)", "insert(_:)", "insert(objectsIn:)", "remove(_:)", "removeAll()") {
      let set = MutableSet<Int>()
      set.insert(1)
      set.insert(objectsIn: [1, 2, 3])
      set.remove(2)
      #expect(set.contains(1) && !set.contains(2) && set.count == 2)
      set.removeAll()
      #expect(set.isEmpty)
    }
    rows.done(
      "set.isSubset(of:)", "intersects(_:)", "formUnion(_:)", "formIntersection(_:)", "subtract(_:)"
    ) {
      let (one, two) = (MutableSet<Int>(), MutableSet<Int>())
      one.insert(objectsIn: [1, 2])
      two.insert(objectsIn: [2, 3])
      #expect(!one.isSubset(of: two) && one.intersects(two))
      one.formUnion(two)
      one.formIntersection(two)
      one.subtract(two)
      #expect(one.isEmpty)
    }
    rows.done("final class Map<Key, Value>", "Map.init()", "map[key]") {
      let map = Map<String, Int>()
      map["a"] = 1
      let one: Int? = map["a"]
      map["a"] = nil
      #expect(one == 1 && map.isEmpty)
      isCodable(Map<String, Int>.self)
    }
    rows.done(
      "map.updateValue(_:forKey:)", "removeObject(for:)", "removeAll()",
      "merge(_:uniquingKeysWith:)"
    ) {
      let map = Map<String, Int>()
      map.updateValue(1, forKey: "a")
      map.merge(["a": 2, "b": 3].map { (key: $0, value: $1) }, uniquingKeysWith: { $0 + $1 })
      map.removeObject(for: "b")
      #expect(map["a"] == 3 && map.count == 1)
      map.removeAll()
    }
    rows.done("map.keys", "values", "count", "contains(where:)", "asKeyValueSequence()") {
      let prices = realm.rex.prices
      let keys: [String] = prices.keys
      #expect(keys == ["EUR"] && prices.values == [12] && prices.count == 1)
      #expect(prices.contains { key, value in key == "EUR" && value == 12 })
      #expect(prices.asKeyValueSequence().map(\.key) == ["EUR"])
    }
    rows.done("map.sorted(…)", "map.min()", "max()", "sum()", "average()", "filter(_:)") {
      let prices = realm.rex.prices
      let average: Double? = prices.average()
      #expect(Array(prices.sorted(ascending: true)) == [12] && prices.min() == 12)
      #expect(prices.max() == 12 && prices.sum() == 12 && average == 12)
      #expect(realm.ada.byName.sorted(byKeyPath: "age").count == 1)
      #expect(realm.ada.byName.filter("age == %@", 3).count == 1)
    }
    rows.done("SingleMapEntry: key, value") {
      for entry in realm.rex.prices {
        takes(SingleMapEntry<String, Int>.self, entry)
        #expect(entry.key == "EUR" && entry.value == 12)
      }
    }
    rows.done("protocol RealmKeyedCollection: Sequence, ThreadConfined") {
      func keys<C: RealmKeyedCollection>(of map: C) -> [C.Key] { map.keys }
      #expect(keys(of: realm.rex.prices) == ["EUR"])
    }
    rows.done(
      "realm, isInvalidated, isFrozen, freeze(), thaw()", note: "Of lists, sets and maps."
    ) {
      let prices = realm.rex.prices
      #expect(prices.realm == realm && !prices.isInvalidated && prices.freeze().isFrozen)
      #expect(realm.rex.marks.freeze().thaw() != nil)
    }
  }

  @MainActor static func mixedValues(_ rows: InterfaceRows) throws {
    let realm = try kennel()

    rows.done(
      """
      AnyRealmValue: .none, .int, .bool, .float, .double, .string, .data, .date, .object, \
      .objectId, .decimal128, .uuid, .dictionary, .list
      """
    ) {
      isHashable(AnyRealmValue.self)
      let values: [AnyRealmValue] = [
        .none, .int(1), .bool(true), .float(1), .double(1), .string("a"), .data(Data()),
        .date(Date(timeIntervalSince1970: 0)), .object(Dog()), .objectId(ObjectId()),
        .decimal128(1), .uuid(UUID()), .dictionary(Map<String, AnyRealmValue>()),
        .list(List<AnyRealmValue>()),
      ]
      #expect(values.count == 14)
    }
    rows.done(
      "intValue", "boolValue", "floatValue", "doubleValue", "stringValue", "dataValue", "dateValue",
      "objectIdValue", "decimal128Value", "uuidValue"
    ) {
      let value = AnyRealmValue.int(1)
      let int: Int? = value.intValue
      #expect(int == 1 && value.boolValue == nil && value.floatValue == nil)
      #expect(value.doubleValue == nil && value.stringValue == nil && value.dataValue == nil)
      #expect(value.dateValue == nil && value.objectIdValue == nil)
      #expect(value.decimal128Value == nil && value.uuidValue == nil)
    }
    rows.done("object(_:)", "dynamicObject", "dictionaryValue", "listValue") {
      try realm.write { realm.rex.anything = .object(realm.ada) }
      let person: Person? = realm.rex.anything.object(Person.self)
      #expect(person == realm.ada)
      takes(DynamicObject?.self, realm.rex.anything.dynamicObject)
      takes(Map<String, AnyRealmValue>?.self, realm.rex.anything.dictionaryValue)
      takes(List<AnyRealmValue>?.self, realm.rex.anything.listValue)
    }
    rows.done("AnyRealmValue.fromDictionary(_:)", "AnyRealmValue.fromArray(_:)") {
      try realm.write {
        realm.rex.anything = .fromDictionary(["a": .fromArray([.int(1), .none])])
      }
      #expect(realm.rex.anything.dictionaryValue?["a"]?.listValue?.count == 2)
    }
  }

  @MainActor static func sectionedResults(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let dogs = realm.objects(Dog.self)
    let sections = dogs.sectioned(by: \.age)

    rows.done("sectioned(by: keyPath, ascending:)") {
      takes(SectionedResults<Int, Dog>.self, sections)
      #expect(dogs.sectioned(by: \.age, ascending: false).allKeys == [3, 1])
    }
    rows.done("sectioned(by: keyPath, sortDescriptors:)") {
      let sections = dogs.sectioned(by: \.isGood, sortDescriptors: ["isGood", "name"])
      #expect(sections.allKeys == [false] && sections[0].first?.name == "Luna")
    }
    rows.differs(
      "sectioned(by: block, sortDescriptors:)", "sectioned(by: block, ascending:)",
      "sectioned(sortDescriptors:_:)",
      how: "The block is `@Sendable`, as frozen and observed sections ask it elsewhere."
    ) {
      let initials = dogs.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
      #expect(initials.allKeys == ["L", "R"])
      let older = dogs.sectioned(sortDescriptors: ["name"]) { $0.age > 2 }
      #expect(older.allKeys == [false, true])
      let parities = realm.rex.scores.sectioned(by: { $0 % 2 }, ascending: true)
      #expect(parities.count == 2)
    }
    rows.done(
      "SectionedResults: allKeys, count, sections[index], sections[indexPath]",
      note: "`IndexPath(item:section:)`, `section`, `item` and `row` are there, too."
    ) {
      #expect(sections.allKeys == [1, 3] && sections.count == 2)
      let dog: Dog = sections[IndexPath(item: 0, section: 1)]
      #expect(dog.name == "Rex" && sections[0].count == 1)
      let path = IndexPath(row: 0, section: 1)
      #expect(path.section == 1 && path.item == 0 && path.row == 0)
    }
    rows.done("sections.freeze()", "thaw()", "realm", "isInvalidated", "isFrozen") {
      #expect(sections.freeze().thaw() != nil && sections.realm == realm)
      #expect(!sections.isInvalidated && !sections.isFrozen)
    }
    rows.done("ResultsSection: Identifiable", "key", "id", "section[index]") {
      let section: ResultsSection<Int, Dog> = sections[0]
      #expect(section.key == 1 && section.id == 1 && section[0].name == "Luna")
    }
    rows.done(
      """
      SectionedResultsChange: .initial(_), .update(_, deletions:, insertions:, modifications:, \
      sectionsToInsert:, sectionsToDelete:)
      """, "RealmSectionedResultsChange"
    ) {
      let token = sections.observe {
        (changes: RealmSectionedResultsChange<SectionedResults<Int, Dog>>) in
        switch changes {
        case .initial: break
        case .update(
          _, let deletions, let insertions, let modifications, let sectionsToInsert,
          let sectionsToDelete):
          takes([[IndexPath]].self, [deletions, insertions, modifications])
          takes([IndexSet].self, [sectionsToInsert, sectionsToDelete])
        }
      }
      token.invalidate()
    }
    rows.differs(
      "sections.observe(keyPaths:on:_:)", "section.observe(keyPaths:on:_:)",
      how: "With `on:` the block is `@Sendable`."
    ) {
      let token: NotificationToken = sections.observe(keyPaths: ["name"]) { _ in }
      token.invalidate()
      sections[0].observe(keyPaths: [\Dog.name]) { _ in }.invalidate()
    }
    rows.done("protocol RealmSectionedResult") {
      func keys<S: RealmSectionedResult>(of sections: S) -> Int { sections.endIndex }
      #expect(keys(of: sections) == 2)
    }
  }
}
