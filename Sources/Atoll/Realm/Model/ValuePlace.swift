internal import AtollObjects

/// Where a value lies in a managed object: its property and, in one of mixed values, the way into
/// it.
public struct _ValuePlace {
  let row: _ManagedRow
  let position: Int
  let path: [ValueStep]
  /// The kind of the collection in a mixed value that was here; nil for what the property declares.
  ///
  /// Another value may take its place, which is then no longer that of the collection.
  private let kind: MixedCollection?

  enum MixedCollection {
    case list
    case map

    func includes(_ value: _StoredValue?) -> Bool {
      switch (self, value) {
      case (.list, .list), (.map, .map): true
      default: false
      }
    }
  }

  init(_ row: _ManagedRow, _ position: Int) { self.init(row, position, [], nil) }

  private init(
    _ row: _ManagedRow, _ position: Int, _ path: [ValueStep], _ kind: MixedCollection?
  ) {
    self.row = row
    self.position = position
    self.path = path
    self.kind = kind
  }

  /// The place of a collection of a mixed value, which is here.
  func holding(_ kind: MixedCollection) -> _ValuePlace { _ValuePlace(row, position, path, kind) }

  /// The place of a part of the collection that is here.
  func appending(_ step: ValueStep) -> _ValuePlace {
    _ValuePlace(row, position, path + [step], nil)
  }

  /// The same place of the object in another row.
  func of(_ row: _ManagedRow) -> _ValuePlace { _ValuePlace(row, position, path, kind) }

  /// Whether both are the same place of the same object, in whatever version of it.
  func isSame(as other: _ValuePlace) -> Bool {
    position == other.position && path == other.path && kind == other.kind
      && row.isSameRow(as: other.row)
  }

  /// The class of the objects that the property as a whole links to; nil for values.
  var targetClass: ClassDescriptor? {
    path.isEmpty ? row.access.descriptor.property(at: position).targetClass : nil
  }

  /// Whether a property as a whole is here, of this instance.
  func isProperty(_ position: Int, of row: _ManagedRow) -> Bool {
    self.row === row && self.position == position && path.isEmpty
  }

  /// The same place in another realm of the same file; nil when the object does not exist there.
  ///
  /// Nor does a live realm have the place of a collection that another value has replaced.
  func moved(to context: _RealmContext) -> _ValuePlace? {
    guard let row = row.moved(to: context), row.isValid else { return nil }
    let place = of(row)
    return context.isFrozen || place.isThere ? place : nil
  }

  /// Whether the object exists, and the collection that the place was made for is still here.
  var isThere: Bool {
    row.context.noteExistence(row)
    guard row.isValid else { return false }
    // Nothing can be read from a realm that only names things.
    if kind == nil || row.context.isNaming { return true }
    let failureCount = row.context.failureCount
    // What cannot be read is not known to be gone.
    return value != nil || row.context.failureCount != failureCount
  }

  /// What is here in the current version; nil when the way leads nowhere any more, or to something
  /// else than the collection that the place was made for.
  var value: _StoredValue? { value(in: row.value(position)) }

  /// As `value`; throws where the file fails.
  func storedValue() throws -> _StoredValue? { value(in: try row.storedValue(position)) }

  private func value(in whole: _StoredValue) -> _StoredValue? {
    let value = path.isEmpty ? whole : whole.value(at: path)
    return kind.map { $0.includes(value) } ?? true ? value : nil
  }

  /// Puts another value here, in a write.
  func set(_ value: _StoredValue) {
    guard row.checkChangeable() else { return }
    if kind == nil, path.isEmpty { return row.context.set(row, position, value) }
    let old = row.value(position)
    guard self.value(in: old) != nil, let whole = old.replacing(at: path, with: value) else {
      return row.context.refuse(
        "a collection in a property of type AnyRealmValue was changed that is no longer in its "
          + "place; test isInvalidated before"
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
    default: Element._load(value, at: self)
    }
  }

  /// The value of a key of the map that is here.
  func load<Element: _Storable>(_ value: _StoredValue, _ key: String) -> Element {
    switch value {
    case .list, .map: Element._load(value, at: appending(.key(key)))
    default: Element._load(value, at: self)
    }
  }
}
