package import AtollCapture
package import AtollObjects

/// An operation to be reported to the app: the server refused it, or it came too late.
///
/// Written by the rebase that undoes the operation, exactly one for each; stays until the app has
/// handled it.
package struct InboxEntry: Hashable, Sendable, Identifiable {
  package enum Kind: Int64, Hashable, Sendable, CaseIterable {
    case create = 0
    case delete = 1
    case set = 2
    case insert = 3
    case setElement = 4
    case removeElement = 5
    case setEntry = 6
    case addMember = 7
    case removeEntry = 8
    case increment = 9
    case moveElement = 10
    case edit = 11
  }

  /// A change inside a unit.
  package struct Inside: Hashable, Sendable {
    package let place: InnerPlace
    package let change: InnerChange
  }

  package enum Reason: Hashable, Sendable {
    /// The object, or the element, had been deleted.
    case deletion
    case refused(Refusal.Reason)
  }

  /// The entry's name and the place of the operation in it: the same after a crash.
  package let id: String
  package let object: ObjectAddress
  package let kind: Kind
  /// The property; nil for a creation and a deletion.
  package let property: String?
  /// The element of a list.
  package let element: ElementID?
  /// The key of a map's entry, or the member of a set.
  package let part: RecordedValue?
  /// The place of the change within the unit, and the change.
  package let inside: Inside?
  package let reason: Reason
  /// A sentence for people.
  package let text: String
  /// The value that the operation wrote, of a move the place in bytes; nil when it wrote none.
  package let value: RecordedValue?
  /// When the operation was made, by the device's clock.
  package let madeAt: HybridClock

  /// The order in the outbox: by clock, then by the place in the entry.
  var place: (HybridClock, UInt64) {
    (madeAt, id.split(separator: ".").last.flatMap { UInt64($0) } ?? 0)
  }
}

