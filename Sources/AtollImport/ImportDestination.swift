package import AtollObjects
import AtollStorage

/// The database that an import writes to; a new file is made only when the first batch is ready.
///
/// So bad data leaves no empty file behind, and neither does a first transaction that fails.
package final class ImportDestination {
  private let path: String
  private let options: Database.Options
  package private(set) var database: Database?
  /// Called before each transaction, which may have to wait for other processes; what it returns is
  /// called behind it.
  package var willWrite: (Database) -> () -> Void = { _ in {} }
  /// Whether there was a file without bytes.
  private var wasEmpty = false
  /// Whether this import has made the file and not committed to it yet.
  private var isNew = false

  /// Opens the file at `path` if there is one; an empty one becomes a database with the first
  /// batch.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: How it is opened; its mode is not looked at.
  /// - Throws: as `Database.open`.
  package init(path: String, options: Database.Options = .init()) throws(ObjectError) {
    self.path = path
    self.options = options
    var existing = options
    existing.mode = .readWrite
    do {
      database = try Database.open(path, options: existing)
    } catch .storage(.io(.open, path, ErrorNumber.notFound.rawValue)) {
      database = nil
    } catch .storage(.empty) {
      database = nil
      wasEmpty = true
    }
  }

  /// Writes to a database that is open already, and that the caller closes.
  package init(_ database: Database) {
    path = database.path
    options = .init()
    self.database = database
  }

  /// The classes of the newest version.
  func classes() throws(ObjectError) -> ExistingClasses {
    guard let database else { return ExistingClasses() }
    return try ExistingClasses(try database.snapshot())
  }

  package func pendingLinkCount() throws(ObjectError) -> Int {
    try database?.snapshot().pendingLinkCount ?? 0
  }

  /// The class that is meant by `name`, the target of links that wait: nil unless `name` has no
  /// objects and looks like the name of a class that has some.
  package func likelyTarget(insteadOf name: String) throws(ObjectError) -> String? {
    guard let snapshot = try database?.snapshot(), snapshot.schema[name] != nil,
      try snapshot.table(name).count == 0
    else { return nil }
    var filled: [String] = []
    for found in snapshot.schema.classes where try snapshot.table(found.name).count > 0 {
      filled.append(found.name)
    }
    return NearestName.find(name, among: filled)
  }

  /// Runs one durable transaction; a thrown error rolls all of it back.
  func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    let database = try made()
    let didWrite = willWrite(database)
    defer { didWrite() }
    do {
      let result = try database.write(body)
      isNew = false
      return result
    } catch {
      if isNew { discard() }
      throw error
    }
  }

  private func made() throws(ObjectError) -> Database {
    if let database { return database }
    var new = options
    new.mode = .create
    let database = try Database.open(path, options: new)
    isNew = try database.status().opening == .created && !wasEmpty
    self.database = database
    return database
  }

  private func discard() {
    try? database?.close()
    database = nil
    isNew = false
    PosixFile.removeDatabase(path)
  }

  package func close() throws(ObjectError) {
    try database?.close()
  }
}
