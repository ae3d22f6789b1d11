internal import AtollCapture
internal import AtollObjects

/// Decides whether each pushed operation is accepted, and applies it.
///
/// Transactions are judged in order, each on the result of those before it. Whether an object
/// satisfies the rights after its transaction is queried for many transactions at once (`settle`).
/// A transaction that touches an undecided object waits for that.
struct Judge {
  let store: any ServerTransaction
  var state: ServerState
  /// How long views may take.
  let time: ViewTime
  /// What the objects of each user take.
  let storedBytes: StoredBytes
  /// How long the views of each client have taken in `settle`, in nanoseconds.
  private(set) var viewTimes: [UInt64: UInt64] = [:]
  /// Transactions with created objects whose rights are not decided.
  private(set) var open: [PushDraft] = []
  private var openObjects: Set<ObjectAddress> = []
  /// Judged and applied transactions.
  private(set) var finished: [PushDraft] = []

  init(
    store: any ServerTransaction, state: ServerState, time: ViewTime, storedBytes: StoredBytes
  ) {
    self.store = store
    self.state = state
    self.time = time
    self.storedBytes = storedBytes
  }

  /// Returns the transactions finished since the last call.
  mutating func takeFinished() -> [PushDraft] {
    defer { finished.removeAll() }
    return finished
  }

  /// Whether a transaction touches an object of an undecided one.
  func mustSettle(before transaction: RecordedTransaction) -> Bool {
    !openObjects.isEmpty && transaction.operations.contains { openObjects.contains($0.object) }
  }

  // MARK: One transaction

  /// Judges a transaction and applies the accepted operations.
  ///
  /// `limit`: the latest clock that is accepted unchanged.
  mutating func judge(
    _ transaction: RecordedTransaction, number: UInt64, _ connection: Connection,
    limit: HybridClock
  ) throws(ServerStoreError) {
    let record = connection.client
    var transaction = transaction
    transaction.clock = state.clamp(transaction.clock, limit: limit)
    let seenVersion = state.seen(transaction.seen).version
    connection.client.refusedElements.forget(seen: seenVersion)
    var push = PushDraft(
      client: connection.clientID, number: number, transaction: transaction,
      version: state.version + 1, seenVersion: seenVersion,
      rights: connection.rights, views: connection.views, membership: record.membership,
      moves: record.moves, hasNoCursor: record.confirmed == nil,
      refusedElements: connection.client.refusedElements, viewTime: time.limits.judgement)
    push.verdicts = Array(
      repeating: .refused(Refusal(.outsideView)), count: transaction.operations.count)
    try gather(&push)
    try select(&push)
    for place in push.objects.indices {
      try judgeObject(place, &push)
      try carryOut(place, &push)
    }
    if push.objects.contains(where: \.isAccepted) { state.version = push.version }
    noteRefused(transaction, push.verdicts, connection)
    if push.objects.contains(where: \.mustSettle) {
      open.append(push)
      for object in push.objects { openObjects.insert(object.address) }
    } else {
      try finish(&push)
    }
  }

  /// Notes the elements whose insertion was refused since others have their ids.
  ///
  /// The refusal has a version of its own: a device that has seen it knows of it.
  mutating func noteRefused(
    _ transaction: RecordedTransaction, _ verdicts: [Verdict], _ connection: Connection
  ) {
    let ids = zip(transaction.operations, verdicts).compactMap { operation, verdict in
      if case .insert(_, let id, _, _) = operation.action, case .refused(let refusal) = verdict,
        refusal.reason == .duplicateElement
      {
        id
      } else {
        nil
      }
    }
    guard !ids.isEmpty else { return }
    state.version += 1
    for id in ids { connection.client.refusedElements.insert(id, at: state.version) }
  }

  /// Reads the records of the objects that the transaction names.
  private func gather(_ push: inout PushDraft) throws(ServerStoreError) {
    for (index, operation) in push.transaction.operations.enumerated() {
      let address = operation.object
      let place: Int
      if let known = push.places[address] {
        place = known
      } else {
        place = push.objects.count
        push.places[address] = place
        var number: ObjectNumber?
        var record = ObjectRecord()
        if OperationFit.isAddress(address, in: store.schema) {
          number = try store.number(of: address)
          if let number, let bytes = try store.record(number.bytes, in: .objects) {
            record = try ObjectRecord(bytes)
          }
        }
        let isAsymmetric = store.schema.table(address.className)?.isAsymmetric == true
        push.objects.append(
          ObjectDraft(
            address: address, isAsymmetric: isAsymmetric, number: number, record: record))
      }
      push.objects[place].operations.append(index)
    }
  }

  /// Queries which of the objects the user may change and delete, in their state before the
  /// transaction.
  private func select(_ push: inout PushDraft) throws(ServerStoreError) {
    var numbers: [ExactText: [UInt64: Int]] = [:]
    for (place, object) in push.objects.enumerated() {
      guard let number = object.number, object.before.generation != nil else { continue }
      numbers[ExactText(object.address.className), default: [:]][number.key] = place
    }
    for (exactName, places) in numbers {
      let className = exactName.text
      guard let rights = push.rights[className] else { continue }
      let keys = places.keys.sorted()
      let writable = try keys.among(rights.write, of: className, in: store)
      let deletable = try keys.among(rights.delete, of: className, in: store)
      for (key, place) in places {
        push.objects[place].isWritable = writable.contains(key)
        push.objects[place].isDeletable = deletable.contains(key)
      }
    }
  }

