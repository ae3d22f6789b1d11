import AtollObjects
import TestThreads
import Testing

@testable import AtollSync

/// Lists of files that were copied, or restored from a backup: all copies have the elements of
/// before, and each makes elements of its own after.
@Suite(.computing) struct ListCopiesTests {
  /// Promise: lists.copies.
  @Test(arguments: ListKind.allCases)
  func whatARestoredFileAppendsStandsBesideWhatTheServerHas(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["first"])
    let backup = try list.backUp(list.a)
    try list.change(list.a, [.append("x")])
    try list.settle()
    try list.restore(backup)
    try list.change(list.a, [.append("y")])
    // Neither was there when the other was appended.
    try list.expect([["first", "x", "y"], ["first", "y", "x"]])
  }

  /// Promise: lists.copies.
  @Test(arguments: ListKind.allCases)
  func aFileThatIsRestoredTwiceConfusesNothing(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["first"])
    let backup = try list.backUp(list.a)
    for name in ["x", "y", "z"] {
      if name != "x" { try list.restore(backup) }
      try list.change(list.a, [.append(name)])
      try list.settle()
    }
    // None of them was there when another was appended.
    try list.expect(
      [
        ["x", "y", "z"], ["x", "z", "y"], ["y", "x", "z"], ["y", "z", "x"], ["z", "x", "y"],
        ["z", "y", "x"],
      ].map { ["first"] + $0 })
  }

  /// Promise: lists.copies.
  @Test(arguments: ListKind.allCases)
  func changesInACopyAreOfItsOwnElements(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["first"])
    let copy = try list.addCopy(of: list.a)
    try list.change(list.a, [.append("x")])
    try list.change(copy, [.append("y")])
    try list.expect([["first", "x", "y"], ["first", "y", "x"]])
    let place = try #require(try list.names(copy).firstIndex(of: "y"))
    try list.change(copy, [.set(place, "z")])
    try list.expect([["first", "x", "z"], ["first", "z", "x"]])
    let other = try #require(try list.names(list.a).firstIndex(of: "x"))
    try list.change(list.a, [.remove(other)])
    try list.expect(["first", "z"])
  }

  /// Promise: lists.copies.
  @Test(arguments: ListKind.allCases)
  func aRemovalInARestoredFileRemovesWhatItHad(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["first", "second"])
    let backup = try list.backUp(list.a)
    try list.change(list.a, [.append("x")])
    try list.settle()
    try list.restore(backup)
    try list.change(list.a, [.append("y"), .commit, .remove(2), .remove(1)])
    try list.expect(["first", "x"])
  }

  /// Promise: lists.copies, lists.removal.
  @Test(arguments: ListKind.allCases)
  func aRestoredFileBringsNothingBackThatWasRemoved(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["first", "second"])
    let backup = try list.backUp(list.a)
    try list.change(list.a, [.remove(0)])
    try list.settle()
    try list.restore(backup)
    try list.change(list.a, [.set(0, "x"), .move(0, to: 1)])
    try list.expect(["second"])
  }

  /// Promise: lists.copies, reset.copies.
  @Test(arguments: ListKind.allCases)
  func anElementThatWaitsInTheOutboxesOfTwoCopiesIsOne(_ kind: ListKind) throws {
    let list = try ListWorld(kind, ["first"])
    try list.change(list.a, [.append("x")])
    let copy = try list.addCopy(of: list.a)
    try list.change(list.a, [.remove(1)])
    try list.change(copy, [.set(1, "z"), .append("y")])
    try list.expect(["first", "y"])
  }

  /// Promise: lists.copies, lists.runs.
  @Test(arguments: ListKind.allCases, [false, true])
  func runsOfTwoCopiesDoNotMix(_ kind: ListKind, copyIsFirst: Bool) throws {
    let list = try ListWorld(kind, ["first", "last"])
    let copy = try list.addCopy(of: list.a)
    try list.change(list.a, .run(["a1", "a2"], at: 1))
    try list.change(copy, .run(["b1", "b2"], at: 1))
    try list.expect(
      [["first", "a1", "a2", "b1", "b2", "last"], ["first", "b1", "b2", "a1", "a2", "last"]],
      first: [copyIsFirst ? copy : list.a])
  }

  /// Both files have the number, the version and the client's id of the same next transaction.
  ///
  /// Promise: lists.copies.
  @Test func embeddedObjectsOfTwoCopiesAreDifferent() throws {
    let list = try ListWorld(.embedded, [])
    let copy = try list.addCopy(of: list.a)
    try list.change(list.a, [.append("x")])
    try list.change(copy, [.append("y")])
    try list.settle()
    // A third device changes one of them.
    let place = try #require(try list.names(list.b).firstIndex(of: "y"))
    try list.change(list.b, [.set(place, "z")])
    try list.expect([["x", "z"], ["z", "x"]])
  }
}
