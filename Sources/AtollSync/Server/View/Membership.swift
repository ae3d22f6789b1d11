/// The objects that one client holds.
struct Membership {
  let store: any ServerTransaction
  /// The first part of the keys.
  let number: UInt64
  let moves: ConfirmedMoves

  init(store: any ServerTransaction, number: UInt64, moves: ConfirmedMoves) {
    self.store = store
    self.number = number
    self.moves = moves
  }

  /// The member as it is with what is confirmed by now.
  subscript(object: ObjectNumber) -> MemberRecord {
    get throws(ServerStoreError) {
      var member = try stored(object)
      member.settle(moves, of: object)
      return member
    }
  }

  /// The member as it was written last.
  func stored(_ object: ObjectNumber) throws(ServerStoreError) -> MemberRecord {
    guard let bytes = try store.record(key(object), in: .members) else {
      return MemberRecord(isConfirmed: false)
    }
    return try MemberRecord(bytes)
  }

  func set(_ member: MemberRecord, for object: ObjectNumber) throws(ServerStoreError) {
    try store.set(member.isEmpty ? nil : member.encoded, for: key(object), in: .members)
  }

  /// Lists the objects that the client holds, in order, for a catch-up that visits all of them.
  ///
  /// Objects that it does not hold, but may have held, are not among them: their count may depend
  /// on hidden data. `stale`: those of them of whose moves some never arrived; the catch-up settles
  /// them, since `ConfirmedMoves` forgets after it which moves these are.
  func heldObjects() throws(ServerStoreError) -> (held: [ObjectNumber], stale: [ObjectNumber]) {
    let prefix = Self.prefix(number)
    let moves = moves
    var held: [ObjectNumber] = []
    var stale: [ObjectNumber] = []
    try store.forEach(in: .members, from: prefix, prefix: prefix) {
      (key, bytes) throws(ServerStoreError) in
      guard let object = ObjectNumber(key.dropFirst(prefix.count)) else {
        throw .damaged(.members)
      }
      let stored = try MemberRecord(bytes)
      var member = stored
      member.settle(moves, of: object)
      if member.isHeld {
        held.append(object)
      } else if member != stored {
        stale.append(object)
      }
      return true
    }
    return (held, stale)
  }

  /// Removes from a record the moves that never arrived.
  func settle(_ object: ObjectNumber) throws(ServerStoreError) {
    try set(self[object], for: object)
  }

  private static func prefix(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendNumber(number)
    return bytes
  }

  private func key(_ object: ObjectNumber) -> [UInt8] {
    var bytes = Self.prefix(number)
    object.append(to: &bytes)
    return bytes
  }
}
