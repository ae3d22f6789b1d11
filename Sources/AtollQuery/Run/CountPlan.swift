internal import AtollObjects
internal import AtollStorage

/// How the objects that pass are counted.
enum CountPlan {
  /// The entries of an index: one equality on an indexed string, for which no table is opened.
  case entries(Index, IndexRange)
  /// What a run finds.
  case run(QueryRun)

  init(
    _ bound: BoundQuery, _ arguments: [Value], in source: some ObjectSource,
    countsWaitingLinks: Bool
  ) throws {
    if let (column, operand) = bound.equality, case .string = operand.value(arguments),
      let trees = source as? any TreeSource, let index = try trees.index(column),
      let bytes = Index.bytes(of: operand.value(arguments)), !Index.isCut(bytes)
    {
      self = .entries(index, .equal(to: bytes))
    } else {
      self = .run(
        try QueryRun(
          bound, arguments, in: source, for: .count, countsWaitingLinks: countsWaitingLinks))
    }
  }

  func count() throws -> Int {
    switch self {
    case .entries(let index, let range): try index.count(range)
    case .run(let run): try run.count()
    }
  }
}
