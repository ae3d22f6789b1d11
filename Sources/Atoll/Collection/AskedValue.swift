internal import AtollObjects
internal import AtollQuery

// Values that a realm is asked for: arguments of queries, elements that are looked for.
//
// An object that the file does not hold equals none that it does: one that no realm manages, one of
// another file, and one that was deleted. It is found nowhere, and its negation finds everything.

extension _Storable {
  /// The value as the file holds it.
  ///
  /// `context`: the realm that is asked; nil when it is not known yet, so that objects of any file
  /// are taken for its own.
  func asked(_ context: _RealmContext?) -> _StoredValue {
    if let object = self as? ObjectBase { return object.askedLink(context) }
    if let value = self as? AnyRealmValue { return value.asked(context, depth: 0) }
    return _store(nil)
  }
}

extension ObjectBase {
  /// The link to the object; to nothing when the realm does not hold it.
  fileprivate func askedLink(_ context: _RealmContext?) -> _StoredValue {
    guard let row = _row, context.map({ $0.file === row.context.file }) ?? true, row.isValid else {
      return .link(.toNothing)
    }
    return row.link
  }
}

extension AnyRealmValue {
  fileprivate func asked(_ context: _RealmContext?, depth: Int) -> _StoredValue {
    // A collection that contains itself: no file holds one that nests so deep.
    guard depth <= MixedCoding.nestingLimit else { return .link(.toNothing) }
    switch self {
    case .object(let object): return object.askedLink(context)
    case .list(let list): return .list(list.map { $0.asked(context, depth: depth + 1) })
    case .dictionary(let map):
      let entries = map.asKeyValueSequence().map { entry in
        (key: entry.key, value: entry.value.asked(context, depth: depth + 1))
      }
      return .map(ValueMap(entries))
    default: return _store(nil)
    }
  }
}