  /// Judges all operations on one object, in their order.
  private func judgeObject(_ place: Int, _ push: inout PushDraft) throws(ServerStoreError) {
    for index in push.objects[place].operations {
      if let verdict = refusalOfElement(index, push) {
        push.verdicts[index] = verdict
      } else if let refusal = push.refused[index] {
        push.verdicts[index] = .refused(refusal)
      } else {
        push.verdicts[index] = try verdict(index, place, &push)
      }
    }
    push.objects[place].demand = push.objects[place].demand(
      push.rights[push.objects[place].address.className])
  }

  // MARK: Carrying out

  /// Writes the changes of an object; its old values are kept when they may have to be undone.
  private func carryOut(_ place: Int, _ push: inout PushDraft) throws(ServerStoreError) {
    var object = push.objects[place]
    let isSaving =
      object.mustSettle && object.before.generation != nil && object.saved == nil
    if isSaving { object.saved = try startSaving(object) }
    // Whether the store has values from before the life that the object has now.
    var hasOld = object.before.generation != nil
    for change in object.changes {
      if isSaving, let path = change.path { try save(path, &object) }
      switch change {
      case .create: object.number = try store.create(object.address)
      case .delete:
        try store.delete(object.address, isForgotten: false)
        object.sizes = [:]
        hasOld = false
      case .write(let path, let value, let operation):
        try write(path, value, for: operation, &object, hasOld: hasOld, &push)
      case .edit(let path, let operation):
        guard let unit = object.edited[path] else { continue }
        // Known already: to read it again takes as long as all changes inside of it.
        if hasOld, object.sizes[path] == nil { object.sizes[path] = unit.storedSize }
        try write(path, .value(unit.value), for: operation, &object, hasOld: hasOld, &push)
      case .move(let path, let position):
        let unit = Unit(object: object.address, path: path)
        if case .element(let former, let value)? = try store.value(of: unit) {
          try store.write(unit, .element(position, value))
          object.record.count(position.bytes.count - former.bytes.count)
          object.sizes[path]?.position = position.bytes.count
        }
      case .add(let path, let delta):
        let unit = Unit(object: object.address, path: path)
        if case .value(.int(let number))? = try store.value(of: unit) {
          try store.write(unit, .value(.int(number &+ delta)))
        }
      }
    }
    // They are in the store now, and may be large.
    object.edited = [:]
    push.objects[place] = object
  }

  /// Writes a unit of an object, and counts what it takes.
  ///
  /// `hasOld`: the store has values from before the life that the object has now.
  private func write(
    _ path: UnitPath, _ value: UnitValue?, for operation: Int, _ object: inout ObjectDraft,
    hasOld: Bool, _ push: inout PushDraft
  ) throws(ServerStoreError) {
    let unit = Unit(object: object.address, path: path)
    var old = object.sizes[path] ?? StoredSize()
    if hasOld, object.sizes[path] == nil {
      old = StoredSize(of: try store.value(of: unit), at: path)
    }
    guard try write(unit, value, for: operation, &push) else {
      // Its record stays, as that of what is gone.
      let kept = StoredSize(keptOf: path)
      if value != nil, old.byteCount == 0, kept.kept > 0 {
        object.record.countKept(kept.kept - old.kept)
        object.sizes[path] = kept
      }
      return
    }
    var new = value == nil ? StoredSize(keptOf: path) : StoredSize(of: value, at: path)
    // An element that is set stays where it is.
    if case .element = path, case .value? = value { new.position = old.position }
    object.sizes[path] = new
    object.record.count(new.byteCount - old.byteCount)
    object.record.countKept(new.kept - old.kept)
  }

  /// Writes a unit; the operation is refused for reasons that the schema does not show, such as a
  /// map that is too large.
  ///
  /// - Returns: Whether it was written.
  private func write(
    _ unit: Unit, _ value: UnitValue?, for operation: Int, _ push: inout PushDraft
  ) throws(ServerStoreError) -> Bool {
    do throws(ServerStoreError) {
      try store.write(unit, value)
      return true
    } catch .unfit(let problem) {
      push.verdicts[operation] = .refused(Refusal(.typeMismatch, text: problem))
    } catch .tooLarge(let problem) {
      push.verdicts[operation] = .refused(Refusal(.tooLarge, text: problem))
    }
    return false
  }

  // MARK: After the transactions

