internal import AtollObjects

/// A type that the keys of a map can have.
public protocol _MapKey: Hashable {
  /// The key that the file holds.
  var _key: String { get }
  static func _loadKey(_ key: String) -> Self
}

extension String: _MapKey {
  public var _key: String { self }
  public static func _loadKey(_ key: String) -> String { key }
}

/// A collection of values by key that a property of an object holds.
///
///     @Persisted var prices: Map<String, Double>
///     …
///     try realm.write { product.prices["EUR"] = 9.5 }
///
/// Keys are any strings and ascend by their bytes in UTF-8; a query names one in brackets,
/// `prices['EUR']`. Objects are values as optionals, `Map<String, Dog?>`: a key whose object is
/// deleted stays, with nil. Like its object, a map is unmanaged at first, and a live view of the
/// current version of its realm from the moment on when the object is added. A managed map is
/// changed in a write.
public final class Map<Key: _MapKey, Value: _MapValue> {
  private var contents: Contents
  /// The value of every key of a map on a path that is being traced.
  private var tracedValue: Value?

  private enum Contents {
    case unmanaged([ExactText: Value])
    case managed(ManagedMap)
  }

  /// Makes an empty, unmanaged map.
  public init() { contents = .unmanaged([:]) }

  init(_ place: _ValuePlace) { contents = .managed(ManagedMap(place)) }

  /// Takes over entries of a file in an unmanaged map, whatever their keys are.
  func load(_ entries: [(String, Value)]) {
    contents = .unmanaged(
      Dictionary(entries.map { (ExactText($0.0), $0.1) }, uniquingKeysWith: { first, _ in first }))
  }

  /// The row and property that the map belongs to; nil for an unmanaged one.
  var managed: ManagedMap? {
    if case .managed(let map) = contents { map } else { nil }
  }

  // MARK: Reading

  /// The number of keys.
  public var count: Int {
    switch contents {
    case .unmanaged(let values): values.count
    case .managed(let map): map.count
    }
  }

  /// Whether the map has no keys.
  public var isEmpty: Bool { count == 0 }

  private static func sorted(_ values: [ExactText: Value]) -> [(key: ExactText, value: Value)] {
    values.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
  }

  /// The entries now, ascending by key.
  var entries: [(key: Key, value: Value)] {
    switch contents {
    case .unmanaged(let values):
      Self.sorted(values).map { (Key._loadKey($0.text), $1) }
    case .managed(let map):
      map.map.entries.map { entry in
        (Key._loadKey(entry.key), map.place.load(entry.value, entry.key))
      }
    }
  }

  /// The keys, ascending by their bytes.
  public var keys: [Key] {
    switch contents {
    case .unmanaged: entries.map(\.key)
    case .managed(let map): map.map.entries.map { Key._loadKey($0.key) }
    }
  }

  /// The values, in the order of their keys.
  public var values: [Value] { entries.map(\.value) }

  /// The value of a key, nil for a key that is not there; setting nil removes the key.
  public subscript(key: Key) -> Value? {
    get {
      switch contents {
      case .unmanaged(let values): tracedValue ?? values[ExactText(key._key)]
      case .managed(let map): map.value(key._key).map { map.place.load($0, key._key) }
      }
    }
    set {
      if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
    }
  }

