internal import AtollObjects
internal import AtollQuery

/// What is found out of the queries of a large set before it is judged, a part in each tick.
///
/// To read, bind and file megabytes of queries takes a second, in which nobody else would be served.
/// Nothing is decided by it: the set is judged in one tick as one that was not prepared, and what was
/// found under another schema or other rights counts for nothing.
struct SetPreparation {
  /// What is known of a query.
  struct Found {
    /// Why the server cannot answer it; nil when it can.
    let text: String?
  }

  private let schema: Schema
  private let rights: UserRights
  private let queries: [ViewQuery]
  /// Whether the queries are to be judged; else they are views of a set that was.
  private let isJudged: Bool
  private var found: [ViewQuery: Found] = [:]
  private var count = 0
  /// How many bytes the queries have.
  let byteCount: Int
  /// Views that were made ahead; the owner lets go of them.
  private(set) var views: [ViewQuery] = []

  /// Begins.
  ///
  /// `queries`: of a set, as its user wrote them; or views, as they were narrowed before.
  /// `isJudged`: whether it is to be found out if the server can answer them.
  init(_ queries: [ViewQuery], isJudged: Bool, in schema: Schema, _ rights: UserRights) {
    self.queries = queries
    byteCount = queries.reduce(0) { $0 + $1.byteCount }
    self.isJudged = isJudged
    self.schema = schema
    self.rights = rights
  }

  var isFinished: Bool { count == queries.count }

  /// Whether what was found holds for this schema and these rights.
  func isOf(_ schema: Schema, _ rights: UserRights) -> Bool {
    self.schema === schema && self.rights == rights
  }

  func problem(of query: ViewQuery) -> Found? { found[query] }

  /// Goes on until all is known or the budget is spent; at least one query further.
  ///
  /// `problem`: why the server cannot answer a query; nil when it can.
  mutating func advance(
    _ index: ViewIndex, in store: any ServerTransaction, within budget: QueryBudget,
    problem: (ViewQuery) -> String?
  ) throws(ServerStoreError) {
    var isFirst = true
    while !isFinished, isFirst || !budget.isSpent {
      isFirst = false
      let query = queries[count]
      count += 1
      var own = [query]
      if isJudged {
        let problem = problem(query)
        found[query] = Found(text: problem)
        own = problem == nil && schema[query.className] != nil ? rights.views(of: own) : []
      }
      for view in own {
        try index.hold(view, in: store)
        views.append(view)
      }
    }
  }
}
