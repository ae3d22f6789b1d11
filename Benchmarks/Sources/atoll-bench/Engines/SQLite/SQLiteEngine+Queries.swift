internal import Workloads

extension SQLiteEngine: QueryEngine {
  func count(_ query: CountQuery) throws -> Int {
    try database.integer(query.sql)
  }

  func countEach(name names: [String]) throws -> Int {
    let statement = try database.prepare("SELECT count(*) FROM person WHERE name = ?")
    var sum = 0
    for var name in names {
      // SAFETY: the name stays in place inside the closure, and the statement is reset in there.
      sum += try name.withUTF8 { bytes in
        defer { statement.reset() }
        try unsafe statement.bind(bytes, at: 1)
        return try statement.step() ? statement.integer(0) : 0
      }
    }
    return sum
  }

  func firstKey(sortedBy field: SortField) throws -> Int {
    // No LIMIT: the workload is the sort of all objects, of which the first is read.
    switch field {
    case .score: try database.integer("SELECT id FROM person ORDER BY score")
    case .email: try database.integer("SELECT id FROM person ORDER BY email")
    }
  }

  func keysOfHighestScores(limit: Int) throws -> [Int] {
    let statement = try database.prepare(
      "SELECT id FROM person ORDER BY score DESC LIMIT \(limit)")
    var keys: [Int] = []
    while try statement.step() { keys.append(statement.integer(0)) }
    return keys
  }

  func distinctCityCount() throws -> Int {
    try database.integer("SELECT count(DISTINCT city) FROM person")
  }

  func aggregate() throws -> Double {
    let statement = try database.prepare("SELECT sum(age) + sum(score) + max(age) FROM person")
    return try statement.step() ? statement.double(0) : 0
  }
}

extension CountQuery {
  /// The query in SQL.
  fileprivate var sql: String {
    switch self {
    case .backlinkCount:
      // From the index alone; a correlated count for each object takes ten times as long.
      """
      SELECT count(*) FROM (
        SELECT 1 FROM person WHERE friend IS NOT NULL GROUP BY friend HAVING count(*) > 3)
      """
    case .link:
      "SELECT count(*) FROM person AS p JOIN person AS f ON f.id = p.friend WHERE f.age > 90"
    default:
      "SELECT count(*) FROM person WHERE \(condition)"
    }
  }

  /// The condition on one row in SQL, for the queries that need no other rows.
  private var condition: String {
    switch self {
    case .int: "age >= 90"
    case .double: "score < 100.0"
    case .and: "age >= 50 AND active = 1 AND score < 500.0"
    case .or: "age = 1 OR age = 50 OR city = 'City7'"
    case .in: "age IN (1, 5, 7, 11, 13)"
    case .date: "created_at > 1690000000"
    case .stringEquality: "city = 'City42'"
    case .stringCaseInsensitive: "city = 'city42' COLLATE NOCASE"
    case .stringContains: "instr(email, 'example77') > 0"
    case .like: "email GLOB '*9@example7?.com'"
    case .indexPrefix: "name GLOB 'First19 Last9*'"
    case .link, .backlinkCount: preconditionFailure("not a condition on one row")
    }
  }
}
