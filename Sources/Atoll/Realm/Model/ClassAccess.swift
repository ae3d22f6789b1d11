internal import AtollObjects

/// A class in one realm: its columns there, and a reader of the current version.
///
/// Belongs to its realm, and to whatever that is confined to.
@usableFromInline
@safe
final class ClassAccess {
  /// Of a class of a file, as the version has it that is read.
  private(set) var descriptor: ClassDescriptor { didSet { knownPlainColumns = nil } }
  private let prototype: ObjectBase
  /// The descriptor's prototype, which is held above; every read of a property looks at it.
  @usableFromInline let lentPrototype: Unmanaged<ObjectBase>
  /// The class as the file has it.
  private(set) var table: TableSchema
  /// By the positions of the stored properties.
  ///
  /// One that the file does not have reads as null, zero or nothing.
  private(set) var columns: [Column] { didSet { knownPlainColumns = nil } }
  private var knownPlainColumns: [Column]?
  /// Whether the file does not have some of the properties.
  private(set) var isLacking: Bool
  /// Whether the version is known to have all that the class and those that it leads to declare.
  var isComplete = false
  /// Whether the class went with a write that was cancelled, and all objects of this access with
  /// it.
  private(set) var isGone = false
  /// The schema that the columns are of.
  private var schema: AtollObjects.Schema
  private var current: ObjectReader?
  /// The version that the reader is of, as the realm counts them.
  private var version: UInt64 = .max
  /// The object that the reader stands at.
  private var selected: ObjectKey?
  // SAFETY: the run-time checks of exclusive access are left out: one thread at a time uses it, as the
  // quick reads of a frozen realm never begin, and no access calls back.
  /// As `current`, which holds it, for the quick reads of the stamp; nil while there are none.
  @exclusivity(unchecked) private var quick: Unmanaged<ObjectReader>?
  /// As `selected`; a number that no object has while it is nil.
  @exclusivity(unchecked) private var quickKey: UInt64 = .max
  /// The realm's stamp for which `quick` is the reader of its version, and no write is open.
  @exclusivity(unchecked) private var quickStamp: UInt64 = 0

  init(_ descriptor: ClassDescriptor, _ table: TableSchema, in schema: AtollObjects.Schema) {
    self.descriptor = descriptor
    prototype = descriptor.prototype
    unsafe lentPrototype = Unmanaged.passUnretained(prototype)
    self.table = table
    self.schema = schema
    columns = descriptor.columns(in: table, of: schema)
    isLacking = columns.contains(where: \.isAbsent)
  }

  /// Stands for the class of an object that cannot be read, whose properties are never looked up.
  init(unreadable descriptor: ClassDescriptor) {
    self.descriptor = descriptor
    prototype = descriptor.prototype
    unsafe lentPrototype = Unmanaged.passUnretained(prototype)
    table = TableSchema(
      id: .max, name: descriptor.name, flags: [], columns: [], primaryKeyIndex: nil)
    schema = .empty
    columns = []
    isLacking = false
  }

  /// The columns of the single properties that are no links, in the order of their declarations.
  var plainColumns: [Column] {
    if let knownPlainColumns { return knownPlainColumns }
    let found = descriptor.plainProperties.map { columns[$0.position] }
    knownPlainColumns = found
    return found
  }

  /// Takes over the columns of another version of the schema.
  ///
  /// - Returns: false when the class is not in it: the write that made it was cancelled.
  func adopt(_ schema: AtollObjects.Schema) -> Bool {
    guard schema !== self.schema else { return true }
    guard
      let table = descriptor.table.map({ schema.table(id: $0.id) }) ?? schema.table(descriptor.name)
    else {
      retire()
      return false
    }
    // Its objects may have other keys then, and those of theirs be others'.
    let isKeyed = table.isKeyedByPrimaryKey || self.table.isKeyedByPrimaryKey
    if descriptor.isDynamic, isKeyed, !self.table.hasSameKeys(as: table) {
      retire()
      return false
    }
    self.schema = schema
    isComplete = false
    guard table != self.table else { return true }
    self.table = table
    if descriptor.isDynamic {
      descriptor = ClassDescriptor(table, in: schema, hiding: descriptor.hidden)
    }
    columns = descriptor.columns(in: table, of: schema)
    isLacking = columns.contains(where: \.isAbsent)
    endQuickReads()
    current = nil
    return true
  }

