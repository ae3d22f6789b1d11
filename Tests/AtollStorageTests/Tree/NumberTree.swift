import AtollStorage

/// A leaf of numbers, the smallest that a tree can have: keys and values of eight bytes.
///
/// Its summary is its largest value, so that tests see whether summaries stay with their leaves.
final class NumberLeaf: TreeLeaf {
  var keys: [UInt64] = []
  var values: [UInt64] = []

  init() {}

  init(_ page: Page) {
    for index in 0..<page.bytes.count / 16 {
      keys.append(page.bytes.littleEndian(at: 16 * index))
      values.append(page.bytes.littleEndian(at: 16 * index + 8))
    }
  }

  var entryCount: Int { keys.count }
  var highestKey: TreeKey { TreeKey(keys[keys.count - 1]) }
  var lowestKey: TreeKey { TreeKey(keys[0]) }
  var estimatedByteCount: Int { 16 * keys.count }

  func firstIndex(notBelow key: UInt64) -> Int { keys.firstIndex { $0 >= key } ?? keys.count }

  func set(_ value: UInt64?, for key: UInt64) {
    let index = firstIndex(notBelow: key)
    let isPresent = index < keys.count && keys[index] == key
    if isPresent {
      keys.remove(at: index)
      values.remove(at: index)
    }
    guard let value else { return }
    keys.insert(key, at: index)
    values.insert(value, at: index)
  }

  func splitOff() throws(StorageError) -> any TreeLeaf {
    let upper = NumberLeaf()
    let middle = keys.count / 2
    upper.keys = Array(keys[middle...])
    upper.values = Array(values[middle...])
    keys.removeSubrange(middle...)
    values.removeSubrange(middle...)
    return upper
  }

  func absorb(_ next: any TreeLeaf) throws(StorageError) {
    guard let next = next as? NumberLeaf else { preconditionFailure("leaves of one form") }
    keys += next.keys
    values += next.values
  }

  func encode() throws(StorageError) -> (payload: [UInt8], summary: [UInt8]) {
    var payload: [UInt8] = []
    for (key, value) in zip(keys, values) {
      payload.appendLittleEndian(key)
      payload.appendLittleEndian(value)
    }
    var summary: [UInt8] = []
    summary.appendLittleEndian(values.max() ?? 0)
    return (payload, summary)
  }

  func recycled() -> any TreeLeaf { NumberLeaf() }
}

/// A tree of `NumberLeaf`, with leaves so short that few entries make a deep tree.
struct NumberTree {
  static let form = TreeForm(
    treeID: 9, leafKind: .rowGroup, hasByteKeys: false, compressesLeaves: false)
  static let leafEntryLimit = 8

  let mutable: MutableTree

  init(_ transaction: WriteTransaction) {
    mutable = MutableTree(
      root: transaction.base.catalogue, form: Self.form,
      leafByteLimit: 16 * Self.leafEntryLimit, transaction: transaction,
      makeLeaf: { NumberLeaf() }, decodeLeaf: { NumberLeaf($0) })
  }

  func set(_ value: UInt64?, for key: UInt64) throws {
    guard let leaf = try mutable.mutableLeaf(for: TreeKey(key)) as? NumberLeaf else {
      preconditionFailure("leaves of one form")
    }
    leaf.set(value, for: key)
  }

  func append(_ value: UInt64, for key: UInt64) throws {
    let leaf = try mutable.leafForAppend(
      isFull: { $0.entryCount >= Self.leafEntryLimit }, key: TreeKey(key))
    guard let leaf = leaf as? NumberLeaf else { preconditionFailure("leaves of one form") }
    leaf.set(value, for: key)
  }

  func value(for key: UInt64) throws -> UInt64? {
    let leaf: NumberLeaf
    switch try mutable.locate(TreeKey(key)) {
    case .nowhere: return nil
    case .mutable(let found):
      guard let found = found as? NumberLeaf else { preconditionFailure("leaves of one form") }
      leaf = found
    case .stored(let page): leaf = NumberLeaf(page)
    }
    return leaf.keys.firstIndex(of: key).map { leaf.values[$0] }
  }

  static func tree(_ snapshot: StorageSnapshot) -> Tree {
    Tree(root: snapshot.slot.catalogue, form: form, reader: snapshot.reader)
  }

  static func contents(of tree: Tree) throws -> [(key: UInt64, value: UInt64)] {
    var contents: [(key: UInt64, value: UInt64)] = []
    var cursor = tree.cursor()
    while let entry = try cursor.next() {
      let leaf = NumberLeaf(try tree.leafPage(entry.reference))
      contents += zip(leaf.keys, leaf.values).map { (key: $0, value: $1) }
    }
    return contents
  }

  /// The references of all leaves, in key order.
  static func leaves(of tree: Tree) throws -> [PageReference] {
    var references: [PageReference] = []
    var cursor = tree.cursor()
    while let entry = try cursor.next() { references.append(entry.reference) }
    return references
  }

  static func findings(in snapshot: StorageSnapshot) -> [CheckFinding] {
    var audit = Audit()
    let tree = tree(snapshot)
    tree.check(&audit) { page, _ in
      let leaf = NumberLeaf(page)
      guard let first = leaf.keys.first, let last = leaf.keys.last else { return (0, nil) }
      return (UInt64(leaf.entryCount), TreeKey(first)...TreeKey(last))
    }
    snapshot.checkSpace(&audit)
    return audit.findings
  }
}
