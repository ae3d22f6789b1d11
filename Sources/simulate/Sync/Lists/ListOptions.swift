/// What a run does with lists.
struct ListOptions: Sendable {
  /// How many operations a transaction does on a list at most; with 1, lists get the single
  /// operations that all objects get, and no ghosts are followed.
  var operationCount = 1
  /// What is verified.
  var oracles: Set<ListOracle> = Set(ListOracle.allCases)

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

/// Rules about lists that are broken; each names its oracle.
struct ListProblem: Error, CustomStringConvertible {
  let oracle: ListOracle
  let text: String

  var description: String { "lists, \(oracle.rawValue): \(text)" }
}
