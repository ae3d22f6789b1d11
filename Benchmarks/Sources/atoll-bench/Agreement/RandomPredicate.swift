/// A predicate on items in both languages.
///
/// RQL knows no "unknown": a test with a null is true or false, so the SQL uses `IS`, or replaces
/// null with `coalesce`.
struct RandomPredicate {
  let rql: String
  let sql: String

  /// A predicate on the row `row`, an alias of the table in SQL.
  ///
  /// `depth`: how many levels may still be nested in it.
  init(row: String = "p", depth: Int = 3, _ random: inout RandomSource) {
    switch depth > 0 ? random.number(0...11) : 0 {
    case 6, 7: self.init(joining: "AND", row, depth, &random)
    case 8, 9: self.init(joining: "OR", row, depth, &random)
    case 10:
      let inner = RandomPredicate(row: row, depth: depth - 1, &random)
      self.init("NOT (\(inner.rql))", "NOT (\(inner.sql))")
    case 11: self.init(ownedBy: row, depth, &random)
    default: self.init(test: row, &random)
    }
  }

  private init(_ rql: String, _ sql: String) {
    self.rql = rql
    self.sql = sql
  }

  private init(joining word: String, _ row: String, _ depth: Int, _ random: inout RandomSource) {
    let terms = (0..<random.number(2...3)).map { _ in
      RandomPredicate(row: row, depth: depth - 1, &random)
    }
    self.init(
      "(" + terms.map(\.rql).joined(separator: " \(word) ") + ")",
      "(" + terms.map(\.sql).joined(separator: " \(word) ") + ")")
  }

  /// A test of the items that `row` owns: a quantifier, an aggregate or a subquery.
  private init(ownedBy row: String, _ depth: Int, _ random: inout RandomSource) {
    let inner = row + "c"
    let owned = "FROM item \(inner) WHERE \(inner).owner = \(row).id"
    let bound = random.number(0...3)
    switch random.number(0...3) {
    case 0:
      let scalar = Scalar(property: inner, hops: 0, &random)
      let (rql, sql) = scalar.comparison(&random)
      switch random.number(0...2) {
      case 0:
        self.init("ANY @links.Item.owner.\(rql)", "EXISTS (SELECT 1 \(owned) AND \(sql))")
      case 1:
        self.init("ALL @links.Item.owner.\(rql)", "NOT EXISTS (SELECT 1 \(owned) AND NOT \(sql))")
      default:
        self.init("NONE @links.Item.owner.\(rql)", "NOT EXISTS (SELECT 1 \(owned) AND \(sql))")
      }
    case 1:
      let comparator = random.any(["=", "!=", "<", ">="])
      self.init(
        "@links.Item.owner.@count \(comparator) \(bound)",
        "(SELECT count(*) \(owned)) \(comparator) \(bound)")
    case 2:
      let function = random.any(["min", "max", "sum"])
      let comparator = random.any(["<", ">="])
      // The sum of nothing is 0; of numbers beyond 64 bits SQL makes an error, so the small ones.
      let property = function == "sum" ? "rank" : random.any(["count", "rank"])
      let value = "(SELECT \(function)(\(inner).\(property)) \(owned))"
      self.init(
        "@links.Item.owner.@\(function).\(property) \(comparator) \(bound)",
        "coalesce(\(function == "sum" ? "coalesce(\(value), 0)" : value) \(comparator) \(bound), 0)"
      )
    default:
      let predicate = RandomPredicate(row: inner, depth: depth - 1, &random)
      let comparator = random.any(["=", ">", "<="])
      self.init(
        "SUBQUERY(@links.Item.owner, $\(inner), \(predicate.rql)).@count \(comparator) \(bound)",
        "(SELECT count(*) \(owned) AND (\(predicate.sql))) \(comparator) \(bound)")
    }
  }

  /// A test of one value of the row, or of an object it leads to.
  private init(test row: String, _ random: inout RandomSource) {
    let scalar = Scalar(property: row, hops: random.any([0, 0, 0, 1, 2]), &random)
    switch random.number(0...9) {
    case 0:
      let other = random.any(["rank", "count", "weight"])
      let comparator = random.any(["<", "<=", ">", ">="])
      let a = Scalar(named: random.any(["rank", "count", "weight"]), row, hops: 0)
      let ordered = "coalesce(\(a.sql) \(comparator) \(row).\(other), 0)"
      // Two nulls are not less and not greater, but equal.
      let bothNull = "(\(a.sql) IS NULL AND \(row).\(other) IS NULL)"
      self.init(
        "\(a.rql) \(comparator) \(other)",
        comparator.hasSuffix("=") ? "(\(ordered) OR \(bothNull))" : ordered)
    case 1:
      let factor = random.number(1...3)
      let bound = random.any(RandomItem.numbers)
      let comparator = random.any(["<", ">="])
      self.init(
        "count * \(factor) + rank \(comparator) \(bound)",
        "coalesce(\(row).count * \(factor) + \(row).rank \(comparator) \(bound), 0)")
    case 2:
      self.init("owner \(random.isOne(in: 2) ? "==" : "=") NULL", "\(row).owner IS NULL")
    default:
      let (rql, sql) = scalar.comparison(&random)
      self.init(rql, sql)
    }
  }
}

/// A single value of a row, through up to two links.
private struct Scalar {
  enum Kind { case number, real, text, flag }

  let kind: Kind
  let rql: String
  let sql: String

  init(property row: String, hops: Int, _ random: inout RandomSource) {
    self.init(
      named: random.any(["count", "rank", "weight", "title", "title", "code", "isOpen"]), row,
      hops: hops)
  }

