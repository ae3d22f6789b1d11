import TestThreads
import Testing

/// What two devices do to one list at once, and what a person expects of it.
struct ListCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let kinds: [ListKind]
  let before: [String]
  /// By the device whose clock is behind.
  let earlier: [ListChange]
  let later: [ListChange]
  /// The lists that may come of it: several where only the order of two devices' insertions at one
  /// place decides.
  let after: [[String]]

  init(
    _ description: String, kinds: [ListKind] = ListKind.allCases, _ before: [String],
    _ earlier: [ListChange], _ later: [ListChange], gives after: [String]...
  ) {
    testDescription = description
    self.kinds = kinds
    self.before = before
    self.earlier = earlier
    self.later = later
    self.after = after
  }

  /// Runs it with all kinds of lists, whichever device reaches the server first.
  func check() throws {
    for kind in kinds {
      for isInOrder in [true, false] {
        let list = try ListWorld(kind, before)
        try list.change(list.a, earlier)
        try list.change(list.b, later)
        try list.expect(after, first: [isInOrder ? list.a : list.b], testDescription)
      }
    }
  }
}

/// Lists that two devices change at once.
@Suite(.computing) struct ListCasesTests {
  // MARK: One operation on each device

  static let insertions = [
    ListCase(
      "insertions at different places", ["a", "b"], [.insert("n", at: 0)], [.append("m")],
      gives: ["n", "a", "b", "m"]),
    ListCase(
      "insertions at one place", ["a", "z"], [.insert("m", at: 1)], [.insert("n", at: 1)],
      gives: ["a", "m", "n", "z"], ["a", "n", "m", "z"]),
    ListCase(
      "the first elements of an empty list", [], [.append("m")], [.append("n")],
      gives: ["m", "n"], ["n", "m"]),
    ListCase(
      "both append the same", ["a"], [.append("x")], [.append("x")], gives: ["a", "x", "x"]),
    ListCase(
      "an insertion behind what the other removes", ["a", "b", "c"], [.remove(1)],
      [.insert("n", at: 2)], gives: ["a", "n", "c"]),
    ListCase(
      "an insertion between two that the other removes", ["a", "b", "c"], [.remove(1), .remove(0)],
      [.insert("n", at: 1)], gives: ["n", "c"]),
    ListCase(
      "an insertion behind what the other moves", ["a", "b", "c"], [.move(0, to: 2)],
      [.insert("n", at: 1)], gives: ["n", "b", "c", "a"]),
    ListCase(
      "an insertion beside a new value", ["a", "b"], [.insert("n", at: 1)], [.set(0, "x")],
      gives: ["x", "n", "b"]),
  ]

  /// Promise: lists.insert.
  @Test(arguments: insertions) func insertionsOfBothDevicesStay(_ list: ListCase) throws {
    try list.check()
  }

  static let values = [
    ListCase(
      "new values of one element", ["a", "b"], [.set(0, "x")], [.set(0, "y")], gives: ["y", "b"]),
    ListCase(
      "one new value on both", ["a", "b"], [.set(0, "x")], [.set(0, "x")], gives: ["x", "b"]),
    ListCase(
      "new values of neighbours", ["a", "b"], [.set(0, "x")], [.set(1, "y")], gives: ["x", "y"]),
    ListCase(
      "two neighbours, and later the first of them", ["a", "b"], [.set(0, "a1"), .set(1, "b1")],
      [.set(0, "a2")], gives: ["a2", "b1"]),
    ListCase(
      "a new value of what the other moves later", ["a", "b"], [.set(0, "x")], [.move(0, to: 1)],
      gives: ["b", "x"]),
    ListCase(
      "a new value of what the other moved before", ["a", "b"], [.move(0, to: 1)], [.set(0, "x")],
      gives: ["b", "x"]),
  ]

  /// Promise: lists.value.
  @Test(arguments: values) func theLaterOfTwoNewValuesStays(_ list: ListCase) throws {
    try list.check()
  }

