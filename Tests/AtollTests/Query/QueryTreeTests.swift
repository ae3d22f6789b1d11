import AtollObjects
import AtollQuery
import TestThreads
import Testing

@testable import Atoll

/// Trees as text of the query language, made by the steps that the operators of `Query` take.
@Suite(.waiting) struct QueryTreeTests {
  private let object = QueryTree()

  private func text(_ tree: QueryTree) -> String { tree.predicate.description }

  private func property(_ name: String) -> QueryTree { object.appending(.property(name)) }

  @Test func aPropertyAloneIsAskedWhetherItIsTrue() {
    #expect(text(property("isDone")) == "isDone == TRUE")
    #expect(text(property("isDone").negated()) == "NOT isDone == TRUE")
  }

  static let literals: [(Value, String)] = [
    (Value.null, "NULL"), (Value.bool(true), "TRUE"), (Value.int(-7), "-7"),
    (Value.float(1.5), "1.5f"), (Value.double(2), "2.0"), (Value.double(-.infinity), "-INF"),
    (Value.double(.nan), "NAN"), (Value.string("Bob's"), #"'Bob\'s'"#),
    (Value.data([1, 2, 255]), #"bin(B64"AQL/")"#),
    (decimal("12"), "12"), (decimal("1.50"), "1.50"),
    (decimal("12345678901234567890123"), "12345678901234567890123.0"),
    (date(-1, -5), "T-1:-5"),
    (id, "oid(0123456789abcdef01234567)"), (uuid, "uuid(01234567-89ab-cdef-0123-456789abcdef)"),
  ]

  private static func decimal(_ text: String) -> Value {
    let number: AtollObjects.Decimal128? = AtollObjects.Decimal128(text)
    return number.map { Value.decimal($0) } ?? Value.null
  }

  private static func date(_ seconds: Int64, _ nanoseconds: Int64) -> Value {
    let moment = Timestamp(normalizing: seconds, nanoseconds: nanoseconds)
    return moment.map { Value.date($0) } ?? Value.null
  }

  private static let id = Value.objectID(
    ObjectID(seconds: 0x0123_4567, random: 0x89_ABCD_EF01, counter: 0x23_4567))

  private static let uuid = Value.uuid(
    UniqueID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF))

  @Test(arguments: literals)
  func aValueOfEachTypeHasALiteralThatReadsBack(value: Value, literal: String) throws {
    let tree = property("x").compared(.equal, .value(value))
    #expect(text(tree) == "x == \(literal)")
    let parsed = try QuerySyntax.parse(text(tree))
    #expect(parsed.predicate == tree.predicate)
  }

  @Test func whatIsJoinedToATestChangesNoOther() {
    let (a, b, c, d) = (property("a"), property("b"), property("c"), property("d"))
    let both = a.or(b)
    let first = both.or(c)
    let second = both.or(d).or(c)
    #expect(text(both) == "a == TRUE OR b == TRUE")
    #expect(text(first) == "a == TRUE OR b == TRUE OR c == TRUE")
    #expect(text(second) == "a == TRUE OR b == TRUE OR d == TRUE OR c == TRUE")
    #expect(text(a.and(b).and(c.and(d))) == text(a.and(b).and(c).and(d)))
    #expect(text(first.and(d)) == "(\(text(first))) AND d == TRUE")
    #expect(text(first.negated()) == "NOT (\(text(first)))")
  }

  /// Where each part copied those before it, this would take as long as a hang.
  @Test func aTestIsJoinedOfVeryManyParts() {
    let part = property("a")
    let tree = (0..<400_000).reduce(part) { tree, _ in tree.or(part) }
    guard case .or(let tests) = tree.predicate else {
      Issue.record("the parts are not joined by OR")
      return
    }
    #expect(tests.count == 400_001)
  }

  @Test func aLinkIsAnArgument() {
    let link = Value.link(ObjectLink(table: 3, key: 9))
    let unnamed = property("owner").compared(.equal, .value(link))
      .or(property("boss").compared(.equal, .value(link)))
    #expect(text(unnamed) == "owner == $0 OR boss == $1")
    #expect(unnamed.arguments.values == [link, link])
  }

  @Test func conditionsKeepTheirGroups() {
    let a = property("a").compared(.greater, .value(.int(1)))
    let b = property("b").compared(.less, .value(.int(2)))
    let c = property("c").compared(.notEqual, .value(.null))
    #expect(text(a.and(b.or(c))) == "a > 1 AND (b < 2 OR c != NULL)")
    #expect(text(a.and(b).and(c)) == "a > 1 AND b < 2 AND c != NULL")
    #expect(text(a.and(b).negated()) == "NOT (a > 1 AND b < 2)")
  }

  @Test func aConditionComparesWithTrueAndFalse() {
    let a = property("a").compared(.greater, .value(.int(1)))
    #expect(text(a.compared(.equal, .value(.bool(true)))) == "a > 1")
    #expect(text(a.compared(.equal, .value(.bool(false)))) == "NOT a > 1")
    #expect(text(a.compared(.notEqual, .value(.bool(true)))) == "NOT a > 1")
  }

  @Test func membershipAndRangesAreTheLanguagesOwn() {
    #expect(text(property("tags").containing(.value(.string("x")))) == "'x' IN tags")
    #expect(
      text(property("a").contained(in: [.value(.int(1)), .value(.null)])) == "a IN {1, NULL}")
    #expect(text(property("a").contained(in: [])) == "a IN {}")
    let either = property("tags").contained(in: [.value(.string("x"))], any: true)
    #expect(text(either) == "ANY tags IN {'x'}")
    #expect(
      text(property("a").between(.value(.int(1)), .value(.int(5)))) == "a BETWEEN {1, 5}")
    #expect(
      text(property("marks").eachElement([(.greaterOrEqual, .value(.int(1)))]))
        == "marks.@count > 0 AND ALL marks >= 1")
  }

  @Test func aggregatesStandBehindTheListTheyAreOver() {
    let marks = property("marks").aggregated(.maximum)
    #expect(text(marks.compared(.greater, .value(.int(3)))) == "marks.@max > 3")
    let age = object.appending(.property("dogs"), isList: true).appending(.property("age"))
    #expect(
      text(age.aggregated(.average).compared(.less, .value(.double(2.5))))
        == "dogs.@avg.age < 2.5")
  }

  @Test func countingAConditionIsASubqueryOverItsOneList() {
    let dogs = object.appending(.property("dogs"), isList: true)
    let old = dogs.appending(.property("age")).compared(.greater, .value(.int(2)))
    let rex = dogs.appending(.property("name")).compared(.equal, .value(.string("Rex")))
    #expect(
      text(old.and(rex).countedMatches().compared(.greaterOrEqual, .value(.int(1))))
        == "SUBQUERY(dogs, $x, $x.age > 2 AND $x.name == 'Rex').@count >= 1")
  }

  @Test func aConditionWithoutAListHasNothingToCount() async {
    await #expect(processExitsWith: .failure) {
      _ = QueryTree().appending(.property("a")).compared(.greater, .value(.int(1)))
        .countedMatches()
    }
  }
}
