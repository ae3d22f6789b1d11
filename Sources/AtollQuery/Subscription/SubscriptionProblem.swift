/// Why a query cannot be a subscription, and where in its text.
package struct SubscriptionProblem: Error, Equatable, Sendable {
  /// What part of the query is at fault.
  package enum Reason: Equatable, Sendable {
    /// Objects of the class are not sent by themselves: it is embedded or asymmetric.
    case classCannotBeSubscribed
    case tooLong(byteCount: Int, limit: Int)
    /// SORT, DISTINCT, LIMIT or GROUP.
    case clause(String)
    /// `@min`, `@max`, `@sum` or `@avg`.
    case aggregate
    case subquery
    case fullTextSearch
    case arithmetic
    /// `@type`.
    case typeOfValue
    /// An argument that no constant stands for.
    case argument
    case unknownProperty(String)
    /// The property may not be asked for.
    case notQueryable(String)
    /// A path that goes on behind a property of the object.
    case longPath
    /// A property of a type that a server does not compare: a link, or a map.
    case propertyType(String)
    /// `@count` of something that is no list or set.
    case countOfNoList(String)
    /// Two lists, or a list where IN does not stand before it.
    case listComparison
    /// Both sides are properties.
    case comparisonOfProperties
    /// `obj('Class', key)`.
    case objectLiteral
  }

  package let reason: Reason
  /// The message, and its place in the text.
  package let place: QuerySyntaxError

  /// What is wrong, in one clause.
  package var message: String { place.message }

  init(
    _ reason: Reason, _ message: String, in source: SourceText, at range: Range<Int>,
    hint: String? = nil
  ) {
    self.reason = reason
    place = QuerySyntaxError(message, in: source, at: range, hint: hint)
  }
}

extension SubscriptionProblem: CustomStringConvertible {
  /// The message with line and column, the line of the query with a caret, and a hint.
  package var description: String { place.description }
}
