package import AtollObjects

/// A query with every name resolved and every type checked; the arguments are filled in later.
///
/// Immutable, so one serves many runs at once. Does not refer to the schema, which may keep it.
package final class BoundQuery: Sendable {
  package let table: TableSchema
  package let predicate: BoundPredicate
  package let descriptors: [BoundDescriptor]
  /// The columns of the answer when it is rows of values; nil when it is objects.
  package let grouping: BoundGrouping?
  /// Whether arguments of the same types could take the place of those it was bound with.
  package let fitsOtherArguments: Bool
  /// How many arguments the query names, those up to the last one included.
  package let argumentCount: Int
  /// For error messages and plans.
  let source: SourceText

  init(
    table: TableSchema, predicate: BoundPredicate, descriptors: [BoundDescriptor],
    grouping: BoundGrouping?, fitsOtherArguments: Bool, argumentCount: Int, source: SourceText
  ) {
    self.table = table
    self.predicate = predicate
    self.descriptors = descriptors
    self.grouping = grouping
    self.fitsOtherArguments = fitsOtherArguments
    self.argumentCount = argumentCount
    self.source = source
  }

  /// The query with a limit in the place of the limits that it ends with.
  func limited(to limit: Int) -> BoundQuery {
    let rest = descriptors.reversed().drop { if case .limit = $0 { true } else { false } }
    return BoundQuery(
      table: table, predicate: predicate, descriptors: Array(rest.reversed()) + [.limit(limit)],
      grouping: grouping, fitsOtherArguments: fitsOtherArguments, argumentCount: argumentCount,
      source: source)
  }

  /// The predicate, when it is one equality of an indexed string with a constant; see `CountPlan`.
  var equality: (column: Column, operand: BoundConstant)? {
    guard descriptors.isEmpty, case .test(let test) = predicate, test.comparator == .equal,
      test.folding == .exact, test.leftQuantifier == nil,
      case .path(let path) = test.left, case .constant(let constant) = test.right,
      let column = path.directColumn, column.isIndexed, column.layout.collection == .none,
      column.layout.value == .string
    else { return nil }
    return (column, constant)
  }
}

/// A test of one object.
package indirect enum BoundPredicate: Sendable {
  case constant(Bool)
  case and([BoundPredicate])
  case or([BoundPredicate])
  case not(BoundPredicate)
  case test(BoundTest)
  case between(BoundBetween)
  case text(BoundTextSearch)
  case geoWithin(BoundGeoWithin)
}

/// `left comparator right`, at least one of which is not constant.
package struct BoundTest: Sendable {
  package var left: BoundExpression
  package var comparator: QuerySyntax.Comparator
  package var folding: QuerySyntax.Folding
  package var right: BoundExpression
  package var leftQuantifier: QuerySyntax.Quantifier?
  package var rightQuantifier: QuerySyntax.Quantifier?
  /// Whether lists compare position by position.
  package var isOrdered: Bool
  /// Whether a mixed value on the left that is a list is compared with the list on the right as a
  /// whole; any other with each of its constants.
  package var comparesWholeLists = false
  package var range: Range<Int>
}

/// `operand BETWEEN {low, high}`, or `{low, <high}`.
package struct BoundBetween: Sendable {
  package var operand: BoundExpression
  package var low: BoundConstant
  package var high: BoundConstant
  /// Whether the upper bound is outside of the range.
  package var excludesHigh: Bool
  package var quantifier: QuerySyntax.Quantifier?
  package var range: Range<Int>
}

/// `path TEXT pattern`, where the path ends in a string with a full-text index.
package struct BoundTextSearch: Sendable {
  package var path: BoundPath
  /// The property at the end of the path.
  package var column: Column
  package var quantifier: QuerySyntax.Quantifier?
  package var pattern: TextPattern
}

/// `path GEOWITHIN shape`.
package struct BoundGeoWithin: Sendable {
  /// The way to the objects that hold the points; its terminal is the object.
  package var path: BoundPath
  package var quantifier: QuerySyntax.Quantifier?
  /// The string that says of an object that it is a point.
  package var type: Column
  /// The list of longitude and latitude.
  package var coordinates: Column
  var region: GeoRegion
  /// The shape in a plan.
  package var shapeText: String
}

/// Something with a value, or with several.
package indirect enum BoundExpression: Sendable {
  case constant(BoundConstant)
  case list([BoundConstant])
  case path(BoundPath)
  case count(BoundCount)
  case aggregate(BoundAggregate)
  case subquery(BoundSubquery)
  case arithmetic(BoundExpression, [(QuerySyntax.ArithmeticFunction, BoundExpression)])
  case typeName(BoundPath)

  var isConstant: Bool {
    switch self {
    case .constant, .list: true
    case .arithmetic(let first, let rest):
      first.isConstant && rest.allSatisfy { $0.1.isConstant }
    default: false
    }
  }

  /// Whether there can be several values.
  var isMultiValued: Bool {
    switch self {
    case .constant: false
    case .list: true
    case .path(let path), .typeName(let path): path.isMultiValued
    case .count(let count): count.base.reachesMany
    case .aggregate(let aggregate): aggregate.base.reachesMany
    case .subquery: false
    case .arithmetic(let first, let rest):
      first.isMultiValued || rest.contains { $0.1.isMultiValued }
    }
  }
}

/// A constant; arguments and objects are looked up when the query runs.
package enum BoundConstant: Sendable {
  case value(Value)
  /// The argument at `index`, made fit for a property of type `type`.
  case argument(index: Int, type: ValueType?)
  /// The object of a class with this primary key, looked up in the version that is read.
  indirect case object(table: UInt32, primaryKey: BoundConstant)
}

/// How many things there are at the end of a path.
package struct BoundCount: Sendable {
  /// The path to the objects that have what is counted; its terminal is not used.
  package var base: BoundPath
  package var counted: Counted

  package enum Counted: Sendable {
    /// 1 or 0.
    case link(Column)
    case mapEntry(Column, key: BoundPath.MapKey)
    case element(Column, BoundPath.ElementPosition)
    /// The elements of a collection.
    case collection(Column)
    case backlinks(Column)
    /// All references through any of these columns, over all objects reached.
    case incoming([Column])
    /// The bytes of a string or of data; of a mixed value what it is.
    case bytes(Column)
    /// The size of the values that the steps lead to.
    case nested(Column, [BoundPath.ValueStep])
  }
}

/// An aggregate over one collection of each object at the end of `base`.
package struct BoundAggregate: Sendable {
  package var base: BoundPath
  package var function: QuerySyntax.AggregateFunction
  package var source: Source
  package var type: ValueType

  package enum Source: Sendable {
    /// A property of the linked objects.
    case property(Column, of: BoundPath.Hop)
    /// The values in a collection.
    case elements(Column, [BoundPath.ValueStep])
  }
}

/// How many of the objects at the end of a path pass a test.
package struct BoundSubquery: Sendable {
  package var path: BoundPath
  package var predicate: BoundPredicate
}

/// A step that orders, thins out or cuts the objects.
package enum BoundDescriptor: Sendable {
  /// The first key is the most significant.
  case sort([(path: BoundPath, isAscending: Bool)])
  case distinct([BoundPath])
  case limit(Int)
}
