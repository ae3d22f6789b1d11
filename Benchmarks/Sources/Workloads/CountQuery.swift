/// The queries whose answer is a number of objects; the raw value is the workload's name.
package enum CountQuery: String, CaseIterable, Sendable {
  case int = "filter_int"
  case double = "filter_double"
  case and = "filter_and"
  case or = "filter_or"
  case `in` = "filter_in"
  case date = "filter_date"
  case stringEquality = "filter_string_eq"
  case stringCaseInsensitive = "filter_string_ci"
  case stringContains = "filter_string_contains"
  case like = "filter_like"
  case link = "filter_link"
  case backlinkCount = "filter_backlink_count"
  case indexPrefix = "index_prefix"

  /// The query in Realm's query language.
  package var text: String {
    switch self {
    case .int: "age >= 90"
    case .double: "score < 100.0"
    case .and: "age >= 50 AND active == true AND score < 500.0"
    case .or: "age == 1 OR age == 50 OR city == 'City7'"
    case .in: "age IN {1,5,7,11,13}"
    case .date: "createdAt > T1690000000:0"
    case .stringEquality: "city == 'City42'"
    case .stringCaseInsensitive: "city ==[c] 'city42'"
    case .stringContains: "email CONTAINS 'example77'"
    case .like: "email LIKE '*9@example7?.com'"
    case .link: "friend.age > 90"
    case .backlinkCount: "@links.Person.friend.@count > 3"
    case .indexPrefix: "name BEGINSWITH 'First19 Last9'"
    }
  }
}
