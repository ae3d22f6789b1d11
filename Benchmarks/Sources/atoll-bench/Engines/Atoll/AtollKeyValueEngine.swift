internal import AtollObjects
internal import Workloads

/// Atoll as a map: objects with an integer primary key and one property of data.
final class AtollKeyValueEngine: KeyValueEngine {
  private let directory: DatabaseDirectory
  private var database: Database?

  init(directory: DatabaseDirectory) {
    self.directory = directory
  }

  private var opened: Database {
    guard let database else { preconditionFailure("the engine is open when it is used") }
    return database
  }

  func open() throws {
    let database = try Database.open(directory.path + "/entries.atoll")
    self.database = database
    guard try database.snapshot().schema["Entry"] == nil else { return }
    try database.write {
      try $0.addClass(
        ClassSchema(
          "Entry", properties: [PropertySchema("id", .int), PropertySchema("value", .data)],
          primaryKey: "id"))
    }
  }

  func close() throws {
    try database?.close()
    database = nil
  }

  func put(_ entries: [KeyValueEntry]) throws {
    try opened.write { transaction in
      for entry in entries {
        try transaction.upsert(
          "Entry", primaryKey: .int(Int64(entry.key)), ["value": .data(entry.value)])
      }
    }
  }

  func remove(_ keys: ArraySlice<Int>) throws {
    try opened.write { transaction in
      for key in keys {
        let key = ObjectKey(integerPrimaryKey: Int64(key))
        if try transaction.contains("Entry", key) { try transaction.delete("Entry", key) }
      }
    }
  }

  func forEachValue(of keys: [Int], _ body: (Int, Span<UInt8>) -> Void) throws {
    let table = try opened.snapshot().table("Entry")
    let reader = try ObjectReader(table, columns: [table.column("value")])
    for key in keys where try reader.select(primaryKey: Int64(key)) {
      if case .data(let bytes) = try reader.value(0) { body(key, bytes.span) }
    }
  }

  func forEachValue(_ body: (Int, Span<UInt8>) -> Void) throws {
    let table = try opened.snapshot().table("Entry")
    let reader = try ObjectReader(table, columns: [table.column("value")])
    while try reader.next() {
      if case .data(let bytes) = try reader.value(0) {
        body(Int(reader.key.integerPrimaryKey), bytes.span)
      }
    }
  }

  func makeReader() throws -> any KeyValueReader { Reader(opened) }

  func fileByteCount() throws -> Int { try directory.fileByteCount() }

  private final class Reader: KeyValueReader {
    private let database: Database

    init(_ database: Database) {
      self.database = database
    }

    func withValue(of key: Int, _ body: (Span<UInt8>) -> Void) throws -> Bool {
      let table = try database.snapshot().table("Entry")
      guard let object = try table.object(ObjectKey(integerPrimaryKey: Int64(key))),
        case .data(let bytes) = try object.value(table.column("value"))
      else { return false }
      body(bytes.span)
      return true
    }
  }
}
