import AtollObjects

/// Makes operations, images and the index of what is pending of what recorders noted.
///
/// At the end of a transaction, when head is as it will be committed. The operations on one object
/// lie side by side. A transaction with much becomes several entries of the outbox, of which each is
/// judged, answered and rebased by itself.
struct Recording {
  /// How many bytes the operations of one transaction may have: what a server takes as one message,
  /// less what the message says beside them (Format.md, "Sync messages").
  static let byteCountLimit = 64 << 20 - 4_096

  let transaction: Transaction
  let capture: Capture
  private var state: SyncState
  /// Whether operations are recorded; else only the elements of lists are kept in step.
  let isRecorded: Bool
  /// The operations' bytes: an entry may have a million.
  private var body = RecordedWriter()
  private(set) var operationCount: UInt32 = 0
  private let limits: RecordingLimits
  /// Whether an entry may end between the parts of one object.
  private let dividesObjects: Bool

  /// `isMending`: operations are recorded, though no application writes; the caller ends entries.
  init(_ transaction: Transaction, isMending: Bool = false) throws(ObjectError) {
    self.transaction = transaction
    capture = try transaction.capture
    state = try capture.state()
    isRecorded = transaction.origin == .app || isMending
    limits = transaction.captureState.limits
    // Of what is sent again a server protects what it has only in the entry with the creation.
    dividesObjects = !isMending
  }

  /// Writes the entry, if there are operations.
  ///
  /// - Throws: `.transactionTooLarge`: an entry that no server takes would hold up all after it.
  mutating func finish() throws(ObjectError) {
    guard operationCount > 0 else { return }
    state.clock = state.clock.next(milliseconds: transaction.database.clock())
    try finish(clock: state.clock)
  }

  /// The same with a clock that is not the file's.
  mutating func finish(clock: HybridClock) throws(ObjectError) {
    guard operationCount > 0 else { return }
    guard byteCount <= Self.byteCountLimit else {
      throw .transactionTooLarge(byteCount: byteCount, limit: Self.byteCountLimit)
    }
    var content = RecordedWriter()
    content.append(byte: 0)
    content.append(fixed: clock.rawValue)
    content.append(state.seen)
    content.append(varint: UInt64(operationCount))
    content.append(raw: body.bytes)
    body = RecordedWriter()
    operationCount = 0
    _ = try capture.append(content: content.bytes, to: &state)
    try capture.setState(state)
  }

  /// Whether the entry has as much as one is to have.
  private var isFull: Bool {
    operationCount >= limits.operationCount || byteCount >= limits.byteCount
  }

  /// Begins another entry when this one has enough.
  ///
  /// Between two objects: the operations on one are judged together.
  mutating func endEntryIfFull() throws(ObjectError) {
    if isFull { try finish() }
  }

  /// The same with a clock that is not the file's.
  mutating func endEntryIfFull(clock: HybridClock) throws(ObjectError) {
    if isFull { try finish(clock: clock) }
  }

  /// The same between two elements, entries or members of one object.
  ///
  /// Its creation and its single values are in the entry that ends, so that rules see whose it is,
  /// and what follows names that creation. Not of an asymmetric object, which comes as a whole.
  mutating func endEntryIfFull(within object: inout Subject) throws(ObjectError) {
    guard isRecorded, dividesObjects, isFull, !object.writer.schema.isAsymmetric else { return }
    try keep(object)
    try finish()
    object.first = 0
    object.images = try OpenImages(capture, object.keyBytes)
  }

  /// How many bytes the operations have.
  var byteCount: Int { body.bytes.count }

  // MARK: Objects

  mutating func record(_ note: Recorder.Note, _ key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    let exists = try writer.contains(key)
    guard note.wasThere || exists else { return }
    let link = ObjectLink(table: writer.schema.id, key: key)
    var known = note.deleted
    if known == nil { known = try transaction.address(of: link) }
    guard let address = known else { return }
    var object = Subject(address, key, writer, first: operationCount)
    guard !writer.schema.isAsymmetric else {
      // It has neither a life nor a confirmed value on a device: operations are all there is of it.
      guard exists else { return }
      // It comes as a whole, and not behind others in an entry that gets too large.
      var partCount = 0
      for column in writer.schema.columns where column.layout.collection != .none {
        partCount += try count(column, of: object)
      }
      if Int(operationCount) + partCount > limits.operationCount {
        try finish()
        object.first = 0
      }
      try recordCreation(&object)
      return
    }
    if isRecorded {
      object.generations = try capture.generations(of: address)
      object.images = try OpenImages(capture, object.keyBytes)
    }
    if note.wasThere, exists, note.deleted == nil {
      try recordChanges(try settled(note, key, writer), &object)
    } else {
      if note.wasThere { try recordDeletion(note, &object) }
      if exists { try recordCreation(&object) }
    }
    guard isRecorded, operationCount > object.first else { return }
    try keep(object)
  }

