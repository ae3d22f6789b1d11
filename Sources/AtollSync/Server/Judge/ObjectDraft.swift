internal import AtollCapture
internal import AtollObjects

/// The changes of one object by the transaction that is being judged.
///
/// Only the records and `edited` change while it is judged; then `changes` are applied in order.
struct ObjectDraft {
  enum Change {
    case create
    case delete
    /// By the operation with this place in the transaction.
    case write(UnitPath, UnitValue?, operation: Int)
    /// Of the value in `edited`, with all changes inside it, by the operation of the first one.
    case edit(UnitPath, operation: Int)
    /// Of an element of a list that is there.
    case move(UnitPath, ListPosition)
    /// To a whole number; null stays as it is.
    case add(UnitPath, Int64)

    /// The unit that is changed; nil for a change of the whole object.
    var path: UnitPath? {
      switch self {
      case .create, .delete: nil
      case .write(let path, _, _), .edit(let path, _), .add(let path, _), .move(let path, _): path
      }
    }
  }

  /// What an object held before its changes.
  struct SavedValues {
    /// Whether all units are there that the object had, else those that are changed.
    var isWhole: Bool
    /// Nil for a unit that was not there.
    var values: [UnitPath: UnitValue?] = [:]
  }

  /// A part of one of the object's collections.
  struct Part: Hashable {
    var column: UInt32
    var name: PartName
  }

  let address: ObjectAddress
  /// Whether the object is stored and sent to no device, so that no view and no membership has it.
  let isAsymmetric: Bool
  /// The places of the transaction's operations on the object.
  var operations: [Int] = []
  /// The object's number; nil until there is one.
  var number: ObjectNumber?
  let before: ObjectRecord
  /// Whether the user may change, and delete, the object as it was before.
  var isWritable = true
  var isDeletable = true
  /// Whether the client holds the object; nil until it was asked.
  ///
  /// The same for all operations: nothing of the transaction is stored while it is judged.
  var isHeld: Bool?
  var record: ObjectRecord
  /// The parts that were read, in their current state; nil: never existed.
  var parts: [Part: PartRecord?] = [:]
  /// Those of them that were written.
  var writtenParts: Set<Part> = []
  /// The records of places inside units that were read, in their current state; nil: none was
  /// written.
  var inner: [InnerUnit: InnerRecord?] = [:]
  /// Those of them that were written.
  var writtenInner: Set<InnerUnit> = []
  /// Units inside which something is changed, or was to be.
  var edited: [UnitPath: EditedUnit] = [:]
  /// Units that may hold places and that the transaction has written as a whole.
  var replaced: Set<UnitPath> = []
  /// The parts of collections whose values before the transaction were read one by one; nil: not
  /// there.
  var storedParts: [UnitPath: RecordedValue?] = [:]
  /// All values of the object before the transaction, once many of them were needed.
  var stored: [UnitPath: UnitValue]?
  /// What the units take that the transaction has written.
  var sizes: [UnitPath: StoredSize] = [:]
  /// Whether parts that lay in the store belong to an earlier life.
  var isReset = false
  var changes: [Change] = []
  /// Accepted creations: their places in the transaction.
  var creations: [Int] = []
  var hasMergedCreation = false
  /// What the object must match at the end of the transaction, for the accepted operations to be
  /// allowed; nil: nothing.
  var demand: ViewQuery?
  /// The old values of the object, to undo accepted operations; nil when they are not needed.
  var saved: SavedValues?

  init(
    address: ObjectAddress, isAsymmetric: Bool, number: ObjectNumber?, record: ObjectRecord
  ) {
    self.address = address
    self.isAsymmetric = isAsymmetric
    self.number = number
    before = record
    self.record = record
  }

  /// Whether anything was accepted: also the removal of an element that is not there, which an
  /// insertion that comes later must find.
  var isAccepted: Bool { !changes.isEmpty || !creations.isEmpty || !writtenParts.isEmpty }

  /// Whether the object must be in view at the end of the transaction.
  var needsView: Bool { !creations.isEmpty && record.generation != nil && !isAsymmetric }

  /// Whether the object must satisfy a condition at the end of the transaction.
  var mustSettle: Bool { needsView || demand != nil }

  /// The condition of the rights for the accepted operations.
  func demand(_ rights: ClassRights?) -> ViewQuery? {
    guard isAccepted, record.generation != nil, let rights else { return nil }
    let isNew = before.generation == nil || isReset
    guard case .matching(let text) = isNew ? rights.insert : rights.write else { return nil }
    if !isNew, let properties = rights.writeProperties {
      let mayMatter = changes.contains { change in
        change.path?.property.map { properties.contains(ExactText($0)) } ?? true
      }
      guard mayMatter else { return nil }
    }
    return ViewQuery(className: address.className, text: text.text)
  }

  /// Nothing was judged.
  mutating func restart() {
    isHeld = nil
    demand = nil
    record = before
    parts = [:]
    writtenParts = []
    inner = [:]
    writtenInner = []
    edited = [:]
    replaced = []
    storedParts = [:]
    stored = nil
    sizes = [:]
    isReset = false
    changes = []
    creations = []
    hasMergedCreation = false
  }
}
