internal import AtollStorage

/// An internal tree from byte strings to byte strings, as a transaction reads and changes it.
///
/// For what a layer above keeps beside the objects, in the same commits: not part of the schema,
/// seen by no query, in no change set. Keys are compared byte by byte. Key and value take
/// `entryByteCountLimit` bytes together at most. Reading shows the transaction's own changes, and
/// may go on while the tree is changed.
///
/// Cost: nothing in a commit unless it was changed; then the leaves that were. Entries that are set
/// in the order of their keys fill page after page; a million may be set in one transaction.
package final class NamedTree {
  /// Bytes of a key and its value together.
  package static let entryByteCountLimit = KeyValueTree.byteCountLimit
  /// What the names of trees begin with that can be made of others.
  ///
  /// Salvage leaves them out, as a part of one is worse than none. Who uses such a tree makes it
  /// where it is empty.
  static let derivedPrefix = "index."

  package let name: String
  let treeID: UInt32
  private let storage: WriteTransaction
  private let tree: MutableKeyValueTree
  /// Whether anything was set or removed.
  private(set) var isChanged = false

  init(name: String, record: ClassRecord.TreeRecord, storage: WriteTransaction) {
    self.name = name
    treeID = record.treeID
    self.storage = storage
    tree = MutableKeyValueTree(
      root: record.root, treeID: record.treeID, transaction: storage)
  }

  /// Entries of the tree as it is now.
  package var count: Int { Int(clamping: tree.entryCount) }

  package func get(_ key: [UInt8]) throws(ObjectError) -> [UInt8]? {
    try use { () throws(StorageError) in try tree.value(for: key) }
  }

  /// Sets or, with nil, removes the value.
  ///
  /// - Throws: `.storage(.valueTooLarge)` above `entryByteCountLimit`; nothing was changed then.
  package func set(_ value: [UInt8]?, for key: [UInt8]) throws(ObjectError) {
    try use { () throws(StorageError) in
      try tree.set(value, for: key)
      isChanged = true
    }
  }

  package func removeAll() throws(ObjectError) {
    try use { () throws(StorageError) in
      isChanged = true
      try tree.removeAll()
    }
  }

  /// Visits the entries whose keys begin with `prefix`, in order.
  ///
  /// `body` may change the tree: it is given the entries of the leaf at hand as they were, behind
  /// it as they are.
  package func forEach(
    prefix: [UInt8] = [],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Void
  ) throws(ObjectError) {
    try visit(prefix: prefix) { key, value throws(ObjectError) in
      try body(key, value)
      return true
    }
  }

  /// Visits the entries from `start` on whose keys begin with `prefix`, in order, until `body` says
  /// false.
  package func visit(
    prefix: [UInt8] = [], from start: [UInt8] = [],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(ObjectError) -> Bool
  ) throws(ObjectError) {
    do {
      try storage.reader.checkUse()
      try tree.visit(prefix: prefix, from: start, body)
    } catch { throw ObjectError(any: error) }
  }

  /// The entry with the smallest key that is not below `key`.
  package func first(atOrAfter key: [UInt8]) throws(ObjectError)
    -> (key: [UInt8], value: [UInt8])?
  {
    try use { () throws(StorageError) in try tree.first(atOrAfter: key) }
  }

  /// The entry with the greatest key below `key`.
  package func last(before key: [UInt8]) throws(ObjectError) -> (key: [UInt8], value: [UInt8])? {
    try use { () throws(StorageError) in try tree.last(before: key) }
  }

  /// How many entries have keys below `key`.
  package func rank(of key: [UInt8]) throws(ObjectError) -> Int {
    try use { () throws(StorageError) in Int(clamping: try tree.rank(of: key)) }
  }

  /// The entry that `ordinal` others lie before; nil when there are no more than these.
  package func entry(atOrdinal ordinal: Int) throws(ObjectError)
    -> (key: [UInt8], value: [UInt8])?
  {
    try use { () throws(StorageError) in try tree.entry(atOrdinal: UInt64(ordinal)) }
  }

  /// Writes what was changed, and returns the new root.
  func flush() throws(StorageError) -> TreeRoot { try tree.flush() }

  private func use<Result>(_ body: () throws(StorageError) -> Result) throws(ObjectError) -> Result
  {
    do throws(StorageError) {
      try storage.reader.checkUse()
      return try body()
    } catch { throw .storage(error) }
  }
}
