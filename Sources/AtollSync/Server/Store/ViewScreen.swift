import AtollObjects
import AtollQuery

/// The views of one class, by a value that an object must have to be in them.
///
/// Most views compare a property with one value: an owner, a partition, a state. A change finds the
/// views that it may concern by the values of the object, without visiting the others.
struct ViewScreen {
  private var views: [Column: [Value: Set<ViewQuery>]] = [:]
  /// Views that are not indexed by a value.
  private var others: Set<ViewQuery> = []
  /// Where each view is.
  private var places: [ViewQuery: Place] = [:]
  /// Views whose queries were not read.
  private var unread: Set<ViewQuery> = []
  private var schema: Schema?

  private enum Place {
    case value(Column, Value)
    case others
  }

  mutating func insert(_ view: ViewQuery) { unread.insert(view) }

  mutating func remove(_ view: ViewQuery) {
    unread.remove(view)
    switch places.removeValue(forKey: view) {
    case .others: others.remove(view)
    case .value(let column, let value):
      views[column]?[value]?.remove(view)
      if views[column]?[value]?.isEmpty == true { views[column]?[value] = nil }
      if views[column]?.isEmpty == true { views[column] = nil }
    case nil: break
    }
  }

  var isEmpty: Bool { places.isEmpty && unread.isEmpty }

  /// Reads the queries that are new, and all of them when the classes have changed.
  ///
  /// `query`: nil if the view is no valid query of these classes; then it may always match.
  mutating func read(in schema: Schema, _ query: (ViewQuery) -> Query?) {
    if self.schema !== schema {
      unread.formUnion(places.keys)
      (views, others, places) = ([:], [], [:])
      self.schema = schema
    }
    for view in unread {
      if let (column, value) = query(view)?.requiredValue {
        views[column, default: [:]][value, default: []].insert(view)
        places[view] = .value(column, value)
      } else {
        others.insert(view)
        places[view] = .others
      }
    }
    unread = []
  }

  /// The views that may hold one of some objects; `values`: those of a property in the objects.
  func candidates(
    _ values: (Column) throws(ServerStoreError) -> [Value]
  ) throws(ServerStoreError) -> Set<ViewQuery> {
    var candidates = others
    for (column, known) in views {
      for value in try values(column) {
        if let found = known[value] { candidates.formUnion(found) }
      }
    }
    return candidates
  }
}
