extension QuerySyntax {
  /// `GROUP(city, @count, @max.age)`: rows of values instead of objects.
  public struct Grouping: Hashable, Sendable {
    /// Not empty; the columns of the answer in their order.
    public var columns: [GroupColumn]

    /// What is done with the rows, from left to right.
    public var steps: [GroupStep]

    public init(_ columns: [GroupColumn], steps: [GroupStep] = []) {
      self.columns = columns
      self.steps = steps
    }
  }

  /// A column of a grouped answer.
  public enum GroupColumn: Hashable, Sendable {
    /// There is one row for each combination of the values at all such paths.
    case key(Path)

    /// How many objects the row stands for.
    case count

    /// An aggregate over those objects.
    case aggregate(AggregateFunction, Path)
  }

  /// A step behind GROUP.
  public enum GroupStep: Hashable, Sendable {
    /// Not empty; the first key is the most significant.
    case sort([GroupSortKey])

    /// The first so many rows; not negative.
    case limit(Int64)
  }

  /// A column and the direction in which its values are ordered.
  public struct GroupSortKey: Hashable, Sendable {
    /// The column that orders the rows.
    public var column: GroupColumn
    /// Whether the values ascend; otherwise they descend.
    public var isAscending: Bool

    public init(_ column: GroupColumn, isAscending: Bool) {
      self.column = column
      self.isAscending = isAscending
    }
  }
}
