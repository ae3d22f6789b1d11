import Atoll
import Foundation
import TestSupport
import TestThreads
import Testing

private class Shelf: Object {
  @Persisted var numbers: List<Int>
  @Persisted var narrow: List<Int8>
  @Persisted var floats: MutableSet<Float>
  @Persisted var dates: List<Date>
  @Persisted var decimals: List<Decimal128>
  @Persisted var optional: List<Int?>
  @Persisted var prices: Map<String, Double>
  @Persisted var mixed: List<AnyRealmValue>
  @Persisted var words: MutableSet<String>
  @Persisted var texts: Map<String, String>
  @Persisted var hounds: List<Hound>
  @Persisted var named: Map<String, Hound?>
}

private class Station: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var name: String
  @Persisted var next: Station?
  @Persisted(originProperty: "next") var previous: LinkingObjects<Station>

  convenience init(_ number: Int, _ name: String) {
    self.init()
    self.number = number
    self.name = name
  }
}

private class Line: Object {
  @Persisted var stations: List<Station>
}

/// Unmanaged collections give what managed ones give.
@Suite(.computing) struct UnmanagedCollectionTests {
  private func filled() -> Shelf {
    let shelf = Shelf()
    shelf.numbers.append(objectsIn: [3, 1, 4, 1, 5])
    shelf.narrow.append(objectsIn: [3, 1])
    shelf.floats.insert(objectsIn: [1.5, 0.5])
    shelf.dates.append(objectsIn: [Date(timeIntervalSince1970: 9), Date(timeIntervalSince1970: 1)])
    shelf.decimals.append(objectsIn: [1.5, 2.25])
    shelf.optional.append(objectsIn: [nil, 4, 2])
    shelf.prices["a"] = 2.5
    shelf.prices["b"] = 1.5
    shelf.mixed.append(objectsIn: [.int(1), .string("a"), .double(2.5)])
    for (name, weight) in [("Rex", 30), ("Ace", 10), ("Max", 20)] {
      shelf.hounds.append(Hound(value: ["name": name, "weight": weight]))
      shelf.named[name] = .some(shelf.hounds.last)
    }
    return shelf
  }

