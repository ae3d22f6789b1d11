import AtollObjects
import Foundation
import Testing

@testable import Atoll

extension Realm {
  /// Whether the file, in the version that is read, has a class, and this property of it.
  func fileHas(_ className: String, _ property: String? = nil) -> Bool {
    guard let table = context.schema.table(className) else { return false }
    return property.map { table.column($0) != nil } ?? true
  }
}

/// Makes an empty file that looks like the store of a server, which has started once.
func makeServerStore(_ fileURL: URL) throws {
  let database = try Database.open(fileURL.path)
  try database.write { transaction in
    try transaction.namedTree("server.state").set([1], for: Array("state".utf8))
  }
  try database.close()
}

extension Realm {
  /// Makes a link wait, in a write, for the object with a primary key that none has.
  func makeWait(_ object: ObjectBase, _ property: String, for key: Int64) throws {
    let row = try #require(object._row)
    let transaction = try #require(context.transaction)
    try transaction.link(
      row.access.descriptor.name, row.key, property, toPrimaryKeys: [.int(key)])
    context.counts.noteAny()
  }
}