  /// The value of a key, or a default for one that is not there; setting adds the key.
  public subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
    get { self[key] ?? defaultValue() }
    set { updateValue(newValue, forKey: key) }
  }

  /// The value of a key, nil for a key that is not there.
  public func object(forKey key: Key) -> Value? { self[key] }

  /// Whether some entry passes a test.
  public func contains(
    where predicate: (_ key: Key, _ value: Value) throws -> Bool
  ) rethrows -> Bool {
    try entries.contains { try predicate($0.key, $0.value) }
  }

  // MARK: Changing

  /// Sets the value of a key, which is added if it is not there.
  public func updateValue(_ value: Value, forKey key: Key) {
    let key = key._key
    switch contents {
    case .unmanaged(var values):
      contents = .unmanaged([:])
      values[ExactText(key)] = value
      contents = .unmanaged(values)
    case .managed(let map):
      if map.isOwning, let object = Self.object(value) {
        // The object that is there may be given again.
        if let row = object._row, row.context === map.row.context, map.value(key) == row.link {
          return
        }
        map.setOwned(object, for: key)
      } else {
        guard map.requireWrite() else { return }
        map.set(value._store(map.row.context), for: key)
      }
    }
  }

  private static func object(_ value: Value) -> ObjectBase? { value as? ObjectBase }

  /// Removes a key, if it is there; an object that is not embedded stays in the realm.
  public func removeObject(for key: Key) {
    switch contents {
    case .unmanaged(var values):
      contents = .unmanaged([:])
      values[ExactText(key._key)] = nil
      contents = .unmanaged(values)
    case .managed(let map):
      guard map.requireWrite() else { return }
      map.set(nil, for: key._key)
    }
  }

  /// Removes all keys; objects that are not embedded stay in the realm.
  public func removeAll() {
    switch contents {
    case .unmanaged: contents = .unmanaged([:])
    case .managed(let map): map.change { $0 = ValueMap() }
    }
  }

  /// Adds the entries of a dictionary; `combine` decides between the value that is there and the
  /// new one.
  public func merge<S: Sequence>(
    _ other: S, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where S.Element == (key: Key, value: Value) {
    var merged: [ExactText: (key: Key, value: Value)] = [:]
    var order: [ExactText] = []
    for (key, value) in Array(other) {
      let place = ExactText(key._key)
      let known = merged[place]?.value ?? self[key]
      if merged[place] == nil { order.append(place) }
      merged[place] = (key, try known.map { try combine($0, value) } ?? value)
    }
    update(order.compactMap { merged[$0] })
  }

  /// Sets the values of many keys at once: many of a map that a file keeps are written as a whole.
  private func update(_ entries: [(key: Key, value: Value)]) {
    guard case .managed(let map) = contents, !map.isOwning, !map.isFew(entries.count) else {
      for (key, value) in entries { updateValue(value, forKey: key) }
      return
    }
    guard map.requireWrite() else { return }
    let stored = entries.map { ($0.key._key, $0.value._store(map.row.context)) }
    map.change { map in
      for (key, value) in stored { map[key] = .some(value) }
    }
  }

  /// Adds the entries of another map; `combine` decides between the value that is there and the new
  /// one.
  public func merge(
    _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    try merge(other.entries, uniquingKeysWith: combine)
  }

  // MARK: Of a property

  public func _belongs(to row: _ManagedRow, _ position: Int) -> Bool {
    guard case .managed(let map) = contents else { return false }
    return map.place.isProperty(position, of: row)
  }

  public func _assign(_ other: Map) {
    if self === other || managed.map({ $0.isSame(as: other.managed) }) ?? false { return }
    let entries = other.entries
    removeAll()
    update(entries.map { ($0.key, $0.value) })
  }

  public func _attach(_ row: _ManagedRow, _ position: Int) -> _Contents? {
    guard case .unmanaged(let values) = contents else { return nil }
    contents = .managed(ManagedMap(_ValuePlace(row, position)))
    if Value._storedType.type == .mixed {
      return .mixed { context in
        .map(ValueMap(Self.sorted(values).map { (key: $0.text, value: $1._store(context)) }))
      }
    }
    if Value._storedType.target != nil {
      // In this order the objects are added.
      return .entries(Self.sorted(values).map { (key: $0.text, object: Self.object($1)) })
    }
    return .values(.map(ValueMap(values.map { (key: $0.text, value: $1._store(nil)) })))
  }
}

extension Map: _Persistable {
  public static var _form: _PropertyForm { _PropertyForm(.map, Value._storedType) }

  public static var _problem: String? {
    guard let type = Value.self as? ObjectBase.Type else { return nil }
    return "is a Map of objects, which can be missing; make it Map<String, \(type.className())?>"
  }

  public static var _isLive: Bool { true }
  public static func _default() -> Map { Map() }
  public static func _traced(_ tracer: _KeyPathTracer) -> Map {
    let map = Map()
    map.tracedValue = Value._tracedElement(tracer)
    return map
  }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> Map {
    Map(_ValuePlace(row, position))
  }

  public static func _write(_ row: _ManagedRow, _ position: Int, _ value: Map) {
    Map(_ValuePlace(row, position))._assign(value)
  }

  public static func _bridgeProperty(_ source: Any?) -> Map? {
    let map = Map()
    guard let source = AnyBridge.unwrapped(source) else { return map }
    guard let entries = AnyBridge.entries(source)?.entries else { return nil }
    for (key, value) in entries {
      guard let value = Value._bridge(value) else { return nil }
      map.updateValue(value, forKey: Key._loadKey(key))
    }
    return map
  }
}

extension Map: ExpressibleByDictionaryLiteral {
  public convenience init(dictionaryLiteral elements: (Key, Value)...) {
    self.init()
    for (key, value) in elements { updateValue(value, forKey: key) }
  }
}

extension Map: Decodable where Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init()
    let container = try decoder.singleValueContainer()
    for (key, value) in try container.decode([String: Value].self) {
      updateValue(value, forKey: Key._loadKey(key))
    }
  }
}

extension Map: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var values: [String: Value] = [:]
    for (key, value) in entries where values.updateValue(value, forKey: key._key) != nil {
      throw EncodingError.invalidValue(
        self,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription:
            "the map has two keys that are spellings of '\(key._key)', which a dictionary cannot "
            + "tell apart"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(values)
  }
}
