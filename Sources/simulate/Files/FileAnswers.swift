internal import AtollObjects
internal import AtollQuery
internal import AtollStorage

/// Everything that a version answers: all values of all objects, and what look-ups and queries
/// find.
struct FileAnswers {
  struct Rows {
    let name: String
    let columnNames: [String]
    var keys: [UInt64] = []
    var values: [[Value]] = []
  }

  private(set) var classes: [Rows] = []
  /// What each probe found.
  private(set) var probes: [Int: Int] = [:]

  /// Records the answers of a sound version.
  init(_ snapshot: Snapshot) throws {
    for table in snapshot.schema.tables {
      var rows = Rows(name: table.name, columnNames: table.columns.map(\.name))
      try snapshot.table(table.name).forEach { object in
        rows.keys.append(object.key.rawValue)
        rows.values.append(try table.columns.map { try object.value($0) })
      }
      classes.append(rows)
    }
    var number = 0
    try Self.forEachProbe(in: snapshot, classes) { _, probe in
      probes[number] = try probe()
      number += 1
    }
  }

  /// Reads everything again from a version of a damaged file.
  ///
  /// - Returns: whether everything could be read.
  /// - Throws: `CaseViolation` for an answer that is neither right nor an error. Not strict: any
  ///   answer is right.
  func verify(_ snapshot: Snapshot, isStrict: Bool) throws -> Bool {
    var isWhole = true
    /// Runs a probe; an error must be one that says what is wrong.
    func attempt(_ name: @autoclosure () -> String, _ body: () throws -> Void) throws {
      do { try body() } catch let violation as CaseViolation {
        throw violation
      } catch {
        guard isStrict ? FileErrors.isDamage(error) : FileErrors.isTyped(error) else {
          throw CaseViolation("\(name()) throws \(type(of: error)): \(error)")
        }
        isWhole = false
      }
    }
    if isStrict, snapshot.schema.tables.map(\.name) != classes.map(\.name) {
      throw CaseViolation("the classes are \(snapshot.schema.tables.map(\.name))")
    }
    for table in snapshot.schema.tables {
      let rows = isStrict ? classes.first { $0.name == table.name } : nil
      try attempt("class \(table.name)") { try verifyRows(of: table, rows, snapshot, attempt) }
    }
    var number = 0
    try Self.forEachProbe(in: snapshot, classes) { name, probe in
      defer { number += 1 }
      try attempt(name()) {
        let found = try probe()
        guard isStrict, found != probes[number] else { return }
        throw CaseViolation("\(name()) gives another answer")
      }
    }
    return isWhole
  }

  private func verifyRows(
    of table: TableSchema, _ rows: Rows?, _ snapshot: Snapshot,
    _ attempt: (@autoclosure () -> String, () throws -> Void) throws -> Void
  ) throws {
    var index = 0
    try snapshot.table(table.name).forEach { object in
      if let rows {
        guard index < rows.keys.count, rows.keys[index] == object.key.rawValue else {
          throw CaseViolation("\(table.name) has an object \(object.key.rawValue) out of place")
        }
      }
      for (position, column) in table.columns.enumerated() {
        try attempt("\(table.name).\(column.name)") {
          let value = try object.value(column)
          guard let rows, rows.values[index][position] != value else { return }
          throw CaseViolation(
            "\(table.name).\(column.name) of \(object.key.rawValue) is \(value), "
              + "not \(rows.values[index][position])")
        }
      }
      index += 1
    }
    if let rows, index != rows.keys.count {
      throw CaseViolation("\(table.name) has \(index) objects, not \(rows.keys.count)")
    }
  }

