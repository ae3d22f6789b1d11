internal import AtollObjects
internal import AtollQuery
internal import Foundation

/// What a property is compared with.
enum QueryOperand {
  case value(_StoredValue)
  /// An object of a realm, or of none.
  case instance(ObjectBase)
  /// A value of any type, in which objects may be.
  case mixed(AnyRealmValue)

  /// A value of the type of a property, and how it is compared.
  init<Value: _Storable>(_ value: Value, _ comparator: QuerySyntax.Comparator = .equal) {
    if let object = value as? ObjectBase {
      self = .instance(object)
    } else if let mixed = value as? AnyRealmValue {
      self = if case .object(let object) = mixed { .instance(object) } else { .mixed(mixed) }
    } else if let date = value.unheldDate, date.timeIntervalSince1970.isNaN {
      // No moment is less than what is no number, and none greater.
      let isLess = comparator == .less || comparator == .lessOrEqual
      self = .value(Date(timeIntervalSince1970: isLess ? -.infinity : .infinity).asked(nil))
    } else {
      self = .value(value.asked(nil))
    }
  }
}

extension ObjectBase {
  /// The object by its primary key; nil when its class has none, or it was deleted.
  var queryKey: (className: String, key: QuerySyntax.ObjectKey)? {
    guard let address else { return nil }
    let key: QuerySyntax.ObjectKey
    switch QuerySyntax.Literal(address.primaryKey) {
    case .int(let number): key = .int(number)
    case .string(let text): key = .string(text)
    case .objectID(let bytes): key = .objectID(bytes)
    case .uuid(let bytes): key = .uuid(bytes)
    default: return nil
    }
    return (address.className.text, key)
  }
}

/// The arguments of a query in text form.
enum QueryArguments {
  /// The query that a text spells, and the values that `$0`, `$1`, `%@` and their kin stand for.
  ///
  /// `context`: the realm that is asked; nil when it is not known yet.
  ///
  /// - Throws: `QueryError` with the place in the text; `Realm.Error` with the code `invalidInput`
  ///   for an argument that no property can be compared with.
  static func request(
    _ text: String, _ arguments: [Any], in context: _RealmContext?
  ) throws -> (QuerySyntax.Request, [_StoredValue]) {
    let request = try QuerySyntax.request(text)
    let values = try values(arguments, in: context)
    // A list as a value of its own is equal to a list, and not to one of its elements.
    let lists = arguments.indices.filter { index in
      if case .list? = AnyBridge.unwrapped(arguments[index]) as? AnyRealmValue {
        true
      } else {
        false
      }
    }
    guard !lists.isEmpty else { return (request, values) }
    let rewriting = QueryRewriting(type: nil, argumentOffset: 0, wholeLists: Set(lists))
    return (rewriting.rewritten(request), values)
  }

  private static func values(_ arguments: [Any], in context: _RealmContext?) throws
    -> [_StoredValue]
  {
    try arguments.enumerated().map { index, argument in
      guard let value = value(argument, in: context) else {
        throw Realm.Error(
          .invalidInput,
          "argument \(index) of the query is of type "
            + "\(type(of: AnyBridge.swiftValue(argument) ?? argument)), which no property has")
      }
      return value
    }
  }

  private static func value(_ argument: Any, in context: _RealmContext?) -> _StoredValue? {
    guard let argument = AnyBridge.swiftValue(argument) else { return .null }
    switch argument {
    case let value as _StoredValue: return value
    case let value as Date: return Timestamp(nearest: value).map { .date($0) }
    case let value as any _Storable: return value.asked(context, isNaming: true)
    case let value as any BinaryInteger: return Int64(exactly: value).map { .int($0) }
    case let value as Substring: return .string(String(value))
    // Of Foundation's classes, of which the one is a sequence of bytes.
    case let value as Data: return value._store(nil)
    case let value as UUID: return value._store(nil)
    case let value as ObjectID: return .objectID(value)
    case let value as any BinaryFloatingPoint: return .double(Double(value))
    case let value as Decimal: return number(value)
    case let value as GeoBox: return .shape(value)
    case let value as GeoCircle: return .shape(value)
    case let value as GeoPolygon: return .shape(value)
    case let value as any Sequence:
      var elements: [_StoredValue] = []
      for element in value {
        guard let element = self.value(element, in: context) else { return nil }
        elements.append(element)
      }
      return .list(elements)
    default: return nil
    }
  }

  /// A decimal of Foundation, as an integer or a double where one of them has all its digits: 0.1
  /// equals the double that is written so, and the decimal 0.1 equals no double.
  private static func number(_ value: Decimal) -> _StoredValue {
    let text = "\(value)"
    if let integer = Int64(text) { return .int(integer) }
    let decimal = Decimal128(value: value).stored
    guard let double = Double(text), decimal.isFinite else { return .double(.nan) }
    return AtollObjects.Decimal128(double) == decimal ? .double(double) : .decimal(decimal)
  }
}
