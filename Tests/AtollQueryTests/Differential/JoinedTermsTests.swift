import AtollObjects
import TestSupport
import Testing

@testable import AtollQuery

/// Terms on one path are one test, which says what they say one by one.
@Suite struct JoinedTermsTests {
  /// Makes predicates whose terms name few paths.
  private struct Maker: RandomMaker {
    var random: SplitMix64
    private var paths: [String] = []

    private static let paths = [
      "io", "l.io", "self.io", "l.self.io", "l.l.do", "l.so", "l.m", "self.l.b", "l.bo", "ll.io",
      "ls.io", "l.ll.io", "ll.l.so", "@links.B.ll.io", "@links.A.self.do", "ls.bo", "l.self.n",
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func query() -> String {
      paths = (0..<1 + number(2)).map { _ in pick(Self.paths) }
      return predicate(depth: 2)
    }

    private mutating func predicate(depth: Int) -> String {
      guard depth > 0, number(8) > 0 else { return term() }
      let terms = (0..<2 + number(3)).map { _ in predicate(depth: depth - 1) }
      let text = "(" + terms.joined(separator: pick([" AND ", " OR "])) + ")"
      return number(4) == 0 ? "NOT \(text)" : text
    }

    private mutating func term() -> String {
      let path = pick(paths)
      let isMany = path.contains("ll.") || path.contains("ls.") || path.hasPrefix("@links")
      let quantifier = isMany ? pick(["", "", "ANY ", "ALL ", "NONE "]) : ""
      let negation = number(5) == 0 ? "NOT " : ""
      let test =
        if path.hasSuffix("so") {
          pick(["== 'a'", "BEGINSWITH 'b'", "!= NULL", "CONTAINS 'c'", "== NULL"])
        } else if path.hasSuffix("b") || path.hasSuffix("bo") {
          pick(["== true", "!= true", "== NULL"])
        } else {
          pick([
            "> \(number(9))", "< \(number(9))", "== \(number(9))", "!= \(number(9))", "== NULL",
            "!= NULL", "IN {1, 2, NULL}", "BETWEEN {2, 6}",
          ])
        }
      return "\(negation)\(quantifier)\(path) \(test)"
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func answersAreThoseOfTheTerms(seed: UInt64) throws {
    let world = try RandomWorld(seed: seed)
    let snapshot = try world.database.snapshot()
    var maker = Maker(seed: seed)
    var answered = 0
    var selective = 0
    for _ in 0..<150 {
      let text = maker.query()
      let className = maker.pick(["A", "B"])
      guard let query = try? Query(text, on: className, in: snapshot.schema) else { continue }
      answered += 1
      let expected = world.naive.keys(try QuerySyntax.parse(text), on: className)
      for access in 0..<(try query.accessCount(in: snapshot)) {
        let answer = try query.answer(
          in: snapshot, by: PlanForce(access: access, usesIndexOrder: false))
        #expect(answer.keys.map(\.rawValue) == expected, "\(className): \(text)")
        #expect(answer.count == expected.count, "\(className): \(text)")
      }
      if expected.count > 0, expected.count < world.naive.keys(.init(.true), on: className).count {
        selective += 1
      }
    }
    #expect(answered > 100 && selective > 3, "\(answered) \(selective)")
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
