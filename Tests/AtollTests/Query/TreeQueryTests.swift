import Foundation
import TestThreads
import Testing

@testable import Atoll

/// Conditions on paths to several values: the text that they become, and the trees that they find.
@Suite(.waiting) struct TreeQueryTests {
  struct Case: CustomTestStringConvertible {
    let text: String
    let names: [String]
    let condition: @Sendable (Query<Tree>) -> Query<Bool>

    init(
      _ text: String, _ names: [String],
      _ condition: @escaping @Sendable (Query<Tree>) -> Query<Bool>
    ) {
      self.text = text
      self.names = names
      self.condition = condition
    }

    var testDescription: String { text }
  }

  /// A path through a collection has any of its values: ordered comparison of the values with the
  /// list found nothing.
  static let membership: [Case] = [
    Case("leaves.name IN {'a', 'z'}", ["oak"]) { $0.leaves.name.in(["a", "z"]) },
    Case("leaves.name IN {'z', 'd'}", ["elm"]) { $0.leaves.name.in(["z", "d"]) },
    Case("leaves.name IN {}", []) { $0.leaves.name.in([String]()) },
    Case("leaves.weight IN {NULL, 9.0}", ["oak"]) { $0.leaves.weight.in([nil, 9]) },
    Case("fallen.number IN {2, 7}", ["oak"]) { $0.fallen.number.in([2, 7]) },
    Case("kept.@values.number IN {5, 7}", ["elm"]) { $0.kept.values.number.in([5, 7]) },
    Case("kept.@keys IN {'b', 'z'}", ["oak"]) { $0.kept.keys.in(["b", "z"]) },
    Case("prices.@values IN {5.0, 7.0}", ["elm"]) { $0.prices.values.in([5, 7]) },
    Case("prices['EUR'] IN {5.0, 7.0}", ["elm"]) { $0.prices["EUR"].in([5, 7]) },
    Case("neighbours.leaves.name IN {'d', 'z'}", ["yew"]) {
      $0.neighbours.leaves.name.in(["d", "z"])
    },
    Case("leaves.@links.Tree.leaves.name IN {'oak', 'z'}", ["oak"]) {
      $0.leaves.trees.name.in(["oak", "z"])
    },
    Case("leaves.@links.Tree.leaves.bark != ALL {'rough', 'scaly', NULL}", ["elm"]) {
      $0.leaves.trees.bark.in([Bark.smooth])
    },
    Case("ANY marks IN {9, 7}", ["oak"]) { $0.marks.containsAny(in: [9, 7]) },
    Case("ANY neighbours.marks IN {9, 7}", ["yew"]) {
      $0.neighbours.marks.containsAny(in: [9, 7])
    },
  ]

  static let comparisons: [Case] = [
    Case("leaves.name == 'b'", ["oak"]) { $0.leaves.name == "b" },
    Case("leaves.name != 'd'", ["oak"]) { $0.leaves.name != "d" },
    Case("leaves.number < 2", ["oak"]) { $0.leaves.number < 2 },
    Case("leaves.name BEGINSWITH 'd'", ["elm"]) { $0.leaves.name.starts(with: "d") },
    Case("neighbours.leaves.number > 4", ["yew"]) { $0.neighbours.leaves.number > 4 },
    Case("neighbours.marks == 5", ["yew"]) { $0.neighbours.marks == 5 },
    // Some name is some other name, not each its own.
    Case("ANY leaves.name == leaves.other", ["oak"]) { $0.leaves.name == $0.leaves.other },
    Case("ANY leaves.name != leaves.other", ["elm", "oak"]) { $0.leaves.name != $0.leaves.other },
    Case("ANY leaves.number < fallen.number", ["oak"]) { $0.leaves.number < $0.fallen.number },
    Case("neighbour.name == leaves.name", []) { $0.neighbour.name == $0.leaves.name },
    Case("prices > 10.0", ["oak"]) { $0.prices > 10 },
  ]

