internal import AtollQuery

/// What a comparison of strings overlooks.
public struct StringOptions: OptionSet, Sendable {
  public let rawValue: Int8

  public init(rawValue: Int8) { self.rawValue = rawValue }

  /// Upper and lower case.
  public static let caseInsensitive = StringOptions(rawValue: 1)

  /// Accents and other marks on letters.
  public static let diacriticInsensitive = StringOptions(rawValue: 2)

  var folding: QuerySyntax.Folding {
    switch (contains(.caseInsensitive), contains(.diacriticInsensitive)) {
    case (false, false): .exact
    case (true, false): .ignoringCase
    case (false, true): .ignoringDiacritics
    case (true, true): .ignoringCaseAndDiacritics
    }
  }
}

extension Query where T: _Storable & _QueryString {
  /// Whether the whole string looks like `value`, in which `?` is any character and `*` any number
  /// of them.
  public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
    test(.like, value, caseInsensitive ? .caseInsensitive : [])
  }

  /// As `like(_:caseInsensitive:)`, with another property for the pattern.
  public func like<U: _QueryString>(
    _ column: Query<U>, caseInsensitive: Bool = false
  ) -> Query<Bool> {
    test(.like, column, caseInsensitive ? .caseInsensitive : [])
  }
}

extension Query where T: _Storable & _QueryBinary {
  /// Whether `value` is a part of the string, or of the data.
  public func contains(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    test(.contains, value, options)
  }

  /// Whether the value of another property is a part of the string, or of the data.
  public func contains<U: _QueryBinary>(
    _ column: Query<U>, options: StringOptions? = nil
  ) -> Query<Bool> {
    test(.contains, column, options)
  }

  /// Whether the string, or the data, begins with `value`.
  public func starts(with value: T, options: StringOptions? = nil) -> Query<Bool> {
    test(.beginsWith, value, options)
  }

  /// Whether the string, or the data, begins with the value of another property.
  public func starts<U: _QueryBinary>(
    with column: Query<U>, options: StringOptions? = nil
  ) -> Query<Bool> {
    test(.beginsWith, column, options)
  }

  /// Whether the string, or the data, ends with `value`.
  public func ends(with value: T, options: StringOptions? = nil) -> Query<Bool> {
    test(.endsWith, value, options)
  }

  /// Whether the string, or the data, ends with the value of another property.
  public func ends<U: _QueryBinary>(
    with column: Query<U>, options: StringOptions? = nil
  ) -> Query<Bool> {
    test(.endsWith, column, options)
  }

  /// Whether the values are equal but for what `options` overlook.
  public func equals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    test(.equal, value, options)
  }

  /// Whether the values of both properties are equal but for what `options` overlook.
  public func equals<U: _QueryBinary>(
    _ column: Query<U>, options: StringOptions? = nil
  ) -> Query<Bool> {
    test(.equal, column, options)
  }

  /// Whether the values differ in more than what `options` overlook.
  public func notEquals(_ value: T, options: StringOptions? = nil) -> Query<Bool> {
    test(.notEqual, value, options)
  }

  /// Whether the values of both properties differ in more than what `options` overlook.
  public func notEquals<U: _QueryBinary>(
    _ column: Query<U>, options: StringOptions? = nil
  ) -> Query<Bool> {
    test(.notEqual, column, options)
  }
}

extension Query {
  /// A test of a string, or of data, against a constant.
  func asked(
    _ comparator: QuerySyntax.Comparator, _ operand: QueryOperand, _ options: StringOptions?
  ) -> Query<Bool> {
    Query<Bool>(tree.compared(comparator, operand, folding: options?.folding ?? .exact))
  }
}

extension Query where T: _Storable {
  fileprivate func test(
    _ comparator: QuerySyntax.Comparator, _ value: T, _ options: StringOptions?
  ) -> Query<Bool> {
    asked(comparator, QueryOperand(value), options)
  }

  fileprivate func test<U>(
    _ comparator: QuerySyntax.Comparator, _ column: Query<U>, _ options: StringOptions?
  ) -> Query<Bool> {
    Query<Bool>(tree.compared(comparator, column.tree, folding: options?.folding ?? .exact))
  }
}
