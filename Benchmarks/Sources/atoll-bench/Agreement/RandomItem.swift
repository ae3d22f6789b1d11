internal import AtollObjects

/// An object of the comparison: few distinct values, many nulls, links to its own kind.
struct RandomItem {
  let id: Int
  var count: Int?
  var rank: Int
  var weight: Double?
  var title: String?
  var code: String
  var isOpen: Bool
  var owner: Int?

  static let words = [
    "", "a", "A", "ab", "Ab", "ba", "b", "B", "abba", "longer than eight", "longer THAN eight",
    "Åse", "åse", "東京", "zz zz zz zz zz zz zz zz zz zz zz zz",
  ]
  static let numbers = [-70_000, -1, 0, 1, 2, 3, 7, 300, 70_000, 5_000_000_000]
  static let weights = [-3.25, 0, 0.5, 1, 1.5, 2, 1e10]

  /// An object whose owner, if it has one, is one of `ids`.
  init(id: Int, ids: [Int], _ random: inout RandomSource) {
    self.id = id
    count = random.isOne(in: 4) ? nil : random.any(Self.numbers)
    rank = random.number(0...20)
    weight = random.isOne(in: 4) ? nil : random.any(Self.weights)
    title = random.isOne(in: 4) ? nil : random.any(Self.words)
    code = random.any(Self.words)
    isOpen = random.isOne(in: 2)
    owner = ids.isEmpty || random.isOne(in: 3) ? nil : random.any(ids)
  }

  /// The class, with an index on each property that `isIndexed` chooses.
  static func schema(isIndexed: (String) -> Bool) -> ClassSchema {
    ClassSchema(
      "Item",
      properties: [
        PropertySchema("id", .int),
        PropertySchema("count", .int, isOptional: true, isIndexed: isIndexed("count")),
        PropertySchema("rank", .int, isIndexed: isIndexed("rank")),
        PropertySchema("weight", .double, isOptional: true, isIndexed: isIndexed("weight")),
        PropertySchema("title", .string, isOptional: true, isIndexed: isIndexed("title")),
        PropertySchema("code", .string, isIndexed: isIndexed("code")),
        PropertySchema("isOpen", .bool), PropertySchema("owner", linkTo: "Item"),
      ], primaryKey: "id")
  }

  /// The values for the object store; the link is set separately.
  var values: [String: Value] {
    [
      "id": .int(Int64(id)), "count": count.map { .int(Int64($0)) } ?? .null,
      "rank": .int(Int64(rank)), "weight": weight.map { .double($0) } ?? .null,
      "title": title.map { .string($0) } ?? .null, "code": .string(code),
      "isOpen": .bool(isOpen),
    ]
  }
}