  /// A range is met by one element, not by one for each bound.
  static let ranges: [Case] = [
    Case("leaves.number BETWEEN {1, <3}", ["oak"]) { $0.leaves.number.contains(1..<3) },
    Case("leaves.number BETWEEN {4, <5}", []) { $0.leaves.number.contains(4..<5) },
    Case("leaves.number BETWEEN {4, 6}", ["elm"]) { $0.leaves.number.contains(4...6) },
    Case("fallen.number BETWEEN {3, <5}", ["oak"]) { $0.fallen.number.contains(3..<5) },
    Case("leaves.weight BETWEEN {1.0, <1.5}", []) { $0.leaves.weight.contains(1..<1.5) },
    Case("leaves.name BETWEEN {'b', <'c'}", ["oak"]) { $0.leaves.name.contains("b"..<"c") },
    Case("leaves.day BETWEEN {T345600:0, <T432000:0}", []) {
      $0.leaves.day.contains(Orchard.day(4)..<Orchard.day(5))
    },
    Case("leaves.day BETWEEN {T345600:0, T432000:0}", ["elm"]) {
      $0.leaves.day.contains(Orchard.day(4)...Orchard.day(5))
    },
    Case("prices.@values BETWEEN {5.0, <20.0}", ["elm"]) { $0.prices.values.contains(5..<20) },
    Case("prices.@keys BETWEEN {'F', <'T'}", ["oak"]) { $0.prices.keys.contains("F"..<"T") },
    Case("prices['EUR'] >= 2.0 AND prices['EUR'] < 5.0", ["oak"]) {
      $0.prices["EUR"].contains(2..<5)
    },
    Case(
      "neighbour.marks.@count > 0 AND ALL neighbour.marks >= 4 AND ALL neighbour.marks < 6",
      ["oak"]
    ) { $0.neighbour.marks.contains(4..<6) },
    // Of the objects in a collection one has elements, and all of its own are in the range.
    Case(
      "SUBQUERY(neighbours, $x, $x.marks.@count > 0 AND ALL $x.marks >= 2 AND ALL $x.marks <= 9)"
        + ".@count > 0", ["yew"]
    ) { $0.neighbours.marks.contains(2...9) },
    Case(
      "SUBQUERY(neighbours, $x, $x.marks.@count > 0 AND ALL $x.marks >= 2 AND ALL $x.marks <= 4)"
        + ".@count > 0", []
    ) { $0.neighbours.marks.contains(2...4) },
    Case(
      "SUBQUERY(neighbours, $x1, $x1.marks.@count > 0 AND ALL $x1.marks >= 2 "
        + "AND ALL $x1.marks <= 9).@count == 1", ["yew"]
    ) { $0.neighbours.marks.contains(2...9).count == 1 },
    Case("prices.@count > 0 AND ALL prices >= 1.0 AND ALL prices <= 9.0", ["elm"]) {
      $0.prices.contains(1...9)
    },
  ]