/// How the inbox lies in the file: a hidden class.
package enum Inbox {
  static let className = "Sync.Inbox"

  static let schema = ClassSchema(
    className,
    properties: [
      PropertySchema("id", .string), PropertySchema("class", .string),
      PropertySchema("key", .mixed), PropertySchema("kind", .int),
      PropertySchema("property", .string, isOptional: true), elementProperty, partProperty,
      insideProperty, PropertySchema("reason", .int),
      PropertySchema("text", .string), valueProperty,
      PropertySchema("madeAt", .int),
    ], primaryKey: "id", isHidden: true)

  private static let valueProperty = PropertySchema("value", .data, isOptional: true)

  /// The element's id in bytes; files from before it had no such property.
  private static let elementProperty = PropertySchema("element", .data, isOptional: true)

  /// The key of an entry or the member, in bytes; files from before it had no such property.
  private static let partProperty = PropertySchema("part", .data, isOptional: true)

  /// The place and the change in bytes; files from before it had no such property.
  private static let insideProperty = PropertySchema("inside", .data, isOptional: true)

  /// The number in the file of a reason that is not a refusal.
  private static let deletion: Int64 = 0

  // MARK: Reading

  /// All entries, oldest first.
  package static func entries(_ source: any TreeSource) throws(ObjectError) -> [InboxEntry] {
    guard source.schema.contains(className) else { return [] }
    var entries: [InboxEntry] = []
    var rows: [Object] = []
    do { try source.table(className).forEach { rows.append($0) } } catch {
      throw error as? ObjectError ?? .noSuchClass(className, nearest: nil)
    }
    for row in rows { if let entry = try entry(row) { entries.append(entry) } }
    entries.sort { $0.place < $1.place }
    return entries
  }

  /// The entries with these ids that are there, oldest first.
  ///
  /// - Complexity: A search by primary key for each.
  package static func entries(_ ids: [InboxEntry.ID], in source: any TreeSource)
    throws(ObjectError) -> [InboxEntry]
  {
    guard source.schema.contains(className) else { return [] }
    let table = try source.table(className)
    var entries: [InboxEntry] = []
    for id in ids {
      guard let row = try table.object(primaryKey: .string(id)), let entry = try entry(row) else {
        continue
      }
      entries.append(entry)
    }
    entries.sort { $0.place < $1.place }
    return entries
  }

  private static func entry(_ row: Object) throws(ObjectError) -> InboxEntry? {
    guard let id = try row["id"].string, let className = try row["class"].string,
      let kind = InboxEntry.Kind(rawValue: try row["kind"].int ?? -1),
      let number = try row["reason"].int, let text = try row["text"].string
    else { return nil }
    let reason: InboxEntry.Reason =
      number == deletion
      ? .deletion : .refused(Refusal.Reason(rawValue: UInt64(bitPattern: number)))
    let inside = try decoded(insideProperty, row) { reader throws(ValueCodingError) in
      InboxEntry.Inside(
        place: try reader.readInnerPlace(), change: try reader.readInnerChange())
    }
    return InboxEntry(
      id: id, object: ObjectAddress(className: className, primaryKey: try row["key"]),
      kind: kind, property: try row["property"].string,
      element: try decoded(elementProperty, row) { reader throws(ValueCodingError) in
        try reader.readElementID()
      },
      part: try decoded(partProperty, row) { reader throws(ValueCodingError) in
        try reader.readValue()
      },
      inside: inside, reason: reason, text: text,
      value: try decoded(valueProperty, row) { reader throws(ValueCodingError) in
        try reader.readValue()
      },
      madeAt: HybridClock(rawValue: UInt64(bitPattern: try row["madeAt"].int ?? 0)))
  }

  /// The bytes of a property; nil when they cannot be read, and in a file from before the property
  /// existed.
  private static func decoded<Part>(
    _ property: PropertySchema, _ row: Object,
    _ read: (inout RecordedReader) throws(ValueCodingError) -> Part
  ) throws(ObjectError) -> Part? {
    guard row.table.schema.column(property.name) != nil, let bytes = try row[property.name].data
    else { return nil }
    var reader = RecordedReader(bytes)
    return try? read(&reader)
  }

  // MARK: Writing

  /// Whether an entry is there.
  package static func contains(_ id: String, in transaction: Transaction) throws(ObjectError)
    -> Bool
  {
    guard transaction.schema.contains(className) else { return false }
    return try transaction.key(className, primaryKey: .string(id)) != nil
  }

  /// Removes an entry that the app has handled; false when there is none.
  @discardableResult
  package static func remove(_ id: String, in transaction: Transaction) throws(ObjectError)
    -> Bool
  {
    guard transaction.schema.contains(className),
      let key = try transaction.key(className, primaryKey: .string(id))
    else { return false }
    try transaction.delete(className, key)
    return true
  }

  /// Writes the result of an operation, if it is to be reported.
  ///
  /// - Returns: The id of the new entry; nil when none is needed, or it exists.
  static func insert(
    _ operation: PendingOperation, name: EntryName, clock: HybridClock, verdict: Verdict,
    in transaction: Transaction
  ) throws(ObjectError) -> InboxEntry.ID? {
    let reason: Int64
    let text: String
    switch verdict {
    case .applied, .known, .outdated(.newerClock): return nil
    case .outdated(.deletion):
      reason = deletion
      text = "what was changed had been deleted on another device"
    case .refused(let refusal):
      reason = Int64(bitPattern: refusal.reason.rawValue)
      text =
        refusal.text.isEmpty ? refusal.reason.sentence : PeerText.shortened(refusal.text)
    }
    // Operations that a repaired file sends again are reported once for each object.
    if clock == .retelling, operation.operation.action != .create { return nil }
    if let known = transaction.schema[className] {
      for added in [elementProperty, partProperty, insideProperty]
      where known[added.name] == nil {
        try transaction.addProperty(added, to: className)
      }
    } else {
      try transaction.addClass(schema)
    }
    let id = self.id(name, operation.index)
    guard try transaction.key(className, primaryKey: .string(id)) == nil else { return nil }
    let action = operation.operation.action
    let (kind, property, value) = contents(action)
    try transaction.create(
      className,
      [
        "id": .string(id), "class": .string(operation.operation.object.className),
        "key": operation.operation.object.primaryKey, "kind": .int(kind.rawValue),
        "property": property.map { .string($0) } ?? .null, "reason": .int(reason),
        "element": element(of: action).map { .data(bytes($0)) } ?? .null,
        "part": part(of: action).map { .data(bytes($0)) } ?? .null,
        "inside": inside(action).map { .data($0) } ?? .null,
        "text": .string(text), "value": value.map { .data(bytes($0)) } ?? .null,
        "madeAt": .int(Int64(bitPattern: clock.rawValue)),
      ])
    return id
  }

  private static func id(_ name: EntryName, _ index: UInt32) -> String {
    String(name.client, radix: 16) + "." + String(name.number) + "." + String(index)
  }

  private static func bytes(_ value: RecordedValue) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(value)
    return writer.bytes
  }

  private static func bytes(_ element: ElementID) -> [UInt8] {
    var writer = RecordedWriter()
    writer.append(element)
    return writer.bytes
  }

  private static func element(of action: Operation.Action) -> ElementID? {
    switch action {
    case .insert(_, let id, _, _), .setElement(_, let id, _), .removeElement(_, let id),
      .moveElement(_, let id, _):
      id
    case .edit(.element(_, let id), _, _): id
    case .create, .delete, .set, .increment, .setEntry, .addMember, .removeEntry, .edit: nil
    }
  }

  private static func part(of action: Operation.Action) -> RecordedValue? {
    switch action {
    case .setEntry(_, let key, _), .addMember(_, let key), .removeEntry(_, let key): key
    case .edit(.entry(_, let key), _, _): key
    case .create, .delete, .set, .increment, .insert, .setElement, .removeElement, .moveElement,
      .edit:
      nil
    }
  }

  private static func inside(_ action: Operation.Action) -> [UInt8]? {
    guard case .edit(_, let place, let change) = action else { return nil }
    var writer = RecordedWriter()
    writer.append(place)
    writer.append(change)
    return writer.bytes
  }

  private static func contents(
    _ action: Operation.Action
  ) -> (InboxEntry.Kind, String?, RecordedValue?) {
    switch action {
    case .create: (.create, nil, nil)
    case .delete: (.delete, nil, nil)
    case .set(let property, let value): (.set, property, value)
    case .insert(let property, _, _, let value): (.insert, property, value)
    case .setElement(let property, _, let value): (.setElement, property, value)
    case .removeElement(let property, _): (.removeElement, property, nil)
    case .setEntry(let property, _, let value): (.setEntry, property, value)
    case .addMember(let property, let member): (.addMember, property, member)
    case .removeEntry(let property, _): (.removeEntry, property, nil)
    case .increment(let property, let delta): (.increment, property, .int(delta))
    case .moveElement(let property, _, let position):
      (.moveElement, property, .data(position.bytes))
    case .edit(let path, _, .set(let value)): (.edit, path.property, value)
    case .edit(let path, _, .remove): (.edit, path.property, nil)
    case .edit(let path, _, .increment(let delta, _)): (.edit, path.property, .int(delta))
    }
  }
}

extension Refusal.Reason {
  /// The text when the server sends none.
  package var sentence: String {
    switch self {
    case .outsideView: "the object is outside of the subscriptions that were in force"
    case .forbidden: "the user is not allowed to do this"
    case .unknownSchema: "the server does not have the class or the property"
    case .typeMismatch: "the value does not fit the server's property"
    case .schemaConflict: "the class differs from the server's"
    case .invalidQuery: "the server cannot answer the query"
    case .tooLarge: "it is larger than the server takes"
    case .quotaExceeded:
      "the objects of the user who made it take as much on the server as they may"
    case .duplicateElement: "the list has, or had, another element with this id"
    default: "the server refused it, reason \(rawValue)"
    }
  }
}
