internal import AtollObjects

/// What a transaction that is being judged makes of one object.
///
/// Only `record` and `elements` change while it is judged; then `changes` are carried out in order.
struct ObjectDraft {
  enum Change {
    case create
    case delete
    /// By the operation with this place in the transaction.
    case write(UnitPath, UnitValue?, operation: Int)
  }

  /// An element of one of the object's lists.
  struct Element: Hashable {
    var column: UInt32
    var id: ElementID
  }

  let address: ObjectAddress
  /// The places of the transaction's operations on the object.
  var operations: [Int] = []
  /// The object's number; nil until there is one.
  var number: ObjectNumber?
  let before: ObjectRecord
  var record: ObjectRecord
  /// The elements that were looked at, as they are now; nil: never inserted.
  var elements: [Element: ElementRecord?] = [:]
  /// Those of them that were written.
  var writtenElements: Set<Element> = []
  /// Whether elements that lay in the store belong to an earlier life.
  var isReset = false
  var changes: [Change] = []
  /// Accepted creations: their places in the transaction.
  var creations: [Int] = []
  var hasMergedCreation = false
  /// What the object held before, to undo a creation; nil when it is not needed.
  var saved: [UnitPath: UnitValue]?

  init(address: ObjectAddress, number: ObjectNumber?, record: ObjectRecord) {
    self.address = address
    self.number = number
    before = record
    self.record = record
  }

  /// Whether anything was accepted.
  var isAccepted: Bool { !changes.isEmpty || !creations.isEmpty }

  /// Whether the object must be in view when the transaction is over.
  var needsView: Bool { !creations.isEmpty && record.generation != nil }

  /// Nothing was judged.
  mutating func restart() {
    record = before
    elements = [:]
    writtenElements = []
    isReset = false
    changes = []
    creations = []
    hasMergedCreation = false
  }
}