  static let moves = [
    ListCase(
      "two moves of one element", ["a", "b", "c", "d"], [.move(0, to: 3)], [.move(0, to: 1)],
      gives: ["b", "a", "c", "d"]),
    ListCase(
      "two elements to one place", ["a", "b", "c"], [.move(0, to: 2)], [.move(1, to: 2)],
      gives: ["c", "a", "b"], ["c", "b", "a"]),
    ListCase(
      "a move beside what the other removes", ["a", "b", "c"], [.move(0, to: 2)], [.remove(2)],
      gives: ["b", "a"]),
    ListCase(
      "a move to where the other inserts", ["a", "b", "c"], [.move(0, to: 1)],
      [.insert("n", at: 2)], gives: ["b", "a", "n", "c"], ["b", "n", "a", "c"]),
    ListCase(
      "a swap on both", ["a", "b"], [.swap(0, 1)], [.swap(0, 1)], gives: ["b", "a"]),
    ListCase(
      "a swap of what the other sets", ["a", "b"], [.swap(0, 1)], [.set(0, "x")],
      gives: ["b", "x"]),
    ListCase(
      "a swap around what the other removes", ["a", "b", "c"], [.swap(0, 2)], [.remove(1)],
      gives: ["c", "a"]),
    ListCase(
      "a swap of what the other removes", ["a", "b", "c"], [.swap(0, 2)], [.remove(2)],
      gives: ["b", "a"]),
    ListCase(
      "swaps that share an element", ["a", "b", "c"], [.swap(0, 1)], [.swap(1, 2)],
      gives: ["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"], ["c", "a", "b"],
      ["c", "b", "a"]),
    ListCase(
      "a sort, and an element at the end", ["b", "a", "c"], [.sort], [.append("d")],
      gives: ["a", "b", "c", "d"]),
    ListCase(
      "a sort on both", ["c", "a", "b"], [.sort], [.sort], gives: ["a", "b", "c"]),
    ListCase(
      "a sort, and a new value", ["b", "a", "c"], [.sort], [.set(0, "z")], gives: ["a", "z", "c"]),
    ListCase("a sort, and a removal", ["c", "a", "b"], [.sort], [.remove(0)], gives: ["a", "b"]),
  ]

  /// Promise: lists.move.
  @Test(arguments: moves) func aMovedElementIsThereOnce(_ list: ListCase) throws {
    try list.check()
  }

  static let removals = [
    ListCase("one removal on both", ["a", "b"], [.remove(0)], [.remove(0)], gives: ["b"]),
    ListCase("removals of neighbours", ["a", "b", "c"], [.remove(0)], [.remove(1)], gives: ["c"]),
    ListCase("a later new value", ["a", "b"], [.remove(0)], [.set(0, "x")], gives: ["b"]),
    ListCase("an earlier new value", ["a", "b"], [.set(0, "x")], [.remove(0)], gives: ["b"]),
    ListCase("a later move", ["a", "b", "c"], [.remove(0)], [.move(0, to: 2)], gives: ["b", "c"]),
    ListCase(
      "an earlier move", ["a", "b", "c"], [.move(0, to: 2)], [.remove(0)], gives: ["b", "c"]),
    ListCase(
      "a later move with a new value", ["a", "b"], [.remove(0)], [.move(0, to: 1), .set(1, "x")],
      gives: ["b"]),
  ]

  /// Promise: lists.removal.
  @Test(arguments: removals) func aRemovalWinsWheneverItWasMade(_ list: ListCase) throws {
    try list.check()
  }