  private func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }

  private func facts(of shelf: Shelf) -> [String] {
    let average: Double? = shelf.numbers.average()
    let narrowSum: Int8 = shelf.narrow.sum()
    let mean: Decimal128? = shelf.decimals.average()
    let optionalSum: Int? = shelf.optional.sum()
    let lightest: Int? = shelf.hounds.min(ofProperty: "weight")
    let sum: Int = shelf.hounds.sum(of: \.weight)
    let mid: Double? = shelf.hounds.average(ofProperty: "weight")
    let mapSum: Int = shelf.named.sum(of: \.weight)
    let mapLeast: Int? = shelf.named.min(ofProperty: "weight")
    return [
      "\(text(shelf.numbers.min()))", "\(text(shelf.numbers.max()))", "\(shelf.numbers.sum())",
      "\(text(average))", "\(narrowSum)", "\(text(shelf.floats.max()))", "\(shelf.floats.sum())",
      "\(text(shelf.dates.min()))", "\(text(shelf.dates.max()))", "\(shelf.decimals.sum())",
      "\(text(mean))",
      "\(text(shelf.optional.max() ?? nil))", "\(text(optionalSum))",
      "\(text(shelf.prices.min()))", "\(text(shelf.prices.max()))", "\(shelf.prices.sum())",
      "\(text(shelf.mixed.max()))", "\(shelf.mixed.sum())", "\(text(lightest))", "\(sum)",
      "\(text(mid))",
      "\(mapSum) \(text(mapLeast))",
      "\(shelf.hounds.index(matching: "weight < 25") ?? -1)",
      "\(shelf.hounds.index(matching: "weight > 100") ?? -1)",
      "\(shelf.hounds.index(matching: { $0.name == "Max" }) ?? -1)",
      "\(shelf.hounds.index(matching: NSPredicate(format: "name == %@", "Ace")) ?? -1)",
      "\(AnyRealmCollection(shelf.hounds).count) \(AnyRealmCollection(shelf.numbers)[2])",
      "\(AnyRealmCollection(shelf.numbers).map { $0 })",
      "\(AnyRealmCollection(shelf.numbers).sum())",
      "\(shelf.numbers.value(forKey: "self") as? [Int] ?? [])",
      "\(shelf.hounds.value(forKey: "weight") as? [Int] ?? [])",
    ]
  }

  @Test func computeTheSameAsManagedOnes() throws {
    let shelf = filled()
    let realm = try makeRealm()
    let before = facts(of: shelf)
    let managed = try realm.write { realm.create(Shelf.self, value: shelf) }
    #expect(before == facts(of: managed))
    let empty = Shelf()
    #expect(empty.numbers.min() == nil && empty.numbers.sum() == 0 && empty.prices.max() == nil)
    #expect(empty.hounds.max(ofProperty: "weight") as Int? == nil)
    #expect(empty.hounds.sum(ofProperty: "weight") as Int == 0)
    let average: Double? = empty.numbers.average()
    #expect(average == nil && empty.hounds.index(matching: "weight > 0") == nil)
  }

  /// Each copied with all that it leads to, they would take 45 000 copies.
  @Test func objectsThatLeadToEachOtherAreFoundTogether() throws {
    let line = Line()
    for number in 0..<300 { line.stations.append(Station(number, "s \(number)")) }
    for (a, b) in zip(line.stations, line.stations.dropFirst()) { a.next = b }
    #expect(line.stations.index(matching: "name == 's 298'") == 298)
    #expect(line.stations.index(matching: "next.next.name == 's 1'") == nil)
    #expect(line.stations.index(matching: { $0.next == nil }) == 299)
  }

  /// Each is asked as if there were no other objects than those that it leads to.
  @Test func objectsThatDoNotGoTogetherAreAskedByThemselves() {
    let line = Line()
    for number in 0..<8 { line.stations.append(Station(number, "s \(number)")) }
    line.stations[1].next = line.stations[6]
    #expect(line.stations.index(matching: "@links.@count > 0") == nil)
    line.stations[6].next = line.stations[1]
    #expect(line.stations.index(matching: { $0.previous.count > 0 }) == 1)
    // The same key again, with another name.
    line.stations.append(objectsIn: [Station(3, "a"), Station(3, "b")])
    #expect(line.stations.index(matching: "name == 's 3'") == 3)
    #expect(line.stations.index(matching: "name == 'a'") == 8)
    #expect(line.stations.index(matching: "name == 'b'") == 9)
    #expect(line.stations.index(matching: "name == 's 1' LIMIT(1)") == 1)
    line.stations.append(line.stations[2])
    #expect(line.stations.index(matching: "name == 's 2'") == 2)
  }

  @Test func objectsAmongTheArgumentsAreThoseThatTheElementsLeadTo() throws {
    let line = Line()
    let (a, b, other) = (Station(1, "a"), Station(2, "b"), Station(3, "c"))
    a.next = b
    line.stations.append(objectsIn: [a, b])
    #expect(line.stations.index(matching: { $0.next == b }) == 0)
    #expect(line.stations.index(matching: { $0.next != b }) == 1)
    #expect(line.stations.index(matching: { $0.next.in([other, b]) }) == 0)
    #expect(line.stations.index(matching: { $0.next == other }) == nil)
    #expect(line.stations.index(matching: "next == %@", b) == 0)
    #expect(line.stations.index(matching: "next != $0", b) == 1)
    #expect(line.stations.index(matching: NSPredicate(format: "next == %@", b)) == 0)
    let realm = try makeRealm([Station.self, Line.self])
    try realm.write { realm.add(other) }
    b.next = other
    #expect(line.stations.index(matching: { $0.next == other }) == 1)
    #expect(line.stations.index(matching: { $0.next == Station(3, "c") }) == nil)
  }

  @Test func objectsOfOneKeyInOneGraphAreAskedEachByItself() {
    let line = Line()
    let (a, b, x, y) = (Station(1, "a"), Station(2, "b"), Station(7, "x"), Station(7, "y"))
    a.next = x
    x.next = b
    b.next = y
    line.stations.append(objectsIn: [a, b])
    #expect(line.stations.index(matching: "next.name == 'x'") == 0)
    #expect(line.stations.index(matching: { $0.next.name == "y" }) == 1)
    #expect(line.stations.index(matching: { $0.next == x }) == 0)
    #expect(line.stations.index(matching: { $0.next == y }) == 1)
    #expect(line.stations.index(matching: "next.number == 7 AND number == 2 LIMIT(1)") == 1)
    #expect(line.stations.index(matching: "next == obj('Station', 7)") == 0)
  }

  @Test func setPropertiesOfAllTheirObjects() throws {
    let shelf = filled()
    shelf.hounds.setValue(7, forKey: "weight")
    #expect(shelf.hounds.map { $0.weight } == [7, 7, 7])
    let realm = try makeRealm()
    try realm.write {
      realm.add(shelf)
      shelf.hounds.setValue(8, forKey: "weight")
    }
    #expect(shelf.hounds.sum(of: \.weight) == 24)
  }

  @Test func areEqualByWhatTheyHold() throws {
    let (a, b) = (filled(), filled())
    #expect(a.numbers == b.numbers && a.floats == b.floats && a.prices == b.prices)
    #expect(a.mixed == b.mixed && a.dates == b.dates && a.hounds != b.hounds)
    b.hounds.removeAll()
    b.hounds.append(objectsIn: a.hounds)
    #expect(a.hounds == b.hounds && AnyRealmCollection(a.hounds) == AnyRealmCollection(b.hounds))
    b.floats.removeAll()
    b.floats.insert(objectsIn: [0.5, 1.5])
    #expect(a.floats == b.floats)
    b.numbers.append(1)
    b.prices["c"] = 1
    b.mixed[0] = .double(1)
    #expect(a.numbers != b.numbers && a.prices != b.prices && a.mixed != b.mixed)
    #expect(AnyRealmValue.fromArray([.int(1)]) == .fromArray([.int(1)]))
    #expect(AnyRealmValue.fromDictionary(["a": .int(1)]) != .fromDictionary(["a": .int(2)]))
    let realm = try makeRealm()
    try realm.write { realm.add(a) }
    #expect(a.numbers != filled().numbers && a.numbers == a.numbers)
    let list = List<AnyRealmValue>()
    list.append(.list(list))
    let other = List<AnyRealmValue>()
    other.append(.list(other))
    // There is no place where they differ.
    #expect(AnyRealmValue.list(list) == .list(list) && AnyRealmValue.list(list) == .list(other))
  }

  /// Each of the two lists contains the one before twice: there are 2⁶⁰ ways.
  @Test func whatIsSharedIsComparedOnce() {
    func nested(_ end: Int) -> AnyRealmValue {
      var value = AnyRealmValue.fromArray([.int(end)])
      for _ in 0..<60 { value = .fromArray([value, value]) }
      return value
    }
    #expect(nested(1) == nested(1))
    #expect(nested(1) != nested(2))
  }

  @Test func datesThatNoFileHoldsAreToldApart() {
    let (end, none) = (Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan))
    let shelf = Shelf()
    shelf.dates.append(objectsIn: [none, end])
    shelf.mixed.append(objectsIn: [.date(none), .date(end)])
    #expect(shelf.dates.index(of: end) == 1 && shelf.mixed.index(of: .date(end)) == 1)
    #expect(shelf.dates.index(of: none) == nil && shelf.mixed.index(of: .date(none)) == nil)
    let (dates, others) = (List<Date>(), List<Date>())
    dates.append(end)
    others.append(end)
    #expect(dates == others)
    others[0] = none
    #expect(dates != others)
    let set = MutableSet<Date>()
    set.insert(objectsIn: [end, end, Date(timeIntervalSince1970: 9.3e18)])
    #expect(set.count == 2 && set.contains(end) && !set.contains(none))
    set.remove(end)
    #expect(set.count == 1 && !set.contains(end))
  }

  @Test func setsAreEqualInAnyOrderAlsoWhereOnlyTheirElementsAreKnown() {
    let (a, b, list) = (MutableSet<Int>(), MutableSet<Int>(), List<Int>())
    a.insert(objectsIn: [1, 2])
    b.insert(objectsIn: [2, 1])
    list.append(objectsIn: [1, 2])
    #expect(AnyRealmCollection(a) == AnyRealmCollection(b))
    #expect(AnyRealmCollection(AnyRealmCollection(a)) == AnyRealmCollection(b))
    #expect(AnyRealmCollection(a) != AnyRealmCollection(list))
    b.insert(3)
    #expect(AnyRealmCollection(a) != AnyRealmCollection(b))
  }

  @Test func valuesByNameAreAsThoseOfObjects() throws {
    let tree = Tree()
    tree.barks.append(objectsIn: [.rough, .smooth])
    tree.notes.append(objectsIn: [.int(1), .string("a")])
    tree.notesByName["k"] = .int(3)
    let shelf = filled()
    func check(_ tree: Tree, _ shelf: Shelf) {
      #expect(shelf.narrow.value(forKey: "self") as? [Int] == [3, 1])
      #expect(tree.barks.value(forKey: "self") as? [String] == ["rough", "smooth"])
      let notes = tree.notes.value(forKey: "self") as? [Any?]
      #expect(notes?.count == 2 && notes?[0] as? Int == 1 && notes?[1] as? String == "a")
      #expect(tree.notesByName.value(forKey: "k") as? Int == 3)
    }
    check(tree, shelf)
    let realm = try makeRealm()
    try realm.write {
      realm.add(tree)
      realm.add(shelf)
    }
    check(tree, shelf)
  }

  @Test func spellingsOfOneTextAreKeptApart() throws {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let shelf = Shelf()
    shelf.words.insert(objectsIn: [composed, decomposed, composed])
    shelf.texts[composed] = "1"
    shelf.texts[decomposed] = "2"
    func check(_ shelf: Shelf) {
      #expect(shelf.words.count == 2 && shelf.texts.count == 2)
      #expect(shelf.texts[composed] == "1" && shelf.texts[decomposed] == "2")
      #expect(shelf.words.contains(composed) && shelf.words.contains(decomposed))
      #expect(shelf.texts.keys.map { $0.utf8.count } == [6, 5])
    }
    check(shelf)
    let realm = try makeRealm()
    let managed = try realm.write { realm.create(Shelf.self, value: shelf) }
    check(managed)
    try realm.write {
      realm.add(shelf)
      shelf.words.remove(composed)
      shelf.texts.removeObject(for: decomposed)
    }
    #expect(Array(shelf.words)[0].utf8.count == 6 && shelf.texts[composed] == "1")
    let unmanaged = Shelf()
    unmanaged.words.insert(objectsIn: [composed, decomposed])
    unmanaged.words.remove(composed)
    #expect(unmanaged.words.count == 1 && unmanaged.words.contains(decomposed))
    unmanaged.texts.merge([(composed, "a"), (decomposed, "b")]) { $0 + $1 }
    #expect(unmanaged.texts.count == 2)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(unmanaged.texts) }
  }
}
