import Foundation
import RealmSwift
import Testing

extension Interface {
  @MainActor static func textQueries(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let dogs = realm.objects(Dog.self)
    /// Throws what `filter` would end the process for.
    func finds(_ count: Int, _ format: String, _ arguments: Any...) throws {
      _ = try dogs.query(NSPredicate(format: format, argumentArray: arguments))
      let found = dogs.filter(NSPredicate(format: format, argumentArray: arguments))
      #expect(found.count == count, "\(format)")
    }

    rows.done("collection.filter(_:_:)", note: "An invalid text ends the process.") {
      let young: Results<Dog> = dogs.filter("age < %d AND name BEGINSWITH %@", 2, "L")
      #expect(young.count == 1 && dogs.filter("age < 2").filter("age > 2").isEmpty)
    }
    rows.done(
      "collection.filter(NSPredicate)", "NSPredicate(format:_:)",
      note: "`NSCompoundPredicate`, too; a predicate with a block is refused."
    ) {
      #expect(dogs.filter(NSPredicate(format: "age == %@", 3 as NSNumber)).count == 1)
      let format = NSPredicate(format: "name == %@", "Rex")
      #expect(dogs.filter(NSCompoundPredicate(notPredicateWithSubpredicate: format)).count == 1)
    }
    rows.done("collection.index(matching: format, arguments)", "index(matching: NSPredicate)") {
      let index: Int? = dogs.index(matching: "name == %@", "Luna")
      #expect(index == 1 && dogs.index(matching: NSPredicate(format: "age > 9")) == nil)
    }
    rows.done("map.filter(NSPredicate)") {
      let found: Results<Dog> = realm.ada.byName.filter(NSPredicate(format: "age == 3"))
      #expect(found.count == 1)
    }
    rows.differs(
      "arguments `$0`, `%@`, `%K`, `%d`, `%i`, `%ld`, `%lu`, `%lld`, `%f`, `$K0`",
      how: "There is no `%s`, which takes a string of C; write `%@`."
    ) {
      #expect(dogs.filter("age == $0 OR age == $1", 3, 1).count == 2)
      #expect(dogs.filter("%K == %@", "name", "Rex").count == 1)
      #expect(dogs.filter("age == %i AND age == %ld AND age == %lld", 3, 3, 3).count == 1)
      #expect(dogs.filter("age < %f AND age == %lu", 3.5, 3).count == 1)
      #expect(dogs.filter("$K0 == $1", "name", "Rex").count == 1)
    }
    rows.done(
      "comparisons `==`, `=`, `!=`, `<>`, `<`, `<=`, `=<`, `>`, `>=`, `=>`, `IN`, `BETWEEN`"
    ) {
      try finds(1, "age = 3")
      try finds(1, "age <> 3")
      try finds(2, "age =< 3 AND age => 1 AND age <= 3 AND age >= 1")
      try finds(2, "age IN {1, 3}")
      try finds(1, "age BETWEEN {2, 4}")
      #expect(dogs.filter("age IN %@", [1, 3]).count == 2)
      #expect(dogs.filter("age BETWEEN %@", [2, 4]).count == 1)
    }
    rows.done("texts `BEGINSWITH`, `ENDSWITH`, `CONTAINS`, `LIKE`, `[c]`, `[d]`, `[cd]`") {
      try finds(1, "name BEGINSWITH[c] 'r' AND name ENDSWITH 'x'")
      try finds(1, "name CONTAINS[cd] 'É'")
      try finds(1, "name LIKE 'R?x' AND name LIKE[c] 'r*'")
      try finds(1, "name ==[c] 'REX'")
    }
    rows.done("logic `AND`, `&&`, `OR`, `||`, `NOT`, `!`, `TRUEPREDICATE`, `FALSEPREDICATE`") {
      try finds(1, "NOT (age == 1 || age == 2) && !(age == 9) AND age > 0")
      try finds(2, "TRUEPREDICATE")
      try finds(0, "FALSEPREDICATE or age == 9")
    }
    rows.done("quantifiers `ANY`, `SOME`, `ALL`, `NONE`") {
      try finds(1, "ANY friends.name == 'Luna'")
      try finds(1, "SOME friends.age < 2")
      try finds(2, "ALL friends.age < 2")
      try finds(1, "NONE friends.age < 2")
      try finds(2, "ANY {1, 3} == age")
    }
    rows.done("aggregates `@count`, `@size`, `@sum`, `@min`, `@max`, `@avg`, `SUBQUERY`") {
      try finds(1, "tags.@count == 2 AND tags.@size == 2")
      try finds(
        1, "scores.@sum == 6 AND scores.@min == 1 AND scores.@max == 3 AND scores.@avg == 2")
      try finds(1, "friends.@sum.age == 1 AND friends.@max.age == 1")
      try finds(1, "SUBQUERY(friends, $x, $x.age < 2).@count > 0")
    }
    rows.done(
      "elements `list[0]`, `list[FIRST]`, `list[LAST]`, `list[SIZE]`, `map['key']`, `@keys`, `@values`"
    ) {
      try finds(1, "scores[0] == 3 AND scores[FIRST] == 3 AND scores[LAST] == 2")
      try finds(1, "scores[SIZE] == 3")
      try finds(1, "prices['EUR'] == 12")
      try finds(1, "prices.@keys == 'EUR' AND prices.@values == 12")
      try finds(1, "prices.@allKeys == 'EUR' AND prices.@allValues == 12")
    }
    rows.done("@links.Class.property", "@links.@count", "@type") {
      try finds(1, "@links.Dog.friends.name == 'Rex'")
      try finds(2, "@links.@count > 0")
      try finds(0, "anything.@type == 'string'")
    }
    rows.done(
      "literals of numbers, texts and dates, `TRUE`, `FALSE`, `YES`, `NO`, `NULL`, `NIL`, `oid(…)`, `uuid(…)`, `bin(B64\"…\")`"
    ) {
      try finds(
        2, "age < 0x10 AND isGood == NO AND isGood == false AND nick == NULL AND nick == nil")
      try finds(2, "born > 1970-01-01@00:00:00:0 AND born > T0:0")
      try finds(2, "photo == bin(B64\"\") AND name != B64\"UmV4IQ==\"")
      try finds(0, "isGood == YES OR isGood == TRUE")
      try finds(0, "anything == uuid(00000000-0000-0000-0000-000000000000)")
      let people = realm.objects(Person.self)
      #expect(people.filter("_id == oid(000000000000000000000000)").isEmpty)
    }
    rows.done("arithmetic `+`, `-`, `*`, `/`", "a property beside another one") {
      try finds(2, "age * 2 + 1 > age - 1 AND age / 1 == age")
    }
    rows.done("places `geoWithin geoCircle`, `geoBox`, `geoPolygon`") {
      try finds(0, "home GEOWITHIN geoCircle([7.4, 46.9], 0.1)")
      try finds(0, "home GEOWITHIN geoBox([0, 0], [10, 50])")
      try finds(0, "home GEOWITHIN geoPolygon({[0, 0], [10, 0], [10, 10], [0, 0]})")
    }
    rows.done(
      "SORT(…), DISTINCT(…), LIMIT(…)", "obj('Class', key)", "TEXT",
      note: "`TEXT` needs `@Persisted(indexed: .fullText)`."
    ) {
      let sorted = dogs.filter("TRUEPREDICATE SORT(age ASC) LIMIT(1)")
      #expect(sorted.first?.name == "Luna")
      #expect(dogs.filter("age > 0 DISTINCT(isGood)").count == 1)
      try finds(1, "ANY friends == obj('Dog', 2)")
      let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Declared.self])
      let declared = try Realm(configuration: configuration).objects(Declared.self)
      #expect(declared.filter("searched TEXT 'word -other'").isEmpty)
    }
    rows.done("collection.query(_:_:) throws", note: "As `filter`; an invalid text is an error.") {
      let found: Results<Dog> = try dogs.query("age == $0", 3)
      #expect(found.count == 1)
      #expect(throws: (any Error).self) { try dogs.query("age ==") }
    }
  }

  @MainActor static func queries(_ rows: InterfaceRows) throws {
    let realm = try kennel()
    let dogs = realm.objects(Dog.self)
    let rex = realm.rex
    func finds(_ count: Int, _ isIncluded: (Query<Dog>) -> Query<Bool>) {
      #expect(dogs.where(isIncluded).count == count)
    }

    rows.done("collection.where(_:)", note: "Also of lists, sets, linking objects and values.") {
      let young: Results<Dog> = dogs.where { $0.age < 2 }
      #expect(young.count == 1 && rex.friends.where { $0.age < 2 }.count == 1)
      #expect(realm.ada.pets.where { $0.age < 2 }.isEmpty)
      #expect(AnyRealmCollection(dogs).where { $0.age < 2 }.count == 1)
      #expect(realm.ada.pals.where { $0.age == 3 }.count == 1)
      #expect(rex.scores.where { $0 > 1 }.count == 2)
    }
    rows.done("map.where(_:)") { #expect(realm.ada.byName.where { $0.age == 3 }.count == 1) }
    rows.done("collection.index(matching: { })") {
      let index: Int? = dogs.index(matching: { $0.name == "Luna" })
      #expect(index == 1)
    }
    rows.done("Query members by key path") {
      finds(1) { $0.owner.name == "Ada" }
      finds(1) { $0.friends.age == 1 }
      finds(1) { $0.admirers.name == "Rex" }
      finds(0) { $0.home.city == "Bern" }
    }
    rows.done("==, !=", note: "With a value, nil, or another property.") {
      finds(1) { $0.name == "Rex" && $0.owner != nil }
      finds(2) { $0.nick == nil && $0.name != "Max" && $0.mood == .calm }
      finds(0) { $0.age == $0.id && $0.age != 1 }
      finds(1) { $0.owner == realm.ada }
      finds(2) { $0.weight == Weight(persistedValue: 0) }
    }
    rows.done("<, <=, >, >=") {
      finds(1) { $0.age < 2 && $0.age <= 1 && $0.age >= 1 && $0.age > 0 }
      finds(2) { $0.born > Date(timeIntervalSince1970: 0) }
      finds(2) { $0.name >= "L" && $0.age != $0.id }
      finds(1) { $0.age > $0.id }
    }
    rows.done("!, &&, ||", "a Bool property as a condition") {
      finds(2) { !$0.isGood && ($0.age == 3 || $0.age == 1) }
      finds(0) { $0.isGood }
    }
    rows.done("property.in(_:)") {
      finds(2) { $0.age.in([1, 3]) }
      finds(1) { $0.name.in(["Rex"]) }
    }
    rows.done("property.contains(range)", "property.contains(closedRange)") {
      finds(1) { $0.age.contains(1..<3) }
      finds(2) { $0.age.contains(1...3) }
      finds(1) { $0.scores.contains(1...3) }
    }
    rows.done("collection.contains(element)", "collection.containsAny(in:)") {
      finds(1) { $0.tags.contains("big") }
      finds(1) { $0.marks.contains(7) }
      finds(1) { $0.tags.containsAny(in: ["big", "small"]) }
      finds(1) { $0.prices.containsAny(in: [12]) }
    }
    rows.done(
      "text.contains(_:options:)", "starts(with:options:)", "ends(with:options:)",
      "equals(_:options:)", "notEquals(_:options:)", note: "Also of `Data`."
    ) {
      finds(1) { $0.name.contains("EX", options: [.caseInsensitive]) }
      finds(1) { $0.name.starts(with: "R") && $0.name.ends(with: "x") }
      finds(1) { $0.name.equals("rex", options: .caseInsensitive) }
      finds(1) { $0.name.notEquals("rex", options: [.caseInsensitive, .diacriticInsensitive]) }
      finds(2) { $0.photo.contains(Data()) || $0.photo.equals(Data()) }
      finds(0) { $0.name.contains($0.nick) }
    }
    rows.done("text.like(_:caseInsensitive:)") {
      finds(1) { $0.name.like("R?x") }
      finds(1) { $0.name.like("r*", caseInsensitive: true) }
    }
    rows.done("StringOptions: OptionSet") {
      let options: StringOptions = [.caseInsensitive, .diacriticInsensitive]
      #expect(options.contains(.caseInsensitive))
    }
    rows.done("collection == element", "!=", "<, <=, >, >=", note: "Any element does.") {
      finds(1) { $0.tags == "big" }
      finds(1) { $0.scores < 2 && $0.scores >= 3 && $0.scores != 3 }
    }
    rows.done(".count, .min, .max, .sum, .avg") {
      finds(1) { $0.tags.count == 2 && $0.scores.sum == 6 && $0.scores.avg == 2 }
      finds(1) { $0.scores.min == 1 && $0.scores.max == 3 }
      finds(1) { $0.friends.age.avg == 1 && $0.friends.age.sum == 1 && $0.friends.age.max == 1 }
    }
    rows.done("(condition).count") { finds(1) { ($0.friends.age < 2).count >= 1 } }
    rows.done("map.keys, map.values, map[key], map.count") {
      finds(1) { $0.prices.keys == "EUR" && $0.prices.values == 12 && $0.prices.count == 1 }
      finds(1) { $0.prices["EUR"] == 12 && $0.prices.sum == 12 }
    }
    rows.done("mixed[index], mixed[key], mixed.any") {
      finds(0) { $0.anything[0] == .int(1) }
      finds(0) { $0.anything["a"] == .int(1) || $0.anything.any == .int(1) }
    }
    rows.done("enum.rawValue", "custom.persistableValue") {
      finds(2) { $0.mood.rawValue == "calm" && $0.weight.persistableValue == 0 }
    }
    rows.no(
      "query._constructPredicate()", "Query._constructForTesting()",
      why: "A query in Swift is no text here; `results.explain()` shows how it is run.")
  }
}