  static let clearings = [
    ListCase("an element that is appended", ["a", "b"], [.clear], [.append("n")], gives: ["n"]),
    ListCase(
      "an element that was appended before", ["a", "b"], [.append("n")], [.clear], gives: ["n"]),
    ListCase(
      "an element in the middle", ["a", "b"], [.clear], [.insert("n", at: 1)], gives: ["n"]),
    ListCase("a new value", ["a", "b"], [.clear], [.set(0, "x")], gives: []),
    ListCase("a move", ["a", "b"], [.clear], [.move(0, to: 1)], gives: []),
    ListCase("a clearing", ["a", "b"], [.clear], [.clear], gives: []),
    ListCase(
      "an append, and the list is filled again", ["a"], [.clear, .append("m")], [.append("n")],
      gives: ["m", "n"], ["n", "m"]),
    ListCase(
      "a new value, and the list is filled with what it had", ["a"], [.clear, .append("a")],
      [.set(0, "x")], gives: ["a"]),
    ListCase(
      "the same, and both fill it again", ["a"], [.clear, .append("m")], [.clear, .append("n")],
      gives: ["m", "n"], ["n", "m"]),
  ]

  /// Promise: lists.clear.
  @Test(arguments: clearings) func clearingRemovesWhatTheDeviceHad(_ list: ListCase) throws {
    try list.check()
  }

  static let equals = [
    ListCase("each removes another one", ["x", "x"], [.remove(0)], [.remove(1)], gives: []),
    ListCase("both remove the first", ["x", "x"], [.remove(0)], [.remove(0)], gives: ["x"]),
    ListCase(
      "one between others is removed and set", ["x", "x", "x"], [.remove(1)], [.set(1, "y")],
      gives: ["x", "x"]),
    ListCase(
      "one more is inserted", ["x", "x"], [.insert("x", at: 1)], [.remove(0)], gives: ["x", "x"]),
    ListCase(
      "one is moved, the other is set", ["x", "a", "x"], [.move(0, to: 2)], [.set(2, "y")],
      gives: ["a", "y", "x"]),
    ListCase(
      "an element gets the value of another, which is removed", ["a", "b"], [.set(0, "b")],
      [.remove(1)], gives: ["b"]),
  ]

  /// Promise: lists.equal.
  @Test(arguments: equals) func elementsOfEqualValuesAreDifferent(_ list: ListCase) throws {
    try list.check()
  }

  // MARK: Several operations in one transaction

  static let nets = [
    ListCase(
      "a removal and an addition, and the same removal", ["job1"], [.remove(0), .append("job2")],
      [.remove(0)], gives: ["job2"]),
    ListCase(
      "an insertion in front and a new value, and a removal", ["x"],
      [.insert("n", at: 0), .set(1, "x-changed")], [.remove(0)], gives: ["n"]),
    ListCase(
      "an insertion and its removal", ["a"], [.append("n"), .remove(1)], [.set(0, "b")],
      gives: ["b"]),
    ListCase(
      "an insertion that gets another value", ["a"], [.append("n"), .set(1, "m")], [.remove(0)],
      gives: ["m"]),
    ListCase(
      "an insertion that is moved", ["a", "b"], [.append("n"), .move(2, to: 0)], [.remove(0)],
      gives: ["n", "b"]),
    ListCase(
      "two new values", ["a", "b"], [.set(0, "x"), .set(0, "y")], [.insert("n", at: 1)],
      gives: ["y", "n", "b"]),
    ListCase(
      "a new value that is taken back", ["a"], [.set(0, "x")], [.set(0, "y"), .set(0, "a")],
      gives: ["x"]),
    ListCase(
      "a move that is taken back", ["a", "b", "c"], [.move(0, to: 2)],
      [.move(0, to: 1), .move(1, to: 0)], gives: ["b", "c", "a"]),
    ListCase(
      "a swap that is taken back", ["a", "b", "c"], [.move(0, to: 2)], [.swap(0, 1), .swap(0, 1)],
      gives: ["b", "c", "a"]),
    ListCase(
      "a move and a removal", ["a", "b"], [.move(0, to: 1), .remove(1)], [.set(0, "x")],
      gives: ["b"]),
    ListCase(
      "a new value and a removal", ["a", "b"], [.set(0, "x"), .remove(0)], [.set(0, "y")],
      gives: ["b"]),
    ListCase(
      "a move and a new value, and another one", ["a", "b"], [.move(0, to: 1), .set(1, "x")],
      [.set(0, "y")], gives: ["b", "y"]),
    ListCase(
      "a removal and an equal element, and a new value", ["a", "b"],
      [.remove(0), .insert("a", at: 0)], [.set(0, "x")], gives: ["a", "b"]),
    ListCase(
      "a removal and an equal element, and a removal", ["a", "b"],
      [.remove(0), .insert("a", at: 0)], [.remove(0)], gives: ["a", "b"]),
    ListCase(
      "a removal and an equal element at the end, and a move", ["a", "b", "c"],
      [.remove(0), .append("a")], [.move(0, to: 1)], gives: ["b", "c", "a"]),
    ListCase(
      "an element in the place of another, and a removal of its neighbour", ["a", "b", "c"],
      [.remove(1), .insert("n", at: 1)], [.remove(0)], gives: ["n", "c"]),
    ListCase(
      "two moves, and a removal", ["a", "b", "c", "d"], [.move(0, to: 3), .move(0, to: 3)],
      [.remove(2)], gives: ["d", "a", "b"]),
    ListCase(
      "the same in two transactions", ["job1"], [.remove(0), .commit, .append("job2")],
      [.remove(0)], gives: ["job2"]),
  ]

