public import AtollObjects
internal import Foundation

extension AnyRealmValue: _Storable {
  public static var _storedType: _StoredType { _StoredType(.mixed, isOptional: true) }

  /// The value for what the file holds; a collection is a copy.
  public static func _load(_ value: _StoredValue, _ context: _RealmContext) -> AnyRealmValue {
    switch value {
    case .list(let elements), .set(let elements):
      return .fromArray(elements.map { _load($0, context) })
    case .map(let map):
      let copy = Map<String, AnyRealmValue>()
      copy.load(map.entries.map { ($0.key, _load($0.value, context)) })
      return .dictionary(copy)
    case .link(let link): return context.object(link).map { .object($0) } ?? .none
    default: return plain(value)
    }
  }

  /// The value for what the file holds in a place; a collection stands for what is there.
  public static func _load(_ value: _StoredValue, at place: _ValuePlace) -> AnyRealmValue {
    switch value {
    case .list: .list(List(place.holding(.list)))
    case .map: .dictionary(Map(place.holding(.map)))
    case .link(let link) where place.row.access.descriptor.isDynamic:
      place.row.context.dynamicObject(link).map { .object($0) } ?? .none
    default: _load(value, place.row.context)
    }
  }

  /// The value for one that the file holds and that is no object and no collection.
  static func plain(_ value: _StoredValue) -> AnyRealmValue {
    switch value {
    case .null, .link, .list, .set, .map: .none
    case .bool(let value): .bool(value)
    case .int(let value): .int(Int(truncatingIfNeeded: value))
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal128(Decimal128(value))
    case .string(let value): .string(value)
    case .data(let value): .data(Data(value))
    case .date(let value): .date(Date(value))
    case .objectID(let value): .objectId(ObjectId(value))
    case .uuid(let value): .uuid(UUID(value))
    }
  }

  public func _store(_ context: _RealmContext?) -> _StoredValue { stored(context, depth: 0) }

  /// Ends the process for a collection that lies in too many others, as one that lies in itself.
  static func checkNesting(_ depth: Int) {
    guard depth <= MixedCoding.nestingLimit else {
      Misuse.trap(
        "lists and dictionaries in an AnyRealmValue nest at most \(MixedCoding.nestingLimit) deep")
    }
  }

  private func stored(_ context: _RealmContext?, depth: Int) -> _StoredValue {
    Self.checkNesting(depth)
    switch self {
    case .none: return .null
    case .int(let value): return value._store(context)
    case .bool(let value): return value._store(context)
    case .float(let value): return value._store(context)
    case .double(let value): return value._store(context)
    case .string(let value): return value._store(context)
    case .data(let value): return value._store(context)
    case .date(let value): return value._store(context)
    case .object(let value): return value._store(context)
    case .objectId(let value): return value._store(context)
    case .decimal128(let value): return value._store(context)
    case .uuid(let value): return value._store(context)
    case .list(let list):
      return .list(list.map { $0.stored(context, depth: depth + 1) })
    case .dictionary(let map):
      return .map(
        ValueMap(
          map.asKeyValueSequence().map { entry in
            (key: entry.key, value: entry.value.stored(context, depth: depth + 1))
          }))
    }
  }

  /// The value that a source of any type means; nil for one that no property can hold.
  public static func _bridge(_ source: Any) -> AnyRealmValue? { bridged(source, depth: 0) }

  private static func bridged(_ source: Any, depth: Int) -> AnyRealmValue? {
    checkNesting(depth)
    guard let source = AnyBridge.swiftValue(source) else { return AnyRealmValue.none }
    if let instance = AnyBridge.instance(of: AnyObject.self, source) {
      switch instance {
      case let value as Object: return .object(value)
      case let value as List<AnyRealmValue>: return .list(value)
      case let value as Map<String, AnyRealmValue>: return .dictionary(value)
      default: break
      }
    }
    switch source {
    case let value as AnyRealmValue: return value
    case let value as Bool: return .bool(value)
    case let value as any BinaryInteger: return Int(exactly: value).map { .int($0) }
    case let value as Float: return .float(value)
    case let value as Double: return .double(value)
    case let value as String: return .string(value)
    case let value as Substring: return .string(String(value))
    case let value as Data: return .data(value)
    case let value as Date: return .date(value)
    case let value as ObjectId: return .objectId(value)
    case let value as Decimal128: return .decimal128(value)
    case let value as Decimal: return .decimal128(Decimal128(value: value))
    case let value as UUID: return .uuid(value)
    default: break
    }
    if let entries = AnyBridge.entries(source)?.entries {
      let map = Map<String, AnyRealmValue>()
      for (key, value) in entries {
        guard let value = bridged(value, depth: depth + 1) else { return nil }
        map.updateValue(value, forKey: key)
      }
      return .dictionary(map)
    }
    guard let elements = source as? any Sequence else { return nil }
    return bridged(elements: elements, depth: depth + 1)
  }

  private static func bridged(elements: some Sequence, depth: Int) -> AnyRealmValue? {
    var values: [AnyRealmValue] = []
    for element in elements {
      guard let value = bridged(element, depth: depth) else { return nil }
      values.append(value)
    }
    return .fromArray(values)
  }
}

extension AnyRealmValue: _Persistable {
  public static func _default() -> AnyRealmValue { .none }

  public static func _read(_ row: _ManagedRow, _ position: Int) -> AnyRealmValue {
    _load(row.value(position), at: _ValuePlace(row, position))
  }

  public static func _bridgeProperty(_ source: Any?) -> AnyRealmValue? {
    guard let source else { return AnyRealmValue.none }
    return _bridge(source)
  }
}

extension AnyRealmValue {
  /// The content, of its own type; nil for none.
  var content: Any? {
    switch self {
    case .none: nil
    case .int(let value): value
    case .bool(let value): value
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .object(let value): value
    case .objectId(let value): value
    case .decimal128(let value): value
    case .uuid(let value): value
    case .dictionary(let value): value
    case .list(let value): value
    }
  }
}

extension _Storable {
  /// The value for one that is in no realm, which is no object and no collection; nil for one of
  /// another type.
  static func _plain(_ stored: _StoredValue) -> Self? {
    let value = AnyRealmValue.plain(stored)
    guard let content = value.content else { return _bridge(value) }
    // As a narrow integer is read from a file.
    if let type = Self.self as? any _StoredInteger.Type, let number = stored.int {
      return type.truncated(number) as? Self
    }
    return _bridge(content)
  }
}

extension _StoredInteger {
  fileprivate static func truncated(_ number: Int64) -> Self { Self(truncatingIfNeeded: number) }
}
