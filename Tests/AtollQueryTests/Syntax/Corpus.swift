/// Queries that the language accepts, for tests that want many of them.
enum Corpus {
  static let accepted: [String] =
    tests + names + literals + collections + links + descriptors + geo + examples

  private static let tests = [
    "TRUEPREDICATE", "falsepredicate", "TruePredicate AND FALSEPREDICATE",
    "title == 'Fram'", "title = \"Fram\"", "title != 'a'", "title <> 'a'",
    "berths < 1", "berths <= 1", "berths =< 1", "berths > 1", "berths >= 1", "berths => 1",
    "'Fram' == title", "home.code == title", "crew.@count <= berths",
    "title ==[c] 'FRAM'", "title == [c] 'FRAM'", "title !=[c] 'x'", "title IN[c] {'a', 'b'}",
    "title BEGINSWITH 'F'", "title endswith 'm'", "title Contains[c] 'RAM'", "title LiKe 'F?a*'",
    "'Fram II' BEGINSWITH title", "title CONTAINS NULL", "NULL LIKE title",
    "bio TEXT 'master sailing'", "bio text $0", "crew.bio TEXT 'sail*'",
    "berths == 0 OR berths == 7 AND price > 11", "berths == 0 || berths == 7 && price > 11",
    "NOT berths == 7 AND price > 3", "not (berths == 7 and price > 3)", "!(berths == 7)",
    "!!(a == 1)", "NOT NOT a == 1", "! NOT !a == 1", "NOT (a) == 1", "((a == 1))",
    "(a == 1 OR b == 2) AND (c == 3 OR NOT d == 4)", "a == 1 anD b == 2 oR c == 3",
    "berths = 1AND price = 2", "NOT0 = 1", "(a) == 1", "((a) + (b)) * (2) == (c)",
    "berths - 1 == 15", "berths-1 == 15", "2*berths > 3", "a + b - c * d / e == 1",
    "(a + b) * c == 1", "a * (b + c) == 1", "a - (b - c) == 1", "(a + b) + c == 1",
    "price > 1 / 2 * 10", "a == (1)", "(1 + 2) * 3 < a", "berths / 5 == 3", "a == b -+2",
    "price BETWEEN {2.5, 10}", "ALL marks BETWEEN {1, 5}", "berths between {$0, $1}",
    "berths BETWEEN {}", "'a' == 'a'", "berths == 7.5", "a == True",
  ]

  private static let names = [
    "in in in", "contains contains contains", "like LIKE text", "text text text",
    "between between {1, 2}", "BEGINSWITH == 1", "sort == 1", "DISTINCT == 1", "limit == limit",
    "asc == 1 SORT(asc ASC, desc DESC)", "bin == 1", "binary == BINARY", "first == last",
    "size == 1", "home.sort == 1", "crew.@max.limit == 1", "home.size.@count == 1",
    #"sail\ area > 1"#, #"a\n\r\tb == 1"#, "Not == 1", "True == False", "_a == 1", "$x == 1",
    "$-1 == 1", "$ == 1", "$age > 1", "$K == 1", "$Kx == 1", "a-b$c_1 == 1", "Åse == 1",
    "船 == 1", "T17 == 1", "T2017-12-04 == 1", "uuid == 1", "oid == 1", "B64 == 1", "O == 1",
    "O1x == 1", "e10 == 1", "Inner == 1", "nanny == infinite", "home . code == 1",
    "a\t==\r\n1",
  ]

