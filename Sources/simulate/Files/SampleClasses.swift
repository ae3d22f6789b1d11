internal import AtollObjects
internal import TestSupport

/// The classes of the files that are damaged: every type, collection, kind of index and link.
enum SampleClasses {
  static let classes = [
    ClassSchema(
      "Place",
      properties: [
        PropertySchema("code", .string), PropertySchema("name", .string, isIndexed: true),
        PropertySchema("height", .double, isOptional: true, isIndexed: true),
        PropertySchema("founded", .date, isOptional: true, isIndexed: true),
        PropertySchema("extra", .mixed, isOptional: true),
        PropertySchema("near", linkTo: "Place", collection: .set),
      ], primaryKey: "code"),
    ClassSchema(
      "Address",
      properties: [PropertySchema("street", .string), PropertySchema("place", linkTo: "Place")],
      isEmbedded: true),
    ClassSchema(
      "Person",
      properties: [
        PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
        PropertySchema("age", .int, isOptional: true, isIndexed: true),
        PropertySchema("isActive", .bool), PropertySchema("weight", .float),
        PropertySchema("balance", .decimal, isOptional: true, isIndexed: true),
        PropertySchema("about", .string, isOptional: true, isFullTextIndexed: true),
        PropertySchema("photo", .data, isOptional: true),
        PropertySchema("token", .uuid, isIndexed: true),
        PropertySchema("mark", .objectID, isOptional: true),
        PropertySchema("notes", .mixed, isOptional: true),
        PropertySchema("scores", .int, collection: .list),
        PropertySchema("words", .string, collection: .set),
        PropertySchema("facts", .mixed, collection: .map, isOptional: true),
        PropertySchema("dates", .date, collection: .list, isOptional: true),
        PropertySchema("home", linkTo: "Place"),
        PropertySchema("friends", linkTo: "Person", collection: .list),
        PropertySchema("address", linkTo: "Address"),
      ], primaryKey: "id",
      indexes: [
        IndexSchema(["age", "name"]), IndexSchema(["name", "mark"], isUnique: true),
      ]),
    ClassSchema(
      "Event",
      properties: [
        PropertySchema("at", .date, isIndexed: true),
        PropertySchema("level", .int, isIndexed: true),
        PropertySchema("person", linkTo: "Person"),
      ], indexes: [IndexSchema(["level", "at"])]),
  ]

  /// Questions to the classes, one for each way in which a query meets pages.
  static let queries: [(className: String, text: String)] = [
    ("Person", "age > 40"), ("Person", "age == 30 OR name == 'Ada 7'"),
    ("Person", "name BEGINSWITH 'Gr' SORT(name DESC)"), ("Person", "name CONTAINS[c] 'E 1'"),
    ("Person", "about TEXT 'quick -lazy'"), ("Person", "about CONTAINS 'dog' SORT(age ASC)"),
    ("Person", "isActive == true AND weight < 70 SORT(weight ASC, id DESC) LIMIT(20)"),
    ("Person", "home.name BEGINSWITH 'P' AND balance > 10"),
    ("Person", "ANY friends.age > 50"), ("Person", "scores.@sum > 100"),
    ("Person", "friends.@sum.age > 100 OR friends.@max.weight > 80"),
    ("Person", "SUBQUERY(friends, $f, $f.age > 40).@count > 1"),
    ("Person", "words.@count > 2 OR facts.@count > 1"), ("Person", "notes == 7 OR notes > 'm'"),
    ("Person", "photo != nil AND token != nil SORT(token ASC)"),
    ("Person", "TRUEPREDICATE DISTINCT(age)"), ("Person", "address.street ENDSWITH '3'"),
    ("Place", "height > 100.5 SORT(height DESC)"), ("Place", "@links.Person.home.@count > 1"),
    ("Place", "ANY near.height < 500"), ("Event", "level IN {1, 3} AND person.age > 30"),
    ("Event", "at > 2001-01-01@00:00:00 SORT(at ASC)"),
    ("Event", "level == 3 AND at < 2001-01-01@00:00:00 SORT(at DESC)"),
    ("Person", "age IN {30, 31, 50} AND name BEGINSWITH 'A'"),
  ]
}

