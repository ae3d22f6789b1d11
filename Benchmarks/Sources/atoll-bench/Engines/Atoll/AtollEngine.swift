internal import AtollObjects
internal import AtollQuery
internal import Workloads

/// Atoll through its typed interface, as a storage backend uses it.
///
/// Settings: the defaults. Links are kept with their backlinks, and a delete nullifies them.
final class AtollEngine {
  private let directory: DatabaseDirectory
  private let encryptionKey: [UInt8]?
  private var database: Database?
  private var pinned: Snapshot?

  /// Will keep its files in `directory`.
  init(directory: DatabaseDirectory, encryptionKey: [UInt8]? = nil) {
    self.directory = directory
    self.encryptionKey = encryptionKey
  }

  private var opened: Database {
    get throws {
      guard let database else { throw EngineIsClosed() }
      return database
    }
  }

  private struct EngineIsClosed: Error {}

  static let person = ClassSchema(
    "Person",
    properties: [
      PropertySchema("id", .int), PropertySchema("name", .string, isIndexed: true),
      PropertySchema("email", .string), PropertySchema("city", .string),
      PropertySchema("age", .int), PropertySchema("active", .bool),
      PropertySchema("score", .double), PropertySchema("createdAt", .date),
      PropertySchema("friend", linkTo: "Person"),
    ], primaryKey: "id")

  /// A reader of the three fields that the reading workloads add up.
  private func fieldReader() throws -> ObjectReader {
    let table = try opened.snapshot().table("Person")
    return try ObjectReader(
      table, columns: [table.column("age"), table.column("score"), table.column("name")])
  }

  private func sumOfFields(_ reader: ObjectReader) throws -> Double {
    Double(try reader.int(0) ?? 0) + (try reader.double(1) ?? 0)
      + Double(try reader.utf8Count(2) ?? 0)
  }

  private func query(_ text: String, _ arguments: [Value] = []) throws -> (Query, Snapshot) {
    let snapshot = try opened.snapshot()
    let query = try Query(text, on: "Person", in: snapshot.schema, arguments: arguments)
    return (query, snapshot)
  }
}

extension AtollEngine: Engine {
  func open() throws {
    let database = try Database.open(
      directory.path + "/people.atoll", options: .init(encryptionKey: encryptionKey))
    self.database = database
    if try database.snapshot().schema["Person"] == nil {
      try database.write { try $0.addClass(Self.person) }
    }
  }

  func close() throws {
    try database?.close()
    database = nil
  }

  func insert(_ people: ArraySlice<Person>) throws {
    try opened.write { transaction in
      let writer = try transaction.objectWriter("Person")
      let name = try writer.column("name")
      let email = try writer.column("email")
      let city = try writer.column("city")
      let age = try writer.column("age")
      let active = try writer.column("active")
      let score = try writer.column("score")
      let createdAt = try writer.column("createdAt")
      let friend = try writer.column("friend")
      for person in people {
        try writer.create(primaryKey: Int64(person.id))
        try writer.set(name, person.name)
        try writer.set(email, person.email)
        try writer.set(city, person.city)
        try writer.set(age, Int64(person.age))
        try writer.set(active, person.isActive)
        try writer.set(score, person.score)
        if let date = Timestamp(seconds: Int64(person.createdAt), nanoseconds: 0) {
          try writer.set(createdAt, date)
        }
        if let target = person.friend {
          try writer.set(friend, linkTo: ObjectKey(integerPrimaryKey: Int64(target)))
        }
      }
    }
  }

  func update(_ updates: ArraySlice<AgeUpdate>) throws {
    try opened.write { transaction in
      let writer = try transaction.objectWriter("Person")
      let age = try writer.column("age")
      for update in updates
      where try writer.select(ObjectKey(integerPrimaryKey: Int64(update.key))) {
        try writer.set(age, Int64(update.age))
      }
    }
  }

  func delete(keys: [Int]) throws {
    try opened.write { transaction in
      for key in keys {
        let key = ObjectKey(integerPrimaryKey: Int64(key))
        if try transaction.contains("Person", key) { try transaction.delete("Person", key) }
      }
    }
  }

  func sumOfFields(keys: [Int]) throws -> Double {
    let reader = try fieldReader()
    var sum = 0.0
    for key in keys where try reader.select(primaryKey: Int64(key)) {
      sum += try sumOfFields(reader)
    }
    return sum
  }

  func sumOfFieldsOfAll() throws -> Double {
    let reader = try fieldReader()
    var sum = 0.0
    while try reader.next() { sum += try sumOfFields(reader) }
    return sum
  }

  func objectCount() throws -> Int {
    try opened.snapshot().table("Person").count
  }

  func pin() throws { pinned = try opened.snapshot() }

  func unpin() throws { pinned = nil }

  func fileByteCount() throws -> Int { try directory.fileByteCount() }

  func contents() throws -> Contents {
    let table = try opened.snapshot().table("Person")
    let reader = try ObjectReader(table, columns: [table.column("age"), table.column("friend")])
    var contents = Contents(objectCount: table.count, ageSum: 0, linkCount: 0)
    var linkCount = 0
    while try reader.next() {
      contents.ageSum += Int(try reader.int(0) ?? 0)
      if try !reader.value(1).isNull { linkCount += 1 }
    }
    contents.linkCount = linkCount
    return contents
  }
}

extension AtollEngine: QueryEngine {
  func count(_ query: CountQuery) throws -> Int {
    let (query, snapshot) = try self.query(query.text)
    return try query.count(in: snapshot)
  }

  func countEach(name names: [String]) throws -> Int {
    let snapshot = try opened.snapshot()
    var sum = 0
    for name in names {
      let query = try Query(
        "name == $0", on: "Person", in: snapshot.schema, arguments: [.string(name)])
      sum += try query.count(in: snapshot)
    }
    return sum
  }

  func firstKey(sortedBy field: SortField) throws -> Int {
    let name =
      switch field {
      case .score: "score"
      case .email: "email"
      }
    let (query, snapshot) = try query("TRUEPREDICATE SORT(\(name) ASC)")
    return Int(try query.results(in: snapshot).keys.first?.integerPrimaryKey ?? -1)
  }

  func keysOfHighestScores(limit: Int) throws -> [Int] {
    let (query, snapshot) = try query("TRUEPREDICATE SORT(score DESC) LIMIT(\(limit))")
    return try query.results(in: snapshot).keys.map { Int($0.integerPrimaryKey) }
  }

  func distinctCityCount() throws -> Int {
    let (query, snapshot) = try query("TRUEPREDICATE DISTINCT(city)")
    return try query.count(in: snapshot)
  }

  func aggregate() throws -> Double {
    let (query, snapshot) = try query("TRUEPREDICATE")
    return try number(query.aggregate(.sum, of: "age", in: snapshot))
      + number(query.aggregate(.sum, of: "score", in: snapshot))
      + number(query.aggregate(.maximum, of: "age", in: snapshot))
  }

  private func number(_ value: Value) -> Double {
    switch value {
    case .int(let number): Double(number)
    case .double(let number): number
    default: .nan
    }
  }
}
