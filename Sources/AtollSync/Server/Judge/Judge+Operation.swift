internal import AtollCapture
internal import AtollObjects
internal import AtollQuery

// The checks of one operation, in this order: right and fit, holding, the object's rights,
// generation, unit. For an object that the client does not hold, the verdict reveals only that, or
// that its generation is of a history that the server has lost.

extension Judge {
  /// The verdict on an operation; its changes go to the object's draft.
  func verdict(_ index: Int, _ place: Int, _ push: inout PushDraft) throws(ServerStoreError)
    -> Verdict
  {
    let operation = push.transaction.operations[index]
    let className = operation.object.className
    guard let rights = push.rights[className] else { return .refused(Refusal(.forbidden)) }
    if let problem = OperationFit.problem(operation, in: store.schema) {
      return .refused(problem)
    }
    if let property = operation.unit.path.property, rights.properties[property] < .write {
      return .refused(push.forbidden(className, "writing '\(property)'"))
    }
    if case .create = operation.action {
      let isLive = push.objects[place].record.generation != nil
      if isLive, push.objects[place].isAsymmetric {
        // An event never changes, not even for a user who guesses its key.
        return .refused(Refusal(.forbidden))
      }
      guard isLive ? push.objects[place].isWritable : rights.insert != .none else {
        return .refused(push.forbidden(className, "making objects"))
      }
      if !isLive, !push.objects[place].isAsymmetric,
        let refusal = try storedBytes.refusal(objectsOf: push.client, in: store)
      {
        return .refused(refusal)
      }
      return create(index, &push.objects[place], push.origin)
    }
    var generation: Cursor?
    var isOwn = false
    switch operation.generation {
    case .confirmed(let cursor): generation = cursor
    case .pending(let number, let creation):
      switch try answer(to: creation, of: number, for: index, &push) {
      case .applied(let made), .known(let made):
        generation = made
        // Stored answers do not name their objects.
        isOwn =
          number == push.number || push.objects[place].record.isMade(by: push.client, as: made)
      case .some(let verdict): return verdict
      case nil: break
      }
    case nil: break
    }
    if !isOwn, try !isHeld(place, &push) {
      // A store that was restored from a backup has lost the object, and its device held it. The
      // answer depends on the cursor alone, so it tells nothing of any object.
      let isLost = generation.map { !state.seen($0).isValid } ?? false
      return isLost ? .outdated(.deletion) : .refused(Refusal(.outsideView))
    }
    if case .delete = operation.action {
      guard push.objects[place].isDeletable, rights.delete != .none else {
        return .refused(push.forbidden(className, "deleting this object"))
      }
    } else {
      guard push.objects[place].isWritable, rights.write != .none else {
        return .refused(push.forbidden(className, "changing this object"))
      }
    }
    guard let live = push.objects[place].record.generation, live == generation else {
      return .outdated(.deletion)
    }
    if case .delete = operation.action {
      push.objects[place].delete(version: push.version, by: push.client)
      return .applied(generation: nil)
    }
    if try adds(operation, to: push.objects[place]) {
      guard
        push.objects[place].record.byteCount <= Self.objectByteLimit || operation.action.removes
      else {
        return .refused(
          Refusal(
            .tooLarge,
            text: "the object has more than \(Self.objectByteLimit) bytes; nothing is added to it"))
      }
      if let refusal = try storedBytes.refusal(
        objectsOf: push.objects[place].record.existence.writer, in: store)
      {
        return .refused(refusal)
      }
    }
    // Operations that a repaired file sends again create a missing object. An existing one keeps
    // its values, without added increments, and its elements, of which none is doubled or restored.
    if push.transaction.isRetold, push.objects[place].hasMergedCreation {
      return .outdated(.newerClock)
    }
    return try edit(operation, index, &push.objects[place], push.origin)
  }

  /// Whether an operation may make an object larger; what is as small as a number does not count.
  private func adds(
    _ operation: Operation, to object: ObjectDraft
  ) throws(ServerStoreError) -> Bool {
    guard case .removeEntry(let property, let key) = operation.action else {
      return operation.action.adds
    }
    // The key of what was there is there already.
    guard OperationFit.byteCount(key) > StoredSize.shortKeyByteCount,
      let column = column(property, operation)
    else { return false }
    return try record(of: ObjectDraft.Part(column: column, name: .entry(key)), object) == nil
  }

