/// What a run does with lists.
struct ListOptions: Sendable {
  /// How many operations a transaction does on a list at most; with 1, lists get the single
  /// operations that all objects get, and no ghosts are followed.
  var operationCount = 1
  /// What is verified.
  var oracles: Set<ListOracle> = Set(ListOracle.allCases)
  var bug: ListBug?

  var isOn: Bool { operationCount > 1 }
}

/// A rule about the elements of lists.
enum ListOracle: String, CaseIterable, Sendable {
  /// No two elements have one id, in whatever files.
  case ids
  /// The operations of a transaction say what it did to each element, and no more.
  case net
  /// An element is there until it is removed.
  case vanished
  /// A removed element is not there.
  case stayed
  /// Two elements keep their order unless one of them is moved.
  case order
  /// What two devices insert at one place at once is not mixed.
  case runs
  /// An answer tells of what happened.
  case answers
  /// What an append costs does not grow with the list.
  case cost
}

/// What a device does wrong with its lists, so that the app sees the same.
enum ListBug: String, CaseIterable, Sendable {
  /// An element that takes the place of a removed one is recorded as its new value.
  case pairedReplacement = "paired-replacement"
  /// A new value is recorded as a removal and an insertion.
  case renewedElement = "renewed-element"
  /// Of equal elements another one is removed than the one that the app names.
  case equalElement = "equal-element"
  /// Lists are compared as a whole at the end of the transaction.
  case comparedLists = "compared-lists"
  /// A moved element is removed, and inserted elsewhere.
  case renewedMove = "renewed-move"
  /// All that open a file, or a copy of it, take the same random numbers.
  case sharedRandom = "shared-random"
  /// An append assigns the whole list.
  case wholeAppend = "whole-append"
}

/// Rules about lists that are broken; each names its oracle.
struct ListProblem: Error, CustomStringConvertible {
  let oracle: ListOracle
  let text: String

  var description: String { "lists, \(oracle.rawValue): \(text)" }
}
