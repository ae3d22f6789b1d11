internal import Atoll

/// A random query of the objects of a class, which is observed.
///
/// What it finds is told by a new query of the same text; which objects these are is told by the
/// model, too, where `isIncluded` says so.
struct ApiQuery {
  /// Nil for all objects in the order of their numbers.
  var text: String?
  var arguments: [Any] = []
  /// What the model says of an object; nil where it does not say which objects are found.
  var isIncluded: ((ApiRow) -> Bool)?

  /// All objects in the order of their numbers.
  static var all: ApiQuery { ApiQuery(isIncluded: { _ in true }) }
}

extension ApiRun {
  /// A condition on values, links or collections, then orders and what is kept of them.
  func query(_ kind: ApiKind, _ place: ApiPlace) -> ApiQuery {
    if chance(1, of: 4) { return .all }
    var query = ApiQuery(text: "TRUEPREDICATE", isIncluded: { _ in true })
    let paths = Self.conditions[kind.name] ?? []
    if !paths.isEmpty, chance(1, of: 2) {
      let number = number(0..<20)
      query = ApiQuery(text: pick(paths).replacing("%@", with: "\(number)"), isIncluded: nil)
    } else if chance(2, of: 3), let (text, argument, isIncluded) = condition(kind, place) {
      query = ApiQuery(text: text, arguments: [argument], isIncluded: isIncluded)
    }
    let properties = orderedProperties(of: kind)
    var clauses: [String] = []
    for _ in 0..<number(0..<3) {
      switch number(0..<5) {
      case 0:
        clauses.append("DISTINCT(\(pick(properties)))")
        query.isIncluded = nil
      case 1:
        clauses.append("LIMIT(\(number(0..<5)))")
        query.isIncluded = nil
      default:
        let order = chance(1, of: 2) ? "ASC" : "DESC"
        let rest = chance(1, of: 2) ? "" : ", number DESC"
        clauses.append("SORT(\(pick(properties)) \(order)\(rest))")
      }
    }
    query.text = ([query.text ?? ""] + clauses).joined(separator: " ")
    return query
  }

  /// Properties, and those of objects that links lead to, by which objects are put in an order.
  private func orderedProperties(of kind: ApiKind) -> [String] {
    let own = kind.fields.filter { field in
      field.shape == .one && field.content == .scalar
        && !field.samples.contains { if case .data = $0 { true } else { false } }
    }
    let linked = kind.fields.filter { $0.shape == .one && $0.target != nil }
    return ["number"] + own.map(\.name) + linked.map { "\($0.name).number" }
  }

  /// Conditions through links, collections and backlinks; `%@` stands for a number.
  private static let conditions = [
    "ApiNode": [
      "next.number > %@", "next.next.number < %@", "keyed.text == ''", "keyed != NULL",
      "ANY list.number > %@", "ALL list.number > %@", "NONE list.next.number == %@",
      "list.@count > 1", "previous.@count > 0", "ANY lists.number > %@", "members.@count == 1",
      "ANY members.list.number < %@", "named.@count > 0", "next.next == NULL AND number > %@",
      "list.@sum.number > %@", "SUBQUERY(list, $x, $x.number > %@ AND $x.next != NULL).@count > 0",
    ],
    "ApiIntKeyed": ["next.number > %@", "values.@count > 1", "ANY values > 2", "next.key == 1"],
    "ApiStringKeyed": [
      "part.number > %@", "part.detail != NULL", "tags.@count > 0", "part.details.@count > 0",
    ],
    "ApiUUIDKeyed": ["ANY friends.number > %@", "friends.@avg.amount > 1", "friends.@count == 2"],
    "ApiBag": [
      "ANY ints > 2", "ints.@sum > 3", "ints.@count == strings.@count", "ANY intSet == 1",
      "counts.@count > 0", "dates.@count > 1", "ANY strings == NULL", "stringSet.@count > number",
    ],
    "ApiOwner": [
      "part.number > %@", "parts.@count > 0", "ANY parts.number > %@", "part.detail != NULL",
      "ANY parts.details.number > %@", "named.@count > 0",
    ],
    "ApiMixedBox": ["value == 1", "value != NULL", "values.@count > 0", "named.@count > 0"],
    "ApiSmallB": ["ANY list > 2", "list.@count > number"],
    "ApiSmallC": ["other.amount > 1", "other.other != NULL", "other == NULL OR amount > %@"],
  ]
}
