import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

/// What scans keep of a version's leaves never answers for another version.
@Suite(.computing) struct LeafListTests {
  /// A query, and what it asks of an object.
  private static let questions: [(text: String, holds: @Sendable (Object) throws -> Bool)] = [
    ("int > 500", { try $0["int"].number > 500 }),
    ("maybe == 3", { try $0["maybe"] == .int(3) }),
    ("maybe == NULL AND flag == TRUE", { try $0["maybe"].isNull && $0["flag"] == .bool(true) }),
    ("double < 250.0", { try $0["double"].number < 250 }),
    ("text == 'text7'", { try $0["text"] == .string("text7") }),
    ("text ENDSWITH '9'", { try $0["text"].text.hasSuffix("9") }),
    ("date > T500:0", { try $0["date"].seconds > 500 }),
    ("link.int > 900", { try $0.linked($0.table.column("link"))?["int"].number ?? 0 > 900 }),
    (
      "@links.Thing.link.@count > 2",
      { try $0.backlinks($0.table.column("link")).count > 2 }
    ),
  ]

  @Test(arguments: seeds(1))
  func everyVersionIsAnsweredFromItsOwnLeaves(seed: UInt64) throws {
    try asksEveryVersion(of: try Database.inMemory(), objectCount: 1200, seed: seed)
  }

  /// Pages of an encrypted file are only where the cache has them: here it drops some all the time,
  /// so that they are decoded again elsewhere.
  @Test(arguments: seeds(1), [1 << 18, 1 << 20])
  func everyVersionIsAnsweredFromPagesThatMove(seed: UInt64, cacheByteCount: Int) throws {
    let options = Database.Options(
      cacheByteCount: cacheByteCount, encryptionKey: Array(0..<64))
    try asksEveryVersion(
      of: try Database.inMemory(options: options), objectCount: 700, seed: seed)
  }

  private func asksEveryVersion(
    of database: Database, objectCount: Int, seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var keys: [ObjectKey] = []
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Thing",
          properties: [
            PropertySchema("int", .int), PropertySchema("maybe", .int, isOptional: true),
            PropertySchema("flag", .bool), PropertySchema("double", .double),
            PropertySchema("text", .string), PropertySchema("date", .date),
            PropertySchema("link", linkTo: "Thing"),
          ]))
      for _ in 0..<objectCount {
        keys.append(try transaction.create("Thing", Self.values(keys, transaction, &random)))
      }
    }
    var snapshots = [try database.snapshot()]
    // A version stays as it is, so that reading its objects one by one is done once.
    var answers: [UInt64: [[ObjectKey]]] = [:]
    for _ in 0..<4 {
      try database.write { transaction in
        // Some leaves change, others are shared by the versions.
        let start = Int.random(in: 0..<keys.count - 200, using: &random)
        for index in start..<start + 200 where Bool.random(using: &random) {
          for (name, value) in try Self.values(keys, transaction, &random) {
            try transaction.set("Thing", keys[index], name, value)
          }
        }
        let dead = Int.random(in: 0..<keys.count, using: &random)
        try transaction.delete("Thing", keys.remove(at: dead))
      }
      snapshots.append(try database.snapshot())
      if snapshots.count > 3 { snapshots.removeFirst() }
      for snapshot in snapshots.shuffled(using: &random) {
        let table = try snapshot.table("Thing")
        if answers[snapshot.version] == nil {
          var matches = Self.questions.map { _ in [ObjectKey]() }
          try table.forEach { object in
            for (index, question) in Self.questions.enumerated() where try question.holds(object) {
              matches[index].append(object.key)
            }
          }
          answers[snapshot.version] = matches
        }
        for (index, (text, _)) in Self.questions.enumerated() {
          let expected = answers[snapshot.version]?[index]
          let query = try Query(text, on: "Thing", in: snapshot.schema)
          for _ in 0..<2 {
            #expect(try query.count(in: snapshot) == expected?.count, "\(text)")
            #expect(try query.results(in: snapshot).keys == expected, "\(text)")
          }
        }
      }
    }
  }

  private static func values(
    _ keys: [ObjectKey], _ transaction: Transaction, _ random: inout SplitMix64
  ) throws -> [String: Value] {
    let table = try transaction.table("Thing").schema.id
    var values: [String: Value] = [
      "int": .int(.random(in: 0...1000, using: &random)),
      "maybe": Bool.random(using: &random) ? .null : .int(.random(in: 0...5, using: &random)),
      "flag": .bool(Bool.random(using: &random)),
      "double": .double(.random(in: 0...1000, using: &random)),
      "text": .string("text\(Int.random(in: 0...40, using: &random))"),
    ]
    if let date = Timestamp(
      seconds: .random(in: 0...1000, using: &random),
      nanoseconds: .random(in: 0...1, using: &random))
    {
      values["date"] = .date(date)
    }
    if let target = keys.randomElement(using: &random) {
      values["link"] = .link(ObjectLink(table: table, key: target.rawValue))
    }
    return values
  }
}

extension Value {
  fileprivate var number: Double {
    switch self {
    case .int(let number): Double(number)
    case .double(let number): number
    default: .nan
    }
  }

  fileprivate var text: String { if case .string(let text) = self { text } else { "" } }

  fileprivate var seconds: Double {
    guard case .date(let date) = self else { return .nan }
    return Double(date.seconds) + Double(date.nanoseconds) / 1e9
  }
}