  private static let literals = [
    "a == 0", "a == -5", "a == +5", "a == -9223372036854775808", "a == 9223372036854775807",
    "a == 0x10", "a == 0XfF", "a == 0x7FFFFFFFFFFFFFFF", "a == 10.", "a == .5", "a == -.5",
    "a == 1.25", "a == 1e5", "a == 1.e-5", "a == -1E+5", "a == 00.5", "a == 05e1", "a == 5f",
    "a == -5.5f", "a == 1.5e3f", "a == 123456789012345678901234567890.5", "a == 1e999",
    "a == inf", "a == -INF", "a == +Infinity", "a == -infinity", "a == NaN", "a == -nan",
    "a == true", "a == FALSE", "a == NULL", "a == nil", "a == NiL",
    "a == 'it\\'s'", #"a == "\b\f\n\r\t\0\/\\\"""#, #"a == '\u00e9\uD83D\uDE00'"#,
    "a == 'line\nbreak'", "a == 'say \"hi\"'", "a == ''", "a == B64\"RnJhbQ==\"",
    "a == B64\"RnJhbQ\"", "a == B64\"\"", "a == bin('ab')", "a == BINARY ( \"ab\" )",
    "a == bin(B64\"//79\")", "a == T0:0", "a == T-1:-5", "a == T5:+7", "a == T0:-5", "a == T-1:0",
    "a == 2017-12-4@3:4:5", "a == 2017-12-04T03:04:05:123456789", "a == 1969-12-31@23:59:59:5",
    "a == 2017-13-40@30:70:99", "a == 1900-1-1@0:0:0",
    "a == oid(0123456789abcdefABCDEF01)", "a == uuid(01234567-89ab-CDEF-0123-456789abcdef)",
    "a == obj('Port', 'OSL')", "a == OBJ(\"Port\", 5)", "a == obj('P', -5)", "a == obj('P', $3)",
    "a == obj('P', oid(0123456789abcdefABCDEF01))",
    "a == obj('P', uuid(01234567-89ab-CDEF-0123-456789abcdef))",
    "a == $0", "a == $002", "$1 == a", "a IN $0", "$0 IN crew", "$K0 == 1", "$K12.@count > 1",
    "ANY $K0 == 1", "$K0.@max.age == 1", "specs[$0] == marks[$1]",
  ]

  private static let collections = [
    "berths IN {0, 7}", "NOT berths IN {0, 7}", "berths == NONE {0, 7}", "berths == ALL {}",
    "berths == NONE $0", "berths != {0, 7}", "berths in {}", "title IN {'Fram', 3, null, $1, nan}",
    "home IN {obj('Port', 'OSL'), obj('Port', 'BGO')}", "{3, 1} IN marks", "ANY {3, 1} IN marks",
    "marks != {3, 1, 9}", "ANY marks > ALL {1, 2}", "NONE {1, 9} < NONE marks", "SOME a == some b",
    "any a == all b", "none a == 1", "ALL crew.age * 2 > 40", "marks IN (marks)",
    "marks[0] IN ANY {3, 5}", "marks[FIRST] == marks[last]", "marks[*] == 1", "marks[SIZE] == 3",
    "specs['hull'] == NULL", "specs[\"a b\"] == 1", "specs.mast > 2", "specs.@keys == 'mast'",
    "specs.@values == 3", "@keys == 1", "extra.a[0].b == 1", "extra[*][*] == {1, 2}",
    "specs.gear[LAST] == 1", "extra.@type == 'string'", "ALL specs.@type == 'int'",
    "specs['mast'].@type == berths.@type", "title.@size == 0", "ALL tags.length > 2",
    "crew.@sum.age == 0", "crew.@avg.age == NULL", "crew.@min.age > crew.@max.age",
    "marks.@max == 3",
    "crew.scores.@max == 3", "ANY crew.@count == 1",
  ]

  private static let links = [
    "home.code != 'OSL'", "boss.boss == NULL", "crew == NULL", "home == obj('Port', 'OSL')",
    "@links.@count == 2", "@links.Boat.crew.berths > 10", "ANY @links.Boat.crew.berths > 10",
    "@links.Boat.crew.@max.berths == 1", "home.@links.Boat.home.@count > 1",
    "crew.@links.@size == 1",
    "@links.sort.limit.x == 1",
    "SUBQUERY(crew, $s, $s.age > 40 AND $s.grade == 4).@count > 0",
    "subquery(crew, $s, TRUEPREDICATE).@size == berths",
    "berths - SUBQUERY(crew, $s, age > 1).@count * 2 == 0",
    "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == 1).@count == 2).@count == 3",
    "SUBQUERY(@links.Boat.crew, $b, $b.berths > 1).@count "
      + "== SUBQUERY($K0, $c, NOT (x == 1)).@count",
    "(SUBQUERY(crew, $s, (age > 1)).@count) == 1", "title CONTAINS SUBQUERY(a, $b, c == 1).@count",
  ]

