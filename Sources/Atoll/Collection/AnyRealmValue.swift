internal import AtollObjects
public import Foundation

/// A value of any type that a property can have, or none; also an object, a list or a dictionary.
///
///     class Entry: Object {
///       @Persisted var value: AnyRealmValue
///     }
///     entry.value = .string("on")
///     entry.value = .object(dog)
///     entry.value = .fromDictionary(["rooms": .int(3), "kinds": .fromArray([.string("a")])])
///     entry.value.dictionaryValue?["rooms"] = .int(4)
///
/// A property of this type is never optional: `.none` is what it holds at first, and when the
/// object in it is deleted. Lists and dictionaries in a managed object are live, and found by their
/// place in the property: after elements before it have come or gone, a list stands for the list
/// that is in that place then. While there is none, but a string or a dictionary, it is
/// invalidated: it is empty, and changing it ends the process. Elsewhere, as among sorted values,
/// they are copies.
public enum AnyRealmValue {
  case none
  case int(Int)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  case data(Data)
  case date(Date)
  case object(Object)
  case objectId(ObjectId)
  case decimal128(Decimal128)
  case uuid(UUID)
  case dictionary(Map<String, AnyRealmValue>)
  case list(List<AnyRealmValue>)

  /// A dictionary of these values.
  public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
    let map = Map<String, AnyRealmValue>()
    for (key, value) in dictionary { map.updateValue(value, forKey: key) }
    return .dictionary(map)
  }

  /// A list of these values.
  public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
    let list = List<AnyRealmValue>()
    list.append(objectsIn: array)
    return .list(list)
  }
}

// MARK: - Contents

extension AnyRealmValue {
  /// The integer; nil for a value of another type.
  public var intValue: Int? { if case .int(let value) = self { value } else { nil } }

  /// The truth value; nil for a value of another type.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The number; nil for a value of another type.
  public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }

  /// The number; nil for a value of another type.
  public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }

  /// The string; nil for a value of another type.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The data; nil for a value of another type.
  public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }

  /// The moment; nil for a value of another type.
  public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }

  /// The id; nil for a value of another type.
  public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }

  /// The number; nil for a value of another type.
  public var decimal128Value: Decimal128? {
    if case .decimal128(let value) = self { value } else { nil }
  }

  /// The UUID; nil for a value of another type.
  public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }

  /// The dictionary; nil for a value of another type.
  public var dictionaryValue: Map<String, AnyRealmValue>? {
    if case .dictionary(let value) = self { value } else { nil }
  }

  /// The list; nil for a value of another type.
  public var listValue: List<AnyRealmValue>? {
    if case .list(let value) = self { value } else { nil }
  }

  /// The object as a dynamic one, whatever the program has for its class; nil for a value of another
  /// type, and for an object that no realm manages.
  public var dynamicObject: DynamicObject? {
    guard case .object(let value) = self else { return nil }
    return value as? DynamicObject ?? value._row?.dynamicObject
  }

  /// The object; nil for a value of another type, and for an object of another class.
  public func object<T: Object>(_ objectType: T.Type) -> T? {
    if case .object(let value) = self { value as? T } else { nil }
  }
}

extension AnyRealmValue: Hashable {
  /// Whether both are of one type and equal; collections of a realm, whether they are the same one,
  /// and unmanaged ones, whether they hold the same.
  public static func == (a: AnyRealmValue, b: AnyRealmValue) -> Bool {
    switch (a, b) {
    case (.none, .none): true
    case (.int(let x), .int(let y)): x == y
    case (.bool(let x), .bool(let y)): x == y
    case (.float(let x), .float(let y)): x == y
    case (.double(let x), .double(let y)): x == y
    // By the bytes, as a file has it.
    case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
    case (.data(let x), .data(let y)): x == y
    case (.date(let x), .date(let y)): x == y
    case (.object(let x), .object(let y)): x == y
    case (.objectId(let x), .objectId(let y)): x == y
    case (.decimal128(let x), .decimal128(let y)): x == y
    case (.uuid(let x), .uuid(let y)): x == y
    case (.dictionary, .dictionary), (.list, .list): ContentEquality.areEqual(a, b)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .none: hasher.combine(0)
    case .int(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .decimal128(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    // Two instances may be the same collection.
    case .dictionary: hasher.combine(1)
    case .list: hasher.combine(2)
    }
  }
}

extension AnyRealmValue: RealmCollectionValue, MinMaxType, AddableType {}
