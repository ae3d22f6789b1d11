internal import AtollObjects
internal import AtollQuery

/// A number, or another value, that `grouped(by:computing:)` computes of the objects of each group.
///
/// Null values and NaN are left out.
public struct GroupAggregate<Root: ObjectBase, Value: Sendable>: Sendable {
  let function: AggregateFunction
  /// The path to the values, with the names of the program.
  let path: String
  /// The value for what the query gives.
  let value: @Sendable (_StoredValue, _RealmContext) -> Value
}

extension GroupAggregate {
  /// The least value of a property; nil where a group has none.
  ///
  /// - Parameter keyPath: The property, which may lie behind links to one object.
  /// - Returns: What `grouped` computes it by.
  public static func min<T: MinMaxType & _Storable & Sendable>(
    of keyPath: KeyPath<Root, T>
  ) -> GroupAggregate where Value == T? {
    GroupAggregate(.minimum, keyPath)
  }

  /// The least value of an optional property; nil where a group has none.
  ///
  /// - Parameter keyPath: The property, which may lie behind links to one object.
  /// - Returns: What `grouped` computes it by.
  public static func min<T: MinMaxType & _PersistableInsideOptional & Sendable>(
    of keyPath: KeyPath<Root, T?>
  ) -> GroupAggregate where Value == T? {
    GroupAggregate(.minimum, keyPath)
  }

  /// The greatest value of a property; nil where a group has none.
  ///
  /// - Parameter keyPath: The property, which may lie behind links to one object.
  /// - Returns: What `grouped` computes it by.
  public static func max<T: MinMaxType & _Storable & Sendable>(
    of keyPath: KeyPath<Root, T>
  ) -> GroupAggregate where Value == T? {
    GroupAggregate(.maximum, keyPath)
  }

  /// The greatest value of an optional property; nil where a group has none.
  ///
  /// - Parameter keyPath: The property, which may lie behind links to one object.
  /// - Returns: What `grouped` computes it by.
  public static func max<T: MinMaxType & _PersistableInsideOptional & Sendable>(
    of keyPath: KeyPath<Root, T?>
  ) -> GroupAggregate where Value == T? {
    GroupAggregate(.maximum, keyPath)
  }

  /// The sum of a property; 0 where a group has no values.
  ///
  /// As of a collection, a sum that an integer of less than 64 bits cannot hold is the nearest one.
  ///
  /// - Parameter keyPath: The property, which may lie behind links to one object.
  /// - Returns: What `grouped` computes it by.
  public static func sum(of keyPath: KeyPath<Root, Value>) -> GroupAggregate
  where Value: AddableType & _Storable {
    GroupAggregate(function: .sum, path: _name(for: keyPath)) { value, context in
      Value._loadAggregate(value.isNull ? .int(0) : value, context)
    }
  }

  /// The average of a property; nil where a group has no values.
  ///
  /// - Parameter keyPath: The property, which may lie behind links to one object.
  /// - Returns: What `grouped` computes it by.
  public static func average<T: AddableType & _Storable>(
    of keyPath: KeyPath<Root, T>
  ) -> GroupAggregate where Value == Double? {
    GroupAggregate(function: .average, path: _name(for: keyPath)) { value, context in
      value.isNull ? nil : Double._loadAggregate(value, context)
    }
  }

  private init<T: _Storable & Sendable>(
    _ function: AggregateFunction, _ keyPath: KeyPath<Root, T>
  ) where Value == T? {
    self.init(function: function, path: _name(for: keyPath)) { value, context in
      value.isNull ? nil : T._loadAggregate(value, context)
    }
  }

  private init<T: _PersistableInsideOptional & Sendable>(
    _ function: AggregateFunction, _ keyPath: KeyPath<Root, T?>
  ) where Value == T? {
    self.init(function: function, path: _name(for: keyPath)) { value, context in
      value.isNull ? nil : T._loadAggregate(value, context)
    }
  }

  /// The column of the query that computes it.
  func column(_ descriptor: ClassDescriptor) -> QuerySyntax.GroupColumn {
    .aggregate(function.groupFunction, PropertyNames.path(path, on: descriptor))
  }
}

extension AggregateFunction {
  fileprivate var groupFunction: QuerySyntax.AggregateFunction {
    switch self {
    case .minimum: .minimum
    case .maximum: .maximum
    case .sum: .sum
    case .average: .average
    }
  }
}
