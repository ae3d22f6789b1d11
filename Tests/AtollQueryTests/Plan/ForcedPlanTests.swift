import AtollObjects
import AtollQuery
import TestSupport
import TestThreads
import Testing

/// Whatever plan is taken, the answer is the naive one.
@Suite(.computing) struct ForcedPlanTests {
  @Test(arguments: seeds(2))
  func everyPlanGivesTheNaiveAnswer(seed: UInt64) throws {
    // Seeds with 3 as their remainder by 8 have hundreds of objects.
    let world = try RandomWorld(seed: seed % 2 == 0 ? seed * 8 + 3 : seed, indexed: true)
    let snapshot = try world.database.snapshot()
    var random = SplitMix64(seed: seed ^ 0x51A9)
    var plans = 0
    for _ in 0..<60 {
      let className = Bool.random(using: &random) ? "A" : "B"
      let text = Self.query(className, &random)
      let query = try Query(text, on: className, in: snapshot.schema)
      let expected = world.naive.keys(try QuerySyntax.parse(text), on: className)
      let accessCount = try query.accessCount(in: snapshot)
      plans += accessCount
      for access in [nil] + (0..<accessCount).map({ $0 as Int? }) {
        for usesIndexOrder in [nil, true, false] {
          let (keys, count) = try query.answer(
            in: snapshot, by: PlanForce(access: access, usesIndexOrder: usesIndexOrder))
          let plan = "\(text), plan \(access ?? -1), order \(String(describing: usesIndexOrder))"
          #expect(keys.map(\.rawValue) == expected, "\(plan)")
          #expect(count == expected.count, "count of \(plan)")
        }
      }
      let explained = try query.explain(in: snapshot)
      #expect(explained.resultCount == expected.count, "\(text)\n\(explained)")
    }
    #expect(plans > 90)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func extremesFromAnIndexAreThoseOfAScan(seed: UInt64) throws {
    let indexed = try RandomWorld(seed: seed * 8 + 3, indexed: true).database.snapshot()
    let plain = try RandomWorld(seed: seed * 8 + 3, indexed: false).database.snapshot()
    for className in ["A", "B"] {
      for property in ["i", "io", "d", "do", "t"] {
        for function in [AggregateFunction.minimum, .maximum] {
          let texts = ["TRUEPREDICATE", "i > 0", "TRUEPREDICATE SORT(d DESC) LIMIT(5)"]
          for text in texts {
            let answers = try [indexed, plain].map { snapshot in
              try Query(text, on: className, in: snapshot.schema)
                .aggregate(function, of: property, in: snapshot)
            }
            #expect(answers[0] == answers[1], "\(function) of \(property), \(text)")
          }
        }
      }
    }
  }

  // MARK: Questions that indexes can answer in several ways

  private static func query(_ className: String, _ random: inout SplitMix64) -> String {
    var text = predicate(className, depth: 0, &random)
    let sorted = ["i", "io", "d", "do", "s", "so", "t", "b", "m", className == "A" ? "id" : "i"]
    for _ in 0..<[0, 0, 1, 1, 2].any(&random) {
      let path = sorted.any(&random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: text += " DISTINCT(\(path))"
      case 1, 2: text += " LIMIT(\([0, 1, 3, 20].any(&random)))"
      case 3: text += " SORT(\(path) DESC)"
      case 4: text += " SORT(\(path) ASC)"
      default: text += " SORT(\(path) \(["ASC", "DESC"].any(&random)), \(sorted.any(&random)) ASC)"
      }
    }
    return text
  }

  private static func predicate(
    _ className: String, depth: Int, _ random: inout SplitMix64
  ) -> String {
    let kind = Int.random(in: 0..<(depth > 2 ? 6 : 12), using: &random)
    guard kind >= 6 else { return term(className, &random) }
    let terms = (0..<Int.random(in: 2...4, using: &random)).map { _ in
      predicate(className, depth: depth + 1, &random)
    }
    if kind == 11 { return "NOT (\(terms[0]))" }
    return "(" + terms.joined(separator: kind < 9 ? " AND " : " OR ") + ")"
  }

  private static func term(_ className: String, _ random: inout SplitMix64) -> String {
    let comparator = ["==", "==", "<", "<=", ">", ">=", "!="].any(&random)
    let number = ["0", "1", "2", "7", "-1", "300", "1.5", "NULL"].any(&random)
    let word = RandomWorld.words.any(&random)
    switch Int.random(in: 0..<15, using: &random) {
    case 0, 1: return "\(["i", "io"].any(&random)) \(comparator) \(number)"
    case 2, 3: return "\(["d", "do"].any(&random)) \(comparator) \(number)"
    case 4: return "\(["s", "so"].any(&random)) \(["==", "<", ">=", "!="].any(&random)) '\(word)'"
    case 5: return "\(["s", "so"].any(&random)) BEGINSWITH '\(word)'"
    case 6: return "\(["s", "so"].any(&random)) IN {'\(word)', 'a', NULL, 'b'}"
    case 7: return "\(["i", "io", "d"].any(&random)) IN {1, 2, \(number), 70000}"
    case 8: return "t \(comparator) \(["T0:0", "T1:3", "T-1:-5", "NULL"].any(&random))"
    case 9: return "\(["i", "io", "do"].any(&random)) BETWEEN {0, 300}"
    case 10: return "b == \(["TRUE", "FALSE"].any(&random))"
    case 11...13:
      return [
        "l.i > 0", "l.i == \(number)", "self.s == '\(word)'", "ANY ll.i == \(number)",
        "l.self.i == \(number)", "ANY ls.ll.io IN {1, \(number)}", "l.b == TRUE",
        "self.l == obj('A', 0)", "ALL ll.i == \(number)", "NONE ls.so == '\(word)'",
        "self.do BETWEEN {0, 2}",
      ].any(&random)
        .replacing("self.l ==", with: className == "A" ? "self ==" : "l ==")
    default:
      guard className == "A" else { return "so CONTAINS '\(word)'" }
      let low = Int.random(in: -2500...4500, using: &random)
      return [
        "id == \(low)", "id > \(low)", "id BETWEEN {\(low), \(low + 500)}", "id != \(low)",
        "id IN {\(low), \(low + 1), \(low + 7), 0, 1, 2, 3}", "(id < -1000 OR id > \(low))",
      ].any(&random)
    }
  }
}
