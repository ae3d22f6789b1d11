internal import AtollObjects
internal import AtollStorage
internal import Synchronization

/// The queries that were bound last to one schema, by their text and class.
///
/// A query is taken from here when its arguments are of the types that it was bound with, so that
/// all checks would come out alike. The schema keeps the cache: what was bound to a database goes
/// with it, and queries of other databases do not displace it.
final class BoundQueryCache: SchemaCompanion {
  private struct Entry {
    let text: String
    let className: String
    let argumentTypes: [UInt8]
    let query: BoundQuery
  }

  private struct State {
    var last: Entry?
    /// By the hash of the text, one for each place.
    var entries = [Entry?](repeating: nil, count: QueryLimits.keptQueries)
  }

  private let state = Mutex(State())

  func query(
    _ text: String, on className: String, in schema: Schema, _ arguments: [Value]
  ) throws(QueryError) -> BoundQuery {
    let found = state.withLock { state -> BoundQuery? in
      if let last = state.last, Self.fits(last, text, className, arguments) {
        return last.query
      }
      guard let entry = state.entries[Self.place(text)],
        Self.fits(entry, text, className, arguments)
      else { return nil }
      state.last = entry
      return entry.query
    }
    if let found { return found }

    let request: QuerySyntax.Request
    do throws(QuerySyntaxError) { request = try QuerySyntax.parse(text) } catch {
      throw QueryError(syntax: error)
    }
    var binder = Binder(schema: schema, source: SourceText(text), arguments: arguments)
    let query = try binder.bind(request, on: className)
    guard query.fitsOtherArguments, text.utf8.count < QueryLimits.keptTextByteCount else {
      return query
    }
    var types: [UInt8] = []
    for argument in arguments {
      guard let type = Self.type(of: argument) else { return query }
      types.append(type)
    }
    let entry = Entry(text: text, className: className, argumentTypes: types, query: query)
    state.withLock { state in
      state.entries[Self.place(text)] = entry
      state.last = entry
    }
    return query
  }

  private static func fits(
    _ entry: Entry, _ text: String, _ className: String, _ arguments: [Value]
  ) -> Bool {
    guard entry.argumentTypes.count == arguments.count,
      Self.haveEqualBytes(entry.text, text), Self.haveEqualBytes(entry.className, className)
    else { return false }
    for (index, argument) in arguments.enumerated()
    where type(of: argument) != entry.argumentTypes[index] {
      return false
    }
    return true
  }

  /// Where an entry for the text is kept.
  private static func place(_ text: String) -> Int {
    var hash = FNV1a()
    hash.add(text)
    return Int(hash.hash % UInt64(QueryLimits.keptQueries))
  }

  /// Whether two texts are the same bytes; `==` would take a composed character for its parts.
  private static func haveEqualBytes(_ a: String, _ b: String) -> Bool {
    let x = a.utf8.span
    let y = b.utf8.span
    guard x.count == y.count else { return false }
    for index in 0..<x.count where x[index] != y[index] { return false }
    return true
  }

  /// A number for the type of an argument; nil for those that are bound each time.
  private static func type(of value: Value) -> UInt8? {
    switch value {
    case .null: 0
    case .double(let number): number.isFinite ? ValueType.double.rawValue : nil
    case .float(let number): number.isFinite ? ValueType.float.rawValue : nil
    case .link, .list, .set, .map: nil
    default: value.type?.rawValue
    }
  }
}
