internal import AtollObjects

/// Says of each operation that a client pushed whether it is accepted, and carries it out.
///
/// Transactions are judged one after the other, each on what those before it made. Whether an object
/// that a client created is in view is asked of the store for many transactions at once (`settle`);
/// one that meets such an object waits for that.
struct Judge {
  let store: any ServerTransaction
  let rights: Rights
  let fault: SyncFault?
  var state: ServerState
  /// Transactions whose creations are not known to be in view.
  private(set) var open: [PushDraft] = []
  private var openObjects: Set<ObjectAddress> = []
  /// What is judged and carried out.
  private(set) var finished: [PushDraft] = []

  init(store: any ServerTransaction, rights: Rights, state: ServerState, fault: SyncFault?) {
    self.store = store
    self.rights = rights
    self.state = state
    self.fault = fault
  }

  /// Hands over what was finished since the last call.
  mutating func takeFinished() -> [PushDraft] {
    defer { finished.removeAll() }
    return finished
  }

  /// Whether a transaction meets an object of one whose creations are not known to be in view.
  func mustSettle(before transaction: RecordedTransaction) -> Bool {
    !openObjects.isEmpty && transaction.operations.contains { openObjects.contains($0.object) }
  }

  // MARK: One transaction

  /// Judges a transaction and carries out what is accepted.
  ///
  /// `limit`: the latest clock that counts as it is.
  mutating func judge(
    _ transaction: RecordedTransaction, number: UInt64, client: UInt64, _ record: ClientRecord,
    limit: HybridClock
  ) throws(ServerStoreError) {
    var transaction = transaction
    transaction.clock =
      switch fault {
      case .r4AnyClock: state.clamp(transaction.clock, limit: HybridClock(rawValue: .max))
      case .r4LateWrite: state.clamp(min(transaction.clock, limit), limit: limit)
      default: state.clamp(transaction.clock, limit: limit)
      }
    var push = PushDraft(
      client: client, number: number, transaction: transaction, version: state.version + 1,
      seenVersion: state.seen(transaction.seen).version, user: record.user,
      subscriptions: record.subscriptions, membership: record.membership, moves: record.moves,
      isAnew: record.confirmed == nil)
    push.verdicts = Array(
      repeating: .refused(Refusal(.outsideView)), count: transaction.operations.count)
    try gather(&push)
    for place in push.objects.indices {
      try judgeObject(place, &push)
      try carryOut(place, &push)
    }
    if push.objects.contains(where: \.isAccepted) { state.version = push.version }
    if push.objects.contains(where: \.needsView) {
      open.append(push)
      for object in push.objects { openObjects.insert(object.address) }
    } else {
      try finish(&push)
    }
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
        push.objects.append(ObjectDraft(address: address, number: number, record: record))
      }
      push.objects[place].operations.append(index)
    }
  }

  /// Judges all operations on one object, in their order.
  private func judgeObject(_ place: Int, _ push: inout PushDraft) throws(ServerStoreError) {
    for index in push.objects[place].operations {
      push.verdicts[index] =
        push.refused.contains(index)
        ? .refused(Refusal(.outsideView)) : try verdict(index, place, &push)
    }
  }

  // MARK: Carrying out

  /// Writes the changes of an object; what it held is kept when a creation may have to be undone.
  private func carryOut(_ place: Int, _ push: inout PushDraft) throws(ServerStoreError) {
    var object = push.objects[place]
    if object.needsView, object.before.generation != nil, object.saved == nil {
      object.saved = try store.values(of: object.address)
    }
    for change in object.changes {
      switch change {
      case .create: object.number = try store.create(object.address)
      case .delete: try store.delete(object.address, isForgotten: false)
      case .write(let path, let value, let operation):
        do throws(ServerStoreError) {
          try store.write(Unit(object: object.address, path: path), value)
        } catch .unfit(let problem) {
          // What the schema cannot tell beforehand, as a list that has grown too long.
          push.verdicts[operation] = .refused(Refusal(.typeMismatch, text: problem))
        }
      }
    }
    push.objects[place] = object
  }

  /// Puts an object back to what it was before the transaction.
  private func undo(_ object: inout ObjectDraft) throws(ServerStoreError) {
    if object.record.generation != nil {
      try store.delete(object.address, isForgotten: !object.before.isKnown)
    }
    if object.before.generation != nil {
      object.number = try store.create(object.address)
      for (path, value) in object.saved ?? [:] where path != .existence {
        try store.write(Unit(object: object.address, path: path), value)
      }
    }
    object.restart()
  }

  // MARK: Creations

  /// Asks whether created objects are in view, refuses those that are not, and finishes all.
  mutating func settle() throws(ServerStoreError) {
    guard !open.isEmpty else { return }
    var pushes = open
    open = []
    openObjects = []
    var waiting = Array(pushes.indices)
    while !waiting.isEmpty {
      let outside = fault == .r20AnyCreation ? [] : try creationsOutsideView(pushes, waiting)
      waiting = []
      for (index, places) in outside {
        for place in places {
          pushes[index].refused.formUnion(pushes[index].objects[place].creations)
          try undo(&pushes[index].objects[place])
          try judgeObject(place, &pushes[index])
          try carryOut(place, &pushes[index])
        }
        waiting.append(index)
      }
    }
    for index in pushes.indices { try finish(&pushes[index]) }
  }

  /// The objects that were created and are not in view of those that did: push, and places there.
  private func creationsOutsideView(_ pushes: [PushDraft], _ waiting: [Int])
    throws(ServerStoreError) -> [(push: Int, places: [Int])]
  {
    var keys: [ViewQuery: Set<UInt64>] = [:]
    for index in waiting {
      for object in pushes[index].objects where object.needsView {
        guard let number = object.number else { continue }
        for query in pushes[index].subscriptions where query.className == object.address.className {
          keys[query, default: []].insert(number.key)
        }
      }
    }
    var inView: [ViewQuery: Set<UInt64>] = [:]
    for (query, keys) in keys {
      inView[query] = Set(try store.keys(matching: query, among: keys.sorted(), in: .now))
    }
    return waiting.compactMap { index in
      let push = pushes[index]
      let places = push.objects.indices.filter { place in
        let object = push.objects[place]
        guard object.needsView, let number = object.number else { return false }
        return !push.subscriptions.contains { inView[$0]?.contains(number.key) ?? false }
      }
      return places.isEmpty ? nil : (index, places)
    }
  }

  // MARK: Records

  /// Writes the records of what was accepted.
  private mutating func finish(_ push: inout PushDraft) throws(ServerStoreError) {
    for object in push.objects where object.isAccepted {
      guard let number = object.number else { continue }
      try write(object, number)
      if !object.creations.isEmpty { try enter(number, object, push) }
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
      var keys: [[UInt8]] = []
      try store.forEach(in: .elements, from: number.bytes, prefix: number.bytes) { key, _ in
        keys.append(key)
        return true
      }
      for key in keys { try store.set(nil, for: key, in: .elements) }
    }
    for element in object.writtenElements {
      guard let record = object.elements[element] ?? nil else { continue }
      try store.set(
        record.encoded, for: ElementKey(number, column: element.column, element.id).bytes,
        in: .elements)
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