  /// What an object may have before nothing can be added any more.
  ///
  /// A new device gets it in one message, and takes none of more than 256 MiB. A transaction adds
  /// 64 MiB at most.
  static let objectByteLimit: UInt64 = 64 << 20
  /// How often an object may be made anew in one transaction.
  ///
  /// A device tells what came of it in the end, and all that links to it waits, and comes back, each
  /// time.
  private static let lifeLimit = 8

  private func create(_ index: Int, _ object: inout ObjectDraft, _ push: PushDraft.Origin)
    -> Verdict
  {
    if let live = object.record.generation {
      object.creations.append(index)
      object.hasMergedCreation = true
      // A catch-up finds the object by its version, and sends all of it.
      object.record.version = push.version
      return .applied(generation: live)
    }
    if let deletion = object.record.deletion, deletion.client != push.client,
      deletion.version > push.seenVersion
    {
      return .outdated(.deletion)
    }
    guard object.creations.count < Self.lifeLimit else {
      return .refused(
        Refusal(
          .tooLarge,
          text: "the transaction makes one object more than \(Self.lifeLimit) times"))
    }
    let generation = Cursor(incarnation: state.incarnation, version: push.version)
    object.record.create(generation, by: push.client)
    object.record.count(OperationFit.excess(ofKey: object.address.primaryKey))
    object.changes.append(.create)
    object.creations.append(index)
    return .applied(generation: generation)
  }

  /// The answer to the client's own creation that an operation names; nil when the answer was
  /// confirmed, or does not exist.
  ///
  /// In the same transaction, only an earlier creation of the operation's object is valid. An
  /// answer of another transaction may be about any object.
  private func answer(
    to creation: UInt32, of number: UInt64, for index: Int, _ push: inout PushDraft
  ) throws(ServerStoreError) -> Verdict? {
    let creation = Int(creation)
    if number == push.number {
      let operations = push.transaction.operations
      guard creation < index, case .create = operations[creation].action,
        operations[creation].object == operations[index].object
      else { return nil }
      return push.verdicts[creation]
    }
    if push.answers[number] == nil {
      guard let bytes = try store.record(AnswerRecord.key(push.client, number), in: .answers) else {
        return nil
      }
      push.answers[number] = KnownVerdicts(try AnswerRecord(bytes).answer)
    }
    return push.answers[number]?[creation]
  }

  /// Whether the client held the object at its confirmed cursor, or has created it since.
  private func isHeld(_ place: Int, _ push: inout PushDraft) throws(ServerStoreError) -> Bool {
    if let known = push.objects[place].isHeld { return known }
    let isHeld = try holds(push.objects[place], &push)
    push.objects[place].isHeld = isHeld
    return isHeld
  }

  private func holds(
    _ object: ObjectDraft, _ push: inout PushDraft
  ) throws(ServerStoreError) -> Bool {
    guard let number = object.number else { return false }
    let member = try Membership(store: store, number: push.membership, moves: push.moves)[number]
    if member.isConfirmed || member.isOwn { return true }
    // Without a confirmed cursor, the view before the transaction decides.
    guard push.hasNoCursor, object.before.generation != nil else { return false }
    let start = time.clock()
    defer { push.viewTime -= min(push.viewTime, time.elapsed(since: start)) }
    let budget = time.budget(push.viewTime)
    for query in push.views where query.className.hasSameBytes(as: object.address.className) {
      // What takes too long to find out is not held.
      guard !budget.isSpent else { return false }
      do throws(ServerStoreError) {
        let found = try store.keys(
          matching: query, among: [number.key], from: 0, in: .now, within: budget)
        if !found.keys.isEmpty { return true }
      } catch .tooExpensive { continue }
    }
    return false
  }

  // MARK: Edits