  /// Promise: lists.net.
  @Test(arguments: nets) func whatATransactionDoesToAnElementInTheEndCounts(_ list: ListCase)
    throws
  {
    try list.check()
  }

  /// Promise: lists.net.
  @Test(arguments: ListKind.allCases)
  func whatATransactionTakesBackIsNotRecorded(_ kind: ListKind) throws {
    let undone: [[ListChange]] = [
      [.append("b"), .remove(2)], [.set(0, "b"), .set(0, "a")], [.move(0, to: 1), .move(1, to: 0)],
      [.swap(0, 1), .swap(1, 0)], [.move(1, to: 1)], [.set(0, "a")],
    ]
    for changes in undone {
      // The cards that links lead to are all there.
      let list = try ListWorld(kind, ["a", "c"])
      try list.makeBoard("cards", ["b"], on: list.a)
      try list.settle()
      try list.change(list.a, changes)
      #expect(try list.a.device.outbox == [], "\(changes)")
      try list.expect(["a", "c"])
    }
  }

  // MARK: Whole lists

  static let assignments = [
    ListCase(
      "of what is there", kinds: ListKind.assigned, ["a", "b", "c"], [.set(1, "x")],
      [.assign(["a", "b", "c"])], gives: ["a", "x", "c"]),
    ListCase(
      "and a new value of what stays", kinds: ListKind.assigned, ["a", "b", "c"],
      [.assign(["a", "c", "d"])], [.set(0, "x")], gives: ["x", "c", "d"]),
    ListCase(
      "and a new value of what goes", kinds: ListKind.assigned, ["a", "b", "c"],
      [.assign(["a", "c", "d"])], [.set(1, "x")], gives: ["a", "c", "d"]),
    ListCase(
      "and an element at the end", kinds: ListKind.assigned, ["a", "b", "c"],
      [.assign(["a", "c"])],
      [.append("n")], gives: ["a", "c", "n"]),
    ListCase(
      "and an element between others", kinds: ListKind.assigned, ["a", "b"],
      [.assign(["a", "b", "c"])], [.insert("n", at: 1)], gives: ["a", "n", "b", "c"]),
    ListCase(
      "in another order, and a new value of what is another element then",
      kinds: ListKind.assigned, ["a", "b", "c"], [.assign(["c", "a", "b"])], [.set(2, "x")],
      gives: ["c", "a", "b"]),
    ListCase(
      "on both", kinds: ListKind.assigned, ["a"], [.assign(["m"])], [.assign(["n"])],
      gives: ["m", "n"], ["n", "m"]),
    ListCase(
      "of the same on both", kinds: ListKind.assigned, ["a"], [.assign(["m"])], [.assign(["m"])],
      gives: ["m", "m"]),
    ListCase(
      "with fewer equal values", kinds: ListKind.assigned, ["x", "x"], [.assign(["x"])],
      [.append("n")], gives: ["x", "n"]),
    ListCase(
      "and a new value in one transaction", kinds: ListKind.assigned, ["a", "b"],
      [.assign(["a", "c"]), .set(0, "x")], [.remove(1)], gives: ["x", "c"]),
    ListCase(
      "takes back an element of the transaction", kinds: ListKind.assigned, ["a", "b"],
      [.append("n"), .assign(["a", "b"])], [.append("m")], gives: ["a", "b", "m"]),
  ]

