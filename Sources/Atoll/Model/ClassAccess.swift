internal import AtollObjects

/// A class in one realm: its columns there, and a reader of the current version.
///
/// Belongs to its realm, and to whatever that is confined to.
@usableFromInline
final class ClassAccess {
  let descriptor: ClassDescriptor
  /// As the descriptor's; every read of a property looks at it.
  @usableFromInline let prototype: ObjectBase
  /// The class as the file has it.
  private(set) var table: TableSchema
  /// By the positions of the stored properties.
  private(set) var columns: [Column]
  /// The schema that the columns are of.
  private var schema: AtollObjects.Schema
  private var current: ObjectReader?
  /// The generation of the realm that the reader is of.
  private var generation: UInt64 = .max
  /// The object that the reader stands at.
  private var selected: ObjectKey?

  init(_ descriptor: ClassDescriptor, _ table: TableSchema, in schema: AtollObjects.Schema) {
    self.descriptor = descriptor
    prototype = descriptor.prototype
    self.table = table
    self.schema = schema
    columns = Self.columns(of: descriptor, in: table)
  }

  private static func columns(of descriptor: ClassDescriptor, in table: TableSchema) -> [Column] {
    descriptor.properties.prefix(descriptor.storedCount).map { property in
      guard let column = table.column(property.columnName) else {
        Misuse.trap(
          "the class '\(table.name)' of the file has no property '\(property.columnName)'; open "
            + "the realm with the class in objectTypes, so that it is added")
      }
      return column
    }
  }

  /// Takes over the columns of another version of the schema.
  ///
  /// - Returns: false when the class is not in it: the write that made it was cancelled.
  func adopt(_ schema: AtollObjects.Schema) -> Bool {
    guard schema !== self.schema else { return true }
    guard let table = schema.table(descriptor.name) else { return false }
    self.schema = schema
    guard table != self.table else { return true }
    self.table = table
    columns = Self.columns(of: descriptor, in: table)
    current = nil
    return true
  }

  /// The reader of the current version; nil where a transaction has changes of the class, and for a
  /// frozen realm, which several threads may read.
  func reader(in context: _RealmContext) -> ObjectReader? {
    if generation == context.generation, let current {
      if context.transaction == nil { return current }
      return context.readableSnapshot(of: table.id) == nil ? nil : current
    }
    return renewedReader(in: context)
  }

  private func renewedReader(in context: _RealmContext) -> ObjectReader? {
    guard let snapshot = context.readableSnapshot(of: table.id) else { return nil }
    generation = context.generation
    selected = nil
    let reader = Misuse.unwrapped("'\(descriptor.name)' cannot be read") {
      ObjectReader(try snapshot.table(descriptor.name), columns: columns)
    }
    current = reader
    return reader
  }

  /// Makes the reader stand at an object; false when it does not exist.
  func select(_ key: ObjectKey, _ reader: ObjectReader) -> Bool {
    if selected == key { return true }
    let isFound = Misuse.unwrapped("'\(descriptor.name)' cannot be read") {
      try reader.select(key)
    }
    selected = isFound ? key : nil
    return isFound
  }
}