  static let subqueries: [Case] = [
    Case("SUBQUERY(leaves, $x, $x.number > 1).@count == 2", ["oak"]) {
      ($0.leaves.number > 1).count == 2
    },
    Case("SUBQUERY(fallen, $x, $x.number > 1).@count == 2", ["oak"]) {
      ($0.fallen.number > 1).count == 2
    },
    Case("SUBQUERY(kept.@values, $x, $x.number > 1).@count == 2", ["oak"]) {
      ($0.kept.values.number > 1).count == 2
    },
    Case("SUBQUERY(leaves, $x, $x.isGreen == TRUE).@count == 1", ["elm"]) {
      $0.leaves.isGreen.count == 1
    },
    Case("SUBQUERY(neighbours.leaves, $x, $x.number > 1).@count == 3", ["yew"]) {
      ($0.neighbours.leaves.number > 1).count == 3
    },
    Case("SUBQUERY(neighbours, $x, $x.leaves.@count > 1).@count == 1", ["yew"]) {
      ($0.neighbours.leaves.count > 1).count == 1
    },
    Case("SUBQUERY(neighbours, $x, $x.marks.@max > 5).@count == 1", ["yew"]) {
      ($0.neighbours.marks.max > 5).count == 1
    },
    Case("SUBQUERY(neighbours, $x, $x.leaves.@max.number > 4).@count == 1", ["yew"]) {
      ($0.neighbours.leaves.number.max > 4).count == 1
    },
    Case(
      "SUBQUERY(neighbours, $x, $x.name == 'oak' AND $x.leaves.number == 2).@count == 1", ["yew"]
    ) { ($0.neighbours.name == "oak" && $0.neighbours.leaves.number == 2).count == 1 },
    Case(
      "SUBQUERY(neighbours, $x1, SUBQUERY($x1.leaves, $x, $x.number > 1).@count == 2 "
        + "AND $x1.name == 'oak').@count == 1", ["yew"]
    ) {
      (($0.neighbours.leaves.number > 1).count == 2 && $0.neighbours.name == "oak").count == 1
    },
    Case(
      "SUBQUERY(leaves, $x, $x.number BETWEEN {2, <4} AND $x.@links.Tree.leaves.@count == 1)"
        + ".@count == 2", ["oak"]
    ) { ($0.leaves.number.contains(2..<4) && $0.leaves.trees.count == 1).count == 2 },
    Case("SUBQUERY(leaves.@links.Tree.leaves, $x, $x.name == 'oak').@count == 3", ["oak"]) {
      ($0.leaves.trees.name == "oak").count == 3
    },
    // Each has a variable of its own.
    Case(
      "SUBQUERY(neighbours, $x, SUBQUERY($x.neighbours, $x1, $x1.marks.@count > 0 "
        + "AND ALL $x1.marks >= 0 AND ALL $x1.marks <= 9).@count == 0 AND $x.name != 'elm')"
        + ".@count == 1", ["yew"]
    ) {
      ($0.neighbours.neighbours.marks.contains(0...9).count == 0 && $0.neighbours.name != "elm")
        .count == 1
    },
    // Some leaf is called as that very leaf says, where each counts by itself.
    Case("SUBQUERY(leaves, $x, $x.name != $x.other).@count == 3", ["oak"]) {
      ($0.leaves.name != $0.leaves.other).count == 3
    },
    Case(
      "SUBQUERY(neighbours, $x, ANY $x.leaves.name == $x.leaves.other AND $x.name != '').@count "
        + "== 1", ["yew"]
    ) {
      ($0.neighbours.leaves.name == $0.neighbours.leaves.other && $0.neighbours.name != "")
        .count == 1
    },
    // One leaf, by its name in a map, and any of a list.
    Case("SUBQUERY(neighbours, $x, $x.kept['a'].name == $x.leaves.other).@count == 1", ["yew"]) {
      ($0.neighbours.kept["a"].name == $0.neighbours.leaves.other).count == 1
    },
    Case("SUBQUERY(neighbours, $x, $x.prices['EUR'] > 2.0).@count == 1", ["yew"]) {
      ($0.neighbours.prices["EUR"] > 2).count == 1
    },
  ]

