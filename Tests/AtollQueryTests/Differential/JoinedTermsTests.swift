import AtollObjects
import TestSupport
import TestThreads
import Testing

@testable import AtollQuery

/// Terms on one path are one test, which says what they say one by one.
@Suite(.computing) struct JoinedTermsTests {
  /// A predicate whose terms can be asked one by one.
  private indirect enum Tree {
    case term(String)
    case not(Tree)
    case all([Tree])
    case any([Tree])

    var text: String {
      switch self {
      case .term(let text): text
      case .not(let inner): "NOT \(inner.text)"
      case .all(let parts): "(\(parts.map(\.text).joined(separator: " AND ")))"
      case .any(let parts): "(\(parts.map(\.text).joined(separator: " OR ")))"
      }
    }

    /// The objects that pass, when `ask` tells which pass a term.
    func keys(_ everyone: Set<UInt64>, _ ask: (String) throws -> Set<UInt64>) rethrows -> Set<
      UInt64
    > {
      switch self {
      case .term(let text): try ask(text)
      case .not(let inner): everyone.subtracting(try inner.keys(everyone, ask))
      case .all(let parts):
        try parts.reduce(everyone) { $0.intersection(try $1.keys(everyone, ask)) }
      case .any(let parts): try parts.reduce([]) { $0.union(try $1.keys(everyone, ask)) }
      }
    }
  }

  /// Makes predicates whose terms name few paths.
  private struct Maker: RandomMaker {
    var random: SplitMix64
    private var paths: [String] = []

    private static let paths = [
      "io", "l.io", "self.io", "l.self.io", "l.l.do", "l.so", "l.m", "self.l.b", "l.bo", "ll.io",
      "ls.io", "l.ll.io", "ll.l.so", "@links.B.ll.io", "@links.A.self.do", "ls.bo", "l.self.n",
      "ll[0].io", "l.ll[LAST].do", "ll[1].l.so", "ll[FIRST].ls.io", "self.t", "l.u", "l.f",
      "l.self",
      "ll.self", "self.l.l", "ls.l",
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func tree() -> Tree {
      paths = (0..<1 + number(2)).map { _ in pick(Self.paths) }
      return tree(depth: 2)
    }

    private mutating func tree(depth: Int) -> Tree {
      let isTerm = depth == 0 || number(8) == 0
      let parts = isTerm ? [] : (0..<2 + number(3)).map { _ in self.tree(depth: depth - 1) }
      let made: Tree = isTerm ? .term(term()) : number(2) == 0 ? .all(parts) : .any(parts)
      return number(5) == 0 ? .not(made) : made
    }

    private mutating func term() -> String {
      let path = pick(paths)
      let isMany = ["ll", "ls", "@links"].contains { path.contains($0) }
      let quantifier = isMany ? pick(["", "", "ANY ", "ALL ", "NONE "]) : ""
      let last = path.split(separator: ".").last.map(String.init) ?? path
      let test =
        switch last {
        case "so":
          pick(["== 'a'", "BEGINSWITH 'b'", "!= NULL", "CONTAINS 'c'", "== NULL", "==[c] 'A'"])
        case "b", "bo": pick(["== true", "!= true", "== NULL"])
        case "t": pick(["> T5:0", "== NULL", "!= T1:0"])
        case "u": pick(["== NULL", "!= uuid(00000000-0000-0000-0000-000000000001)"])
        case "l", "self", "ll", "ls":
          pick(["== NULL", "!= NULL", "== obj('A', \(number(9)))", "!= obj('A', \(number(9)))"])
        default:
          pick([
            "> \(number(9))", "< \(number(9))", "== \(number(9))", "!= \(number(9))", "== NULL",
            "!= NULL", "IN {1, 2, NULL}", "BETWEEN {2, 6}", "!= nan", "< ALL {3, 8}",
          ])
        }
      return "\(quantifier)\(path) \(test)"
    }
  }