  /// Queries whether objects satisfy the rights after their transactions, undoes the others, and
  /// finishes all transactions.
  mutating func settle() throws(ServerStoreError) {
    guard !open.isEmpty else { return }
    var pushes = open
    open = []
    openObjects = []
    var waiting = Array(pushes.indices)
    while !waiting.isEmpty {
      let refused = try refusals(pushes, waiting)
      waiting = []
      for (index, places) in refused {
        for (place, refusal) in places {
          let object = pushes[index].objects[place]
          let operations = refusal.reason == .forbidden ? object.operations : object.creations
          for operation in operations { pushes[index].refused[operation] = refusal }
          try undo(&pushes[index].objects[place])
          pushes[index].inside.byteCount = 0
          try judgeObject(place, &pushes[index])
          try carryOut(place, &pushes[index])
        }
        waiting.append(index)
      }
    }
    for index in pushes.indices { try finish(&pushes[index]) }
  }

  /// The objects that violate the rights: push, and places there with the reason.
  private mutating func refusals(_ pushes: [PushDraft], _ waiting: [Int])
    throws(ServerStoreError) -> [(push: Int, places: [(Int, Refusal)])]
  {
    var questions = ViewQuestions(time)
    var keys: [ViewQuery: Set<UInt64>] = [:]
    for index in waiting {
      let push = pushes[index]
      for object in push.objects where object.mustSettle {
        guard let number = object.number else { continue }
        if object.needsView {
          let className = object.address.className
          for query in push.views where query.className.hasSameBytes(as: className) {
            questions.ask(query, about: number.key, for: push.client)
          }
        }
        if let demand = object.demand { keys[demand, default: []].insert(number.key) }
      }
    }
    let views = try questions.answers(in: store)
    viewTimes.merge(views.spent) { $0 + $1 }
    var matches: [ViewQuery: Set<UInt64>] = [:]
    for (query, keys) in keys {
      matches[query] = Set(try store.keys(matching: query, among: keys.sorted(), in: .now))
    }
    return waiting.compactMap { index in
      let push = pushes[index]
      let places = push.objects.indices.compactMap { place -> (Int, Refusal)? in
        let object = push.objects[place]
        guard object.mustSettle, let number = object.number else { return nil }
        if object.needsView,
          let refusal = views.refusal(number.key, of: object.address.className, in: push.views)
        {
          return (place, refusal)
        }
        if let demand = object.demand, !(matches[demand]?.contains(number.key) ?? false) {
          return (place, push.forbidden(object.address.className, "the new state of this object"))
        }
        return nil
      }
      return places.isEmpty ? nil : (index, places)
    }
  }

  // MARK: Records

  /// Writes the records of accepted operations.
  private mutating func finish(_ push: inout PushDraft) throws(ServerStoreError) {
    for object in push.objects where object.isAccepted {
      guard let number = object.number else { continue }
      try write(object, number)
      if !object.creations.isEmpty, !object.isAsymmetric { try enter(number, object, push) }
    }
    finished.append(push)
  }

  private func write(_ object: ObjectDraft, _ number: ObjectNumber) throws(ServerStoreError) {
    guard object.record.version != object.before.version else { return }
    if object.before.isKnown {
      try store.set(nil, for: versionKey(object.before.version, number), in: .versions)
    }
    try store.set([], for: versionKey(object.record.version, number), in: .versions)
    if object.isReset {
      for map in [StoreMap.parts, .partVersions, .inner] {
        var keys: [[UInt8]] = []
        try store.forEach(in: map, from: number.bytes, prefix: number.bytes) { key, _ in
          keys.append(key)
          return true
        }
        for key in keys { try store.set(nil, for: key, in: map) }
      }
    }
    for unit in object.writtenInner {
      let record = object.inner[unit] ?? nil
      try store.set(record?.encoded, for: InnerRecord.key(number, unit), in: .inner)
    }
    let isNew = object.before.generation == nil || object.isReset
    for part in object.writtenParts {
      guard let record = object.parts[part] ?? nil else { continue }
      try PartVersions(store: store).set(
        record, for: PartRecord.key(number, column: part.column, part.name), isFirst: isNew)
    }
    try store.set(object.record.encoded, for: number.bytes, in: .objects)
  }

  /// An accepted creation enters the membership with its answer.
  private func enter(_ number: ObjectNumber, _ object: ObjectDraft, _ push: PushDraft)
    throws(ServerStoreError)
  {
    let members = Membership(store: store, number: push.membership, moves: push.moves)
    var member = try members[number]
    if !object.hasMergedCreation, let last = member.moves.last, last.isEnter, last.own != nil {
      return
    }
    member.moves.append(
      MemberRecord.Move(
        tag: .version(push.version), isEnter: true,
        own: object.hasMergedCreation ? .merged : .made))
    try members.set(member, for: number)
  }
}

/// The key of an object in the index by version.
func versionKey(_ version: UInt64, _ number: ObjectNumber) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(8 + ObjectNumber.byteCount)
  bytes.appendNumber(version)
  number.append(to: &bytes)
  return bytes
}

extension [UInt64] {
  /// Those of the keys whose objects are selected.
  fileprivate func among(
    _ selection: ObjectSelection, of className: String, in store: any ServerTransaction
  ) throws(ServerStoreError) -> Set<UInt64> {
    switch selection {
    case .none: return []
    case .all: return Set(self)
    case .matching(let exactText):
      let text = exactText.text
      let query = ViewQuery(className: className, text: text)
      return Set(try store.keys(matching: query, among: self, in: .now))
    }
  }
}
