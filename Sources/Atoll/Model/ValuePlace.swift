internal import AtollObjects

/// Where a value lies in a managed object: its property and, in one of mixed values, the way into
/// it.
public struct _ValuePlace {
  let row: _ManagedRow
  let position: Int
  let path: [ValueStep]

  init(_ row: _ManagedRow, _ position: Int, _ path: [ValueStep] = []) {
    self.row = row
    self.position = position
    self.path = path
  }

  /// The place of a part of the collection that is here.
  func appending(_ step: ValueStep) -> _ValuePlace { _ValuePlace(row, position, path + [step]) }

  /// Whether both are the same place of the same object, in whatever version of it.
  func isSame(as other: _ValuePlace) -> Bool {
    position == other.position && path == other.path && row.isSameRow(as: other.row)
  }

  /// Whether a property as a whole is here, of this instance.
  func isProperty(_ position: Int, of row: _ManagedRow) -> Bool {
    self.row === row && self.position == position && path.isEmpty
  }

  /// The same place in another realm of the same file; nil when the object does not exist there.
  func moved(to context: _RealmContext) -> _ValuePlace? {
    guard let row = row.moved(to: context), row.isValid else { return nil }
    return _ValuePlace(row, position, path)
  }

  /// What is here in the current version; nil when the way leads nowhere any more.
  var value: _StoredValue? {
    let value = row.value(position)
    return path.isEmpty ? value : value.value(at: path)
  }

  /// Puts another value here, in a write.
  func set(_ value: _StoredValue) {
    row.checkAlive()
    guard !path.isEmpty else { return row.context.set(row, position, value) }
    guard let whole = row.value(position).replacing(at: path, with: value) else {
      Misuse.trap(
        "a collection in a property of type AnyRealmValue was changed that is no longer in its "
          + "place"
      )
    }
    row.context.set(row, position, whole)
  }
}

extension _ValuePlace {
  /// An element of the collection that is here.
  func load<Element: _Storable>(_ value: _StoredValue, _ index: Int) -> Element {
    switch value {
    case .list, .map: Element._load(value, at: appending(.index(index)))
    default: Element._load(value, row.context)
    }
  }

  /// The value of a key of the map that is here.
  func load<Element: _Storable>(_ value: _StoredValue, _ key: String) -> Element {
    switch value {
    case .list, .map: Element._load(value, at: appending(.key(key)))
    default: Element._load(value, row.context)
    }
  }
}
