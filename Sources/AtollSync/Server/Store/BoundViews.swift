internal import AtollObjects
internal import AtollQuery

/// The parsed and bound queries of views that run repeatedly.
///
/// Each commit runs all views of the classes that it changed: parsing thousands of texts again
/// would take longer than matching them. Used by the thread of the store.
final class BoundViews {
  private enum State {
    /// Nothing has asked it since.
    case prepared
    case bound(Query)
  }

  private var states: [ViewQuery: State] = [:]
  /// How many texts were bound.
  private(set) var bindingCount = 0

  /// How many views are prepared.
  var count: Int { states.count }

  func prepare(_ view: ViewQuery) {
    guard states[view] == nil else { return }
    states[view] = .prepared
  }

  func drop(_ view: ViewQuery) { states[view] = nil }

  /// The query of a view, for sources that have this schema.
  ///
  /// It is cached when the view was prepared, and bound again when classes have changed: a bound
  /// query names columns by their places.
  func query(of view: ViewQuery, in schema: Schema) throws(QueryError) -> Query {
    let state = states[view]
    if case .bound(let query)? = state, query.schema === schema { return query }
    bindingCount += 1
    var query = try Query(view.text, on: view.className, in: schema)
    // R16, R19: it must not tell which targets of links there are.
    query.countsWaitingLinks = true
    if state != nil { states[view] = .bound(query) }
    return query
  }
}