/// Makes values for the sample classes; the values of a seed never change.
struct SampleValues: RandomMaker {
  var random: SplitMix64
  /// Whether some values are so long that they lie outside of their leaf.
  let hasLongValues: Bool

  private static let names = ["Ada", "Grace", "Edsger", "Barbara", "Tony", "Niklaus", "Frances"]
  private static let vocabulary = [
    "the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog", "Zürich", "naïve", "1984",
  ]

  private mutating func optional(_ value: Value) -> Value { number(6) == 0 ? .null : value }

  mutating func words(_ count: Int) -> String {
    (0..<count).map { _ in Self.vocabulary[number(Self.vocabulary.count)] }
      .joined(separator: " ")
  }

  mutating func date() -> Value {
    let nanoseconds = number(3) == 0 ? Int32(number(1_000_000_000)) : 0
    return Timestamp(seconds: Int64(number(1_500_000_000)), nanoseconds: nanoseconds)
      .map { Value.date($0) } ?? .null
  }

  mutating func mixed(_ depth: Int = 0) -> Value {
    switch number(depth > 2 ? 8 : 11) {
    case 0: .null
    case 1: .bool(true)
    case 2: .int(Int64(number(20)))
    case 3: .double(Double(number(1000)) / 8)
    case 4: .string(words(1 + number(3)))
    case 5: .data(noise(number(40), &random))
    case 6: date()
    case 7: .decimal(Decimal128(Int64(number(100_000))))
    case 8: .list((0..<number(4)).map { _ in mixed(depth + 1) })
    case 9: .uuid(UniqueID(high: random.next(), low: random.next()))
    default: map(depth + 1)
    }
  }

  mutating func map(_ depth: Int) -> Value {
    .map(ValueMap((0..<number(4)).map { ("key \($0)", mixed(depth)) }))
  }

  mutating func about() -> Value {
    if hasLongValues, number(12) == 0 { return .string(words(1800 + number(900))) }
    return optional(.string(words(number(12))))
  }

  mutating func place(_ index: Int) -> [String: Value] {
    [
      "code": .string("P\(index)"), "name": .string("Port \(words(1)) \(index % 9)"),
      "height": optional(.double(Double(number(90_000)) / 16)), "founded": optional(date()),
      "extra": mixed(),
    ]
  }

  mutating func person(_ id: Int) -> [String: Value] {
    var values: [String: Value] = [
      "id": .int(Int64(id)), "name": .string("\(Self.names[number(Self.names.count)]) \(id % 40)"),
      "age": optional(.int(Int64(number(90)))), "isActive": .bool(number(2) == 0),
      "weight": .float(Float(400 + number(600)) / 10),
      "balance": optional(.decimal(Decimal128(Int64(number(10_000)) - 100))), "about": about(),
      "token": .uuid(UniqueID(high: random.next(), low: UInt64(id))),
      "mark": optional(
        .objectID(ObjectID(seconds: UInt32(id), random: random.next() >> 24, counter: 5))),
      "notes": mixed(), "scores": .list((0..<number(7)).map { _ in .int(Int64(number(60))) }),
      "facts": map(0), "dates": .list((0..<number(3)).map { _ in optional(date()) }),
    ]
    values["words"] = .set((0..<number(4)).map { .string(Self.vocabulary[$0]) })
    if number(3) == 0 { values["photo"] = .data(noise(number(200), &random)) }
    if hasLongValues, number(16) == 0 {
      values["photo"] = .data(noise(9000 + number(9000), &random))
      values["scores"] = .list((0..<3000).map { .int(Int64($0 &* 7919)) })
      values["words"] = .set((0..<900).map { .string("word \($0 &* 7919)") })
      values["facts"] = .map(
        ValueMap((0..<700).map { (key: "fact \($0)", value: .int(Int64($0))) }))
    }
    return values
  }

  mutating func event() -> [String: Value] { ["at": date(), "level": .int(Int64(number(5)))] }
}