  private static let descriptors = [
    "TRUEPREDICATE SORT(title ASC)", "TRUEPREDICATE sort(price Ascending, home.code DESCENDING)",
    "a == 1 SORT(specs['mast'] desc) DISTINCT(home.code, title) LIMIT(2)",
    "TRUEPREDICATE LIMIT(0) LIMIT(9223372036854775807) SORT(a ASC) SORT(b DESC)",
    "(a == 1)DISTINCT(a)LIMIT(1)", "sort == limit SORT(sort ASC) LIMIT(1)",
  ]

  private static let geo = [
    "spot GEOWITHIN geoBox([-1.0, 0], [1, 1.5])",
    "ALL stops geowithin GEOCIRCLE([10.7, 59.9], 0.1)",
    "spot GEOWITHIN geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]}, {[$0, $1, 12.5], [2, 3]})",
    "spot GEOWITHIN $0", "home.spot GEOWITHIN geoCircle([0, 0, -3.0], $1)", "$K0 GEOWITHIN $1",
    "NOT a.b GEOWITHIN geoBox([$0, $1], [2e0, 3f]) OR c == 1",
  ]

  /// Also queries that binding refuses: the syntax alone allows them.
  private static let examples = [
    "home.code == NULL AND home != NULL", "NOT home.depth > 0", "crew.nick != 'Ada'",
    "NONE crew.nick == 'Ada'", "ALL crew.age > 20 AND crew.@count > 0", "berths > {0, 10}",
    "berths IN {}", "berths == ALL {}", "marks == {3, 1, 2}", "NOT marks == {3, 1, 9}",
    "marks == {}", "NONE crew.scores == 3", "crew.age > 40 AND crew.grade == 4",
    "SUBQUERY(crew, $s, $s.nick == 'Åse').@count == 2",
    "SUBQUERY(crew, $s, berths > 1).@count > 0", "ALL crew.boss.nick == 'Ada'",
    "crew.boss == NULL", "home == 'OSL'", "home == obj('Port', 'NOPE')", "crew.@max.grade == 4",
    "crew.nick.@size > 3", "crew.nick ==[c] 'åSE'", "title LIKE 'Fr?m'", "title CONTAINS ''",
    "title < 'a'", "built > NULL", "built >= NULL", "built == 1969-12-31@23:59:59:5",
    "berths == '7'", "extra == 7", "extra != 7", "extra.@type == 'numeric'",
    "berths IN {7.0, 16}", "price IN {10, 2.5}", "berths == infinity", "price < infinity",
    "berths / 0 == 3", "berths-1 == 15", "marks BETWEEN {1, 5}", "tags ==[c] 'BLUE'",
    "tags[0] == 'blue'", "crew[LAST].nick == 'Ada'", "crew[5].nick == NULL",
    "marks[0] IN {3, 5}", "specs == 3", "TRUEPREDICATE SORT(home.code ASC)",
    "TRUEPREDICATE SORT(price ASC) SORT(berths DESC)", "TRUEPREDICATE DISTINCT(home.code)",
    "TRUEPREDICATE SORT(age ASC) DISTINCT(grade)", "TRUEPREDICATE DISTINCT(grade) SORT(age ASC)",
    "TRUEPREDICATE LIMIT(2) SORT(berths DESC)",
    "TRUEPREDICATE SORT(berths DESC) LIMIT(2) SORT(_id ASC)",
    "ALL stops GEOWITHIN geoCircle([10.7, 59.9], 0.1)", "bio TEXT 'sailing -retired'",
    "bio TEXT 'sailing-master'", "{'a','b'} IN tags", "ANY {1, 2} != ANY tags",
    "fleet == 4 AND (berths > 3 OR price < 2)", "price BETWEEN {10, 2.5}",
  ]
}
