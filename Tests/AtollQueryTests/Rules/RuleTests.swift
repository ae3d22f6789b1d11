import AtollObjects
import AtollQuery
import Testing

/// A question to the boats, and its answer or the word that it is an error.
struct Rule: CustomTestStringConvertible, Sendable {
  let className: String
  let query: String
  /// Names of the objects, or nil for an error.
  let answer: [String]?

  init(_ query: String, _ answer: [Int]?, on className: String = "Boat") {
    self.query = query
    self.className = className
    self.answer = answer.map { $0.map { className == "Sailor" ? "S\($0)" : "\($0)" } }
  }

  var testDescription: String { "\(className): \(query)" }
}

@Suite struct RuleTests {
  @Test(arguments: Rule.all)
  func ruleHolds(_ rule: Rule) throws {
    let snapshot = try BoatDatabase.shared.get().snapshot()
    guard let answer = rule.answer else {
      #expect(throws: QueryError.self) {
        try Query(rule.query, on: rule.className, in: snapshot.schema)
      }
      return
    }
    let query = try Query(rule.query, on: rule.className, in: snapshot.schema)
    let results = try query.results(in: snapshot)
    let found = results.keys.map { key in
      rule.className == "Sailor"
        ? "S\(key.rawValue)" : "\(Int64(bitPattern: key.rawValue ^ 1 << 63))"
    }
    #expect(found == answer)
    #expect(try query.count(in: snapshot) == answer.count)
  }
}