  private func edit(
    _ operation: Operation, _ index: Int, _ object: inout ObjectDraft, _ push: PushDraft.Origin
  ) throws(ServerStoreError) -> Verdict {
    let path = operation.unit.path
    switch operation.action {
    case .create, .delete: return .outdated(.deletion)
    case .set(let property, let value):
      guard let column = column(property, operation) else { return .outdated(.deletion) }
      guard wins(push.stamp, over: object.record[column]),
        try replaceInside(path, with: value, &object, push)
      else { return .outdated(.newerClock) }
      object.record.write(
        column: column, push.stamp, version: push.version, by: push.client)
      object.changes.append(.write(path, .value(value), operation: index))
      let sum = object.record[column].sum
      if sum != 0 { object.changes.append(.add(path, sum)) }
    case .increment(let property, let delta):
      guard let column = column(property, operation) else { return .outdated(.deletion) }
      guard wins(push.stamp, over: object.record[column]) else { return .outdated(.newerClock) }
      object.record.increment(
        column: column, UnitRecord.Increment(stamp: push.stamp, delta: delta),
        version: push.version, by: push.client)
      object.changes.append(.add(path, delta))
    case .insert(let property, let id, let position, let value):
      guard let column = column(property, operation) else { return .outdated(.deletion) }
      let part = ObjectDraft.Part(column: column, name: .element(id))
      if let known = try record(of: part, object) {
        if known.awaitsInsertion, !push.isRetold { object.noteInsertion(part, known, push) }
        return duplicate(known, operation, push)
      }
      object.write(part, nil, push, isRemoved: false, awaitsInsertion: push.isRetold)
      object.changes.append(.write(path, .element(position, value), operation: index))
    case .setElement(let property, let id, let value):
      guard let column = column(property, operation) else { return .outdated(.deletion) }
      let part = ObjectDraft.Part(column: column, name: .element(id))
      guard let known = try record(of: part, object), !known.isRemoved else {
        return .outdated(.deletion)
      }
      guard wins(push.stamp, over: known.unit),
        try replaceInside(path, with: value, &object, push)
      else { return .outdated(.newerClock) }
      object.write(part, known, push, isRemoved: false)
      object.changes.append(.write(path, .value(value), operation: index))
    case .moveElement(let property, let id, let position):
      guard let column = column(property, operation) else { return .outdated(.deletion) }
      let part = ObjectDraft.Part(column: column, name: .element(id))
      guard let known = try record(of: part, object),
        !known.isRemoved
      else { return .outdated(.deletion) }
      guard push.stamp >= known.moved ?? .earliest else { return .outdated(.newerClock) }
      object.move(part, known, push)
      object.changes.append(.move(path, position))
    case .removeElement(let property, let id):
      guard let column = column(property, operation) else { return .outdated(.deletion) }
      let part = ObjectDraft.Part(column: column, name: .element(id))
      let known = try record(of: part, object)
      if let known, known.isRemoved { return .applied(generation: nil) }
      object.write(part, known, push, isRemoved: true, awaitsInsertion: true)
      _ = try replaceInside(path, with: nil, &object, push, isRemoval: true)
      if let known, !known.isRemoved { object.changes.append(.write(path, nil, operation: index)) }
    case .setEntry(let property, let key, let value):
      return try edit(property, key, .value(value), operation, index, &object, push)
    case .addMember(let property, let member):
      return try edit(property, member, .exists, operation, index, &object, push)
    case .removeEntry(let property, let key):
      return try edit(property, key, nil, operation, index, &object, push)
    case .edit(_, let place, let change):
      return try edit(inside: path, at: place, change, operation, index, &object, push)
    }
    return .applied(generation: nil)
  }

  /// The verdict on the insertion of an element whose id the list has, or has had.
  ///
  /// A file gives each element an id of its own, and an entry that comes again is not judged. So
  /// the element is another one, of a copy of the file or of the state to which it was restored: it
  /// must not take the place of the first, nor bring it back. It is the same one where only others
  /// have told of it, after the server went back: then they have said what became of it.
  private func duplicate(
    _ known: PartRecord, _ operation: Operation, _ push: PushDraft.Origin
  ) -> Verdict {
    // What is told again may be there.
    if push.isRetold || known.awaitsInsertion {
      return .outdated(known.isRemoved ? .deletion : .newerClock)
    }
    return duplicateRefusal(operation)
  }

  /// The refusal of a change of an element whose insertion was refused, since another has its id.
  ///
  /// Comes before all other checks: by a refusal for another reason, the device would retry the
  /// change on the other element.
  func refusalOfElement(_ index: Int, _ push: PushDraft) -> Verdict? {
    let operation = push.transaction.operations[index]
    guard case .element(_, let id) = operation.unit.path, !operation.action.isInsertion,
      push.refusedElements.contains(id, seen: push.seenVersion)
    else { return nil }
    return duplicateRefusal(operation)
  }

  private func duplicateRefusal(_ operation: Operation) -> Verdict {
    let name = "\(operation.object.className).\(operation.unit.path.property ?? "")"
    return .refused(
      Refusal(
        .duplicateElement,
        text: "\(name) has, or had, another element with this id: "
          + "the file that inserted it is a copy of another, or was restored"))
  }

