import Atoll
import Foundation
import TestThreads
import Testing

private class Switch: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var isOn: Bool
  @Persisted var isSure: Bool?
  @Persisted var next: Switch?
  @Persisted var others: List<Switch>
  @Persisted var flags: List<Bool>
  @Persisted var yes: Int
  @Persisted var mixed: AnyRealmValue
}

/// Predicates as values, of Foundation's class.
@Suite(.computing) struct PredicateTests {
  private func realm() throws -> Realm {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    try realm.write {
      for (name, weight) in [("Ada", 3), ("Odo", 5), ("Rex", 9)] {
        realm.create(Hound.self, value: ["name": name, "weight": weight])
      }
    }
    return realm
  }

  private func names(_ predicate: NSPredicate) throws -> [String] {
    try realm().objects(Hound.self).filter(predicate).map(\.name)
  }

  @Test func aPredicateIsAskedWithItsArguments() throws {
    #expect(try names(NSPredicate(format: "weight > %d AND name != %@", 4, "Rex")) == ["Odo"])
    #expect(try names(NSPredicate(format: "weight IN %@", argumentArray: [[3, 9]])).count == 2)
    #expect(try names(NSPredicate(format: "%K == %@", "name", "Ada")) == ["Ada"])
    #expect(try names(NSPredicate(value: true)).count == 3)
    #expect(try names(NSPredicate(value: false)) == [])
    #expect(try names(NSPredicate(format: "weight > 0 SORT(weight DESC) LIMIT(1)")) == ["Rex"])
    let hounds = try realm().objects(Hound.self)
    #expect(hounds.index(matching: NSPredicate(format: "name == 'Odo'")) == 1)
  }

  @Test func anArgumentOfAClassOfFoundationIsTheValueThatItHolds() throws {
    let id = UUID()
    let realm = try makeRealm()
    try realm.write {
      realm.create(Everything.self, value: ["data": Data([1, 2]), "uuid": id] as [String: Any])
      realm.create(Everything.self)
    }
    let all = realm.objects(Everything.self)
    #expect(all.filter("data == %@", NSData(data: Data([1, 2]))).count == 1)
    let same = try #require(NSUUID(uuidString: id.uuidString))
    #expect(all.filter("uuid == %@", same).count == 1)
    #expect(all.filter("uuid IN %@", NSArray(array: [id])).count == 1)
  }

  /// As `NSPredicate` reads them; the query language has TRUE and FALSE.
  @Test func yesAndNoAndOneAndZeroAreBooleans() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
    try realm.write {
      let first = realm.create(Switch.self, value: [1, true, true] as [Any])
      let second = realm.create(
        Switch.self,
        value: ["number": 2, "isOn": false, "isSure": false, "next": first, "yes": 1])
      second.others.append(first)
      first.others.append(second)
      realm.create(
        Switch.self,
        value: ["number": 3, "isOn": true, "mixed": 1, "flags": [true]] as [String: Any])
    }
    let switches = realm.objects(Switch.self)
    func numbers(_ text: String, _ arguments: Any...) throws -> [Int] {
      let predicate = NSPredicate(format: text, argumentArray: arguments)
      let found = Array(switches.filter(predicate).map(\.number))
      #expect(
        Array(
          switches.filter(
            NSCompoundPredicate(
              andPredicateWithSubpredicates: [NSPredicate(format: "number > %d", 0), predicate])
          )
          .map(\.number)) == found)
      return found
    }
    for text in ["isOn == YES", "isOn = Yes", "isOn == 1", "1 == isOn", "isOn != NO", "isOn != 0"] {
      #expect(try numbers(text) == [1, 3], "\(text)")
    }
    #expect(try numbers("isOn == NO") == [2] && numbers("isOn == 0") == [2])
    #expect(try numbers("isSure == YES") == [1] && numbers("isSure == 0") == [2])
    #expect(try numbers("isSure IN {1, 0}") == [1, 2] && numbers("isSure == NULL") == [3])
    #expect(try numbers("next.isOn == 1") == [2] && numbers("NOT isOn == YES") == [2])
    #expect(try numbers("isOn == %d AND number > %d", 1, 1) == [3])
    #expect(try numbers("isOn == %@", 0) == [2])
    #expect(try numbers("isSure IN %@", [true]) == [1] && numbers("isSure IN %@", [1]) == [1])
    #expect(try numbers("isSure IN %@", [0, 1, nil] as [Int?]) == [1, 2, 3])
    #expect(try numbers("isSure IN %@", [Int]()) == [])
    #expect(try numbers("%K == 1 AND %K == %@", "isOn", "isSure", 1) == [1])
    #expect(try numbers("%K == NO", "next.isOn") == [] && numbers("%K == 1", "next.isOn") == [2])
    #expect(try numbers("SUBQUERY(others, $x, $x.isOn == 1).@count == 1") == [2])
    #expect(try numbers("SUBQUERY(others, $x, $x.isOn == NO).@count == 1") == [1])
    #expect(try numbers("ANY others.isOn == 1") == [2] && numbers("flags[0] == 1") == [3])
    #expect(try numbers("yes == 1") == [2] && numbers("mixed == 1") == [3])
    #expect(throws: (any Error).self) { try switches.query("isOn == 2") }
    #expect(throws: (any Error).self) { try switches.query("number == YES") }
  }

  @Test func predicatesAreCombined() throws {
    let heavy = NSPredicate(format: "weight > %d", 4)
    let early = NSPredicate(format: "name < %@", "P")
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [heavy, early])
    let one = NSCompoundPredicate(orPredicateWithSubpredicates: [heavy, early])
    #expect(try names(both) == ["Odo"])
    #expect(try names(one).count == 3)
    #expect(try names(NSCompoundPredicate(notPredicateWithSubpredicate: both)) == ["Ada", "Rex"])
    let nested = NSCompoundPredicate(
      type: .and, subpredicates: [both, NSPredicate(format: "weight BETWEEN {%d, %d}", 5, 6)])
    #expect(try names(nested) == ["Odo"])
    #expect(try names(NSCompoundPredicate(andPredicateWithSubpredicates: [])).count == 3)
    #expect(try names(NSCompoundPredicate(orPredicateWithSubpredicates: [])) == [])
    // Behind another query, whose arguments come first.
    let hounds = try realm().objects(Hound.self).filter("weight < $0", 9).filter(both)
    #expect(hounds.map(\.name) == ["Odo"])
  }

  @Test func whatIsWrongInAPartIsNamed() throws {
    let hounds = try realm().objects(Hound.self)
    let wrong = NSCompoundPredicate(
      andPredicateWithSubpredicates: [
        NSPredicate(format: "weight > 1"), NSPredicate(format: "wieght > 2"),
      ])
    #expect {
      try hounds.query(wrong)
    } throws: {
      $0.localizedDescription.contains("wieght > 2")
    }
    let sorted = NSCompoundPredicate(
      andPredicateWithSubpredicates: [NSPredicate(format: "weight > 1 LIMIT(1)")])
    #expect(throws: Realm.Error.self) { try hounds.query(sorted) }
    #expect(throws: (any Error).self) { try hounds.query(NSPredicate { _, _ in true }) }
  }
}