  /// Calls `body` with a name and a look-up for each way to find something.
  ///
  /// The order and number depend on `classes` alone, so that answers can be identified by their
  /// numbers.
  private static func forEachProbe(
    in snapshot: Snapshot, _ classes: [Rows],
    _ body: (_ name: @autoclosure () -> String, _ probe: () throws -> Int) throws -> Void
  ) throws {
    for rows in classes {
      try body("count of \(rows.name)") { try snapshot.table(rows.name).count }
      let sample = stride(from: 0, to: rows.keys.count, by: max(1, rows.keys.count / 6))
      for index in sample {
        try body("\(rows.name) by key \(rows.keys[index])") {
          try hash(snapshot.table(rows.name).object(ObjectKey(rawValue: rows.keys[index])))
        }
        try body("no \(rows.name) behind key \(rows.keys[index])") {
          let key = ObjectKey(rawValue: rows.keys[index] &+ 1)
          return try hash(snapshot.table(rows.name).object(key))
        }
        try body("\(rows.name) by primary key of \(rows.keys[index])") {
          let table = try snapshot.table(rows.name)
          guard let name = table.schema.primaryKey?.name,
            let position = rows.columnNames.firstIndex(of: name)
          else { return 0 }
          return try hash(table.object(primaryKey: rows.values[index][position]))
        }
        try body("backlinks of \(rows.name) \(rows.keys[index])") {
          let object = try snapshot.table(rows.name).object(ObjectKey(rawValue: rows.keys[index]))
          guard let object else { return 0 }
          var hasher = Hasher()
          for (_, column) in snapshot.schema.incomingLinks(to: object.table.schema.id) {
            hasher.combine(try object.backlinks(column))
          }
          return hasher.finalize()
        }
      }
      for (position, name) in rows.columnNames.enumerated() {
        try forEachIndexProbe(of: name, position, rows, snapshot, body)
      }
    }
    for (className, text) in SampleClasses.queries {
      try body("query \(text)") {
        let query = try Query(text, on: className, in: snapshot.schema)
        return try query.results(in: snapshot).keys.hashValue
      }
      try body("count of \(text)") {
        try Query(text, on: className, in: snapshot.schema).count(in: snapshot)
      }
    }
    try body("average of Person.age") {
      try Query("id > 3", on: "Person", in: snapshot.schema)
        .aggregate(.average, of: "age", in: snapshot).hashValue
    }
  }

  private static func forEachIndexProbe(
    of name: String, _ position: Int, _ rows: Rows, _ snapshot: Snapshot,
    _ body: (_ name: @autoclosure () -> String, _ probe: () throws -> Int) throws -> Void
  ) throws {
    func column() throws -> Column { try snapshot.table(rows.name).column(name) }
    try body("index of \(rows.name).\(name)") { try hash(snapshot.index(column())) }
    try body("full-text index of \(rows.name).\(name)") {
      try hash(snapshot.fullTextIndex(column()))
    }
    try body("backlinks of \(rows.name).\(name)") { try hash(snapshot.backlinks(column())) }
    for index in stride(from: 0, to: rows.keys.count, by: max(1, rows.keys.count / 4)) {
      try body("\(rows.name).\(name) by value") {
        guard let tree = try snapshot.index(column()),
          let bytes = Index.bytes(of: rows.values[index][position])
        else { return 0 }
        var hasher = Hasher()
        hasher.combine(try tree.keys(.equal(to: bytes)))
        hasher.combine(try tree.count(IndexRange(lower: bytes, upper: nil)))
        hasher.combine(try tree.firstKey(equalTo: bytes))
        return hasher.finalize()
      }
    }
  }

  private static func hash(_ object: Object?) throws -> Int {
    guard let object else { return 0 }
    var hasher = Hasher()
    for column in object.table.schema.columns { hasher.combine(try object.value(column)) }
    return hasher.finalize()
  }

  /// All entries of an index, in both orders.
  private static func hash(_ index: Index?) throws -> Int {
    guard let index else { return 0 }
    var hasher = Hasher()
    for order in [IndexOrder.ascending, .descending] {
      try index.forEachGroup(.all, order: order) { value, keys in
        hasher.combine(value.copy())
        for position in keys.indices { hasher.combine(keys[position]) }
        return true
      }
    }
    hasher.combine(index.entryCount)
    return hasher.finalize()
  }
}
