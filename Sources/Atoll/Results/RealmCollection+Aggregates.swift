internal import AtollObjects
internal import AtollQuery

extension RealmCollection {
  /// The least value of a property; nil when there is none.
  public func min<T: MinMaxType & _Storable>(ofProperty property: String) -> T? {
    aggregate(.minimum, property)
  }

  /// The greatest value of a property; nil when there is none.
  public func max<T: MinMaxType & _Storable>(ofProperty property: String) -> T? {
    aggregate(.maximum, property)
  }

  /// The sum of a property; 0 for no elements.
  ///
  /// A sum of integers wraps at 64 bits, as in the query language. One that a narrower type cannot
  /// hold is the nearest number of that type.
  public func sum<T: AddableType & _Storable>(ofProperty property: String) -> T {
    sum(property)
  }

  /// The average of a property; nil for no elements.
  public func average<T: AddableType & _Storable>(ofProperty property: String) -> T? {
    aggregate(.average, property)
  }

  func aggregate<T: _Storable>(_ function: AggregateFunction, _ property: String?) -> T? {
    let doing = "the aggregate cannot be computed"
    let value =
      if let list = _resultList {
        list.context.reading(doing, or: .null) { try list.aggregate(function, property) }
      } else {
        Misuse.unwrapped(doing) { try unmanagedAggregate(function, property) }
      }
    return value.isNull ? nil : loaded(value)
  }

  fileprivate func sum<T: _Storable>(_ property: String?) -> T {
    guard let sum: T = aggregate(.sum, property) ?? loaded(.int(0)) else {
      Misuse.trap("a sum of values of type \(T.self) cannot be computed")
    }
    return sum
  }

  /// The value in the type that is asked for.
  private func loaded<T: _Storable>(_ value: _StoredValue) -> T? {
    if let list = _resultList { return T._loadAggregate(value, list.context) }
    return T._plain(T.fittedAggregate(value))
  }

  /// The aggregate of the elements of an unmanaged collection, or of a property of theirs.
  private func unmanagedAggregate(
    _ function: AggregateFunction, _ name: String?
  ) throws -> _StoredValue {
    guard let name else {
      return try function.checkedResult(Element._storedType.type, of: map { $0._store(nil) })
    }
    let objects = Array(self).compactMap { $0 as? ObjectBase }
    guard let first = objects.first else { return function == .sum ? .int(0) : .null }
    let descriptor = first.descriptor
    guard let property = descriptor.property(name), property.form.kind == .single,
      property.target == nil
    else {
      throw Realm.Error(
        .invalidInput, "'\(descriptor.name)' has no property '\(name)' with one value")
    }
    let values = objects.map { object in
      object._row.map { $0.value(property.position) }
        ?? property.storage.storedValue(of: object, nil)
    }
    return try function.checkedResult(property.form.stored.type, of: values)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The least value of a property; nil when there is none.
  public func min<T: MinMaxType & _Storable>(of keyPath: KeyPath<Element, T>) -> T? {
    aggregate(.minimum, _name(for: keyPath))
  }

  /// The greatest value of a property; nil when there is none.
  public func max<T: MinMaxType & _Storable>(of keyPath: KeyPath<Element, T>) -> T? {
    aggregate(.maximum, _name(for: keyPath))
  }

  /// The sum of a property; 0 for no elements.
  ///
  /// As by name, a sum that an integer of less than 64 bits cannot hold is the nearest one.
  public func sum<T: AddableType & _Storable>(of keyPath: KeyPath<Element, T>) -> T {
    sum(_name(for: keyPath))
  }

  /// The average of a property; nil for no elements.
  public func average<T: AddableType & _Storable>(of keyPath: KeyPath<Element, T>) -> T? {
    aggregate(.average, _name(for: keyPath))
  }
}

extension RealmCollection where Element: MinMaxType {
  /// The least value; nil when there is none.
  public func min() -> Element? { aggregate(.minimum, nil) }

  /// The greatest value; nil when there is none.
  public func max() -> Element? { aggregate(.maximum, nil) }
}

extension RealmCollection where Element: AddableType {
  /// The sum of the values; 0 for none.
  public func sum() -> Element { sum(nil) }

  /// The average of the values; nil for none.
  public func average<T: AddableType & _Storable>() -> T? { aggregate(.average, nil) }
}

extension _Storable {
  /// The value for an aggregate of values of the type.
  static func _loadAggregate(_ value: _StoredValue, _ context: _RealmContext) -> Self {
    _load(fittedAggregate(value), context)
  }

  fileprivate static func fittedAggregate(_ value: _StoredValue) -> _StoredValue {
    let fitted = value.fitted(to: _storedType.type)
    return (Self.self as? any NarrowInteger.Type)?.clamped(fitted) ?? fitted
  }
}

/// An integer of less than the 64 bits of a file, or an optional of one.
private protocol NarrowInteger {
  /// The nearest number that the type has.
  static func clamped(_ number: Int64) -> Int64
}

extension NarrowInteger {
  fileprivate static func clamped(_ value: _StoredValue) -> _StoredValue {
    if case .int(let number) = value { .int(clamped(number)) } else { value }
  }
}

extension NarrowInteger where Self: FixedWidthInteger {
  fileprivate static func clamped(_ number: Int64) -> Int64 { Int64(Self(clamping: number)) }
}

extension Int8: NarrowInteger {}
extension Int16: NarrowInteger {}
extension Int32: NarrowInteger {}
extension Optional: NarrowInteger where Wrapped: NarrowInteger {
  fileprivate static func clamped(_ number: Int64) -> Int64 { Wrapped.clamped(number) }
}

extension _StoredValue {
  /// The number in the type that a property of type `type` has; the fraction is cut off for
  /// integers, and beyond their range it is the nearest one.
  fileprivate func fitted(to type: ValueType) -> _StoredValue {
    switch (type, self) {
    case (.int, .double(let number)): Self.integer(number)
    case (.int, .decimal(let number)):
      number.exactInt64.map { .int($0) } ?? Self.integer(number.doubleValue)
    case (.double, .int(let number)): .double(Double(number))
    case (.double, .float(let number)): .double(Double(number))
    case (.double, .decimal(let number)): .double(number.doubleValue)
    case (.float, .int(let number)): .float(Float(number))
    case (.float, .double(let number)): .float(Float(number))
    case (.decimal, .int(let number)): .decimal(AtollObjects.Decimal128(number))
    case (.decimal, .double(let number)): .decimal(AtollObjects.Decimal128(number))
    default: self
    }
  }

  /// The average of the largest integers is a double that is larger than any of them.
  private static func integer(_ number: Double) -> _StoredValue {
    if number.isNaN { return .int(0) }
    if let integer = Int64(exactly: number.rounded(.towardZero)) { return .int(integer) }
    return .int(number < 0 ? .min : .max)
  }
}
