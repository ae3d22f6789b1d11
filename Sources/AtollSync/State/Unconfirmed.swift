import AtollCapture
import AtollObjects
import AtollStorage

/// The objects that a device had before it began to synchronise as new, and that have not arrived
/// since (R18).
///
/// While batches are committed one by one they lie in the tree `unconfirmed`; the last batch
/// removes the remaining objects.
enum Unconfirmed {
  static let treeName = "unconfirmed"
  /// A record that is there once one of the objects has arrived, or another set is answered.
  private static let arrivedName = "arrived"

  /// Begins with all objects that are confirmed.
  static func begin(in transaction: Transaction) throws(ObjectError) {
    let tree = try transaction.namedTree(treeName)
    if tree.count > 0 { try tree.removeAll() }
    let capture = try transaction.capture
    try capture.setRecord(arrivedName, nil)
    try capture.forEachConfirmed { object throws(ObjectError) in
      try tree.set([], for: key(object))
    }
  }

  static func isEmpty(in transaction: Transaction) throws(ObjectError) -> Bool {
    try transaction.namedTree(treeName).count == 0
  }

  static func add(_ object: ObjectAddress, in transaction: Transaction) throws(ObjectError) {
    try transaction.namedTree(treeName).set([], for: key(object))
  }

  /// An object arrived.
  static func remove(_ object: ObjectAddress, in transaction: Transaction) throws(ObjectError) {
    let (tree, key) = (try transaction.namedTree(treeName), key(object))
    guard try tree.get(key) != nil else { return }
    try tree.set(nil, for: key)
    try noteArrival(in: transaction)
  }

  /// That none is left is no sign of a server that has lost them all.
  static func noteArrival(in transaction: Transaction) throws(ObjectError) {
    let capture = try transaction.capture
    if try capture.record(arrivedName) == nil { try capture.setRecord(arrivedName, []) }
  }

  /// Whether there are any, and none has arrived.
  static func areAll(in transaction: Transaction) throws(ObjectError) -> Bool {
    let count = try transaction.namedTree(treeName).count
    guard count > 0 else { return false }
    return try transaction.capture.record(arrivedName) == nil
  }

  static func objects(in transaction: Transaction) throws(ObjectError) -> [ObjectAddress] {
    var objects: [ObjectAddress] = []
    try transaction.namedTree(treeName).forEach(prefix: []) { key, _ throws(ObjectError) in
      var reader = RecordedReader(key)
      do throws(ValueCodingError) { objects.append(try reader.readAddress()) } catch {
        throw .storage(.corrupted(block: 0, .structure(.malformedEntries)))
      }
    }
    return objects
  }

  static func removeAll(in transaction: Transaction) throws(ObjectError) {
    let tree = try transaction.namedTree(treeName)
    if tree.count > 0 { try tree.removeAll() }
    let capture = try transaction.capture
    if try capture.record(arrivedName) != nil { try capture.setRecord(arrivedName, nil) }
  }

  private static func key(_ object: ObjectAddress) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(object)
    return writer.bytes
  }
}
