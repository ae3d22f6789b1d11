internal import AtollObjects
internal import AtollQuery
internal import Foundation

/// What a property is compared with.
enum QueryOperand {
  /// A link among them is an object that has no primary key to be named by.
  case value(_StoredValue)
  case object(className: String, key: QuerySyntax.ObjectKey)

  /// A value of the type of a property.
  init<Value: _Storable>(_ value: Value) {
    if let object = value as? ObjectBase {
      self.init(object: object)
    } else if let object = (value as? AnyRealmValue)?.object(Object.self) {
      self.init(object: object)
    } else if let date = value as? Date, let moment = Timestamp(nearest: date) {
      self = .value(.date(moment))
    } else {
      self = .value(value._store(nil))
    }
  }

  private init(object: ObjectBase) {
    let descriptor = ClassDescriptor.of(type(of: object))
    guard let property = descriptor.primaryKey else {
      self = .value(object._store(nil))
      return
    }
    let key =
      object._row.map { $0.value(property.position) }
      ?? property.storage.storedValue(of: object, nil)
    switch key {
    case .int(let number): self = .object(className: descriptor.name, key: .int(number))
    case .string(let text): self = .object(className: descriptor.name, key: .string(text))
    case .objectID, .uuid:
      switch QuerySyntax.Literal(key) {
      case .objectID(let bytes): self = .object(className: descriptor.name, key: .objectID(bytes))
      case .uuid(let bytes): self = .object(className: descriptor.name, key: .uuid(bytes))
      default: self = .value(object._store(nil))
      }
    default: self = .value(object._store(nil))
    }
  }
}

/// The arguments of a query in text form.
enum QueryArguments {
  /// The values that `$0`, `$1`, `%@` and their kin stand for.
  ///
  /// - Throws: `Realm.Error` with the code `invalidInput` for what no property can be compared
  ///   with.
  static func values(_ arguments: [Any]) throws -> [_StoredValue] {
    try arguments.enumerated().map { index, argument in
      guard let value = value(argument) else {
        throw Realm.Error(
          .invalidInput,
          "argument \(index) of the query is of type \(type(of: argument)), which no property has")
      }
      return value
    }
  }

  private static func value(_ argument: Any) -> _StoredValue? {
    guard let argument = AnyBridge.unwrapped(argument) else { return .null }
    switch argument {
    case let value as _StoredValue: return value
    case let value as Date: return Timestamp(nearest: value).map { .date($0) }
    case let value as any _Storable: return value._store(nil)
    case let value as any BinaryInteger: return Int64(exactly: value).map { .int($0) }
    case let value as Substring: return .string(String(value))
    case let value as ObjectID: return .objectID(value)
    case let value as NSNumber: return .double(value.doubleValue)
    case let value as GeoBox: return .shape(value)
    case let value as GeoCircle: return .shape(value)
    case let value as GeoPolygon: return .shape(value)
    case let value as any Sequence:
      var elements: [_StoredValue] = []
      for element in value {
        guard let element = self.value(element) else { return nil }
        elements.append(element)
      }
      return .list(elements)
    default: return nil
    }
  }
}