  /// Keeps the images of an object, and where its operations are.
  private func keep(_ object: Subject) throws(ObjectError) {
    try object.images?.write()
    try capture.setPending(
      PendingOperations(
        number: state.nextNumber, first: object.first, count: operationCount - object.first),
      of: object.address, number: state.nextNumber)
  }

  /// Records an object that the server was not told of.
  ///
  /// If the server has the object after all, its judge leaves what it has unchanged.
  mutating func recordAgain(_ address: ObjectAddress, _ key: UInt64, _ writer: TableWriter)
    throws(ObjectError)
  {
    var object = Subject(address, key, writer, first: operationCount)
    object.generations = try capture.generations(of: address)
    object.images = try OpenImages(capture, object.keyBytes)
    try recordCreation(&object, isAgain: true)
    try keep(object)
  }

  /// The object that is being recorded.
  struct Subject {
    let address: ObjectAddress
    let keyBytes: [UInt8]
    let key: UInt64
    let writer: TableWriter
    /// The number of its first operation in the entry.
    var first: UInt32
    var generations = ObjectGenerations(confirmed: nil, head: nil)
    /// Nil when no operations are recorded.
    var images: OpenImages?

    init(_ address: ObjectAddress, _ key: UInt64, _ writer: TableWriter, first: UInt32) {
      self.address = address
      self.key = key
      self.writer = writer
      self.first = first
      keyBytes = CaptureKey.object(address)
    }

    /// Keeps the value before of a unit that is touched, if that is the confirmed one.
    mutating func keep(_ value: UnitValue?, _ path: UnitPath) throws(ObjectError) {
      try images?.keep(value, path)
    }

    /// What operations name that are not a creation.
    var generation: Generation {
      generations.head
        ?? .confirmed(
          generations.confirmed ?? Cursor(incarnation: 0, version: 0))
    }
  }

  mutating func append(_ action: Operation.Action, _ object: Subject) {
    guard isRecorded else { return }
    var generation: Generation?
    if case .create = action {} else { generation = object.generation }
    body.append(Operation(object: object.address, generation: generation, action: action))
    operationCount += 1
  }

  private mutating func recordCreation(_ object: inout Subject, isAgain: Bool = false)
    throws(ObjectError)
  {
    if isRecorded {
      if object.images?.existence == nil { try object.images?.setAbsent() }
      append(.create, object)
      object.generations.head = .pending(number: state.nextNumber, index: operationCount - 1)
    }
    if isRecorded, !object.writer.schema.isAsymmetric {
      if !object.writer.schema.isKeyedByPrimaryKey {
        object.generations.localKey = ObjectKey(rawValue: object.key)
      }
      try capture.setGenerations(object.generations, of: object.address)
    }
    // Single values first, then short collections: an entry may end among the parts of a long one,
    // and conditions are asked about what it has by then.
    let columns = object.writer.schema.columns.filter { !$0.isPrimaryKey }
    let values = columns.filter { $0.layout.collection == .none }
    for column in values + (try shortestFirst(columns, of: object)) {
      try identify(column, of: object.key, object.writer)
      switch column.layout.collection {
      case .list where isAgain: try recordKnownList(column, object)
      case .list: try recordNewList(column, &object)
      case .set, .map:
        let new = try transaction.recorded(column, of: object.key, object.writer)
        try recordParts(column, from: [], to: new.parts, &object)
      case .none:
        let value = try transaction.recorded(column, of: object.key, object.writer)
        guard value != RecordedValue(defaultOf: column.layout) else { continue }
        append(.set(property: column.name, value), object)
      }
    }
  }

  /// The collections among some properties, by their numbers of elements.
  private func shortestFirst(
    _ columns: [Column], of object: Subject
  ) throws(ObjectError) -> [Column] {
    let collections = columns.filter { $0.layout.collection != .none }
    guard collections.count > 1 else { return collections }
    var counted: [(count: Int, column: Column)] = []
    for column in collections {
      counted.append((try count(column, of: object), column))
    }
    return counted.enumerated().sorted {
      ($0.element.count, $0.offset) < ($1.element.count, $1.offset)
    }.map(\.element.column)
  }

  private func count(_ column: Column, of object: Subject) throws(ObjectError) -> Int {
    guard column.layout.collection != .list else {
      return try transaction.items(column, of: object.key, object.writer).count
    }
    return try transaction.recorded(column, of: object.key, object.writer).parts.count
  }