  static let ofStoredTypes: [Case] = [
    Case("height > 10", ["elm", "oak"]) { $0.height > Metres(10) },
    Case("height >= 8 AND height < 20", ["elm", "yew"]) {
      $0.height.contains(Metres(8)..<Metres(20))
    },
    Case("height BETWEEN {8, 15}", ["elm", "yew"]) { $0.height.contains(Metres(8)...Metres(15)) },
    Case("height < 10", ["yew"]) { $0.height.persistableValue < 10 },
    Case("label < 'R'", ["oak"]) { $0.label < Label("R") },
    Case("label CONTAINS 'erc'", ["oak"]) { $0.label.contains(Label("erc")) },
    Case("label BEGINSWITH 'Qu'", ["oak"]) { $0.label.persistableValue.starts(with: "Qu") },
    Case("bark < 'rp'", ["oak"]) { $0.bark.rawValue < "rp" },
    Case("bark != ALL {'rough'}", ["elm", "yew"]) { $0.bark >= .scaly },
    Case("bark CONTAINS[c] 'OU'", ["oak"]) {
      $0.bark.rawValue.contains("OU", options: .caseInsensitive)
    },
    Case("bark BEGINSWITH 'smooth'", ["elm"]) { $0.bark.starts(with: .smooth) },
    Case("bark ENDSWITH 'scaly'", ["yew"]) { $0.bark.ends(with: .scaly) },
    Case("bark LIKE 'rough'", ["oak"]) { $0.bark.like(.rough) },
    Case("bark !=[c] 'rough'", ["elm", "yew"]) {
      $0.bark.notEquals(.rough, options: .caseInsensitive)
    },
    Case("second == 'scaly'", ["oak"]) { $0.second.equals(.scaly) },
    Case("second ENDSWITH 'ly'", ["oak"]) { $0.second.rawValue.ends(with: "ly") },
    Case("second IN {'smooth', 'scaly'}", ["oak"]) { $0.second > .rough },
    Case("heights.@max == 5", ["elm"]) { $0.heights.max == Metres(5) },
    Case("heights.@min == 1", ["oak"]) { $0.heights.min == Metres(1) },
    Case("heights.@sum == 6", ["oak"]) { $0.heights.sum == 6 },
    Case("heights.@avg == 2.0", ["oak"]) { $0.heights.avg == 2 },
    Case("heights == 3", ["oak"]) { $0.heights.persistableValue == 3 },
    Case("'rough' IN barks", ["oak"]) { $0.barks.rawValue.contains("rough") },
    Case("neighbours.@max.height == 20", ["yew"]) { $0.neighbours.height.max == Metres(20) },
    Case("neighbours.@sum.height == 35", ["yew"]) { $0.neighbours.height.sum == 35 },
    Case("neighbours.@avg.height == 17.5", ["yew"]) { $0.neighbours.height.avg == 17.5 },
    Case("dates.@max > T259200:0", ["elm"]) { $0.dates.max > Orchard.day(3) },
    Case("dates.@min == T86400:0", ["oak"]) { $0.dates.min == Orchard.day(1) },
    Case("marks.@avg == 5", ["oak"]) {
      let wanted = 5
      return $0.marks.avg == wanted
    },
    Case("prices.@avg == 11.0", ["oak"]) { $0.prices.avg == 11 },
  ]

  @Test(arguments: membership + comparisons + ranges + subqueries + ofStoredTypes)
  func aConditionBecomesTextThatFindsTheSameTrees(example: Case) throws {
    let trees = try Orchard.realm().objects(Tree.self)
    let (text, arguments) = example.condition(Query<Tree>._constructForTesting())
      ._constructPredicate()
    #expect(text == example.text)
    #expect(arguments.isEmpty)
    #expect(trees.where(example.condition).map(\.name).sorted() == example.names)
    #expect(try trees.query(text).map(\.name).sorted() == example.names)
    let others = trees.where { !example.condition($0) }.map(\.name).sorted()
    #expect(others == ["elm", "oak", "yew"].filter { !example.names.contains($0) })
  }

  @Test func textsAreReadAlikeWithArguments() throws {
    let trees = try Orchard.realm().objects(Tree.self)
    func names(_ text: String, _ arguments: Any...) throws -> [String] {
      try trees.query(NSPredicate(format: text, argumentArray: arguments)).map(\.name).sorted()
    }
    #expect(try names("leaves.name IN %@", ["a", "z"]) == ["oak"])
    #expect(try names("ANY leaves.name IN %@", ["z", "d"]) == ["elm"])
    #expect(try names("NOT leaves.name IN %@", ["a", "z"]) == ["elm", "yew"])
    #expect(try names("leaves.number BETWEEN %@", [4, 6]) == ["elm"])
    #expect(try names("SUBQUERY(fallen, $x, $x.number > %d).@count > 1", 1) == ["oak"])
    #expect(try names("kept.@allKeys == %@", "d") == ["elm"])
    #expect(try names("prices.@allValues > %f", 10.0) == ["oak"])
    #expect(try names("note[%K] == %d", "#any", 2) == ["oak"])
    #expect(try names("notesByName[%K][%K] == %d", "k", "#any", 3) == ["oak"])
    #expect(try names("dates.@max > %@", Orchard.day(3)) == ["elm"])
  }

  @Test func countingNeedsACollectionThatAllPropertiesAreReachedThrough() async {
    await #expect(processExitsWith: .failure) {
      let tree = Query<Tree>._constructForTesting()
      _ = (tree.leaves.number > 1 && tree.name == "oak").count
    }
  }
}