  init(named name: String, _ row: String, hops: Int) {
    kind =
      switch name {
      case "count", "rank": .number
      case "weight": .real
      case "isOpen": .flag
      default: .text
      }
    rql = String(repeating: "owner.", count: hops) + name
    switch hops {
    case 0: sql = "\(row).\(name)"
    case 1: sql = "(SELECT o.\(name) FROM item o WHERE o.id = \(row).owner)"
    default:
      sql = """
        (SELECT q.\(name) FROM item q WHERE q.id = \
        (SELECT o.owner FROM item o WHERE o.id = \(row).owner))
        """
    }
  }

  /// A comparison of the value with constants, or with null.
  func comparison(_ random: inout RandomSource) -> (rql: String, sql: String) {
    if random.isOne(in: 8) {
      return random.isOne(in: 2)
        ? ("\(rql) == NULL", "\(sql) IS NULL") : ("\(rql) != NULL", "\(sql) IS NOT NULL")
    }
    switch kind {
    case .flag:
      let isTrue = random.isOne(in: 2)
      return random.isOne(in: 2)
        ? ("\(rql) == \(isTrue ? "true" : "false")", "\(sql) IS \(isTrue ? 1 : 0)")
        : ("\(rql) != \(isTrue ? "true" : "false")", "\(sql) IS NOT \(isTrue ? 1 : 0)")
    case .number, .real: return number(&random)
    case .text: return text(&random)
    }
  }

  private func constant(_ random: inout RandomSource) -> String {
    kind == .real || random.isOne(in: 4)
      ? "\(random.any(RandomItem.weights))" : "\(random.any(RandomItem.numbers))"
  }

  private func number(_ random: inout RandomSource) -> (rql: String, sql: String) {
    let constant = constant(&random)
    switch random.number(0...7) {
    case 0: return ("\(rql) == \(constant)", "\(sql) IS \(constant)")
    case 1: return ("\(rql) != \(constant)", "\(sql) IS NOT \(constant)")
    case 2:
      let constants = (0..<random.number(0...3)).map { _ in self.constant(&random) }
      return (
        "\(rql) IN {\(constants.joined(separator: ", "))}",
        "coalesce(\(sql) IN (\(constants.joined(separator: ", "))), 0)"
      )
    case 3:
      let other = self.constant(&random)
      return (
        "\(rql) BETWEEN {\(constant), \(other)}",
        "coalesce(\(sql) BETWEEN \(constant) AND \(other), 0)"
      )
    default:
      let comparator = random.any(["<", "<=", ">", ">="])
      return (
        "\(rql) \(comparator) \(constant)", "coalesce(\(sql) \(comparator) \(constant), 0)"
      )
    }
  }

  private func text(_ random: inout RandomSource) -> (rql: String, sql: String) {
    let word = random.any(RandomItem.words)
    let isASCII = word.utf8.allSatisfy { $0 < 0x80 }
    let folds = isASCII && random.isOne(in: 4)
    let mark = folds ? "[c]" : ""
    // Only ASCII letters are folded by `lower`, so only ASCII values are compared this way.
    let value = folds ? "lower(\(sql))" : sql
    let constant = folds ? "lower('\(word)')" : "'\(word)'"
    switch random.number(0...8) {
    case 0, 1: return ("\(rql) ==\(mark) '\(word)'", "\(value) IS \(constant)")
    case 2: return ("\(rql) !=\(mark) '\(word)'", "\(value) IS NOT \(constant)")
    case 3:
      return (
        "\(rql) BEGINSWITH\(mark) '\(word)'",
        "coalesce(substr(\(value), 1, length(\(constant))) = \(constant), 0)"
      )
    case 4:
      return (
        "\(rql) ENDSWITH\(mark) '\(word)'",
        word.isEmpty
          ? "\(sql) IS NOT NULL"
          : "coalesce(substr(\(value), -length(\(constant))) = \(constant), 0)"
      )
    case 5:
      return (
        "\(rql) CONTAINS\(mark) '\(word)'", "coalesce(instr(\(value), \(constant)) > 0, 0)"
      )
    case 6:
      let pattern = random.any(["*\(word)", "?\(word)*", "\(word)?", "*a*b*", "???", "*"])
      return ("\(rql) LIKE '\(pattern)'", "coalesce(\(sql) GLOB '\(pattern)', 0)")
    case 7:
      let words = (0..<random.number(0...3)).map { _ in "'\(random.any(RandomItem.words))'" }
      return (
        "\(rql) IN {\(words.joined(separator: ", "))}",
        "coalesce(\(sql) IN (\(words.joined(separator: ", "))), 0)"
      )
    default:
      let comparator = random.any(["<", "<=", ">", ">="])
      return (
        "\(rql) \(comparator) '\(word)'", "coalesce(\(sql) \(comparator) '\(word)', 0)"
      )
    }
  }
}

/// The end of a query in both languages; the order is total, so that the answers are lists.
struct RandomOrder {
  let rql: String
  let sql: String

  init(_ random: inout RandomSource) {
    guard random.isOne(in: 3) else {
      self.rql = ""
      self.sql = "ORDER BY p.id"
      return
    }
    let name = random.any(["count", "rank", "weight", "title", "code"])
    let isAscending = random.isOne(in: 2)
    var rql = " SORT(\(name) \(isAscending ? "ASC" : "DESC"), id ASC)"
    var sql = "ORDER BY p.\(name) \(isAscending ? "ASC" : "DESC"), p.id"
    if random.isOne(in: 2) {
      let limit = random.number(0...30)
      rql += " LIMIT(\(limit))"
      sql += " LIMIT \(limit)"
    }
    self.rql = rql
    self.sql = sql
  }
}
