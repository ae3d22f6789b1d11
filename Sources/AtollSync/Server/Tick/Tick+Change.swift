internal import AtollCapture
internal import AtollObjects

/// The change of an object for a client, before it is recorded in the membership.
struct PlannedChange {
  let number: ObjectNumber
  /// Nil: nothing.
  let change: ObjectChange?
  let member: MemberRecord
  /// Whether the record differs from what is in the store.
  let isMemberChanged: Bool
}

extension Tick {
  /// The change of an object for a client, also recorded in its membership; nil: none.
  func change(
    of number: ObjectNumber, isInView: Bool, for connection: Connection, withEcho: Bool,
    tag: MemberRecord.Tag
  ) throws(ServerStoreError) -> ObjectChange? {
    let planned = try plannedChange(
      of: number, isInView: isInView, for: connection, withEcho: withEcho, tag: tag)
    try note(planned, of: connection)
    return planned.change
  }

  /// The change of an object for a client.
  ///
  /// Membership decides between enter, update and leave. `withEcho`: the client's own writes are
  /// sent back to it.
  func plannedChange(
    of number: ObjectNumber, isInView: Bool, for connection: Connection, withEcho: Bool,
    tag: MemberRecord.Tag
  ) throws(ServerStoreError) -> PlannedChange {
    let members = Membership(
      store: store, number: connection.client.membership, moves: connection.client.moves)
    let stored = try members.stored(number)
    var member = stored
    member.settle(connection.client.moves, of: number)
    let isHeld = member.isHeld
    var change: ObjectChange?
    if isInView {
      change = try values(
        of: number, member: member, for: connection,
        client: withEcho ? nil : connection.clientID)
      if change != nil, !isHeld {
        member.moves.append(MemberRecord.Move(tag: tag, isEnter: true, own: nil))
      }
    } else if isHeld, let address = try address(of: number) {
      change = ObjectChange(address, .leave)
      member.moves.append(MemberRecord.Move(tag: tag, isEnter: false, own: nil))
    }
    return PlannedChange(
      number: number, change: change, member: member, isMemberChanged: member != stored)
  }

  /// The change is sent.
  func note(_ planned: PlannedChange, of connection: Connection) throws(ServerStoreError) {
    if planned.isMemberChanged {
      try Membership(
        store: store, number: connection.client.membership, moves: connection.client.moves
      ).set(planned.member, for: planned.number)
    }
    if planned.member.moves.count > MemberRecord.moveLimit { connection.isOverdue = true }
  }

  /// The values of an object in view: all, or those that are new to the client.
  private func values(
    of number: ObjectNumber, member: MemberRecord, for connection: Connection, client: UInt64?
  ) throws(ServerStoreError) -> ObjectChange? {
    let version = connection.from?.version ?? 0
    guard let bytes = try store.record(number.bytes, in: .objects) else { return nil }
    let record = try ObjectRecord(bytes)
    guard let generation = record.generation, let address = try address(of: number) else {
      return nil
    }
    guard let rights = connection.rights[address.className] else { return nil }
    let readable = rights.readable
    let isWhole =
      !member.isHeld || member.isMerged(after: version)
      || record.existence.isNews(after: version, for: client)
      || connection.client.readableVersion > version
    if isWhole {
      let key = WholeObject(number: number, readable: readable)
      if let known = wholes[key] { return known }
      let units = try store.units(of: address) { $0.isSent(readable) }
      let change = ObjectChange(address, .full(generation: generation, units))
      wholes[key] = change
      return change
    }
    let units = try news(of: number, address, record, readable, after: version, for: client)
    guard !units.isEmpty else { return nil }
    return ObjectChange(address, .update(units))
  }

  /// Whether an object was created, or a readable value of it changed, after a version.
  func hasNews(
    of number: ObjectNumber, after version: UInt64, for connection: Connection
  ) throws(ServerStoreError) -> Bool {
    guard let bytes = try store.record(number.bytes, in: .objects),
      let table = store.schema.table(id: number.classNumber)
    else { return false }
    let record = try ObjectRecord(bytes)
    if record.existence.isNews(after: version, for: nil) { return true }
    guard record.version > version, let rights = connection.rights[table.name] else { return false }
    return table.columns.contains { column in
      column.isSent(rights.readable) && record[column.id].isNews(after: version, for: nil)
    }
  }

  private func address(of number: ObjectNumber) throws(ServerStoreError) -> ObjectAddress? {
    try store.address(of: number)
  }

  /// The units that changed after a version, without those that the client itself wrote.
  private func news(
    of number: ObjectNumber, _ address: ObjectAddress, _ record: ObjectRecord,
    _ readable: PropertyRights?, after version: UInt64, for client: UInt64?
  ) throws(ServerStoreError) -> [UnitChange] {
    guard let table = store.schema.table(address.className) else { return [] }
    var units: [UnitChange] = []
    for column in table.columns where column.isSent(readable) {
      guard record[column.id].isNews(after: version, for: client) else { continue }
      guard column.layout.collection != .none else {
        let path = UnitPath.property(column.name)
        if let value = try store.value(of: Unit(object: address, path: path)) {
          units.append(UnitChange(path, value))
        }
        continue
      }
      // `isNews` asks for the version of the last change, or for an earlier one: no others can be.
      let keys = try PartVersions(store: store).keys(of: number, column: column.id, after: version)
      for key in keys {
        // A record that is lost in a damaged store keeps nothing else from the device.
        guard let bytes = try store.record(key, in: .parts) else { continue }
        let part = try PartRecord(bytes)
        guard part.unit.isNews(after: version, for: client) else { continue }
        let path = part.name.path(of: column.name)
        let value =
          part.isRemoved ? nil : try store.value(of: Unit(object: address, path: path))
        units.append(UnitChange(path, value))
      }
    }
    return units
  }
}

/// A whole object as it is sent to all who may read the same properties of it.
struct WholeObject: Hashable {
  let number: ObjectNumber
  let readable: PropertyRights?
}

extension Column {
  /// Whether values go to a device whose user may read these properties, nil: all; the key goes
  /// with each object.
  fileprivate func isSent(_ readable: PropertyRights?) -> Bool {
    !isPrimaryKey && (readable.map { $0[name] >= .read } ?? true)
  }
}

extension ObjectChange {
  /// About how many bytes the change takes in a message.
  var approximateByteCount: Int {
    let units: [UnitChange]
    switch change {
    case .leave: return 24
    case .full(_, let all): units = all
    case .update(let some): units = some
    }
    return units.reduce(24) { sum, unit in
      let sum =
        if case .entry(_, let key) = unit.path { sum + OperationFit.byteCount(key) } else { sum }
      return switch unit.value {
      case .value(let value)?: sum + 3 + OperationFit.byteCount(value)
      case .element(let position, let value)?:
        sum + 8 + position.bytes.count + OperationFit.byteCount(value)
      case .exists?, nil: sum + 8
      }
    }
  }
}