extension Rule {
  /// The rules that are easily got wrong, in the order of the specification.
  static let all: [Rule] = [
    Rule("home.code != 'OSL'", [2, 3]),
    Rule("home.code == NULL", [2]),
    Rule("home.code == NULL AND home != NULL", []),
    Rule("NOT home.depth > 0", [2]),
    Rule("NOT berths == 7 AND price > 3", [1]),
    Rule("berths == 0 OR berths == 7 AND price > 11", [2]),
    Rule("crew.nick != 'Ada'", [1, 3]),
    Rule("NONE crew.nick == 'Ada'", [2]),
    Rule("ALL crew.age > 20", [1, 2, 3]),
    Rule("ALL crew.age > 20 AND crew.@count > 0", [1, 3]),
    Rule("berths != {0, 7}", [1, 2, 3]),
    Rule("NOT berths IN {0, 7}", [1]),
    Rule("berths == NONE {0, 7}", [1]),
    Rule("berths > {0, 10}", [1, 3]),
    Rule("berths IN {}", []),
    Rule("berths == ALL {}", [1, 2, 3]),
    Rule("berths == NONE {}", [1, 2, 3]),
    Rule("marks == {3, 1, 2}", [1]),
    Rule("marks == {1, 2, 3}", []),
    Rule("ANY marks == {1, 2, 3}", [1]),
    Rule("{3, 1} IN marks", []),
    Rule("ANY {3, 1} IN marks", [1]),
    Rule("marks != {3, 1, 9}", [1, 2, 3]),
    Rule("NOT marks == {3, 1, 9}", [1, 2, 3]),
    Rule("marks == {}", [2]),
    Rule("NONE crew.scores == 3", [1, 2, 3]),
    Rule("crew.age > 40 AND crew.grade == 4", [1]),
    Rule("SUBQUERY(crew, $s, $s.age > 40 AND $s.grade == 4).@count > 0", []),
    Rule("SUBQUERY(crew, $s, $s.nick == 'Åse').@count == 2", [3]),
    Rule("SUBQUERY(crew, $s, berths > 1).@count > 0", nil),
    Rule("crew.boss.nick == NULL", []),
    Rule("ALL crew.boss.nick == 'Ada'", [1, 2]),
    Rule("crew == NULL", nil),
    Rule("crew.boss == NULL", nil),
    Rule("boss.boss == NULL", [1, 2], on: "Sailor"),
    Rule("home == 'OSL'", nil),
    Rule("home == obj('Port', 'NOPE')", []),
    Rule("home == obj('Port', 'OSL')", [1]),
    Rule("crew.@count == 3", [3]),
    Rule("@links.@count == 2", [2, 3], on: "Sailor"),
    Rule("crew.@sum.age == 0", [2]),
    Rule("crew.@avg.age == NULL", [2]),
    Rule("crew.@min.age == NULL", [2]),
    Rule("crew.@max.grade == 4", [1, 3]),
    Rule("crew.scores.@max == 3", [1]),
    Rule("title.@size == 0", []),
    Rule("crew.nick.@size > 3", [3]),
    Rule("title ==[c] 'FRAM'", [1]),
    Rule("crew.nick ==[c] 'åSE'", [3]),
    Rule("title LIKE 'Fr?m'", [1]),
    Rule("title LIKE 'ram'", []),
    Rule("title CONTAINS ''", [1, 3]),
    Rule("title CONTAINS NULL", nil),
    Rule("title < 'a'", [1]),
    Rule("built > NULL", []),
    Rule("built >= NULL", [2]),
    Rule("built == 1969-12-31@23:59:59:5", [3]),
    Rule("built == T-1:5", nil),
    Rule("berths == '7'", [3]),
    Rule("extra == '7'", [3]),
    Rule("extra == 7", [1]),
    Rule("extra > 3", [1]),
    Rule("extra != 7", [2, 3]),
    Rule("extra.@type == 'numeric'", [1]),
    Rule("extra.@type == 'null'", [2]),
    Rule("berths == 7.5", []),
    Rule("berths > 6.5", [1, 3]),
    Rule("berths IN {7.0, 16}", [1, 3]),
    Rule("price IN {10, 2.5}", [1, 2]),
    Rule("berths == infinity", nil),
    Rule("price < infinity", [1, 2, 3]),
    Rule("berths / 5 == 3", [1]),
    Rule("berths / 0 == 3", []),
    Rule("price > 1 / 2 * 10", [1, 2, 3]),
    Rule("berths-1 == 15", nil),
    Rule("berths -1 == 15", nil),
    Rule("berths - 1 == 15", [1]),
    Rule("berths == 020", nil),
    Rule("Any crew.age > 40", nil),
    Rule("price BETWEEN {2.5, 10}", [1, 2]),
    Rule("price BETWEEN {10, 2.5}", []),
    Rule("marks BETWEEN {1, 5}", nil),
    Rule("ALL marks BETWEEN {1, 5}", [1, 2, 3]),
    Rule("tags == 'blue'", [1]),
    Rule("tags ==[c] 'BLUE'", [1, 3]),
    Rule("tags[0] == 'blue'", nil),
    Rule("marks[LAST] == 2", [1]),
    Rule("crew[LAST].nick == 'Ada'", [3]),
    Rule("crew[5].nick == NULL", []),
    Rule("marks[0] IN {3, 5}", [1, 3]),
    Rule("marks[0] IN ANY {3, 5}", [1, 3]),
    Rule("specs['hull'] == NULL", [2, 3]),
    Rule("specs == 3", [1]),
    Rule("specs.@keys == 'mast'", [1, 3]),
    Rule("specs.mast > 2", [1]),
    Rule("ALL specs.@type == 'int'", [2]),
    Rule("TRUEPREDICATE SORT(title ASC)", [2, 1, 3]),
    Rule("TRUEPREDICATE SORT(home.code ASC)", [3, 1, 2]),
    Rule("TRUEPREDICATE SORT(home.code DESC)", [2, 1, 3]),
    Rule("TRUEPREDICATE SORT(price ASC) SORT(berths DESC)", [1, 3, 2]),
    Rule("TRUEPREDICATE DISTINCT(home.code)", [1, 3]),
    Rule("TRUEPREDICATE SORT(age ASC) DISTINCT(grade)", [3, 2], on: "Sailor"),
    Rule("TRUEPREDICATE DISTINCT(grade) SORT(age ASC)", [1, 2], on: "Sailor"),
    Rule("TRUEPREDICATE LIMIT(2) SORT(berths DESC)", [1, 2]),
    Rule("TRUEPREDICATE SORT(berths DESC) LIMIT(2) SORT(_id ASC)", [1, 3]),
    Rule("", nil),
    Rule("'a' == 'a'", nil),
    // Beyond the table: what the sections before it say.
    Rule("tags.length > 3", [1, 3]),
    Rule("ALL tags.length == 4", [2, 3]),
    Rule("home.@count == 0", [2]),
    Rule("crew.boss.@count == 0", [1, 3]),
    Rule("home.@links.Boat.home.@count == 1", [1, 3]),
    Rule("@links.Boat.crew.berths > 10", [1, 2], on: "Sailor"),
    Rule("@links.Boat.crew.@count == 2", [1, 3], on: "Sailor"),
    Rule("@links.Boat.crew.@max.berths == 7", [3], on: "Sailor"),
    Rule("ALL @links.Boat.crew.berths > 10", [2], on: "Sailor"),
    Rule("crew == obj('Boat', 1)", nil),
    Rule("home IN {obj('Port', 'OSL'), obj('Port', 'BGO')}", [1, 3]),
    Rule("home != obj('Port', 'OSL')", [2, 3]),
    Rule("boss == boss.boss", [1], on: "Sailor"),
    Rule("crew.@count <= berths", [1, 2, 3]),
    Rule("home.depth == 12.5", [1]),
    Rule("home.depth < 12.50000000000000000000001", [1, 3]),
    Rule("specs.@values == 'oak'", [1]),
    Rule("specs[*] == 'oak'", [1]),
    Rule("specs.nothing == NULL", [1, 2, 3]),
    Rule("ANY marks > ALL {1, 2}", [1, 3]),
    Rule("NONE {1, 9} < NONE marks", []),
    Rule("'fram II and more' BEGINSWITH title", [3]),
    Rule("title ENDSWITH[c] 'AM'", [1]),
    Rule("title CONTAINS[c] 'AM'", [1, 3]),
    Rule("title LIKE[c] 'FRAM*'", [1, 3]),
    Rule("title ==[c] NULL", [2]),
    Rule("ALL crew.age * 2 > 50", [1, 2]),
    Rule("berths * 2 - 2 == 30 / 1", [1]),
    Rule("price == nan", []),
    Rule("price != nan", [1, 2, 3]),
    Rule("FALSEPREDICATE OR NOT FALSEPREDICATE", [1, 2, 3]),
    Rule("berths == 0x10", [1]),
    Rule("marks.@sum == 6", [1]),
    Rule("marks.@avg == 2", [1]),
    Rule("marks.@min == NULL", [2]),
    Rule("extra.@size == 1", [3]),
    Rule("marks[SIZE] == 3", [1]),
    Rule("TRUEPREDICATE SORT(specs['mast'] ASC)", [2, 3, 1]),
    Rule("TRUEPREDICATE SORT(extra ASC)", [2, 1, 3]),
    Rule("TRUEPREDICATE DISTINCT(home)", [1, 2, 3]),
    Rule("TRUEPREDICATE LIMIT(0)", []),
  ]
}