  /// Whether another version has the same properties, and tells its objects apart by the same: a
  /// migration may have changed both.
  func fits(_ other: AtollObjects.Schema) -> Bool {
    guard other !== schema else { return true }
    guard let found = other.table(id: table.id), table.hasSameKeys(as: found) else { return false }
    return columns.allSatisfy { column in
      guard !column.isAbsent else { return true }
      guard let same = found.column(id: column.id), same.name == column.name else { return false }
      var (layout, known) = (same.layout, column.layout)
      layout.isOptional = known.isOptional
      known.linkTable = layout.linkTable
      return layout == known
    }
  }

  /// Takes other columns of a class of a file for none of its properties.
  func hide(_ columns: Set<UInt32>) {
    descriptor = ClassDescriptor(table, in: schema, hiding: columns)
  }

  /// Lets all objects of this access be of no use.
  func retire() {
    isGone = true
    endQuickReads()
  }

  /// The reader of the current version; nil where a transaction has changes of the class, for a
  /// frozen realm, which several threads may read, and when the file fails.
  func reader(in context: _RealmContext) -> ObjectReader? {
    if version == context.counts.versions, let current {
      if context.transaction == nil { return current }
      return context.readableSnapshot(of: table.id) == nil ? nil : current
    }
    return renewedReader(in: context)
  }

  private func renewedReader(in context: _RealmContext) -> ObjectReader? {
    guard let snapshot = context.readableSnapshot(of: table.id) else { return nil }
    guard let read = try? snapshot.table(id: table.id) else { return nil }
    // What stands in for the newest version is looked for again at the next use.
    version = context.isUnsettled ? .max : context.counts.versions
    selected = nil
    endQuickReads()
    let reader = ObjectReader(read, columns: columns)
    current = reader
    return reader
  }

  /// Makes the reader stand at an object.
  ///
  /// - Returns: Whether the object exists; nil when the file fails.
  func select(_ key: ObjectKey, _ reader: ObjectReader) -> Bool? {
    if selected == key { return true }
    let isFound = try? reader.select(key)
    selected = isFound == true ? key : nil
    unsafe quickKey = isFound == true ? key.rawValue : .max
    return isFound
  }

  // MARK: Quick reads

  /// Lets rows read without a look at what the stamp stands for, as long as it is the same.
  func beginQuickReads(in context: _RealmContext) {
    guard !isGone, !context.isFrozen, context.transaction == nil,
      version == context.counts.versions, let current
    else { return }
    unsafe quick = Unmanaged.passUnretained(current)
    unsafe quickStamp = context.readState.stamp
  }

  private func endQuickReads() {
    unsafe quickStamp = 0
    unsafe quick = nil
    unsafe quickKey = .max
  }

  /// Whether rows of a stamp can be read quickly.
  @inline(__always)
  func hasQuickReads(_ stamp: UInt64) -> Bool { unsafe quickStamp == stamp }

  /// The reader of a version, which stands at an object then; nil when that is to be asked in the
  /// ordinary way.
  @inline(__always)
  func quickReader(of key: ObjectKey, _ stamp: UInt64) -> Unmanaged<ObjectReader>? {
    guard unsafe quickStamp == stamp, let reader = unsafe quick else { return nil }
    if unsafe quickKey == key.rawValue { return unsafe reader }
    return unsafe select(key, reader.takeUnretainedValue()) == true ? reader : nil
  }
}

extension TableSchema {
  /// Whether another version of the class tells its objects apart by the same.
  func hasSameKeys(as other: TableSchema) -> Bool {
    primaryKey?.id == other.primaryKey?.id && isKeyedByPrimaryKey == other.isKeyedByPrimaryKey
  }
}