  /// An entry or a member: the later of all additions and removals wins.
  private func edit(
    _ property: String, _ key: RecordedValue, _ value: UnitValue?, _ operation: Operation,
    _ index: Int, _ object: inout ObjectDraft, _ push: PushDraft.Origin
  ) throws(ServerStoreError) -> Verdict {
    guard let column = column(property, operation) else { return .outdated(.deletion) }
    let part = ObjectDraft.Part(column: column, name: .entry(key))
    let isFirst = object.parts[part] == nil
    let known = try record(of: part, object)
    if let known, !wins(push.stamp, over: known.unit) { return .outdated(.newerClock) }
    let path = operation.unit.path
    guard try replaceInside(path, with: value?.content, &object, push) else {
      return .outdated(.newerClock)
    }
    let kept = StoredSize(keptOf: path)
    // Of what is gone there is no value that would tell it, nor of what the store could not take.
    if isFirst, known != nil, kept.kept > 0,
      try store.value(of: Unit(object: object.address, path: path)) == nil
    {
      object.sizes[path] = kept
    }
    object.write(part, known, push, isRemoved: value == nil)
    object.changes.append(.write(path, value, operation: index))
    return .applied(generation: nil)
  }

  func column(_ property: String, _ operation: Operation) -> UInt32? {
    store.schema.table(operation.object.className)?.column(property)?.id
  }

  private func wins(_ stamp: WriteStamp, over unit: UnitRecord) -> Bool {
    stamp >= unit.stamp
  }

  /// The record of a part in the transaction; nil when the part never existed.
  func record(of part: ObjectDraft.Part, _ object: ObjectDraft)
    throws(ServerStoreError) -> PartRecord?
  {
    if let known = object.parts[part] { return known }
    guard !object.isReset, let number = object.number,
      let bytes = try store.record(
        PartRecord.key(number, column: part.column, part.name), in: .parts)
    else { return nil }
    return try PartRecord(bytes)
  }
}

extension Operation.Action {
  /// Whether it may make the object larger, unless it removes an entry.
  fileprivate var adds: Bool {
    switch self {
    case .create, .insert, .setEntry, .addMember, .edit: true
    case .set(_, let value), .setElement(_, _, let value):
      OperationFit.byteCount(value) > Self.smallByteCount
    case .moveElement(_, _, let position): position.bytes.count > Self.smallByteCount
    case .delete, .increment, .removeElement, .removeEntry: false
    }
  }

  private static let smallByteCount = 64

  /// Whether it makes the object smaller, but for what is kept of what it removes.
  fileprivate var removes: Bool {
    switch self {
    case .removeEntry, .removeElement, .delete, .edit(_, _, .remove): true
    default: false
    }
  }

  fileprivate var isInsertion: Bool { if case .insert = self { true } else { false } }
}

extension ObjectDraft {
  mutating func delete(version: UInt64, by client: UInt64) {
    record.delete(version: version, by: client)
    parts = [:]
    writtenParts = []
    inner = [:]
    writtenInner = []
    isReset = true
    changes.append(.delete)
  }

  fileprivate mutating func write(
    _ part: Part, _ known: PartRecord?, _ push: PushDraft.Origin, isRemoved: Bool,
    awaitsInsertion: Bool = false
  ) {
    let unit =
      known?.unit.written(push.stamp, version: push.version, by: push.client)
      ?? UnitRecord(stamp: push.stamp, version: push.version, writer: push.client)
    parts[part] = .some(
      PartRecord(
        unit: unit, moved: known?.moved, isRemoved: isRemoved,
        awaitsInsertion: known?.awaitsInsertion ?? awaitsInsertion, name: part.name))
    writtenParts.insert(part)
    record.write(
      column: part.column, push.stamp, version: push.version, by: push.client)
  }

  /// Notes that the insertion of an element has come of which only others had told: the next one
  /// under its id is of another element.
  fileprivate mutating func noteInsertion(
    _ part: Part, _ known: PartRecord, _ push: PushDraft.Origin
  ) {
    var known = known
    known.awaitsInsertion = false
    parts[part] = .some(known)
    writtenParts.insert(part)
    record.version = push.version
  }

  /// Moves an element; its value keeps its clock.
  fileprivate mutating func move(
    _ part: Part, _ known: PartRecord, _ push: PushDraft.Origin
  ) {
    var known = known
    known.moved = push.stamp
    known.unit = known.unit.touched(
      version: push.version, by: push.client, isNewsToWriter: false)
    parts[part] = .some(known)
    writtenParts.insert(part)
    record.write(
      column: part.column, push.stamp, version: push.version, by: push.client)
  }
}
