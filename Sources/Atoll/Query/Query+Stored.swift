internal import AtollQuery

// Enums and types of an application are kept as values of another type: what can be asked of that
// one can be asked of them.

/// An optional, for extensions of `Query` that are about what it wraps.
public protocol _QueryOptional {
  associatedtype Wrapped
}

extension Optional: _QueryOptional {}

// MARK: Order

extension Query where T: _QueryCustom, T._Stored: _QueryOrdered {
  /// Whether what is stored is greater; false for null.
  public static func > (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, with: rhs))
  }

  /// Whether what is stored is greater than in the other property; false when either is null.
  public static func > (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, rhs.tree))
  }

  /// Whether what is stored is greater or equal.
  public static func >= (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, with: rhs))
  }

  /// Whether what is stored is greater than in the other property, or equal; two nulls are equal.
  public static func >= (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, rhs.tree))
  }

  /// Whether what is stored is less; false for null.
  public static func < (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, with: rhs))
  }

  /// Whether what is stored is less than in the other property; false when either is null.
  public static func < (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, rhs.tree))
  }

  /// Whether what is stored is less or equal.
  public static func <= (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, with: rhs))
  }

  /// Whether what is stored is less than in the other property, or equal; two nulls are equal.
  public static func <= (_ lhs: Query<T>, _ rhs: Query<T>) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, rhs.tree))
  }
}

extension Query
where T: _QueryOptional & _Storable, T.Wrapped: _QueryCustom, T.Wrapped._Stored: _QueryOrdered {
  /// Whether what is stored is greater; false for null.
  public static func > (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greater, with: rhs))
  }

  /// Whether what is stored is greater or equal.
  public static func >= (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.greaterOrEqual, with: rhs))
  }

  /// Whether what is stored is less; false for null.
  public static func < (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.less, with: rhs))
  }

  /// Whether what is stored is less or equal.
  public static func <= (_ lhs: Query<T>, _ rhs: T) -> Query<Bool> {
    Query<Bool>(lhs.tree.compared(.lessOrEqual, with: rhs))
  }
}

extension Query where T: _QueryCustom & Comparable, T._Stored: _QueryOrdered {
  /// Whether what is stored is in the range, whose end does not belong to it.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    Query<Bool>(
      tree.between(range.lowerBound, range.upperBound, excludesHigh: true))
  }

  /// Whether what is stored is in the range, both ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    Query<Bool>(tree.between(range.lowerBound, range.upperBound))
  }
}

// MARK: What is stored

extension Query where T: RawRepresentable {
  /// What the case of an enumeration is stored as.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(tree) }
}

extension Query where T: _QueryOptional, T.Wrapped: RawRepresentable {
  /// What the case of an enumeration is stored as; null for none.
  public var rawValue: Query<T.Wrapped.RawValue?> { Query<T.Wrapped.RawValue?>(tree) }
}

extension Query where T: _QueryCustom {
  /// What a value of the application's own type is stored as.
  public var persistableValue: Query<T._Stored> { Query<T._Stored>(tree) }
}

extension Query where T: _QueryOptional, T.Wrapped: _QueryCustom {
  /// What a value of the application's own type is stored as; null for none.
  public var persistableValue: Query<T.Wrapped._Stored?> {
    Query<T.Wrapped._Stored?>(tree)
  }
}

// MARK: Strings

extension Query where T: _QueryStored, T._Stored: _QueryString {
  /// Whether the whole stored string looks like that of `value`, in which `?` is any character and
  /// `*` any number of them.
  public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
    asked(.like, QueryOperand(value), caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query where T: _QueryStored, T._Stored: _QueryBinary {
  /// Whether what `value` is stored as is a part of what is stored.
  public func contains(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.contains, QueryOperand(value), options)
  }

  /// Whether what is stored begins with what `value` is stored as.
  public func starts(with value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.beginsWith, QueryOperand(value), options)
  }

  /// Whether what is stored ends with what `value` is stored as.
  public func ends(with value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.endsWith, QueryOperand(value), options)
  }

  /// Whether the stored values are equal but for what `options` overlook.
  public func equals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.equal, QueryOperand(value), options)
  }

  /// Whether the stored values differ in more than what `options` overlook.
  public func notEquals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.notEqual, QueryOperand(value), options)
  }
}

extension Query
where T: _QueryOptional & _Storable, T.Wrapped: _QueryStored, T.Wrapped._Stored: _QueryString {
  /// Whether the whole stored string looks like that of `value`, in which `?` is any character and
  /// `*` any number of them.
  public func like(_ value: T.Wrapped, caseInsensitive: Bool = false) -> Query<Bool> {
    asked(.like, QueryOperand(value), caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query
where T: _QueryOptional & _Storable, T.Wrapped: _QueryStored, T.Wrapped._Stored: _QueryBinary {
  /// Whether what `value` is stored as is a part of what is stored.
  public func contains(_ value: T.Wrapped, options: StringOptions? = nil) -> Query<Bool> {
    asked(.contains, QueryOperand(value), options)
  }

  /// Whether what is stored begins with what `value` is stored as.
  public func starts(with value: T.Wrapped, options: StringOptions? = nil) -> Query<Bool> {
    asked(.beginsWith, QueryOperand(value), options)
  }

  /// Whether what is stored ends with what `value` is stored as.
  public func ends(with value: T.Wrapped, options: StringOptions? = nil) -> Query<Bool> {
    asked(.endsWith, QueryOperand(value), options)
  }

  /// Whether the stored values are equal but for what `options` overlook.
  public func equals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.equal, QueryOperand(value), options)
  }

  /// Whether the stored values differ in more than what `options` overlook.
  public func notEquals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    asked(.notEqual, QueryOperand(value), options)
  }
}