  @Test(arguments: seeds(4)) func answersAreThoseOfTheTerms(seed: UInt64) throws {
    let world = try RandomWorld(seed: seed)
    let snapshot = try world.database.snapshot()
    var maker = Maker(seed: seed)
    var answered = 0
    var selective = 0
    for _ in 0..<200 {
      let tree = maker.tree()
      let className = maker.pick(["A", "B"])
      guard let query = try? Query(tree.text, on: className, in: snapshot.schema) else { continue }
      func ask(_ text: String) throws -> Set<UInt64> {
        let query = try Query(text, on: className, in: snapshot.schema)
        return Set(try query.results(in: snapshot).keys.map(\.rawValue))
      }
      answered += 1
      let everyone = try ask("TRUEPREDICATE")
      let expected = try tree.keys(everyone, ask).sorted()
      for access in 0..<(try query.accessCount(in: snapshot)) {
        let answer = try query.answer(
          in: snapshot, by: PlanForce(access: access, usesIndexOrder: false))
        #expect(answer.keys.map(\.rawValue) == expected, "\(className): \(tree.text)")
        #expect(answer.count == expected.count, "\(className): \(tree.text)")
      }
      if expected.count > 0, expected.count < everyone.count { selective += 1 }
    }
    #expect(answered > 100 && selective > 3, "\(answered) \(selective)")
  }

  /// Keys of the same characters in other bytes lead to other objects.
  @Test func keysOfMapsAreBytes() throws {
    let database = try Database.inMemory()
    let keys = ["\u{e9}", "e\u{301}"]
    try database.write { transaction in
      try transaction.addClass(
        ClassSchema(
          "Node",
          properties: [
            PropertySchema("id", .int), PropertySchema("next", linkTo: "Node", collection: .map),
          ], primaryKey: "id"))
      let table = try transaction.table("Node").schema.id
      let targets = try (1...2).map { try transaction.create("Node", ["id": .int($0)]) }
      let entries = zip(keys, targets).map { key, target in
        (key: key, value: Value.link(ObjectLink(table: table, key: target.rawValue)))
      }
      try transaction.create("Node", ["id": .int(3), "next": .map(ValueMap(entries))])
    }
    let snapshot = try database.snapshot()
    func count(_ joint: String, _ first: Int, _ second: Int) throws -> Int {
      let text =
        "next['\(keys[0])'].id == \(first) \(joint) next['\(keys[1])'].id == \(second)"
      return try Query("id == 3 AND (\(text))", on: "Node", in: snapshot.schema)
        .count(in: snapshot)
    }
    #expect(try count("AND", 1, 2) == 1)
    #expect(try count("OR", 99, 2) == 1)
    #expect(try count("AND", 1, 1) == 0)
    #expect(try count("OR", 2, 1) == 0)
  }

  /// What lies behind a link is looked at once, however many terms ask for it.
  @Test(arguments: [
    ("l.io > 1 OR l.io == 7 OR NOT l.io < 100", 1), ("l.io > 1 AND l.io < 7", 1),
    ("ANY ll.io > 1 OR ANY ll.io == 0", 1), ("NONE ll.io > 8 AND ALL ll.io != 0", 1),
    // Another object may be what the other term asks for.
    ("ANY ll.io > 1 AND ANY ll.io == 0", 2), ("l.io > 1 OR self.io > 1", 2),
  ])
  func aPathIsOneTest(text: String, count: Int) throws {
    let world = try RandomWorld(seed: 1)
    let snapshot = try world.database.snapshot()
    let query = try Query(text, on: "A", in: snapshot.schema)
    let run = try QueryRun(
      query.bound, [], in: snapshot, for: .keys,
      forcing: PlanForce(access: 0, usesIndexOrder: false))
    func links(_ test: RowTest) -> Int {
      test is LinkedObjectsTest ? 1 : test.parts.reduce(0) { $0 + links($1) }
    }
    #expect(links(run.choice.test) == count)
  }
}