  /// Promise: lists.assign.
  @Test(arguments: assignments) func anAssignmentRemovesAndInsertsWhatDiffers(_ list: ListCase)
    throws
  {
    try list.check()
  }

  // MARK: Runs

  private static func pair(
    _ description: String, kinds: [ListKind] = ListKind.allCases, _ first: [String] = ["first"],
    _ last: [String] = ["last"], a: [ListChange], b: [ListChange],
    give runs: (a: [String], b: [String]) = (["a1", "a2", "a3"], ["b1", "b2", "b3"])
  ) -> ListCase {
    ListCase(
      description, kinds: kinds, first + last, a, b, gives: first + runs.a + runs.b + last,
      first + runs.b + runs.a + last)
  }

  static let runs = [
    pair(
      "in one transaction", a: .run(["a1", "a2", "a3"], at: 1), b: .run(["b1", "b2", "b3"], at: 1)),
    pair(
      "in several", a: [.insert("a1", at: 1), .commit, .insert("a2", at: 2), .insert("a3", at: 3)],
      b: [.insert("b1", at: 1), .commit, .insert("b2", at: 2), .commit, .insert("b3", at: 3)]),
    pair(
      "each before the one before", a: ["a3", "a2", "a1"].map { .insert($0, at: 1) },
      b: ["b3", "b2", "b1"].map { .insert($0, at: 1) }),
    pair(
      "one of them backwards", a: ["a3", "a2", "a1"].map { .insert($0, at: 1) },
      b: .run(["b1", "b2", "b3"], at: 1)),
    pair(
      "with one between two later",
      a: .run(["a1", "a3"], at: 1) + [.commit, .insert("a2", at: 2)],
      b: .run(["b1", "b2", "b3"], at: 1)),
    pair(
      "of which one element is removed", a: .run(["a1", "a2", "a3"], at: 1) + [.remove(2)],
      b: .run(["b1", "b2", "b3"], at: 1), give: (["a1", "a3"], ["b1", "b2", "b3"])),
    pair(
      "at the end", ["first"], [], a: ["a1", "a2", "a3"].map { .append($0) },
      b: ["b1", "b2", "b3"].map { .append($0) }),
    pair(
      "at the front", [], ["last"], a: ["a3", "a2", "a1"].map { .insert($0, at: 0) },
      b: ["b3", "b2", "b1"].map { .insert($0, at: 0) }),
    pair(
      "in an empty list", [], [], a: ["a1", "a2", "a3"].map { .append($0) },
      b: ["b1", "b2", "b3"].map { .append($0) }),
    pair(
      "in lists that are assigned", kinds: ListKind.assigned,
      a: [.assign(["first", "a1", "a2", "a3", "last"])],
      b: [.assign(["first", "b1", "b2", "b3", "last"])]),
  ]

  /// Promise: lists.runs.
  @Test(arguments: runs) func whatTwoDevicesInsertAtOnePlaceDoesNotMix(_ list: ListCase) throws {
    try list.check()
  }
}
