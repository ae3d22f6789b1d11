/// A collection of values by key, as a property of an object holds it: a map.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
  associatedtype Key: _MapKey
  associatedtype Value: _MapValue

  /// The number of keys.
  var count: Int { get }
  /// The keys, ascending by their bytes in UTF-8.
  var keys: [Key] { get }
  /// The values, in the order of their keys.
  var values: [Value] { get }

  /// The value of a key, nil for a key that is not there; setting nil removes the key.
  subscript(key: Key) -> Value? { get set }

  /// Sets the value of a key, which is added if it is not there.
  func updateValue(_ value: Value, forKey key: Key)
  /// Removes a key, if it is there.
  func removeObject(for key: Key)
  /// Removes all keys.
  func removeAll()
}

/// An entry of a map, as a loop over it gives it.
public struct SingleMapEntry<Key: _MapKey, Value: _MapValue>: Hashable {
  public let key: Key
  public let value: Value
}

extension Map: RealmKeyedCollection {
  /// Goes over the entries that there are now, whatever the loop does to the map.
  public func makeIterator() -> AnyIterator<SingleMapEntry<Key, Value>> {
    AnyIterator(entries.map { SingleMapEntry(key: $0.key, value: $0.value) }.makeIterator())
  }

  /// The entries now, as pairs.
  public func asKeyValueSequence() -> [(key: Key, value: Value)] { entries }

  // MARK: Realm

  /// The realm that the map belongs to; nil for an unmanaged one.
  public var realm: Realm? { managed.map { Realm($0.row.context) } }

  /// Whether the object that the map belongs to was deleted, or another value has replaced the map
  /// in an `AnyRealmValue`.
  public var isInvalidated: Bool { managed.map { !$0.place.isThere } ?? false }

  /// Whether the map is of a version that never changes.
  public var isFrozen: Bool { managed?.row.context.isFrozen ?? false }

  /// The same map in the present version, which never changes and any thread may use.
  public func freeze() -> Map {
    guard let managed else { Misuse.trap("an unmanaged map cannot be frozen") }
    let context = managed.row.context
    let frozen = context.frozen()
    if let moved = _moved(to: frozen) { return moved }
    context.refuseNoVersion()
    let descriptor = managed.row.access.descriptor
    return Map(managed.place.of(_ManagedRow(unreadable: descriptor, context: frozen)))
  }

  /// The live map of a frozen one; nil when the object that it belongs to exists no more.
  public func thaw() -> Map? {
    guard let managed else { Misuse.trap("an unmanaged map cannot be thawed") }
    return _moved(to: managed.row.context.thawed())
  }

  public func _moved(to context: _RealmContext) -> Map? {
    managed?.place.moved(to: context).map { Map($0) }
  }

  /// The entries, for people.
  public var description: String {
    ObjectDescription.text(of: self)
  }
}

extension Map: Equatable {
  /// Whether both are the same map of the same realm, or are unmanaged and hold the same.
  public static func == (a: Map, b: Map) -> Bool {
    switch (a.managed, b.managed) {
    case (let managed?, let other?): managed.isSame(as: other)
    case (nil, nil): a === b || ContentEquality.areEqual(a, b)
    default: false
    }
  }
}