  private mutating func recordDeletion(_ note: Recorder.Note, _ object: inout Subject)
    throws(ObjectError)
  {
    if isRecorded {
      if object.images?.existence == nil {
        for (id, value) in note.before {
          guard let column = object.writer.schema.column(id: id) else { continue }
          switch value {
          case .value(let value) where column.layout.hasParts:
            for part in value.parts {
              try object.keep(part.value, .entry(property: column.name, part.key))
            }
          case .value(let value): try object.keep(.value(value), .property(column.name))
          case .list(let elements):
            for (element, value) in elements {
              try object.keep(
                .element(element.position, value), .element(property: column.name, element.id))
            }
          }
        }
        // Elements that pending operations inserted had none before: they have their images.
        object.images?.setPresent()
      }
      append(.delete, object)
      object.generations.head = nil
      // The key stays while the object is confirmed.
      if !object.writer.schema.isKeyedByPrimaryKey {
        object.generations.localKey = ObjectKey(rawValue: object.key)
      }
      try capture.setGenerations(object.generations, of: object.address)
    }
    try capture.removeElements(of: object.address)
  }

  private mutating func recordChanges(_ note: Recorder.Note, _ object: inout Subject)
    throws(ObjectError)
  {
    // Single values first, as those of a new object.
    let schema = object.writer.schema
    let hasParts = { (id: UInt32) in schema.column(id: id)?.layout.hasParts ?? false }
    let before =
      note.before.filter { !hasParts($0.column) } + note.before.filter { hasParts($0.column) }
    for (id, before) in before {
      guard let column = object.writer.schema.column(id: id) else { continue }
      try identify(column, of: object.key, object.writer)
      // A list that changes has notes of its own.
      if case .value(let old) = before {
        guard isRecorded else { continue }
        let new = try transaction.recorded(column, of: object.key, object.writer)
        guard new != old else { continue }
        guard !column.layout.hasParts else {
          try recordParts(column, from: old.parts, to: new.parts, &object)
          continue
        }
        let path = UnitPath.property(column.name)
        try object.keep(.value(old), path)
        let child = try transaction.child(column, of: object.key, object.writer)
        if try !recordInside(path, from: old, to: new, column, child, object) {
          append(note.change(of: column, from: old, to: new), object)
        }
      }
    }
    for (id, before) in note.parts.sorted(by: { $0.key < $1.key }) {
      guard let column = object.writer.schema.column(id: id) else { continue }
      guard isRecorded else { continue }
      if transaction.isOwning(column) {
        var children: [UInt64] = []
        for part in before.keys {
          if let child = try child(part, column, object) { children.append(child.key) }
        }
        // In an order that is always the same.
        for child in children.sorted() { try identify(child, column) }
      }
      let now = try transaction.recordedParts(
        before.keys, column, of: object.key, object.writer)
      let empty: RecordedValue = column.layout.collection == .map ? .map([]) : .set([])
      try recordParts(
        column, from: empty.replacing(before).parts,
        to: empty.replacing(now.mapValues { .some($0) }).parts, &object)
    }
    for (id, list) in note.lists.sorted(by: { $0.key < $1.key }) {
      guard let column = object.writer.schema.column(id: id) else { continue }
      try recordList(column, list, &object)
    }
  }

  // MARK: Sets and maps

  /// Records what differs, part by part: what was there and is not is a removal.
  private mutating func recordParts(
    _ column: Column, from old: [RecordedValue.Part], to new: [RecordedValue.Part],
    _ object: inout Subject
  ) throws(ObjectError) {
    guard isRecorded else { return }
    let before = Dictionary(old.map { ($0.key, $0.value) }, uniquingKeysWith: { a, _ in a })
    let now = Set(new.map(\.key))
    for part in old where !now.contains(part.key) {
      try object.keep(part.value, .entry(property: column.name, part.key))
      append(.removeEntry(property: column.name, key: part.key), object)
      try endEntryIfFull(within: &object)
    }
    for part in new where before[part.key] != part.value {
      try endEntryIfFull(within: &object)
      let path = UnitPath.entry(property: column.name, part.key)
      try object.keep(before[part.key], path)
      switch part.value {
      case .value(let value):
        if case .value(let old)? = before[part.key] {
          let child = try child(part.key, column, object)?.key
          if try recordInside(path, from: old, to: value, column, child, object) { continue }
        }
        append(.setEntry(property: column.name, key: part.key, value), object)
      case .exists, .element: append(.addMember(property: column.name, part.key), object)
      }
    }
  }
}

extension Recorder.Note {
  /// What made one value of another: an increment, where nothing but increments did.
  fileprivate func change(of column: Column, from old: RecordedValue, to new: RecordedValue)
    -> Operation.Action
  {
    if let sum = increments[column.id], case .int(let a) = old, new == .int(a &+ sum) {
      return .increment(property: column.name, by: sum)
    }
    return .set(property: column.name, new)
  }
}
